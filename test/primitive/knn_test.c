/* SPDX-License-Identifier: MIT
 * The k nearest points, on every kind of index, against looking at all points. */
#include "grid_support.h"
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a search of any kind ------------------------------------------------------------------- */

/* As the device's table has it; a table of thin cells; rows listed. */
typedef enum way { AS_IS, TABLE, ROWS, WAYS } way;

typedef struct asked {
    const cloud *points;
    const cloud *queries; /* or NULL */
    xl_grid_desc grid;
    xl_knn_desc search;
    bool no_distances;
    bool hard;   /* a device may give up */
    size_t part; /* rows of a call; 0: all in one that does not say so */
    way how;
} asked;

static asked asked_of(const cloud *points, float cell, uint32_t k)
{
    asked a = {.points = points, .grid = grid_desc_of(points, cell)};
    xl_knn_desc_init(&a.search);
    a.search.k = k;
    a.search.dimensions = a.grid.dimensions;
    return a;
}

static asked asked_around(const cloud *points, const cloud *queries, float cell, uint32_t k)
{
    asked a = asked_of(points, cell, k);
    a.queries = queries;
    a.search.queries = XL_QUERIES_GIVEN;
    a.search.query_stride = (uint32_t)queries->stride;
    return a;
}

static void tune(way how, xl_grid_desc *grid, xl_knn_desc *search)
{
    static const xl_tunable cells[WAYS][3] = {
        [TABLE] = {{"grid.planes", 0}, {"grid.table", 64}, {"grid.thin", 8}},
        [ROWS] = {{"grid.planes", 0}, {"grid.table", 0}, {"grid.thin", 1}}};
    static const xl_tunable searches[WAYS][1] = {
        [TABLE] = {{"grid.planes", 0}}, [ROWS] = {{"grid.planes", 0}}};
    if (how == AS_IS)
        return;
    grid->tunables = cells[how];
    grid->num_tunables = 3;
    search->tunables = searches[how];
    search->num_tunables = 1;
}

KEPT_PLAN(xl_knn)

/* What all parts of a search work on. */
typedef struct around {
    xl_knn *plan;
    xl_grid_index *index;
    xlt_buffer queries, systems;
} around;

/* Rows from `first` on, of which there are a->part, or what is left, or all. */
static void search_part(const asked *a, const around *all, size_t first, nearest_rows *r)
{
    const size_t left = r->n - first, rows = a->part > 0 && a->part < left ? a->part : left;
    xlt_buffer indices = xlt_buffer_make(NULL, rows * r->k, 4, 3),
               distances2 = xlt_buffer_make(NULL, rows * r->k, 4, 1);
    XLT_OK(xl_knn_enqueue(
        all->plan, all->index, xlt_queue(),
        &(xl_knn_args){.num_queries = a->queries ? r->n : 0,
                       .queries = xlt_view(&all->queries),
                       .indices = xlt_view(&indices),
                       .distances2 = a->no_distances ? xl_no_view() : xlt_view(&distances2),
                       .query_systems = xlt_view(&all->systems),
                       .first_row = first,
                       .num_rows = rows < left ? rows : 0},
        0, NULL, NULL));
    xlt_read(&indices, r->indices + first * r->k);
    xlt_read(&distances2, r->distances2 + first * r->k);
    xlt_check_guards(&indices, "indices");
    if (a->no_distances)
        xlt_check_unwritten(&distances2, "distances2");
    else
        xlt_check_guards(&distances2, "distances2");
    xlt_buffer_free(&indices);
    xlt_buffer_free(&distances2);
}

static nearest_rows search(const asked *a)
{
    xl_grid_desc grid = a->grid;
    xl_knn_desc desc = a->search;
    tune(a->how, &grid, &desc);
    nearest_rows r = nearest_rows_make(a->queries ? a->queries->n : a->points->n, desc.k);
    built b = build_grid(a->points, &grid);
    around all = {.plan = plan_of(&desc), .index = b.index};
    if (a->queries)
        all.queries = cloud_buffer(a->queries, desc.dimensions, 5);
    if (a->queries && desc.batch)
        all.systems = xlt_buffer_make(a->queries->systems, r.n, 4, 2);
    size_t first = 0;
    do {
        search_part(a, &all, first, &r);
        first += a->part > 0 ? a->part : r.n;
    } while (first < r.n);
    if (all.queries.mem)
        xlt_check_guards(&all.queries, "queries");
    if (all.systems.mem)
        xlt_check_guards(&all.systems, "query_systems");
    xlt_buffer_free(&all.queries);
    xlt_buffer_free(&all.systems);
    built_free(&b);
    return r;
}

/* ---- what it has to be ----------------------------------------------------------------------- */

enum { IMAGES = 3 }; /* of a box that repeats, on either side */

static ref_knn_search reference_of(const asked *a)
{
    const float radius = a->search.max_radius;
    ref_knn_search r = {.points = a->points->xyz,
                        .n = a->points->n,
                        .stride = a->points->stride,
                        .dimensions = a->grid.dimensions,
                        .k = a->search.k,
                        .include_self = a->search.include_self != 0,
                        .radius2 = radius * radius,
                        .images = IMAGES,
                        .systems = a->points->systems};
    if (a->queries) {
        r.query_systems = a->queries->systems;
        r.queries = a->queries->xyz;
        r.query_stride = a->queries->stride;
    }
    for (int k = 0; k < 3; ++k)
        r.period[k] = a->grid.periodic & 1u << k ? a->grid.upper[k] - a->grid.lower[k] : 0;
    return r;
}

static nearest_rows wanted_of(const asked *a)
{
    const ref_knn_search r = reference_of(a);
    nearest_rows wanted = nearest_rows_make(a->queries ? a->queries->n : a->points->n, r.k);
    for (size_t i = 0; i < wanted.n; ++i)
        ref_knn(&r, i, wanted.indices + i * r.k, wanted.distances2 + i * r.k);
    return wanted;
}

/* Where a device ends long loops a row may be given up; not in part. */
static bool is_given_up(const nearest_rows *got, size_t row)
{
    if (!ends_long_loops() || got->indices[row * got->k] != UINT32_MAX - 1)
        return false;
    for (size_t j = 0; j < got->k; ++j)
        if (got->indices[row * got->k + j] != UINT32_MAX - 1)
            return false;
    return true;
}

static void rows_equal(const char *what, const asked *a, const nearest_rows *got,
                       const nearest_rows *wanted)
{
    for (size_t at = 0; at < got->n * got->k; ++at) {
        const float d = got->distances2[at], w = wanted->distances2[at];
        if (a->hard && is_given_up(got, at / got->k))
            continue;
        if (got->indices[at] != wanted->indices[at] || (!a->no_distances && !(d == w)))
            XLT_FAIL("%s, way %d, cells of %g, k %zu: neighbour %zu of query %zu is %u at %g, not "
                     "%u at %g",
                     what, (int)a->how, (double)a->grid.cell_size, got->k, at % got->k, at / got->k,
                     got->indices[at], (double)d, wanted->indices[at], (double)w);
    }
}

/* On every kind of index; of few programs, on one or two after the other. */
static nearest_rows check(const char *what, asked a)
{
    static unsigned turn;
    const nearest_rows wanted = wanted_of(&a);
    const unsigned every = xlt_small() ? 3 : xlt_few_programs() ? 2 : 1;
    ++turn;
    for (a.how = AS_IS; a.how < WAYS; ++a.how)
        if (turn % every == (unsigned)a.how % every) {
            nearest_rows got = search(&a);
            rows_equal(what, &a, &got, &wanted);
            nearest_rows_free(&got);
        }
    return wanted;
}

static void check_only(const char *what, asked a)
{
    nearest_rows wanted = check(what, a);
    nearest_rows_free(&wanted);
}

/* A plan for each way in turn would be made anew each time: all clouds of one kind of search after
 * each other, way by way. */
typedef struct clouds {
    cloud all[16];
    float cells[16];
    size_t count;
} clouds;

static void clouds_add(clouds *c, cloud points, float cell)
{
    assert_true(c->count < 16);
    c->all[c->count] = points;
    c->cells[c->count++] = cell;
}

static void clouds_free(clouds *c)
{
    for (size_t i = 0; i < c->count; ++i)
        cloud_free(&c->all[i]);
}

static void check_clouds(const char *what, const clouds *c, uint32_t k)
{
    for (way how = AS_IS; how < WAYS; ++how)
        for (size_t i = 0; i < c->count; ++i) {
            if (xlt_on_oclgrind() && (i + (size_t)how) % 3 != 0) /* each cloud on some index */
                continue;
            asked a = asked_of(&c->all[i], c->cells[i], k);
            a.how = how;
            a.hard = true;
            nearest_rows wanted = wanted_of(&a), got = search(&a);
            rows_equal(what, &a, &got, &wanted);
            nearest_rows_free(&wanted);
            nearest_rows_free(&got);
        }
}

/* ---- ordinary clouds --------------------------------------------------------------------------
 */

static void every_k(void **state)
{
    (void)state;
    static const uint32_t ks[] = {1, 2, 7, 8, 16, 31, 32, 33, 63, 64};
    const size_t n = xlt_on_oclgrind() ? 60 : xlt_small() ? 150 : 700;
    cloud c = cloud_uniform(n, -1.0f, 2.0f, 11);
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i += xlt_small() ? 3 : 1) {
        asked a = asked_of(&c, 2.0f * cbrtf((float)ks[i] / 6 / (float)n), ks[i]);
        check_only("uniform", a);
    }
    cloud_free(&c);
}

/* The same rows, whatever the cells are. */
static void any_cell_size(void **state)
{
    (void)state;
    static const float cells[] = {1e-6f, 0.01f, 0.1f, 0.3f, 1.0f, 50.0f};
    const size_t n = xlt_on_oclgrind() ? 60 : xlt_small() ? 120 : 600;
    clouds c = {.count = 0};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; ++i)
        clouds_add(&c, cloud_uniform(n, 0.0f, 1.0f, 12), cells[i]);
    check_clouds("any cell", &c, 8);
    clouds_free(&c);
}

/* Points of a lattice are equally far in shells of 6, 12, 8, 6 and 24: every row is decided by
 * index in all of them. */
static void ties(void **state)
{
    (void)state;
    static const struct {
        uint32_t k;
        float last2; /* of a point inside */
    } shells[] = {{6, 1}, {7, 2}, {18, 2}, {26, 3}, {32, 4}, {56, 5}};
    const size_t side = xlt_small() ? 5 : 9;
    cloud c = cloud_lattice(side, 1.0f, 0.0f, 1);
    for (size_t s = 0; s < sizeof shells / sizeof *shells; s += xlt_small() ? 2 : 1) {
        nearest_rows r = check("a lattice", asked_of(&c, 0.8f, shells[s].k));
        const size_t inside = (side / 2 * side + side / 2) * side + side / 2;
        assert_true(r.distances2[inside * r.k + r.k - 1] == shells[s].last2);
        nearest_rows_free(&r);
    }
    cloud_free(&c);
}

/* ---- batches ----------------------------------------------------------------------------------
 */

static bool has_points(const uint32_t *systems, size_t n, uint32_t system)
{
    bool has = false;
    for (size_t i = 0; i < n; ++i)
        has = has || systems[i] == system;
    return has;
}

/* Systems of many points, of fewer than k, and of none; queries of each, and of one there is not,
 * which has no neighbours. */
static void batches(void **state)
{
    (void)state;
    enum { SYSTEMS = 40, K = 9 };
    const size_t n = xlt_on_oclgrind() ? 60 : xlt_small() ? 150 : 700;
    cloud c = cloud_uniform(n, -1.0f, 2.0f, 14), q = cloud_uniform(n / 3, -1.5f, 3.0f, 15);
    uint32_t *systems = malloc(n * sizeof *systems), *of_queries = malloc(n * sizeof *of_queries);
    xlt_random random = {16};
    assert_true(systems && of_queries);
    for (size_t i = 0; i < n; ++i) {
        systems[i] = i % 3 ? (uint32_t)(xlt_next(&random) % SYSTEMS) : 7;
        of_queries[i] = i % 2 ? 7 : (uint32_t)(xlt_next(&random) % SYSTEMS);
    }
    of_queries[2] = SYSTEMS;
    c.systems = systems;
    q.systems = of_queries;
    for (unsigned k = 0; k < 4; ++k) {
        asked a = k == 0 ? asked_of(&c, 0.3f, K) : asked_around(&c, &q, 0.3f, K);
        a.grid.num_systems = SYSTEMS;
        a.search.batch = 1;
        a.search.max_radius = k == 2 ? 0.7f : 0;
        if (k == 3) { /* where a system without points would have its rows given up */
            for (size_t i = 0; i < n / 3; ++i)
                of_queries[i] = has_points(systems, n, of_queries[i]) ? of_queries[i] : 7;
            a.grid.bounded = 1;
            a.grid.periodic = 7;
            a.search.periodic = XL_REPEATS_BOX;
            for (int axis = 0; axis < 3; ++axis) {
                a.grid.lower[axis] = -1.0f;
                a.grid.upper[axis] = 1.0f;
            }
            a.hard = true;
        }
        check_only("a batch", a);
    }
    free(systems);
    free(of_queries);
    cloud_free(&c);
    cloud_free(&q);
}

/* ---- parts ------------------------------------------------------------------------------------
 */

/* A call for each row, for some, and for more than there are: of points, and of queries, each with
 * its system. */
static void parts_of_rows(void **state)
{
    (void)state;
    enum { SYSTEMS = 3, K = 9 };
    const size_t n = xlt_on_oclgrind() ? 12 : 40, parts[] = {1, 7, n - 1, n, n + 9};
    cloud c = cloud_uniform(n, -1.0f, 2.0f, 17), q = cloud_uniform(n, -1.5f, 3.0f, 18);
    uint32_t systems[2][40];
    for (size_t i = 0; i < n; ++i) {
        systems[0][i] = (uint32_t)(i * i % SYSTEMS);
        systems[1][i] = (uint32_t)(i % SYSTEMS);
    }
    c.systems = systems[0];
    q.systems = systems[1];
    for (int given = 0; given < 2; ++given)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
            asked a = given ? asked_around(&c, &q, 0.3f, K) : asked_of(&c, 0.3f, K);
            a.grid.num_systems = SYSTEMS;
            a.search.batch = 1;
            a.part = parts[k];
            nearest_rows wanted = wanted_of(&a), got = search(&a);
            rows_equal("parts", &a, &got, &wanted);
            nearest_rows_free(&wanted);
            nearest_rows_free(&got);
        }
    /* Of a failed build, too. */
    c.xyz[31] = NAN;
    asked a = asked_of(&c, 0.3f, K);
    a.grid.num_systems = SYSTEMS;
    a.search.batch = 1;
    a.part = 7;
    nearest_rows r = search(&a);
    for (size_t at = 0; at < r.n * r.k; ++at)
        assert_true(r.indices[at] == UINT32_MAX && isinf(r.distances2[at]));
    nearest_rows_free(&r);
    cloud_free(&c);
    cloud_free(&q);
}

/* ---- hard clouds ------------------------------------------------------------------------------
 */

static cloud cloud_at(size_t n, float x, float y, float z)
{
    cloud c = cloud_make(n, 3);
    for (size_t i = 0; i < n; ++i)
        cloud_set(&c, i, x, y, z);
    return c;
}

/* Two balls of points, far apart beside their size. */
static cloud cloud_clusters(size_t n, float apart)
{
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 77);
    for (size_t i = 0; i < n; i += 9)
        c.xyz[3 * i + i % 3] += apart;
    return c;
}

/* Squares of distances that have no digits left. */
static cloud cloud_tiny(size_t n, float scale)
{
    cloud c = cloud_uniform(n, -1.0f, 2.0f, 78);
    for (size_t i = 0; i < 3 * n; ++i)
        c.xyz[i] *= scale;
    return c;
}

static void hard_clouds(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 60 : 300;
    clouds c = {.count = 0};
    clouds_add(&c, cloud_at(n, 0.5f, -3.0f, 1e5f), 1.0f);
    clouds_add(&c, cloud_uniform(n, 0.0f, 1.0f, 13), 1e30f);
    clouds_add(&c, cloud_block_and_stray(n, 1e9f), 1.0f);
    clouds_add(&c, cloud_block_and_stray(n, 3e38f), 1.0f);
    clouds_add(&c, cloud_clusters(n, 1000.0f), 0.1f);
    clouds_add(&c, cloud_clusters(n, 1e30f), 0.1f);
    clouds_add(&c, cloud_line(n, 0, 1e4f), 1.0f);
    clouds_add(&c, cloud_line(n, 1, 1e8f), 1.0f);
    clouds_add(&c, cloud_line(n, 3, 1e30f), 1e-3f);
    clouds_add(&c, cloud_tiny(n, 1e-18f), 1e-18f);
    clouds_add(&c, cloud_tiny(n, 3e-22f), 1e-22f);
    clouds_add(&c, cloud_tiny(n, 3e-23f), 1e-23f);
    clouds_add(&c, cloud_tiny(n, 1.5e38f), 1e37f);
    check_clouds("a hard cloud", &c, 8);
    clouds_free(&c);
}

/* Fewer points than neighbours are asked for, down to none. */
static void few_points(void **state)
{
    (void)state;
    static const size_t ns[] = {0, 1, 2, 3, 8, 9, 10};
    clouds c = {.count = 0};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; ++i)
        clouds_add(&c, cloud_uniform(ns[i], -5.0f, 10.0f, 14), 0.5f);
    clouds_add(&c, cloud_at(5, 1.0f, 1.0f, 1.0f), 0.5f);
    check_clouds("few points", &c, 8);
    clouds_free(&c);
}

static void fewer_dimensions(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 100 : 400;
    for (size_t dimensions = 1; dimensions < 3; ++dimensions) {
        cloud c = cloud_uniform(n, -1.0f, 2.0f, 15), queries = cloud_uniform(50, -2.0f, 4.0f, 16);
        c.dimensions = dimensions; /* what else there is of a point is not read */
        check_only("fewer dimensions", asked_of(&c, dimensions == 1 ? 0.01f : 0.1f, 8));
        check_only("queries in fewer", asked_around(&c, &queries, 0.1f, 8));
        cloud_free(&c);
        cloud_free(&queries);
    }
    /* Apart from each other, among other numbers. */
    cloud wide = cloud_make(n, 7);
    xlt_random random = {17};
    for (size_t i = 0; i < n; ++i)
        cloud_set(&wide, i, xlt_unit(&random), xlt_unit(&random), xlt_unit(&random));
    check_only("a stride", asked_of(&wide, 0.1f, 8));
    cloud_free(&wide);
}

/* ---- what a descriptor says -------------------------------------------------------------------
 */

static void queries_of_their_own(void **state)
{
    (void)state;
    const size_t n = xlt_on_oclgrind() ? 60 : xlt_small() ? 150 : 500;
    cloud points = cloud_uniform(n, 0.0f, 1.0f, 21), none = cloud_make(0, 3);
    cloud queries = cloud_make(n / 3, 5);
    xlt_random random = {22};
    for (size_t i = 0; i < queries.n; ++i) /* some are points of the index; some outside */
        if (i % 4 == 0)
            cloud_set(&queries, i, points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]);
        else
            cloud_set(&queries, i, 3 * xlt_unit(&random) - 1, 3 * xlt_unit(&random) - 1,
                      3 * xlt_unit(&random) - 1);
    cloud_set(&queries, 1, NAN, 0, 0);
    cloud_set(&queries, 2, 0, INFINITY, 0);
    cloud_set(&queries, 3, 0, 0, -INFINITY);
    cloud_set(&queries, 5, 3e38f, -3e38f, 1e30f);
    cloud_set(&queries, 6, 1e9f, 0.5f, 0.5f);
    cloud_set(&queries, 7, 0.5f, -1e9f, 7.0f);
    nearest_rows r = check("queries", asked_around(&points, &queries, 0.1f, 8));
    assert_true(r.indices[8] == UINT32_MAX && isinf(r.distances2[8]));
    assert_true(r.indices[0] == 0 && r.distances2[0] == 0);
    nearest_rows_free(&r);
    check_only("no queries", asked_around(&points, &none, 0.1f, 8));
    check_only("no points", asked_around(&none, &queries, 0.1f, 8));
    cloud_free(&points);
    cloud_free(&queries);
    cloud_free(&none);
}

static void self_and_radius(void **state)
{
    (void)state;
    const size_t n = xlt_on_oclgrind() ? 60 : xlt_small() ? 150 : 500;
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 23);
    for (size_t i = 1; i < n; i += 10) /* at the places of others */
        memcpy(c.xyz + 3 * i, c.xyz + 3 * (i - 1), 3 * sizeof *c.xyz);
    asked a = asked_of(&c, 0.1f, 8);
    a.search.include_self = 1;
    check_only("itself", a);
    a.search.include_self = 0;
    a.no_distances = true;
    check_only("indices alone", a);
    a.no_distances = false;
    a.search.max_radius = 0.15f;
    check_only("a radius", a);
    a.search.max_radius = 1e-4f;
    check_only("a small radius", a);
    cloud_free(&c);
    /* What is as far as the radius is no neighbour. */
    cloud lattice = cloud_lattice(5, 1.0f, 0.0f, 1);
    a = asked_of(&lattice, 0.8f, 8);
    a.search.max_radius = 1.0f;
    nearest_rows r = check("a radius of 1", a);
    for (size_t at = 0; at < r.n * r.k; ++at)
        assert_true(r.indices[at] == UINT32_MAX);
    nearest_rows_free(&r);
    cloud_free(&lattice);
}

/* ---- space that repeats -----------------------------------------------------------------------
 */

static asked in_box(const cloud *c, const float *lower, const float *upper, uint32_t periodic,
                    float cell, uint32_t k)
{
    asked a = asked_of(c, cell, k);
    a.grid.bounded = 1;
    a.grid.periodic = periodic;
    a.search.periodic = periodic != 0;
    for (int axis = 0; axis < 3; ++axis) {
        a.grid.lower[axis] = lower[axis];
        a.grid.upper[axis] = upper[axis];
    }
    return a;
}

/* Points anywhere in the box, some on its faces, which are one. */
static cloud cloud_in_box(size_t n, const float *lower, const float *upper, uint64_t seed)
{
    cloud c = cloud_make(n, 3);
    xlt_random random = {seed};
    for (size_t i = 0; i < 3 * n; ++i) {
        const size_t a = i % 3;
        const uint32_t place = xlt_below(&random, 12);
        const float x = lower[a] + xlt_unit(&random) * (upper[a] - lower[a]);
        c.xyz[i] = place == 0 ? lower[a] : place == 1 ? upper[a] : fminf(x, upper[a]);
    }
    return c;
}

static void space_that_repeats(void **state)
{
    (void)state;
    static const float lower[][3] = {{0, 0, 0}, {-0.7f, 1.3f, 100}, {1e5f, -1e4f, 3}};
    static const float length[][3] = {{1, 1, 1}, {0.9f, 1.7f, 1.1f}, {1, 2, 0.75f}};
    for (uint32_t axes = 1; axes < 8; axes += xlt_small() ? 3 : 1)
        for (size_t box = 0; box < 3; ++box) {
            float upper[3];
            for (int a = 0; a < 3; ++a)
                upper[a] = lower[box][a] + length[box][a];
            cloud c = cloud_in_box(xlt_small() ? 40 : 120, lower[box], upper, 30 + axes);
            cloud queries = cloud_in_box(20, lower[box], upper, 40 + axes);
            check_only("a box that repeats", in_box(&c, lower[box], upper, axes, 0.2f, 8));
            if (!xlt_few_programs() || axes == 7) {
                asked a = in_box(&c, lower[box], upper, axes, 0.2f, 8);
                a.queries = &queries;
                a.search.queries = XL_QUERIES_GIVEN;
                check_only("queries in a box", a);
            }
            cloud_free(&c);
            cloud_free(&queries);
        }
}

/* Of few points, their images: of one, the shells of a lattice. */
static void images_of_few_points(void **state)
{
    (void)state;
    static const float lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
    cloud c = cloud_in_box(3, lower, upper, 51), one = cloud_at(1, 0.25f, 0.5f, 0.125f);
    check_only("three points", in_box(&c, lower, upper, 7, 0.4f, 8));
    nearest_rows r = check("one point", in_box(&one, lower, upper, 7, 0.4f, 8));
    for (size_t j = 0; j < 8; ++j) {
        assert_int_equal(r.indices[j], 0);
        assert_true(r.distances2[j] == (j < 6 ? 1.0f : 2.0f));
    }
    nearest_rows_free(&r);
    cloud_free(&c);
    cloud_free(&one);
}

/* One point has as many neighbours as it has images: two at each whole number. */
static void images_without_end(void **state)
{
    (void)state;
    static const float lower[3] = {0, 0, 0}, upper[3] = {1, 20, 20};
    cloud one = cloud_at(1, 0.25f, 0.5f, 0.125f);
    for (uint32_t k = 13; k < 18; ++k) {
        asked a = in_box(&one, lower, upper, 7, 0.4f, k);
        nearest_rows r = search(&a);
        for (size_t j = 0; j < k; ++j) {
            const float far = (float)(j / 2 + 1);
            assert_true((ends_long_loops() && r.indices[j] == UINT32_MAX - 1) ||
                        (r.indices[j] == 0 && r.distances2[j] == far * far));
        }
        nearest_rows_free(&r);
    }
    cloud_free(&one);
}

/* ---- indices that failed ----------------------------------------------------------------------
 */

static void points_that_are_not_finite(void **state)
{
    (void)state;
    cloud c = cloud_uniform(50, 0.0f, 1.0f, 61);
    c.xyz[31] = NAN;
    for (way how = AS_IS; how < WAYS; ++how) {
        asked a = asked_of(&c, 0.2f, 8);
        a.how = how;
        nearest_rows r = search(&a);
        for (size_t at = 0; at < r.n * r.k; ++at)
            assert_true(r.indices[at] == UINT32_MAX && isinf(r.distances2[at]));
        nearest_rows_free(&r);
    }
    cloud_free(&c);
}

/* Where loops end: what is too much is told, and all else is right. */
static void too_many_points(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 9000 : 12000;
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 71), queries = cloud_uniform(5, 0.0f, 1.0f, 72);
    asked a = asked_around(&c, &queries, 10.0f, 8);
    if (xlt_on_oclgrind())
        skip();
    a.how = TABLE;
    nearest_rows r = search(&a), wanted = wanted_of(&a);
    for (size_t at = 0; at < r.n * r.k; ++at) {
        const bool given_up = r.indices[at] == UINT32_MAX - 1 && isnan(r.distances2[at]);
        assert_true(given_up || (r.indices[at] == wanted.indices[at] &&
                                 r.distances2[at] == wanted.distances2[at]));
        assert_true(!given_up || r.indices[at / r.k * r.k] == UINT32_MAX - 1);
    }
    nearest_rows_free(&r);
    nearest_rows_free(&wanted);
    cloud_free(&c);
    cloud_free(&queries);
}

static int end(void **state)
{
    xl_knn_destroy(kept);
    return xlt_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_k),
        cmocka_unit_test(any_cell_size),
        cmocka_unit_test(ties),
        cmocka_unit_test(batches),
        cmocka_unit_test(parts_of_rows),
        cmocka_unit_test(hard_clouds),
        cmocka_unit_test(few_points),
        cmocka_unit_test(fewer_dimensions),
        cmocka_unit_test(queries_of_their_own),
        cmocka_unit_test(self_and_radius),
        cmocka_unit_test(space_that_repeats),
        cmocka_unit_test(images_of_few_points),
        cmocka_unit_test(images_without_end),
        cmocka_unit_test(points_that_are_not_finite),
        cmocka_unit_test(too_many_points),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}

/* SPDX-License-Identifier: MIT
 * Searches of points of double precision, and given queries that have an array for each axis: every
 * way of a search against every pair and every image of it. */
#include "neighbors_support.h"
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- clouds ---------------------------------------------------------------------------------- */

typedef struct places {
    double *xyz; /* n * stride; what lies between points is NaN */
    size_t n, stride;
} places;

static places places_make(size_t n, size_t stride)
{
    places p = {.n = n, .stride = stride, .xyz = malloc((n * stride + 1) * sizeof(double))};
    assert_non_null(p.xyz);
    for (size_t i = 0; i < n * stride; ++i)
        p.xyz[i] = NAN;
    return p;
}

static double unit(xlt_random *random)
{
    return (double)xlt_unit(random) + 0x1p-24 * (double)xlt_unit(random);
}

/* Uniform in a cube with the corner `low` and the given edge. */
static places places_uniform(size_t n, size_t stride, double low, double edge, uint64_t seed)
{
    xlt_random random = {seed};
    places p = places_make(n, stride);
    for (size_t i = 0; i < n; ++i)
        for (size_t a = 0; a < 3; ++a)
            p.xyz[i * stride + a] = low + edge * unit(&random);
    return p;
}

static places places_lattice(size_t side, double low, double spacing)
{
    places p = places_make(side * side * side, 3);
    for (size_t i = 0; i < p.n; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (size_t a = 0; a < 3; ++a)
            p.xyz[3 * i + a] = low + (double)at[a] * spacing;
    }
    return p;
}

static void places_set(places *p, size_t i, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    memcpy(p->xyz + i * p->stride, at, sizeof at);
}

/* ---- a search of any kind ------------------------------------------------------------------- */

typedef struct wide_case {
    const places *points, *queries; /* queries: NULL, those of the index */
    const double *radii;            /* or NULL */
    bool soa;                       /* all of them have an array for each axis */
    xl_grid_desc grid;
    xl_neighbors_desc search;
    tuned how;
} wide_case;

static const char visit_text[] = "double visit(double sum, double d2, uint i, uint j, double4 p)\n"
                                 "{ return sum + (d2 * p.y + p.x) * (i == j ? 1.0 : p.z); }\n";

static wide_case case_of(const places *p, double radius)
{
    wide_case a = {.points = p};
    xl_grid_desc_init(&a.grid);
    xl_neighbors_desc_init(&a.search);
    a.grid.scalar = a.search.scalar = XL_F64;
    a.grid.stride = (uint32_t)p->stride;
    a.grid.cell_size = (float)radius;
    a.search.radius_f64 = radius;
    return a;
}

static void give_box(wide_case *a, double low, double high, uint32_t periodic)
{
    a->grid.bounded = 1;
    a->grid.periodic = periodic;
    for (uint32_t k = 0; k < a->grid.dimensions; ++k) {
        a->grid.lower_f64[k] = low;
        a->grid.upper_f64[k] = high;
    }
}

static ref_search_f64 reference_of(const wide_case *a)
{
    ref_search_f64 r = {REF_SEARCH_SHARED(a), .radius = a->search.radius_f64};
    for (int k = 0; k < 3; ++k)
        r.period[k] = a->grid.periodic & 1u << k ? a->grid.upper_f64[k] - a->grid.lower_f64[k] : 0;
    return r;
}

/* Places on the device: an array, or one for each axis, of which none begins where its buffer does.
 */
typedef struct given {
    xlt_buffer axis[3];
    xl_view view[3];
} given;

static given given_make(const places *p, size_t dimensions, bool soa)
{
    given g = {.view = {{0}, {0}, {0}}};
    double *axis = malloc((p->n + 1) * sizeof *axis);
    assert_non_null(axis);
    for (size_t a = 0; a < (soa ? dimensions : 1); ++a) {
        for (size_t i = 0; i < p->n; ++i)
            axis[i] = p->xyz[i * p->stride + a];
        const size_t scalars = p->n > 0 ? (p->n - 1) * p->stride + dimensions : 0;
        g.axis[a] = soa ? xlt_buffer_make(axis, p->n, sizeof *axis, 3 + a)
                        : xlt_buffer_make(p->xyz, scalars, sizeof *axis, 3);
        g.view[a] = xlt_view(&g.axis[a]);
    }
    free(axis);
    return g;
}

static void given_free(given *g)
{
    for (int a = 0; a < 3; ++a)
        if (g->axis[a].mem) {
            xlt_check_guards(&g->axis[a], "what is only read");
            xlt_buffer_free(&g->axis[a]);
        }
}

typedef struct call {
    xl_grid *grid;
    xl_grid_index *index;
    xl_neighbors *plan;
    given points, queries;
    xlt_buffer storage, radii;
    size_t n, num_queries, dimensions;
} call;

static void build(call *c, const wide_case *a)
{
    XLT_OK(xl_grid_build_enqueue(c->grid, c->index, xlt_queue(),
                                 &(xl_grid_build_args){.n = a->points->n,
                                                       .points = c->points.view[0],
                                                       .points_y = c->points.view[1],
                                                       .points_z = c->points.view[2],
                                                       .storage = xlt_view(&c->storage)},
                                 0, NULL, NULL));
}

static call call_make(const wide_case *a)
{
    call c = {.n = a->queries ? a->queries->n : a->points->n, .dimensions = a->grid.dimensions};
    xl_grid_desc grid = a->grid;
    xl_neighbors_desc search = a->search;
    size_t bytes, alignment;
    tune_as(a->how, &grid, &search);
    grid.layout = search.query_layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    search.visit = visit_text;
    search.details = 1;
    search.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    search.query_stride = a->queries ? (uint32_t)a->queries->stride : 3;
    search.dimensions = grid.dimensions;
    search.radii = a->radii != NULL;
    search.periodic = grid.periodic != 0;
    XLT_OK(xl_grid_create(xlt_context(), &grid, &c.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &c.index));
    XLT_OK(xl_grid_scratch(c.grid, a->points->n, &bytes, &alignment));
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &c.plan));
    c.storage = xlt_scratch_make(bytes, alignment);
    c.points = given_make(a->points, c.dimensions, a->soa);
    build(&c, a);
    if (a->queries) {
        c.queries = given_make(a->queries, c.dimensions, a->soa);
        c.num_queries = c.n;
    }
    if (a->radii)
        c.radii = xlt_buffer_make(a->radii, c.n, sizeof *a->radii, 2);
    return c;
}

static void call_free(call *c)
{
    xlt_check_guards(&c->storage, "storage");
    given_free(&c->points);
    given_free(&c->queries);
    if (c->radii.mem)
        xlt_buffer_free(&c->radii);
    xl_neighbors_destroy(c->plan);
    xl_grid_index_destroy(c->index);
    xl_grid_destroy(c->grid);
    xlt_buffer_free(&c->storage);
}

/* Whose neighbours are searched, in any call's arguments. */
#define QUERIES(c)                                                                                 \
    .num_queries = (c)->num_queries, .queries = (c)->queries.view[0],                              \
    .queries_y = (c)->queries.view[1], .queries_z = (c)->queries.view[2],                          \
    .radii = xlt_view(&(c)->radii)

/* ---- what comes out -------------------------------------------------------------------------- */

static void counts_are(const char *what, const call *c, const uint64_t *wanted)
{
    uint32_t *counts = calloc(c->n + 1, sizeof *counts);
    uint64_t *offsets = calloc(c->n + 1, sizeof *offsets);
    assert_true(counts && offsets);
    xlt_buffer narrow = xlt_buffer_make(NULL, c->n, 4, 1);
    xlt_buffer wide = xlt_buffer_make(NULL, c->n + 1, 8, 1);
    XLT_OK(xl_neighbors_count_enqueue(c->plan, c->index, xlt_queue(),
                                      &(xl_neighbors_count_args){.counts = xlt_view(&narrow),
                                                                 .offsets = xlt_view(&wide),
                                                                 QUERIES(c)},
                                      0, NULL, NULL));
    xlt_read(&narrow, counts);
    xlt_read(&wide, offsets);
    for (size_t i = 0; i <= c->n; ++i)
        if (offsets[i] != wanted[i] || (i < c->n && counts[i] != wanted[i + 1] - wanted[i]))
            XLT_FAIL("%s: offsets[%zu] is %llu, not %llu; counts[%zu] is %u", what, i,
                     (unsigned long long)offsets[i], (unsigned long long)wanted[i], i, counts[i]);
    xlt_check_guards(&narrow, "counts");
    xlt_check_guards(&wide, "offsets");
    xlt_buffer_free(&narrow);
    xlt_buffer_free(&wide);
    free(counts);
    free(offsets);
}

/* The arrays of a fill: indices, distances2, vectors, shifts. */
typedef struct rows {
    xlt_buffer out[4];
    void *host[4];
} rows;

static rows rows_make(size_t pairs, size_t d)
{
    const size_t bytes[] = {4, 8, 8, 4}, numbers[] = {pairs, pairs, pairs * d, pairs * d};
    rows r;
    for (size_t k = 0; k < 4; ++k) {
        r.out[k] = xlt_buffer_make(NULL, numbers[k], bytes[k], 1 + k);
        r.host[k] = calloc(numbers[k] + 1, bytes[k]);
        assert_non_null(r.host[k]);
    }
    return r;
}

static void rows_read(rows *r)
{
    for (size_t k = 0; k < 4; ++k) {
        xlt_read(&r->out[k], r->host[k]);
        xlt_check_guards(&r->out[k], "an output");
    }
}

static void rows_free(rows *r)
{
    for (size_t k = 0; k < 4; ++k) {
        xlt_buffer_free(&r->out[k]);
        free(r->host[k]);
    }
}

static pair pair_at(const rows *r, size_t k, size_t d)
{
    pair p = {.index = ((const uint32_t *)r->host[0])[k],
              .distance2 = ((const double *)r->host[1])[k]};
    for (size_t a = 0; a < d; ++a) {
        p.vector[a] = ((const double *)r->host[2])[k * d + a];
        p.shift[a] = ((const int32_t *)r->host[3])[k * d + a];
    }
    return p;
}

static pair pair_wanted(const uint32_t *indices, const ref_pairs_f64 *all, size_t k, size_t d)
{
    pair p = {.index = indices[k], .distance2 = all->distances2[k]};
    for (size_t a = 0; a < d; ++a) {
        p.vector[a] = all->vectors[3 * k + a];
        p.shift[a] = all->shifts[3 * k + a];
    }
    return p;
}

/* Row i from place `at` on; in any order, unless rows are sorted. */
static void row_is(const char *what, const rows *r, size_t at, size_t i, size_t d, bool sorted,
                   const uint64_t *offsets, const uint32_t *indices, const ref_pairs_f64 *all)
{
    const size_t begin = (size_t)offsets[i], n = (size_t)offsets[i + 1] - begin;
    pair *got = calloc(n + 1, sizeof *got), *wanted = calloc(n + 1, sizeof *wanted);
    assert_true(got && wanted);
    for (size_t k = 0; k < n; ++k) {
        got[k] = pair_at(r, at + k, d);
        wanted[k] = pair_wanted(indices, all, begin + k, d);
    }
    row_equal(what, i, got, wanted, n, sorted);
    free(got);
    free(wanted);
}

static void rows_are(const char *what, const wide_case *a, const call *c, const uint64_t *offsets,
                     const uint32_t *indices, const ref_pairs_f64 *all)
{
    const bool room = a->search.row_capacity > 0;
    const size_t pairs = room ? c->n * a->search.row_capacity : (size_t)offsets[c->n];
    rows r = rows_make(pairs, c->dimensions);
    xlt_buffer bounds =
        room ? xlt_buffer_make(NULL, c->n, 4, 1) : xlt_buffer_make(offsets, c->n + 1, 8, 1);
    const xl_neighbors_fill_args args = {.capacity = room ? 0 : pairs,
                                         .offsets = room ? xl_no_view() : xlt_view(&bounds),
                                         .counts = room ? xlt_view(&bounds) : xl_no_view(),
                                         .indices = xlt_view(&r.out[0]),
                                         .distances2 = xlt_view(&r.out[1]),
                                         .vectors = xlt_view(&r.out[2]),
                                         .shifts = xlt_view(&r.out[3]),
                                         QUERIES(c)};
    const xl_neighbors_status_args status = {
        .capacity = args.capacity, .offsets = args.offsets, .counts = args.counts, QUERIES(c)};
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->index, xlt_queue(), &args, 0, NULL, NULL));
    XLT_OK(xl_neighbors_status(c->plan, c->index, xlt_queue(), &status, NULL, 0, NULL));
    rows_read(&r);
    for (size_t i = 0; i < c->n; ++i)
        row_is(what, &r, room ? i * a->search.row_capacity : (size_t)offsets[i], i, c->dimensions,
               a->search.sorted != 0, offsets, indices, all);
    xlt_buffer_free(&bounds);
    rows_free(&r);
}

/* Sums of 3 + d2 / 2, which are rounded in the order of the walk. */
static void sums_are(const char *what, const call *c, const uint64_t *offsets,
                     const ref_pairs_f64 *all)
{
    double *sums = calloc(c->n + 1, sizeof *sums);
    assert_non_null(sums);
    xlt_buffer out = xlt_buffer_make(NULL, c->n, sizeof *sums, 2);
    XLT_OK(xl_neighbors_visit_enqueue(
        c->plan, c->index, xlt_queue(),
        &(xl_neighbors_visit_args){
            .start_f64 = 0.125, .params_f64 = {3, 0.5, 1, 0}, .out = xlt_view(&out), QUERIES(c)},
        0, NULL, NULL));
    xlt_read(&out, sums);
    for (size_t i = 0; i < c->n; ++i) {
        double wanted = 0.125;
        for (size_t k = (size_t)offsets[i]; k < offsets[i + 1]; ++k)
            wanted += all->distances2[k] * 0.5 + 3;
        if (fabs(sums[i] - wanted) > 1e-12 * wanted)
            XLT_FAIL("%s: the sum of query %zu is %.17g, not %.17g", what, i, sums[i], wanted);
    }
    xlt_check_guards(&out, "out");
    xlt_buffer_free(&out);
    free(sums);
}

/* Counts, rows with all there is of them, and sums. Returns the number of pairs. */
static uint64_t check(const char *what, const wide_case *a)
{
    const ref_search_f64 search = reference_of(a);
    uint64_t *offsets = calloc(ref_queries_f64(&search) + 1, sizeof *offsets);
    ref_pairs_f64 all = {0};
    assert_non_null(offsets);
    uint32_t *indices = ref_neighbors_pairs_f64(&search, offsets, &all);
    assert_non_null(indices);
    call c = call_make(a);
    XLT_OK(xl_grid_index_status(c.index, xlt_queue(), NULL, 0, NULL));
    counts_are(what, &c, offsets);
    rows_are(what, a, &c, offsets, indices, &all);
    sums_are(what, &c, offsets, &all);
    const uint64_t pairs = offsets[c.n];
    call_free(&c);
    free(offsets);
    free(indices);
    ref_pairs_free_f64(&all);
    return pairs;
}

/* In every way that a search is done; of few programs, in one after the other. */
static uint64_t check_ways(const char *what, wide_case a)
{
    static unsigned turn;
    uint64_t pairs = 0;
    ++turn;
    for (a.how = TUNED_AS_IS; a.how < TUNED_WAYS; ++a.how)
        if (tuned_turn(a.how, turn))
            pairs = check(what, &a);
    return pairs;
}

static size_t sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 10 : xlt_small() ? n / 4 : n;
}

static bool device_has_none(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return !info.has_fp64;
}

#define NEEDS_DOUBLES()                                                                            \
    if (device_has_none()) {                                                                       \
        skip();                                                                                    \
        return;                                                                                    \
    }

/* ---- points anywhere ------------------------------------------------------------------------- */

static void open_space(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double radii[] = {0, 0.02, 0.1, 0.25};
    for (uint32_t dimensions = 1; dimensions <= 3; ++dimensions) {
        places p = places_uniform(sized(600), 5, -0.3, 1.0, 3 + dimensions);
        wide_case a = case_of(&p, radii[dimensions]);
        a.grid.dimensions = dimensions;
        a.search.half = dimensions == 1;
        a.search.sorted = dimensions != 2;
        a.soa = dimensions == 2;
        assert_true(check_ways("open space", a) > p.n / 4);
        free(p.xyz);
    }
}

/* 0.1 is neither a float nor a double: which of the spacings are below it is known in double
 * precision alone. */
static void lattices_with_ties(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t side = xlt_small() ? 6 : 9;
    places p = places_lattice(side, 0.0, 0.1);
    wide_case a = case_of(&p, 0.1);
    const uint64_t as_near = check("nearer than the spacing", &a);
    a.search.inclusive = 1;
    const uint64_t as_far = check("as far as the spacing", &a);
    if (!(as_near > 0 && as_near < as_far && as_far < 6 * p.n))
        XLT_FAIL("%llu and %llu pairs of %zu points", (unsigned long long)as_near,
                 (unsigned long long)as_far, p.n);
    free(p.xyz);
}

/* In a box there a thousandth is as much as anywhere; floats are 64 apart. */
static void far_from_the_origin(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_lattice(xlt_small() ? 6 : 9, 1e9, 1e-3);
    wide_case a = case_of(&p, 1.8e-3);
    give_box(&a, 1e9 - 0.01, 1e9 + 0.01, 0);
    const uint64_t pairs = check_ways("far off", a);
    assert_true(pairs > 10 * p.n && pairs < 27 * p.n);
    a.grid.bounded = 0; /* that is right as well, if slow */
    memset(a.grid.lower_f64, 0, sizeof a.grid.lower_f64);
    memset(a.grid.upper_f64, 0, sizeof a.grid.upper_f64);
    assert_int_equal(check("far off without a box", &a), pairs);
    free(p.xyz);
}

/* Beyond the floats, and where these are subnormal: a double is finite, and others are near it. */
static void beyond_the_floats(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t n = xlt_small() ? 60 : 200;
    places p = places_uniform(n, 3, 0.0, 1.0, 5);
    for (size_t i = 0; i < n; ++i) {
        static const double scales[] = {1, 1e40, -1e40, 1e120, 1e-42};
        const double scale = scales[i % 5];
        places_set(&p, i, i % 2 ? scale : p.xyz[3 * i], i % 3 ? p.xyz[3 * i + 1] : scale,
                   p.xyz[3 * i + 2]);
    }
    places_set(&p, n - 1, DBL_MAX, -DBL_MAX, 0.5);
    wide_case a = case_of(&p, 0.5);
    assert_true(check("beyond the floats", &a) > n / 4);
    a.search.radius_f64 = 1e39;
    a.grid.cell_size = 1e38f;
    assert_true(check("radii beyond them", &a) > n);
    give_box(&a, -DBL_MAX / 4, DBL_MAX / 4, 0);
    places_set(&p, n - 1, DBL_MAX / 4, -DBL_MAX / 4, 0.5);
    assert_true(check("a box of nearly all", &a) > n);
    free(p.xyz);
}

static void a_stray_point(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(sized(500), 4, 0.0, 5.0, 23);
    places_set(&p, p.n / 2, 1e30, -1e200, 3);
    wide_case a = case_of(&p, 1.0);
    a.soa = true;
    assert_true(check_ways("a stray point", a) > p.n / 4);
    free(p.xyz);
}

/* ---- given queries, radii, rows with room ---------------------------------------------------- */

static void queries_of_their_own(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t n = sized(800);
    places p = places_uniform(n, 3, 100.0, 1.0, 31), q = places_uniform(n / 2, 4, 99.8, 1.4, 7);
    double *radii = malloc(n * sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {43};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.3 * unit(&random);
    const double odd[] = {0, -0.1, NAN, INFINITY, 1e-200, -INFINITY, 7, 0.25};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i)
        radii[i] = odd[i];
    for (size_t i = 10; i < q.n; i += 7) /* places of points, at a distance of 0 */
        places_set(&q, i, p.xyz[3 * i], p.xyz[3 * i + 1], p.xyz[3 * i + 2]);
    for (unsigned form = 0; form < 3; ++form) {
        wide_case a = case_of(&p, 0.2);
        a.queries = form < 2 ? &q : NULL;
        a.radii = form > 0 ? radii : NULL;
        a.soa = form == 1;
        a.search.inclusive = form == 1;
        assert_true(check_ways("queries and radii", a) > 0);
    }
    free(radii);
    free(p.xyz);
    free(q.xyz);
}

/* The longest row has just the room, or one place too little, which the status says. */
static void rows_with_room(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_lattice(5, 0.0, 0.25);
    wide_case a = case_of(&p, 0.26);
    a.search.row_capacity = 6;
    assert_true(check_ways("rows with room", a) > 3 * p.n);
    a.search.row_capacity = 5;
    call c = call_make(&a);
    rows r = rows_make(5 * c.n, 3);
    xlt_buffer counts = xlt_buffer_make(NULL, c.n, 4, 0);
    XLT_OK(xl_neighbors_fill_enqueue(
        c.plan, c.index, xlt_queue(),
        &(xl_neighbors_fill_args){.counts = xlt_view(&counts), .indices = xlt_view(&r.out[0])}, 0,
        NULL, NULL));
    xl_neighbors_report report;
    XLT_FAILS(xl_neighbors_status(c.plan, c.index, xlt_queue(),
                                  &(xl_neighbors_status_args){.counts = xlt_view(&counts)}, &report,
                                  0, NULL),
              XL_ERROR_CAPACITY);
    assert_int_equal(report.longest_row, 6);
    xlt_buffer_free(&counts);
    rows_free(&r);
    call_free(&c);
    free(p.xyz);
}

/* ---- space that repeats ---------------------------------------------------------------------- */

static void space_that_repeats(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double corners[] = {0, -0.7, 1e6};
    const size_t n = sized(240);
    for (unsigned form = 0; form < 3; ++form) {
        const double low = corners[form], high = low + 1.1;
        places p = places_uniform(n, 3, low, 1.1, 50 + form), q = places_make(n / 2, 3);
        xlt_random random = {9};
        for (size_t i = 0; i < p.n * 3; ++i)
            p.xyz[i] = i % 11 == 0 ? low : i % 13 == 0 ? high : fmin(p.xyz[i], high);
        for (size_t i = 0; i < q.n; ++i) /* of other periods as well */
            places_set(&q, i, low + 4000 * unit(&random), low - 3 * unit(&random), low);
        wide_case a = case_of(&p, 0.3);
        a.search.half = form == 1;
        a.search.inclusive = form == 2;
        give_box(&a, low, high, form == 0 ? 7 : form == 1 ? 5 : 3);
        assert_true(check_ways("a box that repeats", a) > n / 2);
        a.search.half = 0;
        a.queries = &q;
        if (form < 2)
            assert_true(check("queries of other periods", &a) > 0);
        free(p.xyz);
        free(q.xyz);
    }
}

/* The shells of a lattice whose spacing is a tenth: the box is rounded, too. */
static void lattices_that_repeat(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_lattice(4, 0.0, 0.1);
    wide_case a = case_of(&p, 0.1000001);
    give_box(&a, 0.0, 0.4, 7);
    assert_int_equal(check("a lattice", &a), 6 * p.n);
    a.search.radius_f64 = 0.1;
    const uint64_t some = check("ties", &a);
    assert_true(some > 0 && some < 6 * p.n);
    free(p.xyz);
}

/* ---- the nearest ------------------------------------------------------------------------------
 */

static ref_knn_search_f64 nearest_wanted(const wide_case *a, const xl_knn_desc *desc)
{
    const ref_search_f64 r = reference_of(a);
    ref_knn_search_f64 s = {.points = r.points,
                            .n = r.n,
                            .stride = r.stride,
                            .dimensions = r.dimensions,
                            .queries = r.queries,
                            .query_stride = r.query_stride,
                            .k = desc->k,
                            .include_self = desc->include_self || r.queries,
                            .radius2 = desc->max_radius_f64 * desc->max_radius_f64,
                            .images = 2};
    memcpy(s.period, r.period, sizeof s.period);
    return s;
}

static void rows_are_nearest(const char *what, const wide_case *a, const xl_knn_desc *desc,
                             const uint32_t *indices, const double *distances2, size_t n)
{
    const ref_knn_search_f64 search = nearest_wanted(a, desc);
    uint32_t wanted[64];
    double far[64];
    for (size_t i = 0; i < n; ++i) {
        ref_knn_f64(&search, i, wanted, far);
        for (size_t j = 0; j < desc->k; ++j) {
            const size_t at = i * desc->k + j;
            if (indices[at] != wanted[j] || distances2[at] != far[j])
                XLT_FAIL("%s: row %zu, place %zu: %u, %.17g far, not %u, %.17g", what, i, j,
                         indices[at], distances2[at], wanted[j], far[j]);
        }
    }
}

static void check_nearest(const char *what, const wide_case *a, xl_knn_desc desc)
{
    call c = call_make(a);
    xl_knn *plan;
    desc.scalar = XL_F64;
    desc.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.query_layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    desc.query_stride = a->queries ? (uint32_t)a->queries->stride : 3;
    desc.dimensions = a->grid.dimensions;
    desc.periodic = a->grid.periodic != 0;
    const size_t room = c.n * desc.k;
    uint32_t *indices = malloc((room + 1) * sizeof *indices);
    double *distances2 = malloc((room + 1) * sizeof *distances2);
    assert_true(indices && distances2);
    xlt_buffer near = xlt_buffer_make(NULL, room, 4, 1), far = xlt_buffer_make(NULL, room, 8, 2);
    XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_knn_enqueue(plan, c.index, xlt_queue(),
                          &(xl_knn_args){.num_queries = c.num_queries,
                                         .queries = c.queries.view[0],
                                         .queries_y = c.queries.view[1],
                                         .queries_z = c.queries.view[2],
                                         .indices = xlt_view(&near),
                                         .distances2 = xlt_view(&far)},
                          0, NULL, NULL));
    xlt_read(&near, indices);
    xlt_read(&far, distances2);
    xlt_check_guards(&near, "indices");
    xlt_check_guards(&far, "distances2");
    rows_are_nearest(what, a, &desc, indices, distances2, c.n);
    xl_knn_destroy(plan);
    xlt_buffer_free(&near);
    xlt_buffer_free(&far);
    free(indices);
    free(distances2);
    call_free(&c);
}

static void the_nearest(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    xl_knn_desc desc;
    xl_knn_desc_init(&desc);
    desc.k = 5;
    places p =
        places_lattice(xlt_small() ? 5 : 8, 0.0, 0.1); /* ties, and those that only seem so */
    wide_case a = case_of(&p, 0.1);
    check_nearest("of a lattice", &a, desc);
    give_box(&a, 0.0, xlt_small() ? 0.5 : 0.8, 7);
    check_nearest("of one that repeats", &a, desc);
    free(p.xyz);
    p = places_lattice(5, 1e9, 1e-3);
    a = case_of(&p, 1.8e-3);
    give_box(&a, 1e9 - 1, 1e9 + 1, 0);
    check_nearest("far off", &a, desc);
    free(p.xyz);
}

static void the_nearest_of_queries(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    xl_knn_desc desc;
    xl_knn_desc_init(&desc);
    desc.k = 12;
    places p = places_uniform(sized(400), 3, 0.0, 1.0, 14);
    places q = places_uniform(sized(200), 4, -0.5, 2.0, 15);
    for (size_t i = 0; i < p.n; i += 9)
        places_set(&p, i, i % 2 ? 1e60 : -1e39, 1e-60, p.xyz[3 * i]);
    places_set(&q, 1, 1e59, 0, 0);
    places_set(&q, 2, NAN, 0, 0);
    wide_case a = case_of(&p, 0.2);
    a.queries = &q;
    a.soa = true;
    check_nearest("of queries", &a, desc);
    desc.max_radius_f64 = 0.3;
    check_nearest("within a radius", &a, desc);
    free(p.xyz);
    free(q.xyz);
}

/* ---- kernels of one's own -------------------------------------------------------------------- */

static const char kernel_text[] =
    "#define XL_NEIGHBORS_F64 1\n"
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void sums(XL_NEIGHBORS_PARAMETERS(all), __global uint *counts,\n"
    "                   __global double *far, double own)\n"
    "{\n"
    "    const xl_neighbors all = XL_NEIGHBORS_LOAD(all);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&all))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&all, k);\n"
    "    if (own > 0)\n"
    "        xl_neighbors_set_radius(&near, &all, own);\n"
    "    uint count = 0;\n"
    "    double most = 0;\n"
    "    XL_FOR_NEIGHBORS(near, all) {\n"
    "        const double4 v = near.vector;\n"
    "        most = fmax(most, near.distance2 + fabs(v.x) + fabs(v.y) + fabs(v.z));\n"
    "        ++count;\n"
    "    }\n"
    "    counts[near.self] = near.incomplete ? UINT_MAX : count;\n"
    "    far[near.self] = most;\n"
    "}\n";

/* What the kernel makes of each row is what it would of the reference's. */
static void rows_give(const char *what, const wide_case *a, const uint32_t *counts,
                      const double *far)
{
    const ref_search_f64 search = reference_of(a);
    uint64_t *offsets = calloc(a->points->n + 1, sizeof *offsets);
    ref_pairs_f64 all = {0};
    assert_non_null(offsets);
    uint32_t *indices = ref_neighbors_pairs_f64(&search, offsets, &all);
    assert_non_null(indices);
    for (size_t i = 0; i < a->points->n; ++i) {
        double most = 0;
        for (size_t k = (size_t)offsets[i]; k < offsets[i + 1]; ++k)
            most = fmax(most, all.distances2[k] + fabs(all.vectors[3 * k]) +
                                  fabs(all.vectors[3 * k + 1]) + fabs(all.vectors[3 * k + 2]));
        if (counts[i] != offsets[i + 1] - offsets[i] || fabs(far[i] - most) > 1e-15 * most)
            XLT_FAIL("%s: point %zu has %u, up to %.17g, not %llu, %.17g", what, i, counts[i],
                     far[i], (unsigned long long)(offsets[i + 1] - offsets[i]), most);
    }
    ref_pairs_free_f64(&all);
    free(indices);
    free(offsets);
}

/* `own`: a radius that the kernel sets, or 0. */
static void kernel_finds(const char *what, const wide_case *a, cl_kernel kernel, double own)
{
    wide_case smaller = *a;
    call c = call_make(a);
    cl_uint next;
    uint32_t *counts = calloc(c.n + 1, sizeof *counts);
    double *far = calloc(c.n + 1, sizeof *far);
    assert_true(counts && far);
    const xl_neighbors_kernel_args args = {
        .kernel = kernel, .radius_f64 = a->search.radius_f64, .inclusive = a->search.inclusive};
    XLT_OK(xl_grid_index_set_kernel_args(c.index, &args, &next));
    cl_int code;
    cl_mem out[2];
    for (int k = 0; k < 2; ++k) {
        out[k] = clCreateBuffer(xl_context_cl(xlt_context()), 0, c.n * (k ? 8 : 4), NULL, &code);
        XLT_CL(code);
        XLT_CL(clSetKernelArg(kernel, next + (cl_uint)k, sizeof out[k], &out[k]));
    }
    XLT_CL(clSetKernelArg(kernel, next + 2, sizeof own, &own));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &c.n, NULL, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), out[0], CL_TRUE, 0, 4 * c.n, counts, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), out[1], CL_TRUE, 0, 8 * c.n, far, 0, NULL, NULL));
    smaller.search.radius_f64 = own > 0 ? own : a->search.radius_f64;
    rows_give(what, &smaller, counts, far);
    clReleaseMemObject(out[0]);
    clReleaseMemObject(out[1]);
    free(counts);
    free(far);
    call_free(&c);
}

static void kernels_of_ones_own(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    cl_program program;
    cl_int code;
    places p = places_lattice(5, 0.0, 0.1);
    wide_case a = case_of(&p, 0.1);
    XLT_OK(xl_program_create(xlt_context(), kernel_text, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "sums", &code);
    XLT_CL(code);
    kernel_finds("ties", &a, kernel, 0);
    a.search.inclusive = 1;
    kernel_finds("as far", &a, kernel, 0);
    a.search.radius_f64 = 0.2;
    give_box(&a, 0.0, 0.5, 7);
    kernel_finds("in space that repeats", &a, kernel, 0);
    kernel_finds("a radius of its own", &a, kernel, 0.15);
    /* What is of the other precision. */
    call c = call_make(&a);
    xl_neighbors_kernel_args args = {.kernel = kernel, .radius = 0.2f};
    XLT_FAILS(xl_grid_index_set_kernel_args(c.index, &args, NULL), XL_ERROR_INVALID_ARGUMENT);
    args = (xl_neighbors_kernel_args){.kernel = kernel, .radius_f64 = 1e200};
    XLT_FAILS(xl_grid_index_set_kernel_args(c.index, &args, NULL), XL_ERROR_INVALID_ARGUMENT);
    call_free(&c);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    free(p.xyz);
}

/* ---- what the build finds -------------------------------------------------------------------- */

static void what_is_not_a_point(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    places p = places_uniform(100, 3, 0.0, 1.0, 71);
    wide_case a = case_of(&p, 0.25);
    xl_grid_report report;
    for (unsigned k = 0; k < 6; ++k) {
        places_set(&p, 17, 0.5, k < 3 ? odd[k] : 0.5, 0.5);
        places_set(&p, 40, 0.5, 0.5, k < 3 ? odd[k] : 0.5);
        if (k == 3)
            give_box(&a, 0.0, 1.0, 0);
        if (k >= 3) /* as a float, inside */
            places_set(&p, 17, k == 5 ? 0.5 : nextafter(k == 3 ? 1 : 0, k == 3 ? 2 : -1),
                       k == 5 ? 1e300 : 0.5, 0.5);
        call c = call_make(&a);
        const xl_status status = xl_grid_index_status(c.index, xlt_queue(), &report, 0, NULL);
        assert_int_equal(status, k < 3 ? XL_ERROR_NON_FINITE : XL_ERROR_OUT_OF_DOMAIN);
        assert_int_equal(report.non_finite, k < 3 ? 2 : 0);
        assert_int_equal(report.out_of_domain, k < 3 ? 0 : 1);
        assert_int_equal(k < 3 ? report.first_non_finite : report.first_out_of_domain, 17);
        call_free(&c);
    }
    free(p.xyz);
}

static void queries_of_no_use(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(100, 3, 0.0, 1.0, 72), q = places_uniform(20, 3, 0.0, 1.0, 73);
    places none = places_make(0, 3);
    q.xyz[3] = NAN;
    q.xyz[7] = INFINITY;
    q.xyz[11] = 1e300;
    wide_case a = case_of(&p, 0.25);
    a.queries = &q;
    a.soa = true;
    call c = call_make(&a);
    xlt_buffer offsets = xlt_buffer_make(NULL, c.n + 1, 8, 0);
    xl_neighbors_report report;
    XLT_OK(xl_neighbors_count_enqueue(
        c.plan, c.index, xlt_queue(),
        &(xl_neighbors_count_args){.offsets = xlt_view(&offsets), QUERIES(&c)}, 0, NULL, NULL));
    const xl_neighbors_status_args args = {
        .capacity = UINT64_MAX, .offsets = xlt_view(&offsets), QUERIES(&c)};
    XLT_FAILS(xl_neighbors_status(c.plan, c.index, xlt_queue(), &args, &report, 0, NULL),
              XL_ERROR_NON_FINITE);
    assert_true(report.non_finite == 2 && report.first_non_finite == 1);
    xlt_buffer_free(&offsets);
    call_free(&c);
    a.queries = &none;
    assert_int_equal(check("no queries", &a), 0);
    a.points = &none;
    a.queries = NULL;
    assert_int_equal(check("no points", &a), 0);
    free(p.xyz);
    free(q.xyz);
    free(none.xyz);
}

/* The box that is found, and the one that is given, in double precision; and the order. */
static void reports_and_order(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(sized(300), 3, 1e3, 1e-3, 81);
    double low[3], high[3];
    for (size_t i = 0; i < 3 * p.n; ++i) {
        low[i % 3] = i < 3 ? p.xyz[i] : fmin(low[i % 3], p.xyz[i]);
        high[i % 3] = i < 3 ? p.xyz[i] : fmax(high[i % 3], p.xyz[i]);
    }
    for (unsigned bounded = 0; bounded < 2; ++bounded) {
        wide_case a = case_of(&p, 1e-4);
        xl_grid_report report;
        if (bounded)
            give_box(&a, 999.9, 1000.1, 0);
        call c = call_make(&a);
        XLT_OK(xl_grid_index_status(c.index, xlt_queue(), &report, 0, NULL));
        for (int k = 0; k < 3; ++k) {
            assert_true(report.lower_f64[k] == (bounded ? 999.9 : low[k]));
            assert_true(report.upper_f64[k] == (bounded ? 1000.1 : high[k]));
            assert_true(report.lower[k] == (float)report.lower_f64[k]);
        }
        xlt_buffer there = xlt_buffer_make(NULL, p.n, 24, 0);
        xlt_buffer back = xlt_buffer_make(NULL, p.n, 24, 0);
        xlt_buffer in = xlt_buffer_make(p.xyz, p.n, 24, 1);
        xl_grid_reorder_args args = {
            .element_bytes = 24, .in = xlt_view(&in), .out = xlt_view(&there)};
        XLT_OK(xl_grid_reorder_enqueue(c.grid, c.index, xlt_queue(), &args, 0, NULL, NULL));
        args = (xl_grid_reorder_args){
            .element_bytes = 24, .in = args.out, .out = xlt_view(&back), .back = 1};
        XLT_OK(xl_grid_reorder_enqueue(c.grid, c.index, xlt_queue(), &args, 0, NULL, NULL));
        double *got = malloc(24 * p.n);
        assert_non_null(got);
        xlt_read(&back, got);
        assert_memory_equal(got, p.xyz, 24 * p.n);
        free(got);
        xlt_buffer_free(&in);
        xlt_buffer_free(&there);
        xlt_buffer_free(&back);
        call_free(&c);
    }
    free(p.xyz);
}

/* A point counts as moved from the next double on. */
static void points_that_move(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    places p = places_uniform(100, 3, 1.0, 1.0, 82), now = places_make(100, 3);
    memcpy(now.xyz, p.xyz, 300 * sizeof(double));
    wide_case a = case_of(&p, 0.25);
    give_box(&a, 1.0, 2.0, 7);
    now.xyz[30] = nextafter(now.xyz[30], 3);
    now.xyz[61] += 1; /* an image of itself, if that does not round */
    now.xyz[61] = p.xyz[61] = 1.25;
    now.xyz[61] += 1;
    now.xyz[92] += 0.125;
    call c = call_make(&a);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 0);
    given places_now = given_make(&now, 3, false);
    static const struct {
        double distance;
        uint32_t moved;
    } wanted[] = {{0, 2}, {1e-15, 1}, {0.2, 0}};
    for (size_t k = 0; k < 3; ++k) {
        uint32_t got = 7;
        XLT_OK(xl_grid_moved_enqueue(c.grid, c.index, xlt_queue(),
                                     &(xl_grid_moved_args){.distance_f64 = wanted[k].distance,
                                                           .points = places_now.view[0],
                                                           .moved = xlt_view(&moved)},
                                     0, NULL, NULL));
        xlt_read(&moved, &got);
        assert_int_equal(got, wanted[k].moved);
    }
    XLT_FAILS(xl_grid_moved_enqueue(c.grid, c.index, xlt_queue(),
                                    &(xl_grid_moved_args){.distance = 1,
                                                          .points = places_now.view[0],
                                                          .moved = xlt_view(&moved)},
                                    0, NULL, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    given_free(&places_now);
    xlt_buffer_free(&moved);
    call_free(&c);
    free(p.xyz);
    free(now.xyz);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void a_device_without_them(void **state)
{
    (void)state;
    xl_grid *grid;
    xl_neighbors *plan;
    if (!device_has_none()) {
        skip();
        return;
    }
    places p = places_make(0, 3);
    const wide_case a = case_of(&p, 0.5);
    XLT_FAILS(xl_grid_create(xlt_context(), &a.grid, &grid), XL_ERROR_UNSUPPORTED);
    XLT_FAILS(xl_neighbors_create(xlt_context(), &a.search, &plan), XL_ERROR_UNSUPPORTED);
    free(p.xyz);
}

static void grids_that_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    places p = places_make(0, 3);
    wide_case a = case_of(&p, 0.5);
    xl_grid *grid;
    give_box(&a, 0.0, 1.0, 1);
    xl_grid_desc wrong = a.grid;
#define REFUSED(field, value, status)                                                              \
    wrong = a.grid;                                                                                \
    wrong.field = (value);                                                                         \
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), (status))
    REFUSED(scalar, XL_F16, XL_ERROR_UNSUPPORTED);
    REFUSED(scalar, XL_F32, bad); /* its box is that of doubles */
    REFUSED(lower[1], 1, bad);
    REFUSED(upper[2], 1, bad);
    REFUSED(upper_f64[1], NAN, bad);
    REFUSED(upper_f64[1], -1, bad);
    REFUSED(upper_f64[0], 0, bad); /* no period */
    wrong = a.grid;
    wrong.lower_f64[1] = -DBL_MAX; /* a length that is none */
    wrong.upper_f64[1] = DBL_MAX;
    XLT_FAILS(xl_grid_create(xlt_context(), &wrong, &grid), bad);
#undef REFUSED
    free(p.xyz);
}

static void nearest_that_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    places p = places_uniform(20, 3, 0.0, 1.0, 90);
    const wide_case a = case_of(&p, 0.5);
    xl_knn *plan;
    xl_knn_desc right, wrong;
    xl_knn_desc_init(&right);
    right.k = 2;
    right.scalar = XL_F64;
#define REFUSED(field, value, status)                                                              \
    wrong = right;                                                                                 \
    wrong.field = (value);                                                                         \
    XLT_FAILS(xl_knn_create(xlt_context(), &wrong, &plan), (status))
    REFUSED(scalar, XL_U32, XL_ERROR_UNSUPPORTED);
    REFUSED(max_radius, 1, bad);
    REFUSED(max_radius_f64, -1, bad);
    REFUSED(max_radius_f64, 1e160, bad);
    REFUSED(query_layout, 2, bad);
#undef REFUSED
    call c = call_make(&a);
    xlt_buffer out = xlt_buffer_make(NULL, 40, 4, 0);
    right.scalar = XL_F32; /* of an index of doubles */
    XLT_OK(xl_knn_create(xlt_context(), &right, &plan));
    XLT_FAILS(xl_knn_enqueue(plan, c.index, xlt_queue(), &(xl_knn_args){.indices = xlt_view(&out)},
                             0, NULL, NULL),
              bad);
    xl_knn_destroy(plan);
    xlt_check_unwritten(&out, "indices");
    xlt_buffer_free(&out);
    call_free(&c);
    free(p.xyz);
}

static void searches_that_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    places p = places_uniform(20, 3, 0.0, 1.0, 90);
    wide_case a = case_of(&p, 0.5);
    xl_neighbors *plan;
    xl_neighbors_desc wrong = a.search;
#define REFUSED(field, value, status)                                                              \
    wrong = a.search;                                                                              \
    wrong.field = (value);                                                                         \
    XLT_FAILS(xl_neighbors_create(xlt_context(), &wrong, &plan), (status))
    REFUSED(scalar, XL_I32, XL_ERROR_UNSUPPORTED);
    REFUSED(scalar, XL_F32, bad);
    REFUSED(radius, 1, bad);
    REFUSED(radius_f64, 0, bad);
    REFUSED(radius_f64, INFINITY, bad);
    REFUSED(radius_f64, 1e-160, bad);
    REFUSED(radius_f64, 1e160, bad);
    REFUSED(query_layout, 2, bad);
#undef REFUSED
    call c = call_make(&a);
    xlt_buffer out = xlt_buffer_make(NULL, 20, 4, 0);
#define COUNT(plan, ...)                                                                           \
    xl_neighbors_count_enqueue((plan), c.index, xlt_queue(),                                       \
                               &(xl_neighbors_count_args){.counts = xlt_view(&out), __VA_ARGS__},  \
                               0, NULL, NULL)
    XLT_FAILS(COUNT(c.plan, .queries_y = c.points.view[0]), bad);
    XLT_FAILS(xl_neighbors_visit_enqueue(
                  c.plan, c.index, xlt_queue(),
                  &(xl_neighbors_visit_args){.start = 1, .out = xlt_view(&out)}, 0, NULL, NULL),
              bad);
    xl_neighbors_desc narrow = search_desc_of(0.5f); /* of an index of doubles */
    XLT_OK(xl_neighbors_create(xlt_context(), &narrow, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 0), bad);
    xl_neighbors_destroy(plan);
    wrong = a.search;
    wrong.queries = XL_QUERIES_GIVEN;
    wrong.query_layout = XL_POINTS_SOA;
    wrong.dimensions = 3;
    XLT_OK(xl_neighbors_create(xlt_context(), &wrong, &plan));
    XLT_FAILS(COUNT(plan, .num_queries = 20, .queries = c.points.view[0]), bad); /* no y */
    XLT_FAILS(COUNT(plan, .num_queries = 20, .queries = c.points.view[0],
                    .queries_y = c.points.view[0], .queries_z = xlt_view(&out)),
              bad); /* too short */
    xl_neighbors_destroy(plan);
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    call_free(&c);
    free(p.xyz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_space),
        cmocka_unit_test(lattices_with_ties),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(beyond_the_floats),
        cmocka_unit_test(a_stray_point),
        cmocka_unit_test(queries_of_their_own),
        cmocka_unit_test(rows_with_room),
        cmocka_unit_test(space_that_repeats),
        cmocka_unit_test(lattices_that_repeat),
        cmocka_unit_test(the_nearest),
        cmocka_unit_test(the_nearest_of_queries),
        cmocka_unit_test(kernels_of_ones_own),
        cmocka_unit_test(what_is_not_a_point),
        cmocka_unit_test(queries_of_no_use),
        cmocka_unit_test(reports_and_order),
        cmocka_unit_test(points_that_move),
        cmocka_unit_test(a_device_without_them),
        cmocka_unit_test(grids_that_are_refused),
        cmocka_unit_test(searches_that_are_refused),
        cmocka_unit_test(nearest_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

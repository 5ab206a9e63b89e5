/* SPDX-License-Identifier: MIT
 * What a list may have besides indices: squared distances, vectors and shifts; half of it; a part
 * of its rows at a time; and the report of what became of it. Each in any number of dimensions, in
 * space that repeats or not, in every way of a search, against every pair and every image of it. */
#include "neighbors_support.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a list with all there is ---------------------------------------------------------------- */

/* On the device: the offsets, and buffers of the rows; on the host: what came back. */
typedef struct rows {
    size_t n, dimensions;
    uint64_t pairs, *offsets;
    uint32_t *indices;
    float *distances2, *vectors;
    int32_t *shifts;
} rows;

static rows rows_make(size_t n, size_t dimensions, uint64_t pairs)
{
    const size_t p = (size_t)pairs + 1;
    rows r = {.n = n,
              .dimensions = dimensions,
              .pairs = pairs,
              .offsets = calloc(n + 1, sizeof *r.offsets),
              .indices = calloc(p, sizeof *r.indices),
              .distances2 = calloc(p, sizeof *r.distances2),
              .vectors = calloc(p * dimensions, sizeof *r.vectors),
              .shifts = calloc(p * dimensions, sizeof *r.shifts)};
    assert_true(r.offsets && r.indices && r.distances2 && r.vectors && r.shifts);
    return r;
}

static void rows_free(rows *r)
{
    free(r->offsets);
    free(r->indices);
    free(r->distances2);
    free(r->vectors);
    free(r->shifts);
}

static rows wanted_of(const search_case *a)
{
    const ref_search search = ref_search_of(a);
    const size_t n = ref_queries(&search), dimensions = a->grid.dimensions;
    uint64_t *offsets = calloc(n + 1, sizeof *offsets);
    ref_pairs all = {0};
    assert_non_null(offsets);
    uint32_t *indices = ref_neighbors_pairs(&search, offsets, &all);
    assert_non_null(indices);
    rows r = rows_make(n, dimensions, offsets[n]);
    memcpy(r.offsets, offsets, (n + 1) * sizeof *offsets);
    memcpy(r.indices, indices, (size_t)r.pairs * sizeof *indices);
    memcpy(r.distances2, all.distances2, (size_t)r.pairs * sizeof(float));
    for (size_t k = 0; k < r.pairs; ++k)
        for (size_t axis = 0; axis < dimensions; ++axis) {
            r.vectors[k * dimensions + axis] = all.vectors[3 * k + axis];
            r.shifts[k * dimensions + axis] = all.shifts[3 * k + axis];
        }
    ref_pairs_free(&all);
    free(indices);
    free(offsets);
    return r;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* `mask`: which of distances, vectors and shifts. */
static xl_neighbors_fill_args fill_args(const search_call *c, const xlt_buffer *out, unsigned mask,
                                        uint64_t capacity)
{
    return (xl_neighbors_fill_args){.capacity = capacity,
                                    .offsets = xlt_view(&c->offsets),
                                    .indices = xlt_view(&out[0]),
                                    SEARCHED(c),
                                    .distances2 = mask & 1 ? xlt_view(&out[1]) : xl_no_view(),
                                    .vectors = mask & 2 ? xlt_view(&out[2]) : xl_no_view(),
                                    .shifts = mask & 4 ? xlt_view(&out[3]) : xl_no_view()};
}

/* Rows from `first` on into arrays of their own, behind each other in `to`. */
static void call_fill(const search_call *c, size_t first, size_t num, unsigned mask, rows *to)
{
    const uint64_t begin = to->offsets[first], end = to->offsets[num ? first + num : c->n];
    const size_t pairs = (size_t)(end - begin), d = c->dimensions;
    xlt_buffer out[] = {xlt_buffer_make(NULL, pairs, 4, 3), xlt_buffer_make(NULL, pairs, 4, 1),
                        xlt_buffer_make(NULL, pairs * d, 4, 2),
                        xlt_buffer_make(NULL, pairs * d, 4, 4)};
    void *const host[] = {to->indices + begin, to->distances2 + begin, to->vectors + begin * d,
                          to->shifts + begin * d};
    xl_neighbors_fill_args args = fill_args(c, out, mask, end - begin);
    args.first_row = first;
    args.num_rows = num;
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->b.index, xlt_queue(), &args, 0, NULL, NULL));
    for (unsigned k = 0; k < 4; ++k) {
        if (k == 0 || mask & 1u << (k - 1))
            xlt_read(&out[k], host[k]);
        else
            xlt_check_unwritten(&out[k], "not given");
        xlt_check_guards(&out[k], "an output");
        xlt_buffer_free(&out[k]);
    }
}

/* ---- what must be equal ---------------------------------------------------------------------- */

static pair pair_of(const rows *r, size_t k)
{
    pair p = {.index = r->indices[k], .distance2 = r->distances2[k]};
    for (size_t axis = 0; axis < r->dimensions; ++axis) {
        p.shift[axis] = r->shifts[k * r->dimensions + axis];
        p.vector[axis] = r->vectors[k * r->dimensions + axis];
    }
    return p;
}

/* A row; where rows may be in any order, put into that of the reference first. */
static void compare_row(const char *what, const rows *got, const rows *wanted, size_t i,
                        bool sorted)
{
    const size_t begin = (size_t)wanted->offsets[i], n = (size_t)wanted->offsets[i + 1] - begin;
    pair *p = calloc(n + 1, sizeof *p), *q = calloc(n + 1, sizeof *q);
    assert_true(p && q);
    for (size_t k = 0; k < n; ++k) {
        p[k] = pair_of(got, begin + k);
        q[k] = pair_of(wanted, begin + k);
    }
    row_equal(what, i, p, q, n, sorted);
    free(p);
    free(q);
}

/* Parts of a few rows each, and some of none, are the whole. */
static void check_parts(const search_call *c, const rows *whole)
{
    rows parts = rows_make(c->n, c->dimensions, whole->pairs);
    const size_t pairs = (size_t)whole->pairs, d = c->dimensions;
    memcpy(parts.offsets, whole->offsets, (c->n + 1) * sizeof *parts.offsets);
    for (size_t first = 0, num = c->n / 3 + 1; first < c->n; first += num)
        call_fill(c, first, first + num < c->n ? num : 0, 7, &parts);
    assert_memory_equal(parts.indices, whole->indices, pairs * 4);
    assert_memory_equal(parts.distances2, whole->distances2, pairs * 4);
    assert_memory_equal(parts.vectors, whole->vectors, pairs * d * 4);
    assert_memory_equal(parts.shifts, whole->shifts, pairs * d * 4);
    rows_free(&parts);
}

/* A part in arrays with room for all rows: behind its own nothing is written. */
static void check_part_with_room(const search_call *c, const rows *whole)
{
    const size_t first = c->n / 3, num = c->n / 3 + 1, pairs = (size_t)whole->pairs;
    const size_t d = c->dimensions, begin = (size_t)whole->offsets[first];
    const size_t some = (size_t)whole->offsets[first + num] - begin;
    xlt_buffer out[] = {xlt_buffer_make(NULL, pairs, 4, 3), xlt_buffer_make(NULL, pairs, 4, 1),
                        xlt_buffer_make(NULL, pairs * d, 4, 2),
                        xlt_buffer_make(NULL, pairs * d, 4, 4)};
    const void *const host[] = {whole->indices + begin, whole->distances2 + begin,
                                whole->vectors + begin * d, whole->shifts + begin * d};
    uint32_t *got = calloc(pairs * d + 1, sizeof *got);
    assert_non_null(got);
    xl_neighbors_fill_args args = fill_args(c, out, 7, pairs);
    args.first_row = first;
    args.num_rows = num;
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->b.index, xlt_queue(), &args, 0, NULL, NULL));
    for (int k = 0; k < 4; ++k) {
        const size_t words = k < 2 ? 1 : d;
        xlt_read(&out[k], got);
        assert_memory_equal(got, host[k], some * words * 4);
        for (size_t at = some * words; at < pairs * words; ++at)
            if (got[at] != 0xa5a5a5a5u)
                XLT_FAIL("output %d of rows %zu to %zu: word %zu behind them is %x", k, first,
                         first + num, at - some * words, got[at]);
        xlt_check_guards(&out[k], "an output");
        xlt_buffer_free(&out[k]);
    }
    free(got);
}

/* One kind of output alone, whichever it is. */
static void check_alone(const search_call *c, const rows *whole)
{
    rows alone = rows_make(c->n, c->dimensions, whole->pairs);
    const size_t pairs = (size_t)whole->pairs, d = c->dimensions;
    memcpy(alone.offsets, whole->offsets, (c->n + 1) * sizeof *alone.offsets);
    for (unsigned mask = 1; mask < 8; mask *= 2)
        call_fill(c, 0, 0, mask, &alone);
    assert_memory_equal(alone.distances2, whole->distances2, pairs * 4);
    assert_memory_equal(alone.vectors, whole->vectors, pairs * d * 4);
    assert_memory_equal(alone.shifts, whole->shifts, pairs * d * 4);
    rows_free(&alone);
}

static xl_status status_of(const search_call *c, uint64_t capacity, size_t first, size_t num,
                           xl_neighbors_report *report)
{
    return xl_neighbors_status(c->plan, c->b.index, xlt_queue(),
                               &(xl_neighbors_status_args){.capacity = capacity,
                                                           .offsets = xlt_view(&c->offsets),
                                                           SEARCHED(c),
                                                           .first_row = first,
                                                           .num_rows = num},
                               report, 0, NULL);
}

/* What it says of a capacity that is enough, and of one that is not, of all rows and of some. */
static void check_report(const search_call *c, const rows *wanted)
{
    xl_neighbors_report report = {0};
    XLT_OK(status_of(c, wanted->pairs, 0, 0, &report));
    assert_true(report.queries == c->n && report.pairs == wanted->pairs && !report.incomplete);
    assert_true(report.non_finite == 0 && report.first_non_finite == UINT64_MAX);
    assert_int_equal(report.struct_size, sizeof report);
    if (wanted->pairs > 0)
        XLT_FAILS(status_of(c, wanted->pairs - 1, 0, 0, &report), XL_ERROR_CAPACITY);
    assert_true(report.pairs == wanted->pairs);
    const size_t first = c->n / 3, num = c->n / 2;
    const uint64_t some = wanted->offsets[first + num] - wanted->offsets[first];
    if (num > 0 && some > 0) {
        XLT_OK(status_of(c, some, first, num, NULL));
        XLT_FAILS(status_of(c, some - 1, first, num, &report), XL_ERROR_CAPACITY);
        assert_true(report.pairs == some);
    }
}

static uint64_t check(const char *what, const search_case *a)
{
    rows wanted = wanted_of(a), got = rows_make(wanted.n, wanted.dimensions, wanted.pairs);
    search_call c = search_call_make(a);
    search_call_count(&c);
    xlt_read(&c.offsets, got.offsets);
    offsets_equal(what, got.offsets, wanted.offsets, c.n);
    call_fill(&c, 0, 0, 7, &got);
    for (size_t i = 0; i < c.n; ++i)
        compare_row(what, &got, &wanted, i, a->search.sorted != 0);
    check_parts(&c, &got);
    if (c.n > 1 && wanted.pairs > 0)
        check_part_with_room(&c, &got);
    check_alone(&c, &got);
    check_report(&c, &wanted);
    const uint64_t pairs = wanted.pairs;
    rows_free(&wanted);
    rows_free(&got);
    search_call_free(&c);
    return pairs;
}

static uint64_t check_ways(const char *what, search_case a)
{
    a.search.details = 1;
    return check_in_ways(what, a, check);
}

/* ---- clouds ---------------------------------------------------------------------------------- */

static size_t sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 10 : xlt_small() ? n / 4 : n;
}

static void open_space(void **state)
{
    (void)state;
    for (size_t dimensions = 1; dimensions <= 3; ++dimensions)
        for (unsigned form = 0; form < 4; ++form) {
            if (!is_its_form(dimensions + form))
                continue;
            cloud c = cloud_uniform(sized(400), -0.3f, 1.0f, 3 + form);
            c.dimensions = dimensions;
            search_case a = {.points = &c};
            a.grid = grid_desc_of(&c, dimensions == 3 ? 0.3f : dimensions == 2 ? 0.12f : 0.03f);
            a.search = search_desc_of(a.grid.cell_size);
            a.search.half = form & 1;
            a.search.sorted = form < 2;
            a.search.include_self = form == 3;
            assert_true(check_ways("open space", a) > c.n / 4);
            cloud_free(&c);
        }
}

/* Long rows, which are sorted otherwise, and points that coincide. Last each point has all others:
 * more than a work-item that walks keeps in private memory. */
static void long_rows(void **state)
{
    (void)state;
    cloud c = cloud_uniform(xlt_on_oclgrind() ? 60 : 300, 0.0f, 1.0f, 9);
    for (size_t i = 0; i < c.n; i += 3)
        cloud_set(&c, i, c.xyz[0], c.xyz[1], c.xyz[2]);
    search_case a = {.points = &c};
    a.grid = grid_desc_of(&c, 0.3f);
    a.search = search_desc_of(0.7f);
    (void)check_ways("long rows", a);
    a.search.half = 1;
    a.search.inclusive = 1;
    assert_true(check_ways("long rows", a) > 10 * c.n);
    a.search.half = 0;
    a.search.radius = 2;
    assert_int_equal(check_ways("all rows", a), c.n * (c.n - 1));
    cloud_free(&c);
}

static search_case in_box(const cloud *c, uint32_t periodic, float radius)
{
    search_case a = {.points = c, .grid = grid_desc_of(c, 0.2f), .search = search_desc_of(radius)};
    a.grid.bounded = 1;
    a.grid.periodic = periodic;
    for (int k = 0; k < 3; ++k) {
        a.grid.lower[k] = 1.0f;
        a.grid.upper[k] = 2.0f + 0.5f * (float)k;
    }
    return a;
}

static cloud cloud_in_box(size_t n, uint64_t seed)
{
    cloud c = cloud_make(n, 3);
    xlt_random random = {seed};
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            c.xyz[3 * i + (size_t)k] = 1.0f + xlt_unit(&random) * (1.0f + 0.5f * (float)k);
    return c;
}

/* Radii up to a period, where a pair has several images and a point is near its own. */
static void space_that_repeats(void **state)
{
    (void)state;
    static const float radii[] = {0.25f, 0.6f, 0.99f};
    for (uint32_t form = 0; form < 4; ++form)
        for (size_t dimensions = 1; dimensions <= 3; ++dimensions)
            for (size_t r = 0; r < 3 && is_its_form(dimensions + form); ++r) {
                cloud c = cloud_in_box(sized(r == 0 ? 240 : 40), 20 + r);
                c.dimensions = dimensions;
                search_case a =
                    in_box(&c, dimensions == 3 && form == 1 ? 5 : (1u << dimensions) - 1, radii[r]);
                a.search.half = form & 1;
                a.search.sorted = form != 2;
                a.search.include_self = form == 3;
                a.search.inclusive = form == 1;
                assert_true(check_ways("space that repeats", a) > 0);
                cloud_free(&c);
            }
}

/* One point, whose own images are all there is: of each two that are opposite half has one. */
static void own_images(void **state)
{
    (void)state;
    cloud c = cloud_in_box(1, 4);
    for (unsigned form = 0; form < 4; ++form) {
        search_case a = in_box(&c, 1, 1.0f); /* a period: as much as every device goes through */
        a.search.inclusive = 1;
        a.search.half = form & 1;
        a.search.include_self = form >> 1;
        assert_int_equal(check_ways("own images", a), (form & 1 ? 1 : 2) + (form >> 1));
    }
    cloud_free(&c);
}

static void given_queries(void **state)
{
    (void)state;
    const size_t n = sized(160);
    cloud c = cloud_in_box(n, 61), queries = cloud_uniform(n, 0.0f, 4.0f, 62);
    float *radii = calloc(n, sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {63};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.5f * xlt_unit(&random);
    for (uint32_t form = 0; form < 4; ++form) {
        search_case a = in_box(&c, form & 1 ? 7 : 0, 0.4f);
        a.queries = &queries;
        a.radii = form & 2 ? radii : NULL;
        a.search.sorted = form != 3;
        assert_true(check_ways("given queries", a) > 0);
    }
    free(radii);
    cloud_free(&c);
    cloud_free(&queries);
}

/* The details of a list with each option that adds arguments: no kernel has more. */
static void every_option_at_once(void **state)
{
    (void)state;
    const size_t n = sized(120);
    cloud c = cloud_in_box(n, 71), queries = cloud_uniform(n, 0.0f, 4.0f, 72);
    float *radii = calloc(n, sizeof *radii);
    uint32_t *systems = calloc(n, sizeof *systems);
    assert_true(radii && systems);
    xlt_random random = {73};
    for (size_t i = 0; i < n; ++i) {
        radii[i] = 0.5f * xlt_unit(&random);
        systems[i] = xlt_below(&random, 3);
    }
    c.systems = queries.systems = systems;
    search_case a = in_box(&c, 7, 0.5f);
    a.grid.num_systems = 3;
    a.queries = &queries;
    a.radii = radii;
    a.soa = true;
    assert_true(check_ways("every option", a) > 0);
    free(systems);
    free(radii);
    cloud_free(&c);
    cloud_free(&queries);
}

static void nothing(void **state)
{
    (void)state;
    cloud none = cloud_make(0, 3), some = cloud_uniform(20, 0.0f, 1.0f, 3);
    search_case a = {
        .points = &none, .grid = grid_desc_of(&none, 1.0f), .search = search_desc_of(0.1f)};
    assert_int_equal(check_ways("no points", a), 0);
    a.points = &some;
    a.search.radius = 1e-6f;
    assert_int_equal(check_ways("no pairs", a), 0);
    cloud_free(&none);
    cloud_free(&some);
}

/* ---- half a list ----------------------------------------------------------------------------- */

/* Twice the pairs of a lattice are all of them, open and in a box that repeats: see
 * neighbors_test. */
static void half_of_lattices(void **state)
{
    (void)state;
    static const struct {
        float radius;
        uint64_t open, repeats; /* of 6^3 and of 8^3 points, ordered */
    } lattices[] = {{1.5f, 2880, 18 * 512}, {2.5f, 10024, 80 * 512}};
    cloud open = cloud_lattice(6, 1.0f, 0, 0), closed = cloud_lattice(8, 1.0f, 0, 0);
    for (size_t k = 0; k < 2; ++k) {
        xl_grid_desc grid = grid_desc_of(&open, lattices[k].radius);
        xl_neighbors_desc search = search_desc_of(lattices[k].radius);
        search.half = 1;
        built b = build_grid(&open, &grid);
        assert_int_equal(2 * pairs_of(&b, &search), lattices[k].open);
        built_free(&b);
        grid.bounded = 1;
        grid.periodic = search.periodic = 7;
        for (int axis = 0; axis < 3; ++axis)
            grid.upper[axis] = 8;
        b = build_grid(&closed, &grid);
        assert_int_equal(2 * pairs_of(&b, &search), lattices[k].repeats);
        built_free(&b);
    }
    cloud_free(&open);
    cloud_free(&closed);
}

/* Visits that count are as many as the row has indices. */
static void check_visits(const search_case *a)
{
    const cloud c = *a->points;
    rows wanted = wanted_of(a);
    search_call call_of = search_call_make(a);
    xlt_buffer out = xlt_buffer_make(NULL, c.n, 4, 0);
    float *sums = calloc(c.n, sizeof *sums);
    assert_non_null(sums);
    XLT_OK(xl_neighbors_visit_enqueue(call_of.plan, call_of.b.index, xlt_queue(),
                                      &(xl_neighbors_visit_args){.out = xlt_view(&out)}, 0, NULL,
                                      NULL));
    xlt_read(&out, sums);
    for (size_t i = 0; i < c.n; ++i)
        assert_true(sums[i] == (float)(wanted.offsets[i + 1] - wanted.offsets[i]));
    free(sums);
    xlt_buffer_free(&out);
    search_call_free(&call_of);
    rows_free(&wanted);
}

/* Visits, too, are of each pair once. */
static void half_of_visits(void **state)
{
    (void)state;
    cloud c = cloud_uniform(sized(400), 0.0f, 1.0f, 7);
    search_case a = {.points = &c, .grid = grid_desc_of(&c, 0.2f), .search = search_desc_of(0.2f)};
    a.search.half = 1;
    a.search.visit = "float visit(float sum, float d2, uint i, uint j, float4 p)\n"
                     "{ return sum + (i < j ? 1.0f : 1000.0f); }\n";
    check_visits(&a);
    cloud_free(&c);
}

/* Sums go on from image to image, and over more candidates than are held at a time. */
static void visits_in_parts(void **state)
{
    (void)state;
    cloud c = cloud_in_box(sized(600), 8);
    search_case a = in_box(&c, 7, 0.9f);
    a.search.visit = "float visit(float sum, float d2, uint i, uint j, float4 p)\n"
                     "{ return sum + 1.0f; }\n";
    check_visits(&a);
    cloud_free(&c);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void reports_of_failures(void **state)
{
    (void)state;
    cloud c = cloud_uniform(64, 0.0f, 1.0f, 5), queries = cloud_uniform(64, 0.0f, 1.0f, 6);
    search_case a = {.points = &c, .queries = &queries};
    a.grid = grid_desc_of(&c, 0.3f);
    a.search = search_desc_of(0.3f);
    queries.xyz[3 * 60] = NAN;
    queries.xyz[3 * 17 + 2] = -INFINITY;
    queries.xyz[3 * 17] = NAN;
    search_call call_of = search_call_make(&a);
    xl_neighbors_report report = {0};
    search_call_count(&call_of);
    XLT_FAILS(status_of(&call_of, UINT64_MAX, 0, 0, &report), XL_ERROR_NON_FINITE);
    assert_true(report.non_finite == 2 && report.first_non_finite == 17 && report.queries == 64);
    assert_true(report.pairs > 0);
    search_call_free(&call_of);
    /* Of two dimensions what stands behind a query is no part of it. */
    queries.xyz[3 * 60] = queries.xyz[3 * 17] = 0;
    c.dimensions = 2;
    a.grid = grid_desc_of(&c, 0.3f);
    call_of = search_call_make(&a);
    search_call_count(&call_of);
    XLT_OK(status_of(&call_of, UINT64_MAX, 0, 0, &report));
    search_call_free(&call_of);
    c.dimensions = 3;
    a.grid = grid_desc_of(&c, 0.3f);
    /* The build's own. */
    c.xyz[11] = INFINITY;
    report.pairs = 77;
    call_of = search_call_make(&a);
    search_call_count(&call_of);
    XLT_FAILS(status_of(&call_of, UINT64_MAX, 0, 0, &report), XL_ERROR_NON_FINITE);
    assert_int_equal(report.pairs, 77);
    search_call_free(&call_of);
    c.xyz[11] = 3;
    a.grid.bounded = 1;
    for (int axis = 0; axis < 3; ++axis)
        a.grid.upper[axis] = 1;
    call_of = search_call_make(&a);
    search_call_count(&call_of);
    XLT_FAILS(status_of(&call_of, UINT64_MAX, 0, 0, &report), XL_ERROR_OUT_OF_DOMAIN);
    search_call_free(&call_of);
    cloud_free(&c);
    cloud_free(&queries);
}

static void what_is_refused(void **state)
{
    (void)state;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cloud c = cloud_uniform(30, 0.0f, 1.0f, 5);
    search_case a = {.points = &c, .grid = grid_desc_of(&c, 0.3f), .search = search_desc_of(0.3f)};
    xl_neighbors *plan;
    xl_neighbors_desc wrong = a.search;
    wrong.half = 1;
    wrong.radii = 1;
    XLT_FAILS(xl_neighbors_create(xlt_context(), &wrong, &plan), bad);
    wrong.radii = 0;
    wrong.queries = XL_QUERIES_GIVEN;
    XLT_FAILS(xl_neighbors_create(xlt_context(), &wrong, &plan), bad);
    search_call with, without = search_call_make(&a);
    a.search.details = 1;
    with = search_call_make(&a);
    search_call_count(&with);
    search_call_count(&without);
    xlt_buffer out[] = {xlt_buffer_make(NULL, 900, 4, 0), xlt_buffer_make(NULL, 900, 4, 0),
                        xlt_buffer_make(NULL, 2700, 4, 0), xlt_buffer_make(NULL, 900, 4, 0)};
    for (unsigned mask = 0; mask < 8; ++mask) {
        xl_neighbors_fill_args args = fill_args(&without, out, mask, 900);
        if (mask > 0) /* of a plan without */
            XLT_FAILS(xl_neighbors_fill_enqueue(without.plan, without.b.index, xlt_queue(), &args,
                                                0, NULL, NULL),
                      bad);
    }
    for (unsigned k = 0; k < 4; ++k)
        xlt_check_unwritten(&out[k], "an output of what is refused");
#define FILL(...)                                                                                  \
    args = fill_args(&with, out, 3, 900);                                                          \
    __VA_ARGS__;                                                                                   \
    XLT_FAILS(xl_neighbors_fill_enqueue(with.plan, with.b.index, xlt_queue(), &args, 0, NULL, NULL)
    xl_neighbors_fill_args args;
    FILL(args.shifts = xlt_view(&out[3])), bad); /* too short */
    FILL(args.vectors = xlt_view(&out[1])), bad);
    FILL(args.distances2 = xlt_view(&out[0])), XL_ERROR_OVERLAP);
    FILL(args.shifts = xlt_view(&out[2])), XL_ERROR_OVERLAP);
    FILL(args.first_row = 31), bad);
    FILL(args.num_rows = 31), bad);
    FILL(args.first_row = 10; args.num_rows = 21), bad);
    FILL(args.num_rows = SIZE_MAX), bad);
    FILL(args.indices = xl_no_view()), bad);
    XLT_FAILS(status_of(&with, 900, 31, 0, NULL), bad);
    XLT_FAILS(status_of(&with, 900, 30, 1, NULL), bad);
    assert_int_equal(xl_neighbors_status(NULL, with.b.index, xlt_queue(),
                                         &(xl_neighbors_status_args){0}, NULL, 0, NULL),
                     bad);
    for (unsigned k = 0; k < 4; ++k) {
        xlt_check_unwritten(&out[k], "an output of what is refused");
        xlt_buffer_free(&out[k]);
    }
    search_call_free(&with);
    search_call_free(&without);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_space),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(space_that_repeats),
        cmocka_unit_test(own_images),
        cmocka_unit_test(every_option_at_once),
        cmocka_unit_test(given_queries),
        cmocka_unit_test(nothing),
        cmocka_unit_test(half_of_lattices),
        cmocka_unit_test(half_of_visits),
        cmocka_unit_test(visits_in_parts),
        cmocka_unit_test(reports_of_failures),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

/* SPDX-License-Identifier: MIT
 * Lists whose rows have the same room each, which one call fills: rows that fit are those of every
 * pair and every image of it, of any row the number of its neighbours is right, nothing else is
 * written, and the report says what room they need. */
#include "grid_support.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every row, one behind the other. */
typedef struct wanted {
    size_t n, longest;
    uint64_t *offsets;
    uint32_t *indices;
    ref_pairs pairs;
} wanted;

static wanted wanted_of(const search_case *a)
{
    const ref_search r = ref_search_of(a);
    wanted w = {.n = ref_queries(&r)};
    w.offsets = calloc(w.n + 1, sizeof *w.offsets);
    assert_non_null(w.offsets);
    w.indices = ref_neighbors_pairs(&r, w.offsets, &w.pairs);
    assert_non_null(w.indices);
    for (size_t i = 0; i < w.n; ++i)
        if (w.offsets[i + 1] - w.offsets[i] > w.longest)
            w.longest = (size_t)(w.offsets[i + 1] - w.offsets[i]);
    return w;
}

static void wanted_free(wanted *w)
{
    ref_pairs_free(&w->pairs);
    free(w->indices);
    free(w->offsets);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct call {
    xl_neighbors *plan;
    built b;
    xlt_buffer queries, radii;
    size_t n, num_queries, capacity;
} call;

static call call_make(const search_case *a, tuned how, size_t capacity)
{
    call c = {.n = a->queries ? a->queries->n : a->points->n, .capacity = capacity};
    xl_grid_desc grid = a->grid;
    xl_neighbors_desc search = a->search;
    c.num_queries = a->queries ? c.n : 0;
    tune_as(how, &grid, &search);
    search.row_capacity = (uint32_t)capacity;
    search.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    search.dimensions = grid.dimensions;
    search.radii = a->radii != NULL;
    search.periodic = grid.periodic != 0;
    search.details = 1;
    c.b = build_grid(a->points, &grid);
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &c.plan));
    if (a->queries)
        c.queries = xlt_buffer_make(a->queries->xyz, 3 * c.n, 4, 5);
    if (a->radii)
        c.radii = xlt_buffer_make(a->radii, c.n, 4, 2);
    return c;
}

static void call_free(call *c)
{
    xlt_buffer *const all[] = {&c->queries, &c->radii};
    for (size_t i = 0; i < 2; ++i)
        if (all[i]->mem)
            xlt_buffer_free(all[i]);
    xl_neighbors_destroy(c->plan);
    built_free(&c->b);
}

/* What comes back of some rows: the numbers, the indices and the squared distances. */
typedef struct rows {
    xlt_buffer counts, indices, distances2;
    uint32_t *count, *index;
    float *distance2;
    size_t first, num;
} rows;

static rows rows_make(const call *c, size_t first, size_t num)
{
    const size_t room = num * c->capacity;
    rows r = {.counts = xlt_buffer_make(NULL, num, 4, 3),
              .indices = xlt_buffer_make(NULL, room, 4, 1),
              .distances2 = xlt_buffer_make(NULL, room, 4, 2),
              .count = calloc(num + 1, 4),
              .index = calloc(room + 1, 4),
              .distance2 = calloc(room + 1, sizeof(float)),
              .first = first,
              .num = num};
    assert_true(r.count && r.index && r.distance2);
    return r;
}

static void rows_free(rows *r)
{
    xlt_buffer *const all[] = {&r->counts, &r->indices, &r->distances2};
    for (size_t i = 0; i < 3; ++i) {
        xlt_check_guards(all[i], "an output");
        xlt_buffer_free(all[i]);
    }
    free(r->count);
    free(r->index);
    free(r->distance2);
}

static xl_status fill(const call *c, rows *r)
{
    return xl_neighbors_fill_enqueue(
        c->plan, c->b.index, xlt_queue(),
        &(xl_neighbors_fill_args){.indices = xlt_view(&r->indices),
                                  .num_queries = c->num_queries,
                                  .queries = xlt_view(&c->queries),
                                  .radii = xlt_view(&c->radii),
                                  .first_row = r->first,
                                  .num_rows = r->num == c->n ? 0 : r->num,
                                  .distances2 = xlt_view(&r->distances2),
                                  .counts = xlt_view(&r->counts)},
        0, NULL, NULL);
}

static void fill_and_read(const call *c, rows *r)
{
    XLT_OK(fill(c, r));
    xlt_read(&r->counts, r->count);
    if (r->num * c->capacity > 0) {
        xlt_read(&r->indices, r->index);
        xlt_read(&r->distances2, r->distance2);
    }
}

static xl_status status_of(const call *c, const rows *r, xl_neighbors_report *report)
{
    return xl_neighbors_status(c->plan, c->b.index, xlt_queue(),
                               &(xl_neighbors_status_args){.num_queries = c->num_queries,
                                                           .queries = xlt_view(&c->queries),
                                                           .radii = xlt_view(&c->radii),
                                                           .first_row = r->first,
                                                           .num_rows = r->num,
                                                           .counts = xlt_view(&r->counts)},
                               report, 0, NULL);
}

/* ---- what must be so ------------------------------------------------------------------------- */

typedef struct pair {
    uint32_t index;
    float distance2;
} pair;

static int by_index(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->index != q->index)
        return p->index < q->index ? -1 : 1;
    return (p->distance2 > q->distance2) - (p->distance2 < q->distance2);
}

/* Images of a point by distance: their order among themselves is that of other tests. */
static pair *pairs_of_row(const uint32_t *index, const float *distance2, size_t n)
{
    pair *p = calloc(n + 1, sizeof *p);
    assert_non_null(p);
    for (size_t k = 0; k < n; ++k)
        p[k] = (pair){index[k], distance2[k]};
    qsort(p, n, sizeof *p, by_index);
    return p;
}

static void check_row(const char *what, const rows *r, const wanted *w, size_t row, size_t capacity,
                      bool sorted)
{
    const size_t i = r->first + row, at = (size_t)w->offsets[i], from = row * capacity;
    const size_t n = (size_t)w->offsets[i + 1] - at;
    if (r->count[row] != n)
        XLT_FAIL("%s: row %zu has %u neighbours, not %zu", what, i, (unsigned)r->count[row], n);
    if (n > capacity)
        return;
    for (size_t k = 1; sorted && k < n; ++k)
        assert_true(r->index[from + k - 1] <= r->index[from + k]);
    pair *got = pairs_of_row(r->index + from, r->distance2 + from, n);
    pair *right = pairs_of_row(w->indices + at, w->pairs.distances2 + at, n);
    for (size_t k = 0; k < n; ++k)
        if (by_index(&got[k], &right[k]) != 0)
            XLT_FAIL("%s: row %zu, place %zu of %zu: %u, %.9g far, not %u, %.9g", what, i, k, n,
                     (unsigned)got[k].index, (double)got[k].distance2, (unsigned)right[k].index,
                     (double)right[k].distance2);
    free(got);
    free(right);
    for (size_t k = n; k < capacity; ++k)
        if (memcmp(&r->index[from + k], "\xa5\xa5\xa5\xa5", 4) != 0 ||
            memcmp(&r->distance2[from + k], "\xa5\xa5\xa5\xa5", 4) != 0)
            XLT_FAIL("%s: row %zu of %zu neighbours: place %zu was written", what, i, n, k);
}

static void check_report(const call *c, const rows *r, const wanted *w)
{
    xl_neighbors_report report = {0};
    size_t longest = 0;
    for (size_t i = r->first; i < r->first + r->num; ++i)
        if (w->offsets[i + 1] - w->offsets[i] > longest)
            longest = (size_t)(w->offsets[i + 1] - w->offsets[i]);
    if (longest > c->capacity)
        XLT_FAILS(status_of(c, r, &report), XL_ERROR_CAPACITY);
    else
        XLT_OK(status_of(c, r, &report));
    assert_true(report.longest_row == longest && report.pairs == 0 && !report.incomplete);
}

static void check(const char *what, const search_case *a, tuned how, const wanted *w,
                  size_t capacity)
{
    call c = call_make(a, how, capacity);
    const size_t third = c.n / 3;
    const size_t parts[][2] = {{0, c.n}, {third, third}};
    for (size_t p = 0; p < 2 && (p == 0 || third > 0); ++p) {
        rows r = rows_make(&c, parts[p][0], parts[p][1]);
        fill_and_read(&c, &r);
        for (size_t row = 0; row < r.num; ++row)
            check_row(what, &r, w, row, capacity, a->search.sorted != 0);
        check_report(&c, &r, w);
        rows_free(&r);
    }
    call_free(&c);
}

/* As much room as the longest row needs, less, and more; in every way that a search is done; of few
 * programs, in one after the other. */
static size_t check_ways(const char *what, const search_case *a)
{
    wanted w = wanted_of(a);
    const size_t capacities[] = {w.longest, w.longest > 2 ? w.longest - 1 : 1, w.longest + 70, 1};
    for (tuned how = TUNED_AS_IS; how < TUNED_WAYS; ++how)
        for (size_t k = 0; k < 4; ++k)
            if (capacities[k] > 0 && tuned_turn(how, SEARCH_FORM(a)))
                check(what, a, how, &w, capacities[k]);
    const size_t longest = w.longest;
    wanted_free(&w);
    return longest;
}

/* ---- clouds ---------------------------------------------------------------------------------- */

static size_t sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 8 : xlt_small() ? n / 3 : n;
}

/* Short rows, and rows longer than any device stages. */
static void open_space(void **state)
{
    (void)state;
    for (unsigned form = 0; form < 4; ++form) {
        cloud c = cloud_uniform(sized(400), -0.3f, 1.0f, 3 + form);
        search_case a = {.points = &c,
                         .grid = grid_desc_of(&c, 0.25f),
                         .search = search_desc_of(form & 1 ? 0.6f : 0.25f)};
        a.search.sorted = form < 2;
        a.search.half = form == 2;
        assert_true(check_ways("open space", &a) > 0);
        cloud_free(&c);
    }
}

static void space_that_repeats(void **state)
{
    (void)state;
    cloud c = cloud_uniform(sized(160), 1.0f, 0.999f, 9);
    search_case a = {.points = &c, .grid = grid_desc_of(&c, 0.25f), .search = search_desc_of(0.6f)};
    a.grid.bounded = 1;
    a.grid.periodic = 7;
    for (int k = 0; k < 3; ++k) {
        a.grid.lower[k] = 1.0f;
        a.grid.upper[k] = 2.0f;
    }
    assert_true(check_ways("space that repeats", &a) > 0);
    cloud_free(&c);
}

static void given_queries(void **state)
{
    (void)state;
    const size_t n = sized(150);
    cloud c = cloud_uniform(n, 0.0f, 1.0f, 61), queries = cloud_uniform(n, -0.2f, 1.4f, 62);
    float *radii = calloc(n, sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {63};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.5f * xlt_unit(&random);
    queries.xyz[5] = NAN;
    search_case a = {.points = &c,
                     .queries = &queries,
                     .radii = radii,
                     .grid = grid_desc_of(&c, 0.3f),
                     .search = search_desc_of(0.4f)};
    wanted w = wanted_of(&a);
    call of = call_make(&a, TUNED_AS_IS, w.longest);
    rows r = rows_make(&of, 0, n);
    xl_neighbors_report report = {0};
    fill_and_read(&of, &r);
    for (size_t row = 0; row < n; ++row)
        check_row("given queries", &r, &w, row, w.longest, true);
    XLT_FAILS(status_of(&of, &r, &report), XL_ERROR_NON_FINITE);
    assert_true(report.first_non_finite == 1 && report.longest_row == w.longest);
    rows_free(&r);
    call_free(&of);
    wanted_free(&w);
    queries.xyz[5] = 0;
    assert_true(check_ways("given queries", &a) > 0);
    free(radii);
    cloud_free(&c);
    cloud_free(&queries);
}

/* No points: every query has a row of none. No queries: nothing is written. */
static void nothing(void **state)
{
    (void)state;
    cloud none = cloud_make(0, 3), some = cloud_uniform(20, 0.0f, 1.0f, 3);
    search_case a = {.points = &none,
                     .queries = &some,
                     .grid = grid_desc_of(&none, 1.0f),
                     .search = search_desc_of(0.1f)};
    assert_int_equal(check_ways("no points", &a), 0);
    a.points = &some;
    a.queries = &none;
    assert_int_equal(check_ways("no queries", &a), 0);
    cloud_free(&none);
    cloud_free(&some);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* An index that failed has no rows, and their numbers say so. */
static void a_build_that_failed(void **state)
{
    (void)state;
    cloud c = cloud_uniform(sized(300), 0.0f, 1.0f, 5);
    search_case a = {.points = &c, .grid = grid_desc_of(&c, 0.3f), .search = search_desc_of(0.3f)};
    c.xyz[11] = INFINITY;
    for (tuned how = TUNED_AS_IS; how < TUNED_WAYS; ++how) {
        call of = call_make(&a, how, 9);
        rows r = rows_make(&of, 0, c.n);
        fill_and_read(&of, &r);
        for (size_t i = 0; i < c.n; ++i)
            assert_int_equal(r.count[i], UINT32_MAX);
        xlt_check_unwritten(&r.indices, "of no list");
        XLT_FAILS(status_of(&of, &r, NULL), XL_ERROR_NON_FINITE);
        rows_free(&r);
        call_free(&of);
    }
    cloud_free(&c);
}

static void refused(const call *c, xl_neighbors_fill_args args, const char *why)
{
    XLT_FAILS(xl_neighbors_fill_enqueue(c->plan, c->b.index, xlt_queue(), &args, 0, NULL, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    if (!strstr(xl_context_error(xlt_context()), why))
        XLT_FAIL("\"%s\" does not say \"%s\"", xl_context_error(xlt_context()), why);
}

static void what_is_refused(void **state)
{
    (void)state;
    cloud c = cloud_uniform(30, 0.0f, 1.0f, 5);
    search_case a = {.points = &c, .grid = grid_desc_of(&c, 0.3f), .search = search_desc_of(0.3f)};
    call with = call_make(&a, TUNED_AS_IS, 8), without = call_make(&a, TUNED_AS_IS, 0);
    rows r = rows_make(&with, 0, c.n);
    xlt_buffer offsets = xlt_buffer_make(NULL, c.n + 1, 8, 1);
    const xl_neighbors_fill_args good = {.indices = xlt_view(&r.indices),
                                         .counts = xlt_view(&r.counts)};
    xl_neighbors_fill_args wrong = good;
    wrong.capacity = 240;
    refused(&with, wrong, "capacity");
    wrong = good;
    wrong.offsets = xlt_view(&offsets);
    refused(&with, wrong, "offsets");
    wrong = good;
    wrong.counts = xl_no_view();
    refused(&with, wrong, "counts");
    wrong = good;
    wrong.indices.offset += 1000000; /* past the end of the buffer */
    refused(&with, wrong, "indices");
    wrong = good;
    wrong.counts = wrong.indices;
    XLT_FAILS(
        xl_neighbors_fill_enqueue(with.plan, with.b.index, xlt_queue(), &wrong, 0, NULL, NULL),
        XL_ERROR_OVERLAP);
    wrong = good;
    wrong.capacity = 240;
    wrong.offsets = xlt_view(&offsets);
    refused(&without, wrong, "counts");
    XLT_FAILS(xl_neighbors_status(with.plan, with.b.index, xlt_queue(),
                                  &(xl_neighbors_status_args){.offsets = xlt_view(&offsets)}, NULL,
                                  0, NULL),
              XL_ERROR_INVALID_ARGUMENT);
    xl_neighbors *plan;
    a.search.reserved = 1;
    XLT_FAILS(xl_neighbors_create(xlt_context(), &a.search, &plan), XL_ERROR_INVALID_ARGUMENT);
    xlt_buffer_free(&offsets);
    rows_free(&r);
    call_free(&with);
    call_free(&without);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_space),          cmocka_unit_test(space_that_repeats),
        cmocka_unit_test(given_queries),       cmocka_unit_test(nothing),
        cmocka_unit_test(a_build_that_failed), cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

/* SPDX-License-Identifier: MIT
 * Support of the tests of lists of points of double precision. */
#include "wide_search.h"

#include <math.h>
#include <stdlib.h>

wanted wanted_of(const wide_case *a)
{
    const ref_search_f64 search = wide_reference_of(a);
    wanted w = {.n = ref_queries_f64(&search)};
    w.offsets = calloc(w.n + 1, sizeof *w.offsets);
    assert_non_null(w.offsets);
    w.indices = ref_neighbors_pairs_f64(&search, w.offsets, &w.all);
    assert_non_null(w.indices);
    return w;
}

void wanted_free(wanted *w)
{
    ref_pairs_free_f64(&w->all);
    free(w->offsets);
    free(w->indices);
}

static pair wanted_pair(const wanted *w, size_t k, size_t d)
{
    pair p = {.index = w->indices[k], .distance2 = w->all.distances2[k]};
    for (size_t axis = 0; axis < d; ++axis) {
        p.vector[axis] = w->all.vectors[3 * k + axis];
        p.shift[axis] = w->all.shifts[3 * k + axis];
    }
    return p;
}

static const char visit_text[] = "double visit(double sum, double d2, uint i, uint j, double4 p)\n"
                                 "{ return sum + (d2 * p.y + p.x) * (i == j ? 1.0 : p.z); }\n";

call call_make(const wide_case *a)
{
    call c = {.n = a->queries ? a->queries->n : a->points->n, .dimensions = a->grid.dimensions};
    xl_grid_desc grid = a->grid;
    xl_neighbors_desc search = a->search;
    tune_as(a->how, &grid, &search);
    search.query_layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    search.visit = visit_text;
    search.details = 1;
    search.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    search.query_stride = a->queries ? (uint32_t)a->queries->stride : 3;
    search.dimensions = grid.dimensions;
    search.radii = a->radii != NULL;
    search.batch = grid.num_systems > 0;
    search.periodic = grid.triclinic ? XL_REPEATS_CELL : grid.periodic != 0;
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &c.plan));
    c.of = wide_index_make(a);
    if (a->queries) {
        c.queries = given_make(a->queries, c.dimensions, a->soa);
        c.num_queries = c.n;
        if (search.batch)
            c.query_systems = wide_one_system(c.n);
    }
    if (a->radii)
        c.radii = xlt_buffer_make(a->radii, c.n, sizeof *a->radii, 2);
    return c;
}

void call_free(call *c)
{
    given_free(&c->queries);
    xlt_buffer_free(&c->radii);
    xlt_buffer_free(&c->query_systems);
    xl_neighbors_destroy(c->plan);
    wide_index_free(&c->of);
}

static void counts_are(const char *what, const call *c, const wanted *w)
{
    uint32_t *counts = calloc(c->n + 1, sizeof *counts);
    uint64_t *offsets = calloc(c->n + 1, sizeof *offsets);
    assert_true(counts && offsets);
    xlt_buffer narrow = xlt_buffer_make(NULL, c->n, 4, 1);
    xlt_buffer wide = xlt_buffer_make(NULL, c->n + 1, 8, 1);
    XLT_OK(xl_neighbors_count_enqueue(c->plan, c->of.index, xlt_queue(),
                                      &(xl_neighbors_count_args){.counts = xlt_view(&narrow),
                                                                 .offsets = xlt_view(&wide),
                                                                 QUERIES(c)},
                                      0, NULL, NULL));
    xlt_read(&narrow, counts);
    xlt_read(&wide, offsets);
    offsets_equal(what, offsets, w->offsets, c->n);
    for (size_t i = 0; i < c->n; ++i)
        if (counts[i] != offsets[i + 1] - offsets[i])
            XLT_FAIL("%s: counts[%zu] is %u", what, i, counts[i]);
    xlt_check_guards(&narrow, "counts");
    xlt_check_guards(&wide, "offsets");
    xlt_buffer_free(&narrow);
    xlt_buffer_free(&wide);
    free(counts);
    free(offsets);
}

/* Row i, whose pairs begin at place `at` of the arrays indices, distances2, vectors and shifts; in
 * any order, unless rows are sorted. */
static void row_is(const char *what, void *const host[4], size_t at, size_t i, size_t d,
                   bool sorted, const wanted *w)
{
    const size_t begin = (size_t)w->offsets[i], n = (size_t)w->offsets[i + 1] - begin;
    pair *got = calloc(n + 1, sizeof *got), *right = calloc(n + 1, sizeof *right);
    assert_true(got && right);
    for (size_t k = 0; k < n; ++k) {
        got[k] = (pair){.index = ((const uint32_t *)host[0])[at + k],
                        .distance2 = ((const double *)host[1])[at + k]};
        for (size_t axis = 0; axis < d; ++axis) {
            got[k].vector[axis] = ((const double *)host[2])[(at + k) * d + axis];
            got[k].shift[axis] = ((const int32_t *)host[3])[(at + k) * d + axis];
        }
        right[k] = wanted_pair(w, begin + k, d);
    }
    row_equal(what, i, got, right, n, sorted);
    free(got);
    free(right);
}

static void rows_are(const char *what, const wide_case *a, const call *c, const wanted *w)
{
    const size_t room = a->search.row_capacity, d = c->dimensions;
    const size_t pairs = room ? c->n * room : (size_t)w->offsets[c->n];
    const size_t bytes[] = {4, 8, 8, 4}, numbers[] = {pairs, pairs, pairs * d, pairs * d};
    xlt_buffer out[4], bounds = room ? xlt_buffer_make(NULL, c->n, 4, 1)
                                     : xlt_buffer_make(w->offsets, c->n + 1, 8, 1);
    void *host[4];
    for (size_t k = 0; k < 4; ++k) {
        out[k] = xlt_buffer_make(NULL, numbers[k], bytes[k], 1 + k);
        host[k] = calloc(numbers[k] + 1, bytes[k]);
        assert_non_null(host[k]);
    }
    const xl_neighbors_fill_args args = {.capacity = room ? 0 : pairs,
                                         .offsets = room ? xl_no_view() : xlt_view(&bounds),
                                         .counts = room ? xlt_view(&bounds) : xl_no_view(),
                                         .indices = xlt_view(&out[0]),
                                         .distances2 = xlt_view(&out[1]),
                                         .vectors = xlt_view(&out[2]),
                                         .shifts = xlt_view(&out[3]),
                                         QUERIES(c)};
    const xl_neighbors_status_args status = {
        .capacity = args.capacity, .offsets = args.offsets, .counts = args.counts, QUERIES(c)};
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->of.index, xlt_queue(), &args, 0, NULL, NULL));
    XLT_OK(xl_neighbors_status(c->plan, c->of.index, xlt_queue(), &status, NULL, 0, NULL));
    for (size_t k = 0; k < 4; ++k)
        xlt_read(&out[k], host[k]);
    for (size_t i = 0; i < c->n; ++i)
        row_is(what, host, room ? i * room : (size_t)w->offsets[i], i, d, a->search.sorted != 0, w);
    for (size_t k = 0; k < 4; ++k) {
        xlt_check_guards(&out[k], "an output");
        xlt_buffer_free(&out[k]);
        free(host[k]);
    }
    xlt_buffer_free(&bounds);
}

/* Sums of 3 + d2 / 2, which are rounded in the order of the walk. */
static void sums_are(const char *what, const call *c, const wanted *w)
{
    double *sums = calloc(c->n + 1, sizeof *sums);
    assert_non_null(sums);
    xlt_buffer out = xlt_buffer_make(NULL, c->n, sizeof *sums, 2);
    XLT_OK(xl_neighbors_visit_enqueue(
        c->plan, c->of.index, xlt_queue(),
        &(xl_neighbors_visit_args){
            .start_f64 = 0.125, .params_f64 = {3, 0.5, 1, 0}, .out = xlt_view(&out), QUERIES(c)},
        0, NULL, NULL));
    xlt_read(&out, sums);
    for (size_t i = 0; i < c->n; ++i) {
        double right = 0.125;
        for (size_t k = (size_t)w->offsets[i]; k < w->offsets[i + 1]; ++k)
            right += w->all.distances2[k] * 0.5 + 3;
        if (fabs(sums[i] - right) > 1e-12 * right)
            XLT_FAIL("%s: the sum of query %zu is %.17g, not %.17g", what, i, sums[i], right);
    }
    xlt_check_guards(&out, "out");
    xlt_buffer_free(&out);
    free(sums);
}

uint64_t check(const char *what, const wide_case *a)
{
    wanted w = wanted_of(a);
    call c = call_make(a);
    XLT_OK(xl_grid_index_status(c.of.index, xlt_queue(), NULL, 0, NULL));
    counts_are(what, &c, &w);
    rows_are(what, a, &c, &w);
    sums_are(what, &c, &w);
    const uint64_t pairs = w.offsets[c.n];
    call_free(&c);
    wanted_free(&w);
    return pairs;
}

uint64_t check_ways(const char *what, wide_case a)
{
    uint64_t pairs = 0;
    for (a.how = TUNED_AS_IS; a.how < TUNED_WAYS; ++a.how)
        if (tuned_turn(a.how, SEARCH_FORM(&a)))
            pairs = check(what, &a);
    return pairs;
}

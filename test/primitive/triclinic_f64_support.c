/* SPDX-License-Identifier: MIT
 * Support of the tests of triclinic cells of points of double precision. */
#include "triclinic_f64_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool device_has_none(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return !info.has_fp64;
}

places places_make(size_t n)
{
    const places p = {.n = n, .stride = 3, .xyz = calloc(3 * n + 1, sizeof(double))};
    assert_non_null(p.xyz);
    return p;
}

double unit(xlt_random *random)
{
    return (double)xlt_unit(random) + 0x1p-24 * (double)xlt_unit(random);
}

void set_parts(const xl_grid_desc *desc, places *p, size_t i, const double parts[3])
{
    for (uint32_t axis = 0; axis < desc->dimensions; ++axis) {
        double *const x = &p->xyz[3 * i + axis];
        *x = desc->lower_f64[axis];
        for (uint32_t row = axis; row < desc->dimensions; ++row)
            *x += parts[row] * desc->cell_f64[row][axis];
    }
}

places places_in(const xl_grid_desc *desc, size_t n, uint64_t seed)
{
    xlt_random random = {seed};
    places p = places_make(n);
    for (size_t i = 0; i < n; ++i) {
        double parts[3];
        for (int row = 0; row < 3; ++row)
            parts[row] = unit(&random);
        set_parts(desc, &p, i, parts);
    }
    return p;
}

places places_lattice(const xl_grid_desc *desc, size_t side)
{
    places p = places_make(side * side * side);
    for (size_t i = 0; i < p.n; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        double parts[3];
        for (int row = 0; row < 3; ++row)
            parts[row] = (double)at[row] / (double)side;
        set_parts(desc, &p, i, parts);
    }
    return p;
}

void scatter(const xl_grid_desc *desc, places *p, uint64_t seed)
{
    xlt_random random = {seed};
    for (size_t i = 0; i < p->n; i += 4)
        for (size_t axis = 0; axis < 3; ++axis) {
            double low = desc->lower_f64[axis], high = low;
            for (size_t row = axis; row < 3; ++row) {
                low += fmin(desc->cell_f64[row][axis], 0);
                high += fmax(desc->cell_f64[row][axis], 0);
            }
            p->xyz[3 * i + axis] = low + (high - low) * unit(&random);
        }
}

/* ---- a search of any kind -------------------------------------------------------------------- */

wide_case case_of(const double cell[3][3], const double lower[3], double radius)
{
    wide_case a = {.points = NULL};
    xl_grid_desc_init(&a.grid);
    xl_neighbors_desc_init(&a.search);
    a.grid.scalar = a.search.scalar = XL_F64;
    a.grid.triclinic = 1;
    a.grid.periodic = 7;
    a.grid.cell_size = 0.4f;
    memcpy(a.grid.cell_f64, cell, sizeof a.grid.cell_f64);
    memcpy(a.grid.lower_f64, lower, sizeof a.grid.lower_f64);
    a.search.periodic = XL_REPEATS_CELL;
    a.search.radius_f64 = radius;
    return a;
}

void cell_of(const xl_grid_desc *grid, double period[3], double tilt[3])
{
    const bool b = grid->periodic & 2, c = grid->periodic & 4;
    for (int k = 0; k < 3; ++k)
        period[k] = grid->periodic & 1u << k ? grid->cell_f64[k][k] : 0;
    tilt[0] = b ? grid->cell_f64[1][0] : 0;
    tilt[1] = c ? grid->cell_f64[2][0] : 0;
    tilt[2] = c ? grid->cell_f64[2][1] : 0;
}

ref_search_f64 reference_of(const wide_case *a)
{
    ref_search_f64 r = {REF_SEARCH_SHARED(a), .radius = a->search.radius_f64};
    cell_of(&a->grid, r.period, r.tilt);
    return r;
}

wanted wanted_of(const wide_case *a)
{
    const ref_search_f64 search = reference_of(a);
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

given given_make(const places *p, size_t dimensions, bool soa)
{
    given g = {.view = {{0}, {0}, {0}}};
    double *axis = malloc((p->n + 1) * sizeof *axis);
    assert_non_null(axis);
    for (size_t a = 0; a < (soa ? dimensions : 1); ++a) {
        for (size_t i = 0; i < p->n; ++i)
            axis[i] = p->xyz[3 * i + a];
        g.axis[a] = soa ? xlt_buffer_make(axis, p->n, sizeof *axis, 3 + a)
                        : xlt_buffer_make(p->xyz, 3 * (p->n - 1) + dimensions, sizeof *axis, 3);
        g.view[a] = xlt_view(&g.axis[a]);
    }
    free(axis);
    return g;
}

void given_free(given *g)
{
    for (int a = 0; a < 3; ++a)
        if (g->axis[a].mem) {
            xlt_check_guards(&g->axis[a], "what is only read");
            xlt_buffer_free(&g->axis[a]);
        }
}

/* ---- a call ---------------------------------------------------------------------------------- */

static const char visit_text[] = "double visit(double sum, double d2, uint i, uint j, double4 p)\n"
                                 "{ return sum + (d2 * p.y + p.x) * (i == j ? 1.0 : p.z); }\n";

static void build(call *c, const wide_case *a)
{
    XLT_OK(xl_grid_index_create(xlt_context(), &c->index));
    XLT_OK(xl_grid_build_enqueue(c->grid, c->index, xlt_queue(),
                                 &(xl_grid_build_args){.n = a->points->n,
                                                       .points = c->points.view[0],
                                                       .points_y = c->points.view[1],
                                                       .points_z = c->points.view[2]},
                                 0, NULL, NULL));
}

call call_make(const wide_case *a)
{
    call c = {.n = a->queries ? a->queries->n : a->points->n, .dimensions = a->grid.dimensions};
    xl_grid_desc grid = a->grid;
    xl_neighbors_desc search = a->search;
    tune_as(a->how, &grid, &search);
    grid.layout = search.query_layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    search.visit = visit_text;
    search.details = 1;
    search.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    search.dimensions = grid.dimensions;
    search.radii = a->radii != NULL;
    XLT_OK(xl_grid_create(xlt_context(), &grid, &c.grid));
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &c.plan));
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

void call_free(call *c)
{
    given_free(&c->points);
    given_free(&c->queries);
    if (c->radii.mem)
        xlt_buffer_free(&c->radii);
    xl_neighbors_destroy(c->plan);
    xl_grid_index_destroy(c->index);
    xl_grid_destroy(c->grid);
}

static void counts_are(const char *what, const call *c, const wanted *w)
{
    uint64_t *offsets = calloc(c->n + 1, sizeof *offsets);
    assert_non_null(offsets);
    xlt_buffer out = xlt_buffer_make(NULL, c->n + 1, 8, 1);
    XLT_OK(xl_neighbors_count_enqueue(
        c->plan, c->index, xlt_queue(),
        &(xl_neighbors_count_args){.offsets = xlt_view(&out), QUERIES(c)}, 0, NULL, NULL));
    xlt_read(&out, offsets);
    offsets_equal(what, offsets, w->offsets, c->n);
    xlt_check_guards(&out, "offsets");
    xlt_buffer_free(&out);
    free(offsets);
}

/* Row i, whose pairs begin at place `at` of the arrays indices, distances2, vectors and shifts. */
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
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->index, xlt_queue(), &args, 0, NULL, NULL));
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
        c->plan, c->index, xlt_queue(),
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
    XLT_OK(xl_grid_index_status(c.index, xlt_queue(), NULL, 0, NULL));
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
    static unsigned turn;
    uint64_t pairs = 0;
    ++turn;
    for (a.how = TUNED_AS_IS; a.how < TUNED_WAYS; ++a.how)
        if (tuned_turn(a.how, turn))
            pairs = check(what, &a);
    return pairs;
}

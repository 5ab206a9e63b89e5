/* SPDX-License-Identifier: MIT
 * Support of the tests of neighbour lists with all that these may have. */
#include "neighbors_support.h"

#include <stdlib.h>

/* One coordinate of each, in an array. */
static xlt_buffer axis_of(const cloud *c, size_t axis)
{
    float *x = malloc((c->n + 1) * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < c->n; ++i)
        x[i] = c->xyz[i * c->stride + axis];
    const xlt_buffer made = xlt_buffer_make(x, c->n, sizeof *x, 1 + axis);
    free(x);
    return made;
}

search_call search_call_make(const search_case *a)
{
    search_call c = {.n = a->queries ? a->queries->n : a->points->n,
                     .dimensions = a->grid.dimensions};
    xl_grid_desc grid = a->grid;
    xl_neighbors_desc search = a->search;
    tune_as(a->how, &grid, &search);
    search.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    search.query_stride = a->queries ? (uint32_t)a->queries->stride : 3;
    search.query_layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    search.dimensions = grid.dimensions;
    search.radii = a->radii != NULL;
    search.periodic = grid.triclinic ? XL_REPEATS_CELL : grid.periodic != 0;
    search.batch = grid.num_systems > 0;
    c.b = build_grid(a->points, &grid);
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &c.plan));
    c.num_queries = a->queries ? c.n : 0;
    for (size_t axis = 0; a->queries && axis < (a->soa ? c.dimensions : 1); ++axis)
        c.queries[axis] =
            a->soa ? axis_of(a->queries, axis) : cloud_buffer(a->queries, c.dimensions, 5);
    if (a->radii)
        c.radii = xlt_buffer_make(a->radii, c.n, 4, 2);
    if (a->queries && search.batch)
        c.query_systems = xlt_buffer_make(a->queries->systems, c.n, 4, 3);
    c.offsets = xlt_buffer_make(NULL, c.n + 1, 8, 1);
    return c;
}

void search_call_free(search_call *c)
{
    xlt_buffer *const all[] = {&c->queries[0], &c->queries[1],    &c->queries[2],
                               &c->radii,      &c->query_systems, &c->offsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i]->mem) {
            xlt_check_guards(all[i], "queries, radii or offsets");
            xlt_buffer_free(all[i]);
        }
    xl_neighbors_destroy(c->plan);
    built_free(&c->b);
}

void search_call_count(const search_call *c)
{
    XLT_OK(xl_neighbors_count_enqueue(
        c->plan, c->b.index, xlt_queue(),
        &(xl_neighbors_count_args){.offsets = xlt_view(&c->offsets), SEARCHED(c)}, 0, NULL, NULL));
}

uint64_t check_in_ways(const char *what, search_case a,
                       uint64_t (*check)(const char *what, const search_case *a))
{
    uint64_t pairs = 0;
    for (a.how = TUNED_AS_IS; a.how < TUNED_WAYS; ++a.how)
        if (tuned_turn(a.how, SEARCH_FORM(&a)))
            pairs = check(what, &a);
    return pairs;
}

int pair_by_image(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->index != q->index)
        return p->index < q->index ? -1 : 1;
    for (int axis = 2; axis >= 0; --axis)
        if (p->shift[axis] != q->shift[axis])
            return p->shift[axis] < q->shift[axis] ? -1 : 1;
    return 0;
}

static bool pairs_equal(const pair *p, const pair *q)
{
    bool equal = pair_by_image(p, q) == 0 && p->distance2 == q->distance2;
    for (int axis = 0; axis < 3; ++axis)
        equal = equal && p->vector[axis] == q->vector[axis];
    return equal;
}

void row_equal(const char *what, size_t row, pair *got, const pair *wanted, size_t n, bool sorted)
{
    if (!sorted)
        qsort(got, n, sizeof *got, pair_by_image);
    for (size_t k = 0; k < n; ++k) {
        const pair *const p = &got[k], *const q = &wanted[k];
        if (!pairs_equal(p, q))
            XLT_FAIL("%s: row %zu, place %zu of %zu: %u (%d, %d, %d) %.17g far, (%.17g, %.17g, "
                     "%.17g), not %u (%d, %d, %d) %.17g far, (%.17g, %.17g, %.17g)",
                     what, row, k, n, p->index, p->shift[0], p->shift[1], p->shift[2], p->distance2,
                     p->vector[0], p->vector[1], p->vector[2], q->index, q->shift[0], q->shift[1],
                     q->shift[2], q->distance2, q->vector[0], q->vector[1], q->vector[2]);
    }
}

/* SPDX-License-Identifier: MIT
 * A grid and a search on it, against all pairs of points. */
#include "cases.h"

#include "reference.h"

#include <crosslane/grid.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float lower = 0.5f, upper = 7.0f; /* of the box given */

static float radius_of(const fuzz_case *c)
{
    static const float radii[] = {1.0f, 0.3f, 2.5f};
    return radii[c->of[RADIUS]];
}

static size_t stride_of(const fuzz_case *c)
{
    static const uint8_t strides[] = {3, 4, 7};
    return strides[c->of[STRIDE]];
}

/* Of whole numbers, so that the order of visits does not show. */
static const char visit_text[] = "float visit(float sum, float distance2, uint i, uint j, "
                                 "float4 params)\n{\n    return sum + params.y * (float)(j % 7u) + "
                                 "(float)(i & 1u) + (distance2 >= 0.0f ? 1.0f : 1000.0f);\n}";
static const float visit_params[4] = {0, 2, 0, 0}, visit_start = 3;

static xl_status open_grid(const fuzz_case *c, open_plan *plan)
{
    static const float cells[] = {1.0f, 0.25f, 50.0f};
    static const xl_grid_algorithm algorithms[] = {XL_GRID_AUTO, XL_GRID_COUNTING, XL_GRID_BITONIC};
    xl_grid_desc desc;
    xl_neighbors_desc search;
    xl_grid_desc_init(&desc);
    desc.stride = (uint32_t)stride_of(c);
    desc.cell_size = cells[c->of[CELL]];
    desc.bounded = (uint32_t)c->of[BOUNDED];
    for (int axis = 0; axis < 3 && desc.bounded; ++axis) {
        desc.lower[axis] = lower;
        desc.upper[axis] = upper;
    }
    desc.algorithm = algorithms[c->of[ALGORITHM] ? c->of[ALGORITHM] - XL_SCAN_BLELLOCH : 0];
    xl_neighbors_desc_init(&search);
    search.radius = radius_of(c);
    search.inclusive = (uint32_t)c->of[INCLUSIVE];
    search.include_self = (uint32_t)c->of[SELF];
    search.sorted = !c->of[UNSORTED];
    search.visit = visit_text;
    xl_status status = xl_grid_create(plan->ctx, &desc, &plan->of.search.grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(plan->ctx, &plan->of.search.index);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(plan->ctx, &search, &plan->of.search.neighbors);
    if (status != XL_SUCCESS) {
        xl_grid_index_destroy(plan->of.search.index);
        xl_grid_destroy(plan->of.search.grid);
    }
    return status;
}

static void close_grid(open_plan *plan)
{
    xl_neighbors_destroy(plan->of.search.neighbors);
    xl_grid_index_destroy(plan->of.search.index);
    xl_grid_destroy(plan->of.search.grid);
}

/* ---- all pairs ---------------------------------------------------------------------------------
 */

typedef struct answer {
    uint64_t bad, first_bad; /* points that are not finite, or else outside the box */
    bool non_finite;
    uint32_t *counts;
    uint64_t *offsets;
    uint32_t *indices;
    float *visits;
} answer;

static bool is_finite(const float *point)
{
    return isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]);
}

static bool is_outside(const float *point)
{
    for (int axis = 0; axis < 3; ++axis)
        if (point[axis] < lower || point[axis] > upper)
            return true;
    return false;
}

static void note_bad(answer *a, size_t i)
{
    if (a->bad++ == 0)
        a->first_bad = i;
}

static void judge_points(const fuzz_case *c, answer *a, size_t n, const float *points)
{
    const size_t stride = stride_of(c);
    for (size_t i = 0; i < n; ++i)
        if (!is_finite(points + i * stride))
            note_bad(a, i);
    a->non_finite = a->bad > 0;
    for (size_t i = 0; i < n && !a->non_finite && c->of[BOUNDED]; ++i)
        if (is_outside(points + i * stride))
            note_bad(a, i);
}

static void visit_pair(answer *a, size_t i, size_t j)
{
    a->visits[i] += visit_params[1] * (float)(j % 7) + (float)(i & 1) + 1.0f;
    a->indices[a->offsets[i] + a->counts[i]++] = (uint32_t)j;
}

static answer find_answer(const fuzz_case *c, size_t n, const float *points)
{
    const ref_search search = {.points = points,
                               .n = n,
                               .stride = stride_of(c),
                               .radius = radius_of(c),
                               .inclusive = c->of[INCLUSIVE] != 0,
                               .include_self = c->of[SELF] != 0};
    answer a = {.counts = make_bytes(n, sizeof *a.counts),
                .offsets = make_bytes(n + 1, sizeof *a.offsets),
                .indices = make_bytes(n * n, sizeof *a.indices),
                .visits = make_bytes(n, sizeof *a.visits)};
    judge_points(c, &a, n, points);
    for (size_t i = 0; i < n; ++i) {
        a.visits[i] = visit_start;
        for (size_t j = 0; j < n && a.bad == 0; ++j)
            if (ref_near(&search, i, j))
                visit_pair(&a, i, j);
        a.offsets[i + 1] = a.offsets[i] + a.counts[i];
    }
    if (a.bad > 0)
        a.offsets[n] = UINT64_MAX;
    return a;
}

static void free_answer(answer *a)
{
    free(a->counts);
    free(a->offsets);
    free(a->indices);
    free(a->visits);
}

/* ---- the calls
 * ------------------------------------------------------------------------------------ */

typedef struct call {
    xlt_buffer points, storage, scratch, counts, offsets, indices, visits, order_in, order_out;
    size_t n;
    uint64_t capacity;
    xl_grid_report report;
    xl_status status;
} call;

static uint64_t capacity_of(const fuzz_case *c, const answer *a, size_t n)
{
    const uint64_t pairs = a->bad ? 10 : a->offsets[n];
    return c->of[CUT] == CUT_HALF ? pairs / 2 : pairs;
}

static bool make_call(outcome *o, const fuzz_case *c, const open_plan *plan, call *b,
                      const float *points, const answer *a)
{
    const size_t n = (size_t)c->of[N], at = (size_t)c->of[OUT_AT];
    size_t storage = 0, scratch = 0, alignment[2] = {1, 1};
    uint32_t *order = make_bytes(n, sizeof *order);
    for (size_t i = 0; i < n; ++i)
        order[i] = (uint32_t)i;
    *b = (call){.n = n, .capacity = capacity_of(c, a, n)};
    b->points = guarded(points, n * stride_of(c), 4, (size_t)c->of[IN_AT]);
    b->counts = guarded(NULL, n, 4, at);
    b->offsets = guarded(NULL, n + 1, 8, at / 2);
    b->indices = guarded(NULL, (size_t)b->capacity, 4, at / 3);
    b->visits = guarded(NULL, n, 4, at / 4);
    b->order_in = guarded(order, n, 4, at / 5);
    b->order_out = guarded(NULL, n, 4, at);
    free(order);
    if (!succeeded(o, plan->ctx, xl_grid_scratch(plan->of.search.grid, n, &storage, &alignment[0]),
                   "xl_grid_scratch") ||
        !succeeded(o, plan->ctx,
                   xl_neighbors_scratch(plan->of.search.neighbors, n, &scratch, &alignment[1]),
                   "xl_neighbors_scratch"))
        return false;
    if (c->of[SCRATCH] == SCRATCH_GIVEN) {
        b->storage = xlt_scratch_make(storage, alignment[0]);
        b->scratch = xlt_scratch_make(scratch, alignment[1]);
    }
    return true;
}

static void free_call(call *b)
{
    xlt_buffer *const all[] = {&b->points,  &b->storage, &b->scratch,  &b->counts,   &b->offsets,
                               &b->indices, &b->visits,  &b->order_in, &b->order_out};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        xlt_buffer_free(all[k]);
}

/* One after the other by events, since the queue may be out of order. */
static bool enqueue(outcome *o, const open_plan *plan, call *b, const flight *f)
{
    xl_grid *grid = plan->of.search.grid;
    xl_grid_index *index = plan->of.search.index;
    xl_neighbors *search = plan->of.search.neighbors;
    cl_event built = NULL, counted = NULL;
    bool good =
        succeeded(o, plan->ctx,
                  xl_grid_build_enqueue(grid, index, f->queue,
                                        &(xl_grid_build_args){.n = b->n,
                                                              .points = xlt_view(&b->points),
                                                              .storage = xlt_view(&b->storage)},
                                        num_waits(f), waits(f), &built),
                  "xl_grid_build_enqueue") &&
        succeeded(
            o, plan->ctx,
            xl_neighbors_count_enqueue(search, index, f->queue,
                                       &(xl_neighbors_count_args){.counts = xlt_view(&b->counts),
                                                                  .offsets = xlt_view(&b->offsets),
                                                                  .scratch = xlt_view(&b->scratch)},
                                       1, &built, &counted),
            "xl_neighbors_count_enqueue") &&
        succeeded(
            o, plan->ctx,
            xl_neighbors_fill_enqueue(search, index, f->queue,
                                      &(xl_neighbors_fill_args){.offsets = xlt_view(&b->offsets),
                                                                .indices = xlt_view(&b->indices),
                                                                .capacity = b->capacity},
                                      1, &counted, NULL),
            "xl_neighbors_fill_enqueue") &&
        succeeded(o, plan->ctx,
                  xl_neighbors_visit_enqueue(
                      search, index, f->queue,
                      &(xl_neighbors_visit_args){.start = visit_start,
                                                 .params = {visit_params[0], visit_params[1],
                                                            visit_params[2], visit_params[3]},
                                                 .out = xlt_view(&b->visits)},
                      1, &built, NULL),
                  "xl_neighbors_visit_enqueue") &&
        succeeded(o, plan->ctx,
                  xl_grid_reorder_enqueue(grid, index, f->queue,
                                          &(xl_grid_reorder_args){.element_bytes = 4,
                                                                  .in = xlt_view(&b->order_in),
                                                                  .out = xlt_view(&b->order_out)},
                                          1, &built, NULL),
                  "xl_grid_reorder_enqueue");
    if (built)
        clReleaseEvent(built);
    if (counted)
        clReleaseEvent(counted);
    return good;
}

/* ---- what came out
 * --------------------------------------------------------------------------------- */

static bool check_report(outcome *o, const call *b, const answer *a)
{
    const xl_grid_report *r = &b->report;
    const xl_status wanted = a->bad == 0     ? XL_SUCCESS
                             : a->non_finite ? XL_ERROR_NON_FINITE
                                             : XL_ERROR_OUT_OF_DOMAIN;
    const uint64_t found = a->non_finite ? r->non_finite : r->out_of_domain,
                   first = a->non_finite ? r->first_non_finite : r->first_out_of_domain;
    if (b->status != wanted)
        return failed(o, "the build gave %s, not %s", xl_status_name(b->status),
                      xl_status_name(wanted));
    if (r->points != b->n || found != a->bad || (a->bad > 0 && first != a->first_bad))
        return failed(o, "of %llu points %llu, first %llu, are reported bad, not %llu, first %llu",
                      (unsigned long long)r->points, (unsigned long long)found,
                      (unsigned long long)first, (unsigned long long)a->bad,
                      (unsigned long long)a->first_bad);
    return true;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool check_row(outcome *o, const fuzz_case *c, const call *b, const answer *a, size_t i,
                      uint32_t *row)
{
    const uint32_t untouched = 0x01010101u * UNTOUCHED, *wanted = a->indices + a->offsets[i];
    const size_t count = a->counts[i];
    if (a->offsets[i + 1] > b->capacity) {
        for (uint64_t k = a->offsets[i]; k < b->capacity; ++k)
            if (row[k - a->offsets[i]] != untouched)
                return failed(o, "row %zu passes the capacity and was written", i);
        return true;
    }
    if (c->of[UNSORTED] && count > 0)
        qsort(row, count, sizeof *row, by_number);
    for (size_t k = 0; k < count; ++k)
        if (row[k] != wanted[k])
            return failed(o, "row %zu, entry %zu of %zu is %u, not %u", i, k, count,
                          (unsigned)row[k], (unsigned)wanted[k]);
    return true;
}

static bool check_lists(outcome *o, const fuzz_case *c, const call *b, const answer *a)
{
    uint32_t *counts = make_bytes(b->n, 4), *indices = make_bytes((size_t)b->capacity, 4);
    uint64_t *offsets = make_bytes(b->n + 1, 8);
    bool good = read_guarded(o, &b->counts, "counts", counts) &&
                read_guarded(o, &b->offsets, "offsets", offsets) &&
                read_guarded(o, &b->indices, "indices", indices);
    for (size_t i = 0; good && i < b->n; ++i)
        if (counts[i] != a->counts[i])
            good = failed(o, "count %zu is %u, not %u", i, (unsigned)counts[i],
                          (unsigned)a->counts[i]);
    for (size_t i = 0; good && i <= b->n; ++i)
        if (offsets[i] != a->offsets[i] && (a->bad == 0 || i == b->n))
            good = failed(o, "offset %zu is %llu, not %llu", i, (unsigned long long)offsets[i],
                          (unsigned long long)a->offsets[i]);
    for (size_t i = 0; good && i < b->n && a->bad == 0 && a->offsets[i] <= b->capacity; ++i)
        good = check_row(o, c, b, a, i, indices + a->offsets[i]);
    free(counts);
    free(offsets);
    free(indices);
    return good;
}

static bool check_visits(outcome *o, const call *b, const answer *a)
{
    float *visits = make_bytes(b->n, 4);
    bool good = read_guarded(o, &b->visits, "visits", visits);
    for (size_t i = 0; good && i < b->n; ++i)
        if (a->bad ? !isnan(visits[i]) : visits[i] != a->visits[i])
            good = failed(o, "visit %zu came to %g, not %g", i, (double)visits[i],
                          a->bad ? (double)NAN : (double)a->visits[i]);
    free(visits);
    return good;
}

/* Of points in one place the first comes first; whether others share a cell is the library's
 * own matter. */
static bool check_ties(outcome *o, const fuzz_case *c, const float *points, size_t n,
                       const uint32_t *order)
{
    const size_t stride = stride_of(c);
    for (size_t k = 1; k < n; ++k)
        if (order[k] < order[k - 1] &&
            memcmp(points + order[k] * stride, points + order[k - 1] * stride,
                   3 * sizeof *points) == 0)
            return failed(o, "points %u and %u, which coincide, are in the wrong order",
                          (unsigned)order[k], (unsigned)order[k - 1]);
    return true;
}

/* The order holds each point once. */
static bool check_order(outcome *o, const fuzz_case *c, const call *b, const answer *a,
                        const float *points)
{
    uint32_t *order = make_bytes(b->n, 4), *sorted = make_bytes(b->n, 4);
    bool good = read_guarded(o, &b->order_out, "order", order);
    memcpy(sorted, order, b->n * sizeof *order);
    qsort(sorted, b->n, sizeof *sorted, by_number);
    for (size_t i = 0; good && i < b->n; ++i)
        if (sorted[i] != i)
            good = failed(o, "the order of the cells does not hold point %zu once", i);
    good = good && (a->bad > 0 || check_ties(o, c, points, b->n, order));
    free(order);
    free(sorted);
    return good;
}

static void run_grid(const fuzz_case *c, open_plan *plan, outcome *o)
{
    const size_t n = (size_t)c->of[N];
    float *points = make_points(c, n, stride_of(c));
    answer a = find_answer(c, n, points);
    call b = {.n = n};
    flight f;
    bool good =
        take_off(o, c, &f) && make_call(o, c, plan, &b, points, &a) && enqueue(o, plan, &b, &f);
    good = land(o, &f) && good;
    if (good)
        b.status = xl_grid_index_status(plan->of.search.index, f.queue, &b.report, 0, NULL);
    good = good && check_report(o, &b, &a) && check_lists(o, c, &b, &a) &&
           check_visits(o, &b, &a) && check_order(o, c, &b, &a, points) &&
           unchanged(o, &b.points, "points", points) &&
           (!b.storage.mem || read_guarded(o, &b.storage, "storage", NULL)) &&
           (!b.scratch.mem || read_guarded(o, &b.scratch, "scratch", NULL));
    (void)good;
    free_call(&b);
    free_answer(&a);
    free(points);
}

const primitive grid_primitive = {open_grid, run_grid, close_grid};

/* SPDX-License-Identifier: MIT
 * Approximate nearest points, against the same orders searched one
 * query after the other; and what holds of every row: each point once, in order, at its own
 * distance. */
#include "cases.h"

#include "reference.h"

#include <crosslane/nearest_approximate.h>
#include <math.h>
#include <string.h>

enum { POINTS_IN, QUERIES_IN, INDICES_OUT, DISTANCES_OUT, ROOM };

static ref_nearest_approximate_search describe(const fuzz_case *c)
{
    static const uint8_t strides[] = {3, 4, 7}, ks[] = {8, 1, 17}, shifts[] = {0, 1, 2, 5};
    const size_t dimensions = 3 - (size_t)c->of[DIMENSIONS];
    ref_nearest_approximate_search s = {.n = (size_t)c->of[N],
                                        .stride = strides[c->of[STRIDE]],
                                        .dimensions = dimensions,
                                        .num_queries = c->of[AROUND] ? (size_t)c->of[OTHER] : 0,
                                        .query_stride = dimensions,
                                        .k = ks[c->of[NEIGHBORS]],
                                        .shifts = shifts[c->of[ORDERS]],
                                        .include_self = c->of[SELF] != 0,
                                        .wide = !c->of[CODE]};
    if (s.shifts == 0)
        s.shifts = dimensions + 1;
    for (size_t a = 0; a < dimensions; ++a) {
        s.lower[a] = -1.5f;
        s.upper[a] = 6.25f;
    }
    return s;
}

static xl_status open_approximate(const fuzz_case *c, open_plan *plan)
{
    const ref_nearest_approximate_search s = describe(c);
    xl_nearest_approximate_desc desc;
    xl_nearest_approximate_desc_init(&desc);
    desc.k = (uint32_t)s.k;
    desc.shifts = c->of[ORDERS] ? (uint32_t)s.shifts : 0;
    desc.queries = c->of[AROUND] ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.space.dimensions = (uint32_t)s.dimensions;
    desc.stride = (uint32_t)s.stride;
    desc.query_stride = (uint32_t)s.query_stride;
    desc.include_self = s.include_self;
    desc.code = s.wide ? XL_U64 : XL_U32;
    for (size_t a = 0; a < s.dimensions; ++a) {
        desc.space.origin[a] = (double)s.lower[a];
        desc.space.cell[a][a] = (double)(s.upper[a] - s.lower[a]);
    }
    return xl_nearest_approximate_create(plan->ctx, &desc, &plan->of.array_plan);
}

/* ---- the call -------------------------------------------------------------------------------- */

static size_t first_row(const fuzz_case *c)
{
    const size_t rows = (size_t)c->of[c->of[AROUND] ? OTHER : N];
    return (size_t)c->of[FIRST] % (rows + 1);
}

static size_t rows_of(const fuzz_case *c)
{
    const size_t left = (size_t)c->of[c->of[AROUND] ? OTHER : N] - first_row(c);
    return c->of[ROWS] > 0 && c->of[ROWS] < left ? (size_t)c->of[ROWS] : left;
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const xl_nearest_approximate_args args = {.n = (size_t)c->of[N],
                                              .points = array_view(&a[POINTS_IN]),
                                              .num_queries =
                                                  c->of[AROUND] ? (size_t)c->of[OTHER] : 0,
                                              .queries = array_view(&a[QUERIES_IN]),
                                              .indices = array_view(&a[INDICES_OUT]),
                                              .distances2 = array_view(&a[DISTANCES_OUT]),
                                              .scratch = array_view(&a[ROOM]),
                                              .first_row = first_row(c),
                                              .num_rows = rows_of(c)};
    return xl_nearest_approximate_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f),
                                          waits(f), f->event);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Some outside of the box; of odd data some nowhere. */
static float *make_places(const fuzz_case *c, size_t n, size_t stride, size_t dimensions,
                          uint64_t which)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f};
    xlt_random random = random_of(c->of[SEED], which);
    float *const places = make_bytes(n * stride, sizeof *places);
    for (size_t i = 0; i < n * stride; ++i) {
        const size_t axis = i % stride;
        const float any = 8.5f * xlt_unit(&random) - 2;
        places[i] = axis >= dimensions      ? NAN
                    : c->of[DATA] == ZEROS  ? 0
                    : c->of[DATA] == EQUAL  ? 1.25f
                    : c->of[DATA] == REAL   ? (float)(i / stride >> 2 * axis & 3) / 4
                    : c->of[DATA] == SORTED ? (axis == 0 ? any : 0)
                                            : any;
        if (c->of[DATA] == ODD && axis < dimensions && xlt_below(&random, 20) == 0)
            places[i] = odd[xlt_below(&random, 4)];
    }
    return places;
}

/* ---- what holds of every row ----------------------------------------------------------------- */

static const ref_nearest_approximate_search *running;

static float distance2(const float *q, const float *p, size_t dimensions)
{
    const float dx = q[0] - p[0], dy = q[1] - p[1], dz = dimensions > 2 ? q[2] - p[2] : 0;
    return (dx * dx + dy * dy) + dz * dz;
}

static bool holds_row(outcome *o, const fuzz_case *c, size_t row, const uint32_t *indices,
                      const float *distances)
{
    const ref_nearest_approximate_search *s = running;
    const float *const q =
        s->queries ? s->queries + row * s->query_stride : s->points + row * s->stride;
    for (size_t i = 0; i < s->k; ++i) {
        if (indices[i] == UINT32_MAX)
            continue;
        if (indices[i] >= s->n || (!s->queries && !c->of[SELF] && indices[i] == row))
            return failed(o, "row %zu: %u is no neighbour", row, (unsigned)indices[i]);
        if (distance2(q, s->points + indices[i] * s->stride, s->dimensions) != distances[i])
            return failed(o, "row %zu: %u is at another distance", row, (unsigned)indices[i]);
        if (i > 0 && (distances[i] < distances[i - 1] ||
                      (distances[i] == distances[i - 1] && indices[i] <= indices[i - 1])))
            return failed(o, "row %zu: entry %zu is out of order", row, i);
    }
    return true;
}

static bool holds(outcome *o, const fuzz_case *c, const call_array *a)
{
    for (size_t i = 0; i < rows_of(c); ++i)
        if (!holds_row(o, c, first_row(c) + i,
                       (const uint32_t *)a[INDICES_OUT].got + i * running->k,
                       (const float *)a[DISTANCES_OUT].got + i * running->k))
            return false;
    return true;
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o,
                       const ref_nearest_approximate_search *s, const uint32_t *indices,
                       const float *distances)
{
    static const exact_call call = {"xl_nearest_approximate_enqueue", enqueue, holds};
    const size_t at = (size_t)c->of[OUT_AT], from = first_row(c) * s->k, places = rows_of(c) * s->k,
                 scalars = s->n > 0 ? (s->n - 1) * s->stride + s->dimensions : 0;
    call_array arrays[CALL_ARRAYS] = {{0}};
    size_t scratch = 0;
    if (!succeeded(o, plan->ctx,
                   xl_nearest_approximate_scratch(
                       plan->of.array_plan,
                       &(xl_nearest_approximate_args){.n = s->n, .num_queries = s->num_queries},
                       &scratch),
                   "xl_nearest_approximate_scratch"))
        return;
    arrays[POINTS_IN] = input_array("points", s->points, scalars, 4, (size_t)c->of[IN_AT]);
    arrays[QUERIES_IN] = input_array(s->queries ? "queries" : NULL, s->queries,
                                     s->num_queries * s->dimensions, 4, at / 2);
    arrays[INDICES_OUT] = output_array("indices", indices + from, places, 4, at);
    arrays[DISTANCES_OUT] = output_array("distances2", distances + from, places, 4, at / 3);
    arrays[DISTANCES_OUT].will_do = is_alike;
    arrays[ROOM] = scratch_array(c, scratch);
    running = s;
    run_exact(o, c, plan, &call, arrays);
}

static void run_approximate(const fuzz_case *c, open_plan *plan, outcome *o)
{
    ref_nearest_approximate_search s = describe(c);
    const size_t rows = c->of[AROUND] ? s.num_queries : s.n;
    float *points = make_places(c, s.n, s.stride, s.dimensions, 60),
          *queries = make_places(c, s.num_queries, s.query_stride, s.dimensions, 61),
          *distances = make_bytes(rows * s.k, sizeof *distances);
    uint32_t *indices = make_bytes(rows * s.k, sizeof *indices);
    s.points = points;
    s.queries = c->of[AROUND] ? queries : NULL;
    XLT_TRUE(ref_nearest_approximate(&s, indices, distances));
    run_arrays(c, plan, o, &s, indices, distances);
}

const primitive approximate_primitive = {open_approximate, run_approximate, close_array_plan};

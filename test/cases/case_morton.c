/* SPDX-License-Identifier: MIT
 * Morton codes, against codes made bit by bit. */
#include "cases.h"

#include "reference.h"

#include <crosslane/morton.h>
#include <math.h>

enum { POINTS_IN, CODES_OUT };

/* A box; of plans alike it is the same. */
static xl_morton_desc describe(const fuzz_case *c)
{
    static const uint8_t strides[] = {3, 4, 7};
    xl_morton_desc desc;
    xl_morton_desc_init(&desc);
    desc.space.dimensions = 3 - (uint32_t)c->of[DIMENSIONS];
    desc.stride = strides[c->of[STRIDE]];
    desc.code = c->of[CODE] ? XL_U32 : XL_U64;
    return desc;
}

/* A box of any size, which may be flat or a point. */
static void make_box(const fuzz_case *c, xl_morton_desc *desc, float lower[3], float edges[3])
{
    static const float sizes[] = {1, 8, 1e-20f, 1e20f, 0};
    xlt_random random = random_of(c->of[SHAPE], 6);
    const float size = sizes[xlt_below(&random, 5)];
    for (uint32_t a = 0; a < desc->space.dimensions; ++a) {
        lower[a] = size * (xlt_unit(&random) - 0.5f);
        edges[a] = xlt_below(&random, 6) ? size * xlt_unit(&random) : 0;
        desc->space.origin[a] = (double)lower[a];
        desc->space.cell[a][a] = (double)edges[a];
    }
}

static xl_status open_morton(const fuzz_case *c, open_plan *plan)
{
    xl_morton_desc desc = describe(c);
    return xl_morton_create(plan->ctx, &desc, &plan->of.space.morton);
}

static float *make_places(const fuzz_case *c, const xl_morton_desc *desc, const float lower[3],
                          const float edges[3], size_t scalars)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f};
    xlt_random random = random_of(c->of[SEED], 5);
    float *const places = make_bytes(scalars, sizeof *places);
    for (size_t i = 0; i < scalars; ++i) {
        const size_t a = i % desc->stride;
        const float any = 1.4f * xlt_unit(&random) - 0.2f,
                    part = c->of[DATA] == ZEROS  ? 0
                           : c->of[DATA] == REAL ? (float)(i / desc->stride >> 2 * a & 3) / 4
                                                 : any;
        places[i] = a < desc->space.dimensions ? lower[a] + part * edges[a] : (float)NAN;
        if (c->of[DATA] == ODD && xlt_below(&random, 20) == 0)
            places[i] = odd[xlt_below(&random, 6)];
    }
    return places;
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const xl_morton_args args = {.n = (size_t)c->of[N],
                                 .points = array_view(&a[POINTS_IN]),
                                 .codes = array_view(&a[CODES_OUT])};
    return xl_morton_enqueue(plan->of.space.morton, f->queue, &args, num_waits(f), waits(f),
                             f->event);
}

static void *find_codes(const xl_morton_desc *desc, const float lower[3], const float edges[3],
                        const float *places, size_t n)
{
    const bool wide = desc->code == XL_U64;
    const size_t bits = desc->space.dimensions == 2 ? (wide ? 32 : 16) : wide ? 21 : 10;
    void *const codes = make_bytes(n, wide ? 8 : 4);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t code = ref_morton_of(desc->space.dimensions, bits, wide, lower, edges,
                                            places + i * desc->stride);
        if (wide)
            ((uint64_t *)codes)[i] = code;
        else
            ((uint32_t *)codes)[i] = (uint32_t)code;
    }
    return codes;
}

/* The plan is the case's own, as its box is. */
static void run_morton(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"xl_morton_enqueue", enqueue, NULL};
    const size_t n = (size_t)c->of[N], at = (size_t)c->of[OUT_AT];
    xl_morton_desc desc = describe(c);
    float lower[3] = {0}, edges[3] = {0};
    make_box(c, &desc, lower, edges);
    const size_t scalars = n > 0 ? (n - 1) * desc.stride + desc.space.dimensions : 0;
    float *places = make_places(c, &desc, lower, edges, n * desc.stride);
    void *codes = find_codes(&desc, lower, edges, places, n);
    xl_plan_destroy(plan->of.space.morton);
    plan->of.space.morton = NULL;
    if (succeeded(o, plan->ctx, xl_morton_create(plan->ctx, &desc, &plan->of.space.morton),
                  "xl_morton_create")) {
        const call_array arrays[CALL_ARRAYS] = {
            [POINTS_IN] = input_array("points", places, scalars, 4, (size_t)c->of[IN_AT]),
            [CODES_OUT] = output_array("codes", codes, n, xl_type_size(desc.code), at)};
        run_exact(o, c, plan, &call, arrays);
    }
}

const primitive morton_primitive = {open_morton, run_morton, close_space};

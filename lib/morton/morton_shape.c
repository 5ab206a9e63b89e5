/* SPDX-License-Identifier: MIT
 * Problem and shape of Morton codes. */
#include "morton_plan.h"

/* The scale stays a normal number. */
#define LEAST_SCALE 0x1p-126
#define GREATEST_SCALE 0x1p127

/* The largest power of two of which 2^bits cells reach from end to end of the longest side. The
 * library links no mathematics. */
static float scale_of(const xl_morton_desc *desc, int bits)
{
    const double cells = (double)((uint64_t)1 << bits);
    double longest = 0, scale = GREATEST_SCALE;
    for (uint32_t a = 0; a < desc->dimensions; ++a) {
        const double side = (double)desc->upper[a] - (double)desc->lower[a];
        longest = side > longest ? side : longest;
    }
    while (longest * scale > cells && scale > LEAST_SCALE)
        scale /= 2;
    return (float)scale;
}

xli_morton_problem xli_morton_problem_of(const xl_morton_desc *desc)
{
    const bool wide = desc->code == XL_U64;
    xli_morton_problem problem = {.dimensions = desc->dimensions,
                                  .stride = desc->stride,
                                  .wide = wide,
                                  .scale = scale_of(desc, desc->dimensions == 2 ? (wide ? 32 : 16)
                                                          : wide                ? 21
                                                                                : 10)};
    for (uint32_t a = 0; a < desc->dimensions; ++a)
        problem.lower.s[a] = desc->lower[a];
    return problem;
}

xli_morton_shape xli_morton_shape_of(const xli_tune_device *device, const xli_tune_morton *tune)
{
    enum { FEW = 256 }; /* where long loops are ended */
    return (xli_morton_shape){
        .group = (uint32_t)xli_max(1, xli_min(tune->group, device->max_work_group)),
        .items = (uint32_t)xli_min(tune->items, device->ends_loops ? FEW : UINT32_MAX)};
}

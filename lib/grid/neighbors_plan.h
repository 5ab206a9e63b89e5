/* SPDX-License-Identifier: MIT
 * What the files of a neighbour search share: its plan. */
#ifndef XLI_NEIGHBORS_PLAN_H
#define XLI_NEIGHBORS_PLAN_H

#include "grid_plan.h"

struct xl_neighbors {
    xl_context *ctx;
    float radius, radius2;
    float reach; /* the radius and what rounding may add to it */
    bool visits;
    bool periodic, radii, given; /* as the descriptor has it: queries are given */
    uint32_t dimensions, query_stride;
    bool ends_loops; /* the device: see xli_capabilities */
    xli_tune_neighbors tune;
    uint32_t planes; /* grid.planes: that of the indices that it takes */
    xl_scan *scan;   /* of u64 */
    xli_kernel count, fill, visit;
    xli_kernel total; /* where the device ends loops */
    xli_pool pool;
};

/* A pair is taken by its rounded square distance, so its true distance along an
 * axis may exceed the radius by some units of 2^-24: squaring, comparing with a
 * rounded square, and the subtraction round once each. 2^-19 is beyond all. */
static inline float xli_neighbors_reach(float radius)
{
    return (float)((double)radius * (1.0 + 0x1p-19));
}

#endif

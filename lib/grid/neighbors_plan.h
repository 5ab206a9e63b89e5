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

#endif

/* SPDX-License-Identifier: MIT
 * Prefix sums of counters, in place (cl/grid/grid_sums.cl): of the build of a grid, and of the
 * offsets of a neighbour list. */
#ifndef XLI_GRID_SUMS_H
#define XLI_GRID_SUMS_H

#include "runtime.h"
#include "tune.h"

typedef struct xli_sums {
    xli_kernel totals, write;
    size_t group, tile;          /* work-items; counters that a group adds at a time */
    size_t most_groups, longest; /* of a launch; counters of a group */
} xli_sums;

/* Builds the program, which all plans of a context share. */
xl_status xli_sums_make(xl_context *ctx, const xli_tune_device *device, xli_sums *sums);
void xli_sums_drop(xli_sums *sums); /* a zeroed one is fine */

/* Bytes that the sum of n counters needs for totals. Monotone in n. */
size_t xli_sums_scratch(const xli_sums *sums, size_t n);

/* n counters from element `at` of a buffer on. */
typedef struct xli_sums_call {
    cl_mem words;
    uint64_t at;
    bool wide;      /* counters have 64 bits, not 32 */
    bool inclusive; /* each sum includes its counter */
    size_t n;
    xl_view n_device; /* ulong: their number, if it is less than n; or no view */
    cl_mem totals;    /* as large as xli_sums_scratch() says, from byte totals_at on */
    uint64_t totals_at;
} xli_sums_call;
xl_status xli_sums_launch(const xli_sums *sums, xli_seq *seq, const xli_sums_call *call);

#endif

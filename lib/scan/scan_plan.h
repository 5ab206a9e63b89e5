/* SPDX-License-Identifier: MIT
 * A scan inside: problem, shape and kernels.
 *
 * A call walks: check (scan_check.c) -> launches (scan_enqueue.c, scan_textbook.c,
 * scan_reproducible.c) -> kernel (cl/scan/scan_*.cl) -> event. A plan is made by scan.c. Each of
 * the files uses only those above it: scan_shape.c     how a problem is laid out on a device
 *     scan_check.c     descriptors and calls, before any side effect
 *     scan_kernels.c   what is compiled for problem and shape
 *     scan_textbook.c  launches of the textbook scans
 *     scan_reproducible.c  launches of the scan that is the same on every device
 *     scan_enqueue.c   launches
 *     scan_selftest.c  whether a device may look back
 *     scan.c           the public calls */
#ifndef XLI_SCAN_PLAN_H
#define XLI_SCAN_PLAN_H

#include "scan_shape.h"
#include "wrap.h"

typedef struct xli_scan_kernels {
    xli_kernel reduce; /* all but look-back */
    xli_kernel downsweep;
    xli_kernel clear; /* look-back */
    xli_kernel lookback;
    xli_kernel lookback_short_tiles; /* where tiles are shorter */
    xli_kernel lookback_in_place;    /* where that is another kernel */
    xli_kernel upsweep_spine;        /* the textbook scans, on the levels above the elements */
    xli_kernel scan_spine;           /* these, and reduce-then-scan where a work-item is a group */
    xli_kernel window_starts;        /* of the tree that is the same on every device */
} xli_scan_kernels;

typedef struct xli_scan_plan xli_scan_plan;
struct xli_scan_plan {
    xl_context *ctx;
    xli_problem problem;
    xli_scan_shape shape;
    xli_scan_kernels kernels;
    xli_init init;
    xli_pool pool;
};

/* ---- scan_check.c --------------------------------------------------------- */

/* Resolves a descriptor, and says which algorithm it asks for: CROSSLANE_SCAN's where it leaves
 * the choice, a textbook scan where bits must not depend on the device; may be AUTO. */
xl_status xli_scan_check(const xl_context *ctx, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, xli_problem *problem,
                         xl_scan_algorithm *wish);

xl_status xli_scan_check_call(const xl_context *ctx, const xli_problem *problem,
                              const xl_scan_args *call, xli_spans *spans);

/* ---- scan_kernels.c ------------------------------------------------------- */

/* The definitions that kernels of problem and shape start from. */
xl_status xli_scan_text(const xli_scan_plan *plan, const xl_scan_desc *desc,
                        const xli_capabilities *capabilities, xli_text *text);

/* Builds every kernel that problem and shape need, in place of what is there; *most is the least
 * of their own limits of work-items of a group. */
xl_status xli_scan_build(xli_scan_plan *plan, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, size_t *most);
void xli_scan_drop_kernels(xli_scan_plan *plan);

/* ---- scan_textbook.c: the two share their kernels' names and launches ------- */

size_t xli_textbook_scratch(const xli_scan_plan *plan, size_t n);
xl_status xli_textbook_enqueue(xli_scan_plan *plan, xli_flow *flow);

/* ---- scan_reproducible.c --------------------------------------------------- */

/* Whether a plan computes its xli_scan_tree by launches of these. */
static inline bool xli_scan_is_tree(const xli_scan_plan *plan)
{
    return plan->shape.tree.size > 0 && plan->shape.algorithm == XL_SCAN_REDUCE_THEN_SCAN;
}

size_t xli_reproducible_scratch(const xli_scan_plan *plan, size_t n);
xl_status xli_reproducible_enqueue(xli_scan_plan *plan, xli_flow *flow);

/* ---- scan_enqueue.c ------------------------------------------------------- */

/* Half an epoch's turn: after so many calls of look-back a plan's own state is made anew. */
enum { XLI_SCAN_MOST_CALLS = 1 << 29 };

/* What a plan needs for calls, once it has its shape: a pool as look-back wants it. */
xl_status xli_scan_make_pool(xli_scan_plan *plan);

size_t xli_scan_scratch(const xli_scan_plan *plan, size_t n);
xl_status xli_scan_enqueue(xli_scan_plan *plan, cl_command_queue queue, const xl_scan_args *call,
                           cl_uint num_waits, const cl_event *waits, cl_event *event);

/* ---- scan_selftest.c ------------------------------------------------------ */

/* A capability of the context's device: whether look-back by that file (XLI_FILE_...) gives right
 * results. Tried the first time, then remembered, but not that memory was lacking. A self-test that
 * does not run to its end is an error only where look-back was asked for `by_name`. */
xl_status xli_scan_can_look_back(xl_context *ctx, unsigned file, bool by_name, bool *good);

XLI_DECLARE(scan)
xl_status xli_scan_call(xli_scan_plan *plan, cl_command_queue queue, const xl_scan_args *args,
                        size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event);

#endif

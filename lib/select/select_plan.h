/* SPDX-License-Identifier: MIT
 * A selection inside: problem, shape and kernels.
 *
 * A call walks: check (select_check.c) -> launches (select_enqueue.c) -> kernels (cl/select) ->
 * event. A plan is made by select.c. Each of the files uses only those above it:
 *     select_shape.c    how a problem is laid out on a device
 *     select_check.c    descriptors and calls, before any side effect
 *     select_kernels.c  what is compiled for problem and shape
 *     select_enqueue.c  launches
 *     select.c          the public calls */
#ifndef XLI_SELECT_PLAN_H
#define XLI_SELECT_PLAN_H

#include "select_shape.h"
#include "wrap.h"

/* The arrays of one call, as spans: those that are read, then those that are written. */
enum {
    XLI_SELECT_N_DEVICE = 0,
    XLI_SELECT_IN,
    XLI_SELECT_FLAGS, /* or the lengths of runs */
    XLI_SELECT_VALUES_IN,
    XLI_SELECT_OUT = XLI_SELECT_VALUES_IN + XLI_SELECT_VALUES,
    XLI_SELECT_INDICES,
    XLI_SELECT_LENGTHS,
    XLI_SELECT_COUNT,
    XLI_SELECT_VALUES_OUT,
    XLI_SELECT_SPANS = XLI_SELECT_VALUES_OUT + XLI_SELECT_VALUES
};
typedef struct xli_select_spans {
    size_t n, capacity; /* elements */
    xli_span at[XLI_SELECT_SPANS];
    xli_param_values params;
} xli_select_spans;

typedef struct xli_select_kernels {
    xli_kernel clear, sweep; /* one pass */
    xli_kernel count, spine, write;
} xli_select_kernels;

typedef struct xli_select_plan xli_select_plan;
struct xli_select_plan {
    xl_context *ctx;
    xli_select_problem problem;
    xli_select_shape shape;
    xli_select_kernels kernels;
    uint32_t sub_group;
    xli_pool pool;
};

/* ---- select_check.c -------------------------------------------------------- */

/* Resolves a descriptor. */
xl_status xli_select_check_desc(const xl_context *ctx, const xli_capabilities *capabilities,
                                const xl_select_desc *desc, xli_select_problem *problem);

/* Checks the views and that none overlaps that may not. */
xl_status xli_select_check_call(const xl_context *ctx, const xli_select_problem *problem,
                                const xl_select_args *args, xli_select_spans *spans);

/* Checks that the scratch shares nothing with the arrays. */
xl_status xli_select_check_scratch(const xl_context *ctx, const xli_select_spans *spans,
                                   const xli_span *scratch);

/* ---- select_kernels.c ------------------------------------------------------ */

/* Compiles the kernels of the plan's shape. *most: the work-items that they allow a group; if that
 * is what the shape has or more, all is well. */
xl_status xli_select_build(xli_select_plan *plan, const xli_capabilities *capabilities,
                           size_t *most);
void xli_select_drop_kernels(xli_select_plan *plan);

/* ---- select_enqueue.c ------------------------------------------------------ */

xl_status xli_select_launch(xli_select_plan *plan, xli_seq *seq, const xli_select_spans *spans,
                            const xli_span *scratch);

XLI_DECLARE(select)
xl_status xli_select_scratch(const xli_select_plan *plan, size_t n, size_t *bytes,
                             size_t *alignment);
xl_status xli_select_enqueue(xli_select_plan *plan, cl_command_queue queue,
                             const xl_select_args *args, size_t size, cl_uint num_waits,
                             const cl_event *waits, cl_event *event);

#endif

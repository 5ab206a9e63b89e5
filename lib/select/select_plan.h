/* SPDX-License-Identifier: MIT
 * The plan of a selection. A call goes from select.c (sizes, arrays) to select_enqueue.c (launches)
 * and cl/select. */
#ifndef XLI_SELECT_PLAN_H
#define XLI_SELECT_PLAN_H

#include "primitive.h"
#include "select_shape.h"

typedef struct xli_select_kernels {
    xli_kernel clear, sweep, parts; /* one launch */
    xli_kernel count, spine, write;
} xli_select_kernels;

typedef struct xli_select_plan {
    xl_plan base;
    xli_select_problem problem;
    xli_select_shape shape;
    xli_select_kernels kernels;
    uint32_t sub_group;
} xli_select_plan;

/* The arrays of a call: first those that are read. */
enum {
    XLI_SELECT_N_DEVICE,
    XLI_SELECT_IN,
    XLI_SELECT_FLAGS,
    XLI_SELECT_LENGTHS_IN,
    XLI_SELECT_VALUES_IN,
    XLI_SELECT_OUT = XLI_SELECT_VALUES_IN + XLI_VALUES,
    XLI_SELECT_INDICES,
    XLI_SELECT_LENGTHS,
    XLI_SELECT_COUNT,
    XLI_SELECT_VALUES_OUT,
    XLI_SELECT_SPANS = XLI_SELECT_VALUES_OUT + XLI_VALUES
};

/* select_check.c: checks a descriptor, and then resolves it for a device. */
xl_status xli_select_check(xl_context *ctx, const void *desc);
xl_status xli_select_resolve(const xl_context *ctx, const xli_capabilities *capabilities,
                             const xl_select_desc *desc, xli_select_problem *problem);

/* select_enqueue.c */
xl_status xli_select_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                            const xli_span *scratch);

#endif

/* SPDX-License-Identifier: MIT
 * A merge inside: problem, shape and kernels.
 *
 * A call walks: check (merge_check.c) -> launches (merge_enqueue.c) -> kernels
 * (cl/merge/merge_sorted.cl) -> event. A plan is made by merge.c. Each of the files uses only those
 * above it:
 *     merge_shape.c    how a problem is laid out on a device
 *     merge_check.c    descriptors and calls, before any side effect
 *     merge_kernels.c  what is compiled for problem and shape
 *     merge_enqueue.c  launches
 *     merge.c          the public calls */
#ifndef XLI_MERGE_PLAN_H
#define XLI_MERGE_PLAN_H

#include "merge_shape.h"

struct xl_merge {
    xl_context *ctx;
    xli_merge_problem problem;
    xli_merge_shape shape;
    xli_kernel partitions; /* of a shape that has work-groups make tiles */
    xli_kernel parts;      /* makes tiles or chunks */
    xli_pool pool;
};

/* The arrays of one call, as spans. */
typedef struct xli_merge_spans {
    xli_span keys_a, values_a, keys_b, values_b, keys_out, values_out;
} xli_merge_spans;

/* ---- merge_check.c --------------------------------------------------------- */

xl_status xli_merge_check_desc(const xl_context *ctx, const xl_merge_desc *desc);
/* Of both arrays together, and one by one. */
xl_status xli_merge_check_n(const xl_context *ctx, size_t n);
xl_status xli_merge_check_lengths(const xl_context *ctx, size_t n_a, size_t n_b);

/* Checks the views, and that outputs overlap nothing. */
xl_status xli_merge_check_views(const xl_context *ctx, const xli_merge_problem *problem,
                                const xl_merge_args *args, xli_merge_spans *spans);

/* Checks that the scratch shares nothing with the arrays. */
xl_status xli_merge_check_scratch(const xl_context *ctx, const xli_merge_spans *spans,
                                  const xli_span *scratch);

/* ---- merge_kernels.c ------------------------------------------------------- */

/* Compiles the kernels of the plan's shape. *most: the work-items that they allow a group. */
xl_status xli_merge_build(xl_merge *plan, size_t *most);
void xli_merge_drop_kernels(xl_merge *plan);

/* ---- merge_enqueue.c ------------------------------------------------------- */

/* The launches of a call of n_a + n_b > 0 elements. */
xl_status xli_merge_launch(xl_merge *plan, xli_seq *seq, size_t n_a, size_t n_b,
                           const xli_merge_spans *spans, const xli_span *scratch);

#endif

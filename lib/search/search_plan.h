/* SPDX-License-Identifier: MIT
 * A search inside: problem, shape and kernels.
 *
 * A call walks: check (search_check.c) -> launches (search_enqueue.c) -> kernels
 * (cl/search/search_sorted.cl or search_unsorted.cl) -> event. A plan is made by search.c. Each of
 * the files uses only those above it:
 *     search_shape.c    how a problem is laid out on a device
 *     search_check.c    descriptors and calls, before any side effect
 *     search_kernels.c  what is compiled for problem and shape
 *     search_enqueue.c  launches
 *     search.c          the public calls */
#ifndef XLI_SEARCH_PLAN_H
#define XLI_SEARCH_PLAN_H

#include "search_shape.h"
#include "wrap.h"

typedef struct xli_search_plan xli_search_plan;
struct xli_search_plan {
    xl_context *ctx;
    xli_search_problem problem;
    xli_search_shape shape;
    xli_kernel keys;           /* of queries */
    xli_kernel chunks, lowest; /* of UNSORTED */
    xli_pool pool;
};

/* The arrays of one call, as spans. */
typedef struct xli_search_spans {
    xli_span keys, queries, indices_out;
} xli_search_spans;

/* ---- search_check.c -------------------------------------------------------- */

xl_status xli_search_check_desc(const xl_context *ctx, const xl_search_desc *desc);
xl_status xli_search_check_n(const xl_context *ctx, const xli_search_problem *problem, size_t n);
xl_status xli_search_check_queries(const xl_context *ctx, const xli_search_problem *problem,
                                   const xl_search_args *args);

/* Checks the views, and that the output overlaps nothing. */
xl_status xli_search_check_views(const xl_context *ctx, const xli_search_problem *problem,
                                 const xl_search_args *args, xli_search_spans *spans);

/* Checks that the scratch shares nothing with the arrays. */
xl_status xli_search_check_scratch(const xl_context *ctx, const xli_search_spans *spans,
                                   const xli_span *scratch);

/* ---- search_kernels.c ------------------------------------------------------ */

/* Compiles the kernels of the plan's shape. *most: the work-items that they allow a group. */
xl_status xli_search_build(xli_search_plan *plan, size_t *most);
void xli_search_drop_kernels(xli_search_plan *plan);

/* ---- search_enqueue.c ------------------------------------------------------ */

/* The launches of a call; none without queries, unless it takes none. */
xl_status xli_search_launch(xli_search_plan *plan, xli_seq *seq, const xl_search_args *args,
                            const xli_search_spans *spans, const xli_span *scratch);

XLI_DECLARE(search)
xl_status xli_search_scratch(const xli_search_plan *plan, size_t n, size_t *bytes,
                             size_t *alignment);
xl_status xli_search_enqueue(xli_search_plan *plan, cl_command_queue queue,
                             const xl_search_args *args, size_t size, cl_uint num_waits,
                             const cl_event *waits, cl_event *event);

#endif

/* SPDX-License-Identifier: MIT
 * A top-k selection inside: problem, shape and kernels.
 *
 * A call walks: check (topk_check.c) -> launches (topk_enqueue.c) -> kernels (cl/topk/topk.cl) ->
 * event. A plan is made by topk.c. Each of the files uses only those above it:
 *     topk_shape.c    how a problem is laid out on a device
 *     topk_check.c    descriptors and calls, before any side effect
 *     topk_kernels.c  what is compiled for problem and shape
 *     topk_enqueue.c  launches
 *     topk_segments.c all of these where each segment is selected from by itself
 *     topk.c          the public calls */
#ifndef XLI_TOPK_PLAN_H
#define XLI_TOPK_PLAN_H

#include "topk_shape.h"
#include "wrap.h"

#include <crosslane/sort.h>

/* The arrays of one call, as spans. */
enum {
    XLI_TOPK_KEYS_IN = 0,
    XLI_TOPK_VALUES_IN = 1,
    XLI_TOPK_KEYS_OUT = 2,
    XLI_TOPK_VALUES_OUT = 3,
    XLI_TOPK_INDICES_OUT = 4,
    XLI_TOPK_COUNT_OUT = 5,
    XLI_TOPK_SEGMENTS = 6,
    XLI_TOPK_COUNTS_OUT = 7,
    XLI_TOPK_SPANS = 8
};
typedef struct xli_topk_spans {
    xli_span at[XLI_TOPK_SPANS];
    size_t num_segments;
} xli_topk_spans;

typedef struct xli_topk_kernels {
    xli_kernel begin, count, tally, write; /* the selection */
    xli_kernel sample, bound;              /* before it, of many keys */
    xli_kernel rank, gather;               /* of a plan that sorts; rank: of wide keys */
    xli_kernel say;                        /* the number of results */
} xli_topk_kernels;

/* Of a selection of each segment: cl/topk/topk_segments.cl. */
typedef struct xli_topk_segment_kernels {
    xli_kernel begin, rows, count, find, tally, places, write, gather;
} xli_topk_segment_kernels;

typedef struct xli_topk_plan xli_topk_plan;
struct xli_topk_plan {
    xl_context *ctx;
    xli_topk_problem problem;
    xli_topk_shape shape;
    xli_topk_kernels kernels;
    xl_plan *sort;       /* of words of 64 bits by themselves, or NULL */
    xl_plan *sort_pairs; /* of these with a u32 each, or NULL */
    xli_topk_segment_kernels segment_kernels;
    uint32_t tile_log;  /* keys of a segment that a group holds, as the exponent of 2 */
    xl_plan *sort_long; /* of ordinals with a u32 each, in segments, or NULL */
    xli_pool pool;
};

/* ---- topk_check.c ---------------------------------------------------------- */

xl_status xli_topk_check_desc(const xl_context *ctx, const xl_topk_desc *desc);
xl_status xli_topk_check_n(const xl_context *ctx, size_t n);

/* Checks the views and that only those overlap that may. */
xl_status xli_topk_check_views(const xl_context *ctx, const xli_topk_problem *problem,
                               const xl_topk_args *args, xli_topk_spans *spans);

/* Checks that the scratch shares nothing with the arrays. */
xl_status xli_topk_check_scratch(const xl_context *ctx, const xli_topk_spans *spans,
                                 const xli_span *scratch);

/* ---- topk_kernels.c -------------------------------------------------------- */

/* Compiles the kernels of the plan's shape. *most: the work-items that they allow a group; if that
 * is what the shape has or more, all is well. */
xl_status xli_topk_build(xli_topk_plan *plan, size_t *most);
void xli_topk_drop_kernels(xli_topk_plan *plan);

/* ---- topk_enqueue.c -------------------------------------------------------- */

/* Which results the caller wants, in bits below 8: XL_GIVES_KEYS and its likes of
 * cl/topk/topk_results.cl. */
cl_uint xli_topk_gives(const xli_topk_spans *spans);

/* One array, and XL_TOPK_ARRAYS of that file. For an array that is not given the scratch stands in:
 * no kernel touches it, but some drivers want a buffer. */
void xli_topk_add_array(xli_args *args, const xli_span *array, const xli_span *scratch);
void xli_topk_add_arrays(xli_args *args, const xli_topk_spans *spans, const xli_span *scratch);

/* The layout of a call's scratch. */
xl_status xli_topk_lay_out(const xli_topk_plan *plan, size_t n, size_t results,
                           xli_topk_layout *layout);

/* The launches of a call of n keys and so many results, either may be 0. */
xl_status xli_topk_launch(xli_topk_plan *plan, xli_seq *seq, size_t n, size_t results,
                          const xli_topk_spans *spans, const xli_span *scratch);

/* ---- topk_segments.c ------------------------------------------------------- */

/* Settles the shape and compiles, for work-items of a group as the device has them. */
xl_status xli_topk_segments_build(xli_topk_plan *plan, const xli_tune_device *device,
                                  const xli_tune_topk *tune);
void xli_topk_segments_drop(xli_topk_plan *plan);
xl_status xli_topk_segments_scratch(const xli_topk_plan *plan, size_t n, size_t k, size_t *bytes);
/* The launches of a call: k results of each segment, which begin so far apart. */
xl_status xli_topk_segments_launch(xli_topk_plan *plan, xli_seq *seq, size_t n, size_t k,
                                   const xli_topk_spans *spans, const xli_span *scratch);

XLI_DECLARE(topk)
xl_status xli_topk_scratch(const xli_topk_plan *plan, size_t n, size_t k, size_t *bytes,
                           size_t *alignment);
xl_status xli_topk_enqueue(xli_topk_plan *plan, cl_command_queue queue, const xl_topk_args *args,
                           size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event);

#endif

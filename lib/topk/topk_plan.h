/* SPDX-License-Identifier: MIT
 * The plan of a top-k selection.
 *
 * Each file uses only those above it:
 *     topk_shape.c     how a problem is laid out on a device
 *     topk_kernels.c   the kernels of a problem and shape
 *     topk_enqueue.c   launches (cl/topk/topk.cl)
 *     topk_segments.c  launches of a selection from each segment (cl/topk/topk_segments.cl)
 *     topk.c           the primitive's table and the public calls */
#ifndef XLI_TOPK_PLAN_H
#define XLI_TOPK_PLAN_H

#include "primitive.h"
#include "topk_shape.h"

#include <crosslane/sort.h>

/* The arrays of a call. Kernels take the first five in this order. */
enum {
    XLI_TOPK_KEYS_IN,
    XLI_TOPK_VALUES_IN,
    XLI_TOPK_KEYS_OUT,
    XLI_TOPK_VALUES_OUT,
    XLI_TOPK_INDICES_OUT,
    XLI_TOPK_COUNT_OUT,
    XLI_TOPK_SEGMENTS,
    XLI_TOPK_COUNTS_OUT,
    XLI_TOPK_ARRAYS
};

/* For a selection from each segment. */
typedef struct xli_topk_segment_kernels {
    xli_kernel begin, rows, count, find, tally, places, write, gather;
} xli_topk_segment_kernels;

typedef struct xli_topk_kernels {
    xli_kernel begin, count, tally, write; /* the selection */
    xli_kernel sample, bound;              /* before it, if there are many keys */
    xli_kernel rank, gather;               /* for sorted results; rank: for wide keys */
    xli_kernel say;                        /* the number of results */
    xli_topk_segment_kernels segments;
} xli_topk_kernels;

typedef struct xli_topk_plan {
    xl_plan base;
    xli_topk_problem problem;
    xli_topk_shape shape;
    xli_topk_kernels kernels;
    xl_plan *sort;       /* sorts words of 64 bits, or NULL */
    xl_plan *sort_pairs; /* sorts words of 64 bits with a u32 each, or NULL */
    uint32_t tile_log;   /* xli_topk_tile_log() */
    xl_plan *sort_long;  /* sorts ordinals with a u32 each, in segments, or NULL */
} xli_topk_plan;

/* ---- topk_kernels.c -------------------------------------------------------- */

/* Compiles the kernels of the plan's shape. *most: the work-items that they allow in a group; the
 * shape may have no more. */
xl_status xli_topk_build(xli_topk_plan *plan, size_t *most);
void xli_topk_drop_kernels(xli_topk_plan *plan);

/* ---- topk_enqueue.c -------------------------------------------------------- */

/* The results that the caller asks for, in bits below 8: XL_GIVES_KEYS and the others of
 * cl/topk/topk_results.cl. */
cl_uint xli_topk_gives(const xli_span *spans);

/* Adds one array, and XL_TOPK_ARRAYS of that file. For an array that is not given the scratch is
 * added: no kernel accesses it, but some drivers require a buffer. */
void xli_topk_add_array(xli_args *args, const xli_span *array, const xli_span *scratch);
void xli_topk_add_arrays(xli_args *args, const xli_span *spans, const xli_span *scratch);

/* Scratch that a nested sort of n elements needs; no plan: 0 bytes. SIZE_MAX if that is too large
 * for a size_t. */
size_t xli_topk_nested_bytes(const xl_plan *sort, size_t n);

/* The layout of a call's scratch. */
xli_topk_layout xli_topk_lay_out(const xli_topk_plan *plan, size_t n, size_t results);

/* The launches of a call with n keys and min(k, n) results, which may be 0. */
xl_status xli_topk_launch(xli_topk_plan *plan, xli_seq *seq, const xl_topk_args *args,
                          const xli_span *spans, const xli_span *scratch);

/* ---- topk_segments.c ------------------------------------------------------- */

size_t xli_topk_segments_scratch(const xli_topk_plan *plan, size_t n, size_t k);
/* The launches of a call. */
xl_status xli_topk_segments_launch(xli_topk_plan *plan, xli_seq *seq, const xl_topk_args *args,
                                   const xli_span *spans, const xli_span *scratch);

#endif

/* SPDX-License-Identifier: MIT
 * The plan of a top-k selection.
 *
 * Each file uses only those above it:
 *     top_k_shape.c     how a problem is laid out on a device
 *     top_k_kernels.c   the kernels of a problem and shape
 *     top_k_values.c    the arguments that launches share; the values (cl/top_k/top_k_values.cl)
 *     top_k_enqueue.c   launches (cl/top_k/top_k.cl)
 *     top_k_segments.c  launches of a selection from each segment (cl/top_k/top_k_segments.cl)
 *     top_k.c           the primitive's table and the public calls */
#ifndef XLI_TOP_K_PLAN_H
#define XLI_TOP_K_PLAN_H

#include "primitive.h"
#include "top_k_shape.h"

#include <crosslane/sort.h>

/* The arrays of a call. */
enum {
    XLI_TOP_K_N_DEVICE,
    XLI_TOP_K_KEYS_IN,
    XLI_TOP_K_VALUES_IN,
    XLI_TOP_K_SEGMENTS = XLI_TOP_K_VALUES_IN + XLI_VALUES,
    XLI_TOP_K_KEYS_OUT,
    XLI_TOP_K_VALUES_OUT,
    XLI_TOP_K_INDICES_OUT = XLI_TOP_K_VALUES_OUT + XLI_VALUES,
    XLI_TOP_K_COUNT_OUT,
    XLI_TOP_K_COUNTS_OUT,
    XLI_TOP_K_ARRAYS
};

/* For a selection from each segment. */
typedef struct xli_top_k_segment_kernels {
    xli_kernel begin, rows, count, find, tally, places, write, gather;
} xli_top_k_segment_kernels;

typedef struct xli_top_k_kernels {
    xli_kernel begin, count, tally, write; /* the selection */
    xli_kernel order;                      /* for a few sorted results */
    xli_kernel gather;                     /* for many */
    xli_kernel store_count;                /* of results */
    xli_top_k_segment_kernels segments;
} xli_top_k_kernels;

typedef struct xli_top_k_plan {
    xl_plan base;
    xli_top_k_problem problem;
    xli_top_k_shape shape;
    xli_top_k_kernels kernels;
    xli_parts parts;               /* one: the next two kernels */
    xli_kernel sample, bound;      /* for many keys: before the selection */
    xli_kernel values[XLI_VALUES]; /* for each array of values */
    uint32_t tile_log;             /* xli_top_k_tile_log() */
    xl_plan *sort; /* of words, or in segments of ordinals with a u32 each; or NULL */
} xli_top_k_plan;

/* ---- top_k_kernels.c -------------------------------------------------------- */

/* Compiles the kernels of the plan's shape, but not those of a sample. *most: the work-items that
 * they allow in a group; the shape may have no more. */
xl_status xli_top_k_build(xli_top_k_plan *plan, size_t *most);
/* Compiles the kernels of a sample, unless that is done. Threads may call it at once. */
xl_status xli_top_k_build_sampling(xli_top_k_plan *plan);
void xli_top_k_drop_kernels(xli_top_k_plan *plan);

/* ---- top_k_values.c --------------------------------------------------------- */

/* A call. */
typedef struct xli_top_k_call {
    xli_top_k_plan *plan;
    xli_seq *seq;
    size_t n, k; /* as given */
    const xli_span *spans;
    const xli_span *scratch;
    xli_span indices; /* where kernels store indices: the caller's array; a part of the scratch, if
                         only values need them; or no buffer */
} xli_top_k_call;

/* `indices_at`: the part of the scratch for indices. */
xli_top_k_call xli_top_k_call_of(xli_top_k_plan *plan, xli_seq *seq, const xl_top_k_args *args,
                                 const xli_span *spans, const xli_span *scratch, size_t indices_at);

/* Whether the call has keys_out, values or indices_out. */
bool xli_top_k_has_outputs(const xli_span *spans);

/* The outputs of kernels, in bits below 4: XL_OUTPUT_KEYS and XL_OUTPUT_INDICES. */
cl_uint xli_top_k_outputs(const xli_top_k_call *c);

/* Adds XL_TOP_K_ARRAYS of cl/top_k/top_k_results.cl. For an array that is not given the scratch is
 * added: no kernel accesses it, but some drivers require a buffer. */
void xli_top_k_add_arrays(xli_args *args, const xli_top_k_call *c);

/* Adds n_device or NULL. */
void xli_top_k_add_length(xli_args *args, const xli_top_k_call *c);

xl_status xli_top_k_values_build(xli_top_k_plan *plan);

/* Gathers the values of all results. `results`: their places, k for each segment. */
xl_status xli_top_k_values_launch(const xli_top_k_call *c, size_t results);

/* ---- top_k_enqueue.c -------------------------------------------------------- */

/* Scratch that a nested sort of n elements needs; no plan: 0 bytes. SIZE_MAX if that is too large
 * for a size_t. */
size_t xli_top_k_nested_bytes(const xl_plan *sort, size_t n);

/* The layout of a call's scratch. */
xli_top_k_layout xli_top_k_lay_out(const xli_top_k_plan *plan, size_t n, size_t results);

/* The launches of a call with n keys and min(k, n) results, which may be 0. */
xl_status xli_top_k_launch(xli_top_k_plan *plan, xli_seq *seq, const xl_top_k_args *args,
                           const xli_span *spans, const xli_span *scratch);

/* ---- top_k_segments.c ------------------------------------------------------- */

size_t xli_top_k_segments_scratch(const xli_top_k_plan *plan, const xl_top_k_args *args);
/* The launches of a call. */
xl_status xli_top_k_segments_launch(xli_top_k_plan *plan, xli_seq *seq, const xl_top_k_args *args,
                                    const xli_span *spans, const xli_span *scratch);

#endif

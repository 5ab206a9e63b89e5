/* SPDX-License-Identifier: MIT
 * Reduction to one value, or to one value for each segment. The sum of n u32:
 *
 *     xl_reduce_desc desc;
 *     xl_plan *plan;
 *     xl_reduce_desc_init(&desc);
 *     xl_reduce_create(ctx, &desc, &plan);
 *     xl_reduce_enqueue(plan, queue, &(xl_reduce_args){.n = n, .in = in, .out = out}, 0, NULL,
 * NULL);
 *
 * out[0] is init op in[0] op ... op in[n-1]. With segments, out[k] is the same of segment k. The
 * time depends on n and hardly on the lengths of the segments; many short ones have more results to
 * write, and more CSR offsets to read.
 *
 * docs/reduce.md has examples. <crosslane/collectives.cl> has reductions for kernels of your own.
 *
 * Sources: those of scan.h; segments as runs of a flat scan (Sengupta et al., "Scan primitives for
 * GPU computing", Graphics Hardware 2007). */
#ifndef CROSSLANE_REDUCE_H
#define CROSSLANE_REDUCE_H

#include <crosslane/plan.h>

/* Start from xl_reduce_desc_init(): the sum of u32. Leave fields that do not apply at their
 * defaults; otherwise XL_ERROR_INVALID_ARGUMENT. xl_reduce_create() reads everything that a
 * descriptor points to; it is not needed afterwards. */
typedef struct xl_reduce_desc {
    uint32_t version; /* set by xl_reduce_desc_init() */

    /* Types. XL_F64, XL_F16 and their vectors require a device that has them. To accumulate in a
     * wider type, set type to it and load_type to that of the elements: type = XL_U64 and load_type
     * = XL_U8 give sums of bytes that do not wrap. Without load and store, elements and results are
     * converted as OpenCL C's convert_T() does: integers wrap, floating-point numbers are rounded
     * to nearest, or toward 0 to integers, for which a number out of range is undefined. Types must
     * then be built in and have the same number of lanes. */
    uint32_t type;                       /* xl_type of the elements that are reduced */
    const xl_user_type *user_type;       /* if type is XL_USER_TYPE */
    uint32_t load_type;                  /* xl_type of `in`; XL_NONE: type */
    uint32_t store_type;                 /* xl_type of `out`; XL_NONE: type */
    const xl_user_type *user_load_type;  /* if load_type is XL_USER_TYPE */
    const xl_user_type *user_store_type; /* if store_type is XL_USER_TYPE */

    /* The reduction. XL_ARG_MIN and XL_ARG_MAX require a scalar type; their results are u64 indices
     * into `in`. */
    uint32_t op;          /* xl_op */
    uint32_t equal_zeros; /* minimum, maximum and their indices, of floating-point numbers. 1, the
                             default: -0 equals +0, and the result is the earlier one. 0: -0 is less
                             than +0, as in xl_sort */
    const xl_user_op *user_op; /* if op is XL_USER_OP */
    const void *init;  /* one element on the host: part of every result, and the result of an empty
                          segment; NULL: the identity of the operator. CSR offsets with an operator
                          without identity require it. Not with XL_ARG_MIN, XL_ARG_MAX */
    const char *load;  /* NULL, or an OpenCL C expression for the value to reduce: of x, an element
                          of `in`, and i, its index (ulong). "x * x" */
    const char *store; /* NULL, or one for the element of `out`: of x, a result, and i, its index in
                          `out`. Not with XL_ARG_MIN, XL_ARG_MAX */
    size_t num_params;
    const xl_param *params; /* values that load and store use by name; each call sets them */

    /* Segments. */
    uint32_t segments;      /* xl_segments */
    uint32_t segment_type;  /* xl_type of keys (any integer) or offsets (XL_U32, XL_U64) */
    uint64_t segment_width; /* XL_SEGMENTS_WIDTH: at least 1; XL_SEGMENTS_MASK: 1 to 64 */
    uint64_t segment_mask;  /* XL_SEGMENTS_MASK */

    /* How it runs. */
    uint32_t determinism; /* xl_determinism */
    uint32_t num_tunables;
    const xl_tunable *tunables; /* reduce.*: see xl_tunable */
} xl_reduce_desc;

/* The arguments of one call. A view that is left out is not given. `out`, keys_out and
 * num_segments_out must not overlap any other view. */
typedef struct xl_reduce_args {
    size_t n;         /* elements; with n_device the most there may be */
    xl_view n_device; /* as in xl_scan_args; so are segments, params and scratch */

    xl_view in; /* n elements of load_type */
    xl_view segments;
    const void *params[XL_PARAMS];

    /* `out` holds one element of store_type (u64 for XL_ARG_MIN, XL_ARG_MAX), or one for each
     * segment: with CSR offsets one fewer than there are offsets; with XL_SEGMENTS_WIDTH and
     * XL_SEGMENTS_MASK one for each segment of n elements; with flags, bits and keys the count of
     * the view, or n if that is 0. Results of further segments are discarded. */
    xl_view out;
    xl_view keys_out;         /* XL_SEGMENTS_KEYS: not given, or receives the key of each result, of
                                 segment_type */
    xl_view num_segments_out; /* flags, bits and keys: not given, or receives one u64: the number of
                                 segments, including those whose results are discarded */
    xl_view scratch;
} xl_reduce_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_reduce_desc_init(desc) xl_reduce_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_reduce_desc_init_version(xl_reduce_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_reduce_create(xl_context *ctx, const xl_reduce_desc *desc,
                                               xl_plan **plan);

XL_NODISCARD XL_API xl_status xl_reduce_scratch(const xl_plan *plan, const xl_reduce_args *args,
                                                size_t *bytes);

/* Without segments, n == 0 gives init or the identity; without either, nothing is
 * written.
 *
 * A whole array takes one launch if the device lets work-groups exchange messages
 * (xl_device_info.has_device_scope). It takes two on other devices, with scratch on an out-of-order
 * queue, and if calls with scratch come from more than 32 queues. The bits are the same. */
XL_NODISCARD XL_API xl_status xl_reduce_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_reduce_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * Reduction: out[0] = init op in[0] op ... op in[n-1], or one such value per segment, on
 * the flat engine of the scan (scan.h). So the time hardly depends on the segments' lengths, but
 * for what there are more of if they are short: results to write, and CSR offsets to read.
 *
 * Sources: those of scan.h; segments as runs of a flat scan after Sengupta et al., "Scan
 * primitives for GPU computing" (Graphics Hardware 2007). */
#ifndef CROSSLANE_REDUCE_H
#define CROSSLANE_REDUCE_H

#include <crosslane/plan.h>

/* Start from xl_reduce_desc_init(): sum of u32, one value. A field that the others give no
 * meaning must stay as that left it. Texts, user_type, user_op and
 * what they point to are read by xl_reduce_create() and not needed after it. */
typedef struct xl_reduce_desc {
    uint32_t version;      /* set by xl_reduce_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t type;         /* xl_type of what is reduced */
    uint32_t op; /* xl_op; XL_ARG_MIN and XL_ARG_MAX: results are u64 indices into `in`; for
                    scalar types */
    uint32_t determinism;  /* xl_determinism */
    uint32_t segments;     /* xl_segments */
    uint32_t segment_type; /* xl_type of keys (any integer) or offsets (XL_U32, XL_U64) */
    uint32_t load_type;    /* xl_type of the elements of `in`, with load; XL_NONE: type */
    uint32_t store_type;   /* xl_type of the elements of `out`, with store; XL_NONE: type */
    const void *init;      /* one element on the host, taken into every result, and the result of
                              an empty segment; NULL: the identity of the operator. Not with
                              XL_ARG_MIN, XL_ARG_MAX. CSR offsets with an operator that has no
                              identity need it */
    const xl_user_type *user_type; /* where type is XL_USER_TYPE */
    const xl_user_op *user_op;     /* where op is XL_USER_OP */
    uint64_t segment_width;        /* XL_SEGMENTS_WIDTH: 1 or more; XL_SEGMENTS_MASK: 1 to 64 */
    uint64_t segment_mask;         /* XL_SEGMENTS_MASK */
    const char *load;  /* NULL, or an OpenCL C expression that makes the value to reduce of
                          x, an element of `in`, and i, its index (ulong): "x * x" */
    const char *store; /* NULL, or one that makes the element of `out` of x, a result, and i,
                          its index in `out`; not with XL_ARG_MIN, XL_ARG_MAX */
    const xl_user_type *user_load_type;  /* where load_type is XL_USER_TYPE */
    const xl_user_type *user_store_type; /* where store_type is XL_USER_TYPE */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); reduce.*. NULL: none */
    const xl_tunable *tunables;
    /* Minimum, maximum, arg-min and arg-max of floating-point numbers. 1, the default: -0 and +0
     * are equal, and the result is the earlier one of them. 0: -0 is less than +0, as xl_sort
     * orders them. No effect on other operators and on integers */
    uint32_t equal_zeros;
    /* Parameters of load and store, which each call gives in its `params`; NULL: none */
    size_t num_params;
    const xl_param *params;
} xl_reduce_desc;

/* What one call works on; a view that is left out is not given. Of out, keys_out and
 * num_segments_out none may overlap another, nor in, segments or n_device. */
typedef struct xl_reduce_args {
    size_t n;                 /* elements; with n_device the most there may be */
    xl_view n_device;         /* not given, or one u64: as in xl_scan_args */
    xl_view in;               /* n elements of load_type; not changed */
    xl_view segments;         /* as in xl_scan_args */
    xl_view out;              /* one element of store_type (u64 for XL_ARG_MIN and XL_ARG_MAX), or
                                 one per segment, in order. It has room for: CSR offsets: one fewer
                                 than there are offsets. XL_SEGMENTS_WIDTH, XL_SEGMENTS_MASK: as
                                 many as there are in n elements. Flags, bits and keys, whose
                                 segments the host does not know: as many as the view's count says,
                                 or n if it says 0; segments past that are dropped, but counted */
    xl_view keys_out;         /* XL_SEGMENTS_KEYS: receives the key of each segment, of
                                 segment_type, as many as out; or not given */
    xl_view num_segments_out; /* flags, bits and keys: receives one u64, the number of segments; or
                                 not given */
    xl_view scratch;          /* xl_reduce_scratch() bytes, offset in bytes, overlapping no other
                                 view; or not given: the plan's own, as in xl_scan_args */
    const void *params[XL_PARAMS]; /* for each of the descriptor's params a pointer to its value, of
                                      its type, read by this call; else NULL */
} xl_reduce_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_reduce_desc_init(desc) xl_reduce_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_reduce_desc_init_version(xl_reduce_desc *desc, uint32_t version);

/* Makes a plan: compiles its kernels or takes them from the cache, which may
 * take a second the first time; blocks. The descriptor is copied, the context
 * kept. On failure *plan is NULL. Errors are those of xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_reduce_create(xl_context *ctx, const xl_reduce_desc *desc,
                                               xl_plan **plan);

/* How many bytes of scratch a call with up to n elements needs, and at which
 * multiple of bytes it must start. Pure, monotone in n; 0 bytes is legal.
 * XL_ERROR_INVALID_ARGUMENT, the only error: a NULL, or more bytes than a size_t counts. */
XL_NODISCARD XL_API xl_status xl_reduce_scratch(const xl_plan *plan, const xl_reduce_args *args,
                                                size_t *bytes);

/* Enqueues a reduction: of a whole array one launch where the device lets messages pass between
 * work-groups (has_device_scope in xl_device_info), and two elsewhere, or with scratch given on an
 * out-of-order queue, or on more than 32 queues in turn; the bits are the same. Never blocks, and
 * allocates nothing when scratch is given. Waits, event, queue, threads and failure as
 * xl_scan_enqueue(). n == 0 without segments gives init or the identity; without either,
 * nothing is written. A call whose arguments are refused writes nothing. Errors are those of
 * xl_scan_enqueue(), and XL_ERROR_INVALID_ARGUMENT also for keys_out or num_segments_out that
 * the plan's segments do not have. */
XL_NODISCARD XL_API xl_status xl_reduce_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_reduce_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

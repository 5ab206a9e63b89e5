/* SPDX-License-Identifier: MIT
 * Reduction: out[0] = init op in[0] op ... op in[n-1], or one such value per segment, on
 * the flat engine of the scan (scan.h): what reading the elements costs does not depend on
 * how long the segments are, to within 15 %; short segments have more offsets to read, where
 * there are offsets, and more results to write.
 *
 * Sources: those of scan.h; segments as runs of a flat scan after Sengupta et al., "Scan
 * primitives for GPU computing" (Graphics Hardware 2007). */
#ifndef CROSSLANE_REDUCE_H
#define CROSSLANE_REDUCE_H

#include <crosslane/context.h>

typedef struct xl_reduce xl_reduce;

/* Start from xl_reduce_desc_init(): sum of u32, one value. A field that the others give no
 * meaning must stay as that left it. Texts, user_type, user_op and
 * what they point to are read by xl_reduce_create() and not needed after it. */
typedef struct xl_reduce_desc {
    uint32_t struct_size; /* set by xl_reduce_desc_init() */
    xl_type type;         /* of what is reduced */
    xl_op op;             /* XL_ARG_MIN and XL_ARG_MAX: results are u64 indices into `in`; for
                             scalar types */
    const void *init;     /* one element on the host, taken into every result, and the result of
                             an empty segment; NULL: the identity of the operator. Not with
                             XL_ARG_MIN, XL_ARG_MAX. CSR offsets with an operator that has no
                             identity need it */
    xl_determinism determinism;
    const xl_user_type *user_type; /* where type is XL_USER_TYPE */
    const xl_user_op *user_op;     /* where op is XL_USER_OP */
    xl_segments segments;
    xl_type segment_type;   /* of keys (any integer) or offsets (XL_U32, XL_U64) */
    uint64_t segment_width; /* XL_SEGMENTS_WIDTH: 1 or more; XL_SEGMENTS_MASK: 1 to 64 */
    uint64_t segment_mask;  /* XL_SEGMENTS_MASK */
    const char *load;       /* NULL, or an OpenCL C expression that makes the value to reduce of
                               x, an element of `in`, and i, its index (ulong): "x * x" */
    const char *store;      /* NULL, or one that makes the element of `out` of x, a result, and i,
                               its index in `out`; not with XL_ARG_MIN, XL_ARG_MAX */
    xl_type load_type;      /* of the elements of `in`, with load; XL_NONE: type */
    xl_type store_type;     /* of the elements of `out`, with store; XL_NONE: type */
    const xl_user_type *user_load_type;  /* where load_type is XL_USER_TYPE */
    const xl_user_type *user_store_type; /* where store_type is XL_USER_TYPE */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); reduce.*. NULL: none */
    const xl_tunable *tunables;
    uint32_t num_tunables;
} xl_reduce_desc;

XL_EXTERN_C_BEGIN

/* Fills in the size of the structure and the defaults. NULL is ignored. */
XL_API void xl_reduce_desc_init(xl_reduce_desc *desc);

/* Makes a plan: compiles its kernels or takes them from the cache, which may
 * take a second the first time; blocks. The descriptor is copied, the context
 * kept. On failure *plan is NULL. Errors are those of xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_reduce_create(xl_context *ctx, const xl_reduce_desc *desc,
                                               xl_reduce **plan);

/* How many bytes of scratch a call with up to n elements needs, and at which
 * multiple of bytes it must start. Pure, monotone in n; 0 bytes is legal.
 * XL_ERROR_INVALID_ARGUMENT, the only error: a NULL. */
XL_NODISCARD XL_API xl_status xl_reduce_scratch(const xl_reduce *plan, size_t n, size_t *bytes,
                                                size_t *alignment);

/* Enqueues the reduction of n elements; never blocks, and allocates nothing when
 * scratch is given.
 *   in       n elements of load_type; not changed
 *   segments as in xl_scan_enqueue()
 *   out      one element of store_type, or one per segment, in order: for CSR offsets
 *            count - 1, for XL_SEGMENTS_WIDTH and XL_SEGMENTS_MASK as many as there are in n
 *            elements, for flags, bits and keys as many as the view holds, or n if it does
 *            not say: segments past that are dropped, but counted
 *   keys     XL_SEGMENTS_KEYS: receives the key of each segment, of segment_type, as many
 *            as out; or not given
 *   count    flags, bits and keys: receives one u64, the number of segments; or not given.
 *            Of out, keys and count none may overlap another, nor in, segments or length
 *   scratch  xl_reduce_scratch() bytes, offset in bytes, overlapping no other view; or not
 *            given: the plan's own scratch, grown on demand; then calls run one after the
 *            other, as in xl_scan_enqueue()
 *   waits    num_waits events to wait for, or 0 and NULL. If one ends in an error, nothing of
 *            the call runs, and `event` ends in an error too
 *   event    NULL, or receives an event that completes when all of the work
 *            has; the caller releases it
 * n == 0 without segments gives init or the identity; without either, nothing is written.
 * `queue` may be in order or out of order; it must belong to the plan's context
 * and device. Thread-safe. On failure *event is NULL; a call
 * whose arguments are refused writes nothing. Errors are those of xl_scan_enqueue(), and
 * XL_ERROR_INVALID_ARGUMENT also for keys or count that the plan's segments do not have. */
XL_NODISCARD XL_API xl_status xl_reduce_enqueue(xl_reduce *plan, cl_command_queue queue, size_t n,
                                                xl_view in, xl_view segments, xl_view out,
                                                xl_view keys, xl_view count, xl_view scratch,
                                                cl_uint num_waits, const cl_event *waits,
                                                cl_event *event);

/* The same with the number of elements on the device: n is the lesser of `most` and of
 * the u64 that `length` holds when the call runs; see xl_scan_enqueue_n(). */
XL_NODISCARD XL_API xl_status xl_reduce_enqueue_n(xl_reduce *plan, cl_command_queue queue,
                                                  size_t most, xl_view length, xl_view in,
                                                  xl_view segments, xl_view out, xl_view keys,
                                                  xl_view count, xl_view scratch, cl_uint num_waits,
                                                  const cl_event *waits, cl_event *event);

/* Lets go of a plan; NULL is ignored. Work that is enqueued still completes. */
XL_API void xl_reduce_destroy(xl_reduce *plan);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * Prefix scan: out[i] = init op in[0] op ... op in[i-1] (exclusive), or up to
 * and including in[i] (inclusive).
 *
 * Sources: reduce-then-scan after Dotsenko et al., "Fast scan algorithms on
 * graphics processors" (ICS 2008); single pass after Merrill and Garland,
 * "Single-pass parallel prefix scan with decoupled look-back" (NVR-2016-002),
 * with the fallback of Smith, Levien and Owens, "Decoupled fallback" (SPAA
 * 2025), so that no work-group waits for another without bound. */
#ifndef CROSSLANE_SCAN_H
#define CROSSLANE_SCAN_H

#include <crosslane/context.h>

typedef struct xl_scan xl_scan;

typedef enum xl_scan_kind { XL_EXCLUSIVE = 0, XL_INCLUSIVE = 1 } xl_scan_kind;

typedef enum xl_scan_algorithm {
    XL_SCAN_AUTO = 0,            /* by device, type, operator and determinism */
    XL_SCAN_LOOKBACK = 1,        /* one launch, after a small one that clears scratch which is
                                    given or new; needs messages between work-groups */
    XL_SCAN_REDUCE_THEN_SCAN = 2 /* two launches; runs on every device */
} xl_scan_algorithm;

/* What is promised about the bits of a floating-point sum. Integer results and
 * minima and maxima are always the same. */
typedef enum xl_determinism {
    XL_DETERMINISTIC = 0, /* the same bits on every run on one device, for one n */
    XL_UNORDERED = 1      /* the bits may differ from run to run; may be faster */
} xl_determinism;

/* Start from xl_scan_desc_init(): exclusive sum of u32. */
typedef struct xl_scan_desc {
    uint32_t struct_size; /* set by xl_scan_desc_init() */
    xl_type type;         /* XL_U32, XL_I32, XL_F32, XL_U64, XL_I64; XL_F64 where the
                             device has double precision */
    xl_op op;             /* XL_SUM, XL_MIN, XL_MAX */
    xl_scan_kind kind;
    const void *init;            /* one element on the host, read by xl_scan_create(); NULL:
                                    the identity of the operator */
    xl_scan_algorithm algorithm; /* AUTO heeds CROSSLANE_SCAN=reduce-then-scan|look-back|auto
                                    as far as device, type and determinism allow */
    xl_determinism determinism;
} xl_scan_desc;

XL_EXTERN_C_BEGIN

/* Fills in the size of the structure and the defaults. NULL is ignored. */
XL_API void xl_scan_desc_init(xl_scan_desc *desc);

/* Makes a plan: compiles its kernels or takes them from the cache, which may
 * take a second the first time; blocks. The descriptor is copied, the context
 * kept. On failure *plan is NULL.
 * XL_ERROR_INVALID_ARGUMENT: a field is unknown. XL_ERROR_UNSUPPORTED: the
 * device lacks what the type or the algorithm needs, or look-back is asked for with
 * a deterministic sum of floating-point numbers. The first plan of a context that
 * could use look-back tries it on the device. */
XL_NODISCARD XL_API xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc,
                                             xl_scan **plan);

/* How many bytes of scratch a call with up to n elements needs, and at which
 * multiple of bytes it must start. Pure, monotone in n; 0 bytes is legal. */
XL_NODISCARD XL_API xl_status xl_scan_scratch(const xl_scan *plan, size_t n, size_t *bytes,
                                              size_t *alignment);

/* Enqueues the scan of n elements; never blocks, and allocates nothing when
 * scratch is given.
 *   in       n elements; not changed unless it is also `out`
 *   segments not given (xl_no_view()): this version scans one segment
 *   out      n elements; may be exactly `in`; may not overlap it otherwise
 *   scratch  xl_scan_scratch() bytes, offset in bytes, overlapping neither; or
 *            not given: the plan's own scratch, grown on demand, and then calls
 *            on this plan must not overlap in execution
 *   waits    num_waits events to wait for, or 0 and NULL
 *   event    NULL, or receives an event that completes when all of the work
 *            has; the caller releases it. n == 0 yields one as well
 * `queue` may be in order or out of order; it must belong to the plan's context
 * and device. Thread-safe with scratch given. On failure *event is NULL; a call
 * whose arguments are refused writes nothing, one that OpenCL fails halfway may
 * have written some of `out`. */
XL_NODISCARD XL_API xl_status xl_scan_enqueue(xl_scan *plan, cl_command_queue queue, size_t n,
                                              xl_view in, xl_view segments, xl_view out,
                                              xl_view scratch, cl_uint num_waits,
                                              const cl_event *waits, cl_event *event);

/* The algorithm that a call with n elements runs: never XL_SCAN_AUTO, unless plan is
 * NULL. What one work-group scans alone takes one launch either way. */
XL_API xl_scan_algorithm xl_scan_algorithm_used(const xl_scan *plan, size_t n);

/* Lets go of a plan; NULL is ignored. Work that is enqueued still completes. */
XL_API void xl_scan_destroy(xl_scan *plan);

XL_EXTERN_C_END

#endif

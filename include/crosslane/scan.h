/* SPDX-License-Identifier: MIT
 * Prefix scan. The exclusive sum of n u32:
 *
 *     xl_scan_desc desc;
 *     xl_plan *plan;
 *     xl_scan_desc_init(&desc);
 *     xl_scan_create(ctx, &desc, &plan);
 *     xl_scan_enqueue(plan, queue, &(xl_scan_args){.n = n, .in = in, .out = out}, 0, NULL, NULL);
 *
 * out[i] is init op in[s] op ... op in[i-1] (exclusive), or the same up to and including in[i]
 * (inclusive). s is the first element of the segment that contains i. Each segment starts from
 * init. The time depends on n and hardly on the lengths of the segments.
 *
 * docs/scan.md has examples, the choice of an algorithm, and scans of an array in parts.
 * <crosslane/collectives.cl> has scans for kernels of your own.
 *
 * Sources: head flags beside the values (Schwartz 1980; Blelloch, "Prefix sums and their
 * applications", CMU-CS-90-190); reduce-then-scan (Dotsenko et al., "Fast scan algorithms on
 * graphics processors", ICS 2008); look-back (Merrill and Garland, "Single-pass parallel prefix
 * scan with decoupled look-back", NVR-2016-002), with a fallback that bounds each wait (Smith,
 * Levien and Owens, "Decoupled fallback", SPAA 2025). */
#ifndef CROSSLANE_SCAN_H
#define CROSSLANE_SCAN_H

#include <crosslane/plan.h>

typedef enum xl_scan_kind { XL_EXCLUSIVE = 0, XL_INCLUSIVE = 1 } xl_scan_kind;

typedef enum xl_scan_algorithm {
    XL_SCAN_AUTO = 0,            /* chosen by device, type, operator and determinism, not by n */
    XL_SCAN_LOOKBACK = 1,        /* one launch; with scratch given or CSR offsets two. The device
                                    must promise messages between work-groups */
    XL_SCAN_REDUCE_THEN_SCAN = 2 /* two launches, or more if work-items run one after another and n
                                    is large; CSR offsets take one more. Any device */
} xl_scan_algorithm;

/* Start from xl_scan_desc_init(): the exclusive sum of u32. Leave fields that do not apply at their
 * defaults (such as segment_width with XL_SEGMENTS_KEYS); otherwise XL_ERROR_INVALID_ARGUMENT.
 * xl_scan_create() reads everything that a descriptor points to; it is not needed afterwards. */
typedef struct xl_scan_desc {
    uint32_t version; /* set by xl_scan_desc_init() */

    /* Types. XL_F64, XL_F16 and their vectors require a device that has them. To accumulate in a
     * wider type, set type to it and load_type to that of the elements: type = XL_U64 and load_type
     * = XL_U8 give sums of bytes that do not wrap. Without load and store, elements and results are
     * converted as OpenCL C's convert_T() does: integers wrap, floating-point numbers are rounded
     * to nearest; converted to integers they are rounded toward 0, and a number out of range is
     * undefined. Types must then be built in and have the same number of lanes. */
    uint32_t type;                       /* xl_type of the elements that are scanned */
    const xl_user_type *user_type;       /* if type is XL_USER_TYPE */
    uint32_t load_type;                  /* xl_type of `in`; XL_NONE: type */
    uint32_t store_type;                 /* xl_type of `out`; XL_NONE: type */
    const xl_user_type *user_load_type;  /* if load_type is XL_USER_TYPE */
    const xl_user_type *user_store_type; /* if store_type is XL_USER_TYPE */

    /* The scan. */
    uint32_t op;               /* xl_op, except XL_ARG_MIN and XL_ARG_MAX */
    uint32_t kind;             /* xl_scan_kind */
    const xl_user_op *user_op; /* if op is XL_USER_OP */
    const void *init;  /* one element on the host; NULL: the identity of the operator. An exclusive
                          scan by an operator without identity requires init or init_view */
    xl_view init_view; /* instead of init: one element on the device, read when a call runs. It must
                          not overlap out, carry_out or scratch. The plan retains its buffer */
    const char *load;  /* NULL, or an OpenCL C expression for the value to scan: of x, an element of
                          `in`, and i, its index (ulong). "x != 0" */
    const char *store; /* NULL, or one for the element of `out`: of x, a result, and i */
    size_t num_params;
    const xl_param *params; /* values that load and store use by name; each call sets them */

    /* Segments. */
    uint32_t segments;      /* xl_segments */
    uint32_t segment_type;  /* xl_type of keys (any integer) or offsets (XL_U32, XL_U64) */
    uint64_t segment_width; /* XL_SEGMENTS_WIDTH: at least 1; XL_SEGMENTS_MASK: 1 to 64 */
    uint64_t segment_mask;  /* XL_SEGMENTS_MASK */
    uint32_t carry;         /* 1: calls may scan parts of an array, by carry_in, carry_out and
                               first_index. 2: calls compute carry_out alone, and write no results;
                               without store and XL_SCAN_LOOKBACK */

    /* How it runs. XL_SCAN_AUTO follows the variable CROSSLANE_SCAN (auto, look-back or
     * reduce-then-scan), which is read when the context is made, if device, type and determinism
     * allow it. XL_REPRODUCIBLE with an operator that rounds requires XL_SCAN_AUTO. */
    uint32_t determinism; /* xl_determinism */
    uint32_t algorithm;   /* xl_scan_algorithm */
    uint32_t num_tunables;
    const xl_tunable *tunables; /* scan.*: see xl_tunable */
} xl_scan_desc;

/* The arguments of one call. A view that is left out is not given. `out`, carry_out and head_out
 * must not overlap any other view, except that `out` may be exactly `in` if their elements have
 * the same size. */
typedef struct xl_scan_args {
    size_t n;             /* elements; all arrays hold n, also if n_device is given */
    uint64_t first_index; /* with desc.carry: elements of the whole array before in[0]. i in load
                             and store, XL_SEGMENTS_WIDTH and XL_SEGMENTS_MASK start there */
    xl_view n_device;     /* not given, or one u64: when the call runs, it scans this number of
                             elements, at most n. The last CSR offset must be this number. Elements
                             of `out` behind it are not written */

    xl_view in;       /* n elements of load_type */
    xl_view segments; /* n flags, (n + 31) / 32 words of bits, n keys, or CSR offsets with their
                         count (xl_view_n()); not given if desc.segments has no array */
    xl_view carry_in; /* not given, or the carry_out of the part before. XL_SEGMENTS_KEYS then reads
                         the key before the view of segments: its offset must be 1 or more */
    const void *params[XL_PARAMS]; /* pointers to the values of desc.params, which this call
                                      reads; the remaining ones are NULL */

    xl_view out;       /* n elements of store_type; not given if desc.carry is 2 */
    xl_view carry_out; /* receives the carry for the next part: one element of type, or two if there
                          is neither an identity nor init (docs/scan.md). desc.carry 0: not given;
                          1: optional; 2: required */
    xl_view scratch;   /* not given, or xl_scan_scratch() bytes (crosslane/plan.h) */
    xl_view head_out;  /* not given, or, if desc.carry is 2, receives one u32: 1 if a segment begins
                          in the part, else 0: the carry of the part before affects carry_out */
} xl_scan_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. The first plan of a context that may
 * use look-back tests it on the device. */
#define xl_scan_desc_init(desc) xl_scan_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_scan_desc_init_version(xl_scan_desc *desc, uint32_t version);
XL_NODISCARD XL_API xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc,
                                             xl_plan **plan);
XL_NODISCARD XL_API xl_status xl_scan_scratch(const xl_plan *plan, const xl_scan_args *args,
                                              size_t *bytes);
XL_NODISCARD XL_API xl_status xl_scan_enqueue(xl_plan *plan, cl_command_queue queue,
                                              const xl_scan_args *args, cl_uint num_waits,
                                              const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

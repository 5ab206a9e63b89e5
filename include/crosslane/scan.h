/* SPDX-License-Identifier: MIT
 * Prefix scan: out[i] = init op in[s] op ... op in[i-1] (exclusive), or up to and
 * including in[i] (inclusive), where s is the first element of i's segment; init counts
 * once per segment. All forms of segments run on one flat engine that carries a head
 * flag beside each value (Schwartz 1980; Blelloch, "Prefix sums and their applications",
 * CMU-CS-90-190). So on GPUs the time depends on n and hardly on the segments' lengths: with flags,
 * bits, keys and widths it varies by 15 % from segments of one element to one of all. CSR offsets
 * cost the reading of one offset a segment more. On a CPU segments that are longer than a tile
 * (64 KiB) take up to twice as long as shorter ones, of which no sum goes on into the next tile.
 * Figures are in docs/performance.md.
 *
 * Sources: reduce-then-scan after Dotsenko et al., "Fast scan algorithms on
 * graphics processors" (ICS 2008); single pass after Merrill and Garland,
 * "Single-pass parallel prefix scan with decoupled look-back" (NVR-2016-002),
 * with the fallback of Smith, Levien and Owens, "Decoupled fallback" (SPAA
 * 2025), so that no work-group waits for another without bound; the textbook scans
 * after Kogge and Stone (IEEE Trans. Comp. C-22, 1973; Hillis and Steele 1986) and
 * Blelloch (1990; Harris et al., GPU Gems 3, ch. 39). */
#ifndef CROSSLANE_SCAN_H
#define CROSSLANE_SCAN_H

#include <crosslane/plan.h>

typedef enum xl_scan_kind { XL_EXCLUSIVE = 0, XL_INCLUSIVE = 1 } xl_scan_kind;

typedef enum xl_scan_algorithm {
    XL_SCAN_AUTO = 0,             /* by device, type, operator and determinism, so far not by n.
                                     Look-back where the device may, but on a GPU without lane
                                     operations (cross_lane in xl_device_info is "local")
                                     reduce-then-scan, unless a tuning file says
                                     scan.look_back = 1 */
    XL_SCAN_LOOKBACK = 1,         /* one launch, after a small one that clears scratch where
                                     that is given; needs messages between work-groups */
    XL_SCAN_REDUCE_THEN_SCAN = 2, /* two launches, and some between where one work-item takes a run
                                     and those are many; runs on every device */
    XL_SCAN_KOGGE_STONE = 3,      /* the two textbook scans: blocks of a size that no device */
    XL_SCAN_BLELLOCH = 4          /* changes are reduced, their totals scanned in the same way, then
                                     the blocks. 1, 3, 5 ... launches; run on every device, and
                                     with any determinism */
} xl_scan_algorithm;

/* Start from xl_scan_desc_init(): exclusive sum of u32. A field that the others give no
 * meaning, such as a segment_width with XL_SEGMENTS_KEYS, must stay as that left it. Texts,
 * user_type, user_op and what they point to are read by xl_scan_create() and not needed after it.
 */
typedef struct xl_scan_desc {
    uint32_t version;      /* set by xl_scan_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t type;      /* xl_type of what is scanned. XL_F64 and XL_F16 and their vectors where the
                           device has them */
    uint32_t op;        /* xl_op; not XL_ARG_MIN, XL_ARG_MAX */
    uint32_t kind;      /* xl_scan_kind */
    uint32_t algorithm; /* xl_scan_algorithm; AUTO heeds what CROSSLANE_SCAN=auto|look-back|
                                   reduce-then-scan|kogge-stone|blelloch said when the context
                                   was made, as far as device, type and determinism allow */
    uint32_t determinism;  /* xl_determinism. XL_REPRODUCIBLE, where the operator rounds, goes with
                                       AUTO and the two textbook scans: each of the three has bits
                                       of its own, the same on every device. AUTO runs by look-back
                                       on NVIDIA GPUs of compute capability 9, and elsewhere by 2 to
                                       4 launches (xl_plan_info() says "reduce-then-scan").
                                       Of elements of more than 16 bytes, 4 or 8 for flags counted
                                       where there are segments or no identity, it is KOGGE_STONE */
    uint32_t segments;     /* xl_segments */
    uint32_t segment_type; /* xl_type of keys (any integer) or offsets (XL_U32, XL_U64) */
    uint32_t load_type;    /* xl_type of the elements of `in`, with load; XL_NONE: type */
    uint32_t store_type;   /* xl_type of the elements of `out`, with store; XL_NONE: type */
    uint32_t carry;        /* 1: calls may take carry_in and first_index and give carry_out, so that
                              an array may be scanned in parts; 0: they may not */
    const void *init;      /* one element on the host, read by xl_scan_create(); NULL:
                              the identity of the operator. An exclusive scan with an
                              operator that has none needs init or init_view */
    const xl_user_type *user_type; /* where type is XL_USER_TYPE */
    const xl_user_op *user_op;     /* where op is XL_USER_OP */
    xl_view init_view;             /* one element on the device instead of init, read whenever a
                                      call runs. It may not overlap a call's out, carry_out or
                                      scratch. The plan retains the buffer */
    uint64_t segment_width;        /* XL_SEGMENTS_WIDTH: 1 or more; XL_SEGMENTS_MASK: 1 to 64 */
    uint64_t segment_mask;         /* XL_SEGMENTS_MASK */
    const char *load;  /* NULL, or an OpenCL C expression that makes the value to scan of
                          x, an element of `in`, and i, its index (ulong): "x != 0" */
    const char *store; /* NULL, or one that makes the element of `out` of x, a result, and i */
    const xl_user_type *user_load_type;  /* where load_type is XL_USER_TYPE */
    const xl_user_type *user_store_type; /* where store_type is XL_USER_TYPE */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); scan.*. NULL: none */
    const xl_tunable *tunables;
    /* Parameters of load and store, which each call gives in its `params`; NULL: none */
    size_t num_params;
    const xl_param *params;
} xl_scan_desc;

/* What one call works on; a view that is left out is not given. */
typedef struct xl_scan_args {
    size_t n;         /* elements; with n_device the most there may be */
    xl_view n_device; /* not given, or one u64: there are as many elements as it holds when the call
                         runs, and at most n. Views must hold n elements, and scratch suffices for
                         n. What lies past them in `out` is not written. CSR offsets end in the
                         number as it is then */
    xl_view in;       /* n elements of load_type; not changed unless it is also `out` */
    xl_view segments; /* what the descriptor's segments say: n flags, (n + 31) / 32 words of bits, n
                         keys, or offsets with their count (xl_view_n()); not given where they say
                         that there is no array. May overlap `in` */
    xl_view out;      /* n elements of store_type; may be exactly `in` where their elements are of
                         one size; may not overlap it otherwise, nor any other view */
    xl_view scratch;  /* xl_scan_scratch() bytes, offset in bytes, overlapping no other view; or
                         not given: the plan's own scratch, grown on demand. Such calls run one
                         after the other, on whatever queues: each waits for the last by itself,
                         and where that fails while it waits, it fails too. To let calls on one
                         plan overlap, give each scratch of its own */
    /* For an array that is scanned in parts, one after another or by several machines; with the
     * descriptor's carry. A part gives the results of the whole array if it is given the carry_out
     * of the part before, to the last bit where the operator does not round. */
    xl_view carry_in;     /* not given, or a carry, the carry_out of the part before: from it start
                             the results of the segment that this part goes on with, all other
                             segments from init. `segments` says whether it goes on with a
                             segment: the first element begins a new one only by its flag or bit; by a
                             key that differs from the one before the view, which is read and must
                             be there (offset 1 or more; any key if no element has come yet); or by
                             an offset of 0: elements before offsets[0] go on */
    xl_view carry_out;    /* not given, or receives a carry for the next part: the last element's
                             inclusive result before `store`, from init and carry_in on. n == 0:
                             carry_in; if that is not given, init or the identity. May overlap no
                             other view, carry_in included.
                             A carry is one element of type. If the operator has no identity and
                             there is no init, it is two: behind the first is a flag, 1, or 0 if no
                             element has come yet and the first is undefined. The flag is a u32 at
                             the start of the second element, or as wide as the type's alignment,
                             if that is less than 4. A carry with flag 0 counts as none given */
    uint64_t first_index; /* elements of the whole array before in[0]: XL_SEGMENTS_WIDTH and _MASK
                             count from there, and i of load and store */
    const void *params[XL_PARAMS]; /* for each of the descriptor's params a pointer to its value, of
                                      its type, read by this call; else NULL */
} xl_scan_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_scan_desc_init(desc) xl_scan_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_scan_desc_init_version(xl_scan_desc *desc, uint32_t version);

/* Makes a plan: compiles its kernels or takes them from the cache, which may
 * take a second the first time; blocks. The descriptor is copied, the context
 * kept. On failure *plan is NULL.
 * XL_ERROR_INVALID_ARGUMENT: a field is unknown, or does not go with another.
 * XL_ERROR_UNSUPPORTED: the device lacks what the type or the algorithm needs.
 * XL_ERROR_BUILD: the device's compiler refuses the user's text; the error text of the
 * context holds its log. The first plan of a context that could use look-back tries it
 * on the device. */
XL_NODISCARD XL_API xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc,
                                             xl_plan **plan);

/* How many bytes of scratch a call with up to n elements needs, and at which
 * multiple of bytes it must start. Pure, monotone in n; 0 bytes is legal.
 * XL_ERROR_INVALID_ARGUMENT, the only error: a NULL, or more bytes than a size_t counts. */
XL_NODISCARD XL_API xl_status xl_scan_scratch(const xl_plan *plan, const xl_scan_args *args,
                                              size_t *bytes);

/* Enqueues a scan; never blocks, and allocates nothing when scratch is given. args is not needed
 * after the call. waits    num_waits events to wait for, or 0 and NULL. If one ends in an error,
 * nothing of the call runs, and `event` ends in an error too. If one has failed before the call,
 *            nothing is enqueued: XL_ERROR_OPENCL
 *   event    NULL, or receives an event that completes when all of the work
 *            has; the caller releases it. n == 0 yields one as well
 * `queue` may be in order or out of order; it must belong to the plan's context
 * and device. Thread-safe. On failure *event is NULL; a call
 * whose arguments are refused writes nothing, one that OpenCL fails halfway may
 * have written some of `out`.
 * XL_ERROR_INVALID_ARGUMENT: a NULL; a view of something that is no buffer of this context, or
 * whose flags forbid what would be done to it (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY); a view that
 * holds too little; an array that is missing or not asked for; offsets without their count; a queue
 * or an event of another context.
 * XL_ERROR_OVERLAP: views share bytes that may not be shared.
 * XL_ERROR_SCRATCH_TOO_SMALL, XL_ERROR_MISALIGNED: scratch is not as xl_scan_scratch() said.
 * XL_ERROR_OUT_OF_MEMORY: there is no room for the plan's own scratch, or OpenCL's own needs.
 * XL_ERROR_OPENCL: an OpenCL call failed. */
XL_NODISCARD XL_API xl_status xl_scan_enqueue(xl_plan *plan, cl_command_queue queue,
                                              const xl_scan_args *args, cl_uint num_waits,
                                              const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

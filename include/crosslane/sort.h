/* SPDX-License-Identifier: MIT
 * Sorts keys, or keys with values. The simplest use sorts n f32 keys in place:
 *
 *     xl_sort_desc desc;
 *     xl_sort_desc_init(&desc);  // ascending u32 keys, no values
 *     desc.key = XL_F32;
 *     xl_sort_create(ctx, &desc, &plan);
 *     xl_sort_args args = {.n = n, .keys_in = keys, .keys_out = keys};
 *     xl_sort_enqueue(plan, queue, &args, 0, NULL, NULL);
 *     xl_plan_destroy(plan);
 *
 * docs/sort.md has complete examples, the choice of an algorithm, and limits.
 *
 * Sources: bitonic sort, Batcher, "Sorting networks and their applications" (AFIPS 1968), whose
 * long steps are searches (Bilardi and Nicolau, SIAM J. Comput. 1989; Peters et al., IPDPS 2012).
 * Sort by samples, Shi and Schaeffer (J. Parallel Distrib. Comput. 14, 1992). Radix sort, on GPUs
 * Onesweep (Adinets and Merrill, arXiv 2206.01784, 2022), on CPUs buckets by the highest digit
 * (Wassenberg and Sanders, Euro-Par 2011). Merge sort, Green, McColl and Bader (ICS 2012). */
#ifndef CROSSLANE_SORT_H
#define CROSSLANE_SORT_H

#include <crosslane/plan.h>

typedef enum xl_sort_order { XL_ASCENDING = 0, XL_DESCENDING = 1 } xl_sort_order;

typedef enum xl_sort_algorithm {
    XL_SORT_AUTO = 0,    /* chooses by device, types and n */
    XL_SORT_BITONIC = 1, /* any n; equal keys may change places unless desc.stable is 1 */
    XL_SORT_RADIX = 2    /* equal keys stay in order; some devices cannot run it */
} xl_sort_algorithm;

/* For desc.value: the library makes the values, each the index of its key in keys_in, as u32. */
#define XL_SORT_INDICES 0x10000u

/* Describes a sort. Start from xl_sort_desc_init().
 * Floating-point keys are ordered -inf < ... < -0 < +0 < ... < +inf < positive NaN < negative NaN.
 * Among NaN, positive ones ascend and negative ones descend by payload. XL_DESCENDING is exactly the
 * reverse. Two NaN are equal only if their bits are. Keys keep their bits. */
typedef struct xl_sort_desc {
    uint32_t version; /* set by xl_sort_desc_init() */

    uint32_t key; /* xl_type: any built-in scalar, even if the device does not compute with it; with
                     a comparator any type of up to 512 bytes, also vectors and XL_USER_TYPE */
    const xl_user_type *user_key; /* if key is XL_USER_TYPE */
    uint32_t value;               /* the element that travels with each key: a built-in xl_type,
                                     XL_BYTES(), XL_SORT_INDICES or XL_NONE */
    uint32_t more_values[XL_MORE_VALUES]; /* further arrays of values, up to the first XL_NONE:
                                                  as value, but not XL_SORT_INDICES */
    uint32_t segment_type; /* xl_type of args.segments: XL_U32 or XL_U64; else XL_NONE */

    uint32_t order; /* xl_sort_order */
    /* NULL, or a function that says whether a key comes before another; XL_DESCENDING reverses it.
     * With a comparator equal keys stay in order. Read while the plan is made. If it is no strict
     * weak order, the order of keys is undefined, but the call ends and accesses nothing outside
     * the arrays. */
    const xl_user_comparator *comparator;
    uint32_t begin_bit, end_bit; /* only bits begin_bit to end_bit - 1 of the keys are compared, and
                                    keys equal in these stay in order; end_bit 0: all bits. Bits are
                                    those of the key mapped to an unsigned integer of the same
                                    order, see docs/sort.md */
    uint32_t stable;             /* 1: values of equal keys stay in order */
    uint32_t equal_zeros; /* 1: floating-point -0 and +0 are equal, and equal keys stay in order.
                             0: -0 comes before +0. No effect on integers */
    uint32_t segments;    /* XL_SEGMENTS_NONE, or XL_SEGMENTS_OFFSETS: each segment is sorted on its
                             own, and equal keys stay in order */
    uint32_t values_only; /* 1: only the values are wanted; keys_out must not be given. Must be 0 if
                             value is XL_NONE */
    uint32_t large;       /* 1: n may exceed 2^32 - 1, in radix sorts of whole arrays; slower */

    uint32_t algorithm;    /* xl_sort_algorithm */
    uint32_t num_tunables; /* elements of tunables */
    /* NULL, or values of sort.* for this plan (xl_tunable in types.h) */
    const xl_tunable *tunables;
} xl_sort_desc;

/* The arrays of a call. An output may be exactly its input (keys_out keys_in, values_out values_in,
 * and so on), and must overlap no other array. The device also reads the outputs: they must not be
 * CL_MEM_WRITE_ONLY. */
typedef struct xl_sort_args {
    size_t n;          /* keys: at most 2^32 - 1; if desc.large is 1, 2^48 - 1, but 2^32 for
                          XL_SORT_INDICES */
    xl_view n_device;  /* optional: one u64, the number of keys, read when the call runs. The call
                          sorts min(n, it) keys and writes nothing behind them */
    xl_view keys_in;   /* n keys; not written unless it is keys_out */
    xl_view values_in; /* n values; not given for XL_NONE and XL_SORT_INDICES */
    xl_view more_values_in[XL_MORE_VALUES]; /* n values for each of desc.more_values */
    /* With XL_SEGMENTS_OFFSETS: where segments begin, 1 to 2^32 - 1 integers in ascending order in
     * a view made by xl_view_n(). Segment i is [o[i], o[i + 1]), the last one ends at n, and any
     * may be empty. Keys before o[0] are copied. If offsets descend or exceed n, the results are
     * undefined, but nothing outside the arrays is accessed, and the call ends. */
    xl_view segments;
    xl_view keys_out;   /* n keys; not given if desc.values_only is 1 */
    xl_view values_out; /* n values; not given for XL_NONE */
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view scratch; /* not given, or xl_sort_scratch() bytes */
} xl_sort_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_sort_desc_init(desc) xl_sort_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_sort_desc_init_version(xl_sort_desc *desc, uint32_t version);

/* Builds the programs of the sort; if the algorithm depends on n, each algorithm is built at its
 * first use or by xl_plan_prepare().
 * XL_ERROR_UNSUPPORTED also if the device cannot run XL_SORT_RADIX, XL_ERROR_INVALID_ARGUMENT also
 * if desc has two of these that exclude each other (docs/sort.md): a comparator, a range of bits,
 * equal_zeros, segments, large, an algorithm. */
XL_NODISCARD XL_API xl_status xl_sort_create(xl_context *ctx, const xl_sort_desc *desc,
                                             xl_plan **plan);

/* Scratch: 0 bytes for one tile of keys; else about the keys and values once more and at most 4
 * MiB. docs/sort.md has the exact bounds. */
XL_NODISCARD XL_API xl_status xl_sort_scratch(const xl_plan *plan, const xl_sort_args *args,
                                              size_t *bytes);

/* Equal keys stay in order if desc says so or the algorithm is XL_SORT_RADIX; else their values
 * come out in any order, the same on each run on one device. */
XL_NODISCARD XL_API xl_status xl_sort_enqueue(xl_plan *plan, cl_command_queue queue,
                                              const xl_sort_args *args, cl_uint num_waits,
                                              const cl_event *waits, cl_event *event);

/* The code of a key: the unsigned integer, of as many bits as the key, that a sort compares in its
 * place. Two keys have the same order, ascending, as their codes; all bits of a code flipped give the
 * descending order. begin_bit and end_bit count the bits of codes. Functions of the host alone, which
 * threads may call at any time; <crosslane/keys.cl> has the same ones for kernels.
 *
 * type: an xl_type, any built-in scalar. key: its bytes, which need not be aligned.
 * xl_code_to_key() is the inverse; bits of the code above those of the key are ignored.
 * XL_ERROR_INVALID_ARGUMENT: another type; a NULL. */
XL_NODISCARD XL_API xl_status xl_key_to_code(uint32_t type, const void *key, uint64_t *code);
XL_NODISCARD XL_API xl_status xl_code_to_key(uint32_t type, uint64_t code, void *key);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * Sorting of keys, or of keys with values.
 *
 * Source: Batcher, "Sorting networks and their applications" (AFIPS 1968), in
 * the form whose comparators all point the same way, so that any n is sorted
 * without padding: what lies past the end counts as larger than every key. The
 * steps of a merge that reach further than one work-group holds are replaced by
 * a search for the place where their comparators change (Bilardi and Nicolau,
 * "Adaptive bitonic sorting", SIAM J. Comput. 1989; on GPUs Peters et al.,
 * IPDPS 2012), so that each doubling of the sorted runs is one launch. Where a launch costs more
 * than what it does, runs that groups have sorted are parted at samples of them, as many keys
 * between two as a group can sort, in three launches (Shi and Schaeffer, "Parallel sorting by
 * regular sampling", J. Parallel Distrib. Comput. 14, 1992). The radix sort takes the lowest digits
 * first. A GPU moves the keys once for each digit, in one launch where work-groups may pass
 * messages (Adinets and Merrill, "Onesweep", arXiv 2206.01784, 2022). A CPU moves them through
 * memory once, by the highest digit, into buckets that fit into a cache, where one work-item sorts
 * each; what goes to one bucket is collected in a buffer of its own (Wassenberg and Sanders,
 * "Engineering a multi-core radix sort", Euro-Par 2011). Where one bucket has more than a compute
 * unit's share of the keys they go once for each digit there, too. Digits that are the same in all
 * keys cost nothing, and the caller need not name them.
 *
 * Keys that a comparator orders are sorted by merges, in a tile and of tiles.
 *
 * Or each segment of an array is sorted by itself: those that are short in one read and one write,
 * several of them at once by a work-group, longer ones by merges of tiles of their own. */
#ifndef CROSSLANE_SORT_H
#define CROSSLANE_SORT_H

#include <crosslane/plan.h>

typedef enum xl_sort_order { XL_ASCENDING = 0, XL_DESCENDING = 1 } xl_sort_order;

typedef enum xl_sort_algorithm {
    XL_SORT_AUTO = 0,    /* the faster: RADIX from the tunable sort.sweep_from on
                            (sort.sweep_wide_from of keys of 8 bytes, sort.sweep_pair_from of keys
                            with values), on CPUs from sort.radix_from on (_wide_from, _pair_from);
                            fewer by samples, up to sort.sample_most keys (_wide_most, _pair_most);
                            else, and where the device has no RADIX, BITONIC */
    XL_SORT_BITONIC = 1, /* any n; equal keys may change places, unless `stable` is asked for */
    XL_SORT_RADIX = 2    /* stable: equal keys stay in order. XL_ERROR_UNSUPPORTED where work-groups
                            have fewer than 256 work-items, unless work-items run one after another
                            (sort.shape 1: CPUs), and where the driver ends long loops
                            (docs/drivers.md) */
} xl_sort_algorithm;

/* For xl_sort_desc.value: an argsort. The values are made: each is the place of its key in keys_in,
 * a u32; values_in is not given. */
#define XL_SORT_INDICES 0x10000u

/* For xl_sort_desc.value and more_values: elements of 1 to 65,535 bytes, whatever they hold. */
#define XL_SORT_BYTES(bytes) (0x20000u + (bytes))

enum { XL_SORT_MORE_VALUES = 3 };

/* Start from xl_sort_desc_init(): ascending u32 keys, no values.
 * Floating-point keys are ordered -inf < ... < -0 < +0 < ... < +inf < positive NaN < negative NaN.
 * Positive NaN are ordered by rising payload, negative NaN by falling payload: the totalOrder of
 * IEEE 754, but with the negative NaN moved to the end. XL_DESCENDING is exactly the reverse. NaN
 * are equal only if their bits are. Keys keep their bits. `equal_zeros` makes zeros equal. */
typedef struct xl_sort_desc {
    uint32_t version;      /* set by xl_sort_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t key;          /* xl_type: any built-in scalar; a device need not compute with it.
                              With a comparator any type */
    uint32_t value;        /* what travels with each key: xl_type, any built-in one, XL_NONE for
                              nothing; XL_SORT_BYTES(); or XL_SORT_INDICES */
    uint32_t order;        /* xl_sort_order */
    uint32_t algorithm;    /* xl_sort_algorithm */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); sort.*. NULL: none */
    const xl_tunable *tunables;
    /* Further arrays of values, each as `value` but not XL_SORT_INDICES, up to the first XL_NONE.
     * Several arrays, and elements that do not have 4 bytes, are gathered by the keys' places when
     * the keys are in order, which reads them once: cheaper than to move large elements with the
     * keys, and all that a sort of XL_SORT_INDICES and a gather would do */
    uint32_t more_values[XL_SORT_MORE_VALUES];
    /* Only bits begin_bit to before end_bit of the keys count; end_bit 0: all bits. Keys that have
     * these in common are equal and stay in order. Of signed and floating-point keys they are bits
     * of the unsigned number of as many bits that stands at their place in the order. Asks for
     * XL_SORT_RADIX, which AUTO then takes. Bits that all keys have in common need not be named */
    uint32_t begin_bit, end_bit;
    uint32_t stable; /* 1: the values of equal keys stay in order, whatever the algorithm; 0: they
                        need not. Keys without values are sorted alike either way */
    /* XL_SEGMENTS_NONE, or XL_SEGMENTS_OFFSETS: each segment is sorted by itself, by BITONIC, or
     * as the comparator says, and is always stable. XL_ERROR_UNSUPPORTED with RADIX */
    uint32_t segments;
    uint32_t segment_type; /* xl_type of the offsets: XL_U32 or XL_U64; else XL_NONE */
    /* NULL: keys are ordered as said above. Else `key` is any type, XL_USER_TYPE and vectors too,
     * of at most 512 bytes, and this says which key comes before which; XL_DESCENDING turns it
     * round. Equal keys stay in order. Takes XL_SORT_AUTO, which merges (Green, McColl and Bader,
     * "GPU merge path", ICS 2012), and no range of bits. What is no order gives keys that are not
     * defined, but nothing is read or written outside of the arrays, and no call hangs. Borrowed
     * while the plan is made */
    const xl_user_comparator *comparator;
    const xl_user_type *user_key; /* where key is XL_USER_TYPE */
    /* Of floating-point keys: 0: -0 comes before +0. 1: they are equal; all equal keys stay in
     * order then, keys keep their signs, and places of keys travel with them, which costs as much
     * as values do. XL_ERROR_UNSUPPORTED with a comparator or a range of bits. Of other keys it
     * means nothing */
    uint32_t equal_zeros;
    /* 1: only values are asked for, of which there are some: the places of XL_SORT_INDICES, or what
     * travels with the keys. keys_out is not given, keys_in stays as it is, and the last pass
     * writes no keys; those of passes before it, and all of equal_zeros, stand in scratch: see
     * xl_sort_scratch(). XL_ERROR_INVALID_ARGUMENT where `value` is XL_NONE */
    uint32_t values_only;
    /* 1: a call may have more than 2^32 - 1 keys: places and counts have 64 bits. Asks for
     * XL_SORT_RADIX, which AUTO then takes for any n, in programs of their own, which take longer
     * for the same keys: fewer keys are better sorted by a plan without. Values of 8 bytes travel
     * with the keys, as those of 4 do; what is gathered is so by places of 8 bytes.
     * XL_SORT_INDICES, which are u32, end at 2^32 keys. XL_ERROR_UNSUPPORTED with segments, a
     * comparator, equal_zeros, or BITONIC */
    uint32_t large;
    uint32_t reserved; /* 0 */
} xl_sort_desc;

/* What one call works on; a view that is left out is not given. No output may overlap anything else
 * but, exactly, the input of its name. */
typedef struct xl_sort_args {
    size_t n;           /* keys, at most 2^32 - 1, with desc.large 2^48 - 1, but 2^32 of
                           XL_SORT_INDICES; with n_device the most there may be */
    xl_view keys_in;    /* n keys in any order; not changed unless it is also keys_out */
    xl_view values_in;  /* n values that travel with the keys; not given for XL_NONE and
                           XL_SORT_INDICES */
    xl_view keys_out;   /* n keys in order; may be exactly keys_in, may not overlap it
                           otherwise. The device also reads it: not CL_MEM_WRITE_ONLY. Not given
                           with values_only */
    xl_view values_out; /* n values; may be exactly values_in, with values_only too; not given for
                           XL_NONE. The device also reads it */
    xl_view scratch;    /* xl_sort_scratch() bytes, or not given: as in xl_scan_args */
    xl_view n_device;   /* not given, or one u64: as many keys as it holds when the call runs, and
                           at most n: as in xl_scan_args */
    /* n values each, as many as the descriptor's more_values; as values_in and values_out */
    xl_view more_values_in[XL_SORT_MORE_VALUES], more_values_out[XL_SORT_MORE_VALUES];
    xl_view segments; /* with XL_SEGMENTS_OFFSETS: where each segment begins, count integers that
                         never fall (xl_view_n(); 1 to 2^32 - 1). Segment i is
                         [o[i], o[i + 1]), the last one ends in n, and any may be empty: the
                         offsets of a scan, whose last is n, will do. What stands before o[0] is
                         copied as it is. Overlaps neither outputs nor scratch. Offsets that fall or
                         pass n give results that are not defined, but nothing is read or written
                         outside of the arrays, and no call hangs */
} xl_sort_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_sort_desc_init(desc) xl_sort_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_sort_desc_init_version(xl_sort_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_sort_create(xl_context *ctx, const xl_sort_desc *desc,
                                             xl_plan **plan);

/* As xl_scan_scratch(). It is
 *   BITONIC       0 bytes up to the elements of one tile, from there on the n keys and values once
 *                 more, and with a comparator one key more. A sort by samples (XL_SORT_AUTO, few
 *                 keys) the same and at most 4 MiB of these
 *   RADIX         the keys and values once more, and at most 4 MiB of counts; with `large` these
 *                 are at most 8 MiB, or 2 KiB for each 2^30 keys, and where values are gathered
 *                 places have 8 bytes where others have 4
 *   gathered      values, see more_values: for every n at most 4 MiB of counts and, for each key,
 *                 the key and 8 bytes, or the largest element of values and 4 bytes, whatever is
 *                 more
 *   equal_zeros   of keys of floating-point types the keys once more and 8 bytes a key, where that
 *                 is more
 *   segments      however many, past the elements of one tile the keys and values once more; for
 *                 each tile 64 bytes, and 8 more for each time that one tile has to be doubled to
 *                 reach n; and at most 1 KiB
 *   values_only   beside all that the keys once more, which would else be in keys_out; up to the
 *                 elements of one tile only RADIX and equal_zeros need them */
XL_NODISCARD XL_API xl_status xl_sort_scratch(const xl_plan *plan, const xl_sort_args *args,
                                              size_t *bytes);

/* Enqueues a sort; never blocks, and allocates nothing when scratch is given. Unless RADIX or
 * `stable` was asked for, equal keys may come out in any order, the same one on every run on one
 * device. Waits,
 * event, queue, threads, failure and errors as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_sort_enqueue(xl_plan *plan, cl_command_queue queue,
                                              const xl_sort_args *args, cl_uint num_waits,
                                              const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

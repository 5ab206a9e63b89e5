/* SPDX-License-Identifier: MIT
 * Merging two sorted arrays of keys, or of keys with a value each, into one.
 *
 * Source: the merge path, which tells of any part of the output what parts of both arrays it comes
 * from, so that all parts are made at once (Odeh, Green et al., "Merge path - parallel merging made
 * simple", IPDPS workshops 2012; on GPUs Green, McColl and Bader, "GPU merge path", ICS 2012). */
#ifndef CROSSLANE_MERGE_H
#define CROSSLANE_MERGE_H

#include <crosslane/sort.h>

/* Start from xl_merge_desc_init(): ascending u32 keys, no values. Keys are ordered as xl_sort_desc
 * says, floating-point numbers with them. */
typedef struct xl_merge_desc {
    uint32_t version;      /* set by xl_merge_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t key;          /* xl_type: any built-in scalar; a device need not compute with it */
    uint32_t value;        /* xl_type: XL_NONE or XL_U32 */
    uint32_t order;        /* xl_sort_order: that of both arrays, and of the result */
    uint32_t equal_zeros;  /* 0: -0 comes before +0. 1: they are equal keys, which keep their bits
                              and stay in order. No effect on integers */
    /* Tuning values of this plan, as in xl_sort_desc; merge.*. NULL: none */
    const xl_tunable *tunables;
} xl_merge_desc;

/* What one call works on; a view that is left out is not given. Outputs overlap nothing; inputs may
 * overlap each other. */
typedef struct xl_merge_args {
    size_t n_a, n_b;    /* keys of both arrays, together at most 2^32 - 1; either may be 0 */
    xl_view keys_a;     /* n_a keys in order */
    xl_view values_a;   /* n_a values that travel with them; not given for XL_NONE */
    xl_view keys_b;     /* n_b keys in order */
    xl_view values_b;   /* n_b values; not given for XL_NONE */
    xl_view keys_out;   /* n_a + n_b keys in order */
    xl_view values_out; /* n_a + n_b values; not given for XL_NONE */
    xl_view scratch;    /* xl_merge_scratch() bytes, or not given: as in xl_scan_args */
} xl_merge_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_merge_desc_init(desc) xl_merge_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_merge_desc_init_version(xl_merge_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_merge_create(xl_context *ctx, const xl_merge_desc *desc,
                                              xl_plan **plan);

/* As xl_scan_scratch(), of a call whose n_a + n_b is n: 0 bytes up to merge.search_tiles tiles and
 * on devices whose work-items run one after another; else 4 bytes a tile. */
XL_NODISCARD XL_API xl_status xl_merge_scratch(const xl_plan *plan, const xl_merge_args *args,
                                               size_t *bytes);

/* Enqueues a merge; never blocks, and allocates nothing when scratch is given. Stable: of keys that
 * are equal those of a come first, and those of each array stay in order. NaN are equal only if
 * their bits are, and -0 comes before +0 unless desc.equal_zeros is 1. If an input is not sorted,
 * the output is an unspecified selection of input elements, and nothing else is written. Waits,
 * event, queue, threads, failure and errors as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_merge_enqueue(xl_plan *plan, cl_command_queue queue,
                                               const xl_merge_args *args, cl_uint num_waits,
                                               const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

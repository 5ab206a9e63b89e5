/* SPDX-License-Identifier: MIT
 * Merging two sorted arrays of keys, or of keys with a value each, into one.
 *
 * Source: the merge path, which tells of any part of the output what parts of both arrays it comes
 * from, so that all parts are made at once (Odeh, Green et al., "Merge path - parallel merging made
 * simple", IPDPS workshops 2012; on GPUs Green, McColl and Bader, "GPU merge path", ICS 2012). */
#ifndef CROSSLANE_MERGE_H
#define CROSSLANE_MERGE_H

#include <crosslane/sort.h>

typedef struct xl_merge xl_merge;

/* Start from xl_merge_desc_init(): ascending u32 keys, no values. Keys are ordered as xl_sort_desc
 * says, floating-point numbers with them. */
typedef struct xl_merge_desc {
    uint32_t struct_size;  /* set by xl_merge_desc_init() */
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

/* Writes `size` bytes: the size, the defaults, and zeros in what this version does not know.
 * From C take xl_merge_desc_init(), which passes the size. NULL is ignored. */
XL_API void xl_merge_desc_init_sized(xl_merge_desc *desc, size_t size);

/* Makes a plan; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_merge_create(xl_context *ctx, const xl_merge_desc *desc,
                                              xl_merge **plan);

/* As xl_scan_scratch(), of a call whose n_a + n_b is n: 0 bytes up to merge.search_tiles tiles and
 * on devices whose work-items run one after another; else 4 bytes a tile. */
XL_NODISCARD XL_API xl_status xl_merge_scratch(const xl_merge *plan, size_t n, size_t *bytes,
                                               size_t *alignment);

/* Enqueues a merge; never blocks, and allocates nothing when scratch is given. Stable: of keys that
 * are equal those of a come first, and those of each array stay in order. NaN are equal only if
 * their bits are, and -0 comes before +0 unless desc.equal_zeros is 1. If an input is not sorted,
 * the output is an unspecified selection of input elements, and nothing else is written. `size` is
 * the size of *args: from C take xl_merge_enqueue(), which passes it. Waits, event, queue, threads,
 * failure and errors as xl_scan_enqueue_sized(). */
XL_NODISCARD XL_API xl_status xl_merge_enqueue_sized(xl_merge *plan, cl_command_queue queue,
                                                     const xl_merge_args *args, size_t size,
                                                     cl_uint num_waits, const cl_event *waits,
                                                     cl_event *event);

/* Lets go of a plan, as the last call on it; NULL is ignored. Does not block: work that is enqueued
 * still completes. */
XL_API void xl_merge_destroy(xl_merge *plan);

XL_EXTERN_C_END

/* The defaults, and the size of the structure as its user knows it. */
static inline void xl_merge_desc_init(xl_merge_desc *desc)
{
    xl_merge_desc_init_sized(desc, sizeof *desc);
}

/* As xl_merge_enqueue_sized(). */
XL_NODISCARD static inline xl_status xl_merge_enqueue(xl_merge *plan, cl_command_queue queue,
                                                      const xl_merge_args *args, cl_uint num_waits,
                                                      const cl_event *waits, cl_event *event)
{
    return xl_merge_enqueue_sized(plan, queue, args, sizeof *args, num_waits, waits, event);
}

#endif

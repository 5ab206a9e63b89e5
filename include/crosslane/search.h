/* SPDX-License-Identifier: MIT
 * Searching in sorted arrays: the places of many queries, and where an array is not in order.
 *
 * Source: binary search; a work-item that walks along queries goes on from the last place while
 * they rise (Bentley and Yao, "An almost optimal algorithm for unbounded searching", Information
 * Processing Letters 1976). */
#ifndef CROSSLANE_SEARCH_H
#define CROSSLANE_SEARCH_H

#include <crosslane/sort.h>

typedef enum xl_search_kind {
    XL_SEARCH_LOWER = 0, /* the first place whose key is not before the query */
    XL_SEARCH_UPPER = 1, /* the first place whose key is after the query */
    /* No queries: the first place i >= 1 whose key is before that at i - 1. */
    XL_SEARCH_UNSORTED = 2
} xl_search_kind;

/* Start from xl_search_desc_init(): LOWER in ascending u32 keys, u64 places. Keys are ordered as
 * xl_sort_desc says, floating-point numbers with them. */
typedef struct xl_search_desc {
    uint32_t version;      /* set by xl_search_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t key;          /* xl_type: any built-in scalar; a device need not compute with it */
    uint32_t order;        /* xl_sort_order: that of the keys */
    uint32_t kind;         /* xl_search_kind */
    uint32_t index;        /* xl_type of places: XL_U32 or XL_U64; of UNSORTED XL_U64 */
    /* Tuning values of this plan, as in xl_sort_desc; search.*. NULL: none */
    const xl_tunable *tunables;
    /* 0: -0 comes before +0. 1: they are equal, among the keys and in a query, as for `<` in C. No
     * effect on integers */
    uint32_t equal_zeros;
    uint32_t reserved; /* 0 */
} xl_search_desc;

/* What one call works on; a view that is left out is not given. */
typedef struct xl_search_args {
    size_t n;            /* keys; where places are u32 at most 2^32 - 1 */
    xl_view keys;        /* n keys in order */
    size_t num_queries;  /* of UNSORTED 0 */
    xl_view queries;     /* num_queries elements of type key, in any order; faster if they rise. May
                            overlap keys */
    xl_view indices_out; /* a place, 0 to n, for each query; n where there is no such key. Of
                            UNSORTED one u64, n where the keys are in order. Overlaps nothing */
    xl_view scratch;     /* xl_search_scratch() bytes, or not given: as in xl_scan_args */
} xl_search_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_search_desc_init(desc) xl_search_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_search_desc_init_version(xl_search_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_search_create(xl_context *ctx, const xl_search_desc *desc,
                                               xl_plan **plan);

/* As xl_scan_scratch(), of a call with n keys: 0 bytes, but of UNSORTED 8 for each work-group. */
XL_NODISCARD XL_API xl_status xl_search_scratch(const xl_plan *plan, const xl_search_args *args,
                                                size_t *bytes);

/* Enqueues a search; never blocks, and allocates nothing when scratch is given. In keys that are
 * not in order each query's place is some number from 0 to n. Waits, event, queue, threads, failure
 * and errors as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_search_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_search_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

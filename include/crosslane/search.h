/* SPDX-License-Identifier: MIT
 * Searching in sorted arrays: finds the place of each of many queries among sorted keys, or the
 * first place where an array is not sorted. The simplest use, with u32 keys and u64 places:
 *
 *     xl_search_desc desc;
 *     xl_search_desc_init(&desc);
 *     xl_search_create(ctx, &desc, &plan);
 *     xl_search_args args = {.n = n, .keys = keys, .num_queries = m, .queries = queries,
 *                            .indices_out = places};
 *     xl_search_enqueue(plan, queue, &args, 0, NULL, NULL);
 *
 * The page is docs/merge-and-search.md.
 *
 * Source: binary search. A work-item that processes several queries continues at the last place
 * while they rise (Bentley and Yao, "An almost optimal algorithm for unbounded searching",
 * Information Processing Letters 1976). */
#ifndef CROSSLANE_SEARCH_H
#define CROSSLANE_SEARCH_H

#include <crosslane/sort.h>

typedef enum xl_search_kind {
    XL_SEARCH_LOWER = 0,   /* the first place whose key is not before the query */
    XL_SEARCH_UPPER = 1,   /* the first place whose key is after the query */
    XL_SEARCH_UNSORTED = 2 /* no queries: the first place i >= 1 whose key is before key i - 1 */
} xl_search_kind;

/* Start from xl_search_desc_init(): XL_SEARCH_LOWER in ascending u32 keys, u64 places. Keys are
 * ordered as in a sort (xl_sort_desc). */
typedef struct xl_search_desc {
    uint32_t version; /* set by xl_search_desc_init() */

    uint32_t key;   /* xl_type: any built-in scalar, even if the device cannot compute with it */
    uint32_t index; /* xl_type of places: XL_U32 or XL_U64; XL_U64 for XL_SEARCH_UNSORTED */

    uint32_t kind; /* xl_search_kind */

    uint32_t order;       /* xl_sort_order of the keys */
    uint32_t equal_zeros; /* 0: -0 comes before +0. 1: they are equal, as for `<` in C. No effect on
                             integers */

    uint32_t num_tunables;      /* number of tunables */
    const xl_tunable *tunables; /* tuning values of this plan (xl_tunable in types.h), names
                                   search.*; NULL: none */
} xl_search_desc;

/* The arguments of a call. indices_out must not overlap keys or queries. */
typedef struct xl_search_args {
    size_t n;                   /* number of keys; at most 2^32 - 1 if desc.index is XL_U32 */
    size_t num_queries;         /* must be 0 for XL_SEARCH_UNSORTED */
    xl_view n_device;           /* not given, or one u64: the call searches in the first
                                   min(n, n_device[0]) keys, as read when it runs */
    xl_view num_queries_device; /* not given, or one u64: the same for the queries. The places of
                                   other queries are not written. XL_SEARCH_UNSORTED: not given */
    xl_view keys;               /* n sorted keys */
    xl_view queries;     /* num_queries elements of type key, in any order; rising queries are
                            faster. May overlap keys. XL_SEARCH_UNSORTED: not given */
    xl_view indices_out; /* a place from 0 to the number of keys for each query; that number if no
                            key qualifies. XL_SEARCH_UNSORTED: one u64, that number if the keys are
                            sorted */
    xl_view scratch;     /* not given, or xl_search_scratch() bytes */
} xl_search_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_search_desc_init(desc) xl_search_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_search_desc_init_version(xl_search_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_search_create(xl_context *ctx, const xl_search_desc *desc,
                                               xl_plan **plan);

/* Scratch: 0 bytes, or 8 for each work-group for XL_SEARCH_UNSORTED. */
XL_NODISCARD XL_API xl_status xl_search_scratch(const xl_plan *plan, const xl_search_args *args,
                                                size_t *bytes);

/* If the keys are not sorted, each place is some number from 0 to n. */
XL_NODISCARD XL_API xl_status xl_search_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_search_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

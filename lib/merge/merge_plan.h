/* SPDX-License-Identifier: MIT
 * The plan of a merge. A call goes from merge.c (checks, arrays) to merge_enqueue.c (launches) and
 * cl/merge/merge_sorted.cl, or merge_sets.cl for set operations. */
#ifndef XLI_MERGE_PLAN_H
#define XLI_MERGE_PLAN_H

#include "merge_shape.h"
#include "primitive.h"

typedef struct xli_merge_plan {
    xl_plan base;
    xli_merge_problem problem;
    xli_merge_shape shape;
    xli_kernel partitions; /* finds where tiles begin, if work-groups merge tiles */
    xli_kernel parts;      /* merges tiles or chunks */
    /* for set operations */
    xli_kernel set_cuts, set_counts, set_sums, set_writes;
} xli_merge_plan;

/* The arrays of a call. */
enum {
    XLI_MERGE_N_A,
    XLI_MERGE_N_B,
    XLI_MERGE_KEYS_A,
    XLI_MERGE_VALUES_A,
    XLI_MERGE_KEYS_B = XLI_MERGE_VALUES_A + XLI_VALUES,
    XLI_MERGE_VALUES_B,
    XLI_MERGE_KEYS_OUT = XLI_MERGE_VALUES_B + XLI_VALUES,
    XLI_MERGE_VALUES_OUT,
    XLI_MERGE_COUNT = XLI_MERGE_VALUES_OUT + XLI_VALUES,
    XLI_MERGE_ARRAYS
};

/* merge_enqueue.c */
xl_status xli_merge_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                           const xli_span *scratch);

#endif

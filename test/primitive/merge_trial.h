/* SPDX-License-Identifier: MIT
 * What tests of merges share: keys dealt out to two arrays, and one merge with all that is to be
 * checked of it. */
#ifndef MERGE_TRIAL_H
#define MERGE_TRIAL_H

#include "reference.h"
#include "xlt_keys.h"

/* ---- one merge, checked ---- */

/* How keys are dealt out. */
typedef enum merge_deal {
    MERGE_MIXED,
    MERGE_A_FIRST,
    MERGE_B_FIRST,
    MERGE_INTERLEAVED,
    MERGE_RUNS,
    MERGE_UNSORTED,
    MERGE_DEALS
} merge_deal;

typedef struct merge_trial {
    const char *device; /* which variant of the device */
    const xl_merge_desc *desc;
    xl_merge *plan;
    cl_command_queue queue;
    size_t n_a, n_b, offset;
    xlt_keys kind;
    merge_deal deal;
    bool own_scratch;
} merge_trial;

xl_merge_desc merge_desc(xl_type key, xl_type value, xl_sort_order order);
merge_trial merge_trial_of(const xl_merge_desc *desc, xl_merge *plan);
/* Merges and compares with the reference, or, where arrays are not in order, looks for the key of
 * each value; checks guard bytes, and that inputs are as they were. */
void merge_check(const merge_trial *t);

/* The steps of that. */

/* In memory: a, b and what they make. */
typedef struct merge_host {
    unsigned char *keys[3];
    uint32_t *values[3];
} merge_host;

/* The same on the device. */
typedef struct merge_arrays {
    xlt_buffer keys[3], values[3], scratch;
} merge_arrays;

merge_host merge_host_make(const merge_trial *t, uint64_t seed);
void merge_host_free(merge_host *h);
merge_arrays merge_arrays_make(const merge_trial *t, const merge_host *h);
void merge_arrays_free(merge_arrays *a);
xl_status merge_enqueue(const merge_trial *t, const merge_arrays *a, cl_uint num_waits,
                        const cl_event *waits, cl_event *event);
void merge_check_result(const merge_trial *t, const merge_host *h, const merge_arrays *a);

#endif

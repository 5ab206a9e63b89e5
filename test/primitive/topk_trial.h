/* SPDX-License-Identifier: MIT
 * What tests of selections share: keys in patterns, and one selection with all that is to be
 * checked of it. */
#ifndef TOPK_TRIAL_H
#define TOPK_TRIAL_H

#include "reference.h"
#include "xlt.h"

/* ---- keys ---- */

typedef enum topk_pattern {
    TOPK_RANDOM,
    TOPK_RISING,
    TOPK_FALLING,
    TOPK_ALL_EQUAL,
    TOPK_ONE_BIT,
    TOPK_FEW_DISTINCT,
    TOPK_LATE_BEST,
    TOPK_SPECIAL,
    TOPK_PATTERNS,
    TOPK_ZEROS = TOPK_PATTERNS /* of floating-point types: zeros of both signs, and few others; for
                                  tests of these alone */
} topk_pattern;

extern const xl_type topk_types[];
enum { TOPK_TYPES = 11 };

/* n keys of so many bytes. */
void topk_fill(void *keys, topk_pattern p, size_t size, size_t n);
/* Memory that the caller frees. */
void *topk_room(size_t bytes);
/* The same keys for the reference, in which zeros have no sign if the descriptor says that they are
 * equal; the caller frees them. */
void *topk_ranked(const xl_topk_desc *desc, size_t n, const void *keys);

/* ---- one selection, checked ---- */

enum { TOPK_KEYS = 1, TOPK_VALUES = 2, TOPK_INDICES = 4, TOPK_COUNT = 8, TOPK_ALL = 15 };

typedef struct topk_trial {
    const char *device; /* which variant of the device */
    const xl_topk_desc *desc;
    xl_topk *plan;
    cl_command_queue queue;
    size_t n, k, offset;
    topk_pattern pattern;
    unsigned outputs; /* of the above; values only where the plan has them */
    bool own_scratch;
    /* Keys of 4 bytes that are random are changed by it, or NULL; as `choice` says. */
    void (*fill)(const struct topk_trial *t, uint32_t *keys);
    unsigned choice;
} topk_trial;

xl_topk_desc topk_desc(xl_type key, xl_type value, bool largest, bool sorted);
/* With all outputs. */
topk_trial topk_trial_of(const xl_topk_desc *desc, xl_topk *plan, size_t n, size_t k,
                         topk_pattern p);
/* Selects and compares with the reference; checks guard bytes, and that inputs are as they were.
 */
void topk_check(const topk_trial *t);

/* The steps of that. */

/* Those that are not given are empty. */
enum { TOPK_BUFFERS = 7 };
typedef struct topk_arrays {
    xlt_buffer at[TOPK_BUFFERS];
} topk_arrays;

/* What a trial starts from, and what it has to give. */
typedef struct topk_host {
    void *keys;
    uint32_t *values, *wanted;
} topk_host;

topk_host topk_host_make(const topk_trial *t);
void topk_host_free(topk_host *h);
topk_arrays topk_arrays_make(const topk_trial *t, const void *keys, const uint32_t *values);
void topk_arrays_free(topk_arrays *a);
xl_status topk_enqueue(const topk_trial *t, const topk_arrays *a, cl_uint num_waits,
                       const cl_event *waits, cl_event *event);
void topk_check_result(const topk_trial *t, const topk_arrays *a, const topk_host *h);

#endif

/* SPDX-License-Identifier: MIT
 * What the tests of sorts share: keys of every type in patterns, one sort with all that is to be
 * checked of it, and plans with tuning values of their own. */
#ifndef SORT_TRIAL_H
#define SORT_TRIAL_H

#include "scan_support.h"

/* ---- keys ---- */

extern const xl_type sort_key_types[];
enum { SORT_KEY_TYPES = 11 };

typedef enum sort_pattern {
    SORT_RANDOM,
    SORT_RISING,
    SORT_FALLING,
    SORT_ALL_EQUAL,
    SORT_ONE_BIT,
    SORT_FEW_DISTINCT,
    SORT_ALL_ONES,
    SORT_SPECIAL, /* zeros, infinities, what is no number, all of both signs, and extremes */
    SORT_PATTERNS
} sort_pattern;

void sort_fill(void *keys, sort_pattern p, xl_type type, size_t n, uint64_t seed);

/* ---- plans ---- */

xl_sort_desc sort_desc(xl_type key, xl_type value, xl_sort_order order,
                       xl_sort_algorithm algorithm);
/* The k-th key type, with values or without, in either order: 0 to 3 of `form` are all four. */
xl_sort_desc sort_desc_of_form(size_t k, size_t form, xl_sort_algorithm algorithm);
/* A plan that must come about. */
xl_sort *sort_plan(xl_context *ctx, const xl_sort_desc *desc, const char *what);
/* One by digits; NULL where the device has no such sort. */
xl_sort *sort_plan_by_digits(xl_context *ctx, const xl_sort_desc *desc, const char *what);
/* Of its own accord a plan takes sweeps, and no other way to sort by digits in groups. */
bool sort_takes_sweeps(void);
/* Bytes of an element of values, as the descriptor has it. */
size_t sort_value_bytes(uint32_t value);
/* Elements of a tile, or chunk, of what the plan takes for n elements. */
size_t sort_tile(const xl_sort *plan, size_t n);

/* ---- one sort, checked ---- */

typedef struct sort_trial {
    const char *what; /* the plan's tuning */
    const xl_sort_desc *desc;
    xl_sort *plan;
    cl_command_queue queue;
    size_t n, offset;
    sort_pattern pattern;
    bool own_scratch;
    bool in_place;               /* keys and values */
    bool keys_stay, values_stay; /* one of them in place, the other not */
    const xlt_buffer *scratch;   /* NULL: a new one of the bytes that it takes */
} sort_trial;

sort_trial sort_trial_of(const xl_sort_desc *desc, xl_sort *plan, size_t n, sort_pattern p);
/* Keys and values in place, apart, and one of them in place, in turn. */
void sort_trial_place(sort_trial *t, size_t i);
/* Sorts and compares with the reference; checks guard bytes, and that inputs are as they were. */
void sort_check(const sort_trial *t);

/* The steps of that. Input and output are the same buffer when in place. */
typedef struct sort_arrays {
    xlt_buffer keys_in, values_in, keys_out, values_out, scratch;
} sort_arrays;

sort_arrays sort_arrays_make(const sort_trial *t, const void *keys, const uint32_t *values);
xl_status sort_enqueue(const sort_trial *t, const sort_arrays *a, cl_uint num_waits,
                       const cl_event *waits, cl_event *event);
void sort_check_result(const sort_trial *t, const sort_arrays *a, const void *keys,
                       const uint32_t *values, const void *wanted);
/* Fails if the buffer is not as before. */
void sort_check_same(const sort_trial *t, const xlt_buffer *buffer, const void *before,
                     const char *name);
/* The same of keys that a sort leaves as they are. */
void sort_check_unchanged(const xlt_buffer *keys_in, const void *before);
void sort_arrays_free(sort_arrays *a);
/* 0, 1, 2 and so on; the caller frees them. */
uint32_t *sort_numbers(size_t n);
/* The keys as they are to come out; the caller frees them. */
void *sort_wanted(const sort_trial *t, const void *keys);

#endif

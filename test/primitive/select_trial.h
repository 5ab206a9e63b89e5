/* SPDX-License-Identifier: MIT
 * What tests of compaction share: elements in patterns, and one call with all that is to be checked
 * of it. */
#ifndef SELECT_TRIAL_H
#define SELECT_TRIAL_H

#include "reference.h"
#include "xlt.h"

/* Which elements are wanted, or begin a run. */
typedef enum select_pattern {
    SELECT_HALF, /* at random */
    SELECT_FEW,  /* 1 % */
    SELECT_MOST, /* 99 % */
    SELECT_NONE,
    SELECT_ALL,
    SELECT_TURNS, /* every other one */
    SELECT_LONG,  /* long stretches of the same */
    SELECT_LAST,  /* the last one alone */
    SELECT_PATTERNS
} select_pattern;

extern const char *const select_pattern_names[SELECT_PATTERNS];

/* The outputs of a call. */
enum {
    SELECT_OUT = 1,
    SELECT_VALUES = 2, /* all arrays of values that the plan has */
    SELECT_INDICES = 4,
    SELECT_LENGTHS = 8,
    SELECT_COUNT = 16,
    SELECT_OUTPUTS = 31
};

typedef struct select_trial {
    const char *device; /* which variant of the device */
    const xl_select_desc *desc;
    xl_select *plan;
    cl_command_queue queue;
    size_t n, offset;
    size_t capacity;  /* 0: n, as in xl_select_args */
    size_t n_device;  /* SIZE_MAX: not given; else what it says */
    uint32_t longest; /* REPEAT: lengths are below that, and some longer */
    select_pattern pattern;
    unsigned outputs; /* of the above, those that the plan has */
    bool own_scratch;
} select_trial;

/* A descriptor of that kind and type whose expressions suit the elements of trials. */
xl_select_desc select_desc(xl_select_kind kind, xl_select_by by, xl_type type, uint32_t value);
/* With all outputs. */
select_trial select_trial_of(const xl_select_desc *desc, xl_select *plan, size_t n,
                             select_pattern pattern);
/* Bytes of an element. */
size_t select_bytes(const xl_select_desc *desc);
/* Selects and compares with the reference; checks guard bytes, what is behind the results, and that
 * inputs are as they were. */
void select_check(const select_trial *t);

/* The steps of that. */
enum {
    SELECT_AT_IN,
    SELECT_AT_FLAGS,
    SELECT_AT_N,
    SELECT_AT_OUT,
    SELECT_AT_INDICES,
    SELECT_AT_LENGTHS,
    SELECT_AT_COUNT,
    SELECT_AT_VALUES, /* in, then out, of each array */
    SELECT_BUFFERS = SELECT_AT_VALUES + 2 * (1 + XL_SELECT_MORE_VALUES)
};
typedef struct select_arrays {
    xlt_buffer at[SELECT_BUFFERS];
    xlt_buffer scratch;
    xl_select_args args;
} select_arrays;

/* What a trial starts from, and what it has to give. */
typedef struct select_host {
    unsigned char *in, *flags, *values[1 + XL_SELECT_MORE_VALUES];
    size_t flags_count, flags_bytes, in_bytes, values_bytes[1 + XL_SELECT_MORE_VALUES];
    size_t num_values, room; /* room: elements that outputs have */
    size_t given;            /* elements that are written */
    uint64_t *places, counts[2];
    uint32_t *lengths;
} select_host;

select_host select_host_make(const select_trial *t);
void select_host_free(select_host *h);
select_arrays select_arrays_make(const select_trial *t, const select_host *h);
void select_arrays_free(select_arrays *a);
void select_check_result(const select_trial *t, const select_arrays *a, const select_host *h);

#endif

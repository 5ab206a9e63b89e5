/* SPDX-License-Identifier: MIT
 * Reductions of jobs (scan_support.h), checked against the serial reference. */
#ifndef REDUCE_SUPPORT_H
#define REDUCE_SUPPORT_H

#include "scan_support.h"

/* Arrays of one call, on the host and on the device. */
typedef struct reduce_call {
    size_t n, count, room; /* segments, and of them those that fit */
    void *in;
    segments s;
    uint64_t *begin;
    xlt_buffer a, b, heads, keys, number, scratch;
} reduce_call;

/* The fields that a reduction has, too. */
xl_reduce_desc reduce_desc_of(const xl_scan_desc *s);
/* The job's plan; NULL, with a line of why, where the device lacks the type. */
xl_plan *reduce_plan(xl_context *ctx, const job *j);
/* `cut`: where the number of segments is not known, there is room for half of them. */
reduce_call reduce_call_make(const job *j, size_t n, bool cut);
/* Compares the results with the reference. */
void reduce_call_check(const job *j, const reduce_call *c);
void reduce_call_free(reduce_call *c);
/* The view of a buffer with its count; not given where there is none. */
xl_view reduce_view(const xlt_buffer *buffer);
/* One call of n elements from making to freeing. */
void reduce_check(xl_context *ctx, xl_plan *plan, const job *j, size_t n, bool cut);

#endif

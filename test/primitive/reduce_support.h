/* SPDX-License-Identifier: MIT
 * Reductions of jobs (scan_support.h), checked against the serial reference. */
#ifndef REDUCE_SUPPORT_H
#define REDUCE_SUPPORT_H

#include "scan_support.h"

/* The fields that a reduction has, too. */
xl_reduce_desc reduce_desc_of(const xl_scan_desc *s);
/* The job's plan; NULL, with a line of why, where the device lacks the type. */
xl_plan *reduce_plan(xl_context *ctx, const job *j);
/* The view of a buffer with its count; not given where there is none. */
xl_view reduce_view(const xlt_buffer *buffer);
/* One call of n elements from making to freeing. */
void reduce_check(xl_context *ctx, xl_plan *plan, const job *j, size_t n);

#endif

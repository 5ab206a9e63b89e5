/* SPDX-License-Identifier: MIT
 * A reduction inside: the source of the flat engine, and kernels of its own.
 *
 * A call walks: check (reduce_call.c) -> cut into runs (reduce_plan.c) -> kernels
 * (cl/kernel/reduce_*.cl) -> event. */
#ifndef XLI_REDUCE_PLAN_H
#define XLI_REDUCE_PLAN_H

#include "flat.h"

#include <crosslane/reduce.h>

struct xl_reduce {
    xli_flat flat; /* source, out, shape and pool; none of its kernels */
    xli_tune_reduce tune;
    xli_kernel count; /* flags, bits and keys */
    xli_kernel walk;
    xli_kernel join;
};

/* Resolves the descriptor, chooses the shape and builds the kernels. */
xl_status xli_reduce_plan(xl_reduce *plan, const xl_reduce_desc *desc, const xli_facts *facts);
void xli_reduce_destroy_kernels(xl_reduce *plan);

/* How a call is cut into runs, of whole tiles. */
typedef struct xli_reduce_cut {
    size_t run;  /* elements, or steps of the merge with CSR offsets */
    size_t runs; /* at least 1 */
    size_t most; /* of one launch */
} xli_reduce_cut;
xli_reduce_cut xli_reduce_cut_of(const xl_reduce *plan, size_t n, size_t segments);

/* Scratch of a call: one record more than a launch has runs, then as many numbers of heads. */
typedef struct xli_reduce_room {
    size_t counts; /* bytes before the heads */
    size_t bytes;
} xli_reduce_room;
xli_reduce_room xli_reduce_room_of(const xl_reduce *plan, size_t n);

xl_status xli_reduce_enqueue(xl_reduce *plan, cl_command_queue queue, const xl_reduce_args *call,
                             cl_uint num_waits, const cl_event *waits, cl_event *event);

#endif

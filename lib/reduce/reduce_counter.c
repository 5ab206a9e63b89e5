/* SPDX-License-Identifier: MIT
 * The counter of a call that reduces a whole array in one launch (cl/reduce/reduce_whole.cl). It
 * must be 0 when the launch starts, and no other launch may count on it meanwhile; a launch that
 * ran leaves it 0, and one that did not, for an event it waited for failed, has not touched it.
 *
 * The plan's own scratch, which is made of zeros and which one call uses at a time, begins with
 * one. The caller's holds anything: to clear a counter there would be a second launch again. So
 * the plan has a few counters of its own, each for the calls on one in-order queue, which come
 * one after the other. Any other call is given none: one on an out-of-order queue may run beside
 * any other. */
#include "reduce_plan.h"

xl_status xli_reduce_make_counters(xli_reduce_plan *plan)
{
    xl_status status = XL_SUCCESS;
    static const unsigned char zeros[XLI_REDUCE_COUNTERS * XLI_REDUCE_COUNTER_BYTES];
    xli_reduce_counters *counters = &plan->counters;
    cl_int code = CL_SUCCESS;
    plan->base.pool.zeroed = plan->shape.single_launch;
    if (!plan->shape.single_launch)
        return XL_SUCCESS;
    counters->lock = xli_mutex_create();
    if (!counters->lock)
        return xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a reduction");
    /* The call asks for a pointer to what may be written, and only reads. */
    counters->buffer =
        clCreateBuffer(xl_context_cl(plan->base.ctx), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       sizeof zeros, (void *)zeros, &code);
    XL_TRY(xli_cl(plan->base.ctx, code, "clCreateBuffer (counters)"));
done:
    return status;
}

void xli_reduce_drop_counters(xli_reduce_plan *plan)
{
    xli_reduce_counters *counters = &plan->counters;
    if (counters->buffer)
        clReleaseMemObject(counters->buffer);
    if (counters->lock)
        xli_mutex_destroy(counters->lock);
    *counters = (xli_reduce_counters){0};
}

/* That of a queue, or a new one; XLI_REDUCE_COUNTERS: there is none left. A handle that comes
 * again after its queue was let go of finds the commands on that done: a queue lives as long. */
static size_t counter_of(xli_reduce_counters *counters, cl_command_queue queue)
{
    size_t k = 0;
    xli_mutex_lock(counters->lock);
    while (k < counters->used && counters->queues[k] != queue)
        ++k;
    if (k == counters->used && k < XLI_REDUCE_COUNTERS)
        counters->queues[counters->used++] = queue;
    xli_mutex_unlock(counters->lock);
    return k;
}

xli_reduce_counter xli_reduce_take_counter(xli_reduce_plan *plan, const xli_flow *flow)
{
    enum { WORDS = XLI_REDUCE_COUNTER_BYTES / sizeof(cl_uint) };
    if (flow->seq->pool)
        return (xli_reduce_counter){flow->scratch->buffer, flow->scratch->offset / sizeof(cl_uint)};
    const size_t k =
        flow->seq->in_order ? counter_of(&plan->counters, flow->seq->queue) : XLI_REDUCE_COUNTERS;
    if (k == XLI_REDUCE_COUNTERS)
        return (xli_reduce_counter){0};
    return (xli_reduce_counter){plan->counters.buffer, k * WORDS};
}

/* SPDX-License-Identifier: MIT
 * The counter of a call that reduces a whole array in one launch (cl/reduce/reduce_whole.cl). It
 * must be 0 when the launch starts, and no other launch may use it meanwhile. A launch that runs
 * leaves it 0; one that does not, because an event failed, does not touch it.
 *
 * The plan's own scratch begins with a counter: it is made of zeros, and one call uses it at a
 * time. The caller's scratch holds any bytes, and to clear a counter there takes another launch.
 * For such calls the plan has a few counters, each for one in-order queue, whose calls run one
 * after another. Other calls get none, because calls on an out-of-order queue may run at the same
 * time. */
#include "reduce_plan.h"

xl_status xli_reduce_make_counters(xli_reduce_plan *plan)
{
    xl_status status = XL_SUCCESS;
    static const unsigned char zeros[XLI_REDUCE_COUNTERS * XLI_REDUCE_COUNTER_BYTES];
    xli_reduce_counters *counters = &plan->counters;
    plan->base.pool.zeroed = plan->shape.single_launch;
    if (!plan->shape.single_launch)
        return XL_SUCCESS;
    counters->lock = xli_mutex_create();
    if (!counters->lock)
        return xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a reduction");
    XL_TRY(xli_buffer_of(plan->base.ctx, "clCreateBuffer (counters)", CL_MEM_READ_WRITE,
                         sizeof zeros, zeros, &counters->buffer));
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

/* The number of the queue's counter, maybe a new one; XLI_REDUCE_COUNTERS: none is free. If a
 * handle is that of a queue that was released before, the commands of that queue are complete,
 * because a queue lives as long as its commands. */
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

/* SPDX-License-Identifier: MIT
 * Launches chained by events, right on in-order and out-of-order queues. */
#include "private.h"

#include <string.h>

static xl_status check_queue(const xl_context *ctx, cl_command_queue queue, bool *in_order)
{
    xl_status status;
    cl_context cl = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties properties = 0;
    if (!queue)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "queue: NULL");
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof cl, &cl, NULL);
    if (code == CL_INVALID_COMMAND_QUEUE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "queue: not a command queue: %s (%d)",
                        xli_cl_name(code), (int)code);
    XL_TRY(xli_cl(ctx, code, "clGetCommandQueueInfo"));
    XL_TRY_CL(ctx, clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    XL_TRY_CL(ctx, clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
                                         NULL));
    if (cl != ctx->cl || device != ctx->device)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "queue: belongs to another %s",
                        cl != ctx->cl ? "OpenCL context" : "device");
    if (properties & CL_QUEUE_ON_DEVICE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "queue: one of the device's own, which takes no work from the host");
    *in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
done:
    return status;
}

/* CL_COMPLETE, more before that, or less: the command failed, or the status is not known. */
static cl_int state_of(cl_event event)
{
    cl_int state = CL_QUEUED;
    const cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code == CL_SUCCESS ? state : code;
}

/* A command that waits for an event that has failed already never ends on PoCL 3.1, and may end the
 * process on Intel's CPU runtime (2026). */
static xl_status check_passes(const xl_context *ctx, const char *name, cl_uint i, cl_event event)
{
    const cl_int state = state_of(event);
    if (state >= 0)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_OPENCL, "%s[%u]: the event has failed: %s (%d)", name,
                    (unsigned)i, xli_cl_name(state), (int)state);
}

static xl_status check_waits(const xl_context *ctx, cl_uint num_waits, const cl_event *waits)
{
    if ((num_waits == 0) != (waits == NULL))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "waits: %s with num_waits %u",
                        waits ? "a list" : "NULL", (unsigned)num_waits);
    for (cl_uint i = 0; i < num_waits; ++i) {
        cl_context cl = NULL;
        cl_int code = waits[i] ? clGetEventInfo(waits[i], CL_EVENT_CONTEXT, sizeof cl, &cl, NULL)
                               : CL_INVALID_EVENT;
        if (code != CL_SUCCESS && code != CL_INVALID_EVENT)
            return xli_cl(ctx, code, "clGetEventInfo");
        if (code != CL_SUCCESS || cl != ctx->cl)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "waits[%u]: not an event of this OpenCL context", (unsigned)i);
        const xl_status status = check_passes(ctx, "waits", i, waits[i]);
        if (status != XL_SUCCESS)
            return status;
    }
    return XL_SUCCESS;
}

xl_status xli_seq_begin(xli_seq *seq, xl_context *ctx, cl_command_queue queue, cl_uint num_waits,
                        const cl_event *waits, cl_event *event_or_null)
{
    xl_status status;
    if (event_or_null)
        *event_or_null = NULL;
    *seq = (xli_seq){.ctx = ctx, .queue = queue, .num_waits = num_waits, .waits = waits};
    XL_TRY(xli_check_process());
    XL_TRY(check_queue(ctx, queue, &seq->in_order));
    XL_TRY(check_waits(ctx, num_waits, waits));
done:
    return status;
}

xl_status xli_seq_wait_for(xli_seq *seq, cl_event event)
{
    cl_event *const all = xli_alloc((seq->num_waits + (size_t)1) * sizeof *all);
    if (!all)
        return xli_fail(seq->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a wait list");
    if (seq->num_waits > 0)
        memcpy(all, seq->waits, seq->num_waits * sizeof *all);
    all[seq->num_waits++] = event;
    xli_free(seq->all);
    seq->all = all;
    seq->waits = all;
    return XL_SUCCESS;
}

xl_status xli_seq_scratch(xli_seq *seq, xli_pool *pool, xl_view scratch, size_t bytes,
                          size_t alignment, xli_span *span)
{
    xl_status status;
    cl_event last;
    *span = (xli_span){.name = "scratch", .access = XLI_WRITE};
    if (bytes == 0)
        return xli_check_view(seq->ctx, "scratch", scratch, 0, 1, XLI_READ | XLI_WRITE, span);
    if (scratch.buffer)
        return xli_scratch_check(seq->ctx, scratch, bytes, alignment, span);
    seq->pool = pool;
    XL_TRY(xli_pool_enter(seq->ctx, pool, seq->queue, seq->in_order, bytes, &last));
    if (last)
        XL_TRY(xli_seq_wait_for(seq, last));
    XL_TRY(xli_check_view(seq->ctx, "scratch", xl_view_of(pool->buffer, 0), bytes, 1,
                          XLI_READ | XLI_WRITE, span));
done:
    return status;
}

/* Whether a command waits for the launch before instead of the caller's events. On an in-order
 * queue it waits for the caller's events: a failed event ends only the commands that name it
 * there, and rusticl (Mesa 22.3), Intel's CPU runtime (2026.22.10) and Oclgrind would run the
 * later ones on undefined data. On an out-of-order queue the failure is passed on, and must
 * arrive once: if a command waits for two failed events, Intel's runtime frees memory twice. */
static bool waits_for_last(const xli_seq *seq)
{
    return seq->enqueued > 0 && !seq->in_order;
}

cl_uint xli_seq_num_waits(const xli_seq *seq)
{
    return waits_for_last(seq) ? 1 : seq->num_waits;
}

const cl_event *xli_seq_waits(const xli_seq *seq)
{
    return waits_for_last(seq) ? &seq->last : seq->waits;
}

/* `event` completes with all commands so far; NULL on an in-order queue. */
static void advance(xli_seq *seq, cl_event event)
{
    if (seq->last)
        clReleaseEvent(seq->last);
    seq->last = event;
    ++seq->enqueued;
}

enum { ARG_MEM, ARG_U32, ARG_U64, ARG_BYTES, ARG_LOCAL, ARG_OPTIONAL, ARG_NONE };

static cl_int set_any(const xl_context *ctx, cl_kernel kernel, cl_uint index, const xli_arg *arg)
{
    const cl_mem given = arg->hold.mem ? arg->hold.mem : ctx->stand_in;
    switch (arg->kind) {
    case ARG_MEM:
        return clSetKernelArg(kernel, index, sizeof arg->hold.mem, &arg->hold.mem);
    case ARG_U32:
        return clSetKernelArg(kernel, index, sizeof arg->hold.u32, &arg->hold.u32);
    case ARG_U64:
        return clSetKernelArg(kernel, index, sizeof arg->hold.u64, &arg->hold.u64);
    case ARG_BYTES:
        return clSetKernelArg(kernel, index, arg->size, arg->hold.bytes);
    case ARG_OPTIONAL:
        return clSetKernelArg(kernel, index, sizeof given, &given);
    default:
        return clSetKernelArg(kernel, index, arg->size, NULL);
    }
}

/* The library's own kernels remember their whole numbers: see xli_kernel. */
static cl_int set_arg(const xl_context *ctx, xli_kernel *kernel, cl_uint index, const xli_arg *arg)
{
    const unsigned bytes = arg->kind == ARG_U32 ? 4 : arg->kind == ARG_U64 ? 8 : 0;
    const uint64_t value = bytes == 4 ? arg->hold.u32 : bytes == 8 ? arg->hold.u64 : 0;
    if (bytes > 0 && kernel->set[index].bytes == bytes && kernel->set[index].value == value)
        return CL_SUCCESS;
    const cl_int code = set_any(ctx, kernel->cl, index, arg);
    kernel->set[index].bytes = code == CL_SUCCESS ? bytes : 0;
    kernel->set[index].value = value;
    return code;
}

/* Errors of a user's kernel without such a parameter. */
static bool is_wrong_argument(cl_int code)
{
    return code == CL_INVALID_ARG_INDEX || code == CL_INVALID_ARG_SIZE ||
           code == CL_INVALID_ARG_VALUE || code == CL_INVALID_MEM_OBJECT;
}

xl_status xli_args_set(const xl_context *ctx, cl_kernel kernel, cl_uint first, const xli_arg *args,
                       cl_uint num_args)
{
    for (cl_uint i = 0; i < num_args; ++i) {
        xli_arg arg = args[i];
        if (arg.kind == ARG_BYTES)
            memcpy(arg.hold.bytes, arg.value, xli_min(arg.size, sizeof arg.hold.bytes));
        const cl_int code = set_any(ctx, kernel, first + i, &arg);
        if (is_wrong_argument(code))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "args.kernel: parameter %u has another type: %s (%d)",
                            (unsigned)(first + i), xli_cl_name(code), (int)code);
        if (code != CL_SUCCESS)
            return xli_cl(ctx, code, "clSetKernelArg");
    }
    return XL_SUCCESS;
}

/* Before a command: whether it may wait for the one before, and room to hold its event. */
static xl_status prepare(const xli_seq *seq, xli_held **held)
{
    xl_status status = XL_SUCCESS;
    if (seq->ctx->holds_events && waits_for_last(seq))
        XL_TRY(check_passes(seq->ctx, "launch", seq->enqueued - 1, seq->last));
    XL_TRY(xli_held_make(seq->ctx, held));
done:
    return status;
}

/* Enqueues the delayed launch, with an event if `want_event`. */
static xl_status flush(xli_seq *seq, bool want_event)
{
    xl_status status = XL_SUCCESS;
    xli_pending_launch *pending = &seq->pending;
    xli_kernel *kernel = pending->kernel;
    cl_event event = NULL;
    xli_held *held = NULL;
    size_t global = pending->groups * pending->group_size;
    if (!kernel)
        return XL_SUCCESS;
    pending->kernel = NULL;
    status = prepare(seq, &held);
    if (status != XL_SUCCESS)
        return status;
    xli_mutex_lock(kernel->lock);
    for (size_t i = 0; i < pending->num_args; ++i)
        XL_TRY(xli_cl(seq->ctx, set_arg(seq->ctx, kernel, (cl_uint)i, &pending->args[i]),
                      "clSetKernelArg"));
    XL_TRY(xli_cl(seq->ctx,
                  clEnqueueNDRangeKernel(seq->queue, kernel->cl, 1, NULL, &global,
                                         &pending->group_size, xli_seq_num_waits(seq),
                                         xli_seq_waits(seq), want_event || held ? &event : NULL),
                  "clEnqueueNDRangeKernel"));
    advance(seq, event);
done:
    xli_mutex_unlock(kernel->lock);
    xli_held_add(held, event);
    return status;
}

xl_status xli_seq_launch(xli_seq *seq, xli_kernel *kernel, size_t groups, size_t group_size,
                         const xli_arg *args, size_t num_args)
{
    xl_status status;
    XL_TRY(flush(seq, !seq->in_order));
    if (num_args > XLI_MAX_ARGS || groups == 0 || group_size == 0 || groups > SIZE_MAX / group_size)
        return xli_fail(seq->ctx, XL_ERROR_INTERNAL,
                        "a launch of %zu groups of %zu with %zu arguments", groups, group_size,
                        num_args);
    xli_pending_launch *pending = &seq->pending;
    pending->groups = groups;
    pending->group_size = group_size;
    pending->num_args = 0;
    for (size_t i = 0; i < num_args; ++i) {
        if (args[i].kind == ARG_NONE)
            continue;
        xli_arg *const arg = &pending->args[pending->num_args++];
        *arg = args[i];
        if (args[i].kind != ARG_BYTES)
            continue;
        if (args[i].size > sizeof args[i].hold.bytes)
            return xli_fail(seq->ctx, XL_ERROR_INTERNAL, "kernel argument %zu of %zu bytes", i,
                            args[i].size);
        memcpy(arg->hold.bytes, args[i].value, args[i].size);
    }
    pending->kernel = kernel;
done:
    return status;
}

xl_status xli_seq_launch_args(xli_seq *seq, xli_kernel *kernel, size_t groups, size_t group_size,
                              const xli_args *args, size_t first)
{
    if (args->count > XLI_MAX_ARGS || first > args->count)
        return xli_fail(seq->ctx, XL_ERROR_INTERNAL,
                        "kernel arguments: %zu from number %zu on; at most %u", args->count, first,
                        (unsigned)XLI_MAX_ARGS);
    return xli_seq_launch(seq, kernel, groups, group_size, args->at + first, args->count - first);
}

xl_status xli_seq_nest(xli_seq *seq)
{
    return flush(seq, !seq->in_order);
}

cl_event *xli_seq_nested_event(xli_seq *seq)
{
    return seq->in_order ? NULL : &seq->nested;
}

void xli_seq_nested(xli_seq *seq)
{
    advance(seq, seq->nested);
    seq->nested = NULL;
}

/* Makes a marker the event of a sequence whose last command made none: nothing was launched, or a
 * nested call on an in-order queue came last. */
static xl_status mark(xli_seq *seq)
{
    xl_status status;
    xli_held *held = NULL;
    XL_TRY(prepare(seq, &held));
    status = xli_cl(seq->ctx,
                    clEnqueueMarkerWithWaitList(seq->queue, xli_seq_num_waits(seq),
                                                xli_seq_waits(seq), &seq->last),
                    "clEnqueueMarkerWithWaitList");
    xli_held_add(held, seq->last);
done:
    return status;
}

/* An in-order queue must not run past the caller's events, not even where there was
 * nothing to launch: that is what such a queue promises to the command after. */
static bool unheeded_waits(const xli_seq *seq)
{
    return seq->in_order && seq->enqueued == 0 && seq->num_waits > 0;
}

/* A call on another queue may come to wait for this one's event, and could not flush the
 * queue it is on. */
static xl_status leave_pool(xli_seq *seq, xl_status status)
{
    xli_pool *pool = seq->pool;
    if (status == XL_SUCCESS && pool->keeps_events && !pool->per_queue)
        status = xli_cl(seq->ctx, clFlush(seq->queue), "clFlush");
    /* After a failure the content of the scratch is unknown, and commands may still change it. */
    if (status != XL_SUCCESS)
        xli_pool_drop(pool);
    else if (seq->enqueued > 0)
        xli_pool_used(pool, seq->queue, pool->keeps_events ? seq->last : NULL);
    xli_pool_leave(pool);
    return status;
}

xl_status xli_seq_end(xli_seq *seq, xl_status status, cl_event *event_or_null)
{
    const bool wanted = event_or_null || (seq->pool && seq->pool->keeps_events);
    if (status == XL_SUCCESS)
        status = flush(seq, wanted || !seq->in_order);
    if (status == XL_SUCCESS && !seq->last && (wanted || unheeded_waits(seq)))
        status = mark(seq);
    if (seq->pool)
        status = leave_pool(seq, status);
    if (status == XL_SUCCESS && event_or_null)
        *event_or_null = seq->last;
    else if (seq->last)
        clReleaseEvent(seq->last);
    if (seq->nested)
        clReleaseEvent(seq->nested);
    xli_free(seq->all);
    seq->last = seq->nested = NULL;
    seq->all = NULL;
    seq->pool = NULL;
    return status;
}

void xli_args_add(xli_args *args, xli_arg arg)
{
    if (args->count < XLI_MAX_ARGS)
        args->at[args->count] = arg;
    ++args->count;
}

void xli_args_add_all(xli_args *args, const xli_arg *list, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        xli_args_add(args, list[i]);
}

void xli_args_add_place(xli_args *args, cl_mem buffer, uint64_t offset)
{
    xli_args_add(args, XLI_MEM(buffer));
    xli_args_add(args, XLI_U64(offset));
}

void xli_args_add_span(xli_args *args, const xli_span *span)
{
    xli_args_add_place(args, span->buffer, span->offset);
}

xl_status xli_seq_clear(xli_seq *seq, xli_kernel *clear, const xli_span *scratch, size_t words,
                        size_t units)
{
    enum { GROUP = 64, PER_UNIT = 16 };
    if (seq->pool)
        return XL_SUCCESS;
    const size_t size = xli_min(clear->max_group, GROUP);
    const size_t groups = xli_min(xli_ceil_div(words, size), xli_mul(units, PER_UNIT));
    return XLI_LAUNCH(seq, clear, groups, size, XLI_MEM(scratch->buffer),
                      XLI_U64(scratch->offset / sizeof(cl_ulong)), XLI_U64(words));
}

xl_status xli_copy_in(xl_context *ctx, cl_command_queue queue, cl_mem buffer, size_t bytes,
                      const void *from)
{
    const cl_int code =
        clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, bytes, from, 0, NULL, NULL);
    return xli_cl(ctx, code, "clEnqueueWriteBuffer");
}

xl_status xli_copy_out(xl_context *ctx, cl_command_queue queue, cl_mem buffer, size_t bytes,
                       void *to)
{
    const cl_int code = clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, bytes, to, 0, NULL, NULL);
    return xli_cl(ctx, code, "clEnqueueReadBuffer");
}

xl_status xli_read_blocking(xl_context *ctx, cl_command_queue queue, cl_mem buffer,
                            size_t offset_bytes, size_t bytes, void *to, cl_uint num_waits,
                            const cl_event *waits)
{
    xl_status status;
    xli_held *held = NULL;
    cl_event event = NULL;
    XL_TRY(xli_held_make(ctx, &held));
    status = xli_cl(ctx,
                    clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset_bytes, bytes, to, num_waits,
                                        waits, held ? &event : NULL),
                    "clEnqueueReadBuffer");
    xli_held_add(held, event);
    if (event)
        clReleaseEvent(event);
done:
    return status;
}

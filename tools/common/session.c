/* SPDX-License-Identifier: MIT
 * A device with its queue, its buffers, and the times of stages. */
#include "tool.h"

#include <inttypes.h>

int session_open(session *s, const char *device, const char *tune_file)
{
    xl_context_desc desc;
    int result = TOOL_OK;
    *s = (session){0};
    xl_context_desc_init(&desc);
    desc.device = device;
    desc.tune_file = tune_file;
    xl_status status = xl_context_create(&desc, &s->ctx);
    if (status != XL_SUCCESS)
        return tool_check(NULL, status, NULL);
    progress_say("preparing the device");
    TRY(tool_check(s->ctx, xl_context_device_info(s->ctx, &s->info), "device"));
    s->queue = xl_context_queue(s->ctx);
    if (!s->queue)
        result = tool_fail("%s: no command queue: %s", s->info.name, xl_context_error(s->ctx));
done:
    if (result != TOOL_OK)
        session_close(s);
    progress_clear();
    return result;
}

void session_close(session *s)
{
    xl_context_destroy(s->ctx);
    *s = (session){0};
}

int session_buffer(const session *s, size_t bytes, const char *what, cl_mem *buffer)
{
    cl_int code = CL_SUCCESS;
    if (bytes > s->info.max_buffer_bytes)
        return tool_fail("%s: %zu bytes; %s allows at most %" PRIu64
                         " in one buffer: use less data or another --device",
                         what, bytes, s->info.name, s->info.max_buffer_bytes);
    *buffer =
        clCreateBuffer(xl_context_cl(s->ctx), CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    if (code != CL_SUCCESS)
        return tool_fail("%s: no device memory for %zu bytes on %s (OpenCL error %d)", what, bytes,
                         s->info.name, (int)code);
    return TOOL_OK;
}

int session_upload(const session *s, const void *data, size_t bytes, const char *what,
                   cl_mem *buffer)
{
    int result = session_buffer(s, bytes, what, buffer);
    if (result != TOOL_OK || bytes == 0)
        return result;
    return tool_check_cl(
        clEnqueueWriteBuffer(s->queue, *buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL), what);
}

int session_read(const session *s, cl_mem buffer, size_t bytes, void *data)
{
    if (bytes == 0)
        return tool_check_cl(clFinish(s->queue), "waiting for the device");
    return tool_check_cl(
        clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
        "reading from the device");
}

void session_release(cl_mem *buffer)
{
    if (*buffer)
        clReleaseMemObject(*buffer);
    *buffer = NULL;
}

int session_prepare(const session *s, xl_status created, xl_plan *const *plan, const void *args,
                    const char *what)
{
    const xl_status status = created == XL_SUCCESS ? xl_plan_prepare(*plan, args) : created;
    progress_clear();
    return tool_check(s->ctx, status, what);
}

int stage_begin(const session *s, stage *st, const char *name)
{
    if (st->rounds == 0)
        *st = (stage){.name = name, .device_ms = -1};
    int result = tool_check_cl(clFinish(s->queue), "waiting for the device");
    st->started = host_milliseconds();
    if (result == TOOL_OK)
        result = tool_check_cl(clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &st->before),
                               "marking the start of a stage");
    return result;
}

static double device_span(cl_event before, cl_event after)
{
    cl_ulong from = 0, to = 0;
    bool known = clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof from, &from,
                                         NULL) == CL_SUCCESS &&
                 clGetEventProfilingInfo(after, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL) ==
                     CL_SUCCESS;
    return known && to > from ? (double)(to - from) * 1e-6 : -1; /* some devices report 0 */
}

static void note_round(stage *st, double wall, double device)
{
    if (st->rounds == 0)
        st->first_ms = wall;
    if (st->rounds == 0 || wall < st->wall_ms)
        st->wall_ms = wall;
    if (st->rounds == 0 || (device >= 0 && device < st->device_ms))
        st->device_ms = device;
    ++st->rounds;
}

int stage_end(stage *st, cl_event after, int result)
{
    if (result == TOOL_OK)
        result = tool_check_cl(clWaitForEvents(1, &after), st->name);
    if (result == TOOL_OK)
        note_round(st, host_milliseconds() - st->started, device_span(st->before, after));
    if (after)
        clReleaseEvent(after);
    if (st->before)
        clReleaseEvent(st->before);
    st->before = NULL;
    return result;
}

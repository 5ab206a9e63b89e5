/* SPDX-License-Identifier: MIT
 * Support of tests of misuse. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "xlt_misuse.h"

#include <string.h>

void xlt_refused(xl_context *ctx, xl_status got, xl_status wanted, const char *text)
{
    assert_true(*text);
    if (got != wanted || !strstr(xl_context_error(ctx), text))
        XLT_FAIL("got %s \"%.500s\", not %s with \"%.200s\"", xl_status_name(got),
                 xl_context_error(ctx), xl_status_name(wanted), text);
}

static cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t bytes)
{
    cl_int code;
    cl_mem made = clCreateBuffer(context, flags, bytes, NULL, &code);
    XLT_CL(code);
    return made;
}

xlt_strangers xlt_strangers_make(size_t bytes)
{
    cl_int code;
    cl_device_id device = xl_context_device(xlt_context());
    cl_context own = xl_context_cl(xlt_context());
    xlt_strangers s = {.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code)};
    XLT_CL(code);
    s.queue = clCreateCommandQueue(s.context, device, 0, &code);
    XLT_CL(code);
    s.buffer = make_buffer(s.context, CL_MEM_READ_WRITE, bytes);
    s.read_only = make_buffer(own, CL_MEM_READ_ONLY, bytes);
    s.write_only = make_buffer(own, CL_MEM_WRITE_ONLY, bytes);
    return s;
}

void xlt_strangers_free(xlt_strangers *s)
{
    clReleaseMemObject(s->read_only);
    clReleaseMemObject(s->write_only);
    clReleaseMemObject(s->buffer);
    clReleaseCommandQueue(s->queue);
    clReleaseContext(s->context);
    *s = (xlt_strangers){0};
}

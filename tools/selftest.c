/* SPDX-License-Identifier: MIT
 * Families of checks of the self-test, and arrays on the device. */
#include "selftest.h"

#include <stdio.h>
#include <string.h>

static bool is_wanted(selftest *t, const char *name)
{
    bool wanted = !t->names[0];
    for (size_t i = 0; i < TOOL_MAX_FILES && t->names[i]; ++i)
        if (strstr(name, t->names[i]))
            wanted = t->known[i] = true;
    return wanted;
}

bool family_begin(selftest *t, family *f, const char *format, ...)
{
    *f = (family){.cases = 0};
    va_list args;
    va_start(args, format);
    vsnprintf(f->name, sizeof f->name, format, args);
    va_end(args);
    if (!is_wanted(t, f->name))
        return false;
    progress_say("checking %s", f->name);
    return true;
}

void family_end(selftest *t, const family *f)
{
    progress_clear();
    ++t->families;
    t->cases += f->cases;
    t->failures += f->failures;
    t->unsupported += f->unsupported;
    if (f->failures)
        printf("FAILED       %-38s %5u of %u cases: %s\n", f->name, f->failures, f->cases, f->text);
    else if (f->unsupported)
        printf("UNSUPPORTED  %-38s %s\n", f->name, f->text);
    else
        printf("ok           %-38s %5u cases\n", f->name, f->cases);
    fflush(stdout);
}

bool family_note(family *f, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (f->failures++ == 0)
        text_one_line(f->text, sizeof f->text, text);
    return false;
}

bool family_passed(const selftest *t, family *f, xl_status status, const char *what, size_t n)
{
    const char *text = xl_context_error(t->s.ctx);
    if (status == XL_SUCCESS)
        return true;
    if (status != XL_ERROR_UNSUPPORTED)
        return family_note(f, "%s, n %zu: %s: %.300s", what, n, xl_status_name(status), text);
    f->unsupported = true;
    text_one_line(f->text, sizeof f->text, text);
    return false;
}

cl_mem selftest_array(const selftest *t, family *f, const void *data, size_t bytes)
{
    static const unsigned char unwritten = 0xa5;
    cl_int code;
    cl_mem mem =
        clCreateBuffer(xl_context_cl(t->s.ctx), CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    if (code == CL_SUCCESS && data && bytes)
        code = clEnqueueWriteBuffer(t->s.queue, mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    else if (code == CL_SUCCESS)
        code = clEnqueueFillBuffer(t->s.queue, mem, &unwritten, 1, 0, bytes ? bytes : 1, 0, NULL,
                                   NULL);
    if (code != CL_SUCCESS)
        family_note(f, "a buffer of %zu bytes: OpenCL error %d", bytes, (int)code);
    return mem;
}

bool selftest_read(const selftest *t, family *f, cl_mem mem, size_t bytes, void *data)
{
    cl_int code = bytes
                      ? clEnqueueReadBuffer(t->s.queue, mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL)
                      : clFinish(t->s.queue);
    return code == CL_SUCCESS ||
           family_note(f, "reading %zu bytes: OpenCL error %d", bytes, (int)code);
}

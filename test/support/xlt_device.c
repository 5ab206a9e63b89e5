/* SPDX-License-Identifier: MIT
 * Support of programs that check a device. */
#define _GNU_SOURCE
#include "xlt_device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 512, GUARD = 0x5c, FILL = 0xa5 };

static xl_context *context;
static bool is_borrowed;
static char device[256] = "(no device)";

/* Tests inject faults by tunables that users do not have. */
static void allow_faults(void)
{
#ifdef _WIN32
    _putenv("CROSSLANE_TEST_TUNABLES=1");
#else
    setenv("CROSSLANE_TEST_TUNABLES", "1", 1);
#endif
}

static void take_name(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(context, &info));
    snprintf(device, sizeof device, "%s", info.name);
}

xl_context *xlt_context(void)
{
    if (context)
        return context;
    allow_faults();
    if (xl_context_create(NULL, &context) != XL_SUCCESS)
        XLT_FAIL("no context: %s", xl_context_error(NULL));
    take_name();
    return context;
}

void xlt_use_context(xl_context *of_caller)
{
    allow_faults();
    context = of_caller;
    is_borrowed = true;
    take_name();
}

cl_command_queue xlt_queue(void)
{
    return xl_context_queue(xlt_context());
}

xl_context *xlt_context_with(const char *cache_dir)
{
    xl_context *ctx;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.cache_dir = cache_dir;
    if (xl_context_create(&desc, &ctx) != XL_SUCCESS)
        XLT_FAIL("no context: %s", xl_context_error(NULL));
    return ctx;
}

cl_mem xlt_mem(xl_context *ctx, const void *host_or_null, size_t bytes)
{
    cl_int code;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (host_or_null ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem =
        clCreateBuffer(xl_context_cl(ctx), flags, bytes, (void *)(uintptr_t)host_or_null, &code);
    XLT_CL(code);
    return mem;
}

cl_command_queue xlt_queue_with(xl_context *ctx, cl_command_queue_properties properties)
{
    cl_int code;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(xl_context_cl(ctx), xl_context_device(ctx), list, &code);
    XLT_CL(code);
    return queue;
}

cl_event xlt_user_event(void)
{
    cl_int code;
    cl_event event = clCreateUserEvent(xl_context_cl(xlt_context()), &code);
    XLT_CL(code);
    return event;
}

/* A process must not end while rusticl 22.3 still works: it would crash. */
void xlt_finish(void)
{
    if (context)
        (void)clFinish(xlt_queue());
    if (!is_borrowed)
        xl_context_destroy(context);
    context = NULL;
}

bool xlt_small(void)
{
    const char *text = getenv("CROSSLANE_TEST_SMALL");
    return text && strcmp(text, "0") != 0 && *text;
}

bool xlt_few_programs(void)
{
    const char *text = getenv("CROSSLANE_TEST_PROGRAMS");
    return xlt_small() || (text && strcmp(text, "few") == 0);
}

bool xlt_on_oclgrind(void)
{
    (void)xlt_context();
    return strstr(device, "Oclgrind") != NULL;
}

uint32_t xlt_sub_group_width(xl_context *ctx, size_t i)
{
    enum { SUB_GROUP_SIZES_INTEL = 0x4108 };
    xl_device_info info;
    size_t widths[16] = {0}, bytes = 0;
    XLT_OK(xl_context_device_info(ctx, &info));
    if (strcmp(info.cross_lane, "sub-group") != 0 ||
        clGetDeviceInfo(xl_context_device(ctx), SUB_GROUP_SIZES_INTEL, 0, NULL, &bytes) ||
        bytes > sizeof widths ||
        clGetDeviceInfo(xl_context_device(ctx), SUB_GROUP_SIZES_INTEL, bytes, widths, NULL))
        return 0;
    return i < bytes / sizeof widths[0] ? (uint32_t)widths[i] : 0;
}

const char *xlt_device(void)
{
    return device;
}

void xlt_fail(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s:%d: on %s: %s\n", file, line, device, text);
    xlt_failed(file, line);
}

void xlt_expect(xl_status got, xl_status wanted, const char *call, const char *file, int line)
{
    const char *text = xl_context_error(context);
    if (got != wanted)
        xlt_fail(file, line, "%s gave %s, not %s: %.700s", call, xl_status_name(got),
                 xl_status_name(wanted), text);
    if (got != XL_SUCCESS && !*text)
        xlt_fail(file, line, "%s gave %s without a text", call, xl_status_name(got));
}

void xlt_expect_cl(cl_int code, const char *call, const char *file, int line)
{
    if (code != CL_SUCCESS)
        xlt_fail(file, line, "%s returned %d", call, (int)code);
}

static xlt_placement placed = XLT_GUARD_BYTES;

void xlt_place(xlt_placement placement)
{
    placed = placement;
}

bool xlt_placed_closely(void)
{
    return placed != XLT_GUARD_BYTES;
}

bool xlt_place_closely(size_t i)
{
    static const xlt_placement shared[] = {XLT_AT_PAGE_END, XLT_AT_PAGE_START};
    static int shares = -1;
    if (shares < 0) { /* with buffers that are aligned to their elements, no more */
        xlt_place(XLT_AT_PAGE_END);
        shares = xlt_shares_memory();
    }
    xlt_place(i > (shares ? 1 : 0) ? XLT_GUARD_BYTES : shares ? shared[i] : XLT_EXACT);
    return xlt_placed_closely();
}

/* llvmpipe of newer Mesa (26.2, November 2026) reads beside arrays in branches that are not
 * taken. */
static bool reads_beside(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return strncmp(info.name, "llvmpipe", 8) == 0 && strncmp(info.driver, "22.", 3) != 0;
}

const char *xlt_hides_memory(void)
{
    static const char source[] =
        "__kernel void at(__global uint *p, __global ulong *to) { *to = (ulong)(size_t)p; }";
    cl_int code;
    cl_ulong seen = 0;
    const size_t one = 1;
    cl_program program;
    if (reads_beside())
        return "reads beside arrays without using the values";
    XLT_OK(xl_program_create(xlt_context(), source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "at", &code);
    XLT_CL(code);
    xlt_buffer here = xlt_buffer_make(NULL, 3, 4, 0), to = xlt_buffer_make(NULL, 1, 8, 0);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof here.mem, &here.mem));
    XLT_CL(clSetKernelArg(kernel, 1, sizeof to.mem, &to.mem));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    xlt_read(&to, &seen);
    const bool shares = here.pages.data && seen == (uintptr_t)here.pages.data;
    xlt_buffer_free(&here);
    xlt_buffer_free(&to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return shares ? NULL : "kernels do not touch host memory itself";
}

bool xlt_shares_memory(void)
{
    const char *const why = xlt_hides_memory();
    if (why)
        printf("%s: %s\n", device, why);
    return !why;
}

static size_t lead_bytes(const xlt_buffer *buffer)
{
    if (buffer->exact)
        return 0;
    return GUARD_BYTES / buffer->size * buffer->size + buffer->offset * buffer->size;
}

static size_t total_bytes(const xlt_buffer *buffer)
{
    const size_t bytes = buffer->n * buffer->size;
    /* No buffer has 0 bytes. */
    return buffer->exact ? bytes + (bytes == 0) : lead_bytes(buffer) + bytes + GUARD_BYTES;
}

/* `in_place`: the memory that is filled is the buffer's own, kept until that is freed. */
static void fill_buffer(xlt_buffer *buffer, const void *host, unsigned char *bytes, bool in_place)
{
    const size_t lead = lead_bytes(buffer), total = total_bytes(buffer);
    cl_int code;
    XLT_TRUE(bytes);
    memset(bytes, GUARD, total);
    if (host && buffer->n > 0)
        memcpy(bytes + lead, host, buffer->n * buffer->size);
    else
        memset(bytes + lead, FILL, buffer->n * buffer->size);
    buffer->mem =
        clCreateBuffer(xl_context_cl(xlt_context()),
                       in_place ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, total, bytes, &code);
    XLT_CL(code);
}

xlt_buffer xlt_buffer_make(const void *host, size_t n, size_t size, size_t offset)
{
    const bool exact = placed != XLT_GUARD_BYTES;
    const bool paged = placed == XLT_AT_PAGE_END || placed == XLT_AT_PAGE_START;
    xlt_buffer buffer = {.n = n, .size = size, .offset = exact ? 0 : offset, .exact = exact};
    const size_t total = total_bytes(&buffer);
    if (paged)
        buffer.pages = xlt_pages_make(total, placed == XLT_AT_PAGE_END, GUARD);
    unsigned char *bytes = paged ? buffer.pages.data : malloc(total);
    fill_buffer(&buffer, host, bytes, paged);
    if (!paged)
        free(bytes);
    return buffer;
}

xl_view xlt_view(const xlt_buffer *buffer)
{
    if (!buffer->mem)
        return xl_no_view();
    return xl_view_of(buffer->mem, lead_bytes(buffer) / buffer->size);
}

void xlt_read(const xlt_buffer *buffer, void *host)
{
    if (buffer->n > 0)
        XLT_CL(clEnqueueReadBuffer(xlt_queue(), buffer->mem, CL_TRUE, lead_bytes(buffer),
                                   buffer->n * buffer->size, host, 0, NULL, NULL));
}

void xlt_check_guards(const xlt_buffer *buffer, const char *name)
{
    size_t lead = lead_bytes(buffer), total = total_bytes(buffer);
    size_t end = lead + buffer->n * buffer->size;
    unsigned char *bytes = malloc(total);
    XLT_TRUE(bytes);
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), buffer->mem, CL_TRUE, 0, total, bytes, 0, NULL, NULL));
    for (size_t i = 0; i < total; ++i)
        if ((i < lead || i >= end) && bytes[i] != GUARD)
            XLT_FAIL("%s: guard byte %zd past the %s was overwritten", name,
                     (ptrdiff_t)(i < lead ? lead - i : i - end), i < lead ? "start" : "end");
    free(bytes);
    if (buffer->pages.map && xlt_pages_touched(&buffer->pages, GUARD) != 0)
        XLT_FAIL("%s: byte %td beside it was overwritten", name,
                 xlt_pages_touched(&buffer->pages, GUARD));
}

void xlt_check_unwritten(const xlt_buffer *buffer, const char *name)
{
    const size_t bytes = buffer->n * buffer->size;
    unsigned char *now = malloc(bytes + 1);
    XLT_TRUE(now);
    xlt_read(buffer, now);
    for (size_t i = 0; i < bytes; ++i)
        if (now[i] != FILL)
            XLT_FAIL("%s: byte %zu was written", name, i);
    free(now);
    xlt_check_guards(buffer, name);
}

void xlt_buffer_free(xlt_buffer *buffer)
{
    if (buffer->mem)
        clReleaseMemObject(buffer->mem);
    if (buffer->pages.map && buffer->mem)
        XLT_CL(clFinish(xlt_queue()));
    xlt_pages_free(&buffer->pages);
    free(buffer->host);
    *buffer = (xlt_buffer){0};
}

xlt_buffer xlt_scratch_make(size_t bytes)
{
    if (bytes == 0)
        return (xlt_buffer){0};
    _Static_assert(GUARD_BYTES % XL_SCRATCH_ALIGNMENT == 0, "scratch lies behind the guard");
    const xlt_placement usual = placed;
    if (placed == XLT_AT_PAGE_END && bytes % XL_SCRATCH_ALIGNMENT != 0)
        placed = XLT_AT_PAGE_START; /* it would end at the page's end, and begin unaligned */
    xlt_buffer buffer = xlt_buffer_make(NULL, bytes, 1, 0);
    placed = usual;
    return buffer;
}

xl_view xlt_scratch_at_end(const xlt_buffer *scratch)
{
    XLT_TRUE(!scratch->exact);
    return xl_view_of(scratch->mem, lead_bytes(scratch) + GUARD_BYTES);
}

xlt_buffer xlt_scratch_make_open(size_t bytes, const void **memory)
{
    enum { PAGE = 4096 };
    xl_device_info info;
    *memory = NULL;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (bytes == 0 || !(info.device_type & CL_DEVICE_TYPE_CPU) || xlt_on_oclgrind())
        return xlt_scratch_make(bytes);
    xlt_buffer buffer = {.n = bytes, .size = 1};
    buffer.host = malloc(total_bytes(&buffer) + PAGE);
    XLT_TRUE(buffer.host);
    unsigned char *start = (unsigned char *)buffer.host + (PAGE - (uintptr_t)buffer.host % PAGE);
    fill_buffer(&buffer, NULL, start, true);
    *memory = start + lead_bytes(&buffer);
    return buffer;
}

xl_scan_algorithm xlt_scan_algorithm(const xl_plan *plan, size_t n)
{
    static const char *const names[] = {
        [XL_SCAN_LOOKBACK] = "look-back", [XL_SCAN_REDUCE_THEN_SCAN] = "reduce-then-scan"};
    xl_plan_details details;
    if (plan && xl_plan_info(plan, n, &details) == XL_SUCCESS)
        for (int a = XL_SCAN_LOOKBACK; a <= XL_SCAN_REDUCE_THEN_SCAN; ++a)
            if (strcmp(details.algorithm, names[a]) == 0)
                return (xl_scan_algorithm)a;
    return XL_SCAN_AUTO;
}

uint64_t xlt_next(xlt_random *random)
{
    uint64_t x = random->state ? random->state : 0x9e3779b97f4a7c15u;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * 0x2545f4914f6cdd1du;
}

uint32_t xlt_below(xlt_random *random, uint32_t limit)
{
    return (uint32_t)((xlt_next(random) >> 32) * limit >> 32);
}

float xlt_unit(xlt_random *random)
{
    return (float)(xlt_next(random) >> 40) * (1.0f / 16777216.0f);
}

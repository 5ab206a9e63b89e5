/* SPDX-License-Identifier: MIT
 * A context: one device, its queue, its programs, and the settings read when it
 * was made. */
#include "private.h"

#include <string.h>

void xl_context_desc_init_sized(xl_context_desc *desc, size_t size)
{
    xli_struct_init(desc, size, &(const xl_context_desc){0}, sizeof *desc);
}

/* Takes over one reference of `cl` on success. */
static xl_status make(cl_context cl, cl_device_id device, const xl_context_desc *desc,
                      xl_context **out)
{
    xl_status status;
    xl_context *ctx = xli_alloc(sizeof *ctx);
    if (!ctx)
        return xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for a context");
    ctx->references = 1;
    ctx->device = device;
    ctx->lock = xli_mutex_create();
    ctx->errors = xli_errors_create();
    if (!ctx->lock || !ctx->errors) {
        status = xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for a context");
        goto done;
    }
    XL_TRY(xli_settings_read(ctx, desc));
    XL_TRY(xli_cl(NULL, clRetainDevice(device), "clRetainDevice"));
    ctx->cl = cl;
    *out = ctx;
    ctx = NULL;
done:
    xli_context_release(ctx);
    return status;
}

/* The caller's descriptor, or the defaults where there is none. */
static xl_status read_desc(const xl_context_desc *given, xl_context_desc *desc)
{
    xl_context_desc_init(desc);
    return given ? XLI_DESC_READ(NULL, xl_context_desc, given, desc) : XL_SUCCESS;
}

xl_status xl_context_create(const xl_context_desc *given, xl_context **ctx)
{
    xl_status status;
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_context cl = NULL;
    cl_int code;
    xl_context_desc desc;
    if (!ctx)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    *ctx = NULL;
    XL_TRY(read_desc(given, &desc));
    XL_TRY(xli_platform_choose(xli_setting(desc.device, "CROSSLANE_DEVICE"), &platform, &device));
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl = clCreateContext(properties, 1, &device, NULL, NULL, &code);
    XL_TRY(xli_cl(NULL, code, "clCreateContext"));
    XL_TRY(make(cl, device, &desc, ctx));
    cl = NULL;
done:
    if (cl)
        clReleaseContext(cl);
    return status;
}

/* PoCL 3.1 lists the whole device in the context of a part of it. */
static bool stands_for(cl_device_id listed, cl_device_id device)
{
    cl_device_id parent = NULL;
    if (listed == device)
        return true;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL);
    return code == CL_SUCCESS && parent && listed == parent;
}

static xl_status check_device_in_context(cl_context cl, cl_device_id device)
{
    xl_status status;
    size_t bytes = 0;
    cl_device_id *devices = NULL;
    bool found = false;
    cl_int code = clGetContextInfo(cl, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    if (code == CL_INVALID_CONTEXT)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "cl: not an OpenCL context: %s (%d)",
                        xli_cl_name(code), (int)code);
    XL_TRY(xli_cl(NULL, code, "clGetContextInfo"));
    devices = xli_alloc(bytes);
    if (!devices)
        XL_TRY(xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for a list of devices"));
    XL_TRY_CL(NULL, clGetContextInfo(cl, CL_CONTEXT_DEVICES, bytes, devices, NULL));
    for (size_t i = 0; i < bytes / sizeof *devices; ++i)
        found = found || stands_for(devices[i], device);
    if (!found)
        status = xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                          "device: not one of the devices of the OpenCL context given");
done:
    xli_free(devices);
    return status;
}

xl_status xl_context_adopt(cl_context cl, cl_device_id device, const xl_context_desc *given,
                           xl_context **ctx)
{
    xl_status status;
    bool retained = false;
    xl_context_desc desc;
    if (!ctx)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    *ctx = NULL;
    if (!cl || !device)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", cl ? "device" : "cl");
    XL_TRY(read_desc(given, &desc));
    XL_TRY(check_device_in_context(cl, device));
    XL_TRY_CL(NULL, clRetainContext(cl));
    retained = true;
    XL_TRY(make(cl, device, &desc, ctx));
    retained = false;
done:
    if (retained)
        clReleaseContext(cl);
    return status;
}

xl_context *xli_context_retain(xl_context *ctx)
{
    xli_mutex_lock(ctx->lock);
    ++ctx->references;
    xli_mutex_unlock(ctx->lock);
    return ctx;
}

static void release_programs(xl_context *ctx)
{
    for (xli_program *p = ctx->programs, *next; p; p = next) {
        next = p->next;
        xli_program_free(p);
    }
}

void xli_context_release(xl_context *ctx)
{
    if (!ctx)
        return;
    if (ctx->lock)
        xli_mutex_lock(ctx->lock);
    bool last = --ctx->references == 0;
    if (ctx->lock)
        xli_mutex_unlock(ctx->lock);
    if (!last)
        return;
    release_programs(ctx);
    if (ctx->queue)
        clReleaseCommandQueue(ctx->queue);
    if (ctx->cl) { /* set last, together with the device's reference */
        clReleaseContext(ctx->cl);
        clReleaseDevice(ctx->device);
    }
    xli_free(ctx->cache_dir);
    xli_free(ctx->cache_note);
    xli_free(ctx->dump_dir);
    xli_free(ctx->tuning);
    xli_free(ctx->scan_word);
    xli_errors_destroy(ctx->errors);
    xli_mutex_destroy(ctx->lock);
    xli_free(ctx);
}

void xl_context_destroy(xl_context *ctx)
{
    xli_context_release(ctx);
}

cl_context xl_context_cl(const xl_context *ctx)
{
    return ctx ? ctx->cl : NULL;
}

cl_device_id xl_context_device(const xl_context *ctx)
{
    return ctx ? ctx->device : NULL;
}

const char *xl_context_error(const xl_context *ctx)
{
    return xli_errors_get(ctx ? ctx->errors : NULL);
}

cl_command_queue xli_queue_create(xl_context *ctx)
{
    cl_int code;
    cl_command_queue queue;
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    if (xli_device_version(ctx->device) < 200)
        queue = clCreateCommandQueue(ctx->cl, ctx->device, CL_QUEUE_PROFILING_ENABLE, &code);
    else
        queue = clCreateCommandQueueWithProperties(ctx->cl, ctx->device, properties, &code);
    if (code != CL_SUCCESS) {
        (void)xli_cl(ctx, code, "clCreateCommandQueue");
        queue = NULL;
    }
    return queue;
}

/* Two threads may both make one the first time; the first is kept. */
cl_command_queue xl_context_queue(xl_context *ctx)
{
    cl_command_queue spare = NULL;
    if (!ctx) {
        (void)xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
        return NULL;
    }
    xli_mutex_lock(ctx->lock);
    cl_command_queue queue = ctx->queue;
    xli_mutex_unlock(ctx->lock);
    if (queue || !(spare = xli_queue_create(ctx)))
        return queue;
    xli_mutex_lock(ctx->lock);
    if (!ctx->queue) {
        ctx->queue = spare;
        spare = NULL;
    }
    queue = ctx->queue;
    xli_mutex_unlock(ctx->lock);
    if (spare)
        clReleaseCommandQueue(spare);
    return queue;
}

/* Oclgrind 21.10 lists OpenCL C 3.0, and then refuses its own options for it: a
 * dialect counts only once the probe was built in it. What is tried and refused on
 * the way to an answer is no failure of the caller's, so its text is taken back. */
static xl_status learn_facts(xl_context *ctx, xli_facts *facts)
{
    xl_status status = XL_ERROR_BUILD;
    char *before = xli_strdup(xl_context_error(ctx));
    if (!before)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to learn what the device is");
    for (int oldest = 0; oldest <= 1 && status == XL_ERROR_BUILD; ++oldest) {
        *facts = (xli_facts){0};
        status = xli_facts_ask(ctx, oldest == 1, facts);
        if (status == XL_SUCCESS)
            status = xli_probe_lanes(ctx, facts);
    }
    if (status == XL_SUCCESS && strcmp(before, xl_context_error(ctx)) != 0)
        (void)xli_fail(ctx, XL_SUCCESS, "%s", before);
    xli_free(before);
    return status;
}

/* Two threads may both probe the first time; the first answer is kept. */
xl_status xli_context_facts(xl_context *ctx, const xli_facts **facts)
{
    xl_status status = XL_SUCCESS;
    *facts = &ctx->facts;
    xli_mutex_lock(ctx->lock);
    bool known = ctx->facts_known;
    xli_mutex_unlock(ctx->lock);
    if (known)
        return XL_SUCCESS;
    xli_facts fresh;
    XL_TRY(learn_facts(ctx, &fresh));
    xli_mutex_lock(ctx->lock);
    if (!ctx->facts_known)
        ctx->facts = fresh;
    ctx->facts_known = true;
    xli_mutex_unlock(ctx->lock);
done:
    return status;
}

xl_status xl_context_device_info_sized(xl_context *ctx, xl_device_info *info, size_t size)
{
    const xli_facts *facts;
    if (!ctx || !info)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "info" : "ctx");
    xl_status status = xli_context_facts(ctx, &facts);
    if (status == XL_SUCCESS)
        xli_struct_write(info, size, &facts->info, sizeof facts->info);
    return status;
}

static xli_remembered *remembered(xl_context *ctx, const char *test)
{
    for (size_t i = 0; i < XLI_COUNT(ctx->verdicts); ++i) {
        xli_remembered *r = &ctx->verdicts[i];
        if (!r->test || strcmp(r->test, test) == 0)
            return r;
    }
    return NULL;
}

static void remember(xl_context *ctx, const char *test, xli_verdict verdict)
{
    xli_mutex_lock(ctx->lock);
    xli_remembered *r = remembered(ctx, test);
    if (r)
        *r = (xli_remembered){test, verdict};
    xli_mutex_unlock(ctx->lock);
}

xli_verdict xli_context_verdict(xl_context *ctx, const char *test)
{
    xli_mutex_lock(ctx->lock);
    const xli_remembered *r = remembered(ctx, test);
    xli_verdict verdict = r && r->test ? r->verdict : XLI_UNTRIED;
    const bool known = ctx->facts_known;
    xli_mutex_unlock(ctx->lock);
    if (verdict == XLI_UNTRIED && known && xli_cache_has_note(ctx, &ctx->facts, test)) {
        remember(ctx, test, XLI_PASSED);
        verdict = XLI_PASSED;
    }
    return verdict;
}

void xli_context_set_verdict(xl_context *ctx, const char *test, xli_verdict verdict)
{
    remember(ctx, test, verdict);
    xli_mutex_lock(ctx->lock);
    const bool known = ctx->facts_known;
    xli_mutex_unlock(ctx->lock);
    if (verdict == XLI_PASSED && known)
        xli_cache_add_note(ctx, &ctx->facts, test);
}

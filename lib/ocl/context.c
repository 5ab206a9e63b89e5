/* SPDX-License-Identifier: MIT
 * A context: one device, its queue, its programs, and the settings read when it
 * was made. */
#include "private.h"

#include <string.h>

static const xli_structure structure = {"desc", sizeof(xl_context_desc), NULL};

void xl_context_desc_init_version(xl_context_desc *desc, uint32_t version)
{
    xli_structure_init(&structure, desc, version, &(const xl_context_desc){0});
}

uint32_t xli_context_version(const xl_context *ctx)
{
    return ctx->version;
}

/* Takes over one reference of `cl` on success. */
static xl_status make(cl_context cl, cl_device_id device, const xl_context_desc *desc,
                      xl_context **out)
{
    xl_status status;
    char platform[128];
    xl_context *ctx = xli_alloc(sizeof *ctx);
    if (!ctx)
        return xli_fail(NULL, XL_ERROR_OUT_OF_MEMORY, "no memory for a context");
    ctx->references = 1;
    ctx->version = desc->version;
    ctx->device = device;
    xli_device_platform(device, platform, sizeof platform);
    ctx->holds_events = xli_pocl_must_hold_events(platform);
    ctx->per_queue = xli_rusticl_waits_forever(platform) || xli_oclgrind_flush_blocks(platform);
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

/* The caller's descriptor, or the defaults with the structures of the first version. */
enum { FIRST_VERSION = 100 };
static xl_status read_desc(const xl_context_desc *given, xl_context_desc *desc)
{
    xl_context_desc_init_version(desc, FIRST_VERSION);
    return given ? xli_desc_read(NULL, &structure, given, desc) : XL_SUCCESS;
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
    XL_TRY(xli_check_process());
    XL_TRY(read_desc(given, &desc));
    XL_TRY(xli_platform_choose(xli_setting(desc.device, "CROSSLANE_DEVICE"), &platform, &device));
    cl = xli_platform_context(platform, device, &code);
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
    XL_TRY(xli_check_process());
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
    if (!ctx || xli_os_was_forked())
        return;
    if (ctx->lock)
        xli_mutex_lock(ctx->lock);
    bool last = --ctx->references == 0;
    if (ctx->lock)
        xli_mutex_unlock(ctx->lock);
    if (!last)
        return;
    if (ctx->holds_events)
        (void)xli_held_sweep();
    release_programs(ctx);
    if (ctx->stand_in)
        clReleaseMemObject(ctx->stand_in);
    if (ctx->queue)
        clReleaseCommandQueue(ctx->queue);
    if (ctx->cl) { /* set last, together with the device's reference */
        clReleaseContext(ctx->cl);
        clReleaseDevice(ctx->device);
    }
    xli_free(ctx->cache_dir);
    xli_free(ctx->cache_description);
    xli_free(ctx->dump_dir);
    xli_free(ctx->tuning);
    xli_free(ctx->scan_word);
    xli_errors_destroy(ctx->errors);
    xli_mutex_destroy(ctx->lock);
    xli_free(ctx);
}

/* begin() runs outside of the lock, which it may need; of two objects made at once the second is
 * ended. */
void *xli_context_attach(xl_context *ctx, void *(*begin)(xl_context *ctx), void (*end)(void *))
{
    xli_mutex_lock(ctx->lock);
    void *attached = ctx->attached;
    xli_mutex_unlock(ctx->lock);
    if (attached)
        return attached;
    void *made = begin(ctx);
    xli_mutex_lock(ctx->lock);
    if (!ctx->attached) {
        ctx->attached = made;
        ctx->end_attached = end;
        made = NULL;
    }
    attached = ctx->attached;
    xli_mutex_unlock(ctx->lock);
    end(made);
    return attached;
}

void xl_context_destroy(xl_context *ctx)
{
    if (ctx && ctx->attached && !xli_os_was_forked())
        ctx->end_attached(ctx->attached);
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
    return xli_errors_get(ctx && !xli_os_was_forked() ? ctx->errors : NULL);
}

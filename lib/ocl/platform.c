/* SPDX-License-Identifier: MIT
 * Which platforms and devices there are, and which of them is meant. */
#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

/* A driver finds its devices in the first of these calls. PoCL 3.1 tells a thread that asks
 * meanwhile of devices that are not ready, or of none. The loader ocl-icd asks before the program
 * does, but only if it has several drivers. So two threads never make these calls at once. */
static cl_uint list_platforms(cl_platform_id platforms[MAX_PLATFORMS])
{
    cl_uint count = 0;
    xli_mutex_lock(xli_mutex_of_process(XLI_PROCESS_DEVICES));
    const cl_int code = clGetPlatformIDs(MAX_PLATFORMS, platforms, &count);
    xli_mutex_unlock(xli_mutex_of_process(XLI_PROCESS_DEVICES));
    /* The loader says CL_PLATFORM_NOT_FOUND_KHR where there is no platform. */
    return code == CL_SUCCESS ? (cl_uint)xli_min(count, MAX_PLATFORMS) : 0;
}

static cl_uint list_devices(cl_platform_id platform, cl_device_id devices[MAX_DEVICES])
{
    cl_uint count = 0;
    xli_mutex_lock(xli_mutex_of_process(XLI_PROCESS_DEVICES));
    const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count);
    xli_mutex_unlock(xli_mutex_of_process(XLI_PROCESS_DEVICES));
    return code == CL_SUCCESS ? (cl_uint)xli_min(count, MAX_DEVICES) : 0;
}

cl_context xli_platform_context(cl_platform_id platform, cl_device_id device, cl_int *code)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    xli_mutex_lock(xli_mutex_of_process(XLI_PROCESS_DEVICES));
    cl_context cl = clCreateContext(properties, 1, &device, NULL, NULL, code);
    xli_mutex_unlock(xli_mutex_of_process(XLI_PROCESS_DEVICES));
    return cl;
}

/* `visit` may call the library, so the lock is not held here. */
uint32_t xl_devices_each(xl_device_visitor *visit, void *user)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    uint32_t total = 0;
    if (xli_check_process() != XL_SUCCESS)
        return 0;
    const cl_uint num_platforms = list_platforms(platforms);
    for (cl_uint p = 0; p < num_platforms; ++p) {
        cl_device_id devices[MAX_DEVICES];
        const cl_uint num_devices = list_devices(platforms[p], devices);
        for (cl_uint d = 0; d < num_devices; ++d, ++total)
            if (visit)
                visit(user, p, d, platforms[p], devices[d]);
    }
    return total;
}

/* One side of "platform:device": empty matches all, a number the position,
 * anything else a part of the name. */
static bool side_matches(const char *side, size_t length, uint32_t index, const char *name)
{
    char text[256];
    if (length == 0)
        return true;
    length = xli_min(length, sizeof text - 1);
    memcpy(text, side, length);
    text[length] = '\0';
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*end == '\0' && text[0] >= '0' && text[0] <= '9')
        return number == index;
    return xli_text_contains_nocase(name, text);
}

typedef struct candidate {
    cl_platform_id platform;
    cl_device_id device;
    int rank;
    cl_uint units; /* compute units, compared among GPUs */
} candidate;

typedef struct search {
    const char *selector; /* NULL: any */
    candidate best;
    bool found;
    xli_text list; /* what there is, for the message */
} search;

/* GPU 3, accelerator 2, CPU 1, anything else 0. */
static int rank_of(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_GPU)
        return 3;
    if (type & CL_DEVICE_TYPE_ACCELERATOR)
        return 2;
    return type & CL_DEVICE_TYPE_CPU ? 1 : 0;
}

static bool matches(const char *selector, uint32_t p, uint32_t d, const char *platform,
                    const char *device, cl_device_type type)
{
    if (!selector)
        return true;
    if (xli_text_equal_nocase(selector, "gpu"))
        return (type & CL_DEVICE_TYPE_GPU) != 0;
    if (xli_text_equal_nocase(selector, "cpu"))
        return (type & CL_DEVICE_TYPE_CPU) != 0;
    const char *colon = strchr(selector, ':');
    if (!colon)
        return xli_text_contains_nocase(device, selector);
    return side_matches(selector, (size_t)(colon - selector), p, platform) &&
           side_matches(colon + 1, strlen(colon + 1), d, device);
}

static void consider(void *user, uint32_t p, uint32_t d, cl_platform_id pid, cl_device_id did)
{
    search *s = user;
    char platform[128], device[256];
    xli_platform_text(pid, CL_PLATFORM_NAME, platform, sizeof platform);
    xli_device_text(did, CL_DEVICE_NAME, device, sizeof device);
    cl_device_type type = xli_device_ulong(did, CL_DEVICE_TYPE);
    xli_text_add(&s->list, "\n  %u:%u  %s: %s", (unsigned)p, (unsigned)d, platform, device);
    bool usable = xli_device_uint(did, CL_DEVICE_AVAILABLE) &&
                  xli_device_uint(did, CL_DEVICE_COMPILER_AVAILABLE);
    if (!usable) {
        xli_text_add(&s->list, " (not available, or without a compiler)");
        return;
    }
    if (!matches(s->selector, p, d, platform, device, type))
        return;
    candidate c = {pid, did, rank_of(type), xli_device_uint(did, CL_DEVICE_MAX_COMPUTE_UNITS)};
    bool better = !s->found || c.rank > s->best.rank ||
                  (c.rank == s->best.rank && c.rank == 3 && c.units > s->best.units);
    if (better)
        s->best = c;
    s->found = true;
}

xl_status xli_platform_choose(const char *selector, cl_platform_id *platform, cl_device_id *device)
{
    xl_status status = XL_SUCCESS;
    search s = {.selector = selector && *selector ? selector : NULL};
    uint32_t total = xl_devices_each(consider, &s);
    if (total == 0)
        status = xli_fail(NULL, XL_ERROR_NO_DEVICE,
                          "no OpenCL device: the ICD loader lists no platform with a device; "
                          "install a driver (for a CPU: pocl-opencl-icd)");
    else if (!s.found && s.selector)
        status = xli_fail(NULL, XL_ERROR_NO_DEVICE,
                          "device (CROSSLANE_DEVICE): none matches \"%s\"; there are:%s",
                          s.selector, s.list.data ? s.list.data : "");
    else if (!s.found)
        status = xli_fail(NULL, XL_ERROR_NO_DEVICE, "no device can be used; there are:%s",
                          s.list.data ? s.list.data : "");
    *platform = s.best.platform;
    *device = s.best.device;
    xli_text_free(&s.list);
    return status;
}

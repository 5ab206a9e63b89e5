/* SPDX-License-Identifier: MIT
 * An OpenCL layer (OPENCL_LAYERS) that reports the facts of another driver's GPU: XLT_VENDOR
 * names a row of vendor_facts.c (none: nothing is changed). The library then chooses as it does
 * on that GPU, and its kernels run on the real device, which tests these choices. The real
 * device answers all other queries.
 *
 * XLT_VENDOR_FAST=1 adds -cl-opt-disable to every build, for callers that only need sources.
 * Intel's compiler (2026) then crashes on some scans by offsets. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include "vendor_facts.h"

#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Words that cl_ext.h of some versions lacks. */
enum { AMD_WAVEFRONT_WIDTH = 0x4043, INTEL_SUB_GROUP_SIZES = 0x4108 };

static const cl_icd_dispatch *below;
static cl_icd_dispatch table;
static const xlt_vendor *now; /* NULL: the real facts */

/* For a test of all rows: contexts that are made from now on get this one. */
EXPORT void xlt_vendor_choose(const char *name_or_null);
void xlt_vendor_choose(const char *name_or_null)
{
    now = xlt_vendor_find(name_or_null);
}

/* Where an answer goes, as clGetDeviceInfo() has it. */
typedef struct answer {
    size_t room;
    void *to;
    size_t *used;
} answer;

static cl_int give(const answer *a, const void *from, size_t bytes)
{
    if (a->to && a->room < bytes)
        return CL_INVALID_VALUE;
    if (a->to)
        memcpy(a->to, from, bytes);
    if (a->used)
        *a->used = bytes;
    return CL_SUCCESS;
}

static cl_int give_text(const answer *a, const char *text)
{
    return give(a, text, strlen(text) + 1);
}

/* No more than there is: kernels run with it. */
static cl_int give_local_bytes(const answer *a, cl_device_id device)
{
    cl_ulong bytes = 0;
    below->clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (bytes > now->local_bytes)
        bytes = now->local_bytes;
    return give(a, &bytes, sizeof bytes);
}

static cl_int give_widths(const answer *a)
{
    size_t count = 0;
    while (count < XLT_VENDOR_WIDTHS && now->widths[count] > 0)
        ++count;
    return count > 0 ? give(a, now->widths, count * sizeof *now->widths) : CL_INVALID_VALUE;
}

static cl_int give_features(const answer *a)
{
    cl_name_version list[XLT_VENDOR_FEATURES];
    size_t count = 0;
    memset(list, 0, sizeof list);
    for (; count < XLT_VENDOR_FEATURES && now->features[count]; ++count) {
        list[count].version = CL_MAKE_VERSION(3, 0, 0);
        snprintf(list[count].name, sizeof list[count].name, "%s", now->features[count]);
    }
    return give(a, list, count * sizeof *list);
}

static const char *text_of(cl_device_info what)
{
    switch (what) {
    case CL_DEVICE_NAME:
        return now->device;
    case CL_DEVICE_VENDOR:
        return now->vendor;
    case CL_DRIVER_VERSION:
        return now->driver;
    case CL_DEVICE_VERSION:
        return now->version;
    case CL_DEVICE_OPENCL_C_VERSION:
        return now->opencl_c;
    case CL_DEVICE_EXTENSIONS:
        return now->extensions;
    default:
        return NULL;
    }
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t room,
                                      void *to, size_t *used)
{
    const answer a = {room, to, used};
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    if (!now)
        return below->clGetDeviceInfo(device, what, room, to, used);
    if (text_of(what))
        return give_text(&a, text_of(what));
    const size_t sizes[] = {now->group, now->group, now->group};
    const int is_3 = now->features[0] != NULL; /* the lists came with OpenCL 3.0 */
    switch (what) {
    case CL_DEVICE_TYPE:
        return give(&a, &gpu, sizeof gpu);
    case CL_DEVICE_VENDOR_ID:
        return give(&a, &now->vendor_id, sizeof now->vendor_id);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return give(&a, &now->units, sizeof now->units);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return give(&a, &now->group, sizeof now->group);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return give(&a, sizes, sizeof sizes);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return give_local_bytes(&a, device);
    case AMD_WAVEFRONT_WIDTH:
        return now->wavefront > 0 ? give(&a, &now->wavefront, sizeof now->wavefront)
                                  : CL_INVALID_VALUE;
    case INTEL_SUB_GROUP_SIZES:
        return give_widths(&a);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return is_3 ? give_features(&a) : CL_INVALID_VALUE;
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return CL_INVALID_VALUE;
    case CL_DEVICE_NUMERIC_VERSION:
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        if (!is_3)
            return CL_INVALID_VALUE;
        break;
    default:
        break;
    }
    return below->clGetDeviceInfo(device, what, room, to, used);
}

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t room,
                                        void *to, size_t *used)
{
    const answer a = {room, to, used};
    if (now && what == CL_PLATFORM_NAME)
        return give_text(&a, now->platform);
    if (now && what == CL_PLATFORM_VERSION)
        return give_text(&a, now->platform_version);
    return below->clGetPlatformInfo(platform, what, room, to, used);
}

/* A query for GPUs returns all devices. */
static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                     cl_device_id *to, cl_uint *used)
{
    if (now && (type & CL_DEVICE_TYPE_GPU))
        type = CL_DEVICE_TYPE_ALL;
    return below->clGetDeviceIDs(platform, type, room, to, used);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *done)(cl_program, void *),
                                void *user)
{
    char text[2048];
    const int length = snprintf(text, sizeof text, "%s -cl-opt-disable", options ? options : "");
    const char *fast = getenv("XLT_VENDOR_FAST");
    const int added = fast && *fast == '1' && (size_t)length < sizeof text;
    return below->clBuildProgram(program, count, devices, added ? text : options, done, user);
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *to,
                                                      size_t *used)
{
    const answer a = {room, to, used};
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what == CL_LAYER_NAME)
        return give_text(&a, "crosslane vendors");
    return what == CL_LAYER_API_VERSION ? give(&a, &version, sizeof version) : CL_INVALID_VALUE;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                                   cl_uint *entries_used,
                                                   const cl_icd_dispatch **layer)
{
    const cl_uint known = sizeof table / sizeof(void *);
    const char *name = getenv("XLT_VENDOR");
    xlt_vendor_choose(name);
    if (name && *name && !now)
        fprintf(stderr, "XLT_VENDOR: no row \"%s\" in vendor_facts.c\n", name);
    below = target;
    memcpy(&table, target, (entries < known ? entries : known) * sizeof(void *));
    table.clGetDeviceInfo = device_info;
    table.clGetPlatformInfo = platform_info;
    table.clGetDeviceIDs = device_ids;
    table.clBuildProgram = build;
    *layer = &table;
    *entries_used = known;
    return CL_SUCCESS;
}

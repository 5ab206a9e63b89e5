/* SPDX-License-Identifier: MIT
 * What a device says of itself, without running a kernel. Where it is silent the
 * answer is the one that is right everywhere: no feature, sub-group size 1. */
#include "private.h"

#include <stdio.h>
#include <string.h>

#ifndef CL_DEVICE_WARP_SIZE_NV
#define CL_DEVICE_WARP_SIZE_NV 0x4003
#endif
#ifndef CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#endif
#ifndef CL_DEVICE_WAVEFRONT_WIDTH_AMD
#define CL_DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#endif

#ifndef CL_DEVICE_SUB_GROUP_SIZES_INTEL
#define CL_DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#endif

/* The lists that a device tells, freed by forget(), and whether it told everything.
 * A question that it does not know is answered by CL_INVALID_VALUE and means "no";
 * any other failure may pass, and must not be remembered as a fact. */
typedef struct device_lists {
    const xl_context *ctx;
    xl_status status; /* the first failure */
    char *extensions;
    xli_name_version *features; /* of OpenCL C 3.0; NULL before */
    size_t num_features;
    xli_name_version *dialects;
    size_t num_dialects;
    bool nvidia; /* NVIDIA's own OpenCL, with its attributes */
} device_lists;

static void forget(device_lists *t)
{
    xli_free(t->extensions);
    xli_free(t->features);
    xli_free(t->dialects);
}

/* Whole words only: "cl_khr_fp16" must not be found in "cl_khr_fp16_extra". */
static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length) {
        bool starts = at == words || at[-1] == ' ';
        bool ends = at[length] == ' ' || at[length] == '\0';
        if (starts && ends)
            return true;
    }
    return false;
}

static void query(device_lists *t, cl_device_info what, size_t bytes, void *to)
{
    memset(to, 0, bytes);
    cl_int code = clGetDeviceInfo(t->ctx->device, what, bytes, to, NULL);
    if (code != CL_SUCCESS && code != CL_INVALID_VALUE && t->status == XL_SUCCESS)
        t->status = xli_cl(t->ctx, code, "clGetDeviceInfo");
}

static cl_uint query_uint(device_lists *t, cl_device_info what)
{
    cl_uint value;
    query(t, what, sizeof value, &value);
    return value;
}

static cl_ulong query_ulong(device_lists *t, cl_device_info what)
{
    cl_ulong value;
    query(t, what, sizeof value, &value);
    return value;
}

static size_t query_size(device_lists *t, cl_device_info what)
{
    size_t value;
    query(t, what, sizeof value, &value);
    return value;
}

static void query_text(device_lists *t, cl_device_info what, char *to, size_t bytes)
{
    char text[1024];
    query(t, what, sizeof text, text);
    text[sizeof text - 1] = '\0';
    xli_copy_trimmed(to, bytes, text);
}

static xl_status query_lists(const xl_context *ctx, device_lists *t)
{
    xl_status status;
    size_t bytes;
    void *list;
    XL_TRY(xli_device_list(ctx, CL_DEVICE_EXTENSIONS, &list, &bytes));
    t->extensions = list;
    XL_TRY(xli_device_list(ctx, CL_DEVICE_OPENCL_C_FEATURES, &list, &bytes));
    t->features = list;
    t->num_features = bytes / sizeof *t->features;
    XL_TRY(xli_device_list(ctx, CL_DEVICE_OPENCL_C_ALL_VERSIONS, &list, &bytes));
    t->dialects = list;
    t->num_dialects = bytes / sizeof *t->dialects;
done:
    return status;
}

static bool has_feature(const device_lists *t, const char *name)
{
    for (size_t i = 0; i < t->num_features; ++i)
        if (strcmp(t->features[i].name, name) == 0)
            return true;
    return false;
}

/* The dialect. Before OpenCL 3.0 there is no list of versions, but a string
 * "OpenCL C <major>.<minor> ..." that names the highest. */
static void query_dialect(device_lists *t, bool oldest, xli_capabilities *capabilities)
{
    char text[64];
    unsigned major, minor;
    query_text(t, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
    if (sscanf(text, "OpenCL C %u.%u", &major, &minor) != 2)
        major = 1;
    for (size_t i = 0; i < t->num_dialects; ++i)
        if (t->dialects[i].version >> 22 >= 3)
            major = 3;
    const char *dialect = major >= 3 ? "CL3.0" : major == 2 ? "CL2.0" : "CL1.2";
    if (oldest)
        dialect = "CL1.2";
    snprintf(capabilities->info.opencl_c, sizeof capabilities->info.opencl_c, "%s", dialect);
    capabilities->has_opencl3 = strcmp(dialect, "CL1.2") != 0;
}

static void query_names(device_lists *t, xl_device_info *info)
{
    cl_platform_id platform;
    query(t, CL_DEVICE_PLATFORM, sizeof platform, &platform);
    query_text(t, CL_DEVICE_NAME, info->name, sizeof info->name);
    query_text(t, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    query_text(t, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    xli_platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    xli_platform_text(platform, CL_PLATFORM_VERSION, info->platform_version,
                      sizeof info->platform_version);
    if (t->status == XL_SUCCESS && info->platform[0] == '\0')
        t->status = xli_fail(t->ctx, XL_ERROR_OPENCL, "the device does not name its platform");
}

static void query_sizes(device_lists *t, xl_device_info *info)
{
    info->device_type = query_ulong(t, CL_DEVICE_TYPE);
    info->compute_units = query_uint(t, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (info->compute_units == 0) /* the number is divided by */
        info->compute_units = 1;
    info->global_bytes = query_ulong(t, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_buffer_bytes = query_ulong(t, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_bytes = query_ulong(t, CL_DEVICE_LOCAL_MEM_SIZE);
    size_t most = xli_max(1, query_size(t, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    size_t items[16];
    query(t, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items);
    if (items[0] > 0)
        most = xli_min(most, items[0]);
    if (t->ctx->mask.work_group > 0)
        most = xli_min(most, t->ctx->mask.work_group);
    info->max_work_group_size = most;
}

/* May a relaxed 64-bit word written by one work-group be polled by another? By
 * C11 atomics at device scope where the device promises them; by inline PTX on
 * NVIDIA, whose OpenCL promises less than its hardware model does. */
static bool query_publish(const device_lists *t, const xli_capabilities *capabilities)
{
    if (t->ctx->mask.no_look_back || t->ctx->mask.no_int64_atomics)
        return false;
    bool c11 = capabilities->has_opencl3 && capabilities->info.has_int64_atomics &&
               has_feature(t, "__opencl_c_atomic_order_acq_rel") &&
               has_feature(t, "__opencl_c_atomic_scope_device");
    if (!c11 && strcmp(capabilities->info.opencl_c, "CL2.0") == 0)
        c11 = capabilities->info.has_int64_atomics; /* OpenCL 2.0 made both mandatory */
    return c11 || t->nvidia;
}

/* A compiler for Intel GPUs chooses among several widths for each kernel, unless it requires one. A
 * CPU's has nothing to spill. */
static uint32_t widest_intel(device_lists *t, xli_capabilities *capabilities)
{
    size_t sizes[16], widest = 0, n = 0;
    query(t, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes);
    for (; n < XLI_COUNT(sizes) && sizes[n] > 0; ++n)
        widest = xli_max(widest, sizes[n]);
    if (!capabilities->is_cpu)
        xli_lanes_widths(sizes, n, capabilities->widths);
    return (uint32_t)widest;
}

/* What the device says of its width, whether lanes are used or not. A vendor's
 * query is asked only where the vendor's extension is: the numbers of others'
 * queries mean something else. */
static void query_width(device_lists *t, xli_lane_facts *facts, xli_capabilities *capabilities)
{
    if (t->nvidia) {
        facts->source = XL_SUB_GROUP_NV_WARP;
        facts->reported = query_uint(t, CL_DEVICE_WARP_SIZE_NV);
    } else if (has_word(t->extensions, "cl_amd_device_attribute_query")) {
        facts->source = XL_SUB_GROUP_AMD_WAVEFRONT;
        facts->reported = query_uint(t, CL_DEVICE_WAVEFRONT_WIDTH_AMD);
    } else if (has_word(t->extensions, "cl_intel_required_subgroup_size")) {
        facts->source = XL_SUB_GROUP_INTEL_SIZES;
        facts->reported = widest_intel(t, capabilities);
    }
    if (facts->reported == 0)
        facts->source = XL_SUB_GROUP_NOT_REPORTED;
}

/* A device below 2.1 has no clGetKernelSubGroupInfo, and the loader does not say so but jumps
 * into nothing. */
static void query_lanes(device_lists *t, xli_capabilities *capabilities)
{
    const xl_device_info *info = &capabilities->info;
    xli_lane_facts facts = {
        .width_one = t->ctx->mask.width_one,
        .no_sub_groups = t->ctx->mask.no_sub_groups || xli_rusticl_dies_of_lanes(capabilities),
        .is_gpu = (info->device_type & CL_DEVICE_TYPE_GPU) != 0,
        .has_khr = info->has_sub_groups && capabilities->has_khr_shuffle &&
                   capabilities->has_khr_ballot && capabilities->has_opencl3 &&
                   xli_device_version(t->ctx->device) >= 201,
        .source = XL_SUB_GROUP_NOT_REPORTED,
    };
    if (!facts.width_one && !facts.no_sub_groups)
        query_width(t, &facts, capabilities);
    xli_lanes_choose(&facts, capabilities);
    if (capabilities->lane_way != XLI_LANE_KHR)
        capabilities->widths[0] = 0;
}

static void query_features(const device_lists *t, xli_capabilities *capabilities)
{
    xl_device_info *info = &capabilities->info;
    const char *extensions = t->extensions;
    capabilities->is_cpu =
        (info->device_type & CL_DEVICE_TYPE_CPU) && !(info->device_type & CL_DEVICE_TYPE_GPU);
    capabilities->has_khr_shuffle = has_word(extensions, "cl_khr_subgroup_shuffle") &&
                                    has_word(extensions, "cl_khr_subgroup_shuffle_relative");
    capabilities->has_khr_ballot = has_word(extensions, "cl_khr_subgroup_ballot");
    capabilities->has_fp16 = has_word(extensions, "cl_khr_fp16");
    info->has_fp64 = !t->ctx->mask.no_fp64 && has_word(extensions, "cl_khr_fp64");
    info->has_int64_atomics = !t->ctx->mask.no_int64_atomics &&
                              has_word(extensions, "cl_khr_int64_base_atomics") &&
                              has_word(extensions, "cl_khr_int64_extended_atomics");
    info->has_sub_groups =
        has_word(extensions, "cl_khr_subgroups") || has_feature(t, "__opencl_c_subgroups");
    const bool pocl = strcmp(info->platform, "Portable Computing Language") == 0;
    info->caches_from_source = t->nvidia || pocl;
    capabilities->takes_bitcode = pocl && capabilities->is_cpu;
    capabilities->can_publish = query_publish(t, capabilities);
    info->has_device_scope = capabilities->can_publish;
}

xl_status xli_capabilities_query(const xl_context *ctx, bool oldest_dialect,
                                 xli_capabilities *capabilities)
{
    xl_status status;
    device_lists t = {.ctx = ctx};
    XL_TRY(query_lists(ctx, &t));
    capabilities->vendor_id = query_uint(&t, CL_DEVICE_VENDOR_ID);
    t.nvidia = capabilities->vendor_id == XLI_VENDOR_NVIDIA &&
               has_word(t.extensions, "cl_nv_device_attribute_query");
    if (t.nvidia)
        capabilities->nv_capability = query_uint(&t, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
    query_names(&t, &capabilities->info);
    query_sizes(&t, &capabilities->info);
    query_dialect(&t, oldest_dialect, capabilities);
    query_features(&t, capabilities);
    query_lanes(&t, capabilities);
    status = t.status;
done:
    forget(&t);
    return status;
}

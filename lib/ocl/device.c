/* SPDX-License-Identifier: MIT
 * Properties that a device reports, without running a kernel, and the way its lanes exchange
 * values, if the probe (probe.c) confirms it. A property that is not reported gets the answer
 * that is right everywhere: no feature, sub-group size 1. */
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

/* ---- questions ------------------------------------------------------------------------------- */

void xli_copy_trimmed(char *to, size_t bytes, const char *from)
{
    while (*from == ' ')
        ++from;
    size_t length = xli_min(strlen(from), bytes - 1);
    memcpy(to, from, length);
    while (length > 0 && to[length - 1] == ' ')
        --length;
    to[length] = '\0';
}

/* A question that the device does not know is answered by CL_INVALID_VALUE; with any
 * other code it could not answer now, and to take that for "no" would last. */
xl_status xli_device_list(const xl_context *ctx, cl_device_info what, void **list, size_t *bytes)
{
    xl_status status = XL_SUCCESS;
    *bytes = 0;
    *list = NULL;
    cl_int code = clGetDeviceInfo(ctx->device, what, 0, NULL, bytes);
    if (code == CL_SUCCESS) {
        *list = xli_alloc(*bytes + 1);
        if (!*list)
            XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a list of the device"));
        code = clGetDeviceInfo(ctx->device, what, *bytes, *list, NULL);
    }
    if (code != CL_SUCCESS && code != CL_INVALID_VALUE)
        status = xli_cl(ctx, code, "clGetDeviceInfo");
done:
    if (status != XL_SUCCESS || code != CL_SUCCESS) {
        xli_free(*list);
        *list = NULL;
        *bytes = 0;
    }
    return status;
}

void xli_device_text(cl_device_id device, cl_device_info what, char *to, size_t bytes)
{
    char text[1024] = "";
    if (clGetDeviceInfo(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    xli_copy_trimmed(to, bytes, text);
}

void xli_platform_text(cl_platform_id platform, cl_platform_info what, char *to, size_t bytes)
{
    char text[1024] = "";
    if (clGetPlatformInfo(platform, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    xli_copy_trimmed(to, bytes, text);
}

void xli_device_platform(cl_device_id device, char *name, size_t bytes)
{
    cl_platform_id platform = NULL;
    *name = '\0';
    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS)
        xli_platform_text(platform, CL_PLATFORM_NAME, name, bytes);
}

unsigned xli_device_version(cl_device_id device)
{
    char text[64];
    unsigned major, minor;
    xli_device_text(device, CL_DEVICE_VERSION, text, sizeof text);
    return sscanf(text, "OpenCL %u.%u", &major, &minor) == 2 ? major * 100 + minor : 100;
}

cl_uint xli_device_uint(cl_device_id device, cl_device_info what)
{
    cl_uint value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

cl_ulong xli_device_ulong(cl_device_id device, cl_device_info what)
{
    cl_ulong value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

/* ---- lanes -----------------------------------------------------------------------------------
 * The way is the first row whose conditions hold. This is pure, so tests need no device.
 *
 *   way            condition
 *   local memory   the mask has width=1 or no-sub-groups
 *   khr            sub-groups, shuffles, votes, OpenCL C 2.0, clGetKernelSubGroupInfo
 *   PTX            NVIDIA's attributes, warps of 2 to 32
 *   AMD            AMD's attributes, a GPU, wavefronts of 32 or 64: builtins of its compiler
 *   local memory   otherwise
 *
 * The probe refuses a way that does not compile or has another width. */

static bool has_warps(const xli_lane_facts *facts)
{
    return facts->source == XL_SUB_GROUP_NV_WARP && facts->reported > 1 && facts->reported <= 32;
}

/* ROCm's OpenCL (5.7 to 6.4) tells of cl_khr_subgroups without shuffles and votes; its compiler
 * has both. */
static bool has_wavefronts(const xli_lane_facts *facts)
{
    return facts->source == XL_SUB_GROUP_AMD_WAVEFRONT && facts->is_gpu &&
           (facts->reported == 32 || facts->reported == 64);
}

void xli_lanes_choose(const xli_lane_facts *facts, xli_capabilities *capabilities)
{
    xl_device_info *info = &capabilities->info;
    capabilities->lane_way = XLI_LANE_LOCAL;
    info->sub_group_size = 1;
    info->sub_group_source = facts->width_one ? XL_SUB_GROUP_MASKED : XL_SUB_GROUP_NOT_REPORTED;
    if (facts->width_one || facts->no_sub_groups)
        return;
    info->sub_group_source = facts->source;
    info->sub_group_size_reported = facts->reported;
    if (facts->has_khr) {
        capabilities->lane_way = XLI_LANE_KHR;
        info->sub_group_source = XL_SUB_GROUP_OF_KERNEL;
        info->sub_group_size_reported = 0; /* the probe asks its kernel */
    } else if (has_warps(facts) || has_wavefronts(facts)) {
        capabilities->lane_way = has_warps(facts) ? XLI_LANE_PTX : XLI_LANE_AMD;
        info->sub_group_size = facts->reported;
    }
}

/* The middle first: wider kernels have fewer registers for each lane and spill sooner, narrower
 * ones leave more of the machine idle, and not every GPU of Intel's has them. */
void xli_lanes_widths(const size_t *sizes, size_t n, uint32_t widths[XLI_MOST_WIDTHS])
{
    static const uint32_t order[] = {16, 32, 8};
    size_t count = 0;
    memset(widths, 0, XLI_MOST_WIDTHS * sizeof *widths);
    for (size_t k = 0; k < XLI_COUNT(order); ++k)
        for (size_t i = 0; i < n; ++i)
            if (sizes[i] == order[k] && (count == 0 || widths[count - 1] != order[k]))
                widths[count++] = order[k];
}

bool xli_lanes_better(const xli_width_trial *trial, const xli_width_trial *best)
{
    return trial->fits && (!best->fits || trial->spill_bytes < best->spill_bytes);
}

bool xli_lanes_settled(const xli_width_trial *best)
{
    return best->fits && best->spill_bytes == 0;
}

/* ---- capabilities ---------------------------------------------------------------------------- */

/* Lists that the device reports, freed by forget(), and the first failure. CL_INVALID_VALUE means
 * that the device does not know the question, and is taken for "no". Any other failure may be
 * temporary and must not be remembered. */
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
    query(t, CL_DEVICE_TYPE, sizeof info->device_type, &info->device_type);
    query(t, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof info->compute_units, &info->compute_units);
    if (info->compute_units == 0) /* the number is divided by */
        info->compute_units = 1;
    query(t, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof info->global_bytes, &info->global_bytes);
    query(t, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof info->max_buffer_bytes, &info->max_buffer_bytes);
    query(t, CL_DEVICE_LOCAL_MEM_SIZE, sizeof info->local_bytes, &info->local_bytes);
    size_t most, items[16];
    query(t, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most);
    query(t, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items);
    most = xli_max(1, most);
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

/* The reported width, whether lanes are used or not. A vendor's query is used only if the device
 * has the vendor's extension, because vendors use the same numbers for different queries. */
static void query_width(device_lists *t, xli_lane_facts *facts, xli_capabilities *capabilities)
{
    if (t->nvidia) {
        facts->source = XL_SUB_GROUP_NV_WARP;
        query(t, CL_DEVICE_WARP_SIZE_NV, sizeof facts->reported, &facts->reported);
    } else if (has_word(t->extensions, "cl_amd_device_attribute_query")) {
        facts->source = XL_SUB_GROUP_AMD_WAVEFRONT;
        query(t, CL_DEVICE_WAVEFRONT_WIDTH_AMD, sizeof facts->reported, &facts->reported);
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
        .no_sub_groups = t->ctx->mask.no_sub_groups || xli_rusticl_crashes_on_lanes(capabilities),
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
    query(&t, CL_DEVICE_VENDOR_ID, sizeof capabilities->vendor_id, &capabilities->vendor_id);
    t.nvidia = capabilities->vendor_id == XLI_VENDOR_NVIDIA &&
               has_word(t.extensions, "cl_nv_device_attribute_query");
    if (t.nvidia)
        query(&t, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof capabilities->nv_capability,
              &capabilities->nv_capability);
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

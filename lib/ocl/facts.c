/* SPDX-License-Identifier: MIT
 * What a device says of itself, without running a kernel. Where it is silent the
 * answer is the one that is right everywhere: no feature, lane width 1. */
#include "private.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <string.h>

#ifndef CL_DEVICE_WARP_SIZE_NV
#define CL_DEVICE_WARP_SIZE_NV 0x4003
#endif
#ifndef CL_DEVICE_WAVEFRONT_WIDTH_AMD
#define CL_DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#endif

enum { VENDOR_NVIDIA = 0x10de };

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

static cl_version highest_opencl_c(cl_device_id device)
{
    cl_name_version versions[32];
    size_t bytes = 0;
    cl_version best = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof versions, versions,
                        &bytes) != CL_SUCCESS)
        bytes = 0;
    for (size_t i = 0; i < bytes / sizeof versions[0]; ++i)
        if (versions[i].version > best)
            best = versions[i].version;
    return best;
}

static bool has_feature(cl_device_id device, const char *name)
{
    cl_name_version features[64];
    size_t bytes = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &bytes) !=
        CL_SUCCESS)
        bytes = 0;
    for (size_t i = 0; i < bytes / sizeof features[0]; ++i)
        if (strcmp(features[i].name, name) == 0)
            return true;
    return false;
}

/* The dialect. Before OpenCL 3.0 there is no list of versions, but a string
 * "OpenCL C <major>.<minor> ..." that names the highest. */
static void ask_dialect(cl_device_id device, bool oldest, xli_facts *facts)
{
    char text[64];
    xli_device_text(device, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
    unsigned major = 1, minor = 2;
    if (sscanf(text, "OpenCL C %u.%u", &major, &minor) != 2)
        major = 1, minor = 2;
    const char *dialect = major >= 2 ? "CL2.0" : "CL1.2";
    if (major >= 3 || highest_opencl_c(device) >= CL_MAKE_VERSION(3, 0, 0))
        dialect = "CL3.0";
    if (oldest)
        dialect = "CL1.2";
    snprintf(facts->info.opencl_c, sizeof facts->info.opencl_c, "%s", dialect);
    facts->has_opencl3 = strcmp(dialect, "CL1.2") != 0;
}

static void ask_names(const xl_context *ctx, xl_device_info *info)
{
    cl_platform_id platform = NULL;
    cl_device_id device = ctx->device;
    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    xli_device_text(device, CL_DEVICE_NAME, info->name, sizeof info->name);
    xli_device_text(device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    xli_device_text(device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    xli_platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    xli_platform_text(platform, CL_PLATFORM_VERSION, info->platform_version,
                      sizeof info->platform_version);
}

static void ask_sizes(const xl_context *ctx, xl_device_info *info)
{
    cl_device_id device = ctx->device;
    info->type = xli_device_ulong(device, CL_DEVICE_TYPE);
    info->compute_units = xli_device_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->global_bytes = xli_device_ulong(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_buffer_bytes = xli_device_ulong(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_bytes = xli_device_ulong(device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->max_work_group = xli_device_size(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    size_t items[16] = {0};
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL) ==
            CL_SUCCESS && items[0] > 0)
        info->max_work_group = xli_min(info->max_work_group, items[0]);
    if (ctx->mask.work_group > 0)
        info->max_work_group = xli_min(info->max_work_group, ctx->mask.work_group);
}

/* May a relaxed 64-bit word written by one work-group be polled by another? By
 * C11 atomics at device scope where the device promises them; by inline PTX on
 * NVIDIA, whose OpenCL promises less than its hardware model does. */
static bool ask_messages(const xl_context *ctx, const xli_facts *facts, bool nvidia)
{
    if (ctx->mask.no_look_back || ctx->mask.no_int64_atomics)
        return false;
    bool c11 = facts->has_opencl3 && facts->info.has_int64_atomics &&
               has_feature(ctx->device, "__opencl_c_atomic_order_acq_rel") &&
               has_feature(ctx->device, "__opencl_c_atomic_scope_device");
    if (!c11 && strcmp(facts->info.opencl_c, "CL2.0") == 0)
        c11 = facts->info.has_int64_atomics; /* OpenCL 2.0 made both mandatory */
    return c11 || nvidia;
}

/* The way lanes talk, best first; the width itself is settled by the probe. */
static void ask_lanes(const xl_context *ctx, xli_facts *facts, bool nvidia)
{
    xl_device_info *info = &facts->info;
    const xli_mask *mask = &ctx->mask;
    bool khr = info->has_sub_groups && facts->has_khr_shuffle && facts->has_khr_ballot &&
               facts->has_opencl3;
    cl_uint warp = nvidia ? xli_device_uint(ctx->device, CL_DEVICE_WARP_SIZE_NV) : 0;
    facts->lane_way = XLI_LANE_LOCAL;
    info->lane_width = 1;
    info->lane_source = mask->width_one ? XL_LANES_MASKED : XL_LANES_NOT_USED;
    if (mask->width_one || mask->no_sub_groups)
        return;
    if (khr) {
        facts->lane_way = XLI_LANE_KHR;
        info->lane_source = XL_LANES_KERNEL_SUB_GROUP;
    } else if (warp > 1 && warp <= 32) {
        facts->lane_way = XLI_LANE_PTX;
        info->lane_width = warp;
        info->lane_source = XL_LANES_NV_WARP_SIZE;
    }
}

xl_status xli_facts_ask(const xl_context *ctx, bool oldest_dialect, xli_facts *facts)
{
    cl_device_id device = ctx->device;
    xl_device_info *info = &facts->info;
    char *extensions = xli_device_long_text(device, CL_DEVICE_EXTENSIONS);
    if (!extensions)
        return xli_fail(ctx, XL_ERROR_OPENCL, "the device does not list its extensions");
    ask_names(ctx, info);
    ask_sizes(ctx, info);
    ask_dialect(device, oldest_dialect, facts);
    facts->vendor_id = xli_device_uint(device, CL_DEVICE_VENDOR_ID);
    bool nvidia = facts->vendor_id == VENDOR_NVIDIA &&
                  has_word(extensions, "cl_nv_device_attribute_query");
    facts->is_cpu = (info->type & CL_DEVICE_TYPE_CPU) && !(info->type & CL_DEVICE_TYPE_GPU);
    facts->has_khr_shuffle = has_word(extensions, "cl_khr_subgroup_shuffle") &&
                             has_word(extensions, "cl_khr_subgroup_shuffle_relative");
    facts->has_khr_ballot = has_word(extensions, "cl_khr_subgroup_ballot");
    info->has_fp64 = !ctx->mask.no_fp64 && has_word(extensions, "cl_khr_fp64");
    info->has_int64_atomics = !ctx->mask.no_int64_atomics &&
                              has_word(extensions, "cl_khr_int64_base_atomics") &&
                              has_word(extensions, "cl_khr_int64_extended_atomics");
    info->has_sub_groups = has_word(extensions, "cl_khr_subgroups") ||
                           has_feature(device, "__opencl_c_subgroups");
    info->caches_from_source = nvidia || strcmp(info->platform, "Portable Computing Language") == 0;
    facts->can_message = ask_messages(ctx, facts, nvidia);
    info->has_device_scope = facts->can_message;
    ask_lanes(ctx, facts, nvidia);
    xli_free(extensions);
    return XL_SUCCESS;
}

/* SPDX-License-Identifier: MIT
 * `crosslane devices`: every platform and device with its properties. A device that fails is listed
 * with its error. */
#include "tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const sub_group_sources[] = {
    "no cross-lane operation used",  "clGetKernelSubGroupInfo",         "CL_DEVICE_WARP_SIZE_NV",
    "CL_DEVICE_WAVEFRONT_WIDTH_AMD", "CL_DEVICE_SUB_GROUP_SIZES_INTEL", "masked: width=1"};

static const char *sub_group_source(xl_sub_group_source source)
{
    size_t i = (size_t)source;
    return i < TOOL_COUNT(sub_group_sources) ? sub_group_sources[i] : "unknown";
}

static const char *type_name(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_GPU)
        return "GPU";
    if (type & CL_DEVICE_TYPE_ACCELERATOR)
        return "accelerator";
    return type & CL_DEVICE_TYPE_CPU ? "CPU" : "other";
}

static void platform_text(cl_platform_id id, cl_platform_info what, char *text, size_t size)
{
    if (clGetPlatformInfo(id, what, size, text, NULL) != CL_SUCCESS)
        snprintf(text, size, "?");
    text[size - 1] = '\0';
}

typedef struct listing {
    json *j; /* NULL: for people */
    uint32_t platform;
    uint32_t devices, failures;
    char cache[1024]; /* the same for all devices */
} listing;

static xl_status query(listing *l, cl_platform_id pid, cl_device_id did, xl_device_info *info,
                       char *error, size_t size)
{
    cl_int code = CL_SUCCESS;
    xl_context *ctx = NULL;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)pid, 0};
    cl_context cl = clCreateContext(properties, 1, &did, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        snprintf(error, size, "clCreateContext: OpenCL error %d", (int)code);
        return XL_ERROR_OPENCL;
    }
    xl_status status = xl_context_adopt(cl, did, NULL, &ctx);
    if (ctx)
        text_one_line(l->cache, sizeof l->cache, xl_context_cache(ctx));
    if (status == XL_SUCCESS)
        status = xl_context_device_info(ctx, info);
    if (status != XL_SUCCESS) {
        const char *text = xl_context_error(ctx);
        char first[1024];
        size_t length = status == XL_ERROR_BUILD ? strcspn(text, "\n") : strlen(text);
        snprintf(first, sizeof first, "%.*s", (int)length, text);
        text_one_line(error, size, first);
    }
    xl_context_destroy(ctx);
    clReleaseContext(cl);
    return status;
}

static void print_bytes(const char *label, uint64_t bytes)
{
    if (bytes >= UINT64_C(1) << 30)
        printf("%s %.1f GiB", label, (double)bytes / (double)(UINT64_C(1) << 30));
    else
        printf("%s %" PRIu64 " KiB", label, bytes >> 10);
}

static void print_info(const xl_device_info *i)
{
    printf("       %s, %" PRIu32 " compute units, work-groups of up to %" PRIu64 ", %s\n",
           type_name(i->device_type), i->compute_units, i->max_work_group_size, i->opencl_c);
    print_bytes("       memory", i->global_bytes);
    print_bytes(", one buffer", i->max_buffer_bytes);
    print_bytes(", local", i->local_bytes);
    printf("\n       driver %s\n", i->driver);
    printf("       sub-group size %" PRIu32 ", exchange by %s (", i->sub_group_size, i->cross_lane);
    if (i->sub_group_size_reported > 0 && i->sub_group_size_reported != i->sub_group_size)
        printf("not used: %" PRIu32 " of %s", i->sub_group_size_reported,
               sub_group_source(i->sub_group_source));
    else
        printf("reported by: %s", sub_group_source(i->sub_group_source));
    if (i->work_group_size_multiple > 0)
        printf("; preferred multiple of a work-group %" PRIu32, i->work_group_size_multiple);
    printf(")\n       probe: %s\n", i->probe);
    printf("       fp64 %s, int64 atomics %s, sub-groups %s, look-back %s\n",
           i->has_fp64 ? "yes" : "no", i->has_int64_atomics ? "yes" : "no",
           i->has_sub_groups ? "yes" : "no", i->has_device_scope ? "possible" : "not possible");
}

static void write_info(json *j, const xl_device_info *i)
{
    json_text(j, "vendor", i->vendor);
    json_text(j, "type", type_name(i->device_type));
    json_text(j, "driver", i->driver);
    json_text(j, "opencl_c", i->opencl_c);
    json_count(j, "compute_units", i->compute_units);
    json_count(j, "global_bytes", i->global_bytes);
    json_count(j, "max_buffer_bytes", i->max_buffer_bytes);
    json_count(j, "local_bytes", i->local_bytes);
    json_count(j, "max_work_group_size", i->max_work_group_size);
    json_count(j, "sub_group_size", i->sub_group_size);
    json_text(j, "cross_lane", i->cross_lane);
    json_text(j, "sub_group_source", sub_group_source(i->sub_group_source));
    json_count(j, "sub_group_size_reported", i->sub_group_size_reported);
    json_count(j, "work_group_size_multiple", i->work_group_size_multiple);
    json_count(j, "sub_group_size_measured", i->sub_group_size_measured);
    json_text(j, "probe", i->probe);
    json_bool(j, "fp64", i->has_fp64);
    json_bool(j, "int64_atomics", i->has_int64_atomics);
    json_bool(j, "sub_groups", i->has_sub_groups);
    json_bool(j, "look_back", i->has_device_scope);
    json_bool(j, "caches_from_source", i->caches_from_source);
}

static void show_device(void *user, uint32_t p, uint32_t d, cl_platform_id pid, cl_device_id did)
{
    listing *l = user;
    xl_device_info info;
    char name[256] = "?", error[1024];
    if (p != l->platform)
        return;
    if (clGetDeviceInfo(did, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS)
        snprintf(name, sizeof name, "?");
    progress_say("asking %s", name);
    xl_status status = query(l, pid, did, &info, error, sizeof error);
    progress_clear();
    ++l->devices;
    l->failures += status != XL_SUCCESS;
    if (!l->j) {
        printf("  %" PRIu32 ":%" PRIu32 "  %s\n", p, d, name);
        if (status == XL_SUCCESS)
            print_info(&info);
        else
            printf("       FAILED: %s: %s\n", xl_status_name(status), error);
        return;
    }
    json_open(l->j, NULL, '{');
    json_count(l->j, "device", d);
    json_text(l->j, "name", name);
    if (status == XL_SUCCESS)
        write_info(l->j, &info);
    else
        json_text(l->j, "error", error);
    json_close(l->j, '}');
}

static void show_platform(listing *l, cl_platform_id id)
{
    char name[256] = "?", version[256] = "?";
    platform_text(id, CL_PLATFORM_NAME, name, sizeof name);
    platform_text(id, CL_PLATFORM_VERSION, version, sizeof version);
    uint32_t before = l->devices;
    if (l->j) {
        json_open(l->j, NULL, '{');
        json_count(l->j, "platform", l->platform);
        json_text(l->j, "name", name);
        json_text(l->j, "version", version);
        json_open(l->j, "devices", '[');
    } else {
        printf("platform %" PRIu32 ": %s, %s\n", l->platform, name, version);
    }
    xl_devices_each(show_device, l);
    if (l->j) {
        json_close(l->j, ']');
        json_close(l->j, '}');
    } else if (l->devices == before) {
        printf("  no device\n");
    }
}

static int show_all(json *j)
{
    cl_uint count = 0;
    cl_platform_id *ids = NULL;
    listing l = {.j = j};
    if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS)
        count = 0; /* the loader reports an error if there is none */
    ids = calloc(count ? count : 1, sizeof *ids);
    if (!ids || (count && clGetPlatformIDs(count, ids, NULL) != CL_SUCCESS))
        count = 0;
    if (j)
        json_open(j, "platforms", '[');
    for (; l.platform < count; ++l.platform)
        show_platform(&l, ids[l.platform]);
    if (j) {
        json_close(j, ']');
        json_text(j, "cache", l.cache);
    } else if (l.cache[0]) {
        char shown[4 * sizeof l.cache];
        printf("cache of compiled programs: %s\n", text_printable(shown, sizeof shown, l.cache));
    }
    free(ids);
    if (l.devices == 0)
        return tool_fail("no OpenCL device; install a driver (for a CPU: pocl-opencl-icd)");
    if (l.failures == l.devices)
        return tool_fail("all %" PRIu32 " devices failed", l.devices);
    return TOOL_OK;
}

int tool_devices(int argc, char **argv)
{
    bool as_json = false;
    const tool_option options[] = {JSON_OPTION(as_json, "the list")};
    const tool_syntax syntax = {
        .name = "devices",
        .about =
            "Lists every platform and device: memory, the sub-group size and its source, the "
            "result\n"
            "of a probe kernel, and the features that decide which algorithms are used. --device "
            "and\n"
            "CROSSLANE_DEVICE accept the numbers in front of the names, as \"platform:device\".",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result != TOOL_OK)
        return result;
    if (!as_json)
        return show_all(NULL);
    json j = json_begin(stdout);
    json_text(&j, "version", xl_version_string());
    result = show_all(&j);
    json_end(&j);
    return result;
}

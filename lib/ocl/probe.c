/* SPDX-License-Identifier: MIT
 * Measurements on a device, once for each context: the sub-group size, whether lane operations are
 * right, the limit of loops, and results of self-tests. A measurement overrides a reported property
 * (device.c). */
#include "private.h"

#include <stdio.h>
#include <string.h>

/* A vote is a word of 64 bits: what exchanges values among more is not used. */
enum { PROBE_ITEMS = 256, WORDS = 4, MOST_LANES = 64 };

static size_t preferred_multiple(const xl_context *ctx, cl_kernel kernel)
{
    size_t multiple = 0;
    cl_int code =
        clGetKernelWorkGroupInfo(kernel, ctx->device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof multiple, &multiple, NULL);
    return code == CL_SUCCESS ? multiple : 0;
}

/* The width all work-items agree on, or 0 with the reason in `why`. */
static uint32_t agreed_width(const cl_uint *seen, size_t items, char *why, size_t why_bytes)
{
    cl_uint width = seen[0];
    for (size_t i = 0; i < items; ++i) {
        const cl_uint *item = seen + WORDS * i;
        bool same = item[0] == width && width > 0;
        bool placed = same && item[1] == i / width && item[2] == i % width;
        if (!placed || item[3] != 0) {
            snprintf(why, why_bytes,
                     "work-item %u saw width %u, sub-group %u, lane %u, failed checks %u",
                     (unsigned)i, (unsigned)item[0], (unsigned)item[1], (unsigned)item[2],
                     (unsigned)item[3]);
            return 0;
        }
    }
    return width;
}

/* One attempt with the way in `capabilities`; *seen_width is 0 if the device does not do as
 * reported. */
static xl_status attempt(xl_context *ctx, xli_capabilities *capabilities, uint32_t *seen_width)
{
    xl_status status;
    xl_device_info *info = &capabilities->info;
    xli_program *program = NULL;
    xli_kernel kernel = {0};
    cl_uint seen[PROBE_ITEMS * WORDS] = {0};
    *seen_width = 0;
    XL_TRY(xli_program_build(ctx, capabilities, "probe", "", &program));
    XL_TRY(xli_kernel_create(ctx, program, "xl_probe_lanes", &kernel));
    size_t limit =
        xli_min(xli_min(kernel.max_group, xli_most_work_items(capabilities)), PROBE_ITEMS);
    size_t said = info->sub_group_size;
    if (capabilities->lane_way == XLI_LANE_KHR) {
        said = xli_kernel_width(ctx, kernel.cl, limit);
        info->sub_group_size_reported = (uint32_t)said;
    }
    info->work_group_size_multiple = (uint32_t)preferred_multiple(ctx, kernel.cl);
    size_t items = said > 0 && limit >= said ? limit / said * said : 0;
    if (items == 0) {
        snprintf(info->probe, sizeof info->probe, "a work-group of %u holds no whole sub-group",
                 (unsigned)limit);
        goto done;
    }
    XL_TRY(xli_kernel_query(ctx, &kernel, items, items * WORDS * sizeof *seen, seen));
    *seen_width = agreed_width(seen, items, info->probe, sizeof info->probe);
    if (*seen_width != 0 && *seen_width != said) {
        snprintf(info->probe, sizeof info->probe, "the kernel saw width %u where %u was promised",
                 (unsigned)*seen_width, (unsigned)said);
        *seen_width = 0;
    } else if (*seen_width > MOST_LANES) {
        snprintf(info->probe, sizeof info->probe, "%u lanes are more than a vote has bits",
                 (unsigned)*seen_width);
        *seen_width = 0;
    }
done:
    xli_kernel_destroy(&kernel);
    return status;
}

static xl_status probe_rounds(xl_context *ctx, xli_capabilities *capabilities)
{
    enum { ROUNDS = 70000, LIMIT = 1 << 15 }; /* ROUNDS: as in the kernel */
    xl_status status;
    xli_program *program = NULL;
    xli_kernel kernel = {0};
    cl_uint answer[2] = {0};
    XL_TRY(xli_program_build(ctx, capabilities, "probe", "", &program));
    XL_TRY(xli_kernel_create(ctx, program, "xl_probe_rounds", &kernel));
    XL_TRY(xli_kernel_query(ctx, &kernel, 1, sizeof answer, answer));
    capabilities->most_rounds = answer[0] < ROUNDS ? LIMIT : SIZE_MAX; /* half: see tune.h */
done:
    xli_kernel_destroy(&kernel);
    return status;
}

/* The attempt, by kernels that require the first of the device's widths if it has any, else, or
 * where it refuses that or does something else, as its compiler has it. */
static xl_status attempt_widths(xl_context *ctx, xli_capabilities *capabilities, uint32_t *seen)
{
    capabilities->width = capabilities->widths[0];
    xl_status status = attempt(ctx, capabilities, seen);
    const bool good = status == XL_SUCCESS && *seen == capabilities->width;
    if (capabilities->width > 0 && !good && status != XL_ERROR_OUT_OF_MEMORY) {
        capabilities->width = capabilities->widths[0] = 0;
        status = attempt(ctx, capabilities, seen);
    }
    capabilities->width = 0;
    return status;
}

/* PoCL takes a third of a second to compile the probe, which without lane operations has nothing to
 * find out. */
static xl_status probe_lanes(xl_context *ctx, xli_capabilities *capabilities)
{
    xl_device_info *info = &capabilities->info;
    uint32_t seen = 0;
    const bool cross = capabilities->lane_way != XLI_LANE_LOCAL;
    xl_status status = XL_SUCCESS;
    if (!cross && capabilities->takes_bitcode)
        snprintf(info->probe, sizeof info->probe, "not run, no cross-lane operation used");
    else
        status = attempt_widths(ctx, capabilities, &seen);
    /* A way that does not compile or misbehaves is not an error: there is another.
     * Memory that ran out is no fault of the way's, and may be there next time. */
    if (cross && status != XL_ERROR_OUT_OF_MEMORY && (status != XL_SUCCESS || seen == 0)) {
        char why[sizeof info->probe];
        snprintf(why, sizeof why, "%s",
                 status == XL_SUCCESS       ? info->probe
                 : status == XL_ERROR_BUILD ? "it did not compile"
                                            : "it did not run");
        capabilities->lane_way = XLI_LANE_LOCAL;
        capabilities->widths[0] = 0;
        info->sub_group_size = 1;
        status = attempt(ctx, capabilities, &seen);
        snprintf(info->probe, sizeof info->probe, "cross-lane way refused: %.120s", why);
    } else if (status == XL_SUCCESS && seen > 0) {
        info->sub_group_size = seen;
        snprintf(info->probe, sizeof info->probe,
                 cross ? "width %u, shuffles and votes right" : "no cross-lane operation used",
                 (unsigned)seen);
    }
    info->sub_group_size_measured = seen;
    static const char *const ways[] = {"local", "sub-group", "ptx", "amd"};
    snprintf(info->cross_lane, sizeof info->cross_lane, "%s", ways[capabilities->lane_way]);
    return status;
}

/* ---- the capabilities of a context ----------------------------------------------------------- */

/* Oclgrind 21.10 lists OpenCL C 3.0 and then refuses the option for it: a dialect is used only if
 * the probe compiles in it. Failed attempts are no failures of the caller, so the error text from
 * before is restored. */
static xl_status query_capabilities(xl_context *ctx, xli_capabilities *capabilities)
{
    xl_status status = XL_ERROR_BUILD;
    char *before = xli_strdup(xl_context_error(ctx));
    if (!before)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to probe the device");
    for (int oldest = 0; oldest <= 1 && status == XL_ERROR_BUILD; ++oldest) {
        *capabilities = (xli_capabilities){.most_rounds = SIZE_MAX};
        status = xli_capabilities_query(ctx, oldest == 1, capabilities);
        if (status == XL_SUCCESS)
            status = probe_lanes(ctx, capabilities);
        if (status == XL_SUCCESS && xli_rusticl_may_end_loops(capabilities))
            status = probe_rounds(ctx, capabilities);
    }
    if (status == XL_SUCCESS && strcmp(before, xl_context_error(ctx)) != 0)
        (void)xli_fail(ctx, XL_SUCCESS, "%s", before);
    xli_free(before);
    return status;
}

/* Two threads may both probe the first time; the first answer is kept. */
xl_status xli_context_capabilities(xl_context *ctx, const xli_capabilities **capabilities)
{
    xl_status status;
    *capabilities = &ctx->capabilities;
    XL_TRY(xli_check_process());
    xli_mutex_lock(ctx->lock);
    bool known = ctx->capabilities_known;
    xli_mutex_unlock(ctx->lock);
    if (known)
        return XL_SUCCESS;
    xli_capabilities fresh;
    cl_mem stand_in = NULL;
    XL_TRY(query_capabilities(ctx, &fresh));
    XL_TRY(xli_rusticl_stand_in(ctx, &fresh, &stand_in));
    xli_mutex_lock(ctx->lock);
    if (!ctx->capabilities_known) {
        ctx->capabilities = fresh;
        ctx->stand_in = stand_in;
        stand_in = NULL;
    }
    ctx->capabilities_known = true;
    xli_mutex_unlock(ctx->lock);
    if (stand_in)
        clReleaseMemObject(stand_in);
done:
    return status;
}

xl_status xl_context_device_info(xl_context *ctx, xl_device_info *info)
{
    static const xli_structure structure = {"info", sizeof(xl_device_info), NULL};
    const xli_capabilities *capabilities;
    if (!ctx || !info)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "info" : "ctx");
    xl_status status = xli_context_capabilities(ctx, &capabilities);
    if (status == XL_SUCCESS)
        xli_structure_write(&structure, ctx->version, info, &capabilities->info);
    return status;
}

/* ---- results of self-tests ------------------------------------------------------------------- */

static xli_self_test_record *remembered(xl_context *ctx, const char *test)
{
    for (size_t i = 0; i < XLI_COUNT(ctx->self_test_results); ++i) {
        xli_self_test_record *r = &ctx->self_test_results[i];
        if (!r->test || strcmp(r->test, test) == 0)
            return r;
    }
    return NULL;
}

static void remember(xl_context *ctx, const char *test, xli_self_test_result result)
{
    xli_mutex_lock(ctx->lock);
    xli_self_test_record *r = remembered(ctx, test);
    if (r)
        *r = (xli_self_test_record){test, result};
    xli_mutex_unlock(ctx->lock);
}

xli_self_test_result xli_context_self_test_result(xl_context *ctx, const char *test)
{
    xli_mutex_lock(ctx->lock);
    const xli_self_test_record *r = remembered(ctx, test);
    xli_self_test_result result = r && r->test ? r->result : XLI_SELF_TEST_NOT_RUN;
    const bool known = ctx->capabilities_known;
    xli_mutex_unlock(ctx->lock);
    if (result == XLI_SELF_TEST_NOT_RUN && known &&
        xli_cache_has_pass(ctx, &ctx->capabilities, test)) {
        remember(ctx, test, XLI_SELF_TEST_PASSED);
        result = XLI_SELF_TEST_PASSED;
    }
    return result;
}

void xli_context_set_self_test_result(xl_context *ctx, const char *test,
                                      xli_self_test_result result)
{
    remember(ctx, test, result);
    xli_mutex_lock(ctx->lock);
    const bool known = ctx->capabilities_known;
    xli_mutex_unlock(ctx->lock);
    if (result == XLI_SELF_TEST_PASSED && known)
        xli_cache_add_pass(ctx, &ctx->capabilities, test);
}

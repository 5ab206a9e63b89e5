/* SPDX-License-Identifier: MIT
 * The lane probe: asks the width of a compiled kernel, runs it, and believes what
 * the device did rather than what it said. */
#include "private.h"

#include <stdio.h>

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

/* One attempt with the way that `capabilities` holds; *seen_width is 0 if the device did
 * not do what it said. */
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

xl_status xli_probe_rounds(xl_context *ctx, xli_capabilities *capabilities)
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

xl_status xli_probe_lanes(xl_context *ctx, xli_capabilities *capabilities)
{
    xl_device_info *info = &capabilities->info;
    uint32_t seen = 0;
    xl_status status = attempt_widths(ctx, capabilities, &seen);
    bool cross = capabilities->lane_way != XLI_LANE_LOCAL;
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

/* SPDX-License-Identifier: MIT
 * Whether a device may look back: one that promises messages between work-groups is believed
 * once it gave right results, in scans made and run here for that alone. */
#include "scan_plan.h"

enum { TILES = 300, ROUNDS = 3 };

/* Scans n times `step` into `out` (may be `in`) and counts the elements that are not what
 * multiples of it are. */
static xl_status run_round(xli_scan_plan *plan, cl_command_queue queue, size_t n, cl_uint step,
                           cl_mem in, cl_mem out, cl_uint *host, size_t *wrong)
{
    xl_status status;
    const xl_scan_args call = {.n = n, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
    XL_TRY(xli_scan_enqueue(plan, queue, &call, 0, NULL, NULL));
    XL_TRY(xli_read_blocking(plan->ctx, queue, out, 0, n * sizeof *host, host, 0, NULL));
    for (size_t i = 0; i < n; ++i)
        *wrong += host[i] != step * (cl_uint)i;
done:
    return status;
}

/* A buffer of n times `step`. */
static xl_status make_steps(xl_context *ctx, size_t n, cl_uint step, cl_uint *host, cl_mem *buffer)
{
    cl_int code;
    for (size_t i = 0; i < n; ++i)
        host[i] = step;
    *buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                             n * sizeof *host, host, &code);
    return xli_cl(ctx, code, "clCreateBuffer");
}

/* A plan of so plain a scan, by that file and of the device alone, not of what tests do to tiles;
 * its algorithm is another where the file does not fit the device. */
static xl_status make_plan(xli_scan_plan *plan, unsigned file)
{
    xl_status status;
    const xli_capabilities *capabilities;
    const xl_scan_desc desc = {.type = XL_U32, .op = XL_SUM, .algorithm = XL_SCAN_LOOKBACK};
    xli_scan_limits limits = {.wish = XL_SCAN_LOOKBACK, .files = file};
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(plan->ctx, &capabilities));
    XL_TRY(xli_problem_resolve(plan->ctx, &desc, false, capabilities, &plan->problem));
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SCAN, &desc), &device,
                            &tune));
    tune.scan.pipelined = file == XLI_FILE_PIPELINED;
    tune.scan.inject_delay = 0;
    limits.most = xli_most_work_items(capabilities);
    do {
        xli_scan_shape_of(&plan->problem, capabilities, &tune.scan, &limits, &plan->shape);
        if (plan->shape.algorithm != XL_SCAN_LOOKBACK)
            goto done;
        XL_TRY(xli_scan_build(plan, &desc, capabilities, &limits.most));
    } while (limits.most < plan->shape.group_size);
    XL_TRY(xli_scan_make_pool(plan));
done:
    return status;
}

static xl_status run_self_test(xl_context *ctx, unsigned file, size_t *wrong)
{
    xl_status status;
    xli_scan_plan plan = {.ctx = ctx};
    cl_mem in = NULL, out = NULL;
    cl_command_queue queue = NULL;
    cl_uint *host = NULL;
    XL_TRY(make_plan(&plan, file));
    /* What does not fit the device in so plain a scan is not to be relied on. */
    if (plan.shape.algorithm != XL_SCAN_LOOKBACK) {
        *wrong = 1;
        goto done;
    }
    const size_t n = TILES * plan.shape.tile + 7;
    host = xli_alloc(n * sizeof *host);
    if (!host)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to try look-back"));
    queue = xli_queue_create(ctx);
    if (!queue)
        XL_TRY(XL_ERROR_OPENCL);
    XL_TRY(make_steps(ctx, n, 0, host, &out));
    /* Out of place and in place by turns; other data each time, lest what the last call published
     * look right. */
    for (cl_uint round = 0; round < 2 * ROUNDS && *wrong == 0; ++round) {
        XL_TRY(make_steps(ctx, n, round + 1, host, &in));
        XL_TRY(run_round(&plan, queue, n, round + 1, in, round % 2 ? in : out, host, wrong));
        clReleaseMemObject(in);
        in = NULL;
    }
done:
    if (in)
        clReleaseMemObject(in);
    if (out)
        clReleaseMemObject(out);
    if (queue)
        clReleaseCommandQueue(queue);
    xli_free(host);
    xli_scan_drop_kernels(&plan);
    xli_pool_destroy(&plan.pool);
    return status;
}

/* Tries, and says what came of it. A compiler that cannot build it is an answer; no memory is
 * not, and the next plan may find some. */
static xl_status try_file(xl_context *ctx, unsigned file, bool by_name,
                          xli_self_test_result *result)
{
    size_t wrong = 0;
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    char *before = xli_strdup(xl_context_error(ctx));
    if (before)
        status = run_self_test(ctx, file, &wrong);
    else if (by_name)
        (void)xli_fail(ctx, status, "no memory to try look-back");
    switch (status) {
    case XL_SUCCESS:
        *result = wrong == 0 ? XLI_SELF_TEST_PASSED : XLI_SELF_TEST_WRONG;
        break;
    case XL_ERROR_BUILD:
        *result = XLI_SELF_TEST_WRONG;
        break;
    case XL_ERROR_OUT_OF_MEMORY:
        *result = XLI_SELF_TEST_NOT_RUN;
        break;
    default:
        *result = XLI_SELF_TEST_ERROR;
    }
    /* Then the plan does without, and what went wrong is no failure of the caller's. */
    if (status == XL_ERROR_BUILD || !by_name) {
        if (status != XL_SUCCESS && before)
            (void)xli_fail(ctx, XL_SUCCESS, "%s", before);
        status = XL_SUCCESS;
    }
    xli_free(before);
    return status;
}

xl_status xli_scan_can_look_back(xl_context *ctx, unsigned file, bool by_name, bool *good)
{
    xl_status status = XL_SUCCESS;
    const char *kernels = xli_scan_file_name(file);
    xli_self_test_result result = xli_context_self_test_result(ctx, kernels);
    if (result == XLI_SELF_TEST_NOT_RUN || (result == XLI_SELF_TEST_ERROR && by_name)) {
        XL_TRY(try_file(ctx, file, by_name, &result));
        if (result != XLI_SELF_TEST_NOT_RUN)
            xli_context_set_self_test_result(ctx, kernels, result);
    }
    *good = result == XLI_SELF_TEST_PASSED;
done:
    return status;
}

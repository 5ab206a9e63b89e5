/* SPDX-License-Identifier: MIT
 * Whether a device may look back: a device that promises messages between work-groups is believed
 * if a few scans, made and run here for this purpose, give right results. */
#include "scan_plan.h"

enum { TILES = 300, ROUNDS = 3 };

/* Scans n times `step` into `out` (may be `in`) and counts the results that are not multiples of
 * it as they must be. */
static xl_status run_round(xli_scan_plan *plan, cl_command_queue queue, size_t n, cl_uint step,
                           cl_mem in, cl_mem out, cl_uint *host, size_t *wrong)
{
    const cl_uint first = plan->problem.inclusive;
    xl_status status;
    const xl_scan_args call = {.n = n, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
    XL_TRY(xli_plan_enqueue(plan->base.primitive, &plan->base, queue, &call, 0, NULL, NULL));
    XL_TRY(xli_read_blocking(plan->base.ctx, queue, out, 0, n * sizeof *host, host, 0, NULL));
    for (size_t i = 0; i < n; ++i)
        *wrong += host[i] != step * (first + (cl_uint)i);
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

/* A plan of a plain sum by that file, without the delays that tests inject. Its algorithm is
 * another if the file does not fit the device. */
static xl_status make_plan(xli_scan_plan *plan, unsigned file, xl_scan_kind kind)
{
    xl_status status;
    xl_context *const ctx = plan->base.ctx;
    const xli_capabilities *capabilities;
    const xl_scan_desc desc = {
        .type = XL_U32, .op = XL_SUM, .kind = kind, .algorithm = XL_SCAN_LOOKBACK};
    xli_scan_limits limits = {.wish = XL_SCAN_LOOKBACK, .files = file};
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_pool_create(ctx, &plan->base.pool));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_problem_resolve(ctx, &desc, false, capabilities, &plan->problem));
    XL_TRY(
        xli_context_tune(ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SCAN, &desc), &device, &tune));
    tune.scan.pipelined = file == XLI_FILE_PIPELINED;
    tune.scan.inject_delay = 0;
    limits.most = xli_most_work_items(capabilities);
    do {
        xli_scan_shape_of(&plan->problem, capabilities, &tune.scan, &limits, &plan->shape);
        if (plan->shape.algorithm != XL_SCAN_LOOKBACK)
            goto done;
        plan->shape.separate_in_place = false; /* one program for both */
        XL_TRY(xli_scan_build(plan, &desc, capabilities, &limits.most));
    } while (limits.most < plan->shape.group_size);
    xli_scan_set_pool(plan);
done:
    return status;
}

static xl_status run_self_test(const xli_scan_plan *asks, unsigned file, size_t *wrong)
{
    xl_status status;
    xl_context *const ctx = asks->base.ctx;
    xli_scan_plan plan = {
        .base = {.primitive = asks->base.primitive, .ctx = ctx, .version = XL_VERSION_NUMBER}};
    cl_mem in = NULL, out = NULL;
    cl_command_queue queue = NULL;
    cl_uint *host = NULL;
    XL_TRY(make_plan(&plan, file, asks->problem.inclusive ? XL_INCLUSIVE : XL_EXCLUSIVE));
    /* A file that does not fit the device even for a plain sum is not relied on. */
    if (plan.shape.algorithm != XL_SCAN_LOOKBACK) {
        *wrong = 1;
        goto done;
    }
    /* Few elements, because the plan of a first call is likely to have the same program. */
    const size_t few = TILES * xli_scan_lookback_tile(&plan.shape, 1) + 7,
                 many = TILES * plan.shape.tile + 7;
    const size_t n =
        xli_scan_part_of(&plan.shape, &(xli_scan_call){.n = few}) == XLI_SCAN_FEW ? few : many;
    host = xli_alloc(n * sizeof *host);
    if (!host)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to try look-back"));
    queue = xli_queue_create(ctx);
    if (!queue)
        XL_TRY(XL_ERROR_OPENCL);
    XL_TRY(make_steps(ctx, n, 0, host, &out));
    /* Rounds alternate between out of place and in place. Data differ, so that a message of the
     * round before is wrong. */
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
    xli_pool_destroy(&plan.base.pool);
    return status;
}

/* Runs the self-test. *result is WRONG if the kernels do not compile, and NOT_RUN if memory is
 * lacking: the next plan may find some. */
static xl_status try_file(const xli_scan_plan *asks, unsigned file, bool by_name,
                          xli_self_test_result *result)
{
    size_t wrong = 0;
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    xl_context *const ctx = asks->base.ctx;
    char *before = xli_strdup(xl_context_error(ctx));
    if (before)
        status = run_self_test(asks, file, &wrong);
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
    /* Then the plan does without look-back, and the caller's call has not failed. */
    if (status == XL_ERROR_BUILD || !by_name) {
        if (status != XL_SUCCESS && before)
            (void)xli_fail(ctx, XL_SUCCESS, "%s", before);
        status = XL_SUCCESS;
    }
    xli_free(before);
    return status;
}

xl_status xli_scan_can_look_back(const xli_scan_plan *asks, unsigned file, bool by_name, bool *good)
{
    xl_status status = XL_SUCCESS;
    xl_context *const ctx = asks->base.ctx;
    const char *kernels = xli_scan_file_name(file);
    xli_self_test_result result = xli_context_self_test_result(ctx, kernels);
    if (result == XLI_SELF_TEST_NOT_RUN || (result == XLI_SELF_TEST_ERROR && by_name)) {
        XL_TRY(try_file(asks, file, by_name, &result));
        if (result != XLI_SELF_TEST_NOT_RUN)
            xli_context_set_self_test_result(ctx, kernels, result);
    }
    *good = result == XLI_SELF_TEST_PASSED;
done:
    return status;
}

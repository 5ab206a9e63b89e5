/* SPDX-License-Identifier: MIT
 * The trial of look-back: a device that promises messages between work-groups is
 * believed once it gave right results. */
#include "flat.h"

#include <string.h>

enum { TILES = 300, ROUNDS = 3 };

/* Scans n times `step` into `out` (may be `in`) and counts the elements that are not what
 * multiples of it are. */
static xl_status run_round(xli_flat *flat, cl_command_queue queue, size_t n, cl_uint step,
                           cl_mem in, cl_mem out, cl_uint *host, size_t *wrong)
{
    xl_status status;
    const xl_scan_args call = {.n = n, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
    XL_TRY(xli_flat_enqueue(flat, queue, &call, 0, NULL, NULL));
    XL_TRY(xli_read_blocking(flat->ctx, queue, out, 0, n * sizeof *host, host, 0, NULL));
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

static xl_status run_trial(xl_context *ctx, const char *kernels, size_t *wrong)
{
    xl_status status;
    xli_flat *flat = NULL;
    cl_mem in = NULL, out = NULL;
    cl_command_queue queue = NULL;
    cl_uint *host = NULL;
    const xl_scan_desc desc = {.type = XL_U32, .op = XL_SUM, .algorithm = XL_SCAN_LOOKBACK};
    XL_TRY(xli_flat_create(ctx, &desc, kernels, &flat));
    /* What does not fit the device in so plain a scan is not to be relied on. */
    if (strcmp(xli_flat_ring_file(flat), kernels) != 0) {
        *wrong = 1;
        goto done;
    }
    const size_t n = TILES * flat->tile + 7;
    host = xli_alloc(n * sizeof *host);
    if (!host)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to try look-back"));
    queue = xli_queue_create(ctx);
    if (!queue)
        XL_TRY(XL_ERROR_OPENCL);
    XL_TRY(make_steps(ctx, n, 0, host, &out));
    /* Out of place and in place by turns; other data each time, lest what the last call posted
     * look right. */
    for (cl_uint round = 0; round < 2 * ROUNDS && *wrong == 0; ++round) {
        XL_TRY(make_steps(ctx, n, round + 1, host, &in));
        XL_TRY(run_round(flat, queue, n, round + 1, in, round % 2 ? in : out, host, wrong));
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
    xli_flat_destroy(flat);
    return status;
}

/* Tries, and says what came of it. A compiler that cannot build it is an answer; no memory is
 * not, and the next plan may find some. */
static xl_status try_file(xl_context *ctx, const char *kernels, bool by_name, xli_verdict *verdict)
{
    size_t wrong = 0;
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    char *before = xli_strdup(xl_context_error(ctx));
    if (before)
        status = run_trial(ctx, kernels, &wrong);
    else if (by_name)
        (void)xli_fail(ctx, status, "no memory to try look-back");
    switch (status) {
    case XL_SUCCESS:
        *verdict = wrong == 0 ? XLI_PASSED : XLI_REFUSED;
        break;
    case XL_ERROR_BUILD:
        *verdict = XLI_REFUSED;
        break;
    case XL_ERROR_OUT_OF_MEMORY:
        *verdict = XLI_UNTRIED;
        break;
    default:
        *verdict = XLI_FAILED;
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

xl_status xli_flat_trial(xl_context *ctx, const char *kernels, bool by_name, bool *good)
{
    xl_status status = XL_SUCCESS;
    xli_verdict verdict = xli_context_verdict(ctx, kernels);
    if (verdict == XLI_UNTRIED || (verdict == XLI_FAILED && by_name)) {
        XL_TRY(try_file(ctx, kernels, by_name, &verdict));
        if (verdict != XLI_UNTRIED)
            xli_context_set_verdict(ctx, kernels, verdict);
    }
    *good = verdict == XLI_PASSED;
done:
    return status;
}

/* SPDX-License-Identifier: MIT
 * A benchmark of arrays. */
#include "bench_job.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_result(const bench_part *p, int i)
{
    return i >= p->results_begin && i < p->host_begin;
}

static bool make_hosts(bench_job *j)
{
    for (int i = 0; i < j->part->device_begin; ++i)
        if (j->size[i] > 0 && !(j->host[i] = calloc(1, j->size[i])))
            return false;
    j->part->fill(j);
    return true;
}

/* Results hold 0xA5 before the call, so that one that is not written is found. */
static bool make_buffer(bench *b, bench_job *j, int i)
{
    const cl_uchar unwritten = 0xA5;
    const bool is_input = i < j->part->results_begin;
    if (j->in_place && i == j->part->results_begin) {
        j->mem[i] = j->mem[0];
        return clRetainMemObject(j->mem[i]) == CL_SUCCESS;
    }
    j->mem[i] = bench_buffer(b, j->size[i], is_input ? j->host[i] : NULL);
    return j->mem[i] &&
           (!is_result(j->part, i) || clEnqueueFillBuffer(b->queue, j->mem[i], &unwritten, 1, 0,
                                                          j->size[i], 0, NULL, NULL) == CL_SUCCESS);
}

static xl_status make_arrays(bench *b, bench_job *j)
{
    if (!make_hosts(j))
        return XL_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < JOB_ARRAYS; ++i) {
        const bool host_only = i >= j->part->host_begin && i < j->part->device_begin;
        if (j->size[i] > 0 && !host_only && !make_buffer(b, j, i))
            return XL_ERROR_OUT_OF_MEMORY;
    }
    return XL_SUCCESS;
}

static xl_status call_and_read(bench *b, bench_job *j)
{
    const xl_status status = j->part->enqueue(b, j, NULL);
    for (int i = 0; i < JOB_ARRAYS && status == XL_SUCCESS; ++i)
        if (is_result(j->part, i) && j->mem[i] &&
            clEnqueueReadBuffer(b->queue, j->mem[i], CL_TRUE, 0, j->size[i], j->host[i], 0, NULL,
                                NULL) != CL_SUCCESS)
            return XL_ERROR_OPENCL;
    return status;
}

static void end_job(bench_job *j)
{
    for (int i = 0; i < JOB_ARRAYS; ++i) {
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
        free(j->host[i]);
    }
    xl_plan_destroy(j->plan);
}

/* False: the device does not support this row, and no other size is tried. */
static bool run_size(bench *b, const bench_part *part, const void *kind, const char *variant,
                     size_t n)
{
    bench_job j = {.part = part, .kind = kind, .variant = variant, .n = n};
    const char *why = NULL;
    xl_status status = part->create(b, &j);
    const bool left_out = part->left_out_if_unsupported && status == XL_ERROR_UNSUPPORTED;
    if (left_out)
        printf("%-6s %-44s left out: %s\n", part->name, variant, xl_context_error(b->ctx));
    if (status == XL_SUCCESS)
        status = make_arrays(b, &j);
    if (status == XL_SUCCESS)
        status = call_and_read(b, &j);
    if (status == XL_SUCCESS)
        why = part->fault(&j);
    if (!left_out && bench_right(b, part->name, variant, n, status, why)) {
        (void)bench_case(b, part->name, variant, n, j.bytes, part->enqueue, &j);
        if (part->peer)
            part->peer(b, &j);
    }
    end_job(&j);
    return !left_out;
}

void bench_job_run_size(bench *b, const bench_part *part, const void *kind, const char *variant,
                        size_t n)
{
    if (n >= b->options->min_n && bench_wants(b, variant))
        (void)run_size(b, part, kind, variant, n);
}

void bench_job_run(bench *b, const bench_part *part, const void *kind, const char *variant,
                   uint32_t sizes)
{
    bool going = bench_wants(b, variant);
    for (size_t k = 0; going && k < 32 && (size_t)1 << k <= b->max_n; ++k)
        if ((sizes >> k & 1) != 0 && (size_t)1 << k >= b->options->min_n)
            going = run_size(b, part, kind, variant, (size_t)1 << k);
}

uint32_t bench_sizes_for(const bench *b, uint32_t sizes)
{
    return (b->info.device_type & CL_DEVICE_TYPE_CPU) ? sizes & (BENCH_SIZE(25) - 1) : sizes;
}

void bench_job_std(bench *b, const bench_job *j, const char *program, const char *why, double ms)
{
    if (why)
        bench_host_wrong(b, program, j->part->name, j->variant, j->n, why);
    else
        bench_host_case(b, program, j->part->name, j->variant, j->n, j->bytes, ms);
}

/* SPDX-License-Identifier: MIT
 * The yardstick: kernels that copy a buffer, in the form that suits a GPU and in
 * the one that suits a CPU, and the driver's own copy. */
#include "bench.h"

#include <stdio.h>

enum { GROUP = 256, CHUNK = 4096 /* uint4 per work-item of the chunked form: 64 KiB */ };

static const char source[] =
    "__kernel void copy_vectors(const __global uint4 *in, __global uint4 *out, ulong n)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        out[i] = in[i];\n"
    "}\n"
    "__kernel void copy_chunks(const __global uint4 *in, __global uint4 *out, ulong n)\n"
    "{\n"
    "    const ulong end = min(n, (get_global_id(0) + 1) * 4096);\n"
    "    for (ulong i = get_global_id(0) * 4096; i < end; ++i)\n"
    "        out[i] = in[i];\n"
    "}\n";

typedef struct copier {
    cl_mem in, out;
    cl_kernel kernel; /* NULL: the driver's copy */
    size_t global, local, bytes;
} copier;

static xl_status enqueue(bench *b, void *user, cl_event *event)
{
    const copier *c = user;
    cl_int code;
    if (c->kernel)
        code = clEnqueueNDRangeKernel(b->queue, c->kernel, 1, NULL, &c->global, &c->local, 0, NULL,
                                      event);
    else
        code = clEnqueueCopyBuffer(b->queue, c->in, c->out, 0, 0, c->bytes, 0, NULL, event);
    return code == CL_SUCCESS ? XL_SUCCESS : XL_ERROR_OPENCL;
}

static void set_kernel(copier *c, cl_program program, const char *name, size_t items, size_t local)
{
    const cl_ulong vectors = c->bytes / 16;
    cl_int code;
    c->kernel = clCreateKernel(program, name, &code);
    if (!c->kernel)
        return;
    c->local = local;
    c->global = (items + local - 1) / local * local;
    clSetKernelArg(c->kernel, 0, sizeof c->in, &c->in);
    clSetKernelArg(c->kernel, 1, sizeof c->out, &c->out);
    clSetKernelArg(c->kernel, 2, sizeof vectors, &vectors);
}

static void run_kernel(bench *b, copier *c, cl_program program, const char *name,
                       const char *variant, size_t items, size_t local)
{
    set_kernel(c, program, name, items, local);
    if (c->kernel) {
        (void)bench_case(b, "copy", variant, c->bytes / 4, 2.0 * (double)c->bytes, enqueue, c);
        clReleaseKernel(c->kernel);
    }
    c->kernel = NULL;
}

/* All copies of n 4-byte elements. */
static void run_size(bench *b, cl_program program, size_t n)
{
    cl_context cl = xl_context_cl(b->ctx);
    cl_int code;
    const cl_uint zero = 0;
    copier c = {.bytes = 4 * n};
    c.in = clCreateBuffer(cl, CL_MEM_READ_WRITE, c.bytes, NULL, &code);
    c.out = clCreateBuffer(cl, CL_MEM_READ_WRITE, c.bytes, NULL, &code);
    if (c.in && c.out) {
        clEnqueueFillBuffer(b->queue, c.in, &zero, sizeof zero, 0, c.bytes, 0, NULL, NULL);
        clEnqueueFillBuffer(b->queue, c.out, &zero, sizeof zero, 0, c.bytes, 0, NULL, NULL);
        const size_t local =
            b->info.max_work_group_size < GROUP ? b->info.max_work_group_size : GROUP;
        run_kernel(b, &c, program, "copy_vectors", "kernel, a vector each", n / 4, local);
        if (b->info.device_type & CL_DEVICE_TYPE_CPU)
            run_kernel(b, &c, program, "copy_chunks", "kernel, 64 KiB each",
                       (n / 4 + CHUNK - 1) / CHUNK, 1);
        (void)bench_case(b, "copy", "clEnqueueCopyBuffer", n, 2.0 * (double)c.bytes, enqueue, &c);
    }
    if (c.in)
        clReleaseMemObject(c.in);
    if (c.out)
        clReleaseMemObject(c.out);
}

static cl_program build(bench *b)
{
    cl_int code;
    const char *text = source;
    cl_device_id device = xl_context_device(b->ctx);
    cl_program program = clCreateProgramWithSource(xl_context_cl(b->ctx), 1, &text, NULL, &code);
    if (program && clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        clReleaseProgram(program);
        program = NULL;
    }
    return program;
}

void bench_copy_size(bench *b, size_t n)
{
    cl_program program = build(b);
    if (!program)
        return;
    run_size(b, program, n);
    clReleaseProgram(program);
}

void bench_copy(bench *b)
{
    for (size_t n = 1024; n <= b->max_n; n *= 4)
        (void)bench_copy_ms(b, 8.0 * (double)n);
}

/* SPDX-License-Identifier: MIT
 * One process of the measurement of first use: the driver's start, then the library's. */
#include "bench_first.h"

#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* ---- which device ------------------------------------------------------------------------------- */

typedef struct place {
    cl_device_id device;
    unsigned numbers[2];
} place;

static void find(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                 cl_device_id did)
{
    place *const p = user;
    (void)pid;
    if (did == p->device) {
        p->numbers[0] = platform;
        p->numbers[1] = device;
    }
}

/* The device that the library chooses, and whether it has double precision. */
static int print_device(void)
{
    xl_context *ctx;
    xl_device_info info;
    if (xl_context_create(NULL, &ctx) != XL_SUCCESS ||
        xl_context_device_info(ctx, &info) != XL_SUCCESS) {
        printf("%s\n", xl_context_error(NULL));
        return 1;
    }
    place p = {.device = xl_context_device(ctx)};
    xl_devices_each(find, &p);
    printf("%u:%u %u\n", p.numbers[0], p.numbers[1], (unsigned)info.has_fp64);
    xl_context_destroy(ctx);
    return 0;
}

/* ---- the driver's start ------------------------------------------------------------------------- */

typedef struct driver {
    cl_device_id device;
    cl_context ctx;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem mem;
} driver;

static bool choose(const char *numbers, cl_platform_id *platform, cl_device_id *device)
{
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint count = 0;
    unsigned p, d;
    if (sscanf(numbers, "%u:%u", &p, &d) != 2 || p >= MOST || d >= MOST ||
        clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS || p >= count ||
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &count) != CL_SUCCESS ||
        d >= count)
        return false;
    *platform = platforms[p];
    *device = devices[d];
    return true;
}

/* Platforms, context, queue, and one program with one kernel, built and run. */
static bool start(const char *numbers, driver *d)
{
    const char *text = "__kernel void one(__global uint *x) { x[get_global_id(0)] = 1; }\n";
    const size_t items = 64;
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    if (!choose(numbers, &platform, &device))
        return false;
    d->device = device;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    d->ctx = clCreateContext(properties, 1, &device, NULL, NULL, &code);
    d->queue = d->ctx ? clCreateCommandQueueWithProperties(d->ctx, device, NULL, &code) : NULL;
    d->program = d->queue ? clCreateProgramWithSource(d->ctx, 1, &text, NULL, &code) : NULL;
    if (!d->program || clBuildProgram(d->program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return false;
    d->kernel = clCreateKernel(d->program, "one", &code);
    d->mem = clCreateBuffer(d->ctx, CL_MEM_READ_WRITE, 4 * items, NULL, &code);
    return d->kernel && d->mem &&
           clSetKernelArg(d->kernel, 0, sizeof d->mem, &d->mem) == CL_SUCCESS &&
           clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &items, NULL, 0, NULL, NULL) ==
               CL_SUCCESS &&
           clFinish(d->queue) == CL_SUCCESS;
}

static void stop(driver *d)
{
    if (d->mem)
        clReleaseMemObject(d->mem);
    if (d->kernel)
        clReleaseKernel(d->kernel);
    if (d->program)
        clReleaseProgram(d->program);
    if (d->queue)
        clReleaseCommandQueue(d->queue);
    if (d->ctx)
        clReleaseContext(d->ctx);
}

/* ---- the library's ------------------------------------------------------------------------------ */

static void count_programs(const xl_context *ctx, first_times *times)
{
    for (const xli_program *p = ctx->programs; p; p = p->next) {
        size_t kernels = 0;
        clGetProgramInfo(p->cl, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL);
        ++times->programs;
        times->kernels += (unsigned)kernels;
    }
}

/* In the driver's context, whose making is a part of its start. */
static xl_status run(const first_case *c, const driver *d, first_use *use, first_times *times)
{
    const double begin = bench_now();
    xl_status status = xl_context_adopt(d->ctx, d->device, NULL, &use->ctx);
    if (status == XL_SUCCESS) {
        use->queue = xl_context_queue(use->ctx);
        status = use->queue ? c->create(use->ctx, use->plans) : XL_ERROR_OPENCL;
    }
    if (status == XL_SUCCESS)
        status = c->call(use);
    if (status == XL_SUCCESS && clFinish(use->queue) != CL_SUCCESS)
        status = XL_ERROR_OPENCL;
    times->library_ms = 1e3 * (bench_now() - begin);
    return status;
}

static xl_status create_again(const first_case *c, const first_use *use, first_times *times)
{
    xl_plan *plans[FIRST_PLANS] = {NULL};
    const double begin = bench_now();
    const xl_status status = c->create(use->ctx, plans);
    times->again_ms = 1e3 * (bench_now() - begin);
    first_end_plans(plans);
    return status;
}

static int measure(const first_case *c, const char *numbers)
{
    first_times times = {0};
    driver d = {0};
    const char *why = NULL;
    first_use use = {.host = first_input(c)};
    const double begin = bench_now();
    xl_status status = XL_SUCCESS;
    if (!use.host || !start(numbers, &d))
        why = "the driver does not run a kernel";
    times.driver_ms = 1e3 * (bench_now() - begin);
    if (!why)
        status = run(c, &d, &use, &times);
    if (!why && status == XL_SUCCESS) {
        count_programs(use.ctx, &times);
        status = create_again(c, &use, &times);
    }
    if (!why && status == XL_SUCCESS)
        why = c->fault(&use);
    if (status == XL_ERROR_UNSUPPORTED)
        puts(FIRST_UNSUPPORTED);
    else if (why || status != XL_SUCCESS)
        printf("%s\n", why ? why : xl_context_error(use.ctx));
    else
        printf("%.3f %.3f %.4f %u %u\n", times.driver_ms, times.library_ms, times.again_ms,
               times.programs, times.kernels);
    first_end(&use);
    xl_context_destroy(use.ctx);
    stop(&d);
    free(use.host);
    return why || status != XL_SUCCESS;
}

int first_child(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[2], "device") == 0)
        return print_device();
    for (size_t k = 0; argc == 4 && k < first_num_cases; ++k)
        if (strcmp(argv[2], first_cases[k].name) == 0)
            return measure(&first_cases[k], argv[3]);
    return 2;
}

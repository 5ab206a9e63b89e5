/* SPDX-License-Identifier: MIT
 * An OpenCL layer (OPENCL_LAYERS) that makes one call fail or one array come back wrong,
 * and counts the objects that are held. It wraps the calls the library makes; others pass
 * through.
 *
 * A program that knows nothing of it is told what to do by the environment:
 *   XLT_FLIP=READ[+][:WORD[:MASK]]  flips the bits of MASK (hexadecimal; all) in a word (0;
 *                                   below 0: from the end) of the READ-th array that is read
 *                                   back, with + of every later one too
 *   XLT_READS=FILE                  gets a line for each read: how many bytes */
#define _GNU_SOURCE
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "faults.h"

#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT xlt_fault_state xlt_faults = {.flip_mask = ~0u};
EXPORT xlt_step_log xlt_steps;
static const cl_icd_dispatch *below;
static cl_icd_dispatch table;

/* Several threads may hold and let go at once. */
#define HELD(counter, by) __atomic_fetch_add(&xlt_faults.counter, (by), __ATOMIC_RELAXED)

static bool struck(const char *name)
{
    if (xlt_faults.only && strcmp(xlt_faults.only, name) != 0)
        return false;
    if (!xlt_faults.counting || ++xlt_faults.calls != xlt_faults.strike_at)
        return false;
    xlt_faults.struck = name;
    return true;
}

/* Calls that return their code. */
#define CALL(name, params, args)                                                                   \
    static cl_int CL_API_CALL name##_(params)                                                      \
    {                                                                                              \
        return struck(#name) ? xlt_faults.code : below->name(args);                                \
    }
/* Calls that may make an event; every one has the last parameter `event`. */
#define ENQUEUE(name, params, args)                                                                \
    static cl_int CL_API_CALL name##_(params)                                                      \
    {                                                                                              \
        cl_int code = struck(#name) ? xlt_faults.code : below->name(args);                         \
        HELD(events, code == CL_SUCCESS && event);                                                 \
        return code;                                                                               \
    }
/* Calls that make an object; every one has the last parameter `code`. */
#define CREATE(type, counter, name, params, args)                                                  \
    static type CL_API_CALL name##_(params)                                                        \
    {                                                                                              \
        if (struck(#name)) {                                                                       \
            if (code)                                                                              \
                *code = xlt_faults.code;                                                           \
            return NULL;                                                                           \
        }                                                                                          \
        type made = below->name(args);                                                             \
        HELD(counter, made != NULL);                                                               \
        return made;                                                                               \
    }
/* A retain may fail like any call; a release never does. */
#define COUNTED(type, counter, retain, release)                                                    \
    static cl_int CL_API_CALL retain##_(type object)                                               \
    {                                                                                              \
        cl_int code = struck(#retain) ? xlt_faults.code : below->retain(object);                   \
        HELD(counter, code == CL_SUCCESS);                                                         \
        return code;                                                                               \
    }                                                                                              \
    static cl_int CL_API_CALL release##_(type object)                                              \
    {                                                                                              \
        HELD(counter, -1);                                                                         \
        return below->release(object);                                                             \
    }
#define P(...) __VA_ARGS__

/* clang-format off */
COUNTED(cl_device_id, devices, clRetainDevice, clReleaseDevice)
COUNTED(cl_context, contexts, clRetainContext, clReleaseContext)
COUNTED(cl_command_queue, queues, clRetainCommandQueue, clReleaseCommandQueue)
COUNTED(cl_mem, buffers, clRetainMemObject, clReleaseMemObject)
COUNTED(cl_program, programs, clRetainProgram, clReleaseProgram)
COUNTED(cl_kernel, kernels, clRetainKernel, clReleaseKernel)
COUNTED(cl_event, events, clRetainEvent, clReleaseEvent)

CALL(clGetPlatformInfo, P(cl_platform_id o, cl_platform_info w, size_t n, void *v, size_t *r), P(o, w, n, v, r))
CALL(clGetDeviceIDs, P(cl_platform_id o, cl_device_type t, cl_uint n, cl_device_id *v, cl_uint *r), P(o, t, n, v, r))
CALL(clGetDeviceInfo, P(cl_device_id o, cl_device_info w, size_t n, void *v, size_t *r), P(o, w, n, v, r))
CALL(clGetContextInfo, P(cl_context o, cl_context_info w, size_t n, void *v, size_t *r), P(o, w, n, v, r))
CALL(clGetCommandQueueInfo, P(cl_command_queue o, cl_command_queue_info w, size_t n, void *v, size_t *r), P(o, w, n, v, r))
CALL(clGetMemObjectInfo, P(cl_mem o, cl_mem_info w, size_t n, void *v, size_t *r), P(o, w, n, v, r))
CALL(clGetEventInfo, P(cl_event o, cl_event_info w, size_t n, void *v, size_t *r), P(o, w, n, v, r))
CALL(clGetProgramInfo, P(cl_program o, cl_program_info w, size_t n, void *v, size_t *r), P(o, w, n, v, r))
CALL(clGetProgramBuildInfo, P(cl_program o, cl_device_id d, cl_program_build_info w, size_t n, void *v, size_t *r), P(o, d, w, n, v, r))
CALL(clGetKernelSubGroupInfo, P(cl_kernel o, cl_device_id d, cl_kernel_sub_group_info w, size_t m, const void *u, size_t n, void *v, size_t *r), P(o, d, w, m, u, n, v, r))
CALL(clBuildProgram, P(cl_program o, cl_uint n, const cl_device_id *d, const char *t, void (CL_CALLBACK *f)(cl_program, void *), void *u), P(o, n, d, t, f, u))
CALL(clCompileProgram, P(cl_program o, cl_uint n, const cl_device_id *d, const char *t, cl_uint m, const cl_program *h, const char **s, void (CL_CALLBACK *f)(cl_program, void *), void *u), P(o, n, d, t, m, h, s, f, u))
CALL(clFinish, P(cl_command_queue o), P(o))
CALL(clFlush, P(cl_command_queue o), P(o))
CALL(clWaitForEvents, P(cl_uint n, const cl_event *e), P(n, e))

ENQUEUE(clEnqueueWriteBuffer, P(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *p, cl_uint n, const cl_event *w, cl_event *event), P(q, m, b, o, s, p, n, w, event))
ENQUEUE(clEnqueueCopyBuffer, P(cl_command_queue q, cl_mem x, cl_mem y, size_t a, size_t b, size_t s, cl_uint n, const cl_event *w, cl_event *event), P(q, x, y, a, b, s, n, w, event))
ENQUEUE(clEnqueueFillBuffer, P(cl_command_queue q, cl_mem m, const void *p, size_t z, size_t o, size_t s, cl_uint n, const cl_event *w, cl_event *event), P(q, m, p, z, o, s, n, w, event))
ENQUEUE(clEnqueueMarkerWithWaitList, P(cl_command_queue q, cl_uint n, const cl_event *w, cl_event *event), P(q, n, w, event))

CREATE(cl_context, contexts, clCreateContext, P(const cl_context_properties *p, cl_uint n, const cl_device_id *d, void (CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u, cl_int *code), P(p, n, d, f, u, code))
CREATE(cl_command_queue, queues, clCreateCommandQueue, P(cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *code), P(c, d, p, code))
CREATE(cl_command_queue, queues, clCreateCommandQueueWithProperties, P(cl_context c, cl_device_id d, const cl_queue_properties *p, cl_int *code), P(c, d, p, code))
CREATE(cl_mem, buffers, clCreateBuffer, P(cl_context c, cl_mem_flags f, size_t n, void *h, cl_int *code), P(c, f, n, h, code))
CREATE(cl_program, programs, clCreateProgramWithSource, P(cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *code), P(c, n, s, l, code))
CREATE(cl_program, programs, clCreateProgramWithBinary, P(cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b, cl_int *each, cl_int *code), P(c, n, d, l, b, each, code))
CREATE(cl_event, events, clCreateUserEvent, P(cl_context c, cl_int *code), P(c, code))
CREATE(cl_kernel, kernels, clCreateKernel, P(cl_program p, const char *n, cl_int *code), P(p, n, code))
/* clang-format on */

static void note_step(cl_kernel kernel, bool launch)
{
    const unsigned at = __atomic_fetch_add(&xlt_steps.used, 1, __ATOMIC_RELAXED);
    if (at < XLT_STEPS)
        xlt_steps.steps[at] = (xlt_step){kernel, (unsigned long)pthread_self(), launch};
}

static cl_int CL_API_CALL clSetKernelArg_(cl_kernel kernel, cl_uint i, size_t bytes,
                                          const void *value)
{
    note_step(kernel, false);
    const cl_int code =
        struck("clSetKernelArg") ? xlt_faults.code : below->clSetKernelArg(kernel, i, bytes, value);
    if (xlt_faults.delay_us > 0)
        usleep(xlt_faults.delay_us);
    return code;
}

static cl_int CL_API_CALL clEnqueueNDRangeKernel_(cl_command_queue queue, cl_kernel kernel,
                                                  cl_uint dimensions, const size_t *offset,
                                                  const size_t *global, const size_t *local,
                                                  cl_uint num_waits, const cl_event *waits,
                                                  cl_event *event)
{
    note_step(kernel, true);
    HELD(launches, 1);
    const cl_int code = struck("clEnqueueNDRangeKernel")
                            ? xlt_faults.code
                            : below->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset,
                                                            global, local, num_waits, waits, event);
    HELD(events, code == CL_SUCCESS && event);
    return code;
}

/* ---- arrays that come back wrong ---------------------------------------------------- */

static const char *reads_file;

static bool flips(size_t bytes)
{
    FILE *file = reads_file && xlt_faults.counting ? fopen(reads_file, "a") : NULL;
    if (file) {
        fprintf(file, "%zu\n", bytes);
        fclose(file);
    }
    if (!xlt_faults.counting || bytes == 0)
        return false;
    ++xlt_faults.reads;
    if (xlt_faults.flip_at == 0 || xlt_faults.reads < xlt_faults.flip_at)
        return false;
    return xlt_faults.flip_on || xlt_faults.reads == xlt_faults.flip_at;
}

/* A rest that is shorter than a word is flipped whole. */
static void flip(unsigned char *data, size_t bytes)
{
    const size_t words = (bytes + 3) / 4, back = (size_t)-xlt_faults.flip_word;
    const size_t word = xlt_faults.flip_word >= 0 ? (size_t)xlt_faults.flip_word
                        : back < words            ? words - back
                                                  : 0;
    for (size_t i = 0; i < 4 && 4 * word + i < bytes; ++i)
        data[4 * word + i] ^= (unsigned char)(xlt_faults.flip_mask >> 8 * i);
    ++xlt_faults.flipped;
}

static cl_int CL_API_CALL clEnqueueReadBuffer_(cl_command_queue queue, cl_mem from,
                                               cl_bool blocking, size_t offset, size_t bytes,
                                               void *to, cl_uint num_waits, const cl_event *waits,
                                               cl_event *event)
{
    if (struck("clEnqueueReadBuffer"))
        return xlt_faults.code;
    const bool wrong = flips(bytes);
    const cl_int code = below->clEnqueueReadBuffer(queue, from, wrong ? CL_TRUE : blocking, offset,
                                                   bytes, to, num_waits, waits, event);
    HELD(events, code == CL_SUCCESS && event);
    if (wrong && code == CL_SUCCESS)
        flip(to, bytes);
    return code;
}

static void read_environment(void)
{
    const char *text = getenv("XLT_FLIP");
    char *end = NULL;
    reads_file = getenv("XLT_READS");
    xlt_faults.counting = xlt_faults.counting || reads_file || text;
    if (!text)
        return;
    xlt_faults.flip_at = (unsigned)strtoul(text, &end, 10);
    xlt_faults.flip_on = *end == '+';
    end += *end == '+';
    if (*end == ':')
        xlt_faults.flip_word = strtol(end + 1, &end, 10);
    if (*end == ':')
        xlt_faults.flip_mask = (unsigned)strtoul(end + 1, &end, 16);
}

static cl_int CL_API_CALL clCreateKernelsInProgram_(cl_program program, cl_uint room,
                                                    cl_kernel *kernels, cl_uint *count)
{
    cl_uint made = 0;
    cl_int code = struck("clCreateKernelsInProgram")
                      ? xlt_faults.code
                      : below->clCreateKernelsInProgram(program, room, kernels, &made);
    HELD(kernels, code == CL_SUCCESS && kernels ? (long)made : 0);
    if (count)
        *count = made;
    return code;
}

static cl_int CL_API_CALL clGetKernelWorkGroupInfo_(cl_kernel kernel, cl_device_id device,
                                                    cl_kernel_work_group_info what, size_t bytes,
                                                    void *to, size_t *used)
{
    if (struck("clGetKernelWorkGroupInfo"))
        return xlt_faults.code;
    const cl_int code = below->clGetKernelWorkGroupInfo(kernel, device, what, bytes, to, used);
    if (code == CL_SUCCESS && xlt_faults.no_groups && what == CL_KERNEL_WORK_GROUP_SIZE && to)
        memset(to, 0, sizeof(size_t));
    return code;
}

static cl_int CL_API_CALL clGetPlatformIDs_(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    return struck("clGetPlatformIDs") ? xlt_faults.code
                                      : below->clGetPlatformIDs(room, platforms, count);
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t bytes, void *to,
                                                      size_t *used)
{
    static const char name[] = "crosslane faults";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = what == CL_LAYER_NAME ? (const void *)name : &version;
    size_t size = what == CL_LAYER_NAME ? sizeof name : sizeof version;
    if (what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION)
        return CL_INVALID_VALUE;
    if (to && bytes < size)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, from, size);
    if (used)
        *used = size;
    return CL_SUCCESS;
}

#define WRAP(name) table.name = name##_

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                                   cl_uint *entries_used,
                                                   const cl_icd_dispatch **layer)
{
    const cl_uint known = sizeof table / sizeof(void *);
    below = target;
    read_environment();
    memcpy(&table, target, (entries < known ? entries : known) * sizeof(void *));
    /* clang-format off */
    WRAP(clRetainDevice); WRAP(clReleaseDevice); WRAP(clRetainContext); WRAP(clReleaseContext);
    WRAP(clRetainCommandQueue); WRAP(clReleaseCommandQueue);
    WRAP(clRetainMemObject); WRAP(clReleaseMemObject); WRAP(clRetainProgram); WRAP(clReleaseProgram);
    WRAP(clRetainKernel); WRAP(clReleaseKernel); WRAP(clRetainEvent); WRAP(clReleaseEvent);
    WRAP(clGetPlatformIDs); WRAP(clGetPlatformInfo); WRAP(clGetDeviceIDs); WRAP(clGetDeviceInfo);
    WRAP(clGetContextInfo); WRAP(clGetCommandQueueInfo); WRAP(clGetMemObjectInfo);
    WRAP(clGetEventInfo); WRAP(clGetProgramInfo); WRAP(clGetProgramBuildInfo);
    WRAP(clGetKernelWorkGroupInfo); WRAP(clGetKernelSubGroupInfo); WRAP(clBuildProgram);
    WRAP(clCompileProgram);
    WRAP(clSetKernelArg); WRAP(clFinish); WRAP(clFlush); WRAP(clWaitForEvents);
    WRAP(clEnqueueNDRangeKernel); WRAP(clEnqueueReadBuffer); WRAP(clEnqueueWriteBuffer);
    WRAP(clEnqueueCopyBuffer); WRAP(clEnqueueFillBuffer); WRAP(clEnqueueMarkerWithWaitList);
    WRAP(clCreateContext); WRAP(clCreateCommandQueue); WRAP(clCreateCommandQueueWithProperties);
    WRAP(clCreateBuffer); WRAP(clCreateProgramWithSource); WRAP(clCreateProgramWithBinary);
    WRAP(clCreateKernel); WRAP(clCreateKernelsInProgram); WRAP(clCreateUserEvent);
    /* clang-format on */
    *layer = &table;
    *entries_used = known;
    return CL_SUCCESS;
}

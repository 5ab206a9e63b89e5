/* SPDX-License-Identifier: MIT
 * Loaded before a program's libraries (LD_PRELOAD), in front of any loader or driver of OpenCL:
 * counts the programs that the process builds from source and the processor time that this takes.
 * At exit it adds a line "PROGRAMS SECONDS NAME" to the file that XLT_BUILDS names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

typedef void(CL_CALLBACK *callback)(cl_program, void *);
typedef cl_int (*build_call)(cl_program, cl_uint, const cl_device_id *, const char *, callback,
                             void *);
typedef cl_int (*compile_call)(cl_program, cl_uint, const cl_device_id *, const char *, cl_uint,
                               const cl_program *, const char **, callback, void *);

static atomic_ulong programs, microseconds;

/* Time of the process, because some drivers compile in other threads than the caller's. */
static unsigned long processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (unsigned long)t.tv_sec * 1000000 + (unsigned long)t.tv_nsec / 1000;
}

/* ISO C knows no conversion of an address to a function. A program that loads OpenCL at run time,
 * such as Python, has no next function. */
static void find_next(const char *name, void *call)
{
    void *address = dlsym(RTLD_NEXT, name);
    void *const loaded = address ? NULL : dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (loaded)
        address = dlsym(loaded, name);
    memcpy(call, &address, sizeof address);
}

static bool has_source(cl_program program)
{
    size_t bytes = 0;
    cl_int (*get_info)(cl_program, cl_program_info, size_t, void *, size_t *);
    find_next("clGetProgramInfo", &get_info);
    return get_info && get_info(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes) == CL_SUCCESS &&
           bytes > 1;
}

static void count(cl_program program, unsigned long start)
{
    programs += has_source(program);
    microseconds += processor_time() - start;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                      const char *options, callback done, void *data)
{
    build_call next;
    find_next("clBuildProgram", &next);
    const unsigned long start = processor_time();
    const cl_int code = next(program, n, devices, options, done, data);
    count(program, start);
    return code;
}

cl_int clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                        const char *options, cl_uint num_headers, const cl_program *headers,
                        const char **names, callback done, void *data)
{
    compile_call next;
    find_next("clCompileProgram", &next);
    const unsigned long start = processor_time();
    const cl_int code = next(program, n, devices, options, num_headers, headers, names, done, data);
    count(program, start);
    return code;
}

static void forget(void)
{
    programs = microseconds = 0;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_atfork(NULL, NULL, forget);
}

__attribute__((destructor)) static void end(void)
{
    char line[128];
    const char *path = getenv("XLT_BUILDS");
    const int length = snprintf(line, sizeof line, "%lu %.3f %s\n", programs,
                                (double)microseconds / 1e6, program_invocation_short_name);
    const int file = path && programs > 0 ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file >= 0 && write(file, line, (size_t)length) != length)
        perror(path);
    if (file >= 0)
        close(file);
}

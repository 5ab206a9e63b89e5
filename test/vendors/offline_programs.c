/* SPDX-License-Identifier: MIT
 * Builds programs by AMD's OpenCL for GPUs that are not there, which it lists as offline devices
 * (CL_CONTEXT_OFFLINE_DEVICES_AMD). Nothing runs.
 *
 *   offline_programs               the names of these devices
 *   offline_programs GPU FILE...   builds each file: a line "built FILE", or "FAILED FILE" and the
 *                                  first lines of the log. Exits with 1 if one failed. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#endif
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OFFLINE_DEVICES_AMD = 0x403F, MOST_DEVICES = 256 };

/* All devices of the first platform, present or not. */
static cl_context open_context(void)
{
    cl_platform_id platform;
    cl_int code = clGetPlatformIDs(1, &platform, NULL);
    if (code != CL_SUCCESS)
        return fprintf(stderr, "error: no OpenCL platform (%d)\n", (int)code), NULL;
    const cl_context_properties wish[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                          OFFLINE_DEVICES_AMD, 1, 0};
    cl_context context = clCreateContextFromType(wish, CL_DEVICE_TYPE_ALL, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        fprintf(stderr, "error: no context of offline devices (%d)\n", (int)code);
    return context;
}

/* "gfx90a" also matches "gfx90a:sramecc+:xnack-". */
static int is_named(cl_device_id device, const char *wanted)
{
    char name[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    if (!wanted)
        return puts(name), 0;
    const size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && (name[length] == '\0' || name[length] == ':');
}

/* The device of that name; without one prints all names. */
static cl_device_id find_device(cl_context context, const char *wanted)
{
    cl_device_id devices[MOST_DEVICES];
    size_t bytes = 0;
    if (clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes) !=
        CL_SUCCESS)
        return NULL;
    for (size_t i = 0; i < bytes / sizeof *devices; ++i)
        if (is_named(devices[i], wanted))
            return devices[i];
    return NULL;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long bytes = ftell(file);
        text = bytes >= 0 ? calloc(1, (size_t)bytes + 1) : NULL;
        rewind(file);
        if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

static void print_log(cl_program program, cl_device_id device)
{
    enum { SHOWN = 2000 };
    size_t bytes = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(1, bytes + 1);
    if (log) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
        printf("%.*s\n", (int)SHOWN, log);
    }
    free(log);
}

/* 1 if it does not build. */
static int build(cl_context context, cl_device_id device, const char *path)
{
    cl_int code;
    char *text = read_text(path);
    const char *const texts[] = {text};
    if (!text)
        return printf("FAILED %s: cannot be read\n", path), 1;
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)texts, NULL, &code);
    free(text);
    if (code == CL_SUCCESS)
        code = clBuildProgram(program, 1, &device, "-cl-std=CL2.0 -w", NULL, NULL);
    printf(code == CL_SUCCESS ? "built %s" : "FAILED %s: ", path);
    if (code != CL_SUCCESS && program)
        print_log(program, device);
    puts("");
    fflush(stdout);
    if (program)
        clReleaseProgram(program);
    return code != CL_SUCCESS;
}

int main(int argc, char **argv)
{
    int failed = 0;
    cl_context context = open_context();
    if (!context)
        return 1;
    cl_device_id device = find_device(context, argc > 1 ? argv[1] : NULL);
    if (argc > 1 && !device)
        fprintf(stderr, "error: no device \"%s\"\n", argv[1]);
    for (int i = 2; i < argc && device; ++i)
        failed += build(context, device, argv[i]);
    clReleaseContext(context);
    return failed > 0 || (argc > 1 && !device);
}

/* SPDX-License-Identifier: MIT
 * Compiled programs on disk, and notes of self-tests that a device passed: the body of a
 * file (cache_folder.c) is the device's binary, on PoCL the bitcode, or the name of the
 * test. Whatever does not fit is a miss, and is built again. */
#include "private.h"

#include <crosslane/version.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = XLI_CACHE_HEADER };

void xli_cache_key(const xli_capabilities *capabilities, const char *options, const char *head,
                   const xli_source *source, char key[65])
{
    const xl_device_info *info = &capabilities->info;
    char vendor_id[16];
    xli_sha256 hash;
    snprintf(vendor_id, sizeof vendor_id, "%08x", (unsigned)capabilities->vendor_id);
    xli_sha256_init(&hash);
    /* The feature switches and the user's text are lines of `head`. */
    const char *const parts[] = {
        xli_cache_magic, xl_version_string(), info->platform, info->platform_version,
        info->vendor,    vendor_id,           info->name,     info->driver,
        source->name,    source->sha256,      options,        head};
    for (size_t i = 0; i < XLI_COUNT(parts); ++i)
        xli_sha256_add_text(&hash, parts[i]);
    xli_sha256_hex(&hash, key);
}

static cl_program program_of(const xl_context *ctx, const char *binary, size_t length,
                             const char *options)
{
    cl_int code, accepted = CL_INVALID_BINARY;
    const unsigned char *bytes = (const unsigned char *)binary;
    cl_program program =
        clCreateProgramWithBinary(ctx->cl, 1, &ctx->device, &length, &bytes, &accepted, &code);
    if (code != CL_SUCCESS)
        return NULL;
    if (accepted == CL_SUCCESS &&
        clBuildProgram(program, 1, &ctx->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

cl_program xli_cache_load(const xl_context *ctx, const char key[65], const char *options)
{
    size_t length = 0;
    char *file = xli_cache_read(ctx, key, &length);
    cl_program program = file ? program_of(ctx, file + HEADER, length - HEADER, options) : NULL;
    xli_free(file);
    return program;
}

static bool any_holds(const char *const texts[], size_t n, const char *word)
{
    for (size_t i = 0; i < n; ++i)
        if (strstr(texts[i], word))
            return true;
    return false;
}

/* A kernel's name is written out in the source, but where a macro pastes it together. */
bool xli_cache_fits(cl_program program, const char *const texts[], size_t n)
{
    size_t kernels = 0, bytes = 0;
    char *names = NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL) ||
        kernels == 0 || clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes))
        return false;
    names = xli_alloc(bytes + 1);
    bool fits = names && !clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, bytes, names, NULL);
    const bool pasted = any_holds(texts, n, "##");
    for (char *name = names, *next; fits && !pasted && name; name = next) {
        next = strchr(name, ';');
        if (next)
            *next++ = '\0';
        fits = any_holds(texts, n, name);
    }
    xli_free(names);
    return fits;
}

/* A note is for one device, its driver, this version of the library, and the sources of the tested
 * kernels. */
static bool pass_key(const xli_capabilities *capabilities, const char *test, char key[65])
{
    const xli_source *source = xli_source_find(test);
    char features[64];
    if (!source)
        return false;
    snprintf(features, sizeof features, "way %d, width %u, dialect %s", (int)capabilities->lane_way,
             (unsigned)capabilities->info.sub_group_size, capabilities->info.opencl_c);
    xli_cache_key(capabilities, "passed", features, source, key);
    return true;
}

bool xli_cache_has_pass(const xl_context *ctx, const xli_capabilities *capabilities,
                        const char *test)
{
    char key[65];
    size_t length = 0;
    if (!ctx->cache_dir || !pass_key(capabilities, test, key))
        return false;
    char *file = xli_cache_read(ctx, key, &length);
    const bool has = file && length - HEADER == strlen(test) + 1 &&
                     memcmp(file + HEADER, test, length - HEADER) == 0;
    xli_free(file);
    return has;
}

void xli_cache_add_pass(const xl_context *ctx, const xli_capabilities *capabilities,
                        const char *test)
{
    char key[65];
    const size_t length = strlen(test) + 1;
    if (!ctx->cache_dir || !pass_key(capabilities, test, key))
        return;
    char *file = xli_alloc(HEADER + length);
    if (file) {
        memcpy(file + HEADER, test, length);
        xli_cache_write(ctx, key, file, length);
    }
    xli_free(file);
}

/* The binary behind a header's worth of room, or NULL. A program of a context
 * with several devices has one binary for each. */
static char *binary_of(const xl_context *ctx, cl_program program, size_t *length)
{
    cl_device_id devices[64];
    size_t lengths[64] = {0}, bytes = 0;
    unsigned char *binaries[64] = {0};
    char *file = NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof lengths, lengths, NULL))
        return NULL;
    for (size_t i = 0; i < bytes / sizeof devices[0]; ++i) {
        if (devices[i] != ctx->device || lengths[i] == 0)
            continue;
        file = xli_alloc(HEADER + lengths[i]);
        *length = lengths[i];
        binaries[i] = file ? (unsigned char *)file + HEADER : NULL;
        break;
    }
    /* Exactly the size asked for: rusticl 22.3 ends the process on any other. */
    size_t list = bytes / sizeof devices[0] * sizeof binaries[0];
    if (file && clGetProgramInfo(program, CL_PROGRAM_BINARIES, list, binaries, NULL)) {
        xli_free(file);
        file = NULL;
    }
    return file;
}

/* Makes every kernel once. A driver may put off compiling until then (ARM's for Mali
 * does), and a binary fetched before would hold half the work; a start from it would
 * not be the fast one that the cache is for. */
static void finish_compiling(cl_program program)
{
    cl_kernel kernels[32];
    cl_uint count = 0;
    if (clCreateKernelsInProgram(program, XLI_COUNT(kernels), kernels, &count) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < count; ++i)
        clReleaseKernel(kernels[i]);
}

void xli_cache_store(const xl_context *ctx, const char key[65], cl_program program)
{
    size_t length = 0;
    finish_compiling(program);
    char *file = binary_of(ctx, program, &length);
    if (file)
        xli_cache_write(ctx, key, file, length);
    xli_free(file);
}

/* Finds LLVM's bitcode in the binary of a compiled object of PoCL, which is not documented:
 * it holds files, each as a word of length, name, a word of length, content. */
static const char *find_bitcode(const char *binary, size_t length, size_t *found)
{
    static const char name[] = {'\x0b', 0,   0,   0,   '/', 'p', 'r', 'o',
                                'g',    'r', 'a', 'm', '.', 'b', 'c'};
    static const char magic_number[] = {'B', 'C', '\xc0', '\xde'};
    for (size_t at = 0; at + sizeof name + 4 + sizeof magic_number <= length; ++at) {
        const char *content = binary + at + sizeof name + 4;
        uint32_t bytes;
        if (memcmp(binary + at, name, sizeof name) != 0)
            continue;
        memcpy(&bytes, content - 4, sizeof bytes);
        *found = bytes;
        return memcmp(content, magic_number, sizeof magic_number) == 0 &&
                       bytes <= length - (size_t)(content - binary)
                   ? content
                   : NULL;
    }
    return NULL;
}

void xli_cache_store_bitcode(const xl_context *ctx, const char key[65], cl_program compiled)
{
    size_t length = 0, bytes = 0;
    char *file = binary_of(ctx, compiled, &length);
    const char *bitcode = file ? find_bitcode(file + HEADER, length, &bytes) : NULL;
    if (bitcode) {
        memmove(file + HEADER, bitcode, bytes);
        xli_cache_write(ctx, key, file, bytes);
    }
    xli_free(file);
}

/* SPDX-License-Identifier: MIT
 * Workarounds for rusticl. */
#include "private.h"

#include <string.h>

static bool is_rusticl(const xli_capabilities *capabilities)
{
    return strcmp(capabilities->info.platform, "rusticl") == 0;
}

/* rusticl of Mesa 22.3 (November 2026): a clFinish() behind a clFlush() returns before the work
 * is done, and a queue that waits for an event of another waits forever if that was not
 * flushed. */
bool xli_rusticl_waits_forever(const char *platform)
{
    return strcmp(platform, "rusticl") == 0;
}

/* llvmpipe of Mesa 22.3 (November 2026) ends all loops of a work-item after 65,535 rounds in
 * total, without an error. A loop of n rounds costs n + 1 of them, nested or not; later loops go
 * one round. The eight work-items of a vector share them: each loop costs the rounds of the one
 * that needs most. Mesa 26.2 has no such limit. */
bool xli_rusticl_may_end_loops(const xli_capabilities *capabilities)
{
    return is_rusticl(capabilities);
}

/* The length of a search's loops depends on the points, so no choice of tiles limits it. */
xl_status xli_rusticl_check_loops(const xl_context *ctx, const xli_capabilities *capabilities)
{
    if (capabilities->most_rounds == SIZE_MAX)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                    "device: %s; its driver ends loops after %u rounds, and grids and searches "
                    "need more (docs/drivers.md)",
                    capabilities->info.name, 65535u);
}

/* The compiler of Mesa 22.3 (LLVM 15, November 2026) crashes if a work-item stores one byte in a
 * branch inside the loop of a serial scan, as it does for a carry_out. */
bool xli_rusticl_crashes_on_byte_carries(const xli_capabilities *capabilities)
{
    return is_rusticl(capabilities) && strncmp(capabilities->info.driver, "22.", 3) == 0;
}

static bool is_newer_llvmpipe(const xli_capabilities *capabilities)
{
    return is_rusticl(capabilities) && strncmp(capabilities->info.name, "llvmpipe", 8) == 0 &&
           strncmp(capabilities->info.driver, "22.", 3) != 0;
}

/* llvmpipe of Mesa 26.2 (LLVM 22, November 2026) has sub-groups with shuffles and ballots, unlike
 * Mesa 22.3, but its compiler crashes on a selection and on some scans that use them
 * (LLVMBuildExtractElement gets NULL). Kernels that exchange values through local memory
 * compile. */
bool xli_rusticl_crashes_on_lanes(const xli_capabilities *capabilities)
{
    return is_newer_llvmpipe(capabilities);
}

/* The same driver did not finish compiling the kernels of a radix sort by one work-item within
 * three minutes. Bitonic ones take a few seconds. */
bool xli_rusticl_compiles_no_radix(const xli_capabilities *capabilities)
{
    return is_newer_llvmpipe(capabilities);
}

/* llvmpipe of Mesa 26.2 moves a load out of an untaken branch if all work-items have the same
 * address, volatile or not: `p ? p[0] : n` ends the process if the buffer argument p is NULL. A
 * probe would end the process too. Instead of NULL a kernel gets an element of ones, of the
 * largest size. As a number of elements it is never the minimum. */
xl_status xli_rusticl_stand_in(const xl_context *ctx, const xli_capabilities *capabilities,
                               cl_mem *stand_in)
{
    enum { LARGEST = 4096 }; /* element.c */
    unsigned char ones[LARGEST];
    cl_int code = CL_SUCCESS;
    *stand_in = NULL;
    memset(ones, 0xFF, sizeof ones);
    if (is_newer_llvmpipe(capabilities))
        *stand_in = clCreateBuffer(ctx->cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof ones,
                                   ones, &code);
    return xli_cl(ctx, code, "clCreateBuffer (stand-in)");
}

/* SPDX-License-Identifier: MIT
 * A driver that ends long loops (docs/drivers.md, llvmpipe) has no grids, and therefore no
 * searches. */
#include "xlt.h"

#include <crosslane/crosslane.h>

#include <string.h>

enum { ROUNDS = 70000 };

static const char source[] = "__kernel void count(__global uint *a)\n"
                             "{\n"
                             "    uint rounds = 0;\n"
                             "    for (uint i = a[0]; i != 1u; i -= a[1])\n"
                             "        ++rounds;\n"
                             "    a[2] = rounds;\n"
                             "}\n";

/* Rounds of a loop whose form differs from the library's probe. */
static uint32_t count_rounds(void)
{
    xl_context *const ctx = xlt_context();
    uint32_t words[3] = {ROUNDS + 1, 1, 0};
    const size_t one = 1;
    cl_int code;
    cl_program program;
    XLT_OK(xl_program_create(ctx, source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "count", &code);
    XLT_CL(code);
    cl_mem buffer = xlt_mem(ctx, words, sizeof words);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    XLT_CL(
        clEnqueueReadBuffer(xlt_queue(), buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    XLT_CL(clReleaseMemObject(buffer));
    XLT_CL(clReleaseKernel(kernel));
    XLT_CL(clReleaseProgram(program));
    return words[2];
}

/* The descriptor has a mistake that is found after the driver's limit, so that nothing is
 * compiled. Plans of searches are made from that of a grid. */
XLT_TEST(grids_are_refused)
{
    xl_context *const ctx = xlt_context();
    xl_grid_desc desc;
    xl_plan *grid;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    desc.num_tunables = 1;
    const uint32_t rounds = count_rounds();
    const bool whole = rounds == ROUNDS;
    print_message("%s: %u of %u rounds\n", xlt_device(), (unsigned)rounds, (unsigned)ROUNDS);
    XLT_FAILS(xl_grid_create(ctx, &desc, &grid),
              whole ? XL_ERROR_INVALID_ARGUMENT : XL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(xl_context_error(ctx), whole ? "tunables" : "its driver ends loops"));
}

XLT_MAIN(NULL, xlt_teardown)

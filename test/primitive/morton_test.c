/* SPDX-License-Identifier: MIT
 * Morton codes by <crosslane/morton.cl> in a kernel: known ones, and others that the host makes bit
 * by bit. The cases have those of points. */
#include "reference.h"
#include "xlt.h"

#include <math.h>

static const char text[] =
    "#include <crosslane/morton.cl>\n"
    "#include <crosslane/morton.cl>\n"
    "__kernel void codes(__global const uint *in, __global ulong *out)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    uint x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];\n"
    "    out[8 * i] = xl_morton_2d(x, y);\n"
    "    out[8 * i + 1] = xl_morton_2d_wide(x, y);\n"
    "    out[8 * i + 2] = xl_morton_3d(x, y, z);\n"
    "    out[8 * i + 3] = xl_morton_3d_wide(x, y, z);\n"
    "    uint4 a = xl_morton_2d_place((uint)out[8 * i]);\n"
    "    uint4 b = xl_morton_2d_wide_place(out[8 * i + 1]);\n"
    "    uint4 c = xl_morton_3d_place((uint)out[8 * i + 2]);\n"
    "    uint4 d = xl_morton_3d_wide_place(out[8 * i + 3]);\n"
    "    out[8 * i + 4] = a.x == (x & 0xffffu) && a.y == (y & 0xffffu) && a.z == 0 ? 1 : 0;\n"
    "    out[8 * i + 5] = b.x == x && b.y == y && b.z == 0 ? 1 : 0;\n"
    "    out[8 * i + 6] = c.x == (x & 1023u) && c.y == (y & 1023u) && c.z == (z & 1023u) ? 1 : 0;\n"
    "    out[8 * i + 7] = d.x == (x & 0x1fffffu) && d.y == (y & 0x1fffffu) &&\n"
    "                     d.z == (z & 0x1fffffu) ? 1 : 0;\n"
    "}\n"
    "__kernel void cells(__global const float *in, __global uint *out)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = xl_morton_cell(in[4 * i], in[4 * i + 1], in[4 * i + 2], (uint)in[4 * i + 3]);\n"
    "}\n";

static void run(const char *name, const void *in, size_t in_bytes, size_t items, size_t out_bytes,
                void *out)
{
    cl_int code;
    cl_program program;
    XLT_OK(xl_program_create(xlt_context(), text, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, name, &code);
    XLT_CL(code);
    xlt_place(XLT_EXACT); /* the kernels know no offsets */
    xlt_buffer from = xlt_buffer_make(in, in_bytes, 1, 0),
               to = xlt_buffer_make(NULL, out_bytes, 1, 0);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof from.mem, &from.mem));
    XLT_CL(clSetKernelArg(kernel, 1, sizeof to.mem, &to.mem));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    xlt_read(&to, out);
    xlt_buffer_free(&from);
    xlt_buffer_free(&to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

XLT_TEST(codes_in_a_kernel)
{
    enum { KNOWN = 8, N = 64 };
    static const uint32_t known[KNOWN][3] = {{1, 2, 3},       {3, 2, 1},
                                             {5, 9, 1},       {1023, 1023, 1023},
                                             {1023, 0, 0},    {0x1fffff, 0x1fffff, 0x1fffff},
                                             {~0u, ~0u, ~0u}, {0x155555, 0x0AAAAA, 0x1FFFFF}};
    uint32_t in[N][3];
    uint64_t out[N][8];
    xlt_random random = {3};
    for (size_t i = 0; i < N; ++i)
        for (size_t a = 0; a < 3; ++a)
            in[i][a] = i < KNOWN ? known[i][a] : (uint32_t)xlt_next(&random);
    run("codes", in, sizeof in, N, sizeof out, out);
    assert_int_equal(out[0][2], 53);
    assert_int_equal(out[1][2], 29);
    assert_int_equal(out[2][2], 1095);
    assert_int_equal(out[3][2], 0x3fffffff);
    assert_int_equal(out[4][2], 0x09249249);
    assert_true(out[5][3] == UINT64_C(0x7fffffffffffffff));
    assert_true(out[7][3] == UINT64_C(0x5d75d75d75d75d75));
    assert_int_equal(out[0][0], 9); /* 1 and 2: bits 0 and 3 */
    assert_true(out[6][1] == UINT64_MAX);
    for (size_t i = 0; i < N; ++i) {
        assert_true(out[i][0] == ref_morton(2, 16, in[i]));
        assert_true(out[i][1] == ref_morton(2, 32, in[i]));
        assert_true(out[i][2] == ref_morton(3, 10, in[i]));
        assert_true(out[i][3] == ref_morton(3, 21, in[i]));
        for (size_t k = 4; k < 8; ++k)
            assert_int_equal(out[i][k], 1);
    }
}

/* Coordinates that are NaN, and those that no whole number holds. */
XLT_TEST(cells_in_a_kernel)
{
    static const struct {
        float x, lower, scale, bits;
        uint32_t cell;
    } cases[] = {{0, 0, 1, 10, 0},
                 {1023.5f, 0, 1, 10, 1023},
                 {1024, 0, 1, 10, 1023},
                 {-0.5f, 0, 1, 10, 0},
                 {-1e30f, 0, 1, 10, 0},
                 {1e30f, 0, 1e9f, 10, 1023},
                 {NAN, 0, 1, 10, 1023},
                 {INFINITY, 0, 1, 21, 0x1fffff},
                 {-INFINITY, 0, 1, 21, 0},
                 {4294967040.0f, 0, 1, 32, 4294967040u},
                 {4294967296.0f, 0, 1, 32, 4294967295u},
                 {-2, -2.5f, 4, 16, 2}};
    enum { N = sizeof cases / sizeof *cases };
    float in[N][4];
    uint32_t out[N];
    for (size_t i = 0; i < N; ++i) {
        in[i][0] = cases[i].x;
        in[i][1] = cases[i].lower;
        in[i][2] = cases[i].scale;
        in[i][3] = cases[i].bits;
    }
    run("cells", in, sizeof in, N, sizeof out, out);
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(out[i], cases[i].cell);
}

XLT_MAIN(NULL, xlt_teardown)

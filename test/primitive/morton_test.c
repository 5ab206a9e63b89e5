/* SPDX-License-Identifier: MIT
 * Morton codes: known ones by <crosslane/morton.cl> in a kernel, and those of points against codes
 * made bit by bit. */
#include "reference.h"
#include "xlt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- in a kernel ---------------------------------------------------------------------------- */

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
    cl_mem from = clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_COPY_HOST_PTR, in_bytes,
                                 (void *)in, &code);
    XLT_CL(code);
    cl_mem to = clCreateBuffer(xl_context_cl(xlt_context()), 0, out_bytes, NULL, &code);
    XLT_CL(code);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof from, &from));
    XLT_CL(clSetKernelArg(kernel, 1, sizeof to, &to));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), to, CL_TRUE, 0, out_bytes, out, 0, NULL, NULL));
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void codes_in_a_kernel(void **state)
{
    (void)state;
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

/* Of numbers that are none, and of those that no whole number holds. */
static void cells_in_a_kernel(void **state)
{
    (void)state;
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

/* ---- of points ------------------------------------------------------------------------------ */

typedef struct form {
    uint32_t dimensions, stride;
    bool wide;
    float lower[3], upper[3];
} form;

static float coordinate(xlt_random *random, float lower, float upper)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f};
    const uint32_t kind = xlt_below(random, 40);
    return kind < 6    ? odd[kind]
           : kind == 6 ? lower
           : kind == 7 ? upper
                       : lower + (1.4f * xlt_unit(random) - 0.2f) * (upper - lower);
}

static void check(const form *f, size_t n)
{
    const size_t bits = f->dimensions == 2 ? (f->wide ? 32 : 16) : f->wide ? 21 : 10;
    const size_t bytes = f->wide ? 8 : 4;
    const size_t scalars = n > 0 ? (n - 1) * f->stride + f->dimensions : 0;
    float *xyz = malloc((scalars + 1) * sizeof *xyz);
    unsigned char *got = malloc(n * bytes + 1);
    xl_morton_desc desc;
    xl_morton *plan;
    xlt_random random = {n + 1};
    assert_true(xyz && got);
    for (size_t i = 0; i < scalars; ++i) {
        const size_t a = i % f->stride;
        xyz[i] = a < f->dimensions ? coordinate(&random, f->lower[a], f->upper[a]) : NAN;
    }
    xl_morton_desc_init(&desc);
    desc.dimensions = f->dimensions;
    desc.stride = f->stride;
    desc.code = f->wide ? XL_U64 : XL_U32;
    memcpy(desc.lower, f->lower, sizeof desc.lower);
    memcpy(desc.upper, f->upper, sizeof desc.upper);
    XLT_OK(xl_morton_create(xlt_context(), &desc, &plan));
    xlt_buffer points = xlt_buffer_make(xyz, scalars, 4, 3),
               codes = xlt_buffer_make(NULL, n, bytes, 1);
    XLT_OK(xl_morton_enqueue(
        plan, xlt_queue(),
        &(xl_morton_args){.n = n, .points = xlt_view(&points), .codes = xlt_view(&codes)}, 0, NULL,
        NULL));
    xlt_read(&codes, got);
    for (size_t i = 0; i < n; ++i) {
        const float *p = xyz + i * f->stride;
        const uint64_t wanted = ref_morton_of(f->dimensions, bits, f->wide, f->lower, f->upper, p);
        uint64_t code = 0;
        uint32_t narrow;
        memcpy(f->wide ? (void *)&code : (void *)&narrow, got + i * bytes, bytes);
        code = f->wide ? code : narrow;
        if (code != wanted)
            XLT_FAIL("%u dimensions, %zu bits, n %zu: code %zu of (%g, %g, ...) is %llx, not %llx",
                     f->dimensions, bits, n, i, (double)p[0], (double)p[1],
                     (unsigned long long)code, (unsigned long long)wanted);
    }
    xlt_check_guards(&points, "points");
    xlt_check_guards(&codes, "codes");
    xlt_buffer_free(&points);
    xlt_buffer_free(&codes);
    xl_morton_destroy(plan);
    free(xyz);
    free(got);
}

static void codes_of_points(void **state)
{
    (void)state;
    static const form forms[] = {
        {3, 3, true, {0, 0, 0}, {1, 1, 1}},
        {3, 3, false, {-3, 10, 2}, {5, 11, 2}},
        {3, 5, true, {1e5f, -1e-3f, 0}, {1.1e5f, 1e-3f, 7}},
        {2, 2, true, {0, 0, 0}, {1, 1, 0}},
        {2, 4, false, {-1, -1, 0}, {1.5f, 1, 0}},
        {3, 3, true, {2, 2, 2}, {2, 2, 2}},
        {3, 3, false, {-1e38f, 0, 0}, {1e38f, 1, 1}},
    };
    static const size_t sizes[] = {0, 1, 2, 1025, 5000};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
            check(&forms[f], xlt_small() && sizes[i] > 1025 ? 300 : sizes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_in_a_kernel),
        cmocka_unit_test(cells_in_a_kernel),
        cmocka_unit_test(codes_of_points),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

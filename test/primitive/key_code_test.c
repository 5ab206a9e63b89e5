/* SPDX-License-Identifier: MIT
 * Codes of keys: by the host and by <crosslane/keys.cl> in a kernel, against the ranks of the
 * reference, and back. The reference also orders all sorts of the cases. */
#include "reference.h"
#include "xlt.h"

#include <string.h>

static const char text[] =
    "#include <crosslane/keys.cl>\n"
    "#include <crosslane/keys.cl>\n"
    "#define BOTH(NAME, KEY, CODE)\\\n"
    "__kernel void both_##NAME(__global const KEY *in, __global ulong *codes, __global KEY "
    "*keys)\\\n"
    "{\\\n"
    "    size_t i = get_global_id(0);\\\n"
    "    CODE code = xl_key_to_code_##NAME(in[i]);\\\n"
    "    codes[i] = code;\\\n"
    "    keys[i] = xl_code_to_key_##NAME(code);\\\n"
    "}\n"
    "BOTH(i8, char, uint) BOTH(i16, short, uint) BOTH(i32, int, uint) BOTH(i64, long, ulong)\n"
    "BOTH(f16, ushort, uint) BOTH(f32, float, uint) BOTH(f64, ulong, ulong)\n";

enum { N = 4000, SPECIAL = 12 };

/* Numbers of every kind: zeros, the least and the greatest, infinities, both kinds of NaN, others. */
static void fill(xl_type type, unsigned char *keys)
{
    const size_t bytes = xl_type_size(type);
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1), inf = bytes == 2 ? 0x7c00
                                                                : bytes == 4
                                                                    ? 0x7f800000
                                                                    : UINT64_C(0x7ff0000000000000);
    const uint64_t special[SPECIAL] = {0,       sign,           sign - 1, sign | (sign - 1),
                                       1,       sign | 1,       inf,      sign | inf,
                                       inf + 1, inf | sign | 1, inf - 1,  (sign | inf) - 1};
    xlt_random random = {type};
    for (size_t i = 0; i < N; ++i) {
        const uint64_t key = i < SPECIAL ? special[i] : xlt_next(&random) << 32 ^ xlt_next(&random);
        const uint8_t x1 = (uint8_t)key;
        const uint16_t x2 = (uint16_t)key;
        const uint32_t x4 = (uint32_t)key;
        memcpy(keys + i * bytes,
               bytes == 1   ? &x1
               : bytes == 2 ? (const void *)&x2
               : bytes == 4 ? (const void *)&x4
                            : (const void *)&key,
               bytes);
    }
}

XLT_TEST(codes_on_the_host)
{
    static unsigned char keys[8 * N];
    for (xl_type type = XL_I8; type <= XL_F64; type = (xl_type)(type + 1)) {
        const size_t bytes = xl_type_size(type);
        fill(type, keys);
        for (size_t i = 0; i < N; ++i) {
            uint64_t code;
            unsigned char back[8];
            XLT_OK(xl_key_to_code(type, keys + i * bytes, &code));
            if (code != ref_key_rank(type, keys + i * bytes))
                XLT_FAIL("%s: the code of key %zu is wrong", xl_type_name(type), i);
            XLT_OK(xl_code_to_key(type, bytes < 8 ? code | ~(UINT64_MAX >> (64 - 8 * bytes)) : code,
                                  back));
            assert_memory_equal(back, keys + i * bytes, bytes);
        }
    }
}

XLT_TEST(codes_on_the_device)
{
    static const struct {
        xl_type type;
        const char *kernel;
    } rows[] = {{XL_I8, "both_i8"},   {XL_I16, "both_i16"}, {XL_I32, "both_i32"},
                {XL_I64, "both_i64"}, {XL_F16, "both_f16"}, {XL_F32, "both_f32"},
                {XL_F64, "both_f64"}};
    static unsigned char in[8 * N], back[8 * N];
    static uint64_t codes[N];
    const size_t items = N;
    cl_program program;
    XLT_OK(xl_program_create(xlt_context(), text, NULL, &program));
    xlt_place(XLT_EXACT); /* the kernels know no offsets */
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        cl_int code;
        const size_t bytes = xl_type_size(rows[k].type);
        fill(rows[k].type, in);
        cl_kernel kernel = clCreateKernel(program, rows[k].kernel, &code);
        XLT_CL(code);
        xlt_buffer from = xlt_buffer_make(in, N * bytes, 1, 0),
                   to = xlt_buffer_make(NULL, sizeof codes, 1, 0),
                   keys = xlt_buffer_make(NULL, N * bytes, 1, 0);
        XLT_CL(clSetKernelArg(kernel, 0, sizeof from.mem, &from.mem));
        XLT_CL(clSetKernelArg(kernel, 1, sizeof to.mem, &to.mem));
        XLT_CL(clSetKernelArg(kernel, 2, sizeof keys.mem, &keys.mem));
        XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        xlt_read(&to, codes);
        xlt_read(&keys, back);
        for (size_t i = 0; i < N; ++i)
            if (codes[i] != ref_key_rank(rows[k].type, in + i * bytes))
                XLT_FAIL("%s: the code of key %zu is wrong", xl_type_name(rows[k].type), i);
        assert_memory_equal(back, in, N * bytes);
        xlt_buffer_free(&from);
        xlt_buffer_free(&to);
        xlt_buffer_free(&keys);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

XLT_TEST(types_without_codes)
{
    const uint32_t key = 1;
    uint64_t code;
    XLT_FAILS(xl_key_to_code(XL_NONE, &key, &code), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_key_to_code(XL_U32X2, &key, &code), XL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(xl_context_error(NULL), "type: 518; must be a built-in scalar");
    XLT_FAILS(xl_key_to_code(XL_U32, NULL, &code), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_key_to_code(XL_U32, &key, NULL), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_code_to_key(XL_U32, 1, NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(xl_context_error(NULL), "key: NULL");
}

XLT_MAIN(NULL, xlt_teardown)

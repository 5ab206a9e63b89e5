/* SPDX-License-Identifier: MIT
 * What work-groups do together (cl/group) against plain loops, in groups with
 * and without whole sub-groups. */
#include "element.h"
#include "xlt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const xli_source *xlt_source_find(const char *name);

enum { MOST = 256, RESULTS = 19, WITH_SUB_GROUPS = 11, ROW = 64 };

/* Minimum of floats that keeps the earlier of two zeros and skips NaN. */
static float least(float a, float b)
{
    return b < a || a != a ? b : a;
}

static float fold(const float *in, int count, int step)
{
    float sum = INFINITY;
    for (int i = 0; i < count; ++i)
        sum = least(sum, in[i * step]);
    return sum;
}

/* How many of the numbers from `from` to before `to` `divisor` divides. */
static float count(int from, int to, int divisor)
{
    int sum = 0;
    for (int i = from; i < to; ++i)
        sum += i % divisor == 0;
    return (float)sum;
}

static void check(const float *in, const float *out, int size, int results)
{
    const float *const end = in + size - 1;
    for (int i = 0; i < size; ++i) {
        const float forward = fold(in, size, 1), back = fold(end, size, -1);
        const int row = i / ROW * ROW;
        const struct {
            const char *name;
            float wanted;
        } all[RESULTS] = {
            {"scan", fold(in, i, 1)},
            {"total", forward},
            {"scan of the mirrored", fold(end, i, -1)},
            {"total of the mirrored", back},
            {"reduction", forward},
            {"reduction of the mirrored", back},
            {"shuffle", end[-i]},
            {"shuffle of the mirrored", in[i]},
            {"inclusive scan", fold(in, i + 1, 1)},
            {"inclusive scan of the mirrored", fold(end, i + 1, -1)},
            {"reduction of numbers from 1 on", 1},
            {"count of thirds", count(0, i, 3)},
            {"count of halves", count(0, i, 2)},
            {"row's count of thirds", count(row, i, 3)},
            {"row's count of halves", count(row, i, 2)},
            {"row's scan", fold(in + row, i - row, 1)},
            {"row's scan of the mirrored", fold(end - row, i - row, -1)},
            {"segments of 40", fold(in + i / 40 * 40, i % 40, 1)},
            {"mirrored segments of 24", fold(end - i / 24 * 24, i % 24, -1)},
        };
        for (int k = 0; k < results; ++k) {
            /* If all are NaN, the order of the fold decides between NaN and the identity. */
            const float got = least(INFINITY, out[RESULTS * i + k]);
            const float should = least(INFINITY, all[k].wanted);
            if (memcmp(&got, &should, sizeof got) != 0)
                XLT_FAIL("group of %d, work-item %d: %s is %g, not %g", size, i, all[k].name, got,
                         should);
        }
    }
}

static void run(xl_context *ctx, size_t size, xlt_random *random)
{
    static const float values[] = {0.0f, -0.0f, 3.0f, NAN, INFINITY, 1.0f, 2.0f};
    float in[MOST], out[RESULTS * MOST];
    xli_element element;
    xli_text text = {0};
    xli_program *program;
    xli_kernel kernel;
    xli_seq seq;
    const xli_capabilities *capabilities;
    cl_int code;
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    for (size_t i = 0; i < size; ++i)
        in[i] = values[xlt_below(random, 7)];
    XLT_OK(xli_element_resolve(ctx, capabilities, "type", XL_F32, NULL, &element));
    xli_element_text(&text, capabilities, (const xli_element *[]){&element}, 1, XL_MIN, NULL);
    xli_text_add(&text, "#define XL_GROUP_SIZE %u\n", (unsigned)size);
    XLT_OK(xli_program_get_source(ctx, xlt_source_find("group_collectives"), text.data, &program));
    xli_text_free(&text);
    XLT_OK(xli_kernel_create(ctx, program, "xl_test_group", &kernel));
    cl_mem a =
        clCreateBuffer(xl_context_cl(ctx), CL_MEM_COPY_HOST_PTR, size * sizeof *in, in, &code);
    XLT_CL(code);
    cl_mem b = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, sizeof out, NULL, &code);
    XLT_CL(code);
    XLT_OK(xli_seq_begin(&seq, ctx, xlt_queue(), 0, NULL, NULL));
    XLT_OK(XLI_LAUNCH(&seq, &kernel, 1, size, XLI_MEM(a), XLI_MEM(b)));
    XLT_OK(xli_seq_end(&seq, XL_SUCCESS, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), b, CL_TRUE, 0, RESULTS * size * sizeof *out, out, 0,
                               NULL, NULL));
    check(in, out, (int)size, capabilities->lane_way == XLI_LANE_LOCAL ? RESULTS : WITH_SUB_GROUPS);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    xli_kernel_destroy(&kernel);
}

static void run_sizes(xl_context *ctx)
{
    static const size_t sizes[] = {2, 3, 8, 32, 64, 100, 128, 192, 256};
    xl_device_info info;
    xlt_random random = {11};
    XLT_OK(xl_context_device_info(ctx, &info));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        if (sizes[i] <= info.max_work_group_size)
            run(ctx, sizes[i], &random);
}

XLT_TEST(as_the_device_is)
{
    run_sizes(xlt_context());
}

XLT_TEST(without_sub_groups)
{
    xl_context *ctx;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.mask = "width=1";
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &desc,
                            &ctx));
    run_sizes(ctx);
    xl_context_destroy(ctx);
}

XLT_MAIN(NULL, xlt_teardown)

/* SPDX-License-Identifier: MIT
 * Scan and reduction of sub-groups (cl/lane/lane_scan.cl) against plain loops. */
#include "element.h"
#include "xlt.h"

#include <float.h>
#include <math.h>
#include <string.h>

const xli_source *xlt_source_find(const char *name);

enum { ITEMS = 128 };

/* What is not commutative must come out in lane order: of equal zeros the earlier. */
static float earlier_min(float a, float b)
{
    return b < a || a != a ? b : a;
}

static float plus(float a, float b)
{
    return a + b;
}

typedef float operator_of(float, float);

static float fold(operator_of *op, const float *in, int from, int to, int step, float start)
{
    float sum = start;
    for (int i = from; i != to; i += step)
        sum = op(sum, in[i]);
    return sum;
}

static void expect(const char *what, int item, float got, float wanted)
{
    /* Of nothing but NaN comes NaN or the identity, as the fold goes. */
    if (isnan(got) && wanted > FLT_MAX)
        return;
    if (memcmp(&got, &wanted, sizeof got) != 0)
        XLT_FAIL("%s of work-item %d is %g, not %g", what, item, got, wanted);
}

static void check_item(operator_of *op, float start, const float *in, const float *out, int i,
                       int lane, int width)
{
    const int first = i - lane;
    expect("inclusive scan", i, out[0], fold(op, in, first, i + 1, 1, start));
    expect("exclusive scan", i, out[1], fold(op, in, first, i, 1, start));
    expect("reduction", i, out[2], fold(op, in, first, first + width, 1, start));
    expect("downward reduction", i, out[3], fold(op, in, first + width - 1, first - 1, -1, start));
}

static void run(xl_op op_of, operator_of *op, float start, const float *in)
{
    xl_context *ctx = xlt_context();
    const xli_capabilities *capabilities;
    xli_program *program;
    xli_kernel kernel;
    xli_seq seq;
    xli_element element;
    xli_text text = {0};
    float out[4 * ITEMS];
    cl_uint seen[2 * ITEMS];
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    if (capabilities->info.max_work_group_size < ITEMS) {
        print_message("%s: no groups of %d, left out\n", xlt_device(), ITEMS);
        skip();
    }
    XLT_OK(xli_element_resolve(ctx, capabilities, "type", XL_F32, NULL, &element));
    xli_element_text(&text, capabilities, (const xli_element *[]){&element}, 1, op_of, NULL);
    XLT_OK(xli_program_get_source(ctx, xlt_source_find("lane_collectives"), text.data, &program));
    xli_text_free(&text);
    XLT_OK(xli_kernel_create(ctx, program, "xl_test_lanes", &kernel));
    cl_int code;
    cl_mem plain[3];
    const size_t bytes[3] = {ITEMS * 4, ITEMS * 16, ITEMS * 8};
    for (int k = 0; k < 3; ++k) {
        plain[k] = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, bytes[k], NULL, &code);
        XLT_CL(code);
    }
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), plain[0], CL_TRUE, 0, bytes[0], in, 0, NULL, NULL));
    XLT_OK(xli_seq_begin(&seq, ctx, xlt_queue(), 0, NULL, NULL));
    XLT_OK(XLI_LAUNCH(&seq, &kernel, 1, ITEMS, XLI_MEM(plain[0]), XLI_MEM(plain[1]),
                      XLI_MEM(plain[2])));
    XLT_OK(xli_seq_end(&seq, XL_SUCCESS, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), plain[1], CL_TRUE, 0, bytes[1], out, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), plain[2], CL_TRUE, 0, bytes[2], seen, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; ++i) {
        if (capabilities->lane_way == XLI_LANE_LOCAL)
            assert_int_equal(seen[2 * i + 1], 1);
        else
            check_item(op, start, in, out + 4 * i, i, (int)seen[2 * i], (int)seen[2 * i + 1]);
    }
    for (int k = 0; k < 3; ++k)
        clReleaseMemObject(plain[k]);
    xli_kernel_destroy(&kernel);
}

static void sums(void **state)
{
    (void)state;
    float in[ITEMS];
    xlt_random random = {3};
    for (int i = 0; i < ITEMS; ++i)
        in[i] = (float)xlt_below(&random, 100) - 50.0f;
    run(XL_SUM, plus, -0.0f, in);
}

static void minima_in_lane_order(void **state)
{
    (void)state;
    static const float values[] = {0.0f, -0.0f, 3.0f, NAN, INFINITY};
    float in[ITEMS];
    xlt_random random = {5};
    for (int i = 0; i < ITEMS; ++i)
        in[i] = values[xlt_below(&random, 5)];
    run(XL_MIN, earlier_min, INFINITY, in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(minima_in_lane_order),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

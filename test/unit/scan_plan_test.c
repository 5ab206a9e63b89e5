/* SPDX-License-Identifier: MIT
 * Inside a scan's plan: when its state is made anew, and which self-test it relies on. */
#include "scan_plan.h"
#include "xlt.h"

#include <stdio.h>

enum { N = 40009 };

/* Scans ones in place, and says how many results are wrong. */
static size_t wrong_results(xl_plan *plan, cl_mem data)
{
    static cl_uint host[N];
    size_t wrong = 0;
    for (size_t i = 0; i < N; ++i)
        host[i] = 1;
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), data, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    const xl_scan_args call = {.n = N, .in = xl_view_of(data, 0), .out = xl_view_of(data, 0)};
    XLT_OK(xl_scan_enqueue(plan, xlt_queue(), &call, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), data, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (size_t i = 0; i < N; ++i)
        wrong += host[i] != i;
    return wrong;
}

XLT_TEST(state_is_renewed_before_epochs_come_round)
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    if (!plan->pool.most_calls) { /* only look-back counts calls */
        xl_plan_destroy(plan);
        print_message("%s: no look-back\n", xlt_device());
        skip();
    }
    cl_mem data = xlt_mem(xlt_context(), NULL, N * 4);
    assert_int_equal(wrong_results(plan, data), 0);
    cl_mem first = plan->pool.buffer;
    assert_non_null(first);
    XLT_CL(clRetainMemObject(first)); /* so that another has another address */
    assert_int_equal(wrong_results(plan, data), 0);
    assert_ptr_equal(plan->pool.buffer, first);
    plan->pool.calls = XLI_SCAN_MOST_CALLS - 2;
    assert_int_equal(wrong_results(plan, data), 0);
    assert_ptr_equal(plan->pool.buffer, first);
    assert_int_equal(wrong_results(plan, data), 0);
    assert_ptr_not_equal(plan->pool.buffer, first);
    assert_int_equal(plan->pool.calls, 0);
    assert_int_equal(wrong_results(plan, data), 0);
    XLT_CL(clReleaseMemObject(first));
    XLT_CL(clReleaseMemObject(data));
    xl_plan_destroy(plan);
}

static xl_context *tuned_context(const char *tuning)
{
    static const char path[] = "scan_plan_test.tune";
    xl_context *ctx;
    xl_context_desc desc;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(tuning, file);
    fclose(file);
    xl_context_desc_init(&desc);
    desc.tune_file = path;
    desc.cache_dir = "off";
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &desc,
                            &ctx));
    remove(path);
    return ctx;
}

/* Where there are sub-groups of 8 and more, the pipelined kernels compile and pass their self-test:
 * a plan that silently takes others is right, and slow. Segments take the others. */
XLT_TEST(pipelined_kernels_are_good_where_they_fit)
{
    static const struct {
        xl_type type;
        bool pipelined;
        xl_segments segments;
        bool packed;
    } kinds[] = {{XL_U32, true, XL_SEGMENTS_NONE, false},
                 {XL_U8, true, XL_SEGMENTS_NONE, true},
                 {XL_I64, true, XL_SEGMENTS_NONE, false},
                 {XL_U32, false, XL_SEGMENTS_HEAD_FLAGS, false}};
    const xli_capabilities *capabilities;
    xl_context *ctx = tuned_context(
        "scan.look_back = 1\nscan.pipelined = 1\nscan.pipelined_size = 64\nscan.pipelined_bytes = "
        "48\nscan.pipelined_wide_size = 64\nscan.pipelined_wide_bytes = 48\n");
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    const bool fits = capabilities->can_publish && capabilities->lane_way != XLI_LANE_LOCAL &&
                      capabilities->info.sub_group_size >= 8;
    for (size_t k = 0; fits && k < sizeof kinds / sizeof *kinds; ++k) {
        xl_scan_desc desc;
        xl_plan *plan;
        xl_scan_desc_init(&desc);
        desc.type = kinds[k].type;
        desc.segments = kinds[k].segments;
        XLT_OK(xl_scan_create(ctx, &desc, &plan));
        if (xli_scan_of(plan)->shape.algorithm != XL_SCAN_LOOKBACK ||
            xli_scan_of(plan)->shape.pipelined != kinds[k].pipelined ||
            xli_scan_of(plan)->shape.packed != kinds[k].packed)
            XLT_FAIL("kind %zu: algorithm %d, pipelined %d, packed %d", k,
                     (int)xli_scan_of(plan)->shape.algorithm, xli_scan_of(plan)->shape.pipelined,
                     xli_scan_of(plan)->shape.packed);
        xl_plan_destroy(plan);
    }
    xl_context_destroy(ctx);
    if (!fits)
        skip();
}

XLT_MAIN(NULL, xlt_teardown)

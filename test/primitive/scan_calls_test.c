/* SPDX-License-Identifier: MIT
 * Plans of scans: calls in any order, scratch, queues and the buffer of an init. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#endif

#include "scan_support.h"

/* The plan's state is used again and again, in any order of sizes. In the second round every
 * other tile publishes late, so that later tiles find the state of the call before, which must
 * count as EMPTY: no two calls have the same data. */
XLT_TEST(calls_in_any_order)
{
    static const char *const tunings[] = {
        "scan.tile_bytes = 1024\nscan.item_bytes = 16\n",
        "scan.tile_bytes = 1024\nscan.item_bytes = 16\nscan.inject_delay = 2\n"};
    const size_t tiles[] = {3, 40, 2, 39, 1, 40, 90, 5, 90, 60};
    const bool messages = can_publish();
    for (size_t t = 0; t < 2; ++t) {
        const bool late = t == 1;
        xl_context *ctx = open_context(tunings[t], NULL);
        job j;
        job_make(&j, "calls in any order", XL_U32, XL_SUM, XL_EXCLUSIVE, NULL);
        if (messages)
            j.desc.algorithm = XL_SCAN_LOOKBACK;
        xl_plan *plan = job_plan(ctx, &j);
        const size_t tile = tile_of(ctx, plan);
        for (size_t i = 0; i < (xlt_small() ? 6 : 40); ++i) {
            j.seed = 1000003 * i;
            job_check(ctx, plan, &j, (xlt_small() ? i + 1 : tiles[i % 10]) * tile + i % 7,
                      (placing){0, 0, late || i % 2 == 1, late || i % 9 != 8});
        }
        xl_plan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* Scratch grows with n and never shrinks. */
XLT_TEST(scratch_is_monotone)
{
    for (int a = XL_SCAN_AUTO; a <= XL_SCAN_REDUCE_THEN_SCAN; ++a) {
        size_t bytes, before = 0;
        job j;
        job_make(&j, "scratch", XL_F32, XL_SUM, XL_EXCLUSIVE, NULL);
        j.desc.algorithm = (xl_scan_algorithm)a;
        xl_plan *plan = job_plan(xlt_context(), &j);
        if (!plan)
            continue;
        for (size_t n = 0; n < (size_t)1 << 40; n += n / 3 + 1) {
            XLT_OK(xl_scan_scratch(plan, &(xl_scan_args){.n = n}, &bytes));
            if (bytes < before || bytes % XL_SCRATCH_ALIGNMENT != 0)
                XLT_FAIL("n %zu: %zu bytes after %zu", n, bytes, before);
            before = bytes;
        }
        xl_plan_destroy(plan);
    }
}

/* Making a plan runs kernels, in no queue of the caller's: the context's own may hold work
 * that waits for an event which the caller completes once it has the plan. */
XLT_TEST(create_waits_for_no_queue)
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_context_desc how;
    xl_context *ctx;
    xl_context_desc_init(&how);
    how.cache_dir = "off"; /* that look-back works here is not known yet */
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &how,
                            &ctx));
    cl_event gate = xlt_user_event();
    XLT_CL(clEnqueueMarkerWithWaitList(xl_context_queue(ctx), 1, &gate, NULL));
    XLT_CL(clFlush(xl_context_queue(ctx)));
    xl_scan_desc_init(&desc);
#ifndef _WIN32
    alarm(200); /* a test that waits for ever has failed */
#endif
    XLT_OK(xl_scan_create(ctx, &desc, &plan));
#ifndef _WIN32
    alarm(0);
#endif
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    XLT_CL(clFinish(xl_context_queue(ctx)));
    clReleaseEvent(gate);
    xl_plan_destroy(plan);
    xl_context_destroy(ctx);
}

/* The plan keeps the buffer of its init, which each call reads, and nothing of the host's. */
XLT_TEST(init_outlives_its_owner)
{
    int32_t start = 41;
    job j;
    xlt_buffer init = xlt_buffer_make(NULL, 1, 4, 0);
    job_make(&j, "init let go", XL_I32, XL_SUM, XL_EXCLUSIVE, NULL);
    j.desc.init_view = xlt_view(&init);
    xl_plan *on_device = job_plan(xlt_context(), &j);
    XLT_CL(clEnqueueWriteBuffer(xlt_queue(), init.mem, CL_TRUE, xlt_view(&init).offset * 4, 4,
                                &start, 0, NULL, NULL));
    xlt_buffer_free(&init);
    j.desc.init_view = xl_no_view();
    j.desc.init = &start;
    xl_plan *on_host = job_plan(xlt_context(), &j);
    start = 0;
    const int32_t was = 41;
    j.ref.init = &was;
    job_check(xlt_context(), on_device, &j, 333, placings[0]);
    job_check(xlt_context(), on_host, &j, 333, placings[0]);
    xl_plan_destroy(on_device);
    xl_plan_destroy(on_host);
}

XLT_MAIN(NULL, xlt_teardown)

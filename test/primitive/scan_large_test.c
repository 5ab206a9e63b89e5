/* SPDX-License-Identifier: MIT
 * Scans of many elements: past 2^24, where a float stops counting, and, where
 * CROSSLANE_TEST_LARGE=1 asks for it and memory allows, past 2^32. */
#include "scan_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void past_2_to_24(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_U32, XL_U64, XL_U16};
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    for (size_t t = 0; t < 3; ++t) {
        job j;
        job_make(&j, "large", types[t], XL_SUM, t ? XL_INCLUSIVE : XL_EXCLUSIVE, NULL);
        xl_scan *plan = job_plan(xlt_context(), &j);
        job_check(xlt_context(), plan, &j, ((size_t)1 << (20 + 4 * (t < 2))) + 1, placings[t]);
        xl_scan_destroy(plan);
    }
}

static void past_2_to_24_in_segments(void **state)
{
    (void)state;
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    job j;
    job_make(&j, "large, segments", XL_U32, XL_SUM, XL_INCLUSIVE, NULL);
    j.desc.segments = XL_SEGMENTS_HEAD_BITS;
    j.pattern = LONG_RUNS;
    xl_scan *plan = job_plan(xlt_context(), &j);
    job_check(xlt_context(), plan, &j, ((size_t)1 << 24) + 1, placings[0]);
    xl_scan_destroy(plan);
}

/* The device makes its own elements (a load expression of the index), so that the host
 * looks only at windows of the result; u8, in place. */
static void past_2_to_32(void **state)
{
    (void)state;
    const char *wish = getenv("CROSSLANE_TEST_LARGE");
    const size_t n = ((size_t)1 << 32) + 12345, window = 1 << 20;
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (!wish || strcmp(wish, "1") != 0) {
        print_message("CROSSLANE_TEST_LARGE=1 is not set: 2^32 elements left out\n");
        skip();
    }
    if (info.max_buffer_bytes < n + window || info.global_bytes < 2 * n) {
        print_message("%s: no buffer of %zu bytes, 2^32 elements left out\n", xlt_device(), n);
        skip();
    }
    cl_int code;
    cl_mem data = clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, n, NULL, &code);
    XLT_CL(code);
    unsigned char *got = bytes_for(window, 1);
    for (int segmented = 0; segmented < 2; ++segmented) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.type = XL_U8;
        desc.kind = XL_INCLUSIVE;
        /* 1, and 3 at each multiple of 2^20: sum up to i is i + 1 + 2 (i / 2^20 + 1). */
        desc.load = "(uchar)((i & 0xfffff) == 0 ? 3 : 1)";
        desc.load_type = XL_U8;
        desc.segments = segmented ? XL_SEGMENTS_WIDTH : XL_SEGMENTS_NONE;
        desc.segment_width = segmented ? ((uint64_t)1 << 32) + 100 : 0;
        XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(), n, xl_view_of(data, 0), xl_no_view(),
                               xl_view_of(data, 0), xl_no_view(), 0, NULL, NULL));
        XLT_CL(clFinish(xlt_queue()));
        for (uint64_t at = 0; at < n; at += (n - window) / 16) {
            const size_t count = n - at < window ? (size_t)(n - at) : window;
            XLT_CL(clEnqueueReadBuffer(xlt_queue(), data, CL_TRUE, at, count, got, 0, NULL, NULL));
            for (uint64_t i = at; i < at + count; ++i) {
                const uint64_t head = segmented && i >= desc.segment_width ? desc.segment_width : 0;
                const uint64_t heads = head == 0 ? (i >> 20) + 1 : (i >> 20) - (head >> 20);
                if (got[i - at] != (uint8_t)(i + 1 - head + 2 * heads))
                    XLT_FAIL("%s: element %llu of %zu is wrong", segmented ? "width" : "plain",
                             (unsigned long long)i, n);
            }
        }
        xl_scan_destroy(plan);
    }
    free(got);
    clReleaseMemObject(data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(past_2_to_24),
        cmocka_unit_test(past_2_to_24_in_segments),
        cmocka_unit_test(past_2_to_32),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

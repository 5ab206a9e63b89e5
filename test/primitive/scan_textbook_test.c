/* SPDX-License-Identifier: MIT
 * Figures that the sources of the scans have printed. */
#include "xlt.h"

#include <string.h>

/* Scans n numbers, in place. */
static void scan(const xl_scan_desc *desc, uint32_t *numbers, size_t n)
{
    xl_plan *plan;
    XLT_OK(xl_scan_create(xlt_context(), desc, &plan));
    xlt_buffer a = xlt_buffer_make(numbers, n, 4, 0);
    XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                           &(xl_scan_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&a)}, 0,
                           NULL, NULL));
    xlt_read(&a, numbers);
    xlt_check_guards(&a, "out");
    xlt_buffer_free(&a);
    xl_plan_destroy(plan);
}

/* The exclusive sums of 1 to 1024 end with 523,776. */
static void sums_of_1_to_1024(void **state)
{
    (void)state;
    static const xl_scan_algorithm algorithms[] = {XL_SCAN_AUTO, XL_SCAN_KOGGE_STONE,
                                                   XL_SCAN_BLELLOCH};
    for (size_t k = 0; k < 3; ++k) {
        uint32_t numbers[1024];
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.algorithm = algorithms[k];
        for (uint32_t i = 0; i < 1024; ++i)
            numbers[i] = i + 1;
        scan(&desc, numbers, 1024);
        assert_int_equal(numbers[0], 0);
        assert_int_equal(numbers[1], 1);
        assert_int_equal(numbers[1023], 523776);
    }
}

/* Park 2017, Fig. 6: for each width the first `width` flags, exclusive counts within
 * segments. The code that the paper corrects gives [0,1,1,2,1,2,2,0] at width 8. */
static void flags_of_park(void **state)
{
    (void)state;
    enum { N = 64 * 5 };
    static const uint32_t flags[8] = {1, 0, 1, 1, 1, 0, 0, 1};
    static const uint32_t right[8] = {0, 1, 1, 0, 1, 2, 0, 0};
    const uint64_t heads = 1 | 1 << 3 | 1 << 6;
    for (uint32_t width = 1; width <= 64; width *= 2) {
        uint32_t numbers[N];
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.segments = XL_SEGMENTS_MASK;
        desc.segment_width = width;
        /* Past 8 lanes the example repeats. */
        desc.segment_mask = heads * 0x0101010101010101u;
        for (size_t i = 0; i < N; ++i)
            numbers[i] = flags[i % width % 8];
        scan(&desc, numbers, N);
        for (size_t i = 0; i < N; ++i)
            if (numbers[i] != right[i % width % 8])
                XLT_FAIL("width %u: element %zu is %u, not %u", (unsigned)width, i,
                         (unsigned)numbers[i], (unsigned)right[i % width % 8]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_1_to_1024),
        cmocka_unit_test(flags_of_park),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

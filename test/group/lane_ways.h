/* SPDX-License-Identifier: MIT
 * The ways of lanes that a device has: its own, sub-groups of each width that a kernel may ask for,
 * and none. */
#ifndef LANE_WAYS_H
#define LANE_WAYS_H

#include "xlt.h"

#include <string.h>

/* A test of one way; asked: the width of sub-groups to ask for; 0: none. */
static void (*run_way)(xl_context *ctx, uint32_t asked);

static void as_the_device_is(void **state)
{
    (void)state;
    run_way(xlt_context(), 0);
}

/* 4 to 64 lanes, if the device makes sub-groups as wide as a kernel asks. */
static void as_wide_as_may_be(void **state)
{
    (void)state;
    uint32_t width;
    for (size_t i = 0; (width = xlt_sub_group_width(xlt_context(), i)) > 0; ++i)
        run_way(xlt_context(), width);
    if (xlt_sub_group_width(xlt_context(), 0) == 0) {
        print_message("%s takes no wishes, left out\n", xlt_device());
        skip();
    }
}

static void without_cross_lane_operations(void **state)
{
    (void)state;
    xl_context *ctx;
    xl_context_desc desc;
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (strcmp(info.cross_lane, "local") == 0) {
        print_message("%s has none: the same as before, left out\n", xlt_device());
        skip();
    }
    xl_context_desc_init(&desc);
    desc.mask = "width=1";
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &desc,
                            &ctx));
    run_way(ctx, 0);
    xl_context_destroy(ctx);
}

static int run_lane_ways(void (*run)(xl_context *ctx, uint32_t asked))
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_device_is),
        cmocka_unit_test(as_wide_as_may_be),
        cmocka_unit_test(without_cross_lane_operations),
    };
    run_way = run;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

#endif

/* SPDX-License-Identifier: MIT
 * Contexts: choice of device, facts, adoption, settings, error texts. */
#include "xlt.h"

#include <string.h>

static void facts_are_plausible(void **state)
{
    (void)state;
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    assert_true(info.name[0] != '\0');
    assert_true(info.max_work_group >= 1);
    assert_true(info.lane_width >= 1);
    assert_int_equal(info.lane_width, info.lane_width_seen);
    assert_true(info.probe[0] != '\0');
}

static void unknown_device_lists_what_there_is(void **state)
{
    (void)state;
    xl_context *ctx;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.device = "no such device";
    assert_int_equal(xl_context_create(&desc, &ctx), XL_ERROR_NO_DEVICE);
    assert_null(ctx);
    assert_non_null(strstr(xl_context_error(NULL), "no such device"));
    assert_non_null(strstr(xl_context_error(NULL), "0:0"));
}

static void width_one_is_heeded(void **state)
{
    (void)state;
    xl_context *ctx;
    xl_device_info info;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.mask = "width=1,no-fp64,no-int64-atomics,work-group=8";
    assert_int_equal(xl_context_create(&desc, &ctx), XL_SUCCESS);
    assert_int_equal(xl_context_device_info(ctx, &info), XL_SUCCESS);
    assert_int_equal(info.lane_width, 1);
    assert_int_equal(info.lane_source, XL_LANES_MASKED);
    assert_int_equal(info.has_fp64, 0);
    assert_int_equal(info.has_int64_atomics, 0);
    assert_true(info.max_work_group <= 8);
    xl_context_destroy(ctx);
}

static void adopted_objects_outlive_the_callers_reference(void **state)
{
    (void)state;
    cl_int code;
    xl_context *ctx;
    xl_device_info info;
    cl_device_id device = xl_context_device(xlt_context());
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    XLT_CL(code);
    assert_int_equal(xl_context_adopt(cl, device, NULL, &ctx), XL_SUCCESS);
    XLT_CL(clReleaseContext(cl));
    assert_int_equal(xl_context_device_info(ctx, &info), XL_SUCCESS);
    xl_context_destroy(ctx);
}

static int teardown(void **state)
{
    (void)state;
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_plausible),
        cmocka_unit_test(unknown_device_lists_what_there_is),
        cmocka_unit_test(width_one_is_heeded),
        cmocka_unit_test(adopted_objects_outlive_the_callers_reference),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}

/* SPDX-License-Identifier: MIT
 * The choices of the library for absent GPUs: the layer of this folder reports their facts, and
 * a CPU with sub-groups runs the kernels. Skipped on other devices, because lanes are tested
 * before they are used. */
#define _GNU_SOURCE
#include "vendor_facts.h"
#include "xlt.h"

#include <crosslane/plan.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*choose)(const char *name);

/* The expected result for a row of vendor_facts.c. */
typedef struct expected {
    const char *name, *dialect, *exchange;
    bool lanes, fp64, atomics, messages;
    xl_sub_group_source source;
    uint32_t reported; /* sub_group_size_reported; 0: that of the real device */
    const char *scan;  /* the algorithm of XL_SCAN_AUTO */
} expected;

static const expected rows[] = {
    {"rocm-gfx90a", "CL2.0", "local", false, true, true, true, XL_SUB_GROUP_AMD_WAVEFRONT, 64,
     "reduce-then-scan"},
    {"rocm-gfx1100", "CL2.0", "local", false, true, true, true, XL_SUB_GROUP_AMD_WAVEFRONT, 32,
     "reduce-then-scan"},
    {"rusticl", "CL3.0", "sub-group", true, true, false, false, XL_SUB_GROUP_OF_KERNEL, 0,
     "reduce-then-scan"},
    {"rusticl-25", "CL3.0", "local", false, true, false, false, XL_SUB_GROUP_NOT_REPORTED, 0,
     "reduce-then-scan"},
    {"rusticl-llvmpipe", "CL3.0", "local", false, true, false, false, XL_SUB_GROUP_NOT_REPORTED, 0,
     "reduce-then-scan"},
    {"neo", "CL3.0", "sub-group", true, false, true, true, XL_SUB_GROUP_OF_KERNEL, 0, "look-back"},
    {"neo-fp64", "CL3.0", "sub-group", true, true, true, true, XL_SUB_GROUP_OF_KERNEL, 0,
     "look-back"},
};

/* Without the cache, because no other test should find programs that are not optimised. */
static xl_context *context_of(const char *name)
{
    choose(name);
    return xlt_context_with("off");
}

/* The library's facts about the device. */
static xl_device_info check_device(xl_context *ctx, const expected *e)
{
    xl_device_info info;
    const xlt_vendor *facts = xlt_vendor_find(e->name);
    XLT_OK(xl_context_device_info(ctx, &info));
    print_message("%s: %s, %s, exchange by %s of %u, look-back %s\n", e->name, info.name,
                  info.opencl_c, info.cross_lane, (unsigned)info.sub_group_size,
                  info.has_device_scope ? "possible" : "not possible");
    assert_string_equal(info.name, facts->device);
    assert_true(info.device_type & CL_DEVICE_TYPE_GPU);
    assert_int_equal(info.compute_units, facts->units);
    assert_int_equal(info.max_work_group_size, facts->group);
    assert_true(info.local_bytes <= facts->local_bytes);
    assert_string_equal(info.opencl_c, e->dialect);
    assert_string_equal(info.cross_lane, e->exchange);
    assert_int_equal(info.sub_group_size > 1, e->lanes);
    assert_int_equal(info.sub_group_source, e->source);
    if (e->reported > 0)
        assert_int_equal(info.sub_group_size_reported, e->reported);
    assert_int_equal(info.has_fp64, e->fp64);
    assert_int_equal(info.has_int64_atomics, e->atomics);
    assert_int_equal(info.has_device_scope, e->messages);
    return info;
}

/* A plan of a GPU: a group holds a tile, and is no larger than the device has. */
static void check_plan(const expected *e, const char *what, const xl_device_info *device,
                       const xl_plan_details *plan, const char *algorithm)
{
    print_message("%s: %s: %s, groups of %u, %u held by each, tiles of %llu, sub-groups of %u\n",
                  e->name, what, plan->algorithm, (unsigned)plan->work_group_size,
                  (unsigned)plan->item_elements, (unsigned long long)plan->tile_elements,
                  (unsigned)plan->sub_group_size);
    assert_string_equal(plan->algorithm, algorithm);
    assert_int_equal(plan->sub_group_size, e->lanes ? device->sub_group_size : 0);
    assert_true(plan->work_group_size >= 32 &&
                plan->work_group_size <= device->max_work_group_size);
    assert_true(plan->item_elements > 0);
}

enum { ELEMENTS = 1 << 20 };

/* The plan of a primitive with its default descriptor. */
#define CHECK(primitive, algorithm)                                                                \
    {                                                                                              \
        xl_plan *plan = NULL;                                                                      \
        xl_plan_details info;                                                                      \
        xl_##primitive##_desc desc;                                                                \
        xl_##primitive##_desc_init(&desc);                                                         \
        if (xl_##primitive##_create(ctx, &desc, &plan) != XL_SUCCESS)                              \
            XLT_FAIL("%s: %s", e->name, xl_context_error(ctx));                                    \
        XLT_OK(xl_plan_info(plan, ELEMENTS, &info));                                               \
        check_plan(e, #primitive " of u32", &device, &info, algorithm);                            \
        xl_plan_destroy(plan);                                                                     \
    }

static void a_vendors_facts_lead_to_its_plans(void **state)
{
    const expected *e = *state;
    xl_context *ctx = context_of(e->name);
    const xl_device_info device = check_device(ctx, e);
    CHECK(scan, e->scan)
    CHECK(reduce, "reduce-then-fold")
    CHECK(sort, e->lanes && e->messages ? "radix" : "bitonic")
    if (!e->fp64) {
        xl_plan *plan = NULL;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.type = XL_F64;
        assert_int_equal(xl_scan_create(ctx, &desc, &plan), XL_ERROR_UNSUPPORTED);
    }
    xl_context_destroy(ctx);
}

static void each_vendor_has_a_row_here(void **state)
{
    (void)state;
    assert_int_equal(sizeof rows / sizeof *rows, xlt_vendor_count);
    for (size_t i = 0; i < xlt_vendor_count; ++i)
        assert_string_equal(rows[i].name, xlt_vendors[i].name);
}

/* Loads the layer, before anything else asks the OpenCL loader. NULL: the reason not to. */
static const char *load_layer(void)
{
    cl_uint platforms = 0;
    setenv("OPENCL_LAYERS", XLT_VENDOR_LAYER, 1);
    setenv("XLT_VENDOR_FAST", "1", 1);
    if (getenv("XLT_VENDOR")) /* CROSSLANE_DEVICE then names a device of the layer */
        unsetenv("CROSSLANE_DEVICE");
    unsetenv("XLT_VENDOR");
    clGetPlatformIDs(0, NULL, &platforms);
    void *layer = dlopen(XLT_VENDOR_LAYER, RTLD_NOW | RTLD_NOLOAD);
    void *found = layer ? dlsym(layer, "xlt_vendor_choose") : NULL;
    if (!found)
        return "the OpenCL loader knows no layers";
    memcpy(&choose, &found, sizeof choose);
    return NULL;
}

/* The real device needs the features of the tables, because kernels run there. */
static const char *unfit_device(void)
{
    xl_context *ctx = NULL;
    xl_device_info info;
    const char *why = NULL;
    if (xl_context_create(NULL, &ctx) != XL_SUCCESS)
        return "no device";
    if (xl_context_device_info(ctx, &info) != XL_SUCCESS ||
        strcmp(info.cross_lane, "sub-group") != 0)
        why = "a device with shuffles and ballots in sub-groups is needed";
    else if (!info.has_fp64 || !info.has_device_scope)
        why = "a device with fp64 and look-back is needed";
    xl_context_destroy(ctx);
    return why;
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    const char *why = load_layer();
    struct CMUnitTest tests[ROWS + 1] = {cmocka_unit_test(each_vendor_has_a_row_here)};
    if (!why)
        why = unfit_device();
    if (why)
        return printf("skipped: %s\n", why), 77;
    for (size_t i = 0; i < ROWS; ++i)
        tests[i + 1] = (struct CMUnitTest){.name = rows[i].name,
                                           .test_func = a_vendors_facts_lead_to_its_plans,
                                           .initial_state = (void *)(uintptr_t)&rows[i]};
    return cmocka_run_group_tests_name("vendor_plans", tests, NULL, NULL);
}

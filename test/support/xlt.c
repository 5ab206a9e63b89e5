/* SPDX-License-Identifier: MIT
 * Support of device tests that are written with cmocka. */
#include "xlt.h"

#include <stdio.h>
#include <stdlib.h>

void xlt_failed(const char *file, int line)
{
    _fail(file, line);
}

enum { MOST_TESTS = 64 };
static struct CMUnitTest tests[MOST_TESTS];
static int lines[MOST_TESTS];
static size_t num_tests;

void xlt_add_test(const struct CMUnitTest *test, int line)
{
    size_t at = num_tests++;
    XLT_TRUE(num_tests <= MOST_TESTS);
    for (; at > 0 && lines[at - 1] > line; --at) {
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = *test;
    lines[at] = line;
}

int xlt_run_tests(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    return _cmocka_run_group_tests("tests", tests, num_tests, setup, teardown);
}

int xlt_teardown(void **state)
{
    (void)state;
    xlt_finish();
    return 0;
}

cl_command_queue xlt_out_of_order_queue(void)
{
    cl_int code;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        xl_context_cl(xlt_context()), xl_context_device(xlt_context()), properties, &code);
    if (code == CL_INVALID_QUEUE_PROPERTIES) {
        print_message("%s has no out-of-order queues\n", xlt_device());
        skip();
    }
    XLT_CL(code);
    return queue;
}

void xlt_remove_folder(const char *folder)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

void xlt_needs_threads(void)
{
    if (xlt_on_oclgrind()) {
        print_message("%s: runs one kernel at a time, threads left out\n", xlt_device());
        skip();
    }
}

bool xlt_has_grids(void)
{
    xl_grid_desc desc;
    xl_plan *grid;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    desc.num_tunables = 1; /* without tunables: refused later, and nothing is compiled */
    const xl_status status = xl_grid_create(xlt_context(), &desc, &grid);
    if (status == XL_ERROR_UNSUPPORTED)
        print_message("skipped: %s\n", xl_context_error(xlt_context()));
    return status != XL_ERROR_UNSUPPORTED;
}

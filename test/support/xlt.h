/* SPDX-License-Identifier: MIT
 * Support of device tests that are written with cmocka, beside xlt_device.h. */
#ifndef XLT_H
#define XLT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

#include "xlt_device.h"

/* A test of this program: XLT_TEST(name) { ... }. It registers itself, so that none is forgotten.
 * xlt_run_tests() runs them in the order of their lines; XLT_MAIN is a main() that does this. */
#define XLT_TEST(name) XLT_TEST_SETUP(name, NULL)
#define XLT_TEST_SETUP(name, setup)                                                                \
    static void name(void);                                                                        \
    static void name##_runs(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        name();                                                                                    \
    }                                                                                              \
    __attribute__((constructor)) static void name##_registers(void)                                \
    {                                                                                              \
        xlt_add_test(#name, name##_runs, setup, __LINE__);                                         \
    }                                                                                              \
    static void name(void)
#define XLT_MAIN(setup, teardown)                                                                  \
    int main(void)                                                                                 \
    {                                                                                              \
        return xlt_run_tests(setup, teardown);                                                     \
    }
void xlt_add_test(const char *name, CMUnitTestFunction test, CMFixtureFunction setup, int line);
int xlt_run_tests(CMFixtureFunction setup, CMFixtureFunction teardown);
int xlt_teardown(void **state); /* xlt_finish() at the end of a group of tests */
/* A new queue that the caller releases. Skips the test if the device has no such queues. */
cl_command_queue xlt_out_of_order_queue(void);
void xlt_remove_folder(const char *folder); /* with all files in it */
/* Skips the test on Oclgrind, which ends the process when two threads run kernels. */
void xlt_needs_threads(void);
/* False if the driver ends loops and therefore has no grids (loops_test.c); prints the reason. */
bool xlt_has_grids(void);
/* Runs a group of tests if the device has grids. */
enum { XLT_SKIPPED = 77 };
#define XLT_RUN_WITH_GRIDS(tests, setup, teardown)                                                 \
    (xlt_has_grids() ? cmocka_run_group_tests(tests, setup, teardown) : XLT_SKIPPED)

#endif

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
 * xlt_run_tests() runs them in the order of their lines; XLT_MAIN is a main() that does this, or runs
 * only the tests that match its argument. XLT_MAIN_WITH_GRIDS skips them if the device has no grids. */
#define XLT_TEST(name) XLT_TEST_AROUND(name, NULL, NULL)
#define XLT_TEST_SETUP(name, setup) XLT_TEST_AROUND(name, setup, NULL)
#define XLT_TEST_AROUND(name, setup, teardown)                                                     \
    static void name(void);                                                                        \
    static void name##_runs(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        name();                                                                                    \
    }                                                                                              \
    __attribute__((constructor)) static void name##_registers(void)                                \
    {                                                                                              \
        const struct CMUnitTest test = {#name, name##_runs, setup, teardown, NULL};                \
        xlt_add_test(&test, __LINE__);                                                             \
    }                                                                                              \
    static void name(void)
#define XLT_MAIN(setup, teardown)                                                                  \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);                                         \
        return xlt_run_tests(setup, teardown);                                                     \
    }
#define XLT_MAIN_WITH_GRIDS(setup, teardown)                                                       \
    int main(void)                                                                                 \
    {                                                                                              \
        return xlt_has_grids() ? xlt_run_tests(setup, teardown) : XLT_SKIPPED;                     \
    }
enum { XLT_SKIPPED = 77 };
void xlt_add_test(const struct CMUnitTest *test, int line);
int xlt_run_tests(CMFixtureFunction setup, CMFixtureFunction teardown);
int xlt_teardown(void **state); /* xlt_finish() at the end of a group of tests */
/* A new queue that the caller releases. Skips the test if the device has no such queues. */
cl_command_queue xlt_out_of_order_queue(void);
void xlt_remove_folder(const char *folder); /* with all files in it */
/* Skips the test on Oclgrind, which ends the process when two threads run kernels. */
void xlt_needs_threads(void);
/* False if the driver ends loops and therefore has no grids (loops_test.c); prints the reason. */
bool xlt_has_grids(void);

#endif

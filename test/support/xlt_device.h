/* SPDX-License-Identifier: MIT
 * Support of programs that check a device: one context per process, buffers with guard
 * bytes, random numbers, and checks that name the call, the line and the device. Tests include
 * xlt.h, which adds what needs cmocka.
 *
 * The device is the one CROSSLANE_DEVICE names; ci/test.sh runs each test once per
 * device. CROSSLANE_TEST_SMALL=1 asks for small sizes (simulators), CROSSLANE_TEST_PROGRAMS=few
 * for full sizes with fewer kinds of kernels (slow compilers). */
#ifndef XLT_DEVICE_H
#define XLT_DEVICE_H

#include <crosslane/crosslane.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xlt_pages.h"

/* The context of this process; made on first use, ended by xlt_finish(). The
 * test fails if there is none. */
xl_context *xlt_context(void);
cl_command_queue xlt_queue(void); /* in order */
/* A new context with this cache folder, a buffer that the library's arguments may name, with a copy
 * of `host` or undefined content, and a queue. The caller releases them. */
xl_context *xlt_context_with(const char *cache_dir);
cl_mem xlt_mem(xl_context *ctx, const void *host_or_null, size_t bytes);
cl_command_queue xlt_queue_with(xl_context *ctx, cl_command_queue_properties properties);
/* A new event of xlt_context() that the caller completes and releases. */
cl_event xlt_user_event(void);
/* Uses a context of the caller's from now on; before the first call of xlt_context(). */
void xlt_use_context(xl_context *of_caller);
void xlt_finish(void);
bool xlt_small(void);
/* Whether a test is to leave out what would be one more program to compile; in a small run, too. */
bool xlt_few_programs(void);
/* The algorithm that a scan of n elements runs, by xl_plan_info(). */
xl_scan_algorithm xlt_scan_algorithm(const xl_plan *plan, size_t n);
/* Whether the device is Oclgrind. */
bool xlt_on_oclgrind(void);
/* The device's name, for messages. */
const char *xlt_device(void);

/* The i-th width that a kernel may ask its sub-groups to have, or 0 where there is none,
 * none can be asked for, or sub-groups are not used. A build with the option asks, if
 * the kernel has XLT_WIDTH among its attributes. */
uint32_t xlt_sub_group_width(xl_context *ctx, size_t i);
#define XLT_WIDTH_OPTION "-DXLT_WIDTH=__attribute__((intel_reqd_sub_group_size(%u)))"

/* Fails with the context's error text unless `call` gives XL_SUCCESS. */
#define XLT_OK(call) xlt_expect((call), XL_SUCCESS, #call, __FILE__, __LINE__)
/* Fails unless `call` gives `wanted`, and, for an error, a text. */
#define XLT_FAILS(call, wanted) xlt_expect((call), (wanted), #call, __FILE__, __LINE__)
void xlt_expect(xl_status got, xl_status wanted, const char *call, const char *file, int line);
/* XLT_OK for OpenCL calls. */
#define XLT_CL(call) xlt_expect_cl((call), #call, __FILE__, __LINE__)
void xlt_expect_cl(cl_int code, const char *call, const char *file, int line);
/* Fails with printf text, naming the device. */
void xlt_fail(const char *file, int line, const char *format, ...);
#define XLT_FAIL(...) xlt_fail(__FILE__, __LINE__, __VA_ARGS__)
/* Fails unless `condition` holds. */
#define XLT_TRUE(condition) ((condition) ? (void)0 : xlt_fail(__FILE__, __LINE__, "%s", #condition))
/* Ends the test or the program after a failure. The program defines it: xlt.c for cmocka. */
void xlt_failed(const char *file, int line);

/* Where xlt_buffer_make() puts buffers from now on. */
typedef enum xlt_placement {
    XLT_GUARD_BYTES,  /* as it says below */
    XLT_EXACT,        /* of their elements and nothing else, for simulators that watch both ends */
    XLT_AT_PAGE_END,  /* such ones in host memory, behind which the next page may not be touched */
    XLT_AT_PAGE_START /* or the page before it */
} xlt_placement;
void xlt_place(xlt_placement placement);
/* Sets the i-th placement that reveals accesses beside a buffer on this device, from 0 on; after
 * the last one the usual placement, and returns false. */
bool xlt_place_closely(size_t i);
bool xlt_placed_closely(void);
/* NULL if kernels touch the host memory of a buffer itself, as buffers are placed now, so that
 * pages beside it show each touch; else the reason. A simulator finds touches itself. */
const char *xlt_hides_memory(void);
/* Whether xlt_hides_memory() is NULL; prints the reason. */
bool xlt_shares_memory(void);

/* A device buffer of n elements that starts `offset` elements in, with guard
 * bytes all around; with xlt_place() without both. */
typedef struct xlt_buffer {
    cl_mem mem;
    size_t n, size, offset;
    bool exact;
    xlt_pages pages;
    void *host; /* NULL, or memory of ours that the buffer lies in */
} xlt_buffer;
/* `host` may be NULL: then the elements are filled with 0xA5. */
xlt_buffer xlt_buffer_make(const void *host, size_t n, size_t size, size_t offset);
xl_view xlt_view(const xlt_buffer *buffer);          /* no view where no buffer was made */
void xlt_read(const xlt_buffer *buffer, void *host); /* the n elements; blocks */
/* Fails if anything outside the n elements was written. */
void xlt_check_guards(const xlt_buffer *buffer, const char *name);
/* The same, and if an element of one that was made without `host` was. */
void xlt_check_unwritten(const xlt_buffer *buffer, const char *name);
void xlt_buffer_free(xlt_buffer *buffer);
/* Scratch of `bytes`, aligned as scratch must be, filled with 0xA5; a zero view for 0. */
xlt_buffer xlt_scratch_make(size_t bytes);
/* For scratch with guard bytes: a view of the same size that ends at the buffer's end, so that
 * one more byte is too much. A write there changes guard bytes. */
xl_view xlt_scratch_at_end(const xlt_buffer *scratch);

/* The same in memory of the host, where the device works in such: then, and only then,
 * `memory` is where its bytes can be read while a kernel runs. */
xlt_buffer xlt_scratch_make_open(size_t bytes, const void **memory);

/* The tiles of a scan by look-back, in its scratch. */
typedef struct xlt_tiles {
    const void *memory;  /* NULL: cannot be read */
    size_t count, words; /* tiles, and 64-bit words of each */
} xlt_tiles;

/* Between these two calls the process may take CROSSLANE_TEST_PATIENCE seconds (30; 600 on
 * Oclgrind), counted in processor time too, or ten times as long. Otherwise it ends with a
 * failure that names `what` and prints the states of its tiles. One watch at a time. */
void xlt_watch_start(const char *what, const xlt_tiles *tiles_or_null);
void xlt_watch_stop(void);

/* xorshift64*: good enough for test data, the same everywhere. */
typedef struct xlt_random {
    uint64_t state;
} xlt_random;
uint64_t xlt_next(xlt_random *random);
uint32_t xlt_below(xlt_random *random, uint32_t limit);
float xlt_unit(xlt_random *random); /* [0, 1) */

#endif

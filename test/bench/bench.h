/* SPDX-License-Identifier: MIT
 * The benchmark's frame: times a verified operation, keeps the result for the
 * table and the JSON file. A benchmark that did not verify is not timed. Searches are
 * compared with reference/; scans, reductions and sorts, of up to 2^28 elements, are verified by
 * separate loops, which need no second array and no call for each element. */
#ifndef XL_BENCH_H
#define XL_BENCH_H

#include "bench_result.h"

#include <crosslane/crosslane.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct bench {
    xl_context *ctx;
    xl_device_info info;
    cl_command_queue queue; /* in order, with profiling */
    unsigned runs;          /* timed runs per case, at least 15 unless --quick */
    size_t max_n;           /* larger sizes are left out */
    const bench_options *options;
    bench_results *results;
    const char *more; /* of the JSON file, or NULL */
} bench;

/* Whether --match selects a row: =TEXT by its whole name, TEXT by a part of it. */
bool bench_wants(const bench *b, const char *variant);

/* A buffer with a copy of `host`, if that is not NULL. NULL: there is no memory. */
cl_mem bench_buffer(bench *b, size_t bytes, void *host);

/* One operation: enqueues itself once through b->queue. `event` may be NULL, else
 * it receives the event of the last command. */
typedef xl_status bench_enqueue(bench *b, void *user, cl_event *event);

/* Times an operation. Device time is per call in a short row of calls without a
 * gap, from the end of the first to the end of the last by their profiling times,
 * so that an operation of several commands counts whole; median of b->runs rows.
 * Wall time is per call in a loop of 100 with one wait at the end (fewer where that
 * takes long). `bytes` is the least that the operation must move; its rate is compared
 * with a copy kernel that moves as much in the same run. The result is filed as
 * (name, variant, n); bench_result.h says how variants are worded. */
xl_status bench_case(bench *b, const char *name, const char *variant, size_t n, double bytes,
                     bench_enqueue *enqueue, void *user);

/* Files a time in milliseconds of a peer on the host, such as "std". */
void bench_host_case(bench *b, const char *program, const char *name, const char *variant, size_t n,
                     double bytes, double milliseconds);

/* Prints and files that a peer's result is wrong. */
void bench_host_wrong(bench *b, const char *program, const char *name, const char *variant,
                      size_t n, const char *why);

/* Prints and files that a result is wrong; the program then exits with 1. */
void bench_wrong(bench *b, const char *name, const char *variant, size_t n, const char *why);

/* The same for a call that failed, with the context's error text. */
void bench_failed(bench *b, const char *name, const char *variant, size_t n, xl_status status);

/* Whether the call succeeded and its result has no fault; files the failure or the fault. */
bool bench_right(bench *b, const char *name, const char *variant, size_t n, xl_status status,
                 const char *fault);

/* The least device time in milliseconds of the copy kernels that read and write
 * bytes / 2 each, measured when first asked for; 0 if it cannot be had. */
double bench_copy_ms(bench *b, double bytes);

/* Times every copy of n 4-byte elements. */
void bench_copy_size(bench *b, size_t n);

/* The parts, in the order in which they run. */
#define BENCH_PARTS(PART)                                                                          \
    PART(copy), PART(scan), PART(reduce), PART(sort), PART(topk), PART(select), PART(merge),       \
        PART(search), PART(histogram), PART(transform), PART(grid), PART(step), PART(shapes),      \
        PART(wide), PART(batch), PART(lists), PART(forces), PART(periodic), PART(nearest),         \
        PART(approximate)
#define BENCH_FUNCTION(part) bench_##part
typedef void bench_function(bench *b);
bench_function BENCH_PARTS(BENCH_FUNCTION);

#endif

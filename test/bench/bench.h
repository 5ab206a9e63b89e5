/* SPDX-License-Identifier: MIT
 * The benchmark's frame: times a verified operation, keeps the result for the
 * table and the JSON file. A benchmark that did not verify is not timed. */
#ifndef XL_BENCH_H
#define XL_BENCH_H

#include <crosslane/crosslane.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct bench {
    xl_context *ctx;
    xl_device_info info;
    cl_command_queue queue; /* in order, with profiling */
    unsigned runs;          /* timed runs per case, at least 15 unless --quick */
    size_t max_n;           /* larger sizes are left out */
    struct bench_results *results;
} bench;

/* One operation: enqueues itself once and gives its last event. Everything it
 * enqueues must go through b->queue. */
typedef xl_status bench_enqueue(bench *b, void *user, cl_event *event);

/* Times `runs` calls. Device time is from the start of the call's first command to
 * the end of its last, taken between two markers' profiling times where the call has
 * several commands; wall time is per call in a loop of 100 with one wait at the end.
 * `bytes` is what the operation must move at least. The result is filed as
 * (name, variant, n). */
xl_status bench_case(bench *b, const char *name, const char *variant, size_t n, double bytes,
                     bench_enqueue *enqueue, void *user);

/* Files a time of the host (a peer such as std::exclusive_scan), in milliseconds. */
void bench_host_case(bench *b, const char *name, const char *variant, size_t n, double bytes,
                     double milliseconds);

/* Says that a result is wrong: printed, filed, and the program exits with 1. */
void bench_wrong(bench *b, const char *name, const char *variant, size_t n, const char *why);

/* One of these per primitive, in bench_<primitive>.c. */
void bench_copy(bench *b);
void bench_scan(bench *b);
void bench_sort(bench *b);
void bench_grid(bench *b);

#endif

/* SPDX-License-Identifier: MIT
 * A benchmark of arrays: a plan, arrays on the host and their buffers. A result is verified, then
 * timed, then compared with the C++ standard library. */
#ifndef XL_BENCH_JOB_H
#define XL_BENCH_JOB_H

#include "bench.h"
#include "bench_std.h"

enum { JOB_ARRAYS = 8 };

/* Sets of sizes: bit k means 2^k. */
#define BENCH_SIZE(k) (1u << (k))
#define BENCH_LARGE (BENCH_SIZE(24) | BENCH_SIZE(28))

typedef struct bench_part bench_part;

typedef struct bench_job {
    const bench_part *part;
    const void *kind; /* the part's own description of the row */
    const char *variant;
    size_t n;
    double bytes;   /* that a call must move at least */
    bool in_place;  /* the first result is written over the first input */
    size_t results; /* of the call, if it is not n */
    xl_plan *plan;
    size_t size[JOB_ARRAYS]; /* bytes; 0: there is no such array */
    void *host[JOB_ARRAYS];
    cl_mem mem[JOB_ARRAYS];
} bench_job;

/* Arrays are numbered: inputs, results, arrays of the host only, arrays of the device only. */
struct bench_part {
    const char *name;
    int results_begin, host_begin, device_begin;
    bool left_out_if_unsupported;
    xl_status (*create)(bench *b, bench_job *j); /* sets plan, size, bytes and in_place */
    void (*fill)(bench_job *j);                  /* writes the inputs on the host */
    bench_enqueue *enqueue;
    const char *(*fault)(bench_job *j);   /* NULL: the results on the host are right */
    void (*peer)(bench *b, bench_job *j); /* NULL: there is none */
};

/* A part whose functions have the names of the fields. */
#define BENCH_PART(of, results, host, device, ...)                                                 \
    {                                                                                              \
        .name = (of), .results_begin = (results), .host_begin = (host), .device_begin = (device),  \
        .create = create, .fill = fill, .enqueue = enqueue, .fault = fault, __VA_ARGS__            \
    }

/* Runs one row at those of the sizes that the options and the device leave in. */
void bench_job_run(bench *b, const bench_part *part, const void *kind, const char *variant,
                   uint32_t sizes);
void bench_job_run_size(bench *b, const bench_part *part, const void *kind, const char *variant,
                        size_t n);

/* The sizes without those above 2^24 if the device is a CPU. */
uint32_t bench_sizes_for(const bench *b, uint32_t sizes);

/* Files the time of the C++ standard library, or the fault of its result. */
void bench_job_std(bench *b, const bench_job *j, const char *program, const char *why, double ms);

#endif

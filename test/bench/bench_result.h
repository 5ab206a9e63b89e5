/* SPDX-License-Identifier: MIT
 * Shared by the benchmark and its peers: the options, how a call is timed,
 * the table and the JSON file. Knows neither OpenCL nor CUDA; C and C++ alike. */
#ifndef XL_BENCH_RESULT_H
#define XL_BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A result belongs to a case, which `name`, `variant` and `n` tell, and to the program
 * that did the work. `name` is the primitive: "copy", "scan", "reduce", "sort", "merge", "search",
 * "select", "histogram", "transform", "grid", "periodic" for searches in space that repeats, "step"
 * for the stages of one step of particles, "nearest", "forces", and "lists" for all steps to a
 * neighbour list, whose times are of the wall clock.
 *
 * `variant` names the computation, in the same words in every program, and then, in parentheses,
 * how, where one program has several ways:
 *   - "u32 exclusive sum", "u32 exclusive sum (in place)", "i32 sum", "u32,u32 pairs",
 *   - "u32 exclusive sum by key, runs of 32", "i32 sum by offsets, segments of 8" */
typedef struct bench_result {
    char program[24], name[16], variant[64];
    size_t n;
    double bytes;     /* bytes that the operation must move at least */
    double device_ms; /* per call; of a host's function its wall time */
    double spread;    /* half the middle 80 % of the rows, of their median */
    double wall_us;   /* per call; 0: not measured */
    double copy_ms;   /* of the copy kernel that moves as many bytes; 0: not measured */
    char wrong[160];  /* "" for a right result */
} bench_result;

typedef struct bench_results {
    const char *program; /* whose run it is */
    bench_result *list;
    size_t count, capacity;
    bool wrong;
} bench_results;

/* Where a run took place; a text may be NULL. */
typedef struct bench_place {
    const char *version, *device, *platform, *driver, *opencl_c, *tunables;
    const char *more; /* a further member of the JSON file */
    unsigned runs;
} bench_place;

typedef struct bench_options {
    const char *only, *match, *json;
    const char *cloud;   /* FILE.npy:RADIUS, for lists */
    size_t max_n, min_n; /* smaller and larger sizes are left out */
    bool quick, progress;
} bench_options;

/* The next of a series of random numbers (xorshift64), the same on every machine. */
#define BENCH_SEED UINT64_C(88172645463325252)
static inline uint64_t bench_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Seconds of a clock that only moves forward. */
double bench_now(void);

/* [--only NAME] [--match TEXT] [--min-n 2^K] [--max-n 2^K] [--json FILE] [--cloud FILE:R] [--quick]
 * [--progress], and NAME one of `names`; false, with a message on stderr, for anything else. */
bool bench_parse(int argc, char **argv, const char *const *names, size_t num_names,
                 bench_options *options);

/* Whether --only selects a part, and --match a variant: =TEXT by its whole name, TEXT by a part. */
bool bench_has_part(const bench_options *options, const char *name);
bool bench_matches(const bench_options *options, const char *variant);

/* Timed rows per case. */
unsigned bench_runs(const bench_options *options);

/* Sorts the numbers; `count` is at least 1. */
double bench_median(double *numbers, unsigned count);

/* Adds an empty result to the list, or one with these times; never NULL. */
bench_result *bench_add(bench_results *all, const char *program, const char *name,
                        const char *variant, size_t n);

bench_result *bench_add_times(bench_results *all, const char *program, const char *name,
                              const char *variant, const bench_result *times);

/* The least time of the copy kernels of n 4-byte elements in the list; 0: there is none. */
double bench_least_copy(const bench_results *all, size_t n);

/* Makes `calls` >= 2 calls without a gap and returns the milliseconds of device time per
 * call, from the end of the first to the end of the last. Negative: a call failed. */
typedef double bench_row(void *user, unsigned calls);

/* Makes `calls` >= 1 calls, waits once at the end, and returns the microseconds of wall
 * time per call. Negative: a call failed. */
typedef double bench_wall(void *user, unsigned calls);

/* Fills in the times of r: two calls to warm up, `runs` rows, one loop on the wall clock
 * of 100 calls (fewer where that takes long). False if a call failed. */
bool bench_measure(bench_result *r, unsigned runs, bench_row *row, bench_wall *wall, void *user);

/* With --progress, a line on stderr: this case comes now. */
void bench_start(const bench_options *options, const char *program, const char *name,
                 const char *variant, size_t n);
void bench_print_columns(void);
void bench_print(const bench_results *all, const bench_result *r);
/* A reader sees all of the file or the one before: a run may be stopped at any time, and
 * writes after every case. */
bool bench_write_json(const bench_results *all, const bench_place *place, const char *path);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT
 * First use: how long a process takes until the first call of a plan has ended, with empty caches
 * (cold) and with the caches that such a process left (warm). */
#ifndef XL_BENCH_FIRST_H
#define XL_BENCH_FIRST_H

#include "bench_result.h"

#include <crosslane/crosslane.h>

/* The number of elements or points of each case. */
enum { FIRST_N = 100000 };

/* ---- the cases (bench_first_cases.c) ----------------------------------------------------------- */

enum { FIRST_PLANS = 2, FIRST_BUFFERS = 3 };

/* One use of a case: zeros, except ctx, queue and host. */
typedef struct first_use {
    xl_context *ctx;
    cl_command_queue queue;
    void *host;                  /* the input */
    xl_plan *plans[FIRST_PLANS]; /* a grid first; NULL behind the last */
    xl_grid_index *index;
    cl_mem mem[FIRST_BUFFERS];
    uint64_t count; /* of results, if the case reads that */
} first_use;

typedef struct first_case {
    const char *name;
    uint32_t limit; /* of keys; 0: none, FIRST_POINTS, FIRST_POINTS_F64: points */
    xl_status (*create)(xl_context *ctx, xl_plan *plans[FIRST_PLANS]);
    xl_status (*call)(first_use *use);
    const char *(*fault)(first_use *use); /* after the call has ended; NULL: the result is right */
} first_case;
enum { FIRST_POINTS = 1, FIRST_POINTS_F64 = 2 };

extern const first_case first_cases[];
extern const size_t first_num_cases;

/* The input on the host; NULL without memory. */
void *first_input(const first_case *c);
void first_end_plans(xl_plan *plans[FIRST_PLANS]);
void first_end(first_use *use);

/* ---- a process (bench_first_child.c) ------------------------------------------------------------ */

/* The hidden option: "--first-child device", and "--first-child CASE PLATFORM:DEVICE". */
#define FIRST_CHILD "--first-child"
#define FIRST_UNSUPPORTED "unsupported"

/* Prints one line: the device's numbers, "PLATFORM:DEVICE FP64", or the times, FIRST_UNSUPPORTED,
 * or an error. Returns the exit status. */
int first_child(int argc, char **argv);

/* ---- the part (bench_first.c) ------------------------------------------------------------------ */

typedef struct first_times {
    double driver_ms;           /* the driver's own start, before the library is used */
    double library_ms;          /* from xl_context_create() to the end of the first call */
    double again_ms;            /* a second equal plan in the same process */
    unsigned programs, kernels; /* that the library's context has after the call */
} first_times;

typedef struct first_row {
    const char *name;
    bool is_known; /* false: the device lacks something, or --match leaves the case out */
    char wrong[160];
    first_times cold, warm;
} first_row;

typedef struct first_table {
    first_row *rows; /* one for each case */
    bool wrong;
} first_table;

/* Runs the children; `program` is argv[0]. False, with a message on stderr: it cannot be measured
 * here. The process must not have used OpenCL before. */
bool first_measure(const char *program, const bench_options *options, first_table *table);
void first_print(const first_table *table);
/* A member of the JSON file, `"first": [...]`, which the caller frees; NULL without memory. */
char *first_json(const first_table *table);

#endif

/* SPDX-License-Identifier: MIT
 * Calls of the primitives that `crosslane bench` and `crosslane tune` time. Each kind of workload
 * generates its data, and its results are compared with serial code before they are timed. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "reference.h"
#include "tool.h"

/* ---- workload_data.c: random numbers and segments ---- */

/* Segments of n elements: segment s is [at[s], at[s + 1]). */
typedef struct cuts {
    uint8_t *heads; /* 1 if an element begins a segment */
    uint64_t *at;
    uint32_t *offsets; /* equal to `at` */
    size_t count;
} cuts;
/* XL_SEGMENTS_NONE: one segment. False: no memory. */
bool cuts_make(xl_segments form, size_t n, cuts *c);
void cuts_free(cuts *c);
uint64_t random_next(uint64_t *state); /* xorshift64* */
void random_fill(size_t n, uint32_t *out);

/* ---- kinds ---- */

typedef struct workload workload;

/* The index of the output in workload.buffers. */
enum { WORKLOAD_OUT = 3 };

typedef struct workload_kind {
    const char *name;   /* "segmented scan" */
    const char *prefix; /* of the names of its tunables: "scan." */
    size_t most[2];     /* elements at most while tuning: on a CPU, elsewhere; 0: not tuned */
    double moved_bytes; /* bytes per element that a call must read and write; 0: data decide */
    xl_segments form;   /* of scans and reductions */
    /* Generates w->n elements and, if it can, the expected results. */
    int (*open)(workload *w);
    xl_status (*create)(const workload *w, const xl_tunable *values, uint32_t count,
                        xl_plan **plan);
    xl_status (*enqueue)(const workload *w, xl_plan *plan);
    /* Compares w->got with serial code (first), or with w->wanted. */
    bool (*check)(const workload *w, bool first);
    /* The bytes of scratch that plans share; NULL: each plan has its own, which is small. */
    xl_status (*scratch)(const workload *w, const xl_plan *plan, size_t *bytes);
} workload_kind;

struct workload {
    const workload_kind *kind;
    const session *s;
    size_t n;
    cuts cuts;
    cl_mem buffers[WORKLOAD_OUT + 1];
    cl_mem second;  /* the second output, or NULL */
    cl_mem scratch; /* shared by all plans, so that its address does not affect times; or NULL */
    size_t scratch_bytes;
    size_t bytes, second_bytes; /* of the outputs */
    size_t pairs;               /* neighbours */
    void *input;                /* on the host */
    char *got, *wanted;         /* both outputs, one behind the other */
    bool known;                 /* `wanted` is set */
    xl_plan *grid;              /* of the points whose neighbours are searched */
    xl_grid_index *index;       /* built by `grid`, or by the plan that is timed */
    xl_plan *plan, *first;      /* the best plan so far, and the one with the initial values */
    double create_ms;           /* the longest creation of a plan */
};

/* ---- workload_points.c: calls of the kinds that search points ---- */
#define WORKLOAD_CALLS(name)                                                                       \
    int open_##name(workload *w);                                                                  \
    xl_status create_##name(const workload *w, const xl_tunable *values, uint32_t count,           \
                            xl_plan **plan);                                                       \
    xl_status enqueue_##name(const workload *w, xl_plan *plan)
WORKLOAD_CALLS(grid);
WORKLOAD_CALLS(neighbors);
WORKLOAD_CALLS(nearest);
WORKLOAD_CALLS(approximate);
WORKLOAD_CALLS(morton);
bool check_grid(const workload *w, bool first);
bool check_neighbors(const workload *w, bool first);
bool check_nearest(const workload *w, bool first);
bool check_approximate(const workload *w, bool first);
xl_status scratch_grid(const workload *w, const xl_plan *plan, size_t *bytes);

/* ---- workload_arrays.c: calls of the other kinds, and the table ---- */
enum { WORKLOADS = 16 };
extern const workload_kind workload_kinds[WORKLOADS];

/* ---- workload_run.c ---- */

/* For kinds: both report failure. */
int workload_no_memory(const workload *w);
int workload_open_output(workload *w, size_t bytes, size_t second_bytes);
bool check_equal(const workload *w, bool first);

/* Creates a plan with the session's tuning values, generates data of n elements, and checks one
 * call. n = 0: as many elements as a call of 4 ms needs. */
int workload_open(workload *w, const session *s, const workload_kind *kind, size_t n);
void workload_close(workload *w);
/* Creates another plan. False if that fails or the plan's result is wrong. */
bool workload_try(workload *w, const xl_tunable *values, uint32_t count, xl_plan **plan);
/* Destroys a plan unless it is w->first, which workload_close() destroys. */
void workload_drop(const workload *w, xl_plan *plan);

/* The median time of a call of w->plan, in milliseconds. False if a call fails. */
bool workload_time(const workload *w, double *ms);

/* Compares two plans by pairs of measurements, which take turns: at least `least_pairs`. False if a
 * call fails. */
enum { WORKLOAD_FEW_PAIRS = 9, WORKLOAD_MANY_PAIRS = 31 };
typedef struct workload_gain {
    double before_ms, after_ms; /* medians */
    double gain;                /* before / after */
    bool sure;                  /* `after` was faster in three of four pairs */
} workload_gain;
bool workload_compare(const workload *w, size_t least_pairs, xl_plan *before, xl_plan *after,
                      workload_gain *gain);

#endif

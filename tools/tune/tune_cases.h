/* SPDX-License-Identifier: MIT
 * What `crosslane tune` measures: calls of the primitives, each on data of its own, checked
 * against serial code. */
#ifndef TUNE_CASES_H
#define TUNE_CASES_H

#include "reference.h"
#include "tool.h"

/* ---- tune_data.c ---- */

/* Segments of n elements: segment s is [at[s], at[s + 1]). */
typedef struct cuts {
    uint8_t *heads; /* 1 where an element begins a segment */
    uint64_t *at;
    uint32_t *offsets; /* the same as `at` */
    size_t count;
} cuts;
/* False: no memory. XL_SEGMENTS_NONE: one segment. */
bool cuts_make(xl_segments form, size_t n, cuts *c);
void cuts_free(cuts *c);
uint64_t tune_random(uint64_t *state); /* xorshift64* */
void tune_fill(size_t n, uint32_t *out);

typedef struct tune_case tune_case;

/* The place of what comes out among the buffers of a case. */
enum { TUNE_OUT = 3 };

typedef struct tune_kind {
    const char *name;   /* "segmented scan" */
    const char *prefix; /* of the names of its tunables: "scan." */
    size_t most[2];     /* elements at most: of a CPU, of others */
    xl_segments form;   /* of scans and reductions */
    /* Makes the data of c->n elements, and what must come out of them where that is known. */
    int (*open)(tune_case *c);
    xl_status (*create)(const tune_case *c, const xl_tunable *values, uint32_t count, void **plan);
    xl_status (*enqueue)(const tune_case *c, void *plan);
    /* Whether c->got is right: by serial code the first time, then as c->wanted. */
    bool (*check)(const tune_case *c, bool first);
    void (*destroy)(void *plan);
    xl_status (*info)(const tune_case *c, const void *plan, xl_plan_details *info);
    /* How much scratch plans share; NULL: each has its own, which is small. */
    xl_status (*scratch)(const tune_case *c, const void *plan, size_t *bytes);
} tune_kind;

struct tune_case {
    const tune_kind *kind;
    const session *s;
    size_t n;
    cuts cuts;
    cl_mem buffers[TUNE_OUT + 1];
    cl_mem second;  /* what comes out beside it, or NULL */
    cl_mem scratch; /* one for all plans, lest its place in memory count; or NULL */
    size_t scratch_bytes;
    size_t bytes;         /* of what comes out */
    size_t second_bytes;  /* likewise */
    size_t pairs;         /* neighbours */
    void *input;          /* on the host */
    char *got, *wanted;   /* what comes out, and beside it */
    bool known;           /* `wanted` is set */
    xl_plan *grid;        /* of points whose neighbours are searched; */
    xl_grid_index *index; /* what that, or the plan that is timed, has built */
    void *plan, *first;   /* the best so far, and with the values before */
    double create_ms;     /* the longest creation of a plan */
};

/* ---- tune_points.c: the calls of points, as a kind has them ---- */
#define TUNE_CALLS(name)                                                                           \
    int open_##name(tune_case *c);                                                                 \
    xl_status create_##name(const tune_case *c, const xl_tunable *values, uint32_t count,          \
                            void **plan);                                                          \
    xl_status enqueue_##name(const tune_case *c, void *plan);                                      \
    void destroy_##name(void *plan);                                                               \
    xl_status info_##name(const tune_case *c, const void *plan, xl_plan_details *info)
TUNE_CALLS(grid);
TUNE_CALLS(neighbors);
TUNE_CALLS(knn);
TUNE_CALLS(approximate);
TUNE_CALLS(morton);
bool check_grid(const tune_case *c, bool first);
bool check_neighbors(const tune_case *c, bool first);
bool check_nearest(const tune_case *c, bool first);
bool check_approximate(const tune_case *c, bool first);
xl_status scratch_grid(const tune_case *c, const void *plan, size_t *bytes);

/* ---- tune_kinds.c: the table ---- */
enum { TUNE_KINDS = 15 };
extern const tune_kind tune_kinds[TUNE_KINDS];

/* ---- tune_cases.c: what the calls of kinds share, and what is done with them ---- */
int tune_no_memory(const tune_case *c);
/* Room for what comes out, on both sides. */
int tune_open_output(tune_case *c, size_t bytes, size_t second_bytes);
bool check_equal(const tune_case *c, bool first);

/* Makes a plan with the values before, and data enough for a call that can be timed. */
int tune_case_open(tune_case *c, const session *s, const tune_kind *kind);
void tune_case_close(tune_case *c);
/* Another plan. False where it cannot be made, fails, or gives a wrong result. */
bool tune_case_try(tune_case *c, const xl_tunable *values, uint32_t count, void **plan);

/* How much faster `after` is than `before`, by pairs of measurements that take turns: at least so
 * many, whatever time that takes. */
enum { TUNE_FEW_PAIRS = 9, TUNE_MANY_PAIRS = 31 };
typedef struct tune_gain {
    double before_ms, after_ms; /* medians */
    double gain;                /* before / after */
    bool sure;                  /* `after` was the faster one in three of four pairs */
} tune_gain;
/* False where a call fails. */
bool tune_case_compare(const tune_case *c, size_t least_pairs, void *before, void *after,
                       tune_gain *gain);

#endif

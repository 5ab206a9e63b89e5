/* SPDX-License-Identifier: MIT
 * For programs that run cases: cases.c, and the self-test of the program crosslane. */
#ifndef CASE_H
#define CASE_H

#include "xlt_device.h"

/* Up to PLAN_FIELDS they say which plan; the rest is one call on it. 0 is the plainest value
 * of each, which a case's line leaves out. */
typedef enum field {
    PRIMITIVE,
    TYPE,
    OP,
    KIND,
    SEGMENTS,
    SEGMENT_TYPE,
    WIDTH,
    MASK,
    INIT,
    ALGORITHM,
    DETERMINISM,
    MAP,
    FROM,
    ORDER,
    VALUES,
    STRIDE,
    INCLUSIVE,
    SELF,
    UNSORTED,
    STABLE,
    RADIUS,
    CELL,
    TUNE,
    BOUND,
    INDEX,
    VALUES_ONLY,
    SCALAR,
    DIMENSIONS,
    SPACE,
    BATCH,
    AROUND,
    HALF,
    RADII,
    NEIGHBORS,
    LIMITED,
    CODE,
    WAY,
    COMPARE,
    KEY_BYTES,
    FROM_BIT,
    TO_BIT,
    VALUE_BYTES,
    MORE,
    EQUAL_ZEROS,
    WIDE,
    CHOICE,
    BY,
    TEXT,
    BINNING,
    NUM_BINS,
    COUNTER,
    WEIGHT,
    ADDS,
    MOVE,
    ARRAYS,
    ORDERS,
    LAYOUT,
    ROW_ROOM,
    DETAILS,
    VISITS,
    CARRY,
    ILLEGAL,
    ZEROS_APART,
    KERNEL,
    OPERATION,
    WRAP,
    KEEP_NEAREST,
    PLAN_FIELDS,
    N = PLAN_FIELDS,
    COUNT,
    MOST,
    DATA,
    KEYS_FOR,
    PATTERN,
    BROKEN,
    PLACE,
    IN_AT,
    OUT_AT,
    SEGMENTS_AT,
    SCRATCH,
    QUEUE,
    GATE,
    TWICE,
    CUT,
    TOP,
    LEFT_OUT,
    OTHER,
    DEAL,
    BREAKS,
    SHARED,
    RUNS,
    AXES,
    SHAPE,
    FAR,
    TIGHT,
    FIRST,
    ROWS,
    SKEW,
    TURN,
    SPREAD,
    SYSTEMS,
    FAILS,
    PARTS,
    HASH,
    FILLS,
    AT_ONCE,
    SEED,
    ENDING,
    RELEASED,
    EDGE,
    FIELDS
} field;

enum {
    SCAN,
    REDUCE,
    SORT,
    APPROXIMATE,
    TOP_K,
    MERGE,
    SEARCH,
    NEAR,
    NEAREST,
    MOVED,
    MORTON,
    SELECT,
    HISTOGRAM,
    TRANSFORM,
    PRIMITIVES
};
enum { LINE = 900, CASE_N_MOST = 1 << 21 };

typedef struct fuzz_case {
    uint64_t of[FIELDS];
} fuzz_case;

/* Random numbers of two seeds, unlike those of any others near them. */
xlt_random random_of(uint64_t a, uint64_t b);
/* A call on the plan of `c`, whose plan fields are kept. */
void case_draw_call(fuzz_case *c, xlt_random *random);
/* Plan number `plan` of one primitive. */
void case_draw_plan_of(fuzz_case *c, uint64_t which, uint64_t plan);
extern uint64_t draw_most; /* the largest n that case_draw_call() gives */
const char *field_name(field f);
const char *value_name(field f, uint64_t value); /* NULL: a number */
/* Sets fields to 0 that do not go with the others: case_rules.c. */
void case_normalise(fuzz_case *c);
/* "scan type=f32 n=1025 ...". Returns `line`. */
const char *case_print(const fuzz_case *c, char line[LINE]);
/* False, with the reason in `why`, if the line is no case. */
bool case_parse(const char *line, fuzz_case *c, char why[LINE]);
/* Makes the smallest case found for which fails() holds, trying at most `tries`. */
typedef bool case_fails(const fuzz_case *c);
void case_shrink(fuzz_case *c, case_fails *fails, int tries);
/* Why the rules do not allow two values together; NULL: a number would be too large or too small.
 */
typedef void told_pair(field f, uint64_t x, field g, uint64_t y, const char *because);
/* Cases of a primitive that cover all pairs of values of two fields that the rules allow. Plans are
 * in an order in which each covers the most pairs that those before it do not; `plans` is the
 * number of each case's plan. */
typedef struct case_list {
    fuzz_case *cases;
    size_t *plans;
    size_t count, num_plans, pairs, excluded, illegal; /* cases that must be refused */
    told_pair *tell;                                   /* of each pair that is excluded; or NULL */
} case_list;
case_list case_pairs(uint64_t which, uint64_t seed, told_pair *tell);
void free_case_list(case_list *list);
/* Calls each() for the cases of the plan that list->cases[k] begins, then for `calls` random calls
 * on that plan, until each() returns false. Then it returns false. */
typedef bool case_each(const fuzz_case *c, void *self);
bool each_case_of_plan(const case_list *list, size_t k, uint64_t seed, uint64_t calls,
                       case_each *each, void *self);
const char *primitive_name(uint64_t which);

typedef struct outcome {
    bool failed, refused;
    char text[900];
} outcome;
/* Runs the case on a plan that is kept; `before`, if not NULL, receives the line of the last
 * case on that plan, or "". */
void run_case(const fuzz_case *c, outcome *o, char before[LINE]);
void close_plans(void);
/* Changes the type to one that the device has. */
void fit_device(fuzz_case *c);
/* Plans that were made or refused, and the seconds that plans and grids took. */
typedef struct plan_counts {
    size_t opened, refused;
    double seconds;
} plan_counts;
extern plan_counts plans_made;
double seconds_now(void);
bool device_works(void);

#endif

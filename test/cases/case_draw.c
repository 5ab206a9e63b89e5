/* SPDX-License-Identifier: MIT
 * Which cases are drawn: plans by their number, calls by weights. */
#include "cases.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool one_in(xlt_random *random, uint32_t n)
{
    return xlt_below(random, n) == 0;
}

/* Values of the fields that are numbers. Each value represents the numbers that are like it. */
#define LEVELS(...)                                                                                \
    {                                                                                              \
        (const uint64_t[]){__VA_ARGS__}, COUNT_OF(((uint64_t[]){__VA_ARGS__}))                     \
    }
static const struct {
    const uint64_t *levels;
    size_t count;
} numbers[FIELDS] = {
    [WIDTH] = LEVELS(1, 3, 32, 33, 64, 2999),
    [MASK] = LEVELS(0, 0x8000000000000001, 0x8a1870cc96b6f499),
    [TUNE] = LEVELS(0, 1, 2, 3, 4),
    [FROM_BIT] = LEVELS(0, 3, 4, 7, 8, 10, 11, 16, 30, 50),
    [TO_BIT] = LEVELS(0, 5, 8, 15, 16, 20, 22, 24, 28, 31, 32, 40, 48, 63, 64),
    [MORE] = LEVELS(0, 1, 2, 3),
    [NUM_BINS] = LEVELS(1, 2, 5, 64, 256, 1000, 4096, 20000, 300000),
    [N] = LEVELS(0, 1, 2, 15, 33, 64, 129, 255, 513, 1025, 2600, 6145),
    [MOST] = LEVELS(0, 1, 300),
    [IN_AT] = LEVELS(0, 1, 2, 7, 64),
    [OUT_AT] = LEVELS(0, 1, 2, 7, 64),
    [SEGMENTS_AT] = LEVELS(0, 1, 7),
    [TOP] = LEVELS(0, 1, 40, 513, 4000),
    [LEFT_OUT] = LEVELS(0, 1, 2, 4, 8, 16, 5, 12, 3),
    [OTHER] = LEVELS(0, 1, 31, 64, 200, 1500, 5000),
    [BREAKS] = LEVELS(0, 1, 4),
    [RUNS] = LEVELS(0, 1, 2, 3, 5, 16, 300),
    [AXES] = LEVELS(0, 1, 2, 4, 3, 5, 6),
    [SHAPE] = LEVELS(0, 1, 2, 3, 4),
    [FAR] = LEVELS(0, 1, 2),
    [TIGHT] = LEVELS(0, 1, 2),
    [FIRST] = LEVELS(0, 1, 50),
    [ROWS] = LEVELS(0, 1, 70),
    [PARTS] = LEVELS(0, 1, 2, 3),
    [FILLS] = LEVELS(0, 1, 3),
};

uint64_t count_levels(field f)
{
    const uint64_t values = values_of(f);
    return values > 0 ? values : numbers[f].count > 0 ? numbers[f].count : 1;
}

uint64_t level_of(field f, uint64_t k)
{
    return values_of(f) > 0 ? k : numbers[f].count > 0 ? numbers[f].levels[k] : 0;
}

/* A value of each field, the plainest as often as all others. */
static void draw_values(fuzz_case *c, xlt_random *random, field from, field to)
{
    for (field f = from; f < to; ++f) {
        const uint64_t values = values_of(f);
        c->of[f] = values > 0 && xlt_below(random, 2) ? xlt_below(random, (uint32_t)values) : 0;
    }
}

static uint64_t any_level(xlt_random *random, field f)
{
    return level_of(f, xlt_below(random, (uint32_t)count_levels(f)));
}

/* A type is not plain more often than other fields, and most tunings are the device's own. */
void case_draw_plan_of(fuzz_case *c, uint64_t which, uint64_t plan)
{
    xlt_random random = random_of(plan, 3 + which);
    *c = (fuzz_case){{0}};
    for (field f = TYPE; f < PLAN_FIELDS; ++f)
        if (!one_in(&random, f == TUNE ? 2 : 4))
            c->of[f] = any_level(&random, f);
    c->of[PRIMITIVE] = which;
    c->of[ILLEGAL] = 0; /* those are for all pairs */
    c->of[TYPE] = xlt_below(&random, which <= REDUCE || which >= SELECT ? NUM_TYPES : NUM_SCALARS);
    c->of[NUM_BINS] = any_level(&random, NUM_BINS);
    if (one_in(&random, 2)) /* most other fields depend on it */
        c->of[COMPARE] = 0;
    if (which == SORT || which == TOP_K) /* the other forms are not theirs */
        c->of[SEGMENTS] = one_in(&random, 3) ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
    case_normalise(c);
}

/* Around multiples of what tiles, groups and vectors hold, or anything up to a power of two. */
uint64_t draw_most = 3 * 16384 + 1;

static uint64_t draw_n(xlt_random *random, bool few)
{
    static const uint16_t borders[] = {1,   2,   4,   8,    16,   32,   64,   96,
                                       128, 256, 512, 1024, 2048, 4096, 8192, 16384};
    const uint32_t ways = xlt_small() ? 10 : few ? 11 : COUNT_OF(borders);
    /* Few are large, which cost most. */
    const uint32_t way =
        one_in(random, 12) ? xlt_below(random, ways) : xlt_below(random, ways < 13 ? ways : 13);
    if (one_in(random, 3))
        return xlt_below(random, borders[way] * 2u);
    if (!few && draw_most > 65536 && one_in(random, 200))
        return xlt_below(random, (uint32_t)draw_most + 1);
    const uint64_t near =
        (uint64_t)borders[way] * (1 + xlt_below(random, 3)) + xlt_below(random, 3) - 1;
    return near < draw_most ? near : draw_most;
}

/* Of k, and of a second array: few, as many, or anything. */
static uint64_t draw_second(const fuzz_case *c, xlt_random *random)
{
    const uint64_t n = c->of[N], other = draw_n(random, false);
    if (c->of[PRIMITIVE] == TRANSFORM)
        return one_in(random, 3) ? other : n;
    if (c->of[PRIMITIVE] != TOP_K)
        return other;
    const uint64_t k[] = {1, n / 2, n - (n > 0), n, n + 3, other, other % (n + 1), 0};
    return k[xlt_below(random, COUNT_OF(k))];
}

static void draw_places(fuzz_case *c, xlt_random *random)
{
    for (field f = IN_AT; f <= SEGMENTS_AT; ++f)
        c->of[f] = one_in(random, 2) ? 0 : xlt_below(random, one_in(random, 4) ? 65 : 8);
}

/* A box or a cell, which axes repeat, other places, and some of the rows. */
static void draw_space(fuzz_case *c, xlt_random *random)
{
    const uint64_t most = xlt_on_oclgrind() ? 24 : CASE_N_MOST; /* pairs take long there */
    c->of[OTHER] = draw_n(random, true) % (most + 1);
    c->of[N] %= most + 1;
    if ((c->of[PRIMITIVE] == NEAR || c->of[PRIMITIVE] == NEAREST) && c->of[N] > 520)
        c->of[N] = 520; /* more is for cases that are kept */
    c->of[AXES] = one_in(random, 2) ? 0 : xlt_below(random, 8);
    c->of[SHAPE] = xlt_next(random) >> 44;
    c->of[FAR] = xlt_below(random, 3);
    c->of[TIGHT] = one_in(random, 4) ? 1 + xlt_below(random, 2) : 0;
    if (!one_in(random, 3))
        c->of[FAILS] = FAILS_NOT;
    c->of[FIRST] = one_in(random, 2) ? 0 : xlt_below(random, 200);
    c->of[ROWS] = one_in(random, 2) ? 0 : 1 + xlt_below(random, 100);
}

void case_draw_call(fuzz_case *c, xlt_random *random)
{
    draw_values(c, random, PLAN_FIELDS, ENDING);
    c->of[N] = draw_n(random, c->of[PRIMITIVE] == NEAR);
    c->of[MOST] = one_in(random, 2) ? xlt_below(random, 3) : xlt_below(random, 500);
    c->of[PATTERN] = xlt_below(random, PATTERNS);
    if (!one_in(random, 6))
        c->of[BROKEN] = 0;
    if (!one_in(random, 4))
        c->of[GATE] = 0;
    draw_places(c, random);
    if (has_keys(c) && c->of[PRIMITIVE] != SORT) {
        c->of[TOP] = c->of[OTHER] = draw_second(c, random);
        c->of[LEFT_OUT] = one_in(random, 2) ? 0 : xlt_below(random, NO_LENGTHS - 1);
        c->of[BREAKS] = one_in(random, 3) ? 1 + xlt_below(random, 4) : 0;
    }
    if (c->of[PRIMITIVE] == TRANSFORM)
        c->of[OTHER] = draw_second(c, random);
    if (c->of[PRIMITIVE] == SELECT)
        c->of[LEFT_OUT] = one_in(random, 2) ? 0 : xlt_below(random, ALL_LEFT_OUT);
    if (!one_in(random, 6))
        c->of[SHARED] = 0;
    if (!one_in(random, 3))
        c->of[RUNS] = 0;
    if (has_space(c))
        draw_space(c, random);
    c->of[PARTS] = xlt_below(random, 4);
    c->of[SEED] = xlt_next(random) >> 44;
    if (c->of[PRIMITIVE] == NEAR && one_in(random, 3))
        c->of[FILLS] = 1 + xlt_below(random, 3);
    if (c->of[PRIMITIVE] == NEAR && one_in(random, 3))
        c->of[LEFT_OUT] = xlt_below(random, 16);
    draw_values(c, random, ENDING, FIELDS);
    if (!one_in(random, 8)) /* the next case makes the plan again */
        c->of[RELEASED] %= PLAN_FIRST;
    case_normalise(c);
    fit_device(c);
}

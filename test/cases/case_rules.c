/* SPDX-License-Identifier: MIT
 * Which fields of a case go with which. A field that breaks its rule is set to 0. */
#include "cases.h"

#include <crosslane/histogram.h>
#include <crosslane/select.h>
#include <crosslane/transform.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define IS(p) (c->of[PRIMITIVE] == (p))
#define OF(f) (c->of[f])

/* ---- properties of a case -------------------------------------------------------------------- */

static bool is_user(const fuzz_case *c)
{
    return OF(TYPE) >= FIRST_USER;
}

static bool is_floating(const fuzz_case *c)
{
    return element_of(c)->numbers == FLOATING;
}

static bool moves(const fuzz_case *c)
{
    return IS(TRANSFORM) && (OF(MOVE) == XL_TRANSFORM_GATHER || OF(MOVE) == XL_TRANSFORM_SCATTER);
}

static bool chooses(const fuzz_case *c)
{
    return OF(CHOICE) <= XL_SELECT_PARTITION3;
}

static bool compares(const fuzz_case *c)
{
    return OF(CHOICE) == XL_SELECT_UNIQUE || OF(CHOICE) == XL_SELECT_RUNS;
}

static bool type_goes(const fuzz_case *c)
{
    return (!has_keys(c) && !IS(HISTOGRAM)) || OF(TYPE) < NUM_SCALARS;
}

static bool has_arrays(const fuzz_case *c)
{
    return OF(SEGMENTS) >= XL_SEGMENTS_HEAD_FLAGS && OF(SEGMENTS) <= XL_SEGMENTS_KEYS;
}

static bool has_offsets(const fuzz_case *c)
{
    return OF(SEGMENTS) == XL_SEGMENTS_OFFSETS;
}

static bool has_width(const fuzz_case *c)
{
    return OF(SEGMENTS) == XL_SEGMENTS_WIDTH || OF(SEGMENTS) == XL_SEGMENTS_MASK;
}

static bool pattern_goes(const fuzz_case *c)
{
    return has_arrays(c) || has_offsets(c);
}

static bool algorithm_goes(const fuzz_case *c)
{
    const uint64_t algorithm = OF(ALGORITHM);
    if (IS(MOVED))
        return algorithm == ALGORITHM_COUNTING || algorithm == ALGORITHM_BITONIC;
    return IS(SORT) ? algorithm >= ALGORITHM_BITONIC : algorithm <= XL_SCAN_REDUCE_THEN_SCAN;
}

/* A range that is all bits is none. */
static bool has_some_bits(const fuzz_case *c)
{
    return OF(FROM_BIT) > 0 || (OF(TO_BIT) > 0 && OF(TO_BIT) != 8 * element_of(c)->bytes);
}

static bool range_goes(const fuzz_case *c)
{
    return OF(COMPARE) == COMPARE_NONE && !OF(SEGMENTS);
}

static bool asks(const fuzz_case *c)
{
    return IS(SEARCH) && OF(BOUND) == XL_SEARCH_UNSORTED;
}

static bool repeats(const fuzz_case *c)
{
    return OF(SPACE) >= SPACE_BOX;
}

/* Outputs that the call has, as bits. */
static uint64_t outputs(const fuzz_case *c)
{
    const uint64_t values = OF(VALUES) != VALUES_NONE ? NO_VALUES : 0,
                   lengths = IS(SELECT) && OF(CHOICE) == XL_SELECT_RUNS ? NO_LENGTHS : 0;
    if (IS(NEAR)) /* images of a point are told apart by their shifts */
        return (OF(DETAILS)  ? 0
                : repeats(c) ? NO_DISTANCES | NO_VECTORS
                             : NO_DISTANCES | NO_VECTORS | NO_SHIFTS) |
               (OF(ROW_ROOM) ? 0 : NO_COUNT);
    return NO_KEYS | NO_INDICES | NO_COUNT | values | lengths;
}

/* ---- the rules ------------------------------------------------------------------------------- */

/* Goes over all rules in their order. */
typedef struct pass {
    fuzz_case *c;
    bool spares;   /* the first broken rule that the library checks */
    size_t spared; /* its number, from 1; 0: none */
    size_t only;   /* the one rule that the pass looks at; 0: all */
    size_t at;     /* the number of this rule */
    field asked;
    const char *because; /* why that field is set to 0; NULL: it is not */
} pass;

static void rule(pass *p, field f, bool holds, const char *because, bool checked)
{
    ++p->at;
    if (holds || (p->only > 0 && p->at != p->only))
        return;
    if (p->spares && checked && p->spared == 0)
        p->spared = p->at;
    else
        p->c->of[f] = 0;
    if (f == p->asked && !p->because)
        p->because = because;
}

/* A field that is not 0 breaks a rule if the condition does not hold. The library refuses a
 * descriptor that breaks a CHECKED rule. */
#define RULE(f, holds, because) rule(p, f, OF(f) == 0 || (holds), because, false)
#define CHECKED(f, holds, because) rule(p, f, OF(f) == 0 || (holds), because, true)

static void rules_of_types(pass *p)
{
    const fuzz_case *const c = p->c;
    RULE(TYPE, OF(COMPARE) != COMPARE_STRUCT, "a comparator has a structure as its key here");
    RULE(TYPE, type_goes(c), "keys and bins are of scalars");
    RULE(TYPE, !(IS(SELECT) || IS(TRANSFORM)) || OF(TYPE) < FIRST_USER + 4,
         "operators beside built-in types are for scans and reductions");
    RULE(TYPE, OF(BINNING) != XL_HISTOGRAM_KEYS || !is_floating(c),
         "only integers are their own bins");
    RULE(TYPE,
         !IS(TRANSFORM) || OF(MOVE) != XL_TRANSFORM_ADJACENT || element_of(c)->numbers != STRUCT,
         "a structure has no difference");
    RULE(COMPARE, OF(COMPARE) != COMPARE_LOW || !is_floating(c),
         "this comparator takes the low bits of an integer");
    RULE(OP, !is_user(c) && (OF(OP) < 7 || (IS(REDUCE) && element_of(c)->lanes == 1)),
         "user types have one operator; only reductions of scalars give an index");
    CHECKED(OP, !is_floating(c) || OF(OP) < 4 || case_is_arg(c), "and, or, xor are for integers");
    RULE(MAP,
         element_of(c)->lanes == 1 && !is_user(c) && element_of(c)->type != XL_F16 &&
             !(is_floating(c) && OF(OP) == 1),
         "the expression is exact only for these types");
    RULE(MAP, !IS(HISTOGRAM) || OF(MAP) == MAP_LOAD, "a histogram has no store");
    RULE(MAP, OF(MAP) < MAP_STORE || !(case_is_arg(c) || element_of(c)->numbers == SIGNED),
         "a sum of signed integers would overflow; an index has no store");
    RULE(FROM,
         element_of(c)->lanes == 1 && !is_user(c) && element_of(c)->numbers != STRUCT &&
             (OF(MAP) == MAP_NONE || OF(MAP) == MAP_STORE) &&
             is_floating(c) == (source_of(c)->numbers == FLOATING),
         "scalars are converted to such of the same kind, or loaded by an expression");
}

static void rules_of_segments(pass *p)
{
    const fuzz_case *const c = p->c;
    RULE(SEGMENTS, !(IS(SORT) || IS(TOP_K)) || has_offsets(c),
         "sorts and selections of the largest take offsets");
    RULE(SEGMENT_TYPE, OF(SEGMENTS) == XL_SEGMENTS_KEYS || (has_offsets(c) && OF(SEGMENT_TYPE) < 2),
         "only keys and offsets have a type");
    RULE(WIDTH, has_width(c), "only these segments have a width");
    RULE(MASK, OF(SEGMENTS) == XL_SEGMENTS_MASK, "only these segments have a mask");
    RULE(PATTERN, pattern_goes(c), "the segments have no array");
    RULE(BROKEN, has_offsets(c), "only offsets can break their rule");
    RULE(BROKEN, !OF(CARRY), "offsets of parts are cut from right ones");
    RULE(SEGMENTS_AT, pattern_goes(c), "the segments have no array");
    RULE(CUT,
         IS(NEAR) ? !OF(ROW_ROOM) && !OF(FILLS) && OF(CUT) != CUT_UNSAID
                  : OF(CUT) != CUT_MORE && (has_arrays(c) || IS(SELECT)),
         "the number of results is known");
}

static void rules_of_folds_and_sorts(pass *p)
{
    const fuzz_case *const c = p->c;
    RULE(INIT, IS(SCAN) || OF(INIT) != INIT_DEVICE, "only scans read init on the device");
    RULE(INIT, !case_is_arg(c), "an index has no init");
    RULE(ALGORITHM, algorithm_goes(c), "the primitive does not have this algorithm");
    CHECKED(ALGORITHM,
            OF(ALGORITHM) == XL_SCAN_AUTO || OF(DETERMINISM) != XL_REPRODUCIBLE || !case_rounds(c),
            "this algorithm is not reproducible");
    CHECKED(ALGORITHM, OF(ALGORITHM) != XL_SCAN_LOOKBACK || OF(CARRY) != CARRY_ALONE,
            "a carry alone is a reduction");
    CHECKED(MAP, OF(MAP) < MAP_STORE || OF(CARRY) != CARRY_ALONE, "nothing is stored");
    RULE(COMPARE, type_goes(c), "keys are of scalars");
    RULE(KEY_BYTES, OF(COMPARE) == COMPARE_STRUCT, "built-in types have their own size");
    RULE(TO_BIT, range_goes(c), "a comparator and segments take all bits");
    RULE(FROM_BIT, range_goes(c), "a comparator and segments take all bits");
    CHECKED(TO_BIT, OF(TO_BIT) <= 8 * element_of(c)->bytes, "the key has fewer bits");
    CHECKED(FROM_BIT, OF(FROM_BIT) < (OF(TO_BIT) ? OF(TO_BIT) : 8 * element_of(c)->bytes),
            "the range is empty");
    RULE(EQUAL_ZEROS,
         !IS(REDUCE) || (is_floating(c) && (case_is_arg(c) || OF(OP) == 2 || OF(OP) == 3)),
         "only the least and the greatest tell zeros apart");
    CHECKED(EQUAL_ZEROS, OF(COMPARE) == COMPARE_NONE && !has_some_bits(c),
            "zeros are equal only in an order of all bits");
    CHECKED(WIDE, OF(COMPARE) == COMPARE_NONE && !OF(SEGMENTS) && !OF(EQUAL_ZEROS),
            "large sorts are radix sorts of whole arrays");
    CHECKED(ALGORITHM, !IS(SORT) || OF(COMPARE) == COMPARE_NONE, "comparators take XL_SORT_AUTO");
    CHECKED(ALGORITHM, !IS(SORT) || !OF(SEGMENTS) || OF(ALGORITHM) == ALGORITHM_BITONIC,
            "segments are not sorted by digits");
    RULE(ALGORITHM,
         !IS(SORT) || !(OF(FROM_BIT) || OF(TO_BIT) || OF(WIDE)) || OF(ALGORITHM) == ALGORITHM_RADIX,
         "bits and large sorts take the radix sort");
}

static void rules_of_arrays(pass *p)
{
    const fuzz_case *const c = p->c;
    RULE(VALUES, IS(SORT) || OF(VALUES) != VALUES_INDICES, "only sorts make indices");
    RULE(VALUE_BYTES, OF(VALUES) == VALUES_U32, "there are no values, or they are made");
    RULE(MORE, OF(VALUES) != VALUES_NONE, "more values follow values");
    CHECKED(VALUES_ONLY, OF(VALUES) != VALUES_NONE, "there would be no output");
    RULE(PLACE, !IS(TRANSFORM) || !moves(c), "elements move");
    RULE(PLACE, IS(SORT) || OF(PLACE) == PLACE_IN, "only sorts have two arrays");
    RULE(PLACE, in_bytes_of(c) == out_bytes_of(c), "the elements have two sizes");
    RULE(PLACE, OF(CARRY) != CARRY_ALONE, "there are no results");
    RULE(PLACE, OF(PLACE) <= PLACE_IN || OF(VALUES) == VALUES_U32, "there is no second array");
    RULE(PLACE, OF(PLACE) <= PLACE_IN || !OF(VALUES_ONLY), "no keys come out");
    RULE(SPACE, OF(SPACE) != SPACE_OWN || OF(BATCH), "there are no systems");
    RULE(SPACE, !IS(NEAREST) || OF(LIMITED) || OF(SPACE) != SPACE_OWN,
         "some rows would be given up");
    RULE(RADIUS, OF(CELL) != 1 || OF(RADIUS) != 2, "walks of thousands of cells");
    RULE(CELL, !IS(MOVED) || OF(CELL) < CELL_CHOSEN, "points are in the order of their cells");
    RULE(LEFT_OUT, (OF(LEFT_OUT) & ~outputs(c)) == 0, "the call has no such output");
    RULE(LEFT_OUT, IS(NEAR) || OF(LEFT_OUT) != outputs(c), "there would be no output");
    RULE(KEYS_FOR, OF(DATA) == RANDOM && OF(COMPARE) == COMPARE_NONE,
         "the data says which keys, or a comparator has its own");
    RULE(INDEX, !asks(c) && (!IS(TRANSFORM) || moves(c)),
         "the call gives one u64, or moves nothing");
    RULE(RUNS, !OF(OPERATION), "set operations have two arrays");
    RULE(SHARED, !OF(RUNS), "there is one array");
    RULE(COUNT, !OF(RUNS), "the ends of runs are on the host");
    RULE(MOST, OF(COUNT) == COUNT_ON_DEVICE, "the number is on the host");
    RULE(OTHER, !OF(SHARED) && !OF(RUNS), "there is one array");
    RULE(SHARED, !asks(c), "there is one array");
    RULE(DEAL, !asks(c) && !OF(SHARED) && !(IS(SEARCH) && OF(DEAL) == DEAL_RUNS),
         "there is one array, or queries");
}

static void rules_of_selections(pass *p)
{
    const fuzz_case *const c = p->c;
    CHECKED(BY, chooses(c), "runs and lengths choose");
    CHECKED(BY, OF(CHOICE) != XL_SELECT_PARTITION3 || OF(BY) != XL_SELECT_BY_BITMASK,
            "a bit tells two classes");
    RULE(TEXT,
         IS(TRANSFORM) ? !moves(c)
                       : compares(c) || (chooses(c) && OF(BY) == XL_SELECT_BY_PREDICATE),
         "there is no expression");
    RULE(ARRAYS, OF(MOVE) != XL_TRANSFORM_ADJACENT, "there is one array");
    CHECKED(WEIGHT, counter_of(c)->numbers == FLOATING || weight_of(c)->numbers != FLOATING,
            "integers hold no sums of floating-point numbers");
    CHECKED(COUNTER, !IS(HISTOGRAM) || OF(WEIGHT) || OF(COUNTER) < 2,
            "counts of elements are unsigned integers");
}

static void rules_of_searches(pass *p)
{
    const fuzz_case *const c = p->c;
    RULE(OTHER, !has_space(c) || OF(AROUND), "the points are the queries");
    RULE(SELF, !has_space(c) || !OF(AROUND), "a given query is no point");
    CHECKED(HALF, !OF(AROUND) && OF(RADII) != XL_RADII_QUERY,
            "half of the pairs is of points, and (i, j) has the radius of (j, i)");
    CHECKED(KEEP_NEAREST, OF(ROW_ROOM), "rows of any length keep all neighbours");
    RULE(KERNEL, !OF(WAY) && !OF(AROUND) && !OF(RADII) && !OF(HALF) && !OF(SELF),
         "this kernel searches the usual index for all points but the point itself");
    RULE(KERNEL, OF(SPACE) != SPACE_OWN, "kernels take one cell for all systems");
    RULE(DIMENSIONS, !(IS(MORTON) || IS(APPROXIMATE)) || OF(DIMENSIONS) < 2,
         "Morton codes have two or three dimensions");
    RULE(AXES, repeats(c), "space does not repeat");
    RULE(BATCH, !IS(NEAREST) || OF(LIMITED) || !repeats(c), "some rows would be given up");
    RULE(NEIGHBORS,
         IS(NEAREST) ? OF(NEIGHBORS) < 5 || OF(LIMITED) || !repeats(c) : OF(NEIGHBORS) < 3,
         "an approximate search has fewer, and a reference takes long");
    RULE(AXES, !IS(NEAREST) || OF(LIMITED) || OF(SPACE) != SPACE_CELL,
         "some rows would be given up");
    RULE(AT_ONCE, !OF(AT_ONCE) || OF(FILLS) == 0, "one call fills one part");
}

static void rules_of_points(pass *p)
{
    const fuzz_case *const c = p->c;
    RULE(TIGHT, OF(TIGHT) < 2 || !IS(NEAREST),
         "the reference looks at three images on either side");
    RULE(TIGHT, repeats(c), "no edge is a period");
    RULE(SKEW, OF(SPACE) == SPACE_CELL, "only the vectors of a cell lean");
    RULE(TURN, OF(SPACE) == SPACE_CELL, "only the vectors of a cell have an order");
    RULE(SPREAD, OF(SPREAD) < FAR_AWAY || OF(SPREAD) > ALONG_LINES || OF(SPACE) == SPACE_OPEN,
         "points must be in the box");
    RULE(SPREAD, OF(SPREAD) != TINY || !IS(NEAR), "all pairs are neighbours, or none");
    RULE(SPREAD, OF(SPREAD) != OTHER_PERIODS || (OF(AROUND) && repeats(c)),
         "queries may be in other periods");
    RULE(SYSTEMS, OF(BATCH) && OF(SPACE) != SPACE_OWN, "there are no systems, or each has a cell");
    CHECKED(WRAP, repeats(c), "space does not repeat");
    RULE(FAILS, OF(FAILS) != FAILS_OUTSIDE || OF(SPACE) != SPACE_OPEN, "there is no box");
    RULE(FAILS, OF(FAILS) != FAILS_SYSTEM || OF(BATCH), "there are no systems");
}

static void rules_of_data(pass *p)
{
    const fuzz_case *const c = p->c;
    RULE(PARTS, OF(CARRY) && OF(COUNT) == COUNT_ON_HOST,
         "only scans with a carry are made in parts");
    RULE(HASH, element_of(c)->type == XL_F32 && OF(DETERMINISM) == XL_REPRODUCIBLE,
         "only reproducible results of f32 have one hash on every device");
    RULE(HASH, OF(CARRY) != CARRY_ALONE, "there are no results");
    RULE(DATA,
         !(IS(SCAN) || IS(REDUCE)) || element_of(c)->type != XL_F16 ||
             (OF(DATA) != REAL && OF(DATA) != EQUAL && OF(DATA) != SORTED && OF(DATA) != REVERSED),
         "results of halves would round");
    RULE(ZEROS_APART, compares(c) && !OF(TEXT), "the order of zeros has no effect");
    RULE(ENDING, OF(GATE), "the call waits for nothing");
}

static void apply_rules(pass *p)
{
    rules_of_types(p);
    rules_of_segments(p);
    rules_of_folds_and_sorts(p);
    rules_of_arrays(p);
    rules_of_selections(p);
    rules_of_searches(p);
    rules_of_points(p);
    rules_of_data(p);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void at_most(fuzz_case *c, field f, uint64_t most)
{
    if (c->of[f] > most)
        c->of[f] = most;
}

/* All pairs of points are looked at, with some of their images. */
static void limit_points(fuzz_case *c)
{
    static const uint16_t most[PRIMITIVES] = {
        [NEAR] = 1300, [NEAREST] = 1300, [MOVED] = 3000, [MORTON] = 6000, [APPROXIMATE] = 600};
    const uint64_t few = !repeats(c)   ? most[OF(PRIMITIVE)]
                         : IS(NEAR)    ? 200
                         : IS(NEAREST) ? 150
                                       : most[OF(PRIMITIVE)];
    at_most(c, N, few);
    at_most(c, OTHER, few);
    if (OF(TIGHT)) { /* with many images */
        at_most(c, N, 33);
        at_most(c, OTHER, 33);
    }
}

/* Elements that no default expression is known for. */
static bool needs_text(const fuzz_case *c)
{
    const element *e = element_of(c);
    if (compares(c))
        return is_user(c);
    return chooses(c) && OF(BY) == XL_SELECT_BY_PREDICATE && (is_user(c) || e->lanes > 1);
}

/* Fields that some others need, and arrays that would be too large. */
static void complete(fuzz_case *c)
{
    const element *e = element_of(c);
    if (OF(SEGMENTS) == XL_SEGMENTS_MASK)
        at_most(c, WIDTH, 64);
    if (has_width(c) && OF(WIDTH) == 0)
        c->of[WIDTH] = 1;
    if ((IS(SCAN) && OF(KIND) == XL_EXCLUSIVE) || (IS(REDUCE) && has_offsets(c)))
        if (OF(INIT) == INIT_NONE && e->user_op && !e->user_op->identity)
            c->of[INIT] = INIT_HOST;
    if (has_space(c))
        limit_points(c);
    if (IS(TOP_K) && OF(SEGMENTS)) { /* each of them has k results */
        at_most(c, N, 6000);
        at_most(c, TOP, 70);
    }
    if (e->bytes > 16)
        at_most(c, N, ((uint64_t)1 << 22) / e->bytes);
    if (IS(SELECT) && needs_text(c))
        c->of[TEXT] = 1;
    if (IS(HISTOGRAM) && OF(NUM_BINS) == 0)
        c->of[NUM_BINS] = 1;
}

static void keep_heeded(fuzz_case *c)
{
    for (field f = 0; f < FIELDS; ++f)
        if (!heeds(c, f))
            c->of[f] = 0;
}

void case_normalise(fuzz_case *c)
{
    pass all = {.c = c, .spares = c->of[ILLEGAL]};
    keep_heeded(c);
    apply_rules(&all);
    complete(c);
    pass again = {.c = c, .spares = true, .only = all.spared};
    if (all.spared > 0)
        apply_rules(&again);
    if (c->of[ILLEGAL] && again.spared == 0) {
        c->of[ILLEGAL] = 0;
        case_normalise(c);
    }
}

xl_status case_refused(const fuzz_case *c)
{
    fuzz_case tried = *c;
    pass all = {.c = &tried, .spares = c->of[ILLEGAL]};
    apply_rules(&all);
    return all.spared > 0 ? XL_ERROR_INVALID_ARGUMENT : XL_SUCCESS;
}

const char *case_because(const fuzz_case *c, field f)
{
    fuzz_case tried = *c;
    pass all = {.c = &tried, .asked = f};
    keep_heeded(&tried);
    apply_rules(&all);
    return all.because;
}

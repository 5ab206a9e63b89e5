/* SPDX-License-Identifier: MIT
 * Which fields of a case go with which: one table. A field that breaks its rule is set to 0. */
#include "cases.h"

#include <crosslane/histogram.h>
#include <crosslane/select.h>
#include <crosslane/transform.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef bool may(const fuzz_case *c);

#define RULE(name, holds)                                                                          \
    static bool name(const fuzz_case *c)                                                           \
    {                                                                                              \
        return holds;                                                                              \
    }
#define IS(p) (c->of[PRIMITIVE] == (p))
#define OF(f) (c->of[f])

/* ---- types and operators ---- */

static bool is_user(const fuzz_case *c)
{
    return OF(TYPE) >= FIRST_USER;
}

static bool is_floating(const fuzz_case *c)
{
    return element_of(c)->numbers == FLOATING;
}

static bool has_numbers(const fuzz_case *c)
{
    return element_of(c)->numbers != STRUCT;
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

RULE(compare_goes, OF(COMPARE) != COMPARE_LOW || !is_floating(c))
RULE(type_goes, (!has_keys(c) && !IS(HISTOGRAM)) || OF(TYPE) < NUM_SCALARS)
RULE(type_is_known, !(IS(SELECT) || IS(TRANSFORM)) || OF(TYPE) < FIRST_USER + 4)
RULE(type_is_compared, OF(COMPARE) != COMPARE_STRUCT)
RULE(type_has_bins, OF(BINNING) != XL_HISTOGRAM_KEYS || !is_floating(c))
RULE(type_is_plain, !IS(TRANSFORM) || OF(MOVE) != XL_TRANSFORM_ADJACENT || has_numbers(c))
RULE(op_goes, !is_user(c) && (OF(OP) < 7 || (IS(REDUCE) && element_of(c)->lanes == 1)))
RULE(op_of_integers, !is_floating(c) || OF(OP) < 4 || case_is_arg(c))
RULE(map_goes, element_of(c)->lanes == 1 && !is_user(c) && element_of(c)->type != XL_F16 &&
                   !(is_floating(c) && OF(OP) == 1))
RULE(map_loads, !IS(HISTOGRAM) || OF(MAP) == MAP_LOAD)
RULE(map_stores, OF(MAP) < MAP_STORE || !(case_is_arg(c) || element_of(c)->numbers == SIGNED))

/* Numbers of either kind: a conversion between the kinds is exact for some only. */
RULE(from_goes, element_of(c)->lanes == 1 && !is_user(c) && has_numbers(c) &&
                    (OF(MAP) == MAP_NONE || OF(MAP) == MAP_STORE) &&
                    is_floating(c) == (source_of(c)->numbers == FLOATING))

/* ---- segments ---- */

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

RULE(segments_go, !(IS(SORT) || IS(TOP_K)) || has_offsets(c))
RULE(segment_type_goes,
     OF(SEGMENTS) == XL_SEGMENTS_KEYS || (has_offsets(c) && OF(SEGMENT_TYPE) < 2))
RULE(mask_goes, OF(SEGMENTS) == XL_SEGMENTS_MASK)
RULE(pattern_goes, has_arrays(c) || has_offsets(c))
RULE(cut_goes, IS(NEAR) ? !OF(ROW_ROOM) && !OF(FILLS) && OF(CUT) != CUT_UNSAID
                        : OF(CUT) != CUT_MORE && (has_arrays(c) || IS(SELECT)))

/* ---- scans and reductions ---- */

static bool algorithm_goes(const fuzz_case *c)
{
    const uint64_t algorithm = OF(ALGORITHM);
    if (IS(MOVED))
        return algorithm == ALGORITHM_COUNTING || algorithm == ALGORITHM_BITONIC;
    return IS(SORT) ? algorithm >= ALGORITHM_BITONIC : algorithm <= XL_SCAN_BLELLOCH;
}

RULE(init_goes, IS(SCAN) || OF(INIT) != INIT_DEVICE)
RULE(init_of_results, !case_is_arg(c))
RULE(algorithm_reproduces, OF(ALGORITHM) > XL_SCAN_REDUCE_THEN_SCAN ||
                               OF(DETERMINISM) != XL_REPRODUCIBLE || !case_rounds(c))
RULE(most_goes, OF(COUNT) == COUNT_ON_DEVICE)
RULE(place_goes, !IS(TRANSFORM) || !moves(c))
RULE(place_has_room, in_bytes_of(c) == out_bytes_of(c))
RULE(place_of_sorts, IS(SORT) || OF(PLACE) == PLACE_IN)
RULE(place_has_values, OF(PLACE) <= PLACE_IN || OF(VALUES) == VALUES_U32)
RULE(place_has_keys, OF(PLACE) <= PLACE_IN || !OF(VALUES_ONLY))

/* ---- sorts ---- */

static bool has_range(const fuzz_case *c)
{
    return OF(FROM_BIT) > 0 || OF(TO_BIT) > 0;
}

/* A range that is all bits is none. */
static bool has_some_bits(const fuzz_case *c)
{
    return OF(FROM_BIT) > 0 || (OF(TO_BIT) > 0 && OF(TO_BIT) != 8 * element_of(c)->bytes);
}

RULE(key_bytes_go, OF(COMPARE) == COMPARE_STRUCT)
RULE(range_goes, OF(COMPARE) == COMPARE_NONE && !OF(SEGMENTS))
RULE(to_bit_goes, OF(TO_BIT) <= 8 * element_of(c)->bytes)
RULE(from_bit_goes, OF(FROM_BIT) < (OF(TO_BIT) ? OF(TO_BIT) : 8 * element_of(c)->bytes))
RULE(equal_zeros_matter,
     !IS(REDUCE) || (is_floating(c) && (case_is_arg(c) || OF(OP) == 2 || OF(OP) == 3)))
RULE(equal_zeros_go, OF(COMPARE) == COMPARE_NONE && !has_some_bits(c))
RULE(wide_goes, OF(COMPARE) == COMPARE_NONE && !OF(SEGMENTS) && !OF(EQUAL_ZEROS))
RULE(algorithm_compares, !IS(SORT) || OF(COMPARE) == COMPARE_NONE)
RULE(algorithm_has_segments, !IS(SORT) || !OF(SEGMENTS) || OF(ALGORITHM) == ALGORITHM_BITONIC)
RULE(algorithm_has_range,
     !IS(SORT) || !(has_range(c) || OF(WIDE)) || OF(ALGORITHM) == ALGORITHM_RADIX)

/* ---- keys ---- */

static bool asks(const fuzz_case *c)
{
    return IS(SEARCH) && OF(BOUND) == XL_SEARCH_UNSORTED;
}

RULE(values_go, IS(SORT) || OF(VALUES) != VALUES_INDICES)
RULE(value_bytes_go, OF(VALUES) == VALUES_U32)
RULE(more_goes, OF(VALUES) != VALUES_NONE)
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

RULE(left_out_is_there, (OF(LEFT_OUT) & ~outputs(c)) == 0)
RULE(left_out_leaves, IS(NEAR) || OF(LEFT_OUT) != outputs(c))
RULE(index_goes, !asks(c) && (!IS(TRANSFORM) || moves(c)))
RULE(values_only_go, OF(VALUES) != VALUES_NONE)
RULE(other_goes, !OF(SHARED))
RULE(shared_goes, !asks(c))
RULE(deal_goes, !asks(c) && !OF(SHARED) && !(IS(SEARCH) && OF(DEAL) == DEAL_RUNS))

RULE(keys_go, OF(DATA) == RANDOM && OF(COMPARE) == COMPARE_NONE)

/* ---- selections, histograms, transforms ---- */

RULE(by_goes, chooses(c))
RULE(by_has_classes, OF(CHOICE) != XL_SELECT_PARTITION3 || OF(BY) != XL_SELECT_BY_BITMASK)
RULE(text_goes,
     IS(TRANSFORM) ? !moves(c) : compares(c) || (chooses(c) && OF(BY) == XL_SELECT_BY_PREDICATE))
RULE(arrays_go, OF(MOVE) != XL_TRANSFORM_ADJACENT)

/* Counts of elements are unsigned; sums of floating-point numbers are such numbers. */
RULE(counter_counts, !IS(HISTOGRAM) || OF(WEIGHT) || OF(COUNTER) < 2)
RULE(weight_is_added, counter_of(c)->numbers == FLOATING || weight_of(c)->numbers != FLOATING)

/* ---- points ---- */

RULE(radius_goes, OF(CELL) != 1 || OF(RADIUS) != 2)
RULE(other_is_given, !has_space(c) || OF(AROUND))
RULE(self_goes, !has_space(c) || !OF(AROUND))
RULE(half_goes, !OF(AROUND) && OF(RADII) != XL_RADII_QUERY)
RULE(kernel_goes, !OF(WAY) && !OF(AROUND) && !OF(RADII) && !OF(HALF) && !OF(SELF))
RULE(dimensions_go, !(IS(MORTON) || IS(APPROXIMATE)) || OF(DIMENSIONS) < 2)
RULE(axes_go, repeats(c))
RULE(neighbors_go,
     IS(NEAREST) ? OF(NEIGHBORS) < 5 || OF(LIMITED) || !repeats(c) : OF(NEIGHBORS) < 3)
RULE(all_are_near, !IS(NEAREST) || OF(LIMITED) || !repeats(c))
RULE(axes_are_all, !IS(NEAREST) || OF(LIMITED) || OF(SPACE) != SPACE_CELL)

RULE(at_once_goes, !OF(AT_ONCE) || OF(FILLS) == 0)
RULE(tight_goes, OF(TIGHT) < 2 || !IS(NEAREST))
RULE(tight_repeats, repeats(c))
RULE(skew_goes, OF(SPACE) == SPACE_CELL)
RULE(turn_goes, OF(SPACE) == SPACE_CELL)
RULE(far_goes, OF(SPREAD) < FAR_AWAY || OF(SPREAD) > ALONG_LINES || OF(SPACE) == SPACE_OPEN)
RULE(tiny_goes, OF(SPREAD) != TINY || !IS(NEAR))
RULE(periods_go, OF(SPREAD) != OTHER_PERIODS || (OF(AROUND) && repeats(c)))
RULE(systems_go, OF(BATCH) && OF(SPACE) != SPACE_OWN)
RULE(own_goes, OF(SPACE) != SPACE_OWN || OF(BATCH))
RULE(own_is_searched, !IS(NEAREST) || OF(LIMITED) || OF(SPACE) != SPACE_OWN)
RULE(kernel_has_a_cell, OF(SPACE) != SPACE_OWN)
RULE(wrap_goes, repeats(c))
RULE(fails_outside, OF(FAILS) != FAILS_OUTSIDE || OF(SPACE) != SPACE_OPEN)
RULE(fails_by_system, OF(FAILS) != FAILS_SYSTEM || OF(BATCH))

/* ---- scans in parts ---- */

RULE(broken_is_whole, !OF(CARRY))
RULE(parts_go, OF(CARRY) && OF(COUNT) == COUNT_ON_HOST)

/* ---- data ---- */

RULE(hash_goes, element_of(c)->type == XL_F32 && OF(DETERMINISM) == XL_REPRODUCIBLE)

RULE(halves_are_exact,
     !(IS(SCAN) || IS(REDUCE)) || element_of(c)->type != XL_F16 ||
         (OF(DATA) != REAL && OF(DATA) != EQUAL && OF(DATA) != SORTED && OF(DATA) != REVERSED))

RULE(ending_goes, OF(GATE))
RULE(zeros_apart_goes, compares(c) && !OF(TEXT))

static const struct {
    field f;
    may *holds;
    const char *because;
    xl_status refused; /* the status if a descriptor breaks the rule; or 0 */
} rules[] = {
    {TYPE, type_is_compared, "a comparator has a structure as its key here", XL_SUCCESS},
    {TYPE, type_goes, "keys and bins are of scalars", XL_SUCCESS},
    {TYPE, type_is_known, "operators beside built-in types are for scans and reductions",
     XL_SUCCESS},
    {TYPE, type_has_bins, "only integers are their own bins", XL_SUCCESS},
    {TYPE, type_is_plain, "a structure has no difference", XL_SUCCESS},
    {COMPARE, compare_goes, "this comparator takes the low bits of an integer", XL_SUCCESS},
    {OP, op_goes, "user types have one operator; only reductions of scalars give an index",
     XL_SUCCESS},
    {OP, op_of_integers, "and, or, xor are for integers", XL_ERROR_INVALID_ARGUMENT},
    {MAP, map_goes, "the expression is exact only for these types", XL_SUCCESS},
    {MAP, map_loads, "a histogram has no store", XL_SUCCESS},
    {MAP, map_stores, "a sum of signed integers would overflow; an index has no store", XL_SUCCESS},
    {FROM, from_goes, "scalars are converted to such of the same kind, or loaded by an expression",
     XL_SUCCESS},
    {SEGMENTS, segments_go, "sorts and selections of the largest take offsets", XL_SUCCESS},
    {SEGMENT_TYPE, segment_type_goes, "only keys and offsets have a type", XL_SUCCESS},
    {WIDTH, has_width, "only these segments have a width", XL_SUCCESS},
    {MASK, mask_goes, "only these segments have a mask", XL_SUCCESS},
    {PATTERN, pattern_goes, "the segments have no array", XL_SUCCESS},
    {BROKEN, has_offsets, "only offsets can break their rule", XL_SUCCESS},
    {BROKEN, broken_is_whole, "offsets of parts are cut from right ones", XL_SUCCESS},
    {SEGMENTS_AT, pattern_goes, "the segments have no array", XL_SUCCESS},
    {CUT, cut_goes, "the number of results is known", XL_SUCCESS},
    {INIT, init_goes, "only scans read init on the device", XL_SUCCESS},
    {INIT, init_of_results, "an index has no init", XL_SUCCESS},
    {ALGORITHM, algorithm_goes, "the primitive does not have this algorithm", XL_SUCCESS},
    {ALGORITHM, algorithm_reproduces, "this algorithm is not reproducible",
     XL_ERROR_INVALID_ARGUMENT},
    {COMPARE, type_goes, "keys are of scalars", XL_SUCCESS},
    {KEY_BYTES, key_bytes_go, "built-in types have their own size", XL_SUCCESS},
    {TO_BIT, range_goes, "a comparator and segments take all bits", XL_SUCCESS},
    {FROM_BIT, range_goes, "a comparator and segments take all bits", XL_SUCCESS},
    {TO_BIT, to_bit_goes, "the key has fewer bits", XL_ERROR_INVALID_ARGUMENT},
    {FROM_BIT, from_bit_goes, "the range is empty", XL_ERROR_INVALID_ARGUMENT},
    {EQUAL_ZEROS, equal_zeros_matter, "only the least and the greatest tell zeros apart",
     XL_SUCCESS},
    {EQUAL_ZEROS, equal_zeros_go, "zeros are equal only in an order of all bits",
     XL_ERROR_INVALID_ARGUMENT},
    {WIDE, wide_goes, "large sorts are radix sorts of whole arrays", XL_ERROR_INVALID_ARGUMENT},
    {ALGORITHM, algorithm_compares, "comparators take XL_SORT_AUTO", XL_ERROR_INVALID_ARGUMENT},
    {ALGORITHM, algorithm_has_segments, "segments are not sorted by digits",
     XL_ERROR_INVALID_ARGUMENT},
    {ALGORITHM, algorithm_has_range, "bits and large sorts take the radix sort", XL_SUCCESS},
    {VALUES, values_go, "only sorts make indices", XL_SUCCESS},
    {VALUE_BYTES, value_bytes_go, "there are no values, or they are made", XL_SUCCESS},
    {MORE, more_goes, "more values follow values", XL_SUCCESS},
    {VALUES_ONLY, values_only_go, "there would be no output", XL_ERROR_INVALID_ARGUMENT},
    {MOST, most_goes, "the number is on the host", XL_SUCCESS},
    {PLACE, place_goes, "elements move", XL_SUCCESS},
    {PLACE, place_of_sorts, "only sorts have two arrays", XL_SUCCESS},
    {PLACE, place_has_room, "the elements have two sizes", XL_SUCCESS},
    {PLACE, place_has_values, "there is no second array", XL_SUCCESS},
    {PLACE, place_has_keys, "no keys come out", XL_SUCCESS},
    {SPACE, own_goes, "there are no systems", XL_SUCCESS},
    {SPACE, own_is_searched, "some rows would be given up", XL_SUCCESS},
    {RADIUS, radius_goes, "walks of thousands of cells", XL_SUCCESS},
    {LEFT_OUT, left_out_is_there, "the call has no such output", XL_SUCCESS},
    {LEFT_OUT, left_out_leaves, "there would be no output", XL_SUCCESS},
    {KEYS_FOR, keys_go, "the data says which keys, or a comparator has its own", XL_SUCCESS},
    {INDEX, index_goes, "the call gives one u64, or moves nothing", XL_SUCCESS},
    {OTHER, other_goes, "there is one array", XL_SUCCESS},
    {SHARED, shared_goes, "there is one array", XL_SUCCESS},
    {DEAL, deal_goes, "there is one array, or queries", XL_SUCCESS},
    {BY, by_goes, "runs and lengths choose", XL_ERROR_INVALID_ARGUMENT},
    {BY, by_has_classes, "a bit tells two classes", XL_ERROR_INVALID_ARGUMENT},
    {TEXT, text_goes, "there is no expression", XL_SUCCESS},
    {ARRAYS, arrays_go, "there is one array", XL_SUCCESS},
    {WEIGHT, weight_is_added, "integers hold no sums of floating-point numbers",
     XL_ERROR_INVALID_ARGUMENT},
    {COUNTER, counter_counts, "counts of elements are unsigned integers",
     XL_ERROR_INVALID_ARGUMENT},
    {OTHER, other_is_given, "the points are the queries", XL_SUCCESS},
    {SELF, self_goes, "a given query is no point", XL_SUCCESS},
    {HALF, half_goes, "half of the pairs is of points, and (i, j) has the radius of (j, i)",
     XL_ERROR_INVALID_ARGUMENT},
    {KERNEL, kernel_goes,
     "this kernel searches the usual index for all points but the point itself", XL_SUCCESS},
    {KERNEL, kernel_has_a_cell, "kernels take one cell for all systems", XL_SUCCESS},
    {DIMENSIONS, dimensions_go, "Morton codes have two or three dimensions", XL_SUCCESS},
    {AXES, axes_go, "space does not repeat", XL_SUCCESS},
    {BATCH, all_are_near, "some rows would be given up", XL_SUCCESS},
    {NEIGHBORS, neighbors_go, "an approximate search has fewer, and a reference takes long",
     XL_SUCCESS},
    {AXES, axes_are_all, "some rows would be given up", XL_SUCCESS},
    {AT_ONCE, at_once_goes, "one call fills one part", XL_SUCCESS},
    {TIGHT, tight_goes, "the reference looks at three images on either side", XL_SUCCESS},
    {TIGHT, tight_repeats, "no edge is a period", XL_SUCCESS},
    {SKEW, skew_goes, "only the vectors of a cell lean", XL_SUCCESS},
    {TURN, turn_goes, "only the vectors of a cell have an order", XL_SUCCESS},
    {SPREAD, far_goes, "points must be in the box", XL_SUCCESS},
    {SPREAD, tiny_goes, "all pairs are neighbours, or none", XL_SUCCESS},
    {SPREAD, periods_go, "queries may be in other periods", XL_SUCCESS},
    {SYSTEMS, systems_go, "there are no systems, or each has a cell", XL_SUCCESS},
    {WRAP, wrap_goes, "space does not repeat", XL_ERROR_INVALID_ARGUMENT},
    {FAILS, fails_outside, "there is no box", XL_SUCCESS},
    {FAILS, fails_by_system, "there are no systems", XL_SUCCESS},
    {PARTS, parts_go, "only scans with a carry are made in parts", XL_SUCCESS},
    {HASH, hash_goes, "only reproducible results of f32 have one hash on every device", XL_SUCCESS},
    {DATA, halves_are_exact, "results of halves would round", XL_SUCCESS},
    {ZEROS_APART, zeros_apart_goes, "the order of zeros has no effect", XL_SUCCESS},
    {ENDING, ending_goes, "the call waits for nothing", XL_SUCCESS},
};

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
        [NEAR] = 1000, [NEAREST] = 1300, [MOVED] = 3000, [MORTON] = 6000, [APPROXIMATE] = 600};
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

/* Applies the rules. If the case must be illegal, it leaves out the first broken rule that the
 * library checks, and returns its number, else the number of rules. */
static size_t apply_rules(fuzz_case *c)
{
    size_t broken = COUNT_OF(rules);
    for (size_t k = 0; k < COUNT_OF(rules); ++k) {
        if (c->of[rules[k].f] == 0 || rules[k].holds(c))
            continue;
        if (c->of[ILLEGAL] && rules[k].refused && broken == COUNT_OF(rules))
            broken = k;
        else
            c->of[rules[k].f] = 0;
    }
    return broken;
}

void case_normalise(fuzz_case *c)
{
    for (field f = 0; f < FIELDS; ++f)
        if (!heeds(c, f))
            c->of[f] = 0;
    const size_t broken = apply_rules(c);
    complete(c);
    if (c->of[ILLEGAL] &&
        (broken == COUNT_OF(rules) || c->of[rules[broken].f] == 0 || rules[broken].holds(c))) {
        c->of[ILLEGAL] = 0;
        case_normalise(c);
    }
}

xl_status case_refused(const fuzz_case *c)
{
    fuzz_case tried = *c;
    const size_t broken = c->of[ILLEGAL] ? apply_rules(&tried) : COUNT_OF(rules);
    return broken < COUNT_OF(rules) ? rules[broken].refused : XL_SUCCESS;
}

const char *case_because(const fuzz_case *c, field f)
{
    fuzz_case tried = *c;
    for (field g = 0; g < FIELDS; ++g)
        if (!heeds(&tried, g))
            tried.of[g] = 0;
    for (size_t k = 0; k < COUNT_OF(rules); ++k)
        if (tried.of[rules[k].f] != 0 && !rules[k].holds(&tried)) {
            tried.of[rules[k].f] = 0;
            if (rules[k].f == f)
                return rules[k].because;
        }
    return NULL;
}

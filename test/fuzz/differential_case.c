/* SPDX-License-Identifier: MIT
 * What a case of the differential runner is: a number per field, drawn by weights, kept within
 * what the public calls allow, and written as one line of text. */
#include "differential.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the fields ------------------------------------------------------------------------ */

enum {
    S = 1 << SCAN,
    R = 1 << REDUCE,
    O = 1 << SORT,
    G = 1 << GRID,
    T = 1 << TOPK,
    M = 1 << MERGE,
    F = 1 << SEARCH,
    L = 1 << NEAR,
    K = 1 << KNN,
    V = 1 << MOVED,
    C = 1 << MORTON,
    KEYED = O | T | M | F,
    SPACED = L | K | V | C,
    ALL = S | R | G | KEYED | SPACED
};

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static const struct {
    const char *name;
    const char *const *values; /* or NULL: a number */
    uint64_t most;             /* of a number */
    unsigned primitives;       /* that heed it */
} fields[FIELDS] = {
    [PRIMITIVE] = {"primitive",
                   NAMES("scan", "reduce", "sort", "grid", "topk", "merge", "search", "near", "knn",
                         "moved", "morton"),
                   0, ALL},
    /* The order of `elements` in differential_element.c. */
    [TYPE] = {"type",
              NAMES("u32", "i32", "u64", "i64", "f32", "f64", "u8", "i8", "u16", "i16", "f16",
                    "u8x3", "i16x2", "f32x4", "u32x3", "i64x2", "affine", "span", "text", "holed",
                    "matrix", "right", "plus"),
              0, S | R | KEYED},
    [OP] = {"op", NAMES("sum", "prod", "min", "max", "and", "or", "xor", "arg-min", "arg-max"), 0,
            S | R},
    [KIND] = {"kind", NAMES("exclusive", "inclusive"), 0, S},
    [SEGMENTS] = {"segments", NAMES("none", "flags", "bits", "keys", "offsets", "width", "mask"), 0,
                  S | R},
    [SEGMENT_TYPE] = {"segment-type", NAMES("u32", "u64", "i32", "i64", "u8", "i8", "u16", "i16"),
                      0, S | R},
    [WIDTH] = {"width", NULL, 1 << 20, S | R},
    [MASK] = {"mask", NULL, UINT64_MAX, S | R},
    [INIT] = {"init", NAMES("none", "host", "device"), 0, S | R},
    [ALGORITHM] = {"algorithm",
                   NAMES("auto", "look-back", "reduce-then-scan", "kogge-stone", "blelloch",
                         "counting", "bitonic", "radix"),
                   0, S | G | O},
    [DETERMINISM] = {"determinism", NAMES("deterministic", "unordered", "reproducible"), 0, S | R},
    [MAP] = {"map", NAMES("none", "load", "store", "both"), 0, S | R},
    [ORDER] = {"order", NAMES("ascending", "descending"), 0, KEYED},
    [VALUES] = {"values", NAMES("none", "u32", "indices"), 0, O | T | M},
    [STRIDE] = {"stride", NAMES("3", "4", "7"), 0, G | SPACED},
    [BOUNDED] = {"bounded", NAMES("no", "yes"), 0, G},
    [INCLUSIVE] = {"inclusive", NAMES("no", "yes"), 0, G | L},
    [SELF] = {"self", NAMES("no", "yes"), 0, G | L | K},
    [UNSORTED] = {"unsorted", NAMES("no", "yes"), 0, G | T},
    [STABLE] = {"stable", NAMES("no", "yes"), 0, O},
    [RADIUS] = {"radius", NAMES("1", "0.3", "2.5"), 0, G | L | K},
    [CELL] = {"cell", NAMES("1", "0.25", "50"), 0, G | L | K | V},
    [TUNE] = {"tune", NULL, NUM_TUNINGS - 1, ALL},
    [BOUND] = {"bound", NAMES("lower", "upper", "unsorted"), 0, F},
    [INDEX] = {"index", NAMES("u64", "u32"), 0, F},
    [VALUES_ONLY] = {"values-only", NAMES("no", "yes"), 0, O},
    [SCALAR] = {"scalar", NAMES("f32", "f64"), 0, L | K | V},
    [DIMENSIONS] = {"dimensions", NAMES("3", "2", "1"), 0, SPACED},
    [SPACE] = {"space", NAMES("open", "bounded", "box", "cell"), 0, L | K | V},
    [BATCH] = {"batch", NAMES("no", "yes"), 0, L | K | V},
    [AROUND] = {"queries", NAMES("points", "given"), 0, L | K},
    [HALF] = {"half", NAMES("no", "yes"), 0, L},
    [RADII] = {"radii", NAMES("no", "yes"), 0, L},
    [NEAREST] = {"nearest", NAMES("8", "1", "17"), 0, K},
    [LIMITED] = {"limited", NAMES("no", "yes"), 0, K},
    [CODE] = {"code", NAMES("u64", "u32"), 0, C},
    [WAY] = {"way", NAMES("own", "table", "rows"), 0, L | K | V},
    [EQUAL_ZEROS] = {"equal-zeros", NAMES("no", "yes"), 0, T | M | F},
    [N] = {"n", NULL, CASE_N_MOST, ALL},
    [COUNT] = {"count", NAMES("host", "device", "above"), 0, S | R},
    [MOST] = {"past", NULL, 5000, S | R},
    [DATA] = {"data",
              NAMES("random", "zeros", "equal", "real", "odd", "sorted", "reversed", "minus-zeros"),
              0, ALL},
    [PATTERN] = {"pattern",
                 NAMES("whole", "singletons", "short", "long", "borders", "last-alone", "mixed"), 0,
                 S | R},
    [BROKEN] = {"broken", NAMES("no", "falls", "passes", "late-start", "early-end", "huge"), 0,
                S | R},
    [PLACE] = {"place", NAMES("apart", "in"), 0, S | O},
    [IN_AT] = {"in", NULL, 64, ALL},
    [OUT_AT] = {"out", NULL, 64, ALL},
    [SEGMENTS_AT] = {"at", NULL, 64, S | R},
    [SCRATCH] = {"scratch", NAMES("given", "own"), 0, ALL},
    [QUEUE] = {"queue", NAMES("in-order", "out-of-order"), 0, ALL},
    [GATE] = {"gate", NAMES("no", "yes"), 0, ALL},
    [TWICE] = {"twice", NAMES("no", "yes"), 0, S | R | KEYED},
    [CUT] = {"cut", NAMES("none", "half", "unsaid"), 0, R | G},
    [TOP] = {"k", NULL, CASE_N_MOST + 100, T},
    [LEFT_OUT] = {"without", NULL, NOTHING_GIVEN, T},
    [OTHER] = {"other", NULL, CASE_N_MOST, M | F | L | K},
    [DEAL] = {"deal", NAMES("mixed", "rising", "falling", "runs"), 0, M | F},
    [BREAKS] = {"breaks", NULL, CASE_N_MOST, M | F},
    [SHARED] = {"shared", NAMES("no", "yes"), 0, M | F},
    [AXES] = {"axes", NULL, 7, L | K | V},
    [SHAPE] = {"shape", NULL, UINT32_MAX, SPACED},
    [FAR] = {"far", NULL, 2, L | K | V},
    [TIGHT] = {"tight", NULL, 1, L | K | V},
    [FIRST] = {"first", NULL, CASE_N_MOST, L | K},
    [ROWS] = {"rows", NULL, CASE_N_MOST, L | K},
    [SEED] = {"seed", NULL, UINT32_MAX, ALL},
};

const char *primitive_name(uint64_t which)
{
    return fields[PRIMITIVE].values[which];
}

uint64_t values_of(field f)
{
    uint64_t count = 0;
    while (fields[f].values && fields[f].values[count])
        ++count;
    return count;
}

bool has_keys(const fuzz_case *c)
{
    return KEYED >> c->of[PRIMITIVE] & 1;
}

bool has_space(const fuzz_case *c)
{
    return SPACED >> c->of[PRIMITIVE] & 1;
}

size_t case_most(const fuzz_case *c)
{
    return (size_t)c->of[N] + (size_t)c->of[MOST];
}

/* ---- what goes with what ------------------------------------------------------------------- */

static void allow(fuzz_case *c, field f, bool allowed)
{
    if (!allowed)
        c->of[f] = 0;
}

static void allow_types(fuzz_case *c)
{
    allow(c, TYPE, !has_keys(c) || c->of[TYPE] < NUM_SCALARS);
    const element *e = element_of(c);
    const bool user = c->of[TYPE] >= FIRST_USER;
    allow(c, OP, !user && (c->of[OP] < 7 || (c->of[PRIMITIVE] == REDUCE && e->lanes == 1)));
    const bool arg = case_is_arg(c);
    allow(c, OP, e->numbers != FLOATING || c->of[OP] < 4 || arg);
    const bool maps =
        e->lanes == 1 && !user && e->type != XL_F16 && !(e->numbers == FLOATING && c->of[OP] == 1);
    allow(c, MAP, maps);
    if ((arg || e->numbers == SIGNED) && c->of[MAP] >= MAP_STORE)
        c->of[MAP] = c->of[MAP] == MAP_BOTH ? MAP_LOAD : MAP_NONE;
}

static void allow_init(fuzz_case *c)
{
    const element *e = element_of(c);
    const bool scan = c->of[PRIMITIVE] == SCAN;
    if (!scan && c->of[INIT] == INIT_DEVICE)
        c->of[INIT] = INIT_HOST;
    allow(c, INIT, !case_is_arg(c));
    const bool needed = scan ? c->of[KIND] == XL_EXCLUSIVE
                             : c->of[PRIMITIVE] == REDUCE && c->of[SEGMENTS] == XL_SEGMENTS_OFFSETS;
    if (needed && c->of[INIT] == INIT_NONE && e->user_op && !e->user_op->identity)
        c->of[INIT] = INIT_HOST;
    if (e->user_op && !e->init)
        c->of[INIT] = INIT_NONE;
}

static void allow_segments(fuzz_case *c)
{
    const uint64_t kind = c->of[SEGMENTS];
    const bool arrays = kind >= XL_SEGMENTS_HEAD_FLAGS && kind <= XL_SEGMENTS_KEYS;
    allow(c, SEGMENT_TYPE,
          kind == XL_SEGMENTS_KEYS || (kind == XL_SEGMENTS_OFFSETS && c->of[SEGMENT_TYPE] < 2));
    allow(c, WIDTH, kind == XL_SEGMENTS_WIDTH || kind == XL_SEGMENTS_MASK);
    if (kind == XL_SEGMENTS_MASK && c->of[WIDTH] > 64)
        c->of[WIDTH] = 64;
    if (c->of[WIDTH] == 0 && (kind == XL_SEGMENTS_WIDTH || kind == XL_SEGMENTS_MASK))
        c->of[WIDTH] = 1;
    allow(c, MASK, kind == XL_SEGMENTS_MASK);
    allow(c, PATTERN, arrays || kind == XL_SEGMENTS_OFFSETS);
    allow(c, BROKEN, kind == XL_SEGMENTS_OFFSETS);
    allow(c, SEGMENTS_AT, arrays || kind == XL_SEGMENTS_OFFSETS);
    allow(c, CUT, arrays || (c->of[PRIMITIVE] == GRID && c->of[CUT] != CUT_UNSAID));
}

static void allow_calls(fuzz_case *c)
{
    const uint64_t algorithm = c->of[ALGORITHM];
    allow(c, ALGORITHM,
          c->of[PRIMITIVE] == GRID
              ? algorithm == 0 || algorithm == ALGORITHM_COUNTING || algorithm == ALGORITHM_BITONIC
          : c->of[PRIMITIVE] == SORT ? algorithm == 0 || algorithm >= ALGORITHM_BITONIC
                                     : algorithm <= XL_SCAN_BLELLOCH);
    allow(c, ALGORITHM,
          algorithm > XL_SCAN_REDUCE_THEN_SCAN || c->of[DETERMINISM] != XL_REPRODUCIBLE ||
              !case_rounds(c));
    allow(c, MOST, c->of[COUNT] == COUNT_ON_DEVICE);
    allow(c, PLACE, in_bytes_of(c) == out_bytes_of(c));
    allow(c, TWICE, c->of[PLACE] == 0);
    if (c->of[CELL] == 1 && c->of[RADIUS] == 2) /* walks of thousands of cells */
        c->of[RADIUS] = 0;
}

static void allow_key_calls(fuzz_case *c)
{
    const bool search = c->of[PRIMITIVE] == SEARCH, asks = c->of[BOUND] == XL_SEARCH_UNSORTED;
    if (c->of[VALUES] == VALUES_INDICES && c->of[PRIMITIVE] != SORT)
        c->of[VALUES] = VALUES_U32;
    if (c->of[VALUES] == VALUES_NONE)
        c->of[LEFT_OUT] &= (uint64_t)~NO_VALUES;
    allow(c, LEFT_OUT, (c->of[LEFT_OUT] | (c->of[VALUES] ? 0 : NO_VALUES)) != NOTHING_GIVEN);
    allow(c, INDEX, !asks);
    allow(c, VALUES_ONLY, c->of[VALUES] == VALUES_INDICES);
    allow(c, OTHER, !asks && !c->of[SHARED]);
    allow(c, SHARED, !asks);
    allow(c, DEAL, !asks && !c->of[SHARED] && !(search && c->of[DEAL] == DEAL_RUNS));
}

/* Results of halves would round, and sums of many equal numbers too. */
static void allow_data(fuzz_case *c)
{
    if (c->of[PRIMITIVE] <= REDUCE && element_of(c)->type == XL_F16 &&
        (c->of[DATA] == REAL || c->of[DATA] == EQUAL || c->of[DATA] == SORTED ||
         c->of[DATA] == REVERSED))
        c->of[DATA] = RANDOM;
}

/* All pairs of points are looked at, with some of their images. */
static void allow_spaces(fuzz_case *c)
{
    static const uint16_t most[PRIMITIVES] = {
        [NEAR] = 200, [KNN] = 150, [MOVED] = 3000, [MORTON] = 6000};
    const bool given = c->of[AROUND] != 0, repeats = c->of[SPACE] >= SPACE_BOX;
    if (!has_space(c))
        return;
    if (c->of[N] > most[c->of[PRIMITIVE]])
        c->of[N] = most[c->of[PRIMITIVE]];
    if (c->of[OTHER] > most[c->of[PRIMITIVE]])
        c->of[OTHER] = most[c->of[PRIMITIVE]];
    if (c->of[TIGHT] && c->of[N] > 24) /* with so many images */
        c->of[N] = 24;
    allow(c, OTHER, given);
    allow(c, SELF, !given);
    allow(c, HALF, !given && !c->of[RADII]);
    allow(c, DIMENSIONS, c->of[PRIMITIVE] != MORTON || c->of[DIMENSIONS] < 2);
    allow(c, AXES, repeats);
    /* A row whose neighbours are far is given up: where all are wanted, all vectors repeat, and
     * there are points enough. */
    if (c->of[PRIMITIVE] == KNN && !c->of[LIMITED]) {
        allow(c, BATCH, !repeats);
        allow(c, AXES, c->of[SPACE] != SPACE_CELL);
    }
}

void case_normalise(fuzz_case *c)
{
    for (int f = 0; f < FIELDS; ++f)
        if (!(fields[f].primitives >> c->of[PRIMITIVE] & 1))
            c->of[f] = 0;
    allow_types(c);
    allow_segments(c);
    allow_init(c);
    allow_calls(c);
    allow_key_calls(c);
    allow_spaces(c);
    allow_data(c);
}

/* ---- print and parse ------------------------------------------------------------------------- */

const char *case_print(const fuzz_case *c, char line[LINE])
{
    size_t used = (size_t)snprintf(line, LINE, "%s", primitive_name(c->of[PRIMITIVE]));
    for (int f = PRIMITIVE + 1; f < FIELDS; ++f) {
        const uint64_t x = c->of[f];
        if (x == 0)
            continue;
        if (fields[f].values)
            used += (size_t)snprintf(line + used, LINE - used, " %s=%s", fields[f].name,
                                     fields[f].values[x]);
        else
            used +=
                (size_t)snprintf(line + used, LINE - used,
                                 f == MASK ? " %s=0x%" PRIx64 : " %s=%" PRIu64, fields[f].name, x);
    }
    return line;
}

static bool value_named(field f, const char *text, uint64_t *value)
{
    const uint64_t values = values_of(f);
    char *end = NULL;
    for (uint64_t k = 0; k < values; ++k)
        if (strcmp(fields[f].values[k], text) == 0)
            return *value = k, true;
    if (values > 0 || *text < '0' || *text > '9')
        return false;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 0);
    *value = number;
    return errno == 0 && *end == '\0' && number <= fields[f].most;
}

static bool parse_word(fuzz_case *c, char *word, char why[LINE])
{
    char *equals = strchr(word, '=');
    if (!equals)
        return value_named(PRIMITIVE, word, &c->of[PRIMITIVE]) ||
               (snprintf(why, LINE, "\"%s\" is no primitive and no field=value", word), false);
    *equals = '\0';
    for (field f = PRIMITIVE + 1; f < FIELDS; ++f)
        if (strcmp(fields[f].name, word) == 0)
            return value_named(f, equals + 1, &c->of[f]) ||
                   (snprintf(why, LINE, "\"%s\" is no value of %s", equals + 1, word), false);
    snprintf(why, LINE, "there is no field \"%s\"", word);
    return false;
}

bool case_parse(const char *line, fuzz_case *c, char why[LINE])
{
    char words[LINE];
    snprintf(words, sizeof words, "%s", line);
    *c = (fuzz_case){{0}};
    for (char *at = words; *(at += strspn(at, " \t\r\n"));) {
        char *end = at + strcspn(at, " \t\r\n");
        const bool last = *end == '\0';
        *end = '\0';
        if (!parse_word(c, at, why))
            return false;
        at = last ? end : end + 1;
    }
    fuzz_case allowed = *c;
    case_normalise(&allowed);
    for (int f = 0; f < FIELDS; ++f)
        if (allowed.of[f] != c->of[f]) {
            snprintf(why, LINE, "\"%s\" does not go with the other fields", fields[f].name);
            return false;
        }
    return true;
}

/* ---- shrink
 * --------------------------------------------------------------------------------------- */

/* Puts `value` in, if the case stays one, gets plainer and still fails. */
static bool try_value(fuzz_case *c, field f, uint64_t value, case_fails *fails, int *tries)
{
    fuzz_case plainer = *c;
    plainer.of[f] = value;
    case_normalise(&plainer);
    if (*tries <= 0 || plainer.of[f] >= c->of[f])
        return false;
    --*tries;
    if (!fails(&plainer))
        return false;
    *c = plainer;
    return true;
}

static bool shrink_field(fuzz_case *c, field f, case_fails *fails, int *tries)
{
    bool any = false;
    if (c->of[f] == 0)
        return false;
    if (try_value(c, f, 0, fails, tries))
        return true;
    if (fields[f].values || f == SEED || f == MASK)
        return false;
    for (uint64_t step = c->of[f] / 2; step > 0; step /= 2)
        while (c->of[f] > step && try_value(c, f, c->of[f] - step, fails, tries))
            any = true;
    return any;
}

/* The call first: a new plan costs a compiler's run. */
void case_shrink(fuzz_case *c, case_fails *fails, int tries)
{
    for (bool any = true; any && tries > 0;) {
        any = false;
        for (field f = N; f < FIELDS; ++f)
            any = shrink_field(c, f, fails, &tries) || any;
        for (field f = TYPE; f < PLAN_FIELDS; ++f)
            any = shrink_field(c, f, fails, &tries) || any;
    }
}

/* SPDX-License-Identifier: MIT
 * A case of the case runner is a number per field. It is drawn by weights, follows the rules of
 * the public calls, and is written as one line of text. */
#include "cases.h"

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
    T = 1 << TOP_K,
    M = 1 << MERGE,
    F = 1 << SEARCH,
    L = 1 << NEAR,
    K = 1 << NEAREST,
    V = 1 << MOVED,
    C = 1 << MORTON,
    X = 1 << SELECT,
    H = 1 << HISTOGRAM,
    W = 1 << TRANSFORM,
    A = 1 << APPROXIMATE,
    KEYED = O | T | M | F,
    SPACED = L | K | V | C | A,
    ALL = (1 << PRIMITIVES) - 1,
    ONE_CALL = S | R | KEYED | X | H | W | A /* a case is one call, with one event */
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
                   NAMES("scan", "reduce", "sort", "approximate", "topk", "merge", "search", "near",
                         "nearest", "moved", "morton", "select", "histogram", "transform"),
                   0, ALL},
    /* The order of `elements` in case_element.c. */
    [TYPE] = {"type",
              NAMES("u32", "i32", "u64", "i64", "f32", "f64", "u8", "i8", "u16", "i16", "f16",
                    "i8x3", "i16x2", "f32x4", "u32x3", "i64x2", "affine", "span", "text", "holed",
                    "matrix", "right", "plus", "drift"),
              0, S | R | KEYED | X | H | W},
    [OP] = {"op", NAMES("sum", "prod", "min", "max", "and", "or", "xor", "arg-min", "arg-max"), 0,
            S | R},
    [KIND] = {"kind", NAMES("exclusive", "inclusive"), 0, S},
    [SEGMENTS] = {"segments", NAMES("none", "flags", "bits", "keys", "offsets", "width", "mask"), 0,
                  S | R | O | T},
    [SEGMENT_TYPE] = {"segment-type", NAMES("u32", "u64", "i32", "i64", "u8", "i8", "u16", "i16"),
                      0, S | R | O | T},
    [WIDTH] = {"width", NULL, 1 << 20, S | R},
    [MASK] = {"mask", NULL, UINT64_MAX, S | R},
    [INIT] = {"init", NAMES("none", "host", "device"), 0, S | R},
    [ALGORITHM] = {"algorithm",
                   NAMES("auto", "look-back", "reduce-then-scan", "counting", "bitonic", "radix"),
                   0, S | O | V},
    [DETERMINISM] = {"determinism", NAMES("deterministic", "unordered", "reproducible"), 0, S | R},
    [MAP] = {"map", NAMES("none", "load", "store", "both"), 0, S | R | H},
    /* The type of `in` if it is another one; the order of TYPE. */
    [FROM] = {"from",
              NAMES("type", "u32", "i32", "u64", "i64", "f32", "f64", "u8", "i8", "u16", "i16",
                    "f16"),
              0, S | R | H},
    [ORDER] = {"order", NAMES("ascending", "descending"), 0, KEYED},
    [VALUES] = {"values", NAMES("none", "u32", "indices"), 0, O | T | M | X},
    [STRIDE] = {"stride", NAMES("3", "4", "7"), 0, SPACED},
    [INCLUSIVE] = {"inclusive", NAMES("no", "yes"), 0, L},
    [SELF] = {"self", NAMES("no", "yes"), 0, L | K | A},
    [UNSORTED] = {"unsorted", NAMES("no", "yes"), 0, T | L},
    [STABLE] = {"stable", NAMES("no", "yes"), 0, O},
    [RADIUS] = {"radius", NAMES("1", "0.3", "2.5"), 0, L | K},
    [CELL] = {"cell", NAMES("1", "0.25", "50", "chosen", "longer"), 0, L | K | V},
    [TUNE] = {"tune", NULL, NUM_TUNINGS - 1, ALL},
    [BOUND] = {"bound", NAMES("lower", "upper", "unsorted"), 0, F},
    [INDEX] = {"index", NAMES("u64", "u32"), 0, F | X | W},
    [VALUES_ONLY] = {"values-only", NAMES("no", "yes"), 0, O},
    [SCALAR] = {"scalar", NAMES("f32", "f64"), 0, L | K | V},
    [DIMENSIONS] = {"dimensions", NAMES("3", "2", "1"), 0, SPACED},
    [SPACE] = {"space", NAMES("open", "bounded", "box", "cell", "own"), 0, L | K | V},
    [BATCH] = {"batch", NAMES("no", "yes"), 0, L | K | V},
    [AROUND] = {"queries", NAMES("points", "given"), 0, L | K | A},
    [HALF] = {"half", NAMES("no", "yes"), 0, L},
    [RADII] = {"radii", NAMES("no", "yes", "larger", "types"), 0, L},
    [NEIGHBORS] = {"neighbors", NAMES("8", "1", "17", "65", "200", "1024"), 0, K | A},
    [LIMITED] = {"limited", NAMES("no", "yes"), 0, K},
    [CODE] = {"code", NAMES("u64", "u32"), 0, C | A},
    [WAY] = {"way", NAMES("own", "table", "rows", "walk"), 0, L | K | V},
    [COMPARE] = {"compare", NAMES("no", "low", "struct"), 0, O},
    [KEY_BYTES] = {"key-bytes",
                   NAMES("4", "8", "12", "16", "20", "24", "32", "48", "64", "96", "100", "128",
                         "160", "192", "256", "320", "400", "512"),
                   0, O},
    [FROM_BIT] = {"from-bit", NULL, 63, O},
    [TO_BIT] = {"to-bit", NULL, 64, O},
    [VALUE_BYTES] = {"value-bytes", NAMES("4", "1", "2", "8", "12", "16", "100"), 0, O | T | M | X},
    [MORE] = {"more", NULL, 3, O | T | M | X},
    [EQUAL_ZEROS] = {"equal-zeros", NAMES("no", "yes"), 0, R | O | T | M | F},
    [WIDE] = {"large", NAMES("no", "yes"), 0, O},
    [CHOICE] = {"choice", NAMES("if", "partition", "partition3", "unique", "runs", "repeat"), 0, X},
    [BY] = {"by", NAMES("predicate", "flags", "bitmask"), 0, X},
    [TEXT] = {"text", NAMES("none", "given"), 0, X | W},
    [BINNING] = {"bins", NAMES("even", "keys", "levels"), 0, H},
    [NUM_BINS] = {"num-bins", NULL, 1 << 20, H},
    [COUNTER] = {"counter", NAMES("u32", "u64", "i32", "i64", "f32", "f64"), 0, H},
    [WEIGHT] = {"weight",
                NAMES("none", "u32", "i32", "u64", "i64", "f32", "f64", "u8", "i8", "u16", "i16",
                      "f16"),
                0, H},
    [ADDS] = {"adds", NAMES("no", "yes"), 0, H},
    [MOVE] = {"move", NAMES("map", "gather", "scatter", "adjacent"), 0, W},
    [ARRAYS] = {"arrays", NAMES("1", "2", "3", "4"), 0, W},
    [ORDERS] = {"shifts", NAMES("own", "1", "2", "5"), 0, A},
    [LAYOUT] = {"layout", NAMES("aos", "soa"), 0, L | K | V},
    [ROW_ROOM] = {"row-room", NAMES("none", "1", "6", "40"), 0, L},
    [DETAILS] = {"details", NAMES("yes", "no"), 0, L | K},
    [VISITS] = {"visits", NAMES("no", "yes"), 0, L},
    [CARRY] = {"carry", NAMES("no", "yes", "alone"), 0, S},
    [ILLEGAL] = {"illegal", NAMES("no", "yes"), 0, ALL},
    [ZEROS_APART] = {"zeros-apart", NAMES("no", "yes"), 0, X},
    [KERNEL] = {"kernel", NAMES("no", "yes"), 0, L},
    [OPERATION] = {"operation", NAMES("all", "union", "intersection", "difference"), 0, M},
    [WRAP] = {"wrap", NAMES("no", "yes"), 0, L | K | V},
    [KEEP_NEAREST] = {"keep-nearest", NAMES("no", "yes"), 0, L},
    [N] = {"n", NULL, CASE_N_MOST, ALL},
    [COUNT] = {"count", NAMES("host", "device", "above"), 0, S | R | O | T | M | F | X | H | W},
    [MOST] = {"past", NULL, 5000, S | R | O | T | M | F | X | H | W},
    [DATA] = {"data",
              NAMES("random", "zeros", "equal", "real", "odd", "sorted", "reversed", "minus-zeros"),
              0, ALL},
    [KEYS_FOR] = {"keys",
                  NAMES("own", "rising", "falling", "few", "one-bit", "low", "late", "crowded",
                        "sampled"),
                  0, O | T},
    [PATTERN] = {"pattern",
                 NAMES("whole", "singletons", "short", "long", "borders", "last-alone", "mixed",
                       "uneven", "crowds"),
                 0, S | R | O | T},
    [BROKEN] = {"broken",
                NAMES("no", "falls", "passes", "late-start", "early-end", "huge", "zigzag"), 0,
                S | R | O | T},
    [PLACE] = {"place", NAMES("apart", "in", "keys-in", "values-in"), 0, S | O | W},
    [IN_AT] = {"in", NULL, 64, ALL},
    [OUT_AT] = {"out", NULL, 64, ALL},
    [SEGMENTS_AT] = {"at", NULL, 64, S | R | O | T},
    [SCRATCH] = {"scratch", NAMES("given", "own"), 0, ALL},
    [QUEUE] = {"queue", NAMES("in-order", "out-of-order"), 0, ALL},
    [GATE] = {"gate", NAMES("no", "yes"), 0, ALL},
    [TWICE] = {"twice", NAMES("no", "yes"), 0, S | R | KEYED | X | H | W | A},
    [CUT] = {"cut", NAMES("none", "half", "unsaid", "more"), 0, R | L | X},
    [TOP] = {"k", NULL, CASE_N_MOST + 100, T},
    [LEFT_OUT] = {"without", NULL, ALL_LEFT_OUT, T | X | L},
    [OTHER] = {"other", NULL, CASE_N_MOST, M | F | L | K | A | W},
    [DEAL] = {"deal", NAMES("mixed", "rising", "falling", "runs"), 0, M | F},
    [BREAKS] = {"breaks", NULL, CASE_N_MOST, M | F},
    [SHARED] = {"shared", NAMES("no", "yes"), 0, M | F},
    [RUNS] = {"runs", NULL, 5000, M},
    [AXES] = {"axes", NULL, 7, L | K | V},
    [SHAPE] = {"shape", NULL, UINT32_MAX, SPACED},
    [FAR] = {"far", NULL, 2, L | K | V},
    [TIGHT] = {"tight", NULL, 2, L | K | V},
    [FIRST] = {"first", NULL, CASE_N_MOST, L | K | A},
    [ROWS] = {"rows", NULL, CASE_N_MOST, L | K | A},
    [SKEW] = {"skew", NAMES("usual", "great", "many"), 0, L | V},
    [TURN] = {"turn", NAMES("no", "left", "axes"), 0, L | V},
    [SPREAD] = {"spread", NAMES("usual", "faces", "far", "tiny", "lines", "plane", "periods"), 0,
                L | K | V},
    [SYSTEMS] = {"systems", NAMES("few", "most"), 0, L | K | V},
    [FAILS] = {"fails", NAMES("no", "non-finite", "outside", "system"), 0, L | K | V},
    [PARTS] = {"parts", NULL, 3, S},
    [HASH] = {"hash", NULL, UINT64_MAX, S | R},
    [FILLS] = {"fills", NULL, 3, L},
    [AT_ONCE] = {"at-once", NAMES("no", "yes"), 0, L},
    [SEED] = {"seed", NULL, UINT32_MAX, ALL},
    [ENDING] = {"gate-ends", NAMES("well", "in-error", "before"), 0, ONE_CALL},
    [RELEASED] = {"released", NAMES("no-event", "last", "event", "plan"), 0, ONE_CALL},
    [EDGE] = {"edge", NAMES("guards", "page-end", "page-start"), 0, ALL},
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

const char *field_name(field f)
{
    return fields[f].name;
}

const char *value_name(field f, uint64_t value)
{
    return fields[f].values ? fields[f].values[value] : NULL;
}

bool heeds(const fuzz_case *c, field f)
{
    return fields[f].primitives >> c->of[PRIMITIVE] & 1;
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
            used += (size_t)snprintf(line + used, LINE - used,
                                     f == MASK || f == HASH ? " %s=0x%" PRIx64 : " %s=%" PRIu64,
                                     fields[f].name, x);
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

/* ---- shrink ------------------------------------------------------------------------------ */

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
    if (fields[f].values || f == SEED || f == MASK || f == HASH)
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

/* SPDX-License-Identifier: MIT
 * A selection of the case runner: elements that are wanted, parts, runs and repetitions,
 * with up to four arrays of values. */
#include "cases.h"

#include "reference.h"

#include <crosslane/select.h>
#include <math.h>
#include <string.h>

enum {
    IN,
    CLASSES, /* flags, bits, or lengths */
    VALUES_IN,
    OUT = VALUES_IN + MOST_VALUES,
    VALUES_OUT,
    INDICES = VALUES_OUT + MOST_VALUES,
    LENGTHS,
    COUNTS,
    LENGTH,
    ROOM
};

static bool finds_runs(const fuzz_case *c)
{
    return c->of[CHOICE] == XL_SELECT_UNIQUE || c->of[CHOICE] == XL_SELECT_RUNS;
}

static bool repeats(const fuzz_case *c)
{
    return c->of[CHOICE] == XL_SELECT_REPEAT;
}

static bool has_predicate(const fuzz_case *c)
{
    return !finds_runs(c) && !repeats(c) && c->of[BY] == XL_SELECT_BY_PREDICATE;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static const char *predicate_of(const fuzz_case *c)
{
    static const char *const two[] = {"(x & 3) == 1 || i % 7 == 2", "x > 0", "i % 3 == 1"},
                             *const three[] = {"(int)((x & 7) % 4)", "x > 0 ? 0 : x < 0 ? 1 : 5",
                                               "(int)(i % 5)"};
    return (c->of[CHOICE] == XL_SELECT_PARTITION3 ? three : two)[kind_of(c)];
}

static const char *equality_of(const fuzz_case *c)
{
    static const char *const of_users[] = {"a.m == b.m", "a.from / 3 == b.from / 3",
                                           "a.hash == b.hash", "a.m == b.m"},
                             *const scalars[] = {"(a & 12) == (b & 12)", "(a > 0) == (b > 0)"};
    if (c->of[TYPE] >= FIRST_USER)
        return of_users[c->of[TYPE] - FIRST_USER];
    return kind_of(c) == OTHERS ? "a.x == b.x" : scalars[kind_of(c)];
}

static xl_status open_select(const fuzz_case *c, open_plan *plan)
{
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.kind = (uint32_t)c->of[CHOICE];
    desc.by = (uint32_t)c->of[BY];
    desc.type = element_of(c)->type;
    desc.user_type = element_of(c)->user_type;
    describe_values(c, &desc.value, desc.more_values);
    desc.index = c->of[INDEX] ? XL_U32 : XL_U64;
    desc.equal_zeros = !c->of[ZEROS_APART];
    if (c->of[TEXT] && has_predicate(c))
        desc.predicate = predicate_of(c);
    if (c->of[TEXT] && finds_runs(c))
        desc.equal = equality_of(c);
    return xl_select_create(plan->ctx, &desc, &plan->of.array_plan);
}

/* ---- the call -------------------------------------------------------------------------------- */

static size_t room_for; /* capacity of the outputs, and as it is said */
static size_t room_said;

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    xl_select_args args = {.n = case_most(c),
                           .n_device = array_view(&a[LENGTH]),
                           .in = array_view(&a[IN]),
                           .values_in = array_view(&a[VALUES_IN]),
                           .capacity = room_said,
                           .out = array_view(&a[OUT]),
                           .values_out = array_view(&a[VALUES_OUT]),
                           .indices_out = array_view(&a[INDICES]),
                           .lengths_out = array_view(&a[LENGTHS]),
                           .count_out = array_view(&a[COUNTS]),
                           .scratch = array_view(&a[ROOM])};
    *(repeats(c) ? &args.lengths_in : &args.flags) = array_view(&a[CLASSES]);
    for (size_t k = 0; k < XL_MORE_VALUES; ++k) {
        args.more_values_in[k] = array_view(&a[VALUES_IN + 1 + k]);
        args.more_values_out[k] = array_view(&a[VALUES_OUT + 1 + k]);
    }
    return xl_select_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f), waits(f),
                             f->event);
}

/* ---- inputs ---------------------------------------------------------------------------- */

/* Where runs are looked for, most elements are like the one before. */
static unsigned char *make_elements(const fuzz_case *c, size_t n)
{
    const size_t bytes = element_of(c)->bytes;
    xlt_random random = random_of(c->of[SEED], 30);
    const uint32_t usual = 1 + xlt_below(&random, 40);
    unsigned char *in = make_input(c, n);
    for (size_t i = 1; finds_runs(c) && i < n; ++i)
        if (xlt_below(&random, usual) > 0)
            memcpy(in + i * bytes, in + (i - 1) * bytes, bytes);
    return in;
}

/* Lengths; or flags, by which a part of all is wanted: none, few, most or all. */
static void *make_classes(const fuzz_case *c, size_t n)
{
    xlt_random random = random_of(c->of[SEED], 31);
    const bool bits = c->of[BY] == XL_SELECT_BY_BITMASK;
    const uint32_t part = (uint32_t[]){0, 1, 128, 255, 256}[xlt_below(&random, 5)];
    uint32_t *const words = make_bytes(n + 1, sizeof *words);
    uint8_t *const flags = (uint8_t *)words;
    for (size_t i = 0; i < n; ++i) {
        const bool wanted = xlt_below(&random, 256) < part;
        if (repeats(c))
            words[i] = xlt_below(&random, 40) ? xlt_below(&random, 4) : xlt_below(&random, 90);
        else if (bits)
            words[i / 32] |= (uint32_t)wanted << i % 32;
        else if (c->of[CHOICE] == XL_SELECT_PARTITION3)
            flags[i] = (uint8_t)(wanted ? xlt_below(&random, xlt_below(&random, 8) ? 4 : 256) : 0);
        else
            flags[i] = (uint8_t)(wanted ? 1 + xlt_below(&random, 255) : 0);
    }
    return words;
}

/* ---- expected results -------------------------------------------------------------------- */

static bool is_nonzero(const fuzz_case *c, const unsigned char *x)
{
    const element *e = element_of(c);
    if (e->numbers == FLOATING)
        return lane_number(e, x) != 0 || isnan(lane_number(e, x));
    return lane_bits(e, x) != 0;
}

static unsigned by_text(const fuzz_case *c, const unsigned char *x, size_t i)
{
    const element *e = element_of(c);
    const bool three = c->of[CHOICE] == XL_SELECT_PARTITION3;
    const enum element_kind kind = kind_of(c);
    if (kind == OTHERS)
        return (unsigned)(three ? i % 5 : i % 3 == 1);
    if (kind == INTEGERS) {
        const uint64_t bits = lane_bits(e, x);
        return (unsigned)(three ? (bits & 7) % 4 : (bits & 3) == 1 || i % 7 == 2);
    }
    const long double number = lane_number(e, x);
    return three ? (number > 0 ? 0 : number < 0 ? 1 : 5) : number > 0;
}

static unsigned class_of(const fuzz_case *c, const unsigned char *in, const void *classes, size_t i)
{
    const unsigned char *const x = in + i * element_of(c)->bytes;
    if (c->of[BY] == XL_SELECT_BY_BITMASK)
        return ((const uint32_t *)classes)[i / 32] >> i % 32 & 1;
    if (c->of[BY] == XL_SELECT_BY_FLAGS)
        return ((const uint8_t *)classes)[i];
    return c->of[TEXT] ? by_text(c, x, i) : is_nonzero(c, x);
}

/* `apart`: zeros of two signs differ. */
static bool lanes_equal(const element *e, const unsigned char *a, const unsigned char *b,
                        bool apart)
{
    for (size_t lane = 0; lane < e->lanes; ++lane, a += e->lane_bytes, b += e->lane_bytes)
        if ((e->numbers == FLOATING && lane_number(e, a) != lane_number(e, b)) ||
            ((e->numbers != FLOATING || apart) && memcmp(a, b, e->lane_bytes) != 0))
            return false;
    return true;
}

static bool users_equal(const fuzz_case *c, const unsigned char *a, const unsigned char *b)
{
    static const uint8_t bytes[] = {1, 4, 8, 2}; /* of the first field: see equality_of() */
    uint32_t x, y;
    memcpy(&x, a, sizeof x < element_of(c)->bytes ? sizeof x : 1);
    memcpy(&y, b, sizeof y < element_of(c)->bytes ? sizeof y : 1);
    return c->of[TYPE] == FIRST_USER + 1 ? x / 3 == y / 3
                                         : memcmp(a, b, bytes[c->of[TYPE] - FIRST_USER]) == 0;
}

static bool goes_on(const fuzz_case *c, const unsigned char *a, const unsigned char *b)
{
    const element *e = element_of(c);
    element first = *e;
    first.lanes = 1;
    if (!c->of[TEXT])
        return lanes_equal(e, a, b, c->of[ZEROS_APART]);
    if (c->of[TYPE] >= FIRST_USER)
        return users_equal(c, a, b);
    if (kind_of(c) == OTHERS)
        return lanes_equal(&first, a, b, false);
    if (kind_of(c) == FLOATS)
        return (lane_number(e, a) > 0) == (lane_number(e, b) > 0);
    return (lane_bits(e, a) & 12) == (lane_bits(e, b) & 12);
}

/* The results: places of elements, lengths of runs, and counts. */
typedef struct answer {
    size_t results;
    size_t *places;
    uint32_t *lengths;
    uint64_t counts[2];
} answer;

static void find_runs(const fuzz_case *c, const unsigned char *in, answer *a)
{
    const size_t n = (size_t)c->of[N], bytes = element_of(c)->bytes;
    a->places = make_bytes(n, sizeof *a->places);
    a->lengths = make_bytes(n, sizeof *a->lengths);
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || !goes_on(c, in + (i - 1) * bytes, in + i * bytes))
            a->places[a->results++] = i;
        ++a->lengths[a->results - 1];
    }
    a->counts[0] = a->results;
}

static void repeat(const fuzz_case *c, const uint32_t *lengths, answer *a)
{
    const size_t n = (size_t)c->of[N];
    size_t at = 0;
    for (size_t i = 0; i < n; ++i)
        a->results += lengths[i];
    a->places = make_bytes(a->results, sizeof *a->places);
    for (size_t i = 0; i < n; ++i)
        for (uint32_t k = 0; k < lengths[i]; ++k)
            a->places[at++] = i;
    a->counts[0] = a->results;
}

static void choose(const fuzz_case *c, const unsigned char *in, const void *classes, answer *a)
{
    const size_t n = (size_t)c->of[N];
    const bool three = c->of[CHOICE] == XL_SELECT_PARTITION3;
    unsigned char *of = make_bytes(n, 1);
    uint64_t *places = make_bytes(n, sizeof *places);
    for (size_t i = 0; i < n; ++i) {
        const unsigned class = class_of(c, in, classes, i);
        of[i] = (unsigned char)(class > 2 && three ? 2 : three ? class : class != 0);
    }
    a->results = ref_select((unsigned)c->of[CHOICE] + 1, n, of, places, a->counts);
    a->places = make_bytes(n, sizeof *a->places);
    for (size_t i = 0; i < a->results; ++i)
        a->places[i] = (size_t)places[i];
}

static answer find_answer(const fuzz_case *c, const unsigned char *in, const void *classes)
{
    answer a = {0};
    if (finds_runs(c))
        find_runs(c, in, &a);
    else if (repeats(c))
        repeat(c, classes, &a);
    else
        choose(c, in, classes, &a);
    return a;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static const element *compared;

/* The padding of a structure, and the bytes behind a vector of 3, are not kept. */
static bool is_same(const void *got, const void *wanted)
{
    const size_t bytes = compared->numbers == STRUCT ? compared->known_bytes
                                                     : compared->lanes * compared->lane_bytes;
    return memcmp(got, wanted, bytes) == 0;
}

static bool gives(const fuzz_case *c, uint64_t without)
{
    return !(c->of[LEFT_OUT] & without);
}

/* All kept results of an array in `room_for` elements, of which no others are written. */
static unsigned char *chosen(const answer *a, const void *from, size_t size)
{
    unsigned char *to = make_untouched(room_for, size);
    gather_elements(to, from, size, a->places, a->results < room_for ? a->results : room_for);
    return to;
}

static unsigned char *chosen_indices(const answer *a, size_t size)
{
    unsigned char *to = make_untouched(room_for, size);
    for (size_t i = 0; i < a->results && i < room_for; ++i) {
        const uint64_t place = a->places[i];
        memcpy(to + i * size, &place, size);
    }
    return to;
}

static void add_inputs(const fuzz_case *c, const unsigned char *in, const void *classes,
                       const value_arrays *values, call_array *arrays)
{
    const size_t most = case_most(c), at = (size_t)c->of[IN_AT];
    const bool bits = c->of[BY] == XL_SELECT_BY_BITMASK, given = repeats(c) || c->of[BY];
    const bool needed = gives(c, NO_KEYS) || !given;
    arrays[IN] = input_array(needed ? "in" : NULL, in, most, element_of(c)->bytes, at);
    arrays[CLASSES] =
        input_array(given ? "flags or lengths" : NULL, classes, bits ? (most + 31) / 32 : most,
                    bits || repeats(c) ? 4 : 1, at / 2);
    for (size_t k = 0; gives(c, NO_VALUES) && k < count_values(c); ++k)
        arrays[VALUES_IN + k] =
            input_array("values_in", values->of[k], most, value_size(c, k), at / (k + 3));
}

typedef struct results {
    unsigned char *out, *indices, *lengths;
    value_arrays values;
} results;

static results make_results(const fuzz_case *c, const answer *a, const unsigned char *in,
                            const value_arrays *values)
{
    results r = {.out = chosen(a, in, element_of(c)->bytes),
                 .indices = chosen_indices(a, c->of[INDEX] ? 4 : 8),
                 .lengths = make_untouched(room_for, 4)};
    const size_t kept = a->results < room_for ? a->results : room_for;
    for (size_t k = 0; k < count_values(c); ++k)
        r.values.of[k] = chosen(a, values->of[k], value_size(c, k));
    if (a->lengths)
        memcpy(r.lengths, a->lengths, kept * 4);
    return r;
}

static void add_outputs(const fuzz_case *c, const answer *a, const results *r, call_array *arrays)
{
    const size_t at = (size_t)c->of[OUT_AT], n = room_for;
    const bool runs = c->of[CHOICE] == XL_SELECT_RUNS;
    arrays[OUT] =
        output_array(gives(c, NO_KEYS) ? "out" : NULL, r->out, n, element_of(c)->bytes, at);
    arrays[OUT].will_do = is_same;
    for (size_t k = 0; gives(c, NO_VALUES) && k < count_values(c); ++k)
        arrays[VALUES_OUT + k] =
            output_array("values_out", r->values.of[k], n, value_size(c, k), at / (k + 2));
    arrays[INDICES] = output_array(gives(c, NO_INDICES) ? "indices_out" : NULL, r->indices, n,
                                   c->of[INDEX] ? 4 : 8, at / 3);
    arrays[LENGTHS] =
        output_array(runs && gives(c, NO_LENGTHS) ? "lengths_out" : NULL, r->lengths, n, 4, at);
    arrays[COUNTS] = output_array(gives(c, NO_COUNT) ? "count_out" : NULL, a->counts,
                                  c->of[CHOICE] == XL_SELECT_PARTITION3 ? 2 : 1, 8, at / 5);
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const unsigned char *in,
                       const void *classes, const answer *a)
{
    static const exact_call call = {"xl_select_enqueue", enqueue, NULL};
    const uint64_t count = count_of(c);
    value_arrays values = make_value_arrays(c, case_most(c));
    call_array arrays[CALL_ARRAYS] = {{0}};
    size_t scratch = 0;
    results r = make_results(c, a, in, &values);
    compared = element_of(c);
    if (succeeded(
            o, plan->ctx,
            xl_select_scratch(plan->of.array_plan, &(xl_select_args){.n = case_most(c)}, &scratch),
            "xl_select_scratch")) {
        add_inputs(c, in, classes, &values, arrays);
        add_outputs(c, a, &r, arrays);
        arrays[LENGTH] = count_array(c, &count);
        arrays[ROOM] = scratch_array(c, scratch);
        run_exact(o, c, plan, &call, arrays);
    }
}

static void run_select(const fuzz_case *c, open_plan *plan, outcome *o)
{
    const size_t most = case_most(c);
    unsigned char *in = make_elements(c, most);
    void *classes = make_classes(c, most);
    answer a = find_answer(c, in, classes);
    room_said = c->of[CUT] == CUT_UNSAID ? 0 : c->of[CUT] == CUT_HALF ? a.results / 2 : a.results;
    room_for = room_said > 0 ? room_said : most;
    run_arrays(c, plan, o, in, classes, &a);
}

const primitive select_primitive = {open_select, run_select, close_array_plan};

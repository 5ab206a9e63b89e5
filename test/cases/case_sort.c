/* SPDX-License-Identifier: MIT
 * A sort of the case runner: keys in order, and up to four arrays of values that follow
 * them; where the sort is stable, to the bit. */
#include "cases.h"

#include "reference.h"

#include <crosslane/sort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEYS_IN,
    KEYS_OUT,
    VALUES_IN,
    VALUES_OUT = VALUES_IN + MOST_VALUES,
    BEGINS = VALUES_OUT + MOST_VALUES,
    LENGTH,
    ROOM
};

static bool has_range(const fuzz_case *c)
{
    return c->of[FROM_BIT] > 0 || (c->of[TO_BIT] > 0 && c->of[TO_BIT] < 8 * element_of(c)->bytes);
}

static bool is_stable(const fuzz_case *c)
{
    return c->of[ALGORITHM] == ALGORITHM_RADIX || c->of[STABLE] || c->of[SEGMENTS] ||
           c->of[COMPARE] || c->of[WIDE] || has_range(c) ||
           (c->of[EQUAL_ZEROS] && element_of(c)->numbers == FLOATING);
}

static bool makes_indices(const fuzz_case *c)
{
    return c->of[VALUES] == VALUES_INDICES;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* The word of a structure that tells the order. */
static size_t word_of(const fuzz_case *c)
{
    const size_t words = element_of(c)->bytes / 4;
    return words > 2 ? 2 : words - 1;
}

static void describe(const fuzz_case *c, xl_sort_desc *desc)
{
    static const xl_sort_algorithm algorithms[] = {
        [0] = XL_SORT_AUTO, [1] = XL_SORT_BITONIC, [2] = XL_SORT_RADIX};
    xl_sort_desc_init(desc);
    desc->key = element_of(c)->type;
    describe_values(c, &desc->value, desc->more_values);
    desc->order = (uint32_t)c->of[ORDER];
    desc->algorithm = algorithms[c->of[ALGORITHM] ? c->of[ALGORITHM] - ALGORITHM_BITONIC + 1 : 0];
    desc->stable = (uint32_t)c->of[STABLE];
    desc->values_only = (uint32_t)c->of[VALUES_ONLY];
    desc->begin_bit = (uint32_t)c->of[FROM_BIT];
    desc->end_bit = (uint32_t)c->of[TO_BIT];
    desc->equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    desc->large = (uint32_t)c->of[WIDE];
    desc->segments = (uint32_t)c->of[SEGMENTS];
    desc->segment_type = segment_type_of(c);
}

static xl_status open_sort(const fuzz_case *c, open_plan *plan)
{
    char type_text[80], text[160];
    static const char *const names[] = {"uint",  "int",  "ulong",  "long",  "float", "double",
                                        "uchar", "char", "ushort", "short", "half"};
    const xl_user_type type = {"words", element_of(c)->bytes, 4, type_text};
    const xl_user_comparator comparator = {"is_first", text};
    xl_sort_desc desc;
    describe(c, &desc);
    snprintf(type_text, sizeof type_text, "typedef struct words { uint a[%zu]; } words;",
             element_of(c)->bytes / 4);
    if (c->of[COMPARE] == COMPARE_STRUCT)
        snprintf(text, sizeof text,
                 "bool is_first(words a, words b) { return a.a[%zu] < b.a[%zu]; }", word_of(c),
                 word_of(c));
    else
        snprintf(text, sizeof text, "bool is_first(%s a, %s b) { return (a & 15) < (b & 15); }",
                 names[c->of[TYPE]], names[c->of[TYPE]]);
    if (c->of[COMPARE])
        desc.comparator = &comparator;
    if (c->of[COMPARE] == COMPARE_STRUCT)
        desc.user_key = &type;
    return xl_sort_create(plan->ctx, &desc, &plan->of.array_plan);
}

/* ---- the call -------------------------------------------------------------------------------- */

static bool keys_stay(const fuzz_case *c)
{
    return c->of[VALUES_ONLY] || c->of[PLACE] == PLACE_APART || c->of[PLACE] == PLACE_VALUES_IN;
}

static bool values_stay(const fuzz_case *c)
{
    return c->of[PLACE] == PLACE_APART || c->of[PLACE] == PLACE_KEYS_IN;
}

/* Whether value array k is worked on in place. */
static bool in_place(const fuzz_case *c, size_t k)
{
    return !values_stay(c) && !(k == 0 && makes_indices(c));
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const bool counted = c->of[COUNT] != COUNT_ON_HOST;
    const call_array *const keys_out = &a[keys_stay(c) ? KEYS_OUT : KEYS_IN];
    xl_sort_args args = {.n = case_most(c),
                         .keys_in = array_view(&a[KEYS_IN]),
                         .keys_out = array_view(keys_out),
                         .scratch = array_view(&a[ROOM])};
    xl_view in[MOST_VALUES], out[MOST_VALUES];
    for (size_t k = 0; k < MOST_VALUES; ++k) {
        in[k] = array_view(&a[VALUES_IN + k]);
        out[k] = array_view(&a[(in_place(c, k) ? VALUES_IN : VALUES_OUT) + k]);
    }
    args.values_in = in[0];
    args.values_out = out[0];
    memcpy(args.more_values_in, in + 1, sizeof args.more_values_in);
    memcpy(args.more_values_out, out + 1, sizeof args.more_values_out);
    if (counted)
        args.n_device = array_view(&a[LENGTH]);
    if (a[BEGINS].name)
        args.segments = counted_view(&a[BEGINS].buffer);
    return xl_sort_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f), waits(f), f->event);
}

/* ---- expected order -------------------------------------------------------------------- */

typedef struct order {
    size_t n, most;
    uint64_t *ranks; /* of the keys, which give their order */
    bool descending;
    size_t *places; /* in order */
} order;

static uint64_t rank_of(const fuzz_case *c, const unsigned char *key)
{
    const element *e = element_of(c);
    const uint64_t bits = 8 * e->bytes, from = c->of[FROM_BIT],
                   to = c->of[TO_BIT] ? c->of[TO_BIT] : bits;
    uint32_t word = 0;
    if (c->of[COMPARE] == COMPARE_STRUCT)
        return memcpy(&word, key + 4 * word_of(c), 4), word;
    if (c->of[COMPARE] == COMPARE_LOW)
        return key[0] & 15; /* the least byte first, as on every host we know */
    const uint64_t rank =
        c->of[EQUAL_ZEROS] ? ref_key_rank_equal_zeros(e->type, key) : ref_key_rank(e->type, key);
    return to - from < 64 ? rank >> from & (((uint64_t)1 << (to - from)) - 1) : rank;
}

static bool comes_before(const void *user, size_t a, size_t b)
{
    const order *const r = user;
    return r->descending ? r->ranks[b] < r->ranks[a] : r->ranks[a] < r->ranks[b];
}

/* Sorts each segment alone. ref_sort_by() needs places from 0 on, so ranks are those of a part. */
static void order_part(const order *r, size_t first, size_t end)
{
    order part = {.ranks = r->ranks + first, .descending = r->descending};
    size_t *const places = r->places + first;
    XLT_TRUE(ref_sort_by(end - first, places, comes_before, &part));
    for (size_t i = 0; i < end - first; ++i)
        places[i] += first;
}

/* Elements before the first segment stay where they are. */
static order find_order(const fuzz_case *c, const unsigned char *keys, const segmentation *s)
{
    order r = {.n = (size_t)c->of[N], .most = case_most(c), .descending = descends(c)};
    r.ranks = make_bytes(r.n, sizeof *r.ranks);
    r.places = make_bytes(r.most, sizeof *r.places);
    for (size_t i = 0; i < r.n; ++i) {
        r.ranks[i] = rank_of(c, keys + i * element_of(c)->bytes);
        r.places[i] = i;
    }
    for (size_t k = 0; c->of[SEGMENTS] && k < s->count; ++k)
        order_part(&r, (size_t)s->begin[k], (size_t)s->begin[k + 1]);
    if (!c->of[SEGMENTS])
        order_part(&r, 0, r.n);
    return r;
}

/* ---- values of a sort that is not stable: those of equal keys may be in any order ------------ */

static const order *running;
static size_t compared_bytes;

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, compared_bytes);
}

static bool same_values(outcome *o, const call_array *a, const unsigned char *wanted)
{
    const size_t size = a->size, n = running->n;
    unsigned char *x = make_bytes(n, size), *y = make_bytes(n, size);
    memcpy(x, a->got, n * size);
    memcpy(y, wanted, n * size);
    compared_bytes = size;
    for (size_t first = 0, end; first < n; first = end) {
        const uint64_t rank = running->ranks[running->places[first]];
        for (end = first + 1; end < n && running->ranks[running->places[end]] == rank;)
            ++end;
        qsort(x + first * size, end - first, size, by_bytes);
        qsort(y + first * size, end - first, size, by_bytes);
    }
    for (size_t i = 0; i < n && !o->failed; ++i)
        if (memcmp(x + i * size, y + i * size, size) != 0)
            failed(o, "%s: %zu of %zu is not a value of its key", a->name, i, n);
    if (memcmp((char *)a->got + n * size, wanted + n * size, (running->most - n) * size) != 0)
        failed(o, "%s: written past n", a->name);
    return !o->failed;
}

static value_arrays wanted_values;

static bool holds(outcome *o, const fuzz_case *c, const call_array *arrays)
{
    for (size_t k = 0; !is_stable(c) && k < count_values(c); ++k)
        if (!same_values(o, &arrays[(in_place(c, k) ? VALUES_IN : VALUES_OUT) + k],
                         wanted_values.of[k]))
            return false;
    return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* The expected array: elements in order, then the bytes of `stays`, or none that were written. */
static unsigned char *in_order(const order *r, const void *from, size_t size, const void *stays)
{
    unsigned char *const to = make_untouched(r->most, size);
    if (stays)
        memcpy(to, stays, r->most * size);
    gather_elements(to, from, size, r->places, r->n);
    return to;
}

static void add_keys(const fuzz_case *c, const order *r, const void *keys, const void *wanted,
                     call_array *arrays)
{
    const size_t bytes = element_of(c)->bytes, in_at = (size_t)c->of[IN_AT],
                 out_at = (size_t)c->of[OUT_AT];
    if (keys_stay(c))
        arrays[KEYS_IN] = input_array("keys_in", keys, r->most, bytes, in_at);
    else
        arrays[KEYS_IN] = in_place_array("keys in place", keys, wanted, r->most, bytes, in_at);
    if (keys_stay(c) && !c->of[VALUES_ONLY])
        arrays[KEYS_OUT] = output_array("keys_out", wanted, r->most, bytes, out_at);
}

static void add_values(const fuzz_case *c, const order *r, const value_arrays *values,
                       call_array *arrays)
{
    for (size_t k = 0; k < count_values(c); ++k) {
        const size_t size = value_size(c, k), in_at = (size_t)c->of[OUT_AT] / (k + 2),
                     out_at = (size_t)c->of[IN_AT] / (k + 3);
        const void *const wanted = is_stable(c) ? wanted_values.of[k] : NULL;
        if (in_place(c, k))
            arrays[VALUES_IN + k] =
                in_place_array(values_in_name[k], values->of[k], wanted, r->most, size, in_at);
        else if (k > 0 || !makes_indices(c))
            arrays[VALUES_IN + k] =
                input_array(values_in_name[k], values->of[k], r->most, size, in_at);
        if (!in_place(c, k))
            arrays[VALUES_OUT + k] =
                output_array(values_out_name[k], wanted, r->most, size, out_at);
    }
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const order *r,
                       const unsigned char *keys, const segmentation *s)
{
    static const exact_call call = {"xl_sort_enqueue", enqueue, holds};
    const uint64_t count = count_of(c);
    const bool known = !c->of[BROKEN] || c->of[BROKEN] == LATE_START;
    value_arrays values = make_value_arrays(c, r->most);
    unsigned char *wanted = in_order(r, keys, element_of(c)->bytes, keys_stay(c) ? NULL : keys);
    call_array arrays[CALL_ARRAYS] = {{0}};
    size_t scratch = 0;
    for (uint32_t i = 0; makes_indices(c) && i < r->most; ++i)
        memcpy(values.of[0] + 4 * i, &i, 4);
    for (size_t k = 0; k < count_values(c); ++k)
        wanted_values.of[k] =
            in_order(r, values.of[k], value_size(c, k), in_place(c, k) ? values.of[k] : NULL);
    running = r;
    if (succeeded(o, plan->ctx,
                  xl_sort_scratch(plan->of.array_plan, &(xl_sort_args){.n = r->most}, &scratch),
                  "xl_sort_scratch")) {
        add_keys(c, r, keys, wanted, arrays);
        add_values(c, r, &values, arrays);
        for (size_t k = 0; !known && k < BEGINS; ++k)
            arrays[k].wanted = NULL;
        arrays[BEGINS] = segments_array(c, s);
        arrays[LENGTH] = count_array(c, &count);
        arrays[ROOM] = scratch_array(c, scratch);
        run_exact(o, c, plan, &call, arrays);
    }
}

/* Structures of any bytes, whose word has some values that are equal. */
static unsigned char *make_keys(const fuzz_case *c, size_t n)
{
    const size_t bytes = element_of(c)->bytes;
    xlt_random random = random_of(c->of[SEED], 9);
    if (c->of[COMPARE] != COMPARE_STRUCT)
        return make_input(c, n);
    unsigned char *keys = make_bytes(n, bytes);
    for (size_t i = 0; i < n * bytes; ++i)
        keys[i] = (unsigned char)xlt_next(&random);
    for (size_t i = 0; i < n && c->of[DATA] != RANDOM; ++i) {
        const uint32_t few = c->of[DATA] == SORTED     ? (uint32_t)i / 3
                             : c->of[DATA] == REVERSED ? (uint32_t)(n - i) / 3
                             : c->of[DATA] == ODD      ? xlt_below(&random, 2) - 1
                             : c->of[DATA] == REAL     ? xlt_below(&random, (uint32_t)n / 3 + 1)
                                                       : (uint32_t)c->of[DATA];
        memcpy(keys + i * bytes + 4 * word_of(c), &few, 4);
    }
    return keys;
}

static void run_sort(const fuzz_case *c, open_plan *plan, outcome *o)
{
    segmentation s = make_segments(c);
    unsigned char *keys = make_keys(c, case_most(c));
    order r = find_order(c, keys, &s);
    run_arrays(c, plan, o, &r, keys, &s);
}

const primitive sort_primitive = {open_sort, run_sort, close_array_plan};

/* SPDX-License-Identifier: MIT
 * A top-k selection of the case runner: the k first of all keys sorted, in order or in the order of
 * the input, with up to four arrays of values. */
#include "cases.h"

#include "reference.h"

#include <crosslane/top_k.h>
#include <string.h>

enum {
    KEYS_IN,
    VALUES_IN,
    KEYS_OUT = VALUES_IN + MOST_VALUES,
    VALUES_OUT,
    INDICES_OUT = VALUES_OUT + MOST_VALUES,
    COUNT_OUT,
    BEGINS,
    LENGTH,
    ROOM
};

static xl_status open_top_k(const fuzz_case *c, open_plan *plan)
{
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.key = element_of(c)->type;
    describe_values(c, &desc.value, desc.more_values);
    desc.largest = descends(c);
    desc.sorted = !c->of[UNSORTED];
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    desc.segments = (uint32_t)c->of[SEGMENTS];
    desc.segment_type = segment_type_of(c);
    return xl_top_k_create(plan->ctx, &desc, &plan->of.array_plan);
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    xl_top_k_args args = {.n = case_most(c),
                          .k = (size_t)c->of[TOP],
                          .n_device = array_view(&a[LENGTH]),
                          .keys_in = array_view(&a[KEYS_IN]),
                          .values_in = array_view(&a[VALUES_IN]),
                          .keys_out = array_view(&a[KEYS_OUT]),
                          .values_out = array_view(&a[VALUES_OUT]),
                          .indices_out = array_view(&a[INDICES_OUT]),
                          .scratch = array_view(&a[ROOM])};
    *(c->of[SEGMENTS] ? &args.counts_out : &args.count_out) = array_view(&a[COUNT_OUT]);
    if (a[BEGINS].name)
        args.segments = counted_view(&a[BEGINS].buffer);
    for (size_t k = 0; k < XL_MORE_VALUES; ++k) {
        args.more_values_in[k] = array_view(&a[VALUES_IN + 1 + k]);
        args.more_values_out[k] = array_view(&a[VALUES_OUT + 1 + k]);
    }
    return xl_top_k_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f), waits(f), f->event);
}

/* ---- expected results ------------------------------------------------------------------------ */

/* The results of all keys, or k elements for each segment. */
typedef struct answer {
    size_t room, counts; /* elements of the outputs, and numbers that say how many are results */
    uint32_t *places;    /* UINT32_MAX: not written */
    uint32_t *lengths;   /* of segments */
    uint64_t length;     /* of all keys */
} answer;

static answer find_answer(const fuzz_case *c, const void *keys, const segmentation *s)
{
    const size_t n = (size_t)c->of[N], most = case_most(c), k = (size_t)c->of[TOP];
    const xl_type type = element_of(c)->type;
    unsigned char *ranked = ranked_keys(c, n, keys);
    answer a = {.room = k < most ? k : most, .counts = 1, .length = k < n ? k : n};
    if (c->of[SEGMENTS]) {
        a.room = s->array_n * k;
        a.counts = s->array_n;
    }
    a.places = make_bytes(a.room, sizeof *a.places);
    a.lengths = make_bytes(a.counts, sizeof *a.lengths);
    memset(a.places, 0xff, a.room * sizeof *a.places);
    const bool done = c->of[SEGMENTS]
                          ? ref_top_k_segments(type, descends(c), !c->of[UNSORTED], n, k, s->begin,
                                               s->array_n, ranked, a.places, a.lengths)
                          : ref_top_k(type, descends(c), !c->of[UNSORTED], n, k, ranked, a.places);
    XLT_TRUE(done);
    for (size_t i = 0; i < a.room; ++i)
        if (c->of[SEGMENTS] ? i % k >= a.lengths[i / k] : i >= a.length)
            a.places[i] = UINT32_MAX;
    return a;
}

/* The elements at the places, and nothing where there is no result. */
static unsigned char *take_places(const answer *a, const void *from, size_t size)
{
    unsigned char *to = make_untouched(a->room, size);
    for (size_t i = 0; i < a->room; ++i)
        if (a->places[i] != UINT32_MAX)
            memcpy(to + i * size, (const char *)from + a->places[i] * size, size);
    return to;
}

static void add_values(const fuzz_case *c, const answer *a, const value_arrays *values,
                       const value_arrays *wanted, call_array *arrays)
{
    for (size_t k = 0; k < count_values(c); ++k) {
        const size_t size = value_size(c, k), at = (size_t)c->of[OUT_AT];
        arrays[VALUES_IN + k] =
            input_array(values_in_name[k], values->of[k], case_most(c), size, at / (k + 2));
        arrays[VALUES_OUT + k] =
            output_array(values_out_name[k], wanted->of[k], a->room, size, at / (k + 3));
    }
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const void *keys,
                       const segmentation *s, const call_array *room)
{
    static const exact_call call = {"xl_top_k_enqueue", enqueue, NULL};
    const size_t n = case_most(c), at = (size_t)c->of[OUT_AT], bytes = element_of(c)->bytes;
    const uint64_t without = c->of[LEFT_OUT], count = count_of(c);
    const bool parts = c->of[SEGMENTS];
    uint32_t *all = make_bytes(n, 4);
    value_arrays values = make_value_arrays(c, n), wanted = {{0}};
    for (size_t i = 0; i < n; ++i)
        all[i] = (uint32_t)i;
    const answer a = find_answer(c, keys, s);
    unsigned char *keys_wanted = take_places(&a, keys, bytes), *places = take_places(&a, all, 4);
    for (size_t k = 0; k < count_values(c); ++k)
        wanted.of[k] = take_places(&a, values.of[k], value_size(c, k));
    call_array arrays[CALL_ARRAYS] = {
        [KEYS_IN] = input_array("keys_in", keys, n, bytes, (size_t)c->of[IN_AT]),
        [KEYS_OUT] =
            output_array(without & NO_KEYS ? NULL : "keys_out", keys_wanted, a.room, bytes, at),
        [INDICES_OUT] =
            output_array(without & NO_INDICES ? NULL : "indices_out", places, a.room, 4, at),
        [COUNT_OUT] =
            output_array(without & NO_COUNT ? NULL : "count_out",
                         parts ? (const void *)a.lengths : &a.length, a.counts, parts ? 4 : 8, at),
        [BEGINS] = segments_array(c, s),
        [LENGTH] = count_array(c, &count),
        [ROOM] = *room};
    if (!(without & NO_VALUES))
        add_values(c, &a, &values, &wanted, arrays);
    for (size_t k = 0; c->of[BROKEN] && k < BEGINS; ++k)
        arrays[k].wanted = NULL;
    run_exact(o, c, plan, &call, arrays);
}

static void run_top_k(const fuzz_case *c, open_plan *plan, outcome *o)
{
    segmentation s = make_segments(c);
    void *keys = make_input(c, case_most(c));
    size_t scratch = 0;
    const xl_top_k_args sizes = {.n = case_most(c),
                                 .k = (size_t)c->of[TOP],
                                 .segments = {.count = c->of[SEGMENTS] ? s.array_n : 0}};
    if (succeeded(o, plan->ctx, xl_top_k_scratch(plan->of.array_plan, &sizes, &scratch),
                  "xl_top_k_scratch")) {
        const call_array room = scratch_array(c, scratch);
        run_arrays(c, plan, o, keys, &s, &room);
    }
}

const primitive top_k_primitive = {open_top_k, run_top_k, close_array_plan};

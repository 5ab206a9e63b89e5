/* SPDX-License-Identifier: MIT
 * A selection of the case runner: the k first of all keys sorted, in order or where they
 * stand. */
#include "cases.h"

#include "reference.h"

#include <crosslane/topk.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_IN, VALUES_IN, KEYS_OUT, VALUES_OUT, INDICES_OUT, COUNT_OUT, BEGINS, ROOM };

static xl_status open_topk(const fuzz_case *c, open_plan *plan)
{
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.key = element_of(c)->type;
    desc.value = c->of[VALUES] ? XL_U32 : XL_NONE;
    desc.largest = descends(c);
    desc.sorted = !c->of[UNSORTED];
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    desc.segments = (uint32_t)c->of[SEGMENTS];
    desc.segment_type = segment_type_of(c);
    return xl_topk_create(plan->ctx, &desc, &plan->of.topk);
}

static void close_topk(open_plan *plan)
{
    xl_plan_destroy(plan->of.topk);
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    static const call_array none;
    return xl_topk_enqueue(
        plan->of.topk, f->queue,
        &(xl_topk_args){.n = (size_t)c->of[N],
                        .segments = a[BEGINS].name ? counted_view(&a[BEGINS].buffer) : xl_no_view(),
                        .k = (size_t)c->of[TOP],
                        .keys_in = array_view(&a[KEYS_IN]),
                        .values_in = array_view(&a[VALUES_IN]),
                        .keys_out = array_view(&a[KEYS_OUT]),
                        .values_out = array_view(&a[VALUES_OUT]),
                        .indices_out = array_view(&a[INDICES_OUT]),
                        .count_out = array_view(c->of[SEGMENTS] ? &none : &a[COUNT_OUT]),
                        .counts_out = array_view(c->of[SEGMENTS] ? &a[COUNT_OUT] : &none),
                        .scratch = array_view(&a[ROOM])},
        num_waits(f), waits(f), f->event);
}

/* ---- expected results ------------------------------------------------------------------------ */

/* Of all keys, or of each segment by itself, k results after each other. */
typedef struct answer {
    size_t room, counts; /* elements of the outputs, and numbers that say how many are results */
    uint32_t *places;    /* UINT32_MAX: not written */
    uint32_t *lengths;   /* of segments */
    uint64_t length;     /* of all keys */
} answer;

static answer find_answer(const fuzz_case *c, const void *keys, const segmentation *s)
{
    const size_t n = (size_t)c->of[N], k = (size_t)c->of[TOP];
    const xl_type type = element_of(c)->type;
    unsigned char *ranked = ranked_keys(c, n, keys);
    answer a = {.room = k < n ? k : n, .counts = 1};
    a.length = a.room;
    if (c->of[SEGMENTS]) {
        a.room = s->array_n * k;
        a.counts = s->array_n;
    }
    a.places = make_bytes(a.room, sizeof *a.places);
    a.lengths = make_bytes(a.counts, sizeof *a.lengths);
    memset(a.places, 0xff, a.room * sizeof *a.places);
    const bool done = c->of[SEGMENTS]
                          ? ref_topk_segments(type, descends(c), !c->of[UNSORTED], n, k, s->begin,
                                              s->array_n, ranked, a.places, a.lengths)
                          : ref_topk(type, descends(c), !c->of[UNSORTED], n, k, ranked, a.places);
    XLT_TRUE(done);
    free(ranked);
    for (size_t i = 0; c->of[SEGMENTS] && i < a.room; ++i)
        if (i % k >= a.lengths[i / k])
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

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const void *keys,
                       const segmentation *s, const call_array *room)
{
    static const exact_call call = {"xl_topk_enqueue", enqueue, NULL};
    const size_t n = (size_t)c->of[N], at = (size_t)c->of[OUT_AT], bytes = element_of(c)->bytes;
    const uint64_t without = c->of[LEFT_OUT];
    const bool moved = c->of[VALUES] && !(without & NO_VALUES), parts = c->of[SEGMENTS];
    uint32_t *values = make_values(n), *all = make_bytes(n, 4);
    for (size_t i = 0; i < n; ++i)
        all[i] = (uint32_t)i;
    const answer a = find_answer(c, keys, s);
    unsigned char *keys_wanted = take_places(&a, keys, bytes),
                  *values_wanted = take_places(&a, values, 4), *places = take_places(&a, all, 4);
    call_array arrays[CALL_ARRAYS] = {
        [KEYS_IN] = input_array("keys_in", keys, n, bytes, (size_t)c->of[IN_AT]),
        [VALUES_IN] = input_array(moved ? "values_in" : NULL, values, n, 4, at / 2),
        [KEYS_OUT] =
            output_array(without & NO_KEYS ? NULL : "keys_out", keys_wanted, a.room, bytes, at),
        [VALUES_OUT] = output_array(moved ? "values_out" : NULL, values_wanted, a.room, 4, at / 3),
        [INDICES_OUT] =
            output_array(without & NO_INDICES ? NULL : "indices_out", places, a.room, 4, at),
        [COUNT_OUT] =
            output_array(without & NO_COUNT ? NULL : "count_out",
                         parts ? (const void *)a.lengths : &a.length, a.counts, parts ? 4 : 8, at),
        [BEGINS] = input_array(s->array ? "segments" : NULL, s->array, s->array_n, s->array_bytes,
                               (size_t)c->of[SEGMENTS_AT]),
        [ROOM] = *room};
    for (size_t k = 0; c->of[BROKEN] && k < BEGINS; ++k)
        arrays[k].wanted = NULL;
    run_exact(o, c, plan, &call, arrays);
    free(values);
    free(all);
    free(keys_wanted);
    free(values_wanted);
    free(places);
    free(a.places);
    free(a.lengths);
}

static void run_topk(const fuzz_case *c, open_plan *plan, outcome *o)
{
    segmentation s = make_segments(c);
    void *keys = make_input(c, (size_t)c->of[N]);
    size_t scratch = 0;
    if (succeeded(o, plan->ctx,
                  xl_topk_scratch(plan->of.topk,
                                  &(xl_topk_args){.n = (size_t)c->of[N], .k = (size_t)c->of[TOP]},
                                  &scratch),
                  "xl_topk_scratch")) {
        const call_array room = scratch_array(c, scratch);
        run_arrays(c, plan, o, keys, &s, &room);
    }
    free(keys);
    free_segments(&s);
}

const primitive topk_primitive = {open_topk, run_topk, close_topk};

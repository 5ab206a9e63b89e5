/* SPDX-License-Identifier: MIT
 * A reduction of the case runner. */
#include "cases.h"

#include <crosslane/reduce.h>
#include <string.h>

enum { OUT, IN, HEADS, KEYS, NUMBER, LENGTH, ROOM };

static xl_status open_reduce(const fuzz_case *c, open_plan *plan)
{
    unsigned char init[ELEMENT_MOST];
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    DESCRIBE_FOLD(desc, c);
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    if (case_init(c, init))
        desc.init = init;
    return xl_reduce_create(plan->ctx, &desc, &plan->of.array_plan);
}

static bool segments_unknown(const fuzz_case *c)
{
    return c->of[SEGMENTS] >= XL_SEGMENTS_HEAD_FLAGS && c->of[SEGMENTS] <= XL_SEGMENTS_KEYS;
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const bool counted = c->of[SEGMENTS] == XL_SEGMENTS_OFFSETS, unsaid = c->of[CUT] == CUT_UNSAID;
    const xl_reduce_args args = {.n = case_most(c),
                                 .n_device = array_view(&a[LENGTH]),
                                 .in = array_view(&a[IN]),
                                 .segments = counted ? counted_view(&a[HEADS].buffer)
                                                     : array_view(&a[HEADS]),
                                 .out = unsaid ? array_view(&a[OUT]) : counted_view(&a[OUT].buffer),
                                 .keys_out = array_view(&a[KEYS]),
                                 .num_segments_out = array_view(&a[NUMBER]),
                                 .scratch = array_view(&a[ROOM])};
    return xl_reduce_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f), waits(f),
                             f->event);
}

/* How many results a call may write. */
static size_t room_of(const fuzz_case *c, const segmentation *s)
{
    if (c->of[SEGMENTS] == XL_SEGMENTS_OFFSETS || c->of[SEGMENTS] == XL_SEGMENTS_NONE)
        return s->count;
    if (c->of[CUT] == CUT_HALF && s->count > 1)
        return s->count / 2;
    if (c->of[CUT] == CUT_UNSAID)
        return case_most(c);
    return c->of[COUNT] == COUNT_ON_HOST && !segments_unknown(c) ? s->count : s->most_count;
}

/* ---- results -------------------------------------------------------------------------------- */

static const segmentation *running; /* the segments of the call */
static const void *wanted_results;
static const float *allowed_slack;

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The key of each segment that there is room for, and how many segments there are. */
static bool check_keys(outcome *o, const fuzz_case *c, const call_array *a)
{
    const segmentation *const s = running;
    const size_t bytes = s->array_bytes, some = lesser(a[OUT].n, s->count);
    const uint64_t *const number = a[NUMBER].got;
    const unsigned char *const keys = a[KEYS].got;
    if (number && *number != s->count)
        return failed(o, "there are %zu segments, not %llu", s->count, (unsigned long long)*number);
    for (size_t k = 0; keys && k < some && !c->of[BROKEN]; ++k)
        if (memcmp(keys + k * bytes, (char *)s->array + s->begin[k] * bytes, bytes) != 0)
            return failed(o, "key %zu of %zu is wrong", k, some);
    return true;
}

static bool holds(outcome *o, const fuzz_case *c, const call_array *a)
{
    const unsigned char *const got = a[OUT].got;
    const size_t bytes = out_bytes_of(c), some = lesser(a[OUT].n, running->count);
    if (!check_keys(o, c, a))
        return false;
    if (c->of[BROKEN])
        return true;
    for (size_t i = some * bytes; i < a[OUT].n * bytes; ++i)
        if (got[i] != UNTOUCHED)
            return failed(o, "out: byte %zu past the last result was written", i - some * bytes);
    return same_results(o, c, some, got, wanted_results, allowed_slack) &&
           same_hash(o, c, some, got);
}

static bool agree(outcome *o, const fuzz_case *c, const call_array *a, const call_array *b)
{
    return c->of[BROKEN] || c->of[DETERMINISM] == XL_UNORDERED ||
           same_bits(o, c, a[OUT].n, a[OUT].got, b[OUT].got);
}

/* The second of two calls has elements at another place, which must not change bits. */
static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const void *in, size_t room)
{
    static const exact_call call = {"xl_reduce_enqueue", enqueue, holds};
    const segmentation *const s = running;
    const size_t most = case_most(c), at = (size_t)c->of[OUT_AT];
    const uint64_t count = count_of(c);
    const bool keys = c->of[SEGMENTS] == XL_SEGMENTS_KEYS && c->of[SEED] % 4,
               number = segments_unknown(c) && c->of[SEED] % 8;
    size_t scratch = 0;
    if (!succeeded(o, plan->ctx,
                   xl_reduce_scratch(plan->of.array_plan, &(xl_reduce_args){.n = most}, &scratch),
                   "xl_reduce_scratch"))
        return;
    call_array arrays[CALL_ARRAYS] = {
        [OUT] = output_array("out", NULL, room, out_bytes_of(c), at),
        [IN] = input_array("in", in, most, in_bytes_of(c), (size_t)c->of[IN_AT]),
        [HEADS] = segments_array(c, s),
        [KEYS] = output_array(keys ? "keys" : NULL, NULL, room, s->array_bytes, at / 2),
        [NUMBER] = output_array(number ? "count" : NULL, NULL, 1, sizeof count, 3),
        [LENGTH] = count_array(c, &count),
        [ROOM] = scratch_array(c, scratch)};
    arrays[OUT].shifts = arrays[IN].shifts = true;
    run_alike(o, c, plan, &call, arrays, agree);
}

static void run_reduce(const fuzz_case *c, open_plan *plan, outcome *o)
{
    segmentation s = make_segments(c);
    void *in = make_input(c, case_most(c));
    const size_t room = room_of(c, &s), most = room > s.count ? room : s.count;
    unsigned char *wanted = make_untouched(most, out_bytes_of(c));
    float *slack = make_bytes(most * element_of(c)->lanes, sizeof *slack);
    expect_reduce(c, in, &s, wanted, slack);
    running = &s;
    wanted_results = wanted;
    allowed_slack = slack;
    run_arrays(c, plan, o, in, room);
}

const primitive reduce_primitive = {open_reduce, run_reduce, close_array_plan};

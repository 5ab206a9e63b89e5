/* SPDX-License-Identifier: MIT
 * A reduction of the case runner. */
#include "cases.h"

#include <crosslane/reduce.h>
#include <stdlib.h>
#include <string.h>

static xl_status open_reduce(const fuzz_case *c, open_plan *plan)
{
    const element *e = element_of(c);
    unsigned char init[ELEMENT_MOST];
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = e->type;
    desc.op = e->user_op ? XL_USER_OP : (xl_op)(XL_SUM + c->of[OP]);
    desc.user_type = e->user_type;
    desc.user_op = e->user_op;
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    desc.determinism = (xl_determinism)c->of[DETERMINISM];
    desc.segments = (xl_segments)c->of[SEGMENTS];
    desc.segment_type = segment_type_of(c);
    desc.segment_width = c->of[WIDTH];
    desc.segment_mask = c->of[MASK];
    if (case_init(c, init))
        desc.init = init;
    if (c->of[MAP] == MAP_LOAD || c->of[MAP] == MAP_BOTH) {
        desc.load = MAP_LOAD_TEXT;
        desc.load_type = XL_U8;
    }
    if (c->of[FROM])
        desc.load_type = source_of(c)->type;
    if (c->of[MAP] >= MAP_STORE)
        desc.store = MAP_STORE_TEXT;
    return xl_reduce_create(plan->ctx, &desc, &plan->of.reduce);
}

static void close_reduce(open_plan *plan)
{
    xl_plan_destroy(plan->of.reduce);
}

/* The buffers of one call, and how many results there is room for. */
typedef struct call {
    xlt_buffer in, segments, out, keys, number, length, scratch;
    size_t room;
} call;

static bool segments_unknown(const fuzz_case *c)
{
    return c->of[SEGMENTS] >= XL_SEGMENTS_HEAD_FLAGS && c->of[SEGMENTS] <= XL_SEGMENTS_KEYS;
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call *b, const flight *f)
{
    const bool counted = c->of[SEGMENTS] == XL_SEGMENTS_OFFSETS;
    const xl_view in = xlt_view(&b->in), scratch = xlt_view(&b->scratch),
                  segments = counted ? counted_view(&b->segments) : xlt_view(&b->segments),
                  out = c->of[CUT] == CUT_UNSAID ? xlt_view(&b->out) : counted_view(&b->out),
                  keys = xlt_view(&b->keys), number = xlt_view(&b->number);
    const size_t most = case_most(c);
    return c->of[COUNT] == COUNT_ON_HOST
               ? xl_reduce_enqueue(plan->of.reduce, f->queue,
                                   &(xl_reduce_args){.n = most,
                                                     .in = in,
                                                     .segments = segments,
                                                     .out = out,
                                                     .keys_out = keys,
                                                     .num_segments_out = number,
                                                     .scratch = scratch},
                                   num_waits(f), waits(f), f->event)
               : xl_reduce_enqueue(plan->of.reduce, f->queue,
                                   &(xl_reduce_args){.n = most,
                                                     .n_device = xlt_view(&b->length),
                                                     .in = in,
                                                     .segments = segments,
                                                     .out = out,
                                                     .keys_out = keys,
                                                     .num_segments_out = number,
                                                     .scratch = scratch},
                                   num_waits(f), waits(f), f->event);
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

/* `shift`: elements by which the arrays are moved, which must not change bits. */
static bool make_call(outcome *o, const fuzz_case *c, const open_plan *plan, call *b,
                      const void *in, const segmentation *s, size_t shift)
{
    const size_t most = case_most(c), out_at = (size_t)c->of[OUT_AT] + shift;
    const uint64_t n = c->of[COUNT] == COUNT_ABOVE ? c->of[N] + 1000 : c->of[N];
    size_t scratch = 0;
    *b = (call){.in = guarded(in, most, in_bytes_of(c), (size_t)c->of[IN_AT] + shift),
                .room = room_of(c, s)};
    b->out = guarded(NULL, b->room, out_bytes_of(c), out_at);
    if (s->array)
        b->segments = guarded(s->array, s->array_n, s->array_bytes, (size_t)c->of[SEGMENTS_AT]);
    if (c->of[SEGMENTS] == XL_SEGMENTS_KEYS && c->of[SEED] % 4)
        b->keys = guarded(NULL, b->room, s->array_bytes, out_at / 2);
    if (segments_unknown(c) && c->of[SEED] % 8)
        b->number = guarded(NULL, 1, sizeof n, 3);
    if (c->of[COUNT] != COUNT_ON_HOST)
        b->length = guarded(&n, 1, sizeof n, 1);
    if (!succeeded(o, plan->ctx,
                   xl_reduce_scratch(plan->of.reduce, &(xl_reduce_args){.n = most}, &scratch),
                   "xl_reduce_scratch"))
        return false;
    if (c->of[SCRATCH] == SCRATCH_GIVEN)
        b->scratch = xlt_scratch_make(scratch);
    return true;
}

static void free_call(call *b)
{
    xlt_buffer *const all[] = {&b->in,     &b->segments, &b->out,    &b->keys,
                               &b->number, &b->length,   &b->scratch};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        xlt_buffer_free(all[k]);
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The key of each segment that there is room for, and how many segments there are. */
static bool check_keys(outcome *o, const fuzz_case *c, const call *b, const segmentation *s)
{
    const size_t bytes = s->array_bytes, some = lesser(b->room, s->count);
    uint64_t number = s->count;
    unsigned char *keys = make_bytes(b->room, bytes);
    bool good = (!b->keys.mem || read_guarded(o, &b->keys, "keys", keys)) &&
                (!b->number.mem || read_guarded(o, &b->number, "count", &number));
    if (good && number != s->count)
        good = failed(o, "there are %zu segments, not %llu", s->count, (unsigned long long)number);
    for (size_t k = 0; good && b->keys.mem && k < some && !c->of[BROKEN]; ++k)
        if (memcmp(keys + k * bytes, (char *)s->array + s->begin[k] * bytes, bytes) != 0)
            good = failed(o, "key %zu of %zu is wrong", k, some);
    free(keys);
    return good;
}

static bool check_call(outcome *o, const fuzz_case *c, const call *b, const void *in,
                       const segmentation *s, const void *wanted, const float *slack,
                       unsigned char *got)
{
    const bool undone = stays_undone(c);
    const size_t bytes = out_bytes_of(c), some = undone ? 0 : lesser(b->room, s->count);
    if (!read_guarded(o, &b->out, "out", got) || !unchanged(o, &b->in, "in", in) ||
        !unchanged(o, &b->segments, "segments", s->array) ||
        (b->scratch.mem && !read_guarded(o, &b->scratch, "scratch", NULL)) ||
        !(undone ? unchanged(o, &b->keys, "keys", NULL) && unchanged(o, &b->number, "number", NULL)
                 : check_keys(o, c, b, s)))
        return false;
    if (c->of[BROKEN])
        return true;
    for (size_t i = some * bytes; i < b->room * bytes; ++i)
        if (got[i] != UNTOUCHED)
            return failed(o, "out: byte %zu past the last result was written", i - some * bytes);
    return same_results(o, c, some, got, wanted, slack) && same_hash(o, c, some, got);
}

static void run_reduce(const fuzz_case *c, open_plan *plan, outcome *o)
{
    const size_t bytes = out_bytes_of(c), calls = c->of[TWICE] ? 2 : 1;
    segmentation s = make_segments(c);
    void *in = make_input(c, case_most(c));
    const size_t room = room_of(c, &s), most = room > s.count ? room : s.count;
    unsigned char *got[2] = {make_bytes(most, bytes), make_bytes(most, bytes)};
    unsigned char *wanted = make_bytes(most, bytes);
    float *slack = make_bytes(most * element_of(c)->lanes, sizeof *slack);
    call b[2] = {0};
    flight f;
    memset(wanted, UNTOUCHED, most * bytes);
    if (!stays_undone(c))
        expect_reduce(c, in, &s, wanted, slack);
    bool good = take_off(o, c, &f);
    for (size_t k = 0; good && k < calls; ++k)
        good = make_call(o, c, plan, &b[k], in, &s, k) &&
               departed(o, &f, k, plan->ctx, enqueue(c, plan, &b[k], &f), "xl_reduce_enqueue");
    good = land(o, &f) && good;
    for (size_t k = 0; good && k < calls; ++k)
        good = check_call(o, c, &b[k], in, &s, wanted, slack, got[k]);
    if (good && calls == 2 && !c->of[BROKEN] && c->of[DETERMINISM] != XL_UNORDERED)
        same_bits(o, c, room, got[0], got[1]);
    for (size_t k = 0; k < calls; ++k)
        free_call(&b[k]);
    free_segments(&s);
    free(in);
    free(got[0]);
    free(got[1]);
    free(wanted);
    free(slack);
}

const primitive reduce_primitive = {open_reduce, run_reduce, close_reduce};

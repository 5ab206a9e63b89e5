/* SPDX-License-Identifier: MIT
 * A scan of the case runner. */
#include "cases.h"

#include <crosslane/scan.h>
#include <stdlib.h>
#include <string.h>

static xl_status open_scan(const fuzz_case *c, open_plan *plan)
{
    const element *e = element_of(c);
    unsigned char init[ELEMENT_MOST];
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = e->type;
    desc.op = e->user_op ? XL_USER_OP : (xl_op)(XL_SUM + c->of[OP]);
    desc.user_type = e->user_type;
    desc.user_op = e->user_op;
    desc.kind = (xl_scan_kind)c->of[KIND];
    desc.algorithm = (xl_scan_algorithm)c->of[ALGORITHM];
    desc.determinism = (xl_determinism)c->of[DETERMINISM];
    desc.segments = (xl_segments)c->of[SEGMENTS];
    desc.segment_type = segment_type_of(c);
    desc.segment_width = c->of[WIDTH];
    desc.segment_mask = c->of[MASK];
    desc.carry = (uint32_t)c->of[CARRY];
    const bool has_init = case_init(c, init);
    if (c->of[INIT] == INIT_DEVICE) {
        plan->init = guarded(init, 1, e->bytes, 3);
        desc.init_view = xlt_view(&plan->init);
    } else if (has_init) {
        desc.init = init;
    }
    if (c->of[MAP] == MAP_LOAD || c->of[MAP] == MAP_BOTH) {
        desc.load = MAP_LOAD_TEXT;
        desc.load_type = XL_U8;
    }
    if (c->of[FROM])
        desc.load_type = source_of(c)->type;
    if (c->of[MAP] >= MAP_STORE)
        desc.store = MAP_STORE_TEXT;
    return xl_scan_create(plan->ctx, &desc, &plan->of.scan);
}

static void close_scan(open_plan *plan)
{
    xl_plan_destroy(plan->of.scan);
}

/* The buffers of one call. */
typedef struct call {
    xlt_buffer in, segments, out, count, scratch, carries;
} call;

/* Parts of the array, one after the other, of which each takes the carry of the one before. */
enum { MOST_PARTS = 4 };
typedef struct parts {
    size_t count, begin[MOST_PARTS + 1];
} parts;

static int by_size(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Bits are cut between words. */
static parts find_parts(const fuzz_case *c)
{
    const size_t n = case_most(c);
    const bool bits = c->of[SEGMENTS] == XL_SEGMENTS_FLAG_BITMASK;
    xlt_random random = random_of(c->of[SEED], 70);
    parts p = {.count = 1 + (size_t)c->of[PARTS]};
    for (size_t k = 1; k < p.count; ++k) {
        p.begin[k] = xlt_below(&random, (uint32_t)n + 1);
        p.begin[k] -= bits ? p.begin[k] % 32 : 0;
    }
    qsort(p.begin, p.count, sizeof p.begin[0], by_size);
    p.begin[p.count] = n;
    return p;
}

static bool cuts_offsets(const fuzz_case *c)
{
    return c->of[SEGMENTS] == XL_SEGMENTS_OFFSETS && c->of[PARTS] > 0;
}

/* Where the offsets of each part begin in the array that has those of all parts. */
static size_t offsets_at[MOST_PARTS + 1];

/* Gives each part separate offsets: they count from its start, and end in its length. Those at
 * the border of two parts belong to the second. */
static void cut_offsets(const fuzz_case *c, segmentation *s)
{
    const parts p = find_parts(c);
    unsigned char *const all = make_bytes(s->array_n + p.count, s->array_bytes);
    size_t used = 0, taken = 0;
    for (size_t k = 0; k < p.count; ++k) {
        const bool last = k + 1 == p.count;
        offsets_at[k] = used;
        for (; taken < s->count && (last || s->begin[taken] < p.begin[k + 1]); ++taken) {
            const uint64_t x = s->begin[taken] - p.begin[k];
            memcpy(all + used++ * s->array_bytes, &x, s->array_bytes); /* little-endian */
        }
        const uint64_t length = p.begin[k + 1] - p.begin[k];
        memcpy(all + used++ * s->array_bytes, &length, s->array_bytes);
    }
    offsets_at[p.count] = used;
    free(s->array);
    s->array = all;
    s->array_n = used;
}

static xl_view offsets_of(const fuzz_case *c, const call *b, size_t k)
{
    xl_view view = counted_view(&b->segments);
    if (cuts_offsets(c)) {
        view.offset += offsets_at[k];
        view.count = offsets_at[k + 1] - offsets_at[k];
    }
    return view;
}

/* Elements of a carry: if there is no identity, a flag follows the element. */
static size_t carry_elements(const fuzz_case *c)
{
    const element *e = element_of(c);
    return e->user_op && !e->user_op->identity && c->of[INIT] == INIT_NONE ? 2 : 1;
}

/* An empty first part has a carry, too; but keys are compared with the one before the view. */
static bool takes_carry(const fuzz_case *c, const parts *p, size_t k)
{
    return k > 0 && (p->begin[k] > 0 || c->of[SEGMENTS] != XL_SEGMENTS_KEYS);
}

static xl_view moved_on(xl_view view, size_t by)
{
    view.offset += view.buffer ? by : 0;
    return view;
}

static xl_scan_args args_of(const fuzz_case *c, const call *b, const parts *p, size_t k)
{
    const size_t begin = p->begin[k], end = p->begin[k + 1];
    const bool counted = c->of[SEGMENTS] == XL_SEGMENTS_OFFSETS,
               bits = c->of[SEGMENTS] == XL_SEGMENTS_FLAG_BITMASK;
    return (xl_scan_args){.n = end - begin,
                          .n_device = xlt_view(&b->count),
                          .in = moved_on(xlt_view(&b->in), begin),
                          .segments =
                              counted ? offsets_of(c, b, k)
                                      : moved_on(xlt_view(&b->segments), bits ? begin / 32 : begin),
                          .out = moved_on(xlt_view(c->of[PLACE] ? &b->in : &b->out), begin),
                          .scratch = xlt_view(&b->scratch),
                          .first_index = begin};
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call *b, const flight *f)
{
    const parts p = find_parts(c);
    const size_t carry = carry_elements(c);
    cl_event last = NULL;
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; status == XL_SUCCESS && k < p.count; ++k) {
        const bool more = k + 1 < p.count, chained = k > 0 && !f->all_wait;
        cl_event before = last;
        xl_scan_args args = args_of(c, b, &p, k);
        if (takes_carry(c, &p, k))
            args.carry_in = moved_on(xlt_view(&b->carries), (k - 1) * carry);
        args.carry_out = moved_on(xlt_view(&b->carries), k * carry);
        last = NULL;
        status = xl_scan_enqueue(plan->of.scan, f->queue, &args, chained ? 1 : num_waits(f),
                                 chained ? &before : waits(f), more ? &last : f->event);
        if (before)
            clReleaseEvent(before);
    }
    if (last)
        clReleaseEvent(last);
    return status;
}

/* `shift`: elements by which the arrays are moved, which must not change bits. */
static bool make_call(outcome *o, const fuzz_case *c, const open_plan *plan, call *b,
                      const void *in, const segmentation *s, size_t shift)
{
    const size_t most = case_most(c), bytes = out_bytes_of(c);
    const uint64_t n = c->of[COUNT] == COUNT_ABOVE ? c->of[N] + 1000 : c->of[N];
    size_t scratch = 0;
    *b = (call){.in = guarded(in, most, in_bytes_of(c), (size_t)c->of[IN_AT] + shift)};
    if (!c->of[PLACE])
        b->out = guarded(NULL, most, bytes, (size_t)c->of[OUT_AT] + shift);
    if (s->array)
        b->segments = guarded(s->array, s->array_n, s->array_bytes, (size_t)c->of[SEGMENTS_AT]);
    if (c->of[COUNT] != COUNT_ON_HOST)
        b->count = guarded(&n, 1, sizeof n, 1);
    if (c->of[CARRY])
        b->carries = guarded(NULL, MOST_PARTS * carry_elements(c), element_of(c)->bytes, 1);
    if (!succeeded(o, plan->ctx,
                   xl_scan_scratch(plan->of.scan, &(xl_scan_args){.n = most}, &scratch),
                   "xl_scan_scratch"))
        return false;
    if (c->of[SCRATCH] == SCRATCH_GIVEN)
        b->scratch = xlt_scratch_make(scratch);
    return true;
}

static void free_call(call *b)
{
    xlt_buffer *const all[] = {&b->in, &b->segments, &b->out, &b->count, &b->scratch, &b->carries};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        xlt_buffer_free(all[k]);
}

/* Reads what came out; nothing else may have changed, nor `out` past n. */
static bool read_call(outcome *o, const fuzz_case *c, const call *b, const void *in,
                      const segmentation *s, unsigned char *got)
{
    const size_t bytes = out_bytes_of(c), n = (size_t)c->of[N], past = case_most(c) - n;
    if (!read_guarded(o, c->of[PLACE] ? &b->in : &b->out, "out", got) ||
        (!c->of[PLACE] && !unchanged(o, &b->in, "in", in)) ||
        !unchanged(o, &b->segments, "segments", s->array) ||
        (b->scratch.mem && !read_guarded(o, &b->scratch, "scratch", NULL)) ||
        (b->carries.mem && !read_guarded(o, &b->carries, "carries", NULL)))
        return false;
    if (c->of[BROKEN])
        return true;
    for (size_t i = 0; i < past * bytes; ++i)
        if (got[n * bytes + i] !=
            (c->of[PLACE] ? ((const unsigned char *)in)[n * bytes + i] : UNTOUCHED))
            return failed(o, "out: byte %zu past n was written", i);
    return true;
}

static void run_scan(const fuzz_case *c, open_plan *plan, outcome *o)
{
    const size_t most = case_most(c), n = (size_t)c->of[N], bytes = out_bytes_of(c);
    const size_t calls = c->of[TWICE] ? 2 : 1;
    segmentation s = make_segments(c);
    void *in = make_input(c, most);
    unsigned char *got[2] = {make_bytes(most, bytes), make_bytes(most, bytes)};
    void *wanted = make_bytes(n, bytes);
    float *slack = make_bytes(n * element_of(c)->lanes, sizeof *slack);
    call b[2] = {0};
    flight f;
    if (stays_undone(c) && c->of[PLACE])
        memcpy(wanted, in, n * bytes);
    else if (stays_undone(c))
        memset(wanted, UNTOUCHED, n * bytes);
    else
        expect_scan(c, n, in, s.heads, wanted, slack);
    if (cuts_offsets(c))
        cut_offsets(c, &s);
    bool good = take_off(o, c, &f);
    for (size_t k = 0; good && k < calls; ++k)
        good = make_call(o, c, plan, &b[k], in, &s, k) &&
               departed(o, &f, k, plan->ctx, enqueue(c, plan, &b[k], &f), "xl_scan_enqueue");
    good = land(o, &f) && good;
    for (size_t k = 0; good && k < calls; ++k)
        good = read_call(o, c, &b[k], in, &s, got[k]) &&
               (c->of[BROKEN] ||
                (same_results(o, c, n, got[k], wanted, slack) && same_hash(o, c, n, got[k])));
    if (good && calls == 2 && !c->of[BROKEN] && c->of[DETERMINISM] != XL_UNORDERED)
        same_bits(o, c, n, got[0], got[1]);
    for (size_t k = 0; k < calls; ++k)
        free_call(&b[k]);
    free_segments(&s);
    free(in);
    free(got[0]);
    free(got[1]);
    free(wanted);
    free(slack);
}

const primitive scan_primitive = {open_scan, run_scan, close_scan};

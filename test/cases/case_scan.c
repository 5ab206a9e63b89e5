/* SPDX-License-Identifier: MIT
 * A scan of the case runner. */
#include "cases.h"

#include <crosslane/scan.h>
#include <stdlib.h>
#include <string.h>

enum { OUT, IN, HEADS, LENGTH, ROOM, CARRIES, HEADS_OUT };

static xl_status open_scan(const fuzz_case *c, open_plan *plan)
{
    unsigned char init[ELEMENT_MOST];
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    DESCRIBE_FOLD(desc, c);
    desc.kind = (xl_scan_kind)c->of[KIND];
    desc.algorithm = (xl_scan_algorithm)c->of[ALGORITHM];
    desc.carry = (uint32_t)c->of[CARRY];
    const bool has_init = case_init(c, init);
    if (c->of[INIT] == INIT_DEVICE) {
        plan->init = xlt_buffer_make(init, 1, element_of(c)->bytes, 3);
        desc.init_view = xlt_view(&plan->init);
    } else if (has_init) {
        desc.init = init;
    }
    return xl_scan_create(plan->ctx, &desc, &plan->of.array_plan);
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Contiguous parts of the array; each takes the carry of the one before. */
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
    s->array = all;
    s->array_n = used;
}

static xl_view offsets_of(const fuzz_case *c, const call_array *a, size_t k)
{
    xl_view view = counted_view(&a[HEADS].buffer);
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

/* An empty first part has a carry, too; but keys are compared with the one before the view. A carry
 * alone may also be computed without the part before. */
static bool takes_carry(const fuzz_case *c, const parts *p, size_t k)
{
    const bool apart = c->of[CARRY] == CARRY_ALONE && (c->of[SEED] >> k & 1);
    return k > 0 && !apart && (p->begin[k] > 0 || c->of[SEGMENTS] != XL_SEGMENTS_KEYS);
}

static xl_view moved_on(xl_view view, size_t by)
{
    view.offset += view.buffer ? by : 0;
    return view;
}

/* ---- the calls ------------------------------------------------------------------------------ */

static xl_scan_args args_of(const fuzz_case *c, const call_array *a, const parts *p, size_t k)
{
    const size_t begin = p->begin[k], end = p->begin[k + 1];
    const bool counted = c->of[SEGMENTS] == XL_SEGMENTS_OFFSETS,
               bits = c->of[SEGMENTS] == XL_SEGMENTS_FLAG_BITMASK;
    return (xl_scan_args){.n = end - begin,
                          .n_device = array_view(&a[LENGTH]),
                          .in = moved_on(array_view(&a[IN]), begin),
                          .segments =
                              counted ? offsets_of(c, a, k)
                                      : moved_on(array_view(&a[HEADS]), bits ? begin / 32 : begin),
                          .out = moved_on(array_view(&a[c->of[PLACE] ? IN : OUT]), begin),
                          .head_out = moved_on(array_view(&a[HEADS_OUT]), k),
                          .scratch = array_view(&a[ROOM]),
                          .first_index = begin};
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const parts p = find_parts(c);
    const size_t carry = carry_elements(c);
    cl_event last = NULL;
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; status == XL_SUCCESS && k < p.count; ++k) {
        const bool more = k + 1 < p.count, chained = k > 0 && !f->all_wait;
        cl_event before = last;
        xl_scan_args args = args_of(c, a, &p, k);
        if (takes_carry(c, &p, k))
            args.carry_in = moved_on(array_view(&a[CARRIES]), (k - 1) * carry);
        args.carry_out = moved_on(array_view(&a[CARRIES]), k * carry);
        last = NULL;
        status = xl_scan_enqueue(plan->of.array_plan, f->queue, &args, chained ? 1 : num_waits(f),
                                 chained ? &before : waits(f), more ? &last : f->event);
        if (before)
            clReleaseEvent(before);
    }
    if (last)
        clReleaseEvent(last);
    return status;
}

/* ---- results -------------------------------------------------------------------------------- */

static const void *wanted_results;
static const float *allowed_slack;
static const segmentation *parted;

static const call_array *result_of(const fuzz_case *c, const call_array *a)
{
    return &a[c->of[CARRY] == CARRY_ALONE ? CARRIES : c->of[PLACE] ? IN : OUT];
}

/* The first element whose value is in the carry of part k, if no segment begins. */
static size_t chain_begins(const fuzz_case *c, const parts *p, size_t k)
{
    while (takes_carry(c, p, k))
        --k;
    return p->begin[k];
}

/* Whether element i is a head by its own flag, bit, offset or column, or by the key before it. */
static bool is_own_head(const fuzz_case *c, size_t i, bool has_key_before)
{
    switch (c->of[SEGMENTS]) {
    case XL_SEGMENTS_NONE:
        return false;
    case XL_SEGMENTS_HEAD_FLAGS:
        return ((const uint8_t *)parted->array)[i] != 0;
    case XL_SEGMENTS_FLAG_BITMASK:
        return ((const uint32_t *)parted->array)[i / 32] >> i % 32 & 1;
    case XL_SEGMENTS_KEYS:
        return has_key_before && parted->heads[i];
    default:
        return parted->heads[i];
    }
}

/* The carry of part k, and whether a segment begins in it. */
static bool holds_carry(outcome *o, const fuzz_case *c, const call_array *a, size_t k)
{
    static const float exact[ELEMENT_MOST];
    unsigned char init[ELEMENT_MOST];
    const element *e = element_of(c);
    const parts p = find_parts(c);
    const size_t n = (size_t)c->of[N], end = p.begin[k + 1] < n ? p.begin[k + 1] : n,
                 stride = carry_elements(c) * e->bytes, first = chain_begins(c, &p, k);
    const unsigned char *const carry = (const unsigned char *)a[CARRIES].got + k * stride;
    const bool some = first<end, flagged = stride> e->bytes,
               compares = takes_carry(c, &p, k) && (!flagged || first < p.begin[k]);
    bool head = false;
    for (size_t i = p.begin[k]; i < end; ++i)
        head = head || is_own_head(c, i, i > p.begin[k] || compares);
    if (((const uint32_t *)a[HEADS_OUT].got)[k] != head)
        return failed(o, "head_out of part %zu is not %d", k, head);
    if (flagged && carry[e->bytes] != some)
        return failed(o, "the flag of carry %zu is not %d", k, some);
    if (some)
        return same_results(o, c, 1, carry, (const char *)wanted_results + (end - 1) * e->bytes,
                            allowed_slack + (end - 1) * e->lanes);
    return !case_init(c, init) || same_results(o, c, 1, carry, init, exact);
}

static bool hold_carries(outcome *o, const fuzz_case *c, const call_array *a)
{
    bool good = true;
    for (size_t k = 0; good && k <= c->of[PARTS]; ++k)
        good = holds_carry(o, c, a, k);
    return good;
}

static bool holds(outcome *o, const fuzz_case *c, const call_array *a)
{
    const call_array *const out = result_of(c, a);
    const unsigned char *const got = out->got, *const before = out->host;
    const size_t n = (size_t)c->of[N], bytes = out_bytes_of(c);
    if (c->of[BROKEN])
        return true;
    if (c->of[CARRY] == CARRY_ALONE)
        return hold_carries(o, c, a);
    for (size_t i = n * bytes; i < out->n * bytes; ++i)
        if (got[i] != (before ? before[i] : UNTOUCHED))
            return failed(o, "out: byte %zu past n was written", i - n * bytes);
    return same_results(o, c, n, got, wanted_results, allowed_slack) && same_hash(o, c, n, got);
}

static bool agree(outcome *o, const fuzz_case *c, const call_array *a, const call_array *b)
{
    const bool alone = c->of[CARRY] == CARRY_ALONE;
    return c->of[BROKEN] || c->of[DETERMINISM] == XL_UNORDERED ||
           same_bits(o, c, alone ? result_of(c, a)->n : (size_t)c->of[N], result_of(c, a)->got,
                     result_of(c, b)->got);
}

/* The second of two calls has elements at another place, which must not change bits. */
static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const void *in,
                       const segmentation *s)
{
    static const exact_call call = {"xl_scan_enqueue", enqueue, holds};
    const size_t most = case_most(c), at = (size_t)c->of[IN_AT];
    const uint64_t count = count_of(c);
    const bool alone = c->of[CARRY] == CARRY_ALONE;
    size_t scratch = 0;
    if (!succeeded(o, plan->ctx,
                   xl_scan_scratch(plan->of.array_plan, &(xl_scan_args){.n = most}, &scratch),
                   "xl_scan_scratch"))
        return;
    call_array arrays[CALL_ARRAYS] = {
        [OUT] = output_array(c->of[PLACE] || alone ? NULL : "out", NULL, most, out_bytes_of(c),
                             (size_t)c->of[OUT_AT]),
        [IN] = c->of[PLACE] ? in_place_array("out", in, NULL, most, in_bytes_of(c), at)
                            : input_array("in", in, most, in_bytes_of(c), at),
        [HEADS] = segments_array(c, s),
        [LENGTH] = count_array(c, &count),
        [ROOM] = scratch_array(c, scratch),
        [CARRIES] = output_array(c->of[CARRY] ? "carries" : NULL, NULL,
                                 MOST_PARTS * carry_elements(c), element_of(c)->bytes, 1),
        [HEADS_OUT] =
            output_array(alone ? "head_out" : NULL, NULL, MOST_PARTS, sizeof(cl_uint), 1)};
    arrays[OUT].shifts = arrays[IN].shifts = true;
    run_alike(o, c, plan, &call, arrays, agree);
}

/* The heads of the whole array, and the first element of each part that takes no carry. */
static const uint8_t *heads_of_chains(const fuzz_case *c, const segmentation *s)
{
    const size_t n = case_most(c);
    const parts p = find_parts(c);
    uint8_t *const heads = make_bytes(n + 1, 1);
    memcpy(heads, s->heads, n);
    for (size_t k = 0; k < p.count; ++k)
        heads[chain_begins(c, &p, k)] = 1;
    return heads;
}

static void run_scan(const fuzz_case *c, open_plan *plan, outcome *o)
{
    const bool alone = c->of[CARRY] == CARRY_ALONE;
    const size_t n = (size_t)c->of[N];
    segmentation s = make_segments(c);
    void *in = make_input(c, case_most(c)), *wanted = make_bytes(n, out_bytes_of(c));
    float *slack = make_bytes(n * element_of(c)->lanes, sizeof *slack);
    expect_scan(c, n, in, alone ? heads_of_chains(c, &s) : s.heads,
                alone || c->of[KIND] == XL_INCLUSIVE, wanted, slack);
    if (cuts_offsets(c))
        cut_offsets(c, &s);
    parted = &s;
    wanted_results = wanted;
    allowed_slack = slack;
    run_arrays(c, plan, o, in, &s);
}

const primitive scan_primitive = {open_scan, run_scan, close_array_plan};

/* SPDX-License-Identifier: MIT
 * A merge of the case runner: two sorted arrays in one, or, of arrays that are not in
 * order, some of their elements, each value still with its key. */
#include "cases.h"

#include "reference.h"

#include <crosslane/merge.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_A, VALUES_A, KEYS_B, VALUES_B, KEYS_OUT, VALUES_OUT, ROOM };

static xl_status open_merge(const fuzz_case *c, open_plan *plan)
{
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.key = element_of(c)->type;
    desc.value = c->of[VALUES] ? XL_U32 : XL_NONE;
    desc.order = (uint32_t)c->of[ORDER];
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    return xl_merge_create(plan->ctx, &desc, &plan->of.merge);
}

static void close_merge(open_plan *plan)
{
    xl_plan_destroy(plan->of.merge);
}

static size_t length_b(const fuzz_case *c)
{
    return (size_t)c->of[c->of[SHARED] ? N : OTHER];
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const bool shared = c->of[SHARED];
    return xl_merge_enqueue(
        plan->of.merge, f->queue,
        &(xl_merge_args){.n_a = (size_t)c->of[N],
                         .n_b = length_b(c),
                         .keys_a = array_view(&a[KEYS_A]),
                         .values_a = array_view(&a[VALUES_A]),
                         .keys_b = array_view(&a[shared ? KEYS_A : KEYS_B]),
                         .values_b = array_view(&a[shared ? VALUES_A : VALUES_B]),
                         .keys_out = array_view(&a[KEYS_OUT]),
                         .values_out = array_view(&a[VALUES_OUT]),
                         .scratch = array_view(&a[ROOM])},
        num_waits(f), waits(f), f->event);
}

/* ---- what goes in ---------------------------------------------------------------------------- */

typedef struct runs {
    size_t n[2];
    unsigned char *keys[2];
    uint32_t *values[2];
} runs;

/* Whether the next of the sorted keys goes to b, of which so many are dealt out. */
static bool goes_to_b(const fuzz_case *c, const runs *r, const size_t dealt[2])
{
    if (dealt[0] == r->n[0] || dealt[1] == r->n[1])
        return dealt[0] == r->n[0];
    return c->of[DEAL] == DEAL_FALLING ||
           (c->of[DEAL] == DEAL_RUNS && (dealt[0] + dealt[1]) / 37 % 2);
}

static void deal_out(const fuzz_case *c, const runs *r)
{
    const size_t bytes = element_of(c)->bytes, n = r->n[0] + r->n[1];
    size_t dealt[2] = {0, 0};
    unsigned char *all = make_input(c, n);
    if (c->of[DEAL] != DEAL_MIXED)
        order_keys(c, n, all, 0);
    for (size_t i = 0; i < n; ++i) {
        const int to = goes_to_b(c, r, dealt);
        memcpy(r->keys[to] + dealt[to]++ * bytes, all + i * bytes, bytes);
    }
    free(all);
}

/* Values of a are even, those of b odd, and tell where they stood. */
static runs make_runs(const fuzz_case *c)
{
    const size_t bytes = element_of(c)->bytes;
    runs r = {.n = {(size_t)c->of[N], (size_t)c->of[OTHER]}};
    for (size_t k = 0; k < 2; ++k) {
        r.keys[k] = make_bytes(r.n[k], bytes);
        r.values[k] = make_bytes(r.n[k], 4);
        for (size_t i = 0; i < r.n[k]; ++i)
            r.values[k][i] = (uint32_t)(2 * i + k);
    }
    deal_out(c, &r);
    for (size_t k = 0; k < 2; ++k)
        order_keys(c, r.n[k], r.keys[k], c->of[BREAKS]);
    return r;
}

static void free_runs(runs *r)
{
    for (size_t k = 0; k < 2; ++k) {
        free(r->keys[k]);
        free(r->values[k]);
    }
}

/* ---- what comes out -------------------------------------------------------------------------- */

/* Of arrays that are not in order: each value names an element whose key it still has. */
static bool check_pairs(outcome *o, const fuzz_case *c, const call_array *a)
{
    const uint32_t *values = a[VALUES_OUT].got;
    const unsigned char *keys = a[KEYS_OUT].got;
    const size_t bytes = element_of(c)->bytes;
    for (size_t i = 0; c->of[BREAKS] && values && i < a[VALUES_OUT].n; ++i) {
        const call_array *from = &a[values[i] % 2 ? KEYS_B : KEYS_A];
        const size_t place = values[i] / 2;
        if (!from->name || place >= from->n)
            return failed(o, "value %zu is %u, which is not there", i, (unsigned)values[i]);
        if (memcmp((const unsigned char *)from->host + place * bytes, keys + i * bytes, bytes) != 0)
            return failed(o, "value %zu, %u, has lost its key", i, (unsigned)values[i]);
    }
    return true;
}

/* What the merge is to give. */
static void expect(const fuzz_case *c, const runs *r, bool shared, unsigned char *keys,
                   uint32_t *values)
{
    const element *e = element_of(c);
    unsigned char *ranked[2];
    ref_run both[2];
    for (size_t k = 0; k < 2; ++k) {
        ranked[k] = ranked_keys(c, r->n[k], r->keys[k]);
        both[k] = (ref_run){r->n[k], ranked[k], r->values[k]};
    }
    ref_merge(e->type, descends(c), &both[0], &both[!shared], keys, values);
    for (size_t i = 0; i < both[0].n + both[!shared].n; ++i) /* with their signs */
        memcpy(keys + i * e->bytes, r->keys[values[i] % 2] + values[i] / 2 * e->bytes, e->bytes);
    free(ranked[0]);
    free(ranked[1]);
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const runs *r,
                       const call_array *room)
{
    static const exact_call call = {"xl_merge_enqueue", enqueue, check_pairs};
    const bool pairs = c->of[VALUES], shared = c->of[SHARED], known = !c->of[BREAKS];
    const size_t bytes = element_of(c)->bytes, at = (size_t)c->of[IN_AT], n = r->n[0] + length_b(c),
                 out_at = (size_t)c->of[OUT_AT];
    unsigned char *keys = make_bytes(n, bytes);
    uint32_t *values = make_bytes(n, 4);
    const ref_run a = {r->n[0], r->keys[0], r->values[0]}, b = {r->n[1], r->keys[1], r->values[1]};
    if (known)
        expect(c, r, shared, keys, values);
    const call_array arrays[CALL_ARRAYS] = {
        [KEYS_A] = input_array("keys_a", a.keys, a.n, bytes, at),
        [VALUES_A] = input_array(pairs ? "values_a" : NULL, a.values, a.n, 4, out_at / 2),
        [KEYS_B] = input_array(shared ? NULL : "keys_b", b.keys, b.n, bytes, at / 2),
        [VALUES_B] = input_array(pairs && !shared ? "values_b" : NULL, b.values, b.n, 4, at),
        [KEYS_OUT] = output_array("keys_out", known ? keys : NULL, n, bytes, out_at),
        [VALUES_OUT] =
            output_array(pairs ? "values_out" : NULL, known ? values : NULL, n, 4, out_at / 3),
        [ROOM] = *room};
    run_exact(o, c, plan, &call, arrays);
    free(keys);
    free(values);
}

static void run_merge(const fuzz_case *c, open_plan *plan, outcome *o)
{
    size_t scratch = 0;
    runs r = make_runs(c);
    if (succeeded(o, plan->ctx,
                  xl_merge_scratch(plan->of.merge, &(xl_merge_args){.n_a = r.n[0] + length_b(c)},
                                   &scratch),
                  "xl_merge_scratch")) {
        const call_array room = scratch_array(c, scratch);
        run_arrays(c, plan, o, &r, &room);
    }
    free_runs(&r);
}

const primitive merge_primitive = {open_merge, run_merge, close_merge};

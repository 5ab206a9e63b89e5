/* SPDX-License-Identifier: MIT
 * A sort of the differential runner: the keys in order, and each value still with its key;
 * where the sort is stable, to the bit. */
#include "differential.h"

#include "reference.h"

#include <crosslane/sort.h>
#include <stdlib.h>
#include <string.h>

static bool is_stable(const fuzz_case *c)
{
    return c->of[ALGORITHM] == ALGORITHM_RADIX || c->of[STABLE];
}

static bool makes_indices(const fuzz_case *c)
{
    return c->of[VALUES] == VALUES_INDICES;
}

static xl_status open_sort(const fuzz_case *c, open_plan *plan)
{
    static const uint32_t values[] = {XL_NONE, XL_U32, XL_SORT_INDICES};
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = element_of(c)->type;
    desc.value = values[c->of[VALUES]];
    desc.order = (uint32_t)c->of[ORDER];
    desc.algorithm = c->of[ALGORITHM] == ALGORITHM_BITONIC ? XL_SORT_BITONIC
                     : c->of[ALGORITHM] == ALGORITHM_RADIX ? XL_SORT_RADIX
                                                           : XL_SORT_AUTO;
    desc.stable = (uint32_t)c->of[STABLE];
    desc.values_only = (uint32_t)c->of[VALUES_ONLY];
    return xl_sort_create(plan->ctx, &desc, &plan->of.sort);
}

static void close_sort(open_plan *plan)
{
    xl_sort_destroy(plan->of.sort);
}

typedef struct call {
    xlt_buffer keys_in, values_in, keys_out, values_out, scratch;
} call;

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call *b, const flight *f)
{
    const bool in_place = c->of[PLACE];
    const xl_view keys_out = xlt_view(in_place ? &b->keys_in : &b->keys_out);
    return xl_sort_enqueue(
        plan->of.sort, f->queue,
        &(xl_sort_args){.n = (size_t)c->of[N],
                        .keys_in = xlt_view(&b->keys_in),
                        .values_in = makes_indices(c) ? xl_no_view() : xlt_view(&b->values_in),
                        .keys_out = c->of[VALUES_ONLY] ? xl_no_view() : keys_out,
                        .values_out = xlt_view(in_place ? &b->values_in : &b->values_out),
                        .scratch = xlt_view(&b->scratch)},
        num_waits(f), waits(f), NULL);
}

static bool make_call(outcome *o, const fuzz_case *c, const open_plan *plan, call *b,
                      const void *keys, const uint32_t *values)
{
    const size_t n = (size_t)c->of[N], bytes = element_of(c)->bytes, in_at = (size_t)c->of[IN_AT],
                 out_at = (size_t)c->of[OUT_AT];
    size_t scratch = 0, alignment = 1;
    *b = (call){.keys_in = guarded(keys, n, bytes, in_at)};
    if (c->of[VALUES] && (c->of[PLACE] || !makes_indices(c)))
        b->values_in = guarded(makes_indices(c) ? NULL : values, n, 4, out_at / 2);
    if (!c->of[PLACE])
        b->keys_out = guarded(NULL, n, bytes, out_at);
    if (!c->of[PLACE] && c->of[VALUES])
        b->values_out = guarded(NULL, n, 4, in_at / 3);
    if (!succeeded(o, plan->ctx, xl_sort_scratch(plan->of.sort, n, &scratch, &alignment),
                   "xl_sort_scratch"))
        return false;
    if (c->of[SCRATCH] == SCRATCH_GIVEN)
        b->scratch = xlt_scratch_make(scratch, alignment);
    return true;
}

static void free_call(call *b)
{
    xlt_buffer *const all[] = {&b->keys_in, &b->values_in, &b->keys_out, &b->values_out,
                               &b->scratch};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
        xlt_buffer_free(all[k]);
}

/* ---- what came out -------------------------------------------------------------------------- */

/* A key's bytes with its value: two lists hold the same pairs if both are alike once sorted. */
typedef struct pair {
    uint64_t key;
    uint32_t value;
} pair;

static int by_pair(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static pair *sorted_pairs(size_t n, size_t bytes, const unsigned char *keys, const uint32_t *values)
{
    pair *pairs = make_bytes(n, sizeof *pairs);
    for (size_t i = 0; i < n; ++i) {
        memcpy(&pairs[i].key, keys + i * bytes, bytes);
        pairs[i].value = values[i];
    }
    qsort(pairs, n, sizeof *pairs, by_pair);
    return pairs;
}

static bool check_pairs(outcome *o, size_t n, size_t bytes, const unsigned char *const keys[2],
                        const uint32_t *const values[2])
{
    pair *wanted = sorted_pairs(n, bytes, keys[0], values[0]),
         *got = sorted_pairs(n, bytes, keys[1], values[1]);
    for (size_t i = 0; i < n && !o->failed; ++i)
        if (by_pair(&wanted[i], &got[i]) != 0)
            failed(o, "key 0x%llx with value %u has become 0x%llx with %u",
                   (unsigned long long)wanted[i].key, (unsigned)wanted[i].value,
                   (unsigned long long)got[i].key, (unsigned)got[i].value);
    free(wanted);
    free(got);
    return !o->failed;
}

static bool check_order(outcome *o, const fuzz_case *c, const unsigned char *keys)
{
    const element *e = element_of(c);
    const int wrong = c->of[ORDER] == XL_ASCENDING ? 1 : -1;
    for (size_t i = 1; i < c->of[N]; ++i)
        if (ref_key_order(e->type, keys + (i - 1) * e->bytes, keys + i * e->bytes) == wrong)
            return failed(o, "keys %zu and %zu are in the wrong order", i - 1, i);
    return true;
}

/* Keys and values as a stable sort leaves them. */
static bool check_stable(outcome *o, const fuzz_case *c, const unsigned char *const keys[2],
                         const uint32_t *const values[2])
{
    const element *e = element_of(c);
    const size_t n = (size_t)c->of[N];
    unsigned char *keys_wanted = make_bytes(n, e->bytes);
    uint32_t *values_wanted = make_bytes(n, 4);
    memcpy(keys_wanted, keys[0], n * e->bytes);
    memcpy(values_wanted, values[0], n * 4);
    assert_true(ref_sort(e->type, descends(c), n, keys_wanted, values_wanted));
    for (size_t i = 0; i < n && !o->failed; ++i)
        if (memcmp(keys_wanted + i * e->bytes, keys[1] + i * e->bytes, e->bytes) != 0)
            failed(o, "key %zu is not that of a stable sort", i);
        else if (c->of[VALUES] && values_wanted[i] != values[1][i])
            failed(o, "value %zu is %u, not %u", i, (unsigned)values[1][i],
                   (unsigned)values_wanted[i]);
    free(keys_wanted);
    free(values_wanted);
    return !o->failed;
}

/* The keys in the order of their places, where the call gives these alone. */
static bool follow_places(outcome *o, const fuzz_case *c, const unsigned char *keys,
                          const uint32_t *places, unsigned char *keys_got)
{
    const size_t n = (size_t)c->of[N], bytes = element_of(c)->bytes;
    for (size_t i = 0; i < n; ++i) {
        if (places[i] >= n)
            return failed(o, "place %u at %zu is none of %zu", (unsigned)places[i], i, n);
        memcpy(keys_got + i * bytes, keys + places[i] * bytes, bytes);
    }
    return true;
}

static bool read_call(outcome *o, const fuzz_case *c, const call *b, const void *keys,
                      const uint32_t *values, unsigned char *keys_got, uint32_t *values_got)
{
    const bool in_place = c->of[PLACE], only = c->of[VALUES_ONLY];
    return (only || read_guarded(o, in_place ? &b->keys_in : &b->keys_out, "keys_out", keys_got)) &&
           (!c->of[VALUES] ||
            read_guarded(o, in_place ? &b->values_in : &b->values_out, "values_out", values_got)) &&
           (!only || follow_places(o, c, keys, values_got, keys_got)) &&
           ((in_place && !only) || unchanged(o, &b->keys_in, "keys_in", keys)) &&
           (in_place || unchanged(o, &b->values_in, "values_in", values)) &&
           (!b->scratch.mem || read_guarded(o, &b->scratch, "scratch", NULL));
}

static void run_sort(const fuzz_case *c, open_plan *plan, outcome *o)
{
    const size_t n = (size_t)c->of[N], bytes = element_of(c)->bytes, calls = c->of[TWICE] ? 2 : 1;
    unsigned char *keys = make_input(c, n),
                  *keys_got[2] = {make_bytes(n, bytes), make_bytes(n, bytes)};
    uint32_t *values = make_values(n), *values_got[2] = {make_bytes(n, 4), make_bytes(n, 4)};
    call b[2] = {0};
    flight f;
    for (size_t i = 0; i < n; ++i)
        values[i] = !c->of[VALUES] ? 0 : makes_indices(c) ? (uint32_t)i : values[i];
    bool good = take_off(o, c, &f);
    for (size_t k = 0; good && k < calls; ++k)
        good = make_call(o, c, plan, &b[k], keys, values) &&
               succeeded(o, plan->ctx, enqueue(c, plan, &b[k], &f), "xl_sort_enqueue");
    good = land(o, &f) && good;
    for (size_t k = 0; good && k < calls; ++k) {
        const unsigned char *const both_keys[2] = {keys, keys_got[k]};
        const uint32_t *const both_values[2] = {values, values_got[k]};
        good = read_call(o, c, &b[k], keys, values, keys_got[k], values_got[k]) &&
               check_order(o, c, keys_got[k]) && check_pairs(o, n, bytes, both_keys, both_values) &&
               (!is_stable(c) || check_stable(o, c, both_keys, both_values));
    }
    if (good && calls == 2 &&
        (memcmp(keys_got[0], keys_got[1], n * bytes) != 0 ||
         memcmp(values_got[0], values_got[1], n * 4) != 0))
        failed(o, "two runs gave different bits");
    for (size_t k = 0; k < 2; ++k) {
        free_call(&b[k]);
        free(keys_got[k]);
        free(values_got[k]);
    }
    free(keys);
    free(values);
}

const primitive sort_primitive = {open_sort, run_sort, close_sort};

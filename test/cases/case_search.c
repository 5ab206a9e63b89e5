/* SPDX-License-Identifier: MIT
 * A search of the case runner: the place of each query, or the first that is out of order;
 * of lower and upper bounds in keys that are not in order, some place. */
#include "cases.h"

#include "reference.h"

#include <crosslane/search.h>
#include <string.h>

enum { KEYS, QUERIES, PLACES, LENGTH, NUM_QUERIES, ROOM };

static xl_status open_search(const fuzz_case *c, open_plan *plan)
{
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.key = element_of(c)->type;
    desc.order = (uint32_t)c->of[ORDER];
    desc.kind = (uint32_t)c->of[BOUND];
    desc.index = c->of[INDEX] ? XL_U32 : XL_U64;
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    return xl_search_create(plan->ctx, &desc, &plan->of.array_plan);
}

static bool asks_order(const fuzz_case *c)
{
    return c->of[BOUND] == XL_SEARCH_UNSORTED;
}

static size_t num_queries(const fuzz_case *c)
{
    return (size_t)(asks_order(c) ? 0 : c->of[c->of[SHARED] ? N : OTHER]);
}

/* Queries that the array holds. */
static size_t most_queries(const fuzz_case *c)
{
    return asks_order(c) ? 0 : num_queries(c) + (size_t)c->of[MOST];
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    return xl_search_enqueue(
        plan->of.array_plan, f->queue,
        &(xl_search_args){.n = case_most(c),
                          .num_queries = most_queries(c),
                          .n_device = array_view(&a[LENGTH]),
                          .num_queries_device = array_view(&a[NUM_QUERIES]),
                          .keys = array_view(&a[KEYS]),
                          .queries = array_view(&a[c->of[SHARED] ? KEYS : QUERIES]),
                          .indices_out = array_view(&a[PLACES]),
                          .scratch = array_view(&a[ROOM])},
        num_waits(f), waits(f), f->event);
}

static bool places_are_there(outcome *o, const fuzz_case *c, const call_array *a)
{
    const uint64_t *wide = a[PLACES].got;
    const uint32_t *narrow = a[PLACES].got;
    for (size_t i = 0; !a[PLACES].wanted && i < num_queries(c); ++i) {
        const uint64_t place = a[PLACES].size == 8 ? wide[i] : narrow[i];
        if (place > c->of[N])
            return failed(o, "place %zu is %llu", i, (unsigned long long)place);
    }
    return true;
}

/* Every other one is a key that is there. */
static unsigned char *make_queries(const fuzz_case *c, const unsigned char *keys)
{
    const size_t n = (size_t)c->of[N], count = num_queries(c), bytes = element_of(c)->bytes;
    fuzz_case others = *c;
    others.of[SEED] += 1;
    unsigned char *queries = make_input(&others, most_queries(c)), swap[ELEMENT_MOST];
    xlt_random random = random_of(c->of[SEED], 5);
    for (size_t i = 0; n > 0 && i < count; i += 2)
        memcpy(queries + i * bytes, keys + xlt_below(&random, (uint32_t)n) * bytes, bytes);
    if (c->of[DEAL] != DEAL_MIXED)
        order_keys(c, count, queries, 0);
    for (size_t i = 0; c->of[DEAL] == DEAL_FALLING && i < count / 2; ++i) {
        unsigned char *a = queries + i * bytes, *b = queries + (count - 1 - i) * bytes;
        memcpy(swap, a, bytes);
        memcpy(a, b, bytes);
        memcpy(b, swap, bytes);
    }
    return queries;
}

static void swap_neighbours(unsigned char *a, size_t bytes)
{
    unsigned char swap[ELEMENT_MOST];
    memcpy(swap, a, bytes);
    memmove(a, a + bytes, bytes);
    memcpy(a + bytes, swap, bytes);
}

/* With bound=unsorted `other` is a place whose key comes before the one in front of it. */
static void *wanted_places(const fuzz_case *c, const unsigned char *keys_given,
                           const unsigned char *queries_given)
{
    const element *e = element_of(c);
    const size_t n = (size_t)c->of[N], bytes = c->of[INDEX] ? 4 : 8;
    const size_t count = asks_order(c) ? 1 : num_queries(c);
    unsigned char *keys = ranked_keys(c, n, keys_given);
    unsigned char *queries = ranked_keys(c, num_queries(c), queries_given);
    unsigned char *places = make_untouched(asks_order(c) ? 1 : most_queries(c), bytes);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t place =
            asks_order(c) ? ref_unsorted(e->type, descends(c), n, keys)
                          : ref_bound(e->type, descends(c), c->of[BOUND] == XL_SEARCH_UPPER, n,
                                      keys, queries + i * e->bytes);
        memcpy(places + i * bytes, &place, bytes); /* the least byte first */
    }
    return places;
}

static void run_search(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"xl_search_enqueue", enqueue, places_are_there};
    const size_t n = (size_t)c->of[N], bytes = element_of(c)->bytes, out_at = (size_t)c->of[OUT_AT];
    const size_t most = case_most(c), places_most = asks_order(c) ? 1 : most_queries(c);
    const uint64_t count = count_of(c), queries_count = num_queries(c) + (count - n);
    const bool known = asks_order(c) || !c->of[BREAKS], given = !asks_order(c) && !c->of[SHARED];
    unsigned char *keys = make_input(c, most);
    order_keys(c, n, keys, c->of[BREAKS]);
    if (asks_order(c) && n > 0 && c->of[OTHER] % n > 0)
        swap_neighbours(keys + (c->of[OTHER] % n - 1) * bytes, bytes);
    unsigned char *queries = make_queries(c, keys);
    void *places = wanted_places(c, keys, c->of[SHARED] ? keys : queries);
    size_t scratch = 0;
    if (succeeded(o, plan->ctx,
                  xl_search_scratch(plan->of.array_plan, &(xl_search_args){.n = most}, &scratch),
                  "xl_search_scratch")) {
        const call_array arrays[CALL_ARRAYS] = {
            [KEYS] = input_array("keys", keys, most, bytes, (size_t)c->of[IN_AT]),
            [QUERIES] =
                input_array(given ? "queries" : NULL, queries, most_queries(c), bytes, out_at / 2),
            [PLACES] = output_array("indices_out", known ? places : NULL, places_most,
                                    c->of[INDEX] ? 4 : 8, out_at),
            [LENGTH] = count_array(c, &count),
            [NUM_QUERIES] = asks_order(c) ? (call_array){0} : count_array(c, &queries_count),
            [ROOM] = scratch_array(c, scratch)};
        run_exact(o, c, plan, &call, arrays);
    }
}

const primitive search_primitive = {open_search, run_search, close_array_plan};

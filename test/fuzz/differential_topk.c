/* SPDX-License-Identifier: MIT
 * A selection of the differential runner: the k first of all keys sorted, in order or where they
 * stand. */
#include "differential.h"

#include "reference.h"

#include <crosslane/topk.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_IN, VALUES_IN, KEYS_OUT, VALUES_OUT, INDICES_OUT, COUNT_OUT, ROOM };

static xl_status open_topk(const fuzz_case *c, open_plan *plan)
{
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.key = element_of(c)->type;
    desc.value = c->of[VALUES] ? XL_U32 : XL_NONE;
    desc.largest = descends(c);
    desc.sorted = !c->of[UNSORTED];
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    return xl_topk_create(plan->ctx, &desc, &plan->of.topk);
}

static void close_topk(open_plan *plan)
{
    xl_topk_destroy(plan->of.topk);
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    return xl_topk_enqueue(plan->of.topk, f->queue,
                           &(xl_topk_args){.n = (size_t)c->of[N],
                                           .k = (size_t)c->of[TOP],
                                           .keys_in = array_view(&a[KEYS_IN]),
                                           .values_in = array_view(&a[VALUES_IN]),
                                           .keys_out = array_view(&a[KEYS_OUT]),
                                           .values_out = array_view(&a[VALUES_OUT]),
                                           .indices_out = array_view(&a[INDICES_OUT]),
                                           .count_out = array_view(&a[COUNT_OUT]),
                                           .scratch = array_view(&a[ROOM])},
                           num_waits(f), waits(f), NULL);
}

static void run_topk(const fuzz_case *c, open_plan *plan, outcome *o)
{
    static const exact_call call = {"xl_topk_enqueue", enqueue, NULL};
    const element *e = element_of(c);
    const size_t n = (size_t)c->of[N], k = (size_t)c->of[TOP], results = k < n ? k : n,
                 at = (size_t)c->of[OUT_AT], bytes = e->bytes;
    const uint64_t count = results, without = c->of[LEFT_OUT];
    unsigned char *keys = make_input(c, n), *keys_wanted = make_bytes(results, bytes);
    unsigned char *ranked = ranked_keys(c, n, keys);
    uint32_t *values = make_values(n), *places = make_bytes(results, 4),
             *values_wanted = make_bytes(results, 4);
    size_t scratch = 0, alignment = 1;
    assert_true(ref_topk(e->type, descends(c), !c->of[UNSORTED], n, k, ranked, places));
    for (size_t i = 0; i < results; ++i) {
        memcpy(keys_wanted + i * bytes, keys + places[i] * bytes, bytes);
        values_wanted[i] = values[places[i]];
    }
    if (succeeded(o, plan->ctx, xl_topk_scratch(plan->of.topk, n, k, &scratch, &alignment),
                  "xl_topk_scratch")) {
        const bool moved = c->of[VALUES] && !(without & NO_VALUES);
        const call_array arrays[CALL_ARRAYS] = {
            [KEYS_IN] = input_array("keys_in", keys, n, bytes, (size_t)c->of[IN_AT]),
            [VALUES_IN] = input_array(moved ? "values_in" : NULL, values, n, 4, at / 2),
            [KEYS_OUT] = output_array(without & NO_KEYS ? NULL : "keys_out", keys_wanted, results,
                                      bytes, at),
            [VALUES_OUT] =
                output_array(moved ? "values_out" : NULL, values_wanted, results, 4, at / 3),
            [INDICES_OUT] =
                output_array(without & NO_INDICES ? NULL : "indices_out", places, results, 4, at),
            [COUNT_OUT] = output_array(without & NO_COUNT ? NULL : "count_out", &count, 1, 8, at),
            [ROOM] = scratch_array(c, scratch, alignment)};
        run_exact(o, c, plan, &call, arrays);
    }
    free(keys);
    free(ranked);
    free(keys_wanted);
    free(values);
    free(values_wanted);
    free(places);
}

const primitive topk_primitive = {open_topk, run_topk, close_topk};

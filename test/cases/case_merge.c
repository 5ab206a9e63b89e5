/* SPDX-License-Identifier: MIT
 * A merge or set operation of the case runner. If an array or a run is not sorted, each element of
 * the result must still be an element of an input. */
#include "cases.h"

#include "reference.h"

#include <crosslane/merge.h>
#include <string.h>

enum {
    KEYS_A,
    VALUES_A,
    KEYS_B = VALUES_A + MOST_VALUES,
    VALUES_B,
    KEYS_OUT = VALUES_B + MOST_VALUES,
    VALUES_OUT,
    COUNTS = VALUES_OUT + MOST_VALUES,
    LENGTH_A,
    LENGTH_B,
    ROOM
};

static xl_status open_merge(const fuzz_case *c, open_plan *plan)
{
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.key = element_of(c)->type;
    describe_values(c, &desc.value, desc.more_values);
    desc.operation = (uint32_t)c->of[OPERATION];
    desc.order = (uint32_t)c->of[ORDER];
    desc.equal_zeros = (uint32_t)c->of[EQUAL_ZEROS];
    return xl_merge_create(plan->ctx, &desc, &plan->of.array_plan);
}

/* Elements that array b holds. */
static size_t most_b(const fuzz_case *c)
{
    return (size_t)c->of[c->of[SHARED] ? N : OTHER] + (size_t)c->of[MOST];
}

static size_t room_of(const fuzz_case *c)
{
    const size_t a = case_most(c), b = most_b(c);
    const size_t of[] = {a + b, a + b, a < b ? a : b, a};
    return of[c->of[OPERATION]];
}

static bool takes_b(const fuzz_case *c)
{
    return c->of[OPERATION] <= XL_MERGE_UNION;
}

/* Where the runs of an array of n keys begin, and its end; NULL: it has no runs. */
static size_t *make_cuts(const fuzz_case *c)
{
    const size_t count = (size_t)c->of[RUNS], n = (size_t)c->of[N];
    size_t *const cuts = count > 0 ? make_bytes(count + 1, sizeof *cuts) : NULL;
    xlt_random random = random_of(c->of[SEED], 41);
    for (size_t k = 1; k < count; ++k) {
        const size_t any = xlt_below(&random, (uint32_t)n + 1), half = n - (k < 32 ? n >> k : 0),
                     even = n * k / count;
        const size_t at[DEALS] = {any, even, half, any / 37 * 37};
        size_t i = k;
        for (; i > 1 && cuts[i - 1] > at[c->of[DEAL]]; --i)
            cuts[i] = cuts[i - 1];
        cuts[i] = at[c->of[DEAL]];
    }
    if (cuts) {
        cuts[0] = 0;
        cuts[count] = n;
    }
    return cuts;
}

static xl_status enqueue(const fuzz_case *c, const open_plan *plan, const call_array *a,
                         const flight *f)
{
    const bool shared = c->of[SHARED];
    const unsigned values_b = shared && takes_b(c) ? VALUES_A : VALUES_B;
    size_t *const cuts = make_cuts(c);
    xl_merge_args args = {.n_a = case_most(c),
                          .n_b = most_b(c),
                          .num_runs = (size_t)c->of[RUNS],
                          .runs = cuts,
                          .n_a_device = array_view(&a[LENGTH_A]),
                          .n_b_device = array_view(&a[LENGTH_B]),
                          .keys_a = array_view(&a[KEYS_A]),
                          .values_a = array_view(&a[VALUES_A]),
                          .keys_b = array_view(&a[shared ? KEYS_A : KEYS_B]),
                          .values_b = array_view(&a[values_b]),
                          .keys_out = array_view(&a[KEYS_OUT]),
                          .values_out = array_view(&a[VALUES_OUT]),
                          .count_out = array_view(&a[COUNTS]),
                          .scratch = array_view(&a[ROOM])};
    for (size_t k = 0; k < XL_MORE_VALUES; ++k) {
        args.more_values_a[k] = array_view(&a[VALUES_A + 1 + k]);
        args.more_values_b[k] = array_view(&a[values_b + 1 + k]);
        args.more_values_out[k] = array_view(&a[VALUES_OUT + 1 + k]);
    }
    const xl_status status =
        xl_merge_enqueue(plan->of.array_plan, f->queue, &args, num_waits(f), waits(f), f->event);
    if (cuts) /* they are read during the call */
        memset(cuts, 0xff, (args.num_runs + 1) * sizeof *cuts);
    return status;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

typedef struct runs {
    size_t n[2], most[2]; /* elements that the call takes, and that the arrays hold */
    unsigned char *keys[2];
    value_arrays values[2];
} runs;

/* Whether the next of the sorted keys goes to b; dealt: those that each array has. */
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
}

/* Repeats keys of a in a, and some of them in b, so that set operations find equal ones. */
static void repeat_keys(const fuzz_case *c, const runs *r)
{
    const size_t bytes = element_of(c)->bytes;
    xlt_random random = random_of(c->of[SEED], 40);
    const uint32_t rare = 1 + xlt_below(&random, 20), shared = 1 + xlt_below(&random, 4);
    for (size_t i = 1; i < r->n[0]; ++i)
        if (xlt_below(&random, rare) > 0 && xlt_below(&random, 2))
            memcpy(r->keys[0] + i * bytes, r->keys[0] + (i - 1) * bytes, bytes);
    for (size_t i = 0; r->n[0] > 0 && i < r->n[1]; ++i)
        if (xlt_below(&random, shared) == 0)
            memcpy(r->keys[1] + i * bytes,
                   r->keys[0] + xlt_below(&random, (uint32_t)r->n[0]) * bytes, bytes);
}

/* The first values of a are even, those of b odd, and tell where they are, if they have 4 bytes. */
static unsigned char *make_run_values(const fuzz_case *c, size_t side, size_t k, size_t n)
{
    fuzz_case other = *c;
    other.of[SEED] += side;
    unsigned char *const values = make_value_array(&other, k, n);
    for (size_t i = 0; k == 0 && value_size(c, 0) == 4 && i < n; ++i) {
        const uint32_t place = (uint32_t)(2 * i + side);
        memcpy(values + 4 * i, &place, 4);
    }
    return values;
}

static void order_runs(const fuzz_case *c, unsigned char *keys)
{
    const size_t *const cuts = make_cuts(c);
    for (size_t k = 0; k < c->of[RUNS]; ++k)
        order_keys(c, cuts[k + 1] - cuts[k], keys + cuts[k] * element_of(c)->bytes, c->of[BREAKS]);
}

static runs make_runs(const fuzz_case *c)
{
    const size_t bytes = element_of(c)->bytes;
    runs r = {.n = {(size_t)c->of[N], (size_t)c->of[OTHER]}};
    for (size_t side = 0; side < 2; ++side) {
        r.most[side] = r.n[side] + (size_t)c->of[MOST];
        r.keys[side] = make_bytes(r.most[side], bytes);
        for (size_t k = 0; k < count_values(c); ++k)
            r.values[side].of[k] = make_run_values(c, side, k, r.most[side]);
    }
    deal_out(c, &r);
    if (c->of[OPERATION] != XL_MERGE_ALL)
        repeat_keys(c, &r);
    if (c->of[RUNS])
        order_runs(c, r.keys[0]);
    for (size_t side = 0; !c->of[RUNS] && side < 2; ++side)
        order_keys(c, r.n[side], r.keys[side], c->of[BREAKS]);
    return r;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Elements of the result of arrays that are not sorted; SIZE_MAX if that is wrong. */
static size_t count_got(outcome *o, const fuzz_case *c, const call_array *a)
{
    if (c->of[OPERATION] == XL_MERGE_ALL)
        return (size_t)c->of[N] + (size_t)c->of[c->of[SHARED] ? N : OTHER];
    const uint64_t count = *(const uint64_t *)a[COUNTS].got;
    if (count <= room_of(c))
        return (size_t)count;
    failed(o, "count_out is %llu, more than the room", (unsigned long long)count);
    return SIZE_MAX;
}

/* If arrays are not sorted: the first value of each element names an element with the same key. */
static bool check_pairs(outcome *o, const fuzz_case *c, const call_array *a)
{
    if (!c->of[BREAKS])
        return true;
    const size_t bytes = element_of(c)->bytes, n = count_got(o, c, a);
    const uint32_t *values = a[VALUES_OUT].got;
    const unsigned char *keys = a[KEYS_OUT].got;
    for (size_t i = 0; values && a[VALUES_OUT].size == 4 && n < SIZE_MAX && i < n; ++i) {
        const call_array *from = &a[values[i] % 2 ? KEYS_B : KEYS_A];
        const size_t place = values[i] / 2;
        if (!from->name || place >= from->n)
            return failed(o, "value %zu is %u, which is not there", i, (unsigned)values[i]);
        if (memcmp((const unsigned char *)from->host + place * bytes, keys + i * bytes, bytes) != 0)
            return failed(o, "value %zu, %u, has lost its key", i, (unsigned)values[i]);
    }
    return n < SIZE_MAX;
}

/* The expected outputs: elements, then bytes that are not written. */
typedef struct results {
    uint64_t count;
    unsigned char *keys;
    value_arrays values;
} results;

/* The elements at `places` of two arrays, of which those of the second follow n of the first. */
static unsigned char *chosen(const results *r, size_t room, const void *a, const void *b, size_t n,
                             size_t size, const uint64_t *places)
{
    unsigned char *const to = make_untouched(room, size);
    for (size_t i = 0; i < r->count; ++i) {
        const size_t place = (size_t)places[i];
        const void *const from = place < n ? (const unsigned char *)a + place * size
                                           : (const unsigned char *)b + (place - n) * size;
        memcpy(to + i * size, from, size);
    }
    return to;
}

/* The places of all keys in their order. */
static size_t sort_places(const fuzz_case *c, size_t n, unsigned char *keys, uint64_t *places)
{
    uint32_t *const sorted = make_bytes(n, sizeof *sorted);
    for (size_t i = 0; i < n; ++i)
        sorted[i] = (uint32_t)i;
    XLT_TRUE(ref_sort(element_of(c)->type, descends(c), n, keys, sorted));
    for (size_t i = 0; i < n; ++i)
        places[i] = sorted[i];
    return n;
}

static results expect(const fuzz_case *c, const runs *r)
{
    const element *e = element_of(c);
    const size_t b = c->of[SHARED] ? 0 : 1, n = r->n[0], room = room_of(c);
    unsigned char *const ranked_a = ranked_keys(c, n, r->keys[0]), *const ranked_b = ranked_keys(
                                                                       c, r->n[b], r->keys[b]);
    uint64_t *const places = make_bytes(n + r->n[b], sizeof *places);
    results wanted = {.count = c->of[RUNS]
                                   ? sort_places(c, n, ranked_a, places)
                                   : ref_set(e->type, descends(c), (ref_operation)c->of[OPERATION],
                                             &(ref_run){n, ranked_a}, &(ref_run){r->n[b], ranked_b},
                                             places)};
    wanted.keys = chosen(&wanted, room, r->keys[0], r->keys[b], n, e->bytes, places);
    for (size_t k = 0; k < count_values(c); ++k)
        wanted.values.of[k] = chosen(&wanted, room, r->values[0].of[k], r->values[b].of[k], n,
                                     value_size(c, k), places);
    return wanted;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void add_values(const fuzz_case *c, const runs *r, const results *wanted, call_array *arrays)
{
    const size_t at = (size_t)c->of[IN_AT], out_at = (size_t)c->of[OUT_AT];
    for (size_t k = 0; k < count_values(c); ++k) {
        const size_t size = value_size(c, k);
        arrays[VALUES_A + k] =
            input_array("values_a", r->values[0].of[k], r->most[0], size, out_at / (k + 2));
        if (takes_b(c) && !c->of[SHARED] && !c->of[RUNS])
            arrays[VALUES_B + k] =
                input_array("values_b", r->values[1].of[k], r->most[1], size, at / (k + 1));
        arrays[VALUES_OUT + k] =
            output_array("values_out", wanted->values.of[k], room_of(c), size, out_at / (k + 3));
    }
}

static void run_arrays(const fuzz_case *c, open_plan *plan, outcome *o, const runs *r,
                       const call_array *room)
{
    static const exact_call call = {"xl_merge_enqueue", enqueue, check_pairs};
    const bool shared = c->of[SHARED], known = !c->of[BREAKS], above = c->of[COUNT] == COUNT_ABOVE;
    const size_t bytes = element_of(c)->bytes, at = (size_t)c->of[IN_AT];
    const uint64_t count_a = r->n[0] + (above ? 1000 : 0),
                   count_b = r->n[!shared] + (above ? 7 : 0);
    results wanted = known ? expect(c, r) : (results){0};
    call_array arrays[CALL_ARRAYS] = {
        [KEYS_A] = input_array("keys_a", r->keys[0], r->most[0], bytes, at),
        [KEYS_B] = input_array(shared || c->of[RUNS] ? NULL : "keys_b", r->keys[1], r->most[1],
                               bytes, at / 2),
        [KEYS_OUT] =
            output_array("keys_out", wanted.keys, room_of(c), bytes, (size_t)c->of[OUT_AT]),
        [COUNTS] = output_array(c->of[OPERATION] == XL_MERGE_ALL ? NULL : "count_out",
                                known ? &wanted.count : NULL, 1, sizeof wanted.count, at / 5),
        [LENGTH_A] = count_array(c, &count_a),
        [LENGTH_B] = count_array(c, &count_b),
        [ROOM] = *room};
    add_values(c, r, &wanted, arrays);
    run_exact(o, c, plan, &call, arrays);
}

static void run_merge(const fuzz_case *c, open_plan *plan, outcome *o)
{
    size_t scratch = 0;
    runs r = make_runs(c);
    if (succeeded(o, plan->ctx,
                  xl_merge_scratch(plan->of.array_plan,
                                   &(xl_merge_args){.n_a = r.most[0],
                                                    .n_b = most_b(c),
                                                    .num_runs = (size_t)c->of[RUNS]},
                                   &scratch),
                  "xl_merge_scratch")) {
        const call_array room = scratch_array(c, scratch);
        run_arrays(c, plan, o, &r, &room);
    }
}

const primitive merge_primitive = {open_merge, run_merge, close_array_plan};

/* SPDX-License-Identifier: MIT
 * Selections, merges and searches whose arrays and scratch another thread writes while they run,
 * which the caller must not do: results are undefined, but every call ends, and nothing beside the
 * arrays is touched. */
#include "reference.h"
#include "scan_support.h"
#include "scribbler.h"

#include <stdlib.h>
#include <string.h>

/* n keys of any bits. */
static void *any_keys(xl_type type, size_t n, uint64_t seed)
{
    const size_t bytes = n * xl_type_size(type);
    unsigned char *keys = bytes_for(n, xl_type_size(type));
    xlt_random random = {seed};
    for (size_t i = 0; i < bytes; ++i)
        keys[i] = (unsigned char)(xlt_next(&random) >> 56);
    return keys;
}

/* A call that is repeated. Arrays that are not aimed at must not change, and the values, indices
 * and places that the call writes must name existing elements. */
enum { INPUTS = 4, BUFFERS = 8, NUM_KEYS = 5003, NUM_RESULTS = 1500 };
static const uint32_t never_written = 0xa5a5a5a5;

typedef struct victim {
    const char *what;
    xl_context *ctx;
    xl_plan *plan;
    /* Inputs first, then outputs; the last is scratch. */
    xlt_buffer at[BUFFERS];
    void *before[INPUTS]; /* the elements of an input that no other thread writes, or NULL */
    const xlt_buffer *names;
    uint64_t most; /* of what `names` holds, words of 4 or 8 bytes */
} victim;

enum { SCRATCH = BUFFERS - 1 };

/* Sorted keys of `size` bytes, or numbers from `first` on. */
static void give_input(victim *v, size_t i, xl_type type, size_t n)
{
    v->before[i] = any_keys(type, n, i);
    assert_true(ref_sort(type, false, n, v->before[i], NULL));
    v->at[i] = xlt_buffer_make(v->before[i], n, xl_type_size(type), 0);
}

static void give_numbers(victim *v, size_t i, uint32_t first, size_t n)
{
    uint32_t *numbers = v->before[i] = bytes_for(n, sizeof *numbers);
    for (size_t k = 0; k < n; ++k)
        numbers[k] = first + (uint32_t)k;
    v->at[i] = xlt_buffer_make(numbers, n, 4, 0);
}

static void check_names(const victim *v)
{
    const xlt_buffer *const b = v->names;
    void *held = bytes_for(b->n, b->size);
    xlt_read(b, held);
    for (size_t i = 0; i < b->n; ++i) {
        const uint64_t name = b->size == 8 ? ((uint64_t *)held)[i] : ((uint32_t *)held)[i];
        if (name > v->most && (uint32_t)name != never_written)
            XLT_FAIL("%s: %zu is %llu, more than %llu", v->what, i, (unsigned long long)name,
                     (unsigned long long)v->most);
    }
    free(held);
}

static void check_input(const victim *v, size_t i)
{
    void *now = bytes_for(v->at[i].n, v->at[i].size);
    xlt_read(&v->at[i], now);
    if (memcmp(now, v->before[i], v->at[i].n * v->at[i].size) != 0)
        XLT_FAIL("%s: input %zu was written", v->what, i);
    free(now);
}

/* Another thread writes the first input and the scratch. */
static void harm(victim *v, xl_status (*enqueue)(const victim *v))
{
    scribbler by = {0};
    xlt_buffer *all[BUFFERS];
    aim(&by, &v->at[0]);
    aim(&by, &v->at[SCRATCH]);
    scribbler_start(&by, NUM_KEYS);
    /* Few writes hit the words that matter, least those that only a selection of keys of 16 bits
     * reads. */
    const size_t slower = v->at[0].size == 2 ? 20 : 10;
    for (size_t k = 0; goes_on(&by, k / slower); ++k) {
        if (k > 0) /* a compiler is not watched */
            xlt_watch_start(v->what, NULL);
        ok(v->ctx, enqueue(v), v->what);
        XLT_CL(clFinish(xlt_queue()));
        if (k > 0)
            xlt_watch_stop();
        check_names(v);
    }
    scribbler_stop(&by);
    for (size_t i = 0; i < INPUTS; ++i) {
        if (i > 0 && v->before[i])
            check_input(v, i);
        free(v->before[i]);
    }
    for (size_t i = 0; i < BUFFERS; ++i)
        all[i] = &v->at[i];
    check_and_free(all, BUFFERS);
    xl_plan_destroy(v->plan);
    xl_context_destroy(v->ctx);
}

/* Few enough for a launch that compares all results. */
enum { SELECTED = 1000 };

static xl_status enqueue_top_k(const victim *v)
{
    return xl_top_k_enqueue(v->plan, xlt_queue(),
                            &(xl_top_k_args){.n = NUM_KEYS,
                                             .k = SELECTED,
                                             .keys_in = xlt_view(&v->at[0]),
                                             .values_in = xlt_view(&v->at[1]),
                                             .keys_out = xlt_view(&v->at[2]),
                                             .values_out = xlt_view(&v->at[3]),
                                             .indices_out = xlt_view(&v->at[4]),
                                             .scratch = xlt_view(&v->at[SCRATCH])},
                            0, NULL, NULL);
}

static void harm_top_k(const char *tune, xl_type key, bool sorted)
{
    victim v = {.what = tune, .ctx = open_context(tune, NULL), .most = NUM_KEYS - 1};
    xl_top_k_desc desc;
    size_t bytes;
    xl_top_k_desc_init(&desc);
    desc.key = key;
    desc.value = XL_U32;
    desc.sorted = sorted;
    ok(v.ctx, xl_top_k_create(v.ctx, &desc, &v.plan), tune);
    ok(v.ctx, xl_top_k_scratch(v.plan, &(xl_top_k_args){.n = NUM_KEYS, .k = SELECTED}, &bytes),
       tune);
    give_input(&v, 0, key, NUM_KEYS);
    give_numbers(&v, 1, 0, NUM_KEYS);
    v.at[2] = xlt_buffer_make(NULL, SELECTED, xl_type_size(key), 0);
    v.at[3] = xlt_buffer_make(NULL, SELECTED, 4, 0);
    v.at[4] = xlt_buffer_make(NULL, SELECTED, 4, 0);
    v.at[SCRATCH] = xlt_scratch_make(bytes);
    v.names = &v.at[sorted ? 3 : 4];
    harm(&v, enqueue_top_k);
}

XLT_TEST(selections_of_what_changes)
{
    static const char *const tunes[] = {
        "top_k.shape = 1\ntop_k.ranked = 0\ntop_k.chunk = 40\ntop_k.chunks = 200\ntop_k.sample = "
        "64\ntop_k.sampled = "
        "1\n",
        ("top_k.shape = 0\ntop_k.group_log = 5\ntop_k.items = 2\ntop_k.chunk = 200\ntop_k.chunks = "
         "200\n"
         "top_k.sample = 64\ntop_k.sampled = 1\ntop_k.ranked = 1024\n"),
        "top_k.shape = 1\ntop_k.chunk = 1000\ntop_k.ranked = 1024\n", /* too few chunks for lists */
    };
    static const xl_type keys[] = {XL_U32, XL_F64, XL_U16};
    xlt_needs_threads();
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t i = 0; i < 9; ++i)
            if (!xlt_few_programs() || i % 3 == 0 || i / 3 + 1 == i % 3)
                harm_top_k(tunes[i % 3], keys[i / 3], i / 3 != 2);
}

static xl_status enqueue_merge(const victim *v)
{
    return xl_merge_enqueue(v->plan, xlt_queue(),
                            &(xl_merge_args){.n_a = NUM_KEYS,
                                             .n_b = NUM_RESULTS,
                                             .keys_a = xlt_view(&v->at[0]),
                                             .values_a = xlt_view(&v->at[1]),
                                             .keys_b = xlt_view(&v->at[2]),
                                             .values_b = xlt_view(&v->at[3]),
                                             .keys_out = xlt_view(&v->at[4]),
                                             .values_out = xlt_view(&v->at[5]),
                                             .count_out = xlt_view(&v->at[6]),
                                             .scratch = xlt_view(&v->at[SCRATCH])},
                            0, NULL, NULL);
}

static void harm_merge(const char *tune, xl_type key, xl_merge_operation operation)
{
    victim v = {.what = tune, .ctx = open_context(tune, NULL), .most = NUM_KEYS + NUM_RESULTS - 1};
    xl_merge_desc desc;
    size_t bytes;
    xl_merge_desc_init(&desc);
    desc.key = key;
    desc.value = XL_U32;
    desc.operation = operation;
    ok(v.ctx, xl_merge_create(v.ctx, &desc, &v.plan), tune);
    ok(v.ctx, xl_merge_scratch(v.plan, &(xl_merge_args){.n_a = NUM_KEYS + NUM_RESULTS}, &bytes),
       tune);
    give_input(&v, 0, key, NUM_KEYS);
    give_numbers(&v, 1, 0, NUM_KEYS);
    give_input(&v, 2, key, NUM_RESULTS);
    give_numbers(&v, 3, NUM_KEYS, NUM_RESULTS);
    v.at[4] = xlt_buffer_make(NULL, NUM_KEYS + NUM_RESULTS, xl_type_size(key), 0);
    v.at[5] = xlt_buffer_make(NULL, NUM_KEYS + NUM_RESULTS, 4, 0);
    if (operation != XL_MERGE_ALL)
        v.at[6] = xlt_buffer_make(NULL, 1, 8, 0);
    v.at[SCRATCH] = xlt_scratch_make(bytes);
    v.names = &v.at[5];
    harm(&v, enqueue_merge);
}

XLT_TEST(merges_of_what_changes)
{
    static const char *const tunes[] = {
        "merge.serial = 1\nmerge.chunk = 41\n",
        ("merge.serial = 0\nmerge.group = 8\nmerge.item_bytes = 12\n"
         "merge.set_bytes = 12\nmerge.search_tiles = 0\n"),
        "merge.serial = 0\nmerge.group = 16\nmerge.search_tiles = 4294967295\n",
    };
    xlt_needs_threads();
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t i = 0; i < sizeof tunes / sizeof tunes[0]; ++i) {
            harm_merge(tunes[i], i % 2 ? XL_U32 : XL_F32, XL_MERGE_ALL);
            harm_merge(tunes[i], i % 2 ? XL_U32 : XL_F32, XL_MERGE_UNION);
        }
}

static xl_status enqueue_search(const victim *v)
{
    const bool asks = !v->at[1].mem;
    return xl_search_enqueue(v->plan, xlt_queue(),
                             &(xl_search_args){.n = NUM_KEYS,
                                               .keys = xlt_view(&v->at[0]),
                                               .num_queries = asks ? 0 : NUM_RESULTS,
                                               .queries = xlt_view(&v->at[1]),
                                               .indices_out = xlt_view(&v->at[2]),
                                               .scratch = xlt_view(&v->at[SCRATCH])},
                             0, NULL, NULL);
}

static void harm_search(const char *tune, xl_search_kind kind)
{
    victim v = {.what = tune, .ctx = open_context(tune, NULL), .most = NUM_KEYS};
    const bool asks = kind == XL_SEARCH_UNSORTED;
    xl_search_desc desc;
    size_t bytes;
    xl_search_desc_init(&desc);
    desc.kind = kind;
    ok(v.ctx, xl_search_create(v.ctx, &desc, &v.plan), tune);
    ok(v.ctx, xl_search_scratch(v.plan, &(xl_search_args){.n = NUM_KEYS}, &bytes), tune);
    give_input(&v, 0, XL_U32, NUM_KEYS);
    if (!asks)
        give_input(&v, 1, XL_U32, NUM_RESULTS);
    v.at[2] = xlt_buffer_make(NULL, asks ? 1 : NUM_RESULTS, 8, 0);
    v.at[SCRATCH] = xlt_scratch_make(bytes);
    v.names = &v.at[2];
    harm(&v, enqueue_search);
}

XLT_TEST(searches_of_what_changes)
{
    static const char *const tunes[] = {
        "search.serial = 1\nsearch.items = 4\nsearch.queries = 42\n",
        "search.serial = 0\nsearch.group = 8\nsearch.items = 3\n",
    };
    xlt_needs_threads();
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t i = 0; i < 6; ++i)
            harm_search(tunes[i % 2], (xl_search_kind)(i / 2));
}

XLT_MAIN(NULL, xlt_teardown)

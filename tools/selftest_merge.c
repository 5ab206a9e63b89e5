/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: merges of sorted arrays and searches in them against the serial
 * references. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS_A, KEYS_B, KEYS_OUT, VALUES_A, VALUES_B, VALUES_OUT, ARRAYS };

/* Keys in order, that are there several times each where n is large; false: no memory. */
static bool fill_sorted(xl_type key, bool descending, uint64_t seed, size_t n, void *keys)
{
    selftest_fill(key, XL_MIN, seed, n, keys);
    return ref_sort(key, descending, n, keys, NULL);
}

/* One merge: of equal keys those of the first array come first, as the values tell. */
static void check_merge(const selftest *t, family *f, xl_merge *plan, const xl_merge_desc *d,
                        size_t n_a, size_t n_b)
{
    const xl_type key = (xl_type)d->key;
    const bool descending = d->order == XL_DESCENDING;
    const size_t size = xl_type_size(key), n = n_a + n_b;
    const size_t bytes[ARRAYS] = {n_a * size, n_b * size, n * size, n_a * 4, n_b * 4, n * 4};
    void *host[ARRAYS] = {NULL}, *keys = malloc(n * size + 1), *values = malloc(n * 4 + 1);
    cl_mem mem[ARRAYS] = {NULL};
    bool there = keys && values;
    ++f->cases;
    for (size_t i = 0; i < ARRAYS; ++i)
        there = (host[i] = malloc(bytes[i] + 1)) && there;
    if (!there || !fill_sorted(key, descending, n_a + 5, n_a, host[KEYS_A]) ||
        !fill_sorted(key, descending, n_b + 6, n_b, host[KEYS_B])) {
        family_note(f, "no memory for %zu keys", n);
        goto done;
    }
    for (size_t i = 0; i < n; ++i)
        ((uint32_t *)host[i < n_a ? VALUES_A : VALUES_B])[i < n_a ? i : i - n_a] = (uint32_t)i;
    for (size_t i = 0; i < ARRAYS; ++i)
        mem[i] = selftest_array(t, f, i % 3 == 2 ? NULL : host[i], bytes[i]);
    ref_merge(key, descending, &(ref_run){n_a, host[KEYS_A], host[VALUES_A]},
              &(ref_run){n_b, host[KEYS_B], host[VALUES_B]}, keys, values);
    const xl_merge_args args = {.n_a = n_a,
                                .n_b = n_b,
                                .keys_a = xl_view_of(mem[KEYS_A], 0),
                                .values_a = xl_view_of(mem[VALUES_A], 0),
                                .keys_b = xl_view_of(mem[KEYS_B], 0),
                                .values_b = xl_view_of(mem[VALUES_B], 0),
                                .keys_out = xl_view_of(mem[KEYS_OUT], 0),
                                .values_out = xl_view_of(mem[VALUES_OUT], 0)};
    if (!family_passed(t, f, xl_merge_enqueue(plan, t->s.queue, &args, 0, NULL, NULL), "merge",
                       n) ||
        !selftest_read(t, f, mem[KEYS_OUT], n * size, host[KEYS_OUT]) ||
        !selftest_read(t, f, mem[VALUES_OUT], n * 4, host[VALUES_OUT]))
        goto done;
    if (memcmp(host[KEYS_OUT], keys, n * size) != 0 || memcmp(host[VALUES_OUT], values, n * 4) != 0)
        family_note(f, "%zu and %zu keys: wrong", n_a, n_b);
done:
    for (size_t i = 0; i < ARRAYS; ++i) {
        session_release(&mem[i]);
        free(host[i]);
    }
    free(keys);
    free(values);
}

static void check_merges(const selftest *t, family *f, xl_type key, uint32_t order)
{
    static const size_t sizes[][2] = {{1, 1}, {0, 33}, {257, 3}, {4097, 4000}, {1000, 70001}};
    xl_merge *plan = NULL;
    xl_merge_desc d;
    xl_merge_desc_init(&d);
    d.key = key;
    d.value = XL_U32;
    d.order = order;
    if (!family_passed(t, f, xl_merge_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return;
    }
    for (size_t i = 0; i < TOOL_COUNT(sizes); ++i)
        check_merge(t, f, plan, &d, sizes[i][0], sizes[i][1]);
    xl_merge_destroy(plan);
}

/* One call of queries that are anywhere, or of none where the keys' order is asked for, which one
 * key breaks. */
static void check_search(const selftest *t, family *f, xl_search *plan, const xl_search_desc *d,
                         size_t n)
{
    const xl_type key = (xl_type)d->key;
    const bool descending = d->order == XL_DESCENDING, unsorted = d->kind == XL_SEARCH_UNSORTED;
    const size_t size = xl_type_size(key), queries = unsorted ? 0 : n / 3 + 5;
    const size_t results = unsorted ? 1 : queries;
    char *keys = malloc(n * size + 1), *asked = malloc(queries * size + 1);
    uint64_t *got = malloc(results * 8);
    cl_mem mem[3] = {NULL, NULL, NULL};
    ++f->cases;
    if (!keys || !asked || !got || !fill_sorted(key, descending, n + 7, n, keys)) {
        family_note(f, "no memory for %zu keys", n);
        goto done;
    }
    selftest_fill(key, XL_MIN, n + 8, queries, asked);
    if (unsorted && n > 2) /* the last key somewhere in the middle */
        memcpy(keys + n / 2 * size, keys + (n - 1) * size, size);
    mem[0] = selftest_array(t, f, keys, n * size);
    mem[1] = unsorted ? NULL : selftest_array(t, f, asked, queries * size);
    mem[2] = selftest_array(t, f, NULL, results * 8);
    const xl_search_args args = {.n = n,
                                 .keys = xl_view_of(mem[0], 0),
                                 .num_queries = queries,
                                 .queries = unsorted ? xl_no_view() : xl_view_of(mem[1], 0),
                                 .indices_out = xl_view_of(mem[2], 0)};
    if (!family_passed(t, f, xl_search_enqueue(plan, t->s.queue, &args, 0, NULL, NULL), "search",
                       n) ||
        !selftest_read(t, f, mem[2], results * 8, got))
        goto done;
    for (size_t i = 0; i < results; ++i) {
        const uint64_t want = unsorted ? ref_unsorted(key, descending, n, keys)
                                       : ref_bound(key, descending, d->kind == XL_SEARCH_UPPER, n,
                                                   keys, asked + i * size);
        if (got[i] != want) {
            family_note(f, "kind %u, n %zu: result %zu is wrong", (unsigned)d->kind, n, i);
            break;
        }
    }
done:
    for (size_t i = 0; i < 3; ++i)
        session_release(&mem[i]);
    free(keys);
    free(asked);
    free(got);
}

static bool check_searches(const selftest *t, family *f, xl_type key, uint32_t kind, uint32_t order)
{
    static const size_t sizes[] = {1, 2, 33, 4097, 65537};
    xl_search *plan = NULL;
    xl_search_desc d;
    xl_search_desc_init(&d);
    d.key = key;
    d.kind = kind;
    d.order = order;
    if (!family_passed(t, f, xl_search_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return false;
    }
    for (size_t i = 0; i < TOOL_COUNT(sizes); ++i)
        check_search(t, f, plan, &d, sizes[i]);
    xl_search_destroy(plan);
    return true;
}

static const xl_type key_types[] = {XL_U32, XL_I16, XL_F32, XL_U64};

void selftest_merges(selftest *t)
{
    for (size_t i = 0; i < TOOL_COUNT(key_types); ++i) {
        family f;
        if (!family_begin(t, &f, "merge %s", xl_type_name(key_types[i])))
            continue;
        check_merges(t, &f, key_types[i], i % 2 ? XL_DESCENDING : XL_ASCENDING);
        family_end(t, &f);
    }
}

void selftest_searches(selftest *t)
{
    static const uint32_t kinds[] = {XL_SEARCH_LOWER, XL_SEARCH_UPPER, XL_SEARCH_UNSORTED};
    for (size_t i = 0; i < TOOL_COUNT(key_types); ++i) {
        family f;
        if (!family_begin(t, &f, "search %s", xl_type_name(key_types[i])))
            continue;
        for (size_t k = 0; k < TOOL_COUNT(kinds); ++k)
            if (!check_searches(t, &f, key_types[i], kinds[k],
                                i % 2 ? XL_ASCENDING : XL_DESCENDING))
                break;
        family_end(t, &f);
    }
}

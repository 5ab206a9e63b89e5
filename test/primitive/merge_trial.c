/* SPDX-License-Identifier: MIT
 * What tests of merges share. */
#include "merge_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- input --------------------------------------------------------------- */

static const char *const deal_names[] = {"mixed",       "a first", "b first",
                                         "interleaved", "runs",    "not in order"};

static void *get(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* ---- one merge, checked --------------------------------------------------- */

static const char *const names[] = {"a", "b", "out"};

static const char *describe(const merge_trial *t)
{
    static char text[240];
    snprintf(text, sizeof text, "%s keys, %s values, %s, %zu and %zu, %s, %s, offset %zu%s, %s",
             xl_type_name(t->desc->key), t->desc->value == XL_NONE ? "no" : "u32",
             t->desc->order == XL_DESCENDING ? "descending" : "ascending", t->n_a, t->n_b,
             xlt_keys_names[t->kind], deal_names[t->deal], t->offset,
             t->own_scratch ? ", plan's scratch" : "", t->device);
    return text;
}

static size_t length_of(const merge_trial *t, int which)
{
    return which == 0 ? t->n_a : which == 1 ? t->n_b : t->n_a + t->n_b;
}

static void sort(const merge_trial *t, size_t n, void *keys)
{
    const bool descending = t->desc->order == XL_DESCENDING;
    assert_true(t->desc->equal_zeros ? ref_sort_equal_zeros(t->desc->key, descending, n, keys, NULL)
                                     : ref_sort(t->desc->key, descending, n, keys, NULL));
}

/* What the merge is to give: the values of a merge of keys without signs of zeros, if these are
 * equal, and the keys that had these values. */
static void merge_both(const merge_trial *t, merge_host *h)
{
    const size_t size = xl_type_size(t->desc->key);
    const size_t bytes[] = {t->n_a * size, t->n_b * size};
    unsigned char *copies[2];
    for (int i = 0; i < 2; ++i) {
        copies[i] = get(bytes[i]);
        memcpy(copies[i], h->keys[i], bytes[i]);
        if (t->desc->equal_zeros)
            ref_equal_zeros(t->desc->key, length_of(t, i), copies[i]);
    }
    ref_merge(t->desc->key, t->desc->order == XL_DESCENDING,
              &(ref_run){t->n_a, copies[0], h->values[0]},
              &(ref_run){t->n_b, copies[1], h->values[1]}, h->keys[2], h->values[2]);
    for (size_t i = 0; i < t->n_a + t->n_b; ++i) {
        const uint32_t from = h->values[2][i];
        memcpy(h->keys[2] + i * size,
               from < t->n_a ? h->keys[0] + from * size : h->keys[1] + (from - t->n_a) * size,
               size);
    }
    free(copies[0]);
    free(copies[1]);
}

/* Whether the next of the sorted keys goes to a, of which `a` of n_a and of b `b` of n_b are dealt
 * out. */
static bool goes_to_a(const merge_trial *t, size_t a, size_t b)
{
    if (a == t->n_a || b == t->n_b)
        return a < t->n_a;
    return t->deal == MERGE_A_FIRST   ? true
           : t->deal == MERGE_B_FIRST ? false
           : t->deal == MERGE_RUNS    ? (a + b) / 37 % 2 == 0
                                      : (uint64_t)a * t->n_b <= (uint64_t)b * t->n_a;
}

/* Values tell elements apart: those of a, then those of b. */
merge_host merge_host_make(const merge_trial *t, uint64_t seed)
{
    const size_t n = t->n_a + t->n_b, size = xl_type_size(t->desc->key);
    xlt_random random = {seed + 77 * n + t->n_a};
    merge_host h;
    for (int i = 0; i < 3; ++i) {
        h.keys[i] = get(length_of(t, i) * size);
        h.values[i] = get(length_of(t, i) * 4);
    }
    xlt_keys_fill(h.keys[2], t->desc->key, t->kind, n, &random);
    if (t->deal != MERGE_MIXED && t->deal != MERGE_UNSORTED)
        sort(t, n, h.keys[2]);
    size_t dealt[2] = {0, 0};
    for (size_t i = 0; i < n; ++i) {
        const int to = !goes_to_a(t, dealt[0], dealt[1]);
        h.values[to][dealt[to]] = (uint32_t)(to ? t->n_a + dealt[1] : dealt[0]);
        memcpy(h.keys[to] + dealt[to]++ * size, h.keys[2] + i * size, size);
    }
    for (int i = 0; t->deal == MERGE_MIXED && i < 2; ++i)
        sort(t, length_of(t, i), h.keys[i]);
    merge_both(t, &h);
    return h;
}

void merge_host_free(merge_host *h)
{
    for (int i = 0; i < 3; ++i) {
        free(h->keys[i]);
        free(h->values[i]);
    }
}

merge_arrays merge_arrays_make(const merge_trial *t, const merge_host *h)
{
    const size_t size = xl_type_size(t->desc->key);
    size_t bytes, alignment;
    merge_arrays a = {0};
    for (int i = 0; i < 3; ++i) {
        const size_t n = length_of(t, i), at = t->offset + (size_t)i;
        a.keys[i] = xlt_buffer_make(i < 2 ? h->keys[i] : NULL, n, size, at);
        if (t->desc->value != XL_NONE)
            a.values[i] = xlt_buffer_make(i < 2 ? h->values[i] : NULL, n, 4, at + 1);
    }
    XLT_OK(xl_merge_scratch(t->plan, t->n_a + t->n_b, &bytes, &alignment));
    if (!t->own_scratch)
        a.scratch = xlt_scratch_make(bytes, alignment);
    return a;
}

void merge_arrays_free(merge_arrays *a)
{
    for (int i = 0; i < 3; ++i) {
        xlt_buffer_free(&a->keys[i]);
        xlt_buffer_free(&a->values[i]);
    }
    xlt_buffer_free(&a->scratch);
}

xl_status merge_enqueue(const merge_trial *t, const merge_arrays *a, cl_uint num_waits,
                        const cl_event *waits, cl_event *event)
{
    return xl_merge_enqueue(t->plan, t->queue,
                            &(xl_merge_args){.n_a = t->n_a,
                                             .n_b = t->n_b,
                                             .keys_a = xlt_view(&a->keys[0]),
                                             .values_a = xlt_view(&a->values[0]),
                                             .keys_b = xlt_view(&a->keys[1]),
                                             .values_b = xlt_view(&a->values[1]),
                                             .keys_out = xlt_view(&a->keys[2]),
                                             .values_out = xlt_view(&a->values[2]),
                                             .scratch = xlt_view(&a->scratch)},
                            num_waits, waits, event);
}

static void check_same(const merge_trial *t, const char *what, int which, size_t size,
                       const void *got, const void *wanted)
{
    const size_t n = length_of(t, which);
    for (size_t i = 0; i < n; ++i)
        if (memcmp((const char *)got + i * size, (const char *)wanted + i * size, size) != 0)
            XLT_FAIL("%s: %s of %s: wrong at %zu", describe(t), what, names[which], i);
}

/* Of arrays that are not in order: each value still has the key that it came with. */
static void check_pairs(const merge_trial *t, const merge_host *h, const unsigned char *keys,
                        const uint32_t *values)
{
    const size_t size = xl_type_size(t->desc->key), n = t->n_a + t->n_b;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t from = values[i];
        if (from >= n)
            XLT_FAIL("%s: value %u at %zu is none of those given", describe(t), (unsigned)from, i);
        const unsigned char *key =
            from < t->n_a ? h->keys[0] + from * size : h->keys[1] + (from - t->n_a) * size;
        if (memcmp(key, keys + i * size, size) != 0)
            XLT_FAIL("%s: value %u at %zu has lost its key", describe(t), (unsigned)from, i);
    }
}

void merge_check_result(const merge_trial *t, const merge_host *h, const merge_arrays *a)
{
    const size_t size = xl_type_size(t->desc->key), n = t->n_a + t->n_b;
    const bool pairs = t->desc->value != XL_NONE, sorted = t->deal != MERGE_UNSORTED;
    unsigned char *keys = get(n * size);
    uint32_t *values = get(n * 4);
    for (int i = 0; i < 3; ++i) {
        xlt_read(&a->keys[i], keys);
        if (i < 2 || sorted)
            check_same(t, "keys", i, size, keys, h->keys[i]);
        xlt_check_guards(&a->keys[i], names[i]);
        if (!pairs)
            continue;
        xlt_read(&a->values[i], values);
        if (i < 2 || sorted)
            check_same(t, "values", i, 4, values, h->values[i]);
        xlt_check_guards(&a->values[i], names[i]);
    }
    if (pairs && !sorted)
        check_pairs(t, h, keys, values);
    if (a->scratch.mem)
        xlt_check_guards(&a->scratch, "scratch");
    free(keys);
    free(values);
}

void merge_check(const merge_trial *t)
{
    cl_event event = NULL;
    merge_host h = merge_host_make(t, 1);
    merge_arrays a = merge_arrays_make(t, &h);
    XLT_OK(merge_enqueue(t, &a, 0, NULL, &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    merge_check_result(t, &h, &a);
    merge_arrays_free(&a);
    merge_host_free(&h);
}

/* ---- plans ---------------------------------------------------------------- */

xl_merge_desc merge_desc(xl_type key, xl_type value, xl_sort_order order)
{
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.key = key;
    desc.value = value;
    desc.order = order;
    return desc;
}

merge_trial merge_trial_of(const xl_merge_desc *desc, xl_merge *plan)
{
    return (merge_trial){
        .device = "device as it is", .desc = desc, .plan = plan, .queue = xlt_queue()};
}

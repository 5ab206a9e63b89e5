/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: sorts against the serial reference, of whole arrays and of each segment. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

/* ---- one sort ---- */

typedef struct sorting {
    const xl_sort_desc *d;
    size_t n, bytes, value_bytes;
    char *in, *got, *want;          /* keys: before, of the device, of the reference */
    uint32_t *values, *want_values; /* the places of keys in `in` */
    uint64_t *offsets;              /* where segments begin */
    size_t num_segments;            /* 0: the array is not cut */
    cl_mem keys, extra, csr;
} sorting;

/* Room for n + 1 segments; what is wanted is not sorted yet. */
static bool sorting_make(family *f, const xl_sort_desc *d, size_t n, sorting *r)
{
    const size_t bytes = n * xl_type_size((xl_type)d->key), places = n * sizeof(uint32_t);
    *r = (sorting){.d = d,
                   .n = n,
                   .bytes = bytes,
                   .value_bytes = d->value ? places : 0,
                   .in = malloc(bytes + 1),
                   .got = malloc(bytes + 1),
                   .want = malloc(bytes + 1),
                   .values = malloc(places + 1),
                   .want_values = malloc(places + 1),
                   .offsets = malloc((n + 1) * sizeof(uint64_t))};
    if (!r->in || !r->got || !r->want || !r->values || !r->want_values || !r->offsets)
        return family_note(f, "no memory for %zu keys", n);
    selftest_fill((xl_type)d->key, XL_MIN, n + 3, n, r->in);
    memcpy(r->want, r->in, bytes);
    for (size_t i = 0; i < n; ++i)
        r->values[i] = r->want_values[i] = (uint32_t)i;
    return true;
}

static void sorting_free(sorting *r)
{
    session_release(&r->keys);
    session_release(&r->extra);
    session_release(&r->csr);
    free(r->in);
    free(r->got);
    free(r->want);
    free(r->values);
    free(r->want_values);
    free(r->offsets);
}

/* The offsets on the device, as numbers of the descriptor's type. */
static cl_mem make_csr(const selftest *t, family *f, const sorting *r)
{
    if (r->d->segment_type == XL_U64)
        return selftest_array(t, f, r->offsets, r->num_segments * sizeof *r->offsets);
    uint32_t *narrow = malloc(r->num_segments * sizeof *narrow);
    for (size_t i = 0; narrow && i < r->num_segments; ++i)
        narrow[i] = (uint32_t)r->offsets[i];
    cl_mem csr = NULL;
    if (narrow)
        csr = selftest_array(t, f, narrow, r->num_segments * sizeof *narrow);
    else
        family_note(f, "no memory for %zu offsets", r->num_segments);
    free(narrow);
    return csr;
}

/* Sorts in place; values are given, or made by the sort. */
static bool sort_on_device(const selftest *t, family *f, xl_sort *plan, sorting *r)
{
    const bool made = r->d->value == XL_SORT_INDICES;
    r->keys = selftest_array(t, f, r->in, r->bytes);
    if (r->d->value)
        r->extra = selftest_array(t, f, made ? NULL : r->values, r->value_bytes);
    if (r->num_segments)
        r->csr = make_csr(t, f, r);
    const xl_view k = xl_view_of(r->keys, 0), v = xl_view_of(r->extra, 0);
    const xl_sort_args args = {.n = r->n,
                               .keys_in = k,
                               .values_in = made ? xl_no_view() : v,
                               .keys_out = k,
                               .values_out = v,
                               .segments = xl_view_n(r->csr, 0, r->num_segments)};
    return family_passed(t, f, xl_sort_enqueue(plan, t->s.queue, &args, 0, NULL, NULL), "sort",
                         r->n) &&
           selftest_read(t, f, r->keys, r->bytes, r->got) &&
           (!r->d->value || selftest_read(t, f, r->extra, r->value_bytes, r->values));
}

/* ---- whole arrays ---- */

enum { MAX_SORT = 65537 };
static const size_t sort_sizes[] = {0,   1,   2,   3,    31,   32,   33,    63,      65,
                                    255, 256, 257, 1000, 4096, 4097, 16385, MAX_SORT};

/* Sorted keys as the reference has them; values a permutation that leads from
 * each key to where it came from. */
static void compare_whole(family *f, const sorting *r)
{
    const xl_sort_desc *d = r->d;
    const size_t size = xl_type_size((xl_type)d->key), n = r->n;
    const uint32_t *values = r->values;
    bool *seen = calloc(n + 1, sizeof *seen), good = seen != NULL;
    const char *order = d->order ? "descending" : "ascending";
    for (size_t i = 0; good && i < n; ++i) {
        good = selftest_same((xl_type)d->key, r->got + i * size, r->want + i * size);
        if (good && d->value)
            good = values[i] < n && !seen[values[i]] &&
                   memcmp(r->got + i * size, r->in + values[i] * size, size) == 0;
        if (good && d->value)
            seen[values[i]] = true;
        if (!good)
            family_note(f, "%s, n %zu: element %zu is wrong", order, n, i);
    }
    free(seen);
}

/* ---- each segment by itself ---- */

static const size_t segmented_sizes[] = {0, 1, 33, 257, 4097, MAX_SORT};
/* Segments have fewer keys than that; with 0 one has all. */
static const size_t limits[] = {0, 4, 71, 9001};

/* The first segment may begin after the array does; some are empty; the last ends with the array.
 */
static void cut(sorting *r, size_t limit)
{
    uint64_t state = r->n + limit, at = 0;
    r->num_segments = 0;
    do {
        if (limit)
            at += selftest_random(&state) % limit;
        r->offsets[r->num_segments++] = at < r->n ? at : r->n;
    } while (limit && at < r->n && r->num_segments <= r->n);
    if (r->num_segments > 1 && selftest_random(&state) % 2)
        --r->num_segments; /* the last one, where it is kept, is empty */
}

/* Equal keys stay in order, so that nothing is left open. */
static void compare_segments(family *f, const sorting *r)
{
    const xl_type key = (xl_type)r->d->key;
    const size_t size = xl_type_size(key);
    for (size_t i = 0; i < r->n; ++i) {
        bool good = selftest_same(key, r->got + i * size, r->want + i * size);
        if (r->d->value)
            good = good && r->values[i] == r->want_values[i];
        if (!good) {
            family_note(f, "n %zu, %zu segments, %s offsets: element %zu is wrong", r->n,
                        r->num_segments, xl_type_name((xl_type)r->d->segment_type), i);
            return;
        }
    }
}

/* ---- plans ---- */

/* `limit`: of segments, where the descriptor has them. */
static void check(const selftest *t, family *f, xl_sort *plan, const xl_sort_desc *d, size_t n,
                  size_t limit)
{
    const xl_type key = (xl_type)d->key;
    const bool descending = d->order == XL_DESCENDING;
    sorting r;
    ++f->cases;
    if (!sorting_make(f, d, n, &r))
        goto done;
    if (d->segments)
        cut(&r, limit);
    if (!(d->segments ? ref_sort_segments(key, descending, n, r.offsets, r.num_segments, r.want,
                                          r.want_values)
                      : ref_sort(key, descending, n, r.want, NULL)))
        family_note(f, "no memory for %zu keys", n);
    else if (sort_on_device(t, f, plan, &r))
        (d->segments ? compare_segments : compare_whole)(f, &r);
done:
    sorting_free(&r);
}

/* False: the device cannot do it. */
static bool check_plan(const selftest *t, family *f, const xl_sort_desc *d)
{
    xl_sort *plan = NULL;
    if (!family_passed(t, f, xl_sort_create(t->s.ctx, d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return !f->unsupported;
    }
    for (size_t i = 0; !d->segments && i < TOOL_COUNT(sort_sizes); ++i)
        check(t, f, plan, d, sort_sizes[i], 0);
    for (size_t i = 0; d->segments && i < TOOL_COUNT(segmented_sizes); ++i)
        for (size_t k = 0; k < TOOL_COUNT(limits); ++k)
            check(t, f, plan, d, segmented_sizes[i], limits[k]);
    xl_sort_destroy(plan);
    return true;
}

static xl_sort_desc desc_of(xl_type key, uint32_t value, xl_sort_order order)
{
    xl_sort_desc d;
    xl_sort_desc_init(&d);
    d.key = key;
    d.value = value;
    d.order = order;
    return d;
}

void selftest_sorts(selftest *t)
{
    static const xl_type keys[] = {XL_U32, XL_I32, XL_U64, XL_F32};
    static const xl_type values[] = {XL_NONE, XL_U32};
    for (size_t i = 0; i < 2 * TOOL_COUNT(keys) * TOOL_COUNT(values); ++i) {
        const bool radix = i >= TOOL_COUNT(keys) * TOOL_COUNT(values);
        const xl_sort_algorithm algorithm = radix ? XL_SORT_RADIX : XL_SORT_BITONIC;
        xl_type key = keys[i / 2 % TOOL_COUNT(keys)], value = values[i % 2];
        family f;
        if (!family_begin(t, &f, "%s sort %s%s", radix ? "radix" : "bitonic", xl_type_name(key),
                          value ? " with u32" : ""))
            continue;
        xl_sort_desc up = desc_of(key, value, XL_ASCENDING);
        xl_sort_desc down = desc_of(key, value, XL_DESCENDING);
        up.algorithm = down.algorithm = algorithm;
        if (check_plan(t, &f, &up))
            (void)check_plan(t, &f, &down);
        family_end(t, &f);
    }
}

void selftest_segmented_sorts(selftest *t)
{
    static const xl_type keys[] = {XL_U32, XL_F32, XL_U64};
    static const uint32_t values[] = {XL_NONE, XL_SORT_INDICES};
    for (size_t i = 0; i < TOOL_COUNT(keys) * TOOL_COUNT(values); ++i) {
        const xl_type key = keys[i / 2];
        const uint32_t value = values[i % 2];
        family f;
        if (!family_begin(t, &f, "segmented sort %s%s", xl_type_name(key),
                          value ? " with indices" : ""))
            continue;
        xl_sort_desc up = desc_of(key, value, XL_ASCENDING);
        xl_sort_desc down = desc_of(key, value, XL_DESCENDING);
        up.segments = down.segments = XL_SEGMENTS_OFFSETS;
        up.segment_type = XL_U32;
        down.segment_type = XL_U64;
        if (check_plan(t, &f, &up))
            (void)check_plan(t, &f, &down);
        family_end(t, &f);
    }
}

/* SPDX-License-Identifier: MIT
 * What tests of selections share. */
#include "topk_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- input --------------------------------------------------------------- */

static const char *const pattern_names[TOPK_PATTERNS + 1] = {"random",    "rising",  "falling",
                                                             "equal",     "one bit", "few distinct",
                                                             "best last", "special", "zeros"};

const xl_type topk_types[] = {XL_I8,  XL_U8,  XL_I16, XL_U16, XL_I32, XL_U32,
                              XL_I64, XL_U64, XL_F16, XL_F32, XL_F64};

/* The highest bytes of -0, +0, denormals, infinities, NaN of both signs and extremes, of f16, f32
 * and f64 alike. */
static const uint64_t special[] = {
    0x8000000000000000u, 0x0000000000000000u, 0x0000000000000001u, 0x8000000000000001u,
    0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000000u, 0xfff8000000000000u,
    0x7f80000000000000u, 0xff80000000000000u, 0x7f80000100000000u, 0xff80000100000000u,
    0x7c00000000000000u, 0xfc00000000000000u, 0x7c01000000000000u, 0xfc01000000000000u,
    0x7fffffffffffffffu, 0xffffffffffffffffu, 0x3f80000000000000u, 0xbf80000000000000u};

/* A key in the highest bits of 64. */
static uint64_t key_of(topk_pattern p, size_t i, size_t n, size_t bits, xlt_random *random)
{
    switch (p) {
    case TOPK_RISING:
        return (uint64_t)i << (64 - bits);
    case TOPK_FALLING:
        return (uint64_t)(n - 1 - i) << (64 - bits);
    case TOPK_ALL_EQUAL:
        return 0x3f81234512345678u;
    case TOPK_ONE_BIT:
        return 0x3f00000000000000u | (xlt_next(random) >> 63) << (64 - bits);
    case TOPK_FEW_DISTINCT:
        return (uint64_t)xlt_below(random, 7) * 0x2468135711223344u;
    case TOPK_LATE_BEST: /* most share the digits above the last, the best stand at the end */
        return 0x4012345678000000u + ((uint64_t)(i + 5 >= n ? 200 + i % 5 : i % 50) << (64 - bits));
    case TOPK_ZEROS: /* or the numbers beside them, or anything */
        return (uint64_t)xlt_below(random, 2) << 63 |
               (xlt_below(random, 8) > 5 ? (uint64_t)1 << (64 - bits) : 0) |
               (xlt_below(random, 40) == 0 ? xlt_next(random) : 0);
    case TOPK_SPECIAL:
        return special[xlt_below(random, sizeof special / sizeof special[0])];
    default:
        return xlt_next(random);
    }
}

void topk_fill(void *keys, topk_pattern p, size_t size, size_t n)
{
    xlt_random random = {1 + 77 * n + p};
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = key_of(p, i, n, 8 * size, &random) >> (64 - 8 * size);
        const uint8_t k8 = (uint8_t)key;
        const uint16_t k16 = (uint16_t)key;
        const uint32_t k32 = (uint32_t)key;
        const void *from = size == 1   ? (const void *)&k8
                           : size == 2 ? (const void *)&k16
                           : size == 4 ? (const void *)&k32
                                       : (const void *)&key;
        memcpy((char *)keys + i * size, from, size);
    }
}

void *topk_ranked(const xl_topk_desc *desc, size_t n, const void *keys)
{
    const size_t bytes = n * xl_type_size((xl_type)desc->key);
    void *copy = topk_room(bytes);
    memcpy(copy, keys, bytes);
    if (desc->equal_zeros)
        ref_equal_zeros((xl_type)desc->key, n, copy);
    return copy;
}

void *topk_room(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* ---- one selection, checked ----------------------------------------------- */

static const char *describe(const topk_trial *t)
{
    static char text[250];
    snprintf(text, sizeof text,
             "%s %s keys, %s values, %s, n %zu, k %zu, %s, outputs %u, offset "
             "%zu%s, %s",
             t->desc->largest ? "largest" : "smallest", xl_type_name((xl_type)t->desc->key),
             t->desc->value == XL_NONE ? "no" : "u32", t->desc->sorted ? "sorted" : "as they stand",
             t->n, t->k, pattern_names[t->pattern], t->outputs, t->offset,
             t->own_scratch ? ", plan's scratch" : "", t->device);
    return text;
}

static size_t results_of(const topk_trial *t)
{
    return t->k < t->n ? t->k : t->n;
}

/* The buffers of a trial. */
enum { KEYS_IN, VALUES_IN, KEYS_OUT, VALUES_OUT, INDICES_OUT, COUNT_OUT, SCRATCH };
static const char *const buffer_names[TOPK_BUFFERS] = {
    "keys_in", "values_in", "keys_out", "values_out", "indices_out", "count_out", "scratch"};

topk_arrays topk_arrays_make(const topk_trial *t, const void *keys, const uint32_t *values)
{
    const size_t size = xl_type_size((xl_type)t->desc->key), results = results_of(t);
    const bool has_values = t->desc->value != XL_NONE;
    size_t bytes, alignment;
    topk_arrays a = {{{0}}};
    a.at[KEYS_IN] = xlt_buffer_make(keys, t->n, size, t->offset);
    if (has_values && (t->outputs & TOPK_VALUES || t->offset % 2))
        a.at[VALUES_IN] = xlt_buffer_make(values, t->n, 4, t->offset + 1);
    if (t->outputs & TOPK_KEYS)
        a.at[KEYS_OUT] = xlt_buffer_make(NULL, results, size, t->offset + 3);
    if (t->outputs & TOPK_VALUES && has_values)
        a.at[VALUES_OUT] = xlt_buffer_make(NULL, results, 4, t->offset);
    if (t->outputs & TOPK_INDICES)
        a.at[INDICES_OUT] = xlt_buffer_make(NULL, results, 4, t->offset + 2);
    if (t->outputs & TOPK_COUNT)
        a.at[COUNT_OUT] = xlt_buffer_make(NULL, 1, 8, t->offset);
    XLT_OK(xl_topk_scratch(t->plan, t->n, t->k, &bytes, &alignment));
    if (!t->own_scratch)
        a.at[SCRATCH] = xlt_scratch_make(bytes, alignment);
    return a;
}

void topk_arrays_free(topk_arrays *a)
{
    for (size_t i = 0; i < TOPK_BUFFERS; ++i)
        if (a->at[i].mem)
            xlt_buffer_free(&a->at[i]);
}

static xl_view view(const topk_arrays *a, int which)
{
    return xlt_view(&a->at[which]);
}

xl_status topk_enqueue(const topk_trial *t, const topk_arrays *a, cl_uint num_waits,
                       const cl_event *waits, cl_event *event)
{
    return xl_topk_enqueue(t->plan, t->queue,
                           &(xl_topk_args){.n = t->n,
                                           .k = t->k,
                                           .keys_in = view(a, KEYS_IN),
                                           .values_in = view(a, VALUES_IN),
                                           .keys_out = view(a, KEYS_OUT),
                                           .values_out = view(a, VALUES_OUT),
                                           .indices_out = view(a, INDICES_OUT),
                                           .count_out = view(a, COUNT_OUT),
                                           .scratch = view(a, SCRATCH)},
                           num_waits, waits, event);
}

/* What stands in a buffer must be the elements that `from` names of `all`; NULL: these are meant
 * themselves. */
static void check_array(const topk_trial *t, const topk_arrays *a, int which, const void *all,
                        const uint32_t *from)
{
    const xlt_buffer *b = &a->at[which];
    if (!b->mem)
        return;
    unsigned char *now = topk_room(b->n * b->size);
    xlt_read(b, now);
    for (size_t i = 0; i < b->n; ++i)
        if (memcmp(now + i * b->size, (const char *)all + (from ? from[i] : i) * b->size,
                   b->size) != 0)
            XLT_FAIL("%s: %s is wrong at %zu", describe(t), buffer_names[which], i);
    xlt_check_guards(b, buffer_names[which]);
    free(now);
}

topk_host topk_host_make(const topk_trial *t)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    topk_host h = {topk_room(t->n * size), topk_room(4 * t->n), topk_room(4 * t->n)};
    topk_fill(h.keys, t->pattern, size, t->n);
    if (t->fill)
        t->fill(t, h.keys);
    for (size_t i = 0; i < t->n; ++i)
        h.values[i] = (uint32_t)i * 2654435761u;
    void *ranked = topk_ranked(t->desc, t->n, h.keys);
    assert_true(ref_topk((xl_type)t->desc->key, t->desc->largest != 0, t->desc->sorted != 0, t->n,
                         t->k, ranked, h.wanted));
    free(ranked);
    return h;
}

void topk_host_free(topk_host *h)
{
    free(h->keys);
    free(h->values);
    free(h->wanted);
}

void topk_check_result(const topk_trial *t, const topk_arrays *a, const topk_host *h)
{
    const uint64_t count = results_of(t);
    check_array(t, a, KEYS_OUT, h->keys, h->wanted);
    check_array(t, a, VALUES_OUT, h->values, h->wanted);
    check_array(t, a, INDICES_OUT, h->wanted, NULL);
    check_array(t, a, COUNT_OUT, &count, NULL);
    check_array(t, a, KEYS_IN, h->keys, NULL);
    check_array(t, a, VALUES_IN, h->values, NULL);
    if (a->at[SCRATCH].mem)
        xlt_check_guards(&a->at[SCRATCH], "scratch");
}

void topk_check(const topk_trial *t)
{
    cl_event event = NULL;
    topk_host h = topk_host_make(t);
    topk_arrays a = topk_arrays_make(t, h.keys, h.values);
    const xl_status status = topk_enqueue(t, &a, 0, NULL, &event);
    if (status != XL_SUCCESS)
        XLT_FAIL("%s: %.500s", describe(t), xl_context_error(xlt_context()));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    topk_check_result(t, &a, &h);
    topk_arrays_free(&a);
    topk_host_free(&h);
}

/* ---- plans ---------------------------------------------------------------- */

/* ---- plans ---------------------------------------------------------------- */

xl_topk_desc topk_desc(xl_type key, xl_type value, bool largest, bool sorted)
{
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.key = key;
    desc.value = value;
    desc.largest = largest;
    desc.sorted = sorted;
    return desc;
}

topk_trial topk_trial_of(const xl_topk_desc *desc, xl_topk *plan, size_t n, size_t k,
                         topk_pattern p)
{
    return (topk_trial){.device = "device as it is",
                        .desc = desc,
                        .plan = plan,
                        .queue = xlt_queue(),
                        .n = n,
                        .k = k,
                        .pattern = p,
                        .outputs = TOPK_ALL};
}

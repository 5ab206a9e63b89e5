/* SPDX-License-Identifier: MIT
 * Support of the tests of sorts. */
#include "sort_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ------------------------------------------------------------------ */

const xl_type sort_key_types[SORT_KEY_TYPES] = {XL_U32, XL_F16, XL_I64, XL_U8,  XL_F32, XL_I16,
                                                XL_F64, XL_I8,  XL_U64, XL_U16, XL_I32};

static const char *const pattern_names[SORT_PATTERNS] = {
    "random", "rising", "falling", "equal", "one bit", "few distinct", "all ones", "special"};

/* Keys that do not fall where i rises, of all signs. Halves have no more than these numbers. */
static uint64_t ordinal(xl_type type, size_t i, size_t n)
{
    enum { HALVES = 0x7c01, MIDDLE = 1000 };
    const unsigned bits = (unsigned)(8 * xl_type_size(type));
    const uint64_t half = (uint64_t)i * 2 * HALVES / (n + 1);
    const float single = (float)i - MIDDLE;
    const double wide = (double)i - MIDDLE;
    uint64_t word = 0;
    switch (type) {
    case XL_F16:
        return half < HALVES ? 0x8000u | (HALVES - 1 - half) : half - HALVES;
    case XL_F32: {
        uint32_t narrow;
        memcpy(&narrow, &single, sizeof narrow);
        return narrow;
    }
    case XL_F64:
        memcpy(&word, &wide, sizeof word);
        return word;
    case XL_U64:
        return (uint64_t)i << 20;
    case XL_I64:
        return ((uint64_t)i - MIDDLE) << 20;
    case XL_U32:
        return i;
    case XL_I32:
        return (uint64_t)i - MIDDLE;
    default: /* few bits: the signed numbers begin with the lowest */
        word = ((uint64_t)i << bits) / (n + 1);
        return type == XL_I8 || type == XL_I16 ? word ^ (uint64_t)1 << (bits - 1) : word;
    }
}

/* Bits of numbers at the borders of what a floating-point type has, or would have with so many
 * bits; each with both signs. */
static uint64_t special(xl_type type, xlt_random *random)
{
    static const unsigned char mantissas[] = {[1] = 3, [2] = 10, [4] = 23, [8] = 52};
    const size_t size = xl_type_size(type);
    const uint64_t sign = (uint64_t)1 << (8 * size - 1), least = (uint64_t)1 << mantissas[size];
    const uint64_t infinity = sign - least, one = infinity / 2 & ~(least - 1);
    const uint64_t numbers[] = {0,
                                1,
                                least - 1,
                                least,
                                one,
                                infinity - 1,
                                infinity,
                                infinity + 1,
                                infinity + 2,
                                infinity + least / 2,
                                sign - 2,
                                sign - 1};
    const uint32_t k = xlt_below(random, 2 * sizeof numbers / sizeof numbers[0]);
    return numbers[k / 2] | (k % 2 ? sign : 0);
}

static uint64_t key_of(sort_pattern p, xl_type type, size_t i, size_t n, xlt_random *random)
{
    switch (p) {
    case SORT_RISING:
        return ordinal(type, i, n);
    case SORT_FALLING:
        return ordinal(type, n - 1 - i, n);
    case SORT_ALL_EQUAL:
        return UINT64_C(0x3f8123453f812345);
    case SORT_ONE_BIT:
        return UINT64_C(0x3f0000003f000000) |
               xlt_next(random) >> 63 << (4 * xl_type_size(type) + 1);
    case SORT_FEW_DISTINCT:
        return xlt_below(random, 7) * UINT64_C(0x2468135724681357);
    case SORT_ALL_ONES:
        return UINT64_MAX;
    case SORT_SPECIAL:
        return special(type, random);
    default:
        return xlt_next(random);
    }
}

void sort_fill(void *keys, sort_pattern p, xl_type type, size_t n, uint64_t seed)
{
    xlt_random random = {seed + 77 * n};
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = key_of(p, type, i, n, &random);
        switch (xl_type_size(type)) {
        case 1:
            ((uint8_t *)keys)[i] = (uint8_t)key;
            break;
        case 2:
            ((uint16_t *)keys)[i] = (uint16_t)key;
            break;
        case 4:
            ((uint32_t *)keys)[i] = (uint32_t)key;
            break;
        default:
            ((uint64_t *)keys)[i] = key;
        }
    }
}

/* ---- plans ------------------------------------------------------------------ */

xl_sort_desc sort_desc(xl_type key, xl_type value, xl_sort_order order, xl_sort_algorithm algorithm)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = key;
    desc.value = value;
    desc.order = order;
    desc.algorithm = algorithm;
    return desc;
}

xl_sort_desc sort_desc_of_form(size_t k, size_t form, xl_sort_algorithm algorithm)
{
    return sort_desc(sort_key_types[k], form % 2 ? XL_NONE : XL_U32,
                     form / 2 % 2 ? XL_DESCENDING : XL_ASCENDING, algorithm);
}

xl_sort *sort_plan(xl_context *ctx, const xl_sort_desc *desc, const char *what)
{
    xl_sort *plan;
    ok(ctx, xl_sort_create(ctx, desc, &plan), what);
    return plan;
}

xl_sort *sort_plan_by_digits(xl_context *ctx, const xl_sort_desc *desc, const char *what)
{
    xl_sort *plan;
    const xl_status status = xl_sort_create(ctx, desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED && strstr(xl_context_error(ctx), "radix sort"))
        return NULL;
    ok(ctx, status, what);
    return plan;
}

bool sort_takes_sweeps(void)
{
    const xl_tunable tunables[] = {{"sort.shape", 0}, {"sort.sweep_from", 1}};
    xl_sort_desc desc = sort_desc(XL_U32, XL_NONE, XL_ASCENDING, XL_SORT_AUTO);
    xl_plan_info info;
    desc.tunables = tunables;
    desc.num_tunables = 2;
    xl_sort *plan = sort_plan(xlt_context(), &desc, "auto");
    XLT_OK(xl_sort_info(plan, 1, &info));
    xl_sort_destroy(plan);
    return strcmp(info.algorithm, "radix") == 0;
}

size_t sort_value_bytes(uint32_t value)
{
    return value == XL_SORT_INDICES   ? 4
           : value > XL_SORT_BYTES(0) ? value - XL_SORT_BYTES(0)
                                      : xl_type_size((xl_type)value);
}

size_t sort_tile(const xl_sort *plan, size_t n)
{
    xl_plan_info info;
    XLT_OK(xl_sort_info(plan, n, &info));
    return info.tile_elements;
}

/* ---- one sort, checked ------------------------------------------------------- */

static const char *describe(const sort_trial *t)
{
    static char text[300];
    snprintf(text, sizeof text, "%s keys, %s values, %s, n %zu, %s, offset %zu%s%s%s%s, %s",
             xl_type_name((xl_type)t->desc->key), t->desc->value == XL_NONE ? "no" : "u32",
             t->desc->order == XL_DESCENDING ? "descending" : "ascending", t->n,
             pattern_names[t->pattern], t->offset, t->in_place ? ", in place" : "",
             t->keys_stay ? ", keys in place" : "", t->values_stay ? ", values in place" : "",
             t->own_scratch ? ", plan's scratch" : "", t->what);
    return text;
}

sort_trial sort_trial_of(const xl_sort_desc *desc, xl_sort *plan, size_t n, sort_pattern p)
{
    return (sort_trial){
        .what = "as it is", .desc = desc, .plan = plan, .queue = xlt_queue(), .n = n, .pattern = p};
}

void sort_trial_place(sort_trial *t, size_t i)
{
    const bool pairs = t->desc->value != XL_NONE;
    t->in_place = i % 4 == 1;
    t->keys_stay = pairs && i % 4 == 2;
    t->values_stay = pairs && i % 4 == 3;
}

static bool keys_move(const sort_trial *t)
{
    return !t->in_place && !t->keys_stay;
}

static bool values_move(const sort_trial *t)
{
    return !t->in_place && !t->values_stay;
}

/* Each value must name the element its key came from, and each element once; of equal keys in the
 * order of before, where the sort is stable. */
static void check_values(const sort_trial *t, const void *keys_before, const void *keys_after,
                         const uint32_t *values)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    const char *const before = keys_before, *const after = keys_after;
    unsigned char *seen = calloc(t->n + 1, 1);
    assert_non_null(seen);
    for (size_t i = 0; i < t->n; ++i) {
        if (values[i] >= t->n || seen[values[i]]++)
            XLT_FAIL("%s: value %u at %zu is not there or there twice", describe(t), values[i], i);
        if (memcmp(before + values[i] * size, after + i * size, size) != 0)
            XLT_FAIL("%s: value %u at %zu has lost its key", describe(t), values[i], i);
        if ((t->desc->algorithm == XL_SORT_RADIX || t->desc->stable) && i > 0 &&
            values[i - 1] > values[i] &&
            memcmp(after + (i - 1) * size, after + i * size, size) == 0)
            XLT_FAIL("%s: equal keys have changed places at %zu", describe(t), i);
    }
    free(seen);
}

static void check_keys(const sort_trial *t, const void *got, const void *wanted)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    if (memcmp(got, wanted, t->n * size) == 0)
        return;
    for (size_t i = 0; i < t->n; ++i)
        if (memcmp((const char *)got + i * size, (const char *)wanted + i * size, size) != 0)
            XLT_FAIL("%s: wrong key at %zu", describe(t), i);
}

void sort_check_same(const sort_trial *t, const xlt_buffer *buffer, const void *before,
                     const char *name)
{
    void *now = bytes_for(buffer->n, buffer->size);
    xlt_read(buffer, now);
    if (memcmp(now, before, buffer->n * buffer->size) != 0)
        XLT_FAIL("%s: %s was changed", describe(t), name);
    free(now);
}

void sort_check_unchanged(const xlt_buffer *keys_in, const void *before)
{
    void *now = bytes_for(keys_in->n, keys_in->size);
    xlt_read(keys_in, now);
    if (memcmp(now, before, keys_in->n * keys_in->size) != 0)
        XLT_FAIL("keys_in: %zu keys were changed", keys_in->n);
    xlt_check_guards(keys_in, "keys_in");
    free(now);
}

sort_arrays sort_arrays_make(const sort_trial *t, const void *keys, const uint32_t *values)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    size_t bytes, alignment;
    sort_arrays a = {0};
    a.keys_in = a.keys_out = xlt_buffer_make(keys, t->n, size, t->offset);
    if (keys_move(t))
        a.keys_out = xlt_buffer_make(NULL, t->n, size, t->offset + 3);
    if (t->desc->value != XL_NONE) {
        a.values_in = a.values_out = xlt_buffer_make(values, t->n, 4, t->offset + 1);
        if (values_move(t))
            a.values_out = xlt_buffer_make(NULL, t->n, 4, t->offset);
    }
    XLT_OK(xl_sort_scratch(t->plan, t->n, &bytes, &alignment));
    if (!t->own_scratch && !t->scratch)
        a.scratch = xlt_scratch_make(bytes, alignment);
    return a;
}

void sort_arrays_free(sort_arrays *a)
{
    if (a->keys_out.mem != a->keys_in.mem)
        xlt_buffer_free(&a->keys_out);
    if (a->values_out.mem != a->values_in.mem)
        xlt_buffer_free(&a->values_out);
    xlt_buffer_free(&a->keys_in);
    xlt_buffer_free(&a->values_in);
    xlt_buffer_free(&a->scratch);
}

xl_status sort_enqueue(const sort_trial *t, const sort_arrays *a, cl_uint num_waits,
                       const cl_event *waits, cl_event *event)
{
    return xl_sort_enqueue(
        t->plan, t->queue,
        &(xl_sort_args){.n = t->n,
                        .keys_in = xlt_view(&a->keys_in),
                        .values_in = t->desc->value == XL_SORT_INDICES ? xl_no_view()
                                                                       : xlt_view(&a->values_in),
                        .keys_out = xlt_view(&a->keys_out),
                        .values_out = xlt_view(&a->values_out),
                        .scratch = xlt_view(t->scratch ? t->scratch : &a->scratch)},
        num_waits, waits, event);
}

void sort_check_result(const sort_trial *t, const sort_arrays *a, const void *keys,
                       const uint32_t *values, const void *wanted)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    void *keys_after = bytes_for(t->n, size);
    uint32_t *values_after = bytes_for(t->n, 4);
    xlt_read(&a->keys_out, keys_after);
    check_keys(t, keys_after, wanted);
    xlt_check_guards(&a->keys_out, "keys_out");
    if (t->desc->value != XL_NONE) {
        xlt_read(&a->values_out, values_after);
        check_values(t, keys, keys_after, values_after);
        xlt_check_guards(&a->values_out, "values_out");
        if (values_move(t))
            sort_check_same(t, &a->values_in, values, "values_in");
    }
    if (keys_move(t))
        sort_check_same(t, &a->keys_in, keys, "keys_in");
    if (a->scratch.mem)
        xlt_check_guards(&a->scratch, "scratch");
    if (t->scratch)
        xlt_check_guards(t->scratch, "scratch");
    free(keys_after);
    free(values_after);
}

uint32_t *sort_numbers(size_t n)
{
    uint32_t *numbers = bytes_for(n, sizeof *numbers);
    for (size_t i = 0; i < n; ++i)
        numbers[i] = (uint32_t)i;
    return numbers;
}

void *sort_wanted(const sort_trial *t, const void *keys)
{
    const xl_type type = (xl_type)t->desc->key;
    void *wanted = bytes_for(t->n, xl_type_size(type));
    memcpy(wanted, keys, t->n * xl_type_size(type));
    assert_true(ref_sort(type, t->desc->order == XL_DESCENDING, t->n, wanted, NULL));
    return wanted;
}

void sort_check(const sort_trial *t)
{
    const xl_type type = (xl_type)t->desc->key;
    void *keys = bytes_for(t->n, xl_type_size(type));
    uint32_t *values = sort_numbers(t->n);
    cl_event event = NULL;
    sort_fill(keys, t->pattern, type, t->n, 1);
    void *wanted = sort_wanted(t, keys);
    sort_arrays a = sort_arrays_make(t, keys, values);
    const xl_status status = sort_enqueue(t, &a, 0, NULL, &event);
    if (status != XL_SUCCESS)
        XLT_FAIL("%s: %s", describe(t), xl_status_name(status));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    sort_check_result(t, &a, keys, values, wanted);
    sort_arrays_free(&a);
    free(keys);
    free(values);
    free(wanted);
}

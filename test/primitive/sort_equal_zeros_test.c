/* SPDX-License-Identifier: MIT
 * Sorts in which -0 and +0 are equal: keys keep their signs and stay in order, by every algorithm,
 * in both orders, with values, places or neither, or these alone, in place and apart, whole and in
 * segments. */
#include "sort_trial.h"
#include "xlt_misuse.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ------------------------------------------------------------------------ */

/* So many in a hundred are zeros, of either sign; others are few numbers about them, or anything.
 */
static void fill(void *keys, xl_type type, size_t n, uint32_t zeros, uint64_t seed)
{
    const size_t size = xl_type_size(type);
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    xlt_random random = {seed * 77 + 1};
    for (size_t i = 0; i < n; ++i) {
        uint64_t key = xlt_below(&random, 2) * sign;
        if (xlt_below(&random, 100) >= zeros)
            key = xlt_below(&random, 4) ? key | xlt_below(&random, 3) : xlt_next(&random);
        const uint16_t half = (uint16_t)key;
        const uint32_t single = (uint32_t)key;
        memcpy((char *)keys + i * size,
               size == 2   ? (const void *)&half
               : size == 4 ? (const void *)&single
                           : (const void *)&key,
               size);
    }
}

typedef struct keys_of {
    const unsigned char *keys;
    xl_type type;
    bool descending;
} keys_of;

static bool comes_before(const void *user, size_t a, size_t b)
{
    const keys_of *k = user;
    const size_t size = xl_type_size(k->type);
    const uint64_t x = ref_key_rank_equal_zeros(k->type, k->keys + a * size);
    const uint64_t y = ref_key_rank_equal_zeros(k->type, k->keys + b * size);
    return k->descending ? x > y : x < y;
}

/* ---- one sort, checked ------------------------------------------------------------- */

typedef struct trial {
    const char *what;
    const xl_sort_desc *desc;
    xl_sort *plan;
    size_t n, num_offsets;
    uint32_t offsets[40], zeros;
    bool in_place, own_scratch;
    uint64_t seed;
} trial;

static void find_places(const trial *t, const unsigned char *keys, size_t *places)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    const bool whole = t->num_offsets == 0;
    for (size_t i = 0; i < t->n; ++i)
        places[i] = i;
    for (size_t s = 0; s < (whole ? 1 : t->num_offsets); ++s) {
        const size_t begin = whole ? 0 : t->offsets[s];
        const size_t end = s + 1 < t->num_offsets ? t->offsets[s + 1] : t->n;
        const keys_of user = {keys + begin * size, (xl_type)t->desc->key,
                              t->desc->order == XL_DESCENDING};
        assert_true(ref_sort_by(end - begin, places + begin, comes_before, &user));
        for (size_t i = begin; i < end; ++i)
            places[i] += begin;
    }
}

static void check_moved(const trial *t, const xlt_buffer *out, const void *from,
                        const size_t *places, const char *name)
{
    unsigned char *got = bytes_for(t->n, out->size);
    xlt_read(out, got);
    for (size_t i = 0; i < t->n; ++i)
        if (memcmp(got + i * out->size, (const unsigned char *)from + places[i] * out->size,
                   out->size) != 0)
            XLT_FAIL(
                "%s keys, value %u, order %u, algorithm %u, n %zu, %zu segments%s, seed %u, %s: "
                "%s differs at %zu",
                xl_type_name((xl_type)t->desc->key), (unsigned)t->desc->value,
                (unsigned)t->desc->order, (unsigned)t->desc->algorithm, t->n, t->num_offsets,
                t->in_place ? ", in place" : "", (unsigned)t->seed, t->what, name, i);
    xlt_check_guards(out, name);
    free(got);
}

static void check(const trial *t)
{
    const size_t size = xl_type_size((xl_type)t->desc->key), n = t->n, shift = t->seed % 4;
    const bool made = t->desc->value == XL_SORT_INDICES, has = t->desc->value != XL_NONE;
    unsigned char *keys = bytes_for(n, size);
    uint32_t *values = sort_numbers(n);
    size_t *places = bytes_for(n, sizeof *places), bytes, alignment;
    xlt_buffer values_in = {0}, values_out = {0}, scratch = {0}, csr = {0};
    fill(keys, (xl_type)t->desc->key, n, t->zeros, t->seed);
    xlt_buffer in = xlt_buffer_make(keys, n, size, shift);
    const bool alone = t->desc->values_only != 0;
    xlt_buffer out = t->in_place || alone ? in : xlt_buffer_make(NULL, n, size, shift + 1);
    if (has && !made)
        values_in = values_out = xlt_buffer_make(values, n, 4, shift);
    if (has && (made || !t->in_place))
        values_out = xlt_buffer_make(NULL, n, 4, 1);
    XLT_OK(xl_sort_scratch(t->plan, n, &bytes, &alignment));
    if (!t->own_scratch)
        scratch = xlt_scratch_make(bytes, alignment);
    if (t->num_offsets > 0)
        csr = xlt_buffer_make(t->offsets, t->num_offsets, 4, shift);
    const xl_sort_args args = {
        .n = n,
        .keys_in = xlt_view(&in),
        .values_in = xlt_view(&values_in),
        .keys_out = alone ? xl_no_view() : xlt_view(&out),
        .values_out = xlt_view(&values_out),
        .scratch = xlt_view(&scratch),
        .segments = xl_view_n(csr.mem, csr.mem ? xlt_view(&csr).offset : 0, t->num_offsets)};
    XLT_OK(xl_sort_enqueue(t->plan, xlt_queue(), &args, 0, NULL, NULL));
    if (alone)
        sort_check_unchanged(&in, keys);
    find_places(t, keys, places);
    if (!alone)
        check_moved(t, &out, keys, places, "keys_out");
    if (has)
        check_moved(t, &values_out, values, places, "values_out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    if (out.mem != in.mem)
        xlt_buffer_free(&out);
    if (values_out.mem != values_in.mem)
        xlt_buffer_free(&values_out);
    xlt_buffer_free(&in);
    xlt_buffer_free(&values_in);
    xlt_buffer_free(&scratch);
    xlt_buffer_free(&csr);
    free(keys);
    free(values);
    free(places);
}

/* ---- plans --------------------------------------------------------------------------- */

static const xl_type types[] = {XL_F32, XL_F64, XL_F16};
static const uint32_t kinds[] = {XL_NONE, XL_SORT_INDICES, XL_U32};
static const xl_sort_algorithm ways[] = {XL_SORT_RADIX, XL_SORT_BITONIC, XL_SORT_AUTO};

static void draw_offsets(trial *t)
{
    xlt_random random = {t->seed + 9};
    size_t at = xlt_below(&random, 20);
    t->num_offsets = 0;
    while (t->num_offsets < 40 && at <= t->n) {
        t->offsets[t->num_offsets++] = (uint32_t)at;
        at += xlt_below(&random, 3) ? xlt_below(&random, 30) : xlt_below(&random, 700);
    }
}

/* The third way is that of segments. */
static void every_way(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t i = 0; i < 27; ++i) {
        const bool has_segments = ways[i % 3] == XL_SORT_AUTO;
        if ((xlt_few_programs() && i % 5 != 0) || (xlt_on_oclgrind() && i % 8 != 0))
            continue;
        xl_sort_desc desc = sort_desc(types[(i + i / 3) % 3], XL_NONE,
                                      i % 2 ? XL_DESCENDING : XL_ASCENDING, ways[i % 3]);
        desc.value = kinds[i / 9];
        desc.equal_zeros = 1;
        desc.values_only = desc.value != XL_NONE && i % 2 == 0;
        desc.segments = has_segments ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
        desc.segment_type = has_segments ? XL_U32 : XL_NONE;
        xl_sort *plan = desc.algorithm == XL_SORT_RADIX
                            ? sort_plan_by_digits(xlt_context(), &desc, "equal zeros")
                            : sort_plan(xlt_context(), &desc, "equal zeros");
        const size_t sizes[] = {0, 1, 2, 3, 64, 1000, 5003, 70001};
        for (size_t s = 0; plan && s < (xlt_on_oclgrind() ? 5u : xlt_small() ? 6u : 8u); ++s)
            for (uint32_t zeros = 0; zeros <= 100; zeros += 20) {
                trial t = {.what = "as built in",
                           .desc = &desc,
                           .plan = plan,
                           .n = sizes[s],
                           .zeros = zeros,
                           .seed = seed++};
                t.in_place = t.seed % 3 == 0 && desc.value != XL_SORT_INDICES;
                t.own_scratch = t.seed % 4 == 0;
                if (has_segments)
                    draw_offsets(&t);
                if (!has_segments || t.n > 20)
                    check(&t);
            }
        xl_sort_destroy(plan);
    }
}

/* Keys of integers have one zero. */
static void other_keys(void **state)
{
    (void)state;
    xl_sort_desc desc = sort_desc(XL_I32, XL_NONE, XL_ASCENDING, XL_SORT_AUTO);
    size_t bytes[2], alignment;
    for (uint32_t i = 0; i < 2; ++i) {
        desc.equal_zeros = i;
        xl_sort *plan = sort_plan(xlt_context(), &desc, "integers");
        XLT_OK(xl_sort_scratch(plan, 1000, &bytes[i], &alignment));
        xl_sort_destroy(plan);
    }
    assert_true(bytes[0] == bytes[1]);
}

static void wrong_descriptors(void **state)
{
    (void)state;
    static const xl_user_comparator less = {"less",
                                            "bool less(float a, float b) { return a < b; }"};
    xl_sort_desc desc = sort_desc(XL_F32, XL_NONE, XL_ASCENDING, XL_SORT_AUTO);
    xl_sort *plan;
    desc.equal_zeros = 1;
    desc.end_bit = 20;
    xlt_refused(xlt_context(), xl_sort_create(xlt_context(), &desc, &plan), XL_ERROR_UNSUPPORTED,
                "desc.equal_zeros: 0, where some bits");
    desc.end_bit = 0;
    desc.comparator = &less;
    xlt_refused(xlt_context(), xl_sort_create(xlt_context(), &desc, &plan), XL_ERROR_UNSUPPORTED,
                "desc.equal_zeros: 0, where there is a comparator");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),
        cmocka_unit_test(other_keys),
        cmocka_unit_test(wrong_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

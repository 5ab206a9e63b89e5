/* SPDX-License-Identifier: MIT
 * Sorts of keys with values of every size and in several arrays, by some bits of the keys, of as
 * many keys as the device says, and for the sake of the values alone; by digits and by comparisons.
 */
#include "sort_trial.h"

#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 1 + XL_SORT_MORE_VALUES };

/* One sort. Arrays are numbered as the descriptor has them; bit 0 of in_place is that of the keys,
 * bit 1 + a that of array a. */
typedef struct trial {
    xl_sort_desc desc;
    sort_pattern pattern;
    size_t n, on_device; /* SIZE_MAX: the device says nothing */
    size_t offset;
    unsigned in_place;
    bool own_scratch;
    const uint32_t *offsets; /* NULL, or where segments begin */
    size_t num_offsets;
} trial;

static bool few(void)
{
    return xlt_few_programs() || xlt_on_oclgrind();
}

static trial trial_of(xl_type key, uint32_t value, xl_sort_algorithm algorithm, size_t n)
{
    trial t = {.n = n, .on_device = SIZE_MAX};
    xl_sort_desc_init(&t.desc);
    t.desc.key = key;
    t.desc.value = value;
    t.desc.algorithm = algorithm;
    return t;
}

static uint32_t value_of(const trial *t, size_t a)
{
    return a == 0 ? t->desc.value : t->desc.more_values[a - 1];
}

/* ---- what is to come out ---- */

/* Keys as numbers in their order: -0 before +0, every NaN behind all else, those with a sign last.
 */
static uint64_t ordinal_of(const trial *t, const void *keys, size_t i)
{
    static const unsigned mantissas[] = {[2] = 10, [4] = 23, [8] = 52};
    const xl_type type = (xl_type)t->desc.key;
    const size_t size = xl_type_size(type);
    const unsigned bits = (unsigned)(8 * size);
    const uint64_t sign = (uint64_t)1 << (bits - 1), ones = sign | (sign - 1);
    const unsigned end = t->desc.end_bit ? t->desc.end_bit : bits;
    uint64_t key = 0;
    for (size_t k = size; k-- > 0;) /* the lowest byte is the first */
        key = key << 8 | ((const unsigned char *)keys)[i * size + k];
    if (type == XL_I8 || type == XL_I16 || type == XL_I32 || type == XL_I64)
        key ^= sign;
    if (type == XL_F16 || type == XL_F32 || type == XL_F64) {
        const uint64_t nans = ((uint64_t)1 << mantissas[size]) - 1; /* there are of each sign */
        key = (key & sign ? ~key & ones : key | sign);
        key = (key - nans) & ones;
    }
    if (t->desc.order == XL_DESCENDING)
        key ^= ones;
    key >>= t->desc.begin_bit;
    return end - t->desc.begin_bit < 64 ? key & (((uint64_t)1 << (end - t->desc.begin_bit)) - 1)
                                        : key;
}

typedef struct place {
    uint64_t segment, ordinal;
    uint32_t at;
} place;

static int compare(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->segment != q->segment)
        return p->segment < q->segment ? -1 : 1;
    if (p->ordinal != q->ordinal)
        return p->ordinal < q->ordinal ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

static place *order_of(const trial *t, const void *keys, size_t n)
{
    place *places = bytes_for(n, sizeof *places);
    for (size_t i = 0, k = 0; i < n; ++i) {
        while (k < t->num_offsets && t->offsets[k] <= i)
            ++k;
        const bool is_in_none = t->offsets && k == 0;
        places[i] = (place){k, is_in_none ? 0 : ordinal_of(t, keys, i), (uint32_t)i};
    }
    qsort(places, n, sizeof *places, compare);
    return places;
}

/* ---- one array ---- */

typedef struct array {
    size_t size;
    unsigned char *before;
    xlt_buffer in, out;
} array;

static array array_make(const trial *t, unsigned number, size_t size)
{
    const bool stays = t->in_place >> number & 1;
    array a = {.size = size, .before = bytes_for(t->n, size)};
    xlt_random random = {number + 5};
    for (size_t i = 0; i < t->n * size; ++i)
        a.before[i] = (unsigned char)(xlt_next(&random) >> 32);
    if (number == 0)
        sort_fill(a.before, t->pattern, (xl_type)t->desc.key, t->n, 3);
    a.in = a.out = xlt_buffer_make(a.before, t->n, size, t->offset + number);
    if (!stays)
        a.out = xlt_buffer_make(NULL, t->n, size, t->offset);
    return a;
}

static void array_free(array *a)
{
    if (a->out.mem != a->in.mem)
        xlt_buffer_free(&a->out);
    xlt_buffer_free(&a->in);
    free(a->before);
}

/* The first m elements are those of the places, or where `made` the places; those behind are as
 * they were. */
static void array_check(const trial *t, const array *a, const place *places, size_t m, bool made,
                        const char *name)
{
    const bool stays = a->out.mem == a->in.mem;
    unsigned char *after = bytes_for(t->n, a->size);
    xlt_read(&a->out, after);
    for (size_t i = 0; i < t->n; ++i) {
        const unsigned char *const got = after + i * a->size;
        if (i < m && made ? memcmp(got, &places[i].at, sizeof places[i].at) != 0
            : i < m       ? memcmp(got, a->before + places[i].at * a->size, a->size) != 0
            : stays       ? memcmp(got, a->before + i * a->size, a->size) != 0
                          : got[0] != 0xa5 || got[a->size - 1] != 0xa5)
            XLT_FAIL("%s keys, algorithm %u, bits %u to %u, n %zu of %zu: %s: wrong at %zu",
                     xl_type_name((xl_type)t->desc.key), (unsigned)t->desc.algorithm,
                     (unsigned)t->desc.begin_bit, (unsigned)t->desc.end_bit, m, t->n, name, i);
    }
    xlt_check_guards(&a->out, name);
    if (!stays) {
        xlt_read(&a->in, after);
        assert_memory_equal(after, a->before, t->n * a->size);
    }
    free(after);
}

/* ---- one sort ---- */

static void check_with(const trial *t, xl_sort *plan)
{
    static const char *const names[] = {"values_out", "more_values_out[0]", "more_values_out[1]",
                                        "more_values_out[2]"};
    const size_t m = t->on_device < t->n ? t->on_device : t->n;
    const uint64_t length = t->on_device;
    size_t bytes, alignment, count = 0;
    array keys = array_make(t, 0, xl_type_size((xl_type)t->desc.key)), values[ARRAYS];
    xlt_buffer on_device = xlt_buffer_make(&length, 1, sizeof length, 2), scratch = {0};
    xlt_buffer offsets = xlt_buffer_make(t->offsets, t->num_offsets, 4, 1);
    XLT_OK(xl_sort_scratch(plan, t->n, &bytes, &alignment));
    if (!t->own_scratch)
        scratch = xlt_scratch_make(bytes, alignment);
    xl_sort_args args = {.n = t->n,
                         .keys_in = xlt_view(&keys.in),
                         .keys_out = t->desc.values_only ? xl_no_view() : xlt_view(&keys.out),
                         .scratch = xlt_view(&scratch)};
    if (t->on_device != SIZE_MAX)
        args.n_device = xlt_view(&on_device);
    if (t->offsets) {
        args.segments = xlt_view(&offsets);
        args.segments.count = t->num_offsets;
    }
    for (; count < ARRAYS && value_of(t, count) != XL_NONE; ++count) {
        array *const a = &values[count];
        *a = array_make(t, 1 + (unsigned)count, sort_value_bytes(value_of(t, count)));
        if (count > 0)
            args.more_values_in[count - 1] = xlt_view(&a->in);
        else if (t->desc.value != XL_SORT_INDICES)
            args.values_in = xlt_view(&a->in);
        *(count > 0 ? &args.more_values_out[count - 1] : &args.values_out) = xlt_view(&a->out);
    }
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    place *const places = order_of(t, keys.before, m);
    array_check(t, &keys, places, t->desc.values_only ? 0 : m, false, "keys_out");
    for (size_t a = 0; a < count; ++a) {
        array_check(t, &values[a], places, m, a == 0 && t->desc.value == XL_SORT_INDICES, names[a]);
        array_free(&values[a]);
    }
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    array_free(&keys);
    xlt_buffer_free(&on_device);
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&scratch);
    free(places);
}

/* False: the device has no sort by digits, which alone is to be had of these. */
static bool check_in(xl_context *ctx, const trial *t)
{
    xl_sort *plan = sort_plan_by_digits(ctx, &t->desc, "values");
    if (!plan)
        return false;
    check_with(t, plan);
    xl_sort_destroy(plan);
    return true;
}

static bool check(const trial *t)
{
    return check_in(xlt_context(), t);
}

/* ---- values ---- */

/* Each key once: their order is one, whatever the algorithm. */
static const xl_type unique_keys[] = {XL_U32, XL_F32, XL_I64, XL_F64};

static void values_of_every_size(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {XL_U8,
                                     XL_I16,
                                     XL_F32,
                                     XL_I64,
                                     XL_F64X2,
                                     XL_SORT_BYTES(1),
                                     XL_SORT_BYTES(3),
                                     XL_SORT_BYTES(4),
                                     XL_U16,
                                     XL_U32,
                                     XL_SORT_BYTES(6),
                                     XL_SORT_BYTES(12),
                                     XL_SORT_BYTES(48),
                                     XL_SORT_BYTES(100)};
    const size_t lengths[] = {1, 77, xlt_on_oclgrind() ? 300 : xlt_small() ? 2500 : 40001};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        for (size_t k = 0; k < 3; ++k) {
            trial t = trial_of(unique_keys[i % 4], sizes[i], (xl_sort_algorithm)((i + k) % 3),
                               lengths[k]);
            if (few() && (i + k) % 3 != 0)
                continue;
            t.desc.order = (i + k) % 2 ? XL_DESCENDING : XL_ASCENDING;
            t.pattern = (i + k) % 4 < 2 ? SORT_RISING : SORT_FALLING;
            t.in_place = (unsigned)(i + k) % 4;
            t.offset = k;
            t.own_scratch = k == 1;
            check(&t);
        }
}

/* Up to four arrays, with the keys' places or without. */
static void several_arrays(void **state)
{
    (void)state;
    static const uint32_t sets[][ARRAYS] = {
        {XL_U32, XL_U32, XL_NONE, XL_NONE},
        {XL_U8, XL_F64, XL_SORT_BYTES(20), XL_U16},
        {XL_SORT_INDICES, XL_U8, XL_SORT_BYTES(24), XL_NONE},
        {XL_SORT_INDICES, XL_U32, XL_I64, XL_SORT_BYTES(5)},
    };
    for (size_t i = 0; i < 3 * sizeof sets / sizeof sets[0]; ++i) {
        const uint32_t *const set = sets[i / 3];
        trial t = trial_of(unique_keys[i % 4], set[0], (xl_sort_algorithm)(i % 3),
                           xlt_on_oclgrind() ? 200
                           : xlt_small()     ? 3001
                                             : 70001);
        memcpy(t.desc.more_values, set + 1, sizeof t.desc.more_values);
        if (few() && i % 3 != i / 3 % 3)
            continue;
        t.pattern = i % 2 ? SORT_RISING : SORT_FALLING;
        t.desc.order = XL_DESCENDING;
        t.in_place = (unsigned)(7 * i) & (set[0] == XL_SORT_INDICES ? ~2u : ~0u);
        check(&t);
    }
}

/* By digits equal keys stay in order, and so do their values. */
static void gathered_stay_in_order(void **state)
{
    (void)state;
    trial t = trial_of(XL_U16, XL_SORT_BYTES(2), XL_SORT_RADIX, xlt_small() ? 1000 : 30000);
    t.desc.more_values[0] = XL_U64;
    t.pattern = SORT_FEW_DISTINCT;
    if (!check(&t))
        skip();
}

/* ---- some bits of the keys ---- */

/* Plans for the k-th key type and ranges of its bits share a program, but each asks the driver for
 * its kernels: of a byte all ranges, of others first and last bits of all digits. Which arrays are
 * in place is drawn, so that it does not follow from the range. */
static size_t ranges_of(xl_context *ctx, size_t k, xl_sort_algorithm algorithm)
{
    const unsigned bits = (unsigned)(8 * xl_type_size(sort_key_types[k]));
    size_t plans = 0;
    xlt_random random = {k + 1};
    trial t = trial_of(sort_key_types[k], k % 3 ? XL_U32 : XL_NONE, algorithm, 300);
    t.desc.stable = 1; /* all bits may go by comparisons */
    for (unsigned begin = 0; begin < bits; begin += xlt_on_oclgrind() ? 7 : 1)
        for (unsigned end = begin + 1; end <= bits; ++end) {
            if (bits > 8 && (begin * 7 + end * 3) % (bits / 4) != 0)
                continue;
            t.desc.begin_bit = begin;
            t.desc.end_bit = end;
            t.desc.order = (begin + end) % 2 ? XL_DESCENDING : XL_ASCENDING;
            t.pattern = begin % 3 == 2 ? SORT_SPECIAL : SORT_RANDOM;
            t.in_place = xlt_below(&random, 4);
            plans += check_in(ctx, &t);
        }
    return plans;
}

static void ranges_of_bits(void **state)
{
    (void)state;
    size_t plans = 0;
    for (size_t k = 0; k < SORT_KEY_TYPES; ++k)
        if (!few() || k % 4 == 1)
            plans += ranges_of(xlt_context(), k, k % 2 ? XL_SORT_RADIX : XL_SORT_AUTO);
    if (plans == 0)
        skip();
}

/* The same as GPUs have it. */
static void ranges_in_groups(void **state)
{
    (void)state;
    size_t plans = 0;
    xl_context *ctx = open_context("sort.shape = 0\n", NULL);
    for (size_t k = 0; k < 4; ++k) /* u32, f16, i64, u8 */
        if (!few() || k == 0)
            plans += ranges_of(ctx, k, XL_SORT_AUTO);
    xl_context_destroy(ctx);
    if (plans == 0)
        skip();
}

/* ---- as many as the device says ---- */

static void lengths_on_the_device(void **state)
{
    (void)state;
    const size_t n = xlt_on_oclgrind() ? 400 : xlt_small() ? 2000 : 50000;
    const size_t lengths[] = {0, 1, 300, n / 2 + 3, n - 1, n, n + 7, SIZE_MAX - 1};
    for (unsigned form = 0; form < 6; ++form) {
        trial t = trial_of(XL_U32, form / 3 ? XL_U32 : XL_SORT_BYTES(12),
                           (xl_sort_algorithm)(form % 3), n);
        if (few() && form % 3 == 0)
            continue;
        xl_sort *plan = sort_plan_by_digits(xlt_context(), &t.desc, "lengths");
        for (size_t i = 0; plan && i < sizeof lengths / sizeof lengths[0]; ++i) {
            t.on_device = lengths[i];
            t.pattern = i % 2 ? SORT_FALLING : SORT_RISING;
            t.in_place = (form + (unsigned)i) % 4;
            t.own_scratch = i % 3 == 0;
            check_with(&t, plan);
        }
        xl_sort_destroy(plan);
    }
}

/* Each segment by itself; with values that are gathered, and fewer keys on the device. */
static void by_segments(void **state)
{
    (void)state;
    const size_t n = xlt_on_oclgrind() ? 400 : 20000;
    const uint32_t offsets[] = {3,
                                4,
                                4,
                                50,
                                90,
                                (uint32_t)n / 4,
                                (uint32_t)n / 4 + 7,
                                (uint32_t)n / 2,
                                (uint32_t)n - 9,
                                (uint32_t)n};
    const size_t lengths[] = {SIZE_MAX, 2, n / 2 + 100, n - 1};
    trial t = trial_of(XL_U32, XL_SORT_INDICES, XL_SORT_AUTO, n);
    t.desc.more_values[0] = XL_SORT_BYTES(3);
    t.desc.segments = XL_SEGMENTS_OFFSETS;
    t.desc.segment_type = XL_U32;
    t.offsets = offsets;
    t.num_offsets = sizeof offsets / sizeof offsets[0];
    t.pattern = SORT_FEW_DISTINCT;
    xl_sort *plan = sort_plan(xlt_context(), &t.desc, "segments");
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        t.on_device = lengths[i];
        t.in_place = i % 2 ? 5 : 0;
        check_with(&t, plan);
    }
    xl_sort_destroy(plan);
}

/* ---- values alone ---- */

/* Tiles, chunks and buckets so small that few keys take all launches. */
static const char *const only_shapes[] = {
    "sort.shape = 1\nsort.serial_tile_log = 6\nsort.radix_alone = 90\nsort.radix_chunks = 1\n"
    "sort.radix_least = 1000\nsort.radix_most = 1000\nsort.radix_bucket_bytes = 400\n",
    "sort.shape = 1\nsort.radix_alone = 0\nsort.radix_buckets = 0\nsort.radix_chunks = 200\n"
    "sort.radix_least = 70\nsort.radix_most = 700\n",
    "sort.shape = 0\nsort.group_log = 5\nsort.items_log = 2\nsort.segment_group_log = 5\n"
    "sort.segment_items_log = 2\nsort.sweep_pair_group = 256\nsort.sweep_pair_bytes = 8\n"
    "sort.radix_group = 256\nsort.radix_bytes = 8\n",
    "sort.shape = 0\nsort.group_log = 5\nsort.items_log = 1\nsort.sample_pair_most = 4000\n"
    "sort.sample_group_log = 5\nsort.sample_items_log = 2\n",
};

/* Numbers of all shapes are those of the list; `bits`: where the range of bits ends. */
typedef struct only_row {
    size_t shape;
    xl_sort_algorithm algorithm;
    xl_type key;
    uint32_t value, more;
    uint32_t stable, bits;
    bool has_segments;
} only_row;

static const only_row only_rows[] = {
    {0, XL_SORT_RADIX, XL_F32, XL_SORT_INDICES, XL_NONE, 0, 0, false},
    {0, XL_SORT_RADIX, XL_U64, XL_U32, XL_NONE, 0, 0, false},
    {1, XL_SORT_RADIX, XL_U32, XL_U32, XL_NONE, 0, 0, false},
    {1, XL_SORT_RADIX, XL_I64, XL_SORT_INDICES, XL_NONE, 0, 19, false},
    {0, XL_SORT_BITONIC, XL_F32, XL_U32, XL_NONE, 1, 0, false},
    {0, XL_SORT_BITONIC, XL_U16, XL_SORT_INDICES, XL_SORT_BYTES(3), 1, 0, false},
    {0, XL_SORT_AUTO, XL_I32, XL_SORT_INDICES, XL_NONE, 0, 0, true},
    {2, XL_SORT_RADIX, XL_U32, XL_U32, XL_NONE, 0, 0, false},
    {2, XL_SORT_BITONIC, XL_U64, XL_SORT_BYTES(12), XL_NONE, 1, 0, false},
    {2, XL_SORT_AUTO, XL_F32, XL_U32, XL_NONE, 0, 0, true},
    {3, XL_SORT_AUTO, XL_U32, XL_U32, XL_NONE, 1, 0, false},
};

static void check_only(trial t, xl_sort *plan)
{
    static const sort_pattern patterns[] = {SORT_RANDOM, SORT_ALL_EQUAL, SORT_ONE_BIT,
                                            SORT_FEW_DISTINCT, SORT_FALLING};
    const size_t sizes[] = {0, 1, 2, 60, 100, 200, 901, 3001, 20003};
    const size_t count = xlt_on_oclgrind() ? 6 : xlt_small() ? 8 : 9;
    for (size_t s = 0, k = 0; s < count; ++s)
        for (size_t p = s < 5 ? 3 : 0; p < 5; ++p, ++k) {
            const uint32_t n = (uint32_t)sizes[s];
            const uint32_t offsets[] = {n / 50, n / 20, n / 20, n / 5, n / 5 + n / 30, n};
            t.n = sizes[s];
            t.pattern = patterns[p];
            t.in_place = 1 | (t.desc.value == XL_SORT_INDICES ? 4 : k % 4 * 2);
            t.offset = k % 3;
            t.own_scratch = k % 5 == 4;
            t.on_device = k % 4 == 3 ? n - n / 9 : SIZE_MAX;
            t.offsets = t.desc.segments ? offsets : NULL;
            t.num_offsets = t.desc.segments ? sizeof offsets / sizeof offsets[0] : 0;
            check_with(&t, plan);
        }
}

static void values_alone(void **state)
{
    (void)state;
    const bool every_other = xlt_on_oclgrind() || (xlt_few_programs() && !xlt_small());
    for (size_t s = 0; s < sizeof only_shapes / sizeof only_shapes[0]; ++s) {
        xl_context *ctx = open_context(only_shapes[s], NULL);
        for (size_t r = 0; r < sizeof only_rows / sizeof only_rows[0]; ++r) {
            const only_row *const row = &only_rows[r];
            if (row->shape != s || (every_other && r % 2 != 0))
                continue;
            trial t = trial_of(row->key, row->value, row->algorithm, 0);
            t.desc.values_only = 1;
            t.desc.more_values[0] = row->more;
            t.desc.stable = row->stable;
            t.desc.end_bit = row->bits;
            t.desc.order = r % 2 ? XL_DESCENDING : XL_ASCENDING;
            t.desc.segments = row->has_segments ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
            t.desc.segment_type = row->has_segments ? XL_U32 : XL_NONE;
            xl_sort *plan = sort_plan_by_digits(ctx, &t.desc, only_shapes[s]);
            if (plan)
                check_only(t, plan);
            xl_sort_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* What the keys would have taken is in scratch, but up to one tile; more of them never take less.
 */
static void scratch_for_values_alone(void **state)
{
    (void)state;
    enum { KEY = 4, ALIGNED = 512 };
    for (unsigned a = 0; a < 3; ++a) {
        trial t = trial_of(XL_U32, XL_SORT_INDICES, (xl_sort_algorithm)a, 0);
        xl_sort *const both = sort_plan_by_digits(xlt_context(), &t.desc, "keys too");
        t.desc.values_only = 7; /* as any truth value */
        xl_sort *const alone = sort_plan_by_digits(xlt_context(), &t.desc, "values alone");
        size_t with, without, before = 0, alignment;
        for (size_t n = 0; both && n < (size_t)1 << 22; n += n / 3 + 1) {
            XLT_OK(xl_sort_scratch(both, n, &with, &alignment));
            XLT_OK(xl_sort_scratch(alone, n, &without, &alignment));
            assert_true(without == with ||
                        (without >= with + n * KEY && without <= with + n * KEY + ALIGNED));
            assert_true(without > with || with == 0 || n == 0);
            assert_true(without >= before);
            before = without;
        }
        xl_sort_destroy(both);
        xl_sort_destroy(alone);
    }
}

/* By one digit the first pass is the last: what there is in scratch for keys stays as it was. */
static void one_pass_in(xl_context *ctx)
{
    const size_t n = xlt_on_oclgrind() ? 300 : 20000;
    size_t bytes, alignment, unwritten = 0;
    trial t = trial_of(XL_U8, XL_SORT_INDICES, XL_SORT_RADIX, n);
    t.desc.values_only = 1;
    xl_sort *plan = sort_plan_by_digits(ctx, &t.desc, "one pass");
    if (!plan)
        return;
    XLT_OK(xl_sort_scratch(plan, n, &bytes, &alignment));
    array keys = array_make(&t, 0, 1);
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment), out = xlt_buffer_make(NULL, n, 4, 0);
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(),
                           &(xl_sort_args){.n = n,
                                           .keys_in = xlt_view(&keys.in),
                                           .values_out = xlt_view(&out),
                                           .scratch = xlt_view(&scratch)},
                           0, NULL, NULL));
    unsigned char *const after = bytes_for(bytes, 1);
    xlt_read(&scratch, after);
    for (size_t i = bytes - n; i < bytes; ++i)
        unwritten += after[i] == 0xa5;
    assert_int_equal(unwritten, n);
    free(after);
    array_free(&keys);
    xlt_buffer_free(&scratch);
    xlt_buffer_free(&out);
    xl_sort_destroy(plan);
}

static void one_pass_writes_no_keys(void **state)
{
    (void)state;
    for (size_t s = 1; s < 3; ++s) {
        xl_context *ctx = open_context(only_shapes[s], NULL);
        one_pass_in(ctx);
        xl_context_destroy(ctx);
    }
}

/* ---- misuse ---- */

static void wrong_descriptors(void **state)
{
    (void)state;
    static const struct {
        const char *said;
        xl_sort_desc desc;
    } cases[] = {
        {"desc.value", {.key = XL_U32, .value = XL_SORT_BYTES(0)}},
        {"desc.value", {.key = XL_U32, .value = XL_SORT_BYTES(65536)}},
        {"desc.more_values[0]: given", {.key = XL_U32, .more_values = {XL_U32}}},
        {"desc.more_values[1]", {.key = XL_U32, .value = XL_U8, .more_values = {XL_U8, 99}}},
        {"desc.more_values[2]: given",
         {.key = XL_U32, .value = XL_U8, .more_values = {XL_U8, XL_NONE, XL_U8}}},
        {"XL_SORT_INDICES is for desc.value alone",
         {.key = XL_U32, .value = XL_U8, .more_values = {XL_SORT_INDICES}}},
        {"desc.begin_bit, end_bit: 4 to 4", {.key = XL_U32, .begin_bit = 4, .end_bit = 4}},
        {"at most 16", {.key = XL_F16, .begin_bit = 4, .end_bit = 17}},
        {"at most 8", {.key = XL_U8, .begin_bit = 8}},
        {"XL_SORT_BITONIC", {.key = XL_U8, .begin_bit = 1, .algorithm = XL_SORT_BITONIC}},
        {"desc.values_only: 1, but desc.value is XL_NONE", {.key = XL_U8, .values_only = 1}},
        {"desc.values_only: 3", {.key = XL_F32, .values_only = 3, .equal_zeros = 1}},
    };
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_sort_desc desc = cases[i].desc;
        xl_sort *plan;
        desc.struct_size = sizeof desc;
        XLT_FAILS(xl_sort_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
        if (!strstr(xl_context_error(ctx), cases[i].said))
            XLT_FAIL("\"%s\" is not in: %s", cases[i].said, xl_context_error(ctx));
    }
}

/* Parts of one buffer of n elements of 8 bytes each: keys, values, more of them, a number. */
enum { N = 100, PARTS = 8 };

static void expect(xl_sort *plan, const xl_sort_args *args, xl_status wanted, const char *said)
{
    xl_context *ctx = xlt_context();
    const xl_status got = xl_sort_enqueue(plan, xlt_queue(), args, 0, NULL, NULL);
    if (got != wanted || !strstr(xl_context_error(ctx), said))
        XLT_FAIL("%s for \"%s\", not %s: %s", xl_status_name(got), said, xl_status_name(wanted),
                 xl_context_error(ctx));
}

#define EXPECT(status, said, ...)                                                                  \
    {                                                                                              \
        xl_sort_args c = good;                                                                     \
        __VA_ARGS__;                                                                               \
        expect(plan, &c, status, said);                                                            \
    }

static void wrong_calls(void **state)
{
    (void)state;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    cl_int code;
    trial t = trial_of(XL_U64, XL_U64, XL_SORT_AUTO, N);
    t.desc.more_values[0] = XL_F64;
    xl_sort *plan = sort_plan(xlt_context(), &t.desc, "misuse");
    cl_mem all =
        clCreateBuffer(xl_context_cl(xlt_context()), CL_MEM_READ_WRITE, 8 * N * PARTS, NULL, &code);
    XLT_CL(code);
    const xl_sort_args good = {.n = N,
                               .keys_in = xl_view_of(all, 0),
                               .keys_out = xl_view_of(all, N),
                               .values_in = xl_view_of(all, 2 * N),
                               .values_out = xl_view_of(all, 3 * N),
                               .more_values_in = {xl_view_of(all, 4 * N)},
                               .more_values_out = {xl_view_of(all, 5 * N)},
                               .n_device = xl_view_of(all, 6 * N)};
    EXPECT(bad, "more_values_in[0]: no buffer", c.more_values_in[0] = xl_no_view())
    EXPECT(bad, "more_values_out[0]: no buffer", c.more_values_out[0] = xl_no_view())
    EXPECT(bad, "more_values_in[1]: given", c.more_values_in[1] = xl_view_of(all, 7 * N))
    EXPECT(bad, "more_values_out[2]: given", c.more_values_out[2] = xl_view_of(all, 7 * N))
    EXPECT(bad, "values_in", c.values_in.offset = 7 * N + 1)
    EXPECT(bad, "n_device", c.n_device.offset = 8 * N)
    EXPECT(overlap, "values_out and more_values_out[0]", c.more_values_out[0].offset = 3 * N)
    EXPECT(overlap, "more_values_in[0] and more_values_out[0]",
           c.more_values_out[0].offset = 4 * N + 1)
    EXPECT(overlap, "more_values_in[0] and values_out", c.values_out.offset = 4 * N)
    EXPECT(overlap, "keys_in and more_values_out[0]", c.more_values_out[0].offset = 0)
    EXPECT(overlap, "keys_out and values_out", c.values_out.offset = N)
    EXPECT(overlap, "n_device and keys_out", c.n_device.offset = 2 * N - 1)
    EXPECT(overlap, "n_device and more_values_out[0]", c.n_device.offset = 5 * N)
    t.desc.values_only = 1;
    xl_sort *const alone = sort_plan(xlt_context(), &t.desc, "misuse of values alone");
    xl_sort_args c = good;
    expect(alone, &c, bad, "keys_out: given, but the plan gives values only");
    c.keys_out = xl_no_view();
    c.values_out.offset = N - 1;
    expect(alone, &c, overlap, "keys_in and values_out");
    c.values_out = xl_no_view();
    expect(alone, &c, bad, "values_out: no buffer");
    clReleaseMemObject(all);
    xl_sort_destroy(plan);
    xl_sort_destroy(alone);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_size),
        cmocka_unit_test(several_arrays),
        cmocka_unit_test(gathered_stay_in_order),
        cmocka_unit_test(ranges_of_bits),
        cmocka_unit_test(ranges_in_groups),
        cmocka_unit_test(lengths_on_the_device),
        cmocka_unit_test(by_segments),
        cmocka_unit_test(values_alone),
        cmocka_unit_test(scratch_for_values_alone),
        cmocka_unit_test(one_pass_writes_no_keys),
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

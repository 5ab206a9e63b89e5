/* SPDX-License-Identifier: MIT
 * The sort against its serial reference: any n, any pattern, both shapes of tiles, and
 * every misuse. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "reference.h"
#include "xlt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- input --------------------------------------------------------------- */

typedef enum pattern {
    RANDOM,
    RISING,
    FALLING,
    ALL_EQUAL,
    ONE_BIT,
    FEW_DISTINCT,
    ALL_ONES,
    SPECIAL,
    PATTERNS
} pattern;

static const char *const pattern_names[PATTERNS] = {
    "random", "rising", "falling", "equal", "one bit", "few distinct", "all ones", "special"};

/* -0, +0, smallest denormals, infinities, NaN of both signs, extremes. */
static const uint32_t special[] = {0x80000000u, 0x00000000u, 0x00000001u, 0x80000001u, 0x007fffffu,
                                   0x7f800000u, 0xff800000u, 0x7f800001u, 0xff800001u, 0x7fc00000u,
                                   0xffc00000u, 0x7fffffffu, 0xffffffffu, 0x7f7fffffu, 0xff7fffffu,
                                   0x3f800000u, 0xbf800000u, 0xfffffffeu};

static uint64_t ordinal(xl_type type, size_t i)
{
    union {
        float f;
        uint32_t u;
    } word;
    if (type == XL_U64)
        return (uint64_t)i << 20;
    if (type == XL_I32)
        return (uint32_t)i - 1000u;
    if (type == XL_U32)
        return (uint32_t)i;
    word.f = (float)i - 1000.0f;
    return word.u;
}

static uint64_t key_of(pattern p, xl_type type, size_t i, size_t n, xlt_random *random)
{
    const uint32_t specials = sizeof special / sizeof special[0];
    switch (p) {
    case RISING:
        return ordinal(type, i);
    case FALLING:
        return ordinal(type, n - 1 - i);
    case ALL_EQUAL:
        return 0x3f812345u;
    case ONE_BIT:
        return 0x3f000000u | (xlt_next(random) >> 63) << 17;
    case FEW_DISTINCT:
        return (uint64_t)xlt_below(random, 7) * 0x24681357u;
    case ALL_ONES:
        return UINT64_MAX;
    case SPECIAL:
        return (uint64_t)special[xlt_below(random, specials)] << 32 |
               special[xlt_below(random, specials)];
    default:
        return xlt_next(random);
    }
}

static void fill_keys(void *keys, pattern p, xl_type type, size_t n, uint64_t seed)
{
    xlt_random random = {seed + 77 * n};
    for (size_t i = 0; i < n; ++i) {
        uint64_t key = key_of(p, type, i, n, &random);
        if (type == XL_U64)
            ((uint64_t *)keys)[i] = key;
        else
            ((uint32_t *)keys)[i] = (uint32_t)key;
    }
}

static void *get(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* ---- one sort, checked ---------------------------------------------------- */

typedef struct trial {
    const char *device; /* which variant of the device */
    const xl_sort_desc *desc;
    xl_sort *plan;
    cl_command_queue queue;
    size_t n, offset;
    pattern pattern;
    bool in_place, own_scratch; /* in place: keys and values */
    bool keys_stay;             /* the keys in place, the values not */
} trial;

static const char *describe(const trial *t)
{
    static char text[200];
    snprintf(text, sizeof text, "%s keys, %s values, %s, n %zu, %s, offset %zu%s%s, %s",
             xl_type_name(t->desc->key), t->desc->value == XL_NONE ? "no" : "u32",
             t->desc->order == XL_DESCENDING ? "descending" : "ascending", t->n,
             pattern_names[t->pattern], t->offset, t->in_place ? ", in place" : "",
             t->own_scratch ? ", plan's scratch" : "", t->device);
    return text;
}

/* Each value must name the element its key came from, and each element once; of equal keys in the
 * order of before, where the sort is stable. */
static void check_values(const trial *t, const void *keys_before, const void *keys_after,
                         const uint32_t *values)
{
    const size_t size = xl_type_size(t->desc->key);
    unsigned char *seen = calloc(t->n + 1, 1);
    assert_non_null(seen);
    for (size_t i = 0; i < t->n; ++i) {
        if (values[i] >= t->n || seen[values[i]]++)
            XLT_FAIL("%s: value %u at %zu is not there or there twice", describe(t), values[i], i);
        if (memcmp((const char *)keys_before + values[i] * size,
                   (const char *)keys_after + i * size, size) != 0)
            XLT_FAIL("%s: value %u at %zu has lost its key", describe(t), values[i], i);
        if (t->desc->algorithm == XL_SORT_RADIX && i > 0 && values[i - 1] > values[i] &&
            memcmp((const char *)keys_after + (i - 1) * size, (const char *)keys_after + i * size,
                   size) == 0)
            XLT_FAIL("%s: equal keys have changed places at %zu", describe(t), i);
    }
    free(seen);
}

static void check_keys(const trial *t, const void *got, const void *wanted)
{
    const size_t size = xl_type_size(t->desc->key);
    if (memcmp(got, wanted, t->n * size) == 0)
        return;
    for (size_t i = 0; i < t->n; ++i)
        if (memcmp((const char *)got + i * size, (const char *)wanted + i * size, size) != 0)
            XLT_FAIL("%s: wrong key at %zu", describe(t), i);
}

static void check_same(const trial *t, const xlt_buffer *buffer, const void *before,
                       const char *name)
{
    void *now = get(buffer->n * buffer->size);
    xlt_read(buffer, now);
    if (memcmp(now, before, buffer->n * buffer->size) != 0)
        XLT_FAIL("%s: %s was changed", describe(t), name);
    free(now);
}

/* The buffers of a trial: input and output are the same when in place. */
typedef struct arrays {
    xlt_buffer keys_in, values_in, keys_out, values_out, scratch;
} arrays;

static arrays arrays_make(const trial *t, const void *keys, const uint32_t *values)
{
    const size_t size = xl_type_size(t->desc->key);
    size_t bytes, alignment;
    arrays a = {0};
    a.keys_in = a.keys_out = xlt_buffer_make(keys, t->n, size, t->offset);
    if (!t->in_place && !t->keys_stay)
        a.keys_out = xlt_buffer_make(NULL, t->n, size, t->offset + 3);
    if (t->desc->value != XL_NONE) {
        a.values_in = a.values_out = xlt_buffer_make(values, t->n, 4, t->offset + 1);
        if (!t->in_place)
            a.values_out = xlt_buffer_make(NULL, t->n, 4, t->offset);
    }
    XLT_OK(xl_sort_scratch(t->plan, t->n, &bytes, &alignment));
    if (!t->own_scratch)
        a.scratch = xlt_scratch_make(bytes, alignment);
    return a;
}

static xl_view view_or_none(const xlt_buffer *buffer)
{
    return buffer->mem ? xlt_view(buffer) : xl_no_view();
}

static void arrays_free(const trial *t, arrays *a)
{
    xlt_buffer_free(&a->keys_in);
    xlt_buffer_free(&a->values_in);
    xlt_buffer_free(&a->scratch);
    if (!t->in_place && !t->keys_stay)
        xlt_buffer_free(&a->keys_out);
    if (!t->in_place)
        xlt_buffer_free(&a->values_out);
}

static xl_status enqueue(const trial *t, const arrays *a, cl_uint num_waits, const cl_event *waits,
                         cl_event *event)
{
    return xl_sort_enqueue(t->plan, t->queue,
                           &(xl_sort_args){.n = t->n,
                                           .keys_in = view_or_none(&a->keys_in),
                                           .values_in = view_or_none(&a->values_in),
                                           .keys_out = view_or_none(&a->keys_out),
                                           .values_out = view_or_none(&a->values_out),
                                           .scratch = view_or_none(&a->scratch)},
                           num_waits, waits, event);
}

static void check_result(const trial *t, const arrays *a, const void *keys, const uint32_t *values,
                         const void *wanted)
{
    const size_t size = xl_type_size(t->desc->key);
    void *keys_after = get(t->n * size);
    uint32_t *values_after = get(t->n * 4);
    xlt_read(&a->keys_out, keys_after);
    check_keys(t, keys_after, wanted);
    xlt_check_guards(&a->keys_out, "keys_out");
    if (t->desc->value != XL_NONE) {
        xlt_read(&a->values_out, values_after);
        check_values(t, keys, keys_after, values_after);
        xlt_check_guards(&a->values_out, "values_out");
        if (!t->in_place)
            check_same(t, &a->values_in, values, "values_in");
    }
    if (!t->in_place && !t->keys_stay)
        check_same(t, &a->keys_in, keys, "keys_in");
    if (a->scratch.mem)
        xlt_check_guards(&a->scratch, "scratch");
    free(keys_after);
    free(values_after);
}

static void run_self_test(const trial *t)
{
    const size_t size = xl_type_size(t->desc->key);
    void *keys = get(t->n * size), *wanted = get(t->n * size);
    uint32_t *values = get(t->n * 4);
    cl_event event = NULL;
    fill_keys(keys, t->pattern, t->desc->key, t->n, 1);
    for (size_t i = 0; i < t->n; ++i)
        values[i] = (uint32_t)i;
    memcpy(wanted, keys, t->n * size);
    assert_true(ref_sort(t->desc->key, t->desc->order == XL_DESCENDING, t->n, wanted, NULL));
    arrays a = arrays_make(t, keys, values);
    XLT_OK(enqueue(t, &a, 0, NULL, &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    check_result(t, &a, keys, values, wanted);
    arrays_free(t, &a);
    free(keys);
    free(values);
    free(wanted);
}

/* ---- plans ---------------------------------------------------------------- */

static xl_sort_desc desc_of(xl_type key, xl_type value, xl_sort_order order)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = key;
    desc.value = value;
    desc.order = order;
    return desc;
}

/* The most elements that one tile takes: those need no scratch. */
static size_t tile_of(const xl_sort *plan)
{
    size_t tile = 1, bytes = 0, alignment;
    while (bytes == 0) {
        tile *= 2;
        XLT_OK(xl_sort_scratch(plan, tile, &bytes, &alignment));
    }
    return tile / 2;
}

static trial trial_of(const xl_sort_desc *desc, xl_sort *plan, size_t n, pattern p)
{
    return (trial){.device = "device as it is",
                   .desc = desc,
                   .plan = plan,
                   .queue = xlt_queue(),
                   .n = n,
                   .pattern = p};
}

/* Sizes around what matters: items, lanes, tiles. Alternates in place and out of place,
 * given and own scratch. */
static void run_sizes(trial t, size_t tile)
{
    const size_t sizes[] = {
        0,           1,  2,   3,   7,   8,    9,        31,   32,       33,           63,
        64,          65, 255, 256, 257, 1000, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile + 1,
        3 * tile + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        /* A simulator has time for the small ones, and for one merge of a large tile. */
        if (xlt_small() && sizes[i] > 260 && sizes[i] != tile + 1)
            continue;
        if (xlt_small() && sizes[i] < 260 && i % 4 != 0)
            continue;
        t.n = sizes[i];
        t.in_place = i % 2 == 1;
        t.own_scratch = i % 3 == 1;
        t.offset = i % 5;
        run_self_test(&t);
    }
}

static void every_type_and_order_at_every_size(void **state)
{
    (void)state;
    /* With each key type, values go with one order and none with the other. */
    const xl_type keys[] = {XL_U32, XL_I32, XL_U64, XL_F32}, values[] = {XL_NONE, XL_U32};
    for (int k = 0; k < 8; ++k) {
        xl_sort *plan;
        const xl_sort_desc desc =
            desc_of(keys[k / 2], values[(k / 2 + k) % 2], k % 2 ? XL_DESCENDING : XL_ASCENDING);
        XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
        const size_t tile = tile_of(plan);
        if (tile < 100000 && (!xlt_small() || k == 0))
            run_sizes(trial_of(&desc, plan, 0, RANDOM), tile);
        for (pattern p = xlt_small() ? ALL_ONES : 0; p < PATTERNS; ++p) {
            trial t = trial_of(&desc, plan, xlt_small() ? 77 : 3 * tile + tile / 2 + 5, p);
            run_self_test(&t);
            t.in_place = true;
            t.n = xlt_small() ? 130 : 2 * tile - 9;
            run_self_test(&t);
        }
        xl_sort_destroy(plan);
    }
}

static void large_sizes(void **state)
{
    (void)state;
    const size_t sizes[] = {65535, 65536, 65537, 100003, 131072, ((size_t)1 << 20) + 1};
    const xl_sort_desc descs[] = {desc_of(XL_U32, XL_U32, XL_ASCENDING),
                                  desc_of(XL_U64, XL_NONE, XL_ASCENDING)};
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    for (size_t d = 0; d < 2; ++d) {
        xl_sort *plan;
        XLT_OK(xl_sort_create(xlt_context(), &descs[d], &plan));
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            trial t = trial_of(&descs[d], plan, sizes[i], i % 2 ? RANDOM : FEW_DISTINCT);
            t.in_place = i % 2 == 0;
            run_self_test(&t);
        }
        xl_sort_destroy(plan);
    }
}

/* Every n from 0 to a bit above three tiles, with small tiles. */
static const struct variant {
    const char *name, *mask, *tuning;
    bool every_n;
} variants[] = {
    {"by group", NULL, "sort.shape = 0\n", false},
    {"by group, width 1", "width=1", "sort.shape = 0\n", false},
    {"by group of 8", "work-group=8", "sort.shape = 0\n", true},
    {"by group of 1", "work-group=1", "sort.shape = 0\n", true},
    {"by group of 32 holding 2", NULL, "sort.shape = 0\nsort.group_log = 5\nsort.items_log = 1\n",
     true},
    {"by group of 64 holding 16", NULL, "sort.shape = 0\nsort.group_log = 6\nsort.items_log = 4\n",
     false},
    {"by run of 16", NULL,
     "sort.shape = 1\nsort.serial_tile_log = 4\nsort.radix_from = 4294967295\n", true},
    {"by digits from 40 on", NULL,
     "sort.shape = 1\nsort.serial_tile_log = 4\nsort.radix_from = 40\nsort.radix_least = 9\n",
     true},
    {"by run of 4096", NULL, "sort.shape = 1\nsort.serial_tile_log = 12\n", false},
};

/* A context on the same OpenCL context, with a mask and tuning values. */
static xl_context *variant_context(const struct variant *v)
{
    xl_context *ctx;
    xl_context_desc desc;
    char path[64];
    snprintf(path, sizeof path, "sort_test_tuning.%p.txt", (void *)&desc);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(v->tuning, file) >= 0);
    assert_int_equal(fclose(file), 0);
    xl_context_desc_init(&desc);
    desc.mask = v->mask;
    desc.tune_file = path;
    xl_status status = xl_context_adopt(xl_context_cl(xlt_context()),
                                        xl_context_device(xlt_context()), &desc, &ctx);
    remove(path);
    assert_int_equal(status, XL_SUCCESS);
    return ctx;
}

static void run_variant(const struct variant *v, const xl_sort_desc *desc)
{
    xl_context *ctx = variant_context(v);
    xl_sort *plan;
    if (xl_sort_create(ctx, desc, &plan) != XL_SUCCESS)
        XLT_FAIL("%s: %.700s", v->name, xl_context_error(ctx));
    const size_t tile = tile_of(plan), every = v->every_n ? 3 * tile + 2 : 0;
    trial t = trial_of(desc, plan, 0, FEW_DISTINCT);
    t.device = v->name;
    for (t.n = 0; t.n < every && t.n < 300; t.n += xlt_small() ? 29 : 1)
        run_self_test(&t);
    if (xlt_small() && v == variants) { /* as GPUs have it, once, past a tile */
        t.n = tile + 9;
        run_self_test(&t);
    }
    if (!xlt_small()) {
        run_sizes(t, tile);
        t.pattern = ALL_ONES;
        t.n = 5 * tile + 3;
        run_self_test(&t);
        t.pattern = RANDOM;
        t.n = 20011;
        run_self_test(&t);
    }
    xl_sort_destroy(plan);
    xl_context_destroy(ctx);
}

static void other_shapes(void **state)
{
    (void)state;
    const xl_sort_desc pairs = desc_of(XL_U32, XL_U32, XL_ASCENDING);
    const xl_sort_desc wide = desc_of(XL_U64, XL_U32, XL_DESCENDING);
    const xl_sort_desc plain = desc_of(XL_U32, XL_NONE, XL_ASCENDING);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        run_variant(&variants[i], &pairs);
        if (i % 4 == 0)
            run_variant(&variants[i], i % 8 ? &wide : &plain);
    }
}

/* Digit by digit: all patterns, each of which needs other passes; keys and values in place, apart,
 * and one of them in place; chunks that hold less than a line, and many. */
static void by_digits(void **state)
{
    (void)state;
    static const struct variant chunks[] = {
        {"chunks of 5", NULL,
         "sort.shape = 1\nsort.radix_chunks = 200\nsort.radix_least = 5\n"
         "sort.radix_most = 5\n",
         true},
        {"chunks of 1000", NULL,
         "sort.shape = 1\nsort.radix_chunks = 1\nsort.radix_least = 1000\n"
         "sort.radix_most = 1000\n",
         true},
        {"chunks as tuned", NULL, "", false},
    };
    const xl_type keys[] = {XL_U32, XL_I32, XL_U64, XL_F32};
    const size_t sizes[] = {0, 1, 2, 5, 17, 64, 255, 1000, 4097, 20011, 70001};
    size_t plans = 0;
    for (size_t v = 0; v < sizeof chunks / sizeof chunks[0]; ++v) {
        xl_context *ctx = variant_context(&chunks[v]);
        for (int k = 0; k < 8; ++k) {
            xl_sort *plan;
            if (xlt_on_oclgrind() && k != 0 && k != 5)
                continue;
            xl_sort_desc desc = desc_of(keys[k / 2], (k + k / 2) % 2 ? XL_NONE : XL_U32,
                                        k % 2 ? XL_DESCENDING : XL_ASCENDING);
            desc.algorithm = XL_SORT_RADIX;
            const xl_status status = xl_sort_create(ctx, &desc, &plan);
            if (status == XL_ERROR_UNSUPPORTED)
                continue;
            if (status != XL_SUCCESS)
                XLT_FAIL("%s: %.700s", chunks[v].name, xl_context_error(ctx));
            ++plans;
            trial t = trial_of(&desc, plan, 0, FEW_DISTINCT);
            t.device = chunks[v].name;
            for (t.n = 0; chunks[v].every_n && t.n < 80; t.n += xlt_small() ? 13 : 1)
                run_self_test(&t);
            for (size_t i = 0; i < PATTERNS * sizeof sizes / sizeof sizes[0]; ++i) {
                t.n = sizes[i / PATTERNS];
                t.pattern = i % PATTERNS;
                if (t.n > (xlt_on_oclgrind() ? 64u : xlt_small() ? 1000u : SIZE_MAX))
                    break;
                t.in_place = i % 3 == 1;
                t.keys_stay = i % 3 == 2;
                t.own_scratch = i % 5 == 1;
                t.offset = i % 7;
                run_self_test(&t);
            }
            xl_sort_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
    if (plans == 0) {
        print_message("%s\n", xl_context_error(xlt_context()));
        skip();
    }
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    const xl_sort_desc descs[] = {desc_of(XL_U32, XL_NONE, XL_ASCENDING),
                                  desc_of(XL_U64, XL_U32, XL_DESCENDING)};
    for (size_t p = 0; xlt_place_closely(p); ++p) {
        for (size_t i = xlt_few_programs(); i < 2 * sizeof variants / sizeof variants[0]; ++i) {
            xl_sort *plan;
            const struct variant *const v = &variants[i / 2];
            if (!v->every_n || (xlt_few_programs() && i % 3 != 0))
                continue;
            xl_context *ctx = variant_context(v);
            if (xl_sort_create(ctx, &descs[i % 2], &plan) != XL_SUCCESS)
                XLT_FAIL("%s: %.700s", v->name, xl_context_error(ctx));
            const size_t tile = tile_of(plan);
            const size_t sizes[] = {1,        tile - 1,     tile,        tile + 1,
                                    2 * tile, 2 * tile + 1, 5 * tile + 3};
            trial t = trial_of(&descs[i % 2], plan, 0, RANDOM);
            t.device = v->name;
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
                t.n = sizes[s];
                t.in_place = s % 2 == 1;
                run_self_test(&t);
            }
            xl_sort_destroy(plan);
            xl_context_destroy(ctx);
        }
    }
}

/* ---- queues, events, threads ---------------------------------------------- */

static cl_command_queue queue_make(void)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(xl_context_cl(xlt_context()),
                                                  xl_context_device(xlt_context()), 0, &code);
    XLT_CL(code);
    return queue;
}

/* Out of order, three sorts of one array in a row that wait for each other by events
 * only, the first for an event that the host sets late. */
static void out_of_order_by_events(void **state)
{
    (void)state;
    const xl_sort_desc up = desc_of(XL_U32, XL_U32, XL_ASCENDING);
    const xl_sort_desc down = desc_of(XL_U32, XL_U32, XL_DESCENDING);
    xl_sort *rises, *falls;
    cl_command_queue queue = xlt_out_of_order_queue();
    XLT_OK(xl_sort_create(xlt_context(), &up, &rises));
    XLT_OK(xl_sort_create(xlt_context(), &down, &falls));
    trial t = trial_of(&up, rises, xlt_small() ? 100 : 5 * tile_of(rises) + 1, RANDOM);
    t.queue = queue;
    t.in_place = true;
    uint32_t *keys = get(4 * t.n), *wanted = get(4 * t.n), *values = get(4 * t.n);
    fill_keys(keys, t.pattern, XL_U32, t.n, 5);
    memcpy(wanted, keys, 4 * t.n);
    assert_true(ref_sort(up.key, up.order == XL_DESCENDING, t.n, wanted, NULL));
    for (size_t i = 0; i < t.n; ++i)
        values[i] = (uint32_t)i;
    arrays a = arrays_make(&t, keys, values);
    cl_event events[4] = {xlt_user_event()};
    for (int i = 0; i < 3; ++i) {
        t.plan = i == 1 ? falls : rises;
        XLT_OK(enqueue(&t, &a, 1, &events[i], &events[i + 1]));
        assert_non_null(events[i + 1]);
    }
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[3]));
    check_result(&t, &a, keys, values, wanted);
    for (int i = 0; i < 4; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    arrays_free(&t, &a);
    XLT_CL(clReleaseCommandQueue(t.queue));
    xl_sort_destroy(rises);
    xl_sort_destroy(falls);
    free(keys);
    free(wanted);
    free(values);
}

static void nothing_yields_an_event(void **state)
{
    (void)state;
    const xl_view none = xl_no_view();
    xl_sort_desc desc;
    xl_sort *plan;
    cl_event event = NULL;
    xl_sort_desc_init(&desc);
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &(xl_sort_args){.n = 0, .keys_in = none}, 0, NULL,
                           &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &(xl_sort_args){.n = 0, .keys_in = none}, 0, NULL,
                           NULL));
    xl_sort_destroy(plan);
    xl_sort_destroy(NULL);
    xl_sort_desc_init(NULL);
}

/* What a thread does: sorts its own arrays on its own queue again and again. Checks are
 * made by the main thread, since cmocka's may not be made elsewhere. */
typedef struct worker {
    trial trial;
    arrays arrays;
    xl_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < 20 && w->status == XL_SUCCESS; ++i)
        w->status = enqueue(&w->trial, &w->arrays, 0, NULL, NULL);
    clFinish(w->trial.queue);
    return NULL;
}

static void two_threads_share_a_plan(void **state)
{
    (void)state;
    const xl_sort_desc desc = desc_of(XL_U32, XL_U32, XL_ASCENDING);
    worker workers[2];
    uint32_t *keys[2], *wanted[2], *values[2];
    pthread_t threads[2];
    xl_sort *plan;
    xlt_needs_threads();
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    for (size_t i = 0; i < 2; ++i) {
        trial t = trial_of(&desc, plan, xlt_small() ? 50 + i : 3 * tile_of(plan) + 7 * i, RANDOM);
        t.queue = queue_make();
        keys[i] = get(4 * t.n);
        wanted[i] = get(4 * t.n);
        values[i] = get(4 * t.n);
        fill_keys(keys[i], RANDOM, XL_U32, t.n, 9 + i);
        for (size_t k = 0; k < t.n; ++k)
            values[i][k] = (uint32_t)k;
        memcpy(wanted[i], keys[i], 4 * t.n);
        assert_true(ref_sort(desc.key, desc.order == XL_DESCENDING, t.n, wanted[i], NULL));
        workers[i] = (worker){t, arrays_make(&t, keys[i], values[i]), XL_SUCCESS};
    }
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < 2; ++i) {
        trial *t = &workers[i].trial;
        assert_int_equal(workers[i].status, XL_SUCCESS);
        check_result(t, &workers[i].arrays, keys[i], values[i], wanted[i]);
        arrays_free(t, &workers[i].arrays);
        XLT_CL(clReleaseCommandQueue(t->queue));
        free(keys[i]);
        free(wanted[i]);
        free(values[i]);
    }
    xl_sort_destroy(plan);
}

/* ---- misuse --------------------------------------------------------------- */

static void wrong_descriptors(void **state)
{
    (void)state;
    const struct {
        const char *said;
        xl_sort_desc desc;
    } cases[] = {
        {"desc.key: u8", {.key = XL_U8}},
        {"desc.key", {.key = XL_NONE}},
        {"desc.key", {.key = (xl_type)99}},
        {"desc.value: u64", {.key = XL_U32, .value = XL_U64}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = (xl_sort_order)7}},
        {"desc.algorithm: unknown value 9", {.key = XL_U32, .algorithm = (xl_sort_algorithm)9}},
    };
    xl_sort *plan;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_sort_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        plan = (xl_sort *)&desc;
        XLT_FAILS(xl_sort_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
        assert_null(plan);
        if (!strstr(xl_context_error(ctx), cases[i].said))
            XLT_FAIL("\"%s\" is not in: %s", cases[i].said, xl_context_error(ctx));
    }
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.struct_size = 3;
    XLT_FAILS(xl_sort_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
    xl_sort_desc_init(&desc);
    XLT_FAILS(xl_sort_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_sort_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(xl_sort_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
}

/* A right call, of which one argument at a time is made wrong. Keys and values stand in
 * one buffer, so that they can be made to overlap. */
typedef struct call {
    xl_sort *plan;
    cl_command_queue queue;
    size_t n;
    xl_view keys_in, values_in, keys_out, values_out, scratch;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static const call *good;

static void expect_fail(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&good;
    xl_context *ctx = xlt_context();
    const xl_status got = xl_sort_enqueue(c->plan, c->queue,
                                          &(xl_sort_args){.n = c->n,
                                                          .keys_in = c->keys_in,
                                                          .values_in = c->values_in,
                                                          .keys_out = c->keys_out,
                                                          .values_out = c->values_out,
                                                          .scratch = c->scratch},
                                          c->num_waits, c->waits, &event);
    if (got != wanted)
        XLT_FAIL("%s for \"%s\", not %s: %s", xl_status_name(got), said, xl_status_name(wanted),
                 xl_context_error(ctx));
    if (!strstr(xl_context_error(ctx), said))
        XLT_FAIL("\"%s\" is not in: %s", said, xl_context_error(ctx));
    assert_null(event);
}

#define EXPECT(status, said, ...)                                                                  \
    {                                                                                              \
        call c = *good;                                                                            \
        __VA_ARGS__;                                                                               \
        expect_fail(&c, status, said);                                                             \
    }

static void wrong_views(size_t n, cl_mem all, size_t scratch_bytes, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    EXPECT(bad, "keys_in: no buffer", c.keys_in = xl_no_view())
    EXPECT(bad, "values_in: no buffer", c.values_in = xl_no_view())
    EXPECT(bad, "keys_out: no buffer", c.keys_out = xl_no_view())
    EXPECT(bad, "values_out: no buffer", c.values_out = xl_no_view())
    EXPECT(bad, "keys_in", c.keys_in.offset = SIZE_MAX)
    EXPECT(bad, "values_out", c.values_out.offset = 4 * n + 1)
    EXPECT(overlap, "keys_in and keys_out", c.keys_out.offset = c.keys_in.offset + 1)
    EXPECT(overlap, "values_in and values_out", c.values_out.offset = c.values_in.offset - 1)
    EXPECT(overlap, "keys_out and values_out", c.values_out = c.keys_out)
    EXPECT(overlap, "keys_in and values_out", c.values_out = c.keys_in)
    EXPECT(overlap, "values_in and keys_out", c.keys_out = c.values_in)
    if (scratch_bytes == 0)
        return;
    EXPECT(XL_ERROR_MISALIGNED, "scratch", c.scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", c.scratch.offset += alignment)
    EXPECT(overlap, "scratch", c.scratch = xl_view_of(all, 0))
}

static void wrong_queues_and_waits(void)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cl_int code;
    cl_device_id device = xl_context_device(xlt_context());
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    XLT_CL(code);
    cl_command_queue queue = clCreateCommandQueue(cl, device, 0, &code);
    XLT_CL(code);
    cl_mem mem = clCreateBuffer(cl, CL_MEM_READ_WRITE, 4 * good->n, NULL, &code);
    XLT_CL(code);
    const cl_event none = NULL;
    EXPECT(bad, "queue: NULL", c.queue = NULL)
    EXPECT(bad, "queue", c.queue = queue)
    EXPECT(bad, "keys_in: a buffer of another", c.keys_in = xl_view_of(mem, 0))
    EXPECT(bad, "waits", c.num_waits = 1)
    EXPECT(bad, "waits", c.waits = &none)
    EXPECT(bad, "waits[0]", c.num_waits = 1; c.waits = &none)
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
}

static void wrong_access(size_t n)
{
    cl_int code;
    cl_context cl = xl_context_cl(xlt_context());
    cl_mem read = clCreateBuffer(cl, CL_MEM_READ_ONLY, 4 * n, NULL, &code);
    XLT_CL(code);
    cl_mem write = clCreateBuffer(cl, CL_MEM_WRITE_ONLY, 4 * n, NULL, &code);
    XLT_CL(code);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "keys_out: a read-only buffer", c.keys_out = xl_view_of(read, 0))
    EXPECT(bad, "keys_in: a write-only buffer", c.keys_in = xl_view_of(write, 0))
    EXPECT(bad, "values_out: a write-only buffer", c.values_out = xl_view_of(write, 0))
    clReleaseMemObject(read);
    clReleaseMemObject(write);
}

static void wrong_calls(void **state)
{
    (void)state;
    xl_sort *plan, *keys_only;
    const xl_sort_desc pairs = desc_of(XL_U32, XL_U32, XL_ASCENDING);
    const xl_sort_desc plain = desc_of(XL_U32, XL_NONE, XL_ASCENDING);
    size_t bytes, alignment;
    XLT_OK(xl_sort_create(xlt_context(), &pairs, &plan));
    XLT_OK(xl_sort_create(xlt_context(), &plain, &keys_only));
    const size_t n = 2 * tile_of(plan) + 1;
    XLT_OK(xl_sort_scratch(plan, n, &bytes, &alignment));
    xlt_buffer all = xlt_buffer_make(NULL, 4 * n, 4, 0),
               scratch = xlt_scratch_make(bytes, alignment);
    uint32_t *before = get(16 * n);
    xlt_read(&all, before);
    const size_t at = xlt_view(&all).offset;
    /* The scratch's buffer ends 512 guard bytes behind it: leave less room than that. */
    xl_view tight = xlt_view(&scratch);
    tight.offset += 512;
    const call right = {plan,
                        xlt_queue(),
                        n,
                        xl_view_of(all.mem, at),
                        xl_view_of(all.mem, at + n),
                        xl_view_of(all.mem, at + 2 * n),
                        xl_view_of(all.mem, at + 3 * n),
                        tight,
                        0,
                        NULL};
    good = &right;
    wrong_views(n, all.mem, bytes, alignment);
    wrong_queues_and_waits();
    wrong_access(n);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_in: given", c.plan = keys_only)
    EXPECT(bad, "values_out: given", c.plan = keys_only; c.values_in = xl_no_view())
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n: 4294967296", c.n = (size_t)UINT32_MAX + 1)
    XLT_FAILS(xl_sort_scratch(plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    XLT_FAILS(xl_sort_scratch(plan, n, NULL, &alignment), bad);
    XLT_FAILS(xl_sort_scratch(plan, n, &bytes, NULL), bad);
    assert_int_equal(xl_sort_scratch(NULL, n, &bytes, &alignment), bad);
    cl_event event = (cl_event)&bad;
    assert_int_equal(xl_sort_enqueue(NULL, xlt_queue(),
                                     &(xl_sort_args){.n = n,
                                                     .keys_in = right.keys_in,
                                                     .values_in = right.values_in,
                                                     .keys_out = right.keys_out,
                                                     .values_out = right.values_out,
                                                     .scratch = tight},
                                     0, NULL, &event),
                     bad);
    assert_null(event);
    /* Nothing of all this has written anything; the same call made right works. */
    trial t = trial_of(&pairs, plan, 0, RANDOM);
    check_same(&t, &all, before, "an array");
    xlt_check_guards(&scratch, "scratch");
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(),
                           &(xl_sort_args){.n = n,
                                           .keys_in = right.keys_in,
                                           .values_in = right.values_in,
                                           .keys_out = right.keys_out,
                                           .values_out = right.values_out,
                                           .scratch = tight},
                           0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    free(before);
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_sort_destroy(plan);
    xl_sort_destroy(keys_only);
}

/* Scratch grows with n and never shrinks. */
static void scratch_is_monotone(void **state)
{
    (void)state;
    const xl_sort_desc desc = desc_of(XL_U64, XL_U32, XL_ASCENDING);
    size_t before = 0, bytes, alignment;
    xl_sort *plan;
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    for (size_t n = 0; n < (size_t)1 << 24; n += n / 3 + 1) {
        XLT_OK(xl_sort_scratch(plan, n, &bytes, &alignment));
        assert_true(bytes >= before);
        assert_true(bytes == 0 || bytes >= 12 * n);
        before = bytes;
    }
    xl_sort_destroy(plan);
}

static int teardown(void **state)
{
    (void)state;
    xlt_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_order_at_every_size),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(by_digits),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
        cmocka_unit_test(two_threads_share_a_plan),
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(scratch_is_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}

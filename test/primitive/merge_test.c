/* SPDX-License-Identifier: MIT
 * The merge against its serial reference: every type of keys, any two lengths, any way in which
 * the arrays lie to each other, every shape, arrays that are not in order, and every misuse. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "reference.h"
#include "xlt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- input --------------------------------------------------------------- */

/* What keys there are, and how they are dealt out. */
typedef enum keys_of { RANDOM, FEW_DISTINCT, ALL_EQUAL, SPECIAL, KINDS } keys_of;
typedef enum deal { MIXED, A_FIRST, B_FIRST, INTERLEAVED, RUNS, UNSORTED, DEALS } deal;

static const char *const kind_names[] = {"random", "few distinct", "all equal", "special"};
static const char *const deal_names[] = {"mixed",       "a first", "b first",
                                         "interleaved", "runs",    "not in order"};

/* Of 8 bytes, whose highest are the key: both zeros, the least and greatest numbers beside them,
 * infinities, NaN of both signs. Of integers they are others, and as good. */
static uint64_t special_of(xl_type type, xlt_random *random)
{
    const unsigned mantissa = type == XL_F16 ? 10 : type == XL_F32 ? 23 : 52;
    const unsigned bits = 8 * (unsigned)xl_type_size(type);
    const unsigned low = bits > mantissa ? mantissa : bits / 2;
    const uint64_t ones = ((uint64_t)1 << low) - 1;
    const uint64_t parts[] = {0, 1, ones, ones - 1};
    const uint64_t tops[] = {0, ((uint64_t)1 << (bits - 1 - low)) - 1};
    return (uint64_t)xlt_below(random, 2) << (bits - 1) | tops[xlt_below(random, 2)] << low |
           parts[xlt_below(random, 4)];
}

static void fill(void *keys, xl_type type, keys_of kind, size_t n, xlt_random *random)
{
    const size_t size = xl_type_size(type);
    const uint16_t one = 1;
    const bool little = *(const unsigned char *)&one == 1;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = kind == FEW_DISTINCT ? xlt_below(random, 5) * 0x21436587u
                             : kind == ALL_EQUAL  ? UINT64_C(0x4142434445464748)
                             : kind == SPECIAL    ? special_of(type, random)
                                                  : xlt_next(random);
        memcpy((char *)keys + i * size, (const char *)&key + (little ? 0 : 8 - size), size);
    }
}

static void *get(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* ---- one merge, checked --------------------------------------------------- */

typedef struct trial {
    const char *device; /* which variant of the device */
    const xl_merge_desc *desc;
    xl_merge *plan;
    cl_command_queue queue;
    size_t n_a, n_b, offset;
    keys_of kind;
    deal deal;
    bool own_scratch;
} trial;

/* In memory: a, b and what they make. */
typedef struct host {
    unsigned char *keys[3];
    uint32_t *values[3];
} host;

/* The same on the device. */
typedef struct arrays {
    xlt_buffer keys[3], values[3], scratch;
} arrays;

static const char *const names[] = {"a", "b", "out"};

static const char *describe(const trial *t)
{
    static char text[240];
    snprintf(text, sizeof text, "%s keys, %s values, %s, %zu and %zu, %s, %s, offset %zu%s, %s",
             xl_type_name(t->desc->key), t->desc->value == XL_NONE ? "no" : "u32",
             t->desc->order == XL_DESCENDING ? "descending" : "ascending", t->n_a, t->n_b,
             kind_names[t->kind], deal_names[t->deal], t->offset,
             t->own_scratch ? ", plan's scratch" : "", t->device);
    return text;
}

static size_t length_of(const trial *t, int which)
{
    return which == 0 ? t->n_a : which == 1 ? t->n_b : t->n_a + t->n_b;
}

static void sort(const trial *t, size_t n, void *keys)
{
    assert_true(ref_sort(t->desc->key, t->desc->order == XL_DESCENDING, n, keys, NULL));
}

/* Whether the next of the sorted keys goes to a, of which `a` of n_a and of b `b` of n_b are dealt
 * out. */
static bool goes_to_a(const trial *t, size_t a, size_t b)
{
    if (a == t->n_a || b == t->n_b)
        return a < t->n_a;
    return t->deal == A_FIRST   ? true
           : t->deal == B_FIRST ? false
           : t->deal == RUNS    ? (a + b) / 37 % 2 == 0
                                : (uint64_t)a * t->n_b <= (uint64_t)b * t->n_a;
}

/* Values tell elements apart: those of a, then those of b. */
static host host_make(const trial *t, uint64_t seed)
{
    const size_t n = t->n_a + t->n_b, size = xl_type_size(t->desc->key);
    xlt_random random = {seed + 77 * n + t->n_a};
    host h;
    for (int i = 0; i < 3; ++i) {
        h.keys[i] = get(length_of(t, i) * size);
        h.values[i] = get(length_of(t, i) * 4);
    }
    fill(h.keys[2], t->desc->key, t->kind, n, &random);
    if (t->deal != MIXED && t->deal != UNSORTED)
        sort(t, n, h.keys[2]);
    size_t dealt[2] = {0, 0};
    for (size_t i = 0; i < n; ++i) {
        const int to = !goes_to_a(t, dealt[0], dealt[1]);
        h.values[to][dealt[to]] = (uint32_t)(to ? t->n_a + dealt[1] : dealt[0]);
        memcpy(h.keys[to] + dealt[to]++ * size, h.keys[2] + i * size, size);
    }
    for (int i = 0; t->deal == MIXED && i < 2; ++i)
        sort(t, length_of(t, i), h.keys[i]);
    ref_merge(t->desc->key, t->desc->order == XL_DESCENDING,
              &(ref_run){t->n_a, h.keys[0], h.values[0]},
              &(ref_run){t->n_b, h.keys[1], h.values[1]}, h.keys[2], h.values[2]);
    return h;
}

static void host_free(host *h)
{
    for (int i = 0; i < 3; ++i) {
        free(h->keys[i]);
        free(h->values[i]);
    }
}

static arrays arrays_make(const trial *t, const host *h)
{
    const size_t size = xl_type_size(t->desc->key);
    size_t bytes, alignment;
    arrays a = {0};
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

static void arrays_free(arrays *a)
{
    for (int i = 0; i < 3; ++i) {
        xlt_buffer_free(&a->keys[i]);
        xlt_buffer_free(&a->values[i]);
    }
    xlt_buffer_free(&a->scratch);
}

static xl_view view_or_none(const xlt_buffer *buffer)
{
    return buffer->mem ? xlt_view(buffer) : xl_no_view();
}

static xl_status enqueue(const trial *t, const arrays *a, cl_uint num_waits, const cl_event *waits,
                         cl_event *event)
{
    return xl_merge_enqueue(t->plan, t->queue,
                            &(xl_merge_args){.n_a = t->n_a,
                                             .n_b = t->n_b,
                                             .keys_a = view_or_none(&a->keys[0]),
                                             .values_a = view_or_none(&a->values[0]),
                                             .keys_b = view_or_none(&a->keys[1]),
                                             .values_b = view_or_none(&a->values[1]),
                                             .keys_out = view_or_none(&a->keys[2]),
                                             .values_out = view_or_none(&a->values[2]),
                                             .scratch = view_or_none(&a->scratch)},
                            num_waits, waits, event);
}

static void check_same(const trial *t, const char *what, int which, size_t size, const void *got,
                       const void *wanted)
{
    const size_t n = length_of(t, which);
    for (size_t i = 0; i < n; ++i)
        if (memcmp((const char *)got + i * size, (const char *)wanted + i * size, size) != 0)
            XLT_FAIL("%s: %s of %s: wrong at %zu", describe(t), what, names[which], i);
}

/* Of arrays that are not in order: each value still has the key that it came with. */
static void check_pairs(const trial *t, const host *h, const unsigned char *keys,
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

static void check_result(const trial *t, const host *h, const arrays *a)
{
    const size_t size = xl_type_size(t->desc->key), n = t->n_a + t->n_b;
    const bool pairs = t->desc->value != XL_NONE, sorted = t->deal != UNSORTED;
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

static void run(const trial *t)
{
    cl_event event = NULL;
    host h = host_make(t, 1);
    arrays a = arrays_make(t, &h);
    XLT_OK(enqueue(t, &a, 0, NULL, &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    check_result(t, &h, &a);
    arrays_free(&a);
    host_free(&h);
}

/* ---- plans ---------------------------------------------------------------- */

static xl_merge_desc desc_of(xl_type key, xl_type value, xl_sort_order order)
{
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.key = key;
    desc.value = value;
    desc.order = order;
    return desc;
}

static size_t tile_of(const xl_merge *plan, size_t n)
{
    xl_plan_info info;
    XLT_OK(xl_merge_info(plan, n, &info));
    assert_string_equal(info.algorithm, "merge-path");
    assert_true(info.tile_elements > 0 && info.work_group_size > 0);
    return info.tile_elements;
}

static trial trial_of(const xl_merge_desc *desc, xl_merge *plan)
{
    return (trial){.device = "device as it is", .desc = desc, .plan = plan, .queue = xlt_queue()};
}

/* Every kind of keys and every deal, in turns, at lengths around what matters. */
static void run_lengths(trial t, size_t tile, size_t most)
{
    const size_t lengths[][2] = {{0, 0},        {0, 1},
                                 {1, 0},        {1, 1},
                                 {0, 130},      {130, 0},
                                 {1, 130},      {130, 1},
                                 {31, 32},      {100, 100},
                                 {3, 1000},     {1000, 3},
                                 {tile - 1, 0}, {tile / 2, tile - tile / 2},
                                 {tile, 1},     {1, 2 * tile},
                                 {tile, tile},  {3 * tile + 5, 2 * tile - 1}};
    for (size_t i = 0; i < COUNT(lengths); ++i)
        for (int k = 0; k < (xlt_small() ? 3 : DEALS); ++k) {
            t.n_a = lengths[i][0];
            t.n_b = lengths[i][1];
            if (t.n_a + t.n_b > most)
                continue;
            t.deal = xlt_small() ? (deal)((i + 2 * (size_t)k) % DEALS) : (deal)k;
            t.kind = (keys_of)((i + (size_t)k) % KINDS);
            t.offset = (i + (size_t)k) % 5;
            t.own_scratch = i % 2 == 1;
            run(&t);
        }
}

static void every_type(void **state)
{
    (void)state;
    static const xl_type keys[] = {XL_U32, XL_F32, XL_I8,  XL_U8,  XL_I16, XL_U16,
                                   XL_I32, XL_I64, XL_U64, XL_F16, XL_F64};
    const size_t count = xlt_small() ? 2 : COUNT(keys);
    for (size_t k = 0; k < 2 * count; ++k) {
        xl_merge *plan;
        /* With each type values go with one order and none with the other. */
        const xl_merge_desc desc = desc_of(keys[k / 2], (k / 2 + k) % 2 ? XL_NONE : XL_U32,
                                           k % 2 ? XL_DESCENDING : XL_ASCENDING);
        if (xlt_few_programs() && k % 2 != k / 2 % 2)
            continue;
        XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
        run_lengths(trial_of(&desc, plan), tile_of(plan, 1), xlt_small() ? 300 : 40000);
        xl_merge_destroy(plan);
    }
}

static void large_lengths(void **state)
{
    (void)state;
    static const size_t lengths[][2] = {
        {65536, 65536}, {100003, 17}, {5, 200000}, {1 << 20, (1 << 20) + 1}, {1 << 19, 77777}};
    const xl_merge_desc descs[] = {desc_of(XL_U32, XL_U32, XL_ASCENDING),
                                   desc_of(XL_F64, XL_NONE, XL_DESCENDING)};
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    for (size_t d = 0; d < COUNT(descs); ++d) {
        xl_merge *plan;
        XLT_OK(xl_merge_create(xlt_context(), &descs[d], &plan));
        for (size_t i = 0; i < COUNT(lengths); ++i) {
            trial t = trial_of(&descs[d], plan);
            t.n_a = lengths[i][0];
            t.n_b = lengths[i][1];
            t.kind = i % 2 ? FEW_DISTINCT : RANDOM;
            for (t.deal = 0; t.deal < DEALS; ++t.deal)
                run(&t);
        }
        xl_merge_destroy(plan);
    }
}

static const struct variant {
    const char *name, *mask;
    xl_tunable tunables[4];
} variants[] = {
    {"groups as built in", NULL, {{"merge.serial", 0}}},
    {"groups of 8 holding 3, cuts beforehand",
     NULL,
     {{"merge.serial", 0},
      {"merge.group", 8},
      {"merge.item_bytes", 12},
      {"merge.search_tiles", 0}}},
    {"groups of 8 holding 3, no cuts beforehand",
     NULL,
     {{"merge.serial", 0},
      {"merge.group", 8},
      {"merge.item_bytes", 12},
      {"merge.search_tiles", 4294967295}}},
    {"groups of 37 holding 4, some cuts beforehand",
     NULL,
     {{"merge.serial", 0},
      {"merge.group", 37},
      {"merge.item_bytes", 16},
      {"merge.search_tiles", 2}}},
    {"groups of 1",
     "work-group=1",
     {{"merge.serial", 0}, {"merge.item_bytes", 12}, {"merge.search_tiles", 2}}},
    {"chunks of 1", NULL, {{"merge.serial", 1}, {"merge.chunk", 1}}},
    {"chunks of 41", NULL, {{"merge.serial", 1}, {"merge.chunk", 41}}},
    {"chunks as built in", NULL, {{"merge.serial", 1}}},
};

static xl_context *variant_context(const struct variant *v)
{
    xl_context *ctx;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.mask = v->mask;
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &desc,
                            &ctx));
    return ctx;
}

static xl_merge *variant_plan(const struct variant *v, xl_context *ctx, xl_merge_desc *desc)
{
    xl_merge *plan;
    desc->tunables = v->tunables;
    desc->num_tunables = 0;
    while (desc->num_tunables < COUNT(v->tunables) && v->tunables[desc->num_tunables].name)
        ++desc->num_tunables;
    if (xl_merge_create(ctx, desc, &plan) != XL_SUCCESS)
        XLT_FAIL("%s: %.700s", v->name, xl_context_error(ctx));
    return plan;
}

/* All small lengths, so that each place of a tile is once where an array ends. */
static void run_variant(const struct variant *v, xl_merge_desc desc)
{
    xl_context *ctx = variant_context(v);
    xl_merge *plan = variant_plan(v, ctx, &desc);
    const size_t tile = tile_of(plan, 1), step = xlt_small() ? 19 : tile > 100 ? 7 : 3;
    trial t = trial_of(&desc, plan);
    t.device = v->name;
    for (t.n_a = 0; t.n_a < 90; t.n_a += step)
        for (t.n_b = 0; t.n_b < 90; t.n_b += step) {
            t.kind = (keys_of)((t.n_a / step + t.n_b / step) % KINDS);
            t.deal = (deal)((t.n_a / step + 2 * (t.n_b / step)) % DEALS);
            t.own_scratch = t.n_a % 2 == 0;
            run(&t);
        }
    if (!xlt_small())
        run_lengths(t, tile, 40000);
    xl_merge_destroy(plan);
    xl_context_destroy(ctx);
}

static void other_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(variants); ++i) {
        run_variant(&variants[i], desc_of(XL_U32, XL_U32, XL_ASCENDING));
        if (i % 2 == 0 && !xlt_few_programs())
            run_variant(&variants[i], desc_of(XL_U64, i % 4 ? XL_NONE : XL_U32, XL_DESCENDING));
    }
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t i = 0; i < COUNT(variants); ++i) {
            const struct variant *const v = &variants[i];
            xl_context *ctx = variant_context(v);
            xl_merge_desc desc = desc_of(XL_U32, XL_U32, XL_ASCENDING);
            xl_merge *plan = variant_plan(v, ctx, &desc);
            const size_t tile = tile_of(plan, 1);
            const size_t lengths[][2] = {
                {1, 0}, {0, 1}, {tile - 1, 1}, {tile, tile}, {2 * tile + 1, 3}, {7, 3 * tile + 5}};
            trial t = trial_of(&desc, plan);
            t.device = v->name;
            for (size_t k = 0; k < COUNT(lengths) * DEALS; ++k) {
                t.n_a = lengths[k / DEALS][0];
                t.n_b = lengths[k / DEALS][1];
                t.deal = (deal)(k % DEALS);
                if (!xlt_small() || (t.n_a + t.n_b < 500 && k % 2 == 0))
                    run(&t);
            }
            xl_merge_destroy(plan);
            xl_context_destroy(ctx);
        }
}

/* Both arrays may be one. */
static void an_array_with_itself(void **state)
{
    (void)state;
    enum { N = 700 };
    uint32_t keys[N], got[2 * N];
    xl_merge_desc desc = desc_of(XL_U32, XL_NONE, XL_ASCENDING);
    xl_merge *plan;
    for (uint32_t i = 0; i < N; ++i)
        keys[i] = 3 * i;
    XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
    xlt_buffer in = xlt_buffer_make(keys, N, 4, 3), out = xlt_buffer_make(NULL, 2 * N, 4, 1);
    XLT_OK(xl_merge_enqueue(plan, xlt_queue(),
                            &(xl_merge_args){.n_a = N,
                                             .n_b = N,
                                             .keys_a = xlt_view(&in),
                                             .keys_b = xlt_view(&in),
                                             .keys_out = xlt_view(&out)},
                            0, NULL, NULL));
    xlt_read(&out, got);
    for (uint32_t i = 0; i < 2 * N; ++i)
        assert_int_equal(got[i], 3 * (i / 2));
    xlt_check_guards(&in, "in");
    xlt_check_guards(&out, "out");
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    xl_merge_destroy(plan);
}

/* ---- queues and events ------------------------------------------------------ */

/* Out of order: a merge that waits for an event which the host sets late, and one of its result
 * that waits for it. */
static void out_of_order_by_events(void **state)
{
    (void)state;
    static const struct variant two_launches = {"two launches",
                                                NULL,
                                                {{"merge.serial", 0},
                                                 {"merge.group", 8},
                                                 {"merge.item_bytes", 12},
                                                 {"merge.search_tiles", 0}}};
    xl_merge_desc desc = desc_of(XL_U32, XL_U32, XL_DESCENDING);
    cl_command_queue queue = xlt_out_of_order_queue();
    xl_merge *plan = variant_plan(&two_launches, xlt_context(), &desc);
    trial first = trial_of(&desc, plan);
    first.queue = queue;
    first.n_a = 200;
    first.n_b = 133;
    trial second = first;
    second.n_a = first.n_a + first.n_b;
    second.n_b = 190;
    second.own_scratch = true;
    host h = host_make(&first, 5), g = host_make(&second, 6);
    arrays a = arrays_make(&first, &h), b = arrays_make(&second, &g);
    memcpy(g.keys[0], h.keys[2], 4 * second.n_a);
    memcpy(g.values[0], h.values[2], 4 * second.n_a);
    ref_merge(XL_U32, true, &(ref_run){second.n_a, g.keys[0], g.values[0]},
              &(ref_run){second.n_b, g.keys[1], g.values[1]}, g.keys[2], g.values[2]);
    xlt_buffer given[2] = {b.keys[0], b.values[0]};
    b.keys[0] = a.keys[2];
    b.values[0] = a.values[2];
    cl_event events[3] = {xlt_user_event()};
    XLT_OK(enqueue(&first, &a, 1, &events[0], &events[1]));
    XLT_OK(enqueue(&second, &b, 1, &events[1], &events[2]));
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[2]));
    check_result(&first, &h, &a);
    check_result(&second, &g, &b);
    b.keys[0] = given[0];
    b.values[0] = given[1];
    for (int i = 0; i < 3; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    arrays_free(&a);
    arrays_free(&b);
    host_free(&h);
    host_free(&g);
    XLT_CL(clReleaseCommandQueue(queue));
    xl_merge_destroy(plan);
}

static void nothing_yields_an_event(void **state)
{
    (void)state;
    xl_merge_desc desc;
    xl_merge *plan;
    cl_event event = NULL;
    xl_merge_desc_init(&desc);
    XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_merge_enqueue(plan, xlt_queue(), &(xl_merge_args){.n_a = 0}, 0, NULL, &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    XLT_OK(xl_merge_enqueue(plan, xlt_queue(), &(xl_merge_args){.n_a = 0}, 0, NULL, NULL));
    xl_merge_destroy(plan);
    xl_merge_destroy(NULL);
    xl_merge_desc_init(NULL);
}

/* ---- misuse --------------------------------------------------------------- */

static void wrong_descriptors(void **state)
{
    (void)state;
    const struct {
        const char *said;
        xl_merge_desc desc;
    } cases[] = {
        {"desc.key: ", {.key = XL_NONE}},
        {"desc.key: ", {.key = (xl_type)99}},
        {"desc.value: u64", {.key = XL_U32, .value = XL_U64}},
        {"desc.order: unknown value 7", {.key = XL_U32, .order = 7}},
        {"desc.reserved: 3, but must be 0", {.key = XL_U32, .reserved = 3}},
    };
    xl_merge *plan;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < COUNT(cases); ++i) {
        xl_merge_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        plan = (xl_merge *)&desc;
        XLT_FAILS(xl_merge_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
        assert_null(plan);
        if (!strstr(xl_context_error(ctx), cases[i].said))
            XLT_FAIL("\"%s\" is not in: %s", cases[i].said, xl_context_error(ctx));
    }
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.struct_size = 3;
    XLT_FAILS(xl_merge_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
    xl_merge_desc_init(&desc);
    XLT_FAILS(xl_merge_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_merge_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(xl_merge_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
}

/* A right call, of which one argument at a time is made wrong. All arrays stand in one buffer, so
 * that they can be made to overlap. */
typedef struct call {
    xl_merge *plan;
    cl_command_queue queue;
    xl_merge_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static const call *good;

static void expect_fail(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&good;
    xl_context *ctx = xlt_context();
    const xl_status got =
        xl_merge_enqueue(c->plan, c->queue, &c->args, c->num_waits, c->waits, &event);
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
        xl_merge_args *const x = &c.args;                                                          \
        __VA_ARGS__;                                                                               \
        expect_fail(&c, status, said);                                                             \
        (void)x;                                                                                   \
    }

static void wrong_views(cl_mem all, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    const xl_view none = xl_no_view();
    EXPECT(bad, "keys_a: no buffer", x->keys_a = none)
    EXPECT(bad, "keys_b: no buffer", x->keys_b = none)
    EXPECT(bad, "keys_out: no buffer", x->keys_out = none)
    EXPECT(bad, "values_a: no buffer", x->values_a = none)
    EXPECT(bad, "values_b: no buffer", x->values_b = none)
    EXPECT(bad, "values_out: no buffer", x->values_out = none)
    EXPECT(bad, "keys_a: elements from", x->keys_a.offset = SIZE_MAX)
    EXPECT(bad, "values_out: elements from", x->values_out.offset = SIZE_MAX / 8)
    EXPECT(overlap, "keys_a and keys_out", x->keys_out = x->keys_a)
    EXPECT(overlap, "keys_b and keys_out", x->keys_out.offset = x->keys_b.offset + 1)
    EXPECT(overlap, "values_a and keys_out", x->keys_out = x->values_a)
    EXPECT(overlap, "values_b and keys_out", x->keys_out = x->values_b)
    EXPECT(overlap, "keys_a and values_out", x->values_out = x->keys_a)
    EXPECT(overlap, "keys_b and values_out", x->values_out = x->keys_b)
    EXPECT(overlap, "values_a and values_out", x->values_out = x->values_a)
    EXPECT(overlap, "values_b and values_out", x->values_out = x->values_b)
    EXPECT(overlap, "keys_out and values_out", x->values_out = x->keys_out)
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += 2 * alignment)
    EXPECT(overlap, "keys_a", x->scratch = xl_view_of(all, 4 * x->keys_a.offset))
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
    cl_mem mem = clCreateBuffer(cl, CL_MEM_READ_WRITE, 4096, NULL, &code);
    XLT_CL(code);
    const cl_event none = NULL;
    EXPECT(bad, "queue: NULL", c.queue = NULL)
    EXPECT(bad, "queue", c.queue = queue)
    EXPECT(bad, "keys_b: a buffer of another", x->keys_b = xl_view_of(mem, 0))
    EXPECT(bad, "waits", c.num_waits = 1)
    EXPECT(bad, "waits", c.waits = &none)
    EXPECT(bad, "waits[0]", c.num_waits = 1; c.waits = &none)
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
}

static void wrong_access(void)
{
    cl_int code;
    cl_context cl = xl_context_cl(xlt_context());
    cl_mem read = clCreateBuffer(cl, CL_MEM_READ_ONLY, 4096, NULL, &code);
    XLT_CL(code);
    cl_mem write = clCreateBuffer(cl, CL_MEM_WRITE_ONLY, 4096, NULL, &code);
    XLT_CL(code);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "keys_out: a read-only buffer", x->keys_out = xl_view_of(read, 0))
    EXPECT(bad, "values_out: a read-only buffer", x->values_out = xl_view_of(read, 0))
    EXPECT(bad, "keys_a: a write-only buffer", x->keys_a = xl_view_of(write, 0))
    EXPECT(bad, "values_b: a write-only buffer", x->values_b = xl_view_of(write, 0))
    clReleaseMemObject(read);
    clReleaseMemObject(write);
}

static void wrong_lengths(const xl_merge *plan)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    size_t bytes, alignment;
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n_a, n_b: 4294967296 and 60, at most 4294967295 elements together",
           x->n_a = (size_t)UINT32_MAX + 1)
    EXPECT(bad, "n_a, n_b: 4294967295 and 60", x->n_a = UINT32_MAX)
    XLT_FAILS(xl_merge_scratch(plan, (size_t)UINT32_MAX + 1, &bytes, &alignment), bad);
#endif
    EXPECT(bad, "n_a, n_b: 40 and ", x->n_b = SIZE_MAX)
    XLT_FAILS(xl_merge_scratch(plan, 1, NULL, &alignment), bad);
    XLT_FAILS(xl_merge_scratch(plan, 1, &bytes, NULL), bad);
    assert_int_equal(xl_merge_scratch(NULL, 1, &bytes, &alignment), bad);
    assert_int_equal(xl_merge_enqueue(NULL, xlt_queue(), &good->args, 0, NULL, NULL), bad);
    XLT_FAILS(xl_merge_enqueue(good->plan, xlt_queue(), NULL, 0, NULL, NULL), bad);
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N_A = 40, N_B = 60, N = N_A + N_B };
    static const struct variant tiles = {"tiles of 24",
                                         NULL,
                                         {{"merge.serial", 0},
                                          {"merge.group", 8},
                                          {"merge.item_bytes", 12},
                                          {"merge.search_tiles", 0}}};
    xl_merge_desc pairs = desc_of(XL_U32, XL_U32, XL_ASCENDING);
    xl_merge_desc plain = desc_of(XL_U32, XL_NONE, XL_ASCENDING);
    xl_merge *plan = variant_plan(&tiles, xlt_context(), &pairs), *keys_only;
    size_t bytes, alignment;
    XLT_OK(xl_merge_create(xlt_context(), &plain, &keys_only));
    XLT_OK(xl_merge_scratch(plan, N, &bytes, &alignment));
    assert_true(bytes > 0);
    xlt_buffer all = xlt_buffer_make(NULL, 4 * N, 4, 0),
               scratch = xlt_scratch_make(bytes, alignment);
    uint32_t before[4 * N], after[4 * N];
    xlt_read(&all, before);
    const size_t at = xlt_view(&all).offset;
    /* The scratch's buffer ends 512 guard bytes behind it: leave less room than that. */
    xl_view tight = xlt_view(&scratch);
    tight.offset += 512;
    const call right = {plan,
                        xlt_queue(),
                        {.n_a = N_A,
                         .n_b = N_B,
                         .keys_a = xl_view_of(all.mem, at),
                         .keys_b = xl_view_of(all.mem, at + N_A),
                         .values_a = xl_view_of(all.mem, at + N),
                         .values_b = xl_view_of(all.mem, at + N + N_A),
                         .keys_out = xl_view_of(all.mem, at + 2 * N),
                         .values_out = xl_view_of(all.mem, at + 3 * N),
                         .scratch = tight},
                        0,
                        NULL};
    good = &right;
    wrong_views(all.mem, alignment);
    wrong_queues_and_waits();
    wrong_access();
    wrong_lengths(plan);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_a: given", c.plan = keys_only)
    EXPECT(bad, "values_b: given", c.plan = keys_only; x->values_a = xl_no_view())
    EXPECT(bad, "values_out: given", c.plan = keys_only; x->values_a = x->values_b = xl_no_view())
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_read(&all, after);
    assert_memory_equal(before, after, sizeof before);
    xlt_check_guards(&all, "an array");
    xlt_check_guards(&scratch, "scratch");
    XLT_OK(xl_merge_enqueue(plan, xlt_queue(), &right.args, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    xlt_buffer_free(&all);
    xlt_buffer_free(&scratch);
    xl_merge_destroy(plan);
    xl_merge_destroy(keys_only);
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
        cmocka_unit_test(every_type),
        cmocka_unit_test(large_lengths),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(an_array_with_itself),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}

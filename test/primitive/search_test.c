/* SPDX-License-Identifier: MIT
 * Searches in sorted arrays against their serial reference: every type of keys, both sides of equal
 * keys, queries in and out of order, keys out of order, and every shape. */
#include "reference.h"
#include "xlt_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- input --------------------------------------------------------------- */

/* The order of queries: of RISING_IN_PART every tenth falls. */
typedef enum rise { ANY, RISING, RISING_IN_PART, ORDERS } rise;

static const char *const order_names[] = {"any order", "rising", "rising in part"};

static void *get(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    assert_non_null(memory);
    return memory;
}

/* ---- one search, checked -------------------------------------------------- */

typedef struct trial {
    const char *device; /* which variant of the device */
    const xl_search_desc *desc;
    xl_search *plan;
    cl_command_queue queue;
    size_t n, num_queries, offset;
    xlt_keys kind;
    rise order;
    bool unsorted_keys; /* whatever the plan is for */
    bool own_scratch;
} trial;

typedef struct arrays {
    void *keys_before, *queries_before;
    xlt_buffer keys, queries, places, scratch;
} arrays;

static const char *describe(const trial *t)
{
    static const char *const kinds[] = {"lower", "upper", "unsorted"};
    static char text[240];
    snprintf(text, sizeof text, "%s, %s keys, %s places, %s, n %zu, %zu queries, %s, %s, %s",
             kinds[t->desc->kind], xl_type_name(t->desc->key), xl_type_name(t->desc->index),
             t->desc->order == XL_DESCENDING ? "descending" : "ascending", t->n, t->num_queries,
             xlt_keys_names[t->kind], order_names[t->order], t->device);
    return text;
}

static bool descends(const trial *t)
{
    return t->desc->order == XL_DESCENDING;
}

static void sort(const trial *t, size_t n, void *keys)
{
    assert_true(t->desc->equal_zeros
                    ? ref_sort_equal_zeros(t->desc->key, descends(t), n, keys, NULL)
                    : ref_sort(t->desc->key, descends(t), n, keys, NULL));
}

/* A copy of n keys, where zeros have no sign if they are equal. */
static unsigned char *ranked(const trial *t, size_t n, const void *keys)
{
    const size_t bytes = n * xl_type_size(t->desc->key);
    unsigned char *copy = get(bytes);
    memcpy(copy, keys, bytes);
    if (t->desc->equal_zeros)
        ref_equal_zeros(t->desc->key, n, copy);
    return copy;
}

/* Half of the queries are keys that are there. */
static void fill_queries(const trial *t, const void *keys, unsigned char *queries,
                         xlt_random *random)
{
    const size_t size = xl_type_size(t->desc->key), num = t->num_queries;
    xlt_keys_fill(queries, t->desc->key, t->kind == XLT_KEYS_ALL_EQUAL ? XLT_KEYS_RANDOM : t->kind,
                  num, random);
    for (size_t i = 0; t->n > 0 && i < num; i += 2)
        memcpy(queries + i * size, (const char *)keys + xlt_below(random, (uint32_t)t->n) * size,
               size);
    if (t->order != ANY)
        sort(t, num, queries);
    for (size_t i = 10; t->order == RISING_IN_PART && i < num; i += 10)
        memcpy(queries + i * size, queries, size);
}

static arrays arrays_make(const trial *t)
{
    const bool of_queries = t->desc->kind != XL_SEARCH_UNSORTED;
    const size_t size = xl_type_size(t->desc->key);
    xlt_random random = {99 + 77 * t->n + t->num_queries};
    size_t bytes, alignment;
    arrays a = {.keys_before = get(t->n * size), .queries_before = get(t->num_queries * size)};
    xlt_keys_fill(a.keys_before, t->desc->key, t->kind, t->n, &random);
    if (!t->unsorted_keys)
        sort(t, t->n, a.keys_before);
    fill_queries(t, a.keys_before, a.queries_before, &random);
    a.keys = xlt_buffer_make(a.keys_before, t->n, size, t->offset);
    if (of_queries)
        a.queries = xlt_buffer_make(a.queries_before, t->num_queries, size, t->offset + 1);
    a.places = xlt_buffer_make(NULL, of_queries ? t->num_queries : 1, xl_type_size(t->desc->index),
                               t->offset + 2);
    XLT_OK(xl_search_scratch(t->plan, t->n, &bytes, &alignment));
    if (!t->own_scratch)
        a.scratch = xlt_scratch_make(bytes, alignment);
    return a;
}

static void arrays_free(arrays *a)
{
    xlt_buffer_free(&a->keys);
    xlt_buffer_free(&a->queries);
    xlt_buffer_free(&a->places);
    xlt_buffer_free(&a->scratch);
    free(a->keys_before);
    free(a->queries_before);
}

static xl_status enqueue(const trial *t, const arrays *a, cl_uint num_waits, const cl_event *waits,
                         cl_event *event)
{
    return xl_search_enqueue(t->plan, t->queue,
                             &(xl_search_args){.n = t->n,
                                               .keys = xlt_view(&a->keys),
                                               .num_queries = t->num_queries,
                                               .queries = xlt_view(&a->queries),
                                               .indices_out = xlt_view(&a->places),
                                               .scratch = xlt_view(&a->scratch)},
                             num_waits, waits, event);
}

static uint64_t place_at(const trial *t, const void *places, size_t i)
{
    return t->desc->index == XL_U64 ? ((const uint64_t *)places)[i] : ((const uint32_t *)places)[i];
}

static void check_places(const trial *t, const arrays *a, const void *places)
{
    const xl_type key = t->desc->key;
    const size_t size = xl_type_size(key);
    unsigned char *keys = ranked(t, t->n, a->keys_before);
    unsigned char *queries = ranked(t, t->num_queries, a->queries_before);
    if (t->desc->kind == XL_SEARCH_UNSORTED) {
        const uint64_t wanted = ref_unsorted(key, descends(t), t->n, keys);
        if (place_at(t, places, 0) != wanted)
            XLT_FAIL("%s: %llu, not %llu", describe(t), (unsigned long long)place_at(t, places, 0),
                     (unsigned long long)wanted);
    }
    for (size_t i = 0; i < t->num_queries; ++i) {
        const uint64_t got = place_at(t, places, i);
        const uint64_t wanted = t->unsorted_keys
                                    ? (got < t->n ? got : t->n)
                                    : ref_bound(key, descends(t), t->desc->kind == XL_SEARCH_UPPER,
                                                t->n, keys, queries + i * size);
        if (got != wanted)
            XLT_FAIL("%s: query %zu: %llu, not %llu", describe(t), i, (unsigned long long)got,
                     (unsigned long long)wanted);
    }
    free(keys);
    free(queries);
}

static void check_kept(const trial *t, const xlt_buffer *buffer, const void *before,
                       const char *name)
{
    void *now = get(buffer->n * buffer->size);
    xlt_read(buffer, now);
    if (memcmp(now, before, buffer->n * buffer->size) != 0)
        XLT_FAIL("%s: %s was changed", describe(t), name);
    xlt_check_guards(buffer, name);
    free(now);
}

static void check_result(const trial *t, const arrays *a)
{
    void *places = get(a->places.n * a->places.size);
    xlt_read(&a->places, places);
    check_places(t, a, places);
    xlt_check_guards(&a->places, "indices_out");
    check_kept(t, &a->keys, a->keys_before, "keys");
    if (a->queries.mem)
        check_kept(t, &a->queries, a->queries_before, "queries");
    if (a->scratch.mem)
        xlt_check_guards(&a->scratch, "scratch");
    free(places);
}

static void run(const trial *t)
{
    cl_event event = NULL;
    arrays a = arrays_make(t);
    XLT_OK(enqueue(t, &a, 0, NULL, &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    check_result(t, &a);
    arrays_free(&a);
}

/* ---- plans ---------------------------------------------------------------- */

static xl_search_desc desc_of(xl_type key, xl_sort_order order, xl_search_kind kind, xl_type index)
{
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.key = key;
    desc.order = order;
    desc.kind = kind;
    desc.index = index;
    return desc;
}

static trial trial_of(const xl_search_desc *desc, xl_search *plan)
{
    return (trial){.device = "device as it is", .desc = desc, .plan = plan, .queue = xlt_queue()};
}

static void run_lengths(trial t)
{
    static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 31, 64, 100, 257, 1000, 5003};
    static const size_t queries[] = {0, 1, 7, 8, 9, 100, 257, 1030};
    const bool of_queries = t.desc->kind != XL_SEARCH_UNSORTED;
    for (size_t i = 0; i < COUNT(lengths) * COUNT(queries); ++i) {
        t.n = lengths[i % COUNT(lengths)];
        t.num_queries = of_queries ? queries[i / COUNT(lengths)] : 0;
        if (xlt_small() && (i % 3 != 0 || t.n > 300 || t.num_queries > 300))
            continue;
        t.kind = (xlt_keys)((i + i / XLT_KEYS_KINDS) % XLT_KEYS_KINDS);
        t.order = of_queries ? (rise)(i % 7 % ORDERS) : ANY;
        t.unsorted_keys = i % 11 == 3;
        t.offset = i % 5;
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
    for (size_t k = 0; k < 3 * count; ++k) {
        const xl_search_kind kind = (xl_search_kind)(k % 3);
        const bool wide = kind == XL_SEARCH_UNSORTED || k % 2 == 0;
        const xl_search_desc desc =
            desc_of(keys[k / 3], k / 3 % 2 == (k % 3 == 0) ? XL_DESCENDING : XL_ASCENDING, kind,
                    wide ? XL_U64 : XL_U32);
        xl_search *plan;
        if (xlt_few_programs() && k % 3 != k / 3 % 3)
            continue;
        XLT_OK(xl_search_create(xlt_context(), &desc, &plan));
        run_lengths(trial_of(&desc, plan));
        xl_search_destroy(plan);
    }
}

static const struct variant {
    const char *name, *mask;
    xl_tunable tunables[4];
} variants[] = {
    {"groups as built in", NULL, {{"search.serial", 0}}},
    {"groups of 8 with 3", NULL, {{"search.serial", 0}, {"search.group", 8}, {"search.items", 3}}},
    {"groups of 37 with 1",
     NULL,
     {{"search.serial", 0}, {"search.group", 37}, {"search.items", 1}}},
    {"groups of 1", "work-group=1", {{"search.serial", 0}, {"search.items", 4}}},
    {"chunks of 1", NULL, {{"search.serial", 1}, {"search.items", 1}, {"search.queries", 1}}},
    {"chunks of 40", NULL, {{"search.serial", 1}, {"search.items", 4}, {"search.queries", 42}}},
    {"chunks as built in", NULL, {{"search.serial", 1}}},
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

static xl_search *variant_plan(const struct variant *v, xl_context *ctx, xl_search_desc *desc)
{
    xl_search *plan;
    desc->tunables = v->tunables;
    desc->num_tunables = 0;
    while (desc->num_tunables < COUNT(v->tunables) && v->tunables[desc->num_tunables].name)
        ++desc->num_tunables;
    if (xl_search_create(ctx, desc, &plan) != XL_SUCCESS)
        XLT_FAIL("%s: %.700s", v->name, xl_context_error(ctx));
    return plan;
}

static void other_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(variants) * 3; ++i) {
        const struct variant *const v = &variants[i / 3];
        const xl_search_kind kind = (xl_search_kind)(i % 3);
        xl_search_desc desc =
            desc_of(XL_U32, XL_ASCENDING, kind, i % 2 || i % 3 == 2 ? XL_U64 : XL_U32);
        if (xlt_few_programs() && i % 3 == i / 3 % 2)
            continue;
        xl_context *ctx = variant_context(v);
        xl_search *plan = variant_plan(v, ctx, &desc);
        trial t = trial_of(&desc, plan);
        t.device = v->name;
        run_lengths(t);
        xl_search_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* -0 and +0 are equal, among the keys and as queries. */
static void zeros_of_both_signs(void **state)
{
    (void)state;
    static const xl_type keys[] = {XL_F32, XL_F64, XL_F16, XL_I32};
    for (size_t i = 0; i < COUNT(keys) * 3 * COUNT(variants); ++i) {
        const struct variant *const v = &variants[i % COUNT(variants)];
        const size_t k = i / COUNT(variants) / 3;
        const xl_search_kind kind = (xl_search_kind)(i / COUNT(variants) % 3);
        if ((xlt_few_programs() || xlt_on_oclgrind()) &&
            (k % 3 != kind || i % COUNT(variants) != (3 * kind + k) % COUNT(variants)))
            continue;
        xl_search_desc desc = desc_of(keys[k], i % 2 ? XL_DESCENDING : XL_ASCENDING, kind, XL_U64);
        desc.equal_zeros = 1;
        xl_context *ctx = variant_context(v);
        xl_search *plan = variant_plan(v, ctx, &desc);
        trial t = trial_of(&desc, plan);
        t.device = v->name;
        t.kind = XLT_KEYS_ZEROS;
        for (t.n = 1; t.n < (xlt_small() ? 200u : 3000u); t.n += t.n / 2 + 1)
            for (t.order = 0; t.order < ORDERS; ++t.order) {
                t.num_queries = kind == XL_SEARCH_UNSORTED ? 0 : 50;
                t.unsorted_keys = kind == XL_SEARCH_UNSORTED && t.order == ANY;
                run(&t);
            }
        xl_search_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* The first zero of an array is found whatever its sign, and that of the query. */
static void zero_is_found(void **state)
{
    (void)state;
    static const float keys[] = {-1, -0.0f, 0, 1}, queries[] = {0, -0.0f};
    static const uint64_t wanted[2][2] = {{1, 1}, {3, 3}};
    xlt_buffer in = xlt_buffer_make(keys, 4, 4, 0), asked = xlt_buffer_make(queries, 2, 4, 1);
    for (int upper = 0; upper < 2; ++upper) {
        xl_search_desc desc = desc_of(XL_F32, XL_ASCENDING, (xl_search_kind)upper, XL_U64);
        xl_search *plan;
        uint64_t got[2];
        desc.equal_zeros = 1;
        XLT_OK(xl_search_create(xlt_context(), &desc, &plan));
        xlt_buffer out = xlt_buffer_make(NULL, 2, 8, 0);
        XLT_OK(xl_search_enqueue(plan, xlt_queue(),
                                 &(xl_search_args){.n = 4,
                                                   .keys = xlt_view(&in),
                                                   .num_queries = 2,
                                                   .queries = xlt_view(&asked),
                                                   .indices_out = xlt_view(&out)},
                                 0, NULL, NULL));
        xlt_read(&out, got);
        assert_memory_equal(got, wanted[upper], sizeof got);
        xlt_buffer_free(&out);
        xl_search_destroy(plan);
    }
    xlt_buffer_free(&in);
    xlt_buffer_free(&asked);
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t i = 0; i < COUNT(variants) * 3; ++i) {
            const struct variant *const v = &variants[i / 3];
            xl_search_desc desc = desc_of(XL_U32, XL_ASCENDING, (xl_search_kind)(i % 3), XL_U64);
            if (xlt_few_programs() && i % 3 == i / 3 % 2)
                continue;
            xl_context *ctx = variant_context(v);
            xl_search *plan = variant_plan(v, ctx, &desc);
            trial t = trial_of(&desc, plan);
            t.device = v->name;
            run_lengths(t);
            xl_search_destroy(plan);
            xl_context_destroy(ctx);
        }
}

/* Keys in order but for a few places, of which the lowest counts, wherever a chunk's border is. */
static void the_lowest_place(void **state)
{
    (void)state;
    const size_t n = xlt_small() ? 40000 : 700003;
    const size_t places[] = {1, 2, 37, 16383, 16384, 16385, 16386, 32769, n / 2, n - 2, n - 1};
    const xl_search_desc desc = desc_of(XL_U32, XL_ASCENDING, XL_SEARCH_UNSORTED, XL_U64);
    const struct variant *const shapes[] = {&variants[0], &variants[2], &variants[6]};
    uint32_t *keys = get(4 * n);
    for (size_t s = 0; s < COUNT(shapes); ++s) {
        xl_search_desc shaped = desc;
        xl_search *plan = variant_plan(shapes[s], xlt_context(), &shaped);
        for (size_t i = 0; i <= COUNT(places); ++i) {
            const uint64_t wanted = i < COUNT(places) ? places[i] : n;
            uint64_t got[2] = {0, 0};
            for (size_t k = 0; k < n; ++k)
                keys[k] = (uint32_t)(k / 3);
            for (size_t k = 0; k < COUNT(places); ++k) /* the i-th, and all that are above it */
                if (places[k] >= wanted && places[k] > 0)
                    keys[places[k] - 1] = UINT32_MAX - (uint32_t)(n - places[k]);
            if (ref_unsorted(XL_U32, false, n, keys) != wanted)
                continue; /* two places side by side */
            xlt_buffer in = xlt_buffer_make(keys, n, 4, i), out = xlt_buffer_make(NULL, 1, 8, 1);
            const xl_search_args args = {
                .n = n, .keys = xlt_view(&in), .indices_out = xlt_view(&out)};
            XLT_OK(xl_search_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
            xlt_read(&out, got);
            if (got[0] != wanted)
                XLT_FAIL("%s: %llu, not %llu", shapes[s]->name, (unsigned long long)got[0],
                         (unsigned long long)wanted);
            xlt_check_guards(&out, "indices_out");
            xlt_buffer_free(&in);
            xlt_buffer_free(&out);
        }
        xl_search_destroy(plan);
    }
    free(keys);
}

static void many_keys(void **state)
{
    (void)state;
    const xl_search_desc desc = desc_of(XL_F32, XL_ASCENDING, XL_SEARCH_UPPER, XL_U32);
    xl_search *plan;
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    XLT_OK(xl_search_create(xlt_context(), &desc, &plan));
    trial t = trial_of(&desc, plan);
    t.n = 300007;
    t.num_queries = 400;
    for (t.order = 0; t.order < ORDERS; ++t.order)
        run(&t);
    xl_search_destroy(plan);
}

/* ---- queues and events ------------------------------------------------------ */

/* Out of order: a search that waits for an event which the host sets late, and one among its
 * places that waits for it. */
static void out_of_order_by_events(void **state)
{
    (void)state;
    const xl_search_desc desc = desc_of(XL_U32, XL_ASCENDING, XL_SEARCH_LOWER, XL_U32);
    const xl_search_desc asks = desc_of(XL_U32, XL_ASCENDING, XL_SEARCH_UNSORTED, XL_U64);
    cl_command_queue queue = xlt_out_of_order_queue();
    xl_search *plan, *asking;
    uint64_t place = 0;
    XLT_OK(xl_search_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_search_create(xlt_context(), &asks, &asking));
    trial t = trial_of(&desc, plan);
    t.queue = queue;
    t.n = 200;
    t.num_queries = 133;
    t.order = RISING;
    arrays a = arrays_make(&t);
    xlt_buffer out = xlt_buffer_make(NULL, 1, 8, 0);
    cl_event events[3] = {xlt_user_event()};
    XLT_OK(enqueue(&t, &a, 1, &events[0], &events[1]));
    XLT_OK(xl_search_enqueue(asking, queue,
                             &(xl_search_args){.n = t.num_queries,
                                               .keys = xlt_view(&a.places),
                                               .indices_out = xlt_view(&out)},
                             1, &events[1], &events[2]));
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[2]));
    check_result(&t, &a);
    xlt_read(&out, &place); /* the places of queries that rise do */
    assert_int_equal(place, t.num_queries);
    for (int i = 0; i < 3; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    xlt_buffer_free(&out);
    arrays_free(&a);
    XLT_CL(clReleaseCommandQueue(queue));
    xl_search_destroy(plan);
    xl_search_destroy(asking);
}

static void nothing_yields_an_event(void **state)
{
    (void)state;
    xl_search_desc desc;
    xl_search *plan;
    cl_event event = NULL;
    xl_search_desc_init(&desc);
    XLT_OK(xl_search_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_search_enqueue(plan, xlt_queue(), &(xl_search_args){.n = 0}, 0, NULL, &event));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    XLT_OK(xl_search_enqueue(plan, xlt_queue(), &(xl_search_args){.n = 0}, 0, NULL, NULL));
    xl_search_destroy(plan);
    xl_search_destroy(NULL);
    xl_search_desc_init(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(zeros_of_both_signs),
        cmocka_unit_test(zero_is_found),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(the_lowest_place),
        cmocka_unit_test(many_keys),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

/* SPDX-License-Identifier: MIT
 * The merge against its serial reference: every type of keys, any two lengths, any way in which
 * the arrays lie to each other, every shape, and arrays that are not in order. */
#include "merge_trial.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static size_t tile_of(const xl_merge *plan, size_t n)
{
    xl_plan_info info;
    XLT_OK(xl_merge_info(plan, n, &info));
    assert_string_equal(info.algorithm, "merge-path");
    assert_true(info.tile_elements > 0 && info.work_group_size > 0);
    return info.tile_elements;
}

/* Every kind of keys and every deal, in turns, at lengths around what matters. */
static void run_lengths(merge_trial t, size_t tile, size_t most)
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
        for (int k = 0; k < (xlt_small() ? 3 : MERGE_DEALS); ++k) {
            t.n_a = lengths[i][0];
            t.n_b = lengths[i][1];
            if (t.n_a + t.n_b > most)
                continue;
            t.deal = xlt_small() ? (merge_deal)((i + 2 * (size_t)k) % MERGE_DEALS) : (merge_deal)k;
            t.kind = (xlt_keys)((i + (size_t)k) % XLT_KEYS_KINDS);
            t.offset = (i + (size_t)k) % 5;
            t.own_scratch = i % 2 == 1;
            merge_check(&t);
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
        const xl_merge_desc desc = merge_desc(keys[k / 2], (k / 2 + k) % 2 ? XL_NONE : XL_U32,
                                              k % 2 ? XL_DESCENDING : XL_ASCENDING);
        if (xlt_few_programs() && k % 2 != k / 2 % 2)
            continue;
        XLT_OK(xl_merge_create(xlt_context(), &desc, &plan));
        run_lengths(merge_trial_of(&desc, plan), tile_of(plan, 1), xlt_small() ? 300 : 40000);
        xl_merge_destroy(plan);
    }
}

static void large_lengths(void **state)
{
    (void)state;
    static const size_t lengths[][2] = {
        {65536, 65536}, {100003, 17}, {5, 200000}, {1 << 20, (1 << 20) + 1}, {1 << 19, 77777}};
    const xl_merge_desc descs[] = {merge_desc(XL_U32, XL_U32, XL_ASCENDING),
                                   merge_desc(XL_F64, XL_NONE, XL_DESCENDING)};
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    for (size_t d = 0; d < COUNT(descs); ++d) {
        xl_merge *plan;
        XLT_OK(xl_merge_create(xlt_context(), &descs[d], &plan));
        for (size_t i = 0; i < COUNT(lengths); ++i) {
            merge_trial t = merge_trial_of(&descs[d], plan);
            t.n_a = lengths[i][0];
            t.n_b = lengths[i][1];
            t.kind = i % 2 ? XLT_KEYS_FEW_DISTINCT : XLT_KEYS_RANDOM;
            for (t.deal = 0; t.deal < MERGE_DEALS; ++t.deal)
                merge_check(&t);
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
    merge_trial t = merge_trial_of(&desc, plan);
    t.device = v->name;
    for (t.n_a = 0; t.n_a < 90; t.n_a += step)
        for (t.n_b = 0; t.n_b < 90; t.n_b += step) {
            t.kind = (xlt_keys)((t.n_a / step + t.n_b / step) % XLT_KEYS_KINDS);
            t.deal = (merge_deal)((t.n_a / step + 2 * (t.n_b / step)) % MERGE_DEALS);
            t.own_scratch = t.n_a % 2 == 0;
            merge_check(&t);
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
        run_variant(&variants[i], merge_desc(XL_U32, XL_U32, XL_ASCENDING));
        if (i % 2 == 0 && !xlt_few_programs())
            run_variant(&variants[i], merge_desc(XL_U64, i % 4 ? XL_NONE : XL_U32, XL_DESCENDING));
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
            xl_merge_desc desc = merge_desc(XL_U32, XL_U32, XL_ASCENDING);
            xl_merge *plan = variant_plan(v, ctx, &desc);
            const size_t tile = tile_of(plan, 1);
            const size_t lengths[][2] = {
                {1, 0}, {0, 1}, {tile - 1, 1}, {tile, tile}, {2 * tile + 1, 3}, {7, 3 * tile + 5}};
            merge_trial t = merge_trial_of(&desc, plan);
            t.device = v->name;
            for (size_t k = 0; k < COUNT(lengths) * MERGE_DEALS; ++k) {
                t.n_a = lengths[k / MERGE_DEALS][0];
                t.n_b = lengths[k / MERGE_DEALS][1];
                t.deal = (merge_deal)(k % MERGE_DEALS);
                if (!xlt_small() || (t.n_a + t.n_b < 500 && k % 2 == 0))
                    merge_check(&t);
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
    xl_merge_desc desc = merge_desc(XL_U32, XL_NONE, XL_ASCENDING);
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
    xl_merge_desc desc = merge_desc(XL_U32, XL_U32, XL_DESCENDING);
    cl_command_queue queue = xlt_out_of_order_queue();
    xl_merge *plan = variant_plan(&two_launches, xlt_context(), &desc);
    merge_trial first = merge_trial_of(&desc, plan);
    first.queue = queue;
    first.n_a = 200;
    first.n_b = 133;
    merge_trial second = first;
    second.n_a = first.n_a + first.n_b;
    second.n_b = 190;
    second.own_scratch = true;
    merge_host h = merge_host_make(&first, 5), g = merge_host_make(&second, 6);
    merge_arrays a = merge_arrays_make(&first, &h), b = merge_arrays_make(&second, &g);
    memcpy(g.keys[0], h.keys[2], 4 * second.n_a);
    memcpy(g.values[0], h.values[2], 4 * second.n_a);
    ref_merge(XL_U32, true, &(ref_run){second.n_a, g.keys[0], g.values[0]},
              &(ref_run){second.n_b, g.keys[1], g.values[1]}, g.keys[2], g.values[2]);
    xlt_buffer given[2] = {b.keys[0], b.values[0]};
    b.keys[0] = a.keys[2];
    b.values[0] = a.values[2];
    cl_event events[3] = {xlt_user_event()};
    XLT_OK(merge_enqueue(&first, &a, 1, &events[0], &events[1]));
    XLT_OK(merge_enqueue(&second, &b, 1, &events[1], &events[2]));
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[2]));
    merge_check_result(&first, &h, &a);
    merge_check_result(&second, &g, &b);
    b.keys[0] = given[0];
    b.values[0] = given[1];
    for (int i = 0; i < 3; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    merge_arrays_free(&a);
    merge_arrays_free(&b);
    merge_host_free(&h);
    merge_host_free(&g);
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

/* -0 and +0 are equal: those of a come first, and keep their signs. */
static void zeros_of_both_signs(void **state)
{
    (void)state;
    static const xl_type keys[] = {XL_F32, XL_F64, XL_F16, XL_I32};
    for (size_t i = 0; i < COUNT(variants) * COUNT(keys); ++i) {
        const struct variant *const v = &variants[i % COUNT(variants)];
        const size_t k = i / COUNT(variants);
        if ((xlt_few_programs() || xlt_on_oclgrind()) && i % COUNT(variants) != 3 * k)
            continue;
        xl_merge_desc desc =
            merge_desc(keys[k], i % 2 ? XL_NONE : XL_U32, i / 2 % 2 ? XL_DESCENDING : XL_ASCENDING);
        desc.equal_zeros = 1;
        xl_context *ctx = variant_context(v);
        xl_merge *plan = variant_plan(v, ctx, &desc);
        merge_trial t = merge_trial_of(&desc, plan);
        t.device = v->name;
        t.kind = XLT_KEYS_ZEROS;
        for (size_t n = 1; n < (xlt_small() ? 200 : 2000); n += n / 2 + 1)
            for (t.deal = 0; t.deal < MERGE_DEALS; ++t.deal) {
                t.n_a = n;
                t.n_b = n * (t.deal + 1) / 3;
                merge_check(&t);
            }
        xl_merge_destroy(plan);
        xl_context_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(large_lengths),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(zeros_of_both_signs),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(an_array_with_itself),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

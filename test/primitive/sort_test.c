/* SPDX-License-Identifier: MIT
 * The sort against its serial reference: any n, any pattern, both shapes of tiles. What is
 * by digits alone stands in sort_digits_test.c. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "sort_trial.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ----------------------------------------------------------------- */

/* Elements of a tile of what few keys are sorted by: whatever a tuning file makes that be. */
static size_t tile_of_few(const xl_sort *plan)
{
    return sort_tile(plan, 1);
}

/* Sizes around what matters: items, lanes, tiles. Alternates in place and out of place,
 * given and own scratch. */
static void run_sizes(sort_trial t, size_t tile)
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
        sort_check(&t);
    }
}

static void every_type_and_order_at_every_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * SORT_KEY_TYPES; ++i) {
        const size_t k = i / 4, form = i % 4;
        if (xlt_few_programs() && form != k % 4)
            continue;
        const xl_sort_desc desc = sort_desc_of_form(k, form, XL_SORT_BITONIC);
        xl_sort *plan = sort_plan(xlt_context(), &desc, "as it is");
        const size_t tile = tile_of_few(plan);
        if (tile < 100000 && (!xlt_small() || i == 0))
            run_sizes(sort_trial_of(&desc, plan, 0, SORT_RANDOM), tile);
        for (sort_pattern p = xlt_small() ? SORT_ALL_ONES : 0; p < SORT_PATTERNS; ++p) {
            sort_trial t =
                sort_trial_of(&desc, plan, xlt_small() ? 77 : 3 * tile + tile / 2 + 5, p);
            sort_check(&t);
            t.in_place = true;
            t.n = xlt_small() ? 130 : 2 * tile - 1;
            sort_check(&t);
        }
        xl_sort_destroy(plan);
    }
}

static void large_sizes(void **state)
{
    (void)state;
    const size_t sizes[] = {65535, 65536, 65537, 100003, 131072, ((size_t)1 << 20) + 1};
    const xl_sort_desc descs[] = {sort_desc(XL_U32, XL_U32, XL_ASCENDING, XL_SORT_AUTO),
                                  sort_desc(XL_U64, XL_NONE, XL_ASCENDING, XL_SORT_AUTO)};
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    for (size_t d = 0; d < 2; ++d) {
        xl_sort *plan;
        XLT_OK(xl_sort_create(xlt_context(), &descs[d], &plan));
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            sort_trial t =
                sort_trial_of(&descs[d], plan, sizes[i], i % 2 ? SORT_RANDOM : SORT_FEW_DISTINCT);
            t.in_place = i % 2 == 0;
            sort_check(&t);
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
    {"by run of 16", NULL, "sort.shape = 1\nsort.serial_tile_log = 4\n", true},
    {"by digits from 40 on", NULL,
     "sort.shape = 1\nsort.serial_tile_log = 4\nsort.radix_from = 40\nsort.radix_wide_from = 40\n"
     "sort.radix_pair_from = 40\nsort.radix_alone = 100\nsort.radix_least = 9\n",
     true},
    {"by run of 4096", NULL, "sort.shape = 1\nsort.serial_tile_log = 12\n", false},
};

/* Programs that a variant does not take are not compiled. */
static xl_sort_algorithm algorithm_of(const struct variant *v)
{
    return strstr(v->name, "digits") ? XL_SORT_AUTO : XL_SORT_BITONIC;
}

static void run_variant(const struct variant *v, xl_sort_desc desc)
{
    xl_context *ctx = open_context(v->tuning, v->mask);
    desc.algorithm = algorithm_of(v);
    xl_sort *plan = sort_plan(ctx, &desc, v->name);
    const size_t tile = tile_of_few(plan), every = v->every_n ? 3 * tile + 2 : 0;
    sort_trial t = sort_trial_of(&desc, plan, 0, SORT_FEW_DISTINCT);
    t.what = v->name;
    for (t.n = 0; t.n < every && t.n < 300; t.n += xlt_small() ? 29 : 1)
        sort_check(&t);
    if (xlt_small() && v == variants) { /* as GPUs have it, once, past a tile */
        t.n = tile + 9;
        sort_check(&t);
    }
    if (!xlt_small()) {
        run_sizes(t, tile);
        t.pattern = SORT_ALL_ONES;
        t.n = 5 * tile + 3;
        sort_check(&t);
        t.pattern = SORT_RANDOM;
        t.n = 20011;
        sort_check(&t);
    }
    xl_sort_destroy(plan);
    xl_context_destroy(ctx);
}

static void other_shapes(void **state)
{
    (void)state;
    const xl_sort_desc pairs = sort_desc(XL_U32, XL_U32, XL_ASCENDING, XL_SORT_AUTO);
    const xl_sort_desc wide = sort_desc(XL_U64, XL_U32, XL_DESCENDING, XL_SORT_AUTO);
    const xl_sort_desc plain = sort_desc(XL_U32, XL_NONE, XL_ASCENDING, XL_SORT_AUTO);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        run_variant(&variants[i], pairs);
        if (i % 4 == 0)
            run_variant(&variants[i], i % 8 ? wide : plain);
    }
}

/* Values that the sort makes itself: the trial's are the places of the keys, too. */
static void check_indices(const char *tune, xl_type key, xl_sort_algorithm algorithm)
{
    xl_context *ctx = open_context(tune, NULL);
    xl_sort *plan;
    xl_sort_desc desc = sort_desc(key, XL_U32, XL_DESCENDING, algorithm);
    desc.value = XL_SORT_INDICES;
    const xl_status status = xl_sort_create(ctx, &desc, &plan);
    if (status != XL_ERROR_UNSUPPORTED || algorithm != XL_SORT_RADIX)
        ok(ctx, status, tune);
    const size_t sizes[] = {0, 1, 77, 1000, plan ? 2 * sort_tile(plan, 1 << 20) + 5 : 0};
    for (size_t i = 0; plan && i < sizeof sizes / sizeof sizes[0]; ++i)
        for (int p = SORT_ALL_EQUAL; p <= SORT_FEW_DISTINCT; ++p) {
            sort_trial t = sort_trial_of(&desc, plan, sizes[i], (sort_pattern)p);
            t.keys_stay = (i + (size_t)p) % 2 == 0;
            if (!xlt_small() || sizes[i] < 200)
                sort_check(&t);
        }
    xl_sort_destroy(plan);
    xl_context_destroy(ctx);
}

static void indices(void **state)
{
    (void)state;
    check_indices("", XL_F32, XL_SORT_BITONIC);
    check_indices("", XL_U16, XL_SORT_RADIX);
    check_indices("sort.shape = 0\n", XL_I8, XL_SORT_BITONIC);
    if (sort_takes_sweeps()) /* else it is what the next one is */
        check_indices("sort.shape = 0\nsort.sweep_pair_bytes = 16\n", XL_U32, XL_SORT_RADIX);
    check_indices("sort.shape = 0\nsort.sweep = 0\nsort.radix_bytes = 16\n", XL_F32, XL_SORT_RADIX);
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    const xl_sort_desc descs[] = {sort_desc(XL_U32, XL_NONE, XL_ASCENDING, XL_SORT_AUTO),
                                  sort_desc(XL_U64, XL_U32, XL_DESCENDING, XL_SORT_AUTO)};
    for (size_t p = 0; xlt_place_closely(p); ++p) {
        for (size_t i = xlt_few_programs(); i < 2 * sizeof variants / sizeof variants[0]; ++i) {
            const struct variant *const v = &variants[i / 2];
            if (!v->every_n || (xlt_few_programs() && i % 3 != 0))
                continue;
            xl_context *ctx = open_context(v->tuning, v->mask);
            xl_sort_desc desc = descs[i % 2];
            desc.algorithm = algorithm_of(v);
            xl_sort *plan = sort_plan(ctx, &desc, v->name);
            const size_t tile = tile_of_few(plan);
            const size_t sizes[] = {1,        tile - 1,     tile,        tile + 1,
                                    2 * tile, 2 * tile + 1, 5 * tile + 3};
            sort_trial t = sort_trial_of(&desc, plan, 0, SORT_RANDOM);
            t.what = v->name;
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
                t.n = sizes[s];
                t.in_place = s % 2 == 1;
                sort_check(&t);
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
    const xl_sort_desc up = sort_desc(XL_U32, XL_U32, XL_ASCENDING, XL_SORT_AUTO);
    const xl_sort_desc down = sort_desc(XL_U32, XL_U32, XL_DESCENDING, XL_SORT_AUTO);
    xl_sort *rises, *falls;
    cl_command_queue queue = xlt_out_of_order_queue();
    XLT_OK(xl_sort_create(xlt_context(), &up, &rises));
    XLT_OK(xl_sort_create(xlt_context(), &down, &falls));
    sort_trial t =
        sort_trial_of(&up, rises, xlt_small() ? 100 : 5 * tile_of_few(rises) + 1, SORT_RANDOM);
    t.queue = queue;
    t.in_place = true;
    uint32_t *keys = bytes_for(t.n, 4), *values = sort_numbers(t.n);
    sort_fill(keys, t.pattern, XL_U32, t.n, 5);
    void *wanted = sort_wanted(&t, keys);
    sort_arrays a = sort_arrays_make(&t, keys, values);
    cl_event events[4] = {xlt_user_event()};
    for (int i = 0; i < 3; ++i) {
        t.plan = i == 1 ? falls : rises;
        XLT_OK(sort_enqueue(&t, &a, 1, &events[i], &events[i + 1]));
        assert_non_null(events[i + 1]);
    }
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[3]));
    sort_check_result(&t, &a, keys, values, wanted);
    for (int i = 0; i < 4; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    sort_arrays_free(&a);
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
    sort_trial trial;
    sort_arrays arrays;
    xl_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < 20 && w->status == XL_SUCCESS; ++i)
        w->status = sort_enqueue(&w->trial, &w->arrays, 0, NULL, NULL);
    clFinish(w->trial.queue);
    return NULL;
}

static void two_threads_share_a_plan(void **state)
{
    (void)state;
    const xl_sort_desc desc = sort_desc(XL_U32, XL_U32, XL_ASCENDING, XL_SORT_AUTO);
    worker workers[2];
    uint32_t *keys[2], *values[2];
    void *wanted[2];
    pthread_t threads[2];
    xl_sort *plan;
    xlt_needs_threads();
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    for (size_t i = 0; i < 2; ++i) {
        sort_trial t = sort_trial_of(
            &desc, plan, xlt_small() ? 50 + i : 3 * tile_of_few(plan) + 7 * i, SORT_RANDOM);
        t.queue = queue_make();
        keys[i] = bytes_for(t.n, 4);
        values[i] = sort_numbers(t.n);
        sort_fill(keys[i], SORT_RANDOM, XL_U32, t.n, 9 + i);
        wanted[i] = sort_wanted(&t, keys[i]);
        workers[i] = (worker){t, sort_arrays_make(&t, keys[i], values[i]), XL_SUCCESS};
    }
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < 2; ++i) {
        sort_trial *t = &workers[i].trial;
        assert_int_equal(workers[i].status, XL_SUCCESS);
        sort_check_result(t, &workers[i].arrays, keys[i], values[i], wanted[i]);
        sort_arrays_free(&workers[i].arrays);
        XLT_CL(clReleaseCommandQueue(t->queue));
        free(keys[i]);
        free(wanted[i]);
        free(values[i]);
    }
    xl_sort_destroy(plan);
}

/* ---- scratch --------------------------------------------------------------- */

/* Scratch grows with n and never shrinks. */
static void scratch_is_monotone(void **state)
{
    (void)state;
    const xl_sort_desc desc = sort_desc(XL_U64, XL_U32, XL_ASCENDING, XL_SORT_AUTO);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_order_at_every_size),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(indices),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
        cmocka_unit_test(two_threads_share_a_plan),
        cmocka_unit_test(scratch_is_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

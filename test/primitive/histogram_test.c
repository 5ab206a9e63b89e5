/* SPDX-License-Identifier: MIT
 * Histograms against their serial reference: every type and kind of bins, any n, both shapes,
 * counters in local and in global memory, load expressions, bounds at the ends of types. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "histogram_trial.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const xl_type types[] = {XL_I8,  XL_U8,  XL_I16, XL_U16, XL_I32, XL_U32,
                                XL_I64, XL_U64, XL_F16, XL_F32, XL_F64};
enum { TYPES = sizeof types / sizeof types[0] };

/* NULL where the device lacks the type. */
static xl_histogram *plan_of(xl_context *ctx, const xl_histogram_desc *desc, const char *device)
{
    xl_histogram *plan = NULL;
    const xl_status status = xl_histogram_create(ctx, desc, &plan);
    if (status != XL_SUCCESS && status != XL_ERROR_UNSUPPORTED)
        XLT_FAIL("%s: %.600s", device, xl_context_error(ctx));
    return plan;
}

static void run_sizes(const xl_histogram_desc *desc, xl_histogram *plan, const char *device,
                      unsigned *turn)
{
    const size_t sizes[] = {0, 1, 2, 15, 33, 64, 257, 1000, 4099, 20011, 70001};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        if (sizes[s] > (xlt_on_oclgrind() ? 70u : xlt_small() ? 1000u : SIZE_MAX))
            break;
        for (int p = 0; p < HISTOGRAM_PATTERNS; ++p) {
            histogram_trial t = histogram_trial_of(desc, plan, sizes[s], (histogram_pattern)p);
            if ((sizes[s] > 5000 || xlt_small()) && ((unsigned)p + s + *turn) % 3 != 0)
                continue;
            t.device = device;
            t.offset = (*turn)++ % 5;
            t.before = UINT32_MAX - 7; /* sums carry */
            if (*turn % 4 == 1)
                t.n_device = *turn % 8 == 1 ? t.n / 3 : 2 * t.n + 1;
            histogram_check(&t);
        }
    }
}

/* Each kind of bins once over all types where few programs are wanted. */
static void every_type(void **state)
{
    (void)state;
    unsigned turn = 0;
    for (size_t p = 0; p < 3 * TYPES; ++p) {
        const xl_histogram_kind kind = (xl_histogram_kind)(p / TYPES);
        const xl_type type = types[p % TYPES];
        if (kind == XL_HISTOGRAM_KEYS && type >= XL_F16)
            continue;
        if (xlt_few_programs() && p % TYPES % 3 != (size_t)kind)
            continue;
        if (xlt_on_oclgrind() && p % 4 != 0)
            continue;
        xl_histogram_desc desc = histogram_desc(kind, type, 3 + p * 5);
        desc.counter = p % 2 ? XL_U64 : XL_U32;
        desc.accumulate = p / 2 % 2;
        xl_histogram *plan = plan_of(xlt_context(), &desc, "device as it is");
        if (plan)
            run_sizes(&desc, plan, "device as it is", &turn);
        xl_histogram_destroy(plan);
    }
}

/* ---- other shapes ---------------------------------------------------------- */

static const struct variant {
    const char *name, *mask;
    uint32_t serial, group, copies, local_kib, passes, vectors, chunk;
    uint64_t bins;
} variants[] = {
    {"groups of 64", NULL, 0, 64, 8, 4, 2, 2, 300, 256},
    {"groups of 32, one counter a bin, one vector", NULL, 0, 32, 1, 1, 1, 1, 64, 700},
    {"groups of 16, in global memory", NULL, 0, 16, 8, 4, 0, 2, 100, 300},
    {"groups of 64, in global memory", NULL, 0, 64, 8, 4, 0, 1, 2000, 90000},
    {"a group of 1", "work-group=1", 0, 64, 4, 4, 1, 2, 500, 100},
    {"one work-item", NULL, 1, 1, 4, 512, 1, 1, 77, 256},
    {"one work-item, one counter a bin", NULL, 1, 1, 1, 512, 1, 1, 1000, 2000},
    {"one work-item, in global memory", NULL, 1, 1, 4, 1, 1, 1, 300, 5000},
};

static void run_variant(const struct variant *v, xl_histogram_kind kind, xl_type type,
                        unsigned *turn)
{
    const xl_tunable tunables[] = {
        {"histogram.serial", v->serial}, {"histogram.group", v->group},
        {"histogram.copies", v->copies}, {"histogram.local_kib", v->local_kib},
        {"histogram.passes", v->passes}, {"histogram.vectors", v->vectors},
        {"histogram.chunk", v->chunk}};
    xl_histogram_desc desc = histogram_desc(kind, type, v->bins);
    xl_context *ctx;
    xl_context_desc context;
    desc.counter = *turn % 2 ? XL_U64 : XL_U32;
    desc.accumulate = *turn % 3 == 0;
    desc.tunables = tunables;
    desc.num_tunables = sizeof tunables / sizeof tunables[0];
    xl_context_desc_init(&context);
    context.mask = v->mask;
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()),
                            &context, &ctx));
    xl_histogram *plan = plan_of(ctx, &desc, v->name);
    run_sizes(&desc, plan, v->name, turn);
    xl_histogram_destroy(plan);
    xl_context_destroy(ctx);
}

static void other_shapes(void **state)
{
    (void)state;
    unsigned turn = 1;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        run_variant(&variants[i], XL_HISTOGRAM_KEYS, i % 2 ? XL_U32 : XL_U8, &turn);
        ++turn;
        if (!xlt_few_programs())
            run_variant(&variants[i], i % 3 ? XL_HISTOGRAM_EVEN : XL_HISTOGRAM_LEVELS,
                        i % 2 ? XL_F32 : XL_U16, &turn);
        ++turn;
    }
}

/* The most bins, in ranges that local memory holds, and in global memory. */
static void the_most_bins(void **state)
{
    (void)state;
    if (xlt_small()) {
        print_message("small sizes asked for: 2^20 bins left out\n");
        skip();
    }
    for (uint32_t passes = 0; passes < 2; ++passes) {
        const xl_tunable tunables[] = {{"histogram.passes", passes ? 1024 : 0},
                                       {"histogram.serial", 0},
                                       {"histogram.group", 64},
                                       {"histogram.chunks", 1}};
        xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_KEYS, XL_U32, (uint64_t)1 << 20);
        desc.tunables = tunables;
        desc.num_tunables = 4;
        xl_histogram *plan = plan_of(xlt_context(), &desc, "many bins");
        for (int p = 0; p < HISTOGRAM_PATTERNS; p += 3) {
            const histogram_trial t = histogram_trial_of(&desc, plan, 300007, (histogram_pattern)p);
            histogram_check(&t);
        }
        xl_histogram_destroy(plan);
    }
}

/* ---- bounds ---------------------------------------------------------------- */

typedef struct bounds {
    xl_type type;
    uint64_t lower, upper, bins;
} bounds;

/* One bin after another of integers at the ends of their type. */
static void integer_bounds(void **state)
{
    (void)state;
    const uint64_t high = UINT64_C(1) << 63;
    const bounds all[] = {
        {XL_U64, 0, 0, 1},
        {XL_U64, 0, 0, 3},
        {XL_U64, 0, 0, 1 << 20},
        {XL_U64, 1, 0, 1000003},
        {XL_U64, 0, UINT64_MAX, 7},
        {XL_U64, UINT64_MAX - 9, 0, 4},
        {XL_U64, UINT64_MAX - 9, UINT64_MAX, 1000},
        {XL_U64, 5, high + 3, 999983},
        {XL_I64, high, high, 6},
        {XL_I64, high, high - 1, 1 << 16},
        {XL_I64, (uint64_t)0 - 5, high, 777},
        {XL_I64, high, 0, 12345},
        {XL_I64, (uint64_t)0 - 3, 4, 3},
        {XL_U32, 0, (uint64_t)1 << 32, 1000},
        {XL_U32, 0, (uint64_t)1 << 32, 1 << 20},
        {XL_U32, 7, (uint64_t)1 << 32, 1000003},
        {XL_I8, (uint64_t)0 - 128, 128, 256},
        {XL_I8, (uint64_t)0 - 128, 128, 100},
        {XL_I8, 0, 1, 64},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_EVEN, all[i].type, all[i].bins);
        desc.lower_integer = (int64_t)all[i].lower;
        desc.upper_integer = (int64_t)all[i].upper;
        if (xlt_on_oclgrind() && (i % 5 != 0 || all[i].bins > 2000))
            continue;
        xl_histogram *plan = plan_of(xlt_context(), &desc, "bounds");
        const histogram_pattern patterns[] = {HISTOGRAM_BITS, HISTOGRAM_BORDERS};
        for (size_t p = 0; p < 2; ++p) {
            const histogram_trial t =
                histogram_trial_of(&desc, plan, xlt_small() ? 60 : 3000, patterns[p]);
            histogram_check(&t);
        }
        xl_histogram_destroy(plan);
    }
}

static void real_bounds(void **state)
{
    (void)state;
    const struct {
        xl_type type;
        double lower, upper;
        uint64_t bins;
    } all[] = {
        {XL_F32, 0, 1, 10},         {XL_F32, 0, 1, 1 << 20},    {XL_F32, -1e30, 1e38, 777},
        {XL_F32, 0.1, 0.3, 3},      {XL_F32, 1e-30, 1e-28, 49}, {XL_F64, 0.1, 0.3, 3},
        {XL_F64, -1e300, 1e300, 9}, {XL_F64, 0, 1, 1 << 20},    {XL_F16, -2, 65504, 1000},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_EVEN, all[i].type, all[i].bins);
        desc.lower = all[i].lower;
        desc.upper = all[i].upper;
        if (xlt_on_oclgrind() && all[i].bins > 2000)
            continue;
        xl_histogram *plan = plan_of(xlt_context(), &desc, "bounds");
        for (int p = 0; plan && p < HISTOGRAM_PATTERNS; p += 2) {
            const histogram_trial t =
                histogram_trial_of(&desc, plan, xlt_small() ? 60 : 5000,
                                   p == 0 ? HISTOGRAM_BITS : (histogram_pattern)p);
            histogram_check(&t);
        }
        xl_histogram_destroy(plan);
    }
}

/* ---- what is loaded -------------------------------------------------------- */

typedef struct sample {
    uint32_t id;
    float x, weight;
} sample;

static void loads_of_a_struct(void **state)
{
    (void)state;
    static const xl_user_type type = {"sample", sizeof(sample), 4,
                                      "typedef struct { uint id; float x, weight; } sample;"};
    const size_t n = xlt_small() ? 100 : 12345;
    xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_KEYS, XL_U32, 17);
    xl_histogram *plan;
    sample *samples = histogram_room(n * sizeof *samples);
    uint32_t want[17] = {0}, got[17];
    desc.load_type = XL_USER_TYPE;
    desc.user_load_type = &type;
    desc.load = "x.weight > 0.5f ? (x.id + (uint)i) % 20 : 99";
    for (size_t i = 0; i < n; ++i) {
        samples[i] = (sample){(uint32_t)(i * i), 1.0f, (float)(i % 4) * 0.25f};
        const uint32_t bin = samples[i].weight > 0.5f ? (samples[i].id + (uint32_t)i) % 20 : 99;
        if (bin < 17)
            ++want[bin];
    }
    XLT_OK(xl_histogram_create(xlt_context(), &desc, &plan));
    xlt_buffer in = xlt_buffer_make(samples, n, sizeof *samples, 1),
               bins = xlt_buffer_make(NULL, 17, 4, 0);
    XLT_OK(xl_histogram_enqueue(
        plan, xlt_queue(),
        &(xl_histogram_args){.n = n, .in = xlt_view(&in), .bins = xlt_view(&bins)}, 0, NULL, NULL));
    xlt_read(&bins, got);
    assert_memory_equal(want, got, sizeof want);
    xl_histogram_destroy(plan);
    xlt_buffer_free(&in);
    xlt_buffer_free(&bins);
    free(samples);
}

/* An error in the expression speaks of its own line and column. */
static void wrong_expressions_are_named(void **state)
{
    (void)state;
    xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_KEYS, XL_U8, 256);
    xl_histogram *plan;
    desc.load = "x & unknown_name";
    XLT_FAILS(xl_histogram_create(xlt_context(), &desc, &plan), XL_ERROR_BUILD);
    assert_non_null(strstr(xl_context_error(xlt_context()), "unknown_name"));
    assert_null(plan);
}

/* ---- memory, queues, threads ------------------------------------------------ */

static void at_the_edges_of_memory(void **state)
{
    (void)state;
    const xl_tunable tunables[] = {
        {"histogram.serial", 0}, {"histogram.group", 32}, {"histogram.chunk", 128}};
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t d = 0; d < 3; ++d) {
            const size_t sizes[] = {1, 31, 33, 500, 5000};
            xl_histogram_desc desc = histogram_desc(
                d == 1 ? XL_HISTOGRAM_LEVELS : XL_HISTOGRAM_KEYS, d == 1 ? XL_I32 : XL_U8, 200);
            desc.tunables = tunables;
            desc.num_tunables = d > 0 ? 3 : 0;
            xl_histogram *plan = plan_of(xlt_context(), &desc, "edges");
            for (size_t s = 0; s < (xlt_small() ? 3u : 5u); ++s) {
                histogram_trial t = histogram_trial_of(&desc, plan, sizes[s], HISTOGRAM_RANDOM);
                histogram_check(&t);
                t.pattern = HISTOGRAM_BITS;
                histogram_check(&t);
            }
            xl_histogram_destroy(plan);
        }
}

/* Out of order, the second call counts the counts of the first one, which waits for an event that
 * the host sets late. */
static void out_of_order_by_events(void **state)
{
    (void)state;
    enum { BINS = 40 };
    const size_t n = xlt_small() ? 100 : 90000;
    const xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_KEYS, XL_U32, BINS);
    cl_command_queue queue = xlt_out_of_order_queue();
    cl_event events[3] = {xlt_user_event()};
    xl_histogram *plan;
    uint32_t *values = histogram_room(n * 4), first[BINS] = {0}, second[BINS] = {0}, got[BINS];
    for (size_t i = 0; i < n; ++i)
        ++first[values[i] = i % 1000 < 3 ? (uint32_t)(i % 1000) : BINS - 1];
    for (size_t k = 0; k < BINS; ++k)
        if (first[k] < BINS)
            ++second[first[k]];
    xlt_buffer in = xlt_buffer_make(values, n, 4, 0), middle = xlt_buffer_make(NULL, BINS, 4, 1),
               out = xlt_buffer_make(NULL, BINS, 4, 2);
    XLT_OK(xl_histogram_create(xlt_context(), &desc, &plan));
    for (int i = 0; i < 2; ++i)
        XLT_OK(xl_histogram_enqueue(plan, queue,
                                    &(xl_histogram_args){.n = i ? BINS : n,
                                                         .in = xlt_view(i ? &middle : &in),
                                                         .bins = xlt_view(i ? &out : &middle)},
                                    1, &events[i], &events[i + 1]));
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[2]));
    xlt_read(&out, got);
    assert_memory_equal(second, got, sizeof got);
    for (int i = 0; i < 3; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    xl_histogram_destroy(plan);
    XLT_CL(clReleaseCommandQueue(queue));
    xlt_buffer_free(&in);
    xlt_buffer_free(&middle);
    xlt_buffer_free(&out);
    free(values);
}

/* No elements: bins of 0, or as they were, and an event. */
static void nothing_yields_an_event(void **state)
{
    (void)state;
    for (uint32_t adds = 0; adds < 2; ++adds) {
        xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_KEYS, XL_U8, 5);
        const uint32_t before[5] = {7, 7, 7, 7, 7};
        uint32_t got[5];
        cl_event event = NULL;
        xl_histogram *plan;
        desc.accumulate = adds;
        XLT_OK(xl_histogram_create(xlt_context(), &desc, &plan));
        xlt_buffer bins = xlt_buffer_make(before, 5, 4, 1);
        XLT_OK(xl_histogram_enqueue(
            plan, xlt_queue(), &(xl_histogram_args){.bins = xlt_view(&bins)}, 0, NULL, &event));
        XLT_CL(clWaitForEvents(1, &event));
        XLT_CL(clReleaseEvent(event));
        xlt_read(&bins, got);
        for (size_t k = 0; k < 5; ++k)
            assert_int_equal(got[k], adds ? 7 : 0);
        xl_histogram_destroy(plan);
        xlt_buffer_free(&bins);
    }
    xl_histogram_destroy(NULL);
    xl_histogram_desc_init(NULL);
}

typedef struct worker {
    xl_histogram *plan;
    cl_command_queue queue;
    xlt_buffer in, bins;
    uint32_t want[64];
    xl_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < 20 && w->status == XL_SUCCESS; ++i)
        w->status = xl_histogram_enqueue(
            w->plan, w->queue,
            &(xl_histogram_args){.n = w->in.n, .in = xlt_view(&w->in), .bins = xlt_view(&w->bins)},
            0, NULL, NULL);
    clFinish(w->queue);
    return NULL;
}

static void two_threads_share_a_plan(void **state)
{
    (void)state;
    const xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_KEYS, XL_U32, 64);
    worker workers[2];
    pthread_t threads[2];
    xl_histogram *plan;
    xlt_needs_threads();
    XLT_OK(xl_histogram_create(xlt_context(), &desc, &plan));
    for (uint32_t i = 0; i < 2; ++i) {
        worker *w = &workers[i];
        const size_t n = (xlt_small() ? 100 : 60000) + i;
        uint32_t *values = histogram_room(4 * n);
        cl_int code;
        *w = (worker){.plan = plan, .status = XL_SUCCESS};
        for (size_t k = 0; k < n; ++k)
            ++w->want[values[k] = (uint32_t)(k * (i + 3)) % 64];
        w->in = xlt_buffer_make(values, n, 4, 0);
        w->bins = xlt_buffer_make(NULL, 64, 4, 0);
        w->queue = clCreateCommandQueue(xl_context_cl(xlt_context()),
                                        xl_context_device(xlt_context()), 0, &code);
        XLT_CL(code);
        free(values);
    }
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < 2; ++i) {
        uint32_t got[64];
        assert_int_equal(workers[i].status, XL_SUCCESS);
        xlt_read(&workers[i].bins, got);
        assert_memory_equal(got, workers[i].want, sizeof got);
        xlt_buffer_free(&workers[i].in);
        xlt_buffer_free(&workers[i].bins);
        XLT_CL(clReleaseCommandQueue(workers[i].queue));
    }
    xl_histogram_destroy(plan);
}

/* At most 1 % of the input and 1 MiB; and the plan says how it counts. */
static void scratch_is_small(void **state)
{
    (void)state;
    const uint64_t bins[] = {1, 256, 1 << 20};
    for (size_t b = 0; b < 3; ++b) {
        const xl_histogram_desc desc = histogram_desc(XL_HISTOGRAM_KEYS, XL_U32, bins[b]);
        xl_histogram *plan;
        xl_plan_info info;
        XLT_OK(xl_histogram_create(xlt_context(), &desc, &plan));
        for (size_t n = 0; n < (size_t)1 << 28; n += n / 3 + 1) {
            size_t bytes, alignment;
            XLT_OK(xl_histogram_scratch(plan, n, &bytes, &alignment));
            assert_true(bytes <= n / 25 + ((size_t)1 << 20) && alignment > 0);
            XLT_OK(xl_histogram_info(plan, n, &info));
            assert_true(info.tile_elements > 0 && info.work_group_size > 0);
            if (b < 2)
                assert_string_equal(info.algorithm, "private counters");
        }
        xl_histogram_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(the_most_bins),
        cmocka_unit_test(integer_bounds),
        cmocka_unit_test(real_bounds),
        cmocka_unit_test(loads_of_a_struct),
        cmocka_unit_test(wrong_expressions_are_named),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
        cmocka_unit_test(two_threads_share_a_plan),
        cmocka_unit_test(scratch_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

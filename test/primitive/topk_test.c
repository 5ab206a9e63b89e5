/* SPDX-License-Identifier: MIT
 * The top-k selection against its serial reference: every key type, any n and k, all outputs,
 * both shapes of chunks, queues, threads and scratch. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "topk_trial.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Every k that matters, of one n and pattern; outputs, offsets and scratch change from one to the
 * next. */
static void run_ks(topk_trial t, unsigned *turn)
{
    const size_t n = t.n;
    const size_t ks[] = {0, 1, 2, n / 3, n / 2 + 1, n > 0 ? n - 1 : 0, n, n + 5};
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; ++i) {
        if (xlt_small() && (i + *turn) % 3 != 0)
            continue;
        t.k = ks[i];
        t.outputs = *turn % 16;
        if ((t.outputs & (t.desc->value == XL_NONE ? TOPK_ALL & ~TOPK_VALUES : TOPK_ALL)) == 0)
            t.outputs = TOPK_INDICES;
        t.offset = *turn % 5;
        t.own_scratch = *turn % 3 == 1;
        topk_check(&t);
        *turn += 7;
    }
}

static void every_type(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 3, 31, 33, 65, 256, 1000, 4097, 12301};
    unsigned turn = 0;
    for (size_t p = 0; p < 4 * TOPK_TYPES; ++p) {
        xl_topk *plan;
        /* Each way to go at a type once in a full run, each once over all types in a small one. */
        const unsigned way = (unsigned)(p / TOPK_TYPES);
        if (xlt_few_programs() && p % TOPK_TYPES % 4 != way)
            continue;
        if (xlt_on_oclgrind() && p % 5 != 0)
            continue;
        const xl_topk_desc desc =
            topk_desc(topk_types[p % TOPK_TYPES], (p % TOPK_TYPES + way / 2) % 2 ? XL_U32 : XL_NONE,
                      way % 2, way / 2);
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            if (xlt_small() && sizes[s] > 70)
                break;
            if (xlt_on_oclgrind() && s % 3 != 0)
                continue;
            topk_trial t = topk_trial_of(&desc, plan, sizes[s], 0, TOPK_RANDOM);
            for (t.pattern = 0; t.pattern < TOPK_PATTERNS; ++t.pattern)
                if (!xlt_small() || (t.pattern + s) % 3 == 0)
                    run_ks(t, &turn);
        }
        xl_topk_destroy(plan);
    }
}

/* All outputs in all combinations. */
static void every_combination_of_outputs(void **state)
{
    (void)state;
    for (unsigned sorted = 0; sorted < 2; ++sorted) {
        const xl_topk_desc desc = topk_desc(XL_I16, XL_U32, true, sorted);
        xl_topk *plan;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        topk_trial t = topk_trial_of(&desc, plan, xlt_small() ? 90 : 5000, 40, TOPK_FEW_DISTINCT);
        for (t.outputs = 1; t.outputs <= TOPK_ALL; ++t.outputs)
            topk_check(&t);
        xl_topk_destroy(plan);
    }
}

static void large_sizes(void **state)
{
    (void)state;
    if (xlt_small()) {
        print_message("small sizes asked for: large ones left out\n");
        skip();
    }
    const size_t sizes[] = {65536, 100003, ((size_t)1 << 20) + 1};
    const size_t ks[] = {1, 100, 10000, 65535};
    const xl_topk_desc descs[] = {
        topk_desc(XL_U32, XL_U32, true, true), topk_desc(XL_F32, XL_NONE, false, false),
        topk_desc(XL_F64, XL_U32, true, true), topk_desc(XL_U8, XL_U32, false, true)};
    for (size_t d = 0; d < sizeof descs / sizeof descs[0]; ++d) {
        xl_topk *plan;
        XLT_OK(xl_topk_create(xlt_context(), &descs[d], &plan));
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
            for (size_t k = 0; k < sizeof ks / sizeof ks[0]; ++k) {
                topk_trial t = topk_trial_of(&descs[d], plan, sizes[i], ks[k],
                                             (topk_pattern)((i + k + d) % TOPK_PATTERNS));
                t.own_scratch = k % 2;
                topk_check(&t);
            }
        xl_topk_destroy(plan);
    }
}

/* ---- other shapes ---------------------------------------------------------- */

enum { SAMPLE = 64 };

static const struct variant {
    const char *name, *mask;
    uint32_t shape, group_log, items, chunks, chunk, sample;
} variants[] = {
    {"group of 256, chunks of 300", NULL, 0, 8, 8, 200, 300, 0},
    {"group of 32 and one key, chunks of 100", NULL, 0, 5, 1, 200, 100, 0},
    {"group of 8 at most, chunks of 1000", "work-group=8", 0, 8, 32, 200, 1000, 0},
    {"group of 1, chunks of 40", "work-group=1", 0, 8, 3, 200, 40, 0},
    {"one work-item, chunks of 33", NULL, 1, 8, 8, 200, 33, 0},
    {"one work-item, chunks of 1", NULL, 1, 8, 8, 256, 1, 0},
    {"one work-item, two chunks", NULL, 1, 8, 8, 1, 700, 0},
    {"group of 32, chunks of 300, a sample of 64", NULL, 0, 5, 4, 200, 300, SAMPLE},
    {"group of 256, chunks of 3000, a sample of 1000", NULL, 0, 8, 8, 200, 3000, 1000},
    {"one work-item, chunks of 700, a sample of 64", NULL, 1, 8, 8, 200, 700, SAMPLE},
    {"one work-item, chunks of 2000, a sample of 16", NULL, 1, 8, 8, 200, 2000, 16},
};

static void run_variant(const struct variant *v, const xl_topk_desc *given, unsigned *turn)
{
    const xl_tunable tunables[] = {{"topk.shape", v->shape}, {"topk.group_log", v->group_log},
                                   {"topk.items", v->items}, {"topk.chunks", v->chunks},
                                   {"topk.chunk", v->chunk}, {"topk.sample", v->sample},
                                   {"topk.sampled", 1}};
    const size_t sizes[] = {1, 30, 257, 999, 3001, 20011};
    const unsigned rarely = xlt_small() ? 4 : xlt_few_programs() ? 2 : 0;
    xl_context *ctx;
    xl_context_desc context;
    xl_topk_desc desc = *given;
    xl_topk *plan;
    desc.tunables = tunables;
    desc.num_tunables = sizeof tunables / sizeof tunables[0];
    xl_context_desc_init(&context);
    context.mask = v->mask;
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()),
                            &context, &ctx));
    if (xl_topk_create(ctx, &desc, &plan) != XL_SUCCESS)
        XLT_FAIL("%s: %.500s", v->name, xl_context_error(ctx));
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        topk_trial t = topk_trial_of(&desc, plan, sizes[s], 0, TOPK_RANDOM);
        t.device = v->name;
        if (sizes[s] > (xlt_on_oclgrind() ? 30u : xlt_small() ? 1000u : SIZE_MAX))
            break;
        const topk_pattern first = desc.equal_zeros ? TOPK_ZEROS : 0;
        for (t.pattern = first; t.pattern < (first ? TOPK_ZEROS + 1 : TOPK_PATTERNS); ++t.pattern)
            if (!rarely || first || (t.pattern + s + *turn) % rarely == 0)
                run_ks(t, turn);
    }
    xl_topk_destroy(plan);
    xl_context_destroy(ctx);
}

static void other_shapes(void **state)
{
    (void)state;
    const xl_topk_desc narrow = topk_desc(XL_U32, XL_U32, true, false);
    const xl_topk_desc wide = topk_desc(XL_F64, XL_NONE, false, true);
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        /* Samples of as few keys the next tests take, too; other devices have all of them. */
        if (xlt_few_programs() && (variants[i].sample == SAMPLE || i % 2 == 1))
            continue;
        run_variant(&variants[i], &narrow, &turn);
        if (!xlt_few_programs() && i % 3 == 0)
            run_variant(&variants[i], &wide, &turn);
    }
}

/* -0 and +0 are equal keys. */
static void zeros_of_both_signs(void **state)
{
    (void)state;
    static const xl_type keys[] = {XL_F32, XL_F64, XL_F16, XL_I32};
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0] * 4; ++i) {
        const size_t v = i / 4, k = i % 4;
        xl_topk_desc desc = topk_desc(keys[k], i % 2 ? XL_U32 : XL_NONE, (v + k) % 2, k < 2);
        desc.equal_zeros = 1;
        if (!(xlt_few_programs() || xlt_on_oclgrind()) || v == 4 * k)
            run_variant(&variants[v], &desc, &turn);
    }
}

/* Of equal zeros those of lower index are taken, in order. */
static void first_zeros_are_taken(void **state)
{
    (void)state;
    static const float keys[] = {-0.0f, 0, -0.0f, 0, -1};
    static const uint32_t wanted[] = {0, 1};
    xl_topk_desc desc = topk_desc(XL_F32, XL_NONE, true, true);
    xl_topk *plan;
    uint32_t got[2];
    desc.equal_zeros = 1;
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    xlt_buffer in = xlt_buffer_make(keys, 5, 4, 0), out = xlt_buffer_make(NULL, 2, 4, 1);
    XLT_OK(xl_topk_enqueue(
        plan, xlt_queue(),
        &(xl_topk_args){.n = 5, .k = 2, .keys_in = xlt_view(&in), .indices_out = xlt_view(&out)}, 0,
        NULL, NULL));
    xlt_read(&out, got);
    assert_memory_equal(got, wanted, sizeof got);
    xl_topk_destroy(plan);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
}

/* ---- samples ---------------------------------------------------------------- */

/* u32 keys, the smallest of which are wanted as they stand, and a sample of SAMPLE is taken. */
static const xl_tunable of_samples[2][5] = {{{"topk.shape", 0},
                                             {"topk.group_log", 5},
                                             {"topk.chunk", 1000},
                                             {"topk.sample", SAMPLE},
                                             {"topk.sampled", 1}},
                                            {{"topk.shape", 1},
                                             {"topk.chunks", 200},
                                             {"topk.chunk", 1000},
                                             {"topk.sample", SAMPLE},
                                             {"topk.sampled", 1}}};

static void select_by_samples(void (*fill)(const topk_trial *t, uint32_t *keys), size_t n,
                              const size_t *ks, size_t num_ks, unsigned choice)
{
    for (int shape = 0; shape < 2; ++shape) {
        xl_topk_desc desc = topk_desc(XL_U32, XL_NONE, false, false);
        xl_topk *plan;
        desc.tunables = of_samples[shape];
        desc.num_tunables = 5;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        topk_trial t = topk_trial_of(&desc, plan, n, 0, TOPK_RANDOM);
        t.fill = fill;
        t.choice = choice;
        t.device = shape ? "one work-item, a sample" : "group, a sample";
        for (size_t i = 0; i < num_ks; ++i) {
            t.k = ks[i];
            topk_check(&t);
        }
        xl_topk_destroy(plan);
    }
}

/* The place of number i of a sample: cl/topk/topk_state.cl. */
static uint32_t sampled(uint32_t i, uint32_t stride)
{
    uint32_t mixed = (i + 1) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca77u;
    mixed ^= mixed >> 13;
    return i * stride + (uint32_t)((uint64_t)mixed * stride >> 32);
}

static void best_in_the_sample(const topk_trial *t, uint32_t *keys)
{
    for (size_t i = 0; i < t->n; ++i)
        keys[i] |= 0x80000000u;
    for (uint32_t i = 0; i < SAMPLE; ++i)
        keys[sampled(i, (uint32_t)(t->n / SAMPLE))] = i;
}

/* So few keys are within the bound that a sample gives that there are more results: of 20000 keys
 * and 14 or more results it is key number 14 of the sample, or 22 for 1000. */
static void samples_that_mislead(void **state)
{
    const size_t ks[] = {13, 14, 15, 30, 60, 1000};
    (void)state;
    select_by_samples(best_in_the_sample, xlt_small() ? 640 : 20000, ks, xlt_small() ? 5 : 6, 0);
}

/* Of random keys a few more than wanted are within the bound, which the scratch has the number of:
 * the last of the 128 words in front of the counts (cl/topk/topk_state.cl). */
static void bounds_are_close(void **state)
{
    const size_t no_list = 512 + 2 * 6 * 2048 * 4; /* bytes of scratch */
    (void)state;
    for (int shape = 0; shape < 2; ++shape) {
        xl_topk_desc desc = topk_desc(XL_U32, XL_NONE, false, false);
        xl_topk *plan;
        desc.tunables = of_samples[shape];
        desc.num_tunables = 5;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        topk_trial t = topk_trial_of(&desc, plan, 640, 2, TOPK_RANDOM);
        topk_host h = topk_host_make(&t);
        topk_arrays a = topk_arrays_make(&t, h.keys, h.values);
        const xlt_buffer *scratch = &a.at[TOPK_BUFFERS - 1];
        unsigned char *held = topk_room(scratch->n * scratch->size);
        uint32_t bounded;
        XLT_OK(topk_enqueue(&t, &a, 0, NULL, NULL));
        topk_check_result(&t, &a, &h);
        xlt_read(scratch, held);
        memcpy(&bounded, held + 127 * sizeof bounded, sizeof bounded);
        /* 140 or so, as number 14 of 64; a device that ends loops has no lists, and no sample. */
        if (scratch->n >= no_list + 4 * 640 && (bounded < 50 || bounded > 320))
            XLT_FAIL("%s: %u keys within the bound", shape ? "one work-item" : "group",
                     (unsigned)bounded);
        free(held);
        topk_arrays_free(&a);
        topk_host_free(&h);
        xl_topk_destroy(plan);
    }
}

/* In each 1000 keys so many within the bound, some of which are better. */
static void as_many_as_chosen(const topk_trial *t, uint32_t *keys)
{
    for (size_t i = 0; i < t->n; ++i)
        keys[i] = i % 1000 * 7919 % 1000 >= t->choice ? 0x80000000u | keys[i] : i % 97 == 5 ? 3 : 5;
}

/* The list of a chunk has room for 640. */
static void lists_just_full(void **state)
{
    const size_t ks[] = {1, 40, 60};
    (void)state;
    for (unsigned room = 638; room <= 641; ++room)
        if (!xlt_on_oclgrind() || room >= 640)
            select_by_samples(as_many_as_chosen, xlt_on_oclgrind() ? 2000 : 6000, ks,
                              xlt_on_oclgrind() ? 1 : 3, room);
}

/* A hundred keys share each first digit. */
static void hundreds(const topk_trial *t, uint32_t *keys)
{
    for (size_t i = 0; i < t->n; ++i)
        keys[i] = (uint32_t)(i * 7919 % t->n / 100) << 21 | keys[i] >> 11;
}

static void the_last_of_a_digit(void **state)
{
    const size_t ks[] = {99, 100, 101, 199, 200, 201};
    (void)state;
    select_by_samples(hundreds, xlt_small() ? 640 : 20000, ks, xlt_on_oclgrind() ? 3 : 6, 0);
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    const xl_topk_desc descs[] = {topk_desc(XL_U32, XL_U32, true, false),
                                  topk_desc(XL_U64, XL_U32, false, true)};
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t d = 0; d < 2; ++d) {
            const size_t sizes[] = {1, 32, 33, 500, 5000};
            xl_topk *plan;
            XLT_OK(xl_topk_create(xlt_context(), &descs[d], &plan));
            for (size_t s = 0; s < (xlt_small() ? 3u : 5u); ++s) {
                topk_trial t =
                    topk_trial_of(&descs[d], plan, sizes[s], sizes[s] / 2 + 1, TOPK_RANDOM);
                topk_check(&t);
                t.k = sizes[s];
                topk_check(&t);
            }
            xl_topk_destroy(plan);
        }
}

/* ---- queues, events, threads, repeats --------------------------------------- */

/* Out of order, the second call selects from what the first one gives, and the first waits for an
 * event that the host sets late. */
static void out_of_order_by_events(void **state)
{
    (void)state;
    const xl_topk_desc descs[2] = {topk_desc(XL_U64, XL_NONE, true, true),
                                   topk_desc(XL_U64, XL_NONE, false, true)};
    const size_t n = xlt_small() ? 100 : 9000, k = n / 2, last = n / 5;
    cl_command_queue queue = xlt_out_of_order_queue();
    cl_event events[3] = {xlt_user_event()};
    xl_topk *plans[2];
    uint32_t *wanted = topk_room(4 * n), *again = topk_room(4 * n);
    uint64_t *keys = topk_room(8 * n), *half = topk_room(8 * n), *got = topk_room(8 * n);
    topk_fill(keys, TOPK_RANDOM, 8, n);
    assert_true(ref_topk(XL_U64, true, true, n, k, keys, wanted));
    for (size_t i = 0; i < k; ++i)
        half[i] = keys[wanted[i]];
    assert_true(ref_topk(XL_U64, false, true, k, last, half, again));
    xlt_buffer in = xlt_buffer_make(keys, n, 8, 0), middle = xlt_buffer_make(NULL, k, 8, 1),
               out = xlt_buffer_make(NULL, last, 8, 2);
    for (int i = 0; i < 2; ++i) {
        XLT_OK(xl_topk_create(xlt_context(), &descs[i], &plans[i]));
        XLT_OK(xl_topk_enqueue(plans[i], queue,
                               &(xl_topk_args){.n = i ? k : n,
                                               .k = i ? last : k,
                                               .keys_in = xlt_view(i ? &middle : &in),
                                               .keys_out = xlt_view(i ? &out : &middle)},
                               1, &events[i], &events[i + 1]));
    }
    XLT_CL(clSetUserEventStatus(events[0], CL_COMPLETE));
    XLT_CL(clWaitForEvents(1, &events[2]));
    xlt_read(&out, got);
    for (size_t i = 0; i < last; ++i)
        assert_true(got[i] == half[again[i]]);
    for (int i = 0; i < 3; ++i)
        XLT_CL(clReleaseEvent(events[i]));
    for (int i = 0; i < 2; ++i)
        xl_topk_destroy(plans[i]);
    XLT_CL(clReleaseCommandQueue(queue));
    xlt_buffer_free(&in);
    xlt_buffer_free(&middle);
    xlt_buffer_free(&out);
    free(wanted);
    free(again);
    free(keys);
    free(half);
    free(got);
}

/* No keys, or none wanted: an event, and a count of 0. */
static void nothing_yields_an_event(void **state)
{
    (void)state;
    const xl_topk_desc desc = topk_desc(XL_U32, XL_NONE, true, true);
    xlt_buffer count = xlt_buffer_make(NULL, 1, 8, 1), keys = xlt_buffer_make(NULL, 5, 4, 0);
    xl_topk *plan;
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    for (size_t n = 0; n < 2; ++n) {
        uint64_t counted = 9;
        cl_event event = NULL;
        xl_topk_args args = {.n = 5 * n, .k = 7 * (1 - n)};
        if (n > 0)
            args.keys_in = xlt_view(&keys);
        XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, &event));
        XLT_CL(clWaitForEvents(1, &event));
        XLT_CL(clReleaseEvent(event));
        XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        args.count_out = xlt_view(&count);
        XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&count, &counted);
        assert_true(counted == 0);
    }
    xl_topk_destroy(plan);
    xl_topk_destroy(NULL);
    xl_topk_desc_init(NULL);
    xlt_buffer_free(&count);
    xlt_buffer_free(&keys);
}

/* The same results ten times over, from one scratch that no call cleans for the next. */
static void repeats_are_the_same(void **state)
{
    (void)state;
    for (unsigned sorted = 0; sorted < 2; ++sorted) {
        const xl_topk_desc desc = topk_desc(XL_F32, XL_U32, false, sorted);
        xl_topk *plan;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        topk_trial t = topk_trial_of(&desc, plan,
                                     xlt_on_oclgrind() ? 70
                                     : xlt_small()     ? 300
                                                       : 100003,
                                     0, TOPK_FEW_DISTINCT);
        t.k = t.n / 3;
        topk_host h = topk_host_make(&t);
        topk_arrays a = topk_arrays_make(&t, h.keys, h.values);
        for (int i = 0; i < 10; ++i) {
            XLT_OK(topk_enqueue(&t, &a, 0, NULL, NULL));
            topk_check_result(&t, &a, &h);
        }
        topk_arrays_free(&a);
        topk_host_free(&h);
        xl_topk_destroy(plan);
    }
}

typedef struct worker {
    topk_trial trial;
    topk_host host;
    topk_arrays arrays;
    xl_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < 20 && w->status == XL_SUCCESS; ++i)
        w->status = topk_enqueue(&w->trial, &w->arrays, 0, NULL, NULL);
    clFinish(w->trial.queue);
    return NULL;
}

static void two_threads_share_a_plan(void **state)
{
    (void)state;
    const xl_topk_desc desc = topk_desc(XL_U32, XL_U32, true, true);
    worker workers[2];
    pthread_t threads[2];
    xl_topk *plan;
    xlt_needs_threads();
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    for (size_t i = 0; i < 2; ++i) {
        cl_int code;
        topk_trial t =
            topk_trial_of(&desc, plan, (xlt_small() ? 100 : 20000) + i, 50 + i, TOPK_RANDOM);
        t.own_scratch = true;
        t.queue = clCreateCommandQueue(xl_context_cl(xlt_context()),
                                       xl_context_device(xlt_context()), 0, &code);
        XLT_CL(code);
        workers[i] = (worker){.trial = t, .host = topk_host_make(&t), .status = XL_SUCCESS};
        workers[i].arrays = topk_arrays_make(&t, workers[i].host.keys, workers[i].host.values);
    }
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < 2; ++i) {
        worker *w = &workers[i];
        assert_int_equal(w->status, XL_SUCCESS);
        topk_check_result(&w->trial, &w->arrays, &w->host);
        topk_arrays_free(&w->arrays);
        topk_host_free(&w->host);
        XLT_CL(clReleaseCommandQueue(w->trial.queue));
    }
    xl_topk_destroy(plan);
}

/* ---- scratch --------------------------------------------------------------- */

/* At most 4 MiB and what results take, twice where they are sorted, and the sort's counts. */
static void scratch_is_small(void **state)
{
    (void)state;
    for (unsigned sorted = 0; sorted < 2; ++sorted) {
        const xl_topk_desc desc = topk_desc(XL_U64, XL_U32, true, sorted);
        xl_topk *plan;
        xl_plan_info info;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        for (size_t n = 0; n < (size_t)1 << 28; n += n / 3 + 1) {
            size_t before = 0;
            const size_t ks[] = {0, 1, n / 1000, n, n + 1};
            XLT_OK(xl_topk_info(plan, n, &info));
            assert_string_equal(info.algorithm, "radix select");
            for (size_t i = 0; i < sizeof ks / sizeof ks[0]; ++i) {
                const size_t k = ks[i], room = k < n ? k : n;
                size_t bytes, alignment;
                XLT_OK(xl_topk_scratch(plan, n, k, &bytes, &alignment));
                assert_true(bytes >= before || i == 2);
                assert_true(bytes <=
                            ((size_t)4 << 20) + (sorted ? ((size_t)4 << 20) + 32 * room : 0));
                assert_true(k == 0 || n == 0 || bytes > 0);
                before = bytes;
            }
        }
        xl_topk_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(every_combination_of_outputs),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(zeros_of_both_signs),
        cmocka_unit_test(first_zeros_are_taken),
        cmocka_unit_test(samples_that_mislead),
        cmocka_unit_test(bounds_are_close),
        cmocka_unit_test(lists_just_full),
        cmocka_unit_test(the_last_of_a_digit),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
        cmocka_unit_test(repeats_are_the_same),
        cmocka_unit_test(two_threads_share_a_plan),
        cmocka_unit_test(scratch_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

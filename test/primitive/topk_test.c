/* SPDX-License-Identifier: MIT
 * The top-k selection against its serial reference: every key type, any n and k, all outputs,
 * both shapes of chunks, and every misuse. */
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
    LATE_BEST,
    SPECIAL,
    PATTERNS
} pattern;

static const char *const pattern_names[PATTERNS] = {
    "random", "rising", "falling", "equal", "one bit", "few distinct", "best last", "special"};

static const xl_type types[] = {XL_I8,  XL_U8,  XL_I16, XL_U16, XL_I32, XL_U32,
                                XL_I64, XL_U64, XL_F16, XL_F32, XL_F64};
enum { TYPES = sizeof types / sizeof types[0] };

/* The highest bytes of -0, +0, denormals, infinities, NaN of both signs and extremes, of f16, f32
 * and f64 alike. */
static const uint64_t special[] = {
    0x8000000000000000u, 0x0000000000000000u, 0x0000000000000001u, 0x8000000000000001u,
    0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000000u, 0xfff8000000000000u,
    0x7f80000000000000u, 0xff80000000000000u, 0x7f80000100000000u, 0xff80000100000000u,
    0x7c00000000000000u, 0xfc00000000000000u, 0x7c01000000000000u, 0xfc01000000000000u,
    0x7fffffffffffffffu, 0xffffffffffffffffu, 0x3f80000000000000u, 0xbf80000000000000u};

/* A key in the highest bits of 64. */
static uint64_t key_of(pattern p, size_t i, size_t n, size_t bits, xlt_random *random)
{
    switch (p) {
    case RISING:
        return (uint64_t)i << (64 - bits);
    case FALLING:
        return (uint64_t)(n - 1 - i) << (64 - bits);
    case ALL_EQUAL:
        return 0x3f81234512345678u;
    case ONE_BIT:
        return 0x3f00000000000000u | (xlt_next(random) >> 63) << (64 - bits);
    case FEW_DISTINCT:
        return (uint64_t)xlt_below(random, 7) * 0x2468135711223344u;
    case LATE_BEST: /* most share the digits above the last, the best stand at the end */
        return 0x4012345678000000u + ((uint64_t)(i + 5 >= n ? 200 + i % 5 : i % 50) << (64 - bits));
    case SPECIAL:
        return special[xlt_below(random, sizeof special / sizeof special[0])];
    default:
        return xlt_next(random);
    }
}

static void fill_keys(void *keys, pattern p, size_t size, size_t n)
{
    xlt_random random = {1 + 77 * n + p};
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = key_of(p, i, n, 8 * size, &random) >> (64 - 8 * size);
        const uint8_t k8 = (uint8_t)key;
        const uint16_t k16 = (uint16_t)key;
        const uint32_t k32 = (uint32_t)key;
        const void *from = size == 1   ? (const void *)&k8
                           : size == 2 ? (const void *)&k16
                           : size == 4 ? (const void *)&k32
                                       : (const void *)&key;
        memcpy((char *)keys + i * size, from, size);
    }
}

static void *get(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* ---- one selection, checked ----------------------------------------------- */

enum { KEYS = 1, VALUES = 2, INDICES = 4, COUNT = 8, ALL = 15 };

typedef struct trial {
    const char *device; /* which variant of the device */
    const xl_topk_desc *desc;
    xl_topk *plan;
    cl_command_queue queue;
    size_t n, k, offset;
    pattern pattern;
    unsigned outputs; /* of the above; values only where the plan has them */
    bool own_scratch;
} trial;

static const char *describe(const trial *t)
{
    static char text[250];
    snprintf(text, sizeof text,
             "%s %s keys, %s values, %s, n %zu, k %zu, %s, outputs %u, offset "
             "%zu%s, %s",
             t->desc->largest ? "largest" : "smallest", xl_type_name((xl_type)t->desc->key),
             t->desc->value == XL_NONE ? "no" : "u32", t->desc->sorted ? "sorted" : "as they stand",
             t->n, t->k, pattern_names[t->pattern], t->outputs, t->offset,
             t->own_scratch ? ", plan's scratch" : "", t->device);
    return text;
}

static size_t results_of(const trial *t)
{
    return t->k < t->n ? t->k : t->n;
}

/* The buffers of a trial; those that are not given are empty. */
enum { KEYS_IN, VALUES_IN, KEYS_OUT, VALUES_OUT, INDICES_OUT, COUNT_OUT, SCRATCH, BUFFERS };
static const char *const buffer_names[BUFFERS] = {
    "keys_in", "values_in", "keys_out", "values_out", "indices_out", "count_out", "scratch"};
typedef struct arrays {
    xlt_buffer at[BUFFERS];
} arrays;

static arrays arrays_make(const trial *t, const void *keys, const uint32_t *values)
{
    const size_t size = xl_type_size((xl_type)t->desc->key), results = results_of(t);
    const bool has_values = t->desc->value != XL_NONE;
    size_t bytes, alignment;
    arrays a = {{{0}}};
    a.at[KEYS_IN] = xlt_buffer_make(keys, t->n, size, t->offset);
    if (has_values && (t->outputs & VALUES || t->offset % 2))
        a.at[VALUES_IN] = xlt_buffer_make(values, t->n, 4, t->offset + 1);
    if (t->outputs & KEYS)
        a.at[KEYS_OUT] = xlt_buffer_make(NULL, results, size, t->offset + 3);
    if (t->outputs & VALUES && has_values)
        a.at[VALUES_OUT] = xlt_buffer_make(NULL, results, 4, t->offset);
    if (t->outputs & INDICES)
        a.at[INDICES_OUT] = xlt_buffer_make(NULL, results, 4, t->offset + 2);
    if (t->outputs & COUNT)
        a.at[COUNT_OUT] = xlt_buffer_make(NULL, 1, 8, t->offset);
    XLT_OK(xl_topk_scratch(t->plan, t->n, t->k, &bytes, &alignment));
    if (!t->own_scratch)
        a.at[SCRATCH] = xlt_scratch_make(bytes, alignment);
    return a;
}

static void arrays_free(arrays *a)
{
    for (size_t i = 0; i < BUFFERS; ++i)
        if (a->at[i].mem)
            xlt_buffer_free(&a->at[i]);
}

static xl_view view(const arrays *a, int which)
{
    return a->at[which].mem ? xlt_view(&a->at[which]) : xl_no_view();
}

static xl_status enqueue(const trial *t, const arrays *a, cl_uint num_waits, const cl_event *waits,
                         cl_event *event)
{
    return xl_topk_enqueue(t->plan, t->queue,
                           &(xl_topk_args){.n = t->n,
                                           .k = t->k,
                                           .keys_in = view(a, KEYS_IN),
                                           .values_in = view(a, VALUES_IN),
                                           .keys_out = view(a, KEYS_OUT),
                                           .values_out = view(a, VALUES_OUT),
                                           .indices_out = view(a, INDICES_OUT),
                                           .count_out = view(a, COUNT_OUT),
                                           .scratch = view(a, SCRATCH)},
                           num_waits, waits, event);
}

/* What stands in a buffer must be the elements that `from` names of `all`; NULL: these are meant
 * themselves. */
static void check_array(const trial *t, const arrays *a, int which, const void *all,
                        const uint32_t *from)
{
    const xlt_buffer *b = &a->at[which];
    if (!b->mem)
        return;
    unsigned char *now = get(b->n * b->size);
    xlt_read(b, now);
    for (size_t i = 0; i < b->n; ++i)
        if (memcmp(now + i * b->size, (const char *)all + (from ? from[i] : i) * b->size,
                   b->size) != 0)
            XLT_FAIL("%s: %s is wrong at %zu", describe(t), buffer_names[which], i);
    xlt_check_guards(b, buffer_names[which]);
    free(now);
}

/* What a trial starts from, and what it has to give. */
typedef struct host {
    void *keys;
    uint32_t *values, *wanted;
} host;

static host host_make(const trial *t)
{
    const size_t size = xl_type_size((xl_type)t->desc->key);
    host h = {get(t->n * size), get(4 * t->n), get(4 * t->n)};
    fill_keys(h.keys, t->pattern, size, t->n);
    for (size_t i = 0; i < t->n; ++i)
        h.values[i] = (uint32_t)i * 2654435761u;
    assert_true(ref_topk((xl_type)t->desc->key, t->desc->largest != 0, t->desc->sorted != 0, t->n,
                         t->k, h.keys, h.wanted));
    return h;
}

static void host_free(host *h)
{
    free(h->keys);
    free(h->values);
    free(h->wanted);
}

static void check_result(const trial *t, const arrays *a, const host *h)
{
    const uint64_t count = results_of(t);
    check_array(t, a, KEYS_OUT, h->keys, h->wanted);
    check_array(t, a, VALUES_OUT, h->values, h->wanted);
    check_array(t, a, INDICES_OUT, h->wanted, NULL);
    check_array(t, a, COUNT_OUT, &count, NULL);
    check_array(t, a, KEYS_IN, h->keys, NULL);
    check_array(t, a, VALUES_IN, h->values, NULL);
    if (a->at[SCRATCH].mem)
        xlt_check_guards(&a->at[SCRATCH], "scratch");
}

static void run_trial(const trial *t)
{
    cl_event event = NULL;
    host h = host_make(t);
    arrays a = arrays_make(t, h.keys, h.values);
    const xl_status status = enqueue(t, &a, 0, NULL, &event);
    if (status != XL_SUCCESS)
        XLT_FAIL("%s: %.500s", describe(t), xl_context_error(xlt_context()));
    XLT_CL(clWaitForEvents(1, &event));
    XLT_CL(clReleaseEvent(event));
    check_result(t, &a, &h);
    arrays_free(&a);
    host_free(&h);
}

/* ---- plans ---------------------------------------------------------------- */

static xl_topk_desc desc_of(xl_type key, xl_type value, bool largest, bool sorted)
{
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.key = key;
    desc.value = value;
    desc.largest = largest;
    desc.sorted = sorted;
    return desc;
}

static trial trial_of(const xl_topk_desc *desc, xl_topk *plan, size_t n, size_t k, pattern p)
{
    return (trial){.device = "device as it is",
                   .desc = desc,
                   .plan = plan,
                   .queue = xlt_queue(),
                   .n = n,
                   .k = k,
                   .pattern = p,
                   .outputs = ALL};
}

/* Every k that matters, of one n and pattern; outputs, offsets and scratch change from one to the
 * next. */
static void run_ks(trial t, unsigned *turn)
{
    const size_t n = t.n;
    const size_t ks[] = {0, 1, 2, n / 3, n / 2 + 1, n > 0 ? n - 1 : 0, n, n + 5};
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; ++i) {
        if (xlt_small() && (i + *turn) % 3 != 0)
            continue;
        t.k = ks[i];
        t.outputs = *turn % 16;
        if ((t.outputs & (t.desc->value == XL_NONE ? ALL & ~VALUES : ALL)) == 0)
            t.outputs = INDICES;
        t.offset = *turn % 5;
        t.own_scratch = *turn % 3 == 1;
        run_trial(&t);
        *turn += 7;
    }
}

static void every_type(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 3, 31, 33, 65, 256, 1000, 4097, 12301};
    unsigned turn = 0;
    for (size_t p = 0; p < 4 * TYPES; ++p) {
        xl_topk *plan;
        /* Each way to go at a type once in a full run, each once over all types in a small one. */
        const unsigned way = (unsigned)(p / TYPES);
        if (xlt_few_programs() && p % TYPES % 4 != way)
            continue;
        if (xlt_on_oclgrind() && p % 5 != 0)
            continue;
        const xl_topk_desc desc = desc_of(
            types[p % TYPES], (p % TYPES + way / 2) % 2 ? XL_U32 : XL_NONE, way % 2, way / 2);
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            if (xlt_small() && sizes[s] > 70)
                break;
            if (xlt_on_oclgrind() && s % 3 != 0)
                continue;
            trial t = trial_of(&desc, plan, sizes[s], 0, RANDOM);
            for (t.pattern = 0; t.pattern < PATTERNS; ++t.pattern)
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
        const xl_topk_desc desc = desc_of(XL_I16, XL_U32, true, sorted);
        xl_topk *plan;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        trial t = trial_of(&desc, plan, xlt_small() ? 90 : 5000, 40, FEW_DISTINCT);
        for (t.outputs = 1; t.outputs <= ALL; ++t.outputs)
            run_trial(&t);
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
        desc_of(XL_U32, XL_U32, true, true), desc_of(XL_F32, XL_NONE, false, false),
        desc_of(XL_F64, XL_U32, true, true), desc_of(XL_U8, XL_U32, false, true)};
    for (size_t d = 0; d < sizeof descs / sizeof descs[0]; ++d) {
        xl_topk *plan;
        XLT_OK(xl_topk_create(xlt_context(), &descs[d], &plan));
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
            for (size_t k = 0; k < sizeof ks / sizeof ks[0]; ++k) {
                trial t =
                    trial_of(&descs[d], plan, sizes[i], ks[k], (pattern)((i + k + d) % PATTERNS));
                t.own_scratch = k % 2;
                run_trial(&t);
            }
        xl_topk_destroy(plan);
    }
}

/* ---- other shapes ---------------------------------------------------------- */

static const struct variant {
    const char *name, *mask;
    uint32_t shape, group_log, items, chunks, chunk;
} variants[] = {
    {"group of 256, chunks of 300", NULL, 0, 8, 8, 200, 300},
    {"group of 32 and one key, chunks of 100", NULL, 0, 5, 1, 200, 100},
    {"group of 8 at most, chunks of 1000", "work-group=8", 0, 8, 32, 200, 1000},
    {"group of 1, chunks of 40", "work-group=1", 0, 8, 3, 200, 40},
    {"one work-item, chunks of 33", NULL, 1, 8, 8, 200, 33},
    {"one work-item, chunks of 1", NULL, 1, 8, 8, 256, 1},
    {"one work-item, two chunks", NULL, 1, 8, 8, 1, 700},
};

static void run_variant(const struct variant *v, const xl_topk_desc *given, unsigned *turn)
{
    const xl_tunable tunables[] = {{"topk.shape", v->shape},
                                   {"topk.group_log", v->group_log},
                                   {"topk.items", v->items},
                                   {"topk.chunks", v->chunks},
                                   {"topk.chunk", v->chunk}};
    const size_t sizes[] = {1, 30, 257, 999, 3001, 20011};
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
        trial t = trial_of(&desc, plan, sizes[s], 0, RANDOM);
        t.device = v->name;
        if (sizes[s] > (xlt_on_oclgrind() ? 30u : xlt_small() ? 1000u : SIZE_MAX))
            break;
        for (t.pattern = 0; t.pattern < PATTERNS; ++t.pattern)
            if (!xlt_small() || (t.pattern + s + *turn) % 4 == 0)
                run_ks(t, turn);
    }
    xl_topk_destroy(plan);
    xl_context_destroy(ctx);
}

static void other_shapes(void **state)
{
    (void)state;
    const xl_topk_desc narrow = desc_of(XL_U32, XL_U32, true, false);
    const xl_topk_desc wide = desc_of(XL_F64, XL_NONE, false, true);
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i) {
        run_variant(&variants[i], &narrow, &turn);
        if (!xlt_few_programs() && i % 3 == 0)
            run_variant(&variants[i], &wide, &turn);
    }
}

/* Arrays and scratch of just the bytes that they need. */
static void at_the_edges_of_memory(void **state)
{
    (void)state;
    const xl_topk_desc descs[] = {desc_of(XL_U32, XL_U32, true, false),
                                  desc_of(XL_U64, XL_U32, false, true)};
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t d = 0; d < 2; ++d) {
            const size_t sizes[] = {1, 32, 33, 500, 5000};
            xl_topk *plan;
            XLT_OK(xl_topk_create(xlt_context(), &descs[d], &plan));
            for (size_t s = 0; s < (xlt_small() ? 3u : 5u); ++s) {
                trial t = trial_of(&descs[d], plan, sizes[s], sizes[s] / 2 + 1, RANDOM);
                run_trial(&t);
                t.k = sizes[s];
                run_trial(&t);
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
    const xl_topk_desc descs[2] = {desc_of(XL_U64, XL_NONE, true, true),
                                   desc_of(XL_U64, XL_NONE, false, true)};
    const size_t n = xlt_small() ? 100 : 9000, k = n / 2, last = n / 5;
    cl_command_queue queue = xlt_out_of_order_queue();
    cl_event events[3] = {xlt_user_event()};
    xl_topk *plans[2];
    uint32_t *wanted = get(4 * n), *again = get(4 * n);
    uint64_t *keys = get(8 * n), *half = get(8 * n), *got = get(8 * n);
    fill_keys(keys, RANDOM, 8, n);
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
    const xl_topk_desc desc = desc_of(XL_U32, XL_NONE, true, true);
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
        const xl_topk_desc desc = desc_of(XL_F32, XL_U32, false, sorted);
        xl_topk *plan;
        XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
        trial t = trial_of(&desc, plan,
                           xlt_on_oclgrind() ? 70
                           : xlt_small()     ? 300
                                             : 100003,
                           0, FEW_DISTINCT);
        t.k = t.n / 3;
        host h = host_make(&t);
        arrays a = arrays_make(&t, h.keys, h.values);
        for (int i = 0; i < 10; ++i) {
            XLT_OK(enqueue(&t, &a, 0, NULL, NULL));
            check_result(&t, &a, &h);
        }
        arrays_free(&a);
        host_free(&h);
        xl_topk_destroy(plan);
    }
}

typedef struct worker {
    trial trial;
    host host;
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
    const xl_topk_desc desc = desc_of(XL_U32, XL_U32, true, true);
    worker workers[2];
    pthread_t threads[2];
    xl_topk *plan;
    xlt_needs_threads();
    XLT_OK(xl_topk_create(xlt_context(), &desc, &plan));
    for (size_t i = 0; i < 2; ++i) {
        cl_int code;
        trial t = trial_of(&desc, plan, (xlt_small() ? 100 : 20000) + i, 50 + i, RANDOM);
        t.own_scratch = true;
        t.queue = clCreateCommandQueue(xl_context_cl(xlt_context()),
                                       xl_context_device(xlt_context()), 0, &code);
        XLT_CL(code);
        workers[i] = (worker){.trial = t, .host = host_make(&t), .status = XL_SUCCESS};
        workers[i].arrays = arrays_make(&t, workers[i].host.keys, workers[i].host.values);
    }
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < 2; ++i) {
        worker *w = &workers[i];
        assert_int_equal(w->status, XL_SUCCESS);
        check_result(&w->trial, &w->arrays, &w->host);
        arrays_free(&w->arrays);
        host_free(&w->host);
        XLT_CL(clReleaseCommandQueue(w->trial.queue));
    }
    xl_topk_destroy(plan);
}

/* ---- misuse --------------------------------------------------------------- */

static void wrong_descriptors(void **state)
{
    (void)state;
    const xl_tunable bad[] = {{"topk.items", 99}}, other[] = {{"sort.shape", 1}};
    const struct {
        const char *said;
        xl_topk_desc desc;
    } cases[] = {
        {"desc.key: u32x2", {.key = XL_U32X2}},
        {"desc.key", {.key = XL_NONE}},
        {"desc.key", {.key = 99}},
        {"desc.value: u64", {.key = XL_U32, .value = XL_U64}},
        {"topk.items = 99", {.key = XL_U32, .tunables = bad, .num_tunables = 1}},
        {"another primitive's \"sort.shape\"",
         {.key = XL_U32, .tunables = other, .num_tunables = 1}},
    };
    xl_topk *plan;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_topk_desc desc = cases[i].desc;
        desc.struct_size = sizeof desc;
        plan = (xl_topk *)&desc;
        XLT_FAILS(xl_topk_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
        assert_null(plan);
        if (!strstr(xl_context_error(ctx), cases[i].said))
            XLT_FAIL("\"%s\" is not in: %s", cases[i].said, xl_context_error(ctx));
    }
    xl_topk_desc desc;
    xl_topk_desc_init(&desc);
    desc.struct_size = 3;
    XLT_FAILS(xl_topk_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
    xl_topk_desc_init(&desc);
    XLT_FAILS(xl_topk_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT);
    XLT_FAILS(xl_topk_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(xl_topk_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT);
}

/* A right call, of which one argument at a time is made wrong. All arrays but the count stand in
 * one buffer, so that they can be made to overlap. */
typedef struct call {
    xl_topk *plan;
    cl_command_queue queue;
    xl_topk_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

static const call *good;

static void expect_fail(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&good;
    xl_context *ctx = xlt_context();
    const xl_status got =
        xl_topk_enqueue(c->plan, c->queue, &c->args, c->num_waits, c->waits, &event);
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
        xl_topk_args *const x = &c.args;                                                           \
        __VA_ARGS__;                                                                               \
        (void)x;                                                                                   \
        expect_fail(&c, status, said);                                                             \
    }

static void wrong_views(cl_mem all, size_t alignment)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;
    EXPECT(bad, "keys_in: no buffer", x->keys_in = xl_no_view())
    EXPECT(bad, "values_in: no buffer", x->values_in = xl_no_view())
    EXPECT(bad, "none is given",
           x->keys_out = x->values_out = x->indices_out = x->count_out = xl_no_view())
    EXPECT(bad, "keys_in", x->keys_in.offset = SIZE_MAX)
    EXPECT(bad, "keys_out", x->keys_out.offset = (size_t)1 << 40)
    EXPECT(bad, "values_out", x->values_out.offset = (size_t)1 << 40)
    EXPECT(bad, "indices_out", x->indices_out.offset = (size_t)1 << 40)
    EXPECT(bad, "count_out", x->count_out.offset = (size_t)1 << 40)
    EXPECT(overlap, "keys_in and keys_out", x->keys_out = x->keys_in)
    EXPECT(overlap, "keys_in and values_out", x->values_out = x->keys_in)
    EXPECT(overlap, "keys_in and indices_out", x->indices_out = x->keys_in)
    EXPECT(overlap, "values_in and keys_out", x->keys_out = x->values_in)
    EXPECT(overlap, "values_in and values_out", x->values_out = x->values_in)
    EXPECT(overlap, "keys_out and values_out", x->values_out = x->keys_out)
    EXPECT(overlap, "values_out and indices_out", x->indices_out = x->values_out)
    EXPECT(overlap, "indices_out and count_out",
           x->count_out = xl_view_of(all, x->indices_out.offset / 2))
    EXPECT(XL_ERROR_MISALIGNED, "scratch", x->scratch.offset += alignment / 2)
    EXPECT(XL_ERROR_SCRATCH_TOO_SMALL, "scratch", x->scratch.offset += alignment)
    EXPECT(overlap, "scratch", x->scratch = xl_view_of(all, 0))
}

static void wrong_queues_and_access(size_t n)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cl_int code;
    cl_device_id device = xl_context_device(xlt_context());
    cl_context own = xl_context_cl(xlt_context());
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    XLT_CL(code);
    cl_command_queue queue = clCreateCommandQueue(cl, device, 0, &code);
    XLT_CL(code);
    cl_mem mem = clCreateBuffer(cl, CL_MEM_READ_WRITE, 4 * n, NULL, &code);
    XLT_CL(code);
    cl_mem read = clCreateBuffer(own, CL_MEM_READ_ONLY, 4 * n, NULL, &code);
    XLT_CL(code);
    cl_mem write = clCreateBuffer(own, CL_MEM_WRITE_ONLY, 4 * n, NULL, &code);
    XLT_CL(code);
    const cl_event none = NULL;
    EXPECT(bad, "queue: NULL", c.queue = NULL)
    EXPECT(bad, "queue", c.queue = queue)
    EXPECT(bad, "keys_in: a buffer of another", x->keys_in = xl_view_of(mem, 0))
    EXPECT(bad, "waits", c.num_waits = 1)
    EXPECT(bad, "waits", c.waits = &none)
    EXPECT(bad, "waits[0]", c.num_waits = 1; c.waits = &none)
    EXPECT(bad, "keys_in: a write-only buffer", x->keys_in = xl_view_of(write, 0))
    EXPECT(bad, "values_in: a write-only buffer", x->values_in = xl_view_of(write, 0))
    EXPECT(bad, "keys_out: a read-only buffer", x->keys_out = xl_view_of(read, 0))
    EXPECT(bad, "values_out: a read-only buffer", x->values_out = xl_view_of(read, 0))
    EXPECT(bad, "indices_out: a read-only buffer", x->indices_out = xl_view_of(read, 0))
    EXPECT(bad, "count_out: a read-only buffer", x->count_out = xl_view_of(read, 0))
    clReleaseMemObject(read);
    clReleaseMemObject(write);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
}

static void wrong_scratch_questions(const xl_topk *plan)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    size_t bytes, alignment;
    XLT_FAILS(xl_topk_scratch(plan, 1, 1, NULL, &alignment), bad);
    XLT_FAILS(xl_topk_scratch(plan, 1, 1, &bytes, NULL), bad);
    assert_int_equal(xl_topk_scratch(NULL, 1, 1, &bytes, &alignment), bad);
#if SIZE_MAX > UINT32_MAX
    EXPECT(bad, "n: 4294967296, at most 4294967295", x->n = (size_t)UINT32_MAX + 1)
    XLT_FAILS(xl_topk_scratch(plan, (size_t)UINT32_MAX + 1, 1, &bytes, &alignment), bad);
#endif
}

static void wrong_calls(void **state)
{
    (void)state;
    enum { N = 2000, K = 64 };
    const xl_topk_desc pairs = desc_of(XL_U32, XL_U32, true, true);
    const xl_topk_desc plain = desc_of(XL_U32, XL_NONE, true, true);
    xl_topk *plan, *keys_only;
    size_t bytes, alignment;
    XLT_OK(xl_topk_create(xlt_context(), &pairs, &plan));
    XLT_OK(xl_topk_create(xlt_context(), &plain, &keys_only));
    XLT_OK(xl_topk_scratch(plan, N, K, &bytes, &alignment));
    const size_t words = 2 * N + 3 * K;
    xlt_buffer all = xlt_buffer_make(NULL, words, 4, 0), count = xlt_buffer_make(NULL, 1, 8, 0),
               scratch = xlt_scratch_make(bytes, alignment);
    uint32_t *before = get(4 * words), *after = get(4 * words);
    xlt_read(&all, before);
    const size_t at = xlt_view(&all).offset;
    /* The scratch's buffer ends 512 guard bytes behind it: leave less room than that. */
    xl_view tight = xlt_view(&scratch);
    tight.offset += 512;
    const call right = {.plan = plan,
                        .queue = xlt_queue(),
                        .args = {.n = N,
                                 .k = K,
                                 .keys_in = xl_view_of(all.mem, at),
                                 .values_in = xl_view_of(all.mem, at + N),
                                 .keys_out = xl_view_of(all.mem, at + 2 * N),
                                 .values_out = xl_view_of(all.mem, at + 2 * N + K),
                                 .indices_out = xl_view_of(all.mem, at + 2 * N + 2 * K),
                                 .count_out = xlt_view(&count),
                                 .scratch = tight}};
    good = &right;
    wrong_views(all.mem, alignment);
    wrong_queues_and_access(N);
    wrong_scratch_questions(plan);
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    EXPECT(bad, "values_in: given", c.plan = keys_only)
    EXPECT(bad, "values_out: given", c.plan = keys_only; x->values_in = xl_no_view())
    cl_event event = (cl_event)&bad;
    assert_int_equal(xl_topk_enqueue(NULL, xlt_queue(), &right.args, 0, NULL, &event), bad);
    assert_null(event);
    /* Nothing of all this has written anything; the same call made right works. */
    xlt_read(&all, after);
    assert_memory_equal(before, after, 4 * words);
    xlt_check_guards(&scratch, "scratch");
    XLT_OK(xl_topk_enqueue(plan, xlt_queue(), &right.args, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    free(before);
    free(after);
    xlt_buffer_free(&all);
    xlt_buffer_free(&count);
    xlt_buffer_free(&scratch);
    xl_topk_destroy(plan);
    xl_topk_destroy(keys_only);
}

/* At most 4 MiB and what results take, twice where they are sorted, and the sort's counts. */
static void scratch_is_small(void **state)
{
    (void)state;
    for (unsigned sorted = 0; sorted < 2; ++sorted) {
        const xl_topk_desc desc = desc_of(XL_U64, XL_U32, true, sorted);
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
        cmocka_unit_test(every_combination_of_outputs),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(at_the_edges_of_memory),
        cmocka_unit_test(out_of_order_by_events),
        cmocka_unit_test(nothing_yields_an_event),
        cmocka_unit_test(repeats_are_the_same),
        cmocka_unit_test(two_threads_share_a_plan),
        cmocka_unit_test(wrong_descriptors),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(scratch_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}

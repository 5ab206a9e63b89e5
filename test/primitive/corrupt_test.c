/* SPDX-License-Identifier: MIT
 * Calls whose arrays and scratch somebody else writes while they run, which the caller must not
 * do: results are worth nothing, but every call ends, and nothing beside the arrays is touched. */
#include "reduce_support.h"
#include "sort_trial.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- who writes ------------------------------------------------------------------------------ */

enum { MOST_TARGETS = 6 };

typedef struct scribbler {
    const xlt_buffer *targets[MOST_TARGETS];
    size_t num_targets, n;  /* n: what makes a number a plausible one */
    cl_command_queue queue; /* NULL: kernels touch host memory, and so does this */
    atomic_bool stop;
    atomic_ulong writes;
    pthread_t thread;
} scribbler;

static uint64_t odd_number(xlt_random *random, size_t n)
{
    const uint64_t numbers[] = {0,
                                UINT64_MAX,
                                n,
                                n + 1,
                                xlt_below(random, (uint32_t)n),
                                xlt_next(random),
                                xlt_next(random) >> xlt_below(random, 64),
                                1};
    return numbers[xlt_below(random, 8)];
}

/* Some of them all over, some in a stretch. */
static void write_once(const scribbler *s, const xlt_buffer *to, xlt_random *random)
{
    unsigned char bytes[256];
    const size_t width = (size_t)1 << xlt_below(random, 4), all = to->n * to->size;
    const uint64_t number = odd_number(random, s->n);
    const size_t most = all < sizeof bytes ? all : sizeof bytes;
    const size_t length = 1 + xlt_below(random, (uint32_t)most);
    const size_t at = xlt_below(random, (uint32_t)(all - length + 1)) / width * width;
    for (size_t k = 0; k < length; ++k)
        bytes[k] = (unsigned char)(number >> 8 * (k % width));
    if (s->queue)
        clEnqueueWriteBuffer(s->queue, to->mem, CL_TRUE, at, length, bytes, 0, NULL, NULL);
    else
        memcpy(to->pages.data + at, bytes, length);
}

static void *scribble(void *user)
{
    scribbler *const s = user;
    xlt_random random = {s->n + 17};
    while (!atomic_load(&s->stop)) {
        write_once(s, s->targets[xlt_below(&random, (uint32_t)s->num_targets)], &random);
        atomic_fetch_add(&s->writes, 1);
    }
    return NULL;
}

static void aim(scribbler *s, const xlt_buffer *target)
{
    if (target->mem && target->n > 0)
        s->targets[s->num_targets++] = target;
}

static void scribbler_start(scribbler *s, size_t n)
{
    cl_int code = CL_SUCCESS;
    assert_true(s->num_targets > 0);
    s->n = n;
    s->queue = NULL;
    if (s->targets[0] && !s->targets[0]->pages.data)
        s->queue = clCreateCommandQueueWithProperties(
            xl_context_cl(xlt_context()), xl_context_device(xlt_context()), NULL, &code);
    XLT_CL(code);
    atomic_init(&s->stop, false);
    atomic_init(&s->writes, 0);
    assert_int_equal(pthread_create(&s->thread, NULL, scribble, s), 0);
}

static void scribbler_stop(scribbler *s)
{
    atomic_store(&s->stop, true);
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    if (s->queue)
        clReleaseCommandQueue(s->queue);
    if (atomic_load(&s->writes) == 0)
        XLT_FAIL("nothing was written meanwhile");
}

/* Whether there is to be a round k: until there were enough, and enough was written. */
static bool goes_on(scribbler *s, size_t k)
{
    const size_t rounds = xlt_small() ? 10 : 60;
    return k < rounds || (atomic_load(&s->writes) < 20 * rounds && k < 1000 * rounds);
}

static void check_and_free(xlt_buffer *const *buffers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (buffers[i]->mem)
            xlt_check_guards(buffers[i], "an array");
        xlt_buffer_free(buffers[i]);
    }
}

/* ---- sorts -------------------------------------------------------------------------------------
 */

/* The last two by digits, which not every device has. */
static const struct {
    const char *tune;
    xl_sort_algorithm algorithm;
} sorts[] = {
    {"sort.shape = 1\nsort.serial_tile_log = 4\n", XL_SORT_BITONIC},
    {"sort.shape = 0\nsort.group_log = 5\nsort.items_log = 1\n", XL_SORT_BITONIC},
    {"sort.shape = 1\nsort.radix_alone = 0\nsort.radix_buckets = 0\nsort.radix_least = 300\n",
     XL_SORT_RADIX},
    {"sort.shape = 1\nsort.radix_alone = 0\nsort.radix_least = 300\nsort.radix_bucket_bytes = 99\n",
     XL_SORT_RADIX},
    {"sort.shape = 1\n", XL_SORT_RADIX},
    {"sort.shape = 0\nsort.sweep_pair_group = 256\nsort.sweep_pair_bytes = 4\n"
     "sort.ring_tiles = 4\nsort.spin_limit = 20\n",
     XL_SORT_RADIX},
};
enum { NUM_SORTS = sizeof sorts / sizeof sorts[0] };

typedef struct sorting {
    xl_context *ctx;
    xl_sort *plan;
    size_t n;
    xlt_buffer keys, values, keys_out, values_out, scratch;
} sorting;

/* False, and nothing is made, where the device has no such sort. */
static bool sorting_make(sorting *s, size_t way, size_t n)
{
    *s = (sorting){.ctx = open_context(sorts[way].tune, NULL), .n = n};
    const xl_sort_desc desc = sort_desc(XL_U32, XL_U32, XL_ASCENDING, sorts[way].algorithm);
    size_t bytes, alignment;
    s->plan = sort_plan_by_digits(s->ctx, &desc, sorts[way].tune);
    if (!s->plan) {
        xl_context_destroy(s->ctx);
        return false;
    }
    uint32_t *keys = bytes_for(n, 4);
    sort_fill(keys, SORT_RANDOM, XL_U32, n, 1);
    ok(s->ctx, xl_sort_scratch(s->plan, n, &bytes, &alignment), sorts[way].tune);
    s->keys = xlt_buffer_make(keys, n, 4, 0);
    s->values = xlt_buffer_make(keys, n, 4, 0);
    s->keys_out = xlt_buffer_make(NULL, n, 4, 0);
    s->values_out = xlt_buffer_make(NULL, n, 4, 0);
    s->scratch = xlt_scratch_make(bytes, alignment);
    free(keys);
    return true;
}

static void sorting_enqueue(sorting *s, cl_command_queue queue, bool back)
{
    const xlt_buffer *const from = back ? &s->keys_out : &s->keys;
    const xlt_buffer *const to = back ? &s->keys : &s->keys_out;
    ok(s->ctx,
       xl_sort_enqueue(s->plan, queue,
                       &(xl_sort_args){.n = s->n,
                                       .keys_in = xlt_view(from),
                                       .values_in = xlt_view(&s->values),
                                       .keys_out = xlt_view(to),
                                       .values_out = xlt_view(&s->values_out),
                                       .scratch = xlt_view(&s->scratch)},
                       0, NULL, NULL),
       "xl_sort_enqueue");
}

static void sorting_end(sorting *s)
{
    xlt_buffer *const all[] = {&s->keys, &s->values, &s->keys_out, &s->values_out, &s->scratch};
    check_and_free(all, sizeof all / sizeof all[0]);
    xl_sort_destroy(s->plan);
    xl_context_destroy(s->ctx);
}

static void sorts_of_what_changes(void **state)
{
    (void)state;
    xlt_needs_threads();
    for (size_t p = 0; xlt_place_closely(p); ++p) {
        for (size_t way = 0; way < NUM_SORTS; ++way) {
            scribbler by = {0};
            sorting s;
            if (!sorting_make(&s, way, 5003))
                continue;
            aim(&by, &s.keys);
            aim(&by, &s.keys_out);
            aim(&by, &s.scratch);
            scribbler_start(&by, s.n);
            for (size_t k = 0; goes_on(&by, k); ++k) {
                sorting_enqueue(&s, xlt_queue(), false);
                XLT_CL(clFinish(xlt_queue()));
            }
            scribbler_stop(&by);
            sorting_end(&s);
        }
    }
}

/* What a caller may do without knowing: two calls, one scratch, a queue without order. */
static void overlapping_sorts(void **state)
{
    (void)state;
    xlt_needs_threads();
    cl_command_queue queue = xlt_out_of_order_queue();
    for (size_t p = 0; xlt_place_closely(p); ++p) {
        for (size_t way = 0; way < NUM_SORTS; ++way) {
            sorting s;
            if (!sorting_make(&s, way, 20011))
                continue;
            for (size_t k = 0; k < (xlt_small() ? 10 : 60); ++k) {
                sorting_enqueue(&s, queue, false);
                sorting_enqueue(&s, queue, true);
                XLT_CL(clFlush(queue));
            }
            XLT_CL(clFinish(queue));
            /* After its clFinish() rusticl 22.3 may still be at work; it waits for what it reads.
             */
            uint32_t word;
            XLT_CL(clEnqueueReadBuffer(queue, s.keys.mem, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
            sorting_end(&s);
        }
    }
    clReleaseCommandQueue(queue);
}

/* ---- scans and reductions
 * ------------------------------------------------------------------------ */

static const struct {
    const char *tune, *mask;
    xl_scan_algorithm algorithm;
} ways[] = {
    {"scan.shape = 0\nscan.tile_bytes = 2048\nscan.pipelined = 0\nreduce.serial = 1\n"
     "reduce.chunk_elements = 256\n",
     NULL, XL_SCAN_LOOKBACK},
    {"scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\nscan.pipelined = 0\n"
     "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = "
     "64\nreduce.segment_chunk_groups = 3\n",
     NULL, XL_SCAN_LOOKBACK},
    {"scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\nscan.pipelined = 0\n"
     "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = "
     "64\nreduce.segment_chunk_groups = 3\n",
     "width=1", XL_SCAN_REDUCE_THEN_SCAN},
    {NULL, NULL, XL_SCAN_KOGGE_STONE},
    {NULL, NULL, XL_SCAN_BLELLOCH},
};
enum { NUM_WAYS = sizeof ways / sizeof ways[0] };

static const struct {
    xl_segments kind;
    xl_type type;
} forms[] = {{XL_SEGMENTS_OFFSETS, XL_U32}, {XL_SEGMENTS_KEYS, XL_U32},
             {XL_SEGMENTS_OFFSETS, XL_U64}, {XL_SEGMENTS_HEAD_FLAGS, XL_NONE},
             {XL_SEGMENTS_NONE, XL_NONE},   {XL_SEGMENTS_FLAG_BITMASK, XL_NONE}};
enum { NUM_FORMS = sizeof forms / sizeof forms[0] };

/* The arrays of either call. */
typedef struct arrays {
    size_t n;
    segments s;
    xlt_buffer in, segments, length, out, keys, number, scratch;
} arrays;

static arrays arrays_make(const job *j, size_t n)
{
    const uint64_t length = n;
    arrays a = {.n = n, .s = segments_make(&j->desc, SHORT_RUNS, n, 64, 1)};
    a.in = xlt_buffer_make(NULL, n, 4, 0);
    a.out = xlt_buffer_make(NULL, a.s.count > n ? a.s.count : n, 4, 0);
    a.length = xlt_buffer_make(&length, 1, 8, 0);
    if (a.s.bytes > 0)
        a.segments = xlt_buffer_make(a.s.array, a.s.count, a.s.bytes, 0);
    return a;
}

static void arrays_aim(const arrays *a, scribbler *by)
{
    aim(by, &a->segments);
    aim(by, &a->scratch);
    aim(by, &a->length);
    aim(by, &a->in);
}

static void arrays_end(arrays *a)
{
    xlt_buffer *const all[] = {&a->in,   &a->segments, &a->length, &a->out,
                               &a->keys, &a->number,   &a->scratch};
    check_and_free(all, sizeof all / sizeof all[0]);
    segments_free(&a->s);
}

static void scan_what_changes(xl_context *ctx, xl_scan *plan, const job *j)
{
    size_t bytes, alignment;
    scribbler by = {0};
    arrays a = arrays_make(j, 3 * tile_of(ctx, plan) + 77);
    ok(ctx, xl_scan_scratch(plan, a.n, &bytes, &alignment), j->what);
    a.scratch = xlt_scratch_make(bytes, alignment);
    arrays_aim(&a, &by);
    scribbler_start(&by, a.n);
    for (size_t k = 0; goes_on(&by, k); ++k) {
        ok(ctx,
           xl_scan_enqueue(plan, xlt_queue(),
                           &(xl_scan_args){.n = a.n,
                                           .n_device = xlt_view(&a.length),
                                           .in = xlt_view(&a.in),
                                           .segments = reduce_view(&a.segments),
                                           .out = xlt_view(&a.out),
                                           .scratch = xlt_view(&a.scratch)},
                           0, NULL, NULL),
           j->what);
        XLT_CL(clFinish(xlt_queue()));
    }
    scribbler_stop(&by);
    arrays_end(&a);
}

static void reduce_what_changes(xl_context *ctx, xl_reduce *plan, const job *j)
{
    size_t bytes, alignment;
    scribbler by = {0};
    arrays a = arrays_make(j, 5003);
    const xl_segments kind = j->desc.segments;
    ok(ctx, xl_reduce_scratch(plan, a.n, &bytes, &alignment), j->what);
    a.scratch = xlt_scratch_make(bytes, alignment);
    if (kind == XL_SEGMENTS_KEYS)
        a.keys = xlt_buffer_make(NULL, a.out.n, 4, 0);
    if (kind >= XL_SEGMENTS_HEAD_FLAGS && kind <= XL_SEGMENTS_KEYS)
        a.number = xlt_buffer_make(NULL, 1, 8, 0);
    arrays_aim(&a, &by);
    scribbler_start(&by, a.n);
    for (size_t k = 0; goes_on(&by, k); ++k) {
        ok(ctx,
           xl_reduce_enqueue(plan, xlt_queue(),
                             &(xl_reduce_args){.n = a.n,
                                               .n_device = xlt_view(&a.length),
                                               .in = xlt_view(&a.in),
                                               .segments = reduce_view(&a.segments),
                                               .out = xlt_view(&a.out),
                                               .keys_out = xlt_view(&a.keys),
                                               .num_segments_out = xlt_view(&a.number),
                                               .scratch = xlt_view(&a.scratch)},
                             0, NULL, NULL),
           j->what);
        XLT_CL(clFinish(xlt_queue()));
    }
    scribbler_stop(&by);
    arrays_end(&a);
}

static void for_each_way(void (*check)(xl_context *ctx, const job *j), size_t num_ways)
{
    for (size_t w = 0; w < num_ways; ++w) {
        xl_context *ctx = open_context(ways[w].tune, ways[w].mask);
        for (size_t f = w % 2; f < NUM_FORMS; f += xlt_few_programs() ? 3u : 1u + (w > 2)) {
            job j;
            job_make(&j, "what changes meanwhile", XL_U32, XL_SUM, XL_INCLUSIVE, NULL);
            j.desc.algorithm = ways[w].algorithm;
            j.desc.segments = forms[f].kind;
            j.desc.segment_type = forms[f].type;
            check(ctx, &j);
        }
        xl_context_destroy(ctx);
    }
}

static void check_scan(xl_context *ctx, const job *j)
{
    xl_scan *plan = job_plan(ctx, j);
    for (size_t p = 0; plan && xlt_place_closely(p); ++p)
        scan_what_changes(ctx, plan, j);
    xl_scan_destroy(plan);
}

static void check_reduction(xl_context *ctx, const job *j)
{
    xl_reduce *plan = reduce_plan(ctx, j);
    for (size_t p = 0; plan && xlt_place_closely(p); ++p)
        reduce_what_changes(ctx, plan, j);
    xl_reduce_destroy(plan);
}

static void scans_of_what_changes(void **state)
{
    (void)state;
    xlt_needs_threads();
    for_each_way(check_scan, NUM_WAYS);
}

static void reductions_of_what_changes(void **state)
{
    (void)state;
    xlt_needs_threads();
    for_each_way(check_reduction, 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_of_what_changes),
        cmocka_unit_test(overlapping_sorts),
        cmocka_unit_test(scans_of_what_changes),
        cmocka_unit_test(reductions_of_what_changes),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

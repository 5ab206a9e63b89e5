/* SPDX-License-Identifier: MIT
 * Scans and reductions whose arrays and scratch another thread writes while they run, which the
 * caller must not do: results are undefined, but every call ends, and nothing beside the arrays
 * is touched. */
#include "reduce_support.h"
#include "scribbler.h"

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
    arrays a = {.n = n, .s = segments_make(&j->desc, HEADS_IN_7, n, 64, 1)};
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

static void scan_what_changes(xl_context *ctx, xl_plan *plan, const job *j)
{
    size_t bytes;
    scribbler by = {0};
    arrays a = arrays_make(j, 3 * tile_of(ctx, plan) + 77);
    ok(ctx, xl_scan_scratch(plan, &(xl_scan_args){.n = a.n}, &bytes), j->what);
    a.scratch = xlt_scratch_make(bytes);
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

static void reduce_what_changes(xl_context *ctx, xl_plan *plan, const job *j)
{
    size_t bytes;
    scribbler by = {0};
    arrays a = arrays_make(j, 5003);
    const xl_segments kind = j->desc.segments;
    ok(ctx, xl_reduce_scratch(plan, &(xl_reduce_args){.n = a.n}, &bytes), j->what);
    a.scratch = xlt_scratch_make(bytes);
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
    xl_plan *plan = job_plan(ctx, j);
    for (size_t p = 0; plan && xlt_place_closely(p); ++p)
        scan_what_changes(ctx, plan, j);
    xl_plan_destroy(plan);
}

static void check_reduction(xl_context *ctx, const job *j)
{
    xl_plan *plan = reduce_plan(ctx, j);
    for (size_t p = 0; plan && xlt_place_closely(p); ++p)
        reduce_what_changes(ctx, plan, j);
    xl_plan_destroy(plan);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_of_what_changes),
        cmocka_unit_test(reductions_of_what_changes),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

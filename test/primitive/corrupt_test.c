/* SPDX-License-Identifier: MIT
 * Scans and reductions whose arrays and scratch another thread writes while they run, which the
 * caller must not do: results are undefined, but every call ends, and nothing beside the arrays
 * is touched. */
#include "reduce_support.h"
#include "scribbler.h"

static const char groups[] =
    "scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\nscan.pipelined = 0\n"
    "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = 64\n"
    "reduce.segment_chunk_groups = 3\n";
static const struct {
    const char *tune, *mask;
    xl_scan_algorithm algorithm;
} ways[] = {
    {"scan.shape = 0\nscan.tile_bytes = 2048\nscan.pipelined = 0\nreduce.serial = 1\n"
     "reduce.chunk_elements = 256\n",
     NULL, XL_SCAN_LOOKBACK},
    {groups, NULL, XL_SCAN_LOOKBACK},
    {groups, "width=1", XL_SCAN_REDUCE_THEN_SCAN},
};
enum { NUM_WAYS = sizeof ways / sizeof ways[0] };

static const struct {
    xl_segments kind;
    xl_type type;
} forms[] = {{XL_SEGMENTS_OFFSETS, XL_U32}, {XL_SEGMENTS_KEYS, XL_U32},
             {XL_SEGMENTS_OFFSETS, XL_U64}, {XL_SEGMENTS_HEAD_FLAGS, XL_NONE},
             {XL_SEGMENTS_NONE, XL_NONE},   {XL_SEGMENTS_FLAG_BITMASK, XL_NONE}};
enum { NUM_FORMS = sizeof forms / sizeof forms[0] };

/* A scan or a reduction. */
typedef struct victim {
    xl_context *ctx;
    xl_plan *plan;
    bool reduces;
    size_t n;
    segments s;
    xlt_buffer in, segments, length, out, keys, number, scratch;
} victim;

static xl_status enqueue(const victim *v)
{
    const xl_scan_args scan = {.n = v->n,
                               .n_device = xlt_view(&v->length),
                               .in = xlt_view(&v->in),
                               .segments = reduce_view(&v->segments),
                               .out = xlt_view(&v->out),
                               .scratch = xlt_view(&v->scratch)};
    const xl_reduce_args reduce = {.n = v->n,
                                   .n_device = scan.n_device,
                                   .in = scan.in,
                                   .segments = scan.segments,
                                   .out = scan.out,
                                   .keys_out = xlt_view(&v->keys),
                                   .num_segments_out = xlt_view(&v->number),
                                   .scratch = scan.scratch};
    return v->reduces ? xl_reduce_enqueue(v->plan, xlt_queue(), &reduce, 0, NULL, NULL)
                      : xl_scan_enqueue(v->plan, xlt_queue(), &scan, 0, NULL, NULL);
}

static void make_arrays(victim *v, const job *j)
{
    size_t bytes;
    const xl_segments kind = j->desc.segments;
    v->n = v->reduces ? 5003 : 3 * tile_of(v->ctx, v->plan) + 77;
    const uint64_t length = v->n;
    ok(v->ctx,
       v->reduces ? xl_reduce_scratch(v->plan, &(xl_reduce_args){.n = v->n}, &bytes)
                  : xl_scan_scratch(v->plan, &(xl_scan_args){.n = v->n}, &bytes),
       j->what);
    v->s = segments_make(&j->desc, HEADS_IN_7, v->n, 1);
    v->in = xlt_buffer_make(NULL, v->n, 4, 0);
    v->out = xlt_buffer_make(NULL, v->s.count > v->n ? v->s.count : v->n, 4, 0);
    v->length = xlt_buffer_make(&length, 1, 8, 0);
    v->scratch = xlt_scratch_make(bytes);
    if (v->s.bytes > 0)
        v->segments = xlt_buffer_make(v->s.array, v->s.count, v->s.bytes, 0);
    if (v->reduces && kind == XL_SEGMENTS_KEYS)
        v->keys = xlt_buffer_make(NULL, v->out.n, 4, 0);
    if (v->reduces && kind >= XL_SEGMENTS_HEAD_FLAGS && kind <= XL_SEGMENTS_KEYS)
        v->number = xlt_buffer_make(NULL, 1, 8, 0);
}

static void call_while_arrays_change(victim v, const job *j)
{
    scribbler by = {0};
    make_arrays(&v, j);
    aim(&by, &v.segments);
    aim(&by, &v.scratch);
    aim(&by, &v.length);
    aim(&by, &v.in);
    scribbler_start(&by, v.n);
    for (size_t k = 0; goes_on(&by, k); ++k) {
        ok(v.ctx, enqueue(&v), j->what);
        XLT_CL(clFinish(xlt_queue()));
    }
    scribbler_stop(&by);
    xlt_buffer *const all[] = {&v.in,   &v.segments, &v.length, &v.out,
                               &v.keys, &v.number,   &v.scratch};
    check_and_free(all, sizeof all / sizeof all[0]);
    segments_free(&v.s);
}

static void for_each_way(bool reduces, size_t num_ways)
{
    xlt_needs_threads();
    for (size_t w = 0; w < num_ways; ++w) {
        xl_context *ctx = open_context(ways[w].tune, ways[w].mask);
        for (size_t f = w % 2; f < NUM_FORMS; f += xlt_few_programs() ? 3u : 1u + (w > 2)) {
            job j;
            job_make(&j, "what changes meanwhile", XL_U32, XL_SUM, XL_INCLUSIVE, NULL);
            j.desc.algorithm = ways[w].algorithm;
            j.desc.segments = forms[f].kind;
            j.desc.segment_type = forms[f].type;
            xl_plan *plan = reduces ? reduce_plan(ctx, &j) : job_plan(ctx, &j);
            for (size_t p = 0; plan && xlt_place_closely(p); ++p)
                call_while_arrays_change((victim){.ctx = ctx, .plan = plan, .reduces = reduces},
                                         &j);
            xl_plan_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

XLT_TEST(scans_of_what_changes)
{
    for_each_way(false, NUM_WAYS);
}

XLT_TEST(reductions_of_what_changes)
{
    for_each_way(true, 3);
}

XLT_MAIN(NULL, xlt_teardown)

/* SPDX-License-Identifier: MIT
 * Scans, reductions and sorts by groups of 16 work-items (of 64 where those have sub-groups), each
 * with a few tiles: small enough for a simulator that looks for races. Under `oclgrind
 * --data-races` every barrier that is missing shows as a report; elsewhere these are checks of
 * small groups.
 *
 * Oclgrind has no messages between work-groups. It runs one group after the other, though, and
 * each to its end, so that look-back by a single group works there with plain loads and stores,
 * which the operator's text puts in place of the atomics. */
#include "private.h"
#include "reduce_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than a sub-group. */
static unsigned group_size(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.sub_group_size > 1 ? 64 : 16;
}

static const uint32_t zero;

/* Left and right may change places in one and not in the other, which takes other ways. */
#define NO_MESSAGES                                                                                \
    "#if __OPENCL_C_VERSION__ < 200\n"                                                             \
    "#define atomic_ulong ulong\n#define memory_order_relaxed 0\n#define memory_order_acq_rel 0\n" \
    "#define memory_scope_device 0\n#define atomic_load_explicit(p, o, s) (*(p))\n"                \
    "#define atomic_store_explicit(p, x, o, s) (*(p) = (x))\n"                                     \
    "#define atomic_work_item_fence(f, o, s) mem_fence(f)\n#endif\n"
static const xl_user_op plus = {"plus", NO_MESSAGES "uint plus(uint a, uint b) { return a + b; }",
                                &zero, XL_OP_COMMUTATIVE | XL_OP_STRICTLY_ASSOCIATIVE};
static const xl_user_op plus_in_order = {"plus",
                                         NO_MESSAGES "uint plus(uint a, uint b) { return a + b; }",
                                         &zero, XL_OP_STRICTLY_ASSOCIATIVE};

typedef struct race {
    const char *what;
    xl_scan_algorithm algorithm; /* of a scan */
    xl_segments segments;
    size_t n;
    xl_type type; /* 0: u32 */
    xl_op op;     /* 0: XL_SUM; XL_USER_OP: plus_in_order */
} race;

static void race_job(job *j, const race *r, xl_scan_kind kind)
{
    const bool own = r->op == XL_USER_OP || r->algorithm == XL_SCAN_LOOKBACK;
    job_make(j, r->what, r->type ? r->type : XL_U32, own || !r->op ? XL_SUM : r->op, kind, NULL);
    if (own) {
        j->desc.op = XL_USER_OP;
        j->desc.user_op = r->op == XL_USER_OP ? &plus_in_order : &plus;
    }
    j->desc.algorithm = r->algorithm;
    j->desc.determinism = r->algorithm == XL_SCAN_AUTO ? XL_REPRODUCIBLE : XL_DETERMINISTIC;
    j->desc.segments = r->segments;
    j->desc.segment_type = XL_U32;
    j->pattern = HEADS_IN_7;
}

/* On a device without messages only one group runs at a time, which needs none. Whole arrays are
 * reduced in two launches on Oclgrind, which reports a race although an atomic counter orders the
 * writes. */
static xl_context *open_small(void)
{
    char lines[512];
    const unsigned size = group_size();
    snprintf(
        lines, sizeof lines,
        "scan.shape = 1\nscan.group_size = %u\nscan.item_bytes = 32\nscan.chunk_groups = 1\n"
        "scan.lookback_groups = 1\nscan.pipelined = 0\nreduce.serial = 0\nreduce.group_size = %u\n"
        "reduce.whole_size = %u\nreduce.item_bytes = 16\nreduce.whole_bytes = 16\n"
        "reduce.segment_chunk_groups = 3\nreduce.chunk_groups = 2\nreduce.chunk_elements = 256\n"
        "reduce.single_group_vectors = 1\nreduce.chunk_vectors = 2\nreduce.single_launch = %d\n"
        "sort.shape = 0\nsort.group_log = 4\nsort.items_log = 1\nsort.search_log = 2\n",
        size, size, size, !xlt_on_oclgrind());
    xl_context *ctx = open_context(lines, NULL);
    const xli_capabilities *capabilities;
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    if (xlt_on_oclgrind()) {
        ctx->capabilities.can_publish = true;
        xli_context_set_self_test_result(ctx, "scan_lookback",
                                         XLI_SELF_TEST_PASSED); /* its self-test has no such text */
    }
    return ctx;
}

XLT_TEST(scans)
{
    static const race all[] = {
        {"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN, XL_SEGMENTS_NONE, 600, 0, 0},
        {"reduce-then-scan, in order", XL_SCAN_REDUCE_THEN_SCAN, XL_SEGMENTS_NONE, 600, 0,
         XL_USER_OP},
        {"reduce-then-scan, flags", XL_SCAN_REDUCE_THEN_SCAN, XL_SEGMENTS_HEAD_FLAGS, 600, 0, 0},
        {"reduce-then-scan, offsets", XL_SCAN_REDUCE_THEN_SCAN, XL_SEGMENTS_OFFSETS, 600, 0, 0},
        {"look-back", XL_SCAN_LOOKBACK, XL_SEGMENTS_NONE, 600, 0, 0},
        {"look-back, in order", XL_SCAN_LOOKBACK, XL_SEGMENTS_NONE, 600, 0, XL_USER_OP},
        {"look-back, flags", XL_SCAN_LOOKBACK, XL_SEGMENTS_HEAD_FLAGS, 600, 0, 0},
        {"look-back, offsets", XL_SCAN_LOOKBACK, XL_SEGMENTS_OFFSETS, 600, 0, 0},
        {"reproducible", XL_SCAN_AUTO, XL_SEGMENTS_NONE, 12000, XL_F32, 0},
        {"reproducible, offsets", XL_SCAN_AUTO, XL_SEGMENTS_OFFSETS, 7000, XL_F32, 0},
    };
    const bool messages = xlt_on_oclgrind() || can_publish();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        job j;
        if (all[i].algorithm == XL_SCAN_LOOKBACK && !messages)
            continue;
        xl_context *ctx = open_small(); /* and with it what look-back is tried with */
        race_job(&j, &all[i], i % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE);
        xl_plan *plan = job_plan(ctx, &j);
        job_check(ctx, plan, &j, all[i].n * (group_size() / 16), placings[i % NUM_PLACINGS]);
        xl_plan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* By sub-groups, which no simulator has: several tiles for each group, several blocks of tiles. */
XLT_TEST(scans_pipelined)
{
    static const char lines[] =
        "scan.shape = 1\nscan.pipelined = 1\nscan.pipelined_window = 64\nscan.pipelined_size = 64\n"
        "scan.pipelined_bytes = 16\nscan.pipelined_groups = 1\n";
    static const race all[] = {
        {"pipelined", XL_SCAN_LOOKBACK, XL_SEGMENTS_NONE, 60000, 0, 0},
        {"pipelined, flags", XL_SCAN_LOOKBACK, XL_SEGMENTS_HEAD_FLAGS, 60000, 0, 0},
        {"pipelined, bits", XL_SCAN_LOOKBACK, XL_SEGMENTS_FLAG_BITMASK, 60000, 0, 0},
    };
    if (!can_publish() || !can_pipeline())
        skip();
    xl_context *ctx = open_context(lines, NULL);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        job j;
        race_job(&j, &all[i], i % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE);
        xl_plan *plan = job_plan(ctx, &j);
        /* Had these kernels come out wrong when they were tried, the plan would have others. */
        assert_int_equal(xli_context_self_test_result(ctx, "scan_pipelined"), XLI_SELF_TEST_PASSED);
        for (size_t p = 0; p < NUM_PLACINGS; ++p)
            job_check(ctx, plan, &j, all[i].n - 7 * p, placings[p]);
        xl_plan_destroy(plan);
    }
    xl_context_destroy(ctx);
}

XLT_TEST(reductions)
{
    static const race all[] = {
        {"whole", 0, XL_SEGMENTS_NONE, 1500, 0, 0},
        {"whole, in order", 0, XL_SEGMENTS_NONE, 1500, XL_F32, XL_MAX},
        {"flags", 0, XL_SEGMENTS_HEAD_FLAGS, 1500, 0, 0},
        {"bits", 0, XL_SEGMENTS_FLAG_BITMASK, 1500, XL_I64, 0},
        {"keys", 0, XL_SEGMENTS_KEYS, 1500, 0, XL_MIN},
        {"offsets", 0, XL_SEGMENTS_OFFSETS, 1500, 0, 0},
        {"offsets, in order", 0, XL_SEGMENTS_OFFSETS, 1500, XL_F32, XL_MIN},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        job j;
        xl_context *ctx = open_small();
        race_job(&j, &all[i], XL_INCLUSIVE);
        xl_plan *plan = reduce_plan(ctx, &j);
        reduce_check(ctx, plan, &j, all[i].n * (group_size() / 16));
        reduce_check(ctx, plan, &j, 70);
        xl_plan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* In place: keys, pairs, and pairs in segments of mixed lengths. */
XLT_TEST(sorts)
{
    enum { N = 300, SEGMENTS = 37 };
    uint32_t keys[N], got[N], values[N], offsets[SEGMENTS + 1];
    for (int kind = 0; kind < 3; ++kind) {
        const bool pairs = kind > 0;
        const uint32_t parts = kind == 2 ? SEGMENTS : 1;
        xl_plan *plan;
        xl_sort_desc desc;
        xlt_random random = {11};
        xl_context *ctx = open_small();
        xl_sort_desc_init(&desc);
        desc.value = pairs ? XL_U32 : XL_NONE;
        desc.segments = kind == 2 ? XL_SEGMENTS_OFFSETS : XL_SEGMENTS_NONE;
        desc.segment_type = kind == 2 ? XL_U32 : XL_NONE;
        for (uint32_t i = 0; i < N; ++i) {
            keys[i] = (uint32_t)xlt_next(&random);
            values[i] = ~keys[i];
        }
        for (uint32_t k = 0; k <= parts; ++k)
            offsets[k] = k == parts ? N : k * (k + 5) / 6;
        ok(ctx, xl_sort_create(ctx, &desc, &plan), "xl_sort_create");
        xlt_buffer a = xlt_buffer_make(keys, N, 4, 1), b = xlt_buffer_make(values, N, 4, 0);
        xlt_buffer c = xlt_buffer_make(offsets, parts, 4, 0);
        const xl_view v = pairs ? xlt_view(&b) : xl_no_view();
        xl_view of = xlt_view(&c);
        of.count = parts;
        ok(ctx,
           xl_sort_enqueue(plan, xlt_queue(),
                           &(xl_sort_args){.n = N,
                                           .keys_in = xlt_view(&a),
                                           .values_in = v,
                                           .keys_out = xlt_view(&a),
                                           .values_out = v,
                                           .segments = desc.segments ? of : xl_no_view()},
                           0, NULL, NULL),
           "xl_sort_enqueue");
        xlt_read(&a, got);
        xlt_read(&b, values);
        for (uint32_t k = 0; k < parts; ++k)
            qsort(keys + offsets[k], offsets[k + 1] - offsets[k], sizeof keys[0], by_value);
        for (size_t i = 0; i < N; ++i)
            if (got[i] != keys[i] || (pairs && values[i] != ~keys[i]))
                XLT_FAIL("key %zu is %u, not %u, or not with its value", i, (unsigned)got[i],
                         (unsigned)keys[i]);
        xlt_buffer_free(&a);
        xlt_buffer_free(&b);
        xlt_buffer_free(&c);
        xl_plan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

XLT_MAIN(NULL, xlt_teardown)

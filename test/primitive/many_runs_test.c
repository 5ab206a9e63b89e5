/* SPDX-License-Identifier: MIT
 * Calls that are cut into very many runs, as long arrays are on CPUs: totals of
 * scans are then scanned in separate launches, and reductions take several launches. */
#include "reduce_support.h"
#include "scan_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs of 256 elements, of which a launch of either kind takes 4096. */
static const char short_runs[] =
    "scan.shape = 0\nscan.chunk_elements = 1024\nscan.tile_bytes = 256\n"
    "reduce.serial = 1\nreduce.chunk_elements = 256\n";
enum { RUN = 256, ONE_LAUNCH = 4096 * RUN };

static const struct {
    xl_type type;
    xl_op op;
    xl_segments segments;
    pattern pattern;
    size_t n;
} rows[] = {
    {XL_U8, XL_SUM, XL_SEGMENTS_HEAD_FLAGS, LONG_RUNS, ONE_LAUNCH / 4 + 77},
    {XL_U8, XL_SUM, XL_SEGMENTS_HEAD_FLAGS, ONE_SEGMENT, 2 * ONE_LAUNCH + 77},
    {XL_I8, XL_MAX, XL_SEGMENTS_KEYS, LONG_RUNS, ONE_LAUNCH + 1},
    {XL_U8, XL_XOR, XL_SEGMENTS_FLAG_BITMASK, SHORT_RUNS, ONE_LAUNCH + 3 * RUN},
    {XL_U8, XL_SUM, XL_SEGMENTS_WIDTH, LONG_RUNS, ONE_LAUNCH + 1},
    {XL_U8, XL_SUM, XL_SEGMENTS_OFFSETS, LONG_RUNS, ONE_LAUNCH + 1},
};

static void describe(job *j, size_t row)
{
    job_make(j, "many runs", rows[row].type, rows[row].op, row % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE,
             NULL);
    j->desc.segments = rows[row].segments;
    j->desc.segment_type = XL_U32;
    j->desc.segment_width = rows[row].segments == XL_SEGMENTS_WIDTH ? 1000 : 0;
    j->desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    j->pattern = rows[row].pattern;
}

static void scan_row(xl_context *ctx, job *j, size_t row)
{
    xl_plan *plan = job_plan(ctx, j);
    job_check(ctx, plan, j, rows[row].n, placings[row % NUM_PLACINGS]);
    xl_plan_destroy(plan);
}

static void reduce_row(xl_context *ctx, job *j, size_t row)
{
    j->desc.algorithm = XL_SCAN_AUTO;
    j->desc.kind = XL_INCLUSIVE;
    xl_plan *plan = reduce_plan(ctx, j);
    reduce_check(ctx, plan, j, rows[row].n, row % 2 == 0);
    xl_plan_destroy(plan);
}

static void each_row(void (*check)(xl_context *ctx, job *j, size_t row))
{
    if (xlt_small()) {
        print_message("small sizes asked for: calls of many runs left out\n");
        skip();
    }
    xl_context *ctx = open_context(short_runs, NULL);
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; ++row) {
        job j;
        describe(&j, row);
        check(ctx, &j, row);
    }
    xl_context_destroy(ctx);
}

static void scans(void **state)
{
    (void)state;
    each_row(scan_row);
}

static void reductions(void **state)
{
    (void)state;
    each_row(reduce_row);
}

/* The sum of n ones that an expression loads, which takes them one by one. */
static void check_ones(const char *what, const char *tune, size_t n)
{
    xl_reduce_desc desc;
    xl_plan *plan;
    uint32_t got = 0;
    unsigned char *ones = bytes_for(n, 1);
    xl_context *ctx = open_context(tune, NULL);
    xl_reduce_desc_init(&desc);
    desc.load = "x";
    desc.load_type = XL_U8;
    ok(ctx, xl_reduce_create(ctx, &desc, &plan), what);
    memset(ones, 1, n);
    xlt_buffer a = xlt_buffer_make(ones, n, 1, 0), b = xlt_buffer_make(NULL, 1, 4, 0);
    ok(ctx,
       xl_reduce_enqueue(plan, xlt_queue(),
                         &(xl_reduce_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&b)}, 0,
                         NULL, NULL),
       what);
    xlt_read(&b, &got);
    if (got != n)
        XLT_FAIL("%s: %zu ones come to %u", what, n, (unsigned)got);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xl_plan_destroy(plan);
    xl_context_destroy(ctx);
    free(ones);
}

/* More than 65,535 runs, which one launch would have to join; and, of groups, more than a
 * launch joins. */
static void reductions_of_whole_arrays(void **state)
{
    (void)state;
    enum { GROUPS_RUN = 8 * RUN };
    check_ones("runs of a work-item", short_runs, (size_t)70001 * RUN + 77);
    if (!xlt_small())
        check_ones("runs of a group",
                   "reduce.serial = 0\nreduce.whole_size = 16\nreduce.whole_bytes = 16\n"
                   "reduce.chunk_elements = 256\n",
                   (size_t)33001 * GROUPS_RUN + 77);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans),
        cmocka_unit_test(reductions),
        cmocka_unit_test(reductions_of_whole_arrays),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

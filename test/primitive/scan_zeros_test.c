/* SPDX-License-Identifier: MIT
 * The sign of a zero: what sums of -0, the earlier of two equal zeros and sums of nothing are,
 * bit for bit, in scans and reductions. */
#include "reduce_support.h"

#include <math.h>
#include <string.h>

/* ---- data ------------------------------------------------------------------------------- */

typedef enum zeros { ALL_MINUS, ALL_PLUS, MIXED_SIGNS, ONE_PLUS, NUM_ZEROS } zeros;

/* What the fills below make; tests run one after the other. */
static struct {
    zeros which;
    xl_type type;
} made;

static void put(xl_type type, double x, void *to)
{
    const xl_type scalar = (xl_type)((unsigned)type & 0xff);
    const size_t bytes = xl_type_size(scalar), lanes = xl_type_size(type) / bytes;
    const float single = (float)x;
    for (size_t lane = 0; lane < lanes; ++lane)
        memcpy((char *)to + lane * bytes, scalar == XL_F32 ? (const void *)&single : &x, bytes);
}

static void fill_zero(xlt_random *random, size_t i, void *to)
{
    const bool minus = made.which == ALL_MINUS ||
                       (made.which == MIXED_SIGNS && xlt_below(random, 2)) ||
                       (made.which == ONE_PLUS && i % 611 != 610);
    put(made.type, minus ? -0.0 : 0.0, to);
}

/* ---- scans and reductions ------------------------------------------------------------------ */

static const struct {
    const char *tune;
    xl_scan_algorithm algorithm;
} ways[] = {
    {"scan.shape = 0\nscan.tile_bytes = 512\nscan.look_back = 0\nreduce.serial = 1\n"
     "reduce.chunk_elements = 256\n",
     XL_SCAN_AUTO},
    {"scan.shape = 1\nscan.item_bytes = 16\nscan.group_size = 32\nscan.look_back = 1\n"
     "reduce.serial = 0\nreduce.group_size = 32\nreduce.whole_size = "
     "32\nreduce.segment_chunk_groups = 3\n",
     XL_SCAN_AUTO},
    {"scan.group_size = 32\n", XL_SCAN_BLELLOCH},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const struct {
    xl_type type;
    xl_op op;
    xl_segments segments;
    bool init; /* from the identity, given as init */
} cases[] = {
    {XL_F32, XL_SUM, XL_SEGMENTS_OFFSETS, false},      {XL_F32, XL_SUM, XL_SEGMENTS_NONE, true},
    {XL_F64, XL_SUM, XL_SEGMENTS_HEAD_FLAGS, false},   {XL_F32, XL_SUM, XL_SEGMENTS_NONE, false},
    {XL_F32, XL_SUM, XL_SEGMENTS_OFFSETS, true},       {XL_F32X2, XL_SUM, XL_SEGMENTS_WIDTH, false},
    {XL_F64, XL_PROD, XL_SEGMENTS_NONE, false},        {XL_F32, XL_PROD, XL_SEGMENTS_WIDTH, true},
    {XL_F32, XL_MAX, XL_SEGMENTS_NONE, false},         {XL_F64, XL_MAX, XL_SEGMENTS_OFFSETS, true},
    {XL_F32, XL_MIN, XL_SEGMENTS_HEAD_FLAGS, false},   {XL_F64, XL_MIN, XL_SEGMENTS_NONE, true},
    {XL_F32X2, XL_MIN, XL_SEGMENTS_HEAD_FLAGS, false}, {XL_F32X2, XL_MAX, XL_SEGMENTS_NONE, false},
};

static double identity_of(xl_op op)
{
    return op == XL_SUM ? -0.0 : op == XL_PROD ? 1.0 : op == XL_MIN ? INFINITY : -INFINITY;
}

static void describe(job *j, size_t c, xl_scan_kind kind, void *init)
{
    put(cases[c].type, identity_of(cases[c].op), init);
    job_make(j, "zeros", cases[c].type, cases[c].op, kind, cases[c].init ? init : NULL);
    j->desc.segments = cases[c].segments;
    j->desc.segment_type = XL_U32;
    j->desc.segment_width = cases[c].segments == XL_SEGMENTS_WIDTH ? 70 : 0;
    j->pattern = MIXED;
    j->fill = fill_zero;
    made.type = cases[c].type;
}

static bool here(size_t c)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64 || cases[c].type != XL_F64;
}

static void scan_case(xl_context *ctx, size_t c, size_t way)
{
    unsigned char init[32];
    job j;
    describe(&j, c, (c + way) % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE, init);
    j.desc.algorithm = ways[way].algorithm;
    xl_scan *plan = job_plan(ctx, &j);
    for (int z = 0; plan && z < NUM_ZEROS; ++z) {
        made.which = (zeros)z;
        job_check(ctx, plan, &j, 1, placings[z]);
        job_check(ctx, plan, &j, 1999, placings[z]);
    }
    xl_scan_destroy(plan);
}

static void reduce_case(xl_context *ctx, size_t c, size_t way)
{
    unsigned char init[32];
    job j;
    if (c % 2 != way)
        return;
    describe(&j, c, XL_INCLUSIVE, init);
    xl_reduce *plan = reduce_plan(ctx, &j);
    for (int z = 0; plan && z < NUM_ZEROS; ++z) {
        made.which = (zeros)z;
        reduce_check(ctx, plan, &j, 0, false);
        reduce_check(ctx, plan, &j, 1, false);
        reduce_check(ctx, plan, &j, 1999, false);
    }
    xl_reduce_destroy(plan);
}

static void each_case(size_t num_ways, void (*check)(xl_context *ctx, size_t c, size_t way))
{
    if (strstr(xlt_device(), "llvmpipe")) {
        print_message("%s: takes x + 0 for x\n", xlt_device());
        skip();
    }
    for (size_t way = 0; way < num_ways; ++way) {
        xl_context *ctx = open_context(ways[way].tune, NULL);
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c)
            if (here(c) && !(xlt_few_programs() && (c + way) % 8))
                check(ctx, c, way);
        xl_context_destroy(ctx);
    }
}

static void scans(void **state)
{
    (void)state;
    each_case(WAYS, scan_case);
}

static void reductions(void **state)
{
    (void)state;
    each_case(2, reduce_case);
}

/* The rule once more, without the reference: what include/crosslane/types.h says of a sum. */
static void sums_by_the_book(void **state)
{
    (void)state;
    static const float in[3] = {-0.0f, -0.0f, -0.0f};
    enum { N = 3, MINUS = INT32_MIN };
    int32_t got[N];
    (void)xlt_context();
    if (strstr(xlt_device(), "llvmpipe")) {
        print_message("%s: takes x + 0 for x\n", xlt_device());
        skip();
    }
    for (int kind = XL_EXCLUSIVE; kind <= XL_INCLUSIVE; ++kind) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.type = XL_F32;
        desc.kind = (xl_scan_kind)kind;
        XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
        xlt_buffer a = xlt_buffer_make(in, N, 4, 0);
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                               &(xl_scan_args){.n = N, .in = xlt_view(&a), .out = xlt_view(&a)}, 0,
                               NULL, NULL));
        xlt_read(&a, got);
        for (size_t i = 0; i < N; ++i)
            assert_int_equal(got[i], kind == XL_INCLUSIVE ? MINUS : 0);
        xlt_buffer_free(&a);
        xl_scan_destroy(plan);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_the_book),
        cmocka_unit_test(scans),
        cmocka_unit_test(reductions),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

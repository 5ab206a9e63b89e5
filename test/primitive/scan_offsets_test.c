/* SPDX-License-Identifier: MIT
 * CSR offsets that break their rules: they fall, or pass n, or do not begin at 0. Results are
 * not defined then; but nothing outside the arrays is touched, and every call ends. */
#include "scan_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNT = 3000 };

typedef enum breach {
    FALLING,    /* from n to 0 */
    SHUFFLED,   /* 0 to n in any order */
    PAST_N,     /* anything that the type holds */
    SAW,        /* up and down again and again */
    HIGH_FIRST, /* past n, then nothing but 0 */
    ALL_ZERO,   /* so that the last is not n */
    NUM_BREACHES
} breach;

static uint64_t offset_of(breach b, size_t s, size_t n, xlt_random *random)
{
    switch (b) {
    case FALLING:
        return n - n * s / MOST_COUNT;
    case SHUFFLED:
        return xlt_below(random, (uint32_t)n + 1);
    case PAST_N:
        return xlt_next(random) >> xlt_below(random, 64);
    case SAW:
        return s * 37 % (n + 1);
    case HIGH_FIRST:
        return s == 0 ? UINT64_MAX : 0;
    default:
        return 0;
    }
}

static xlt_buffer make_offsets(breach b, size_t bytes, size_t n, void *host)
{
    xlt_random random = {n + (size_t)b};
    for (size_t s = 0; s < MOST_COUNT; ++s) {
        const uint64_t at = offset_of(b, s, n, &random);
        memcpy((char *)host + s * bytes, &at, bytes);
    }
    return xlt_buffer_make(host, MOST_COUNT, bytes, 1);
}

static void check_same(const xlt_buffer *buffer, const void *wanted, const char *what,
                       const char *name)
{
    void *got = bytes_for(buffer->n, buffer->size);
    xlt_read(buffer, got);
    if (memcmp(got, wanted, buffer->n * buffer->size) != 0)
        XLT_FAIL("%s: the call changed %s", what, name);
    xlt_check_guards(buffer, name);
    free(got);
}

/* ---- scans ----------------------------------------------------------------------- */

static const char group_tiles[] = "scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\n";
static const char serial_tiles[] = "scan.shape = 0\nscan.tile_bytes = 2048\n";

static const struct {
    const char *what, *tune, *mask;
    xl_scan_algorithm algorithm;
} ways[] = {
    {"as tuned", NULL, NULL, XL_SCAN_AUTO},
    {"groups", group_tiles, NULL, XL_SCAN_REDUCE_THEN_SCAN},
    {"groups without lanes", group_tiles, "width=1", XL_SCAN_REDUCE_THEN_SCAN},
    {"groups, look-back", group_tiles, NULL, XL_SCAN_LOOKBACK},
    {"serial", serial_tiles, NULL, XL_SCAN_REDUCE_THEN_SCAN},
    {"serial, look-back", serial_tiles, NULL, XL_SCAN_LOOKBACK},
    {"Kogge-Stone", NULL, NULL, XL_SCAN_KOGGE_STONE},
    {"Blelloch", NULL, NULL, XL_SCAN_BLELLOCH},
};

/* One call, in place or not. */
static void break_scan(xl_context *ctx, xl_scan *plan, const job *j, breach b, size_t n,
                       bool in_place)
{
    size_t bytes, alignment;
    const size_t size = xl_type_size(j->desc.segment_type);
    uint32_t *in = bytes_for(n, sizeof *in);
    void *offsets = bytes_for(MOST_COUNT, size);
    for (size_t i = 0; i < n; ++i)
        in[i] = (uint32_t)i;
    xlt_buffer o = make_offsets(b, size, n, offsets);
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), out = xlt_buffer_make(NULL, n, 4, 3);
    ok(ctx, xl_scan_scratch(plan, n, &bytes, &alignment), "xl_scan_scratch");
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    ok(ctx,
       xl_scan_enqueue(
           plan, xlt_queue(),
           &(xl_scan_args){.n = n,
                           .in = xlt_view(&a),
                           .segments = xl_view_n(o.mem, xlt_view(&o).offset, MOST_COUNT),
                           .out = in_place ? xlt_view(&a) : xlt_view(&out),
                           .scratch = xlt_view(&scratch)},
           0, NULL, NULL),
       j->what);
    XLT_CL(clFinish(xlt_queue()));
    check_same(&o, offsets, j->what, "segments");
    if (!in_place)
        check_same(&a, in, j->what, "in");
    xlt_check_guards(&a, "in");
    xlt_check_guards(&out, "out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    xlt_buffer_free(&a);
    xlt_buffer_free(&out);
    xlt_buffer_free(&o);
    xlt_buffer_free(&scratch);
    free(in);
    free(offsets);
}

static void scans(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        job j;
        if (xlt_on_oclgrind() && ways[w].tune == serial_tiles) {
            /* Its check for uninitialised values ends the process on 16-element vectors. */
            print_message("%s: %s left out\n", xlt_device(), ways[w].what);
            continue;
        }
        xl_context *ctx = open_context(ways[w].tune, ways[w].mask);
        job_make(&j, ways[w].what, XL_U32, XL_SUM, w % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE, NULL);
        j.desc.algorithm = ways[w].algorithm;
        j.desc.segments = XL_SEGMENTS_OFFSETS;
        j.desc.segment_type = w % 3 ? XL_U32 : XL_U64;
        xl_scan *plan = job_plan(ctx, &j);
        const size_t n = plan ? 3 * tile_of(ctx, plan) + 77 : 0;
        for (size_t p = 0; plan && xlt_place_closely(p); ++p)
            for (int b = 0; b < NUM_BREACHES; ++b)
                break_scan(ctx, plan, &j, (breach)b, n < 20000 || !xlt_small() ? n : 2000, b % 2);
        /* The plan still does right what is right. */
        if (plan)
            job_check(ctx, plan, &j, xlt_small() ? 1500 : n, placings[1]);
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* ---- reductions -------------------------------------------------------------------- */

static void break_reduce(xl_context *ctx, xl_reduce *plan, const char *what, size_t size, breach b,
                         size_t n)
{
    size_t bytes, alignment;
    uint32_t *in = bytes_for(n, sizeof *in);
    void *offsets = bytes_for(MOST_COUNT, size);
    for (size_t i = 0; i < n; ++i)
        in[i] = (uint32_t)i;
    xlt_buffer o = make_offsets(b, size, n, offsets), a = xlt_buffer_make(in, n, 4, 0);
    xlt_buffer out = xlt_buffer_make(NULL, MOST_COUNT - 1, 4, 3);
    ok(ctx, xl_reduce_scratch(plan, n, &bytes, &alignment), "xl_reduce_scratch");
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    ok(ctx,
       xl_reduce_enqueue(
           plan, xlt_queue(),
           &(xl_reduce_args){.n = n,
                             .in = xlt_view(&a),
                             .segments = xl_view_n(o.mem, xlt_view(&o).offset, MOST_COUNT),
                             .out = xlt_view(&out),
                             .scratch = xlt_view(&scratch)},
           0, NULL, NULL),
       what);
    XLT_CL(clFinish(xlt_queue()));
    check_same(&o, offsets, what, "segments");
    check_same(&a, in, what, "in");
    xlt_check_guards(&out, "out");
    if (scratch.mem)
        xlt_check_guards(&scratch, "scratch");
    xlt_buffer_free(&a);
    xlt_buffer_free(&out);
    xlt_buffer_free(&o);
    xlt_buffer_free(&scratch);
    free(in);
    free(offsets);
}

static void reductions(void **state)
{
    (void)state;
    static const struct {
        const char *what, *tune;
        xl_type type;
    } shapes[] = {
        {"as tuned", NULL, XL_U32},
        {"small runs",
         "reduce.chunk_elements = 256\nreduce.group_size = 64\nreduce.whole_size = 64\n", XL_U64},
        {"groups",
         "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = "
         "64\nreduce.segment_chunk_groups = "
         "3\n",
         XL_U32},
        {"one by one", "reduce.serial = 1\nreduce.chunk_elements = 256\n", XL_U64},
    };
    for (size_t w = 0; w < sizeof shapes / sizeof shapes[0]; ++w) {
        xl_context *ctx = open_context(shapes[w].tune, NULL);
        xl_reduce *plan;
        xl_reduce_desc desc;
        xl_reduce_desc_init(&desc);
        desc.segments = XL_SEGMENTS_OFFSETS;
        desc.segment_type = shapes[w].type;
        ok(ctx, xl_reduce_create(ctx, &desc, &plan), shapes[w].what);
        for (size_t p = 0; xlt_place_closely(p); ++p)
            for (int b = 0; b < NUM_BREACHES; ++b)
                break_reduce(ctx, plan, shapes[w].what, xl_type_size(shapes[w].type), (breach)b,
                             xlt_small() ? 2000 : 30011);
        xl_reduce_destroy(plan);
        xl_context_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans),
        cmocka_unit_test(reductions),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

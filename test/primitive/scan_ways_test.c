/* SPDX-License-Identifier: MIT
 * Every way a device may have to take: shapes of work-groups, lanes or none, each
 * algorithm; which of them a plan chooses. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif

#include "scan_support.h"
#include "xlt_misuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each way is tried with, a few of them in turn. */
static const struct {
    xl_type type;
    xl_op op;
    xl_scan_kind kind;
    xl_segments segments;
    xl_type segment_type;
    bool init;
} shares[] = {
    {XL_U32, XL_SUM, XL_EXCLUSIVE, XL_SEGMENTS_NONE, XL_NONE, false},
    {XL_I64, XL_SUM, XL_INCLUSIVE, XL_SEGMENTS_OFFSETS, XL_U64, false},
    {XL_F32, XL_MIN, XL_INCLUSIVE, XL_SEGMENTS_NONE, XL_NONE, true},
    {XL_U8, XL_MAX, XL_EXCLUSIVE, XL_SEGMENTS_HEAD_FLAGS, XL_NONE, true},
    {XL_U64, XL_XOR, XL_EXCLUSIVE, XL_SEGMENTS_NONE, XL_NONE, true},
    {XL_F32, XL_SUM, XL_EXCLUSIVE, XL_SEGMENTS_KEYS, XL_I16, false},
};
enum { NUM_SHARES = sizeof shares / sizeof shares[0] };

typedef struct way {
    const char *name, *tune, *mask;
    xl_scan_algorithm algorithm;
} way;

#define SMALL_PIPELINED                                                                            \
    "scan.pipelined_size = 64\nscan.pipelined_bytes = 16\nscan.pipelined_wide_size = 64\n"         \
    "scan.pipelined_wide_bytes = 16\nscan.pipelined_flag_size = 64\nscan.pipelined_flag_bytes = "  \
    "16\n"

static const way ways[] = {
    {"serial", "scan.shape = 0\nscan.tile_bytes = 4096\n", NULL, XL_SCAN_REDUCE_THEN_SCAN},
    {"serial, past the cache", "scan.shape = 0\nscan.stream_kib = 0\n", NULL,
     XL_SCAN_REDUCE_THEN_SCAN},
    {"groups", "scan.shape = 1\n", NULL, XL_SCAN_REDUCE_THEN_SCAN},
    {"groups without lanes", "scan.shape = 1\n", "width=1", XL_SCAN_REDUCE_THEN_SCAN},
    {"groups of 8", "scan.shape = 1\n", "work-group=8", XL_SCAN_REDUCE_THEN_SCAN},
    {"groups of 1", "scan.shape = 1\n", "work-group=1", XL_SCAN_REDUCE_THEN_SCAN},
    {"many groups", "scan.shape = 1\nscan.chunk_groups = 64\nscan.item_bytes = 16\n", NULL,
     XL_SCAN_REDUCE_THEN_SCAN},
    {"one group per unit", "scan.chunk_groups = 1\n", NULL, XL_SCAN_REDUCE_THEN_SCAN},
    /* Some devices take the pipelined kernels by themselves, whatever the shape: each says which.
     */
    {"serial look-back", "scan.pipelined = 0\nscan.shape = 0\nscan.tile_bytes = 4096\n", NULL,
     XL_SCAN_LOOKBACK},
    {"serial look-back, past the cache",
     "scan.pipelined = 0\nscan.shape = 0\nscan.stream_kib = 0\nscan.tile_bytes = 4096\n", NULL,
     XL_SCAN_LOOKBACK},
    {"look-back", "scan.pipelined = 0\nscan.shape = 1\nscan.item_bytes = 32\n", NULL,
     XL_SCAN_LOOKBACK},
    {"look-back, 1 tile in 2 silent",
     "scan.pipelined = 0\nscan.shape = 1\nscan.item_bytes = 16\nscan.inject_delay = 2\n"
     "scan.spin_limit = 1\n",
     NULL, XL_SCAN_LOOKBACK},
    {"look-back without lanes", "scan.shape = 1\n", "width=1", XL_SCAN_LOOKBACK},
    {"look-back in groups of 8", "scan.shape = 1\n", "work-group=8", XL_SCAN_LOOKBACK},
    {"look-back in groups of 1", "scan.shape = 1\n", "work-group=1", XL_SCAN_LOOKBACK},
    {"pipelined", "scan.pipelined = 1\n", NULL, XL_SCAN_LOOKBACK},
    {"pipelined, small blocks", "scan.pipelined = 1\nscan.pipelined_window = 64\n" SMALL_PIPELINED,
     NULL, XL_SCAN_LOOKBACK},
    {"pipelined, 1 tile in 2 silent",
     "scan.pipelined = 1\nscan.inject_delay = 2\nscan.spin_limit = 1\n" SMALL_PIPELINED, NULL,
     XL_SCAN_LOOKBACK},
    {"pipelined, 1 tile in 64 silent, small blocks",
     "scan.pipelined = 1\nscan.pipelined_window = 64\nscan.inject_delay = 64\nscan.spin_limit = "
     "3\n" SMALL_PIPELINED,
     NULL, XL_SCAN_LOOKBACK},
    {"Kogge-Stone", NULL, NULL, XL_SCAN_KOGGE_STONE},
    {"Kogge-Stone in groups of 8", NULL, "work-group=8", XL_SCAN_KOGGE_STONE},
    {"Blelloch", NULL, NULL, XL_SCAN_BLELLOCH},
    {"Blelloch in groups of 1", NULL, "work-group=1", XL_SCAN_BLELLOCH},
};

static void try_way(const way *w, size_t turn)
{
    xl_context *ctx = open_context(w->tune, w->mask);
    for (size_t k = 0; k < (xlt_few_programs() ? 1 : 3); ++k) {
        job j;
        const size_t s = (turn + k * 2 + k / 2) % NUM_SHARES;
        job_make(&j, w->name, shares[s].type, shares[s].op, shares[s].kind,
                 shares[s].init ? odd_init(shares[s].type) : NULL);
        j.desc.segments = shares[s].segments;
        j.desc.segment_type = shares[s].segment_type;
        j.desc.algorithm = w->algorithm;
        j.desc.determinism = XL_UNORDERED;
        j.pattern = turn % 2 ? SHORT_RUNS : LONG_RUNS;
        job_run(ctx, &j, xlt_small() ? 3 : 2);
    }
    xl_context_destroy(ctx);
}

static void every_way(void **state)
{
    (void)state;
    const bool messages = can_publish(), pipelined = messages && can_pipeline();
    /* Its check for uninitialised values ends the process on 16-element vectors. */
    const bool narrow = xlt_on_oclgrind(), no_groups = loses_narrow_states();
    if (narrow)
        print_message("%s: one work-item per tile left out\n", xlt_device());
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        const bool textbook = ways[i].algorithm > XL_SCAN_REDUCE_THEN_SCAN;
        if (narrow && !textbook && (strstr(ways[i].name, "serial") || strstr(ways[i].name, "of 1")))
            continue;
        if (ways[i].algorithm == XL_SCAN_LOOKBACK && !messages)
            continue;
        if (strstr(ways[i].name, "pipelined") && !pipelined)
            continue;
        if (no_groups && !textbook && strstr(ways[i].name, "groups"))
            continue;
        try_way(&ways[i], i);
    }
}

/* The textbook scans go over several levels. */
static void levels(void **state)
{
    (void)state;
    static const xl_scan_algorithm algorithms[] = {XL_SCAN_KOGGE_STONE, XL_SCAN_BLELLOCH};
    for (size_t a = 0; a < 2; ++a) {
        job j;
        job_make(&j, "levels", a ? XL_U32 : XL_U64, XL_SUM, a ? XL_EXCLUSIVE : XL_INCLUSIVE, NULL);
        j.desc.algorithm = algorithms[a];
        xl_scan *plan = job_plan(xlt_context(), &j);
        const size_t tile = tile_of(xlt_context(), plan);
        if (!xlt_small())
            job_check(xlt_context(), plan, &j, tile * tile + tile + 1, placings[a]);
        job_check(xlt_context(), plan, &j, 3 * tile + 1, placings[3 + a]);
        xl_scan_destroy(plan);
    }
}

/* ---- choice ------------------------------------------------------------------------ */

static xl_scan_algorithm chosen(xl_context *ctx, const xl_scan_desc *desc)
{
    xl_scan *plan;
    ok(ctx, xl_scan_create(ctx, desc, &plan), "a plan");
    const xl_scan_algorithm used = xl_scan_algorithm_used(plan, 1000000);
    assert_int_not_equal(used, XL_SCAN_AUTO);
    assert_int_not_equal(xl_scan_algorithm_used(plan, 1), XL_SCAN_AUTO);
    xl_scan_destroy(plan);
    return used;
}

static void algorithms_by_name(void **state)
{
    (void)state;
    xl_scan *plan;
    xl_scan_desc desc;
    xl_context *without = open_context(NULL, "no-look-back");
    xl_scan_desc_init(&desc);
    desc.algorithm = XL_SCAN_LOOKBACK;
    xlt_refused(without, xl_scan_create(without, &desc, &plan), XL_ERROR_UNSUPPORTED, "messages");
    assert_null(plan);
    desc.algorithm = XL_SCAN_AUTO;
    assert_int_equal(chosen(without, &desc), XL_SCAN_REDUCE_THEN_SCAN);
    xl_context_destroy(without);
    for (int a = XL_SCAN_LOOKBACK; a <= XL_SCAN_BLELLOCH; ++a) {
        desc.algorithm = (xl_scan_algorithm)a;
        if (a != XL_SCAN_LOOKBACK || can_publish())
            assert_int_equal(chosen(xlt_context(), &desc), a);
    }
    assert_int_equal(xl_scan_algorithm_used(NULL, 1), XL_SCAN_AUTO);
}

/* What rounds has to be made in an order that no device changes. */
static void reproducible_takes_no_order_by_name(void **state)
{
    (void)state;
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = XL_F32;
    desc.determinism = XL_REPRODUCIBLE;
    const xl_scan_algorithm used = chosen(xlt_context(), &desc);
    assert_true(used == XL_SCAN_REDUCE_THEN_SCAN || (used == XL_SCAN_LOOKBACK && can_publish()));
    desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &desc, &plan), XL_ERROR_UNSUPPORTED,
                "XL_REPRODUCIBLE");
    desc.op = XL_MAX; /* rounds nothing: any algorithm will do */
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    xl_scan_destroy(plan);
}

#ifndef _WIN32
static void environment_is_heeded(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        xl_scan_algorithm used;
    } cases[] = {{"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN}, {"look-back", XL_SCAN_LOOKBACK}};
    const char *before = getenv("CROSSLANE_SCAN");
    char *kept = before ? strdup(before) : NULL;
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    for (size_t i = 0; i < 2; ++i) {
        setenv("CROSSLANE_SCAN", cases[i].word, 1);
        xl_context *ctx = open_context(NULL, NULL);
        const xl_scan_algorithm used = chosen(ctx, &desc);
        if (cases[i].used == XL_SCAN_REDUCE_THEN_SCAN || can_publish())
            assert_int_equal(used, cases[i].used);
        desc.algorithm = XL_SCAN_BLELLOCH; /* the descriptor's word is the last */
        assert_int_equal(chosen(ctx, &desc), XL_SCAN_BLELLOCH);
        desc.algorithm = XL_SCAN_AUTO;
        xl_context_destroy(ctx);
    }
    setenv("CROSSLANE_SCAN", "sideways", 1);
    xl_context *ctx = open_context(NULL, NULL);
    xlt_refused(ctx, xl_scan_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "\"sideways\"");
    xl_context_destroy(ctx);
    if (kept)
        setenv("CROSSLANE_SCAN", kept, 1);
    else
        unsetenv("CROSSLANE_SCAN");
    free(kept);
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),
        cmocka_unit_test(levels),
        cmocka_unit_test(algorithms_by_name),
        cmocka_unit_test(reproducible_takes_no_order_by_name),
#ifndef _WIN32
        cmocka_unit_test(environment_is_heeded),
#endif
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

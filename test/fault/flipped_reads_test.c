/* SPDX-License-Identifier: MIT
 * The library's tests of a device, the lane probe and the self-test of look-back, if a word that they
 * read back is wrong: they must notice it, do without the feature, and store nothing. */
#define _GNU_SOURCE
#include "core.h"
#include "faults.h"
#include "xlt.h"

#include <stdlib.h>
#include <string.h>

static xlt_fault_state *layer; /* NULL: the loader knows no layers */
static char folder[] = "/tmp/xlt-flips-XXXXXX";

enum { N = 100000, ROUNDS = 3, READS = 2 * ROUNDS };

/* From now on the reads from `at` on come back with `word` wrong; 0: none does. */
static void flip_from(unsigned at, long word, unsigned mask)
{
    layer->reads = layer->flipped = 0;
    layer->flip_at = at;
    layer->flip_on = true;
    layer->flip_word = word;
    layer->flip_mask = mask;
    layer->counting = true;
}

static void flip_no_more(void)
{
    layer->counting = false;
    layer->flip_at = 0;
}

static void needs_layer(void)
{
    if (!layer) {
        print_message("the OpenCL loader knows no layers\n");
        skip();
    }
}

/* ---- look-back --------------------------------------------------------------------- */

/* A plan by AUTO or by name, and its algorithm. */
static xl_status create(xl_context *ctx, xl_scan_algorithm algorithm, xl_scan_algorithm *used)
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.algorithm = algorithm;
    const xl_status status = xl_scan_create(ctx, &desc, &plan);
    *used = xlt_scan_algorithm(plan, N);
    xl_plan_destroy(plan);
    return status;
}

static xl_context *context_that_knows_its_device(const char *cache_dir)
{
    xl_device_info info;
    xl_context *ctx = xlt_context_with(cache_dir);
    XLT_OK(xl_context_device_info(ctx, &info));
    return ctx;
}

/* How many arrays the self-tests read where all goes well. */
static void needs_look_back(void)
{
    xl_scan_algorithm used;
    xl_context *ctx = context_that_knows_its_device("off");
    flip_from(0, 0, 0);
    XLT_OK(create(ctx, XL_SCAN_AUTO, &used));
    flip_no_more();
    xl_context_destroy(ctx);
    if (used != XL_SCAN_LOOKBACK) {
        print_message("no look-back on this device\n");
        skip();
    }
    assert_int_equal(layer->reads, READS);
}

static void refused_after(unsigned at, long word, unsigned mask)
{
    xl_scan_algorithm used;
    xl_context *ctx = context_that_knows_its_device("off");
    flip_from(at, word, mask);
    XLT_OK(create(ctx, XL_SCAN_AUTO, &used));
    flip_no_more();
    assert_true(layer->flipped > 0);
    if (used != XL_SCAN_REDUCE_THEN_SCAN)
        XLT_FAIL("read %u with word %ld wrong by %x: algorithm %d", at, word, mask, (int)used);
    /* The result is kept; a plan that asks by name gets the error. */
    assert_int_equal(create(ctx, XL_SCAN_LOOKBACK, &used), XL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(xl_context_error(ctx), "wrong result"));
    xl_context_destroy(ctx);
}

/* Each of the self-test's reads, at both ends and in between, by much and by one bit. */
XLT_TEST(a_trial_sees_each_wrong_word)
{
    static const long words[] = {0, 4099, -1};
    needs_layer();
    needs_look_back();
    for (unsigned at = 1; at <= READS; ++at)
        refused_after(at, words[at % XLI_COUNT(words)], at % 2 ? ~0u : 1);
    for (size_t i = 0; i < XLI_COUNT(words); ++i)
        refused_after(READS, words[i], 1u << 31);
}

/* The folder's record spares a device the self-test that it passed, not one that it did not. */
XLT_TEST(only_what_was_passed_is_noted)
{
    xl_scan_algorithm used;
    needs_layer();
    needs_look_back();
    for (int step = 0; step < 3; ++step) {
        xl_context *ctx = context_that_knows_its_device(folder);
        flip_from(step == 0, -1, ~0u);
        XLT_OK(create(ctx, XL_SCAN_AUTO, &used));
        flip_no_more();
        assert_int_equal(used, step == 0 ? XL_SCAN_REDUCE_THEN_SCAN : XL_SCAN_LOOKBACK);
        assert_int_equal(layer->reads > 0, step < 2);
        xl_context_destroy(ctx);
    }
}

/* ---- lanes ------------------------------------------------------------------------- */

/* The device info of a context if words of its probe's first read are wrong. */
static void probe(unsigned at, long word, unsigned mask, xl_device_info *info)
{
    xl_context *ctx = xlt_context_with("off");
    flip_from(at, word, mask);
    layer->flip_on = false;
    XLT_OK(xl_context_device_info(ctx, info));
    flip_no_more();
    xl_context_destroy(ctx);
}

/* Each work-item tells four words: width, sub-group, lane, failed checks. A way to exchange
 * values that went wrong once is not used; where none was used, it is told. */
XLT_TEST(the_probe_sees_each_wrong_word)
{
    enum { WORDS = 4 };
    xl_device_info good, info;
    needs_layer();
    probe(0, 0, 0, &good);
    if (strncmp(good.probe, "not run", 7) == 0) {
        print_message("the device has no lane operations, and its probe does not run\n");
        skip();
    }
    assert_int_equal(good.sub_group_size_measured, good.sub_group_size);
    const bool local = strcmp(good.cross_lane, "local") == 0;
    for (long at = -WORDS; at < WORDS; ++at) { /* of the last work-item, then of the first */
        probe(1, at, 1, &info);
        assert_int_equal(layer->flipped, 1);
        assert_string_equal(info.cross_lane, "local");
        assert_int_equal(info.sub_group_size, 1);
        if (local && info.sub_group_size_measured != 0)
            XLT_FAIL("word %ld wrong: sub-group size %u was measured", at,
                     info.sub_group_size_measured);
        if (!strstr(info.probe, local ? "saw width" : "cross-lane way refused: work-item"))
            XLT_FAIL("word %ld wrong: \"%s\"", at, info.probe);
    }
}

static int setup(void **state)
{
    (void)state;
    (void)xlt_context(); /* names the device in messages */
    return 0;
}

int main(void)
{
    layer = xlt_layer_load();
    assert_non_null(mkdtemp(folder));
    const int failed = xlt_run_tests(setup, xlt_teardown);
    xlt_remove_folder(folder);
    return failed;
}

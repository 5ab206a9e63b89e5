/* SPDX-License-Identifier: MIT
 * Deterministic look-back: operators that round give the same bits whatever tiles come
 * late, stay silent or are computed by others. */
#include "scan_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ways tiles are worked on: scan.shape, and 2: pipelined, where there are
 * sub-groups for it. */
enum { SHAPES = 3, PIPELINED = 2 };

/* A context with tiles of few elements, one of `every` of which is held back. */
static xl_context *open_way(unsigned shape, unsigned share, unsigned every, unsigned spin)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "scan.shape = %u\nscan.tiles_per_lane = %u\nscan.item_bytes = 16\nscan.tile_bytes = 256\n"
        "scan.group_size = 64\nscan.inject_delay = %u\nscan.spin_limit = %u\n"
        "scan.pipelined = %d\nscan.pipelined_size = 64\nscan.pipelined_bytes = "
        "16\nscan.pipelined_window = 64\n"
        "scan.pipelined_flag_size = 64\nscan.pipelined_flag_bytes = 32\n",
        shape == PIPELINED ? 1 : shape, share, every, spin, shape == PIPELINED);
    return open_context(text, NULL);
}

typedef struct data {
    size_t n;
    float *values;
    uint8_t *heads;
} data;

static void run(xl_context *ctx, const xl_scan_desc *desc, const data *d, bool in_place, float *got)
{
    xl_scan *plan;
    xlt_tiles tiles;
    ok(ctx, xl_scan_create(ctx, desc, &plan), "xl_scan_create");
    xlt_buffer a = xlt_buffer_make(d->values, d->n, 4, 0), b = a;
    xlt_buffer heads = xlt_buffer_make(d->heads, d->n, 1, 0);
    if (!in_place)
        b = xlt_buffer_make(NULL, d->n, 4, 0);
    xlt_buffer scratch = scan_scratch_make(ctx, plan, d->n, &tiles);
    xlt_watch_start("scan in order", &tiles);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(),
                       &(xl_scan_args){.n = d->n,
                                       .in = xlt_view(&a),
                                       .segments = desc->segments ? xlt_view(&heads) : xl_no_view(),
                                       .out = xlt_view(&b),
                                       .scratch = xlt_view(&scratch)},
                       0, NULL, NULL),
       "xl_scan_enqueue");
    xlt_read(&b, got);
    xlt_watch_stop();
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&scratch);
    xlt_buffer_free(&a);
    if (!in_place)
        xlt_buffer_free(&b);
    xlt_buffer_free(&heads);
    xl_scan_destroy(plan);
}

/* Within what rounding allows of the sums in double. */
static void check_near(const xl_scan_desc *desc, const data *d, const float *got)
{
    double sum = 0, size = 0;
    for (size_t i = 0; i < d->n; ++i) {
        if (desc->segments && d->heads[i])
            sum = size = 0;
        sum += d->values[i];
        size += fabs(d->values[i]);
        if (!(fabs(got[i] - sum) <= 1e-5 * size))
            XLT_FAIL("element %zu is %g, not %g", i, got[i], sum);
    }
}

static void same_bits(const xl_scan_desc *desc, const data *d)
{
    static const struct {
        unsigned every, spin;
    } held[] = {{2, 0}, {7, 3}};
    float *first = malloc(d->n * sizeof *first), *got = malloc(d->n * sizeof *got);
    const unsigned shapes = can_pipeline() ? SHAPES : PIPELINED;
    const size_t most = xlt_few_programs() ? 1 : sizeof held / sizeof held[0];
    for (unsigned shape = 0; shape < shapes; ++shape) {
        const unsigned share = shape == 1 ? 3 : 1;
        xl_context *ctx = open_way(shape, share, 0, 1000);
        run(ctx, desc, d, false, first);
        check_near(desc, d, first);
        for (int round = 0; round < 3; ++round) {
            run(ctx, desc, d, round & 1 && !xlt_few_programs(), got); /* one more kernel */
            if (memcmp(first, got, d->n * sizeof *got) != 0)
                XLT_FAIL("shape %u, share %u: run %d differs from the first", shape, share, round);
        }
        xl_context_destroy(ctx);
        for (size_t h = 0; h < most; ++h) {
            ctx = open_way(shape, share, held[h].every, held[h].spin);
            for (int in_place = 0; in_place < 2; ++in_place) {
                run(ctx, desc, d, in_place, got);
                for (size_t i = 0; i < d->n; ++i)
                    if (memcmp(&first[i], &got[i], sizeof *got) != 0)
                        XLT_FAIL(
                            "shape %u, share %u, 1 in %u held back, spin %u, %s place: element "
                            "%zu is %a, not %a",
                            shape, share, held[h].every, held[h].spin, in_place ? "in" : "out of",
                            i, got[i], first[i]);
            }
            xl_context_destroy(ctx);
        }
    }
    free(first);
    free(got);
}

static data make_data(size_t n, uint32_t one_in)
{
    data d = {.n = n, .values = malloc(n * sizeof(float)), .heads = malloc(n)};
    xlt_random random = {n};
    for (size_t i = 0; i < n; ++i) {
        d.values[i] = ldexpf(xlt_unit(&random) - 0.5f, (int)xlt_below(&random, 60) - 30);
        d.heads[i] = xlt_below(&random, one_in) == 0;
    }
    return d;
}

static void sums(const xl_scan_desc *desc, uint32_t one_in)
{
    data d = make_data(xlt_small() ? 1500 : 30011, one_in);
    same_bits(desc, &d);
    free(d.values);
    free(d.heads);
}

static bool may_look_back(xl_scan_desc *desc)
{
    xl_scan *plan;
    xl_scan_desc_init(desc);
    desc->type = XL_F32;
    desc->kind = XL_INCLUSIVE;
    desc->algorithm = XL_SCAN_LOOKBACK;
    const xl_status status = xl_scan_create(xlt_context(), desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED) {
        print_message("skipped: %s has no look-back\n", xlt_device());
        return false;
    }
    XLT_OK(status);
    xl_scan_destroy(plan);
    return true;
}

static void plain_sums(void **state)
{
    (void)state;
    xl_scan_desc desc;
    if (may_look_back(&desc))
        sums(&desc, 1);
    else
        skip();
}

static void sums_of_segments(void **state)
{
    (void)state;
    xl_scan_desc desc;
    if (!may_look_back(&desc))
        skip();
    desc.segments = XL_SEGMENTS_HEAD_FLAGS;
    sums(&desc, 900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_sums),
        cmocka_unit_test(sums_of_segments),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

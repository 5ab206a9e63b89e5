/* SPDX-License-Identifier: MIT
 * Scans whose operator rounds give the same bits wherever in their buffers the arrays begin:
 * what goes by vectors may not cut tiles by addresses. */
#include "scan_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every result goes past the cache, where the device does that. */
static const char *const ways[] = {
    "scan.stream_kib = 0\n",
    "scan.stream_kib = 0\nscan.tile_bytes = 4096\n",
    "scan.shape = 1\nscan.item_bytes = 32\n",
    ("scan.shape = 1\nscan.pipelined = 1\nscan.pipelined_size = 64\nscan.pipelined_bytes = 48\n"
     "scan.pipelined_wide_size = 64\nscan.pipelined_wide_bytes = 48\n"),
};

/* Where the arrays of elements and of results begin; the first is what others are held to. */
static const struct {
    size_t in, out;
} places[] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {3, 0}, {5, 7}, {2, 13}};

static void fill(size_t n, xl_type type, void *to)
{
    xlt_random random = {11};
    for (size_t i = 0; i < n; ++i) {
        const float x = ldexpf(xlt_unit(&random) - 0.5f, (int)xlt_below(&random, 10) - 5);
        if (type == XL_F64)
            ((double *)to)[i] = (double)x * (1 + (double)xlt_unit(&random) * 1e-9);
        else
            ((float *)to)[i] = x;
    }
}

static void check_places(const char *tune, const job *j, size_t n)
{
    const size_t size = xl_type_size(j->desc.type);
    xl_context *ctx = open_context(tune, NULL);
    xl_scan *plan = job_plan(ctx, j);
    void *in = bytes_for(n, size), *first = bytes_for(n, size), *got = bytes_for(n, size);
    fill(n, j->desc.type, in);
    for (size_t p = 0; plan && p < sizeof places / sizeof places[0]; ++p) {
        xlt_buffer a = xlt_buffer_make(in, n, size, places[p].in);
        xlt_buffer b = xlt_buffer_make(NULL, n, size, places[p].out);
        ok(ctx,
           xl_scan_enqueue(plan, xlt_queue(),
                           &(xl_scan_args){.n = n, .in = xlt_view(&a), .out = xlt_view(&b)}, 0,
                           NULL, NULL),
           j->what);
        xlt_read(&b, p == 0 ? first : got);
        xlt_check_guards(&b, "out");
        for (size_t i = 0; p > 0 && i < n; ++i)
            if (memcmp((char *)first + i * size, (char *)got + i * size, size) != 0)
                XLT_FAIL("%s, \"%s\": from %zu to %zu element %zu of %zu has other bits", j->what,
                         tune, places[p].in, places[p].out, i, n);
        xlt_buffer_free(&a);
        xlt_buffer_free(&b);
    }
    xl_scan_destroy(plan);
    xl_context_destroy(ctx);
    free(in);
    free(first);
    free(got);
}

static void bits_in_any_place(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_F32, XL_F64};
    static const xl_scan_algorithm algorithms[] = {XL_SCAN_LOOKBACK, XL_SCAN_REDUCE_THEN_SCAN};
    const size_t n = xlt_small() ? 3001 : 70001;
    for (size_t a = can_publish() ? 0 : 1; a < 2; ++a)
        for (size_t t = 0; t < 2; ++t)
            for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
                const bool pipelined = w == 3;
                if (pipelined && (algorithms[a] != XL_SCAN_LOOKBACK || !can_pipeline()))
                    continue;
                job j;
                job_make(&j, a ? "reduce-then-scan" : "look-back", types[t], XL_SUM,
                         w % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE, NULL);
                j.desc.algorithm = algorithms[a];
                check_places(ways[w], &j, n);
            }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_in_any_place),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

/* SPDX-License-Identifier: MIT
 * The simple calls, compared with plain C: values, arrays without elements, errors, a context of
 * one's own and none, many plans, and threads. */
#include "xlt.h"

#include <crosslane/simple.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000 };

static uint32_t x[N];

static void fill(uint32_t seed, uint32_t below)
{
    xlt_random random = {seed};
    for (size_t i = 0; i < N; ++i)
        x[i] = xlt_below(&random, below);
}

static void refused(xl_status got, const char *text)
{
    assert_int_equal(got, XL_ERROR_INVALID_ARGUMENT);
    if (!strstr(xl_context_error(xlt_context()), text))
        XLT_FAIL("\"%s\" is not in: %s", text, xl_context_error(xlt_context()));
}

static void sums(void **state)
{
    (void)state;
    static uint32_t out[N];
    static uint8_t bytes[N];
    static uint64_t wide[N];
    uint64_t sum = 0;
    fill(1, 1000);
    XLT_OK(xl_simple_exclusive_sum(xlt_context(), XL_U32, XL_U32, N, x, out));
    for (size_t i = 0; i < N; sum += x[i++])
        assert_int_equal(out[i], sum);
    XLT_OK(xl_simple_inclusive_sum(xlt_context(), XL_U32, XL_U32, N, x, x)); /* in place */
    for (size_t i = 0; i + 1 < N; ++i)
        assert_int_equal(x[i], out[i + 1]);
    memset(bytes, 200, sizeof bytes);
    XLT_OK(xl_simple_inclusive_sum(xlt_context(), XL_U8, XL_U64, N, bytes, wide));
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(wide[i], 200 * (i + 1));
    XLT_OK(xl_simple_inclusive_sum(xlt_context(), XL_U8, XL_U64, 0, NULL, NULL));
}

static void reductions(void **state)
{
    (void)state;
    uint64_t wanted = 0, got = 0;
    uint32_t least = 0;
    size_t at = 0;
    fill(2, 1u << 30);
    for (size_t i = 0; i < N; ++i) {
        wanted += x[i];
        at = x[i] < x[at] ? i : at;
    }
    XLT_OK(xl_simple_reduce(xlt_context(), XL_U32, XL_SUM, XL_U64, N, x, &got));
    assert_true(got == wanted);
    XLT_OK(xl_simple_reduce(xlt_context(), XL_U32, XL_MIN, XL_U32, N, x, &least));
    assert_int_equal(least, x[at]);
    XLT_OK(xl_simple_reduce(xlt_context(), XL_U32, XL_ARG_MIN, XL_U64, N, x, &got));
    assert_int_equal(got, at);
    XLT_OK(xl_simple_reduce(xlt_context(), XL_U32, XL_SUM, XL_U64, 0, NULL, &got));
    assert_true(got == 0);
}

static void sorts(void **state)
{
    (void)state;
    typedef struct record {
        uint32_t key, place;
        uint8_t more;
    } record;
    static record records[N];
    static uint32_t keys[N], indices[N];
    fill(3, 100);
    memcpy(keys, x, sizeof keys);
    for (uint32_t i = 0; i < N; ++i)
        records[i] = (record){x[i], i, (uint8_t)i};
    XLT_OK(xl_simple_argsort(xlt_context(), XL_U32, XL_ASCENDING, N, keys, indices));
    assert_memory_equal(keys, x, sizeof keys);
    XLT_OK(xl_simple_sort(xlt_context(), XL_U32, XL_ASCENDING, N, keys, sizeof *records, records));
    for (uint32_t i = 0; i < N; ++i) {
        assert_int_equal(records[i].key, keys[i]);
        assert_int_equal(records[i].place, indices[i]);
        assert_int_equal(x[indices[i]], keys[i]);
        if (i > 0 &&
            (keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && indices[i - 1] >= indices[i])))
            XLT_FAIL("keys %u and %u are not in order", i - 1, i);
    }
    memcpy(keys, x, sizeof keys);
    XLT_OK(xl_simple_sort(xlt_context(), XL_U32, XL_DESCENDING, N, keys, 0, NULL));
    for (size_t i = 0; i < N; ++i)
        assert_int_equal(keys[i], x[indices[N - 1 - i]]);
    XLT_OK(xl_simple_sort(xlt_context(), XL_U32, XL_ASCENDING, 0, NULL, 0, NULL));
}

static void top_k(void **state)
{
    (void)state;
    enum { K = 17 };
    static uint32_t indices[N], best[K], places[K];
    fill(4, 300);
    XLT_OK(xl_simple_argsort(xlt_context(), XL_U32, XL_ASCENDING, N, x, indices));
    XLT_OK(xl_simple_top_k(xlt_context(), XL_U32, XL_ASCENDING, N, x, K, best, places));
    for (size_t i = 0; i < K; ++i) {
        assert_int_equal(places[i], indices[i]);
        assert_int_equal(best[i], x[indices[i]]);
    }
    memset(places, 0xff, sizeof places);
    XLT_OK(xl_simple_top_k(xlt_context(), XL_U32, XL_DESCENDING, 3, x, K, NULL, places));
    assert_true(x[places[0]] >= x[places[1]] && x[places[1]] >= x[places[2]]);
    assert_int_equal(places[3], UINT32_MAX); /* only min(k, n) are written */
}

static void unique(void **state)
{
    (void)state;
    static uint32_t out[N + 1];
    size_t count = 0, wanted = 0;
    fill(5, 2);
    memset(out, 0x5a, sizeof out);
    XLT_OK(xl_simple_unique(xlt_context(), XL_U32, N, x, out, &count));
    for (size_t i = 0; i < N; ++i)
        if (i == 0 || x[i] != x[i - 1])
            assert_int_equal(out[wanted++], x[i]);
    assert_int_equal(count, wanted);
    assert_int_equal(out[count], 0x5a5a5a5a); /* nothing is written behind */
    XLT_OK(xl_simple_unique(xlt_context(), XL_U32, N, x, x, &count));
    assert_memory_equal(x, out, count * sizeof *x);
    XLT_OK(xl_simple_unique(xlt_context(), XL_U32, 0, NULL, NULL, &count));
    assert_int_equal(count, 0);
}

/* More plans than are kept, each used twice. */
static void histograms(void **state)
{
    (void)state;
    static float values[N];
    uint64_t bins[200], wanted[200];
    fill(6, 1000);
    for (size_t i = 0; i < N; ++i)
        values[i] = (float)x[i] / 1000;
    for (size_t round = 0; round < 2; ++round)
        for (size_t num = 1; num <= 80; ++num) {
            memset(wanted, 0, sizeof wanted);
            for (size_t i = 0; i < N; ++i)
                if (x[i] < 100 * (uint32_t)num)
                    ++wanted[x[i] / 100 < num ? x[i] / 100 : num];
            XLT_OK(xl_simple_histogram(xlt_context(), XL_U32, N, x, 0, 100.0 * (double)num, num,
                                       bins));
            assert_memory_equal(bins, wanted, num * sizeof *bins);
        }
    XLT_OK(xl_simple_histogram(xlt_context(), XL_F32, N, values, 0, 1, 1, bins));
    assert_int_equal(bins[0], N);
}

static void wrong_calls(void **state)
{
    (void)state;
    uint64_t y[4] = {0};
    size_t count;
    xl_context *const ctx = xlt_context();
    refused(xl_simple_inclusive_sum(ctx, XL_U32, XL_U32, 4, NULL, y), "in: NULL; 16 bytes");
    refused(xl_simple_inclusive_sum(ctx, XL_U32, XL_U32, 4, y, NULL), "out: NULL");
    refused(xl_simple_inclusive_sum(ctx, (xl_type)99, XL_U32, 4, y, y), "type: unknown");
    refused(xl_simple_inclusive_sum(ctx, XL_U32X2, XL_U32, 2, y, y), "for vectors");
    refused(xl_simple_inclusive_sum(ctx, XL_U32, XL_U32, SIZE_MAX / 4, y, y), "address space");
    refused(xl_simple_reduce(ctx, XL_U32, XL_ARG_MAX, XL_U32, 4, y, y), "requires result_type");
    refused(xl_simple_reduce(ctx, XL_U32, XL_ARG_MAX, XL_U64, 0, y, y), "n above 0");
    refused(xl_simple_reduce(ctx, XL_U32, XL_USER_OP, XL_U32, 4, y, y), "XL_USER_OP");
    refused(xl_simple_sort(ctx, XL_U32, XL_ASCENDING, 4, y, 0, y), "value_bytes");
    refused(xl_simple_sort(ctx, XL_U32, (xl_sort_order)7, 4, y, 0, NULL), "desc.order");
    refused(xl_simple_top_k(ctx, XL_U32, XL_ASCENDING, 4, y, 2, NULL, NULL), "keys_out, indices");
    refused(xl_simple_top_k(ctx, XL_U32, (xl_sort_order)7, 4, y, 2, y, NULL), "order");
    refused(xl_simple_unique(ctx, XL_U32, 4, y, y, NULL), "count: NULL");
    refused(xl_simple_histogram(ctx, XL_U32, 4, y, 0.5, 4, 2, y), "whole numbers");
    refused(xl_simple_histogram(ctx, XL_U32, 4, y, 0, 4, 0, y), "num_bins");
    XLT_OK(xl_simple_unique(ctx, XL_U32, 4, y, y, &count)); /* a failure leaves nothing behind */
    assert_int_equal(count, 1);
}

/* CROSSLANE_DEVICE chooses the same device for calls without a context. */
static void without_a_context(void **state)
{
    (void)state;
    uint32_t y[5] = {3, 1, 4, 1, 5};
    const uint32_t wanted[5] = {3, 4, 8, 9, 14};
    assert_int_equal(xl_simple_inclusive_sum(NULL, XL_U32, XL_U32, 5, y, y), XL_SUCCESS);
    assert_memory_equal(y, wanted, sizeof y);
    assert_int_equal(xl_simple_inclusive_sum(NULL, XL_U32, XL_U32, 5, NULL, y),
                     XL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(xl_context_error(NULL), "in: NULL"));
}

static cl_uint references(cl_context cl)
{
    cl_uint count = 0;
    XLT_CL(clGetContextInfo(cl, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

/* Plans and memory of the calls end with the context. */
static void contexts_end(void **state)
{
    (void)state;
    cl_context cl = xl_context_cl(xlt_context());
    const cl_uint before = references(cl);
    for (int i = 0; i < 3; ++i) {
        uint32_t y[3] = {2, 2, 2};
        xl_context *ctx;
        assert_int_equal(xl_context_adopt(cl, xl_context_device(xlt_context()), NULL, &ctx),
                         XL_SUCCESS);
        assert_int_equal(xl_simple_inclusive_sum(ctx, XL_U32, XL_U32, 3, y, y), XL_SUCCESS);
        assert_int_equal(y[2], 6);
        xl_context_destroy(ctx);
    }
    assert_int_equal(references(cl), before);
}

static void *sort_and_sum(void *of)
{
    const size_t me = (size_t)(uintptr_t)of;
    uint32_t y[64];
    for (int round = 0; round < 50; ++round) {
        for (uint32_t i = 0; i < 64; ++i)
            y[i] = (uint32_t)me;
        if (xl_simple_sort(xlt_context(), XL_U32, XL_ASCENDING, 64, y, 0, NULL) != XL_SUCCESS ||
            xl_simple_inclusive_sum(xlt_context(), XL_U32, XL_U32, 64, y, y) != XL_SUCCESS ||
            y[63] != 64 * me)
            return of;
    }
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t started[4];
    void *failed;
    for (size_t t = 0; t < 4; ++t)
        assert_int_equal(
            pthread_create(&started[t], NULL, sort_and_sum, (void *)(uintptr_t)(t + 1)), 0);
    for (size_t t = 0; t < 4; ++t) {
        pthread_join(started[t], &failed);
        assert_null(failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),         cmocka_unit_test(reductions),
        cmocka_unit_test(sorts),        cmocka_unit_test(top_k),
        cmocka_unit_test(unique),       cmocka_unit_test(histograms),
        cmocka_unit_test(wrong_calls),  cmocka_unit_test(without_a_context),
        cmocka_unit_test(contexts_end), cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

/* SPDX-License-Identifier: MIT
 * The simple calls, compared with plain C: values, arrays without elements, errors, a context of
 * one's own and none, many plans, and threads. */
#define _GNU_SOURCE
#include "reference.h"
#include "xlt.h"

#include <crosslane/simple.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

XLT_TEST(sums)
{
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

XLT_TEST(reductions)
{
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

XLT_TEST(sorts)
{
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

XLT_TEST(top_k)
{
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

XLT_TEST(unique)
{
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
XLT_TEST(histograms)
{
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

XLT_TEST(wrong_calls)
{
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
XLT_TEST(without_a_context)
{
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
XLT_TEST(contexts_end)
{
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
    /* A thread of the driver may hold an event, and with it the context, for a moment longer. */
    for (int waited = 0; references(cl) != before && waited < 1000; ++waited)
        usleep(1000);
    assert_int_equal(references(cl), before);
}

/* ---- lists of neighbours --------------------------------------------------------------------- */

enum { POINTS = 300 };

static void fill_points(float *xyz, size_t scalars)
{
    xlt_random random = {9};
    for (size_t i = 0; i < scalars; ++i)
        xyz[i] = xlt_unit(&random);
}

/* Rows, distances, vectors and shifts equal those of a loop over all pairs and images. */
static void list_equals(const xl_neighbor_list *l, const ref_search *search)
{
    uint64_t offsets[POINTS + 1];
    ref_pairs pairs = {0};
    const size_t d = search->dimensions;
    uint32_t *rows = ref_neighbors_pairs(search, offsets, &pairs);
    assert_non_null(rows);
    assert_int_equal(l->n, search->n);
    assert_memory_equal(l->offsets, offsets, (search->n + 1) * sizeof *offsets);
    assert_memory_equal(l->indices, rows, (size_t)offsets[search->n] * sizeof *rows);
    for (uint64_t k = 0; k < offsets[search->n]; ++k) {
        assert_true(((const float *)l->distances)[k] == sqrtf(pairs.distances2[k]));
        for (size_t a = 0; a < d; ++a) {
            assert_true(((const float *)l->vectors)[d * k + a] == pairs.vectors[3 * k + a]);
            assert_int_equal(l->shifts[d * k + a], pairs.shifts[3 * k + a]);
        }
    }
    ref_pairs_free(&pairs);
    free(rows);
}

/* Point 0 is given four periods away; the others are inside. */
XLT_TEST(wrapped)
{
    if (!xlt_has_grids())
        skip();
    float xyz[3 * POINTS];
    xl_neighbor_list list;
    const xl_space box = {.dimensions = 3,
                          .scalar = XL_F32,
                          .bounds = XL_BOUNDS_GIVEN,
                          .periodic = 5,
                          .cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                          .wrap = 1};
    fill_points(xyz, 3 * POINTS);
    const ref_search search = {.points = xyz,
                               .n = POINTS,
                               .stride = 3,
                               .dimensions = 3,
                               .radius = 0.35f,
                               .period = {1, 0, 1}};
    xyz[0] = 4.25f;
    XLT_OK(xl_simple_neighbors(xlt_context(), &box, POINTS, xyz, 0.35,
                               XL_LIST_DISTANCES | XL_LIST_VECTORS | XL_LIST_SHIFTS, &list));
    xyz[0] = 0.25f;
    for (size_t i = 0; i < POINTS; ++i)
        for (uint64_t k = list.offsets[i]; k < list.offsets[i + 1]; ++k)
            list.shifts[3 * k] -= 4 * (i == 0) - 4 * (list.indices[k] == 0);
    list_equals(&list, &search);
    xl_simple_free(&list);
    xyz[0] = 1e9f; /* too many periods away */
    assert_int_equal(xl_simple_neighbors(xlt_context(), &box, POINTS, xyz, 0.35, 0, &list),
                     XL_ERROR_OUT_OF_DOMAIN);
    xyz[0] = 4.25f;
    XLT_OK(xl_simple_nearest(xlt_context(), &box, POINTS, xyz, 3, 0, &list));
    assert_int_equal(list.offsets[POINTS], 3 * POINTS);
    xl_simple_free(&list);
}

XLT_TEST(neighbors)
{
    if (!xlt_has_grids())
        skip();
    float xyz[3 * POINTS];
    xl_neighbor_list list;
    const uint32_t all = XL_LIST_DISTANCES | XL_LIST_VECTORS | XL_LIST_SHIFTS;
    fill_points(xyz, 3 * POINTS);
    ref_search search = {.points = xyz, .n = POINTS, .stride = 3, .dimensions = 3, .radius = 0.2f};
    XLT_OK(xl_simple_neighbors(xlt_context(), NULL, POINTS, xyz, 0.2, all, &list));
    list_equals(&list, &search);
    xl_simple_free(&list);
    assert_null(list.offsets);
    const xl_space box = {.dimensions = 3,
                          .scalar = XL_F32,
                          .bounds = XL_BOUNDS_GIVEN,
                          .periodic = 5,
                          .cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    search.period[0] = search.period[2] = 1;
    search.radius = 0.35f;
    XLT_OK(xl_simple_neighbors(NULL, &box, POINTS, xyz, 0.35, all, &list));
    list_equals(&list, &search);
    xl_simple_free(&list);
    XLT_OK(xl_simple_neighbors(xlt_context(), &box, POINTS, xyz, 0.35, 0, &list));
    assert_true(!list.distances && !list.vectors && !list.shifts);
    xl_simple_free(&list);
    XLT_OK(xl_simple_neighbors(xlt_context(), &box, 0, NULL, 0.35, all, &list));
    assert_true(list.offsets[0] == 0 && list.n == 0);
    xl_simple_free(&list);
    xl_simple_free(NULL);
}

XLT_TEST(nearest)
{
    if (!xlt_has_grids())
        skip();
    enum { K = 5 };
    float xyz[2 * POINTS];
    xl_neighbor_list list;
    const xl_space plane = {.dimensions = 2, .scalar = XL_F32};
    fill_points(xyz, 2 * POINTS);
    const ref_nearest_search search = {
        .points = xyz, .n = POINTS, .stride = 2, .dimensions = 2, .k = K};
    XLT_OK(xl_simple_nearest(xlt_context(), &plane, POINTS, xyz, K, XL_LIST_DISTANCES, &list));
    for (size_t i = 0; i < POINTS; ++i) {
        uint32_t indices[K];
        float distances2[K];
        ref_nearest(&search, i, indices, distances2);
        assert_int_equal(list.offsets[i + 1], K * (i + 1));
        for (size_t j = 0; j < K; ++j) {
            assert_int_equal(list.indices[K * i + j], indices[j]);
            assert_true(((const float *)list.distances)[K * i + j] == sqrtf(distances2[j]));
        }
    }
    xl_simple_free(&list);
    XLT_OK(xl_simple_nearest(xlt_context(), &plane, 3, xyz, K, 0, &list)); /* two others each */
    assert_int_equal(list.offsets[3], 6);
    assert_null(list.distances);
    xl_simple_free(&list);
}

/* ---- memory of lists --------------------------------------------------------------------------- */

enum { MANY = 1100 }; /* points: 1,208,900 pairs, more than 2^20 */

/* Points of a line, all near each other. */
static void list_line(xl_context *ctx, size_t n, xl_neighbor_list *list)
{
    static const xl_space line = {.dimensions = 1, .scalar = XL_F32};
    float at[MANY];
    fill_points(at, MANY);
    assert_int_equal(xl_simple_neighbors(ctx, &line, n, at, 2, XL_LIST_DISTANCES, list),
                     XL_SUCCESS);
    assert_int_equal(list->offsets[n], n * (n - 1));
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k + 1 < n; ++k) {
            const size_t pair = i * (n - 1) + k, j = k + (k >= i);
            assert_int_equal(list->indices[pair], j);
            const float d = at[j] - at[i];
            assert_true(((const float *)list->distances)[pair] == sqrtf(d * d));
        }
}

/* Below 2^20 pairs the host takes the roots, from there on the device. */
XLT_TEST(many_distances)
{
    if (!xlt_has_grids())
        skip();
    for (size_t n = MANY; n > MANY - 200; n -= 97) {
        xl_neighbor_list list;
        list_line(xlt_context(), n, &list);
        xl_simple_free(&list);
    }
}

/* Large arrays are used again, by lists that fit into them: the room behind the neighbours, which no
 * call writes, keeps a mark. Arrays that are in use are not. */
XLT_TEST(memory_is_kept)
{
    if (!xlt_has_grids())
        skip();
    const uint32_t mark = 0x5a5a5a5a;
    xl_neighbor_list lists[2];
    list_line(xlt_context(), 300, &lists[0]);
    ((uint32_t *)lists[0].distances)[300 * 299] = lists[0].indices[300 * 299] = mark;
    xl_simple_free(&lists[0]);
    list_line(xlt_context(), 300, &lists[0]);
    assert_int_equal(lists[0].indices[300 * 299], mark);
    list_line(xlt_context(), 300, &lists[1]);
    assert_ptr_not_equal(lists[1].indices, lists[0].indices);
    void *const small = lists[1].indices;
    xl_simple_free(&lists[1]);
    list_line(xlt_context(), 400, &lists[1]); /* does not fit; fits twice */
    assert_true(lists[1].indices != small && lists[1].distances != small);
    xl_simple_free(&lists[0]);
    xl_simple_free(&lists[1]);
}

/* More arrays than are kept, and a list that ends after its context. */
XLT_TEST(lists_outlive_their_context)
{
    if (!xlt_has_grids())
        skip();
    xl_neighbor_list lists[8];
    xl_context *ctx;
    assert_int_equal(xl_context_adopt(xl_context_cl(xlt_context()),
                                      xl_context_device(xlt_context()), NULL, &ctx),
                     XL_SUCCESS);
    for (size_t i = 0; i < 8; ++i)
        list_line(ctx, 300 + 10 * i, &lists[i]);
    for (size_t i = 1; i < 8; ++i)
        xl_simple_free(&lists[i]);
    xl_context_destroy(ctx);
    assert_int_equal(lists[0].indices[300 * 299 - 1], 298);
    xl_simple_free(&lists[0]);
}

XLT_TEST(lists_in_double_precision)
{
    xl_device_info info;
    xl_neighbor_list list;
    const double at[3] = {0, 0.1, 0.3};
    const xl_space line = {.dimensions = 1, .scalar = XL_F64};
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (!info.has_fp64)
        skip();
    XLT_OK(xl_simple_neighbors(xlt_context(), &line, 3, at, 0.15, XL_LIST_DISTANCES, &list));
    assert_int_equal(list.offsets[3], 2);
    assert_true(((const double *)list.distances)[0] == sqrt(0.1 * 0.1));
    xl_simple_free(&list);
}

XLT_TEST(wrong_lists)
{
    if (!xlt_has_grids())
        skip();
    float xyz[6] = {0, 0, 0, 1, (float)NAN, 0};
    xl_neighbor_list list = {0};
    xl_context *const ctx = xlt_context();
    const xl_space batch = {.dimensions = 3, .scalar = XL_F32, .num_systems = 2}, none = {0},
                   words = {.dimensions = 3, .scalar = XL_U32};
    refused(xl_simple_neighbors(ctx, NULL, 2, xyz, 1, 0, NULL), "list: NULL");
    refused(xl_simple_neighbors(ctx, NULL, 2, NULL, 1, 0, &list), "points: NULL");
    refused(xl_simple_neighbors(ctx, NULL, 2, xyz, 0, 0, &list), "radius: ");
    refused(xl_simple_neighbors(ctx, NULL, 2, xyz, 1, 8, &list), "details: ");
    refused(xl_simple_neighbors(ctx, &batch, 2, xyz, 1, 0, &list), "num_systems");
    refused(xl_simple_neighbors(ctx, &none, 2, xyz, 1, 0, &list), "dimensions");
    refused(xl_simple_neighbors(ctx, &words, 2, xyz, 1, 0, &list), "desc.space.scalar");
    refused(xl_simple_nearest(ctx, NULL, 2, xyz, 0, 0, &list), "k: 0");
    refused(xl_simple_nearest(ctx, NULL, 2, xyz, 1, XL_LIST_SHIFTS, &list), "details: ");
    assert_int_equal(xl_simple_neighbors(ctx, NULL, 2, xyz, 1, 0, &list), XL_ERROR_NON_FINITE);
    assert_int_equal(xl_simple_nearest(ctx, NULL, 2, xyz, 1, 0, &list), XL_ERROR_NON_FINITE);
    assert_true(!list.offsets && !list.indices);
}

/* ---- threads --------------------------------------------------------------------------------- */

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

XLT_TEST(threads)
{
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

XLT_MAIN(NULL, xlt_teardown)

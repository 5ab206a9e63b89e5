/* SPDX-License-Identifier: MIT
 * The scratch of sorts and selections, which no result shows: keys that are not an output are not
 * written, and a selection's bound is close. */
#include "scan_support.h"

#include <crosslane/sort.h>
#include <crosslane/top_k.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *any_words(size_t n, uint64_t seed)
{
    uint32_t *words = bytes_for(n, sizeof *words);
    xlt_random random = {seed};
    for (size_t i = 0; i < n; ++i)
        words[i] = (uint32_t)xlt_next(&random);
    return words;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* NULL: the device has no such sort. */
static xl_plan *radix_plan(xl_type value, const xl_tunable *tunables, uint32_t count)
{
    xl_sort_desc desc;
    xl_plan *plan;
    xl_sort_desc_init(&desc);
    desc.key = XL_U8;
    desc.value = value;
    desc.values_only = value != XL_NONE;
    desc.algorithm = XL_SORT_RADIX;
    desc.tunables = tunables;
    desc.num_tunables = count;
    const xl_status status = xl_sort_create(xlt_context(), &desc, &plan);
    if (status != XL_ERROR_UNSUPPORTED)
        XLT_OK(status);
    return status == XL_SUCCESS ? plan : NULL;
}

static xlt_buffer scratch_for(const xl_plan *plan, size_t n)
{
    size_t bytes;
    XLT_OK(xl_sort_scratch(plan, &(xl_sort_args){.n = n}, &bytes));
    return xlt_scratch_make(bytes);
}

/* Sorts n keys of one byte; reads the keys or the indices. */
static void sort(xl_plan *plan, const void *keys, size_t n, const xlt_buffer *scratch, bool values,
                 void *got)
{
    xlt_buffer in = xlt_buffer_make(keys, n, 1, 0),
               out = xlt_buffer_make(NULL, n, values ? 4 : 1, 0);
    const xl_view to = xlt_view(&out), none = xl_no_view();
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(),
                           &(xl_sort_args){.n = n,
                                           .keys_in = xlt_view(&in),
                                           .keys_out = values ? none : to,
                                           .values_out = values ? to : none,
                                           .scratch = xlt_view(scratch)},
                           0, NULL, NULL));
    xlt_read(&out, got);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
}

/* ---- keys that are not an output ------------------------------------------------------------- */

/* By one digit the first pass is the last: the scratch's room for keys, at its end, stays as it
 * was. */
static void one_pass_in(const xl_tunable *tunables, uint32_t count)
{
    const size_t n = xlt_on_oclgrind() ? 300 : 5000;
    xl_plan *plan = radix_plan(XL_SORT_INDICES, tunables, count);
    if (!plan)
        return;
    uint32_t *keys = any_words(n / 4, 1), *indices = bytes_for(n, 4);
    xlt_buffer scratch = scratch_for(plan, n);
    unsigned char *after = bytes_for(scratch.n, 1);
    sort(plan, keys, n, &scratch, true, indices);
    xlt_read(&scratch, after);
    for (size_t i = scratch.n - n; i < scratch.n; ++i)
        assert_int_equal(after[i], 0xa5);
    xlt_buffer_free(&scratch);
    free(keys);
    free(indices);
    free(after);
    xl_plan_destroy(plan);
}

XLT_TEST(one_pass_writes_no_keys)
{
    static const xl_tunable serial[] = {{"sort.shape", 1},         {"sort.radix_alone", 0},
                                        {"sort.radix_buckets", 0}, {"sort.radix_chunks", 200},
                                        {"sort.radix_least", 70},  {"sort.radix_most", 700}};
    static const xl_tunable groups[] = {{"sort.shape", 0},
                                        {"sort.sweep_pair_group", 256},
                                        {"sort.sweep_pair_bytes", 8},
                                        {"sort.radix_group", 256},
                                        {"sort.radix_bytes", 8}};
    one_pass_in(serial, sizeof serial / sizeof *serial);
    one_pass_in(groups, sizeof groups / sizeof *groups);
}

/* ---- descriptors of a call before ------------------------------------------------------------ */

static int by_byte(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* Sweeps, if the device has them, of two plans: in the second every third tile publishes nothing.
 * Unless that clears the scratch, it reads counts that the first published of other keys. */
XLT_TEST(scratch_is_cleared)
{
    enum { N = 16000 };
    xl_tunable tunables[] = {{"sort.shape", 0},       {"sort.sweep_group", 256},
                             {"sort.sweep_bytes", 8}, {"sort.radix_bytes", 8},
                             {"sort.spin_limit", 3},  {"sort.inject_delay", 0}};
    xl_plan *plans[2];
    for (size_t k = 0; k < 2; ++k) {
        tunables[5].value = 3 * k;
        plans[k] = radix_plan(XL_NONE, tunables, sizeof tunables / sizeof *tunables);
    }
    if (!plans[0] || !plans[1])
        skip();
    xlt_buffer scratch = scratch_for(plans[0], N);
    for (size_t call = 0; call < (xlt_on_oclgrind() ? 0 : 4); ++call) {
        uint32_t *keys = any_words(N / 4, call + 1), *got = bytes_for(N / 4, 4);
        sort(plans[call % 2], keys, N, &scratch, false, got);
        qsort(keys, N, 1, by_byte);
        assert_memory_equal(got, keys, N);
        free(keys);
        free(got);
    }
    xlt_buffer_free(&scratch);
    xl_plan_destroy(plans[0]);
    xl_plan_destroy(plans[1]);
}

/* ---- a bound --------------------------------------------------------------------------------- */

/* With random keys a few more than wanted are within the bound. Their number is the last of the 128
 * words in front of the counts (cl/top_k/top_k_pass.cl). It is 140 or so, as number 14 of 64. */
static void bound_is_close(uint32_t shape)
{
    enum { N = 640, K = 2, SAMPLE = 64, BOUNDED = 127, NO_LIST = 512 + 2 * 6 * 2048 * 4 };
    const xl_tunable tunables[] = {{"top_k.shape", shape},   {"top_k.group_log", 5},
                                   {"top_k.chunks", 200},    {"top_k.chunk", 1000},
                                   {"top_k.sample", SAMPLE}, {"top_k.sampled", 1}};
    uint32_t *keys = any_words(N, 3), got[K], bounded;
    size_t bytes;
    xl_top_k_desc desc;
    xl_plan *plan;
    xl_top_k_desc_init(&desc);
    desc.key = XL_U32;
    desc.largest = desc.sorted = 0;
    desc.tunables = tunables;
    desc.num_tunables = sizeof tunables / sizeof tunables[0];
    XLT_OK(xl_top_k_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_top_k_scratch(plan, &(xl_top_k_args){.n = N, .k = K}, &bytes));
    xlt_buffer in = xlt_buffer_make(keys, N, 4, 0), out = xlt_buffer_make(NULL, K, 4, 0),
               scratch = xlt_scratch_make(bytes);
    unsigned char *held = bytes_for(bytes, 1);
    XLT_OK(xl_top_k_enqueue(plan, xlt_queue(),
                            &(xl_top_k_args){.n = N,
                                             .k = K,
                                             .keys_in = xlt_view(&in),
                                             .keys_out = xlt_view(&out),
                                             .scratch = xlt_view(&scratch)},
                            0, NULL, NULL));
    xlt_read(&out, got);
    xlt_read(&scratch, held);
    qsort(keys, N, sizeof *keys, by_value);
    qsort(got, K, sizeof *got, by_value);
    assert_memory_equal(got, keys, sizeof got);
    memcpy(&bounded, held + BOUNDED * sizeof bounded, sizeof bounded);
    /* Without a sample there are no lists. */
    if (bytes >= NO_LIST + 4 * N && (bounded < 50 || bounded > 320))
        XLT_FAIL("shape %u: %u keys within the bound", (unsigned)shape, (unsigned)bounded);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    xlt_buffer_free(&scratch);
    free(keys);
    free(held);
    xl_plan_destroy(plan);
}

XLT_TEST(bounds_are_close)
{
    bound_is_close(0);
    bound_is_close(1);
}

XLT_MAIN(NULL, xlt_teardown)

/* SPDX-License-Identifier: MIT
 * The scratch of sorts and selections, which no result shows: keys that are not an output are not
 * written, and a selection's bound is close. And one plan in two threads. */
/* Queues of OpenCL 1.2, which every implementation has. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "scan_support.h"

#include <crosslane/sort.h>
#include <crosslane/top_k.h>
#include <pthread.h>
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

/* ---- keys that are not an output ----------------------------------------------------------------
 */

/* By one digit the first pass is the last: the scratch's room for keys, at its end, stays as it
 * was.
 */
static void one_pass_in(const char *tune)
{
    const size_t n = xlt_on_oclgrind() ? 300 : 5000;
    size_t bytes, unwritten = 0;
    xl_context *ctx = open_context(tune, NULL);
    xl_sort_desc desc;
    xl_plan *plan;
    xl_sort_desc_init(&desc);
    desc.key = XL_U8;
    desc.value = XL_SORT_INDICES;
    desc.algorithm = XL_SORT_RADIX;
    desc.values_only = 1;
    const xl_status status = xl_sort_create(ctx, &desc, &plan);
    if (status != XL_ERROR_UNSUPPORTED) { /* a device may have no sort by digits */
        ok(ctx, status, tune);
        XLT_OK(xl_sort_scratch(plan, &(xl_sort_args){.n = n}, &bytes));
        uint32_t *keys = any_words(n / 4, 1);
        unsigned char *after = bytes_for(bytes, 1);
        xlt_buffer in = xlt_buffer_make(keys, n, 1, 0), out = xlt_buffer_make(NULL, n, 4, 0),
                   scratch = xlt_scratch_make(bytes);
        XLT_OK(xl_sort_enqueue(plan, xlt_queue(),
                               &(xl_sort_args){.n = n,
                                               .keys_in = xlt_view(&in),
                                               .values_out = xlt_view(&out),
                                               .scratch = xlt_view(&scratch)},
                               0, NULL, NULL));
        xlt_read(&scratch, after);
        for (size_t i = bytes - n; i < bytes; ++i)
            unwritten += after[i] == 0xa5;
        assert_int_equal(unwritten, n);
        xlt_buffer_free(&in);
        xlt_buffer_free(&out);
        xlt_buffer_free(&scratch);
        free(keys);
        free(after);
        xl_plan_destroy(plan);
    }
    xl_context_destroy(ctx);
}

static void one_pass_writes_no_keys(void **state)
{
    (void)state;
    one_pass_in("sort.shape = 1\nsort.radix_alone = 0\nsort.radix_buckets = 0\n"
                "sort.radix_chunks = 200\nsort.radix_least = 70\nsort.radix_most = 700\n");
    one_pass_in("sort.shape = 0\nsort.sweep_pair_group = 256\nsort.sweep_pair_bytes = 8\n"
                "sort.radix_group = 256\nsort.radix_bytes = 8\n");
}

/* ---- descriptors of a call before --------------------------------------------------------------
 */

/* A plan for keys of one digit, by sweeps if the device has them: in one of two plans every third
 * tile publishes nothing. NULL: the device has no such sort. */
static xl_plan *sweep_plan(uint32_t delay)
{
    const xl_tunable tunables[] = {{"sort.shape", 0},       {"sort.sweep_group", 256},
                                   {"sort.sweep_bytes", 8}, {"sort.radix_bytes", 8},
                                   {"sort.spin_limit", 3},  {"sort.inject_delay", delay}};
    xl_sort_desc desc;
    xl_plan *plan;
    xl_sort_desc_init(&desc);
    desc.key = XL_U8;
    desc.algorithm = XL_SORT_RADIX;
    desc.tunables = tunables;
    desc.num_tunables = sizeof tunables / sizeof tunables[0];
    const xl_status status = xl_sort_create(xlt_context(), &desc, &plan);
    if (status == XL_ERROR_UNSUPPORTED)
        return NULL;
    XLT_OK(status);
    return plan;
}

static int by_byte(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* Unless the second plan clears the scratch, it reads counts that the first published of other
 * keys. */
static void scratch_is_cleared(void **state)
{
    (void)state;
    enum { N = 16000 };
    xl_plan *plans[2] = {sweep_plan(0), sweep_plan(3)};
    size_t bytes;
    if (!plans[0] || !plans[1])
        skip();
    XLT_OK(xl_sort_scratch(plans[0], &(xl_sort_args){.n = N}, &bytes));
    xlt_buffer scratch = xlt_scratch_make(bytes);
    for (size_t call = 0; call < (xlt_on_oclgrind() ? 0 : 4); ++call) {
        uint32_t *keys = any_words(N / 4, call + 1), *got = bytes_for(N / 4, 4);
        xlt_buffer in = xlt_buffer_make(keys, N, 1, 0), out = xlt_buffer_make(NULL, N, 1, 0);
        XLT_OK(xl_sort_enqueue(plans[call % 2], xlt_queue(),
                               &(xl_sort_args){.n = N,
                                               .keys_in = xlt_view(&in),
                                               .keys_out = xlt_view(&out),
                                               .scratch = xlt_view(&scratch)},
                               0, NULL, NULL));
        xlt_read(&out, got);
        qsort(keys, N, 1, by_byte);
        assert_memory_equal(got, keys, N);
        xlt_buffer_free(&in);
        xlt_buffer_free(&out);
        free(keys);
        free(got);
    }
    xlt_buffer_free(&scratch);
    xl_plan_destroy(plans[0]);
    xl_plan_destroy(plans[1]);
}

/* ---- a bound ------------------------------------------------------------------------------------
 */

/* With random keys a few more than wanted are within the bound. Their number is the last of the 128
 * words in front of the counts (cl/top_k/top_k_state.cl). It is 140 or so, as number 14 of 64. */
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

static void bounds_are_close(void **state)
{
    (void)state;
    bound_is_close(0);
    bound_is_close(1);
}

/* ---- threads ------------------------------------------------------------------------------------
 */

/* A thread sorts its own array, in place, on its own queue. cmocka's checks are for the main thread
 * only. */
typedef struct worker {
    xl_plan *plan;
    cl_command_queue queue;
    uint32_t *keys;
    xlt_buffer buffer;
    size_t n;
    xl_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    const xl_sort_args args = {
        .n = w->n, .keys_in = xlt_view(&w->buffer), .keys_out = xlt_view(&w->buffer)};
    for (int i = 0; i < 20 && w->status == XL_SUCCESS; ++i)
        w->status = xl_sort_enqueue(w->plan, w->queue, &args, 0, NULL, NULL);
    clFinish(w->queue);
    return NULL;
}

static void two_threads_share_a_plan(void **state)
{
    (void)state;
    worker workers[2];
    pthread_t threads[2];
    xl_sort_desc desc;
    xl_plan *plan;
    xlt_needs_threads();
    xl_sort_desc_init(&desc);
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    for (size_t i = 0; i < 2; ++i) {
        cl_int code;
        worker *w = &workers[i];
        *w = (worker){.plan = plan, .n = (xlt_small() ? 50 : 20000) + i, .status = XL_SUCCESS};
        w->queue = clCreateCommandQueue(xl_context_cl(xlt_context()),
                                        xl_context_device(xlt_context()), 0, &code);
        XLT_CL(code);
        w->keys = any_words(w->n, i + 1);
        w->buffer = xlt_buffer_make(w->keys, w->n, 4, i);
        qsort(w->keys, w->n, sizeof *w->keys, by_value);
    }
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < 2; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < 2; ++i) {
        worker *w = &workers[i];
        uint32_t *got = bytes_for(w->n, 4);
        assert_int_equal(w->status, XL_SUCCESS);
        xlt_read(&w->buffer, got);
        assert_memory_equal(got, w->keys, 4 * w->n);
        xlt_check_guards(&w->buffer, "keys");
        xlt_buffer_free(&w->buffer);
        XLT_CL(clReleaseCommandQueue(w->queue));
        free(w->keys);
        free(got);
    }
    xl_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pass_writes_no_keys),
        cmocka_unit_test(scratch_is_cleared),
        cmocka_unit_test(bounds_are_close),
        cmocka_unit_test(two_threads_share_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

/* SPDX-License-Identifier: MIT
 * Scans and reductions of many elements: past 2^24, where a float stops counting, in many runs, and,
 * if CROSSLANE_TEST_LARGE=1 asks for it and memory allows, past 2^32. Small sizes are of 2^16. */
#include "scan_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2^24 elements and one more, or where small sizes are asked for 2^16. */
static size_t past(unsigned log)
{
    return ((size_t)1 << (xlt_small() ? log - 8 : log)) + 1;
}

XLT_TEST(past_2_to_24)
{
    static const xl_type types[] = {XL_U32, XL_U64, XL_U16};
    for (size_t t = 0; t < 3; ++t) {
        job j;
        job_make(&j, "large", types[t], XL_SUM, t ? XL_INCLUSIVE : XL_EXCLUSIVE, NULL);
        xl_plan *plan = job_plan(xlt_context(), &j);
        job_check(xlt_context(), plan, &j, past(t < 2 ? 24 : 20), placings[t]);
        xl_plan_destroy(plan);
    }
}

XLT_TEST(past_2_to_24_in_segments)
{
    job j;
    job_make(&j, "large, segments", XL_U32, XL_SUM, XL_INCLUSIVE, NULL);
    j.desc.segments = XL_SEGMENTS_FLAG_BITMASK;
    j.pattern = HEADS_IN_700;
    xl_plan *plan = job_plan(xlt_context(), &j);
    job_check(xlt_context(), plan, &j, past(24), placings[0]);
    xl_plan_destroy(plan);
}

/* ---- many runs ------------------------------------------------------------------------------- */

/* The sum of n ones that an expression loads, which takes them one by one. */
static void check_ones(const char *what, const char *tune, size_t n)
{
    uint32_t got = 0;
    xl_reduce_desc desc;
    xl_plan *plan;
    unsigned char *ones = bytes_for(n, 1);
    xl_context *ctx = open_context(tune, NULL);
    xl_reduce_desc_init(&desc);
    desc.load = "x";
    desc.load_type = XL_U8;
    ok(ctx, xl_reduce_create(ctx, &desc, &plan), what);
    memset(ones, 1, n);
    xlt_buffer a = xlt_buffer_make(ones, n, 1, 0), b = xlt_buffer_make(NULL, 1, 4, 0);
    const xl_reduce_args args = {.n = n, .in = xlt_view(&a), .out = xlt_view(&b)};
    ok(ctx, xl_reduce_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), what);
    xlt_read(&b, &got);
    if (got != n)
        XLT_FAIL("%s: %zu ones come to %u", what, n, (unsigned)got);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xl_plan_destroy(plan);
    xl_context_destroy(ctx);
    free(ones);
}

/* More than 65,535 runs, which one launch would have to join; and, of groups, more than a
 * launch joins. */
XLT_TEST(reductions_in_many_runs)
{
    enum { RUN = 256 };
    check_ones("runs of a work-item", "reduce.serial = 1\nreduce.chunk_elements = 256\n",
               (size_t)70001 * RUN + 77);
    if (!xlt_small())
        check_ones("runs of a group",
                   "reduce.serial = 0\nreduce.whole_size = 16\nreduce.whole_bytes = 16\n"
                   "reduce.chunk_elements = 256\n",
                   (size_t)33001 * 8 * RUN + 77);
}

/* ---- past 2^32 ------------------------------------------------------------------------ */

/* n bytes in 16 chunks and a rest behind them, each filled with a different number, so that
 * a read by an index of 32 bits gives another number. Keys change where chunks do,
 * and once in the rest. */
typedef struct large {
    size_t limit, n, chunk, border; /* `border`: where the last key begins */
    cl_mem data, keys;
} large;

enum { CHUNKS = 16, WINDOW = 1 << 16, REST = 12345 };

static cl_uchar number_of(const large *l, uint64_t i)
{
    return (cl_uchar)(1 + i / l->chunk % 5); /* the rest: 2, and chunk 0: 1 */
}

/* The sum of elements [0, i) as they are loaded: a number, and 2 more at each 2^16-th. */
static uint64_t sum_before(const large *l, uint64_t i)
{
    uint64_t sum = (i + 0xffff) / 0x10000 * 2;
    for (uint64_t c = 0; c <= CHUNKS && c * l->chunk < i; ++c) {
        const uint64_t end = c < CHUNKS && (c + 1) * l->chunk < i ? (c + 1) * l->chunk : i;
        sum += (end - c * l->chunk) * number_of(l, c * l->chunk);
    }
    return sum;
}

static const char large_load[] = "(x) + ((i & 0xffff) == 0 ? 2 : 0)";

/* Not filled in its place: NVIDIA 580 fills elsewhere from 2^32 on, and from 2^31 on its queue is
 * lost. */
static void fill_bytes(cl_mem mem, cl_uchar value, size_t at, size_t bytes)
{
    cl_mem from = plain_buffer(bytes);
    XLT_CL(clEnqueueFillBuffer(xlt_queue(), from, &value, 1, 0, bytes, 0, NULL, NULL));
    XLT_CL(clEnqueueCopyBuffer(xlt_queue(), from, mem, 0, at, bytes, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue())); /* one at a time: memory is short */
    XLT_CL(clReleaseMemObject(from));
}

static void fill_large(const large *l)
{
    for (size_t at = 0; at < l->n; at += l->chunk)
        fill_bytes(l->data, number_of(l, at), at, l->n - at < l->chunk ? l->n - at : l->chunk);
}

static large large_make(void)
{
    large l = {.limit = (size_t)1 << large_log_or_skip()};
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    l.n = l.limit + REST;
    l.chunk = l.limit / CHUNKS;
    l.border = l.limit + 1000;
    if (info.max_buffer_bytes < l.n || info.global_bytes < 3 * l.n) {
        print_message("%s: no two buffers of %zu bytes and room beside them, 2^%u elements left "
                      "out\n",
                      xlt_device(), l.n, large_log_or_skip());
        skip();
    }
    l.data = plain_buffer(l.n);
    l.keys = plain_buffer(l.n);
    for (size_t c = 0; c < CHUNKS; ++c)
        fill_bytes(l.keys, (cl_uchar)(37 * c), c * l.chunk, l.chunk);
    fill_bytes(l.keys, 5, l.limit, l.border - l.limit);
    fill_bytes(l.keys, 6, l.border, l.n - l.border);
    return l;
}

static void large_free(large *l)
{
    clReleaseMemObject(l->data);
    clReleaseMemObject(l->keys);
}

/* Where the segment of element i begins. */
static uint64_t large_begin(const large *l, const xl_scan_desc *desc, uint64_t i)
{
    if (desc->segments == XL_SEGMENTS_WIDTH)
        return i / desc->segment_width * desc->segment_width;
    if (desc->segments == XL_SEGMENTS_KEYS)
        return i >= l->border ? l->border : i / l->chunk * l->chunk;
    if (desc->segments == XL_SEGMENTS_OFFSETS)
        return i >= l->border ? l->border : 0;
    return 0;
}

static void compare_window(const large *l, const xl_scan_desc *desc, uint64_t at, uint64_t end)
{
    unsigned char *got = bytes_for(WINDOW, 1);
    uint64_t begin = UINT64_MAX, before = 0, sum = sum_before(l, at);
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), l->data, CL_TRUE, at, (size_t)(end - at), got, 0, NULL,
                               NULL));
    for (uint64_t i = at; i < end; ++i) {
        const uint64_t head = large_begin(l, desc, i);
        if (head != begin)
            before = sum_before(l, begin = head);
        sum += number_of(l, i) + (i % 0x10000 == 0 ? 2u : 0u);
        if (got[i - at] != (uint8_t)(sum - before))
            XLT_FAIL("segments %d: element %llu of %zu is %u, not %u", (int)desc->segments,
                     (unsigned long long)i, l->n, got[i - at], (unsigned)(uint8_t)(sum - before));
    }
    free(got);
}

/* u8, in place; the host looks at windows of the result. */
XLT_TEST(scans_past_2_to_32)
{
    static const xl_segments kinds[] = {XL_SEGMENTS_NONE, XL_SEGMENTS_WIDTH, XL_SEGMENTS_KEYS,
                                        XL_SEGMENTS_OFFSETS};
    large l = large_make();
    const uint64_t begins[] = {0, l.border, l.n};
    xlt_buffer offsets = xlt_buffer_make(begins, 3, sizeof begins[0], 0);
    const xl_view data = xl_view_of(l.data, 0),
                  heads[] = {[XL_SEGMENTS_KEYS] = xl_view_of(l.keys, 0),
                             [XL_SEGMENTS_OFFSETS] =
                                 xl_view_n(offsets.mem, xlt_view(&offsets).offset, 3),
                             [XL_SEGMENTS_WIDTH] = xl_no_view()};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        xl_plan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.type = desc.load_type = XL_U8;
        desc.kind = XL_INCLUSIVE;
        desc.load = large_load;
        desc.segments = kinds[k];
        desc.segment_type = kinds[k] == XL_SEGMENTS_KEYS      ? XL_U8
                            : kinds[k] == XL_SEGMENTS_OFFSETS ? XL_U64
                                                              : XL_NONE;
        desc.segment_width = kinds[k] == XL_SEGMENTS_WIDTH ? l.limit + 100 : 0;
        fill_large(&l);
        XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
        XLT_OK(xl_scan_enqueue(
            plan, xlt_queue(),
            &(xl_scan_args){.n = l.n, .in = data, .segments = heads[kinds[k]], .out = data}, 0,
            NULL, NULL));
        XLT_CL(clFinish(xlt_queue()));
        for (uint64_t at = 0; at < l.n; at += l.chunk - WINDOW / 2)
            compare_window(&l, &desc, at, at + WINDOW < l.n ? at + WINDOW : l.n);
        compare_window(&l, &desc, l.n - WINDOW, l.n);
        xl_plan_destroy(plan);
    }
    xlt_buffer_free(&offsets);
    large_free(&l);
}

/* The sum as u64, the least number, or a place, of the first n bytes. */
static uint64_t reduced(const large *l, size_t n, xl_op op)
{
    cl_ulong wide = 0;
    cl_uchar least = 0;
    xl_plan *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.op = op;
    desc.type = op == XL_SUM ? XL_U64 : XL_U8;
    desc.load = op == XL_SUM ? large_load : NULL;
    desc.load_type = op == XL_SUM ? XL_U8 : XL_NONE;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    xlt_buffer out = xlt_buffer_make(NULL, 1, op == XL_MIN ? 1 : 8, 0);
    const xl_reduce_args args = {.n = n, .in = xl_view_of(l->data, 0), .out = xlt_view(&out)};
    XLT_OK(xl_reduce_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&out, op == XL_MIN ? (void *)&least : (void *)&wide);
    xlt_buffer_free(&out);
    xl_plan_destroy(plan);
    return op == XL_MIN ? least : wide;
}

static void check_sums_by_key(const large *l)
{
    enum { COUNT = CHUNKS + 2 };
    cl_ulong got[COUNT] = {0}, number = 0;
    cl_uchar names[COUNT] = {0};
    xl_plan *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.type = XL_U64;
    desc.load = large_load;
    desc.load_type = XL_U8;
    desc.segments = XL_SEGMENTS_KEYS;
    desc.segment_type = XL_U8;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    xlt_buffer out = xlt_buffer_make(NULL, COUNT, 8, 0), keys = xlt_buffer_make(NULL, COUNT, 1, 0);
    xlt_buffer counted = xlt_buffer_make(NULL, 1, 8, 0);
    const xl_reduce_args args = {.n = l->n,
                                 .in = xl_view_of(l->data, 0),
                                 .segments = xl_view_of(l->keys, 0),
                                 .out = xl_view_n(out.mem, xlt_view(&out).offset, COUNT),
                                 .keys_out = xlt_view(&keys),
                                 .num_segments_out = xlt_view(&counted)};
    XLT_OK(xl_reduce_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&out, got);
    xlt_read(&counted, &number);
    xlt_read(&keys, names);
    assert_int_equal(number, COUNT);
    for (size_t s = 0; s < COUNT; ++s) {
        const uint64_t begin = s > CHUNKS ? l->border : s * l->chunk;
        const uint64_t end = s == CHUNKS + 1 ? l->n : s == CHUNKS ? l->border : begin + l->chunk;
        const uint64_t wanted = sum_before(l, end) - sum_before(l, begin);
        if (got[s] != wanted)
            XLT_FAIL("sum %zu is %llu, not %llu", s, (unsigned long long)got[s],
                     (unsigned long long)wanted);
        assert_int_equal(names[s], s < CHUNKS ? (cl_uchar)(37 * s) : s == CHUNKS ? 5 : 6);
    }
    xlt_buffer_free(&out);
    xlt_buffer_free(&keys);
    xlt_buffer_free(&counted);
    xl_plan_destroy(plan);
}

XLT_TEST(reductions_past_2_to_32)
{
    large l = large_make();
    const size_t place = l.limit + 777;
    fill_large(&l);
    assert_int_equal(reduced(&l, l.n, XL_SUM), sum_before(&l, l.n));
    check_sums_by_key(&l);
    fill_bytes(l.data, 200, place, 1);
    assert_int_equal(reduced(&l, l.n, XL_ARG_MAX), place);
    large_free(&l);
}

/* n bytes of 9, the last of which is 3. */
XLT_TEST(reductions_at_powers_of_two)
{
    large l = large_make();
    const size_t sizes[] = {l.limit / 2 - 1, l.limit / 2, l.limit / 2 + 1,
                            l.limit - 1,     l.limit,     l.limit + 1};
    for (size_t at = 0; at < l.n; at += l.chunk)
        fill_bytes(l.data, 9, at, l.n - at < l.chunk ? l.n - at : l.chunk);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        const size_t n = sizes[k];
        fill_bytes(l.data, 3, n - 1, 1);
        assert_int_equal(reduced(&l, n, XL_SUM), 9 * (uint64_t)n - 6 + (n + 0xffff) / 0x10000 * 2);
        assert_int_equal(reduced(&l, n, XL_MIN), 3);
        assert_int_equal(reduced(&l, n, XL_ARG_MIN), n - 1);
        assert_int_equal(reduced(&l, n - 1, XL_MIN), 9);
        fill_bytes(l.data, 9, n - 1, 1);
    }
    large_free(&l);
}

XLT_MAIN(NULL, xlt_teardown)

/* SPDX-License-Identifier: MIT
 * Prefix sums of counters (lib/grid/grid_sums.h) against a loop. */
#include "grid/grid_sums.h"
#include "neighbors/neighbors_plan.h"
#include "xlt.h"

#include <stdlib.h>
#include <string.h>

/* By single work-items, as on CPUs, and by groups: every device can do both. */
static xli_sums sums, by_items, by_groups;
static xlt_random random_numbers = {17};

static int setup(void **state)
{
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish none = {0};
    (void)state;
    XLT_OK(xli_context_capabilities(xlt_context(), &capabilities));
    XLT_OK(xli_context_tune(xlt_context(), capabilities, &none, &device, &tune));
    device.is_cpu = true;
    XLT_OK(xli_sums_make(xlt_context(), &device, &by_items));
    device.is_cpu = false;
    XLT_OK(xli_sums_make(xlt_context(), &device, &by_groups));
    return 0;
}

static int teardown(void **state)
{
    xli_sums_drop(&by_items);
    xli_sums_drop(&by_groups);
    return xlt_teardown(state);
}

/* A call: n counters, of which the device has `counted`, or knows no number. */
typedef struct call {
    bool wide, inclusive, has_count;
    size_t n;
    uint64_t counted;
} call;

static uint64_t counter_of(const call *c)
{
    return c->wide ? xlt_next(&random_numbers) : (uint32_t)xlt_next(&random_numbers);
}

/* What sums wrap around to: 32 or 64 bits. */
static uint64_t cut(const call *c, uint64_t x)
{
    return c->wide ? x : (uint32_t)x;
}

static uint64_t get(const call *c, const void *words, size_t i)
{
    return c->wide ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i];
}

static void set(const call *c, void *words, size_t i, uint64_t x)
{
    if (c->wide)
        ((uint64_t *)words)[i] = x;
    else
        ((uint32_t *)words)[i] = (uint32_t)x;
}

static void launch(const call *c, const xlt_buffer *words, const xlt_buffer *count)
{
    xli_seq seq;
    xlt_buffer totals = xlt_scratch_make(xli_sums_scratch(&sums, c->n));
    const xl_view at = xlt_view(words), totals_at = xlt_view(&totals);
    XLT_OK(xli_seq_begin(&seq, xlt_context(), xlt_queue(), 0, NULL, NULL));
    const xl_status status =
        xli_sums_launch(&sums, &seq,
                        &(xli_sums_call){.words = at.buffer,
                                         .at = at.offset,
                                         .wide = c->wide,
                                         .inclusive = c->inclusive,
                                         .n = c->n,
                                         .n_device = c->has_count ? xlt_view(count) : xl_no_view(),
                                         .totals = totals_at.buffer,
                                         .totals_at = totals_at.offset});
    XLT_OK(xli_seq_end(&seq, status, NULL));
    XLT_CL(clFinish(xlt_queue()));
    xlt_check_guards(&totals, "totals");
    xlt_buffer_free(&totals);
}

static void check(const call *c)
{
    const size_t bytes = c->wide ? sizeof(uint64_t) : sizeof(uint32_t), n = c->n;
    const size_t summed = c->has_count && c->counted < n ? (size_t)c->counted : n;
    void *const in = malloc((n + 1) * bytes), *const out = malloc((n + 1) * bytes);
    uint64_t sum = 0;
    assert_non_null(in);
    assert_non_null(out);
    for (size_t i = 0; i < n; ++i)
        set(c, in, i, counter_of(c));
    xlt_buffer words = xlt_buffer_make(in, n, bytes, 3),
               count = xlt_buffer_make(&c->counted, 1, sizeof c->counted, 5);
    launch(c, &words, &count);
    xlt_read(&words, out);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t x = get(c, in, i);
        const uint64_t wanted =
            i >= summed ? x : cut(c, c->inclusive ? sum + x : sum); /* the others stay */
        if (get(c, out, i) != wanted)
            XLT_FAIL("n = %zu, %llu counted, %s, %s: element %zu", n, (unsigned long long)summed,
                     c->wide ? "64 bits" : "32 bits", c->inclusive ? "inclusive" : "exclusive", i);
        sum += x;
    }
    xlt_check_guards(&words, "words");
    xlt_check_guards(&count, "count");
    xlt_buffer_free(&words);
    xlt_buffer_free(&count);
    free(in);
    free(out);
}

static void check_all(size_t n)
{
    const uint64_t counts[] = {0, n / 3, n > 0 ? n - 1 : 0, n, UINT64_MAX};
    for (unsigned form = 0; form < 4; ++form) {
        call c = {.wide = form % 2, .inclusive = form / 2, .n = n};
        check(&c);
        c.has_count = true;
        for (size_t k = 0; k < XLI_COUNT(counts); ++k) {
            c.counted = counts[k];
            check(&c);
        }
    }
}

/* One tile and two in one launch, a number at which a second launch begins, and more tiles than
 * groups. */
static void check_edges(void)
{
    const size_t tile = sums.tile, all = tile * sums.most_groups;
    const size_t edges[] = {tile, 2 * tile, 3 * tile, xlt_small() ? 4 * tile : all};
    for (size_t n = 0; n < 4; ++n)
        check_all(n);
    for (size_t k = 0; k < XLI_COUNT(edges); ++k)
        for (size_t n = edges[k] - 1; n <= edges[k] + 1; ++n)
            check_all(n);
}

static void check_any(void)
{
    for (int k = 0; k < (xlt_small() ? 1 : 6); ++k)
        check_all(xlt_below(&random_numbers, 40000));
}

XLT_TEST(by_single_work_items)
{
    sums = by_items;
    check_edges();
    check_any();
}

XLT_TEST(by_groups_of_work_items)
{
    sums = by_groups;
    check_edges();
    check_any();
}

/* Parts of an index have room for every index of fewer points. */
XLT_TEST(scratch_grows_with_n)
{
    size_t last = 0;
    sums = by_groups;
    for (size_t n = 0; n < SIZE_MAX / 2; n += 1 + n / 3) {
        const size_t bytes = xli_sums_scratch(&sums, n);
        assert_true(bytes >= last);
        last = bytes;
    }
    assert_true(last > sizeof(cl_ulong));
}

/* A driver that ends long loops gets as many groups as it takes to keep them short. */
XLT_TEST(loops_are_short_where_they_must_be)
{
    const xli_tune_device device = {
        .is_cpu = true, .compute_units = 2, .max_work_group = 1, .most_rounds = 1 << 15};
    const size_t n = (size_t)1 << 24;
    xli_sums limited = {0};
    XLT_OK(xli_sums_make(xlt_context(), &device, &limited));
    const size_t groups = xli_sums_scratch(&limited, n) / sizeof(cl_ulong);
    assert_true(groups > limited.most_groups);
    assert_true(4 * (n / groups) <= device.most_rounds);
    xli_sums_drop(&limited);
}

/* The offsets of a list have an element more than there are rows. */
XLT_TEST(offsets_need_scratch_for_one_more)
{
    sums = by_groups;
    const xli_neighbors_plan plan = {.sums = sums};
    const size_t edge = 2 * sums.tile;
    assert_int_equal(xli_sums_scratch(&sums, edge), sizeof(cl_ulong));
    assert_int_equal(xli_neighbors_scratch_bytes(&plan, edge - 1), sizeof(cl_ulong));
    assert_int_equal(xli_neighbors_scratch_bytes(&plan, edge), xli_sums_scratch(&sums, edge + 1));
    assert_true(xli_sums_scratch(&sums, edge + 1) > sizeof(cl_ulong));
}

XLT_MAIN(setup, teardown)

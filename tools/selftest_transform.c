/* SPDX-License-Identifier: MIT
 * `crosslane selftest`: histograms and transforms against the serial references. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

/* ---- histograms ---- */

enum { BINS = 300 };

static void check_histogram(const selftest *t, family *f, xl_histogram *plan,
                            const xl_histogram_desc *d, size_t n)
{
    const xl_type type = (xl_type)d->type;
    const size_t size = xl_type_size(type);
    uint64_t want[BINS] = {0}, got[BINS] = {0};
    char *values = malloc(n * size);
    cl_mem in = NULL, bins = NULL;
    const ref_histogram reference = {.kind = (ref_bins)d->kind,
                                     .type = type,
                                     .num_bins = d->num_bins,
                                     .lower = d->lower,
                                     .upper = d->upper};
    ++f->cases;
    if (!values) {
        family_note(f, "no memory for %zu values", n);
        goto done;
    }
    selftest_fill(type, XL_MIN, n + 3, n, values);
    for (size_t i = 0; type == XL_U16 && i < n; ++i) { /* most of them in some bin */
        const uint16_t small = (uint16_t)((unsigned char)values[2 * i] + i % 64);
        memcpy(values + 2 * i, &small, sizeof small);
    }
    ref_histogram_count(&reference, n, values, want);
    in = selftest_array(t, f, values, n * size);
    bins = selftest_array(t, f, NULL, sizeof got);
    const xl_histogram_args args = {.n = n, .in = xl_view_of(in, 0), .bins = xl_view_of(bins, 0)};
    if (!family_passed(t, f, xl_histogram_enqueue(plan, t->s.queue, &args, 0, NULL, NULL),
                       "histogram", n) ||
        !selftest_read(t, f, bins, sizeof got, got))
        goto done;
    if (memcmp(got, want, (size_t)d->num_bins * sizeof *got) != 0)
        family_note(f, "n %zu: a count is wrong", n);
done:
    session_release(&in);
    session_release(&bins);
    free(values);
}

static void check_histograms(const selftest *t, family *f, xl_type type)
{
    static const size_t sizes[] = {1, 33, 4097, 100003};
    xl_histogram *plan = NULL;
    xl_histogram_desc d;
    xl_histogram_desc_init(&d);
    d.type = type;
    d.counter = XL_U64;
    d.num_bins = BINS;
    if (type == XL_F32) {
        d.kind = XL_HISTOGRAM_EVEN;
        d.lower = -500;
        d.upper = 500;
    }
    if (!family_passed(t, f, xl_histogram_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return;
    }
    for (size_t i = 0; i < TOOL_COUNT(sizes); ++i)
        check_histogram(t, f, plan, &d, sizes[i]);
    xl_histogram_destroy(plan);
}

void selftest_histograms(selftest *t)
{
    static const xl_type types[] = {XL_U16, XL_F32};
    for (size_t i = 0; i < TOOL_COUNT(types); ++i) {
        family f;
        if (!family_begin(t, &f, "histogram %s", xl_type_name(types[i])))
            continue;
        check_histograms(t, &f, types[i]);
        family_end(t, &f);
    }
}

/* ---- transforms ---- */

static void subtract(void *to, const void *x, const void *p, uint64_t i)
{
    uint32_t a, b;
    (void)i;
    memcpy(&a, x, sizeof a);
    memcpy(&b, p, sizeof b);
    a -= b;
    memcpy(to, &a, sizeof a);
}

/* What a call of that kind has to give. */
static void expect(xl_transform_kind kind, size_t n, const uint32_t *x, const uint64_t *indices,
                   uint32_t *want)
{
    memset(want, 0xa5, n * sizeof *want);
    if (kind == XL_TRANSFORM_GATHER)
        ref_gather(4, n, indices, n, x, want);
    else if (kind == XL_TRANSFORM_SCATTER)
        ref_scatter(4, n, indices, n, x, want);
    else if (kind == XL_TRANSFORM_ADJACENT)
        ref_adjacent(4, n, subtract, x, want);
    for (size_t i = 0; kind == XL_TRANSFORM_MAP && i < n; ++i)
        want[i] = x[i] * 3u + (uint32_t)i;
}

static void check_transform(const selftest *t, family *f, xl_transform *plan,
                            xl_transform_kind kind, size_t n)
{
    const bool moves = kind == XL_TRANSFORM_GATHER || kind == XL_TRANSFORM_SCATTER;
    uint32_t *x = malloc(4 * n), *want = malloc(4 * n), *got = malloc(4 * n);
    uint64_t *indices = malloc(8 * n);
    cl_mem mem[3] = {NULL, NULL, NULL};
    ++f->cases;
    if (!x || !want || !got || !indices) {
        family_note(f, "no memory for %zu elements", n);
        goto done;
    }
    selftest_fill(XL_U32, XL_MIN, n + 9, n, x);
    for (size_t i = 0; i < n; ++i) /* each once, but for some that lead nowhere */
        indices[i] = i % 11 == 5 ? n + i : n - 1 - i;
    expect(kind, n, x, indices, want);
    mem[0] = selftest_array(t, f, x, 4 * n);
    mem[1] = selftest_array(t, f, indices, 8 * n);
    mem[2] = selftest_array(t, f, NULL, 4 * n);
    const xl_transform_args args = {.n = n,
                                    .range = n,
                                    .in = {xl_view_of(mem[0], 0)},
                                    .indices = moves ? xl_view_of(mem[1], 0) : xl_no_view(),
                                    .out = {xl_view_of(mem[2], 0)}};
    if (!family_passed(t, f, xl_transform_enqueue(plan, t->s.queue, &args, 0, NULL, NULL),
                       "transform", n) ||
        !selftest_read(t, f, mem[2], 4 * n, got))
        goto done;
    if (memcmp(got, want, 4 * n) != 0)
        family_note(f, "n %zu: an element is wrong", n);
done:
    for (size_t i = 0; i < 3; ++i)
        session_release(&mem[i]);
    free(x);
    free(want);
    free(got);
    free(indices);
}

static void check_transforms(const selftest *t, family *f, xl_transform_kind kind)
{
    static const size_t sizes[] = {1, 33, 4097, 100003};
    const bool moves = kind == XL_TRANSFORM_GATHER || kind == XL_TRANSFORM_SCATTER;
    xl_transform *plan = NULL;
    xl_transform_desc d;
    xl_transform_desc_init(&d);
    d.kind = kind;
    d.types[0] = XL_U32;
    d.index_type = moves ? XL_U64 : XL_NONE;
    d.expression = kind == XL_TRANSFORM_MAP ? "x * 3u + (uint)i" : NULL;
    if (!family_passed(t, f, xl_transform_create(t->s.ctx, &d, &plan), "plan", 0)) {
        f->cases += !f->unsupported;
        return;
    }
    for (size_t i = 0; i < TOOL_COUNT(sizes); ++i)
        check_transform(t, f, plan, kind, sizes[i]);
    xl_transform_destroy(plan);
}

void selftest_transforms(selftest *t)
{
    static const char *const names[] = {"map", "gather", "scatter", "neighbours"};
    for (size_t kind = 0; kind < TOOL_COUNT(names); ++kind) {
        family f;
        if (!family_begin(t, &f, "transform, %s", names[kind]))
            continue;
        check_transforms(t, &f, (xl_transform_kind)kind);
        family_end(t, &f);
    }
}

/* SPDX-License-Identifier: MIT
 * Segmented scan: every form of segments, every way they may lie. */
#include "scan_support.h"
#include "xlt_misuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Few sizes, every pattern. */
static void check_patterns(xl_context *ctx, job *j)
{
    xl_scan *plan = job_plan(ctx, j);
    if (!plan)
        return;
    const size_t tile = tile_of(ctx, plan);
    const size_t sizes[] = {1, 33, 257, tile, tile + 1, 3 * tile + 7, 11 * tile + tile / 2};
    const size_t most = xlt_small() ? 1500 : 200000;
    for (int p = 0; p < NUM_PATTERNS; ++p)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            j->pattern = (pattern)p;
            if (sizes[s] < most && (s > 2 || (size_t)p % 3 == s))
                job_check(ctx, plan, j, sizes[s], placings[(s + (size_t)p) % NUM_PLACINGS]);
        }
    xl_scan_destroy(plan);
}

typedef struct form {
    xl_segments kind;
    xl_type type; /* of keys or offsets */
    xl_type element;
    xl_op op;
} form;

static const form forms[] = {
    {XL_SEGMENTS_HEAD_FLAGS, XL_NONE, XL_U32, XL_SUM},
    {XL_SEGMENTS_HEAD_FLAGS, XL_NONE, XL_F32, XL_MIN},
    {XL_SEGMENTS_FLAG_BITMASK, XL_NONE, XL_U32, XL_MAX},
    {XL_SEGMENTS_FLAG_BITMASK, XL_NONE, XL_U8, XL_SUM},
    {XL_SEGMENTS_KEYS, XL_I8, XL_I16, XL_SUM},
    {XL_SEGMENTS_KEYS, XL_U8, XL_U64, XL_XOR},
    {XL_SEGMENTS_KEYS, XL_I16, XL_F32, XL_SUM},
    {XL_SEGMENTS_KEYS, XL_U16, XL_U8, XL_MIN},
    {XL_SEGMENTS_KEYS, XL_I32, XL_I64, XL_SUM},
    {XL_SEGMENTS_KEYS, XL_U32, XL_U32, XL_SUM},
    {XL_SEGMENTS_KEYS, XL_I64, XL_I32, XL_MAX},
    {XL_SEGMENTS_KEYS, XL_U64, XL_F32, XL_PROD},
    {XL_SEGMENTS_OFFSETS, XL_U32, XL_U32, XL_SUM},
    {XL_SEGMENTS_OFFSETS, XL_U64, XL_F32X3, XL_SUM},
};

static void check_forms(const char *what, const char *tune, const char *mask,
                        xl_scan_algorithm algorithm, size_t every)
{
    xl_context *ctx = open_context(tune, mask);
    for (size_t f = every / 2; f < sizeof forms / sizeof forms[0]; f += every) {
        job j;
        const xl_scan_kind kind = f / every % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE;
        job_make(&j, what, forms[f].element, forms[f].op, kind,
                 f / 2 % 2 ? odd_init(forms[f].element) : NULL);
        j.desc.segments = forms[f].kind;
        j.desc.segment_type = forms[f].type;
        j.desc.algorithm = algorithm;
        check_patterns(ctx, &j);
    }
    xl_context_destroy(ctx);
}

static void as_tuned(void **state)
{
    (void)state;
    check_forms("small tiles", small_tiles, NULL, XL_SCAN_AUTO, xlt_few_programs() ? 7 : 1);
}

/* Cheap, for runs with small sizes, which leave most forms out. */
static void check_tiles(xl_context *ctx, job *j)
{
    xl_scan *plan = job_plan(ctx, j);
    const size_t tile = tile_of(ctx, plan);
    for (int p = SHORT_RUNS; p <= TILE_BORDERS; ++p) {
        j->pattern = (pattern)p;
        job_check(ctx, plan, j, tile - 1, placings[p]);
        job_check(ctx, plan, j, 3 * tile + 7, placings[p]);
    }
    xl_scan_destroy(plan);
}

/* Where a segment's first result is the element itself. */
static void inclusive_heads(void **state)
{
    (void)state;
    static const xl_segments kinds[] = {XL_SEGMENTS_HEAD_FLAGS, XL_SEGMENTS_FLAG_BITMASK};
    xl_context *ctx = open_context(small_tiles, NULL);
    for (size_t k = 0; k < 2; ++k) {
        job j;
        job_make(&j, "inclusive heads", XL_U32, XL_SUM, XL_INCLUSIVE, k ? odd_init(XL_U32) : NULL);
        j.desc.segments = kinds[k];
        check_tiles(ctx, &j);
    }
    xl_context_destroy(ctx);
}

/* What Oclgrind gets wrong where its compiler is let optimise. */
static void narrow_and_started(void **state)
{
    (void)state;
    xl_context *ctx = open_context(small_tiles, NULL);
    for (size_t k = 0; k < 2; ++k) {
        job j;
        const xl_type type = k ? XL_U32 : XL_U8;
        job_make(&j, "narrow or started", type, XL_SUM, XL_EXCLUSIVE, k ? odd_init(type) : NULL);
        j.desc.segments = XL_SEGMENTS_HEAD_FLAGS;
        check_tiles(ctx, &j);
    }
    xl_context_destroy(ctx);
}

static const char group_tiles[] = "scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\n";
static const char serial_tiles[] = "scan.shape = 0\nscan.tile_bytes = 2048\n";

static void other_shapes(void **state)
{
    (void)state;
    if (!loses_narrow_states()) {
        check_forms("groups", group_tiles, NULL, XL_SCAN_REDUCE_THEN_SCAN,
                    xlt_few_programs() ? 7 : 3);
        check_forms("groups, one pass", group_tiles, NULL, XL_SCAN_LOOKBACK,
                    xlt_few_programs() ? 7 : 5);
        check_forms("groups without lanes", group_tiles, "width=1", XL_SCAN_AUTO,
                    xlt_few_programs() ? 7 : 5);
    }
    if (xlt_on_oclgrind()) {
        /* Its check for uninitialised values ends the process on 16-element vectors. */
        print_message("%s: one work-item per tile left out\n", xlt_device());
        return;
    }
    check_forms("serial", serial_tiles, NULL, XL_SCAN_REDUCE_THEN_SCAN, 3);
    check_forms("groups of one", group_tiles, "work-group=1", XL_SCAN_REDUCE_THEN_SCAN, 5);
}

/* ---- fixed widths and masks ----------------------------------------------------- */

static void widths(void **state)
{
    (void)state;
    static const uint64_t some[] = {1, 2, 3, 32, 64, 1000, 1u << 20, ((uint64_t)1 << 32) + 1};
    static const xl_type types[] = {XL_U32, XL_U8, XL_I64, XL_F32};
    xl_context *ctx = open_context(small_tiles, NULL);
    for (size_t w = 0; w < sizeof some / sizeof some[0]; ++w) {
        job j;
        if (xlt_few_programs() && w % 5 != 1)
            continue;
        job_make(&j, "width", types[w % 4], XL_SUM, w % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE,
                 w % 3 ? NULL : odd_init(types[w % 4]));
        j.desc.segments = XL_SEGMENTS_WIDTH;
        j.desc.segment_width = some[w];
        job_run(ctx, &j, 3);
    }
    xl_context_destroy(ctx);
}

static void masks(void **state)
{
    (void)state;
    static const struct {
        uint64_t width, mask;
    } some[] = {
        {1, 0},
        {2, 0x3},
        {4, 0x8},
        {5, 0x16},
        {8, 0xa5a5a5a5a5a5a549u}, /* bits past the width */
        {16, 0x8001},
        {31, 0x40000000},
        {32, 0xffffffff80000000u},
        {32, UINT64_MAX},
        {33, (uint64_t)1 << 32},
        {64, 0},
        {64, 0x8000000180000001u},
        {64, (uint64_t)1 << 63}, /* in the small mode too */
    };
    xl_context *ctx = open_context(small_tiles, NULL);
    for (size_t m = 0; m < sizeof some / sizeof some[0]; ++m) {
        job j;
        if (xlt_few_programs() && m % 6 != 0)
            continue;
        job_make(&j, "mask", m % 2 ? XL_U32 : XL_U64, XL_SUM, m % 3 ? XL_INCLUSIVE : XL_EXCLUSIVE,
                 NULL);
        j.desc.segments = XL_SEGMENTS_MASK;
        j.desc.segment_width = some[m].width;
        j.desc.segment_mask = some[m].mask;
        job_run(ctx, &j, 3);
    }
    xl_context_destroy(ctx);
}

/* Park 2017, Fig. 6: for each width the first `width` flags, exclusive counts within
 * segments. The code that the paper corrects gives [0,1,1,2,1,2,2,0] at width 8. */
static void papers_example(void **state)
{
    (void)state;
    enum { N = 64 * 5 };
    static const uint32_t flags[8] = {1, 0, 1, 1, 1, 0, 0, 1};
    static const uint32_t right[8] = {0, 1, 1, 0, 1, 2, 0, 0};
    static const uint32_t wrong[8] = {0, 1, 1, 2, 1, 2, 2, 0};
    const uint64_t heads = 1 | 1 << 3 | 1 << 6;
    uint32_t in[N], got[N];
    for (uint32_t width = 1; width <= 64; width *= 2) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.segments = XL_SEGMENTS_MASK;
        desc.segment_width = width;
        /* Past 8 lanes the example comes again and again. */
        desc.segment_mask = heads * 0x0101010101010101u;
        for (size_t i = 0; i < N; ++i)
            in[i] = flags[i % width % 8];
        XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
        xlt_buffer a = xlt_buffer_make(in, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                               &(xl_scan_args){.n = N, .in = xlt_view(&a), .out = xlt_view(&b)}, 0,
                               NULL, NULL));
        xlt_read(&b, got);
        for (size_t i = 0; i < N; ++i)
            if (got[i] != right[i % width % 8])
                XLT_FAIL("width %u: element %zu is %u, not %u", (unsigned)width, i,
                         (unsigned)got[i], (unsigned)right[i % width % 8]);
        if (width >= 8)
            assert_memory_not_equal(got, wrong, sizeof wrong);
        xlt_check_guards(&b, "out");
        xlt_buffer_free(&a);
        xlt_buffer_free(&b);
        xl_scan_destroy(plan);
    }
}

/* ---- many segments ---------------------------------------------------------------- */

static void a_million_singletons(void **state)
{
    (void)state;
    static const xl_segments kinds[] = {XL_SEGMENTS_HEAD_FLAGS, XL_SEGMENTS_OFFSETS};
    for (size_t k = 0; k < 2; ++k) {
        job j;
        job_make(&j, "singletons", XL_U32, XL_SUM, k ? XL_INCLUSIVE : XL_EXCLUSIVE,
                 odd_init(XL_U32));
        j.desc.segments = kinds[k];
        j.desc.segment_type = XL_U32;
        xl_scan *plan = job_plan(xlt_context(), &j);
        j.pattern = SINGLETONS;
        job_check(xlt_context(), plan, &j, xlt_small() ? 2000 : 1000000, placings[k]);
        j.pattern = ONE_SEGMENT;
        job_check(xlt_context(), plan, &j, xlt_small() ? 2000 : 1000000, placings[1 - k]);
        xl_scan_destroy(plan);
    }
}

/* Nothing but empty segments, before a call of n == 0 and of one that is all in the last. */
static void empty_segments(void **state)
{
    (void)state;
    enum { COUNT = 70000, N = 999 };
    static uint32_t offsets[COUNT + 1];
    uint32_t got[N];
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    desc.load = "1";
    desc.load_type = XL_U32;
    desc.kind = XL_INCLUSIVE;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    for (int where = 0; where < 3; ++where) {
        /* All of the elements in the last, the first, the middle segment. */
        const size_t from = where == 0 ? COUNT : where == 1 ? 1 : COUNT / 2;
        for (size_t s = 0; s <= COUNT; ++s)
            offsets[s] = s < from ? 0 : N;
        xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0);
        xlt_buffer o = xlt_buffer_make(offsets, COUNT + 1, 4, 1);
        XLT_OK(xl_scan_enqueue(
            plan, xlt_queue(),
            &(xl_scan_args){.n = N,
                            .in = xlt_view(&a),
                            .segments = xl_view_n(o.mem, xlt_view(&o).offset, COUNT + 1),
                            .out = xlt_view(&a)},
            0, NULL, NULL));
        xlt_read(&a, got);
        for (uint32_t i = 0; i < N; ++i)
            assert_int_equal(got[i], i + 1);
        XLT_OK(xl_scan_enqueue(plan, xlt_queue(),
                               &(xl_scan_args){.n = 0, .in = xlt_view(&a), .out = xlt_view(&a)}, 0,
                               NULL, NULL));
        xlt_check_guards(&a, "out");
        xlt_buffer_free(&a);
        xlt_buffer_free(&o);
    }
    xl_scan_destroy(plan);
}

/* Every element is a segment, behind `empty` empty ones. */
static void check_overfull(xl_context *ctx, size_t empty)
{
    enum { N = 20000 };
    const size_t each = empty + 1, count = N * each + 1;
    uint32_t *offsets = bytes_for(count, 4), *got = bytes_for(N, 4);
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    desc.load = "(uint)i";
    desc.load_type = XL_U32;
    desc.kind = XL_INCLUSIVE;
    for (size_t s = 0; s < count; ++s)
        offsets[s] = (uint32_t)(s / each);
    ok(ctx, xl_scan_create(ctx, &desc, &plan), "crowded");
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), o = xlt_buffer_make(offsets, count, 4, 1);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(),
                       &(xl_scan_args){.n = N,
                                       .in = xlt_view(&a),
                                       .segments = xl_view_n(o.mem, xlt_view(&o).offset, count),
                                       .out = xlt_view(&a)},
                       0, NULL, NULL),
       "crowded");
    xlt_read(&a, got);
    for (uint32_t i = 0; i < N; ++i)
        if (got[i] != i)
            XLT_FAIL("%zu empty segments before each: element %u is %u", empty, (unsigned)i,
                     (unsigned)got[i]);
    xlt_buffer_free(&a);
    xlt_buffer_free(&o);
    xl_scan_destroy(plan);
    free(offsets);
    free(got);
}

/* Many offsets per element, as the device walks them and as one does that counts rounds. */
static void crowds_of_empty_segments(void **state)
{
    (void)state;
    static const size_t empty[] = {1, 8, 9, 20};
    if (xlt_on_oclgrind()) {
        print_message("%s: many empty segments left out\n", xlt_device());
        skip();
    }
    xl_context *leaps =
        open_context("scan.shape = 0\nscan.look_back = 0\nscan.chunk_elements_csr = 1024\n", NULL);
    for (size_t e = 0; e < sizeof empty / sizeof empty[0]; ++e) {
        check_overfull(xlt_context(), empty[e]);
        check_overfull(leaps, empty[e]);
    }
    xl_context_destroy(leaps);
}

static void scan_serially(const xl_scan_desc *desc, size_t n, const void *in, const void *array,
                          size_t count, void *out)
{
    ref_flat ref;
    uint8_t *heads = bytes_for(n, 1);
    ref_flat_of(&ref, desc->type, desc->op, desc->kind == XL_INCLUSIVE, desc->init);
    ref_heads(desc->segments, desc->segment_type, desc->segment_width, desc->segment_mask, array,
              count, n, heads);
    ref_scan(&ref, n, in, heads, out);
    free(heads);
}

/* `crowd` empty segments in front of element `at`, between segments of 37 elements. */
static void check_crowd_at(xl_context *ctx, xl_scan *plan, const xl_scan_desc *desc, size_t n,
                           size_t at, size_t crowd)
{
    size_t count = 0;
    uint32_t *offsets = bytes_for(n / 37 + crowd + 3, 4);
    uint32_t *in = bytes_for(n, 4), *wanted = bytes_for(n, 4), *got = bytes_for(n, 4);
    for (size_t i = 0; i <= n; ++i) {
        for (size_t k = 0; i == at && k < crowd; ++k)
            offsets[count++] = (uint32_t)i;
        if (i == n || i % 37 == 0)
            offsets[count++] = (uint32_t)i;
        if (i < n)
            in[i] = (uint32_t)(i * 2654435761u);
    }
    scan_serially(desc, n, in, offsets, count, wanted);
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), b = xlt_buffer_make(NULL, n, 4, 3);
    xlt_buffer o = xlt_buffer_make(offsets, count, 4, 1);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(),
                       &(xl_scan_args){.n = n,
                                       .in = xlt_view(&a),
                                       .segments = xl_view_n(o.mem, xlt_view(&o).offset, count),
                                       .out = xlt_view(&b)},
                       0, NULL, NULL),
       "a crowd");
    xlt_read(&b, got);
    for (size_t i = 0; i < n; ++i)
        if (got[i] != wanted[i])
            XLT_FAIL("%zu empty segments before element %zu: element %zu of %zu is %u, not %u",
                     crowd, at, i, n, (unsigned)got[i], (unsigned)wanted[i]);
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&o);
    free(offsets);
    free(in);
    free(wanted);
    free(got);
}

/* Sizes about those at which offsets are leapt over, and one that a work-item cannot walk where
 * rounds are counted, at the borders of tiles of 256 elements. */
static void crowds_at_borders(void **state)
{
    (void)state;
    static const char *const texts[] = {"scan.shape = 0\nscan.tile_bytes = 1024\n",
                                        "scan.shape = 0\nscan.tile_bytes = 1024\n"
                                        "scan.inject_delay = 2\nscan.spin_limit = 1\n"};
    static const size_t crowds[] = {1, 7, 8, 9, 16, 17, 26, 70000};
    enum { TILE = 256, N = 4 * TILE + 5 };
    static const size_t places[] = {0, 1, TILE - 1, TILE, TILE + 1, 3 * TILE, N - 1, N};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.segments = XL_SEGMENTS_OFFSETS;
        desc.segment_type = XL_U32;
        desc.kind = k == 0 ? XL_EXCLUSIVE : XL_INCLUSIVE;
        desc.algorithm = k == 0 ? XL_SCAN_REDUCE_THEN_SCAN : XL_SCAN_LOOKBACK;
        if (k == 1 && !can_publish())
            continue;
        xl_context *ctx = open_context(texts[k], NULL);
        ok(ctx, xl_scan_create(ctx, &desc, &plan), texts[k]);
        for (size_t c = 0; c < sizeof crowds / sizeof crowds[0]; ++c)
            for (size_t p = 0; p < sizeof places / sizeof places[0]; ++p)
                check_crowd_at(ctx, plan, &desc, N, places[p], crowds[c]);
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* ---- CSR offsets of every density ------------------------------------------------ */

/* Lengths of segments, one after the other and again; -1: the list ends. In front of every
 * `crowd_every`-th segment stand `crowd` empty ones more. */
typedef struct density {
    const char *what;
    int lengths[9];
    size_t crowd_every, crowd;
} density;

static const density densities[] = {
    {"1", {1, -1}, 0, 0},
    {"2", {2, -1}, 0, 0},
    {"3", {3, -1}, 0, 0},
    {"8", {8, -1}, 0, 0},
    {"32", {32, -1}, 0, 0},
    {"100", {100, -1}, 0, 0},
    {"1000", {1000, -1}, 0, 0},
    {"1023", {1023, -1}, 0, 0},
    {"1025", {1025, -1}, 0, 0},
    {"all", {1 << 30, -1}, 0, 0},
    {"1 on the average", {1, 0, 2, 1, 1, 1, 1, 1, -1}, 0, 0},
    {"1 on the average, at last", {1, 1, 1, 1, 1, 0, 2, 1, -1}, 0, 0},
    {"0 at the end of vectors", {15, 0, 0, 1, 0, -1}, 0, 0},
    {"0 at the border of vectors", {16, 0, 0, 0, -1}, 0, 0},
    {"5 behind 9 of 0", {5, -1}, 1, 9},
    {"1 behind 1 of 0", {1, -1}, 1, 1},
    {"1, and crowds", {1, -1}, 700, 1500},
    {"50, and crowds that fill a count of 1024 just so", {50, -1}, 4, 1020},
    {"300, and great crowds", {300, -1}, 1, 5000},
};

/* Offsets from `from` on, none for the segment before it. */
static size_t make_density(const density *d, size_t n, size_t from, uint64_t **offsets)
{
    size_t count = 0, room = 1024;
    *offsets = malloc(room * sizeof **offsets);
    for (size_t at = from, s = 0, k = 0; *offsets; ++s) {
        const bool crowd = d->crowd_every > 0 && s % d->crowd_every == 0 && at < n;
        const size_t many = 1 + (crowd ? d->crowd : 0);
        if (count + many > room) {
            room = 2 * (count + many);
            *offsets = realloc(*offsets, room * sizeof **offsets);
        }
        for (size_t i = 0; *offsets && i < many; ++i)
            (*offsets)[count++] = at < n ? at : n;
        if (at >= n)
            break;
        at += (size_t)d->lengths[k++];
        k = d->lengths[k] < 0 ? 0 : k;
    }
    assert_non_null(*offsets);
    return count;
}

static void check_density(xl_context *ctx, xl_scan *plan, const xl_scan_desc *desc,
                          const density *d, size_t n, size_t from)
{
    uint64_t *offsets;
    const size_t count = make_density(d, n, from, &offsets);
    const size_t size = xl_type_size(desc->type), bytes = xl_type_size(desc->segment_type);
    char *in = bytes_for(n, size), *wanted = bytes_for(n, size), *got = bytes_for(n, size);
    char *array = bytes_for(count, bytes);
    for (size_t s = 0; s < count; ++s)
        memcpy(array + s * bytes, &offsets[s], bytes); /* the low bytes stand first */
    for (size_t i = 0; i < n; ++i) {
        const uint64_t x = i * 2654435761u >> 7 & 63;
        const float f = (float)x; /* sums of them are whole numbers below 2^24 */
        memcpy(in + i * size, desc->type == XL_F32 ? (const void *)&f : &x, size);
    }
    scan_serially(desc, n, in, array, count, wanted);
    xlt_buffer a = xlt_buffer_make(in, n, size, 3), b = xlt_buffer_make(NULL, n, size, 1);
    xlt_buffer o = xlt_buffer_make(array, count, bytes, 1);
    ok(ctx,
       xl_scan_enqueue(plan, xlt_queue(),
                       &(xl_scan_args){.n = n,
                                       .in = xlt_view(&a),
                                       .segments = xl_view_n(o.mem, xlt_view(&o).offset, count),
                                       .out = xlt_view(&b)},
                       0, NULL, NULL),
       d->what);
    xlt_read(&b, got);
    for (size_t i = 0; i < n; ++i)
        if (memcmp(got + i * size, wanted + i * size, size) != 0)
            XLT_FAIL("%s in segments of %s from %zu on: element %zu of %zu is wrong",
                     xl_type_name((xl_type)desc->type), d->what, from, i, n);
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&o);
    free(offsets);
    free(array);
    free(in);
    free(wanted);
    free(got);
}

/* Tiles of some thousand elements, so that a work-item which takes offsets along with the elements
 * does so for long. */
static void offsets_of_every_density(void **state)
{
    (void)state;
    static const struct {
        xl_type type, offsets;
        xl_scan_kind kind;
        xl_scan_algorithm algorithm;
    } plans[] = {
        {XL_U32, XL_U32, XL_EXCLUSIVE, XL_SCAN_LOOKBACK},
        {XL_F32, XL_U64, XL_INCLUSIVE, XL_SCAN_REDUCE_THEN_SCAN},
        {XL_U8, XL_U64, XL_EXCLUSIVE, XL_SCAN_REDUCE_THEN_SCAN},
        {XL_I64, XL_U32, XL_INCLUSIVE, XL_SCAN_LOOKBACK},
    };
    static const size_t from[] = {0, 7, 1500};
    if (xlt_on_oclgrind()) {
        /* Its check for uninitialised values ends the process on 16-element vectors. */
        print_message("%s: one work-item per tile left out\n", xlt_device());
        skip();
    }
    xl_context *ctx = open_context("scan.shape = 0\nscan.tile_bytes = 16384\n", NULL);
    for (size_t p = 0; p < sizeof plans / sizeof plans[0]; ++p) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.type = plans[p].type;
        desc.segments = XL_SEGMENTS_OFFSETS;
        desc.segment_type = plans[p].offsets;
        desc.kind = plans[p].kind;
        desc.init = p % 2 == 0 ? odd_init(plans[p].type) : NULL;
        desc.algorithm = can_publish() ? plans[p].algorithm : XL_SCAN_REDUCE_THEN_SCAN;
        ok(ctx, xl_scan_create(ctx, &desc, &plan), "densities");
        const size_t n = xlt_small() ? 3000 : 3 * tile_of(ctx, plan) + 77;
        for (size_t d = 0; d < sizeof densities / sizeof densities[0]; ++d)
            for (size_t f = 0; f < sizeof from / sizeof from[0]; ++f)
                check_density(ctx, plan, &desc, &densities[d], n, from[f]);
        xl_scan_destroy(plan);
    }
    xl_context_destroy(ctx);
}

/* The keys may be what is scanned. */
static void keys_scanned_themselves(void **state)
{
    (void)state;
    enum { N = 5000 };
    uint32_t in[N], wanted[N], got[N];
    xl_scan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.segments = XL_SEGMENTS_KEYS;
    desc.segment_type = XL_U32;
    desc.kind = XL_INCLUSIVE;
    for (uint32_t i = 0; i < N; ++i)
        in[i] = i / 17 % 3;
    scan_serially(&desc, N, in, in, N, wanted);
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    xlt_buffer a = xlt_buffer_make(in, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
    XLT_OK(xl_scan_enqueue(
        plan, xlt_queue(),
        &(xl_scan_args){.n = N, .in = xlt_view(&a), .segments = xlt_view(&a), .out = xlt_view(&b)},
        0, NULL, NULL));
    xlt_read(&b, got);
    assert_memory_equal(got, wanted, sizeof wanted);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xl_scan_destroy(plan);
}

/* ---- misuse ------------------------------------------------------------------------ */

static void descriptors_refused(void **state)
{
    (void)state;
    static const struct {
        xl_segments kind;
        xl_type type;
        uint64_t width;
        const char *text;
    } cases[] = {
        {(xl_segments)7, XL_NONE, 0, "segments: 7"},
        {XL_SEGMENTS_KEYS, XL_NONE, 0, "segment_type"},
        {XL_SEGMENTS_KEYS, XL_F32, 0, "segment_type: f32"},
        {XL_SEGMENTS_KEYS, XL_U32X2, 0, "segment_type: u32x2"},
        {XL_SEGMENTS_OFFSETS, XL_I32, 0, "segment_type: i32"},
        {XL_SEGMENTS_OFFSETS, XL_U16, 0, "segment_type: u16"},
        {XL_SEGMENTS_WIDTH, XL_NONE, 0, "segment_width: 0"},
        {XL_SEGMENTS_MASK, XL_NONE, 0, "segment_width: 0"},
        {XL_SEGMENTS_MASK, XL_NONE, 65, "segment_width: 65"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.segments = cases[c].kind;
        desc.segment_type = cases[c].type;
        desc.segment_width = cases[c].width;
        xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &desc, &plan),
                    XL_ERROR_INVALID_ARGUMENT, cases[c].text);
        assert_null(plan);
    }
}

static void calls_refused(void **state)
{
    (void)state;
    enum { N = 100 };
    static const xl_segments kinds[] = {XL_SEGMENTS_HEAD_FLAGS, XL_SEGMENTS_FLAG_BITMASK,
                                        XL_SEGMENTS_KEYS, XL_SEGMENTS_OFFSETS};
    xl_context *ctx = xlt_context();
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer s = xlt_buffer_make(NULL, N, 4, 0);
    for (size_t k = 0; k < 4; ++k) {
        xl_scan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.segments = kinds[k];
        desc.segment_type = k < 2 ? XL_NONE : XL_U32;
        XLT_OK(xl_scan_create(ctx, &desc, &plan));
#define CALL(view)                                                                                 \
    xl_scan_enqueue(                                                                               \
        plan, xlt_queue(),                                                                         \
        &(xl_scan_args){.n = N, .in = xlt_view(&a), .segments = (view), .out = xlt_view(&b)}, 0,   \
        NULL, NULL)
        const bool offsets = kinds[k] == XL_SEGMENTS_OFFSETS;
        xlt_refused(ctx, CALL(xl_no_view()), XL_ERROR_INVALID_ARGUMENT, "segments: ");
        xlt_refused(ctx, CALL(xl_view_n(s.mem, 10000, offsets ? 5 : 0)), XL_ERROR_INVALID_ARGUMENT,
                    "segments: ");
        xlt_refused(
            ctx,
            CALL(xl_view_n(b.mem, kinds[k] == XL_SEGMENTS_HEAD_FLAGS ? 512 : 128, offsets ? 5 : 0)),
            XL_ERROR_OVERLAP, "segments");
        if (offsets)
            xlt_refused(ctx, CALL(xlt_view(&s)), XL_ERROR_INVALID_ARGUMENT, "count");
        else
            xlt_refused(ctx, CALL(xl_view_n(s.mem, 128, 1)), XL_ERROR_INVALID_ARGUMENT, "counts 1");
        xl_scan_destroy(plan);
    }
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papers_example),
        cmocka_unit_test(as_tuned),
        cmocka_unit_test(inclusive_heads),
        cmocka_unit_test(narrow_and_started),
        cmocka_unit_test(other_shapes),
        cmocka_unit_test(widths),
        cmocka_unit_test(masks),
        cmocka_unit_test(a_million_singletons),
        cmocka_unit_test(empty_segments),
        cmocka_unit_test(crowds_of_empty_segments),
        cmocka_unit_test(crowds_at_borders),
        cmocka_unit_test(offsets_of_every_density),
        cmocka_unit_test(keys_scanned_themselves),
        cmocka_unit_test(descriptors_refused),
        cmocka_unit_test(calls_refused),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

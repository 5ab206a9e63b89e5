/* SPDX-License-Identifier: MIT
 * Scans and reductions whose arrays and scratch have just the bytes that they need, with pages
 * on either side that nobody may touch: every form of segments in every shape of kernels. */
#include "reduce_support.h"

#include <stdlib.h>
#include <string.h>

/* ---- forms and shapes ----------------------------------------------------------------------- */

typedef struct form {
    xl_segments kind;
    xl_type segment_type;
    uint64_t width, mask;
} form;

static const form forms[] = {
    {XL_SEGMENTS_NONE, XL_NONE, 0, 0},         {XL_SEGMENTS_HEAD_FLAGS, XL_NONE, 0, 0},
    {XL_SEGMENTS_FLAG_BITMASK, XL_NONE, 0, 0}, {XL_SEGMENTS_KEYS, XL_U32, 0, 0},
    {XL_SEGMENTS_KEYS, XL_U8, 0, 0},           {XL_SEGMENTS_OFFSETS, XL_U32, 0, 0},
    {XL_SEGMENTS_OFFSETS, XL_U64, 0, 0},       {XL_SEGMENTS_WIDTH, XL_NONE, 37, 0},
    {XL_SEGMENTS_MASK, XL_NONE, 64, 0x800101},
};
enum { NUM_FORMS = sizeof forms / sizeof forms[0] };

static void take_form(job *j, const form *f)
{
    j->desc.segments = f->kind;
    j->desc.segment_type = f->segment_type;
    j->desc.segment_width = f->width;
    j->desc.segment_mask = f->mask;
}

/* Tiles are of 512 elements where the shape leaves the choice, and runs of one where it pays. */
static const char serial[] =
    "scan.shape = 0\nscan.tile_bytes = 2048\nscan.pipelined = 0\nscan.chunk_groups = 64\n";
static const char groups[] = "scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\n"
                             "scan.pipelined = 0\nscan.chunk_groups = 64\n";
static const char pipelined[] = "scan.shape = 1\nscan.pipelined = 1\nscan.pipelined_size = 64\n"
                                "scan.pipelined_bytes = 16\nscan.pipelined_wide_size = 64\n"
                                "scan.pipelined_wide_bytes = 16\nscan.pipelined_flag_size = 64\n"
                                "scan.pipelined_flag_bytes = 16\n";

static const struct {
    const char *what, *tune, *mask;
    xl_scan_algorithm algorithm;
} scan_ways[] = {
    {"serial", serial, NULL, XL_SCAN_REDUCE_THEN_SCAN},
    {"serial, look-back", serial, NULL, XL_SCAN_LOOKBACK},
    {"groups", groups, NULL, XL_SCAN_REDUCE_THEN_SCAN},
    {"groups, look-back", groups, NULL, XL_SCAN_LOOKBACK},
    {"groups without lanes", groups, "width=1", XL_SCAN_REDUCE_THEN_SCAN},
    {"pipelined", pipelined, NULL, XL_SCAN_LOOKBACK},
    {"Kogge-Stone", NULL, NULL, XL_SCAN_KOGGE_STONE},
    {"Blelloch", NULL, NULL, XL_SCAN_BLELLOCH},
    {"reproducible", NULL, NULL, XL_SCAN_AUTO},
    {"reproducible, groups", groups, NULL, XL_SCAN_AUTO},
};
enum { NUM_SCAN_WAYS = sizeof scan_ways / sizeof scan_ways[0] };

static const uint32_t zero;
static const xl_user_op plus_in_order = {
    "plus_in_order", "uint plus_in_order(uint a, uint b) { return a + b; }", &zero, 0};

/* What is reproducible by AUTO is so only of an operator that rounds. */
static void scan_way_make(job *j, size_t w, xl_type type, xl_scan_kind kind)
{
    const bool ordered = scan_ways[w].algorithm == XL_SCAN_AUTO;
    job_make(j, scan_ways[w].what, ordered ? XL_F32 : type, XL_SUM, kind, NULL);
    j->desc.algorithm = scan_ways[w].algorithm;
    j->desc.determinism = ordered ? XL_REPRODUCIBLE : XL_DETERMINISTIC;
}

static const struct {
    const char *what, *tune, *mask;
} reduce_ways[] = {
    {"one by one", "reduce.serial = 1\nreduce.chunk_elements = 256\n", NULL},
    {"groups",
     "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = "
     "64\nreduce.segment_chunk_groups = 3\n",
     NULL},
    {"groups without lanes",
     "reduce.serial = 0\nreduce.group_size = 64\nreduce.whole_size = "
     "64\nreduce.segment_chunk_groups = 3\n",
     "width=1"},
};
enum { NUM_REDUCE_WAYS = sizeof reduce_ways / sizeof reduce_ways[0] };

/* Which way has another's kernels on this device. */
static bool is_another(const char *what)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (strstr(what, "without lanes"))
        return strcmp(info.cross_lane, "local") == 0;
    return strstr(what, "pipelined") && !can_pipeline();
}

/* ---- scans ------------------------------------------------------------------------------------
 */

static void check_scan(xl_context *ctx, xl_scan *plan, job *j)
{
    static const pattern patterns[] = {SHORT_RUNS, TILE_BORDERS, ONE_SEGMENT, SINGLETONS};
    const size_t tile = tile_of(ctx, plan);
    const size_t sizes[] = {1,        33,           tile - 1,     tile,        tile + 1,
                            2 * tile, 2 * tile + 1, 3 * tile - 1, 5 * tile + 3};
    const size_t step = xlt_small() ? 3 : 1;
    for (size_t i = step / 2; i < sizeof sizes / sizeof sizes[0]; i += step) {
        j->pattern = patterns[i % 4];
        job_check(ctx, plan, j, sizes[i], (placing){0, 0, i % 2 == 0, false});
    }
}

static void scans(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_U32, XL_U8, XL_U64};
    for (size_t w = 0; w < NUM_SCAN_WAYS; ++w) {
        if (is_another(scan_ways[w].what) || (xlt_on_oclgrind() && scan_ways[w].tune == serial))
            continue; /* it ends the process on vectors of 16 elements */
        xl_context *ctx = open_context(scan_ways[w].tune, scan_ways[w].mask);
        /* Two ways in a row read in the same way. */
        const size_t few = xlt_few_programs() ? 10 : 2;
        for (size_t f = w % few; f < NUM_FORMS; f += few) {
            job j;
            scan_way_make(&j, w, types[f % 3], f % 2 ? XL_INCLUSIVE : XL_EXCLUSIVE);
            take_form(&j, &forms[f]);
            xl_scan *plan = job_plan(ctx, &j);
            for (size_t p = 0; plan && xlt_place_closely(p); ++p)
                check_scan(ctx, plan, &j);
            xl_scan_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* ---- reductions ---------------------------------------------------------------------------------
 */

static void check_reduction(xl_context *ctx, xl_reduce *plan, job *j)
{
    static const pattern patterns[] = {SHORT_RUNS, TILE_BORDERS, ONE_SEGMENT, SINGLETONS};
    static const size_t sizes[] = {1,   31,   64,   65,   255,  256,  257,  511,
                                   513, 1023, 1024, 1025, 2047, 2048, 2049, 4097};
    const size_t step = xlt_small() ? 5 : 1;
    for (size_t i = step / 2; i < sizeof sizes / sizeof sizes[0]; i += step) {
        j->pattern = patterns[i % 4];
        reduce_check(ctx, plan, j, sizes[i], i % 3 == 0);
    }
}

static void reductions(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_U32, XL_U8, XL_U64};
    for (size_t w = 0; w < NUM_REDUCE_WAYS; ++w) {
        if (is_another(reduce_ways[w].what) || (xlt_on_oclgrind() && w == 0))
            continue;
        xl_context *ctx = open_context(reduce_ways[w].tune, reduce_ways[w].mask);
        for (size_t f = 0; f < NUM_FORMS; f += xlt_few_programs() ? 5 : 1) {
            job j;
            job_make(&j, reduce_ways[w].what, types[f % 3], XL_SUM, XL_INCLUSIVE, NULL);
            take_form(&j, &forms[f]);
            xl_reduce *plan = reduce_plan(ctx, &j);
            for (size_t p = 0; plan && xlt_place_closely(p); ++p)
                check_reduction(ctx, plan, &j);
            xl_reduce_destroy(plan);
        }
        xl_context_destroy(ctx);
    }
}

/* ---- the most elements that an amount of scratch is enough for
 * ------------------------------------ */

typedef xl_status scratch_of(const void *plan, size_t n, size_t *bytes, size_t *alignment);

static xl_status scan_scratch(const void *plan, size_t n, size_t *bytes, size_t *alignment)
{
    return xl_scan_scratch(plan, n, bytes, alignment);
}

static xl_status neighbors_scratch(const void *plan, size_t n, size_t *bytes, size_t *alignment)
{
    return xl_neighbors_scratch(plan, n, bytes, alignment);
}

static xl_status reduce_scratch(const void *plan, size_t n, size_t *bytes, size_t *alignment)
{
    return xl_reduce_scratch(plan, n, bytes, alignment);
}

/* The most that as much scratch as n elements need is enough for; not more than `limit`. */
static size_t last_with(scratch_of *scratch, const void *plan, size_t n, size_t limit)
{
    size_t bytes, wanted, alignment;
    XLT_OK(scratch(plan, n, &wanted, &alignment));
    while (limit - n > 0) {
        const size_t middle = n + (limit - n + 1) / 2;
        XLT_OK(scratch(plan, middle, &bytes, &alignment));
        if (bytes > wanted)
            limit = middle - 1;
        else
            n = middle;
    }
    return n;
}

/* Sums of u32 and u64, whose states differ in words. */
static void scans_with_scratch_to_the_last_byte(void **state)
{
    (void)state;
    enum { STEPS = 3, MOST = 300000 };
    for (size_t k = 0; k < 2 * NUM_SCAN_WAYS; ++k) {
        const size_t w = k / 2;
        job j;
        if (is_another(scan_ways[w].what) || (xlt_few_programs() && k % 7 != 3) ||
            (xlt_on_oclgrind() && scan_ways[w].tune == serial))
            continue;
        xl_context *ctx = open_context(scan_ways[w].tune, scan_ways[w].mask);
        scan_way_make(&j, w, k % 2 ? XL_U64 : XL_U32, XL_INCLUSIVE);
        xl_scan *plan = job_plan(ctx, &j);
        for (size_t p = 0; plan && xlt_place_closely(p); ++p) {
            size_t n = tile_of(ctx, plan);
            for (int step = 0; step < (xlt_small() ? 1 : STEPS) && n < MOST; ++step) {
                n = last_with(scan_scratch, plan, n + 1, xlt_small() ? n + 2000 : MOST);
                job_check(ctx, plan, &j, n, (placing){0, 0, step % 2 == 0, false});
            }
        }
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

static void reductions_with_scratch_to_the_last_byte(void **state)
{
    (void)state;
    enum { STEPS = 3, MOST = 20000 };
    for (size_t k = xlt_on_oclgrind() ? 2 : 0; k < 2 * NUM_REDUCE_WAYS; ++k) {
        job j;
        if (is_another(reduce_ways[k / 2].what) || (xlt_few_programs() && k % 2 == 0))
            continue;
        xl_context *ctx = open_context(reduce_ways[k / 2].tune, reduce_ways[k / 2].mask);
        job_make(&j, reduce_ways[k / 2].what, XL_U32, XL_SUM, XL_INCLUSIVE, NULL);
        j.pattern = SINGLETONS;
        take_form(&j, &forms[k % 2 ? 3 : 0]);
        xl_reduce *plan = reduce_plan(ctx, &j);
        for (size_t p = 0; plan && xlt_place_closely(p); ++p) {
            size_t n = 0;
            for (int step = 0; step < STEPS && n < MOST; ++step) {
                n = last_with(reduce_scratch, plan, n + 1, xlt_small() ? n + 1000 : MOST);
                reduce_check(ctx, plan, &j, n, false);
            }
        }
        xl_reduce_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* ---- offsets of neighbour lists, which are one more than the points
 * ------------------------------- */

/* n points in a row, each with its two neighbours but for the ends. */
static void count_neighbors(xl_context *ctx, xl_grid *grid, xl_grid_index *index,
                            xl_neighbors *plan, size_t n)
{
    size_t bytes, alignment;
    float *points = bytes_for(3 * n, sizeof *points);
    uint64_t *offsets = bytes_for(n + 1, sizeof *offsets);
    memset(points, 0, 3 * n * sizeof *points);
    for (size_t i = 0; i < n; ++i)
        points[3 * i] = (float)i;
    xlt_buffer at = xlt_buffer_make(points, 3 * n, 4, 0), to = xlt_buffer_make(NULL, n + 1, 8, 0);
    ok(ctx, xl_grid_scratch(grid, n, &bytes, &alignment), "xl_grid_scratch");
    xlt_buffer storage = xlt_scratch_make(bytes, alignment);
    ok(ctx, xl_neighbors_scratch(plan, n, &bytes, &alignment), "xl_neighbors_scratch");
    xlt_buffer scratch = xlt_scratch_make(bytes, alignment);
    ok(ctx,
       xl_grid_build_enqueue(
           grid, index, xlt_queue(),
           &(xl_grid_build_args){.n = n, .points = xlt_view(&at), .storage = xlt_view(&storage)}, 0,
           NULL, NULL),
       "xl_grid_build_enqueue");
    ok(ctx,
       xl_neighbors_count_enqueue(
           plan, index, xlt_queue(),
           &(xl_neighbors_count_args){.offsets = xlt_view(&to), .scratch = xlt_view(&scratch)}, 0,
           NULL, NULL),
       "xl_neighbors_count_enqueue");
    xlt_read(&to, offsets);
    for (size_t i = 0; i <= n; ++i)
        if (offsets[i] != (i == 0 ? 0 : 2 * i - 1 - (i == n)))
            XLT_FAIL("n %zu: offset %zu is %llu", n, i, (unsigned long long)offsets[i]);
    xlt_buffer *const all[] = {&at, &to, &storage, &scratch};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (all[i]->mem)
            xlt_check_guards(all[i], "an array");
        xlt_buffer_free(all[i]);
    }
    free(points);
    free(offsets);
}

static void neighbors_around_tiles(void **state)
{
    (void)state;
    job j;
    xl_grid *grid;
    xl_grid_index *index;
    xl_neighbors *plan;
    xl_grid_desc cells;
    xl_neighbors_desc search;
    xl_context *ctx = open_context(xlt_on_oclgrind() ? groups : serial, NULL);
    job_make(&j, "the scan of the counts", XL_U64, XL_SUM, XL_EXCLUSIVE, NULL);
    xl_scan *scan = job_plan(ctx, &j);
    const size_t tile = tile_of(ctx, scan);
    xl_grid_desc_init(&cells);
    cells.cell_size = 1.5f;
    xl_neighbors_desc_init(&search);
    search.radius = 1.5f;
    ok(ctx, xl_grid_create(ctx, &cells, &grid), "xl_grid_create");
    ok(ctx, xl_grid_index_create(ctx, &index), "xl_grid_index_create");
    ok(ctx, xl_neighbors_create(ctx, &search, &plan), "xl_neighbors_create");
    const size_t last = last_with(neighbors_scratch, plan, tile + 1, 50 * tile);
    const size_t sizes[] = {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, last, last + 1};
    for (size_t p = 0; xlt_place_closely(p); ++p)
        for (size_t i = xlt_small(); i < sizeof sizes / sizeof sizes[0]; i += xlt_small() ? 4u : 1u)
            count_neighbors(ctx, grid, index, plan, sizes[i]);
    xl_neighbors_destroy(plan);
    xl_grid_index_destroy(index);
    xl_grid_destroy(grid);
    xl_scan_destroy(scan);
    xl_context_destroy(ctx);
}

/* ---- the number of elements on the device -------------------------------------------------------
 */

/* A number above the most is the most. */
static void scan_too_many(xl_context *ctx, xl_scan *plan, size_t n, uint64_t number)
{
    uint32_t *in = bytes_for(n, 4), *got = bytes_for(n, 4);
    uint32_t sum = 0;
    for (size_t i = 0; i < n; ++i)
        in[i] = (uint32_t)i * 2654435761u;
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), count = xlt_buffer_make(&number, 1, 8, 0);
    ok(ctx,
       xl_scan_enqueue(
           plan, xlt_queue(),
           &(xl_scan_args){
               .n = n, .n_device = xlt_view(&count), .in = xlt_view(&a), .out = xlt_view(&a)},
           0, NULL, NULL),
       "xl_scan_enqueue_n");
    xlt_read(&a, got);
    for (size_t i = 0; i < n; ++i)
        if (got[i] != (sum += in[i]))
            XLT_FAIL("n %zu, number %llu: element %zu is wrong", n, (unsigned long long)number, i);
    xlt_check_guards(&a, "in and out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&count);
    free(in);
    free(got);
}

static void reduce_too_many(xl_context *ctx, size_t n, uint64_t number)
{
    xl_reduce *plan;
    xl_reduce_desc desc;
    uint32_t *in = bytes_for(n, 4), sum = 0, got = 0;
    xl_reduce_desc_init(&desc);
    ok(ctx, xl_reduce_create(ctx, &desc, &plan), "xl_reduce_create");
    for (size_t i = 0; i < n; ++i)
        sum += in[i] = (uint32_t)i * 2654435761u;
    xlt_buffer a = xlt_buffer_make(in, n, 4, 0), count = xlt_buffer_make(&number, 1, 8, 0);
    xlt_buffer out = xlt_buffer_make(NULL, 1, 4, 0);
    ok(ctx,
       xl_reduce_enqueue(
           plan, xlt_queue(),
           &(xl_reduce_args){
               .n = n, .n_device = xlt_view(&count), .in = xlt_view(&a), .out = xlt_view(&out)},
           0, NULL, NULL),
       "xl_reduce_enqueue_n");
    xlt_read(&out, &got);
    if (got != sum)
        XLT_FAIL("n %zu, number %llu: %u, not %u", n, (unsigned long long)number, got, sum);
    xlt_buffer_free(&a);
    xlt_buffer_free(&count);
    xlt_buffer_free(&out);
    xl_reduce_destroy(plan);
    free(in);
}

static void numbers_past_the_most(void **state)
{
    (void)state;
    for (size_t w = xlt_few_programs(); w < NUM_SCAN_WAYS; w += 1 + xlt_few_programs()) {
        job j;
        if (is_another(scan_ways[w].what) || (xlt_on_oclgrind() && scan_ways[w].tune == serial))
            continue;
        xl_context *ctx = open_context(scan_ways[w].tune, scan_ways[w].mask);
        scan_way_make(&j, w, XL_U32, XL_INCLUSIVE);
        if (scan_ways[w].algorithm == XL_SCAN_AUTO) { /* of sums of words that do not tell */
            j.desc.type = XL_U32;
            j.desc.op = XL_USER_OP;
            j.desc.user_op = &plus_in_order;
        }
        xl_scan *plan = job_plan(ctx, &j);
        const size_t n = plan ? 3 * tile_of(ctx, plan) - 5 : 0;
        for (size_t p = 0; plan && xlt_place_closely(p); ++p) {
            scan_too_many(ctx, plan, n, n + 1);
            scan_too_many(ctx, plan, n, UINT64_MAX);
            scan_too_many(ctx, plan, n, (uint64_t)1 << 32);
        }
        xl_scan_destroy(plan);
        xl_context_destroy(ctx);
    }
    for (size_t w = xlt_on_oclgrind(); w < NUM_REDUCE_WAYS; ++w) {
        xl_context *ctx = open_context(reduce_ways[w].tune, reduce_ways[w].mask);
        for (size_t p = 0; xlt_place_closely(p); ++p) {
            reduce_too_many(ctx, 3001, 3002);
            reduce_too_many(ctx, 3001, UINT64_MAX);
        }
        xl_context_destroy(ctx);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans),
        cmocka_unit_test(reductions),
        cmocka_unit_test(scans_with_scratch_to_the_last_byte),
        cmocka_unit_test(reductions_with_scratch_to_the_last_byte),
        cmocka_unit_test(neighbors_around_tiles),
        cmocka_unit_test(numbers_past_the_most),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

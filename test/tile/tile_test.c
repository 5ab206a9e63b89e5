/* SPDX-License-Identifier: MIT
 * Functions of cl/tile that compute with numbers, past 2^32 too: positions of tiles, runs, segments
 * and cuts; distances from rows of cells; the tile prefix outside of scans; and look-back among
 * states that no call of ours published. */
#include "scan_plan.h"
#include "scan_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const xli_source *xlt_source_find(const char *name);

#define P32 ((uint64_t)1 << 32)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- kernels of this folder ------------------------------------------------------------------ */

static xli_kernel kernel_of(xl_context *ctx, const char *file, const char *name, const char *text)
{
    xli_program *program;
    xli_kernel kernel;
    ok(ctx, xli_program_get_source(ctx, xlt_source_find(file), text, &program), file);
    ok(ctx, xli_kernel_create(ctx, program, name, &kernel), name);
    return kernel;
}

/* The same with the definitions of a scan's plan. */
static xli_kernel scan_kernel(const xl_scan_desc *desc, const char *name)
{
    xl_context *ctx = xlt_context();
    const xli_capabilities *capabilities;
    xl_plan *plan;
    xli_text text = {0};
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    XLT_OK(xl_scan_create(ctx, desc, &plan));
    xli_scan_of(plan)->problem.reduces = true; /* scans read no CSR offsets, but bits */
    XLT_OK(xli_scan_text(xli_scan_of(plan), desc, capabilities, &text));
    xli_scan_text_part(xli_scan_of(plan), XLI_SCAN_MANY, &text);
    xli_text_add(&text, "#define XL_SEG_VLEN 4\n#define XL_LIMITED_LOOPS 0\n");
    const xli_kernel kernel = kernel_of(ctx, "tile_indices", name, text.data);
    xli_text_free(&text);
    xl_plan_destroy(plan);
    return kernel;
}

/* Runs a kernel that has `at` of `num` numbers and leaves `each` results for each of them. */
static void run(xli_kernel *kernel, size_t num, xli_arg *args, size_t num_args, size_t at_arg,
                const void *at, size_t bytes, size_t each, void *results)
{
    xli_seq seq;
    xlt_buffer in = {0}, out = xlt_buffer_make(NULL, num * each, bytes, 0);
    if (at) {
        in = xlt_buffer_make(at, num, bytes, 0);
        args[at_arg] = XLI_MEM(in.mem);
    }
    args[num_args - 1] = XLI_MEM(out.mem);
    /* Guard bytes would stand where the kernel starts to write. */
    XLT_OK(xli_seq_begin(&seq, xlt_context(), xlt_queue(), 0, NULL, NULL));
    XLT_OK(xli_seq_launch(&seq, kernel, num, 1, args, num_args));
    XLT_OK(xli_seq_end(&seq, XL_SUCCESS, NULL));
    xlt_read(&out, results);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    xli_kernel_destroy(kernel);
}

static void compare(const char *what, const uint64_t *got, const uint64_t *wanted, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (got[i] != wanted[i])
            XLT_FAIL("%s: number %zu is %llu, not %llu", what, i, (unsigned long long)got[i],
                     (unsigned long long)wanted[i]);
}

/* Zeros at an address that kernels may use as it is; skips the test where that cannot be. */
static xlt_pages sparse(size_t bytes)
{
    xlt_place(XLT_AT_PAGE_END);
    const bool shares = xlt_shares_memory();
    xlt_place(XLT_EXACT);
    if (!shares)
        skip();
    const xlt_pages pages = xlt_pages_sparse(bytes);
    if (!pages.data) {
        print_message("no %zu bytes of addresses\n", bytes);
        skip();
    }
    return pages;
}

static xl_scan_desc desc_of(xl_segments kind, xl_type type, uint64_t width, uint64_t mask)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    desc.segments = kind;
    desc.segment_type = type;
    desc.segment_width = width;
    desc.segment_mask = mask;
    return desc;
}

static int exactly(void **state)
{
    (void)state;
    xlt_place(XLT_EXACT);
    return 0;
}

/* ---- numbers past 2^32 ----------------------------------------------------------------------- */

XLT_TEST_SETUP(tiles_past_2_to_32, exactly)
{
    const xl_scan_desc desc = desc_of(XL_SEGMENTS_NONE, XL_NONE, 0, 0);
    const uint64_t tiles[] = {0, 1, P32 / 4096 - 1, P32 / 4096, P32 / 4096 + 1, P32 - 1};
    uint64_t wanted[COUNT(tiles)], got[COUNT(tiles)];
    for (size_t i = 0; i < COUNT(tiles); ++i)
        wanted[i] = tiles[i] * 4096;
    xli_kernel kernel = scan_kernel(&desc, "xl_test_bases");
    xli_arg args[] = {XLI_MEM(NULL), XLI_U32(4096), XLI_MEM(NULL)};
    run(&kernel, COUNT(tiles), args, COUNT(args), 0, tiles, 8, 1, got);
    compare("first element of a tile", got, wanted, COUNT(tiles));
}

XLT_TEST_SETUP(widths_past_2_to_32, exactly)
{
    static const struct {
        xl_segments kind;
        uint64_t width, mask, run;
    } rows[] = {{XL_SEGMENTS_WIDTH, P32 + 100, 0, P32 / 2 + 1},
                {XL_SEGMENTS_WIDTH, 3, 0, 1},
                {XL_SEGMENTS_MASK, 63, 0x4000000000000005u, P32}};
    const uint64_t at[] = {0,       99, 3, P32 - 1, P32, P32 + 100, 2 * P32 + 200, 63 * P32 + 62,
                           63 * P32};
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const xl_scan_desc desc = desc_of(rows[r].kind, XL_NONE, rows[r].width, rows[r].mask);
        const uint64_t mask = rows[r].mask | 1, width = rows[r].width;
        uint64_t wanted[3 * COUNT(at)], got[3 * COUNT(at)];
        for (size_t i = 0; i < COUNT(at); ++i) {
            const uint64_t begin = at[i] * rows[r].run, left = begin % width, in = at[i] % width;
            wanted[3 * i] = in == 0 || (in < 64 && (mask >> in & 1) != 0);
            wanted[3 * i + 1] = begin;
            wanted[3 * i + 2] = begin / width + (left > 0);
            if (rows[r].kind == XL_SEGMENTS_MASK) { /* heads at 0, 2 and 62 */
                wanted[3 * i + 2] = begin / width * 3 + (left > 0) + (left > 2) + (left > 62);
            }
        }
        xli_kernel kernel = scan_kernel(&desc, "xl_test_heads");
        xli_arg args[] = {XLI_U64(0),           XLI_U64(width), XLI_U64(rows[r].mask),
                          XLI_U64(rows[r].run), XLI_MEM(NULL),  XLI_MEM(NULL)};
        run(&kernel, COUNT(at), args, COUNT(args), 4, at, 8, 3, got);
        compare("segments of a width", got, wanted, COUNT(wanted));
    }
}

/* Flags and keys of a byte, and bits, of which all are 0 but one. */
XLT_TEST_SETUP(heads_past_2_to_32, exactly)
{
    static const struct {
        xl_segments kind;
        xl_type type;
        uint64_t per_byte;
    } rows[] = {{XL_SEGMENTS_HEAD_FLAGS, XL_NONE, 1},
                {XL_SEGMENTS_KEYS, XL_U8, 1},
                {XL_SEGMENTS_FLAG_BITMASK, XL_NONE, 8}};
    xlt_pages pages = sparse((size_t)(P32 * 5));
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const xl_scan_desc desc = desc_of(rows[r].kind, rows[r].type, 0, 0);
        const uint64_t head = (r == 2 ? P32 * 4 : P32) + 40;
        const uint64_t at[] = {0, 40, head * rows[r].per_byte - 1, head * rows[r].per_byte,
                               head * rows[r].per_byte + 1};
        const uint64_t heads[] = {1, 0, 0, 1, r == 1};
        uint64_t got[3 * COUNT(at)];
        pages.data[head] = 1;
        xli_kernel kernel = scan_kernel(&desc, "xl_test_heads");
        xli_arg args[] = {XLI_U64((uintptr_t)pages.data),
                          XLI_U64(0),
                          XLI_U64(0),
                          XLI_U64(P32),
                          XLI_MEM(NULL),
                          XLI_MEM(NULL)};
        run(&kernel, COUNT(at), args, COUNT(args), 4, at, 8, 3, got);
        for (size_t i = 0; i < COUNT(at); ++i) {
            compare("a head by flags, keys, bits", &got[3 * i], &heads[i], 1);
            const uint64_t begin = at[i] > UINT32_MAX ? UINT64_MAX : at[i] * P32;
            if (at[i] <= UINT32_MAX)
                compare("first element of a run", &got[3 * i + 1], &begin, 1);
        }
        pages.data[head] = 0;
    }
    xlt_pages_free(&pages);
}

/* Offsets that are past 2^32, and more than 2^32 of them. */
XLT_TEST_SETUP(offsets_past_2_to_32, exactly)
{
    const xl_scan_desc wide = desc_of(XL_SEGMENTS_OFFSETS, XL_U64, 0, 0);
    const xl_scan_desc many = desc_of(XL_SEGMENTS_OFFSETS, XL_U32, 0, 0);
    xlt_pages pages = sparse((size_t)(5 * P32));
    uint64_t *const few = (uint64_t *)pages.data;
    const uint64_t offsets[] = {0, 5, P32 - 1, P32, P32, P32 + 7, 3 * P32, 3 * P32 + 1, 5 * P32};
    const uint64_t at[] = {0, 6, P32 - 1, P32, P32 + 1, P32 + 8, 3 * P32 + 2, 5 * P32 - 1, 5 * P32};
    uint64_t got[3 * COUNT(at)], wanted[3 * COUNT(at)];
    memcpy(few, offsets, sizeof offsets);
    for (size_t i = 0; i < COUNT(at); ++i) {
        size_t low = 0, ended = 0;
        while (low < COUNT(offsets) && offsets[low] < at[i])
            ++low;
        while (ended + 1 < COUNT(offsets) && offsets[ended + 1] + ended < at[i])
            ++ended;
        wanted[3 * i] = wanted[3 * i + 1] = low;
        wanted[3 * i + 2] = ended;
    }
    xli_kernel kernel = scan_kernel(&wide, "xl_test_offsets");
    xli_arg args[] = {XLI_U64((uintptr_t)few), XLI_U64(COUNT(offsets)), XLI_U64(5 * P32),
                      XLI_MEM(NULL), XLI_MEM(NULL)};
    run(&kernel, COUNT(at), args, COUNT(args), 3, at, 8, 3, got);
    compare("offsets past 2^32", got, wanted, COUNT(wanted));
    memset(few, 0, sizeof offsets);

    /* Zeros, and ten fives behind 2^32 of them: nearly all segments are empty. */
    const uint64_t count = P32 + 1000, steps[] = {1, 5, 6, P32 + 500};
    uint32_t *const all = (uint32_t *)pages.data;
    for (uint64_t i = count - 10; i < count; ++i)
        all[i] = 5;
    const uint64_t right[] = {count - 10, count - 10, 1, count - 10, count - 10, 5,
                              count,      count,      6, count,      count,      P32 + 500};
    kernel = scan_kernel(&many, "xl_test_offsets");
    args[0] = XLI_U64((uintptr_t)all);
    args[1] = XLI_U64(count);
    args[2] = XLI_U64(5);
    run(&kernel, COUNT(steps), args, COUNT(args), 3, steps, 8, 3, got);
    compare("more than 2^32 offsets", got, right, COUNT(right));
    xlt_pages_free(&pages);
}

static const char sort_text[] = "#define XL_KEY_BYTES 4\n#define XL_KEY_KIND 0\n"
                                "#define XL_SERIAL 1\n#define XL_SORT_GROUP 1\n"
                                "#define XL_SORT_TILE_LOG 4\n#define XL_SORT_STABLE 0\n"
                                "#define XL_SORT_INDICES 0\n"
                                "#define XL_KEY_DESCENDING 0\n#define XL_SORT_VALUES 0\n";

/* As many keys as a sort takes: two runs of 2^31 zeros, of which the first ends in sevens. */
XLT_TEST_SETUP(cuts_of_most_keys, exactly)
{
    enum { SEVENS = 100 };
    const uint32_t half = (uint32_t)1 << 31, n = UINT32_MAX;
    xlt_pages pages = sparse((size_t)(4 * P32));
    uint32_t *const keys = (uint32_t *)pages.data;
    for (uint32_t i = half - SEVENS; i < half; ++i)
        keys[i] = 7;
    const uint32_t d[] = {5, half - SEVENS, half, half + 50, n - SEVENS + 1, n};
    const uint32_t wanted[] = {5,   half - SEVENS, half - SEVENS, half - SEVENS, half - SEVENS + 1,
                               half};
    uint32_t got[COUNT(d)];
    xli_kernel kernel =
        kernel_of(xlt_context(), "tile_merge_partition", "xl_test_merge_path_search", sort_text);
    xli_arg args[] = {XLI_U64((uintptr_t)keys), XLI_U32(n),    XLI_U32(half),
                      XLI_U32(n - 1),           XLI_MEM(NULL), XLI_MEM(NULL)};
    run(&kernel, COUNT(d), args, COUNT(args), 4, d, 4, 1, got);
    for (size_t i = 0; i < COUNT(d); ++i)
        if (got[i] != wanted[i])
            XLT_FAIL("of the first %u elements %u come from the first run, not %u", d[i], got[i],
                     wanted[i]);
    xlt_pages_free(&pages);
}

/* The parameters of a search, for functions of its files. */
#define SEARCH                                                                                     \
    "#define XL_ITEMS 1\n#define XL_PLANES 0\n#define XL_REPEATS 0\n"                              \
    "#define XL_QUERY_DIMENSIONS 0\n#define XL_RADII 0\n#define XL_RADIUS_INCLUSIVE 0\n"           \
    "#define XL_KEEP_SELF 0\n#define XL_HALF 0\n"

/* A row of 2^32 - 2 words, in which a small number sinks along the right children to the last. */
XLT_TEST_SETUP(rows_past_2_to_31, exactly)
{
    const uint64_t n = P32 - 2, last = P32 - 3;
    xlt_pages pages = sparse((size_t)(4 * P32));
    uint32_t *const row = (uint32_t *)pages.data;
    for (unsigned k = 1; k < 31; ++k)
        row[((uint64_t)2 << k) - 2] = 100 - k;
    row[last] = 60;
    row[P32 - 5] = 50; /* where 32 bits of the next child's number would lead */
    xli_seq seq;
    xli_kernel kernel =
        kernel_of(xlt_context(), "tile_rows", "xl_test_sink",
                  SEARCH "#define XL_GROUP 1\n#define XL_STAGED 0\n#define XL_SORTED 1\n");
    XLT_OK(xli_seq_begin(&seq, xlt_context(), xlt_queue(), 0, NULL, NULL));
    XLT_OK(XLI_LAUNCH(&seq, &kernel, 1, 1, XLI_U64((uintptr_t)row), XLI_U64(n), XLI_U32(1)));
    XLT_OK(xli_seq_end(&seq, XL_SUCCESS, NULL));
    XLT_CL(clFinish(xlt_queue()));
    if (row[last] != 1 || row[0] != 99 || row[P32 - 5] != 50)
        XLT_FAIL("%u, %u and %u, not 1, 99 and 50", row[last], row[0], row[P32 - 5]);
    xli_kernel_destroy(&kernel);
    xlt_pages_free(&pages);
}

/* ---- distances from rows of cells ------------------------------------------------------------ */

/* A coordinate whose product with `inverse` is close to `number`. */
static float near_border(xlt_random *random, float number, float inverse)
{
    float x = number / inverse;
    for (uint32_t k = xlt_below(random, 3); k > 0; --k)
        x = nextafterf(x, xlt_below(random, 2) ? INFINITY : -INFINITY);
    return x;
}

/* For every rounding of the products, the distance from a row is at most the distance from a
 * coordinate in it, and less by at most an edge. */
XLT_TEST_SETUP(gaps_to_rows, exactly)
{
    enum { NUM = 100000 };
    static float pairs[2 * NUM], gaps[2 * NUM];
    static double distances[NUM];
    xlt_random random = {7};
    for (size_t i = 0; i < NUM; ++i) {
        const float inverse = 0.01f + 10 * xlt_unit(&random);
        const float row =
            (float)xlt_below(&random, 1u << (1 + i % 22)) - (float)xlt_below(&random, 99);
        const float from = near_border(&random, row + (float)xlt_below(&random, 7) - 3, inverse);
        const float to = near_border(&random, row, inverse);
        pairs[2 * i] = from * inverse;
        pairs[2 * i + 1] = floorf(to * inverse);
        distances[i] = fabs((double)from - (double)to) * (double)inverse;
    }
    xli_kernel kernel = kernel_of(xlt_context(), "tile_gaps", "xl_test_gaps", SEARCH);
    xli_arg args[] = {XLI_MEM(NULL), XLI_MEM(NULL)};
    run(&kernel, NUM, args, COUNT(args), 0, pairs, 8, 1, gaps);
    for (size_t i = 0; i < 2 * NUM; ++i) {
        const double rounding = fabs((double)pairs[i / 2 * 2]) * 0x1p-18 + 0x1p-17;
        if ((double)gaps[i] > distances[i / 2] || (double)gaps[i] < distances[i / 2] - 1 - rounding)
            XLT_FAIL("row %.0f is %.9g edges from %.9g, not %.9g", pairs[i / 2 * 2 + 1], gaps[i],
                     pairs[i / 2 * 2], distances[i / 2]);
    }
}

/* ---- states that no call of ours published -------------------------------------------------- */

XLT_TEST_SETUP(partitions_that_do_not_go_together, exactly)
{
    enum { LENGTH = 64, D = 40, TILE = 16, SIDE = 57 };
    uint32_t outside[SIDE * SIDE];
    xli_kernel kernel =
        kernel_of(xlt_context(), "tile_merge_partition", "xl_test_merge_partition_of", sort_text);
    xli_arg args[] = {XLI_U32(LENGTH), XLI_U32(D), XLI_U32(TILE), XLI_U32(SIDE), XLI_MEM(NULL)};
    run(&kernel, COUNT(outside), args, COUNT(args), 0, NULL, 4, 1, outside);
    for (uint32_t i = 0; i < COUNT(outside); ++i) /* no search gives a first cut above d */
        if (i % SIDE <= D && outside[i] != 0)
            XLT_FAIL("cuts %u and %u: %u elements come from elsewhere", i % SIDE, i / SIDE,
                     outside[i]);
}

typedef enum leftover { AGGREGATES, PREFIXES, NOISE, ONES, NUM_LEFTOVERS } leftover;

/* States of every tile in this epoch; the first ticket gives tile 0 to no group. */
static void leave(leftover kind, uint64_t *words, size_t count)
{
    enum { EPOCH = 5, HEADER = 8 };
    xlt_random random = {count};
    const uint64_t stamps[] = {(uint64_t)1 << 30 | EPOCH, (uint64_t)2 << 30 | EPOCH};
    for (size_t i = 0; i < count; ++i)
        words[i] = kind == ONES    ? UINT64_MAX
                   : kind == NOISE ? xlt_next(&random)
                                   : (uint64_t)i << 32 | stamps[kind];
    if (kind == ONES)
        return;
    memset(words, 0, HEADER * sizeof *words);
    words[0] = kind == NOISE ? 0 : 1; /* TICKET, and DONE above it */
    words[1] = EPOCH;
}

static void look_back_among(xl_context *ctx, xl_plan *plan, leftover kind)
{
    const size_t n = 40 * xli_scan_of(plan)->shape.tile + 3,
                 bytes = xli_scan_scratch(xli_scan_of(plan), n);
    uint64_t *words = bytes_for(bytes, 1);
    leave(kind, words, bytes / 8);
    xlt_buffer states = xlt_buffer_make(words, bytes / 8, 8, 0);
    xlt_buffer in = xlt_buffer_make(NULL, n, 4, 0), out = xlt_buffer_make(NULL, n, 4, 0);
    const xl_scan_args call = {.n = n, .in = xlt_view(&in), .out = xlt_view(&out)};
    plan->pool.buffer = states.mem;
    plan->pool.bytes = bytes;
    XLT_CL(clRetainMemObject(states.mem));
    ok(ctx, xl_scan_enqueue(plan, xlt_queue(), &call, 0, NULL, NULL), "look-back");
    XLT_CL(clFinish(xlt_queue()));
    xli_pool_drop(&plan->pool);
    xlt_check_guards(&states, "states");
    xlt_check_guards(&in, "in");
    xlt_check_guards(&out, "out");
    xlt_buffer_free(&states);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    free(words);
}

XLT_TEST(states_of_no_call)
{
    static const struct {
        const char *tune, *mask;
        xl_type type;
    } ways[] = {
        {"scan.shape = 0\nscan.tile_bytes = 2048\nscan.pipelined = 0\n", NULL, XL_U32},
        {"scan.shape = 0\nscan.tile_bytes = 2048\nscan.pipelined = 0\n", NULL, XL_F32},
        {"scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\nscan.pipelined = 0\n", NULL,
         XL_U32},
        {"scan.shape = 1\nscan.item_bytes = 32\nscan.group_size = 64\nscan.pipelined = 0\n",
         "width=1", XL_F32},
    };
    if (!can_publish())
        skip();
    for (size_t w = 0; w < COUNT(ways); ++w) {
        xl_context *ctx = open_context(ways[w].tune, ways[w].mask);
        xl_scan_desc desc;
        xl_plan *plan;
        xl_scan_desc_init(&desc);
        desc.type = ways[w].type;
        desc.algorithm = XL_SCAN_LOOKBACK;
        const bool out = xlt_on_oclgrind() && w < 2; /* 16-element vectors end that process */
        if (!out)
            ok(ctx, xl_scan_create(ctx, &desc, &plan), "look-back");
        for (int k = 0; k < (out ? 0 : NUM_LEFTOVERS); ++k)
            for (size_t p = 0; xlt_place_closely(p); ++p)
                look_back_among(ctx, plan, (leftover)k);
        if (!out)
            xl_plan_destroy(plan);
        xl_context_destroy(ctx);
    }
}

/* ---- the tile prefix outside of scans ----------------------------------------------- */

enum { PREFIX_TILE = 1000, PREFIX_TILES = 37, HEADER_WORDS = 8 };

typedef struct prefixes {
    size_t columns, n, results;
    uint32_t delay;
    bool ordered;
    uint32_t *in, *got, *count;
} prefixes;

static xli_kernel prefix_kernel(const prefixes *p)
{
    const xli_capabilities *capabilities;
    xli_element element;
    xli_text text = {0};
    XLT_OK(xli_context_capabilities(xlt_context(), &capabilities));
    XLT_OK(xli_element_resolve(xlt_context(), capabilities, "type", XL_U32, NULL, &element));
    xli_element_text(&text, capabilities, (const xli_element *[]){&element}, 1, XL_SUM, NULL);
    xli_text_add(&text,
                 "#define XL_LOOKBACK_ORDERED %d\n"
                 "#define XL_LOOKBACK_TILES 4\n"
                 "#define XL_TEST_DIGITS %d\n#define XL_GROUP_SIZE %zu\n",
                 p->ordered, p->columns > 1, p->columns);
    const xli_kernel kernel =
        kernel_of(xlt_context(), "tile_prefixes", "xl_test_prefixes", text.data);
    xli_text_free(&text);
    return kernel;
}

static void compare_prefixes(prefixes *p, int call)
{
    memset(p->count, 0, p->columns * 4);
    for (size_t i = 0; i < p->n; ++i) {
        const uint32_t *got = p->got + i / PREFIX_TILE * p->columns;
        for (size_t d = 0; i % PREFIX_TILE == 0 && d < p->columns; ++d)
            if (got[d] != p->count[d])
                XLT_FAIL("%zu columns, one tile in %u silent, ordered %d, call %d: tile %zu, "
                         "column %zu has %u before it, not %u",
                         p->columns, (unsigned)p->delay, p->ordered, call, i / PREFIX_TILE, d,
                         (unsigned)got[d], (unsigned)p->count[d]);
        if (p->columns > 1)
            ++p->count[p->in[i] & 255];
        else
            p->count[0] += p->in[i] & 1;
    }
}

/* Twice with one state, which the first call leaves as it has to be for the second. */
static void check_prefixes(size_t columns, uint32_t delay, bool ordered)
{
    xl_context *ctx = xlt_context();
    prefixes p = {.columns = columns, .delay = delay, .ordered = ordered};
    xlt_random random = {columns};
    p.n = PREFIX_TILE * PREFIX_TILES - 7;
    p.results = PREFIX_TILES * columns;
    p.in = malloc(p.n * 4);
    p.got = malloc(p.results * 4);
    p.count = malloc(columns * 4);
    uint64_t *zeros = calloc(HEADER_WORDS + p.results, 8);
    assert_true(p.in && p.got && p.count && zeros);
    for (size_t i = 0; i < p.n; ++i)
        p.in[i] = (uint32_t)xlt_next(&random);
    xli_kernel kernel = prefix_kernel(&p);
    xlt_buffer in = xlt_buffer_make(p.in, p.n, 4, 0);
    xlt_buffer state = xlt_buffer_make(zeros, HEADER_WORDS + p.results, 8, 0);
    xlt_buffer out = xlt_buffer_make(NULL, p.results, 4, 0);
    for (int call = 0; call < 2; ++call) {
        const xli_arg args[] = {XLI_MEM(in.mem), XLI_U32((uint32_t)p.n), XLI_MEM(state.mem),
                                XLI_MEM(out.mem), XLI_U32(delay)};
        xli_seq seq;
        XLT_OK(xli_seq_begin(&seq, ctx, xlt_queue(), 0, NULL, NULL));
        XLT_OK(xli_seq_launch(&seq, &kernel, 5, columns, args, COUNT(args)));
        XLT_OK(xli_seq_end(&seq, XL_SUCCESS, NULL));
        xlt_read(&out, p.got);
        compare_prefixes(&p, call);
    }
    xlt_buffer_free(&out);
    xlt_buffer_free(&state);
    xlt_buffer_free(&in);
    xli_kernel_destroy(&kernel);
    free(zeros);
    free(p.count);
    free(p.got);
    free(p.in);
}

XLT_TEST_SETUP(prefixes_of_counts, exactly)
{
    if (!can_publish())
        skip();
    check_prefixes(1, 0, false);
    check_prefixes(1, 3, true);
    check_prefixes(1, 1, false);
}

XLT_TEST_SETUP(prefixes_of_columns, exactly)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (!can_publish() || info.max_work_group_size < 256)
        skip();
    check_prefixes(256, 0, false);
    check_prefixes(256, 5, false);
}

XLT_MAIN(NULL, xlt_teardown)

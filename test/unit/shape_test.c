/* SPDX-License-Identifier: MIT
 * Shapes of scans and reductions on devices that need not be there. */
#include "reduce_shape.h"
#include "scan_shape.h"
#include "shape_devices.h"
#include "xlt.h"

static xl_scan_desc sum_of(xl_type type)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = type;
    return desc;
}

/* A scan or a reduction on a device, with the built-in values. */
typedef struct subject {
    xli_capabilities capabilities;
    xli_tune_device known;
    xli_problem problem;
    xli_tune tune;
} subject;

static subject subject_of(const device *d, const xl_scan_desc *desc, bool reduces)
{
    subject s = {.capabilities = facts_of(d)};
    s.known = known_of(&s.capabilities);
    if (xli_problem_resolve(NULL, desc, reduces, &s.capabilities, &s.problem) != XL_SUCCESS)
        XLT_FAIL("%s", xl_context_error(NULL));
    xli_tune_scan_table(&s.known, &s.tune.scan);
    xli_tune_reduce_table(&s.known, &s.tune.reduce);
    return s;
}

static xli_scan_shape scan_shape(const subject *s, xl_scan_algorithm wish, unsigned files,
                                 size_t most)
{
    const xli_scan_limits limits = {wish, files, most};
    xli_scan_shape shape;
    xli_scan_shape_of(&s->problem, &s->capabilities, &s->tune.scan, &limits, &shape);
    return shape;
}

static xli_reduce_shape reduce_shape(const subject *s, size_t most)
{
    xli_reduce_shape shape;
    xli_reduce_shape_of(&s->problem, &s->capabilities, &s->tune.reduce, most, &shape);
    return shape;
}

/* The shape by the built-in values; look_back is the value of scan.look_back in a tuning file. */
static xli_scan_shape shape_on(const device *d, const xl_scan_desc *desc, int look_back,
                               unsigned files)
{
    subject s = subject_of(d, desc, false);
    if (look_back >= 0)
        s.tune.scan.look_back = (uint32_t)look_back;
    return scan_shape(&s, desc->algorithm, files, d->group);
}

enum { AS_BUILT_IN = -1 };

XLT_TEST(sums_of_words)
{
    static const struct {
        xl_scan_algorithm algorithm;
        bool pipelined, bulk;
        uint32_t group, vector, items;
        size_t tile;
    } wanted[DEVICES] = {
        [H200] = {XL_SCAN_LOOKBACK, true, true, 256, 4, 44, 11264},
        [NARROW] = {XL_SCAN_REDUCE_THEN_SCAN, false, false, 128, 4, 16, 2048},
        [WIDE] = {XL_SCAN_LOOKBACK, false, false, 128, 4, 16, 2048},
        [POCL] = {XL_SCAN_LOOKBACK, false, false, 1, 4, 0, 16384},
        [INTEL] = {XL_SCAN_LOOKBACK, false, false, 1, 4, 0, 16384},
        [LLVMPIPE] = {XL_SCAN_REDUCE_THEN_SCAN, false, false, 1, 4, 0, 16384},
    };
    const xl_scan_desc desc = sum_of(XL_U32);
    for (int d = 0; d < DEVICES; ++d) {
        const xli_scan_shape shape = shape_on(&devices[d], &desc, AS_BUILT_IN, XLI_FILE_ANY);
        if (shape.algorithm != wanted[d].algorithm || shape.pipelined != wanted[d].pipelined ||
            shape.bulk != wanted[d].bulk || shape.group_size != wanted[d].group ||
            shape.vector != wanted[d].vector || shape.items != wanted[d].items ||
            shape.tile != wanted[d].tile)
            XLT_FAIL(
                "%s: algorithm %d, pipelined %d, bulk %d, groups of %u, %u at once, %u held, tile "
                "%zu",
                devices[d].name, (int)shape.algorithm, shape.pipelined, shape.bulk,
                (unsigned)shape.group_size, (unsigned)shape.vector, (unsigned)shape.items,
                shape.tile);
        assert_int_equal(shape.units, devices[d].units);
    }
}

/* A GPU without lane operations looks back only on request: in a tuning file, or by name. */
XLT_TEST(look_back_needs_lanes_on_a_gpu)
{
    static const struct {
        int device, look_back;
        xl_scan_algorithm wish, algorithm;
    } rows[] = {
        {NARROW, AS_BUILT_IN, XL_SCAN_AUTO, XL_SCAN_REDUCE_THEN_SCAN},
        {NARROW, 1, XL_SCAN_AUTO, XL_SCAN_LOOKBACK},
        {NARROW, AS_BUILT_IN, XL_SCAN_LOOKBACK, XL_SCAN_LOOKBACK},
        {NARROW, 0, XL_SCAN_LOOKBACK, XL_SCAN_LOOKBACK},
        {WIDE, 0, XL_SCAN_AUTO, XL_SCAN_REDUCE_THEN_SCAN},
        {POCL, 0, XL_SCAN_AUTO, XL_SCAN_REDUCE_THEN_SCAN},
        {LLVMPIPE, 1, XL_SCAN_AUTO, XL_SCAN_REDUCE_THEN_SCAN},
        {LLVMPIPE, 1, XL_SCAN_LOOKBACK, XL_SCAN_REDUCE_THEN_SCAN},
    };
    for (size_t r = 0; r < XLI_COUNT(rows); ++r) {
        xl_scan_desc desc = sum_of(XL_U32);
        desc.algorithm = rows[r].wish;
        const xli_scan_shape shape =
            shape_on(&devices[rows[r].device], &desc, rows[r].look_back, XLI_FILE_ANY);
        if (shape.algorithm != rows[r].algorithm)
            XLT_FAIL("row %zu: algorithm %d", r, (int)shape.algorithm);
    }
    /* Nor does a GPU that is known, with its lanes masked. */
    device masked = devices[H200];
    masked.lane_way = XLI_LANE_LOCAL;
    masked.width = 1;
    const xl_scan_desc desc = sum_of(XL_F32);
    const xli_scan_shape shape = shape_on(&masked, &desc, AS_BUILT_IN, XLI_FILE_ANY);
    assert_int_equal(shape.algorithm, XL_SCAN_REDUCE_THEN_SCAN);
    assert_false(shape.pipelined);
}

/* Tiles are shorter where the group with the most elements then has fewer; sums that round have
 * theirs whatever n is. 264 groups. */
XLT_TEST(few_elements_make_shorter_tiles)
{
    static const struct {
        xl_type type;
        size_t n, tile;
    } rows[] = {
        {XL_U32, 1 << 20, 9216},  {XL_U32, 1 << 26, 11264}, {XL_I64, 1 << 20, 4608},
        {XL_I64, 1 << 21, 4608},  {XL_I64, 1 << 22, 5632},  {XL_I64, 1 << 26, 5632},
        {XL_F32, 1 << 20, 11264},
    };
    for (size_t r = 0; r < XLI_COUNT(rows); ++r) {
        const xl_scan_desc desc = sum_of(rows[r].type);
        const xli_scan_shape shape = shape_on(&devices[H200], &desc, AS_BUILT_IN, XLI_FILE_ANY);
        const size_t tile = xli_scan_lookback_tile(&shape, rows[r].n);
        if (tile != rows[r].tile)
            XLT_FAIL("row %zu: tiles of %zu", r, tile);
    }
}

/* A file that failed its self-test is not used: the other file is, else reduce-then-scan. */
XLT_TEST(only_files_that_may_be_taken)
{
    const xl_scan_desc desc = sum_of(XL_U32);
    for (unsigned files = 0; files <= XLI_FILE_ANY; ++files) {
        const xli_scan_shape shape = shape_on(&devices[H200], &desc, AS_BUILT_IN, files);
        assert_int_equal(shape.algorithm == XL_SCAN_LOOKBACK, files != 0);
        assert_int_equal(shape.pipelined, (files & XLI_FILE_PIPELINED) != 0);
        if (files != 0)
            assert_true(files & xli_scan_file(&shape));
    }
    const xli_scan_shape shape = shape_on(&devices[POCL], &desc, AS_BUILT_IN, XLI_FILE_PIPELINED);
    assert_int_equal(shape.algorithm, XL_SCAN_REDUCE_THEN_SCAN);
}

/* The bits of results that round follow from these tiles, which look-back has where it computes the
 * same tree. */
XLT_TEST(trees_are_the_same_everywhere)
{
    static const struct {
        xl_type type;
        xl_segments segments;
        xli_scan_tree tree;
    } rows[] = {{XL_F32, XL_SEGMENTS_NONE, {256, 11, 4, 512}},
                {XL_F64, XL_SEGMENTS_NONE, {128, 15, 2, 512}},
                {XL_F32, XL_SEGMENTS_HEAD_FLAGS, {512, 3, 4, 512}},
                {XL_F32, XL_SEGMENTS_OFFSETS, {512, 3, 4, 512}},
                {XL_F32X4, XL_SEGMENTS_NONE, {128, 15, 1, 512}},
                {XL_F32X4, XL_SEGMENTS_HEAD_FLAGS, {128, 3, 1, 512}},
                {XL_F64X4, XL_SEGMENTS_NONE, {128, 3, 1, 512}},
                {XL_F64X4, XL_SEGMENTS_OFFSETS, {64, 3, 1, 256}}};
    for (size_t r = 0; r < XLI_COUNT(rows); ++r)
        for (int d = 0; d < DEVICES; ++d)
            for (size_t most = devices[d].group; most > 0; most /= 2) {
                xl_scan_desc desc = sum_of(rows[r].type);
                desc.determinism = XL_REPRODUCIBLE;
                desc.segments = rows[r].segments;
                desc.segment_type = rows[r].segments == XL_SEGMENTS_OFFSETS ? XL_U64 : XL_NONE;
                const subject s = subject_of(&devices[d], &desc, false);
                const xli_scan_shape shape = scan_shape(&s, XL_SCAN_AUTO, XLI_FILE_ANY, most);
                const size_t tile = xli_scan_tree_tile(&shape.tree);
                const bool back = shape.algorithm == XL_SCAN_LOOKBACK;
                assert_memory_equal(&shape.tree, &rows[r].tree, sizeof shape.tree);
                assert_true(shape.group_size <= most && shape.group_size <= shape.tree.size);
                assert_int_equal(back, d == H200 && most >= shape.tree.size && r < 2);
                assert_true(back ? shape.pipelined && shape.tile == tile
                                 : tile % shape.tile == 0 && shape.tile <= tile);
                assert_true(!back || shape.window == shape.tree.window);
                assert_true(!back || shape.short_tile_vectors == 0);
                assert_int_equal(shape.group_size == 1, devices[d].is_cpu || most < 32);
            }
}

/* Elements that are too large for a tree have chunks of one length. */
XLT_TEST(chunks_are_the_same_everywhere)
{
    static const xl_user_op op = {.name = "op", .identity = "zero"};
    static const struct {
        size_t bytes;
        xl_segments segments;
        xli_scan_tree tree;
    } rows[] = {{124, XL_SEGMENTS_NONE, {32, 1, 1, 128}},
                {128, XL_SEGMENTS_NONE, {32, 1, 1, 128}},
                {128, XL_SEGMENTS_WIDTH, {0}},
                {132, XL_SEGMENTS_NONE, {0}},
                {4096, XL_SEGMENTS_WIDTH, {0}}};
    for (size_t r = 0; r < XLI_COUNT(rows); ++r)
        for (int d = 0; d < DEVICES; ++d) {
            const xl_user_type type = {"large", rows[r].bytes, 4, "a struct"};
            xl_scan_desc desc = sum_of(XL_USER_TYPE);
            desc.user_type = &type;
            desc.op = XL_USER_OP;
            desc.user_op = &op;
            desc.determinism = XL_REPRODUCIBLE;
            desc.segments = rows[r].segments;
            desc.segment_width = rows[r].segments == XL_SEGMENTS_WIDTH ? 7 : 0;
            const subject s = subject_of(&devices[d], &desc, false);
            const xli_scan_shape shape =
                scan_shape(&s, XL_SCAN_AUTO, XLI_FILE_ANY, devices[d].group);
            const xli_scan_partition cut = xli_scan_partition_of(&s.problem, &shape, 100000);
            assert_memory_equal(&shape.tree, &rows[r].tree, sizeof shape.tree);
            assert_int_equal(shape.algorithm, XL_SCAN_REDUCE_THEN_SCAN);
            assert_true(shape.tree.size > 0 || (cut.chunk == 256 && cut.groups == 391 &&
                                                shape.group_size == 1 && shape.items == 0));
        }
}

/* Where its tiles do not fit look-back does not take shorter ones, but leaves the tree to launches.
 */
XLT_TEST(trees_do_not_shrink)
{
    device small = devices[H200];
    small.local_bytes = 32768;
    xl_scan_desc desc = sum_of(XL_F32);
    xli_scan_shape shape = shape_on(&small, &desc, AS_BUILT_IN, XLI_FILE_ANY);
    assert_true(shape.pipelined && shape.tile < 11264);
    desc.determinism = XL_REPRODUCIBLE;
    shape = shape_on(&small, &desc, AS_BUILT_IN, XLI_FILE_ANY);
    assert_int_equal(shape.algorithm, XL_SCAN_REDUCE_THEN_SCAN);
    assert_int_equal(xli_scan_tree_tile(&shape.tree), 11264);
}

/* Whatever a kernel allows, a group is no larger, and its local memory is there. */
XLT_TEST(shapes_fit)
{
    static const xl_type types[] = {XL_U8, XL_U32, XL_U64};
    for (int d = 0; d < DEVICES; ++d)
        for (size_t t = 0; t < XLI_COUNT(types); ++t)
            for (size_t most = devices[d].group; most > 0; most /= 2) {
                const xl_scan_desc desc = sum_of(types[t]);
                subject s = subject_of(&devices[d], &desc, false);
                s.tune.reduce = (xli_tune_reduce){.group_size = 128,
                                                  .whole_size = 128,
                                                  .item_bytes = 64,
                                                  .whole_bytes = 64,
                                                  .chunk_elements = 1 << 20};
                const xli_scan_shape scan = scan_shape(&s, XL_SCAN_AUTO, XLI_FILE_ANY, most);
                const xli_reduce_shape reduce = reduce_shape(&s, most);
                assert_true(scan.group_size >= 1 && scan.group_size <= most);
                assert_true(reduce.group_size >= 1 && reduce.group_size <= most);
                assert_true(scan.tile > 0 && reduce.tile > 0);
                assert_int_equal(scan.items == 0, scan.group_size == 1);
                assert_int_equal(reduce.items == 0, reduce.group_size == 1);
                if (scan.items > 0)
                    assert_int_equal(scan.tile, scan.group_size * scan.items);
            }
}

/* Chunks of whole arrays are whole rows, cover everything, and leave no more totals than scratch
 * has room for, which grows with n. */
static void check_chunks(const xli_problem *problem, const xli_reduce_shape *shape)
{
    size_t before = 0;
    for (size_t k = 0; k < 400; ++k) {
        const size_t rows = k < 300 ? k : (k - 299) * (k - 299) * 4999;
        const size_t n = rows * shape->row + k % 3;
        const xli_reduce_partition cut = xli_reduce_partition_of(problem, shape, n, 0);
        const xli_reduce_layout room = xli_reduce_layout_of(problem, shape, n);
        assert_int_equal(cut.chunk % shape->row, 0);
        assert_true(cut.chunk > 0 && cut.chunks * cut.chunk >= n);
        assert_true(cut.chunks == 1 || (cut.chunks - 1) * cut.chunk < n);
        assert_true(cut.chunks <= cut.most);
        const size_t totals = (room.counts - room.carry_outs) / problem->accumulator_bytes;
        if (cut.chunks + 1 > totals)
            XLT_FAIL("%zu elements: %zu chunks, room for %zu", n, cut.chunks, totals);
        if (room.counts < before)
            XLT_FAIL("%zu elements take less scratch than fewer", n);
        assert_int_equal(room.carry_outs, shape->single_launch ? XLI_REDUCE_COUNTER_BYTES : 0);
        before = room.counts;
    }
}

XLT_TEST(chunks_of_whole_arrays)
{
    static const xl_type types[] = {XL_U8, XL_U32, XL_U64};
    static const uint32_t shortest[] = {0, 1, 3, 64}; /* 0: as built in */
    for (int d = 0; d < DEVICES; ++d)
        for (size_t t = 0; t < XLI_COUNT(types); ++t)
            for (size_t s = 0; s < XLI_COUNT(shortest); ++s) {
                const xl_scan_desc desc = sum_of(types[t]);
                subject of = subject_of(&devices[d], &desc, true);
                if (shortest[s] > 0) {
                    of.tune.reduce.serial = 0;
                    of.tune.reduce.chunk_vectors = shortest[s];
                    of.tune.reduce.single_group_vectors = 1;
                    of.tune.reduce.chunk_elements = s % 2 ? 256 : 1 << 30;
                }
                const xli_reduce_shape shape = reduce_shape(&of, devices[d].group);
                assert_int_equal(shape.single_launch, devices[d].can_publish);
                check_chunks(&of.problem, &shape);
            }
}

/* If a driver limits loops, no tuning value makes a long one. */
XLT_TEST(runs_are_as_long_as_loops_go)
{
    const xl_scan_desc desc = sum_of(XL_U32);
    const size_t n = (size_t)1 << 28, most = devices[LLVMPIPE].group;
    subject s = subject_of(&devices[LLVMPIPE], &desc, false);
    s.tune.scan.chunk_elements = s.tune.reduce.chunk_elements = 1 << 30;
    s.tune.reduce.chunk_elements_csr = 0;
    s.tune.scan.tile_bytes = 1 << 24;
    s.tune.reduce.single_group_tiles = s.tune.reduce.single_group_vectors = 1 << 16;
    xli_tune_limit_loops(&s.known, &s.tune);
    subject reduced = subject_of(&devices[LLVMPIPE], &desc, true);
    reduced.tune = s.tune;
    const xli_scan_shape scan = scan_shape(&s, XL_SCAN_AUTO, XLI_FILE_ANY, most);
    const xli_reduce_shape reduce = reduce_shape(&reduced, most);
    const xli_scan_partition runs = xli_scan_partition_of(&s.problem, &scan, n);
    const xli_reduce_partition chunks = xli_reduce_partition_of(&reduced.problem, &reduce, n, 0);
    assert_true(runs.chunk <= 1 << 19);
    assert_true(chunks.chunk <= 1 << 18);
    assert_true(reduce.tune.chunk_elements_csr == 1 << 13);
    assert_true(xli_reduce_partition_of(&reduced.problem, &reduce, 1 << 20, 0).chunk <= 1 << 18);
}

/* Few elements are one group's, more have a compute unit each for their vectors, and only then
 * chunks become longer. */
XLT_TEST(sums_of_an_array_on_an_h200)
{
    static const struct {
        size_t n, chunk, chunks;
    } rows[] = {
        {0, 1024, 1},
        {1, 1024, 1},
        {1 << 14, 1 << 14, 1},
        {(1 << 14) + 1, 1024, 17},
        {1 << 16, 1024, 64},
        {132 * 1024, 1024, 132},
        {132 * 1024 + 1, 2048, 67},
        {1 << 18, 2048, 128},
        {1 << 20, 8192, 128},
        {1 << 22, 8192, 512},
        {1 << 28, 249 * 1024, 1053},
    };
    const xl_scan_desc desc = sum_of(XL_I32);
    const subject s = subject_of(&devices[H200], &desc, true);
    const xli_reduce_shape shape = reduce_shape(&s, devices[H200].group);
    for (size_t k = 0; k < XLI_COUNT(rows); ++k) {
        const xli_reduce_partition cut = xli_reduce_partition_of(&s.problem, &shape, rows[k].n, 0);
        if (cut.chunk != rows[k].chunk || cut.chunks != rows[k].chunks)
            XLT_FAIL("%zu elements: %zu chunks of %zu", rows[k].n, cut.chunks, cut.chunk);
        assert_int_equal(xli_reduce_is_single(&shape, &cut), cut.chunks > 1);
    }
    const xli_reduce_partition many = {.chunk = 1, .chunks = XLI_REDUCE_TOTALS + 1};
    assert_false(xli_reduce_is_single(&shape, &many));
}

XLT_MAIN(NULL, NULL)

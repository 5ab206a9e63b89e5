/* SPDX-License-Identifier: MIT
 * Shapes of scans, reductions, sorts, selections, merges and searches on devices that need not be
 * there: the facts are made up.
 */
#include "merge_shape.h"
#include "reduce_shape.h"
#include "scan_shape.h"
#include "search_shape.h"
#include "sort_shape.h"
#include "topk_shape.h"
#include "xlt.h"

#include <stdio.h>
#include <string.h>

typedef struct device {
    const char *name;
    bool is_cpu, can_publish;
    xli_lane_way lane_way;
    uint32_t vendor_id, capability, width, units;
    size_t group, local_bytes;
} device;

enum { H200, NARROW, WIDE, POCL, INTEL, LLVMPIPE, DEVICES };
static const device devices[DEVICES] = {
    [H200] = {"NVIDIA H200", false, true, XLI_LANE_PTX, XLI_VENDOR_NVIDIA, 9, 32, 132, 1024, 49152},
    [NARROW] = {"a GPU without lanes", false, true, XLI_LANE_LOCAL, 0, 0, 1, 16, 256, 32768},
    [WIDE] = {"a GPU with lanes", false, true, XLI_LANE_KHR, 0, 0, 64, 40, 1024, 65536},
    [POCL] = {"pthread-cpu", true, true, XLI_LANE_LOCAL, 0, 0, 1, 2, 4096, 524288},
    [INTEL] = {"Intel(R) Xeon(R) CPU", true, true, XLI_LANE_KHR, 0x8086, 0, 16, 2, 8192, 32768},
    [LLVMPIPE] = {"llvmpipe (LLVM 15)", true, false, XLI_LANE_LOCAL, 0, 0, 1, 2, 1024, 32768},
};

static xli_capabilities facts_of(const device *d)
{
    xli_capabilities capabilities = {.lane_way = d->lane_way,
                                     .is_cpu = d->is_cpu,
                                     .can_publish = d->can_publish,
                                     .vendor_id = d->vendor_id,
                                     .nv_capability = d->capability};
    snprintf(capabilities.info.name, sizeof capabilities.info.name, "%s", d->name);
    capabilities.info.sub_group_size = d->width;
    capabilities.info.compute_units = d->units;
    capabilities.info.max_work_group_size = d->group;
    capabilities.info.local_bytes = d->local_bytes;
    return capabilities;
}

static xli_tune_device known_of(const xli_capabilities *capabilities)
{
    return (xli_tune_device){.name = capabilities->info.name,
                             .vendor_id = capabilities->vendor_id,
                             .capability = capabilities->nv_capability,
                             .is_cpu = capabilities->is_cpu,
                             .has_lanes = capabilities->lane_way != XLI_LANE_LOCAL};
}

static xli_problem problem_of(const xl_scan_desc *desc, const xli_capabilities *capabilities)
{
    xli_problem problem = {0};
    if (xli_problem_resolve(NULL, desc, false, capabilities, &problem) != XL_SUCCESS)
        XLT_FAIL("%s", xl_context_error(NULL));
    return problem;
}

static xl_scan_desc sum_of(xl_type type)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.type = type;
    return desc;
}

/* As built-in values have it, but that a tuning file may have set scan.look_back. */
static xli_scan_shape shape_on(const device *d, const xl_scan_desc *desc, int look_back,
                               unsigned files)
{
    const xli_capabilities capabilities = facts_of(d);
    const xli_problem problem = problem_of(desc, &capabilities);
    const xli_scan_limits limits = {desc->algorithm, files, capabilities.info.max_work_group_size};
    const xli_tune_device known = known_of(&capabilities);
    xli_tune_scan tune;
    xli_scan_shape shape;
    xli_tune_scan_table(&known, &tune);
    if (look_back >= 0)
        tune.look_back = (uint32_t)look_back;
    xli_scan_shape_of(&problem, &capabilities, &tune, &limits, &shape);
    return shape;
}

enum { AS_BUILT_IN = -1 };

static void sums_of_words(void **state)
{
    (void)state;
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

/* A GPU without lane operations looks back only for who asks: in a tuning file, or by name. */
static void look_back_needs_lanes_on_a_gpu(void **state)
{
    (void)state;
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

/* What a self-test found bad is not taken: the other file, else reduce-then-scan. */
static void only_files_that_may_be_taken(void **state)
{
    (void)state;
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

/* The bits of results that round follow from these blocks: the same on every device. */
static void textbook_blocks_are_the_same_everywhere(void **state)
{
    (void)state;
    static const struct {
        xl_type type;
        size_t tile;
    } rows[] = {{XL_F32, 1024}, {XL_F64, 1024}, {XL_I8, 1024}};
    for (size_t r = 0; r < XLI_COUNT(rows); ++r) {
        xl_scan_desc desc = sum_of(rows[r].type);
        desc.algorithm = XL_SCAN_KOGGE_STONE;
        for (int d = 0; d < DEVICES; ++d) {
            device with = devices[d];
            xli_capabilities capabilities = facts_of(&with);
            capabilities.info.has_fp64 = true;
            const xli_problem problem = problem_of(&desc, &capabilities);
            const xli_scan_limits limits = {desc.algorithm, XLI_FILE_ANY, with.group};
            const xli_tune_device known = known_of(&capabilities);
            xli_tune_scan tune;
            xli_scan_shape shape;
            xli_tune_scan_table(&known, &tune);
            xli_scan_shape_of(&problem, &capabilities, &tune, &limits, &shape);
            if (shape.tile != rows[r].tile || shape.items != 8)
                XLT_FAIL("%s, row %zu: tile %zu of %u", with.name, r, shape.tile,
                         (unsigned)shape.items);
            assert_int_equal(shape.group_size == 1, with.is_cpu);
        }
    }
}

/* So they do from these tiles, which look-back has where it computes the same tree. */
static void trees_are_the_same_everywhere(void **state)
{
    (void)state;
    static const struct {
        xl_type type;
        xl_segments segments;
        xli_scan_tree tree;
    } rows[] = {{XL_F32, XL_SEGMENTS_NONE, {256, 11, 4, 512}},
                {XL_F64, XL_SEGMENTS_NONE, {128, 15, 2, 512}},
                {XL_F32, XL_SEGMENTS_HEAD_FLAGS, {512, 3, 4, 512}},
                {XL_F32, XL_SEGMENTS_OFFSETS, {512, 3, 4, 512}},
                {XL_F32X4, XL_SEGMENTS_NONE, {128, 15, 1, 512}}};
    for (size_t r = 0; r < XLI_COUNT(rows); ++r)
        for (int d = 0; d < DEVICES; ++d)
            for (size_t most = devices[d].group; most > 0; most /= 2) {
                xl_scan_desc desc = sum_of(rows[r].type);
                desc.determinism = XL_REPRODUCIBLE;
                desc.segments = rows[r].segments;
                desc.segment_type = rows[r].segments == XL_SEGMENTS_OFFSETS ? XL_U64 : XL_NONE;
                xli_capabilities capabilities = facts_of(&devices[d]);
                capabilities.info.has_fp64 = true;
                const xli_problem problem = problem_of(&desc, &capabilities);
                const xli_scan_limits limits = {XL_SCAN_AUTO, XLI_FILE_ANY, most};
                const xli_tune_device known = known_of(&capabilities);
                xli_tune_scan tune;
                xli_scan_shape shape;
                xli_tune_scan_table(&known, &tune);
                xli_scan_shape_of(&problem, &capabilities, &tune, &limits, &shape);
                const size_t tile = xli_scan_tree_tile(&shape.tree);
                const bool back = shape.algorithm == XL_SCAN_LOOKBACK;
                assert_memory_equal(&shape.tree, &rows[r].tree, sizeof shape.tree);
                assert_true(shape.group_size <= most && shape.group_size <= shape.tree.size);
                assert_int_equal(back, d == H200 && most >= shape.tree.size && r < 3);
                assert_true(back ? shape.pipelined && shape.tile == tile
                                 : tile % shape.tile == 0 && shape.tile <= tile);
                assert_true(!back || shape.tune.pipelined_window == shape.tree.window);
                assert_true(!back || shape.short_tile_vectors == 0);
                assert_int_equal(shape.group_size == 1, devices[d].is_cpu || most < 32);
            }
}

/* Where its tiles do not fit look-back does not take shorter ones, but leaves the tree to launches.
 */
static void trees_do_not_shrink(void **state)
{
    (void)state;
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
static void shapes_fit(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_U8, XL_U32, XL_U64};
    for (int d = 0; d < DEVICES; ++d)
        for (size_t t = 0; t < XLI_COUNT(types); ++t)
            for (size_t most = devices[d].group; most > 0; most /= 2) {
                const xl_scan_desc desc = sum_of(types[t]);
                const xli_capabilities capabilities = facts_of(&devices[d]);
                const xli_problem problem = problem_of(&desc, &capabilities);
                const xli_scan_limits limits = {XL_SCAN_AUTO, XLI_FILE_ANY, most};
                const xli_tune_device known = known_of(&capabilities);
                xli_tune_scan tune;
                xli_tune_reduce tune_reduce = {.group_size = 128,
                                               .whole_size = 128,
                                               .item_bytes = 64,
                                               .whole_bytes = 64,
                                               .chunk_elements = 1 << 20};
                xli_scan_shape scan;
                xli_reduce_shape reduce;
                xli_tune_scan_table(&known, &tune);
                xli_scan_shape_of(&problem, &capabilities, &tune, &limits, &scan);
                xli_reduce_shape_of(&problem, &capabilities, &tune_reduce, most, &reduce);
                assert_true(scan.group_size >= 1 && scan.group_size <= most);
                assert_true(reduce.group_size >= 1 && reduce.group_size <= most);
                assert_true(scan.tile > 0 && reduce.tile > 0);
                assert_int_equal(scan.items == 0, scan.group_size == 1);
                assert_int_equal(reduce.items == 0, reduce.group_size == 1);
                if (scan.items > 0)
                    assert_int_equal(scan.tile, scan.group_size * scan.items);
            }
}

/* Runs are whole tiles, cover everything, and are no more than scratch has room for. */
static void cuts_cover_everything(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2047, 2048, 2049, 1 << 20, ((size_t)1 << 31) + 5};
    xl_scan_desc desc = sum_of(XL_U32);
    desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    for (int d = 0; d < DEVICES; ++d)
        for (size_t k = 0; k < XLI_COUNT(sizes); ++k) {
            const size_t n = sizes[k];
            const xli_capabilities capabilities = facts_of(&devices[d]);
            const xli_problem problem = problem_of(&desc, &capabilities);
            const xli_scan_shape shape = shape_on(&devices[d], &desc, AS_BUILT_IN, XLI_FILE_ANY);
            const xli_scan_partition cut = xli_scan_partition_of(&problem, &shape, n);
            assert_int_equal(cut.chunk % shape.tile, 0);
            assert_true(cut.groups * cut.chunk >= n && (cut.groups - 1) * cut.chunk < n);
            assert_true(cut.groups <= xli_scan_most_groups(&problem, &shape, n));
        }
}

static xli_problem reduction_of(const xl_scan_desc *desc, const xli_capabilities *capabilities)
{
    xli_problem problem = {0};
    if (xli_problem_resolve(NULL, desc, true, capabilities, &problem) != XL_SUCCESS)
        XLT_FAIL("%s", xl_context_error(NULL));
    return problem;
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

static void chunks_of_whole_arrays(void **state)
{
    (void)state;
    static const xl_type types[] = {XL_U8, XL_U32, XL_U64};
    static const uint32_t shortest[] = {0, 1, 3, 64}; /* 0: as built in */
    for (int d = 0; d < DEVICES; ++d)
        for (size_t t = 0; t < XLI_COUNT(types); ++t)
            for (size_t s = 0; s < XLI_COUNT(shortest); ++s) {
                const xl_scan_desc desc = sum_of(types[t]);
                const xli_capabilities capabilities = facts_of(&devices[d]);
                const xli_problem problem = reduction_of(&desc, &capabilities);
                const xli_tune_device known = known_of(&capabilities);
                xli_tune_reduce tune;
                xli_reduce_shape shape;
                xli_tune_reduce_table(&known, &tune);
                if (shortest[s] > 0) {
                    tune.serial = 0;
                    tune.chunk_vectors = shortest[s];
                    tune.single_group_vectors = 1;
                    tune.chunk_elements = s % 2 ? 256 : 1 << 30;
                }
                xli_reduce_shape_of(&problem, &capabilities, &tune, devices[d].group, &shape);
                assert_int_equal(shape.single_launch, devices[d].can_publish);
                check_chunks(&problem, &shape);
            }
}

/* Where long loops are ended no tuning value makes one. */
static void runs_are_as_long_as_loops_go(void **state)
{
    (void)state;
    const xl_scan_desc desc = sum_of(XL_U32);
    xli_capabilities capabilities = facts_of(&devices[LLVMPIPE]);
    const xli_tune_device known = known_of(&capabilities);
    const xli_scan_limits limits = {XL_SCAN_AUTO, XLI_FILE_ANY, devices[LLVMPIPE].group};
    const size_t n = (size_t)1 << 28;
    capabilities.ends_loops = true;
    const xli_problem scanned = problem_of(&desc, &capabilities);
    const xli_problem reduced = reduction_of(&desc, &capabilities);
    xli_tune_scan tune;
    xli_tune_reduce tune_reduce;
    xli_scan_shape scan;
    xli_reduce_shape reduce;
    xli_tune_scan_table(&known, &tune);
    xli_tune_reduce_table(&known, &tune_reduce);
    tune.chunk_elements = tune_reduce.chunk_elements = 1 << 30;
    tune.chunk_elements_csr = tune_reduce.chunk_elements_csr = 0;
    tune.tile_bytes = 1 << 24;
    tune_reduce.single_group_tiles = tune_reduce.single_group_vectors = 1 << 16;
    xli_scan_shape_of(&scanned, &capabilities, &tune, &limits, &scan);
    xli_reduce_shape_of(&reduced, &capabilities, &tune_reduce, limits.most, &reduce);
    const xli_scan_partition runs = xli_scan_partition_of(&scanned, &scan, n);
    const xli_reduce_partition chunks = xli_reduce_partition_of(&reduced, &reduce, n, 0);
    assert_true(runs.chunk <= 1 << 19);
    assert_true(chunks.chunk <= 1 << 18);
    assert_true(scan.tune.chunk_elements_csr == 1 << 10);
    assert_true(reduce.tune.chunk_elements_csr == 1 << 13);
    assert_true(xli_reduce_partition_of(&reduced, &reduce, 1 << 20, 0).chunk <= 1 << 18);
}

/* Few elements are one group's, more have a compute unit each for their vectors, and only then
 * chunks become longer. */
static void sums_of_an_array_on_an_h200(void **state)
{
    (void)state;
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
    xl_scan_desc desc = sum_of(XL_I32);
    const xli_capabilities capabilities = facts_of(&devices[H200]);
    const xli_problem problem = reduction_of(&desc, &capabilities);
    const xli_tune_device known = known_of(&capabilities);
    xli_tune_reduce tune;
    xli_reduce_shape shape;
    xli_tune_reduce_table(&known, &tune);
    xli_reduce_shape_of(&problem, &capabilities, &tune, devices[H200].group, &shape);
    for (size_t k = 0; k < XLI_COUNT(rows); ++k) {
        const xli_reduce_partition cut = xli_reduce_partition_of(&problem, &shape, rows[k].n, 0);
        if (cut.chunk != rows[k].chunk || cut.chunks != rows[k].chunks)
            XLT_FAIL("%zu elements: %zu chunks of %zu", rows[k].n, cut.chunks, cut.chunk);
        assert_int_equal(xli_reduce_is_single(&shape, &cut), cut.chunks > 1);
    }
    const xli_reduce_partition many = {.chunk = 1, .chunks = XLI_REDUCE_TOTALS + 1};
    assert_false(xli_reduce_is_single(&shape, &many));
}

static xli_sort_shape sort_of(const device *d, const xli_sort_problem *problem, size_t most)
{
    const xli_capabilities capabilities = facts_of(d);
    xli_tune_device known = known_of(&capabilities);
    xli_tune_sort tune;
    xli_sort_shape shape;
    known.max_work_group = d->group;
    known.local_bytes = d->local_bytes;
    known.compute_units = d->units;
    xli_tune_sort_table(&known, &tune);
    xli_sort_shape_of(problem, &capabilities, &known, &tune, &(xli_sort_limits){most, SIZE_MAX},
                      &shape);
    return shape;
}

/* Pairs of words; and what a sort of n of them needs. */
static void sorts_of_pairs(void **state)
{
    (void)state;
    const xli_sort_problem pairs = {.key = XL_U32, .value = XL_U32, .algorithm = XL_SORT_AUTO};
    xli_sort_shape shape = sort_of(&devices[H200], &pairs, 1024);
    assert_int_equal(shape.group_size, 256);
    assert_int_equal(xli_sort_tile(&shape), 2048);
    assert_int_equal(xli_sort_merges(&shape, 2048), 0);
    assert_int_equal(xli_sort_merges(&shape, 2049), 1);
    assert_int_equal(xli_sort_merges(&shape, 3 * 2048), 2);
    assert_int_equal(xli_sort_layout_of(&pairs, &shape, 2048).bytes, 0);
    for (size_t n = 2049; n < 2400; ++n) {
        const xli_sort_layout layout = xli_sort_layout_of(&pairs, &shape, n);
        assert_true(layout.values_at >= 4 * n && layout.bytes >= layout.values_at + 4 * n);
        assert_int_equal(layout.values_at % XLI_SCRATCH_ALIGN, 0);
    }
    shape = sort_of(&devices[H200], &pairs, 96);
    assert_int_equal(shape.group_size, 64);
    assert_int_equal(xli_sort_tile(&shape), 512);
    shape = sort_of(&devices[POCL], &pairs, 4096);
    assert_int_equal(shape.group_size, 1);
    assert_int_equal(xli_sort_tile(&shape), 4096);
}

/* Where a radix sort is taken, its chunks, and its scratch. */
static void sorts_by_digits(void **state)
{
    (void)state;
    xli_sort_problem wide = {.key = XL_U64, .value = XL_U32, .algorithm = XL_SORT_AUTO};
    assert_int_equal(sort_of(&devices[H200], &wide, 1024).radix, XLI_RADIX_SWEEP);
    xli_sort_shape shape = sort_of(&devices[POCL], &wide, 4096);
    assert_true(shape.radix == XLI_RADIX_CHUNKS && shape.bitonic);
    assert_false(xli_sort_by_radix(&shape, shape.tune.radix_from - 1));
    assert_true(xli_sort_by_radix(&shape, shape.tune.radix_from));
    wide.algorithm = XL_SORT_BITONIC;
    assert_int_equal(sort_of(&devices[POCL], &wide, 4096).radix, XLI_RADIX_NONE);
    wide.algorithm = XL_SORT_RADIX;
    shape = sort_of(&devices[POCL], &wide, 4096);
    for (size_t n = 1; n < (size_t)1 << 31; n += n / 3 + 1) {
        const xli_sort_chunks chunks = xli_sort_chunks_of(&shape, n);
        const xli_sort_layout layout = xli_sort_layout_of(&wide, &shape, n);
        assert_true(xli_sort_by_radix(&shape, n));
        assert_true(chunks.elements <= (size_t)1 << 30);
        assert_true(chunks.count * chunks.elements >= n &&
                    (chunks.count - 1) * chunks.elements < n);
        assert_true(layout.values_at >= 8 * n && layout.state_at >= layout.values_at + 4 * n);
        assert_true(layout.bytes >= layout.state_at + 128 + chunks.count * 1032);
        assert_true(layout.bytes <= 12 * n + ((size_t)4 << 20));
    }
}

/* Of a segmented sort: keys and values once more past a tile, and 40 bytes a tile; room in the list
 * for the tiles of as many long segments as there may be, each one element longer than half a tile,
 * or than a tile. */
static void sorts_of_segments(void **state)
{
    (void)state;
    for (int d = 0; d < DEVICES; ++d)
        for (size_t form = 0; form < 4; ++form) {
            const xli_sort_problem problem = {.key = form / 2 ? XL_U64 : XL_U8,
                                              .value = form % 2 ? XL_U32 : XL_NONE,
                                              .stable = true,
                                              .segments = XL_U32};
            const xli_sort_shape shape = sort_of(&devices[d], &problem, devices[d].group);
            const size_t tile = xli_sort_tile(&shape);
            const size_t element = xl_type_size(problem.key) + xl_type_size(problem.value);
            assert_int_equal(shape.radix, XLI_RADIX_NONE);
            assert_true(shape.list_groups > 0);
            for (size_t n = 1; n < (size_t)1 << 31; n += n / 5 + 1) {
                const xli_sort_segments s = xli_sort_segments_of(&shape, n);
                const size_t copy = n > tile ? n * element : 0;
                const size_t bytes = xli_sort_layout_of(&problem, &shape, n).bytes;
                assert_true(bytes >= copy + s.state_bytes && s.windows * (tile / 2) >= n);
                assert_true(bytes <= copy + 40 * xli_ceil_div(n, tile) + 1024);
                assert_true(s.capacity >= n / (tile / 2 + 1) && s.capacity >= 2 * (n / (tile + 1)));
                assert_true(s.state_bytes >= 4 * (2 + s.windows + 1) + 16 * s.capacity);
            }
            assert_int_equal(xli_sort_layout_of(&problem, &shape, 0).bytes, 0);
        }
}

static void check_room(const device *d, const xli_sort_problem *problem)
{
    static const uint64_t sizes[] = {1 << 20, 1 << 28, UINT32_MAX};
    const xli_sort_shape shape = sort_of(d, problem, d->group);
    const size_t element = xl_type_size(problem->key) + xl_type_size(problem->value);
    for (size_t k = 0; k < XLI_COUNT(sizes) && sizes[k] <= SIZE_MAX / 16; ++k) {
        const size_t n = (size_t)sizes[k];
        const xli_sort_layout layout = xli_sort_layout_of(problem, &shape, n);
        if (layout.bytes < n * element || layout.bytes > n * element + ((size_t)4 << 20))
            XLT_FAIL("%s, %s keys, %s values, algorithm %d: %zu take %zu bytes", d->name,
                     xl_type_name(problem->key), xl_type_name(problem->value),
                     (int)problem->algorithm, n, layout.bytes);
    }
}

/* Whatever the keys, scratch is the keys and values once more, and at most 4 MiB. */
static void sorts_take_little_room(void **state)
{
    (void)state;
    static const xl_type keys[] = {XL_I8,  XL_U8,  XL_I16, XL_U16, XL_I32, XL_U32,
                                   XL_I64, XL_U64, XL_F16, XL_F32, XL_F64};
    static const xli_radix_way ways[DEVICES] = {
        [H200] = XLI_RADIX_SWEEP,  [NARROW] = XLI_RADIX_CHUNKS, [WIDE] = XLI_RADIX_SWEEP,
        [POCL] = XLI_RADIX_CHUNKS, [INTEL] = XLI_RADIX_CHUNKS,  [LLVMPIPE] = XLI_RADIX_CHUNKS};
    for (int d = 0; d < DEVICES; ++d)
        for (size_t k = 0; k < XLI_COUNT(keys); ++k)
            for (unsigned way = 0; way < 6; ++way) {
                const xli_sort_problem problem = {.key = keys[k],
                                                  .value = way % 2 ? XL_U32 : XL_NONE,
                                                  .algorithm = (xl_sort_algorithm)(way / 2)};
                const xli_sort_shape shape = sort_of(&devices[d], &problem, devices[d].group);
                if (problem.algorithm == XL_SORT_RADIX)
                    assert_int_equal(shape.radix, ways[d]);
                if (problem.algorithm != XL_SORT_RADIX || shape.radix != XLI_RADIX_NONE)
                    check_room(&devices[d], &problem);
            }
}

static xli_topk_shape topk_of(const device *d, size_t most, bool ends_loops)
{
    const xli_capabilities capabilities = facts_of(d);
    xli_tune_device known = known_of(&capabilities);
    xli_tune_topk tune;
    xli_topk_shape shape;
    known.max_work_group = d->group;
    known.compute_units = d->units;
    known.ends_loops = ends_loops;
    xli_tune_topk_table(&known, &tune);
    xli_topk_shape_of(&known, &tune, most, &shape);
    return shape;
}

/* Chunks cover every n, their counts fit, and a driver's limit of loops is kept. */
static void chunks_of_selections(void **state)
{
    (void)state;
    const xli_topk_problem plain = {XL_U32, XL_NONE, true, false};
    assert_int_equal(topk_of(&devices[H200], 1024, false).group_size, 256);
    assert_int_equal(topk_of(&devices[H200], 100, false).group_size, 64);
    assert_int_equal(topk_of(&devices[POCL], 4096, false).group_size, 1);
    assert_int_equal(xli_topk_tile(&(xli_topk_shape){.tune = {.items = 8}, .group_size = 64}), 512);
    for (int d = 0; d < DEVICES; ++d) {
        const bool ends = d == LLVMPIPE;
        const xli_topk_shape shape = topk_of(&devices[d], 1024, ends);
        assert_true(!ends || shape.group_size == 256);
        for (size_t n = 1; n <= UINT32_MAX - n / 2; n += n / 2 + 1) {
            const xli_topk_chunks chunks = xli_topk_chunks_of(&shape, n);
            const xli_topk_layout layout = xli_topk_layout_of(&plain, &shape, n, n, 99999);
            assert_true(chunks.count * chunks.elements >= n &&
                        (chunks.count - 1) * chunks.elements < n);
            assert_true(chunks.elements <= (size_t)1 << 30);
            assert_true(layout.bytes >= 512 + 8192 + chunks.count * 1040);
            assert_true(layout.bytes <= (size_t)4 << 20);
            if (ends) /* a tile costs a work-item 16 rounds for its keys, and 24 for ranks */
                assert_true(xli_ceil_div(chunks.elements, xli_topk_tile(&shape)) * 40 < 65535);
        }
    }
}

/* What sorted results take. */
static void selections_in_order(void **state)
{
    (void)state;
    const xli_topk_shape shape = topk_of(&devices[H200], 1024, false);
    const size_t n = 100000, counts = xli_topk_chunks_of(&shape, n).count;
    for (int wide = 0; wide < 2; ++wide) {
        const xli_topk_problem sorted = {wide ? XL_F64 : XL_F32, XL_U32, false, true};
        assert_int_equal(xli_topk_is_wide(&sorted), wide);
        assert_false(xli_topk_sorts(&sorted, 1));
        assert_int_equal(xli_topk_layout_of(&sorted, &shape, n, 0, 7).bytes, 0);
        for (size_t k = 2; k < 3000; k += k / 3 + 1) {
            const xli_topk_layout l = xli_topk_layout_of(&sorted, &shape, n, k, 8 * k);
            assert_true(l.pairs_at >= 512 + 8192 + 1040 * counts);
            assert_true(l.ordinals_at >= l.pairs_at + 8 * k);
            assert_true(l.places_at >= l.ordinals_at + (wide ? 8 * k : 0));
            assert_true(l.nested_at >= l.places_at + (wide ? 4 * k : 0));
            assert_true(l.bytes >= l.nested_at + 8 * k);
            assert_int_equal(
                (l.pairs_at | l.ordinals_at | l.places_at | l.nested_at) % XLI_SCRATCH_ALIGN, 0);
        }
    }
}

static xli_merge_shape merge_of(const device *d, xl_type key, size_t most, bool ends_loops)
{
    const xli_merge_problem problem = {key, XL_U32, false};
    const xli_capabilities capabilities = facts_of(d);
    xli_tune_device known = known_of(&capabilities);
    xli_tune_merge tune;
    xli_merge_shape shape;
    known.max_work_group = d->group;
    known.local_bytes = d->local_bytes;
    known.compute_units = d->units;
    known.ends_loops = ends_loops;
    xli_tune_merge_table(&known, &tune);
    xli_merge_shape_of(&problem, &known, &tune, most, &shape);
    return shape;
}

/* Tiles of work-groups, which fit local memory, and the scratch for where they begin. */
static void merges_by_groups(void **state)
{
    (void)state;
    xli_merge_shape shape = merge_of(&devices[H200], XL_U32, 1024, false);
    assert_true(!shape.serial && shape.group_size == 256 && shape.items == 15);
    const size_t tile = xli_merge_tile(&shape, 1);
    assert_int_equal(tile, 3840);
    assert_int_equal(xli_merge_tile(&shape, UINT32_MAX), tile);
    const size_t few = shape.search_tiles * tile;
    assert_int_equal(xli_merge_scratch_bytes(&shape, 0), 0);
    assert_int_equal(xli_merge_scratch_bytes(&shape, few), 0);
    for (size_t n = few + 1; n < UINT32_MAX / 2; n += n / 3) {
        const size_t bytes = xli_merge_scratch_bytes(&shape, n);
        assert_true(bytes >= 4 * (xli_ceil_div(n, tile) + 1) && bytes < n / 500);
        assert_int_equal(bytes % XLI_SCRATCH_ALIGN, 0);
    }
    assert_int_equal(merge_of(&devices[H200], XL_U8, 1024, false).items, 15);
    assert_int_equal(merge_of(&devices[H200], XL_F64, 1024, false).items, 7);
    assert_int_equal(merge_of(&devices[H200], XL_U32, 96, false).group_size, 96);
    device tight = devices[NARROW];
    tight.local_bytes = 4096;
    shape = merge_of(&tight, XL_U64, 256, false);
    assert_true(shape.group_size == 256 && shape.items == 1);
    tight.local_bytes = 1024;
    assert_int_equal(merge_of(&tight, XL_U64, 256, false).group_size, 64);
}

/* Chunks of work-items: some for each unit, of few elements where loops are ended. */
static void merges_by_chunks(void **state)
{
    (void)state;
    const xli_merge_shape shape = merge_of(&devices[POCL], XL_U32, 4096, false),
                          ended = merge_of(&devices[LLVMPIPE], XL_U32, 1024, true);
    assert_true(shape.serial && shape.group_size == 1);
    for (size_t n = 1; n < UINT32_MAX / 2; n += n / 3 + 1) {
        const size_t chunk = xli_merge_tile(&shape, n);
        assert_true(chunk >= 1 << 12 && chunk <= shape.most);
        assert_true(chunk / 4 % 1024 >= 256 && chunk / 4 % 1024 <= 768);
        assert_true(n > 1 << 18 || n < 1 << 17 || xli_ceil_div(n, chunk) >= devices[POCL].units);
        assert_true(xli_merge_tile(&ended, n) <= 1 << 14);
        assert_int_equal(xli_merge_scratch_bytes(&shape, n), 0);
    }
}

static xli_search_shape search_of(const device *d, xl_search_kind kind, size_t most,
                                  bool ends_loops)
{
    const xli_search_problem problem = {XL_U32, XL_U64, false, kind};
    const xli_capabilities capabilities = facts_of(d);
    xli_tune_device known = known_of(&capabilities);
    xli_tune_search tune;
    xli_search_shape shape;
    known.max_work_group = d->group;
    known.local_bytes = d->local_bytes;
    known.compute_units = d->units;
    known.ends_loops = ends_loops;
    xli_tune_search_table(&known, &tune);
    xli_search_shape_of(&problem, &known, &tune, most, &shape);
    return shape;
}

static void searches(void **state)
{
    (void)state;
    const xli_search_shape gpu = search_of(&devices[H200], XL_SEARCH_UPPER, 1024, false),
                           cpu = search_of(&devices[POCL], XL_SEARCH_LOWER, 4096, false),
                           ended = search_of(&devices[LLVMPIPE], XL_SEARCH_LOWER, 1024, true);
    assert_true(!gpu.serial && gpu.group_size == 256 && gpu.items == 4);
    assert_true(cpu.serial && cpu.group_size == 1 && cpu.items == 8);
    assert_int_equal(search_of(&devices[H200], XL_SEARCH_UPPER, 96, false).group_size, 96);
    for (size_t n = 1; n < UINT32_MAX / 2; n += n / 3 + 1) {
        const size_t queries = xli_search_queries(&cpu, n);
        assert_int_equal(xli_search_queries(&gpu, n), 1024);
        assert_true(queries > 0 && queries % cpu.items == 0 && queries <= cpu.most);
        assert_true(xli_search_queries(&ended, n) <= 1 << 10);
    }
}

/* Where keys are not in order: chunks that hold each place from 1 on once. */
static void searches_of_places(void **state)
{
    (void)state;
    const xli_search_problem problem = {XL_U32, XL_U64, false, XL_SEARCH_UNSORTED};
    for (int d = 0; d < DEVICES; ++d) {
        const xli_search_shape shape =
            search_of(&devices[d], XL_SEARCH_UNSORTED, devices[d].group, d == LLVMPIPE);
        assert_true(8 * shape.group_size <= devices[d].local_bytes);
        assert_int_equal(xli_search_chunks_of(&shape, 0).count, 0);
        assert_int_equal(xli_search_chunks_of(&shape, 1).count, 0);
        for (size_t n = 2; n < UINT32_MAX / 2; n += n / 3 + 1) {
            const xli_search_chunks chunks = xli_search_chunks_of(&shape, n);
            assert_true(chunks.count * chunks.elements >= n - 1 &&
                        (chunks.count - 1) * chunks.elements < n - 1);
            assert_true(d == LLVMPIPE ? chunks.elements <= 1 << 15
                                      : chunks.count <= 8 * (size_t)devices[d].units);
            assert_true(xli_search_scratch_bytes(&problem, &shape, n) >= 8 * chunks.count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_whole_arrays),
        cmocka_unit_test(runs_are_as_long_as_loops_go),
        cmocka_unit_test(sums_of_an_array_on_an_h200),
        cmocka_unit_test(sums_of_words),
        cmocka_unit_test(look_back_needs_lanes_on_a_gpu),
        cmocka_unit_test(only_files_that_may_be_taken),
        cmocka_unit_test(textbook_blocks_are_the_same_everywhere),
        cmocka_unit_test(trees_are_the_same_everywhere),
        cmocka_unit_test(trees_do_not_shrink),
        cmocka_unit_test(shapes_fit),
        cmocka_unit_test(sorts_of_pairs),
        cmocka_unit_test(sorts_of_segments),
        cmocka_unit_test(sorts_by_digits),
        cmocka_unit_test(sorts_take_little_room),
        cmocka_unit_test(chunks_of_selections),
        cmocka_unit_test(selections_in_order),
        cmocka_unit_test(merges_by_groups),
        cmocka_unit_test(merges_by_chunks),
        cmocka_unit_test(searches),
        cmocka_unit_test(searches_of_places),
        cmocka_unit_test(cuts_cover_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Shapes of sorts, selections, merges and searches on devices that need not be there. */
#include "merge_shape.h"
#include "search_shape.h"
#include "select_shape.h"
#include "shape_devices.h"
#include "sort_shape.h"
#include "top_k_shape.h"
#include "xlt.h"

static xli_tune_sort tune_of(const device *d)
{
    const xli_capabilities capabilities = facts_of(d);
    const xli_tune_device known = known_of(&capabilities);
    xli_tune_sort tune;
    xli_tune_sort_table(&known, &tune);
    return tune;
}

static xli_sort_shape sort_as(const device *d, const xli_sort_problem *problem, size_t most,
                              const xli_tune_sort *tune)
{
    const xli_capabilities capabilities = facts_of(d);
    xli_tune_device known = known_of(&capabilities);
    xli_sort_shape shape;
    known.max_work_group = xli_min(known.max_work_group, most);
    xli_sort_shape_of(problem, &capabilities, &known, tune, &shape);
    return shape;
}

static xli_sort_shape sort_of(const device *d, const xli_sort_problem *problem, size_t most)
{
    const xli_tune_sort tune = tune_of(d);
    return sort_as(d, problem, most, &tune);
}

/* Pairs of words, and the scratch for n of them. */
XLT_TEST(sorts_of_pairs)
{
    const xli_sort_problem pairs = {
        .key = XL_U32, .value = XL_U32, .end_bit = 32, .algorithm = XL_SORT_BITONIC};
    xli_sort_shape shape = sort_of(&devices[H200], &pairs, 1024);
    assert_int_equal(shape.samples, 0);
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

/* A sort by samples: its runs cover n, none of its buckets is more than a group holds, and a group
 * has a work-item for each sample of a run and for both ends of each run. */
XLT_TEST(sorts_by_samples)
{
    for (size_t form = 0; form < 2; ++form) {
        const xli_sort_problem problem = {
            .key = XL_U32, .value = form ? XL_U32 : XL_NONE, .end_bit = 32};
        const xli_sort_shape shape = sort_of(&devices[H200], &problem, 1024);
        assert_int_equal(shape.samples, 1 << 17);
        assert_true(shape.bitonic); /* up to two tiles, and from the samples to the digits */
        const size_t merged = (size_t)2 << shape.sample[0].tile_log;
        assert_false(xli_sort_by_samples(&shape, shape.samples + 1));
        for (size_t n = 1; n <= shape.samples; n += n / 50 + 1) {
            const xli_sort_samples s = xli_sort_samples_of(&problem, &shape, n);
            const xli_sample_size size = shape.sample[s.size];
            const size_t tile = (size_t)1 << size.tile_log;
            assert_int_equal(xli_sort_by_samples(&shape, n), n > merged);
            assert_false(xli_sort_by_radix(&shape, n));
            assert_true(s.length <= tile && s.runs == xli_ceil_div(n, s.length));
            assert_true((s.runs == 1) == (n <= tile));
            if (s.runs == 1)
                continue;
            assert_true(s.gap > 0 && (s.share + s.runs) * s.gap <= tile);
            assert_true(s.runs <= s.share && 2 * s.share <= size.group &&
                        s.length / s.gap <= size.group);
            assert_true(s.buckets * s.share * s.gap >= n);
            assert_true(s.splitters_at >= xli_ceil_div(n, s.gap) * 4);
            assert_true(s.bytes >= s.splitters_at + s.buckets * 8);
        }
    }
    const xli_sort_problem asked = {.key = XL_U32, .end_bit = 32, .algorithm = XL_SORT_RADIX};
    const xli_sort_problem range = {.key = XL_U32, .end_bit = 17};
    const xli_sort_problem plain = {.key = XL_U32, .end_bit = 32};
    assert_int_equal(sort_of(&devices[H200], &asked, 1024).samples, 0);
    assert_int_equal(sort_of(&devices[H200], &range, 1024).samples, 0);
    assert_int_equal(sort_of(&devices[POCL], &plain, 4096).samples, 0);
}

/* Where a radix sort is taken, its chunks, and its scratch. */
XLT_TEST(sorts_by_digits)
{
    xli_sort_problem wide = {
        .key = XL_U64, .value = XL_U32, .end_bit = 64, .algorithm = XL_SORT_AUTO};
    xli_sort_shape shape = sort_of(&devices[H200], &wide, 1024);
    assert_int_equal(shape.radix, XLI_RADIX_SWEEP);
    assert_int_equal(shape.radix_size[0].group, shape.tune.sweep_pair_group);
    assert_int_equal(shape.radix_size[0].registers, shape.tune.sweep_pair_registers);
    shape = sort_of(&devices[WIDE], &wide, 1024);
    assert_int_equal(shape.radix_size[0].registers, 0); /* a limit of NVIDIA's */
    wide.value = XL_NONE;
    shape = sort_of(&devices[H200], &wide, 1024);
    assert_int_equal(shape.radix_size[0].group, shape.tune.sweep_wide_group);
    assert_int_equal(shape.radix_size[0].items, shape.tune.sweep_wide_bytes / 8);
    assert_int_equal(shape.radix_size[0].registers, shape.tune.sweep_wide_registers);
    assert_false(xli_sort_by_radix(&shape, shape.tune.sweep_wide_from - 1));
    assert_true(xli_sort_by_radix(&shape, shape.tune.sweep_wide_from));
    wide.key = XL_F64;
    shape = sort_of(&devices[H200], &wide, 1024);
    assert_int_equal(shape.radix_size[0].group, shape.tune.sweep_wide_group);
    wide.key = XL_U64;
    wide.value = XL_U32;
    shape = sort_of(&devices[POCL], &wide, 4096);
    assert_true(shape.radix == XLI_RADIX_CHUNKS && shape.bitonic);
    assert_false(xli_sort_by_radix(&shape, shape.tune.radix_pair_from - 1));
    assert_true(xli_sort_by_radix(&shape, shape.tune.radix_pair_from));
    assert_true(xli_sort_is_alone(&shape, shape.tune.radix_alone));
    assert_false(xli_sort_is_alone(&shape, shape.tune.radix_alone + 1));
    const size_t n_of_buckets = (size_t)1 << 24;
    const xli_sort_buckets buckets = xli_sort_buckets_of(&wide, &shape, n_of_buckets);
    assert_true(shape.buckets && shape.units > 1);
    assert_int_equal(buckets.most, n_of_buckets / shape.units);
    assert_int_equal(buckets.split, shape.tune.radix_bucket_bytes / 12);
    assert_int_equal(xli_sort_buckets_of(&wide, &shape, 1).most, shape.tune.radix_alone);
    wide.end_bit = 63;
    shape = sort_of(&devices[POCL], &wide, 4096);
    assert_false(shape.buckets || shape.bitonic || xli_sort_is_alone(&shape, 1));
    wide = (xli_sort_problem){.key = XL_U8, .end_bit = 8};
    assert_false(sort_of(&devices[POCL], &wide, 4096).buckets);
    wide = (xli_sort_problem){.key = XL_U64, .value = XL_U32, .end_bit = 64};
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

/* Few keys have smaller tiles, up to a number that depends on the type. */
XLT_TEST(small_sweeps)
{
    xli_tune_sort tune = tune_of(&devices[H200]);
    tune.sweep_small_most = 3u << 20;
    tune.sweep_small_pair_most = (3u << 20) + 1;
    for (size_t k = 0; k < 2; ++k) {
        const size_t most = (3u << 20) + k;
        const xli_sort_problem problem = {
            .key = XL_U32, .value = k > 0 ? XL_U32 : XL_NONE, .end_bit = 32};
        xli_sort_shape shape = sort_as(&devices[H200], &problem, 1024, &tune);
        assert_int_equal(xli_sort_radix_size(&shape, most), 1);
        assert_int_equal(xli_sort_radix_size(&shape, most + 1), 0);
        assert_int_equal(shape.radix_size[1].group, tune.sweep_small_group);
        assert_int_equal(shape.radix_size[1].registers, tune.sweep_small_registers);
        assert_int_equal(shape.radix_size[1].depth, tune.sweep_small_depth);
        assert_int_equal(shape.radix_size[0].depth, tune.sweep_depth);
        assert_true(xli_sort_radix_tile(&shape, most) < xli_sort_radix_tile(&shape, most + 1));
        assert_true(xli_sort_layout_of(&problem, &shape, most).bytes <=
                    xli_sort_layout_of(&problem, &shape, most + 1).bytes);
        /* Small tiles are not used for sizes of bitonic sorts, or of larger tiles. */
        xli_tune_sort other = tune;
        other.sweep_from = other.sweep_wide_from = other.sweep_pair_from = (4u << 20);
        assert_int_equal(sort_as(&devices[H200], &problem, 1024, &other).small_sweeps, 0);
        other = tune;
        other.sweep_small_bytes = 256;
        assert_int_equal(sort_as(&devices[H200], &problem, 1024, &other).small_sweeps, 0);
    }
    const xli_sort_problem wide = {.key = XL_U64, .end_bit = 64};
    assert_int_equal(sort_as(&devices[H200], &wide, 1024, &tune).small_sweeps, 0);
}

/* More keys than 32 bits count: by digits however few there are; no launch and no work-item counts
 * more than 31 bits do. */
XLT_TEST(sorts_of_many)
{
    for (int d = 0; d < DEVICES; ++d)
        for (size_t form = 0; form < 3; ++form) {
            const xli_sort_problem problem = {.key = XL_U32,
                                              .value = form == 0   ? XL_NONE
                                                       : form == 1 ? XL_U32
                                                                   : XL_U64,
                                              .end_bit = 32,
                                              .large = true};
            const size_t element = 4 + xl_type_size(problem.value);
            const xli_sort_shape shape = sort_of(&devices[d], &problem, devices[d].group);
            if (shape.radix == XLI_RADIX_NONE)
                continue;
            assert_true(!shape.bitonic && shape.samples == 0 && shape.small_sweeps == 0);
            if (shape.radix == XLI_RADIX_SWEEP) {
                const size_t part = shape.part_tiles * xli_sort_radix_tile(&shape, 1);
                assert_true(part <= INT32_MAX && part > INT32_MAX / 2);
            }
            for (uint64_t n = 1; n < (uint64_t)1 << 38 && n < SIZE_MAX / 64; n += n / 3 + 1) {
                const xli_sort_layout layout = xli_sort_layout_of(&problem, &shape, (size_t)n);
                assert_true(xli_sort_by_radix(&shape, (size_t)n));
                assert_true(xli_sort_buckets_of(&problem, &shape, (size_t)n).most <= 1 << 30);
                assert_true(layout.bytes >= element * n && layout.state_bytes > 0);
                assert_true(layout.bytes <= element * n + ((size_t)8 << 20) + (n >> 19));
            }
        }
}

/* Scratch of a segmented sort: keys and values once more past a tile, 64 bytes a tile, and 8
 * bytes for each doubling of tiles. The lists have room for the tiles of the most long segments,
 * each one element longer than half a tile, or than a tile. */
XLT_TEST(sorts_of_segments)
{
    for (int d = 0; d < DEVICES; ++d)
        for (size_t form = 0; form < 4; ++form) {
            const xli_sort_problem problem = {.key = form / 2 ? XL_U64 : XL_U8,
                                              .value = form % 2 ? XL_U32 : XL_NONE,
                                              .end_bit = form / 2 ? 64 : 8,
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
                const size_t each = 64 + 8 * xli_sort_merges(&shape, n);
                assert_true(bytes <= copy + each * xli_ceil_div(n, tile) + 1024);
                assert_true(s.capacity >= n / (tile / 2 + 1) && s.capacity >= 2 * (n / (tile + 1)));
                assert_true(s.state_bytes >= 4 * (6 + 2 * s.windows + 1) + 16 * s.capacity);
                assert_int_equal(shape.queue, d == H200);
                assert_true(!shape.queue || s.slots >= s.capacity * xli_sort_merges(&shape, n));
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
XLT_TEST(sorts_take_little_room)
{
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
                                                  .end_bit = 8 * (uint32_t)xl_type_size(keys[k]),
                                                  .algorithm = (xl_sort_algorithm)(way / 2)};
                const xli_sort_shape shape = sort_of(&devices[d], &problem, devices[d].group);
                if (problem.algorithm == XL_SORT_RADIX)
                    assert_int_equal(shape.radix, ways[d]);
                if (problem.algorithm != XL_SORT_RADIX || shape.radix != XLI_RADIX_NONE)
                    check_room(&devices[d], &problem);
            }
}

/* Gathered values need only room for their places and for the largest value. */
XLT_TEST(sorts_that_gather_take_little_room)
{
    static const size_t sizes[] = {1, 8, 12, 100}, numbers[] = {1, 3000, 1 << 24};
    for (int d = 0; d < DEVICES; ++d)
        for (size_t i = 0; i < 3 * XLI_COUNT(sizes) * 2; ++i) {
            const size_t size = sizes[i / 2 % XLI_COUNT(sizes)];
            const size_t n = numbers[i / 2 / XLI_COUNT(sizes)];
            const xli_sort_problem problem = {.key = XL_U64,
                                              .value = XL_U32,
                                              .indices = true,
                                              .hides_indices = i % 2,
                                              .end_bit = 64,
                                              .num_gathered = 2,
                                              .gathered = {1, size}};
            const xli_sort_shape shape = sort_of(&devices[d], &problem, devices[d].group);
            const xli_sort_layout layout = xli_sort_layout_of(&problem, &shape, n);
            const size_t places = i % 2 ? 4 : 0, most = xli_max(8 + 4, size) + places;
            assert_true(layout.bytes >= n * (size + places));
            assert_true(layout.bytes <= n * most + ((size_t)4 << 20));
            if (i % 2)
                assert_true(layout.places_at >= n * size &&
                            layout.bytes >= layout.places_at + n * places);
        }
}

/* Selections take as little as xl_select_scratch() promises on every device, chunks cover every n,
 * look-back is left out where it is slow or cannot be, and a driver's limit of loops is kept. */
XLT_TEST(shapes_of_compaction)
{
    for (int d = 0; d < DEVICES; ++d)
        for (int kind = XL_SELECT_IF; kind <= XL_SELECT_REPEAT; ++kind) {
            const xli_capabilities capabilities = facts_of(&devices[d]);
            const xli_tune_device known = known_of(&capabilities);
            xli_tune tune = {0};
            xli_select_shape s;
            const xli_select_problem p = {.kind = (xl_select_kind)kind,
                                          .element = {.type = XL_U8, .lanes = 1, .bytes = 1}};
            xli_tune_select_table(&known, &tune.select);
            xli_tune_limit_loops(&known, &tune);
            xli_select_shape_of(&p, &capabilities, &tune.select, devices[d].group, &s);
            assert_true((!s.look_back && s.resident == 0) || capabilities.can_publish);
            assert_true(s.group_size <= devices[d].group);
            for (size_t n = 1, before = 0; n <= SIZE_MAX / 256; n += n / 2 + 1) {
                const xli_select_chunks chunks = xli_select_chunks_of(&s, n);
                const size_t bytes = xli_select_scratch_bytes(&p, &s, n);
                assert_true(chunks.count * chunks.elements >= n &&
                            (chunks.count - 1) * chunks.elements < n);
                assert_true(chunks.elements < (size_t)1 << 31);
                assert_true(d != LLVMPIPE || chunks.elements <= 256 * s.tile);
                assert_true(s.resident == 0 || chunks.count <= s.resident ||
                            chunks.elements > (size_t)1 << 29);
                assert_true(bytes >= before && bytes <= n / 100 + ((size_t)1 << 20));
                before = bytes;
            }
        }
}

static xli_top_k_shape top_k_of(const device *d, size_t most)
{
    const xli_capabilities capabilities = facts_of(d);
    const xli_tune_device known = known_of(&capabilities);
    xli_tune tune = {0};
    xli_top_k_shape shape;
    xli_tune_top_k_table(&known, &tune.top_k);
    xli_tune_limit_loops(&known, &tune);
    xli_top_k_shape_of(&known, &tune.top_k, most, &shape);
    return shape;
}

/* Chunks cover every n, their counts fit, and a driver's limit of loops is kept. */
XLT_TEST(chunks_of_selections)
{
    const xli_top_k_problem plain = {.key = XL_U32, .largest = true};
    assert_int_equal(top_k_of(&devices[H200], 1024).group_size, 256);
    assert_int_equal(top_k_of(&devices[H200], 100).group_size, 64);
    assert_int_equal(top_k_of(&devices[POCL], 4096).group_size, 1);
    assert_int_equal(xli_top_k_tile(&(xli_top_k_shape){.tune = {.items = 8}, .group_size = 64}),
                     512);
    for (int d = 0; d < DEVICES; ++d) {
        const bool ends = d == LLVMPIPE;
        const xli_top_k_shape shape = top_k_of(&devices[d], 1024);
        assert_true(!ends || shape.group_size == 256);
        for (size_t n = 1; n <= UINT32_MAX - n / 2; n += n / 2 + 1) {
            const xli_top_k_chunks chunks = xli_top_k_chunks_of(&shape, n);
            const xli_top_k_layout layout = xli_top_k_layout_of(&plain, &shape, n, n, 99999);
            assert_true(chunks.count * chunks.elements >= n &&
                        (chunks.count - 1) * chunks.elements < n);
            assert_true(chunks.elements <= (size_t)1 << 30);
            assert_true(layout.bytes >= 512 + 2 * 49152 + chunks.count * (12 + 4 * shape.room));
            assert_true(ends ? shape.room == 0 : shape.room == 640);
            assert_true(layout.bytes <= (size_t)4 << 20);
            if (ends) /* a tile costs a work-item 16 rounds for its keys, and 24 for ranks */
                assert_true(xli_ceil_div(chunks.elements, xli_top_k_tile(&shape)) * 40 < 65535);
        }
    }
}

/* A bound is guessed where few keys are within it, and more than are wanted. */
XLT_TEST(samples_of_selections)
{
    const xli_top_k_problem plain = {.key = XL_U32, .largest = true},
                            bytes = {.key = XL_U8, .largest = true};
    xli_top_k_shape shape = top_k_of(&devices[H200], 1024);
    const size_t most = (size_t)1 << 28;
    for (size_t k = 1; k < most; k += k / 2 + 1) {
        const xli_top_k_sample s = xli_top_k_sample_of(&plain, &shape, most, k);
        const double each = s.keys > 0 ? (double)most / (double)s.keys : 0;
        assert_true(s.keys > 0 || k > 50000);
        assert_true(s.keys == 0 || k < 100000);
        assert_true(s.keys == 0 || ((double)s.rank - 8) * each >= (double)k);
        assert_true(2 * (double)s.rank * each <= 660 * 640);
        assert_true(s.stride * s.keys <= most && s.rank <= s.keys);
        assert_int_equal(xli_top_k_sample_of(&bytes, &shape, most, k).keys, 0);
    }
    const xli_top_k_sample s = xli_top_k_sample_of(&plain, &shape, most, 100);
    const xli_top_k_chunks parts = xli_top_k_sample_chunks(&shape, &s);
    assert_true(parts.count == 264 && parts.count * parts.elements >= s.keys &&
                (parts.count - 1) * parts.elements < s.keys);
    assert_int_equal(xli_top_k_sample_of(&plain, &shape, shape.tune.sampled - 1, 1).keys, 0);
    shape.tune.sampled = 1;
    assert_int_equal(xli_top_k_sample_of(&plain, &shape, shape.tune.sample - 1, 1).keys, 0);
    shape.tune.sample = 0;
    assert_int_equal(xli_top_k_sample_of(&plain, &shape, most, 1).keys, 0);
    shape = top_k_of(&devices[LLVMPIPE], 1024); /* which has no lists */
    assert_int_equal(xli_top_k_sample_of(&plain, &shape, most, 1).keys, 0);
}

/* What sorted results take. */
XLT_TEST(selections_in_order)
{
    const xli_top_k_shape shape = top_k_of(&devices[H200], 1024);
    const size_t n = 100000, counts = xli_top_k_chunks_of(&shape, n).count;
    for (int wide = 0; wide < 2; ++wide) {
        const xli_top_k_problem sorted = {
            .key = wide ? XL_F64 : XL_F32, .values = {1, {4}}, .sorted = true};
        assert_int_equal(xli_top_k_is_wide(&sorted), wide);
        assert_false(xli_top_k_sorts(&sorted, 1));
        assert_false(xli_top_k_ranks(&sorted, &shape, 1));
        assert_true(xli_top_k_ranks(&sorted, &shape, shape.tune.ranked));
        assert_false(xli_top_k_ranks(&sorted, &shape, shape.tune.ranked + 1));
        assert_int_equal(xli_top_k_layout_of(&sorted, &shape, n, 0, 7).bytes, 0);
        for (size_t k = 2; k < 3000; k += k / 3 + 1) {
            const xli_top_k_layout l = xli_top_k_layout_of(&sorted, &shape, n, k, 8 * k);
            assert_true(l.indices_at >= 512 + 2 * 49152 + (12 + 4 * shape.room) * counts);
            assert_true(l.words_at >= l.indices_at + 4 * k);
            assert_true(l.places_at >= l.words_at + 8 * k);
            assert_true(l.nested_at >= l.places_at + (wide ? 4 * k : 0));
            assert_true(l.bytes >= l.nested_at + 8 * k);
            assert_int_equal((l.words_at | l.places_at | l.nested_at) % XLI_SCRATCH_ALIGN, 0);
        }
    }
}

static xli_merge_shape set_of(const device *d, xl_type key, xl_merge_operation operation,
                              size_t most)
{
    const xli_merge_problem problem = {.key = key, .operation = operation};
    const xli_capabilities capabilities = facts_of(d);
    const xli_tune_device known = known_of(&capabilities);
    xli_tune tune = {0};
    xli_merge_shape shape;
    xli_tune_merge_table(&known, &tune.merge);
    xli_tune_limit_loops(&known, &tune);
    xli_merge_shape_of(&problem, &known, &tune.merge, most, &shape);
    return shape;
}

static xli_merge_shape merge_of(const device *d, xl_type key, size_t most)
{
    return set_of(d, key, XL_MERGE_ALL, most);
}

/* Tiles of work-groups, which fit local memory, and the scratch for where they begin. */
XLT_TEST(merges_by_groups)
{
    xli_merge_shape shape = merge_of(&devices[H200], XL_U32, 1024);
    assert_true(!shape.serial && shape.group_size == 256 && shape.items == 19);
    const size_t tile = xli_merge_tile(&shape, 1);
    assert_int_equal(tile, 4864);
    assert_int_equal(xli_merge_tile(&shape, UINT32_MAX), tile);
    const size_t few = shape.search_tiles * tile;
    assert_int_equal(xli_merge_scratch_bytes(&shape, 0), 0);
    assert_int_equal(xli_merge_scratch_bytes(&shape, few), 0);
    for (size_t n = few + 1; n < UINT32_MAX / 2; n += n / 3) {
        const size_t bytes = xli_merge_scratch_bytes(&shape, n);
        assert_true(bytes >= 4 * (xli_ceil_div(n, tile) + 1) && bytes < n / 500);
        assert_int_equal(bytes % XLI_SCRATCH_ALIGN, 0);
    }
    assert_int_equal(merge_of(&devices[H200], XL_U8, 1024).items, 19);
    assert_int_equal(merge_of(&devices[H200], XL_F64, 1024).items, 9);
    assert_int_equal(merge_of(&devices[H200], XL_U32, 96).group_size, 96);
    device tight = devices[NARROW];
    tight.local_bytes = 4096;
    shape = merge_of(&tight, XL_U64, 256);
    assert_true(shape.group_size == 256 && shape.items == 1);
    tight.local_bytes = 1024;
    assert_int_equal(merge_of(&tight, XL_U64, 256).group_size, 64);
}

/* Elements that the tree of runs i to j - 1 moves; *depth: its depth. */
static size_t moved(const size_t *runs, size_t i, size_t j, unsigned *depth)
{
    const size_t k = xli_merge_cut(runs, i, j);
    unsigned first = 0, second = 0;
    *depth = 0;
    if (k == j)
        return 0;
    assert_true(runs[i] < runs[k] && runs[k] < runs[j]);
    const size_t below = moved(runs, i, k, &first) + moved(runs, k, j, &second);
    *depth = 1 + (unsigned)xli_max(first, second);
    return below + runs[j] - runs[i];
}

/* Runs are merged with neighbours of about their size, whichever are long or empty. */
XLT_TEST(merges_of_runs)
{
    enum { RUNS = 1000 };
    const xli_merge_problem p = {.key = XL_U32, .values = {2, {4, 100}}};
    const size_t even[] = {0, 10, 20, 30, 40, 50, 60, 70, 80}, empty[] = {0, 0, 7, 7, 7},
                 halves[] = {0, 512, 768, 896, 960, 992, 1008, 1016, 1020, 1024};
    size_t runs[RUNS + 1] = {0};
    unsigned depth;
    xlt_random random = {7};
    assert_int_equal(moved(even, 0, 8, &depth), 3 * 80);
    assert_int_equal(moved(halves, 0, 9, &depth), 1024 + 512 + 256 + 128 + 64 + 32 + 16 + 8);
    assert_true(xli_merge_cut(empty, 0, 4) == 4 && xli_merge_cut(empty, 1, 1) == 1);
    for (unsigned bits = 0; bits < 20; ++bits) {
        for (size_t k = 0; k < RUNS; ++k)
            runs[k + 1] =
                runs[k] + (xlt_below(&random, 9) ? xlt_below(&random, 3)
                                                 : (size_t)1 << xlt_below(&random, bits + 1));
        assert_true(moved(runs, 0, RUNS, &depth) <= 12 * runs[RUNS]);
        assert_true(depth <= 2 * 30 && (size_t)1 << depth / 2 <= runs[RUNS]);
    }
    for (size_t n = 1; n < UINT32_MAX / 2; n += n / 3 + 1) {
        assert_int_equal(xli_merge_spare_bytes(&p, n, 2), 0);
        assert_true(xli_merge_spare_bytes(&p, n, 3) >= (n + 1) * 108);
        assert_int_equal(xli_merge_spare_bytes(&p, n, 3) % XLI_SCRATCH_ALIGN, 0);
    }
    assert_true(xli_merge_spare_bytes(&p, SIZE_MAX / 2, 3) == SIZE_MAX);
}

/* Tiles have room for one more element, and scratch on every device. */
XLT_TEST(set_operations)
{
    const xli_merge_shape gpu = set_of(&devices[H200], XL_U32, XL_MERGE_UNION, 1024),
                          cpu = set_of(&devices[POCL], XL_U32, XL_MERGE_UNION, 4096);
    assert_int_equal(xli_merge_tile(&gpu, 1), 2815);
    assert_true(cpu.serial && !set_of(&devices[LLVMPIPE], XL_U32, XL_MERGE_UNION, 8).serial);
    device tight = devices[NARROW];
    tight.local_bytes = 1024;
    const xli_merge_shape least = set_of(&tight, XL_U64, XL_MERGE_DIFFERENCE, 256);
    assert_true(least.items == 2 && least.group_size == 32);
    for (size_t n = 1; n < UINT32_MAX / 2; n += n / 3 + 1) {
        assert_true(xli_merge_scratch_bytes(&gpu, n) >= 12 * (xli_ceil_div(n, 2815) + 1));
        assert_true(xli_merge_scratch_bytes(&cpu, n) >= 12 * (xli_merge_tiles(&cpu, n) + 1));
        const xli_merge_problem p = {.key = XL_U32, .operation = XL_MERGE_INTERSECTION};
        assert_int_equal(xli_merge_room(&p, n, 1000), xli_min(n, 1000));
    }
}

/* Chunks of work-items: some for each unit, of few elements where loops are ended. */
XLT_TEST(merges_by_chunks)
{
    const xli_merge_shape shape = merge_of(&devices[POCL], XL_U32, 4096),
                          ended = merge_of(&devices[LLVMPIPE], XL_U32, 1024);
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

static xli_search_shape search_of(const device *d, xl_search_kind kind, size_t most)
{
    const xli_search_problem problem = {XL_U32, XL_U64, false, kind, false};
    const xli_capabilities capabilities = facts_of(d);
    const xli_tune_device known = known_of(&capabilities);
    xli_tune tune = {0};
    xli_search_shape shape;
    xli_tune_search_table(&known, &tune.search);
    xli_tune_limit_loops(&known, &tune);
    xli_search_shape_of(&problem, &known, &tune.search, most, &shape);
    return shape;
}

XLT_TEST(searches)
{
    const xli_search_shape gpu = search_of(&devices[H200], XL_SEARCH_UPPER, 1024),
                           cpu = search_of(&devices[POCL], XL_SEARCH_LOWER, 4096),
                           ended = search_of(&devices[LLVMPIPE], XL_SEARCH_LOWER, 1024);
    assert_true(!gpu.serial && gpu.group_size == 256 && gpu.items == 4);
    assert_true(cpu.serial && cpu.group_size == 1 && cpu.items == 8);
    assert_int_equal(search_of(&devices[H200], XL_SEARCH_UPPER, 96).group_size, 96);
    for (size_t n = 1; n < UINT32_MAX / 2; n += n / 3 + 1) {
        const size_t queries = xli_search_queries(&cpu, n);
        assert_int_equal(xli_search_queries(&gpu, n), 1024);
        assert_true(queries > 0 && queries % cpu.items == 0 && queries <= cpu.most);
        assert_true(xli_search_queries(&ended, n) <= 1 << 10);
    }
}

/* Where keys are not in order: chunks that hold each place from 1 on once. */
XLT_TEST(searches_of_places)
{
    const xli_search_problem problem = {XL_U32, XL_U64, false, XL_SEARCH_UNSORTED, false};
    for (int d = 0; d < DEVICES; ++d) {
        const xli_search_shape shape = search_of(&devices[d], XL_SEARCH_UNSORTED, devices[d].group);
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

XLT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 * The shape of a sort, and what follows from it for n elements. Pure, see sort_shape.h. */
#include "sort_shape.h"

/* Local memory of a sweep: the keys, or the counters of its sub-groups, and what its group shares
 * (cl/sort/sort_onesweep.cl). */
static uint64_t sweep_bytes(const xli_sort_shape *shape, size_t key)
{
    enum { DIGIT_WORDS = 256 * 4, OTHER = 64 };
    const uint64_t group = shape->sweep_group;
    return xli_max(group * shape->sweep_items * key, (uint64_t)shape->sub_groups * DIGIT_WORDS) +
           group * 4 + DIGIT_WORDS + OTHER;
}

/* Whether one launch a pass is possible, and how its tiles are held. A group of 256 has a work-item
 * for each digit. */
static bool shape_sweep(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                        const xli_tune_device *device, const xli_sort_limits *limits,
                        xli_sort_shape *shape)
{
    enum { LEAST = 256, STEP = 64, NARROWEST = 8, WORD = 4 };
    const xli_tune_sort *t = &shape->tune;
    const size_t key = xl_type_size(problem->key);
    const bool pairs = problem->value != XL_NONE;
    const uint32_t group = pairs ? t->sweep_pair_group : t->sweep_group;
    const size_t bytes = pairs ? t->sweep_pair_bytes : t->sweep_bytes;
    const bool width_known = capabilities->lane_way == XLI_LANE_PTX ||
                             capabilities->lane_way == XLI_LANE_AMD || capabilities->width > 0;
    const uint32_t width = width_known ? capabilities->info.sub_group_size : NARROWEST;
    const size_t most = xli_min(limits->most_sweep, device->max_work_group);
    shape->sweep_group = (uint32_t)(xli_min(group, most) / STEP * STEP);
    shape->sweep_items = (uint32_t)xli_max(1, bytes / xli_max(WORD, key)); /* in registers */
    if (!t->sweep || t->shape == XLI_SORT_SERIAL || !capabilities->can_publish ||
        capabilities->lane_way == XLI_LANE_LOCAL || device->ends_loops ||
        capabilities->info.sub_group_size < NARROWEST || shape->sweep_group < LEAST)
        return false;
    shape->sub_groups = (uint32_t)xli_ceil_div(shape->sweep_group, width);
    while (shape->sweep_items > 1 && sweep_bytes(shape, key) > device->local_bytes)
        --shape->sweep_items;
    return sweep_bytes(shape, key) <= device->local_bytes;
}

/* Of its own accord a CPU takes chunks for pairs alone: keys by themselves are sorted as fast by
 * the bitonic sort. */
static xli_radix_way radix_of(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                              const xli_tune_device *device, const xli_sort_limits *limits,
                              xli_sort_shape *shape)
{
    const xli_tune_sort *t = &shape->tune;
    const bool asked = problem->algorithm == XL_SORT_RADIX;
    if (problem->algorithm == XL_SORT_BITONIC)
        return XLI_RADIX_NONE;
    if (shape_sweep(problem, capabilities, device, limits, shape))
        return XLI_RADIX_SWEEP;
    return t->shape == XLI_SORT_SERIAL && t->radix_chunks > 0 &&
                   (asked || problem->value != XL_NONE)
               ? XLI_RADIX_CHUNKS
               : XLI_RADIX_NONE;
}

void xli_sort_shape_of(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                       const xli_tune_device *device, const xli_tune_sort *tune,
                       const xli_sort_limits *limits, xli_sort_shape *shape)
{
    *shape = (xli_sort_shape){.tune = *tune};
    xli_tune_sort *const t = &shape->tune;
    xli_tune_sort_fit(device, xl_type_size(problem->key) + xl_type_size(problem->value), t);
    while (t->group_log > 0 && (size_t)1 << t->group_log > limits->most)
        --t->group_log;
    const bool serial = t->shape == XLI_SORT_SERIAL;
    shape->group_size = serial ? 1 : 1u << t->group_log;
    shape->tile_log = serial ? t->serial_tile_log : t->group_log + t->items_log;
    shape->sub_group = xli_sub_group_of(capabilities, shape->group_size);
    shape->units = device->compute_units;
    shape->radix = radix_of(problem, capabilities, device, limits, shape);
    shape->from = shape->radix == XLI_RADIX_CHUNKS  ? t->radix_from
                  : problem->value != XL_NONE       ? t->sweep_pair_from
                  : xl_type_size(problem->key) == 8 ? t->sweep_wide_from
                                                    : t->sweep_from;
    shape->bitonic = problem->algorithm != XL_SORT_RADIX;
}

bool xli_sort_by_radix(const xli_sort_shape *shape, size_t n)
{
    return shape->radix != XLI_RADIX_NONE && (!shape->bitonic || n >= shape->from);
}

/* More chunks than units even out what one of them is late. Each of them has 256 counters. */
xli_sort_chunks xli_sort_chunks_of(const xli_sort_shape *shape, size_t n)
{
    const xli_tune_sort *t = &shape->tune;
    const size_t wanted = xli_ceil_div(n, xli_mul(xli_max(1, shape->units), t->radix_chunks));
    const size_t fewest = xli_min(t->radix_least, t->radix_most);
    xli_sort_chunks chunks = {xli_max(xli_min(wanted, t->radix_most), fewest), 0};
    chunks.count = xli_ceil_div(n, chunks.elements);
    return chunks;
}

size_t xli_sort_sweep_tile(const xli_sort_shape *shape)
{
    return (size_t)shape->sweep_group * shape->sweep_items;
}

size_t xli_sort_tile(const xli_sort_shape *shape)
{
    return (size_t)1 << shape->tile_log;
}

unsigned xli_sort_merges(const xli_sort_shape *shape, size_t n)
{
    unsigned merges = 0;
    while (xli_sort_tile(shape) < xli_ceil_div(n, (size_t)1 << merges))
        ++merges;
    return merges;
}

uint32_t xli_sort_search_log(const xli_sort_shape *shape, size_t groups)
{
    const xli_tune_sort *t = &shape->tune;
    const uint32_t wanted = groups > t->busy ? t->search_busy_log : t->search_log;
    return (uint32_t)xli_min(wanted, xli_max(1, t->group_log));
}

/* Of each chunk 256 counts of 32 bits and a word of bits, behind 128 bytes: XL_RADIX_STATE_BYTES.
 * Of a sweep nine headers, 256 counts and 256 starts of up to 8 digits, and a ring of descriptors,
 * each of 256 words of 64 bits: xl_sweep_state. */
static size_t state_bytes(const xli_sort_shape *shape, size_t n)
{
    enum { STATE = 128, HEADERS = 9 * 64, COUNTS = 2 * 8 * 256 * 4, DESCRIPTOR = 256 * 8 };
    if (shape->radix == XLI_RADIX_SWEEP) {
        const size_t tiles = xli_ceil_div(n, xli_sort_sweep_tile(shape));
        return STATE + HEADERS + COUNTS + xli_min(tiles, shape->tune.ring_tiles) * DESCRIPTOR;
    }
    const size_t chunks = xli_sort_chunks_of(shape, n).count;
    const size_t counts = xli_mul(chunks, sizeof(cl_ulong) + 256 * sizeof(cl_uint));
    return xli_round_up(xli_add(STATE, counts), XLI_SCRATCH_ALIGN);
}

xli_sort_layout xli_sort_layout_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                   size_t n)
{
    const bool radix = n > 0 && xli_sort_by_radix(shape, n);
    xli_sort_layout layout = {0};
    if (!radix && n <= xli_sort_tile(shape))
        return layout;
    layout.values_at = xli_round_up(n * xl_type_size(problem->key), XLI_SCRATCH_ALIGN);
    layout.state_at =
        layout.values_at + xli_round_up(n * xl_type_size(problem->value), XLI_SCRATCH_ALIGN);
    layout.bytes = xli_add(layout.state_at, radix ? state_bytes(shape, n) : 0);
    return layout;
}

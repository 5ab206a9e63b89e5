/* SPDX-License-Identifier: MIT
 * The shape of a sort, and what follows from it for n elements. Pure, see sort_shape.h. */
#include "sort_shape.h"

void xli_sort_shape_of(const xli_sort_problem *problem, const xli_capabilities *capabilities,
                       const xli_tune_device *device, const xli_tune_sort *tune, size_t most,
                       xli_sort_shape *shape)
{
    *shape = (xli_sort_shape){.tune = *tune};
    xli_tune_sort *const t = &shape->tune;
    xli_tune_sort_fit(device, xl_type_size(problem->key) + xl_type_size(problem->value), t);
    while (t->group_log > 0 && (size_t)1 << t->group_log > most)
        --t->group_log;
    const bool serial = t->shape == XLI_SORT_SERIAL;
    shape->group_size = serial ? 1 : 1u << t->group_log;
    shape->tile_log = serial ? t->serial_tile_log : t->group_log + t->items_log;
    shape->sub_group = xli_sub_group_of(capabilities, shape->group_size);
    shape->units = device->compute_units;
    /* Of its own accord for pairs alone: keys by themselves are sorted as fast by the bitonic sort.
     */
    const bool wanted = problem->algorithm == XL_SORT_RADIX ||
                        (problem->algorithm == XL_SORT_AUTO && problem->value != XL_NONE);
    shape->radix = serial && t->radix_chunks > 0 && wanted;
    shape->bitonic = problem->algorithm != XL_SORT_RADIX;
}

bool xli_sort_by_radix(const xli_sort_shape *shape, size_t n)
{
    return shape->radix && (!shape->bitonic || n >= shape->tune.radix_from);
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
 */
static size_t state_bytes(const xli_sort_shape *shape, size_t n)
{
    const size_t chunks = xli_sort_chunks_of(shape, n).count;
    const size_t counts = xli_mul(chunks, sizeof(cl_ulong) + 256 * sizeof(cl_uint));
    return xli_round_up(xli_add(128, counts), XLI_SCRATCH_ALIGN);
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

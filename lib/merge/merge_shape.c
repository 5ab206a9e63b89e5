/* SPDX-License-Identifier: MIT
 * The shape of a merge, and what follows from it for n elements. Pure, see merge_shape.h. */
#include "merge_shape.h"

/* Local memory of a group: its tile as cl/merge/merge_tile.cl holds it, and both ends. */
static uint64_t group_bytes(const xli_merge_shape *shape, size_t ordinal)
{
    enum { OTHER = 64 };
    return (uint64_t)shape->group_size * shape->items * ordinal + OTHER;
}

void xli_merge_shape_of(const xli_merge_problem *problem, const xli_tune_device *device,
                        const xli_tune_merge *tune, size_t most, xli_merge_shape *shape)
{
    /* An element takes up to two rounds of loops, and searches a few hundred more. */
    enum { WORD = 4, MOST_WHERE_LOOPS_END = 1 << 14 };
    const size_t ordinal = xli_max(WORD, xl_type_size(problem->key));
    const bool serial = tune->serial != 0;
    const size_t group = xli_max(1, xli_min(xli_min(tune->group, most), device->max_work_group));
    *shape = (xli_merge_shape){.serial = serial,
                               .group_size = serial ? 1 : (uint32_t)group,
                               .items = (uint32_t)xli_max(1, tune->item_bytes / ordinal),
                               .most = tune->chunk,
                               .units = device->compute_units,
                               .search_tiles = tune->search_tiles};
    if (device->ends_loops)
        shape->most = (uint32_t)xli_min(shape->most, MOST_WHERE_LOOPS_END);
    while (shape->items > 1 && group_bytes(shape, ordinal) > device->local_bytes)
        --shape->items;
    while (shape->group_size > 1 && group_bytes(shape, ordinal) > device->local_bytes)
        shape->group_size /= 2;
}

/* Chunks of a few thousand elements are long enough to make up for their two searches; there are
 * some for each unit, as one of them may be late. Four pieces of each are made side by side
 * (cl/tile/tile_merge_serial.cl): were they a power of two apart, the cache would hold all of them
 * in the same few lines. */
size_t xli_merge_tile(const xli_merge_shape *shape, size_t n)
{
    enum { CHUNKS = 4, STEP = 1 << 12, SKEW = STEP / 4 + 64 };
    if (!shape->serial)
        return (size_t)shape->group_size * shape->items;
    const size_t wanted = xli_ceil_div(n, xli_mul(xli_max(1, shape->units), CHUNKS));
    const size_t chunk = xli_min(xli_max(wanted, STEP + SKEW), shape->most);
    return chunk < STEP + SKEW ? chunk : (chunk - SKEW) / STEP * STEP + SKEW;
}

bool xli_merge_has_cuts(const xli_merge_shape *shape, size_t n)
{
    return !shape->serial && n > 0 &&
           xli_ceil_div(n, xli_merge_tile(shape, n)) > shape->search_tiles;
}

size_t xli_merge_scratch_bytes(const xli_merge_shape *shape, size_t n)
{
    if (!xli_merge_has_cuts(shape, n))
        return 0;
    const size_t words = xli_add(xli_ceil_div(n, xli_merge_tile(shape, n)), 1);
    return xli_round_up(xli_mul(words, sizeof(cl_uint)), XLI_SCRATCH_ALIGN);
}

/* SPDX-License-Identifier: MIT
 * The shape of a merge, and what follows from it for n elements. Pure, see merge_shape.h. */
#include "merge_shape.h"

/* Local memory of a group: its tile, and the sums of cl/merge/merge_sets.cl or both ends. */
static uint64_t group_bytes(const xli_merge_shape *shape, size_t ordinal)
{
    enum { WORD = 4, OTHER = 64 };
    const uint64_t sums = shape->sets ? 2 * WORD : 0, items = shape->items * (uint64_t)ordinal;
    return shape->group_size * (items + sums) + items + OTHER;
}

void xli_merge_shape_of(const xli_merge_problem *problem, const xli_tune_device *device,
                        const xli_tune_merge *tune, size_t most, xli_merge_shape *shape)
{
    enum { WORD = 4 };
    const size_t ordinal = xli_max(WORD, xl_type_size(problem->key));
    /* A work-item of a set operation walks several chunks, and one sums the counts of all. */
    const bool sets = problem->operation != XL_MERGE_ALL;
    /* The place of a value takes a word. */
    const size_t held = ordinal + (problem->values.count > 0 ? WORD : 0);
    const size_t items = sets ? tune->set_bytes / ordinal : tune->item_bytes / held;
    const bool serial = tune->serial != 0 && !(sets && device->most_rounds < SIZE_MAX);
    const uint32_t least = sets ? 2 : 1; /* a pair of equal keys */
    const size_t group = xli_max(1, xli_min(xli_min(tune->group, most), device->max_work_group));
    *shape = (xli_merge_shape){.sets = sets,
                               .serial = serial,
                               .group_size = serial ? 1 : (uint32_t)group,
                               .items = (uint32_t)xli_max(least, items),
                               .most = tune->chunk,
                               .units = device->compute_units,
                               .search_tiles = tune->search_tiles,
                               .inject_places = tune->inject_places};
    while (shape->items > least && group_bytes(shape, ordinal) > device->local_bytes)
        --shape->items;
    while (shape->group_size > 1 && group_bytes(shape, ordinal) > device->local_bytes)
        shape->group_size /= 2;
}

/* A chunk has a few thousand elements at least, so that its two searches take little of its time;
 * each unit gets several chunks, because one may take longer. Four pieces of a chunk are merged in
 * turns (cl/tile/tile_merge.cl): if their distance were a power of two, they would share few
 * lines of the cache. A tile of a set operation may have one element more than here, the second one
 * of a pair. */
size_t xli_merge_tile(const xli_merge_shape *shape, size_t n)
{
    enum { CHUNKS = 4, STEP = 1 << 12, SKEW = STEP / 4 + 64 };
    if (!shape->serial)
        return (size_t)shape->group_size * shape->items - shape->sets;
    const size_t wanted = xli_ceil_div(n, xli_mul(xli_max(1, shape->units), CHUNKS));
    const size_t chunk = xli_min(xli_max(wanted, STEP + SKEW), shape->most);
    return chunk < STEP + SKEW ? chunk : (chunk - SKEW) / STEP * STEP + SKEW;
}

size_t xli_merge_tiles(const xli_merge_shape *shape, size_t n)
{
    return n > 0 ? xli_ceil_div(n, xli_merge_tile(shape, n)) : 0;
}

bool xli_merge_has_cuts(const xli_merge_shape *shape, size_t n)
{
    return !shape->serial && xli_merge_tiles(shape, n) > shape->search_tiles;
}

size_t xli_merge_place_bytes(const xli_merge_shape *shape)
{
    return shape->sets ? sizeof(cl_uint) : sizeof(cl_ulong);
}

size_t xli_merge_scratch_bytes(const xli_merge_shape *shape, size_t n)
{
    enum { CUT = 1, SET = 3 }; /* places, as cl/merge/merge_sets.cl has them */
    if (!shape->sets && !xli_merge_has_cuts(shape, n))
        return 0;
    const size_t places = xli_mul(xli_add(xli_merge_tiles(shape, n), 1), shape->sets ? SET : CUT);
    return xli_round_up(xli_mul(places, xli_merge_place_bytes(shape)), XLI_SCRATCH_ALIGN);
}

size_t xli_merge_element(const xli_merge_problem *problem, size_t k)
{
    return k == 0 ? xl_type_size(problem->key) : problem->values.bytes[k - 1];
}

size_t xli_merge_spare_of(const xli_merge_problem *problem, size_t n, size_t k)
{
    const size_t bytes = xli_mul(xli_add(n, 1), xli_merge_element(problem, k));
    return xli_round_up(bytes, XLI_SCRATCH_ALIGN);
}

size_t xli_merge_spare_bytes(const xli_merge_problem *problem, size_t n, size_t num_runs)
{
    size_t bytes = 0;
    for (size_t k = 0; num_runs > 2 && k <= problem->values.count; ++k)
        bytes = xli_add(bytes, xli_merge_spare_of(problem, n, k));
    return bytes;
}

/* A binary search for the last run that begins in the first half, and the one after it. */
size_t xli_merge_cut(const size_t *runs, size_t i, size_t j)
{
    const size_t middle = runs[i] + (runs[j] - runs[i]) / 2;
    size_t low = i, high = j;
    while (high - low > 1) {
        const size_t k = low + (high - low) / 2;
        *(runs[k] > middle ? &high : &low) = k;
    }
    const bool is_low = runs[low] > runs[i], is_high = runs[high] < runs[j];
    if (is_low && (!is_high || middle - runs[low] < runs[high] - middle))
        return low;
    return is_high ? high : j;
}

size_t xli_merge_room(const xli_merge_problem *problem, size_t n_a, size_t n_b)
{
    if (problem->operation == XL_MERGE_INTERSECTION)
        return xli_min(n_a, n_b);
    return problem->operation == XL_MERGE_DIFFERENCE ? n_a : n_a + n_b;
}

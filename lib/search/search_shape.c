/* SPDX-License-Identifier: MIT
 * The shape of a search, and the sizes that follow from it. Pure, see search_shape.h. */
#include "search_shape.h"

void xli_search_shape_of(const xli_search_problem *problem, const xli_tune_device *device,
                         const xli_tune_search *tune, size_t most, xli_search_shape *shape)
{
    /* A group exchanges one word of 64 bits for each work-item. */
    enum { WORD = 8, KEYS_SIDE_BY_SIDE = 16 };
    const bool serial = tune->serial != 0, unsorted = problem->kind == XL_SEARCH_UNSORTED;
    size_t group = xli_min(xli_min(tune->group, most), device->max_work_group);
    if (unsorted)
        group = xli_min(group, xli_size(device->local_bytes / WORD));
    *shape = (xli_search_shape){.serial = serial,
                                .longest = device->most_rounds,
                                .group_size = serial ? 1 : (uint32_t)xli_max(1, group),
                                .items = unsorted ? KEYS_SIDE_BY_SIDE : tune->items,
                                .most = tune->queries,
                                .units = device->compute_units};
}

/* Whole rounds; several chunks for each unit, because one of them may be late. */
size_t xli_search_queries(const xli_search_shape *shape, size_t num_queries)
{
    enum { CHUNKS = 8 };
    if (!shape->serial)
        return (size_t)shape->group_size * shape->items;
    const size_t wanted = xli_ceil_div(num_queries, xli_mul(xli_max(1, shape->units), CHUNKS));
    return xli_max(1, xli_min(wanted, shape->most) / shape->items) * shape->items;
}

/* Enough chunks to keep each unit busy, and enough elements in each to make up for the start of its
 * group. */
xli_search_chunks xli_search_chunks_of(const xli_search_shape *shape, size_t n)
{
    enum { CHUNKS = 8, LEAST = 1 << 14 };
    if (n < 2)
        return (xli_search_chunks){1, 0};
    const size_t places = n - 1;
    const size_t wanted = xli_ceil_div(places, xli_mul(xli_max(1, shape->units), CHUNKS));
    xli_search_chunks chunks = {xli_min(xli_max(wanted, LEAST), shape->longest), 0};
    chunks.count = xli_ceil_div(places, chunks.elements);
    return chunks;
}

size_t xli_search_scratch_bytes(const xli_search_problem *problem, const xli_search_shape *shape,
                                size_t n)
{
    if (problem->kind != XL_SEARCH_UNSORTED)
        return 0;
    return xli_round_up(xli_mul(xli_search_chunks_of(shape, n).count, sizeof(cl_ulong)),
                        XLI_SCRATCH_ALIGN);
}

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

xli_sort_layout xli_sort_layout_of(const xli_sort_problem *problem, const xli_sort_shape *shape,
                                   size_t n)
{
    xli_sort_layout layout = {0};
    if (n <= xli_sort_tile(shape))
        return layout;
    layout.values_at = xli_round_up(n * xl_type_size(problem->key), XLI_SCRATCH_ALIGN);
    layout.bytes =
        layout.values_at + xli_round_up(n * xl_type_size(problem->value), XLI_SCRATCH_ALIGN);
    return layout;
}

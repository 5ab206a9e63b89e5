/* SPDX-License-Identifier: MIT
 * The built-in values of the sort, and their limits by the device's memory. */
#include "tune.h"

static uint32_t log2_floor(uint64_t x)
{
    uint32_t log = 0;
    while (x >>= 1)
        ++log;
    return log;
}

/* Local memory of a group: the tile, skewed by one element in 32, and the search. */
static uint64_t group_bytes(const xli_tune_sort *t, uint64_t element_bytes)
{
    uint64_t tile = (uint64_t)1 << (t->group_log + t->items_log);
    uint64_t search = 8u * (((uint64_t)1 << t->group_log) + 1u);
    return (tile + tile / 32u) * element_bytes + search + 64u;
}

void xli_tune_sort_table(const xli_tune_device *device, xli_tune_sort *tune)
{
    const bool nvidia = device->vendor_id == XLI_VENDOR_NVIDIA; /* elsewhere it was not measured */
    *tune = (xli_tune_sort){.shape = device->is_cpu ? XLI_SORT_SERIAL : XLI_SORT_GROUP,
                            .group_log = 8,
                            .items_log = 3,
                            .segment_group_log = nvidia ? 7 : 0,
                            .segment_items_log = nvidia ? 4 : 0,
                            .segment_queue = nvidia,
                            .serial_tile_log = 12,
                            .sample_most = nvidia ? 1u << 17 : 0,
                            .sample_wide_most = 0,
                            .sample_pair_most = nvidia ? 1u << 17 : 0,
                            .sample_runs = 32,
                            .sample_group_log = 8,
                            .sample_items_log = 3,
                            .sample_large_from = (1u << 16) + 1,
                            .sample_large_group_log = 9,
                            .sample_large_items_log = 3,
                            .search_log = 8,
                            .search_busy_log = 5,
                            .busy = device->compute_units,
                            .radix_from = 1u << 13,
                            .radix_wide_from = 1u << 10,
                            .radix_pair_from = 1u << 10,
                            .radix_alone = 1u << 16,
                            .radix_buckets = 1,
                            .radix_bucket_bytes = 1u << 22,
                            .radix_chunks = nvidia ? 2 : 4,
                            .radix_least = device->is_cpu ? 1u << 15
                                           : nvidia       ? 1u << 13
                                                          : 1u << 14,
                            .radix_most = UINT32_MAX,
                            .radix_group = 256,
                            .radix_bytes = 64,
                            .sweep = 1,
                            .sweep_from = nvidia ? 1u << 18 : 1u << 19,
                            .sweep_wide_from = 1u << 21,
                            .sweep_pair_from = 1u << 18,
                            .sweep_group = 384,
                            .sweep_bytes = nvidia ? 112 : 104,
                            .sweep_registers = 56,
                            .sweep_wide_group = nvidia ? 256 : 384,
                            .sweep_wide_bytes = nvidia ? 160 : 104,
                            .sweep_wide_registers = 64,
                            .sweep_pair_group = nvidia ? 512 : 256,
                            .sweep_pair_bytes = nvidia ? 80 : 112,
                            .sweep_pair_registers = 64,
                            .sweep_small_most = nvidia ? 1u << 21 : 0,
                            .sweep_small_pair_most = nvidia ? 1u << 22 : 0,
                            .sweep_small_group = 512,
                            .sweep_small_bytes = 64,
                            .sweep_small_registers = 64,
                            .sweep_small_depth = 4,
                            .ring_tiles = 1024,
                            .sweep_depth = 2,
                            .spin_limit = 1u << 12,
                            .part_tiles = UINT32_MAX};
}

void xli_tune_sort_fit(const xli_tune_device *device, uint64_t element_bytes, xli_tune_sort *t)
{
    while (t->group_log > log2_floor(device->max_work_group))
        --t->group_log;
    while (t->group_log > 0 && group_bytes(t, element_bytes) > device->local_bytes)
        --t->group_log;
    while (t->items_log > 1 && group_bytes(t, element_bytes) > device->local_bytes)
        --t->items_log;
    while (t->serial_tile_log > 4 &&
           (element_bytes << t->serial_tile_log) + 64u > device->local_bytes)
        --t->serial_tile_log;
    if (device->no_radix)
        t->radix_chunks = 0;
}

/* SPDX-License-Identifier: MIT
 * The built-in values of primitives that have one row for CPUs and one for GPUs. */
#include "tune.h"

void xli_tune_histogram_table(const xli_tune_device *device, xli_tune_histogram *tune)
{
    const bool nvidia = device->vendor_id == XLI_VENDOR_NVIDIA;
    /* 16 counters of each of 256 bins: at most two lanes of a sub-group of 32 share a bank of local
     * memory, whatever the data are. On an H200 2^28 elements of 2^16 bins take 1.05 ms in 6
     * passes, 2.9 ms in global memory. */
    *tune = (xli_tune_histogram){.serial = device->is_cpu,
                                 .group = 256,
                                 .copies = device->is_cpu ? 4 : 16,
                                 .local_kib = device->is_cpu ? 512 : 32,
                                 .passes = nvidia ? 6 : 2,
                                 .vectors = 4,
                                 .chunks = device->is_cpu ? 4 : 8,
                                 .chunk = 1 << 14};
}

/* A work-item takes one query: on a GPU so that a group reads the same points; on a CPU, if it does
 * not walk, because the loop of a query is long enough. */
void xli_tune_nearest_table(const xli_tune_device *device, xli_tune_nearest *tune)
{
    *tune = (xli_tune_nearest){.group = device->is_cpu ? 64 : 128,
                               .items = 1,
                               .aim = 400,
                               .together = device->is_cpu ? 1 : 128,
                               .walk = device->is_cpu ? 256 : 0};
}

void xli_tune_nearest_approximate_table(const xli_tune_device *device,
                                        xli_tune_nearest_approximate *tune)
{
    *tune = (xli_tune_nearest_approximate){.group = device->is_cpu ? 64 : 128};
}

void xli_tune_merge_table(const xli_tune_device *device, xli_tune_merge *tune)
{
    /* 19 keys of 4 bytes or 9 pairs: an odd number keeps work-items from one bank of local memory.
     * On an H200 a merge of 2^28 u32 takes 0.66 ms (15 keys: 0.70), of as many pairs 1.45 ms (15:
     * 1.95); a union of 2^24 u32 takes 0.19 ms (15 keys: 0.23). */
    *tune = (xli_tune_merge){.serial = device->is_cpu,
                             .group = 256,
                             .item_bytes = 76,
                             .set_bytes = 44,
                             .chunk = 1 << 15,
                             .search_tiles = 1024};
}

void xli_tune_search_table(const xli_tune_device *device, xli_tune_search *tune)
{
    *tune = (xli_tune_search){.serial = device->is_cpu,
                              .group = 256,
                              .items = device->is_cpu ? 8 : 4,
                              .queries = 1 << 12};
}

void xli_tune_morton_table(const xli_tune_device *device, xli_tune_morton *tune)
{
    *tune = (xli_tune_morton){.group = device->is_cpu ? 16 : 256, .items = device->is_cpu ? 64 : 2};
}

void xli_tune_select_table(const xli_tune_device *device, xli_tune_select *tune)
{
    const bool nvidia = device->vendor_id == XLI_VENDOR_NVIDIA;
    /* On a GPU without lane operations look-back may take many times as long as a second
     * reading, as for scans (tune_scan.c). select.resident: a group has 28 KiB of local memory; a
     * compute unit of capability 9 has 228 KiB, and some of 8 and 12 have 100, of 7 64. On other
     * GPUs a compute unit may be too small for a group. */
    *tune = (xli_tune_select){.serial = device->is_cpu,
                              .group = nvidia ? 128 : 256,
                              .item_bytes = nvidia ? 128 : 32,
                              .tile_bytes = 1 << 15,
                              .lookback_groups = device->is_cpu ? 8
                                                 : nvidia       ? 8
                                                                : 4,
                              .resident = !nvidia                   ? 0
                                          : device->capability < 8  ? 2
                                          : device->capability == 9 ? 4
                                                                    : 3,
                              .chunk_groups = device->is_cpu ? 8 : 16,
                              .look_back = device->is_cpu || device->has_lanes,
                              .window = device->is_cpu ? 0 : 256,
                              .registers = 96,
                              .piece = 1u << 31,
                              .spin_limit = 1 << 12};
}

void xli_tune_top_k_table(const xli_tune_device *device, xli_tune_top_k *tune)
{
    /* With 5 groups for each compute unit an H200 takes 0.63 ms of 2^28 keys, with 4 or 8 of them
     * 0.64 and 0.66. A walk is cut finer, so that lists have room. */
    *tune = (xli_tune_top_k){.shape = device->is_cpu ? XLI_TOP_K_SERIAL : XLI_TOP_K_GROUP,
                             .group_log = 8,
                             .items = 8,
                             .chunks = device->is_cpu ? 64 : 5,
                             .chunk = 1u << 12,
                             .sample = device->is_cpu ? 1u << 14 : 1u << 16,
                             .sampled = device->is_cpu ? 1u << 20 : 1u << 25,
                             .ranked = device->is_cpu ? 64 : 256};
}

void xli_tune_transform_table(const xli_tune_device *device, xli_tune_transform *tune)
{
    *tune = (xli_tune_transform){.serial = device->is_cpu,
                                 .group = 256,
                                 .items = 4,
                                 .chunk = 1 << 16,
                                 .stream_kib = 1 << 13};
}

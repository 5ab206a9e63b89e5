/* SPDX-License-Identifier: MIT
 * The built-in values of the selection. */
#include "tune.h"

void xli_tune_select_table(const xli_tune_device *device, xli_tune_select *tune)
{
    const bool nvidia = device->vendor_id == XLI_VENDOR_NVIDIA;
    /* On a GPU without lane operations look-back may take many times as long as a second
     * reading, as for scans (tune_scan.c). */
    *tune = (xli_tune_select){.serial = device->is_cpu,
                              .group = nvidia ? 128 : 256,
                              .item_bytes = nvidia ? 128 : 32,
                              .tile_bytes = 1 << 15,
                              .lookback_groups = device->is_cpu ? 8
                                                 : nvidia       ? 8
                                                                : 4,
                              .chunk_groups = device->is_cpu ? 8 : 16,
                              .look_back = device->is_cpu || device->has_lanes,
                              .window = device->is_cpu ? 0 : 256,
                              .registers = 96,
                              .piece = 1u << 31,
                              .spin_limit = 1 << 12};
}

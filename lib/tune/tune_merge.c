/* SPDX-License-Identifier: MIT
 * The built-in values of merges and of searches in sorted arrays. */
#include "tune.h"

void xli_tune_merge_table(const xli_tune_device *device, xli_tune_merge *tune)
{
    /* An odd number of words keeps work-items from one bank of local memory. */
    *tune = (xli_tune_merge){.serial = device->is_cpu,
                             .group = 256,
                             .item_bytes = 60,
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

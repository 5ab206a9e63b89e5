/* SPDX-License-Identifier: MIT
 * The built-in values of the top-k selection. */
#include "tune.h"

void xli_tune_topk_table(const xli_tune_device *device, xli_tune_topk *tune)
{
    /* With 5 groups for each compute unit an H200 takes 0.63 ms of 2^28 keys, with 4 or 8 of them
     * 0.64 and 0.66. A walk is cut finer, so that lists have room. */
    *tune = (xli_tune_topk){.shape = device->is_cpu ? XLI_TOPK_SERIAL : XLI_TOPK_GROUP,
                            .group_log = 8,
                            .items = 8,
                            .chunks = device->is_cpu ? 64 : 5,
                            .chunk = 1u << 12,
                            .sample = device->is_cpu ? 1u << 14 : 1u << 16,
                            .sampled = device->is_cpu ? 1u << 20 : 1u << 25};
}

/* SPDX-License-Identifier: MIT
 * The built-in values of the top-k selection. */
#include "tune.h"

void xli_tune_topk_table(const xli_tune_device *device, xli_tune_topk *tune)
{
    /* Many chunks: once two digits are known, most have no candidate and are not read. */
    *tune = (xli_tune_topk){.shape = device->is_cpu ? XLI_TOPK_SERIAL : XLI_TOPK_GROUP,
                            .group_log = 8,
                            .items = 8,
                            .chunks = device->is_cpu ? 256 : 8,
                            .chunk = 1u << 12};
}

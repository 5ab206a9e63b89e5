/* SPDX-License-Identifier: MIT
 * The built-in values of the reduction. */
#include "tune.h"

static const xli_tune_reduce nvidia = {.group_size = 128,
                                       .whole_size = 256,
                                       .item_bytes = 64,
                                       .whole_bytes = 128,
                                       .chunk_groups = 8,
                                       .segment_chunk_groups = 4,
                                       .chunk_elements = 1 << 30,
                                       .single_group_tiles = 8,
                                       .single_group_vectors = 16,
                                       .chunk_vectors = 8,
                                       .single_launch = 1};
static const xli_tune_reduce cpu = {.serial = 1,
                                    .group_size = 64,
                                    .whole_size = 64,
                                    .item_bytes = 64,
                                    .whole_bytes = 64,
                                    .chunk_groups = 8,
                                    .segment_chunk_groups = 8,
                                    .chunk_elements = 1 << 15,
                                    .single_group_tiles = 1,
                                    .single_group_vectors = 4,
                                    .chunk_vectors = 4,
                                    .single_launch = 1};
static const xli_tune_reduce gpu = {.group_size = 256,
                                    .whole_size = 256,
                                    .item_bytes = 64,
                                    .whole_bytes = 64,
                                    .chunk_groups = 8,
                                    .segment_chunk_groups = 16,
                                    .chunk_elements = 1 << 30,
                                    .single_group_tiles = 1,
                                    .single_group_vectors = 4,
                                    .chunk_vectors = 4,
                                    .single_launch = 1};

void xli_tune_reduce_table(const xli_tune_device *device, xli_tune_reduce *tune)
{
    *tune = device->vendor_id == XLI_VENDOR_NVIDIA ? nvidia : device->is_cpu ? cpu : gpu;
}

/* SPDX-License-Identifier: MIT
 * Tunables of the reduction. */
#include "tune_reduce.h"

#include "tune.h"

typedef struct row {
    xli_tune_match match;
    xli_tune_reduce tune;
} row;

#define CPU                                                                                        \
    .serial = 1, .group_size = 64, .whole_size = 64, .item_bytes = 64, .whole_bytes = 64,          \
    .run_groups = 8, .part_groups = 8, .run_elements = 1 << 15, .alone_tiles = 1

static const row table[] = {
    {{.vendor_id = XLI_VENDOR_NVIDIA},
     {.group_size = 128,
      .whole_size = 256,
      .item_bytes = 64,
      .whole_bytes = 128,
      .run_groups = 8,
      .part_groups = 4,
      .run_elements = 1 << 30,
      .ahead = 1,
      .alone_tiles = 8}},
    {{.device = "llvmpipe", .is_cpu = true}, {CPU, .run_offsets = 1 << 13}},
    {{.is_cpu = true}, {CPU}},
    {{0},
     {.group_size = 256,
      .whole_size = 256,
      .item_bytes = 64,
      .whole_bytes = 64,
      .run_groups = 8,
      .part_groups = 16,
      .run_elements = 1 << 30,
      .alone_tiles = 1}},
};

void xli_tune_reduce_get(const xl_context *ctx, const xli_facts *facts, xli_tune_reduce *tune)
{
    const row *found = table;
    while (!xli_tune_fits(&found->match, facts))
        ++found;
    *tune = found->tune;
    const xli_tunable fields[] = {
        {"reduce.serial", &tune->serial},           {"reduce.group_size", &tune->group_size},
        {"reduce.whole_size", &tune->whole_size},   {"reduce.item_bytes", &tune->item_bytes},
        {"reduce.whole_bytes", &tune->whole_bytes}, {"reduce.run_groups", &tune->run_groups},
        {"reduce.part_groups", &tune->part_groups}, {"reduce.run_elements", &tune->run_elements},
        {"reduce.run_offsets", &tune->run_offsets}, {"reduce.ahead", &tune->ahead},
        {"reduce.alone_tiles", &tune->alone_tiles},
    };
    xli_context_tune(ctx, fields, XLI_COUNT(fields));
}

/* SPDX-License-Identifier: MIT
 * Tunables of the reduction. */
#include "tune_reduce.h"

#include "tune.h"

enum { VENDOR_NVIDIA = 0x10de };

typedef struct row {
    xli_tune_match match;
    xli_tune_reduce tune;
} row;

#define CPU                                                                                        \
    .serial = 1, .group_size = 64, .whole_size = 64, .item_bytes = 64, .whole_bytes = 64,          \
    .run_groups = 8, .part_groups = 8, .run_elements = 1 << 15, .alone_tiles = 1

static const row table[] = {
    {{.vendor_id = VENDOR_NVIDIA},
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
    const struct {
        const char *name;
        uint32_t *value, low, high;
    } fields[] = {
        {"reduce.serial", &tune->serial, 0, 1},
        {"reduce.group_size", &tune->group_size, 1, 1024},
        {"reduce.whole_size", &tune->whole_size, 1, 1024},
        {"reduce.item_bytes", &tune->item_bytes, 16, 1024},
        {"reduce.whole_bytes", &tune->whole_bytes, 16, 1024},
        {"reduce.run_groups", &tune->run_groups, 1, 256},
        {"reduce.part_groups", &tune->part_groups, 1, 256},
        {"reduce.run_elements", &tune->run_elements, 1 << 8, 1 << 30},
        {"reduce.run_offsets", &tune->run_offsets, 0, 1 << 30},
        {"reduce.ahead", &tune->ahead, 0, 1},
        {"reduce.alone_tiles", &tune->alone_tiles, 1, 1 << 16},
    };
    for (size_t i = 0; i < XLI_COUNT(fields); ++i)
        *fields[i].value = xli_context_tunable(ctx, fields[i].name, *fields[i].value, fields[i].low,
                                               fields[i].high);
}

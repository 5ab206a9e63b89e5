/* SPDX-License-Identifier: MIT
 * Tuning values of the scan. */
#include "tune.h"

enum { VENDOR_NVIDIA = 0x10de };

/* The match of this file's table; the other primitives' tables use it too. */
bool xli_tune_fits(const xli_tune_match *match, const xli_facts *facts)
{
    return (!match->device || xli_text_contains_nocase(facts->info.name, match->device)) &&
           (match->vendor_id == 0 || match->vendor_id == facts->vendor_id) &&
           match->capability <= facts->nv_capability && (!match->is_cpu || facts->is_cpu);
}

typedef struct row {
    xli_tune_match match;
    xli_tune_scan tune;
} row;

/* Measured on an H200, where alone it is taken; elsewhere for whoever asks for it. */
#define AHEAD                                                                                      \
    .ahead_block = 512, .ahead_groups = 2, .ahead_few = 3, .ahead_plain = {256, 192},              \
    .ahead_wide = {128, 240}, .ahead_flags = {512, 100}, .ahead_wide_flags = {128, 160}

#define CPU                                                                                        \
    .shape = XLI_SCAN_SERIAL, .group_size = 64, .item_bytes = 64, .offset_bytes = 64,              \
    .tile_bytes = 1 << 16, .run_groups = 8, .run_elements = 1 << 19, .ring_groups = 8, .share = 8, \
    .look_back = 1, .stream_kib = 1 << 13, AHEAD, .spin_limit = 1 << 12

static const row table[] = {
    {{.vendor_id = VENDOR_NVIDIA, .capability = 9},
     {.shape = XLI_SCAN_GROUP,
      .group_size = 128,
      .item_bytes = 384,
      .offset_bytes = 256,
      .tile_bytes = 1 << 16,
      .run_groups = 8,
      .run_elements = 1 << 30,
      .ring_groups = 4,
      .share = 2,
      .look_back = 1,
      .stream_kib = 1 << 13,
      .ahead = 1,
      AHEAD,
      .spin_limit = 1 << 12}},
    {{.vendor_id = VENDOR_NVIDIA},
     {.shape = XLI_SCAN_GROUP,
      .group_size = 128,
      .item_bytes = 256,
      .offset_bytes = 256,
      .tile_bytes = 1 << 16,
      .run_groups = 8,
      .run_elements = 1 << 30,
      .ring_groups = 4,
      .share = 2,
      .look_back = 1,
      .stream_kib = 1 << 13,
      .ahead = 0,
      AHEAD,
      .spin_limit = 1 << 12}},
    {{.device = "llvmpipe", .is_cpu = true}, {CPU, .run_offsets = 1 << 10}},
    {{.is_cpu = true}, {CPU}},
    {{0},
     {.shape = XLI_SCAN_GROUP,
      .group_size = 128,
      .item_bytes = 64,
      .offset_bytes = 64,
      .tile_bytes = 1 << 16,
      .run_groups = 8,
      .run_elements = 1 << 30,
      .ring_groups = 4,
      .share = 2,
      .look_back = 1,
      .stream_kib = 1 << 13,
      .ahead = 0,
      AHEAD,
      .spin_limit = 1 << 12}},
};

void xli_tune_scan_get(const xl_context *ctx, const xli_facts *facts, xli_tune_scan *tune)
{
    const row *found = table;
    while (!xli_tune_fits(&found->match, facts))
        ++found;
    *tune = found->tune;
    const struct {
        const char *name;
        uint32_t *value, low, high;
    } fields[] = {
        {"scan.shape", &tune->shape, 0, 1},
        {"scan.group_size", &tune->group_size, 1, 1024},
        {"scan.offset_bytes", &tune->offset_bytes, 16, 1024},
        {"scan.item_bytes", &tune->item_bytes, 16, 1024},
        {"scan.tile_bytes", &tune->tile_bytes, 256, 1 << 24},
        {"scan.run_groups", &tune->run_groups, 1, 64},
        {"scan.run_elements", &tune->run_elements, 1 << 10, 1 << 30},
        {"scan.run_offsets", &tune->run_offsets, 0, 1 << 30},
        {"scan.ring_groups", &tune->ring_groups, 1, 64},
        {"scan.share", &tune->share, 1, 16},
        {"scan.look_back", &tune->look_back, 0, 1},
        {"scan.stream_kib", &tune->stream_kib, 0, UINT32_MAX},
        {"scan.ahead", &tune->ahead, 0, 1},
        {"scan.ahead_block", &tune->ahead_block, 1, 4096},
        {"scan.ahead_groups", &tune->ahead_groups, 1, 64},
        {"scan.ahead_few", &tune->ahead_few, 1, 63},
        {"scan.ahead_size", &tune->ahead_plain.size, 64, 1024},
        {"scan.ahead_bytes", &tune->ahead_plain.bytes, 4, 1024},
        {"scan.ahead_wide_size", &tune->ahead_wide.size, 64, 1024},
        {"scan.ahead_wide_bytes", &tune->ahead_wide.bytes, 4, 1024},
        {"scan.ahead_flag_size", &tune->ahead_flags.size, 64, 1024},
        {"scan.ahead_flag_bytes", &tune->ahead_flags.bytes, 4, 1024},
        {"scan.ahead_wide_flag_size", &tune->ahead_wide_flags.size, 64, 1024},
        {"scan.ahead_wide_flag_bytes", &tune->ahead_wide_flags.bytes, 4, 1024},
        {"scan.spin_limit", &tune->spin_limit, 0, 1 << 30},
        {"scan.hold_back", &tune->hold_back, 0, 1 << 30},
    };
    for (size_t i = 0; i < XLI_COUNT(fields); ++i)
        *fields[i].value = xli_context_tunable(ctx, fields[i].name, *fields[i].value, fields[i].low,
                                               fields[i].high);
}

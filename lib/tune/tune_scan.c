/* SPDX-License-Identifier: MIT
 * Tuning values of the scan. */
#include "tune.h"

typedef struct row {
    xli_tune_match match;
    xli_tune_scan tune;
} row;

/* Measured on an H200, where alone it is taken; elsewhere for whoever asks for it. */
#define AHEAD                                                                                      \
    .ahead_block = 512, .ahead_groups = 2, .ahead_few = 3, .ahead_plain = {256, 192},              \
    .ahead_wide = {128, 240}, .ahead_flags = {512, 100}

#define CPU                                                                                        \
    .shape = XLI_SCAN_SERIAL, .group_size = 64, .item_bytes = 64, .tile_bytes = 1 << 16,           \
    .run_groups = 8, .run_elements = 1 << 19, .ring_groups = 8, .share = 8, .look_back = 1,        \
    .stream_kib = 1 << 13, AHEAD, .spin_limit = 1 << 12

#define GPU                                                                                        \
    .shape = XLI_SCAN_GROUP, .group_size = 128, .tile_bytes = 1 << 16, .run_groups = 8,            \
    .run_elements = 1 << 30, .share = 2, .look_back = 1, .stream_kib = 1 << 13, AHEAD,             \
    .spin_limit = 1 << 12

static const row table[] = {
    {{.vendor_id = XLI_VENDOR_NVIDIA, .capability = 9},
     {GPU, .item_bytes = 320, .ring_groups = 6, .ahead = 1}},
    {{.vendor_id = XLI_VENDOR_NVIDIA}, {GPU, .item_bytes = 256, .ring_groups = 4}},
    {{.device = "llvmpipe", .is_cpu = true}, {CPU, .run_offsets = 1 << 10}},
    {{.is_cpu = true}, {CPU}},
    {{0}, {GPU, .item_bytes = 64, .ring_groups = 4}},
};

/* Look-back may cost a GPU without lane operations many times what reduce-then-scan does, which no
 * self-test shows: of 2^28 f32 on an H200 with its lanes masked 21 ms against .8. So whatever a row
 * says, there it is for who asks for it. */
static bool looks_back_slowly(const xli_facts *facts)
{
    return !facts->is_cpu && facts->lane_way == XLI_LANE_LOCAL;
}

void xli_tune_scan_table(const xli_facts *facts, xli_tune_scan *tune)
{
    const row *found = table;
    while (!xli_tune_fits(&found->match, facts))
        ++found;
    *tune = found->tune;
    if (looks_back_slowly(facts))
        tune->look_back = 0;
}

void xli_tune_scan_get(const xl_context *ctx, const xli_facts *facts, xli_tune_scan *tune)
{
    xli_tune_scan_table(facts, tune);
    const xli_tunable fields[] = {
        {"scan.shape", &tune->shape},
        {"scan.group_size", &tune->group_size},
        {"scan.item_bytes", &tune->item_bytes},
        {"scan.tile_bytes", &tune->tile_bytes},
        {"scan.run_groups", &tune->run_groups},
        {"scan.run_elements", &tune->run_elements},
        {"scan.run_offsets", &tune->run_offsets},
        {"scan.ring_groups", &tune->ring_groups},
        {"scan.share", &tune->share},
        {"scan.look_back", &tune->look_back},
        {"scan.stream_kib", &tune->stream_kib},
        {"scan.ahead", &tune->ahead},
        {"scan.ahead_block", &tune->ahead_block},
        {"scan.ahead_groups", &tune->ahead_groups},
        {"scan.ahead_few", &tune->ahead_few},
        {"scan.ahead_size", &tune->ahead_plain.size},
        {"scan.ahead_bytes", &tune->ahead_plain.bytes},
        {"scan.ahead_wide_size", &tune->ahead_wide.size},
        {"scan.ahead_wide_bytes", &tune->ahead_wide.bytes},
        {"scan.ahead_flag_size", &tune->ahead_flags.size},
        {"scan.ahead_flag_bytes", &tune->ahead_flags.bytes},
        {"scan.spin_limit", &tune->spin_limit},
        {"scan.hold_back", &tune->hold_back},
        {"scan.hold_half", &tune->hold_half},
    };
    xli_context_tune(ctx, fields, XLI_COUNT(fields));
}

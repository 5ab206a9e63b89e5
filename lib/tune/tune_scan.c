/* SPDX-License-Identifier: MIT
 * The built-in values of the scan. */
#include "tune.h"

typedef struct row {
    xli_tune_match match;
    xli_tune_scan tune;
} row;

/* Measured on an H200, where alone it is taken; elsewhere for whoever asks for it. */
#define AHEAD                                                                                      \
    .ahead_block = 512, .ahead_groups = 2, .ahead_few = 3, .ahead_size = 256, .ahead_bytes = 192,  \
    .ahead_wide_size = 128, .ahead_wide_bytes = 240, .ahead_flag_size = 512,                       \
    .ahead_flag_bytes = 100

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
static bool looks_back_slowly(const xli_tune_device *device)
{
    return !device->is_cpu && !device->has_lanes;
}

void xli_tune_scan_table(const xli_tune_device *device, xli_tune_scan *tune)
{
    const row *found = table;
    while (!xli_tune_fits(&found->match, device))
        ++found;
    *tune = found->tune;
    if (looks_back_slowly(device))
        tune->look_back = 0;
}

/* SPDX-License-Identifier: MIT
 * Which way lanes talk, from what a device told: pure, so that it is tested without a device.
 *
 *   way            what is told
 *   local memory   a mask, width=1 or no-sub-groups
 *   khr            sub-groups, shuffles, votes, OpenCL C 2.0, clGetKernelSubGroupInfo
 *   PTX            NVIDIA's attributes, warps of 2 to 32
 *   AMD            AMD's attributes, a GPU, wavefronts of 32 or 64: its compiler's builtins
 *   local memory   anything else
 *
 * In this order. None is believed before the probe (probe.c) passed: a compiler of AMD's without
 * these builtins, or one that makes wavefronts of the other width, ends there. */
#include "private.h"

#include <string.h>

static bool has_warps(const xli_lane_facts *facts)
{
    return facts->source == XL_SUB_GROUP_NV_WARP && facts->reported > 1 && facts->reported <= 32;
}

/* ROCm's OpenCL (5.7 to 6.4) tells of cl_khr_subgroups without shuffles and votes; its compiler
 * has both. */
static bool has_wavefronts(const xli_lane_facts *facts)
{
    return facts->source == XL_SUB_GROUP_AMD_WAVEFRONT && facts->is_gpu &&
           (facts->reported == 32 || facts->reported == 64);
}

void xli_lanes_choose(const xli_lane_facts *facts, xli_capabilities *capabilities)
{
    xl_device_info *info = &capabilities->info;
    capabilities->lane_way = XLI_LANE_LOCAL;
    info->sub_group_size = 1;
    info->sub_group_source = facts->width_one ? XL_SUB_GROUP_MASKED : XL_SUB_GROUP_NOT_REPORTED;
    if (facts->width_one || facts->no_sub_groups)
        return;
    info->sub_group_source = facts->source;
    info->sub_group_size_reported = facts->reported;
    if (facts->has_khr) {
        capabilities->lane_way = XLI_LANE_KHR;
        info->sub_group_source = XL_SUB_GROUP_OF_KERNEL;
        info->sub_group_size_reported = 0; /* the probe asks its kernel */
    } else if (has_warps(facts) || has_wavefronts(facts)) {
        capabilities->lane_way = has_warps(facts) ? XLI_LANE_PTX : XLI_LANE_AMD;
        info->sub_group_size = facts->reported;
    }
}

/* The middle first: wider kernels have fewer registers for each lane and spill sooner, narrower
 * ones leave more of the machine idle, and not every GPU of Intel's has them. */
void xli_lanes_widths(const size_t *sizes, size_t n, uint32_t widths[XLI_MOST_WIDTHS])
{
    static const uint32_t order[] = {16, 32, 8};
    size_t count = 0;
    memset(widths, 0, XLI_MOST_WIDTHS * sizeof *widths);
    for (size_t k = 0; k < XLI_COUNT(order); ++k)
        for (size_t i = 0; i < n; ++i)
            if (sizes[i] == order[k] && (count == 0 || widths[count - 1] != order[k]))
                widths[count++] = order[k];
}

bool xli_lanes_better(const xli_width_trial *trial, const xli_width_trial *best)
{
    return trial->fits && (!best->fits || trial->spill_bytes < best->spill_bytes);
}

bool xli_lanes_settled(const xli_width_trial *best)
{
    return best->fits && best->spill_bytes == 0;
}

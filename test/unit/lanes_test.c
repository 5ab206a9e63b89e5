/* SPDX-License-Identifier: MIT
 * How lanes talk, on devices that need not be there: facts in, way out. */
#include "private.h"
#include "xlt.h"

typedef struct row {
    const char *device;
    xli_lane_facts facts;
    xli_lane_way way;
    uint32_t size; /* the initial size of this way */
    xl_sub_group_source source;
} row;

#define WARP XL_SUB_GROUP_NV_WARP
#define WAVE XL_SUB_GROUP_AMD_WAVEFRONT
#define NOBODY XL_SUB_GROUP_NOT_REPORTED

static const row rows[] = {
    {"ROCm, gfx90a", {0, 0, 1, 0, WAVE, 64}, XLI_LANE_AMD, 64, WAVE},
    {"ROCm, gfx1100", {0, 0, 1, 0, WAVE, 32}, XLI_LANE_AMD, 32, WAVE},
    {"ROCm with khr shuffles", {0, 0, 1, 1, WAVE, 64}, XLI_LANE_KHR, 1, XL_SUB_GROUP_OF_KERNEL},
    {"AMD, an odd width", {0, 0, 1, 0, WAVE, 16}, XLI_LANE_LOCAL, 1, WAVE},
    {"AMD, a width past a vote", {0, 0, 1, 0, WAVE, 128}, XLI_LANE_LOCAL, 1, WAVE},
    {"AMD's CPU runtime", {0, 0, 0, 0, WAVE, 64}, XLI_LANE_LOCAL, 1, WAVE},
    {"AMD, width=1", {1, 0, 1, 0, NOBODY, 0}, XLI_LANE_LOCAL, 1, XL_SUB_GROUP_MASKED},
    {"AMD, width=1, told", {1, 0, 1, 0, WAVE, 64}, XLI_LANE_LOCAL, 1, XL_SUB_GROUP_MASKED},
    {"AMD, no-sub-groups", {0, 1, 1, 0, NOBODY, 0}, XLI_LANE_LOCAL, 1, NOBODY},
    {"rusticl on AMD", {0, 0, 1, 1, NOBODY, 0}, XLI_LANE_KHR, 1, XL_SUB_GROUP_OF_KERNEL},
    {"a GPU that tells nothing", {0, 0, 1, 0, NOBODY, 0}, XLI_LANE_LOCAL, 1, NOBODY},
    {"H200", {0, 0, 1, 0, WARP, 32}, XLI_LANE_PTX, 32, WARP},
    {"NVIDIA, too wide for PTX", {0, 0, 1, 0, WARP, 64}, XLI_LANE_LOCAL, 1, WARP},
    {"NVIDIA, no warps", {0, 0, 1, 0, WARP, 1}, XLI_LANE_LOCAL, 1, WARP},
    {"NVIDIA with khr shuffles", {0, 0, 1, 1, WARP, 32}, XLI_LANE_KHR, 1, XL_SUB_GROUP_OF_KERNEL},
    {"Intel's CPU runtime",
     {0, 0, 0, 1, XL_SUB_GROUP_INTEL_SIZES, 64},
     XLI_LANE_KHR,
     1,
     XL_SUB_GROUP_OF_KERNEL},
    {"Intel, no-sub-groups", {0, 1, 1, 1, XL_SUB_GROUP_INTEL_SIZES, 32}, XLI_LANE_LOCAL, 1, NOBODY},
    {"Intel without shuffles",
     {0, 0, 1, 0, XL_SUB_GROUP_INTEL_SIZES, 32},
     XLI_LANE_LOCAL,
     1,
     XL_SUB_GROUP_INTEL_SIZES},
};

XLT_TEST(the_way_follows_from_the_facts)
{
    for (size_t r = 0; r < XLI_COUNT(rows); ++r) {
        xli_capabilities capabilities = {0};
        xli_lanes_choose(&rows[r].facts, &capabilities);
        if (capabilities.lane_way != rows[r].way ||
            capabilities.info.sub_group_size != rows[r].size ||
            capabilities.info.sub_group_source != rows[r].source)
            XLT_FAIL("%s: way %d, size %u, source %u", rows[r].device, (int)capabilities.lane_way,
                     (unsigned)capabilities.info.sub_group_size,
                     (unsigned)capabilities.info.sub_group_source);
    }
}

XLT_TEST(widths_are_tried_from_the_middle)
{
    static const struct {
        size_t n, sizes[5];
        uint32_t wanted[XLI_MOST_WIDTHS];
    } lists[] = {
        {3, {8, 16, 32}, {16, 32, 8}},
        {2, {16, 32}, {16, 32}},
        {5, {4, 8, 16, 32, 64}, {16, 32, 8}},
        {1, {8}, {8}},
        {4, {32, 32, 16, 16}, {16, 32}},
        {2, {4, 64}, {0}},
        {0, {0}, {0}},
    };
    for (size_t r = 0; r < XLI_COUNT(lists); ++r) {
        uint32_t widths[XLI_MOST_WIDTHS] = {7, 7, 7, 7};
        xli_lanes_widths(lists[r].sizes, lists[r].n, widths);
        for (size_t k = 0; k < XLI_MOST_WIDTHS; ++k)
            if (widths[k] != lists[r].wanted[k])
                XLT_FAIL("list %zu: width %zu is %u, not %u", r, k, (unsigned)widths[k],
                         (unsigned)lists[r].wanted[k]);
    }
}

/* The number of the trial that is taken, and how many are made; -1: none. */
static void expect_choice(const xli_width_trial trials[3], int wanted, int wanted_made)
{
    xli_width_trial best = {0};
    int taken = -1, made = 0;
    for (; made < 3 && !xli_lanes_settled(&best); ++made)
        if (xli_lanes_better(&trials[made], &best)) {
            best = trials[made];
            taken = made;
        }
    assert_int_equal(taken, wanted);
    assert_int_equal(made, wanted_made);
}

XLT_TEST(the_first_without_spills_is_taken)
{
    expect_choice((xli_width_trial[3]){{true, 0}, {true, 0}, {true, 0}}, 0, 1);
    expect_choice((xli_width_trial[3]){{true, 928}, {true, 5888}, {true, 0}}, 2, 3);
    expect_choice((xli_width_trial[3]){{true, 928}, {true, 5888}, {true, 64}}, 2, 3);
    expect_choice((xli_width_trial[3]){{true, 64}, {true, 5888}, {true, 64}}, 0, 3);
    expect_choice((xli_width_trial[3]){{false, 0}, {true, 64}, {true, 128}}, 1, 3);
    expect_choice((xli_width_trial[3]){{false, 0}, {false, 0}, {true, 128}}, 2, 3);
    expect_choice((xli_width_trial[3]){{false, 0}, {false, 0}, {false, 0}}, -1, 3);
}

XLT_MAIN(NULL, NULL)

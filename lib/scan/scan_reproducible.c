/* SPDX-License-Identifier: MIT
 * Launches of the scan with the same order of operands on every device
 * (cl/scan/scan_reproducible.cl). */
#include "scan_plan.h"

/* The tiles of a call, and the parts of its scratch. */
typedef struct layout {
    size_t tiles, windows;
    size_t tiles_at, windows_at; /* bytes; the sub-tiles are at 0 */
    size_t bytes;
    bool reduces; /* a launch reduces sub-tiles first */
} layout;

static size_t bytes_of(size_t states, size_t state)
{
    return xli_round_up(xli_mul(states, state), XLI_SCRATCH_ALIGN);
}

static layout layout_of(const xli_scan_plan *plan, size_t n)
{
    const xli_scan_tree *const tree = &plan->shape.tree;
    const size_t state = plan->problem.accumulator_bytes;
    const size_t tile = xli_scan_tree_tile(tree), sub_tile = xli_scan_tree_sub_tile(tree);
    layout l = {.tiles = xli_ceil_div(n, tile)};
    l.windows = xli_ceil_div(l.tiles, tree->window);
    l.reduces = n > sub_tile || (plan->problem.carries && n > 0);
    if (l.reduces)
        l.tiles_at = bytes_of(xli_mul(l.tiles, tile / sub_tile), state);
    l.windows_at = l.tiles_at;
    if (l.tiles > 1)
        l.windows_at = xli_add(l.windows_at, bytes_of(l.tiles, state));
    l.bytes = l.windows_at;
    if (l.windows > 1)
        l.bytes = xli_add(l.bytes, bytes_of(l.windows, state));
    return l;
}

size_t xli_reproducible_scratch(const xli_scan_plan *plan, size_t n)
{
    return layout_of(plan, n).bytes;
}

xl_status xli_reproducible_enqueue(xli_scan_plan *plan, xli_flow *flow, const xli_span *result)
{
    xl_status status;
    const layout l = layout_of(plan, flow->n);
    const size_t size = plan->shape.group_size, base = flow->scratch->offset;
    const size_t groups = l.tiles * (xli_scan_tree_tile(&plan->shape.tree) / plan->shape.tile);
    const xli_arg scratch = XLI_MEM(flow->scratch->buffer), sub_tiles = XLI_U64(base),
                  tiles = XLI_U64(base + l.tiles_at), windows = XLI_U64(base + l.windows_at);
    if (l.reduces)
        XL_TRY(XLI_FLOW_LAUNCH(flow, &plan->kernels.reduce, groups, size, scratch, sub_tiles, tiles,
                               windows));
    if (l.tiles > 1)
        XL_TRY(XLI_LAUNCH(flow->seq, &plan->kernels.scan_spine, l.windows, size, scratch, sub_tiles,
                          tiles, windows, XLI_U64(l.tiles)));
    if (l.windows > 1)
        XL_TRY(XLI_FLOW_LAUNCH(flow, &plan->kernels.window_starts, 1, size, scratch, sub_tiles,
                               tiles, windows, XLI_U64(l.windows)));
    XL_TRY(XLI_FLOW_LAUNCH(flow, &plan->kernels.last,
                           plan->problem.carry_alone ? 1 : xli_max(1, groups), size, scratch,
                           sub_tiles, tiles, windows, XLI_MEM(result->buffer),
                           XLI_U64(result->offset), XLI_U32(l.tiles > 1)));
done:
    return status;
}

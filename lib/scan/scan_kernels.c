/* SPDX-License-Identifier: MIT
 * The kernels of a scan. */
#include "scan_plan.h"

/* Whether cl/scan/scan_packed.cl may add 16 bytes at a time. */
static bool sums_bytes(const xli_scan_plan *plan)
{
    const xli_problem *problem = &plan->problem;
    return problem->op == XL_SUM && problem->in.bytes == 1 && plan->shape.vector == 16;
}

xl_status xli_scan_text(const xli_scan_plan *plan, const xl_scan_desc *desc,
                        const xli_capabilities *capabilities, xli_text *text)
{
    const xli_scan_shape *shape = &plan->shape;
    const xli_tune_scan *tune = &shape->tune;
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->items == 0},
        {"XL_TILE", shape->tile},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_ITEMS", shape->items},
        {"XL_VLEN", shape->vector},
        {"XL_ORDERED", shape->pipelined || xli_problem_is_ordered(&plan->problem)},
        {"XL_TILES_PER_LANE",
         shape->pipelined ? xli_max(1, shape->window / shape->group_size) : tune->tiles_per_lane},
        {"XL_BULK", shape->bulk},
        {"XL_PACKED", shape->packed ? 1u + sums_bytes(plan) : 0},
        {"XL_SHORT_TILE_VECTORS", shape->short_tile_vectors},
        {"XL_SEPARATE_IN_PLACE", shape->separate_in_place},
        {"XL_SPIN_LIMIT", tune->spin_limit},
        {"XL_BLELLOCH", shape->algorithm == XL_SCAN_BLELLOCH},
        {"XL_TREE_SIZE", shape->tree.size},
        {"XL_TREE_ROWS", shape->tree.rows},
        {"XL_TREE_VLEN", shape->tree.vector},
        {"XL_TREE_WINDOW", shape->tree.window},
        {"XL_INJECT_DELAY", tune->inject_delay},
        {"XL_INJECT_TEAR", tune->inject_tear},
    };
    return xli_problem_text(plan->base.ctx, &plan->problem, desc, capabilities, lines,
                            XLI_COUNT(lines), text);
}

void xli_scan_drop_kernels(xli_scan_plan *plan)
{
    xli_scan_kernels *k = &plan->kernels;
    xli_kernel *const all[] = {&k->reduce,
                               &k->downsweep,
                               &k->clear,
                               &k->lookback,
                               &k->lookback_short_tiles,
                               &k->lookback_in_place,
                               &k->upsweep_spine,
                               &k->scan_spine,
                               &k->window_starts};
    for (size_t i = 0; i < XLI_COUNT(all); ++i)
        xli_kernel_destroy(all[i]);
}

xl_status xli_scan_build(xli_scan_plan *plan, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, size_t *most)
{
    const xli_scan_shape *shape = &plan->shape;
    xli_scan_kernels *k = &plan->kernels;
    const bool lookback = shape->algorithm == XL_SCAN_LOOKBACK,
               pipelined = lookback && shape->pipelined;
    const bool tree = xli_scan_is_tree(plan);
    const bool two_pass = shape->algorithm == XL_SCAN_REDUCE_THEN_SCAN && !tree;
    const bool textbook = xli_scan_is_textbook(shape->algorithm);
    const struct {
        const char *source, *name;
        xli_kernel *kernel;
        bool wanted;
    } kernels[] = {
        {"scan_pipelined", "xl_scan_clear", &k->clear, pipelined},
        {"scan_pipelined", "xl_scan_pipelined", &k->lookback, pipelined},
        {"scan_pipelined", "xl_scan_pipelined_short", &k->lookback_short_tiles,
         pipelined && shape->short_tile_vectors > 0},
        {"scan_pipelined", "xl_scan_pipelined_in_place", &k->lookback_in_place,
         pipelined && shape->separate_in_place},
        {"scan_lookback", "xl_scan_clear", &k->clear, lookback && !pipelined},
        {"scan_lookback", "xl_scan_lookback", &k->lookback, lookback && !pipelined},
        {"scan_lookback", "xl_scan_lookback_in_place", &k->lookback_in_place,
         lookback && !pipelined},
        {"scan_two_pass", "xl_scan_upsweep", &k->reduce, two_pass},
        {"scan_two_pass", "xl_scan_spine", &k->scan_spine, two_pass && shape->items == 0},
        {"scan_two_pass", "xl_scan_downsweep", &k->downsweep, two_pass},
        {"scan_reproducible", "xl_reproducible_upsweep", &k->reduce, tree},
        {"scan_reproducible", "xl_reproducible_windows", &k->scan_spine, tree},
        {"scan_reproducible", "xl_reproducible_starts", &k->window_starts, tree},
        {"scan_reproducible", "xl_reproducible_downsweep", &k->downsweep, tree},
        {"scan_textbook", "xl_textbook_upsweep", &k->reduce, textbook},
        {"scan_textbook", "xl_textbook_upsweep_spine", &k->upsweep_spine, textbook},
        {"scan_textbook", "xl_textbook_downsweep_spine", &k->scan_spine, textbook},
        {"scan_textbook", "xl_textbook_downsweep", &k->downsweep, textbook},
    };
    xl_status status = XL_SUCCESS;
    xli_text text = {0};
    *most = SIZE_MAX;
    xli_scan_drop_kernels(plan);
    XL_TRY(xli_scan_text(plan, desc, capabilities, &text));
    for (size_t i = 0; i < XLI_COUNT(kernels); ++i) {
        xli_program *program;
        if (!kernels[i].wanted)
            continue;
        XL_TRY(xli_problem_program(plan->base.ctx, &plan->problem, capabilities, kernels[i].source,
                                   &text, &program));
        XL_TRY(xli_kernel_create(plan->base.ctx, program, kernels[i].name, kernels[i].kernel));
        plan->shape.sub_group =
            xli_program_sub_group(plan->base.ctx, program, plan->shape.sub_group);
        *most = xli_min(*most, kernels[i].kernel->max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

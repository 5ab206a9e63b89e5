/* SPDX-License-Identifier: MIT
 * The kernels of a scan. */
#include "scan_plan.h"

/* Whether cl/scan/scan_pipelined.cl may add 16 bytes at a time. */
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
        {"XL_INCLUSIVE", plan->problem.inclusive},
        {"XL_CARRY", xli_problem_carry(&plan->problem)},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_VLEN", shape->vector},
        {"XL_ORDERED", xli_problem_is_ordered(&plan->problem)},
        {"XL_TILES_PER_LANE",
         shape->pipelined ? xli_max(1, shape->window / shape->group_size) : tune->tiles_per_lane},
        {"XL_PACKED", shape->packed ? 1u + sums_bytes(plan) : 0},
        {"XL_TREE_SIZE", shape->tree.size},
        {"XL_TREE_ROWS", shape->tree.rows},
        {"XL_TREE_VLEN", shape->tree.vector},
        {"XL_TREE_WINDOW", shape->tree.window},
    };
    return xli_problem_text(plan->base.ctx, &plan->problem, desc, capabilities, lines,
                            XLI_COUNT(lines), text);
}

void xli_scan_text_part(const xli_scan_plan *plan, xli_scan_part part, xli_text *text)
{
    const xli_scan_shape *const shape = &plan->shape;
    const xli_definition lines[] = {
        {"XL_ITEMS", xli_scan_part_tile(shape, part) / shape->group_size},
        {"XL_BULK", !shape->bulk                 ? 0
                    : part < XLI_SCAN_MISALIGNED ? 1
                                                 : 2},
        {"XL_IN_PLACE", part % XLI_SCAN_MISALIGNED == XLI_SCAN_IN_PLACE ? 1
                        : shape->separate_in_place                      ? 0
                                                                        : 2},
    };
    xli_text_define(text, lines, XLI_COUNT(lines));
}

void xli_scan_drop_kernels(xli_scan_plan *plan)
{
    xli_scan_kernels *k = &plan->kernels;
    xli_kernel *const all[] = {&k->reduce,     &k->last,          &k->clear,
                               &k->scan_spine, &k->window_starts, &k->heads};
    for (size_t i = 0; i < XLI_COUNT(all); ++i)
        xli_kernel_destroy(all[i]);
    for (size_t i = 0; i < XLI_COUNT(k->lookback); ++i)
        xli_kernel_destroy(&k->lookback[i]);
    xli_text_free(&plan->text);
    xli_parts_destroy(&plan->parts);
}

/* Compiles a program and makes those of the kernels that are wanted. */
static xl_status build_program(xli_scan_plan *plan, xli_scan_part part, const char *source,
                               const xli_wanted *kernels, size_t count, size_t *most)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_text text = {0};
    xli_program *program;
    xl_context *const ctx = plan->base.ctx;
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    xli_text_add_bytes(&text, plan->text.data, plan->text.length);
    xli_scan_text_part(plan, part, &text);
    if (text.failed)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan's definitions"));
    XL_TRY(xli_problem_program(ctx, &plan->problem, capabilities, source, &text,
                               plan->shape.registers, &program));
    plan->sub_group[part] = xli_program_sub_group(ctx, program, plan->shape.sub_group);
    XL_TRY(xli_kernels_create(ctx, program, kernels, count, most));
done:
    xli_text_free(&text);
    return status;
}

static xl_status build_heads(xli_scan_plan *plan)
{
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_scan_heads", &plan->kernels.heads, true}};
    const xli_definition lines[] = {{"XL_GROUP_SIZE", plan->shape.heads_size},
                                    {"XL_ITEMS", plan->shape.heads_tile / plan->shape.heads_size}};
    xli_text_add(&text, "#define XL_SEG %s\n",
                 plan->problem.segment_bytes == sizeof(cl_ulong) ? "ulong" : "uint");
    xli_text_define(&text, lines, XLI_COUNT(lines));
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "scan_heads", &text, list, XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

static xl_status build_part(void *of, unsigned part)
{
    size_t most = SIZE_MAX;
    xli_scan_plan *const plan = of;
    if (part == XLI_SCAN_HEADS)
        return build_heads(plan);
    const bool pipelined = plan->shape.pipelined,
               in_place = part % XLI_SCAN_MISALIGNED == XLI_SCAN_IN_PLACE;
    const char *const name = pipelined && in_place            ? "xl_scan_pipelined_in_place"
                             : pipelined                      ? "xl_scan_pipelined"
                             : in_place                       ? "xl_scan_lookback_in_place"
                             : !plan->shape.separate_in_place ? "xl_scan_lookback_either"
                                                              : "xl_scan_lookback";
    const xli_wanted kernels[] = {{"xl_scan_clear", &plan->kernels.clear, !plan->kernels.clear.cl},
                                  {name, &plan->kernels.lookback[part], true}};
    return build_program(plan, (xli_scan_part)part, xli_scan_file_name(xli_scan_file(&plan->shape)),
                         kernels, XLI_COUNT(kernels), &most);
}

xl_status xli_scan_build_part(xli_scan_plan *plan, unsigned part)
{
    return xli_parts_build(&plan->parts, part, build_part, plan);
}

static xl_status build_launches(xli_scan_plan *plan, size_t *most)
{
    xli_scan_kernels *const k = &plan->kernels;
    const bool serial = plan->shape.items == 0, alone = plan->problem.carry_alone;
    const xli_wanted two_pass[] = {{"xl_scan_upsweep", &k->reduce, true},
                                   {"xl_scan_spine", &k->scan_spine, serial},
                                   {alone ? "xl_scan_carry" : "xl_scan_downsweep", &k->last, true}},
                     tree[] = {{"xl_reproducible_upsweep", &k->reduce, true},
                               {"xl_reproducible_windows", &k->scan_spine, true},
                               {"xl_reproducible_starts", &k->window_starts, true},
                               {alone ? "xl_reproducible_carry" : "xl_reproducible_downsweep",
                                &k->last, true}};
    if (xli_scan_is_tree(plan))
        return build_program(plan, XLI_SCAN_MANY, "scan_reproducible", tree, XLI_COUNT(tree), most);
    return build_program(plan, XLI_SCAN_MANY, "scan_two_pass", two_pass, XLI_COUNT(two_pass), most);
}

/* Whether there is text of the caller's: creation refuses a wrong one. */
static bool has_text(const xl_scan_desc *desc)
{
    return desc->user_type || desc->user_load_type || desc->user_store_type || desc->user_op ||
           desc->load || desc->store;
}

xl_status xli_scan_build(xli_scan_plan *plan, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    *most = SIZE_MAX;
    xli_scan_drop_kernels(plan);
    XL_TRY(xli_parts_create(plan->base.ctx, &plan->parts));
    XL_TRY(xli_scan_text(plan, desc, capabilities, &plan->text));
    if (plan->shape.algorithm != XL_SCAN_LOOKBACK)
        XL_TRY(build_launches(plan, most));
    else if (has_text(desc))
        XL_TRY(xli_scan_build_part(plan, XLI_SCAN_MANY));
done:
    return status;
}

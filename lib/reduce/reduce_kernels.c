/* SPDX-License-Identifier: MIT
 * The kernels of a reduction. */
#include "reduce_plan.h"

static xl_status add_text(const xli_reduce_plan *plan, const xl_scan_desc *scan,
                          const xli_capabilities *capabilities, xli_text *text)
{
    const xli_problem *problem = &plan->problem;
    const xli_reduce_shape *shape = &plan->shape;
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->items == 0},
        {"XL_TILE", shape->tile},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_ITEMS", shape->items},
        {"XL_VLEN", shape->vector},
        {"XL_DOUBLE_BUFFER", shape->tune.double_buffer},
        {"XL_SEG_VLEN", 16 / xli_max(1, problem->segment_bytes)},
        {"XL_SINGLE_LAUNCH", shape->single_launch},
        {"XL_LIMITED_LOOPS", shape->tune.chunk_elements_csr > 0},
    };
    return xli_problem_text(plan->base.ctx, problem, scan, capabilities, lines, XLI_COUNT(lines),
                            text);
}

void xli_reduce_drop_kernels(xli_reduce_plan *plan)
{
    xli_kernel_destroy(&plan->kernels.count);
    xli_kernel_destroy(&plan->kernels.upsweep);
    xli_kernel_destroy(&plan->kernels.fix_up);
}

xl_status xli_reduce_build(xli_reduce_plan *plan, const xl_scan_desc *scan,
                           const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    const bool whole = plan->problem.segments == XL_SEGMENTS_NONE;
    const xli_wanted kernels[] = {
        {"xl_reduce_upsweep", &plan->kernels.upsweep, true},
        {"xl_reduce_fix_up", &plan->kernels.fix_up, true},
        {"xl_reduce_count", &plan->kernels.count, xli_reduce_counts(&plan->problem)}};
    *most = SIZE_MAX;
    xli_reduce_drop_kernels(plan);
    XL_TRY(add_text(plan, scan, capabilities, &text));
    XL_TRY(xli_problem_program(plan->base.ctx, &plan->problem, capabilities,
                               whole ? "reduce_whole" : "reduce_segments", &text, &program));
    plan->shape.sub_group = xli_program_sub_group(plan->base.ctx, program, plan->shape.sub_group);
    XL_TRY(xli_kernels_create(plan->base.ctx, program, kernels, XLI_COUNT(kernels), most));
done:
    xli_text_free(&text);
    return status;
}

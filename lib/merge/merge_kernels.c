/* SPDX-License-Identifier: MIT
 * The kernels of a merge. */
#include "key.h"
#include "merge_plan.h"

static const char program_name[] = "merge_sorted";

static void add_text(xli_text *text, const xli_merge_problem *problem, const xli_merge_shape *shape)
{
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->serial},
        {"XL_MERGE_VALUES", problem->value != XL_NONE},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_ITEMS", shape->items},
    };
    xli_key_text(text, problem->key, problem->descending, problem->equal_zeros);
    xli_text_define(text, lines, XLI_COUNT(lines) - shape->serial);
}

xl_status xli_merge_build(xli_merge_plan *plan, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    const bool serial = plan->shape.serial;
    xli_merge_drop_kernels(plan);
    add_text(&text, &plan->problem, &plan->shape);
    if (text.failed)
        XL_TRY(xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a kernel's source"));
    XL_TRY(xli_program_get(plan->base.ctx, program_name, text.data, &program));
    XL_TRY(xli_kernel_create(plan->base.ctx, program, serial ? "xl_merge_chunks" : "xl_merge_tiles",
                             &plan->parts));
    *most = plan->parts.max_group;
    if (!serial) {
        XL_TRY(
            xli_kernel_create(plan->base.ctx, program, "xl_merge_partitions", &plan->partitions));
        *most = xli_min(*most, plan->partitions.max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

void xli_merge_drop_kernels(xli_merge_plan *plan)
{
    xli_kernel_destroy(&plan->partitions);
    xli_kernel_destroy(&plan->parts);
}

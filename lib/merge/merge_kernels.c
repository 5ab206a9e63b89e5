/* SPDX-License-Identifier: MIT
 * The kernels of a merge. */
#include "key.h"
#include "merge_plan.h"

static void add_text(xli_text *text, const xli_merge_problem *problem, const xli_merge_shape *shape)
{
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->serial},
        {"XL_VALUES", problem->values.count},
        {"XL_GROUP_SIZE", shape->group_size},
        {shape->serial ? NULL : "XL_ITEMS", shape->items},
        {shape->sets ? "XL_MERGE_OPERATION" : NULL, (size_t)problem->operation},
    };
    xli_key_text(text, problem->key, problem->descending, problem->equal_zeros);
    xli_values_text(text, &problem->values);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

xl_status xli_merge_build(xli_merge_plan *plan, size_t *most)
{
    xli_text text = {0};
    const bool serial = plan->shape.serial, sets = plan->shape.sets;
    const xli_wanted list[] = {{"xl_merge_partitions", &plan->partitions, !sets && !serial},
                               {"xl_merge_tiles", &plan->parts, !sets && !serial},
                               {"xl_merge_chunks", &plan->parts, !sets && serial},
                               {"xl_set_cuts", &plan->set_cuts, sets},
                               {"xl_set_counts", &plan->set_counts, sets},
                               {"xl_set_sums", &plan->set_sums, sets},
                               {"xl_set_writes", &plan->set_writes, sets}};
    xli_merge_drop_kernels(plan);
    *most = SIZE_MAX;
    add_text(&text, &plan->problem, &plan->shape);
    const xl_status status = xli_kernels_build(plan->base.ctx, sets ? "merge_sets" : "merge_sorted",
                                               &text, list, XLI_COUNT(list), most);
    xli_text_free(&text);
    return status;
}

void xli_merge_drop_kernels(xli_merge_plan *plan)
{
    xli_kernel *const all[] = {&plan->partitions, &plan->parts,    &plan->set_cuts,
                               &plan->set_counts, &plan->set_sums, &plan->set_writes};
    for (size_t k = 0; k < XLI_COUNT(all); ++k)
        xli_kernel_destroy(all[k]);
}

/* SPDX-License-Identifier: MIT
 * The kernels of a search. */
#include "key.h"
#include "search_plan.h"

static void add_text(xli_text *text, const xli_search_problem *problem,
                     const xli_search_shape *shape)
{
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->serial},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_SEARCH_ITEMS", shape->items},
        {"XL_SEARCH_UPPER", problem->kind == XL_SEARCH_UPPER},
        {"XL_SEARCH_WIDE", problem->index == XL_U64},
    };
    xli_key_text(text, problem->key, problem->descending, problem->equal_zeros);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

xl_status xli_search_build(xli_search_plan *plan, size_t *most)
{
    xli_text text = {0};
    const bool unsorted = plan->problem.kind == XL_SEARCH_UNSORTED;
    const xli_wanted list[] = {{"xl_unsorted_chunks", &plan->chunks, unsorted},
                               {"xl_unsorted_lowest", &plan->lowest, unsorted},
                               {"xl_search_keys", &plan->keys, !unsorted}};
    xli_search_drop_kernels(plan);
    add_text(&text, &plan->problem, &plan->shape);
    *most = SIZE_MAX;
    const xl_status status =
        xli_kernels_build(plan->base.ctx, unsorted ? "search_unsorted" : "search_sorted", &text,
                          list, XLI_COUNT(list), most);
    xli_text_free(&text);
    return status;
}

void xli_search_drop_kernels(xli_search_plan *plan)
{
    xli_kernel_destroy(&plan->keys);
    xli_kernel_destroy(&plan->chunks);
    xli_kernel_destroy(&plan->lowest);
}

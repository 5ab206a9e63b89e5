/* SPDX-License-Identifier: MIT
 * The kernels of a transform. */
#include "transform_plan.h"

/* The elements whose types the source declares: the inputs' and the output's. */
static size_t list_types(const xli_transform_problem *problem,
                         const xli_element *types[XL_TRANSFORM_ARRAYS + 1])
{
    size_t count = 0;
    for (; count < problem->arrays; ++count)
        types[count] = &problem->in[count];
    types[count++] = &problem->out;
    return count;
}

static void add_expression(xli_text *text, const xli_transform_problem *problem,
                           const char *expression)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    const bool adjacent = problem->kind == XL_TRANSFORM_ADJACENT;
    xli_expression_argument arguments[XL_TRANSFORM_ARRAYS];
    for (size_t k = 0; k < problem->arrays; ++k)
        arguments[k] = (xli_expression_argument){names[k], &problem->in[k]};
    if (adjacent)
        arguments[1] = (xli_expression_argument){"p", &problem->in[0]};
    xli_element_text_expression(text, "expression", &problem->out,
                                expression ? expression
                                : adjacent ? "x - p"
                                           : "x",
                                problem->arrays + adjacent, arguments, &problem->params);
}

static void add_text(xli_text *text, const xli_transform_problem *problem,
                     const xl_transform_desc *desc, const xli_capabilities *capabilities,
                     const xli_transform_shape *shape)
{
    static const char *const names[] = {"XL_T0", "XL_T1", "XL_T2", "XL_T3"};
    const xli_element *types[XL_TRANSFORM_ARRAYS + 1];
    const xli_element *in = &problem->in[0], *out = &problem->out;
    const xli_definition lines[] = {
        {"XL_TRANSFORM_INPUTS", problem->arrays},
        {"XL_TRANSFORM_ADJACENT", problem->kind == XL_TRANSFORM_ADJACENT},
        {"XL_TRANSFORM_KEEPS_FIRST",
         desc->out_type == XL_NONE || (in->type == out->type && in->type != XL_USER_TYPE)},
        {"XL_TRANSFORM_ITEMS", shape->items},
        {"XL_SERIAL", shape->serial},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_VLEN", shape->vector},
    };
    xli_element_text_types(text, capabilities, types, list_types(problem, types));
    xli_params_text(text, &problem->params);
    add_expression(text, problem, desc->expression);
    xli_text_add(text, "#line 1 \"plan\"\n#define XL_OUT %s\n", out->storage);
    for (size_t k = 0; k < problem->arrays; ++k)
        xli_text_add(text, "#define %s %s\n", names[k], problem->in[k].storage);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status build_function(xli_transform_plan *plan, const xl_transform_desc *desc,
                                const xli_capabilities *capabilities, xli_text *text)
{
    const xli_element *types[XL_TRANSFORM_ARRAYS + 1];
    const xli_transform_problem *problem = &plan->problem;
    const bool adjacent = problem->kind == XL_TRANSFORM_ADJACENT;
    const xli_wanted list[] = {{"xl_transform_map", &plan->run[0], !adjacent},
                               {"xl_transform_adjacent", &plan->run[0], adjacent},
                               {"xl_transform_borders", &plan->borders, adjacent}};
    add_text(text, problem, desc, capabilities, &plan->shape);
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "transform", text, list, XLI_COUNT(list), NULL);
    return status == XL_ERROR_BUILD ? xli_element_explain(plan->base.ctx, capabilities, types,
                                                          list_types(problem, types))
                                    : status;
}

static xl_status build_moves(xli_transform_plan *plan, xli_text *text)
{
    xl_status status = XL_SUCCESS;
    const xli_transform_problem *problem = &plan->problem;
    const bool gathers = problem->kind == XL_TRANSFORM_GATHER;
    for (size_t k = 0; k < problem->arrays; ++k) {
        const xli_wanted list[] = {{"xl_transform_gather", &plan->run[k], gathers},
                                   {"xl_transform_scatter", &plan->run[k], !gathers}};
        const xli_definition lines[] = {
            {"XL_MOVE_BYTES", problem->in[k].bytes},
            {"XL_INDEX_WIDE", problem->index_bytes == sizeof(cl_ulong)},
        };
        text->length = 0;
        xli_text_define(text, lines, XLI_COUNT(lines));
        XL_TRY(
            xli_kernels_build(plan->base.ctx, "transform_move", text, list, XLI_COUNT(list), NULL));
    }
done:
    return status;
}

xl_status xli_transform_build(xli_transform_plan *plan, const xl_transform_desc *desc,
                              const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_transform_drop_kernels(plan);
    XL_TRY(xli_transform_moves(plan->problem.kind)
               ? build_moves(plan, &text)
               : build_function(plan, desc, capabilities, &text));
    *most = plan->run[0].max_group;
done:
    xli_text_free(&text);
    return status;
}

void xli_transform_drop_kernels(xli_transform_plan *plan)
{
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k)
        xli_kernel_destroy(&plan->run[k]);
    xli_kernel_destroy(&plan->borders);
}

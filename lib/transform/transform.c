/* SPDX-License-Identifier: MIT
 * Transform: the kernels, the arrays of a call, and the public calls. */
#include "transform_plan.h"

#include <string.h>

static const xl_transform_desc defaults = {
    .num_arrays = 1, .types = {XL_F32}, .kind = XL_TRANSFORM_MAP};

/* ---- the kernels ---- */

static void drop(xl_plan *base)
{
    xli_transform_plan *const plan = (xli_transform_plan *)base;
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k)
        xli_kernel_destroy(&plan->run[k]);
    xli_kernel_destroy(&plan->borders);
}

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

static xl_status build(xli_transform_plan *plan, const xl_transform_desc *desc,
                       const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    drop(&plan->base);
    XL_TRY(xli_transform_moves(plan->problem.kind)
               ? build_moves(plan, &text)
               : build_function(plan, desc, capabilities, &text));
    *most = plan->run[0].max_group;
done:
    xli_text_free(&text);
    return status;
}

/* ---- the plan ---- */

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_transform_desc *const desc = of;
    xli_transform_plan *const plan = (xli_transform_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    size_t most = SIZE_MAX;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_transform_resolve(base->ctx, desc, capabilities, &plan->problem));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_TRANSFORM, desc),
                            &device, &tune));
    do {
        xli_transform_shape_of(&plan->problem, &device, &tune.transform, most, &plan->shape);
        XL_TRY(build(plan, desc, capabilities, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_transform_plan *const plan = (const xli_transform_plan *)base;
    const xli_transform_shape *const shape = &plan->shape;
    (void)n;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->serial ? 0 : shape->vector * shape->items;
    details->tile_elements = shape->tile;
    strcpy(details->algorithm, xli_transform_moves(plan->problem.kind) ? "move" : "map");
}

/* ---- arrays ---- */

static const char *const in_names[] = {"args.in[0]", "args.in[1]", "args.in[2]", "args.in[3]"};
static const char *const out_names[] = {"args.out[0]", "args.out[1]", "args.out[2]", "args.out[3]"};
static const char not_in_plan[] = "the plan has no such array";

/* Inputs and outputs. The output of a map may be exactly an input whose elements have its size. */
static void list_pairs(const xli_transform_problem *p, const xl_transform_args *args,
                       xli_array *arrays)
{
    const bool moves = xli_transform_moves(p->kind);
    const size_t n = args->n, range = n > 0 ? args->range : 0;
    const size_t read = p->kind == XL_TRANSFORM_GATHER ? range : n;
    const size_t written = p->kind == XL_TRANSFORM_SCATTER ? range : n;
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k) {
        xli_array *const in = &arrays[XLI_TRANSFORM_IN + k], *out = &arrays[XLI_TRANSFORM_OUT + k];
        *in = xli_input(in_names[k], args->in[k], read, p->in[k].bytes);
        *out =
            xli_output(out_names[k], args->out[k], written, moves ? p->in[k].bytes : p->out.bytes);
        if (k >= p->arrays)
            in->unused = not_in_plan;
        else if (!moves && p->in[k].bytes == p->out.bytes)
            in->in_place_of = out_names[0];
        if (k >= (moves ? p->arrays : 1))
            out->unused = not_in_plan;
    }
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_transform_args *const args = of;
    const xli_transform_problem *const p = &((const xli_transform_plan *)base)->problem;
    arrays[XLI_TRANSFORM_N_DEVICE] =
        xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[XLI_TRANSFORM_N_DEVICE].optional = true;
    arrays[XLI_TRANSFORM_INDICES] =
        xli_input("args.indices", args->indices, args->n, p->index_bytes);
    if (!xli_transform_moves(p->kind))
        arrays[XLI_TRANSFORM_INDICES].unused = "requires a gather or a scatter";
    list_pairs(p, args, arrays);
    return XLI_TRANSFORM_SPANS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_transform_plan *const plan = (const xli_transform_plan *)base;
    const size_t n = ((const xl_transform_args *)of)->n;
    return xli_transform_scratch_bytes(&plan->problem, &plan->shape, n);
}

static size_t scratch_used(const xl_plan *base, const void *of, const xli_span *spans)
{
    return xli_transform_is_in_place(spans) ? scratch_bytes(base, of) : 0;
}

static const xli_primitive primitive = {
    XLI_PRIMITIVE_OF_ARRAYS(transform, xli_transform_plan), .check = xli_transform_check,
    .scratch = scratch_bytes, .scratch_used = scratch_used, .launch = xli_transform_launch};
XLI_PUBLIC_CALLS(transform)

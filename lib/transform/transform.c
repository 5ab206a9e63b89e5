/* SPDX-License-Identifier: MIT
 * Transform: the descriptor, the arrays of a call, and the public calls. */
#include "transform_plan.h"

#include <string.h>

static const xl_transform_desc defaults = {
    .num_arrays = 1, .types = {XL_F32}, .kind = XL_TRANSFORM_MAP};

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
        XL_TRY(xli_transform_build(plan, desc, capabilities, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_transform_drop_kernels((xli_transform_plan *)base);
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

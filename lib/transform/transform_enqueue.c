/* SPDX-License-Identifier: MIT
 * The launches of a transform: one; one for each array of a gather or scatter. In place,
 * XL_TRANSFORM_ADJACENT has another one first, which saves the element before each tile. */
#include "transform_plan.h"
#include "values.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_transform_plan *plan;
    xli_seq *seq;
    size_t n, range;
    const xli_span *spans;
    xli_param_values params;
    xli_args args;
} flow;

/* Adds n, and the number of elements on the device. Without n_device the kernel is given the first
 * output in its place and reads no length. */
static void begin(flow *f)
{
    const xli_span *const length = &f->spans[XLI_TRANSFORM_N_DEVICE];
    f->args.count = 0;
    xli_args_add(&f->args, XLI_U64(f->n));
    xli_args_add(&f->args, XLI_U32(length->buffer != NULL));
    xli_args_add_span(&f->args, length->buffer ? length : &f->spans[XLI_TRANSFORM_OUT]);
}

static xl_status launch_tiles(flow *f)
{
    const xli_transform_shape *shape = &f->plan->shape;
    xli_args_add(&f->args, xli_params_arg(&f->plan->problem.params, &f->params));
    return xli_seq_launch_args(f->seq, &f->plan->run[0], xli_ceil_div(f->n, shape->tile),
                               shape->group_size, &f->args, 0);
}

static xl_status map(flow *f)
{
    const xli_transform_problem *problem = &f->plan->problem;
    const xli_span *const in = &f->spans[XLI_TRANSFORM_IN], *const out =
                                                                &f->spans[XLI_TRANSFORM_OUT];
    bool stream = xli_mul(f->n, problem->out.bytes) >= f->plan->shape.stream_bytes;
    begin(f);
    xli_args_add(&f->args, XLI_U32(f->plan->shape.tile));
    /* In place the cache lines have been read anyway. */
    for (size_t k = 0; k < problem->arrays; ++k)
        stream = stream && in[k].root != out->root;
    xli_args_add(&f->args, XLI_U32(stream));
    for (size_t k = 0; k < problem->arrays; ++k)
        xli_args_add_span(&f->args, &in[k]);
    xli_args_add_span(&f->args, out);
    return launch_tiles(f);
}

static xl_status save_borders(const flow *f, const xli_span *scratch)
{
    enum { GROUP = 64 };
    const xli_transform_plan *plan = f->plan;
    const xli_span *const in = &f->spans[XLI_TRANSFORM_IN];
    const size_t tiles = xli_ceil_div(f->n, plan->shape.tile);
    const size_t group = xli_min(GROUP, plan->borders.max_group);
    return XLI_LAUNCH(f->seq, &f->plan->borders, xli_ceil_div(tiles, group), group, XLI_U64(f->n),
                      XLI_U32(plan->shape.tile), XLI_U64(tiles), XLI_MEM(in->buffer),
                      XLI_U64(in->offset), XLI_MEM(scratch->buffer),
                      XLI_U64(scratch->offset / plan->problem.in[0].bytes));
}

static xl_status adjacent(flow *f, const xli_span *scratch)
{
    xl_status status;
    const size_t bytes = f->plan->problem.in[0].bytes;
    const xli_span *const in = &f->spans[XLI_TRANSFORM_IN];
    const bool borders = xli_transform_is_in_place(f->spans) && f->n > f->plan->shape.tile;
    if (borders)
        XL_TRY(save_borders(f, scratch));
    begin(f);
    xli_args_add(&f->args, XLI_U32(f->plan->shape.tile));
    xli_args_add(&f->args, XLI_U32(borders));
    xli_args_add(&f->args, XLI_MEM(borders ? scratch->buffer : in->buffer));
    xli_args_add(&f->args, XLI_U64(borders ? scratch->offset / bytes : 0));
    xli_args_add_span(&f->args, in);
    xli_args_add_span(&f->args, &f->spans[XLI_TRANSFORM_OUT]);
    XL_TRY(launch_tiles(f));
done:
    return status;
}

/* Offsets count units of up to 16 bytes; cl/transform/transform_move.cl has the same. */
static xl_status move(flow *f, size_t k)
{
    enum { ITEMS = 8 };
    xli_kernel *kernel = &f->plan->run[k];
    const size_t bytes = f->plan->problem.in[k].bytes;
    const size_t units = bytes / xli_value_unit(bytes);
    const size_t group = xli_min(f->plan->shape.group_size, kernel->max_group);
    const xli_span *const in = &f->spans[XLI_TRANSFORM_IN + k];
    const xli_span *const out = &f->spans[XLI_TRANSFORM_OUT + k];
    begin(f);
    xli_args_add(&f->args, XLI_U64(f->range));
    xli_args_add_span(&f->args, &f->spans[XLI_TRANSFORM_INDICES]);
    /* If `range` is 0, one of them may have no buffer; the kernel does not touch it. */
    xli_args_add(&f->args, XLI_MEM(in->buffer ? in->buffer : out->buffer));
    xli_args_add(&f->args, XLI_U64(in->offset * units));
    xli_args_add(&f->args, XLI_MEM(out->buffer));
    xli_args_add(&f->args, XLI_U64(out->offset * units));
    return xli_seq_launch_args(f->seq, kernel, xli_ceil_div(xli_mul(f->n, units), group * ITEMS),
                               group, &f->args, 0);
}

static xl_status move_all(flow *f)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < f->plan->problem.arrays && status == XL_SUCCESS; ++k)
        status = f->spans[XLI_TRANSFORM_OUT + k].buffer ? move(f, k) : XL_SUCCESS;
    return status;
}

xl_status xli_transform_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                               const xli_span *scratch)
{
    const xl_transform_args *const args = of;
    xli_transform_plan *const plan = (xli_transform_plan *)base;
    const xl_transform_kind kind = plan->problem.kind;
    flow f = {.plan = plan, .seq = seq, .n = args->n, .range = args->range, .spans = spans};
    const xl_status status =
        xli_params_read(base->ctx, &plan->problem.params, args->params, &f.params);
    if (status != XL_SUCCESS || args->n == 0)
        return status;
    return kind == XL_TRANSFORM_MAP        ? map(&f)
           : kind == XL_TRANSFORM_ADJACENT ? adjacent(&f, scratch)
                                           : move_all(&f);
}

/* SPDX-License-Identifier: MIT
 * The launches of a transform: one; of a gather and a scatter one for each array; of neighbours in
 * place one more before it, which saves what stands before each tile. */
#include "transform_plan.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_transform_plan *plan;
    xli_seq *seq;
    size_t n, range;
    const xli_transform_spans *spans;
    xli_args args;
} flow;

/* n, and where the number of elements stands. A kernel cannot be given no buffer: the output
 * stands in, of which it reads nothing on that account. */
static void begin(flow *f)
{
    const bool has_length = f->spans->n_device.buffer != NULL;
    f->args.count = 0;
    xli_args_add(&f->args, XLI_U64(f->n));
    xli_args_add(&f->args, XLI_U32(has_length));
    xli_args_add_span(&f->args, has_length ? &f->spans->n_device : &f->spans->out[0]);
}

static xl_status launch_tiles(flow *f)
{
    const xli_transform_shape *shape = &f->plan->shape;
    xli_args_add(&f->args, xli_params_arg(&f->plan->problem.params, &f->spans->params));
    return xli_seq_launch_args(f->seq, &f->plan->run[0], xli_ceil_div(f->n, shape->tile),
                               shape->group_size, &f->args, 0);
}

static xl_status map(flow *f)
{
    const xli_transform_problem *problem = &f->plan->problem;
    const xli_transform_spans *s = f->spans;
    bool stream = xli_mul(f->n, problem->out.bytes) >= f->plan->shape.stream_bytes;
    begin(f);
    xli_args_add(&f->args, XLI_U32(f->plan->shape.tile));
    /* In place the lines have been read anyway. */
    for (size_t k = 0; k < problem->arrays; ++k)
        stream = stream && s->in[k].root != s->out[0].root;
    xli_args_add(&f->args, XLI_U32(stream));
    for (size_t k = 0; k < problem->arrays; ++k)
        xli_args_add_span(&f->args, &s->in[k]);
    xli_args_add_span(&f->args, &s->out[0]);
    return launch_tiles(f);
}

static xl_status save_borders(const flow *f, const xli_span *scratch)
{
    enum { GROUP = 64 };
    const xli_transform_plan *plan = f->plan;
    const xli_span *in = &f->spans->in[0];
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
    const bool borders = f->spans->in_place && f->n > f->plan->shape.tile;
    if (borders)
        XL_TRY(save_borders(f, scratch));
    begin(f);
    xli_args_add(&f->args, XLI_U32(f->plan->shape.tile));
    xli_args_add(&f->args, XLI_U32(borders));
    xli_args_add(&f->args, XLI_MEM(borders ? scratch->buffer : f->spans->in[0].buffer));
    xli_args_add(&f->args, XLI_U64(borders ? scratch->offset / bytes : 0));
    xli_args_add_span(&f->args, &f->spans->in[0]);
    xli_args_add_span(&f->args, &f->spans->out[0]);
    XL_TRY(launch_tiles(f));
done:
    return status;
}

/* Offsets count units, of up to 16 bytes; cl/transform/transform_move.cl has the same. */
static xl_status move(flow *f, size_t k)
{
    enum { WIDEST = 16, ITEMS = 8 };
    xli_kernel *kernel = &f->plan->run[k];
    const size_t bytes = f->plan->problem.in[k].bytes;
    const size_t unit = xli_min(bytes & (0 - bytes), WIDEST), units = bytes / unit;
    const size_t group = xli_min(f->plan->shape.group_size, kernel->max_group);
    const xli_span *in = &f->spans->in[k], *out = &f->spans->out[k];
    begin(f);
    xli_args_add(&f->args, XLI_U64(f->range));
    xli_args_add_span(&f->args, &f->spans->indices);
    /* With a range of 0 one of them may be nothing, and is not touched. */
    xli_args_add(&f->args, XLI_MEM(in->buffer ? in->buffer : out->buffer));
    xli_args_add(&f->args, XLI_U64(in->offset * units));
    xli_args_add(&f->args, XLI_MEM(out->buffer));
    xli_args_add(&f->args, XLI_U64(out->offset * units));
    return xli_seq_launch_args(f->seq, kernel, xli_ceil_div(xli_mul(f->n, units), group * ITEMS),
                               group, &f->args, 0);
}

xl_status xli_transform_launch(xli_transform_plan *plan, xli_seq *seq,
                               const xl_transform_args *args, const xli_transform_spans *spans,
                               const xli_span *scratch)
{
    xl_status status = XL_SUCCESS;
    flow f = {.plan = plan, .seq = seq, .n = args->n, .range = args->range, .spans = spans};
    if (plan->problem.kind == XL_TRANSFORM_MAP)
        XL_TRY(map(&f));
    else if (plan->problem.kind == XL_TRANSFORM_ADJACENT)
        XL_TRY(adjacent(&f, scratch));
    else
        for (size_t k = 0; k < plan->problem.arrays && status == XL_SUCCESS; ++k)
            status = spans->out[k].buffer ? move(&f, k) : XL_SUCCESS;
done:
    return status;
}

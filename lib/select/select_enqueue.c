/* SPDX-License-Identifier: MIT
 * The launches of a selection. */
#include "select_plan.h"

/* Bits for the outputs that are given; cl/select/select_arrays.cl has the same. */
enum { GIVES_OUT = 1, GIVES_INDICES = 2, GIVES_LENGTHS = 4, GIVES_COUNT = 8, GIVES_VALUES = 16 };

/* A call on its way to the device. */
typedef struct flow {
    xli_select_plan *plan;
    xli_seq *seq;
    size_t n, room; /* elements, and those that each output has room for */
    const xli_span *spans, *scratch;
    xli_param_values params;
    cl_mem stand_in; /* for arrays that are not given; kernels do not touch it */
} flow;

static cl_uint gives(const xli_span *spans)
{
    cl_uint bits = (spans[XLI_SELECT_OUT].buffer ? GIVES_OUT : 0u) |
                   (spans[XLI_SELECT_INDICES].buffer ? GIVES_INDICES : 0u) |
                   (spans[XLI_SELECT_LENGTHS].buffer ? GIVES_LENGTHS : 0u) |
                   (spans[XLI_SELECT_COUNT].buffer ? GIVES_COUNT : 0u);
    for (unsigned k = 0; k < XLI_VALUES; ++k)
        if (spans[XLI_SELECT_VALUES_OUT + k].buffer)
            bits |= (cl_uint)GIVES_VALUES << k;
    return bits;
}

static void add_array(const flow *f, unsigned span, xli_args *args)
{
    const xli_span *s = &f->spans[span];
    xli_args_add_place(args, s->buffer ? s->buffer : f->stand_in, s->buffer ? s->offset : 0);
}

/* Most arguments of a launch: its own, then the shared ones. */
enum { OWN_ARGS = 6, SHARED_ARGS = 5 + 12 + 2 + 4 * XLI_VALUES + 1 };
XLI_ARGS_FIT(OWN_ARGS + SHARED_ARGS);

/* A launch whose arguments are `first` and XL_SELECT_ARGUMENTS of cl/select/select_arrays.cl. */
static xl_status launch(const flow *f, xli_kernel *kernel, size_t groups, const xli_arg *first,
                        size_t num_first)
{
    const bool repeats = f->plan->problem.kind == XL_SELECT_REPEAT;
    const unsigned arrays[] = {
        XLI_SELECT_IN,      repeats ? XLI_SELECT_LENGTHS_IN : XLI_SELECT_FLAGS,
        XLI_SELECT_OUT,     XLI_SELECT_INDICES,
        XLI_SELECT_LENGTHS, XLI_SELECT_COUNT};
    const xli_span *length = &f->spans[XLI_SELECT_N_DEVICE];
    xli_args args = {.count = 0};
    xli_args_add_all(&args, first, num_first);
    xli_args_add(&args, XLI_U64(f->n));
    xli_args_add(&args, XLI_OPTIONAL(length->buffer));
    xli_args_add(&args, XLI_U64(length->offset));
    xli_args_add(&args, XLI_U64(f->room));
    xli_args_add(&args, XLI_U32(gives(f->spans)));
    for (size_t k = 0; k < XLI_COUNT(arrays); ++k)
        add_array(f, arrays[k], &args);
    xli_args_add_place(&args, f->scratch->buffer ? f->scratch->buffer : f->stand_in,
                       f->scratch->offset / sizeof(cl_ulong));
    for (unsigned k = 0; k < f->plan->problem.values.count; ++k) {
        add_array(f, XLI_SELECT_VALUES_IN + k, &args);
        add_array(f, XLI_SELECT_VALUES_OUT + k, &args);
    }
    xli_args_add(&args, xli_params_arg(&f->plan->problem.params, &f->params));
    return xli_seq_launch_args(f->seq, kernel, groups, f->plan->shape.group_size, &args, 0);
}
#define LAUNCH(f, kernel, groups, ...)                                                             \
    launch((f), (kernel), (groups), (const xli_arg[]){__VA_ARGS__},                                \
           XLI_COUNT(((const xli_arg[]){__VA_ARGS__})))

static xl_status launch_sweep(const flow *f)
{
    xl_status status = XL_SUCCESS;
    const xli_select_shape *s = &f->plan->shape;
    const size_t n = f->n, piece = s->piece;
    const bool single = n <= s->tile && n <= piece;
    cl_uint turn = 0;
    if (!single)
        XL_TRY(xli_seq_clear(
            f->seq, &f->plan->kernels.clear, f->scratch,
            XLI_SELECT_CARRY_WORDS +
                xli_select_state_words(&f->plan->problem, xli_ceil_div(xli_min(n, piece), s->tile)),
            s->units));
    for (size_t begin = 0; begin < n || begin == 0; begin += piece, ++turn) {
        const size_t tiles = xli_ceil_div(xli_min(n - begin, piece), s->tile);
        const size_t groups = xli_min(tiles, xli_mul(s->units, s->tune.lookback_groups));
        XL_TRY(LAUNCH(f, &f->plan->kernels.sweep, xli_max(groups, 1), XLI_U64(begin),
                      XLI_U64(piece), XLI_U32(turn), XLI_U32(single), XLI_U32(s->tune.spin_limit),
                      XLI_U32(xli_late(s->tune.inject_delay, s->tune.inject_tear))));
        if (piece > SIZE_MAX - begin)
            break;
    }
done:
    return status;
}

static xl_status launch_chunks(const flow *f)
{
    xl_status status;
    xli_select_kernels *k = &f->plan->kernels;
    const xli_select_chunks chunks = xli_select_chunks_of(&f->plan->shape, f->n);
    const xli_arg first[] = {XLI_U64(chunks.elements), XLI_U64(chunks.count)};
    if (chunks.count > 0)
        XL_TRY(launch(f, &k->count, chunks.count, first, XLI_COUNT(first)));
    XL_TRY(launch(f, &k->spine, 1, first, XLI_COUNT(first)));
    if (chunks.count > 0)
        XL_TRY(launch(f, &k->write, chunks.count, first, XLI_COUNT(first)));
done:
    return status;
}

static xl_status launch_parts(const flow *f)
{
    xl_status status;
    xli_select_kernels *k = &f->plan->kernels;
    const xli_select_chunks chunks = xli_select_chunks_of(&f->plan->shape, f->n);
    const xli_tune_select *const tune = &f->plan->shape.tune;
    if (chunks.count > 1)
        XL_TRY(xli_seq_clear(f->seq, &k->clear, f->scratch,
                             xli_select_state_words(&f->plan->problem, chunks.count),
                             f->plan->shape.units));
    XL_TRY(LAUNCH(f, &k->parts, xli_max(chunks.count, 1), XLI_U64(chunks.elements),
                  XLI_U32(tune->spin_limit),
                  XLI_U32(xli_late(tune->inject_delay, tune->inject_tear))));
done:
    return status;
}

static xl_status launch_repeat(const flow *f)
{
    xl_status status;
    xli_select_kernels *k = &f->plan->kernels;
    const xli_select_shape *s = &f->plan->shape;
    const size_t n = f->n, tiles = xli_ceil_div(n, s->tile);
    const xli_arg first[] = {XLI_U64(tiles)};
    if (tiles > 0)
        XL_TRY(launch(f, &k->count, xli_select_groups(s, n), first, XLI_COUNT(first)));
    XL_TRY(launch(f, &k->spine, 1, first, XLI_COUNT(first)));
    if (tiles > 0)
        XL_TRY(launch(f, &k->write, xli_select_groups(s, xli_add(n, f->room)), first,
                      XLI_COUNT(first)));
done:
    return status;
}

static cl_mem any_output(const xli_span *spans)
{
    for (unsigned k = XLI_SELECT_OUT; k < XLI_SELECT_SPANS; ++k)
        if (spans[k].buffer)
            return spans[k].buffer;
    return NULL;
}

xl_status xli_select_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                            const xli_span *scratch)
{
    xl_status status;
    const xl_select_args *const args = of;
    xli_select_plan *const plan = (xli_select_plan *)base;
    flow f = {.plan = plan,
              .seq = seq,
              .n = args->n,
              .room = xli_select_room(&plan->problem, args->n, args->capacity),
              .spans = spans,
              .scratch = scratch,
              .stand_in = any_output(spans)};
    XL_TRY(xli_params_read(base->ctx, &plan->problem.params, args->params, &f.params));
    if (!f.stand_in && f.n > 0)
        XL_TRY(xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.out, args.values_out, args.indices_out, args.lengths_out, "
                        "args.count_out: none is given; at least one must be"));
    if (f.n == 0 && !spans[XLI_SELECT_COUNT].buffer)
        goto done;
    XL_TRY(plan->problem.kind == XL_SELECT_REPEAT ? launch_repeat(&f)
           : plan->shape.look_back                ? launch_sweep(&f)
           : plan->shape.resident > 0             ? launch_parts(&f)
                                                  : launch_chunks(&f));
done:
    return status;
}

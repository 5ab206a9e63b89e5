/* SPDX-License-Identifier: MIT
 * The launches of a histogram: one clears the bins, unless they accumulate or one group sets all of
 * them; one counts. */
#include "histogram_plan.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_histogram_plan *plan;
    xli_seq *seq;
    size_t n;
    const xli_span *spans;
    xli_param_values params;
    float singles[3]; /* bounds as arguments */
    xli_args args;
} flow;

static void add_reals(flow *f)
{
    const xli_histogram_bounds *b = &f->plan->problem.bounds;
    const double *const reals[] = {&b->lower, &b->upper, &b->scale};
    for (size_t i = 0; i < XLI_COUNT(reals); ++i) {
        f->singles[i] = (float)*reals[i];
        xli_args_add(&f->args, f->plan->problem.value.bytes == sizeof(double)
                                   ? XLI_BYTES(reals[i], sizeof(double))
                                   : XLI_BYTES(&f->singles[i], sizeof(float)));
    }
}

/* Adds XL_BINNING_ARGUMENTS of cl/histogram/histogram_bin.cl. */
static void add_binning(flow *f)
{
    const xli_histogram_problem *problem = &f->plan->problem;
    if (problem->kind == XL_HISTOGRAM_LEVELS) {
        xli_args_add_span(&f->args, &f->spans[XLI_HISTOGRAM_LEVELS]);
        if (f->plan->shape.buckets > 0)
            xli_args_add(&f->args, XLI_LOCAL(f->plan->shape.level_bytes));
    } else if (problem->kind == XL_HISTOGRAM_EVEN && problem->value.kind == XLI_KIND_FLOAT) {
        add_reals(f);
    } else if (problem->kind == XL_HISTOGRAM_EVEN) {
        xli_args_add(&f->args, XLI_U64(problem->bounds.first));
        xli_args_add(&f->args, XLI_U64(problem->bounds.span));
        xli_args_add(&f->args, XLI_U64(problem->bounds.whole));
        xli_args_add(&f->args, XLI_U64(problem->bounds.part));
    }
}

/* Adds XL_HISTOGRAM_ARGUMENTS of cl/histogram/histogram.cl. Without n_device the kernel is given
 * the bins in its place and reads no length. */
static void add_source(flow *f, size_t chunk)
{
    const xli_span *const bins = &f->spans[XLI_HISTOGRAM_BINS];
    const xli_span *const length = &f->spans[XLI_HISTOGRAM_N_DEVICE];
    xli_args_add(&f->args, XLI_U64(f->n));
    xli_args_add(&f->args, XLI_U32(length->buffer != NULL));
    xli_args_add_span(&f->args, length->buffer ? length : bins);
    xli_args_add(&f->args, XLI_U32(chunk));
    xli_args_add(&f->args, XLI_U32(f->plan->problem.bins));
    xli_args_add_span(&f->args, &f->spans[XLI_HISTOGRAM_IN]);
    xli_args_add_span(&f->args, bins);
    add_binning(f);
    xli_args_add(&f->args, xli_params_arg(&f->plan->problem.params, &f->params));
}

static xl_status clear(flow *f)
{
    enum { GROUP = 64 };
    xli_kernel *kernel = &f->plan->clear;
    const xli_span *const bins = &f->spans[XLI_HISTOGRAM_BINS];
    const size_t group = xli_min(GROUP, kernel->max_group), count = f->plan->problem.bins;
    return XLI_LAUNCH(f->seq, kernel, xli_ceil_div(count, group), group, XLI_U32(count),
                      XLI_MEM(bins->buffer), XLI_U64(bins->offset));
}

/* Whether one group alone counts the bins, and then sets them or adds to them;
 * cl/histogram/histogram.cl has the same. */
enum { NOT_ALONE = 0, SETS = 1, ADDS = 2 };

xl_status xli_histogram_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                               const xli_span *scratch)
{
    xl_status status;
    const xl_histogram_args *const args = of;
    xli_histogram_plan *const plan = (xli_histogram_plan *)base;
    const xli_histogram_shape *const shape = &plan->shape;
    const xli_histogram_chunks chunks = xli_histogram_chunks_of(shape, args->n);
    const bool is_private = shape->range_bins > 0, alone = is_private && chunks.count == 1;
    const bool accumulates = plan->problem.accumulates;
    flow f = {.plan = plan, .seq = seq, .n = args->n, .spans = spans};
    (void)scratch;
    XL_TRY(xli_params_read(base->ctx, &plan->problem.params, args->params, &f.params));
    if (!accumulates && !alone)
        XL_TRY(clear(&f));
    if (args->n == 0)
        goto done;
    if (is_private) {
        xli_args_add(&f.args, XLI_U32(!alone ? NOT_ALONE : accumulates ? ADDS : SETS));
        xli_args_add(&f.args, XLI_U32(shape->ranges));
        xli_args_add(&f.args, XLI_U32(shape->range_bins));
        xli_args_add(&f.args, XLI_U32(shape->copies_log));
        xli_args_add(&f.args, XLI_LOCAL(xli_histogram_local_bytes(shape)));
    }
    add_source(&f, chunks.elements);
    XL_TRY(xli_seq_launch_args(seq, &plan->count, chunks.count * shape->ranges, shape->group_size,
                               &f.args, 0));
done:
    return status;
}

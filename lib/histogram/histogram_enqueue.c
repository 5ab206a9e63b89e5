/* SPDX-License-Identifier: MIT
 * The launches of a histogram: one that clears the bins, where they are set and not all by one
 * group, and one that counts. */
#include "histogram_plan.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_histogram_plan *plan;
    xli_seq *seq;
    size_t n;
    const xli_histogram_spans *spans;
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

/* Of XL_BINNING_ARGUMENTS in cl/histogram/histogram_bin.cl. */
static void add_binning(flow *f)
{
    const xli_histogram_problem *problem = &f->plan->problem;
    if (problem->kind == XL_HISTOGRAM_LEVELS) {
        xli_args_add_span(&f->args, &f->spans->levels);
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

/* Of XL_HISTOGRAM_ARGUMENTS in cl/histogram/histogram.cl. A kernel cannot be given no buffer: for
 * a length that is not on the device the bins stand in, of which it reads nothing then. */
static void add_source(flow *f, size_t chunk)
{
    const bool has_length = f->spans->n_device.buffer != NULL;
    xli_args_add(&f->args, XLI_U64(f->n));
    xli_args_add(&f->args, XLI_U32(has_length));
    xli_args_add_span(&f->args, has_length ? &f->spans->n_device : &f->spans->bins);
    xli_args_add(&f->args, XLI_U32(chunk));
    xli_args_add(&f->args, XLI_U32(f->plan->problem.bins));
    xli_args_add_span(&f->args, &f->spans->in);
    xli_args_add_span(&f->args, &f->spans->bins);
    add_binning(f);
    xli_args_add(&f->args, xli_params_arg(&f->plan->problem.params, &f->spans->params));
}

static xl_status clear(flow *f)
{
    enum { GROUP = 64 };
    xli_kernel *kernel = &f->plan->clear;
    const size_t group = xli_min(GROUP, kernel->max_group), bins = f->plan->problem.bins;
    return XLI_LAUNCH(f->seq, kernel, xli_ceil_div(bins, group), group, XLI_U32(bins),
                      XLI_MEM(f->spans->bins.buffer), XLI_U64(f->spans->bins.offset));
}

/* What one group does with the bins that it alone counts; cl/histogram/histogram.cl has the same.
 */
enum { NOT_ALONE = 0, SETS = 1, ADDS = 2 };

xl_status xli_histogram_launch(xli_histogram_plan *plan, xli_seq *seq, size_t n,
                               const xli_histogram_spans *spans)
{
    xl_status status = XL_SUCCESS;
    const xli_histogram_shape *shape = &plan->shape;
    const xli_histogram_chunks chunks = xli_histogram_chunks_of(shape, n);
    const bool is_private = shape->range_bins > 0, alone = is_private && chunks.count == 1;
    const bool accumulates = plan->problem.accumulates;
    flow f = {.plan = plan, .seq = seq, .n = n, .spans = spans};
    if (!accumulates && !alone)
        XL_TRY(clear(&f));
    if (n == 0)
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

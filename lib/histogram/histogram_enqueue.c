/* SPDX-License-Identifier: MIT
 * The launches of a histogram: clear and count. For floating-point sums, a pass over exponents
 * comes before the count, and a kernel that converts the sums to numbers comes after it. */
#include "histogram_plan.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_histogram_plan *plan;
    xli_seq *seq;
    size_t n;
    xli_histogram_chunks chunks;
    const xli_span *spans;
    xli_span sums, exponents; /* in scratch */
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

/* Without n_device the kernel receives the bins in its place and reads no length. */
static void add_length(flow *f)
{
    const xli_span *const length = &f->spans[XLI_HISTOGRAM_N_DEVICE];
    xli_args_add(&f->args, XLI_U64(f->n));
    xli_args_add(&f->args, XLI_U32(length->buffer != NULL));
    xli_args_add_span(&f->args, length->buffer ? length : &f->spans[XLI_HISTOGRAM_BINS]);
}

/* Adds XL_HISTOGRAM_ARGUMENTS of cl/histogram/histogram.cl. */
static void add_source(flow *f, const xli_span *out, xli_histogram_adds adds)
{
    add_length(f);
    xli_args_add(&f->args, XLI_U32(f->chunks.elements));
    xli_args_add(&f->args, XLI_U32(f->plan->problem.bins));
    xli_args_add_span(&f->args, &f->spans[XLI_HISTOGRAM_IN]);
    xli_args_add_span(&f->args, out);
    if (adds != XLI_ADDS_ONE)
        xli_args_add_span(&f->args, &f->spans[XLI_HISTOGRAM_WEIGHTS]);
    if (adds == XLI_ADDS_STEPS)
        xli_args_add_span(&f->args, &f->exponents);
    add_binning(f);
    xli_args_add(&f->args, xli_params_arg(&f->plan->problem.params, &f->params));
}

/* ---- launches ---- */

/* Work-items of a group in launches over counters and bins. */
enum { SMALL_GROUP = 64 };
static size_t small_group(const xli_kernel *kernel)
{
    return xli_min(SMALL_GROUP, kernel->max_group);
}

/* Sets `count` counters of `bytes` each to 0. */
static xl_status clear(flow *f, const xli_span *counters, size_t count, size_t bytes)
{
    xli_kernel *const kernel = &f->plan->clear;
    const size_t words = bytes / sizeof(cl_uint), group = small_group(kernel);
    return XLI_LAUNCH(f->seq, kernel, xli_ceil_div(count * words, group), group,
                      XLI_U32(count * words), XLI_MEM(counters->buffer),
                      XLI_U64(counters->offset * words));
}

/* Whether one group alone counts all elements: it then sets the bins or adds to them.
 * cl/histogram/histogram.cl has the same numbers. */
enum { NOT_ALONE = 0, SETS = 1, ADDS = 2 };

static xl_status count(flow *f, xli_kernel *kernel, const xli_span *out, xli_histogram_adds adds,
                       unsigned alone)
{
    const xli_histogram_shape *const shape = &f->plan->shape;
    f->args.count = 0;
    if (shape->range_bins > 0) {
        xli_args_add(&f->args, XLI_U32(alone));
        xli_args_add(&f->args, XLI_U32(shape->ranges));
        xli_args_add(&f->args, XLI_U32(shape->range_bins));
        xli_args_add(&f->args, XLI_U32(shape->copies_log));
        xli_args_add(&f->args, XLI_LOCAL(xli_histogram_local_bytes(shape)));
    }
    add_source(f, out, adds);
    return xli_seq_launch_args(f->seq, kernel, f->chunks.count * shape->ranges, shape->group_size,
                               &f->args, 0);
}

static xl_status finish(flow *f)
{
    xli_kernel *const kernel = &f->plan->finish;
    const size_t group = small_group(kernel), bins = f->plan->problem.bins;
    f->args.count = 0;
    add_length(f);
    xli_args_add(&f->args, XLI_U32(bins));
    xli_args_add(&f->args, XLI_U32(f->plan->problem.accumulates));
    xli_args_add_span(&f->args, &f->sums);
    xli_args_add_span(&f->args, &f->exponents);
    xli_args_add_span(&f->args, &f->spans[XLI_HISTOGRAM_BINS]);
    return xli_seq_launch_args(f->seq, kernel, xli_ceil_div(bins, group), group, &f->args, 0);
}

static bool one_group(const flow *f)
{
    return f->plan->shape.range_bins > 0 && f->chunks.count == 1;
}

static xl_status launch_integers(flow *f)
{
    xl_status status;
    const xli_histogram_problem *const problem = &f->plan->problem;
    const xli_span *const bins = &f->spans[XLI_HISTOGRAM_BINS];
    const bool alone = one_group(f);
    if (!problem->accumulates && !alone)
        XL_TRY(clear(f, bins, problem->bins, problem->counter.bytes));
    XL_TRY(count(f, &f->plan->count, bins, problem->adds,
                 !alone                 ? NOT_ALONE
                 : problem->accumulates ? ADDS
                                        : SETS));
done:
    return status;
}

/* The offset of scratch counts bytes, that of its parts elements. */
static xl_status launch_steps(flow *f, const xli_span *scratch)
{
    xl_status status;
    const size_t bins = f->plan->problem.bins, bytes = f->plan->problem.sum_bytes,
                 word = sizeof(cl_uint);
    const bool alone = one_group(f);
    f->sums = f->exponents = *scratch;
    f->sums.offset = scratch->offset / bytes;
    f->exponents.offset = (scratch->offset + bins * bytes) / word;
    if (!alone)
        XL_TRY(clear(f, &f->sums, bins, bytes));
    if (!alone)
        XL_TRY(clear(f, &f->exponents, bins, word));
    XL_TRY(
        count(f, &f->plan->exponents, &f->exponents, XLI_ADDS_EXPONENT, alone ? SETS : NOT_ALONE));
    XL_TRY(count(f, &f->plan->count, &f->sums, XLI_ADDS_STEPS, alone ? SETS : NOT_ALONE));
    XL_TRY(finish(f));
done:
    return status;
}

xl_status xli_histogram_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                               const xli_span *scratch)
{
    xl_status status;
    const xl_histogram_args *const args = of;
    xli_histogram_plan *const plan = (xli_histogram_plan *)base;
    const xli_histogram_problem *const problem = &plan->problem;
    flow f = {.plan = plan,
              .seq = seq,
              .n = args->n,
              .chunks = xli_histogram_chunks_of(&plan->shape, args->n),
              .spans = spans};
    XL_TRY(xli_params_read(base->ctx, &problem->params, args->params, &f.params));
    if (args->n == 0) {
        if (!problem->accumulates)
            XL_TRY(clear(&f, &spans[XLI_HISTOGRAM_BINS], problem->bins, problem->counter.bytes));
        goto done;
    }
    XL_TRY(problem->adds == XLI_ADDS_STEPS ? launch_steps(&f, scratch) : launch_integers(&f));
done:
    return status;
}

size_t xli_histogram_scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_histogram_problem *const problem = &((const xli_histogram_plan *)base)->problem;
    const bool any = problem->adds == XLI_ADDS_STEPS && ((const xl_histogram_args *)of)->n > 0;
    return any ? problem->bins * (problem->sum_bytes + sizeof(cl_uint)) : 0;
}

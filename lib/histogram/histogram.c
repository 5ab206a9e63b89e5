/* SPDX-License-Identifier: MIT
 * Histogram: the kernels, the arrays of a call, and its launches: clear and count. For floating-point
 * sums, a pass over exponents comes before the count, and a kernel that converts the sums to numbers
 * comes after it (cl/histogram/histogram.cl). */
#include "histogram_shape.h"
#include "primitive.h"

#include <string.h>

typedef struct histogram_plan {
    xl_plan base;
    xli_histogram_problem problem;
    xli_histogram_shape shape;
    xli_kernel clear, count;
    xli_kernel exponents, finish; /* XLI_ADDS_STEPS */
} histogram_plan;

static const xl_histogram_desc defaults = {
    .type = XL_U8, .counter = XL_U32, .num_bins = 256, .kind = XL_HISTOGRAM_KEYS};

/* ---- the plan ---- */

static void drop(xl_plan *base)
{
    histogram_plan *const plan = (histogram_plan *)base;
    xli_kernel_destroy(&plan->clear);
    xli_kernel_destroy(&plan->count);
    xli_kernel_destroy(&plan->exponents);
    xli_kernel_destroy(&plan->finish);
}

/* XL_WEIGHT_NUMBER(x): a weight as a number that the kernel casts to the type of the bins. */
static void add_weight(xli_text *text, const xli_histogram_problem *problem)
{
    char room[XLI_CONVERSION_ROOM];
    const char *const number =
        xli_element_conversion(NULL, &problem->weight, &problem->counter, room);
    xli_text_add(text, "#define XL_WEIGHT %s\n#define XL_WEIGHT_NUMBER(x) (%s)\n",
                 problem->weight.storage, number ? number : "x");
}

static void add_text(xli_text *text, const xli_histogram_problem *problem,
                     const xl_histogram_desc *desc, const xli_capabilities *capabilities,
                     const xli_histogram_shape *shape, xli_histogram_adds adds)
{
    const xli_element *const types[] = {&problem->value, &problem->in};
    const bool wide = problem->counter.bytes == sizeof(cl_double);
    char load[XLI_CONVERSION_ROOM];
    const xli_definition lines[] = {
        {"XL_IN_BYTES", problem->in.bytes},
        {"XL_LOAD", problem->loads},
        {"XL_BINNED_BYTES", problem->value.bytes},
        {"XL_BINNED_KIND", problem->value.kind},
        {"XL_HISTOGRAM_KIND", (size_t)problem->kind},
        {"XL_HISTOGRAM_VECTORS", shape->vectors},
        {"XL_SERIAL", shape->serial},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_VLEN", shape->vector},
        {"XL_LEVEL_BUCKETS", shape->buckets},
        {"XL_HISTOGRAM_ADDS", (size_t)adds},
        {"XL_HISTOGRAM_WIDE", wide},
        {"XL_COUNTER_BYTES", adds == XLI_ADDS_EXPONENT ? sizeof(cl_uint) : problem->sum_bytes},
    };
    xli_element_text_types(text, capabilities, types, XLI_COUNT(types));
    xli_params_text(text, &problem->params);
    xli_element_text_expression(
        text, "load", &problem->value,
        xli_element_conversion(desc->load, &problem->in, &problem->value, load), 1,
        &(xli_expression_argument){"x", &problem->in}, &problem->params);
    /* The user's text may have redefined a type of OpenCL C. */
    xli_text_add(text,
                 "#line 1 \"plan\"\n#define XL_BINNED %s\n#define XL_IN %s\n"
                 "typedef char size_of_XL_IN_is_not_%zu[sizeof(XL_IN) == %zu ? 1 : -1];\n",
                 problem->value.storage, problem->in.storage, problem->in.bytes, problem->in.bytes);
    if (adds != XLI_ADDS_ONE)
        add_weight(text, problem);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status get_program(histogram_plan *plan, const xl_histogram_desc *desc,
                             const xli_capabilities *capabilities, xli_histogram_adds adds,
                             xli_program **program)
{
    const xli_element *const types[] = {&plan->problem.value, &plan->problem.in};
    xli_text text = {0};
    add_text(&text, &plan->problem, desc, capabilities, &plan->shape, adds);
    xl_status status =
        text.failed
            ? xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a kernel's source")
            : xli_program_get(plan->base.ctx, "histogram", text.data, program);
    if (status == XL_ERROR_BUILD)
        status = xli_element_explain(plan->base.ctx, capabilities, types, XLI_COUNT(types));
    xli_text_free(&text);
    return status;
}

static xl_status build(histogram_plan *plan, const xl_histogram_desc *desc,
                       const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_program *program;
    xl_context *const ctx = plan->base.ctx;
    const xli_histogram_adds adds = plan->problem.adds;
    const char *const count =
        plan->shape.range_bins > 0 ? "xl_histogram_private" : "xl_histogram_shared";
    drop(&plan->base);
    XL_TRY(get_program(plan, desc, capabilities, adds, &program));
    XL_TRY(xli_kernel_create(ctx, program, "xl_histogram_clear", &plan->clear));
    XL_TRY(xli_kernel_create(ctx, program, count, &plan->count));
    *most = plan->count.max_group;
    if (adds == XLI_ADDS_STEPS) {
        XL_TRY(xli_kernel_create(ctx, program, "xl_histogram_finish", &plan->finish));
        XL_TRY(get_program(plan, desc, capabilities, XLI_ADDS_EXPONENT, &program));
        XL_TRY(xli_kernel_create(ctx, program, count, &plan->exponents));
        *most = xli_min(*most, plan->exponents.max_group);
    }
done:
    return status;
}

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_histogram_desc *const desc = of;
    histogram_plan *const plan = (histogram_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    size_t most = SIZE_MAX;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_histogram_resolve(base->ctx, desc, capabilities, &plan->problem));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_HISTOGRAM, desc),
                            &device, &tune));
    do {
        xli_histogram_shape_of(&plan->problem, &device, &tune.histogram, most, &plan->shape);
        XL_TRY(build(plan, desc, capabilities, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_histogram_shape *const shape = &((const histogram_plan *)base)->shape;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->serial ? 0 : shape->vector * shape->vectors;
    details->tile_elements = xli_histogram_chunks_of(shape, n).elements;
    strcpy(details->algorithm, shape->range_bins > 0 ? "private counters" : "shared counters");
}

/* ---- arrays ---- */

/* The arrays of a call. */
enum { N_DEVICE, IN, LEVELS, WEIGHTS, BINS, ARRAYS };

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_histogram_args *const args = of;
    const xli_histogram_problem *const problem = &((const histogram_plan *)base)->problem;
    arrays[N_DEVICE] = xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[N_DEVICE].optional = true;
    arrays[IN] = xli_input("args.in", args->in, args->n, problem->in.bytes);
    arrays[LEVELS] =
        xli_input("args.levels", args->levels, (size_t)problem->bins + 1, problem->value.bytes);
    if (problem->kind != XL_HISTOGRAM_LEVELS)
        arrays[LEVELS].unused = "requires desc.kind XL_HISTOGRAM_LEVELS";
    arrays[WEIGHTS] = xli_input("args.weights", args->weights, args->n, problem->weight.bytes);
    if (problem->adds == XLI_ADDS_ONE)
        arrays[WEIGHTS].unused = "requires desc.weight";
    arrays[BINS] = xli_output("args.bins", args->bins, problem->bins, problem->counter.bytes);
    arrays[BINS].access = (xli_access)(XLI_READ | XLI_WRITE);
    return ARRAYS;
}

/* ---- arguments ---- */

/* A call on its way to the device. */
typedef struct flow {
    histogram_plan *plan;
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
        xli_args_add_span(&f->args, &f->spans[LEVELS]);
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

static void add_length(flow *f)
{
    const xli_span *const length = &f->spans[N_DEVICE];
    xli_args_add(&f->args, XLI_U64(f->n));
    xli_args_add(&f->args, XLI_OPTIONAL(length->buffer));
    xli_args_add(&f->args, XLI_U64(length->offset));
}

/* Adds XL_HISTOGRAM_ARGUMENTS of cl/histogram/histogram.cl. */
static void add_source(flow *f, const xli_span *out, xli_histogram_adds adds)
{
    add_length(f);
    xli_args_add(&f->args, XLI_U32(f->chunks.elements));
    xli_args_add(&f->args, XLI_U32(f->plan->problem.bins));
    xli_args_add_span(&f->args, &f->spans[IN]);
    xli_args_add_span(&f->args, out);
    if (adds != XLI_ADDS_ONE)
        xli_args_add_span(&f->args, &f->spans[WEIGHTS]);
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
    xli_args_add_span(&f->args, &f->spans[BINS]);
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
    const xli_span *const bins = &f->spans[BINS];
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

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const xl_histogram_args *const args = of;
    histogram_plan *const plan = (histogram_plan *)base;
    const xli_histogram_problem *const problem = &plan->problem;
    flow f = {.plan = plan,
              .seq = seq,
              .n = args->n,
              .chunks = xli_histogram_chunks_of(&plan->shape, args->n),
              .spans = spans};
    XL_TRY(xli_params_read(base->ctx, &problem->params, args->params, &f.params));
    if (args->n == 0) {
        if (!problem->accumulates)
            XL_TRY(clear(&f, &spans[BINS], problem->bins, problem->counter.bytes));
        goto done;
    }
    XL_TRY(problem->adds == XLI_ADDS_STEPS ? launch_steps(&f, scratch) : launch_integers(&f));
done:
    return status;
}

/* For XLI_ADDS_STEPS: the sum of each bin in steps, then the greatest exponent of each bin. */
static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_histogram_problem *const problem = &((const histogram_plan *)base)->problem;
    const bool any = problem->adds == XLI_ADDS_STEPS && ((const xl_histogram_args *)of)->n > 0;
    return any ? problem->bins * (problem->sum_bytes + sizeof(cl_uint)) : 0;
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(histogram, histogram_plan),
                                        .check = xli_histogram_check, .scratch = scratch_bytes,
                                        .launch = launch};
XLI_PUBLIC_CALLS(histogram)

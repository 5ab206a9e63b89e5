/* SPDX-License-Identifier: MIT
 * Histogram: the descriptor, the arrays of a call, and the public calls. */
#include "histogram_plan.h"

#include <string.h>

static const xl_histogram_desc defaults = {
    .type = XL_U8, .counter = XL_U32, .num_bins = 256, .kind = XL_HISTOGRAM_KEYS};

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_histogram_desc *const desc = of;
    xli_histogram_plan *const plan = (xli_histogram_plan *)base;
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
        XL_TRY(xli_histogram_build(plan, desc, capabilities, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_histogram_drop_kernels((xli_histogram_plan *)base);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_histogram_shape *const shape = &((const xli_histogram_plan *)base)->shape;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->serial ? 0 : shape->vector * shape->vectors;
    details->tile_elements = xli_histogram_chunks_of(shape, n).elements;
    strcpy(details->algorithm, shape->range_bins > 0 ? "private counters" : "shared counters");
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_histogram_args *const args = of;
    const xli_histogram_problem *const problem = &((const xli_histogram_plan *)base)->problem;
    arrays[XLI_HISTOGRAM_N_DEVICE] =
        xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[XLI_HISTOGRAM_N_DEVICE].optional = true;
    arrays[XLI_HISTOGRAM_IN] = xli_input("args.in", args->in, args->n, problem->in.bytes);
    arrays[XLI_HISTOGRAM_LEVELS] =
        xli_input("args.levels", args->levels, (size_t)problem->bins + 1, problem->value.bytes);
    if (problem->kind != XL_HISTOGRAM_LEVELS)
        arrays[XLI_HISTOGRAM_LEVELS].unused = "requires desc.kind XL_HISTOGRAM_LEVELS";
    arrays[XLI_HISTOGRAM_WEIGHTS] =
        xli_input("args.weights", args->weights, args->n, problem->weight.bytes);
    if (problem->adds == XLI_ADDS_ONE)
        arrays[XLI_HISTOGRAM_WEIGHTS].unused = "requires desc.weight";
    arrays[XLI_HISTOGRAM_BINS] =
        xli_output("args.bins", args->bins, problem->bins, problem->counter.bytes);
    arrays[XLI_HISTOGRAM_BINS].access = (xli_access)(XLI_READ | XLI_WRITE);
    return XLI_HISTOGRAM_ARRAYS;
}

static const xli_primitive primitive = {
    XLI_PRIMITIVE_OF_ARRAYS(histogram, xli_histogram_plan), .check = xli_histogram_check,
    .scratch = xli_histogram_scratch_bytes, .launch = xli_histogram_launch};
XLI_PUBLIC_CALLS(histogram)

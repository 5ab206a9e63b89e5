/* SPDX-License-Identifier: MIT
 * The sort's public calls. */
#include "sort_plan.h"

#include <string.h>

void xl_sort_desc_init_version(xl_sort_desc *desc, uint32_t version)
{
    xli_desc_init(desc, version, &(const xl_sort_desc){.key = XL_U32}, sizeof *desc);
}

/* Whether the kernels allow the groups that they were compiled for. */
static bool is_allowed(const xli_sort_shape *shape, const xli_sort_limits *limits)
{
    bool allowed = shape->group_size <= xli_max(1, limits->most);
    for (size_t k = 0; shape->radix != XLI_RADIX_NONE && k < XLI_RADIX_SIZES; ++k)
        allowed = allowed && shape->radix_size[k].group <= limits->most_radix[k];
    return allowed && (shape->samples == 0 || limits->most_samples <= 1 ||
                       xli_sort_sample_group(shape) <= limits->most_samples);
}

/* A kernel may allow fewer work-items than the device does: then the shape is settled anew. */
static xl_status make(xli_sort_plan *plan, const xl_sort_desc *desc,
                      const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    xli_sort_limits limits = {xli_most_work_items(capabilities), {SIZE_MAX, SIZE_MAX}, SIZE_MAX};
    XL_TRY(xli_sort_problem_of(plan->ctx, capabilities, desc, &plan->problem));
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SORT, desc), &device,
                            &tune));
    do {
        xli_sort_shape_of(&plan->problem, capabilities, &device, &tune.sort, &limits, &plan->shape);
        if (!plan->shape.bitonic && plan->shape.radix == XLI_RADIX_NONE)
            XL_TRY(xli_fail(plan->ctx, XL_ERROR_UNSUPPORTED,
                            "%s: this device has no radix sort: it wants work-groups "
                            "of 256 work-items, or work-items that run one after another "
                            "(sort.shape = 1), and loops of any length",
                            plan->problem.large ? "desc.large" : "desc.algorithm"));
        XL_TRY(xli_sort_build(plan, &limits));
    } while (!is_allowed(&plan->shape, &limits));
    XL_TRY(xli_sort_zeros_build(plan));
    XL_TRY(xli_sort_gather_build(plan));
done:
    return status;
}

xl_status xli_sort_create(xl_context *ctx, const xl_sort_desc *desc, xli_sort_plan **plan)
{
    xl_status status;
    xli_sort_plan *made = NULL;
    const xli_capabilities *capabilities;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_sort_desc checked;
    xl_sort_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_sort_desc, desc, &checked));
    XL_TRY(xli_sort_check_desc(ctx, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a sort plan"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(make(made, &checked, capabilities));
    *plan = made;
    made = NULL;
done:
    xli_sort_destroy(made);
    return status;
}

void xli_sort_destroy(xli_sort_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_sort_drop_kernels(plan);
    xli_sort_zeros_drop(plan);
    xli_sort_gather_drop(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

xl_status xli_sort_scratch(const xli_sort_plan *plan, size_t n, size_t *bytes, size_t *alignment)
{
    xl_status status;
    size_t needed;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_sort_check_n(plan->ctx, &plan->problem, n));
    needed = xli_sort_layout_of(&plan->problem, &plan->shape, n).bytes;
    XL_TRY(xli_scratch_countable(plan->ctx, n, needed));
    *bytes = needed;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_sort_info(const xli_sort_plan *plan, size_t n, xl_plan_details *info)
{
    const xli_sort_shape *shape = &plan->shape;
    const bool radix = xli_sort_by_radix(shape, n);
    const xli_radix_size *const digits = &shape->radix_size[xli_sort_radix_size(shape, n)];
    const bool serial = radix && digits->group == 1;
    const bool samples = xli_sort_by_samples(shape, n);
    const xli_sample_size *const sampled =
        &shape->sample[samples ? xli_sort_samples_of(&plan->problem, shape, n).size : 0];
    const size_t tile = serial    ? xli_sort_chunks_of(shape, n).elements
                        : radix   ? xli_sort_radix_tile(shape, n)
                        : samples ? (size_t)1 << sampled->tile_log
                                  : xli_sort_tile(shape);
    const uint32_t group = radix ? digits->group : samples ? sampled->group : shape->group_size;
    xl_plan_details all = {.sub_group_size = shape->sub_group,
                           .work_group_size = group,
                           .item_elements = (uint32_t)(group > 1 ? tile / group : 0),
                           .tile_elements = tile};
    strcpy(all.algorithm, radix                    ? "radix"
                          : samples                ? "samples"
                          : plan->problem.compares ? "merge"
                                                   : "bitonic");
    *info = all;
}

xl_status xli_sort_enqueue(xli_sort_plan *plan, cl_command_queue queue, const xl_sort_args *args,
                           size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_sort_args given = {0};
    xli_seq seq = {0};
    xli_sort_spans spans;
    xli_span scratch_span;
    size_t bytes;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_sort_args, args, size, &given));
    const size_t n = given.n;
    XL_TRY(xli_sort_check_n(ctx, &plan->problem, n));
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_sort_check_views(ctx, &plan->problem, &given, &spans));
    bytes = xli_sort_layout_of(&plan->problem, &plan->shape, n).bytes;
    XL_TRY(xli_scratch_countable(ctx, n, bytes));
    XL_TRY(
        xli_seq_scratch(&seq, &plan->pool, given.scratch, bytes, XLI_SCRATCH_ALIGN, &scratch_span));
    XL_TRY(xli_sort_check_scratch(ctx, &spans, &scratch_span));
    if (n > 0)
        XL_TRY(xli_sort_launch(plan, &seq, n, &spans, &scratch_span));
done:
    return xli_seq_end(&seq, status, event);
}

XLI_WRAP(sort)
XLI_WRAP_SCRATCH(sort, args->n)
XLI_WRAP_ENQUEUE(sort)

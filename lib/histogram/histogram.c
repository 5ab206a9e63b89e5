/* SPDX-License-Identifier: MIT
 * The public calls of the histogram. */
#include "histogram_plan.h"

#include <string.h>

void xl_histogram_desc_init_version(xl_histogram_desc *desc, uint32_t version)
{
    xli_desc_init(desc, version,
                  &(const xl_histogram_desc){
                      .kind = XL_HISTOGRAM_KEYS, .type = XL_U8, .counter = XL_U32, .num_bins = 256},
                  sizeof *desc);
}

/* A kernel may allow fewer work-items than the device does: then the shape is settled anew. */
static xl_status make(xli_histogram_plan *plan, const xl_histogram_desc *desc,
                      const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    size_t most = SIZE_MAX;
    XL_TRY(xli_context_tune(plan->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_HISTOGRAM, desc),
                            &device, &tune));
    do {
        xli_histogram_shape_of(&plan->problem, &device, &tune.histogram, most, &plan->shape);
        XL_TRY(xli_histogram_build(plan, desc, capabilities, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

xl_status xli_histogram_create(xl_context *ctx, const xl_histogram_desc *desc,
                               xli_histogram_plan **plan)
{
    xl_status status;
    xli_histogram_plan *made = NULL;
    const xli_capabilities *capabilities;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_histogram_desc checked;
    xl_histogram_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_histogram_desc, desc, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan of a histogram"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_histogram_resolve(ctx, &checked, capabilities, &made->problem));
    XL_TRY(make(made, &checked, capabilities));
    *plan = made;
    made = NULL;
done:
    xli_histogram_destroy(made);
    return status;
}

void xli_histogram_destroy(xli_histogram_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_histogram_drop_kernels(plan);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

xl_status xli_histogram_scratch(const xli_histogram_plan *plan, size_t n, size_t *bytes,
                                size_t *alignment)
{
    xl_status status;
    (void)n;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    *bytes = 0;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_histogram_info(const xli_histogram_plan *plan, size_t n, xl_plan_details *info)
{
    const xli_histogram_shape *shape = &plan->shape;
    xl_plan_details all = {.work_group_size = shape->group_size,
                           .item_elements = shape->serial ? 0 : shape->vector * shape->vectors,
                           .tile_elements = xli_histogram_chunks_of(shape, n).elements};
    strcpy(all.algorithm, shape->range_bins > 0 ? "private counters" : "shared counters");
    *info = all;
}

xl_status xli_histogram_enqueue(xli_histogram_plan *plan, cl_command_queue queue,
                                const xl_histogram_args *args, size_t size, cl_uint num_waits,
                                const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_histogram_args given = {0};
    xli_seq seq = {0};
    xli_histogram_spans spans;
    xli_span scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_histogram_args, args, size, &given));
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_histogram_check_views(ctx, &plan->problem, &given, &spans));
    XL_TRY(xli_seq_scratch(&seq, NULL, given.scratch, 0, XLI_SCRATCH_ALIGN, &scratch));
    XL_TRY(xli_histogram_launch(plan, &seq, given.n, &spans));
done:
    return xli_seq_end(&seq, status, event);
}

XLI_WRAP(histogram)
XLI_WRAP_SCRATCH(histogram, args->n)
XLI_WRAP_ENQUEUE(histogram)

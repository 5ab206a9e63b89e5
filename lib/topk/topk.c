/* SPDX-License-Identifier: MIT
 * The public calls of the top-k selection. */
#include "topk_plan.h"

#include <string.h>

void xl_topk_desc_init_version(xl_topk_desc *desc, uint32_t version)
{
    xli_desc_init(desc, version, &(const xl_topk_desc){.key = XL_U32, .largest = 1, .sorted = 1},
                  sizeof *desc);
}

/* A kernel may allow fewer work-items than the device does: then the shape is settled anew. */
static xl_status make(xli_topk_plan *plan, const xli_tune_device *device, const xli_tune *tune)
{
    xl_status status;
    size_t most = SIZE_MAX;
    do {
        xli_topk_shape_of(device, &tune->topk, most, &plan->shape);
        XL_TRY(xli_topk_build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static xl_status make_sort(const xli_topk_plan *plan, const xl_tunable *tunables, uint32_t count,
                           xl_type key, xl_type value, xl_plan **sort)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = key;
    desc.value = value;
    if (plan->problem.segments != XL_NONE) {
        desc.segments = XL_SEGMENTS_OFFSETS;
        desc.segment_type = XL_U32;
    }
    desc.tunables = tunables;
    desc.num_tunables = count;
    return xl_sort_create(plan->ctx, &desc, sort);
}

/* What puts results in order. */
static xl_status make_sorts(xli_topk_plan *plan, const xli_tune_wish *wish)
{
    xl_status status = XL_SUCCESS;
    xl_tunable *part = NULL;
    uint32_t count = 0;
    if (!plan->problem.sorted)
        return XL_SUCCESS;
    if (wish->count > 0) {
        part = xli_alloc(wish->count * sizeof *part);
        if (!part)
            XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for tuning values"));
        count = xli_tune_part(wish, XLI_TUNE_SORT, part);
    }
    const bool wide = xli_topk_is_wide(&plan->problem);
    if (plan->problem.segments != XL_NONE) {
        XL_TRY(make_sort(plan, part, count, wide ? XL_U64 : XL_U32, XL_U32, &plan->sort_long));
    } else {
        XL_TRY(make_sort(plan, part, count, XL_U64, XL_NONE, &plan->sort));
        if (wide)
            XL_TRY(make_sort(plan, part, count, XL_U64, XL_U32, &plan->sort_pairs));
    }
done:
    xli_free(part);
    return status;
}

static xl_status make_parts(xli_topk_plan *plan, const xl_topk_desc *desc)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    const unsigned takes = desc->sorted ? XLI_TUNE_TOPK | XLI_TUNE_SORT : XLI_TUNE_TOPK;
    const xli_tune_wish *wish = XLI_TUNE_WISH(takes, desc);
    plan->problem =
        (xli_topk_problem){(xl_type)desc->key, (xl_type)desc->value,        desc->largest != 0,
                           desc->sorted != 0,  (xl_type)desc->segment_type, desc->equal_zeros != 0};
    XL_TRY(xli_context_capabilities(plan->ctx, &capabilities));
    XL_TRY(xli_context_tune(plan->ctx, capabilities, wish, &device, &tune));
    XL_TRY(xli_pool_create(plan->ctx, &plan->pool));
    if (plan->problem.segments != XL_NONE)
        XL_TRY(xli_topk_segments_build(plan, &device, &tune.topk));
    else
        XL_TRY(make(plan, &device, &tune));
    XL_TRY(make_sorts(plan, wish));
done:
    return status;
}

xl_status xli_topk_create(xl_context *ctx, const xl_topk_desc *desc, xli_topk_plan **plan)
{
    xl_status status;
    xli_topk_plan *made = NULL;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_topk_desc checked;
    xl_topk_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_topk_desc, desc, &checked));
    XL_TRY(xli_topk_check_desc(ctx, &checked));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan of a top-k"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(make_parts(made, &checked));
    *plan = made;
    made = NULL;
done:
    xli_topk_destroy(made);
    return status;
}

void xli_topk_destroy(xli_topk_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xl_plan_destroy(plan->sort);
    xl_plan_destroy(plan->sort_pairs);
    xl_plan_destroy(plan->sort_long);
    xli_topk_segments_drop(plan);
    xli_topk_drop_kernels(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

/* Of segments the bytes alone are laid out. */
static xl_status lay_out(const xli_topk_plan *plan, size_t n, size_t k, xli_topk_layout *layout)
{
    if (plan->problem.segments == XL_NONE)
        return xli_topk_lay_out(plan, n, xli_min(k, n), layout);
    *layout = (xli_topk_layout){0};
    return xli_topk_segments_scratch(plan, n, k, &layout->bytes);
}

xl_status xli_topk_scratch(const xli_topk_plan *plan, size_t n, size_t k, size_t *bytes,
                           size_t *alignment)
{
    xl_status status;
    xli_topk_layout layout;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_topk_check_n(plan->ctx, n));
    XL_TRY(lay_out(plan, n, k, &layout));
    *bytes = layout.bytes;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_topk_info(const xli_topk_plan *plan, size_t n, xl_plan_details *info)
{
    const xli_topk_shape *shape = &plan->shape;
    xl_plan_details all = {.work_group_size = shape->group_size,
                           .item_elements = shape->group_size > 1 ? shape->tune.items : 0,
                           .tile_elements = plan->problem.segments != XL_NONE
                                                ? (size_t)1 << plan->tile_log
                                                : xli_topk_chunks_of(shape, n).elements};
    strcpy(all.algorithm, "radix select");
    *info = all;
}

xl_status xli_topk_enqueue(xli_topk_plan *plan, cl_command_queue queue, const xl_topk_args *args,
                           size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_topk_args given = {0};
    xli_seq seq = {0};
    xli_topk_spans spans;
    xli_topk_layout layout;
    xli_span scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_context *ctx = plan->ctx;
    XL_TRY(XLI_ARGS_READ(ctx, xl_topk_args, args, size, &given));
    const size_t n = given.n, results = xli_min(given.k, n);
    XL_TRY(xli_topk_check_n(ctx, n));
    XL_TRY(xli_seq_begin(&seq, ctx, queue, num_waits, waits, event));
    XL_TRY(xli_topk_check_views(ctx, &plan->problem, &given, &spans));
    XL_TRY(lay_out(plan, n, given.k, &layout));
    XL_TRY(xli_seq_scratch(&seq, &plan->pool, given.scratch, layout.bytes, XLI_SCRATCH_ALIGN,
                           &scratch));
    XL_TRY(xli_topk_check_scratch(ctx, &spans, &scratch));
    if (plan->problem.segments != XL_NONE)
        XL_TRY(xli_topk_segments_launch(plan, &seq, n, given.k, &spans, &scratch));
    else
        XL_TRY(xli_topk_launch(plan, &seq, n, results, &spans, &scratch));
done:
    return xli_seq_end(&seq, status, event);
}

XLI_WRAP(topk)
XLI_WRAP_SCRATCH(topk, args->n, args->k)
XLI_WRAP_ENQUEUE(topk)

/* SPDX-License-Identifier: MIT
 * The scan's public calls, and the making of a plan: problem, shape, kernels. */
#include "scan_plan.h"

#include <stdio.h>

void xl_scan_desc_init_version(xl_scan_desc *desc, uint32_t version)
{
    xli_desc_init(desc, version, &(const xl_scan_desc){.type = XL_U32, .op = XL_SUM}, sizeof *desc);
}

/* Settles the shape, and with it which kernels look-back takes: the pipelined ones, else
 * the others, else it is not look-back. What is found bad is taken off `limits`. */
static xl_status choose_shape(xli_scan_plan *plan, const xli_capabilities *capabilities,
                              const xli_tune_scan *tune, bool by_name, xli_scan_limits *limits)
{
    xl_status status = XL_SUCCESS;
    bool good = false;
    do {
        xli_scan_shape_of(&plan->problem, capabilities, tune, limits, &plan->shape);
        if (plan->shape.algorithm != XL_SCAN_LOOKBACK)
            break;
        const unsigned file = xli_scan_file(&plan->shape);
        XL_TRY(xli_scan_can_look_back(plan->ctx, file, by_name, &good));
        if (!good)
            limits->files &= ~file;
    } while (!good);
    if (by_name && !good)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_UNSUPPORTED,
                        "algorithm: look-back gave a wrong result, or did not compile, when it was "
                        "tried on this device"));
done:
    return status;
}

static xl_status make(xl_context *ctx, const xl_scan_desc *desc, xli_scan_plan **plan)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    xli_scan_limits limits = {.files = XLI_FILE_ANY};
    xli_scan_plan *made = xli_alloc(sizeof *made);
    if (!made)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a scan");
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_scan_check(ctx, desc, capabilities, &made->problem, &limits.wish));
    XL_TRY(xli_init_take(ctx, &made->problem, desc, &made->init));
    XL_TRY(xli_context_tune(ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SCAN, desc), &device, &tune));
    limits.most = xli_most_work_items(capabilities);
    do { /* a kernel may allow smaller groups than its device: then all are built again */
        XL_TRY(choose_shape(made, capabilities, &tune.scan, desc->algorithm == XL_SCAN_LOOKBACK,
                            &limits));
        XL_TRY(xli_scan_build(made, desc, capabilities, &limits.most));
    } while (limits.most < made->shape.group_size);
    XL_TRY(xli_scan_make_pool(made));
    *plan = made;
    made = NULL;
done:
    xli_scan_destroy(made);
    return status;
}

xl_status xli_scan_create(xl_context *ctx, const xl_scan_desc *desc, xli_scan_plan **plan)
{
    xl_status status = XL_SUCCESS;
    xl_scan_desc full;
    xl_scan_desc_init(&full);
    if (plan)
        *plan = NULL;
    if (!ctx || !desc || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !ctx    ? "ctx"
                        : !desc ? "desc"
                                : "plan");
    XL_TRY(XLI_DESC_READ(ctx, xl_scan_desc, desc, &full));
    XL_TRY(make(ctx, &full, plan));
done:
    return status;
}

void xli_scan_destroy(xli_scan_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_scan_drop_kernels(plan);
    xli_init_drop(&plan->init);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

static xl_status scratch(const xli_scan_plan *plan, size_t n, size_t *bytes, size_t *alignment)
{
    xl_status status;
    XL_TRY(xli_scratch_question(plan->ctx, "plan", plan, bytes, alignment));
    const size_t needed = xli_scan_scratch(plan, n);
    XL_TRY(xli_scratch_countable(plan->ctx, n, needed));
    *bytes = needed;
done:
    return status;
}

xl_status xli_scan_call(xli_scan_plan *plan, cl_command_queue queue, const xl_scan_args *args,
                        size_t size, cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_scan_args given = {0};
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_scan_args, args, size, &given));
    XL_TRY(xli_scan_enqueue(plan, queue, &given, num_waits, waits, event));
done:
    return status;
}

/* What a call with n elements does. */
void xli_scan_info(const xli_scan_plan *plan, size_t n, xl_plan_details *info)
{
    static const char *const names[] = {[XL_SCAN_LOOKBACK] = "look-back",
                                        [XL_SCAN_REDUCE_THEN_SCAN] = "reduce-then-scan",
                                        [XL_SCAN_KOGGE_STONE] = "kogge-stone",
                                        [XL_SCAN_BLELLOCH] = "blelloch"};
    const xli_scan_shape *s = &plan->shape;
    const bool lookback = s->algorithm == XL_SCAN_LOOKBACK;
    *info = (xl_plan_details){.sub_group_size = s->sub_group,
                              .work_group_size = s->group_size,
                              .tile_elements = lookback ? xli_scan_lookback_tile(s, n) : s->tile};
    info->item_elements =
        info->tile_elements < s->tile ? s->vector * s->short_tile_vectors : s->items;
    snprintf(info->algorithm, sizeof info->algorithm, "%s", names[s->algorithm]);
}

#define xli_scan_scratch scratch
XLI_WRAP(scan)
XLI_WRAP_SCRATCH(scan, args->n)
XLI_WRAP_ENQUEUE(scan)

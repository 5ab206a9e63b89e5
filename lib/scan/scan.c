/* SPDX-License-Identifier: MIT
 * The scan's public calls, on the flat engine. */
#include "flat.h"

#include <crosslane/plan_info.h>

struct xl_scan {
    xli_flat *flat;
};

void xl_scan_desc_init_sized(xl_scan_desc *desc, size_t size)
{
    xli_struct_init(desc, size, &(const xl_scan_desc){.type = XL_U32, .op = XL_SUM}, sizeof *desc);
}

static xl_status make(xl_context *ctx, const xl_scan_desc *desc, xl_scan **plan)
{
    xl_scan *made = xli_alloc(sizeof *made);
    if (!made)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a scan");
    const xl_status status = xli_flat_create(ctx, desc, NULL, &made->flat);
    if (status == XL_SUCCESS)
        *plan = made;
    else
        xli_free(made);
    return status;
}

xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc, xl_scan **plan)
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

void xl_scan_destroy(xl_scan *plan)
{
    if (!plan)
        return;
    xli_flat_destroy(plan->flat);
    xli_free(plan);
}

xl_status xl_scan_scratch(const xl_scan *plan, size_t n, size_t *bytes, size_t *alignment)
{
    if (!plan || !bytes || !alignment)
        return xli_fail(plan ? plan->flat->ctx : NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !plan    ? "plan"
                        : !bytes ? "bytes"
                                 : "alignment");
    *bytes = xli_flat_scratch(plan->flat, n);
    *alignment = XLI_SCRATCH_ALIGN;
    return XL_SUCCESS;
}

xl_status xl_scan_enqueue_sized(xl_scan *plan, cl_command_queue queue, const xl_scan_args *args,
                                size_t size, cl_uint num_waits, const cl_event *waits,
                                cl_event *event)
{
    xl_status status;
    xl_scan_args given = {0};
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(XLI_ARGS_READ(plan->flat->ctx, xl_scan_args, args, size, &given));
    XL_TRY(xli_flat_enqueue(plan->flat, queue, &given, num_waits, waits, event));
done:
    return status;
}

xl_status xl_scan_info_sized(const xl_scan *plan, size_t n, xl_plan_info *info, size_t size)
{
    xl_plan_info all;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xli_flat_info(plan->flat, n, &all);
    return xli_info_give(plan->flat->ctx, &all, sizeof all, info, size);
}

xl_scan_algorithm xl_scan_algorithm_used(const xl_scan *plan, size_t n)
{
    (void)n;
    return plan ? plan->flat->algorithm : XL_SCAN_AUTO;
}

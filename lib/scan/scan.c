/* SPDX-License-Identifier: MIT
 * The scan's public calls: plan, scratch, enqueue. */
#include "scan_private.h"

#include <math.h>
#include <string.h>

void xl_scan_desc_init(xl_scan_desc *desc)
{
    if (desc)
        *desc = (xl_scan_desc){.struct_size = sizeof *desc, .type = XL_U32, .op = XL_SUM};
}

/* The value a scan starts from when none is given. */
static void standard_init(const xl_scan_desc *desc, void *to)
{
    const bool least = desc->op == XL_MAX;
    const union {
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } ends[] = {
        [XL_U32] = {.u32 = least ? 0 : UINT32_MAX},
        [XL_I32] = {.i32 = least ? INT32_MIN : INT32_MAX},
        [XL_U64] = {.u64 = least ? 0 : UINT64_MAX},
        [XL_I64] = {.i64 = least ? INT64_MIN : INT64_MAX},
        [XL_F32] = {.f32 = least ? -INFINITY : INFINITY},
        [XL_F64] = {.f64 = least ? -(double)INFINITY : (double)INFINITY},
    };
    const size_t bytes = xl_type_size(desc->type);
    memset(to, 0, bytes);
    if (desc->op != XL_SUM)
        memcpy(to, &ends[desc->type], bytes);
}

static xl_status read_desc(xl_scan *plan, const xl_scan_desc *given)
{
    xl_status status;
    xl_scan_desc *desc = &plan->desc;
    if (given->struct_size < sizeof given->struct_size || given->struct_size > 4096)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc: struct_size is %u; start from xl_scan_desc_init()",
                        (unsigned)given->struct_size);
    xl_scan_desc_init(desc);
    memcpy(desc, given, xli_min(given->struct_size, sizeof *desc));
    XL_TRY(xli_scan_check_desc(plan->ctx, desc));
    plan->type = xli_scan_type_of(desc->type);
    standard_init(desc, plan->init);
    if (desc->init)
        memcpy(plan->init, desc->init, plan->type->bytes);
    desc->init = NULL;
done:
    return status;
}

xl_status xl_scan_create(xl_context *ctx, const xl_scan_desc *desc, xl_scan **plan)
{
    xl_status status;
    const xli_facts *facts;
    xl_scan *made = NULL;
    if (plan)
        *plan = NULL;
    if (!ctx || !desc || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !ctx    ? "ctx"
                        : !desc ? "desc"
                                : "plan");
    made = xli_alloc(sizeof *made);
    if (!made)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a scan");
    made->ctx = xli_context_retain(ctx);
    XL_TRY(read_desc(made, desc));
    XL_TRY(xli_context_facts(ctx, &facts));
    XL_TRY(xli_scan_plan(made, facts));
    *plan = made;
    made = NULL;
done:
    xl_scan_destroy(made);
    return status;
}

void xl_scan_destroy(xl_scan *plan)
{
    if (!plan)
        return;
    xli_kernel *const kernels[] = {&plan->reduce, &plan->spread, &plan->clear, &plan->ring,
                                   &plan->ring_in_place};
    for (size_t i = 0; i < XLI_COUNT(kernels); ++i)
        xli_kernel_destroy(kernels[i]);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

/* Grows with n although the number of groups does not always: a few tiles more may
 * mean longer runs and fewer of them. */
static size_t scratch_bytes(const xl_scan *plan, size_t n)
{
    const size_t tiles = xli_ceil_div(n, plan->tile);
    const size_t most = (size_t)plan->units * plan->tune.run_groups;
    if (tiles <= 1)
        return 0;
    return xli_round_up(xli_min(tiles, most) * plan->type->bytes, XLI_SCRATCH_ALIGN);
}

xl_status xl_scan_scratch(const xl_scan *plan, size_t n, size_t *bytes, size_t *alignment)
{
    if (!plan || !bytes || !alignment)
        return xli_fail(plan ? plan->ctx : NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !plan    ? "plan"
                        : !bytes ? "bytes"
                                 : "alignment");
    *bytes = scratch_bytes(plan, n);
    *alignment = XLI_SCRATCH_ALIGN;
    return XL_SUCCESS;
}

static xl_status enqueue_two_pass(xl_scan *plan, xli_seq *seq, size_t n, const xli_span *in,
                                  const xli_span *out, const xli_span *scratch)
{
    xl_status status;
    const xli_scan_cut cut = xli_scan_cut_of(plan, n);
    const size_t bytes = plan->type->bytes, totals = scratch->offset / bytes;
    const bool in_place = in->root == out->root && in->begin == out->begin;
    const bool stream = !in_place && n / 1024 * bytes >= plan->tune.stream_kib;
    /* A single group reads no totals, but the argument must be a buffer. */
    const cl_mem totals_buffer = cut.groups > 1 ? scratch->buffer : in->buffer;
    if (cut.groups > 1)
        XL_TRY(XLI_LAUNCH(seq, &plan->reduce, cut.groups, plan->group_size, XLI_MEM(in->buffer),
                          XLI_U64(in->offset), XLI_U64(n), XLI_U64(cut.run), XLI_MEM(totals_buffer),
                          XLI_U64(totals)));
    XL_TRY(XLI_LAUNCH(seq, &plan->spread, cut.groups, plan->group_size, XLI_MEM(in->buffer),
                      XLI_U64(in->offset), XLI_U64(n), XLI_U64(cut.run), XLI_MEM(totals_buffer),
                      XLI_U64(totals), XLI_MEM(out->buffer), XLI_U64(out->offset),
                      XLI_BYTES(plan->init, bytes), XLI_U32(stream)));
done:
    return status;
}

xl_status xl_scan_enqueue(xl_scan *plan, cl_command_queue queue, size_t n, xl_view in,
                          xl_view segments, xl_view out, xl_view scratch, cl_uint num_waits,
                          const cl_event *waits, cl_event *event)
{
    xl_status status;
    xli_seq seq = {0};
    xli_span in_span, out_span, scratch_span;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(xli_seq_begin(&seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_scan_check_views(plan, n, in, segments, out, &in_span, &out_span));
    XL_TRY(xli_scratch_take(plan->ctx, &plan->pool, scratch, scratch_bytes(plan, n),
                            XLI_SCRATCH_ALIGN, &scratch_span));
    XL_TRY(xli_check_apart(plan->ctx, &scratch_span, &in_span, false));
    XL_TRY(xli_check_apart(plan->ctx, &scratch_span, &out_span, false));
    if (n > 0)
        XL_TRY(enqueue_two_pass(plan, &seq, n, &in_span, &out_span, &scratch_span));
done:
    return xli_seq_end(&seq, status, event);
}

xl_scan_algorithm xl_scan_algorithm_used(const xl_scan *plan, size_t n)
{
    (void)n;
    return plan ? plan->algorithm : XL_SCAN_AUTO;
}

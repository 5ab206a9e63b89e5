/* SPDX-License-Identifier: MIT
 * Sorts in which -0 and +0 are equal: what follows a sort that tells them apart, stably, by the
 * places of the keys (cl/sort/sort_zeros.cl). */
#include "key.h"
#include "sort_plan.h"

xl_status xli_sort_zeros_build(xli_sort_plan *plan)
{
    xl_status status = XL_SUCCESS;
    xli_text text = {0};
    xli_program *program;
    const xli_definition line = {"XL_SERIAL", 1}; /* no work-item needs another */
    if (!plan->problem.equal_zeros)
        return XL_SUCCESS;
    xli_key_text(&text, plan->problem.key, plan->problem.descending, false);
    xli_text_define(&text, &line, 1);
    xli_text_add(&text, "#define XL_SEG %s\n", plan->problem.segments == XL_U64 ? "ulong" : "uint");
    if (text.failed)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the sort's source"));
    XL_TRY(xli_program_get(plan->ctx, "sort_zeros", text.data, &program));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_sort_zeros_merge", &plan->zeros.merge));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_sort_zeros_copy", &plan->zeros.copy));
done:
    xli_text_free(&text);
    return status;
}

void xli_sort_zeros_drop(xli_sort_plan *plan)
{
    xli_kernel_destroy(&plan->zeros.merge);
    xli_kernel_destroy(&plan->zeros.copy);
}

static xl_status launch(xli_sort_plan *plan, xli_seq *seq, xli_kernel *kernel, size_t n,
                        const xli_sort_spans *s, const xli_span *scratch)
{
    const size_t group = xli_min(plan->shape.gather_group, kernel->max_group);
    const size_t key = xli_sort_key_bytes(&plan->problem);
    /* The keys are done: their scratch is free. */
    const size_t places_at = scratch->offset + xli_sort_zeros_places_at(&plan->problem, n);
    return XLI_LAUNCH(
        seq, kernel, xli_ceil_div(n, group), group, XLI_U32(n), XLI_OPTIONAL(s->n_device.buffer),
        XLI_U64(s->n_device.offset), XLI_MEM(s->segments.buffer), XLI_U64(s->segments.offset),
        XLI_U32(s->segment_count), XLI_MEM(s->keys_out.buffer), XLI_U64(s->keys_out.offset),
        XLI_MEM(s->values_out.buffer), XLI_U64(s->values_out.offset), XLI_MEM(scratch->buffer),
        XLI_U64(scratch->offset / key), XLI_MEM(scratch->buffer),
        XLI_U64(places_at / sizeof(cl_uint)));
}

xl_status xli_sort_zeros_launch(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                const xli_sort_spans *spans, const xli_span *scratch)
{
    xl_status status = XL_SUCCESS;
    if (!plan->problem.equal_zeros)
        return XL_SUCCESS;
    XL_TRY(launch(plan, seq, &plan->zeros.merge, n, spans, scratch));
    XL_TRY(launch(plan, seq, &plan->zeros.copy, n, spans, scratch));
done:
    return status;
}

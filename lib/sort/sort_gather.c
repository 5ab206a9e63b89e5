/* SPDX-License-Identifier: MIT
 * Values that do not travel with the keys: they are gathered by the places of the keys
 * (cl/sort/sort_gather.cl). */
#include "sort_plan.h"

xl_status xli_sort_gather_build(xli_sort_plan *plan)
{
    xl_status status = XL_SUCCESS;
    xli_text text = {0};
    for (size_t a = 0; a < plan->problem.num_gathered; ++a) {
        xli_sort_gather *const gather = &plan->gather[a];
        xli_program *program;
        const xli_definition lines[] = {
            {"XL_GATHER_BYTES", plan->problem.gathered[a]},
            {"XL_SORT_LARGE", plan->problem.value == XL_U64 ? 2 : 1},
        };
        text.length = 0;
        xli_text_define(&text, lines, plan->problem.large ? 2 : 1);
        if (text.failed)
            XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the sort's source"));
        XL_TRY(xli_program_get(plan->ctx, "sort_gather", text.data, &program));
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_sort_gather", &gather->gather));
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_sort_copy", &gather->copy));
    }
done:
    xli_text_free(&text);
    return status;
}

void xli_sort_gather_drop(xli_sort_plan *plan)
{
    for (size_t a = 0; a < XLI_SORT_ARRAYS; ++a) {
        xli_kernel_destroy(&plan->gather[a].gather);
        xli_kernel_destroy(&plan->gather[a].copy);
    }
}

/* One launch of either kernel; offsets count units. */
typedef struct piece {
    cl_mem buffer;
    size_t at;
} piece;

static xl_status launch(xli_sort_plan *plan, xli_seq *seq, xli_kernel *kernel, size_t n,
                        size_t units, const xli_sort_spans *s, piece from, piece to)
{
    enum { ITEMS = 8 }; /* XL_GATHER_ITEMS */
    const size_t group = xli_min(plan->shape.gather_group, kernel->max_group);
    return XLI_LAUNCH(seq, kernel, xli_ceil_div(xli_mul(n, units), group * ITEMS), group,
                      xli_sort_number(plan, n), XLI_OPTIONAL(s->n_device.buffer),
                      XLI_U64(s->n_device.offset), XLI_MEM(s->values_out.buffer),
                      XLI_U64(s->values_out.offset), XLI_MEM(from.buffer), XLI_U64(from.at),
                      XLI_MEM(to.buffer), XLI_U64(to.at));
}

xl_status xli_sort_gather_launch(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                 const xli_sort_spans *s, const xli_span *scratch)
{
    enum { WIDEST = 16 }; /* bytes of a unit */
    xl_status status = XL_SUCCESS;
    for (size_t a = 0; a < plan->problem.num_gathered; ++a) {
        xli_sort_gather *const k = &plan->gather[a];
        const size_t bytes = plan->problem.gathered[a];
        const size_t unit = xli_min(bytes & (0 - bytes), WIDEST), units = bytes / unit;
        const piece in = {s->gather_in[a].buffer, s->gather_in[a].offset * units};
        const piece out = {s->gather_out[a].buffer, s->gather_out[a].offset * units};
        const piece spare = {scratch->buffer, scratch->offset / unit}; /* the keys are done */
        if (!xli_span_is_in_place(&s->gather_in[a], &s->gather_out[a])) {
            XL_TRY(launch(plan, seq, &k->gather, n, units, s, in, out));
        } else {
            XL_TRY(launch(plan, seq, &k->gather, n, units, s, in, spare));
            XL_TRY(launch(plan, seq, &k->copy, n, units, s, spare, out));
        }
    }
done:
    return status;
}

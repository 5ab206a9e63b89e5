/* SPDX-License-Identifier: MIT
 * Values that do not travel with the keys: after the sort they are gathered by the places of the
 * keys (cl/sort/sort_gather.cl). */
#include "sort_plan.h"
#include "values.h"

xl_status xli_sort_gather_build(xli_sort_plan *plan)
{
    xl_status status = XL_SUCCESS;
    xli_text text = {0};
    for (size_t a = 0; a < plan->problem.num_gathered; ++a) {
        const xli_wanted kernel = {"xl_sort_gather", &plan->gather[a], true};
        const xli_definition lines[] = {
            {"XL_MOVE_BYTES", plan->problem.gathered[a]},
            {"XL_LARGE", plan->problem.value == XL_U64 ? 2 : 1},
        };
        text.length = 0;
        xli_text_define(&text, lines, plan->problem.large ? 2 : 1);
        XL_TRY(xli_kernels_build(plan->base.ctx, "sort_gather", &text, &kernel, 1, NULL));
    }
done:
    xli_text_free(&text);
    return status;
}

void xli_sort_gather_drop(xli_sort_plan *plan)
{
    for (size_t a = 0; a < XLI_SORT_VALUES; ++a)
        xli_kernel_destroy(&plan->gather[a]);
}

/* A buffer and an offset in units. */
typedef struct piece {
    cl_mem buffer;
    size_t at;
} piece;

/* `places`: whether elements are gathered by the places of their keys, or copied. */
static xl_status launch(const xli_sort_call *c, xli_kernel *kernel, size_t units, bool places,
                        piece from, piece to)
{
    enum { ITEMS = 8 }; /* XL_GATHER_ITEMS */
    const size_t group = xli_min(c->plan->shape.gather_group, kernel->max_group);
    xli_args args = {.count = 0};
    xli_sort_add_n(&args, c);
    xli_args_add(&args, XLI_OPTIONAL(places ? c->values_out.buffer : NULL));
    xli_args_add(&args, XLI_U64(c->values_out.offset));
    xli_args_add_place(&args, from.buffer, from.at);
    xli_args_add_place(&args, to.buffer, to.at);
    return xli_seq_launch_args(c->seq, kernel, xli_ceil_div(xli_mul(c->n, units), group * ITEMS),
                               group, &args, 0);
}

static xl_status gather_array(const xli_sort_call *c, xli_kernel *kernel, size_t bytes,
                              const xli_span *in, const xli_span *out)
{
    xl_status status;
    const size_t unit = xli_value_unit(bytes), units = bytes / unit;
    const piece from = {in->buffer, in->offset * units}, to = {out->buffer, out->offset * units};
    /* The sort has ended: its scratch is free. */
    const piece spare = {c->scratch->buffer, c->scratch->offset / unit};
    const bool in_place = xli_span_is_in_place(in, out);
    XL_TRY(launch(c, kernel, units, true, from, in_place ? spare : to));
    if (in_place)
        XL_TRY(launch(c, kernel, units, false, spare, to));
done:
    return status;
}

xl_status xli_sort_gather_launch(const xli_sort_call *c)
{
    xl_status status = XL_SUCCESS;
    const xli_sort_problem *const problem = &c->plan->problem;
    const size_t first = xli_sort_first_gathered(problem);
    const xli_span *const in = &c->given[XLI_SORT_VALUES_IN + first];
    const xli_span *const out = &c->given[XLI_SORT_VALUES_OUT + first];
    for (size_t a = 0; a < problem->num_gathered; ++a)
        XL_TRY(gather_array(c, &c->plan->gather[a], problem->gathered[a], &in[a], &out[a]));
done:
    return status;
}

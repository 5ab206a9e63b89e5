/* SPDX-License-Identifier: MIT
 * Sums over the neighbours of each query, by a function of the user. */
#include "neighbors_plan.h"

typedef struct visit_call {
    xl_neighbors_visit_args args;
    xl_grid_index *index;
} visit_call;

enum { OUT = XLI_NEAR_OWN, ARRAYS };

/* The start and the parameters are in the fields of the plan's scalar. */
static xl_status check_start(const xli_neighbors_plan *plan, const xl_neighbors_visit_args *args)
{
    const bool wide = plan->form.scalar == XL_F64;
    bool narrow_set = args->start != 0, wide_set = args->start_f64 != 0;
    for (int k = 0; k < 4; ++k) {
        narrow_set = narrow_set || args->params[k] != 0;
        wide_set = wide_set || args->params_f64[k] != 0;
    }
    const xli_idle_field fields[] = {
        {"args.start, args.params", narrow_set, !wide, "desc.scalar is f64"},
        {"args.start_f64, args.params_f64", wide_set, wide, "desc.scalar is f32"}};
    return xli_check_idle(plan->base.ctx, fields, XLI_COUNT(fields));
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const visit_call *const call = of;
    const xli_neighbors_plan *const plan = (const xli_neighbors_plan *)base;
    if (!plan->visits)
        XL_TRY(xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "plan: made without desc.visit; a visit requires it"));
    XL_TRY(xli_near_count(plan, XLI_NEAR_GIVEN(call)));
    XL_TRY(check_start(plan, &call->args));
done:
    return status;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const visit_call *const call = of;
    const xli_neighbors_plan *const plan = (const xli_neighbors_plan *)base;
    xli_near_list(plan, XLI_NEAR_GIVEN(call), arrays);
    arrays[OUT] =
        xli_output("args.out", call->args.out, xli_near_queries(plan, XLI_NEAR_GIVEN(call)),
                   xli_scalar_bytes(plan->form.scalar));
    return ARRAYS;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const visit_call *const call = of;
    const xl_neighbors_visit_args *const args = &call->args;
    xli_neighbors_plan *const plan = (xli_neighbors_plan *)base;
    const bool wide = plan->form.scalar == XL_F64;
    const xli_search s = {plan, call->index, seq, xli_near_queries(plan, XLI_NEAR_GIVEN(call)),
                          spans};
    const xli_arg own[] = {
        xli_grid_real(plan->form.scalar, wide ? args->start_f64 : (double)args->start),
        wide ? XLI_BYTES(args->params_f64, sizeof args->params_f64)
             : XLI_BYTES(args->params, sizeof args->params),
        XLI_MEM(spans[OUT].buffer), XLI_U64(spans[OUT].offset)};
    XL_TRY(xli_grid_index_use(call->index, seq, spans, ARRAYS, scratch));
    if (s.n > 0)
        XL_TRY(xli_near_launch(&s, &plan->visit, own, XLI_COUNT(own)));
done:
    return status;
}

static const xli_call table = {.args = {"args", sizeof(xl_neighbors_visit_args), NULL},
                               .index_at = offsetof(visit_call, index),
                               .count = count,
                               .arrays = arrays,
                               .launch = launch};
XLI_PUBLIC_INDEX_CALL(neighbors, visit_enqueue, xl_neighbors_visit_args, table)

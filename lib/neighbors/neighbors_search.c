/* SPDX-License-Identifier: MIT
 * Shared by all calls of a search within a radius: checks, arrays, arguments, launches. */
#include "neighbors_plan.h"

xl_status xli_near_check(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    xl_status status;
    xl_context *const ctx = plan->base.ctx;
    XL_TRY(xli_grid_check_kind(ctx, call->index, &plan->form));
    XL_TRY(xli_grid_check_periods(ctx, call->index, "desc.radius", plan->radius));
    XL_TRY(xli_grid_check_num_queries(ctx, &plan->form, call->index, call->args.num_queries));
done:
    return status;
}

xl_status xli_near_check_rows(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    const xl_neighbors_args *const args = &call->args;
    if (plan->row_capacity > 0 && args->capacity > 0)
        return xli_fail(plan->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.capacity: %llu; must be 0, because desc.row_capacity is the capacity "
                        "of each row",
                        (unsigned long long)args->capacity);
    return xli_check_rows(plan->base.ctx, xli_near_queries(plan, call), args->first_row,
                          args->num_rows);
}

void xli_near_list(const xli_neighbors_plan *plan, const xli_near_call *call, xli_array *arrays)
{
    const xl_neighbors_args *const args = &call->args;
    const size_t n = xli_near_queries(plan, call);
    xli_grid_list_queries(&plan->form, n,
                          (const xl_view[]){args->queries, args->queries_y, args->queries_z},
                          args->query_systems, arrays);
    xli_near_list_radii(plan, n, call->index->n, args, arrays + XLI_NEAR_RADII);
}

void xli_near_list_rows(const xli_neighbors_plan *plan, const xli_near_call *call, xl_view counts,
                        xli_access of_counts, xli_array *arrays)
{
    const size_t num_rows = xli_near_num_rows(plan, call);
    const bool rooms = plan->row_capacity > 0;
    arrays[XLI_NEAR_OFFSETS] =
        xli_input("args.offsets", call->args.offsets, num_rows + 1, sizeof(cl_ulong));
    arrays[XLI_NEAR_COUNTS] = xli_input("args.counts", counts, num_rows, sizeof(cl_uint));
    arrays[XLI_NEAR_COUNTS].access = of_counts;
    arrays[rooms ? XLI_NEAR_OFFSETS : XLI_NEAR_COUNTS].unused =
        rooms ? "must not be given, because desc.row_capacity is not 0"
              : "must not be given, because desc.row_capacity is 0";
}

/* If work-items do not walk, counts and visits may take two queries at a time. */
static xli_grid_shape shape_of(const xli_neighbors_plan *plan, const xli_kernel *kernel, size_t n)
{
    const bool lists = kernel == &plan->fill || kernel == &plan->details;
    const bool walks = plan->tune.walk > 0;
    const uint32_t at_once = walks ? plan->tune.walk : lists ? 1 : plan->together;
    return xli_grid_shape_of(kernel, xli_ceil_div(n, at_once), walks ? 1 : plan->tune.group, 1);
}

XLI_ARGS_FIT(XLI_NEAR_SHARED_ARGS + XLI_NEAR_OWN_ARGS);

void xli_near_add_shared(const xli_search *s, xli_args *args)
{
    const xli_neighbors_plan *const plan = s->plan;
    const uint32_t scalar = plan->form.scalar;
    xli_grid_add_index(s->index, xli_grid_real(scalar, plan->reach),
                       xli_grid_real(scalar, plan->radius2), plan->form.repeats, args);
    xli_grid_add_queries(&plan->form, s->spans, 0, args);
    xli_near_add_radii(plan, s->spans, args);
    xli_args_add(args, XLI_U32(s->n));
}

xl_status xli_near_launch(const xli_search *s, xli_kernel *kernel, const xli_arg *own,
                          size_t num_own)
{
    xli_args args = {0};
    const xli_grid_shape shape = shape_of(s->plan, kernel, xli_max(s->n, 1));
    xli_near_add_shared(s, &args);
    xli_args_add_all(&args, own, num_own);
    return xli_seq_launch_args(s->seq, kernel, shape.groups, shape.size, &args, 0);
}

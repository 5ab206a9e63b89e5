/* SPDX-License-Identifier: MIT
 * What all calls of a search plan share: checks, queries, arguments, launches. */
#include "neighbors_plan.h"

static xl_status check_period(const xli_neighbors_plan *plan, const xl_grid_index *index)
{
    xl_status status;
    const bool wide = plan->scalar == XL_F64;
    XL_TRY(xli_grid_check_repeats(plan->ctx, index, plan->repeats));
    XL_TRY(xli_grid_check_periods(plan->ctx, index, wide ? "desc.radius_f64" : "desc.radius",
                                  wide ? plan->radius_f64 : (double)plan->radius,
                                  plan->ends_loops));
done:
    return status;
}

xl_status xli_near_begin(xli_search *s, xli_neighbors_plan *plan, xl_grid_index *index,
                         cl_command_queue queue, cl_uint num_waits, const cl_event *waits,
                         cl_event *event)
{
    xl_status status;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    s->plan = plan;
    s->index = index;
    XL_TRY(xli_seq_begin(&s->seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_index_use(plan->ctx, index, plan->planes, &s->seq));
    XL_TRY(xli_grid_check_same_scalar(plan->ctx, index, plan->scalar));
    XL_TRY(xli_grid_check_batch(plan->ctx, index, plan->batch));
    XL_TRY(check_period(plan, index));
    if (plan->given && plan->dimensions != index->dimensions)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of points in %u dimensions, the plan's queries have %u",
                        (unsigned)index->dimensions, (unsigned)plan->dimensions));
done:
    return status;
}

xl_status xli_near_queries(xli_search *s, const xli_near_given *given)
{
    xl_status status;
    const xli_neighbors_plan *const plan = s->plan;
    const xli_queries_form form = {.scalar = plan->scalar,
                                   .dimensions = plan->dimensions,
                                   .stride = plan->query_stride,
                                   .soa = plan->soa,
                                   .batch = plan->batch};
    const xl_view views[3] = {given->queries, given->queries_y, given->queries_z};
    const xli_idle_field radii = {"radii", given->radii.buffer != NULL, plan->radii,
                                  "desc.radii is 0"};
    XL_TRY(xli_grid_check_idle_queries(plan->ctx, plan->given, &form, given->num_queries, views,
                                       given->query_systems));
    XL_TRY(xli_check_idle(plan->ctx, &radii, 1));
    s->n = plan->given ? given->num_queries : s->index->n;
    XL_TRY(xli_grid_check_num_queries(plan->ctx, s->n, plan->query_stride));
    if (plan->given)
        XL_TRY(xli_grid_check_queries(plan->ctx, &form, s->n, views, s->queries));
    if (plan->given)
        XL_TRY(xli_grid_check_query_systems(plan->ctx, &form, s->n, given->query_systems,
                                            &s->query_systems));
    if (plan->radii)
        XL_TRY(xli_check_view(plan->ctx, "radii", given->radii, s->n,
                              xli_scalar_bytes(plan->scalar), XLI_READ, &s->radii));
done:
    return status;
}

xl_status xli_near_apart(const xli_search *s, const xli_span *spans, size_t num_spans)
{
    xl_status status;
    const xli_span *const read[] = {&s->queries[0], &s->queries[1], &s->queries[2], &s->radii,
                                    &s->query_systems};
    XL_TRY(xli_grid_check_apart(s->plan->ctx, s->index, spans, num_spans));
    for (size_t i = 0; i < num_spans; ++i)
        XL_TRY(xli_check_apart_from(s->plan->ctx, &spans[i], read, XLI_COUNT(read)));
    for (size_t i = 0; i < XLI_COUNT(read); ++i)
        XL_TRY(xli_check_apart(s->plan->ctx, read[i], &s->index->storage_span, false));
done:
    return status;
}

/* Where work-items do not walk, counts and visits may take two queries at a time. */
static xli_grid_shape shape_of(const xli_neighbors_plan *plan, const xli_kernel *kernel, size_t n)
{
    const bool lists = kernel == &plan->fill || kernel == &plan->details;
    const bool walks = plan->tune.walk > 0;
    const uint32_t at_once = walks ? plan->tune.walk : lists ? 1 : plan->together;
    return xli_grid_shape_of(kernel, xli_ceil_div(n, at_once), walks ? 1 : plan->tune.group,
                             plan->tune.items);
}

XLI_ARGS_FIT(XLI_NEAR_SHARED_ARGS + XLI_NEAR_OWN_ARGS);

/* The arguments that all searches share: XL_INDEX_PARAMETERS and XL_QUERY_PARAMETERS of
 * cl/neighbors/neighbors_ranges.cl. */
static void add_shared(const xli_search *s, xli_args *args)
{
    const xli_neighbors_plan *const plan = s->plan;
    const bool wide = plan->scalar == XL_F64;
    xli_grid_add_index(s->index,
                       wide ? XLI_BYTES(&plan->reach_f64, sizeof(double))
                            : XLI_BYTES(&plan->reach, sizeof(float)),
                       wide ? XLI_BYTES(&plan->radius2_f64, sizeof(double))
                            : XLI_BYTES(&plan->radius2, sizeof(float)),
                       plan->repeats, args);
    for (uint32_t a = 0; plan->given && a < (plan->soa ? 3 : 1); ++a)
        xli_args_add_span(args, &s->queries[a]);
    if (plan->given && plan->batch)
        xli_args_add_span(args, &s->query_systems);
    if (plan->radii) {
        xli_args_add(args, wide ? XLI_BYTES(&plan->radius_f64, sizeof(double))
                                : XLI_BYTES(&plan->radius, sizeof(float)));
        xli_args_add_span(args, &s->radii);
    }
    xli_args_add(args, XLI_U32(s->n));
}

xl_status xli_near_launch(xli_search *s, xli_kernel *kernel, const xli_arg *own, size_t num_own)
{
    xli_args args = {0};
    const xli_grid_shape shape = shape_of(s->plan, kernel, xli_max(s->n, 1));
    add_shared(s, &args);
    xli_args_add_all(&args, own, num_own);
    return xli_seq_launch_args(&s->seq, kernel, shape.groups, shape.size, &args, 0);
}

/* SPDX-License-Identifier: MIT
 * Checks of what callers give to a search for nearest neighbours. */
#include "knn_plan.h"

#include <math.h>

static xl_status check_max_radius(xl_context *ctx, const xl_knn_desc *desc)
{
    xl_status status;
    const bool wide = desc->scalar == XL_F64;
    const xli_idle_field fields[] = {
        {"desc.max_radius", desc->max_radius != 0, !wide, "desc.scalar is f64"},
        {"desc.max_radius_f64", desc->max_radius_f64 != 0, wide, "desc.scalar is f32"}};
    const double radius = wide ? desc->max_radius_f64 : (double)desc->max_radius;
    XL_TRY(xli_check_idle(ctx, fields, XLI_COUNT(fields)));
    if (!isfinite(radius) || radius < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %g; 0, or finite and above it",
                        fields[wide].name, radius);
    if (radius > 0)
        XL_TRY(xli_grid_check_radius(ctx, fields[wide].name, desc->scalar, radius));
done:
    return status;
}

xl_status xli_knn_check_desc(xl_context *ctx, const xl_knn_desc *desc)
{
    xl_status status;
    if (desc->k < 1 || desc->k > XLI_KNN_MOST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; 1 to %d neighbours",
                        (unsigned)desc->k, XLI_KNN_MOST);
    XL_TRY(xli_grid_check_query_fields(ctx, desc->queries, desc->dimensions, desc->query_layout,
                                       desc->query_stride));
    if (desc->batch > 1 || desc->reserved != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.batch: %u, desc.reserved: %u; must "
                        "be 0 or 1, and 0",
                        (unsigned)desc->batch, (unsigned)desc->reserved);
    XL_TRY(xli_grid_check_scalar(ctx, desc->scalar));
    XL_TRY(check_max_radius(ctx, desc));
done:
    return status;
}

xl_status xli_knn_check_index(const xli_knn_plan *plan, const xl_grid_index *index)
{
    const xli_knn_problem *const problem = &plan->problem;
    const xl_status status = xli_grid_check_repeats(plan->ctx, index, problem->repeats);
    if (status != XL_SUCCESS)
        return status;
    if (problem->dimensions != index->dimensions)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of points in %u dimensions, the plan's desc.dimensions is %u",
                        (unsigned)index->dimensions, (unsigned)problem->dimensions);
    const xl_status same = xli_grid_check_same_scalar(plan->ctx, index, problem->scalar);
    return same == XL_SUCCESS ? xli_grid_check_batch(plan->ctx, index, problem->batch) : same;
}

static xl_status check_queries(const xli_knn_plan *plan, const xl_grid_index *index,
                               const xl_knn_args *args, size_t *n, xli_knn_spans *spans)
{
    xl_status status;
    const xli_knn_problem *const problem = &plan->problem;
    const xli_queries_form form = {.scalar = problem->scalar,
                                   .dimensions = problem->dimensions,
                                   .stride = problem->query_stride,
                                   .soa = problem->soa,
                                   .batch = problem->batch};
    const xl_view views[3] = {args->queries, args->queries_y, args->queries_z};
    XL_TRY(xli_grid_check_idle_queries(plan->ctx, problem->given, &form, args->num_queries, views,
                                       args->query_systems));
    *n = problem->given ? args->num_queries : index->n;
    XL_TRY(xli_grid_check_num_queries(plan->ctx, *n, problem->query_stride));
    if (*n > SIZE_MAX / xli_scalar_bytes(problem->scalar) / problem->k)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "num_queries: %zu rows of %u exceed the address space", *n,
                        (unsigned)problem->k);
    if (!problem->given)
        return XL_SUCCESS;
    XL_TRY(xli_grid_check_queries(plan->ctx, &form, *n, views, spans->queries));
    XL_TRY(xli_grid_check_query_systems(plan->ctx, &form, *n, args->query_systems,
                                        &spans->query_systems));
done:
    return status;
}

xl_status xli_knn_check_views(const xli_knn_plan *plan, const xl_grid_index *index,
                              xl_knn_args *args, size_t *n, xli_knn_spans *spans)
{
    xl_status status;
    xl_context *const ctx = plan->ctx;
    *spans = (xli_knn_spans){.indices = {0}};
    XL_TRY(check_queries(plan, index, args, n, spans));
    XL_TRY(xli_check_rows(ctx, *n, args->first_row, &args->num_rows));
    const size_t places = args->num_rows * plan->problem.k;
    XL_TRY(xli_check_view(ctx, "indices", args->indices, places, sizeof(cl_uint), XLI_WRITE,
                          &spans->indices));
    if (args->distances2.buffer)
        XL_TRY(xli_check_view(ctx, "distances2", args->distances2, places,
                              xli_scalar_bytes(plan->problem.scalar), XLI_WRITE,
                              &spans->distances2));
    const xli_span written[] = {spans->indices, spans->distances2};
    XL_TRY(xli_grid_check_apart(ctx, index, written, XLI_COUNT(written)));
    const xli_span *const read[] = {&spans->queries[0], &spans->queries[1], &spans->queries[2],
                                    &spans->query_systems};
    for (size_t a = 0; a < XLI_COUNT(read); ++a) {
        for (size_t i = 0; i < XLI_COUNT(written); ++i)
            XL_TRY(xli_check_apart(ctx, read[a], &written[i], false));
        XL_TRY(xli_check_apart(ctx, read[a], &index->storage_span, false));
    }
done:
    return status;
}

/* SPDX-License-Identifier: MIT
 * Checks of what callers give to a search for nearest neighbours. */
#include "knn_plan.h"

#include <float.h>
#include <math.h>

static xl_status check_max_radius(xl_context *ctx, float radius)
{
    const float square = radius * radius;
    if (!isfinite(radius) || radius < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.max_radius: %g; 0, or finite and above it", (double)radius);
    if (radius > 0 && !(square >= FLT_MIN && square <= FLT_MAX))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.max_radius: the square of %g is outside the floats, %g to %g",
                        (double)radius, (double)FLT_MIN, (double)FLT_MAX);
    return XL_SUCCESS;
}

xl_status xli_knn_check_desc(xl_context *ctx, const xl_knn_desc *desc)
{
    if (desc->k < 1 || desc->k > XLI_KNN_MOST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; 1 to %d neighbours",
                        (unsigned)desc->k, XLI_KNN_MOST);
    if (desc->queries > XL_QUERIES_GIVEN)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.queries: unknown value %u",
                        (unsigned)desc->queries);
    if (desc->dimensions < 1 || desc->dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; this version has 1 to 3",
                        (unsigned)desc->dimensions);
    if (desc->query_stride < desc->dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.query_stride: %u scalars do not hold a query; %u or more",
                        (unsigned)desc->query_stride, (unsigned)desc->dimensions);
    return check_max_radius(ctx, desc->max_radius);
}

xl_status xli_knn_check_index(const xl_knn *plan, const xl_grid_index *index)
{
    const xli_knn_problem *const problem = &plan->problem;
    if (index->scalar != XL_F32)
        return xli_fail(plan->ctx, XL_ERROR_UNSUPPORTED,
                        "index: of points of %s; this version finds nearest neighbours among f32",
                        xl_type_name(index->scalar));
    const xl_status status = xli_grid_check_repeats(plan->ctx, index, problem->repeats);
    if (status != XL_SUCCESS)
        return status;
    if (problem->dimensions != index->dimensions)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of points in %u dimensions, the plan's desc.dimensions is %u",
                        (unsigned)index->dimensions, (unsigned)problem->dimensions);
    return XL_SUCCESS;
}

static xl_status check_queries(const xl_knn *plan, const xl_grid_index *index,
                               const xl_knn_args *args, size_t *n, xli_span *span)
{
    xl_status status;
    const xli_knn_problem *const problem = &plan->problem;
    const char *const why = "desc.queries is XL_QUERIES_INDEXED";
    const xli_idle_field fields[] = {
        {"num_queries", args->num_queries != 0, problem->given, why},
        {"queries", args->queries.buffer != NULL, problem->given, why}};
    XL_TRY(xli_check_idle(plan->ctx, fields, XLI_COUNT(fields)));
    *n = problem->given ? args->num_queries : index->n;
    XL_TRY(xli_neighbors_check_n(plan->ctx, *n, problem->query_stride));
    if (*n > SIZE_MAX / sizeof(cl_uint) / problem->k)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "num_queries: %zu rows of %u exceed the address space", *n,
                        (unsigned)problem->k);
    if (problem->given) {
        const size_t scalars = *n > 0 ? (*n - 1) * problem->query_stride + problem->dimensions : 0;
        XL_TRY(xli_check_view(plan->ctx, "queries", args->queries, scalars, sizeof(cl_float),
                              XLI_READ, span));
    }
done:
    return status;
}

xl_status xli_knn_check_views(const xl_knn *plan, const xl_grid_index *index,
                              const xl_knn_args *args, size_t *n, xli_knn_spans *spans)
{
    xl_status status;
    xl_context *const ctx = plan->ctx;
    *spans = (xli_knn_spans){{0}, {0}, {0}};
    XL_TRY(check_queries(plan, index, args, n, &spans->queries));
    const size_t places = *n * plan->problem.k;
    XL_TRY(xli_check_view(ctx, "indices", args->indices, places, sizeof(cl_uint), XLI_WRITE,
                          &spans->indices));
    if (args->distances2.buffer)
        XL_TRY(xli_check_view(ctx, "distances2", args->distances2, places, sizeof(cl_float),
                              XLI_WRITE, &spans->distances2));
    const xli_span written[] = {spans->indices, spans->distances2};
    XL_TRY(xli_grid_check_apart(ctx, index, written, XLI_COUNT(written)));
    for (size_t i = 0; i < XLI_COUNT(written); ++i)
        XL_TRY(xli_check_apart(ctx, &spans->queries, &written[i], false));
    XL_TRY(xli_check_apart(ctx, &spans->queries, &index->storage_span, false));
done:
    return status;
}

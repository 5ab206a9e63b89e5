/* SPDX-License-Identifier: MIT
 * Checks of what callers give to an approximate search for nearest neighbours. */
#include "knn_approximate_plan.h"

#include <math.h>

static xl_status check_box(xl_context *ctx, const xl_knn_approximate_desc *desc)
{
    const float most = XLI_KNN_APPROXIMATE_BEYOND;
    for (uint32_t a = 0; a < desc->dimensions; ++a) {
        const float lower = desc->lower[a], upper = desc->upper[a];
        if (!(fabsf(lower) <= most) || !(fabsf(upper) <= most))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower[%u], desc.upper[%u]: %g to %g goes beyond %g", (unsigned)a,
                            (unsigned)a, (double)lower, (double)upper, (double)most);
        if (lower > upper)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower[%u], desc.upper[%u]: %g to %g is empty", (unsigned)a,
                            (unsigned)a, (double)lower, (double)upper);
    }
    return XL_SUCCESS;
}

static xl_status check_stride(xl_context *ctx, const char *name, uint32_t stride, uint32_t least)
{
    if (stride < least)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.%s: %u scalars do not hold a point; %u or more", name,
                        (unsigned)stride, (unsigned)least);
    return XL_SUCCESS;
}

xl_status xli_knn_approximate_check_desc(xl_context *ctx, const xl_knn_approximate_desc *desc)
{
    xl_status status;
    if (desc->k < 1 || desc->k > XLI_KNN_APPROXIMATE_MOST)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; 1 to %d neighbours",
                        (unsigned)desc->k, XLI_KNN_APPROXIMATE_MOST));
    if (desc->shifts > XLI_KNN_APPROXIMATE_SHIFTS)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.shifts: %u; at most %d",
                        (unsigned)desc->shifts, XLI_KNN_APPROXIMATE_SHIFTS));
    if (desc->queries > XL_QUERIES_GIVEN)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.queries: unknown value %u",
                        (unsigned)desc->queries));
    if (desc->dimensions < 2 || desc->dimensions > 3)
        XL_TRY(xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; this version has 2 and 3",
                        (unsigned)desc->dimensions));
    if (desc->code != XL_U32 && desc->code != XL_U64)
        XL_TRY(xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.code: %s (%d); codes are u32 or u64",
                        xl_type_name(desc->code), (int)desc->code));
    XL_TRY(check_stride(ctx, "stride", desc->stride, desc->dimensions));
    XL_TRY(check_stride(ctx, "query_stride", desc->query_stride, desc->dimensions));
    XL_TRY(check_box(ctx, desc));
done:
    return status;
}

static xl_status check_count(const xli_knn_approximate_plan *plan, const char *name, size_t n,
                             uint32_t stride)
{
    if (n > UINT32_MAX - 1)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %zu; at most 2^32 - 2", name, n);
    if (n > SIZE_MAX / sizeof(cl_uint) / stride || n > SIZE_MAX / sizeof(cl_uint) / plan->problem.k)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %zu exceed the address space",
                        name, n);
    return XL_SUCCESS;
}

xl_status xli_knn_approximate_check_n(const xli_knn_approximate_plan *plan, size_t n,
                                      size_t num_queries)
{
    xl_status status;
    const xli_idle_field fields[] = {{"num_queries", num_queries != 0, plan->problem.given,
                                      "desc.queries is XL_QUERIES_INDEXED"}};
    XL_TRY(xli_check_idle(plan->ctx, fields, XLI_COUNT(fields)));
    XL_TRY(check_count(plan, "n", n, plan->problem.stride));
    XL_TRY(check_count(plan, "num_queries", num_queries, plan->problem.query_stride));
done:
    return status;
}

static xl_status check_points(const xli_knn_approximate_plan *plan, const char *name, xl_view view,
                              size_t n, uint32_t stride, xli_span *span)
{
    const size_t scalars = n > 0 ? (n - 1) * stride + plan->problem.dimensions : 0;
    return xli_check_view(plan->ctx, name, view, scalars, sizeof(cl_float), XLI_READ, span);
}

xl_status xli_knn_approximate_check_views(const xli_knn_approximate_plan *plan,
                                          xl_knn_approximate_args *args,
                                          xli_knn_approximate_spans *spans)
{
    xl_status status;
    xl_context *const ctx = plan->ctx;
    const xli_knn_approximate_problem *const problem = &plan->problem;
    const xli_idle_field fields[] = {{"queries", args->queries.buffer != NULL, problem->given,
                                      "desc.queries is XL_QUERIES_INDEXED"}};
    *spans = (xli_knn_approximate_spans){{0}, {0}, {0}, {0}};
    XL_TRY(xli_check_idle(ctx, fields, XLI_COUNT(fields)));
    XL_TRY(xli_check_rows(ctx, problem->given ? args->num_queries : args->n, args->first_row,
                          &args->num_rows));
    const size_t places = args->num_rows * problem->k;
    XL_TRY(check_points(plan, "points", args->points, args->n, problem->stride, &spans->points));
    if (problem->given)
        XL_TRY(check_points(plan, "queries", args->queries, args->num_queries,
                            problem->query_stride, &spans->queries));
    XL_TRY(xli_check_view(ctx, "indices", args->indices, places, sizeof(cl_uint),
                          XLI_READ | XLI_WRITE, &spans->indices));
    XL_TRY(xli_check_view(ctx, "distances2", args->distances2, places, sizeof(cl_float),
                          XLI_READ | XLI_WRITE, &spans->distances2));
    const xli_span *const inputs[] = {&spans->points, &spans->queries, &spans->indices};
    XL_TRY(xli_check_apart_from(ctx, &spans->distances2, inputs, XLI_COUNT(inputs)));
    XL_TRY(xli_check_apart_from(ctx, &spans->indices, inputs, XLI_COUNT(inputs) - 1));
done:
    return status;
}

xl_status xli_knn_approximate_check_scratch(const xli_knn_approximate_plan *plan,
                                            const xli_knn_approximate_spans *spans,
                                            const xli_span *scratch)
{
    const xli_span *const all[] = {&spans->points, &spans->queries, &spans->indices,
                                   &spans->distances2};
    return xli_check_apart_from(plan->ctx, scratch, all, XLI_COUNT(all));
}

/* SPDX-License-Identifier: MIT
 * Checks of what callers give to a plan of Morton codes. */
#include "morton_plan.h"

#include <math.h>

static xl_status check_box(xl_context *ctx, const xl_morton_desc *desc)
{
    for (uint32_t a = 0; a < desc->dimensions; ++a) {
        const float lower = desc->lower[a], upper = desc->upper[a];
        if (!isfinite(lower) || !isfinite(upper) || !isfinite(upper - lower))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower[%u], desc.upper[%u]: %g to %g is not finite", (unsigned)a,
                            (unsigned)a, (double)lower, (double)upper);
        if (lower > upper)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.lower[%u], desc.upper[%u]: %g to %g is empty", (unsigned)a,
                            (unsigned)a, (double)lower, (double)upper);
    }
    return XL_SUCCESS;
}

xl_status xli_morton_check_desc(xl_context *ctx, const xl_morton_desc *desc)
{
    if (desc->dimensions < 2 || desc->dimensions > 3)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.dimensions: %u; this version has 2 and 3",
                        (unsigned)desc->dimensions);
    if (desc->scalar != XL_F32)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.scalar: %s (%d); this version has f32",
                        xl_type_name(desc->scalar), (int)desc->scalar);
    if (desc->code != XL_U32 && desc->code != XL_U64)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED, "desc.code: %s (%d); codes are u32 or u64",
                        xl_type_name(desc->code), (int)desc->code);
    if (desc->stride < desc->dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.stride: %u scalars do not hold a point; %u or more",
                        (unsigned)desc->stride, (unsigned)desc->dimensions);
    return check_box(ctx, desc);
}

xl_status xli_morton_check_n(const xl_morton *plan, size_t n)
{
    if (n > SIZE_MAX / 64 || n > SIZE_MAX / plan->problem.stride)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "n: %zu points exceed the address space", n);
    return XL_SUCCESS;
}

xl_status xli_morton_check_views(const xl_morton *plan, const xl_morton_args *args,
                                 xli_span *points, xli_span *codes)
{
    xl_status status;
    const xli_morton_problem *const problem = &plan->problem;
    const size_t n = args->n, code = problem->wide ? sizeof(cl_ulong) : sizeof(cl_uint);
    const size_t scalars = n > 0 ? (n - 1) * problem->stride + problem->dimensions : 0;
    XL_TRY(xli_check_view(plan->ctx, "points", args->points, scalars, sizeof(cl_float), XLI_READ,
                          points));
    XL_TRY(xli_check_view(plan->ctx, "codes", args->codes, n, code, XLI_WRITE, codes));
    XL_TRY(xli_check_apart(plan->ctx, points, codes, false));
done:
    return status;
}

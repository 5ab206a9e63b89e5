/* SPDX-License-Identifier: MIT
 * Approximate search for nearest neighbours: the descriptor, the arrays of a call, and the public
 * calls. */
#include "nearest_approximate_plan.h"

#include <string.h>

static const xl_nearest_approximate_desc defaults = {
    .space = {.dimensions = 3, .scalar = XL_F32, .bounds = XL_BOUNDS_GIVEN},
    .stride = 3,
    .query_stride = 3,
    .code = XL_U64};

/* ---- the descriptor -------------------------------------------------------------------------- */

static xl_status check_box(xl_context *ctx, const xl_space *given)
{
    xl_status status;
    const double most = (double)XLI_NEAREST_APPROXIMATE_BEYOND;
    xli_space space;
    XL_TRY(xli_space_read_box(ctx, given, &space));
    for (uint32_t a = 0; a < space.dimensions; ++a)
        if (space.lower[a] < -most || space.upper[a] > most)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.space: from %g to %g along axis %u; must be from -%g to %g",
                            space.lower[a], space.upper[a], (unsigned)a, most, most);
done:
    return status;
}

static xl_status check_stride(xl_context *ctx, const char *name, uint32_t stride, uint32_t least)
{
    if (stride < least)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.%s: %u; must be at least desc.space.dimensions, %u", name,
                        (unsigned)stride, (unsigned)least);
    return XL_SUCCESS;
}

static xl_status check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_nearest_approximate_desc *const desc = of;
    if (desc->k < 1 || desc->k > XLI_NEAREST_APPROXIMATE_MOST)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; must be 1 to %d",
                        (unsigned)desc->k, XLI_NEAREST_APPROXIMATE_MOST));
    if (desc->shifts > XLI_NEAREST_APPROXIMATE_SHIFTS)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.shifts: %u; must be at most %d",
                        (unsigned)desc->shifts, XLI_NEAREST_APPROXIMATE_SHIFTS));
    if (desc->queries > XL_QUERIES_GIVEN)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.queries: %u; must be 0 (XL_QUERIES_INDEXED) or 1 (XL_QUERIES_GIVEN)",
                        (unsigned)desc->queries));
    XL_TRY(check_box(ctx, &desc->space));
    if (desc->code != XL_U32 && desc->code != XL_U64)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.code: %s (%d); must be u32 or u64",
                        xl_type_name(desc->code), (int)desc->code));
    XL_TRY(check_stride(ctx, "stride", desc->stride, desc->space.dimensions));
    XL_TRY(check_stride(ctx, "query_stride", desc->query_stride, desc->space.dimensions));
done:
    return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static xl_status build_kernels(xli_nearest_approximate_plan *plan)
{
    const xli_nearest_approximate_problem *const problem = &plan->problem;
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_nearest_approximate_pack", &plan->pack, true},
                               {"xl_nearest_approximate", &plan->search, true}};
    const xli_definition lines[] = {
        {"XL_DIMENSIONS", problem->dimensions},     {"XL_STRIDE", problem->stride},
        {"XL_KEEP_SELF", problem->keeps_self},      {"XL_GIVEN", problem->given},
        {"XL_QUERY_STRIDE", problem->query_stride}, {"XL_K", problem->k}};
    xli_text_define(&text, lines, XLI_COUNT(lines));
    const xl_status status = xli_kernels_build(plan->base.ctx, "nearest_approximate", &text, list,
                                               XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

/* Stable, so that points with equal codes stay in the order of their indices, on every device. */
static xl_status make_sort(xli_nearest_approximate_plan *plan, const xli_tune_wish *wish)
{
    xl_status status;
    xl_sort_desc desc;
    xl_tunable *part = NULL;
    xl_sort_desc_init(&desc);
    desc.key = plan->problem.code;
    desc.value = XL_BYTES(sizeof(cl_uint4));
    desc.stable = 1;
    if (wish->count > 0) {
        part = xli_alloc(wish->count * sizeof *part);
        if (!part)
            XL_TRY(xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for tuning values"));
        desc.tunables = part;
        desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SORT, part);
    }
    XL_TRY(xl_sort_create(plan->base.ctx, &desc, &plan->sort));
done:
    xli_free(part);
    return status;
}

static xl_status make_codes(const xli_nearest_approximate_plan *plan, const xli_box *box,
                            uint32_t stride, xl_plan **codes)
{
    xl_morton_desc desc;
    xl_morton_desc_init(&desc);
    desc.space.dimensions = plan->problem.dimensions;
    desc.stride = stride;
    desc.code = plan->problem.code;
    for (uint32_t a = 0; a < plan->problem.dimensions; ++a) {
        desc.space.origin[a] = (double)box->lower[a];
        desc.space.cell[a][a] = (double)box->upper[a] - (double)box->lower[a];
    }
    return xl_morton_create(plan->base.ctx, &desc, codes);
}

static xl_status make_shifts(xli_nearest_approximate_plan *plan)
{
    xl_status status = XL_SUCCESS;
    const xli_nearest_approximate_problem *const problem = &plan->problem;
    for (uint32_t i = 0; i < problem->shifts; ++i) {
        const xli_box box = xli_nearest_approximate_box(problem, i);
        xli_nearest_approximate_shift *const shift = &plan->shifts[i];
        XL_TRY(make_codes(plan, &box, problem->stride, &shift->points));
        if (problem->given)
            XL_TRY(make_codes(plan, &box, problem->query_stride, &shift->queries));
    }
done:
    return status;
}

static xl_status make_search(xli_nearest_approximate_plan *plan)
{
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.key = plan->problem.code;
    desc.index = XL_U32;
    return xl_search_create(plan->base.ctx, &desc, &plan->places);
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_nearest_approximate_desc *const desc = of;
    xli_nearest_approximate_plan *const plan = (xli_nearest_approximate_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish *const wish =
        XLI_TUNE_WISH(XLI_TUNE_NEAREST_APPROXIMATE | XLI_TUNE_SORT, desc);
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities, wish, &device, &tune));
    plan->problem = xli_nearest_approximate_problem_of(desc);
    plan->group =
        (uint32_t)xli_max(1, xli_min(tune.nearest_approximate.group, device.max_work_group));
    XL_TRY(build_kernels(plan));
    XL_TRY(make_sort(plan, wish));
    XL_TRY(make_shifts(plan));
    if (plan->problem.given)
        XL_TRY(make_search(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_nearest_approximate_plan *const plan = (xli_nearest_approximate_plan *)base;
    for (uint32_t i = 0; i < XLI_NEAREST_APPROXIMATE_SHIFTS; ++i) {
        xl_plan_destroy(plan->shifts[i].points);
        xl_plan_destroy(plan->shifts[i].queries);
    }
    xl_plan_destroy(plan->places);
    xl_plan_destroy(plan->sort);
    xli_kernel_destroy(&plan->search);
    xli_kernel_destroy(&plan->pack);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_nearest_approximate_plan *const plan = (const xli_nearest_approximate_plan *)base;
    (void)n;
    details->work_group_size = (uint32_t)xli_min(plan->group, plan->search.max_group);
    details->item_elements = 1;
    details->tile_elements = details->work_group_size;
    strcpy(details->algorithm, "shifted sorting");
}

/* ---- the call -------------------------------------------------------------------------------- */

static xl_status check_count(const xli_nearest_approximate_plan *plan, const char *name, size_t n,
                             uint32_t stride)
{
    const size_t most =
        xli_min(UINT32_MAX - 1, SIZE_MAX / sizeof(cl_uint) / xli_max(stride, plan->problem.k));
    if (n > most)
        return xli_fail(plan->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.%s: %zu; must be at most %zu", name, n, most);
    return XL_SUCCESS;
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const xl_nearest_approximate_args *const args = of;
    const xli_nearest_approximate_plan *const plan = (const xli_nearest_approximate_plan *)base;
    const bool given = plan->problem.given;
    if (!given && args->num_queries > 0)
        XL_TRY(xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.num_queries: %zu; must be 0, because "
                        "desc.queries is XL_QUERIES_INDEXED",
                        args->num_queries));
    XL_TRY(check_count(plan, "n", args->n, plan->problem.stride));
    XL_TRY(check_count(plan, "num_queries", args->num_queries, plan->problem.query_stride));
    XL_TRY(xli_check_rows(base->ctx, given ? args->num_queries : args->n, args->first_row,
                          args->num_rows));
done:
    return status;
}

static size_t scalars_of(const xli_nearest_approximate_plan *plan, size_t n, uint32_t stride)
{
    return n > 0 ? (n - 1) * stride + plan->problem.dimensions : 0;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_nearest_approximate_args *const args = of;
    const xli_nearest_approximate_plan *const plan = (const xli_nearest_approximate_plan *)base;
    const xli_nearest_approximate_problem *const problem = &plan->problem;
    const size_t places = xli_nearest_approximate_rows(plan, args) * problem->k;
    arrays[XLI_APPROXIMATE_POINTS] = xli_input(
        "args.points", args->points, scalars_of(plan, args->n, problem->stride), sizeof(cl_float));
    arrays[XLI_APPROXIMATE_QUERIES] =
        xli_input("args.queries", args->queries,
                  scalars_of(plan, args->num_queries, problem->query_stride), sizeof(cl_float));
    if (!problem->given)
        arrays[XLI_APPROXIMATE_QUERIES].unused =
            "must not be given, because desc.queries is XL_QUERIES_INDEXED";
    arrays[XLI_APPROXIMATE_INDICES] =
        xli_output("args.indices", args->indices, places, sizeof(cl_uint));
    arrays[XLI_APPROXIMATE_DISTANCES2] =
        xli_output("args.distances2", args->distances2, places, sizeof(cl_float));
    for (size_t k = XLI_APPROXIMATE_INDICES; k < XLI_APPROXIMATE_ARRAYS; ++k)
        arrays[k].access = XLI_READ | XLI_WRITE;
    return XLI_APPROXIMATE_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *args)
{
    return xli_nearest_approximate_lay_out((const xli_nearest_approximate_plan *)base, args).bytes;
}

static xl_status prepare(xl_plan *base, const void *of)
{
    const size_t n = ((const xl_nearest_approximate_args *)of)->n;
    return xl_plan_prepare(((xli_nearest_approximate_plan *)base)->sort, &(xl_sort_args){.n = n});
}

static const xli_primitive primitive = {
    XLI_PRIMITIVE_OF_ARRAYS(nearest_approximate, xli_nearest_approximate_plan), .check = check,
    .count = count, .scratch = scratch_bytes, .prepare = prepare, .launch = xli_nearest_approximate_launch};
XLI_PUBLIC_CALLS(nearest_approximate)

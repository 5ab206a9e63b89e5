/* SPDX-License-Identifier: MIT
 * Plans of approximate searches for nearest neighbours: descriptor to kernels. */
#include "knn_approximate_plan.h"

#include <string.h>

void xl_knn_approximate_desc_init_version(xl_knn_approximate_desc *desc, uint32_t version)
{
    static const xl_knn_approximate_desc defaults = {
        .dimensions = 3, .stride = 3, .query_stride = 3, .code = XL_U64};
    xli_desc_init(desc, version, &defaults, sizeof defaults);
}

static xl_status build_kernels(xli_knn_approximate_plan *plan)
{
    xl_status status;
    const xli_knn_approximate_problem *const problem = &plan->problem;
    xli_text text = {0};
    xli_program *program;
    const xli_definition lines[] = {
        {"XL_DIMENSIONS", problem->dimensions},     {"XL_STRIDE", problem->stride},
        {"XL_KEEP_SELF", problem->keeps_self},      {"XL_GIVEN", problem->given},
        {"XL_QUERY_STRIDE", problem->query_stride}, {"XL_K", problem->k}};
    xli_text_define(&text, lines, XLI_COUNT(lines));
    if (text.failed)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan"));
    XL_TRY(xli_program_get(plan->ctx, "knn_approximate", text.data, &program));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_knn_approximate_pack", &plan->pack));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_knn_approximate", &plan->search));
done:
    xli_text_free(&text);
    return status;
}

/* Stable, so that points of one code stay in the order of their indices, on every device. */
static xl_status make_sort(xli_knn_approximate_plan *plan, const xli_tune_wish *wish)
{
    xl_status status;
    xl_sort_desc desc;
    xl_tunable *part = NULL;
    xl_sort_desc_init(&desc);
    desc.key = plan->problem.code;
    desc.value = XL_SORT_BYTES(sizeof(cl_uint4));
    desc.stable = 1;
    if (wish->count > 0) {
        part = xli_alloc(wish->count * sizeof *part);
        if (!part)
            XL_TRY(xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for tuning values"));
        desc.tunables = part;
        desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SORT, part);
    }
    XL_TRY(xl_sort_create(plan->ctx, &desc, &plan->sort));
done:
    xli_free(part);
    return status;
}

static xl_status make_codes(const xli_knn_approximate_plan *plan, const xli_box *box,
                            uint32_t stride, xl_plan **codes)
{
    xl_morton_desc desc;
    xl_morton_desc_init(&desc);
    desc.dimensions = plan->problem.dimensions;
    desc.stride = stride;
    desc.code = plan->problem.code;
    memcpy(desc.lower, box->lower, sizeof desc.lower);
    memcpy(desc.upper, box->upper, sizeof desc.upper);
    return xl_morton_create(plan->ctx, &desc, codes);
}

static xl_status make_shifts(xli_knn_approximate_plan *plan)
{
    xl_status status = XL_SUCCESS;
    const xli_knn_approximate_problem *const problem = &plan->problem;
    for (uint32_t i = 0; i < problem->shifts; ++i) {
        const xli_box box = xli_knn_approximate_box(problem, i);
        xli_knn_approximate_shift *const shift = &plan->shifts[i];
        XL_TRY(make_codes(plan, &box, problem->stride, &shift->points));
        if (problem->given)
            XL_TRY(make_codes(plan, &box, problem->query_stride, &shift->queries));
    }
done:
    return status;
}

static xl_status make_search(xli_knn_approximate_plan *plan)
{
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.key = plan->problem.code;
    desc.index = XL_U32;
    return xl_search_create(plan->ctx, &desc, &plan->places);
}

static xl_status make(xli_knn_approximate_plan *plan, const xl_knn_approximate_desc *desc)
{
    xl_status status;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish *const wish = XLI_TUNE_WISH(XLI_TUNE_KNN_APPROXIMATE | XLI_TUNE_SORT, desc);
    XL_TRY(xli_context_capabilities(plan->ctx, &capabilities));
    XL_TRY(xli_context_tune(plan->ctx, capabilities, wish, &device, &tune));
    XL_TRY(xli_pool_create(plan->ctx, &plan->pool));
    plan->problem = xli_knn_approximate_problem_of(desc);
    plan->group = (uint32_t)xli_max(1, xli_min(tune.knn_approximate.group, device.max_work_group));
    XL_TRY(build_kernels(plan));
    XL_TRY(make_sort(plan, wish));
    XL_TRY(make_shifts(plan));
    if (plan->problem.given)
        XL_TRY(make_search(plan));
done:
    return status;
}

xl_status xli_knn_approximate_create(xl_context *ctx, const xl_knn_approximate_desc *desc,
                                     xli_knn_approximate_plan **plan)
{
    xl_status status;
    xli_knn_approximate_plan *made = NULL;
    xl_knn_approximate_desc checked;
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    xl_knn_approximate_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_knn_approximate_desc, desc, &checked));
    XL_TRY(xli_knn_approximate_check_desc(ctx, &checked));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(make(made, &checked));
    *plan = made;
    made = NULL;
done:
    xli_knn_approximate_destroy(made);
    return status;
}

xl_status xli_knn_approximate_scratch(const xli_knn_approximate_plan *plan, size_t n,
                                      size_t num_queries, size_t *bytes, size_t *alignment)
{
    xl_status status;
    xli_knn_approximate_layout layout;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_knn_approximate_check_n(plan, n, num_queries));
    XL_TRY(xli_knn_approximate_lay_out(plan, n, num_queries, &layout));
    *bytes = layout.bytes;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_knn_approximate_info(const xli_knn_approximate_plan *plan, size_t n, xl_plan_details *info)
{
    (void)n;
    const uint32_t group = (uint32_t)xli_min(plan->group, plan->search.max_group);
    xl_plan_details all = {.work_group_size = group, .item_elements = 1, .tile_elements = group};
    strcpy(all.algorithm, "shifted sorting");
    *info = all;
}

void xli_knn_approximate_destroy(xli_knn_approximate_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    for (uint32_t i = 0; i < XLI_KNN_APPROXIMATE_SHIFTS; ++i) {
        xl_plan_destroy(plan->shifts[i].points);
        xl_plan_destroy(plan->shifts[i].queries);
    }
    xl_plan_destroy(plan->places);
    xl_plan_destroy(plan->sort);
    xli_kernel_destroy(&plan->search);
    xli_kernel_destroy(&plan->pack);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

XLI_WRAP(knn_approximate)
XLI_WRAP_SCRATCH(knn_approximate, args->n, args->num_queries)
XLI_WRAP_ENQUEUE(knn_approximate)

/* SPDX-License-Identifier: MIT
 * Search plans: descriptor to kernels. */
#include "neighbors_plan.h"
#include "user_text.h"

void xl_neighbors_desc_init_version(xl_neighbors_desc *desc, uint32_t version)
{
    static const xl_neighbors_desc defaults = {
        .sorted = 1, .dimensions = 3, .query_stride = 3, .scalar = XL_F32};
    xli_desc_init(desc, version, &defaults, sizeof defaults);
}

/* Eight work-items share 65,535 rounds (lib/ocl/rusticl.c): all of them where rows are in any
 * order, else what a heap of MOST_ROW leaves, whose rounds are at most MOST_ROW * (log2(MOST_ROW) +
 * 4), of all eight at once. */
enum { ROUNDS = 8000, SORTED_ROUNDS = 2400, MOST_ROW = 2900 };

static void add_limits(const xli_neighbors_plan *plan, const xl_neighbors_desc *desc,
                       xli_text *defines)
{
    const int rounds = desc->sorted ? SORTED_ROUNDS : ROUNDS;
    xli_text_add(defines, "#define XL_MOST_ROUNDS %d\n#define XL_MOST_ROW %d\n",
                 plan->ends_loops ? rounds : 0, plan->ends_loops ? MOST_ROW : 0);
}

/* The user's function, and what compiles only if it is of the plan's scalar. */
static void add_visit(const xl_neighbors_desc *desc, xli_text *defines)
{
    static const xli_signature
        narrow = {"visit", "", "float", "visit", "(float, float, uint, uint, float4)", ""},
        wide = {"visit", "", "double", "visit", "(double, double, uint, uint, double4)", ""};
    xli_signature signature = desc->scalar == XL_F64 ? wide : narrow;
    signature.source = desc->visit;
    xli_text_add(defines,
                 "#pragma OPENCL FP_CONTRACT OFF\n#line 1 \"visit\"\n%s\n"
                 "#line 1 \"call of visit\"\n"
                 "typedef __typeof__(visit(0, 0, 0, 0, 0)) xl_visited;\n",
                 desc->visit);
    xli_text_signature(defines, &signature);
}

static xl_status build_kernels(xli_neighbors_plan *plan, const xl_neighbors_desc *desc)
{
    xl_status status;
    xli_program *program;
    xli_text defines = {0};
    xli_text_add(&defines, "#define XL_ITEMS %u\n#define XL_GROUP %u\n#define XL_STAGED %u\n",
                 plan->tune.items, plan->tune.group, plan->tune.staged);
    xli_text_add(&defines, "#define XL_WALK %u\n#define XL_TOGETHER %uu\n#define XL_PLANES %u\n",
                 plan->tune.walk, plan->together, plan->planes);
    xli_text_add(&defines, "#define XL_RADIUS_INCLUSIVE %d\n#define XL_KEEP_SELF %d\n",
                 desc->inclusive ? 1 : 0, desc->include_self || plan->given ? 1 : 0);
    xli_text_add(&defines, "#define XL_PERIODIC %d\n#define XL_TRICLINIC %d\n#define XL_RADII %d\n",
                 plan->repeats != XL_REPEATS_NOT ? 1 : 0, plan->repeats == XL_REPEATS_CELL ? 1 : 0,
                 plan->radii ? 1 : 0);
    xli_text_add(&defines, "#define XL_GIVEN %d\n#define XL_HALF %d\n#define XL_DETAILS %d\n",
                 plan->given ? 1 : 0, desc->half ? 1 : 0, plan->has_details ? 1 : 0);
    xli_text_add(&defines, "#define XL_ROW_ROOM %d\n#define XL_F64 %d\n#define XL_SYSTEMS %d\n",
                 plan->row_capacity > 0 ? 1 : 0, plan->scalar == XL_F64 ? 1 : 0,
                 plan->batch ? 1 : 0);
    if (plan->given)
        xli_text_add(&defines, "#define XL_QUERY_STRIDE %u\n#define XL_QUERY_DIMENSIONS %u\n",
                     plan->soa ? 0 : desc->query_stride, desc->dimensions);
    xli_text_add(&defines, "#define XL_SORTED %d\n#define XL_VISIT %d\n", desc->sorted ? 1 : 0,
                 desc->visit ? 1 : 0);
    add_limits(plan, desc, &defines);
    if (desc->visit)
        add_visit(desc, &defines);
    if (defines.failed) {
        status = xli_fail(plan->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan");
        goto done;
    }
    XL_TRY(xli_program_get(plan->ctx, "neighbors", defines.data, &program));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_count", &plan->count));
    XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_fill", &plan->fill));
    if (desc->visit)
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_visit", &plan->visit));
    if (plan->has_details)
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_details", &plan->details));
    if (plan->given)
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_check", &plan->check));
    if (plan->row_capacity > 0)
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_longest", &plan->longest));
    if (plan->ends_loops)
        XL_TRY(xli_kernel_create(plan->ctx, program, "xl_neighbors_total", &plan->total));
done:
    xli_text_free(&defines);
    return status;
}

/* The search's own values, and the scan that it nests with its own. */
static xl_status make_parts(xli_neighbors_plan *plan, const xl_neighbors_desc *desc,
                            const xli_capabilities *capabilities)
{
    xl_status status;
    xli_tune_device device;
    xli_tune tune;
    const xli_tune_wish *wish =
        XLI_TUNE_WISH(XLI_TUNE_NEIGHBORS | XLI_TUNE_GRID | XLI_TUNE_SCAN, desc);
    XL_TRY(xli_context_tune(plan->ctx, capabilities, wish, &device, &tune));
    plan->tune = tune.neighbors;
    plan->planes = tune.grid.planes;
    xli_tune_neighbors_fit(&device, &plan->tune);
    XL_TRY(xli_grid_make_scan(plan->ctx, XL_U64, XL_EXCLUSIVE, wish, &plan->scan));
done:
    return status;
}

xl_status xli_neighbors_create(xl_context *ctx, const xl_neighbors_desc *desc,
                               xli_neighbors_plan **plan)
{
    xl_status status;
    xli_neighbors_plan *made = NULL;
    const xli_capabilities *capabilities;
    xl_neighbors_desc checked;
    if (plan)
        *plan = NULL;
    if (!ctx || !desc || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        !ctx    ? "ctx"
                        : !desc ? "desc"
                                : "plan");
    xl_neighbors_desc_init(&checked);
    XL_TRY(XLI_DESC_READ(ctx, xl_neighbors_desc, desc, &checked));
    checked.scalar = xli_scalar_or_default(checked.scalar);
    XL_TRY(xli_neighbors_check_desc(ctx, &checked));
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    made = xli_alloc(sizeof *made);
    if (!made)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a search plan"));
    made->ctx = xli_context_retain(ctx);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    made->radius = checked.radius;
    made->radius2 = checked.radius * checked.radius;
    made->reach = xli_neighbors_reach(checked.radius);
    made->radius_f64 = checked.radius_f64;
    made->radius2_f64 = checked.radius_f64 * checked.radius_f64;
    made->reach_f64 = xli_neighbors_reach_f64(checked.radius_f64);
    made->scalar = checked.scalar;
    made->soa = checked.query_layout == XL_POINTS_SOA;
    made->batch = checked.batch != 0;
    made->visits = checked.visit != NULL;
    made->repeats = xli_grid_repeats(checked.periodic);
    made->radii = checked.radii != 0;
    made->given = checked.queries == XL_QUERIES_GIVEN;
    made->has_details = checked.details != 0;
    made->row_capacity = checked.row_capacity;
    made->dimensions = checked.dimensions;
    made->query_stride = made->soa ? 1 : checked.query_stride;
    made->ends_loops = capabilities->ends_loops;
    XL_TRY(make_parts(made, &checked, capabilities));
    /* Given queries may be far apart, and a device that ends loops has no rounds to spare. */
    made->together = made->given || made->ends_loops ? 1 : made->tune.together;
    XL_TRY(build_kernels(made, &checked));
    *plan = made;
    made = NULL;
done:
    xli_neighbors_destroy(made);
    return status;
}

xl_status xli_neighbors_scratch(const xli_neighbors_plan *plan, size_t n, size_t *bytes,
                                size_t *alignment)
{
    xl_status status;
    size_t needed = 0;
    XL_TRY(xli_scratch_question(plan ? plan->ctx : NULL, "plan", plan, bytes, alignment));
    XL_TRY(xli_grid_check_n(plan->ctx, n, 3));
    XL_TRY(xl_scan_scratch(plan->scan, &(xl_scan_args){.n = n + 1}, &needed));
    *bytes = needed;
    *alignment = XLI_SCRATCH_ALIGN;
done:
    return status;
}

void xli_neighbors_info(const xli_neighbors_plan *plan, size_t n, xl_plan_details *info)
{
    (void)n;
    const xl_plan_details all =
        plan->tune.walk > 0
            ? xli_grid_info_of(&plan->fill, 1, plan->tune.walk, "rows")
            : xli_grid_info_of(&plan->fill, plan->tune.group, plan->tune.items, "cells");
    *info = all;
}

void xli_neighbors_destroy(xli_neighbors_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    xli_kernel_destroy(&plan->count);
    xli_kernel_destroy(&plan->fill);
    xli_kernel_destroy(&plan->visit);
    xli_kernel_destroy(&plan->details);
    xli_kernel_destroy(&plan->check);
    xli_kernel_destroy(&plan->longest);
    xli_kernel_destroy(&plan->total);
    xli_pool_destroy(&plan->pool);
    xl_plan_destroy(plan->scan);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

XLI_WRAP(neighbors)
xl_status xl_neighbors_scratch(const xl_plan *plan, size_t n, size_t *bytes)
{
    size_t alignment;
    const xl_status status = xli_plan_check(&xli_neighbors_primitive, plan);
    return status == XL_SUCCESS
               ? xli_neighbors_scratch(xli_neighbors_of(plan), n, bytes, &alignment)
               : status;
}
XLI_WRAP_INDEX(neighbors, count_enqueue, xl_neighbors_count_args)
XLI_WRAP_INDEX(neighbors, fill_enqueue, xl_neighbors_fill_args)
XLI_WRAP_INDEX(neighbors, visit_enqueue, xl_neighbors_visit_args)

xl_status xl_neighbors_status(xl_plan *plan, xl_grid_index *index, cl_command_queue queue,
                              const xl_neighbors_status_args *args, xl_neighbors_report *report,
                              cl_uint num_waits, const cl_event *waits)
{
    const xl_status status = xli_plan_check(&xli_neighbors_primitive, plan);
    return status == XL_SUCCESS
               ? xli_neighbors_status(xli_neighbors_of(plan), index, queue, args, sizeof *args,
                                      report, sizeof *report, num_waits, waits)
               : status;
}

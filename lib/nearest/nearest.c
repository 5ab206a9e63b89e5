/* SPDX-License-Identifier: MIT
 * Exact search for nearest neighbours: the descriptor, the kernels, a call (checks, arrays, one launch
 * of cl/nearest/nearest.cl), and whether its rows are complete. */
#include "grid_index.h"

#include <crosslane/nearest.h>
#include <float.h>
#include <math.h>

/* Most neighbours of a query, and most that a work-item keeps in registers. */
enum { MOST = 1024, IN_REGISTERS = 64 };

/* A checked descriptor. */
typedef struct nearest_problem {
    uint32_t k;
    xli_search_form form;
    bool keeps_self;
    double radius2; /* rounded to the scalar; an infinity: none */
} nearest_problem;

typedef struct nearest_shape {
    uint32_t group, items; /* work-items of a group, queries of a work-item */
    uint32_t together;     /* work-items that search for one query; 0: one, in registers */
    uint32_t aim;          /* points that the first reach is to hold, in hundredths of k */
    uint32_t walk;         /* queries of a work-item that walks along rows; 0: none does */
} nearest_shape;

typedef struct nearest_plan {
    xl_plan base;
    nearest_problem problem;
    nearest_shape shape;
    xli_kernel search;
    xli_kernel check; /* of rows that were written */
} nearest_plan;

static const xl_nearest_desc defaults = {0};

/* ---- the descriptor -------------------------------------------------------------------------- */

static xl_status check_max_radius(xl_context *ctx, const xl_nearest_desc *desc, uint32_t scalar)
{
    if (!isfinite(desc->max_radius) || desc->max_radius < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.max_radius: %g; must be finite and at least 0", desc->max_radius);
    return desc->max_radius > 0
               ? xli_grid_check_radius(ctx, "desc.max_radius", scalar, desc->max_radius)
               : XL_SUCCESS;
}

static xl_status read_desc(nearest_plan *plan, const xl_nearest_desc *desc)
{
    xl_status status;
    xl_context *const ctx = plan->base.ctx;
    nearest_problem *const p = &plan->problem;
    XL_TRY(xli_grid_search_form(ctx, plan->base.grid, desc->queries, &p->form));
    if (desc->k < 1 || desc->k > MOST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; must be 1 to %d",
                        (unsigned)desc->k, MOST);
    XL_TRY(check_max_radius(ctx, desc, p->form.scalar));
    const double radius2 = xli_grid_square(p->form.scalar, desc->max_radius);
    p->k = desc->k;
    p->keeps_self = desc->include_self || p->form.given;
    p->radius2 = radius2 > 0 ? radius2 : (double)INFINITY;
done:
    return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static nearest_shape shape_of(const xli_tune_device *device, const xli_tune *tune, uint32_t k)
{
    return (nearest_shape){
        .group = (uint32_t)xli_max(1, xli_min(tune->nearest.group, device->max_work_group)),
        .items = tune->nearest.items,
        .together = k <= IN_REGISTERS
                        ? 0
                        : (uint32_t)xli_min(tune->nearest.together, device->max_work_group),
        .aim = k <= IN_REGISTERS ? tune->nearest.aim : tune->nearest.aim / 2, /* narrows late */
        .walk = k <= IN_REGISTERS ? tune->nearest.walk : 0};
}

static void add_text(xli_text *text, const nearest_problem *problem, const nearest_shape *shape)
{
    const xli_search_form *const form = &problem->form;
    const xli_definition lines[] = {
        {"XL_ITEMS", shape->items},
        {"XL_PLANES", form->planes},
        {"XL_DIMENSIONS", form->dimensions},
        {"XL_KEEP_SELF", problem->keeps_self},
        {"XL_REPEATS", form->repeats},
        {"XL_F64", form->scalar == XL_F64},
        {"XL_SYSTEMS", form->batch},
        {"XL_QUERY_STRIDE", form->soa ? 0 : form->stride},
        {"XL_QUERY_DIMENSIONS", form->given ? form->dimensions : 0},
        {"XL_K", problem->k},
        {"XL_NEAREST_AIM", shape->aim},
        {"XL_NEAREST_TOGETHER", shape->together},
        {"XL_WALK", shape->walk},
    };
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status build_kernels(nearest_plan *plan)
{
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_nearest", &plan->search, true},
                               {"xl_nearest_check", &plan->check, true}};
    add_text(&text, &plan->problem, &plan->shape);
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "nearest", &text, list, XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_nearest_desc *const desc = of;
    nearest_plan *const plan = (nearest_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(read_desc(plan, desc));
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_NEAREST, desc), &device,
                            &tune));
    xli_tune_nearest_fit(&device, &tune.nearest);
    plan->shape = shape_of(&device, &tune, desc->k);
    XL_TRY(build_kernels(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    nearest_plan *const plan = (nearest_plan *)base;
    xli_kernel_destroy(&plan->search);
    xli_kernel_destroy(&plan->check);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const nearest_plan *const plan = (const nearest_plan *)base;
    (void)n;
    const nearest_shape *const shape = &plan->shape;
    if (shape->walk > 0)
        xli_grid_info_of(&plan->search, 1, shape->walk, "rows", details);
    else
        xli_grid_info_of(&plan->search, shape->together > 0 ? shape->together : shape->group,
                         shape->items, "growing reach", details);
}

/* The sizes of a scratch question, which has no index. */
static xl_status count_sizes(const xl_plan *base, const void *of)
{
    return xli_grid_check_num_queries(base->ctx, &((const nearest_plan *)base)->problem.form, NULL,
                                      ((const xl_nearest_args *)of)->num_queries);
}

/* ---- sizes and arrays ------------------------------------------------------------------------ */

/* A call, and its arrays behind those of the queries. */
typedef struct nearest_search {
    xl_nearest_args args;
    xl_grid_index *index;
} nearest_search;
enum { INDICES = XLI_QUERIES_ARRAYS, DISTANCES2, ARRAYS };

static size_t queries_of(const nearest_plan *plan, const nearest_search *search)
{
    return xli_grid_num_queries(&plan->problem.form, search->index, search->args.num_queries);
}

static size_t rows_of(const nearest_plan *plan, const nearest_search *search)
{
    return xli_rows_of(queries_of(plan, search), search->args.first_row, search->args.num_rows);
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const nearest_search *const search = of;
    const nearest_plan *const plan = (const nearest_plan *)base;
    const nearest_problem *const problem = &plan->problem;
    XL_TRY(xli_grid_check_kind(base->ctx, search->index, &problem->form));
    XL_TRY(xli_grid_check_num_queries(base->ctx, &problem->form, search->index,
                                      search->args.num_queries));
    const size_t n = queries_of(plan, search);
    if (n > SIZE_MAX / xli_scalar_bytes(problem->form.scalar) / problem->k)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.num_queries: %zu; the rows exceed the address space", n);
    XL_TRY(xli_check_rows(base->ctx, n, search->args.first_row, search->args.num_rows));
done:
    return status;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const nearest_search *const search = of;
    const xl_nearest_args *const args = &search->args;
    const nearest_plan *const plan = (const nearest_plan *)base;
    const xli_search_form *const form = &plan->problem.form;
    const size_t places = rows_of(plan, search) * plan->problem.k;
    xli_grid_list_queries(form, queries_of(plan, search),
                          (const xl_view[]){args->queries, args->queries_y, args->queries_z},
                          args->query_systems, arrays);
    arrays[INDICES] = xli_output("args.indices", args->indices, places, sizeof(cl_uint));
    arrays[DISTANCES2] =
        xli_output("args.distances2", args->distances2, places, xli_scalar_bytes(form->scalar));
    arrays[DISTANCES2].optional = true;
    return ARRAYS;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* XL_INDEX_PARAMETERS and XL_QUERY_PARAMETERS of cl/neighbors/neighbors_ranges.cl, for given
 * queries from `first` on. The reach is the longest that a search needs in space that repeats. */
static void add_shared(const nearest_plan *plan, const xl_grid_index *index, const xli_span *spans,
                       size_t first, xli_args *args)
{
    const nearest_problem *const problem = &plan->problem;
    const uint32_t scalar = problem->form.scalar;
    const double reach = xli_grid_lattice_reach(&index->lattice, problem->k);
    const double most = scalar == XL_F64 ? DBL_MAX : (double)FLT_MAX;
    xli_grid_add_index(index, xli_grid_real(scalar, reach < most ? reach : most),
                       xli_grid_real(scalar, problem->radius2), problem->form.repeats, args);
    xli_grid_add_queries(&problem->form, spans, first, args);
}

enum { OWN_ARGS = 8 }; /* at most */
XLI_ARGS_FIT((int)XLI_GRID_INDEX_ARGS + (int)XLI_GRID_QUERY_ARGS + (int)OWN_ARGS);

/* If k is large, a group searches for one query after the other. */
static xli_grid_shape launch_shape_of(const nearest_plan *plan, size_t queries)
{
    enum { MOST_GROUPS = 1 << 20 };
    const nearest_shape *const shape = &plan->shape;
    const size_t groups = xli_ceil_div(queries, shape->items);
    if (shape->walk > 0)
        return xli_grid_shape_of(&plan->search, xli_ceil_div(queries, shape->walk), 1,
                                 shape->items);
    if (shape->together == 0)
        return xli_grid_shape_of(&plan->search, queries, shape->group, shape->items);
    return (xli_grid_shape){.groups = xli_min(groups, MOST_GROUPS),
                            .size = xli_min(shape->together, plan->search.max_group)};
}

/* A flag tells the kernel that there are no distances; the buffer is then any. */
static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const nearest_search *const search = of;
    nearest_plan *const plan = (nearest_plan *)base;
    xl_grid_index *const index = search->index;
    xli_args args = {0};
    const xli_span *const distances2 = &spans[DISTANCES2];
    const bool given = plan->problem.form.given, wide = distances2->buffer != NULL;
    const size_t first = search->args.first_row, num_rows = rows_of(plan, search);
    const size_t queries = given ? num_rows : index->n;
    XL_TRY(xli_grid_index_use(index, seq, spans, ARRAYS, scratch));
    if (num_rows == 0)
        return XL_SUCCESS;
    const xli_grid_shape shape = launch_shape_of(plan, queries);
    add_shared(plan, index, spans, first, &args);
    xli_args_add(&args, XLI_U32(queries));
    xli_args_add(&args, XLI_U32(given ? 0 : first));
    xli_args_add(&args, XLI_U32(num_rows));
    xli_args_add_span(&args, &spans[INDICES]);
    xli_args_add(&args, XLI_U32(wide));
    xli_args_add(&args, XLI_MEM(wide ? distances2->buffer : index->storage));
    xli_args_add(&args, XLI_U64(distances2->offset));
    XL_TRY(xli_seq_launch_args(seq, &plan->search, shape.groups, shape.size, &args, 0));
done:
    return status;
}

static const xli_call table = {.args = {"args", sizeof(xl_nearest_args), NULL},
                               .scratch_at = offsetof(xl_nearest_args, scratch),
                               .index_at = offsetof(nearest_search, index),
                               .count = count,
                               .arrays = arrays,
                               .launch = launch};

static const xli_primitive primitive = {XLI_PRIMITIVE(nearest, nearest_plan),
                                        .args = {"args", sizeof(xl_nearest_args), NULL},
                                        .count = count_sizes};
XLI_PUBLIC_DESC_INIT(nearest)
XLI_PUBLIC_CREATE_FROM_GRID(nearest)
XLI_PUBLIC_SCRATCH(nearest, xl_nearest_args)
static const xli_primitive *const xli_nearest_primitive = &primitive;
XLI_PUBLIC_INDEX_CALL(nearest, enqueue, xl_nearest_args, table)

/* ---- the status of a call -------------------------------------------------------------------- */

/* The words in which xl_nearest_check of cl/nearest/nearest.cl answers. */
typedef struct answer {
    cl_uint given_up, first, short_rows;
} answer;

static xl_status ask(nearest_plan *plan, cl_command_queue queue, const xli_span *indices,
                     size_t rows, answer *answered)
{
    xli_args rest = {0};
    const xli_grid_shape shape =
        xli_grid_shape_of(&plan->check, rows, plan->shape.group, plan->shape.items);
    if (rows == 0)
        return XL_SUCCESS;
    xli_args_add_span(&rest, indices);
    xli_args_add(&rest, XLI_U32(rows));
    return xli_grid_ask(plan->base.ctx, queue, &plan->check, shape, &rest, answered,
                        sizeof *answered);
}

static xl_status judge(const nearest_plan *plan, const xl_nearest_report *report)
{
    if (report->given_up > 0)
        return xli_fail(plan->base.ctx, XL_ERROR_UNSUPPORTED,
                        "args.indices: %llu of %llu rows are given up, the first is row %llu; the "
                        "query is too far from the box for images; move it into the box",
                        (unsigned long long)report->given_up, (unsigned long long)report->rows,
                        (unsigned long long)report->first_given_up);
    return XL_SUCCESS;
}

xl_status xl_nearest_status(xl_plan *base, xl_grid_index *index, cl_command_queue queue,
                            const xl_nearest_args *args, xl_nearest_report *report,
                            cl_uint num_waits, const cl_event *waits)
{
    static const xli_structure structure = {"report", sizeof(xl_nearest_report), NULL};
    xl_status status;
    nearest_search search;
    xli_span spans[ARRAYS];
    size_t count;
    answer found = {0, UINT32_MAX, 0};
    XL_TRY(xli_call_read(&primitive, &table, base, index, args, &search));
    XL_TRY(xli_call_check(&table, base, &search, spans, &count));
    nearest_plan *const plan = (nearest_plan *)base;
    const size_t rows = rows_of(plan, &search);
    XL_TRY(xl_grid_index_status(index, queue, NULL, num_waits, waits));
    XL_TRY(ask(plan, queue, &spans[INDICES], rows, &found));
    const xl_nearest_report all = {
        .rows = rows,
        .short_rows = found.short_rows,
        .given_up = found.given_up,
        .first_given_up = found.given_up > 0 ? search.args.first_row + found.first : UINT64_MAX};
    xli_structure_write(&structure, base->version, report, &all);
    status = judge(plan, &all);
done:
    return status;
}

/* SPDX-License-Identifier: MIT
 * The call of a search for nearest neighbours: checks, arrays, one launch. */
#include "nearest_plan.h"

#include <float.h>

/* ---- sizes and arrays ------------------------------------------------------------------------ */

static size_t queries_of(const xli_nearest_plan *plan, const xli_nearest_search *search)
{
    return xli_grid_num_queries(&plan->problem.form, search->index, search->args.num_queries);
}

size_t xli_nearest_rows(const xli_nearest_plan *plan, const xli_nearest_search *search)
{
    return xli_rows_of(queries_of(plan, search), search->args.first_row, search->args.num_rows);
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const xli_nearest_search *const search = of;
    const xli_nearest_plan *const plan = (const xli_nearest_plan *)base;
    const xli_nearest_problem *const problem = &plan->problem;
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
    const xli_nearest_search *const search = of;
    const xl_nearest_args *const args = &search->args;
    const xli_nearest_plan *const plan = (const xli_nearest_plan *)base;
    const xli_search_form *const form = &plan->problem.form;
    const size_t places = xli_nearest_rows(plan, search) * plan->problem.k;
    xli_grid_list_queries(form, queries_of(plan, search),
                          (const xl_view[]){args->queries, args->queries_y, args->queries_z},
                          args->query_systems, arrays);
    arrays[XLI_NEAREST_INDICES] =
        xli_output("args.indices", args->indices, places, sizeof(cl_uint));
    arrays[XLI_NEAREST_DISTANCES2] =
        xli_output("args.distances2", args->distances2, places, xli_scalar_bytes(form->scalar));
    arrays[XLI_NEAREST_DISTANCES2].optional = true;
    return XLI_NEAREST_ARRAYS;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* XL_INDEX_PARAMETERS and XL_QUERY_PARAMETERS of cl/neighbors/neighbors_ranges.cl, for given
 * queries from `first` on. The reach is the longest that a search needs in space that repeats. */
static void add_shared(const xli_nearest_plan *plan, const xl_grid_index *index,
                       const xli_span *spans, size_t first, xli_args *args)
{
    const xli_nearest_problem *const problem = &plan->problem;
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
static xli_grid_shape shape_of(const xli_nearest_plan *plan, size_t queries)
{
    enum { MOST_GROUPS = 1 << 20 };
    const xli_nearest_shape *const shape = &plan->shape;
    const size_t groups = xli_ceil_div(queries, shape->items);
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
    const xli_nearest_search *const search = of;
    xli_nearest_plan *const plan = (xli_nearest_plan *)base;
    xl_grid_index *const index = search->index;
    xli_args args = {0};
    const xli_span *const distances2 = &spans[XLI_NEAREST_DISTANCES2];
    const bool given = plan->problem.form.given, wide = distances2->buffer != NULL;
    const size_t first = search->args.first_row, num_rows = xli_nearest_rows(plan, search);
    const size_t queries = given ? num_rows : index->n;
    XL_TRY(xli_grid_index_use(index, seq, spans, XLI_NEAREST_ARRAYS, scratch));
    if (num_rows == 0)
        return XL_SUCCESS;
    const xli_grid_shape shape = shape_of(plan, queries);
    add_shared(plan, index, spans, first, &args);
    xli_args_add(&args, XLI_U32(queries));
    xli_args_add(&args, XLI_U32(given ? 0 : first));
    xli_args_add(&args, XLI_U32(num_rows));
    xli_args_add_span(&args, &spans[XLI_NEAREST_INDICES]);
    xli_args_add(&args, XLI_U32(wide));
    xli_args_add(&args, XLI_MEM(wide ? distances2->buffer : index->storage));
    xli_args_add(&args, XLI_U64(distances2->offset));
    XL_TRY(xli_seq_launch_args(seq, &plan->search, shape.groups, shape.size, &args, 0));
done:
    return status;
}

const xli_call xli_nearest_call = {.args = {"args", sizeof(xl_nearest_args), NULL},
                                   .scratch_at = offsetof(xl_nearest_args, scratch),
                                   .index_at = offsetof(xli_nearest_search, index),
                                   .count = count,
                                   .arrays = arrays,
                                   .launch = launch};
XLI_PUBLIC_INDEX_CALL(nearest, enqueue, xl_nearest_args, xli_nearest_call)

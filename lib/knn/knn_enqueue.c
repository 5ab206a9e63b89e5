/* SPDX-License-Identifier: MIT
 * The call of a search for nearest neighbours: one launch. */
#include "knn_plan.h"

#include <float.h>

/* A part of given queries is given alone. */
static void add_queries(const xli_knn_problem *problem, const xli_knn_spans *spans, size_t first,
                        xli_args *args)
{
    for (uint32_t a = 0; a < (problem->soa ? 3 : 1); ++a)
        xli_args_add_place(args, spans->queries[a].buffer,
                           spans->queries[a].offset + first * problem->query_stride);
    if (problem->batch)
        xli_args_add_place(args, spans->query_systems.buffer, spans->query_systems.offset + first);
}

typedef struct knn_reach {
    double f64;
    float f32;
} knn_reach;

static knn_reach reach_of(const xli_knn_plan *plan, const xl_grid_index *index)
{
    const double reach = xli_grid_lattice_reach(&index->lattice, plan->problem.k);
    return (knn_reach){reach, reach < (double)FLT_MAX ? (float)reach : FLT_MAX};
}

/* XL_INDEX_PARAMETERS and XL_QUERY_PARAMETERS of cl/neighbors/neighbors_ranges.cl. The reach is the
 * longest that a search needs in space that repeats. */
static void add_shared(const xli_knn_plan *plan, const xl_grid_index *index,
                       const xli_knn_spans *spans, const knn_reach *reach, size_t first,
                       xli_args *args)
{
    const xli_knn_problem *const problem = &plan->problem;
    const bool wide = problem->scalar == XL_F64;
    xli_grid_add_index(index,
                       wide ? XLI_BYTES(&reach->f64, sizeof reach->f64)
                            : XLI_BYTES(&reach->f32, sizeof reach->f32),
                       wide ? XLI_BYTES(&problem->radius2_f64, sizeof(double))
                            : XLI_BYTES(&problem->radius2, sizeof(float)),
                       problem->repeats, args);
    if (problem->given)
        add_queries(problem, spans, first, args);
}

enum { QUERY_ARGS = 8, OWN_ARGS = 8 }; /* at most */
XLI_ARGS_FIT(XLI_GRID_INDEX_ARGS + QUERY_ARGS + OWN_ARGS);

/* The kernel's way to say "not given" is a flag; the buffer is then any. */
static xl_status launch(xli_knn_plan *plan, const xl_grid_index *index, xli_seq *seq, size_t n,
                        const xl_knn_args *given, const xli_knn_spans *spans)
{
    xli_args args = {0};
    const bool wide = spans->distances2.buffer != NULL;
    const size_t queries = plan->problem.given ? given->num_rows : n;
    const xli_grid_shape shape =
        xli_grid_shape_of(&plan->search, queries, plan->shape.group, plan->shape.items);
    const knn_reach reach = reach_of(plan, index);
    add_shared(plan, index, spans, &reach, given->first_row, &args);
    xli_args_add(&args, XLI_U32(queries));
    xli_args_add(&args, XLI_U32(plan->problem.given ? 0 : given->first_row));
    xli_args_add(&args, XLI_U32(given->num_rows));
    xli_args_add_span(&args, &spans->indices);
    xli_args_add(&args, XLI_U32(wide));
    xli_args_add(&args, XLI_MEM(wide ? spans->distances2.buffer : index->storage));
    xli_args_add(&args, XLI_U64(spans->distances2.offset));
    return xli_seq_launch_args(seq, &plan->search, shape.groups, shape.size, &args, 0);
}

xl_status xli_knn_enqueue(xli_knn_plan *plan, xl_grid_index *index, cl_command_queue queue,
                          const xl_knn_args *args, size_t size, cl_uint num_waits,
                          const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_knn_args given = {0};
    xli_seq seq = {0};
    xli_knn_spans spans;
    xli_span scratch;
    size_t n;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_knn_args, args, size, &given));
    XL_TRY(xli_seq_begin(&seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_index_use(plan->ctx, index, plan->shape.planes, &seq));
    XL_TRY(xli_knn_check_index(plan, index));
    XL_TRY(xli_knn_check_views(plan, index, &given, &n, &spans));
    XL_TRY(xli_seq_scratch(&seq, NULL, given.scratch, 0, 1, &scratch));
    if (given.num_rows > 0)
        XL_TRY(launch(plan, index, &seq, n, &given, &spans));
done:
    return xli_seq_end(&seq, status, event);
}

/* SPDX-License-Identifier: MIT
 * The call of an approximate search for nearest neighbours: points beside their indices; then for
 * each shift codes of the points -> sort of these with the points -> of given queries codes, and
 * their places among those of the points -> candidates into the rows. */
#include "knn_approximate_plan.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_knn_approximate_plan *plan;
    xli_seq *seq;
    size_t n;
    const xl_knn_approximate_args *args;
    const xli_knn_approximate_spans *spans;
    const xli_span *scratch;
    xli_knn_approximate_layout layout;
} flow;

xl_status xli_knn_approximate_lay_out(const xli_knn_approximate_plan *plan, size_t n,
                                      size_t num_queries, xli_knn_approximate_layout *layout)
{
    xl_status status;
    size_t nested = 0;
    XL_TRY(xl_sort_scratch(plan->sort, &(xl_sort_args){.n = n}, &nested));
    *layout = xli_knn_approximate_layout_of(&plan->problem, n, num_queries, nested);
    XL_TRY(xli_scratch_countable(plan->ctx, n, layout->bytes));
done:
    return status;
}

static size_t code_bytes(const flow *f)
{
    return xl_type_size(f->plan->problem.code);
}

/* A part of the scratch. */
static xl_view part(const flow *f, size_t at, size_t element_bytes)
{
    return xl_view_of(f->scratch->buffer, (f->scratch->offset + at) / element_bytes);
}

/* Those that a launch goes through: a part of given queries alone, or all points. */
static size_t rows_of(const flow *f)
{
    return f->plan->problem.given ? f->args->num_rows : f->n;
}

/* The first scalar of the given queries of the part. */
static size_t first_query(const flow *f)
{
    return f->args->first_row * f->plan->problem.query_stride;
}

static size_t group_of(const flow *f, const xli_kernel *kernel)
{
    return xli_min(f->plan->group, kernel->max_group);
}

static xl_status launch_pack(const flow *f)
{
    xli_kernel *const kernel = &f->plan->pack;
    const size_t group = group_of(f, kernel);
    const xl_view packed = part(f, f->layout.packed, sizeof(cl_uint4));
    return XLI_LAUNCH(f->seq, kernel, xli_ceil_div(f->n, group), group, XLI_U64(f->n),
                      XLI_MEM(f->spans->points.buffer), XLI_U64(f->spans->points.offset),
                      XLI_MEM(packed.buffer), XLI_U64(packed.offset));
}

static xl_status code(const flow *f, xl_plan *plan, size_t n, xl_view points, size_t at)
{
    xl_status status;
    const xl_morton_args args = {.n = n, .points = points, .codes = part(f, at, code_bytes(f))};
    XL_TRY(xli_seq_nest(f->seq));
    XL_TRY(xl_morton_enqueue(plan, f->seq->queue, &args, XLI_NEST(f->seq)));
    xli_seq_nested(f->seq);
done:
    return status;
}

static xl_status sort_points(const flow *f)
{
    xl_status status;
    const xl_view codes = part(f, f->layout.codes, code_bytes(f));
    const xl_sort_args args = {.n = f->n,
                               .keys_in = codes,
                               .keys_out = codes,
                               .values_in = part(f, f->layout.packed, sizeof(cl_uint4)),
                               .values_out = part(f, f->layout.sorted, sizeof(cl_uint4)),
                               .scratch = part(f, f->layout.nested, 1)};
    XL_TRY(xli_seq_nest(f->seq));
    XL_TRY(xl_sort_enqueue(f->plan->sort, f->seq->queue, &args, XLI_NEST(f->seq)));
    xli_seq_nested(f->seq);
done:
    return status;
}

/* Where given queries stand in the order. */
static xl_status place_queries(const flow *f, const xli_knn_approximate_shift *shift)
{
    xl_status status;
    const xl_search_args args = {.n = f->n,
                                 .keys = part(f, f->layout.codes, code_bytes(f)),
                                 .num_queries = rows_of(f),
                                 .queries = part(f, f->layout.query_codes, code_bytes(f)),
                                 .indices_out = part(f, f->layout.afters, sizeof(cl_uint))};
    xl_view queries = f->args->queries;
    queries.offset += first_query(f);
    queries.count = 0;
    XL_TRY(code(f, shift->queries, rows_of(f), queries, f->layout.query_codes));
    XL_TRY(xli_seq_nest(f->seq));
    XL_TRY(xl_search_enqueue(f->plan->places, f->seq->queue, &args, XLI_NEST(f->seq)));
    xli_seq_nested(f->seq);
done:
    return status;
}

static xl_status launch_search(const flow *f, bool first)
{
    xli_kernel *const kernel = &f->plan->search;
    const size_t rows = rows_of(f), group = group_of(f, kernel);
    const xl_view sorted = part(f, f->layout.sorted, sizeof(cl_uint4)),
                  afters = part(f, f->layout.afters, sizeof(cl_uint));
    const bool given = f->plan->problem.given;
    xli_args args = {{XLI_U32(f->n), XLI_U32(rows), XLI_U32(given ? 0 : f->args->first_row),
                      XLI_U32(f->args->num_rows), XLI_U32(first), XLI_MEM(sorted.buffer),
                      XLI_U64(sorted.offset)},
                     7};
    if (given) {
        xli_args_add_place(&args, f->spans->queries.buffer,
                           f->spans->queries.offset + first_query(f));
        xli_args_add_place(&args, afters.buffer, afters.offset);
    }
    xli_args_add_span(&args, &f->spans->indices);
    xli_args_add_span(&args, &f->spans->distances2);
    return xli_seq_launch_args(f->seq, kernel, xli_ceil_div(rows, group), group, &args, 0);
}

static xl_status launch(const flow *f)
{
    xl_status status = XL_SUCCESS;
    const xli_knn_approximate_problem *const problem = &f->plan->problem;
    if (f->n > 0)
        XL_TRY(launch_pack(f));
    for (uint32_t i = 0; i < problem->shifts; ++i) {
        const xli_knn_approximate_shift *const shift = &f->plan->shifts[i];
        XL_TRY(code(f, shift->points, f->n, f->args->points, f->layout.codes));
        XL_TRY(sort_points(f));
        if (problem->given)
            XL_TRY(place_queries(f, shift));
        XL_TRY(launch_search(f, i == 0));
    }
done:
    return status;
}

xl_status xli_knn_approximate_enqueue(xli_knn_approximate_plan *plan, cl_command_queue queue,
                                      const xl_knn_approximate_args *args, size_t size,
                                      cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_knn_approximate_args given = {0};
    xli_seq seq = {0};
    xli_knn_approximate_spans spans;
    xli_knn_approximate_layout layout;
    xli_span scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_knn_approximate_args, args, size, &given));
    const size_t n = given.n, num_queries = given.num_queries;
    XL_TRY(xli_seq_begin(&seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_knn_approximate_check_n(plan, n, num_queries));
    XL_TRY(xli_knn_approximate_check_views(plan, &given, &spans));
    XL_TRY(xli_knn_approximate_lay_out(plan, n, num_queries, &layout));
    XL_TRY(xli_seq_scratch(&seq, &plan->pool, given.scratch, layout.bytes, XLI_SCRATCH_ALIGN,
                           &scratch));
    XL_TRY(xli_knn_approximate_check_scratch(plan, &spans, &scratch));
    if (given.num_rows > 0)
        XL_TRY(launch(&(flow){plan, &seq, n, &given, &spans, &scratch, layout}));
done:
    return xli_seq_end(&seq, status, event);
}

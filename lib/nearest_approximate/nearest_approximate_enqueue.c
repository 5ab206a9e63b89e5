/* SPDX-License-Identifier: MIT
 * The launches of an approximate search for nearest neighbours: points with their indices; then for
 * each shift: codes of the points -> sort of the points by codes -> if queries are given, their
 * codes and places among those of the points -> candidates into the rows. */
#include "nearest_approximate_plan.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_nearest_approximate_plan *plan;
    xli_seq *seq;
    size_t n, num_rows;
    const xl_nearest_approximate_args *args;
    const xli_span *spans, *scratch;
    xli_nearest_approximate_layout layout;
} flow;

xli_nearest_approximate_layout
xli_nearest_approximate_lay_out(const xli_nearest_approximate_plan *plan,
                                const xl_nearest_approximate_args *args)
{
    size_t nested = 0;
    if (xl_sort_scratch(plan->sort, &(xl_sort_args){.n = args->n}, &nested) != XL_SUCCESS)
        nested = SIZE_MAX;
    return xli_nearest_approximate_layout_of(&plan->problem, args->n, args->num_queries, nested);
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

/* The queries that a launch loops over: of given queries those of the part, else all points. */
static size_t queries_of(const flow *f)
{
    return f->plan->problem.given ? f->num_rows : f->n;
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
                      XLI_MEM(f->spans[XLI_APPROXIMATE_POINTS].buffer),
                      XLI_U64(f->spans[XLI_APPROXIMATE_POINTS].offset), XLI_MEM(packed.buffer),
                      XLI_U64(packed.offset));
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

/* The places of given queries among the sorted codes. */
static xl_status place_queries(const flow *f, const xli_nearest_approximate_shift *shift)
{
    xl_status status;
    const xl_search_args args = {.n = f->n,
                                 .keys = part(f, f->layout.codes, code_bytes(f)),
                                 .num_queries = queries_of(f),
                                 .queries = part(f, f->layout.query_codes, code_bytes(f)),
                                 .indices_out = part(f, f->layout.afters, sizeof(cl_uint))};
    xl_view queries = f->args->queries;
    queries.offset += first_query(f);
    queries.count = 0;
    XL_TRY(code(f, shift->queries, queries_of(f), queries, f->layout.query_codes));
    XL_TRY(xli_seq_nest(f->seq));
    XL_TRY(xl_search_enqueue(f->plan->places, f->seq->queue, &args, XLI_NEST(f->seq)));
    xli_seq_nested(f->seq);
done:
    return status;
}

static xl_status launch_search(const flow *f, bool first)
{
    xli_kernel *const kernel = &f->plan->search;
    const size_t queries = queries_of(f), group = group_of(f, kernel);
    const xl_view sorted = part(f, f->layout.sorted, sizeof(cl_uint4)),
                  afters = part(f, f->layout.afters, sizeof(cl_uint));
    const bool given = f->plan->problem.given;
    xli_args args = {{XLI_U32(f->n), XLI_U32(queries), XLI_U32(given ? 0 : f->args->first_row),
                      XLI_U32(f->num_rows), XLI_U32(first), XLI_MEM(sorted.buffer),
                      XLI_U64(sorted.offset)},
                     7};
    if (given) {
        const xli_span *const queries_at = &f->spans[XLI_APPROXIMATE_QUERIES];
        xli_args_add_place(&args, queries_at->buffer, queries_at->offset + first_query(f));
        xli_args_add_place(&args, afters.buffer, afters.offset);
    }
    xli_args_add_span(&args, &f->spans[XLI_APPROXIMATE_INDICES]);
    xli_args_add_span(&args, &f->spans[XLI_APPROXIMATE_DISTANCES2]);
    return xli_seq_launch_args(f->seq, kernel, xli_ceil_div(queries, group), group, &args, 0);
}

static xl_status launch_all(const flow *f)
{
    xl_status status = XL_SUCCESS;
    const xli_nearest_approximate_problem *const problem = &f->plan->problem;
    if (f->n > 0)
        XL_TRY(launch_pack(f));
    for (uint32_t i = 0; i < problem->shifts; ++i) {
        const xli_nearest_approximate_shift *const shift = &f->plan->shifts[i];
        XL_TRY(code(f, shift->points, f->n, f->args->points, f->layout.codes));
        XL_TRY(sort_points(f));
        if (problem->given)
            XL_TRY(place_queries(f, shift));
        XL_TRY(launch_search(f, i == 0));
    }
done:
    return status;
}

xl_status xli_nearest_approximate_launch(xl_plan *base, xli_seq *seq, const void *of,
                                         const xli_span *spans, const xli_span *scratch)
{
    const xl_nearest_approximate_args *const args = of;
    xli_nearest_approximate_plan *const plan = (xli_nearest_approximate_plan *)base;
    const size_t num_rows = xli_nearest_approximate_rows(plan, args);
    if (num_rows == 0)
        return XL_SUCCESS;
    return launch_all(&(flow){plan, seq, args->n, num_rows, args, spans, scratch,
                              xli_nearest_approximate_lay_out(plan, args)});
}

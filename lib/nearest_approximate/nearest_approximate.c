/* SPDX-License-Identifier: MIT
 * Approximate search for nearest neighbours: the descriptor, the plan, the arrays of a call, and its
 * launches: points with their indices; then for each shift: codes of the points -> sort of the points
 * by codes -> if queries are given, their codes and places among those of the points -> candidates
 * into the rows (cl/nearest_approximate/nearest_approximate.cl). */
#include "nearest_approximate_shape.h"

#include <crosslane/morton.h>
#include <crosslane/search.h>
#include <crosslane/sort.h>
#include <string.h>

/* Most neighbours of a query: a work-item keeps them in registers. */
#define MOST 64
#define SHIFTS 32
/* The largest coordinate of a box. Then the corners of shifted boxes are finite, too. */
#define BEYOND 0x1p125f

/* Plans of one shift: codes of the points, and of given queries. */
typedef struct approximate_shift {
    xl_plan *points, *queries;
} approximate_shift;

typedef struct approximate_plan {
    xl_plan base;
    xli_nearest_approximate_problem problem;
    uint32_t group; /* work-items */
    xli_kernel pack, search;
    xl_plan *sort;
    xl_plan *places; /* of given queries; or NULL */
    approximate_shift shifts[SHIFTS];
} approximate_plan;

/* The arrays of a call. */
enum { POINTS, QUERIES, INDICES, DISTANCES2, ARRAYS };

/* The number of rows that a call with checked sizes makes. */
static size_t rows_of(const approximate_plan *plan, const xl_nearest_approximate_args *args)
{
    const size_t all = plan->problem.given ? args->num_queries : args->n;
    return xli_rows_of(all, args->first_row, args->num_rows);
}

static const xl_nearest_approximate_desc defaults = {
    .space = {.dimensions = 3, .scalar = XL_F32, .bounds = XL_BOUNDS_GIVEN},
    .stride = 3,
    .query_stride = 3,
    .code = XL_U64};

/* ---- the descriptor -------------------------------------------------------------------------- */

static xl_status check_box(xl_context *ctx, const xl_space *given)
{
    xl_status status;
    const double most = (double)BEYOND;
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
    if (desc->k < 1 || desc->k > MOST)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.k: %u; must be 1 to %d",
                        (unsigned)desc->k, MOST));
    if (desc->shifts > SHIFTS)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.shifts: %u; must be at most %d",
                        (unsigned)desc->shifts, SHIFTS));
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

static xl_status build_kernels(approximate_plan *plan)
{
    const xli_nearest_approximate_problem *const problem = &plan->problem;
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_nearest_approximate_pack", &plan->pack, true},
                               {"xl_nearest_approximate", &plan->search, true}};
    const xli_definition lines[] = {
        {"XL_DIMENSIONS", problem->dimensions},
        {"XL_STRIDE", problem->stride},
        {"XL_KEEP_SELF", problem->keeps_self},
        {"XL_QUERY_STRIDE", problem->query_stride},
        {"XL_QUERY_DIMENSIONS", problem->given ? problem->dimensions : 0},
        {"XL_K", problem->k}};
    xli_text_define(&text, lines, XLI_COUNT(lines));
    const xl_status status = xli_kernels_build(plan->base.ctx, "nearest_approximate", &text, list,
                                               XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

/* Stable, so that points with equal codes stay in the order of their indices, on every device. */
static xl_status make_sort(approximate_plan *plan, const xli_tune_wish *wish)
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

static xl_status make_codes(const approximate_plan *plan, const xli_box *box, uint32_t stride,
                            xl_plan **codes)
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

static xl_status make_shifts(approximate_plan *plan)
{
    xl_status status = XL_SUCCESS;
    const xli_nearest_approximate_problem *const problem = &plan->problem;
    for (uint32_t i = 0; i < problem->shifts; ++i) {
        const xli_box box = xli_nearest_approximate_box(problem, i);
        approximate_shift *const shift = &plan->shifts[i];
        XL_TRY(make_codes(plan, &box, problem->stride, &shift->points));
        if (problem->given)
            XL_TRY(make_codes(plan, &box, problem->query_stride, &shift->queries));
    }
done:
    return status;
}

static xl_status make_search(approximate_plan *plan)
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
    approximate_plan *const plan = (approximate_plan *)base;
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
    approximate_plan *const plan = (approximate_plan *)base;
    for (uint32_t i = 0; i < SHIFTS; ++i) {
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
    const approximate_plan *const plan = (const approximate_plan *)base;
    (void)n;
    details->work_group_size = (uint32_t)xli_min(plan->group, plan->search.max_group);
    details->item_elements = 1;
    details->tile_elements = details->work_group_size;
    strcpy(details->algorithm, "shifted sorting");
}

/* ---- the call -------------------------------------------------------------------------------- */

static xl_status check_count(const approximate_plan *plan, const char *name, size_t n,
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
    const approximate_plan *const plan = (const approximate_plan *)base;
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

static size_t scalars_of(const approximate_plan *plan, size_t n, uint32_t stride)
{
    return n > 0 ? (n - 1) * stride + plan->problem.dimensions : 0;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_nearest_approximate_args *const args = of;
    const approximate_plan *const plan = (const approximate_plan *)base;
    const xli_nearest_approximate_problem *const problem = &plan->problem;
    const size_t places = rows_of(plan, args) * problem->k;
    arrays[POINTS] = xli_input("args.points", args->points,
                               scalars_of(plan, args->n, problem->stride), sizeof(cl_float));
    arrays[QUERIES] =
        xli_input("args.queries", args->queries,
                  scalars_of(plan, args->num_queries, problem->query_stride), sizeof(cl_float));
    if (!problem->given)
        arrays[QUERIES].unused = "must not be given, because desc.queries is XL_QUERIES_INDEXED";
    arrays[INDICES] = xli_output("args.indices", args->indices, places, sizeof(cl_uint));
    arrays[DISTANCES2] = xli_output("args.distances2", args->distances2, places, sizeof(cl_float));
    for (size_t k = INDICES; k < ARRAYS; ++k)
        arrays[k].access = XLI_READ | XLI_WRITE;
    return ARRAYS;
}

/* Its bytes are SIZE_MAX if they cannot be counted. */
static xli_nearest_approximate_layout lay_out(const approximate_plan *plan,
                                              const xl_nearest_approximate_args *args)
{
    size_t nested = 0;
    if (xl_sort_scratch(plan->sort, &(xl_sort_args){.n = args->n}, &nested) != XL_SUCCESS)
        nested = SIZE_MAX;
    return xli_nearest_approximate_layout_of(&plan->problem, args->n, args->num_queries, nested);
}

static size_t scratch_bytes(const xl_plan *base, const void *args)
{
    return lay_out((const approximate_plan *)base, args).bytes;
}

/* ---- launches ---- */

/* A call on its way to the device. */
typedef struct flow {
    approximate_plan *plan;
    xli_seq *seq;
    size_t n, num_rows;
    const xl_nearest_approximate_args *args;
    const xli_span *spans, *scratch;
    xli_nearest_approximate_layout layout;
} flow;

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
                      XLI_MEM(f->spans[POINTS].buffer), XLI_U64(f->spans[POINTS].offset),
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

/* The places of given queries among the sorted codes. */
static xl_status place_queries(const flow *f, const approximate_shift *shift)
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
        const xli_span *const queries_at = &f->spans[QUERIES];
        xli_args_add_place(&args, queries_at->buffer, queries_at->offset + first_query(f));
        xli_args_add_place(&args, afters.buffer, afters.offset);
    }
    xli_args_add_span(&args, &f->spans[INDICES]);
    xli_args_add_span(&args, &f->spans[DISTANCES2]);
    return xli_seq_launch_args(f->seq, kernel, xli_ceil_div(queries, group), group, &args, 0);
}

static xl_status launch_all(const flow *f)
{
    xl_status status = XL_SUCCESS;
    const xli_nearest_approximate_problem *const problem = &f->plan->problem;
    if (f->n > 0)
        XL_TRY(launch_pack(f));
    for (uint32_t i = 0; i < problem->shifts; ++i) {
        const approximate_shift *const shift = &f->plan->shifts[i];
        XL_TRY(code(f, shift->points, f->n, f->args->points, f->layout.codes));
        XL_TRY(sort_points(f));
        if (problem->given)
            XL_TRY(place_queries(f, shift));
        XL_TRY(launch_search(f, i == 0));
    }
done:
    return status;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    const xl_nearest_approximate_args *const args = of;
    approximate_plan *const plan = (approximate_plan *)base;
    const size_t num_rows = rows_of(plan, args);
    if (num_rows == 0)
        return XL_SUCCESS;
    return launch_all(
        &(flow){plan, seq, args->n, num_rows, args, spans, scratch, lay_out(plan, args)});
}

static xl_status prepare(xl_plan *base, const void *of, const xli_span *spans)
{
    (void)spans;
    const size_t n = ((const xl_nearest_approximate_args *)of)->n;
    return xl_plan_prepare(((approximate_plan *)base)->sort, &(xl_sort_args){.n = n});
}

static const xli_primitive primitive = {
    XLI_PRIMITIVE_OF_ARRAYS(nearest_approximate, approximate_plan),
    .check = check,
    .count = count,
    .scratch = scratch_bytes,
    .prepare = prepare,
    .launch = launch};
XLI_PUBLIC_CALLS(nearest_approximate)

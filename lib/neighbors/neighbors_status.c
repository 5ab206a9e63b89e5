/* SPDX-License-Identifier: MIT
 * Reads how a list came out: the build behind it, its queries and its length. */
#include "neighbors_plan.h"

enum { ARRAYS = XLI_NEAR_ROWS };

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const xli_near_call *const call = of;
    const xli_neighbors_plan *const plan = (const xli_neighbors_plan *)base;
    XL_TRY(xli_near_check(plan, call));
    XL_TRY(xli_near_check_rows(plan, call));
done:
    return status;
}

/* Counts beside offsets say nothing more. */
static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xli_near_call *const call = of;
    const xli_neighbors_plan *const plan = (const xli_neighbors_plan *)base;
    const bool rooms = plan->row_capacity > 0;
    xli_near_list(plan, call, arrays);
    xli_near_list_rows(plan, call, rooms ? call->args.counts : xl_no_view(), XLI_READ, arrays);
    return ARRAYS;
}

/* ---- questions to the device ----------------------------------------------------------------- */

typedef struct question {
    xli_neighbors_plan *plan;
    cl_command_queue queue;
    const xli_near_call *call;
    const xli_span *spans;
    size_t n, num_rows;
} question;

/* The words in which kernels of cl/neighbors answer. */
typedef struct answer {
    cl_uint a, b, c, d;
} answer;

/* Runs a kernel over n elements of some arrays. */
static xl_status ask(const question *q, xli_kernel *kernel, size_t n, const xli_args *rest,
                     answer *answered)
{
    const xli_grid_shape shape = xli_grid_shape_of(kernel, n, q->plan->tune.group, 1);
    if (n == 0)
        return XL_SUCCESS;
    return xli_grid_ask(q->plan->base.ctx, q->queue, kernel, shape, rest, answered,
                        sizeof *answered);
}

/* The numbers of given queries that are not finite, and that are too far for images. */
static xl_status check_given(const question *q, xl_neighbors_report *report)
{
    xl_status status = XL_SUCCESS;
    answer found = {0, UINT32_MAX, 0, UINT32_MAX};
    xli_args rest = {0};
    const xli_search s = {q->plan, q->call->index, NULL, q->n, q->spans};
    xli_near_add_shared(&s, &rest);
    if (q->plan->form.given)
        XL_TRY(ask(q, &q->plan->check, q->n, &rest, &found));
    report->non_finite = found.a;
    report->first_non_finite = found.a > 0 ? found.b : UINT64_MAX;
    report->too_far = found.c;
    report->first_too_far = found.c > 0 ? found.d : UINT64_MAX;
done:
    return status;
}

/* What counts and offsets hold if the index was built again before the count. */
static xl_status check_built(const question *q, bool built)
{
    if (built)
        return XL_SUCCESS;
    return xli_fail(q->plan->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                    "args.%s: not of this build of the index; count or fill again",
                    q->plan->row_capacity > 0 ? "counts" : "offsets");
}

/* The length of the longest row. */
static xl_status check_rows(const question *q, xl_neighbors_report *report)
{
    xl_status status;
    answer found = {0};
    xli_args rest = {0};
    xli_args_add_span(&rest, &q->spans[XLI_NEAR_COUNTS]);
    xli_args_add(&rest, XLI_U32(q->num_rows));
    XL_TRY(xli_near_build_lists(q->plan));
    XL_TRY(ask(q, &q->plan->longest, q->num_rows, &rest, &found));
    XL_TRY(check_built(q, found.a != UINT32_MAX));
    report->longest_row = found.a;
done:
    return status;
}

/* The number of pairs in the rows. */
static xl_status check_length(const question *q, xl_neighbors_report *report)
{
    xl_status status;
    cl_ulong ends[2];
    const xli_span *const offsets = &q->spans[XLI_NEAR_OFFSETS];
    const size_t rows[] = {0, q->num_rows};
    for (int k = 0; k < 2; ++k)
        XL_TRY(xli_read_blocking(q->plan->base.ctx, q->queue, offsets->buffer,
                                 (offsets->offset + rows[k]) * sizeof(cl_ulong), sizeof(cl_ulong),
                                 &ends[k], 0, NULL));
    XL_TRY(check_built(q, ends[1] != UINT64_MAX));
    report->pairs = ends[1] - ends[0];
done:
    return status;
}

static xl_status judge(const question *q, const xl_neighbors_report *report)
{
    xl_context *const ctx = q->plan->base.ctx;
    const xl_neighbors_args *const args = &q->call->args;
    const uint32_t row_capacity = q->plan->row_capacity;
    if (report->non_finite > 0)
        return xli_fail(ctx, XL_ERROR_NON_FINITE,
                        "args.queries: %llu of %zu are not finite, the first at index %llu",
                        (unsigned long long)report->non_finite, q->n,
                        (unsigned long long)report->first_non_finite);
    if (report->too_far > 0)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "args.queries: %llu of %zu are too far from the box for images, the first "
                        "at index %llu; move them into the box",
                        (unsigned long long)report->too_far, q->n,
                        (unsigned long long)report->first_too_far);
    if (report->longest_row > row_capacity && !q->plan->keeps_nearest)
        return xli_fail(ctx, XL_ERROR_CAPACITY, "desc.row_capacity: %u; the longest row has %llu",
                        (unsigned)row_capacity, (unsigned long long)report->longest_row);
    if (args->indices.buffer && report->pairs > args->capacity)
        return xli_fail(ctx, XL_ERROR_CAPACITY, "args.capacity: %llu; the rows have %llu indices",
                        (unsigned long long)args->capacity, (unsigned long long)report->pairs);
    return XL_SUCCESS;
}

xl_status xl_neighbors_status(xl_plan *base, xl_grid_index *index, cl_command_queue queue,
                              const xl_neighbors_args *args, xl_neighbors_report *report,
                              cl_uint num_waits, const cl_event *waits)
{
    static const xli_structure structure = {"report", sizeof(xl_neighbors_report), NULL};
    static const xli_call table = {.args = {"args", sizeof(xl_neighbors_args), NULL},
                                   .index_at = offsetof(xli_near_call, index),
                                   .count = count,
                                   .arrays = arrays};
    xl_status status;
    xli_near_call call;
    xli_span spans[ARRAYS];
    size_t num_spans;
    xl_neighbors_report found = {.first_non_finite = UINT64_MAX, .first_too_far = UINT64_MAX};
    XL_TRY(xli_call_read(xli_neighbors_primitive, &table, base, index, args, &call));
    XL_TRY(xli_call_check(&table, base, &call, spans, &num_spans));
    XL_TRY(xl_grid_index_status(index, queue, NULL, num_waits, waits));
    xli_neighbors_plan *const plan = (xli_neighbors_plan *)base;
    const question q = {
        plan, queue, &call, spans, xli_near_queries(plan, &call), xli_near_num_rows(plan, &call)};
    found.queries = q.n;
    XL_TRY(check_given(&q, &found));
    XL_TRY(plan->row_capacity > 0 ? check_rows(&q, &found) : check_length(&q, &found));
    xli_structure_write(&structure, base->version, report, &found);
    status = judge(&q, &found);
done:
    return status;
}

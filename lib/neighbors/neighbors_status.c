/* SPDX-License-Identifier: MIT
 * What became of a list, in words: of the build behind it, of its queries and of its length. */
#include "neighbors_plan.h"

/* The words in which kernels of cl/neighbors/neighbors.cl answer. */
typedef struct answer {
    cl_uint a, b, c, d;
} answer;

/* Runs one of them, in that space, over n elements of some views, and reads its answer, which is a
 * begun one. */
static xl_status launch_question(const xli_search *s, xli_kernel *kernel, bool in_space, size_t n,
                                 const xli_span *spans, size_t num_spans, cl_mem buffer,
                                 answer *answered)
{
    xl_status status;
    cl_event done = NULL;
    xli_seq seq = {0};
    xli_args args = {0};
    const xli_neighbors_plan *const plan = s->plan;
    const xli_grid_shape shape = xli_grid_shape_of(kernel, n, plan->tune.group, plan->tune.items);
    xli_args_add(&args, XLI_MEM(buffer));
    if (in_space)
        xli_grid_add_space(s->index, plan->repeats, &args);
    for (size_t i = 0; i < num_spans; ++i)
        xli_args_add_span(&args, &spans[i]);
    xli_args_add(&args, XLI_U32(n));
    XL_TRY(xli_seq_begin(&seq, plan->ctx, s->queue, 0, NULL, &done));
    status = xli_seq_launch_args(&seq, kernel, shape.groups, shape.size, &args, 0);
    XL_TRY(xli_seq_end(&seq, status, &done));
    XL_TRY(xli_read_blocking(plan->ctx, s->queue, buffer, 0, sizeof *answered, answered, 1, &done));
done:
    if (done)
        clReleaseEvent(done);
    return status;
}

static xl_status ask(const xli_search *s, xli_kernel *kernel, bool in_space, size_t n,
                     const xli_span *spans, size_t num_spans, answer *answered)
{
    xl_status status;
    cl_int code;
    cl_mem buffer = clCreateBuffer(xl_context_cl(s->plan->ctx), CL_MEM_COPY_HOST_PTR,
                                   sizeof *answered, answered, &code);
    XL_TRY(xli_cl(s->plan->ctx, code, "clCreateBuffer"));
    XL_TRY(launch_question(s, kernel, in_space, n, spans, num_spans, buffer, answered));
done:
    if (buffer)
        clReleaseMemObject(buffer);
    return status;
}

/* How many of the given queries are not finite, and how many too far. */
static xl_status check_given(const xli_search *s, xl_neighbors_report *report)
{
    xl_status status = XL_SUCCESS;
    answer found = {0, UINT32_MAX, 0, UINT32_MAX};
    if (s->plan->given && s->n > 0)
        XL_TRY(ask(s, &s->plan->check, true, s->n, s->queries, 3, &found));
    report->non_finite = found.a;
    report->first_non_finite = found.a > 0 ? found.b : UINT64_MAX;
    report->too_far = found.c;
    report->first_too_far = found.c > 0 ? found.d : UINT64_MAX;
done:
    return status;
}

/* How long the longest row is; all bits set: one was not searched to its end. */
static xl_status check_rows(const xli_search *s, size_t num_rows, const xli_span *counts,
                            xl_neighbors_report *report)
{
    xl_status status = XL_SUCCESS;
    answer found = {0};
    if (num_rows > 0)
        XL_TRY(ask(s, &s->plan->longest, false, num_rows, counts, 1, &found));
    report->incomplete = found.a == UINT32_MAX;
    report->longest_row = report->incomplete ? 0 : found.a;
done:
    return status;
}

/* How many pairs the rows have; all bits set: the count did not get to its end. */
static xl_status check_length(const xli_search *s, const xl_neighbors_status_args *args,
                              xl_neighbors_report *report)
{
    xl_status status;
    cl_ulong ends[3];
    const size_t rows[] = {args->first_row, args->first_row + args->num_rows, s->n};
    for (int k = 0; k < 3; ++k)
        XL_TRY(xli_read_blocking(s->plan->ctx, s->queue, args->offsets.buffer,
                                 (args->offsets.offset + rows[k]) * sizeof(cl_ulong),
                                 sizeof(cl_ulong), &ends[k], 0, NULL));
    report->incomplete = ends[2] == UINT64_MAX;
    report->pairs = report->incomplete ? 0 : ends[1] - ends[0];
done:
    return status;
}

static xl_status judge(const xli_search *s, const xl_neighbors_status_args *args,
                       const xl_neighbors_report *report)
{
    xl_context *const ctx = s->plan->ctx;
    if (report->non_finite > 0)
        return xli_fail(ctx, XL_ERROR_NON_FINITE,
                        "queries: %llu of %zu are not finite, the first at index %llu",
                        (unsigned long long)report->non_finite, s->n,
                        (unsigned long long)report->first_non_finite);
    if (report->too_far > 0)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "queries: %llu of %zu are so far from the box that rounding hides which "
                        "image is near, the first at index %llu; put them into the box",
                        (unsigned long long)report->too_far, s->n,
                        (unsigned long long)report->first_too_far);
    if (report->incomplete)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "%s: of no list, as the device ends loops before a point's candidates "
                        "are gone through, or the index was built anew",
                        s->plan->row_capacity > 0 ? "counts" : "offsets");
    if (report->longest_row > s->plan->row_capacity)
        return xli_fail(ctx, XL_ERROR_CAPACITY, "desc.row_capacity: %u, the longest row has %llu",
                        (unsigned)s->plan->row_capacity, (unsigned long long)report->longest_row);
    if (report->pairs > args->capacity)
        return xli_fail(ctx, XL_ERROR_CAPACITY, "capacity: %llu indices, the rows have %llu",
                        (unsigned long long)args->capacity, (unsigned long long)report->pairs);
    return XL_SUCCESS;
}

static xl_status check_args(xli_search *s, xl_neighbors_status_args *args, xli_span *span)
{
    xl_status status;
    XL_TRY(xli_near_queries(s, XLI_NEAR_GIVEN(args)));
    XL_TRY(xli_near_form(s, args->capacity, args->offsets, args->counts));
    XL_TRY(xli_check_rows(s->plan->ctx, s->n, args->first_row, &args->num_rows));
    if (s->plan->row_capacity > 0)
        XL_TRY(xli_check_view(s->plan->ctx, "counts", args->counts, args->num_rows, sizeof(cl_uint),
                              XLI_READ, span));
    else
        XL_TRY(xli_check_view(s->plan->ctx, "offsets", args->offsets, s->n + 1, sizeof(cl_ulong),
                              XLI_READ, span));
done:
    return status;
}

xl_status xli_neighbors_status(xli_neighbors_plan *plan, xl_grid_index *index,
                               cl_command_queue queue, const xl_neighbors_status_args *args,
                               size_t size, xl_neighbors_report *report, size_t report_size,
                               cl_uint num_waits, const cl_event *waits)
{
    xl_status status;
    xli_search s = {0};
    xli_span span = {0};
    xl_neighbors_status_args given = {0};
    xl_neighbors_report found = {.first_non_finite = UINT64_MAX, .first_too_far = UINT64_MAX};
    XL_TRY(xli_near_begin(&s, plan, index, queue, num_waits, waits, NULL));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_status_args, args, size, &given));
    XL_TRY(check_args(&s, &given, &span));
    s.queue = queue;
    found.queries = s.n;
    XL_TRY(xl_grid_index_status(index, queue, NULL, num_waits, waits));
    XL_TRY(check_given(&s, &found));
    if (plan->row_capacity > 0)
        XL_TRY(check_rows(&s, given.num_rows, &span, &found));
    else
        XL_TRY(check_length(&s, &given, &found));
    xli_struct_write(report, report_size, &found, sizeof found);
    status = judge(&s, &given, &found);
done:
    return xli_seq_end(&s.seq, status, NULL);
}

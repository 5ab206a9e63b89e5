/* SPDX-License-Identifier: MIT
 * What became of a list, in words: of the build behind it, of its queries and of its length. */
#include "neighbors_plan.h"

/* The words that xl_neighbors_check() of cl/neighbors/neighbors.cl counts in. */
typedef struct found_queries {
    cl_uint non_finite, first;
} found_queries;

static xl_status look_at_queries(xli_search *s, cl_mem buffer, found_queries *found)
{
    xl_status status;
    cl_event done = NULL;
    xl_neighbors *const plan = s->plan;
    const xli_grid_shape shape =
        xli_grid_shape_of(&plan->check, s->n, plan->tune.group, plan->tune.items);
    XL_TRY(XLI_LAUNCH(&s->seq, &plan->check, shape.groups, shape.size, XLI_MEM(buffer),
                      XLI_U32(s->n), XLI_MEM(s->queries.buffer), XLI_U64(s->queries.offset)));
    XL_TRY(xli_seq_end(&s->seq, XL_SUCCESS, &done));
    s->seq = (xli_seq){0};
    XL_TRY(xli_read_blocking(plan->ctx, s->queue, buffer, 0, sizeof *found, found, 1, &done));
done:
    if (done)
        clReleaseEvent(done);
    return status;
}

/* How many of the given queries are not finite. */
static xl_status check_given(xli_search *s, xl_neighbors_report *report)
{
    xl_status status = XL_SUCCESS;
    cl_int code;
    found_queries found = {0, UINT32_MAX};
    if (!s->plan->given || s->n == 0)
        return XL_SUCCESS;
    cl_mem buffer = clCreateBuffer(xl_context_cl(s->plan->ctx), CL_MEM_COPY_HOST_PTR, sizeof found,
                                   &found, &code);
    XL_TRY(xli_cl(s->plan->ctx, code, "clCreateBuffer"));
    XL_TRY(look_at_queries(s, buffer, &found));
    report->non_finite = found.non_finite;
    report->first_non_finite = found.non_finite > 0 ? found.first : UINT64_MAX;
done:
    if (buffer)
        clReleaseMemObject(buffer);
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
    if (report->incomplete)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "offsets: of no list, as the device ends loops before a point's candidates "
                        "are gone through, or the index was built anew");
    if (report->pairs > args->capacity)
        return xli_fail(ctx, XL_ERROR_CAPACITY, "capacity: %llu indices, the rows have %llu",
                        (unsigned long long)args->capacity, (unsigned long long)report->pairs);
    return XL_SUCCESS;
}

static xl_status check_args(xli_search *s, xl_neighbors_status_args *args)
{
    xl_status status;
    xli_span span;
    XL_TRY(xli_near_queries(s, args->num_queries, args->queries, args->radii));
    XL_TRY(xli_near_rows(s, args->first_row, &args->num_rows));
    XL_TRY(xli_check_view(s->plan->ctx, "offsets", args->offsets, s->n + 1, sizeof(cl_ulong),
                          XLI_READ, &span));
done:
    return status;
}

xl_status xl_neighbors_status_sized(xl_neighbors *plan, xl_grid_index *index,
                                    cl_command_queue queue, const xl_neighbors_status_args *args,
                                    size_t size, xl_neighbors_report *report, size_t report_size,
                                    cl_uint num_waits, const cl_event *waits)
{
    xl_status status;
    xli_search s = {0};
    xl_neighbors_status_args given = {0};
    xl_neighbors_report found = {.first_non_finite = UINT64_MAX};
    XL_TRY(xli_near_begin(&s, plan, index, queue, num_waits, waits, NULL));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_status_args, args, size, &given));
    XL_TRY(check_args(&s, &given));
    s.queue = queue;
    found.queries = s.n;
    XL_TRY(xl_grid_index_status(index, queue, NULL, num_waits, waits));
    XL_TRY(check_given(&s, &found));
    XL_TRY(check_length(&s, &given, &found));
    xli_struct_write(report, report_size, &found, sizeof found);
    status = judge(&s, &given, &found);
done:
    return xli_seq_end(&s.seq, status, NULL);
}

/* SPDX-License-Identifier: MIT
 * Whether the rows of a call are complete. */
#include "knn_plan.h"

/* The words in which xl_knn_check of cl/knn/knn.cl answers. */
typedef struct answer {
    cl_uint given_up, first, short_rows;
} answer;

/* Runs it over the rows, and reads its answer. */
static xl_status launch_check(xli_knn_plan *plan, cl_command_queue queue, const xli_span *indices,
                              size_t rows, cl_mem buffer, answer *answered)
{
    xl_status status;
    cl_event done = NULL;
    xli_seq seq = {0};
    xli_args args = {0};
    const xli_grid_shape shape =
        xli_grid_shape_of(&plan->check, rows, plan->shape.group, plan->shape.items);
    xli_args_add(&args, XLI_MEM(buffer));
    xli_args_add_span(&args, indices);
    xli_args_add(&args, XLI_U32(rows));
    XL_TRY(xli_seq_begin(&seq, plan->ctx, queue, 0, NULL, &done));
    status = xli_seq_launch(&seq, &plan->check, shape.groups, shape.size, args.at, args.count);
    XL_TRY(xli_seq_end(&seq, status, &done));
    XL_TRY(xli_read_blocking(plan->ctx, queue, buffer, 0, sizeof *answered, answered, 1, &done));
done:
    if (done)
        clReleaseEvent(done);
    return status;
}

static xl_status ask(xli_knn_plan *plan, cl_command_queue queue, const xli_span *indices,
                     size_t rows, answer *answered)
{
    xl_status status;
    cl_int code;
    cl_mem buffer = clCreateBuffer(xl_context_cl(plan->ctx), CL_MEM_COPY_HOST_PTR, sizeof *answered,
                                   answered, &code);
    XL_TRY(xli_cl(plan->ctx, code, "clCreateBuffer"));
    XL_TRY(launch_check(plan, queue, indices, rows, buffer, answered));
done:
    if (buffer)
        clReleaseMemObject(buffer);
    return status;
}

static xl_status judge(const xli_knn_plan *plan, const xl_knn_report *report)
{
    if (report->given_up > 0)
        return xli_fail(plan->ctx, XL_ERROR_UNSUPPORTED,
                        "indices: %llu of %llu rows are given up, the first at row %llu; the query "
                        "is too far from the cell, or the device ends loops before all candidates "
                        "are looked at",
                        (unsigned long long)report->given_up, (unsigned long long)report->rows,
                        (unsigned long long)report->first_given_up);
    return XL_SUCCESS;
}

/* The call's arguments, checked as the call checked them. */
static xl_status check_args(xli_knn_plan *plan, const xl_grid_index *index,
                            const xl_knn_status_args *of, xl_knn_args *given, xli_knn_spans *spans)
{
    xl_status status;
    size_t n;
    *given = (xl_knn_args){.num_queries = of->num_queries,
                           .queries = of->queries,
                           .indices = of->indices,
                           .queries_y = of->queries_y,
                           .queries_z = of->queries_z,
                           .query_systems = of->query_systems,
                           .first_row = of->first_row,
                           .num_rows = of->num_rows};
    XL_TRY(xli_knn_check_index(plan, index));
    XL_TRY(xli_knn_check_views(plan, index, given, &n, spans));
done:
    return status;
}

xl_status xli_knn_status(xli_knn_plan *plan, xl_grid_index *index, cl_command_queue queue,
                         const xl_knn_status_args *args, size_t size, xl_knn_report *report,
                         size_t report_size, cl_uint num_waits, const cl_event *waits)
{
    xl_status status;
    xl_knn_status_args of = {0};
    xl_knn_args given;
    xli_knn_spans spans;
    answer found = {0, UINT32_MAX, 0};
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_knn_status_args, args, size, &of));
    XL_TRY(xli_grid_index_check(plan->ctx, index));
    XL_TRY(check_args(plan, index, &of, &given, &spans));
    XL_TRY(xl_grid_index_status(index, queue, NULL, num_waits, waits));
    if (given.num_rows > 0)
        XL_TRY(ask(plan, queue, &spans.indices, given.num_rows, &found));
    const xl_knn_report all = {.rows = given.num_rows,
                               .short_rows = found.short_rows,
                               .given_up = found.given_up,
                               .first_given_up =
                                   found.given_up > 0 ? given.first_row + found.first : UINT64_MAX};
    xli_struct_write(report, report_size, &all, sizeof all);
    status = judge(plan, &all);
done:
    return status;
}

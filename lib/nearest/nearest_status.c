/* SPDX-License-Identifier: MIT
 * Reads whether the rows of a call are complete. */
#include "nearest_plan.h"

/* The words in which xl_nearest_check of cl/nearest/nearest.cl answers. */
typedef struct answer {
    cl_uint given_up, first, short_rows;
} answer;

static xl_status ask(xli_nearest_plan *plan, cl_command_queue queue, const xli_span *indices,
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

static xl_status judge(const xli_nearest_plan *plan, const xl_nearest_report *report)
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
    xli_nearest_search search;
    xli_span spans[XLI_NEAREST_ARRAYS];
    size_t count;
    answer found = {0, UINT32_MAX, 0};
    XL_TRY(xli_call_read(xli_nearest_primitive, &xli_nearest_call, base, index, args, &search));
    XL_TRY(xli_call_check(&xli_nearest_call, base, &search, spans, &count));
    xli_nearest_plan *const plan = (xli_nearest_plan *)base;
    const size_t rows = xli_nearest_rows(plan, &search);
    XL_TRY(xl_grid_index_status(index, queue, NULL, num_waits, waits));
    XL_TRY(ask(plan, queue, &spans[XLI_NEAREST_INDICES], rows, &found));
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

/* SPDX-License-Identifier: MIT
 * The call that codes points: one launch. */
#include "morton_plan.h"

static xl_status launch(xl_morton *plan, xli_seq *seq, size_t n, const xli_span *points,
                        const xli_span *codes)
{
    const xli_morton_problem *const problem = &plan->problem;
    const size_t group = xli_min(plan->shape.group, plan->kernel.max_group);
    return XLI_LAUNCH(seq, &plan->kernel, xli_ceil_div(n, group * plan->shape.items), group,
                      XLI_U64(n), XLI_MEM(points->buffer), XLI_U64(points->offset),
                      XLI_BYTES(&problem->lower, sizeof problem->lower),
                      XLI_BYTES(&problem->scale, sizeof problem->scale), XLI_MEM(codes->buffer),
                      XLI_U64(codes->offset));
}

xl_status xl_morton_enqueue_sized(xl_morton *plan, cl_command_queue queue,
                                  const xl_morton_args *args, size_t size, cl_uint num_waits,
                                  const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_morton_args given = {0};
    xli_seq seq = {0};
    xli_span points, codes, scratch;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_morton_args, args, size, &given));
    XL_TRY(xli_morton_check_n(plan, given.n));
    XL_TRY(xli_seq_begin(&seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_morton_check_views(plan, &given, &points, &codes));
    XL_TRY(xli_seq_scratch(&seq, NULL, given.scratch, 0, 1, &scratch));
    if (given.n > 0)
        XL_TRY(launch(plan, &seq, given.n, &points, &codes));
done:
    return xli_seq_end(&seq, status, event);
}

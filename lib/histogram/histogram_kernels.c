/* SPDX-License-Identifier: MIT
 * The kernels of a histogram. */
#include "histogram_plan.h"

static void add_text(xli_text *text, const xli_histogram_problem *problem,
                     const xl_histogram_desc *desc, const xli_capabilities *capabilities,
                     const xli_histogram_shape *shape)
{
    const xli_element *const types[] = {&problem->value, &problem->in};
    const xli_definition lines[] = {
        {"XL_IN_BYTES", problem->in.bytes},           {"XL_LOAD", problem->loads},
        {"XL_BINNED_BYTES", problem->value.bytes},    {"XL_BINNED_KIND", problem->value.kind},
        {"XL_HISTOGRAM_KIND", (size_t)problem->kind}, {"XL_HISTOGRAM_VECTORS", shape->vectors},
        {"XL_COUNTER_BYTES", problem->counter_bytes}, {"XL_SERIAL", shape->serial},
        {"XL_GROUP_SIZE", shape->group_size},         {"XL_VLEN", shape->vector},
        {"XL_LEVEL_BUCKETS", shape->buckets},
    };
    xli_element_text_types(text, capabilities, types, XLI_COUNT(types));
    xli_params_text(text, &problem->params);
    xli_element_text_expression(text, "load", &problem->value, desc->load, 1,
                                &(xli_expression_argument){"x", &problem->in}, &problem->params);
    /* The user's text may have redefined a type of OpenCL C. */
    xli_text_add(text,
                 "#line 1 \"plan\"\n#define XL_BINNED %s\n#define XL_IN %s\n"
                 "typedef char size_of_XL_IN_is_not_%zu[sizeof(XL_IN) == %zu ? 1 : -1];\n",
                 problem->value.storage, problem->in.storage, problem->in.bytes, problem->in.bytes);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status get_program(xli_histogram_plan *plan, const xli_capabilities *capabilities,
                             const xli_text *text, xli_program **program)
{
    const xli_element *const types[] = {&plan->problem.value, &plan->problem.in};
    const xl_status status = xli_program_get(plan->base.ctx, "histogram", text->data, program);
    return status == XL_ERROR_BUILD
               ? xli_element_explain(plan->base.ctx, capabilities, types, XLI_COUNT(types))
               : status;
}

xl_status xli_histogram_build(xli_histogram_plan *plan, const xl_histogram_desc *desc,
                              const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    const bool is_private = plan->shape.range_bins > 0;
    xli_histogram_drop_kernels(plan);
    add_text(&text, &plan->problem, desc, capabilities, &plan->shape);
    if (text.failed)
        XL_TRY(xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a kernel's source"));
    XL_TRY(get_program(plan, capabilities, &text, &program));
    XL_TRY(xli_kernel_create(plan->base.ctx, program, "xl_histogram_clear", &plan->clear));
    XL_TRY(xli_kernel_create(plan->base.ctx, program,
                             is_private ? "xl_histogram_private" : "xl_histogram_shared",
                             &plan->count));
    *most = plan->count.max_group;
done:
    xli_text_free(&text);
    return status;
}

void xli_histogram_drop_kernels(xli_histogram_plan *plan)
{
    xli_kernel_destroy(&plan->clear);
    xli_kernel_destroy(&plan->count);
}

/* SPDX-License-Identifier: MIT
 * The kernels of a histogram. */
#include "histogram_plan.h"

/* XL_WEIGHT_NUMBER(x): a weight as a number that the kernel casts to the type of the bins. */
static void add_weight(xli_text *text, const xli_histogram_problem *problem)
{
    char room[XLI_CONVERSION_ROOM];
    const char *const number =
        xli_element_conversion(NULL, &problem->weight, &problem->counter, room);
    xli_text_add(text, "#define XL_WEIGHT %s\n#define XL_WEIGHT_NUMBER(x) (%s)\n",
                 problem->weight.storage, number ? number : "x");
}

static void add_text(xli_text *text, const xli_histogram_problem *problem,
                     const xl_histogram_desc *desc, const xli_capabilities *capabilities,
                     const xli_histogram_shape *shape, xli_histogram_adds adds)
{
    const xli_element *const types[] = {&problem->value, &problem->in};
    const bool wide = problem->counter.bytes == sizeof(cl_double);
    char load[XLI_CONVERSION_ROOM];
    const xli_definition lines[] = {
        {"XL_IN_BYTES", problem->in.bytes},
        {"XL_LOAD", problem->loads},
        {"XL_BINNED_BYTES", problem->value.bytes},
        {"XL_BINNED_KIND", problem->value.kind},
        {"XL_HISTOGRAM_KIND", (size_t)problem->kind},
        {"XL_HISTOGRAM_VECTORS", shape->vectors},
        {"XL_SERIAL", shape->serial},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_VLEN", shape->vector},
        {"XL_LEVEL_BUCKETS", shape->buckets},
        {"XL_HISTOGRAM_ADDS", (size_t)adds},
        {"XL_HISTOGRAM_WIDE", wide},
        {"XL_COUNTER_BYTES", adds == XLI_ADDS_EXPONENT ? sizeof(cl_uint) : problem->sum_bytes},
    };
    xli_element_text_types(text, capabilities, types, XLI_COUNT(types));
    xli_params_text(text, &problem->params);
    xli_element_text_expression(
        text, "load", &problem->value,
        xli_element_conversion(desc->load, &problem->in, &problem->value, load), 1,
        &(xli_expression_argument){"x", &problem->in}, &problem->params);
    /* The user's text may have redefined a type of OpenCL C. */
    xli_text_add(text,
                 "#line 1 \"plan\"\n#define XL_BINNED %s\n#define XL_IN %s\n"
                 "typedef char size_of_XL_IN_is_not_%zu[sizeof(XL_IN) == %zu ? 1 : -1];\n",
                 problem->value.storage, problem->in.storage, problem->in.bytes, problem->in.bytes);
    if (adds != XLI_ADDS_ONE)
        add_weight(text, problem);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status get_program(xli_histogram_plan *plan, const xl_histogram_desc *desc,
                             const xli_capabilities *capabilities, xli_histogram_adds adds,
                             xli_program **program)
{
    const xli_element *const types[] = {&plan->problem.value, &plan->problem.in};
    xli_text text = {0};
    add_text(&text, &plan->problem, desc, capabilities, &plan->shape, adds);
    xl_status status =
        text.failed
            ? xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a kernel's source")
            : xli_program_get(plan->base.ctx, "histogram", text.data, program);
    if (status == XL_ERROR_BUILD)
        status = xli_element_explain(plan->base.ctx, capabilities, types, XLI_COUNT(types));
    xli_text_free(&text);
    return status;
}

xl_status xli_histogram_build(xli_histogram_plan *plan, const xl_histogram_desc *desc,
                              const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_program *program;
    xl_context *const ctx = plan->base.ctx;
    const xli_histogram_adds adds = plan->problem.adds;
    const char *const count =
        plan->shape.range_bins > 0 ? "xl_histogram_private" : "xl_histogram_shared";
    xli_histogram_drop_kernels(plan);
    XL_TRY(get_program(plan, desc, capabilities, adds, &program));
    XL_TRY(xli_kernel_create(ctx, program, "xl_histogram_clear", &plan->clear));
    XL_TRY(xli_kernel_create(ctx, program, count, &plan->count));
    *most = plan->count.max_group;
    if (adds == XLI_ADDS_STEPS) {
        XL_TRY(xli_kernel_create(ctx, program, "xl_histogram_finish", &plan->finish));
        XL_TRY(get_program(plan, desc, capabilities, XLI_ADDS_EXPONENT, &program));
        XL_TRY(xli_kernel_create(ctx, program, count, &plan->exponents));
        *most = xli_min(*most, plan->exponents.max_group);
    }
done:
    return status;
}

void xli_histogram_drop_kernels(xli_histogram_plan *plan)
{
    xli_kernel_destroy(&plan->clear);
    xli_kernel_destroy(&plan->count);
    xli_kernel_destroy(&plan->exponents);
    xli_kernel_destroy(&plan->finish);
}

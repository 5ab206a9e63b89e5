/* SPDX-License-Identifier: MIT
 * The kernels of a selection. */
#include "select_plan.h"

#include <stdio.h>
#include <string.h>

/* A run's state: how many runs begin, and where the last one does (cl/select/select_arrays.cl). */
static const uint64_t no_run;
static const xl_user_op join_runs = {
    .name = "xl_join_runs",
    .source = "ulong xl_join_runs(ulong a, ulong b)\n"
              "{ return (ulong)((uint)a + (uint)b) | max(a >> 32, b >> 32) << 32; }",
    .identity = &no_run,
    .flags = XL_OP_COMMUTATIVE | XL_OP_STRICTLY_ASSOCIATIVE};

/* Adds an expression as the function xl_FIELD_by(`arguments`) of the user's elements. */
static void add_expression(xli_text *text, const xli_select_problem *p, const char *field,
                           const char *result, const char *arguments, const char *expression)
{
    xli_text parameters = {0};
    xli_text_add(&parameters, "%s", arguments);
    xli_params_text_list(&parameters, &p->params);
    if (parameters.failed)
        text->failed = true;
    else
        xli_element_text_caller(text, field, result, parameters.data, expression);
    xli_text_free(&parameters);
}

static void add_predicate(xli_text *text, const xli_select_problem *p)
{
    char arguments[160];
    const xli_element *e = &p->element;
    const bool three = p->kind == XL_SELECT_PARTITION3;
    snprintf(arguments, sizeof arguments, "const %s x, const ulong i", e->name);
    add_expression(text, p, "predicate", three ? "uint" : "bool", arguments, p->predicate);
    xli_text_add(text,
                 "#line 1 \"plan\"\nuint xl_user_class(xl_element xl_x, ulong xl_i%s) { return "
                 "%sxl_predicate_by(%s(xl_x), xl_i",
                 xli_params_parameter(&p->params), three ? "min(" : "", e->open);
    xli_params_text_values(text, &p->params);
    xli_text_add(text, ")%s; }\n", three ? ", 2u)" : " ? 1u : 0u");
}

static void add_equal(xli_text *text, const xli_select_problem *p)
{
    char arguments[160];
    const xli_element *e = &p->element;
    snprintf(arguments, sizeof arguments, "const %s a, const %s b", e->name, e->name);
    add_expression(text, p, "equal", "bool", arguments, p->equal);
    xli_text_add(
        text,
        "#line 1 \"plan\"\nbool xl_user_equal(xl_element xl_a, xl_element xl_b%s) { return "
        "xl_equal_by(%s(xl_a), %s(xl_b)",
        xli_params_parameter(&p->params), e->open, e->open);
    xli_params_text_values(text, &p->params);
    xli_text_add(text, "); }\n");
}

/* Values are moved in units: the largest to which all elements of an array are aligned. */
static void add_values(xli_text *text, const xli_select_problem *p)
{
    static const char *const units[] = {
        [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "uint2", [16] = "uint4"};
    for (size_t k = 0; k < p->values.count; ++k) {
        const size_t bytes = p->values.bytes[k], unit = xli_value_unit(bytes);
        xli_text_add(text, "typedef %s xl_value%zu;\nenum { xl_value%zu_units = %zu };\n",
                     units[unit], k, k, bytes / unit);
    }
}

static xl_status add_text(const xli_select_plan *plan, const xli_capabilities *capabilities,
                          xli_text *text)
{
    xl_status status;
    const xli_select_problem *p = &plan->problem;
    const xli_select_shape *s = &plan->shape;
    const bool runs = p->kind == XL_SELECT_RUNS;
    const xli_definition lines[] = {
        {"XL_SERIAL", s->tune.serial},
        {"XL_GROUP_SIZE", s->group_size},
        {"XL_TILE", s->tile},
        {"XL_SELECT_KIND", (size_t)p->kind},
        {"XL_SELECT_BY", (size_t)p->by},
        {"XL_SELECT_VALUES", p->values.count},
        {"XL_SELECT_WIDE", p->wide},
        {"XL_SELECT_STAGED", s->staged},
        {"XL_REGISTERS", s->registers},
        {s->tune.serial ? NULL : "XL_ITEMS", s->items},
        {s->tune.serial ? NULL : "XL_VLEN", s->vector},
    };
    const xli_definition look_back[] = {
        {"XL_ORDERED", s->ordered},
        {"XL_TILES_PER_LANE", s->ordered ? xli_max(1, s->tune.window / s->group_size) : 1},
        {"XL_SPIN_LIMIT", s->tune.spin_limit},
        {"XL_INJECT_DELAY", s->tune.inject_delay},
        {"XL_INJECT_TEAR", s->tune.inject_tear},
    };
    xli_element state;
    XL_TRY(xli_element_resolve(plan->base.ctx, capabilities, "state",
                               xli_select_state_bytes(p) > sizeof(cl_uint) ? XL_U64 : XL_U32, NULL,
                               &state));
    xli_element_text(text, capabilities, (const xli_element *[]){&state, &p->element}, 2,
                     runs ? XL_USER_OP : XL_SUM, runs ? &join_runs : NULL);
    xli_text_add(text, "typedef %s xl_element;\n", p->element.storage);
    if (s->vector > 1)
        xli_text_add(text, "typedef %s%u xl_element_vec;\n", p->element.storage,
                     (unsigned)s->vector);
    else
        xli_text_add(text, "typedef xl_element xl_element_vec;\n");
    add_values(text, p);
    xli_params_text(text, &p->params);
    if (p->predicate)
        add_predicate(text, p);
    if (p->equal)
        add_equal(text, p);
    xli_text_define(text, lines, XLI_COUNT(lines));
    if (s->look_back)
        xli_text_define(text, look_back, XLI_COUNT(look_back));
    if (text->failed)
        XL_TRY(xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a kernel's source"));
done:
    return status;
}

typedef struct wanted {
    const char *program, *name;
    xli_kernel *kernel;
    bool is_wanted;
} wanted;

enum { NUM_NAMES = 8 };
static void list_kernels(xli_select_plan *plan, wanted list[NUM_NAMES])
{
    xli_select_kernels *k = &plan->kernels;
    const bool repeats = plan->problem.kind == XL_SELECT_REPEAT, sweeps = plan->shape.look_back,
               chunks = !repeats && !sweeps;
    const wanted all[NUM_NAMES] = {
        {"select_sweep", "xl_select_clear", &k->clear, sweeps},
        {"select_sweep", "xl_select_sweep", &k->sweep, sweeps},
        {"select_chunks", "xl_select_count", &k->count, chunks},
        {"select_chunks", "xl_select_spine", &k->spine, chunks},
        {"select_chunks", "xl_select_write", &k->write, chunks},
        {"select_repeat", "xl_repeat_count", &k->count, repeats},
        {"select_repeat", "xl_repeat_spine", &k->spine, repeats},
        {"select_repeat", "xl_repeat_write", &k->write, repeats},
    };
    memcpy(list, all, sizeof all);
}

xl_status xli_select_build(xli_select_plan *plan, const xli_capabilities *capabilities,
                           size_t *most)
{
    xl_status status;
    xli_text text = {0};
    wanted list[NUM_NAMES];
    const xli_element *const element = &plan->problem.element;
    xli_select_drop_kernels(plan);
    list_kernels(plan, list);
    *most = SIZE_MAX;
    XL_TRY(add_text(plan, capabilities, &text));
    for (size_t i = 0; i < NUM_NAMES; ++i) {
        xli_program *program;
        if (!list[i].is_wanted)
            continue;
        status = xli_program_get_limited(plan->base.ctx, list[i].program, text.data,
                                         plan->shape.registers, &program);
        if (status == XL_ERROR_BUILD)
            status = xli_element_explain(plan->base.ctx, capabilities, &element, 1);
        XL_TRY(status);
        XL_TRY(xli_kernel_create(plan->base.ctx, program, list[i].name, list[i].kernel));
        plan->sub_group = xli_program_sub_group(plan->base.ctx, program, plan->sub_group);
        if (list[i].kernel != &plan->kernels.clear)
            *most = xli_min(*most, list[i].kernel->max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

void xli_select_drop_kernels(xli_select_plan *plan)
{
    xli_select_kernels *k = &plan->kernels;
    xli_kernel *const all[] = {&k->clear, &k->sweep, &k->count, &k->spine, &k->write};
    for (size_t i = 0; i < XLI_COUNT(all); ++i)
        xli_kernel_destroy(all[i]);
}

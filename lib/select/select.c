/* SPDX-License-Identifier: MIT
 * Select: the kernels, the arrays of a call, and the public calls. */
#include "select_plan.h"

#include <stdio.h>
#include <string.h>

/* A plan renews its own state of look-back after this number of calls, before an epoch repeats. */
enum { MOST_CALLS = 1 << 24 };

static const xl_select_desc defaults = {.type = XL_U32, .index = XL_U32, .equal_zeros = 1};

/* ---- the kernels ---- */

static void drop(xl_plan *base)
{
    xli_select_plan *const plan = (xli_select_plan *)base;
    xli_select_kernels *k = &plan->kernels;
    xli_kernel *const all[] = {&k->clear, &k->sweep, &k->parts, &k->count, &k->spine, &k->write};
    for (size_t i = 0; i < XLI_COUNT(all); ++i)
        xli_kernel_destroy(all[i]);
}

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

static xl_status add_text(const xli_select_plan *plan, const xli_capabilities *capabilities,
                          xli_text *text)
{
    const xli_select_problem *p = &plan->problem;
    const xli_select_shape *s = &plan->shape;
    const xli_definition lines[] = {
        {"XL_SERIAL", s->tune.serial},         {"XL_GROUP_SIZE", s->group_size},
        {"XL_ITEMS", s->tile / s->group_size}, {"XL_SELECT_KIND", (size_t)p->kind},
        {"XL_SELECT_BY", (size_t)p->by},       {"XL_VALUES", p->values.count},
        {"XL_SELECT_WIDE", p->wide},           {"XL_SELECT_STAGED", s->staged},
        {"XL_REGISTERS", s->registers},        {s->tune.serial ? NULL : "XL_VLEN", s->vector},
    };
    const xli_definition look_back[] = {
        {"XL_ORDERED", s->ordered},
        {"XL_TILES_PER_LANE", s->ordered ? xli_max(1, s->tune.window / s->group_size) : 1},
    };
    xli_element_text_types(text, capabilities, (const xli_element *[]){&p->element}, 1);
    xli_text_add(text, "typedef %s xl_element;\n", p->element.storage);
    if (s->vector > 1)
        xli_text_add(text, "typedef %s%u xl_element_vec;\n", p->element.storage,
                     (unsigned)s->vector);
    else
        xli_text_add(text, "typedef xl_element xl_element_vec;\n");
    xli_values_text(text, &p->values);
    xli_params_text(text, &p->params);
    if (p->predicate)
        add_predicate(text, p);
    if (p->equal)
        add_equal(text, p);
    xli_text_define(text, lines, XLI_COUNT(lines));
    if (s->look_back || s->resident > 0)
        xli_text_define(text, look_back, XLI_COUNT(look_back));
    if (text->failed)
        return xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a kernel's source");
    return XL_SUCCESS;
}

typedef struct wanted {
    const char *program, *name;
    xli_kernel *kernel;
    bool is_wanted;
} wanted;

enum { NUM_NAMES = 10 };
static void list_kernels(xli_select_plan *plan, wanted list[NUM_NAMES])
{
    xli_select_kernels *k = &plan->kernels;
    const bool repeats = plan->problem.kind == XL_SELECT_REPEAT, sweeps = plan->shape.look_back,
               parts = plan->shape.resident > 0, chunks = !repeats && !sweeps && !parts;
    const wanted all[NUM_NAMES] = {
        {"select_sweep", "xl_select_clear", &k->clear, sweeps},
        {"select_sweep", "xl_select_sweep", &k->sweep, sweeps},
        {"select_parts", "xl_select_clear", &k->clear, parts},
        {"select_parts", "xl_select_parts", &k->parts, parts},
        {"select_chunks", "xl_select_count", &k->count, chunks},
        {"select_chunks", "xl_select_spine", &k->spine, chunks},
        {"select_chunks", "xl_select_write", &k->write, chunks},
        {"select_repeat", "xl_repeat_count", &k->count, repeats},
        {"select_repeat", "xl_repeat_spine", &k->spine, repeats},
        {"select_repeat", "xl_repeat_write", &k->write, repeats},
    };
    memcpy(list, all, sizeof all);
}

static xl_status build(xli_select_plan *plan, const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    wanted list[NUM_NAMES];
    const xli_element *const element = &plan->problem.element;
    drop(&plan->base);
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

/* ---- the plan ---- */

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_select_desc *const desc = of;
    xli_select_plan *const plan = (xli_select_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_select_resolve(base->ctx, capabilities, desc, &plan->problem));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SELECT, desc), &device,
                            &tune));
    size_t most = xli_most_work_items(capabilities);
    do {
        xli_select_shape_of(&plan->problem, capabilities, &tune.select, most, &plan->shape);
        plan->sub_group = xli_sub_group_of(capabilities, plan->shape.group_size);
        XL_TRY(build(plan, capabilities, &most));
    } while (plan->shape.group_size > most);
    base->pool.zeroed = plan->shape.look_back || plan->shape.resident > 0;
    base->pool.most_calls = base->pool.zeroed ? MOST_CALLS : 0;
done:
    return status;
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_select_plan *const plan = (const xli_select_plan *)base;
    const xli_select_shape *const shape = &plan->shape;
    const char *const name = plan->problem.kind == XL_SELECT_REPEAT ? "merge-path"
                             : shape->look_back                     ? "look-back"
                                                                    : "reduce-then-scan";
    (void)n;
    details->sub_group_size = plan->sub_group;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->items;
    details->tile_elements = shape->tile;
    snprintf(details->algorithm, sizeof details->algorithm, "%s", name);
}

/* ---- sizes and arrays ---- */

static xl_status count(const xl_plan *base, const void *of)
{
    const xl_select_args *const args = of;
    const xli_select_problem *const p = &((const xli_select_plan *)base)->problem;
    const bool runs = p->kind == XL_SELECT_RUNS, narrow = args->indices_out.buffer && !p->wide;
    if (args->n > UINT32_MAX && (runs || narrow))
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.n: %zu; must be at most 4294967295 %s", args->n,
                        runs ? "for XL_SELECT_RUNS" : "if desc.index is u32");
    return XL_SUCCESS;
}

static xli_array optional(xli_array array, const char *unused)
{
    array.optional = true;
    array.unused = unused;
    return array;
}

static void list_values(const xli_select_problem *p, const xl_select_args *args, size_t room,
                        xli_array *arrays)
{
    for (size_t k = 0; k < XLI_VALUES; ++k) {
        xli_array *const in = &arrays[XLI_SELECT_VALUES_IN + k];
        xli_array *const out = &arrays[XLI_SELECT_VALUES_OUT + k];
        *in = xli_values_in(&p->values, k, args->values_in, args->more_values_in, args->n);
        *out = xli_values_out(&p->values, k, args->values_out, args->more_values_out, room);
        in->optional = !out->view.buffer;
        out->optional = true;
    }
}

/* Flags, or the lengths of runs. */
static void list_choice(const xli_select_problem *p, const xl_select_args *args, xli_array *arrays)
{
    const bool bits = p->by == XL_SELECT_BY_BITMASK;
    const size_t words = bits ? xli_ceil_div(args->n, 32) : args->n;
    arrays[XLI_SELECT_FLAGS] =
        xli_input("args.flags", args->flags, words, bits ? sizeof(cl_uint) : 1);
    arrays[XLI_SELECT_LENGTHS_IN] =
        xli_input("args.lengths_in", args->lengths_in, args->n, sizeof(cl_uint));
    if (p->by == XL_SELECT_BY_PREDICATE)
        arrays[XLI_SELECT_FLAGS].unused =
            "requires desc.by XL_SELECT_BY_FLAGS or XL_SELECT_BY_BITMASK";
    if (p->kind != XL_SELECT_REPEAT)
        arrays[XLI_SELECT_LENGTHS_IN].unused = "requires desc.kind XL_SELECT_REPEAT";
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_select_args *const args = of;
    const xli_select_problem *const p = &((const xli_select_plan *)base)->problem;
    const size_t n = args->n, room = xli_select_room(p, n, args->capacity),
                 element = p->element.bytes;
    const size_t index = p->wide ? sizeof(cl_ulong) : sizeof(cl_uint);
    const size_t counts = p->kind == XL_SELECT_PARTITION3 ? 2 : 1;
    arrays[XLI_SELECT_N_DEVICE] =
        optional(xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong)), NULL);
    arrays[XLI_SELECT_IN] = xli_input("args.in", args->in, n, element);
    arrays[XLI_SELECT_IN].optional = !xli_select_looks(p) && !args->out.buffer;
    list_choice(p, args, arrays);
    arrays[XLI_SELECT_OUT] = optional(xli_output("args.out", args->out, room, element), NULL);
    arrays[XLI_SELECT_INDICES] =
        optional(xli_output("args.indices_out", args->indices_out, room, index), NULL);
    arrays[XLI_SELECT_LENGTHS] =
        optional(xli_output("args.lengths_out", args->lengths_out, room, sizeof(cl_uint)),
                 p->kind == XL_SELECT_RUNS ? NULL : "requires desc.kind XL_SELECT_RUNS");
    arrays[XLI_SELECT_COUNT] =
        optional(xli_output("args.count_out", args->count_out, counts, sizeof(cl_ulong)), NULL);
    list_values(p, args, room, arrays);
    return XLI_SELECT_SPANS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_select_plan *const plan = (const xli_select_plan *)base;
    return xli_select_scratch_bytes(&plan->problem, &plan->shape, ((const xl_select_args *)of)->n);
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(select, xli_select_plan),
                                        .check = xli_select_check, .count = count,
                                        .scratch = scratch_bytes, .launch = xli_select_launch};
XLI_PUBLIC_CALLS(select)

/* SPDX-License-Identifier: MIT
 * Select: the descriptor, the arrays of a call, and the public calls. */
#include "select_plan.h"

#include <stdio.h>

/* A plan renews its own state of look-back after this number of calls, before an epoch repeats. */
enum { MOST_CALLS = 1 << 24 };

static const xl_select_desc defaults = {.type = XL_U32, .index = XL_U32, .equal_zeros = 1};

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
        XL_TRY(xli_select_build(plan, capabilities, &most));
    } while (plan->shape.group_size > most);
    base->pool.zeroed = plan->shape.look_back;
    base->pool.most_calls = plan->shape.look_back ? MOST_CALLS : 0;
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_select_drop_kernels((xli_select_plan *)base);
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

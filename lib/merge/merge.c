/* SPDX-License-Identifier: MIT
 * Merge: the descriptor, the kernels, the arrays of a call, and the public calls. */
#include "key.h"
#include "merge_plan.h"

#include <inttypes.h>
#include <string.h>

static const xl_merge_desc defaults = {.key = XL_U32};

static xl_status check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_merge_desc *const desc = of;
    xli_values values;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_values_read(ctx, desc->value, desc->more_values, &values));
    if (desc->operation > XL_MERGE_DIFFERENCE)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.operation: %u; must be XL_MERGE_ALL, XL_MERGE_UNION, "
                        "XL_MERGE_INTERSECTION or XL_MERGE_DIFFERENCE",
                        (unsigned)desc->operation));
    XL_TRY(xli_key_check_order(ctx, desc->order));
done:
    return status;
}

/* ---- the kernels ---- */

static void drop(xl_plan *base)
{
    xli_merge_plan *const plan = (xli_merge_plan *)base;
    xli_kernel *const all[] = {&plan->partitions, &plan->parts,    &plan->set_cuts,
                               &plan->set_counts, &plan->set_sums, &plan->set_writes};
    for (size_t k = 0; k < XLI_COUNT(all); ++k)
        xli_kernel_destroy(all[k]);
}

static void add_text(xli_text *text, const xli_merge_problem *problem, const xli_merge_shape *shape)
{
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->serial},
        {"XL_VALUES", problem->values.count},
        {"XL_GROUP_SIZE", shape->group_size},
        {shape->serial ? NULL : "XL_ITEMS", shape->items},
        {shape->sets ? "XL_MERGE_OPERATION" : NULL, (size_t)problem->operation},
        {shape->sets ? NULL : "XL_INJECT_PLACES", shape->inject_places},
    };
    xli_key_text(text, problem->key, problem->descending, problem->equal_zeros);
    xli_values_text(text, &problem->values);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status build(xli_merge_plan *plan, size_t *most)
{
    xli_text text = {0};
    const bool serial = plan->shape.serial, sets = plan->shape.sets;
    const xli_wanted list[] = {{"xl_merge_partitions", &plan->partitions, !sets && !serial},
                               {"xl_merge_tiles", &plan->parts, !sets && !serial},
                               {"xl_merge_chunks", &plan->parts, !sets && serial},
                               {"xl_set_cuts", &plan->set_cuts, sets},
                               {"xl_set_counts", &plan->set_counts, sets},
                               {"xl_set_sums", &plan->set_sums, sets},
                               {"xl_set_writes", &plan->set_writes, sets}};
    drop(&plan->base);
    *most = SIZE_MAX;
    add_text(&text, &plan->problem, &plan->shape);
    const xl_status status = xli_kernels_build(plan->base.ctx, sets ? "merge_sets" : "merge_sorted",
                                               &text, list, XLI_COUNT(list), most);
    xli_text_free(&text);
    return status;
}

/* ---- the plan ---- */

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_merge_desc *const desc = of;
    xli_merge_plan *const plan = (xli_merge_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_MERGE, desc), &device,
                            &tune));
    size_t most = xli_most_work_items(capabilities);
    plan->problem = (xli_merge_problem){.key = desc->key,
                                        .operation = (xl_merge_operation)desc->operation,
                                        .descending = desc->order == XL_DESCENDING,
                                        .equal_zeros = desc->equal_zeros != 0};
    XL_TRY(xli_values_read(base->ctx, desc->value, desc->more_values, &plan->problem.values));
    do {
        xli_merge_shape_of(&plan->problem, &device, &tune.merge, most, &plan->shape);
        XL_TRY(build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_merge_shape *const shape = &((const xli_merge_plan *)base)->shape;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->serial ? 0 : shape->items;
    details->tile_elements = xli_merge_tile(shape, n);
    strcpy(details->algorithm, "merge-path");
}

static xl_status count_runs(const xl_plan *base, const xl_merge_args *args)
{
    if (((const xli_merge_plan *)base)->problem.operation != XL_MERGE_ALL)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.num_runs: %zu; requires desc.operation XL_MERGE_ALL", args->num_runs);
    if (args->n_b > 0)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.n_b: %zu; must be 0, because args.num_runs is above 0", args->n_b);
    return XL_SUCCESS;
}

/* Places on the device have 48 bits, in a set operation 32. 16 bytes are more than a key or a place
 * has. */
static xl_status count(const xl_plan *base, const void *of)
{
    const xl_merge_args *const args = of;
    const xli_merge_problem *const problem = &((const xli_merge_plan *)base)->problem;
    const uint64_t counted =
        problem->operation == XL_MERGE_ALL ? (UINT64_C(1) << 48) - 1 : UINT32_MAX;
    const size_t most = (size_t)(counted < SIZE_MAX / 16 ? counted : SIZE_MAX / 16);
    if (args->n_a > most || args->n_b > most - args->n_a)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.n_a, args.n_b: %zu and %zu; must be at most %zu together", args->n_a,
                        args->n_b, most);
    return args->num_runs > 0 ? count_runs(base, args) : XL_SUCCESS;
}

/* The arrays of values, from arrays[0] on: n of `first` and `more`, in an input or the output. */
static void list_values(const xli_values *values, const char *const names[XLI_VALUES],
                        xl_view first, const xl_view *more, size_t n, xli_array *arrays)
{
    for (size_t k = 0; k < XLI_VALUES; ++k) {
        arrays[k] = xli_input(names[k], k > 0 ? more[k - 1] : first, n, values->bytes[k]);
        if (values->bytes[k] == 0)
            arrays[k].unused = "must not be given, because the plan has no such values";
    }
}

/* Set operations but the union take no elements of b. */
static void list_inputs(const xli_merge_problem *p, const xl_merge_args *args, xli_array *arrays)
{
    static const char *const names_a[] = {"args.values_a", "args.more_values_a[0]",
                                          "args.more_values_a[1]", "args.more_values_a[2]"};
    static const char *const names_b[] = {"args.values_b", "args.more_values_b[0]",
                                          "args.more_values_b[1]", "args.more_values_b[2]"};
    const size_t key = xl_type_size(p->key);
    arrays[XLI_MERGE_N_A] = xli_input("args.n_a_device", args->n_a_device, 1, sizeof(cl_ulong));
    arrays[XLI_MERGE_N_B] = xli_input("args.n_b_device", args->n_b_device, 1, sizeof(cl_ulong));
    arrays[XLI_MERGE_N_A].optional = arrays[XLI_MERGE_N_B].optional = true;
    arrays[XLI_MERGE_KEYS_A] = xli_input("args.keys_a", args->keys_a, args->n_a, key);
    arrays[XLI_MERGE_KEYS_B] = xli_input("args.keys_b", args->keys_b, args->n_b, key);
    list_values(&p->values, names_a, args->values_a, args->more_values_a, args->n_a,
                &arrays[XLI_MERGE_VALUES_A]);
    list_values(&p->values, names_b, args->values_b, args->more_values_b, args->n_b,
                &arrays[XLI_MERGE_VALUES_B]);
    for (size_t k = 0; p->operation >= XL_MERGE_INTERSECTION && k < XLI_VALUES; ++k)
        arrays[XLI_MERGE_VALUES_B + k].unused =
            "must not be given, because this desc.operation takes all values from a";
    for (size_t k = 0; args->num_runs > 0 && k < XLI_MERGE_KEYS_OUT; ++k)
        if (k < XLI_MERGE_KEYS_A || k >= XLI_MERGE_KEYS_B)
            arrays[k].unused = "must not be given, because args.num_runs is above 0";
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    static const char *const names[] = {"args.values_out", "args.more_values_out[0]",
                                        "args.more_values_out[1]", "args.more_values_out[2]"};
    const xl_merge_args *const args = of;
    const xli_merge_problem *const p = &((const xli_merge_plan *)base)->problem;
    const size_t room = xli_merge_room(p, args->n_a, args->n_b);
    list_inputs(p, args, arrays);
    arrays[XLI_MERGE_KEYS_OUT] =
        xli_output("args.keys_out", args->keys_out, room, xl_type_size(p->key));
    list_values(&p->values, names, args->values_out, args->more_values_out, room,
                &arrays[XLI_MERGE_VALUES_OUT]);
    for (size_t k = 0; k < XLI_VALUES; ++k)
        arrays[XLI_MERGE_VALUES_OUT + k].access = XLI_WRITE;
    arrays[XLI_MERGE_COUNT] = xli_output("args.count_out", args->count_out, 1, sizeof(cl_ulong));
    if (p->operation == XL_MERGE_ALL)
        arrays[XLI_MERGE_COUNT].unused =
            "must not be given, because desc.operation is XL_MERGE_ALL";
    return XLI_MERGE_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xl_merge_args *const args = of;
    const xli_merge_plan *const plan = (const xli_merge_plan *)base;
    return xli_add(xli_merge_scratch_bytes(&plan->shape, args->n_a + args->n_b),
                   xli_merge_spare_bytes(&plan->problem, args->n_a, args->num_runs));
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(merge, xli_merge_plan),
                                        .check = check, .count = count, .scratch = scratch_bytes,
                                        .launch = xli_merge_launch};
XLI_PUBLIC_CALLS(merge)

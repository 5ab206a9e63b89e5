/* SPDX-License-Identifier: MIT
 * Merge: the descriptor, the arrays of a call, and the public calls. */
#include "key.h"
#include "merge_plan.h"

#include <string.h>

static const xl_merge_desc defaults = {.key = XL_U32};

static xl_status check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_merge_desc *const desc = of;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_key_check_value(ctx, desc->value));
    XL_TRY(xli_key_check_order(ctx, desc->order));
done:
    return status;
}

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
    plan->problem = (xli_merge_problem){desc->key, desc->value, desc->order == XL_DESCENDING,
                                        desc->equal_zeros != 0};
    do {
        xli_merge_shape_of(&plan->problem, &device, &tune.merge, most, &plan->shape);
        XL_TRY(xli_merge_build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_merge_drop_kernels((xli_merge_plan *)base);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_merge_shape *const shape = &((const xli_merge_plan *)base)->shape;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->serial ? 0 : shape->items;
    details->tile_elements = xli_merge_tile(shape, n);
    strcpy(details->algorithm, "merge-path");
}

/* Indices on the device have 32 bits, and an element has at most 16 bytes. */
static xl_status count(const xl_plan *base, const void *of)
{
    const xl_merge_args *const args = of;
    const size_t most = xli_min(UINT32_MAX, SIZE_MAX / 16);
    if (args->n_a > most || args->n_b > most - args->n_a)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.n_a, args.n_b: %zu and %zu; must be at most %zu together", args->n_a,
                        args->n_b, most);
    return XL_SUCCESS;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_merge_args *const args = of;
    const xli_merge_problem *const problem = &((const xli_merge_plan *)base)->problem;
    const size_t a = args->n_a, b = args->n_b;
    const size_t key = xl_type_size(problem->key), value = xl_type_size(problem->value);
    arrays[XLI_MERGE_KEYS_A] = xli_input("args.keys_a", args->keys_a, a, key);
    arrays[XLI_MERGE_KEYS_B] = xli_input("args.keys_b", args->keys_b, b, key);
    arrays[XLI_MERGE_KEYS_OUT] = xli_output("args.keys_out", args->keys_out, a + b, key);
    arrays[XLI_MERGE_VALUES_A] = xli_input("args.values_a", args->values_a, a, value);
    arrays[XLI_MERGE_VALUES_B] = xli_input("args.values_b", args->values_b, b, value);
    arrays[XLI_MERGE_VALUES_OUT] = xli_output("args.values_out", args->values_out, a + b, value);
    for (size_t k = XLI_MERGE_VALUES_A; k < XLI_MERGE_ARRAYS && problem->value == XL_NONE; ++k)
        arrays[k].unused = "must not be given, because desc.value is XL_NONE";
    return XLI_MERGE_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xl_merge_args *const args = of;
    return xli_merge_scratch_bytes(&((const xli_merge_plan *)base)->shape, args->n_a + args->n_b);
}

static const xli_primitive primitive = {.name = "merge",
                                        .plan_bytes = sizeof(xli_merge_plan),
                                        .desc = {"desc", sizeof(xl_merge_desc), NULL},
                                        .args = {"args", sizeof(xl_merge_args), NULL},
                                        .scratch_at = offsetof(xl_merge_args, scratch),
                                        .defaults = &defaults,
                                        .check = check,
                                        .make = make,
                                        .drop = drop,
                                        .info = info,
                                        .count = count,
                                        .arrays = arrays,
                                        .scratch = scratch_bytes,
                                        .launch = xli_merge_launch};
XLI_PUBLIC_CALLS(merge)

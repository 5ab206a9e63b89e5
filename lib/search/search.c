/* SPDX-License-Identifier: MIT
 * Search: the descriptor, the arrays of a call, and the public calls. */
#include "key.h"
#include "search_plan.h"

#include <string.h>

static const xl_search_desc defaults = {.key = XL_U32, .index = XL_U64};

static xl_status check_index(xl_context *ctx, const xl_search_desc *desc)
{
    const bool unsorted = desc->kind == XL_SEARCH_UNSORTED;
    if (desc->index == XL_U64 || (desc->index == XL_U32 && !unsorted))
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.index: %s (%d); must be %s",
                    xl_type_name(desc->index), (int)desc->index,
                    unsorted ? "u64 for XL_SEARCH_UNSORTED" : "u32 or u64");
}

static xl_status check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_search_desc *const desc = of;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_key_check_order(ctx, desc->order));
    if (desc->kind > XL_SEARCH_UNSORTED)
        XL_TRY(xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.kind: %u; must be XL_SEARCH_LOWER, XL_SEARCH_UPPER or XL_SEARCH_UNSORTED",
            (unsigned)desc->kind));
    XL_TRY(check_index(ctx, desc));
done:
    return status;
}

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_search_desc *const desc = of;
    xli_search_plan *const plan = (xli_search_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SEARCH, desc), &device,
                            &tune));
    size_t most = xli_most_work_items(capabilities);
    plan->problem = (xli_search_problem){desc->key, desc->index, desc->order == XL_DESCENDING,
                                         (xl_search_kind)desc->kind, desc->equal_zeros != 0};
    do {
        xli_search_shape_of(&plan->problem, &device, &tune.search, most, &plan->shape);
        XL_TRY(xli_search_build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_search_drop_kernels((xli_search_plan *)base);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_search_plan *const plan = (const xli_search_plan *)base;
    const xli_search_shape *const shape = &plan->shape;
    const bool unsorted = plan->problem.kind == XL_SEARCH_UNSORTED;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->serial ? 0 : shape->items;
    details->tile_elements =
        unsorted ? xli_search_chunks_of(shape, n).elements : xli_search_queries(shape, n);
    strcpy(details->algorithm, unsorted ? "chunks" : "binary-search");
}

/* An element has less than 16 bytes. */
static xl_status count(const xl_plan *base, const void *of)
{
    const xl_search_args *const args = of;
    const xli_search_problem *const problem = &((const xli_search_plan *)base)->problem;
    const bool unsorted = problem->kind == XL_SEARCH_UNSORTED, narrow = problem->index == XL_U32;
    const size_t most = SIZE_MAX / 16, most_keys = narrow ? xli_min(UINT32_MAX, most) : most;
    if (args->n > most_keys)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.n: %zu; must be at most %zu if desc.index is %s", args->n, most_keys,
                        xl_type_name(problem->index));
    if (unsorted && args->num_queries > 0)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.num_queries: %zu; must be 0 for XL_SEARCH_UNSORTED",
                        args->num_queries);
    if (args->num_queries > most)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.num_queries: %zu; must be at most %zu", args->num_queries, most);
    return XL_SUCCESS;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_search_args *const args = of;
    const xli_search_problem *const problem = &((const xli_search_plan *)base)->problem;
    const bool unsorted = problem->kind == XL_SEARCH_UNSORTED;
    const char *const no_queries = unsorted ? "must not be given for XL_SEARCH_UNSORTED" : NULL;
    const size_t key = xl_type_size(problem->key), places = unsorted ? 1 : args->num_queries;
    arrays[XLI_SEARCH_N] = xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[XLI_SEARCH_NUM_QUERIES] =
        xli_input("args.num_queries_device", args->num_queries_device, 1, sizeof(cl_ulong));
    arrays[XLI_SEARCH_N].optional = arrays[XLI_SEARCH_NUM_QUERIES].optional = true;
    arrays[XLI_SEARCH_NUM_QUERIES].unused = no_queries;
    arrays[XLI_SEARCH_KEYS] = xli_input("args.keys", args->keys, args->n, key);
    arrays[XLI_SEARCH_QUERIES] = xli_input("args.queries", args->queries, args->num_queries, key);
    arrays[XLI_SEARCH_QUERIES].unused = no_queries;
    arrays[XLI_SEARCH_INDICES_OUT] =
        xli_output("args.indices_out", args->indices_out, places, xl_type_size(problem->index));
    return XLI_SEARCH_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_search_plan *const plan = (const xli_search_plan *)base;
    return xli_search_scratch_bytes(&plan->problem, &plan->shape, ((const xl_search_args *)of)->n);
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(search, xli_search_plan),
                                        .check = check, .count = count, .scratch = scratch_bytes,
                                        .launch = xli_search_launch};
XLI_PUBLIC_CALLS(search)

/* SPDX-License-Identifier: MIT
 * Search: the descriptor, the kernels, the arrays of a call, and its launches: one for queries; two to
 * find where keys are not sorted (cl/search/search_sorted.cl, search_unsorted.cl). */
#include "key.h"
#include "primitive.h"
#include "search_shape.h"

#include <string.h>

typedef struct search_plan {
    xl_plan base;
    xli_search_problem problem;
    xli_search_shape shape;
    xli_kernel keys;           /* for queries */
    xli_kernel chunks, lowest; /* for XL_SEARCH_UNSORTED */
} search_plan;

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

/* ---- the plan ---- */

static void drop(xl_plan *base)
{
    search_plan *const plan = (search_plan *)base;
    xli_kernel_destroy(&plan->keys);
    xli_kernel_destroy(&plan->chunks);
    xli_kernel_destroy(&plan->lowest);
}

static void add_text(xli_text *text, const xli_search_problem *problem,
                     const xli_search_shape *shape)
{
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->serial},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_SEARCH_ITEMS", shape->items},
        {"XL_SEARCH_UPPER", problem->kind == XL_SEARCH_UPPER},
        {"XL_SEARCH_WIDE", problem->index == XL_U64},
    };
    xli_key_text(text, problem->key, problem->descending, problem->equal_zeros);
    xli_text_define(text, lines, XLI_COUNT(lines));
}

static xl_status build(search_plan *plan, size_t *most)
{
    xli_text text = {0};
    const bool unsorted = plan->problem.kind == XL_SEARCH_UNSORTED;
    const xli_wanted list[] = {{"xl_unsorted_chunks", &plan->chunks, unsorted},
                               {"xl_unsorted_lowest", &plan->lowest, unsorted},
                               {"xl_search_keys", &plan->keys, !unsorted}};
    drop(&plan->base);
    add_text(&text, &plan->problem, &plan->shape);
    *most = SIZE_MAX;
    const xl_status status =
        xli_kernels_build(plan->base.ctx, unsorted ? "search_unsorted" : "search_sorted", &text,
                          list, XLI_COUNT(list), most);
    xli_text_free(&text);
    return status;
}

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_search_desc *const desc = of;
    search_plan *const plan = (search_plan *)base;
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
        XL_TRY(build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const search_plan *const plan = (const search_plan *)base;
    const xli_search_shape *const shape = &plan->shape;
    const bool unsorted = plan->problem.kind == XL_SEARCH_UNSORTED;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->serial ? 0 : shape->items;
    details->tile_elements =
        unsorted ? xli_search_chunks_of(shape, n).elements : xli_search_queries(shape, n);
    strcpy(details->algorithm, unsorted ? "chunks" : "binary-search");
}

/* ---- arrays ---- */

/* The arrays of a call. */
enum { N, NUM_QUERIES, KEYS, QUERIES, INDICES_OUT, ARRAYS };

/* An element has less than 16 bytes. */
static xl_status count(const xl_plan *base, const void *of)
{
    const xl_search_args *const args = of;
    const xli_search_problem *const problem = &((const search_plan *)base)->problem;
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
    const xli_search_problem *const problem = &((const search_plan *)base)->problem;
    const bool unsorted = problem->kind == XL_SEARCH_UNSORTED;
    const char *const no_queries = unsorted ? "must not be given for XL_SEARCH_UNSORTED" : NULL;
    const size_t key = xl_type_size(problem->key), places = unsorted ? 1 : args->num_queries;
    arrays[N] = xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[NUM_QUERIES] =
        xli_input("args.num_queries_device", args->num_queries_device, 1, sizeof(cl_ulong));
    arrays[N].optional = arrays[NUM_QUERIES].optional = true;
    arrays[NUM_QUERIES].unused = no_queries;
    arrays[KEYS] = xli_input("args.keys", args->keys, args->n, key);
    arrays[QUERIES] = xli_input("args.queries", args->queries, args->num_queries, key);
    arrays[QUERIES].unused = no_queries;
    arrays[INDICES_OUT] =
        xli_output("args.indices_out", args->indices_out, places, xl_type_size(problem->index));
    return ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const search_plan *const plan = (const search_plan *)base;
    return xli_search_scratch_bytes(&plan->problem, &plan->shape, ((const xl_search_args *)of)->n);
}

/* ---- launches ---- */

static void add_length(xli_args *list, size_t n, const xli_span *device)
{
    xli_args_add(list, XLI_U64(n));
    xli_args_add(list, XLI_OPTIONAL(device->buffer));
    xli_args_add(list, XLI_U64(device->offset));
}

static xl_status launch_queries(search_plan *plan, xli_seq *seq, const xl_search_args *args,
                                const xli_span *spans)
{
    const size_t queries = xli_search_queries(&plan->shape, args->num_queries);
    /* If there are no keys, the kernel is given the queries' buffer and reads no keys. */
    const bool has_keys = spans[KEYS].buffer != NULL;
    xli_args list = {.count = 0};
    add_length(&list, args->n, &spans[N]);
    add_length(&list, args->num_queries, &spans[NUM_QUERIES]);
    if (plan->shape.serial)
        xli_args_add(&list, XLI_U64(queries));
    xli_args_add_span(&list, &spans[has_keys ? KEYS : QUERIES]);
    xli_args_add_span(&list, &spans[QUERIES]);
    xli_args_add_span(&list, &spans[INDICES_OUT]);
    return xli_seq_launch_args(seq, &plan->keys, xli_ceil_div(args->num_queries, queries),
                               plan->shape.group_size, &list, 0);
}

static xl_status launch_unsorted(search_plan *plan, xli_seq *seq, size_t n, const xli_span *spans,
                                 const xli_span *scratch)
{
    xl_status status;
    const size_t group = plan->shape.group_size;
    const xli_search_chunks chunks = xli_search_chunks_of(&plan->shape, n);
    const xli_span *const keys = &spans[KEYS];
    const xli_span *const out = &spans[INDICES_OUT];
    const bool any = chunks.count > 0;
    const xli_span *const found = any ? scratch : out;
    const size_t found_at = any ? scratch->offset / sizeof(cl_ulong) : 0;
    xli_args list = {.count = 0};
    add_length(&list, n, &spans[N]);
    xli_args_add(&list, XLI_U64(chunks.elements));
    xli_args_add_span(&list, keys);
    xli_args_add_place(&list, found->buffer, found_at);
    if (any)
        XL_TRY(xli_seq_launch_args(seq, &plan->chunks, chunks.count, group, &list, 0));
    list.count = 0;
    add_length(&list, n, &spans[N]);
    xli_args_add(&list, XLI_U64(chunks.count));
    xli_args_add_place(&list, found->buffer, found_at);
    xli_args_add_span(&list, out);
    XL_TRY(xli_seq_launch_args(seq, &plan->lowest, 1, group, &list, 0));
done:
    return status;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    const xl_search_args *const args = of;
    search_plan *const plan = (search_plan *)base;
    if (plan->problem.kind == XL_SEARCH_UNSORTED)
        return launch_unsorted(plan, seq, args->n, spans, scratch);
    return args->num_queries > 0 ? launch_queries(plan, seq, args, spans) : XL_SUCCESS;
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(search, search_plan),
                                        .check = check, .count = count, .scratch = scratch_bytes,
                                        .launch = launch};
XLI_PUBLIC_CALLS(search)

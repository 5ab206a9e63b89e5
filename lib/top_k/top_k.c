/* SPDX-License-Identifier: MIT
 * Top-k selection: the descriptor, the arrays of a call, and the public calls. */
#include "key.h"
#include "top_k_plan.h"

#include <string.h>

static const xl_top_k_desc defaults = {.key = XL_U32, .largest = 1, .sorted = 1};

static xl_status check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_top_k_desc *const desc = of;
    xli_values values;
    XL_TRY(xli_key_check(ctx, desc->key));
    XL_TRY(xli_values_read(ctx, desc->value, desc->more_values, &values));
    XL_TRY(xli_key_check_segments(ctx, desc->segments, desc->segment_type));
done:
    return status;
}

/* ---- plans ------------------------------------------------------------------ */

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make_selection(xli_top_k_plan *plan, const xli_tune_device *device,
                                const xli_tune_top_k *tune)
{
    xl_status status;
    size_t most = SIZE_MAX;
    do {
        xli_top_k_shape_of(device, tune, most, &plan->shape);
        plan->tile_log = xli_top_k_tile_log(&plan->problem, &plan->shape, device);
        XL_TRY(xli_top_k_build(plan, &most));
    } while (plan->shape.group_size > most && plan->shape.group_size > 1);
done:
    return status;
}

/* The sort that puts many results in order. */
static xl_status make_sort(xli_top_k_plan *plan, const xli_tune_wish *wish)
{
    xl_status status = XL_SUCCESS;
    xl_tunable *part = NULL;
    xl_sort_desc desc;
    const bool wide = xli_top_k_is_wide(&plan->problem);
    if (!plan->problem.sorted)
        return XL_SUCCESS;
    xl_sort_desc_init(&desc);
    if (plan->problem.segments != XL_NONE) {
        desc.segments = XL_SEGMENTS_OFFSETS;
        desc.segment_type = XL_U32;
        desc.key = wide ? XL_U64 : XL_U32;
        desc.value = XL_U32;
    } else {
        desc.key = XL_U64;
        desc.value = wide ? XL_U32 : XL_NONE;
        desc.stable = wide;
    }
    if (wish->count > 0) {
        part = xli_alloc(wish->count * sizeof *part);
        if (!part)
            XL_TRY(xli_fail(plan->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for tuning values"));
        desc.num_tunables = xli_tune_part(wish, XLI_TUNE_SORT, part);
        desc.tunables = part;
    }
    XL_TRY(xl_sort_create(plan->base.ctx, &desc, &plan->sort));
done:
    xli_free(part);
    return status;
}

static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_top_k_desc *const desc = of;
    xli_top_k_plan *const plan = (xli_top_k_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    const unsigned takes = desc->sorted ? XLI_TUNE_TOP_K | XLI_TUNE_SORT : XLI_TUNE_TOP_K;
    const xli_tune_wish *const wish = XLI_TUNE_WISH(takes, desc);
    plan->problem = (xli_top_k_problem){.key = (xl_type)desc->key,
                                        .largest = desc->largest != 0,
                                        .sorted = desc->sorted != 0,
                                        .segments = (xl_type)desc->segment_type,
                                        .equal_zeros = desc->equal_zeros != 0};
    XL_TRY(xli_values_read(base->ctx, desc->value, desc->more_values, &plan->problem.values));
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_context_tune(base->ctx, capabilities, wish, &device, &tune));
    XL_TRY(make_selection(plan, &device, &tune.top_k));
    XL_TRY(make_sort(plan, wish));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_top_k_plan *const plan = (xli_top_k_plan *)base;
    xl_plan_destroy(plan->sort);
    xli_top_k_drop_kernels(plan);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_top_k_plan *const plan = (const xli_top_k_plan *)base;
    const xli_top_k_shape *const shape = &plan->shape;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->group_size > 1 ? shape->tune.items : 0;
    details->tile_elements = plan->problem.segments != XL_NONE
                                 ? (size_t)1 << plan->tile_log
                                 : xli_top_k_chunks_of(shape, n).elements;
    strcpy(details->algorithm, "radix select");
}

/* ---- calls ------------------------------------------------------------------ */

/* Indices on the device have 32 bits, and an element has at most 16 bytes. */
static xl_status count(const xl_plan *base, const void *of)
{
    const size_t n = ((const xl_top_k_args *)of)->n, most = xli_min(UINT32_MAX, SIZE_MAX / 16);
    if (n > most)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT, "args.n: %zu; must be at most %zu", n,
                        most);
    return XL_SUCCESS;
}

/* `needed`: the call has results, so that at least one output must be given. */
static xli_array result(xli_array a, bool needed)
{
    a.optional = true;
    a.one_of = needed && !a.unused;
    return a;
}

static void list_values(const xli_top_k_problem *problem, const xl_top_k_args *args, size_t results,
                        bool needed, xli_array *arrays)
{
    for (size_t k = 0; k < XLI_VALUES; ++k) {
        xli_array *const in = &arrays[XLI_TOP_K_VALUES_IN + k];
        xli_array *const out = &arrays[XLI_TOP_K_VALUES_OUT + k];
        *in = xli_values_in(&problem->values, k, args->values_in, args->more_values_in, args->n);
        *out = result(
            xli_values_out(&problem->values, k, args->values_out, args->more_values_out, results),
            needed);
        in->optional = !out->view.buffer;
    }
}

/* Marks the arrays that plans with or without segments do not take. */
static void mark_unused(const xli_top_k_problem *problem, xli_array *arrays)
{
    static const char whole[] = "must not be given, because desc.segments is XL_SEGMENTS_NONE",
                      segments[] = "must not be given, because desc.segments is "
                                   "XL_SEGMENTS_OFFSETS; args.counts_out has a count for each";
    if (problem->segments == XL_NONE)
        arrays[XLI_TOP_K_SEGMENTS].unused = arrays[XLI_TOP_K_COUNTS_OUT].unused = whole;
    else
        arrays[XLI_TOP_K_COUNT_OUT].unused = segments;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_top_k_args *const args = of;
    const xli_top_k_problem *const problem = &((const xli_top_k_plan *)base)->problem;
    const size_t n = args->n, key = xl_type_size(problem->key), segments = args->segments.count;
    const bool has = problem->segments != XL_NONE, any = n > 0 && args->k > 0;
    const size_t results = has ? xli_mul(segments, args->k) : xli_min(args->k, n);
    arrays[XLI_TOP_K_N_DEVICE] = xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[XLI_TOP_K_N_DEVICE].optional = true;
    arrays[XLI_TOP_K_KEYS_IN] = xli_input("args.keys_in", args->keys_in, n, key);
    arrays[XLI_TOP_K_SEGMENTS] =
        xli_offsets("args.segments", args->segments, xl_type_size(problem->segments));
    arrays[XLI_TOP_K_SEGMENTS].optional = n == 0;
    arrays[XLI_TOP_K_KEYS_OUT] =
        result(xli_output("args.keys_out", args->keys_out, results, key), any);
    list_values(problem, args, results, any, arrays);
    arrays[XLI_TOP_K_INDICES_OUT] =
        result(xli_output("args.indices_out", args->indices_out, results, sizeof(cl_uint)), any);
    arrays[XLI_TOP_K_COUNT_OUT] =
        result(xli_output("args.count_out", args->count_out, 1, sizeof(cl_ulong)), any && !has);
    arrays[XLI_TOP_K_COUNTS_OUT] = result(
        xli_output("args.counts_out", args->counts_out, segments, sizeof(cl_uint)), any && has);
    mark_unused(problem, arrays);
    return XLI_TOP_K_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xl_top_k_args *const args = of;
    const xli_top_k_plan *const plan = (const xli_top_k_plan *)base;
    return plan->problem.segments != XL_NONE
               ? xli_top_k_segments_scratch(plan, args)
               : xli_top_k_lay_out(plan, args->n, xli_min(args->k, args->n)).bytes;
}

/* Few keys need no sample, and few results no sort. The sort chooses by the number of results. */
static xl_status prepare(xl_plan *base, const void *of, const xli_span *spans)
{
    (void)spans;
    xl_status status = XL_SUCCESS;
    const xl_top_k_args *const args = of;
    xli_top_k_plan *const plan = (xli_top_k_plan *)base;
    const xl_sort_args results = {.n = xli_min(args->k, args->n)};
    if (plan->problem.segments != XL_NONE || results.n == 0)
        return XL_SUCCESS;
    if (xli_top_k_sample_of(&plan->problem, &plan->shape, args->n, results.n).keys > 0)
        XL_TRY(xli_top_k_build_sampling(plan));
    if (!xli_top_k_sorts(&plan->problem, results.n) ||
        xli_top_k_ranks(&plan->problem, &plan->shape, results.n))
        return XL_SUCCESS;
    XL_TRY(xl_plan_prepare(plan->sort, &results));
done:
    return status;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *args, const xli_span *spans,
                        const xli_span *scratch)
{
    xli_top_k_plan *const plan = (xli_top_k_plan *)base;
    return (plan->problem.segments != XL_NONE ? xli_top_k_segments_launch
                                              : xli_top_k_launch)(plan, seq, args, spans, scratch);
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(top_k, xli_top_k_plan),
                                        .check = check,
                                        .count = count,
                                        .scratch = scratch_bytes,
                                        .prepare = prepare,
                                        .launch = launch};
XLI_PUBLIC_CALLS(top_k)

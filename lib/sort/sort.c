/* SPDX-License-Identifier: MIT
 * Sort: the primitive's table, the arrays of a call, and the public calls. */
#include "sort_plan.h"
#include "values.h"

#include <string.h>

static const xl_sort_desc defaults = {.key = XL_U32};

static xl_status check(xl_context *ctx, const void *desc)
{
    return xli_sort_check_desc(ctx, desc);
}

static xl_status check_algorithm(const xli_sort_plan *plan)
{
    if (plan->shape.bitonic || plan->shape.radix != XLI_RADIX_NONE)
        return XL_SUCCESS;
    return xli_fail(plan->base.ctx, XL_ERROR_UNSUPPORTED,
                    "%s; this device has no radix sort, which requires work-groups of 256 "
                    "work-items, or work-items that run one after another (sort.shape = 1), and "
                    "loops of any length",
                    plan->problem.large ? "desc.large: 1" : "desc.algorithm: XL_SORT_RADIX");
}

/* A sort that does not choose its algorithm by n is built here. Only such sorts have texts of the
 * user's. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_sort_desc *const desc = of;
    xli_sort_plan *const plan = (xli_sort_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_sort_problem_of(base->ctx, capabilities, desc, &plan->problem));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SORT, desc), &device,
                            &tune));
    xli_sort_shape_of(&plan->problem, capabilities, &device, &tune.sort, &plan->shape);
    XL_TRY(check_algorithm(plan));
    XL_TRY(xli_parts_create(base->ctx, &plan->parts));
    const unsigned parts = xli_sort_parts(plan);
    if (plan->problem.segments != XL_NONE || (parts & (parts - 1)) == 0)
        XL_TRY(xli_sort_build(plan, parts));
    XL_TRY(xli_sort_zeros_build(plan));
    XL_TRY(xli_sort_gather_build(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_sort_plan *const plan = (xli_sort_plan *)base;
    xli_sort_drop_kernels(plan);
    xli_sort_zeros_drop(plan);
    xli_sort_gather_drop(plan);
    xli_parts_destroy(&plan->parts);
}

/* The part of a sort of n keys without segments. */
static xli_sort_part part_for(const xli_sort_plan *plan, size_t n)
{
    const xli_sort_shape *const shape = &plan->shape;
    if (xli_sort_by_samples(shape, n))
        return xli_sort_samples_of(&plan->problem, shape, n).size > 0 ? XLI_SORT_SAMPLES_LARGE
                                                                      : XLI_SORT_SAMPLES;
    if (!xli_sort_by_radix(shape, n))
        return XLI_SORT_PLAIN;
    return xli_sort_radix_size(shape, n) > 0 ? XLI_SORT_RADIX_SMALL : XLI_SORT_RADIX;
}

static xl_status prepare(xl_plan *base, const void *of, const xli_span *spans)
{
    (void)spans;
    xli_sort_plan *const plan = (xli_sort_plan *)base;
    const size_t n = ((const xl_sort_args *)of)->n;
    if (n == 0 || plan->problem.segments != XL_NONE)
        return XL_SUCCESS;
    return xli_sort_build(plan, 1u << part_for(plan, n));
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_sort_plan *const plan = (const xli_sort_plan *)base;
    const xli_sort_shape *const shape = &plan->shape;
    const bool radix = xli_sort_by_radix(shape, n), samples = xli_sort_by_samples(shape, n);
    const xli_radix_size *const digits = &shape->radix_size[xli_sort_radix_size(shape, n)];
    const xli_sample_size *const sampled =
        &shape->sample[samples ? xli_sort_samples_of(&plan->problem, shape, n).size : 0];
    const bool serial = radix && digits->group == 1;
    const size_t tile = serial    ? xli_sort_chunks_of(shape, n).elements
                        : radix   ? xli_sort_radix_tile(shape, n)
                        : samples ? (size_t)1 << sampled->tile_log
                                  : xli_sort_tile(shape);
    const uint32_t group = radix ? digits->group : samples ? sampled->group : shape->group_size;
    details->sub_group_size =
        xli_parts_width(&plan->parts, part_for(plan, n), plan->sub_group, shape->sub_group);
    details->work_group_size = group;
    details->item_elements = (uint32_t)(group > 1 ? tile / group : 0);
    details->tile_elements = tile;
    strcpy(details->algorithm, radix                    ? "radix"
                               : samples                ? "samples"
                               : plan->problem.compares ? "merge"
                                                        : "bitonic");
}

/* ---- calls ------------------------------------------------------------------ */

/* Places have 32 bits on the device, in a large sort 48, but indices that the caller asks for have
 * 32. 16 bytes are more than a key or a place has. */
static xl_status count(const xl_plan *base, const void *of)
{
    const size_t n = ((const xl_sort_args *)of)->n;
    const xli_sort_problem *const problem = &((const xli_sort_plan *)base)->problem;
    const bool ends = problem->large && problem->indices && problem->value == XL_U32;
    const uint64_t counted = ends             ? (uint64_t)UINT32_MAX + 1
                             : problem->large ? (UINT64_C(1) << 48) - 1
                                              : UINT32_MAX;
    const size_t most = (size_t)(counted < SIZE_MAX / 16 ? counted : SIZE_MAX / 16);
    if (n > most)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT, "args.n: %zu; must be at most %zu%s",
                        n, most,
                        ends             ? ", because XL_SORT_INDICES are u32"
                        : problem->large ? ""
                                         : " unless desc.large is 1");
    return XL_SUCCESS;
}

static xli_values values_of(const xli_sort_problem *problem)
{
    xli_values values = {0};
    if (!problem->hides_indices && problem->value != XL_NONE)
        values.bytes[values.count++] = xl_type_size(problem->value);
    for (size_t a = 0; a < problem->num_gathered; ++a)
        values.bytes[values.count++] = problem->gathered[a];
    return values;
}

static void list_values(const xli_sort_problem *problem, const xl_sort_args *args, xli_array *in,
                        xli_array *out)
{
    const xli_values values = values_of(problem);
    const bool made = problem->indices && !problem->hides_indices;
    for (size_t a = 0; a < XLI_SORT_VALUES; ++a) {
        in[a] = xli_values_in(&values, a, args->values_in, args->more_values_in, args->n);
        out[a] = xli_values_out(&values, a, args->values_out, args->more_values_out, args->n);
        out[a].access = XLI_READ | XLI_WRITE; /* by the launches between the first and the last */
        out[a].in_place_of = in[a].name;
    }
    if (made)
        in[0].unused = "must not be given, because desc.value is XL_SORT_INDICES";
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_sort_args *const args = of;
    const xli_sort_problem *const problem = &((const xli_sort_plan *)base)->problem;
    const size_t n = args->n, key = xli_sort_key_bytes(problem);
    xli_array *const keys_out = &arrays[XLI_SORT_KEYS_OUT];
    xli_array *const segments = &arrays[XLI_SORT_SEGMENTS];
    arrays[XLI_SORT_N_DEVICE] = xli_input("args.n_device", args->n_device, 1, sizeof(cl_ulong));
    arrays[XLI_SORT_N_DEVICE].optional = true;
    arrays[XLI_SORT_KEYS_IN] = xli_input("args.keys_in", args->keys_in, n, key);
    *segments = xli_offsets("args.segments", args->segments, xl_type_size(problem->segments));
    segments->optional = n == 0;
    if (problem->segments == XL_NONE)
        segments->unused = "must not be given, because desc.segments is XL_SEGMENTS_NONE";
    *keys_out = xli_output("args.keys_out", args->keys_out, n, key);
    keys_out->access = XLI_READ | XLI_WRITE;
    keys_out->in_place_of = "args.keys_in";
    if (problem->values_only)
        keys_out->unused = "must not be given, because desc.values_only is 1";
    list_values(problem, args, &arrays[XLI_SORT_VALUES_IN], &arrays[XLI_SORT_VALUES_OUT]);
    return XLI_SORT_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_sort_plan *const plan = (const xli_sort_plan *)base;
    const size_t n = ((const xl_sort_args *)of)->n;
    return xli_sort_layout_of(&plan->problem, &plan->shape, n).bytes;
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(sort, xli_sort_plan),
                                        .check = check,
                                        .count = count,
                                        .scratch = scratch_bytes,
                                        .prepare = prepare,
                                        .launch = xli_sort_launch};
XLI_PUBLIC_CALLS(sort)

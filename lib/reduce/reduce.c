/* SPDX-License-Identifier: MIT
 * Reduction: the kernels, the arrays of a call, and the public calls. */
#include "reduce_plan.h"

#include <string.h>

static const xl_reduce_desc defaults = {.type = XL_U32, .op = XL_SUM, .equal_zeros = 1};

/* ---- the kernels ---- */

static void drop_kernels(xli_reduce_plan *plan)
{
    xli_kernel_destroy(&plan->kernels.count);
    xli_kernel_destroy(&plan->kernels.upsweep);
    xli_kernel_destroy(&plan->kernels.fix_up);
}

static xl_status add_text(const xli_reduce_plan *plan, const xl_scan_desc *scan,
                          const xli_capabilities *capabilities, xli_text *text)
{
    const xli_problem *problem = &plan->problem;
    const xli_reduce_shape *shape = &plan->shape;
    const xli_definition lines[] = {
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_ITEMS", shape->tile / shape->group_size},
        {"XL_VLEN", shape->vector},
        {"XL_SEG_VLEN", 16 / xli_max(1, problem->segment_bytes)},
        {"XL_SINGLE_LAUNCH", shape->single_launch},
        {"XL_LIMITED_LOOPS", shape->tune.chunk_elements_csr > 0},
    };
    return xli_problem_text(plan->base.ctx, problem, scan, capabilities, lines, XLI_COUNT(lines),
                            text);
}

static xl_status build(xli_reduce_plan *plan, const xl_scan_desc *scan,
                       const xli_capabilities *capabilities, size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    const bool whole = plan->problem.segments == XL_SEGMENTS_NONE;
    const xli_wanted kernels[] = {
        {"xl_reduce_upsweep", &plan->kernels.upsweep, true},
        {"xl_reduce_fix_up", &plan->kernels.fix_up, true},
        {"xl_reduce_count", &plan->kernels.count, xli_reduce_counts(&plan->problem)}};
    *most = SIZE_MAX;
    drop_kernels(plan);
    XL_TRY(add_text(plan, scan, capabilities, &text));
    XL_TRY(xli_problem_program(plan->base.ctx, &plan->problem, capabilities,
                               whole ? "reduce_whole" : "reduce_segments", &text, 0, &program));
    plan->shape.sub_group = xli_program_sub_group(plan->base.ctx, program, plan->shape.sub_group);
    XL_TRY(xli_kernels_create(plan->base.ctx, program, kernels, XLI_COUNT(kernels), most));
done:
    xli_text_free(&text);
    return status;
}

/* ---- the plan ---- */

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_reduce_desc *const desc = of;
    xli_reduce_plan *const plan = (xli_reduce_plan *)base;
    const xli_capabilities *capabilities;
    xl_scan_desc scan;
    xli_tune_device device;
    xli_tune tune;
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_reduce_check(base->ctx, desc, capabilities, &scan, &plan->problem));
    XL_TRY(xli_init_take(base->ctx, &plan->problem, &scan, &plan->init));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_REDUCE, desc), &device,
                            &tune));
    size_t most = xli_most_work_items(capabilities);
    do {
        xli_reduce_shape_of(&plan->problem, capabilities, &tune.reduce, most, &plan->shape);
        XL_TRY(build(plan, &scan, capabilities, &most));
    } while (most < plan->shape.group_size);
    XL_TRY(xli_reduce_make_counters(plan));
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_reduce_plan *const plan = (xli_reduce_plan *)base;
    drop_kernels(plan);
    xli_init_drop(&plan->init);
    xli_reduce_drop_counters(plan);
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    const xli_reduce_shape *const shape = &((const xli_reduce_plan *)base)->shape;
    (void)n;
    details->sub_group_size = shape->sub_group;
    details->work_group_size = shape->group_size;
    details->item_elements = shape->items;
    details->tile_elements = shape->tile;
    strcpy(details->algorithm, "reduce-then-fold");
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_reduce_args *const args = of;
    const xl_scan_args scan = xli_reduce_scan_args(args);
    const xli_problem *const problem = &((const xli_reduce_plan *)base)->problem;
    const size_t results = xli_reduce_results(problem, args);
    xli_array *const keys = &arrays[XLI_REDUCE_KEYS], *const count = &arrays[XLI_REDUCE_COUNT];
    xli_problem_inputs(problem, &scan, arrays);
    arrays[XLI_OUT] = xli_output("args.out", args->out, results, problem->out.bytes);
    *keys = xli_output("args.keys_out", args->keys_out, results, problem->segment_bytes);
    *count = xli_output("args.num_segments_out", args->num_segments_out, 1, sizeof(cl_ulong));
    keys->optional = count->optional = true;
    if (problem->segments != XL_SEGMENTS_KEYS)
        keys->unused = "must not be given, because desc.segments is not XL_SEGMENTS_KEYS";
    if (!xli_reduce_counts(problem))
        count->unused = "must not be given, because desc.segments is not XL_SEGMENTS_HEAD_FLAGS, "
                        "_FLAG_BITMASK or _KEYS";
    return XLI_REDUCE_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_reduce_plan *const plan = (const xli_reduce_plan *)base;
    const size_t n = ((const xl_reduce_args *)of)->n;
    return xli_reduce_layout_of(&plan->problem, &plan->shape, n).bytes;
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(reduce, xli_reduce_plan),
                                        .scratch = scratch_bytes, .launch = xli_reduce_launch};
XLI_PUBLIC_CALLS(reduce)

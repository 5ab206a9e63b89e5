/* SPDX-License-Identifier: MIT
 * Scan: the making of a plan, the arrays of a call, and the public calls. */
#include "scan_plan.h"

static const xl_scan_desc defaults = {.type = XL_U32, .op = XL_SUM};

/* Computes the shape. Look-back takes the pipelined kernels if they are good on the device, else
 * the others, else the shape is another algorithm's. Files that are not good are taken off
 * `limits`. Messages by PTX need no trial, which would compile another program: NVIDIA specifies
 * its memory model. */
static xl_status choose_shape(xli_scan_plan *plan, const xli_capabilities *capabilities,
                              const xli_tune_scan *tune, bool by_name, xli_scan_limits *limits)
{
    xl_status status = XL_SUCCESS;
    bool good = false;
    do {
        xli_scan_shape_of(&plan->problem, capabilities, tune, limits, &plan->shape);
        if (plan->shape.algorithm != XL_SCAN_LOOKBACK)
            break;
        const unsigned file = xli_scan_file(&plan->shape);
        good = capabilities->lane_way == XLI_LANE_PTX;
        if (!good)
            XL_TRY(xli_scan_can_look_back(plan, file, by_name, &good));
        if (!good)
            limits->files &= ~file;
    } while (!good);
    if (by_name && !good)
        XL_TRY(xli_fail(plan->base.ctx, XL_ERROR_UNSUPPORTED,
                        "desc.algorithm: XL_SCAN_LOOKBACK; must be another one, because look-back "
                        "gave a wrong result, or did not compile, in a self-test on this device"));
done:
    return status;
}

/* A kernel may allow fewer work-items than the device: then the shape is computed again. */
static xl_status make(xl_plan *base, const void *of)
{
    xl_status status;
    const xl_scan_desc *const desc = of;
    xli_scan_plan *const plan = (xli_scan_plan *)base;
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    xli_scan_limits limits = {.files = XLI_FILE_ANY};
    XL_TRY(xli_context_capabilities(base->ctx, &capabilities));
    XL_TRY(xli_scan_check(base->ctx, desc, capabilities, &plan->problem, &limits.wish));
    XL_TRY(xli_init_take(base->ctx, &plan->problem, desc, &plan->init));
    XL_TRY(xli_context_tune(base->ctx, capabilities, XLI_TUNE_WISH(XLI_TUNE_SCAN, desc), &device,
                            &tune));
    limits.most = xli_most_work_items(capabilities);
    do {
        XL_TRY(choose_shape(plan, capabilities, &tune.scan, desc->algorithm == XL_SCAN_LOOKBACK,
                            &limits));
        XL_TRY(xli_scan_build(plan, desc, capabilities, &limits.most));
    } while (limits.most < plan->shape.group_size);
    xli_scan_set_pool(plan);
done:
    return status;
}

static void drop(xl_plan *base)
{
    xli_scan_plan *const plan = (xli_scan_plan *)base;
    xli_scan_drop_kernels(plan);
    xli_init_drop(&plan->init);
}

static xl_status prepare(xl_plan *base, const void *of, const xli_span *spans)
{
    xl_status status = XL_SUCCESS;
    xli_scan_plan *const plan = (xli_scan_plan *)base;
    const xl_scan_args *const args = of;
    const bool given = args->in.buffer && args->out.buffer;
    const bool in_place =
        spans ? xli_span_is_in_place(&spans[XLI_IN], &spans[XLI_OUT])
              : given && args->in.buffer == args->out.buffer && args->in.offset == args->out.offset;
    xli_scan_call call = {.n = xli_max(1, args->n),
                          .misaligned =
                              xli_scan_is_misaligned(plan, args->in.offset, args->out.offset)};
    if (args->n > 0 && plan->problem.segments == XL_SEGMENTS_OFFSETS)
        XL_TRY(xli_scan_build_part(plan, XLI_SCAN_HEADS));
    if (plan->shape.algorithm != XL_SCAN_LOOKBACK || (args->n == 0 && !plan->problem.carries))
        return XL_SUCCESS;
    if (!in_place)
        XL_TRY(xli_scan_build_part(plan, xli_scan_part_of(&plan->shape, &call)));
    call.in_place = true;
    if (in_place || !given)
        XL_TRY(xli_scan_build_part(plan, xli_scan_part_of(&plan->shape, &call)));
done:
    return status;
}

static void info(const xl_plan *base, size_t n, xl_plan_details *details)
{
    static const char *const names[] = {
        [XL_SCAN_LOOKBACK] = "look-back", [XL_SCAN_REDUCE_THEN_SCAN] = "reduce-then-scan"};
    const xli_scan_plan *const plan = (const xli_scan_plan *)base;
    const xli_scan_shape *const shape = &plan->shape;
    const bool lookback = shape->algorithm == XL_SCAN_LOOKBACK;
    const xli_scan_part part =
        lookback ? xli_scan_part_of(shape, &(xli_scan_call){.n = n}) : XLI_SCAN_MANY;
    details->sub_group_size =
        lookback ? xli_parts_width(&plan->parts, part, plan->sub_group, plan->shape.sub_group)
                 : plan->sub_group[part];
    details->work_group_size = shape->group_size;
    details->tile_elements = xli_scan_part_tile(shape, part);
    details->item_elements = xli_scan_part_items(shape, part);
    strcpy(details->algorithm, names[shape->algorithm]);
}

static xli_array optional_input(const char *name, xl_view view, size_t n, size_t bytes)
{
    xli_array array = xli_input(name, view, n, bytes);
    array.optional = true;
    return array;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_scan_args *const args = of;
    const xli_problem *const problem = &((const xli_scan_plan *)base)->problem;
    const size_t carry = xli_problem_carry(problem), bytes = problem->element.bytes;
    xli_problem_inputs(problem, args, arrays);
    arrays[XLI_OUT] = xli_output("args.out", args->out, args->n, problem->out.bytes);
    arrays[XLI_OUT].in_place_of = "args.in";
    arrays[XLI_CARRY_IN] = optional_input("args.carry_in", args->carry_in, carry, bytes);
    arrays[XLI_CARRY_OUT] = xli_output("args.carry_out", args->carry_out, carry, bytes);
    arrays[XLI_CARRY_OUT].optional = !problem->carry_alone;
    for (size_t k = XLI_CARRY_IN; k <= XLI_CARRY_OUT && !problem->carries; ++k)
        arrays[k].unused = "must not be given, because desc.carry is 0";
    arrays[XLI_SCAN_INIT] = optional_input("desc.init_view", problem->init_view, 1, bytes);
    arrays[XLI_SCAN_HEAD] = xli_output("args.head_out", args->head_out, 1, sizeof(cl_uint));
    arrays[XLI_SCAN_HEAD].optional = true;
    if (problem->carry_alone)
        arrays[XLI_OUT].unused = "must not be given, because desc.carry is 2";
    else
        arrays[XLI_SCAN_HEAD].unused = "must not be given, because desc.carry is not 2";
    return XLI_SCAN_ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    return xli_scan_scratch((const xli_scan_plan *)base, ((const xl_scan_args *)of)->n);
}

static const xli_primitive primitive = {XLI_PRIMITIVE_OF_ARRAYS(scan, xli_scan_plan),
                                        .scratch = scratch_bytes, .prepare = prepare,
                                        .launch = xli_scan_launch};
XLI_PUBLIC_CALLS(scan)

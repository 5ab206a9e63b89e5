/* SPDX-License-Identifier: MIT
 * Checks of descriptors that scans and reductions share, before any side effect. */
#include "problem.h"
#include "user_text.h"

static xl_status check_choices(const xl_context *ctx, const xl_scan_desc *desc)
{
    const struct {
        const char *name;
        int value, low, high;
        const char *known;
    } choices[] = {
        {"kind", (int)desc->kind, XL_EXCLUSIVE, XL_INCLUSIVE, "XL_EXCLUSIVE or XL_INCLUSIVE"},
        {"algorithm", (int)desc->algorithm, XL_SCAN_AUTO, XL_SCAN_REDUCE_THEN_SCAN,
         "XL_SCAN_AUTO, _LOOKBACK or _REDUCE_THEN_SCAN"},
        {"determinism", (int)desc->determinism, XL_DETERMINISTIC, XL_REPRODUCIBLE,
         "XL_DETERMINISTIC, XL_UNORDERED or XL_REPRODUCIBLE"},
        {"segments", (int)desc->segments, XL_SEGMENTS_NONE, XL_SEGMENTS_MASK,
         "XL_SEGMENTS_NONE, _HEAD_FLAGS, _FLAG_BITMASK, _KEYS, _OFFSETS, _WIDTH or _MASK"},
        {"carry", (int)desc->carry, 0, 2, "0, 1 or 2"},
    };
    for (size_t i = 0; i < XLI_COUNT(choices); ++i)
        if (choices[i].value < choices[i].low || choices[i].value > choices[i].high)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.%s: %d; must be %s",
                            choices[i].name, choices[i].value, choices[i].known);
    return XL_SUCCESS;
}

static xl_status check_segment_type(const xl_context *ctx, xl_segments segments, xl_type type)
{
    const bool offsets = segments == XL_SEGMENTS_OFFSETS;
    const bool integer = type >= XL_I8 && type <= XL_U64;
    if (offsets ? type == XL_U32 || type == XL_U64 : integer)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.segment_type: %s (%d); must be %s",
                    xl_type_name(type), (int)type,
                    offsets ? "XL_U32 or XL_U64, the type of the offsets"
                            : "an integer type, that of the keys");
}

static xl_status check_segment_width(const xl_context *ctx, xl_segments segments, uint64_t width)
{
    const bool mask = segments == XL_SEGMENTS_MASK;
    if (width > 0 && (!mask || width <= 64))
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.segment_width: %llu; must be %s",
                    (unsigned long long)width, mask ? "1 to 64" : "at least 1");
}

static xl_status resolve_segments(const xl_context *ctx, const xl_scan_desc *desc,
                                  xli_problem *problem)
{
    const xl_segments segments = desc->segments;
    const size_t bytes[] = {
        [XL_SEGMENTS_HEAD_FLAGS] = sizeof(cl_uchar),
        [XL_SEGMENTS_FLAG_BITMASK] = sizeof(cl_uint),
        [XL_SEGMENTS_KEYS] = xl_type_size(desc->segment_type),
        [XL_SEGMENTS_OFFSETS] = xl_type_size(desc->segment_type),
        [XL_SEGMENTS_MASK] = 0,
    };
    problem->segments = segments;
    problem->width = desc->segment_width;
    problem->mask = desc->segment_mask;
    problem->segment_bytes = bytes[segments];
    if (segments == XL_SEGMENTS_KEYS || segments == XL_SEGMENTS_OFFSETS)
        return check_segment_type(ctx, segments, desc->segment_type);
    if (segments == XL_SEGMENTS_WIDTH || segments == XL_SEGMENTS_MASK)
        return check_segment_width(ctx, segments, desc->segment_width);
    return XL_SUCCESS;
}

/* A field without an effect is a mistake of the caller's. */
static xl_status check_idle(const xl_context *ctx, const xl_scan_desc *desc)
{
    const bool mask = desc->segments == XL_SEGMENTS_MASK;
    const bool width = mask || desc->segments == XL_SEGMENTS_WIDTH;
    const bool typed = desc->segments == XL_SEGMENTS_KEYS || desc->segments == XL_SEGMENTS_OFFSETS;
    const xli_idle_field fields[] = {
        {"desc.user_type", desc->user_type, desc->type == XL_USER_TYPE,
         "desc.type is not XL_USER_TYPE"},
        {"desc.user_op", desc->user_op, desc->op == XL_USER_OP, "desc.op is not XL_USER_OP"},
        {"desc.user_load_type", desc->user_load_type, desc->load_type == XL_USER_TYPE,
         "desc.load_type is not XL_USER_TYPE"},
        {"desc.store", desc->store, desc->carry != 2, "desc.carry is 2"},
        {"desc.store_type", desc->store_type != XL_NONE, desc->carry != 2, "desc.carry is 2"},
        {"desc.user_store_type", desc->user_store_type, desc->store_type == XL_USER_TYPE,
         "desc.store_type is not XL_USER_TYPE"},
        {"desc.segment_type", desc->segment_type != XL_NONE, typed,
         "desc.segments is not XL_SEGMENTS_KEYS or _OFFSETS"},
        {"desc.segment_width", desc->segment_width != 0, width,
         "desc.segments is not XL_SEGMENTS_WIDTH or _MASK"},
        {"desc.segment_mask", desc->segment_mask != 0, mask,
         "desc.segments is not XL_SEGMENTS_MASK"},
    };
    return xli_check_idle(ctx, fields, XLI_COUNT(fields));
}

static bool has_identity(const xl_scan_desc *desc)
{
    return desc->op != XL_USER_OP || desc->user_op->identity;
}

static xl_status check_init(const xl_context *ctx, const xl_scan_desc *desc, xli_problem *problem)
{
    xli_span span;
    if (desc->init && desc->init_view.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.init: given; must be NULL if desc.init_view is given");
    if (!has_identity(desc) && !problem->inclusive && !problem->has_init)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.init: NULL; an exclusive scan needs desc.init or desc.init_view if "
                        "its operator, \"%s\", has no identity",
                        desc->user_op->name);
    if (!desc->init_view.buffer)
        return XL_SUCCESS;
    problem->init_view = desc->init_view;
    return xli_check_view(ctx, "desc.init_view", desc->init_view, 1, problem->element.bytes,
                          XLI_READ, &span);
}

/* The types of the arrays: the caller's, or else the scan's. */
static xl_status resolve_arrays(const xl_context *ctx, const xl_scan_desc *desc,
                                const xli_capabilities *capabilities, xli_problem *problem)
{
    xl_status status = XL_SUCCESS;
    const struct {
        const char *field, *expression;
        xl_type type;
        const xl_user_type *user;
        xli_element *element;
    } arrays[] = {
        {"load_type", desc->load, desc->load_type, desc->user_load_type, &problem->in},
        {"store_type", desc->store, desc->store_type, desc->user_store_type, &problem->out},
    };
    const xli_element *const scanned = &problem->element;
    for (size_t i = 0; i < XLI_COUNT(arrays); ++i) {
        *arrays[i].element = *scanned;
        if (arrays[i].type == XL_NONE)
            continue;
        XL_TRY(xli_element_resolve(ctx, capabilities, arrays[i].field, arrays[i].type,
                                   arrays[i].user, arrays[i].element));
        XL_TRY(xli_element_check_name(ctx, arrays[i].field, arrays[i].element, "type", scanned));
        XL_TRY(xli_element_check_conversion(ctx, arrays[i].field, arrays[i].expression,
                                            arrays[i].element, scanned));
    }
    XL_TRY(xli_element_check_name(ctx, "store_type", &problem->out, "load_type", &problem->in));
done:
    return status;
}

/* Sets size and alignment of the monoid of cl/prelude/prelude_accumulator.cl, as a C compiler
 * lays it out: the flags, the count, the value. Rounding makes any order the same size. */
static void measure_state(xli_problem *problem)
{
    const size_t index = xli_operator_finds_index(problem->op) ? sizeof(cl_ulong) : 1;
    size_t bytes = problem->element.bytes;
    problem->accumulator_alignment = xli_max(problem->element.alignment, index);
    if (index > 1)
        bytes = xli_round_up(bytes, index) + index;
    if (problem->state != XLI_ACCUMULATOR_PLAIN) {
        const size_t word = sizeof(cl_uint);
        problem->accumulator_alignment = xli_max(problem->accumulator_alignment, word);
        bytes =
            xli_round_up(bytes, word) + (problem->state == XLI_ACCUMULATOR_COUNTS ? 2 : 1) * word;
    }
    problem->accumulator_bytes = xli_round_up(bytes, problem->accumulator_alignment);
}

/* The results of a reduction are counted unless CSR offsets say where they are. Kernels choose the
 * same: cl/tile/tile_input.cl, cl/reduce/reduce_segments.cl. */
static unsigned choose_accumulator(const xli_problem *problem)
{
    const bool segments = problem->segments != XL_SEGMENTS_NONE;
    if (problem->reduces && segments && problem->segments != XL_SEGMENTS_OFFSETS)
        return XLI_ACCUMULATOR_COUNTS;
    return segments || !problem->has_identity ? XLI_ACCUMULATOR_FLAGS : XLI_ACCUMULATOR_PLAIN;
}

/* Whether a work-item stores one byte: the value of a carry, or its flag. */
static bool stores_byte_carry(const xli_problem *problem)
{
    return problem->carries && (problem->element.bytes == 1 || (xli_problem_carry(problem) == 2 &&
                                                                problem->element.alignment == 1));
}

xl_status xli_problem_resolve(const xl_context *ctx, const xl_scan_desc *desc, bool reduces,
                              const xli_capabilities *capabilities, xli_problem *problem)
{
    xl_status status;
    problem->reduces = reduces;
    problem->init_view = xl_no_view();
    XL_TRY(check_choices(ctx, desc));
    XL_TRY(xli_check_expression(ctx, "desc.load", desc->load));
    XL_TRY(xli_check_expression(ctx, "desc.store", desc->store));
    XL_TRY(xli_element_resolve(ctx, capabilities, "type", desc->type, desc->user_type,
                               &problem->element));
    XL_TRY(xli_operator_check(ctx, desc->op, desc->user_op, &problem->element));
    if (xli_operator_finds_index(desc->op) && !problem->reduces)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.op: %s; requires a reduction",
                        xl_op_name(desc->op)));
    XL_TRY(resolve_arrays(ctx, desc, capabilities, problem));
    XL_TRY(resolve_segments(ctx, desc, problem));
    XL_TRY(check_idle(ctx, desc));
    XL_TRY(xli_params_resolve(ctx, capabilities, desc->params, desc->num_params,
                              desc->load || desc->store, &problem->params));
    problem->op = desc->op;
    problem->has_init = desc->init || desc->init_view.buffer;
    problem->has_identity = has_identity(desc);
    problem->rounds = xli_operator_rounds(desc->op, desc->user_op, &problem->element);
    problem->loads = desc->load || problem->in.type != problem->element.type;
    problem->carries = desc->carry != 0;
    problem->carry_alone = desc->carry == 2;
    if (stores_byte_carry(problem) && xli_rusticl_crashes_on_byte_carries(capabilities))
        XL_TRY(xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.carry: %u; must be 0 on rusticl of Mesa 22 if elements have one "
                        "byte, or an alignment of one and the operator has no identity",
                        (unsigned)desc->carry));
    problem->state = choose_accumulator(problem);
    measure_state(problem);
    problem->inclusive = desc->kind == XL_INCLUSIVE;
    problem->stores = desc->store || problem->out.type != problem->element.type;
    problem->determinism = desc->determinism;
    XL_TRY(check_init(ctx, desc, problem));
done:
    return status;
}

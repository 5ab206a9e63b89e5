/* SPDX-License-Identifier: MIT
 * The scratch and the launches of a scan. */
#include "scan_plan.h"

bool xli_scan_is_misaligned(const xli_scan_plan *plan, size_t in_offset, size_t out_offset)
{
    enum { VECTOR_BYTES = 16 };
    return in_offset * plan->problem.in.bytes % VECTOR_BYTES != 0 ||
           out_offset * plan->problem.out.bytes % VECTOR_BYTES != 0;
}

static bool has_offsets(const xli_scan_plan *plan)
{
    return plan->problem.segments == XL_SEGMENTS_OFFSETS;
}

void xli_scan_set_pool(xli_scan_plan *plan)
{
    const bool keeps_state = plan->shape.algorithm == XL_SCAN_LOOKBACK && !has_offsets(plan);
    plan->base.pool.zeroed = keeps_state;
    plan->base.pool.most_calls = keeps_state ? XLI_SCAN_MOST_CALLS : 0;
}

/* The state buffer of look-back, as cl/tile/tile_prefix.cl lays it out. */
enum { HEADER_WORDS = 8 };

static size_t state_words(const xli_scan_plan *plan, size_t tiles)
{
    const size_t value = xli_ceil_div(plan->problem.accumulator_bytes, 4);
    return xli_add(HEADER_WORDS, xli_mul(tiles, value == 1 ? 1 : 2 * value));
}

/* A call with fewer elements may have more tiles, because they are shorter: `most` bounds them. */
static size_t look_back_bytes(const xli_scan_plan *plan, size_t n)
{
    const size_t least = xli_ceil_div(n, xli_scan_lookback_tile(&plan->shape, 1));
    const size_t most =
        xli_max(xli_ceil_div(n, plan->shape.tile), xli_scan_lookback_most_short(&plan->shape));
    const size_t tiles = xli_min(least, most);
    return tiles > 1 ? xli_mul(state_words(plan, tiles), sizeof(cl_ulong)) : 0;
}

/* For reduce-then-scan this grows with n. The number of groups may fall: a few more tiles may mean
 * longer chunks. */
static size_t scan_bytes(const xli_scan_plan *plan, size_t n)
{
    const size_t tiles = xli_ceil_div(n, plan->shape.tile);
    if (plan->shape.algorithm == XL_SCAN_LOOKBACK)
        return xli_round_up(look_back_bytes(plan, n), XLI_SCRATCH_ALIGN);
    if (xli_scan_is_tree(plan))
        return xli_reproducible_scratch(plan, n);
    if (tiles <= 1 && !plan->problem.carry_alone)
        return 0;
    const size_t groups = xli_min(tiles, xli_scan_most_groups(&plan->problem, &plan->shape, n));
    return xli_round_up(xli_mul(groups, plan->problem.accumulator_bytes), XLI_SCRATCH_ALIGN);
}

/* A bitmask of CSR offsets comes last. */
size_t xli_scan_scratch(const xli_scan_plan *plan, size_t n)
{
    const size_t mask = has_offsets(plan) ? xli_mul(xli_ceil_div(n, 32), sizeof(cl_uint)) : 0;
    return xli_add(scan_bytes(plan, n), xli_round_up(mask, XLI_SCRATCH_ALIGN));
}

/* Makes the bitmask of CSR offsets, which the scan reads as its segments, and clears the state of
 * look-back. */
static xl_status enqueue_heads(xli_scan_plan *plan, xli_flow *f, const xli_span *offsets,
                               size_t count)
{
    const bool lookback = plan->shape.algorithm == XL_SCAN_LOOKBACK;
    const size_t words = lookback ? look_back_bytes(plan, f->n) / sizeof(cl_ulong) : 0;
    xli_args args = {.count = 0};
    xli_args_add_span(&args, offsets);
    xli_args_add(&args, XLI_U64(count));
    xli_args_add(&args, XLI_U64(f->n));
    xli_args_add(&args, XLI_OPTIONAL(f->spans[XLI_N_DEVICE].buffer));
    xli_args_add(&args, XLI_U64(f->spans[XLI_N_DEVICE].offset));
    xli_args_add_span(&args, &f->spans[XLI_SEGMENTS]);
    xli_args_add_place(&args, f->scratch->buffer, f->scratch->offset / sizeof(cl_ulong));
    xli_args_add(&args, XLI_U64(words));
    return xli_seq_launch_args(f->seq, &plan->kernels.heads,
                               xli_ceil_div(f->n, plan->shape.heads_tile), plan->shape.heads_size,
                               &args, 0);
}

/* If a group is one work-item and has many totals before it, to fold them costs as much as the run
 * itself: they are scanned before. A launch scans AT_ONCE of them, so that its loop is as short
 * as that of a run. */
static xl_status scan_spine(xli_scan_plan *plan, xli_flow *f, size_t groups, bool *scanned)
{
    enum { FEW = 512, AT_ONCE = 4096 };
    xl_status status = XL_SUCCESS;
    *scanned = plan->kernels.scan_spine.cl && groups > FEW;
    for (size_t from = 0; *scanned && from < groups; from += AT_ONCE)
        XL_TRY(XLI_LAUNCH(f->seq, &plan->kernels.scan_spine, 1, 1, XLI_MEM(f->scratch->buffer),
                          XLI_U64(f->scratch->offset), XLI_U64(from),
                          XLI_U64(xli_min(groups, from + AT_ONCE))));
done:
    return status;
}

static xl_status enqueue_two_pass(xli_scan_plan *plan, xli_flow *f, const xli_span *result)
{
    xl_status status;
    bool scanned = false;
    const bool alone = plan->problem.carry_alone;
    enum { STREAM = 1, SCANNED = 2 };
    const xli_scan_partition partition = xli_scan_partition_of(&plan->problem, &plan->shape, f->n);
    /* A single group that scans reads no totals. */
    const xli_arg spine = XLI_MEM(f->scratch->buffer), spine_offset = XLI_U64(f->scratch->offset);
    if (partition.groups > (alone ? 0u : 1u)) {
        XL_TRY(XLI_FLOW_LAUNCH(f, &plan->kernels.reduce, partition.groups, plan->shape.group_size,
                               XLI_U64(partition.chunk), spine, spine_offset));
        XL_TRY(scan_spine(plan, f, partition.groups, &scanned));
    }
    XL_TRY(XLI_FLOW_LAUNCH(f, &plan->kernels.last, alone ? 1 : xli_max(1, partition.groups),
                           plan->shape.group_size,
                           XLI_U64(alone ? partition.groups : partition.chunk), spine, spine_offset,
                           XLI_MEM(result->buffer), XLI_U64(result->offset),
                           XLI_U32((f->stream ? STREAM : 0) | (scanned ? SCANNED : 0))));
done:
    return status;
}

static xl_status enqueue_look_back(xli_scan_plan *plan, xli_flow *f)
{
    xl_status status;
    /* With no elements one group passes the carry on. */
    const size_t n = xli_max(1, f->n);
    const xli_scan_call call = {.n = n,
                                .in_place = f->in_place,
                                .misaligned = xli_scan_is_misaligned(plan, f->spans[XLI_IN].offset,
                                                                     f->spans[XLI_OUT].offset)};
    const xli_scan_part part = xli_scan_part_of(&plan->shape, &call);
    const size_t tiles = xli_ceil_div(n, xli_scan_part_tile(&plan->shape, part));
    const size_t groups = xli_min(tiles, xli_scan_lookback_groups(&plan->shape));
    const xli_tune_scan *const tune = &plan->shape.tune;
    enum { STREAM = 1, SINGLE_TILE = 2, IN_PLACE = 4 };
    const unsigned flags =
        (f->stream ? STREAM : 0) | (tiles == 1 ? SINGLE_TILE : 0) | (f->in_place ? IN_PLACE : 0);
    if (tiles > 1 && !has_offsets(plan))
        XL_TRY(xli_seq_clear(f->seq, &plan->kernels.clear, f->scratch, state_words(plan, tiles),
                             plan->shape.units));
    XL_TRY(XLI_FLOW_LAUNCH(
        f, &plan->kernels.lookback[part], groups, plan->shape.group_size,
        XLI_MEM(f->scratch->buffer), XLI_U64(f->scratch->offset / sizeof(cl_ulong)),
        XLI_MEM(f->spans[XLI_OUT].buffer), XLI_U64(f->spans[XLI_OUT].offset), XLI_U32(flags),
        XLI_U32(tune->spin_limit), XLI_U32(xli_late(tune->inject_delay, tune->inject_tear))));
done:
    return status;
}

/* What depends on several arguments. */
static xl_status check_carry(const xli_scan_plan *plan, const xl_scan_args *args)
{
    const xli_problem *const problem = &plan->problem;
    if (!problem->carries && args->first_index > 0)
        return xli_fail(plan->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.first_index: %llu; must be 0, because desc.carry is 0",
                        (unsigned long long)args->first_index);
    if (problem->segments == XL_SEGMENTS_KEYS && args->carry_in.buffer && args->n > 0 &&
        args->segments.offset == 0)
        return xli_fail(plan->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.segments: an offset of 0; must be an offset of 1 or more if carry_in "
                        "is given, because the key before the view is read");
    return XL_SUCCESS;
}

xl_status xli_scan_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                          const xli_span *scratch)
{
    xl_status status;
    const xl_scan_args *const args = of;
    xli_scan_plan *const plan = (xli_scan_plan *)base;
    const xli_span *const result = &spans[plan->problem.carry_alone ? XLI_SCAN_HEAD : XLI_OUT];
    xli_flow f;
    xli_span read[XLI_SCAN_ARRAYS]; /* by the scan */
    memcpy(read, spans, sizeof read);
    if (has_offsets(plan)) {
        read[XLI_SEGMENTS] = *scratch;
        read[XLI_SEGMENTS].offset = (scratch->offset + scan_bytes(plan, args->n)) / sizeof(cl_uint);
    }
    XL_TRY(check_carry(plan, args));
    XL_TRY(xli_flow_begin(&f, &plan->problem, &plan->init, seq, args, read, scratch));
    f.stream = !f.in_place && f.n / 1024 * plan->problem.out.bytes >= plan->shape.tune.stream_kib;
    if (f.n == 0 && !spans[XLI_CARRY_OUT].buffer)
        goto done;
    if (f.n > 0 && has_offsets(plan))
        XL_TRY(enqueue_heads(plan, &f, &spans[XLI_SEGMENTS], args->segments.count));
    if (plan->shape.algorithm == XL_SCAN_LOOKBACK)
        XL_TRY(enqueue_look_back(plan, &f));
    else if (xli_scan_is_tree(plan))
        XL_TRY(xli_reproducible_enqueue(plan, &f, result));
    else
        XL_TRY(enqueue_two_pass(plan, &f, result));
done:
    return status;
}

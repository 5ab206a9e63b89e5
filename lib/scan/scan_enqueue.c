/* SPDX-License-Identifier: MIT
 * Calls of a scan: scratch and launches. */
#include "scan_plan.h"

xl_status xli_scan_make_pool(xli_scan_plan *plan)
{
    if (plan->shape.algorithm == XL_SCAN_LOOKBACK) {
        /* A new state is made of zeros, and made anew before its epochs come round. */
        plan->pool.zeroed = true;
        plan->pool.most_calls = XLI_SCAN_MOST_CALLS;
    }
    return xli_pool_create(plan->ctx, &plan->pool);
}

/* The state buffer of look-back, as cl/tile/tile_descriptor.cl lays it out. */
enum { HEADER_WORDS = 8 };

static size_t state_words(const xli_scan_plan *plan, size_t tiles)
{
    const size_t value = xli_ceil_div(plan->problem.accumulator_bytes, 4);
    return xli_add(HEADER_WORDS, xli_mul(tiles, value == 1 ? 1 : 2 * value));
}

/* Shorter tiles of a call with fewer elements may be more, but are never more than so many. */
static size_t look_back_bytes(const xli_scan_plan *plan, size_t n)
{
    const size_t least = xli_ceil_div(n, xli_scan_lookback_tile(&plan->shape, 1));
    const size_t most =
        xli_max(xli_ceil_div(n, plan->shape.tile), xli_scan_lookback_most_short(&plan->shape));
    const size_t tiles = xli_min(least, most);
    return tiles > 1 ? xli_mul(state_words(plan, tiles), sizeof(cl_ulong)) : 0;
}

/* For reduce-then-scan this grows with n although the number of groups does not
 * always: a few tiles more may mean longer chunks and fewer of them. */
size_t xli_scan_scratch(const xli_scan_plan *plan, size_t n)
{
    const size_t tiles = xli_ceil_div(n, plan->shape.tile);
    if (plan->shape.algorithm == XL_SCAN_LOOKBACK)
        return xli_round_up(look_back_bytes(plan, n), XLI_SCRATCH_ALIGN);
    if (xli_scan_is_tree(plan))
        return xli_reproducible_scratch(plan, n);
    if (tiles <= 1)
        return 0;
    if (xli_scan_is_textbook(plan->shape.algorithm))
        return xli_textbook_scratch(plan, n);
    const size_t groups = xli_min(tiles, xli_scan_most_groups(&plan->problem, &plan->shape, n));
    return xli_round_up(xli_mul(groups, plan->problem.accumulator_bytes), XLI_SCRATCH_ALIGN);
}

/* Groups of one work-item fold few totals each, and are given many scanned: to fold them would
 * cost as much again as the runs. A launch scans so many that its loop is no longer than a
 * run's, for devices that end long ones (scan.chunk_elements in tune.h). */
static xl_status scan_spine(xli_scan_plan *plan, xli_flow *f, size_t groups, bool *scanned)
{
    enum { FEW = 512, AT_ONCE = 4096 };
    xl_status status = XL_SUCCESS;
    *scanned = plan->kernels.scan_spine.cl && groups > FEW;
    for (size_t from = 0; *scanned && from < groups; from += AT_ONCE)
        XL_TRY(XLI_LAUNCH(&f->seq, &plan->kernels.scan_spine, 1, 1, XLI_MEM(f->scratch.buffer),
                          XLI_U64(f->scratch.offset), XLI_U64(from),
                          XLI_U64(xli_min(groups, from + AT_ONCE))));
done:
    return status;
}

static xl_status enqueue_two_pass(xli_scan_plan *plan, xli_flow *f)
{
    xl_status status;
    bool scanned = false;
    enum { STREAM = 1, SCANNED = 2 };
    const xli_scan_partition partition = xli_scan_partition_of(&plan->problem, &plan->shape, f->n);
    /* A single group reads no totals. */
    const xli_arg spine = XLI_MEM(f->scratch.buffer), spine_offset = XLI_U64(f->scratch.offset);
    if (partition.groups > 1) {
        XL_TRY(XLI_FLOW_LAUNCH(f, &plan->kernels.reduce, partition.groups, plan->shape.group_size,
                               XLI_U64(partition.chunk), spine, spine_offset));
        XL_TRY(scan_spine(plan, f, partition.groups, &scanned));
    }
    XL_TRY(XLI_FLOW_LAUNCH(f, &plan->kernels.downsweep, xli_max(1, partition.groups),
                           plan->shape.group_size, XLI_U64(partition.chunk), spine, spine_offset,
                           XLI_MEM(f->at.out.buffer), XLI_U64(f->at.out.offset),
                           XLI_U32((f->stream ? STREAM : 0) | (scanned ? SCANNED : 0))));
done:
    return status;
}

static xl_status enqueue_look_back(xli_scan_plan *plan, xli_flow *f)
{
    xl_status status;
    /* Of no elements one group is told, to pass a carry on. */
    const size_t n = xli_max(1, f->n);
    const bool separate_in_place = f->at.in_place && plan->kernels.lookback_in_place.cl;
    const size_t tile =
        separate_in_place ? plan->shape.tile : xli_scan_lookback_tile(&plan->shape, n);
    const size_t tiles = xli_ceil_div(n, tile);
    const size_t groups = xli_min(tiles, xli_scan_lookback_groups(&plan->shape));
    enum { STREAM = 1, SINGLE_TILE = 2, IN_PLACE = 4 };
    const unsigned flags =
        (f->stream ? STREAM : 0) | (tiles == 1 ? SINGLE_TILE : 0) | (f->at.in_place ? IN_PLACE : 0);
    xli_kernel *const kernel = tile < plan->shape.tile ? &plan->kernels.lookback_short_tiles
                               : separate_in_place     ? &plan->kernels.lookback_in_place
                                                       : &plan->kernels.lookback;
    if (tiles > 1)
        XL_TRY(xli_seq_clear(&f->seq, &plan->kernels.clear, &f->scratch, state_words(plan, tiles),
                             plan->shape.units));
    XL_TRY(XLI_FLOW_LAUNCH(f, kernel, groups, plan->shape.group_size, XLI_MEM(f->scratch.buffer),
                           XLI_U64(f->scratch.offset / sizeof(cl_ulong)), XLI_MEM(f->at.out.buffer),
                           XLI_U64(f->at.out.offset), XLI_U32(flags)));
done:
    return status;
}

static xl_status take_scratch(xli_scan_plan *plan, xli_flow *f, xl_view scratch)
{
    xl_status status;
    const xli_span *const others[] = {
        &f->at.in,       &f->at.segments,  &f->at.n_device,         &f->at.out,
        &f->at.carry_in, &f->at.carry_out, &plan->problem.init_view};
    const size_t bytes = xli_scan_scratch(plan, f->n);
    XL_TRY(xli_scratch_countable(plan->ctx, f->n, bytes));
    XL_TRY(xli_seq_scratch(&f->seq, &plan->pool, scratch, bytes, XLI_SCRATCH_ALIGN, &f->scratch));
    XL_TRY(xli_check_apart_from(plan->ctx, &f->scratch, others, XLI_COUNT(others)));
done:
    return status;
}

xl_status xli_scan_enqueue(xli_scan_plan *plan, cl_command_queue queue, const xl_scan_args *call,
                           cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xli_flow f = {.n = call->n};
    XL_TRY(xli_seq_begin(&f.seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_scan_check_call(plan->ctx, &plan->problem, call, &f.at));
    XL_TRY(take_scratch(plan, &f, call->scratch));
    xli_flow_set_input(&f, &plan->problem, &plan->init);
    f.stream =
        !f.at.in_place && f.n / 1024 * plan->problem.out.bytes >= plan->shape.tune.stream_kib;
    if (f.n == 0 && !f.at.carry_out.buffer)
        goto done;
    if (plan->shape.algorithm == XL_SCAN_LOOKBACK)
        XL_TRY(enqueue_look_back(plan, &f));
    else if (xli_scan_is_textbook(plan->shape.algorithm))
        XL_TRY(xli_textbook_enqueue(plan, &f));
    else if (xli_scan_is_tree(plan))
        XL_TRY(xli_reproducible_enqueue(plan, &f));
    else
        XL_TRY(enqueue_two_pass(plan, &f));
done:
    return xli_seq_end(&f.seq, status, event);
}

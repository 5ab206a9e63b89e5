/* SPDX-License-Identifier: MIT
 * The engine's calls: create, scratch, enqueue. */
#include "flat.h"

#include <stdio.h>
#include <string.h>

xl_status xli_flat_take_init(xli_flat *flat, const xl_scan_desc *desc)
{
    xli_flat_source *source = &flat->source;
    cl_int code = CL_SUCCESS;
    if (desc->init_view.buffer) {
        code = clRetainMemObject(desc->init_view.buffer);
        if (code != CL_SUCCESS)
            return xli_cl(flat->ctx, code, "clRetainMemObject (init_view)");
        source->init = desc->init_view.buffer;
        source->init_offset = desc->init_view.offset;
    } else if (desc->init) {
        /* The call asks for a pointer to what may be written, and only reads. */
        void *bytes = xli_alloc(source->element.bytes);
        if (!bytes)
            return xli_fail(flat->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for init");
        memcpy(bytes, desc->init, source->element.bytes);
        source->init =
            clCreateBuffer(xl_context_cl(flat->ctx), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           source->element.bytes, bytes, &code);
        xli_free(bytes);
    }
    return xli_cl(flat->ctx, code, "clCreateBuffer (init)");
}

xl_status xli_flat_create(xl_context *ctx, const xl_scan_desc *desc, const char *on_trial,
                          xli_flat **flat)
{
    xl_status status;
    const xli_facts *facts;
    xli_flat *made = xli_alloc(sizeof *made);
    if (!made)
        return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan");
    made->ctx = xli_context_retain(ctx);
    made->on_trial = on_trial;
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(xli_context_facts(ctx, &facts));
    XL_TRY(xli_flat_resolve(made, desc, facts));
    XL_TRY(xli_flat_take_init(made, desc));
    XL_TRY(xli_flat_plan(made, desc, facts));
    if (made->algorithm == XL_SCAN_LOOKBACK) {
        /* A new state is made of zeros, and made anew before its epochs come round. */
        made->pool.zeroed = true;
        made->pool.most_calls = XLI_FLAT_MOST_CALLS;
    }
    *flat = made;
    made = NULL;
done:
    xli_flat_destroy(made);
    return status;
}

void xli_flat_destroy(xli_flat *flat)
{
    if (!flat)
        return;
    xli_flat_destroy_kernels(flat);
    if (flat->source.init)
        clReleaseMemObject(flat->source.init);
    xli_pool_destroy(&flat->pool);
    xli_context_release(flat->ctx);
    xli_free(flat);
}

/* The state buffer of look-back, as cl/tile/tile_state.cl lays it out. */
enum { HEADER_WORDS = 8 };

static size_t state_words(const xli_flat *flat, size_t tiles)
{
    const xli_flat_source *source = &flat->source;
    const bool one = source->state == XLI_STATE_PLAIN && xli_element_is_scalar(&source->element) &&
                     source->state_bytes <= 4;
    return HEADER_WORDS + tiles * (one ? 1 : 2 * xli_ceil_div(source->state_bytes, 4));
}

/* Shorter tiles of a call with fewer elements may be more, but never more than groups. */
static size_t look_back_bytes(const xli_flat *flat, size_t n)
{
    const size_t least = xli_ceil_div(n, xli_flat_ring_tile(flat, 1));
    const size_t most = xli_max(xli_ceil_div(n, flat->tile), xli_flat_ring_groups(flat));
    const size_t tiles = xli_min(least, most);
    return tiles > 1 ? state_words(flat, tiles) * sizeof(cl_ulong) : 0;
}

/* For reduce-then-scan this grows with n although the number of groups does not
 * always: a few tiles more may mean longer runs and fewer of them. */
size_t xli_flat_scratch(const xli_flat *flat, size_t n)
{
    const size_t tiles = xli_ceil_div(n, flat->tile);
    if (flat->algorithm == XL_SCAN_LOOKBACK)
        return xli_round_up(look_back_bytes(flat, n), XLI_SCRATCH_ALIGN);
    if (tiles <= 1)
        return 0;
    if (xli_textbook_is(flat->algorithm))
        return xli_textbook_scratch(flat, n);
    return xli_round_up(xli_min(tiles, xli_flat_most_groups(flat, n)) * flat->source.state_bytes,
                        XLI_SCRATCH_ALIGN);
}

void xli_flat_info(const xli_flat *flat, size_t n, xl_plan_info *info)
{
    static const char *const names[] = {[XL_SCAN_LOOKBACK] = "look-back",
                                        [XL_SCAN_REDUCE_THEN_SCAN] = "reduce-then-scan",
                                        [XL_SCAN_KOGGE_STONE] = "kogge-stone",
                                        [XL_SCAN_BLELLOCH] = "blelloch"};
    const bool ring = flat->algorithm == XL_SCAN_LOOKBACK;
    *info = (xl_plan_info){.sub_group_size = flat->sub_group,
                           .work_group_size = flat->group_size,
                           .tile_elements = ring ? xli_flat_ring_tile(flat, n) : flat->tile};
    info->item_elements = info->tile_elements < flat->tile ? flat->vector * flat->few : flat->items;
    snprintf(info->algorithm, sizeof info->algorithm, "%s", names[flat->algorithm]);
}

xl_status xli_flat_launch(xli_flat_flow *flow, xli_kernel *kernel, size_t groups, size_t size,
                          const xli_arg *more, size_t num_more)
{
    xli_arg args[XLI_MAX_ARGS];
    memcpy(args, flow->input, flow->num_input * sizeof *args);
    memcpy(args + flow->num_input, more, num_more * sizeof *args);
    return xli_seq_launch(&flow->seq, kernel, groups, size, args, flow->num_input + num_more);
}

/* Groups of one work-item fold few totals each, and are given many scanned: to fold them would
 * cost as much again as the runs. A launch scans so many that its loop is no longer than a
 * run's, for devices that end long ones (scan.run_elements in tune.h). */
static xl_status scan_totals(xli_flat *flat, xli_flat_flow *f, size_t groups, bool *scanned)
{
    enum { FEW = 512, AT_ONCE = 4096 };
    xl_status status = XL_SUCCESS;
    *scanned = flat->scan_totals.cl && groups > FEW;
    for (size_t from = 0; *scanned && from < groups; from += AT_ONCE)
        XL_TRY(XLI_LAUNCH(&f->seq, &flat->scan_totals, 1, 1, XLI_MEM(f->scratch.buffer),
                          XLI_U64(f->scratch.offset), XLI_U64(from),
                          XLI_U64(xli_min(groups, from + AT_ONCE))));
done:
    return status;
}

static xl_status enqueue_two_pass(xli_flat *flat, xli_flat_flow *f)
{
    xl_status status;
    bool scanned = false;
    enum { STREAM = 1, SCANNED = 2 };
    const xli_flat_cut cut = xli_flat_cut_of(flat, f->n);
    /* A single group reads no totals. */
    const xli_arg totals = XLI_MEM(f->scratch.buffer), totals_offset = XLI_U64(f->scratch.offset);
    if (cut.groups > 1) {
        XL_TRY(XLI_FLAT_LAUNCH(f, &flat->reduce, cut.groups, flat->group_size, XLI_U64(cut.run),
                               totals, totals_offset));
        XL_TRY(scan_totals(flat, f, cut.groups, &scanned));
    }
    XL_TRY(XLI_FLAT_LAUNCH(f, &flat->spread, xli_max(1, cut.groups), flat->group_size,
                           XLI_U64(cut.run), totals, totals_offset, XLI_MEM(f->at.out.buffer),
                           XLI_U64(f->at.out.offset),
                           XLI_U32((f->stream ? STREAM : 0) | (scanned ? SCANNED : 0))));
done:
    return status;
}

/* The caller's scratch holds anything and is cleared each time; the plan's own is made
 * of zeros, and then put right by the groups themselves. */
static xl_status clear_state(xli_flat *flat, xli_flat_flow *f, size_t tiles)
{
    const size_t words = state_words(flat, tiles);
    if (f->seq.pool)
        return XL_SUCCESS;
    const size_t size = xli_min(flat->clear.max_group, 64);
    const size_t groups = xli_min(xli_ceil_div(words, size), (size_t)flat->units * 16);
    return XLI_LAUNCH(&f->seq, &flat->clear, groups, size, XLI_MEM(f->scratch.buffer),
                      XLI_U64(f->scratch.offset / sizeof(cl_ulong)), XLI_U64(words));
}

static xl_status enqueue_look_back(xli_flat *flat, xli_flat_flow *f)
{
    xl_status status;
    /* Of no elements one group is told, to pass a carry on. */
    const size_t n = xli_max(1, f->n), tile = xli_flat_ring_tile(flat, n);
    const size_t tiles = xli_ceil_div(n, tile);
    const size_t groups = xli_min(tiles, xli_flat_ring_groups(flat));
    enum { STREAM = 1, ALONE = 2, IN_PLACE = 4 };
    const unsigned flags =
        (f->stream ? STREAM : 0) | (tiles == 1 ? ALONE : 0) | (f->at.in_place ? IN_PLACE : 0);
    const bool apart = f->at.in_place && flat->ring_in_place.cl;
    xli_kernel *const kernel = tile < flat->tile ? &flat->ring_few
                               : apart           ? &flat->ring_in_place
                                                 : &flat->ring;
    if (tiles > 1)
        XL_TRY(clear_state(flat, f, tiles));
    XL_TRY(XLI_FLAT_LAUNCH(f, kernel, groups, flat->group_size, XLI_MEM(f->scratch.buffer),
                           XLI_U64(f->scratch.offset / sizeof(cl_ulong)), XLI_MEM(f->at.out.buffer),
                           XLI_U64(f->at.out.offset), XLI_U32(flags)));
done:
    return status;
}

static xl_status take_scratch(xli_flat *flat, xli_flat_flow *f, xl_view scratch)
{
    xl_status status;
    const xli_span *const others[] = {
        &f->at.in,       &f->at.segments,  &f->at.n_device,        &f->at.out,
        &f->at.carry_in, &f->at.carry_out, &flat->source.init_view};
    XL_TRY(xli_seq_scratch(&f->seq, &flat->pool, scratch, xli_flat_scratch(flat, f->n),
                           XLI_SCRATCH_ALIGN, &f->scratch));
    for (size_t i = 0; i < XLI_COUNT(others); ++i)
        XL_TRY(xli_check_apart(flat->ctx, &f->scratch, others[i], false));
done:
    return status;
}

xl_status xli_flat_enqueue(xli_flat *flat, cl_command_queue queue, const xl_scan_args *call,
                           cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xli_flat_flow f = {.n = call->n};
    XL_TRY(xli_seq_begin(&f.seq, flat->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_flat_check_call(flat, call, &f.at));
    XL_TRY(take_scratch(flat, &f, call->scratch));
    f.num_input = xli_flat_input_args(&flat->source, &f.at, f.n, f.input);
    f.stream = !f.at.in_place && f.n / 1024 * flat->out.bytes >= flat->tune.stream_kib;
    if (f.n == 0 && !f.at.carry_out.buffer)
        goto done;
    if (flat->algorithm == XL_SCAN_LOOKBACK)
        XL_TRY(enqueue_look_back(flat, &f));
    else if (xli_textbook_is(flat->algorithm))
        XL_TRY(xli_textbook_enqueue(flat, &f));
    else
        XL_TRY(enqueue_two_pass(flat, &f));
done:
    return xli_seq_end(&f.seq, status, event);
}

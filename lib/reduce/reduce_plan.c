/* SPDX-License-Identifier: MIT
 * Making a plan of a reduction: checks, shape, kernels, and how calls are cut. */
#include "reduce_plan.h"

#include <string.h>

/* The inclusive scan of the same elements, of which a reduction keeps the last ones. */
static xl_scan_desc scan_of(const xl_reduce_desc *desc)
{
    return (xl_scan_desc){.struct_size = sizeof(xl_scan_desc),
                          .type = desc->type,
                          .op = desc->op,
                          .kind = XL_INCLUSIVE,
                          .init = desc->init,
                          .determinism = desc->determinism,
                          .user_type = desc->user_type,
                          .user_op = desc->user_op,
                          .segments = desc->segments,
                          .segment_type = desc->segment_type,
                          .segment_width = desc->segment_width,
                          .segment_mask = desc->segment_mask,
                          .load = desc->load,
                          .store = desc->store,
                          .load_type = desc->load_type,
                          .store_type = desc->store_type,
                          .user_load_type = desc->user_load_type,
                          .user_store_type = desc->user_store_type};
}

/* What only a reduction refuses. */
static xl_status check(const xl_reduce *plan, const xl_reduce_desc *desc)
{
    const xl_context *ctx = plan->flat.ctx;
    const xli_flat_source *source = &plan->flat.source;
    if (xli_operator_finds_place(desc->op) && (desc->init || desc->store))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but %s gives indices",
                        desc->init ? "init" : "store", xl_op_name(desc->op));
    if (desc->segments == XL_SEGMENTS_OFFSETS && !source->has_identity && !source->has_init)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "init: segments by CSR offsets may be empty, and \"%s\" has no identity; "
                        "it needs one",
                        desc->user_op->name);
    return XL_SUCCESS;
}

/* Bytes of an element in the operator's hands: with its index where that is asked for. */
static size_t value_bytes(const xli_flat_source *source)
{
    return xli_operator_finds_place(source->op) ? 2 * sizeof(cl_ulong) : source->element.bytes;
}

/* Local memory of a group: cl/tile/tile_scan.cl, cl/tile/tile_reduce_group.cl. */
static size_t local_bytes(const xli_flat *flat, size_t size, size_t items)
{
    const xli_flat_source *source = &flat->source;
    const size_t tile = size * items, state = source->state_bytes;
    if (source->segments == XL_SEGMENTS_NONE)
        return (items + 2) * size * state + 64;
    const size_t stage = xli_max(value_bytes(source), source->in.bytes) * (tile + size + 1);
    return stage + size * (state + sizeof(cl_ulong)) + 3 * (tile + 16) + 64;
}

/* The runs where bits must not depend on the device: to change them breaks that promise. */
enum { FIXED_RUN = 1 << 12, LONG_FIXED_RUN = 1 << 14, FIXED_RUNS = 1 << 12 };

/* One work-item takes a run, and runs are cut in a way of their own: the order of operands
 * is then the same on every device. */
static bool is_reproducible(const xl_reduce *plan)
{
    return plan->flat.source.rounds && plan->flat.determinism == XL_REPRODUCIBLE;
}

/* Settles the shape for groups of at most `most` work-items. */
static void shape_to_fit(xl_reduce *plan, const xli_facts *facts, size_t most)
{
    enum { MOST_ITEMS = 16, SERIAL_TILE = 1 << 12 };
    xli_flat *flat = &plan->flat;
    const size_t bytes = xli_max(value_bytes(&flat->source), flat->source.in.bytes);
    const bool whole = flat->source.segments == XL_SEGMENTS_NONE;
    const size_t held = whole ? plan->tune.whole_bytes : plan->tune.item_bytes;
    const size_t wanted = whole ? plan->tune.whole_size : plan->tune.group_size;
    size_t size = xli_min(xli_power_below(wanted), xli_power_below(most));
    size_t items = xli_power_below(xli_max(1, xli_min(whole ? 64 : MOST_ITEMS, held / bytes)));
    while (items > 1 && local_bytes(flat, size, items) > facts->info.local_bytes)
        items /= 2;
    while (size > 1 && local_bytes(flat, size, items) > facts->info.local_bytes)
        size /= 2;
    const bool serial = plan->tune.serial || size == 1 || is_reproducible(plan);
    flat->group_size = serial ? 1 : (uint32_t)size;
    flat->items = serial ? 0 : (uint32_t)items;
    flat->vector = (uint32_t)xli_min(xli_flat_vector(flat, flat->source.in.bytes), items);
    flat->tile = is_reproducible(plan) ? FIXED_RUN
                 : serial              ? xli_min(SERIAL_TILE, plan->tune.run_elements)
                                       : size * items;
}

void xli_reduce_destroy_kernels(xl_reduce *plan)
{
    xli_kernel_destroy(&plan->count);
    xli_kernel_destroy(&plan->walk);
    xli_kernel_destroy(&plan->join);
}

/* Builds the kernels for the plan's group size; *most is the least of their own limits. */
static xl_status build(xl_reduce *plan, const xl_scan_desc *desc, const xli_facts *facts,
                       size_t *most)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    const bool whole = desc->segments == XL_SEGMENTS_NONE;
    const bool counts = !whole && desc->segments <= XL_SEGMENTS_KEYS;
    const struct {
        const char *name;
        xli_kernel *kernel;
        bool wanted;
    } kernels[] = {{"xl_reduce_walk", &plan->walk, true},
                   {"xl_reduce_join", &plan->join, true},
                   {"xl_reduce_count", &plan->count, counts}};
    *most = SIZE_MAX;
    XL_TRY(xli_flat_text(&plan->flat, desc, facts, &text));
    xli_text_add(&text, "#define XL_AHEAD %u\n#define XL_SEG_ROW %zu\n#define XL_ROUNDS %u\n",
                 (unsigned)plan->tune.ahead, 16 / xli_max(1, plan->flat.source.segment_bytes),
                 (unsigned)(plan->tune.run_offsets > 0));
    if (text.failed)
        XL_TRY(xli_fail(plan->flat.ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for definitions"));
    XL_TRY(xli_flat_program(&plan->flat, facts, whole ? "reduce_whole" : "reduce_segments", &text,
                            &program));
    for (size_t i = 0; i < XLI_COUNT(kernels); ++i) {
        if (!kernels[i].wanted)
            continue;
        XL_TRY(xli_kernel_create(plan->flat.ctx, program, kernels[i].name, kernels[i].kernel));
        *most = xli_min(*most, kernels[i].kernel->max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

xl_status xli_reduce_plan(xl_reduce *plan, const xl_reduce_desc *desc, const xli_facts *facts)
{
    xl_status status;
    xli_flat *flat = &plan->flat;
    const xl_scan_desc scan = scan_of(desc);
    xli_tune_device device;
    xli_tune tune;
    size_t most = facts->info.max_work_group_size;
    flat->reduces = true;
    XL_TRY(xli_flat_resolve(flat, &scan, facts));
    XL_TRY(check(plan, desc));
    if (xli_operator_finds_place(desc->op))
        XL_TRY(xli_element_resolve(flat->ctx, facts, "out", XL_U64, NULL, &flat->out));
    XL_TRY(xli_flat_take_init(flat, &scan));
    XL_TRY(
        xli_context_tune(flat->ctx, facts, XLI_TUNE_WISH(XLI_TUNE_REDUCE, desc), &device, &tune));
    plan->tune = tune.reduce;
    flat->units = facts->info.compute_units;
    do { /* a kernel may allow smaller groups than its device: then all are built again */
        shape_to_fit(plan, facts, most);
        xli_reduce_destroy_kernels(plan);
        XL_TRY(build(plan, &scan, facts, &most));
    } while (most < flat->group_size);
    flat->sub_group = xli_sub_group_of(facts, flat->group_size);
done:
    return status;
}

/* Whether a work-item takes elements one by one, so that long runs are long loops. */
static bool is_slow(const xl_reduce *plan)
{
    return plan->flat.items == 0 && !xli_flat_goes_by_vectors(&plan->flat);
}

/* Longer ones above so many, so that the join, which is one work-item's, takes no longer. */
static size_t fixed_run(size_t n)
{
    return n / FIXED_RUN <= FIXED_RUNS ? FIXED_RUN : LONG_FIXED_RUN;
}

/* The longest run, and the most runs that n elements are cut into. */
static size_t longest_run(const xl_reduce *plan)
{
    const xli_tune_reduce *tune = &plan->tune;
    size_t run = (size_t)tune->run_elements * (is_slow(plan) ? 1 : 8);
    if (tune->run_offsets > 0 && plan->flat.items == 0 &&
        plan->flat.source.segments == XL_SEGMENTS_OFFSETS)
        run = xli_min(tune->run_elements, tune->run_offsets);
    return xli_round_up(run, plan->flat.tile);
}

static size_t most_runs(const xl_reduce *plan, size_t n)
{
    const bool whole = plan->flat.source.segments == XL_SEGMENTS_NONE;
    const size_t each = whole ? plan->tune.run_groups : plan->tune.part_groups;
    if (is_reproducible(plan)) /* in so many, or in as many as they take at once */
        return xli_max(FIXED_RUNS + 1, xli_ceil_div(n, fixed_run(n)));
    return xli_max(plan->flat.units * each, xli_ceil_div(n, longest_run(plan)));
}

/* The most runs of a launch. More would have to fold too many numbers of heads each, and too
 * many records in the join; but whole arrays are joined once, at the end. */
static size_t runs_at_once(const xl_reduce *plan, size_t n)
{
    const size_t most = most_runs(plan, n);
    if (plan->flat.source.segments == XL_SEGMENTS_NONE)
        return most;
    return xli_min(most, xli_max(FIXED_RUNS, plan->flat.units * plan->tune.part_groups));
}

xli_reduce_cut xli_reduce_cut_of(const xl_reduce *plan, size_t n, size_t segments)
{
    const size_t tile = plan->flat.tile, steps = n + segments;
    const size_t tiles = xli_ceil_div(steps, tile);
    const size_t most = most_runs(plan, n);
    xli_reduce_cut cut = {.most = runs_at_once(plan, n)};
    const size_t each = tiles <= plan->tune.alone_tiles ? tiles : xli_ceil_div(tiles, most);
    cut.run =
        is_reproducible(plan) ? fixed_run(n) : xli_min(xli_max(each, 1) * tile, longest_run(plan));
    cut.runs = xli_max(xli_ceil_div(steps, cut.run), 1);
    return cut;
}

/* CSR offsets may cut few elements into many runs: their number is not known here. There is
 * room for one record always, so that no kernel is given NULL to write to. */
xli_reduce_room xli_reduce_room_of(const xl_reduce *plan, size_t n)
{
    const xli_flat_source *source = &plan->flat.source;
    const size_t align = xli_max(source->state_alignment, sizeof(cl_ulong));
    const size_t record = xli_round_up(
        xli_round_up(2 * source->state_bytes, sizeof(cl_ulong)) + sizeof(cl_ulong), align);
    const bool offsets = source->segments == XL_SEGMENTS_OFFSETS;
    const size_t tiles = xli_ceil_div(n, plan->flat.tile);
    const size_t most = runs_at_once(plan, n);
    const size_t runs = xli_max(1, offsets ? most : xli_min(tiles, most));
    xli_reduce_room room = {.counts = (runs + 1) * record};
    room.bytes = room.counts + (plan->count.cl ? (runs + 1) * sizeof(cl_ulong) : 0);
    room.bytes = xli_round_up(room.bytes, XLI_SCRATCH_ALIGN);
    return room;
}

/* SPDX-License-Identifier: MIT
 * The shape of a reduction, and how its calls are cut into chunks. Pure, see reduce_shape.h. */
#include "reduce_shape.h"

/* Bytes of an operand: an element, with its index if that is the result. */
static size_t value_bytes(const xli_problem *problem)
{
    return xli_operator_finds_index(problem->op) ? 2 * sizeof(cl_ulong) : problem->element.bytes;
}

/* Local memory of a group: cl/tile/tile_load.cl, cl/reduce/reduce_segments.cl. */
static size_t local_bytes(const xli_problem *problem, size_t size, size_t items)
{
    const size_t tile = size * items, state = problem->accumulator_bytes;
    if (problem->segments == XL_SEGMENTS_NONE)
        return (items + 2) * size * state + 64;
    const size_t stage = xli_max(value_bytes(problem), problem->in.bytes) * (tile + size + 1);
    return stage + size * (state + sizeof(cl_ulong)) + 3 * (tile + 16) + 64;
}

/* The chunks of XL_REPRODUCIBLE, which determine the bits of results: they must not change. */
enum { FIXED_CHUNK = 1 << 12, LONG_FIXED_CHUNK = 1 << 14, FIXED_CHUNKS = 1 << 12 };

/* With XL_REPRODUCIBLE one work-item takes a chunk, and chunks have fixed lengths, so that the
 * order of operands is the same on every device. */
void xli_reduce_shape_of(const xli_problem *problem, const xli_capabilities *capabilities,
                         const xli_tune_reduce *tune, size_t most, xli_reduce_shape *shape)
{
    enum { MOST_ITEMS = 16, SERIAL_TILE = 1 << 12 };
    const size_t bytes = xli_max(value_bytes(problem), problem->in.bytes);
    const bool whole = problem->segments == XL_SEGMENTS_NONE;
    const size_t held = whole ? tune->whole_bytes : tune->item_bytes;
    const size_t wanted = whole ? tune->whole_size : tune->group_size;
    size_t size = xli_min(xli_power_below(wanted), xli_power_below(most));
    size_t items = xli_power_below(xli_max(1, xli_min(whole ? 64 : MOST_ITEMS, held / bytes)));
    while (items > 1 && local_bytes(problem, size, items) > capabilities->info.local_bytes)
        items /= 2;
    while (size > 1 && local_bytes(problem, size, items) > capabilities->info.local_bytes)
        size /= 2;
    const bool serial = tune->serial || size == 1 || xli_problem_is_reproducible(problem);
    *shape = (xli_reduce_shape){.tune = *tune, .units = capabilities->info.compute_units};
    shape->group_size = serial ? 1 : (uint32_t)size;
    shape->items = serial ? 0 : (uint32_t)items;
    shape->vector = (uint32_t)xli_min(xli_problem_vector(problem, problem->in.bytes), items);
    shape->tile = xli_problem_is_reproducible(problem) ? FIXED_CHUNK
                  : serial                             ? xli_min(SERIAL_TILE, tune->chunk_elements)
                                                       : size * items;
    shape->row = whole && !serial ? size * shape->vector : shape->tile;
    shape->single_launch = whole && tune->single_launch && capabilities->can_publish;
    shape->sub_group = xli_sub_group_of(capabilities, shape->group_size);
}

bool xli_reduce_counts(const xli_problem *problem)
{
    return problem->segments != XL_SEGMENTS_NONE && problem->segments <= XL_SEGMENTS_KEYS;
}

/* Whether a work-item takes elements one by one, so that long chunks are long loops. */
static bool is_slow(const xli_problem *problem, const xli_reduce_shape *shape)
{
    return shape->items == 0 && !xli_problem_goes_by_vectors(problem);
}

/* Longer chunks if there are many, so that the fix-up, by one work-item, takes no longer. */
static size_t fixed_chunk(size_t n)
{
    return n / FIXED_CHUNK <= FIXED_CHUNKS ? FIXED_CHUNK : LONG_FIXED_CHUNK;
}

/* The longest chunk, of whole tiles, and the most chunks that n elements are cut into. */
static size_t longest_chunk(const xli_problem *problem, const xli_reduce_shape *shape)
{
    const xli_tune_reduce *tune = &shape->tune;
    size_t chunk = xli_mul(tune->chunk_elements, is_slow(problem, shape) ? 1 : 8);
    if (tune->chunk_elements_csr > 0 && shape->items == 0 &&
        problem->segments == XL_SEGMENTS_OFFSETS)
        chunk = xli_min(tune->chunk_elements, tune->chunk_elements_csr);
    return xli_min(xli_round_up(chunk, shape->tile), SIZE_MAX / shape->tile * shape->tile);
}

static size_t most_chunks(const xli_problem *problem, const xli_reduce_shape *shape, size_t n)
{
    const bool whole = problem->segments == XL_SEGMENTS_NONE;
    const size_t each = whole ? shape->tune.chunk_groups : shape->tune.segment_chunk_groups;
    if (xli_problem_is_reproducible(problem)) /* a bound that grows with n */
        return xli_max(FIXED_CHUNKS + 1, xli_ceil_div(n, fixed_chunk(n)));
    return xli_max(xli_mul(shape->units, each), xli_ceil_div(n, longest_chunk(problem, shape)));
}

/* The most chunks of a launch: each folds the numbers of heads of those before it, and the fix-up
 * all carry-outs. A whole array has one fix-up, at the end. */
static size_t chunks_per_launch(const xli_problem *problem, const xli_reduce_shape *shape, size_t n)
{
    const size_t most = most_chunks(problem, shape, n);
    if (problem->segments == XL_SEGMENTS_NONE)
        return most;
    return xli_min(most,
                   xli_max(FIXED_CHUNKS, xli_mul(shape->units, shape->tune.segment_chunk_groups)));
}

/* Rows of the shortest chunk, unless one group takes all. Few elements are spread over the compute
 * units first, because the loads of one work-item take the time then. */
static size_t least_rows(const xli_problem *problem, const xli_reduce_shape *shape, size_t rows)
{
    if (problem->segments != XL_SEGMENTS_NONE || shape->items == 0)
        return 1;
    const size_t most =
        xli_min(shape->tune.chunk_vectors, longest_chunk(problem, shape) / shape->row);
    return xli_max(1, xli_min(most, xli_ceil_div(rows, shape->units)));
}

/* One group takes all rows if there are at most this many. */
static size_t single_group_rows(const xli_problem *problem, const xli_reduce_shape *shape)
{
    const bool by_vectors = problem->segments == XL_SEGMENTS_NONE && shape->items > 0;
    return by_vectors ? shape->tune.single_group_vectors : shape->tune.single_group_tiles;
}

static size_t ceil_div(uint64_t n, size_t d)
{
    return xli_size(n / d + (n % d != 0));
}

xli_reduce_partition xli_reduce_partition_of(const xli_problem *problem,
                                             const xli_reduce_shape *shape, size_t n,
                                             size_t segments)
{
    /* Each may be SIZE_MAX. */
    const uint64_t steps = (uint64_t)n + segments;
    const size_t rows = ceil_div(steps, shape->row);
    const size_t most = most_chunks(problem, shape, n);
    xli_reduce_partition partition = {.most = chunks_per_launch(problem, shape, n)};
    const size_t each = rows <= single_group_rows(problem, shape)
                            ? xli_max(rows, 1)
                            : xli_max(xli_ceil_div(rows, most), least_rows(problem, shape, rows));
    partition.chunk = xli_problem_is_reproducible(problem)
                          ? fixed_chunk(n)
                          : xli_min(xli_mul(each, shape->row), longest_chunk(problem, shape));
    partition.chunks = xli_max(ceil_div(steps, partition.chunk), 1);
    return partition;
}

bool xli_reduce_is_single(const xli_reduce_shape *shape, const xli_reduce_partition *partition)
{
    return shape->single_launch && partition->chunks > 1 && partition->chunks <= XLI_REDUCE_TOTALS;
}

/* Bytes of the carry-out of a chunk (xl_carry_out of cl/reduce/reduce_chunk.cl), or of its total.
 */
static size_t carry_out_bytes(const xli_problem *problem)
{
    const size_t align = xli_max(problem->accumulator_alignment, sizeof(cl_ulong));
    if (problem->segments == XL_SEGMENTS_NONE)
        return problem->accumulator_bytes;
    return xli_round_up(
        xli_round_up(2 * problem->accumulator_bytes, sizeof(cl_ulong)) + sizeof(cl_ulong), align);
}

/* The most chunks of one launch for up to n elements. With the shortest chunks one more row may
 * mean fewer chunks, so one chunk for each compute unit is the least. CSR offsets, whose number is
 * not known here, may cut few elements into many chunks. There is always room for one chunk, so
 * that no kernel is given NULL to write to. */
static size_t room_for_chunks(const xli_problem *problem, const xli_reduce_shape *shape, size_t n)
{
    const size_t rows = xli_ceil_div(n, shape->row), most = chunks_per_launch(problem, shape, n);
    const size_t least = least_rows(problem, shape, rows);
    if (problem->segments == XL_SEGMENTS_OFFSETS)
        return xli_max(1, most);
    const size_t spread = xli_max(xli_ceil_div(rows, least), xli_min(rows, shape->units));
    return xli_max(1, xli_min(spread, most));
}

xli_reduce_layout xli_reduce_layout_of(const xli_problem *problem, const xli_reduce_shape *shape,
                                       size_t n)
{
    const size_t chunks = room_for_chunks(problem, shape, n);
    xli_reduce_layout room = {.carry_outs = shape->single_launch ? XLI_REDUCE_COUNTER_BYTES : 0};
    room.counts = xli_add(room.carry_outs, xli_mul(xli_add(chunks, 1), carry_out_bytes(problem)));
    room.bytes = room.counts;
    if (xli_reduce_counts(problem))
        room.bytes = xli_add(room.bytes, xli_mul(xli_add(chunks, 1), sizeof(cl_ulong)));
    room.bytes = xli_round_up(room.bytes, XLI_SCRATCH_ALIGN);
    return room;
}

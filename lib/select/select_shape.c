/* SPDX-License-Identifier: MIT
 * The shape of a selection, and the sizes that follow from it. Pure, see select_shape.h. */
#include "select_shape.h"

/* Places in a tile have 16 bits, and the flags of a work-item's elements are in one word. */
enum { MOST_ITEMS = 32, LEAST_ITEMS = 4, REPEAT_ITEMS = 8, STAGED_BYTES = 16 };

/* Runs in a tile of a serial work-item. */
enum { REPEAT_TILE = 4096 };

/* Rounds of loops that a tile costs a work-item, at most; and one of XL_SELECT_REPEAT. */
enum { TILE_ROUNDS = 128, REPEAT_ROUNDS = 512 };

/* Elements of a chunk: counts have 32 bits. */
enum { LONGEST = 1 << 30 };

/* Registers: those of NVIDIA's compute units, and the fewest of a work-item. */
enum { UNIT_REGISTERS = 65536, LEAST_REGISTERS = 32 };

/* As cl/tile/tile_prefix.cl counts them. */
enum { HEADER_WORDS = 8 };

bool xli_select_looks(const xli_select_problem *problem)
{
    return problem->predicate || problem->equal;
}

size_t xli_select_state_bytes(const xli_select_problem *problem)
{
    const xl_select_kind kind = problem->kind;
    return kind == XL_SELECT_IF || kind == XL_SELECT_PARTITION || kind == XL_SELECT_UNIQUE
               ? sizeof(cl_uint)
               : sizeof(cl_ulong);
}

/* The places of later parts depend on all of the counts, as those of repeated elements do. */
static bool is_partition(xl_select_kind kind)
{
    return kind == XL_SELECT_PARTITION || kind == XL_SELECT_PARTITION3;
}

/* Local memory of a group. */
static size_t local_bytes(const xli_select_problem *problem, const xli_select_shape *shape,
                          size_t size, size_t items)
{
    enum { SPARE = 512, PLACE = 2, SUMS = 32 }; /* xl_sums of cl/select/select_parts.cl */
    const size_t bytes = problem->kind == XL_SELECT_REPEAT ? sizeof(cl_uint)
                         : !shape->staged                  ? PLACE
                         : problem->kind == XL_SELECT_RUNS ? problem->element.bytes + PLACE
                                                           : xli_max(problem->element.bytes, PLACE);
    return (shape->look_back ? 2 : 1) * xli_round_up(size * items * bytes, 16) +
           size * (3 * xli_select_state_bytes(problem) + (shape->resident > 0 ? SUMS : 0)) + SPARE;
}

/* Scalars are read in vectors of 16 bytes, of at most four elements, which are ranked together.
 * Halves that an expression reads are not. */
static uint32_t vector_of(const xli_element *element)
{
    enum { MOST = 4, BYTES = 16 };
    const bool half = element->kind == XLI_KIND_FLOAT && element->bytes == sizeof(cl_half);
    return xli_element_is_scalar(element) && !half ? (uint32_t)xli_min(BYTES / element->bytes, MOST)
                                                   : 1;
}

/* Whether cl/select/select_sweep.cl can look back by whole groups: their lanes exchange values. */
static bool looks_back_by_group(const xli_capabilities *capabilities, const xli_select_shape *shape)
{
    const size_t width = capabilities->info.sub_group_size;
    return shape->tune.window > 0 && capabilities->lane_way != XLI_LANE_LOCAL &&
           shape->group_size % 64 == 0 && width >= 8 && width <= 64;
}

static void shape_group(const xli_select_problem *problem, const xli_capabilities *capabilities,
                        size_t most, xli_select_shape *shape)
{
    const size_t held = xli_min(problem->element.bytes, STAGED_BYTES);
    size_t size = xli_power_below(xli_min(shape->tune.group, xli_max(most, 1)));
    size_t items = problem->kind == XL_SELECT_REPEAT
                       ? REPEAT_ITEMS
                       : xli_min(xli_max(shape->tune.item_bytes / held, LEAST_ITEMS), MOST_ITEMS);
    items -= items % shape->vector;
    while (items > shape->vector &&
           local_bytes(problem, shape, size, items) > capabilities->info.local_bytes)
        items -= shape->vector;
    while (size > 1 && local_bytes(problem, shape, size, items) > capabilities->info.local_bytes)
        size /= 2;
    shape->group_size = (uint32_t)size;
    shape->items = (uint32_t)items;
    shape->tile = size * items;
    shape->ordered = looks_back_by_group(capabilities, shape);
}

/* Mesa 22.3 (rusticl) loses bytes of structs of bytes that pass through local memory. */
static bool is_staged(const xli_element *element)
{
    return element->bytes <= STAGED_BYTES &&
           (element->kind != XLI_KIND_USER || element->alignment % sizeof(cl_uint) == 0);
}

void xli_select_shape_of(const xli_select_problem *problem, const xli_capabilities *capabilities,
                         const xli_tune_select *tune, size_t most, xli_select_shape *shape)
{
    *shape = (xli_select_shape){.tune = *tune,
                                .staged = is_staged(&problem->element),
                                .group_size = 1,
                                .vector = vector_of(&problem->element),
                                .units = capabilities->info.compute_units,
                                .most_rounds = capabilities->most_rounds};
    const bool publishes = tune->look_back && capabilities->can_publish;
    shape->look_back =
        publishes && !is_partition(problem->kind) && problem->kind != XL_SELECT_REPEAT;
    if (publishes && is_partition(problem->kind) && !tune->serial)
        shape->resident = xli_mul(shape->units, tune->resident);
    if (shape->resident >
        0) { /* a tile of the same size: more work-items wait for memory at a time */
        shape->tune.group = tune->group * 2;
        shape->tune.item_bytes = tune->item_bytes / 2;
    }
    if (!shape->tune.serial)
        shape_group(problem, capabilities, most, shape);
    else if (problem->kind == XL_SELECT_REPEAT)
        shape->tile = REPEAT_TILE;
    else
        shape->tile = xli_max(tune->tile_bytes / problem->element.bytes, 64);
    if (capabilities->nv_capability > 0 && !shape->tune.serial && problem->kind != XL_SELECT_REPEAT)
        shape->registers = tune->registers;
    if (shape->registers > 0 &&
        shape->resident > 0) { /* so that the groups do run at the same time */
        const size_t each = UNIT_REGISTERS / xli_mul(shape->group_size, tune->resident);
        shape->registers = (uint32_t)xli_min(shape->registers, xli_max(each, LEAST_REGISTERS));
    }
    shape->piece = xli_max(tune->piece / shape->tile, 1) * shape->tile;
}

size_t xli_select_room(const xli_select_problem *problem, size_t n, size_t capacity)
{
    const size_t room = capacity > 0 ? capacity : n;
    return problem->kind == XL_SELECT_REPEAT ? room : xli_min(room, n);
}

/* Tiles of the longest chunk, if each costs `rounds`. */
static size_t most_tiles(const xli_select_shape *shape, size_t rounds)
{
    return xli_max(1, xli_min(LONGEST / shape->tile, shape->most_rounds / rounds));
}

/* The number of chunks, unless they would be too long. */
static size_t usual_chunks(const xli_select_shape *shape)
{
    return shape->resident > 0 ? shape->resident
                               : xli_max(xli_mul(shape->units, shape->tune.chunk_groups), 1);
}

xli_select_chunks xli_select_chunks_of(const xli_select_shape *shape, size_t n)
{
    const size_t tiles = xli_ceil_div(n, shape->tile);
    const size_t each = xli_max(
        xli_min(xli_ceil_div(tiles, usual_chunks(shape)), most_tiles(shape, TILE_ROUNDS)), 1);
    return (xli_select_chunks){each * shape->tile, xli_ceil_div(tiles, each)};
}

size_t xli_select_groups(const xli_select_shape *shape, size_t work)
{
    const size_t tiles = xli_ceil_div(work, shape->tile);
    const size_t most = xli_max(xli_mul(shape->units, shape->tune.chunk_groups),
                                xli_ceil_div(tiles, most_tiles(shape, REPEAT_ROUNDS)));
    return xli_max(xli_min(tiles, most), 1);
}

size_t xli_select_state_words(const xli_select_problem *problem, size_t tiles)
{
    const size_t each = xli_select_state_bytes(problem) <= sizeof(cl_uint) ? 1 : 4;
    return xli_add(HEADER_WORDS, xli_mul(tiles, each));
}

size_t xli_select_scratch_bytes(const xli_select_problem *problem, const xli_select_shape *shape,
                                size_t n)
{
    const size_t tiles = xli_ceil_div(n, shape->tile);
    size_t words = 0;
    if (problem->kind == XL_SELECT_REPEAT) {
        words = xli_add(tiles, 1);
    } else if (shape->look_back) {
        const size_t most = xli_min(tiles, shape->piece / shape->tile);
        if (most > 1 || n > shape->piece)
            words = xli_add(XLI_SELECT_CARRY_WORDS, xli_select_state_words(problem, most));
    } else {
        const size_t groups =
            xli_max(usual_chunks(shape), xli_ceil_div(tiles, most_tiles(shape, TILE_ROUNDS)));
        const size_t most = xli_min(tiles, groups);
        if (shape->resident == 0)
            words = xli_mul(xli_add(most, 1), 2);
        else if (most > 1)
            words = xli_select_state_words(problem, most);
    }
    return xli_round_up(xli_mul(words, sizeof(cl_ulong)), XLI_SCRATCH_ALIGN);
}

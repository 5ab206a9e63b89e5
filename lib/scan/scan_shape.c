/* SPDX-License-Identifier: MIT
 * The shape of a scan: algorithm, groups, tiles. Pure, see scan_shape.h. */
#include "scan_shape.h"

/* Bytes of an element of the widest array, of those whose elements are moved as vectors. */
static size_t widest(const xli_problem *problem)
{
    const size_t keys = problem->segments == XL_SEGMENTS_KEYS ? problem->segment_bytes : 0;
    return xli_max(xli_max(problem->in.bytes, problem->out.bytes), keys);
}

/* Local memory of a work-group: the totals of rows if there are no sub-groups, and the group scan. */
static size_t local_bytes(const xli_problem *problem, const xli_scan_shape *shape, size_t size,
                          size_t items)
{
    return (items / shape->vector + 2) * size * problem->accumulator_bytes + 256;
}

/* Elements of a work-item in groups of `size`: as tuned, if registers and local memory hold them. */
static uint32_t choose_items(const xli_problem *problem, const xli_capabilities *capabilities,
                             const xli_scan_shape *shape, uint32_t size)
{
    const size_t words = xli_ceil_div(problem->accumulator_bytes, 4);
    const uint32_t vector = shape->vector;
    uint32_t items = (uint32_t)(shape->tune.item_bytes / 4 / words / vector * vector);
    items = (uint32_t)xli_max(items, vector);
    while (items > vector &&
           local_bytes(problem, shape, size, items) > capabilities->info.local_bytes)
        items -= vector;
    return items;
}

/* Whether cl/scan/scan_pipelined.cl keeps elements as they are in memory (XL_PACKED). */
static bool is_packed(const xli_problem *problem, const xli_scan_shape *shape)
{
    return problem->in.bytes < 4 && shape->vector > 1 && problem->op <= XL_XOR && problem->op > 0 &&
           problem->accumulator_bytes <= 4 && !problem->loads && !problem->stores &&
           !problem->rounds;
}

/* Computes the shape for cl/scan/scan_pipelined.cl, if the device can run it. An odd number of
 * vectors keeps adjacent work-items in different banks of local memory. On an H200
 * cl/scan/scan_lookback.cl is faster for segments (2^24 u32 by head flags: .050 ms, not .105) and
 * for accumulators of more than two words (November 2026). Values of two words have windows of half
 * the length: 2^21 i64 took .0139 ms with 256 tiles, .0143 with 512. */
static bool shape_pipelined(const xli_problem *problem, const xli_capabilities *capabilities,
                            size_t most, xli_scan_shape *shape)
{
    enum { SPARE = 1024 };
    const size_t words = xli_ceil_div(problem->accumulator_bytes, 4);
    const xli_tune_scan *const tune = &shape->tune;
    const size_t size = words > 1 ? tune->pipelined_wide_size : tune->pipelined_size;
    const bool packed = is_packed(problem, shape);
    const size_t storage = packed      ? tune->pipelined_packed_bytes
                           : words > 1 ? tune->pipelined_wide_bytes
                                       : tune->pipelined_bytes;
    const size_t width = capabilities->info.sub_group_size;
    const bool width_known =
        capabilities->lane_way == XLI_LANE_PTX || capabilities->lane_way == XLI_LANE_AMD;
    const size_t sums = size / (width_known ? width : 4) * 3;
    size_t rows =
        xli_max(1, (packed ? storage / problem->in.bytes : storage / 4 / words) / shape->vector);
    if (!shape->tune.pipelined || shape->algorithm != XL_SCAN_LOOKBACK ||
        problem->state != XLI_ACCUMULATOR_PLAIN || words > 2 || size > most || size % 64 != 0 ||
        capabilities->lane_way == XLI_LANE_LOCAL || width < 8 || width > 64)
        return false;
    rows -= rows % 2 == 0;
    while (rows > 1 && size * rows * shape->vector * problem->in.bytes +
                               sums * problem->accumulator_bytes + SPARE >
                           capabilities->info.local_bytes)
        rows -= 2;
    const size_t tile = size * rows * shape->vector;
    if (tile * problem->in.bytes + sums * problem->accumulator_bytes + SPARE >
        capabilities->info.local_bytes)
        return false;
    shape->group_size = (uint32_t)size;
    shape->items = (uint32_t)(rows * shape->vector);
    shape->tile = tile;
    shape->packed = packed;
    shape->window = words > 1 ? tune->pipelined_window / 2 : tune->pipelined_window;
    return true;
}

/* Calls with few elements are cut into shorter tiles, which take one more kernel. The order of
 * operands follows from the tile: if it must not change, there is one length of tiles. */
static uint32_t choose_short_tile(const xli_problem *problem, const xli_scan_shape *shape)
{
    const bool fixed = xli_problem_is_ordered(problem);
    const uint32_t rows = shape->items / shape->vector,
                   short_tile_vectors = shape->tune.pipelined_short_vectors | 1;
    return shape->pipelined && !fixed && short_tile_vectors < rows ? short_tile_vectors : 0;
}

/* Chooses group and tile for groups of at most `most` work-items. A group of one work-item walks
 * its tile. If it walks element by element, tiles are shorter, so that they are as much work. */
static void shape_to_fit(const xli_problem *problem, const xli_capabilities *capabilities,
                         size_t most, xli_scan_shape *shape)
{
    /* Runs of reduce-then-scan keep to the limit of llvmpipe: see tune.h. */
    const bool lookback = shape->algorithm == XL_SCAN_LOOKBACK;
    const size_t most_steps = lookback ? 1 << 14 : 1 << 12;
    size_t size = xli_min(xli_power_below(shape->tune.group_size), xli_power_below(most));
    shape->pipelined = shape_pipelined(problem, capabilities, most, shape);
    shape->bulk = shape->pipelined && capabilities->lane_way == XLI_LANE_PTX &&
                  capabilities->nv_capability >= 9;
    shape->registers =
        shape->pipelined && capabilities->nv_capability > 0 ? shape->tune.pipelined_registers : 0;
    shape->short_tile_vectors = choose_short_tile(problem, shape);
    if (shape->pipelined) {
        shape->separate_in_place = problem->accumulator_bytes > 4;
        return;
    }
    while (size > 1 &&
           local_bytes(problem, shape, size, shape->vector) > capabilities->info.local_bytes)
        size /= 2;
    if (size == 1)
        shape->tune.shape = XLI_SCAN_SERIAL;
    const bool serial = shape->tune.shape == XLI_SCAN_SERIAL;
    shape->separate_in_place = !serial;
    shape->group_size = serial ? 1 : (uint32_t)size;
    shape->items = serial ? 0 : choose_items(problem, capabilities, shape, shape->group_size);
    shape->tile =
        serial ? xli_max(1, shape->tune.tile_bytes / problem->element.bytes) : size * shape->items;
    if (serial && !xli_problem_goes_by_vectors(problem))
        shape->tile = xli_min(shape->tile, most_steps);
}

/* The tree of operands of XL_REPRODUCIBLE. Its sizes determine the bits of results that round: they
 * follow from the size of an element and its flags alone, and must not change, because
 * XL_REPRODUCIBLE promises these bits. Up to 16 bytes they are the best ones for look-back on an
 * H200 (PIPELINED in lib/tune/tune_scan.c, November 2026), which computes it without segments.
 * Elements of a tile: 11264 of one word, 3840 of two, 6144 with flags. Larger elements have smaller
 * tiles and windows: 32 lanes, or a window, take less than 25 KiB of local memory, and each device
 * of OpenCL's full profile has 32 KiB. */
enum { MOST_NARROW_BYTES = 16, MOST_TREE_BYTES = 128 };

static xli_scan_tree narrow_tree_of(const xli_problem *problem)
{
    const size_t bytes = problem->element.bytes;
    xli_scan_tree tree = {.window = 512, .vector = bytes <= 4 ? 4 : bytes <= 8 ? 2 : 1};
    const bool flags = problem->state != XLI_ACCUMULATOR_PLAIN;
    tree.size = flags ? 512 : bytes <= 4 ? 256 : 128;
    tree.rows = flags ? 3 : bytes <= 4 ? 11 : 15;
    return tree;
}

static xli_scan_tree tree_of(const xli_problem *problem)
{
    const size_t bytes = problem->accumulator_bytes;
    const uint32_t room = bytes <= 32 ? 32 : bytes <= 64 ? 64 : MOST_TREE_BYTES;
    if (bytes <= MOST_NARROW_BYTES)
        return narrow_tree_of(problem);
    return (xli_scan_tree){
        .size = 4096 / room, .rows = room <= 64 ? 3 : 1, .vector = 1, .window = 16384 / room};
}

size_t xli_scan_tree_sub_tile(const xli_scan_tree *tree)
{
    enum { LANES = 32 };
    return (size_t)LANES * tree->rows * tree->vector;
}

size_t xli_scan_tree_tile(const xli_scan_tree *tree)
{
    return (size_t)tree->size * tree->rows * tree->vector;
}

/* Look-back computes the tree if it has exactly 32 lanes, and tiles and windows of the tree's
 * sizes. It combines other operands with the identity than the launches do: a user's operator may
 * change them. */
static bool shape_tree_look_back(const xli_problem *problem, const xli_capabilities *capabilities,
                                 const xli_scan_limits *limits, xli_scan_shape *shape)
{
    const xli_scan_tree *const tree = &shape->tree;
    const uint32_t words = (uint32_t)xli_ceil_div(problem->accumulator_bytes, 4);
    xli_scan_shape made = *shape;
    const bool wanted =
        limits->wish == XL_SCAN_LOOKBACK || (limits->wish == XL_SCAN_AUTO && shape->tune.look_back);
    if (!wanted || !capabilities->can_publish || capabilities->lane_way != XLI_LANE_PTX ||
        capabilities->info.sub_group_size != 32 || problem->op == XL_USER_OP ||
        shape->vector != tree->vector)
        return false;
    made.algorithm = XL_SCAN_LOOKBACK;
    made.tune.pipelined_size = made.tune.pipelined_wide_size = tree->size;
    made.tune.pipelined_bytes = made.tune.pipelined_wide_bytes =
        tree->rows * tree->vector * words * 4;
    shape_to_fit(problem, capabilities, limits->most, &made);
    made.window = tree->window;
    if (!made.pipelined || made.tile != xli_scan_tree_tile(tree))
        return false;
    *shape = made;
    return true;
}

/* Local memory of a group that computes the tree by launches: elements and two buffers of vectors. */
static size_t tree_bytes(const xli_problem *problem, const xli_scan_tree *tree, size_t size)
{
    const size_t vectors = size * tree->rows, elements = vectors * tree->vector;
    return (elements + 2 * vectors + size) * problem->accumulator_bytes;
}

/* The tree by launches. A group takes at most half of the local memory, so that a compute unit has
 * room for two; it is one work-item if work-items run one after another. */
static void shape_tree(const xli_problem *problem, const xli_capabilities *capabilities,
                       const xli_scan_limits *limits, xli_scan_shape *shape)
{
    enum { LEAST = 32 };
    const size_t room = xli_size(capabilities->info.local_bytes);
    shape->tree = tree_of(problem);
    if (shape_tree_look_back(problem, capabilities, limits, shape))
        return;
    const xli_scan_tree *const tree = &shape->tree;
    size_t size = xli_min(tree->size, xli_power_below(limits->most));
    while (size > LEAST && 2 * tree_bytes(problem, tree, size) > room)
        size /= 2;
    if (shape->tune.shape == XLI_SCAN_SERIAL || size < LEAST ||
        tree_bytes(problem, tree, size) > room)
        size = 1;
    shape->algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    shape->group_size = (uint32_t)size;
    shape->vector = tree->vector;
    shape->items = tree->rows * tree->vector;
    shape->tile = size == 1 ? xli_scan_tree_tile(tree) : size * shape->items;
}

/* Elements that are too large for a tree: one work-item scans a chunk of this many, one after
 * another, and the totals of chunks are folded from left to right. The bits follow from it, too. */
enum { REPRODUCIBLE_CHUNK = 256 };

static void shape_reproducible(const xli_problem *problem, const xli_capabilities *capabilities,
                               const xli_scan_limits *limits, xli_scan_shape *shape)
{
    if (problem->accumulator_bytes <= MOST_TREE_BYTES) {
        shape_tree(problem, capabilities, limits, shape);
        return;
    }
    shape->algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    shape->tune.shape = XLI_SCAN_SERIAL;
    shape->group_size = 1;
    shape->tile = REPRODUCIBLE_CHUNK;
}

static xl_scan_algorithm choose_algorithm(const xli_capabilities *capabilities,
                                          const xli_tune_scan *tune, const xli_scan_limits *limits)
{
    xl_scan_algorithm algorithm = limits->wish;
    if (algorithm == XL_SCAN_AUTO)
        algorithm = tune->look_back ? XL_SCAN_LOOKBACK : XL_SCAN_REDUCE_THEN_SCAN;
    if (algorithm == XL_SCAN_LOOKBACK && !capabilities->can_publish)
        algorithm = XL_SCAN_REDUCE_THEN_SCAN;
    return algorithm;
}

/* The launch that makes a bitmask of CSR offsets. Where rounds of loops are counted a tile is so
 * short that a work-item may search for each of its heads, which takes up to 45 rounds. */
static void shape_heads(const xli_problem *problem, const xli_capabilities *capabilities,
                        const xli_scan_limits *limits, xli_scan_shape *shape)
{
    enum { SIZE = 256, TILE = 1 << 13, SHORT_TILE = 1 << 9 };
    if (problem->segments != XL_SEGMENTS_OFFSETS)
        return;
    shape->heads_size = shape->tune.shape == XLI_SCAN_SERIAL
                            ? 1
                            : (uint32_t)xli_min(SIZE, xli_power_below(limits->most));
    shape->heads_tile = capabilities->most_rounds < SIZE_MAX ? SHORT_TILE : TILE;
}

void xli_scan_shape_of(const xli_problem *problem, const xli_capabilities *capabilities,
                       const xli_tune_scan *tune, const xli_scan_limits *limits,
                       xli_scan_shape *shape)
{
    *shape = (xli_scan_shape){.algorithm = choose_algorithm(capabilities, tune, limits),
                              .tune = *tune,
                              .units = capabilities->info.compute_units,
                              .vector = xli_problem_vector(problem, widest(problem))};
    if (!(limits->files & XLI_FILE_PIPELINED))
        shape->tune.pipelined = 0;
    shape_heads(problem, capabilities, limits, shape);
    if (xli_problem_is_reproducible(problem)) {
        shape_reproducible(problem, capabilities, limits, shape);
        return;
    }
    shape_to_fit(problem, capabilities, limits->most, shape);
    if (shape->algorithm == XL_SCAN_LOOKBACK && !(limits->files & xli_scan_file(shape))) {
        shape->algorithm = XL_SCAN_REDUCE_THEN_SCAN;
        shape_to_fit(problem, capabilities, limits->most, shape);
    }
    shape->sub_group = xli_sub_group_of(capabilities, shape->group_size);
}

unsigned xli_scan_file(const xli_scan_shape *shape)
{
    return shape->pipelined ? XLI_FILE_PIPELINED : XLI_FILE_LOOKBACK;
}

const char *xli_scan_file_name(unsigned file)
{
    return file == XLI_FILE_PIPELINED ? "scan_pipelined" : "scan_lookback";
}

size_t xli_scan_lookback_groups(const xli_scan_shape *shape)
{
    const size_t each = shape->pipelined
                            ? xli_ceil_div(shape->tune.pipelined_groups * 256, shape->group_size)
                            : shape->tune.lookback_groups;
    return xli_mul(shape->units, each);
}

/* With more tiles their own cost exceeds the gain from equal shares of the groups. */
size_t xli_scan_lookback_most_short(const xli_scan_shape *shape)
{
    return xli_mul(2, xli_scan_lookback_groups(shape));
}

/* Elements of the group that has the most. */
static size_t longest_turn(const xli_scan_shape *shape, size_t n, size_t tile)
{
    const size_t turns = xli_ceil_div(xli_ceil_div(n, tile), xli_scan_lookback_groups(shape));
    return xli_mul(turns, tile);
}

size_t xli_scan_lookback_tile(const xli_scan_shape *shape, size_t n)
{
    const size_t few = xli_scan_part_tile(shape, XLI_SCAN_FEW);
    return few > 0 && xli_ceil_div(n, few) <= xli_scan_lookback_most_short(shape) &&
                   longest_turn(shape, n, few) < longest_turn(shape, n, shape->tile)
               ? few
               : shape->tile;
}

xli_scan_part xli_scan_part_of(const xli_scan_shape *shape, const xli_scan_call *call)
{
    const xli_scan_part part = call->in_place && shape->separate_in_place ? XLI_SCAN_IN_PLACE
                               : xli_scan_lookback_tile(shape, call->n) < shape->tile
                                   ? XLI_SCAN_FEW
                                   : XLI_SCAN_MANY;
    return shape->bulk && call->misaligned ? part + XLI_SCAN_MISALIGNED : part;
}

uint32_t xli_scan_part_items(const xli_scan_shape *shape, xli_scan_part part)
{
    return part % XLI_SCAN_MISALIGNED == XLI_SCAN_FEW ? shape->vector * shape->short_tile_vectors
                                                      : shape->items;
}

size_t xli_scan_part_tile(const xli_scan_shape *shape, xli_scan_part part)
{
    return part % XLI_SCAN_MISALIGNED == XLI_SCAN_FEW
               ? (size_t)shape->group_size * xli_scan_part_items(shape, part)
               : shape->tile;
}

size_t xli_scan_most_groups(const xli_problem *problem, const xli_scan_shape *shape, size_t n)
{
    if (xli_problem_is_reproducible(problem))
        return xli_ceil_div(n, shape->tile);
    const size_t wanted = xli_mul(shape->units, shape->tune.chunk_groups);
    const bool slow = shape->items == 0 && !xli_problem_goes_by_vectors(problem);
    const size_t chunk =
        slow ? xli_max(shape->tune.chunk_elements / 64, 1) : shape->tune.chunk_elements;
    return xli_max(wanted, xli_ceil_div(n, chunk));
}

xli_scan_partition xli_scan_partition_of(const xli_problem *problem, const xli_scan_shape *shape,
                                         size_t n)
{
    const size_t most = xli_scan_most_groups(problem, shape, n);
    xli_scan_partition partition = {.tiles = xli_ceil_div(n, shape->tile)};
    const size_t tiles_each = xli_ceil_div(partition.tiles, xli_max(most, 1));
    partition.groups = tiles_each > 0 ? xli_ceil_div(partition.tiles, tiles_each) : 0;
    partition.chunk = xli_mul(tiles_each, shape->tile);
    return partition;
}

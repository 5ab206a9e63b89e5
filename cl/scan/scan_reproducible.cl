/* SPDX-License-Identifier: MIT
 * The reproducible scan, by several launches: the order of operands is the same on every device. It
 * computes the same expression as cl/scan/scan_pipelined.cl with 32 lanes and with tiles and
 * windows of the sizes below. That kernel is faster; this one needs no feature of the device.
 * Elements of more than 128 bytes, flags included, have another order: reduce-then-scan by groups
 * of one work-item (cl/scan/scan_two_pass.cl), with chunks of 256 elements.
 *
 * The expression. A VECTOR is XL_TREE_VLEN consecutive elements; q is a vector folded from left to
 * right. A sub-tile is 32 * XL_TREE_ROWS vectors, a tile XL_TREE_SIZE / 32 sub-tiles, a window
 * XL_TREE_WINDOW tiles. Places after the last element are left out.
 *   Totals. In a sub-tile XL_TREE_ROWS consecutive q are folded from left to right, and the 32
 *     results by a balanced tree: u. The u of a tile, folded from left to right: A.
 *   Windows. XL_TREE_WINDOW / XL_TREE_SIZE consecutive A are folded from left to right, 32 of the
 *     results by a balanced tree, and these from left to right. S(t) is this for the tiles of t's
 *     window before t. Then
 *       start(0) = the start of the scan         start(w + 1) = (start(w) op S(last)) op A(last)
 *       prefix(t) = start(w) op S(t), where w is t's window and `last` the last tile of w
 *   Rows. In a sub-tile each row of 32 q is scanned by Kogge and Stone's steps of 1, 2, 4, 8, 16;
 *     c is the rows before, folded from left to right. The part of an element is
 *     (c op the vectors of its row before its own) op the elements of its vector one by one.
 *   A result is (prefix(t) op (the u of the tile before its sub-tile, folded)) op that part.
 *
 *   Phase 1, upsweep: u of every sub-tile.
 *   Phase 2, windows: S of every tile. Then one work-item computes start of every window.
 *   Phase 3, downsweep: the results.
 * A single tile needs only phases 1 and 3. A single sub-tile needs only phase 3, unless a carry
 * must be written. For a carry alone, xl_reproducible_carry() replaces phase 3.
 *
 * If work-items run one after another, each walks a whole tile, row by row. Otherwise a group holds
 * sub-tiles in local memory, with a work-item for each lane. */
#define XL_SERIAL 0
#include "../tile/tile_input.cl"

#define XL_ROW 32
#define XL_ROW_ELEMENTS (XL_ROW * XL_TREE_VLEN)
#define XL_SUB_TILE_ELEMENTS (XL_TREE_ROWS * XL_ROW_ELEMENTS)
#define XL_TREE_SUB_TILES (XL_TREE_SIZE / XL_ROW) /* of a tile */
/* The sub-tiles of a group, and the elements of all of them. */
#define XL_GROUP_SUB_TILES (XL_GROUP_SIZE == 1 ? XL_TREE_SUB_TILES : XL_GROUP_SIZE / XL_ROW)
#define XL_TILE (XL_GROUP_SUB_TILES * XL_SUB_TILE_ELEMENTS)
#define XL_GROUPS_PER_TILE (XL_TREE_SUB_TILES / XL_GROUP_SUB_TILES)

#if XL_GROUP_SIZE > 1 && (XL_GROUP_SIZE % XL_ROW != 0 || XL_TREE_SIZE % XL_GROUP_SIZE != 0)
#error "XL_GROUP_SIZE must be 1, or 32 for each of its sub-tiles, which divide a tile"
#endif

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* This work-item's share of the numbers below `end`. */
#define XL_FOR_EACH(e, end) for (uint e = (uint)get_local_id(0); e < (end); e += XL_GROUP_SIZE)

/* Byte offsets into the scratch: of u of each sub-tile, S of each tile, start of each window except
 * the first. */
#define XL_TREE_ARGUMENTS                                                                          \
    __global uchar *scratch, ulong sub_tiles_at, ulong tiles_at, ulong windows_at
typedef struct xl_tree {
    __global XL_T *sub_tiles, *tiles, *windows;
} xl_tree;
#define XL_TREE_MAKE(tree)                                                                         \
    xl_tree tree;                                                                                  \
    tree.sub_tiles = (__global XL_T *)(scratch + sub_tiles_at);                                    \
    tree.tiles = (__global XL_T *)(scratch + tiles_at);                                            \
    tree.windows = (__global XL_T *)(scratch + windows_at)

/* The first `count` sub-tiles of a tile, folded. */
XL_T xl_tree_fold(const xl_tree *tree, ulong tile, uint count)
{
    XL_T sum = xl_identity();
    XL_IN_ORDER
    for (uint k = 0; k < count; ++k)
        sum = xl_op(sum, tree->sub_tiles[tile * XL_TREE_SUB_TILES + k]);
    return sum;
}

/* The prefix of a tile. `windowed`: its S was computed; otherwise there is one tile, whose S is
 * empty. */
XL_T xl_tree_prefix(const xl_tree *tree, const xl_input *input, ulong tile, bool windowed)
{
    const ulong window = tile / XL_TREE_WINDOW;
    XL_T start = xl_input_start(input), sum = xl_identity();
    if (window > 0)
        start = tree->windows[window];
    if (windowed)
        sum = tree->tiles[tile];
    return xl_op(start, sum);
}

/* The number of elements of this group, from `base` on; 0 if `base` is after the last one. */
uint xl_tree_count(const xl_input *input, ulong base)
{
    return base < input->n ? (uint)min(input->n - base, (ulong)XL_TILE) : 0;
}

/* The results of a vector x. `carry` precedes it in its sub-tile; `front` precedes the sub-tile. */
void xl_tree_results(XL_T *y, const xl_input *input, const XL_T *x, XL_T carry, XL_T front)
{
    XL_T sum = carry;
#pragma unroll
    for (uint v = 0; v < XL_TREE_VLEN; ++v) {
        const XL_T next = xl_op(sum, x[v]);
        y[v] = xl_op(front, xl_result(input, sum, x[v], next));
        sum = next;
    }
}

#if XL_GROUP_SIZE == 1
/* ---- a work-item walks a tile ------------------------------------------------------- */

XL_T xl_vector_fold(const XL_T *x)
{
    XL_T total = x[0];
#pragma unroll
    for (uint v = 1; v < XL_TREE_VLEN; ++v)
        total = xl_op(total, x[v]);
    return total;
}

/* `count` elements from i on; xl_identity() for those at `end` and after it. */
void xl_tree_load(XL_T *x, const xl_input *input, ulong i, ulong end, const uint count)
{
    if (i + count <= end) {
        for (uint e = 0; e < count; ++e)
            x[e] = xl_input_one(input, i + e);
        return;
    }
    for (uint e = 0; e < count; ++e) {
        x[e] = xl_identity();
        if (i + e < end)
            x[e] = xl_input_one(input, i + e);
    }
}

/* u of the sub-tile at `base`. */
XL_T xl_sub_tile_total(const xl_input *input, ulong base)
{
    XL_T lane[XL_ROW], x[XL_TREE_ROWS * XL_TREE_VLEN];
    for (uint l = 0; l < XL_ROW; ++l) {
        XL_T total = xl_identity();
        xl_tree_load(x, input, base + l * XL_TREE_ROWS * XL_TREE_VLEN, input->n,
                     XL_TREE_ROWS * XL_TREE_VLEN);
        XL_IN_ORDER
        for (uint row = 0; row < XL_TREE_ROWS; ++row)
            total = xl_op(total, xl_vector_fold(x + row * XL_TREE_VLEN));
        lane[l] = total;
    }
    for (uint by = 1; by < XL_ROW; by *= 2)
        for (uint l = 0; l < XL_ROW; l += 2 * by)
            lane[l] = xl_op(lane[l], lane[l + by]);
    return lane[0];
}

__kernel XL_REQUIRED void xl_reproducible_upsweep(XL_INPUT_ARGUMENTS, XL_TREE_ARGUMENTS)
{
    XL_INPUT_MAKE(input);
    XL_TREE_MAKE(tree);
    const ulong tile = get_group_id(0), base = xl_tile_base(tile, XL_TILE);
    for (uint k = 0; k < XL_TREE_SUB_TILES; ++k) {
        const ulong at = base + k * XL_SUB_TILE_ELEMENTS;
        XL_T total = xl_identity();
        if (at < input.n)
            total = xl_sub_tile_total(&input, at);
        tree.sub_tiles[tile * XL_TREE_SUB_TILES + k] = total;
    }
}

/* A step of the scan of a row. */
#define XL_ROW_STEP(to, from, by)                                                                  \
    for (uint l = 0; l < by; ++l)                                                                  \
        to[l] = from[l];                                                                           \
    for (uint l = by; l < XL_ROW; ++l)                                                             \
        to[l] = xl_op(from[l - by], from[l]);

/* Scans the row at `base`. `front` precedes its sub-tile, `carry` precedes the row in the sub-tile.
 * Returns the carry of the next row. Works in place. */
XL_T xl_row_scan(const xl_input *input, __global XL_OUT *out, ulong base, XL_T front, XL_T carry)
{
    XL_T x[XL_ROW_ELEMENTS], y[XL_ROW_ELEMENTS], a[XL_ROW], b[XL_ROW];
    xl_tree_load(x, input, base, input->n, XL_ROW_ELEMENTS);
    for (uint l = 0; l < XL_ROW; ++l)
        a[l] = xl_vector_fold(x + l * XL_TREE_VLEN);
    XL_ROW_STEP(b, a, 1)
    XL_ROW_STEP(a, b, 2)
    XL_ROW_STEP(b, a, 4)
    XL_ROW_STEP(a, b, 8)
    XL_ROW_STEP(b, a, 16)
    a[0] = xl_identity();
    for (uint l = 1; l < XL_ROW; ++l)
        a[l] = b[l - 1];
    for (uint l = 0; l < XL_ROW; ++l)
        xl_tree_results(y + l * XL_TREE_VLEN, input, x + l * XL_TREE_VLEN, xl_op(carry, a[l]),
                        front);
    const uint count = (uint)min(input->n - base, (ulong)XL_ROW_ELEMENTS);
    if (count == XL_ROW_ELEMENTS) {
        for (uint e = 0; e < XL_ROW_ELEMENTS; ++e)
            out[base + e] = xl_result_store(input, xl_element_of(y[e]), base + e);
    } else {
        for (uint e = 0; e < count; ++e)
            out[base + e] = xl_result_store(input, xl_element_of(y[e]), base + e);
    }
    return xl_op(carry, b[XL_ROW - 1]);
}

__kernel XL_REQUIRED void xl_reproducible_downsweep(XL_INPUT_ARGUMENTS, XL_TREE_ARGUMENTS,
                                                    __global XL_OUT *out, ulong out_offset,
                                                    uint windowed)
{
    XL_INPUT_MAKE(input);
    XL_TREE_MAKE(tree);
    const ulong tile = get_group_id(0), base = xl_tile_base(tile, XL_TILE);
    out += out_offset;
    if (base < input.n) {
        const XL_T prefix = xl_tree_prefix(&tree, &input, tile, windowed != 0);
        XL_T before = xl_identity();
        for (uint k = 0; k < XL_TREE_SUB_TILES; ++k) {
            const ulong at = base + k * XL_SUB_TILE_ELEMENTS;
            const ulong end = min(input.n, at + XL_SUB_TILE_ELEMENTS);
            XL_T carry = xl_identity();
            if (at >= end)
                break;
            if (k > 0)
                before = xl_op(before, tree.sub_tiles[tile * XL_TREE_SUB_TILES + k - 1]);
            const XL_T front = xl_op(prefix, before);
            for (ulong row = at; row < end; row += XL_ROW_ELEMENTS)
                carry = xl_row_scan(&input, out, row, front, carry);
        }
        if (XL_CARRY && input.n - base <= XL_TILE)
            xl_carry_leave(&input, xl_op(prefix, xl_tree_fold(&tree, tile, XL_TREE_SUB_TILES)));
    }
    xl_carry_pass(&input);
}

#else
/* ---- a group holds sub-tiles in local memory ---------------------------------------- */

#define XL_LEAVES (XL_GROUP_SIZE * XL_TREE_ROWS)

XL_T xl_vector_fold(const __local XL_T *x)
{
    XL_T total = x[0];
    for (uint v = 1; v < XL_TREE_VLEN; ++v)
        total = xl_op(total, x[v]);
    return total;
}

/* Loads the elements of this group, from `base` on, into local memory. Adjacent work-items read
 * adjacent elements. */
void xl_tree_load(const xl_input *input, __local XL_T *block, ulong base)
{
    const uint count = xl_tree_count(input, base);
    XL_FOR_EACH(e, count)
    block[e] = xl_input_one(input, base + e);
    XL_FOR_EACH(e, XL_TILE - count)
    block[count + e] = xl_identity();
    xl_local_barrier();
}

__kernel XL_REQUIRED void xl_reproducible_upsweep(XL_INPUT_ARGUMENTS, XL_TREE_ARGUMENTS)
{
    __local XL_T block[XL_TILE], lanes[XL_GROUP_SIZE];
    XL_INPUT_MAKE(input);
    XL_TREE_MAKE(tree);
    const ulong group = get_group_id(0);
    const uint i = (uint)get_local_id(0);
    xl_tree_load(&input, block, xl_tile_base(group, XL_TILE));
    XL_T total = xl_identity();
    for (uint row = 0; row < XL_TREE_ROWS; ++row)
        total = xl_op(total, xl_vector_fold(block + (i * XL_TREE_ROWS + row) * XL_TREE_VLEN));
    lanes[i] = total;
    for (uint by = 1; by < XL_ROW; by *= 2) {
        xl_local_barrier();
        if (i % (2 * by) == 0)
            lanes[i] = xl_op(lanes[i], lanes[i + by]);
    }
    if (i % XL_ROW == 0)
        tree.sub_tiles[group * XL_GROUP_SUB_TILES + i / XL_ROW] = lanes[i];
}

/* Scans each row of 32 leaves of `from` separately; `to` is a second buffer of the same size.
 * Returns the buffer that has the results. All work-items call it together; it begins and ends with
 * a barrier. */
__local XL_T *xl_rows_scan(__local XL_T *from, __local XL_T *to)
{
    __local XL_T *swap;
    for (uint by = 1; by < XL_ROW; by *= 2) {
        xl_local_barrier();
        XL_FOR_EACH(p, XL_LEAVES)
        {
            XL_T x = from[p];
            if (p % XL_ROW >= by)
                x = xl_op(from[p - by], x);
            to[p] = x;
        }
        swap = from;
        from = to;
        to = swap;
    }
    xl_local_barrier();
    return from;
}

/* Replaces the group's elements by their results. `fronts`: the prefix of each sub-tile; `carries`:
 * room for the prefix of each row in its sub-tile. */
void xl_sub_tiles_scan(const xl_input *input, __local XL_T *block, __local XL_T *leaves,
                       const __local XL_T *fronts, __local XL_T *carries)
{
    XL_FOR_EACH(p, XL_LEAVES)
    leaves[p] = xl_vector_fold(block + p * XL_TREE_VLEN);
    const __local XL_T *const scanned = xl_rows_scan(leaves, leaves + XL_LEAVES);
    XL_FOR_EACH(k, XL_GROUP_SUB_TILES)
    {
        XL_T carry = xl_identity();
        for (uint row = k * XL_TREE_ROWS; row < (k + 1) * XL_TREE_ROWS; ++row) {
            carries[row] = carry;
            carry = xl_op(carry, scanned[row * XL_ROW + XL_ROW - 1]);
        }
    }
    xl_local_barrier();
    XL_FOR_EACH(p, XL_LEAVES)
    {
        XL_T before = xl_identity(), x[XL_TREE_VLEN], y[XL_TREE_VLEN];
        if (p % XL_ROW > 0)
            before = scanned[p - 1];
        for (uint v = 0; v < XL_TREE_VLEN; ++v)
            x[v] = block[p * XL_TREE_VLEN + v];
        xl_tree_results(y, input, x, xl_op(carries[p / XL_ROW], before),
                        fronts[p / XL_ROW / XL_TREE_ROWS]);
        for (uint v = 0; v < XL_TREE_VLEN; ++v)
            block[p * XL_TREE_VLEN + v] = y[v];
    }
    xl_local_barrier();
}

__kernel XL_REQUIRED void xl_reproducible_downsweep(XL_INPUT_ARGUMENTS, XL_TREE_ARGUMENTS,
                                                    __global XL_OUT *out, ulong out_offset,
                                                    uint windowed)
{
    __local XL_T block[XL_TILE], leaves[2 * XL_LEAVES], fronts[XL_GROUP_SUB_TILES];
    __local XL_T carries[XL_GROUP_SUB_TILES * XL_TREE_ROWS];
    XL_INPUT_MAKE(input);
    XL_TREE_MAKE(tree);
    const ulong group = get_group_id(0), base = xl_tile_base(group, XL_TILE);
    const ulong tile = group / XL_GROUPS_PER_TILE;
    const uint first = (uint)(group % XL_GROUPS_PER_TILE) * XL_GROUP_SUB_TILES;
    XL_FOR_EACH(k, XL_GROUP_SUB_TILES)
    {
        XL_T front = xl_identity();
        if (base + k * XL_SUB_TILE_ELEMENTS < input.n) /* otherwise there may be no scratch */
            front = xl_op(xl_tree_prefix(&tree, &input, tile, windowed != 0),
                          xl_tree_fold(&tree, tile, first + k));
        fronts[k] = front;
    }
    xl_tree_load(&input, block, base);
    xl_sub_tiles_scan(&input, block, leaves, fronts, carries);
    out += out_offset;
    if (base < input.n) {
        XL_FOR_EACH(e, xl_tree_count(&input, base))
        out[base + e] = xl_result_store(&input, xl_element_of(block[e]), base + e);
        if (XL_CARRY && input.n - base <= XL_TILE && get_local_id(0) == 0)
            xl_carry_leave(&input, xl_op(xl_tree_prefix(&tree, &input, tile, windowed != 0),
                                         xl_tree_fold(&tree, tile, XL_TREE_SUB_TILES)));
    }
    xl_carry_pass(&input);
}
#endif

#if XL_CARRY
/* The carry alone, by one work-item: the same expression as in phase 3. */
__kernel XL_REQUIRED void xl_reproducible_carry(XL_INPUT_ARGUMENTS, XL_TREE_ARGUMENTS,
                                                __global uint *head_out, ulong head_offset,
                                                uint windowed)
{
    XL_INPUT_MAKE(input);
    XL_TREE_MAKE(tree);
    const uint tiles = xl_tile_count(input.n, XL_GROUPS_PER_TILE * XL_TILE);
    XL_T all = xl_input_start(&input);
    if (tiles > 0)
        all = xl_op(xl_tree_prefix(&tree, &input, tiles - 1, windowed != 0),
                    xl_tree_fold(&tree, tiles - 1, XL_TREE_SUB_TILES));
    if (get_local_id(0) == 0) {
        xl_carry_leave(&input, all);
        if (head_out)
            head_out[head_offset] = xl_is_head(all);
    }
}
#endif

/* ---- windows: for one work-item or many ---------------------------------------------- */

#define XL_TILES_PER_LEAF (XL_TREE_WINDOW / XL_TREE_SIZE)

/* The tree over the leaves of a window: level d has XL_TREE_SIZE >> d nodes of 2^d leaves each. The
 * last level has a node for each 32 leaves. */
#define XL_LEVEL(d) (2 * XL_TREE_SIZE - (2 * XL_TREE_SIZE >> (d)))
#define XL_LEVELS 5

/* S of tile `x` of a window: the tiles of its leaf before it; then, up the tree, the left sibling
 * of each node that is a right child; and the nodes before its 32 leaves. */
XL_T xl_window_before(const __local XL_T *sums, const __local XL_T *nodes, uint x)
{
    const uint leaf = x / XL_TILES_PER_LEAF;
    XL_T mine = xl_identity(), before = xl_identity();
    for (uint k = leaf * XL_TILES_PER_LEAF; k < x; ++k)
        mine = xl_op(mine, sums[k]);
    for (uint d = 0; d < XL_LEVELS; ++d)
        if (leaf >> d & 1)
            mine = xl_op(nodes[XL_LEVEL(d) + (leaf >> d) - 1], mine);
    for (uint k = 0; k < leaf / XL_ROW; ++k)
        before = xl_op(before, nodes[XL_LEVEL(XL_LEVELS) + k]);
    return xl_op(before, mine);
}

/* Phase 2: a group computes a window. `count`: the number of tiles of all windows. */
__kernel XL_REQUIRED void xl_reproducible_windows(XL_TREE_ARGUMENTS, ulong count)
{
    __local XL_T sums[XL_TREE_WINDOW], nodes[XL_LEVEL(XL_LEVELS + 1)];
    XL_TREE_MAKE(tree);
    const ulong base = get_group_id(0) * XL_TREE_WINDOW;
    const uint tiles = (uint)min(count - base, (ulong)XL_TREE_WINDOW);
    XL_FOR_EACH(x, XL_TREE_WINDOW)
    {
        XL_T sum = xl_identity();
        if (x < tiles)
            sum = xl_tree_fold(&tree, base + x, XL_TREE_SUB_TILES);
        sums[x] = sum;
    }
    xl_local_barrier();
    XL_FOR_EACH(leaf, XL_TREE_SIZE)
    {
        XL_T sum = xl_identity();
        for (uint k = 0; k < XL_TILES_PER_LEAF; ++k)
            sum = xl_op(sum, sums[leaf * XL_TILES_PER_LEAF + k]);
        nodes[leaf] = sum;
    }
    for (uint d = 0; d < XL_LEVELS; ++d) {
        xl_local_barrier();
        XL_FOR_EACH(k, XL_TREE_SIZE >> (d + 1))
        nodes[XL_LEVEL(d + 1) + k] =
            xl_op(nodes[XL_LEVEL(d) + 2 * k], nodes[XL_LEVEL(d) + 2 * k + 1]);
    }
    xl_local_barrier();
    XL_FOR_EACH(x, tiles)
    tree.tiles[base + x] = xl_window_before(sums, nodes, x);
}

/* start of windows 1 to count - 1, one after another. */
__kernel XL_REQUIRED void xl_reproducible_starts(XL_INPUT_ARGUMENTS, XL_TREE_ARGUMENTS, ulong count)
{
    XL_INPUT_MAKE(input);
    XL_TREE_MAKE(tree);
    if (get_global_id(0) == 0) {
        XL_T start = xl_input_start(&input);
        XL_IN_ORDER
        for (ulong window = 1; window < count; ++window) {
            const ulong last = window * XL_TREE_WINDOW - 1;
            start =
                xl_op(xl_op(start, tree.tiles[last]), xl_tree_fold(&tree, last, XL_TREE_SUB_TILES));
            tree.windows[window] = start;
        }
    }
}

/* SPDX-License-Identifier: MIT
 * The launch before a scan by CSR offsets: it makes a bitmask of the heads, which the scan reads as
 * XL_SEGMENTS 2, and clears the state of look-back.
 *
 * A group owns the words of one tile. It finds the first offset of the tile by a search; then each
 * offset of the tile sets a mark (a byte) in local memory, and each work-item packs the marks of
 * whole words. So there are no atomics, and each word is stored once. The offsets of very many empty
 * segments are not read one by one: then each work-item searches in them for the heads of its words.
 *
 * If the offsets do not ascend, which is the caller's error, heads are anywhere, but nothing outside
 * the mask is written and no offset outside the array is read. */
#define XL_SERIAL 0 /* a group marks heads, even a group of one work-item */
#define XL_TILE (XL_GROUP_SIZE * XL_ITEMS)

#include "../lane/lane.cl"
#include "../tile/tile_marks.cl"
#include "../tile/tile_offsets.cl"

#if XL_TILE % 32 != 0
#error "XL_TILE must be whole words"
#endif

/* Offsets for each element of a tile that a group reads one by one; if there are more, it searches
 * in them instead. */
#define XL_FEW_OFFSETS 8

/* The first offset that is not below `at`, for all work-items. The guess of a search by sub-groups
 * is right if all segments of n elements have the same length. */
ulong xl_tile_first(const __global XL_SEG *offsets, ulong count, ulong at, ulong n)
{
#if XL_LANE_WAY != 0 && XL_GROUP_SIZE > 1
    if (xl_lanes_whole())
        return xl_offset_search_lanes(offsets, count, at, 0, n);
#endif
    return xl_offset_search(offsets, count, at, 0);
}

/* Bit k: an offset is from + k, for k < 32; none before number `first` is. Each round passes all
 * offsets that are equal. */
uint xl_heads_find(const __global XL_SEG *offsets, ulong count, ulong first, ulong from)
{
    ulong next = first + xl_offset_search(offsets + first, count - first, from, 0);
    uint heads = 0;
    for (uint k = 0; k < 32 && next < count; ++k) {
        const ulong at = offsets[next];
        if (at - from >= 32)
            break;
        heads |= 1u << (uint)(at - from);
        next = xl_offset_pass(offsets, count, next + 1, at + 1);
    }
    return heads;
}

/* The first offset is number `offsets_offset` of its buffer, the first word number `mask_offset`,
 * the first word of the state number `state_offset`. */
__kernel __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1))) void
xl_scan_heads(const __global XL_SEG *offsets, ulong offsets_offset, ulong count, ulong n_most,
              const __global ulong *length, ulong length_offset, __global uint *mask,
              ulong mask_offset, __global ulong *state, ulong state_offset, ulong state_words)
{
    __local uint4 marks[XL_TILE / 16];
    ulong n;
    XL_LENGTH_READ(ulong, n, n_most, length, length_offset)
    const ulong base = (ulong)get_group_id(0) * XL_TILE;
    const uint left = base < n ? (uint)min(n - base, (ulong)XL_TILE) : 0;
    for (ulong i = get_global_id(0); i < state_words; i += get_global_size(0))
        state[state_offset + i] = 0;
    offsets += offsets_offset;
    mask += mask_offset + base / 32;
    const ulong first = xl_tile_first(offsets, count, base, n), far = first + XL_FEW_OFFSETS * left;
    const bool many = far < count && offsets[far] < base + left;
    xl_marks_clear(marks, XL_TILE / 16);
    xl_local_barrier();
    if (!many)
        xl_offsets_mark((__local uchar *)marks, offsets + first, (uint)(min(far, count) - first),
                        base, left, 0);
    xl_local_barrier();
    for (uint w = (uint)get_local_id(0); 32 * w < left; w += XL_GROUP_SIZE)
        mask[w] = many ? xl_heads_find(offsets, count, first, base + 32 * w)
                       : xl_marks_bits(marks, 32 * w, 16) | xl_marks_bits(marks, 32 * w + 16, 16)
                                                                << 16;
}

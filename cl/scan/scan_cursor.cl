/* SPDX-License-Identifier: MIT
 * Heads of segments from CSR offsets, for a work-item that walks a tile in vectors. A cursor moves
 * through the offsets together with the elements, one block of elements at a time: each offset sets
 * a mark (a byte) for its element, and vectors load their marks from there. So an offset costs one
 * store, for which no instruction waits, and no branch depends on where segments begin, except
 * whether a vector contains a head.
 *
 * Requires XL_SEGMENTS 4 and XL_BY_VECTORS 1. If the offsets do not ascend, which is the caller's
 * error, heads are anywhere, but nothing outside the cursor is written, no offset outside the array
 * is read, and the cursor never moves back. */
#ifndef XL_SCAN_CURSOR
#define XL_SCAN_CURSOR

#include "../tile/tile_heads.cl"
#include "../tile/tile_wide.cl"

/* XL_BLOCK: elements of a block, a multiple of 16, few enough for the first-level cache.
 * XL_SEVERAL: offsets that are marked together, without a test for each. */
#define XL_BLOCK 1024
#define XL_SEVERAL 8

typedef struct xl_cursor {
    ulong next; /* the first offset that is not below the end of the block */
    ulong base; /* the first element of the block, a multiple of XL_BLOCK */
    uint pace;  /* offsets in the last block that had any, at most XL_BLOCK */
    bool some;  /* a segment begins in the block; otherwise its marks are not set */
    char marks[XL_BLOCK + XL_SEVERAL]; /* -1: the element begins a segment; 0: it does not */
} xl_cursor;

/* Sets the cursor to element i. */
void xl_cursor_start(const xl_input *input, xl_cursor *cursor, ulong i)
{
    cursor->next = xl_offset_search(input->segments, input->count, i, 0);
    cursor->base = ~0ul - XL_BLOCK; /* a block that contains no element */
    cursor->pace = 0;
    cursor->some = false;
}

/* Whether offset number `place` exists and is below the end of the block at `base`. */
bool xl_cursor_meets(const __global XL_SEG *offsets, ulong count, ulong place, ulong base)
{
    return place < count && offsets[place] - base < XL_BLOCK;
}

/* Whether XL_SEVERAL offsets are consecutive numbers: all their segments have one element. */
bool xl_cursor_is_row(const __global XL_SEG *offsets)
{
    if (offsets[XL_SEVERAL - 1] - offsets[0] != XL_SEVERAL - 1)
        return false; /* equality is not enough: empty and long segments may add up to it */
    const XL_JOIN(XL_SEG, 8) at = vload8(0, offsets), row = {0, 1, 2, 3, 4, 5, 6, 7};
    const XL_JOIN(XL_SEG, 8) off = (at - at.s0) ^ row;
    const XL_JOIN(XL_SEG, 4) off4 = off.lo | off.hi;
    const XL_JOIN(XL_SEG, 2) off2 = off4.lo | off4.hi;
    return (off2.x | off2.y) == 0;
}

/* Marks the offsets from number `next` on that are in the block at `base`, at most `most` and a few
 * more. Returns the first offset that it has not marked. If the last of several offsets is in the
 * block, all are, because they ascend; if they do not ascend, `%` keeps the stores in the block.
 * The parameters are values and not structs, because a mark might alias a member, which would then
 * be read again after each store. */
ulong xl_cursor_mark_some(const __global XL_SEG *offsets, ulong count, ulong next, ulong most,
                          ulong base, char *marks)
{
    const ulong stop = next + most;
    while (next < stop && xl_cursor_meets(offsets, count, next + XL_SEVERAL - 1, base)) {
        if (xl_cursor_is_row(offsets + next)) {
            vstore8((char8)(-1), 0, marks + (uint)offsets[next] % XL_BLOCK);
        } else {
#pragma unroll
            for (uint k = 0; k < XL_SEVERAL; ++k)
                marks[(uint)offsets[next + k] % XL_BLOCK] = -1;
        }
        next += XL_SEVERAL;
    }
    for (; next < stop && xl_cursor_meets(offsets, count, next, base); ++next)
        marks[(uint)offsets[next] % XL_BLOCK] = -1;
    return next;
}

/* Marks the block of element i. A block with more offsets than elements has empty segments. These
 * may be very many, so after XL_BLOCK offsets, all that are equal to the last one are skipped. */
void xl_cursor_mark(const xl_input *input, xl_cursor *cursor, ulong i)
{
    const __global XL_SEG *const offsets = input->segments;
    const ulong count = input->count, base = i / XL_BLOCK * XL_BLOCK;
    const bool first = i == 0 && xl_first_begins(input);
    ulong next = cursor->next;
    cursor->base = base;
    cursor->some = first || xl_cursor_meets(offsets, count, next, base);
    if (!cursor->some)
        return;
    for (uint k = 0; k < XL_BLOCK; k += 16)
        vstore16((char16)(0), 0, cursor->marks + k);
    if (first)
        cursor->marks[0] = -1;
    while (xl_cursor_meets(offsets, count, next, base)) {
        next = xl_cursor_mark_some(offsets, count, next, XL_BLOCK, base, cursor->marks);
        if (xl_cursor_meets(offsets, count, next, base))
            next = xl_offset_pass(offsets, count, next, (ulong)offsets[next - 1] + 1);
    }
    cursor->pace = (uint)min(next - cursor->next, (ulong)XL_BLOCK);
    cursor->next = next;
}

/* The marks of the vector at element i, a multiple of xl_wide_size; *some: any is set. Prefetches
 * the offsets of the next block, if it has as many as this one. */
xl_marks xl_cursor_marks(const xl_input *input, xl_cursor *cursor, ulong i, bool *some)
{
    if (i - cursor->base >= XL_BLOCK)
        xl_cursor_mark(input, cursor, i);
    xl_prefetch(input->segments + cursor->next + (i - cursor->base) * cursor->pace / XL_BLOCK);
    *some = false;
    if (!cursor->some)
        return (xl_marks)(0);
    return xl_marks_of_bytes(cursor->marks + (i - cursor->base), some);
}

/* Whether element i begins a segment. */
bool xl_cursor_head(const xl_input *input, xl_cursor *cursor, ulong i)
{
    if (i - cursor->base >= XL_BLOCK)
        xl_cursor_mark(input, cursor, i);
    return cursor->some && cursor->marks[i - cursor->base] != 0;
}

#endif

/* SPDX-License-Identifier: MIT
 * Heads of segments by CSR offsets, for a work-item that walks a tile by vectors. A cursor moves
 * through the offsets along with the elements, a block of these at a time: each offset marks the
 * byte of its element, and vectors load their marks from there. So an offset costs a store that
 * nothing waits for, and but for where vectors have no head no branch hangs on where segments
 * begin.
 *
 * Asks for XL_SEGMENTS 4 and XL_BY_VECTORS 1. Offsets that
 * fall are the caller's mistake: heads are anywhere then, but nothing outside the cursor is
 * written, no offset is read but those there are, and the cursor never turns back. */
#ifndef XL_SCAN_CURSOR
#define XL_SCAN_CURSOR

#include "../tile/tile_heads.cl"
#include "../tile/tile_wide.cl"

/* Elements of a block, a multiple of 16: few enough for the first-level cache. Offsets that are
 * marked without a look at each. */
#define XL_BLOCK 1024
#define XL_SEVERAL 8

typedef struct xl_cursor {
    ulong next; /* the first offset that is not below the end of the block */
    ulong base; /* the block's first element, a multiple of XL_BLOCK */
    uint pace;  /* offsets in the last block that had any, but XL_BLOCK at most */
    bool some;  /* a segment begins in the block; else its marks are not set */
    char marks[XL_BLOCK + XL_SEVERAL]; /* -1: that element begins a segment; 0: it does not */
} xl_cursor;

/* Sets the cursor up for a walk from element i on. */
void xl_cursor_start(const xl_input *input, xl_cursor *cursor, ulong i)
{
    cursor->next = xl_offset_search(input->segments, input->count, i, 0);
    cursor->base = ~0ul - XL_BLOCK; /* no element lies in that block */
    cursor->pace = 0;
    cursor->some = false;
}

/* Whether the offset at `place` is there and below the end of the block from `base` on. */
bool xl_cursor_meets(const __global XL_SEG *offsets, ulong count, ulong place, ulong base)
{
    return place < count && offsets[place] - base < XL_BLOCK;
}

/* Whether XL_SEVERAL offsets are those of as many neighbours: of segments of 1 element. */
bool xl_cursor_is_row(const __global XL_SEG *offsets)
{
    if (offsets[XL_SEVERAL - 1] - offsets[0] != XL_SEVERAL - 1)
        return false; /* empty segments and longer ones may add up to that, too */
    const XL_JOIN(XL_SEG, 8) at = vload8(0, offsets), row = {0, 1, 2, 3, 4, 5, 6, 7};
    const XL_JOIN(XL_SEG, 8) off = (at - at.s0) ^ row;
    const XL_JOIN(XL_SEG, 4) off4 = off.lo | off.hi;
    const XL_JOIN(XL_SEG, 2) off2 = off4.lo | off4.hi;
    return (off2.x | off2.y) == 0;
}

/* Marks what offsets from `next` on say of the block from `base` on, `most` of them and a few at
 * most; gives the first that is left. As offsets do not fall, the last of several says for all that
 * they are in the block; where they do fall `%` keeps them there. Values and no structs are passed,
 * as a mark might lie in a struct, which would be read again behind each one. */
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

/* Marks the block of element i. After as many offsets as it has elements some segments must be
 * empty: those that begin where the last one seen does may be very many, and are leapt over. */
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

/* The marks of the vector that begins with element i, a multiple of xl_wide_size; *some: there are
 * any. The offsets of the next block come into the cache meanwhile, if it has as many as this one.
 */
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

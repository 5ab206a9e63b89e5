/* SPDX-License-Identifier: MIT
 * A tile or a chunk of a selection by one work-item, for devices whose work-items run one after
 * another. The classes of a block are found in a loop without a branch, which compilers vectorize.
 * A block of which nothing or everything is selected costs little more; for any other block, the
 * places are packed without a branch. */
#ifndef XL_SELECT_SERIAL
#define XL_SELECT_SERIAL

#include "select_arrays.cl"

#define XL_BLOCK 64
#define XL_PARTS (XL_SELECT_KIND == 1 ? 2 : XL_SELECT_KIND == 2 ? 3 : 1)

/* The classes of a block's elements, also as words of eight. */
typedef union xl_classes {
    uchar at[XL_BLOCK];
    ulong word[XL_BLOCK / 8];
} xl_classes;

/* The classes of `most` elements from place `i` on; 0 after them. */
void xl_serial_classes(const xl_select *s, ulong i, uint most, xl_classes *class)
{
#if XL_BY_EXPRESSION || XL_BY_HEADS
    const __global xl_element *const in = s->in + i;
#elif XL_SELECT_BY == 1
    const __global xl_select_flag *const flags = s->flags + i;
#endif
#if XL_BY_EXPRESSION
#define XL_CLASS_AT(j) xl_class_of(s, in[j], i + (j))
#elif XL_BY_HEADS
    const __global xl_element *const before = in - 1;
#define XL_CLASS_AT(j) xl_begins_run(s, before[j], in[j])
#elif XL_SELECT_BY == 2
#define XL_CLASS_AT(j) (s->flags[(i + (j)) / 32] >> (i + (j)) % 32 & 1u)
#elif XL_SELECT_KIND == 2
#define XL_CLASS_AT(j) min(flags[j], (uchar)2)
#else
#define XL_CLASS_AT(j) (flags[j] != 0)
#endif
    if (most == XL_BLOCK && !(XL_BY_HEADS && i == 0)) {
        for (uint j = 0; j < XL_BLOCK; ++j)
            class->at[j] = (uchar)(XL_CLASS_AT(j));
        return;
    }
    for (uint w = 0; w < XL_BLOCK / 8; ++w)
        class->word[w] = 0;
    for (uint j = 0; j < most; ++j)
        class->at[j] = XL_BY_HEADS && i + j == 0 ? (uchar)1 : (uchar)(XL_CLASS_AT(j));
}

/* The number of elements of a class. */
uint xl_serial_count(const xl_classes *class, uint most, uchar wanted)
{
    uint count = 0;
    if (most == XL_BLOCK) {
        for (uint j = 0; j < XL_BLOCK; ++j)
            count += class->at[j] == wanted;
    } else {
        for (uint j = 0; j < most; ++j)
            count += class->at[j] == wanted;
    }
    return count;
}

/* The sum of the elements `begin` to end - 1. */
XL_T xl_serial_sum(const xl_select *s, ulong begin, ulong end)
{
    uint count = 0, more = 0;
    ulong i = begin;
#if XL_BY_EXPRESSION && XL_PARTS < 3
    /* Classes are not stored. */
    for (; end - i >= XL_BLOCK; i += XL_BLOCK) {
        const __global xl_element *const in = s->in + i;
        for (uint j = 0; j < XL_BLOCK; ++j)
            count += XL_CLASS_AT(j);
    }
#endif
    for (; i < end; i += XL_BLOCK) {
        const uint most = (uint)min((ulong)XL_BLOCK, end - i);
        xl_classes class;
        xl_serial_classes(s, i, most, &class);
        const uint mine = xl_serial_count(&class, most, XL_PARTS == 3 ? 0 : 1);
        count += mine;
#if XL_SELECT_KIND == 2
        more += xl_serial_count(&class, most, 1);
#elif XL_SELECT_KIND == 4
        for (uint j = most; j > 0 && mine > 0; --j)
            if (class.at[j - 1] != 0) {
                more = (uint)(i + j);
                break;
            }
#endif
    }
#if XL_SELECT_KIND == 2 || XL_SELECT_KIND == 4
    return (ulong)more << 32 | count;
#else
    return count;
#endif
}

/* Writes `count` elements of the block at place `i`, whose places in the block are in `order`, to
 * `to` and after. `begin`: where the last run begins. */
void xl_serial_give(const xl_select *s, ulong to, ulong i, const uchar *order, uint count,
                    ulong *begin)
{
    const uint room = to < s->capacity ? (uint)min((ulong)count, s->capacity - to) : 0;
    if (s->gives & xl_gives_out) {
        __global xl_element *const out = s->out + to;
        const __global xl_element *const in = s->in + i;
        if (room == XL_BLOCK) {
            for (uint k = 0; k < XL_BLOCK; ++k)
                out[k] = in[k];
        } else {
            for (uint k = 0; k < room; ++k)
                out[k] = in[order[k]];
        }
    }
    if (s->gives & (xl_gives_by_place & ~xl_gives_lengths))
        for (uint k = 0; k < room; ++k)
            xl_select_give(s, to + k, i + order[k]);
#if XL_SELECT_KIND == 4
    /* A run ends where the next one begins; the last one ends in another block. */
    if (count > 0) {
        const uint ends = (s->gives & xl_gives_lengths) ? min(room, count - 1) : 0;
        __global uint *const lengths = s->lengths + to;
        xl_select_run(s, to, *begin, i + order[0]);
        for (uint k = 0; k < ends; ++k)
            lengths[k] = (uint)order[k + 1] - order[k];
        *begin = i + order[count - 1] + 1;
    }
#endif
}

/* Packs the places of the block's elements of one part; returns their number. */
uint xl_serial_pack(const xl_classes *class, uint most, uchar part, uchar *order)
{
    uint count = 0;
    for (uint j = 0; j < most; ++j) {
        order[count] = (uchar)j;
        count += class->at[j] == part;
    }
    return count;
}

/* Writes only the elements of class 1, not their places, to `to` and after, below `limit`; returns
 * their number. Other elements that this writes are overwritten later, because there are enough of
 * class 1 to reach `limit`. */
ulong xl_serial_keep(const xl_select *s, ulong to, ulong limit, ulong i, const xl_classes *class)
{
    const __global xl_element *const in = s->in + i;
    __global xl_element *const out = s->out + to;
    const ulong room = limit - min(to, limit);
    ulong at = 0;
    for (uint w = 0; w < XL_BLOCK / 8; ++w) {
        const uchar *const keeps = class->at + 8 * w;
        if (class->word[w] == 0)
            continue;
        if (class->word[w] == 0x0101010101010101ul && room - at >= 8) {
            for (uint j = 0; j < 8; ++j)
                out[at + j] = in[8 * w + j];
            at += 8;
        } else if (room - at > 8) {
            for (uint j = 0; j < 8; ++j) {
                out[at] = in[8 * w + j];
                at += keeps[j];
            }
        } else {
            for (uint j = 0; j < 8 && at < room; ++j)
                if (keeps[j])
                    out[at++] = in[8 * w + j];
        }
    }
    return at;
}

/* Writes the outputs for the elements `begin` to end - 1; `count` of these are in the first
 * part. */
void xl_serial_write(const xl_select *s, ulong begin, ulong end, xl_select_before before,
                     xl_select_before all, ulong count)
{
    xl_select_places places = xl_select_places_of(before, all, begin);
    const ulong limit = min(places.at[0] + count, s->capacity);
    const bool alone = XL_PARTS == 1 && (s->gives & (xl_gives_out | xl_gives_by_place)) == 1;
    ulong run = before.more;
    for (ulong i = begin; i < end; i += XL_BLOCK) {
        const uint most = (uint)min((ulong)XL_BLOCK, end - i);
        uchar order[XL_BLOCK];
        xl_classes class;
        xl_serial_classes(s, i, most, &class);
        if (alone) {
            places.at[0] += xl_serial_keep(s, places.at[0], limit, i, &class);
            continue;
        }
#if XL_PARTS == 1
        if (xl_serial_count(&class, most, 1) == 0)
            continue;
#endif
        for (uint part = 0; part < XL_PARTS; ++part) {
            const uchar wanted = (uchar)(XL_PARTS == 3 ? part : 1 - part);
            const uint mine = xl_serial_pack(&class, most, wanted, order);
            xl_serial_give(s, places.at[part], i, order, mine, &run);
            places.at[part] += mine;
        }
    }
}

#endif

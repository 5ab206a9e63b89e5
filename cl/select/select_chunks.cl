/* SPDX-License-Identifier: MIT
 * A selection in three launches: each chunk is counted, the sums of the chunks are scanned, and
 * each chunk is read again and written. A chunk has fewer than 2^32 elements.
 *
 *   xl_select_count   the sum of each chunk
 *   xl_select_spine   the sum before each chunk and, after the last one, of all elements
 *   xl_select_write   the outputs
 *
 * If another kernel changes the scratch concurrently, results are wrong, but nothing is written
 * outside the outputs: each place is compared with their capacity. */
#include "select_arrays.cl"

enum { xl_rooms = 1 };
#if XL_SERIAL
#include "select_serial.cl"
#else
#include "select_group.cl"
#endif

/* The entry of a chunk or, after the last one, of all elements. */
xl_select_before xl_spine_read(const __global ulong *scratch, ulong chunk)
{
    xl_select_before before;
    before.count = scratch[2 * chunk];
    before.more = scratch[2 * chunk + 1];
    return before;
}

void xl_spine_write(__global ulong *scratch, ulong chunk, xl_select_before before)
{
    scratch[2 * chunk] = before.count;
    scratch[2 * chunk + 1] = before.more;
}

/* One group, whose work-items have consecutive chunks. */
__kernel XL_REQUIRED void xl_select_spine(ulong chunk, ulong chunks, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    __local xl_select_before room[XL_GROUP_SIZE];
    const uint me = (uint)get_local_id(0);
    const ulong each = xl_ceil_div_long(chunks, XL_GROUP_SIZE);
    const ulong first = min(me * each, chunks), last = min(first + each, chunks);
    xl_select_before sum = xl_select_nothing();
    for (ulong c = first; c < last; ++c)
        sum = xl_select_join(sum, xl_spine_read(scratch, c));
    room[me] = sum;
    xl_local_barrier();
    for (uint step = 1; step < XL_GROUP_SIZE; step *= 2) {
        xl_select_before below = xl_select_nothing();
        if (me >= step)
            below = room[me - step];
        xl_local_barrier();
        sum = xl_select_join(below, sum);
        room[me] = sum;
        xl_local_barrier();
    }
    sum = xl_select_nothing();
    if (me > 0)
        sum = room[me - 1];
    for (ulong c = first; c < last; ++c) {
        const xl_select_before mine = xl_spine_read(scratch, c);
        xl_spine_write(scratch, c, sum);
        sum = xl_select_join(sum, mine);
    }
    if (me == XL_GROUP_SIZE - 1) {
        const xl_select_before all = room[XL_GROUP_SIZE - 1];
        xl_spine_write(scratch, chunks, all);
        xl_select_end(&select, select.n, all);
    }
}

#if XL_SERIAL
__kernel XL_REQUIRED void xl_select_count(ulong chunk, ulong chunks, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    XL_CHUNK_MAKE
    xl_spine_write(scratch, get_group_id(0),
                   xl_select_after(xl_select_nothing(), xl_serial_sum(&select, begin, end)));
}

__kernel XL_REQUIRED void xl_select_write(ulong chunk, ulong chunks, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    XL_CHUNK_MAKE
    const xl_select_before before = xl_spine_read(scratch, get_group_id(0));
    const ulong next = xl_spine_read(scratch, get_group_id(0) + 1).count;
    xl_serial_write(&select, begin, end, before, xl_spine_read(scratch, chunks),
                    next - min(before.count, next));
}
#else
__kernel XL_REQUIRED void xl_select_count(ulong chunk, ulong chunks, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    XL_CHUNK_MAKE
    __local XL_T room[XL_GROUP_SIZE];
    XL_T total;
    xl_select_loaded loaded;
    xl_select_items items;
    const XL_T rest = xl_select_count_tiles(&select, begin, end, &loaded, &items);
    (void)xl_group_scan_exclusive(xl_op(xl_select_mine(&items, begin), rest), room, &total);
    if (get_local_id(0) == 0)
        xl_spine_write(scratch, get_group_id(0), xl_select_after(xl_select_nothing(), total));
}

__kernel XL_REQUIRED void xl_select_write(ulong chunk, ulong chunks, XL_SELECT_ARGUMENTS)
{
    XL_SELECT_MAKE
    XL_CHUNK_MAKE
    __local xl_select_local local_;
    const xl_select_before all = xl_spine_read(scratch, chunks);
    xl_select_loaded loaded;
    xl_select_items items;
    xl_select_out o;
    o.before = xl_spine_read(scratch, get_group_id(0));
    if (begin < end)
        xl_select_load(&select, begin, (uint)min(end - begin, (ulong)XL_TILE), &loaded);
    for (o.base = begin; o.base < end; o.base += XL_TILE) {
        const ulong next = o.base + XL_TILE;
        o.count = (uint)min(end - o.base, (ulong)XL_TILE);
        xl_select_classify(&select, o.base, o.count, &loaded, &items);
        o.total = xl_select_total(xl_select_sum(&items, o.base), &items, &local_);
        o.places = xl_select_places_of(o.before, all, o.base);
        xl_select_stage(&select, &loaded, &items, &o, 0, &local_);
        if (next < end)
            xl_select_load(&select, next, (uint)min(end - next, (ulong)XL_TILE), &loaded);
        xl_local_barrier();
        xl_select_store(&select, &o, 0, &local_);
        o.before = xl_select_after(o.before, o.total);
    }
}
#endif

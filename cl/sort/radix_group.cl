/* SPDX-License-Identifier: MIT
 * The kernels of a radix sort in which a work-group has a chunk and processes it tile by tile. */
#include "radix_tile.cl"

#define XL_REQUIRED __attribute__((reqd_work_group_size(XL_GROUP_SIZE, 1, 1)))

/* The bits that are set in `bits` of any work-item of the group; `both` is in local memory. */
ulong xl_group_or(ulong bits, __local uint *both)
{
    if (get_local_id(0) < 2)
        both[get_local_id(0)] = 0;
    xl_local_barrier();
    atomic_or(both, (uint)bits);
    atomic_or(both + 1, (uint)(bits >> 32));
    xl_local_barrier();
    return (ulong)both[1] << 32 | both[0];
}

__kernel XL_REQUIRED void xl_radix_bits(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint both[2];
    const __global XL_KEY *const keys = radix.in.keys + radix.begin;
    const uint count = radix.end - radix.begin; /* at most 2^30: no index wraps */
    const XL_ORDINAL first = xl_key_map(radix.in.keys[xl_first_place()]);
    XL_ORDINAL bits = 0;
    for (uint i = (uint)get_local_id(0); i < count; i += XL_GROUP_SIZE)
        bits |= xl_key_map(keys[i]) ^ first;
    const ulong all = xl_group_or(bits, both);
    if (get_local_id(0) == 0)
        radix.bits[get_group_id(0)] = all;
}

__kernel XL_REQUIRED void xl_radix_begin(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint both[2];
    ulong bits = 0;
    for (uint k = (uint)get_local_id(0); k < chunks; k += XL_GROUP_SIZE)
        bits |= radix.bits[k];
    bits = xl_group_or(bits, both);
    if (get_local_id(0) == 0)
        xl_passes_find(&radix, bits);
}

__kernel XL_REQUIRED void xl_radix_count(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint counters[XL_DIGITS], passes;
    if (!xl_radix_has_pass(&radix, pass, &passes))
        return;
    const __global XL_KEY *const keys = xl_radix_source(&radix, pass, passes).keys + radix.begin;
    const uint digit_spec = xl_tile_digit_spec_of(&radix, pass), item = (uint)get_local_id(0);
    const uint count = radix.end - radix.begin;
    if (item < XL_DIGITS)
        counters[item] = 0;
    xl_local_barrier();
    for (uint i = item; i < count; i += XL_GROUP_SIZE)
        atomic_inc(counters + xl_tile_digit(xl_tile_key(keys[i], pass == 0), digit_spec));
    xl_local_barrier();
    if (item < XL_DIGITS)
        radix.counts[get_group_id(0) * XL_DIGITS + item] = counters[item];
}

/* Run by one group; each work-item has a digit. */
__kernel XL_REQUIRED void xl_radix_offsets(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint scan[XL_GROUP_SIZE], passes;
    if (!xl_radix_has_pass(&radix, pass, &passes))
        return;
    enum { AHEAD = 8 };
    const uint item = (uint)get_local_id(0);
    __global xl_place *const counts = radix.counts + item;
    xl_place sum = 0;
    for (uint k = 0; item < XL_DIGITS && k < chunks; ++k)
        sum += counts[k * XL_DIGITS];
    xl_place next = xl_places_before(sum, scan);
    for (uint k = 0; item < XL_DIGITS && k < chunks; k += AHEAD) {
        xl_place count[AHEAD];
#pragma unroll
        for (uint j = 0; j < AHEAD; ++j)
            if (k + j < chunks)
                count[j] = counts[(k + j) * XL_DIGITS];
#pragma unroll
        for (uint j = 0; j < AHEAD; ++j) {
            if (k + j < chunks) {
                counts[(k + j) * XL_DIGITS] = next;
                next += count[j];
            }
        }
    }
}

__kernel XL_REQUIRED void xl_radix_scatter(uint pass, XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    __local uint4 room[XL_RADIX_ROOM];
    __local xl_radix_shared shared;
    if (!xl_radix_has_pass(&radix, pass, &shared.passes))
        return;
    const uint item = (uint)get_local_id(0);
    xl_place next = 0;
    if (item < XL_DIGITS)
        next = radix.counts[get_group_id(0) * XL_DIGITS + item];
    if (item == 0)
        shared.digit_spec = xl_tile_digit_spec_of(&radix, pass);
    xl_radix_tile tile;
    tile.from = xl_radix_source(&radix, pass, shared.passes);
    tile.to = xl_radix_target(&radix, pass, shared.passes);
    tile.n = xl_first_place() + n;
    tile.is_input = pass == 0;
    tile.is_last = pass + 1 == shared.passes;
    tile.room = room;
    tile.shared = &shared;
    for (tile.first = radix.begin; tile.first < radix.end; tile.first += tile.count) {
        xl_radix_items items;
        tile.count = (uint)min(radix.end - tile.first, (xl_place)XL_TILE_KEYS);
        xl_radix_tile_clear(room);
        xl_local_barrier();
        const uint sum = xl_radix_tile_count(&tile, &items);
        const uint begin = xl_radix_tile_order(&tile, &items, sum);
        if (item < XL_DIGITS)
            shared.offset[item] = next - begin;
        next += sum;
        xl_local_barrier();
        xl_radix_tile_store(&tile, &items);
        xl_local_barrier();
    }
}

__kernel XL_REQUIRED void xl_radix_end(XL_RADIX_ARGUMENTS)
{
    XL_RADIX_MAKE
    const uint passes = radix.state->passes;
    if (passes > 0 && !xl_radix_to_spare(&radix, passes - 1, passes))
        return;
    const xl_sort_in from = xl_radix_source(&radix, passes, passes);
    for (uint k = (uint)get_local_id(0); k < radix.end - radix.begin; k += XL_GROUP_SIZE) {
        const xl_place i = radix.begin + k;
        if (!xl_values_only())
            radix.out.keys[i] = from.keys[i];
#if XL_SORT_VALUES
        radix.out.values[i] = xl_radix_value(from, i, passes == 0);
#endif
    }
}

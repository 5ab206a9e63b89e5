/* SPDX-License-Identifier: MIT
 * A tile of a selection, by a work-group. Each sub-group has consecutive elements, in rows; in each
 * row, a lane has a vector of consecutive elements, so one scan over the lanes ranks all rows.
 * Without sub-groups each work-item has consecutive elements. The outputs of a tile are compacted
 * in local memory, and adjacent work-items write adjacent outputs. */
#ifndef XL_SELECT_GROUP
#define XL_SELECT_GROUP

#include "select_arrays.cl"

#include "../group/group_scan.cl"

#if XL_ITEMS > 32 || XL_TILE > 65535
#error "XL_ITEMS: at most 32 (flag bits); XL_TILE: at most 65535 (16-bit places)"
#elif XL_ITEMS % XL_VLEN != 0
#error "XL_ITEMS must be a multiple of XL_VLEN"
#endif
#define XL_PARTS (XL_SELECT_KIND == 1 ? 2u : XL_SELECT_KIND == 2 ? 3u : 1u)

/* The room for a tile in local memory: for elements or, if outputs are written by place, for
 * places; runs need both. */
#if !XL_SELECT_STAGED
#define XL_ROOM_BYTES 2
#elif XL_SELECT_KIND == 4
#define XL_ROOM_BYTES (sizeof(xl_element) + 2)
#else
#define XL_ROOM_BYTES (sizeof(xl_element) > 2 ? sizeof(xl_element) : 2)
#endif
#define XL_PLACES_AT (XL_SELECT_STAGED && XL_SELECT_KIND == 4 ? XL_TILE * sizeof(xl_element) : 0)

typedef struct xl_select_local {
    uint4 room[xl_rooms][XL_CEIL_DIV(XL_TILE * XL_ROOM_BYTES, 16)];
    XL_T scratch[XL_GROUP_SIZE];
    XL_T parts[2 * XL_GROUP_SIZE]; /* partial results of two look-backs */
    XL_T prefix;
    uint given[xl_rooms]; /* number of outputs of a tile */
    uint ticket, epoch;
} xl_select_local;

/* A row of a work-item is a vector of consecutive elements. */
#define XL_ROWS (XL_ITEMS / XL_VLEN)
#if XL_VLEN > 1
#define XL_FLAG_VEC XL_JOIN(uchar, XL_VLEN)
#define XL_UNPACK(x, to) XL_JOIN(vstore, XL_VLEN)((x), 0, (to))
#define XL_PACK(from) XL_JOIN(vload, XL_VLEN)(0, (from))
#else
#define XL_FLAG_VEC uchar
#define XL_UNPACK(x, to) (*(to) = (x))
#define XL_PACK(from) (*(from))
#endif
#define XL_SELECT_LOOKS (XL_BY_EXPRESSION || XL_BY_HEADS)

/* The elements of a work-item in a tile, as they were loaded. */
typedef struct xl_select_loaded {
#if XL_SELECT_STAGED
    xl_element x[XL_ITEMS];
#if XL_BY_HEADS
    xl_element left[XL_ROWS]; /* the element before each row */
#endif
#endif
#if XL_SELECT_BY == 1
    XL_FLAG_VEC flags[XL_ROWS];
#elif XL_SELECT_BY == 2
    uint flags[XL_ROWS]; /* the word that contains those of the row */
#endif
    uint unused; /* a struct must have a member */
} xl_select_loaded;

/* The elements of the first and of the second part, as bits; and the rank of each row in its part.
 * Ranks count from the beginning of the sub-group, or the work-item, until xl_select_total() makes
 * them ranks in the tile. */
typedef struct xl_select_items {
    uint first, second;
    uint rank[XL_ROWS];
#if XL_SELECT_KIND == 2
    uint rank2[XL_ROWS];
#endif
} xl_select_items;

/* Where in the tile a row of this work-item begins. */
uint xl_select_at(uint row)
{
#if XL_USE_LANES
    return ((xl_lane_group() * XL_ROWS + row) * xl_lane_width() + xl_lane_id()) * XL_VLEN;
#else
    return (uint)get_local_id(0) * XL_ITEMS + row * XL_VLEN;
#endif
}

/* Whether outputs of a tile are written by place. */
bool xl_select_goes_by_place(const xl_select *s)
{
    return !XL_SELECT_STAGED || (s->gives & xl_gives_by_place) != 0;
}

/* Whether the elements are kept in local memory. */
bool xl_select_keeps_elements(const xl_select *s)
{
    return XL_SELECT_STAGED && (XL_SELECT_KIND == 4 || !xl_select_goes_by_place(s));
}

/* Loads `count` elements from place `base` on, all at once, and waits for none. */
void xl_select_load(const xl_select *s, ulong base, uint count, xl_select_loaded *to)
{
    const bool whole = s->aligned && count == XL_TILE;
#if XL_SELECT_STAGED
    const __global xl_element *const in = s->in + base;
    if (XL_SELECT_LOOKS || (xl_select_keeps_elements(s) && (s->gives & xl_gives_out))) {
        if (whole) {
#pragma unroll
            for (uint r = 0; r < XL_ROWS; ++r)
                XL_UNPACK(*(const __global xl_element_vec *)(in + xl_select_at(r)),
                          to->x + r * XL_VLEN);
        } else {
#pragma unroll
            for (uint k = 0; k < XL_ITEMS; ++k)
                if (xl_select_at(k / XL_VLEN) + k % XL_VLEN < count)
                    to->x[k] = in[xl_select_at(k / XL_VLEN) + k % XL_VLEN];
        }
    }
#if XL_BY_HEADS
#pragma unroll
    for (uint r = 0; r < XL_ROWS; ++r)
        if (xl_select_at(r) < count && base + xl_select_at(r) > 0)
            to->left[r] = s->in[base + xl_select_at(r) - 1];
#endif
#endif
#if XL_SELECT_BY == 1
    const __global uchar *const flags = s->flags + base;
    if (whole) {
#pragma unroll
        for (uint r = 0; r < XL_ROWS; ++r)
            to->flags[r] = *(const __global XL_FLAG_VEC *)(flags + xl_select_at(r));
    } else {
#pragma unroll
        for (uint r = 0; r < XL_ROWS; ++r) {
            uchar row[XL_VLEN];
            for (uint v = 0; v < XL_VLEN; ++v)
                row[v] = xl_select_at(r) + v < count ? flags[xl_select_at(r) + v] : 0;
            to->flags[r] = XL_PACK(row);
        }
    }
#elif XL_SELECT_BY == 2
#pragma unroll
    for (uint r = 0; r < XL_ROWS; ++r)
        if (xl_select_at(r) < count)
            to->flags[r] = s->flags[(base + xl_select_at(r)) / 32];
#endif
}

/* The class of element v of row r, which must exist. */
uint xl_select_loaded_class(const xl_select *s, ulong base, const xl_select_loaded *from, uint r,
                            uint v)
{
    const ulong i = base + xl_select_at(r) + v;
#if XL_SELECT_BY == 1
    uchar row[XL_VLEN];
    XL_UNPACK(from->flags[r], row);
    return XL_SELECT_KIND == 2 ? min((uint)row[v], 2u) : row[v] != 0;
#elif XL_SELECT_BY == 2
    return from->flags[r] >> i % 32 & 1u;
#elif !XL_SELECT_STAGED
    const xl_element x = s->in[i];
    return xl_select_class(s, i, &x);
#elif XL_BY_HEADS
    if (i == 0)
        return 1;
    return xl_begins_run(s, v > 0 ? from->x[r * XL_VLEN + v - 1] : from->left[r],
                         from->x[r * XL_VLEN + v]);
#else
    return xl_class_of(s, from->x[r * XL_VLEN + v], i);
#endif
}

void xl_select_set_class(xl_select_items *items, uint class, uint bit)
{
    items->first |= (uint)(XL_PARTS == 3 ? class == 0 : class != 0) << bit;
    items->second |= (uint)(XL_PARTS == 3 && class == 1) << bit;
}

/* The classes of `count` elements from place `base` on. */
void xl_select_classify(const xl_select *s, ulong base, uint count, const xl_select_loaded *from,
                        xl_select_items *items)
{
    items->first = 0;
    items->second = 0;
    if (count == XL_TILE) {
#pragma unroll
        for (uint k = 0; k < XL_ITEMS; ++k)
            xl_select_set_class(items,
                                xl_select_loaded_class(s, base, from, k / XL_VLEN, k % XL_VLEN), k);
    } else {
#pragma unroll
        for (uint k = 0; k < XL_ITEMS; ++k)
            if (xl_select_at(k / XL_VLEN) + k % XL_VLEN < count)
                xl_select_set_class(
                    items, xl_select_loaded_class(s, base, from, k / XL_VLEN, k % XL_VLEN), k);
    }
}

/* The number of set bits in a row. */
uint xl_select_row_count(uint bits, uint row)
{
    return (uint)popcount(bits >> (row * XL_VLEN) & ((2u << (XL_VLEN - 1)) - 1u));
}

#if XL_USE_LANES
/* The counts of several rows in one word; each is at most width * XL_VLEN. */
#if XL_LANES > 0 && XL_LANES * XL_VLEN < 256 && (XL_LANE_WAY == 2 || XL_LANE_WAY == 3)
#define XL_COUNT_BITS 8u
#else
#define XL_COUNT_BITS 16u
#endif
#define XL_COUNT_ROWS (32u / XL_COUNT_BITS)
#define XL_COUNT_WORDS XL_CEIL_DIV(XL_ROWS, XL_COUNT_ROWS)
#define XL_COUNT_OF(word, row)                                                                     \
    ((word) >> ((row) % XL_COUNT_ROWS * XL_COUNT_BITS) & ((1u << XL_COUNT_BITS) - 1u))

/* Ranks the first bit of each row among the set bits of the sub-group; returns their number. */
uint xl_select_ranks(uint bits, uint *rank)
{
    uint before = 0;
#pragma unroll
    for (uint w = 0; w < XL_COUNT_WORDS; ++w) {
        uint mine = 0;
#pragma unroll
        for (uint r = w * XL_COUNT_ROWS; r < min((w + 1) * XL_COUNT_ROWS, (uint)XL_ROWS); ++r)
            mine |= xl_select_row_count(bits, r) << r % XL_COUNT_ROWS * XL_COUNT_BITS;
        uint through = mine;
        for (uint by = 1; by < xl_lane_width(); by *= 2) {
            const uint below = xl_lane_shuffle_up(through, by);
            through += xl_lane_id() >= by ? below : 0;
        }
        const uint all = xl_lane_shuffle(through, xl_lane_width() - 1);
        through -= mine;
#pragma unroll
        for (uint r = w * XL_COUNT_ROWS; r < min((w + 1) * XL_COUNT_ROWS, (uint)XL_ROWS); ++r) {
            rank[r] = before + XL_COUNT_OF(through, r);
            before += XL_COUNT_OF(all, r);
        }
    }
    return before;
}
#else
/* The same in the work-item. */
uint xl_select_ranks(uint bits, uint *rank)
{
    uint before = 0;
#pragma unroll
    for (uint r = 0; r < XL_ROWS; ++r) {
        rank[r] = before;
        before += xl_select_row_count(bits, r);
    }
    return before;
}
#endif

/* The place of the work-item's last head, plus 1; 0: it has none. */
uint xl_select_last_head(const xl_select_items *items, ulong base)
{
    uint last = 0;
    /* Without clz(), which PoCL 3.1 computed wrongly here (2026-11). */
#pragma unroll
    for (uint k = 0; k < XL_ITEMS; ++k)
        if (items->first >> k & 1u)
            last = (uint)base + xl_select_at(k / XL_VLEN) + k % XL_VLEN + 1;
    return last;
}

/* The sum of this work-item's elements. */
XL_T xl_select_mine(const xl_select_items *items, ulong base)
{
#if XL_SELECT_KIND == 2
    return (ulong)popcount(items->second) << 32 | (uint)popcount(items->first);
#elif XL_SELECT_KIND == 4
    return (ulong)xl_select_last_head(items, base) << 32 | (uint)popcount(items->first);
#else
    return (uint)popcount(items->first);
#endif
}

/* The sum of this work-item's elements from `begin` to end - 1, except those of the first tile, which
 * is read last: a cache may still hold it when the elements are read again, and it is left in
 * *loaded and *items. */
XL_T xl_select_count_tiles(const xl_select *s, ulong begin, ulong end, xl_select_loaded *loaded,
                           xl_select_items *items)
{
    XL_T sum = xl_identity();
    for (ulong tile = max(xl_ceil_div_long(end - begin, XL_TILE), 1ul); tile-- > 0;) {
        const ulong base = begin + tile * XL_TILE;
        const uint count = (uint)min(end - base, (ulong)XL_TILE);
        xl_select_load(s, base, count, loaded);
        xl_select_classify(s, base, count, loaded, items);
        if (tile > 0)
            sum = xl_op(sum, xl_select_mine(items, base));
    }
    return sum;
}

/* The sum of one in `step` elements from `begin` to end - 1, by short code. */
XL_T xl_select_count_each(const xl_select *s, ulong begin, ulong end, uint step)
{
    XL_T sum = xl_identity();
    for (ulong i = begin; i < end; i += step) {
#if XL_SELECT_LOOKS
        const xl_element x = s->in[i];
        const uint class = xl_select_class(s, i, &x);
#else
        const uint class = xl_select_class(s, i, 0);
#endif
        sum = xl_op(sum, xl_select_sum_of(class, i));
    }
    return sum;
}

/* Ranks the rows, and returns the sum of this work-item's elements or, with lanes, of its
 * sub-group's. */
XL_T xl_select_sum(xl_select_items *items, ulong base)
{
    const uint count = xl_select_ranks(items->first, items->rank);
#if XL_SELECT_KIND == 2
    return (ulong)xl_select_ranks(items->second, items->rank2) << 32 | count;
#elif XL_SELECT_KIND == 4
    uint last = xl_select_last_head(items, base);
#if XL_USE_LANES
    for (uint by = 1; by < xl_lane_width(); by *= 2)
        last = max(last, xl_lane_shuffle_xor(last, by));
#endif
    return (ulong)last << 32 | count;
#else
    return count;
#endif
}

/* The sum of the tile, from those of all work-items or sub-groups; makes ranks count from the
 * beginning of the tile. Contains a barrier, and a barrier must precede the next call. */
XL_T xl_select_total(XL_T sum, xl_select_items *items, __local xl_select_local *l)
{
    XL_T total = xl_identity();
    XL_T mine = xl_identity();
#if XL_USE_LANES
    if (xl_lane_id() == 0)
        l->scratch[xl_lane_group()] = sum;
    xl_local_barrier();
    for (uint k = 0; k < xl_lane_groups(); ++k) {
        if (k == xl_lane_group())
            mine = total;
        total = xl_op(total, l->scratch[k]);
    }
#else
    mine = xl_group_scan_exclusive(sum, l->scratch, &total);
#endif
#pragma unroll
    for (uint r = 0; r < XL_ROWS; ++r) {
        items->rank[r] += xl_sum_count(mine);
#if XL_SELECT_KIND == 2
        items->rank2[r] += xl_sum_more(mine);
#endif
    }
    return total;
}

#define XL_NO_SLOT 0xffffffffu

/* The numbers of a row's elements among the outputs of the tile. */
void xl_select_slots(const xl_select_items *items, uint r, XL_T total, uint count, uint *slot)
{
    uint rank = items->rank[r], rank2 = 0;
#if XL_SELECT_KIND == 2
    rank2 = items->rank2[r];
#endif
    const uint all = xl_sum_count(total), more = xl_sum_more(total);
#pragma unroll
    for (uint v = 0; v < XL_VLEN; ++v) {
        const uint k = r * XL_VLEN + v, at = xl_select_at(r) + v;
        const bool is_first = items->first >> k & 1u, is_second = items->second >> k & 1u;
        slot[v] = XL_NO_SLOT;
        if (is_first)
            slot[v] = rank;
        else if (XL_PARTS == 2 && at < count)
            slot[v] = all + at - rank;
        else if (XL_PARTS == 3 && is_second)
            slot[v] = all + rank2;
        else if (XL_PARTS == 3 && at < count)
            slot[v] = all + more + at - rank - rank2;
        rank += is_first;
        rank2 += is_second;
    }
}

/* Where output number k of the tile goes. */
ulong xl_select_target(const xl_select_places *places, XL_T total, uint k)
{
    const uint all = xl_sum_count(total), more = xl_sum_more(total);
    if (XL_PARTS == 1 || k < all)
        return places->at[0] + k;
    if (XL_PARTS == 2 || k < all + more)
        return places->at[1] + (k - all);
    return places->at[2] + (k - all - more);
}

/* A tile that is being written. */
typedef struct xl_select_out {
    ulong base;
    uint count; /* number of its elements */
    XL_T total;
    xl_select_before before; /* sum of the whole array before it */
    xl_select_places places;
} xl_select_out;

/* All work-items run the same rounds, and test in each round whether they have an element: PoCL 3.1
 * lets all of them into a loop that, after a barrier, only some enter. */

/* Elements to which rows of outputs are aligned. */
#define XL_ROW_ALIGN 32u

/* Writes the elements, which were put into local memory before the last barrier. */
void xl_select_write_elements(const xl_select *s, const xl_select_out *o, uint room,
                              const __local xl_select_local *l)
{
    const __local xl_element *const from = (const __local xl_element *)l->room[room];
    const uint given = l->given[room];
    const uint parts[4] = {0, XL_PARTS == 1 ? given : xl_sum_count(o->total),
                           XL_PARTS == 3 ? xl_sum_count(o->total) + xl_sum_more(o->total) : given,
                           given};
#pragma unroll
    for (uint p = 0; p < XL_PARTS; ++p) {
        /* Rows of outputs are aligned, so that each sub-group writes whole lines of memory. */
        const ulong to = o->places.at[p];
        const uint begin = parts[p], ahead = (uint)to % XL_ROW_ALIGN;
        const uint count =
            (uint)min((ulong)(parts[p + 1] - begin), s->capacity - min(to, s->capacity));
        for (uint row = 0; row < count + ahead; row += XL_GROUP_SIZE) {
            const uint k = row + (uint)get_local_id(0) - ahead; /* wraps before the first */
            if (k < count)
                s->out[to + k] = from[begin + k];
        }
    }
}

/* Writes outputs by place; also the elements, which were read recently, unless they are kept in
 * local memory. The places are in local memory. */
void xl_select_write_by_place(const xl_select *s, const xl_select_out *o, uint room,
                              const __local xl_select_local *l)
{
    const __local ushort *const place =
        (const __local ushort *)((const __local uchar *)l->room[room] + XL_PLACES_AT);
    const uint given = l->given[room];
    for (uint row = 0; row < given; row += XL_GROUP_SIZE) {
        const uint k = row + (uint)get_local_id(0);
        if (k >= given)
            continue;
        const ulong to = xl_select_target(&o->places, o->total, k), from = o->base + place[k];
        if (to < s->capacity) {
            if (!xl_select_keeps_elements(s) && (s->gives & xl_gives_out))
                s->out[to] = s->in[from];
            xl_select_give(s, to, from);
#if XL_SELECT_KIND == 4
            if (k + 1 < given && (s->gives & xl_gives_lengths))
                s->lengths[to] = (uint)place[k + 1] - place[k];
#endif
        }
#if XL_SELECT_KIND == 4
        if (k == 0) /* the run before ends here */
            xl_select_run(s, to, o->before.more, from);
#endif
    }
}

/* Writes the outputs of the tile. Contains no barrier. */
void xl_select_store(const xl_select *s, const xl_select_out *o, uint room,
                     const __local xl_select_local *l)
{
    if (xl_select_keeps_elements(s) && (s->gives & xl_gives_out))
        xl_select_write_elements(s, o, room, l);
    if (xl_select_goes_by_place(s))
        xl_select_write_by_place(s, o, room, l);
}

/* Puts the tile's elements, or their places, into local memory. A barrier must follow. */
void xl_select_stage(const xl_select *s, const xl_select_loaded *from, const xl_select_items *items,
                     const xl_select_out *o, uint room, __local xl_select_local *l)
{
    __local ushort *const place = (__local ushort *)((__local uchar *)l->room[room] + XL_PLACES_AT);
    const bool by_place = xl_select_goes_by_place(s), keeps = xl_select_keeps_elements(s);
    if (get_local_id(0) == 0)
        l->given[room] = XL_PARTS == 1 ? xl_sum_count(o->total) : o->count;
#pragma unroll
    for (uint r = 0; r < XL_ROWS; ++r) {
        uint slot[XL_VLEN];
        xl_select_slots(items, r, o->total, o->count, slot);
#pragma unroll
        for (uint v = 0; v < XL_VLEN; ++v) {
            if (slot[v] == XL_NO_SLOT)
                continue;
#if XL_SELECT_STAGED
            if (keeps)
                ((__local xl_element *)l->room[room])[slot[v]] = from->x[r * XL_VLEN + v];
#endif
            if (by_place)
                place[slot[v]] = (ushort)(xl_select_at(r) + v);
        }
    }
}

#endif

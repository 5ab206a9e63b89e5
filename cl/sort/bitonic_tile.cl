/* SPDX-License-Identifier: MIT
 * A tile of a bitonic sort: it is sorted, or merged from two sorted runs. A work-group holds it in
 * registers, or one work-item walks it with wide vectors.
 *
 * Source: Batcher, "Sorting networks and their applications" (AFIPS 1968), with all comparators in
 * the same direction: the smaller key goes to the smaller position. Phase p makes sorted runs of
 * 2^p from pairs of runs of 2^(p-1). Its first step, the flip, compares position i with i ^ (2^p -
 * 1). The next steps, on bit b from p - 2 down to 0, compare i with i ^ 2^b.
 *
 * Elements after the end of the data have the largest key and are at the end of the tile. Equal
 * keys never change places, so these elements stay there, and a real element with the largest key
 * keeps its value. With XL_SORT_STABLE a word orders equal keys, in place of a value; elements
 * after the end then also have the largest word.
 *
 * Layouts of a work-group. Work-item w holds 2^H elements, H = XL_SORT_ITEMS_LOG. In layout s, its
 * element e is at position
 *     (w >> s) << (s + H)  |  e << s  |  (w mod 2^s)
 * so the steps on bits s to s + H - 1 need only registers. In layout 0 a work-item holds
 * consecutive elements, and the next bits are within its sub-group: their steps are shuffles. Every
 * other bit takes a change of layout through local memory, which is skewed by one word in 32, so
 * that layout 0 has no bank conflicts. */
#if XL_SERIAL
/* ---- by one work-item, for devices whose work-items run one after another ---- */

/* Each step is a loop over long runs in the nearest cache. */
#if XL_SORT_GROUP != 1
#error "XL_SORT_GROUP must be 1, because one work-item walks a tile"
#endif

#define XL_SORT_TILE (1 << XL_SORT_TILE_LOG)
#define XL_SORT_LOCAL XL_SORT_TILE

/* Eight keys, the result of comparing them, and their values. */
typedef XL_JOIN(XL_ORDINAL, 8) xl_key8;
#if XL_KEY_BYTES == 8
typedef long8 xl_mask8;
#define XL_MASK_VALUES(mask) convert_int8(mask)
#define XL_MASK_KEYS(mask) convert_long8(mask)
#else
typedef int8 xl_mask8;
#define XL_MASK_VALUES(mask) (mask)
#define XL_MASK_KEYS(mask) (mask)
#endif

typedef struct xl_eight {
    xl_key8 key;
#if XL_SORT_VALUES
    uint8 value;
#endif
} xl_eight;

typedef struct xl_sort_local {
    __local XL_ORDINAL *key;
    __local uint *value;
} xl_sort_local;

xl_eight xl_bitonic_load(xl_sort_local tile, uint at)
{
    xl_eight r;
    r.key = vload8(0, tile.key + at);
#if XL_SORT_VALUES
    r.value = vload8(0, tile.value + at);
#endif
    return r;
}

void xl_bitonic_store(xl_sort_local tile, uint at, const xl_eight *r)
{
    vstore8(r->key, 0, tile.key + at);
#if XL_SORT_VALUES
    vstore8(r->value, 0, tile.value + at);
#endif
}

void xl_bitonic_reverse(xl_eight *r)
{
    r->key = r->key.s76543210;
#if XL_SORT_VALUES
    r->value = r->value.s76543210;
#endif
}

#if XL_SORT_VALUES
/* Which keys p with words x come after keys q with words y. */
xl_mask8 xl_bitonic_after(xl_key8 p, uint8 x, xl_key8 q, uint8 y)
{
#if XL_SORT_STABLE
    return (p > q) | ((p == q) & XL_MASK_KEYS(x > y));
#else
    return p > q;
#endif
}
#endif

/* Eight comparators side by side. */
void xl_bitonic_order(xl_eight *a, xl_eight *b)
{
    xl_key8 p = a->key, q = b->key;
    a->key = min(p, q);
    b->key = max(p, q);
#if XL_SORT_VALUES
    uint8 x = a->value, y = b->value;
    int8 swap = XL_MASK_VALUES(xl_bitonic_after(p, x, q, y));
    a->value = select(x, y, swap);
    b->value = select(y, x, swap);
#endif
}

/* A step inside a vector: element i is compared with the element that `order` puts in its place,
 * and keeps the larger one if `upper` is set. */
#if XL_SORT_VALUES
#define XL_BITONIC_CROSS(r, order, ...)                                                            \
    {                                                                                              \
        const xl_mask8 upper = (xl_mask8)(__VA_ARGS__);                                            \
        xl_key8 other = (r)->key.order;                                                            \
        uint8 its = (r)->value.order;                                                              \
        xl_mask8 take = (xl_bitonic_after((r)->key, (r)->value, other, its) & ~upper) |            \
                        (xl_bitonic_after(other, its, (r)->key, (r)->value) & upper);              \
        (r)->key = select((r)->key, other, take);                                                  \
        (r)->value = select((r)->value, its, XL_MASK_VALUES(take));                                \
    }
#else
#define XL_BITONIC_CROSS(r, order, ...)                                                            \
    {                                                                                              \
        const xl_mask8 upper = (xl_mask8)(__VA_ARGS__);                                            \
        xl_key8 other = (r)->key.order;                                                            \
        (r)->key = select(min((r)->key, other), max((r)->key, other), upper);                      \
    }
#endif

/* The steps on bits 2, 1 and 0. */
void xl_bitonic_finish(xl_eight *r)
{
    XL_BITONIC_CROSS(r, s45670123, 0, 0, 0, 0, -1, -1, -1, -1)
    XL_BITONIC_CROSS(r, s23016745, 0, 0, -1, -1, 0, 0, -1, -1)
    XL_BITONIC_CROSS(r, s10325476, 0, -1, 0, -1, 0, -1, 0, -1)
}

/* Phases 1 to 3. */
void xl_bitonic_start(xl_eight *r)
{
    XL_BITONIC_CROSS(r, s10325476, 0, -1, 0, -1, 0, -1, 0, -1)
    XL_BITONIC_CROSS(r, s32107654, 0, 0, -1, -1, 0, 0, -1, -1)
    XL_BITONIC_CROSS(r, s10325476, 0, -1, 0, -1, 0, -1, 0, -1)
    XL_BITONIC_CROSS(r, s76543210, 0, 0, 0, 0, -1, -1, -1, -1)
    XL_BITONIC_CROSS(r, s23016745, 0, 0, -1, -1, 0, 0, -1, -1)
    XL_BITONIC_CROSS(r, s10325476, 0, -1, 0, -1, 0, -1, 0, -1)
}

/* The flip that joins runs of `length` elements, at least 8, in a tile of `size`. */
void xl_bitonic_flip(xl_sort_local tile, uint size, uint length)
{
    for (uint base = 0; base < size; base += 2u * length)
        for (uint i = 0; i < length; i += 8u) {
            uint low = base + i, high = base + 2u * length - 8u - i;
            xl_eight a = xl_bitonic_load(tile, low), b = xl_bitonic_load(tile, high);
            xl_bitonic_reverse(&b);
            xl_bitonic_order(&a, &b);
            xl_bitonic_reverse(&b);
            xl_bitonic_store(tile, low, &a);
            xl_bitonic_store(tile, high, &b);
        }
}

/* The step of distance `far`, at least 8. */
void xl_bitonic_halve(xl_sort_local tile, uint size, uint far)
{
    for (uint base = 0; base < size; base += 2u * far)
        for (uint i = base; i < base + far; i += 8u) {
            xl_eight a = xl_bitonic_load(tile, i), b = xl_bitonic_load(tile, i + far);
            xl_bitonic_order(&a, &b);
            xl_bitonic_store(tile, i, &a);
            xl_bitonic_store(tile, i + far, &b);
        }
}

/* The steps of distances 2 * near and near, at least 8, in one pass. */
void xl_bitonic_halve_twice(xl_sort_local tile, uint size, uint near)
{
    for (uint base = 0; base < size; base += 4u * near)
        for (uint i = base; i < base + near; i += 8u) {
            xl_eight a = xl_bitonic_load(tile, i), b = xl_bitonic_load(tile, i + near);
            xl_eight c = xl_bitonic_load(tile, i + 2u * near),
                     d = xl_bitonic_load(tile, i + 3u * near);
            xl_bitonic_order(&a, &c);
            xl_bitonic_order(&b, &d);
            xl_bitonic_order(&a, &b);
            xl_bitonic_order(&c, &d);
            xl_bitonic_store(tile, i, &a);
            xl_bitonic_store(tile, i + near, &b);
            xl_bitonic_store(tile, i + 2u * near, &c);
            xl_bitonic_store(tile, i + 3u * near, &d);
        }
}

/* All steps of distances from `far` down to 1. */
void xl_bitonic_halve_all(xl_sort_local tile, uint size, uint far)
{
    for (; far >= 16u; far /= 4u)
        xl_bitonic_halve_twice(tile, size, far / 2u);
    if (far == 8u)
        xl_bitonic_halve(tile, size, far);
    for (uint i = 0; i < size; i += 8u) {
        xl_eight r = xl_bitonic_load(tile, i);
        xl_bitonic_finish(&r);
        xl_bitonic_store(tile, i, &r);
    }
}

/* The smallest network of whole vectors for `count` elements. The rest is filled with elements that
 * are larger than every key and stay at the end. */
uint xl_bitonic_fill(xl_sort_local tile, uint count)
{
    uint size = 8u;
    while (size < count)
        size *= 2u;
    for (uint i = count; i < size; ++i) {
        tile.key[i] = xl_last_ordinal();
#if XL_SORT_VALUES
        tile.value[i] = XL_SORT_STABLE ? ~0u : 0;
#endif
    }
    return size;
}

void xl_bitonic_write(xl_sort_local tile, xl_sort_out out, uint first, uint count)
{
    if (xl_sort_has_keys(out))
        for (uint i = 0; i < count; ++i)
            out.keys[first + i] = xl_key_unmap(tile.key[i]);
#if XL_SORT_VALUES && !XL_SORT_PLACES
    for (uint i = 0; i < count; ++i)
        out.values[first + i] = tile.value[i];
#endif
}

/* Sorts elements [first, first + count) of the input into the same place of the output. */
void xl_tile_sort(xl_sort_in in, xl_sort_out out, uint first, uint count, xl_sort_local tile)
{
    for (uint i = 0; i < count; ++i)
        tile.key[i] = xl_key_map(in.keys[first + i]);
#if XL_SORT_VALUES
    for (uint i = 0; i < count; ++i)
        tile.value[i] = XL_SORT_PLACES ? i : xl_sort_value(in, first + i, true);
#endif
    uint size = xl_bitonic_fill(tile, count);
    for (uint i = 0; i < size; i += 8u) {
        xl_eight r = xl_bitonic_load(tile, i);
        xl_bitonic_start(&r);
        xl_bitonic_store(tile, i, &r);
    }
    for (uint length = 8u; length < size; length *= 2u) {
        xl_bitonic_flip(tile, size, length);
        xl_bitonic_halve_all(tile, size, length / 2u);
    }
    xl_bitonic_write(tile, out, first, count);
#if XL_SORT_PLACES
    /* In place, all values are read before any is written; the keys in the tile are no longer
     * needed. */
    for (uint i = 0; i < count; ++i)
        tile.key[i] = in.values[first + i];
    for (uint i = 0; i < count; ++i)
        out.values[first + i] = (uint)tile.key[tile.value[i]];
#endif
}

/* Computes elements [first, first + count) of the output, the merged runs. */
void xl_tile_merge(xl_sort_in in, xl_sort_out out, uint first, uint count, uint n, uint run,
                   uint search_log, xl_sort_local tile, __local uint *search)
{
    uint begin = xl_runs_begin(first, run), d = first - begin;
    xl_runs runs = xl_runs_at(in.keys, begin, n, run);
    xl_merge_partition partition = xl_merge_partition_of(d, count, xl_merge_path_search(&runs, d),
                                                         xl_merge_path_search(&runs, d + count));
    uint a = begin + partition.first_begin, b = begin + runs.first_length + partition.second_begin;
    for (uint i = 0; i < partition.from_second; ++i)
        tile.key[partition.from_second - 1u - i] = xl_key_map(in.keys[b + i]);
    for (uint i = 0; i < partition.from_first; ++i)
        tile.key[partition.from_second + i] = xl_key_map(in.keys[a + i]);
#if XL_SORT_PLACES
    for (uint i = 0; i < count; ++i)
        tile.value[i] = xl_merge_partition_place(&partition, i);
#elif XL_SORT_VALUES
    for (uint i = 0; i < partition.from_second; ++i)
        tile.value[partition.from_second - 1u - i] = in.values[b + i];
    for (uint i = 0; i < partition.from_first; ++i)
        tile.value[partition.from_second + i] = in.values[a + i];
#endif
    uint size = xl_bitonic_fill(tile, count);
    xl_bitonic_halve_all(tile, size, size / 2u);
    xl_bitonic_write(tile, out, first, count);
#if XL_SORT_PLACES
    for (uint i = 0; i < count; ++i)
        out.values[first + i] =
            in.values[begin + xl_merge_place_source(&runs, &partition, tile.value[i])];
#endif
}
#else
/* ---- the network, by a work-group ---- */

#if (1 << XL_SORT_GROUP_LOG) != XL_SORT_GROUP
#error "XL_SORT_GROUP must be 2 to the power of XL_SORT_GROUP_LOG"
#endif

#define XL_SORT_ITEMS (1 << XL_SORT_ITEMS_LOG)
#define XL_SORT_PHASES (XL_SORT_ITEMS_LOG + XL_SORT_GROUP_LOG)
#define XL_SORT_TILE (1 << XL_SORT_PHASES)
/* Elements of local memory that the functions below need, for keys and for values each. */
#define XL_SORT_LOCAL (XL_SORT_TILE + XL_SORT_TILE / 32)

/* 1: a word is moved with each key: its value or, with XL_SORT_STABLE, the order of equal keys. */
#define XL_SORT_WORDS (XL_SORT_VALUES || XL_SORT_STABLE)

/* The elements of one work-item. */
typedef struct xl_sort_items {
    XL_ORDINAL key[XL_SORT_ITEMS];
#if XL_SORT_WORDS
    uint value[XL_SORT_ITEMS];
#endif
} xl_sort_items;

/* The group's local memory. */
typedef struct xl_sort_local {
    __local XL_ORDINAL *key;
    __local uint *value;
} xl_sort_local;

/* Position of element e in layout s. In a mirrored layout, the elements of the upper half are at
 * the positions that the flip compares with those of the lower half. */
uint xl_sort_position(uint e, uint s, bool mirrored)
{
    uint w = (uint)get_local_id(0);
    uint below = (1u << s) - 1u;
    uint low = w & below;
    if (mirrored && e >= XL_SORT_ITEMS / 2)
        low ^= below;
    return (w >> s) << (s + XL_SORT_ITEMS_LOG) | e << s | low;
}

/* Bits of a position that are within a sub-group; 0 if lanes cannot exchange, or if sub-groups do
 * not divide the group. */
uint xl_sort_lane_bits(void)
{
#if XL_LANE_WAY == 0
    return 0;
#else
    uint width = xl_lane_width();
    if (width > XL_SORT_GROUP || (width & (width - 1u)) != 0)
        return 0;
    return 31u - clz(width);
#endif
}

/* Changes the layout from `from` to `to`. `from` must be the layout in which the last call ended:
 * each work-item then writes only places that it alone has read. */
void xl_sort_exchange(xl_sort_items *items, xl_sort_local local_, uint from, bool from_mirrored,
                      uint to, bool to_mirrored)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, from, from_mirrored);
        local_.key[at + at / 32u] = items->key[e];
#if XL_SORT_WORDS
        local_.value[at + at / 32u] = items->value[e];
#endif
    }
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, to, to_mirrored);
        items->key[e] = local_.key[at + at / 32u];
#if XL_SORT_WORDS
        items->value[e] = local_.value[at + at / 32u];
#endif
    }
}

#if XL_SORT_WORDS
/* Whether key a with word x comes after key b with word y. */
bool xl_sort_after(XL_ORDINAL a, uint x, XL_ORDINAL b, uint y)
{
#if !XL_SORT_STABLE
    return a > b;
#elif XL_KEY_BYTES == 8
    return a > b || (a == b && x > y);
#else
    return upsample(a, x) > upsample(b, y);
#endif
}
#endif

/* One comparator between elements of a work-item. */
void xl_sort_order(xl_sort_items *items, uint low, uint high)
{
    XL_ORDINAL a = items->key[low], b = items->key[high];
#if XL_SORT_WORDS
    uint x = items->value[low], y = items->value[high];
    bool swap = xl_sort_after(a, x, b, y);
    items->key[low] = swap ? b : a;
    items->key[high] = swap ? a : b;
    items->value[low] = swap ? y : x;
    items->value[high] = swap ? x : y;
#else
    items->key[low] = min(a, b);
    items->key[high] = max(a, b);
#endif
}

/* The flip in groups of 2^p elements of a work-item. */
void xl_sort_flip(xl_sort_items *items, uint p)
{
#pragma unroll
    for (uint pair = 0; pair < XL_SORT_ITEMS / 2; ++pair) {
        uint low = pair >> (p - 1u) << p | (pair & ((1u << (p - 1u)) - 1u));
        xl_sort_order(items, low, low ^ ((1u << p) - 1u));
    }
}

/* The step on bit b of an element's number. */
void xl_sort_step(xl_sort_items *items, uint b)
{
#pragma unroll
    for (uint pair = 0; pair < XL_SORT_ITEMS / 2; ++pair) {
        uint low = pair >> b << (b + 1u) | (pair & ((1u << b) - 1u));
        xl_sort_order(items, low, low | 1u << b);
    }
}

/* The steps on the bits of an element's number below `bits`. Written out, because a compiler that
 * does not unroll a loop over them keeps the elements in memory. */
void xl_sort_halve(xl_sort_items *items, uint bits)
{
#if XL_SORT_ITEMS_LOG > 4
    if (bits > 4)
        xl_sort_step(items, 4);
#endif
#if XL_SORT_ITEMS_LOG > 3
    if (bits > 3)
        xl_sort_step(items, 3);
#endif
#if XL_SORT_ITEMS_LOG > 2
    if (bits > 2)
        xl_sort_step(items, 2);
#endif
#if XL_SORT_ITEMS_LOG > 1
    if (bits > 1)
        xl_sort_step(items, 1);
#endif
    if (bits > 0)
        xl_sort_step(items, 0);
}

#if XL_LANE_WAY != 0
XL_ORDINAL xl_sort_shuffle(XL_ORDINAL key, uint mask)
{
#if XL_KEY_BYTES == 8
    return xl_lane_shuffle_xor64(key, mask);
#else
    return xl_lane_shuffle_xor(key, mask);
#endif
}

/* One side of a comparator between lanes: keeps the larger key if `upper`. Both sides reverse the
 * order in the same way, so neither takes an equal key. */
void xl_sort_keep(xl_sort_items *items, uint e, XL_ORDINAL key, uint value, bool upper)
{
    XL_ORDINAL mine = items->key[e];
#if XL_SORT_WORDS
    XL_ORDINAL turn = upper ? (XL_ORDINAL)0 - 1 : 0;
    bool take =
        xl_sort_after(mine ^ turn, items->value[e] ^ (uint)turn, key ^ turn, value ^ (uint)turn);
    items->key[e] = take ? key : mine;
    items->value[e] = take ? value : items->value[e];
#else
    items->key[e] = upper ? max(mine, key) : min(mine, key);
#endif
}

/* A step between lanes that differ in the bits of `mask`. With `flip`, element e is compared with
 * the element of the other lane that the flip determines. */
void xl_sort_order_lanes(xl_sort_items *items, uint mask, bool upper, bool flip)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS / 2; ++e) {
        uint f = XL_SORT_ITEMS - 1u - e;
        XL_ORDINAL key_e = xl_sort_shuffle(items->key[e], mask);
        XL_ORDINAL key_f = xl_sort_shuffle(items->key[f], mask);
#if XL_SORT_WORDS
        uint value_e = xl_lane_shuffle_xor(items->value[e], mask);
        uint value_f = xl_lane_shuffle_xor(items->value[f], mask);
#else
        uint value_e = 0, value_f = 0;
#endif
        xl_sort_keep(items, e, flip ? key_f : key_e, flip ? value_f : value_e, upper);
        xl_sort_keep(items, f, flip ? key_e : key_f, flip ? value_e : value_f, upper);
    }
}
#endif

/* The steps between lanes, on lane bits below `bits`. */
void xl_sort_halve_lanes(xl_sort_items *items, uint bits)
{
#if XL_LANE_WAY != 0
    uint lane = xl_lane_id();
#pragma unroll 1
    while (bits-- > 0)
        xl_sort_order_lanes(items, 1u << bits, lane >> bits & 1u, false);
#endif
}

#if XL_LANE_WAY != 0
/* A step between lanes that differ in `mask`, at half the cost, because it moves elements: from
 * each pair of adjacent elements, the lower lane gives away the second and the upper lane the
 * first, so each lane has one whole comparator. Elements of different lanes are then in different
 * registers of a lane, and vice versa. Both elements are read before one is chosen: if the place to
 * read were chosen, Intel's compiler for GPUs (ocloc 22.43) would choose an address and keep the
 * items in private memory. */
void xl_sort_swap(xl_sort_items *items, uint mask, bool upper)
{
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; e += 2) {
        const XL_ORDINAL first = items->key[e], second = items->key[e + 1];
        XL_ORDINAL keep = upper ? second : first;
        XL_ORDINAL give = upper ? first : second;
        XL_ORDINAL get = xl_sort_shuffle(give, mask);
#if XL_SORT_WORDS
        const uint first_value = items->value[e], second_value = items->value[e + 1];
        uint keep_value = upper ? second_value : first_value;
        uint give_value = upper ? first_value : second_value;
        uint get_value = xl_lane_shuffle_xor(give_value, mask);
#if XL_SORT_STABLE
        bool get_first = xl_sort_after(keep, keep_value, get, get_value);
#else
        /* Equal keys stay in place: an upper lane keeps the element that is above the one it
         * gets. */
        bool get_first = keep > get || (upper && keep == get);
#endif
        items->key[e] = get_first ? get : keep;
        items->key[e + 1] = get_first ? keep : get;
        items->value[e] = get_first ? get_value : keep_value;
        items->value[e + 1] = get_first ? keep_value : get_value;
#else
        items->key[e] = min(keep, get);
        items->key[e + 1] = max(keep, get);
#endif
    }
}
#endif

/* All steps below bit `bits`, in layout `bits`, which are within a sub-group. Each swap moves the
 * bit that it compares to the lowest bit of the element's number, and that bit to the lane. */
void xl_sort_swap_lanes(xl_sort_items *items, uint bits)
{
#if XL_LANE_WAY != 0
    uint lane = xl_lane_id();
#pragma unroll 1
    while (bits-- > 0)
        xl_sort_swap(items, 1u << bits, lane >> bits & 1u);
#endif
}

/* The position of element e of a work-item after that: bit 0 is in the element's number, and bits 1
 * to lane_bits are the lane. */
uint xl_sort_swapped_position(uint e, uint lane_bits)
{
    uint w = (uint)get_local_id(0);
    uint lane = w & ((1u << lane_bits) - 1u);
    return (w >> lane_bits) << (lane_bits + XL_SORT_ITEMS_LOG) | (e >> 1) << (lane_bits + 1u) |
           lane << 1 | (e & 1u);
}

/* Phase p, which exceeds the elements of a work-item; from layout 0 to layout 0. */
void xl_sort_phase(xl_sort_items *items, xl_sort_local local_, uint lane_bits, uint p)
{
    uint reach = XL_SORT_ITEMS_LOG + lane_bits;
    uint todo = p; /* steps on bits below this one remain */
    if (p > reach) {
        uint at = p - XL_SORT_ITEMS_LOG;
        xl_sort_exchange(items, local_, 0, false, at, true);
        xl_sort_flip(items, XL_SORT_ITEMS_LOG);
        xl_sort_halve(items, XL_SORT_ITEMS_LOG - 1u);
        bool mirrored = true;
        for (todo = at; todo > reach; todo = at) {
            uint next = todo - XL_SORT_ITEMS_LOG;
            xl_sort_exchange(items, local_, at, mirrored, next, false);
            xl_sort_halve(items, XL_SORT_ITEMS_LOG);
            mirrored = false;
            at = next;
        }
        xl_sort_exchange(items, local_, at, mirrored, 0, false);
    }
#if XL_LANE_WAY != 0
    else {
        uint top = p - XL_SORT_ITEMS_LOG - 1u;
        xl_sort_order_lanes(items, (2u << top) - 1u, xl_lane_id() >> top & 1u, true);
        todo = p - 1u;
    }
#endif
    if (todo > XL_SORT_ITEMS_LOG)
        xl_sort_halve_lanes(items, todo - XL_SORT_ITEMS_LOG);
    xl_sort_halve(items, XL_SORT_ITEMS_LOG);
}

/* Sorts a tile from layout 0, whose elements after `count` are padding, into layout
 * XL_SORT_GROUP_LOG. */
void xl_group_sort(xl_sort_items *items, xl_sort_local local_, uint count)
{
    const uint lane_bits = xl_sort_lane_bits();
    const uint phases = min(xl_log2_above(count), (uint)XL_SORT_PHASES);
#pragma unroll
    for (uint p = 1; p <= XL_SORT_ITEMS_LOG; ++p) {
        xl_sort_flip(items, p);
        xl_sort_halve(items, p - 1u);
    }
#pragma unroll 1
    for (uint p = XL_SORT_ITEMS_LOG + 1u; p <= phases; ++p)
        xl_sort_phase(items, local_, lane_bits, p);
    xl_sort_exchange(items, local_, 0, false, XL_SORT_GROUP_LOG, false);
}

/* Sorts a tile in layout XL_SORT_GROUP_LOG that first descends, then ascends. Elements end at the
 * positions xl_sort_swapped_position() for the number of bits that this returns. */
uint xl_group_merge(xl_sort_items *items, xl_sort_local local_)
{
    uint lane_bits = xl_sort_lane_bits();
    uint at = XL_SORT_GROUP_LOG;
    xl_sort_halve(items, XL_SORT_ITEMS_LOG);
#pragma unroll 1
    while (at > lane_bits) {
        /* Steps on bits that are already done compare elements that are in order. */
        uint next = (uint)max((int)at - XL_SORT_ITEMS_LOG, (int)lane_bits);
        xl_sort_exchange(items, local_, at, false, next, false);
        xl_sort_halve(items, XL_SORT_ITEMS_LOG);
        at = next;
    }
    xl_sort_swap_lanes(items, lane_bits);
    return lane_bits;
}

/* ---- the tile, by a work-group ---- */

/* Loads one element, from an existing place even if it is not wanted: without a branch, all loads
 * of a work-item are under way at once. `first`: keys are read for the first time. `place`: its
 * place in the order of equal keys. */
void xl_tile_take(xl_sort_items *items, uint e, xl_sort_in in, uint source, bool wanted,
                  const bool first, uint place)
{
    XL_ORDINAL key = xl_key_map(in.keys[source]);
    items->key[e] = wanted ? key : xl_last_ordinal();
#if XL_SORT_PLACES
    items->value[e] = wanted ? place : ~0u; /* behind all others */
#elif XL_SORT_STABLE
    uint value = xl_sort_value(in, source, first);
    items->value[e] = wanted ? value : ~0u;
#elif XL_SORT_VALUES
    items->value[e] = xl_sort_value(in, source, first);
#endif
}

void xl_tile_put(const xl_sort_items *items, uint e, xl_sort_out out, uint first, uint count,
                 uint at)
{
    if (at < count) {
        if (xl_sort_has_keys(out))
            out.keys[first + at] = xl_key_unmap(items->key[e]);
#if XL_SORT_VALUES
        out.values[first + at] = items->value[e];
#endif
    }
}

#if XL_SORT_PLACES
/* Replaces places by values, through local memory, because places are anywhere in the tile. In
 * place, all values are read before any is written. */
void xl_tile_fetch(xl_sort_items *items, xl_sort_in in, uint first, uint count,
                   xl_sort_local local_)
{
    uint w = (uint)get_local_id(0);
    XL_LOCAL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = w + e * XL_SORT_GROUP;
        local_.value[at] = in.values[first + min(at, count - 1u)];
    }
    XL_FULL_BARRIER();
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        items->value[e] = local_.value[min(items->value[e], XL_SORT_TILE - 1u)];
}
#endif

/* Sorts elements [first, first + count) of the input, and leaves them in layout
 * XL_SORT_GROUP_LOG. */
void xl_tile_order(xl_sort_items *items, xl_sort_in in, uint first, uint count,
                   xl_sort_local local_)
{
    uint w = (uint)get_local_id(0);
    /* In a full tile the initial order of elements does not matter, so adjacent work-items read
     * adjacent elements. In the last tile, missing elements must be at the end. */
    bool full = count == XL_SORT_TILE;
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = full ? w + e * XL_SORT_GROUP : w * XL_SORT_ITEMS + e;
        xl_tile_take(items, e, in, first + min(at, count - 1u), at < count, true, at);
    }
    /* In place, other work-items write where this one has read. */
    XL_FULL_BARRIER();
    xl_group_sort(items, local_, count);
#if XL_SORT_PLACES
    xl_tile_fetch(items, in, first, count, local_);
#endif
}

/* The same, into the same place of the output. */
void xl_tile_sort(xl_sort_in in, xl_sort_out out, uint first, uint count, xl_sort_local local_)
{
    xl_sort_items items;
    xl_tile_order(&items, in, first, count, local_);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        xl_tile_put(&items, e, out, first, count, xl_sort_position(e, XL_SORT_GROUP_LOG, false));
}

/* Computes elements [first, first + count) of the output, the merged runs. */
void xl_tile_merge(xl_sort_in in, xl_sort_out out, uint first, uint count, uint n, uint run,
                   uint search_log, xl_sort_local local_, __local uint *search)
{
    xl_sort_items items;
    uint begin = xl_runs_begin(first, run);
    xl_runs runs = xl_runs_at(in.keys, begin, n, run);
    xl_merge_partition partition =
        xl_tile_merge_partition(&runs, first - begin, count, search_log, search);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint at = xl_sort_position(e, XL_SORT_GROUP_LOG, false);
        uint source = xl_merge_partition_source(&runs, &partition, min(at, count - 1u));
#if XL_SORT_PLACES
        uint place = xl_merge_partition_place(&partition, at);
#else
        const uint place = 0;
#endif
        xl_tile_take(&items, e, in, begin + source, at < count, false, place);
    }
    uint lane_bits = xl_group_merge(&items, local_);
#if XL_SORT_PLACES
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        uint place = min(items.value[e], count - 1u);
        items.value[e] = in.values[begin + xl_merge_place_source(&runs, &partition, place)];
    }
#endif
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e)
        xl_tile_put(&items, e, out, first, count, xl_sort_swapped_position(e, lane_bits));
}
#endif

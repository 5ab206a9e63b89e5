/* SPDX-License-Identifier: MIT
 * A tile of a bitonic sort by one work-item with wide vectors, for devices whose work-items run one
 * after another: the network of cl/group/group_bitonic.cl, in which each step is a loop over long
 * runs in the nearest cache. */
#include "merge_runs.cl"

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

/* SPDX-License-Identifier: MIT
 * A tile of a long segment in a merge, and the side that it is written to. */
#include "segment_windows.cl"

/* XL_SORT_ARRAYS and `spare`, in the scratch and as large as the output. */
#if XL_SORT_VALUES
#define XL_SEGMENT_SPARE                                                                           \
    XL_SORT_ARRAYS, __global XL_KEY *spare_keys, ulong spare_keys_offset,                          \
        __global uint *spare_values, ulong spare_values_offset
#define XL_SPARE_VALUES_MAKE spare.values = spare_values + spare_values_offset;
#else
#define XL_SEGMENT_SPARE XL_SORT_ARRAYS, __global XL_KEY *spare_keys, ulong spare_keys_offset
#define XL_SPARE_VALUES_MAKE
#endif
#define XL_SEGMENT_SPARE_MAKE                                                                      \
    XL_SORT_MAKE                                                                                   \
    xl_sort_out spare;                                                                             \
    spare.keys = spare_keys + spare_keys_offset;                                                   \
    XL_SPARE_VALUES_MAKE

/* The side of a segment that needs `merges` more merges, from one side to the other, to end in the
 * output. If keys are not an output, the last side has none. */
xl_sort_out xl_segment_side(xl_sort_out out, xl_sort_out spare, uint merges)
{
    const bool away = merges % 2u != 0;
    xl_sort_out side;
    side.keys = away ? spare.keys : out.keys;
#if XL_SORT_VALUES == 2
    if (merges == 0)
        side.keys = 0;
#endif
#if XL_SORT_VALUES
    side.values = away ? spare.values : out.values;
#endif
    return side;
}

/* Merges a tile of runs of 2^level tiles. */
void xl_segment_tile_merge(xl_sort_out out, xl_sort_out spare, const xl_segment_tile *t, uint level,
                           uint search_log, xl_sort_local tile, __local uint *search)
{
    const xl_sort_out from = xl_segment_side(out, spare, t->merges - level);
    xl_sort_out to = xl_segment_side(out, spare, t->merges - level - 1u);
    xl_sort_in in;
    in.keys = from.keys + t->begin;
    to.keys += t->begin;
#if XL_SORT_VALUES == 2
    if (t->merges == level + 1u)
        to.keys = 0;
#endif
#if XL_SORT_VALUES
    in.values = from.values + t->begin;
    to.values += t->begin;
#endif
    xl_tile_merge(in, to, t->number * XL_SORT_TILE, t->count, t->end - t->begin,
                  (uint)XL_SORT_TILE << level, search_log, tile, search);
}

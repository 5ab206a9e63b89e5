/* SPDX-License-Identifier: MIT
 * A tile of a sort by merges: xl_tile_sort() sorts it, xl_tile_merge() merges it from two sorted
 * runs. Bitonic networks do so; with a comparator, which costs more than moving keys, merge sorts. A
 * work-group holds the tile, or one work-item walks it. */
#include "../prelude/prelude.cl"

/* Several files need these; embedding takes each file once, so not inside a condition. */
#include "../lane/lane.cl"
#include "../prelude/prelude_bits.cl"
#include "merge_runs.cl"

#if XL_KEY_KIND == 3 && XL_SERIAL
#include "compare_serial.cl"
#elif XL_KEY_KIND == 3
#include "compare_tile.cl"
#elif XL_SERIAL
#include "bitonic_serial.cl"
#else
#include "bitonic_tile.cl"
#endif

/* Local memory of a tile, which a kernel must declare: keys and, if there are values or places,
 * words beside them. */
#if XL_KEY_KIND == 3
#define XL_SORT_LOCAL_KEY XL_KEY
#else
#define XL_SORT_LOCAL_KEY XL_ORDINAL
#endif
#define XL_SORT_HAS_WORDS (XL_SORT_VALUES || (!XL_SERIAL && XL_KEY_KIND == 3))
#define XL_SORT_DECLARE_LOCAL                                                                      \
    __local XL_SORT_LOCAL_KEY local_keys[XL_SORT_LOCAL];                                           \
    __local uint local_words[XL_SORT_HAS_WORDS ? XL_SORT_LOCAL : 1];                               \
    const xl_sort_local tile = {local_keys, local_words};

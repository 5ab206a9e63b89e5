/* SPDX-License-Identifier: MIT
 * Sorts consecutive short segments by a comparator, together in a work-group: by merges of places,
 * as any tile (compare_tile.cl). The upper half of a place says where in the tile its segment
 * begins, and is compared before the keys. At the border of two segments a merge moves nothing and
 * calls no comparator. */
#include "compare_tile.cl"
#include "segment_heads.cl"

/* Sorts a window's short segments; there must be some. */
void xl_pack_sort(xl_sort_in in, xl_sort_out out, const xl_csr *csr,
                  const xl_segment_window *window, xl_sort_local tile,
                  __local xl_pack_local *local_)
{
    const uint mine = (uint)get_local_id(0) * XL_SORT_ITEMS, count = window->end - window->begin;
    uint places[XL_SORT_ITEMS];
    xl_pack_mark(csr, window, local_);
    xl_tile_load(in, window->begin, count, tile);
    uint head = xl_pack_head(local_, mine);
#pragma unroll
    for (uint e = 0; e < XL_SORT_ITEMS; ++e) {
        const uint at = mine + e;
        head = (local_->heads[at / 32u] >> at % 32u & 1u) != 0 ? at : head;
        places[e] = head << 16 | at;
    }
    xl_places_sort(tile, places, count);
    xl_places_write(in, out, window->begin, count, tile);
}

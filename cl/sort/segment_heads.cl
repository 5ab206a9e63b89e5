/* SPDX-License-Identifier: MIT
 * Where the short segments of a window begin, in a tile that a work-group holds. */
#include "segment_windows.cl"

/* Local memory of a group, besides the tile's. */
typedef struct xl_pack_local {
    uint heads[(XL_SORT_TILE + 31) / 32]; /* bits of the elements that begin a segment */
    uint listed;
} xl_pack_local;

/* Marks where segments begin. If there are more segments than the tile has elements, most are empty:
 * each element then searches whether a segment begins there. */
void xl_pack_mark(const xl_csr *csr, const xl_segment_window *window, __local xl_pack_local *local_)
{
    const uint w = (uint)get_local_id(0), count = window->end - window->begin;
    const uint segments = window->after - window->first;
    const bool few = segments <= XL_SORT_TILE;
    for (uint i = w; i < (XL_SORT_TILE + 31) / 32; i += XL_SORT_GROUP)
        local_->heads[i] = 0;
    XL_LOCAL_BARRIER();
    for (uint i = w; i < (few ? segments : count); i += XL_SORT_GROUP) {
        const uint nth = few ? i
                             : (uint)xl_offset_search(csr->offsets + window->first, segments,
                                                      (ulong)window->begin + i, 0);
        const uint begin = xl_segment_begin(csr, window->first + nth);
        const uint end = few ? xl_segment_begin(csr, window->first + nth + 1u) : begin + 1u;
        const uint at = begin - window->begin;
        if (end > begin && at < count && (few || at == i))
            atomic_or(&local_->heads[at / 32u], 1u << at % 32u);
    }
}

/* Where the segment of element `at` begins: the last head at or before it. */
uint xl_pack_head(const __local xl_pack_local *local_, uint at)
{
    uint word = at / 32u, bits = local_->heads[word] & ((2u << at % 32u) - 1u);
    while (bits == 0 && word > 0)
        bits = local_->heads[--word];
    return word * 32u + (bits != 0 ? 31u - clz(bits) : 0);
}

/* Where the segment that begins at `at` ends: the next head, or the end of the elements. */
uint xl_pack_end(const __local xl_pack_local *local_, uint at, uint count)
{
    uint word = at / 32u, bits = local_->heads[word] & ~1u << at % 32u;
    while (bits == 0 && ++word < XL_CEIL_DIV(XL_SORT_TILE, 32))
        bits = local_->heads[word];
    return min(count, word * 32u + (uint)popcount((bits & (0u - bits)) - 1u));
}

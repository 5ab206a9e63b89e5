/* SPDX-License-Identifier: MIT
 * Makes -0 and +0 equal after a sort that distinguishes them. After that sort they are two adjacent
 * runs, each in the order of the places of its keys; here they are merged by place. Each zero finds
 * its place alone, so keys without zeros are only read twice. */
#include "../prelude/prelude_key.cl"
#include "../tile/tile_offsets.cl"

#if XL_KEY_KIND != 2
#error "XL_KEY_KIND must be 2: other keys have one zero"
#endif

/* `length`: as in cl/sort/sort_arrays.cl. offsets: NULL, or where segments begin, each of which is
 * sorted separately. */
#define XL_ZEROS_ARGUMENTS                                                                         \
    uint n_most, const __global ulong *length, ulong length_offset,                                \
        __global const XL_SEG *offsets, ulong offsets_offset, uint count, __global XL_KEY *keys,   \
        ulong keys_offset, __global uint *places, ulong places_offset, __global XL_KEY *to_keys,   \
        ulong to_keys_offset, __global uint *to_places, ulong to_places_offset
#define XL_ZEROS_MAKE                                                                              \
    const uint n = length ? (uint)min((ulong)n_most, length[length_offset]) : n_most;              \
    const uint i = (uint)get_global_id(0);                                                         \
    keys += keys_offset;                                                                           \
    places += places_offset;                                                                       \
    to_keys += to_keys_offset;                                                                     \
    to_places += to_places_offset;

/* Set field by field, and not changed as a parameter: rusticl 22.3 (llvmpipe) compiles one of the
 * two wrongly. */
typedef struct xl_range {
    uint begin, end;
} xl_range;

/* The segment of element i; empty if it is in none. */
xl_range xl_zeros_segment(__global const XL_SEG *offsets, uint count, uint n, uint i)
{
    xl_range r;
    const uint after = (uint)xl_offset_search(offsets, count, (ulong)i + 1, 0);
    r.begin = after > 0 ? (uint)min((ulong)offsets[after - 1u], (ulong)i) : i;
    r.end = after < count ? (uint)min((ulong)offsets[after], (ulong)n) : n;
    r.end = after > 0 ? max(r.end, i) : i;
    return r;
}

/* The lower bound of `key` in the sorted keys [begin, end). */
uint xl_zeros_bound(__global const XL_KEY *keys, xl_range r, XL_ORDINAL key)
{
    uint low = r.begin, high = r.end;
    while (low < high) {
        const uint middle = low + (high - low) / 2u;
        if (xl_key_map(keys[middle]) < key)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* How many of the ascending places [begin, end) are below `place`. */
uint xl_zeros_below(__global const uint *places, xl_range r, uint place)
{
    uint low = r.begin, high = r.end;
    while (low < high) {
        const uint middle = low + (high - low) / 2u;
        if (places[middle] < place)
            low = middle + 1u;
        else
            high = middle;
    }
    return low - r.begin;
}

bool xl_is_zero(XL_KEY key)
{
    return (XL_KEY)(key << 1) == 0;
}

/* Writes each zero to its place in the other arrays. If keys are not in order, because offsets do
 * not ascend, it goes to some place of its segment. */
__kernel void xl_sort_zeros_merge(XL_ZEROS_ARGUMENTS)
{
    XL_ZEROS_MAKE
    if (i >= n || !xl_is_zero(keys[i]))
        return;
    xl_range all;
    all.begin = 0;
    all.end = n;
    if (offsets)
        all = xl_zeros_segment(offsets + offsets_offset, count, n, i);
    if (all.begin > i || i >= all.end)
        return;
    const XL_ORDINAL minus = xl_key_map((XL_KEY)XL_KEY_SIGN), plus = xl_key_map(0);
    const XL_ORDINAL last = max(minus, plus);
    xl_range first, second; /* the runs of both zeros */
    first.begin = xl_zeros_bound(keys, all, min(minus, plus));
    second.begin = first.end = xl_zeros_bound(keys, all, last);
    second.end = xl_zeros_bound(keys, all, last + 1u);
    const bool is_first = i < second.begin;
    const uint others = xl_zeros_below(places, is_first ? second : first, places[i]);
    const uint own = i - min(i, is_first ? first.begin : second.begin);
    const uint to = min(first.begin + own + others, all.end - 1u);
    to_keys[to] = keys[i];
    to_places[to] = places[i];
}

/* Copies the zeros back. */
__kernel void xl_sort_zeros_copy(XL_ZEROS_ARGUMENTS)
{
    XL_ZEROS_MAKE
    if (i >= n || !xl_is_zero(keys[i]))
        return;
    if (offsets && xl_offset_search(offsets + offsets_offset, count, (ulong)i + 1, 0) == 0)
        return; /* it precedes the first segment */
    keys[i] = to_keys[i];
    places[i] = to_places[i];
}

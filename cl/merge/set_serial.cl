/* SPDX-License-Identifier: MIT
 * One work-item walks a part of the path of a set operation, on devices whose work-items run one
 * after another. No branch depends on keys. */
#include "../tile/tile_merge_arrays.cl"
#include "set_path.cl"

/* The elements that the operation takes from a part of the path. */
uint xl_set_count(const xl_runs *runs, const xl_set_part *part)
{
    uint i = part->begin.first, j = part->begin.second, pairs = 0;
    while (i < part->end.first && j < part->end.second) {
        const XL_ORDINAL a = xl_key_map(runs->first[i]), b = xl_key_map(runs->second[j]);
        const uint first = a <= b, second = b <= a;
        pairs += first & second;
        i += first;
        j += second;
    }
#if XL_MERGE_OPERATION == XL_SET_UNION
    return part->end.first - part->begin.first + (part->end.second - part->begin.second) - pairs;
#elif XL_MERGE_OPERATION == XL_SET_INTERSECTION
    return pairs;
#else
    return part->end.first - part->begin.first - pairs;
#endif
}

/* Writes these elements to [at, stop) of the output. An element that is not taken is written, too,
 * and the next one overwrites it: no branch depends on it. */
void xl_set_write(const xl_merge_in *in, const xl_merge_out *out, const xl_set_part *part, uint at,
                  uint stop)
{
    uint i = part->begin.first, j = part->begin.second;
    while (i < part->end.first && j < part->end.second && at < stop) {
        const XL_ORDINAL a = xl_key_map(in->keys.first[i]), b = xl_key_map(in->keys.second[j]);
        const uint first = a <= b, second = b <= a;
        const bool from_first = first || XL_MERGE_OPERATION != XL_SET_UNION;
        xl_set_put(in, out, at, from_first, from_first ? i : j);
        at += XL_SET_TAKES(first, second);
        i += first;
        j += second;
    }
    for (; XL_SET_TAKES(1, 0) && i < part->end.first && at < stop; ++i)
        xl_set_put(in, out, at++, true, i);
    for (; XL_SET_TAKES(0, 1) && j < part->end.second && at < stop; ++j)
        xl_set_put(in, out, at++, false, j);
}

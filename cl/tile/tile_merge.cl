/* SPDX-License-Identifier: MIT
 * Merges of two sorted runs: the merge path, the arrays, and the merge of a chunk by one work-item.
 *
 * The merge path says how many of the first d elements of a merge come from the first run (Odeh,
 * Green et al., "Merge path - parallel merging made simple", IPDPS workshops 2012). If keys are
 * equal, those of the first run come first. If a run is not sorted, the result is some number that
 * lies within both runs. */
#ifndef XL_TILE_MERGE
#define XL_TILE_MERGE

#include "../prelude/prelude_key.cl"

/* The type of the place of an element in an array, and of a number of elements: uint, unless the
 * including file defines another one. */
#ifndef XL_PLACE
#define XL_PLACE uint
#endif

/* Two sorted runs. */
typedef struct xl_runs {
    __global const XL_KEY *first;
    __global const XL_KEY *second;
    XL_PLACE first_length;
    XL_PLACE second_length;
    XL_PLACE begin; /* for tests: elements before this one exist in neither run; else 0 */
} xl_runs;

/* The part of each run that makes one tile of the merge. Indices count from the start of the
 * run. */
typedef struct xl_merge_partition {
    XL_PLACE first_begin;
    XL_PLACE second_begin;
    uint from_first;
    uint from_second;
} xl_merge_partition;

/* The bounds of the result. The lower one is computed in signed 64 bits: compilers turn the plain
 * form into a saturating subtraction, which Oclgrind 21.10 does not know. */
XL_PLACE xl_merge_path_low(const xl_runs *runs, XL_PLACE d)
{
    return (XL_PLACE)max((long)d - (long)runs->second_length, (long)runs->begin);
}

XL_PLACE xl_merge_path_high(const xl_runs *runs, XL_PLACE d)
{
    return min(d - runs->begin, runs->first_length);
}

/* Whether element i of the first run is among the first d of the merge; i must be below
 * xl_merge_path_high(). */
bool xl_merge_path_takes(const xl_runs *runs, XL_PLACE d, XL_PLACE i)
{
    return !xl_key_before(runs->second[d - 1u - i], runs->first[i]);
}

/* How many of the first d elements come from the first run. */
XL_PLACE xl_merge_path_search(const xl_runs *runs, XL_PLACE d)
{
    XL_PLACE low = xl_merge_path_low(runs, d), high = xl_merge_path_high(runs, d);
    while (low < high) {
        XL_PLACE middle = low + (high - low) / 2u;
        if (xl_merge_path_takes(runs, d, middle))
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* The tile of `count` elements from element d on. If another kernel changes the keys concurrently,
 * both ends may contradict each other: then the tile is wrong, but lies within the runs. */
xl_merge_partition xl_merge_partition_of(XL_PLACE d, uint count, XL_PLACE first_begin,
                                         XL_PLACE first_end)
{
    xl_merge_partition partition;
    first_end = clamp(first_end, first_begin, first_begin + count);
    partition.first_begin = first_begin;
    partition.second_begin = d - first_begin;
    partition.from_first = first_end - first_begin;
    partition.from_second = count - partition.from_first;
    return partition;
}

/* ---- the arrays, each at its first element, and the copy of the values of one element ---- */

#define XL_EACH_VALUE(X) XL_TIMES(XL_VALUES, X)

#define XL_MERGE_IN_VALUE(k)                                                                       \
    __global const xl_value##k *first_values##k;                                                   \
    __global const xl_value##k *second_values##k;
typedef struct xl_merge_in {
    xl_runs keys;
    XL_EACH_VALUE(XL_MERGE_IN_VALUE)
} xl_merge_in;

#define XL_MERGE_OUT_VALUE(k) __global xl_value##k *values##k;
typedef struct xl_merge_out {
    __global XL_KEY *keys;
    XL_EACH_VALUE(XL_MERGE_OUT_VALUE)
} xl_merge_out;

/* Copies the values of element `from` of one run to element `to` of the output. */
#define XL_MERGE_PUT_VALUE(k)                                                                      \
    for (uint u = 0; u < xl_value##k##_units; ++u)                                                 \
        out->values##k[(size_t)to * xl_value##k##_units + u] =                                     \
            (from_first ? in->first_values##k                                                      \
                        : in->second_values##k)[(size_t)from * xl_value##k##_units + u];
void xl_merge_put_values(const xl_merge_in *in, const xl_merge_out *out, XL_PLACE to,
                         bool from_first, XL_PLACE from)
{
    XL_EACH_VALUE(XL_MERGE_PUT_VALUE)
}

/* ---- one work-item merges a chunk ---- */

/* For devices whose work-items run one after another. The work-item cuts the chunk into pieces and
 * merges these in turns: a step depends on the previous step of its piece only, so that the steps of
 * several pieces overlap. No branch depends on keys.
 *
 * The including file defines the macro xl_merge_has_keys(out): whether keys are written. */
#ifdef xl_merge_has_keys

#define XL_MERGE_PIECES 4
/* For fewer steps the search for the next end of a run takes longer than it saves. */
#define XL_MERGE_LEAST_STEPS 8

/* Elements [i, i_end) of the first run and [j, j_end) of the second. */
typedef struct xl_merge_piece {
    uint i, j, i_end, j_end;
} xl_merge_piece;

/* Writes element `at`, if either run may have ended. */
void xl_merge_step(const xl_merge_in *in, const xl_merge_out *out, XL_PLACE at, xl_merge_piece *p)
{
    const bool from_first =
        p->i < p->i_end &&
        (p->j >= p->j_end || !xl_key_before(in->keys.second[p->j], in->keys.first[p->i]));
    if (xl_merge_has_keys(out))
        out->keys[at] = from_first ? in->keys.first[p->i] : in->keys.second[p->j];
    xl_merge_put_values(in, out, at, from_first, from_first ? p->i : p->j);
    p->i += from_first;
    p->j += !from_first;
}

/* Writes element `at`, if no run has ended: both keys may be loaded. */
void xl_merge_quick_step(const xl_merge_in *in, const xl_merge_out *out, XL_PLACE at,
                         xl_merge_piece *p)
{
    const XL_KEY a = in->keys.first[p->i], b = in->keys.second[p->j];
    const uint from_first = !xl_key_before(b, a);
    if (xl_merge_has_keys(out))
        out->keys[at] = from_first ? a : b;
    xl_merge_put_values(in, out, at, from_first, from_first ? p->i : p->j);
    p->i += from_first;
    p->j += 1u - from_first;
}

/* The number of steps, up to `most`, during which no run of a piece ends. */
uint xl_merge_steps(const xl_merge_piece *pieces, uint most)
{
#pragma unroll
    for (uint k = 0; k < XL_MERGE_PIECES; ++k)
        most = min(most, min(pieces[k].i_end - pieces[k].i, pieces[k].j_end - pieces[k].j));
    return most;
}

/* Merges `in` into elements [first, first + count) of the output. */
void xl_merge_pieces(const xl_merge_in *in, const xl_merge_out *out, XL_PLACE first, uint count)
{
    const uint length = count / XL_MERGE_PIECES;
    xl_merge_piece p[XL_MERGE_PIECES];
    XL_PLACE end = 0;
#pragma unroll
    for (uint k = 0; k < XL_MERGE_PIECES; ++k) {
        const uint d = (k + 1) * length;
        p[k].i = end;
        p[k].j = k * length - end;
        end = clamp(xl_merge_path_search(&in->keys, d), end, end + length);
        p[k].i_end = end;
        p[k].j_end = d - end;
    }
    uint at = 0;
    for (uint steps = xl_merge_steps(p, length); steps >= XL_MERGE_LEAST_STEPS;
         steps = xl_merge_steps(p, length - at))
        for (const uint stop = at + steps; at < stop; ++at)
#pragma unroll
            for (uint k = 0; k < XL_MERGE_PIECES; ++k)
                xl_merge_quick_step(in, out, first + k * length + at, &p[k]);
    for (; at < length; ++at)
#pragma unroll
        for (uint k = 0; k < XL_MERGE_PIECES; ++k)
            xl_merge_step(in, out, first + k * length + at, &p[k]);
    xl_merge_piece rest = p[XL_MERGE_PIECES - 1];
    rest.i_end = in->keys.first_length;
    rest.j_end = in->keys.second_length;
    for (at = XL_MERGE_PIECES * length; at < count; ++at)
        xl_merge_step(in, out, first + at, &rest);
}

#define XL_MERGE_SKIP_VALUES(k)                                                                    \
    in.first_values##k += (size_t)part.first_begin * xl_value##k##_units;                          \
    in.second_values##k += (size_t)part.second_begin * xl_value##k##_units;

/* Writes elements [first, first + count) of the output. */
void xl_merge_chunk(xl_merge_in in, const xl_merge_out *out, XL_PLACE first, uint count)
{
    const xl_merge_partition part =
        xl_merge_partition_of(first, count, xl_merge_path_search(&in.keys, first),
                              xl_merge_path_search(&in.keys, first + count));
    in.keys.first += part.first_begin;
    in.keys.second += part.second_begin;
    in.keys.first_length = part.from_first;
    in.keys.second_length = part.from_second;
    in.keys.begin = 0;
    XL_EACH_VALUE(XL_MERGE_SKIP_VALUES)
    xl_merge_pieces(&in, out, first, count);
}
#endif

#endif

/* SPDX-License-Identifier: MIT
 * One work-item merges a chunk, on devices whose work-items run one after another. It cuts the
 * chunk into pieces and merges these in turns: a step depends on the previous step of its piece
 * only, so that the steps of several pieces overlap. No branch depends on keys.
 *
 * The including file defines xl_merge_has_keys(out): whether keys are written. */
#include "tile_merge_arrays.cl"

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
#if XL_LARGE
    in.keys.begin = 0;
#endif
    XL_EACH_VALUE(XL_MERGE_SKIP_VALUES)
    xl_merge_pieces(&in, out, first, count);
}

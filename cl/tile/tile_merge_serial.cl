/* SPDX-License-Identifier: MIT
 * Merges a chunk by one work-item, for devices whose work-items run one after another. The chunk is
 * divided into a few pieces, whose steps alternate: a step of a merge waits for the step before it,
 * but not for steps of other pieces, and has no branch that depends on keys. */
#include "tile_merge_arrays.cl"

#define XL_MERGE_PIECES 4
/* If fewer steps can be done at once, counting them does not pay. */
#define XL_MERGE_LEAST_STEPS 8

/* Elements i to i_end - 1 of the first run and j to j_end - 1 of the second. */
typedef struct xl_merge_piece {
    uint i, j, i_end, j_end;
} xl_merge_piece;

void xl_merge_put(const xl_merge_in *in, const xl_merge_out *out, uint at, uint i, uint j,
                  bool from_first)
{
    if (XL_MERGE_VALUES < 2 || out->keys)
        out->keys[at] = from_first ? in->keys.first[i] : in->keys.second[j];
#if XL_MERGE_VALUES
    out->values[at] = from_first ? in->first_values[i] : in->second_values[j];
#endif
}

/* Writes element `at`; one of the runs may have ended. */
void xl_merge_step(const xl_merge_in *in, const xl_merge_out *out, uint at, xl_merge_piece *p)
{
    const bool from_first =
        p->i < p->i_end &&
        (p->j >= p->j_end || !xl_key_before(in->keys.second[p->j], in->keys.first[p->i]));
    xl_merge_put(in, out, at, p->i, p->j, from_first);
    p->i += from_first;
    p->j += !from_first;
}

/* The same if neither run has ended: both keys can be loaded. */
void xl_merge_quick_step(const xl_merge_in *in, const xl_merge_out *out, uint at, xl_merge_piece *p)
{
    const XL_KEY a = in->keys.first[p->i], b = in->keys.second[p->j];
    const uint from_first = !xl_key_before(b, a);
    if (XL_MERGE_VALUES < 2 || out->keys)
        out->keys[at] = from_first ? a : b;
#if XL_MERGE_VALUES
    out->values[at] = *(from_first ? in->first_values + p->i : in->second_values + p->j);
#endif
    p->i += from_first;
    p->j += 1u - from_first;
}

/* The number of steps, at most `most`, that every piece can do before one of its runs ends. */
uint xl_merge_steps(const xl_merge_piece *pieces, uint most)
{
#pragma unroll
    for (uint k = 0; k < XL_MERGE_PIECES; ++k)
        most = min(most, min(pieces[k].i_end - pieces[k].i, pieces[k].j_end - pieces[k].j));
    return most;
}

/* Merges `in` into elements [first, first + count) of the output. */
void xl_merge_pieces(const xl_merge_in *in, const xl_merge_out *out, uint first, uint count)
{
    const uint length = count / XL_MERGE_PIECES;
    xl_merge_piece p[XL_MERGE_PIECES];
    uint end = 0;
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

/* Writes elements [first, first + count) of the output. */
void xl_merge_chunk(xl_merge_in in, const xl_merge_out *out, uint first, uint count)
{
    const xl_merge_partition part =
        xl_merge_partition_of(first, count, xl_merge_path_search(&in.keys, first),
                              xl_merge_path_search(&in.keys, first + count));
    in.keys.first += part.first_begin;
    in.keys.second += part.second_begin;
    in.keys.first_length = part.from_first;
    in.keys.second_length = part.from_second;
#if XL_MERGE_VALUES
    in.first_values += part.first_begin;
    in.second_values += part.second_begin;
#endif
    xl_merge_pieces(&in, out, first, count);
}

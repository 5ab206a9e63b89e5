/* SPDX-License-Identifier: MIT
 * The k nearest points by work-items that walk (neighbors_walk.cl), for CPUs and k up to 64: a block
 * of queries of one row collects its candidates together, with one reach. Each query computes all
 * their distances, finds a limit below which there are little more than k, stores the keys of these
 * and ranks them in vectors.
 *
 * A block whose reach was too short for some queries is walked again, with a longer reach. A query
 * that has too many keys, or none after some walks, is searched alone (nearest_walk.cl). The
 * distances found give the reach of the next block. */
#ifndef XL_NEAREST_BLOCK
#define XL_NEAREST_BLOCK

/* A block may have a shorter reach than the previous one. */
#define XL_WALK_REACH_VARIES 1
#define XL_WALK_CUTS 1
#include "../neighbors/neighbors_walk.cl"
#include "nearest_walk.cl"

#if XL_WALK > 0

/* The most keys of a query: a multiple of 32, at most XL_WALK_RANKED; and the most walks of a block. */
#define XL_NEAREST_ROOM ((2u * XL_K + 31u) / 32u * 32u + 64u)
#define XL_NEAREST_WALKS 6u
/* The reach of a block is the longest that the previous block needed, times this factor. */
#define XL_NEAREST_SLACK ((xl_real)1.0625f)

/* Keys in the order of the walk, as two arrays: the bits of the squared distance, and the index. */
typedef struct xl_nearest_keys {
    uint n; /* above XL_NEAREST_ROOM: too many */
    xl_real_bits bits[XL_NEAREST_ROOM + 40];
    uint index[XL_NEAREST_ROOM + 40];
} xl_nearest_keys;

/* Computes the squared distances of query j from all candidates. Returns how many are below the
 * limit. */
uint xl_nearest_measure(const xl_walk *walk, uint j, const xl_candidates *candidates, xl_real limit,
                        xl_real *distances2)
{
    int8 below = 0;
    for (uint i = 0; i < candidates->images; ++i) {
        const xl_real4 shift = XL_PERIODIC ? candidates->image[i].shift : (xl_real4)(0);
        const uint end = xl_walk_align(candidates->image[i].end);
        for (uint at = candidates->image[i].begin; at < end; at += 8) {
            const xl_real8 distance2 = xl_walk_distances2(walk, j, candidates, shift, at);
            vstore8(distance2, 0, distances2 + at);
            below -= xl_walk_int8(distance2 < limit);
        }
    }
    return xl_walk_sum(below);
}

uint xl_nearest_below(const xl_real *distances2, uint end, xl_real limit)
{
    int8 below = 0;
    for (uint at = 0; at < end; at += 8)
        below -= xl_walk_int8(vload8(0, distances2 + at) < limit);
    return xl_walk_sum(below);
}

/* Bit k of 32: the number at + k is below the limit. */
uint xl_nearest_mask(const xl_real *distances2, uint at, xl_real limit)
{
    return xl_walk_bits(xl_walk_int8(vload8(0, distances2 + at) < limit),
                        xl_walk_int8(vload8(0, distances2 + at + 8) < limit),
                        xl_walk_int8(vload8(0, distances2 + at + 16) < limit),
                        xl_walk_int8(vload8(0, distances2 + at + 24) < limit));
}

/* Lowers the limit of a query as long as more than k candidates (k and the query itself) are below
 * it, so that few more are: those that are dropped are no neighbours. `below` candidates are below
 * `likely`, the first guess. */
xl_real xl_nearest_lower(const xl_real *distances2, uint end, xl_real limit, xl_real likely,
                         uint below)
{
    for (uint tries = 0; tries < 3; ++tries) {
        limit = below > XL_K ? fmin(limit, likely) : limit;
        if (below > XL_K && below <= XL_K + 1 + XL_K / 4)
            return limit;
        const xl_real lacks = (xl_real)(XL_K + 2 + XL_K / 8) - (xl_real)below;
        likely *= 1.0f + lacks / (xl_real)(below + 1) * 0.7f;
        if (likely >= limit)
            return limit;
        below = xl_nearest_below(distances2, end, likely);
    }
    return below > XL_K ? likely : limit;
}

/* Appends the keys of the candidates whose squared distances are below the limit of query j. */
void xl_nearest_keys_take(xl_nearest_keys *keys, uint self, const xl_candidates *candidates,
                          const xl_real *distances2, xl_real limit)
{
    uint n = keys->n;
    for (uint i = 0; i < candidates->images; ++i) {
        const bool keeps = xl_walk_keeps(candidates->image[i].shift);
        const uint end = candidates->image[i].end;
        for (uint at = candidates->image[i].begin; at < end && n <= XL_NEAREST_ROOM; at += 64) {
            ulong near = xl_nearest_mask(distances2, at, limit);
            if (at + 32 < end)
                near |= (ulong)xl_nearest_mask(distances2, at + 32, limit) << 32;
            while (near != 0 && n <= XL_NEAREST_ROOM) {
                const uint k = at + (uint)popcount(~near & (near - 1)),
                           other = candidates->index[k];
                keys->bits[n] = xl_bits_of_real(distances2[k]);
                keys->index[n] = other;
                n += keeps || other != self ? 1 : 0;
                near &= near - 1;
            }
        }
    }
    keys->n = n;
}

/* Bits of squared distances as signed integers, which vectors compare faster. */
#if XL_F64
typedef long xl_nearest_int;
#else
typedef int xl_nearest_int;
#endif

/* Sets places[k] to the number of keys whose bits are smaller than those of key k. */
void xl_nearest_keys_rank(const xl_nearest_keys *keys, uint *places)
{
    const uint n = keys->n;
    const xl_nearest_int *const bits = (const xl_nearest_int *)keys->bits;
    for (uint from = 0; from < n; from += 40) {
        const xl_walk_flags a = vload8(0, bits + from);
        const xl_walk_flags b = vload8(0, bits + from + 8);
        const xl_walk_flags c = vload8(0, bits + from + 16);
        const xl_walk_flags d = vload8(0, bits + from + 24);
        const xl_walk_flags e = vload8(0, bits + from + 32);
        xl_walk_flags smaller_a = 0, smaller_b = 0, smaller_c = 0, smaller_d = 0, smaller_e = 0;
        for (uint k = 0; k < n; ++k) {
            const xl_walk_flags other = (xl_walk_flags)(bits[k]);
            smaller_a -= other < a;
            smaller_b -= other < b;
            smaller_c -= other < c;
            smaller_d -= other < d;
            smaller_e -= other < e;
        }
        vstore8(as_uint8(xl_walk_int8(smaller_a)), 0, places + from);
        vstore8(as_uint8(xl_walk_int8(smaller_b)), 0, places + from + 8);
        vstore8(as_uint8(xl_walk_int8(smaller_c)), 0, places + from + 16);
        vstore8(as_uint8(xl_walk_int8(smaller_d)), 0, places + from + 24);
        vstore8(as_uint8(xl_walk_int8(smaller_e)), 0, places + from + 32);
    }
}

/* Puts keys into the order of rows. */
void xl_nearest_keys_order(const xl_nearest_keys *keys, xl_nearest_keys *row)
{
    const uint n = row->n = keys->n;
    uint places[XL_NEAREST_ROOM + 40], sum = 0;
    xl_nearest_keys_rank(keys, places);
    for (uint k = 0; k < n; ++k)
        sum += places[k];
    const bool differ = sum == n * (n - 1) / 2;
    if (!differ)
        xl_walk_spread(n, places);
    for (uint k = 0; k < n; ++k) {
        row->bits[places[k]] = keys->bits[k];
        row->index[places[k]] = keys->index[k];
    }
    for (uint p = 1; p < n && !differ; ++p)
        for (uint q = p;
             q > 0 && row->bits[q - 1] == row->bits[q] && row->index[q - 1] > row->index[q]; --q) {
            const uint before = row->index[q - 1];
            row->index[q - 1] = row->index[q];
            row->index[q] = before;
        }
}

/* Writes the row that begins at `at`. Only keys below the limit are neighbours. */
void xl_nearest_keys_put(xl_nearest_keys *row, xl_nearest_item limit, __global uint *indices,
                         __global xl_real *distances2, ulong at)
{
    uint n = min(row->n, (uint)XL_K);
    while (n > 0 &&
           !xl_nearest_less(xl_nearest_key(xl_real_of_bits(row->bits[n - 1]), row->index[n - 1]),
                            limit))
        --n;
    for (uint p = n; p < XL_K; ++p) {
        row->bits[p] = xl_bits_of_real(INFINITY);
        row->index[p] = UINT_MAX;
    }
    for (uint p = 0; p < XL_K; ++p)
        indices[at + p] = row->index[p];
    for (uint p = 0; p < XL_K && distances2; ++p)
        distances2[at + p] = xl_real_of_bits(row->bits[p]);
}

/* The state of a block. Bit j of the masks is query j. */
typedef struct xl_nearest_block {
    xl_real reach;   /* of this walk */
    xl_real longest; /* the longest reach that a row needed; 0: no row is complete */
    uint open;       /* queries without a row */
    uint alone;      /* queries that are searched alone */
    uint least;      /* the fewest keys of an open query */
    xl_real likely;  /* a squared distance below which a query probably has its neighbours */
} xl_nearest_block;

/* Ranks the keys of an open query and writes its row if the walk has found all of it. */
void xl_nearest_block_put(xl_nearest_block *block, const xl_search *s, const xl_walk *walk, uint j,
                          xl_nearest_keys *keys, const xl_nearest_rows *rows)
{
    const bool all = block->reach >= xl_nearest_reach(s->radius2);
    block->least = min(block->least, keys->n);
    if (keys->n > XL_NEAREST_ROOM) {
        block->alone |= 1u << j;
        return;
    }
    xl_nearest_keys row;
    xl_nearest_keys_order(keys, &row);
    const xl_real needed =
        keys->n < XL_K ? (xl_real)INFINITY : xl_nearest_reach(xl_real_of_bits(row.bits[XL_K - 1]));
    if (needed > block->reach && !all)
        return;
    xl_nearest_keys_put(&row, xl_nearest_limit(s->radius2), rows->indices, rows->distances2,
                        (ulong)(walk->index[j] - rows->first) * XL_K);
    block->longest = needed < INFINITY ? fmax(block->longest, needed) : block->longest;
    block->open &= ~(1u << j);
}

/* Walks once around the open queries. */
void xl_nearest_block_walk(xl_nearest_block *block, const xl_search *s, xl_walk *walk,
                           const xl_nearest_rows *rows)
{
    xl_candidates candidates;
    xl_nearest_keys keys[XL_WALK_QUERIES];
    const xl_real radius2 = block->reach * block->reach;
    uint room = block->open & ~block->alone;
    xl_real limit[XL_WALK_QUERIES], distances2[XL_WALK_ROOM + 32];
    for (uint j = 0; j < XL_WALK_QUERIES; ++j) {
        keys[j].n = 0;
        limit[j] = radius2;
    }
    block->likely = radius2 * 0.75f;
    block->least = UINT_MAX;
    xl_walk_rewind(walk);
    while (room != 0 && xl_walk_collect(walk, s, &candidates))
        for (uint j = 0; j < walk->queries; ++j) {
            if (!(room >> j & 1))
                continue;
            const xl_real likely = fmin(block->likely, limit[j]);
            const uint below = xl_nearest_measure(walk, j, &candidates, likely, distances2);
            limit[j] =
                xl_nearest_lower(distances2, xl_walk_align(candidates.n), limit[j], likely, below);
            block->likely = limit[j] < radius2 ? limit[j] : block->likely;
            xl_nearest_keys_take(&keys[j], walk->index[j], &candidates, distances2, limit[j]);
            room &= keys[j].n > XL_NEAREST_ROOM ? ~(1u << j) : UINT_MAX;
        }
    for (uint j = 0; j < walk->queries; ++j)
        if ((block->open & ~block->alone) >> j & 1)
            xl_nearest_block_put(block, s, walk, j, &keys[j], rows);
}

/* The queries of a block that have rows in this call, and those among them that cannot be searched
 * together with others. */
void xl_nearest_block_begin(xl_nearest_block *block, const xl_search *s, const xl_walk *walk,
                            const xl_nearest_rows *rows)
{
    block->open = block->alone = 0;
    block->longest = 0;
    for (uint j = 0; j < walk->queries; ++j) {
        const xl_query query = xl_query_load(s, walk->at + j);
        const xl_real4 p = xl_query_position(&query);
        if (walk->index[j] - rows->first >= rows->num)
            continue;
        block->open |= 1u << j;
        if (XL_GIVEN && (!xl_real4_finite(p) || xl_search_is_far(s, p)))
            block->alone |= 1u << j;
    }
}

/* The reach of the next walk of a block, of which `least` keys are too few. */
xl_real xl_nearest_longer(const xl_search *s, xl_real reach, uint least)
{
    const xl_real factor = cbrt((xl_real)(2.0f * XL_K + 2.0f) / (xl_real)(least + 1u));
    return fmin(reach * clamp(factor, (xl_real)1.125f, (xl_real)2), xl_nearest_reach(s->radius2));
}

/* Whether the square of a reach is a normal number. */
bool xl_nearest_has_square(xl_real reach)
{
#if XL_F64
    return reach > 0x1p-500 && reach < 0x1p+500;
#else
    return reach > 0x1p-60f && reach < 0x1p+60f;
#endif
}

/* The reach of the first walk around query k, which may be no reach at all. */
xl_real xl_nearest_block_reach(const xl_search *s, uint k)
{
    const xl_query query = xl_query_load(s, k);
    const xl_nearest_walk walk = xl_nearest_begin(s, &query);
    if (!xl_real4_finite(walk.at) || !xl_nearest_has_points(s, walk.at) ||
        xl_search_is_far(s, walk.at))
        return 0;
    return xl_nearest_first(&walk, s);
}

/* Finds the rows of the next block of queries with the search `around`, which is `s` but for its
 * reach: that of this block, then of the next one. Returns the queries that are left, as bits. */
uint xl_nearest_block_find(xl_walk *walk, const xl_search *s, xl_search *around,
                           const xl_nearest_rows *rows)
{
    xl_nearest_block block;
    if (!xl_nearest_has_square(around->reach))
        around->reach = xl_nearest_block_reach(s, walk->at + walk->queries);
    (void)xl_walk_next(walk, around);
    xl_nearest_block_begin(&block, s, walk, rows);
    for (uint walks = 0; walks < XL_NEAREST_WALKS && (block.open & ~block.alone) != 0 &&
                         xl_nearest_has_square(around->reach);
         ++walks) {
        if (walks > 0) {
            walk->queries = 0;
            (void)xl_walk_next(walk, around);
        }
        block.reach = around->reach;
        xl_nearest_block_walk(&block, around, walk, rows);
        if ((block.open & ~block.alone) != 0)
            around->reach = xl_nearest_longer(s, block.reach, block.least);
    }
    around->reach = block.longest * XL_NEAREST_SLACK;
    return block.open;
}

#endif
#endif

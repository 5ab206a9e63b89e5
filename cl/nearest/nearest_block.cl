/* SPDX-License-Identifier: MIT
 * The k nearest points by work-items that walk (neighbors_walk.cl), for CPUs and k up to 64: a block
 * of queries of one row collects its candidates together, with one reach. Each query stores the keys
 * of those within the reach and ranks them in vectors.
 *
 * A block whose reach was too short for some queries is walked again, with a longer reach. A query
 * that has too many keys, or none after some walks, is searched alone (nearest_walk.cl). The
 * distances found give the reach of the next block. */
#ifndef XL_NEAREST_BLOCK
#define XL_NEAREST_BLOCK

/* A block may have a shorter reach than the previous one. */
#define XL_WALK_REACH_VARIES 1
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
    xl_real_bits bits[XL_NEAREST_ROOM + 32];
    uint index[XL_NEAREST_ROOM + 32];
} xl_nearest_keys;

/* Appends the keys of the candidates within the reach of query j. */
void xl_nearest_keys_take(xl_nearest_keys *keys, const xl_walk *walk, uint j,
                          const xl_candidates *candidates, xl_real radius2)
{
    const uint self = walk->index[j];
    for (uint i = 0; i < candidates->images; ++i) {
        const xl_real4 shift = candidates->image[i].shift;
        const bool keeps = xl_walk_keeps(shift);
        for (uint at = candidates->image[i].begin; at < candidates->image[i].end; at += 32) {
            uint near = xl_walk_mask(walk, j, candidates, shift, at, radius2);
            while (near != 0 && keys->n <= XL_NEAREST_ROOM) {
                const uint k = at + 31 - clz(near & (0 - near)), other = candidates->index[k];
                keys->bits[keys->n] =
                    xl_bits_of_real(xl_walk_distance2(walk, j, candidates, shift, k));
                keys->index[keys->n] = other;
                keys->n += keeps || other != self ? 1 : 0;
                near &= near - 1;
            }
        }
    }
}

/* Sets places[k] to the number of keys whose bits are smaller than those of key k. */
void xl_nearest_keys_rank(const xl_nearest_keys *keys, uint *places)
{
#if XL_F64
    for (uint from = 0; from < keys->n; from += 8) {
        const long8 mine = as_long8(vload8(0, keys->bits + from));
        long8 smaller = 0;
        for (uint k = 0; k < keys->n; ++k)
            smaller -= (long8)((long)keys->bits[k]) < mine;
        vstore8(convert_uint8(smaller), 0, places + from);
    }
#else
    xl_walk_rank(keys->bits, keys->n, places);
#endif
}

/* Sets order[p] to the number of the key that has place p. */
void xl_nearest_keys_order(const xl_nearest_keys *keys, uint *order)
{
    const uint n = keys->n;
    uint places[XL_NEAREST_ROOM], sum = 0;
    xl_nearest_keys_rank(keys, places);
    for (uint k = 0; k < n; ++k)
        sum += places[k];
    const bool differ = sum == n * (n - 1) / 2;
    if (!differ)
        xl_walk_spread(n, places);
    for (uint k = 0; k < n; ++k)
        order[places[k]] = k;
    for (uint p = 1; p < n && !differ; ++p)
        for (uint q = p; q > 0 && keys->bits[order[q - 1]] == keys->bits[order[q]] &&
                         keys->index[order[q - 1]] > keys->index[order[q]];
             --q) {
            const uint before = order[q - 1];
            order[q - 1] = order[q];
            order[q] = before;
        }
}

/* Writes the row that begins at `at`. Only keys below the limit are neighbours. */
void xl_nearest_keys_put(const xl_nearest_keys *keys, const uint *order, xl_nearest_item limit,
                         __global uint *indices, __global xl_real *distances2, ulong at)
{
    for (uint p = 0; p < XL_K; ++p) {
        const uint k = p < keys->n ? order[p] : 0;
        const xl_real distance2 = xl_real_of_bits(keys->bits[k]);
        const bool is_neighbor =
            p < keys->n && xl_nearest_less(xl_nearest_key(distance2, keys->index[k]), limit);
        indices[at + p] = is_neighbor ? keys->index[k] : UINT_MAX;
        if (distances2)
            distances2[at + p] = is_neighbor ? distance2 : (xl_real)INFINITY;
    }
}

/* The state of a block. Bit j of the masks is query j. */
typedef struct xl_nearest_block {
    xl_real reach;   /* of this walk */
    xl_real longest; /* the longest reach that a row needed; 0: no row is complete */
    uint open;       /* queries without a row */
    uint alone;      /* queries that are searched alone */
    uint least;      /* the fewest keys of an open query */
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
    uint order[XL_NEAREST_ROOM];
    xl_nearest_keys_order(keys, order);
    const xl_real needed = keys->n < XL_K
                               ? (xl_real)INFINITY
                               : xl_nearest_reach(xl_real_of_bits(keys->bits[order[XL_K - 1]]));
    if (needed > block->reach && !all)
        return;
    xl_nearest_keys_put(keys, order, xl_nearest_limit(s->radius2), rows->indices, rows->distances2,
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
    for (uint j = 0; j < XL_WALK_QUERIES; ++j)
        keys[j].n = 0;
    block->least = UINT_MAX;
    xl_walk_rewind(walk);
    while (room != 0 && xl_walk_collect(walk, s, &candidates))
        for (uint j = 0; j < walk->queries; ++j) {
            if (!(room >> j & 1))
                continue;
            xl_nearest_keys_take(&keys[j], walk, j, &candidates, radius2);
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
        around->reach = xl_nearest_longer(s, block.reach, block.least);
    }
    around->reach = block.longest * XL_NEAREST_SLACK;
    return block.open;
}

#endif
#endif

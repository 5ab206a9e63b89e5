/* SPDX-License-Identifier: MIT
 * Fills the rows of a list by work-items that walk (neighbors_walk.cl): indices and, with details,
 * the distance, the vector and the shift of each pair.
 *
 * A short row is collected in private memory in the order of the walk, sorted, and written together
 * with the other short rows of its block. */
#include "neighbors_rows.cl"
#include "neighbors_walk.cl"

#if XL_WALK > 0

/* Maximum length of a short row, a multiple of 64. */
#define XL_WALK_SHORT 1024u
/* Maximum number of pairs that are written together, at least XL_WALK_SHORT. */
#define XL_WALK_PENDING 1024u
/* Whether short rows may need more than indices: for details, and to find the nearest. */
#define XL_STAGED_MORE (XL_DETAILS || XL_ROW_ROOM == 2)

/* ---- writing ------------------------------------------------------------------------------- */

/* The finished short rows of a block, which are copied to the list in vectors when the block is
 * done. A vector load that soon follows scalar stores to the same place waits until these are in
 * the cache, and stores to rows anywhere in the list are slow. */
typedef struct xl_pending {
    const xl_rows *list;
    const xl_details *of; /* NULL: only indices are written */
    uint rows, n;         /* pending rows, and their pairs */
    uint first[XL_WALK_QUERIES], count[XL_WALK_QUERIES];
    ulong begin[XL_WALK_QUERIES]; /* where the row begins in the list */
    uint index[XL_WALK_PENDING + 8];
#if XL_DETAILS
    xl_real distances2[XL_WALK_PENDING], vectors[3 * XL_WALK_PENDING];
    int shifts[3 *
               (XL_REPEATS ? XL_WALK_PENDING : XL_WALK_SHORT)]; /* not periodic: zeros of one row */
#endif
} xl_pending;

void xl_pending_begin(xl_pending *pending, const xl_rows *list, const xl_details *of)
{
    pending->list = list;
    pending->of = of;
    pending->rows = pending->n = 0;
#if XL_DETAILS && !XL_REPEATS
    for (uint k = 0; k < 3 * XL_WALK_SHORT && of; k += 8)
        vstore8((int8)(0), 0, pending->shifts + k);
#endif
}

/* Copies n elements in vectors; the last vector may overlap the one before. */
#define XL_WALK_COPY(from, n, to)                                                                  \
    {                                                                                              \
        uint k = 0;                                                                                \
        for (; k + 8 <= (n); k += 8)                                                               \
            vstore8(vload8(0, (from) + k), 0, (to) + k);                                           \
        if ((n) >= 8)                                                                              \
            vstore8(vload8(0, (from) + (n)-8), 0, (to) + (n)-8);                                   \
        else                                                                                       \
            for (; k < (n); ++k)                                                                   \
                (to)[k] = (from)[k];                                                               \
    }

void xl_pending_write(xl_pending *pending)
{
    for (uint row = 0; row < pending->rows; ++row) {
        const uint first = pending->first[row], count = pending->count[row];
        const ulong begin = pending->begin[row];
        XL_WALK_COPY(pending->index + first, count, pending->list->indices + begin)
#if XL_DETAILS
        const xl_details *const of = pending->of;
        if (!of)
            continue;
        const uint d = of->dimensions, from = XL_REPEATS ? d * first : 0;
        if (of->wanted & XL_WANTS_DISTANCES)
            XL_WALK_COPY(pending->distances2 + first, count, of->distances2 + begin)
        if (of->wanted & XL_WANTS_VECTORS)
            XL_WALK_COPY(pending->vectors + d * first, d * count, of->vectors + d * begin)
        if (of->wanted & XL_WANTS_SHIFTS)
            XL_WALK_COPY(pending->shifts + from, d * count, of->shifts + d * begin)
#endif
    }
    pending->rows = pending->n = 0;
}

/* Adds a row of `count` pairs. Returns the place of its first pair. */
uint xl_pending_add(xl_pending *pending, ulong begin, uint count)
{
    if (pending->n + count > XL_WALK_PENDING)
        xl_pending_write(pending);
    const uint first = pending->n, row = pending->rows++;
    pending->first[row] = first;
    pending->count[row] = count;
    pending->begin[row] = begin;
    pending->n += count;
    return first;
}

/* ---- finding pairs ------------------------------------------------------------------------- */

/* The pairs of a short row in the order of the walk: the neighbour and, with details, the vector to
 * its image and the image. */
typedef struct xl_staged {
    uint index[XL_WALK_SHORT];
#if XL_ROW_ROOM == 2
    xl_real distance2[XL_WALK_SHORT]; /* of a row that is too long */
#endif
#if XL_DETAILS
    xl_real x[XL_WALK_SHORT], y[XL_WALK_SHORT], z[XL_WALK_SHORT];
#endif
#if XL_DETAILS && XL_REPEATS
    int4 image[XL_WALK_SHORT];
#endif
} xl_staged;

/* Appends the neighbours of query j among the candidates to `row`, of `count` indices. The query
 * itself is also stored, without a branch, and then overwritten by the next neighbour. */
uint xl_walk_take(const xl_walk *walk, uint j, const xl_candidates *candidates, xl_real radius2,
                  uint *row, uint room, uint count)
{
    const uint self = walk->index[j];
    XL_WALK_TAKE(count < room, row[count] = other; count += keeps || other != self ? 1 : 0;)
    return count;
}

uint xl_walk_take_long(const xl_walk *walk, uint j, const xl_candidates *candidates,
                       xl_real radius2, __global uint *row, uint room, uint count)
{
    const uint self = walk->index[j];
    XL_WALK_TAKE(count < room, if (keeps || other != self) row[count++] = other;)
    return count;
}

#if XL_STAGED_MORE
void xl_staged_set(xl_staged *staged, uint at, const xl_walk *walk, uint j,
                   const xl_candidates *candidates, const xl_candidate_image *image, uint k)
{
    staged->index[at] = candidates->index[k];
    const xl_real x = -((walk->x[j] - candidates->x[k]) - image->shift.x);
    const xl_real y = -((walk->y[j] - candidates->y[k]) - image->shift.y);
    const xl_real z = -((walk->z[j] - candidates->z[k]) - image->shift.z);
#if XL_ROW_ROOM == 2
    staged->distance2[at] = (x * x + y * y) + z * z;
#endif
#if XL_DETAILS
    staged->x[at] = x;
    staged->y[at] = y;
    staged->z[at] = z;
#endif
#if XL_DETAILS && XL_REPEATS
    staged->image[at] = image->image;
#endif
#if XL_WRAP
    staged->image[at] +=
        walk->move[j] - xl_grid_move(candidates->sorted, candidates->points, candidates->place[k]);
#endif
}

/* As xl_walk_take(), with vectors and images. */
uint xl_walk_take_pairs(const xl_walk *walk, uint j, const xl_candidates *candidates,
                        xl_real radius2, xl_staged *staged, uint room, uint count)
{
    const uint self = walk->index[j];
    XL_WALK_TAKE(count < room, xl_staged_set(staged, count, walk, j, candidates, image, k);
                 count += keeps || other != self ? 1 : 0;)
    return count;
}
#endif

uint xl_walk_take_staged(const xl_walk *walk, uint j, const xl_candidates *candidates,
                         xl_real radius2, xl_staged *staged, bool more, uint room, uint count)
{
#if XL_STAGED_MORE
    if (more)
        return xl_walk_take_pairs(walk, j, candidates, radius2, staged, room, count);
#endif
    return xl_walk_take(walk, j, candidates, radius2, staged->index, room, count);
}

/* ---- the nearest --------------------------------------------------------------------------- */

#if XL_ROW_ROOM == 2
void xl_staged_move(xl_staged *staged, uint from, uint to)
{
    staged->index[to] = staged->index[from];
#if XL_DETAILS
    staged->x[to] = staged->x[from];
    staged->y[to] = staged->y[from];
    staged->z[to] = staged->z[from];
#if XL_REPEATS
    staged->image[to] = staged->image[from];
#endif
#endif
}

/* Removes all but the `room` nearest of n pairs. Returns their number. */
uint xl_staged_keep(xl_staged *staged, uint n, uint room, xl_real radius2)
{
    uint kept = 0, images = 0;
    xl_bound_search search = xl_bound_search_begin(radius2, n, room);
    while (xl_bound_search_next(&search))
        for (uint k = 0; k < n; ++k)
            xl_bound_search_add(&search, staged->distance2[k], staged->index[k]);
    for (uint k = 0; k < n; ++k) { /* without a branch */
        const uint index = staged->index[k];
        xl_staged_move(staged, k, kept);
        kept += xl_bound_keeps(&search.bound, staged->distance2[k], index, &images) ? 1 : 0;
    }
    return kept;
}
#endif

/* ---- ascending order ----------------------------------------------------------------------- */

/* As xl_walk_rank(), but by a stable radix sort, for more numbers: equal indices, of images of one
 * point, have places in the order of the walk. */
void xl_walk_radix(const uint *staged, uint n, uint *places)
{
    enum { BITS = 6, DIGITS = 1 << BITS };
    ulong pairs[2][XL_WALK_SHORT]; /* the index less the least one, and its number */
    uint least = UINT_MAX, most = 0, turn = 0;
    for (uint k = 0; k < n; ++k) {
        least = min(least, staged[k]);
        most = max(most, staged[k]);
    }
    for (uint k = 0; k < n; ++k)
        pairs[0][k] = (ulong)(staged[k] - least) << 32 | k;
    for (uint shift = 0; shift < 32 && (most - least) >> shift > 0; shift += BITS, turn ^= 1) {
        uint next[DIGITS] = {0};
        for (uint k = 0; k < n; ++k)
            ++next[(uint)(pairs[turn][k] >> 32) >> shift & (DIGITS - 1)];
        for (uint d = 0, sum = 0; d < DIGITS; ++d) {
            const uint count = next[d];
            next[d] = sum;
            sum += count;
        }
        for (uint k = 0; k < n; ++k) {
            const ulong pair = pairs[turn][k];
            pairs[turn ^ 1][next[(uint)(pair >> 32) >> shift & (DIGITS - 1)]++] = pair;
        }
    }
    for (uint k = 0; k < n; ++k)
        places[(uint)pairs[turn][k]] = k;
}

/* The place of each pair in its row. In ascending order, images of one point stay in the order of
 * the walk. Candidates of one image have different indices, unless the storage was overwritten: two
 * pairs may then have the same place. */
void xl_staged_place(const xl_staged *staged, uint n, bool one_image, uint *places)
{
#if XL_SORTED
    if (n > XL_WALK_RANKED) {
        xl_walk_radix(staged->index, n, places);
        return;
    }
    xl_walk_rank(staged->index, n, places);
#if XL_REPEATS
    if (!one_image)
        xl_walk_spread(n, places);
#endif
#else
    for (uint k = 0; k < n; ++k)
        places[k] = k;
#endif
}

#if XL_DETAILS
void xl_staged_put_details(const xl_staged *staged, uint n, const uint *places, xl_pending *to,
                           uint first)
{
    const xl_details *const of = to->of;
    for (uint k = 0; k < n; ++k) {
        const uint place = first + places[k];
        const xl_real x = staged->x[k], y = staged->y[k], z = staged->z[k];
        if (of->wanted & XL_WANTS_DISTANCES)
            to->distances2[place] = (x * x + y * y) + z * z;
        if (of->wanted & XL_WANTS_VECTORS) {
            XL_PUT_AXES(to->vectors, place, x, y, z)
        }
#if XL_REPEATS
        if (of->wanted & XL_WANTS_SHIFTS) {
            const int4 image = staged->image[k];
            XL_PUT_AXES(to->shifts, place, image.x, image.y, image.z)
        }
#endif
    }
}
#endif

/* Adds a short row of n pairs to the pending ones. The first copy, in the order of the walk, leaves
 * no place unwritten if two pairs have the same place. */
void xl_staged_put(const xl_staged *staged, uint n, bool one_image, xl_pending *to, ulong begin)
{
    uint places[XL_WALK_SHORT];
    const uint first = xl_pending_add(to, begin, n);
    xl_staged_place(staged, n, one_image, places);
    for (uint k = 0; k < n; k += 8)
        vstore8(vload8(0, staged->index + k), 0, to->index + first + k);
    for (uint k = 0; k < n; ++k)
        to->index[first + places[k]] = staged->index[k];
#if XL_DETAILS
    if (to->of)
        xl_staged_put_details(staged, n, places, to, first);
#endif
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The rows of a list are anywhere in memory, and a core waits long for its first write to a part of
 * memory. So the rows of a block are prefetched before its candidates are collected, and the
 * offsets of the next block after that. OpenCL's prefetch() does nothing on PoCL. Oclgrind does not
 * know the builtin, and clang's builtin crashes rusticl, which compiles to SPIR-V (Mesa 26.2,
 * November 2026). */
#if defined(__has_builtin) && (defined(__x86_64__) || defined(__aarch64__))
#if __has_builtin(__builtin_prefetch)
#define XL_WALK_PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p), 1)
#endif
#endif
#ifndef XL_WALK_PREFETCH
#define XL_WALK_PREFETCH(p) prefetch((p), 1)
#endif

/* Prefetches n elements of 4 or 8 bytes from `begin` on. */
#define XL_WALK_PREFETCH_ALL(to, begin, n)                                                         \
    {                                                                                              \
        for (ulong k = 0; k < (n); k += 64 / sizeof(*(to)))                                        \
            XL_WALK_PREFETCH((to) + (begin) + k);                                                  \
        XL_WALK_PREFETCH((to) + (begin) + (n)-1);                                                  \
    }

#if XL_DETAILS
void xl_walk_prefetch_details(const xl_details *of, ulong begin, uint n)
{
    const uint d = of->dimensions;
    if (of->wanted & XL_WANTS_DISTANCES)
        XL_WALK_PREFETCH_ALL(of->distances2, begin, n)
    if (of->wanted & XL_WANTS_VECTORS)
        XL_WALK_PREFETCH_ALL(of->vectors, d * begin, (ulong)d * n)
    if (of->wanted & XL_WANTS_SHIFTS)
        XL_WALK_PREFETCH_ALL(of->shifts, d * begin, (ulong)d * n)
}
#endif

#if XL_ROW_ROOM
/* For rows of fixed room: counts and writes their lengths, and sets rooms[j] to the number of
 * indices that the row keeps. */
void xl_walk_measure(xl_walk *walk, const xl_search *s, const xl_rows *rows, uint *rooms,
                     uint *found)
{
    xl_walk_count(walk, s, found);
    for (uint j = 0; j < walk->queries; ++j) {
        xl_rows_put_length(rows, walk->index[j], found[j]);
        rooms[j] = xl_row_kept(found[j], rooms[j]);
    }
}
#endif

/* Fills a short row of query j, of `room` of the neighbours that were found. If `whole`, the
 * candidates are complete; otherwise they are collected again. */
void xl_walk_fill_short(xl_walk *walk, const xl_search *s, uint j, xl_candidates *candidates,
                        bool whole, ulong begin, uint room, uint found, xl_pending *to)
{
    const xl_real radius2 = xl_walk_radius2(walk, j, s);
    const bool more = to->of != 0 || found > room;
    xl_staged staged;
    uint count = 0;
#if XL_DETAILS
    if (to->of)
        xl_walk_prefetch_details(to->of, begin, room);
#endif
    if (whole)
        count = xl_walk_take_staged(walk, j, candidates, radius2, &staged, more, found, count);
    else
        xl_walk_rewind(walk);
    while (!whole && xl_walk_collect(walk, s, candidates))
        count = xl_walk_take_staged(walk, j, candidates, radius2, &staged, more, found, count);
#if XL_ROW_ROOM == 2
    if (count > room)
        count = xl_staged_keep(&staged, count, room, radius2);
#endif
    xl_staged_put(&staged, count, whole && candidates->images < 2, to, begin);
}

/* Fills a row of query j directly in the list. Details take a second search. */
void xl_walk_fill_long(xl_walk *walk, const xl_search *s, uint j, xl_candidates *candidates,
                       bool whole, ulong begin, uint room, uint found, const xl_pending *to)
{
    __global uint *const row = to->list->indices + begin;
    const xl_real radius2 = xl_walk_radius2(walk, j, s);
    const bool nearest = XL_ROW_ROOM == 2 && found > room;
    xl_query query;
    uint count = 0;
    if (XL_DETAILS || nearest)
        query = xl_query_load(s, walk->at + j);
    if (nearest) {
        query = xl_query_nearest(s, &query, found, room);
        count = min(xl_fill_row(s, &query, row, room), room);
    } else if (whole)
        count = xl_walk_take_long(walk, j, candidates, radius2, row, room, count);
    else
        xl_walk_rewind(walk);
    while (!whole && !nearest && xl_walk_collect(walk, s, candidates))
        count = xl_walk_take_long(walk, j, candidates, radius2, row, room, count);
#if XL_SORTED
    xl_row_sort(row, count);
#endif
#if XL_DETAILS
    if (to->of) {
        const xl_details of_row = xl_details_from(to->of, begin);
        xl_details_row(s, &query, row, count, &of_row);
    }
#endif
}

/* Sets the room of each row of the block, 0 if it is in another part, how many neighbours were
 * found, and where it begins in the list. False: no row has room. */
bool xl_walk_rooms(xl_walk *walk, const xl_search *s, const xl_rows *rows, uint *rooms, uint *found,
                   ulong *begins)
{
    uint some = 0;
    for (uint j = 0; j < walk->queries; ++j) {
        found[j] = rooms[j] = xl_rows_room(rows, s, walk->index[j], &begins[j]);
        some |= rooms[j];
    }
#if XL_ROW_ROOM
    if (some > 0)
        xl_walk_measure(walk, s, rows, rooms, found);
#else
    for (uint k = walk->at + walk->queries; k < min(walk->at + 2 * XL_WALK_QUERIES, walk->last);
         ++k)
        XL_WALK_PREFETCH(rows->bounds + min(xl_query_index(s, k), s->queries - 1));
#endif
    return some > 0;
}

/* Fills the rows of the block that belong to the part, and their details unless `of` is NULL. If
 * the candidates of the block do not fit into the array, each query collects them again. */
void xl_walk_fill(xl_walk *walk, const xl_search *s, const xl_rows *rows, const xl_details *of)
{
    xl_candidates candidates;
    xl_pending pending;
    ulong begins[XL_WALK_QUERIES];
    uint rooms[XL_WALK_QUERIES], found[XL_WALK_QUERIES];
    if (!xl_walk_rooms(walk, s, rows, rooms, found, begins))
        return;
    for (uint j = 0; j < walk->queries; ++j)
        if (rooms[j] > 0 && rooms[j] <= XL_WALK_SHORT)
            XL_WALK_PREFETCH_ALL(rows->indices, begins[j], rooms[j])
    xl_walk_rewind(walk);
    (void)xl_walk_collect(walk, s, &candidates);
    const bool whole = !walk->more;
    xl_pending_begin(&pending, rows, of);
    for (uint j = 0; j < walk->queries; ++j) {
        if (rooms[j] == 0)
            continue;
        if (found[j] > XL_WALK_SHORT || (!XL_SORTED && !of && found[j] == rooms[j]))
            xl_walk_fill_long(walk, s, j, &candidates, whole, begins[j], rooms[j], found[j],
                              &pending);
        else
            xl_walk_fill_short(walk, s, j, &candidates, whole, begins[j], rooms[j], found[j],
                               &pending);
    }
    xl_pending_write(&pending);
}

/* Fills the rows of turn t. */
__attribute__((noinline)) void xl_walk_fill_turn(const xl_search *s, const xl_rows *rows,
                                                 const xl_details *of, uint t)
{
    xl_walk walk = xl_walk_turn(s, t);
    if (s->map.failed) {
        for (uint i = walk.at; i < walk.last; ++i)
            xl_rows_put_length(rows, i, UINT_MAX);
        return;
    }
    while (xl_walk_next(&walk, s))
        xl_walk_fill(&walk, s, rows, of);
}

/* Fills all rows of the list or of the part. */
void xl_walk_fill_all(const xl_search *s, const xl_rows *rows, const xl_details *of)
{
    XL_FOR_ITEMS(t, XL_CEIL_DIV(s->queries, (uint)XL_WALK))
    xl_walk_fill_turn(s, rows, of, (uint)t);
}

#endif

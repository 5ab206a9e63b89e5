/* SPDX-License-Identifier: MIT
 * How far the loops of a search go, on devices that end long ones. */
#ifndef XL_NEIGHBORS_ROUNDS
#define XL_NEIGHBORS_ROUNDS

#include "neighbors_ranges.cl"

/* XL_MOST_ROUNDS: llvmpipe of Mesa 22.3 (seen 2026-11) ends the loops of a work-item after 65,535
 * rounds, which eight of them share: lib/ocl/rusticl.c. There a loop takes eight candidates in a
 * round, and a walk that would be too long is not begun: what it is for says so instead. A row that
 * is put into order has to be short enough for that, too. */
#if XL_MOST_ROUNDS > 0
#define XL_CANDIDATES(q, cells, DO)                                                                \
    for (uint q = (cells)->begin; q < (cells)->end; q += 8) {                                      \
        DO(q)                                                                                      \
        DO(q + 1)                                                                                  \
        DO(q + 2)                                                                                  \
        DO(q + 3)                                                                                  \
        DO(q + 4)                                                                                  \
        DO(q + 5)                                                                                  \
        DO(q + 6)                                                                                  \
        DO(q + 7)                                                                                  \
    }
/* For each of them, once a loop of several is under way. */
#define XL_IS_CANDIDATE(q, cells) ((q) < (cells)->end)
#else
#define XL_CANDIDATES(q, cells, DO)                                                                \
    for (uint q = (cells)->begin; q < (cells)->end; ++q) {                                         \
        DO(q)                                                                                      \
    }
#define XL_IS_CANDIDATE(q, cells) true
#endif

/* Does XL_FOUND for each neighbour `other` of `query` in the range that `near` is at, if XL_TAKES
 * is true. The caller defines both; `distance2` is the squared distance of the pair. */
#define XL_NEIGHBORS_IN_RANGE                                                                      \
    xl_real distance2;                                                                             \
    XL_CANDIDATES(q, &near->cells, XL_IF_NEIGHBOR)
#define XL_IF_NEIGHBOR(q)                                                                          \
    if (XL_IS_CANDIDATE(q, &near->cells)) {                                                        \
        const xl_site other = xl_search_site(s, q);                                                \
        if (xl_is_neighbor(query->self, other, near->shift, query->radius2, &distance2) &&         \
            XL_TAKES) {                                                                            \
            XL_FOUND                                                                               \
        }                                                                                          \
    }

/* Whether a walk may go on through this range; *rounds are those so far. */
bool xl_may_go_on(xl_cell_iterator *cells, uint *rounds)
{
#if XL_MOST_ROUNDS > 0
    const uint length = cells->end > cells->begin ? cells->end - cells->begin : 0u;
    *rounds += length / 8u + 3u + cells->rounds;
    cells->rounds = 0;
    return *rounds <= XL_MOST_ROUNDS;
#else
    return true;
#endif
}

/* Whether a walk did not go to its end, or found more than can be put into order. */
bool xl_was_cut(uint rounds, uint count)
{
#if XL_MOST_ROUNDS > 0
    return rounds > XL_MOST_ROUNDS || (XL_SORTED && count > XL_MOST_ROW);
#else
    return false;
#endif
}

#endif

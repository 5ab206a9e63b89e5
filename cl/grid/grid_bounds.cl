/* SPDX-License-Identifier: MIT
 * The bounding box of the points, and the points that cannot be in a grid: the result of a
 * work-item, of a work-group, and of all groups. */
#ifndef XL_GRID_BOUNDS
#define XL_GRID_BOUNDS

#include "grid_points.cl"

/* The same words as xli_grid_found in lib/grid/grid_plan.h. Coordinates are in the caller's
 * precision, as integers that have the order of the numbers. */
typedef struct xl_grid_found {
    xl_grid_word low[3], high[3];
    uint non_finite, first_non_finite;
    uint out_of_domain, first_out_of_domain;
} xl_grid_found;

/* The result of no points. */
void xl_grid_found_none(__local xl_grid_found *found)
{
    for (int a = 0; a < 3; ++a) {
        found->low[a] = (xl_grid_word)-1;
        found->high[a] = 0;
    }
    found->non_finite = found->out_of_domain = 0;
    found->first_non_finite = found->first_out_of_domain = UINT_MAX;
}

#define XL_GRID_FOUND_ADD(to, from)                                                                \
    do {                                                                                           \
        for (int a = 0; a < 3; ++a) {                                                              \
            (to)->low[a] = min((to)->low[a], (from)->low[a]);                                      \
            (to)->high[a] = max((to)->high[a], (from)->high[a]);                                   \
        }                                                                                          \
        (to)->non_finite += (from)->non_finite;                                                    \
        (to)->first_non_finite = min((to)->first_non_finite, (from)->first_non_finite);            \
        (to)->out_of_domain += (from)->out_of_domain;                                              \
        (to)->first_out_of_domain = min((to)->first_out_of_domain, (from)->first_out_of_domain);   \
    } while (0)

/* Points that a work-item loads before it uses the first, to hide latency. */
#define XL_GRID_AT_ONCE 4

/* The result of one work-item, in registers. */
typedef struct xl_grid_looked {
    xl_real4 low, high;
    uint bad, first_bad, out, first_out;
} xl_grid_looked;

void xl_grid_look_at(xl_grid_looked *looked, xl_points points, xl_real4 given, uint i, float4 lower,
                     float4 upper)
{
    const float4 p = xl_grid_point_of(points, given);
    if (!xl_float4_finite(p)) {
        looked->first_bad = min(looked->first_bad, i);
        ++looked->bad;
        return;
    }
    looked->low = fmin(looked->low, given);
    looked->high = fmax(looked->high, given);
#if XL_BOUNDED
    const bool outside = any(p < lower) || any(p > upper);
#elif XL_CELLS
    const bool outside = p.w > upper.w || !xl_cell_holds(points.cell_table, (uint)given.w, given);
#elif XL_SYSTEMS
    const bool outside = p.w > upper.w;
#else
    const bool outside = false;
#endif
    if (outside) {
        looked->first_out = min(looked->first_out, i);
        ++looked->out;
    }
}

/* The result of points i, i + step, i + 2 * step, ... */
void xl_grid_look(xl_points points, ulong i, ulong step, uint n, float4 lower, float4 upper,
                  __local xl_grid_found *found)
{
    xl_grid_looked looked = {(xl_real4)(INFINITY), (xl_real4)(-INFINITY), 0, UINT_MAX, 0, UINT_MAX};
    for (; i + (XL_GRID_AT_ONCE - 1) * step < n; i += XL_GRID_AT_ONCE * step) {
        xl_real4 p[XL_GRID_AT_ONCE];
        for (int k = 0; k < XL_GRID_AT_ONCE; ++k)
            p[k] = xl_grid_given(points, (uint)(i + k * step));
        for (int k = 0; k < XL_GRID_AT_ONCE; ++k)
            xl_grid_look_at(&looked, points, p[k], (uint)(i + k * step), lower, upper);
    }
    for (; i < n; i += step)
        xl_grid_look_at(&looked, points, xl_grid_given(points, (uint)i), (uint)i, lower, upper);
    found->low[0] = xl_grid_word_of(looked.low.x);
    found->low[1] = xl_grid_word_of(looked.low.y);
    found->low[2] = xl_grid_word_of(looked.low.z);
    found->high[0] = xl_grid_word_of(looked.high.x);
    found->high[1] = xl_grid_word_of(looked.high.y);
    found->high[2] = xl_grid_word_of(looked.high.z);
    found->non_finite = looked.bad;
    found->first_non_finite = looked.first_bad;
    found->out_of_domain = looked.out;
    found->first_out_of_domain = looked.first_out;
}

/* Combines a share of the work-groups' results in each work-item. */
void xl_grid_gather_found(__global const xl_grid_found *parts, uint num_parts,
                          __local xl_grid_found *found)
{
    xl_grid_found_none(found);
    for (uint k = (uint)get_local_id(0); k < num_parts; k += (uint)get_local_size(0))
        XL_GRID_FOUND_ADD(found, &parts[k]);
}

/* Reduces the results of a work-group of any size into found[0]. Its first work-item may read the
 * result at once, the others after a barrier. */
void xl_grid_fold(__local xl_grid_found *found)
{
    uint lid = (uint)get_local_id(0), left = (uint)get_local_size(0);
    while (left > 1) {
        uint half_up = XL_CEIL_DIV(left, 2u);
        XL_LOCAL_BARRIER();
        if (lid + half_up < left)
            XL_GRID_FOUND_ADD(&found[lid], &found[lid + half_up]);
        left = half_up;
    }
}

/* Points of a sample that give the inner box. */
#define XL_GRID_INNER_SAMPLE 128u

/* The inner box: that of a sample, without the lowest and the highest twentieth along each axis, so
 * that a few points far from the others count little. `low` and `high` of the result alone. One
 * group. */
void xl_grid_find_inner(xl_points points, uint n, __local xl_grid_word *sample,
                        __global xl_grid_found *inner)
{
    const uint count = min(n, XL_GRID_INNER_SAMPLE), outer = count / 20u;
    const uint size = (uint)get_local_size(0), lid = (uint)get_local_id(0);
    for (uint k = lid; k < count; k += size) {
        const float4 p = xl_grid_point(points, xl_grid_sampled(k, count, n));
        sample[k] = xl_grid_word_of(p.x);
        sample[count + k] = xl_grid_word_of(p.y);
        sample[2u * count + k] = xl_grid_word_of(p.z);
    }
    XL_LOCAL_BARRIER();
    for (uint k = lid; k < 3u * count; k += size) {
        const uint axis = k / count, first = axis * count;
        uint below = 0;
        for (uint j = first; j < first + count; ++j)
            below += sample[j] < sample[k] || (sample[j] == sample[k] && j < k) ? 1u : 0u;
        if (below == outer)
            inner->low[axis] = sample[k];
        if (below == count - 1u - outer)
            inner->high[axis] = sample[k];
    }
}

#endif

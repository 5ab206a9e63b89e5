/* SPDX-License-Identifier: MIT
 * Chooses the shape of a grid from the box of the points: a table if the cells of the box fit into
 * it, otherwise a list of rows. */
#ifndef XL_GRID_SETUP
#define XL_GRID_SETUP

#include "grid_bounds.cl"

/* The given box, or the bounding box of the points. If no point is finite, the box is the point
 * 0. */
void xl_grid_set_box(xl_grid_header *header, __local const xl_grid_found *found, float4 lower,
                     float4 upper)
{
#if XL_BOUNDED
    header->lower[0] = lower.x;
    header->lower[1] = lower.y;
    header->lower[2] = lower.z;
    header->upper[0] = upper.x;
    header->upper[1] = upper.y;
    header->upper[2] = upper.z;
#else
    bool empty = header->points == header->non_finite;
    for (int a = 0; a < 3; ++a) {
        const xl_real low = empty ? 0 : xl_grid_of_word(found->low[a]);
        const xl_real high = empty ? 0 : xl_grid_of_word(found->high[a]);
#if XL_F64
        const float4 ends = xl_grid_narrow((double4)(low, high, 0.0, 0.0), (double4)(0.0));
        header->lower[a] = ends.x;
        header->upper[a] = ends.y;
        header->box[a] = low;
        header->box[a + 3] = high;
#else
        header->lower[a] = low;
        header->upper[a] = high;
#endif
    }
#endif
}

/* Sets a dense grid. Returns false if there are more cells than table entries, or if the box extends
 * so far from 0 that a sparse grid does not count its rows by edges, or floats do not count cells.
 * The last number is computed as for a point on the upper face, so no point is beyond it. */
bool xl_grid_set_dense(xl_grid_header *header, uint table)
{
    ulong cells = 1;
    for (int a = 0; a < 3; ++a) {
        const float inverse = a == 0 ? header->inverse * header->thin : header->inverse;
        const float lower = header->lower[a], upper = header->upper[a];
        if (!(-header->beyond < lower && upper < header->beyond))
            return false;
        const float low = floor(lower * inverse), high = fmax(low, floor(upper * inverse));
        if (!(-XL_GRID_COUNTED <= low && high <= XL_GRID_COUNTED))
            return false;
        const int first = convert_int(low), last = convert_int(high);
        cells *= (ulong)((uint)last - (uint)first) + 1UL;
        if (cells > table)
            return false;
#if XL_SYSTEMS
        if (a == 2) {
            header->first_layer = first;
            header->layers = (uint)(last - first) + 1u;
            cells *= header->systems;
            if (cells > table)
                return false;
        }
#endif
        header->first[a] = first;
        header->cells[a] = (uint)(last - first) + 1u;
    }
#if XL_SYSTEMS
    header->cells[2] *= header->systems;
#endif
    header->counted = cells + 1;
    return true;
}

/* Sets a sparse grid. Keys to be sorted leave out the bits that all rows have in common. */
void xl_grid_set_sparse(xl_grid_header *header, uint buckets)
{
    const xl_grid_map map = xl_grid_far_map(header->inverse, header->beyond);
    int4 first = xl_grid_far_number(
        &map, (float4)(header->lower[0], header->lower[1], header->lower[2], 0.0f));
    int4 last = xl_grid_far_number(
        &map, (float4)(header->upper[0], header->upper[1], header->upper[2], 0.0f));
#if XL_SYSTEMS
    header->first_layer = first.z;
    header->layers = min((uint)last.z - (uint)first.z + 1u, (uint)INT_MAX / header->systems);
    first.z = 0;
    last.z = (int)(header->layers * header->systems) - 1;
#endif
    for (int a = 0; a < 3; ++a) {
        header->first[a] = 0;
        header->cells[a] = 0;
    }
    header->first_y = first.y;
    header->first_z = first.z;
    header->y_bits = 32u - clz((uint)last.y - (uint)first.y);
    header->together = header->y_bits + 32u - clz((uint)last.z - (uint)first.z) <= 32u ? 1u : 0u;
    header->buckets = buckets;
    if (buckets > 0) {
        header->counted = (ulong)buckets + 1;
    } else {
        header->flagged = header->points;
        header->sorted = header->points;
        header->sorted_again = header->together ? 0 : header->points;
    }
}

/* 1 / edge of cells that have `share` of the volume of a box, or of its area or length if it is
 * shorter than a cell along an axis; 1 for a box that is a point. All operations are exact or
 * multiplications, so all devices choose the same edge. */
float xl_grid_inverse_for(float share, const float *extent)
{
    float inverse = INFINITY;
    int axes = 0, before = 0, power, more;
    do {
        float part = frexp(share, &power), root = 2.0f;
        before = axes;
        axes = 0;
        for (int a = 0; a < 3; ++a)
            if (extent[a] * inverse > 1.0f) {
                part *= frexp(fmin(extent[a], 0x1p126f), &more);
                power += more;
                ++axes;
            }
        if (axes > 0 && axes != before) {
            part = frexp(part, &more);
            power += more;
            /* A cell has the volume part * 2^power; `whole` is power / axes, rounded down. */
            const int whole = (power - (power < 0 ? axes - 1 : 0)) / axes;
            part = ldexp(part, power - whole * axes);
            while ((axes > 2 ? root : 1.0f) * (axes > 1 ? root : 1.0f) * root * part > 1.0f)
                root *= 0.9375f;
            inverse = ldexp(root, -whole);
        }
    } while (axes > 0 && axes != before);
    return inverse < INFINITY ? fmin(fmax(inverse, 0x1p-126f), 0x1p120f) : 1.0f;
}

/* Sets the edge of the cells from the inner box or, if that is a point, from the box. An edge that is
 * given is a lower limit. */
void xl_grid_choose_edge(xl_grid_header *header, float share, __global const xl_grid_found *inner)
{
    float extent[3];
    bool point = true;
    for (int a = 0; a < 3; ++a) {
        const xl_real low = xl_grid_of_word(inner->low[a]), high = xl_grid_of_word(inner->high[a]);
        extent[a] = high > low ? (float)(high - low) : 0.0f;
        point = point && !(extent[a] > 0.0f);
    }
    for (int a = 0; a < 3 && point; ++a)
        extent[a] = header->upper[a] - header->lower[a];
    header->inverse = fmin(header->inverse, xl_grid_inverse_for(share, extent));
    header->beyond = XL_GRID_COUNTED / header->inverse;
}

/* The parameters of a build, from the host. */
typedef struct xl_grid_wish {
    uint n, stamp;
    uint table;   /* entries of the table; 0: rows are listed, whatever the points are */
    uint sorts;   /* a table, too, is built by sorting */
    uint buckets; /* number of buckets if rows are listed; 0: keys are sorted */
    float inverse, thin, beyond;
    float
        share; /* above 0: cells have this share of the inner box, or the edge given if it is longer */
} xl_grid_wish;

/* Sets a dense grid if it has enough table entries. An edge that the build chooses becomes up to three
 * times as long for that, because searches in listed rows take longer. */
bool xl_grid_is_dense(xl_grid_header *header, const xl_grid_wish *wish)
{
    const float inverse = header->inverse, beyond = header->beyond;
    bool dense = wish->table > 0 && xl_grid_set_dense(header, wish->table);
    for (int k = 0; k < 5 && !dense && wish->table > 0 && wish->share > 0; ++k) {
        header->inverse *= 0.8f;
        header->beyond = XL_GRID_COUNTED / header->inverse;
        dense = xl_grid_set_dense(header, wish->table);
    }
    header->inverse = dense ? header->inverse : inverse;
    header->beyond = dense ? header->beyond : beyond;
    return dense;
}

/* Sets the header of a build from the results of xl_grid_bounds and xl_grid_inner. In a batch,
 * upper.w is the number of the last system. */
void xl_grid_set(xl_grid_header *header, const xl_grid_wish *wish,
                 __local const xl_grid_found *found, __global const xl_grid_found *inner,
                 float4 lower, float4 upper)
{
    header->counted = header->sorted = header->sorted_again = header->flagged = 0;
    header->big = header->buckets = header->rows = header->far_off = 0;
    header->together = header->y_bits = 0;
    header->first_y = header->first_z = 0;
    header->systems = header->layers = 0;
    header->first_layer = 0;
#if XL_SYSTEMS
    header->systems = (uint)upper.w + 1u;
#endif
#if XL_F64
    for (int k = 0; k < 6; ++k)
        header->box[k] = 0;
#endif
    header->non_finite = found->non_finite;
    header->first_non_finite = found->first_non_finite;
    header->out_of_domain = found->out_of_domain;
    header->first_out_of_domain = found->first_out_of_domain;
    header->failed = found->non_finite > 0 || found->out_of_domain > 0 ? 1u : 0u;
    header->points = wish->n;
    header->table = wish->table;
    header->inverse = wish->inverse;
    header->thin = wish->thin;
    header->beyond = wish->beyond;
    header->stamp = wish->stamp;
    xl_grid_set_box(header, found, lower, upper);
    if (wish->share > 0 && wish->n > 0)
        xl_grid_choose_edge(header, wish->share, inner);
    const bool dense = xl_grid_is_dense(header, wish);
    header->sparse = dense ? 0u : 1u;
#if XL_BOUNDED
    if (dense && !wish->sorts) { /* counting finds these points once more */
        header->non_finite = header->out_of_domain = header->failed = 0;
        header->first_non_finite = header->first_out_of_domain = UINT_MAX;
    }
#endif
    if (!dense)
        xl_grid_set_sparse(header, wish->buckets);
    else if (wish->sorts)
        header->sorted = wish->n;
}

#endif

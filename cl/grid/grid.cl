/* SPDX-License-Identifier: MIT
 * The kernels of a grid build, in their order: the bounding box of the points; the shape, a table
 * if the cells of the box fit into it, otherwise a list of rows; builds by counting; and arrays of
 * the caller in the order of the grid. lib/grid/grid_build.c enqueues them.
 *
 * Each array is followed by its offset in elements. A value that is read from the storage is
 * clamped before it becomes an offset, because another kernel may overwrite the storage or the
 * points during a build.
 *
 * If a CPU only sorts, the program has no kernels that count: PoCL takes long to compile them. */
#define XL_COUNTS (XL_SORTING < 2 || !XL_IS_CPU)
#include "grid_points.cl"
#if XL_COUNTS
#include "grid_list.cl"
#endif
#if XL_SORTING
#include "grid_sorting.cl"
#endif

/* ---- bounds ------------------------------------------------------------------------------ */

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
#elif XL_REPEATS == 3
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

/* Finds the bounding box of the points, and the points that are not finite or outside a given box:
 * one partial result per work-group. Any number of groups. */
__kernel void xl_grid_bounds(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong found_at,
                             float4 lower, float4 upper)
{
    __local xl_grid_found found[XL_GROUP];
    xl_grid_look(XL_POINTS, get_global_id(0), get_global_size(0), n, lower, upper,
                 &found[get_local_id(0)]);
    xl_grid_fold(found);
    if (get_local_id(0) == 0)
        ((__global xl_grid_found *)(storage + found_at))[get_group_id(0)] = found[0];
}

/* Finds the inner box, which is written after `num_found` partial results. One group. */
__kernel void xl_grid_inner(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong found_at,
                            uint num_found)
{
    __local xl_grid_word sample[3 * XL_GRID_INNER_SAMPLE];
    xl_grid_find_inner(XL_POINTS, n, sample,
                       (__global xl_grid_found *)(storage + found_at) + num_found);
}

/* ---- shape ------------------------------------------------------------------------------- */

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

/* Sets a dense grid. Returns false if there are more cells than table entries, or if the box
 * extends so far from 0 that a sparse grid does not count its rows by edges, or floats do not count
 * cells. The last number is computed as for a point on the upper face, so no point is beyond it. */
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
    int axes = 4, before, power, more;
    bool again;
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
        again = axes > 0 && axes < before;
        if (again) {
            part = frexp(part, &more);
            power += more;
            /* A cell has the volume part * 2^power; `whole` is power / axes, rounded down. */
            const int whole = (power - (power < 0 ? axes - 1 : 0)) / axes;
            part = ldexp(part, power - whole * axes);
            while ((axes > 2 ? root : 1.0f) * (axes > 1 ? root : 1.0f) * root * part > 1.0f)
                root *= 0.9375f;
            inverse = ldexp(root, -whole);
        }
    } while (again);
    return inverse < INFINITY ? fmin(fmax(inverse, 0x1p-126f), 0x1p120f) : 1.0f;
}

/* Sets the edge of the cells from the inner box or, if that is a point, from the box. An edge that
 * is given is a lower limit. */
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
    float share; /* above 0: a cell's share of the inner box, unless the given edge is longer */
} xl_grid_wish;

/* Sets a dense grid if it has enough table entries. An edge that the build chooses becomes up to
 * three times as long for that, because searches in listed rows take longer. */
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

/* Writes the header, and zeros the counters: the used part of the table or the buckets, and the
 * ranks of the sample. Each group computes the shape itself, so no group waits for another. */
__kernel void xl_grid_setup(__global uint *storage, ulong header_at, ulong found_at, uint num_found,
                            uint n, uint table, uint sorts, uint buckets, uint stamp, float inverse,
                            float thin, float beyond, float share, float4 lower, float4 upper,
                            ulong counts_at, ulong places_at)
{
    __local xl_grid_found found[XL_GROUP];
    const xl_grid_wish wish = {n, stamp, table, sorts, buckets, inverse, thin, beyond, share};
    __global const xl_grid_found *const parts =
        (__global const xl_grid_found *)(storage + found_at);
    xl_grid_header header;
    xl_grid_gather_found(parts, num_found, &found[get_local_id(0)]);
    xl_grid_fold(found);
    XL_LOCAL_BARRIER();
    xl_grid_set(&header, &wish, found, parts + num_found, lower, upper);
#if XL_COUNTS
    for (ulong b = get_global_id(0); b < header.counted; b += get_global_size(0))
        storage[counts_at + b] = 0;
    for (ulong k = get_global_id(0); k < (ulong)header.buckets * XL_GRID_OVERSAMPLING;
         k += get_global_size(0))
        storage[places_at + k] = 0;
#endif
    if (get_global_id(0) == 0)
        *XL_GRID_HEADER(storage, header_at) = header;
}

/* ---- builds by counting ------------------------------------------------------------------ */

#if XL_COUNTS
/* Rows in buckets: finds the splitters. Any number of groups: each sorts a part of the sample, and
 * ranks a share of all sample keys in this part. */
__kernel void xl_grid_split(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                            uint most_buckets, ulong places_at, ulong splitters_at)
{
    __local xl_grid_key keys[XL_GRID_COMPARED];
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    __global xl_grid_key *splitters = (__global xl_grid_key *)(storage + splitters_at);
    const xl_grid_map map = xl_grid_far_map_of(header);
    const uint buckets = min(header->buckets, most_buckets);
    const uint sample = buckets > 1 ? buckets * XL_GRID_OVERSAMPLING : 0u;
    const uint size = (uint)get_local_size(0), lid = (uint)get_local_id(0);
    const uint parts = XL_CEIL_DIV(sample, XL_GRID_COMPARED);
    const uint shares = max((uint)get_num_groups(0) / max(parts, 1u), 1u);
    const uint share = XL_CEIL_DIV(sample, shares);
    for (uint t = (uint)get_group_id(0); t < parts * shares; t += (uint)get_num_groups(0)) {
        const uint from = t % parts * XL_GRID_COMPARED, first = t / parts * share;
        const uint count = min(XL_GRID_COMPARED, sample - from);
        XL_LOCAL_BARRIER();
        for (uint k = lid; k < count; k += size)
            keys[k] = xl_grid_sample_key(&map, XL_POINTS, from + k, sample, n);
        XL_LOCAL_BARRIER();
        xl_grid_sort_local(keys, count);
        for (uint k = first + lid; k < min(first + share, sample); k += size) {
            const xl_grid_key key = xl_grid_sample_key(&map, XL_POINTS, k, sample, n);
            xl_grid_add_place(&storage[places_at + k], xl_grid_count_below(keys, count, key), parts,
                              buckets, key, splitters);
        }
    }
}

/* Points from one to the next that is compared with a near index, to find out whether the points
 * are in some order. */
#define XL_GRID_FAR_OFF_STEP 16384u

/* Whether the cell of p is far from entry b, relative to the size of the table. */
bool xl_grid_is_far_off(const xl_grid_map *map, uint b, float4 p)
{
    return abs_diff(b, xl_grid_bucket(map, xl_grid_cell(map, p))) > map->cells / 8u;
}

/* Build by counting: the table entry of each point, or its bucket, and its rank there. */
__kernel void xl_grid_keys(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                           uint table, uint most_buckets, float4 lower, float4 upper,
                           ulong splitters_at, ulong counts_at, ulong buckets_at, ulong ranks_at)
{
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    xl_grid_map map = xl_grid_load_shape(header, table, n);
    const uint buckets = min(header->buckets, most_buckets);
    XL_FOR_ITEMS(i, map.sparse && buckets == 0 ? 0u : n)
    {
        const float4 p = xl_grid_point(XL_POINTS, (uint)i);
#if XL_BOUNDED
        const bool bad = xl_grid_tell_bad(header, (uint)i, p, lower, upper);
#else
        const bool bad = !xl_float4_finite(p);
#endif
        const uint b =
            !map.sparse
                ? xl_grid_bucket_of(&map, (uint)i, p, bad)
                : xl_grid_bucket_between((__global const xl_grid_key *)(storage + splitters_at),
                                         buckets, xl_grid_key_of(&map, (uint)i, p));
        storage[buckets_at + i] = b;
        storage[ranks_at + i] = atomic_inc(&storage[counts_at + b]);
        if (i % XL_GRID_FAR_OFF_STEP == 0 && !map.sparse &&
            xl_grid_is_far_off(&map, b, xl_grid_point(XL_POINTS, min((uint)i + 64u, n - 1u))))
            atomic_inc(&header->far_off);
    }
}

/* Build by counting: the indices of the points in the order of entries, within an entry in any
 * order. If `flag` is not 0, it marks the first index of each entry. All points have been checked
 * by now, so this also sets `failed`.
 *
 * The places of points in no order lie all over the table, which may be larger than the caches.
 * Such points are therefore read once for each window, one of `windows` ranges of entries. The
 * groups of a window follow those of the window before; there are `windows` times as many as the
 * points need. A work-item takes `items` points. An exchange takes less time than a store there, as a
 * store reads the rest of a sector of memory first, but more time for points in some order. */
__kernel void xl_grid_scatter(__global uint *storage, ulong header_at, uint n, uint table,
                              uint most_buckets, uint flag, ulong starts_at, ulong buckets_at,
                              ulong ranks_at, ulong unordered_at, uint windows, uint items)
{
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const bool counted = header->sparse == 0 || header->buckets > 0;
    const uint last = header->sparse == 0 ? table : most_buckets;
    const uint chunks = (uint)get_num_groups(0) / windows, size = (uint)get_local_size(0);
    const uint window = (uint)get_group_id(0) / chunks, chunk = (uint)get_group_id(0) % chunks;
    const bool in_no_order = header->far_off > n / XL_GRID_FAR_OFF_STEP / 4;
    const bool in_windows = windows > 1 && in_no_order;
    const uint width = in_windows ? (uint)(min(header->counted, (ulong)table) / windows) + 1u : ~0u;
    const ulong from = (ulong)chunk * items * size + get_local_id(0);
    const ulong end = counted && (in_windows || window == 0)
                          ? min((ulong)n, ((ulong)chunk + 1) * items * size)
                          : 0;
    uint next = from < end ? storage[buckets_at + from] : 0;
    for (ulong i = from; i < end; i += size) {
        const uint b = min(next, last);
        if (i + size < end)
            next = storage[buckets_at + i + size];
        if (b / width == window) {
            const uint rank = storage[ranks_at + i], k = storage[starts_at + b] + rank;
            const uint index = (uint)i | (rank == 0 ? flag : 0u);
            __global uint *const slot = storage + unordered_at + min(k, n - 1u);
            if (in_no_order)
                (void)atomic_xchg(slot, index);
            else
                *slot = index;
        }
    }
    if (counted && get_global_id(0) == 0)
        header->failed = header->non_finite > 0 || header->out_of_domain > 0 ? 1u : 0u;
}

/* Build by counting, table: writes each point to its place, which is by x within an entry. Overfull
 * entries are listed for the next kernel instead. */
__kernel void xl_grid_order(XL_POINTS_PARAMETERS, uint n, __global uint *storage, ulong header_at,
                            uint table, uint flag, ulong starts_at, ulong unordered_at,
                            ulong sorted_at, ulong overfull_at, uint overfull_points,
                            uint most_overfull)
{
    __local ulong keys[XL_GROUP];
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const uint size = (uint)get_local_size(0), lid = (uint)get_local_id(0);
    const bool dense = header->sparse == 0;
    ulong first = (ulong)get_group_id(0) * size * XL_ITEMS;
    for (uint item = 0; item < XL_ITEMS; ++item, first += size) {
        const xl_grid_cells cells = {
            storage + starts_at, storage + unordered_at, n, flag, overfull_points, keys,
            (uint)first};
        const uint k = (uint)first + lid;
        const bool takes = dense && first + lid < n;
        uint4 sorted_point = 0;
        if (takes) {
            sorted_point = xl_grid_sorted_point(XL_POINTS, xl_grid_unordered(&cells, k));
            keys[lid] = xl_grid_key_in_row(as_float(sorted_point.x), sorted_point.w);
        }
        if (XL_GROUP > 1)
            XL_LOCAL_BARRIER();
        if (takes) {
            const uint i = sorted_point.w;
            uint begin = k, end = k + 1u;
            if (flag != 0) {
                xl_grid_extent(&cells, &begin, &end);
            } else {
                const uint b =
                    xl_grid_entry(header, table, n, i, xl_grid_place_of(XL_POINTS, sorted_point));
                begin = min(cells.starts[b], n);
                end = clamp(cells.starts[b + 1], begin, n);
            }
            if (end - begin <= overfull_points) {
                const uint rank = xl_grid_rank(&cells, XL_POINTS, begin, end, keys[lid]);
                const uint place = min(begin + rank, n - 1u);
#if XL_WRAP
                xl_grid_put_point(storage + sorted_at, n, place, XL_POINTS, i);
#else
                xl_grid_set_sorted(storage + sorted_at, n, place, sorted_point);
#if XL_F64
                xl_grid_set_whole(storage + sorted_at, n, place, xl_grid_coordinates(XL_POINTS, i));
#endif
#if XL_SYSTEMS
                xl_grid_set_system(storage + sorted_at, n, place, XL_POINTS.systems[i]);
#endif
#endif
            } else if (k == begin)
                storage[overfull_at + min(atomic_inc(&header->big), most_overfull - 1u)] =
                    xl_grid_entry(header, table, n, i, xl_grid_place_of(XL_POINTS, sorted_point));
        }
        if (XL_GROUP > 1 && XL_ITEMS > 1)
            XL_LOCAL_BARRIER();
    }
}

/* Build by counting: sorts the overfull entries, or all buckets, one work-group each. */
__kernel void xl_grid_sort_overfull(XL_POINTS_PARAMETERS, uint n, __global uint *storage,
                                    ulong header_at, uint table, ulong starts_at,
                                    ulong unordered_at, ulong sorted_at, ulong overfull_at,
                                    uint most_overfull, ulong parts_at, uint most_buckets,
                                    uint flag)
{
    __local xl_grid_key keys[XL_GRID_ROOM];
    __local uint
        heads; /* row heads of all cells so far: resetting it for each cell would take a barrier */
    uint before = 0;
    __global const xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_sorter sorter = {xl_grid_load_shape(header, table, n), XL_POINTS, n, ~flag};
    const bool sparse = sorter.map.sparse;
    const uint cells =
        sparse ? min(header->buckets, most_buckets) : min(header->big, most_overfull);
    if (get_local_id(0) == 0)
        heads = 0;
    XL_LOCAL_BARRIER();
    for (uint c = (uint)get_group_id(0); c < cells; c += (uint)get_num_groups(0)) {
        const uint b = sparse ? c : min(storage[overfull_at + c], table - 1u);
        const uint begin = min(storage[starts_at + b], n);
        const uint end = clamp(storage[starts_at + b + 1], begin, n);
        __global uint *unordered = storage + unordered_at + begin;
        if (end - begin <= XL_GRID_ROOM)
            xl_grid_sort_cell_local(&sorter, unordered, end - begin, keys);
        else
            xl_grid_sort_cell(&sorter, unordered, end - begin);
        XL_FULL_BARRIER();
        xl_grid_put_cell(&sorter, unordered, begin, end, storage + sorted_at, &heads);
        XL_LOCAL_BARRIER();
        const uint after = heads;
        if (sparse && get_local_id(0) == 0)
            xl_grid_tell_part((__global xl_grid_part *)(storage + parts_at) + b, &sorter, unordered,
                              begin, end, after - before);
        before = after;
        XL_FULL_BARRIER();
    }
}

/* Rows in buckets: lists the rows. Any number of groups, which divide the buckets among them. */
__kernel void xl_grid_list_parts(__global uint *storage, ulong header_at, uint n, ulong sorted_at,
                                 ulong parts_at, uint most_buckets, ulong keys_at, ulong begins_at)
{
    __local uint sums[XL_GROUP], bits[XL_GRID_BALLOT_WORDS];
    __global xl_grid_header *header = XL_GRID_HEADER(storage, header_at);
    const xl_grid_map map = xl_grid_far_map_of(header);
    const xl_grid_rows rows = {(__global ulong *)(storage + keys_at), storage + begins_at,
                               storage + sorted_at, n};
    const uint buckets = min(header->buckets, most_buckets);
    const uint each = XL_CEIL_DIV(buckets, (uint)get_num_groups(0));
    const uint first = min((uint)get_group_id(0) * each, buckets),
               last = min(first + each, buckets);
    if (first < last) {
        __global const xl_grid_part *parts = (__global const xl_grid_part *)(storage + parts_at);
        const uint begin = min(parts[first].begin, n);
        const uint end = last < buckets ? clamp(parts[last].begin, begin, n) : n;
        const uint before = xl_grid_count_rows(parts, first, sums);
        const uint after = xl_grid_list_rows(&map, &rows, begin, end, before, bits);
        if (last == buckets && get_local_id(0) == 0) {
            header->rows = min(after, n);
            rows.begins[min(after, n)] = n;
        }
    }
}
#endif

/* ---- arrays of the caller ---------------------------------------------------------------- */

/* Gathers an array of the caller, of `words` per element, into the order of the grid. */
__kernel void xl_grid_reorder(__global const uint *storage, ulong sorted_at, ulong n, uint words,
                              __global const uint *in, ulong in_at, __global uint *out,
                              ulong out_at)
{
    XL_FOR_ITEMS(t, n * words)
    {
        ulong k = t / words, w = t - k * words;
        ulong i = min((ulong)xl_grid_sorted_index(storage + sorted_at, (uint)n, k), n - 1UL);
        out[out_at + t] = in[in_at + i * words + w];
    }
}

/* The reverse: scatters an array in the order of the grid into the order of the points as given. */
__kernel void xl_grid_reorder_back(__global const uint *storage, ulong sorted_at, ulong n,
                                   uint words, __global const uint *in, ulong in_at,
                                   __global uint *out, ulong out_at)
{
    XL_FOR_ITEMS(t, n * words)
    {
        const ulong k = t / words, w = t - k * words;
        const ulong i = min((ulong)xl_grid_sorted_index(storage + sorted_at, (uint)n, k), n - 1UL);
        out[out_at + i * words + w] = in[in_at + t];
    }
}

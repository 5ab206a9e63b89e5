/* SPDX-License-Identifier: MIT
 * Where the parts of an index of n points lie in its storage, which is monotone in n: each part
 * has room for any index of fewer points, too.
 *
 * header | what groups find | buckets | unordered indices, or keys | sorted points | where they
 * begin | totals of sums. What lasts is the sorted points, 16 bytes each, with XL_F64 40,
 * of a batch 4 more, of points that are moved 12 more, and where they begin, of a table up to
 * 4 * grid.table bytes a point, of rows 12; before, a build by counting has 4 bytes a point more,
 * one by sorting 8. */
#include "grid_plan.h"

/* Most elements that a work-item loops over. */
#define MAX_LOOKS ((size_t)4096)
/* Bucket numbers have 20 bits in the sample, which has 4 keys for each bucket. */
#define MAX_BUCKETS ((size_t)1 << 16)
/* XL_GRID_OVERSAMPLING of cl/grid/grid_list.cl. */
#define OVERSAMPLING 4

/* Whether the number of cells is known before a build. */
static bool knows_cells(const xli_grid_plan *grid)
{
    return grid->space.bounded && grid->points_per_cell <= 0;
}

/* The entries of a table: by the number of points, or the cells of a given box if these are fewer.
 * 0 if rows are always listed. Monotone in n. */
static uint32_t choose_table(const xli_grid_plan *grid, size_t n)
{
    uint64_t most = (uint64_t)grid->tune.table * n;
    most = most < XLI_GRID_MIN_TABLE ? XLI_GRID_MIN_TABLE : most;
    most = most < grid->max_table ? most : grid->max_table;
    if (grid->tune.table == 0)
        return 0;
    return (uint32_t)(knows_cells(grid) && grid->box_cells < most ? grid->box_cells : most);
}

/* Whether the device may find that the table is too small. */
static bool may_list(const xli_grid_plan *grid, uint32_t table)
{
    return !(knows_cells(grid) && table > 0 && grid->box_cells <= table);
}

bool xli_grid_may_list(const xli_grid_plan *grid, size_t n)
{
    return may_list(grid, choose_table(grid, n));
}

/* The most points, n at most, of a build that may list rows. */
static size_t most_listed(const xli_grid_plan *grid, size_t n)
{
    size_t low = 0, high = n;
    if (xli_grid_may_list(grid, n))
        return n;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (xli_grid_may_list(grid, middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static size_t take(size_t *bytes, size_t count, size_t element_bytes)
{
    size_t at = *bytes;
    *bytes = at + xli_round_up(count * element_bytes, XLI_SCRATCH_ALIGN);
    return at;
}

static size_t buckets_of(const xli_grid_plan *grid, size_t n)
{
    return n == 0 ? 0 : xli_min(xli_max(n / grid->tune.bucket, 1), MAX_BUCKETS);
}

/* Most points whose rows are listed by buckets. If it is known that rows are listed, only the time
 * of that counts; if not, fewer commands that find nothing to do count as well. */
static size_t most_sampled(const xli_grid_plan *grid)
{
    return knows_cells(grid) || grid->tune.table == 0
               ? xli_min(grid->tune.sampled, grid->tune.sampled_alone)
               : grid->tune.sampled;
}

/* Most points in buckets, if `listed` points may have their rows listed. */
static size_t most_in_buckets(const xli_grid_plan *grid, size_t listed)
{
    return grid->sorts ? 0 : xli_min(listed, most_sampled(grid));
}

/* Most points whose keys are sorted. */
static size_t most_keys(const xli_grid_plan *grid, size_t n, size_t listed)
{
    return grid->sorts ? n : listed > most_sampled(grid) ? listed : 0;
}

bool xli_grid_always_sorts(const xli_grid_plan *grid)
{
    return grid->sort && (grid->sorts || most_sampled(grid) == 0);
}

bool xli_grid_lists(const xli_grid_plan *grid, const xli_grid_layout *layout)
{
    return layout->lists && (knows_cells(grid) || layout->table == 0);
}

bool xli_grid_counts(const xli_grid_plan *grid, const xli_grid_layout *layout)
{
    return !grid->sorts && (layout->buckets > 0 || !xli_grid_lists(grid, layout));
}

bool xli_grid_sorts_keys(const xli_grid_plan *grid, const xli_grid_layout *layout)
{
    return grid->sorts || (layout->lists && layout->buckets == 0);
}

/* The sort chooses by n, which is an upper limit: the device counts the elements. */
xl_status xli_grid_prepare(xl_plan *base, const void *of, const xli_span *spans)
{
    xl_status status;
    xli_grid_layout layout;
    xli_grid_plan *const grid = (xli_grid_plan *)base;
    const size_t n = ((const xl_grid_build_args *)of)->n;
    (void)spans;
    XL_TRY(xli_grid_plan_layout(grid, n, &layout));
    if (n == 0)
        goto done;
    if (xli_grid_sorts_keys(grid, &layout))
        XL_TRY(xli_grid_build_program(grid, XLI_GRID_SORTING));
    if (grid->sort && most_keys(grid, n, n) > 0)
        XL_TRY(xl_plan_prepare(grid->sort, &(xl_sort_args){.n = n}));
done:
    return status;
}

xli_grid_shape xli_grid_few_groups(const xli_grid_plan *grid, xli_grid_kernel kernel, size_t n)
{
    size_t size = xli_min(grid->tune.group, grid->kernels[kernel].max_group);
    size_t fill = xli_max(grid->tune.bounds_groups, xli_ceil_div(n, size * MAX_LOOKS));
    return (xli_grid_shape){.groups = xli_max(1, xli_min(xli_ceil_div(n, size), fill)),
                            .size = size};
}

/* Takes the parts that a build of n points needs before the points are in order. `listed` of them
 * may be listed. */
static xl_status take_first(const xli_grid_plan *grid, size_t n, size_t listed, xli_grid_layout *l,
                            size_t *bytes)
{
    xl_status status = XL_SUCCESS;
    size_t sort_bytes = 0;
    const size_t buckets = buckets_of(grid, most_in_buckets(grid, listed));
    const size_t keys = most_keys(grid, n, listed);
    const bool wide = grid->space.scalar == XL_F64;
    const size_t point_bytes = sizeof(cl_uint4) + (wide ? 3 * sizeof(cl_double) : 0) +
                               (grid->space.num_systems > 0 ? sizeof(cl_uint) : 0) +
                               (grid->space.wrap ? 3 * sizeof(cl_int) : 0);
    if (grid->sort)
        XL_TRY(xl_sort_scratch(grid->sort, &(xl_sort_args){.n = keys}, &sort_bytes));
    l->header = take(bytes, 1, sizeof(xli_grid_header));
    l->found = take(bytes, xli_grid_few_groups(grid, XLI_GRID_BOUNDS, n).groups + 1,
                    sizeof(xli_grid_found) + (wide ? 6 * sizeof(cl_uint) : 0));
    l->keys = *bytes;
    l->unordered = take(bytes, grid->sorts ? 0 : n, sizeof(cl_uint));
    l->crowded = take(bytes, l->overfull, sizeof(cl_uint));
    l->places = take(bytes, OVERSAMPLING * buckets, sizeof(cl_uint));
    l->splitters = take(bytes, buckets, sizeof(cl_ulong2));
    l->parts = take(bytes, buckets, sizeof(xli_grid_part));
    *bytes = xli_max(*bytes, l->keys + xli_round_up(keys * sizeof(cl_ulong), XLI_SCRATCH_ALIGN));
    l->sorted = l->bucket_of = take(bytes, xli_grid_pitch(n), point_bytes);
    l->ranks = l->bucket_of + xli_round_up(n * sizeof(cl_uint), XLI_SCRATCH_ALIGN);
    *bytes = xli_max(*bytes, l->sorted + xli_round_up(sort_bytes, XLI_SCRATCH_ALIGN));
done:
    return status;
}

/* Takes the parts for where points begin: the table or the starts of buckets; or rows, and in a
 * build by sorting the values that they are made from. */
static void take_starts(const xli_grid_plan *grid, size_t n, size_t listed, xli_grid_layout *l,
                        size_t *bytes)
{
    const size_t keys = most_keys(grid, n, listed);
    const size_t counted = xli_max(l->table, buckets_of(grid, most_in_buckets(grid, listed)));
    l->starts = *bytes;
    take(bytes, listed, sizeof(cl_ulong));
    l->begins = take(bytes, listed > 0 ? listed + 1 : 0, sizeof(cl_uint));
    l->values = take(bytes, keys, sizeof(cl_uint));
    *bytes = xli_max(*bytes,
                     l->starts + xli_round_up((counted + 1) * sizeof(cl_uint), XLI_SCRATCH_ALIGN));
}

xl_status xli_grid_plan_layout(const xli_grid_plan *grid, size_t n, xli_grid_layout *layout)
{
    size_t bytes = 0;
    xl_status status;
    xli_grid_layout l = {.table = choose_table(grid, n)};
    XL_TRY(xli_grid_check_n(grid->base.ctx, "args.n", n, grid->stride));
    const size_t listed = most_listed(grid, n);
    l.lists = may_list(grid, l.table);
    if (l.lists && n == most_in_buckets(grid, n))
        l.buckets = (uint32_t)buckets_of(grid, n);
    l.entries = (uint32_t)xli_max(l.table, l.buckets);
    l.overfull = grid->counts ? (uint32_t)(n / grid->tune.overfull_points + 1) : 0;
    XL_TRY(take_first(grid, n, listed, &l, &bytes));
    take_starts(grid, n, listed, &l, &bytes);
    const size_t summed = xli_max(listed, grid->counts ? (size_t)l.entries + 1 : 0);
    l.totals = take(&bytes, summed > 0 ? xli_sums_scratch(&grid->sums, summed) : 0, 1);
    l.bytes = bytes;
    *layout = l;
done:
    return status;
}

/* SPDX-License-Identifier: MIT
 * The build of an index.
 *
 * Phases: box of the points, and points that are wrong -> shape of the grid, and zeros for the
 * counters -> points in order, and where rows or entries begin. The last phase counts (entry of
 * each point and its arrival in the entry -> exclusive sum -> scatter -> order by index) or sorts.
 *
 * The device makes each decision that depends on the points, so that nothing waits for the host. If
 * the device may take a table or a list of rows, the commands for both are enqueued, and those of
 * one find nothing to do. Up to grid.sampled points both count, so that these commands are few: to
 * list rows, a point has a bucket instead of an entry (cl/grid/grid_list.cl): splitters -> bucket
 * of each point and its arrival there -> exclusive sum -> scatter -> order of each bucket -> list.
 * For more points, or for more than grid.sampled_alone if it is known that rows are listed, rows
 * are sorted. A sort or a sum of nothing may still use its scratch, so they come first.
 *
 * Points are not partitioned first, so that a work-group orders each part of the table in local
 * memory: on an H200 that saves 7 to 13 % for uniform points, costs 14 % for a lattice, and takes
 * four to seven times as long if a few parts have most of the points (docs/notebook.md).
 *
 * In a given box, counting needs no launch before it: wrong points are found while points are
 * counted. */
#include "grid_launch.h"

static cl_float4 lower_of(const xli_grid_plan *grid)
{
    const float *const p = grid->lower;
    return (cl_float4){{p[0], p[1], p[2], 0}};
}

/* In a batch, with the number of the last system. */
static cl_float4 upper_of(const xli_grid_plan *grid)
{
    const float *const p = grid->upper;
    const uint32_t systems = grid->space.num_systems;
    return (cl_float4){{p[0], p[1], p[2], systems > 0 ? (float)(systems - 1) : 0}};
}

/* A bit that marks the first index of each entry during a build; 0 if indices need all bits. */
static cl_uint flag_of(const xli_grid_build *b)
{
    const cl_uint flag = (cl_uint)1 << 31;
    return b->index->n <= flag ? flag : 0;
}

/* The share of the inner box that a cell has if the build chooses the edge, otherwise 0. The inner box
 * has nine tenths of the points along each axis. */
static cl_float share_of(const xli_grid_plan *grid, size_t n)
{
    static const float inner[] = {1.0f, 0.9f, 0.81f, 0.729f};
    const float systems = (float)xli_max(grid->space.num_systems, 1);
    const float points = inner[grid->space.dimensions] * (float)xli_max(n, 1);
    return grid->points_per_cell * systems / points;
}

/* Finds the box and the shape. */
static xl_status launch_shape(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_plan *const grid = b->grid;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    const bool looks =
        n > 0 && (!grid->space.bounded || xli_grid_sorts_keys(b->grid, &b->index->layout));
    const cl_float4 lower = lower_of(grid), upper = upper_of(grid);
    const xli_arg box[2] = {XLI_BYTES(&lower, sizeof lower), XLI_BYTES(&upper, sizeof upper)};
    const xli_grid_shape look = xli_grid_few_groups(grid, XLI_GRID_BOUNDS, n);
    const xli_grid_shape set = xli_grid_few_groups(
        grid, XLI_GRID_SETUP,
        xli_grid_counts(b->grid, &b->index->layout) && n > 0 ? (size_t)layout->entries + 1 : 1);
    const cl_float share = share_of(grid, n);
    const xli_grid_shape inner = {
        .groups = 1, .size = xli_min(grid->tune.group, grid->kernels[XLI_GRID_INNER].max_group)};
    if (share > 0 && n > 0)
        XL_TRY(LAUNCH_IN(b, XLI_GRID_INNER, inner, GIVEN(b), BUFFER(b), PART(b, found),
                         XLI_U32(looks ? look.groups : 0)));
    if (looks)
        XL_TRY(LAUNCH_IN(b, XLI_GRID_BOUNDS, look, GIVEN(b), BUFFER(b), PART(b, found), box[0],
                         box[1]));
    XL_TRY(LAUNCH_IN(b, XLI_GRID_SETUP, set, BUFFER(b), PART(b, header), PART(b, found),
                     XLI_U32(looks ? look.groups : 0), XLI_U32(n), XLI_U32(layout->table),
                     XLI_U32(grid->sorts), XLI_U32(layout->buckets), XLI_U32(b->index->stamp),
                     XLI_BYTES(&grid->inverse, sizeof grid->inverse),
                     XLI_BYTES(&grid->thin, sizeof grid->thin),
                     XLI_BYTES(&grid->beyond, sizeof grid->beyond), XLI_BYTES(&share, sizeof share),
                     box[0], box[1], PART(b, starts), PART(b, places)));
done:
    return status;
}

/* Replaces counters in the storage by their sums: at most n, as many as the device has counted. */
static xl_status sum_counters(const xli_grid_build *b, size_t n, xl_view n_device, size_t part,
                              bool inclusive)
{
    const xl_view words = xli_grid_view(b, part, 0, sizeof(cl_uint));
    return xli_sums_launch(
        &b->grid->sums, b->seq,
        &(xli_sums_call){.words = words.buffer,
                         .at = words.offset,
                         .inclusive = inclusive,
                         .n = n,
                         .n_device = n_device,
                         .totals = b->index->storage,
                         .totals_at = b->index->storage_at + b->index->layout.totals});
}

/* Counts of entries, or of buckets, become starts. */
static xl_status sum_counts(const xli_grid_build *b)
{
    const xli_grid_layout *const layout = &b->index->layout;
    return sum_counters(b, (size_t)layout->entries + 1, COUNT(b, counted), layout->starts, false);
}

/* Orders cells that are too full for one work-item a point, or buckets; then lists rows. */
static xl_status launch_cells(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_plan *const grid = b->grid;
    const xli_grid_layout *const layout = &b->index->layout;
    const xli_arg entries = XLI_U32(layout->entries), buckets = XLI_U32(layout->buckets);
    const size_t n = b->index->n;
    const xli_grid_shape sort = {.groups = grid->tune.overfull_groups,
                                 .size = xli_min(grid->tune.overfull_group_size,
                                                 grid->kernels[XLI_GRID_OVERFULL].max_group)};
    if (n > grid->tune.overfull_points || layout->buckets > 0)
        XL_TRY(LAUNCH_IN(b, XLI_GRID_OVERFULL, sort, GIVEN(b), BUFFER(b), PART(b, header), entries,
                         PART(b, starts), PART(b, unordered), PART(b, sorted), PART(b, crowded),
                         XLI_U32(layout->overfull), PART(b, parts), buckets, XLI_U32(flag_of(b))));
    if (layout->buckets > 0)
        XL_TRY(LAUNCH_IN(b, XLI_GRID_LIST_PARTS, xli_grid_few_groups(grid, XLI_GRID_LIST_PARTS, n),
                         BUFFER(b), PART(b, header), XLI_U32(n), PART(b, sorted), PART(b, parts),
                         buckets, PART(b, starts), PART(b, begins)));
done:
    return status;
}

/* The indices in the order of entries. With windows, a work-item takes several points: if the points turn
 * out to be in some order, the groups of all windows but the first have nothing to do, and each costs some
 * time. */
static xl_status launch_scatter(const xli_grid_build *b)
{
    enum { ITEMS = 8, MOST_WINDOWS = 64 };
    xl_status status;
    const xli_grid_plan *const grid = b->grid;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n, window = grid->tune.window;
    const size_t windows = layout->table > 0 && window > 0 && n > window
                               ? xli_min(xli_ceil_div(n, window), MOST_WINDOWS)
                               : 1;
    const uint32_t items = windows > 1 ? ITEMS : grid->tune.items;
    xli_grid_shape shape =
        xli_grid_shape_of(&grid->kernels[XLI_GRID_SCATTER], n, grid->tune.group, items);
    shape.groups *= windows;
    XL_TRY(LAUNCH_IN(b, XLI_GRID_SCATTER, shape, BUFFER(b), PART(b, header), XLI_U32(n),
                     XLI_U32(layout->entries), XLI_U32(layout->buckets), XLI_U32(flag_of(b)),
                     PART(b, starts), PART(b, bucket_of), PART(b, ranks), PART(b, unordered),
                     XLI_U32(windows), XLI_U32(items)));
done:
    return status;
}

static xl_status launch_counting(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_plan *const grid = b->grid;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    const xli_arg entries = XLI_U32(layout->entries), buckets = XLI_U32(layout->buckets);
    const cl_float4 lower = lower_of(grid), upper = upper_of(grid);
    if (layout->buckets > 0)
        XL_TRY(LAUNCH_IN(b, XLI_GRID_SPLIT, xli_grid_few_groups(grid, XLI_GRID_SPLIT, n), GIVEN(b),
                         BUFFER(b), PART(b, header), buckets, PART(b, places), PART(b, splitters)));
    XL_TRY(LAUNCH(b, XLI_GRID_KEYS, n, GIVEN(b), BUFFER(b), PART(b, header), entries, buckets,
                  XLI_BYTES(&lower, sizeof lower), XLI_BYTES(&upper, sizeof upper),
                  PART(b, splitters), PART(b, starts), PART(b, bucket_of), PART(b, ranks)));
    XL_TRY(sum_counts(b));
    XL_TRY(launch_scatter(b));
    if (!xli_grid_lists(b->grid, &b->index->layout))
        XL_TRY(LAUNCH(b, XLI_GRID_ORDER, n, GIVEN(b), BUFFER(b), PART(b, header), entries,
                      XLI_U32(flag_of(b)), PART(b, starts), PART(b, unordered), PART(b, sorted),
                      PART(b, crowded), XLI_U32(grid->tune.overfull_points),
                      XLI_U32(layout->overfull)));
    XL_TRY(launch_cells(b));
done:
    return status;
}

/* ---- sorting ----
 * For rows: row and x of each point -> sort -> if row and x need more bits than a key has, sort by row
 * once more -> gather -> flags where rows begin -> their sums -> list of rows. For a table: entry of
 * each point -> sort -> gather -> starts by search. */

/* Sorts keys and values, whose number is in the header. */
static xl_status sort_keys(const xli_grid_build *b, xl_view n_device)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const xl_view keys = xli_grid_view(b, layout->keys, 0, sizeof(cl_ulong));
    const xl_view values = xli_grid_view(b, layout->values, 0, sizeof(cl_uint));
    XL_TRY(xli_seq_nest(b->seq));
    XL_TRY(xl_sort_enqueue(b->grid->sort, b->seq->queue,
                           &(xl_sort_args){.n = b->index->n,
                                           .n_device = n_device,
                                           .keys_in = keys,
                                           .values_in = values,
                                           .keys_out = keys,
                                           .values_out = values,
                                           .scratch = xli_grid_view(b, layout->sorted, 0, 1)},
                           XLI_NEST(b->seq)));
    xli_seq_nested(b->seq);
done:
    return status;
}

/* Lists the rows of sorted keys. */
static xl_status launch_list(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    XL_TRY(LAUNCH(b, XLI_GRID_HEADS, n, BUFFER(b), PART(b, header), XLI_U32(n), PART(b, keys),
                  PART(b, values)));
    XL_TRY(sum_counters(b, n, COUNT(b, flagged), layout->values, true));
    XL_TRY(LAUNCH(b, XLI_GRID_LIST, n, BUFFER(b), PART(b, header), XLI_U32(n), PART(b, keys),
                  PART(b, values), PART(b, starts), PART(b, begins)));
done:
    return status;
}

static xl_status launch_sorting(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    const xli_arg table = XLI_U32(layout->table);
    XL_TRY(LAUNCH(b, XLI_GRID_SORT_KEYS, n, GIVEN(b), BUFFER(b), PART(b, header), table,
                  PART(b, keys), PART(b, values)));
    XL_TRY(sort_keys(b, COUNT(b, sorted)));
    if (layout->lists) {
        XL_TRY(LAUNCH(b, XLI_GRID_SORT_AGAIN, n, GIVEN(b), BUFFER(b), PART(b, header), table,
                      PART(b, keys), PART(b, values)));
        XL_TRY(sort_keys(b, COUNT(b, sorted_again)));
    }
    XL_TRY(LAUNCH(b, XLI_GRID_GATHER, n, GIVEN(b), BUFFER(b), PART(b, header), PART(b, values),
                  PART(b, sorted)));
    if (layout->lists)
        XL_TRY(launch_list(b));
    if (b->grid->sorts && layout->table > 0)
        XL_TRY(LAUNCH(b, XLI_GRID_STARTS, (size_t)layout->table + 1, BUFFER(b), PART(b, header),
                      XLI_U32(n), PART(b, starts), table, PART(b, keys)));
done:
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct build_call {
    xl_grid_build_args args;
    xl_grid_index *index;
} build_call;

enum { ARRAYS = XLI_GRID_SYSTEMS + 1 };

static xl_status count(const xl_plan *base, const void *of)
{
    const build_call *const call = of;
    if (!call->index)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT, "index: NULL");
    if (call->index->ctx != base->ctx)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of another context; must be of the plan's");
    if (((const xli_grid_plan *)base)->space.own_cells != (call->args.cells != NULL))
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT, "args.cells: %s",
                        call->args.cells ? "given; must not be given without XL_BOUNDS_PER_SYSTEM"
                                         : "NULL; must be given with XL_BOUNDS_PER_SYSTEM");
    return xli_grid_check_n(base->ctx, "args.n", call->args.n,
                            ((const xli_grid_plan *)base)->stride);
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xl_grid_build_args *const args = &((const build_call *)of)->args;
    const xli_grid_plan *const grid = (const xli_grid_plan *)base;
    xli_array *const systems = &arrays[XLI_GRID_SYSTEMS];
    xli_grid_list_points(grid, args->n,
                         (const xl_view[]){args->points, args->points_y, args->points_z}, arrays);
    *systems = xli_input("args.systems", args->systems, args->n, sizeof(cl_uint));
    if (grid->space.num_systems == 0)
        systems->unused = "must not be given, because desc.space.num_systems is 0";
    return ARRAYS;
}

static xl_status launch_build(const xli_grid_build *b)
{
    xl_status status;
    const size_t n = b->index->n;
    XL_TRY(launch_shape(b));
    if (n > 0 && xli_grid_sorts_keys(b->grid, &b->index->layout))
        XL_TRY(launch_sorting(b));
    if (n > 0 && xli_grid_counts(b->grid, &b->index->layout))
        XL_TRY(launch_counting(b));
done:
    return status;
}

/* Not by xli_plan_call(), because the index keeps the event, and owns the scratch. */
xl_status xl_grid_build_enqueue(xl_plan *base, xl_grid_index *index, cl_command_queue queue,
                                const xl_grid_build_args *args, cl_uint num_waits,
                                const cl_event *waits, cl_event *event)
{
    static const xli_call table = {.args = {"args", sizeof(xl_grid_build_args), NULL},
                                   .index_at = offsetof(build_call, index),
                                   .count = count,
                                   .arrays = arrays};
    xl_status status;
    xli_seq seq = {0};
    build_call call;
    xli_span spans[ARRAYS], storage;
    size_t num_spans;
    xl_grid_index *entered = NULL;
    xli_grid_table made = {NULL, 0, 0};
    if (event)
        *event = NULL;
    XL_TRY(xli_call_read(xli_grid_primitive, &table, base, index, args, &call));
    XL_TRY(xli_seq_begin(&seq, base->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_call_check(&table, base, &call, spans, &num_spans));
    XL_TRY(xli_grid_prepare(base, &call.args, spans));
    const xli_grid_plan *const grid = (const xli_grid_plan *)base;
    if (grid->space.own_cells)
        XL_TRY(xli_grid_table_of_all(base->ctx, &grid->space, call.args.cells, &made));
    XL_TRY(xli_grid_index_enter(index, &seq, grid, call.args.n, call.args.storage,
                                made.rows ? &made : &grid->table, spans, &storage));
    entered = index;
    XL_TRY(launch_build(&(xli_grid_build){grid, index, &seq, spans}));
done:
    if (made.rows)
        clReleaseMemObject(made.rows);
    return xli_grid_index_leave(entered, &seq, status, event);
}

/* SPDX-License-Identifier: MIT
 * The build of an index, and the order it found.
 *
 * Phases: box of the points, and what is wrong with them -> shape of the grid, and zeros for what
 * is counted -> points in order and where they begin. These by counting: entry of each point and
 * arrival in it -> exclusive sum -> scatter -> order by index; or by sorting, grid_sorting.c.
 *
 * Every decision that depends on the points is the device's, so nothing waits: where it may be a
 * table or a list of rows, the commands of both are there, and those of one find nothing to do. Up
 * to grid.sampled points these are few, since both count: where rows are to be listed a point has a
 * bucket instead of an entry (cl/grid/grid_sample.cl): splitters -> bucket of each point and
 * arrival in it -> exclusive sum -> scatter -> order of each bucket -> list. For more points, or
 * where it is known that rows are listed more than grid.sampled_alone, rows are sorted: a sort or a
 * scan of nothing may still use its scratch, so they come first.
 *
 * Points are not put into parts of the table first, each to be ordered by a work-group in local
 * memory: on an H200 that takes 7 to 13 % less of uniform points, 14 % more of a lattice, and four
 * to seven times as long where some parts have most of the points (docs/notebook.md).
 *
 * With a box that is given counting needs no look at the points before: what is wrong with them is
 * found while they are counted.
 *
 * Counting and sorting, each with what searches then take: 10^6 uniform points on a CPU (PoCL 3.1,
 * 2 cores), see docs/notebook.md. */
#include "grid_launch.h"

/* In a box that is given it is known whether rows are listed. */
static bool lists_for_certain(const xli_grid_build *b)
{
    const xli_grid_layout *const layout = &b->index->layout;
    return layout->lists && (b->grid->desc.bounded || layout->table == 0);
}

/* Whether points are counted, and whether keys are sorted. */
static bool counts(const xli_grid_build *b)
{
    return !b->grid->sorts && (b->index->layout.buckets > 0 || !lists_for_certain(b));
}

static bool sorts_keys(const xli_grid_build *b)
{
    const xli_grid_layout *const layout = &b->index->layout;
    return b->grid->sorts || (layout->lists && layout->buckets == 0);
}

static cl_float4 lower_of(const xli_grid_plan *grid)
{
    const float *const p = grid->desc.lower;
    return (cl_float4){{p[0], p[1], p[2], 0}};
}

/* Of a batch with the number of the last system. */
static cl_float4 upper_of(const xli_grid_plan *grid)
{
    const float *const p = grid->desc.upper;
    const uint32_t systems = grid->desc.num_systems;
    return (cl_float4){{p[0], p[1], p[2], systems > 0 ? (float)(systems - 1) : 0}};
}

/* On the first index of each entry, while a build goes on; none where indices need all bits. */
static cl_uint flag_of(const xli_grid_build *b)
{
    const cl_uint flag = (cl_uint)1 << 31;
    return b->index->n <= flag ? flag : 0;
}

/* The box and the shape. */
static xl_status launch_shape(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_plan *const grid = b->grid;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    const bool looks = n > 0 && (!grid->desc.bounded || sorts_keys(b));
    const cl_float4 lower = lower_of(grid), upper = upper_of(grid);
    const xli_arg box[2] = {XLI_BYTES(&lower, sizeof lower), XLI_BYTES(&upper, sizeof upper)};
    const xli_grid_shape look = xli_grid_few_groups(grid, XLI_GRID_BOUNDS, n);
    const xli_grid_shape set = xli_grid_few_groups(
        grid, XLI_GRID_SETUP, counts(b) && n > 0 ? (size_t)layout->entries + 1 : 1);
    if (looks)
        XL_TRY(LAUNCH_IN(b, XLI_GRID_BOUNDS, look, GIVEN(b), BUFFER(b), PART(b, found), box[0],
                         box[1]));
    XL_TRY(LAUNCH_IN(b, XLI_GRID_SETUP, set, BUFFER(b), PART(b, header), PART(b, found),
                     XLI_U32(looks ? look.groups : 0), XLI_U32(n), XLI_U32(layout->table),
                     XLI_U32(grid->sorts), XLI_U32(layout->buckets), XLI_U32(b->index->stamp),
                     XLI_BYTES(&grid->inverse, sizeof grid->inverse),
                     XLI_BYTES(&grid->thin, sizeof grid->thin),
                     XLI_BYTES(&grid->beyond, sizeof grid->beyond), box[0], box[1], PART(b, starts),
                     PART(b, places)));
done:
    return status;
}

/* Counts of entries, or of buckets, become starts. */
static xl_status sum_counts(const xli_grid_build *b)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const xl_view counts_at = xli_grid_view(b, layout->starts, 0, sizeof(cl_uint));
    XL_TRY(xli_seq_nest(b->seq));
    XL_TRY(xl_scan_enqueue(b->grid->scan, b->seq->queue,
                           &(xl_scan_args){.n = (size_t)layout->entries + 1,
                                           .n_device = COUNT(b, counted),
                                           .in = counts_at,
                                           .out = counts_at,
                                           .scratch = xli_grid_view(b, layout->scanned, 0, 1)},
                           XLI_NEST(b->seq)));
    xli_seq_nested(b->seq);
done:
    return status;
}

/* Cells that are too full for one work-item a point, or buckets; then rows. */
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
    XL_TRY(LAUNCH(b, XLI_GRID_SCATTER, n, BUFFER(b), PART(b, header), XLI_U32(n), entries, buckets,
                  XLI_U32(flag_of(b)), PART(b, starts), PART(b, bucket_of), PART(b, ranks),
                  PART(b, unordered)));
    if (!lists_for_certain(b))
        XL_TRY(LAUNCH(b, XLI_GRID_ORDER, n, GIVEN(b), BUFFER(b), PART(b, header), entries,
                      XLI_U32(flag_of(b)), PART(b, starts), PART(b, unordered), PART(b, sorted),
                      PART(b, crowded), XLI_U32(grid->tune.overfull_points),
                      XLI_U32(layout->overfull)));
    XL_TRY(launch_cells(b));
done:
    return status;
}

/* A plan and an index of one context. */
static xl_status check_both(const xli_grid_plan *grid, const xl_grid_index *index)
{
    xl_context *const ctx = grid ? grid->ctx : NULL;
    if (!grid || !index)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", !grid ? "grid" : "index");
    if (index->ctx != ctx)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "index: of another context than the plan");
    return XL_SUCCESS;
}

static xl_status check_systems(const xli_grid_plan *grid, size_t n, xl_view given, xli_span *span)
{
    const bool batch = grid->desc.num_systems > 0;
    const xli_idle_field field = {"systems", given.buffer != NULL, batch, "desc.num_systems is 0"};
    if (!batch)
        return xli_check_idle(grid->ctx, &field, 1);
    return xli_check_view(grid->ctx, "systems", given, n, sizeof(cl_uint), XLI_READ, span);
}

xl_status xli_grid_build_enqueue(xli_grid_plan *grid, xl_grid_index *index, cl_command_queue queue,
                                 const xl_grid_build_args *args, size_t size, cl_uint num_waits,
                                 const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_grid_build_args given = {0};
    xli_seq seq = {0};
    xl_view points[3];
    xli_span in[4] = {{0}}, at;
    xl_grid_index *entered = NULL;
    if (event)
        *event = NULL;
    XL_TRY(check_both(grid, index));
    XL_TRY(XLI_ARGS_READ(grid->ctx, xl_grid_build_args, args, size, &given));
    const size_t n = given.n;
    XL_TRY(xli_seq_begin(&seq, grid->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_check_points(
        grid, n, (const xl_view[]){given.points, given.points_y, given.points_z}, points, in));
    XL_TRY(check_systems(grid, n, given.systems, &in[3]));
    XL_TRY(xli_grid_index_enter(index, &seq, grid, n, given.storage, in, &at));
    entered = index;
    const xli_grid_build b = {grid, index, &seq, points, given.systems};
    XL_TRY(launch_shape(&b));
    if (n > 0 && sorts_keys(&b))
        XL_TRY(xli_grid_launch_sorting(&b));
    if (n > 0 && counts(&b))
        XL_TRY(launch_counting(&b));
done:
    return xli_grid_index_leave(entered, &seq, status, event);
}

xl_status xli_grid_reorder_enqueue(xli_grid_plan *grid, xl_grid_index *index,
                                   cl_command_queue queue, const xl_grid_reorder_args *args,
                                   size_t size, cl_uint num_waits, const cl_event *waits,
                                   cl_event *event)
{
    xl_status status;
    xl_grid_reorder_args given = {0};
    xli_seq seq = {0};
    xli_span spans[2];
    if (event)
        *event = NULL;
    XL_TRY(check_both(grid, index));
    XL_TRY(XLI_ARGS_READ(grid->ctx, xl_grid_reorder_args, args, size, &given));
    const size_t element_bytes = given.element_bytes;
    XL_TRY(xli_seq_begin(&seq, grid->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_index_use(grid->ctx, index, grid->tune.planes, &seq));
    if (element_bytes == 0 || element_bytes % 4 != 0 || element_bytes / 4 > UINT32_MAX)
        XL_TRY(xli_fail(grid->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "element_bytes: %zu; a multiple of 4 above 0, at most 2^34 - 4",
                        element_bytes));
    if (given.reserved != 0)
        XL_TRY(xli_fail(grid->ctx, XL_ERROR_INVALID_ARGUMENT, "reserved: %u, but must be 0",
                        (unsigned)given.reserved));
    const size_t n = index->n, words = element_bytes / 4;
    const xli_grid_kernel which = given.back ? XLI_GRID_REORDER_BACK : XLI_GRID_REORDER;
    XL_TRY(xli_check_view(grid->ctx, "in", given.in, n, element_bytes, XLI_READ, &spans[0]));
    XL_TRY(xli_check_view(grid->ctx, "out", given.out, n, element_bytes, XLI_WRITE, &spans[1]));
    XL_TRY(xli_grid_check_apart(grid->ctx, index, spans, XLI_COUNT(spans)));
    const xli_grid_build b = {grid, index, &seq, NULL, {0}};
    if (n > 0)
        XL_TRY(LAUNCH(&b, which, n * words, BUFFER(&b), PART(&b, sorted), XLI_U64(n),
                      XLI_U32(words), XLI_MEM(given.in.buffer), XLI_U64(given.in.offset * words),
                      XLI_MEM(given.out.buffer), XLI_U64(given.out.offset * words)));
done:
    return xli_seq_end(&seq, status, event);
}

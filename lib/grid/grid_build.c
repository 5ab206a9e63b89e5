/* SPDX-License-Identifier: MIT
 * The build of an index, and the order it found.
 *
 * Phases: clear -> box of the points, and what is wrong with them -> shape of the grid -> points in
 * order and where they begin:
 *   rows, listed: row and x of each point -> sort -> where these need more bits than keys have,
 * sort by row once more -> gather -> flags where rows begin -> their sums -> list; a table, by
 * counting: entry of each point and arrival in it -> exclusive sum -> scatter -> order by index; a
 * table, by sorting: entry of each point -> sort -> starts by search -> gather. Every decision that
 * depends on the points is the device's, so nothing waits: where it may be either, the commands of
 * both are there, and those of one find nothing to do. A sort or a scan of nothing may still use
 * its scratch, so those of rows come first.
 *
 * Counting and sorting, each with what searches then take: 10^6 uniform points on a CPU (PoCL 3.1,
 * 2 cores), see docs/performance.md. */
#include "grid_plan.h"

#include <stddef.h>

/* A work-item looks at no more points than this for the box. */
#define MAX_LOOKS ((size_t)4096)

/* What a build works on. */
typedef struct build {
    const xl_grid *grid;
    const xl_grid_index *index;
    xli_seq *seq;
    xl_view points;
} build;

#define BUFFER(b) XLI_MEM((b)->index->storage)
#define PART(b, part) XLI_GRID_PART((b)->index, part)
/* The points as an argument pair: buffer and offset. */
#define GIVEN(b) XLI_MEM((b)->points.buffer), XLI_U64((b)->points.offset), XLI_U32((b)->index->n)

/* A part of the storage from its byte `more` on, as elements of so many bytes. */
static xl_view part_view(const build *b, size_t part, size_t more, size_t element_bytes)
{
    return xl_view_of(b->index->storage, (b->index->storage_at + part + more) / element_bytes);
}

/* One of the numbers that the header begins with, for a step inside to read. */
#define COUNT(b, which)                                                                            \
    part_view((b), (b)->index->layout.header, offsetof(xli_grid_header, which), sizeof(cl_ulong))

/* Launches a kernel of the grid over n elements. */
#define LAUNCH(b, which, n, ...)                                                                   \
    XLI_LAUNCH((b)->seq, kernel_of((b)->grid, which), shape_of((b)->grid, (which), (n)).groups,    \
               shape_of((b)->grid, (which), (n)).size, __VA_ARGS__)

/* Launching sets its arguments, under its lock. */
static xli_kernel *kernel_of(const xl_grid *grid, xli_grid_kernel which)
{
    return (xli_kernel *)&grid->kernels[which];
}

static xli_grid_shape shape_of(const xl_grid *grid, xli_grid_kernel which, size_t n)
{
    return xli_grid_shape_of(&grid->kernels[which], n, grid->tune.group, grid->tune.items);
}

/* As many groups as fill the device, and more where one would look at too much. */
static xli_grid_shape bounds_shape(const xl_grid *grid, size_t n)
{
    size_t size = xli_min(grid->tune.group, grid->kernels[XLI_GRID_BOUNDS].max_group);
    size_t fill = xli_max(grid->tune.bounds_groups, xli_ceil_div(n, size * MAX_LOOKS));
    return (xli_grid_shape){.groups = xli_min(xli_ceil_div(n, size), fill), .size = size};
}

static cl_float4 corner(const float *p)
{
    return (cl_float4){{p[0], p[1], p[2], 0}};
}

/* The box and the shape. */
static xl_status launch_shape(const build *b)
{
    xl_status status;
    const xl_grid *const grid = b->grid;
    const size_t n = b->index->n;
    cl_float4 lower = corner(grid->desc.lower), upper = corner(grid->desc.upper);
    xli_grid_shape box = bounds_shape(grid, n);
    XL_TRY(XLI_LAUNCH(b->seq, kernel_of(grid, XLI_GRID_CLEAR), 1, 1, BUFFER(b), PART(b, header)));
    if (n > 0)
        XL_TRY(XLI_LAUNCH(b->seq, kernel_of(grid, XLI_GRID_BOUNDS), box.groups, box.size, GIVEN(b),
                          BUFFER(b), PART(b, header), XLI_BYTES(&lower, sizeof lower),
                          XLI_BYTES(&upper, sizeof upper)));
    XL_TRY(XLI_LAUNCH(b->seq, kernel_of(grid, XLI_GRID_SETUP), 1, 1, BUFFER(b), PART(b, header),
                      XLI_U32(n), XLI_U32(b->index->layout.table), XLI_U32(grid->sorts),
                      XLI_U32(b->index->stamp), XLI_BYTES(&grid->inverse, sizeof grid->inverse),
                      XLI_BYTES(&grid->thin, sizeof grid->thin),
                      XLI_BYTES(&grid->beyond, sizeof grid->beyond),
                      XLI_BYTES(&lower, sizeof lower), XLI_BYTES(&upper, sizeof upper)));
done:
    return status;
}

static xl_status launch_counting(const build *b)
{
    xl_status status;
    const xl_grid *const grid = b->grid;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n, buckets = (size_t)layout->table + 1;
    const xl_view counts = part_view(b, layout->starts, 0, sizeof(cl_uint));
    const xli_arg table = XLI_U32(layout->table);
    xli_kernel *const overfull = kernel_of(grid, XLI_GRID_OVERFULL);
    XL_TRY(LAUNCH(b, XLI_GRID_ZERO, buckets, BUFFER(b), PART(b, header), table, PART(b, starts)));
    XL_TRY(LAUNCH(b, XLI_GRID_KEYS, n, GIVEN(b), BUFFER(b), PART(b, header), table, PART(b, starts),
                  PART(b, buckets), PART(b, ranks)));
    XL_TRY(xli_seq_nest(b->seq));
    XL_TRY(xl_scan_enqueue(grid->scan, b->seq->queue,
                           &(xl_scan_args){.n = buckets,
                                           .n_device = COUNT(b, counted),
                                           .in = counts,
                                           .out = counts,
                                           .scratch = part_view(b, layout->scanned, 0, 1)},
                           XLI_NEST(b->seq)));
    xli_seq_nested(b->seq);
    XL_TRY(LAUNCH(b, XLI_GRID_SCATTER, n, BUFFER(b), PART(b, header), XLI_U32(n), table,
                  PART(b, starts), PART(b, buckets), PART(b, ranks), PART(b, unordered)));
    XL_TRY(LAUNCH(b, XLI_GRID_ORDER, n, GIVEN(b), BUFFER(b), PART(b, header), table,
                  PART(b, starts), PART(b, unordered), PART(b, sorted), PART(b, ranks),
                  XLI_U32(grid->tune.overfull_points)));
    if (n > grid->tune.overfull_points)
        XL_TRY(XLI_LAUNCH(b->seq, overfull, grid->tune.overfull_groups,
                          xli_min(grid->tune.overfull_group_size, overfull->max_group), GIVEN(b),
                          BUFFER(b), PART(b, header), table, PART(b, starts), PART(b, unordered),
                          PART(b, sorted), PART(b, ranks)));
done:
    return status;
}

/* Sorts keys and values, of which there are as many as the header says. */
static xl_status sort_keys(const build *b, xl_view n_device)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const xl_view keys = part_view(b, layout->keys, 0, sizeof(cl_ulong));
    const xl_view values = part_view(b, layout->values, 0, sizeof(cl_uint));
    XL_TRY(xli_seq_nest(b->seq));
    XL_TRY(xl_sort_enqueue(b->grid->sort, b->seq->queue,
                           &(xl_sort_args){.n = b->index->n,
                                           .n_device = n_device,
                                           .keys_in = keys,
                                           .values_in = values,
                                           .keys_out = keys,
                                           .values_out = values,
                                           .scratch = part_view(b, layout->sorted, 0, 1)},
                           XLI_NEST(b->seq)));
    xli_seq_nested(b->seq);
done:
    return status;
}

/* Of sorted keys, the list of rows. */
static xl_status launch_list(const build *b)
{
    xl_status status;
    const xli_grid_layout *const layout = &b->index->layout;
    const size_t n = b->index->n;
    const xl_view flags = part_view(b, layout->values, 0, sizeof(cl_uint));
    XL_TRY(LAUNCH(b, XLI_GRID_HEADS, n, BUFFER(b), PART(b, header), XLI_U32(n), PART(b, keys),
                  PART(b, values)));
    XL_TRY(xli_seq_nest(b->seq));
    XL_TRY(xl_scan_enqueue(b->grid->rank, b->seq->queue,
                           &(xl_scan_args){.n = n,
                                           .n_device = COUNT(b, flagged),
                                           .in = flags,
                                           .out = flags,
                                           .scratch = part_view(b, layout->starts, 0, 1)},
                           XLI_NEST(b->seq)));
    xli_seq_nested(b->seq);
    XL_TRY(LAUNCH(b, XLI_GRID_LIST, n, BUFFER(b), PART(b, header), XLI_U32(n), PART(b, keys),
                  PART(b, values), PART(b, starts), PART(b, begins)));
done:
    return status;
}

static xl_status launch_sorting(const build *b)
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

/* A plan and an index of one context. */
static xl_status check_both(const xl_grid *grid, const xl_grid_index *index)
{
    xl_context *const ctx = grid ? grid->ctx : NULL;
    if (!grid || !index)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", !grid ? "grid" : "index");
    if (index->ctx != ctx)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "index: of another context than the plan");
    return XL_SUCCESS;
}

xl_status xl_grid_build_enqueue_sized(xl_grid *grid, xl_grid_index *index, cl_command_queue queue,
                                      const xl_grid_build_args *args, size_t size,
                                      cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_grid_build_args given = {0};
    xli_seq seq = {0};
    xli_span in, at;
    xl_grid_index *entered = NULL;
    if (event)
        *event = NULL;
    XL_TRY(check_both(grid, index));
    XL_TRY(XLI_ARGS_READ(grid->ctx, xl_grid_build_args, args, size, &given));
    const size_t n = given.n;
    XL_TRY(xli_seq_begin(&seq, grid->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_check_n(grid->ctx, n, grid->desc.stride));
    /* Behind the last point nothing is read, so that points may begin anywhere in a structure. */
    const size_t scalars = n > 0 ? (n - 1) * grid->desc.stride + grid->desc.dimensions : 0;
    XL_TRY(xli_check_view(grid->ctx, "points", given.points, scalars, sizeof(cl_float), XLI_READ,
                          &in));
    XL_TRY(xli_grid_index_enter(index, &seq, grid, n, given.storage, &in, &at));
    entered = index;
    const build b = {grid, index, &seq, given.points};
    XL_TRY(launch_shape(&b));
    if (n > 0 && (grid->sorts || index->layout.lists))
        XL_TRY(launch_sorting(&b));
    if (n > 0 && !grid->sorts && index->layout.table > 0)
        XL_TRY(launch_counting(&b));
done:
    return xli_grid_index_leave(entered, &seq, status, event);
}

xl_status xl_grid_reorder_enqueue_sized(xl_grid *grid, xl_grid_index *index, cl_command_queue queue,
                                        const xl_grid_reorder_args *args, size_t size,
                                        cl_uint num_waits, const cl_event *waits, cl_event *event)
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
    const size_t n = index->n, words = element_bytes / 4;
    XL_TRY(xli_check_view(grid->ctx, "in", given.in, n, element_bytes, XLI_READ, &spans[0]));
    XL_TRY(xli_check_view(grid->ctx, "out", given.out, n, element_bytes, XLI_WRITE, &spans[1]));
    XL_TRY(xli_grid_check_apart(grid->ctx, index, spans, XLI_COUNT(spans)));
    const build b = {grid, index, &seq, given.in};
    if (n > 0)
        XL_TRY(LAUNCH(&b, XLI_GRID_REORDER, n * words, BUFFER(&b), PART(&b, sorted), XLI_U64(n),
                      XLI_U32(words), XLI_MEM(given.in.buffer), XLI_U64(given.in.offset * words),
                      XLI_MEM(given.out.buffer), XLI_U64(given.out.offset * words)));
done:
    return xli_seq_end(&seq, status, event);
}

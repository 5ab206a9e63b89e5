/* SPDX-License-Identifier: MIT
 * The build of a grid, how it went, and the order it found.
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
#include <string.h>

/* A work-item looks at no more points than this for the box. */
#define MAX_LOOKS ((size_t)4096)

#define BUFFER(grid) XLI_MEM((grid)->storage)
#define PART(grid, part) XLI_GRID_PART(grid, part)

/* One of the numbers that the header begins with, for a step inside to read. */
#define COUNT(grid, which)                                                                         \
    xl_view_of((grid)->storage,                                                                    \
               ((grid)->storage_at + (grid)->layout.header + offsetof(xli_grid_header, which)) /   \
                   sizeof(cl_ulong))

/* Launches a kernel of the grid over n elements. */
#define LAUNCH(seq, grid, which, n, ...)                                                           \
    XLI_LAUNCH((seq), &(grid)->kernels[which], shape_of((grid), (which), (n)).groups,              \
               shape_of((grid), (which), (n)).size, __VA_ARGS__)

static xli_grid_shape shape_of(const xl_grid *grid, xli_grid_kernel which, size_t n)
{
    return xli_grid_shape_of(&grid->kernels[which], n, grid->tune.group, grid->tune.items);
}

/* As many groups as fill the device, and more where one would look at too much. */
static xli_grid_shape bounds_shape(const xl_grid *grid)
{
    size_t size = xli_min(grid->tune.group, grid->kernels[XLI_GRID_BOUNDS].max_group);
    size_t fill = xli_max(grid->tune.bounds_groups, xli_ceil_div(grid->n, size * MAX_LOOKS));
    return (xli_grid_shape){.groups = xli_min(xli_ceil_div(grid->n, size), fill), .size = size};
}

static cl_float4 corner(const float *p)
{
    return (cl_float4){{p[0], p[1], p[2], 0}};
}

/* The box and the shape. The points are an argument pair: buffer and offset. */
static xl_status launch_shape(xl_grid *grid, xli_seq *seq, xl_view points)
{
    xl_status status;
    cl_float4 lower = corner(grid->desc.lower), upper = corner(grid->desc.upper);
    xli_grid_shape box = bounds_shape(grid);
    XL_TRY(XLI_LAUNCH(seq, &grid->kernels[XLI_GRID_CLEAR], 1, 1, BUFFER(grid), PART(grid, header)));
    if (grid->n > 0)
        XL_TRY(XLI_LAUNCH(seq, &grid->kernels[XLI_GRID_BOUNDS], box.groups, box.size,
                          XLI_MEM(points.buffer), XLI_U64(points.offset), XLI_U32(grid->n),
                          BUFFER(grid), PART(grid, header), XLI_BYTES(&lower, sizeof lower),
                          XLI_BYTES(&upper, sizeof upper)));
    XL_TRY(XLI_LAUNCH(seq, &grid->kernels[XLI_GRID_SETUP], 1, 1, BUFFER(grid), PART(grid, header),
                      XLI_U32(grid->n), XLI_U32(grid->layout.table), XLI_U32(grid->sorts),
                      XLI_U32(grid->stamp), XLI_BYTES(&grid->inverse, sizeof grid->inverse),
                      XLI_BYTES(&grid->thin, sizeof grid->thin),
                      XLI_BYTES(&grid->beyond, sizeof grid->beyond),
                      XLI_BYTES(&lower, sizeof lower), XLI_BYTES(&upper, sizeof upper)));
done:
    return status;
}

static xl_status launch_counting(xl_grid *grid, xli_seq *seq, xl_view points)
{
    xl_status status;
    size_t n = grid->n, buckets = (size_t)grid->layout.table + 1;
    const xli_arg given = XLI_MEM(points.buffer), at = XLI_U64(points.offset);
    xl_view counts =
        xl_view_of(grid->storage, (grid->storage_at + grid->layout.starts) / sizeof(cl_uint));
    xl_view scratch = xl_view_of(grid->storage, grid->storage_at + grid->layout.scanned);
    const xli_arg table = XLI_U32(grid->layout.table);
    const xli_kernel *overfull = &grid->kernels[XLI_GRID_OVERFULL];
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_ZERO, buckets, BUFFER(grid), PART(grid, header), table,
                  PART(grid, starts)));
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_KEYS, n, given, at, XLI_U32(n), BUFFER(grid),
                  PART(grid, header), table, PART(grid, starts), PART(grid, buckets),
                  PART(grid, ranks)));
    XL_TRY(xli_seq_nest(seq));
    XL_TRY(xl_scan_enqueue(grid->scan, seq->queue,
                           &(xl_scan_args){.n = buckets,
                                           .n_device = COUNT(grid, counted),
                                           .in = counts,
                                           .out = counts,
                                           .scratch = scratch},
                           XLI_NEST(seq)));
    xli_seq_nested(seq);
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_SCATTER, n, BUFFER(grid), PART(grid, header), XLI_U32(n),
                  table, PART(grid, starts), PART(grid, buckets), PART(grid, ranks),
                  PART(grid, unordered)));
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_ORDER, n, given, at, XLI_U32(n), BUFFER(grid),
                  PART(grid, header), table, PART(grid, starts), PART(grid, unordered),
                  PART(grid, sorted), PART(grid, ranks), XLI_U32(grid->tune.overfull_points)));
    if (n > grid->tune.overfull_points)
        XL_TRY(XLI_LAUNCH(seq, &grid->kernels[XLI_GRID_OVERFULL], grid->tune.overfull_groups,
                          xli_min(grid->tune.overfull_group_size, overfull->max_group), given, at,
                          XLI_U32(n), BUFFER(grid), PART(grid, header), table, PART(grid, starts),
                          PART(grid, unordered), PART(grid, sorted), PART(grid, ranks)));
done:
    return status;
}

/* Sorts keys and values, of which there are as many as the header says. */
static xl_status sort_keys(xl_grid *grid, xli_seq *seq, xl_view n_device)
{
    xl_status status;
    const xl_view keys =
        xl_view_of(grid->storage, (grid->storage_at + grid->layout.keys) / sizeof(cl_ulong));
    const xl_view values =
        xl_view_of(grid->storage, (grid->storage_at + grid->layout.values) / sizeof(cl_uint));
    XL_TRY(xli_seq_nest(seq));
    XL_TRY(xl_sort_enqueue(
        grid->sort, seq->queue,
        &(xl_sort_args){.n = grid->n,
                        .n_device = n_device,
                        .keys_in = keys,
                        .values_in = values,
                        .keys_out = keys,
                        .values_out = values,
                        .scratch =
                            xl_view_of(grid->storage, grid->storage_at + grid->layout.sorted)},
        XLI_NEST(seq)));
    xli_seq_nested(seq);
done:
    return status;
}

/* Of sorted keys, the list of rows. */
static xl_status launch_list(xl_grid *grid, xli_seq *seq)
{
    xl_status status;
    const size_t n = grid->n;
    const xl_view flags =
        xl_view_of(grid->storage, (grid->storage_at + grid->layout.values) / sizeof(cl_uint));
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_HEADS, n, BUFFER(grid), PART(grid, header), XLI_U32(n),
                  PART(grid, keys), PART(grid, values)));
    XL_TRY(xli_seq_nest(seq));
    XL_TRY(xl_scan_enqueue(
        grid->rank, seq->queue,
        &(xl_scan_args){.n = n,
                        .n_device = COUNT(grid, flagged),
                        .in = flags,
                        .out = flags,
                        .scratch =
                            xl_view_of(grid->storage, grid->storage_at + grid->layout.starts)},
        XLI_NEST(seq)));
    xli_seq_nested(seq);
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_LIST, n, BUFFER(grid), PART(grid, header), XLI_U32(n),
                  PART(grid, keys), PART(grid, values), PART(grid, starts), PART(grid, begins)));
done:
    return status;
}

static xl_status launch_sorting(xl_grid *grid, xli_seq *seq, xl_view points)
{
    xl_status status;
    size_t n = grid->n;
    const xli_arg given = XLI_MEM(points.buffer), at = XLI_U64(points.offset);
    const xli_arg table = XLI_U32(grid->layout.table);
    const bool lists = grid->layout.lists;
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_SORT_KEYS, n, given, at, XLI_U32(n), BUFFER(grid),
                  PART(grid, header), table, PART(grid, keys), PART(grid, values)));
    XL_TRY(sort_keys(grid, seq, COUNT(grid, sorted)));
    if (lists) {
        XL_TRY(LAUNCH(seq, grid, XLI_GRID_SORT_AGAIN, n, given, at, XLI_U32(n), BUFFER(grid),
                      PART(grid, header), table, PART(grid, keys), PART(grid, values)));
        XL_TRY(sort_keys(grid, seq, COUNT(grid, sorted_again)));
    }
    XL_TRY(LAUNCH(seq, grid, XLI_GRID_GATHER, n, given, at, XLI_U32(n), BUFFER(grid),
                  PART(grid, header), PART(grid, values), PART(grid, sorted)));
    if (lists)
        XL_TRY(launch_list(grid, seq));
    if (grid->sorts && grid->layout.table > 0)
        XL_TRY(LAUNCH(seq, grid, XLI_GRID_STARTS, (size_t)grid->layout.table + 1, BUFFER(grid),
                      PART(grid, header), XLI_U32(n), PART(grid, starts), table, PART(grid, keys)));
done:
    return status;
}

/* From here on the storage belongs to this build, whatever comes of it. */
static xl_status adopt_storage(xl_grid *grid, size_t n, const xli_grid_layout *layout,
                               const xli_span *span)
{
    xl_status status;
    grid->built = false;
    XL_TRY_CL(grid->ctx, clRetainMemObject(span->buffer));
    if (grid->storage)
        clReleaseMemObject(grid->storage);
    grid->storage = span->buffer;
    grid->storage_at = span->offset;
    grid->storage_span = *span;
    grid->layout = *layout;
    grid->n = n;
    ++grid->stamp;
done:
    return status;
}

xl_status xl_grid_build_enqueue_sized(xl_grid *grid, cl_command_queue queue,
                                      const xl_grid_build_args *args, size_t size,
                                      cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_grid_build_args given = {0};
    xli_seq seq = {0};
    xli_span in, at;
    xli_grid_layout layout;
    if (event)
        *event = NULL;
    if (!grid)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "grid: NULL");
    XL_TRY(XLI_ARGS_READ(grid->ctx, xl_grid_build_args, args, size, &given));
    const size_t n = given.n;
    XL_TRY(xli_seq_begin(&seq, grid->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_plan_layout(grid, n, &layout));
    /* Behind the last point nothing is read, so that points may begin anywhere in a structure. */
    const size_t scalars = n > 0 ? (n - 1) * grid->desc.stride + grid->desc.dimensions : 0;
    XL_TRY(xli_check_view(grid->ctx, "points", given.points, scalars, sizeof(cl_float), XLI_READ,
                          &in));
    XL_TRY(xli_seq_scratch(&seq, &grid->pool, given.storage, layout.bytes, XLI_SCRATCH_ALIGN, &at));
    at.name = "storage";
    XL_TRY(xli_check_apart(grid->ctx, &in, &at, false));
    XL_TRY(adopt_storage(grid, n, &layout, &at));
    XL_TRY(launch_shape(grid, &seq, given.points));
    if (n > 0 && (grid->sorts || layout.lists))
        XL_TRY(launch_sorting(grid, &seq, given.points));
    if (n > 0 && !grid->sorts && layout.table > 0)
        XL_TRY(launch_counting(grid, &seq, given.points));
done:
    status = xli_seq_end(&seq, status, event);
    if (status == XL_SUCCESS)
        grid->built = true;
    return status;
}

static void fill_report(xl_grid_report *report, const xli_grid_header *header)
{
    *report = (xl_grid_report){
        .points = header->points,
        .non_finite = header->non_finite,
        .first_non_finite = header->non_finite ? header->first_non_finite : UINT64_MAX,
        .out_of_domain = header->out_of_domain,
        .first_out_of_domain = header->out_of_domain ? header->first_out_of_domain : UINT64_MAX,
        .table_cells = header->sparse ? header->rows : header->table,
        .sparse = header->sparse != 0};
    memcpy(report->lower, header->lower, sizeof report->lower);
    memcpy(report->upper, header->upper, sizeof report->upper);
    memcpy(report->cells, header->cells, sizeof report->cells);
}

static xl_status judge(xl_context *ctx, const xl_grid_report *report)
{
    if (report->non_finite > 0)
        return xli_fail(ctx, XL_ERROR_NON_FINITE,
                        "points: %llu of %llu are not finite, the first at index %llu",
                        (unsigned long long)report->non_finite, (unsigned long long)report->points,
                        (unsigned long long)report->first_non_finite);
    if (report->out_of_domain > 0)
        return xli_fail(ctx, XL_ERROR_OUT_OF_DOMAIN,
                        "points: %llu of %llu are outside the box (%g, %g, %g) to (%g, %g, %g), "
                        "the first at index %llu",
                        (unsigned long long)report->out_of_domain,
                        (unsigned long long)report->points, (double)report->lower[0],
                        (double)report->lower[1], (double)report->lower[2],
                        (double)report->upper[0], (double)report->upper[1],
                        (double)report->upper[2], (unsigned long long)report->first_out_of_domain);
    return XL_SUCCESS;
}

xl_status xl_grid_status_sized(xl_grid *grid, cl_command_queue queue, xl_grid_report *report,
                               size_t size, cl_uint num_waits, const cl_event *waits)
{
    xl_status status;
    xli_seq seq = {0};
    xli_grid_header header;
    xl_grid_report found;
    if (!grid)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "grid: NULL");
    XL_TRY(xli_grid_check_built(grid->ctx, grid));
    XL_TRY(xli_seq_begin(&seq, grid->ctx, queue, num_waits, waits, NULL));
    XL_TRY(xli_read_blocking(grid->ctx, queue, grid->storage,
                             grid->storage_at + grid->layout.header, sizeof header, &header,
                             num_waits, waits));
    if (header.stamp != grid->stamp)
        XL_TRY(
            xli_fail(grid->ctx, XL_ERROR_INVALID_ARGUMENT,
                     "grid: its build has not run, since an event that it waited for failed or is "
                     "still to come, or its storage was overwritten; build it again"));
    fill_report(&found, &header);
    xli_struct_write(report, size, &found, sizeof found);
    status = judge(grid->ctx, &found);
done:
    return status;
}

xl_status xl_grid_reorder_enqueue_sized(xl_grid *grid, cl_command_queue queue,
                                        const xl_grid_reorder_args *args, size_t size,
                                        cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_grid_reorder_args given = {0};
    xli_seq seq = {0};
    xli_span spans[2];
    if (event)
        *event = NULL;
    if (!grid)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "grid: NULL");
    XL_TRY(XLI_ARGS_READ(grid->ctx, xl_grid_reorder_args, args, size, &given));
    const size_t element_bytes = given.element_bytes;
    XL_TRY(xli_seq_begin(&seq, grid->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_check_built(grid->ctx, grid));
    if (element_bytes == 0 || element_bytes % 4 != 0 || element_bytes / 4 > UINT32_MAX)
        XL_TRY(xli_fail(grid->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "element_bytes: %zu; a multiple of 4 above 0, at most 2^34 - 4",
                        element_bytes));
    XL_TRY(xli_check_view(grid->ctx, "in", given.in, grid->n, element_bytes, XLI_READ, &spans[0]));
    XL_TRY(
        xli_check_view(grid->ctx, "out", given.out, grid->n, element_bytes, XLI_WRITE, &spans[1]));
    XL_TRY(xli_grid_check_apart(grid->ctx, grid, spans, XLI_COUNT(spans)));
    size_t words = element_bytes / 4;
    if (grid->n > 0)
        XL_TRY(LAUNCH(&seq, grid, XLI_GRID_REORDER, grid->n * words, BUFFER(grid),
                      PART(grid, sorted), XLI_U64(grid->n), XLI_U32(words),
                      XLI_MEM(given.in.buffer), XLI_U64(given.in.offset * words),
                      XLI_MEM(given.out.buffer), XLI_U64(given.out.offset * words)));
done:
    return xli_seq_end(&seq, status, event);
}

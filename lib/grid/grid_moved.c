/* SPDX-License-Identifier: MIT
 * How many points have moved farther than a distance since the build of an index.
 *
 * Phases: 0, or without a sound index UINT32_MAX -> count. */
#include "grid_launch.h"

#include <math.h>

/* 0 is a distance as well: whether anything has moved at all. */
static xl_status check_distance(xl_context *ctx, const xl_grid_moved_args *args, uint32_t scalar)
{
    xl_status status;
    const bool wide = scalar == XL_F64;
    const xli_idle_field fields[] = {
        {"distance", args->distance != 0, !wide, "the plan's desc.scalar is f64"},
        {"distance_f64", args->distance_f64 != 0, wide, "the plan's desc.scalar is f32"}};
    const double distance = wide ? args->distance_f64 : (double)args->distance;
    XL_TRY(xli_check_idle(ctx, fields, XLI_COUNT(fields)));
    if (!isfinite(distance) || distance < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %g; must be finite, 0 or more",
                        fields[wide].name, distance);
    if (distance > 0)
        XL_TRY(xli_grid_check_radius(ctx, fields[wide].name, scalar, distance));
done:
    return status;
}

/* Images are gone through as a search does. */
static xl_status check_cell(const xli_grid_plan *grid, const xl_grid_index *index,
                            const xl_grid_moved_args *args)
{
    xl_status status;
    const xli_capabilities *capabilities;
    if (!grid->desc.triclinic && index->period.repeats == XL_REPEATS_CELL)
        return xli_fail(grid->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: its space repeats along a triclinic cell, but the plan's "
                        "desc.triclinic is 0");
    if (!grid->desc.triclinic)
        return XL_SUCCESS;
    XL_TRY(xli_context_capabilities(grid->ctx, &capabilities));
    const bool wide = index->scalar == XL_F64;
    XL_TRY(xli_grid_check_periods(grid->ctx, index, wide ? "distance_f64" : "distance",
                                  wide ? args->distance_f64 : (double)args->distance,
                                  capabilities->ends_loops));
done:
    return status;
}

static xl_status check_moved(const xli_grid_plan *grid, const xl_grid_index *index,
                             const xl_grid_moved_args *args, xl_view points[3])
{
    xl_status status;
    xl_context *const ctx = grid->ctx;
    xli_span spans[3] = {{0}}, moved;
    if (index->dimensions != grid->desc.dimensions)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of points in %u dimensions, the plan has %u",
                        (unsigned)index->dimensions, (unsigned)grid->desc.dimensions);
    XL_TRY(xli_grid_check_same_scalar(ctx, index, grid->desc.scalar));
    XL_TRY(check_distance(ctx, args, grid->desc.scalar));
    XL_TRY(check_cell(grid, index, args));
    XL_TRY(xli_grid_check_points(grid, index->n,
                                 (const xl_view[]){args->points, args->points_y, args->points_z},
                                 points, spans));
    XL_TRY(xli_check_view(ctx, "moved", args->moved, 1, sizeof(cl_uint), XLI_READ | XLI_WRITE,
                          &moved));
    XL_TRY(xli_grid_check_apart(ctx, index, &moved, 1));
    for (int a = 0; a < 3; ++a) {
        XL_TRY(xli_check_apart(ctx, &spans[a], &moved, false));
        XL_TRY(xli_check_apart(ctx, &spans[a], &index->storage_span, false));
    }
done:
    return status;
}

static xl_status launch_moved(const xli_grid_build *b, const xl_grid_moved_args *args)
{
    xl_status status;
    const xl_grid_index *const index = b->index;
    const xli_grid_period *const p = &index->period;
    const xli_grid_box *const box = &index->box;
    const xli_grid_cell_args cell = xli_grid_cell_args_of(&index->lattice);
    const cl_float4 period = {{p->period.s[0], p->period.s[1], p->period.s[2], 0}};
    const cl_double4 period_f64 = {{box->period.s[0], box->period.s[1], box->period.s[2], 0}};
    const float distance2 = args->distance * args->distance;
    const double distance2_f64 = args->distance_f64 * args->distance_f64;
    const bool wide = index->scalar == XL_F64;
    const xli_arg lengths =
        wide ? XLI_BYTES(&period_f64, sizeof period_f64) : XLI_BYTES(&period, sizeof period);
    const xli_arg compared = wide ? XLI_BYTES(&distance2_f64, sizeof distance2_f64)
                                  : XLI_BYTES(&distance2, sizeof distance2);
    const xli_grid_shape one = {.groups = 1, .size = 1};
    XL_TRY(LAUNCH_IN(b, XLI_GRID_MOVED_START, one, BUFFER(b), PART(b, header),
                     XLI_U32(index->stamp), XLI_MEM(args->moved.buffer),
                     XLI_U64(args->moved.offset)));
    if (index->n > 0 && b->grid->desc.triclinic)
        XL_TRY(LAUNCH(b, XLI_GRID_MOVED, index->n, GIVEN(b), BUFFER(b), PART(b, header),
                      PART(b, sorted), XLI_U32(index->stamp), lengths, cell.at[0], cell.at[1],
                      cell.at[2], cell.at[3], cell.at[4], cell.at[5], compared,
                      XLI_MEM(args->moved.buffer), XLI_U64(args->moved.offset)));
    else if (index->n > 0)
        XL_TRY(LAUNCH(b, XLI_GRID_MOVED, index->n, GIVEN(b), BUFFER(b), PART(b, header),
                      PART(b, sorted), XLI_U32(index->stamp), lengths, compared,
                      XLI_MEM(args->moved.buffer), XLI_U64(args->moved.offset)));
done:
    return status;
}

xl_status xli_grid_moved_enqueue(xli_grid_plan *grid, xl_grid_index *index, cl_command_queue queue,
                                 const xl_grid_moved_args *args, size_t size, cl_uint num_waits,
                                 const cl_event *waits, cl_event *event)
{
    xl_status status;
    xl_grid_moved_args given = {0};
    xli_seq seq = {0};
    xl_view points[3];
    if (event)
        *event = NULL;
    if (!grid)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "grid: NULL");
    XL_TRY(xli_grid_index_check(grid->ctx, index));
    XL_TRY(XLI_ARGS_READ(grid->ctx, xl_grid_moved_args, args, size, &given));
    XL_TRY(xli_seq_begin(&seq, grid->ctx, queue, num_waits, waits, event));
    XL_TRY(check_moved(grid, index, &given, points));
    XL_TRY(xli_grid_index_use(grid->ctx, index, grid->tune.planes, &seq));
    /* Where a point is now says all: of its system nothing is read. */
    const xli_grid_build b = {grid, index, &seq, points, given.moved};
    XL_TRY(launch_moved(&b, &given));
done:
    return xli_seq_end(&seq, status, event);
}

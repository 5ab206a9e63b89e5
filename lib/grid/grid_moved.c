/* SPDX-License-Identifier: MIT
 * The number of points that have moved farther than a distance since the build of an index.
 *
 * Phases: 0, or UINT32_MAX without a sound index -> count. */
#include "grid_launch.h"

#include <math.h>

typedef struct moved_call {
    xl_grid_moved_args args;
    xl_grid_index *index;
} moved_call;

/* Kernels of a batch have a parameter for the systems, which this one does not read. */
enum { MOVED = XLI_GRID_SYSTEMS, ARRAYS };

/* 0 is a distance: it asks whether anything has moved at all. */
static xl_status check_distance(xl_context *ctx, const xl_grid_moved_args *args, uint32_t scalar)
{
    if (!isfinite(args->distance) || args->distance < 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.distance: %g; must be finite and at least 0", args->distance);
    return args->distance > 0 ? xli_grid_check_radius(ctx, "args.distance", scalar, args->distance)
                              : XL_SUCCESS;
}

/* In a cell, the kernel loops over images as a search does. */
static xl_status check_cell(const xli_grid_plan *grid, const xl_grid_index *index,
                            const xl_grid_moved_args *args)
{
    if (grid->space.own_cells != (index->period.repeats == XLI_REPEATS_CELLS))
        return xli_fail(grid->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: with %s; the plan's desc.space must be the same",
                        grid->space.own_cells ? "one space for all systems" : "cells per system");
    if (!grid->space.skewed && index->period.repeats == XLI_REPEATS_CELL)
        return xli_fail(grid->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: in a periodic cell that is no box; the plan's desc.space must be "
                        "such a cell, too");
    if (!grid->space.skewed && !grid->space.own_cells)
        return XL_SUCCESS;
    return xli_grid_check_periods(grid->base.ctx, index, "args.distance", args->distance);
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const moved_call *const call = of;
    const xli_grid_plan *const grid = (const xli_grid_plan *)base;
    const xl_grid_index *const index = call->index;
    XL_TRY(xli_grid_check_order(base->ctx, index, grid->tune.planes));
    XL_TRY(xli_grid_check_points(base->ctx, index, grid->space.scalar, grid->space.dimensions,
                                 grid->space.wrap));
    XL_TRY(check_distance(base->ctx, &call->args, grid->space.scalar));
    XL_TRY(check_cell(grid, index, &call->args));
    XL_TRY(xli_grid_check_n(base->ctx, "index: n", index->n, grid->stride));
done:
    return status;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const moved_call *const call = of;
    const xl_grid_moved_args *const args = &call->args;
    xli_grid_list_points((const xli_grid_plan *)base, call->index->n,
                         (const xl_view[]){args->points, args->points_y, args->points_z}, arrays);
    arrays[MOVED] = xli_output("args.moved", args->moved, 1, sizeof(cl_uint));
    arrays[MOVED].access = XLI_READ | XLI_WRITE;
    return ARRAYS;
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
    const bool wide = index->scalar == XL_F64;
    const xli_arg lengths =
        wide ? XLI_BYTES(&period_f64, sizeof period_f64) : XLI_BYTES(&period, sizeof period);
    const xli_arg compared =
        xli_grid_real(index->scalar, xli_grid_square(index->scalar, args->distance));
    const xli_grid_shape one = {.groups = 1, .size = 1};
    XL_TRY(LAUNCH_IN(b, XLI_GRID_MOVED_START, one, BUFFER(b), PART(b, header),
                     XLI_U32(index->stamp), XLI_MEM(args->moved.buffer),
                     XLI_U64(args->moved.offset)));
    if (index->n > 0 && b->grid->space.skewed) /* cells per system are in their table */
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

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const moved_call *const call = of;
    XL_TRY(xli_grid_build_program((xli_grid_plan *)base, XLI_GRID_WATCHING));
    XL_TRY(xli_grid_index_use(call->index, seq, spans, ARRAYS, scratch));
    XL_TRY(launch_moved(&(xli_grid_build){(const xli_grid_plan *)base, call->index, seq, spans},
                        &call->args));
done:
    return status;
}

static const xli_call table = {.args = {"args", sizeof(xl_grid_moved_args), NULL},
                               .index_at = offsetof(moved_call, index),
                               .count = count,
                               .arrays = arrays,
                               .launch = launch};
XLI_PUBLIC_INDEX_CALL(grid, moved_enqueue, xl_grid_moved_args, table)

/* SPDX-License-Identifier: MIT
 * The points of `crosslane neighbors` on the device, and the index for searches. */
#include "point_search.h"

#include <math.h>

static size_t bytes_of(const xli_npy *array)
{
    return array->count * array->item_bytes;
}

/* Cells are of single precision. */
static double edge_of(double cell)
{
    return fmin(fmax(cell, 1e-37), 1e37);
}

/* A box along an axis: its upper face is at `high` or, because the sum of origin and edge is
 * rounded, at the next number. */
static void give_axis(xl_space *space, uint32_t axis, double low, double high)
{
    const double edge = high - low;
    space->bounds = XL_BOUNDS_GIVEN;
    space->origin[axis] = low;
    space->cell[axis][axis] = low + edge < high ? nextafter(edge, (double)INFINITY) : edge;
}

/* The cells of points in double precision are made of floats relative to the lower corner of a box.
 * If no box is given, this gives the box of the points, unless floats cannot tell its cells
 * apart. */
static void frame(const search_input *in, double cell, xl_space *space)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (size_t i = 0; i < in->points.count; ++i) {
        const size_t a = i % in->dimensions;
        const double x = input_number(in, &in->points, i);
        low[a] = i < in->dimensions ? x : fmin(low[a], x);
        high[a] = i < in->dimensions ? x : fmax(high[a], x);
        if (!isfinite(x)) /* the build reports it */
            return;
    }
    for (uint32_t a = 0; a < in->dimensions; ++a)
        if (cell > 0 && !(high[a] - low[a] <= 0x1p20 * cell))
            return;
    for (uint32_t a = 0; a < in->dimensions; ++a)
        give_axis(space, a, low[a], high[a]);
}

static void give_cell(const search_input *in, xl_space *space)
{
    space->bounds = XL_BOUNDS_GIVEN;
    for (uint32_t row = 0; row < in->dimensions; ++row) {
        space->origin[row] = in->lower[row];
        for (uint32_t column = 0; column <= row; ++column)
            space->cell[row][column] = in->cell[row][column];
    }
}

static void give_space(const search_input *in, double cell, xl_space *space)
{
    space->dimensions = in->dimensions;
    space->scalar = in->wide ? XL_F64 : XL_F32;
    space->periodic = in->periodic;
    space->wrap = in->wrap;
    space->num_systems = in->num_systems;
    if (in->triclinic)
        give_cell(in, space);
    for (uint32_t a = 0; a < in->dimensions && in->bounded; ++a)
        give_axis(space, a, in->lower[a], in->upper[a]);
    if (in->wide && !in->bounded && !in->triclinic)
        frame(in, cell, space);
}

int device_points_grid(device_points *c, double cell, double points_per_cell)
{
    const search_input *in = c->in;
    xl_context *ctx = c->s->ctx;
    xl_grid_desc desc;
    int result;
    xl_grid_desc_init(&desc);
    give_space(in, cell, &desc.space);
    desc.stride = in->dimensions;
    desc.cell_size = cell > 0 ? edge_of(cell) : 0;
    desc.points_per_cell = points_per_cell;
    progress_compiling();
    TRY(tool_check(ctx, xl_grid_create(ctx, &desc, &c->grid), "grid"));
    TRY(tool_check(ctx, xl_grid_index_create(ctx, &c->index), "index"));
done:
    progress_clear();
    return result;
}

int device_points_open(device_points *c, const session *s, const search_input *in)
{
    int result;
    *c = (device_points){.s = s, .in = in};
    TRY(session_upload(s, in->points.data, bytes_of(&in->points), "points", &c->points));
    if (in->given)
        TRY(session_upload(s, in->queries.data, bytes_of(&in->queries), "queries", &c->queries));
    if (in->radii.data)
        TRY(session_upload(s, in->radii.data, bytes_of(&in->radii), "radii", &c->radii));
    if (in->systems.data)
        TRY(session_upload(s, in->systems.data, bytes_of(&in->systems), "systems", &c->systems));
    if (in->query_systems.data)
        TRY(session_upload(s, in->query_systems.data, bytes_of(&in->query_systems), "systems",
                           &c->query_systems));
done:
    return result;
}

int device_points_build(device_points *c)
{
    int result;
    const session *s = c->s;
    const xl_grid_build_args build = {
        .n = c->in->n, .points = xl_view_of(c->points, 0), .systems = xl_view_of(c->systems, 0)};
    progress_compiling(); /* the enqueue compiles what xl_plan_prepare() would, or less */
    TRY(tool_check(s->ctx,
                   xl_grid_build_enqueue(c->grid, c->index, s->queue, &build, 0, NULL, NULL),
                   "grid build"));
    progress_say("building a grid of %zu points", c->in->n);
    const xl_status status = xl_grid_index_status(c->index, s->queue, NULL, 0, NULL);
    const char *const space = c->in->triclinic ? "--cell, whose corner is --origin" : "--box";
    TRY(tool_check(s->ctx, status, status == XL_ERROR_OUT_OF_DOMAIN ? space : NULL));
done:
    return result;
}

void device_points_close(device_points *c)
{
    cl_mem *buffers[] = {&c->points, &c->queries, &c->radii, &c->systems, &c->query_systems};
    xl_grid_index_destroy(c->index);
    xl_plan_destroy(c->grid);
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
    *c = (device_points){0};
}

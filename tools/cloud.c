/* SPDX-License-Identifier: MIT
 * The points of `crosslane neighbors` on the device, and the index that searches take them from. */
#include "cloud.h"

#include <math.h>
#include <string.h>

static size_t bytes_of(const xli_npy *array)
{
    return array->count * array->item_bytes;
}

/* Cells are of single precision. */
static float edge_of(double cell)
{
    return (float)fmin(fmax(cell, 1e-37), 1e37);
}

/* Of double precision the grid has coordinates less the lower corner of a box, as floats: where
 * none is given the box of the points is, if floats can tell its cells apart. */
static void frame(const scene *sc, double cell, xl_grid_desc *desc)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (size_t i = 0; i < sc->points.count; ++i) {
        const size_t a = i % sc->dimensions;
        const double x = scene_number(sc, &sc->points, i);
        low[a] = i < sc->dimensions ? x : fmin(low[a], x);
        high[a] = i < sc->dimensions ? x : fmax(high[a], x);
        if (!isfinite(x)) /* the build says so */
            return;
    }
    for (uint32_t a = 0; a < sc->dimensions; ++a)
        if (!(high[a] - low[a] <= 0x1p20 * cell))
            return;
    desc->bounded = 1;
    memcpy(desc->lower_f64, low, sizeof low);
    memcpy(desc->upper_f64, high, sizeof high);
}

static void give_box(const scene *sc, xl_grid_desc *desc)
{
    desc->bounded = sc->bounded;
    for (uint32_t a = 0; a < sc->dimensions; ++a) {
        desc->lower[a] = sc->wide ? 0 : (float)sc->lower[a];
        desc->upper[a] = sc->wide ? 0 : (float)sc->upper[a];
        desc->lower_f64[a] = sc->wide ? sc->lower[a] : 0;
        desc->upper_f64[a] = sc->wide ? sc->upper[a] : 0;
    }
}

static void give_cell(const scene *sc, xl_grid_desc *desc)
{
    for (uint32_t row = 0; row < sc->dimensions; ++row)
        for (uint32_t column = 0; column <= row; ++column) {
            desc->cell[row][column] = sc->wide ? 0 : (float)sc->cell[row][column];
            desc->cell_f64[row][column] = sc->wide ? sc->cell[row][column] : 0;
        }
}

static int make_grid(cloud *c, double cell)
{
    const scene *sc = c->scene;
    xl_context *ctx = c->s->ctx;
    xl_grid_desc desc;
    int result;
    xl_grid_desc_init(&desc);
    desc.dimensions = desc.stride = sc->dimensions;
    desc.scalar = sc->wide ? XL_F64 : XL_F32;
    desc.cell_size = edge_of(cell);
    desc.periodic = sc->periodic;
    desc.triclinic = sc->triclinic;
    desc.num_systems = sc->num_systems;
    give_cell(sc, &desc);
    give_box(sc, &desc);
    if (sc->wide && !sc->bounded && !sc->triclinic)
        frame(sc, cell, &desc);
    TRY(tool_check(ctx, xl_grid_create(ctx, &desc, &c->grid), "grid"));
    TRY(tool_check(ctx, xl_grid_index_create(ctx, &c->index), "index"));
done:
    return result;
}

int cloud_open(cloud *c, const session *s, const scene *sc)
{
    int result;
    *c = (cloud){.s = s, .scene = sc};
    TRY(session_upload(s, sc->points.data, bytes_of(&sc->points), "points", &c->points));
    if (sc->given)
        TRY(session_upload(s, sc->queries.data, bytes_of(&sc->queries), "queries", &c->queries));
    if (sc->radii.data)
        TRY(session_upload(s, sc->radii.data, bytes_of(&sc->radii), "radii", &c->radii));
    if (sc->systems.data)
        TRY(session_upload(s, sc->systems.data, bytes_of(&sc->systems), "systems", &c->systems));
    if (sc->query_systems.data)
        TRY(session_upload(s, sc->query_systems.data, bytes_of(&sc->query_systems), "systems",
                           &c->query_systems));
done:
    return result;
}

int cloud_build(cloud *c, double cell)
{
    int result;
    const session *s = c->s;
    const xl_grid_build_args build = {.n = c->scene->n,
                                      .points = xl_view_of(c->points, 0),
                                      .systems =
                                          c->systems ? xl_view_of(c->systems, 0) : xl_no_view()};
    TRY(make_grid(c, cell));
    progress_say("building a grid of %zu points", c->scene->n);
    TRY(tool_check(s->ctx,
                   xl_grid_build_enqueue(c->grid, c->index, s->queue, &build, 0, NULL, NULL),
                   "grid build"));
    const xl_status status = xl_grid_index_status(c->index, s->queue, NULL, 0, NULL);
    const char *const space = c->scene->triclinic ? "--cell, whose corner is --origin" : "--box";
    TRY(tool_check(s->ctx, status, status == XL_ERROR_OUT_OF_DOMAIN ? space : NULL));
done:
    return result;
}

void cloud_close(cloud *c)
{
    cl_mem *buffers[] = {&c->points, &c->queries, &c->radii, &c->systems, &c->query_systems};
    xl_grid_index_destroy(c->index);
    xl_plan_destroy(c->grid);
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
    *c = (cloud){0};
}

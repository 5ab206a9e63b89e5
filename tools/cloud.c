/* SPDX-License-Identifier: MIT
 * The points of `crosslane neighbors` on the device, and the index that searches take them from. */
#include "cloud.h"

#include <string.h>

static size_t bytes_of(const xli_npy *array)
{
    return array->count * array->item_bytes;
}

static int make_grid(cloud *c, float cell)
{
    const scene *sc = c->scene;
    xl_context *ctx = c->s->ctx;
    xl_grid_desc desc;
    int result;
    xl_grid_desc_init(&desc);
    desc.dimensions = desc.stride = sc->dimensions;
    desc.cell_size = cell;
    desc.bounded = sc->bounded;
    desc.periodic = sc->periodic;
    desc.triclinic = sc->triclinic;
    memcpy(desc.cell, sc->cell, sizeof desc.cell);
    for (uint32_t a = 0; a < sc->dimensions; ++a) {
        desc.lower[a] = sc->lower[a];
        desc.upper[a] = sc->upper[a];
    }
    TRY(tool_check(ctx, xl_grid_create(ctx, &desc, &c->grid), "grid"));
    TRY(tool_check(ctx, xl_grid_index_create(ctx, &c->index), "index"));
done:
    return result;
}

int cloud_open(cloud *c, const session *s, const scene *sc, float cell)
{
    int result;
    *c = (cloud){.s = s, .scene = sc};
    TRY(make_grid(c, cell));
    TRY(session_upload(s, sc->points.data, bytes_of(&sc->points), "points", &c->points));
    if (sc->given)
        TRY(session_upload(s, sc->queries.data, bytes_of(&sc->queries), "queries", &c->queries));
    if (sc->radii.data)
        TRY(session_upload(s, sc->radii.data, bytes_of(&sc->radii), "radii", &c->radii));
done:
    return result;
}

int cloud_build(cloud *c)
{
    int result;
    const session *s = c->s;
    const xl_grid_build_args build = {.n = c->scene->n, .points = xl_view_of(c->points, 0)};
    progress_say("building a grid of %zu points", c->scene->n);
    TRY(tool_check(s->ctx,
                   xl_grid_build_enqueue(c->grid, c->index, s->queue, &build, 0, NULL, NULL),
                   "grid build"));
    TRY(tool_check(s->ctx, xl_grid_index_status(c->index, s->queue, NULL, 0, NULL), "points"));
done:
    return result;
}

void cloud_close(cloud *c)
{
    cl_mem *buffers[] = {&c->points, &c->queries, &c->radii};
    xl_grid_index_destroy(c->index);
    xl_grid_destroy(c->grid);
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
    *c = (cloud){0};
}

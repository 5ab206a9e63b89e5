/* SPDX-License-Identifier: MIT
 * Points on the device: grid, neighbour counts, neighbour list, and density with
 * the Poly6 kernel of Mueller et al., "Particle-based fluid simulation for
 * interactive applications" (SCA 2003). */
#include "tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* (1 - d^2/h^2)^3 rather than (h^2 - d^2)^3 / h^9: h^9 underflows in single
 * precision from h = 1e-5 on. */
static const char poly6_text[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
    "{\n"
    "    float q = fmax(0.0f, 1.0f - distance2 * params.x);\n"
    "    return sum + params.y * (q * q * q);\n"
    "}\n";

/* What (1 - d^2/radius^2)^3 is multiplied with. */
static double poly6_factor(double radius, double mass)
{
    return mass * 315.0 / (64.0 * PI * radius * radius * radius);
}

int cloud_check_settings(const char *command, const cloud_settings *set, const tool_number *radius)
{
    if (!radius->given)
        return tool_misuse(
            "%s: --radius is missing; give the search radius in the unit of the points", command);
    if (!(set->radius > 0) || !isfinite(set->radius))
        return tool_misuse(
            "%s: --radius: %g; it must be a finite number above 0 in single precision", command,
            radius->value);
    if (!(set->mass > 0) || !isfinite(set->mass))
        return tool_misuse("%s: --mass: %g; it must be a finite number above 0", command,
                           set->mass);
    double factor = poly6_factor((double)set->radius, set->mass);
    if (set->want_density && (!(factor < 1e36) || !(factor > 1e-36)))
        return tool_misuse(
            "%s: --radius: %g with --mass %g gives densities beyond single precision; "
            "scale the points or the mass",
            command, radius->value, set->mass);
    return TOOL_OK;
}

static int convert_to_single(const char *path, xli_npy *array)
{
    const double *from = array->data;
    float *to = malloc(array->count ? array->count * sizeof *to : 1);
    if (!to)
        return tool_fail("%s: no memory for %zu points", path, array->count / 3);
    for (size_t i = 0; i < array->count; ++i)
        to[i] = (float)from[i];
    free(array->data);
    array->data = to;
    array->item_bytes = sizeof *to;
    return TOOL_OK;
}

int cloud_read(const char *path, bool convert, xli_npy *array)
{
    char shape[XLI_NPY_SHAPE_BYTES];
    int result = array_read(path, array);
    if (result != TOOL_OK)
        return result;
    xl_type type = array_type(array);
    if (array->dimensions != 2 || array->shape[1] != 3)
        return tool_fail("%s: shape %s; points are an array of shape (n, 3)", path,
                         xli_npy_shape_text(array, shape));
    if (type == XL_F64 && !convert)
        return tool_fail("%s: points in double precision (f64); the search is in single "
                         "precision: give --f32 to have them rounded",
                         path);
    if (type != XL_F32 && type != XL_F64)
        return tool_fail("%s: points of type %s; they must be f32", path, array_type_name(array));
    return type == XL_F64 ? convert_to_single(path, array) : TOOL_OK;
}

static int make_plans(cloud *c)
{
    int result;
    xl_context *ctx = c->s->ctx;
    xl_grid_desc grid;
    xl_neighbors_desc search;
    xl_grid_desc_init(&grid);
    grid.cell_size = c->set.radius;
    xl_neighbors_desc_init(&search);
    search.radius = c->set.radius;
    search.inclusive = c->set.inclusive;
    TRY(tool_check(ctx, xl_grid_create(ctx, &grid, &c->grid), "grid"));
    TRY(tool_check(ctx, xl_grid_index_create(ctx, &c->index), "index"));
    TRY(tool_check(ctx, xl_neighbors_create(ctx, &search, &c->list), "neighbour search"));
    if (c->set.want_density) {
        search.include_self = 1;
        search.visit = poly6_text;
        TRY(tool_check(ctx, xl_neighbors_create(ctx, &search, &c->field), "density"));
    }
done:
    return result;
}

int cloud_open(cloud *c, const session *s, const cloud_settings *set, const float *xyz, size_t n)
{
    int result;
    *c = (cloud){.s = s, .set = *set, .n = n, .xyz = xyz};
    if (n > UINT32_MAX - 1)
        return tool_fail("%zu points; at most 2^32 - 2 can be searched", n);
    progress_say("compiling for %s", s->info.name);
    TRY(make_plans(c));
    TRY(session_buffer(s, n * 3 * sizeof(float), "points", &c->points));
    TRY(session_buffer(s, n * sizeof(uint32_t), "counts", &c->counts));
    TRY(session_buffer(s, (n + 1) * sizeof(uint64_t), "offsets", &c->offsets));
    if (set->want_density)
        TRY(session_buffer(s, n * sizeof(float), "density", &c->density));
done:
    progress_clear();
    return result;
}

void cloud_close(cloud *c)
{
    xl_neighbors_destroy(c->field);
    xl_neighbors_destroy(c->list);
    xl_grid_index_destroy(c->index);
    xl_grid_destroy(c->grid);
    cl_mem *buffers[] = {&c->points, &c->counts, &c->offsets, &c->indices, &c->density};
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
    *c = (cloud){0};
}

int cloud_upload(cloud *c, stage *st)
{
    cl_event event = NULL;
    int result = stage_begin(c->s, st, "upload");
    if (result == TOOL_OK && c->n > 0)
        result =
            tool_check_cl(clEnqueueWriteBuffer(c->s->queue, c->points, CL_FALSE, 0,
                                               c->n * 3 * sizeof(float), c->xyz, 0, NULL, &event),
                          "writing the points");
    else if (result == TOOL_OK)
        result = tool_check_cl(clEnqueueMarkerWithWaitList(c->s->queue, 0, NULL, &event),
                               "writing no points");
    return stage_end(st, event, result);
}

int cloud_build(cloud *c, stage *st)
{
    cl_event event = NULL;
    int result = stage_begin(c->s, st, "grid build");
    if (result == TOOL_OK)
        result =
            tool_check(c->s->ctx,
                       xl_grid_build_enqueue(
                           c->grid, c->index, c->s->queue,
                           &(xl_grid_build_args){.n = c->n, .points = xl_view_of(c->points, 0)}, 0,
                           NULL, &event),
                       "grid build");
    result = stage_end(st, event, result);
    if (result == TOOL_OK)
        result = tool_check(c->s->ctx, xl_grid_index_status(c->index, c->s->queue, NULL, 0, NULL),
                            "points");
    return result;
}

int cloud_count(cloud *c, stage *st)
{
    cl_event event = NULL;
    cl_ulong pairs = 0;
    int result = stage_begin(c->s, st, "neighbour counts");
    if (result == TOOL_OK)
        result = tool_check(c->s->ctx,
                            xl_neighbors_count_enqueue(
                                c->list, c->index, c->s->queue,
                                &(xl_neighbors_count_args){.counts = xl_view_of(c->counts, 0),
                                                           .offsets = xl_view_of(c->offsets, 0)},
                                0, NULL, &event),
                            "neighbour counts");
    result = stage_end(st, event, result);
    if (result == TOOL_OK)
        result =
            tool_check_cl(clEnqueueReadBuffer(c->s->queue, c->offsets, CL_TRUE, c->n * sizeof pairs,
                                              sizeof pairs, &pairs, 0, NULL, NULL),
                          "reading the number of pairs");
    c->pairs = pairs;
    return result;
}

static int make_indices(cloud *c)
{
    uint64_t limit = c->s->info.max_buffer_bytes;
    if (c->pairs > limit / sizeof(uint32_t) || c->pairs > SIZE_MAX / sizeof(uint32_t))
        return tool_fail("a list of %" PRIu64 " pairs has %" PRIu64 " MiB, more than the %" PRIu64
                         " MiB that %s takes in one buffer; ask for "
                         "--counts or --density without --out, or a smaller --radius",
                         c->pairs, c->pairs >> 18, limit >> 20, c->s->info.name);
    return session_buffer(c->s, (size_t)c->pairs * sizeof(uint32_t), "neighbour list", &c->indices);
}

int cloud_fill(cloud *c, stage *st)
{
    cl_event event = NULL;
    int result = c->indices ? TOOL_OK : make_indices(c);
    if (result == TOOL_OK)
        result = stage_begin(c->s, st, "neighbour list");
    if (result == TOOL_OK)
        result = tool_check(c->s->ctx,
                            xl_neighbors_fill_enqueue(
                                c->list, c->index, c->s->queue,
                                &(xl_neighbors_fill_args){.offsets = xl_view_of(c->offsets, 0),
                                                          .indices = xl_view_of(c->indices, 0),
                                                          .capacity = c->pairs},
                                0, NULL, &event),
                            "neighbour list");
    return stage_end(st, event, result);
}

int cloud_density(cloud *c, stage *st)
{
    double h = (double)c->set.radius;
    const float params[4] = {(float)(1.0 / (h * h)), (float)poly6_factor(h, c->set.mass), 0, 0};
    cl_event event = NULL;
    int result = stage_begin(c->s, st, "Poly6 density");
    if (result == TOOL_OK)
        result = tool_check(
            c->s->ctx,
            xl_neighbors_visit_enqueue(
                c->field, c->index, c->s->queue,
                &(xl_neighbors_visit_args){.start = 0.0f,
                                           .params = {params[0], params[1], params[2], params[3]},
                                           .out = xl_view_of(c->density, 0)},
                0, NULL, &event),
            "density");
    return stage_end(st, event, result);
}

int cloud_read_back(const cloud *c, stage *st, uint32_t *counts, float *density)
{
    const session *s = c->s;
    cl_event event = NULL;
    int result = stage_begin(s, st, "read back");
    if (result == TOOL_OK)
        result = session_read(s, c->counts, c->n * sizeof *counts, counts);
    if (result == TOOL_OK && density)
        result = session_read(s, c->density, c->n * sizeof *density, density);
    if (result == TOOL_OK)
        result = tool_check_cl(clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &event),
                               "marking the end of a stage");
    return stage_end(st, event, result);
}

summary summary_of_counts(const uint32_t *counts, size_t n)
{
    summary s = {n ? counts[0] : 0, 0, 0};
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        s.min = counts[i] < s.min ? counts[i] : s.min;
        s.max = counts[i] > s.max ? counts[i] : s.max;
        sum += counts[i];
    }
    s.mean = n ? sum / (double)n : 0;
    return s;
}

summary summary_of_floats(const float *values, size_t n)
{
    summary s = {INFINITY, 0, -INFINITY};
    size_t non_finite = 0;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        double v = (double)values[i];
        if (!isfinite(v)) {
            ++non_finite;
            continue;
        }
        s.min = fmin(s.min, v);
        s.max = fmax(s.max, v);
        sum += v;
    }
    size_t counted = n - non_finite;
    s.mean = counted ? sum / (double)counted : 0;
    if (!counted)
        s.min = s.max = 0;
    return s;
}

/* SPDX-License-Identifier: MIT
 * `crosslane neighbors --knn`: the K nearest points of each point of a file. */
#include "tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct nearest {
    const session *s;
    const nearest_settings *set;
    size_t n, places; /* places: n rows of k */
    const float *xyz;
    xl_grid *grid;
    xl_grid_index *index;
    xl_knn *plan;
    cl_mem points, indices, distances2;
    uint32_t *rows;
    float *distances;
} nearest;

static void nearest_free(nearest *o)
{
    cl_mem *buffers[] = {&o->points, &o->indices, &o->distances2};
    xl_knn_destroy(o->plan);
    xl_grid_index_destroy(o->index);
    xl_grid_destroy(o->grid);
    for (size_t i = 0; i < TOOL_COUNT(buffers); ++i)
        session_release(buffers[i]);
    free(o->rows);
    free(o->distances);
}

/* ---- the edge of a cell ---- */

static int by_value(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* How far the points reach along an axis, told from the middle eight tenths of them, so that a few
 * far ones do not count. */
static double length_of(const float *xyz, size_t n, size_t axis, float *sorted)
{
    size_t finite = 0;
    for (size_t i = 0; i < n; ++i)
        if (isfinite(xyz[3 * i + axis]))
            sorted[finite++] = xyz[3 * i + axis];
    if (finite < 2)
        return 0;
    qsort(sorted, finite, sizeof *sorted, by_value);
    const size_t first = finite / 10, last = finite - 1 - first;
    return ((double)sorted[last] - (double)sorted[first]) / 0.8;
}

/* The formula of crosslane/knn.h, in as many dimensions as the points take up. */
static double cell_of(const double length[3], size_t n, uint32_t k)
{
    const double longest = fmax(length[0], fmax(length[1], length[2]));
    double space = 1;
    int dimensions = 0;
    for (int a = 0; a < 3; ++a)
        if (length[a] > 1e-4 * longest) {
            space *= length[a];
            ++dimensions;
        }
    if (dimensions == 0)
        return 1;
    return pow(fmax(k / 6.0, 1.5) * space / (double)n, 1.0 / dimensions);
}

static int find_cell(const nearest *o, float *cell)
{
    double length[3];
    float *sorted = malloc((o->n + 1) * sizeof *sorted);
    if (!sorted)
        return tool_fail("no memory for %zu points", o->n);
    for (size_t a = 0; a < 3; ++a)
        length[a] = length_of(o->xyz, o->n, a, sorted);
    free(sorted);
    *cell = (float)fmin(fmax(cell_of(length, o->n, o->set->k), 1e-30), 1e30);
    return TOOL_OK;
}

/* ---- the search ---- */

static int make_plans(nearest *o)
{
    int result;
    xl_context *ctx = o->s->ctx;
    xl_grid_desc grid;
    xl_knn_desc search;
    xl_grid_desc_init(&grid);
    TRY(find_cell(o, &grid.cell_size));
    xl_knn_desc_init(&search);
    search.k = o->set->k;
    search.max_radius = o->set->max_radius;
    TRY(tool_check(ctx, xl_grid_create(ctx, &grid, &o->grid), "grid"));
    TRY(tool_check(ctx, xl_grid_index_create(ctx, &o->index), "index"));
    TRY(tool_check(ctx, xl_knn_create(ctx, &search, &o->plan), "nearest points"));
done:
    return result;
}

static int make_buffers(nearest *o)
{
    int result;
    const uint64_t limit = o->s->info.max_buffer_bytes;
    if (o->places > limit / sizeof(float))
        return tool_fail("%zu rows of %u have %" PRIu64 " MiB, more than the %" PRIu64
                         " MiB that %s takes in one buffer",
                         o->n, (unsigned)o->set->k, (uint64_t)o->places >> 18, limit >> 20,
                         o->s->info.name);
    TRY(session_buffer(o->s, o->n * 3 * sizeof(float), "points", &o->points));
    TRY(session_buffer(o->s, o->places * sizeof(uint32_t), "indices", &o->indices));
    TRY(session_buffer(o->s, o->places * sizeof(float), "distances", &o->distances2));
    o->rows = malloc(o->places * sizeof *o->rows + 1);
    o->distances = malloc(o->places * sizeof *o->distances + 1);
    if (!o->rows || !o->distances)
        return tool_fail("no memory for %zu rows of %u", o->n, (unsigned)o->set->k);
done:
    return result;
}

static int enqueue(nearest *o)
{
    int result = TOOL_OK;
    xl_context *ctx = o->s->ctx;
    cl_command_queue queue = o->s->queue;
    const xl_grid_build_args build = {.n = o->n, .points = xl_view_of(o->points, 0)};
    const xl_knn_args search = {.indices = xl_view_of(o->indices, 0),
                                .distances2 = xl_view_of(o->distances2, 0)};
    if (o->n > 0)
        TRY(tool_check_cl(clEnqueueWriteBuffer(queue, o->points, CL_TRUE, 0,
                                               o->n * 3 * sizeof(float), o->xyz, 0, NULL, NULL),
                          "writing the points"));
    TRY(tool_check(ctx, xl_grid_build_enqueue(o->grid, o->index, queue, &build, 0, NULL, NULL),
                   "grid build"));
    TRY(tool_check(ctx, xl_grid_index_status(o->index, queue, NULL, 0, NULL), "points"));
    TRY(tool_check(ctx, xl_knn_enqueue(o->plan, o->index, queue, &search, 0, NULL, NULL),
                   "nearest points"));
    TRY(session_read(o->s, o->indices, o->places * sizeof *o->rows, o->rows));
    TRY(session_read(o->s, o->distances2, o->places * sizeof *o->distances, o->distances));
done:
    return result;
}

/* Roots of the squares; fails where a device could not go through all that it had to. */
static int finish(nearest *o)
{
    size_t given_up = 0;
    for (size_t at = 0; at < o->places; ++at) {
        given_up += o->rows[at] == UINT32_MAX - 1 ? 1 : 0;
        o->distances[at] = sqrtf(o->distances[at]);
    }
    if (given_up > 0)
        return tool_fail("%zu of %zu rows were given up: %s ends long loops (docs/drivers.md)",
                         given_up / o->set->k, o->n, o->s->info.name);
    return TOOL_OK;
}

/* ---- what is written ---- */

static const char indices_end[] = ".indices.npy", distances_end[] = ".distances.npy";

static char *path_of(const char *prefix, const char *end)
{
    const size_t size = strlen(prefix) + strlen(end) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", prefix, end);
    else
        tool_fail("%s: no memory for a file name", prefix);
    return path;
}

static xli_npy table_of(char kind, const nearest *o, void *data)
{
    xli_npy array = xli_npy_vector(kind, 4, o->places, data);
    array.dimensions = 2;
    array.shape[0] = o->n;
    array.shape[1] = o->set->k;
    return array;
}

static int write_files(outputs *files, const nearest *o, const char *indices, const char *distances)
{
    int result;
    const xli_npy rows = table_of('u', o, o->rows), lengths = table_of('f', o, o->distances);
    TRY(outputs_npy(files, indices, &rows));
    TRY(outputs_npy(files, distances, &lengths));
    TRY(outputs_commit(files));
done:
    return result;
}

static void report(const nearest *o)
{
    double farthest = 0, sum = 0;
    size_t found = 0;
    for (size_t at = 0; at < o->places; ++at)
        if (o->rows[at] != UINT32_MAX) {
            farthest = fmax(farthest, (double)o->distances[at]);
            sum += (double)o->distances[at];
            ++found;
        }
    const double mean = found ? sum / (double)found : 0;
    if (!o->set->as_json) {
        printf("%zu points, %u nearest: %zu found; distances up to %g, mean %g\n", o->n,
               (unsigned)o->set->k, found, farthest, mean);
        return;
    }
    json j = json_begin(stdout);
    json_text(&j, "device", o->s->info.name);
    json_count(&j, "points", o->n);
    json_count(&j, "knn", o->set->k);
    json_count(&j, "found", found);
    json_number(&j, "distance_max", farthest);
    json_number(&j, "distance_mean", mean);
    json_end(&j);
}

int nearest_file(const nearest_settings *set, const char *path)
{
    int result = TOOL_FAILED;
    session s = {0};
    xli_npy points = {0};
    outputs files = {0};
    nearest o = {.s = &s, .set = set};
    char *indices = path_of(set->out, indices_end), *distances = path_of(set->out, distances_end);
    const named_output named[] = {{"--out", indices}, {"--out", distances}};
    if (!indices || !distances)
        goto done;
    TRY(outputs_check("neighbors", named, TOOL_COUNT(named)));
    TRY(cloud_read(path, set->convert, &points));
    TRY(session_open(&s, set->device, set->tune_file));
    o.xyz = points.data;
    o.n = (size_t)points.shape[0];
    if (o.n > UINT32_MAX - 1)
        TRY(tool_fail("%zu points; at most 2^32 - 2 can be searched", o.n));
    o.places = o.n * set->k;
    progress_say("searching among %zu points", o.n);
    TRY(make_plans(&o));
    TRY(make_buffers(&o));
    TRY(enqueue(&o));
    TRY(finish(&o));
    TRY(write_files(&files, &o, indices, distances));
    report(&o);
done:
    progress_clear();
    outputs_abandon(&files);
    nearest_free(&o);
    session_close(&s);
    xli_npy_free(&points);
    free(indices);
    free(distances);
    return result;
}

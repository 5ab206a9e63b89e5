/* SPDX-License-Identifier: MIT
 * `crosslane neighbors --knn`: the K nearest points of each point or query of a file, in parts of
 * rows, as what is found may be larger than a buffer of the device, and than memory. */
#include "cloud.h"

#include <math.h>
#include <stdlib.h>

typedef struct nearest {
    const search_settings *set;
    session s;
    scene scene;
    cloud cloud;
    xl_plan *plan;
    xl_plan *approximate;    /* instead */
    made made[MADE_KINDS];   /* of one part */
    size_t part_rows, parts; /* of a part at most; that there were */
    size_t found, given_up;  /* neighbours; rows that a search did not go through */
    double max, sum;         /* of the distances of those that were found */
} nearest;

static const int given[] = {MADE_INDICES, MADE_DISTANCES};

/* ---- the edge of a cell ---- */

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* How far the points reach along an axis, told from the middle eight tenths of them, so that a few
 * far ones do not count. */
static double length_of(const scene *sc, size_t axis, double *sorted)
{
    size_t finite = 0;
    for (size_t i = 0; i < sc->n; ++i) {
        const double x = scene_number(sc, &sc->points, sc->dimensions * i + axis);
        if (isfinite(x))
            sorted[finite++] = x;
    }
    if (finite < 2)
        return 0;
    qsort(sorted, finite, sizeof *sorted, by_value);
    const size_t first = finite / 10, last = finite - 1 - first;
    return (sorted[last] - sorted[first]) / 0.8;
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

static int find_cell(const nearest *o, double *cell)
{
    const size_t n = o->scene.n;
    double length[3] = {0, 0, 0};
    double *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return tool_fail("no memory for %zu points", n);
    for (size_t a = 0; a < o->scene.dimensions; ++a)
        length[a] = length_of(&o->scene, a, sorted);
    free(sorted);
    *cell = fmin(fmax(cell_of(length, n, o->set->k), 1e-30), 1e30);
    return TOOL_OK;
}

/* ---- the search ---- */

static int make_plan(nearest *o)
{
    xl_knn_desc desc;
    xl_knn_desc_init(&desc);
    desc.k = o->set->k;
    desc.scalar = o->scene.wide ? XL_F64 : XL_F32;
    desc.max_radius = o->scene.wide ? 0 : (float)o->set->radius;
    desc.max_radius_f64 = o->scene.wide ? o->set->radius : 0;
    desc.include_self = o->set->include_self;
    desc.queries = o->scene.given ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.dimensions = desc.query_stride = o->scene.dimensions;
    desc.periodic = o->scene.repeats;
    desc.batch = o->scene.num_systems > 0;
    return tool_check(o->s.ctx, xl_knn_create(o->s.ctx, &desc, &o->plan), "nearest points");
}

static int make_approximate(nearest *o)
{
    const scene *const sc = &o->scene;
    const float *const at = sc->points.data;
    xl_knn_approximate_desc desc;
    xl_knn_approximate_desc_init(&desc);
    desc.k = o->set->k;
    desc.include_self = o->set->include_self;
    desc.queries = sc->given ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.dimensions = desc.stride = desc.query_stride = sc->dimensions;
    for (size_t i = 0; i < sc->n * sc->dimensions; ++i) {
        const size_t a = i % sc->dimensions;
        desc.lower[a] = i < sc->dimensions ? at[i] : fminf(desc.lower[a], at[i]);
        desc.upper[a] = i < sc->dimensions ? at[i] : fmaxf(desc.upper[a], at[i]);
    }
    return tool_check(o->s.ctx, xl_knn_approximate_create(o->s.ctx, &desc, &o->approximate),
                      "approximate nearest points");
}

static int search_index(nearest *o, size_t first, size_t rows)
{
    const session *const s = &o->s;
    const xl_knn_args args = {
        .num_queries = o->scene.given ? o->scene.rows : 0,
        .queries = o->scene.given ? xl_view_of(o->cloud.queries, 0) : xl_no_view(),
        .indices = made_view(o->made, MADE_INDICES),
        .distances2 = made_view(o->made, MADE_DISTANCES),
        .query_systems =
            o->cloud.query_systems ? xl_view_of(o->cloud.query_systems, 0) : xl_no_view(),
        .first_row = first,
        .num_rows = rows};
    return tool_check(s->ctx,
                      xl_knn_enqueue(o->plan, o->cloud.index, s->queue, &args, 0, NULL, NULL),
                      "nearest points");
}

static int search_shifted(nearest *o, size_t first, size_t rows)
{
    const session *const s = &o->s;
    const xl_knn_approximate_args args = {
        .n = o->scene.n,
        .points = xl_view_of(o->cloud.points, 0),
        .num_queries = o->scene.given ? o->scene.rows : 0,
        .queries = o->scene.given ? xl_view_of(o->cloud.queries, 0) : xl_no_view(),
        .indices = made_view(o->made, MADE_INDICES),
        .distances2 = made_view(o->made, MADE_DISTANCES),
        .first_row = first,
        .num_rows = rows};
    return tool_check(s->ctx,
                      xl_knn_approximate_enqueue(o->approximate, s->queue, &args, 0, NULL, NULL),
                      "approximate nearest points");
}

/* ---- one part ---- */

/* Of what was found, and of rows in which the search did not go through all that it had to. */
static void note_part(nearest *o, size_t rows)
{
    const uint32_t *const indices = o->made[MADE_INDICES].array.data;
    const size_t k = o->set->k;
    for (size_t row = 0; row < rows; ++row)
        o->given_up += indices[row * k] == UINT32_MAX - 1 ? 1 : 0;
    for (size_t i = 0; i < rows * k && o->given_up == 0; ++i)
        if (indices[i] != UINT32_MAX) {
            const double at = scene_number(&o->scene, &o->made[MADE_DISTANCES].array, i);
            const double d = o->set->squared ? sqrt(at) : at;
            o->max = fmax(o->max, d);
            o->sum += d;
            ++o->found;
        }
}

static int write_part(nearest *o, size_t rows, outputs *files)
{
    int result = TOOL_OK;
    const size_t count = rows * o->set->k;
    for (size_t i = 0; i < TOOL_COUNT(given); ++i) {
        made *const part = &o->made[given[i]];
        xli_npy whole = part->array;
        whole.shape[0] = o->scene.rows;
        TRY(made_write_part(part, o->set->paths.of[given[i]], &whole, count, files));
    }
done:
    return result;
}

static int make_part(nearest *o, size_t first, size_t rows, outputs *files)
{
    int result;
    const size_t count = rows * o->set->k;
    if (rows > 0)
        TRY(o->approximate ? search_shifted(o, first, rows) : search_index(o, first, rows));
    for (size_t i = 0; i < TOOL_COUNT(given); ++i) {
        made *const part = &o->made[given[i]];
        TRY(session_read(&o->s, part->buffer, count * part->array.item_bytes, part->array.data));
    }
    if (!o->set->squared)
        made_take_roots(o->made, count);
    note_part(o, rows);
    if (o->given_up == 0)
        TRY(write_part(o, rows, files));
done:
    return result;
}

/* ---- all of them ---- */

static int open_parts(nearest *o)
{
    int result;
    const uint64_t scalar = o->scene.wide ? 8 : 4;
    uint64_t limit;
    const uint64_t most =
        made_part_pairs(&o->s, o->set->part_pairs, sizeof(cl_uint) + scalar, scalar, &limit) /
        o->set->k;
    o->part_rows = most < 1 ? 1 : most < o->scene.rows ? (size_t)most : o->scene.rows;
    TRY(made_open(o->made, &o->s, MADE_INDICES, false, o->part_rows, o->set->k));
    TRY(made_open(o->made, &o->s, MADE_DISTANCES, o->scene.wide, o->part_rows, o->set->k));
done:
    return result;
}

/* Once a row was given up nothing more is written, and the others only tell how many are. */
static int make_parts(nearest *o, outputs *files)
{
    int result = TOOL_OK;
    const size_t rows = o->scene.rows;
    size_t first = 0;
    do {
        const size_t left = rows - first, part = left < o->part_rows ? left : o->part_rows;
        progress_say("searching %u nearest: %zu of %zu rows", (unsigned)o->set->k, first, rows);
        TRY(make_part(o, first, part, files));
        first += part;
        ++o->parts;
    } while (first < rows);
    if (o->given_up > 0)
        return tool_fail(
            "%zu of %zu rows were given up: %s%s ends long loops (docs/drivers.md)", o->given_up,
            rows, o->scene.periodic ? "a query is too many periods away, or " : "", o->s.info.name);
done:
    return result;
}

/* An approximate search takes the points as they are. */
static int search(nearest *o, outputs *files)
{
    int result;
    const session *s = &o->s;
    double cell = 0;
    progress_say("compiling for %s", s->info.name);
    TRY(o->set->approximate ? make_approximate(o) : make_plan(o));
    TRY(cloud_open(&o->cloud, s, &o->scene));
    TRY(open_parts(o));
    if (!o->approximate) {
        TRY(find_cell(o, &cell));
        TRY(cloud_build(&o->cloud, cell));
    }
    TRY(make_parts(o, files));
    TRY(outputs_commit(files));
done:
    progress_clear();
    return result;
}

/* ---- what is said ---- */

static void report(const nearest *o)
{
    const scene *sc = &o->scene;
    const double mean = o->sum / (o->found ? (double)o->found : 1);
    if (o->set->as_json) {
        json j = json_begin(stdout);
        report_scene(&j, &o->s, sc);
        json_count(&j, "knn", o->set->k);
        json_count(&j, "found", o->found);
        json_count(&j, "parts", o->parts);
        json_number(&j, "distance_max", o->max);
        json_number(&j, "distance_mean", mean);
        json_end(&j);
        return;
    }
    if (sc->given)
        printf("%zu queries among ", sc->rows);
    printf("%zu points, %u nearest%s: %zu found; distances up to %g, mean %g\n", sc->n,
           (unsigned)o->set->k, o->approximate ? ", approximate" : "", o->found, o->max, mean);
    report_rounding(sc);
}

/* Also what the build of an index would say. */
static int check_approximate(const scene *sc)
{
    if (sc->wide)
        return tool_fail("--approximate is for points of single precision; --f32 rounds these");
    if (sc->dimensions < 2)
        return tool_fail("--approximate is for points of 2 and 3 dimensions");
    return scene_check_points(sc);
}

int nearest_file(const search_settings *set, const char *path)
{
    int result;
    outputs files = {0};
    nearest o = {.set = set};
    TRY(made_check_paths(&set->paths));
    TRY(scene_read(set->where, path, &o.scene));
    if (set->approximate)
        TRY(check_approximate(&o.scene));
    if (set->radius > 0)
        TRY(scene_check_radius(&o.scene, set->radius));
    TRY(session_open(&o.s, set->device, set->tune_file));
    TRY(scene_check_device(&o.scene, &o.s));
    TRY(search(&o, &files));
    report(&o);
done:
    outputs_abandon(&files);
    made_free(o.made);
    xl_plan_destroy(o.plan);
    xl_plan_destroy(o.approximate);
    cloud_close(&o.cloud);
    session_close(&o.s);
    scene_free(&o.scene);
    return result;
}

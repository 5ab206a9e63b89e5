/* SPDX-License-Identifier: MIT
 * `crosslane neighbors --radius`: who is within a radius of each point or query, as counts, as a
 * list, and as density with the Poly6 kernel of Mueller et al., "Particle-based fluid simulation
 * for interactive applications" (SCA 2003). */
#include "cloud.h"

#include <inttypes.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

/* (1 - d^2/h^2)^3 rather than (h^2 - d^2)^3 / h^9: h^9 underflows in single
 * precision from h = 1e-5 on. */
#define POLY6(real)                                                                                \
#real " visit(" #real " sum, " #real " distance2, uint i, uint j, " #real "4 params)\n"        \
          "{\n"                                                                                    \
          "    " #real " q = fmax((" #real ")0, 1 - distance2 * params.x);\n"                      \
          "    return sum + params.y * (q * q * q);\n"                                             \
          "}\n"
static const char narrow_poly6[] = POLY6(float), wide_poly6[] = POLY6(double);

typedef struct within {
    const search_settings *set;
    double radius;
    session s;
    scene scene;
    cloud cloud;
    xl_plan *list, *field; /* field: of the density */
    uint64_t pairs;
    size_t parts; /* that the list was made in */
    made made[MADE_KINDS];
} within;

/* What (1 - d^2/radius^2)^3 is multiplied with. */
static double poly6_factor(double radius, double mass)
{
    return mass * 315.0 / (64.0 * PI * radius * radius * radius);
}

static bool wants_density(const search_settings *set)
{
    return set->paths.of[MADE_DENSITY] || set->paths.of[MADE_PICTURE];
}

/* In single precision the factor of the kernel has to have some room for sums. */
static int check_density(const search_settings *set, const scene *sc)
{
    const double factor = poly6_factor(set->radius, set->mass), most = sc->wide ? 1e300 : 1e36;
    if (!wants_density(set) || (factor < most && factor > 1 / most))
        return TOOL_OK;
    return tool_misuse(
        "neighbors: --radius: %g with --mass %g gives densities beyond %s precision; "
        "scale the points or the mass",
        set->radius, set->mass, sc->wide ? "double" : "single");
}

static bool wants(const within *w, int kind)
{
    return w->set->paths.of[kind] != NULL;
}

static bool wants_details(const within *w)
{
    return wants(w, MADE_DISTANCES) || wants(w, MADE_VECTORS) || wants(w, MADE_SHIFTS);
}

/* ---- plans ---- */

static xl_neighbors_desc describe(const within *w)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.scalar = w->scene.wide ? XL_F64 : XL_F32;
    desc.radius = w->scene.wide ? 0 : (float)w->radius;
    desc.radius_f64 = w->scene.wide ? w->radius : 0;
    desc.periodic = w->scene.repeats;
    desc.batch = w->scene.num_systems > 0;
    desc.queries = w->scene.given ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.dimensions = desc.query_stride = w->scene.dimensions;
    return desc;
}

static int make_plans(within *w)
{
    int result;
    const search_settings *set = w->set;
    xl_context *ctx = w->s.ctx;
    xl_neighbors_desc list = describe(w), field = describe(w);
    list.inclusive = set->inclusive;
    list.include_self = set->include_self;
    list.half = set->half;
    list.sorted = !set->unsorted;
    list.radii = w->scene.radii.data != NULL;
    list.details = wants_details(w);
    list.row_capacity = set->row_capacity;
    field.include_self = 1;
    field.visit = w->scene.wide ? wide_poly6 : narrow_poly6;
    progress_say("compiling for %s", w->s.info.name);
    TRY(tool_check(ctx, xl_neighbors_create(ctx, &list, &w->list), "neighbour search"));
    if (wants_density(set))
        TRY(tool_check(ctx, xl_neighbors_create(ctx, &field, &w->field), "density"));
done:
    return result;
}

/* ---- the search ---- */

static xl_view view_of(cl_mem buffer)
{
    return buffer ? xl_view_of(buffer, 0) : xl_no_view();
}

static size_t num_queries(const within *w)
{
    return w->scene.given ? w->scene.rows : 0;
}

/* Counts and offsets. */
static int count(within *w)
{
    int result;
    const session *s = &w->s;
    const cloud *c = &w->cloud;
    TRY(made_open(w->made, s, MADE_COUNTS, false, w->scene.rows, 0));
    TRY(made_open(w->made, s, MADE_OFFSETS, false, w->scene.rows + 1, 0));
    const xl_view offsets = made_view(w->made, MADE_OFFSETS);
    const xl_neighbors_count_args args = {.counts = made_view(w->made, MADE_COUNTS),
                                          .offsets = offsets,
                                          .num_queries = num_queries(w),
                                          .queries = view_of(c->queries),
                                          .radii = view_of(c->radii),
                                          .query_systems = view_of(c->query_systems)};
    const xl_neighbors_status_args what = {.capacity = UINT64_MAX,
                                           .offsets = offsets,
                                           .num_queries = num_queries(w),
                                           .queries = view_of(c->queries),
                                           .radii = view_of(c->radii),
                                           .query_systems = view_of(c->query_systems)};
    progress_say("counting around %zu %s", w->scene.rows, w->scene.given ? "queries" : "points");
    TRY(tool_check(s->ctx,
                   xl_neighbors_count_enqueue(w->list, c->index, s->queue, &args, 0, NULL, NULL),
                   "neighbour counts"));
    TRY(tool_check(s->ctx, xl_neighbors_status(w->list, c->index, s->queue, &what, NULL, 0, NULL),
                   "neighbour counts"));
done:
    return result;
}

static int sum_density(within *w)
{
    int result;
    const session *s = &w->s;
    const double h = w->radius, params[2] = {1.0 / (h * h), poly6_factor(h, w->set->mass)};
    const bool wide = w->scene.wide;
    TRY(made_open(w->made, s, MADE_DENSITY, w->scene.wide, w->scene.rows, 0));
    const xl_neighbors_visit_args args = {
        .params = {wide ? 0 : (float)params[0], wide ? 0 : (float)params[1], 0, 0},
        .params_f64 = {wide ? params[0] : 0, wide ? params[1] : 0, 0, 0},
        .out = made_view(w->made, MADE_DENSITY),
        .num_queries = num_queries(w),
        .queries = view_of(w->cloud.queries),
        .query_systems = view_of(w->cloud.query_systems)};
    progress_say("summing up %zu densities", w->scene.rows);
    TRY(tool_check(
        s->ctx,
        xl_neighbors_visit_enqueue(w->field, w->cloud.index, s->queue, &args, 0, NULL, NULL),
        "density"));
done:
    return result;
}

/* Rows of any length have to be counted before they are listed. */
static int list_rows(within *w, outputs *files)
{
    int result;
    const listing list = {w->set, &w->cloud, w->list, w->made, files};
    const bool counted = w->set->row_capacity == 0;
    if (counted)
        TRY(count(w));
    else
        TRY(made_open(w->made, &w->s, MADE_COUNTS, false, w->scene.rows, 0));
    if (wants_density(w->set))
        TRY(sum_density(w));
    if (!counted)
        TRY(listing_write(&list, &w->parts));
    TRY(made_read(w->made, &w->s));
    TRY(made_write(w->made, &w->set->paths, files));
    if (counted && wants(w, MADE_INDICES))
        TRY(listing_write(&list, &w->parts));
done:
    return result;
}

static void sum_pairs(within *w)
{
    const uint32_t *const counts = w->made[MADE_COUNTS].array.data;
    w->pairs = 0;
    for (size_t i = 0; i < w->scene.rows; ++i)
        w->pairs += counts[i];
}

static double mean_count(const within *w)
{
    const size_t rows = w->scene.rows ? w->scene.rows : 1;
    return (double)w->pairs / (double)rows;
}

static int search(within *w, outputs *files)
{
    int result;
    TRY(make_plans(w));
    TRY(cloud_open(&w->cloud, &w->s, &w->scene));
    TRY(cloud_build(&w->cloud, w->radius));
    TRY(list_rows(w, files));
    sum_pairs(w);
    if (wants(w, MADE_PICTURE))
        TRY(drawn_write(&w->scene, &w->made[MADE_DENSITY].array, w->radius, mean_count(w),
                        w->set->paths.of[MADE_PICTURE], files));
    TRY(outputs_commit(files));
done:
    progress_clear();
    return result;
}

/* ---- what is said ---- */

static void report_json(const within *w, const summary *counts)
{
    const xli_npy *density = &w->made[MADE_DENSITY].array;
    json j = json_begin(stdout);
    report_scene(&j, &w->s, &w->scene);
    json_number(&j, "radius", w->radius);
    json_bool(&j, "inclusive", w->set->inclusive);
    if (w->set->half)
        json_bool(&j, "half", true);
    json_count(&j, "pairs", w->pairs);
    if (w->parts > 0)
        json_count(&j, "parts", w->parts);
    json_number(&j, "neighbors_min", counts->min);
    json_number(&j, "neighbors_mean", counts->mean);
    json_number(&j, "neighbors_max", counts->max);
    if (density->data) {
        const summary s = w->scene.wide ? summary_of_doubles(density->data, density->count)
                                        : summary_of_floats(density->data, density->count);
        json_number(&j, "density_min", s.min);
        json_number(&j, "density_mean", s.mean);
        json_number(&j, "density_max", s.max);
    }
    json_end(&j);
}

static void report(const within *w)
{
    const scene *sc = &w->scene;
    const summary s = summary_of_counts(w->made[MADE_COUNTS].array.data, sc->rows);
    if (w->set->as_json) {
        report_json(w, &s);
        return;
    }
    if (sc->given)
        printf("%zu queries among ", sc->rows);
    printf("%zu points, %s %g: %" PRIu64 " pairs%s; neighbours per %s: %.0f to %.0f, mean %.2f\n",
           sc->n, sc->radii.data ? "radii up to" : "radius", w->radius, w->pairs,
           w->set->half ? ", each once" : "", sc->given ? "query" : "point", s.min, s.max, s.mean);
    report_rounding(sc);
}

int within_file(const search_settings *set, const char *path)
{
    int result;
    outputs files = {0};
    within w = {.set = set, .radius = set->radius};
    TRY(made_check_paths(&set->paths));
    TRY(scene_read(set->where, path, &w.scene));
    if (!(set->radius > 0))
        TRY(scene_largest_radius(set->where, &w.scene, &w.radius));
    TRY(scene_check_radius(&w.scene, w.radius));
    TRY(check_density(set, &w.scene));
    if (!w.scene.wide)
        w.radius = (double)(float)w.radius;
    TRY(session_open(&w.s, set->device, set->tune_file));
    TRY(scene_check_device(&w.scene, &w.s));
    TRY(search(&w, &files));
    report(&w);
done:
    outputs_abandon(&files);
    made_free(w.made);
    xl_plan_destroy(w.field);
    xl_plan_destroy(w.list);
    cloud_close(&w.cloud);
    session_close(&w.s);
    scene_free(&w.scene);
    return result;
}

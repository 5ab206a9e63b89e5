/* SPDX-License-Identifier: MIT
 * `crosslane neighbors --radius`: the points within a radius of each point or query, as counts, as
 * a list, and as density with the Poly6 kernel of Mueller et al., "Particle-based fluid simulation
 * for interactive applications" (SCA 2003). */
#include "point_search.h"

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

typedef struct radius_search {
    const search_settings *set;
    double radius;
    session s;
    search_input in;
    device_points points;
    xl_plan *list, *field; /* field: for the density */
    uint64_t pairs;
    size_t parts; /* of the list */
    result_array results[RESULT_KINDS];
} radius_search;

/* The factor of (1 - d^2/radius^2)^3. */
static double poly6_factor(double radius, double mass)
{
    return mass * 315.0 / (64.0 * PI * radius * radius * radius);
}

static bool wants_density(const search_settings *set)
{
    return set->paths.of[RESULT_DENSITY] || set->paths.of[RESULT_PICTURE];
}

/* The factor of the kernel must leave room for sums in its precision. */
static int check_density(const search_settings *set, const search_input *in)
{
    const double factor = poly6_factor(set->radius, set->mass), most = in->wide ? 1e300 : 1e36;
    if (!wants_density(set) || (factor < most && factor > 1 / most))
        return TOOL_OK;
    return tool_misuse("neighbors: --radius: %g with --mass %g; densities exceed the range of %s "
                       "precision: scale the points or the mass",
                       set->radius, set->mass, in->wide ? "double" : "single");
}

static bool wants(const radius_search *w, int kind)
{
    return w->set->paths.of[kind] != NULL;
}

static bool wants_details(const radius_search *w)
{
    return wants(w, RESULT_DISTANCES) || wants(w, RESULT_VECTORS) || wants(w, RESULT_SHIFTS);
}

/* ---- plans ---- */

static xl_neighbors_desc describe(const radius_search *w)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = w->radius;
    desc.queries = w->in.given ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    return desc;
}

static int make_plans(radius_search *w)
{
    int result;
    const search_settings *set = w->set;
    xl_context *ctx = w->s.ctx;
    xl_neighbors_desc list = describe(w), field = describe(w);
    list.inclusive = set->inclusive;
    list.include_self = set->include_self;
    list.half = set->half;
    list.sorted = !set->unsorted;
    if (w->in.radii.data)
        list.radii = set->larger ? XL_RADII_LARGER : XL_RADII_QUERY;
    list.details = wants_details(w);
    list.row_capacity = set->row_capacity;
    list.keep_nearest = set->keep_nearest;
    field.include_self = 1;
    field.visit = w->in.wide ? wide_poly6 : narrow_poly6;
    progress_compiling();
    TRY(tool_check(ctx, xl_neighbors_create(w->points.grid, &list, &w->list), "neighbour search"));
    if (wants_density(set))
        TRY(tool_check(ctx, xl_neighbors_create(w->points.grid, &field, &w->field), "density"));
done:
    progress_clear();
    return result;
}

/* ---- the search ---- */

static size_t num_queries(const radius_search *w)
{
    return w->in.given ? w->in.rows : 0;
}

/* Counts and offsets. The enqueue may compile the scan of the counts. xl_plan_prepare() would also
 * build the one in place, which it does not need. */
static int count(radius_search *w)
{
    int result;
    const session *s = &w->s;
    const device_points *c = &w->points;
    TRY(result_open(w->results, s, RESULT_COUNTS, false, w->in.rows, 0));
    TRY(result_open(w->results, s, RESULT_OFFSETS, false, w->in.rows + 1, 0));
    const xl_neighbors_args args = {.num_queries = num_queries(w),
                                    .queries = xl_view_of(c->queries, 0),
                                    .query_systems = xl_view_of(c->query_systems, 0),
                                    .radii = xl_view_of(c->radii, 0),
                                    .counts = result_view(w->results, RESULT_COUNTS),
                                    .offsets = result_view(w->results, RESULT_OFFSETS)};
    progress_compiling();
    TRY(tool_check(s->ctx,
                   xl_neighbors_count_enqueue(w->list, c->index, s->queue, &args, 0, NULL, NULL),
                   "neighbour counts"));
    progress_say("counting around %zu %s", w->in.rows, w->in.given ? "queries" : "points");
    TRY(tool_check(s->ctx, xl_neighbors_status(w->list, c->index, s->queue, &args, NULL, 0, NULL),
                   "neighbour counts"));
done:
    return result;
}

static int sum_density(radius_search *w)
{
    int result;
    const session *s = &w->s;
    const double h = w->radius, params[2] = {1.0 / (h * h), poly6_factor(h, w->set->mass)};
    TRY(result_open(w->results, s, RESULT_DENSITY, w->in.wide, w->in.rows, 0));
    const xl_neighbors_args args = {.num_queries = num_queries(w),
                                    .params = {params[0], params[1], 0, 0},
                                    .queries = xl_view_of(w->points.queries, 0),
                                    .query_systems = xl_view_of(w->points.query_systems, 0),
                                    .sums = result_view(w->results, RESULT_DENSITY)};
    progress_say("summing up %zu densities", w->in.rows);
    TRY(tool_check(s->ctx,
                   xl_neighbors_enqueue(w->field, w->points.index, s->queue, &args, 0, NULL, NULL),
                   "density"));
done:
    return result;
}

/* Rows of any length must be counted before they are listed. */
static int list_rows(radius_search *w, outputs *files)
{
    int result;
    const list_job list = {w->set, &w->points, w->list, w->results, files};
    const bool counted = w->set->row_capacity == 0;
    if (counted)
        TRY(count(w));
    else
        TRY(result_open(w->results, &w->s, RESULT_COUNTS, false, w->in.rows, 0));
    if (wants_density(w->set))
        TRY(sum_density(w));
    if (!counted)
        TRY(list_write(&list, &w->parts));
    TRY(result_read(w->results, &w->s));
    TRY(result_write(w->results, &w->set->paths, files));
    if (counted && wants(w, RESULT_INDICES))
        TRY(list_write(&list, &w->parts));
done:
    return result;
}

static void sum_pairs(radius_search *w)
{
    const uint32_t *const counts = w->results[RESULT_COUNTS].array.data;
    w->pairs = 0;
    for (size_t i = 0; i < w->in.rows; ++i)
        w->pairs += counts[i];
}

static double mean_count(const radius_search *w)
{
    const size_t rows = w->in.rows ? w->in.rows : 1;
    return (double)w->pairs / (double)rows;
}

static int search(radius_search *w, outputs *files)
{
    int result;
    TRY(device_points_open(&w->points, &w->s, &w->in));
    TRY(device_points_grid(&w->points, w->radius, 0));
    TRY(make_plans(w));
    TRY(device_points_build(&w->points));
    TRY(list_rows(w, files));
    sum_pairs(w);
    if (wants(w, RESULT_PICTURE))
        TRY(density_picture_write(&w->in, &w->results[RESULT_DENSITY].array, w->radius,
                                  mean_count(w), w->set->paths.of[RESULT_PICTURE], files));
    TRY(outputs_commit(files));
done:
    progress_clear();
    return result;
}

/* ---- the report ---- */

static void report_json(const radius_search *w, const summary *counts)
{
    const xli_npy *density = &w->results[RESULT_DENSITY].array;
    json j = json_begin(stdout);
    report_input(&j, &w->s, &w->in);
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
        const summary s = w->in.wide ? summary_of_doubles(density->data, density->count)
                                     : summary_of_floats(density->data, density->count);
        json_number(&j, "density_min", s.min);
        json_number(&j, "density_mean", s.mean);
        json_number(&j, "density_max", s.max);
    }
    json_end(&j);
}

static void report(const radius_search *w)
{
    const search_input *in = &w->in;
    const summary s = summary_of_counts(w->results[RESULT_COUNTS].array.data, in->rows);
    if (w->set->as_json) {
        report_json(w, &s);
        return;
    }
    if (in->given)
        printf("%zu queries among ", in->rows);
    printf("%zu points, %s %g: %" PRIu64 " pairs%s; neighbours per %s: %.0f to %.0f, mean %.2f\n",
           in->n, in->radii.data ? "radii up to" : "radius", w->radius, w->pairs,
           w->set->half ? ", each once" : "", in->given ? "query" : "point", s.min, s.max, s.mean);
    report_rounding(in);
}

int search_radius_file(const search_settings *set, const char *path)
{
    int result;
    outputs files = {0};
    radius_search w = {.set = set, .radius = set->radius};
    TRY(result_check_paths(&set->paths));
    TRY(input_read(set->where, path, &w.in));
    if (!(set->radius > 0))
        TRY(input_largest_radius(set->where, &w.in, &w.radius));
    TRY(input_check_radius(&w.in, w.radius));
    TRY(check_density(set, &w.in));
    if (!w.in.wide)
        w.radius = (double)(float)w.radius;
    TRY(session_open(&w.s, set->device, set->tune_file));
    TRY(input_check_device(&w.in, &w.s));
    TRY(search(&w, &files));
    report(&w);
done:
    outputs_abandon(&files);
    result_free(w.results);
    xl_plan_destroy(w.field);
    xl_plan_destroy(w.list);
    device_points_close(&w.points);
    session_close(&w.s);
    input_free(&w.in);
    return result;
}

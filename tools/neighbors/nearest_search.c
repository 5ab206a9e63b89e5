/* SPDX-License-Identifier: MIT
 * `crosslane neighbors --nearest`: the K nearest points of each point or query. Results may be
 * larger than memory, so rows are searched and written in parts. */
#include "point_search.h"

#include <math.h>
#include <stdlib.h>

typedef struct nearest_search {
    const search_settings *set;
    session s;
    search_input in;
    device_points points;
    xl_plan *plan;
    xl_plan *approximate;               /* used instead of `plan` */
    result_array results[RESULT_KINDS]; /* of one part */
    size_t part_rows, parts;            /* the most in a part; the number of parts */
    size_t found, given_up;             /* neighbours; rows that are incomplete */
    double max, sum;                    /* of the distances */
} nearest_search;

static const int kinds[] = {RESULT_INDICES, RESULT_DISTANCES};

/* ---- the search ---- */

static int make_plan(nearest_search *o)
{
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = o->set->k;
    desc.max_radius = o->set->radius;
    desc.include_self = o->set->include_self;
    desc.queries = o->in.given ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    progress_compiling();
    const xl_status created = xl_nearest_create(o->points.grid, &desc, &o->plan);
    progress_clear();
    return tool_check(o->s.ctx, created, "nearest points");
}

static int make_approximate(nearest_search *o)
{
    const search_input *const in = &o->in;
    const float *const at = in->points.data;
    float low[3] = {0}, high[3] = {0};
    xl_nearest_approximate_desc desc;
    xl_nearest_approximate_desc_init(&desc);
    desc.k = o->set->k;
    desc.include_self = o->set->include_self;
    desc.queries = in->given ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.space.dimensions = desc.stride = desc.query_stride = in->dimensions;
    for (size_t i = 0; i < in->n * in->dimensions; ++i) {
        const size_t a = i % in->dimensions;
        low[a] = i < in->dimensions ? at[i] : fminf(low[a], at[i]);
        high[a] = i < in->dimensions ? at[i] : fmaxf(high[a], at[i]);
        desc.space.origin[a] = (double)low[a];
        desc.space.cell[a][a] = (double)high[a] - (double)low[a];
    }
    progress_compiling();
    const xl_status created = xl_nearest_approximate_create(o->s.ctx, &desc, &o->approximate);
    return session_prepare(
        &o->s, created, &o->approximate,
        &(xl_nearest_approximate_args){.n = in->n, .num_queries = in->given ? in->rows : 0},
        "approximate nearest points");
}

static int search_index(nearest_search *o, size_t first, size_t rows)
{
    const session *const s = &o->s;
    const xl_nearest_args args = {.num_queries = o->in.given ? o->in.rows : 0,
                                  .queries = xl_view_of(o->points.queries, 0),
                                  .indices = result_view(o->results, RESULT_INDICES),
                                  .distances2 = result_view(o->results, RESULT_DISTANCES),
                                  .query_systems = xl_view_of(o->points.query_systems, 0),
                                  .first_row = first,
                                  .num_rows = rows};
    return tool_check(s->ctx,
                      xl_nearest_enqueue(o->plan, o->points.index, s->queue, &args, 0, NULL, NULL),
                      "nearest points");
}

static int search_shifted(nearest_search *o, size_t first, size_t rows)
{
    const session *const s = &o->s;
    const xl_nearest_approximate_args args = {.n = o->in.n,
                                              .points = xl_view_of(o->points.points, 0),
                                              .num_queries = o->in.given ? o->in.rows : 0,
                                              .queries = xl_view_of(o->points.queries, 0),
                                              .indices = result_view(o->results, RESULT_INDICES),
                                              .distances2 =
                                                  result_view(o->results, RESULT_DISTANCES),
                                              .first_row = first,
                                              .num_rows = rows};
    return tool_check(
        s->ctx, xl_nearest_approximate_enqueue(o->approximate, s->queue, &args, 0, NULL, NULL),
        "approximate nearest points");
}

/* ---- one part ---- */

/* Adds the distances of a part, and counts its incomplete rows. */
static void note_part(nearest_search *o, size_t rows)
{
    const uint32_t *const indices = o->results[RESULT_INDICES].array.data;
    const size_t k = o->set->k;
    for (size_t row = 0; row < rows; ++row)
        o->given_up += indices[row * k] == UINT32_MAX - 1 ? 1 : 0;
    for (size_t i = 0; i < rows * k && o->given_up == 0; ++i)
        if (indices[i] != UINT32_MAX) {
            const double at = input_number(&o->in, &o->results[RESULT_DISTANCES].array, i);
            const double d = o->set->squared ? sqrt(at) : at;
            o->max = fmax(o->max, d);
            o->sum += d;
            ++o->found;
        }
}

static int write_part(nearest_search *o, size_t rows, outputs *files)
{
    int result = TOOL_OK;
    const size_t count = rows * o->set->k;
    for (size_t i = 0; i < TOOL_COUNT(kinds); ++i) {
        result_array *const part = &o->results[kinds[i]];
        xli_npy whole = part->array;
        whole.shape[0] = o->in.rows;
        TRY(result_write_part(part, o->set->paths.of[kinds[i]], &whole, count, files));
    }
done:
    return result;
}

static int make_part(nearest_search *o, size_t first, size_t rows, outputs *files)
{
    int result;
    const size_t count = rows * o->set->k;
    if (rows > 0)
        TRY(o->approximate ? search_shifted(o, first, rows) : search_index(o, first, rows));
    for (size_t i = 0; i < TOOL_COUNT(kinds); ++i) {
        result_array *const part = &o->results[kinds[i]];
        TRY(session_read(&o->s, part->buffer, count * part->array.item_bytes, part->array.data));
    }
    if (!o->set->squared)
        result_square_roots(o->results, count);
    note_part(o, rows);
    if (o->given_up == 0)
        TRY(write_part(o, rows, files));
done:
    return result;
}

/* ---- all parts ---- */

static int open_parts(nearest_search *o)
{
    int result;
    const uint64_t scalar = o->in.wide ? 8 : 4;
    uint64_t limit;
    const uint64_t most =
        result_part_pairs(&o->s, o->set->part_pairs, sizeof(cl_uint) + scalar, scalar, &limit) /
        o->set->k;
    o->part_rows = most < 1 ? 1 : most < o->in.rows ? (size_t)most : o->in.rows;
    TRY(result_open(o->results, &o->s, RESULT_INDICES, false, o->part_rows, o->set->k));
    TRY(result_open(o->results, &o->s, RESULT_DISTANCES, o->in.wide, o->part_rows, o->set->k));
done:
    return result;
}

/* After an incomplete row nothing is written; the remaining parts only count incomplete rows. */
static int make_parts(nearest_search *o, outputs *files)
{
    int result = TOOL_OK;
    const size_t rows = o->in.rows;
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
            "%zu of %zu rows are incomplete: their queries are too many periods outside the box",
            o->given_up, rows);
done:
    return result;
}

/* An approximate search needs no index. */
static int search(nearest_search *o, outputs *files)
{
    int result;
    TRY(device_points_open(&o->points, &o->s, &o->in));
    if (o->set->approximate) {
        TRY(make_approximate(o));
    } else {
        TRY(device_points_grid(&o->points, 0, o->set->k > 24 ? o->set->k / 12.0 : 2));
        TRY(make_plan(o));
    }
    TRY(open_parts(o));
    if (!o->approximate)
        TRY(device_points_build(&o->points));
    TRY(make_parts(o, files));
    TRY(outputs_commit(files));
done:
    progress_clear();
    return result;
}

/* ---- the report ---- */

static void report(const nearest_search *o)
{
    const search_input *in = &o->in;
    const double mean = o->sum / (o->found ? (double)o->found : 1);
    if (o->set->as_json) {
        json j = json_begin(stdout);
        report_input(&j, &o->s, in);
        json_count(&j, "nearest", o->set->k);
        json_count(&j, "found", o->found);
        json_count(&j, "parts", o->parts);
        json_number(&j, "distance_max", o->max);
        json_number(&j, "distance_mean", mean);
        json_end(&j);
        return;
    }
    if (in->given)
        printf("%zu queries among ", in->rows);
    printf("%zu points, %u nearest%s: %zu found; distances up to %g, mean %g\n", in->n,
           (unsigned)o->set->k, o->approximate ? ", approximate" : "", o->found, o->max, mean);
    report_rounding(in);
}

/* Includes the check of points that the build of an index makes. */
static int check_approximate(const search_input *in)
{
    if (in->wide)
        return tool_fail("--approximate: points of type f64; requires f32: --f32 rounds them");
    if (in->dimensions < 2)
        return tool_fail("--approximate: points of 1 dimension; requires 2 or 3");
    return input_check_points(in);
}

int search_nearest_file(const search_settings *set, const char *path)
{
    int result;
    outputs files = {0};
    nearest_search o = {.set = set};
    TRY(result_check_paths(&set->paths));
    TRY(input_read(set->where, path, &o.in));
    if (set->approximate)
        TRY(check_approximate(&o.in));
    if (set->radius > 0)
        TRY(input_check_radius(&o.in, set->radius));
    TRY(session_open(&o.s, set->device, set->tune_file));
    TRY(input_check_device(&o.in, &o.s));
    TRY(search(&o, &files));
    report(&o);
done:
    outputs_abandon(&files);
    result_free(o.results);
    xl_plan_destroy(o.plan);
    xl_plan_destroy(o.approximate);
    device_points_close(&o.points);
    session_close(&o.s);
    input_free(&o.in);
    return result;
}

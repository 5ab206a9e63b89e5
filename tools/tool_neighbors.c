/* SPDX-License-Identifier: MIT
 * `crosslane neighbors`: neighbours of each point of a file within a radius, as a
 * list, as counts, or as a density. */
#include "tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct neighbors_options {
    tool_number radius, mass;
    uint64_t knn;
    bool inclusive, convert, as_json;
    const char *out, *counts, *density, *device, *tune_file;
} neighbors_options;

/* What comes back from the device. */
typedef struct results {
    uint32_t *counts;
    uint64_t *offsets;
    uint32_t *indices;
    float *density;
} results;

static void results_free(results *r)
{
    free(r->counts);
    free(r->offsets);
    free(r->indices);
    free(r->density);
}

static int allocate(size_t count, size_t size, void *pointer, const char *what)
{
    void *memory = count <= SIZE_MAX / size ? malloc(count ? count * size : 1) : NULL;
    if (!memory)
        return tool_fail("%s: no memory for %zu elements", what, count);
    memcpy(pointer, &memory, sizeof memory);
    return TOOL_OK;
}

static int read_list(cloud *c, results *r)
{
    int result;
    stage st = {0};
    progress_say("listing %" PRIu64 " pairs", c->pairs);
    TRY(cloud_fill(c, &st));
    TRY(allocate(c->n + 1, sizeof *r->offsets, &r->offsets, "offsets"));
    TRY(allocate((size_t)c->pairs, sizeof *r->indices, &r->indices, "neighbour list"));
    TRY(session_read(c->s, c->offsets, (c->n + 1) * sizeof *r->offsets, r->offsets));
    TRY(session_read(c->s, c->indices, (size_t)c->pairs * sizeof *r->indices, r->indices));
done:
    return result;
}

static int compute(cloud *c, bool want_list, results *r)
{
    int result;
    stage upload = {0}, build = {0}, count = {0}, density = {0}, back = {0};
    progress_say("searching among %zu points", c->n);
    TRY(cloud_upload(c, &upload));
    TRY(cloud_build(c, &build));
    TRY(cloud_count(c, &count));
    if (c->set.want_density)
        TRY(cloud_density(c, &density));
    if (want_list)
        TRY(read_list(c, r));
    TRY(allocate(c->n, sizeof *r->counts, &r->counts, "counts"));
    if (c->set.want_density)
        TRY(allocate(c->n, sizeof *r->density, &r->density, "density"));
    TRY(cloud_read_back(c, &back, r->counts, r->density));
done:
    return result;
}

/* PREFIX and what a file of the list adds to it; the caller frees it. NULL after a message. */
static char *list_path(const char *prefix, const char *end)
{
    const size_t size = strlen(prefix) + strlen(end) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", prefix, end);
    else
        tool_fail("%s: no memory for a file name", prefix);
    return path;
}

static const char offsets_end[] = ".offsets.npy", indices_end[] = ".indices.npy";

static int check_outputs(const neighbors_options *o)
{
    char *offsets = o->out ? list_path(o->out, offsets_end) : NULL;
    char *indices = o->out ? list_path(o->out, indices_end) : NULL;
    const named_output files[] = {
        {"--out", offsets}, {"--out", indices}, {"--counts", o->counts}, {"--density", o->density}};
    const bool good = !o->out || (offsets && indices);
    const int result = good ? outputs_check("neighbors", files, TOOL_COUNT(files)) : TOOL_FAILED;
    free(offsets);
    free(indices);
    return result;
}

static int write_list(outputs *files, const cloud *c, const char *prefix, const results *r)
{
    int result = TOOL_FAILED;
    char *offsets_path = list_path(prefix, offsets_end);
    char *indices_path = list_path(prefix, indices_end);
    xli_npy offsets = xli_npy_vector('u', sizeof *r->offsets, c->n + 1, r->offsets);
    xli_npy indices = xli_npy_vector('u', sizeof *r->indices, (size_t)c->pairs, r->indices);
    if (!offsets_path || !indices_path)
        goto done;
    TRY(outputs_npy(files, offsets_path, &offsets));
    TRY(outputs_npy(files, indices_path, &indices));
done:
    free(offsets_path);
    free(indices_path);
    return result;
}

static int write_files(outputs *files, const cloud *c, const neighbors_options *o, const results *r)
{
    int result = TOOL_OK;
    xli_npy counts = xli_npy_vector('u', sizeof *r->counts, c->n, r->counts);
    xli_npy density = xli_npy_vector('f', sizeof *r->density, c->n, r->density);
    if (o->out)
        TRY(write_list(files, c, o->out, r));
    if (o->counts)
        TRY(outputs_npy(files, o->counts, &counts));
    if (o->density)
        TRY(outputs_npy(files, o->density, &density));
    TRY(outputs_commit(files));
done:
    return result;
}

static void report(const cloud *c, const neighbors_options *o, const results *r)
{
    summary s = summary_of_counts(r->counts, c->n);
    if (!o->as_json) {
        printf("%zu points, radius %g: %" PRIu64 " pairs; neighbours per point: %.0f to %.0f, "
               "mean %.2f\n",
               c->n, (double)c->set.radius, c->pairs, s.min, s.max, s.mean);
        return;
    }
    json j = json_begin(stdout);
    json_text(&j, "device", c->s->info.name);
    json_count(&j, "points", c->n);
    json_number(&j, "radius", (double)c->set.radius);
    json_bool(&j, "inclusive", c->set.inclusive);
    json_count(&j, "pairs", c->pairs);
    json_number(&j, "neighbors_min", s.min);
    json_number(&j, "neighbors_mean", s.mean);
    json_number(&j, "neighbors_max", s.max);
    if (r->density) {
        s = summary_of_floats(r->density, c->n);
        json_number(&j, "density_min", s.min);
        json_number(&j, "density_mean", s.mean);
        json_number(&j, "density_max", s.max);
    }
    json_end(&j);
}

static int search_file(const neighbors_options *o, const cloud_settings *set, const char *path)
{
    int result;
    session s = {0};
    cloud c = {0};
    xli_npy points = {0};
    results r = {0};
    outputs files = {0};
    TRY(check_outputs(o));
    TRY(cloud_read(path, o->convert, &points));
    TRY(session_open(&s, o->device, o->tune_file));
    TRY(cloud_open(&c, &s, set, points.data, (size_t)points.shape[0]));
    TRY(compute(&c, o->out != NULL, &r));
    TRY(write_files(&files, &c, o, &r));
    report(&c, o, &r);
done:
    outputs_abandon(&files);
    results_free(&r);
    cloud_close(&c);
    session_close(&s);
    xli_npy_free(&points);
    return result;
}

enum { MOST_NEAREST = 64 };

/* --knn: another search, which has a radius only as a limit. */
static int search_nearest(const neighbors_options *o, const char *path)
{
    const float radius = (float)o->radius.value, square = radius * radius;
    const nearest_settings set = {.k = (uint32_t)o->knn,
                                  .max_radius = o->radius.given ? radius : 0,
                                  .convert = o->convert,
                                  .as_json = o->as_json,
                                  .out = o->out,
                                  .device = o->device,
                                  .tune_file = o->tune_file};
    if (o->knn > MOST_NEAREST)
        return tool_misuse("neighbors: --knn: %" PRIu64 "; 1 to %d", o->knn, MOST_NEAREST);
    if (!o->out)
        return tool_misuse("neighbors: --knn without --out; give the PREFIX of its files");
    if (o->inclusive || o->counts || o->density)
        return tool_misuse("neighbors: --knn and --%s exclude each other; give one",
                           o->inclusive ? "inclusive"
                           : o->counts  ? "counts"
                                        : "density");
    if (o->radius.given && !(square > 0 && isfinite(square)))
        return tool_misuse("neighbors: --radius: %g; its square must be a finite number above 0 in "
                           "single precision",
                           o->radius.value);
    return nearest_file(&set, path);
}

int tool_neighbors(int argc, char **argv)
{
    neighbors_options o = {.mass.value = 1};
    const tool_option options[] = {
        {"radius", OPTION_NUMBER, &o.radius, "R", "search radius, in the unit of the points", NULL},
        {"knn", OPTION_COUNT, &o.knn, "K", "the K nearest instead, below --radius if that is given",
         NULL},
        {"inclusive", OPTION_FLAG, &o.inclusive, NULL, "distance <= R rather than < R", NULL},
        {"out", OPTION_TEXT, &o.out, "PREFIX", "list: PREFIX.offsets.npy, PREFIX.indices.npy",
         NULL},
        {"counts", OPTION_TEXT, &o.counts, "C.npy", "number of neighbours of each point, u32",
         NULL},
        {"density", OPTION_TEXT, &o.density, "D.npy", "Poly6 density at each point, f32", NULL},
        {"mass", OPTION_NUMBER, &o.mass, "M", "mass of a point, for the density; default 1", NULL},
        {"f32", OPTION_FLAG, &o.convert, NULL, "round points in double precision to f32", NULL},
        {"device", OPTION_TEXT, &o.device, "SEL", "which device; see crosslane devices", NULL},
        TUNE_FILE_OPTION(o.tune_file),
        {"json", OPTION_FLAG, &o.as_json, NULL, "what was found, as one JSON object", NULL}};
    const tool_syntax syntax = {
        .name = "neighbors",
        .files = "POINTS.npy --radius R",
        .min_files = 1,
        .max_files = 1,
        .about =
            "Neighbours of each point within a radius; POINTS is f32 of shape (n, 3). The list\n"
            "is exact: row i holds, in ascending order, the indices of all other points whose\n"
            "distance in single precision is below R; offsets are u64 (n + 1), indices u32.\n"
            "--knn: row i of PREFIX.indices.npy (n, K) has the K nearest other points, the\n"
            "nearest first, of equally near ones in the order of their indices, and\n"
            "PREFIX.distances.npy how far they are; 4294967295 and inf where there are fewer.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result != TOOL_OK)
        return result;
    if (o.knn > 0)
        return search_nearest(&o, files[0]);
    const cloud_settings set = {.radius = (float)o.radius.value,
                                .inclusive = o.inclusive,
                                .mass = o.mass.value,
                                .want_density = o.density};
    TRY(cloud_check_settings("neighbors", &set, &o.radius));
    result = search_file(&o, &set, files[0]);
done:
    return result;
}

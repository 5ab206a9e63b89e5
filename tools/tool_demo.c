/* SPDX-License-Identifier: MIT
 * `crosslane demo`: neighbour counts and Poly6 density of a dam column of
 * particles, or of the user's points: times of the stages, checks, a picture. */
#include "tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { CHECKED_POINTS = 64, MAX_SIDE = 1600, NUM_STAGES = 5 };

typedef struct demo_options {
    tool_number radius, jitter, cut;
    uint64_t side, seed, repeat;
    bool convert, as_json, no_png;
    const char *png, *device, *tune_file;
} demo_options;

typedef struct demo {
    session s;
    cloud c;
    xli_npy points;
    uint32_t *counts;
    float *density;
    bool made;    /* the dam column rather than a file */
    double plans; /* milliseconds */
    stage stages[NUM_STAGES];
    summary neighbors, rho, bulk, bulk_neighbors;
    size_t bulk_points;
} demo;

/* splitmix64: each coordinate has a random number of its own, so that the column
 * is the same on every machine, whatever the order it is made in. */
static double unit_random(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

/* side^3 points, one in each unit cube, off its centre by up to `jitter`. */
static int make_column(const demo_options *o, xli_npy *points)
{
    size_t side = (size_t)o->side, n = side * side * side;
    float *xyz = malloc(n * 3 * sizeof *xyz);
    if (!xyz)
        return tool_fail("demo: no memory for %zu points", n);
    progress_say("placing %zu particles", n);
    for (size_t i = 0; i < n; ++i) {
        const size_t cell[3] = {i % side, i / side % side, i / side / side};
        for (size_t axis = 0; axis < 3; ++axis) {
            double off = (2 * unit_random(o->seed, 3 * i + axis) - 1) * o->jitter.value;
            xyz[3 * i + axis] = (float)((double)cell[axis] + 0.5 + off);
        }
    }
    *points = xli_npy_vector('f', sizeof *xyz, n * 3, xyz);
    points->dimensions = 2;
    points->shape[0] = n;
    points->shape[1] = 3;
    return TOOL_OK;
}

static int run_stages(demo *d, uint64_t rounds)
{
    int result = TOOL_OK;
    size_t n = d->c.n;
    d->counts = calloc(n ? n : 1, sizeof *d->counts);
    d->density = calloc(n ? n : 1, sizeof *d->density);
    if (!d->counts || !d->density)
        return tool_fail("demo: no memory for the results of %zu points", n);
    for (uint64_t round = 0; round < rounds; ++round) {
        progress_say("round %" PRIu64 " of %" PRIu64, round + 1, rounds);
        TRY(cloud_upload(&d->c, &d->stages[0]));
        TRY(cloud_build(&d->c, &d->stages[1]));
        TRY(cloud_count(&d->c, &d->stages[2]));
        TRY(cloud_density(&d->c, &d->stages[3]));
        TRY(cloud_read_back(&d->c, &d->stages[4], d->counts, d->density));
    }
done:
    progress_clear();
    return result;
}

/* Particles two spacings and the radius away from every face. */
static void summarize_bulk(demo *d, const demo_options *o)
{
    double margin = (double)d->c.set.radius + 2 * o->jitter.value;
    double sum = 0, neighbors = 0;
    for (size_t i = 0; i < d->c.n; ++i) {
        bool inside = true;
        for (size_t axis = 0; axis < 3; ++axis) {
            double x = (double)d->c.xyz[3 * i + axis];
            inside = inside && x > margin && x < (double)o->side - margin;
        }
        if (!inside)
            continue;
        ++d->bulk_points;
        sum += (double)d->density[i];
        neighbors += d->counts[i];
    }
    if (d->bulk_points) {
        d->bulk.mean = sum / (double)d->bulk_points;
        d->bulk_neighbors.mean = neighbors / (double)d->bulk_points;
    }
}

/* What must hold whatever the points are, and what holds for the column: one
 * particle of mass 1 in each unit cube, so density 1 where no face is near. */
static int check_results(demo *d, const demo_options *o)
{
    int result;
    uint64_t sum = 0;
    for (size_t i = 0; i < d->c.n; ++i)
        sum += d->counts[i];
    if (sum != d->c.pairs || sum % 2)
        return tool_fail("check: counts add up to %" PRIu64 ", offsets to %" PRIu64
                         "; both must be equal and even",
                         sum, d->c.pairs);
    if (d->rho.non_finite)
        return tool_fail("check: %zu densities are not finite", d->rho.non_finite);
    TRY(cloud_verify(&d->c, d->counts, d->density, CHECKED_POINTS));
    if (!d->made)
        return TOOL_OK;
    summarize_bulk(d, o);
    bool near_one = fabs(d->bulk.mean - 1) < 0.05 || (double)d->c.set.radius < 1.5;
    if (d->bulk_points && !near_one)
        result =
            tool_fail("check: mean density inside is %.6g, not within 5 %% of 1", d->bulk.mean);
done:
    return result;
}

/* A device that does not tell has a dash. */
static void print_row(const stage *st)
{
    char text[32] = "-";
    if (st->device_ms >= 0)
        snprintf(text, sizeof text, "%.3f", st->device_ms);
    printf("%-18s %12s %12.3f %12.3f\n", st->name, text, st->wall_ms, st->first_ms);
}

static void print_table(const demo *d)
{
    stage all = {.name = "all stages"};
    printf("%-18s %12s %12s %12s\n", "stage", "device ms", "wall ms", "first ms");
    printf("%-18s %12s %12s %12.3f\n", "plans, compiling", "", "", d->plans);
    for (size_t i = 0; i < NUM_STAGES; ++i) {
        const stage *st = &d->stages[i];
        print_row(st);
        all.device_ms = st->device_ms < 0 ? -INFINITY : all.device_ms + st->device_ms;
        all.wall_ms += st->wall_ms;
        all.first_ms += st->first_ms;
    }
    print_row(&all);
}

static void print_results(const demo *d, const demo_options *o, const char *png)
{
    const cloud *c = &d->c;
    if (d->made)
        printf("dam column: %" PRIu64 "^3 = %zu particles, spacing 1, jitter %g, seed %" PRIu64
               "\n",
               o->side, c->n, o->jitter.value, o->seed);
    printf("%zu points, radius %g, on %s\n", c->n, (double)c->set.radius, d->s.info.name);
    if (c->report.hashed)
        printf("cells hashed into a table of %" PRIu32 "\n\n", c->report.table_cells);
    else
        printf("cells %" PRIu32 " x %" PRIu32 " x %" PRIu32 "\n\n", c->report.cells[0],
               c->report.cells[1], c->report.cells[2]);
    print_table(d);
    printf("\nbest of %u rounds; device time counts from where the queue reaches a stage, and so\n"
           "holds the gaps between launches\n\n",
           d->stages[0].rounds);
    printf("neighbours  %.0f to %.0f, mean %.4f, %" PRIu64 " pairs\n", d->neighbors.min,
           d->neighbors.max, d->neighbors.mean, c->pairs);
    printf("density     %.6g to %.6g, mean %.6g\n", d->rho.min, d->rho.max, d->rho.mean);
    if (d->bulk_points)
        printf("inside      %zu particles away from the faces: mean density %.6f (about 1 "
               "expected), mean "
               "neighbours %.4f\n",
               d->bulk_points, d->bulk.mean, d->bulk_neighbors.mean);
    size_t checked = c->n < CHECKED_POINTS ? c->n : CHECKED_POINTS;
    printf("checked     %zu points against a serial search among all: equal\n", checked);
    char shown[4096];
    if (png)
        printf("picture     %s\n", text_printable(shown, sizeof shown, png));
}

static void write_results(const demo *d, const demo_options *o, const char *png)
{
    json j = json_begin(stdout);
    json_text(&j, "version", xl_version_string());
    json_text(&j, "device", d->s.info.name);
    json_text(&j, "driver", d->s.info.driver);
    json_count(&j, "points", d->c.n);
    json_number(&j, "radius", (double)d->c.set.radius);
    if (d->made) {
        json_count(&j, "side", o->side);
        json_count(&j, "seed", o->seed);
        json_number(&j, "jitter", o->jitter.value);
        json_number(&j, "bulk_density_mean", d->bulk.mean);
        json_number(&j, "bulk_neighbors_mean", d->bulk_neighbors.mean);
    }
    json_number(&j, "compile_ms", d->plans);
    json_open(&j, "stages", '[');
    for (size_t i = 0; i < NUM_STAGES; ++i) {
        const stage *st = &d->stages[i];
        json_open(&j, NULL, '{');
        json_text(&j, "stage", st->name);
        json_times(&j, st);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_count(&j, "rounds", d->stages[0].rounds);
    json_count(&j, "pairs", d->c.pairs);
    json_number(&j, "neighbors_min", d->neighbors.min);
    json_number(&j, "neighbors_mean", d->neighbors.mean);
    json_number(&j, "neighbors_max", d->neighbors.max);
    json_number(&j, "density_min", d->rho.min);
    json_number(&j, "density_mean", d->rho.mean);
    json_number(&j, "density_max", d->rho.max);
    if (png)
        json_text(&j, "png", png);
    json_end(&j);
}

static int draw(const demo *d, const demo_options *o, const char *png)
{
    int result;
    outputs files = {0};
    /* Most of the column is inside, and its density there is alike but for noise. */
    const picture_settings column = {0.2, 0.5, 1, "DENSITY"};
    picture_settings set = {0.002, 0, cloud_spacing(&d->c), "DENSITY"};
    if (d->made)
        set = column;
    if (o->cut.given)
        set.cut = o->cut.value;
    progress_say("drawing %s", png);
    TRY(picture_write(&files, png, d->c.xyz, d->density, d->c.n, &set));
    TRY(outputs_commit(&files));
done:
    outputs_abandon(&files);
    return result;
}

static int run(const demo_options *o, const cloud_settings *set, const char *file)
{
    int result;
    demo d = {.made = !file};
    const char *png = o->no_png ? NULL : (o->png ? o->png : "crosslane-demo.png");
    TRY(outputs_check("demo", &(named_output){"--png", png}, 1));
    TRY(file ? cloud_read(file, o->convert, &d.points) : make_column(o, &d.points));
    TRY(session_open(&d.s, o->device, o->tune_file));
    double before = host_milliseconds();
    TRY(cloud_open(&d.c, &d.s, set, d.points.data, (size_t)d.points.shape[0]));
    d.plans = host_milliseconds() - before;
    TRY(run_stages(&d, o->repeat));
    d.neighbors = summary_of_counts(d.counts, d.c.n);
    d.rho = summary_of_floats(d.density, d.c.n);
    TRY(check_results(&d, o));
    if (png)
        TRY(draw(&d, o, png));
    if (o->as_json)
        write_results(&d, o, png);
    else
        print_results(&d, o, png);
done:
    cloud_close(&d.c);
    session_close(&d.s);
    xli_npy_free(&d.points);
    free(d.counts);
    free(d.density);
    return result;
}

static int check_options(const demo_options *o, const cloud_settings *set, const char *file)
{
    int result;
    if (file && !o->radius.given)
        return tool_misuse("demo: --radius is missing; with a file give the search radius in the "
                           "unit of its points");
    if (o->side < 1 || o->side > MAX_SIDE)
        return tool_misuse("demo: --n-side: %" PRIu64 "; it must be 1 to %d", o->side, MAX_SIDE);
    if (!(o->jitter.value >= 0 && o->jitter.value <= 0.5))
        return tool_misuse("demo: --jitter: %g; it must be 0 to 0.5", o->jitter.value);
    if (o->repeat < 1 || o->repeat > 1000)
        return tool_misuse("demo: --repeat: %" PRIu64 "; it must be 1 to 1000", o->repeat);
    const tool_number radius = {o->radius.given ? o->radius.value : (double)set->radius, true};
    TRY(cloud_check_settings("demo", set, &radius));
    TRY(picture_check_cut("demo", o->cut.value));
done:
    return result;
}

int tool_demo(int argc, char **argv)
{
    demo_options o = {.side = 128, .seed = 1, .repeat = 3, .jitter.value = 0.1};
    const tool_option options[] = {
        {"radius", OPTION_NUMBER, &o.radius, "R",
         "search radius and reach of the density kernel; "
         "default for the column: 2",
         NULL},
        {"n-side", OPTION_COUNT, &o.side, "N", "particles along an edge; default 128", NULL},
        {"seed", OPTION_COUNT, &o.seed, "S", "of the jitter; default 1", NULL},
        {"jitter", OPTION_NUMBER, &o.jitter, "J",
         "largest offset on each axis, in spacings; "
         "default 0.1",
         NULL},
        {"repeat", OPTION_COUNT, &o.repeat, "K", "rounds, of which the best counts; default 3",
         NULL},
        {"png", OPTION_TEXT, &o.png, "P.png", "picture of the density; default crosslane-demo.png",
         NULL},
        {"no-png", OPTION_FLAG, &o.no_png, NULL, "no picture", NULL},
        {"cut", OPTION_NUMBER, &o.cut, "F",
         "front part to cut away, 0 to 1; default 0.5 for the "
         "column, 0 for a file",
         NULL},
        {"f32", OPTION_FLAG, &o.convert, NULL, "round points in double precision to f32", NULL},
        {"device", OPTION_TEXT, &o.device, "SEL", "which device; see crosslane devices", NULL},
        TUNE_FILE_OPTION(o.tune_file),
        {"json", OPTION_FLAG, &o.as_json, NULL, "the results as one JSON object", NULL}};
    const tool_syntax syntax = {
        .name = "demo",
        .files = "[FILE.npy --radius R]",
        .max_files = 1,
        .about = "Grid build, neighbour counts and Poly6 density of a dam column of particles (a\n"
                 "jittered lattice of spacing 1), or of the points of FILE, f32 of shape (n, 3).\n"
                 "Prints the time of each stage, checks the results, and draws the density.",
        .options = options,
        .num_options = TOOL_COUNT(options)};
    const char *files[TOOL_MAX_FILES];
    int result = options_parse(&syntax, argc, argv, files);
    if (result != TOOL_OK)
        return result;
    const cloud_settings set = {
        .radius = o.radius.given ? (float)o.radius.value : 2.0f, .mass = 1, .want_density = true};
    TRY(check_options(&o, &set, files[0]));
    result = run(&o, &set, files[0]);
done:
    return result;
}

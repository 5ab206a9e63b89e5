/* SPDX-License-Identifier: MIT
 * Problem: simulate a column of water that breaks down in a box, by FLIP (see flip.h). Draws it,
 * and prints the time of each stage and the iterations of the pressure solver. */
#include "flip_program.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double BOX_METRES = 4;

/* A run: the simulation, its particles on the host if needed, sums for the table. */
typedef struct session {
    const flip_options *o;
    flip_sim sim;
    xl_context *ctx;
    float *positions, *velocities;
    double cell_metres;
    double stage_ms[FLIP_STAGES], solver_ms;
    uint64_t iterations, most_iterations, steps, unsolved;
    double begun, drawing; /* seconds on the wall */
    FILE *csv;
    flip_animation *animation;
    uint32_t pictures;
    bool terminal;
} session;

static bool explain(session *r, xl_status status)
{
    char text[256];
    if (status != XL_SUCCESS)
        fprintf(stderr, "%s: %s\n", xl_status_name(status),
                r->sim.ctx ? flip_error(&r->sim, text, sizeof text) : xl_context_error(r->ctx));
    return status == XL_SUCCESS;
}

/* ---- the beginning ---- */

static bool make_context(session *r)
{
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.device = r->o->device;
    return explain(r, xl_context_create(&desc, &r->ctx));
}

static bool make_particles(session *r, flip_settings *settings)
{
    const size_t bytes = 16 * (size_t)r->o->particles;
    const flip_size size = {r->o->grid, r->o->grid, r->o->grid};
    r->cell_metres = BOX_METRES / r->o->grid;
    flip_defaults(settings, size, r->cell_metres);
    settings->particles = r->o->particles;
    settings->preconditioner = r->o->preconditioner;
    settings->tolerance = (float)r->o->tolerance;
    r->positions = (float *)malloc(bytes);
    r->velocities = (float *)malloc(bytes);
    if (!r->positions || !r->velocities) {
        fprintf(stderr, "no memory for %u particles\n", (unsigned)r->o->particles);
        return false;
    }
    const flip_size column = {r->o->cube ? size.nx / 2 : size.nx / 4, size.ny / 2,
                              r->o->cube ? size.nz / 2 : size.nz};
    flip_column(r->positions, r->velocities, settings->particles, column);
    return true;
}

/* A run that goes on has the options of its first part. */
static bool take_snapshot(session *r, flip_snapshot *from)
{
    char error[256];
    if (!flip_snapshot_read(r->o->restart, from, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    r->positions = from->positions;
    r->velocities = from->velocities;
    r->cell_metres = BOX_METRES / from->settings.size.nx;
    return true;
}

static bool begin(session *r)
{
    flip_snapshot from = {.steps = 0};
    if (r->o->restart ? !take_snapshot(r, &from) : !make_particles(r, &from.settings))
        return false;
    if (!make_context(r) || !explain(r, flip_create(&r->sim, &from.settings, r->ctx)) ||
        !explain(r, flip_write(&r->sim, r->positions, r->velocities)))
        return false;
    r->sim.time = from.time;
    r->sim.steps = from.steps;
    r->terminal = !r->o->quiet && flip_is_terminal(stderr);
    if (r->o->csv) {
        r->csv = fopen(r->o->csv, "w");
        if (!r->csv)
            perror(r->o->csv);
        else
            fputs("step,seconds,dt,speed_mps,rows,iterations,residual,speed_ms,sort_ms,cells_ms,"
                  "to_grid_ms,pressure_ms,project_ms,extrapolate_ms,to_particles_ms\n",
                  r->csv);
    }
    if (r->o->animation)
        r->animation = flip_animation_open(
            r->o->animation, (uint32_t)((r->o->steps + r->o->every - 1) / r->o->every), 40);
    return (!r->o->csv || r->csv) && (!r->o->animation || r->animation);
}

/* ---- the steps ---- */

/* Speeds up to that of a fall from the column's height are coloured. */
static bool draw(session *r)
{
    char *path = (char *)malloc(strlen(r->o->pictures) + 32);
    const flip_view view = {r->o->width, r->cell_metres, sqrt(9.81 * BOX_METRES)};
    const double before = flip_seconds();
    bool good = path && explain(r, flip_read(&r->sim, r->positions, r->velocities));
    if (good) {
        sprintf(path, "%s/flip_%04u.png", r->o->pictures, (unsigned)r->pictures++);
        good = flip_draw(path, r->positions, r->velocities, r->sim.settings.particles,
                         r->sim.settings.size, &view);
    }
    if (good && r->animation)
        good = flip_animation_add(r->animation, path);
    free(path);
    r->drawing += flip_seconds() - before;
    return good;
}

static void write_line(session *r)
{
    const flip_sim *s = &r->sim;
    fprintf(r->csv, "%" PRIu64 ",%.6f,%.6f,%.4f,%u,%u,%.3g", s->steps, s->time,
            (double)s->report.dt, (double)s->report.speed * r->cell_metres, s->report.rows,
            s->report.iterations, (double)s->report.residual);
    for (int i = 0; i < FLIP_STAGES; ++i)
        fprintf(r->csv, ",%.4f", s->stage_ms[i]);
    fputc('\n', r->csv);
}

static void count(session *r)
{
    const flip_report *report = &r->sim.report;
    ++r->steps;
    r->iterations += report->iterations;
    r->unsolved += !report->solved;
    if (report->iterations > r->most_iterations)
        r->most_iterations = report->iterations;
    for (int i = 0; i < FLIP_STAGES; ++i)
        r->stage_ms[i] += r->sim.stage_ms[i];
}

/* How far the run is: of two ends the one that is nearer. */
static double part_done(const session *r, uint64_t first, double first_time)
{
    const double by_steps = r->o->steps ? (double)(r->sim.steps - first) / (double)r->o->steps : 0;
    const double by_time = r->o->seconds > 0 && r->o->seconds > first_time
                               ? (r->sim.time - first_time) / (r->o->seconds - first_time)
                               : r->o->seconds > 0;
    return fmax(by_steps, by_time);
}

static void tell(const session *r, double part)
{
    const double gone = flip_seconds() - r->begun;
    fprintf(stderr,
            "\r\033[Kstep %" PRIu64 ", %.3f s of water, %u iterations, %.0f %%, %.0f s left",
            r->sim.steps, r->sim.time, r->sim.report.iterations, 100 * fmin(part, 1),
            part > 0 ? gone * (1 - part) / part : 0.0);
    fflush(stderr);
}

static bool run(session *r)
{
    const uint64_t first = r->sim.steps;
    const double first_time = r->sim.time;
    double part = part_done(r, first, first_time), told = 0;
    r->begun = flip_seconds();
    while (part < 1) {
        if (!explain(r, flip_step(&r->sim)) || !explain(r, flip_times(&r->sim)))
            return false;
        count(r);
        if (r->csv)
            write_line(r);
        if (r->o->pictures && (r->sim.steps - first - 1) % r->o->every == 0 && !draw(r))
            return false;
        part = part_done(r, first, first_time);
        if (r->terminal && flip_seconds() - told > 0.1) {
            tell(r, part);
            told = flip_seconds();
        }
    }
    if (r->terminal)
        fputs("\r\033[K", stderr);
    return true;
}

/* ---- the end ---- */

static void print_table(const session *r)
{
    xl_device_info info = {0};
    const double wall = flip_seconds() - r->begun - r->drawing, steps = (double)r->steps;
    const flip_settings *set = &r->sim.settings;
    double all = 0;
    if (r->steps == 0 || xl_context_device_info(r->ctx, &info) != XL_SUCCESS)
        return;
    for (int i = 0; i < FLIP_STAGES; ++i)
        all += r->stage_ms[i];
    printf("%u particles, %d x %d x %d cells, %u with fluid, on %s\n\n", set->particles,
           set->size.nx, set->size.ny, set->size.nz, r->sim.report.rows, info.name);
    printf("%-14s %10s %8s\n", "stage", "ms a step", "share");
    for (int i = 0; i < FLIP_STAGES; ++i)
        printf("%-14s %10.3f %6.1f %%\n", flip_stage_name((flip_stage)i), r->stage_ms[i] / steps,
               all > 0 ? 100 * r->stage_ms[i] / all : 0.0);
    printf("%-14s %10.3f\n\n", "all", all / steps);
    printf("steps          %" PRIu64 ", %.2f a second on the wall, pictures not counted\n",
           r->steps, steps / wall);
    printf("water          %.4f s after its beginning\n", r->sim.time);
    printf("iterations     %.1f a step, at most %" PRIu64 ", %s, residual at most %g of the right "
           "side\n",
           (double)r->iterations / steps, r->most_iterations,
           set->preconditioner == FLIP_SSOR ? "SSOR's approximate inverse" : "no preconditioner",
           (double)set->tolerance);
    if (r->unsolved)
        printf("not solved     %" PRIu64 " steps\n", r->unsolved);
}

static bool save(session *r)
{
    char error[256];
    if (!explain(r, flip_read(&r->sim, r->positions, r->velocities)))
        return false;
    const flip_snapshot state = {r->sim.settings, r->sim.time, r->sim.steps, r->positions,
                                 r->velocities};
    if (flip_snapshot_write(r->o->snapshot, &state, error, sizeof error))
        return true;
    fprintf(stderr, "%s\n", error);
    return false;
}

static bool end(session *r, bool good)
{
    if (good && !r->o->quiet)
        print_table(r);
    if (good && r->o->snapshot)
        good = save(r);
    if (r->animation && !flip_animation_close(r->animation))
        good = false;
    if (r->csv && fclose(r->csv) != 0) {
        perror(r->o->csv);
        good = false;
    }
    flip_destroy(&r->sim);
    xl_context_destroy(r->ctx);
    free(r->positions);
    free(r->velocities);
    return good;
}

int main(int argc, char **argv)
{
    flip_options o;
    if (!flip_options_parse(argc, argv, &o))
        return 2;
    if (o.help)
        return 0;
    session r = {.o = &o};
    const bool good = begin(&r) && run(&r);
    return end(&r, good) ? 0 : 1;
}

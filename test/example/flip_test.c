/* SPDX-License-Identifier: MIT
 * Laws that the fluid must follow: hydrostatic pressure, free fall, the transfer from particles to
 * the grid, divergence after the projection, the particles themselves, and the front of a
 * column that breaks down as Koshizuka and Oka measured it. */
#include "flip.h"
#include "xlt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A simulation with its particles on the host. */
typedef struct tank {
    flip_sim sim;
    float *positions, *velocities;
} tank;

static void run(flip_sim *s, xl_status status, const char *what)
{
    char text[256];
    if (status != XL_SUCCESS)
        XLT_FAIL("%s: %s", what, flip_error(s, text, sizeof text));
}

static float *four_floats(uint32_t count)
{
    float *floats = calloc(4 * (size_t)count, sizeof *floats);
    assert_non_null(floats);
    return floats;
}

static flip_settings settings_of(int nx, int ny, int nz, uint32_t particles)
{
    flip_settings settings;
    flip_defaults(&settings, (flip_size){nx, ny, nz}, 4.0 / nx);
    settings.particles = particles;
    return settings;
}

static void open_tank(tank *t, const flip_settings *settings)
{
    *t = (tank){.positions = four_floats(settings->particles),
                .velocities = four_floats(settings->particles)};
    run(&t->sim, flip_create(&t->sim, settings, xlt_context()), "flip_create()");
}

static void fill(tank *t)
{
    run(&t->sim, flip_write(&t->sim, t->positions, t->velocities), "flip_write()");
}

static void look(tank *t)
{
    run(&t->sim, flip_read(&t->sim, t->positions, t->velocities), "flip_read()");
}

static void step(tank *t)
{
    run(&t->sim, flip_step(&t->sim), "flip_step()");
}

static void close_tank(tank *t)
{
    flip_destroy(&t->sim);
    free(t->positions);
    free(t->velocities);
}

/* Memory of the device on the host; the caller frees it. */
static void *copy_of(tank *t, flip_buffer which, size_t bytes)
{
    void *copy = malloc(bytes);
    assert_non_null(copy);
    run(&t->sim, flip_read_buffer(&t->sim, which, bytes, copy), "flip_read_buffer()");
    return copy;
}

static float *faces_of(tank *t, flip_buffer which)
{
    return copy_of(t, which, sizeof(float) * t->sim.faces);
}

static size_t face(flip_size n, int i, int j, int k)
{
    return ((size_t)k * (size_t)(n.ny + 1) + (size_t)j) * (size_t)(n.nx + 1) + (size_t)i;
}

static size_t cell(flip_size n, int i, int j, int k)
{
    return ((size_t)k * (size_t)n.ny + (size_t)j) * (size_t)n.nx + (size_t)i;
}

/* Grids of the tests. */
static int sides[2] = {32, 64};
static int grids(void)
{
    sides[0] = xlt_small() ? 16 : 32;
    return xlt_small() ? 1 : 2;
}

/* ---- still water ---- */

/* One particle in each cell below the middle. The pressure of a column is that of one dimension,
 * so that conjugate gradients have it after as many iterations as it has cells; on GPUs, which add
 * dot products up in other groups, rounding takes more: 27 instead of 16 on an H200. */
static void still_water(int side)
{
    tank t;
    const int half = side / 2;
    flip_settings settings =
        settings_of(side, side, side, (uint32_t)side * (uint32_t)side * (uint32_t)half);
    settings.preconditioner = FLIP_PLAIN;
    settings.tolerance = 1e-5f;
    open_tank(&t, &settings);
    for (uint32_t p = 0; p < settings.particles; ++p) {
        const uint32_t s = (uint32_t)side, h = (uint32_t)half;
        const uint32_t at[3] = {p % s, p / s % h, p / s / h};
        for (uint32_t axis = 0; axis < 3; ++axis)
            t.positions[4 * p + axis] = (float)at[axis] + 0.5f;
    }
    fill(&t);
    step(&t);
    const flip_report *report = &t.sim.report;
    xl_device_info device;
    XLT_OK(xl_context_device_info(xlt_context(), &device));
    const bool is_cpu = (device.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const uint32_t most = (uint32_t)(is_cpu ? half : 2 * half);
    if (!report->solved || report->iterations > most || report->rows != settings.particles)
        XLT_FAIL("still water in %d^3: %u iterations, %u rows, solved: %u", side,
                 report->iterations, report->rows, report->solved);
    float *pressure = copy_of(&t, FLIP_X, sizeof(float) * t.sim.stride);
    const double weight = (double)report->dt * (double)settings.gravity;
    for (uint32_t row = 1; row < t.sim.stride; ++row) {
        const int above = half - (int)((row - 1) / (uint32_t)side % (uint32_t)half);
        if (fabs((double)pressure[row] - weight * above) > 2e-4 * weight * half)
            XLT_FAIL("still water in %d^3: row %u has pressure %.9g, %.9g is right", side, row,
                     (double)pressure[row], weight * above);
    }
    look(&t);
    for (uint32_t p = 0; p < 4 * settings.particles; ++p)
        if (p % 4 < 3 && fabs((double)t.velocities[p]) > 1e-3 * weight)
            XLT_FAIL("still water moves: %.9g", (double)t.velocities[p]);
    free(pressure);
    close_tank(&t);
}

XLT_TEST(test_still_water)
{
    for (int i = 0, count = grids(); i < count; ++i)
        still_water(sides[i]);
}

/* ---- free fall ---- */

/* Particles anywhere in a box in the middle third of the grid. */
static void scatter(tank *t, double speed)
{
    const flip_size n = t->sim.settings.size;
    const double size[3] = {n.nx, n.ny, n.nz};
    for (uint32_t p = 0; p < t->sim.settings.particles; ++p) {
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const uint64_t at = (uint64_t)p * 6 + axis;
            t->positions[4 * p + axis] = (float)(size[axis] * (1 + flip_random(at)) / 3);
            t->velocities[4 * p + axis] = (float)(speed * (2 * flip_random(at + 3) - 1));
        }
        t->velocities[4 * p + 3] = (float)p;
    }
    fill(t);
}

/* What starts with one velocity and meets no wall keeps it, but for gravity; no pressure. */
XLT_TEST(test_free_fall)
{
    enum { STEPS = 8 };
    static const double start[3] = {3, 2, -1};
    tank t;
    flip_settings settings = settings_of(32, 32, 32, 4000);
    settings.cfl = 1000;
    settings.longest_step = 1.0f / 128;
    open_tank(&t, &settings);
    scatter(&t, 0);
    for (uint32_t p = 0; p < 3 * settings.particles; ++p)
        t.velocities[p / 3 * 4 + p % 3] = (float)start[p % 3];
    fill(&t);
    float *before = four_floats(settings.particles);
    memcpy(before, t.positions, 16 * (size_t)settings.particles);
    for (int i = 0; i < STEPS; ++i)
        step(&t);
    look(&t);
    const double dt = (double)settings.longest_step, g = (double)settings.gravity;
    for (uint32_t p = 0; p < settings.particles; ++p) {
        const size_t first = 4 * (size_t)t.velocities[4 * p + 3];
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const double fall = axis == 1 ? g * dt : 0, moved = start[axis] * dt * STEPS;
            const double speed = start[axis] - fall * STEPS;
            const double at =
                (double)before[first + axis] + moved - fall * dt * STEPS * (STEPS + 1) / 2;
            if (fabs((double)t.velocities[4 * p + axis] - speed) > 1e-4 ||
                fabs((double)t.positions[4 * p + axis] - at) > 1e-4)
                XLT_FAIL("free fall: a particle is at %.9g with speed %.9g, not %.9g and %.9g",
                         (double)t.positions[4 * p + axis], (double)t.velocities[4 * p + axis], at,
                         speed);
        }
    }
    free(before);
    close_tank(&t);
}

/* ---- to the grid ---- */

/* Weights of a particle add up to 1 on the faces of each component, and so momentum is kept. */
XLT_TEST(test_weights)
{
    tank t;
    flip_settings settings = settings_of(32, 32, 32, 5000);
    open_tank(&t, &settings);
    scatter(&t, 5);
    run(&t.sim, flip_sort_particles(&t.sim), "flip_sort_particles()");
    run(&t.sim, flip_gather_velocities(&t.sim), "flip_gather_velocities()");
    for (uint32_t axis = 0; axis < 3; ++axis) {
        float *weights = faces_of(&t, (flip_buffer)(FLIP_U + axis));
        float *values = faces_of(&t, (flip_buffer)(FLIP_OLD_U + axis));
        double weight = 0, momentum = 0, right = 0, size = 0;
        for (size_t f = 0; f < t.sim.faces; ++f) {
            weight += (double)weights[f];
            momentum += (double)weights[f] * (double)values[f];
        }
        for (uint32_t p = 0; p < settings.particles; ++p) {
            right += (double)t.velocities[4 * p + axis];
            size += fabs((double)t.velocities[4 * p + axis]);
        }
        if (fabs(weight - settings.particles) > 1e-5 * settings.particles ||
            fabs(momentum - right) > 1e-5 * size)
            XLT_FAIL("component %u: %u particles weigh %.9g, momentum %.9g is %.9g on the grid",
                     axis, settings.particles, weight, right, momentum);
        free(weights);
        free(values);
    }
    close_tank(&t);
}

/* ---- the projection ---- */

/* The largest divergence in cells with fluid, of velocities u, v, w on faces. */
static double largest_divergence(tank *t, flip_buffer first, double fall)
{
    const flip_size n = t->sim.settings.size;
    float *u = faces_of(t, first), *v = faces_of(t, (flip_buffer)(first + 1)),
          *w = faces_of(t, (flip_buffer)(first + 2));
    uint32_t *ends = copy_of(t, FLIP_ENDS, 4 * (size_t)t->sim.cells);
    double most = 0;
    for (int k = 0; k < n.nz; ++k)
        for (int j = 0; j < n.ny; ++j)
            for (int i = 0; i < n.nx; ++i) {
                if (!ends[cell(n, i, j, k)])
                    continue;
                const double top = j + 1 < n.ny ? (double)v[face(n, i, j + 1, k)] - fall : 0;
                const double bottom = j > 0 ? (double)v[face(n, i, j, k)] - fall : 0;
                const double out = (double)u[face(n, i + 1, j, k)] - (double)u[face(n, i, j, k)] +
                                   top - bottom + (double)w[face(n, i, j, k + 1)] -
                                   (double)w[face(n, i, j, k)];
                most = fmax(most, fabs(out));
            }
    free(u);
    free(v);
    free(w);
    free(ends);
    return most;
}

/* A dam whose particles go every way: iterations that it takes to project it. The divergence that
 * is left is the residual, computed again from the projected velocities. */
static uint32_t project_dam(int side, flip_preconditioner preconditioner, uint32_t group)
{
    tank t;
    const uint32_t cells = (uint32_t)side * (uint32_t)side * (uint32_t)side / 8;
    flip_settings settings = settings_of(side, side, side, 2 * cells);
    settings.preconditioner = preconditioner;
    settings.group = group;
    open_tank(&t, &settings);
    flip_column(t.positions, t.velocities, settings.particles,
                (flip_size){side / 4, side / 2, settings.size.nz});
    for (uint32_t p = 0; p < 3 * settings.particles; ++p)
        t.velocities[p / 3 * 4 + p % 3] = (float)(20 * flip_random(p) - 10);
    fill(&t);
    step(&t);
    const flip_report report = t.sim.report;
    const double before =
        largest_divergence(&t, FLIP_OLD_U, (double)report.dt * (double)settings.gravity);
    const double after = largest_divergence(&t, FLIP_U, 0), limit = (double)settings.tolerance;
    if (!report.solved || fabs(before - (double)report.right_side) > 1e-5 * before ||
        after > 1.05 * limit * before)
        XLT_FAIL("%d^3: divergence %.9g became %.9g in %u iterations; the solver says %.9g, %.9g",
                 side, before, after, report.iterations, (double)report.right_side,
                 (double)report.residual);
    close_tank(&t);
    return report.iterations;
}

XLT_TEST(test_divergence)
{
    for (int i = 0, count = grids(); i < count; ++i) {
        const uint32_t plain = project_dam(sides[i], FLIP_PLAIN, 0);
        const uint32_t ssor = project_dam(sides[i], FLIP_SSOR, 0);
        print_message("dam %d^3: %u iterations, %u with SSOR's approximate inverse\n", sides[i],
                      plain, ssor);
        if (ssor >= plain)
            XLT_FAIL("%d^3: %u iterations plain, %u with SSOR's approximate inverse", sides[i],
                     plain, ssor);
    }
}

/* ---- a dam that breaks ---- */

/* Koshizuka and Oka, "Moving-particle semi-implicit method" (Nucl. Sci. Eng. 123, 1996): a column
 * 1 m wide and 2 m high; seconds, and where the tip is, in metres. */
static const double measured[][2] = {{0.191, 1.244}, {0.266, 1.464}, {0.322, 1.695}, {0.368, 1.903},
                                     {0.414, 2.123}, {0.447, 2.365}, {0.496, 2.584}, {0.522, 2.804},
                                     {0.565, 3.034}, {0.594, 3.219}, {0.637, 3.462}};

static double tip_at(double time)
{
    size_t i = 0;
    while (i + 2 < sizeof measured / sizeof measured[0] && measured[i + 1][0] < time)
        ++i;
    const double part = (time - measured[i][0]) / (measured[i + 1][0] - measured[i][0]);
    return measured[i][1] + part * (measured[i + 1][1] - measured[i][1]);
}

/* The tip in metres: all but one particle in a thousand are behind it, since single ones fly
 * ahead. */
static double front_of(tank *t, double metres)
{
    enum { BINS = 4096 };
    static uint32_t counts[BINS];
    const double size = t->sim.settings.size.nx;
    const uint32_t count = t->sim.settings.particles;
    uint32_t ahead = 0;
    int bin = BINS;
    look(t);
    memset(counts, 0, sizeof counts);
    for (uint32_t p = 0; p < count; ++p)
        ++counts[(int)(fmin(fmax((double)t->positions[4 * p] / size, 0), 0.9999) * BINS)];
    while (ahead <= count / 1000)
        ahead += counts[--bin];
    return bin * size / BINS * metres;
}

/* Every particle once, finite, and inside. */
static void check_particles(const tank *t)
{
    const flip_size n = t->sim.settings.size;
    const uint32_t count = t->sim.settings.particles;
    unsigned char *seen = calloc(count, 1);
    assert_non_null(seen);
    for (uint32_t p = 0; p < count; ++p) {
        const float *at = t->positions + 4 * p, *speed = t->velocities + 4 * p;
        const size_t number = speed[3] >= 0 && speed[3] < (float)count ? (size_t)speed[3] : 0;
        const bool inside = at[0] > 0 && at[0] < (float)n.nx && at[1] > 0 && at[1] < (float)n.ny &&
                            at[2] > 0 && at[2] < (float)n.nz;
        if (!inside || !isfinite(speed[0] + speed[1] + speed[2]) || seen[number]++)
            XLT_FAIL("particle %u, number %zu: at %.9g, %.9g, %.9g with %.9g, %.9g, %.9g", p,
                     number, (double)at[0], (double)at[1], (double)at[2], (double)speed[0],
                     (double)speed[1], (double)speed[2]);
    }
    free(seen);
}

/* As thin as two cells: the column is alike along z. Where the tip is, and its speed, which a gate
 * that opens late does not change; without friction it is ahead of the measured one. No front is
 * faster than twice the square root of gravity times height (Ritter 1892). */
XLT_TEST(test_front)
{
    const int side = xlt_small() ? 32 : 64;
    const double metres = 4.0 / side, ritter = 2 * sqrt(9.81 * 2);
    tank t;
    flip_settings settings = settings_of(side, side * 5 / 8, 2, (uint32_t)(side * side * 2));
    open_tank(&t, &settings);
    flip_column(t.positions, t.velocities, settings.particles,
                (flip_size){side / 4, side / 2, settings.size.nz});
    fill(&t);
    double next = 0.2, first = 0, first_time = 0, last = 0, last_time = 0;
    while (t.sim.time < 0.6) {
        step(&t);
        if (t.sim.time < next || t.sim.time > 0.6)
            continue;
        next += 0.05;
        last = front_of(&t, metres);
        last_time = t.sim.time;
        first_time = first > 0 ? first_time : last_time;
        first = first > 0 ? first : last;
        check_particles(&t);
        print_message("%.3f s: front at %.3f m, %.3f m measured\n", last_time, last,
                      tip_at(last_time));
        if (fabs(last / tip_at(last_time) - 1) > 0.15)
            XLT_FAIL("after %.3f s the front is at %.3f m, %.3f m were measured", last_time, last,
                     tip_at(last_time));
    }
    const double speed = (last - first) / (last_time - first_time);
    const double right = (tip_at(last_time) - tip_at(first_time)) / (last_time - first_time);
    print_message("speed %.3f m/s, %.3f m/s measured\n", speed, right);
    if (!(fabs(speed / right - 1) < 0.15 && speed < ritter))
        XLT_FAIL("the front has %.3f m/s, %.3f m/s were measured", speed, right);
    close_tank(&t);
}

/* ---- snapshots ---- */

static const char snapshot_file[] = "flip_test.snapshot";

static void save(tank *t)
{
    char error[256];
    look(t);
    const flip_snapshot snapshot = {t->sim.settings, t->sim.time, t->sim.steps, t->positions,
                                    t->velocities};
    if (!flip_snapshot_write(snapshot_file, &snapshot, error, sizeof error))
        XLT_FAIL("%s", error);
}

/* Six steps, and three steps with three more from a file: the same bytes. */
XLT_TEST(test_restart)
{
    tank whole, part;
    char error[256];
    flip_snapshot snapshot;
    flip_settings settings = settings_of(32, 32, 32, 16384);
    const size_t bytes = 16 * (size_t)settings.particles;
    open_tank(&whole, &settings);
    flip_column(whole.positions, whole.velocities, settings.particles, (flip_size){16, 16, 16});
    fill(&whole);
    for (int i = 0; i < 3; ++i)
        step(&whole);
    save(&whole);
    for (int i = 0; i < 3; ++i)
        step(&whole);
    look(&whole);
    if (!flip_snapshot_read(snapshot_file, &snapshot, error, sizeof error))
        XLT_FAIL("%s", error);
    open_tank(&part, &snapshot.settings);
    free(part.positions);
    free(part.velocities);
    part.positions = snapshot.positions;
    part.velocities = snapshot.velocities;
    part.sim.time = snapshot.time;
    part.sim.steps = snapshot.steps;
    fill(&part);
    for (int i = 0; i < 3; ++i)
        step(&part);
    look(&part);
    assert_memory_equal(whole.positions, part.positions, bytes);
    assert_memory_equal(whole.velocities, part.velocities, bytes);
    assert_true(whole.sim.steps == part.sim.steps);
    assert_memory_equal(&whole.sim.time, &part.sim.time, sizeof whole.sim.time);
    close_tank(&whole);
    close_tank(&part);
    remove(snapshot_file);
}

/* A file that is cut off, or is none of ours, is refused and leaves nothing behind. */
XLT_TEST(test_broken_snapshots)
{
    enum { COUNT = 10 };
    static float four[4 * COUNT];
    static unsigned char whole[4096];
    char error[256];
    flip_snapshot snapshot = {settings_of(8, 8, 8, COUNT), 1, 2, four, four}, read;
    assert_true(flip_snapshot_write(snapshot_file, &snapshot, error, sizeof error));
    FILE *stream = fopen(snapshot_file, "rb");
    assert_non_null(stream);
    const size_t bytes = fread(whole, 1, sizeof whole, stream);
    fclose(stream);
    assert_true(bytes > 32 * COUNT && bytes < sizeof whole);
    const size_t lengths[] = {0, 15, 40, bytes - 1, bytes, bytes + 1};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        stream = fopen(snapshot_file, "wb");
        assert_non_null(stream);
        assert_true(fwrite(whole, 1, lengths[i], stream) == lengths[i]);
        fclose(stream);
        const bool good = flip_snapshot_read(snapshot_file, &read, error, sizeof error);
        assert_true(good == (lengths[i] == bytes));
        assert_true(good || (!read.positions && !read.velocities));
        free(read.positions);
        free(read.velocities);
    }
    remove(snapshot_file);
    assert_false(flip_snapshot_read(snapshot_file, &read, error, sizeof error));
}

/* Groups of work-items take rows side by side, as on a GPU, and on a CPU it is one work-item that
 * takes many: both ways here, with as many iterations but for rounding. */
XLT_TEST(test_groups)
{
    const int side = 16;
    const uint32_t sizes[] = {1, 24, 64};
    for (flip_preconditioner kind = FLIP_PLAIN; kind <= FLIP_SSOR; ++kind) {
        const uint32_t right = project_dam(side, kind, sizes[0]);
        for (size_t i = 1; i < (xlt_few_programs() ? 2 : 3); ++i) {
            const uint32_t found = project_dam(side, kind, sizes[i]);
            if (found > right + 2 || found + 2 < right)
                XLT_FAIL("groups of %u: %u iterations, %u one by one", sizes[i], found, right);
        }
    }
}

XLT_MAIN(NULL, xlt_teardown)

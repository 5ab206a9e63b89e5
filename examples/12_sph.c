/* SPDX-License-Identifier: MIT
 * Problem: simulate water by smoothed particles: a column that falls into a tank (`dam`), or one
 * that fills the tank and comes to rest (`column`). Density, pressure and viscosity as in Mueller
 * et al., "Particle-based fluid simulation for interactive applications" (SCA 2003), by two kernels
 * of your own that loop over the neighbours in two indices, of the water and of the walls
 * (<crosslane/neighbors.cl>). The tank is periodic across. Checks density and acceleration against
 * double precision on the host. Checks that densities by a grid that is built by counting and by
 * one that is built by the bitonic sort have the same bits (figure 8 of Lee and Kim, "Fast access
 * method of neighboring particles using bitonic sort based GPU hashing", 2022), that no energy is
 * gained, and the speed of the front or the pressure at the floor. Draws frames if asked to. */
#include <crosslane/crosslane.h>

#include "drawing.h"
#include "sph.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPORTS = 10, CHECKED_POINTS = 64, LAYERS = 2 };

static const char source[] =
    "#include <crosslane/neighbors.cl>\n" SPH_KERNELS
    "__kernel void move(uint n, __constant water *w, float4 low, float4 high,\n"
    "                   __global const float4 *acceleration, __global float4 *velocity,\n"
    "                   __global float4 *position)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    float4 v = velocity[i] + w->step * (acceleration[i] - (float4)(0, w->gravity, 0, 0));\n"
    "    float4 p = position[i] + w->step * v;\n"
    "    p.z -= high.z * floor(p.z / high.z);\n"
    "    const float4 inside = clamp(p, low, high);\n"
    "    velocity[i] = select(v, (float4)(0.0f), inside != p);\n"
    "    position[i] = inside;\n"
    "}\n";

typedef struct options {
    bool column;
    size_t side;
    unsigned steps, frames;
    const char *png;
} options;

typedef struct place {
    float x[4];
} place;

/* Points with an index of theirs. */
typedef struct cloud {
    size_t n;
    place *at;
    cl_mem mem;
    xl_grid_index *index;
} cloud;

typedef struct tank {
    double spacing, width;    /* of the tank, along x */
    float lower[3], upper[3]; /* the box: water and walls */
    water w;
    cloud fluid, walls;
    place *velocity, *acceleration; /* read back */
    float *rho;
    xl_context *ctx;
    cl_command_queue queue;
    xl_plan *grid, *counting, *bitonic;
    cl_program program;
    cl_kernel density, forces, move;
    cl_mem constants, rho_mem, velocity_mem, acceleration_mem;
} tank;

/* ---- what there is at first ---- */

static bool make_cloud(cloud *c, size_t n)
{
    c->n = n;
    c->at = (place *)calloc(n, sizeof *c->at);
    return c->at != NULL;
}

/* A block of a cubic lattice, from cell `from` on; returns how many there are, and places them if
 * there is a place. */
static size_t add_block(const tank *t, cloud *c, size_t at, const long *from, const long *count)
{
    for (long z = 0; z < count[2]; ++z)
        for (long y = 0; y < count[1]; ++y)
            for (long x = 0; x < count[0]; ++x, ++at) {
                const long cell[3] = {from[0] + x, from[1] + y, from[2] + z};
                for (int a = 0; c && a < 3; ++a)
                    c->at[at].x[a] = (float)(((double)cell[a] + 0.5) * t->spacing);
            }
    return at;
}

/* The floor and both sides, LAYERS thick. */
static size_t add_walls(const tank *t, cloud *c, long wide, long tall, long deep)
{
    const long floor[2][3] = {{-LAYERS, -LAYERS, 0}, {wide + 2 * LAYERS, LAYERS, deep}};
    const long left[3] = {-LAYERS, 0, 0}, right[3] = {wide, 0, 0}, side[3] = {LAYERS, tall, deep};
    size_t n = add_block(t, c, 0, floor[0], floor[1]);
    n = add_block(t, c, n, left, side);
    return add_block(t, c, n, right, side);
}

/* Moves water to where its own weight presses it. */
static void compress(tank *t)
{
    const double part = GRAVITY / (double)t->w.stiffness;
    for (size_t i = 0; i < t->fluid.n; ++i) {
        const double y = (double)t->fluid.at[i].x[1];
        t->fluid.at[i].x[1] = (float)(y - part * (y - 0.5 * y * y));
    }
}

static bool fill_tank(tank *t, const options *o)
{
    const long tall = (long)o->side, wide = tall / 2, deep = tall / 4 > 4 ? tall / 4 : 4;
    const long room = o->column ? wide : 4 * wide;
    t->spacing = 1.0 / (double)tall;
    t->width = t->spacing * (double)room;
    t->w = water_of(t->spacing);
    const double low[3] = {-LAYERS, -LAYERS, 0};
    const double high[3] = {(double)(room + LAYERS), 2 * (double)tall, (double)deep};
    for (int a = 0; a < 3; ++a) {
        t->lower[a] = (float)(t->spacing * low[a]);
        t->upper[a] = (float)(t->spacing * high[a]);
    }
    if (!make_cloud(&t->fluid, (size_t)(tall * wide * deep)) ||
        !make_cloud(&t->walls, add_walls(t, NULL, room, 2 * tall, deep)))
        return false;
    const long corner[3] = {0, 0, 0}, column[3] = {wide, tall, deep};
    (void)add_block(t, &t->fluid, 0, corner, column);
    (void)add_walls(t, &t->walls, room, 2 * tall, deep);
    if (o->column)
        compress(t);
    t->velocity = (place *)calloc(t->fluid.n, sizeof *t->velocity);
    t->acceleration = (place *)calloc(t->fluid.n, sizeof *t->acceleration);
    t->rho = (float *)calloc(t->fluid.n, sizeof *t->rho);
    return t->velocity && t->acceleration && t->rho;
}

/* ---- on the device ---- */

static xl_status of_opencl(cl_int code)
{
    return code == CL_SUCCESS ? XL_SUCCESS : XL_ERROR_OPENCL;
}

static xl_status make_grid(const tank *t, xl_grid_algorithm algorithm, xl_plan **grid)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = (double)t->w.h;
    desc.stride = 4;
    desc.space.bounds = XL_BOUNDS_GIVEN;
    desc.space.periodic = 1u << 2;
    desc.algorithm = algorithm;
    for (int a = 0; a < 3; ++a) {
        desc.space.origin[a] = (double)t->lower[a];
        desc.space.cell[a][a] = (double)t->upper[a] - (double)t->lower[a];
    }
    return xl_grid_create(t->ctx, &desc, grid);
}

static xl_status build(const tank *t, xl_plan *grid, cloud *c)
{
    const xl_grid_build_args args = {.n = c->n, .points = xl_view_of(c->mem, 0)};
    return xl_grid_build_enqueue(grid, c->index, t->queue, &args, 0, NULL, NULL);
}

static xl_status make_plans(tank *t)
{
    xl_status status = make_grid(t, XL_GRID_AUTO, &t->grid);
    if (status == XL_SUCCESS)
        status = make_grid(t, XL_GRID_COUNTING, &t->counting);
    if (status == XL_SUCCESS)
        status = make_grid(t, XL_GRID_BITONIC, &t->bitonic);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(t->ctx, &t->fluid.index);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(t->ctx, &t->walls.index);
    if (status == XL_SUCCESS)
        status = xl_program_create(t->ctx, source, NULL, &t->program);
    return status;
}

static cl_mem buffer_of(const tank *t, const void *from, size_t bytes, xl_status *status)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(xl_context_cl(t->ctx), CL_MEM_COPY_HOST_PTR, bytes, (void *)from, &code);
    if (code != CL_SUCCESS)
        *status = XL_ERROR_OUT_OF_MEMORY;
    return mem;
}

static xl_status make(tank *t)
{
    const size_t bytes = t->fluid.n * sizeof(place);
    xl_status status = make_plans(t);
    if (status != XL_SUCCESS)
        return status;
    t->density = clCreateKernel(t->program, "density", NULL);
    t->forces = clCreateKernel(t->program, "forces", NULL);
    t->move = clCreateKernel(t->program, "move", NULL);
    t->fluid.mem = buffer_of(t, t->fluid.at, bytes, &status);
    t->walls.mem = buffer_of(t, t->walls.at, t->walls.n * sizeof(place), &status);
    t->velocity_mem = buffer_of(t, t->velocity, bytes, &status);
    t->acceleration_mem = buffer_of(t, t->acceleration, bytes, &status);
    t->rho_mem = buffer_of(t, t->rho, t->fluid.n * sizeof(float), &status);
    t->constants = buffer_of(t, &t->w, sizeof t->w, &status);
    if (!t->density || !t->forces || !t->move)
        status = XL_ERROR_OPENCL;
    return status == XL_SUCCESS ? build(t, t->grid, &t->walls) : status;
}

static xl_status launch(const tank *t, cl_kernel kernel)
{
    return of_opencl(
        clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &t->fluid.n, NULL, 0, NULL, NULL));
}

/* Both indices; says where the kernel's own parameters begin. */
static xl_status bind(const tank *t, cl_kernel kernel, cl_uint *next)
{
    xl_neighbors_kernel_args args = {.kernel = kernel, .radius = t->w.h};
    const xl_status status = xl_grid_index_set_kernel_args(t->fluid.index, &args, &args.first);
    return status == XL_SUCCESS ? xl_grid_index_set_kernel_args(t->walls.index, &args, next)
                                : status;
}

static void set_mem(cl_kernel kernel, cl_uint at, const cl_mem *mem)
{
    clSetKernelArg(kernel, at, sizeof *mem, mem);
}

static xl_status find_density(tank *t, xl_plan *grid)
{
    cl_uint next = 0;
    xl_status status = build(t, grid, &t->fluid);
    if (status == XL_SUCCESS)
        status = bind(t, t->density, &next);
    set_mem(t->density, next, &t->constants);
    set_mem(t->density, next + 1, &t->rho_mem);
    return status == XL_SUCCESS ? launch(t, t->density) : status;
}

static xl_status find_forces(tank *t)
{
    cl_uint next = 0;
    xl_status status = find_density(t, t->grid);
    if (status == XL_SUCCESS)
        status = bind(t, t->forces, &next);
    set_mem(t->forces, next, &t->constants);
    set_mem(t->forces, next + 1, &t->rho_mem);
    set_mem(t->forces, next + 2, &t->velocity_mem);
    set_mem(t->forces, next + 3, &t->acceleration_mem);
    return status == XL_SUCCESS ? launch(t, t->forces) : status;
}

static void set_move(const tank *t)
{
    const cl_uint n = (cl_uint)t->fluid.n;
    /* Limits for water that the walls let through. */
    const float low[4] = {0, 0, 0, 0}, high[4] = {(float)t->width, t->upper[1], t->upper[2], 0};
    clSetKernelArg(t->move, 0, sizeof n, &n);
    set_mem(t->move, 1, &t->constants);
    clSetKernelArg(t->move, 2, sizeof low, low);
    clSetKernelArg(t->move, 3, sizeof high, high);
    set_mem(t->move, 4, &t->acceleration_mem);
    set_mem(t->move, 5, &t->velocity_mem);
    set_mem(t->move, 6, &t->fluid.mem);
}

static xl_status step(tank *t)
{
    const xl_status status = launch(t, t->move);
    return status == XL_SUCCESS ? find_forces(t) : status;
}

static bool fetch(const tank *t, cl_mem mem, void *to, size_t bytes)
{
    return clEnqueueReadBuffer(t->queue, mem, CL_TRUE, 0, bytes, to, 0, NULL, NULL) == CL_SUCCESS;
}

static xl_status read_back(tank *t)
{
    const size_t n = t->fluid.n;
    const bool good = fetch(t, t->fluid.mem, t->fluid.at, n * sizeof(place)) &&
                      fetch(t, t->velocity_mem, t->velocity, n * sizeof(place)) &&
                      fetch(t, t->acceleration_mem, t->acceleration, n * sizeof(place)) &&
                      fetch(t, t->rho_mem, t->rho, n * sizeof(float));
    return good ? XL_SUCCESS : XL_ERROR_OPENCL;
}

static void end(tank *t)
{
    const cl_mem buffers[] = {t->fluid.mem,    t->walls.mem,        t->constants,
                              t->velocity_mem, t->acceleration_mem, t->rho_mem};
    const cl_kernel kernels[] = {t->density, t->forces, t->move};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k)
        if (buffers[k])
            clReleaseMemObject(buffers[k]);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k)
        if (kernels[k])
            clReleaseKernel(kernels[k]);
    if (t->program)
        clReleaseProgram(t->program);
    xl_grid_index_destroy(t->fluid.index);
    xl_grid_index_destroy(t->walls.index);
    xl_plan_destroy(t->grid);
    xl_plan_destroy(t->counting);
    xl_plan_destroy(t->bitonic);
    xl_context_destroy(t->ctx);
    free(t->fluid.at);
    free(t->walls.at);
    free(t->velocity);
    free(t->acceleration);
    free(t->rho);
}

/* ---- what came out ---- */

static double pressure(const tank *t, double rho)
{
    return fmax(0, (double)t->w.stiffness * (rho - RHO));
}

/* The vector from particle i to a particle of another cloud or of the water, across the tank to the
 * nearest image, and whether it is near as the library decides in single precision. */
static bool is_near(const tank *t, size_t i, const place *other, double *vector, double *r)
{
    const float *const p = t->fluid.at[i].x, *const q = other->x, length = t->upper[2];
    float d[3];
    for (int a = 0; a < 3; ++a)
        d[a] = p[a] - q[a];
    d[2] -= length * roundf(d[2] / length);
    const float d2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    for (int a = 0; a < 3; ++a)
        vector[a] = -(double)d[a];
    *r = sqrt((double)d2);
    return d2 < t->w.h * t->w.h;
}

static double density_at(const tank *t, size_t i)
{
    const double h2 = (double)t->w.h * (double)t->w.h;
    const cloud *const clouds[] = {&t->fluid, &t->walls};
    double vector[3], r, sum = 0;
    for (int c = 0; c < 2; ++c)
        for (size_t j = 0; j < clouds[c]->n; ++j)
            if (is_near(t, i, &clouds[c]->at[j], vector, &r))
                sum += pow(h2 - r * r, 3);
    return (double)t->w.poly6 * sum;
}

/* The acceleration without gravity, of the densities that came back; `size` is how large terms are
 * that cancel each other. */
static void acceleration_at(const tank *t, size_t i, double *sum, double *size)
{
    const double own = (double)t->rho[i], p = pressure(t, own), h = (double)t->w.h;
    const cloud *const clouds[] = {&t->fluid, &t->walls};
    const double factor = (double)t->w.mass * (double)t->w.spiky / own;
    double vector[3], r;
    for (int c = 0; c < 2; ++c)
        for (size_t j = 0; j < clouds[c]->n; ++j) {
            if ((c == 0 && i == j) || !is_near(t, i, &clouds[c]->at[j], vector, &r))
                continue;
            const double other = c == 0 ? (double)t->rho[j] : own;
            const double both =
                c == 0 ? p + pressure(t, other) : fmax(0, 2 * p - RHO * GRAVITY * vector[1]);
            const double push = both * pow(h - r, 2) / (other * fmax(r, 1e-12));
            const double rub = c == 0 ? (double)t->w.viscosity * (h - r) / other : 0;
            for (int a = 0; a < 3; ++a) {
                const double faster =
                    c == 0 ? (double)t->velocity[j].x[a] - (double)t->velocity[i].x[a] : 0;
                const double term = factor * (rub * faster - push * vector[a]);
                sum[a] += term;
                *size += fabs(factor * push * vector[a]) + fabs(factor * rub * faster);
            }
        }
}

static bool right_at(const tank *t, size_t i)
{
    double sum[3] = {0}, size = 0;
    const double rho = density_at(t, i);
    acceleration_at(t, i, sum, &size);
    for (int a = 0; a < 3; ++a)
        if (!(fabs((double)t->acceleration[i].x[a] - sum[a]) <= 1e-4 * size + 1e-5)) {
            fprintf(stderr, "particle %zu: acceleration %.9g, in double precision %.9g\n", i,
                    (double)t->acceleration[i].x[a], sum[a]);
            return false;
        }
    if (fabs((double)t->rho[i] - rho) <= 1e-5 * rho)
        return true;
    fprintf(stderr, "particle %zu: density %.9g, in double precision %.9g\n", i, (double)t->rho[i],
            rho);
    return false;
}

static bool right(const tank *t)
{
    const size_t n = t->fluid.n, checked = n < CHECKED_POINTS ? n : CHECKED_POINTS;
    for (size_t k = 0; k < checked; ++k)
        if (!right_at(t, k * n / checked))
            return false;
    printf("checked     %zu particles against double precision\n", checked);
    return true;
}

/* Grids built in two ways have the same order, so sums have the same bits. */
static bool same_densities(tank *t)
{
    float *const other = (float *)calloc(t->fluid.n, sizeof *other);
    const size_t bytes = t->fluid.n * sizeof *other;
    bool same = other && find_density(t, t->counting) == XL_SUCCESS &&
                fetch(t, t->rho_mem, t->rho, bytes) && find_density(t, t->bitonic) == XL_SUCCESS &&
                fetch(t, t->rho_mem, other, bytes);
    same = same && memcmp(other, t->rho, bytes) == 0;
    printf("densities   of grids by counting and by the bitonic sort are %s\n",
           same ? "equal" : "NOT equal");
    free(other);
    return same;
}

typedef struct totals {
    double kinetic, potential, elastic, front, floor_pressure;
} totals;

static totals add_up(const tank *t)
{
    totals sum = {0};
    double lowest = 0;
    for (size_t i = 0; i < t->fluid.n; ++i) {
        const double mass = (double)t->w.mass, rho = (double)t->rho[i];
        const double height = (double)t->fluid.at[i].x[1];
        for (int a = 0; a < 3; ++a)
            sum.kinetic += 0.5 * mass * pow((double)t->velocity[i].x[a], 2);
        sum.potential += mass * GRAVITY * height;
        if (rho > RHO) /* the integral of p / rho^2 */
            sum.elastic += mass * (double)t->w.stiffness * (log(rho / RHO) + RHO / rho - 1);
        sum.front = fmax(sum.front, (double)t->fluid.at[i].x[0]);
        if (height < t->spacing) {
            sum.floor_pressure += pressure(t, rho);
            ++lowest;
        }
    }
    sum.floor_pressure /= fmax(1, lowest);
    return sum;
}

static double energy(const totals *t)
{
    return t->kinetic + t->potential + t->elastic;
}

/* True at every time: only viscosity dissipates energy, and the front of water without viscosity is
 * the fastest (Ritter, 1892). */
static bool plausible(const tank *t, const totals *now, const totals *first, double time)
{
    const double ritter = 0.5 + 2 * sqrt(GRAVITY) * time + 2 * (double)t->w.h;
    if (energy(now) > 1.01 * energy(first)) {
        fprintf(stderr, "energy has come from nowhere: %g J at first, now %g J\n", energy(first),
                energy(now));
        return false;
    }
    if (now->front > ritter) {
        fprintf(stderr, "the front is at %g m after %g s; at most %g\n", now->front, time, ritter);
        return false;
    }
    return true;
}

/* At rest the floor carries the water above the middle of the lowest layer. */
static bool at_rest(const tank *t, const totals *now)
{
    const double wanted = RHO * GRAVITY * (1 - 0.5 * t->spacing);
    const double speed = sqrt(2 * now->kinetic / ((double)t->w.mass * (double)t->fluid.n));
    printf(
        "at rest     pressure at the floor %.0f Pa, of water so high %.0f; mean speed %.4f m/s\n",
        now->floor_pressure, wanted, speed);
    return fabs(now->floor_pressure / wanted - 1) < 0.1 && speed < 0.05;
}

/* ---- the program ---- */

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool draw(const tank *t, const options *o, unsigned frame)
{
    char path[1024];
    const picture_settings set = {.saturated = 0.002, .spacing = t->spacing, .title = "DENSITY"};
    float *const xyz = (float *)calloc(t->fluid.n, 3 * sizeof *xyz);
    bool good = xyz != NULL;
    for (size_t i = 0; good && i < t->fluid.n; ++i)
        memcpy(xyz + 3 * i, t->fluid.at[i].x, 3 * sizeof *xyz);
    snprintf(path, sizeof path, "%s-%04u.png", o->png, frame);
    good = good && picture_write(path, xyz, t->rho, t->fluid.n, &set);
    free(xyz);
    return good;
}

static void print_row(const tank *t, unsigned done, double per_step, const totals *now)
{
    printf("%6u %8.4f %10.3f %10.3f %10.3f %8.4f %10.3f\n", done, done * (double)t->w.step,
           now->kinetic, now->potential + now->elastic, energy(now), now->front, 1e3 * per_step);
    fflush(stdout);
}

/* In as many stretches as there are rows or frames. */
static bool run(tank *t, const options *o, totals *now)
{
    const unsigned rows = o->png ? o->frames : REPORTS;
    unsigned done = 0;
    if (find_forces(t) != XL_SUCCESS || read_back(t) != XL_SUCCESS)
        return false;
    const totals first = *now = add_up(t);
    printf("%6s %8s %10s %10s %10s %8s %10s\n", "step", "s", "kinetic J", "other J", "all J",
           "front m", "ms a step");
    print_row(t, 0, 0, now);
    for (unsigned r = 1; r <= rows; ++r) {
        const unsigned until = (unsigned)((uint64_t)o->steps * r / rows), before = done;
        const double began = seconds();
        for (; done < until; ++done)
            if (step(t) != XL_SUCCESS)
                return false;
        if (read_back(t) != XL_SUCCESS)
            return false;
        *now = add_up(t);
        if (done > before)
            print_row(t, done, (seconds() - began) / (done - before), now);
        if (!plausible(t, now, &first, done * (double)t->w.step) || (o->png && !draw(t, o, r)))
            return false;
    }
    return true;
}

static bool simulate(tank *t, const options *o)
{
    xl_device_info info = {0};
    totals now;
    xl_status status = xl_context_create(NULL, &t->ctx);
    if (status == XL_SUCCESS)
        status = xl_context_device_info(t->ctx, &info);
    t->queue = xl_context_queue(t->ctx);
    if (status == XL_SUCCESS)
        status = make(t);
    if (status != XL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xl_status_name(status), xl_context_error(t->ctx));
        return false;
    }
    printf("%zu particles of water, %zu of walls, radius %g, %u steps of %.3g s, on %s\n\n",
           t->fluid.n, t->walls.n, (double)t->w.h, o->steps, (double)t->w.step, info.name);
    set_move(t);
    const bool ran = run(t, o, &now);
    if (!ran && *xl_context_error(t->ctx))
        fprintf(stderr, "%s\n", xl_context_error(t->ctx));
    printf("\n");
    return ran && right(t) && (!o->column || at_rest(t, &now)) && same_densities(t);
}

static bool number(const char *text, unsigned long low, unsigned long high, unsigned long *value)
{
    char *end = NULL;
    *value = text ? strtoul(text, &end, 10) : 0;
    return end && end != text && !*end && *value >= low && *value <= high;
}

static bool parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i += 2) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        unsigned long value;
        if (!next)
            return false;
        if (strcmp(argv[i], "--scene") == 0 &&
            (strcmp(next, "dam") == 0 || strcmp(next, "column") == 0))
            o->column = strcmp(next, "column") == 0;
        else if (strcmp(argv[i], "--n-side") == 0 && number(next, 8, 800, &value))
            o->side = value;
        else if (strcmp(argv[i], "--steps") == 0 && number(next, 1, 10000000, &value))
            o->steps = (unsigned)value;
        else if (strcmp(argv[i], "--frames") == 0 && number(next, 1, 9999, &value))
            o->frames = (unsigned)value;
        else if (strcmp(argv[i], "--png") == 0)
            o->png = next;
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    options o = {.side = 32, .steps = 1000, .frames = 20};
    tank t = {0};
    if (!parse(argc, argv, &o)) {
        fprintf(stderr,
                "Usage: %s [--scene dam|column] [--n-side N] [--steps S] [--png PREFIX [--frames "
                "F]]\nN particles high, 8 to 800 (32), half as wide and a quarter as deep; S steps "
                "(1000).\nWith --png F frames (20): PREFIX-0001.png and so on.\n",
                argv[0]);
        return 2;
    }
    const bool filled = fill_tank(&t, &o);
    if (!filled)
        fprintf(stderr, "no memory for the particles\n");
    const bool good = filled && simulate(&t, &o);
    end(&t);
    return good ? 0 : 1;
}

/* SPDX-License-Identifier: MIT
 * Problem: simulate the atoms of a Lennard-Jones liquid in a periodic box. A kernel of your own
 * computes forces and energies in a loop over the neighbours in an index
 * (<crosslane/neighbors.cl>). The potential is cut off at 2.5 and shifted to 0 there; the steps are
 * velocity Verlet (Verlet, "Computer experiments on classical fluids", 1967). Units are the depth
 * and width of the potential and the mass of an atom. Prints energies and momentum at intervals.
 * --out writes positions, velocities and forces at the end, 4 floats for each atom.
 * Checks forces and energies against double precision on the host, and that momentum and energy
 * are conserved. */
#include <crosslane/crosslane.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPORTS = 10, CHECKED_ATOMS = 128 };

static const double CUT = 2.5, DENSITY = 0.8442;
/* At first; half of it goes into the potential when the lattice melts. */
static const double TEMPERATURE = 1.44;
static const float STEP = 0.004f;

static const char source[] =
    "#include <crosslane/neighbors.cl>\n"
    "\n"
    "__kernel void forces(XL_NEIGHBORS_PARAMETERS(atoms), float shift, __global float4 *force)\n"
    "{\n"
    "    const xl_neighbors atoms = XL_NEIGHBORS_LOAD(atoms);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&atoms))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&atoms, k);\n"
    "    float4 sum = (float4)(0.0f); /* the force; in w the atom's half of each pair's energy */\n"
    "    XL_FOR_NEIGHBORS(near, atoms) {\n"
    "        const float r2 = 1.0f / near.distance2, r6 = r2 * r2 * r2;\n"
    "        sum -= near.vector * (48.0f * r6 * (r6 - 0.5f) * r2);\n"
    "        sum.w += 2.0f * (r6 * (r6 - 1.0f) - shift);\n"
    "    }\n"
    "    force[near.self] = near.incomplete ? (float4)(NAN) : sum;\n"
    "}\n"
    "\n"
    "/* Ignores the energy in w. */\n"
    "float4 half_a_kick(float step, float4 force)\n"
    "{\n"
    "    return (float4)(0.5f * step * force.xyz, 0.0f);\n"
    "}\n"
    "\n"
    "/* Half a step's velocity, a step's way, and back into the box. */\n"
    "__kernel void drift(uint n, float step, float edge, __global const float4 *force,\n"
    "                    __global float4 *velocity, __global float4 *position)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const float4 v = velocity[i] + half_a_kick(step, force[i]);\n"
    "    const float4 p = position[i] + step * v;\n"
    "    velocity[i] = v;\n"
    "    position[i] = clamp(p - edge * floor(p / edge), 0.0f, edge);\n"
    "}\n"
    "\n"
    "__kernel void kick(uint n, float step, __global const float4 *force,\n"
    "                   __global float4 *velocity)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i < n)\n"
    "        velocity[i] += half_a_kick(step, force[i]);\n"
    "}\n";

typedef struct options {
    size_t side; /* cells of the lattice that the atoms begin at, 4 atoms each */
    unsigned steps;
    const char *out; /* NULL: none */
} options;

typedef struct atom {
    float x[4]; /* the last: of a force the atom's energy, else nothing */
} atom;

typedef struct liquid {
    size_t n;
    float edge, shift; /* of the box; of the potential, over 4 */
    xl_context *ctx;
    cl_command_queue queue;
    xl_plan *grid;
    xl_grid_index *index;
    cl_program program;
    cl_kernel forces, drift, kick;
    cl_mem position, velocity, force;
    atom *p, *v, *f; /* read back */
} liquid;

/* Sums over all atoms. */
typedef struct totals {
    double kinetic, potential, momentum[3];
} totals;

/* ---- on the device ---- */

static xl_status of_opencl(cl_int code)
{
    return code == CL_SUCCESS ? XL_SUCCESS : XL_ERROR_OPENCL;
}

static xl_status make_plan(liquid *l)
{
    xl_grid_desc grid;
    xl_grid_desc_init(&grid);
    grid.cell_size = CUT;
    grid.stride = 4;
    grid.space.bounds = XL_BOUNDS_GIVEN;
    grid.space.periodic = 7;
    for (int a = 0; a < 3; ++a)
        grid.space.cell[a][a] = (double)l->edge;
    const xl_status status = xl_grid_create(l->ctx, &grid, &l->grid);
    return status != XL_SUCCESS ? status : xl_grid_index_create(l->ctx, &l->index);
}

static cl_kernel kernel_of(const liquid *l, const char *name, xl_status *status)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(l->program, name, &code);
    if (code != CL_SUCCESS)
        *status = XL_ERROR_OPENCL;
    return kernel;
}

static cl_mem buffer_of(const liquid *l, const atom *from, xl_status *status)
{
    cl_int code;
    cl_mem mem = clCreateBuffer(xl_context_cl(l->ctx), CL_MEM_COPY_HOST_PTR, l->n * sizeof *from,
                                (void *)from, &code);
    if (code != CL_SUCCESS)
        *status = XL_ERROR_OUT_OF_MEMORY;
    return mem;
}

static xl_status make(liquid *l)
{
    const cl_uint n = (cl_uint)l->n;
    xl_status status = make_plan(l);
    if (status == XL_SUCCESS)
        status = xl_program_create(l->ctx, source, NULL, &l->program);
    if (status != XL_SUCCESS)
        return status;
    l->forces = kernel_of(l, "forces", &status);
    l->drift = kernel_of(l, "drift", &status);
    l->kick = kernel_of(l, "kick", &status);
    l->position = buffer_of(l, l->p, &status);
    l->velocity = buffer_of(l, l->v, &status);
    l->force = buffer_of(l, l->f, &status);
    if (status != XL_SUCCESS)
        return status;
    clSetKernelArg(l->drift, 0, sizeof n, &n);
    clSetKernelArg(l->drift, 1, sizeof STEP, &STEP);
    clSetKernelArg(l->drift, 2, sizeof l->edge, &l->edge);
    clSetKernelArg(l->drift, 3, sizeof l->force, &l->force);
    clSetKernelArg(l->drift, 4, sizeof l->velocity, &l->velocity);
    clSetKernelArg(l->drift, 5, sizeof l->position, &l->position);
    clSetKernelArg(l->kick, 0, sizeof n, &n);
    clSetKernelArg(l->kick, 1, sizeof STEP, &STEP);
    clSetKernelArg(l->kick, 2, sizeof l->force, &l->force);
    return of_opencl(clSetKernelArg(l->kick, 3, sizeof l->velocity, &l->velocity));
}

static xl_status launch(const liquid *l, cl_kernel kernel)
{
    return of_opencl(clEnqueueNDRangeKernel(l->queue, kernel, 1, NULL, &l->n, NULL, 0, NULL, NULL));
}

/* Where the atoms are now: an index of them, and the forces by it. */
static xl_status find_forces(liquid *l)
{
    cl_uint next = 0;
    const xl_grid_build_args build = {.n = l->n, .points = xl_view_of(l->position, 0)};
    const xl_neighbors_kernel_args bind = {.kernel = l->forces, .radius = CUT};
    xl_status status = xl_grid_build_enqueue(l->grid, l->index, l->queue, &build, 0, NULL, NULL);
    if (status == XL_SUCCESS)
        status = xl_grid_index_set_kernel_args(l->index, &bind, &next);
    if (status != XL_SUCCESS)
        return status;
    clSetKernelArg(l->forces, next, sizeof l->shift, &l->shift);
    clSetKernelArg(l->forces, next + 1, sizeof l->force, &l->force);
    return launch(l, l->forces);
}

static xl_status step(liquid *l)
{
    xl_status status = launch(l, l->drift);
    if (status == XL_SUCCESS)
        status = find_forces(l);
    return status == XL_SUCCESS ? launch(l, l->kick) : status;
}

static xl_status read_back(liquid *l)
{
    const size_t bytes = l->n * sizeof *l->p;
    cl_int code =
        clEnqueueReadBuffer(l->queue, l->position, CL_TRUE, 0, bytes, l->p, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(l->queue, l->velocity, CL_TRUE, 0, bytes, l->v, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(l->queue, l->force, CL_TRUE, 0, bytes, l->f, 0, NULL, NULL);
    return of_opencl(code);
}

static void end(liquid *l)
{
    const cl_mem buffers[] = {l->position, l->velocity, l->force};
    const cl_kernel kernels[] = {l->forces, l->drift, l->kick};
    for (int k = 0; k < 3; ++k) {
        if (buffers[k])
            clReleaseMemObject(buffers[k]);
        if (kernels[k])
            clReleaseKernel(kernels[k]);
    }
    if (l->program)
        clReleaseProgram(l->program);
    xl_grid_index_destroy(l->index);
    xl_plan_destroy(l->grid);
    xl_context_destroy(l->ctx);
    free(l->p);
    free(l->v);
    free(l->f);
}

/* ---- the liquid ---- */

/* splitmix64, the same on every machine. */
static double unit_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* At a face-centred cubic lattice, a little off it, the momenta of all adding up to 0. */
static bool place_atoms(liquid *l, size_t side)
{
    static const double corner[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    const double cell = cbrt(4 / DENSITY), speed = sqrt(12 * TEMPERATURE);
    uint64_t state = 7;
    l->n = 4 * side * side * side;
    l->edge = (float)(cell * (double)side);
    l->shift = (float)(pow(CUT, -12) - pow(CUT, -6));
    l->p = (atom *)calloc(l->n, sizeof *l->p);
    l->v = (atom *)calloc(l->n, sizeof *l->v);
    l->f = (atom *)calloc(l->n, sizeof *l->f);
    if (!l->p || !l->v || !l->f)
        return false;
    for (size_t i = 0; i < l->n; ++i) {
        const size_t at[3] = {i / 4 % side, i / 4 / side % side, i / 4 / side / side};
        float *const p = l->p[i].x, *const v = l->v[i].x;
        for (size_t a = 0; a < 3; ++a) {
            const double off = 0.02 * unit_random(&state);
            p[a] = (float)(cell * ((double)at[a] + corner[i % 4][a] + off));
            /* Uniform, of the variance that the temperature asks for; atoms in pairs, opposite. */
            v[a] = (float)(speed * (unit_random(&state) - 0.5));
            if (i % 2)
                v[a] = -l->v[i - 1].x[a];
        }
    }
    return true;
}

static totals add_up(const liquid *l)
{
    totals t = {0};
    for (size_t i = 0; i < l->n; ++i) {
        const float *const v = l->v[i].x;
        for (size_t a = 0; a < 3; ++a) {
            t.kinetic += 0.5 * (double)v[a] * (double)v[a];
            t.momentum[a] += (double)v[a];
        }
        t.potential += (double)l->f[i].x[3];
    }
    return t;
}

/* ---- what came out ---- */

/* What pair (i, j) does to atom i, in double precision, if its image is near as the library says in
 * single precision. */
static void add_pair(const liquid *l, size_t i, size_t j, double *sum)
{
    const float *const p = l->p[i].x, *const q = l->p[j].x;
    float d[3];
    for (size_t a = 0; a < 3; ++a) {
        const float away = p[a] - q[a];
        d[a] = away - l->edge * roundf(away / l->edge);
    }
    const float d2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2], cut = (float)CUT;
    if (!(d2 < cut * cut))
        return;
    const double r2 = 1 / (double)d2, r6 = r2 * r2 * r2;
    for (size_t a = 0; a < 3; ++a)
        sum[a] += (double)d[a] * 48 * r6 * (r6 - 0.5) * r2;
    sum[3] += 2 * (r6 * (r6 - 1) - (double)l->shift);
    sum[4] += 48 * r6 * r6 * r2; /* how large the terms are that cancel each other */
}

static bool right_at(const liquid *l, size_t i)
{
    double sum[5] = {0};
    for (size_t j = 0; j < l->n; ++j)
        if (j != i)
            add_pair(l, i, j, sum);
    const float *const f = l->f[i].x;
    for (size_t a = 0; a < 4; ++a)
        if (!(fabs((double)f[a] - sum[a]) <= 2e-6 * (sum[4] + fabs(sum[a])) + 1e-6)) {
            fprintf(stderr, "atom %zu: %s %.9g, in double precision %.9g\n", i,
                    a < 3 ? "force" : "energy", (double)f[a], sum[a]);
            return false;
        }
    return true;
}

static bool right(const liquid *l)
{
    const size_t checked = l->n < CHECKED_ATOMS ? l->n : CHECKED_ATOMS;
    for (size_t k = 0; k < checked; ++k)
        if (!right_at(l, k * l->n / checked))
            return false;
    return true;
}

static bool conserved(const liquid *l, const totals *first, const totals *last)
{
    const double n = (double)l->n, speed = sqrt(2 * last->kinetic / n);
    const double drift = (last->kinetic + last->potential - first->kinetic - first->potential) / n;
    double momentum = 0;
    for (int a = 0; a < 3; ++a)
        momentum = fmax(momentum, fabs(last->momentum[a]));
    printf("\nenergy of an atom changed by %.2e, momentum of all is %.2e of %.2e\n", drift,
           momentum, n * speed);
    return fabs(drift) < 2e-3 && momentum < 1e-5 * n * speed;
}

/* ---- the program ---- */

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(const liquid *l, unsigned at, double per_step, totals *t)
{
    const double n = (double)l->n;
    *t = add_up(l);
    printf("%6u %12.6f %12.6f %12.6f %10.4f %10.3f\n", at, t->kinetic / n, t->potential / n,
           (t->kinetic + t->potential) / n, 2 * t->kinetic / (3 * n), 1e3 * per_step);
    fflush(stdout);
}

static xl_status run_steps(liquid *l, unsigned steps, totals *first, totals *last)
{
    unsigned done = 0;
    xl_status status = find_forces(l);
    if (status == XL_SUCCESS)
        status = read_back(l);
    if (status != XL_SUCCESS)
        return status;
    printf("%6s %12s %12s %12s %10s %10s\n", "step", "kinetic", "potential", "energy",
           "temperature", "ms a step");
    report(l, 0, 0, first);
    *last = *first;
    for (unsigned r = 1; r <= REPORTS && status == XL_SUCCESS; ++r) {
        const unsigned until = (unsigned)((uint64_t)steps * r / REPORTS), before = done;
        const double began = seconds();
        for (; done < until && status == XL_SUCCESS; ++done)
            status = step(l);
        if (status == XL_SUCCESS)
            status = read_back(l);
        if (status == XL_SUCCESS && done > before)
            report(l, done, (seconds() - began) / (done - before), last);
    }
    return status;
}

static bool write_state(const liquid *l, const char *path)
{
    FILE *const file = path ? fopen(path, "wb") : NULL;
    if (!file)
        return !path;
    bool good = fwrite(l->p, sizeof *l->p, l->n, file) == l->n;
    good = fwrite(l->v, sizeof *l->v, l->n, file) == l->n && good;
    good = fwrite(l->f, sizeof *l->f, l->n, file) == l->n && good;
    return fclose(file) == 0 && good;
}

static bool simulate(liquid *l, const options *o)
{
    totals first, last;
    xl_device_info info = {0};
    xl_status status = xl_context_create(NULL, &l->ctx);
    if (status == XL_SUCCESS)
        status = xl_context_device_info(l->ctx, &info);
    l->queue = xl_context_queue(l->ctx);
    if (status == XL_SUCCESS)
        status = make(l);
    if (status == XL_SUCCESS) {
        printf("%zu atoms in a box of %g, %u steps of %g, on %s\n\n", l->n, (double)l->edge,
               o->steps, (double)STEP, info.name);
        status = run_steps(l, o->steps, &first, &last);
    }
    if (status != XL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xl_status_name(status), xl_context_error(l->ctx));
        return false;
    }
    return write_state(l, o->out) && right(l) && conserved(l, &first, &last);
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
        /* Five cells: a box is then longer than three cut-offs, and a pair has one image. */
        if (strcmp(argv[i], "--n-side") == 0 && number(next, 5, 400, &value))
            o->side = value;
        else if (strcmp(argv[i], "--steps") == 0 && number(next, 1, 1000000, &value))
            o->steps = (unsigned)value;
        else if (strcmp(argv[i], "--out") == 0 && next)
            o->out = next;
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    options o = {.side = 12, .steps = 300};
    liquid l = {0};
    if (!parse(argc, argv, &o)) {
        fprintf(stderr,
                "Usage: %s [--n-side N] [--steps S] [--out FILE]\n4 N^3 atoms, N from 5 to 400 "
                "(12), steps of "
                "0.004 (300)\n",
                argv[0]);
        return 2;
    }
    const bool placed = place_atoms(&l, o.side);
    if (!placed)
        fprintf(stderr, "no memory for %zu atoms\n", l.n);
    const bool good = placed && simulate(&l, &o);
    end(&l);
    return good ? 0 : 1;
}

/* SPDX-License-Identifier: MIT
 * Benchmarks of forces between pairs in a kernel of the user's: pressure and viscosity of smoothed
 * particles with about 110 neighbours each, by the iterator of <crosslane/neighbors.cl>, which
 * searches again, and by a list that was filled before; neither the build nor the list is timed.
 * Points are in the order of the lattice that they are moved from, as in a simulation that reorders
 * them. Verified for some points against double precision. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOVING = NEAR_OWN, FORCES };
enum { COMPARED = 100 };

/* In spacings: 4/3 pi r^3 is 113. */
static const float RADIUS = 3.0f;

typedef struct job {
    bench_near near; /* n points of a cubic lattice of spacing 1, each moved by up to 0.2 */
    float *moving;   /* of each point its velocity and its density */
    float *forces;
    cl_program program;
    cl_kernel iterate, list;
} job;

/* Mueller et al., "Particle-based fluid simulation for interactive applications" (SCA 2003), with
 * a pressure that is the density. */
static const char source[] =
    "#define XL_NEIGHBORS_PERIODIC 0\n"
    "#include <crosslane/neighbors.cl>\n"
    "#define RADIUS 3.0f\n"
    "float4 force(float4 vector, float distance2, float4 own, float4 other)\n"
    "{\n"
    "    const float r = sqrt(distance2), left = RADIUS - r, over = left / other.w;\n"
    "    const float pressure = (own.w + other.w) * left * over / fmax(r, 1e-12f);\n"
    "    float4 both = (other - own) * over - vector * pressure;\n"
    "    both.w = 0;\n"
    "    return both;\n"
    "}\n"
    "__kernel void iterate(XL_NEIGHBORS_PARAMETERS(points), __global const float4 *moving,\n"
    "                      __global float4 *forces)\n"
    "{\n"
    "    const xl_neighbors points = XL_NEIGHBORS_LOAD(points);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&points))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&points, k);\n"
    "    const float4 own = moving[near.self];\n"
    "    float4 sum = (float4)(0.0f);\n"
    "    XL_FOR_NEIGHBORS(near, points)\n"
    "        sum += force(near.vector, near.distance2, own, moving[near.index]);\n"
    "    forces[near.self] = near.incomplete ? (float4)(NAN) : sum;\n"
    "}\n"
    "__kernel void list(uint n, __global const float4 *points, __global const float4 *moving,\n"
    "                   __global const ulong *offsets, __global const uint *indices,\n"
    "                   __global float4 *forces)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const float4 at = points[i], own = moving[i];\n"
    "    const ulong end = offsets[i + 1];\n"
    "    float4 sum = (float4)(0.0f);\n"
    "    for (ulong q = offsets[i]; q < end; ++q) {\n"
    "        const uint j = indices[q];\n"
    "        const float4 vector = points[j] - at;\n"
    "        sum += force(vector, dot(vector, vector), own, moving[j]);\n"
    "    }\n"
    "    forces[i] = sum;\n"
    "}\n";

/* ---- the points ---------------------------------------------------------- */

static bool make_points(job *j)
{
    uint64_t state = BENCH_SEED;
    j->near.points = calloc(j->near.n, 16);
    j->moving = malloc(16 * j->near.n);
    j->forces = malloc(16 * j->near.n);
    if (!j->near.points || !j->moving || !j->forces)
        return false;
    (void)bench_cloud_lattice(j->near.points, 4, j->near.n);
    for (size_t i = 0; i < 4 * j->near.n; ++i)
        j->moving[i] = i % 4 < 3 ? bench_unit(&state) - 0.5f : 1.0f + 0.1f * bench_unit(&state);
    return true;
}

/* ---- timed calls --------------------------------------------------------- */

/* The last groups have work-items without a point. */
static xl_status launch(bench *b, const job *j, cl_kernel kernel, cl_event *event)
{
    const size_t group = 64, global = (j->near.n + group - 1) / group * group;
    return clEnqueueNDRangeKernel(b->queue, kernel, 1, NULL, &global, &group, 0, NULL, event) ==
                   CL_SUCCESS
               ? XL_SUCCESS
               : XL_ERROR_OPENCL;
}

static xl_status by_iterator(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    return launch(b, j, j->iterate, event);
}

static xl_status by_list(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    return launch(b, j, j->list, event);
}

/* ---- verification -------------------------------------------------------- */

static void add_force(const job *j, size_t i, size_t k, double *sum)
{
    const float *p = (float *)j->near.points + 4 * i, *q = (float *)j->near.points + 4 * k;
    const float *own = j->moving + 4 * i, *other = j->moving + 4 * k;
    const double d[3] = {(double)q[0] - (double)p[0], (double)q[1] - (double)p[1],
                         (double)q[2] - (double)p[2]};
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), left = (double)RADIUS - r;
    if (i == k || left <= 0)
        return;
    const double over = left / (double)other[3];
    const double pressure = ((double)own[3] + (double)other[3]) * left * over / r;
    for (int a = 0; a < 3; ++a)
        sum[a] += ((double)other[a] - (double)own[a]) * over - d[a] * pressure;
}

/* Forces of a hundred neighbours nearly cancel: errors are compared with the force of one. */
static const char *fault_of(bench *b, const job *j)
{
    if (!bench_near_read(b, &j->near, FORCES, 16 * j->near.n, j->forces))
        return "forces could not be read";
    for (size_t c = 0; c < COMPARED; ++c) {
        const size_t i = c * (j->near.n / COMPARED) % j->near.n;
        double sum[3] = {0, 0, 0};
        for (size_t k = 0; k < j->near.n; ++k)
            add_force(j, i, k, sum);
        for (size_t a = 0; a < 3; ++a)
            if (!(fabs((double)j->forces[4 * i + a] - sum[a]) < 1e-3))
                return "a force differs from that in double precision";
    }
    return NULL;
}

/* ---- one size ------------------------------------------------------------ */

static xl_status make_list(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    if (!make_points(j))
        return XL_ERROR_OUT_OF_MEMORY;
    bench_near_descs(&j->near, &grid, &search);
    grid.stride = 4;
    const xl_status status = bench_near_plans(b, &j->near, &grid, &search);
    if (status != XL_SUCCESS)
        return status;
    return bench_near_buffers(b, &j->near, 16, NEAR_FOR_LISTS) &&
                   bench_near_buffer(b, &j->near, MOVING, 16 * j->near.n, j->moving) &&
                   bench_near_buffer(b, &j->near, FORCES, 16 * j->near.n, NULL)
               ? bench_near_list(b, &j->near)
               : XL_ERROR_OUT_OF_MEMORY;
}

static bool set(cl_kernel kernel, cl_uint at, const job *j, int which)
{
    return clSetKernelArg(kernel, at, sizeof(cl_mem), &j->near.mem[which]) == CL_SUCCESS;
}

static xl_status make_kernels(bench *b, job *j)
{
    const cl_uint n = (cl_uint)j->near.n;
    cl_uint next = 0;
    cl_int code;
    xl_status status = xl_program_create(b->ctx, source, NULL, &j->program);
    if (status != XL_SUCCESS)
        return status;
    j->iterate = clCreateKernel(j->program, "iterate", &code);
    j->list = clCreateKernel(j->program, "list", &code);
    if (!j->iterate || !j->list)
        return XL_ERROR_OPENCL;
    status = xl_grid_index_set_kernel_args(
        j->near.index, &(xl_neighbors_kernel_args){.kernel = j->iterate, .radius = RADIUS}, &next);
    if (status != XL_SUCCESS)
        return status;
    return set(j->iterate, next, j, MOVING) && set(j->iterate, next + 1, j, FORCES) &&
                   clSetKernelArg(j->list, 0, sizeof n, &n) == CL_SUCCESS &&
                   set(j->list, 1, j, NEAR_POINTS) && set(j->list, 2, j, MOVING) &&
                   set(j->list, 3, j, NEAR_OFFSETS) && set(j->list, 4, j, NEAR_INDICES) &&
                   set(j->list, 5, j, FORCES)
               ? XL_SUCCESS
               : XL_ERROR_OPENCL;
}

static void end_job(job *j)
{
    if (j->iterate)
        clReleaseKernel(j->iterate);
    if (j->list)
        clReleaseKernel(j->list);
    if (j->program)
        clReleaseProgram(j->program);
    bench_near_end(&j->near);
    free(j->moving);
    free(j->forces);
}

static void time_way(bench *b, job *j, const char *way, bench_enqueue *enqueue, double bytes)
{
    char variant[64];
    snprintf(variant, sizeof variant, "SPH pair force, %.1f neighbours (%s)",
             (double)j->near.pairs / (double)j->near.n, way);
    const xl_status status = enqueue(b, j, NULL);
    const char *why = status == XL_SUCCESS ? fault_of(b, j) : NULL;
    if (bench_right(b, "forces", variant, j->near.n, status, why))
        (void)bench_case(b, "forces", variant, j->near.n, bytes, enqueue, j);
}

static void run(bench *b, size_t n)
{
    job j = {.near = {.n = n, .radius = (double)RADIUS}};
    const double all = (double)n;
    xl_status status = make_list(b, &j);
    if (status == XL_SUCCESS)
        status = make_kernels(b, &j);
    if (bench_right(b, "forces", "SPH pair force", n, status, NULL)) {
        time_way(b, &j, "iterator", by_iterator, 48 * all);
        time_way(b, &j, "list", by_list, 56 * all + 4 * (double)j.near.pairs);
    }
    end_job(&j);
}

void bench_forces(bench *b)
{
    if (!bench_wants(b, "SPH pair force"))
        return;
    for (size_t n = (size_t)1 << 17; n <= b->max_n && n <= (size_t)1 << 20; n *= 8)
        if (n >= b->options->min_n)
            run(b, n);
}

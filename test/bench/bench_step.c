/* SPDX-License-Identifier: MIT
 * Benchmarks of one step of a fluid of particles, stage by stage: the sort of cell numbers
 * alone, bitonic and radix; the build of the grid, bitonic and by counting; the density, Poly6;
 * the forces, of pressures and viscosity. And the build and the density together, by either build.
 * Uniform points with about 34 neighbours. Verified: cell numbers for their order, densities and
 * forces of some particles against sums over all others. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VELOCITY = NEAR_OWN, FORCES, KEYS, SORTED, ORDER };
enum { BITONIC, OTHER, WAYS }; /* of sorts radix, of builds counting */
enum { COMPARED = 100 };

typedef struct job {
    bench_near near;
    float params[4]; /* of the kernel: see the text */
    float *velocities;
    uint32_t *keys;
    xl_plan *sorts[WAYS];
    cl_program program;
    cl_kernel kernel;
} job;

/* `params`: radius, stiffness, density at rest, viscosity. The mass is 1, and constants that all
 * terms have are left out. */
static const char forces_text[] =
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void forces(XL_NEIGHBORS_PARAMETERS(fluid), float4 params,\n"
    "                     __global const float *rho, __global const float4 *velocity,\n"
    "                     __global float4 *force)\n"
    "{\n"
    "    const xl_neighbors fluid = XL_NEIGHBORS_LOAD(fluid);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&fluid))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&fluid, k);\n"
    "    const float p = params.y * (rho[near.self] - params.z);\n"
    "    const float4 v = velocity[near.self];\n"
    "    float4 sum = (float4)(0.0f);\n"
    "    XL_FOR_NEIGHBORS(near, fluid) {\n"
    "        const float other = rho[near.index], r = sqrt(near.distance2);\n"
    "        const float left = params.x - r, both = p + params.y * (other - params.z);\n"
    "        sum -= near.vector * (both * left * left / (other * fmax(r, 1e-12f)));\n"
    "        sum += (velocity[near.index] - v) * (params.w * left / other);\n"
    "    }\n"
    "    force[near.self] = sum;\n"
    "}\n";

/* ---- timed calls --------------------------------------------------------- */

/* By the way of the job, as the build. */
static xl_status sort(bench *b, void *user, cl_event *event)
{
    const job *j = user;
    const xl_sort_args args = {.n = j->near.n,
                               .keys_in = xl_view_of(j->near.mem[KEYS], 0),
                               .keys_out = xl_view_of(j->near.mem[SORTED], 0),
                               .values_out = xl_view_of(j->near.mem[ORDER], 0)};
    return xl_sort_enqueue(j->sorts[j->near.way], b->queue, &args, 0, NULL, event);
}

/* The queue is in order. */
static xl_status build_and_density(bench *b, void *user, cl_event *event)
{
    const xl_status status = bench_near_build(b, user, NULL);
    return status == XL_SUCCESS ? bench_near_density(b, user, event) : status;
}

static xl_status forces(bench *b, void *user, cl_event *event)
{
    job *j = user;
    cl_uint next;
    const xl_neighbors_kernel_args args = {.kernel = j->kernel, .radius = (float)j->near.radius};
    const xl_status status = xl_grid_index_set_kernel_args(j->near.index, &args, &next);
    const size_t group = 128, size = (j->near.n + group - 1) / group * group;
    if (status != XL_SUCCESS)
        return status;
    if (clSetKernelArg(j->kernel, next, 4 * sizeof(float), j->params) != CL_SUCCESS ||
        clSetKernelArg(j->kernel, next + 1, sizeof(cl_mem), &j->near.mem[NEAR_DENSITY]) !=
            CL_SUCCESS ||
        clSetKernelArg(j->kernel, next + 2, sizeof(cl_mem), &j->near.mem[VELOCITY]) != CL_SUCCESS ||
        clSetKernelArg(j->kernel, next + 3, sizeof(cl_mem), &j->near.mem[FORCES]) != CL_SUCCESS ||
        clEnqueueNDRangeKernel(b->queue, j->kernel, 1, NULL, &size, &group, 0, NULL, event) !=
            CL_SUCCESS)
        return XL_ERROR_OPENCL;
    return XL_SUCCESS;
}

/* ---- verification -------------------------------------------------------- */

static const char *fault_in_order(bench *b, job *j)
{
    const size_t n = j->near.n;
    if (sort(b, j, NULL) != XL_SUCCESS)
        return xl_context_error(b->ctx);
    uint32_t *keys = bench_near_copy(b, &j->near, SORTED, 4 * n);
    uint32_t *order = bench_near_copy(b, &j->near, ORDER, 4 * n);
    const char *why = keys && order ? NULL : "a sort could not be read";
    for (size_t i = 0; i < n && !why; ++i)
        if (order[i] >= n || keys[i] != j->keys[order[i]] || (i > 0 && keys[i] < keys[i - 1]))
            why = "cell numbers are not in order";
    free(keys);
    free(order);
    return why;
}

/* Density and force of one particle, in double precision; false: they differ. */
static bool is_right(const job *j, size_t i, const float *rho, const float *force)
{
    const float *const params = j->params, *const points = j->near.points;
    const float *const p = points + 3 * i;
    const double h = (double)params[0],
                 own = (double)params[1] * ((double)rho[i] - (double)params[2]);
    double sum = (double)j->near.start, total[3] = {0, 0, 0}, size = 0;
    for (size_t k = 0; k < j->near.n; ++k) {
        const float *const q = points + 3 * k;
        const float d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const float d2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        if (k == i || !(d2 < params[0] * params[0]))
            continue;
        const double r = sqrt((double)d2), left = h - r, other = (double)rho[k];
        const double both = own + (double)params[1] * (other - (double)params[2]);
        sum += (double)j->near.params[1] * pow(h * h - (double)d2, 3);
        for (int a = 0; a < 3; ++a) {
            const double pushed = (double)d[a] * both * left * left / (other * fmax(r, 1e-12));
            const double rubbed = ((double)j->velocities[4 * k + (size_t)a] -
                                   (double)j->velocities[4 * i + (size_t)a]) *
                                  (double)params[3] * left / other;
            total[a] += rubbed - pushed;
            size += fabs(pushed) + fabs(rubbed);
        }
    }
    for (int a = 0; a < 3; ++a)
        if (!(fabs((double)force[4 * i + (size_t)a] - total[a]) <= 1e-4 * size))
            return false;
    return fabs((double)rho[i] - sum) <= 1e-4 * sum;
}

static const char *fault_in_forces(bench *b, const job *j)
{
    const size_t n = j->near.n;
    float *rho = bench_near_copy(b, &j->near, NEAR_DENSITY, 4 * n);
    float *force = bench_near_copy(b, &j->near, FORCES, 16 * n);
    const char *why = rho && force ? NULL : "densities or forces could not be read";
    for (size_t c = 0; c < COMPARED && !why; ++c)
        if (!is_right(j, c * (n / COMPARED + 1) % n, rho, force))
            why = "a density or a force differs from the sum over all particles";
    free(rho);
    free(force);
    return why;
}

/* By either sort and either build. */
static const char *fault_of(bench *b, job *j)
{
    const char *why = NULL;
    for (j->near.way = 0; j->near.way < WAYS && !why; ++j->near.way) {
        if (j->sorts[j->near.way])
            why = fault_in_order(b, j);
        if (why)
            break;
        if (build_and_density(b, j, NULL) != XL_SUCCESS || forces(b, j, NULL) != XL_SUCCESS)
            return xl_context_error(b->ctx);
        why = fault_in_forces(b, j);
    }
    return why;
}

/* ---- one number of particles --------------------------------------------- */

/* Particles, velocities, and the numbers of their cells. */
static bool make_particles(job *j)
{
    const size_t n = j->near.n;
    uint64_t state = 7;
    float *points = j->near.points = malloc(12 * n);
    j->velocities = malloc(16 * n);
    j->keys = malloc(4 * n);
    if (!points || !j->velocities || !j->keys)
        return false;
    const float radius = (float)bench_radius(34, (double)n);
    bench_cloud_uniform(points, n);
    const uint32_t side = (uint32_t)(1 / radius) + 1;
    for (size_t i = 0; i < n; ++i) {
        uint32_t cell = 0;
        for (size_t a = 3; a-- > 0;)
            cell = cell * side + (uint32_t)(points[3 * i + a] / radius);
        j->keys[i] = cell;
        for (size_t a = 0; a < 4; ++a)
            j->velocities[4 * i + a] = a < 3 ? bench_unit(&state) - 0.5f : 0;
    }
    const float params[4] = {radius, 3, 8, 0.1f};
    memcpy(j->params, params, sizeof params);
    j->near.radius = radius;
    j->near.start = 1;
    bench_near_set_poly6(&j->near);
    return true;
}

static xl_status make_sorts(bench *b, job *j)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.value = XL_SORT_INDICES;
    desc.algorithm = XL_SORT_BITONIC;
    xl_status status = xl_sort_create(b->ctx, &desc, &j->sorts[BITONIC]);
    desc.algorithm = XL_SORT_RADIX;
    if (status == XL_SUCCESS)
        status = xl_sort_create(b->ctx, &desc, &j->sorts[OTHER]);
    return status == XL_ERROR_UNSUPPORTED ? XL_SUCCESS : status;
}

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    bench_near_descs(&j->near, &grid, &search);
    search.visit = bench_near_poly6;
    xl_status status = make_sorts(b, j);
    for (int way = 0; way < WAYS && status == XL_SUCCESS; ++way) {
        grid.algorithm = way == BITONIC ? XL_GRID_BITONIC : XL_GRID_COUNTING;
        status = xl_grid_create(b->ctx, &grid, &j->near.grids[way]);
    }
    if (status == XL_SUCCESS)
        status = bench_near_plans(b, &j->near, NULL, &search);
    if (status == XL_SUCCESS)
        status = xl_program_create(b->ctx, forces_text, NULL, &j->program);
    cl_int code = CL_SUCCESS;
    if (status == XL_SUCCESS)
        j->kernel = clCreateKernel(j->program, "forces", &code);
    return code == CL_SUCCESS ? status : XL_ERROR_OPENCL;
}

static bool make_buffers(bench *b, job *j)
{
    bench_near *x = &j->near;
    return bench_near_buffers(b, x, 12, NEAR_FOR_DENSITY) &&
           bench_near_buffer(b, x, VELOCITY, 16 * x->n, j->velocities) &&
           bench_near_buffer(b, x, FORCES, 16 * x->n, NULL) &&
           bench_near_buffer(b, x, KEYS, 4 * x->n, j->keys) &&
           bench_near_buffer(b, x, SORTED, 4 * x->n, NULL) &&
           bench_near_buffer(b, x, ORDER, 4 * x->n, NULL);
}

static void time_all(bench *b, job *j)
{
    const bench_timed rows[] = {
        {"stages (sort alone, bitonic)", sort, 12, 0, BITONIC},
        {"stages (sort alone, radix)", j->sorts[OTHER] ? sort : NULL, 12, 0, OTHER},
        {"stages (build, bitonic)", bench_near_build, 28, 0, BITONIC},
        {"stages (build, counting)", bench_near_build, 28, 0, OTHER},
        {"stages (density)", bench_near_density, 20, 0, OTHER},
        {"stages (forces)", forces, 52, 0, OTHER},
        {"build and density (bitonic)", build_and_density, 48, 0, BITONIC},
        {"build and density (counting)", build_and_density, 48, 0, OTHER},
    };
    (void)bench_near_time_rows(b, &j->near, "step", NULL, rows, sizeof rows / sizeof *rows);
}

static void end_job(job *j)
{
    if (j->kernel)
        clReleaseKernel(j->kernel);
    if (j->program)
        clReleaseProgram(j->program);
    for (int way = 0; way < WAYS; ++way)
        xl_plan_destroy(j->sorts[way]);
    bench_near_end(&j->near);
    free(j->velocities);
    free(j->keys);
}

static void run(bench *b, size_t n)
{
    job j = {.near.n = n};
    xl_status status = make_particles(&j) ? make_plans(b, &j) : XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS && !make_buffers(b, &j))
        status = XL_ERROR_OUT_OF_MEMORY;
    const char *why = status == XL_SUCCESS ? fault_of(b, &j) : NULL;
    if (bench_right(b, "step", "uniform", n, status, why))
        time_all(b, &j);
    end_job(&j);
}

void bench_step(bench *b)
{
    const bool is_cpu = (b->info.device_type & CL_DEVICE_TYPE_CPU) != 0;
    const size_t most = is_cpu ? (size_t)1 << 18 : (size_t)1 << 21;
    for (size_t n = (size_t)1 << 13; n <= b->max_n && n <= most; n *= 2)
        if (n >= b->options->min_n)
            run(b, n);
}

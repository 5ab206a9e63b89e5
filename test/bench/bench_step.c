/* SPDX-License-Identifier: MIT
 * Benchmarks of one step of a fluid of particles, stage by stage: the sort of cell numbers by
 * itself, bitonic and radix; the build of the grid, bitonic and by counting; the density, Poly6;
 * the forces, of pressures and viscosity. And the build and the density together, by either build.
 * Uniform points of some 34 neighbours. Verified before they are timed: cell numbers for their
 * order, densities and forces of some particles against sums over all others. */
#include "bench.h"
#include "bench_clouds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS, STORAGE, DENSITY, VELOCITY, FORCES, KEYS, SORTED, ORDER, BUFFERS };
enum { BITONIC, OTHER, WAYS }; /* of sorts radix, of builds counting */
enum { COMPARED = 100 };

typedef struct job {
    size_t n;
    float radius;
    float params[8]; /* of the kernel: see the text */
    float *points, *velocities;
    uint32_t *keys;
    xl_sort *sorts[WAYS];
    xl_grid *grids[WAYS];
    xl_grid_index *index;
    xl_neighbors *search;
    cl_program program;
    cl_kernel kernel;
    cl_mem mem[BUFFERS];
} job;

static const char density_text[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
    "{ float t = p.x - distance2; return sum + p.y * (t * t * t); }";

/* `params`: radius, stiffness, density at rest, viscosity. Of mass 1, and without the constants
 * that all terms have. */
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

/* ---- what is timed ------------------------------------------------------- */

static xl_status sort(bench *b, job *j, int way, cl_event *event)
{
    return xl_sort_enqueue(j->sorts[way], b->queue,
                           &(xl_sort_args){.n = j->n,
                                           .keys_in = xl_view_of(j->mem[KEYS], 0),
                                           .keys_out = xl_view_of(j->mem[SORTED], 0),
                                           .values_out = xl_view_of(j->mem[ORDER], 0)},
                           0, NULL, event);
}

static xl_status sort_bitonic(bench *b, void *user, cl_event *event)
{
    return sort(b, user, BITONIC, event);
}

static xl_status sort_radix(bench *b, void *user, cl_event *event)
{
    return sort(b, user, OTHER, event);
}

static xl_status build(bench *b, job *j, int way, cl_event *event)
{
    return xl_grid_build_enqueue(j->grids[way], j->index, b->queue,
                                 &(xl_grid_build_args){.n = j->n,
                                                       .points = xl_view_of(j->mem[POINTS], 0),
                                                       .storage = xl_view_of(j->mem[STORAGE], 0)},
                                 0, NULL, event);
}

static xl_status build_bitonic(bench *b, void *user, cl_event *event)
{
    return build(b, user, BITONIC, event);
}

static xl_status build_counting(bench *b, void *user, cl_event *event)
{
    return build(b, user, OTHER, event);
}

static xl_status density(bench *b, void *user, cl_event *event)
{
    job *j = user;
    return xl_neighbors_visit_enqueue(
        j->search, j->index, b->queue,
        &(xl_neighbors_visit_args){.start = j->params[4],
                                   .params = {j->radius * j->radius, j->params[5]},
                                   .out = xl_view_of(j->mem[DENSITY], 0)},
        0, NULL, event);
}

/* The queue is in order. */
static xl_status both_bitonic(bench *b, void *user, cl_event *event)
{
    const xl_status status = build(b, user, BITONIC, NULL);
    return status == XL_SUCCESS ? density(b, user, event) : status;
}

static xl_status both_counting(bench *b, void *user, cl_event *event)
{
    const xl_status status = build(b, user, OTHER, NULL);
    return status == XL_SUCCESS ? density(b, user, event) : status;
}

static xl_status forces(bench *b, void *user, cl_event *event)
{
    job *j = user;
    cl_uint next;
    const xl_neighbors_kernel_args args = {.kernel = j->kernel, .radius = j->radius};
    const xl_status status = xl_grid_index_set_kernel_args(j->index, &args, &next);
    const size_t group = 128, size = (j->n + group - 1) / group * group;
    if (status != XL_SUCCESS)
        return status;
    if (clSetKernelArg(j->kernel, next, 4 * sizeof(float), j->params) != CL_SUCCESS ||
        clSetKernelArg(j->kernel, next + 1, sizeof(cl_mem), &j->mem[DENSITY]) != CL_SUCCESS ||
        clSetKernelArg(j->kernel, next + 2, sizeof(cl_mem), &j->mem[VELOCITY]) != CL_SUCCESS ||
        clSetKernelArg(j->kernel, next + 3, sizeof(cl_mem), &j->mem[FORCES]) != CL_SUCCESS ||
        clEnqueueNDRangeKernel(b->queue, j->kernel, 1, NULL, &size, &group, 0, NULL, event) !=
            CL_SUCCESS)
        return XL_ERROR_OPENCL;
    return XL_SUCCESS;
}

/* ---- verification -------------------------------------------------------- */

static bool read_back(bench *b, const job *j, int which, size_t bytes, void *to)
{
    return clEnqueueReadBuffer(b->queue, j->mem[which], CL_TRUE, 0, bytes, to, 0, NULL, NULL) ==
           CL_SUCCESS;
}

static const char *fault_in_order(bench *b, job *j)
{
    const char *why = "no memory";
    uint32_t *keys = malloc(4 * j->n), *order = malloc(4 * j->n);
    for (int way = 0; keys && order && way < WAYS; ++way) {
        why = NULL;
        if (j->sorts[way] &&
            (sort(b, j, way, NULL) != XL_SUCCESS || !read_back(b, j, SORTED, 4 * j->n, keys) ||
             !read_back(b, j, ORDER, 4 * j->n, order)))
            why = "a sort could not be read";
        for (size_t i = 0; i < j->n && j->sorts[way] && !why; ++i)
            if (order[i] >= j->n || keys[i] != j->keys[order[i]] ||
                (i > 0 && keys[i] < keys[i - 1]))
                why = "cell numbers are not in order";
        if (why)
            break;
    }
    free(keys);
    free(order);
    return why;
}

/* Density and force of one particle, in double precision; false: they differ. */
static bool is_right(const job *j, size_t i, const float *rho, const float *force)
{
    const float *const params = j->params, *const p = j->points + 3 * i;
    const double h = (double)params[0],
                 own = (double)params[1] * ((double)rho[i] - (double)params[2]);
    double sum = (double)params[4], total[3] = {0, 0, 0}, size = 0;
    for (size_t k = 0; k < j->n; ++k) {
        const float *const q = j->points + 3 * k;
        const float d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const float d2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
        if (k == i || !(d2 < j->radius * j->radius))
            continue;
        const double r = sqrt((double)d2), left = h - r, other = (double)rho[k];
        const double both = own + (double)params[1] * (other - (double)params[2]);
        sum += (double)params[5] * pow(h * h - (double)d2, 3);
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
    const char *why = "no memory";
    float *rho = malloc(4 * j->n), *force = malloc(16 * j->n);
    if (rho && force) {
        const bool read =
            read_back(b, j, DENSITY, 4 * j->n, rho) && read_back(b, j, FORCES, 16 * j->n, force);
        why = read ? NULL : "densities or forces could not be read";
        for (size_t c = 0; c < COMPARED && !why; ++c)
            if (!is_right(j, c * (j->n / COMPARED + 1) % j->n, rho, force))
                why = "a density or a force differs from the sum over all particles";
    }
    free(rho);
    free(force);
    return why;
}

/* By either build. */
static const char *fault_of(bench *b, job *j)
{
    const char *why = fault_in_order(b, j);
    for (int way = 0; way < WAYS && !why; ++way) {
        if (build(b, j, way, NULL) != XL_SUCCESS || density(b, j, NULL) != XL_SUCCESS ||
            forces(b, j, NULL) != XL_SUCCESS)
            return xl_context_error(b->ctx);
        why = fault_in_forces(b, j);
    }
    return why;
}

/* ---- one number of particles --------------------------------------------- */

/* Particles, velocities, and the numbers of the cells that they are in. */
static bool make_particles(job *j)
{
    uint64_t state = 7;
    j->points = malloc(12 * j->n);
    j->velocities = malloc(16 * j->n);
    j->keys = malloc(4 * j->n);
    if (!j->points || !j->velocities || !j->keys)
        return false;
    const double density = bench_cloud_uniform(j->points, j->n);
    j->radius = (float)cbrt(34.0 / (4.0 / 3.0 * 3.14159265358979 * density));
    const uint32_t side = (uint32_t)(1 / j->radius) + 1;
    for (size_t i = 0; i < j->n; ++i) {
        uint32_t cell = 0;
        for (size_t a = 3; a-- > 0;)
            cell = cell * side + (uint32_t)(j->points[3 * i + a] / j->radius);
        j->keys[i] = cell;
        for (size_t a = 0; a < 4; ++a)
            j->velocities[4 * i + a] = a < 3 ? bench_unit(&state) - 0.5f : 0;
    }
    const float h2 = j->radius * j->radius;
    const float params[8] = {j->radius, 3, 8, 0.1f, 1, 1 / (h2 * h2 * h2)};
    memcpy(j->params, params, sizeof params);
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
    xl_grid_desc_init(&grid);
    xl_neighbors_desc_init(&search);
    grid.cell_size = search.radius = j->radius;
    search.visit = density_text;
    xl_status status = make_sorts(b, j);
    for (int way = 0; way < WAYS && status == XL_SUCCESS; ++way) {
        grid.algorithm = way == BITONIC ? XL_GRID_BITONIC : XL_GRID_COUNTING;
        status = xl_grid_create(b->ctx, &grid, &j->grids[way]);
    }
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &j->index);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(b->ctx, &search, &j->search);
    if (status == XL_SUCCESS)
        status = xl_program_create(b->ctx, forces_text, NULL, &j->program);
    cl_int code = CL_SUCCESS;
    if (status == XL_SUCCESS)
        j->kernel = clCreateKernel(j->program, "forces", &code);
    return code == CL_SUCCESS ? status : XL_ERROR_OPENCL;
}

static bool make_buffers(bench *b, job *j)
{
    size_t storage[WAYS], alignment;
    for (int way = 0; way < WAYS; ++way)
        if (xl_grid_scratch(j->grids[way], j->n, &storage[way], &alignment) != XL_SUCCESS)
            return false;
    j->mem[POINTS] = bench_buffer(b, 12 * j->n, j->points);
    j->mem[STORAGE] = bench_buffer(b, storage[0] > storage[1] ? storage[0] : storage[1], NULL);
    j->mem[DENSITY] = bench_buffer(b, 4 * j->n, NULL);
    j->mem[VELOCITY] = bench_buffer(b, 16 * j->n, j->velocities);
    j->mem[FORCES] = bench_buffer(b, 16 * j->n, NULL);
    j->mem[KEYS] = bench_buffer(b, 4 * j->n, j->keys);
    j->mem[SORTED] = bench_buffer(b, 4 * j->n, NULL);
    j->mem[ORDER] = bench_buffer(b, 4 * j->n, NULL);
    for (int i = 0; i < BUFFERS; ++i)
        if (!j->mem[i])
            return false;
    return true;
}

static void time_all(bench *b, job *j)
{
    const double n = (double)j->n;
    const struct {
        const char *variant;
        bench_enqueue *enqueue;
        double bytes;
    } cases[] = {
        {"stages (sort alone, bitonic)", sort_bitonic, 12 * n},
        {"stages (sort alone, radix)", sort_radix, 12 * n},
        {"stages (build, bitonic)", build_bitonic, 28 * n},
        {"stages (build, counting)", build_counting, 28 * n},
        {"stages (density)", density, 20 * n},
        {"stages (forces)", forces, 52 * n},
        {"build and density (bitonic)", both_bitonic, 48 * n},
        {"build and density (counting)", both_counting, 48 * n},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        if (cases[k].enqueue == sort_radix && !j->sorts[OTHER])
            continue;
        if (bench_case(b, "step", cases[k].variant, j->n, cases[k].bytes, cases[k].enqueue, j) !=
            XL_SUCCESS)
            return;
    }
}

static void end_job(job *j)
{
    for (int i = 0; i < BUFFERS; ++i)
        if (j->mem[i])
            clReleaseMemObject(j->mem[i]);
    if (j->kernel)
        clReleaseKernel(j->kernel);
    if (j->program)
        clReleaseProgram(j->program);
    xl_neighbors_destroy(j->search);
    xl_grid_index_destroy(j->index);
    for (int way = 0; way < WAYS; ++way) {
        xl_grid_destroy(j->grids[way]);
        xl_sort_destroy(j->sorts[way]);
    }
    free(j->points);
    free(j->velocities);
    free(j->keys);
}

static void run(bench *b, size_t n)
{
    job j = {.n = n};
    const char *why = NULL;
    xl_status status = make_particles(&j) ? make_plans(b, &j) : XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS)
        status = make_buffers(b, &j) ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
    if (status == XL_SUCCESS)
        why = fault_of(b, &j);
    if (status != XL_SUCCESS)
        bench_failed(b, "step", "uniform", n, status);
    else if (why)
        bench_wrong(b, "step", "uniform", n, why);
    else
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

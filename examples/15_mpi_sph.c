/* SPDX-License-Identifier: MIT
 * Problem: a column of water falls into a tank, as in 12_sph.c, on any number of MPI ranks. Each rank
 * owns the particles of an interval of a space-filling curve and receives ghosts of the particles near
 * its own. Every sum over neighbours has the same bits for any number of ranks, so a run may continue
 * on another number of ranks as if nothing had happened:
 *
 *     mpirun -n 4 example_15_mpi_sph --steps 100 --save half
 *     mpirun -n 3 example_15_mpi_sph --load half --steps 100 --save end
 *     mpirun -n 1 example_15_mpi_sph --steps 200 --save other       # end and other are equal
 *
 * Files have position and velocity of each particle in the order of the ids, 32 bytes each. Draws who
 * owns which particle if asked to. */
#include <crosslane/mpi.h>

#include "drawing.h"
#include "sph.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYERS = 2, STEPS_BETWEEN_BALANCES = 20 };

/* Densities of ghosts are wrong, because they lack neighbours: their owners compute them. */
static const char source[] =
    "#include <crosslane/neighbors.cl>\n"
    "#pragma OPENCL FP_CONTRACT OFF\n" SPH_KERNELS "/* From local particles to own ones. */\n"
    "__kernel void pick(uint n, __global const uint *places, uint places_at,\n"
    "                   __global const float *from, __global float *own)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i < n)\n"
    "        own[i] = from[places[places_at + i]];\n"
    "}\n"
    "\n"
    "__kernel void move(uint n, __global const uint *places, uint places_at,\n"
    "                   __constant water *w, float4 high,\n"
    "                   __global const float4 *acceleration, __global float4 *velocity,\n"
    "                   __global float4 *position)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const float4 a = acceleration[places[places_at + i]];\n"
    "    float4 v = velocity[i] + w->step * (a - (float4)(0, w->gravity, 0, 0));\n"
    "    float4 p = position[i] + w->step * v;\n"
    "    p.z -= high.z * floor(p.z / high.z);\n"
    "    const float4 inside = clamp(p, (float4)(0.0f), high);\n"
    "    velocity[i] = select(v, (float4)(0.0f), inside != p);\n"
    "    position[i] = inside;\n"
    "}\n";

typedef struct options {
    size_t side;
    unsigned steps;
    const char *load, *save, *png;
} options;

typedef struct vector {
    float x[4];
} vector;

typedef struct particle {
    vector position, velocity;
} particle;

/* A buffer that grows. */
typedef struct array {
    cl_mem mem;
    size_t element_bytes, capacity;
} array;

typedef struct tank {
    options o;
    double spacing;
    float upper[3]; /* of the water; walls are LAYERS beyond it along x and y */
    water w;
    uint64_t all; /* particles of all ranks */
    size_t n;     /* own particles: ids ascend */
    array ids, position, velocity, own_rho, owners;
    array moved_ids, moved_position, moved_velocity; /* while particles change ranks */
    size_t local; /* own particles and ghosts, in the order of the ids */
    array local_position, local_velocity, rho, acceleration;
    size_t num_walls;
    cl_mem walls, constants;
    xl_context *ctx;
    cl_command_queue queue;
    xl_mpi *mpi;
    xl_plan *grid, *by_id;
    xl_mpi_plan *in_order;
    xl_mpi_exchange *halo;
    xl_grid_index *fluid_index, *walls_index;
    cl_program program;
    cl_kernel density, forces, pick, move;
} tank;

#define TRY(call)                                                                                  \
    if ((status = (call)) != XL_SUCCESS)                                                           \
    goto done

/* ---- the tank at first -------------------------------------------------------------------- */

static void center_of(const tank *t, long x, long y, long z, vector *v)
{
    const long cell[3] = {x, y, z};
    for (int a = 0; a < 3; ++a)
        v->x[a] = (float)(((double)cell[a] + 0.5) * t->spacing);
}

/* The floor and both sides. Every rank has all of them. `to` may be NULL. */
static size_t make_walls(const tank *t, long wide, long tall, long deep, vector *to)
{
    size_t n = 0;
    for (long z = 0; z < deep; ++z)
        for (long y = -LAYERS; y < tall; ++y)
            for (long x = -LAYERS; x < wide + LAYERS; ++x) {
                if (y >= 0 && x >= 0 && x < wide)
                    continue;
                if (to)
                    center_of(t, x, y, z, &to[n]);
                ++n;
            }
    return n;
}

static size_t part_begin(const tank *t, int rank)
{
    return (size_t)(t->all * (uint64_t)rank / (uint64_t)xl_mpi_size(t->mpi));
}

/* This rank's part of the column, in the order of the ids. */
static void make_column(const tank *t, long wide, long tall, particle *to)
{
    const size_t first = part_begin(t, xl_mpi_rank(t->mpi));
    memset(to, 0, t->n * sizeof *to);
    for (size_t i = 0; i < t->n; ++i) {
        const long id = (long)(first + i);
        center_of(t, id % wide, id / wide % tall, id / wide / tall, &to[i].position);
    }
}

static xl_status fail(const tank *t, const char *what)
{
    fprintf(stderr, "rank %d: %s\n", xl_mpi_rank(t->mpi), what);
    return XL_ERROR_INVALID_ARGUMENT;
}

/* Reads or writes this rank's part of a file: particles `first` to `first` + n - 1. */
static xl_status part_of_file(const tank *t, const char *path, bool writes, size_t first, size_t n,
                              particle *part)
{
    MPI_File file;
    const int mode = writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    const MPI_Offset at = (MPI_Offset)(first * sizeof *part);
    MPI_Status done;
    int bytes = 0;
    MPI_Offset size = 0;
    const MPI_Offset whole = (MPI_Offset)(t->all * sizeof *part);
    if (MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
        return fail(t, "the file cannot be opened");
    if (writes)
        MPI_File_set_size(file, whole);
    MPI_File_get_size(file, &size);
    if (size != whole) {
        MPI_File_close(&file);
        return fail(t, "the file is of another number of particles");
    }
    if (writes)
        MPI_File_write_at_all(file, at, part, (int)(n * sizeof *part), MPI_BYTE, &done);
    else
        MPI_File_read_at_all(file, at, part, (int)(n * sizeof *part), MPI_BYTE, &done);
    MPI_Get_count(&done, MPI_BYTE, &bytes);
    MPI_File_close(&file);
    return (size_t)bytes == n * sizeof *part ? XL_SUCCESS : fail(t, "the file is too short");
}

/* ---- arrays on the device ------------------------------------------------------------------ */

static xl_status of_opencl(cl_int code)
{
    return code == CL_SUCCESS ? XL_SUCCESS : XL_ERROR_OPENCL;
}

/* Makes room for n elements, and forgets the old ones. */
static xl_status reserve(const tank *t, array *a, size_t n)
{
    cl_int code = CL_SUCCESS;
    if (a->mem && n <= a->capacity)
        return XL_SUCCESS;
    if (a->mem)
        clReleaseMemObject(a->mem);
    a->capacity = n + n / 4 + 1;
    a->mem = clCreateBuffer(xl_context_cl(t->ctx), CL_MEM_READ_WRITE,
                            a->capacity * a->element_bytes, NULL, &code);
    return code == CL_SUCCESS ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
}

static xl_status put(const tank *t, array *a, size_t n, const void *from)
{
    const xl_status status = reserve(t, a, n);
    if (status != XL_SUCCESS || n == 0)
        return status;
    return of_opencl(clEnqueueWriteBuffer(t->queue, a->mem, CL_TRUE, 0, n * a->element_bytes, from,
                                          0, NULL, NULL));
}

static xl_status get(const tank *t, const array *a, size_t n, void *to)
{
    if (n == 0)
        return XL_SUCCESS;
    return of_opencl(
        clEnqueueReadBuffer(t->queue, a->mem, CL_TRUE, 0, n * a->element_bytes, to, 0, NULL, NULL));
}

static xl_view all_of(const array *a)
{
    return xl_view_of(a->mem, 0);
}

/* Own particles from host memory; ids count from `first`. */
static xl_status put_particles(tank *t, size_t first, const particle *from)
{
    uint64_t *const ids = malloc((t->n + 1) * sizeof *ids);
    vector *const parts = malloc((2 * t->n + 1) * sizeof *parts);
    xl_status status = ids && parts ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; status == XL_SUCCESS && i < t->n; ++i) {
        ids[i] = first + i;
        parts[i] = from[i].position;
        parts[t->n + i] = from[i].velocity;
    }
    if (status == XL_SUCCESS)
        status = put(t, &t->ids, t->n, ids);
    if (status == XL_SUCCESS)
        status = put(t, &t->position, t->n, parts);
    if (status == XL_SUCCESS)
        status = put(t, &t->velocity, t->n, parts + t->n);
    free(ids);
    free(parts);
    return status;
}

/* ---- creation ------------------------------------------------------------------------------ */

static xl_space space_of(const tank *t)
{
    xl_space space = {
        .dimensions = 3, .scalar = XL_F32, .bounds = XL_BOUNDS_GIVEN, .periodic = 1u << 2};
    for (int a = 0; a < 3; ++a) {
        const double edge = a < 2 ? LAYERS * t->spacing : 0;
        space.origin[a] = -edge;
        space.cell[a][a] = (double)t->upper[a] + 2 * edge;
    }
    return space;
}

/* The core library's plans. All ranks call it in turn: the first one of a node compiles. */
static xl_status make_plans(void *user)
{
    tank *const t = user;
    xl_grid_desc grid;
    xl_sort_desc sort;
    xl_grid_desc_init(&grid);
    grid.cell_size = (double)t->w.h;
    grid.stride = 4;
    grid.space = space_of(t);
    xl_sort_desc_init(&sort);
    sort.key = XL_U64;
    sort.value = sort.more_values[0] = XL_BYTES(sizeof(vector));
    xl_status status = xl_grid_create(t->ctx, &grid, &t->grid);
    if (status == XL_SUCCESS)
        status = xl_sort_create(t->ctx, &sort, &t->by_id);
    if (status == XL_SUCCESS)
        status = xl_program_create(t->ctx, source, NULL, &t->program);
    return status;
}

static xl_status make_kernels(tank *t)
{
    t->density = clCreateKernel(t->program, "density", NULL);
    t->forces = clCreateKernel(t->program, "forces", NULL);
    t->pick = clCreateKernel(t->program, "pick", NULL);
    t->move = clCreateKernel(t->program, "move", NULL);
    return t->density && t->forces && t->pick && t->move ? XL_SUCCESS : XL_ERROR_OPENCL;
}

static xl_status build(const tank *t, xl_grid_index *index, size_t n, cl_mem points)
{
    const xl_grid_build_args args = {.n = n, .points = xl_view_of(points, 0)};
    return xl_grid_build_enqueue(t->grid, index, t->queue, &args, 0, NULL, NULL);
}

static xl_status put_walls(tank *t, long room, long tall, long deep)
{
    array walls = {.element_bytes = sizeof(vector)}, constants = {.element_bytes = sizeof t->w};
    xl_status status;
    t->num_walls = make_walls(t, room, tall, deep, NULL);
    vector *const at = calloc(t->num_walls, sizeof *at);
    if (!at)
        return XL_ERROR_OUT_OF_MEMORY;
    (void)make_walls(t, room, tall, deep, at);
    TRY(put(t, &walls, t->num_walls, at));
    TRY(put(t, &constants, 1, &t->w));
    TRY(build(t, t->walls_index, t->num_walls, walls.mem));
done:
    t->walls = walls.mem;
    t->constants = constants.mem;
    free(at);
    return status;
}

static xl_status make(tank *t)
{
    const long tall = (long)t->o.side, wide = tall / 2, deep = tall / 4 > 4 ? tall / 4 : 4;
    const long room = 4 * wide;
    const double high[3] = {(double)room, 2 * (double)tall, (double)deep};
    xl_status status;
    particle *part = NULL;
    xl_sort_desc sort;
    t->spacing = 1.0 / (double)tall;
    for (int a = 0; a < 3; ++a)
        t->upper[a] = (float)(t->spacing * high[a]);
    t->w = water_of(t->spacing);
    t->all = (uint64_t)(tall * wide * deep);
    const size_t first = part_begin(t, xl_mpi_rank(t->mpi));
    t->n = part_begin(t, xl_mpi_rank(t->mpi) + 1) - first;
    part = malloc((t->n + 1) * sizeof *part);
    if (!part)
        return XL_ERROR_OUT_OF_MEMORY;
    TRY(xl_mpi_in_turn(t->mpi, make_plans, t));
    TRY(make_kernels(t));
    TRY(xl_grid_index_create(t->ctx, &t->fluid_index));
    TRY(xl_grid_index_create(t->ctx, &t->walls_index));
    xl_sort_desc_init(&sort);
    sort.key = XL_U64;
    sort.value = sort.more_values[0] = XL_BYTES(sizeof(vector));
    TRY(xl_mpi_sort_create(t->mpi, &sort, XL_MPI_EVEN, &t->in_order));
    TRY(put_walls(t, room, 2 * tall, deep));
    make_column(t, wide, tall, part);
    if (t->o.load)
        TRY(part_of_file(t, t->o.load, false, first, t->n, part));
    TRY(put_particles(t, first, part));
done:
    free(part);
    return status;
}

/* ---- a step -------------------------------------------------------------------------------- */

static void swap(array *a, array *b)
{
    const array kept = *a;
    *a = *b;
    *b = kept;
}

/* Gives each rank an equal share of the particles, near to each other, in the order of the ids. */
static xl_status balance(tank *t)
{
    const xl_space space = space_of(t);
    xl_mpi_exchange *moves = NULL;
    xl_status status;
    TRY(reserve(t, &t->owners, t->n));
    const xl_view owners = all_of(&t->owners);
    const xl_mpi_balance_args shares = {
        .space = &space, .stride = 4, .n = t->n, .points = all_of(&t->position), .owners = owners};
    TRY(xl_mpi_balance(t->mpi, t->queue, &shares, 0, NULL));
    TRY(xl_mpi_exchange_by_owner(t->mpi, t->queue, t->n, owners, 0, NULL, &moves));
    t->n = xl_mpi_exchange_num_out(moves);
    TRY(reserve(t, &t->moved_ids, t->n));
    TRY(reserve(t, &t->moved_position, t->n));
    TRY(reserve(t, &t->moved_velocity, t->n));
    const xl_mpi_field fields[] = {
        {sizeof(uint64_t), all_of(&t->ids), all_of(&t->moved_ids)},
        {sizeof(vector), all_of(&t->position), all_of(&t->moved_position)},
        {sizeof(vector), all_of(&t->velocity), all_of(&t->moved_velocity)}};
    TRY(xl_mpi_gather(moves, t->queue, 3, fields, 0, NULL, NULL));
    swap(&t->ids, &t->moved_ids);
    swap(&t->position, &t->moved_position);
    swap(&t->velocity, &t->moved_velocity);
    const xl_sort_args order = {.n = t->n,
                                .keys_in = all_of(&t->ids),
                                .keys_out = all_of(&t->ids),
                                .values_in = all_of(&t->position),
                                .values_out = all_of(&t->position),
                                .more_values_in = {all_of(&t->velocity)},
                                .more_values_out = {all_of(&t->velocity)}};
    TRY(xl_sort_enqueue(t->by_id, t->queue, &order, 0, NULL, NULL));
done:
    xl_mpi_exchange_destroy(moves);
    return status;
}

/* Positions and velocities of own particles and ghosts. */
static xl_status exchange(tank *t)
{
    const xl_space space = space_of(t);
    const xl_mpi_halo_args args = {.space = &space,
                                   .stride = 4,
                                   .order = XL_MPI_BY_ID,
                                   .radius = (double)t->w.h,
                                   .n = t->n,
                                   .points = all_of(&t->position),
                                   .ids = all_of(&t->ids)};
    xl_status status;
    xl_mpi_exchange_destroy(t->halo);
    t->halo = NULL;
    TRY(xl_mpi_exchange_halo(t->mpi, t->queue, &args, 0, NULL, &t->halo));
    t->local = xl_mpi_exchange_num_out(t->halo);
    TRY(reserve(t, &t->local_position, t->local));
    TRY(reserve(t, &t->local_velocity, t->local));
    TRY(reserve(t, &t->rho, t->local));
    TRY(reserve(t, &t->acceleration, t->local));
    TRY(reserve(t, &t->own_rho, t->n));
    const xl_mpi_field fields[] = {
        {sizeof(vector), all_of(&t->position), all_of(&t->local_position)},
        {sizeof(vector), all_of(&t->velocity), all_of(&t->local_velocity)}};
    TRY(xl_mpi_gather(t->halo, t->queue, 2, fields, 0, NULL, NULL));
    TRY(build(t, t->fluid_index, t->local, t->local_position.mem));
done:
    return status;
}

static void set_mem(cl_kernel kernel, cl_uint at, const cl_mem *mem)
{
    clSetKernelArg(kernel, at, sizeof *mem, mem);
}

/* In work-groups of one size, because PoCL compiles a kernel again for each other size. */
static xl_status launch(const tank *t, cl_kernel kernel, size_t n)
{
    const size_t group = 64, items = (n + group - 1) / group * group;
    if (n == 0)
        return XL_SUCCESS;
    return of_opencl(
        clEnqueueNDRangeKernel(t->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
}

/* A kernel over all local particles, with both indices and then `count` buffers. */
static xl_status over_neighbors(const tank *t, cl_kernel kernel, const cl_mem *const *buffers,
                                cl_uint count)
{
    xl_neighbors_kernel_args args = {.kernel = kernel, .radius = (double)t->w.h};
    cl_uint next = 0;
    xl_status status;
    TRY(xl_grid_index_set_kernel_args(t->fluid_index, &args, &args.first));
    TRY(xl_grid_index_set_kernel_args(t->walls_index, &args, &next));
    for (cl_uint k = 0; k < count; ++k)
        set_mem(kernel, next + k, buffers[k]);
    TRY(launch(t, kernel, t->local));
done:
    return status;
}

/* The number of own particles, and their places among the local ones. */
static void set_places(const tank *t, cl_kernel kernel)
{
    const xl_view places = xl_mpi_exchange_places(t->halo);
    const cl_uint n = (cl_uint)t->n, at = (cl_uint)places.offset;
    clSetKernelArg(kernel, 0, sizeof n, &n);
    set_mem(kernel, 1, &places.buffer);
    clSetKernelArg(kernel, 2, sizeof at, &at);
}

/* Densities of own particles by their owners, then those of ghosts by messages. */
static xl_status find_forces(tank *t)
{
    const cl_mem *const of_density[] = {&t->constants, &t->rho.mem};
    const cl_mem *const of_forces[] = {&t->constants, &t->rho.mem, &t->local_velocity.mem,
                                       &t->acceleration.mem};
    const xl_mpi_field rho = {sizeof(float), all_of(&t->own_rho), all_of(&t->rho)};
    xl_status status;
    TRY(over_neighbors(t, t->density, of_density, 2));
    set_places(t, t->pick);
    set_mem(t->pick, 3, &t->rho.mem);
    set_mem(t->pick, 4, &t->own_rho.mem);
    TRY(launch(t, t->pick, t->n));
    TRY(xl_mpi_gather(t->halo, t->queue, 1, &rho, 0, NULL, NULL));
    TRY(over_neighbors(t, t->forces, of_forces, 4));
done:
    return status;
}

static xl_status move_particles(const tank *t)
{
    const float high[4] = {t->upper[0], t->upper[1], t->upper[2], 0};
    set_places(t, t->move);
    set_mem(t->move, 3, &t->constants);
    clSetKernelArg(t->move, 4, sizeof high, high);
    set_mem(t->move, 5, &t->acceleration.mem);
    set_mem(t->move, 6, &t->velocity.mem);
    set_mem(t->move, 7, &t->position.mem);
    return launch(t, t->move, t->n);
}

static xl_status step(tank *t, unsigned number)
{
    xl_status status;
    if (number % STEPS_BETWEEN_BALANCES == 0)
        TRY(balance(t));
    TRY(exchange(t));
    TRY(find_forces(t));
    TRY(move_particles(t));
done:
    return status;
}

/* ---- results ------------------------------------------------------------------------------- */

/* Particles on the host, those of each rank in the order of the ids of all. */
static xl_status in_order(tank *t, particle **out, size_t *first, size_t *n)
{
    vector *parts = NULL;
    xl_status status;
    *first = part_begin(t, xl_mpi_rank(t->mpi));
    *out = NULL;
    TRY(xl_mpi_sort_count(t->in_order, t->n, n));
    TRY(reserve(t, &t->moved_ids, *n));
    TRY(reserve(t, &t->moved_position, *n));
    TRY(reserve(t, &t->moved_velocity, *n));
    const xl_sort_args args = {.n = t->n,
                               .keys_in = all_of(&t->ids),
                               .keys_out = all_of(&t->moved_ids),
                               .values_in = all_of(&t->position),
                               .values_out = all_of(&t->moved_position),
                               .more_values_in = {all_of(&t->velocity)},
                               .more_values_out = {all_of(&t->moved_velocity)}};
    TRY(xl_mpi_sort(t->in_order, t->queue, &args, 0, NULL, NULL));
    *out = malloc((*n + 1) * sizeof **out);
    parts = malloc((2 * *n + 1) * sizeof *parts);
    TRY(*out && parts ? XL_SUCCESS : XL_ERROR_OUT_OF_MEMORY);
    TRY(get(t, &t->moved_position, *n, parts));
    TRY(get(t, &t->moved_velocity, *n, parts + *n));
    for (size_t i = 0; i < *n; ++i)
        (*out)[i] = (particle){parts[i], parts[*n + i]};
done:
    free(parts);
    return status;
}

/* A picture by rank 0 of all particles, coloured by the rank that owns them. */
static xl_status draw(tank *t)
{
    const picture_settings set = {.saturated = 0, .spacing = t->spacing, .title = "RANK"};
    const int size = xl_mpi_size(t->mpi), mine = (int)(3 * t->n);
    int *const counts = calloc((size_t)size + 1, sizeof *counts), *const at = calloc(
                                                                      (size_t)size + 1, sizeof *at);
    vector *const own = malloc((t->n + 1) * sizeof *own);
    float *const flat = malloc((3 * t->n + 1) * sizeof *flat);
    float *const xyz = malloc((size_t)(3 * t->all + 1) * sizeof *xyz);
    float *const ranks = malloc((size_t)(t->all + 1) * sizeof *ranks);
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    if (!counts || !at || !own || !flat || !xyz || !ranks)
        goto done;
    TRY(get(t, &t->position, t->n, own));
    for (size_t i = 0; i < t->n; ++i)
        memcpy(flat + 3 * i, own[i].x, 3 * sizeof *flat);
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r)
        at[r + 1] = at[r] + counts[r];
    MPI_Gatherv(flat, mine, MPI_FLOAT, xyz, counts, at, MPI_FLOAT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r)
        for (int i = at[r] / 3; i < at[r + 1] / 3; ++i)
            ranks[i] = (float)r;
    if (xl_mpi_rank(t->mpi) == 0 && !picture_write(t->o.png, xyz, ranks, (size_t)t->all, &set))
        status = fail(t, "the picture cannot be written");
done:
    free(counts);
    free(at);
    free(own);
    free(flat);
    free(xyz);
    free(ranks);
    return status;
}

static xl_status run(tank *t)
{
    particle *part = NULL;
    size_t first, n;
    xl_status status;
    const double began = MPI_Wtime();
    for (unsigned k = 0; k < t->o.steps; ++k)
        TRY(step(t, k));
    clFinish(t->queue);
    const double seconds = (MPI_Wtime() - began) / t->o.steps;
    printf("rank %d: %zu particles, %zu ghosts, %.2f ms a step\n", xl_mpi_rank(t->mpi), t->n,
           t->local - t->n, 1e3 * seconds);
    if (t->o.png)
        TRY(xl_mpi_agree(t->mpi, draw(t), "the picture"));
    if (t->o.save) {
        TRY(in_order(t, &part, &first, &n));
        TRY(xl_mpi_agree(t->mpi, part_of_file(t, t->o.save, true, first, n, part), "the file"));
    }
done:
    free(part);
    return status;
}

static void end(tank *t)
{
    array *const arrays[] = {&t->ids,
                             &t->position,
                             &t->velocity,
                             &t->own_rho,
                             &t->owners,
                             &t->moved_ids,
                             &t->moved_position,
                             &t->moved_velocity,
                             &t->local_position,
                             &t->local_velocity,
                             &t->rho,
                             &t->acceleration};
    const cl_kernel kernels[] = {t->density, t->forces, t->pick, t->move};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        if (arrays[k]->mem)
            clReleaseMemObject(arrays[k]->mem);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k)
        if (kernels[k])
            clReleaseKernel(kernels[k]);
    if (t->walls)
        clReleaseMemObject(t->walls);
    if (t->constants)
        clReleaseMemObject(t->constants);
    if (t->program)
        clReleaseProgram(t->program);
    xl_mpi_exchange_destroy(t->halo);
    xl_mpi_plan_destroy(t->in_order);
    xl_grid_index_destroy(t->fluid_index);
    xl_grid_index_destroy(t->walls_index);
    xl_plan_destroy(t->grid);
    xl_plan_destroy(t->by_id);
    xl_mpi_destroy(t->mpi);
    xl_context_destroy(t->ctx);
}

static bool number(const char *text, unsigned long low, unsigned long high, unsigned long *value)
{
    char *last = NULL;
    *value = text ? strtoul(text, &last, 10) : 0;
    return last && last != text && !*last && *value >= low && *value <= high;
}

static bool parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i += 2) {
        const char *const next = i + 1 < argc ? argv[i + 1] : NULL;
        unsigned long value;
        if (!next)
            return false;
        if (strcmp(argv[i], "--n-side") == 0 && number(next, 8, 800, &value))
            o->side = value;
        else if (strcmp(argv[i], "--steps") == 0 && number(next, 1, 10000000, &value))
            o->steps = (unsigned)value;
        else if (strcmp(argv[i], "--load") == 0)
            o->load = next;
        else if (strcmp(argv[i], "--save") == 0)
            o->save = next;
        else if (strcmp(argv[i], "--png") == 0)
            o->png = next;
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    tank t = {.o = {.side = 32, .steps = 200}};
    array *const vectors[] = {&t.position,       &t.velocity,       &t.moved_position,
                              &t.moved_velocity, &t.local_position, &t.local_velocity,
                              &t.acceleration};
    xl_status status;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        vectors[k]->element_bytes = sizeof(vector);
    t.ids.element_bytes = t.moved_ids.element_bytes = sizeof(uint64_t);
    t.rho.element_bytes = t.own_rho.element_bytes = sizeof(float);
    t.owners.element_bytes = sizeof(uint32_t);
    MPI_Init(&argc, &argv);
    if (!parse(argc, argv, &t.o)) {
        fprintf(
            stderr,
            "Usage: mpirun -n RANKS %s [--n-side N] [--steps S] [--load FILE] [--save FILE] "
            "[--png FILE]\nN particles high, 8 to 800 (32), half as wide and a quarter as deep; S "
            "steps (200).\n",
            argv[0]);
        MPI_Finalize();
        return 2;
    }
    status = xl_mpi_context_create(MPI_COMM_WORLD, NULL, &t.ctx);
    if (status != XL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xl_status_name(status), xl_context_error(NULL));
        MPI_Finalize();
        return 1;
    }
    t.queue = xl_context_queue(t.ctx);
    TRY(xl_mpi_create(t.ctx, MPI_COMM_WORLD, NULL, &t.mpi));
    TRY(make(&t));
    TRY(run(&t));
done:
    if (status != XL_SUCCESS) {
        fprintf(stderr, "%s: %s %s\n", xl_status_name(status), xl_mpi_error(t.mpi),
                xl_context_error(t.ctx));
        MPI_Abort(MPI_COMM_WORLD, 1); /* the other ranks may be waiting for this one */
    }
    end(&t);
    MPI_Finalize();
    return 0;
}

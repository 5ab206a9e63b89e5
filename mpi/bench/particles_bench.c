/* SPDX-License-Identifier: MIT
 * usage: mpirun -n RANKS mpi_particles_bench [PARTICLES_PER_RANK [ROUNDS [address]]]
 *
 * Times the work of a particle code across ranks, on random particles with 33 neighbours each: balance,
 * migration and halo, and a step: positions of ghosts, grid, densities of own particles, densities of
 * ghosts, forces. A time is the median of the rounds, of the slowest rank in each. `messages alone` are
 * the bytes of the ghosts' positions from host to host, by MPI_Alltoall(). Each result is checked: the
 * forces of all particles add up to nearly nothing, since those of a pair are opposite. `address`: MPI uses
 * the device's memory, which must be the host's. */
#include "message_buffer.h"
#include <crosslane/mpi.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char visit[] =
    "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
    "{\n"
    "    const float d = params.x - distance2;\n"
    "    return sum + d * d * d;\n"
    "}\n";
static const char source[] =
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void forces(XL_NEIGHBORS_PARAMETERS(points), uint own, __global const float "
    "*density,\n"
    "                     __global float4 *force)\n"
    "{\n"
    "    const xl_neighbors points = XL_NEIGHBORS_LOAD(points);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&points))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&points, k);\n"
    "    if (near.self >= own)\n"
    "        return;\n"
    "    float4 sum = (float4)(0.0f);\n"
    "    XL_FOR_NEIGHBORS(near, points)\n"
    "    sum += near.vector * (density[near.self] + density[near.index]);\n"
    "    force[near.self] = sum;\n"
    "}\n";

enum {
    BALANCE,
    MIGRATION,
    HALO,
    POSITIONS_BEGIN,
    POSITIONS_END,
    GRID,
    DENSITIES,
    DENSITIES_OF_GHOSTS,
    FORCES,
    STEP,
    MESSAGES,
    STAGES,
    MOST_ROUNDS = 100
};
static const char *const names[STAGES] = {"balance",
                                          "migration",
                                          "halo",
                                          "positions of ghosts: pack, start",
                                          "positions of ghosts: wait, unpack",
                                          "grid",
                                          "densities",
                                          "densities of ghosts",
                                          "forces",
                                          "step: the six before",
                                          "messages alone"};

static int rank, size;
static size_t given, room, own, local; /* particles: at first, most, now, now with ghosts */
static double radius, last, times[STAGES][MOST_ROUNDS];
static float *start;
static xl_context *ctx;
static cl_command_queue queue;
static xl_mpi *mpi;
static xl_space space;
static xl_plan *grid, *search;
static xl_grid_index *index_of;
static cl_program program;
static cl_kernel forces;
static cl_mem points, owners, own_points, local_points, density, local_density, force;
static xl_mpi_exchange *moves, *halo;

static void require(bool right, const char *text)
{
    if (right)
        return;
    fprintf(stderr, "rank %d: %s failed: %s %s\n", rank, text, xl_mpi_error(mpi),
            xl_context_error(ctx));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define DO(call) require((call) == XL_SUCCESS, #call)

/* ---- measurement ------------------------------------------------------------------------------ */

static void begin(void)
{
    require(clFinish(queue) == CL_SUCCESS, "clFinish");
    MPI_Barrier(MPI_COMM_WORLD);
    last = MPI_Wtime();
}

/* Ends a stage; the next one begins at the same time on all ranks. Round -1 warms up. */
static void end(int stage, int round)
{
    require(clFinish(queue) == CL_SUCCESS, "clFinish");
    double time = MPI_Wtime() - last;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round >= 0)
        times[stage][round] = time;
    begin();
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(int stage, int rounds)
{
    qsort(times[stage], (size_t)rounds, sizeof(double), compare);
    return times[stage][rounds / 2];
}

/* ---- stages ----------------------------------------------------------------------------------- */

static void migrate(int round)
{
    const xl_view in = xl_view_of(points, 0), to = xl_view_of(owners, 0);
    const xl_mpi_balance_args shares = {.space = &space, .n = given, .points = in, .owners = to};
    xl_mpi_field field = {12, in, xl_view_of(own_points, 0)};
    begin();
    DO(xl_mpi_balance(mpi, queue, &shares, 0, NULL));
    end(BALANCE, round);
    xl_mpi_exchange_destroy(moves);
    DO(xl_mpi_exchange_by_owner(mpi, queue, given, to, 0, NULL, &moves));
    own = xl_mpi_exchange_num_out(moves);
    require(own <= room, "room for own particles");
    DO(xl_mpi_gather(moves, queue, 1, &field, 0, NULL, NULL));
    end(MIGRATION, round);
}

static void find_ghosts(int round)
{
    const xl_mpi_halo_args args = {.space = &space,
                                   .order = XL_MPI_OWNED_FIRST,
                                   .radius = radius,
                                   .n = own,
                                   .points = xl_view_of(own_points, 0)};
    xl_mpi_exchange_destroy(halo);
    begin();
    DO(xl_mpi_exchange_halo(mpi, queue, &args, 0, NULL, &halo));
    end(HALO, round);
    local = xl_mpi_exchange_num_out(halo);
    require(local <= room, "room for ghosts");
}

static void launch_forces(void)
{
    const xl_neighbors_kernel_args args = {.kernel = forces, .radius = radius};
    const size_t group = 64, items = (local + group - 1) / group * group;
    const cl_uint count = (cl_uint)own;
    cl_uint next = 0;
    DO(xl_grid_index_set_kernel_args(index_of, &args, &next));
    clSetKernelArg(forces, next, sizeof count, &count);
    clSetKernelArg(forces, next + 1, sizeof local_density, &local_density);
    clSetKernelArg(forces, next + 2, sizeof force, &force);
    if (items > 0)
        require(clEnqueueNDRangeKernel(queue, forces, 1, NULL, &items, &group, 0, NULL, NULL) ==
                    CL_SUCCESS,
                "forces");
}

static void step(int round)
{
    const xl_mpi_field positions = {12, xl_view_of(own_points, 0), xl_view_of(local_points, 0)};
    const xl_mpi_field densities = {4, xl_view_of(density, 0), xl_view_of(local_density, 0)};
    begin();
    const double first = last;
    DO(xl_mpi_gather_begin(halo, queue, 1, &positions, 0, NULL));
    end(POSITIONS_BEGIN, round);
    DO(xl_mpi_gather_end(halo, NULL));
    end(POSITIONS_END, round);
    DO(xl_grid_build_enqueue(
        grid, index_of, queue,
        &(xl_grid_build_args){.n = local, .points = xl_view_of(local_points, 0)}, 0, NULL, NULL));
    end(GRID, round);
    if (own > 0)
        DO(xl_neighbors_enqueue(search, index_of, queue,
                                &(xl_neighbors_args){.num_rows = own,
                                                     .params = {radius * radius},
                                                     .sums = xl_view_of(density, 0)},
                                0, NULL, NULL));
    end(DENSITIES, round);
    DO(xl_mpi_gather(halo, queue, 1, &densities, 0, NULL, NULL));
    end(DENSITIES_OF_GHOSTS, round);
    launch_forces();
    end(FORCES, round);
    if (round >= 0)
        times[STEP][round] = last - first;
}

/* The bytes of the ghosts' positions, in equal parts to all other ranks. */
static void send_alone(int round)
{
    const size_t others = size > 1 ? (size_t)size - 1 : 1, bytes = (local - own) * 12 / others;
    unsigned long long most = bytes;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    char *const out = calloc((size_t)size, (size_t)most + 1), *const in = calloc((size_t)size,
                                                                                 (size_t)most + 1);
    require(out && in, "memory for messages");
    begin();
    MPI_Alltoall(out, (int)most, MPI_BYTE, in, (int)most, MPI_BYTE, MPI_COMM_WORLD);
    end(MESSAGES, round);
    free(out);
    free(in);
}

static void check(void)
{
    double sums[4] = {0, 0, 0, 0};
    float *const f = malloc(own * 16 + 1);
    require(f != NULL && (own == 0 || clEnqueueReadBuffer(queue, force, CL_TRUE, 0, own * 16, f, 0,
                                                          NULL, NULL) == CL_SUCCESS),
            "clEnqueueReadBuffer");
    for (size_t i = 0; i < own; ++i)
        for (size_t a = 0; a < 3; ++a) {
            sums[a] += (double)f[4 * i + a];
            sums[3] += fabs((double)f[4 * i + a]);
        }
    free(f);
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int a = 0; a < 3; ++a)
        require(fabs(sums[a]) < 1e-4 * sums[3], "the balance of forces");
}

/* ---- the particles ---------------------------------------------------------------------------- */

static cl_mem buffer(size_t bytes)
{
    const cl_mem mem = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, bytes, NULL, NULL);
    require(mem != NULL, "clCreateBuffer");
    return mem;
}

static void make_points(void)
{
    uint64_t state = 1 + (uint64_t)rank;
    start = malloc(12 * given + 1);
    require(start != NULL, "memory for particles");
    for (size_t i = 0; i < 3 * given; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        start[i] = (float)(state >> 40) * 0x1p-24f;
    }
    room = given * 2 + 100000;
    points = buffer(12 * given + 1);
    owners = buffer(4 * given + 1);
    own_points = buffer(12 * room);
    local_points = buffer(12 * room);
    density = buffer(4 * room);
    local_density = buffer(4 * room);
    force = buffer(16 * room);
    if (given > 0)
        require(clEnqueueWriteBuffer(queue, points, CL_TRUE, 0, 12 * given, start, 0, NULL, NULL) ==
                    CL_SUCCESS,
                "clEnqueueWriteBuffer");
    free(start);
}

static xl_status make_plans(void *unused)
{
    xl_grid_desc of_grid;
    xl_neighbors_desc of_search;
    (void)unused;
    xl_grid_desc_init(&of_grid);
    of_grid.cell_size = radius;
    of_grid.space = space;
    xl_status status = xl_grid_create(ctx, &of_grid, &grid);
    xl_neighbors_desc_init(&of_search);
    of_search.radius = radius;
    of_search.visit = visit;
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(grid, &of_search, &search);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(ctx, &index_of);
    return status == XL_SUCCESS ? xl_program_create(ctx, source, NULL, &program) : status;
}

static void create(int argc, char **argv)
{
    const double all = (double)given * size, pi = 3.14159265358979;
    DO(xl_mpi_context_create(MPI_COMM_WORLD, NULL, &ctx));
    queue = xl_context_queue(ctx);
    DO(create_mpi(ctx, argc, argv, &mpi));
    xl_grid_desc of_grid;
    xl_grid_desc_init(&of_grid);
    space = of_grid.space;
    space.bounds = XL_BOUNDS_GIVEN;
    space.periodic = 7;
    for (int a = 0; a < 3; ++a)
        space.cell[a][a] = 1;
    radius = cbrt(33 / (all * pi * 4 / 3));
    DO(xl_mpi_in_turn(mpi, make_plans, NULL));
    forces = clCreateKernel(program, "forces", NULL);
    require(forces != NULL, "clCreateKernel");
}

static void destroy(void)
{
    const cl_mem all[] = {points, owners, own_points, local_points, density, local_density, force};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        clReleaseMemObject(all[i]);
    clReleaseKernel(forces);
    clReleaseProgram(program);
    xl_mpi_exchange_destroy(moves);
    xl_mpi_exchange_destroy(halo);
    xl_plan_destroy(search);
    xl_grid_index_destroy(index_of);
    xl_plan_destroy(grid);
    xl_mpi_destroy(mpi);
    xl_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    given = argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t)1 << 17;
    int rounds = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 7;
    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    create(argc, argv);
    make_points();
    for (int round = -1; round < rounds; ++round) {
        migrate(round);
        find_ghosts(round);
        step(round);
        send_alone(round);
    }
    check();
    unsigned long long ghosts = local - own;
    char name[256] = "";
    MPI_Allreduce(MPI_IN_PLACE, &ghosts, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    clGetDeviceInfo(xl_context_device(ctx), CL_DEVICE_NAME, sizeof name, name, NULL);
    if (rank == 0)
        printf("%zu particles on each of %d ranks, %s; %.3f ghosts a particle\n", given, size, name,
               (double)ghosts / ((double)given * size));
    for (int stage = 0; stage < STAGES && rank == 0; ++stage)
        printf("%-36s %9.3f ms\n", names[stage], median(stage, rounds) * 1e3);
    destroy();
    MPI_Finalize();
    return 0;
}

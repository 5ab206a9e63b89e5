/* SPDX-License-Identifier: MIT
 * usage: mpirun -n RANKS mpi_sort_bench [KEYS_PER_RANK [ROUNDS [address]]]
 *
 * Times sorts of random i32 keys across ranks, each rank with as many keys after as before: xl_mpi_sort()
 * from device to device, the same with copies from and to the host, sc_psort() of libsc, and
 * PetscParallelSortInt(), the last two if they were found when this was configured. Then what every such
 * sort includes: each rank sorts its keys, copies them to the host and back, exchanges them by MPI_Alltoall().
 * A time is that of the slowest rank. The results of the sorts are checked. `address`: MPI uses the device's
 * memory, which must be the host's. */
#include "message_buffer.h"
#include <crosslane/mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_SC
#include <sc_sort.h>
#endif
#ifdef HAVE_PETSC
#include <petscis.h>
#endif

static size_t n;
static int rank, size;
static int32_t *given, *keys;
static xl_context *ctx;
static xl_mpi *mpi;
static xl_mpi_plan *plan;
static xl_plan *alone;
static cl_mem buffer,
    host_buffer; /* the second one in memory of the host that the driver allocated */
static int32_t *host, *received;

static void require(bool right, const char *text)
{
    if (right)
        return;
    fprintf(stderr, "rank %d: %s failed: %s\n", rank, text, xl_mpi_error(mpi));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- the sorts: from `keys` to `keys`; return the seconds of this rank ------------------------ */

static double sort_device_timed(bool copies)
{
    const cl_command_queue queue = xl_context_queue(ctx);
    const xl_view view = xl_view_of(buffer, 0);
    const xl_sort_args args = {.n = n, .keys_in = view, .keys_out = view};
    double begin = MPI_Wtime();
    require(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * 4, keys, 0, NULL, NULL) == 0,
            "clEnqueueWriteBuffer");
    MPI_Barrier(MPI_COMM_WORLD);
    begin = copies ? begin : MPI_Wtime();
    require(xl_mpi_sort(plan, queue, &args, 0, NULL, NULL) == XL_SUCCESS, "xl_mpi_sort");
    require(clFinish(queue) == CL_SUCCESS, "clFinish");
    double end = MPI_Wtime();
    require(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, n * 4, keys, 0, NULL, NULL) == 0,
            "clEnqueueReadBuffer");
    end = copies ? MPI_Wtime() : end;
    return end - begin;
}

static double sort_device(void)
{
    return sort_device_timed(false);
}

static double sort_with_copies(void)
{
    return sort_device_timed(true);
}

#ifdef HAVE_SC
static int compare_keys(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static double sort_sc(void)
{
    size_t *const counts = malloc((size_t)size * sizeof *counts);
    for (int r = 0; r < size; ++r)
        counts[r] = n;
    const double begin = MPI_Wtime();
    sc_psort(MPI_COMM_WORLD, keys, counts, sizeof *keys, compare_keys);
    const double end = MPI_Wtime();
    free(counts);
    return end - begin;
}
#endif

#ifdef HAVE_PETSC
static MPI_Comm petsc_comm; /* PETSc requires one that it has duplicated */

static double sort_petsc(void)
{
    PetscLayout layout;
    PetscInt *const in = (PetscInt *)malloc(n * sizeof *in), *const out = (PetscInt *)malloc(
                                                                 n * sizeof *out);
    for (size_t i = 0; i < n; ++i)
        in[i] = keys[i];
    PetscLayoutCreate(petsc_comm, &layout);
    PetscLayoutSetLocalSize(layout, (PetscInt)n);
    PetscLayoutSetUp(layout);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    require(PetscParallelSortInt(layout, layout, in, out) == 0, "PetscParallelSortInt");
    const double end = MPI_Wtime();
    for (size_t i = 0; i < n; ++i)
        keys[i] = (int32_t)out[i];
    PetscLayoutDestroy(&layout);
    free(in);
    free(out);
    return end - begin;
}
#endif

/* ---- parts of a sort -------------------------------------------------------------------------- */

static double sort_rank(void)
{
    const cl_command_queue queue = xl_context_queue(ctx);
    const xl_view view = xl_view_of(buffer, 0);
    const xl_sort_args args = {.n = n, .keys_in = view, .keys_out = view};
    require(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * 4, keys, 0, NULL, NULL) == 0,
            "clEnqueueWriteBuffer");
    const double begin = MPI_Wtime();
    require(xl_sort_enqueue(alone, queue, &args, 0, NULL, NULL) == XL_SUCCESS, "xl_sort_enqueue");
    require(clFinish(queue) == CL_SUCCESS, "clFinish");
    return MPI_Wtime() - begin;
}

static double copy_keys(void)
{
    const cl_command_queue queue = xl_context_queue(ctx);
    const double begin = MPI_Wtime();
    require(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, n * 4, host, 0, NULL, NULL) == 0,
            "clEnqueueReadBuffer");
    require(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, n * 4, host, 0, NULL, NULL) == 0,
            "clEnqueueWriteBuffer");
    return MPI_Wtime() - begin;
}

static double send_keys(void)
{
    const int each = (int)(n / (size_t)size);
    const double begin = MPI_Wtime();
    MPI_Alltoall(keys, each, MPI_INT32_T, received, each, MPI_INT32_T, MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

/* ---- measurement ------------------------------------------------------------------------------ */

/* The keys are in order on all ranks, and their sum is the same as before. */
static void check(const char *name)
{
    uint64_t sums[2] = {0, 0};
    int32_t last_before = INT32_MIN;
    int32_t last = n > 0 ? keys[n - 1] : INT32_MIN;
    bool right = true;
    for (size_t i = 0; i < n; ++i) {
        sums[0] += (uint32_t)given[i] * (uint64_t)(uint32_t)given[i];
        sums[1] += (uint32_t)keys[i] * (uint64_t)(uint32_t)keys[i];
        right = right && (i == 0 || keys[i - 1] <= keys[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&last, &last_before, 1, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
    right = right && sums[0] == sums[1] && (rank == 0 || n == 0 || last_before <= keys[0]);
    require(right, name);
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct contender {
    const char *name;
    double (*sort)(void);
    bool is_part; /* of a sort: the result is not in order */
    double times[100];
} contender;

static contender contenders[] = {
    {"xl_mpi_sort", sort_device, false, {0}},
    {"xl_mpi_sort and copies", sort_with_copies, false, {0}},
#ifdef HAVE_PETSC
    {"PetscParallelSortInt", sort_petsc, false, {0}},
#endif
#ifdef HAVE_SC
    {"sc_psort", sort_sc, false, {0}},
#endif
    {"xl_sort on each rank", sort_rank, true, {0}},
    {"keys to host and back", copy_keys, true, {0}},
    {"MPI_Alltoall of the keys", send_keys, true, {0}},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

static double measure(const contender *c)
{
    memcpy(keys, given, n * sizeof *keys);
    MPI_Barrier(MPI_COMM_WORLD);
    double time = c->sort();
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!c->is_part)
        check(c->name);
    return time;
}

/* In turn, so that other load on the machine disturbs all alike. The first round warms up. */
static void measure_all(int rounds)
{
    for (int round = -1; round < rounds; ++round)
        for (int i = 0; i < CONTENDERS; ++i)
            contenders[i].times[round < 0 ? 0 : round] = measure(&contenders[i]);
    for (int i = 0; i < CONTENDERS && rank == 0; ++i) {
        double *const times = contenders[i].times;
        qsort(times, (size_t)rounds, sizeof *times, compare_times);
        printf("%-24s median %8.1f ms, least %8.1f ms, %7.1f M keys/s\n", contenders[i].name,
               times[rounds / 2] * 1e3, times[0] * 1e3, (double)n * size / times[rounds / 2] / 1e6);
    }
}

static void create(int argc, char **argv)
{
    xl_sort_desc desc;
    require(xl_mpi_context_create(MPI_COMM_WORLD, NULL, &ctx) == XL_SUCCESS,
            "xl_mpi_context_create");
    require(create_mpi(ctx, argc, argv, &mpi) == XL_SUCCESS, "create_mpi");
    xl_sort_desc_init(&desc);
    desc.key = XL_I32;
    require(xl_mpi_sort_create(mpi, &desc, XL_MPI_KEEP, &plan) == XL_SUCCESS, "xl_mpi_sort_create");
    buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE, n * 4 + 1, NULL, NULL);
    require(buffer != NULL, "clCreateBuffer");
    require(xl_sort_create(ctx, &desc, &alone) == XL_SUCCESS, "xl_sort_create");
    host_buffer = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                 n * 4 + 1, NULL, NULL);
    require(host_buffer != NULL, "clCreateBuffer");
    host = clEnqueueMapBuffer(xl_context_queue(ctx), host_buffer, CL_TRUE,
                              CL_MAP_READ | CL_MAP_WRITE, 0, n * 4 + 1, 0, NULL, NULL, NULL);
    require(host != NULL, "clEnqueueMapBuffer");
}

static void fill(void)
{
    uint64_t state = 1 + (uint64_t)rank;
    given = malloc(n * sizeof *given + 1);
    keys = malloc(n * sizeof *keys + 1);
    received = malloc(n * sizeof *received + 1);
    for (size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        given[i] = (int32_t)(uint32_t)(state >> 32);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = argc > 1 ? strtoull(argv[1], NULL, 10) : (size_t)1 << 22;
    const int rounds = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 7;
    create(argc, argv);
    fill();
    char name[256] = "";
    clGetDeviceInfo(xl_context_device(ctx), CL_DEVICE_NAME, sizeof name, name, NULL);
    if (rank == 0)
        printf("%zu keys on each of %d ranks, %s\n", n, size, name);
#ifdef HAVE_PETSC
    PetscInitializeNoArguments();
    PetscCommDuplicate(MPI_COMM_WORLD, &petsc_comm, NULL);
#endif
    measure_all(rounds < 100 ? rounds : 100);
#ifdef HAVE_PETSC
    PetscCommDestroy(&petsc_comm);
    PetscFinalize();
#endif
    clReleaseMemObject(host_buffer);
    clReleaseMemObject(buffer);
    xl_plan_destroy(alone);
    xl_mpi_plan_destroy(plan);
    xl_mpi_destroy(mpi);
    xl_context_destroy(ctx);
    free(given);
    free(keys);
    free(received);
    MPI_Finalize();
    return 0;
}

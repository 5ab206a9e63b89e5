/* SPDX-License-Identifier: MIT
 * The main program of the tests: see mpi_test.h. Arguments choose cases by parts of their names. */
#include "mpi_test.h"
#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#define __lsan_enable() ((void)0)
#define __lsan_do_recoverable_leak_check() 0
#endif

xl_context *test_ctx;
cl_command_queue test_queue;
xl_mpi *test_mpi;
int test_rank, test_size;
static int failures;

bool test_check(bool right, const char *file, int line, const char *text)
{
    if (!right && ++failures <= 20)
        fprintf(stderr, "%s:%d: rank %d of %d: %s\n", file, line, test_rank, test_size, text);
    return right;
}

bool test_succeeds(xl_status status, const char *file, int line, const char *text)
{
    if (status != XL_SUCCESS && ++failures <= 20)
        fprintf(stderr, "%s:%d: rank %d of %d: %s: %s: %s\n", file, line, test_rank, test_size,
                text, xl_status_name(status), xl_mpi_error(test_mpi));
    return status == XL_SUCCESS;
}

uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

cl_mem test_buffer(size_t bytes, const void *from)
{
    cl_int code;
    const cl_mem buffer =
        clCreateBuffer(xl_context_cl(test_ctx), CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    void *const zeros = from ? NULL : calloc(bytes ? bytes : 1, 1);
    CHECK(code == CL_SUCCESS);
    if (bytes > 0)
        CHECK(clEnqueueWriteBuffer(test_queue, buffer, CL_TRUE, 0, bytes, from ? from : zeros, 0,
                                   NULL, NULL) == CL_SUCCESS);
    free(zeros);
    return buffer;
}

void test_read(cl_mem buffer, size_t bytes, void *to)
{
    if (bytes > 0)
        CHECK(clEnqueueReadBuffer(test_queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL) ==
              CL_SUCCESS);
}

/* ---- messages by address ------------------------------------------------------------------ */

typedef struct block {
    unsigned char *bytes;
    size_t count;
    _Atomic bool lives;
} block;
enum { MOST_BLOCKS = 10000 };
static block blocks[MOST_BLOCKS];
static int num_blocks;
static test_memory *memory_in_use;

/* May be called by a thread of OpenCL. */
static void CL_CALLBACK free_block(cl_mem buffer, void *user)
{
    block *const b = user;
    (void)buffer;
    free(b->bytes);
    b->lives = false;
}

cl_mem test_message_buffer(void *user, cl_context context, size_t bytes, void **address)
{
    test_memory *const memory = user;
    block *const b = &blocks[num_blocks];
    cl_int code = CL_SUCCESS;
    if (memory->way == TEST_NONE || !CHECK(num_blocks < MOST_BLOCKS))
        return NULL;
    const size_t size = memory->way == TEST_SHORT ? bytes - 1 : bytes;
    b->count = (size + 4095) / 4096 * 4096 * 2; /* as much again for wrong addresses */
    b->bytes = aligned_alloc(4096, b->count);
    const cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, b->bytes, &code);
    CHECK(code == CL_SUCCESS &&
          clSetMemObjectDestructorCallback(buffer, free_block, b) == CL_SUCCESS);
    b->lives = true;
    ++num_blocks;
    ++memory->made;
    if (memory->way != TEST_NO_ADDRESS)
        *address = b->bytes + (memory->way == TEST_OTHER_MEMORY ? b->count / 2
                               : memory->way == TEST_SHIFTED    ? 128
                                                                : 0);
    return buffer;
}

/* Takes the place of the function of MPI, whose own name for it begins with P. */
int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    bool by_address = false;
    for (int i = 0; i < num_blocks; ++i)
        by_address =
            by_address || (blocks[i].lives && (uintptr_t)bytes >= (uintptr_t)blocks[i].bytes &&
                           (uintptr_t)bytes < (uintptr_t)blocks[i].bytes + blocks[i].count);
    if (memory_in_use && by_address)
        memory_in_use->address_bytes += (size_t)count;
    else if (memory_in_use)
        memory_in_use->host_bytes += (size_t)count;
    return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

xl_mpi *test_mpi_by_address(test_memory *memory)
{
    xl_mpi *mpi = NULL;
    xl_mpi_desc desc;
    cl_device_type type = 0;
    clGetDeviceInfo(xl_context_device(test_ctx), CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (!(type & CL_DEVICE_TYPE_CPU))
        return NULL;
    xl_mpi_desc_init(&desc);
    desc.chunk_bytes = memory->chunk_bytes ? memory->chunk_bytes : desc.chunk_bytes;
    desc.message_buffer = test_message_buffer;
    desc.user = memory;
    CHECK(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi) == XL_SUCCESS);
    memory_in_use = memory;
    return mpi;
}

void test_destroy_by_address(xl_mpi *mpi)
{
    xl_mpi_destroy(mpi);
    clFinish(test_queue);
    memory_in_use = NULL;
    for (; num_blocks > 0; --num_blocks)
        CHECK(!blocks[num_blocks - 1].lives);
}

size_t test_begin(int way, size_t n, int rank)
{
    const size_t r = (size_t)rank, p = (size_t)test_size;
    if (r >= p)
        return n;
    switch (way) {
    case 1:
        return 0;
    case 2:
        return r == 0 ? 0 : n;
    case 3:
        return r < 2 ? 0 : n * r / p / 3;
    case 4:
        return r < n ? r : n;
    default:
        return n * r / p;
    }
}

bool test_says(const xl_mpi *mpi, int rank, const char *text)
{
    char begin[256];
    snprintf(begin, sizeof begin, "rank %d: %s", rank, text);
    const bool right = strncmp(xl_mpi_error(mpi), begin, strlen(begin)) == 0;
    if (!right)
        fprintf(stderr, "the text is \"%s\", not \"%s...\"\n", xl_mpi_error(mpi), begin);
    return right;
}

void test_error(xl_status got, xl_status status, int rank, const char *text)
{
    if (!CHECK(got == status && test_says(test_mpi, rank, text)))
        fprintf(stderr, "  %s, for \"%s\"\n", xl_status_name(got), text);
}

int test_each_failure(int rank, xl_status (*call)(xl_mpi *mpi, void *user), void *user)
{
    enum { MOST = 100 };
    for (int failed = 0; failed < MOST; ++failed) {
        char text[32];
        xl_mpi *mpi = NULL;
        snprintf(text, sizeof text, "%d,%d", rank, failed + 1); /* 0: of creation */
        setenv("CROSSLANE_TEST_MPI_FAIL", text, 1);
        SUCCEEDS(xl_mpi_create(test_ctx, MPI_COMM_WORLD, NULL, &mpi));
        unsetenv("CROSSLANE_TEST_MPI_FAIL");
        const xl_status status = call(mpi, user);
        if (status != XL_SUCCESS) {
            CHECK(status == XL_ERROR_OUT_OF_MEMORY && test_says(mpi, rank, "a test makes"));
            CHECK(call(mpi, user) == XL_SUCCESS);
        }
        xl_mpi_destroy(mpi);
        if (status == XL_SUCCESS)
            return failed;
    }
    CHECK(!"the call never succeeds");
    return MOST;
}

int test_main(int argc, char **argv, const mpi_case *cases, size_t count)
{
    int all = 0;
    __lsan_disable();
    MPI_Init(&argc, &argv);
    __lsan_enable();
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_size);
    const xl_status status = xl_mpi_context_create(MPI_COMM_WORLD, NULL, &test_ctx);
    if (status != XL_SUCCESS) {
        MPI_Finalize();
        return status == XL_ERROR_NO_DEVICE ? 77 : 1;
    }
    test_queue = xl_context_queue(test_ctx);
    SUCCEEDS(xl_mpi_create(test_ctx, MPI_COMM_WORLD, NULL, &test_mpi));
    for (size_t i = 0; i < count; ++i) {
        bool chosen = argc < 2;
        for (int k = 1; k < argc; ++k)
            chosen = chosen || strstr(cases[i].name, argv[k]);
        if (!chosen)
            continue;
        const double start = MPI_Wtime();
        int here, sum = 0;
        failures = 0;
        cases[i].run();
        here = failures;
        MPI_Allreduce(&here, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        all += sum;
        if (test_rank == 0)
            printf("%-44s %s, %.2f s\n", cases[i].name, sum ? "FAILED" : "ok", MPI_Wtime() - start);
    }
    xl_mpi_destroy(test_mpi);
    xl_context_destroy(test_ctx);
    /* before MPI_Finalize(), whose own leaks do not count */
    all += __lsan_do_recoverable_leak_check();
    MPI_Finalize();
    return all ? 1 : 0;
}

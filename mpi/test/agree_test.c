/* SPDX-License-Identifier: MIT
 * Agreement on a status, creation, devices, and turns. */
#include "mpi_test.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void the_lowest_rank_that_fails_decides(void)
{
    char text[64];
    for (int first = 0; first < test_size; ++first) {
        snprintf(text, sizeof text, "reason of %d", test_rank);
        const xl_status mine = test_rank >= first
                                   ? (test_rank == first ? XL_ERROR_CAPACITY : XL_ERROR_OPENCL)
                                   : XL_SUCCESS;
        CHECK(xl_mpi_agree(test_mpi, mine, text) == XL_ERROR_CAPACITY);
        snprintf(text, sizeof text, "rank %d: reason of %d", first, first);
        CHECK(strcmp(xl_mpi_error(test_mpi), text) == 0);
    }
    CHECK(xl_mpi_agree(test_mpi, XL_SUCCESS, NULL) == XL_SUCCESS);
}

static void creation_names_the_rank_and_the_field(void)
{
    xl_mpi *mpi = NULL;
    xl_mpi_desc desc;
    xl_mpi_desc_init(&desc);
    desc.chunk_bytes = test_rank == test_size - 1 ? 0 : 1000;
    CHECK(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(mpi == NULL && strstr(xl_mpi_error(NULL), "desc.chunk_bytes: 0"));
    CHECK(atoi(xl_mpi_error(NULL) + strlen("rank ")) == test_size - 1);
    desc.chunk_bytes = test_rank == 0 ? 500 : 1000;
    const xl_status status = xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi);
    CHECK(status == (test_size > 1 ? XL_ERROR_INVALID_ARGUMENT : XL_SUCCESS));
    CHECK(test_size == 1 || strstr(xl_mpi_error(NULL), "rank 1: desc.chunk_bytes"));
    xl_mpi_destroy(mpi);
    CHECK(xl_mpi_create(test_rank == 0 ? NULL : test_ctx, MPI_COMM_WORLD, NULL, &mpi) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(strcmp(xl_mpi_error(NULL), "rank 0: ctx: NULL") == 0);
    CHECK(xl_mpi_create(test_ctx, MPI_COMM_WORLD, NULL, test_rank == 0 ? NULL : &mpi) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(mpi == NULL && strcmp(xl_mpi_error(NULL), "rank 0: mpi: NULL") == 0);
}

/* Creation tries the addresses: wrong ones on any rank are an error on all ranks. */
static void wrong_addresses_are_found(void)
{
    static const struct {
        int way;
        xl_status status;
        const char *text;
    } wrong[] = {
        {TEST_NO_ADDRESS, XL_ERROR_INVALID_ARGUMENT, "desc.message_buffer: a buffer without"},
        {TEST_SHORT, XL_ERROR_INVALID_ARGUMENT, "desc.message_buffer: "},
        {TEST_OTHER_MEMORY, XL_ERROR_MPI, "desc.message_buffer: byte 0 of a trial message"},
        {TEST_SHIFTED, XL_ERROR_MPI, "desc.message_buffer: byte "}};
    test_memory memory = {0};
    xl_mpi_desc desc;
    xl_mpi *mpi = test_mpi_by_address(&memory);
    if (!mpi)
        return;
    CHECK(memory.made == 1);
    test_destroy_by_address(mpi);
    xl_mpi_desc_init(&desc);
    desc.message_buffer = test_message_buffer;
    desc.user = &memory;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
        for (int rank = 0; rank < test_size; ++rank) {
            memory.way = test_rank == rank ? wrong[i].way : rank % 2 ? TEST_NONE : TEST_RIGHT;
            CHECK(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi) == wrong[i].status);
            CHECK(mpi == NULL && strstr(xl_mpi_error(NULL), wrong[i].text));
            test_destroy_by_address(NULL);
        }
    desc.message_buffer = test_rank > 0 ? test_message_buffer : NULL;
    CHECK(test_size == 1 ||
          xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(test_size == 1 || strstr(xl_mpi_error(NULL), "rank 1: desc.message_buffer: differs"));
}

/* The devices that have the platform and the name of this rank's. */
typedef struct same_devices {
    cl_device_id first;
    char selector[32]; /* of the first one */
    int number, count; /* number: of this rank's */
} same_devices;

static void note_device(void *user, uint32_t platform, uint32_t device, cl_platform_id pid,
                        cl_device_id did)
{
    same_devices *const same = user;
    const cl_device_id mine = xl_context_device(test_ctx);
    cl_platform_id own = NULL;
    char name[256] = "", other[256] = "";
    clGetDeviceInfo(mine, CL_DEVICE_PLATFORM, sizeof own, &own, NULL);
    clGetDeviceInfo(mine, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(did, CL_DEVICE_NAME, sizeof other, other, NULL);
    if (pid != own || strcmp(name, other) != 0)
        return;
    if (same->count == 0) {
        same->first = did;
        snprintf(same->selector, sizeof same->selector, "%u:%u", (unsigned)platform,
                 (unsigned)device);
    }
    if (did == mine)
        same->number = same->count;
    ++same->count;
}

/* The tests run on one node, and have two devices of one name. */
static void ranks_take_devices_in_turn(void)
{
    same_devices same = {.number = -1};
    xl_devices_each(note_device, &same);
    int first = same.number;
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!CHECK(same.number >= 0 && same.number == (first + test_rank) % same.count))
        fprintf(stderr, "    device %d of %d; rank 0 has %d\n", same.number, same.count, first);
}

/* A device that is named by both numbers is taken by all ranks. */
static void a_device_may_be_named(void)
{
    same_devices same = {.number = -1};
    xl_context *ctx = NULL;
    xl_context_desc desc;
    xl_devices_each(note_device, &same);
    xl_context_desc_init(&desc);
    desc.device = same.selector;
    CHECK(xl_mpi_context_create(MPI_COMM_WORLD, &desc, &ctx) == XL_SUCCESS);
    CHECK(ctx && xl_context_device(ctx) == same.first);
    xl_context_destroy(ctx);
    desc.device = "no such device";
    CHECK(xl_mpi_context_create(MPI_COMM_WORLD, test_rank == test_size - 1 ? &desc : NULL, &ctx) ==
          XL_ERROR_NO_DEVICE);
    CHECK(ctx == NULL);
    CHECK(xl_mpi_context_create(MPI_COMM_WORLD, NULL, test_rank == test_size - 1 ? NULL : &ctx) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(ctx == NULL);
}

static xl_status create_scan(void *user)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    return xl_scan_create(test_ctx, &desc, user);
}

static xl_status fail_on_the_last_rank(void *user)
{
    (void)user;
    return test_rank == test_size - 1 ? XL_ERROR_BUILD : XL_SUCCESS;
}

/* Seconds that all processes of the machine count alike. */
static double seconds(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* When a turn began and ended; that of rank 0 takes a while. */
static xl_status note_turn(void *user)
{
    double *const turn = user;
    turn[0] = seconds();
    while (test_rank == 0 && seconds() < turn[0] + .05)
        ;
    turn[1] = seconds();
    return XL_SUCCESS;
}

static void plans_are_made_in_turn(void)
{
    xl_plan *plan = NULL;
    double turn[2] = {0}, first;
    SUCCEEDS(xl_mpi_in_turn(test_mpi, note_turn, turn));
    first = turn[1];
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(test_rank == 0 || turn[0] >= first);
    SUCCEEDS(xl_mpi_in_turn(test_mpi, create_scan, &plan));
    CHECK(plan != NULL);
    xl_plan_destroy(plan);
    CHECK(xl_mpi_in_turn(test_mpi, fail_on_the_last_rank, NULL) == XL_ERROR_BUILD);
    CHECK(xl_mpi_in_turn(test_mpi, test_rank == 0 ? NULL : create_scan, &plan) ==
          XL_ERROR_INVALID_ARGUMENT);
    if (test_rank != 0)
        xl_plan_destroy(plan);
}

MPI_TEST_MAIN({"the_lowest_rank_that_fails_decides", the_lowest_rank_that_fails_decides},
              {"creation_names_the_rank_and_the_field", creation_names_the_rank_and_the_field},
              {"wrong_addresses_are_found", wrong_addresses_are_found},
              {"ranks_take_devices_in_turn", ranks_take_devices_in_turn},
              {"a_device_may_be_named", a_device_may_be_named},
              {"plans_are_made_in_turn", plans_are_made_in_turn})

/* SPDX-License-Identifier: MIT
 * Tests that run on several ranks. A program is a list of cases:
 *
 *     static void a_sum_is_right(void) { ... CHECK(sum == 6); }
 *     MPI_TEST_MAIN({"a_sum_is_right", a_sum_is_right})
 *
 * All ranks run every case. A CHECK that fails on one rank is printed and counted, and the case goes on;
 * after each case the ranks add up their failures. Exit status 77 if there is no device. */
#ifndef MPI_TEST_H
#define MPI_TEST_H

#include <crosslane/mpi.h>
#include <stdbool.h>
#include <stdio.h>

extern xl_context *test_ctx;        /* of this rank */
extern cl_command_queue test_queue; /* in order, of test_ctx */
extern xl_mpi *test_mpi;            /* all ranks, default settings */
extern int test_rank, test_size;

typedef struct mpi_case {
    const char *name;
    void (*run)(void);
} mpi_case;

/* Records a failure; returns whether there is none. */
bool test_check(bool right, const char *file, int line, const char *text);
#define CHECK(condition) test_check((condition), __FILE__, __LINE__, #condition)
/* A call that must succeed; prints xl_mpi_error() otherwise. */
bool test_succeeds(xl_status status, const char *file, int line, const char *text);
#define SUCCEEDS(call) test_succeeds((call), __FILE__, __LINE__, #call)

/* Pseudo-random numbers, the same for the same seed on each rank. */
uint64_t test_random(uint64_t *state);

/* A buffer of `bytes` (at least one) with a copy of `from`, or zeros if that is NULL; and back. */
cl_mem test_buffer(size_t bytes, const void *from);
void test_read(cl_mem buffer, size_t bytes, void *to);

/* A message_buffer whose buffers are over memory of the host, which a device that is a CPU uses in place. */
enum { TEST_RIGHT, TEST_NONE, TEST_NO_ADDRESS, TEST_SHORT, TEST_OTHER_MEMORY, TEST_SHIFTED };
typedef struct test_memory {
    int way; /* of the callback, one of the above */
    uint64_t chunk_bytes;
    int made; /* buffers */
    size_t address_bytes,
        host_bytes; /* sent by MPI_Isend() from such buffers, and from elsewhere */
} test_memory;
/* An xl_mpi that uses it, and `memory` until it is destroyed. NULL if the device is no CPU. */
xl_mpi *test_mpi_by_address(test_memory *memory);
/* Destroys it; all buffers must be gone. */
void test_destroy_by_address(xl_mpi *mpi);
/* The callback; user: a test_memory. */
cl_mem test_message_buffer(void *user, cl_context context, size_t bytes, void **address);

/* Rank r has the elements from test_begin(way, n, r) to test_begin(way, n, r + 1) of n. Ways to divide an
 * array: even parts; all on the last rank; only on rank 0; a first rank that has none and uneven others;
 * one element for each rank, and the rest on the last one. */
enum { TEST_WAYS = 5 };
size_t test_begin(int way, size_t n, int rank);

/* Whether the text of the last failure of `mpi` begins with "rank RANK: TEXT". */
bool test_says(const xl_mpi *mpi, int rank, const char *text);

/* A call that returned `got` must have failed on that rank with that status and text. */
void test_error(xl_status got, xl_status status, int rank, const char *text);

/* Lets each agreement of `rank` fail in turn, from the one after creation on: calls call(mpi, user) on an
 * own xl_mpi until it succeeds. Each failure must be the one that was caused, and the call must succeed if it
 * is repeated on the same xl_mpi. Returns the number of failures. */
int test_each_failure(int rank, xl_status (*call)(xl_mpi *mpi, void *user), void *user);

int test_main(int argc, char **argv, const mpi_case *cases, size_t count);
#define MPI_TEST_MAIN(...)                                                                         \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const mpi_case cases[] = {__VA_ARGS__};                                             \
        return test_main(argc, argv, cases, sizeof cases / sizeof cases[0]);                       \
    }

#endif

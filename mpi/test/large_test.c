/* SPDX-License-Identifier: MIT
 * Arrays of more than 2^31 bytes across ranks, in messages of up to 1 GiB, if CROSSLANE_TEST_LARGE=1
 * asks for them; otherwise of 2^20 bytes in messages of 1000. Results are those of a formula, which no
 * rank needs the whole array for. */
#include "mpi_test.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 24, VALUES = 256 };

static size_t whole, first, mine; /* elements; those of this rank */
static xl_mpi *large_mpi;

static uint8_t element(size_t i)
{
    return (uint8_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 47);
}

static void begin(void)
{
    const char *const wish = getenv("CROSSLANE_TEST_LARGE");
    const bool large = wish && strcmp(wish, "1") == 0;
    xl_mpi_desc desc;
    xl_mpi_desc_init(&desc);
    desc.chunk_bytes = large ? desc.chunk_bytes : 1000;
    CHECK(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &large_mpi) == XL_SUCCESS);
    whole = ((size_t)1 << (large ? 31 : 20)) + 12345;
}

/* Rank 0 has `on_first` elements, the others have equal shares of the rest. */
static void divide(size_t on_first)
{
    const size_t r = (size_t)test_rank, others = test_size > 1 ? (size_t)test_size - 1 : 1;
    const size_t rest = whole - on_first;
    first = r == 0 ? 0 : on_first + rest * (r - 1) / others;
    mine = (r == 0 ? on_first : on_first + rest * r / others) - first;
}

/* As test_buffer(), without zeros from the host. */
static cl_mem make(size_t count)
{
    cl_int code;
    const cl_mem buffer =
        clCreateBuffer(xl_context_cl(test_ctx), CL_MEM_READ_WRITE, count + 1, NULL, &code);
    CHECK(code == CL_SUCCESS);
    return buffer;
}

/* Calls use() for each block of the `count` elements of a buffer, which it makes (`writes`) or gets. */
static void each_block(cl_mem buffer, size_t count, bool writes,
                       void (*use)(uint8_t *block, size_t at, size_t length, void *user),
                       void *user)
{
    uint8_t *const block = malloc(BLOCK);
    for (size_t at = 0; at < count; at += BLOCK) {
        const size_t length = count - at < BLOCK ? count - at : BLOCK;
        if (!writes)
            CHECK(clEnqueueReadBuffer(test_queue, buffer, CL_TRUE, at, length, block, 0, NULL,
                                      NULL) == CL_SUCCESS);
        use(block, at, length, user);
        if (writes)
            CHECK(clEnqueueWriteBuffer(test_queue, buffer, CL_TRUE, at, length, block, 0, NULL,
                                       NULL) == CL_SUCCESS);
    }
    free(block);
}

static void fill(uint8_t *block, size_t at, size_t length, void *user)
{
    uint64_t *const counts = user;
    for (size_t i = 0; i < length; ++i) {
        block[i] = element(first + at + i);
        ++counts[block[i]];
    }
}

/* The elements of this rank, and how often each value is in the whole array. */
static cl_mem make_input(size_t on_first, uint64_t counts[VALUES])
{
    divide(test_size > 1 ? on_first : whole);
    const cl_mem in = make(mine);
    memset(counts, 0, VALUES * sizeof *counts);
    each_block(in, mine, true, fill, counts);
    MPI_Allreduce(MPI_IN_PLACE, counts, VALUES, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return in;
}

/* ---- sort ------------------------------------------------------------------------------------ */

typedef struct expected_order {
    uint64_t counts[VALUES];
    uint64_t before; /* keys of lower ranks */
    uint64_t end;    /* of keys up to `value` */
    unsigned value;
    size_t wrong;
} expected_order;

static void compare_order(uint8_t *block, size_t at, size_t length, void *user)
{
    expected_order *const e = user;
    for (size_t i = 0; i < length; ++i) {
        while (e->value < VALUES - 1 && e->before + at + i >= e->end)
            e->end += e->counts[++e->value];
        e->wrong += block[i] != e->value;
    }
}

/* From rank 0, which has all keys, one of two ranks gets a message of more than 1 GiB. */
static void keys_are_in_order(void)
{
    xl_mpi_plan *plan = NULL;
    xl_sort_desc desc;
    expected_order e = {.before = 0};
    const cl_mem in = make_input(whole, e.counts);
    size_t count = 0;
    xl_sort_desc_init(&desc);
    desc.key = XL_U8;
    SUCCEEDS(xl_mpi_sort_create(large_mpi, &desc, XL_MPI_EVEN, &plan));
    SUCCEEDS(xl_mpi_sort_count(plan, mine, &count));
    CHECK(count >= whole / (size_t)test_size && count <= whole / (size_t)test_size + 1);
    const cl_mem out = make(count);
    const xl_sort_args args = {
        .n = mine, .keys_in = xl_view_of(in, 0), .keys_out = xl_view_of(out, 0)};
    SUCCEEDS(xl_mpi_sort(plan, test_queue, &args, 0, NULL, NULL));
    const uint64_t counted = count;
    MPI_Exscan(&counted, &e.before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    e.before = test_rank > 0 ? e.before : 0;
    e.end = e.counts[0];
    each_block(out, count, false, compare_order, &e);
    CHECK(e.wrong == 0);
    xl_mpi_plan_destroy(plan);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- scan and reduce --------------------------------------------------------------------------- */

typedef struct expected_scan {
    uint8_t value; /* of the elements so far */
    size_t wrong;
} expected_scan;

static void compare_scan(uint8_t *block, size_t at, size_t length, void *user)
{
    expected_scan *const e = user;
    for (size_t i = 0; i < length; ++i) {
        e->value ^= element(first + at + i);
        e->wrong += block[i] != e->value;
    }
}

static void scans_continue_on_each_rank(void)
{
    xl_mpi_plan *plan = NULL;
    xl_scan_desc desc;
    uint64_t counts[VALUES];
    expected_scan e = {0, 0};
    const cl_mem in = make_input(whole / 4 * 3, counts), out = make(mine);
    xl_scan_desc_init(&desc);
    desc.type = XL_U8;
    desc.op = XL_XOR;
    desc.kind = XL_INCLUSIVE;
    SUCCEEDS(xl_mpi_scan_create(large_mpi, &desc, &plan));
    const xl_scan_args args = {.n = mine, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
    SUCCEEDS(xl_mpi_scan(plan, test_queue, &args, 0, NULL, NULL));
    for (size_t i = 0; i < first; ++i)
        e.value ^= element(i);
    each_block(out, mine, false, compare_scan, &e);
    CHECK(e.wrong == 0);
    xl_mpi_plan_destroy(plan);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void a_sum_counts_all_elements(void)
{
    xl_mpi_plan *plan = NULL;
    xl_reduce_desc desc;
    uint64_t counts[VALUES], expected = 0, sum = 0;
    const cl_mem in = make_input(whole / 4 * 3, counts), out = test_buffer(sizeof sum, NULL);
    for (unsigned value = 0; value < VALUES; ++value)
        expected += value * counts[value];
    xl_reduce_desc_init(&desc);
    desc.type = XL_U64;
    desc.load_type = XL_U8;
    SUCCEEDS(xl_mpi_reduce_create(large_mpi, &desc, &plan));
    const xl_reduce_args args = {.n = mine, .in = xl_view_of(in, 0), .out = xl_view_of(out, 0)};
    SUCCEEDS(xl_mpi_reduce(plan, test_queue, &args, 0, NULL, NULL));
    test_read(out, sizeof sum, &sum);
    CHECK(sum == expected);
    xl_mpi_plan_destroy(plan);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void end(void)
{
    xl_mpi_destroy(large_mpi);
}

MPI_TEST_MAIN({"begin", begin}, {"keys_are_in_order", keys_are_in_order},
              {"scans_continue_on_each_rank", scans_continue_on_each_rank},
              {"a_sum_counts_all_elements", a_sum_counts_all_elements}, {"end", end})

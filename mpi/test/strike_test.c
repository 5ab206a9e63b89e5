/* SPDX-License-Identifier: MIT
 * Each allocation of the library and each of its calls of OpenCL fails once, on one rank: all ranks return an
 * error, and the same call then works. */
#include "strike.h"
#undef free
#undef clReleaseMemObject
#include "mpi_test.h"
#include <string.h>

enum { N = 24, MOST = 3 * N, BYTES = 1 << 12 };
static long calls, strike_at = -1; /* strike_at: the number of the call that fails; -1: none */

long test_held;

bool test_strikes(void)
{
    return calls++ == strike_at;
}

void *test_made(void *object)
{
    test_held += object != NULL;
    return object;
}

void test_free(void *memory)
{
    test_held -= memory != NULL;
    free(memory);
}

static cl_mem make_message(void *user, cl_context context, size_t bytes, void **address)
{
    return test_made(test_message_buffer(user, context, bytes, address));
}

/* The inputs of a rank and room for outputs. */
typedef struct arrays {
    xl_mpi *mpi;
    xl_view in, heads, out, more;
    size_t n;
} arrays;

/* A call that failed must work if it is repeated. */
#define AGAIN(call)                                                                                \
    do {                                                                                           \
        if ((status = (call)) != XL_SUCCESS)                                                       \
            CHECK((call) == XL_SUCCESS);                                                           \
    } while (0)

static xl_status scan(const arrays *a, uint32_t type, uint32_t segments, uint32_t determinism)
{
    xl_mpi_plan *plan = NULL;
    xl_scan_desc desc;
    cl_event event = NULL;
    xl_status status;
    xl_scan_desc_init(&desc);
    desc.type = type;
    desc.segments = segments;
    desc.segment_type = segments == XL_SEGMENTS_HEAD_FLAGS ? XL_NONE : XL_U32;
    desc.determinism = determinism;
    AGAIN(xl_mpi_scan_create(a->mpi, &desc, &plan));
    const xl_status created = status;
    const xl_scan_args args = {.n = a->n, .in = a->in, .segments = a->heads, .out = a->out};
    AGAIN(xl_mpi_scan(plan, test_queue, &args, 0, NULL, &event));
    if (CHECK(event != NULL))
        clReleaseEvent(event);
    xl_mpi_plan_destroy(plan);
    return created == XL_SUCCESS ? status : created;
}

static xl_status scan_keys(const arrays *a)
{
    return scan(a, XL_U32, XL_SEGMENTS_KEYS, XL_DETERMINISTIC);
}

static xl_status scan_units(const arrays *a)
{
    return scan(a, XL_F32, XL_SEGMENTS_OFFSETS, XL_REPRODUCIBLE);
}

static xl_status reduce(const arrays *a, uint32_t type, uint32_t op, uint32_t segments,
                        uint32_t determinism)
{
    xl_mpi_plan *plan = NULL;
    xl_reduce_desc desc;
    cl_event event = NULL;
    xl_status status;
    xl_reduce_desc_init(&desc);
    desc.type = type;
    desc.op = op;
    desc.segments = segments;
    desc.segment_type = segments == XL_SEGMENTS_KEYS ? XL_U32 : XL_NONE;
    desc.determinism = determinism;
    AGAIN(xl_mpi_reduce_create(a->mpi, &desc, &plan));
    const xl_status created = status;
    xl_reduce_args args = {.n = a->n, .in = a->in, .out = a->out};
    if (segments != XL_SEGMENTS_NONE) {
        args.segments = a->heads;
        args.num_segments_out = a->more;
    }
    AGAIN(xl_mpi_reduce(plan, test_queue, &args, 0, NULL, &event));
    if (CHECK(event != NULL))
        clReleaseEvent(event);
    xl_mpi_plan_destroy(plan);
    return created == XL_SUCCESS ? status : created;
}

static xl_status reduce_all(const arrays *a)
{
    return reduce(a, XL_F32, XL_SUM, XL_SEGMENTS_NONE, XL_REPRODUCIBLE);
}

static xl_status reduce_keys(const arrays *a)
{
    return reduce(a, XL_U32, XL_SUM, XL_SEGMENTS_KEYS, XL_DETERMINISTIC);
}

static xl_status reduce_indices(const arrays *a)
{
    return reduce(a, XL_F32, XL_ARG_MIN, XL_SEGMENTS_FLAG_BITMASK, XL_DETERMINISTIC);
}

static xl_status reduce_units(const arrays *a)
{
    return reduce(a, XL_F32, XL_SUM, XL_SEGMENTS_HEAD_FLAGS, XL_REPRODUCIBLE);
}

static xl_status sort(const arrays *a)
{
    xl_mpi_plan *plan = NULL;
    xl_sort_desc desc;
    xl_status status;
    xl_sort_desc_init(&desc);
    desc.key = XL_F32;
    desc.value = XL_SORT_INDICES;
    desc.order = XL_DESCENDING;
    AGAIN(xl_mpi_sort_create(a->mpi, &desc, XL_MPI_EVEN, &plan));
    const xl_status created = status;
    const xl_sort_args args = {
        .n = a->n, .keys_in = a->in, .keys_out = a->out, .values_out = a->more};
    AGAIN(xl_mpi_sort(plan, test_queue, &args, 0, NULL, NULL));
    xl_mpi_plan_destroy(plan);
    return created == XL_SUCCESS ? status : created;
}

/* Gathers positions and scatters them back. Destroys the exchange. */
static xl_status move(const arrays *a, xl_mpi_exchange *exchange)
{
    xl_status status;
    const xl_mpi_field field = {12, a->in, a->out};
    const xl_mpi_scatter_args args = {XL_F32, XL_SUM, a->out, a->more};
    AGAIN(xl_mpi_gather(exchange, test_queue, 1, &field, 0, NULL, NULL));
    const xl_status gathered = status;
    AGAIN(xl_mpi_scatter(exchange, test_queue, &args, 0, NULL, NULL));
    xl_mpi_exchange_destroy(exchange);
    return gathered == XL_SUCCESS ? status : gathered;
}

static xl_status migrate(const arrays *a)
{
    xl_mpi_exchange *exchange = NULL;
    xl_status status;
    AGAIN(xl_mpi_exchange_by_owner(a->mpi, test_queue, a->n, a->heads, 0, NULL, &exchange));
    const xl_status moved = move(a, exchange);
    return status == XL_SUCCESS ? moved : status;
}

static const xl_space space = {.dimensions = 3,
                               .scalar = XL_F32,
                               .bounds = XL_BOUNDS_GIVEN,
                               .periodic = 1,
                               .cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static xl_status halo(const arrays *a)
{
    xl_mpi_exchange *exchange = NULL;
    xl_status status;
    const xl_mpi_halo_args args = {
        .space = &space, .radius = .3, .n = a->n, .points = a->in, .ids = a->heads};
    AGAIN(xl_mpi_exchange_halo(a->mpi, test_queue, &args, 0, NULL, &exchange));
    const xl_status moved = move(a, exchange);
    return status == XL_SUCCESS ? moved : status;
}

static xl_status balance(const arrays *a)
{
    xl_status status;
    const xl_mpi_balance_args args = {
        .space = &space, .n = a->n, .points = a->in, .weights = a->heads, .owners = a->out};
    AGAIN(xl_mpi_balance(a->mpi, test_queue, &args, 0, NULL));
    return status;
}

static xl_status boxes(const arrays *a)
{
    xl_status status;
    xl_mpi_boxes_args args = {
        .dimensions = 3, .scalar = XL_F32, .n = a->n, .points = a->in, .owners = a->out};
    for (int k = 0; k < 3; ++k)
        args.upper[k] = k ? 1 : (test_rank + 1.0) / test_size;
    AGAIN(xl_mpi_owners_by_box(a->mpi, test_queue, &args, 0, NULL));
    return status;
}

/* ---- each failure -------------------------------------------------------------------------- */

typedef struct job {
    xl_status (*run)(const arrays *a);
    enum { NUMBERS, KEYS, OFFSETS, OWNERS, IDS, WEIGHTS } heads;
    bool by_address;
} job;

static cl_mem make_heads(const job *j, size_t n)
{
    uint32_t words[2 * MOST] = {0};
    for (size_t i = 0; i < n; ++i) {
        const uint32_t kinds[] = {[NUMBERS] = (uint32_t)(i % 5),
                                  [KEYS] = (uint32_t)(i / 7),
                                  [OFFSETS] = 0,
                                  [OWNERS] = (uint32_t)(i % (size_t)test_size),
                                  [IDS] = 0,
                                  [WEIGHTS] = 0x3f800000u};
        words[j->heads == IDS ? 2 * i : i] =
            j->heads == IDS ? (uint32_t)(test_rank * MOST) + (uint32_t)i : kinds[j->heads];
    }
    if (j->heads == OFFSETS) {
        const uint32_t offsets[] = {test_rank ? 3 : 0, 9, (uint32_t)n};
        memcpy(words, offsets, sizeof offsets);
    }
    return test_buffer(sizeof words, words);
}

/* One attempt on an own xl_mpi; `result`: all outputs. */
static xl_status attempt(const job *j, long at, unsigned char *result)
{
    float data[3 * MOST];
    uint64_t random = (uint64_t)test_rank;
    arrays a = {.n = test_rank == 1 ? 2 * N : N};
    test_memory memory = {0};
    xl_mpi_desc desc;
    xl_status status;
    xl_mpi_desc_init(&desc);
    desc.message_buffer = j->by_address ? make_message : NULL;
    desc.user = &memory;
    for (size_t i = 0; i < 3 * MOST; ++i)
        data[i] = (float)(test_random(&random) % 4096) / 4096;
    a.in = xl_view_of(test_buffer(sizeof data, data), 0);
    a.heads = xl_view_n(make_heads(j, a.n), 0, j->heads == OFFSETS ? 3 : 0);
    a.out = xl_view_of(test_buffer(BYTES, NULL), 0);
    a.more = xl_view_of(test_buffer(BYTES, NULL), 0);
    calls = test_held = 0;
    strike_at = at;
    AGAIN(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &a.mpi));
    const xl_status ran = j->run(&a);
    strike_at = calls > at ? -1 : -2; /* -2: there was no such call */
    test_destroy_by_address(a.mpi);
    CHECK(test_held == 0);
    test_read(a.out.buffer, BYTES, result);
    test_read(a.more.buffer, BYTES, result + BYTES);
    clReleaseMemObject(a.in.buffer);
    clReleaseMemObject(a.heads.buffer);
    clReleaseMemObject(a.out.buffer);
    clReleaseMemObject(a.more.buffer);
    return status == XL_SUCCESS ? ran : status;
}

static void each_call_fails(job j)
{
    static unsigned char expected[2 * BYTES], result[2 * BYTES];
    cl_device_type type = 0;
    clGetDeviceInfo(xl_context_device(test_ctx), CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (j.by_address && !(type & CL_DEVICE_TYPE_CPU))
        return;
    CHECK(attempt(&j, -1, expected) == XL_SUCCESS);
    /* On three ranks and more, each rank fails in its share of the calls only, to save time. */
    const int shares = test_size > 2 ? test_size : 1;
    for (int rank = 0; rank < test_size; ++rank)
        for (long at = rank % shares, struck = 1; struck; at += shares) {
            const xl_status status = attempt(&j, test_rank == rank ? at : -1, result);
            struck = test_rank == rank ? strike_at == -1 : 0;
            MPI_Bcast(&struck, 1, MPI_LONG, rank, MPI_COMM_WORLD);
            if (!CHECK(struck ? status != XL_SUCCESS : status == XL_SUCCESS) ||
                !CHECK(memcmp(result, expected, sizeof result) == 0))
                fprintf(stderr, "  call %ld of rank %d: %s\n", at, rank, xl_status_name(status));
            if (!struck)
                CHECK(at > 1);
        }
}

static void scans(void)
{
    each_call_fails((job){scan_keys, KEYS, false});
    each_call_fails((job){scan_units, OFFSETS, false});
}

static void reductions(void)
{
    each_call_fails((job){reduce_all, NUMBERS, false});
    each_call_fails((job){reduce_keys, KEYS, false});
    each_call_fails((job){reduce_indices, NUMBERS, false});
    each_call_fails((job){reduce_units, NUMBERS, false});
}

static void sorts(void)
{
    each_call_fails((job){sort, NUMBERS, false});
    each_call_fails((job){sort, NUMBERS, true});
}

static void migrations(void)
{
    each_call_fails((job){migrate, OWNERS, false});
    each_call_fails((job){migrate, OWNERS, true});
}

static void halos(void)
{
    each_call_fails((job){halo, IDS, false});
}

static void owners(void)
{
    each_call_fails((job){balance, WEIGHTS, false});
    each_call_fails((job){boxes, NUMBERS, false});
}

MPI_TEST_MAIN({"scans", scans}, {"reductions", reductions}, {"sorts", sorts},
              {"migrations", migrations}, {"halos", halos}, {"owners", owners})

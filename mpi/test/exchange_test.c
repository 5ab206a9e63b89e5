/* SPDX-License-Identifier: MIT
 * Exchanges by owner, and gathers along them: expected results are those of a loop over the whole array. */
#include "mpi_test.h"
#include <stdlib.h>
#include <string.h>

/* The owner of element i of the whole array. */
enum { OWNERS = 5 };
static uint32_t owner_of(int kind, size_t n, size_t i)
{
    uint64_t state = i * 77 + 5;
    switch (kind) {
    case 0:
        return (uint32_t)(test_random(&state) % (uint64_t)test_size);
    case 1:
        return 0;
    case 2:
        return (uint32_t)test_size - 1;
    case 3:
        return (uint32_t)((n - 1 - i) * (size_t)test_size / n);
    default:
        return (uint32_t)(test_random(&state) % (uint64_t)((test_size + 1) / 2));
    }
}

static xl_mpi_exchange *make_exchange(xl_mpi *mpi, int way, int kind, size_t n)
{
    const size_t begin = test_begin(way, n, test_rank),
                 count = test_begin(way, n, test_rank + 1) - begin;
    uint32_t *const owners = malloc((count + 4) * sizeof *owners);
    for (size_t i = 0; i < count; ++i)
        owners[3 + i] = owner_of(kind, n, begin + i);
    const cl_mem buffer = test_buffer((count + 3) * sizeof *owners, owners);
    const xl_view view = xl_view_of(buffer, 3);
    xl_mpi_exchange *exchange = NULL;
    SUCCEEDS(xl_mpi_exchange_by_owner(mpi, test_queue, count, view, 0, NULL, &exchange));
    CHECK(xl_mpi_exchange_num_in(exchange) == count);
    CHECK(!xl_mpi_exchange_places(exchange).buffer && !xl_mpi_exchange_ids(exchange).buffer);
    clReleaseMemObject(buffer);
    free(owners);
    return exchange;
}

/* Byte b of element i of field f. */
static unsigned char byte_of(size_t f, size_t i, size_t b)
{
    return (unsigned char)((i * 31 + b * 7 + f * 101 + (i >> 8) * 13) & 0xff);
}

/* The elements of the whole array that rank r receives, in order. */
static size_t expected_elements(int kind, size_t n, size_t *elements)
{
    size_t count = 0;
    for (size_t i = 0; i < n; ++i)
        if (owner_of(kind, n, i) == (uint32_t)test_rank)
            elements[count++] = i;
    return count;
}

typedef struct moved {
    size_t bytes, in_offset, out_offset;
} moved;

static xl_mpi_field make_field(const moved *m, size_t f, size_t begin, size_t count,
                               size_t received)
{
    unsigned char *const bytes = malloc((count + m->in_offset) * m->bytes + 1);
    memset(bytes, 0xee, (count + m->in_offset) * m->bytes);
    for (size_t i = 0; i < count; ++i)
        for (size_t b = 0; b < m->bytes; ++b)
            bytes[(i + m->in_offset) * m->bytes + b] = byte_of(f, begin + i, b);
    const xl_mpi_field field = {
        .element_bytes = m->bytes,
        .in = xl_view_of(test_buffer((count + m->in_offset) * m->bytes, bytes), m->in_offset),
        .out = xl_view_n(test_buffer((received + m->out_offset + 1) * m->bytes, NULL),
                         m->out_offset, received)};
    free(bytes);
    return field;
}

static bool right_field(const moved *m, size_t f, const xl_mpi_field *field, const size_t *elements,
                        size_t received)
{
    const size_t all = (received + m->out_offset + 1) * m->bytes;
    unsigned char *const bytes = malloc(all);
    bool right = true;
    test_read(field->out.buffer, all, bytes);
    for (size_t at = 0; at < all; ++at) {
        const size_t k = at / m->bytes, b = at % m->bytes;
        const bool inside = k >= m->out_offset && k < m->out_offset + received;
        right = right && bytes[at] == (inside ? byte_of(f, elements[k - m->out_offset], b) : 0);
    }
    free(bytes);
    return right;
}

static void release_fields(size_t count, const xl_mpi_field *fields)
{
    for (size_t f = 0; f < count; ++f) {
        clReleaseMemObject(fields[f].in.buffer);
        clReleaseMemObject(fields[f].out.buffer);
    }
}

/* Gathers fields of several sizes in one call, of some of them in another, and in two steps. */
static void check_gather(xl_mpi *mpi, int way, int kind, size_t n)
{
    static const moved all[] = {{4, 0, 0},  {12, 5, 2},  {1, 3, 1}, {16, 0, 0},
                                {24, 1, 0}, {7, 0, 3},   {2, 1, 1}, {8, 2, 5},
                                {32, 0, 1}, {100, 0, 0}, {4, 1, 1}, {4, 0, 0},
                                {4, 0, 0},  {6, 1, 0},   {3, 0, 0}, {48, 0, 1}};
    enum { FIELDS = sizeof all / sizeof all[0] };
    const size_t begin = test_begin(way, n, test_rank),
                 count = test_begin(way, n, test_rank + 1) - begin;
    size_t *const elements = malloc((n + 1) * sizeof *elements);
    const size_t received = expected_elements(kind, n, elements);
    xl_mpi_exchange *const exchange = make_exchange(mpi, way, kind, n);
    CHECK(xl_mpi_exchange_num_out(exchange) == received);
    static const size_t numbers[] = {1, 3, 0, FIELDS};
    for (size_t number = 0; number < 4; ++number) {
        xl_mpi_field fields[FIELDS];
        cl_event event = NULL;
        for (size_t f = 0; f < numbers[number]; ++f)
            fields[f] = make_field(&all[f], f, begin, count, received);
        SUCCEEDS(xl_mpi_gather(exchange, test_queue, numbers[number], fields, 0, NULL,
                               number % 2 ? &event : NULL));
        CHECK(!(number % 2) || (event && clWaitForEvents(1, &event) == CL_SUCCESS));
        if (event)
            clReleaseEvent(event);
        for (size_t f = 0; f < numbers[number]; ++f)
            CHECK(right_field(&all[f], f, &fields[f], elements, received));
        release_fields(numbers[number], fields);
    }
    xl_mpi_exchange_destroy(exchange);
    free(elements);
}

static void elements_arrive_in_order(void)
{
    static const size_t sizes[] = {0, 1, 2, 5, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
        for (int way = 0; way < TEST_WAYS; ++way)
            for (int kind = 0; kind < OWNERS; ++kind)
                if (sizes[s] == 1000 || kind == way)
                    check_gather(test_mpi, way, kind, sizes[s]);
}

static xl_mpi *own_mpi(uint64_t chunk_bytes)
{
    xl_mpi *mpi = NULL;
    xl_mpi_desc desc;
    xl_mpi_desc_init(&desc);
    desc.chunk_bytes = chunk_bytes;
    SUCCEEDS(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi));
    return mpi;
}

static void messages_have_pieces(void)
{
    xl_mpi *const mpi = own_mpi(1000);
    check_gather(mpi, 0, 0, 3000);
    check_gather(mpi, 3, 3, 3000);
    xl_mpi_destroy(mpi);
}

/* On all ranks, and on some of them. */
static void messages_by_address(void)
{
    for (int part = 0; part < 2; ++part) {
        test_memory memory = {.way = part && test_rank % 2 ? TEST_NONE : TEST_RIGHT,
                              .chunk_bytes = part ? 1000 : 0};
        xl_mpi *const mpi = test_mpi_by_address(&memory);
        if (!mpi)
            return;
        for (int way = 0; way < TEST_WAYS; ++way)
            check_gather(mpi, way, way, 1000);
        const size_t sent = memory.way == TEST_NONE ? memory.host_bytes : memory.address_bytes;
        CHECK((sent > 0) == (test_size > 1));
        CHECK(memory.host_bytes + memory.address_bytes == sent);
        test_destroy_by_address(mpi);
    }
}

/* In two steps: the inputs may change, and buffers be released, after the first one. */
static void two_steps(void)
{
    static const moved m = {12, 2, 1};
    enum { N = 2000 };
    size_t elements[N];
    const size_t begin = test_begin(0, N, test_rank),
                 count = test_begin(0, N, test_rank + 1) - begin;
    const size_t received = expected_elements(0, N, elements);
    xl_mpi_exchange *const exchange = make_exchange(test_mpi, 0, 0, N);
    xl_mpi_field field = make_field(&m, 0, begin, count, received);
    CHECK(xl_mpi_gather_end(exchange, NULL) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(xl_mpi_error(test_mpi), "no gather is under way"));
    SUCCEEDS(xl_mpi_gather_begin(exchange, test_queue, 1, &field, 0, NULL));
    CHECK(xl_mpi_gather_begin(exchange, test_queue, 1, &field, 0, NULL) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(xl_mpi_error(test_mpi), "under way"));
    const cl_uint pattern = 0xabcdef01;
    CHECK(clEnqueueFillBuffer(test_queue, field.in.buffer, &pattern, 4, 0, (count + 2) * 12, 0,
                              NULL, NULL) == CL_SUCCESS);
    clReleaseMemObject(field.in.buffer);
    SUCCEEDS(xl_mpi_gather_end(exchange, NULL));
    CHECK(right_field(&m, 0, &field, elements, received));
    clReleaseMemObject(field.out.buffer);
    /* destroyed while messages are under way */
    field = make_field(&m, 0, begin, count, received);
    SUCCEEDS(xl_mpi_gather_begin(exchange, test_queue, 1, &field, 0, NULL));
    xl_mpi_exchange_destroy(exchange);
    release_fields(1, &field);
}

/* A queue out of order, with an event to wait for. */
static void queues_out_of_order(void)
{
    static const moved m = {8, 0, 0};
    enum { N = 5000 };
    size_t *const elements = malloc(N * sizeof *elements);
    const size_t begin = test_begin(0, N, test_rank),
                 count = test_begin(0, N, test_rank + 1) - begin;
    const size_t received = expected_elements(0, N, elements);
    xl_mpi_exchange *const exchange = make_exchange(test_mpi, 0, 0, N);
    cl_int code;
    const cl_command_queue queue =
        clCreateCommandQueue(xl_context_cl(test_ctx), xl_context_device(test_ctx),
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        for (int k = 0; k < 10; ++k) {
            xl_mpi_field field = make_field(&m, 0, begin, count, received);
            const cl_mem source = field.in.buffer;
            cl_event copied = NULL, event = NULL;
            field.in.buffer = test_buffer(count * 8, NULL);
            if (count > 0)
                CHECK(clEnqueueCopyBuffer(queue, source, field.in.buffer, 0, 0, count * 8, 0, NULL,
                                          &copied) == CL_SUCCESS);
            SUCCEEDS(xl_mpi_gather(exchange, queue, 1, &field, copied ? 1 : 0,
                                   copied ? &copied : NULL, &event));
            CHECK(event && clWaitForEvents(1, &event) == CL_SUCCESS);
            CHECK(right_field(&m, 0, &field, elements, received));
            clReleaseEvent(event);
            if (copied)
                clReleaseEvent(copied);
            clReleaseMemObject(source);
            release_fields(1, &field);
        }
        clReleaseCommandQueue(queue);
    }
    xl_mpi_exchange_destroy(exchange);
    free(elements);
}

static void bad_owners_are_named(void)
{
    const int last = test_size - 1;
    uint32_t owners[10] = {0};
    xl_mpi_exchange *exchange = NULL;
    if (test_rank == last) {
        owners[7] = (uint32_t)test_size;
        owners[8] = 0xffffffff;
    }
    const cl_mem buffer = test_buffer(sizeof owners, owners);
    const xl_view view = xl_view_of(buffer, 0), part = xl_view_n(buffer, 0, 9);
    CHECK(xl_mpi_exchange_by_owner(test_mpi, test_queue, 10, view, 0, NULL, &exchange) ==
          XL_ERROR_OUT_OF_DOMAIN);
    CHECK(!exchange && test_says(test_mpi, last, "owners[7]: "));
    CHECK(xl_mpi_exchange_by_owner(test_mpi, test_queue, test_rank == last ? 11 : 0, view, 0, NULL,
                                   &exchange) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(!exchange && test_says(test_mpi, last, "owners: "));
    CHECK(xl_mpi_exchange_by_owner(test_mpi, test_queue, test_rank == last ? 10 : 0, part, 0, NULL,
                                   &exchange) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(xl_mpi_exchange_by_owner(test_mpi, test_rank == last ? NULL : test_queue, 0, view, 0,
                                   NULL, &exchange) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(!exchange && test_says(test_mpi, last, "queue: NULL"));
    CHECK(xl_mpi_exchange_by_owner(test_mpi, test_queue, 1, xl_no_view(), 0, NULL, &exchange) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(xl_mpi_exchange_by_owner(test_mpi, test_queue, 0, xl_no_view(), 0, NULL,
                                   test_rank == last ? NULL : &exchange) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(!exchange && test_says(test_mpi, last, "exchange: NULL"));
    clReleaseMemObject(buffer);
    xl_mpi_exchange_destroy(NULL);
}

static void bad_fields_are_named(void)
{
    const int last = test_size - 1;
    const bool here = test_rank == last;
    static const moved m = {8, 0, 0};
    xl_mpi_exchange *const exchange = make_exchange(test_mpi, 0, 0, 100);
    const size_t received = xl_mpi_exchange_num_out(exchange),
                 sent = xl_mpi_exchange_num_in(exchange);
    const xl_mpi_field good = make_field(&m, 0, test_begin(0, 100, test_rank), sent, received);
    xl_mpi_field bad = good;
    bad.element_bytes = here ? 0 : 8;
    CHECK(xl_mpi_gather(exchange, test_queue, 1, &bad, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(test_says(test_mpi, last, "fields[0].element_bytes: 0"));
    bad.element_bytes = here ? 4 : 8;
    if (test_size > 1) {
        CHECK(xl_mpi_gather(exchange, test_queue, 1, &bad, 0, NULL, NULL) ==
              XL_ERROR_INVALID_ARGUMENT);
        CHECK(test_says(test_mpi, last, "fields[0].element_bytes: differs"));
        CHECK(xl_mpi_gather(exchange, test_queue, here ? 0 : 1, &good, 0, NULL, NULL) ==
              XL_ERROR_INVALID_ARGUMENT);
        CHECK(test_says(test_mpi, last, "num_fields: differs"));
    }
    const xl_mpi_field pair[2] = {good, {.element_bytes = 8, .in = good.in}};
    CHECK(xl_mpi_gather(exchange, test_queue, 2, pair, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(xl_mpi_error(test_mpi), "fields[1].out: "));
    CHECK(xl_mpi_gather(exchange, test_queue, 2, (const xl_mpi_field[]){good, good}, 0, NULL,
                        NULL) == XL_ERROR_OVERLAP);
    CHECK(strstr(xl_mpi_error(test_mpi), "fields[0].out and fields[1].out overlap"));
    CHECK(xl_mpi_gather(exchange, test_queue, 17, pair, 0, NULL, NULL) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(xl_mpi_gather(exchange, test_queue, 1, here ? NULL : &good, 0, NULL, NULL) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(test_says(test_mpi, last, "fields: NULL"));
    CHECK(xl_mpi_gather(NULL, test_queue, 1, &good, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(xl_mpi_gather(exchange, test_queue, 1, &good, 0, NULL, NULL));
    xl_mpi_exchange_destroy(exchange);
    release_fields(1, &good);
}

/* Creation and a gather in two steps, with an agreement that fails. */
static xl_status all_steps(xl_mpi *mpi, void *user)
{
    (void)user;
    uint32_t owners[4] = {0, (uint32_t)test_size - 1, 0, 0};
    static const moved m = {4, 0, 0};
    const cl_mem buffer = test_buffer(sizeof owners, owners);
    const xl_view view = xl_view_of(buffer, 0);
    xl_mpi_exchange *exchange = NULL;
    xl_mpi_field field = {0};
    xl_status status = xl_mpi_exchange_by_owner(mpi, test_queue, 4, view, 0, NULL, &exchange);
    CHECK((status == XL_SUCCESS) == (exchange != NULL));
    if (status == XL_SUCCESS) {
        field = make_field(&m, 0, 0, 4, xl_mpi_exchange_num_out(exchange));
        status = xl_mpi_gather_begin(exchange, test_queue, 1, &field, 0, NULL);
        if (status == XL_SUCCESS)
            status = xl_mpi_gather_end(exchange, NULL);
        if (status != XL_SUCCESS) /* the exchange still works */
            SUCCEEDS(xl_mpi_gather(exchange, test_queue, 1, &field, 0, NULL, NULL));
        release_fields(1, &field);
        xl_mpi_exchange_destroy(exchange);
    }
    clReleaseMemObject(buffer);
    return status;
}

static void all_ranks_fail_together(void)
{
    CHECK(test_each_failure(test_size - 1, all_steps, NULL) >= 5);
}

MPI_TEST_MAIN({"elements_arrive_in_order", elements_arrive_in_order},
              {"messages_have_pieces", messages_have_pieces},
              {"messages_by_address", messages_by_address}, {"two_steps", two_steps},
              {"queues_out_of_order", queues_out_of_order},
              {"bad_owners_are_named", bad_owners_are_named},
              {"bad_fields_are_named", bad_fields_are_named},
              {"all_ranks_fail_together", all_ranks_fail_together})

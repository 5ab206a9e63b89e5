/* SPDX-License-Identifier: MIT
 * Scatter: the copies of each element on all ranks are combined in the order of the ranks. Expected results
 * are those of a loop on the host. */
#include "mpi_points.h"

/* ---- combination on the host ----------------------------------------------------------------- */

/* combine_T(op, a, b): one lane; T none_T(op): the identity. Small integers wrap. */
#define INTEGER(name, type, least, greatest)                                                       \
    static void combine_##name(uint32_t op, void *to, const void *from)                            \
    {                                                                                              \
        type a, b;                                                                                 \
        memcpy(&a, to, sizeof a);                                                                  \
        memcpy(&b, from, sizeof b);                                                                \
        const uint64_t x = (uint64_t)a, y = (uint64_t)b;                                           \
        const type result = op == XL_SUM    ? (type)(x + y)                                        \
                            : op == XL_PROD ? (type)(x * y)                                        \
                            : op == XL_MIN  ? (b < a ? b : a)                                      \
                            : op == XL_MAX  ? (b > a ? b : a)                                      \
                            : op == XL_AND  ? (type)(x & y)                                        \
                            : op == XL_OR   ? (type)(x | y)                                        \
                                            : (type)(x ^ y);                                         \
        memcpy(to, &result, sizeof result);                                                        \
    }                                                                                              \
    static void none_##name(uint32_t op, void *to)                                                 \
    {                                                                                              \
        const type result = op == XL_PROD  ? 1                                                     \
                            : op == XL_MIN ? greatest                                              \
                            : op == XL_MAX ? least                                                 \
                            : op == XL_AND ? (type)~UINT64_C(0)                                    \
                                           : 0;                                                    \
        memcpy(to, &result, sizeof result);                                                        \
    }
#define FLOATING(name, type)                                                                       \
    static void combine_##name(uint32_t op, void *to, const void *from)                            \
    {                                                                                              \
        type a, b;                                                                                 \
        memcpy(&a, to, sizeof a);                                                                  \
        memcpy(&b, from, sizeof b);                                                                \
        const type result = op == XL_SUM    ? a + b                                                \
                            : op == XL_PROD ? a * b                                                \
                            : op == XL_MIN  ? (b < a ? b : a)                                      \
                                            : (b > a ? b : a);                                      \
        memcpy(to, &result, sizeof result);                                                        \
    }                                                                                              \
    static void none_##name(uint32_t op, void *to)                                                 \
    {                                                                                              \
        const type result = op == XL_PROD  ? 1                                                     \
                            : op == XL_MIN ? (type)INFINITY                                        \
                            : op == XL_MAX ? -(type)INFINITY                                       \
                                           : 0;                                                    \
        memcpy(to, &result, sizeof result);                                                        \
    }
INTEGER(i8, int8_t, INT8_MIN, INT8_MAX)
INTEGER(u8, uint8_t, 0, UINT8_MAX)
INTEGER(i16, int16_t, INT16_MIN, INT16_MAX)
INTEGER(u16, uint16_t, 0, UINT16_MAX)
INTEGER(i32, int32_t, INT32_MIN, INT32_MAX)
INTEGER(u32, uint32_t, 0, UINT32_MAX)
INTEGER(i64, int64_t, INT64_MIN, INT64_MAX)
INTEGER(u64, uint64_t, 0, UINT64_MAX)
FLOATING(f32, float)
FLOATING(f64, double)

typedef struct lane {
    size_t bytes;
    void (*combine)(uint32_t op, void *to, const void *from);
    void (*none)(uint32_t op, void *to);
} lane;
static const lane lanes[] = {
    [XL_I8] = {1, combine_i8, none_i8},    [XL_U8] = {1, combine_u8, none_u8},
    [XL_I16] = {2, combine_i16, none_i16}, [XL_U16] = {2, combine_u16, none_u16},
    [XL_I32] = {4, combine_i32, none_i32}, [XL_U32] = {4, combine_u32, none_u32},
    [XL_I64] = {8, combine_i64, none_i64}, [XL_U64] = {8, combine_u64, none_u64},
    [XL_F32] = {4, combine_f32, none_f32}, [XL_F64] = {8, combine_f64, none_f64}};

/* ---- values ---------------------------------------------------------------------------------- */

/* Copy of element `id` on a rank, in one lane. */
static void make_value(uint32_t type, int rank, size_t id, uint32_t number, void *to)
{
    uint64_t state = id * 1000 + (uint64_t)rank * 10 + number;
    const uint64_t bits = test_random(&state);
    if (type == XL_F32 || type == XL_F64) {
        const double special[] = {0.0, -0.0, (double)INFINITY, (double)NAN};
        const double x = bits % 16 < 4
                             ? special[bits % 4]
                             : ((double)(bits >> 11) * 0x1p-53 - .5) * (double)(1 << bits % 8);
        const float narrow = (float)x;
        memcpy(to, type == XL_F32 ? (const void *)&narrow : (const void *)&x, lanes[type].bytes);
        return;
    }
    memcpy(to, &bits, lanes[type].bytes); /* the low bytes on this machine or the high ones */
}

/* NaN of any kind are equal; otherwise bits. */
static bool same(uint32_t type, const void *a, const void *b)
{
    if (type == XL_F32) {
        float x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        if (isnan(x) && isnan(y))
            return true;
    }
    if (type == XL_F64) {
        double x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        if (isnan(x) && isnan(y))
            return true;
    }
    return memcmp(a, b, lanes[type].bytes) == 0;
}

/* ---- an exchange whose copies are known -------------------------------------------------------- */

typedef struct known {
    xl_mpi_exchange *exchange;
    size_t n, begin, end, received;
    size_t *ids;    /* of what this rank received */
    bool *has_copy; /* [rank * n + id] */
} known;

static known make_known(xl_mpi *mpi, const points_case *c, int way)
{
    known k = {.n = c->n,
               .begin = test_begin(way, c->n, test_rank),
               .end = test_begin(way, c->n, test_rank + 1)};
    double(*const points)[3] = points_make(c);
    const xl_mpi_halo_args args = {
        .space = &c->space,
        .radius = c->radius,
        .order = (uint32_t)way % 2,
        .n = k.end - k.begin,
        .points = xl_view_of(
            points_buffer(&c->space, points, k.begin, k.end, c->space.dimensions, 0), 0)};
    SUCCEEDS(xl_mpi_exchange_halo(mpi, test_queue, &args, 0, NULL, &k.exchange));
    k.received = xl_mpi_exchange_num_out(k.exchange);
    uint64_t *const ids = malloc((k.received + 1) * sizeof *ids);
    k.ids = malloc((k.received + 1) * sizeof *k.ids);
    k.has_copy = calloc((size_t)test_size * c->n + 1, sizeof *k.has_copy);
    test_read(xl_mpi_exchange_ids(k.exchange).buffer, k.received * sizeof *ids, ids);
    for (size_t i = 0; i < k.received; ++i) {
        k.ids[i] = (size_t)ids[i];
        k.has_copy[(size_t)test_rank * c->n + k.ids[i]] = true;
    }
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, k.has_copy, (int)c->n, MPI_BYTE, MPI_COMM_WORLD);
    clReleaseMemObject(args.points.buffer);
    free(points);
    free(ids);
    return k;
}

static void release_known(known *k)
{
    xl_mpi_exchange_destroy(k->exchange);
    free(k->ids);
    free(k->has_copy);
}

/* What element `id` becomes, in one lane. */
static void expected_value(const known *k, uint32_t type, uint32_t op, size_t id, uint32_t number,
                           void *to)
{
    bool first = true;
    unsigned char copy[8];
    lanes[type].none(op, to);
    for (int r = 0; r < test_size; ++r) {
        if (!k->has_copy[(size_t)r * k->n + id])
            continue;
        make_value(type, r, id, number, copy);
        if (first && op != XL_MIN && op != XL_MAX)
            memcpy(to, copy, lanes[type].bytes);
        else
            lanes[type].combine(op, to, copy);
        first = false;
    }
}

static unsigned char *make_copies(const known *k, uint32_t type, uint32_t width, size_t stride)
{
    const lane *const l = &lanes[type];
    unsigned char *const in = calloc((k->received + 3) * stride, l->bytes);
    for (size_t i = 0; i < k->received; ++i)
        for (uint32_t number = 0; number < width; ++number)
            make_value(type, test_rank, k->ids[i], number,
                       in + ((i + 2) * stride + number) * l->bytes);
    return in;
}

static void check_scatter(const known *k, uint32_t type, uint32_t op)
{
    const uint32_t scalar = type & 0xff, width = type >> 8 ? type >> 8 : 1;
    const lane *const l = &lanes[scalar];
    const size_t stride = width == 3 ? 4 : width, sent = k->end - k->begin;
    unsigned char *const in = make_copies(k, scalar, width, stride),
                         *const out = malloc((sent + 1) * stride * l->bytes), expected[8];
    const xl_mpi_scatter_args args = {
        .type = type,
        .op = op,
        .in = xl_view_of(test_buffer((k->received + 2) * stride * l->bytes, in), 2),
        .out = xl_view_of(test_buffer((sent + 1) * stride * l->bytes, NULL), 1)};
    bool right = true;
    SUCCEEDS(xl_mpi_scatter(k->exchange, test_queue, &args, 0, NULL, NULL));
    test_read(args.out.buffer, (sent + 1) * stride * l->bytes, out);
    for (size_t i = 0; i < sent; ++i)
        for (uint32_t number = 0; number < width; ++number) {
            expected_value(k, scalar, op, k->begin + i, number, expected);
            right = right && same(scalar, out + ((i + 1) * stride + number) * l->bytes, expected);
        }
    for (size_t b = 0; b < stride * l->bytes; ++b)
        right = right && out[b] == 0;
    if (!CHECK(right))
        fprintf(stderr, "    %s of %s\n", xl_op_name((xl_op)op), xl_type_name((xl_type)type));
    clReleaseMemObject(args.in.buffer);
    clReleaseMemObject(args.out.buffer);
    free(in);
    free(out);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static bool has_f64(void)
{
    xl_device_info info;
    return xl_context_device_info(test_ctx, &info) == XL_SUCCESS && info.has_fp64;
}

static void copies_are_combined(void)
{
    static const struct {
        uint32_t type, ops; /* a bit for each operator */
    } pairs[] = {{XL_I8, 1 << XL_SUM | 1 << XL_PROD | 1 << XL_MIN},
                 {XL_U16, 1 << XL_PROD | 1 << XL_MAX},
                 {XL_I32, 0xfe},
                 {XL_U64, 1 << XL_MIN | 1 << XL_AND},
                 {XL_F32, 0x1e},
                 {XL_F64, 1 << XL_SUM | 1 << XL_MIN},
                 {XL_F32X3, 1 << XL_SUM},
                 {XL_U8X4, 1 << XL_PROD},
                 {XL_I64X3, 1 << XL_MAX}};
    known few = make_known(test_mpi, &points_cases[9], 0),
          many = make_known(test_mpi, &points_cases[1], 3);
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; ++p)
        for (uint32_t op = XL_SUM; op <= XL_XOR; ++op)
            if (pairs[p].ops >> op & 1 && ((pairs[p].type & 0xff) != XL_F64 || has_f64())) {
                check_scatter(&few, pairs[p].type, op);
                check_scatter(&many, pairs[p].type, op);
            }
    release_known(&few);
    release_known(&many);
}

static void all_ways_to_divide(void)
{
    for (int way = 0; way < TEST_WAYS; ++way)
        for (size_t n = 0; n < 500; n = 10 * n + 1) {
            const points_case c = {"ways", POINTS_BOX(2, XL_F32, 3, 10, 9, 0), 2, n, true};
            known k = make_known(test_mpi, &c, way);
            check_scatter(&k, XL_F32, XL_SUM);
            check_scatter(&k, XL_U32, XL_SUM);
            release_known(&k);
        }
}

static void messages_by_address(void)
{
    test_memory memory = {.way = test_rank == 1 ? TEST_NONE : TEST_RIGHT};
    xl_mpi *const mpi = test_mpi_by_address(&memory);
    if (!mpi)
        return;
    known k = make_known(mpi, &points_cases[1], 0);
    const size_t before = memory.address_bytes;
    check_scatter(&k, XL_F32, XL_SUM);
    check_scatter(&k, XL_I64X3, XL_MAX);
    CHECK((memory.address_bytes > before) == (test_size > 1 && test_rank != 1));
    release_known(&k);
    test_destroy_by_address(mpi);
}

/* Back along an exchange by owner: each element returns to where it was. */
static void elements_return(void)
{
    enum { N = 1000 };
    uint32_t owners[N];
    uint64_t values[N], back[N];
    uint64_t state = (uint64_t)test_rank;
    const size_t n = test_rank == 1 ? 0 : N;
    for (size_t i = 0; i < N; ++i) {
        owners[i] = (uint32_t)(test_random(&state) % (uint64_t)test_size);
        values[i] = test_random(&state);
    }
    const cl_mem in = test_buffer(sizeof values, values), out = test_buffer(sizeof values, NULL),
                 owner = test_buffer(sizeof owners, owners);
    const xl_view view = xl_view_of(owner, 0);
    xl_mpi_exchange *exchange = NULL;
    SUCCEEDS(xl_mpi_exchange_by_owner(test_mpi, test_queue, n, view, 0, NULL, &exchange));
    const cl_mem there = test_buffer(xl_mpi_exchange_num_out(exchange) * 8, NULL);
    const xl_mpi_field field = {8, xl_view_of(in, 0), xl_view_of(there, 0)};
    SUCCEEDS(xl_mpi_gather(exchange, test_queue, 1, &field, 0, NULL, NULL));
    const xl_mpi_scatter_args args = {XL_U64, XL_SUM, xl_view_of(there, 0), xl_view_of(out, 0)};
    SUCCEEDS(xl_mpi_scatter_begin(exchange, test_queue, &args, 0, NULL));
    CHECK(xl_mpi_gather_end(exchange, NULL) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(xl_mpi_scatter_begin(exchange, test_queue, &args, 0, NULL) == XL_ERROR_INVALID_ARGUMENT);
    clReleaseMemObject(there);
    cl_event event = NULL;
    SUCCEEDS(xl_mpi_scatter_end(exchange, &event));
    CHECK(event && clWaitForEvents(1, &event) == CL_SUCCESS);
    clReleaseEvent(event);
    CHECK(xl_mpi_scatter_end(exchange, NULL) == XL_ERROR_INVALID_ARGUMENT);
    test_read(out, n * 8, back);
    CHECK(memcmp(back, values, n * 8) == 0);
    xl_mpi_exchange_destroy(exchange);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(owner);
}

static void bad_arguments_are_named(void)
{
    const int last = test_size - 1;
    const bool here = test_rank == last;
    known k = make_known(test_mpi, &points_cases[0], 0);
    const cl_mem in = test_buffer(k.received * 4, NULL),
                 out = test_buffer((k.end - k.begin) * 4, NULL);
    const xl_mpi_scatter_args good = {XL_F32, XL_SUM, xl_view_of(in, 0), xl_view_of(out, 0)};
    const struct {
        uint32_t type, op;
        const char *text;
    } bad[] = {{XL_F32, XL_AND, "args.op: and of f32"},
               {XL_F32, XL_ARG_MIN, "args.op: "},
               {XL_F32, 0, "args.op: "},
               {XL_USER_TYPE, XL_SUM, "args.type: "},
               {XL_NONE, XL_SUM, "args.type: "},
               {XL_F64, XL_SUM, "args."}};
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; ++b) {
        xl_mpi_scatter_args args = good;
        args.type = here ? bad[b].type : XL_F32;
        args.op = here ? bad[b].op : XL_SUM;
        CHECK(xl_mpi_scatter(k.exchange, test_queue, &args, 0, NULL, NULL) != XL_SUCCESS);
        CHECK(test_says(test_mpi, last, bad[b].text));
    }
    xl_mpi_scatter_args over = good;
    over.out = here ? good.in : good.out;
    CHECK(xl_mpi_scatter(k.exchange, test_queue, &over, 0, NULL, NULL) == XL_ERROR_OVERLAP);
    CHECK(test_says(test_mpi, last, "args.in and args.out overlap"));
    if (test_size > 1) {
        xl_mpi_scatter_args args = good;
        args.op = here ? XL_MAX : XL_SUM;
        CHECK(xl_mpi_scatter(k.exchange, test_queue, &args, 0, NULL, NULL) ==
              XL_ERROR_INVALID_ARGUMENT);
        CHECK(test_says(test_mpi, last, "args.op: differs"));
    }
    CHECK(xl_mpi_scatter(k.exchange, test_queue, here ? NULL : &good, 0, NULL, NULL) ==
          XL_ERROR_INVALID_ARGUMENT);
    CHECK(test_says(test_mpi, last, "args: NULL"));
    CHECK(xl_mpi_scatter(NULL, test_queue, &good, 0, NULL, NULL) == XL_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(xl_mpi_scatter(k.exchange, test_queue, &good, 0, NULL, NULL));
    release_known(&k);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Creation and a scatter, which must succeed if it is repeated on the same exchange. */
static xl_status create_and_scatter(xl_mpi *mpi, void *user)
{
    const uint32_t owners[4] = {0, (uint32_t)test_size - 1, 0, 0}, zeros[4096] = {0};
    const cl_mem owner = test_buffer(sizeof owners, owners), in = test_buffer(sizeof zeros, zeros),
                 out = test_buffer(16, NULL);
    const xl_mpi_scatter_args args = {XL_U32, XL_SUM, xl_view_of(in, 0), xl_view_of(out, 0)};
    xl_mpi_exchange *exchange = NULL;
    int *const scatters = user;
    xl_status status =
        xl_mpi_exchange_by_owner(mpi, test_queue, 4, xl_view_of(owner, 0), 0, NULL, &exchange);
    if (status == XL_SUCCESS) {
        status = xl_mpi_scatter(exchange, test_queue, &args, 0, NULL, NULL);
        if (status != XL_SUCCESS) {
            ++*scatters;
            CHECK(test_says(mpi, test_size - 1, "a test makes"));
            SUCCEEDS(xl_mpi_scatter(exchange, test_queue, &args, 0, NULL, NULL));
        }
    }
    xl_mpi_exchange_destroy(exchange);
    clReleaseMemObject(owner);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return status;
}

static void all_ranks_fail_together(void)
{
    int scatters = 0;
    CHECK(test_each_failure(test_size - 1, create_and_scatter, &scatters) < 39);
    CHECK(scatters >= 4);
}

MPI_TEST_MAIN({"copies_are_combined", copies_are_combined},
              {"all_ways_to_divide", all_ways_to_divide}, {"elements_return", elements_return},
              {"messages_by_address", messages_by_address},
              {"bad_arguments_are_named", bad_arguments_are_named},
              {"all_ranks_fail_together", all_ranks_fail_together})

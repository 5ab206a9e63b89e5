/* SPDX-License-Identifier: MIT
 * Halos: every point within the radius arrives, in the order promised, and few others. Expected results are
 * those of a loop over all pairs and images. */
#include "mpi_points.h"

/* ---- needed points --------------------------------------------------------------------------- */

/* Whether an image of q is within the radius of p. */
static bool is_near(const points_case *c, const double *p, const double *q)
{
    const xl_space *const s = &c->space;
    int most[3] = {0};
    for (uint32_t k = 0; k < s->dimensions; ++k)
        if (s->periodic >> k & 1)
            most[k] = (s->cell[1][0] == 0 ? 1 : 2) + (int)(c->radius / fabs(s->cell[k][k]));
    for (int x = -most[0]; x <= most[0]; ++x)
        for (int y = -most[1]; y <= most[1]; ++y)
            for (int z = -most[2]; z <= most[2]; ++z) {
                double sum = 0;
                for (uint32_t a = 0; a < s->dimensions; ++a) {
                    const double d =
                        q[a] - p[a] + x * s->cell[0][a] + y * s->cell[1][a] + z * s->cell[2][a];
                    sum += d * d;
                }
                if (sum <= c->radius * c->radius)
                    return true;
            }
    return false;
}

/* Stores in needed[j] whether point j of the whole array is near one of begin ... end; the owned ones are. */
static size_t find_needed(const points_case *c, double (*points)[3], size_t begin, size_t end,
                          bool *needed)
{
    size_t count = 0;
    for (size_t j = 0; j < c->n; ++j) {
        needed[j] = j >= begin && j < end;
        for (size_t i = begin; i < end && !needed[j]; ++i)
            needed[j] = is_near(c, points[i], points[j]);
        count += needed[j];
    }
    return count;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static size_t index_of(uint64_t id, bool given)
{
    return (size_t)(given ? (id - 5) / 3 : id);
}

/* The ids of the received elements: all that are needed, in order, each once. */
static void check_ids(const points_case *c, uint32_t order, const uint64_t *ids, size_t received,
                      size_t begin, size_t end, const bool *needed, bool given)
{
    bool *const here = calloc(c->n + 1, sizeof *here);
    bool right = true;
    for (size_t k = 0; k < received; ++k) {
        const size_t i = index_of(ids[k], given);
        right = right && i < c->n && !here[i];
        if (!right)
            break;
        here[i] = true;
        if (order == XL_MPI_BY_ID || k >= end - begin + 1)
            right = right && (k == 0 || ids[k] > ids[k - 1]);
        if (order == XL_MPI_OWNED_FIRST && k < end - begin)
            right = right && i == begin + k;
    }
    for (size_t i = 0; i < c->n; ++i)
        right = right && (here[i] || !needed[i]);
    if (!CHECK(right))
        fprintf(stderr, "    case \"%s\", order %u\n", c->name, (unsigned)order);
    free(here);
}

/* Gathers the points: each is that of its id. */
static void check_points(const points_case *c, xl_mpi_exchange *exchange, double (*points)[3],
                         const uint64_t *ids, size_t begin, size_t end, bool given)
{
    const size_t d = c->space.dimensions, bytes = c->space.scalar == XL_F64 ? 8 : 4,
                 received = xl_mpi_exchange_num_out(exchange);
    unsigned char *const there = calloc(received + 1, d * bytes);
    const xl_mpi_field field = {
        .element_bytes = d * bytes,
        .in = xl_view_of(points_buffer(&c->space, points, begin, end, d, 0), 0),
        .out = xl_view_of(test_buffer(received * d * bytes, NULL), 0)};
    bool right = true;
    SUCCEEDS(xl_mpi_gather(exchange, test_queue, 1, &field, 0, NULL, NULL));
    test_read(field.out.buffer, received * d * bytes, there);
    for (size_t k = 0; k < received; ++k)
        for (size_t a = 0; a < d; ++a) {
            const void *const x = there + (k * d + a) * bytes;
            const double value = bytes == 8 ? *(const double *)x : (double)*(const float *)x;
            right = right && value == points[index_of(ids[k], given)][a];
        }
    CHECK(right);
    clReleaseMemObject(field.in.buffer);
    clReleaseMemObject(field.out.buffer);
    free(there);
}

static void check_places(xl_mpi_exchange *exchange, const uint64_t *ids, size_t begin, bool given)
{
    const size_t n = xl_mpi_exchange_num_in(exchange);
    const xl_view view = xl_mpi_exchange_places(exchange);
    uint32_t *const places = malloc((view.offset + n + 1) * sizeof *places);
    bool right = true;
    test_read(view.buffer, (view.offset + n) * sizeof *places, places);
    for (size_t i = 0; i < n; ++i) {
        const size_t k = places[view.offset + i];
        right =
            right && k < xl_mpi_exchange_num_out(exchange) && index_of(ids[k], given) == begin + i;
    }
    CHECK(right && view.count == n);
    free(places);
}

static xl_mpi_halo_args make_args(const points_case *c, double (*points)[3], size_t begin,
                                  size_t end, uint32_t order, bool given)
{
    const size_t n = end - begin, stride = c->space.dimensions + (given ? 2 : 0);
    uint64_t *const ids = malloc((n + 2) * sizeof *ids);
    for (size_t i = 0; i < n; ++i)
        ids[1 + i] = 3 * (begin + i) + 5;
    const xl_mpi_halo_args args = {
        .space = &c->space,
        .stride = given ? (uint32_t)stride : 0,
        .order = order,
        .radius = c->radius,
        .n = n,
        .points = xl_view_of(points_buffer(&c->space, points, begin, end, stride, given ? 1 : 0),
                             given ? 1 : 0),
        .ids = given ? xl_view_of(test_buffer((n + 1) * sizeof *ids, ids), 1) : xl_no_view()};
    free(ids);
    return args;
}

static void release_args(const xl_mpi_halo_args *args)
{
    clReleaseMemObject(args->points.buffer);
    if (args->ids.buffer)
        clReleaseMemObject(args->ids.buffer);
}

/* Returns how many elements arrived, and in *wanted how many of them are needed. */
static size_t check_halo(xl_mpi *mpi, const points_case *c, int way, uint32_t order, size_t *wanted)
{
    const bool given = (way + (int)order) % 2;
    double(*const points)[3] = points_make(c);
    bool *const needed = malloc(c->n + 1);
    const size_t begin = test_begin(way, c->n, test_rank),
                 end = test_begin(way, c->n, test_rank + 1);
    const xl_mpi_halo_args args = make_args(c, points, begin, end, order, given);
    xl_mpi_exchange *exchange = NULL;
    size_t received = 0;
    *wanted = find_needed(c, points, begin, end, needed);
    if (SUCCEEDS(xl_mpi_exchange_halo(mpi, test_queue, &args, 0, NULL, &exchange))) {
        received = xl_mpi_exchange_num_out(exchange);
        const xl_view view = xl_mpi_exchange_ids(exchange);
        uint64_t *const ids = malloc((received + 1) * sizeof *ids);
        CHECK(xl_mpi_exchange_num_in(exchange) == end - begin && view.offset == 0);
        test_read(view.buffer, received * sizeof *ids, ids);
        check_ids(c, order, ids, received, begin, end, needed, given);
        check_places(exchange, ids, begin, given);
        check_points(c, exchange, points, ids, begin, end, given);
        free(ids);
    }
    xl_mpi_exchange_destroy(exchange);
    release_args(&args);
    free(points);
    free(needed);
    return received;
}

static void all_near_points_arrive(void)
{
    for (size_t k = 0; k < POINTS_CASES; ++k)
        for (int way = 0; way < TEST_WAYS; ++way) {
            size_t wanted;
            if (way == 0 || (k + (size_t)way) % 4 == 0)
                check_halo(test_mpi, &points_cases[k], way, (uint32_t)(k + (size_t)way) % 2,
                           &wanted);
        }
}

static void few_points(void)
{
    for (size_t n = 0; n < 4; ++n)
        for (int way = 0; way < TEST_WAYS; ++way) {
            size_t wanted;
            const points_case open = {"few, open", POINTS_OPEN(3, XL_F32), 3, n, false},
                              box = {"few, periodic", POINTS_BOX(2, XL_F32, 3, 10, 9, 0), 3, n,
                                     false};
            check_halo(test_mpi, &open, way, XL_MPI_BY_ID, &wanted);
            check_halo(test_mpi, &box, way, XL_MPI_OWNED_FIRST, &wanted);
        }
}

/* Each rank has every test_size-th id, and all points are near each other. */
static void ids_of_ranks_interleave(void)
{
    enum { OWN = 20 };
    const xl_space space = {.dimensions = 1, .scalar = XL_F32, .bounds = XL_BOUNDS_FOUND};
    const size_t all = (size_t)(OWN * test_size);
    uint64_t given[OWN];
    float points[OWN];
    uint64_t *const ids = calloc(2 * all, sizeof *ids);
    uint32_t *const places = calloc(2 * all, sizeof *places);
    xl_mpi_exchange *exchange = NULL;
    for (int i = 0; i < OWN; ++i) {
        given[i] = (uint64_t)(i * test_size + test_rank);
        points[i] = (float)given[i];
    }
    const cl_mem in = test_buffer(sizeof given, given), out = test_buffer(all * sizeof *ids, NULL),
                 at = test_buffer(sizeof points, points);
    const xl_mpi_halo_args args = {.space = &space,
                                   .radius = 1000,
                                   .n = OWN,
                                   .points = xl_view_of(at, 0),
                                   .ids = xl_view_of(in, 0)};
    const xl_mpi_field field = {sizeof *ids, xl_view_of(in, 0), xl_view_of(out, 0)};
    if (SUCCEEDS(xl_mpi_exchange_halo(test_mpi, test_queue, &args, 0, NULL, &exchange)) &&
        CHECK(xl_mpi_exchange_num_out(exchange) == all)) {
        const xl_view view = xl_mpi_exchange_places(exchange);
        bool right = true;
        SUCCEEDS(xl_mpi_gather(exchange, test_queue, 1, &field, 0, NULL, NULL));
        test_read(xl_mpi_exchange_ids(exchange).buffer, all * sizeof *ids, ids);
        test_read(out, all * sizeof *ids, ids + all);
        test_read(view.buffer, (view.offset + OWN) * sizeof *places, places);
        for (size_t k = 0; k < all; ++k)
            right = right && ids[k] == k && ids[all + k] == k;
        for (size_t i = 0; i < OWN; ++i)
            right = right && places[view.offset + i] == given[i];
        CHECK(right);
    }
    xl_mpi_exchange_destroy(exchange);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(at);
    free(ids);
    free(places);
}

/* More points than a device surveys at a time: those of a rank are at 10 * rank, except one that is near those
 * of the next rank. */
static float *many_points(size_t n, size_t other)
{
    float *const points = malloc(n * sizeof *points);
    for (size_t i = 0; i < n; ++i)
        points[i] = (float)(10 * test_rank) + (i == other ? 9.9f : 0);
    return points;
}

static void one_of_many_is_near(void)
{
    enum { N = 150001 };
    static const size_t others[] = {0, 63, 64, 77777, N - 1};
    const xl_space space = POINTS_OPEN(1, XL_F32);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) {
        float *const points = many_points(N, others[k]);
        const xl_mpi_halo_args args = {.space = &space,
                                       .order = (uint32_t)k % 2,
                                       .radius = .2,
                                       .n = N,
                                       .points = xl_view_of(test_buffer(N * 4, points), 0)};
        xl_mpi_exchange *exchange = NULL;
        if (SUCCEEDS(xl_mpi_exchange_halo(test_mpi, test_queue, &args, 0, NULL, &exchange)))
            CHECK(xl_mpi_exchange_num_out(exchange) ==
                  (size_t)(N + (test_rank < test_size - 1 ? N - 1 : 0) + (test_rank > 0)));
        xl_mpi_exchange_destroy(exchange);
        clReleaseMemObject(args.points.buffer);
        free(points);
    }
}

/* A radius of which a quarter is 0: points of one place are near. */
static void the_least_radius(void)
{
    xl_device_info info;
    if (xl_context_device_info(test_ctx, &info) != XL_SUCCESS || !info.has_fp64)
        return;
    const double points[] = {0, 0, 0};
    const xl_space space = POINTS_OPEN(1, XL_F64);
    const xl_mpi_halo_args args = {.space = &space,
                                   .radius = 0x1p-1074,
                                   .n = 3,
                                   .points = xl_view_of(test_buffer(sizeof points, points), 0)};
    xl_mpi_exchange *exchange = NULL;
    if (SUCCEEDS(xl_mpi_exchange_halo(test_mpi, test_queue, &args, 0, NULL, &exchange)))
        CHECK(xl_mpi_exchange_num_out(exchange) == (size_t)(3 * test_size));
    xl_mpi_exchange_destroy(exchange);
    clReleaseMemObject(args.points.buffer);
}

/* If parts are compact, at most 1.3 times as many ghosts arrive as are needed. */
static void few_ghosts_are_too_far(void)
{
    const points_case c = {"compact parts", POINTS_OPEN(3, XL_F32), 1.2, 6000, 2};
    size_t wanted;
    const size_t received = check_halo(test_mpi, &c, 0, XL_MPI_BY_ID, &wanted);
    const size_t own = test_begin(0, c.n, test_rank + 1) - test_begin(0, c.n, test_rank);
    uint64_t ghosts[2] = {received - own, wanted - own};
    MPI_Allreduce(MPI_IN_PLACE, ghosts, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (!CHECK((double)ghosts[0] <= 1.3 * (double)ghosts[1]))
        fprintf(stderr, "    %.3f times as many ghosts as are needed\n",
                (double)ghosts[0] / (double)ghosts[1]);
}

static void messages_have_pieces(void)
{
    xl_mpi *mpi = NULL;
    xl_mpi_desc desc;
    size_t wanted;
    xl_mpi_desc_init(&desc);
    desc.chunk_bytes = 1000;
    SUCCEEDS(xl_mpi_create(test_ctx, MPI_COMM_WORLD, &desc, &mpi));
    check_halo(mpi, &points_cases[0], 0, XL_MPI_BY_ID, &wanted);
    check_halo(mpi, &points_cases[9], 3, XL_MPI_OWNED_FIRST, &wanted);
    xl_mpi_destroy(mpi);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void expect_failure(const xl_mpi_halo_args *args, xl_status status, int rank,
                           const char *text)
{
    xl_mpi_exchange *exchange = NULL;
    CHECK(xl_mpi_exchange_halo(test_mpi, test_queue, args, 0, NULL, &exchange) == status);
    CHECK(!exchange && test_says(test_mpi, rank, "") && strstr(xl_mpi_error(test_mpi), text));
    xl_mpi_exchange_destroy(exchange);
}

/* Point 7 of the last rank becomes (x, 3, 3). */
static void expect_bad_point(const xl_space *space, double x, xl_status status, const char *text)
{
    double points[10][3];
    for (int i = 0; i < 10; ++i)
        points[i][0] = points[i][1] = points[i][2] = 3;
    if (test_rank == test_size - 1)
        points[7][0] = x;
    const xl_mpi_halo_args args = {.space = space,
                                   .radius = 1,
                                   .n = 10,
                                   .points =
                                       xl_view_of(points_buffer(space, points, 0, 10, 3, 0), 0)};
    if (status != XL_SUCCESS) {
        expect_failure(&args, status, test_size - 1, "args.points: point 7 is (");
        expect_failure(&args, status, test_size - 1, text);
    } else {
        xl_mpi_exchange *exchange = NULL;
        SUCCEEDS(xl_mpi_exchange_halo(test_mpi, test_queue, &args, 0, NULL, &exchange));
        xl_mpi_exchange_destroy(exchange);
    }
    clReleaseMemObject(args.points.buffer);
}

static void bad_points_are_named(void)
{
    const xl_space open = POINTS_OPEN(3, XL_F32), box = POINTS_BOX(3, XL_F32, 7, 10, 9, 8),
                   cell = POINTS_CELL(XL_F64, 7);
    expect_bad_point(&open, (double)NAN, XL_ERROR_NON_FINITE, "nan");
    expect_bad_point(&box, (double)INFINITY, XL_ERROR_NON_FINITE, "inf");
    expect_bad_point(&box, 9, XL_SUCCESS, "");
    expect_bad_point(&box, (double)nextafterf(9, 10), XL_ERROR_OUT_OF_DOMAIN, "(9.0000009");
    expect_bad_point(&box, -1, XL_SUCCESS, "");
    expect_bad_point(&box, (double)nextafterf(-1, -2), XL_ERROR_OUT_OF_DOMAIN, "(-1.0000001");
    expect_bad_point(&cell, 10 + 1e-6, XL_SUCCESS, "");
    expect_bad_point(&cell, 10 + 1e-4, XL_ERROR_OUT_OF_DOMAIN, "(10.0001");
}

/* The error names the first of several refused points or ids, also among many. */
static void the_first_one_is_named(void)
{
    enum { N = 150001 };
    const int last = test_size - 1;
    const xl_space space = POINTS_OPEN(1, XL_F32);
    float *const points = many_points(N, 0);
    uint64_t *const ids = malloc(N * sizeof *ids);
    xl_mpi_halo_args args = {.space = &space, .radius = .2, .n = N};
    for (size_t i = 0; i < N; ++i)
        ids[i] = 3 * i;
    if (test_rank == last) {
        points[N - 1] = points[90000] = INFINITY;
        points[89950] = points[89951] = NAN;
        ids[77778] = ids[77777] = 5;
        ids[140000] = 7;
    }
    const cl_mem right = test_buffer(N * 4, NULL), wrong = test_buffer(N * 4, points);
    args.ids = xl_view_of(test_buffer(N * sizeof *ids, ids), 0);
    args.points = xl_view_of(wrong, 0);
    expect_failure(&args, XL_ERROR_NON_FINITE, last, "args.points: point 89950 is (nan, 0, 0)");
    args.points = xl_view_of(right, 0);
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last,
                   "args.ids: 5 at index 77777, behind 233328; ids must ascend");
    args.n = N - 77778;
    args.ids.offset = 77777;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last,
                   "args.ids: 5 at index 1, behind 5; ids must ascend");
    clReleaseMemObject(args.ids.buffer);
    clReleaseMemObject(right);
    clReleaseMemObject(wrong);
    free(points);
    free(ids);
}

static void bad_arguments_are_named(void)
{
    const int last = test_size - 1;
    const bool here = test_rank == last;
    xl_space space = POINTS_BOX(3, XL_F32, 7, 10, 9, 8);
    double points[4][3] = {{1, 3, 3}, {2, 3, 3}, {3, 3, 3}, {4, 3, 3}};
    uint64_t ids[4];
    for (uint64_t i = 0; i < 4; ++i)
        ids[i] = 10 * (uint64_t)test_rank + (here && i == 2 ? 1 : i);
    const xl_mpi_halo_args good = {.space = &space,
                                   .radius = 1,
                                   .n = 4,
                                   .points =
                                       xl_view_of(points_buffer(&space, points, 0, 4, 3, 0), 0)};
    xl_mpi_halo_args args = good;
    args.ids = xl_view_of(test_buffer(sizeof ids, ids), 0);
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.ids: ");
    clReleaseMemObject(args.ids.buffer);
    args = good;
    args.radius = here ? 0 : 1;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.radius: 0");
    args.radius = here ? (double)NAN : 1;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.radius: ");
    args = good;
    args.n = here ? 5 : 4;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.points: ");
    args = good;
    args.stride = here ? 2 : 3;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.stride: 2");
    args = good;
    args.order = here ? 2 : 0;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.order: 2");
    args = good;
    args.space = here ? NULL : &space;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.space: NULL");
    expect_failure(here ? NULL : &good, XL_ERROR_INVALID_ARGUMENT, last, "args: NULL");
    clReleaseMemObject(good.points.buffer);
}

/* Spaces that no rank may have. */
static void bad_spaces_are_named(void)
{
    const xl_space box = POINTS_BOX(3, XL_F32, 7, 10, 9, 8);
    xl_space bad[] = {box, box, box, box, box, box, box, box, box};
    static const char *const texts[] = {"dimensions: 4", "scalar: 6",  "bounds: 2",
                                        "wrap: 1",       "systems: 1", "periodic: 9",
                                        "cell[1][1]: 0", "no volume",  "origin and cell must be 0"};
    bad[0].dimensions = 4;
    bad[1].scalar = XL_U32;
    bad[2].bounds = XL_BOUNDS_PER_SYSTEM;
    bad[3].wrap = 1;
    bad[4].num_systems = 1;
    bad[5].periodic = 9;
    bad[6].cell[1][1] = 0;
    bad[7].cell[0][0] = 0;
    bad[7].cell[0][1] = 9;
    bad[8].bounds = XL_BOUNDS_FOUND;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        const xl_mpi_halo_args args = {.space = &bad[k], .radius = 1};
        expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, 0, texts[k]);
    }
}

static void differences_are_named(void)
{
    const int last = test_size - 1;
    const bool here = test_rank == last;
    xl_space space = POINTS_BOX(3, XL_F32, 7, 10, 9, 8);
    xl_mpi_halo_args args = {.space = &space, .radius = here ? 2 : 1};
    if (test_size == 1)
        return;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.radius: differs");
    args.radius = 1;
    args.order = here;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.order: differs");
    args.order = 0;
    space.cell[1][1] += here;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.space.cell: differs");
    space.cell[1][1] = 9;
    space.origin[2] = here ? 1 : 0;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.space.origin: differs");
    space.origin[2] = here ? -0.0 : 0.0;
    space.periodic = here ? 3 : 7;
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, last, "args.space.periodic: differs");
    space.periodic = 7;
    /* ids on one rank only */
    double points[1][3] = {{1, 3, 3}};
    const uint64_t id = 5;
    args.n = 1;
    args.points = xl_view_of(points_buffer(&space, points, 0, 1, 3, 0), 0);
    if (here)
        args.ids = xl_view_of(test_buffer(sizeof id, &id), 0);
    expect_failure(&args, XL_ERROR_INVALID_ARGUMENT, 0, "args.ids: not given");
    release_args(&args);
}

static xl_status make_halo(xl_mpi *mpi, void *args)
{
    xl_mpi_exchange *exchange = NULL;
    const xl_status status = xl_mpi_exchange_halo(mpi, test_queue, args, 0, NULL, &exchange);
    CHECK((status == XL_SUCCESS) == (exchange != NULL));
    xl_mpi_exchange_destroy(exchange);
    return status;
}

static void all_ranks_fail_together(void)
{
    const points_case *const c = &points_cases[0];
    double(*const points)[3] = points_make(c);
    xl_mpi_halo_args args = make_args(c, points, test_begin(0, c->n, test_rank),
                                      test_begin(0, c->n, test_rank + 1), XL_MPI_BY_ID, true);
    CHECK(test_each_failure(test_size - 1, make_halo, &args) >= 6);
    release_args(&args);
    free(points);
}

MPI_TEST_MAIN({"all_near_points_arrive", all_near_points_arrive}, {"few_points", few_points},
              {"ids_of_ranks_interleave", ids_of_ranks_interleave},
              {"the_least_radius", the_least_radius},
              {"few_ghosts_are_too_far", few_ghosts_are_too_far},
              {"messages_have_pieces", messages_have_pieces},
              {"one_of_many_is_near", one_of_many_is_near},
              {"bad_points_are_named", bad_points_are_named},
              {"the_first_one_is_named", the_first_one_is_named},
              {"bad_arguments_are_named", bad_arguments_are_named},
              {"bad_spaces_are_named", bad_spaces_are_named},
              {"differences_are_named", differences_are_named},
              {"all_ranks_fail_together", all_ranks_fail_together})

/* SPDX-License-Identifier: MIT
 * Neighbours across ranks: halo, gather of points, grid and search on each rank. Rows and sums of owned points
 * equal those of one rank that has all points, bit by bit. And migration that loses no particle. */
#include "mpi_points.h"

/* ---- a search on one rank -------------------------------------------------------------------- */

typedef struct search {
    xl_plan *grid, *plan;
    xl_grid_index *index;
} search;

enum { MANY = 20000 };

typedef struct search_job {
    const points_case *c;
    search *search;
} search_job;

/* One rank that has all of many points makes a table of cells; ranks that share them list rows. */
static xl_status create_search(void *user)
{
    static const xl_tunable table = {"grid.table", 1};
    const search_job *const job = user;
    xl_grid_desc grid;
    xl_neighbors_desc neighbors;
    xl_grid_desc_init(&grid);
    grid.space = job->c->space;
    grid.stride = job->c->space.dimensions;
    grid.cell_size = job->c->radius;
    grid.tunables = &table;
    grid.num_tunables = job->c->n >= MANY;
    xl_status status = xl_grid_create(test_ctx, &grid, &job->search->grid);
    xl_neighbors_desc_init(&neighbors);
    neighbors.radius = job->c->radius;
    neighbors.visit =
        job->c->space.scalar == XL_F64
            ? "double visit(double sum, double distance2, uint i, uint j, double4 params)"
              "{ return sum + 1.0 / (distance2 + 0.1); }"
            : "float visit(float sum, float distance2, uint i, uint j, float4 params)"
              "{ return sum + 1.0f / (distance2 + 0.1f); }";
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(job->search->grid, &neighbors, &job->search->plan);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(test_ctx, &job->search->index);
    return status;
}

static void destroy_search(search *s)
{
    xl_grid_index_destroy(s->index);
    xl_plan_destroy(s->plan);
    xl_plan_destroy(s->grid);
}

typedef struct rows {
    uint64_t *offsets;
    uint32_t *indices;
    unsigned char *sums;
} rows;

static bool core(xl_status status)
{
    if (!CHECK(status == XL_SUCCESS))
        fprintf(stderr, "    %s: %s\n", xl_status_name(status), xl_context_error(test_ctx));
    return status == XL_SUCCESS;
}

/* The neighbours of n points in a buffer. */
static rows find_rows(search *s, const xl_space *space, size_t n, cl_mem points)
{
    const size_t bytes = space->scalar == XL_F64 ? 8 : 4;
    rows r = {malloc((n + 1) * sizeof *r.offsets), NULL, malloc((n + 1) * bytes)};
    xl_neighbors_args args = {.offsets = xl_view_n(test_buffer((n + 1) * 8, NULL), 0, n + 1),
                              .sums = xl_view_of(test_buffer(n * bytes, NULL), 0)};
    const xl_grid_build_args build = {.n = n, .points = xl_view_of(points, 0)};
    r.offsets[n] = 0;
    core(xl_grid_build_enqueue(s->grid, s->index, test_queue, &build, 0, NULL, NULL));
    core(xl_grid_index_status(s->index, test_queue, NULL, 0, NULL));
    core(xl_neighbors_enqueue(s->plan, s->index, test_queue, &args, 0, NULL, NULL));
    test_read(args.offsets.buffer, (n + 1) * 8, r.offsets);
    test_read(args.sums.buffer, n * bytes, r.sums);
    args.capacity = r.offsets[n];
    r.indices = malloc((args.capacity + 1) * sizeof *r.indices);
    args.indices = xl_view_of(test_buffer(args.capacity * 4, NULL), 0);
    if (args.capacity > 0)
        core(xl_neighbors_fill_enqueue(s->plan, s->index, test_queue, &args, 0, NULL, NULL));
    test_read(args.indices.buffer, args.capacity * 4, r.indices);
    clReleaseMemObject(args.offsets.buffer);
    clReleaseMemObject(args.indices.buffer);
    clReleaseMemObject(args.sums.buffer);
    return r;
}

static void free_rows(rows *r)
{
    free(r->offsets);
    free(r->indices);
    free(r->sums);
}

/* ---- the same across ranks ------------------------------------------------------------------- */

/* Row `here` of what this rank has and row `there` of all points, by ids. */
static bool same_row(const rows *mine, const uint64_t *ids, size_t here, const rows *all,
                     size_t there, size_t scalar)
{
    const uint64_t count = mine->offsets[here + 1] - mine->offsets[here];
    if (count != all->offsets[there + 1] - all->offsets[there])
        return false;
    for (uint64_t k = 0; k < count; ++k)
        if (ids[mine->indices[mine->offsets[here] + k]] != all->indices[all->offsets[there] + k])
            return false;
    return memcmp(mine->sums + here * scalar, all->sums + there * scalar, scalar) == 0;
}

static void compare(const points_case *c, search *s, const xl_space *space, const rows *all,
                    double (*points)[3], size_t begin, size_t end)
{
    const size_t d = space->dimensions, scalar = space->scalar == XL_F64 ? 8 : 4, own = end - begin;
    const cl_mem owned = points_buffer(space, points, begin, end, d, 0);
    const xl_mpi_halo_args args = {
        .space = &c->space, .radius = c->radius, .n = own, .points = xl_view_of(owned, 0)};
    xl_mpi_exchange *exchange = NULL;
    if (!SUCCEEDS(xl_mpi_exchange_halo(test_mpi, test_queue, &args, 0, NULL, &exchange)))
        return;
    const size_t received = xl_mpi_exchange_num_out(exchange);
    const xl_view places = xl_mpi_exchange_places(exchange);
    const xl_mpi_field field = {d * scalar, xl_view_of(owned, 0),
                                xl_view_of(test_buffer(received * d * scalar, NULL), 0)};
    uint64_t *const ids = malloc((received + 1) * sizeof *ids);
    uint32_t *const place = malloc((places.offset + own + 1) * sizeof *place);
    SUCCEEDS(xl_mpi_gather(exchange, test_queue, 1, &field, 0, NULL, NULL));
    test_read(xl_mpi_exchange_ids(exchange).buffer, received * sizeof *ids, ids);
    test_read(places.buffer, (places.offset + own) * sizeof *place, place);
    rows mine = find_rows(s, space, received, field.out.buffer);
    bool right = true;
    for (size_t i = 0; i < own; ++i)
        right = right && same_row(&mine, ids, place[places.offset + i], all, begin + i, scalar);
    if (!CHECK(right))
        fprintf(stderr, "    case \"%s\"\n", c->name);
    free_rows(&mine);
    free(ids);
    free(place);
    clReleaseMemObject(field.out.buffer);
    clReleaseMemObject(owned);
    xl_mpi_exchange_destroy(exchange);
}

static void check_case(const points_case *c, int first_way, int ways)
{
    double(*const points)[3] = points_make(c);
    search s = {NULL};
    search_job job = {c, &s};
    if (SUCCEEDS(xl_mpi_in_turn(test_mpi, create_search, &job))) {
        const cl_mem buffer = points_buffer(&c->space, points, 0, c->n, c->space.dimensions, 0);
        rows all = find_rows(&s, &c->space, c->n, buffer);
        CHECK(all.offsets[c->n] > 0);
        for (int k = 0; k < ways; ++k) {
            const int way = (first_way + k) % TEST_WAYS;
            compare(c, &s, &c->space, &all, points, test_begin(way, c->n, test_rank),
                    test_begin(way, c->n, test_rank + 1));
        }
        free_rows(&all);
        clReleaseMemObject(buffer);
    }
    destroy_search(&s);
    free(points);
}

static bool has_f64(void)
{
    xl_device_info info;
    return xl_context_device_info(test_ctx, &info) == XL_SUCCESS && info.has_fp64;
}

static void rows_and_sums_are_those_of_one_rank(void)
{
    for (int k = 0; k < POINTS_CASES; ++k) {
        const points_case *const c = &points_cases[k];
        if (c->space.dimensions != 3 || (c->space.scalar == XL_F64 && !has_f64()))
            continue;
        check_case(c, 0, k % 4 == 1 ? TEST_WAYS : 1);
        if (k % 4 != 1)
            check_case(c, 1 + k % 4, 1);
    }
}

/* Enough points that grids differ in their layout between the ranks. */
static void many_points(void)
{
    const points_case c = {"many", POINTS_BOX(3, XL_F32, 7, 10, 9, 8), .5, MANY, true};
    check_case(&c, 0, 2);
}

/* ---- migration ------------------------------------------------------------------------------- */

typedef struct particle {
    uint64_t id;
    float x[3];
    unsigned char kind;
} particle;

static particle make_particle(uint64_t id)
{
    uint64_t state = id;
    const uint64_t bits = test_random(&state);
    return (particle){id, {(float)(bits % 1000), (float)id, 1.5f}, (unsigned char)(bits >> 32)};
}

/* Sends each particle to a random rank. Returns how many are here now. */
static size_t migrate(size_t n, cl_mem fields[3], uint64_t *state)
{
    static const size_t bytes[3] = {8, 12, 1};
    uint32_t *const owners = malloc((n + 1) * sizeof *owners);
    for (size_t i = 0; i < n; ++i)
        owners[i] = (uint32_t)(test_random(state) % (uint64_t)test_size);
    const cl_mem owner = test_buffer(n * sizeof *owners, owners);
    const xl_view view = xl_view_of(owner, 0);
    xl_mpi_exchange *exchange = NULL;
    xl_mpi_field moved[3];
    SUCCEEDS(xl_mpi_exchange_by_owner(test_mpi, test_queue, n, view, 0, NULL, &exchange));
    const size_t received = xl_mpi_exchange_num_out(exchange);
    for (int f = 0; f < 3; ++f)
        moved[f] = (xl_mpi_field){bytes[f], xl_view_of(fields[f], 0),
                                  xl_view_of(test_buffer(received * bytes[f], NULL), 0)};
    SUCCEEDS(xl_mpi_gather(exchange, test_queue, 3, moved, 0, NULL, NULL));
    for (int f = 0; f < 3; ++f) {
        clReleaseMemObject(fields[f]);
        fields[f] = moved[f].out.buffer;
    }
    xl_mpi_exchange_destroy(exchange);
    clReleaseMemObject(owner);
    free(owners);
    return received;
}

static void no_particle_is_lost(void)
{
    enum { N = 3000 };
    uint64_t ids[N], state = (uint64_t)test_rank + 99;
    float x[N][3];
    unsigned char kinds[N];
    int *const seen = calloc(N, sizeof *seen);
    size_t n = test_rank == 0 ? N : 0; /* all on rank 0 at first */
    for (size_t i = 0; i < N; ++i) {
        const particle p = make_particle(i);
        ids[i] = p.id;
        memcpy(x[i], p.x, sizeof x[i]);
        kinds[i] = p.kind;
    }
    cl_mem fields[3] = {test_buffer(n * 8, ids), test_buffer(n * 12, x), test_buffer(n, kinds)};
    for (int step = 0; step < 100; ++step)
        n = migrate(n, fields, &state);
    test_read(fields[0], n * 8, ids);
    test_read(fields[1], n * 12, x);
    test_read(fields[2], n, kinds);
    bool right = true;
    for (size_t i = 0; i < n; ++i) {
        const particle p = make_particle(ids[i]);
        right = right && p.id < N && memcmp(p.x, x[i], sizeof x[i]) == 0 && p.kind == kinds[i];
        if (p.id < N)
            ++seen[p.id];
    }
    MPI_Allreduce(MPI_IN_PLACE, seen, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (size_t i = 0; i < N; ++i)
        right = right && seen[i] == 1;
    CHECK(right);
    for (int f = 0; f < 3; ++f)
        clReleaseMemObject(fields[f]);
    free(seen);
}

MPI_TEST_MAIN({"rows_and_sums_are_those_of_one_rank", rows_and_sums_are_those_of_one_rank},
              {"many_points", many_points}, {"no_particle_is_lost", no_particle_is_lost})

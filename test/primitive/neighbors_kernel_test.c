/* SPDX-License-Identifier: MIT
 * User kernels that search an index (cl/include/neighbors.cl): the numbers of neighbours, whose
 * vectors, distances and places agree with each other; two indices in one kernel; other places and
 * radii; double precision; an index that cannot be used; wrong arguments. The cases with kernel=yes
 * search every kind of index. */
#include "grid_support.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `rows` counts the neighbours of all points, or of the queries `xyz`, and adds what their indices
 * are mixed to. It leaves out those whose numbers do not agree. */
static const char text[] =
    "#include <crosslane/neighbors.cl>\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#if XL_NEIGHBORS_F64\ntypedef double real;\ntypedef double4 real4;\n"
    "#else\ntypedef float real;\ntypedef float4 real4;\n#endif\n"
    "bool agree(const xl_neighbors *of, const xl_neighbor *near)\n"
    "{\n"
    "    const real4 v = near->vector, to = xl_neighbors_position(of, near->place);\n"
    "    const real4 gap = ((near->position - to) - near->shift) + v;\n"
    "    return gap.x == 0 && gap.y == 0 && gap.z == 0 && v.w == 0 &&\n"
    "           near->distance2 == (v.x * v.x + v.y * v.y) + v.z * v.z &&\n"
    "           near->index == xl_neighbors_index(of, near->place);\n"
    "}\n"
    "__kernel void rows(uint before, XL_NEIGHBORS_PARAMETERS(cloud), __global uint *counts,\n"
    "                   __global uint *sums, __global uint *order, __global const real *xyz,\n"
    "                   __global const real *radii, uint n)\n"
    "{\n"
    "    const xl_neighbors cloud = XL_NEIGHBORS_LOAD(cloud);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= (xyz ? n : xl_neighbors_points(&cloud)))\n"
    "        return;\n"
    "    xl_neighbor near;\n"
    "    if (xyz) {\n"
    "        near = xl_neighbors_around(&cloud, (real4)(xyz[3 * k], xyz[3 * k + 1],\n"
    "                                                   xyz[3 * k + 2], 5));\n"
    "    } else {\n"
    "        near = xl_neighbors_of(&cloud, k);\n"
    "        order[k] = xl_neighbors_index(&cloud, k);\n"
    "    }\n"
    "    const uint row = xyz ? k : near.self;\n"
    "    if (radii)\n"
    "        xl_neighbors_set_radius(&near, &cloud, radii[row]);\n"
    "    uint count = before, sum = 0;\n"
    "    XL_FOR_NEIGHBORS(near, cloud) {\n"
    "        if (agree(&cloud, &near)) {\n"
    "            ++count;\n"
    "            sum += (near.index + 1) * 2654435761u;\n"
    "        }\n"
    "    }\n"
    "    counts[row] = near.incomplete ? UINT_MAX - (xl_neighbors_failed(&cloud) ? 0 : 1) : "
    "count;\n"
    "    sums[row] = sum;\n"
    "}\n"
    "__kernel void both(XL_NEIGHBORS_PARAMETERS(fluid), XL_NEIGHBORS_PARAMETERS(walls),\n"
    "                   __global uint *counts)\n"
    "{\n"
    "    const xl_neighbors fluid = XL_NEIGHBORS_LOAD(fluid), walls = XL_NEIGHBORS_LOAD(walls);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&fluid))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&fluid, k);\n"
    "    uint odd = 0, six = 0, wall = 0;\n"
    "    XL_FOR_NEIGHBORS(near, fluid) {\n"
    "        if (near.index % 2 == 0)\n"
    "            continue;\n"
    "        ++odd;\n"
    "    }\n"
    "    xl_neighbor some = xl_neighbors_of(&fluid, k);\n"
    "    XL_FOR_NEIGHBORS(some, fluid)\n"
    "        if (++six == 6)\n"
    "            break;\n"
    "    xl_neighbor near_wall = xl_neighbors_around(&walls, xl_neighbors_position(&fluid, k));\n"
    "    if (k != UINT_MAX)\n"
    "        XL_FOR_NEIGHBORS(near_wall, walls)\n"
    "            ++wall;\n"
    "    counts[near.self] = odd | six << 10 | wall << 20;\n"
    "}\n";

/* The kernels for space that repeats in boxes, for space that does not repeat, for batches, and for
 * cells in both precisions. */
enum { BOXES, OPEN, BATCHES, CELLS, WIDE_CELLS, FORMS };
static cl_program programs[FORMS];

static cl_kernel kernel_of(const char *name, int form)
{
    static const char *const options[] = {NULL, "-DXL_NEIGHBORS_PERIODIC=0",
                                          "-DXL_NEIGHBORS_BATCH=1", "-DXL_NEIGHBORS_PERIODIC=2",
                                          "-DXL_NEIGHBORS_F64=1 -DXL_NEIGHBORS_PERIODIC=2"};
    cl_int code;
    if (!programs[form])
        XLT_OK(xl_program_create(xlt_context(), text, options[form], &programs[form]));
    cl_kernel kernel = clCreateKernel(programs[form], name, &code);
    XLT_CL(code);
    return kernel;
}

static int teardown(void **state)
{
    for (int k = 0; k < FORMS; ++k)
        if (programs[k])
            clReleaseProgram(programs[k]);
    return xlt_teardown(state);
}

/* A kernel of the user's knows no offsets. */
static xlt_buffer exact(const void *host, size_t n, size_t size)
{
    xlt_place(XLT_EXACT);
    const xlt_buffer made = xlt_buffer_make(host, n, size, 0);
    xlt_place(XLT_GUARD_BYTES);
    return made;
}

static void launch(cl_kernel kernel, size_t n)
{
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
}

static cl_uint bind(const built *b, cl_kernel kernel, cl_uint first, double radius, bool inclusive)
{
    cl_uint next = 99;
    const xl_neighbors_kernel_args args = {
        .kernel = kernel, .first = first, .radius = radius, .inclusive = inclusive};
    XLT_OK(xl_grid_index_set_kernel_args(b->index, &args, &next));
    assert_int_equal(next, first + 13);
    return next;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows of the reference. */
typedef struct wanted {
    size_t n;
    uint64_t *offsets;
    uint32_t *indices;
} wanted;

static wanted wanted_of(const ref_search *search)
{
    wanted w = {.n = ref_queries(search)};
    w.offsets = calloc(w.n + 1, sizeof *w.offsets);
    assert_non_null(w.offsets);
    w.indices = ref_neighbors(search, w.offsets);
    assert_true(w.indices && w.offsets[w.n] > 0);
    return w;
}

static void wanted_free(wanted *w)
{
    free(w->offsets);
    free(w->indices);
}

/* One call of the kernel `rows`. */
typedef struct run {
    cl_kernel kernel;
    size_t n;
    xlt_buffer counts, sums, order, xyz, radii;
} run;

static run run_make(int form, size_t n)
{
    return (run){.kernel = kernel_of("rows", form),
                 .n = n,
                 .counts = exact(NULL, n, 4),
                 .sums = exact(NULL, n, 4),
                 .order = exact(NULL, n, 4)};
}

static void run_bind(const run *r, const built *b, double radius, bool inclusive, cl_uint before)
{
    const xlt_buffer *const arrays[] = {&r->counts, &r->sums, &r->order, &r->xyz, &r->radii};
    const cl_uint n = (cl_uint)r->n;
    cl_uint next = bind(b, r->kernel, 1, radius, inclusive);
    XLT_CL(clSetKernelArg(r->kernel, 0, sizeof before, &before));
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        XLT_CL(clSetKernelArg(r->kernel, next++, sizeof arrays[k]->mem, &arrays[k]->mem));
    XLT_CL(clSetKernelArg(r->kernel, next, sizeof n, &n));
}

static void run_free(run *r)
{
    xlt_buffer *const arrays[] = {&r->counts, &r->sums, &r->order, &r->xyz, &r->radii};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        xlt_buffer_free(arrays[k]);
    clReleaseKernel(r->kernel);
}

/* `far`: a row that has no count, because its query is too far for images, or n. */
static void run_check(const char *what, const run *r, const wanted *w, size_t far, uint32_t before)
{
    uint32_t *counts = calloc(r->n, 4), *sums = calloc(r->n, 4);
    assert_true(counts && sums);
    xlt_read(&r->counts, counts);
    xlt_read(&r->sums, sums);
    for (size_t i = 0; i < r->n; ++i) {
        uint32_t right = before, sum = 0;
        for (uint64_t k = w->offsets[i]; k < w->offsets[i + 1]; ++k, ++right)
            sum += (w->indices[k] + 1) * 2654435761u;
        right = i == far ? UINT32_MAX - 1 : right;
        if (counts[i] != right || sums[i] != sum)
            XLT_FAIL("%s: query %zu has %u right neighbours of %u, or others", what, i, counts[i],
                     right);
    }
    free(counts);
    free(sums);
}

/* ---- rows of points -------------------------------------------------------------------------- */

/* As the device's table has it, cells far thinner, and rows listed; sorted points lie as kernels of
 * the user's expect them. */
enum { WAYS = 3 };
static void tune(int way, xl_grid_desc *grid)
{
    static const xl_tunable cells[WAYS][2] = {{{NULL, 0}, {NULL, 0}},
                                              {{"grid.table", 64}, {"grid.thin", 8}},
                                              {{"grid.table", 0}, {"grid.thin", 1}}};
    grid->tunables = way > 0 ? cells[way] : NULL;
    grid->num_tunables = way > 0 ? 2 : 0;
}

static ref_search reference_of(const cloud *c, const xl_grid_desc *grid, float radius,
                               bool inclusive)
{
    ref_search r = {.points = c->xyz,
                    .n = c->n,
                    .stride = c->stride,
                    .dimensions = grid->space.dimensions,
                    .radius = radius,
                    .inclusive = inclusive};
    for (int k = 0; k < 3; ++k)
        r.period[k] = grid->space.periodic & 1u << k ? (float)grid->space.cell[k][k] : 0;
    return r;
}

static void check_order(const run *r, const built *b)
{
    uint32_t *order = calloc(r->n, 4), *sorted = order_of(b);
    assert_non_null(order);
    xlt_read(&r->order, order);
    assert_memory_equal(order, sorted, r->n * sizeof *order);
    free(order);
    free(sorted);
}

static void check_cloud(const char *what, const cloud *c, xl_grid_desc grid, float radius,
                        bool inclusive)
{
    const ref_search search = reference_of(c, &grid, radius, inclusive);
    wanted w = wanted_of(&search);
    for (int way = 0; way < WAYS; ++way) {
        tune(way, &grid);
        built b = build_grid(c, &grid);
        (void)report_of(&b);
        for (int form = BOXES; form <= (grid.space.periodic ? BOXES : OPEN); ++form) {
            run r = run_make(form, w.n);
            run_bind(&r, &b, (double)radius, inclusive, 0);
            launch(r.kernel, r.n);
            run_check(what, &r, &w, r.n, 0);
            check_order(&r, &b);
            run_free(&r);
        }
        built_free(&b);
    }
    wanted_free(&w);
}

static size_t sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 9 : xlt_small() ? n / 6 : n;
}

static xl_grid_desc box_of(const cloud *c, float cell, uint32_t axes)
{
    xl_grid_desc grid = grid_desc_of(c, cell);
    grid.space.bounds = XL_BOUNDS_GIVEN;
    grid.space.periodic = axes;
    for (int a = 0; a < 3; ++a) {
        grid.space.origin[a] = -0.5;
        grid.space.cell[a][a] = 1 + 0.25 * a;
    }
    return grid;
}

static cloud cloud_in_box(size_t n, uint64_t seed)
{
    cloud c = cloud_make(n, 3);
    xlt_random random = {seed};
    for (size_t i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a)
            c.xyz[3 * i + (size_t)a] = -0.5f + xlt_unit(&random) * (1.0f + 0.25f * (float)a);
    return c;
}

XLT_TEST(rows_of_points)
{
    cloud c = cloud_uniform(sized(1200), -1.0f, 2.0f, 31);
    check_cloud("small cells", &c, grid_desc_of(&c, 0.1f), 0.3f, false);
    for (size_t i = 0; i < c.n; ++i) /* ties and coincident points */
        cloud_set(&c, i, (float)(i % 5), (float)(i % 3) * 0.5f, (float)(i % 2) * 2);
    c.n = sized(300);
    check_cloud("ties", &c, grid_desc_of(&c, 1.0f), 1.0f, true);
    cloud_free(&c);
    c = cloud_in_box(sized(360), 55);
    check_cloud("a box that repeats", &c, box_of(&c, 0.2f, 5), 0.2f, true);
    c.n = 40; /* of each pair several images; along x a point is near its own, a period away */
    check_cloud("long radii", &c, box_of(&c, 0.6f, 7), 1.0f, true);
    cloud_free(&c);
}

/* ---- places and radii ------------------------------------------------------------------------ */

enum { FAR_PLACE = 12 };

/* `far`: as run_check() takes it. */
static void check_around(int form, ref_search search, const cloud *c, xl_grid_desc grid,
                         const cloud *queries, const float *radii, size_t far)
{
    search.queries = queries->xyz;
    search.num_queries = queries->n;
    search.query_stride = 3;
    search.radii = radii;
    wanted w = wanted_of(&search);
    built b = build_grid(c, &grid);
    run r = run_make(form, w.n);
    r.xyz = exact(queries->xyz, 3 * r.n, 4);
    if (radii)
        r.radii = exact(radii, r.n, 4);
    run_bind(&r, &b, (double)search.radius, search.inclusive, 0);
    launch(r.kernel, r.n);
    run_check("places", &r, &w, far, 0);
    run_free(&r);
    built_free(&b);
    wanted_free(&w);
}

XLT_TEST(places_and_radii)
{
    const size_t n = sized(480);
    cloud c = cloud_in_box(n, 3), queries = cloud_uniform(n, -1.5f, 3.0f, 7);
    float *radii = malloc(n * sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {43};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.5f * xlt_unit(&random);
    const float odd[] = {0, -0.1f, NAN, INFINITY, 1e-25f, -INFINITY, 7, 0.2f};
    memcpy(radii, odd, sizeof odd);
    queries.xyz[30] = NAN;
    queries.xyz[34] = INFINITY;
    cloud_set(&queries, FAR_PLACE, 3e38f, -3e38f, 1e30f);
    cloud_set(&queries, 13, c.xyz[0], c.xyz[1], c.xyz[2]);
    static const uint32_t repeated[] = {0, 7, 2};
    for (size_t k = 0; k < 3; ++k) {
        const uint32_t axes = repeated[k];
        const xl_grid_desc grid = axes ? box_of(&c, 0.3f, axes) : grid_desc_of(&c, 0.3f);
        check_around(BOXES, reference_of(&c, &grid, 0.4f, axes == 7), &c, grid, &queries, radii,
                     axes ? FAR_PLACE : n);
    }
    free(radii);
    cloud_free(&c);
    cloud_free(&queries);
}

/* Places that are tens of thousands of both vectors away, which are nearly parallel: shifts round
 * by more than images are apart. */
XLT_TEST(places_far_from_a_cell)
{
    enum { PLACES = 200 };
    static const float cell[9] = {8, 5, 0, 8, 5.02f, 0, 0, 0, 0};
    cloud c = cloud_make(PLACES, 3), queries = cloud_make(PLACES, 3);
    xl_grid_desc grid = grid_desc_of(&c, 0.25f);
    xlt_random random = {19};
    for (size_t i = 0; i < PLACES; ++i) {
        const float x = 8 * xlt_unit(&random);
        cloud_set(&c, i, x, 0, 0);
        cloud_set(&queries, i, x, 3200 * xlt_unit(&random) - 1600, 0);
    }
    grid.space.dimensions = 2;
    grid.space.bounds = XL_BOUNDS_GIVEN;
    grid.space.periodic = 3;
    for (int k = 0; k < 9; ++k)
        grid.space.cell[k / 3][k % 3] = (double)cell[k];
    const ref_search search = {.points = c.xyz,
                               .n = PLACES,
                               .stride = 3,
                               .dimensions = 2,
                               .radius = 0.25f,
                               .inclusive = true,
                               .cell = cell};
    check_around(CELLS, search, &c, grid, &queries, NULL, PLACES);
    cloud_free(&c);
    cloud_free(&queries);
}

/* ---- double precision ------------------------------------------------------------------------ */

/* A lattice of spacing 0.1, which is neither a float nor a double, in a leaning cell. */
XLT_TEST(double_precision)
{
    enum { SIDE = 5, POINTS = SIDE * SIDE * SIDE };
    static const double cell[9] = {0.5, 0, 0, 0.2, 0.5, 0, -0.1, 0.15, 0.5};
    double xyz[3 * POINTS], radii[POINTS];
    xl_device_info info;
    xl_grid_desc desc;
    built b = {0};
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (!info.has_fp64)
        skip();
    for (size_t i = 0; i < POINTS; ++i) {
        const size_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (size_t a = 0; a < 3; ++a)
            xyz[3 * i + a] = 0.1 * (double)at[a];
        radii[i] = 0.1;
    }
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.2;
    desc.space.scalar = XL_F64;
    desc.space.bounds = XL_BOUNDS_GIVEN;
    desc.space.periodic = 7;
    memcpy(desc.space.cell, cell, sizeof cell);
    b.points = xlt_buffer_make(xyz, 3 * POINTS, 8, 1);
    XLT_OK(xl_grid_create(xlt_context(), &desc, &b.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &b.index));
    XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = POINTS, .points = xlt_view(&b.points)},
                                 0, NULL, NULL));
    const ref_search_f64 search = {
        .points = xyz, .n = POINTS, .stride = 3, .radius = 0.1, .inclusive = true, .cell = cell};
    wanted w = {.n = POINTS, .offsets = calloc(POINTS + 1, sizeof *w.offsets)};
    assert_non_null(w.offsets);
    w.indices = ref_neighbors_f64(&search, w.offsets);
    assert_true(w.offsets[POINTS] > 100);
    run r = run_make(WIDE_CELLS, POINTS);
    r.radii = exact(radii, POINTS, 8);
    run_bind(&r, &b, 0.3, true, 0);
    launch(r.kernel, POINTS);
    run_check("double precision", &r, &w, POINTS, 0);
    xl_neighbors_kernel_args args = {.kernel = r.kernel, .first = 1, .radius = 1e200};
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, NULL), XL_ERROR_INVALID_ARGUMENT);
    run_free(&r);
    wanted_free(&w);
    built_free(&b);
}

/* ---- two indices, break and continue --------------------------------------------------------- */

XLT_TEST(two_indices)
{
    cloud fluid = cloud_uniform(sized(600), 0.0f, 1.0f, 5), walls = cloud_in_box(sized(900), 6);
    built f, w;
    xl_grid_desc of_fluid = grid_desc_of(&fluid, 0.2f), of_walls = box_of(&walls, 0.2f, 3);
    f = build_grid(&fluid, &of_fluid);
    w = build_grid(&walls, &of_walls);
    ref_search r = reference_of(&fluid, &of_fluid, 0.2f, false);
    wanted near = wanted_of(&r);
    r = reference_of(&walls, &of_walls, 0.15f, false);
    r.queries = fluid.xyz;
    r.num_queries = fluid.n;
    r.query_stride = 3;
    wanted near_walls = wanted_of(&r);
    xlt_buffer out = exact(NULL, fluid.n, 4);
    uint32_t *got = calloc(fluid.n, 4);
    assert_non_null(got);
    cl_kernel kernel = kernel_of("both", BOXES);
    cl_uint next = bind(&f, kernel, 0, (double)0.2f, false);
    next = bind(&w, kernel, next, (double)0.15f, false);
    XLT_CL(clSetKernelArg(kernel, next, sizeof out.mem, &out.mem));
    launch(kernel, fluid.n);
    xlt_read(&out, got);
    for (size_t i = 0; i < fluid.n; ++i) {
        uint32_t odd = 0;
        const uint64_t count = near.offsets[i + 1] - near.offsets[i];
        for (uint64_t k = near.offsets[i]; k < near.offsets[i + 1]; ++k)
            odd += near.indices[k] % 2;
        const uint32_t six = count < 6 ? (uint32_t)count : 6;
        const uint32_t wall = (uint32_t)(near_walls.offsets[i + 1] - near_walls.offsets[i]);
        assert_int_equal(got[i], odd | six << 10 | wall << 20);
    }
    free(got);
    xlt_buffer_free(&out);
    clReleaseKernel(kernel);
    wanted_free(&near);
    wanted_free(&near_walls);
    built_free(&f);
    built_free(&w);
    cloud_free(&fluid);
    cloud_free(&walls);
}

/* ---- an index that cannot be used ------------------------------------------------------------ */

/* The kernel reports that, and finds no pair. */
static void expect_failed(run *r)
{
    uint32_t *got = calloc(r->n, 4);
    assert_non_null(got);
    launch(r->kernel, r->n);
    xlt_read(&r->counts, got);
    for (size_t i = 0; i < r->n; ++i)
        assert_int_equal(got[i], UINT32_MAX);
    xlt_read(&r->order, got);
    for (size_t i = 0; i < r->n; ++i)
        assert_int_equal(got[i], i);
    run_free(r);
    free(got);
}

/* A kernel for other indices. */
static void expect_other(const cloud *c, xl_grid_desc grid, int form)
{
    built b = build_grid(c, &grid);
    run r = run_make(form, c->n);
    run_bind(&r, &b, 0.2, false, 0);
    expect_failed(&r);
    built_free(&b);
}

XLT_TEST(without_an_index)
{
    cloud c = cloud_in_box(100, 9);
    xl_grid_desc grid = box_of(&c, 0.2f, 7);
    expect_other(&c, grid, OPEN);
    expect_other(&c, grid, BATCHES);
    /* Arguments of an earlier build. */
    built b = build_grid(&c, &grid);
    run r = run_make(BOXES, c.n);
    run_bind(&r, &b, 0.2, false, 0);
    XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c.n,
                                                       .points = xlt_view(&b.points),
                                                       .storage = xlt_view(&b.storage)},
                                 0, NULL, NULL));
    expect_failed(&r);
    built_free(&b);
    grid.space.cell[1][0] = 0.25; /* not a box */
    expect_other(&c, grid, BOXES);
    c.xyz[100] = NAN;
    expect_other(&c, grid_desc_of(&c, 0.2f), BOXES);
    cloud_free(&c);
}

/* ---- other queues ---------------------------------------------------------------------------- */

/* Builds on one queue, kernels on another behind the build's event, which begin when all builds are
 * done: each build has separate storage. */
XLT_TEST(another_queue)
{
    enum { ROUNDS = 4 };
    run runs[ROUNDS];
    cl_command_queue other = xlt_out_of_order_queue();
    cl_event gate = xlt_user_event();
    cloud c = cloud_uniform(sized(600), 0.0f, 1.0f, 5);
    xl_grid_desc grid = grid_desc_of(&c, 0.2f);
    const ref_search search = reference_of(&c, &grid, 0.2f, false);
    wanted w = wanted_of(&search);
    built b = build_grid(&c, &grid);
    for (cl_uint k = 0; k < ROUNDS; ++k) {
        cl_event waits[2] = {gate, NULL};
        XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                     &(xl_grid_build_args){.n = c.n, .points = xlt_view(&b.points)},
                                     0, NULL, NULL));
        runs[k] = run_make(BOXES, c.n);
        run_bind(&runs[k], &b, (double)0.2f, false, k);
        XLT_OK(xl_grid_index_event(b.index, &waits[1]));
        XLT_CL(clEnqueueNDRangeKernel(other, runs[k].kernel, 1, NULL, &c.n, NULL, 2, waits, NULL));
        clReleaseEvent(waits[1]);
    }
    XLT_CL(clFinish(xlt_queue()));
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    XLT_CL(clFinish(other));
    for (cl_uint k = 0; k < ROUNDS; ++k) {
        run_check("another queue", &runs[k], &w, c.n, k);
        run_free(&runs[k]);
    }
    clReleaseEvent(gate);
    clReleaseCommandQueue(other);
    built_free(&b);
    wanted_free(&w);
    cloud_free(&c);
}

/* ---- wrong arguments ------------------------------------------------------------------------- */

XLT_TEST(what_is_refused)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cloud c = cloud_in_box(50, 9);
    xl_grid_desc grid = box_of(&c, 0.2f, 1);
    cl_kernel kernel = kernel_of("rows", BOXES);
    const struct {
        xl_status status;
        xl_neighbors_kernel_args args;
    } cases[] = {{XL_SUCCESS, {.kernel = kernel, .first = 1, .radius = 0.2}},
                 {bad, {.kernel = kernel, .first = 9, .radius = 0.2}},
                 {bad, {.kernel = kernel, .first = UINT32_MAX, .radius = 0.2}},
                 {bad, {.kernel = kernel, .first = 1, .radius = (double)NAN}},
                 {bad, {.kernel = kernel, .first = 1, .radius = 1e30}}, /* its square overflows */
                 {XL_ERROR_UNSUPPORTED, {.kernel = kernel, .first = 1, .radius = 3e6}},
                 {bad, {.kernel = NULL, .first = 1, .radius = 0.2}}};
    xl_grid_index *empty;
    cl_event event = (cl_event)&grid;
    cl_uint next = 5;
    XLT_OK(xl_grid_index_create(xlt_context(), &empty));
    XLT_FAILS(xl_grid_index_set_kernel_args(empty, &cases[0].args, &next), bad);
    XLT_FAILS(xl_grid_index_event(empty, &event), bad);
    assert_null(event);
    XLT_FAILS(xl_grid_index_event(empty, NULL), bad);
    assert_int_equal(xl_grid_index_event(NULL, &event), bad);
    assert_int_equal(xl_grid_index_set_kernel_args(NULL, &cases[0].args, &next), bad);
    xl_grid_index_destroy(empty);
    built b = build_grid(&c, &grid);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &cases[k].args, k ? &next : NULL),
                  cases[k].status);
    assert_int_equal(next, 5);
    built_free(&b);
    /* Sorted points that lie otherwise than the device's table has it. */
    for (uint64_t planes = 0, taken = 0; planes < 2; ++planes) {
        const xl_tunable tunable = {.name = "grid.planes", .value = planes};
        grid.tunables = &tunable;
        grid.num_tunables = 1;
        b = build_grid(&c, &grid);
        const xl_status status = xl_grid_index_set_kernel_args(b.index, &cases[0].args, &next);
        assert_true(status == XL_SUCCESS || status == XL_ERROR_UNSUPPORTED);
        taken += status == XL_SUCCESS;
        assert_true(planes == 0 || taken == 1);
        built_free(&b);
    }
    clReleaseKernel(kernel);
    cloud_free(&c);
}

XLT_MAIN_WITH_GRIDS(NULL, teardown)

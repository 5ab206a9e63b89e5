/* SPDX-License-Identifier: MIT
 * Batches of independent systems in one index: every kind of search against every pair of each
 * system, whatever stands around it in memory and in space, and what is refused. */
#include "neighbors_support.h"
#include "reference.h"

#include <crosslane/knn.h>
#include <crosslane/program.h>
#include <stdlib.h>
#include <string.h>

static size_t sized(size_t n)
{
    return xlt_small() ? n / 3 : n;
}

/* ---- batches --------------------------------------------------------------------------------- */

typedef struct batch {
    cloud points;
    uint32_t *systems, num;
} batch;

/* n points of systems that stand anywhere among each other, of which each seventh has no point. */
static batch batch_make(cloud points, uint32_t num, uint64_t seed)
{
    batch b = {.points = points, .num = num};
    xlt_random random = {seed};
    b.systems = malloc((points.n + 1) * sizeof *b.systems);
    assert_non_null(b.systems);
    for (size_t i = 0; i < points.n; ++i) {
        const uint32_t system = (uint32_t)(xlt_next(&random) % num);
        b.systems[i] = num >= 7 && system % 7 == 3 ? system - 1 : system;
    }
    b.points.systems = b.systems;
    return b;
}

static void batch_free(batch *b)
{
    cloud_free(&b->points);
    free(b->systems);
}

static search_case case_of(const batch *b, float radius)
{
    search_case a = {.points = &b->points,
                     .grid = grid_desc_of(&b->points, radius),
                     .search = search_desc_of(radius)};
    a.grid.num_systems = b->num;
    return a;
}

static void bound(search_case *a, float lower, float upper)
{
    a->grid.bounded = 1;
    for (int axis = 0; axis < 3; ++axis) {
        a->grid.lower[axis] = lower;
        a->grid.upper[axis] = upper;
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void fill(const search_call *c, list *l, float *distances2)
{
    const size_t pairs = (size_t)l->offsets[l->n];
    xlt_buffer indices = xlt_buffer_make(NULL, pairs, 4, 3);
    xlt_buffer far = xlt_buffer_make(NULL, pairs, 4, 1);
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->b.index, xlt_queue(),
                                     &(xl_neighbors_fill_args){.capacity = pairs,
                                                               .offsets = xlt_view(&c->offsets),
                                                               .indices = xlt_view(&indices),
                                                               .distances2 = xlt_view(&far),
                                                               SEARCHED(c)},
                                     0, NULL, NULL));
    xlt_read(&indices, l->indices);
    xlt_read(&far, distances2);
    xlt_check_guards(&indices, "indices");
    xlt_check_guards(&far, "distances2");
    xlt_buffer_free(&indices);
    xlt_buffer_free(&far);
}

/* Counts, rows and distances are those of the reference; returns the number of pairs. */
static uint64_t check(const char *what, const search_case *given)
{
    search_case a = *given;
    a.search.details = 1;
    const ref_search search = ref_search_of(&a);
    const size_t n = ref_queries(&search);
    list wanted = {.n = n, .offsets = calloc(n + 1, 8)},
         got = {.n = n, .offsets = calloc(n + 1, 8)};
    ref_pairs all = {0};
    assert_true(wanted.offsets && got.offsets);
    wanted.indices = ref_neighbors_pairs(&search, wanted.offsets, &all);
    const uint64_t pairs = wanted.offsets[n];
    float *const distances2 = malloc((pairs + 1) * sizeof *distances2);
    got.indices = malloc((pairs + 1) * sizeof *got.indices);
    assert_true(wanted.indices && got.indices && distances2);
    search_call c = search_call_make(&a);
    (void)report_of(&c.b);
    search_call_count(&c);
    xlt_read(&c.offsets, got.offsets);
    if (!count_is_given_up(got.offsets, got.n)) {
        offsets_equal(what, got.offsets, wanted.offsets, n);
        fill(&c, &got, distances2);
        lists_equal(what, &got, &wanted);
        for (size_t k = 0; k < pairs; ++k)
            if (distances2[k] != all.distances2[k])
                XLT_FAIL("%s: pair %zu is %.9g far, not %.9g", what, k, (double)distances2[k],
                         (double)all.distances2[k]);
    }
    search_call_free(&c);
    list_free(&got);
    list_free(&wanted);
    ref_pairs_free(&all);
    free(distances2);
    return pairs;
}

/* Boxes found and given, and by each algorithm. */
static void systems_among_each_other(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; ++k) {
        batch b = batch_make(cloud_uniform(sized(1200), -1, 2, 3 + k), k == 3 ? 1 : 9, 5);
        search_case a = case_of(&b, 0.4f);
        a.search.half = k == 1;
        a.search.include_self = k == 2;
        a.grid.algorithm = k == 2 ? XL_GRID_BITONIC : XL_GRID_AUTO;
        a.grid.cell_size = k == 1 ? 0.15f : 0.4f;
        if (k == 1)
            bound(&a, -1, 1);
        assert_true(check_in_ways("systems among each other", a, check) > 9);
        batch_free(&b);
    }
}

/* More of them than points, most without any; all at one place, so that cells are crowded; points
 * of one system in one row, and of each in another place. */
static void many_systems(void **state)
{
    (void)state;
    batch b = batch_make(cloud_uniform(sized(900), 0, 1, 21), 5000, 23);
    search_case a = case_of(&b, 0.9f);
    (void)check_in_ways("many systems", a, check);
    a.grid.num_systems = 1u << 20;
    (void)check_in_ways("as many as there may be", a, check);
    batch_free(&b);
    b = batch_make(cloud_make(sized(700), 3), 3, 29);
    for (size_t i = 0; i < b.points.n; ++i)
        cloud_set(&b.points, i, 1, 2, 3);
    a = case_of(&b, 0.5f);
    assert_true(check_in_ways("systems at one place", a, check) > 9);
    batch_free(&b);
}

/* Points of a plane, in a table of 12 by 12 rows for each system: a query has more around it than
 * there are points, and all of its system's are then one range. */
static void more_rows_than_points(void **state)
{
    (void)state;
    batch b = batch_make(cloud_uniform(60, 0, 1, 35), 2, 37);
    for (size_t i = 0; i < b.points.n; ++i) /* the first and the last are its corners */
        for (size_t axis = 0; axis < 3; ++axis)
            if (axis == 0 || i == 0 || i == b.points.n - 1)
                b.points.xyz[3 * i + axis] = axis > 0 && i > 0 ? 1 : 0;
    search_case a = case_of(&b, 0.9f);
    a.grid.cell_size = 1 / 11.5f;
    a.how = TUNED_TABLE;
    search_call c = search_call_make(&a);
    const xl_grid_report report = report_of(&c.b);
    assert_true(report.sparse || report.cells[2] == 24); /* where loops end there is no table */
    search_call_free(&c);
    assert_true(check("more rows than points", &a) > 9);
    batch_free(&b);
}

/* Each system has 2047 layers of listed rows: those above share one, and have what they had. */
static void more_layers_than_numbers(void **state)
{
    (void)state;
    const size_t n = sized(600);
    batch b = batch_make(cloud_make(n, 3), 4, 31);
    xlt_random random = {33};
    for (size_t i = 0; i < n; ++i)
        cloud_set(&b.points, i, xlt_unit(&random), xlt_unit(&random),
                  (i % 3 == 0   ? 3000.0f
                   : i % 3 == 1 ? -20.0f
                                : 1e6f) +
                      2 * xlt_unit(&random));
    b.systems[0] = (1u << 20) - 1;
    b.num = 1u << 20;
    search_case a = case_of(&b, 0.5f);
    assert_true(check_in_ways("more layers than numbers", a, check) > 9);
    batch_free(&b);
}

static void space_that_repeats(void **state)
{
    (void)state;
    batch b = batch_make(cloud_uniform(sized(500), 0, 1, 41), 6, 43);
    search_case a = case_of(&b, 0.3f);
    bound(&a, 0, 1);
    for (uint32_t periodic = 4; periodic < 8; periodic += 3) {
        a.grid.periodic = periodic;
        a.search.half = periodic == 4;
        assert_true(check_in_ways("systems in a box that repeats", a, check) > 9);
    }
    a = case_of(&b, 0.35f);
    a.grid.triclinic = 1;
    a.grid.periodic = 7;
    memcpy(a.grid.cell, (const float[3][3]){{1, 0, 0}, {0.3f, 1, 0}, {-0.2f, 0.4f, 1}},
           sizeof a.grid.cell);
    for (size_t i = 0; i < b.points.n; ++i) {
        float *const p = &b.points.xyz[3 * i];
        p[0] += 0.3f * p[1] - 0.2f * p[2];
        p[1] += 0.4f * p[2];
    }
    assert_true(check_in_ways("systems in a triclinic cell", a, check) > 9);
    batch_free(&b);
}

static void fewer_dimensions(void **state)
{
    (void)state;
    for (uint32_t d = 1; d < 3; ++d) {
        batch b = batch_make(cloud_uniform(sized(400), -3, 6, 51 + d), 5, 53);
        b.points.dimensions = d;
        search_case a = case_of(&b, d == 1 ? 0.02f : 0.3f);
        a.grid.dimensions = d;
        assert_true(check_in_ways("fewer dimensions", a, check) > 0);
        batch_free(&b);
    }
}

/* Of all systems and of none; far off; with radii; in any order of rows. */
static void given_queries(void **state)
{
    (void)state;
    for (unsigned soa = 0; soa < 2; ++soa) {
        batch b = batch_make(cloud_uniform(sized(700), -1, 2, 61), 5, 63);
        batch q = batch_make(cloud_uniform(sized(300), -1.5f, 3, 65), 7, 67);
        float *radii = malloc(q.points.n * sizeof *radii);
        assert_non_null(radii);
        for (size_t i = 0; i < q.points.n; ++i)
            radii[i] = 0.7f * (float)i / (float)q.points.n - 0.05f;
        q.points.xyz[0] = 1e6f;
        q.systems[1] = UINT32_MAX;
        search_case a = case_of(&b, 0.5f);
        a.queries = &q.points;
        a.radii = soa ? radii : NULL;
        a.soa = soa != 0;
        assert_true(check_in_ways("given queries", a, check) > 9);
        free(radii);
        batch_free(&q);
        batch_free(&b);
    }
}

/* ---- sums, rooms, kernels -------------------------------------------------------------------- */

/* What a sum over the indices of neighbours is to be. */
static float *sums_of(const search_case *a)
{
    const ref_search search = ref_search_of(a);
    uint64_t *offsets = calloc(a->points->n + 1, 8);
    float *sums = calloc(a->points->n + 1, sizeof *sums);
    assert_true(offsets && sums);
    uint32_t *rows = ref_neighbors(&search, offsets);
    assert_non_null(rows);
    for (size_t i = 0; i < a->points->n; ++i)
        for (size_t k = (size_t)offsets[i]; k < offsets[i + 1]; ++k)
            sums[i] += (float)rows[k];
    free(rows);
    free(offsets);
    return sums;
}

static void sums_equal(const char *what, const xlt_buffer *got, const float *wanted, size_t n)
{
    float *sums = malloc((n + 1) * sizeof *sums);
    assert_non_null(sums);
    xlt_read(got, sums);
    for (size_t i = 0; i < n; ++i)
        if (sums[i] != wanted[i])
            XLT_FAIL("%s: %g at %zu, not %g", what, (double)sums[i], i, (double)wanted[i]);
    free(sums);
}

/* Sums of few small integers are exact in any order. */
static uint64_t check_visits(const char *what, const search_case *given)
{
    search_case a = *given;
    a.search.visit = "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
                     "{ return sum + (float)j; }\n";
    float *wanted = sums_of(&a);
    search_call c = search_call_make(&a);
    xlt_buffer out = xlt_buffer_make(NULL, c.n, 4, 1);
    XLT_OK(xl_neighbors_visit_enqueue(
        c.plan, c.b.index, xlt_queue(),
        &(xl_neighbors_visit_args){.out = xlt_view(&out), SEARCHED(&c)}, 0, NULL, NULL));
    sums_equal(what, &out, wanted, c.n);
    xlt_buffer_free(&out);
    search_call_free(&c);
    free(wanted);
    return 0;
}

/* Rows with the same room. */
static uint64_t check_rooms(const char *what, const search_case *given)
{
    enum { ROOM = 100 };
    search_case a = *given;
    const size_t n = a.points->n;
    a.search.row_capacity = ROOM;
    const ref_search search = ref_search_of(&a);
    uint64_t *offsets = calloc(n + 1, 8);
    uint32_t *rows = offsets ? ref_neighbors(&search, offsets) : NULL;
    uint32_t *counts = calloc(n + 1, 4), *indices = calloc(n * ROOM + 1, 4);
    assert_true(rows && counts && indices);
    search_call c = search_call_make(&a);
    xlt_buffer out = xlt_buffer_make(NULL, n * ROOM, 4, 1), of = xlt_buffer_make(NULL, n, 4, 2);
    XLT_OK(xl_neighbors_fill_enqueue(
        c.plan, c.b.index, xlt_queue(),
        &(xl_neighbors_fill_args){.indices = xlt_view(&out), .counts = xlt_view(&of), SEARCHED(&c)},
        0, NULL, NULL));
    xlt_read(&of, counts);
    xlt_read(&out, indices);
    for (size_t i = 0; i < n; ++i) {
        const size_t begin = (size_t)offsets[i];
        if (counts[i] == UINT32_MAX && ends_long_loops())
            continue;
        assert_int_equal(counts[i], offsets[i + 1] - begin);
        assert_memory_equal(indices + i * ROOM, rows + begin, counts[i] * 4);
    }
    xlt_buffer_free(&out);
    xlt_buffer_free(&of);
    search_call_free(&c);
    free(offsets);
    free(rows);
    free(counts);
    free(indices);
    (void)what;
    return 0;
}

static void sums_and_rooms(void **state)
{
    (void)state;
    batch b = batch_make(cloud_uniform(sized(900), -1, 2, 71), 8, 73);
    const search_case a = case_of(&b, 0.4f);
    (void)check_in_ways("sums of systems", a, check_visits);
    (void)check_in_ways("rows with room", a, check_rooms);
    batch_free(&b);
}

/* From sorted points, and from places, which say their system. */
static const char kernels[] =
    "#define XL_NEIGHBORS_BATCH 1\n"
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void sums(XL_NEIGHBORS_PARAMETERS(cloud), __global float *out)\n"
    "{\n"
    "    const xl_neighbors cloud = XL_NEIGHBORS_LOAD(cloud);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&cloud))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&cloud, k);\n"
    "    float sum = 0;\n"
    "    XL_FOR_NEIGHBORS(near, cloud)\n"
    "        sum += near.vector.w == 0 ? (float)near.index : NAN;\n"
    "    out[near.self] = xl_neighbors_failed(&cloud) ? -1 : sum;\n"
    "}\n"
    "__kernel void places(XL_NEIGHBORS_PARAMETERS(cloud), __global const float *xyz,\n"
    "                     __global const uint *systems, __global float *out)\n"
    "{\n"
    "    const xl_neighbors cloud = XL_NEIGHBORS_LOAD(cloud);\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= xl_neighbors_points(&cloud))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_around(\n"
    "        &cloud, (float4)(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2], (float)systems[i]));\n"
    "    float sum = 0;\n"
    "    xl_neighbors_set_radius(&near, &cloud, 0.4f);\n"
    "    XL_FOR_NEIGHBORS(near, cloud)\n"
    "        sum += near.index == i ? 0 : (float)near.index;\n"
    "    out[i] = sum;\n"
    "}\n";

static void run_kernel(cl_program program, const char *name, const built *of, const xlt_buffer *out)
{
    cl_int code;
    cl_uint next = 0;
    const size_t n = of->cloud->n;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    xlt_buffer xyz = xlt_buffer_make(of->cloud->xyz, 3 * n, 4, 0);
    xlt_buffer systems = xlt_buffer_make(of->cloud->systems, n, 4, 0);
    const cl_mem given[] = {xyz.mem, systems.mem};
    XLT_CL(code);
    XLT_OK(xl_grid_index_set_kernel_args(
        of->index, &(xl_neighbors_kernel_args){.kernel = kernel, .radius = 0.4f}, &next));
    for (cl_uint k = 0; k < 2 && strcmp(name, "places") == 0; ++k)
        XLT_CL(clSetKernelArg(kernel, next++, sizeof(cl_mem), &given[k]));
    XLT_CL(clSetKernelArg(kernel, next, sizeof(cl_mem), &out->mem));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    clReleaseKernel(kernel);
    xlt_buffer_free(&xyz);
    xlt_buffer_free(&systems);
}

static void kernels_of_the_users(void **state)
{
    (void)state;
    cl_program program;
    batch b = batch_make(cloud_uniform(sized(600), -1, 2, 81), 6, 83);
    search_case a = case_of(&b, 0.4f);
    float *wanted = sums_of(&a);
    built in_batch = build_grid(&b.points, &a.grid);
    a.grid.num_systems = 0;
    built in_one = build_grid(&b.points, &a.grid);
    xlt_place(XLT_EXACT); /* kernels of our own begin at the first byte */
    xlt_buffer out = xlt_buffer_make(NULL, b.points.n, 4, 0);
    XLT_OK(xl_program_create(xlt_context(), kernels, NULL, &program));
    run_kernel(program, "sums", &in_batch, &out);
    sums_equal("sums of a kernel", &out, wanted, b.points.n);
    run_kernel(program, "places", &in_batch, &out);
    sums_equal("sums around places", &out, wanted, b.points.n);
    for (size_t i = 0; i < b.points.n; ++i)
        wanted[i] = -1;
    run_kernel(program, "sums", &in_one, &out);
    sums_equal("an index of no batch", &out, wanted, b.points.n);
    xlt_place(XLT_GUARD_BYTES);
    clReleaseProgram(program);
    xlt_buffer_free(&out);
    built_free(&in_batch);
    built_free(&in_one);
    free(wanted);
    batch_free(&b);
}

/* ---- double precision ------------------------------------------------------------------------ */

/* The box around it has the cube that the points are in. */
static const double leaning[3][3] = {{2, 0, 0}, {1, 2, 0}, {-1, 0.5, 2}};

static void check_f64(const batch *b, uint32_t table, bool in_cell)
{
    const size_t n = b->points.n;
    double *xyz = malloc((3 * n + 1) * sizeof *xyz);
    uint64_t *wanted = calloc(n + 1, 8), *got = calloc(n + 1, 8);
    assert_true(xyz && wanted && got);
    for (size_t i = 0; i < 3 * n; ++i)
        xyz[i] = 1e6 + (double)b->points.xyz[i];
    ref_search_f64 search = {
        .points = xyz, .n = n, .stride = 3, .radius = 0.4, .systems = b->systems};
    for (int k = 0; k < 3 && in_cell; ++k)
        search.period[k] = leaning[k][k];
    search.tilt[0] = in_cell ? leaning[1][0] : 0;
    search.tilt[1] = in_cell ? leaning[2][0] : 0;
    search.tilt[2] = in_cell ? leaning[2][1] : 0;
    uint32_t *rows = ref_neighbors_f64(&search, wanted);
    const xl_tunable tunables[] = {{"grid.table", table}};
    xl_grid_desc grid = {0};
    xl_neighbors_desc near;
    built of = {.cloud = &b->points};
    xl_neighbors *plan;
    assert_non_null(rows);
    xl_grid_desc_init(&grid);
    grid.scalar = XL_F64;
    grid.cell_size = 0.4f;
    grid.num_systems = b->num;
    if (in_cell) {
        grid.triclinic = 1;
        grid.periodic = 7;
        memcpy(grid.cell_f64, leaning, sizeof leaning);
        for (int k = 0; k < 3; ++k)
            grid.lower_f64[k] = 1e6 - 1;
    }
    grid.tunables = tunables;
    grid.num_tunables = 1;
    xl_neighbors_desc_init(&near);
    near.scalar = XL_F64;
    near.radius_f64 = 0.4;
    near.batch = 1;
    near.periodic = in_cell ? XL_REPEATS_CELL : XL_REPEATS_NOT;
    XLT_OK(xl_grid_create(xlt_context(), &grid, &of.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &of.index));
    XLT_OK(xl_neighbors_create(xlt_context(), &near, &plan));
    xlt_buffer points = xlt_buffer_make(xyz, 3 * n, 8, 1);
    xlt_buffer systems = xlt_buffer_make(b->systems, n, 4, 1);
    xlt_buffer offsets = xlt_buffer_make(NULL, n + 1, 8, 1);
    XLT_OK(xl_grid_build_enqueue(
        of.grid, of.index, xlt_queue(),
        &(xl_grid_build_args){.n = n, .points = xlt_view(&points), .systems = xlt_view(&systems)},
        0, NULL, NULL));
    XLT_OK(xl_neighbors_count_enqueue(plan, of.index, xlt_queue(),
                                      &(xl_neighbors_count_args){.offsets = xlt_view(&offsets)}, 0,
                                      NULL, NULL));
    (void)report_of(&of);
    xlt_read(&offsets, got);
    offsets_equal(in_cell ? "double precision, a cell" : "double precision", got, wanted, n);
    assert_true(wanted[n] > n);
    xl_neighbors_destroy(plan);
    xl_grid_index_destroy(of.index);
    xl_grid_destroy(of.grid);
    xlt_buffer_free(&points);
    xlt_buffer_free(&systems);
    xlt_buffer_free(&offsets);
    free(rows);
    free(xyz);
    free(wanted);
    free(got);
}

static void double_precision(void **state)
{
    (void)state;
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    if (!info.has_fp64)
        skip();
    batch b = batch_make(cloud_uniform(sized(600), -1, 2, 91), 5, 93);
    check_f64(&b, 0, false);
    check_f64(&b, 64, false);
    check_f64(&b, 0, true);
    check_f64(&b, 64, true);
    batch_free(&b);
}

/* ---- errors, memory -------------------------------------------------------------------------- */

static void expect(xl_status got, xl_status wanted, const char *word)
{
    if (got != wanted || !strstr(xl_context_error(xlt_context()), word))
        XLT_FAIL("%s, not %s with '%s': %s", xl_status_name(got), xl_status_name(wanted), word,
                 xl_context_error(xlt_context()));
}

/* A point of a system that there is not fails the build, and is named. */
static void numbers_of_no_system(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 8; ++k) {
        const xl_tunable tunables[] = {{"grid.table", k & 2 ? 0 : 64}, {"grid.planes", k >> 2}};
        xl_grid_report report;
        batch b = batch_make(cloud_uniform(sized(300), 0, 1, 95), 4, 97);
        search_case a = case_of(&b, 0.3f);
        a.grid.tunables = tunables;
        a.grid.num_tunables = 2;
        if (k & 1)
            bound(&a, 0, 1);
        b.systems[20] = 4;
        b.systems[31] = UINT32_MAX;
        built of = build_grid(&b.points, &a.grid);
        expect(xl_grid_index_status(of.index, xlt_queue(), &report, 0, NULL),
               XL_ERROR_OUT_OF_DOMAIN, "no system from 0 to 3");
        assert_int_equal(report.out_of_domain, 2);
        assert_int_equal(report.first_out_of_domain, 20);
        built_free(&of);
        batch_free(&b);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    batch b = batch_make(cloud_uniform(60, 0, 1, 99), 4, 101);
    search_case a = case_of(&b, 0.3f);
    xl_grid *grid = NULL;
    xl_neighbors *plan = NULL;
    xl_knn *nearest = NULL;
    xl_knn_desc knn;
    xlt_buffer counts = xlt_buffer_make(NULL, 60, 4, 0), queries = xlt_buffer_make(NULL, 60, 4, 0);
    built of = build_grid(&b.points, &a.grid);
    const xl_neighbors_count_args count = {.counts = xlt_view(&counts)};
    a.grid.num_systems = (1u << 20) + 1;
    expect(xl_grid_create(xlt_context(), &a.grid, &grid), XL_ERROR_INVALID_ARGUMENT,
           "desc.num_systems");
    a.grid.num_systems = 4;
    expect(xl_grid_build_enqueue(of.grid, of.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = 60, .points = xlt_view(&of.points)}, 0,
                                 NULL, NULL),
           XL_ERROR_INVALID_ARGUMENT, "systems");
    XLT_OK(xl_neighbors_create(xlt_context(), &a.search, &plan));
    expect(xl_neighbors_count_enqueue(plan, of.index, xlt_queue(), &count, 0, NULL, NULL),
           XL_ERROR_INVALID_ARGUMENT, "desc.batch is 0");
    xl_neighbors_destroy(plan);
    a.search.batch = 2;
    expect(xl_neighbors_create(xlt_context(), &a.search, &plan), XL_ERROR_INVALID_ARGUMENT,
           "desc.batch");
    a.search.batch = 1;
    a.search.queries = XL_QUERIES_GIVEN;
    XLT_OK(xl_neighbors_create(xlt_context(), &a.search, &plan));
    expect(xl_neighbors_count_enqueue(plan, of.index, xlt_queue(),
                                      &(xl_neighbors_count_args){.counts = xlt_view(&counts),
                                                                 .num_queries = 20,
                                                                 .queries = xlt_view(&queries)},
                                      0, NULL, NULL),
           XL_ERROR_INVALID_ARGUMENT, "query_systems");
    xl_knn_desc_init(&knn);
    knn.k = 1;
    XLT_OK(xl_knn_create(xlt_context(), &knn, &nearest));
    expect(xl_knn_enqueue(nearest, of.index, xlt_queue(),
                          &(xl_knn_args){.indices = xlt_view(&counts)}, 0, NULL, NULL),
           XL_ERROR_INVALID_ARGUMENT, "desc.batch is 0");
    built_free(&of);
    a.grid.num_systems = 0;
    of = build_grid(&b.points, &a.grid);
    expect(xl_neighbors_count_enqueue(plan, of.index, xlt_queue(), &count, 0, NULL, NULL),
           XL_ERROR_INVALID_ARGUMENT, "desc.batch is 1");
    expect(xl_grid_build_enqueue(of.grid, of.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = 60,
                                                       .points = xlt_view(&of.points),
                                                       .systems = xlt_view(&counts)},
                                 0, NULL, NULL),
           XL_ERROR_INVALID_ARGUMENT, "desc.num_systems is 0");
    xl_knn_destroy(nearest);
    xl_neighbors_destroy(plan);
    built_free(&of);
    xlt_buffer_free(&counts);
    xlt_buffer_free(&queries);
    batch_free(&b);
}

/* Four bytes a point more than an index of one system. */
static void memory(void **state)
{
    (void)state;
    enum { N = 100000 };
    size_t bytes[2], alignment;
    for (uint32_t k = 0; k < 2; ++k) {
        xl_grid *grid;
        xl_grid_desc desc;
        xl_grid_desc_init(&desc);
        desc.cell_size = 1;
        desc.num_systems = 1000 * k;
        XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
        XLT_OK(xl_grid_scratch(grid, N, &bytes[k], &alignment));
        xl_grid_destroy(grid);
    }
    assert_true(bytes[1] > bytes[0] && bytes[1] <= bytes[0] + 4 * N + 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_among_each_other),
        cmocka_unit_test(many_systems),
        cmocka_unit_test(more_rows_than_points),
        cmocka_unit_test(more_layers_than_numbers),
        cmocka_unit_test(space_that_repeats),
        cmocka_unit_test(fewer_dimensions),
        cmocka_unit_test(given_queries),
        cmocka_unit_test(sums_and_rooms),
        cmocka_unit_test(kernels_of_the_users),
        cmocka_unit_test(double_precision),
        cmocka_unit_test(numbers_of_no_system),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

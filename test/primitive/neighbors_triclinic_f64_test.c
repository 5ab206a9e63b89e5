/* SPDX-License-Identifier: MIT
 * Triclinic cells of points of double precision: every kind of search against every pair and every
 * image of it, lattices whose shells are known to the last bit, and what is refused. */
#include "triclinic_f64_support.h"

#include <crosslane/knn.h>
#include <crosslane/program.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const double skewed[3][3] = {{2, 0, 0}, {0.8, 1.7, 0}, {-0.9, 0.75, 1.4}};
static const double leaning[3][3] = {{1.5, 0, 0}, {-1.4, 1.25, 0}, {1.2, -1.9, 1.1}};
static const double corner[3] = {-0.7, 3, 0.1}, far_corner[3] = {1e9, -3e9, 2e9};

/* ---- every pair and every image -------------------------------------------------------------- */

/* Radii below half the shortest height, and above a period; cells smaller and larger than those;
 * points in the cell, or some of them anywhere in the box around it; half lists. */
static void random_points(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double radii[] = {0.3, 0.6, 1.6};
    for (unsigned k = 0; k < 4; ++k)
        for (unsigned r = 0; r < 3; ++r) {
            wide_case a = case_of(k & 1 ? leaning : skewed, corner, radii[r]);
            places p = places_in(&a.grid, wide_sized(r == 0 ? 400 : r == 1 ? 120 : 33), 7 + r);
            a.points = &p;
            a.grid.cell_size = r == 1 ? 0.2f : 0.5f;
            a.search.half = k > 1;
            a.search.sorted = k != 1;
            a.soa = k == 3;
            if (k == 1 || k == 2)
                scatter(&a.grid, &p, 9 + r);
            assert_true(check_ways("random points", a) > p.n / 2);
            free(p.xyz);
        }
}

/* A slab, a rod, a plane and a line. */
static void some_vectors(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    for (uint32_t periodic = 1; periodic < 7; ++periodic) {
        wide_case a = case_of(leaning, corner, 0.4);
        a.grid.periodic = periodic;
        places p = places_in(&a.grid, wide_sized(150), 30 + periodic);
        a.points = &p;
        assert_true(check_ways("some vectors repeat", a) > 0);
        free(p.xyz);
    }
    for (uint32_t dimensions = 1; dimensions < 3; ++dimensions) {
        wide_case a = case_of(skewed, corner, 0.3);
        a.grid.periodic = (1u << dimensions) - 1;
        a.grid.dimensions = dimensions;
        a.grid.cell_f64[2][2] = -1; /* counts for nothing, as the third row does */
        places p = places_in(&a.grid, wide_sized(90), 40 + dimensions);
        a.points = &p;
        a.soa = dimensions == 2;
        assert_true(check_ways("fewer dimensions", a) > 0);
        free(p.xyz);
    }
}

/* As long as a search takes them: 8 of the shortest period. Each product of a shift rounds. */
static void long_radii(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double cell[3][3] = {{1.9, 0, 0}, {-1.3, 1.7, 0}, {0.7, -0.9, 1.1}};
    wide_case a = case_of(cell, corner, 8 * 1.1);
    places p = places_in(&a.grid, 3, 15);
    a.points = &p;
    assert_true(check("eight periods", &a) > 3000);
    free(p.xyz);
}

/* Queries anywhere, some far off, with radii of their own, in either layout. */
static void given_queries(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(skewed, corner, 0.6);
    const size_t n = wide_sized(120);
    places p = places_in(&a.grid, wide_sized(200), 51), queries = places_make(n, 3);
    double *radii = calloc(n, sizeof *radii);
    assert_non_null(radii);
    xlt_random random = {52};
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.7 * (double)i / (double)n - 0.05;
    for (size_t i = 0; i < 3 * n; ++i)
        queries.xyz[i] = 9 * wide_unit(&random) - 4;
    queries.xyz[3] = 1e5;
    queries.xyz[7] = -3e4;
    queries.xyz[11] = 2e6;
    queries.xyz[12] = 1e12;
    a.points = &p;
    a.queries = &queries;
    a.radii = radii;
    for (int k = 0; k < 2; ++k) {
        a.soa = k != 0;
        a.search.sorted = (uint32_t)k;
        assert_true(check_ways("given queries", a) > 0);
    }
    free(radii);
    free(queries.xyz);
    free(p.xyz);
}

static void rows_with_room(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(skewed, corner, 0.45);
    places p = places_in(&a.grid, wide_sized(150), 81);
    a.points = &p;
    a.search.row_capacity = 96;
    assert_true(check_ways("rows with room", a) > 0);
    free(p.xyz);
}

/* ---- what floats would not have right -------------------------------------------------------- */

/* A cell so far off that its points are one in floats: the same pairs as around the origin. */
static void far_from_the_origin(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t side = xlt_small() ? 4 : 6;
    wide_case near = case_of(skewed, corner, 0.77), a = case_of(skewed, far_corner, 0.77);
    places p = places_lattice_in(&a.grid, side), q = places_lattice_in(&near.grid, side);
    a.points = &p;
    near.points = &q;
    const uint64_t pairs = check_ways("far off", a);
    wanted w = wanted_of(&near);
    assert_true(pairs > 10 * p.n && pairs == w.offsets[p.n]);
    for (size_t i = 1; i < p.n; ++i)
        assert_true((float)p.xyz[3 * i + 1] == (float)p.xyz[1]);
    wanted_free(&w);
    free(p.xyz);
    free(q.xyz);
}

/* Points that are as far from each other as the radius is long, or seem to be. */
static void ties(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    const size_t side = xlt_small() ? 4 : 6;
    const double part = 1.0 / (double)side;
    const double edges[] = {2 * part, 4 * part, hypot(0.8, 1.7) * part};
    for (size_t k = 0; k < COUNT_OF(edges); ++k)
        for (uint32_t inclusive = 0; inclusive < 2; ++inclusive) {
            wide_case a = case_of(skewed, corner, edges[k]);
            places p = places_lattice_in(&a.grid, side);
            a.points = &p;
            a.search.inclusive = inclusive;
            a.grid.cell_size = (float)edges[k];
            assert_true(check_ways("ties", a) > 0);
            free(p.xyz);
        }
}

/* Radii as long as an image is far, of queries so far off that differences round by more than
 * places differ that lie at the corner. */
static void moved_queries_round(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double cell[3][3] = {{0.8, 0, 0}}, at[3] = {0, 0, 0};
    wide_case a = case_of(cell, at, 0.79);
    a.grid.dimensions = a.grid.periodic = 1;
    places p = places_in(&a.grid, 24, 17), q = places_in(&a.grid, 24, 18);
    for (size_t i = 0; i < p.n; ++i) {
        p.xyz[3 * i] *= 0x1p-20;
        q.xyz[3 * i] += 1e6;
    }
    a.points = &p;
    a.queries = &q;
    a.how = TUNED_ROWS;
    wanted w = wanted_of(&a);
    a.search.inclusive = 1;
    size_t tried = 0;
    for (size_t k = 0; k < w.offsets[w.n] && tried < 40; k += 7)
        if (w.all.shifts[3 * k] != 0) {
            a.search.radius_f64 = fabs(w.all.vectors[3 * k]);
            assert_true(check("a query that rounds", &a) > 0);
            ++tried;
        }
    assert_true(tried > 10);
    wanted_free(&w);
    free(p.xyz);
    free(q.xyz);
}

/* One atom in a primitive cell of the face-centred cubic lattice, whose numbers are whole: all of
 * its neighbours are images of its own, 12, 6, 24, 12 and 24 at squares of 2, 4, 6, 8 and 10, times
 * that of any scale that is a power of two. A radius of 2 is as long as the second shell is far,
 * and floats have no longer one up to 2 + 2^-22. */
static void shells_of_a_lattice(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double fcc[3][3] = {{2, 0, 0}, {1, 1, 0}, {1, 0, 1}};
    static const struct {
        double radius;
        uint32_t inclusive, count;
    } shells[] = {{2, 0, 12},
                  {2, 1, 18},
                  {2 + 0x1p-50, 0, 18},
                  {2 - 0x1p-51, 1, 12},
                  {1.5, 0, 12},
                  {2.4, 0, 18},
                  {2.7, 0, 42},
                  {3, 0, 54},
                  {3.3, 0, 78},
                  {0x1p-50, 0, 0},
                  {1.41421356, 0, 0},
                  {1.4142135623730951, 1, 12},
                  {1.414213562373095, 1, 0}};
    static const double scales[] = {1, 0x1p-200, 0x1p+100};
    for (size_t s = 0; s < COUNT_OF(scales); ++s)
        for (size_t k = 0; k < COUNT_OF(shells); ++k) {
            wide_case a = case_of(fcc, corner, shells[k].radius * scales[s]);
            for (int axis = 0; axis < 9; ++axis)
                a.grid.cell_f64[axis / 3][axis % 3] *= scales[s];
            for (int axis = 0; axis < 3; ++axis)
                a.grid.lower_f64[axis] *= scales[s];
            places p = places_in(&a.grid, 1, 3);
            a.points = &p;
            a.grid.cell_size = fmaxf((float)(0.5 * scales[s]), FLT_MIN);
            a.search.inclusive = shells[k].inclusive;
            a.search.half = k & 1;
            if (s == 0 || k < 4 || !xlt_small())
                assert_int_equal(check("shells", &a) * (1 + (k & 1)), shells[k].count);
            free(p.xyz);
        }
}

/* j is a neighbour of i in image s as i is of j in image -s, to the bit but for the sign. */
static void pairs_are_symmetric(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(leaning, far_corner, 0.8);
    places p = places_in(&a.grid, wide_sized(120), 61);
    a.points = &p;
    assert_true(check("symmetric pairs", &a) > p.n);
    wanted w = wanted_of(&a);
    for (size_t i = 0; i < p.n; ++i)
        for (size_t k = (size_t)w.offsets[i]; k < w.offsets[i + 1]; ++k) {
            const size_t j = w.indices[k];
            size_t found = 0;
            for (size_t m = (size_t)w.offsets[j]; m < w.offsets[j + 1]; ++m) {
                bool same = w.indices[m] == i && w.all.distances2[m] == w.all.distances2[k];
                for (int axis = 0; axis < 3; ++axis)
                    same =
                        same &&
                        w.all.shifts[3 * m + (size_t)axis] == -w.all.shifts[3 * k + (size_t)axis] &&
                        w.all.vectors[3 * m + (size_t)axis] == -w.all.vectors[3 * k + (size_t)axis];
                found += same ? 1 : 0;
            }
            assert_int_equal(found, 1);
        }
    wanted_free(&w);
    free(p.xyz);
}

/* ---- other searches -------------------------------------------------------------------------- */

enum { K = 24 };

static void check_nearest(const char *what, const wide_case *a, double most)
{
    xl_knn_desc desc;
    xl_knn *plan;
    ref_knn_search_f64 r = {.points = a->points->xyz,
                            .n = a->points->n,
                            .stride = 3,
                            .dimensions = 3,
                            .queries = a->queries ? a->queries->xyz : NULL,
                            .query_stride = 3,
                            .k = K,
                            .radius2 = most * most,
                            .images = 4};
    wide_cell_of(&a->grid, r.period, r.tilt);
    xl_knn_desc_init(&desc);
    desc.k = K;
    desc.scalar = XL_F64;
    desc.max_radius_f64 = most;
    desc.periodic = XL_REPEATS_CELL;
    desc.queries = a->queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    desc.query_layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    call c = call_make(a);
    XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
    xlt_buffer out[] = {xlt_buffer_make(NULL, c.n * K, 4, 1), xlt_buffer_make(NULL, c.n * K, 8, 2)};
    uint32_t *got = calloc(c.n * K, 4), right[K];
    double *distances2 = calloc(c.n * K, 8), far2[K];
    assert_true(got && distances2);
    XLT_OK(xl_knn_enqueue(plan, c.of.index, xlt_queue(),
                          &(xl_knn_args){.num_queries = c.num_queries,
                                         .queries = c.queries.view[0],
                                         .queries_y = c.queries.view[1],
                                         .queries_z = c.queries.view[2],
                                         .indices = xlt_view(&out[0]),
                                         .distances2 = xlt_view(&out[1])},
                          0, NULL, NULL));
    xlt_read(&out[0], got);
    xlt_read(&out[1], distances2);
    for (size_t i = 0; i < c.n; ++i) {
        ref_knn_f64(&r, i, right, far2);
        for (size_t k = 0; k < K; ++k)
            if (got[i * K + k] != right[k] || distances2[i * K + k] != far2[k])
                XLT_FAIL("%s: place %zu of query %zu: %u, %.17g far, not %u, %.17g", what, k, i,
                         got[i * K + k], distances2[i * K + k], right[k], far2[k]);
    }
    free(got);
    free(distances2);
    for (int k = 0; k < 2; ++k)
        xlt_buffer_free(&out[k]);
    xl_knn_destroy(plan);
    call_free(&c);
}

/* The k nearest, of which some are images of the query itself; far off as well, and of queries. */
static void nearest_points(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(leaning, corner, 0.4), off = case_of(skewed, far_corner, 0.4);
    places p = places_in(&a.grid, wide_sized(30), 91), q = places_in(&a.grid, wide_sized(60), 92);
    places far = places_lattice_in(&off.grid, 3);
    a.points = &p;
    check_nearest("of points", &a, 0);
    off.points = &far;
    check_nearest("far off", &off, 0);
    for (size_t i = 0; i < 3 * q.n; ++i)
        q.xyz[i] = 3 * q.xyz[i] - 4;
    a.queries = &q;
    a.soa = true;
    check_nearest("of queries", &a, 1.1);
    free(p.xyz);
    free(q.xyz);
    free(far.xyz);
}

/* ---- a kernel of the user's ------------------------------------------------------------------ */

static const char kernel_text[] =
    "#define XL_NEIGHBORS_F64 1\n"
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void sums(XL_NEIGHBORS_PARAMETERS(all), __global uint *counts,\n"
    "                   __global double *most)\n"
    "{\n"
    "    const xl_neighbors all = XL_NEIGHBORS_LOAD(all);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    uint count = 0;\n"
    "    double far = 0;\n"
    "    xl_neighbor near = xl_neighbors_of(&all, k);\n"
    "    XL_FOR_NEIGHBORS(near, all) {\n"
    "        const double4 v = near.vector;\n"
    "        far = fmax(far, near.distance2 + fabs(v.x) + fabs(v.y) + fabs(v.z));\n"
    "        ++count;\n"
    "    }\n"
    "    counts[near.self] = xl_neighbors_failed(&all) ? 0xffffffffu : count;\n"
    "    most[near.self] = far;\n"
    "}\n";

/* Without `cells` it knows boxes alone, and finds no index. */
static void run_kernel(const call *c, bool cells, double radius, uint32_t *counts, double *most)
{
    char text[sizeof kernel_text + 64];
    cl_program program;
    cl_int code;
    cl_uint next;
    snprintf(text, sizeof text, "#define XL_NEIGHBORS_PERIODIC %d\n%s", cells ? 2 : 1, kernel_text);
    XLT_OK(xl_program_create(xlt_context(), text, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "sums", &code);
    XLT_CL(code);
    XLT_OK(xl_grid_index_set_kernel_args(
        c->of.index, &(xl_neighbors_kernel_args){.kernel = kernel, .radius_f64 = radius}, &next));
    cl_mem out[2];
    for (cl_uint k = 0; k < 2; ++k) {
        out[k] = clCreateBuffer(xl_context_cl(xlt_context()), 0, c->n * (k ? 8 : 4), NULL, &code);
        XLT_CL(code);
        XLT_CL(clSetKernelArg(kernel, next + k, sizeof out[k], &out[k]));
    }
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &c->n, NULL, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), out[0], CL_TRUE, 0, 4 * c->n, counts, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), out[1], CL_TRUE, 0, 8 * c->n, most, 0, NULL, NULL));
    clReleaseMemObject(out[0]);
    clReleaseMemObject(out[1]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static double most_of(const wanted *w, size_t i)
{
    double most = 0;
    for (size_t k = (size_t)w->offsets[i]; k < w->offsets[i + 1]; ++k) {
        const double *const v = w->all.vectors + 3 * k;
        most = fmax(most, w->all.distances2[k] + fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
    }
    return most;
}

static void kernels_of_users(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(leaning, far_corner, 0.4);
    places p = places_in(&a.grid, wide_sized(150), 95);
    a.points = &p;
    wanted w = wanted_of(&a);
    call c = call_make(&a);
    uint32_t *counts = calloc(p.n, sizeof *counts);
    double *most = calloc(p.n, sizeof *most);
    assert_true(counts && most);
    run_kernel(&c, true, 0.4, counts, most);
    for (size_t i = 0; i < p.n; ++i) {
        assert_int_equal(counts[i], w.offsets[i + 1] - w.offsets[i]);
        assert_true(fabs(most[i] - most_of(&w, i)) <= 1e-15 * most[i]);
    }
    run_kernel(&c, false, 0.4, counts, most);
    for (size_t i = 0; i < p.n; ++i)
        assert_true(counts[i] == UINT32_MAX);
    free(counts);
    free(most);
    call_free(&c);
    wanted_free(&w);
    free(p.xyz);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static uint32_t moved_by(const call *c, const places *now, double distance)
{
    uint32_t count = 7;
    given points = given_make(now, 3, false);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 2);
    XLT_OK(xl_grid_moved_enqueue(c->of.grid, c->of.index, xlt_queue(),
                                 &(xl_grid_moved_args){.distance_f64 = distance,
                                                       .points = points.view[0],
                                                       .moved = xlt_view(&moved)},
                                 0, NULL, NULL));
    xlt_read(&moved, &count);
    given_free(&points);
    xlt_buffer_free(&moved);
    return count;
}

/* Steps of up to 0.2, and for some another image of where they end. */
static void take_steps(const xl_grid_desc *grid, const places *was, places *now)
{
    xlt_random random = {97};
    for (size_t i = 0; i < 3 * was->n; ++i)
        now->xyz[i] = was->xyz[i] + 0.4 * (wide_unit(&random) - 0.5);
    for (size_t i = 0; i < was->n; i += 3)
        for (int row = 0; row < 3; ++row) {
            const double times = (double)xlt_below(&random, 5) - 2;
            for (int axis = 0; axis < 3; ++axis)
                now->xyz[3 * i + (size_t)axis] += times * grid->cell_f64[row][axis];
        }
}

static void moves(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const double distances[] = {0, 0.05, 0.1, 0.125, 0.15, 0.2, 0.3, 1};
    wide_case a = case_of(leaning, far_corner, 0.4);
    places p = places_in(&a.grid, wide_sized(600), 96), now = places_make(p.n, 3);
    a.points = &p;
    ref_moved_f64 m = {
        .was = p.xyz, .now = now.xyz, .was_stride = 3, .now_stride = 3, .n = p.n, .dimensions = 3};
    wide_cell_of(&a.grid, m.period, m.tilt);
    call c = call_make(&a);
    take_steps(&a.grid, &p, &now);
    now.xyz[4] = NAN;
    now.xyz[9] = 1e200;
    now.xyz[14] = INFINITY;
    for (size_t k = 0; k < COUNT_OF(distances); ++k) {
        m.distance = distances[k];
        assert_int_equal(moved_by(&c, &now, m.distance), ref_count_moved_f64(&m));
    }
    assert_int_equal(moved_by(&c, &p, 0), 0);
    call_free(&c);
    free(now.xyz);
    free(p.xyz);
}

/* To another image, and further by what floats round away. */
static void moves_by_a_hair(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(leaning, corner, 0.4);
    places p = places_in(&a.grid, 2, 98), now = places_make(2, 3);
    for (size_t i = 0; i < 2; ++i)
        memcpy(p.xyz + 3 * i, (const double[]){0.25, 3.5, 0.5}, 3 * sizeof(double));
    a.points = &p;
    call c = call_make(&a);
    memcpy(now.xyz, p.xyz, 6 * sizeof(double));
    now.xyz[3] += 1.5;
    now.xyz[1] += 0.125;
    now.xyz[4] += 0.125 + 0x1p-40;
    assert_int_equal(moved_by(&c, &now, 0.125), 1);
    assert_int_equal(moved_by(&c, &now, 0.125 + 0x1p-40), 0);
    assert_int_equal(moved_by(&c, &now, 0.125 - 0x1p-40), 2);
    call_free(&c);
    free(now.xyz);
    free(p.xyz);
}

/* ---- what is refused, and reported ----------------------------------------------------------- */

static void says(xl_status got, xl_status right, const char *word)
{
    XLT_FAILS(got, right);
    if (!strstr(xl_context_error(xlt_context()), word))
        XLT_FAIL("no \"%s\" in: %s", word, xl_context_error(xlt_context()));
}

static void bad_cells_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    static const struct {
        int row, axis;
        double entry;
        const char *word;
    } entries[] = {{0, 2, NAN, "desc.cell_f64[0][2]: nan; must be finite"},
                   {2, 2, 1e-309, "a cell of height"},
                   {2, 2, INFINITY, "desc.cell_f64[2][2]: inf; must be finite"},
                   {2, 2, DBL_MAX, "desc.lower_f64[2]: 0.1; the box around the cell"}};
    xl_grid *grid;
    xl_grid_desc desc;
    for (size_t k = 0; k < COUNT_OF(entries); ++k) {
        desc = case_of(skewed, corner, 0.4).grid;
        desc.cell_f64[entries[k].row][entries[k].axis] = entries[k].entry;
        says(xl_grid_create(xlt_context(), &desc, &grid), XL_ERROR_INVALID_ARGUMENT,
             entries[k].word);
    }
    desc = case_of(skewed, corner, 0.4).grid;
    desc.lower_f64[1] = 0x1p50;
    says(xl_grid_create(xlt_context(), &desc, &grid), XL_ERROR_INVALID_ARGUMENT,
         "desc.lower_f64[1]: 1.1259e+15; a cell of height");
    desc = case_of(skewed, corner, 0.4).grid;
    desc.cell[2][0] = 1;
    says(xl_grid_create(xlt_context(), &desc, &grid), XL_ERROR_INVALID_ARGUMENT,
         "desc.cell[2][0]: must be 0");
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    desc.cell_f64[1][1] = 1;
    says(xl_grid_create(xlt_context(), &desc, &grid), XL_ERROR_INVALID_ARGUMENT,
         "desc.cell_f64[1][1]: must be 0");
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(skewed, corner, 1.5e6);
    places p = places_in(&a.grid, 20, 3);
    a.points = &p;
    xlt_buffer counts = xlt_buffer_make(NULL, p.n, 4, 2);
    const xl_neighbors_count_args args = {.counts = xlt_view(&counts)};
    call c = call_make(&a);
    says(xl_neighbors_count_enqueue(c.plan, c.of.index, xlt_queue(), &args, 0, NULL, NULL),
         XL_ERROR_UNSUPPORTED, "desc.radius_f64: 1.5e+06; must be");
    xl_neighbors *plan;
    a.search.periodic = XL_REPEATS_BOX;
    XLT_OK(xl_neighbors_create(xlt_context(), &a.search, &plan));
    says(xl_neighbors_count_enqueue(plan, c.of.index, xlt_queue(), &args, 0, NULL, NULL),
         XL_ERROR_INVALID_ARGUMENT,
         "triclinic cell, but the plan's desc.periodic is 1, XL_REPEATS_BOX");
    const xl_grid_moved_args moved = {
        .distance_f64 = 1.6e6, .points = c.of.points.view[0], .moved = xlt_view(&counts)};
    says(xl_grid_moved_enqueue(c.of.grid, c.of.index, xlt_queue(), &moved, 0, NULL, NULL),
         XL_ERROR_UNSUPPORTED, "distance_f64: 1.6e+06; must be");
    xl_neighbors_destroy(plan);
    xlt_check_unwritten(&counts, "counts");
    xlt_buffer_free(&counts);
    call_free(&c);
    free(p.xyz);
}

/* Where point 7 is at x, how many the build finds outside of the box around the cell. */
static uint64_t outside_at(wide_case *a, double x, xl_grid_report *report)
{
    places p = places_in(&a->grid, 20, 5);
    a->points = &p;
    p.xyz[21] = x;
    call c = call_make(a);
    const xl_status status = xl_grid_index_status(c.of.index, xlt_queue(), report, 0, NULL);
    assert_int_equal(status, report->out_of_domain ? XL_ERROR_OUT_OF_DOMAIN : XL_SUCCESS);
    assert_true(report->out_of_domain == 0 || report->first_out_of_domain == 7);
    call_free(&c);
    free(p.xyz);
    return report->out_of_domain;
}

/* The box around the cell is a millionth of its size larger, wherever the cell is. */
static void points_outside_are_found(void **state)
{
    (void)state;
    NEEDS_DOUBLES()
    wide_case a = case_of(skewed, corner, 0.4);
    xl_grid_report report;
    a.grid.lower_f64[0] = 1e9;
    const double low = 1e9 - 0.9, high = 1e9 + 2.8;
    assert_int_equal(outside_at(&a, low, &report), 0);
    assert_true(fabs(report.lower_f64[0] - low) < 1e-5 && fabs(report.upper_f64[0] - high) < 1e-5);
    assert_int_equal(outside_at(&a, low - 3e-6, &report), 0);
    assert_int_equal(outside_at(&a, high + 3e-6, &report), 0);
    assert_int_equal(outside_at(&a, low - 2e-5, &report), 1);
    assert_int_equal(outside_at(&a, high + 2e-5, &report), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points),
        cmocka_unit_test(some_vectors),
        cmocka_unit_test(long_radii),
        cmocka_unit_test(given_queries),
        cmocka_unit_test(rows_with_room),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(ties),
        cmocka_unit_test(moved_queries_round),
        cmocka_unit_test(shells_of_a_lattice),
        cmocka_unit_test(pairs_are_symmetric),
        cmocka_unit_test(nearest_points),
        cmocka_unit_test(kernels_of_users),
        cmocka_unit_test(moves),
        cmocka_unit_test(moves_by_a_hair),
        cmocka_unit_test(bad_cells_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(points_outside_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

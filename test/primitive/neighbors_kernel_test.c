/* SPDX-License-Identifier: MIT
 * User kernels that search an index (cl/include/neighbors.cl): every pair, and every image of it,
 * with its vector and distance, against the reference; two indices in one kernel; other places and
 * radii; batches, cells and double precision; an index without a build; wrong arguments. */
#include "grid_support.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows as they are met, with room as the reference has it: more is counted and not written. */
static const char text[] =
    "#include <crosslane/neighbors.cl>\n"
    "typedef struct { float v[4]; uint index, place; float shift[2]; } pair;\n"
    "void put(__global pair *out, const xl_neighbor *near)\n"
    "{\n"
    "    out->v[0] = near->vector.x; out->v[1] = near->vector.y; out->v[2] = near->vector.z;\n"
    "    out->v[3] = near->distance2;\n"
    "    out->index = near->index; out->place = near->place;\n"
    "    out->shift[0] = near->shift.x; out->shift[1] = near->shift.y;\n"
    "}\n"
    "__kernel void rows(uint before, XL_NEIGHBORS_PARAMETERS(cloud), __global const uint "
    "*offsets,\n"
    "                   __global uint *counts, __global uint *order, __global pair *pairs)\n"
    "{\n"
    "    const xl_neighbors cloud = XL_NEIGHBORS_LOAD(cloud);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&cloud))\n"
    "        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&cloud, k);\n"
    "    const uint begin = offsets[near.self], room = offsets[near.self + 1] - begin;\n"
    "    uint count = 0;\n"
    "    XL_FOR_NEIGHBORS(near, cloud) {\n"
    "        if (count < room)\n"
    "            put(pairs + begin + count, &near);\n"
    "        ++count;\n"
    "    }\n"
    "    order[k] = xl_neighbors_index(&cloud, k);\n"
    "    counts[near.self] = near.incomplete ? UINT_MAX - (xl_neighbors_failed(&cloud) ? 0 : 1)\n"
    "                                        : before + count;\n"
    "}\n"
    "__kernel void places(__global const float *xyz, __global const float *radii, uint n,\n"
    "                     __global const uint *offsets, __global uint *counts,\n"
    "                     __global pair *pairs, XL_NEIGHBORS_PARAMETERS(cloud))\n"
    "{\n"
    "    const xl_neighbors cloud = XL_NEIGHBORS_LOAD(cloud);\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const float4 at = (float4)(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2], 5.0f);\n"
    "    xl_neighbor near = xl_neighbors_around(&cloud, at);\n"
    "    xl_neighbors_set_radius(&near, &cloud, radii[i]);\n"
    "    const uint begin = offsets[i], room = offsets[i + 1] - begin;\n"
    "    uint count = 0;\n"
    "    XL_FOR_NEIGHBORS(near, cloud) {\n"
    "        if (count < room)\n"
    "            put(pairs + begin + count, &near);\n"
    "        ++count;\n"
    "    }\n"
    "    counts[i] = near.incomplete ? UINT_MAX : count;\n"
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

/* In two ways: with space that repeats, and without. */
static cl_program programs[2];

static cl_kernel kernel_of(const char *name, bool repeats)
{
    cl_int code;
    if (!programs[repeats])
        XLT_OK(xl_program_create(xlt_context(), text, repeats ? NULL : "-DXL_NEIGHBORS_PERIODIC=0",
                                 &programs[repeats]));
    cl_kernel kernel = clCreateKernel(programs[repeats], name, &code);
    XLT_CL(code);
    return kernel;
}

static int teardown(void **state)
{
    for (int k = 0; k < 2; ++k)
        if (programs[k])
            clReleaseProgram(programs[k]);
    return xlt_teardown(state);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

typedef struct pair {
    float v[4];
    uint32_t index, place;
    float shift[2];
} pair;

static int by_pair(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->index != q->index)
        return p->index < q->index ? -1 : 1;
    for (int k = 0; k < 4; ++k)
        if (p->v[k] != q->v[k])
            return p->v[k] < q->v[k] ? -1 : 1;
    return 0;
}

static uint32_t *narrow(const uint64_t *offsets, size_t n)
{
    uint32_t *narrowed = malloc((n + 1) * sizeof *narrowed);
    assert_non_null(narrowed);
    for (size_t i = 0; i <= n; ++i)
        narrowed[i] = (uint32_t)offsets[i];
    return narrowed;
}

/* What there is, in order. */
typedef struct wanted {
    size_t n; /* rows */
    uint64_t *offsets;
    uint32_t *narrow;
    pair *pairs;
} wanted;

static wanted wanted_of(const ref_search *search)
{
    wanted w = {.n = ref_queries(search)};
    ref_pairs more = {0};
    w.offsets = calloc(w.n + 1, sizeof *w.offsets);
    assert_non_null(w.offsets);
    uint32_t *rows = ref_neighbors_pairs(search, w.offsets, &more);
    w.pairs = calloc((size_t)w.offsets[w.n] + 1, sizeof *w.pairs);
    assert_true(rows && w.pairs);
    for (uint64_t k = 0; k < w.offsets[w.n]; ++k) {
        pair *p = &w.pairs[k];
        p->index = rows[k];
        memcpy(p->v, more.vectors + 3 * k, 3 * sizeof(float));
        p->v[3] = more.distances2[k];
        for (int a = 0; a < 2; ++a)
            p->shift[a] = (float)more.shifts[3 * k + (uint64_t)a] * search->period[a];
    }
    for (size_t i = 0; i < w.n; ++i)
        qsort(w.pairs + w.offsets[i], (size_t)(w.offsets[i + 1] - w.offsets[i]), sizeof(pair),
              by_pair);
    w.narrow = narrow(w.offsets, w.n);
    free(rows);
    ref_pairs_free(&more);
    return w;
}

static void wanted_free(wanted *w)
{
    free(w->offsets);
    free(w->narrow);
    free(w->pairs);
}

static void check_pairs(const char *what, const wanted *w, const uint32_t *counts, pair *got)
{
    for (size_t i = 0; i < w->n; ++i) {
        const uint64_t begin = w->offsets[i], count = w->offsets[i + 1] - begin;
        if (counts[i] != count)
            XLT_FAIL("%s: query %zu has %u neighbours, not %llu", what, i, counts[i],
                     (unsigned long long)count);
        qsort(got + begin, (size_t)count, sizeof *got, by_pair);
        for (uint64_t k = begin; k < begin + count; ++k)
            if (by_pair(&got[k], &w->pairs[k]) != 0 || got[k].shift[0] != w->pairs[k].shift[0] ||
                got[k].shift[1] != w->pairs[k].shift[1])
                XLT_FAIL("%s: query %zu, neighbour %u at (%.9g, %.9g, %.9g), %.9g far, not %u at "
                         "(%.9g, %.9g, %.9g), %.9g far",
                         what, i, got[k].index, (double)got[k].v[0], (double)got[k].v[1],
                         (double)got[k].v[2], (double)got[k].v[3], w->pairs[k].index,
                         (double)w->pairs[k].v[0], (double)w->pairs[k].v[1],
                         (double)w->pairs[k].v[2], (double)w->pairs[k].v[3]);
    }
}

static void set_mem(cl_kernel kernel, cl_uint at, const xlt_buffer *buffer)
{
    XLT_CL(clSetKernelArg(kernel, at, sizeof buffer->mem, &buffer->mem));
}

static void launch(cl_kernel kernel, size_t n)
{
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
}

static cl_uint bind(const built *b, cl_kernel kernel, cl_uint first, float radius, bool inclusive)
{
    cl_uint next = 99;
    const xl_neighbors_kernel_args args = {
        .kernel = kernel, .first = first, .radius = (double)radius, .inclusive = inclusive};
    XLT_OK(xl_grid_index_set_kernel_args(b->index, &args, &next));
    assert_int_equal(next, first + 13);
    return next;
}

/* Checks the indices and positions of the sorted points. */
static void check_places(const built *b, const uint32_t *order, const pair *pairs, uint64_t count)
{
    uint32_t *sorted = order_of(b);
    assert_memory_equal(order, sorted, b->cloud->n * sizeof *order);
    for (uint64_t k = 0; k < count; ++k)
        assert_int_equal(sorted[pairs[k].place], pairs[k].index);
    free(sorted);
}

static void check_rows(const char *what, const built *b, const wanted *w, float radius,
                       bool inclusive, bool repeats)
{
    const size_t n = w->n, pairs = (size_t)w->offsets[n];
    xlt_place(XLT_EXACT); /* a kernel of the user's knows no offsets */
    xlt_buffer offsets = xlt_buffer_make(w->narrow, n + 1, 4, 0),
               counts = xlt_buffer_make(NULL, n + 1, 4, 0),
               order = xlt_buffer_make(NULL, n + 1, 4, 0),
               out = xlt_buffer_make(NULL, pairs + 1, sizeof(pair), 0);
    xlt_place(XLT_GUARD_BYTES);
    uint32_t *counted = calloc(n + 1, 4), *ordered = calloc(n + 1, 4);
    pair *got = calloc(pairs + 1, sizeof *got);
    assert_true(counted && ordered && got);
    cl_kernel kernel = kernel_of("rows", repeats);
    const cl_uint none = 0;
    XLT_CL(clSetKernelArg(kernel, 0, sizeof none, &none));
    const cl_uint next = bind(b, kernel, 1, radius, inclusive);
    set_mem(kernel, next, &offsets);
    set_mem(kernel, next + 1, &counts);
    set_mem(kernel, next + 2, &order);
    set_mem(kernel, next + 3, &out);
    launch(kernel, n);
    xlt_read(&counts, counted);
    xlt_read(&order, ordered);
    xlt_read(&out, got);
    check_pairs(what, w, counted, got);
    check_places(b, ordered, got, pairs);
    clReleaseKernel(kernel);
    xlt_buffer *const all[] = {&offsets, &counts, &order, &out};
    for (int k = 0; k < 4; ++k)
        xlt_buffer_free(all[k]);
    free(counted);
    free(ordered);
    free(got);
}

/* ---- every kind of an index ------------------------------------------------------------------ */

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

static void check_cloud(const char *what, const cloud *c, xl_grid_desc grid, float radius,
                        bool inclusive)
{
    const ref_search r = reference_of(c, &grid, radius, inclusive);
    wanted w = wanted_of(&r);
    assert_true(w.offsets[w.n] > 0);
    for (int way = 0; way < WAYS; ++way) {
        tune(way, &grid);
        built b = build_grid(c, &grid);
        (void)report_of(&b);
        check_rows(what, &b, &w, radius, inclusive, true);
        if (!grid.space.periodic && way < 2)
            check_rows(what, &b, &w, radius, inclusive, false);
        built_free(&b);
    }
    wanted_free(&w);
}

static size_t sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 9 : xlt_small() ? n / 6 : n;
}

static void open_space(void **state)
{
    (void)state;
    cloud c = cloud_uniform(sized(1200), -1.0f, 2.0f, 31);
    check_cloud("uniform", &c, grid_desc_of(&c, 0.3f), 0.3f, false);
    check_cloud("small cells", &c, grid_desc_of(&c, 0.1f), 0.3f, true);
    for (size_t i = 0; i < c.n; ++i) /* ties and coincident points */
        cloud_set(&c, i, (float)(i % 5), (float)(i % 3) * 0.5f, (float)(i % 2) * 2);
    c.n = sized(300);
    check_cloud("ties", &c, grid_desc_of(&c, 1.0f), 1.0f, false);
    check_cloud("ties", &c, grid_desc_of(&c, 1.0f), 1.0f, true);
    cloud_free(&c);
    for (size_t dimensions = 1; dimensions < 3; ++dimensions) {
        c = cloud_uniform(sized(600), 0.0f, 1.0f, 5);
        c.dimensions = dimensions;
        check_cloud("fewer dimensions", &c, grid_desc_of(&c, 0.04f), 0.04f, false);
        cloud_free(&c);
    }
    c = cloud_block_and_stray(sized(600), 3e8f);
    check_cloud("a stray", &c, grid_desc_of(&c, 1.1f), 1.1f, false);
    cloud_free(&c);
    c = cloud_uniform(sized(600), 1e9f, 1e4f, 8);
    check_cloud("far", &c, grid_desc_of(&c, 1e3f), 1e3f, false);
    cloud_free(&c);
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

static void space_that_repeats(void **state)
{
    (void)state;
    for (uint32_t axes = 1; axes < 8; axes += xlt_small() ? 3 : 1) {
        cloud c = cloud_in_box(sized(360), 50 + axes);
        check_cloud("a box that repeats", &c, box_of(&c, 0.2f, axes), 0.2f, axes == 5);
        c.n = 40; /* of each pair several images; along x a point is near its own, a period away */
        check_cloud("long radii", &c, box_of(&c, 0.6f, axes), 1.0f, true);
        if (axes < 4) {
            c.dimensions = axes == 1 ? 1 : 2;
            check_cloud("fewer dimensions", &c, box_of(&c, 0.1f, axes), 0.15f, false);
        }
        cloud_free(&c);
    }
}

/* ---- places and radii ------------------------------------------------------------------------ */

enum { FAR_PLACE = 12 };

static void check_around(const cloud *c, xl_grid_desc grid, const cloud *queries,
                         const float *radii, float radius, bool inclusive)
{
    ref_search r = reference_of(c, &grid, radius, inclusive);
    r.queries = queries->xyz;
    r.num_queries = queries->n;
    r.query_stride = 3;
    r.radii = radii;
    wanted w = wanted_of(&r);
    const size_t n = w.n, pairs = (size_t)w.offsets[n];
    assert_true(pairs > 0);
    uint32_t *counted = calloc(n + 1, 4);
    pair *got = calloc(pairs + 1, sizeof *got);
    assert_true(counted && got);
    built b = build_grid(c, &grid);
    xlt_place(XLT_EXACT);
    xlt_buffer in[] = {xlt_buffer_make(queries->xyz, 3 * n, 4, 0), xlt_buffer_make(radii, n, 4, 0),
                       xlt_buffer_make(w.narrow, n + 1, 4, 0), xlt_buffer_make(NULL, n + 1, 4, 0),
                       xlt_buffer_make(NULL, pairs + 1, sizeof(pair), 0)};
    xlt_place(XLT_GUARD_BYTES);
    cl_kernel kernel = kernel_of("places", true);
    const cl_uint num = (cl_uint)n;
    set_mem(kernel, 0, &in[0]);
    set_mem(kernel, 1, &in[1]);
    XLT_CL(clSetKernelArg(kernel, 2, sizeof num, &num));
    set_mem(kernel, 3, &in[2]);
    set_mem(kernel, 4, &in[3]);
    set_mem(kernel, 5, &in[4]);
    (void)bind(&b, kernel, 6, radius, inclusive);
    launch(kernel, n);
    xlt_read(&in[3], counted);
    xlt_read(&in[4], got);
    if (grid.space.periodic) { /* a place that is too far has an undefined count */
        assert_int_equal(counted[FAR_PLACE], UINT32_MAX);
        counted[FAR_PLACE] = 0;
    }
    check_pairs("places", &w, counted, got);
    for (int k = 0; k < 5; ++k)
        xlt_buffer_free(&in[k]);
    clReleaseKernel(kernel);
    built_free(&b);
    wanted_free(&w);
    free(counted);
    free(got);
}

static void places_and_radii(void **state)
{
    (void)state;
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
    check_around(&c, grid_desc_of(&c, 0.3f), &queries, radii, 0.4f, false);
    check_around(&c, box_of(&c, 0.3f, 7), &queries, radii, 0.4f, true);
    check_around(&c, box_of(&c, 0.3f, 2), &queries, radii, 0.4f, false);
    free(radii);
    cloud_free(&c);
    cloud_free(&queries);
}

/* ---- other kinds of points and of space -------------------------------------------------------
 */

static const char sums_text[] =
    "#include <crosslane/neighbors.cl>\n"
    "__kernel void sums(XL_NEIGHBORS_PARAMETERS(all), __global uint *sums, __global float *most,\n"
    "                   float own)\n"
    "{\n"
    "    const xl_neighbors all = XL_NEIGHBORS_LOAD(all);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    xl_neighbor near = xl_neighbors_of(&all, k);\n"
    "    uint sum = 0;\n"
    "    float far = 0;\n"
    "    if (own > 0)\n"
    "        xl_neighbors_set_radius(&near, &all, own);\n"
    "    XL_FOR_NEIGHBORS(near, all) {\n"
    "        sum += 1000u + near.index;\n"
    "        far = fmax(far, (float)(fabs(near.vector.x) + fabs(near.vector.y) +\n"
    "                                fabs(near.vector.z) + near.distance2));\n"
    "    }\n"
    "    sums[near.self] = xl_neighbors_failed(&all) ? UINT_MAX : sum;\n"
    "    most[near.self] = far;\n"
    "}\n";

enum { SIDE = 5, LATTICE = SIDE * SIDE * SIDE };

/* A lattice of spacing 0.1, which is neither a float nor a double, of one system or of four. */
typedef struct lattice {
    double wide[3 * LATTICE];
    float narrow[3 * LATTICE];
    uint32_t systems[LATTICE];
} lattice;

static lattice lattice_make(void)
{
    lattice l;
    for (size_t i = 0; i < LATTICE; ++i) {
        const size_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        l.systems[i] = (uint32_t)(i * 7 % 4);
        for (size_t a = 0; a < 3; ++a) {
            l.wide[3 * i + a] = 0.1 * (double)at[a];
            l.narrow[3 * i + a] = 0.1f * (float)at[a];
        }
    }
    return l;
}

static const struct form {
    const char *options;
    bool batch, wide, cell, inclusive;
    double radius;
    float own;  /* a radius that the kernel sets, or 0 */
    bool fails; /* the kernel is for indices of another kind */
} forms[] = {
    {"-DXL_NEIGHBORS_BATCH=1", true, false, false, false, 0.25, 0, false},
    {"-DXL_NEIGHBORS_BATCH=1", false, false, false, false, 0.25, 0, true},
    {"-DXL_NEIGHBORS_PERIODIC=2", false, false, true, false, 0.23, 0, false},
    {"-DXL_NEIGHBORS_PERIODIC=1", false, false, true, false, 0.23, 0, true},
    {"-DXL_NEIGHBORS_F64=1", false, true, false, false, 0.1, 0, false},
    {"-DXL_NEIGHBORS_F64=1", false, true, false, true, 0.1, 0, false},
    {"-DXL_NEIGHBORS_F64=1", false, true, false, true, 0.2, 0.15f, false},
    {"-DXL_NEIGHBORS_F64=1 -DXL_NEIGHBORS_PERIODIC=2", false, true, true, false, 0.23, 0, false},
};
static const double leaning[9] = {0.5, 0, 0, 0.2, 0.5, 0, -0.1, 0.15, 0.5};

static uint32_t *reference_rows(const struct form *f, const lattice *l, uint64_t *offsets,
                                ref_pairs_f64 *pairs)
{
    const double radius = f->own > 0 ? (double)f->own : f->radius;
    float cell[9];
    for (int k = 0; k < 9; ++k)
        cell[k] = (float)leaning[k];
    const ref_search narrow = {.points = l->narrow,
                               .n = LATTICE,
                               .stride = 3,
                               .radius = (float)radius,
                               .inclusive = f->inclusive,
                               .cell = f->cell ? cell : NULL,
                               .systems = f->batch ? l->systems : NULL};
    const ref_search_f64 wide = {.points = l->wide,
                                 .n = LATTICE,
                                 .stride = 3,
                                 .radius = radius,
                                 .inclusive = f->inclusive,
                                 .cell = f->cell ? leaning : NULL};
    return f->wide ? ref_neighbors_pairs_f64(&wide, offsets, pairs)
                   : ref_neighbors(&narrow, offsets);
}

static void sums_equal(const struct form *f, const lattice *l, const uint32_t *sums,
                       const float *most)
{
    uint64_t offsets[LATTICE + 1];
    ref_pairs_f64 pairs = {0};
    uint32_t *rows = reference_rows(f, l, offsets, &pairs);
    assert_non_null(rows);
    for (size_t i = 0; i < LATTICE; ++i) {
        uint32_t sum = 0;
        double far = 0;
        for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            const double *const v = f->wide ? pairs.vectors + 3 * k : NULL;
            sum += 1000u + rows[k];
            far = v ? fmax(far, fabs(v[0]) + fabs(v[1]) + fabs(v[2]) + pairs.distances2[k]) : 0;
        }
        if (sums[i] != (f->fails ? UINT32_MAX : sum))
            XLT_FAIL("%s: the sum of point %zu is %u, not %u", f->options, i, sums[i], sum);
        if (f->wide && fabs((double)most[i] - far) > 1e-6)
            XLT_FAIL("%s: the farthest of point %zu is %g, not %g", f->options, i, (double)most[i],
                     far);
    }
    ref_pairs_free_f64(&pairs);
    free(rows);
}

/* An index of the lattice; in a cell all its vectors repeat. */
static built index_of(const struct form *f, const lattice *l)
{
    xl_grid_desc desc;
    built b = {0};
    xl_grid_desc_init(&desc);
    desc.cell_size = 0.2;
    desc.space.scalar = f->wide ? XL_F64 : XL_F32;
    desc.space.num_systems = f->batch ? 4 : 0;
    desc.space.bounds = f->cell ? XL_BOUNDS_GIVEN : XL_BOUNDS_FOUND;
    desc.space.periodic = f->cell ? 7 : 0;
    for (int k = 0; k < 9 && f->cell; ++k)
        desc.space.cell[k / 3][k % 3] = leaning[k];
    b.points = f->wide ? xlt_buffer_make(l->wide, 3 * LATTICE, 8, 1)
                       : xlt_buffer_make(l->narrow, 3 * LATTICE, 4, 1);
    b.systems = xlt_buffer_make(l->systems, LATTICE, 4, 1);
    XLT_OK(xl_grid_create(xlt_context(), &desc, &b.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &b.index));
    XLT_OK(xl_grid_build_enqueue(
        b.grid, b.index, xlt_queue(),
        &(xl_grid_build_args){.n = LATTICE,
                              .points = xlt_view(&b.points),
                              .systems = f->batch ? xlt_view(&b.systems) : xl_no_view()},
        0, NULL, NULL));
    return b;
}

static void check_form(const struct form *f, const lattice *l)
{
    uint32_t sums[LATTICE];
    float most[LATTICE];
    cl_program program;
    cl_int code;
    cl_uint next;
    built b = index_of(f, l);
    XLT_OK(xl_program_create(xlt_context(), sums_text, f->options, &program));
    cl_kernel kernel = clCreateKernel(program, "sums", &code);
    XLT_CL(code);
    xl_neighbors_kernel_args args = {
        .kernel = kernel, .radius = f->radius, .inclusive = f->inclusive};
    XLT_OK(xl_grid_index_set_kernel_args(b.index, &args, &next));
    xlt_place(XLT_EXACT);
    xlt_buffer out[] = {xlt_buffer_make(NULL, LATTICE, 4, 0), xlt_buffer_make(NULL, LATTICE, 4, 0)};
    xlt_place(XLT_GUARD_BYTES);
    set_mem(kernel, next, &out[0]);
    set_mem(kernel, next + 1, &out[1]);
    XLT_CL(clSetKernelArg(kernel, next + 2, sizeof f->own, &f->own));
    launch(kernel, LATTICE);
    xlt_read(&out[0], sums);
    xlt_read(&out[1], most);
    sums_equal(f, l, sums, most);
    /* A radius whose square overflows. */
    args.radius = f->wide ? 1e200 : 1e30;
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, NULL), XL_ERROR_INVALID_ARGUMENT);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    for (int k = 0; k < 2; ++k)
        xlt_buffer_free(&out[k]);
    xl_grid_index_destroy(b.index);
    xl_plan_destroy(b.grid);
    xlt_buffer_free(&b.points);
    xlt_buffer_free(&b.systems);
}

static void kinds_of_points_and_space(void **state)
{
    (void)state;
    xl_device_info info;
    const lattice l = lattice_make();
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k)
        if (info.has_fp64 || !forms[k].wide)
            check_form(&forms[k], &l);
}

/* ---- two indices, break and continue --------------------------------------------------------- */

static void two_indices(void **state)
{
    (void)state;
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
    xlt_place(XLT_EXACT);
    xlt_buffer out = xlt_buffer_make(NULL, fluid.n, 4, 0);
    xlt_place(XLT_GUARD_BYTES);
    uint32_t *got = calloc(fluid.n, 4);
    assert_non_null(got);
    cl_kernel kernel = kernel_of("both", true);
    cl_uint next = bind(&f, kernel, 0, 0.2f, false);
    next = bind(&w, kernel, next, 0.15f, false);
    set_mem(kernel, next, &out);
    launch(kernel, fluid.n);
    xlt_read(&out, got);
    for (size_t i = 0; i < fluid.n; ++i) {
        uint32_t odd = 0;
        const uint64_t count = near.offsets[i + 1] - near.offsets[i];
        for (uint64_t k = near.offsets[i]; k < near.offsets[i + 1]; ++k)
            odd += near.pairs[k].index % 2;
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

/* ---- without a build ------------------------------------------------------------------------- */

/* The kernel `rows` over an index that was not built: it reports that, and finds no pair. */
static void expect_failed(cl_kernel kernel, size_t n)
{
    xlt_place(XLT_EXACT);
    uint32_t *zeros = calloc(n + 1, 4), *got = calloc(n, 4);
    assert_true(zeros && got);
    xlt_buffer offsets = xlt_buffer_make(zeros, n + 1, 4, 0),
               counts = xlt_buffer_make(NULL, n, 4, 0), order = xlt_buffer_make(NULL, n, 4, 0);
    xlt_place(XLT_GUARD_BYTES);
    set_mem(kernel, 14, &offsets);
    set_mem(kernel, 15, &counts);
    set_mem(kernel, 16, &order);
    set_mem(kernel, 17, &offsets);
    launch(kernel, n);
    xlt_read(&counts, got);
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(got[i], UINT32_MAX);
    xlt_read(&order, got);
    for (size_t i = 0; i < n; ++i)
        assert_int_equal(got[i], i);
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&counts);
    xlt_buffer_free(&order);
    free(zeros);
    free(got);
}

static void without_a_build(void **state)
{
    (void)state;
    cloud c = cloud_in_box(100, 9);
    const cl_uint none = 0;
    cl_kernel kernel = kernel_of("rows", true), open = kernel_of("rows", false);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof none, &none));
    XLT_CL(clSetKernelArg(open, 0, sizeof none, &none));
    xl_grid_desc grid = box_of(&c, 0.2f, 7);
    built b = build_grid(&c, &grid);
    /* A kernel that knows no space that repeats. */
    (void)bind(&b, open, 1, 0.2f, false);
    expect_failed(open, c.n);
    /* Arguments of an earlier build. */
    (void)bind(&b, kernel, 1, 0.2f, false);
    XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c.n,
                                                       .points = xlt_view(&b.points),
                                                       .storage = xlt_view(&b.storage)},
                                 0, NULL, NULL));
    expect_failed(kernel, c.n);
    built_free(&b);
    /* A point that is not finite. */
    c.xyz[100] = NAN;
    grid = grid_desc_of(&c, 0.2f);
    b = build_grid(&c, &grid);
    (void)bind(&b, kernel, 1, 0.2f, false);
    expect_failed(kernel, c.n);
    built_free(&b);
    clReleaseKernel(kernel);
    clReleaseKernel(open);
    cloud_free(&c);
}

/* All points are in one cell, and all are met. */
static void many_candidates(void **state)
{
    (void)state;
    enum { MANY = 9000, ASKED = 16 };
    cloud c = cloud_uniform(MANY, 0.0f, 0.5f, 9);
    xl_grid_desc grid = grid_desc_of(&c, 1.0f);
    built b = build_grid(&c, &grid);
    uint32_t *zeros = calloc(MANY + 1, 4), got[MANY];
    assert_non_null(zeros);
    const cl_uint none = 0;
    cl_kernel kernel = kernel_of("rows", true);
    xlt_place(XLT_EXACT);
    xlt_buffer offsets = xlt_buffer_make(zeros, MANY + 1, 4, 0),
               counts = xlt_buffer_make(zeros, MANY, 4, 0),
               order = xlt_buffer_make(NULL, MANY, 4, 0);
    xlt_place(XLT_GUARD_BYTES);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof none, &none));
    (void)bind(&b, kernel, 1, 1.0f, false);
    set_mem(kernel, 14, &offsets);
    set_mem(kernel, 15, &counts);
    set_mem(kernel, 16, &order);
    set_mem(kernel, 17, &offsets);
    launch(kernel, ASKED);
    xlt_read(&counts, got);
    size_t whole = 0;
    for (size_t i = 0; i < MANY; ++i)
        whole += got[i] == MANY - 1;
    assert_true(whole == ASKED);
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&counts);
    xlt_buffer_free(&order);
    clReleaseKernel(kernel);
    free(zeros);
    built_free(&b);
    cloud_free(&c);
}

/* ---- other queues ---------------------------------------------------------------------------- */

/* Builds on one queue, kernels on another behind the build's event, which begin when all builds are
 * done: each build has separate storage. */
static void another_queue(void **state)
{
    (void)state;
    enum { ROUNDS = 4 };
    cl_command_queue other = xlt_out_of_order_queue();
    cl_event gate = xlt_user_event();
    cloud c = cloud_uniform(sized(600), 0.0f, 1.0f, 5);
    xl_grid_desc grid = grid_desc_of(&c, 0.2f);
    const ref_search r = reference_of(&c, &grid, 0.2f, false);
    wanted w = wanted_of(&r);
    built b = build_grid(&c, &grid);
    cl_kernel kernels[ROUNDS];
    xlt_place(XLT_EXACT);
    xlt_buffer offsets = xlt_buffer_make(w.narrow, c.n + 1, 4, 0), counts[ROUNDS],
               pairs = xlt_buffer_make(NULL, (size_t)w.offsets[c.n] + 1, sizeof(pair), 0),
               order = xlt_buffer_make(NULL, c.n, 4, 0);
    for (cl_uint k = 0; k < ROUNDS; ++k) {
        counts[k] = xlt_buffer_make(NULL, c.n, 4, 0);
        cl_event waits[2] = {gate, NULL};
        XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                     &(xl_grid_build_args){.n = c.n, .points = xlt_view(&b.points)},
                                     0, NULL, NULL));
        kernels[k] = kernel_of("rows", true);
        XLT_CL(clSetKernelArg(kernels[k], 0, sizeof k, &k));
        (void)bind(&b, kernels[k], 1, 0.2f, false);
        set_mem(kernels[k], 14, &offsets);
        set_mem(kernels[k], 15, &counts[k]);
        set_mem(kernels[k], 16, &order);
        set_mem(kernels[k], 17, &pairs);
        XLT_OK(xl_grid_index_event(b.index, &waits[1]));
        XLT_CL(clEnqueueNDRangeKernel(other, kernels[k], 1, NULL, &c.n, NULL, 2, waits, NULL));
        clReleaseEvent(waits[1]);
    }
    xlt_place(XLT_GUARD_BYTES);
    XLT_CL(clFinish(xlt_queue()));
    XLT_CL(clSetUserEventStatus(gate, CL_COMPLETE));
    XLT_CL(clFinish(other));
    uint32_t *got = calloc(c.n, 4);
    assert_non_null(got);
    for (cl_uint k = 0; k < ROUNDS; ++k) {
        xlt_read(&counts[k], got);
        for (size_t i = 0; i < c.n; ++i)
            assert_int_equal(got[i], k + (uint32_t)(w.offsets[i + 1] - w.offsets[i]));
        xlt_buffer_free(&counts[k]);
        clReleaseKernel(kernels[k]);
    }
    free(got);
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&pairs);
    xlt_buffer_free(&order);
    clReleaseEvent(gate);
    clReleaseCommandQueue(other);
    built_free(&b);
    wanted_free(&w);
    cloud_free(&c);
}

/* ---- wrong arguments ------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
    (void)state;
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cloud c = cloud_in_box(50, 9);
    xl_grid_desc grid = box_of(&c, 0.2f, 1);
    cl_kernel kernel = kernel_of("rows", true);
    xl_grid_index *empty;
    cl_event event = (cl_event)&grid;
    cl_uint next = 5;
    xl_neighbors_kernel_args args = {.kernel = kernel, .first = 1, .radius = 0.2};
    XLT_OK(xl_grid_index_create(xlt_context(), &empty));
    XLT_FAILS(xl_grid_index_set_kernel_args(empty, &args, &next), bad);
    XLT_FAILS(xl_grid_index_event(empty, &event), bad);
    assert_null(event);
    XLT_FAILS(xl_grid_index_event(empty, NULL), bad);
    assert_int_equal(xl_grid_index_event(NULL, &event), bad);
    assert_int_equal(xl_grid_index_set_kernel_args(NULL, &args, &next), bad);
    xl_grid_index_destroy(empty);
    built b = build_grid(&c, &grid);
    XLT_OK(xl_grid_index_set_kernel_args(b.index, &args, NULL));
    args.first = 6;
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, &next), bad);
    args.first = UINT32_MAX;
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, &next), bad);
    args.first = 1;
    args.radius = (double)NAN;
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, &next), bad);
    args.radius = 3e6;
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, &next), XL_ERROR_UNSUPPORTED);
    args.radius = 0.2;
    args.kernel = NULL;
    XLT_FAILS(xl_grid_index_set_kernel_args(b.index, &args, &next), bad);
    assert_int_equal(next, 5);
    args.kernel = kernel;
    built_free(&b);
    /* Sorted points that lie otherwise than the device's table has it. */
    for (uint64_t planes = 0, taken = 0; planes < 2; ++planes) {
        const xl_tunable tunable = {.name = "grid.planes", .value = planes};
        grid.tunables = &tunable;
        grid.num_tunables = 1;
        b = build_grid(&c, &grid);
        const xl_status status = xl_grid_index_set_kernel_args(b.index, &args, &next);
        assert_true(status == XL_SUCCESS || status == XL_ERROR_UNSUPPORTED);
        taken += status == XL_SUCCESS;
        assert_true(planes == 0 || taken == 1);
        built_free(&b);
    }
    clReleaseKernel(kernel);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_space),       cmocka_unit_test(space_that_repeats),
        cmocka_unit_test(places_and_radii), cmocka_unit_test(kinds_of_points_and_space),
        cmocka_unit_test(two_indices),      cmocka_unit_test(without_a_build),
        cmocka_unit_test(many_candidates),  cmocka_unit_test(another_queue),
        cmocka_unit_test(what_is_refused),
    };
    return XLT_RUN_WITH_GRIDS(tests, NULL, teardown);
}

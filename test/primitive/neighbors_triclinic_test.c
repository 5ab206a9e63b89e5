/* SPDX-License-Identifier: MIT
 * Space that repeats along the vectors of a triclinic cell: every kind of search against every pair
 * and every image of it, lattices whose shells are known, and what is refused. */
#include "neighbors_support.h"
#include "reference.h"

#include <crosslane/knn.h>
#include <crosslane/program.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ----------------------------------------------------------------------------------- */

static xl_grid_desc grid_of(const float *cell, const float *lower, uint32_t periodic, float edge)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = edge;
    desc.triclinic = 1;
    desc.periodic = periodic;
    memcpy(desc.cell, cell, sizeof desc.cell);
    memcpy(desc.lower, lower, sizeof desc.lower);
    return desc;
}

/* Uniform in the cell, of as many dimensions as the descriptor has. */
static cloud cloud_in(const xl_grid_desc *desc, size_t n, uint64_t seed)
{
    cloud c = cloud_make(n, 3);
    xlt_random random = {seed};
    c.dimensions = desc->dimensions;
    for (size_t i = 0; i < n; ++i)
        for (uint32_t row = 0; row < desc->dimensions; ++row) {
            const float part = xlt_unit(&random);
            for (uint32_t axis = 0; axis <= row; ++axis)
                c.xyz[3 * i + axis] = (row == axis ? desc->lower[axis] : c.xyz[3 * i + axis]) +
                                      part * desc->cell[row][axis];
        }
    return c;
}

/* Puts each fourth point anywhere into the box around the cell. */
static void scatter(const xl_grid_desc *desc, cloud *c, uint64_t seed)
{
    xlt_random random = {seed};
    for (size_t i = 0; i < c->n; i += 4)
        for (size_t axis = 0; axis < 3; ++axis) {
            float low = desc->lower[axis], high = low;
            for (size_t row = axis; row < 3; ++row) {
                low += fminf(desc->cell[row][axis], 0);
                high += fmaxf(desc->cell[row][axis], 0);
            }
            c->xyz[3 * i + axis] = low + (high - low) * xlt_unit(&random);
        }
}

static size_t sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 8 : xlt_small() ? n / 3 : n;
}

/* Of angles of 60, 70 and 110 degrees, of unequal lengths, the last one leaning the other way. */
static const float skewed[3][3] = {{2, 0, 0}, {0.8f, 1.7f, 0}, {-0.9f, 0.75f, 1.4f}};
static const float leaning[3][3] = {{1.5f, 0, 0}, {-1.4f, 1.25f, 0}, {1.2f, -1.9f, 1.1f}};
static const float upright[3][3] = {{2, 0, 0}, {0, 1.5f, 0}, {0, 0, 1}};
static const float corner[3] = {-0.7f, 3, 0.1f}, origin[3] = {0, 0, 0};

/* ---- a list with all there is ---------------------------------------------------------------- */

typedef struct pairs {
    size_t n;
    uint64_t *offsets;
    pair *of;
} pairs;

static pairs pairs_make(size_t n)
{
    const pairs p = {.n = n, .offsets = calloc(n + 1, sizeof *p.offsets)};
    assert_non_null(p.offsets);
    return p;
}

static void pairs_free(pairs *p)
{
    free(p->offsets);
    free(p->of);
}

/* Arrays of what a list may have, `d` numbers of each vector and shift. */
static void pairs_put(pairs *p, size_t d, const uint32_t *indices, const float *distances2,
                      const float *vectors, const int32_t *shifts)
{
    p->of = calloc((size_t)p->offsets[p->n] + 1, sizeof *p->of);
    assert_non_null(p->of);
    for (size_t k = 0; k < p->offsets[p->n]; ++k) {
        p->of[k].index = indices[k];
        p->of[k].distance2 = distances2[k];
        for (size_t axis = 0; axis < d; ++axis) {
            p->of[k].vector[axis] = vectors[d * k + axis];
            p->of[k].shift[axis] = shifts[d * k + axis];
        }
    }
}

static pairs wanted_of(const search_case *a)
{
    const ref_search search = ref_search_of(a);
    pairs p = pairs_make(ref_queries(&search));
    ref_pairs all = {0};
    uint32_t *indices = ref_neighbors_pairs(&search, p.offsets, &all);
    assert_non_null(indices);
    pairs_put(&p, 3, indices, all.distances2, all.vectors, all.shifts);
    ref_pairs_free(&all);
    free(indices);
    return p;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static search_call call_make(const search_case *a)
{
    const search_call c = search_call_make(a);
    (void)report_of(&c.b);
    return c;
}

static void fill_pairs(const search_call *c, pairs *got)
{
    const size_t n = (size_t)got->offsets[got->n], d = c->dimensions;
    xlt_buffer out[] = {xlt_buffer_make(NULL, n, 4, 3), xlt_buffer_make(NULL, n, 4, 1),
                        xlt_buffer_make(NULL, n * d, 4, 2), xlt_buffer_make(NULL, n * d, 4, 4)};
    void *host[4];
    XLT_OK(xl_neighbors_fill_enqueue(c->plan, c->b.index, xlt_queue(),
                                     &(xl_neighbors_fill_args){.capacity = n,
                                                               .offsets = xlt_view(&c->offsets),
                                                               .indices = xlt_view(&out[0]),
                                                               SEARCHED(c),
                                                               .distances2 = xlt_view(&out[1]),
                                                               .vectors = xlt_view(&out[2]),
                                                               .shifts = xlt_view(&out[3])},
                                     0, NULL, NULL));
    for (int k = 0; k < 4; ++k) {
        host[k] = calloc(n * d + 1, 4);
        assert_non_null(host[k]);
        xlt_read(&out[k], host[k]);
        xlt_check_guards(&out[k], "an output");
        xlt_buffer_free(&out[k]);
    }
    pairs_put(got, d, host[0], host[1], host[2], host[3]);
    for (int k = 0; k < 4; ++k)
        free(host[k]);
}

/* Count and fill; the pairs are those of the reference. */
static pairs check(const char *what, search_case a)
{
    a.search.details = 1;
    pairs wanted = wanted_of(&a), got = pairs_make(wanted.n);
    search_call c = call_make(&a);
    search_call_count(&c);
    xlt_read(&c.offsets, got.offsets);
    if (!count_is_given_up(got.offsets, got.n)) {
        offsets_equal(what, got.offsets, wanted.offsets, wanted.n);
        fill_pairs(&c, &got);
        for (size_t i = 0; i < wanted.n; ++i) {
            const size_t begin = (size_t)wanted.offsets[i];
            row_equal(what, i, got.of + begin, wanted.of + begin,
                      (size_t)wanted.offsets[i + 1] - begin, a.search.sorted != 0);
        }
    }
    search_call_free(&c);
    pairs_free(&got);
    return wanted;
}

static uint64_t count_checked(const char *what, const search_case *a)
{
    pairs p = check(what, *a);
    const uint64_t found = p.offsets[p.n];
    pairs_free(&p);
    return found;
}

static uint64_t check_ways(const char *what, search_case a)
{
    return check_in_ways(what, a, count_checked);
}

/* ---- every pair and every image -------------------------------------------------------------- */

/* Radii below half the shortest height and above a period; cells smaller and larger than those;
 * points in the cell, or some of them anywhere in the box around it. */
static void random_points(void **state)
{
    (void)state;
    static const float radii[] = {0.3f, 0.6f, 1.05f};
    for (unsigned k = 0; k < 4; ++k)
        for (unsigned r = 0; r < 3; ++r) {
            xl_grid_desc grid =
                grid_of(k & 1 ? leaning[0] : skewed[0], corner, 7, r == 1 ? 0.2f : 0.5f);
            cloud c = cloud_in(&grid, sized(r == 0 ? 400 : r == 1 ? 120 : 48), 7 + r);
            search_case a = {.points = &c, .grid = grid, .search = search_desc_of(radii[r])};
            a.search.half = k > 1;
            if (k == 1 || k == 2)
                scatter(&grid, &c, 9 + r);
            assert_true(check_ways("random points", a) > c.n / 2);
            cloud_free(&c);
        }
}

/* A slab, a rod, a plane and a line. */
static void some_vectors(void **state)
{
    (void)state;
    for (uint32_t periodic = 1; periodic < 7; ++periodic) {
        const xl_grid_desc grid = grid_of(leaning[0], corner, periodic, 0.4f);
        cloud c = cloud_in(&grid, sized(150), 30 + periodic);
        search_case a = {.points = &c, .grid = grid, .search = search_desc_of(0.4f)};
        assert_true(check_ways("some vectors repeat", a) > 0);
        cloud_free(&c);
    }
    for (uint32_t dimensions = 1; dimensions < 3; ++dimensions) {
        xl_grid_desc grid = grid_of(skewed[0], corner, (1u << dimensions) - 1, 0.2f);
        grid.dimensions = dimensions;
        grid.cell[2][2] = -1; /* counts for nothing, as the third row does */
        cloud c = cloud_in(&grid, sized(90), 40 + dimensions);
        search_case a = {.points = &c, .grid = grid, .search = search_desc_of(0.3f)};
        assert_true(check_ways("fewer dimensions", a) > 0);
        cloud_free(&c);
    }
}

/* Queries anywhere, some far off, with radii of their own, and rows in any order. */
static void given_queries(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_of(skewed[0], corner, 7, 0.4f);
    const size_t n = sized(120);
    cloud c = cloud_in(&grid, sized(200), 51), queries = cloud_uniform(n, -4, 9, 52);
    float *radii = calloc(n, sizeof *radii);
    assert_non_null(radii);
    for (size_t i = 0; i < n; ++i)
        radii[i] = 0.7f * (float)i / (float)n - 0.05f;
    queries.xyz[3] = 1e5f;
    queries.xyz[7] = -3e4f;
    queries.xyz[11] = 2e6f;
    search_case a = {.points = &c,
                     .queries = &queries,
                     .radii = radii,
                     .grid = grid,
                     .search = search_desc_of(0.6f)};
    a.search.sorted = 0;
    assert_true(check_ways("given queries", a) > 0);
    free(radii);
    cloud_free(&queries);
    cloud_free(&c);
}

/* j is a neighbour of i in image s as i is of j in image -s, to the bit but for the sign. */
static void pairs_are_symmetric(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_of(leaning[0], corner, 7, 0.5f);
    cloud c = cloud_in(&grid, sized(120), 61);
    search_case a = {.points = &c, .grid = grid, .search = search_desc_of(0.8f)};
    pairs p = check("symmetric pairs", a);
    for (size_t i = 0; i < p.n; ++i)
        for (size_t k = (size_t)p.offsets[i]; k < p.offsets[i + 1]; ++k) {
            pair other = {.index = (uint32_t)i};
            const size_t j = p.of[k].index, begin = (size_t)p.offsets[j];
            for (int axis = 0; axis < 3; ++axis)
                other.shift[axis] = -p.of[k].shift[axis];
            const pair *found = bsearch(&other, p.of + begin, (size_t)p.offsets[j + 1] - begin,
                                        sizeof other, pair_by_image);
            assert_true(found && found->distance2 == p.of[k].distance2);
            for (int axis = 0; axis < 3; ++axis)
                assert_true(found->vector[axis] == -p.of[k].vector[axis]);
        }
    pairs_free(&p);
    cloud_free(&c);
}

/* Without tilts a cell is a box. */
static void upright_cells_are_boxes(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_of(upright[0], origin, 5, 0.4f);
    cloud c = cloud_in(&grid, sized(200), 71);
    xl_grid_desc box = grid_desc_of(&c, 0.4f);
    xl_neighbors_desc search = search_desc_of(0.7f);
    box.bounded = 1;
    box.periodic = 5;
    for (int axis = 0; axis < 3; ++axis)
        box.upper[axis] = upright[axis][axis];
    search.periodic = XL_REPEATS_CELL;
    built in_cell = build_grid(&c, &grid), in_box = build_grid(&c, &box);
    list of_cell = list_of(&in_cell, &search), by_cell = list_of(&in_box, &search);
    search.periodic = XL_REPEATS_BOX;
    list of_box = list_of(&in_box, &search);
    lists_equal("an upright cell", &of_cell, &of_box);
    lists_equal("a box, by a search for cells", &by_cell, &of_box);
    list_free(&of_cell);
    list_free(&by_cell);
    list_free(&of_box);
    built_free(&in_cell);
    built_free(&in_box);
    cloud_free(&c);
}

/* ---- lattices -------------------------------------------------------------------------------- */

/* One atom in a primitive cell: all of its neighbours are images of its own, whose shells are
 * known: of the face-centred cubic lattice of nearest neighbours 1 apart 12, 6, 24, 12 and 24 at
 * roots of 1 to 5, of the hexagonal one of height 1.3 6, 2, 12 and 6. */
static void shells_of_lattices(void **state)
{
    (void)state;
    const float half3 = sqrtf(3) / 2, sixth3 = sqrtf(3) / 6, height = sqrtf(2.0f / 3);
    const float fcc[3][3] = {{1, 0, 0}, {0.5f, half3, 0}, {0.5f, sixth3, height}};
    const float hexagonal[3][3] = {{1, 0, 0}, {-0.5f, half3, 0}, {0, 0, 1.3f}};
    const struct {
        const float *cell;
        double radius2;
        uint32_t count;
    } shells[] = {{fcc[0], 1.5, 12},      {fcc[0], 2.5, 18},        {fcc[0], 3.5, 42},
                  {fcc[0], 4.5, 54},      {fcc[0], 5.5, 78},        {hexagonal[0], 1.3, 6},
                  {hexagonal[0], 2.2, 8}, {hexagonal[0], 2.85, 20}, {hexagonal[0], 3.5, 26}};
    for (size_t k = 0; k < sizeof shells / sizeof shells[0]; ++k)
        for (uint32_t half = 0; half < 2; ++half) {
            const float radius = (float)sqrt(shells[k].radius2);
            xl_grid_desc grid = grid_of(shells[k].cell, corner, 7, 0.5f);
            xl_neighbors_desc search = search_desc_of(radius);
            cloud c = cloud_make(1, 3);
            cloud_set(&c, 0, corner[0], corner[1], corner[2]);
            search.half = half;
            search.periodic = XL_REPEATS_CELL;
            /* Devices that end loops go no further than a period. */
            if (!ends_long_loops() || radius <= height) {
                built b = build_grid(&c, &grid);
                assert_int_equal(pairs_of(&b, &search) * (half + 1), shells[k].count);
                built_free(&b);
            }
            cloud_free(&c);
        }
}

/* ---- other searches -------------------------------------------------------------------------- */

static void rows_with_room_and_visits(void **state)
{
    (void)state;
    enum { ROOM = 96 };
    const xl_grid_desc grid = grid_of(skewed[0], corner, 7, 0.4f);
    cloud c = cloud_in(&grid, sized(150), 81);
    search_case a = {.points = &c, .grid = grid, .search = search_desc_of(0.45f)};
    pairs wanted = wanted_of(&a);
    a.search.row_capacity = ROOM;
    a.search.visit = "float visit(float sum, float d2, uint i, uint j, float4 p)\n"
                     "{ return sum + p.x; }\n";
    search_call made = call_make(&a);
    xlt_buffer out[] = {xlt_buffer_make(NULL, c.n * ROOM, 4, 1), xlt_buffer_make(NULL, c.n, 4, 2),
                        xlt_buffer_make(NULL, c.n, 4, 3)};
    uint32_t *indices = calloc(c.n * ROOM, 4), *counts = calloc(c.n, 4);
    float *sums = calloc(c.n, sizeof *sums);
    assert_true(indices && counts && sums);
    XLT_OK(xl_neighbors_fill_enqueue(
        made.plan, made.b.index, xlt_queue(),
        &(xl_neighbors_fill_args){.indices = xlt_view(&out[0]), .counts = xlt_view(&out[1])}, 0,
        NULL, NULL));
    XLT_OK(xl_neighbors_visit_enqueue(
        made.plan, made.b.index, xlt_queue(),
        &(xl_neighbors_visit_args){.start = 1, .params = {2}, .out = xlt_view(&out[2])}, 0, NULL,
        NULL));
    xlt_read(&out[0], indices);
    xlt_read(&out[1], counts);
    xlt_read(&out[2], sums);
    for (size_t i = 0; i < c.n; ++i) {
        const uint64_t begin = wanted.offsets[i], n = wanted.offsets[i + 1] - begin;
        assert_true(counts[i] == n && n <= ROOM && sums[i] == 1 + 2 * (float)n);
        for (uint64_t k = 0; k < n; ++k)
            assert_int_equal(indices[i * ROOM + k], wanted.of[begin + k].index);
    }
    free(indices);
    free(counts);
    free(sums);
    for (int k = 0; k < 3; ++k)
        xlt_buffer_free(&out[k]);
    search_call_free(&made);
    pairs_free(&wanted);
    cloud_free(&c);
}

/* The k nearest, of which some are images of the query itself. */
static void nearest_points(void **state)
{
    (void)state;
    enum { K = 24 };
    const xl_grid_desc grid = grid_of(leaning[0], corner, 7, 0.4f);
    cloud c = cloud_in(&grid, sized(30), 91);
    xl_knn_desc desc;
    xl_knn *plan;
    ref_knn_search r = {
        .points = c.xyz, .n = c.n, .stride = 3, .dimensions = 3, .k = K, .images = 4};
    ref_cell_of(&grid, r.period, r.tilt);
    xl_knn_desc_init(&desc);
    desc.k = K;
    desc.periodic = XL_REPEATS_CELL;
    built b = build_grid(&c, &grid);
    XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
    xlt_buffer out[] = {xlt_buffer_make(NULL, c.n * K, 4, 1), xlt_buffer_make(NULL, c.n * K, 4, 2)};
    uint32_t *got = calloc(c.n * K, 4), wanted[K];
    float *distances2 = calloc(c.n * K, 4), far2[K];
    assert_true(got && distances2);
    XLT_OK(xl_knn_enqueue(
        plan, b.index, xlt_queue(),
        &(xl_knn_args){.indices = xlt_view(&out[0]), .distances2 = xlt_view(&out[1])}, 0, NULL,
        NULL));
    xlt_read(&out[0], got);
    xlt_read(&out[1], distances2);
    for (size_t i = 0; i < c.n; ++i) {
        ref_knn(&r, i, wanted, far2);
        if (ends_long_loops() && got[i * K] == UINT32_MAX - 1)
            continue;
        assert_memory_equal(got + i * K, wanted, sizeof wanted);
        assert_memory_equal(distances2 + i * K, far2, sizeof far2);
    }
    free(got);
    free(distances2);
    for (int k = 0; k < 2; ++k)
        xlt_buffer_free(&out[k]);
    xl_knn_destroy(plan);
    built_free(&b);
    cloud_free(&c);
}

/* ---- a kernel of the user's ------------------------------------------------------------------ */

/* Without `cells` it knows boxes alone, and finds no index. */
static void run_kernel(const built *b, bool cells, float radius, uint32_t *counts)
{
    static const char source[] =
        "#include <crosslane/neighbors.cl>\n"
        "__kernel void count(XL_NEIGHBORS_PARAMETERS(all), __global uint *counts)\n"
        "{\n"
        "    const xl_neighbors all = XL_NEIGHBORS_LOAD(all);\n"
        "    const uint k = (uint)get_global_id(0);\n"
        "    uint count = 0;\n"
        "    xl_neighbor near = xl_neighbors_of(&all, k);\n"
        "    XL_FOR_NEIGHBORS(near, all)\n"
        "        ++count;\n"
        "    counts[near.self] = xl_neighbors_failed(&all) ? 0xffffffffu : count;\n"
        "}\n";
    char text[1024];
    cl_program program;
    cl_int code;
    cl_uint next;
    const size_t n = b->cloud->n;
    snprintf(text, sizeof text, "#define XL_NEIGHBORS_PERIODIC %d\n%s", cells ? 2 : 1, source);
    XLT_OK(xl_program_create(xlt_context(), text, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "count", &code);
    XLT_CL(code);
    xlt_place(XLT_EXACT);
    xlt_buffer out = xlt_buffer_make(NULL, n, 4, 0);
    xlt_place(XLT_GUARD_BYTES);
    XLT_OK(xl_grid_index_set_kernel_args(
        b->index, &(xl_neighbors_kernel_args){.kernel = kernel, .radius = radius}, &next));
    XLT_CL(clSetKernelArg(kernel, next, sizeof out.mem, &out.mem));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    xlt_read(&out, counts);
    xlt_buffer_free(&out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void kernels_of_users(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_of(leaning[0], corner, 7, 0.4f);
    cloud c = cloud_in(&grid, sized(150), 95);
    search_case a = {.points = &c, .grid = grid, .search = search_desc_of(0.4f)};
    pairs wanted = wanted_of(&a);
    uint32_t *counts = calloc(c.n, 4);
    assert_non_null(counts);
    built b = build_grid(&c, &grid);
    run_kernel(&b, true, 0.4f, counts);
    for (size_t i = 0; i < c.n; ++i)
        assert_int_equal(counts[i], wanted.offsets[i + 1] - wanted.offsets[i]);
    run_kernel(&b, false, 0.4f, counts);
    for (size_t i = 0; i < c.n; ++i)
        assert_true(counts[i] == UINT32_MAX);
    free(counts);
    built_free(&b);
    pairs_free(&wanted);
    cloud_free(&c);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static uint32_t moved_by(const built *b, const cloud *now, float distance)
{
    uint32_t count;
    xlt_buffer points = xlt_buffer_make(now->xyz, 3 * now->n, 4, 1);
    xlt_buffer moved = xlt_buffer_make(NULL, 1, 4, 2);
    XLT_OK(xl_grid_moved_enqueue(b->grid, b->index, xlt_queue(),
                                 &(xl_grid_moved_args){.distance = distance,
                                                       .points = xlt_view(&points),
                                                       .moved = xlt_view(&moved)},
                                 0, NULL, NULL));
    xlt_read(&moved, &count);
    xlt_buffer_free(&points);
    xlt_buffer_free(&moved);
    return count;
}

/* Steps of up to 0.2, and for some another image of where they end. */
static void take_steps(const xl_grid_desc *grid, const cloud *was, cloud *now)
{
    xlt_random random = {97};
    for (size_t i = 0; i < was->n; ++i)
        for (int axis = 0; axis < 3; ++axis)
            now->xyz[3 * i + (size_t)axis] =
                was->xyz[3 * i + (size_t)axis] + 0.4f * (xlt_unit(&random) - 0.5f);
    for (size_t i = 0; i < was->n; i += 3)
        for (int row = 0; row < 3; ++row) {
            const float times = (float)xlt_below(&random, 5) - 2;
            for (int axis = 0; axis < 3; ++axis)
                now->xyz[3 * i + (size_t)axis] += times * grid->cell[row][axis];
        }
}

static void moves(void **state)
{
    (void)state;
    static const float distances[] = {0, 0.05f, 0.1f, 0.15f, 0.2f, 0.3f, 1.0f};
    const xl_grid_desc grid = grid_of(leaning[0], corner, 7, 0.4f);
    const cloud was = cloud_in(&grid, sized(600), 96);
    cloud now = cloud_make(was.n, 3);
    ref_moved m = {.was = was.xyz,
                   .now = now.xyz,
                   .was_stride = 3,
                   .now_stride = 3,
                   .n = was.n,
                   .dimensions = 3};
    ref_cell_of(&grid, m.period, m.tilt);
    built b = build_grid(&was, &grid);
    take_steps(&grid, &was, &now);
    now.xyz[4] = NAN;
    now.xyz[9] = 1e20f;
    now.xyz[14] = INFINITY;
    for (size_t k = 0; k < sizeof distances / sizeof distances[0]; ++k) {
        m.distance = distances[k];
        assert_int_equal(moved_by(&b, &now, m.distance), ref_count_moved(&m));
    }
    assert_int_equal(moved_by(&b, &was, 0), 0);
    built_free(&b);
    cloud_free(&now);
    free(was.xyz);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(const xl_grid_desc *desc, const char *word)
{
    xl_grid *grid;
    XLT_FAILS(xl_grid_create(xlt_context(), desc, &grid), XL_ERROR_INVALID_ARGUMENT);
    if (!strstr(xl_context_error(xlt_context()), word))
        XLT_FAIL("no \"%s\" in: %s", word, xl_context_error(xlt_context()));
}

static void bad_cells_are_refused(void **state)
{
    (void)state;
    static const struct {
        int row, axis;
        float entry;
        const char *word;
    } entries[] = {{0, 2, NAN, "desc.cell[0][2]: nan; must be finite"},
                   {2, 2, 1e-39f, "no volume"},
                   {2, 2, INFINITY, "desc.cell[2][2]: inf; must be finite"},
                   {2, 2, 3e38f, NULL}};
    for (size_t k = 0; k < sizeof entries / sizeof entries[0]; ++k) {
        xl_grid_desc desc = grid_of(skewed[0], corner, 7, 0.4f);
        desc.cell[entries[k].row][entries[k].axis] = entries[k].entry;
        if (entries[k].word)
            refused(&desc, entries[k].word);
        desc.lower[2] = 3e38f;
        if (!entries[k].word)
            refused(&desc, "desc.lower[2]: 3e+38; the box around the cell");
    }
    xl_grid_desc desc = grid_of(skewed[0], corner, 1, 0.4f);
    memcpy(desc.cell[2], (float[]){2.8f, 1.7f, 0}, sizeof desc.cell[2]); /* a + b */
    refused(&desc, "desc.cell: 2, 0, 0; 0.8, 1.7, 0; 2.8, 1.7, 0; no volume: the rows must be");
    memset(desc.cell[2], 0, sizeof desc.cell[2]);
    refused(&desc, "no volume: the rows must be independent");
    desc = grid_of(skewed[0], corner, 7, 0.4f);
    desc.lower[1] = 1e7f;
    refused(&desc, "desc.lower[1]: 1e+07; a cell of height");
    desc = grid_of(skewed[0], corner, 7, 0.4f);
    desc.triclinic = 2;
    refused(&desc, "desc.triclinic: 2");
    desc.triclinic = 1;
    desc.dimensions = 2;
    refused(&desc, "desc.periodic: 7 names an axis");
}

static void says(xl_status got, xl_status wanted, const char *word)
{
    XLT_FAILS(got, wanted);
    if (!strstr(xl_context_error(xlt_context()), word))
        XLT_FAIL("no \"%s\" in: %s", word, xl_context_error(xlt_context()));
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    const xl_grid_desc cell = grid_of(skewed[0], corner, 7, 0.4f);
    cloud c = cloud_in(&cell, 20, 3);
    xl_grid_desc open = grid_desc_of(&c, 0.4f);
    xl_neighbors_desc search = search_desc_of(0.4f);
    xl_neighbors *plan;
    xlt_buffer points = xlt_buffer_make(c.xyz, 3 * c.n, 4, 1),
               counts = xlt_buffer_make(NULL, c.n, 4, 2);
    built in_cell = build_grid(&c, &cell), outside = build_grid(&c, &open);
    const xl_neighbors_count_args args = {.counts = xlt_view(&counts)};
    search.periodic = XL_REPEATS_BOX;
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    says(xl_neighbors_count_enqueue(plan, in_cell.index, xlt_queue(), &args, 0, NULL, NULL),
         XL_ERROR_INVALID_ARGUMENT,
         "triclinic cell, but the plan's desc.periodic is 1, XL_REPEATS_BOX");
    xl_neighbors_destroy(plan);
    search.periodic = XL_REPEATS_CELL;
    search.radius = 1.5e6f;
    XLT_OK(xl_neighbors_create(xlt_context(), &search, &plan));
    says(xl_neighbors_count_enqueue(plan, in_cell.index, xlt_queue(), &args, 0, NULL, NULL),
         XL_ERROR_UNSUPPORTED, "desc.radius: 1.5e+06; must be");
    says(xl_neighbors_count_enqueue(plan, outside.index, xlt_queue(), &args, 0, NULL, NULL),
         XL_ERROR_INVALID_ARGUMENT, "does not repeat");
    xl_neighbors_destroy(plan);
    xl_grid_moved_args moved = {
        .distance = 0.1f, .points = xlt_view(&points), .moved = xlt_view(&counts)};
    says(xl_grid_moved_enqueue(outside.grid, in_cell.index, xlt_queue(), &moved, 0, NULL, NULL),
         XL_ERROR_INVALID_ARGUMENT, "desc.triclinic is 0");
    moved.distance = 1.5e6f;
    says(xl_grid_moved_enqueue(in_cell.grid, in_cell.index, xlt_queue(), &moved, 0, NULL, NULL),
         XL_ERROR_UNSUPPORTED, "distance: 1.5e+06; must be");
    xlt_check_unwritten(&counts, "counts");
    xlt_buffer_free(&counts);
    xlt_buffer_free(&points);
    built_free(&in_cell);
    built_free(&outside);
    cloud_free(&c);
}

/* In the box around the cell points may be anywhere; just outside of it none. */
static void points_outside_are_found(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_of(skewed[0], origin, 7, 0.4f);
    cloud c = cloud_in(&grid, 20, 5);
    xl_grid_report report;
    cloud_set(&c, 3, -0.9f, 2.45f, 1.4f);
    built b = build_grid(&c, &grid);
    report = report_of(&b);
    assert_true(fabsf(report.lower[0] + 0.9f) < 1e-5f && fabsf(report.upper[0] - 2.8f) < 1e-5f);
    assert_true(fabsf(report.lower[1]) < 1e-5f && fabsf(report.upper[1] - 2.45f) < 1e-5f);
    built_free(&b);
    cloud_set(&c, 7, -0.9001f, 1, 1);
    b = build_grid(&c, &grid);
    XLT_FAILS(xl_grid_index_status(b.index, xlt_queue(), &report, 0, NULL), XL_ERROR_OUT_OF_DOMAIN);
    assert_true(report.out_of_domain == 1 && report.first_out_of_domain == 7);
    built_free(&b);
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points),
        cmocka_unit_test(some_vectors),
        cmocka_unit_test(given_queries),
        cmocka_unit_test(pairs_are_symmetric),
        cmocka_unit_test(upright_cells_are_boxes),
        cmocka_unit_test(shells_of_lattices),
        cmocka_unit_test(rows_with_room_and_visits),
        cmocka_unit_test(nearest_points),
        cmocka_unit_test(kernels_of_users),
        cmocka_unit_test(moves),
        cmocka_unit_test(bad_cells_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(points_outside_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

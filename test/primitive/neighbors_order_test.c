/* SPDX-License-Identifier: MIT
 * The order in which sums visit the neighbours of a point (docs/neighbors.md): one for all devices,
 * kinds of index and searches. Each result is compared bit by bit with a serial loop in that order.
 * No operation of visit() is contracted, so all devices have the same bits. */
#include "grid_support.h"

#include <math.h>
#include <stdlib.h>

/* With a scale, terms whose sum depends on the order by rounding; otherwise a number of 24 bits that
 * depends on all indices and their order. */
#define VISIT                                                                                      \
    "float visit(float sum, float distance2, uint i, uint j, float4 params)\n{\n"                  \
    "    const float weight = params.x - distance2;\n"                                             \
    "    return params.x > 0 ? sum + weight * weight * weight\n"                                   \
    "                        : (float)(((uint)sum * 31u + j + 1u) % 16777213u);\n}\n"

static float visit(float sum, float distance2, uint32_t j, float scale)
{
    const float weight = scale - distance2;
    return scale > 0 ? sum + weight * weight * weight
                     : (float)(((uint32_t)sum * 31u + j + 1u) % 16777213u);
}

static const char kernel_source[] =
    "#include <crosslane/neighbors.cl>\n#pragma OPENCL FP_CONTRACT OFF\n" VISIT
    "__kernel void add(XL_NEIGHBORS_PARAMETERS(all), __global float *out, float4 params)\n{\n"
    "    const xl_neighbors all = XL_NEIGHBORS_LOAD(all);\n"
    "    const uint k = (uint)get_global_id(0);\n"
    "    if (k >= xl_neighbors_points(&all))\n        return;\n"
    "    xl_neighbor near = xl_neighbors_of(&all, k);\n"
    "    float sum = 0;\n"
    "    XL_FOR_NEIGHBORS(near, all)\n"
    "        sum = visit(sum, near.distance2, near.self, near.index, params);\n"
    "    out[near.self] = near.incomplete ? NAN : sum;\n}\n";

/* ---- the serial loop ------------------------------------------------------------------------- */

typedef struct place {
    double z, y; /* the numbers of its row */
    uint32_t x;  /* in the order of the floats */
    uint32_t i;
} place;

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

static int compare(const void *a, const void *b)
{
    const place *const p = a, *const q = b;
    return p->z != q->z   ? COMPARE(p->z, q->z)
           : p->y != q->y ? COMPARE(p->y, q->y)
           : p->x != q->x ? COMPARE(p->x, q->x)
                          : COMPARE(p->i, q->i);
}

static uint32_t ordered(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

/* From 2^24 edges on each float is a row. */
static double row_of(float x, float inverse)
{
    return fabsf(x) < 0x1p24f / inverse ? (double)floorf(x * inverse) : (double)x * (double)inverse;
}

static place *places_of(const cloud *c, float cell_size)
{
    place *const places = malloc(c->n * sizeof *places);
    const float inverse = 1.0f / cell_size;
    assert_non_null(places);
    for (size_t i = 0; i < c->n; ++i) {
        const float *const p = c->xyz + i * c->stride;
        places[i] =
            (place){row_of(p[2], inverse), row_of(p[1], inverse), ordered(p[0]), (uint32_t)i};
    }
    qsort(places, c->n, sizeof *places, compare);
    return places;
}

typedef struct scene {
    const char *name;
    cloud cloud;
    xl_grid_desc grid;
    float radius;
} scene;

/* Continues the sum of point i over one image. */
static float add_image(const scene *s, const place *places, size_t i, const float *shift, bool self,
                       float scale, float sum)
{
    const float *const p = s->cloud.xyz + i * s->cloud.stride;
    for (size_t k = 0; k < s->cloud.n; ++k) {
        const uint32_t j = places[k].i;
        const float *const q = s->cloud.xyz + j * s->cloud.stride;
        const float dx = (p[0] - q[0]) - shift[0], dy = (p[1] - q[1]) - shift[1],
                    dz = (p[2] - q[2]) - shift[2], distance2 = (dx * dx + dy * dy) + dz * dz;
        if (distance2 < s->radius * s->radius && (self || j != i))
            sum = visit(sum, distance2, j, scale);
    }
    return sum;
}

/* Images ascend by z, y, x. */
static float *sums_of(const scene *s, bool self, float scale)
{
    int most[3];
    float edge[3];
    float *const sums = malloc(s->cloud.n * sizeof *sums);
    place *const places = places_of(&s->cloud, (float)s->grid.cell_size);
    assert_non_null(sums);
    for (int a = 0; a < 3; ++a) {
        edge[a] = (float)s->grid.space.cell[a][a];
        most[a] = s->grid.space.periodic >> a & 1 ? (int)(s->radius / edge[a]) + 1 : 0;
    }
    for (size_t i = 0; i < s->cloud.n; ++i) {
        sums[i] = 0;
        for (int z = -most[2]; z <= most[2]; ++z)
            for (int y = -most[1]; y <= most[1]; ++y)
                for (int x = -most[0]; x <= most[0]; ++x) {
                    const float shift[3] = {(float)x * edge[0], (float)y * edge[1],
                                            (float)z * edge[2]};
                    sums[i] = add_image(s, places, i, shift, self || x || y || z, scale, sums[i]);
                }
    }
    free(places);
    return sums;
}

/* ---- the ways -------------------------------------------------------------------------------- */

typedef struct way {
    const char *name;
    uint32_t algorithm, queries;
    bool bounded;                  /* also in given boxes, which take separate programs */
    bool kernel;                   /* of the user's */
    xl_tunable grid[8], search[4]; /* up to the first without a name */
} way;

/* As on a GPU: groups, of which each takes several parts of the points; small buckets. */
#define GROUPS                                                                                     \
    {"grid.planes", 0}, {"grid.group", 64}, {"grid.items", 2},                                     \
    {                                                                                              \
        "grid.bucket", 16                                                                          \
    }
#define TWO                                                                                        \
    {"neighbors.walk", 0},                                                                         \
    {                                                                                              \
        "neighbors.together", 2                                                                    \
    }

/* clang-format off */
static const way ways[] = {
    {"the device's own", .bounded = true},
    {"given queries", .queries = XL_QUERIES_GIVEN},
    {"a kernel", .kernel = true},
    {"a kernel and a table", .kernel = true, .grid = {{"grid.table", 64}}},
    {"two together in a table", .bounded = true, .grid = {GROUPS, {"grid.table", 64}, {"grid.thin", 8}},
     .search = {TWO}},
    {"two together in a table made by sorting", .algorithm = XL_GRID_BITONIC,
     .grid = {GROUPS, {"grid.table", 64}}, .search = {TWO}},
    {"two together in listed rows", .grid = {GROUPS, {"grid.table", 0}}, .search = {TWO}},
    {"a walk in a table", .grid = {{"grid.planes", 1}, {"grid.table", 64}, {"grid.thin", 1}},
     .search = {{"neighbors.walk", 256}}}};
/* clang-format on */

static uint32_t count(const xl_tunable *tunables)
{
    uint32_t n = 0;
    while (tunables[n].name)
        ++n;
    return n;
}

/* Rows from first_row on. */
static void call_search(const scene *s, const built *b, const way *w, float scale, size_t first_row,
                        const xlt_buffer *out)
{
    xl_plan *plan;
    xl_neighbors_desc search = search_desc_of(s->radius);
    const bool given = w->queries == XL_QUERIES_GIVEN;
    search.queries = w->queries;
    search.visit = VISIT;
    search.tunables = w->search;
    search.num_tunables = count(w->search);
    XLT_OK(xl_neighbors_create(b->grid, &search, &plan));
    XLT_OK(xl_neighbors_enqueue(
        plan, b->index, xlt_queue(),
        &(xl_neighbors_args){.num_queries = s->cloud.n,
                             .first_row = first_row,
                             .params = {(double)scale},
                             .queries = given ? xlt_view(&b->points) : xl_no_view(),
                             .sums = xlt_view(out)},
        0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    xl_plan_destroy(plan);
}

static cl_program program;

static void call_kernel(const scene *s, const built *b, float scale, const xlt_buffer *out)
{
    cl_int code;
    cl_uint next;
    const size_t n = s->cloud.n;
    const cl_float4 params = {{scale, 0, 0, 0}};
    if (!program)
        XLT_OK(xl_program_create(xlt_context(), kernel_source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    XLT_CL(code);
    const xl_neighbors_kernel_args args = {.kernel = kernel, .radius = (double)s->radius};
    XLT_OK(xl_grid_index_set_kernel_args(b->index, &args, &next));
    XLT_CL(clSetKernelArg(kernel, next, sizeof out->mem, &out->mem));
    XLT_CL(clSetKernelArg(kernel, next + 1, sizeof params, &params));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
    XLT_CL(clFinish(xlt_queue()));
    clReleaseKernel(kernel);
}

static void compare_with(const scene *s, const built *b, const way *w, float scale,
                         size_t first_row, const float *right)
{
    const size_t rows = s->cloud.n - first_row;
    float *const got = malloc(rows * sizeof *got);
    assert_non_null(got);
    xlt_place(w->kernel ? XLT_EXACT : XLT_GUARD_BYTES); /* the user's knows no offsets */
    xlt_buffer out = xlt_buffer_make(NULL, rows, sizeof *got, 0);
    xlt_place(XLT_GUARD_BYTES);
    if (w->kernel)
        call_kernel(s, b, scale, &out);
    else
        call_search(s, b, w, scale, first_row, &out);
    xlt_read(&out, got);
    for (size_t i = 0; i < rows; ++i)
        if (memcmp(&got[i], &right[first_row + i], sizeof *got) != 0)
            XLT_FAIL("%s, %s, %s: the sum of point %zu is %a, not %a", s->name, w->name,
                     scale > 0 ? "a sum that rounds" : "an exact sum", first_row + i,
                     (double)got[i], (double)right[first_row + i]);
    xlt_buffer_free(&out);
    free(got);
}

static void check_scene(scene *s)
{
    const float scales[2] = {0, 1.625f * s->radius * s->radius};
    float *right[2][2];
    for (int k = 0; k < 4; ++k)
        right[k / 2][k % 2] = sums_of(s, k / 2 != 0, scales[k % 2]);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
        const way *const w = &ways[k];
        if (s->grid.space.bounds == XL_BOUNDS_GIVEN && !w->bounded)
            continue;
        s->grid.algorithm = w->algorithm;
        s->grid.tunables = w->grid;
        s->grid.num_tunables = count(w->grid);
        built b = build_grid(&s->cloud, &s->grid);
        (void)report_of(&b);
        for (int rounds = 0; rounds < 2; ++rounds)
            compare_with(s, &b, w, scales[rounds], w->kernel ? 0 : k * s->cloud.n / 20,
                         right[w->queries == XL_QUERIES_GIVEN][rounds]);
        built_free(&b);
    }
    for (int k = 0; k < 4; ++k)
        free(right[k / 2][k % 2]);
    cloud_free(&s->cloud);
}

static size_t sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 5 : n;
}

/* ---- the scenes ------------------------------------------------------------------------------ */

static scene scene_of(const char *name, cloud c)
{
    return (scene){name, c, grid_desc_of(&c, 0.375f), 0.5f};
}

/* The corner of the box is not that of a cell. */
XLT_TEST(uniform_points)
{
    scene s = scene_of("uniform", cloud_uniform(sized(500), -1.3f, 2.5f, 3));
    check_scene(&s);
}

/* Whether there is a table depends on the last point. */
XLT_TEST(a_far_point)
{
    scene s = scene_of("a far point", cloud_uniform(sized(500), -1.3f, 2.5f, 3));
    cloud_set(&s.cloud, s.cloud.n - 1, 1e6f, -3e7f, 2e5f);
    check_scene(&s);
}

/* Numbers of cells that are no floats would merge rows (along y) or cells (along x, where they are
 * thin); in a box that is found and in a given one. */
XLT_TEST(far_rows)
{
    static const float far[] = {3.5e6f, 7e6f};
    for (int k = 0; k < 4; ++k) {
        const int axis = k / 2;
        scene s = scene_of("far rows", cloud_uniform(sized(200), -1, 2, 17));
        s.radius = 0.75f;
        for (size_t i = 0; i < s.cloud.n; ++i)
            s.cloud.xyz[3 * i + (size_t)axis] = far[axis] + 0.5f * (float)(i % 4);
        if (k % 2) {
            s.grid.space.bounds = XL_BOUNDS_GIVEN;
            for (int a = 0; a < 3; ++a) {
                s.grid.space.origin[a] = a == axis ? (double)far[axis] : -1;
                s.grid.space.cell[a][a] = 2;
            }
        }
        check_scene(&s);
    }
}

/* Many points share a row, a coordinate or, of both signs, x = 0. */
XLT_TEST(sheets)
{
    scene s = scene_of("sheets", cloud_uniform(sized(400), -1, 2, 5));
    for (size_t i = 0; i < s.cloud.n; ++i) {
        float *const p = s.cloud.xyz + 3 * i;
        p[2] = i % 2 == 0 ? 0.25f : -0.25f;
        if (i % 3 == 0)
            p[0] = i % 4 < 2 ? 0.0f : -0.0f;
    }
    check_scene(&s);
}

/* So many points in one cell that a work-group sorts them. */
XLT_TEST(an_overfull_cell)
{
    scene s = scene_of("an overfull cell", cloud_uniform(sized(400), -1.3f, 2.5f, 7));
    xlt_random random = {11};
    for (size_t i = 0; i < s.cloud.n; ++i)
        if (i % 8 != 0)
            cloud_set(&s.cloud, i, 0.01f + 0.01f * xlt_unit(&random), 0.1f, 0.1f);
    check_scene(&s);
}

/* Each axis in turn, and all. Along x there are several images within the radius. */
XLT_TEST(periodic_boxes)
{
    for (uint32_t periodic = 1; periodic <= 8; periodic *= 2) {
        scene s = scene_of("a periodic box", cloud_uniform(sized(200), 0.3f, 1, 13));
        s.grid.space.bounds = XL_BOUNDS_GIVEN;
        s.grid.space.periodic = periodic > 4 ? 7 : periodic;
        for (int a = 0; a < 3; ++a) {
            s.grid.space.origin[a] = (double)0.3f;
            s.grid.space.cell[a][a] = a == 0 ? 0.4375 : 1.25;
        }
        for (size_t i = 0; i < s.cloud.n; ++i)
            s.cloud.xyz[3 * i] = 0.3f + (s.cloud.xyz[3 * i] - 0.3f) * 0.4375f;
        check_scene(&s);
    }
}

static int teardown(void **state)
{
    if (program)
        clReleaseProgram(program);
    return xlt_teardown(state);
}

XLT_MAIN_WITH_GRIDS(NULL, teardown)

/* SPDX-License-Identifier: MIT
 * The library refuses wrong grids, searches and calls: with a status and a text, and it writes
 * nothing. The status of a build names the points that it refuses. */
#include "xlt_misuse.h"

#include <crosslane/knn.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const xl_status bad = XL_ERROR_INVALID_ARGUMENT, unsupported = XL_ERROR_UNSUPPORTED,
                       overlap = XL_ERROR_OVERLAP;

static void refused(xl_status got, xl_status wanted, const char *text)
{
    xlt_refused(xlt_context(), got, wanted, text);
}

static bool has_doubles(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64 != 0;
}

/* ---- indices --------------------------------------------------------------------------------- */

enum { N = 30, ROOM = 900 };

/* Points in the unit cube, or other ones, and their index. */
typedef struct indexed {
    xl_plan *grid;
    xl_grid_index *index;
    xlt_buffer points, systems, storage;
} indexed;

static xl_grid_desc grid_desc(bool wide)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.scalar = wide ? XL_F64 : XL_F32;
    desc.cell_size = 0.4f;
    return desc;
}

/* A cell of angles of 60, 70 and 110 degrees whose corner is not the origin. */
static xl_grid_desc cell_desc(bool wide)
{
    static const double cell[3][3] = {{2, 0, 0}, {0.8, 1.7, 0}, {-0.9, 0.75, 1.4}},
                        corner[3] = {-0.7, 3, 0.1};
    xl_grid_desc desc = grid_desc(wide);
    desc.triclinic = 1;
    desc.periodic = 7;
    for (int row = 0; row < 3; ++row) {
        desc.lower_f64[row] = wide ? corner[row] : 0;
        desc.lower[row] = wide ? 0 : (float)corner[row];
        for (int axis = 0; axis < 3; ++axis) {
            desc.cell_f64[row][axis] = wide ? cell[row][axis] : 0;
            desc.cell[row][axis] = wide ? 0 : (float)cell[row][axis];
        }
    }
    return desc;
}

static xl_grid_desc box_desc(uint32_t periodic)
{
    xl_grid_desc desc = grid_desc(false);
    desc.bounded = 1;
    desc.periodic = periodic;
    for (int axis = 0; axis < 3; ++axis)
        desc.upper[axis] = 1;
    return desc;
}

static xlt_buffer buffer_of(const double *numbers, size_t n, bool wide)
{
    float *const narrow = calloc(n + 1, sizeof *narrow);
    assert_non_null(narrow);
    for (size_t i = 0; i < n; ++i)
        narrow[i] = (float)numbers[i];
    const xlt_buffer made =
        xlt_buffer_make(wide ? (const void *)numbers : narrow, n, wide ? 8 : 4, 1);
    free(narrow);
    return made;
}

static indexed index_of(const xl_grid_desc *desc, const double *xyz, size_t n,
                        const uint32_t *systems)
{
    size_t bytes;
    indexed of = {.points = buffer_of(xyz, n * 3, desc->scalar == XL_F64)};
    if (systems)
        of.systems = xlt_buffer_make(systems, n, 4, 1);
    XLT_OK(xl_grid_create(xlt_context(), desc, &of.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &of.index));
    XLT_OK(xl_grid_scratch(of.grid, &(xl_grid_build_args){.n = n}, &bytes));
    of.storage = xlt_scratch_make(bytes);
    XLT_OK(xl_grid_build_enqueue(of.grid, of.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = n,
                                                       .points = xlt_view(&of.points),
                                                       .storage = xlt_view(&of.storage),
                                                       .systems = xlt_view(&of.systems)},
                                 0, NULL, NULL));
    return of;
}

/* N points in the box around the cell of `desc`, or in the unit cube. */
static indexed usual_index(const xl_grid_desc *desc)
{
    static const uint32_t systems[N] = {0};
    double xyz[3 * N];
    for (size_t i = 0; i < COUNT_OF(xyz); ++i)
        xyz[i] = (desc->triclinic ? desc->lower[i % 3] + desc->lower_f64[i % 3]
                                  : 0.01 * (double)(i % 70));
    return index_of(desc, xyz, N, desc->num_systems > 0 ? systems : NULL);
}

static void index_free(indexed *of)
{
    xl_grid_index_destroy(of->index);
    xl_plan_destroy(of->grid);
    xlt_buffer_free(&of->points);
    xlt_buffer_free(&of->storage);
    if (of->systems.mem)
        xlt_buffer_free(&of->systems);
}

static xl_neighbors_desc search_desc(double radius, bool wide)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.scalar = wide ? XL_F64 : XL_F32;
    desc.radius = wide ? 0 : (float)radius;
    desc.radius_f64 = wide ? radius : 0;
    return desc;
}

static xl_plan *plan_of(const xl_neighbors_desc *desc)
{
    xl_plan *plan;
    XLT_OK(xl_neighbors_create(xlt_context(), desc, &plan));
    return plan;
}

/* ---- grids ----------------------------------------------------------------------------------- */

static void refuses_grid(const xl_grid_desc *desc, const char *text)
{
    xl_plan *grid = NULL;
    refused(xl_grid_create(xlt_context(), desc, &grid), bad, text);
    assert_null(grid);
}

static void wrong_boxes(void **state)
{
    (void)state;
    xl_grid_desc desc = box_desc(1);
    desc.bounded = 0;
    refuses_grid(&desc, "desc.periodic");
    desc = box_desc(8);
    refuses_grid(&desc, "desc.periodic");
    desc = box_desc(4);
    desc.dimensions = 2;
    refuses_grid(&desc, "desc.periodic");
    desc = box_desc(1);
    desc.upper[0] = 0;
    refuses_grid(&desc, "desc.upper[0]");
    desc = grid_desc(false);
    desc.num_systems = (1u << 20) + 1;
    refuses_grid(&desc, "desc.num_systems");
}

/* One number of the cell or of its corner (row 3) that is wrong. */
static void wrong_cells(void **state)
{
    (void)state;
    static const struct {
        bool wide;
        int row, axis;
        double entry;
        const char *text;
    } cases[] = {
        {false, 0, 2, (double)NAN, "desc.cell[0][2]: nan; must be finite"},
        {false, 2, 2, 1e-39, "no volume"},
        {false, 2, 2, (double)INFINITY, "desc.cell[2][2]: inf; must be finite"},
        {false, 3, 1, 1e7, "desc.lower[1]: 1e+07; a cell of height"},
        {true, 0, 2, (double)NAN, "desc.cell_f64[0][2]: nan; must be finite"},
        {true, 2, 2, 1e-309, "a cell of height"},
        {true, 2, 2, (double)INFINITY, "desc.cell_f64[2][2]: inf; must be finite"},
        {true, 2, 2, DBL_MAX, "desc.lower_f64[2]: 0.1; the box around the cell"},
        {true, 3, 1, 0x1p50, "desc.lower_f64[1]: 1.1259e+15; a cell of height"},
    };
    for (size_t k = 0; k < COUNT_OF(cases); ++k) {
        xl_grid_desc desc = cell_desc(cases[k].wide);
        const int row = cases[k].row, axis = cases[k].axis;
        if (cases[k].wide)
            *(row < 3 ? &desc.cell_f64[row][axis] : &desc.lower_f64[axis]) = cases[k].entry;
        else
            *(row < 3 ? &desc.cell[row][axis] : &desc.lower[axis]) = (float)cases[k].entry;
        if (!cases[k].wide || has_doubles())
            refuses_grid(&desc, cases[k].text);
    }
}

static void cells_without_volume(void **state)
{
    (void)state;
    xl_grid_desc desc = cell_desc(false);
    desc.periodic = 1;
    memcpy(desc.cell[2], (float[]){2.8f, 1.7f, 0}, sizeof desc.cell[2]); /* a + b */
    refuses_grid(&desc,
                 "desc.cell: 2, 0, 0; 0.8, 1.7, 0; 2.8, 1.7, 0; no volume: the rows must be");
    memset(desc.cell[2], 0, sizeof desc.cell[2]);
    refuses_grid(&desc, "no volume: the rows must be independent");
    desc = cell_desc(false);
    desc.cell[2][2] = desc.lower[2] = 3e38f;
    refuses_grid(&desc, "desc.lower[2]: 3e+38; the box around the cell");
    desc = cell_desc(false);
    desc.triclinic = 2;
    refuses_grid(&desc, "desc.triclinic: 2");
    desc.triclinic = 1;
    desc.dimensions = 2;
    refuses_grid(&desc, "desc.periodic: 7; must have bits");
    desc = grid_desc(false);
    desc.cell_f64[1][1] = 1;
    refuses_grid(&desc, "desc.cell_f64[1][1]: 1; must be 0");
    desc = cell_desc(true);
    desc.cell[2][0] = 1;
    if (has_doubles())
        refuses_grid(&desc, "desc.cell[2][0]: 1; must be 0");
}

/* ---- points that a build refuses ------------------------------------------------------------- */

static void build_says(const xl_grid_desc *desc, const double *xyz, size_t n, const char *text)
{
    static const uint32_t systems[] = {0, 3, 4, UINT32_MAX};
    indexed of = index_of(desc, xyz, n, desc->num_systems > 0 ? systems : NULL);
    const xl_status got = xl_grid_index_status(of.index, xlt_queue(), NULL, 0, NULL);
    assert_true(got == XL_ERROR_OUT_OF_DOMAIN || got == XL_ERROR_NON_FINITE);
    refused(got, got, text);
    index_free(&of);
}

/* The error about one point has as many coordinates as points have. */
static void errors_tell_the_place(void **state)
{
    (void)state;
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
        double xyz[12] = {0.5, 0.5, 0, 0.25, 0.5, 0, 0.75, -0.125, 0, 0.5, 3, 0};
        xl_grid_desc desc = grid_desc(wide != 0);
        desc.bounded = 1;
        desc.dimensions = 2;
        for (int axis = 0; axis < 2; ++axis) {
            desc.upper_f64[axis] = wide ? 1 + axis : 0;
            desc.upper[axis] = wide ? 0 : 1 + (float)axis;
        }
        build_says(
            &desc, xyz, 4,
            "2 of 4 are outside the box (0, 0) to (1, 2), the first at index 2: (0.75, -0.125)");
        desc.dimensions = 1;
        xyz[3] = -0x1p-60;
        build_says(&desc, xyz, 4,
                   "1 of 4 are outside the box (0) to (1), the first at index 1: (-8.67");
        xyz[3] = (double)INFINITY;
        build_says(&desc, xyz, 4, "1 of 4 are not finite, the first at index 1: (inf)");
        xyz[3] = 0.25;
        desc.num_systems = 4;
        build_says(&desc, xyz, 4, "no system from 0 to 3");
    }
}

/* The box around a cell is a millionth of its size larger, wherever the cell is: at 1e9 in double
 * precision. */
static void cells_have_room_around(void **state)
{
    (void)state;
    static const struct {
        bool wide;
        double beyond;
        bool outside;
    } cases[] = {{false, 0, false},
                 {false, 1e-4, true},
                 {true, 0, false},
                 {true, 3e-6, false},
                 {true, 2e-5, true}};
    for (size_t k = 0; k < COUNT_OF(cases) && (!cases[k].wide || has_doubles()); ++k)
        for (int side = 0; side < 2; ++side) {
            xl_grid_report report;
            xl_grid_desc desc = cell_desc(cases[k].wide);
            const double low = cases[k].wide ? 1e9 : 0, left = low - 0.9, right = low + 2.8;
            desc.lower_f64[0] = low;
            desc.lower[0] = 0;
            double xyz[6] = {low + 1, 4, 1, 0, 4, 1};
            xyz[3] = side ? right + cases[k].beyond : left - cases[k].beyond;
            indexed of = index_of(&desc, xyz, 2, NULL);
            XLT_FAILS(xl_grid_index_status(of.index, xlt_queue(), &report, 0, NULL),
                      cases[k].outside ? XL_ERROR_OUT_OF_DOMAIN : XL_SUCCESS);
            assert_int_equal(report.out_of_domain, cases[k].outside);
            assert_true(fabs(cases[k].wide ? report.lower_f64[0] - left
                                           : (double)report.lower[0] - left) < 1e-5);
            assert_true(fabs(cases[k].wide ? report.upper_f64[0] - right
                                           : (double)report.upper[0] - right) < 1e-5);
            index_free(&of);
        }
}

/* ---- searches -------------------------------------------------------------------------------- */

static void refuses_search(const xl_neighbors_desc *desc, xl_status wanted, const char *text)
{
    xl_plan *plan = (xl_plan *)&plan;
    refused(xl_neighbors_create(xlt_context(), desc, &plan), wanted, text);
    assert_null(plan);
}

static void wrong_searches(void **state)
{
    (void)state;
    static const double radii[] = {0, -1, (double)NAN, (double)INFINITY, 1e-30, 3e19},
                        wide_radii[] = {0, (double)INFINITY, 1e-160, 1e160};
    xl_plan *plan;
    xl_neighbors_desc desc;
    for (size_t k = 0; k < COUNT_OF(radii); ++k) {
        desc = search_desc(radii[k], false);
        refuses_search(&desc, bad, "desc.radius");
    }
    for (size_t k = 0; k < COUNT_OF(wide_radii) && has_doubles(); ++k) {
        desc = search_desc(wide_radii[k], true);
        refuses_search(&desc, bad, "desc.radius_f64");
    }
    desc = search_desc(1, false);
    XLT_FAILS(xl_neighbors_create(xlt_context(), NULL, &plan), bad);
    XLT_FAILS(xl_neighbors_create(xlt_context(), &desc, NULL), bad);
#define REFUSES(field, value, status)                                                              \
    desc = search_desc(1, false);                                                                  \
    desc.field = (value);                                                                          \
    refuses_search(&desc, (status), #field)
    REFUSES(version, 5, bad);
    REFUSES(queries, 2, bad);
    REFUSES(query_stride, 2, bad);
    REFUSES(query_layout, 2, bad);
    REFUSES(dimensions, 4, unsupported);
    REFUSES(batch, 2, bad);
    REFUSES(periodic, 3, bad);
    REFUSES(radius_f64, 1, bad);
    REFUSES(scalar, XL_I32, unsupported);
#undef REFUSES
    desc = search_desc(1, false);
    desc.half = desc.radii = 1;
    refuses_search(&desc, bad, "desc.half: 1; requires one radius");
    xl_neighbors_desc_init(NULL);
    xl_plan_destroy(NULL);
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define COUNT(plan, of, ...)                                                                       \
    xl_neighbors_count_enqueue((plan), (of), xlt_queue(), &(xl_neighbors_count_args){__VA_ARGS__}, \
                               0, NULL, NULL)
#define FILL(plan, of, ...)                                                                        \
    xl_neighbors_fill_enqueue((plan), (of), xlt_queue(), &(xl_neighbors_fill_args){__VA_ARGS__},   \
                              0, NULL, NULL)
#define STATUS(plan, of, ...)                                                                      \
    xl_neighbors_status((plan), (of), xlt_queue(), &(xl_neighbors_status_args){__VA_ARGS__}, NULL, \
                        0, NULL)

/* A part of a buffer whose elements have 4 bytes: it begins `at` behind its start. */
static xl_view part(const xlt_buffer *buffer, size_t at)
{
    return xl_view_of(buffer->mem, xlt_view(buffer).offset + at);
}

static void wrong_counts(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_desc(false);
    const xl_neighbors_desc search = search_desc(0.2, false);
    indexed b = usual_index(&grid);
    xl_plan *plan = plan_of(&search);
    xl_grid_index *empty;
    cl_event event = (cl_event)&bad;
    XLT_OK(xl_grid_index_create(xlt_context(), &empty));
    xlt_buffer out = xlt_buffer_make(NULL, 2 * N, 8, 0);
    const xl_view v = xlt_view(&out);
    size_t bytes;
    XLT_CL(clGetMemObjectInfo(out.mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    refused(xl_neighbors_count_enqueue(plan, empty, xlt_queue(),
                                       &(xl_neighbors_count_args){.offsets = v}, 0, NULL, &event),
            bad, "index: not built");
    assert_null(event);
    assert_int_equal(COUNT(NULL, b.index, .offsets = v), bad);
    refused(COUNT(plan, NULL, .offsets = v), bad, "index: NULL");
    refused(xl_neighbors_count_enqueue(plan, b.index, NULL,
                                       &(xl_neighbors_count_args){.offsets = v}, 0, NULL, NULL),
            bad, "queue");
    refused(COUNT(plan, b.index, .num_queries = 0), bad, "counts");
    refused(COUNT(plan, b.index, .counts = xl_view_of(out.mem, 1 << 20)), bad, "counts");
    refused(COUNT(plan, b.index, .offsets = xl_view_of(out.mem, bytes / 8 - N)), bad, "offsets");
    refused(COUNT(plan, b.index, .counts = xl_view_of(out.mem, 2 * v.offset), .offsets = v),
            overlap, "offsets");
    const xl_view s = xlt_view(&b.storage);
    refused(COUNT(plan, b.index, .counts = xl_view_of(s.buffer, s.offset / 4)), overlap, "storage");
    refused(xl_neighbors_scratch(plan, 1, NULL), bad, "bytes");
    xlt_check_unwritten(&out, "an output of a refused call");
    xl_plan_destroy(plan);
    xl_grid_index_destroy(empty);
    xlt_buffer_free(&out);
    index_free(&b);
}

/* Queries that a call lacks, or that the plan does not take. */
static void wrong_queries(void **state)
{
    (void)state;
    const xl_grid_desc grid = box_desc(1);
    xl_neighbors_desc search = search_desc(0.2, false);
    indexed b = usual_index(&grid);
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0), more = xlt_buffer_make(NULL, 3 * N, 4, 0);
    const xl_view counts = xlt_view(&out), v = xlt_view(&more);
    search.periodic = XL_REPEATS_BOX;
    xl_plan *plan = plan_of(&search);
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = N), bad, "num_queries");
    refused(COUNT(plan, b.index, .counts = counts, .queries = v), bad, "queries");
    refused(COUNT(plan, b.index, .counts = counts, .queries_y = v), bad, "queries_y");
    refused(COUNT(plan, b.index, .counts = counts, .radii = v), bad, "radii");
    xl_plan_destroy(plan);
    search.queries = XL_QUERIES_GIVEN;
    search.radii = 1;
    plan = plan_of(&search);
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = N, .radii = v), bad, "queries");
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = N, .queries = v), bad, "radii");
    refused(
        COUNT(plan, b.index, .counts = counts, .num_queries = 1 << 20, .queries = v, .radii = v),
        bad, "queries");
    refused(
        COUNT(plan, b.index, .counts = counts, .num_queries = UINT32_MAX, .queries = v, .radii = v),
        bad, "num_queries");
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = N, .queries = v, .radii = counts),
            overlap, "radii");
    xl_plan_destroy(plan);
    search.dimensions = 2;
    plan = plan_of(&search);
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = 5, .queries = v, .radii = v), bad,
            "index: built with desc.dimensions 3; the plan has 2");
    xl_plan_destroy(plan);
    search.dimensions = 3;
    search.radii = 0;
    search.query_layout = XL_POINTS_SOA;
    plan = plan_of(&search);
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = N, .queries = v), bad,
            "queries_y");
    xl_plan_destroy(plan);
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    xlt_buffer_free(&more);
    index_free(&b);
}

/* An index of another kind than the plan is for, or a radius of more periods than there may be. */
static void wrong_indices(void **state)
{
    (void)state;
    static const struct {
        xl_repeats index, plan;
        double radius;
        uint32_t systems, batch;
        bool wide, wide_plan;
        xl_status wanted;
        const char *text;
    } cases[] = {
        {XL_REPEATS_BOX, XL_REPEATS_NOT, 0.2, 0, 0, false, false, 1, "repeats"},
        {XL_REPEATS_BOX, XL_REPEATS_BOX, 2e6, 0, 0, false, false, 0, "desc.radius: 2e+06; must be"},
        {XL_REPEATS_CELL, XL_REPEATS_BOX, 0.4, 0, 0, false, false, 1,
         "triclinic cell, but the plan's desc.periodic is 1, XL_REPEATS_BOX"},
        {XL_REPEATS_CELL, XL_REPEATS_BOX, 0.4, 0, 0, true, true, 1,
         "triclinic cell, but the plan's desc.periodic is 1, XL_REPEATS_BOX"},
        {XL_REPEATS_CELL, XL_REPEATS_CELL, 1.5e6, 0, 0, false, false, 0,
         "desc.radius: 1.5e+06; must be"},
        {XL_REPEATS_CELL, XL_REPEATS_CELL, 1.5e6, 0, 0, true, true, 0,
         "desc.radius_f64: 1.5e+06; must be"},
        {XL_REPEATS_NOT, XL_REPEATS_CELL, 0.4, 0, 0, false, false, 1, "does not repeat"},
        {XL_REPEATS_NOT, XL_REPEATS_NOT, 0.4, 4, 0, false, false, 1, "desc.batch is 0"},
        {XL_REPEATS_NOT, XL_REPEATS_NOT, 0.4, 0, 1, false, false, 1, "desc.batch is 1"},
        {XL_REPEATS_NOT, XL_REPEATS_NOT, 0.4, 0, 0, true, false, 1, "scalar"},
    };
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0);
    for (size_t k = 0; k < COUNT_OF(cases); ++k) {
        if (cases[k].wide && !has_doubles())
            continue;
        xl_grid_desc grid = cases[k].index == XL_REPEATS_CELL  ? cell_desc(cases[k].wide)
                            : cases[k].index == XL_REPEATS_BOX ? box_desc(1)
                                                               : grid_desc(cases[k].wide);
        xl_neighbors_desc search = search_desc(cases[k].radius, cases[k].wide_plan);
        grid.num_systems = cases[k].systems;
        search.periodic = cases[k].plan;
        search.batch = cases[k].batch;
        indexed b = usual_index(&grid);
        xl_plan *plan = plan_of(&search);
        refused(COUNT(plan, b.index, .counts = xlt_view(&out)), cases[k].wanted ? bad : unsupported,
                cases[k].text);
        xl_plan_destroy(plan);
        index_free(&b);
    }
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
}

/* Systems that are not given, or given where there are none. */
static void wrong_systems(void **state)
{
    (void)state;
    xl_grid_desc grid = grid_desc(false);
    xl_neighbors_desc search = search_desc(0.3, false);
    xl_knn_desc nearest;
    xl_plan *knn;
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0), q = xlt_buffer_make(NULL, 3 * N, 4, 0);
    indexed alone = usual_index(&grid);
    grid.num_systems = 4;
    indexed b = usual_index(&grid);
    search.batch = 1;
    search.queries = XL_QUERIES_GIVEN;
    xl_plan *plan = plan_of(&search);
    refused(
        COUNT(plan, b.index, .counts = xlt_view(&out), .num_queries = 20, .queries = xlt_view(&q)),
        bad, "query_systems");
    xl_plan_destroy(plan);
    xl_knn_desc_init(&nearest);
    nearest.k = 1;
    XLT_OK(xl_knn_create(xlt_context(), &nearest, &knn));
    refused(xl_knn_enqueue(knn, b.index, xlt_queue(), &(xl_knn_args){.indices = xlt_view(&out)}, 0,
                           NULL, NULL),
            bad, "desc.batch is 0");
    xl_plan_destroy(knn);
#define BUILD(of, ...)                                                                             \
    xl_grid_build_enqueue((of)->grid, (of)->index, xlt_queue(),                                    \
                          &(xl_grid_build_args){.n = N, __VA_ARGS__}, 0, NULL, NULL)
    refused(BUILD(&b, .points = xlt_view(&b.points)), bad, "systems");
    refused(BUILD(&alone, .points = xlt_view(&b.points), .systems = xlt_view(&out)), bad,
            "desc.num_systems is 0");
#undef BUILD
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    xlt_buffer_free(&q);
    index_free(&alone);
    index_free(&b);
}

/* On a line, where a kernel would end soon: in space it would go through too many images. */
static void wrong_moves(void **state)
{
    (void)state;
    static const double at[3] = {0.5, 3.5, 0.5};
    xlt_buffer out = xlt_buffer_make(NULL, 1, 4, 0);
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
        xl_grid_desc cell = cell_desc(wide != 0), open = grid_desc(wide != 0);
        cell.dimensions = open.dimensions = cell.periodic = 1;
        indexed in_cell = index_of(&cell, at, 1, NULL), outside = index_of(&open, at, 1, NULL);
        xl_grid_moved_args args = {.distance = wide ? 0 : 3e6f,
                                   .distance_f64 = wide ? 3.2e6 : 0,
                                   .points = xlt_view(&in_cell.points),
                                   .moved = xlt_view(&out)};
        refused(
            xl_grid_moved_enqueue(in_cell.grid, in_cell.index, xlt_queue(), &args, 0, NULL, NULL),
            unsupported, wide ? "distance_f64: 3.2e+06; must be" : "distance: 3e+06; must be");
        args.distance = wide ? 0 : 0.1f;
        args.distance_f64 = wide ? 0.1 : 0;
        refused(
            xl_grid_moved_enqueue(outside.grid, in_cell.index, xlt_queue(), &args, 0, NULL, NULL),
            bad, "desc.triclinic is 0");
        index_free(&in_cell);
        index_free(&outside);
    }
    xlt_check_unwritten(&out, "moved");
    xlt_buffer_free(&out);
}

/* Lists of plans with details and without. */
static void wrong_fills(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_desc(false);
    xl_neighbors_desc search = search_desc(0.3, false);
    indexed b = usual_index(&grid);
    xlt_buffer offsets = xlt_buffer_make(NULL, 4 * N, 8, 0),
               out = xlt_buffer_make(NULL, ROOM, 4, 0),
               more = xlt_buffer_make(NULL, 3 * ROOM, 4, 0);
    const xl_view v = xlt_view(&offsets), o = xlt_view(&out), m = xlt_view(&more);
    size_t bytes;
    XLT_CL(clGetMemObjectInfo(offsets.mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    xl_plan *without = plan_of(&search);
    search.details = 1;
    xl_plan *plan = plan_of(&search);
#define REFUSES(status, text, ...)                                                                 \
    refused(FILL(plan, b.index, .capacity = ROOM, .offsets = v, .indices = o, __VA_ARGS__),        \
            (status), (text))
    refused(FILL(without, b.index, .capacity = 10, .offsets = v, .indices = o, .distances2 = m),
            bad, "distances2");
    refused(FILL(without, b.index, .capacity = 10, .offsets = v, .indices = o, .vectors = m), bad,
            "vectors");
    refused(FILL(without, b.index, .capacity = 10, .offsets = v, .indices = o, .shifts = m), bad,
            "shifts");
    refused(FILL(plan, b.index, .capacity = 10, .indices = o), bad, "offsets");
    refused(FILL(plan, b.index, .capacity = 10, .offsets = v), bad, "indices");
    refused(FILL(plan, b.index, .capacity = 10, .indices = o,
                 .offsets = xl_view_of(offsets.mem, bytes / 8 - N)),
            bad, "offsets");
    refused(FILL(plan, b.index, .capacity = 1 << 30, .offsets = v, .indices = o), bad, "indices");
    refused(FILL(plan, b.index, .capacity = 10, .offsets = v,
                 .indices = xl_view_of(offsets.mem, 2 * v.offset + 8)),
            overlap, "indices");
    REFUSES(bad, "counts", .counts = m);
    REFUSES(bad, "vectors", .vectors = o);
    REFUSES(overlap, "distances2", .distances2 = o);
    REFUSES(overlap, "shifts", .vectors = m, .shifts = m);
    REFUSES(bad, "first_row", .first_row = N + 1);
    REFUSES(bad, "num_rows", .num_rows = N + 1);
    REFUSES(bad, "num_rows", .first_row = 10, .num_rows = N - 9);
    REFUSES(bad, "num_rows", .num_rows = SIZE_MAX);
#undef REFUSES
    refused(STATUS(plan, b.index, .offsets = v, .first_row = N + 1), bad, "first_row");
    refused(STATUS(plan, b.index, .offsets = v, .first_row = N, .num_rows = 1), bad, "num_rows");
    assert_int_equal(STATUS(NULL, b.index, .offsets = v), bad);
    refused(xl_neighbors_visit_enqueue(plan, b.index, xlt_queue(),
                                       &(xl_neighbors_visit_args){.out = o}, 0, NULL, NULL),
            bad, "visit");
    xlt_check_unwritten(&offsets, "offsets");
    xlt_check_unwritten(&out, "an output of a refused call");
    xlt_check_unwritten(&more, "an output of a refused call");
    xl_plan_destroy(without);
    xl_plan_destroy(plan);
    xlt_buffer_free(&offsets);
    xlt_buffer_free(&out);
    xlt_buffer_free(&more);
    index_free(&b);
}

/* Rows with room take other arguments than those that follow each other. */
static void wrong_rooms(void **state)
{
    (void)state;
    const xl_grid_desc grid = grid_desc(false);
    xl_neighbors_desc search = search_desc(0.3, false);
    indexed b = usual_index(&grid);
    search.row_capacity = 8;
    xl_plan *plan = plan_of(&search);
    xlt_buffer out = xlt_buffer_make(NULL, 8 * N, 4, 1), of = xlt_buffer_make(NULL, 4 * N, 4, 1);
    const xl_view o = xlt_view(&out), counts = xlt_view(&of);
    refused(FILL(plan, b.index, .indices = o, .counts = counts, .capacity = 240), bad, "capacity");
    refused(FILL(plan, b.index, .indices = o, .counts = counts, .offsets = part(&of, 3)), bad,
            "offsets");
    refused(FILL(plan, b.index, .indices = o), bad, "counts");
    refused(FILL(plan, b.index, .indices = part(&out, 1000000), .counts = counts), bad, "indices");
    refused(FILL(plan, b.index, .indices = o, .counts = o), overlap, "counts");
    refused(STATUS(plan, b.index, .offsets = part(&of, 3)), bad, "offsets");
    xlt_check_unwritten(&out, "indices");
    xlt_check_unwritten(&of, "counts");
    xl_plan_destroy(plan);
    xlt_buffer_free(&out);
    xlt_buffer_free(&of);
    index_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_boxes),
        cmocka_unit_test(wrong_cells),
        cmocka_unit_test(cells_without_volume),
        cmocka_unit_test(errors_tell_the_place),
        cmocka_unit_test(cells_have_room_around),
        cmocka_unit_test(wrong_searches),
        cmocka_unit_test(wrong_counts),
        cmocka_unit_test(wrong_queries),
        cmocka_unit_test(wrong_indices),
        cmocka_unit_test(wrong_systems),
        cmocka_unit_test(wrong_moves),
        cmocka_unit_test(wrong_fills),
        cmocka_unit_test(wrong_rooms),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

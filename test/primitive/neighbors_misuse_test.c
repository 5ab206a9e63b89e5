/* SPDX-License-Identifier: MIT
 * The library refuses wrong grids, searches and calls: with a status and a text, and it writes
 * nothing. The status of a build names the points that it refuses. */
#include "xlt_misuse.h"

#include <crosslane/nearest.h>
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
    desc.space.scalar = wide ? XL_F64 : XL_F32;
    desc.cell_size = 0.4;
    return desc;
}

/* A cell of angles of 60, 70 and 110 degrees whose corner is not the origin. */
static xl_grid_desc cell_desc(bool wide)
{
    static const double cell[3][3] = {{2, 0, 0}, {0.8, 1.7, 0}, {-0.9, 0.75, 1.4}},
                        corner[3] = {-0.7, 3, 0.1};
    xl_grid_desc desc = grid_desc(wide);
    desc.space.bounds = XL_BOUNDS_GIVEN;
    desc.space.periodic = 7;
    memcpy(desc.space.origin, corner, sizeof corner);
    memcpy(desc.space.cell, cell, sizeof cell);
    return desc;
}

static xl_grid_desc box_desc(uint32_t periodic)
{
    xl_grid_desc desc = grid_desc(false);
    desc.space.bounds = XL_BOUNDS_GIVEN;
    desc.space.periodic = periodic;
    for (int axis = 0; axis < 3; ++axis)
        desc.space.cell[axis][axis] = 1;
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
    indexed of = {.points = buffer_of(xyz, n * 3, desc->space.scalar == XL_F64)};
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
        xyz[i] = desc->space.cell[1][0] != 0 ? desc->space.origin[i % 3] : 0.01 * (double)(i % 70);
    return index_of(desc, xyz, N, desc->space.num_systems > 0 ? systems : NULL);
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

static xl_neighbors_desc search_desc(double radius)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = radius;
    return desc;
}

static xl_plan *plan_of(xl_plan *grid, const xl_neighbors_desc *desc)
{
    xl_plan *plan;
    XLT_OK(xl_neighbors_create(grid, desc, &plan));
    return plan;
}

/* ---- grids ----------------------------------------------------------------------------------- */

static void refuses_grid(const xl_grid_desc *desc, const char *text)
{
    xl_plan *grid = NULL;
    refused(xl_grid_create(xlt_context(), desc, &grid), bad, text);
    assert_null(grid);
}

/* One number of the cell or of its corner (row 3) that is wrong. */
XLT_TEST(wrong_cells)
{
    static const struct {
        bool wide;
        int row, axis;
        double entry;
        const char *text;
    } cases[] = {
        {false, 0, 2, (double)NAN, "desc.space.cell[0][2]: nan; must be a finite f32"},
        {false, 2, 2, 1e-39, "no volume"},
        {false, 2, 2, (double)INFINITY, "desc.space.cell[2][2]: inf; must be a finite f32"},
        {false, 3, 1, 1e7, "desc.space.origin[1]: 1e+07; a cell of height"},
        {true, 0, 2, (double)NAN, "desc.space.cell[0][2]: nan; must be a finite f64"},
        {true, 2, 2, 1e-309, "a cell of height"},
        {true, 2, 2, (double)INFINITY, "desc.space.cell[2][2]: inf; must be a finite f64"},
        {true, 2, 2, DBL_MAX, "desc.space.origin[2]: 0.1; the box around the cell"},
        {true, 3, 1, 0x1p50, "desc.space.origin[1]: 1.1259e+15; a cell of height"},
    };
    for (size_t k = 0; k < COUNT_OF(cases); ++k) {
        xl_grid_desc desc = cell_desc(cases[k].wide);
        const int row = cases[k].row, axis = cases[k].axis;
        *(row < 3 ? &desc.space.cell[row][axis] : &desc.space.origin[axis]) = cases[k].entry;
        if (!cases[k].wide || has_doubles())
            refuses_grid(&desc, cases[k].text);
    }
}

XLT_TEST(cells_without_volume)
{
    xl_grid_desc desc = cell_desc(false);
    desc.space.periodic = 1;
    memcpy(desc.space.cell[2], (double[]){2.8, 1.7, 0}, sizeof desc.space.cell[2]); /* a + b */
    refuses_grid(&desc,
                 "desc.space.cell: 2, 0, 0; 0.8, 1.7, 0; 2.8, 1.7, 0; no volume: the rows must be");
    memset(desc.space.cell[2], 0, sizeof desc.space.cell[2]);
    refuses_grid(&desc, "no volume: the rows must be independent");
    desc = cell_desc(false);
    desc.space.cell[2][2] = desc.space.origin[2] = 3e38;
    refuses_grid(&desc, "desc.space.origin[2]: 3e+38; the box around the cell");
    desc = cell_desc(false);
    desc.space.dimensions = 2;
    refuses_grid(&desc, "desc.space.periodic: 7; must have bits");
}

/* ---- points that a build refuses ------------------------------------------------------------- */

static void build_says(const xl_grid_desc *desc, const double *xyz, size_t n, const char *text)
{
    static const uint32_t systems[] = {0, 3, 4, UINT32_MAX};
    indexed of = index_of(desc, xyz, n, desc->space.num_systems > 0 ? systems : NULL);
    const xl_status got = xl_grid_index_status(of.index, xlt_queue(), NULL, 0, NULL);
    assert_true(got == XL_ERROR_OUT_OF_DOMAIN || got == XL_ERROR_NON_FINITE);
    refused(got, got, text);
    index_free(&of);
}

/* The error about one point has as many coordinates as points have. */
XLT_TEST(errors_tell_the_place)
{
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
        double xyz[12] = {0.5, 0.5, 0, 0.25, 0.5, 0, 0.75, -0.125, 0, 0.5, 3, 0};
        xl_grid_desc desc = grid_desc(wide != 0);
        desc.space.bounds = XL_BOUNDS_GIVEN;
        desc.space.dimensions = 2;
        for (int axis = 0; axis < 2; ++axis)
            desc.space.cell[axis][axis] = 1 + axis;
        build_says(
            &desc, xyz, 4,
            "2 of 4 are outside the box (0, 0) to (1, 2), the first at index 2: (0.75, -0.125)");
        desc.space.dimensions = 1;
        xyz[3] = -0x1p-60;
        build_says(&desc, xyz, 4,
                   "1 of 4 are outside the box (0) to (1), the first at index 1: (-8.67");
        xyz[3] = (double)INFINITY;
        build_says(&desc, xyz, 4, "1 of 4 are not finite, the first at index 1: (inf)");
        xyz[3] = 0.25;
        desc.space.num_systems = 4;
        build_says(&desc, xyz, 4, "no system from 0 to 3");
    }
}

/* The box around a cell is a millionth of its size larger, wherever the cell is: at 1e9 in double
 * precision. */
XLT_TEST(cells_have_room_around)
{
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
            desc.space.origin[0] = low;
            double xyz[6] = {low + 1, 4, 1, 0, 4, 1};
            xyz[3] = side ? right + cases[k].beyond : left - cases[k].beyond;
            indexed of = index_of(&desc, xyz, 2, NULL);
            XLT_FAILS(xl_grid_index_status(of.index, xlt_queue(), &report, 0, NULL),
                      cases[k].outside ? XL_ERROR_OUT_OF_DOMAIN : XL_SUCCESS);
            assert_int_equal(report.out_of_domain, cases[k].outside);
            assert_true(fabs(report.lower[0] - left) < 1e-5);
            assert_true(fabs(report.upper[0] - right) < 1e-5);
            index_free(&of);
        }
}

/* ---- searches -------------------------------------------------------------------------------- */

static void refuses_search(xl_plan *grid, const xl_neighbors_desc *desc, const char *text)
{
    xl_plan *plan = (xl_plan *)&plan;
    refused(xl_neighbors_create(grid, desc, &plan), bad, text);
    assert_null(plan);
}

static void wrong_radii(bool wide, const double *radii, size_t count)
{
    const xl_grid_desc of = grid_desc(wide);
    xl_plan *grid;
    XLT_OK(xl_grid_create(xlt_context(), &of, &grid));
    for (size_t k = 0; k < count; ++k) {
        const xl_neighbors_desc desc = search_desc(radii[k]);
        refuses_search(grid, &desc, "desc.radius");
    }
    xl_plan_destroy(grid);
}

XLT_TEST(wrong_searches)
{
    static const double radii[] = {0, -1, (double)NAN, (double)INFINITY, 1e-30, 3e19},
                        wide_radii[] = {0, (double)INFINITY, 1e-160, 1e160};
    const xl_grid_desc of = grid_desc(false);
    xl_plan *plan, *grid, *scan;
    xl_scan_desc sums;
    xl_neighbors_desc desc = search_desc(1);
    wrong_radii(false, radii, COUNT_OF(radii));
    if (has_doubles())
        wrong_radii(true, wide_radii, COUNT_OF(wide_radii));
    XLT_OK(xl_grid_create(xlt_context(), &of, &grid));
    XLT_FAILS(xl_neighbors_create(grid, NULL, &plan), bad);
    XLT_FAILS(xl_neighbors_create(grid, &desc, NULL), bad);
    assert_int_equal(xl_neighbors_create(NULL, &desc, &plan), bad);
    xl_scan_desc_init(&sums);
    XLT_OK(xl_scan_create(xlt_context(), &sums, &scan));
    refuses_search(scan, &desc, "grid: a plan of xl_scan; must be one of xl_grid");
    xl_plan_destroy(scan);
    desc.version = 5;
    refuses_search(grid, &desc, "version");
    desc = search_desc(1);
    desc.queries = 2;
    refuses_search(grid, &desc, "desc.queries: 2; must be");
    xl_neighbors_desc_init(NULL);
    xl_plan_destroy(grid);
    xl_plan_destroy(NULL);
}

/* Which radius, and the table of types: contradictions, and numbers that are no radii. */
XLT_TEST(wrong_pairs)
{
    static const double good[] = {1, 2, 2, 0}, lean[] = {1, 2, 1, 0}, none[] = {0, -1, 0, 0},
                        nan[] = {1, (double)NAN, 1, 1}, less[] = {1, 1, -(double)INFINITY, 1},
                        tiny[] = {1, 1, 1, 1e-30}, vast[] = {1, 3e19, 1, 1},
                        round[] = {1, 1, 0x1.000002p0, 1};
    enum {
        ONE = XL_RADII_ONE,
        QUERY = XL_RADII_QUERY,
        LARGER = XL_RADII_LARGER,
        TYPES = XL_RADII_TYPES
    };
    static const struct {
        uint32_t radii, num_types, half, queries;
        double radius;
        const double *table;
        const char *text;
    } cases[] = {
        {4, 0, 0, 0, 1, NULL, "desc.radii: 4; must be an xl_neighbors_radii"},
        {LARGER, 0, 0, 0, 0, NULL, "desc.radius: 0; must be finite and above 0"},
        {LARGER, 1, 0, 0, 1, NULL, "desc.num_types: 1; must be 0, because desc.radii is not"},
        {ONE, 0, 0, 0, 1, good, "desc.pair_radii: given; must be NULL, because desc.radii is not"},
        {TYPES, 0, 0, 0, 0, good, "desc.num_types: 0; must be from 1 to 256"},
        {TYPES, 257, 0, 0, 0, good, "desc.num_types: 257; must be from 1 to 256"},
        {TYPES, 2, 0, 0, 0, NULL, "desc.pair_radii: NULL; must be given"},
        {TYPES, 2, 0, 0, 2, good,
         "desc.radius: 2; must be 0, because desc.radii is XL_RADII_TYPES"},
        {TYPES, 2, 0, 0, 0, none, "desc.pair_radii: none above 0; at least one must be"},
        {TYPES, 2, 0, 0, 0, nan, "desc.pair_radii[1]: nan; must be finite"},
        {TYPES, 2, 0, 0, 0, less, "desc.pair_radii[2]: -inf; must be finite"},
        {TYPES, 2, 0, 0, 0, tiny, "desc.pair_radii[3]: 1e-30; its square must be from"},
        {TYPES, 2, 0, 0, 0, vast, "desc.pair_radii[1]: 3e+19; its square must be from"},
        {TYPES, 2, 1, 0, 0, lean,
         "desc.half: 1; requires a symmetric desc.pair_radii, but types 1 and 0 have 1, and 0 and "
         "1 have 2"},
        {TYPES, 2, 1, 0, 0, round, "desc.half: 1; requires a symmetric desc.pair_radii"},
        {QUERY, 0, 1, 0, 1, NULL, "desc.half: 1; requires a desc.radii other than XL_RADII_QUERY"},
        {LARGER, 0, 1, XL_QUERIES_GIVEN, 1, NULL, "desc.half: 1; requires desc.queries"}};
    const xl_grid_desc of = grid_desc(false);
    xl_plan *grid;
    XLT_OK(xl_grid_create(xlt_context(), &of, &grid));
    for (size_t k = 0; k < COUNT_OF(cases); ++k) {
        xl_neighbors_desc desc = search_desc(cases[k].radius);
        desc.radii = cases[k].radii;
        desc.num_types = cases[k].num_types;
        desc.pair_radii = cases[k].table;
        desc.half = cases[k].half;
        desc.queries = cases[k].queries;
        refuses_search(grid, &desc, cases[k].text);
    }
    xl_plan_destroy(grid);
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define COUNT(plan, of, ...)                                                                       \
    xl_neighbors_count_enqueue((plan), (of), xlt_queue(), &(xl_neighbors_args){__VA_ARGS__}, 0,    \
                               NULL, NULL)
#define FILL(plan, of, ...)                                                                        \
    xl_neighbors_fill_enqueue((plan), (of), xlt_queue(), &(xl_neighbors_args){__VA_ARGS__}, 0,     \
                              NULL, NULL)
#define STATUS(plan, of, ...)                                                                      \
    xl_neighbors_status((plan), (of), xlt_queue(), &(xl_neighbors_args){__VA_ARGS__}, NULL, 0, NULL)

/* A part of a buffer whose elements have 4 bytes: it begins `at` behind its start. */
static xl_view part(const xlt_buffer *buffer, size_t at)
{
    return xl_view_of(buffer->mem, xlt_view(buffer).offset + at);
}

XLT_TEST(wrong_counts)
{
    const xl_grid_desc grid = grid_desc(false);
    const xl_neighbors_desc search = search_desc(0.2);
    indexed b = usual_index(&grid);
    xl_plan *plan = plan_of(b.grid, &search);
    xl_grid_index *empty;
    cl_event event = (cl_event)&bad;
    XLT_OK(xl_grid_index_create(xlt_context(), &empty));
    xlt_buffer out = xlt_buffer_make(NULL, 2 * N, 8, 0);
    const xl_view v = xlt_view(&out);
    size_t bytes;
    XLT_CL(clGetMemObjectInfo(out.mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    refused(xl_neighbors_count_enqueue(plan, empty, xlt_queue(), &(xl_neighbors_args){.offsets = v},
                                       0, NULL, &event),
            bad, "index: not built");
    assert_null(event);
    assert_int_equal(COUNT(NULL, b.index, .offsets = v), bad);
    refused(COUNT(plan, NULL, .offsets = v), bad, "index: NULL");
    refused(xl_neighbors_count_enqueue(plan, b.index, NULL, &(xl_neighbors_args){.offsets = v}, 0,
                                       NULL, NULL),
            bad, "queue");
    refused(COUNT(plan, b.index, .num_queries = 0), bad, "counts");
    refused(COUNT(plan, b.index, .counts = xl_view_of(out.mem, 1 << 20)), bad, "counts");
    refused(COUNT(plan, b.index, .offsets = xl_view_of(out.mem, bytes / 8 - N)), bad, "offsets");
    refused(COUNT(plan, b.index, .counts = xl_view_of(out.mem, 2 * v.offset), .offsets = v),
            overlap, "offsets");
    const xl_view s = xlt_view(&b.storage);
    refused(COUNT(plan, b.index, .counts = xl_view_of(s.buffer, s.offset / 4)), overlap, "storage");
    refused(xl_neighbors_scratch(plan, &(xl_neighbors_args){.num_queries = 1}, NULL), bad, "bytes");
    xlt_check_unwritten(&out, "an output of a refused call");
    xl_plan_destroy(plan);
    xl_grid_index_destroy(empty);
    xlt_buffer_free(&out);
    index_free(&b);
}

/* Queries that a call lacks, or that the plan does not take. */
XLT_TEST(wrong_queries)
{
    const xl_grid_desc grid = box_desc(1);
    xl_neighbors_desc search = search_desc(0.2);
    indexed b = usual_index(&grid);
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0), more = xlt_buffer_make(NULL, 3 * N, 4, 0);
    const xl_view counts = xlt_view(&out), v = xlt_view(&more);
    xl_plan *plan = plan_of(b.grid, &search);
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = N - 1), bad, "num_queries");
    refused(COUNT(plan, b.index, .counts = counts, .queries = v), bad, "queries");
    refused(COUNT(plan, b.index, .counts = counts, .queries_y = v), bad, "queries_y");
    refused(COUNT(plan, b.index, .counts = counts, .radii = v), bad, "radii");
    xl_plan_destroy(plan);
    search.queries = XL_QUERIES_GIVEN;
    search.radii = 1;
    plan = plan_of(b.grid, &search);
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
    search.radii = 0;
    xl_grid_desc other = box_desc(1);
    xl_plan *of;
    other.space.dimensions = 2;
    XLT_OK(xl_grid_create(xlt_context(), &other, &of));
    plan = plan_of(of, &search);
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = 5, .queries = v), bad,
            "index: built with desc.space.dimensions 3; the plan has 2");
    xl_plan_destroy(plan);
    xl_plan_destroy(of);
    other.space.dimensions = 3;
    other.layout = XL_POINTS_SOA;
    XLT_OK(xl_grid_create(xlt_context(), &other, &of));
    plan = plan_of(of, &search);
    refused(COUNT(plan, b.index, .counts = counts, .num_queries = N, .queries = v), bad,
            "queries_y");
    xl_plan_destroy(plan);
    xl_plan_destroy(of);
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    xlt_buffer_free(&more);
    index_free(&b);
}

/* Radii and types that a call lacks, or that the plan does not take. */
XLT_TEST(wrong_radii_arrays)
{
    enum { RADII = 1, POINT_RADII = 2, TYPES = 4, POINT_TYPES = 8 };
    static const double table[] = {0.2};
    static const struct {
        uint32_t radii, queries;
        int given;
        const char *text;
    } cases[] = {
        {XL_RADII_ONE, 0, TYPES, "args.types: given; must not be given, because desc.radii is not"},
        {XL_RADII_ONE, 0, POINT_RADII, "args.point_radii: given; must not be given, because"},
        {XL_RADII_QUERY, 1, RADII | POINT_RADII, "desc.radii is not XL_RADII_LARGER"},
        {XL_RADII_LARGER, 0, 0, "args.radii"},
        {XL_RADII_LARGER, 0, RADII | POINT_RADII, "because args.radii has those of the points"},
        {XL_RADII_LARGER, 1, RADII, "args.point_radii"},
        {XL_RADII_LARGER, 1, POINT_RADII, "args.radii"},
        {XL_RADII_TYPES, 0, 0, "args.types"},
        {XL_RADII_TYPES, 0, TYPES | RADII,
         "args.radii: given; must not be given, because desc.radii is XL_RADII_TYPES"},
        {XL_RADII_TYPES, 0, TYPES | POINT_TYPES, "because args.types has those of the points"},
        {XL_RADII_TYPES, 1, TYPES, "args.point_types"}};
    const xl_grid_desc grid = box_desc(1);
    indexed b = usual_index(&grid);
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0), more = xlt_buffer_make(NULL, 3 * N, 4, 0);
    const xl_view counts = xlt_view(&out), v = xlt_view(&more), no = xl_no_view();
    for (size_t k = 0; k < COUNT_OF(cases); ++k) {
        const bool types = cases[k].radii == XL_RADII_TYPES;
        const int given = cases[k].given;
        xl_neighbors_desc search = search_desc(types ? 0 : 0.2);
        search.radii = cases[k].radii;
        search.queries = cases[k].queries;
        search.num_types = types;
        search.pair_radii = types ? table : NULL;
        xl_plan *const plan = plan_of(b.grid, &search);
        refused(COUNT(plan, b.index, .num_queries = N, .queries = cases[k].queries ? v : no,
                      .radii = given & RADII ? v : no, .point_radii = given & POINT_RADII ? v : no,
                      .types = given & TYPES ? v : no, .point_types = given & POINT_TYPES ? v : no,
                      .counts = counts),
                bad, cases[k].text);
        xl_plan_destroy(plan);
    }
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    xlt_buffer_free(&more);
    index_free(&b);
}

/* Kinds of grids. */
enum { OPEN, BOX, CELL, BATCH, WIDE };

static xl_grid_desc grid_of(int kind, bool wide)
{
    xl_grid_desc desc = kind == CELL  ? cell_desc(wide)
                        : kind == BOX ? box_desc(1)
                                      : grid_desc(wide || kind == WIDE);
    desc.space.num_systems = kind == BATCH ? 4 : 0;
    return desc;
}

/* An index of another kind than the plan is for, or a radius of more periods than there may be. */
XLT_TEST(wrong_indices)
{
    static const struct {
        int index, plan;
        double radius;
        bool wide;
        xl_status wanted;
        const char *text;
    } cases[] = {
        {BOX, OPEN, 0.2, false, XL_ERROR_INVALID_ARGUMENT, "index: in a periodic box; the plan is"},
        {BOX, BOX, 2e6, false, XL_ERROR_UNSUPPORTED, "desc.radius: 2e+06; must be"},
        {CELL, BOX, 0.4, false, XL_ERROR_INVALID_ARGUMENT, "index: in a periodic cell that is no"},
        {CELL, CELL, 1.5e6, false, XL_ERROR_UNSUPPORTED, "desc.radius: 1.5e+06; must be"},
        {CELL, CELL, 1.5e6, true, XL_ERROR_UNSUPPORTED, "desc.radius: 1.5e+06; must be"},
        {OPEN, CELL, 0.4, false, XL_ERROR_INVALID_ARGUMENT, "index: in an open space; the plan is"},
        {BATCH, OPEN, 0.4, false, XL_ERROR_INVALID_ARGUMENT, "index: of a batch of systems; the"},
        {OPEN, BATCH, 0.4, false, XL_ERROR_INVALID_ARGUMENT, "index: of one system; the plan is"},
        {WIDE, OPEN, 0.4, false, XL_ERROR_INVALID_ARGUMENT, "desc.space.scalar f64"},
    };
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0);
    for (size_t k = 0; k < COUNT_OF(cases); ++k) {
        if ((cases[k].wide || cases[k].index == WIDE) && !has_doubles())
            continue;
        const xl_grid_desc grid = grid_of(cases[k].index, cases[k].wide),
                           other = grid_of(cases[k].plan, cases[k].wide);
        const xl_neighbors_desc search = search_desc(cases[k].radius);
        indexed b = usual_index(&grid);
        xl_plan *of;
        XLT_OK(xl_grid_create(xlt_context(), &other, &of));
        xl_plan *plan = plan_of(of, &search);
        refused(COUNT(plan, b.index, .counts = xlt_view(&out)), cases[k].wanted, cases[k].text);
        xl_plan_destroy(plan);
        xl_plan_destroy(of);
        index_free(&b);
    }
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
}

/* Systems that are not given, or given where there are none. */
XLT_TEST(wrong_systems)
{
    xl_grid_desc grid = grid_desc(false);
    xl_neighbors_desc search = search_desc(0.3);
    xl_nearest_desc nearest;
    xl_plan *nearest_plan;
    xlt_buffer out = xlt_buffer_make(NULL, N, 4, 0), q = xlt_buffer_make(NULL, 3 * N, 4, 0);
    indexed alone = usual_index(&grid);
    grid.space.num_systems = 4;
    indexed b = usual_index(&grid);
    search.queries = XL_QUERIES_GIVEN;
    xl_plan *plan = plan_of(b.grid, &search);
    refused(
        COUNT(plan, b.index, .counts = xlt_view(&out), .num_queries = 20, .queries = xlt_view(&q)),
        bad, "query_systems");
    xl_plan_destroy(plan);
    xl_nearest_desc_init(&nearest);
    nearest.k = 1;
    XLT_OK(xl_nearest_create(alone.grid, &nearest, &nearest_plan));
    refused(xl_nearest_enqueue(nearest_plan, b.index, xlt_queue(),
                               &(xl_nearest_args){.indices = xlt_view(&out)}, 0, NULL, NULL),
            bad, "index: of a batch of systems");
    xl_plan_destroy(nearest_plan);
#define BUILD(of, ...)                                                                             \
    xl_grid_build_enqueue((of)->grid, (of)->index, xlt_queue(),                                    \
                          &(xl_grid_build_args){.n = N, __VA_ARGS__}, 0, NULL, NULL)
    refused(BUILD(&b, .points = xlt_view(&b.points)), bad, "systems");
    refused(BUILD(&alone, .points = xlt_view(&b.points), .systems = xlt_view(&out)), bad,
            "desc.space.num_systems is 0");
#undef BUILD
    xlt_check_unwritten(&out, "counts");
    xlt_buffer_free(&out);
    xlt_buffer_free(&q);
    index_free(&alone);
    index_free(&b);
}

/* On a line, where a kernel would end soon: in space it would go through too many images. */
XLT_TEST(wrong_moves)
{
    static const double at[3] = {-1.5, 3.5, 0.5};
    xlt_buffer out = xlt_buffer_make(NULL, 1, 4, 0);
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
        xl_grid_desc cell = cell_desc(wide != 0), open = grid_desc(wide != 0);
        cell.space.dimensions = open.space.dimensions = cell.space.periodic = 1;
        cell.space.cell[0][0] = -2;
        indexed in_cell = index_of(&cell, at, 1, NULL), outside = index_of(&open, at, 1, NULL);
        xl_grid_moved_args args = {
            .distance = 3.2e6, .points = xlt_view(&in_cell.points), .moved = xlt_view(&out)};
        refused(
            xl_grid_moved_enqueue(in_cell.grid, in_cell.index, xlt_queue(), &args, 0, NULL, NULL),
            unsupported, "distance: 3.2e+06; must be");
        args.distance = 0.1;
        refused(
            xl_grid_moved_enqueue(outside.grid, in_cell.index, xlt_queue(), &args, 0, NULL, NULL),
            bad, "index: in a periodic cell that is no box");
        index_free(&in_cell);
        index_free(&outside);
    }
    xlt_check_unwritten(&out, "moved");
    xlt_buffer_free(&out);
}

/* Lists of plans with details and without. */
XLT_TEST(wrong_fills)
{
    const xl_grid_desc grid = grid_desc(false);
    xl_neighbors_desc search = search_desc(0.3);
    indexed b = usual_index(&grid);
    xlt_buffer offsets = xlt_buffer_make(NULL, 4 * N, 8, 0),
               out = xlt_buffer_make(NULL, ROOM, 4, 0),
               more = xlt_buffer_make(NULL, 3 * ROOM, 4, 0);
    const xl_view v = xlt_view(&offsets), o = xlt_view(&out), m = xlt_view(&more);
    size_t bytes;
    XLT_CL(clGetMemObjectInfo(offsets.mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    xl_plan *without = plan_of(b.grid, &search);
    search.details = 1;
    xl_plan *plan = plan_of(b.grid, &search);
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
    refused(xl_neighbors_enqueue(plan, b.index, xlt_queue(), &(xl_neighbors_args){.sums = o}, 0,
                                 NULL, NULL),
            bad, "args.sums: given; must not be given, because desc.visit is NULL");
    refused(xl_neighbors_enqueue(plan, b.index, xlt_queue(), &(xl_neighbors_args){.capacity = ROOM},
                                 0, NULL, NULL),
            bad, "none given");
    refused(xl_neighbors_enqueue(plan, b.index, xlt_queue(),
                                 &(xl_neighbors_args){.capacity = ROOM, .indices = o}, 0, NULL,
                                 NULL),
            bad, "args.offsets");
    refused(xl_neighbors_enqueue(plan, b.index, xlt_queue(),
                                 &(xl_neighbors_args){.capacity = ROOM, .offsets = v, .vectors = m},
                                 0, NULL, NULL),
            bad, "args.indices");
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
XLT_TEST(wrong_rooms)
{
    const xl_grid_desc grid = grid_desc(false);
    xl_neighbors_desc search = search_desc(0.3);
    indexed b = usual_index(&grid);
    xl_plan *plan = NULL;
    search.keep_nearest = 1;
    refused(xl_neighbors_create(b.grid, &search, &plan), bad,
            "desc.keep_nearest: 1; requires desc.row_capacity");
    assert_null(plan);
    search.keep_nearest = 0;
    search.row_capacity = 8;
    plan = plan_of(b.grid, &search);
    xlt_buffer out = xlt_buffer_make(NULL, 8 * N, 4, 1), of = xlt_buffer_make(NULL, 4 * N, 4, 1);
    const xl_view o = xlt_view(&out), counts = xlt_view(&of);
    refused(FILL(plan, b.index, .indices = o, .counts = counts, .capacity = 240), bad, "capacity");
    refused(FILL(plan, b.index, .indices = o, .counts = counts, .offsets = part(&of, 3)), bad,
            "offsets");
    refused(FILL(plan, b.index, .indices = o), bad, "counts");
    refused(FILL(plan, b.index, .indices = part(&out, 1000000), .counts = counts), bad, "indices");
    refused(FILL(plan, b.index, .indices = o, .counts = o), overlap, "counts");
    refused(STATUS(plan, b.index, .counts = counts, .offsets = part(&of, 3)), bad, "offsets");
    xlt_check_unwritten(&out, "indices");
    xlt_check_unwritten(&of, "counts");
    xl_plan_destroy(plan);
    xlt_buffer_free(&out);
    xlt_buffer_free(&of);
    index_free(&b);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)

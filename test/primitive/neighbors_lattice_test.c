/* SPDX-License-Identifier: MIT
 * Crystals: numbers of neighbours that are known, cells that a search crosses many times, and the
 * nearest in cells of any matrix. Coordinates are kept as doubles. */
#include "reference.h"
#include "xlt.h"

#include <crosslane/nearest.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { MOST_POINTS = 9 };

typedef struct crystal {
    double cell[3][3];
    uint32_t dimensions, periodic, n;
    bool wide, upright; /* upright: as a box, whose edges are the diagonal */
    double at[MOST_POINTS][3];
} crystal;

/* Whether the device has this precision, 0 or 1: then that is the crystal's, which is rounded to
 * it. */
static bool in_precision(crystal *c, int wide)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    c->wide = wide != 0;
    for (size_t k = 0; !wide && k < 9; ++k)
        c->cell[k / 3][k % 3] = (double)(float)c->cell[k / 3][k % 3];
    return !wide || info.has_fp64;
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct indexed {
    xl_plan *grid;
    xl_grid_index *index;
    xlt_buffer points;
} indexed;

/* Numbers as the device has them. */
static xlt_buffer buffer_of(const double *from, size_t n, bool wide)
{
    float *const narrow = calloc(n, sizeof *narrow);
    assert_non_null(narrow);
    for (size_t k = 0; k < n; ++k)
        narrow[k] = (float)from[k];
    const xlt_buffer made = xlt_buffer_make(wide ? (const void *)from : narrow, n, wide ? 8 : 4, 0);
    free(narrow);
    return made;
}

static bool is_diagonal(const crystal *c)
{
    bool diagonal = true;
    for (uint32_t k = 0; k < 9; ++k)
        diagonal = diagonal && (k % 4 == 0 || c->cell[k / 3][k % 3] == 0);
    return diagonal && c->cell[0][0] > 0;
}

/* If it is not upright, a cell that could be a box has a vector that points back. */
static indexed index_of(const crystal *c, const double *points, size_t n, float edge)
{
    xl_grid_desc desc;
    indexed s = {.points = buffer_of(points, 3 * n, c->wide)};
    xl_grid_desc_init(&desc);
    desc.space.dimensions = c->dimensions;
    desc.space.scalar = c->wide ? XL_F64 : XL_F32;
    desc.space.bounds = XL_BOUNDS_GIVEN;
    desc.space.periodic = c->periodic;
    memcpy(desc.space.cell, c->cell, sizeof c->cell);
    if (!c->upright && is_diagonal(c)) {
        desc.space.origin[0] = c->cell[0][0];
        desc.space.cell[0][0] = -c->cell[0][0];
    }
    desc.cell_size = (double)edge;
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &s.index));
    XLT_OK(xl_grid_build_enqueue(s.grid, s.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = n, .points = xlt_view(&s.points)}, 0,
                                 NULL, NULL));
    XLT_OK(xl_grid_index_status(s.index, xlt_queue(), NULL, 0, NULL));
    return s;
}

static void index_free(indexed *s)
{
    xl_grid_index_destroy(s->index);
    xl_plan_destroy(s->grid);
    xlt_buffer_free(&s->points);
}

/* Counts the neighbours of the points, or of n queries. */
static void count(const indexed *s, const xlt_buffer *queries, size_t n, double radius,
                  bool inclusive, uint32_t *counts)
{
    xl_plan *plan;
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = radius;
    desc.inclusive = inclusive;
    desc.queries = queries ? XL_QUERIES_GIVEN : XL_QUERIES_INDEXED;
    xlt_buffer out = xlt_buffer_make(NULL, n, 4, 0);
    XLT_OK(xl_neighbors_create(s->grid, &desc, &plan));
    XLT_OK(xl_neighbors_count_enqueue(
        plan, s->index, xlt_queue(),
        &(xl_neighbors_args){.num_queries = queries ? n : 0,
                             .queries = queries ? xlt_view(queries) : xl_no_view(),
                             .counts = xlt_view(&out)},
        0, NULL, NULL));
    xlt_read(&out, counts);
    xlt_buffer_free(&out);
    xl_plan_destroy(plan);
}

/* The first point must have `right` neighbours, in both precisions. */
static void expect(const char *what, crystal c, double radius, bool inclusive, uint64_t right)
{
    uint32_t found[MOST_POINTS];
    for (int wide = 1; wide >= 0; --wide) {
        if (!in_precision(&c, wide))
            continue;
        indexed s = index_of(&c, c.at[0], c.n, (float)radius);
        count(&s, NULL, c.n, radius, inclusive, found);
        index_free(&s);
        if (found[0] != right)
            XLT_FAIL("%s, %s, radius %g, inclusive %d: %u neighbours, not %llu", what,
                     wide ? "f64" : "f32", radius, inclusive, found[0], (unsigned long long)right);
    }
}

/* ---- shells ---------------------------------------------------------------------------------- */

typedef struct shell {
    double distance2;
    uint32_t count;
} shell;

static const shell sc[10] = {{1, 6},  {2, 12}, {3, 8},  {4, 6},   {5, 24},
                             {6, 24}, {8, 12}, {9, 30}, {10, 24}, {11, 24}},
                   bcc[10] = {{3, 8},  {4, 6},   {8, 12},  {11, 24}, {12, 8},
                              {16, 6}, {19, 24}, {20, 24}, {24, 24}, {27, 32}},
                   fcc[10] = {{2, 12}, {4, 6},   {6, 24}, {8, 12},  {10, 24},
                              {12, 8}, {14, 48}, {16, 6}, {18, 36}, {20, 24}},
                   diamond[10] = {{3, 4},   {8, 12},  {11, 12}, {16, 6},  {19, 12},
                                  {24, 24}, {27, 16}, {32, 12}, {35, 24}, {40, 24}},
                   hcp[10] = {{1, 12}, {2, 6},  {8.0 / 3, 2},   {3, 18}, {11.0 / 3, 12},
                              {4, 6},  {5, 12}, {17.0 / 3, 12}, {6, 6},  {19.0 / 3, 6}};

/* Each with its points and its first ten shells. */
static const struct lattice {
    const char *name;
    double cell[3][3];
    uint32_t n;
    bool rounds; /* so that no two distances are exactly the same */
    double at[8][3];
    const shell *shells;
} lattices[] = {
    {"sc, skewed and left-handed", {{1, 5, 2}, {0, 0, 1}, {0, 1, -3}}, 1, false, {{0}}, sc},
    {"bcc", {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, 2, false, {{0}, {1, 1, 1}}, bcc},
    {"bcc, primitive", {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}}, 1, false, {{0}}, bcc},
    {"fcc, primitive", {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}, 1, false, {{0}}, fcc},
    {"fcc, badly skewed", {{0, 1, 1}, {1, 40, 41}, {101, 1, 100}}, 1, false, {{0}}, fcc},
    {"diamond",
     {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}},
     8,
     false,
     {{0}, {0, 2, 2}, {2, 0, 2}, {2, 2, 0}, {1, 1, 1}, {1, 3, 3}, {3, 1, 3}, {3, 3, 1}},
     diamond},
    {"hcp",
     {{1, 0, 0}, {-0.5, 0.8660254037844386, 0}, {0, 0, 1.632993161855452}},
     2,
     true,
     {{0}, {0, 0.5773502691896258, 0.816496580927726}},
     hcp},
};

/* Between two shells, and at each whose radius is a whole number: `<` and `<=`. */
XLT_TEST(first_ten_shells)
{
    const uint32_t most = xlt_on_oclgrind() ? 3 : xlt_small() ? 5 : 10;
    for (const struct lattice *l = lattices; l < lattices + COUNT_OF(lattices); ++l) {
        crystal c = {.dimensions = 3, .periodic = 7, .n = l->n};
        uint64_t before = 0;
        memcpy(c.cell, l->cell, sizeof c.cell);
        memcpy(c.at, l->at, sizeof l->at);
        for (const shell *k = l->shells; k < l->shells + most; ++k) {
            const uint64_t with = before + k->count;
            const double on = sqrt(k->distance2);
            if (k + 1 < l->shells + most)
                expect(l->name, c, sqrt((k->distance2 + k[1].distance2) / 2), false, with);
            if (on == (double)(int)on && !l->rounds) {
                expect(l->name, c, on, false, before);
                expect(l->name, c, on, true, with);
            }
            before = with;
        }
    }
}

/* ---- the nearest ----------------------------------------------------------------------------- */

typedef struct near {
    double distance2;
    uint32_t index;
} near;

static int by_distance(const void *a, const void *b)
{
    const near *const p = a, *const q = b;
    if (p->distance2 != q->distance2)
        return p->distance2 < q->distance2 ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* All rows within the radius, one behind the other, each in the order of distance. */
static near *reference_rows(const crystal *c, double radius, uint64_t *offsets)
{
    float at[3 * MOST_POINTS], cell[9];
    double cells[9] = {0};
    ref_pairs narrow = {0};
    ref_pairs_f64 wide = {0};
    for (size_t k = 0; k < 9; ++k) {
        cells[k] = c->periodic >> k / 3 & 1 ? c->cell[k / 3][k % 3] : 0;
        cell[k] = (float)cells[k];
    }
    for (size_t k = 0; k < COUNT_OF(at); ++k)
        at[k] = (float)c->at[k / 3][k % 3];
    const ref_search in_floats = {.points = at,
                                  .n = c->n,
                                  .stride = 3,
                                  .radius = (float)radius,
                                  .dimensions = c->dimensions,
                                  .cell = cell};
    const ref_search_f64 in_doubles = {.points = c->at[0],
                                       .n = c->n,
                                       .stride = 3,
                                       .radius = radius,
                                       .dimensions = c->dimensions,
                                       .cell = cells};
    uint32_t *indices = c->wide ? ref_neighbors_pairs_f64(&in_doubles, offsets, &wide)
                                : ref_neighbors_pairs(&in_floats, offsets, &narrow);
    near *rows = calloc((size_t)offsets[c->n] + 1, sizeof *rows);
    assert_true(indices && rows);
    for (uint64_t k = 0; k < offsets[c->n]; ++k)
        rows[k] = (near){c->wide ? wide.distances2[k] : (double)narrow.distances2[k], indices[k]};
    for (uint32_t i = 0; i < c->n; ++i)
        qsort(rows + offsets[i], (size_t)(offsets[i + 1] - offsets[i]), sizeof *rows, by_distance);
    ref_pairs_free(&narrow);
    ref_pairs_free_f64(&wide);
    free(indices);
    return rows;
}

static void rows_equal(const char *what, const crystal *c, uint32_t k, double radius,
                       const uint32_t *indices, const void *distances2)
{
    uint64_t offsets[MOST_POINTS + 1];
    near *const rows = reference_rows(c, radius, offsets);
    for (uint32_t i = 0; i < c->n; ++i) {
        const near *const right = rows + offsets[i];
        assert_true(offsets[i + 1] - offsets[i] >= k);
        for (uint32_t j = 0; j < k && indices[i * k] != UINT32_MAX - 1; ++j) {
            const double got = c->wide ? ((const double *)distances2)[i * k + j]
                                       : (double)((const float *)distances2)[i * k + j];
            if (indices[i * k + j] != right[j].index || got != right[j].distance2)
                XLT_FAIL("%s: place %u of point %u: %u at %.17g, not %u at %.17g", what, j, i,
                         indices[i * k + j], got, right[j].index, right[j].distance2);
        }
    }
    free(rows);
}

/* The k nearest of each point, which are nearer than the radius, and the status of the call, in
 * both precisions. */
static void nearest_are_right(const char *what, crystal c, uint32_t k, double radius)
{
    uint32_t indices[MOST_POINTS * 64];
    double distances2[MOST_POINTS * 64];
    for (int wide = 1; wide >= 0; --wide) {
        xl_nearest_desc desc;
        xl_plan *plan;
        xl_nearest_report report;
        if (!in_precision(&c, wide))
            continue;
        indexed s = index_of(&c, c.at[0], c.n, 0.5f);
        xlt_buffer near_ones = xlt_buffer_make(NULL, (size_t)c.n * k, 4, 0),
                   far = xlt_buffer_make(NULL, (size_t)c.n * k, wide ? 8 : 4, 0);
        xl_nearest_desc_init(&desc);
        desc.k = k;
        XLT_OK(xl_nearest_create(s.grid, &desc, &plan));
        const xl_nearest_args args = {.indices = xlt_view(&near_ones),
                                      .distances2 = xlt_view(&far)};
        XLT_OK(xl_nearest_enqueue(plan, s.index, xlt_queue(), &args, 0, NULL, NULL));
        xlt_read(&near_ones, indices);
        xlt_read(&far, distances2);
        XLT_OK(xl_nearest_status(plan, s.index, xlt_queue(), &args, &report, 0, NULL));
        assert_true(report.rows == c.n && report.short_rows == 0 && report.given_up == 0);
        rows_equal(what, &c, k, radius, indices, distances2);
        xlt_buffer_free(&near_ones);
        xlt_buffer_free(&far);
        xl_plan_destroy(plan);
        index_free(&s);
    }
}

/* Far more periods than the cell has heights, along one axis alone. */
XLT_TEST(thin_cells)
{
    crystal c = {.dimensions = 3,
                 .periodic = 7,
                 .n = 1,
                 .cell = {{1, 0, 0}, {0, 20, 0}, {0, 0, 20}},
                 .at = {{0.25, 3, 4}}};
    for (int form = 0; form < 2; ++form) {
        c.upright = form != 0;
        c.periodic = 7;
        expect("a thin cell", c, 9, false, 16);
        expect("a thin cell", c, 9, true, 18);
        expect("a thin cell", c, 19.5, false, 38);
        nearest_are_right("a thin cell", c, 16, 12);
        if (!xlt_small()) /* a list of 64 is long to compile */
            nearest_are_right("a thin cell", c, 64, 34);
        c.periodic = 1;
        expect("a rod", c, 300.5, false, 600);
    }
}

/* Cases of nearest with space=cell lean less. */
static const struct {
    const char *name;
    double cell[3][3];
    uint32_t dimensions, periodic;
} kinds[] = {
    {"left-handed", {{-0.4, 1.1, 0.5}, {0.9, 0.3, -0.2}, {0.3, -0.6, 0.8}}, 3, 7},
    {"tilts of many periods", {{1, 0, 0}, {5.25, 1, 0}, {-3.5, 4.75, 1}}, 3, 7},
    {"skewed in space", {{1, 0.1, 0.2}, {4.1, 1.4, 1.1}, {5.3, 1.2, 2.4}}, 3, 7},
    {"a skewed plane", {{0.9, 0.3, -0.2}, {5.0, 2.1, -0.9}, {0.3, -0.6, 0.8}}, 3, 3},
};

/* Points anywhere in the cell, rounded to floats. */
XLT_TEST(nearest_of_all_kinds)
{
    for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
        xlt_random random = {1000 + k};
        crystal c = {.dimensions = kinds[k].dimensions,
                     .periodic = kinds[k].periodic,
                     .n = xlt_on_oclgrind() ? 3 : MOST_POINTS};
        memcpy(c.cell, kinds[k].cell, sizeof c.cell);
        for (uint32_t i = 0; i < c.n; ++i)
            for (uint32_t row = 0; row < c.dimensions; ++row) {
                const double part = (double)xlt_unit(&random);
                for (uint32_t axis = 0; axis < c.dimensions; ++axis)
                    c.at[i][axis] = (double)(float)(c.at[i][axis] + part * c.cell[row][axis]);
            }
        nearest_are_right(kinds[k].name, c, 5, 4);
    }
}

/* Boxes of which one edge is so long that places round by more than another edge's 2^-24. */
XLT_TEST(long_boxes)
{
    const crystal c = {.dimensions = 3,
                       .periodic = 7,
                       .n = 2,
                       .upright = true,
                       .cell = {{1e8, 0, 0}, {0, 4, 0}, {0, 0, 4}},
                       .at = {{9e7, 0.5, 0.5}, {9e7, 3.75, 0.5}}};
    expect("a long box", c, 1, false, 1);
}

/* Two vectors of a low cell, of which one is some 170,000 times the other along that: a search goes
 * over more images than two numbers of 24 bits say of both. */
XLT_TEST(low_cells)
{
    uint64_t offsets[2];
    const crystal c = {.dimensions = 2,
                       .periodic = 3,
                       .n = 1,
                       .cell = {{1e-4, 0, 0}, {17, 1, 0}},
                       .at = {{1, 0.5, 0}}};
    free(reference_rows(&c, 0.75, offsets));
    assert_true(offsets[1] > 14000);
    expect("a low cell", c, 0.75, false, offsets[1]);
}

/* ---- queries that are far ------------------------------------------------------------------- */

enum { FAR_QUERIES = 3 };

/* At a point, too far, and at the image of a point that is nearly too far. */
static void check_far(const crystal *c, const double *queries, uint32_t far)
{
    uint32_t counts[FAR_QUERIES];
    xl_plan *plan;
    xl_neighbors_report report;
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = 0.25;
    desc.inclusive = 1;
    indexed s = index_of(c, queries, 1, 0.25f);
    xlt_buffer given = buffer_of(queries, 3 * FAR_QUERIES, c->wide),
               out = xlt_buffer_make(NULL, FAR_QUERIES, 4, 0),
               offsets = xlt_buffer_make(NULL, FAR_QUERIES + 1, 8, 0);
    desc.queries = XL_QUERIES_GIVEN;
    XLT_OK(xl_neighbors_create(s.grid, &desc, &plan));
    const xl_neighbors_args args = {.num_queries = FAR_QUERIES,
                                    .queries = xlt_view(&given),
                                    .counts = xlt_view(&out),
                                    .offsets = xlt_view(&offsets)};
    XLT_OK(xl_neighbors_enqueue(plan, s.index, xlt_queue(), &args, 0, NULL, NULL));
    const xl_status status =
        xl_neighbors_status(plan, s.index, xlt_queue(), &args, &report, 0, NULL);
    xlt_read(&out, counts);
    assert_int_equal(report.too_far, far);
    assert_true(report.first_too_far == (far > 0 ? 1 : UINT64_MAX));
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 0);
    assert_int_equal(status, far > 0 ? XL_ERROR_UNSUPPORTED : XL_SUCCESS);
    assert_int_equal(counts[2], c->periodic ? 1 : 0);
    xl_plan_destroy(plan);
    index_free(&s);
    xlt_buffer_free(&given);
    xlt_buffer_free(&out);
    xlt_buffer_free(&offsets);
}

XLT_TEST(queries_that_are_far)
{
    crystal c = {.dimensions = 3, .cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int k = 0; k < 6; ++k) {
        const int wide = k / 3, kind = k % 3;
        const double far = wide ? 600e6 : 20e6, less = wide ? 500e6 : 1e6;
        const double queries[] = {0.5, 0.5, 0.5, 0.5, far, 0.5, 0.5, less + 0.5, 0.5};
        c.periodic = kind < 2 ? 7 : 0;
        c.upright = kind > 0;
        if (in_precision(&c, wide))
            check_far(&c, queries, kind < 2);
    }
}

/* The row of such a query is given up, and the status reports it; rows that are short are counted.
 */
static void give_up_rows(double radius)
{
    static const float at[2][3] = {{0.5f, 0.5f, 0.5f}, {0.5f, 1e12f, 0.5f}};
    xl_nearest_desc desc;
    xl_plan *plan;
    xl_nearest_report report;
    for (int kind = 0; kind < 3; ++kind) {
        const crystal c = {.dimensions = 3,
                           .periodic = kind < 2 ? 7u : 0u,
                           .n = 1,
                           .upright = kind > 0,
                           .cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        indexed s = index_of(&c, c.at[0], 1, 0.5f);
        xlt_buffer queries = xlt_buffer_make(at, 6, 4, 0), out = xlt_buffer_make(NULL, 8, 4, 0);
        xl_nearest_desc_init(&desc);
        desc.k = 4;
        desc.max_radius = radius;
        desc.queries = XL_QUERIES_GIVEN;
        XLT_OK(xl_nearest_create(s.grid, &desc, &plan));
        const xl_nearest_args args = {
            .num_queries = 2, .queries = xlt_view(&queries), .indices = xlt_view(&out)};
        XLT_OK(xl_nearest_enqueue(plan, s.index, xlt_queue(), &args, 0, NULL, NULL));
        const xl_status status =
            xl_nearest_status(plan, s.index, xlt_queue(), &args, &report, 0, NULL);
        assert_int_equal(status, kind < 2 ? XL_ERROR_UNSUPPORTED : XL_SUCCESS);
        assert_true(report.rows == 2 && report.given_up == (kind < 2 ? 1 : 0));
        assert_true(report.first_given_up == (kind < 2 ? 1 : UINT64_MAX));
        assert_int_equal(report.short_rows, kind < 2 ? radius > 0 : 2);
        xl_plan_destroy(plan);
        xlt_buffer_free(&queries);
        xlt_buffer_free(&out);
        index_free(&s);
    }
}

XLT_TEST(rows_that_are_given_up)
{
    give_up_rows(0);
    give_up_rows(0.25);
}

/* ---- queries that round ---------------------------------------------------------------------- */

enum { ON_LINE = 24 };

/* The queries have as many neighbours as the reference says. */
static void count_equals(const indexed *s, const xlt_buffer *queries, double radius,
                         const uint64_t right[ON_LINE + 1])
{
    uint32_t got[ON_LINE];
    count(s, queries, ON_LINE, radius, true, got);
    for (size_t i = 0; i < ON_LINE; ++i)
        assert_int_equal(got[i], right[i + 1] - right[i]);
}

/* Radii as long as an image is far, of queries so far off that differences round by more than
 * places differ that lie at the corner. */
XLT_TEST(queries_that_round)
{
    double points[3 * ON_LINE] = {0}, queries[3 * ON_LINE] = {0};
    uint64_t offsets[ON_LINE + 1], right[ON_LINE + 1];
    ref_pairs_f64 all = {0};
    xlt_random random = {17};
    crystal c = {.dimensions = 1, .periodic = 1, .n = 1, .cell = {{0.8}}};
    if (!in_precision(&c, 1))
        skip();
    for (size_t i = 0; i < ON_LINE; ++i) {
        points[3 * i] = 0.8 * (double)xlt_unit(&random) * 0x1p-20;
        queries[3 * i] = 0.8 * (double)xlt_unit(&random) + 1e6;
    }
    ref_search_f64 search = {.points = points,
                             .n = ON_LINE,
                             .stride = 3,
                             .radius = 0.79,
                             .inclusive = true,
                             .dimensions = 1,
                             .queries = queries,
                             .num_queries = ON_LINE,
                             .query_stride = 3,
                             .cell = c.cell[0]};
    indexed s = index_of(&c, points, ON_LINE, 0.79f);
    xlt_buffer given = xlt_buffer_make(queries, 3 * ON_LINE, 8, 0);
    free(ref_neighbors_pairs_f64(&search, offsets, &all));
    assert_true(offsets[ON_LINE] > 100);
    for (uint64_t k = 0; k < offsets[ON_LINE]; k += offsets[ON_LINE] / 40) {
        search.radius = fabs(all.vectors[3 * k]);
        free(ref_neighbors_f64(&search, right));
        if (all.shifts[3 * k] != 0)
            count_equals(&s, &given, search.radius, right);
    }
    ref_pairs_free_f64(&all);
    xlt_buffer_free(&given);
    index_free(&s);
}

/* A lattice of 8 by 0.02 along the axes, of vectors that nearly have the same direction. */
static const float nearly_parallel[9] = {8, 5, 0, 8, 5.02f, 0, 0, 0, 0};

static crystal parallel_crystal(void)
{
    crystal c = {.dimensions = 2, .periodic = 3, .n = 1};
    for (size_t k = 0; k < 9; ++k)
        c.cell[k / 3][k % 3] = (double)nearly_parallel[k];
    return c;
}

/* Queries that are as far as some 50,000 of both vectors lead, which round by more than images are
 * apart, in opposite directions. */
XLT_TEST(shifts_that_round)
{
    float points[3 * ON_LINE] = {0}, queries[3 * ON_LINE] = {0};
    double places[2][3 * ON_LINE];
    uint64_t right[ON_LINE + 1];
    xlt_random random = {19};
    const crystal c = parallel_crystal();
    for (size_t i = 0; i < 3 * ON_LINE; i += 3) {
        points[i] = queries[i] = 8 * xlt_unit(&random);
        queries[i + 1] = 2000 * xlt_unit(&random) - 1000;
    }
    for (size_t k = 0; k < 3 * ON_LINE; ++k) {
        places[0][k] = (double)points[k];
        places[1][k] = (double)queries[k];
    }
    const ref_search search = {.points = points,
                               .n = ON_LINE,
                               .stride = 3,
                               .radius = 0.25f,
                               .inclusive = true,
                               .dimensions = 2,
                               .queries = queries,
                               .num_queries = ON_LINE,
                               .query_stride = 3,
                               .cell = nearly_parallel};
    free(ref_neighbors(&search, right));
    assert_true(right[ON_LINE] > 100);
    indexed s = index_of(&c, places[0], ON_LINE, 0.25f);
    xlt_buffer given = buffer_of(places[1], 3 * ON_LINE, false);
    count_equals(&s, &given, 0.25, right);
    xlt_buffer_free(&given);
    index_free(&s);
}

/* Points that have moved to such an image have not moved. */
XLT_TEST(moves_that_round)
{
    double was[3 * ON_LINE] = {0}, now[3 * ON_LINE] = {0};
    uint32_t found = 0;
    xlt_random random = {23};
    const crystal c = parallel_crystal();
    for (size_t i = 0; i < 3 * ON_LINE; i += 3) {
        float shift[3];
        const long many = 1 + (long)xlt_below(&random, 50000), image[3] = {-many, many, 0};
        ref_lattice_shift(nearly_parallel, image, shift);
        was[i] = 8 * (double)xlt_unit(&random);
        now[i] = was[i] + (double)shift[0];
        now[i + 1] = (double)shift[1];
    }
    indexed s = index_of(&c, was, ON_LINE, 0.25f);
    xlt_buffer points = buffer_of(now, 3 * ON_LINE, false), out = xlt_buffer_make(NULL, 1, 4, 0);
    XLT_OK(xl_grid_moved_enqueue(s.grid, s.index, xlt_queue(),
                                 &(xl_grid_moved_args){.points = xlt_view(&points),
                                                       .distance = 0.004,
                                                       .moved = xlt_view(&out)},
                                 0, NULL, NULL));
    xlt_read(&out, &found);
    assert_int_equal(found, 0);
    xlt_buffer_free(&points);
    xlt_buffer_free(&out);
    index_free(&s);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)

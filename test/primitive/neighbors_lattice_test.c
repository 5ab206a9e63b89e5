/* SPDX-License-Identifier: MIT
 * Crystals in cells of any matrix: shells that are known, and random cells of all kinds against
 * every pair and every image. Coordinates are kept as doubles; with f32 each operation of the
 * reference is rounded to a float, which is what a float operation gives. */
#include "grid_support.h"
#include "xlt.h"

#include <crosslane/knn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 32, ROOM = 1024 };

typedef struct crystal {
    double cell[3][3];
    uint32_t dimensions, periodic, n, systems;
    bool wide, upright; /* upright: as a box, whose edges are the diagonal */
    double at[MOST_POINTS][3];
} crystal;

/* A neighbour, and where its image is. */
typedef struct near {
    double distance2;
    uint32_t index;
    int shift[3];
    double vector[3];
} near;

/* ---- the reference --------------------------------------------------------------------------- */

static double rounded(const crystal *c, double x)
{
    volatile float narrow = (float)x;
    return c->wide ? x : (double)narrow;
}

/* (P[i] - P[j]) - S . cell. */
static void difference_of(const crystal *c, uint32_t i, uint32_t j, const int s[3], double d[3])
{
    for (int k = 0; k < 3; ++k) {
        const double a = rounded(c, (double)s[0] * c->cell[0][k]);
        const double b = rounded(c, (double)s[1] * c->cell[1][k]);
        const double v = rounded(c, (double)s[2] * c->cell[2][k]);
        const double shift = rounded(c, rounded(c, a + b) + v);
        d[k] = rounded(c, rounded(c, c->at[i][k] - c->at[j][k]) - shift);
    }
}

static double square_of(const crystal *c, const double d[3])
{
    const double x = rounded(c, d[0] * d[0]), y = rounded(c, d[1] * d[1]);
    return rounded(c, rounded(c, x + y) + rounded(c, d[2] * d[2]));
}

static int by_index(const void *a, const void *b)
{
    const near *const p = a, *const q = b;
    if (p->index != q->index)
        return p->index < q->index ? -1 : 1;
    for (int k = 2; k >= 0; --k)
        if (p->shift[k] != q->shift[k])
            return p->shift[k] < q->shift[k] ? -1 : 1;
    return 0;
}

static int by_distance(const void *a, const void *b)
{
    const near *const p = a, *const q = b;
    if (p->distance2 != q->distance2)
        return p->distance2 < q->distance2 ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* All within the radius, of images up to `span` to either side; they are in order of index. */
static uint32_t reference_row(const crystal *c, uint32_t i, double radius, bool inclusive, int span,
                              near *row)
{
    uint32_t count = 0;
    int most[3], s[3];
    const double square = rounded(c, radius * radius);
    for (int k = 0; k < 3; ++k)
        most[k] = c->periodic >> k & 1 ? span : 0;
    for (uint32_t j = 0; j < c->n; ++j)
        for (s[2] = -most[2]; s[2] <= most[2]; ++s[2])
            for (s[1] = -most[1]; s[1] <= most[1]; ++s[1])
                for (s[0] = -most[0]; s[0] <= most[0]; ++s[0]) {
                    near other = {.index = j, .shift = {s[0], s[1], s[2]}};
                    difference_of(c, i, j, s, other.vector);
                    other.distance2 = square_of(c, other.vector);
                    const bool own = i == j && !s[0] && !s[1] && !s[2];
                    if (!own &&
                        (inclusive ? other.distance2 <= square : other.distance2 < square) &&
                        count < ROOM)
                        row[count++] = other;
                }
    qsort(row, count, sizeof *row, by_index);
    return count;
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct search_of {
    xl_grid *grid;
    xl_grid_index *index;
    xlt_buffer points, systems;
} search_of;

static void *narrowed(const crystal *c, const double *from, size_t n)
{
    float *const floats = calloc(n, 8);
    assert_non_null(floats);
    if (c->wide)
        memcpy(floats, from, 8 * n);
    for (size_t k = 0; k < n && !c->wide; ++k)
        floats[k] = (float)from[k];
    return floats;
}

static xl_grid_desc grid_desc(const crystal *c, float edge)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.dimensions = c->dimensions;
    desc.scalar = c->wide ? XL_F64 : XL_F32;
    desc.cell_size = edge;
    desc.periodic = c->periodic;
    desc.num_systems = c->systems;
    desc.triclinic = !c->upright;
    desc.bounded = c->upright;
    for (uint32_t row = 0; row < 3; ++row)
        for (uint32_t k = 0; k < 3; ++k)
            if (c->upright && row == k && k < c->dimensions && c->wide)
                desc.upper_f64[k] = c->cell[k][k];
            else if (c->upright && row == k && k < c->dimensions)
                desc.upper[k] = (float)c->cell[k][k];
            else if (!c->upright && c->wide)
                desc.cell_f64[row][k] = c->cell[row][k];
            else if (!c->upright)
                desc.cell[row][k] = (float)c->cell[row][k];
    return desc;
}

/* With systems, all points are of each of them once more. */
static search_of search_begin(const crystal *c, float edge)
{
    const xl_grid_desc desc = grid_desc(c, edge);
    const uint32_t copies = c->systems > 0 ? c->systems : 1;
    double xyz[3 * MOST_POINTS * 2];
    uint32_t systems[MOST_POINTS * 2];
    search_of s = {.grid = NULL};
    for (uint32_t i = 0; i < c->n * copies; ++i) {
        memcpy(xyz + 3 * i, c->at[i % c->n], sizeof c->at[0]);
        systems[i] = i / c->n;
    }
    void *const host = narrowed(c, xyz, 3 * (size_t)c->n * copies);
    s.points = xlt_buffer_make(host, 3 * (size_t)c->n * copies, c->wide ? 8 : 4, 0);
    s.systems = xlt_buffer_make(systems, c->n * copies, 4, 0);
    free(host);
    XLT_OK(xl_grid_create(xlt_context(), &desc, &s.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &s.index));
    XLT_OK(xl_grid_build_enqueue(
        s.grid, s.index, xlt_queue(),
        &(xl_grid_build_args){.n = c->n * copies,
                              .points = xlt_view(&s.points),
                              .systems = c->systems > 0 ? xlt_view(&s.systems) : (xl_view){0}},
        0, NULL, NULL));
    XLT_OK(xl_grid_index_status(s.index, xlt_queue(), NULL, 0, NULL));
    return s;
}

static void search_end(search_of *s)
{
    xl_grid_index_destroy(s->index);
    xl_grid_destroy(s->grid);
    xlt_buffer_free(&s->points);
    xlt_buffer_free(&s->systems);
}

static double number_at(const crystal *c, const void *from, size_t k)
{
    return c->wide ? ((const double *)from)[k] : (double)((const float *)from)[k];
}

/* The rows of a list with details, against the reference. */
static void rows_are_right(const crystal *c, const search_of *s, xl_neighbors *plan,
                           const uint64_t *offsets, xlt_buffer *offsets_at, double radius,
                           bool inclusive, int span)
{
    const uint32_t d = c->dimensions, copies = c->systems > 0 ? c->systems : 1;
    const size_t n = (size_t)offsets[c->n * copies], size = c->wide ? 8 : 4;
    xlt_buffer out[] = {xlt_buffer_make(NULL, n, 4, 0), xlt_buffer_make(NULL, n, size, 0),
                        xlt_buffer_make(NULL, n * d, size, 0), xlt_buffer_make(NULL, n * d, 4, 0)};
    void *host[4];
    near *const row = calloc(2 * ROOM, sizeof *row), *const got = row + ROOM;
    assert_non_null(row);
    XLT_OK(xl_neighbors_fill_enqueue(plan, s->index, xlt_queue(),
                                     &(xl_neighbors_fill_args){.capacity = n,
                                                               .offsets = xlt_view(offsets_at),
                                                               .indices = xlt_view(&out[0]),
                                                               .distances2 = xlt_view(&out[1]),
                                                               .vectors = xlt_view(&out[2]),
                                                               .shifts = xlt_view(&out[3])},
                                     0, NULL, NULL));
    for (int k = 0; k < 4; ++k) {
        host[k] = calloc(n * d + 1, 8);
        assert_non_null(host[k]);
        xlt_read(&out[k], host[k]);
        xlt_buffer_free(&out[k]);
    }
    for (uint32_t i = 0; i < c->n * copies; ++i) {
        const size_t begin = (size_t)offsets[i], length = (size_t)offsets[i + 1] - begin;
        const uint32_t right = reference_row(c, i % c->n, radius, inclusive, span, row);
        if (length != right)
            XLT_FAIL("row %u has %zu neighbours, not %u", i, length, right);
        for (size_t k = 0; k < length; ++k) {
            got[k] = (near){.index = ((uint32_t *)host[0])[begin + k] - i / c->n * c->n,
                            .distance2 = number_at(c, host[1], begin + k)};
            for (uint32_t a = 0; a < d; ++a) {
                got[k].vector[a] = number_at(c, host[2], (begin + k) * d + a);
                got[k].shift[a] = ((int32_t *)host[3])[(begin + k) * d + a];
            }
        }
        qsort(got, length, sizeof *got, by_index);
        for (size_t k = 0; k < length; ++k) {
            assert_int_equal(by_index(&got[k], &row[k]), 0);
            assert_true(got[k].distance2 == row[k].distance2);
            for (uint32_t a = 0; a < d; ++a)
                assert_true(got[k].vector[a] == -row[k].vector[a]);
        }
    }
    for (int k = 0; k < 4; ++k)
        free(host[k]);
    free(row);
}

static xl_neighbors *plan_of(const crystal *c, double radius, bool inclusive)
{
    xl_neighbors_desc desc;
    xl_neighbors *plan;
    xl_neighbors_desc_init(&desc);
    desc.scalar = c->wide ? XL_F64 : XL_F32;
    desc.radius = c->wide ? 0 : (float)radius;
    desc.radius_f64 = c->wide ? radius : 0;
    desc.inclusive = inclusive;
    desc.details = 1;
    desc.dimensions = c->dimensions;
    desc.batch = c->systems > 0;
    desc.periodic = c->upright ? XL_REPEATS_BOX : XL_REPEATS_CELL;
    XLT_OK(xl_neighbors_create(xlt_context(), &desc, &plan));
    return plan;
}

/* Neighbours of the first point; with `span` all rows are compared with the reference. UINT64_MAX:
 * the device ends loops. */
static uint64_t count_of(const crystal *c, double radius, bool inclusive, int span)
{
    uint64_t offsets[MOST_POINTS * 2 + 1];
    const uint32_t copies = c->systems > 0 ? c->systems : 1;
    search_of s = search_begin(c, (float)radius);
    xl_neighbors *plan = plan_of(c, radius, inclusive);
    xlt_buffer out = xlt_buffer_make(NULL, c->n * copies + 1, 8, 0);
    const xl_status status = xl_neighbors_count_enqueue(
        plan, s.index, xlt_queue(), &(xl_neighbors_count_args){.offsets = xlt_view(&out)}, 0, NULL,
        NULL);
    uint64_t found = UINT64_MAX;
    if (!ends_long_loops() || status == XL_SUCCESS) {
        XLT_OK(status);
        xlt_read(&out, offsets);
        if (offsets[c->n * copies] != UINT64_MAX) {
            found = offsets[1];
            if (span > 0)
                rows_are_right(c, &s, plan, offsets, &out, radius, inclusive, span);
        }
    }
    xlt_buffer_free(&out);
    xl_neighbors_destroy(plan);
    search_end(&s);
    return found;
}

static void expect(const char *what, const crystal *c, double radius, bool inclusive,
                   uint64_t right)
{
    const uint64_t found = count_of(c, radius, inclusive, 0);
    if (found != right && !(found == UINT64_MAX && ends_long_loops()))
        XLT_FAIL("%s, %s, radius %g, inclusive %d: %llu neighbours, not %llu", what,
                 c->wide ? "f64" : "f32", radius, inclusive, (unsigned long long)found,
                 (unsigned long long)right);
}

/* The k nearest of each point, and the status of the call. */
static void nearest_are_right(const crystal *c, uint32_t k, double radius, int span)
{
    xl_knn_desc desc;
    xl_knn *plan;
    xl_knn_report report;
    search_of s = search_begin(c, 0.5f);
    near *const row = calloc(ROOM, sizeof *row);
    uint32_t indices[MOST_POINTS * 64];
    double distances2[MOST_POINTS * 64];
    xlt_buffer out[] = {xlt_buffer_make(NULL, (size_t)c->n * k, 4, 0),
                        xlt_buffer_make(NULL, (size_t)c->n * k, c->wide ? 8 : 4, 0)};
    xl_knn_desc_init(&desc);
    desc.k = k;
    desc.dimensions = c->dimensions;
    desc.scalar = c->wide ? XL_F64 : XL_F32;
    desc.periodic = c->upright ? XL_REPEATS_BOX : XL_REPEATS_CELL;
    XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
    XLT_OK(xl_knn_enqueue(
        plan, s.index, xlt_queue(),
        &(xl_knn_args){.indices = xlt_view(&out[0]), .distances2 = xlt_view(&out[1])}, 0, NULL,
        NULL));
    xlt_read(&out[0], indices);
    xlt_read(&out[1], distances2);
    const xl_status status =
        xl_knn_status(plan, s.index, xlt_queue(),
                      &(xl_knn_status_args){.indices = xlt_view(&out[0])}, &report, 0, NULL);
    assert_true(report.rows == c->n && report.short_rows == 0);
    assert_true((status == XL_SUCCESS) == (report.given_up == 0));
    assert_true(report.given_up == 0 || ends_long_loops());
    for (uint32_t i = 0; i < c->n; ++i) {
        const uint32_t count = reference_row(c, i, radius, false, span, row);
        assert_true(count >= k && count < ROOM);
        qsort(row, count, sizeof *row, by_distance);
        for (uint32_t j = 0; j < k && indices[i * k] != UINT32_MAX - 1; ++j)
            if (indices[i * k + j] != row[j].index ||
                number_at(c, distances2, i * k + j) != row[j].distance2)
                XLT_FAIL("place %u of point %u: %u at %.17g, not %u at %.17g", j, i,
                         indices[i * k + j], number_at(c, distances2, i * k + j), row[j].index,
                         row[j].distance2);
    }
    free(row);
    xlt_buffer_free(&out[0]);
    xlt_buffer_free(&out[1]);
    xl_knn_destroy(plan);
    search_end(&s);
}

static bool has_doubles(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return info.has_fp64 != 0;
}

/* ---- shells ---------------------------------------------------------------------------------- */

typedef struct shell {
    double distance2;
    uint32_t count;
} shell;

static const double r3 = 1.7320508075688772, r83 = 1.632993161855452;

/* Each with the coordinates of its points in parts of the cell, and its first ten shells. */
static const struct {
    const char *name;
    double cell[3][3];
    uint32_t n;
    double at[8][3];
    shell shells[10];
} lattices[] = {
#define SC                                                                                         \
    {1, 6}, {2, 12}, {3, 8}, {4, 6}, {5, 24}, {6, 24}, {8, 12}, {9, 30}, {10, 24},                 \
    {                                                                                              \
        11, 24                                                                                     \
    }
#define BCC                                                                                        \
    {3, 8}, {4, 6}, {8, 12}, {11, 24}, {12, 8}, {16, 6}, {19, 24}, {20, 24}, {24, 24},             \
    {                                                                                              \
        27, 32                                                                                     \
    }
#define FCC                                                                                        \
    {2, 12}, {4, 6}, {6, 24}, {8, 12}, {10, 24}, {12, 8}, {14, 48}, {16, 6}, {18, 36},             \
    {                                                                                              \
        20, 24                                                                                     \
    }
#define DIAMOND                                                                                    \
    {3, 4}, {8, 12}, {11, 12}, {16, 6}, {19, 12}, {24, 24}, {27, 16}, {32, 12}, {35, 24},          \
    {                                                                                              \
        40, 24                                                                                     \
    }
#define HCP                                                                                        \
    {1, 12}, {2, 6}, {8.0 / 3, 2}, {3, 18}, {11.0 / 3, 12}, {4, 6}, {5, 12}, {17.0 / 3, 12},       \
        {6, 6},                                                                                    \
    {                                                                                              \
        19.0 / 3, 6                                                                                \
    }
    {"sc", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1, {{0}}, {SC}},
    {"sc, skewed and left-handed", {{1, 5, 2}, {0, 0, 1}, {0, 1, -3}}, 1, {{0}}, {SC}},
    {"bcc", {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, 2, {{0}, {1, 1, 1}}, {BCC}},
    {"bcc, primitive", {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}}, 1, {{0}}, {BCC}},
    {"fcc", {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, 4, {{0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}, {FCC}},
    {"fcc, primitive", {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}, 1, {{0}}, {FCC}},
    {"fcc, left-handed", {{1, 0, 1}, {0, 1, 1}, {1, 1, 0}}, 1, {{0}}, {FCC}},
    {"fcc, badly skewed", {{0, 1, 1}, {1, 40, 41}, {101, 1, 100}}, 1, {{0}}, {FCC}},
    {"diamond",
     {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}},
     8,
     {{0}, {0, 2, 2}, {2, 0, 2}, {2, 2, 0}, {1, 1, 1}, {1, 3, 3}, {3, 1, 3}, {3, 3, 1}},
     {DIAMOND}},
    {"diamond, primitive", {{0, 2, 2}, {2, 0, 2}, {2, 2, 0}}, 2, {{0}, {1, 1, 1}}, {DIAMOND}},
};

static crystal crystal_of(size_t k, bool wide)
{
    crystal c = {.dimensions = 3, .periodic = 7, .n = lattices[k].n, .wide = wide};
    memcpy(c.cell, lattices[k].cell, sizeof c.cell);
    memcpy(c.at, lattices[k].at, sizeof lattices[k].at);
    return c;
}

/* Between two shells, and at each whose radius is a whole number: `<` and `<=`. */
static void shells_of(const char *name, const crystal *c, const shell *shells, uint32_t most)
{
    uint64_t before = 0;
    for (uint32_t k = 0; k < most; ++k) {
        const uint64_t with = before + shells[k].count;
        const double on = sqrt(shells[k].distance2);
        if (k + 1 < most)
            expect(name, c, sqrt((shells[k].distance2 + shells[k + 1].distance2) / 2), false, with);
        if (on == (double)(int)on) {
            expect(name, c, on, false, before);
            expect(name, c, on, true, with);
        }
        before = with;
    }
}

static void first_ten_shells(void **state)
{
    (void)state;
    const uint32_t most = xlt_on_oclgrind() ? 3 : xlt_small() ? 5 : 10;
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide)
        for (size_t k = 0; k < sizeof lattices / sizeof *lattices; ++k) {
            const crystal c = crystal_of(k, wide != 0);
            shells_of(lattices[k].name, &c, lattices[k].shells, most);
        }
}

static void shells_of_hcp(void **state)
{
    (void)state;
    static const shell shells[] = {HCP};
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
        const crystal c = {.dimensions = 3,
                           .periodic = 7,
                           .n = 2,
                           .wide = wide != 0,
                           .cell = {{1, 0, 0}, {-0.5, r3 / 2, 0}, {0, 0, r83}},
                           .at = {{0}, {0, 1 / r3, r83 / 2}}};
        for (uint32_t k = 0, with = 0; k < (xlt_small() ? 4 : 9); ++k) {
            with += shells[k].count;
            expect("hcp", &c, sqrt((shells[k].distance2 + shells[k + 1].distance2) / 2), false,
                   with);
        }
    }
}

/* A primitive cell and a cutoff that others' programs give these numbers for. */
static void second_shell_at_the_cutoff(void **state)
{
    (void)state;
    crystal c = {.dimensions = 3,
                 .periodic = 7,
                 .n = 1,
                 .cell = {{0, 1.5, 1.5}, {1.5, 0, 1.5}, {1.5, 1.5, 0}}};
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
        c.wide = wide != 0;
        expect("fcc of edge 3", &c, 3, false, 12);
        expect("fcc of edge 3", &c, 3, true, 18);
        expect("fcc of edge 3", &c, c.wide ? nextafter(3, 4) : (double)nextafterf(3, 4), false, 18);
    }
}

/* Far more periods than the cell has heights, along one axis alone. */
static void thin_cells(void **state)
{
    (void)state;
    crystal c = {.dimensions = 3,
                 .periodic = 7,
                 .n = 1,
                 .cell = {{1, 0, 0}, {0, 20, 0}, {0, 0, 20}},
                 .at = {{0.25, 3, 4}}};
    for (int form = 0; form < 2; ++form)
        for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
            c.upright = form != 0;
            c.wide = wide != 0;
            expect("a thin cell", &c, 9, false, 16);
            expect("a thin cell", &c, 9, true, 18);
            expect("a thin cell", &c, 19.5, false, 38);
            nearest_are_right(&c, 16, 12, 12);
            if (!xlt_small()) /* a list of 64 is long to compile */
                nearest_are_right(&c, 64, 34, 34);
            c.periodic = 1;
            expect("a rod", &c, 300.5, false, 600);
            c.periodic = 7;
        }
}

/* ---- cells of all kinds ---------------------------------------------------------------------- */

static double unit(xlt_random *random)
{
    return (double)xlt_unit(random);
}

/* Points anywhere in the cell, rounded to what they are stored as. */
static void put_points(crystal *c, uint32_t n, xlt_random *random)
{
    c->n = n;
    for (uint32_t i = 0; i < n; ++i) {
        const double part[3] = {unit(random), unit(random), unit(random)};
        for (uint32_t k = 0; k < 3; ++k) {
            double x = 0;
            for (uint32_t row = 0; row < c->dimensions; ++row)
                x += part[row] * c->cell[row][k];
            c->at[i][k] = k < c->dimensions ? rounded(c, x) : 0;
        }
    }
}

static const struct {
    const char *name;
    double cell[3][3], radius;
    uint32_t dimensions, periodic;
    int span;
} kinds[] = {
    {"general", {{0.9, 0.3, -0.2}, {-0.4, 1.1, 0.5}, {0.3, -0.6, 0.8}}, 1.1, 3, 7, 6},
    {"left-handed", {{-0.4, 1.1, 0.5}, {0.9, 0.3, -0.2}, {0.3, -0.6, 0.8}}, 0.7, 3, 7, 6},
    {"upper triangular", {{1, 0.7, -0.6}, {0, 0.8, 1.3}, {0, 0, 0.9}}, 1.2, 3, 7, 8},
    {"a along x, b in space", {{0.9, 0, 0}, {-0.4, 0.9, 0.6}, {0.3, -0.6, 0.8}}, 1.1, 3, 7, 6},
    {"tilts of many periods", {{1, 0, 0}, {5.25, 1, 0}, {-3.5, 4.75, 1}}, 1.1, 3, 7, 40},
    {"skewed in space", {{1, 0.1, 0.2}, {4.1, 1.4, 1.1}, {5.3, 1.2, 2.4}}, 0.8, 3, 7, 36},
    {"a vector that points back", {{-1, 0, 0}, {0, -1.1, 0}, {0.3, 0, 0.9}}, 0.9, 3, 7, 5},
    {"one vector", {{0.9, 0.3, -0.2}, {-0.4, 1.1, 0.5}, {0.3, -0.6, 0.8}}, 1.1, 3, 2, 6},
    {"another vector", {{0.9, 0.3, -0.2}, {-0.4, 1.1, 0.5}, {0.3, -0.6, 0.8}}, 1.1, 3, 4, 6},
    {"a plane", {{0.9, 0.3, -0.2}, {-0.4, 1.1, 0.5}, {0.3, -0.6, 0.8}}, 1.1, 3, 5, 6},
    {"a skewed plane", {{0.9, 0.3, -0.2}, {5.0, 2.1, -0.9}, {0.3, -0.6, 0.8}}, 0.8, 3, 3, 60},
    {"two dimensions", {{0.3, 0.9, 9}, {-0.8, 0.5, 9}, {9, 9, 9}}, 1.2, 2, 3, 8},
    {"one of two dimensions", {{0.3, 0.9, 9}, {-0.8, 0.5, 9}, {9, 9, 9}}, 1.2, 2, 2, 8},
    {"one dimension", {{-0.7, 9, 9}, {9, 9, 9}, {9, 9, 9}}, 2.3, 1, 1, 8},
};

static crystal crystal_of_kind(size_t k, bool wide)
{
    xlt_random random = {1000 + k};
    crystal c = {.dimensions = kinds[k].dimensions, .periodic = kinds[k].periodic, .wide = wide};
    for (int row = 0; row < 3; ++row)
        for (int axis = 0; axis < 3; ++axis) {
            const bool counts = row < (int)c.dimensions && axis < (int)c.dimensions;
            c.cell[row][axis] = counts ? rounded(&c, kinds[k].cell[row][axis]) : 0;
        }
    put_points(&c, xlt_on_oclgrind() ? 3 : kinds[k].span > 20 ? 4 : 9, &random);
    return c;
}

static void every_pair_and_image(void **state)
{
    (void)state;
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
            crystal c = crystal_of_kind(k, wide != 0);
            (void)count_of(&c, rounded(&c, kinds[k].radius), false, kinds[k].span);
            c.systems = k % 3 == 0 ? 2 : 0;
            if (c.systems > 0)
                (void)count_of(&c, rounded(&c, kinds[k].radius), true, kinds[k].span);
        }
}

static void nearest_of_all_kinds(void **state)
{
    (void)state;
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
            const crystal c = crystal_of_kind(k, wide != 0);
            nearest_are_right(&c, 5, 2, kinds[k].span + 4);
        }
}

/* A query so far off that its coordinates tell no images apart has a row that is given up, and the
 * status reports it; rows that are short are counted. */
static void rows_that_are_given_up(void **state)
{
    (void)state;
    static const float at[2][3] = {{0.5f, 0.5f, 0.5f}, {0.5f, 1e12f, 0.5f}};
    xl_knn_desc desc;
    xl_knn *plan;
    xl_knn_report report;
    for (int kind = 0; kind < 3; ++kind) {
        const crystal c = {.dimensions = 3,
                           .periodic = kind < 2 ? 7u : 0u,
                           .n = 1,
                           .upright = kind > 0,
                           .cell = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        search_of s = search_begin(&c, 0.5f);
        xlt_buffer queries = xlt_buffer_make(at, 6, 4, 0), out = xlt_buffer_make(NULL, 8, 4, 0);
        xl_knn_desc_init(&desc);
        desc.k = 4;
        desc.queries = XL_QUERIES_GIVEN;
        desc.periodic = kind == 0 ? XL_REPEATS_CELL : kind == 1 ? XL_REPEATS_BOX : XL_REPEATS_NOT;
        XLT_OK(xl_knn_create(xlt_context(), &desc, &plan));
        XLT_OK(xl_knn_enqueue(plan, s.index, xlt_queue(),
                              &(xl_knn_args){.num_queries = 2,
                                             .queries = xlt_view(&queries),
                                             .indices = xlt_view(&out)},
                              0, NULL, NULL));
        const xl_knn_status_args args = {
            .num_queries = 2, .queries = xlt_view(&queries), .indices = xlt_view(&out)};
        const xl_status status = xl_knn_status(plan, s.index, xlt_queue(), &args, &report, 0, NULL);
        if (!ends_long_loops()) {
            assert_int_equal(status, kind < 2 ? XL_ERROR_UNSUPPORTED : XL_SUCCESS);
            assert_int_equal(report.rows, 2);
            assert_int_equal(report.given_up, kind < 2 ? 1 : 0);
            assert_true(report.first_given_up == (kind < 2 ? 1 : UINT64_MAX));
            assert_int_equal(report.short_rows, kind < 2 ? 0 : 2);
        }
        xl_knn_destroy(plan);
        xlt_buffer_free(&queries);
        xlt_buffer_free(&out);
        search_end(&s);
    }
}

/* ---- points outside -------------------------------------------------------------------------- */

static xl_status build_status(const crystal *c)
{
    const xl_grid_desc desc = grid_desc(c, 0.5f);
    xl_grid *grid;
    xl_grid_index *index;
    void *const host = narrowed(c, c->at[0], 3 * (size_t)c->n);
    xlt_buffer points = xlt_buffer_make(host, 3 * (size_t)c->n, c->wide ? 8 : 4, 0);
    XLT_OK(xl_grid_create(xlt_context(), &desc, &grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    XLT_OK(xl_grid_build_enqueue(grid, index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c->n, .points = xlt_view(&points)}, 0,
                                 NULL, NULL));
    const xl_status status = xl_grid_index_status(index, xlt_queue(), NULL, 0, NULL);
    xl_grid_index_destroy(index);
    xl_grid_destroy(grid);
    xlt_buffer_free(&points);
    free(host);
    return status;
}

/* The error about one point, with as many coordinates as points have. */
static void says_of(const crystal *c, const char *text)
{
    assert_true(build_status(c) != XL_SUCCESS);
    if (!strstr(xl_context_error(xlt_context()), text))
        XLT_FAIL("no \"%s\" in: %s", text, xl_context_error(xlt_context()));
}

static void errors_tell_the_place(void **state)
{
    (void)state;
    crystal c = {.dimensions = 2,
                 .periodic = 3,
                 .n = 4,
                 .upright = true,
                 .cell = {{1, 0, 0}, {0, 2, 0}},
                 .at = {{0.5, 0.5}, {0.25, 0.5}, {0.75, -0.125}, {0.5, 3}}};
    for (int wide = 0; wide < (has_doubles() ? 2 : 1); ++wide) {
        c.wide = wide != 0;
        c.dimensions = 2;
        says_of(
            &c,
            "2 of 4 are outside the box (0, 0) to (1, 2), the first at index 2: (0.75, -0.125)");
        c.dimensions = 1;
        c.periodic = 1;
        c.at[1][0] = c.wide ? -0x1p-60 : (double)-0x1p-40f;
        says_of(&c, c.wide ? "1 of 4 are outside the box (0) to (1), the first at index 1: (-8.67"
                           : "1 of 4 are outside the box (0) to (1), the first at index 1: (-9.09");
        c.at[1][0] = INFINITY;
        says_of(&c, "1 of 4 are not finite, the first at index 1: (inf)");
        c.at[1][0] = 0.25;
        c.periodic = 3;
    }
}

/* Points a little or some periods outside a box have the neighbours, and the shifts, that their
 * coordinates give. Skipped while a build refuses such points. */
static void points_outside_a_box(void **state)
{
    (void)state;
    const bool wide = has_doubles();
    const double above = wide ? nextafter(10, 11) : (double)nextafterf(10, 11);
    crystal c = {.dimensions = 3,
                 .periodic = 7,
                 .n = 6,
                 .upright = true,
                 .wide = wide,
                 .cell = {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}},
                 .at = {{-4e-52, 5, 5},
                        {above, 5, 5},
                        {9.75, 5, 5},
                        {0.5, 5, 5},
                        {-19.5, 25, -4.5},
                        {20.25, -5, 35.25}}};
    if (build_status(&c) != XL_SUCCESS) {
        print_message("a box takes no points outside: %s\n", xl_context_error(xlt_context()));
        skip();
    }
    assert_true(count_of(&c, 1, false, 6) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_ten_shells),           cmocka_unit_test(shells_of_hcp),
        cmocka_unit_test(second_shell_at_the_cutoff), cmocka_unit_test(thin_cells),
        cmocka_unit_test(every_pair_and_image),       cmocka_unit_test(nearest_of_all_kinds),
        cmocka_unit_test(errors_tell_the_place),      cmocka_unit_test(rows_that_are_given_up),
        cmocka_unit_test(points_outside_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

/* SPDX-License-Identifier: MIT
 * Points in space for the case runner: of one to three dimensions and either precision, in
 * space that repeats or not, near the origin or not, of one system or of many; and grids of them.
 */
#include "cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

double scene_radius(const fuzz_case *c)
{
    static const double radii[] = {1, 0.3, 2.5};
    return radii[c->of[RADIUS]];
}

void set_scalar(const scene *s, void *array, size_t i, double x)
{
    if (s->wide)
        ((double *)array)[i] = x;
    else
        ((float *)array)[i] = (float)x;
}

double scalar_of(const scene *s, const void *array, size_t i)
{
    return s->wide ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

/* ---- the space ------------------------------------------------------------------------------ */

static double rounded(const scene *s, double x)
{
    return s->wide ? x : (double)(float)x;
}

/* Edges are longer than a radius. With tight=1 they may be shorter, from 0.44 of it; with tight=2
 * one edge has about a quarter of it: a thin cell. */
static void make_edges(const fuzz_case *c, const scene *s, xlt_random *random, double edges[3])
{
    const double shortest =
        (c->of[TIGHT] == 1 ? 0.44 : 1.1) * s->radius * (1 + 3 * (double)xlt_unit(random));
    for (uint32_t a = 0; a < s->dimensions; ++a)
        edges[a] = shortest * (1 + (double)xlt_unit(random));
    if (c->of[TIGHT] == 2)
        edges[xlt_below(random, s->dimensions)] =
            0.26 * s->radius * (1 + 0.5 * (double)xlt_unit(random));
    for (uint32_t a = 0; c->of[DATA] == REAL && !c->of[TIGHT] && a < s->dimensions; ++a)
        edges[a] = 4 * s->radius; /* so that lattice points are at the radius exactly */
}

/* As far as the tilts of a reduced basis go, or anything up to the half of it, or some periods. */
static double tilt_of(const fuzz_case *c, uint32_t row, uint32_t column, xlt_random *random)
{
    const double any = 1.9 * ((double)xlt_unit(random) - 0.5), sign = any < 0 ? -1 : 1;
    if (!c->of[SKEW])
        return any;
    if (c->of[SKEW] == MANY_PERIODS)
        return sign * 4 + any;
    return sign * (row == 2 && column == 1 ? 1.98 : 0.99);
}

static void make_cell(const fuzz_case *c, scene *s, xlt_random *random)
{
    for (uint32_t row = 1; row < s->dimensions; ++row)
        for (uint32_t column = 0; column < row; ++column)
            s->cell[row][column] =
                rounded(s, tilt_of(c, row, column, random) * s->cell[column][column]);
    if (c->of[SPACE] == SPACE_CELL) {
        s->tilt[0] = s->periodic >> 1 & 1 ? s->cell[1][0] : 0;
        s->tilt[1] = s->periodic >> 2 & 1 ? s->cell[2][0] : 0;
        s->tilt[2] = s->periodic >> 2 & 1 ? s->cell[2][1] : 0;
    }
}

/* The same lattice left-handed, by one vector that points back, or with its axes in another order.
 * `period` and `tilt` do not describe such a lattice. */
static void turn_cell(const fuzz_case *c, scene *s)
{
    const uint32_t d = s->dimensions;
    for (uint32_t row = 0; row < d; ++row) {
        const double was[3] = {s->cell[row][0], s->cell[row][1], s->cell[row][2]};
        for (uint32_t column = 0; column < d; ++column)
            s->cell[row][column] = c->of[TURN] == TURN_AXES ? was[(column + 1) % d]
                                   : row + 1 == d           ? -was[column]
                                                            : was[column];
    }
}

static void list_repeats(const fuzz_case *c, scene *s)
{
    for (uint32_t row = 0; row < s->dimensions; ++row)
        for (uint32_t column = 0; column < s->dimensions && s->periodic >> row & 1; ++column)
            s->repeats[3 * row + column] = c->of[SPACE] == SPACE_CELL ? s->cell[row][column]
                                           : row == column            ? s->period[row]
                                                                      : 0;
    for (size_t k = 0; k < 9; ++k)
        s->narrow[k] = (float)s->repeats[k];
}

void make_space(const fuzz_case *c, scene *s, xlt_random *random)
{
    static const double corners[3][3] = {{0, 0, 0}, {-3.25, 1.7, 100}, {1000, -2000, 500}};
    double edges[3] = {0};
    make_edges(c, s, random, edges);
    const double far = s->wide && c->of[FAR] == 2 ? 1e6 : 1;
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        s->cell[a][a] = rounded(s, edges[a]);
        s->lower[a] = rounded(s, far * corners[c->of[FAR]][a]);
        s->upper[a] = rounded(s, s->lower[a] + s->cell[a][a]);
        s->period[a] = s->periodic >> a & 1 ? s->cell[a][a] : 0;
    }
    make_cell(c, s, random);
    if (c->of[TURN])
        turn_cell(c, s);
    list_repeats(c, s);
    s->all = (scene_cell){.periodic = s->periodic};
    for (uint32_t k = 0; k < 9 && c->of[SPACE] == SPACE_CELL; ++k)
        if (k / 3 == k % 3 ? s->cell[k / 3][k % 3] < 0 : s->cell[k / 3][k % 3] != 0)
            s->all.skewed = true;
    memcpy(s->all.lower, s->lower, sizeof s->all.lower);
    memcpy(s->all.upper, s->upper, sizeof s->all.upper);
    memcpy(s->all.cell, s->cell, sizeof s->all.cell);
    memcpy(s->all.repeats, s->repeats, sizeof s->all.repeats);
    memcpy(s->all.period, s->period, sizeof s->all.period);
    memcpy(s->all.tilt, s->tilt, sizeof s->all.tilt);
}

const scene_cell *cell_of_point(const scene *s, size_t i)
{
    return s->own && s->systems[i] < s->num_systems ? &s->own[s->systems[i]] : &s->all;
}

/* ---- points --------------------------------------------------------------------------------- */

/* How far along an edge: 0 to 1. */
double part_along(const fuzz_case *c, xlt_random *random, size_t i, size_t axis)
{
    const double any = (double)xlt_unit(random) + 0x1p-24 * (double)xlt_unit(random);
    if (c->of[SPREAD] == ON_FACES)
        return xlt_below(random, 3) ? any : (double)xlt_below(random, 2);
    if (c->of[SPREAD] == ON_A_PLANE && axis == 0)
        return 0;
    switch (c->of[DATA]) {
    case ZEROS:
        return 0;
    case EQUAL:
        return 0.3;
    case REAL: /* a lattice, whose distances tie */
        return (double)(i >> 3 * axis & 7) / 8;
    case SORTED: /* a line */
        return axis == 0 ? (double)(i % 64) / 64 : 0;
    case REVERSED: /* crowds */
        return (double)(i % 3) / 3 + any / 64;
    case MINUS_ZEROS: /* on both sides of some planes */
        return fmax((double)xlt_below(random, 4) / 3 - (double)xlt_below(random, 2) * 0x1p-22, 0);
    default:
        return any;
    }
}

/* In a cell where its vectors take the parts, or, of some points, anywhere in the box around. */
double coordinate(const scene *s, bool in_cell, const double part[3], uint32_t axis, bool around)
{
    double x = s->lower[axis];
    if (!in_cell)
        return fmax(x, fmin(s->upper[axis], x + part[axis] * (s->upper[axis] - x)));
    for (uint32_t row = 0; row < s->dimensions; ++row) {
        const double edge = s->cell[row][axis];
        x += around ? fmin(edge, 0) + part[axis] * fabs(edge) : part[row] * edge;
    }
    return x;
}

static void put_point(const fuzz_case *c, const scene *s, void *array, size_t at,
                      const double part[3], bool around)
{
    for (uint32_t a = 0; a < s->dimensions; ++a)
        set_scalar(s, array, at + a, coordinate(s, c->of[SPACE] == SPACE_CELL, part, a, around));
}

/* Points along an axis or the diagonal, up to some distance from the origin: of each three the
 * first is anywhere, the second as far along it and the third a next number from there. */
static void put_lines(scene *s, xlt_random *random)
{
    static const double extents[] = {0x1p20, 0x1p24, 0x1p25, 0x1p30, 0x1p40, 0x1p100, 3e38};
    const double extent = extents[xlt_below(random, 7)];
    const uint32_t axis = xlt_below(random, s->dimensions + 1);
    double x = 0;
    for (size_t i = 0; i < s->n; ++i) {
        if (i % 3 == 0)
            x = rounded(s, extent * (2 * (double)xlt_unit(random) - 1));
        if (i % 3 == 2)
            x = s->wide ? nextafter(x, INFINITY) : (double)nextafterf((float)x, INFINITY);
        for (uint32_t a = 0; a < s->dimensions; ++a)
            set_scalar(s, s->points, i * s->stride + a,
                       a == axis || axis == s->dimensions ? x : (double)(i % 3) * 0.25);
    }
}

/* Some of the points, from about 2^24 cells to 1e30 away, or, in double precision, beyond the
 * floats: up to there cells are counted. */
static void send_away(scene *s, xlt_random *random)
{
    static const double distances[] = {1.5e7, 1.8e7, 1e9, 5e10, 6e10, 3e15, 1e22, 1e30};
    for (size_t i = 0; i < s->n; ++i) {
        const uint32_t axis = xlt_below(random, s->dimensions);
        const double narrow = distances[xlt_below(random, 8)],
                     far = s->wide && narrow > 1e20 ? narrow * narrow : narrow;
        if (xlt_below(random, 6) == 0)
            set_scalar(s, s->points, i * s->stride + axis, xlt_below(random, 2) ? far : -far);
    }
}

static bool is_bad(const scene *s, size_t i)
{
    bool bad = false;
    for (size_t k = 0; k < s->spoilt; ++k)
        bad = bad || s->bad[k] == i;
    return bad;
}

/* The next number beyond the box. */
static double just_outside(const scene *s, uint32_t axis, bool up)
{
    const double face = up ? s->upper[axis] : s->lower[axis], to = up ? 1e30 : -1e30;
    return s->wide ? nextafter(face, to) : (double)nextafterf((float)face, (float)to);
}

/* Nothing is outside. */
static bool is_open(const scene_cell *of)
{
    return of->upper[0] > 1e30;
}

static void spoil_point(const fuzz_case *c, scene *s, size_t i, xlt_random *random)
{
    const size_t at = i * s->stride + xlt_below(random, s->dimensions);
    const bool up = xlt_below(random, 2), coin = xlt_below(random, 2);
    const uint32_t axis = (uint32_t)(at - i * s->stride);
    const bool just =
        coin && c->of[SPACE] < SPACE_CELL && !(c->of[WRAP] && s->periodic >> axis & 1);
    if (c->of[FAILS] == FAILS_SYSTEM ||
        (c->of[FAILS] == FAILS_OUTSIDE && s->own && is_open(cell_of_point(s, i))))
        s->systems[i] = s->num_systems + (up ? 4000000000u : 0);
    else if (c->of[FAILS] == FAILS_OUTSIDE && just)
        set_scalar(s, s->given, at, just_outside(s, axis, up));
    else if (c->of[FAILS] == FAILS_OUTSIDE)
        set_scalar(s, s->given, at, up ? 1e29 : -1e29);
    else
        set_scalar(s, s->given, at, up ? (double)NAN : (double)INFINITY);
    s->bad[s->spoilt++] = i;
}

/* One to three points that the build must refuse. */
static void spoil_points(const fuzz_case *c, scene *s, xlt_random *random)
{
    s->non_finite = c->of[FAILS] == FAILS_NON_FINITE;
    for (uint32_t k = 1 + xlt_below(random, 3); s->n > 0 && k > 0; --k) {
        const size_t i = xlt_below(random, (uint32_t)s->n);
        if (!is_bad(s, i))
            spoil_point(c, s, i, random);
    }
}

/* Points so near each other that squares of distances have few digits or none. */
static double tiny_scale(const fuzz_case *c)
{
    static const double narrow[] = {3e-22, 3e-23, 1e-18}, wide[] = {3e-161, 3e-162, 1e-150};
    return (c->of[SCALAR] ? wide : narrow)[c->of[SHAPE] % 3];
}

static void make_tiny(const fuzz_case *c, scene *s)
{
    for (size_t i = 0; i < s->n; ++i)
        for (uint32_t a = 0; a < s->dimensions; ++a)
            set_scalar(s, s->points, i * s->stride + a,
                       tiny_scale(c) * scalar_of(s, s->points, i * s->stride + a));
}

/* Room for n points that are nowhere. */
static void *make_nowhere(const scene *s, size_t n)
{
    void *const array = make_bytes(n * s->stride, s->bytes);
    for (size_t i = 0; i < n * s->stride; ++i)
        set_scalar(s, array, i, (double)NAN);
    return array;
}

static void make_points_in(const fuzz_case *c, scene *s, xlt_random *random)
{
    s->points = make_nowhere(s, s->n);
    for (size_t i = 0; i < s->n; ++i) {
        double part[3];
        for (size_t a = 0; a < 3; ++a)
            part[a] = part_along(c, random, i, a);
        put_point(c, s, s->points, i * s->stride, part,
                  c->of[DATA] == RANDOM && xlt_below(random, 4) == 0);
    }
    if (c->of[SPREAD] == FAR_AWAY)
        send_away(s, random);
    if (c->of[SPREAD] == TINY)
        make_tiny(c, s);
    if (c->of[SPREAD] == ALONG_LINES)
        put_lines(s, random);
}

/* Anywhere in the box and around it, in other periods, or along a line, on which the first of each
 * hundred go downwards. */
static double place_of_query(const fuzz_case *c, const scene *s, xlt_random *random, size_t i,
                             uint32_t axis)
{
    const double edge = s->upper[axis] - s->lower[axis],
                 part = 1.4 * (double)xlt_unit(random) - 0.2;
    if (c->of[DATA] == SORTED && axis > 0)
        return s->lower[axis];
    if (c->of[DATA] == SORTED && i % 100 < 50)
        return s->upper[axis] - (double)(i % 50) / 50 * edge;
    if (c->of[SPREAD] == OTHER_PERIODS && s->period[axis] > 0)
        return s->lower[axis] + part * edge +
               s->period[axis] * (double)((int)xlt_below(random, 8193) - 4096);
    return s->lower[axis] + part * edge;
}

/* Some at points, some outside of the box, where points may not be, some nowhere. */
static void make_queries(const fuzz_case *c, scene *s, xlt_random *random)
{
    const size_t stride = s->stride;
    s->queries = make_nowhere(s, s->rows);
    for (size_t i = 0; i < s->rows; ++i) {
        const size_t at = i * stride, of = s->n ? xlt_below(random, (uint32_t)s->n) : 0;
        for (uint32_t a = 0; a < s->dimensions; ++a)
            set_scalar(s, s->queries, at + a,
                       s->n > 0 && i % 4 == 0 ? scalar_of(s, s->points, of * s->stride + a)
                                              : place_of_query(c, s, random, i, a));
        if (c->of[DATA] == ODD && i % 8 == 5)
            set_scalar(s, s->queries, at, i % 16 == 5 ? (double)NAN : (double)INFINITY);
    }
}

static uint32_t *numbers_below(size_t n, uint32_t limit, xlt_random *random)
{
    uint32_t *const numbers = make_bytes(n, sizeof *numbers);
    for (size_t i = 0; i < n; ++i)
        numbers[i] = xlt_below(random, limit);
    return numbers;
}

/* Few systems have points if there are as many as there may be. */
static uint32_t *systems_of(const fuzz_case *c, const scene *s, size_t n, uint32_t more,
                            xlt_random *random)
{
    uint32_t *const systems = numbers_below(n, s->num_systems + more, random);
    for (size_t i = 0; i < n && c->of[SYSTEMS]; ++i)
        systems[i] = s->num_systems + more - 1 - (systems[i] % 5 << 16);
    return systems;
}

static size_t rows_between(const scene *s, uint64_t rows)
{
    const size_t left = s->rows - s->first;
    return rows > 0 && rows < left ? (size_t)rows : left;
}

static size_t points_of(const fuzz_case *c)
{
    const size_t enough = nearest_of(c) + 3;
    const bool needs = c->of[PRIMITIVE] == NEAREST && c->of[SPACE] >= SPACE_BOX && !c->of[LIMITED];
    return needs && c->of[N] < enough ? enough : (size_t)c->of[N];
}

static uint32_t stride_of(const fuzz_case *c)
{
    static const uint8_t strides[] = {3, 4, 7};
    return strides[c->of[STRIDE]];
}

scene make_scene(const fuzz_case *c)
{
    xlt_random shape = random_of(c->of[SHAPE], 6), random = random_of(c->of[SEED], 5);
    scene s = {.n = points_of(c),
               .stride = stride_of(c),
               .dimensions = 3 - (uint32_t)c->of[DIMENSIONS],
               .wide = c->of[SCALAR] != 0,
               .bytes = c->of[SCALAR] ? sizeof(double) : sizeof(float),
               .num_systems = c->of[BATCH] ? 1 + xlt_below(&shape, 40) : 0};
    const uint32_t all = (1u << s.dimensions) - 1, some = (uint32_t)c->of[AXES] & all;
    if (c->of[SYSTEMS])
        s.num_systems = 1u << 20;
    s.radius = rounded(&s, scene_radius(c));
    s.periodic = c->of[SPACE] < SPACE_BOX ? 0 : some ? some : all;
    s.rows = c->of[AROUND] ? (size_t)c->of[OTHER] : s.n;
    s.first = (size_t)c->of[FIRST] % (s.rows + 1);
    s.num = rows_between(&s, c->of[ROWS]);
    make_space(c, &s, &shape);
    make_points_in(c, &s, &random);
    if (s.num_systems > 0)
        s.systems = systems_of(c, &s, s.n, 0, &random);
    if (c->of[SPACE] == SPACE_OWN)
        make_own_cells(c, &s, &random);
    s.given = s.points;
    if (c->of[WRAP])
        put_points_out(&s, &random);
    if (c->of[AROUND])
        make_queries(c, &s, &random);
    if (c->of[FAILS])
        spoil_points(c, &s, &random);
    if (c->of[AROUND] && s.num_systems > 0) /* some of a system that there is not */
        s.query_systems = systems_of(c, &s, s.rows, 1, &random);
    if (c->of[AROUND] && s.own)
        put_queries_in_cells(&s, &random);
    make_radii(c, &s, &random);
    return s;
}

/* ---- grids ---------------------------------------------------------------------------------- */

tuned_way way_of(const fuzz_case *c)
{
    static const xl_tunable grids[][4] = {
        {{"grid.planes", 0}, {"grid.table", 64}, {"grid.thin", 8}, {"grid.window", 40}},
        {{"grid.planes", 0}, {"grid.table", 0}, {"grid.sampled", 1 << 20}, {"grid.window", 0}},
        {{"grid.planes", 0}, {"grid.table", 64}, {"grid.thin", 3}, {"grid.window", 0}}};
    static const xl_tunable searches[][3] = {
        {{"neighbors.walk", 0}, {"neighbors.staged", 12}, {"neighbors.together", 2}},
        {{"neighbors.walk", 0}, {"neighbors.staged", 0}, {"neighbors.together", 1}},
        {{"neighbors.walk", 37}, {"neighbors.staged", 0}, {"neighbors.together", 2}}};
    const uint64_t way = c->of[WAY];
    return way == 0 ? (tuned_way){NULL, NULL, 0, 0}
                    : (tuned_way){grids[way - 1], searches[way - 1], 4, 3};
}

/* Tiny points have the smallest cells, or, for a search, cells that are about as tiny. */
float cell_size_of(const fuzz_case *c)
{
    static const float sizes[] = {1.0f, 0.25f, 50.0f, 0.0f, 0.25f};
    if (c->of[SPREAD] != TINY)
        return sizes[c->of[CELL]];
    return c->of[PRIMITIVE] == MOVED ? FLT_MIN : fmaxf(FLT_MIN, (float)tiny_scale(c) / 3);
}

static xl_grid_desc describe(const fuzz_case *c)
{
    static const xl_grid_algorithm algorithms[] = {XL_GRID_AUTO, XL_GRID_COUNTING, XL_GRID_BITONIC};
    const tuned_way way = way_of(c);
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.space.dimensions = 3 - (uint32_t)c->of[DIMENSIONS];
    desc.space.scalar = c->of[SCALAR] ? XL_F64 : XL_F32;
    desc.space.bounds = c->of[SPACE] == SPACE_OPEN  ? XL_BOUNDS_FOUND
                        : c->of[SPACE] == SPACE_OWN ? XL_BOUNDS_PER_SYSTEM
                                                    : XL_BOUNDS_GIVEN;
    desc.stride = stride_of(c);
    desc.layout = c->of[LAYOUT] ? XL_POINTS_SOA : XL_POINTS_AOS;
    desc.cell_size = c->of[CELL] == CELL_CHOSEN ? 0 : (double)cell_size_of(c);
    desc.points_per_cell = c->of[CELL] == CELL_LONGER ? 20 : 0;
    desc.algorithm = algorithms[c->of[ALGORITHM] ? c->of[ALGORITHM] - ALGORITHM_COUNTING + 1 : 0];
    desc.tunables = way.grid;
    desc.num_tunables = way.num_grid;
    return desc;
}

/* A vector that points back makes a cell that is no box, in one dimension too. */
xl_status make_kind(const fuzz_case *c, const open_plan *plan, xl_plan **grid)
{
    xl_grid_desc desc = describe(c);
    const uint32_t d = desc.space.dimensions;
    for (uint32_t a = 0; a < d && desc.space.bounds == XL_BOUNDS_GIVEN; ++a)
        desc.space.cell[a][a] = c->of[SPACE] == SPACE_CELL ? -1 : 1;
    desc.space.periodic = c->of[SPACE] < SPACE_BOX || c->of[SPACE] == SPACE_OWN ? 0 : (1u << d) - 1;
    desc.space.num_systems = (uint32_t)c->of[BATCH];
    desc.space.wrap = (uint32_t)c->of[WRAP];
    return xl_grid_create(plan->ctx, &desc, grid);
}

bool make_grid(outcome *o, const fuzz_case *c, open_plan *plan, const scene *s)
{
    xl_grid_desc desc = describe(c);
    desc.space.periodic = s->own ? 0 : s->periodic;
    desc.space.wrap = (uint32_t)c->of[WRAP];
    desc.space.num_systems = s->num_systems;
    for (uint32_t a = 0; a < s->dimensions && desc.space.bounds == XL_BOUNDS_GIVEN; ++a) {
        desc.space.origin[a] = s->lower[a];
        for (uint32_t b = 0; b < s->dimensions; ++b)
            desc.space.cell[a][b] = a == b || c->of[SPACE] == SPACE_CELL ? s->cell[a][b] : 0;
    }
    const double start = seconds_now();
    plan->of.space.cells = s->own ? list_own_cells(s) : NULL;
    xl_plan_destroy(plan->of.space.grid);
    const xl_status status = xl_grid_create(plan->ctx, &desc, &plan->of.space.grid);
    plans_made.seconds += seconds_now() - start;
    return succeeded(o, plan->ctx, status, "xl_grid_create") &&
           (plan->of.space.index ||
            succeeded(o, plan->ctx, xl_grid_index_create(plan->ctx, &plan->of.space.index),
                      "xl_grid_index_create"));
}

void close_space(open_plan *plan)
{
    xl_grid_index_destroy(plan->of.space.index);
    xl_plan_destroy(plan->of.space.grid);
    plan->of.space.index = NULL;
    plan->of.space.grid = NULL;
    plan->of.space.cells = NULL;
    xl_plan_destroy(plan->of.space.near);
    xl_plan_destroy(plan->of.space.nearest);
    xl_plan_destroy(plan->of.space.morton);
    if (plan->of.space.kernel)
        clReleaseKernel(plan->of.space.kernel);
    if (plan->of.space.program)
        clReleaseProgram(plan->of.space.program);
}

/* ---- calls ---------------------------------------------------------------------------------- */

void add_points(scene *s, call_array *arrays, const char *name, const void *points, size_t n,
                size_t stride, bool apart, size_t at)
{
    if (!apart) {
        const size_t scalars = n > 0 ? (n - 1) * stride + s->dimensions : 0;
        arrays[0] = input_array(name, points, scalars, s->bytes, at);
        return;
    }
    for (size_t axis = 0; name && axis < s->dimensions; ++axis) {
        void *const array = make_bytes(n, s->bytes);
        for (size_t i = 0; i < n; ++i)
            memcpy((char *)array + i * s->bytes,
                   (const char *)points + (i * stride + axis) * s->bytes, s->bytes);
        s->axes[s->num_axes++] = array;
        arrays[axis] = input_array(name, array, n, s->bytes, at / (axis + 1));
    }
}

void add_scene(const fuzz_case *c, const open_plan *plan, scene *s, call_array *arrays)
{
    const size_t in = (size_t)c->of[IN_AT];
    size_t bytes = 0;
    const xl_status status =
        xl_grid_scratch(plan->of.space.grid, &(xl_grid_build_args){.n = s->n}, &bytes);
    XLT_TRUE(status == XL_SUCCESS);
    add_points(s, arrays + POINTS, "points", s->given, s->n, s->stride, c->of[LAYOUT] != 0, in);
    arrays[OF_SYSTEMS] = input_array(s->systems ? "systems" : NULL, s->systems, s->n, 4, in / 2);
    arrays[STORAGE] = scratch_array(c, bytes);
    add_points(s, arrays + QUERY_POINTS, s->queries ? "queries" : NULL, s->queries, s->rows,
               s->stride, c->of[LAYOUT] != 0, in / 3);
    add_radii(s, in, arrays);
    arrays[OF_QUERY_SYSTEMS] = input_array(s->query_systems ? "query_systems" : NULL,
                                           s->query_systems, s->rows, 4, in / 5);
}

xl_status build_scene(const fuzz_case *c, const open_plan *plan, const call_array *arrays,
                      const flight *f, cl_event *built)
{
    const xl_grid_build_args args = {.n = points_of(c),
                                     .points = array_view(&arrays[POINTS]),
                                     .points_y = array_view(&arrays[POINTS_Y]),
                                     .points_z = array_view(&arrays[POINTS_Z]),
                                     .systems = array_view(&arrays[OF_SYSTEMS]),
                                     .cells = plan->of.space.cells,
                                     .storage = array_view(&arrays[STORAGE])};
    return xl_grid_build_enqueue(plan->of.space.grid, plan->of.space.index, f->queue, &args,
                                 num_waits(f), waits(f), built);
}

/* Whether the report counts `spoilt` bad points, the first of which is `first`. */
static bool check_bad(outcome *o, const scene *s, uint64_t spoilt, uint64_t first, const char *kind)
{
    uint64_t wanted = UINT64_MAX;
    for (size_t k = 0; k < s->spoilt; ++k)
        wanted = s->bad[k] < wanted ? s->bad[k] : wanted;
    return (spoilt == s->spoilt && first == wanted) ||
           failed(o, "the report has %llu points %s, the first %llu; not %zu, the first %llu",
                  (unsigned long long)spoilt, kind, (unsigned long long)first, s->spoilt,
                  (unsigned long long)wanted);
}

xl_status build_status(const scene *s)
{
    return s->spoilt == 0  ? XL_SUCCESS
           : s->non_finite ? XL_ERROR_NON_FINITE
                           : XL_ERROR_OUT_OF_DOMAIN;
}

bool check_build(outcome *o, const open_plan *plan, const scene *s)
{
    xl_grid_report r;
    const xl_status status = xl_grid_index_status(plan->of.space.index, xlt_queue(), &r, 0, NULL),
                    wanted = build_status(s);
    if (status != wanted)
        return failed(o, "the build gave %s, not %s: %.300s", xl_status_name(status),
                      xl_status_name(wanted), xl_context_error(plan->ctx));
    if (r.points != s->n)
        return failed(o, "the report has %llu points, not %zu", (unsigned long long)r.points, s->n);
    return s->non_finite
               ? check_bad(o, s, r.non_finite, r.first_non_finite, "that are not finite")
               : check_bad(o, s, r.out_of_domain, r.first_out_of_domain, "outside the domain");
}

bool is_alike(const void *got, const void *wanted)
{
    float a, b;
    memcpy(&a, got, sizeof a);
    memcpy(&b, wanted, sizeof b);
    return zeros_are_alike() && a == b;
}

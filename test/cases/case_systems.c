/* SPDX-License-Identifier: MIT
 * A cell for each system of a batch, for the case runner: open, a box, a box that repeats or a cell
 * that does, each with its own origin. */
#include "cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The case of one system. The reference for the nearest takes no cell that is turned. Low cells are
 * not the farthest away, where places would round by more than a cell. */
static fuzz_case case_of_system(const fuzz_case *c, xlt_random *random)
{
    fuzz_case own = *c;
    own.of[SPACE] = xlt_below(random, 4);
    own.of[FAR] = xlt_below(random, 3) % (c->of[TIGHT] ? 2 : 3);
    if (c->of[PRIMITIVE] != NEAREST) {
        own.of[TURN] = xlt_below(random, 3);
        own.of[SKEW] = xlt_below(random, 3);
    }
    return own;
}

static scene_cell open_cell(const scene *s)
{
    scene_cell of = {.periodic = 0};
    for (uint32_t a = 0; a < s->dimensions; ++a) {
        of.upper[a] = s->wide ? DBL_MAX : (double)FLT_MAX;
        of.lower[a] = -of.upper[a];
    }
    return of;
}

/* As a scene that has this cell alone. */
static scene scene_of(const scene *s, const scene_cell *of)
{
    scene one = *s;
    one.periodic = of->periodic;
    memcpy(one.lower, of->lower, sizeof one.lower);
    memcpy(one.upper, of->upper, sizeof one.upper);
    memcpy(one.cell, of->cell, sizeof one.cell);
    return one;
}

static scene_cell cell_of_system(const fuzz_case *c, const scene *s, xlt_random *random)
{
    fuzz_case own = case_of_system(c, random);
    const uint32_t all = (1u << s->dimensions) - 1;
    scene one = *s;
    if (own.of[SPACE] == SPACE_OPEN)
        return open_cell(s);
    if (own.of[SPACE] != SPACE_CELL)
        own.of[TURN] = 0;
    one.periodic = own.of[SPACE] < SPACE_BOX ? 0 : 1 + xlt_below(random, all);
    memset(one.cell, 0, sizeof one.cell);
    memset(one.tilt, 0, sizeof one.tilt);
    memset(one.repeats, 0, sizeof one.repeats);
    make_space(&own, &one, random);
    for (uint32_t k = 0; k < 9 && own.of[SPACE] != SPACE_CELL; ++k)
        if (k / 3 != k % 3)
            one.all.cell[k / 3][k % 3] = 0;
    return one.all;
}

/* Points of an open system are in the box of the scene. */
static void put_point_in(const fuzz_case *c, const scene *s, size_t i, xlt_random *random)
{
    const scene_cell *const of = cell_of_point(s, i);
    const bool open = of->upper[0] > 1e30;
    const scene one = open ? *s : scene_of(s, of);
    const bool around = of->skewed && c->of[DATA] == RANDOM && xlt_below(random, 4) == 0;
    double part[3];
    for (size_t a = 0; a < 3; ++a)
        part[a] = part_along(c, random, i, a);
    for (uint32_t a = 0; a < s->dimensions; ++a)
        set_scalar(s, s->points, i * s->stride + a, coordinate(&one, of->skewed, part, a, around));
}

void make_own_cells(const fuzz_case *c, scene *s, xlt_random *random)
{
    xlt_random shape = random_of(c->of[SHAPE], 8);
    s->own = make_bytes(s->num_systems, sizeof *s->own);
    s->own_repeats = make_bytes(9 * (size_t)s->num_systems, sizeof *s->own_repeats);
    s->own_narrow = make_bytes(9 * (size_t)s->num_systems, sizeof *s->own_narrow);
    for (uint32_t k = 0; k < s->num_systems; ++k) {
        s->own[k] = cell_of_system(c, s, &shape);
        for (size_t j = 0; j < 9; ++j) {
            s->own_repeats[9 * k + j] = s->own[k].repeats[j];
            s->own_narrow[9 * k + j] = (float)s->own[k].repeats[j];
        }
    }
    s->periodic = 0;
    memset(s->period, 0, sizeof s->period);
    memset(s->tilt, 0, sizeof s->tilt);
    memset(s->repeats, 0, sizeof s->repeats);
    for (size_t i = 0; i < s->n; ++i)
        put_point_in(c, s, i, random);
}

/* At a point of the system, around its box, or nowhere. Far from the box it would be too far for
 * images. */
void put_queries_in_cells(scene *s, xlt_random *random)
{
    for (size_t i = 0; i < s->rows; ++i) {
        const uint32_t of_point = s->n > 0 ? xlt_below(random, (uint32_t)s->n) : 0;
        const bool stays = !isfinite(scalar_of(s, s->queries, i * s->stride)),
                   at_point = i % 4 == 0 && s->n > 0;
        if (at_point)
            s->query_systems[i] = s->systems[of_point];
        const uint32_t system = s->query_systems[i] < s->num_systems ? s->query_systems[i] : 0;
        const scene_cell *const of = &s->own[system];
        const bool open = of->upper[0] > 1e30;
        for (uint32_t a = 0; a < s->dimensions && !stays; ++a) {
            const double around = (1.4 * (double)xlt_unit(random) - 0.2) *
                                  (open ? s->radius : of->upper[a] - of->lower[a]);
            set_scalar(s, s->queries, i * s->stride + a,
                       at_point ? scalar_of(s, s->points, of_point * s->stride + a)
                                : (open ? 0 : of->lower[a]) + around);
        }
    }
}

xl_system_cell *list_own_cells(const scene *s)
{
    xl_system_cell *const cells = make_bytes(s->num_systems, sizeof *cells);
    memset(cells, 0, s->num_systems * sizeof *cells);
    for (uint32_t k = 0; k < s->num_systems; ++k) {
        if (s->own[k].upper[0] > 1e30)
            continue;
        cells[k].periodic = s->own[k].periodic;
        memcpy(cells[k].origin, s->own[k].lower, sizeof cells[k].origin);
        memcpy(cells[k].cell, s->own[k].cell, sizeof cells[k].cell);
    }
    return cells;
}

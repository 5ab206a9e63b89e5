/* SPDX-License-Identifier: MIT
 * The table of cells in device memory: a row of numbers for each cell, in the precision of the
 * coordinates. cl/grid/grid_map.cl reads it. */
#include "grid_plan.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* The parts of a row, of 16 numbers each. */
enum { BOUNDS, VECTORS, SLABS, LATTICE, FRACTIONS, PARTS, IN_PART = 16 };

static size_t row_bytes(const xli_space *s)
{
    return (size_t)PARTS * IN_PART * xli_scalar_bytes(s->scalar);
}

static void put(const xli_space *s, void *row, int part, int at, const double *from, int count)
{
    for (int k = 0; k < count; ++k)
        if (xli_space_is_wide(s))
            ((cl_double *)row)[part * IN_PART + at + k] = from[k];
        else
            ((cl_float *)row)[part * IN_PART + at + k] = (cl_float)from[k];
}

static void put_reals(const xli_space *s, void *row, int part, int at, const xli_grid_reals *from,
                      int count)
{
    for (int k = 0; k < count; ++k) {
        const double x = xli_space_is_wide(s) ? from->f64[k] : (double)from->f32[k];
        put(s, row, part, at + k, &x, 1);
    }
}

/* The corners, the largest coordinate or edge if images are compared, and 8 numbers of rounding. */
static void put_bounds(const xli_space *s, const xli_grid_lattice *lattice, void *row)
{
    double extent = 0;
    for (int k = 0; k < 3 && s->periodic; ++k)
        extent = xli_larger(
            extent, xli_larger(s->upper[k] - s->lower[k],
                               xli_larger(xli_magnitude(s->lower[k]), xli_magnitude(s->upper[k]))));
    put(s, row, BOUNDS, 0, s->lower, 3);
    put(s, row, BOUNDS, 3, &extent, 1);
    put(s, row, BOUNDS, 4, s->upper, 3);
    put_reals(s, row, BOUNDS, 8, &lattice->rounding, 8);
}

/* The origin; for each periodic vector what gives the fraction of a point along it; and the lengths
 * of the shortest vector of the basis, and of all. */
static void put_fractions(const xli_space *s, const xli_grid_lattice *lattice, void *row)
{
    double of[3][3];
    const double *const lengths = lattice->length;
    const double all = lengths[0] + lengths[1] + lengths[2];
    xli_grid_fractions_of(s->cell, s->skewed ? (1u << s->dimensions) - 1 : s->periodic, of);
    put(s, row, FRACTIONS, 0, s->origin, 3);
    for (int k = 0; k < 3; ++k)
        if (s->periodic >> k & 1)
            put(s, row, FRACTIONS, 3 + 3 * k, of[k], 3);
    put(s, row, FRACTIONS, 12, lengths, 1);
    put(s, row, FRACTIONS, 13, &all, 1);
}

/* A row of zeros becomes that of the cell. */
static void put_cell(const xli_space *s, const xli_grid_lattice *lattice, void *row)
{
    put_bounds(s, lattice, row);
    put_reals(s, row, VECTORS, 0, &lattice->cell, IN_PART);
    put_reals(s, row, SLABS, 0, &lattice->slabs, IN_PART);
    for (int k = 0; k < 12; ++k) { /* the others are not whole numbers */
        const double x = lattice->whole.s[k];
        put(s, row, LATTICE, k, &x, 1);
    }
    put_fractions(s, lattice, row);
}

xl_status xli_grid_table_of_one(xl_context *ctx, const xli_space *space,
                                const xli_grid_lattice *lattice, xli_grid_table *table)
{
    cl_double row[PARTS * IN_PART] = {0};
    put_cell(space, lattice, row);
    return xli_buffer_of(ctx, "clCreateBuffer", CL_MEM_READ_ONLY, row_bytes(space), row,
                         &table->rows);
}

/* ---- a cell for each system ------------------------------------------------------------------ */

static bool is_open(const xl_system_cell *cell)
{
    bool open = cell->periodic == 0;
    for (int row = 0; row < 3; ++row) {
        open = open && cell->origin[row] == 0;
        for (int column = 0; column < 3; ++column)
            open = open && cell->cell[row][column] == 0;
    }
    return open;
}

/* Checks the cell of a system as that of a plan. */
static xl_status read_cell(xl_context *ctx, const xli_space *of, const xl_system_cell *cell,
                           const char *name, xli_space *space)
{
    xl_status status;
    xl_space given = {.dimensions = of->dimensions,
                      .scalar = of->scalar,
                      .bounds = XL_BOUNDS_GIVEN,
                      .periodic = cell->periodic};
    memcpy(given.origin, cell->origin, sizeof given.origin);
    memcpy(given.cell, cell->cell, sizeof given.cell);
    XL_TRY(xli_space_read_named(ctx, name, &given, space));
    if (space->skewed)
        XL_TRY(xli_grid_fit_cell(ctx, space));
    for (uint32_t a = 0; a < of->dimensions && is_open(cell); ++a) {
        space->upper[a] = xli_space_is_wide(of) ? DBL_MAX : (double)FLT_MAX;
        space->lower[a] = -space->upper[a];
    }
done:
    return status;
}

static void limit_radius(const xli_grid_lattice *lattice, uint32_t system, xli_grid_table *table)
{
    for (uint32_t i = 0; i < lattice->rank; ++i)
        if (lattice->periods * lattice->height[i] < table->most_radius) {
            table->most_radius = lattice->periods * lattice->height[i];
            table->limits = system;
        }
}

xl_status xli_grid_table_of_all(xl_context *ctx, const xli_space *of, const xl_system_cell *cells,
                                xli_grid_table *table)
{
    xl_status status;
    const size_t bytes = row_bytes(of);
    char *rows = NULL;
    *table = (xli_grid_table){.most_radius = DBL_MAX};
    if (of->num_systems <= SIZE_MAX / bytes)
        rows = xli_alloc(of->num_systems * bytes);
    if (!rows)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for the cells of %u systems",
                        (unsigned)of->num_systems));
    for (uint32_t k = 0; k < of->num_systems; ++k) {
        xli_space space;
        char name[32];
        snprintf(name, sizeof name, "args.cells[%u]", (unsigned)k);
        XL_TRY(read_cell(ctx, of, &cells[k], name, &space));
        const xli_grid_lattice lattice = xli_grid_space_lattice(&space);
        put_cell(&space, &lattice, rows + k * bytes);
        limit_radius(&lattice, k, table);
    }
    XL_TRY(xli_buffer_of(ctx, "clCreateBuffer", CL_MEM_READ_ONLY, of->num_systems * bytes, rows,
                         &table->rows));
done:
    xli_free(rows);
    return status;
}

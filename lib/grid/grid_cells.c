/* SPDX-License-Identifier: MIT
 * The table of cells in device memory: a row of numbers for each cell, in the precision of the
 * coordinates. cl/grid/grid_wrap.cl reads it. */
#include "grid_plan.h"

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

/* Lower and upper corner, and 8 numbers of rounding. */
static void put_bounds(const xli_space *s, const xli_grid_lattice *lattice, void *row)
{
    put(s, row, BOUNDS, 0, s->lower, 3);
    put(s, row, BOUNDS, 4, s->upper, 3);
    put_reals(s, row, BOUNDS, 8, &lattice->rounding, 8);
}

/* The origin, and for each periodic vector what gives the fraction of a point along it. */
static void put_fractions(const xli_space *s, void *row)
{
    double of[3][3];
    xli_grid_fractions_of(s->cell, s->skewed ? (1u << s->dimensions) - 1 : s->periodic, of);
    put(s, row, FRACTIONS, 0, s->origin, 3);
    for (int k = 0; k < 3; ++k)
        if (s->periodic >> k & 1)
            put(s, row, FRACTIONS, 3 + 3 * k, of[k], 3);
}

/* A row of zeros becomes that of the cell. */
static void put_cell(const xli_space *s, const xli_grid_lattice *lattice, void *row)
{
    put_bounds(s, lattice, row);
    put_reals(s, row, VECTORS, 0, &lattice->cell, IN_PART);
    put_reals(s, row, SLABS, 0, &lattice->slabs, IN_PART);
    for (int k = 0; k < IN_PART; ++k) {
        const double x = lattice->whole.s[k];
        put(s, row, LATTICE, k, &x, 1);
    }
    put_fractions(s, row);
}

static xl_status copy_to_device(xl_context *ctx, size_t bytes, void *rows, cl_mem *table)
{
    cl_int code;
    *table = clCreateBuffer(xl_context_cl(ctx), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                            rows, &code);
    return xli_cl(ctx, code, "clCreateBuffer");
}

xl_status xli_grid_table_of_one(xl_context *ctx, const xli_space *space,
                                const xli_grid_lattice *lattice, cl_mem *table)
{
    cl_double row[PARTS * IN_PART] = {0};
    put_cell(space, lattice, row);
    return copy_to_device(ctx, row_bytes(space), row, table);
}

/* SPDX-License-Identifier: MIT
 * The table of cells: XL_CELL_PARTS * 16 numbers for each cell, in the precision of the
 * coordinates. lib/grid/grid_cells.c writes it. */
#ifndef XL_GRID_TABLE
#define XL_GRID_TABLE

#include "../prelude/prelude_real.cl"

enum {
    XL_CELL_BOUNDS,    /* lower corner, extent; upper corner, 0; 8 numbers of rounding */
    XL_CELL_VECTORS,   /* `cell` and `cell_more` of XL_CELL_PARAMETERS */
    XL_CELL_SLABS,     /* `slabs` and `slabs_more` */
    XL_CELL_LATTICE,   /* `lattice` */
    XL_CELL_FRACTIONS, /* the origin; for each periodic vector the normal whose product with a point
                          is its fraction; the lengths of the shortest vector and of all */
    XL_CELL_PARTS
};

xl_real16 xl_cell_numbers(__global const xl_real *cells, uint cell, uint part)
{
    return vload16((ulong)cell * XL_CELL_PARTS + part, cells);
}

bool xl_cell_all(xl_mask4 mask)
{
    return mask.x && mask.y && mask.z;
}

/* Whether a point is in the box, or in the box around the cell. */
bool xl_cell_holds(__global const xl_real *cells, uint cell, xl_real4 p)
{
    const xl_real16 bounds = xl_cell_numbers(cells, cell, XL_CELL_BOUNDS);
    return xl_cell_all((p >= (xl_real4)(bounds.s012, 0)) & (p <= (xl_real4)(bounds.s456, 0)));
}

#endif

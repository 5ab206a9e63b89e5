/* SPDX-License-Identifier: MIT
 * Points outside the box or the cell, along vectors that are periodic: moves them by whole vectors
 * (space.wrap). A point inside is taken as it is. A point that cannot be moved inside is returned
 * as it is, so that the build refuses it and reports the coordinates given. */
#ifndef XL_GRID_WRAP
#define XL_GRID_WRAP

#include "grid_table.cl"

/* A point, and the whole vectors that it was moved back by. */
typedef struct xl_wrapped {
    xl_real4 at; /* w is 0 */
    int4 whole;
} xl_wrapped;

/* Half the distance from 1 to the next number, and the most whole vectors. */
#if XL_F64
#define XL_WRAP_UNIT 0x1p-53
#define XL_WRAP_MOST ((double)0x1fffffff)
#else
#define XL_WRAP_UNIT 0x1p-24f
#define XL_WRAP_MOST 0x1p24f
#endif

#if XL_TRICLINIC
/* In a cell: by the whole part of the fractions, which are computed twice because those of a
 * distant point are rounded. Then a point that is outside by rounding alone is put on the face. */
xl_wrapped xl_wrap_into(xl_real4 p, xl_real4 lower, xl_real4 upper, __global const xl_real *cells,
                        uint cell)
{
#pragma OPENCL FP_CONTRACT OFF
    const xl_real16 v = xl_cell_numbers(cells, cell, XL_CELL_VECTORS);
    const xl_real16 of = xl_cell_numbers(cells, cell, XL_CELL_FRACTIONS);
    const xl_real4 origin = (xl_real4)(of.s012, 0);
    xl_real4 whole = (xl_real4)(0), at = p;
    for (int turn = 0; turn < 2 && !xl_cell_all((at >= lower) & (at <= upper)); ++turn) {
        const xl_real4 d = at - origin;
        whole += floor((xl_real4)((of.s3 * d.x + of.s4 * d.y) + of.s5 * d.z,
                                  (of.s6 * d.x + of.s7 * d.y) + of.s8 * d.z,
                                  (of.s9 * d.x + of.sa * d.y) + of.sb * d.z, 0));
        at = p - ((whole.x * (xl_real4)(v.s012, 0) + whole.y * (xl_real4)(v.s345, 0)) +
                  whole.z * (xl_real4)(v.s678, 0));
    }
    const xl_real4 near = fmin(fmax(at, lower), upper);
    const xl_real4 rounding = 8 * XL_WRAP_UNIT * (fabs(p) + fabs(p - at));
    const bool good = any(whole != 0) &&
                      xl_cell_all((fabs(near - at) <= rounding) & (fabs(whole) <= XL_WRAP_MOST));
    const xl_wrapped wrapped = {good ? near : p, good ? convert_int4(whole) : (int4)(0)};
    return wrapped;
}
#else
/* In a box, along each axis: by the largest whole number that leaves the coordinate not below the
 * box. fma() rounds once, so coordinates decrease with the number. Two quotients find it to within
 * one. A coordinate above the box is then there by rounding alone. */
xl_wrapped xl_wrap_into(xl_real4 p, xl_real4 lower, xl_real4 upper, __global const xl_real *cells,
                        uint cell)
{
    const xl_real16 v = xl_cell_numbers(cells, cell, XL_CELL_VECTORS);
    const xl_real4 period = (xl_real4)(v.s048, 0);
    const xl_mask4 moves = (period > 0) & ((p < lower) | (p > upper));
    const xl_real4 length = select((xl_real4)(1), period, moves);
    xl_real4 whole = floor((p - lower) / length);
    whole += floor((fma(-whole, length, p) - lower) / length);
    whole += select((xl_real4)(0), (xl_real4)(1), fma(-(whole + 1), length, p) >= lower);
    whole -= select((xl_real4)(0), (xl_real4)(1), fma(-whole, length, p) < lower);
    const xl_real4 at = select(p, fmin(fma(-whole, length, p), upper), moves);
    const bool near = xl_cell_all(
        !moves | ((8 * XL_WRAP_UNIT * fabs(p) <= 8 * length) & (fabs(whole) <= XL_WRAP_MOST)));
    const bool good = near && xl_cell_all((at >= lower) & (at <= upper));
    const xl_wrapped wrapped = {
        good ? at : p, good ? convert_int4(select((xl_real4)(0), whole, moves)) : (int4)(0)};
    return wrapped;
}
#endif

/* Moves a point, whose w is 0, into cell number `cell` of the table. */
xl_wrapped xl_wrap(__global const xl_real *cells, uint cell, xl_real4 p)
{
    const xl_real16 bounds = xl_cell_numbers(cells, cell, XL_CELL_BOUNDS);
    const xl_real4 lower = (xl_real4)(bounds.s012, 0), upper = (xl_real4)(bounds.s456, 0);
    const xl_wrapped as_given = {p, (int4)(0)};
    if (xl_cell_all((p >= lower) & (p <= upper)) || !xl_real4_finite(p))
        return as_given;
    return xl_wrap_into(p, lower, upper, cells, cell);
}

#endif

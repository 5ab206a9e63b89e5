/* SPDX-License-Identifier: MIT
 * How far an interval is from the points of a row of cells, along y or z. In edges of a cell: the
 * product of a coordinate and the inverse of the edge. */
#ifndef XL_GRID_GAP
#define XL_GRID_GAP

/* Defines `gap`, a lower bound of the distance between any coordinate from `least` to `most` and any
 * coordinate of the rows `first`. These are whole numbers, and the product of a coordinate of a row
 * is from its number to the next, after rounding. Products and the whole numbers may be off by some
 * units of 2^-24. `margin` is subtracted, too: the caller's own bound of other errors. */
#define XL_GRID_GAP_OF(type, gap)                                                                  \
    type gap(type least, type most, type first, float margin)                                      \
    {                                                                                              \
        const type rounding = ((fabs(least) + fabs(most)) + (fabs(first) + 2.0f)) * 0x1p-21f;      \
        return fmax(fmax(least - (first + 1.0f), first - most) - (rounding + margin), 0.0f);       \
    }
XL_GRID_GAP_OF(float, xl_grid_gap)
XL_GRID_GAP_OF(float8, xl_grid_gaps)

#endif

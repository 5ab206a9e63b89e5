/* SPDX-License-Identifier: MIT
 * The box of points in double precision, and the same box in the grid's own coordinates: floats
 * relative to the lower corner (cl/grid/grid_map.cl). */
#include "grid_plan.h"

#include <string.h>

/* XL_GRID_FARTHEST of cl/grid/grid_map.cl. */
#define FARTHEST 0x1.fffffcp127f

/* As xl_grid_narrow() there. */
static float narrow(double x)
{
    return x > (double)FARTHEST ? FARTHEST : (float)x;
}

/* The next float above one that is 0 or more. */
static float above(float x)
{
    cl_uint bits;
    memcpy(&bits, &x, sizeof bits);
    ++bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double larger(double a, double b)
{
    b = b < 0 ? -b : b;
    return a < b ? b : a;
}

void xli_grid_set_box(xl_grid_desc *desc, xli_grid_box *box)
{
    *box = (xli_grid_box){.extent = 0};
    for (uint32_t a = 0; a < desc->dimensions && desc->bounded; ++a) {
        const double lower = desc->lower_f64[a], upper = desc->upper_f64[a];
        const double length = upper - lower;
        box->lower.s[a] = lower;
        box->upper.s[a] = upper;
        box->period.s[a] = !desc->triclinic && desc->periodic & 1u << a ? length : 0;
        if (desc->periodic)
            box->extent = larger(larger(larger(box->extent, lower), upper), length);
        desc->lower[a] = 0;
        desc->upper[a] = narrow(length);
        box->outside.s[a] = above(desc->upper[a]);
    }
}

/* SPDX-License-Identifier: MIT
 * Support of the tests of triclinic cells of points of double precision. */
#include "triclinic_f64_support.h"

#include <math.h>
#include <string.h>

void set_parts(const xl_grid_desc *desc, places *p, size_t i, const double parts[3])
{
    for (uint32_t axis = 0; axis < desc->dimensions; ++axis) {
        double *const x = &p->xyz[3 * i + axis];
        *x = desc->lower_f64[axis];
        for (uint32_t row = axis; row < desc->dimensions; ++row)
            *x += parts[row] * desc->cell_f64[row][axis];
    }
}

places places_in(const xl_grid_desc *desc, size_t n, uint64_t seed)
{
    xlt_random random = {seed};
    places p = places_make(n, 3);
    for (size_t i = 0; i < n; ++i) {
        double parts[3];
        for (int row = 0; row < 3; ++row)
            parts[row] = wide_unit(&random);
        set_parts(desc, &p, i, parts);
    }
    return p;
}

places places_lattice_in(const xl_grid_desc *desc, size_t side)
{
    places p = places_make(side * side * side, 3);
    for (size_t i = 0; i < p.n; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        double parts[3];
        for (int row = 0; row < 3; ++row)
            parts[row] = (double)at[row] / (double)side;
        set_parts(desc, &p, i, parts);
    }
    return p;
}

void scatter(const xl_grid_desc *desc, places *p, uint64_t seed)
{
    xlt_random random = {seed};
    for (size_t i = 0; i < p->n; i += 4)
        for (size_t axis = 0; axis < 3; ++axis) {
            double low = desc->lower_f64[axis], high = low;
            for (size_t row = axis; row < 3; ++row) {
                low += fmin(desc->cell_f64[row][axis], 0);
                high += fmax(desc->cell_f64[row][axis], 0);
            }
            p->xyz[3 * i + axis] = low + (high - low) * wide_unit(&random);
        }
}

wide_case case_of(const double cell[3][3], const double lower[3], double radius)
{
    wide_case a = {.points = NULL};
    xl_grid_desc_init(&a.grid);
    xl_neighbors_desc_init(&a.search);
    a.grid.scalar = a.search.scalar = XL_F64;
    a.grid.triclinic = 1;
    a.grid.periodic = 7;
    a.grid.cell_size = 0.4f;
    memcpy(a.grid.cell_f64, cell, sizeof a.grid.cell_f64);
    memcpy(a.grid.lower_f64, lower, sizeof a.grid.lower_f64);
    a.search.radius_f64 = radius;
    return a;
}

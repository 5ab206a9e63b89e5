/* SPDX-License-Identifier: MIT
 * Points of double precision in a triclinic cell. */
#ifndef TRICLINIC_F64_SUPPORT_H
#define TRICLINIC_F64_SUPPORT_H

#include "wide_search.h"

/* The place in the cell whose parts along its vectors these are. */
void set_parts(const xl_grid_desc *desc, places *p, size_t i, const double parts[3]);
/* Uniform in the cell. */
places places_in(const xl_grid_desc *desc, size_t n, uint64_t seed);
/* side^3 places, the same part of each vector apart. */
places places_lattice_in(const xl_grid_desc *desc, size_t side);
/* Puts each fourth point anywhere into the box around the cell. */
void scatter(const xl_grid_desc *desc, places *p, uint64_t seed);
/* Without points yet; all three vectors repeat. */
wide_case case_of(const double cell[3][3], const double lower[3], double radius);

#endif

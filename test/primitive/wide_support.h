/* SPDX-License-Identifier: MIT
 * Points of double precision and an index of them: what the tests of grids, lists, the nearest and
 * kernels of one's own share there. */
#ifndef WIDE_SUPPORT_H
#define WIDE_SUPPORT_H

#include "grid_support.h"

typedef struct places {
    double *xyz; /* n * stride; what lies between points is NaN; the caller's to free */
    size_t n, stride;
} places;
places places_make(size_t n, size_t stride);
/* Uniform in a cube with the corner `low` and the given edge. */
places places_uniform(size_t n, size_t stride, double low, double edge, uint64_t seed);
/* side^3 points `spacing` apart from `low` on. */
places places_lattice(size_t side, double low, double spacing);
void places_set(places *p, size_t i, double x, double y, double z);
double wide_unit(xlt_random *random); /* [0, 1) */
/* How many points a test that wants n has on this device. */
size_t wide_sized(size_t n);

bool lacks_doubles(void); /* the device */
#define NEEDS_DOUBLES()                                                                            \
    if (lacks_doubles()) {                                                                         \
        skip();                                                                                    \
        return;                                                                                    \
    }

/* A search with all that it may have, and the same for the reference. */
typedef struct wide_case {
    const places *points, *queries; /* queries: NULL, those of the index */
    const double *radii;            /* or NULL */
    bool soa;                       /* all of them have an array for each axis */
    xl_grid_desc grid;
    xl_neighbors_desc search;
    tuned how;
} wide_case;
wide_case wide_case_of(const places *p, double radius);
void wide_give_box(wide_case *a, double low, double high, uint32_t periodic);
/* How space repeats, as the references have it. */
void wide_cell_of(const xl_grid_desc *grid, double period[3], double tilt[3]);
ref_search_f64 wide_reference_of(const wide_case *a);

/* Places on the device: an array, or one for each axis, of which none begins where its buffer
 * does. */
typedef struct given {
    xlt_buffer axis[3];
    xl_view view[3];
} given;
given given_make(const places *p, size_t dimensions, bool soa);
void given_free(given *g);

/* A case's points and their index, in storage that is watched by guards. */
typedef struct wide_index {
    xl_grid *grid;
    xl_grid_index *index;
    given points;
    xlt_buffer storage, systems;
} wide_index;
wide_index wide_index_make(const wide_case *a);
void wide_index_free(wide_index *b);
/* The system of each of n points or queries, where grid.num_systems is 1. */
xlt_buffer wide_one_system(size_t n);

#endif

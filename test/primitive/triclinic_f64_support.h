/* SPDX-License-Identifier: MIT
 * Searches of points of double precision in a triclinic cell, with all that they may have, against
 * every pair and every image of it. */
#ifndef TRICLINIC_F64_SUPPORT_H
#define TRICLINIC_F64_SUPPORT_H

#include "neighbors_support.h"

bool device_has_none(void);
#define NEEDS_DOUBLES()                                                                            \
    if (device_has_none()) {                                                                       \
        skip();                                                                                    \
        return;                                                                                    \
    }

typedef struct places {
    double *xyz; /* three of each, however many count */
    size_t n, stride;
} places;
places places_make(size_t n);
double unit(xlt_random *random);
/* The place in the cell whose parts along its vectors these are. */
void set_parts(const xl_grid_desc *desc, places *p, size_t i, const double parts[3]);
/* Uniform in the cell. */
places places_in(const xl_grid_desc *desc, size_t n, uint64_t seed);
/* side^3 places, the same part of each vector apart. */
places places_lattice(const xl_grid_desc *desc, size_t side);
/* Puts each fourth point anywhere into the box around the cell. */
void scatter(const xl_grid_desc *desc, places *p, uint64_t seed);

typedef struct wide_case {
    const places *points, *queries; /* queries: NULL, those of the index */
    const double *radii;            /* or NULL */
    bool soa;                       /* all of them have an array for each axis */
    xl_grid_desc grid;
    xl_neighbors_desc search;
    tuned how;
} wide_case;
/* Without points yet; all three vectors repeat. */
wide_case case_of(const double cell[3][3], const double lower[3], double radius);
/* How space repeats, as the references have it. */
void cell_of(const xl_grid_desc *grid, double period[3], double tilt[3]);
ref_search_f64 reference_of(const wide_case *a);

/* What the reference finds. */
typedef struct wanted {
    uint64_t *offsets;
    uint32_t *indices;
    ref_pairs_f64 all;
    size_t n;
} wanted;
wanted wanted_of(const wide_case *a);
void wanted_free(wanted *w);

/* Places on the device: an array, or one for each axis. */
typedef struct given {
    xlt_buffer axis[3];
    xl_view view[3];
} given;
given given_make(const places *p, size_t dimensions, bool soa);
void given_free(given *g);

typedef struct call {
    xl_grid *grid;
    xl_grid_index *index;
    xl_neighbors *plan;
    given points, queries;
    xlt_buffer radii;
    size_t n, num_queries, dimensions;
} call;
/* Plans, and an index that is built. */
call call_make(const wide_case *a);
void call_free(call *c);
/* Whose neighbours are searched, in any call's arguments. */
#define QUERIES(c)                                                                                 \
    .num_queries = (c)->num_queries, .queries = (c)->queries.view[0],                              \
    .queries_y = (c)->queries.view[1], .queries_z = (c)->queries.view[2],                          \
    .radii = xlt_view(&(c)->radii)

/* Counts, rows with all there is of them, and sums are those of the reference. Returns the number
 * of pairs. */
uint64_t check(const char *what, const wide_case *a);
/* In every way that a search is done; of few programs, in one after the other. */
uint64_t check_ways(const char *what, wide_case a);

#endif

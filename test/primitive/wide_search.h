/* SPDX-License-Identifier: MIT
 * A search of points of double precision with all that it may have, on the device and by the
 * reference: what the tests of lists share there. */
#ifndef WIDE_SEARCH_H
#define WIDE_SEARCH_H

#include "neighbors_support.h"
#include "wide_support.h"

/* What the reference finds. */
typedef struct wanted {
    uint64_t *offsets;
    uint32_t *indices;
    ref_pairs_f64 all;
    size_t n;
} wanted;
wanted wanted_of(const wide_case *a);
void wanted_free(wanted *w);

/* A plan and an index that is built. */
typedef struct call {
    wide_index of;
    xl_neighbors *plan;
    given queries;
    xlt_buffer radii, query_systems;
    size_t n, num_queries, dimensions;
} call;
call call_make(const wide_case *a);
void call_free(call *c);
/* Whose neighbours are searched, in any call's arguments. */
#define QUERIES(c)                                                                                 \
    .num_queries = (c)->num_queries, .queries = (c)->queries.view[0],                              \
    .queries_y = (c)->queries.view[1], .queries_z = (c)->queries.view[2],                          \
    .radii = xlt_view(&(c)->radii), .query_systems = xlt_view(&(c)->query_systems)

/* Counts, rows with all there is of them, and sums are those of the reference. Returns the number
 * of pairs. */
uint64_t check(const char *what, const wide_case *a);
/* In every way that a search is done; of few programs, in one for each form. */
uint64_t check_ways(const char *what, wide_case a);

#endif

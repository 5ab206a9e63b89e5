/* SPDX-License-Identifier: MIT
 * A search with all that it may have, on the device, and its pairs: what the tests of neighbour
 * lists share that give queries, radii or space that repeats. */
#ifndef NEIGHBORS_SUPPORT_H
#define NEIGHBORS_SUPPORT_H

#include "grid_support.h"

/* One plan, one index, and what the caller gives, guarded: of queries that are not apart all is in
 * the first array. There is room for the offsets. */
typedef struct search_call {
    xl_neighbors *plan;
    built b;
    xlt_buffer queries[3], radii, query_systems, offsets;
    size_t n, num_queries, dimensions;
} search_call;
search_call search_call_make(const search_case *a);
void search_call_free(search_call *c);
/* Whose neighbours are searched, in any call's arguments. */
#define SEARCHED(c)                                                                                \
    .num_queries = (c)->num_queries, .queries = xlt_view(&(c)->queries[0]),                        \
    .queries_y = xlt_view(&(c)->queries[1]), .queries_z = xlt_view(&(c)->queries[2]),              \
    .radii = xlt_view(&(c)->radii), .query_systems = xlt_view(&(c)->query_systems)
/* Into the offsets of the call. */
void search_call_count(const search_call *c);

/* In every way that a search is done; of few programs, in one for each form. `check` returns the
 * number of pairs, which this does, too. */
uint64_t check_in_ways(const char *what, search_case a,
                       uint64_t (*check)(const char *what, const search_case *a));

/* A pair with all there is of it, in either precision: a float is a double, too. */
typedef struct pair {
    uint32_t index;
    int32_t shift[3];
    double distance2, vector[3];
} pair;
/* For qsort(): the order of sorted rows. */
int pair_by_image(const void *a, const void *b);
/* Fails at the first of n pairs of a row that is not the wanted one; where rows may be in any order
 * `got` is sorted first. */
void row_equal(const char *what, size_t row, pair *got, const pair *wanted, size_t n, bool sorted);

#endif

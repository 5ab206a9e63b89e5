/* SPDX-License-Identifier: MIT
 * What benchmarks of grids and neighbour lists share: plans, buffers, the list, a density. */
#ifndef XL_BENCH_NEAR_H
#define XL_BENCH_NEAR_H

#include "bench.h"

#include "reference.h"

/* A benchmark's own buffers are numbered from NEAR_OWN on. */
enum {
    NEAR_POINTS,
    NEAR_STORAGE,
    NEAR_COUNTS,
    NEAR_OFFSETS,
    NEAR_INDICES,
    NEAR_SCRATCH,
    NEAR_DENSITY,
    NEAR_SYSTEMS, /* of a batch, of each point */
    NEAR_OWN,
    NEAR_BUFFERS = 16
};
enum { NEAR_GRIDS = 4 };

/* Starts as zeros, but for n. */
typedef struct bench_near {
    size_t n;
    xl_plan *grids[NEAR_GRIDS]; /* one for each way to build */
    int way;                    /* of these the one that bench_near_build takes */
    xl_grid_index *index;
    xl_plan *search;
    float start, params[4]; /* of the density */
    cl_mem mem[NEAR_BUFFERS];
    uint64_t pairs;
} bench_near;

/* A visit that sums params[1] (params[0] - distance^2)^3. */
extern const char bench_near_poly6[];

/* The index and the search, and the only grid, unless that is NULL. */
xl_status bench_near_plans(bench *b, bench_near *x, const xl_grid_desc *grid,
                           const xl_neighbors_desc *search);

/* False: there is no memory. The last two: the points with the storage of an index by any of the
 * grids; offsets with the scratch memory of a count. */
bool bench_near_buffer(bench *b, bench_near *x, int which, size_t bytes, void *host);
bool bench_near_points(bench *b, bench_near *x, size_t bytes, void *host);
bool bench_near_rows(bench *b, bench_near *x);

/* Each a bench_enqueue, of a bench_near. Counts are written where there is a buffer for them. */
xl_status bench_near_build(bench *b, void *user, cl_event *event);
xl_status bench_near_count(bench *b, void *user, cl_event *event);
xl_status bench_near_fill(bench *b, void *user, cl_event *event);
xl_status bench_near_density(bench *b, void *user, cl_event *event);

/* Waits for the number of pairs, and makes the buffer of the indices unless it is there. */
xl_status bench_near_pairs(bench *b, bench_near *x);

/* Build, count, the number of pairs, fill. */
xl_status bench_near_list(bench *b, bench_near *x);

/* The first `bytes` of a buffer. */
bool bench_near_read(bench *b, const bench_near *x, int which, size_t bytes, void *to);

/* The counts of some points all over the array, against a serial search of the same points, whose
 * queries are filled in here. NULL: they are right. */
const char *bench_near_fault(bench *b, const bench_near *x, const ref_search *of_points);

/* Whether --match leaves in any of the rows of a cloud, and times those: build, count, fill (of
 * a list that was made) and density. False: one failed. */
bool bench_near_wants(const bench *b, const char *cloud);
bool bench_near_time(bench *b, bench_near *x, const char *name, const char *cloud);

/* Gives back all of it, the benchmark's own buffers too. */
void bench_near_end(bench_near *x);

#endif

/* SPDX-License-Identifier: MIT
 * Shared by benchmarks of grids and neighbour lists: plans, buffers, the list, a density. */
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

/* Starts as zeros, except n, the radius and the points. A benchmark's structure begins with it. */
typedef struct bench_near {
    size_t n;
    double radius;
    void *points;               /* of the host; bench_near_end() frees them */
    xl_plan *grids[NEAR_GRIDS]; /* one for each way to build */
    int way;                    /* of these the one that bench_near_build takes */
    xl_grid_index *index;
    xl_plan *search;
    float start, params[4]; /* of the density */
    cl_mem mem[NEAR_BUFFERS];
    uint64_t pairs;
} bench_near;

/* A visit that sums params[1] (params[0] - distance^2)^3, and its parameters: params[1] makes a
 * neighbour at distance 0 count 1. */
extern const char bench_near_poly6[];
void bench_near_set_poly6(bench_near *x);

/* Default descriptors with the radius, also as the size of cells. */
void bench_near_descs(const bench_near *x, xl_grid_desc *grid, xl_neighbors_desc *search);

/* The index and the search, and the only grid, unless that is NULL. */
xl_status bench_near_plans(bench *b, bench_near *x, const xl_grid_desc *grid,
                           const xl_neighbors_desc *search);

/* False: there is no memory. The points take `point_bytes` each; with them comes the storage of an
 * index by any of the grids. NEAR_FOR_LISTS: offsets and the scratch memory of a count. */
enum { NEAR_FOR_LISTS = 1, NEAR_FOR_COUNTS = 2, NEAR_FOR_DENSITY = 4, NEAR_FOR_ALL = 7 };
bool bench_near_buffer(bench *b, bench_near *x, int which, size_t bytes, void *host);
bool bench_near_buffers(bench *b, bench_near *x, size_t point_bytes, unsigned wanted);

/* Each a bench_enqueue, of a bench_near. Counts are written if there is a buffer for them. */
xl_status bench_near_build(bench *b, void *user, cl_event *event);
xl_status bench_near_count(bench *b, void *user, cl_event *event);
xl_status bench_near_fill(bench *b, void *user, cl_event *event);
xl_status bench_near_density(bench *b, void *user, cl_event *event);

/* Waits for the number of pairs, and makes the buffer of the indices if there is none. */
xl_status bench_near_pairs(bench *b, bench_near *x);

/* Build, count, the number of pairs, fill. */
xl_status bench_near_list(bench *b, bench_near *x);

/* Reads the first `bytes` of a buffer to `to`, or into memory that the caller frees; NULL: it
 * failed. */
bool bench_near_read(bench *b, const bench_near *x, int which, size_t bytes, void *to);
void *bench_near_copy(bench *b, const bench_near *x, int which, size_t bytes);

/* Compares all counts with these, or those of some points with a serial search, whose queries are
 * set here. NULL: they are right. */
const char *bench_near_counts_fault(bench *b, const bench_near *x, const uint32_t *wanted);
const char *bench_near_fault(bench *b, const bench_near *x, const ref_search *of_points);

/* Times the rows that --match leaves in, whose variants are "WHAT, CLOUD", or WHAT if `cloud` is
 * NULL. False: one failed. */
typedef struct bench_timed {
    const char *what;
    bench_enqueue *enqueue;   /* NULL: there is no such row */
    double of_point, of_pair; /* bytes; with of_pair the row is left out if no list was made */
    int way;                  /* of bench_near */
} bench_timed;
bool bench_near_time_rows(bench *b, bench_near *x, const char *name, const char *cloud,
                          const bench_timed *rows, size_t count);

/* Whether --match, --min-n and --max-n select any of these rows of a cloud. */
bool bench_near_wants_rows(const bench *b, size_t n, const char *cloud, const bench_timed *rows,
                           size_t count);

/* The same of build, count, fill and density, and times those. */
bool bench_near_wants(const bench *b, size_t n, const char *cloud);
bool bench_near_time(bench *b, bench_near *x, const char *name, const char *cloud);

/* Releases all of it, the benchmark's own buffers too. */
void bench_near_end(bench_near *x);

#endif

/* SPDX-License-Identifier: MIT
 * Neighbour lists from points to the exact, ordered CSR list, on the wall clock: box, build, count,
 * the list's length read back, fill. Beside it a cell list in plain C on the host's cores
 * (bench_cells.c), which must find the same list. Clouds: uniform points with about 29 neighbours,
 * a sheet with bumps with about 28, and with --cloud FILE.npy:RADIUS the points of a file. */
#include "bench_cells.h"
#include "bench_clouds.h"
#include "bench_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    bench_near near;
    uint64_t *offsets; /* the peer's */
    uint32_t *indices;
} job;

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    bench_near_descs(&j->near, &grid, &search);
    const xl_status status = bench_near_plans(b, &j->near, &grid, &search);
    if (status != XL_SUCCESS)
        return status;
    return bench_near_buffers(b, &j->near, 12, NEAR_FOR_LISTS) ? XL_SUCCESS
                                                               : XL_ERROR_OUT_OF_MEMORY;
}

/* Two parts of the time of list(): until the build was done, until the length was known. */
typedef struct lap {
    double built, counted, filled;
} lap;

static xl_status list(bench *b, bench_near *x, lap *at)
{
    xl_status status = bench_near_build(b, x, NULL);
    if (at)
        clFinish(b->queue), at->built = bench_now();
    if (status == XL_SUCCESS)
        status = bench_near_count(b, x, NULL);
    if (status == XL_SUCCESS)
        status = bench_near_pairs(b, x);
    if (at)
        at->counted = bench_now();
    if (status == XL_SUCCESS)
        status = bench_near_fill(b, x, NULL);
    clFinish(b->queue);
    if (at)
        at->filled = bench_now();
    return status;
}

/* ---- the peer, and a comparison of both lists ------------------------------ */

static const char *differ(bench *b, const job *j)
{
    const size_t wide = (j->near.n + 1) * sizeof(uint64_t),
                 narrow = (size_t)j->near.pairs * sizeof(uint32_t);
    uint64_t *offsets = bench_near_copy(b, &j->near, NEAR_OFFSETS, wide);
    uint32_t *indices = bench_near_copy(b, &j->near, NEAR_INDICES, narrow);
    const char *why = "no memory";
    if (offsets && indices)
        why = memcmp(offsets, j->offsets, wide) != 0     ? "offsets differ from the cell list's"
              : memcmp(indices, j->indices, narrow) != 0 ? "rows differ from the cell list's"
                                                         : NULL;
    free(offsets);
    free(indices);
    return why;
}

static void time_list(bench *b, job *j, const char *variant, double bytes)
{
    enum { MOST = 32 };
    double times[MOST], parts[3] = {0, 0, 0};
    const unsigned runs = b->runs < MOST ? b->runs : MOST;
    for (unsigned run = 0; run < runs; ++run) {
        lap at;
        const double start = bench_now();
        const xl_status status = list(b, &j->near, b->options->progress ? &at : NULL);
        if (!bench_right(b, "lists", variant, j->near.n, status, NULL))
            return;
        times[run] = 1e3 * (bench_now() - start);
        if (b->options->progress) {
            parts[0] += 1e3 * (at.built - start) / runs;
            parts[1] += 1e3 * (at.counted - at.built) / runs;
            parts[2] += 1e3 * (at.filled - at.counted) / runs;
        }
    }
    if (b->options->progress)
        fprintf(stderr, "%s: build %.2f ms, count %.2f, fill %.2f, on average\n", variant, parts[0],
                parts[1], parts[2]);
    bench_host_case(b, "crosslane", "lists", variant, j->near.n, bytes, bench_median(times, runs));
}

/* False, and the fault is filed, if the lists differ or there is no memory for the peer's. */
static bool run_peer(bench *b, job *j, const char *cloud, double bytes)
{
    const size_t n = j->near.n, pairs = (size_t)j->near.pairs;
    char peer[32];
    snprintf(peer, sizeof peer, "C on %d cores", bench_cells_threads());
    j->offsets = malloc((n + 1) * sizeof *j->offsets);
    j->indices = malloc(pairs * sizeof *j->indices + 1);
    if (!j->offsets || !j->indices)
        return bench_right(b, "lists", cloud, n, XL_ERROR_OUT_OF_MEMORY, NULL);
    const double ms = bench_cells(j->near.points, n, (float)j->near.radius, j->offsets, j->indices,
                                  pairs, b->runs);
    if (ms < 0) {
        bench_host_wrong(b, peer, "lists", cloud, n, "the cell list has other pairs");
        return true;
    }
    if (!bench_right(b, "lists", cloud, n, XL_SUCCESS, differ(b, j)))
        return false;
    bench_host_case(b, peer, "lists", cloud, n, bytes, ms);
    return true;
}

static void run(bench *b, const char *cloud, float *points, size_t n, float radius)
{
    job j = {.near = {.n = n, .radius = radius, .points = points}};
    const char *why = points ? NULL : "the points are not there";
    xl_status status = points ? make_plans(b, &j) : XL_SUCCESS;
    if (points && status == XL_SUCCESS)
        status = list(b, &j.near, NULL);
    const double bytes = 20 * (double)n + 4 * (double)j.near.pairs;
    if (bench_right(b, "lists", cloud, n, status, why) && run_peer(b, &j, cloud, bytes))
        time_list(b, &j, cloud, bytes);
    bench_near_end(&j.near);
    free(j.offsets);
    free(j.indices);
}

void bench_lists(bench *b)
{
    size_t n = 0;
    float radius = 0, *points;
    if (bench_wants(b, "uniform")) {
        points = bench_list_uniform(&n, &radius);
        run(b, "uniform", points, n, radius);
    }
    if (bench_wants(b, "sheet")) {
        points = bench_list_sheet(&n, &radius);
        run(b, "sheet", points, n, radius);
    }
    if (b->options->cloud && bench_wants(b, "of a file")) {
        points = bench_cloud_of_file(b->options->cloud, &n, &radius);
        run(b, "of a file", points, n, radius);
    }
}

/* SPDX-License-Identifier: MIT
 * Neighbour lists from points to the exact, ordered CSR list, on the wall clock: box, build, count,
 * the list's length read back, fill. Beside it a cell list in plain C on the host's cores
 * (bench_cells.c), which must find the same list. Clouds: uniform points of some 29 neighbours, a
 * sheet with bumps of some 28, and with --cloud FILE.npy:RADIUS the points of a file. */
#include "bench_cells.h"
#include "bench_clouds.h"
#include "bench_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    bench_near near;
    float radius;
    float *points;
    uint64_t *offsets; /* the peer's */
    uint32_t *indices;
} job;

/* ---- clouds --------------------------------------------------------------- */

static bool make_uniform(job *j, const char *path)
{
    (void)path;
    j->points = bench_list_uniform(&j->near.n, &j->radius);
    return j->points != NULL;
}

static bool make_sheet(job *j, const char *path)
{
    (void)path;
    j->points = bench_list_sheet(&j->near.n, &j->radius);
    return j->points != NULL;
}

static bool read_cloud(job *j, const char *text)
{
    j->points = bench_cloud_of_file(text, &j->near.n, &j->radius);
    return j->points != NULL;
}

/* ---- one list ------------------------------------------------------------- */

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    xl_grid_desc_init(&grid);
    xl_neighbors_desc_init(&search);
    grid.cell_size = search.radius = j->radius;
    const xl_status status = bench_near_plans(b, &j->near, &grid, &search);
    if (status != XL_SUCCESS)
        return status;
    return bench_near_points(b, &j->near, 12 * j->near.n, j->points) && bench_near_rows(b, &j->near)
               ? XL_SUCCESS
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
    uint64_t *offsets = malloc(wide);
    uint32_t *indices = malloc(narrow + 1);
    const char *why = "no memory";
    if (offsets && indices && bench_near_read(b, &j->near, NEAR_OFFSETS, wide, offsets) &&
        bench_near_read(b, &j->near, NEAR_INDICES, narrow, indices))
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
        if (list(b, &j->near, b->options->progress ? &at : NULL) != XL_SUCCESS)
            return;
        times[run] = 1e3 * (bench_now() - start);
        if (b->options->progress) {
            parts[0] += 1e3 * (at.built - start) / runs;
            parts[1] += 1e3 * (at.counted - at.built) / runs;
            parts[2] += 1e3 * (at.filled - at.counted) / runs;
        }
        for (unsigned k = run; k > 0 && times[k] < times[k - 1]; --k) {
            const double t = times[k];
            times[k] = times[k - 1];
            times[k - 1] = t;
        }
    }
    if (b->options->progress)
        fprintf(stderr, "%s: build %.2f ms, count %.2f, fill %.2f, on average\n", variant, parts[0],
                parts[1], parts[2]);
    bench_host_case(b, "crosslane", "lists", variant, j->near.n, bytes, times[runs / 2]);
}

static void run(bench *b, const char *cloud, bool (*make)(job *, const char *), const char *path)
{
    job j = {0};
    char peer[32];
    const char *why = NULL;
    xl_status status = XL_ERROR_OUT_OF_MEMORY;
    if (!bench_wants(b, cloud))
        return;
    if (make(&j, path))
        status = make_plans(b, &j);
    else
        why = "the points are not there";
    if (status == XL_SUCCESS)
        status = list(b, &j.near, NULL);
    const double bytes = 12 * (double)j.near.n + 8 * (double)j.near.n + 4 * (double)j.near.pairs;
    j.offsets = status == XL_SUCCESS ? malloc((j.near.n + 1) * sizeof *j.offsets) : NULL;
    j.indices = status == XL_SUCCESS ? malloc((size_t)j.near.pairs * sizeof *j.indices + 1) : NULL;
    snprintf(peer, sizeof peer, "C on %d cores", bench_cells_threads());
    if (j.offsets && j.indices) {
        const double ms =
            bench_cells(j.points, j.near.n, j.radius, j.offsets, j.indices, j.near.pairs, b->runs);
        if (ms < 0)
            bench_host_wrong(b, peer, "lists", cloud, j.near.n, "the cell list has other pairs");
        else if ((why = differ(b, &j)) == NULL)
            bench_host_case(b, peer, "lists", cloud, j.near.n, bytes, ms);
    }
    if (why)
        bench_wrong(b, "lists", cloud, j.near.n, why);
    else if (status != XL_SUCCESS)
        bench_failed(b, "lists", cloud, j.near.n, status);
    else
        time_list(b, &j, cloud, bytes);
    bench_near_end(&j.near);
    free(j.points);
    free(j.offsets);
    free(j.indices);
}

void bench_lists(bench *b)
{
    run(b, "uniform", make_uniform, NULL);
    run(b, "sheet", make_sheet, NULL);
    if (b->options->cloud)
        run(b, "of a file", read_cloud, b->options->cloud);
}

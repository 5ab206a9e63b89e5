/* SPDX-License-Identifier: MIT
 * Benchmarks of a batch of systems: build and count of 1,024 systems of 1,024 points each in one
 * call of each, and the same system by system, in as many builds and counts. The points of a system
 * are uniform in a separate unit cube, with about 33 neighbours each. Verified against a serial
 * search of each system. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <stdlib.h>

enum { EACH = 1024, SYSTEMS = 1024, ALL = EACH * SYSTEMS };
typedef struct job {
    bench_near near; /* the batch */
    xl_plan *grid;   /* of one system */
    xl_grid_index *index;
    xl_plan *search;
    uint32_t *systems;
} job;

static xl_status make_plans(bench *b, job *j)
{
    xl_grid_desc grid;
    xl_neighbors_desc search;
    bench_near_descs(&j->near, &grid, &search);
    xl_status status = xl_grid_create(b->ctx, &grid, &j->grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(b->ctx, &j->index);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(j->grid, &search, &j->search);
    grid.space.num_systems = SYSTEMS;
    return status == XL_SUCCESS ? bench_near_plans(b, &j->near, &grid, &search) : status;
}

static xl_status make(bench *b, job *j)
{
    if (!j->near.points || !j->systems)
        return XL_ERROR_OUT_OF_MEMORY;
    bench_cloud_uniform(j->near.points, ALL);
    for (size_t i = 0; i < ALL; ++i)
        j->systems[i] = (uint32_t)(i / EACH);
    const xl_status status = make_plans(b, j);
    if (status != XL_SUCCESS)
        return status;
    return bench_near_buffers(b, &j->near, 12, NEAR_FOR_COUNTS) &&
                   bench_near_buffer(b, &j->near, NEAR_SYSTEMS, 4 * (size_t)ALL, j->systems)
               ? XL_SUCCESS
               : XL_ERROR_OUT_OF_MEMORY;
}

/* ---- timed calls --------------------------------------------------------- */

static xl_status together(bench *b, void *user, cl_event *event)
{
    job *const j = user;
    const xl_status status = bench_near_build(b, &j->near, NULL);
    return status == XL_SUCCESS ? bench_near_count(b, &j->near, event) : status;
}

static xl_status one(bench *b, const job *j, size_t system, cl_event *event)
{
    const cl_mem *const mem = j->near.mem;
    const xl_grid_build_args build = {.n = EACH,
                                      .points = xl_view_of(mem[NEAR_POINTS], 3 * EACH * system),
                                      .storage = xl_view_of(mem[NEAR_STORAGE], 0)};
    const xl_neighbors_args count = {.counts = xl_view_of(mem[NEAR_COUNTS], EACH * system)};
    const xl_status status =
        xl_grid_build_enqueue(j->grid, j->index, b->queue, &build, 0, NULL, NULL);
    return status == XL_SUCCESS
               ? xl_neighbors_count_enqueue(j->search, j->index, b->queue, &count, 0, NULL, event)
               : status;
}

static xl_status one_by_one(bench *b, void *user, cl_event *event)
{
    xl_status status = XL_SUCCESS;
    for (size_t s = 0; s < SYSTEMS && status == XL_SUCCESS; ++s)
        status = one(b, user, s, s + 1 < SYSTEMS ? NULL : event);
    return status;
}

/* ---- right results ------------------------------------------------------- */

static const char *fault_in(bench *b, const job *j)
{
    uint32_t *wanted = malloc(4 * (size_t)ALL);
    const char *why = wanted ? NULL : "no memory";
    for (size_t s = 0; s < SYSTEMS && !why; ++s) {
        const ref_search search = {.points = (float *)j->near.points + 3 * EACH * s,
                                   .n = EACH,
                                   .stride = 3,
                                   .radius = (float)j->near.radius};
        if (!ref_counts(&search, wanted + EACH * s))
            why = "no memory";
    }
    why = why ? why : bench_near_counts_fault(b, &j->near, wanted);
    free(wanted);
    return why;
}

/* ---- both ways ----------------------------------------------------------- */

static void time_way(bench *b, job *j, const char *variant, bench_enqueue *way)
{
    const cl_uint none = 0;
    const xl_status status =
        clEnqueueFillBuffer(b->queue, j->near.mem[NEAR_COUNTS], &none, sizeof none, 0,
                            4 * (size_t)ALL, 0, NULL, NULL) == CL_SUCCESS
            ? way(b, j, NULL)
            : XL_ERROR_OPENCL;
    const char *why = status == XL_SUCCESS ? fault_in(b, j) : NULL;
    if (bench_right(b, "grid", variant, ALL, status, why))
        (void)bench_case(b, "grid", variant, ALL, 68.0 * ALL, way, j);
}

void bench_batch(bench *b)
{
    if (b->max_n < ALL || b->options->min_n > ALL)
        return;
    job j = {.near = {.n = ALL,
                      .radius = (float)bench_radius(34, EACH),
                      .points = malloc(12 * (size_t)ALL)},
             .systems = malloc(4 * (size_t)ALL)};
    if (bench_right(b, "grid", "a batch", ALL, make(b, &j), NULL)) {
        time_way(b, &j, "build and count, 1024 systems in one call", together);
        time_way(b, &j, "build and count, 1024 systems in as many calls", one_by_one);
    }
    bench_near_end(&j.near);
    xl_plan_destroy(j.grid);
    xl_grid_index_destroy(j.index);
    xl_plan_destroy(j.search);
    free(j.systems);
}

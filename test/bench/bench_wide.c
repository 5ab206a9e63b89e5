/* SPDX-License-Identifier: MIT
 * Benchmarks of the grid and the neighbour list of points of double precision: build, count and
 * fill, of uniform points with about 33 neighbours each, as those of bench_grid.c. Verified against
 * a serial search. */
#include "bench_clouds.h"
#include "bench_near.h"

#include <stdlib.h>

static xl_status run_once(bench *b, bench_near *x)
{
    uint64_t state = BENCH_SEED;
    xl_grid_desc grid;
    xl_neighbors_desc search;
    for (size_t i = 0; i < 3 * x->n; ++i)
        ((double *)x->points)[i] = (double)(bench_random(&state) >> 11) * 0x1p-53;
    bench_near_descs(x, &grid, &search);
    grid.space.scalar = XL_F64;
    const xl_status status = bench_near_plans(b, x, &grid, &search);
    if (status != XL_SUCCESS)
        return status;
    return bench_near_buffers(b, x, 24, NEAR_FOR_LISTS | NEAR_FOR_COUNTS) ? bench_near_list(b, x)
                                                                          : XL_ERROR_OUT_OF_MEMORY;
}

/* If the counts are right, ascending rows of true neighbours are right, too. */
static const char *fault_in_rows(const ref_search_f64 *search, const uint32_t *counts,
                                 const uint32_t *indices)
{
    uint64_t at = 0;
    for (size_t i = 0; i < search->n; ++i)
        for (const uint64_t begin = at, end = at + counts[i]; at < end; ++at) {
            if (indices[at] >= search->n || (at > begin && indices[at] <= indices[at - 1]))
                return "a row is not in ascending order";
            if (!ref_near_f64(search, i, indices[at]))
                return "a row has an index that is no neighbour";
        }
    return NULL;
}

static const char *fault_in(bench *b, const bench_near *x)
{
    const ref_search_f64 search = {
        .points = x->points, .n = x->n, .stride = 3, .radius = x->radius};
    uint32_t *wanted = malloc(4 * x->n);
    uint32_t *indices = bench_near_copy(b, x, NEAR_INDICES, 4 * (size_t)x->pairs);
    const char *why = "no memory";
    if (indices && wanted && ref_counts_f64(&search, wanted))
        why = bench_near_counts_fault(b, x, wanted);
    why = why ? why : fault_in_rows(&search, wanted, indices);
    free(wanted);
    free(indices);
    return why;
}

static const bench_timed rows[] = {{"build", bench_near_build, 64, 0, 0},
                                   {"count", bench_near_count, 52, 0, 0},
                                   {"fill", bench_near_fill, 48, 4, 0}};
enum { ROWS = sizeof rows / sizeof *rows };

static void run(bench *b, size_t n)
{
    bench_near x = {.n = n, .radius = bench_radius(34, (double)n), .points = malloc(24 * n)};
    const xl_status status = x.points ? run_once(b, &x) : XL_ERROR_OUT_OF_MEMORY;
    const char *why = status == XL_SUCCESS ? fault_in(b, &x) : NULL;
    if (bench_right(b, "grid", "uniform, f64", n, status, why))
        (void)bench_near_time_rows(b, &x, "grid", "uniform, f64", rows, ROWS);
    bench_near_end(&x);
}

void bench_wide(bench *b)
{
    for (size_t n = (size_t)1 << 20; n <= (size_t)1 << 21 && b->info.has_fp64; n *= 2)
        if (bench_near_wants_rows(b, n, "uniform, f64", rows, ROWS))
            run(b, n);
}

/* SPDX-License-Identifier: MIT
 * The peer of neighbour searches: a cell list in plain C on the host. */
#ifndef XL_BENCH_CELLS_H
#define XL_BENCH_CELLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Neighbours within `radius` of each of n points (x y z), the point itself left out, into rows in
 * ascending order: offsets has room for n + 1, indices for `capacity`. Median milliseconds of
 * `runs` calls, a first one not counted; memory that is worked in is taken before. -1: no memory,
 * a box of more than 2^28 cells, or rows that do not fit. On all cores where the compiler has
 * OpenMP: bench_cells_threads() says on how many. */
double bench_cells(const float *points, size_t n, float radius, uint64_t *offsets,
                   uint32_t *indices, uint64_t capacity, unsigned runs);
int bench_cells_threads(void);

#ifdef __cplusplus
}
#endif

#endif

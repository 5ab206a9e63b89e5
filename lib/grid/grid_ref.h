/* SPDX-License-Identifier: MIT
 * Neighbour search without a grid, a device or a trick: what the kernels are
 * measured against. */
#ifndef XLI_GRID_REF_H
#define XLI_GRID_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct xli_ref_search {
    const float *points; /* n * stride */
    size_t n, stride;
    float radius;
    bool inclusive, include_self;
} xli_ref_search;

/* (dx*dx + dy*dy) + dz*dz of two points, each operation rounded once. */
float xli_ref_distance2(const xli_ref_search *search, size_t i, size_t j);

/* Is point j a neighbour of point i? */
bool xli_ref_near(const xli_ref_search *search, size_t i, size_t j);

/* Every pair, n * n of them. offsets receives n + 1 sums. Returns the rows, in
 * ascending order, in memory that the caller frees; NULL if none could be had. */
uint32_t *xli_ref_neighbors(const xli_ref_search *search, uint64_t *offsets);

/* The counts alone, for large n: serial, by lists of the points in cells somewhat
 * wider than the radius. False if memory could not be had. */
bool xli_ref_counts(const xli_ref_search *search, uint32_t *counts);

#endif

/* SPDX-License-Identifier: MIT
 * Points that several benchmarks search among: x y z each, the same on every machine. */
#ifndef XL_BENCH_CLOUDS_H
#define XL_BENCH_CLOUDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A random number in [0, 1). */
float bench_unit(uint64_t *state);

/* How many points there are in a unit of space. In the unit cube. */
double bench_cloud_uniform(float *points, size_t n);

/* In 64 balls of different sizes, each dense in the middle. Values of the median ball. */
double bench_cloud_clusters(float *points, size_t n);

/* On a sphere with bumps. Values of cubes as long as the mean distance of two neighbours. */
double bench_cloud_surface(float *points, size_t n);

/* Points, and the radius of neighbour lists of them, which the caller frees; NULL: no memory. A
 * million in the unit cube of some 29 neighbours; a sheet of unit edges, with bumps that are some
 * radii high, of some 28. */
float *bench_list_uniform(size_t *n, float *radius);
float *bench_list_sheet(size_t *n, float *radius);

/* Points of a .npy file of little-endian f32, (n, 3), which the caller frees; NULL: there are none.
 * `text` is PATH:RADIUS. */
float *bench_cloud_of_file(const char *text, size_t *n, float *radius);

#ifdef __cplusplus
}
#endif

#endif

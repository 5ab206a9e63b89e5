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

/* The radius within which a point has that number of neighbours on average. */
double bench_radius(double neighbours, double density);

/* A cubic lattice of spacing 1, each point moved by up to 0.2. Returns the points along an edge. */
size_t bench_cloud_lattice(float *points, size_t stride, size_t n);

/* In the unit cube. */
void bench_cloud_uniform(float *points, size_t n);

/* In 64 balls of different sizes, each dense in the middle. */
void bench_cloud_clusters(float *points, size_t n);

/* On a sphere with bumps. */
void bench_cloud_surface(float *points, size_t n);

/* Points, which the caller frees, and the radius of their neighbour lists; NULL: no memory. A
 * million in the unit cube with about 29 neighbours; a sheet of unit edges with about 28, whose
 * bumps are several radii high. */
float *bench_list_uniform(size_t *n, float *radius);
float *bench_list_sheet(size_t *n, float *radius);

/* Points of a .npy file of little-endian f32, (n, 3), which the caller frees; NULL: no such file.
 * `text` is PATH:RADIUS. */
float *bench_cloud_of_file(const char *text, size_t *n, float *radius);

#ifdef __cplusplus
}
#endif

#endif

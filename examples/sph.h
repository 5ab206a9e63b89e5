/* SPDX-License-Identifier: MIT
 * Water of smoothed particles, for 12_sph.c and 15_mpi_sph.c: its constants, and the kernels that find
 * density and acceleration (Mueller et al., SCA 2003). */
#ifndef SPH_H
#define SPH_H

#include <math.h>

/* The column is 1 high and half as wide; units of water are those of the SI. */
static const double PI = 3.14159265358979323846, GRAVITY = 9.81, RHO = 1000;
/* The density by Poly6 of a cubic lattice of half the radius, over its true density. */
static const double LATTICE = 1.009775167;

/* As in the kernels. Particles of water have this mass and reach h. */
typedef struct water {
    float h, mass, rho, stiffness, viscosity, poly6, spiky, step, gravity;
} water;

/* Sound is ten times as fast as a body that has fallen half a metre: the column compresses by 1 %. */
static water water_of(double spacing)
{
    const double h = 2 * spacing, sound2 = 100 * GRAVITY, sound = sqrt(sound2);
    water w = {.h = (float)h,
               .mass = (float)(RHO * pow(spacing, 3) / LATTICE),
               .rho = (float)RHO,
               .stiffness = (float)sound2,
               .viscosity = (float)(0.08 * RHO * h * sound),
               .spiky = (float)(45 / (PI * pow(h, 6))),
               .step = (float)(0.25 * h / sound),
               .gravity = (float)GRAVITY};
    w.poly6 = (float)((double)w.mass * 315 / (64 * PI * pow(h, 9)));
    return w;
}

/* Kernels over two indices, the water and the walls, after `#include <crosslane/neighbors.cl>`. Pressures are
 * added (Monaghan 2005), because the mean of two, as in the paper, gives half of the gradient. A wall has the
 * pressure that water at rest would have there, and does not rub. */
#define SPH_KERNELS                                                                                \
    "typedef struct { float h, mass, rho, stiffness, viscosity, poly6, spiky, step,\n"             \
    "    gravity; } water;\n"                                                                      \
    "\n"                                                                                           \
    "float cubed(float x)\n"                                                                       \
    "{\n"                                                                                          \
    "    return x * x * x;\n"                                                                      \
    "}\n"                                                                                          \
    "\n"                                                                                           \
    "__kernel void density(XL_NEIGHBORS_PARAMETERS(fluid), XL_NEIGHBORS_PARAMETERS(walls),\n"      \
    "                      __constant water *w, __global float *rho)\n"                            \
    "{\n"                                                                                          \
    "    const xl_neighbors fluid = XL_NEIGHBORS_LOAD(fluid), walls = XL_NEIGHBORS_LOAD(walls);\n" \
    "    const uint k = (uint)get_global_id(0);\n"                                                 \
    "    if (k >= xl_neighbors_points(&fluid))\n"                                                  \
    "        return;\n"                                                                            \
    "    const float h2 = w->h * w->h;\n"                                                          \
    "    xl_neighbor near = xl_neighbors_of(&fluid, k);\n"                                         \
    "    xl_neighbor wall = xl_neighbors_around(&walls, near.position);\n"                         \
    "    float sum = cubed(h2);\n"                                                                 \
    "    XL_FOR_NEIGHBORS(near, fluid)\n"                                                          \
    "        sum += cubed(h2 - near.distance2);\n"                                                 \
    "    XL_FOR_NEIGHBORS(wall, walls)\n"                                                          \
    "        sum += cubed(h2 - wall.distance2);\n"                                                 \
    "    const bool whole = !near.incomplete && !wall.incomplete;\n"                               \
    "    rho[near.self] = whole ? w->poly6 * sum : NAN;\n"                                         \
    "}\n"                                                                                          \
    "\n"                                                                                           \
    "float pressure(__constant water *w, float rho)\n"                                             \
    "{\n"                                                                                          \
    "    return fmax(0.0f, w->stiffness * (rho - w->rho));\n"                                      \
    "}\n"                                                                                          \
    "\n"                                                                                           \
    "__kernel void forces(XL_NEIGHBORS_PARAMETERS(fluid), XL_NEIGHBORS_PARAMETERS(walls),\n"       \
    "                     __constant water *w, __global const float *rho,\n"                       \
    "                     __global const float4 *velocity, __global float4 *acceleration)\n"       \
    "{\n"                                                                                          \
    "    const xl_neighbors fluid = XL_NEIGHBORS_LOAD(fluid), walls = XL_NEIGHBORS_LOAD(walls);\n" \
    "    const uint k = (uint)get_global_id(0);\n"                                                 \
    "    if (k >= xl_neighbors_points(&fluid))\n"                                                  \
    "        return;\n"                                                                            \
    "    xl_neighbor near = xl_neighbors_of(&fluid, k);\n"                                         \
    "    xl_neighbor wall = xl_neighbors_around(&walls, near.position);\n"                         \
    "    const float own = rho[near.self], p = pressure(w, own);\n"                                \
    "    const float4 v = velocity[near.self];\n"                                                  \
    "    float4 sum = (float4)(0.0f);\n"                                                           \
    "    XL_FOR_NEIGHBORS(near, fluid) {\n"                                                        \
    "        const float other = rho[near.index], r = sqrt(near.distance2), left = w->h - r;\n"    \
    "        const float both = p + pressure(w, other);\n"                                         \
    "        sum -= near.vector * (both * left * left / (other * fmax(r, 1e-12f)));\n"             \
    "        sum += (velocity[near.index] - v) * (w->viscosity * left / other);\n"                 \
    "    }\n"                                                                                      \
    "    XL_FOR_NEIGHBORS(wall, walls) {\n"                                                        \
    "        const float r = sqrt(wall.distance2), left = w->h - r;\n"                             \
    "        const float both = fmax(0.0f, 2.0f * p - w->rho * w->gravity * wall.vector.y);\n"     \
    "        sum -= wall.vector * (both * left * left / (own * fmax(r, 1e-12f)));\n"               \
    "    }\n"                                                                                      \
    "    acceleration[near.self] = sum * (w->mass * w->spiky / own);\n"                            \
    "}\n"                                                                                          \
    "\n"

#endif

/* SPDX-License-Identifier: MIT
 * Particles: their cells, the transfer of velocities to the grid and back, and their motion. */

__kernel void find_cells(flip_size n, uint count, const __global float4 *positions,
                         __global uint *keys)
{
    const uint p = (uint)get_global_id(0);
    if (p < count) {
        const float4 at = positions[p];
        keys[p] =
            cell_index(n, cell_along(at.x, n.nx), cell_along(at.y, n.ny), cell_along(at.z, n.nz));
    }
}

/* How long the step is: no particle goes further than cfl cells, also with what gravity adds
 * (Bridson, "Fluid Simulation for Computer Graphics", section 3.2). One work-item. */
__kernel void begin_step(float longest, float cfl, float gravity, const __global float *speed,
                         __global flip_step *step)
{
    step->speed = speed[0];
    step->dt = fmin(longest, cfl / (speed[0] + sqrt(cfl * gravity) + 1e-6f));
}

/* Keys are sorted: ends[c] becomes one past the last particle of cell c; it stays 0 for an empty cell. */
__kernel void find_cell_ends(uint count, const __global uint *keys, __global uint *ends)
{
    const uint p = (uint)get_global_id(0);
    if (p < count && (p + 1 == count || keys[p + 1] != keys[p]))
        ends[keys[p]] = p + 1;
}

/* The weight of a particle at distance d along one axis. */
float hat(float d)
{
    return fmax(0.0f, 1.0f - fabs(d));
}

/* Each face gathers the particles that are nearer than one cell along every axis: a weighted mean
 * of their velocities (Zhu and Bridson, "Animating sand as a fluid", SIGGRAPH 2005). No atomic
 * operations, and the same sum in the same order on every run. A work-item has the three faces on
 * the low sides of a cell, whose particles lie in the cells around it; three cells along x are
 * one range of sorted particles. The sums of weights go to u, v and w, which hold nothing yet. */
__kernel void particles_to_faces(flip_size n, const __global uint *starts,
                                 const __global float4 *positions,
                                 const __global float4 *velocities, __global float *u_old,
                                 __global float *v_old, __global float *w_old, __global float *u,
                                 __global float *v, __global float *w)
{
    const int i = (int)get_global_id(0), j = (int)get_global_id(1), k = (int)get_global_id(2);
    if (i >= n.nx || j >= n.ny || k >= n.nz)
        return;
    const float3 corner = (float3)((float)i, (float)j, (float)k), middle = (float3)(0.5f);
    /* Clamps particles near a wall to the first samples along it. */
    const float3 most = (float3)((float)n.nx, (float)n.ny, (float)n.nz) - middle;
    float3 sum = (float3)(0.0f), weight = (float3)(0.0f);
    for (int row = 0; row < 9; ++row) {
        const int y = j + row % 3 - 1, z = k + row / 3 - 1;
        if (y < 0 || y >= n.ny || z < 0 || z >= n.nz)
            continue;
        const uint last = starts[cell_index(n, min(i + 1, n.nx - 1), y, z) + 1];
        for (uint p = starts[cell_index(n, max(i - 1, 0), y, z)]; p < last; ++p) {
            const float3 at = positions[p].xyz, to = at - corner;
            const float3 mid = clamp(at, middle, most) - corner - middle;
            const float3 on = (float3)(hat(to.x), hat(to.y), hat(to.z));
            const float3 off = (float3)(hat(mid.x), hat(mid.y), hat(mid.z));
            const float3 share =
                (float3)(on.x * off.y * off.z, off.x * on.y * off.z, off.x * off.y * on.z);
            sum += share * velocities[p].xyz;
            weight += share;
        }
    }
    const uint f = face_index(n, i, j, k);
    u_old[f] = i > 0 && weight.x > 0 ? sum.x / weight.x : 0.0f;
    v_old[f] = j > 0 && weight.y > 0 ? sum.y / weight.y : 0.0f;
    w_old[f] = k > 0 && weight.z > 0 ? sum.z / weight.z : 0.0f;
    u[f] = weight.x;
    v[f] = weight.y;
    w[f] = weight.z;
}

/* Where a point stands among samples: the lowest face of the eight around it, steps to the higher
 * ones, which are 0 where there are none, and how near it is to them. */
typedef struct place {
    uint face;
    uint3 step;
    float3 part;
} place;

/* `lift` is how far above a face's number it stands along the axis: 1/2 but for its own. */
void place_along(float x, float lift, int n, int *low, bool *more, float *part)
{
    const int samples = lift > 0 ? n : n + 1;
    const float at = fmin(fmax(x - lift, 0.0f), (float)(samples - 1));
    *low = min((int)at, max(samples - 2, 0));
    *more = *low + 1 < samples;
    *part = at - (float)*low;
}

place place_of(flip_size n, float3 at, float3 lift)
{
    bool more_x, more_y, more_z;
    float part_x, part_y, part_z;
    int x, y, z;
    place_along(at.x, lift.x, n.nx, &x, &more_x, &part_x);
    place_along(at.y, lift.y, n.ny, &y, &more_y, &part_y);
    place_along(at.z, lift.z, n.nz, &z, &more_z, &part_z);
    place here;
    here.face = face_index(n, x, y, z);
    here.step = (uint3)(more_x ? 1u : 0u, more_y ? face_row(n) : 0u, more_z ? face_slice(n) : 0u);
    here.part = (float3)(part_x, part_y, part_z);
    return here;
}

float sample(const __global float *values, place at)
{
    const __global float *low = values + at.face, *high = low + at.step.z;
    const float a = mix(low[0], low[at.step.x], at.part.x);
    const float b = mix(low[at.step.y], low[at.step.y + at.step.x], at.part.x);
    const float c = mix(high[0], high[at.step.x], at.part.x);
    const float d = mix(high[at.step.y], high[at.step.y + at.step.x], at.part.x);
    return mix(mix(a, b, at.part.y), mix(c, d, at.part.y), at.part.z);
}

/* A coordinate stays off the walls, and a velocity into a wall ends there. */
void keep_inside(float *x, float *velocity, float size)
{
    const float gap = 1e-3f;
    const float inside = fmin(fmax(*x, gap), size - gap);
    if (inside != *x && (inside > *x) == (*velocity < 0))
        *velocity = 0;
    *x = inside;
}

/* Adds the change on the grid to a particle's velocity, so that averaging loses little, and the part 1 - flip of the grid's velocity, which removes noise. Then moves the particle by the midpoint rule. */
__kernel void move_particles(flip_size n, uint count, float flip, const __global flip_step *step,
                             const __global float *u_old, const __global float *v_old,
                             const __global float *w_old, const __global float *u,
                             const __global float *v, const __global float *w,
                             const __global float4 *positions_in,
                             const __global float4 *velocities_in, __global float4 *positions,
                             __global float4 *velocities)
{
    const uint p = (uint)get_global_id(0);
    if (p >= count)
        return;
    const float3 lift_u = (float3)(0.0f, 0.5f, 0.5f), lift_v = (float3)(0.5f, 0.0f, 0.5f),
                 lift_w = (float3)(0.5f, 0.5f, 0.0f);
    const float dt = step->dt;
    float4 at = positions_in[p], velocity = velocities_in[p];
    const place x = place_of(n, at.xyz, lift_u), y = place_of(n, at.xyz, lift_v),
                z = place_of(n, at.xyz, lift_w);
    const float3 now = (float3)(sample(u, x), sample(v, y), sample(w, z));
    const float3 old = (float3)(sample(u_old, x), sample(v_old, y), sample(w_old, z));
    velocity.xyz = now + flip * (velocity.xyz - old);
    const float3 middle = at.xyz + 0.5f * dt * now;
    at.x += dt * sample(u, place_of(n, middle, lift_u));
    at.y += dt * sample(v, place_of(n, middle, lift_v));
    at.z += dt * sample(w, place_of(n, middle, lift_w));
    float to[3] = {at.x, at.y, at.z}, speed[3] = {velocity.x, velocity.y, velocity.z};
    keep_inside(&to[0], &speed[0], (float)n.nx);
    keep_inside(&to[1], &speed[1], (float)n.ny);
    keep_inside(&to[2], &speed[2], (float)n.nz);
    positions[p] = (float4)(to[0], to[1], to[2], at.w);
    velocities[p] = (float4)(speed[0], speed[1], speed[2], velocity.w);
}

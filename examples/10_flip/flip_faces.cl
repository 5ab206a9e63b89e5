/* SPDX-License-Identifier: MIT
 * Velocities on faces: subtracts the pressure's gradient and extrapolates to faces near the fluid. Each work-item has a cell and the faces on its low sides. */

enum { KNOWN_U = 1, KNOWN_V = 2, KNOWN_W = 4 };

/* The row of a cell's pressure; row 0, whose pressure is 0, is the air's. */
uint row_of(uint cell, const __global uint *ends, const __global uint *numbers)
{
    return ends[cell] != 0 ? numbers[cell] : 0;
}

/* u = u_old + dt * gravity - gradient of the pressure, on faces that fluid touches; their bits of
 * `known` are set. */
__kernel void project(flip_size n, float gravity, const __global flip_step *step,
                      const __global uint *ends, const __global uint *numbers,
                      const __global float *pressure, const __global float *u_old,
                      const __global float *v_old, const __global float *w_old, __global float *u,
                      __global float *v, __global float *w, __global uchar *known)
{
    const int i = (int)get_global_id(0), j = (int)get_global_id(1), k = (int)get_global_id(2);
    if (i >= n.nx || j >= n.ny || k >= n.nz)
        return;
    const uint f = face_index(n, i, j, k), c = cell_index(n, i, j, k);
    const uint slice = (uint)n.nx * (uint)n.ny;
    const uint here = row_of(c, ends, numbers);
    const uint left = i > 0 ? row_of(c - 1, ends, numbers) : 0;
    const uint below = j > 0 ? row_of(c - (uint)n.nx, ends, numbers) : 0;
    const uint behind = k > 0 ? row_of(c - slice, ends, numbers) : 0;
    const float p = pressure[here];
    const bool know_u = i > 0 && (here | left), know_v = j > 0 && (here | below),
               know_w = k > 0 && (here | behind);
    u[f] = know_u ? u_old[f] - (p - pressure[left]) : 0.0f;
    v[f] = know_v ? v_old[f] - step->dt * gravity - (p - pressure[below]) : 0.0f;
    w[f] = know_w ? w_old[f] - (p - pressure[behind]) : 0.0f;
    known[f] = (uchar)((know_u ? KNOWN_U : 0) | (know_v ? KNOWN_V : 0) | (know_w ? KNOWN_W : 0));
}

/* The mean of those of six neighbours that are known; 0 where none is. */
float mean_of_known(const __global float *values, const __global uchar *known, uint bit, uint f,
                    flip_size n, int i, int j, int k, uint *found)
{
    const uint row = face_row(n), slice = face_slice(n);
    float sum = 0;
    uint count = 0;
    if (i > 0 && (known[f - 1] & bit))
        sum += values[f - 1], ++count;
    if (known[f + 1] & bit)
        sum += values[f + 1], ++count;
    if (j > 0 && (known[f - row] & bit))
        sum += values[f - row], ++count;
    if (known[f + row] & bit)
        sum += values[f + row], ++count;
    if (k > 0 && (known[f - slice] & bit))
        sum += values[f - slice], ++count;
    if (known[f + slice] & bit)
        sum += values[f + slice], ++count;
    *found |= count ? bit : 0;
    return count ? sum / (float)count : 0.0f;
}

/* One layer more of faces gets values, the mean of their known neighbours. In place: a value is
 * read only where `known` says that an earlier layer made it, and written where not. */
__kernel void extrapolate(flip_size n, const __global uchar *known, __global float *u,
                          __global float *v, __global float *w, __global uchar *known_out)
{
    const int i = (int)get_global_id(0), j = (int)get_global_id(1), k = (int)get_global_id(2);
    if (i >= n.nx || j >= n.ny || k >= n.nz)
        return;
    const uint f = face_index(n, i, j, k);
    uint found = known[f];
    /* Walls keep their 0. */
    const uint missing =
        ~found & ((i > 0 ? KNOWN_U : 0) | (j > 0 ? KNOWN_V : 0) | (k > 0 ? KNOWN_W : 0));
    if (missing & KNOWN_U)
        u[f] = mean_of_known(u, known, KNOWN_U, f, n, i, j, k, &found);
    if (missing & KNOWN_V)
        v[f] = mean_of_known(v, known, KNOWN_V, f, n, i, j, k, &found);
    if (missing & KNOWN_W)
        w[f] = mean_of_known(w, known, KNOWN_W, f, n, i, j, k, &found);
    known_out[f] = (uchar)found;
}

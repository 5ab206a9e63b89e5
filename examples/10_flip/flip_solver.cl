/* SPDX-License-Identifier: MIT
 * Pressure: Ap = b by conjugate gradients, where b is the inflow of a cell and A is the seven-point Laplacian of the cells with fluid: the diagonal is the number of neighbours that are not walls, and each neighbour with fluid has -1. In air the pressure is 0.
 *
 * Only cells with fluid have a row. Rows are numbered from 1, in the order of cells; row 0 is air and walls, and all its values are 0. `around` has the rows of the six neighbours,
 * `stride` apart: before in x, y, z, then behind.
 *
 * For a dot product, each work-group of a kernel stores its share, and each group of the next kernel adds all shares in the same order. This needs no launch and no waiting. Whether the solver is done is found in the same way: later commands then do nothing, and the host asks rarely.
 *
 * The approximate inverse of SSOR as preconditioner: Helfenstein and Koko, "Parallel preconditioned
 * conjugate gradient algorithm on GPU" (J. Comput. Appl. Math. 236, 2012). With A = D - L - L^T,
 * D' = D / omega: M^-1 = (1 + D'^-1 L^T) D'^-1 (1 + L D'^-1), but for a factor, which conjugate
 * gradients do not see. Two products with half of the matrix each take the place of the two
 * triangular solves.
 *
 * GROUP: work-items of a group; PARTS: groups; both are the host's. */

float4 combine(float4 a, float4 b)
{
    return (float4)(a.x + b.x, fmax(a.y, b.y), a.z + b.z, fmax(a.w, b.w));
}

#define XL_NAME fold
#define XL_T float4
#define XL_OP(a, b) combine(a, b)
#define XL_IDENTITY ((float4)(0.0f))
#define XL_COMMUTES 1
#define XL_GROUP_SIZE GROUP
#include <crosslane/collectives.cl>

/* Shares: r * z and the largest |r| of even and of odd iterations, p * Ap, the largest |b|. */
enum { DOT_RZ = 0, LARGEST_R = 2 * PARTS, DOT_PQ = 4 * PARTS, LARGEST_B = 5 * PARTS };

/* .x: r * z and .y: largest |r|, both as of `parity`; .z: the sum of the shares at `other`; .w:
 * the largest |b|. */
float4 all_shares(const __global float *shares, uint parity, uint other, __local float4 *scratch)
{
    float4 sum = (float4)(0.0f);
    for (uint j = (uint)get_local_id(0); j < PARTS; j += GROUP)
        sum = combine(sum, (float4)(shares[DOT_RZ + parity * PARTS + j],
                                    shares[LARGEST_R + parity * PARTS + j], shares[other + j],
                                    shares[LARGEST_B + j]));
    return fold_group_reduce(sum, scratch);
}

/* Whether the largest |r| of `parity` is small enough. */
bool is_done(const __global float *shares, uint parity, float tolerance, __local float4 *scratch)
{
    float4 most = (float4)(0.0f);
    for (uint j = (uint)get_local_id(0); j < PARTS; j += GROUP)
        most = combine(most, (float4)(0.0f, shares[LARGEST_R + parity * PARTS + j], 0.0f,
                                      shares[LARGEST_B + j]));
    most = fold_group_reduce(most, scratch);
    return most.y <= tolerance * most.w;
}

/* Rows of a work-item: on a CPU neighbouring ones, on a GPU the groups side by side. */
typedef struct rows {
    uint first, end, step;
} rows;

rows rows_of(uint count, bool done)
{
    rows mine;
    if (GROUP == 1) {
        const uint each = (count + PARTS - 1) / PARTS;
        mine.first = 1 + (uint)get_group_id(0) * each;
        mine.end = min(mine.first + each, count + 1);
        mine.step = 1;
    } else {
        mine.first = 1 + (uint)get_global_id(0);
        mine.end = count + 1;
        mine.step = GROUP * PARTS;
    }
    if (done)
        mine.end = 0;
    return mine;
}

/* Stores the row, the rows of the neighbours and the diagonal of each cell with fluid. */
__kernel void make_rows(flip_size n, uint stride, const __global uint *ends,
                        const __global uint *numbers, __global uint *cells, __global uint *around,
                        __global float *diagonal)
{
    const int i = (int)get_global_id(0), j = (int)get_global_id(1), k = (int)get_global_id(2);
    if (i >= n.nx || j >= n.ny || k >= n.nz)
        return;
    const uint c = cell_index(n, i, j, k), row = numbers[c];
    if (ends[c] == 0 || row >= stride)
        return;
    const uint far[3] = {1, (uint)n.nx, (uint)n.nx * (uint)n.ny};
    const bool low[3] = {i > 0, j > 0, k > 0};
    const bool high[3] = {i + 1 < n.nx, j + 1 < n.ny, k + 1 < n.nz};
    float open = 0;
    for (uint axis = 0; axis < 3; ++axis) {
        const uint before = low[axis] ? c - far[axis] : c, behind = high[axis] ? c + far[axis] : c;
        open += (low[axis] ? 1.0f : 0.0f) + (high[axis] ? 1.0f : 0.0f);
        around[axis * stride + row] = low[axis] && ends[before] ? numbers[before] : 0;
        around[(axis + 3) * stride + row] = high[axis] && ends[behind] ? numbers[behind] : 0;
    }
    cells[row] = c;
    diagonal[row] = fmax(open, 1.0f);
}

/* b, and the vectors as they are before the first iteration. The velocities get gravity's part on
 * the way: v_old stays as particles gave it. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
begin_solve(flip_size n, float gravity, uint stride, const __global uint *numbers,
            const __global uint *cells, const __global float *u, const __global float *v,
            const __global float *w, __global flip_step *step, __global float *shares,
            __global float *x, __global float *p, __global float *q, __global float *r)
{
    __local float4 scratch[XL_GROUP_SCRATCH];
    const uint count = min(numbers[(uint)n.nx * (uint)n.ny * (uint)n.nz - 1], stride - 1);
    const float fall = step->dt * gravity;
    const uint across = face_row(n), slice = face_slice(n), group = (uint)get_group_id(0);
    const rows mine = rows_of(count, false);
    float4 share = (float4)(0.0f);
    for (uint row = mine.first; row < mine.end; row += mine.step) {
        const uint c = cells[row];
        const int i = (int)(c % (uint)n.nx), j = (int)(c / (uint)n.nx % (uint)n.ny),
                  k = (int)(c / ((uint)n.nx * (uint)n.ny));
        const uint f = face_index(n, i, j, k);
        const float below = j > 0 ? v[f] - fall : 0.0f;
        const float above = j + 1 < n.ny ? v[f + across] - fall : 0.0f;
        const float b = (u[f] - u[f + 1]) + (below - above) + (w[f] - w[f + slice]);
        x[row] = 0;
        p[row] = 0;
        q[row] = 0;
        r[row] = b;
        share.y = fmax(share.y, fabs(b));
    }
    share = fold_group_reduce(share, scratch);
    if (get_local_id(0) == 0) { /* as if an iteration -1 had been */
        shares[DOT_RZ + PARTS + group] = 0;
        shares[LARGEST_R + PARTS + group] = share.y;
        shares[DOT_PQ + group] = 0;
        shares[LARGEST_B + group] = share.y;
    }
    if (get_global_id(0) == 0) {
        step->rows = count;
        step->iterations = 0;
        step->solved = 0;
        step->residual = INFINITY;
    }
}

/* Leaves a group's share of iteration `it`; that of the one before if nothing is left to do. */
void leave_shares(__global float *shares, uint it, bool done, float4 share)
{
    const uint now = (it & 1) * PARTS, before = PARTS - now, group = (uint)get_group_id(0);
    shares[DOT_RZ + now + group] = done ? shares[DOT_RZ + before + group] : share.x;
    shares[LARGEST_R + now + group] = done ? shares[LARGEST_R + before + group] : share.y;
}

/* x += alpha p, r -= alpha q. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
update(uint it, float tolerance, const __global flip_step *step, __global float *shares,
       const __global float *p, const __global float *q, __global float *x, __global float *r)
{
    __local float4 scratch[XL_GROUP_SCRATCH];
    const float4 all = all_shares(shares, (it + 1) & 1, DOT_PQ, scratch);
    const bool done = all.y <= tolerance * all.w;
    const float alpha = all.z > 0 ? all.x / all.z : 0.0f;
    const rows mine = rows_of(step->rows, done);
    float4 share = (float4)(0.0f);
    for (uint row = mine.first; row < mine.end; row += mine.step) {
        const float left = r[row] - alpha * q[row];
        x[row] += alpha * p[row];
        r[row] = left;
        share.x += left * left;
        share.y = fmax(share.y, fabs(left));
    }
    share = fold_group_reduce(share, scratch);
    if (get_local_id(0) == 0)
        leave_shares(shares, it, done, share);
}

/* The same, and y = D'^-1 (1 + L D'^-1) r, for which the neighbours' new residuals are made once
 * more. So r is read and written in two arrays. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
update_ssor(uint it, float tolerance, float omega, uint stride, const __global flip_step *step,
            __global float *shares, const __global uint *around, const __global float *diagonal,
            const __global float *p, const __global float *q, __global float *x,
            const __global float *r_in, __global float *r, __global float *y)
{
    __local float4 scratch[XL_GROUP_SCRATCH];
    const float4 all = all_shares(shares, (it + 1) & 1, DOT_PQ, scratch);
    const bool done = all.y <= tolerance * all.w;
    const float alpha = all.z > 0 ? all.x / all.z : 0.0f;
    const rows mine = rows_of(step->rows, done);
    float4 share = (float4)(0.0f);
    for (uint row = mine.first; row < mine.end; row += mine.step) {
        const float left = r_in[row] - alpha * q[row];
        float sum = left;
        for (uint side = 0; side < 3; ++side) {
            const uint near = around[side * stride + row];
            sum += omega / diagonal[near] * (r_in[near] - alpha * q[near]);
        }
        x[row] += alpha * p[row];
        r[row] = left;
        y[row] = omega / diagonal[row] * sum;
        share.y = fmax(share.y, fabs(left));
    }
    share = fold_group_reduce(share, scratch);
    if (get_local_id(0) == 0)
        leave_shares(shares, it, done, share);
}

/* z = (1 + D'^-1 L^T) y, and r * z. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
apply_ssor(uint it, float tolerance, float omega, uint stride, const __global flip_step *step,
           __global float *shares, const __global uint *around, const __global float *diagonal,
           const __global float *r, const __global float *y, __global float *z)
{
    __local float4 scratch[XL_GROUP_SCRATCH];
    const uint now = it & 1;
    const bool done = is_done(shares, now, tolerance, scratch);
    const rows mine = rows_of(step->rows, done);
    float4 share = (float4)(0.0f);
    for (uint row = mine.first; row < mine.end; row += mine.step) {
        float sum = 0;
        for (uint side = 3; side < 6; ++side)
            sum += y[around[side * stride + row]];
        const float value = y[row] + omega / diagonal[row] * sum;
        z[row] = value;
        share.x += r[row] * value;
    }
    share = fold_group_reduce(share, scratch);
    if (get_local_id(0) == 0 && !done)
        shares[DOT_RZ + now * PARTS + get_group_id(0)] = share.x;
}

/* p = z + beta p, q = Ap, p * q. The neighbours' new p are made once more, so that one launch does
 * all of it; p is read and written in two arrays. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct(uint it, float tolerance, uint stride, __global flip_step *step, __global float *shares,
       const __global uint *around, const __global float *diagonal, const __global float *z,
       const __global float *p_in, __global float *p, __global float *q)
{
    __local float4 scratch[XL_GROUP_SCRATCH];
    const uint now = it & 1;
    const float4 all = all_shares(shares, now, DOT_RZ + PARTS - now * PARTS, scratch);
    const bool done = all.y <= tolerance * all.w;
    const float beta = all.z > 0 ? all.x / all.z : 0.0f;
    const rows mine = rows_of(step->rows, done);
    float4 share = (float4)(0.0f);
    for (uint row = mine.first; row < mine.end; row += mine.step) {
        const float value = z[row] + beta * p_in[row];
        float sum = diagonal[row] * value;
        for (uint side = 0; side < 6; ++side) {
            const uint near = around[side * stride + row];
            sum -= z[near] + beta * p_in[near];
        }
        p[row] = value;
        q[row] = sum;
        share.x += value * sum;
    }
    share = fold_group_reduce(share, scratch);
    if (get_local_id(0) == 0 && !done)
        shares[DOT_PQ + get_group_id(0)] = share.x;
    if (get_global_id(0) == 0 && !step->solved) {
        step->iterations = it;
        step->residual = all.y;
        step->right_side = all.w;
        step->solved = done ? 1 : 0;
    }
}

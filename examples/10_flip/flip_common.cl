/* SPDX-License-Identifier: MIT
 * Shared by the kernels of this folder; the host puts it in front of each file. Lengths are in cells,
 * speeds in cells a second. Cells are numbered x first, then y, which points up, then z.
 *
 * A velocity component lies on the faces perpendicular to it: u[face(i, j, k)] at (i, j + 1/2,
 * k + 1/2), v at (i + 1/2, j, k + 1/2), w at (i + 1/2, j + 1/2, k) (Harlow and Welch 1965). The
 * arrays of faces have one more in each direction than there are cells, so that the far walls have faces, too. Velocities on walls are always 0. */

typedef struct flip_size {
    int nx, ny, nz;
} flip_size;

/* The state of a step on the device; the host reads it after the solver. */
typedef struct flip_step {
    float dt;         /* seconds */
    float speed;      /* the largest component of a particle's velocity when the step began */
    float residual;   /* largest |b - Ap|, as the solver carries it along */
    float right_side; /* largest |b| */
    uint iterations;  /* of the solver */
    uint solved;      /* 1: residual <= tolerance * right_side */
    uint rows;        /* cells with fluid */
    uint padding;
} flip_step;

uint cell_index(flip_size n, int i, int j, int k)
{
    return ((uint)k * (uint)n.ny + (uint)j) * (uint)n.nx + (uint)i;
}

uint face_index(flip_size n, int i, int j, int k)
{
    return ((uint)k * (uint)(n.ny + 1) + (uint)j) * (uint)(n.nx + 1) + (uint)i;
}

/* From one face to the next in y and in z. */
uint face_row(flip_size n)
{
    return (uint)(n.nx + 1);
}

uint face_slice(flip_size n)
{
    return (uint)(n.nx + 1) * (uint)(n.ny + 1);
}

/* The cell of a coordinate, clamped to the n cells; NaN also gives one of them. */
int cell_along(float x, int n)
{
    return (int)fmin(fmax(x, 0.0f), (float)(n - 1));
}

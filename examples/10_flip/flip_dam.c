/* SPDX-License-Identifier: MIT
 * The scene: a column of fluid in a corner or along a wall, which falls and runs to the other. */
#include "flip.h"

/* splitmix64: each number has a separate random value, the same on every machine. */
double flip_random(uint64_t index)
{
    uint64_t z = UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

/* Up to eight particles of a cell have an eighth of it each, a little off its middle (jitter: Zhu
 * and Bridson); the first four are no two in a row. Further ones lie anywhere in the cell. */
static float coordinate(uint32_t particle, uint32_t rank, uint32_t axis, uint32_t cell)
{
    static const uint32_t eighths[8] = {0, 3, 5, 6, 7, 4, 2, 1};
    const double random = flip_random((uint64_t)particle * 3 + axis);
    if (rank >= 8)
        return (float)((double)cell + random);
    const double middle = (eighths[rank] >> axis & 1) ? 0.75 : 0.25;
    return (float)((double)cell + middle + 0.45 * (random - 0.5));
}

void flip_column(float *positions, float *velocities, uint32_t count, flip_size column)
{
    const uint64_t wide = (uint64_t)column.nx, high = (uint64_t)column.ny;
    const uint64_t cells = wide * high * (uint64_t)column.nz;
    for (uint32_t p = 0; p < count; ++p) {
        const uint64_t cell = (uint64_t)p * cells / count;
        const uint64_t first = (cell * count + cells - 1) / cells; /* particle of this cell */
        const uint64_t at[3] = {cell % wide, cell / wide % high, cell / wide / high};
        for (uint32_t axis = 0; axis < 3; ++axis) {
            positions[4 * (size_t)p + axis] =
                coordinate(p, (uint32_t)(p - first), axis, (uint32_t)at[axis]);
            velocities[4 * (size_t)p + axis] = 0;
        }
        positions[4 * (size_t)p + 3] = 0;
        velocities[4 * (size_t)p + 3] = (float)p;
    }
}

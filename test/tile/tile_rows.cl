/* SPDX-License-Identifier: MIT
 * The heap of a neighbour list's row, for tile_test.c. */
#include "../../cl/neighbors/neighbors_rows.cl"

__kernel void xl_test_sink(ulong address, ulong n, uint v)
{
    xl_row_sink((__global uint *)address, 0, n, v);
}

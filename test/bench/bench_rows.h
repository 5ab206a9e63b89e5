/* SPDX-License-Identifier: MIT
 * Rows of the k nearest points that a search wrote: their buffers, and whether they are in order.
 */
#ifndef XL_BENCH_ROWS_H
#define XL_BENCH_ROWS_H

#include "bench.h"

enum { ROWS_POINTS, ROWS_INDICES, ROWS_DISTANCES, ROWS_SCRATCH, ROWS_BUFFERS };

/* Starts as zeros, but for n, k and the points. */
typedef struct bench_rows {
    size_t n;
    uint32_t k;
    float *points; /* x y z each; bench_rows_end frees them */
    uint32_t *indices;
    float *distances2;
    cl_mem mem[ROWS_BUFFERS];
} bench_rows;

/* All buffers but that of the scratch memory; false: there is no memory. */
bool bench_rows_buffers(bench *b, bench_rows *r);

/* Reads the rows; NULL: each is in order and holds neighbours at their distances. */
const char *bench_rows_fault(bench *b, const bench_rows *r);

void bench_rows_end(bench_rows *r);

#endif

/* SPDX-License-Identifier: MIT
 * Rows of the k nearest points that a search wrote. */
#include "bench_rows.h"

#include "reference.h"

#include <stdlib.h>

bool bench_rows_buffers(bench *b, bench_rows *r)
{
    const size_t bytes = 4 * r->n * r->k;
    r->mem[ROWS_POINTS] = bench_buffer(b, 12 * r->n, r->points);
    r->mem[ROWS_INDICES] = bench_buffer(b, bytes, NULL);
    r->mem[ROWS_DISTANCES] = bench_buffer(b, bytes, NULL);
    r->indices = malloc(bytes);
    r->distances2 = malloc(bytes);
    return r->mem[ROWS_POINTS] && r->mem[ROWS_INDICES] && r->mem[ROWS_DISTANCES] && r->indices &&
           r->distances2;
}

static bool is_before(float a2, uint32_t a, float b2, uint32_t b)
{
    return a2 < b2 || (a2 == b2 && a < b);
}

static const char *fault_in_row(const bench_rows *r, size_t i)
{
    const ref_search pair = {.points = r->points, .n = r->n, .stride = 3};
    const uint32_t *row = r->indices + i * r->k;
    const float *row2 = r->distances2 + i * r->k;
    for (size_t a = 0; a < r->k; ++a) {
        if (row[a] >= r->n || row[a] == i || !(row2[a] == ref_distance2(&pair, i, row[a])))
            return "a row has an index that is no neighbour, or a wrong distance";
        if (a > 0 && !is_before(row2[a - 1], row[a - 1], row2[a], row[a]))
            return "a row is not in order";
    }
    return NULL;
}

static bool read_back(bench *b, const bench_rows *r, int which, void *to)
{
    return clEnqueueReadBuffer(b->queue, r->mem[which], CL_TRUE, 0, 4 * r->n * r->k, to, 0, NULL,
                               NULL) == CL_SUCCESS;
}

const char *bench_rows_fault(bench *b, const bench_rows *r)
{
    const char *why = NULL;
    if (!read_back(b, r, ROWS_INDICES, r->indices) ||
        !read_back(b, r, ROWS_DISTANCES, r->distances2))
        return "rows could not be read";
    for (size_t i = 0; i < r->n && !why; ++i)
        why = fault_in_row(r, i);
    return why;
}

void bench_rows_end(bench_rows *r)
{
    for (int i = 0; i < ROWS_BUFFERS; ++i)
        if (r->mem[i])
            clReleaseMemObject(r->mem[i]);
    free(r->points);
    free(r->indices);
    free(r->distances2);
}

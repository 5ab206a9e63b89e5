/* SPDX-License-Identifier: MIT
 * A cell list in plain C: cells of the radius in a dense table, points brought into the order of
 * their cells by counting, one pass that counts and one that fills, rows put into order by
 * insertion. The loops over queries run on every core. Compiled without contraction, so that it
 * finds the pairs that the library finds. */
#include "bench_cells.h"

#include "bench_result.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct place {
    float x, y, z;
    uint32_t index;
} place;

typedef struct cells {
    const float *points;
    size_t n;
    float radius2, inverse, lower[3];
    size_t per_axis[3], all;
    uint32_t *cell_of, *starts;
    place *sorted;
} cells;

int bench_cells_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static size_t along(const cells *c, float x, int axis)
{
    return (size_t)((x - c->lower[axis]) * c->inverse);
}

static bool find_box(cells *c)
{
    float upper[3];
    c->all = 1;
    for (int a = 0; a < 3; ++a) {
        c->lower[a] = upper[a] = c->points[a];
        for (size_t i = 1; i < c->n; ++i) {
            c->lower[a] = fminf(c->lower[a], c->points[3 * i + (size_t)a]);
            upper[a] = fmaxf(upper[a], c->points[3 * i + (size_t)a]);
        }
        const float last = (upper[a] - c->lower[a]) * c->inverse;
        if (!(last < 0x1p28f))
            return false;
        c->per_axis[a] = (size_t)last + 1;
        c->all *= c->per_axis[a];
        if (c->all > (size_t)1 << 28)
            return false;
    }
    return true;
}

static void build(cells *c)
{
    for (size_t cell = 0; cell <= c->all; ++cell)
        c->starts[cell] = 0;
    for (size_t i = 0; i < c->n; ++i) {
        const float *p = c->points + 3 * i;
        c->cell_of[i] =
            (uint32_t)((along(c, p[2], 2) * c->per_axis[1] + along(c, p[1], 1)) * c->per_axis[0] +
                       along(c, p[0], 0));
        ++c->starts[c->cell_of[i]];
    }
    uint32_t sum = 0;
    for (size_t cell = 0; cell <= c->all; ++cell) {
        const uint32_t count = c->starts[cell];
        c->starts[cell] = sum;
        sum += count;
    }
    for (size_t i = 0; i < c->n; ++i) {
        const float *p = c->points + 3 * i;
        c->sorted[c->starts[c->cell_of[i]]++] = (place){p[0], p[1], p[2], (uint32_t)i};
    }
    for (size_t cell = c->all; cell > 0; --cell)
        c->starts[cell] = c->starts[cell - 1];
    c->starts[0] = 0;
}

/* Cells of an axis around the one at `at`, one more on both sides; two more at the lower end
 * where a neighbour's distance is rounded down to the radius. */
static void around(const cells *c, float x, int axis, size_t *first, size_t *last)
{
    const float reach = 1.0001f / c->inverse;
    *first = x - reach > c->lower[axis] ? along(c, x - reach, axis) : 0;
    *last = along(c, x + reach, axis);
    *last = *last < c->per_axis[axis] ? *last : c->per_axis[axis] - 1;
}

/* The neighbours of sorted point k into `row`, or only counted where that is NULL. */
static uint32_t look(const cells *c, size_t k, uint32_t *row)
{
    const place p = c->sorted[k];
    size_t x0, x1, y0, y1, z0, z1;
    uint32_t count = 0;
    around(c, p.x, 0, &x0, &x1);
    around(c, p.y, 1, &y0, &y1);
    around(c, p.z, 2, &z0, &z1);
    for (size_t z = z0; z <= z1; ++z)
        for (size_t y = y0; y <= y1; ++y) {
            const uint32_t *starts = c->starts + (z * c->per_axis[1] + y) * c->per_axis[0];
            for (uint32_t q = starts[x0]; q < starts[x1 + 1]; ++q) {
                const place *o = c->sorted + q;
                const float dx = p.x - o->x, dy = p.y - o->y, dz = p.z - o->z;
                if ((dx * dx + dy * dy) + dz * dz < c->radius2 && q != k) {
                    if (row)
                        row[count] = o->index;
                    ++count;
                }
            }
        }
    return count;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void put_in_order(uint32_t *row, uint32_t n)
{
    if (n > 64) {
        qsort(row, n, sizeof *row, by_value);
        return;
    }
    for (uint32_t k = 1; k < n; ++k) {
        const uint32_t v = row[k];
        uint32_t at = k;
        for (; at > 0 && row[at - 1] > v; --at)
            row[at] = row[at - 1];
        row[at] = v;
    }
}

static bool search(cells *c, uint64_t *offsets, uint32_t *indices, uint64_t capacity)
{
    const long long n = (long long)c->n;
    build(c);
    offsets[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024)
    for (long long k = 0; k < n; ++k)
        offsets[c->sorted[k].index + 1] = look(c, (size_t)k, NULL);
    for (size_t i = 0; i < c->n; ++i)
        offsets[i + 1] += offsets[i];
    if (offsets[c->n] > capacity)
        return false;
#pragma omp parallel for schedule(dynamic, 1024)
    for (long long k = 0; k < n; ++k) {
        uint32_t *row = indices + offsets[c->sorted[k].index];
        put_in_order(row, look(c, (size_t)k, row));
    }
    return true;
}

double bench_cells(const float *points, size_t n, float radius, uint64_t *offsets,
                   uint32_t *indices, uint64_t capacity, unsigned runs)
{
    cells c = {.points = points, .n = n, .radius2 = radius * radius, .inverse = 1.0f / radius};
    double *times = malloc((runs + 1) * sizeof *times), median = -1;
    c.cell_of = malloc(n * sizeof *c.cell_of);
    c.sorted = malloc(n * sizeof *c.sorted);
    bool fits = times && c.cell_of && c.sorted && find_box(&c);
    c.starts = fits ? malloc((c.all + 1) * sizeof *c.starts) : NULL;
    fits = fits && c.starts && search(&c, offsets, indices, capacity);
    for (unsigned run = 0; fits && run < runs; ++run) {
        const double start = bench_now();
        fits = find_box(&c) && search(&c, offsets, indices, capacity);
        times[run] = 1e3 * (bench_now() - start);
    }
    if (fits && runs > 0)
        median = bench_median(times, runs);
    free(c.starts);
    free(c.sorted);
    free(c.cell_of);
    free(times);
    return median;
}

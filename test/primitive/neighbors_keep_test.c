/* SPDX-License-Identifier: MIT
 * Rows of fixed room that keep the nearest of too many neighbours, where distances are equal or of
 * any magnitude. Each row is compared with a serial choice among all neighbours, which a list of
 * rows of any length has. */
#include "grid_support.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 400 };

typedef struct places {
    double at[MOST][3];
    size_t n;
} places;

/* A list with details: rows of any length, or of fixed room. */
typedef struct rows {
    uint32_t *counts, *indices;
    uint64_t *offsets; /* NULL: fixed room */
    unsigned char *distances2;
    int32_t *shifts;
    size_t bytes;
} rows;

static void *read_all(xlt_buffer *from, size_t bytes)
{
    void *const to = malloc(bytes + 1);
    assert_non_null(to);
    xlt_read(from, to);
    xlt_buffer_free(from);
    return to;
}

static void rows_free(rows *r)
{
    free(r->counts);
    free(r->offsets);
    free(r->indices);
    free(r->distances2);
    free(r->shifts);
}

/* Searches with desc; `room` indices in total. */
static rows search(xl_plan *grid, xl_grid_index *index, const xl_neighbors_desc *desc, size_t n,
                   size_t room, bool wide)
{
    rows r = {.bytes = wide ? 8 : 4};
    const bool fixed = desc->row_capacity > 0;
    xl_plan *plan;
    XLT_OK(xl_neighbors_create(grid, desc, &plan));
    xlt_buffer counts = xlt_buffer_make(NULL, n, 4, 1),
               offsets = xlt_buffer_make(NULL, n + 1, 8, 0),
               indices = xlt_buffer_make(NULL, room, 4, 2),
               distances2 = xlt_buffer_make(NULL, room, r.bytes, 3),
               shifts = xlt_buffer_make(NULL, 3 * room, 4, 0);
    const xl_neighbors_args args = {.capacity = fixed ? 0 : room,
                                    .counts = xlt_view(&counts),
                                    .offsets = fixed ? xl_no_view() : xlt_view(&offsets),
                                    .indices = xlt_view(&indices),
                                    .distances2 = xlt_view(&distances2),
                                    .shifts = xlt_view(&shifts)};
    XLT_OK(xl_neighbors_enqueue(plan, index, xlt_queue(), &args, 0, NULL, NULL));
    XLT_OK(xl_neighbors_status(plan, index, xlt_queue(), &args, NULL, 0, NULL));
    r.counts = read_all(&counts, n * 4);
    r.offsets = read_all(&offsets, (n + 1) * 8);
    r.indices = read_all(&indices, room * 4);
    r.distances2 = read_all(&distances2, room * r.bytes);
    r.shifts = read_all(&shifts, room * 12);
    xl_plan_destroy(plan);
    return r;
}

static double distance2_of(const rows *r, size_t k)
{
    double wide;
    float narrow;
    if (r->bytes == 8)
        return memcpy(&wide, r->distances2 + 8 * k, 8), wide;
    return (double)(memcpy(&narrow, r->distances2 + 4 * k, 4), narrow);
}

/* Entries of a row ascend by index, then by image. */
static bool is_kept(const rows *all, size_t begin, size_t count, size_t room, size_t k)
{
    size_t nearer = 0;
    const double own = distance2_of(all, begin + k);
    for (size_t j = 0; j < count && count > room; ++j) {
        const double other = distance2_of(all, begin + j);
        nearer += other < own || (other == own && j < k) ? 1 : 0;
    }
    return nearer < room;
}

static void check_rows(const char *what, const rows *all, const rows *got, size_t n, size_t room)
{
    for (size_t i = 0; i < n; ++i) {
        const size_t begin = (size_t)all->offsets[i], count = all->counts[i];
        assert_int_equal(got->counts[i], count);
        for (size_t k = 0, at = i * room; k < count; ++k) {
            if (!is_kept(all, begin, count, room, k))
                continue;
            if (got->indices[at] != all->indices[begin + k] ||
                memcmp(got->distances2 + at * got->bytes,
                       all->distances2 + (begin + k) * all->bytes, all->bytes) != 0 ||
                memcmp(got->shifts + 3 * at, all->shifts + 3 * (begin + k), 12) != 0)
                XLT_FAIL("%s, room %zu, row %zu of %zu: place %zu has %u, not %u", what, room, i,
                         count, at - i * room, got->indices[at], all->indices[begin + k]);
            ++at;
        }
    }
}

/* Compares rows of some rooms with all neighbours. */
static void compare(const char *what, xl_grid_desc grid_desc, xl_neighbors_desc desc,
                    const places *p, tuned how)
{
    static const uint32_t rooms[] = {1, 2, 13, 57, 300, 2000};
    const bool wide = grid_desc.space.scalar == XL_F64;
    float narrow[MOST * 3];
    xl_plan *grid;
    xl_grid_index *index;
    for (size_t k = 0; k < 3 * p->n; ++k)
        narrow[k] = (float)p->at[k / 3][k % 3];
    xlt_buffer points =
        xlt_buffer_make(wide ? (const void *)p->at : narrow, 3 * p->n, wide ? 8 : 4, 0);
    tune_as(how, &grid_desc, &desc);
    desc.details = 1;
    XLT_OK(xl_grid_create(xlt_context(), &grid_desc, &grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &index));
    XLT_OK(xl_grid_build_enqueue(grid, index, xlt_queue(),
                                 &(xl_grid_build_args){.n = p->n, .points = xlt_view(&points)}, 0,
                                 NULL, NULL));
    rows all = search(grid, index, &desc, p->n, p->n * 2000, wide);
    desc.keep_nearest = 1;
    for (size_t k = how % 2; k < sizeof rooms / sizeof *rooms; k += 2) {
        desc.row_capacity = rooms[k];
        rows got = search(grid, index, &desc, p->n, p->n * rooms[k], wide);
        check_rows(what, &all, &got, p->n, rooms[k]);
        rows_free(&got);
    }
    rows_free(&all);
    xl_grid_index_destroy(index);
    xl_plan_destroy(grid);
    xlt_buffer_free(&points);
}

/* In both precisions, in all ways. */
static void compare_all(const char *what, xl_grid_desc grid, xl_neighbors_desc desc,
                        const places *p)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    for (tuned how = TUNED_AS_IS; how < TUNED_WAYS; ++how) {
        grid.space.scalar = how % 2 && info.has_fp64 ? XL_F64 : XL_F32;
        compare(what, grid, desc, p, how);
    }
}

/* Edges of a cell, and points of a lattice in it. */
static xl_grid_desc cell_of(const double cell[3][3])
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 2;
    desc.space.bounds = XL_BOUNDS_GIVEN;
    desc.space.periodic = 7;
    memcpy(desc.space.cell, cell, sizeof desc.space.cell);
    return desc;
}

static places lattice(size_t edge)
{
    places p = {.n = edge * edge * edge};
    for (size_t i = 0; i < p.n; ++i) {
        p.at[i][0] = (double)(i % edge);
        p.at[i][1] = (double)(i / edge % edge);
        p.at[i][2] = (double)(i / edge / edge);
    }
    return p;
}

static xl_neighbors_desc within(double radius)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = radius;
    desc.inclusive = 1;
    return desc;
}

/* A radius of more than the box: images of one point are at one distance. */
XLT_TEST(images_at_one_distance)
{
    static const double box[3][3] = {{3, 0, 0}, {0, 3, 0}, {0, 0, 3}},
                        cell[3][3] = {{0, 3, 3}, {3, 0, 3}, {3, 3, 0}};
    const places p = lattice(3), few = lattice(1);
    compare_all("a lattice in a box", cell_of(box), within(4), &p);
    compare("rows longer than a work-item holds", cell_of(box), within(6.4), &p, TUNED_AS_IS);
    xl_neighbors_desc half = within(4);
    half.half = 1;
    compare_all("half a lattice", cell_of(box), half, &p);
    compare_all("a point in a cell", cell_of(cell), within(9), &few);
}

/* Distances from 2^-49 on, and many that are 0. */
XLT_TEST(distances_of_any_magnitude)
{
    xl_grid_desc grid;
    xl_grid_desc_init(&grid);
    grid.cell_size = 1;
    places p = {.n = 270};
    for (size_t i = 0; i < p.n; ++i)
        p.at[i][0] = i < 50 ? ldexp(1, -(int)i) : i < 240 ? 0 : 0.5 + (double)(i % 7) * 0x1p-20;
    xl_neighbors_desc desc = within(1);
    compare_all("points on a line", grid, desc, &p);
}

XLT_MAIN_WITH_GRIDS(NULL, xlt_teardown)

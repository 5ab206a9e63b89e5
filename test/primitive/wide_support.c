/* SPDX-License-Identifier: MIT
 * Support of the tests of points of double precision. */
#include "wide_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

places places_make(size_t n, size_t stride)
{
    places p = {.n = n, .stride = stride, .xyz = malloc((n * stride + 1) * sizeof(double))};
    assert_non_null(p.xyz);
    for (size_t i = 0; i < n * stride; ++i)
        p.xyz[i] = NAN;
    return p;
}

double wide_unit(xlt_random *random)
{
    return (double)xlt_unit(random) + 0x1p-24 * (double)xlt_unit(random);
}

places places_uniform(size_t n, size_t stride, double low, double edge, uint64_t seed)
{
    xlt_random random = {seed};
    places p = places_make(n, stride);
    for (size_t i = 0; i < n; ++i)
        for (size_t a = 0; a < 3; ++a)
            p.xyz[i * stride + a] = low + edge * wide_unit(&random);
    return p;
}

places places_lattice(size_t side, double low, double spacing)
{
    places p = places_make(side * side * side, 3);
    for (size_t i = 0; i < p.n; ++i) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        for (size_t a = 0; a < 3; ++a)
            p.xyz[3 * i + a] = low + (double)at[a] * spacing;
    }
    return p;
}

void places_set(places *p, size_t i, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    memcpy(p->xyz + i * p->stride, at, sizeof at);
}

size_t wide_sized(size_t n)
{
    return xlt_on_oclgrind() ? n / 10 : xlt_small() ? n / 4 : n;
}

bool lacks_doubles(void)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    return !info.has_fp64;
}

wide_case wide_case_of(const places *p, double radius)
{
    wide_case a = {.points = p};
    xl_grid_desc_init(&a.grid);
    xl_neighbors_desc_init(&a.search);
    a.grid.scalar = a.search.scalar = XL_F64;
    a.grid.stride = (uint32_t)p->stride;
    a.grid.cell_size = (float)radius;
    a.search.radius_f64 = radius;
    return a;
}

void wide_give_box(wide_case *a, double low, double high, uint32_t periodic)
{
    a->grid.bounded = 1;
    a->grid.periodic = periodic;
    for (uint32_t k = 0; k < a->grid.dimensions; ++k) {
        a->grid.lower_f64[k] = low;
        a->grid.upper_f64[k] = high;
    }
}

void wide_cell_of(const xl_grid_desc *grid, double period[3], double tilt[3])
{
    const bool b = grid->triclinic && grid->periodic & 2, c = grid->triclinic && grid->periodic & 4;
    for (int k = 0; k < 3; ++k) {
        const double length =
            grid->triclinic ? grid->cell_f64[k][k] : grid->upper_f64[k] - grid->lower_f64[k];
        period[k] = grid->periodic & 1u << k ? length : 0;
    }
    tilt[0] = b ? grid->cell_f64[1][0] : 0;
    tilt[1] = c ? grid->cell_f64[2][0] : 0;
    tilt[2] = c ? grid->cell_f64[2][1] : 0;
}

ref_search_f64 wide_reference_of(const wide_case *a)
{
    ref_search_f64 r = {REF_SEARCH_SHARED(a), .radius = a->search.radius_f64};
    wide_cell_of(&a->grid, r.period, r.tilt);
    return r;
}

given given_make(const places *p, size_t dimensions, bool soa)
{
    given g = {.view = {{0}, {0}, {0}}};
    double *axis = malloc((p->n + 1) * sizeof *axis);
    assert_non_null(axis);
    for (size_t a = 0; a < (soa ? dimensions : 1); ++a) {
        for (size_t i = 0; i < p->n; ++i)
            axis[i] = p->xyz[i * p->stride + a];
        const size_t scalars = p->n > 0 ? (p->n - 1) * p->stride + dimensions : 0;
        g.axis[a] = soa ? xlt_buffer_make(axis, p->n, sizeof *axis, 3 + a)
                        : xlt_buffer_make(p->xyz, scalars, sizeof *axis, 3);
        g.view[a] = xlt_view(&g.axis[a]);
    }
    free(axis);
    return g;
}

void given_free(given *g)
{
    for (int a = 0; a < 3; ++a)
        if (g->axis[a].mem) {
            xlt_check_guards(&g->axis[a], "what is only read");
            xlt_buffer_free(&g->axis[a]);
        }
}

xlt_buffer wide_one_system(size_t n)
{
    uint32_t *zeros = calloc(n + 1, sizeof *zeros);
    assert_non_null(zeros);
    const xlt_buffer made = xlt_buffer_make(zeros, n, sizeof *zeros, 1);
    free(zeros);
    return made;
}

static void build(const wide_index *b, const wide_case *a)
{
    const xl_grid_build_args args = {.n = a->points->n,
                                     .points = b->points.view[0],
                                     .points_y = b->points.view[1],
                                     .points_z = b->points.view[2],
                                     .systems = xlt_view(&b->systems),
                                     .storage = xlt_view(&b->storage)};
    XLT_OK(xl_grid_build_enqueue(b->grid, b->index, xlt_queue(), &args, 0, NULL, NULL));
}

wide_index wide_index_make(const wide_case *a)
{
    wide_index b = {.points = given_make(a->points, a->grid.dimensions, a->soa)};
    xl_grid_desc grid = a->grid;
    xl_neighbors_desc search = a->search;
    size_t bytes, alignment;
    tune_as(a->how, &grid, &search);
    grid.layout = a->soa ? XL_POINTS_SOA : XL_POINTS_AOS;
    XLT_OK(xl_grid_create(xlt_context(), &grid, &b.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &b.index));
    XLT_OK(xl_grid_scratch(b.grid, a->points->n, &bytes, &alignment));
    b.storage = xlt_scratch_make(bytes, alignment);
    if (grid.num_systems > 0)
        b.systems = wide_one_system(a->points->n);
    build(&b, a);
    return b;
}

void wide_index_free(wide_index *b)
{
    xlt_check_guards(&b->storage, "storage");
    given_free(&b->points);
    xl_grid_index_destroy(b->index);
    xl_grid_destroy(b->grid);
    xlt_buffer_free(&b->storage);
    xlt_buffer_free(&b->systems);
}

/* SPDX-License-Identifier: MIT
 * Support of the tests of the grid and of the neighbour lists. */
#include "grid_support.h"

#include <math.h>
#include <stdlib.h>

cloud cloud_make(size_t n, size_t stride)
{
    cloud c = {.n = n, .stride = stride, .xyz = malloc((n * stride + 1) * sizeof(float))};
    assert_non_null(c.xyz);
    for (size_t i = 0; i < n * stride; ++i)
        c.xyz[i] = NAN;
    return c;
}

void cloud_free(cloud *c)
{
    free(c->xyz);
    *c = (cloud){0};
}

void cloud_set(cloud *c, size_t i, float x, float y, float z)
{
    c->xyz[i * c->stride] = x;
    c->xyz[i * c->stride + 1] = y;
    c->xyz[i * c->stride + 2] = z;
}

xlt_buffer cloud_buffer(const cloud *c, size_t dimensions, size_t offset)
{
    const size_t scalars = c->n > 0 ? (c->n - 1) * c->stride + dimensions : 0;
    return xlt_buffer_make(c->xyz, scalars, sizeof *c->xyz, offset);
}

cloud cloud_uniform(size_t n, float low, float edge, uint64_t seed)
{
    xlt_random random = {seed};
    cloud c = cloud_make(n, 3);
    for (size_t i = 0; i < 3 * n; ++i)
        c.xyz[i] = low + edge * xlt_unit(&random);
    return c;
}

xl_grid_desc grid_desc_of(const cloud *c, float cell_size)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.stride = (uint32_t)c->stride;
    desc.cell_size = (double)cell_size;
    return desc;
}

xl_neighbors_desc search_desc_of(float radius)
{
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = (double)radius;
    return desc;
}

void tune_as(tuned how, xl_grid_desc *grid, xl_neighbors_desc *search)
{
    static const xl_tunable cells[TUNED_WAYS][4] = {
        [TUNED_TABLE] = {{"grid.planes", 0},
                         {"grid.table", 64},
                         {"grid.thin", 8},
                         {"grid.window", 40}},
        [TUNED_ROWS] = {{"grid.planes", 0},
                        {"grid.table", 0},
                        {"grid.sampled", 1 << 20},
                        {"grid.window", 0}},
        [TUNED_WALK] = {
            {"grid.planes", 0}, {"grid.table", 64}, {"grid.thin", 3}, {"grid.window", 0}}};
    static const xl_tunable searches[TUNED_WAYS][3] = {
        [TUNED_TABLE] = {{"neighbors.walk", 0},
                         {"neighbors.staged", 12},
                         {"neighbors.together", 2}},
        [TUNED_ROWS] = {{"neighbors.walk", 0}, {"neighbors.staged", 0}, {"neighbors.together", 1}},
        [TUNED_WALK] = {
            {"neighbors.walk", 37}, {"neighbors.staged", 0}, {"neighbors.together", 2}}};
    grid->tunables = how == TUNED_AS_IS ? NULL : cells[how];
    search->tunables = how == TUNED_AS_IS ? NULL : searches[how];
    grid->num_tunables = how == TUNED_AS_IS ? 0 : 4;
    search->num_tunables = how == TUNED_AS_IS ? 0 : 3;
}

built build_grid(const cloud *c, const xl_grid_desc *desc)
{
    built b = {.cloud = c};
    size_t bytes;
    XLT_OK(xl_grid_create(xlt_context(), desc, &b.grid));
    XLT_OK(xl_grid_index_create(xlt_context(), &b.index));
    XLT_OK(xl_grid_scratch(b.grid, &(xl_grid_build_args){.n = c->n}, &bytes));
    b.storage = xlt_scratch_make(bytes);
    b.points = cloud_buffer(c, desc->space.dimensions, 3);
    XLT_OK(xl_grid_build_enqueue(b.grid, b.index, xlt_queue(),
                                 &(xl_grid_build_args){.n = c->n,
                                                       .points = xlt_view(&b.points),
                                                       .storage = xlt_view(&b.storage)},
                                 0, NULL, NULL));
    return b;
}

void built_free(built *b)
{
    if (b->storage.mem)
        xlt_check_guards(&b->storage, "storage");
    xlt_check_guards(&b->points, "points");
    xl_grid_index_destroy(b->index);
    xl_plan_destroy(b->grid);
    xlt_buffer_free(&b->points);
    xlt_buffer_free(&b->storage);
}

xl_grid_report report_of(const built *b)
{
    xl_grid_report report;
    XLT_OK(xl_grid_index_status(b->index, xlt_queue(), &report, 0, NULL));
    return report;
}

uint32_t *order_of(const built *b)
{
    size_t n = b->cloud->n;
    uint32_t *numbers = malloc((n + 1) * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < n; ++i)
        numbers[i] = (uint32_t)i;
    xlt_buffer in = xlt_buffer_make(numbers, n, sizeof *numbers, 1);
    xlt_buffer out = xlt_buffer_make(NULL, n, sizeof *numbers, 2);
    XLT_OK(xl_grid_reorder_enqueue(b->grid, b->index, xlt_queue(),
                                   &(xl_grid_reorder_args){.element_bytes = sizeof *numbers,
                                                           .in = xlt_view(&in),
                                                           .out = xlt_view(&out)},
                                   0, NULL, NULL));
    xlt_read(&out, numbers);
    xlt_check_guards(&out, "out");
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    return numbers;
}

void list_free(list *l)
{
    free(l->offsets);
    free(l->indices);
    *l = (list){0};
}

list list_by_brute_force(const cloud *c, const xl_neighbors_desc *desc)
{
    list l = {.n = c->n, .offsets = malloc((c->n + 1) * sizeof *l.offsets)};
    const ref_search search = {.points = c->xyz,
                               .n = c->n,
                               .stride = c->stride,
                               .radius = (float)desc->radius,
                               .inclusive = desc->inclusive != 0,
                               .include_self = desc->include_self != 0};
    assert_non_null(l.offsets);
    l.indices = ref_neighbors(&search, l.offsets);
    assert_non_null(l.indices);
    return l;
}

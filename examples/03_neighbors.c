/* SPDX-License-Identifier: MIT
 * Problem: find, for each point, all points within a radius. Builds a grid over the points, counts
 * the neighbours of each, and then allocates and fills the list, whose size the count gives. */
#include <crosslane/crosslane.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8 };

/* The corners of a unit cube, one of them moved far away. */
static const float points[N][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {9, 9, 9}};

typedef struct search {
    xl_context *ctx;
    cl_command_queue queue;
    xl_plan *grid;
    xl_grid_index *index;
    xl_plan *plan;
    cl_mem points, offsets, indices;
} search;

static xl_status make_plans(search *s, double radius)
{
    xl_grid_desc grid;
    xl_neighbors_desc near;
    xl_grid_desc_init(&grid);
    grid.cell_size = radius;
    xl_neighbors_desc_init(&near);
    near.radius = radius;
    xl_status status = xl_grid_create(s->ctx, &grid, &s->grid);
    if (status == XL_SUCCESS)
        status = xl_grid_index_create(s->ctx, &s->index);
    if (status == XL_SUCCESS)
        status = xl_neighbors_create(s->grid, &near, &s->plan);
    return status;
}

static xl_status count(search *s, cl_ulong offsets[N + 1])
{
    cl_context cl = xl_context_cl(s->ctx);
    s->points = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, sizeof points, (void *)points, NULL);
    s->offsets = clCreateBuffer(cl, CL_MEM_READ_WRITE, (N + 1) * sizeof *offsets, NULL, NULL);
    const xl_grid_build_args build = {.n = N, .points = xl_view_of(s->points, 0)};
    const xl_neighbors_args args = {.offsets = xl_view_of(s->offsets, 0)};
    xl_status status = xl_grid_build_enqueue(s->grid, s->index, s->queue, &build, 0, NULL, NULL);
    if (status == XL_SUCCESS) /* waits; says so if a point is not finite */
        status = xl_grid_index_status(s->index, s->queue, NULL, 0, NULL);
    if (status == XL_SUCCESS)
        status = xl_neighbors_count_enqueue(s->plan, s->index, s->queue, &args, 0, NULL, NULL);
    if (status == XL_SUCCESS)
        clEnqueueReadBuffer(s->queue, s->offsets, CL_TRUE, 0, (N + 1) * sizeof *offsets, offsets, 0,
                            NULL, NULL);
    return status;
}

static xl_status list(search *s, cl_ulong pairs, cl_uint *indices)
{
    s->indices = clCreateBuffer(xl_context_cl(s->ctx), CL_MEM_READ_WRITE, pairs * sizeof *indices,
                                NULL, NULL);
    const xl_neighbors_args args = {.capacity = pairs,
                                    .offsets = xl_view_of(s->offsets, 0),
                                    .indices = xl_view_of(s->indices, 0)};
    xl_status status = xl_neighbors_fill_enqueue(s->plan, s->index, s->queue, &args, 0, NULL, NULL);
    if (status == XL_SUCCESS)
        clEnqueueReadBuffer(s->queue, s->indices, CL_TRUE, 0, pairs * sizeof *indices, indices, 0,
                            NULL, NULL);
    return status;
}

static void finish(search *s)
{
    const cl_mem buffers[] = {s->points, s->offsets, s->indices};
    for (int i = 0; i < 3; ++i)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    xl_plan_destroy(s->plan);
    xl_grid_index_destroy(s->index);
    xl_plan_destroy(s->grid);
    xl_context_destroy(s->ctx);
}

int main(void)
{
    search s = {.ctx = NULL};
    cl_ulong offsets[N + 1] = {0};
    cl_uint indices[N * N];
    xl_status status = xl_context_create(NULL, &s.ctx);
    s.queue = xl_context_queue(s.ctx);
    if (status == XL_SUCCESS)
        status = make_plans(&s, 1.25);
    if (status == XL_SUCCESS)
        status = count(&s, offsets);
    if (status == XL_SUCCESS)
        status = list(&s, offsets[N], indices);
    if (status != XL_SUCCESS)
        fprintf(stderr, "%s\n", xl_context_error(s.ctx));
    for (int i = 0; i < N && status == XL_SUCCESS; ++i) {
        printf("point %d:", i);
        for (cl_ulong k = offsets[i]; k < offsets[i + 1]; ++k)
            printf(" %u", indices[k]);
        printf("\n");
    }
    finish(&s);
    /* Seven corners of a cube share nine edges, each seen from both ends. */
    return status == XL_SUCCESS && offsets[N] == 18 ? 0 : 1;
}

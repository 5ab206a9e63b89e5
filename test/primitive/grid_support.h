/* SPDX-License-Identifier: MIT
 * Shared by the tests of grids and neighbour lists: clouds of points, grids over them, and lists by
 * brute force. */
#ifndef GRID_SUPPORT_H
#define GRID_SUPPORT_H

#include "reference.h"
#include "xlt.h"

#include <string.h>

typedef struct cloud {
    float *xyz; /* n * stride; scalars between points are NaN */
    size_t n, stride;
} cloud;

cloud cloud_make(size_t n, size_t stride);
void cloud_free(cloud *c);
void cloud_set(cloud *c, size_t i, float x, float y, float z);
/* Its points on the device, up to the last one's last coordinate; see xlt_buffer_make(). */
xlt_buffer cloud_buffer(const cloud *c, size_t dimensions, size_t offset);
/* Uniform in a cube with the corner `low` and the given edge. */
cloud cloud_uniform(size_t n, float low, float edge, uint64_t seed);

/* A grid over a cloud, in storage filled with 0xA5 that is watched by guards. */
typedef struct built {
    xl_plan *grid;
    xl_grid_index *index;
    xlt_buffer points, storage;
    const cloud *cloud;
} built;

/* How searches and grids are tuned: as the device's table has it; as for GPUs, in a table of cells
 * eight times as thin along x; the same, rows listed; work-items that walk, of points in fours. */
typedef enum tuned { TUNED_AS_IS, TUNED_TABLE, TUNED_ROWS, TUNED_WALK, TUNED_WAYS } tuned;

void tune_as(tuned how, xl_grid_desc *grid, xl_neighbors_desc *search);

xl_grid_desc grid_desc_of(const cloud *c, float cell_size);
xl_neighbors_desc search_desc_of(float radius);
built build_grid(const cloud *c, const xl_grid_desc *desc);
void built_free(built *b);
xl_grid_report report_of(const built *b);

/* The order of the grid, by the gather of 0, 1, 2, ...; freed by the caller. */
uint32_t *order_of(const built *b);

/* offsets and rows; freed by list_free(). */
typedef struct list {
    uint64_t *offsets;
    uint32_t *indices;
    size_t n;
} list;
list list_by_brute_force(const cloud *c, const xl_neighbors_desc *desc);
void list_free(list *l);

#endif

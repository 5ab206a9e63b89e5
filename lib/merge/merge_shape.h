/* SPDX-License-Identifier: MIT
 * The shape of a merge: how a problem is laid out on a device. A pure function of problem and
 * tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_MERGE_SHAPE_H
#define XLI_MERGE_SHAPE_H

#include "runtime.h"

#include <crosslane/merge.h>

/* A checked descriptor. */
typedef struct xli_merge_problem {
    xl_type key, value; /* XL_NONE: keys alone */
    bool descending;
    bool equal_zeros; /* -0 equals +0, if keys have both */
} xli_merge_problem;

typedef struct xli_merge_shape {
    bool serial;           /* one work-item makes a chunk, else a work-group makes a tile */
    uint32_t group_size;   /* work-items of every launch */
    uint32_t items;        /* elements of a work-item of a group that makes a tile */
    uint32_t most;         /* elements of a chunk */
    uint32_t units;        /* compute units */
    uint32_t search_tiles; /* most tiles that find their own parts of the arrays */
} xli_merge_shape;

/* `most`: work-items that the kernels allow a group. */
void xli_merge_shape_of(const xli_merge_problem *problem, const xli_tune_device *device,
                        const xli_tune_merge *tune, size_t most, xli_merge_shape *shape);

/* Elements of each tile or chunk of a call that gives n > 0 elements; the last may have fewer. */
size_t xli_merge_tile(const xli_merge_shape *shape, size_t n);

/* Whether such a call has a launch that finds the inputs of each tile. Its scratch then holds a
 * word for each tile and one for the end. */
bool xli_merge_has_cuts(const xli_merge_shape *shape, size_t n);
size_t xli_merge_scratch_bytes(const xli_merge_shape *shape, size_t n);

#endif

/* SPDX-License-Identifier: MIT
 * The shape of a transform: how a problem is laid out on a device. A pure function of problem,
 * capabilities and tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_TRANSFORM_SHAPE_H
#define XLI_TRANSFORM_SHAPE_H

#include "element.h"

#include <crosslane/transform.h>

/* A checked descriptor. */
typedef struct xli_transform_problem {
    xl_transform_kind kind;
    uint32_t arrays;
    xli_element in[XL_TRANSFORM_ARRAYS], out; /* gather, scatter: `in` alone, with its bytes */
    size_t index_bytes;                       /* 0: no indices */
    xli_params params;                        /* of the expression */
} xli_transform_problem;

typedef struct xli_transform_shape {
    bool serial;         /* one work-item walks a chunk, else a work-group takes a tile */
    uint32_t group_size; /* work-items of a group */
    uint32_t vector;     /* elements of a vector; 1 if they are no scalars */
    uint32_t items;      /* vectors (XL_TRANSFORM_ADJACENT: elements) of a work-item in a tile */
    uint32_t tile;       /* elements of a tile or a chunk */
    size_t stream_bytes; /* results of at least this size are written past the cache */
} xli_transform_shape;

/* Whether an xl_transform_kind moves elements by indices: a gather or a scatter. */
bool xli_transform_moves(uint32_t kind);

/* `most`: work-items that the kernels allow in a group. */
void xli_transform_shape_of(const xli_transform_problem *problem, const xli_tune_device *device,
                            const xli_tune_transform *tune, size_t most,
                            xli_transform_shape *shape);

/* Scratch of XL_TRANSFORM_ADJACENT in place; 0 for other kinds. */
size_t xli_transform_scratch_bytes(const xli_transform_problem *problem,
                                   const xli_transform_shape *shape, size_t n);

#endif

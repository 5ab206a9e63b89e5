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
    xli_element in[XL_TRANSFORM_ARRAYS], out; /* of a gather and a scatter their bytes alone */
    size_t index_bytes;                       /* 0: there are no indices */
    xli_params params;                        /* of the expression */
} xli_transform_problem;

typedef struct xli_transform_shape {
    bool serial;         /* one work-item walks a chunk, else a work-group takes a tile */
    uint32_t group_size; /* work-items of a group */
    uint32_t vector;     /* elements of a vector, 1 where they are no scalars */
    uint32_t items;      /* vectors, or elements of neighbours, of a work-item of a tile */
    uint32_t tile;       /* elements of a tile or a chunk */
    size_t stream_bytes; /* results of so many bytes are written past the cache */
} xli_transform_shape;

/* Whether an xl_transform_kind moves elements by indices; these only have units of bytes. */
bool xli_transform_moves(uint32_t kind);

/* `most`: work-items of a group that kernels allow. */
void xli_transform_shape_of(const xli_transform_problem *problem, const xli_tune_device *device,
                            const xli_tune_transform *tune, size_t most,
                            xli_transform_shape *shape);

/* Scratch of a call that works on neighbours in place; 0 of others. */
size_t xli_transform_scratch_bytes(const xli_transform_problem *problem,
                                   const xli_transform_shape *shape, size_t n);

#endif

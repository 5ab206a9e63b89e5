/* SPDX-License-Identifier: MIT
 * The shape of a reduction, as scan_shape.h has it of a scan: pure, and testable without a
 * device. */
#ifndef XLI_REDUCE_SHAPE_H
#define XLI_REDUCE_SHAPE_H

#include "problem.h"

typedef struct xli_reduce_shape {
    xli_tune_reduce tune;
    uint32_t units;      /* compute units of the device */
    uint32_t sub_group;  /* as xli_sub_group_of() */
    uint32_t group_size; /* work-items of every launch */
    uint32_t vector;     /* elements that a work-item moves at once */
    uint32_t items;      /* elements that it holds; 0: it walks a tile */
    size_t tile;         /* elements of one group's tile */
} xli_reduce_shape;

/* For groups of at most `most` work-items. */
void xli_reduce_shape_of(const xli_problem *problem, const xli_capabilities *capabilities,
                         const xli_tune_reduce *tune, size_t most, xli_reduce_shape *shape);

/* Whether the heads of segments are counted before they are reduced: flags, bits and keys. */
bool xli_reduce_counts(const xli_problem *problem);

/* How a call is cut into runs, of whole tiles. */
typedef struct xli_reduce_partition {
    size_t chunk;  /* elements, or steps of the merge with CSR offsets */
    size_t chunks; /* at least 1 */
    size_t most;   /* of one launch */
} xli_reduce_partition;
xli_reduce_partition xli_reduce_partition_of(const xli_problem *problem,
                                             const xli_reduce_shape *shape, size_t n,
                                             size_t segments);

/* Scratch of a call: one record more than a launch has runs, then as many numbers of heads. */
typedef struct xli_reduce_layout {
    size_t counts; /* bytes before the heads */
    size_t bytes;
} xli_reduce_layout;
xli_reduce_layout xli_reduce_layout_of(const xli_problem *problem, const xli_reduce_shape *shape,
                                       size_t n);

#endif

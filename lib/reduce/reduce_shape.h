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
    size_t row;         /* chunks are multiples of so many: a tile, or a vector of each work-item */
    bool single_launch; /* of a whole array, where a call has a counter for it */
} xli_reduce_shape;

/* For groups of at most `most` work-items. */
void xli_reduce_shape_of(const xli_problem *problem, const xli_capabilities *capabilities,
                         const xli_tune_reduce *tune, size_t most, xli_reduce_shape *shape);

/* Whether the heads of segments are counted before they are reduced: flags, bits and keys. */
bool xli_reduce_counts(const xli_problem *problem);

/* How a call is cut into chunks, of whole rows. */
typedef struct xli_reduce_partition {
    size_t chunk;  /* elements, or steps of the merge with CSR offsets */
    size_t chunks; /* at least 1 */
    size_t most;   /* of one launch */
} xli_reduce_partition;
xli_reduce_partition xli_reduce_partition_of(const xli_problem *problem,
                                             const xli_reduce_shape *shape, size_t n,
                                             size_t segments);

/* The most totals that a launch folds: more would be too long a loop for devices that end those
 * (reduce.chunk_elements in tune_reduce.c). */
enum { XLI_REDUCE_TOTALS = 1 << 15 };

/* Whether one launch does it all, given a counter. */
bool xli_reduce_is_single(const xli_reduce_shape *shape, const xli_reduce_partition *partition);

/* A counter has a cache line of its own, or more. */
enum { XLI_REDUCE_COUNTER_BYTES = 128 };

/* Scratch of a call: the counter of a single launch, then one carry-out more than a launch has
 * chunks, of a whole array one total more, then as many numbers of heads. */
typedef struct xli_reduce_layout {
    size_t carry_outs; /* bytes before them */
    size_t counts;     /* and before the heads */
    size_t bytes;
} xli_reduce_layout;
xli_reduce_layout xli_reduce_layout_of(const xli_problem *problem, const xli_reduce_shape *shape,
                                       size_t n);

#endif

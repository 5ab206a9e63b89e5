/* SPDX-License-Identifier: MIT
 * The shape of a reduction: how a problem is laid out on a device. A pure function, as that of a
 * scan (scan_shape.h). */
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
    size_t row;          /* chunks are multiples of this: a tile, or a vector of each work-item */
    bool single_launch;  /* of a whole array, if a call has a counter for it */
} xli_reduce_shape;

/* For groups of at most `most` work-items. */
void xli_reduce_shape_of(const xli_problem *problem, const xli_capabilities *capabilities,
                         const xli_tune_reduce *tune, size_t most, xli_reduce_shape *shape);

/* Whether a launch counts the heads of segments before the reduction: flags, bits and keys. */
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

/* The most totals that a launch folds. Drivers that limit loops allow no more (lib/tune/tune.c). */
enum { XLI_REDUCE_TOTALS = 1 << 15 };

/* Whether the call is one launch, if it has a counter. */
bool xli_reduce_is_single(const xli_reduce_shape *shape, const xli_reduce_partition *partition);

/* At least a cache line, so that no two counters share one. */
enum { XLI_REDUCE_COUNTER_BYTES = 128 };

/* Scratch of a call: the counter of a single launch; one carry-out (one total, for a whole array)
 * more than a launch has chunks; the same number of counts of heads. */
typedef struct xli_reduce_layout {
    size_t carry_outs; /* bytes before the carry-outs */
    size_t counts;     /* bytes before the counts of heads */
    size_t bytes;
} xli_reduce_layout;
xli_reduce_layout xli_reduce_layout_of(const xli_problem *problem, const xli_reduce_shape *shape,
                                       size_t n);

#endif

/* SPDX-License-Identifier: MIT
 * The shape of a merge: how a problem is laid out on a device. A pure function of problem and
 * tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_MERGE_SHAPE_H
#define XLI_MERGE_SHAPE_H

#include "values.h"

#include <crosslane/merge.h>

/* A checked descriptor. */
typedef struct xli_merge_problem {
    xl_type key;
    xli_values values;
    xl_merge_operation operation;
    bool descending;
    bool equal_zeros; /* -0 equals +0, if keys have both */
} xli_merge_problem;

typedef struct xli_merge_shape {
    bool sets;              /* of a set operation */
    bool serial;            /* one work-item merges a chunk, else a work-group merges a tile */
    uint32_t group_size;    /* work-items of every launch */
    uint32_t items;         /* elements of a work-item of a group that merges a tile */
    uint32_t most;          /* elements of a chunk */
    uint32_t units;         /* compute units */
    uint32_t search_tiles;  /* most tiles that find their own parts of the arrays */
    uint32_t inject_places; /* for tests */
} xli_merge_shape;

/* `most`: work-items that the kernels allow in a group. */
void xli_merge_shape_of(const xli_merge_problem *problem, const xli_tune_device *device,
                        const xli_tune_merge *tune, size_t most, xli_merge_shape *shape);

/* Elements of each tile or chunk of a call with n > 0 elements in both inputs; the last may have
 * fewer. */
size_t xli_merge_tile(const xli_merge_shape *shape, size_t n);
size_t xli_merge_tiles(const xli_merge_shape *shape, size_t n);

/* Whether such a call of XL_MERGE_ALL has a launch that finds the inputs of each tile. Its scratch
 * then has a place for each tile and one for the end. */
bool xli_merge_has_cuts(const xli_merge_shape *shape, size_t n);
size_t xli_merge_scratch_bytes(const xli_merge_shape *shape, size_t n);
size_t xli_merge_place_bytes(const xli_merge_shape *shape);

/* Bytes of an element of array k: of keys, then of each array of values. */
size_t xli_merge_element(const xli_merge_problem *problem, size_t k);

/* If there are more than two runs, the scratch also has a spare array for the keys, then one for each
 * array of values. Their bytes: of array k, and of all. Whatever the place of the scratch in its
 * buffer, a spare array can begin at a multiple of its elements' size. */
size_t xli_merge_spare_of(const xli_merge_problem *problem, size_t n, size_t k);
size_t xli_merge_spare_bytes(const xli_merge_problem *problem, size_t n, size_t num_runs);

/* Runs i to j - 1, of which run k begins at runs[k], are merged in a binary tree: the runs before the
 * cut, those from it on, then both results. The cut is where a run begins nearest to the middle of
 * the elements; j: all of them are in one run. A grandchild in this tree is a run, or has at most
 * half of the elements. */
size_t xli_merge_cut(const size_t *runs, size_t i, size_t j);

/* Elements that the outputs have room for. */
size_t xli_merge_room(const xli_merge_problem *problem, size_t n_a, size_t n_b);

#endif

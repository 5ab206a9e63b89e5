/* SPDX-License-Identifier: MIT
 * The shape of a search: how a problem is laid out on a device. A pure function of problem and
 * tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_SEARCH_SHAPE_H
#define XLI_SEARCH_SHAPE_H

#include "runtime.h"

#include <crosslane/search.h>

/* A checked descriptor. */
typedef struct xli_search_problem {
    xl_type key, index;
    bool descending;
    xl_search_kind kind;
    bool equal_zeros; /* -0 equals +0, if keys have both */
} xli_search_problem;

typedef struct xli_search_shape {
    bool serial;         /* one work-item takes a chunk, else a work-group does */
    size_t longest;      /* most elements of a chunk */
    uint32_t group_size; /* work-items of every launch */
    uint32_t items;      /* queries, or keys, that a work-item processes side by side */
    uint32_t most;       /* queries of a chunk */
    uint32_t units;      /* compute units */
} xli_search_shape;

/* `most`: work-items that the kernels allow in a group. */
void xli_search_shape_of(const xli_search_problem *problem, const xli_tune_device *device,
                         const xli_tune_search *tune, size_t most, xli_search_shape *shape);

/* Queries for each group of a call with num_queries > 0. */
size_t xli_search_queries(const xli_search_shape *shape, size_t num_queries);

/* XL_SEARCH_UNSORTED with n keys: places for each group, and the number of groups. */
typedef struct xli_search_chunks {
    size_t elements, count;
} xli_search_chunks;
xli_search_chunks xli_search_chunks_of(const xli_search_shape *shape, size_t n);

size_t xli_search_scratch_bytes(const xli_search_problem *problem, const xli_search_shape *shape,
                                size_t n);

#endif

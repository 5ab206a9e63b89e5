/* SPDX-License-Identifier: MIT
 * The shape of a top-k selection: how a problem is laid out on a device. A pure function of
 * problem, capabilities and tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_TOPK_SHAPE_H
#define XLI_TOPK_SHAPE_H

#include "runtime.h"

#include <crosslane/topk.h>

/* A checked descriptor. */
typedef struct xli_topk_problem {
    xl_type key, value; /* XL_NONE: keys alone */
    bool largest, sorted;
    xl_type segments; /* of the offsets where segments begin; XL_NONE: one */
    bool equal_zeros; /* -0 equals +0, where keys have both */
} xli_topk_problem;

typedef struct xli_topk_shape {
    xli_tune_topk tune;  /* as far as it fits */
    uint32_t group_size; /* work-items of the launches over chunks; 1: one walks a chunk */
    uint32_t units;      /* compute units */
    uint32_t room;       /* places in the list of a chunk */
    size_t longest;      /* elements of a chunk, at most */
} xli_topk_shape;

/* `most`: work-items of a group that kernels allow. */
void xli_topk_shape_of(const xli_tune_device *device, const xli_tune_topk *tune, size_t most,
                       xli_topk_shape *shape);

/* Keys that a group looks at before it ranks what it found; 0 where one work-item walks. */
size_t xli_topk_tile(const xli_topk_shape *shape);

/* Chunks of neighbours: elements of one, and how many. */
typedef struct xli_topk_chunks {
    size_t elements, count;
} xli_topk_chunks;
xli_topk_chunks xli_topk_chunks_of(const xli_topk_shape *shape, size_t n);

/* A sample of the keys that a bound is guessed from, of which few keys come before it, but k at
 * least: the bound's rank in it, and the keys of the array for each of it. Without keys there is
 * none: it does not pay, or too many keys would come before. */
typedef struct xli_topk_sample {
    size_t keys, rank, stride;
} xli_topk_sample;
xli_topk_sample xli_topk_sample_of(const xli_topk_problem *problem, const xli_topk_shape *shape,
                                   size_t n, size_t k);

/* The sample in parts, each one's that counts. */
xli_topk_chunks xli_topk_sample_chunks(const xli_topk_shape *shape, const xli_topk_sample *sample);

/* Whether k results are put in order: with fewer than two there is nothing to do. */
bool xli_topk_sorts(const xli_topk_problem *problem, size_t results);

/* Whether that takes two sorts: key and place do not fit into one word of 64 bits. */
bool xli_topk_is_wide(const xli_topk_problem *problem);

/* The parts of a call's scratch, as bytes from its start. The state and the counts of
 * cl/topk/topk_state.cl, then, where results are sorted, `pairs`: a word of 64 bits for each, of
 * wide keys also `ordinals`, one more, and `places`, one of 32 bits, and what the sorts want. */
typedef struct xli_topk_layout {
    size_t pairs_at, ordinals_at, places_at, nested_at, bytes;
} xli_topk_layout;
/* Reserves n elements of a scratch of *bytes so far, and returns where they begin; sums and
 * products stop at SIZE_MAX. */
size_t xli_topk_take(size_t *bytes, size_t n, size_t element_bytes);
xli_topk_layout xli_topk_layout_of(const xli_topk_problem *problem, const xli_topk_shape *shape,
                                   size_t n, size_t results, size_t nested_bytes);

#endif

/* SPDX-License-Identifier: MIT
 * The shape of a top-k selection: how a problem is laid out on a device. A pure function of
 * problem, capabilities and tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_TOP_K_SHAPE_H
#define XLI_TOP_K_SHAPE_H

#include "values.h"

#include <crosslane/top_k.h>

/* A checked descriptor. */
typedef struct xli_top_k_problem {
    xl_type key;
    xli_values values;
    bool largest, sorted;
    xl_type segments; /* type of the offsets; XL_NONE: one segment */
    bool equal_zeros; /* -0 equals +0, if keys have both */
} xli_top_k_problem;

typedef struct xli_top_k_shape {
    xli_tune_top_k tune; /* reduced to what fits the device */
    uint32_t group_size; /* work-items of launches over chunks; 1: one loops over a chunk */
    uint32_t units;      /* compute units */
    uint32_t room;       /* keys that the list of a chunk holds */
    size_t longest;      /* most elements of a chunk */
    size_t batch;        /* most segments of a group */
    size_t list_groups;  /* most groups of a launch over a list of segments or chunks */
} xli_top_k_shape;

/* `most`: work-items that the kernels allow in a group. */
void xli_top_k_shape_of(const xli_tune_device *device, const xli_tune_top_k *tune, size_t most,
                        xli_top_k_shape *shape);

/* Keys of a segment that a group holds, as the exponent of 2. */
uint32_t xli_top_k_tile_log(const xli_top_k_problem *problem, const xli_top_k_shape *shape,
                            const xli_tune_device *device);

/* Keys that a group reads before it ranks those that it keeps; 0 if one work-item loops. */
size_t xli_top_k_tile(const xli_top_k_shape *shape);

/* Chunks of adjacent keys. */
typedef struct xli_top_k_chunks {
    size_t elements, count;
} xli_top_k_chunks;
xli_top_k_chunks xli_top_k_chunks_of(const xli_top_k_shape *shape, size_t n);

/* A sample of keys, one in `stride`. The key of rank `rank` in it is a bound that at least k keys
 * of the array almost certainly reach, but not many more. 0 keys: no sample, because it would not
 * pay or the lists could not hold the keys within the bound. */
typedef struct xli_top_k_sample {
    size_t keys, rank, stride;
} xli_top_k_sample;
xli_top_k_sample xli_top_k_sample_of(const xli_top_k_problem *problem, const xli_top_k_shape *shape,
                                     size_t n, size_t k);

/* The parts of the sample, one for each group that counts its digits. */
xli_top_k_chunks xli_top_k_sample_chunks(const xli_top_k_shape *shape,
                                         const xli_top_k_sample *sample);

/* Whether the results are sorted: a single one need not be. */
bool xli_top_k_sorts(const xli_top_k_problem *problem, size_t results);

/* Whether the results are sorted in one launch that compares them all with each other. */
bool xli_top_k_ranks(const xli_top_k_problem *problem, const xli_top_k_shape *shape,
                     size_t results);

/* Whether key and index do not fit into a word of 64 bits. */
bool xli_top_k_is_wide(const xli_top_k_problem *problem);

/* The parts of a call's scratch, as bytes from its start: state and counts of
 * cl/top_k/top_k_pass.cl; if there are values, the index of each result; then, for each result
 * that is sorted, a word of 64 bits and, for wide keys, one of 32 bits (places); and the scratch of
 * the sort. */
typedef struct xli_top_k_layout {
    size_t indices_at, words_at, places_at, nested_at, bytes;
} xli_top_k_layout;
/* Appends n elements to a scratch of *bytes, and returns the byte at which they begin. Sums and
 * products saturate at SIZE_MAX. */
size_t xli_top_k_take(size_t *bytes, size_t n, size_t element_bytes);
xli_top_k_layout xli_top_k_layout_of(const xli_top_k_problem *problem, const xli_top_k_shape *shape,
                                     size_t n, size_t results, size_t nested_bytes);

#endif

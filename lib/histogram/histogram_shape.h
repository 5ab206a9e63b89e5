/* SPDX-License-Identifier: MIT
 * The shape of a histogram: how a problem is laid out on a device. A pure function of problem,
 * capabilities and tuning values: it calls no OpenCL and needs no device to be tested. */
#ifndef XLI_HISTOGRAM_SHAPE_H
#define XLI_HISTOGRAM_SHAPE_H

#include "element.h"

#include <crosslane/histogram.h>

/* Bounds of bins of equal width, as in cl/histogram/histogram_bin.cl. */
typedef struct xli_histogram_bounds {
    double lower, upper, scale;        /* of floating-point numbers, rounded to their type */
    uint64_t first, span, whole, part; /* of integers, modulo 2^64 */
} xli_histogram_bounds;

/* The amount that an element adds to its bin: numbers of XL_HISTOGRAM_ADDS in
 * cl/histogram/histogram_bin.cl. */
typedef enum xli_histogram_adds {
    XLI_ADDS_ONE = 0,
    XLI_ADDS_WEIGHT = 1,
    XLI_ADDS_EXPONENT = 2,
    XLI_ADDS_STEPS = 3
} xli_histogram_adds;

/* A checked descriptor. */
typedef struct xli_histogram_problem {
    xl_histogram_kind kind;
    xli_element value, in;   /* value: compared with bins; in: an element of the array */
    xli_element weight;      /* unless adds is XLI_ADDS_ONE */
    xli_element counter;     /* an element of the bins */
    xli_histogram_adds adds; /* XLI_ADDS_STEPS: a pass with XLI_ADDS_EXPONENT comes before */
    bool loads;              /* the expression `load`, or a conversion, makes value from in */
    bool accumulates;
    size_t sum_bytes; /* of the sum of a bin: counter.bytes, or that of its steps */
    uint32_t bins;
    xli_histogram_bounds bounds;
    xli_params params; /* of `load` */
} xli_histogram_problem;

/* histogram_check.c: checks a descriptor, and then resolves it for a device. */
xl_status xli_histogram_check(xl_context *ctx, const void *desc);
xl_status xli_histogram_resolve(const xl_context *ctx, const xl_histogram_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_histogram_problem *problem);

typedef struct xli_histogram_shape {
    bool serial;           /* one work-item counts a chunk, else a work-group does */
    uint32_t group_size;   /* work-items of the launches over chunks */
    uint32_t vector;       /* elements that a work-item loads together */
    uint32_t vectors;      /* vectors that it has in flight */
    uint32_t range_bins;   /* bins whose counters are in local memory; 0: in global memory */
    uint32_t ranges;       /* number of such ranges of bins; 1 in global memory */
    uint32_t copies_log;   /* counters of a bin in local memory, as a power of two */
    uint32_t buckets;      /* that narrow the search in levels in local memory; 0: the levels are
                              in global memory */
    size_t level_bytes;    /* of local memory for the levels */
    uint32_t amount_bytes; /* of a counter in local memory */
    uint32_t units;        /* compute units */
    uint32_t chunks;       /* wanted for each unit */
    size_t least, longest; /* elements of a chunk */
} xli_histogram_shape;

/* `most`: work-items that the kernels allow in a group. */
void xli_histogram_shape_of(const xli_histogram_problem *problem, const xli_tune_device *device,
                            const xli_tune_histogram *tune, size_t most,
                            xli_histogram_shape *shape);

/* Bytes of the counters in local memory; 0 if there are none. */
size_t xli_histogram_local_bytes(const xli_histogram_shape *shape);

/* Chunks of adjacent elements: the elements of one, and the number of chunks. */
typedef struct xli_histogram_chunks {
    size_t elements, count;
} xli_histogram_chunks;
xli_histogram_chunks xli_histogram_chunks_of(const xli_histogram_shape *shape, size_t n);

#endif

/* SPDX-License-Identifier: MIT
 * Problem, shifted boxes and scratch of an approximate search for nearest neighbours: pure functions. */
#ifndef XLI_NEAREST_APPROXIMATE_SHAPE_H
#define XLI_NEAREST_APPROXIMATE_SHAPE_H

#include "primitive.h"
#include "space_check.h"

#include <crosslane/nearest_approximate.h>

typedef struct xli_box {
    float lower[3], upper[3];
} xli_box;

/* A checked descriptor. */
typedef struct xli_nearest_approximate_problem {
    uint32_t k, shifts, dimensions, stride, query_stride;
    bool given, keeps_self;
    xl_type code;
    xli_box box;
} xli_nearest_approximate_problem;

/* Where the parts of the scratch begin, in bytes. */
typedef struct xli_nearest_approximate_layout {
    size_t codes, packed, sorted, query_codes, afters, nested, bytes;
} xli_nearest_approximate_layout;

xli_nearest_approximate_problem
xli_nearest_approximate_problem_of(const xl_nearest_approximate_desc *desc);
/* The box of the codes of a shift. It contains all points. The later the shift, the farther the
 * points are from its lower corner. Its cells are those of every other shift, moved. */
xli_box xli_nearest_approximate_box(const xli_nearest_approximate_problem *problem, uint32_t shift);
xli_nearest_approximate_layout
xli_nearest_approximate_layout_of(const xli_nearest_approximate_problem *problem, size_t n,
                                  size_t num_queries, size_t nested_bytes);

#endif

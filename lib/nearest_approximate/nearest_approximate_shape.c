/* SPDX-License-Identifier: MIT
 * Problem, shifted boxes and scratch of an approximate search for nearest neighbours. */
#include "nearest_approximate_shape.h"

#include <string.h>

/* The edge of a box that is a point, or nearly: any value is right. */
#define LEAST_EDGE 0x1p-80

xli_nearest_approximate_problem
xli_nearest_approximate_problem_of(const xl_nearest_approximate_desc *desc)
{
    const bool given = desc->queries == XL_QUERIES_GIVEN;
    xli_nearest_approximate_problem problem = {
        .k = desc->k,
        .shifts = desc->shifts > 0 ? desc->shifts : desc->space.dimensions + 1,
        .dimensions = desc->space.dimensions,
        .stride = desc->stride,
        .query_stride = desc->query_stride,
        .given = given,
        .keeps_self = desc->include_self || given,
        .code = (xl_type)desc->code};
    for (uint32_t a = 0; a < problem.dimensions; ++a) {
        const double lower = (double)(float)desc->space.origin[a];
        problem.box.lower[a] = (float)lower;
        problem.box.upper[a] = (float)(lower + (double)(float)desc->space.cell[a][a]);
    }
    return problem;
}

/* The edge of a cube of a power of two that holds the box. */
static double edge_of(const xli_nearest_approximate_problem *problem)
{
    double edge = LEAST_EDGE;
    for (uint32_t a = 0; a < problem->dimensions; ++a)
        while (edge < (double)problem->box.upper[a] - (double)problem->box.lower[a])
            edge *= 2;
    return edge;
}

/* Shift i moves the points by i / m of the edge along every axis. m is odd, so that no shift moves
 * borders of cells onto borders of another shift: the sizes of cells are the edge times powers of
 * two (Chan 2002). Cells cover two edges and the box one and a half, which leaves room for
 * rounding. */
xli_box xli_nearest_approximate_box(const xli_nearest_approximate_problem *problem, uint32_t shift)
{
    const double edge = edge_of(problem), moved = edge * shift / (problem->shifts | 1);
    xli_box box = {{0}, {0}};
    for (uint32_t a = 0; a < problem->dimensions; ++a) {
        box.lower[a] = (float)((double)problem->box.lower[a] - moved);
        box.upper[a] = (float)((double)box.lower[a] + 1.5 * edge);
    }
    return box;
}

static size_t take(size_t *bytes, size_t n, size_t element_bytes)
{
    const size_t at = *bytes;
    *bytes = xli_add(at, xli_round_up(xli_mul(n, element_bytes), XLI_SCRATCH_ALIGN));
    return at;
}

xli_nearest_approximate_layout
xli_nearest_approximate_layout_of(const xli_nearest_approximate_problem *problem, size_t n,
                                  size_t num_queries, size_t nested_bytes)
{
    xli_nearest_approximate_layout l = {0};
    const size_t code = xl_type_size(problem->code);
    l.codes = take(&l.bytes, n, code);
    l.packed = take(&l.bytes, n, sizeof(cl_uint4));
    l.sorted = take(&l.bytes, n, sizeof(cl_uint4));
    l.query_codes = take(&l.bytes, num_queries, code);
    l.afters = take(&l.bytes, num_queries, sizeof(cl_uint));
    l.nested = take(&l.bytes, nested_bytes, 1);
    return l;
}

/* SPDX-License-Identifier: MIT
 * The points of a rank: checks of their space and their coordinates, and kernels over them. */
#ifndef XLM_POINTS_H
#define XLM_POINTS_H

#include "exchange.h"

typedef struct xlm_points {
    size_t n, stride, scalar_bytes;
    uint32_t dimensions;
} xlm_points;

/* Checks dimensions, scalar, bounds, wrap and num_systems. Local, as all below. */
xl_status xlm_check_space(xl_mpi *mpi, const xl_space *space);

/* What xlm_same() compares of a space, which may be NULL: the entries that its dimensions use. */
enum { XLM_SPACE_VALUES = 6 };
void xlm_space_values(const xl_space *space, xlm_value values[XLM_SPACE_VALUES]);
uint64_t xlm_bits_of(double x); /* +0 and -0 are equal */

/* Checks the arguments and fills *points, except its data. stride 0: dimensions. structure: the name of the
 * one that has dimensions and scalar. */
xl_status xlm_points_check(xl_mpi *mpi, const char *structure, uint32_t dimensions, uint32_t scalar,
                           uint32_t stride, size_t n, const xl_view *view, xlm_points *points);

/* Fails if the owners of the points overlap them. */
xl_status xlm_points_check_owners(xl_mpi *mpi, const xlm_points *points, const xl_view *view,
                                  const xl_view *owners);

/* Reads one point; coordinates that do not exist become 0. */
xl_status xlm_points_at(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                        const xl_view *view, size_t i, double p[3]);

static inline bool xlm_points_are_wide(const xlm_points *points)
{
    return points->scalar_bytes == sizeof(double);
}

/* Numbers of the scalar of the points, as arguments of kernels. */
typedef union xlm_reals {
    cl_float4 narrow;
    cl_double4 wide;
} xlm_reals;
xlm_reals xlm_reals_of(const xlm_points *points, const double v[3]);
xlm_argument xlm_real_argument(const xlm_points *points, const xlm_reals *r, bool vector);

/* COLLECTIVE. Builds the kernels for such points, once. structure: as in xlm_points_check(). */
xl_status xlm_points_build(xl_mpi *mpi, const char *structure, const xlm_points *points);
/* Launches a kernel over n work-items; local. Later commands on the queue come after it. */
xl_status xlm_points_launch(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                            const char *name, const xlm_argument *all, size_t count, uint64_t n);
/* The same over all points; the kernel's first parameters are POINTS of point_kernels.c. */
enum { XLM_POINTS_ARGUMENTS = 5, XLM_POINTS_OWN = 8 }; /* at most */
xl_status xlm_points_launch_over(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                                 const xl_view *view, const char *name, const xlm_argument *own,
                                 size_t count);

/* The box of all points, 0 along axes that do not exist, and the lowest index of one that is not finite or
 * not from `lower` to `upper`. Empty boxes have lower = INFINITY and upper = -INFINITY. */
typedef struct xlm_survey {
    double lower[3], upper[3];
    uint32_t lowest; /* or XLM_NO_INDEX */
} xlm_survey;
/* Local; blocks. lower and upper are numbers of the scalar, or infinite. */
xl_status xlm_points_survey(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                            const xl_view *view, const double lower[3], const double upper[3],
                            xlm_survey *found);

#endif

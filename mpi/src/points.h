/* SPDX-License-Identifier: MIT
 * The points of a rank, read from the device, and checks of their space. */
#ifndef XLM_POINTS_H
#define XLM_POINTS_H

#include "internal.h"

typedef struct xlm_points {
    void *data; /* released by free() */
    size_t n, stride, scalar_bytes;
    uint32_t dimensions;
} xlm_points;

/* Checks dimensions, scalar, bounds, wrap and num_systems. Local, as all below. */
xl_status xlm_check_space(xl_mpi *mpi, const xl_space *space);

/* Checks the arguments and fills *points, except its data. stride 0: dimensions. structure: the name of the
 * one that has dimensions and scalar. */
xl_status xlm_points_check(xl_mpi *mpi, const char *structure, uint32_t dimensions, uint32_t scalar,
                           uint32_t stride, size_t n, const xl_view *view, xlm_points *points);

/* Reads the data; blocks. */
xl_status xlm_points_read(xl_mpi *mpi, cl_command_queue queue, const xl_view *view,
                          xlm_points *points, cl_uint num_waits, const cl_event *waits);

double xlm_coordinate(const xlm_points *points, size_t i, uint32_t axis);

#endif

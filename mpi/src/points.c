/* SPDX-License-Identifier: MIT
 * The points of a rank on the host. */
#include "points.h"

static xl_status check_dimensions(xl_mpi *mpi, const char *structure, uint32_t dimensions,
                                  uint32_t scalar)
{
    if (dimensions < 1 || dimensions > 3)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s.dimensions: %u; must be 1, 2 or 3",
                        structure, (unsigned)dimensions);
    if (scalar != XL_F32 && scalar != XL_F64)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "%s.scalar: %u; must be XL_F32 or XL_F64",
                        structure, (unsigned)scalar);
    return XL_SUCCESS;
}

xl_status xlm_check_space(xl_mpi *mpi, const xl_space *space)
{
    const xl_status status = check_dimensions(mpi, "args.space", space->dimensions, space->scalar);
    if (status != XL_SUCCESS)
        return status;
    if (space->bounds != XL_BOUNDS_FOUND && space->bounds != XL_BOUNDS_GIVEN)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.space.bounds: %u; must be XL_BOUNDS_FOUND or XL_BOUNDS_GIVEN",
                        (unsigned)space->bounds);
    if (space->wrap != 0)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "args.space.wrap: %u; must be 0",
                        (unsigned)space->wrap);
    if (space->num_systems != 0)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "args.space.num_systems: %u; must be 0",
                        (unsigned)space->num_systems);
    return XL_SUCCESS;
}

static size_t scalars_of(const xlm_points *points)
{
    return points->n > 0 ? (points->n - 1) * points->stride + points->dimensions : 0;
}

xl_status xlm_points_check(xl_mpi *mpi, const char *structure, uint32_t dimensions, uint32_t scalar,
                           uint32_t stride, size_t n, const xl_view *view, xlm_points *points)
{
    const xl_status status = check_dimensions(mpi, structure, dimensions, scalar);
    if (status != XL_SUCCESS)
        return status;
    if (stride > 0 && stride < dimensions)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                        "args.stride: %u; must be 0 or at least the %u dimensions",
                        (unsigned)stride, (unsigned)dimensions);
    if (n > XLM_MOST)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "args.n: %zu; at most 2^32 - 2", n);
    *points = (xlm_points){.n = n,
                           .stride = stride > 0 ? stride : dimensions,
                           .scalar_bytes = scalar == XL_F64 ? sizeof(double) : sizeof(float),
                           .dimensions = dimensions};
    return xlm_check_view(mpi, "args.points", view, scalars_of(points), points->scalar_bytes);
}

xl_status xlm_points_read(xl_mpi *mpi, cl_command_queue queue, const xl_view *view,
                          xlm_points *points, cl_uint num_waits, const cl_event *waits)
{
    const size_t count = scalars_of(points), bytes = points->scalar_bytes;
    const xl_status status = xlm_alloc(mpi, count, bytes, &points->data);
    return status == XL_SUCCESS ? xlm_read(mpi, queue, view->buffer, view->offset * bytes,
                                           count * bytes, points->data, num_waits, waits)
                                : status;
}

xl_status xlm_points_at(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                        const xl_view *view, size_t i, double p[3])
{
    const size_t bytes = points->scalar_bytes;
    double read[3];
    xlm_points one = *points;
    one.data = read;
    const xl_status status =
        xlm_read(mpi, queue, view->buffer, (view->offset + i * points->stride) * bytes,
                 points->dimensions * bytes, read, 0, NULL);
    for (uint32_t a = 0; a < 3; ++a)
        p[a] = status == XL_SUCCESS && a < points->dimensions ? xlm_coordinate(&one, 0, a) : 0;
    return status;
}

double xlm_coordinate(const xlm_points *points, size_t i, uint32_t axis)
{
    const size_t at = i * points->stride + axis;
    return points->scalar_bytes == sizeof(double) ? ((const double *)points->data)[at]
                                                  : (double)((const float *)points->data)[at];
}

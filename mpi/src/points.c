/* SPDX-License-Identifier: MIT
 * Checks of the points of a rank and of their space. */
#include "points.h"
#include <string.h>

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

uint64_t xlm_bits_of(double x)
{
    uint64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void xlm_space_values(const xl_space *space, xlm_value values[XLM_SPACE_VALUES])
{
    static const xl_space none;
    const xl_space *const s = space ? space : &none;
    uint64_t origin[3] = {0}, cell[3][3] = {{0}};
    for (uint32_t r = 0; r < 3 && r < s->dimensions; ++r) {
        origin[r] = xlm_bits_of(s->origin[r]);
        for (uint32_t a = 0; a < 3 && a < s->dimensions; ++a)
            cell[r][a] = xlm_bits_of(s->cell[r][a]);
    }
    values[0] = (xlm_value){"args.space.dimensions", s->dimensions};
    values[1] = (xlm_value){"args.space.scalar", s->scalar};
    values[2] = (xlm_value){"args.space.bounds", s->bounds};
    values[3] = (xlm_value){"args.space.periodic", s->periodic};
    values[4] = (xlm_value){"args.space.origin", xlm_hash(origin, sizeof origin)};
    values[5] = (xlm_value){"args.space.cell", xlm_hash(cell, sizeof cell)};
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

xl_status xlm_points_check_owners(xl_mpi *mpi, const xlm_points *points, const xl_view *view,
                                  const xl_view *owners)
{
    const xl_status status =
        xlm_check_view(mpi, "args.owners", owners, points->n, sizeof(uint32_t));
    return status == XL_SUCCESS
               ? xlm_check_apart(mpi, "args.points", view, scalars_of(points), points->scalar_bytes,
                                 "args.owners", owners, points->n, sizeof(uint32_t))
               : status;
}

xl_status xlm_points_at(xl_mpi *mpi, cl_command_queue queue, const xlm_points *points,
                        const xl_view *view, size_t i, double p[3])
{
    const size_t bytes = points->scalar_bytes;
    union {
        float narrow[3];
        double wide[3];
    } read = {.wide = {0}};
    const xl_status status =
        xlm_read(mpi, queue, view->buffer, (view->offset + i * points->stride) * bytes,
                 points->dimensions * bytes, &read, 0, NULL);
    for (uint32_t a = 0; a < 3; ++a)
        p[a] = xlm_points_are_wide(points) ? read.wide[a] : (double)read.narrow[a];
    return status;
}

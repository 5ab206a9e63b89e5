/* SPDX-License-Identifier: MIT
 * Shared by the files that launch kernels of a grid. */
#ifndef XLI_GRID_LAUNCH_H
#define XLI_GRID_LAUNCH_H

#include "grid_plan.h"

#include <stddef.h>

/* A call on its way to the device. */
typedef struct xli_grid_build {
    const xli_grid_plan *grid;
    const xl_grid_index *index;
    xli_seq *seq;
    const xli_span *spans; /* the points, if the call reads them, and behind them the systems of a
                              batch */
} xli_grid_build;
enum { XLI_GRID_SYSTEMS = XLI_POINTS_ARRAYS };

#define BUFFER(b) XLI_MEM((b)->index->storage)
#define PART(b, part) XLI_GRID_PART((b)->index, part)
#define AXIS(b, a)                                                                                 \
    XLI_MEM(xli_grid_axis((b)->spans, a)->buffer), XLI_U64(xli_grid_axis((b)->spans, a)->offset)
#define IN_F64(b, of)                                                                              \
    ((b)->grid->space.scalar == XL_F64 ? XLI_BYTES(&(b)->grid->of, sizeof((b)->grid->of))          \
                                       : XLI_NONE)
#define IN_BATCH(b, arg) ((b)->grid->space.num_systems > 0 ? (arg) : XLI_NONE)
#define IN_TABLE(b, arg) ((b)->index->table.rows ? (arg) : XLI_NONE)
#define LAST_CELL(b) XLI_U32((b)->grid->space.own_cells ? (b)->grid->space.num_systems - 1 : 0)
/* XL_POINTS_PARAMETERS of grid_points.cl, and how many points there are. */
#define GIVEN(b)                                                                                   \
    AXIS(b, 0), AXIS(b, 1), AXIS(b, 2), IN_F64(b, box.lower), IN_F64(b, box.upper),                \
        IN_F64(b, box.outside), IN_BATCH(b, XLI_MEM((b)->spans[XLI_GRID_SYSTEMS].buffer)),         \
        IN_BATCH(b, XLI_U64((b)->spans[XLI_GRID_SYSTEMS].offset)),                                 \
        IN_TABLE(b, XLI_MEM((b)->index->table.rows)), IN_TABLE(b, LAST_CELL(b)),                   \
        XLI_U32((b)->index->n)

/* A part of the storage from its byte `more` on, in elements of element_bytes. */
static inline xl_view xli_grid_view(const xli_grid_build *b, size_t part, size_t more,
                                    size_t element_bytes)
{
    return xl_view_of(b->index->storage, (b->index->storage_at + part + more) / element_bytes);
}

/* One of the first numbers of the header: a count that a nested call reads on the device. */
#define COUNT(b, which)                                                                            \
    xli_grid_view((b), (b)->index->layout.header, offsetof(xli_grid_header, which),                \
                  sizeof(cl_ulong))

/* A launch changes the kernel, under its lock. */
static inline xli_kernel *xli_grid_kernel_of(const xli_grid_plan *grid, xli_grid_kernel which)
{
    return (xli_kernel *)&grid->kernels[which];
}

/* Launches a kernel of the grid in the given shape. */
#define LAUNCH_IN(b, which, shape, ...)                                                            \
    XLI_LAUNCH((b)->seq, xli_grid_kernel_of((b)->grid, which), (shape).groups, (shape).size,       \
               __VA_ARGS__)

/* Launches a kernel of the grid over n elements. */
#define LAUNCH(b, which, n, ...)                                                                   \
    LAUNCH_IN(b, which,                                                                            \
              xli_grid_shape_of(&(b)->grid->kernels[which], n, (b)->grid->tune.group,              \
                                (b)->grid->tune.items),                                            \
              __VA_ARGS__)

#endif

/* SPDX-License-Identifier: MIT
 * A checked xl_space. */
#ifndef XLI_SPACE_H
#define XLI_SPACE_H

#include "runtime.h"

#include <crosslane/space.h>

/* Its numbers are rounded to the scalar. Those of axes that do not exist are 0. */
typedef struct xli_space {
    const char *name; /* of the structure, for messages */
    uint32_t dimensions, scalar, periodic, num_systems;
    bool bounded;              /* bounds are given */
    bool own_cells;            /* each system has its own */
    bool wrap;                 /* points outside along periodic vectors are moved inside */
    bool skewed;               /* the cell is no box with edges along the axes */
    double lower[3], upper[3]; /* of a box; not yet known for a skewed cell */
    double origin[3], cell[3][3];
} xli_space;

static inline bool xli_space_is_wide(const xli_space *space)
{
    return space->scalar == XL_F64;
}

/* A coordinate or a length, rounded to the scalar. */
static inline double xli_space_round(const xli_space *space, double x)
{
    return xli_space_is_wide(space) ? x : (double)(float)x;
}

/* Checks a space, except for what makes a skewed cell searchable. `name` is kept. */
xl_status xli_space_read(xl_context *ctx, const xl_space *given, xli_space *space);
xl_status xli_space_read_named(xl_context *ctx, const char *name, const xl_space *given,
                               xli_space *space);

/* The same for plans that require a box in 2 or 3 dimensions, of f32, that does not repeat. */
xl_status xli_space_read_box(xl_context *ctx, const xl_space *given, xli_space *space);

#endif

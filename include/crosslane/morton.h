/* SPDX-License-Identifier: MIT
 * Morton codes of points: the numbers of a point's cell along the axes, with their bits
 * interleaved, x in the lowest bit. Points that are sorted by their codes are mostly near their
 * neighbours in the array. The simplest use, with f32 points in 3 dimensions and u64 codes:
 *
 *     xl_morton_desc desc;
 *     xl_morton_desc_init(&desc);
 *     desc.space.cell[0][0] = desc.space.cell[1][1] = desc.space.cell[2][2] = 1;
 *     xl_morton_create(ctx, &desc, &plan);
 *     xl_morton_args args = {.n = n, .points = points, .codes = codes};
 *     xl_morton_enqueue(plan, queue, &args, 0, NULL, NULL);
 *
 * xl_morton_boxes() says where the points of a range of codes are.
 *
 * For Morton codes in your own kernels include crosslane/morton.cl (crosslane/program.h).
 *
 * Source: Morton, "A computer oriented geodetic data base", 1966. */
#ifndef CROSSLANE_MORTON_H
#define CROSSLANE_MORTON_H

#include <crosslane/plan.h>
#include <crosslane/space.h>

/* Start from xl_morton_desc_init(), then set the box.
 *
 * All cells are cubes of one size, with 2^bits cells along each axis. Their edge is
 * 2^k / 2^bits, where 2^k is the least power of two that is not less than the longest side of the
 * box. A cell's number along an axis is floor((x - origin) / edge), with the subtraction rounded to
 * float. Points outside the cells have the number of the first or last cell. A point with a NaN has
 * the largest number that the code's type holds. */
typedef struct xl_morton_desc {
    uint32_t version; /* set by xl_morton_desc_init() */

    xl_space space;  /* 2 or 3 dimensions (default), XL_F32, a box that is given, not periodic, one
                        system */
    uint32_t stride; /* scalars from one point to the next, at least space.dimensions; default 3 */
    uint32_t code;   /* xl_type: XL_U32, with 10 bits for each of 3 axes or 16 for each of 2; XL_U64
                        (default), with 21 or 32 */

    uint32_t num_tunables;      /* number of tunables */
    const xl_tunable *tunables; /* tuning values of this plan (xl_tunable in types.h), names
                                   morton.*; NULL: none */
} xl_morton_desc;

/* The arguments of a call. codes must not overlap points. */
typedef struct xl_morton_args {
    size_t n;        /* number of points */
    xl_view points;  /* (n - 1) * stride + dimensions f32, offset in scalars */
    xl_view codes;   /* n codes */
    xl_view scratch; /* not given, or xl_morton_scratch() bytes */
} xl_morton_args;

/* A cube of cells with consecutive codes. */
typedef struct xl_morton_box {
    double lower[3], upper[3]; /* corners: lower belongs to the box, upper to the next one; 0 for an
                                  axis that does not exist */
    uint64_t first, last;      /* its codes, both inclusive */
} xl_morton_box;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_morton_desc_init(desc) xl_morton_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_morton_desc_init_version(xl_morton_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_morton_create(xl_context *ctx, const xl_morton_desc *desc,
                                               xl_plan **plan);

/* Scratch: 0 bytes in this version. */
XL_NODISCARD XL_API xl_status xl_morton_scratch(const xl_plan *plan, const xl_morton_args *args,
                                                size_t *bytes);

XL_NODISCARD XL_API xl_status xl_morton_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_morton_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

/* Divides the codes first to last, both inclusive, into the least number of boxes, in the order of
 * their codes: the cells that belong to a rank whose points have these codes. A function of the
 * host alone.
 * desc is that of the plan that makes the codes. boxes receives the first `capacity` boxes, and may be
 * NULL if capacity is 0; 2 * 7 * 21 is always enough. *count receives the boxes of the range, also if
 * there are more than capacity, and 0 after other errors.
 *
 * A corner is origin + i * edge, where origin is rounded to float as for the codes, and the sum to
 * double. Points outside the cells have the codes of border cells: such a box has no end on that
 * side. Where x - origin is not exact in float, a point may lie beyond a face by that error.
 * The time grows with the number of boxes. Threads may call it at any time.
 *
 * XL_ERROR_INVALID_ARGUMENT: a NULL; desc is wrong; first is above last, or last above the largest
 * code of a cell. XL_ERROR_CAPACITY: there are more boxes. */
XL_NODISCARD XL_API xl_status xl_morton_boxes(const xl_morton_desc *desc, uint64_t first,
                                              uint64_t last, size_t capacity, xl_morton_box *boxes,
                                              size_t *count);

XL_EXTERN_C_END

#endif

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

XL_EXTERN_C_END

#endif

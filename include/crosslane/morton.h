/* SPDX-License-Identifier: MIT
 * Morton codes of points (Morton, "A computer oriented geodetic data base", 1966): the numbers of
 * the cell that a point is in, their bits in turn, x the lowest. Sorted by them, points that are
 * near each other mostly stand near each other.
 *
 * The number along an axis is how many cells fit between the lower corner and the point: a float
 * subtraction and a multiplication by a power of two, rounded down. Cells are cubes, all of one
 * size, whose edge is that power's inverse: the least power of two that is not below the longest
 * side of the box, divided by the 2^bits cells of an axis. What is outside of the box but not of
 * the cells has a code as well; what is beyond them has the number of the first or the last cell.
 * A point with a NaN has the largest number that a code's type holds.
 *
 * Codes of kernels of your own: crosslane/morton.cl (crosslane/program.h). */
#ifndef CROSSLANE_MORTON_H
#define CROSSLANE_MORTON_H

#include <crosslane/plan.h>

/* Start from xl_morton_desc_init(); lower and upper must be set. */
typedef struct xl_morton_desc {
    uint32_t version;      /* set by xl_morton_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t dimensions;   /* 2 or 3; 3 is the default */
    uint32_t scalar;       /* xl_type: XL_F32 */
    uint32_t stride;       /* scalars from one point to the next, `dimensions` or more; default 3 */
    uint32_t code;         /* xl_type: XL_U32, 10 bits of each of 3 axes or 16 of each of 2; XL_U64,
                              the default, 21 or 32 */
    float lower[3]; /* corners of the box, finite, lower <= upper and upper - lower finite; */
    float upper[3]; /* the first `dimensions` count */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h): morton.*. NULL: none */
    const xl_tunable *tunables;
} xl_morton_desc;

/* What the call works on. */
typedef struct xl_morton_args {
    size_t n;        /* points */
    xl_view points;  /* (n - 1) * stride + dimensions f32, offset in scalars; not changed */
    xl_view codes;   /* n of the code's type; may not overlap the points */
    xl_view scratch; /* xl_morton_scratch() bytes, or not given: as in xl_scan_args */
} xl_morton_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_morton_desc_init(desc) xl_morton_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_morton_desc_init_version(xl_morton_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). XL_ERROR_INVALID_ARGUMENT: a box that is empty or not finite,
 * a stride below the dimensions. XL_ERROR_UNSUPPORTED: other dimensions or types than above. */
XL_NODISCARD XL_API xl_status xl_morton_create(xl_context *ctx, const xl_morton_desc *desc,
                                               xl_plan **plan);

/* Scratch of a call with up to n points, as xl_scan_scratch(): in this version none, 0 bytes. */
XL_NODISCARD XL_API xl_status xl_morton_scratch(const xl_plan *plan, const xl_morton_args *args,
                                                size_t *bytes);

/* Enqueues the coding; never blocks. Waits, event, queue, threads and failure as
 * xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_morton_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_morton_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

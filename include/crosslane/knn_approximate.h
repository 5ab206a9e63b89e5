/* SPDX-License-Identifier: MIT
 * Approximate search for the k nearest neighbours of points, without an index: some of the points
 * that it gives may not be among the nearest, but each is a point, and its distance is exact.
 *
 * Source: Li, Simons, Pakaravoor, Abbasinejad, Owens and Amenta, "kANN on the GPU with shifted
 * sorting" (High-Performance Graphics 2012); the shifts are those of Chan, "Closest-point problems
 * simplified on the RAM" (SODA 2002). The points are put into the order of their Morton codes
 * (crosslane/morton.h), and the k points before a query and the k after it are its candidates. A
 * border between large cells of that order may part it from its neighbours; so this is done again,
 * with all points shifted, some times, and the k best of all candidates stay.
 *
 * What is found does not depend on how the points are spread as much as the time of crosslane/knn.h
 * does: each shift is a sort and 2k distances a query, whatever the points are. docs/neighbors.md
 * has how many of the nearest were found. For all of them, always, take crosslane/knn.h.
 *
 * A row comes in the order of
 *     ((dx*dx + dy*dy) + dz*dz, index)
 * as that of crosslane/knn.h, no point twice. It is the same on every run and on every device. */
#ifndef CROSSLANE_KNN_APPROXIMATE_H
#define CROSSLANE_KNN_APPROXIMATE_H

#include <crosslane/neighbors.h>

/* Start from xl_knn_approximate_desc_init(); k, lower and upper must be set. */
typedef struct xl_knn_approximate_desc {
    uint32_t version;      /* set by xl_knn_approximate_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t k;            /* neighbours of each query, 1 to 64 */
    uint32_t shifts;       /* orders that are searched, 1 to 32; 0, the default: one more than
                              `dimensions`. More find more, and take as much longer */
    uint32_t queries;      /* xl_neighbors_queries: XL_QUERIES_INDEXED, the default, the points
                              themselves; XL_QUERIES_GIVEN, of which no point is left out */
    uint32_t dimensions;   /* 2 or 3; 3 is the default */
    uint32_t stride;       /* scalars from one point to the next, `dimensions` or more; default 3 */
    uint32_t query_stride; /* the same of given queries */
    uint32_t include_self; /* 0: the point itself (by index) is left out; 1: it counts too */
    uint32_t code;         /* xl_type: XL_U64, the default, or XL_U32, codes of half as many bits:
                              faster, and as good while no cell holds many points, of which there
                              are 512 along an axis in 3 dimensions and 32,768 in 2 */
    float lower[3]; /* corners of the box that the points are in, the first `dimensions` count: */
    float upper[3]; /* lower <= upper, neither beyond 2^125. Points and queries outside of the box
                       are found less well */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); knn_approximate.* and sort.*. NULL: none */
    const xl_tunable *tunables;
} xl_knn_approximate_desc;

/* What the call works on; a view that is left out is not given. The number of rows m is n, or
 * num_queries. */
typedef struct xl_knn_approximate_args {
    size_t n;           /* points, at most 2^32 - 2 */
    xl_view points;     /* (n - 1) * stride + dimensions f32, offset in scalars; not changed */
    size_t num_queries; /* of the given queries, at most 2^32 - 2; else 0 */
    xl_view queries;    /* (num_queries - 1) * query_stride + dimensions f32; only with
                           XL_QUERIES_GIVEN, not changed. Faster if queries that follow each other
                           are near each other */
    xl_view indices;    /* m * k u32: row i, from i * k on, is that of query i. The device also
                           reads it: not CL_MEM_WRITE_ONLY */
    xl_view distances2; /* m * k f32, their square distances. The device also reads it */
    xl_view scratch;    /* xl_knn_approximate_scratch() bytes, or not given: as in xl_scan_args */
    /* Of the rows a part, for results that are larger than memory, as in xl_knn_args: num_rows rows
     * from first_row on (0: all from there). Each part sorts all points again, once for each shift
     */
    size_t first_row, num_rows;
} xl_knn_approximate_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_knn_approximate_desc_init(desc)                                                         \
    xl_knn_approximate_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_knn_approximate_desc_init_version(xl_knn_approximate_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). XL_ERROR_INVALID_ARGUMENT: a k, shifts, strides or a box that
 * are not as above. XL_ERROR_UNSUPPORTED: other dimensions or codes. */
XL_NODISCARD XL_API xl_status xl_knn_approximate_create(xl_context *ctx,
                                                        const xl_knn_approximate_desc *desc,
                                                        xl_plan **plan);

/* Scratch of a call with up to n points and num_queries given queries, as xl_scan_scratch(): for
 * each point 32 bytes and a code, for each given query 4 bytes and a code, and that of the sort
 * (xl_sort_scratch(), codes with values of 16 bytes). */
XL_NODISCARD XL_API xl_status xl_knn_approximate_scratch(const xl_plan *plan,
                                                         const xl_knn_approximate_args *args,
                                                         size_t *bytes);

/* Enqueues the search; never blocks. Waits, event, queue, threads and failure as
 * xl_scan_enqueue(). Outputs may overlap nothing. All n points are found where n is at most
 * k; a row that has fewer than k neighbours ends in UINT32_MAX and INFINITY. So does all of the row
 * of a query that is not finite. A point that is not finite is nobody's neighbour, but may stand
 * where one would have been found. */
XL_NODISCARD XL_API xl_status xl_knn_approximate_enqueue(xl_plan *plan, cl_command_queue queue,
                                                         const xl_knn_approximate_args *args,
                                                         cl_uint num_waits, const cl_event *waits,
                                                         cl_event *event);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * Crosslane on arrays of the host: one call each, no plans, no buffers.
 *
 *     uint32_t x[5] = {3, 1, 4, 1, 5};
 *     xl_simple_inclusive_sum(NULL, XL_U32, XL_U32, 5, x, x);   -> 3 4 8 9 14
 *
 * Each call copies its inputs to the device, runs there and copies the results back. It BLOCKS
 * until the results are in the caller's arrays. The next level, <crosslane/crosslane.h>, works on
 * OpenCL buffers, has more options and does not block.
 *
 *   ctx      the context to use. NULL: a context of the process on the best device (the environment
 *            variable CROSSLANE_DEVICE chooses another); the first call makes it, and it lives
 *            until the process ends
 *   arrays   on the host, n elements of the type that the call names, without gaps. NULL only if n
 *            is 0, or where the call allows it. Arrays must not overlap unless the call allows it;
 *            this is not checked
 *   n        any number of elements that fits the device's memory; 0 is allowed
 *   cost     the first call of a kind compiles kernels, which takes seconds; the disk keeps them
 *            for later processes. The context keeps the plans and device memory of recent calls
 *   threads  any thread at any time; calls on one context run one after another
 *   errors   those of the plan level (crosslane/plan.h). The text is
 *            xl_context_error(ctx). If a call fails, its outputs are undefined */
#ifndef CROSSLANE_SIMPLE_H
#define CROSSLANE_SIMPLE_H

#include <crosslane/sort.h>
#include <crosslane/space.h>

XL_EXTERN_C_BEGIN

/* out[i] = in[0] + ... + in[i - 1]; out[0] = 0. `in` has elements of `type`. `out` has elements of
 * `sum_type`, in which sums are computed, each element converted first as by a C cast: choose a
 * wider type, such as XL_U64 for XL_U8, if a sum may exceed the range of `type`; sums of integers
 * wrap. Both are numeric scalars, or the same vector type. `out` may be `in` if the types are
 * equal, and must not overlap it otherwise. */
XL_NODISCARD XL_API xl_status xl_simple_exclusive_sum(xl_context *ctx, xl_type type,
                                                      xl_type sum_type, size_t n, const void *in,
                                                      void *out);

/* out[i] = in[0] + ... + in[i]; otherwise as xl_simple_exclusive_sum(). */
XL_NODISCARD XL_API xl_status xl_simple_inclusive_sum(xl_context *ctx, xl_type type,
                                                      xl_type sum_type, size_t n, const void *in,
                                                      void *out);

/* *result = in[0] op ... op in[n - 1], computed in `result_type`, as sum_type of
 * xl_simple_exclusive_sum(); the identity of op if n is 0. op: XL_SUM, XL_PROD, XL_MIN, XL_MAX,
 * XL_AND, XL_OR or XL_XOR. For XL_ARG_MIN and XL_ARG_MAX the result is the index of the least or
 * greatest element, the first one of equal ones, result_type must be XL_U64, and n must not be 0.
 * */
XL_NODISCARD XL_API xl_status xl_simple_reduce(xl_context *ctx, xl_type type, xl_op op,
                                               xl_type result_type, size_t n, const void *in,
                                               void *result);

/* Sorts keys in place. `key` is any built-in scalar type; xl_sort_desc states the order of
 * floating-point numbers. values: NULL, or n elements of value_bytes bytes each (1 to 65,535),
 * which are moved with their keys, in place. If there are values, equal keys keep their order. */
XL_NODISCARD XL_API xl_status xl_simple_sort(xl_context *ctx, xl_type key, xl_sort_order order,
                                             size_t n, void *keys, size_t value_bytes,
                                             void *values);

/* Stores the indices that would sort the keys: keys[indices[0]] comes first. The keys are not
 * changed. Equal keys keep their order. n must be at most 2^32 - 1. */
XL_NODISCARD XL_API xl_status xl_simple_argsort(xl_context *ctx, xl_type key, xl_sort_order order,
                                                size_t n, const void *keys, uint32_t *indices);

/* Finds the min(k, n) largest keys (XL_DESCENDING) or smallest keys (XL_ASCENDING), the best first;
 * of equal keys the one of lower index comes first. keys_out: NULL, or receives the keys (room for
 * min(k, n)). indices: NULL, or receives their indices. n must be at most 2^32 - 1. */
XL_NODISCARD XL_API xl_status xl_simple_top_k(xl_context *ctx, xl_type key, xl_sort_order order,
                                              size_t n, const void *keys, size_t k, void *keys_out,
                                              uint32_t *indices);

/* Copies the first element of each run of equal elements to `out`, and stores the number of runs in
 * *count. In sorted arrays these are the distinct elements. `out` must have room for n elements.
 * `out` may be `in`. */
XL_NODISCARD XL_API xl_status xl_simple_unique(xl_context *ctx, xl_type type, size_t n,
                                               const void *in, void *out, size_t *count);

/* Counts the elements in num_bins (1 to 2^20) bins of equal width: lower <= x < upper. Other
 * elements and NaN are not counted. `type` is a numeric scalar; the bounds of integers must be
 * whole numbers, up to 2^53. bins: receives num_bins counts. */
XL_NODISCARD XL_API xl_status xl_simple_histogram(xl_context *ctx, xl_type type, size_t n,
                                                  const void *in, double lower, double upper,
                                                  size_t num_bins, uint64_t *bins);

/* Neighbours of n points as CSR rows: those of point i are elements offsets[i] to
 * offsets[i + 1] - 1 of the other arrays. The call allocates the arrays; xl_simple_free() releases
 * them. If a call fails, all are NULL. "scalar" is the type of the coordinates. */
typedef struct xl_neighbor_list {
    size_t n;          /* rows */
    uint64_t *offsets; /* n + 1 */
    uint32_t *indices; /* offsets[n] */
    void *distances;   /* XL_LIST_DISTANCES: scalars, not squared; otherwise NULL */
    void *vectors;     /* XL_LIST_VECTORS: `dimensions` scalars each, from the point to the image of
                          its neighbour; otherwise NULL */
    int32_t *shifts;   /* XL_LIST_SHIFTS: `dimensions` numbers each, S of the image
                          (crosslane/space.h); otherwise NULL */
} xl_neighbor_list;

/* Arrays of a list that are wanted beside the indices: a sum of these. */
typedef enum xl_list_details {
    XL_LIST_DISTANCES = 1,
    XL_LIST_VECTORS = 2,
    XL_LIST_SHIFTS = 4
} xl_list_details;

/* Lists, for each point, all points at a distance below `radius`, in ascending order of index; each
 * periodic image counts separately. crosslane/neighbors.h states the comparison to the last
 * rounding. space: dimensions, scalar, box or cell, and periodicity; NULL: 3 dimensions, XL_F32,
 * open. num_systems must be 0. points: n times `dimensions` scalars. details: xl_list_details, or
 * 0. XL_ERROR_NON_FINITE or XL_ERROR_OUT_OF_DOMAIN if a point is not finite or outside the bounds.
 */
XL_NODISCARD XL_API xl_status xl_simple_neighbors(xl_context *ctx, const xl_space *space, size_t n,
                                                  const void *points, double radius,
                                                  uint32_t details, xl_neighbor_list *list);

/* Lists, for each point, the k nearest other points and images, the nearest first; of equal
 * distances the lower index first. In open space there may be fewer: min(k, n - 1). details: 0 or
 * XL_LIST_DISTANCES. Otherwise as xl_simple_neighbors(). */
XL_NODISCARD XL_API xl_status xl_simple_nearest(xl_context *ctx, const xl_space *space, size_t n,
                                                const void *points, uint32_t k, uint32_t details,
                                                xl_neighbor_list *list);

/* Releases the arrays of a list and sets its fields to 0; a list may end after its context. The
 * context keeps up to ten large arrays for its next lists. NULL is ignored. */
XL_API void xl_simple_free(xl_neighbor_list *list);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * The correct results of all primitives, in simple serial C. Tests, the benchmark and the
 * program's self-test compare devices with them. This is not part of the library, with which it
 * shares the names of types and operators (crosslane/types.h) but no code. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <crosslane/types.h>
#include <stdbool.h>

/* ---- ref_op.c: types and operators ---- */

/* Bytes of an element of a built-in type; 0 for others. */
size_t ref_type_size(xl_type type);

/* Half precision, for which C has no type. Rounds to nearest even. */
uint16_t ref_half_of(double x);
double ref_half_value(uint16_t half);

/* to = a op b; `to` may be a or b. */
typedef void ref_op(void *to, const void *a, const void *b);
/* to = f(x, i): a load or store expression. */
typedef void ref_map(void *to, const void *x, uint64_t i);

/* A scan or a reduction. ref_flat_of() sets it for built-in types and operators; the caller sets
 * user types, operators and expressions. */
typedef struct ref_flat {
    xl_op op_name;     /* XL_ARG_MIN and XL_ARG_MAX are separate cases */
    xl_type scalar;    /* of a lane; XL_NONE for user types */
    size_t lanes;      /* of an element; a vector of 3 has 3 */
    size_t lane_bytes; /* from one lane to the next */
    size_t bytes;      /* of an element after `load` */
    size_t in_bytes;   /* of an element of the input */
    size_t out_bytes;
    ref_op *op;
    const void *identity;  /* an element; NULL: none, or not needed */
    const void *init;      /* an element, or NULL */
    ref_map *load, *store; /* or NULL */
    bool inclusive;
    unsigned char room[64]; /* for the identities of built-in operators */
} ref_flat;

/* Room for one element of any type. */
enum { REF_MOST_BYTES = 4096 };

/* The operator of a scalar type; NULL if there is none, such as XL_AND of floats. */
ref_op *ref_op_of(xl_type scalar, xl_op op);

/* For a built-in type and operator. The structure must not be moved: it points into itself. */
void ref_flat_of(ref_flat *ref, xl_type type, xl_op op, bool inclusive, const void *init);

/* One element: loads in[i], combines lane by lane (to = a op b), stores out[i]. */
void ref_take(const ref_flat *ref, const void *in, size_t i, unsigned char *to);
void ref_combine(const ref_flat *ref, unsigned char *to, const unsigned char *a,
                 const unsigned char *b);
void ref_give(const ref_flat *ref, const unsigned char *result, size_t i, void *out);

/* ---- ref_segments.c ---- */

/* heads[i] = 1 if element i of n begins a segment. count: the number of CSR offsets. */
void ref_heads(xl_segments kind, xl_type segment_type, uint64_t width, uint64_t mask,
               const void *segments, size_t count, size_t n, uint8_t *heads);

/* Lists the segments, segment s being [begin[s], begin[s + 1]), and returns their number. CSR
 * offsets come from the array, and segments may be empty; all others come from `heads`. `begin`
 * has room for the CSR offsets, or for n + 2. */
size_t ref_begins(xl_segments kind, xl_type segment_type, const void *segments, size_t count,
                  size_t n, const uint8_t *heads, uint64_t *begin);

/* ---- ref_scan.c, ref_reduce.c ---- */

/* Scans n elements one after another; heads NULL: one segment. `out` may be `in` if their
 * elements have the same size. */
void ref_scan(const ref_flat *ref, size_t n, const void *in, const uint8_t *heads, void *out);

/* Reduces the segments [begin[s], begin[s + 1]), s < count. XL_ARG_MIN and XL_ARG_MAX give u64
 * indices. */
void ref_reduce(const ref_flat *ref, const void *in, const uint64_t *begin, size_t count,
                void *out);

/* ---- ref_sort.c: keys of every scalar type ---- */

/* Sorts n keys and, unless NULL, their values in place; equal keys keep their order.
 * False when there is no memory. */
bool ref_sort(xl_type key, bool descending, size_t n, void *keys, uint32_t *values);

/* Sorts each segment [offsets[i], offsets[i + 1]); the last of `count` ends at n. Keys before
 * the first segment stay. Offsets ascend and are at most n. */
bool ref_sort_segments(xl_type key, bool descending, size_t n, const uint64_t *offsets,
                       size_t count, void *keys, uint32_t *values);

/* As ref_key_rank(), but -0 has the rank of +0. */
uint64_t ref_key_rank_equal_zeros(xl_type type, const void *key);

/* As ref_sort(), but -0 and +0 are equal, and keep their order and their signs. */
bool ref_sort_equal_zeros(xl_type key, bool descending, size_t n, void *keys, uint32_t *values);

/* Replaces every -0 by +0. A reference then finds the places of keys whose -0 and +0 are equal. */
void ref_equal_zeros(xl_type key, size_t n, void *keys);

/* Sorts the indices 0 to n - 1 stably; before() tells whether element a comes before element b.
 * False: no memory. */
bool ref_sort_by(size_t n, size_t *places, bool (*before)(const void *user, size_t a, size_t b),
                 const void *user);

/* The rank of a key in ascending order. */
uint64_t ref_key_rank(xl_type type, const void *key);

/* -1 if a is before b in ascending order, 1 if it is after b, 0 if both have the same bits. */
int ref_key_order(xl_type key, const void *a, const void *b);

/* ---- ref_top_k.c ---- */

/* The indices of the min(k, n) largest or smallest keys, equal keys by lower index: the best
 * first, or ascending. False: no memory. */
bool ref_top_k(xl_type key, bool largest, bool sorted, size_t n, size_t k, const void *keys,
               uint32_t *indices);

/* For each segment [offsets[s], offsets[s + 1]); the last of `count` ends at n. The counts[s]
 * results of segment s begin at s * k; indices count from the begin of the array. */
bool ref_top_k_segments(xl_type key, bool largest, bool sorted, size_t n, size_t k,
                        const uint64_t *offsets, size_t count, const void *keys, uint32_t *indices,
                        uint32_t *counts);
/* ---- ref_select.c ---- */

/* The indices of elements, ordered by parts. 1 part: class 1. 2 parts: class 1, then 0. 3 parts:
 * class 0, 1, then 2. Returns their number; counts[0] is the number in the first part, counts[1]
 * in the second, if there is one. */
size_t ref_select(unsigned parts, size_t n, const unsigned char *classes, uint64_t *places,
                  uint64_t counts[2]);

/* 1 for each element that differs from the one before it; NaN differs from everything. f32 and
 * f64 are compared as numbers, other types by their bits. */
void ref_run_heads(xl_type type, size_t n, const void *elements, unsigned char *heads);

/* The length of each run. */
void ref_run_lengths(size_t n, const unsigned char *heads, uint32_t *lengths);

/* The index of each element of the output, up to `capacity`. Returns the sum of the lengths. */
uint64_t ref_repeat(size_t n, const uint32_t *lengths, size_t capacity, uint64_t *places);

/* ---- ref_merge.c ---- */

/* Sorted keys. */
typedef struct ref_run {
    size_t n;
    const void *keys;
} ref_run;

/* The operations of C++: std::merge, std::set_union, std::set_intersection, std::set_difference. */
typedef enum ref_operation { REF_ALL, REF_UNION, REF_INTERSECTION, REF_DIFFERENCE } ref_operation;

/* Stores the places of the elements of the result, in order: i for element i of a, a->n + i for
 * element i of b. Returns their number, at most a->n + b->n. */
size_t ref_set(xl_type key, bool descending, ref_operation operation, const ref_run *a,
               const ref_run *b, uint64_t *places);

/* The keys of both arrays in order. */
void ref_merge(xl_type key, bool descending, const ref_run *a, const ref_run *b, void *keys_out);

/* ---- ref_search.c ---- */

/* The index of the first of n sorted keys that is not before the query; with `upper`, that is
 * after it. n: none. */
uint64_t ref_bound(xl_type key, bool descending, bool upper, size_t n, const void *keys,
                   const void *query);

/* The first index from 1 whose key is before its predecessor; n: none. */
uint64_t ref_unsorted(xl_type key, bool descending, size_t n, const void *keys);

/* ---- ref_histogram.c ---- */

/* The kinds of include/crosslane/histogram.h. */
typedef enum ref_bins { REF_BINS_EVEN = 0, REF_BINS_KEYS = 1, REF_BINS_LEVELS = 2 } ref_bins;
typedef struct ref_histogram {
    ref_bins kind;
    xl_type type; /* a built-in scalar */
    uint64_t num_bins;
    double lower, upper;                  /* of floating-point numbers */
    int64_t lower_integer, upper_integer; /* of integers; of u64 modulo 2^64 */
    const void *levels;                   /* num_bins + 1 */
} ref_histogram;

/* The bin of a value; num_bins: none. */
uint64_t ref_bin_of(const ref_histogram *h, const void *value);

/* Adds 1 to the bin of each of n values. */
void ref_histogram_count(const ref_histogram *h, size_t n, const void *values, uint64_t *bins);

/* Adds the weights of a bin, as histogram.h says of floating-point bins: f64 if `wide`, else f32.
 * b: bits of the number of all elements. Weights that are f32 are given as doubles. */
double ref_weights_sum(bool wide, int b, size_t n, const double *weights);

/* ---- ref_morton.c ---- */

/* Interleaves the low `bits` bits of 2 or 3 numbers; the first number has the lowest bit. */
uint64_t ref_morton(size_t dimensions, size_t bits, const uint32_t *numbers);
/* The code of a point, as in include/crosslane/morton.h. wide: 64 bits. */
uint64_t ref_morton_of(size_t dimensions, size_t bits, bool wide, const float *lower,
                       const float *edges, const float *point);

/* ---- ref_transform.c ---- */

/* out[i] = in[indices[i]], zero bytes for an index that is not below `range`. */
void ref_gather(size_t bytes, size_t n, const uint64_t *indices, uint64_t range, const void *in,
                void *out);
/* out[indices[i]] = in[i], the last of equal indices, none that is not below `range`. */
void ref_scatter(size_t bytes, size_t n, const uint64_t *indices, uint64_t range, const void *in,
                 void *out);
/* out[i] = f(in[i], in[i - 1], i), out[0] = in[0], of elements of one size. */
typedef void ref_pair(void *to, const void *x, const void *p, uint64_t i);
void ref_adjacent(size_t bytes, size_t n, ref_pair *pair, const void *in, void *out);

/* ---- ref_cell.c ---- */

/* Space is periodic along the rows of a lower triangular matrix: `period` is its diagonal (0:
 * not periodic along that row), `tilt` is bx, cx and cy, all 0 for a box. */

/* The shift of image s, each operation rounded once. */
void ref_cell_shift(const float *period, const float *tilt, const long *s, float *shift);
void ref_cell_shift_f64(const double *period, const double *tilt, const long *s, double *shift);

/* The same for any cell: three rows of three numbers; a row of zeros is not periodic. */
void ref_lattice_shift(const float *cell, const long *s, float *shift);
void ref_lattice_shift_f64(const double *cell, const long *s, double *shift);

/* ---- ref_wrap.c ---- */

/* The largest whole number w of periods that leaves x - w * period, rounded once, not below
 * `lower`; and that coordinate in *moved, but at most `upper`. */
long ref_wrap(float x, float lower, float upper, float period, float *moved);
long ref_wrap_f64(double x, double lower, double upper, double period, double *moved);

/* How far a point at d from the origin of a cell, nine numbers, is along each of its rows. */
void ref_fractions(const double *cell, const double *d, double *fractions);

/* ---- ref_cell.c, images ---- */

/* The images of a point at `difference` from a query that may be within `reach`, and some more,
 * ordered by z, then y, then x. */
typedef struct ref_images {
    double period[3], tilt[3], difference[3], reach;
    long s[3], last[3];
} ref_images;
ref_images ref_cell_images(const float *period, const float *tilt, const float *difference,
                           double reach);
ref_images ref_cell_images_f64(const double *period, const double *tilt, const double *difference,
                               double reach);
ref_images ref_lattice_images(const float *cell, const float *difference, double reach);
ref_images ref_lattice_images_f64(const double *cell, const double *difference, double reach);
/* Goes to the next image, s; false after the last one. */
bool ref_cell_next(ref_images *images);

/* ---- ref_neighbors.c ---- */

/* Whether point j is in the system of query i, or of point i if there are no queries. */
static inline bool ref_same_system(const uint32_t *systems, const uint32_t *query_systems, size_t i,
                                   size_t j)
{
    return !systems || systems[j] == (query_systems ? query_systems[i] : systems[i]);
}

/* A search in either precision. Only ref_neighbors() uses the fields from `dimensions` on. */
#define REF_SEARCH(real)                                                                           \
    const real *points; /* stride apart */                                                         \
    size_t n, stride;                                                                              \
    real radius;                                                                                   \
    bool inclusive, include_self;                                                                  \
    size_t dimensions;   /* 1 to 3; 0: 3 */                                                        \
    const real *queries; /* num_queries, query_stride apart; NULL: the points are the queries */   \
    size_t num_queries, query_stride;                                                              \
    const real *radii;        /* of each query, at most `radius`; or NULL */                       \
    const real *point_radii;  /* of each point: a pair has the larger one; or NULL */              \
    const double *pair_radii; /* of types, num_types rows of as many; or NULL */                   \
    size_t num_types;                                                                              \
    const uint32_t *types; /* of each query */                                                     \
    const uint32_t *point_types;                                                                   \
    real period[3];                /* of each axis; 0: not periodic */                             \
    real tilt[3];                  /* of a triclinic cell, see ref_cell.c */                       \
    const real *cell;              /* any cell instead of these two, see ref_cell.c; or NULL */    \
    const real *cells;             /* in a batch: such a cell of each system; or NULL */           \
    const uint32_t *systems;       /* in a batch: of each point */                                 \
    const uint32_t *query_systems; /* and each query; NULL: no batch */                            \
    bool                                                                                           \
        half; /* of (i, j) and (j, i) only the one with i < j; of two opposite images of the      \
                  point itself the one whose last non-zero shift in the order z, y, x is positive */

/* Details of each pair, in the order of the rows. Images of one point ascend by their shifts in
 * z, then y, then x. Vectors and shifts have three numbers. */
#define REF_PAIRS(real)                                                                            \
    real *distances2;                                                                              \
    real *vectors;   /* from the query to the image of the point */                                \
    int32_t *shifts; /* of the point, in periods */                                                \
    uint64_t room;

typedef struct ref_search {
    REF_SEARCH(float)
} ref_search;
typedef struct ref_search_f64 {
    REF_SEARCH(double)
} ref_search_f64;
typedef struct ref_pairs {
    REF_PAIRS(float)
} ref_pairs;
typedef struct ref_pairs_f64 {
    REF_PAIRS(double)
} ref_pairs_f64;

/* (dx*dx + dy*dy) + dz*dz of two points, each operation rounded once. */
float ref_distance2(const ref_search *search, size_t i, size_t j);

/* Is point j a neighbour of point i? */
bool ref_near(const ref_search *search, size_t i, size_t j);

/* The number of rows. */
size_t ref_queries(const ref_search *search);

/* Finds every pair with all images. offsets receives ref_queries() + 1 sums. Returns the rows,
 * ascending, in memory that the caller frees; NULL: no memory. */
uint32_t *ref_neighbors(const ref_search *search, uint64_t *offsets);

/* The same with all details. *pairs must be zeroed, and is freed by ref_pairs_free(). */
uint32_t *ref_neighbors_pairs(const ref_search *search, uint64_t *offsets, ref_pairs *pairs);
void ref_pairs_free(ref_pairs *pairs);

/* Only the counts, for large n, by cells somewhat wider than the radius. False: no memory. */
bool ref_counts(const ref_search *search, uint32_t *counts);

/* The same in double precision: ref_neighbors_f64.c. */
double ref_distance2_f64(const ref_search_f64 *search, size_t i, size_t j);
bool ref_near_f64(const ref_search_f64 *search, size_t i, size_t j);
size_t ref_queries_f64(const ref_search_f64 *search);
uint32_t *ref_neighbors_f64(const ref_search_f64 *search, uint64_t *offsets);
uint32_t *ref_neighbors_pairs_f64(const ref_search_f64 *search, uint64_t *offsets,
                                  ref_pairs_f64 *pairs);
void ref_pairs_free_f64(ref_pairs_f64 *pairs);
bool ref_counts_f64(const ref_search_f64 *search, uint32_t *counts);

/* ---- ref_moved.c ---- */

#define REF_MOVED(real)                                                                            \
    const real *was, *now; /* coordinates, stride apart */                                         \
    size_t was_stride, now_stride;                                                                 \
    size_t n, dimensions;                                                                          \
    real distance;                                                                                 \
    real period[3];   /* of each axis; 0: not periodic */                                          \
    real tilt[3];     /* of a triclinic cell */                                                    \
    const real *cell; /* any cell instead of these two; or NULL */
typedef struct ref_moved {
    REF_MOVED(float)
} ref_moved;
typedef struct ref_moved_f64 {
    REF_MOVED(double)
} ref_moved_f64;

/* Counts the points that have a coordinate that is not finite now, or that are farther than
 * `distance` from all images of their old position. */
uint32_t ref_count_moved(const ref_moved *m);
/* The same in double precision: ref_moved_f64.c. */
uint32_t ref_count_moved_f64(const ref_moved_f64 *m);

/* ---- ref_nearest.c ---- */

#define REF_NEAREST_SEARCH(real)                                                                   \
    const real *points; /* stride apart */                                                         \
    size_t n, stride, dimensions;                                                                  \
    const real *queries; /* query_stride apart; NULL: the points are the queries */                \
    size_t query_stride;                                                                           \
    size_t k;                                                                                      \
    bool include_self;                                                                             \
    real radius2;   /* neighbours are nearer than its root; 0: no limit */                         \
    real period[3]; /* of each axis; 0: not periodic */                                            \
    real tilt[3];   /* of a triclinic cell */                                                      \
    const uint32_t *systems, *query_systems; /* as in ref_search */                                \
    long images;                             /* compared on either side of the nearest one */
typedef struct ref_nearest_search {
    REF_NEAREST_SEARCH(float)
} ref_nearest_search;
typedef struct ref_nearest_search_f64 {
    REF_NEAREST_SEARCH(double)
} ref_nearest_search_f64;

/* The k nearest points of query i, ordered by squared distance, then by index. Missing ones are
 * UINT32_MAX and infinity. */
void ref_nearest(const ref_nearest_search *search, size_t i, uint32_t *indices, float *distances2);
/* The same in double precision: ref_nearest_f64.c. */
void ref_nearest_f64(const ref_nearest_search_f64 *search, size_t i, uint32_t *indices,
                     double *distances2);

/* ---- ref_nearest_approximate.c ---- */

typedef struct ref_nearest_approximate_search {
    const float *points; /* stride apart */
    size_t n, stride, dimensions;
    const float *queries; /* query_stride apart; NULL: the points are the queries */
    size_t num_queries, query_stride;
    size_t k, shifts;
    bool include_self;
    bool wide; /* codes have 64 bits */
    float lower[3], upper[3];
} ref_nearest_approximate_search;

/* k indices and squared distances for each query, as in include/crosslane/nearest_approximate.h.
 * False: no memory. */
bool ref_nearest_approximate(const ref_nearest_approximate_search *search, uint32_t *indices,
                             float *distances2);

#endif

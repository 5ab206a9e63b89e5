/* SPDX-License-Identifier: MIT
 * Owners of points: xl_mpi_balance() against a loop over the whole array, and xl_mpi_owners_by_box(). */
#include "mpi_test.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- points -------------------------------------------------------------------------------- */

enum { RANDOM, EQUAL, FEW, CLUSTERS, PATTERNS };

typedef struct cloud {
    xl_space space;
    uint32_t stride;
    int pattern, weighting;
    size_t n;
} cloud;

static size_t stride_of(const cloud *c)
{
    return c->stride > 0 ? c->stride : c->space.dimensions;
}

static double uniform(uint64_t *seed)
{
    return (double)(test_random(seed) >> 11) * 0x1p-53;
}

/* n * stride coordinates in [0, 1), moved into the space. */
static double *make_points(const cloud *c)
{
    double *const points = calloc(c->n * stride_of(c) + 1, sizeof *points);
    const uint32_t d = c->space.dimensions;
    uint64_t seed = 5;
    for (size_t i = 0; i < c->n; ++i) {
        double f[3], x[3] = {0};
        for (int a = 0; a < 3; ++a) {
            f[a] = uniform(&seed);
            f[a] = c->pattern == EQUAL      ? .375
                   : c->pattern == FEW      ? floor(f[a] * 3) / 3
                   : c->pattern == CLUSTERS ? f[a] * f[a] * f[a] * f[a]
                                            : f[a];
        }
        for (uint32_t a = 0; a < d; ++a) {
            x[a] = c->space.bounds == XL_BOUNDS_FOUND ? f[a] * 10 - 3 : c->space.origin[a];
            for (uint32_t v = 0; v < d && c->space.bounds == XL_BOUNDS_GIVEN; ++v)
                x[a] += f[v] * c->space.cell[v][a];
            if (c->pattern == CLUSTERS && a > 0 && i % 3 == 0)
                x[a] = -1e-9; /* less the origin of a box, and rounded to float: another cube */
            points[i * stride_of(c) + a] = c->space.scalar == XL_F32 ? (double)(float)x[a] : x[a];
        }
    }
    return points;
}

/* 0: none. 1: few with a large weight. 2: all -0. 3: very different ones, also 0. 4: subnormal ones. 5: up to
 * the greatest float. */
enum { WEIGHTINGS = 6 };
static float *make_weights(const cloud *c)
{
    float *const weights = calloc(c->n + 1, sizeof *weights);
    uint64_t seed = 11;
    for (size_t i = 0; i < c->n; ++i) {
        const double x = uniform(&seed);
        weights[i] = c->weighting == 1   ? (x < .02 ? 100 : 1)
                     : c->weighting == 3 ? (x < .2 ? 0 : (float)exp(-30 * x))
                     : c->weighting == 4 ? (float)ldexp(x, -140)
                     : c->weighting == 5 ? (float)ldexp(x * x * x, 128)
                                         : -0.0f;
    }
    return weights;
}

/* Coordinates as the device has them. */
static cl_mem points_buffer(const cloud *c, const double *points, size_t first, size_t n)
{
    const size_t count = n * stride_of(c);
    if (c->space.scalar == XL_F64)
        return test_buffer(count * sizeof(double), points + first * stride_of(c));
    float *const floats = malloc((count + 1) * sizeof *floats);
    for (size_t i = 0; i < count; ++i)
        floats[i] = (float)points[first * stride_of(c) + i];
    const cl_mem buffer = test_buffer(count * sizeof(float), floats);
    free(floats);
    return buffer;
}

/* ---- the reference --------------------------------------------------------------------------- */

/* Codes by the core library: f32 points in a box of 2 or 3 dimensions. */
static void codes_of_core(const cloud *c, const double *points, uint64_t *codes)
{
    xl_plan *plan = NULL;
    xl_morton_desc desc;
    const cl_mem buffer = points_buffer(c, points, 0, c->n), out = test_buffer(c->n * 8, NULL);
    xl_morton_desc_init(&desc);
    desc.space = c->space;
    desc.stride = (uint32_t)stride_of(c);
    CHECK(xl_morton_create(test_ctx, &desc, &plan) == XL_SUCCESS);
    CHECK(xl_morton_enqueue(plan, test_queue,
                            &(xl_morton_args){.n = c->n,
                                              .points = xl_view_of(buffer, 0),
                                              .codes = xl_view_of(out, 0)},
                            0, NULL, NULL) == XL_SUCCESS);
    test_read(out, c->n * 8, codes);
    xl_plan_destroy(plan);
    clReleaseMemObject(buffer);
    clReleaseMemObject(out);
}

/* Codes by their definition; the bits of all axes are compared from the highest one down. */
static void codes_by_hand(const cloud *c, const double *points, uint64_t *codes)
{
    const uint32_t d = c->space.dimensions, bits = d == 3 ? 21 : 32;
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    double longest = 0, edge = 0x1p-200;
    for (uint32_t a = 0; a < d; ++a) {
        if (c->space.bounds == XL_BOUNDS_FOUND)
            for (size_t i = 0; i < c->n; ++i) {
                lower[a] = fmin(lower[a], points[i * stride_of(c) + a]);
                upper[a] = fmax(upper[a], points[i * stride_of(c) + a]);
            }
        else
            for (int corner = 0; corner < 8; ++corner) {
                double x = c->space.origin[a];
                for (uint32_t v = 0; v < d; ++v)
                    x += corner >> v & 1 ? c->space.cell[v][a] : 0;
                lower[a] = fmin(lower[a], x);
                upper[a] = fmax(upper[a], x);
            }
        longest = fmax(longest, upper[a] - lower[a]);
    }
    while (edge * ldexp(1, (int)bits) < longest)
        edge *= 2;
    for (size_t i = 0; i < c->n; ++i) {
        codes[i] = 0;
        for (int bit = (int)bits - 1; bit >= 0; --bit)
            for (uint32_t a = d; a-- > 0;) {
                double x = points[i * stride_of(c) + a] - lower[a];
                x = c->space.scalar == XL_F32 ? (double)(float)x : x;
                const double cube = fmin(floor(x / edge), ldexp(1, (int)bits) - 1);
                codes[i] = codes[i] << 1 | ((uint64_t)cube >> bit & 1);
            }
    }
}

static const uint64_t *codes_to_compare;

static int compare_points(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const uint64_t *const codes = codes_to_compare;
    if (codes[i] != codes[j])
        return codes[i] < codes[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

static uint64_t units(const cloud *c, float weight, float greatest)
{
    int exponent;
    (void)frexpf(greatest, &exponent);
    return c->weighting > 0 && greatest > 0 ? 1 + (uint64_t)floor(ldexp(weight, 30 - exponent)) : 1;
}

static void expect(const cloud *c, const double *points, const float *weights, uint32_t *owners)
{
    uint64_t *const codes = malloc((c->n + 1) * sizeof *codes), all = 0, before = 0;
    uint32_t *const order = malloc((c->n + 1) * sizeof *order);
    const bool box = c->space.scalar == XL_F32 && c->space.bounds == XL_BOUNDS_GIVEN &&
                     c->space.dimensions > 1 && c->space.cell[1][0] == 0;
    float greatest = 0;
    if (box)
        codes_of_core(c, points, codes);
    else
        codes_by_hand(c, points, codes);
    for (size_t i = 0; i < c->n; ++i) {
        order[i] = (uint32_t)i;
        greatest = fmaxf(greatest, weights[i]);
    }
    for (size_t i = 0; i < c->n; ++i)
        all += units(c, weights[i], greatest);
    codes_to_compare = codes;
    qsort(order, c->n, sizeof *order, compare_points);
    const uint64_t p = (uint64_t)test_size;
    for (size_t i = 0; i < c->n; ++i) {
        uint64_t r = 0;
        while (r + 1 < p && (r + 1) * (all / p) + (r + 1) * (all % p) / p <= before)
            ++r;
        owners[order[i]] = (uint32_t)r;
        before += units(c, weights[order[i]], greatest);
    }
    free(codes);
    free(order);
}

/* Each rank's share differs from the mean by less than the greatest weight. */
static void check_shares(const cloud *c, const float *weights, const uint32_t *owners)
{
    double all = 0, greatest = 0;
    for (size_t i = 0; i < c->n; ++i) {
        const double weight = c->weighting == 0 || c->weighting == 2 ? 1 : (double)weights[i];
        all += weight;
        greatest = fmax(greatest, weight);
    }
    for (uint32_t r = 0; r < (uint32_t)test_size; ++r) {
        double share = 0;
        for (size_t i = 0; i < c->n; ++i)
            if (owners[i] == r)
                share += c->weighting == 0 || c->weighting == 2 ? 1 : (double)weights[i];
        CHECK(fabs(share - all / test_size) <= greatest * 1.001);
    }
}

static void run_balance(xl_mpi *mpi, const cloud *c, int way, const double *points,
                        const float *weights, const uint32_t *expected)
{
    const size_t first = test_begin(way, c->n, test_rank);
    const size_t n = test_begin(way, c->n, test_rank + 1) - first;
    uint32_t *const owners = malloc((n + 1) * sizeof *owners);
    const cl_mem p = points_buffer(c, points, first, n), o = test_buffer((n + 1) * 4, NULL);
    const cl_mem w = c->weighting > 0 ? test_buffer(n * 4, weights + first) : NULL;
    SUCCEEDS(xl_mpi_balance(mpi, test_queue,
                            &(xl_mpi_balance_args){.space = &c->space,
                                                   .stride = c->stride,
                                                   .n = n,
                                                   .points = xl_view_of(p, 0),
                                                   .weights = xl_view_of(w, 0),
                                                   .owners = xl_view_of(o, 1)},
                            0, NULL));
    test_read(o, (n + 1) * 4, owners);
    CHECK(owners[0] == 0 && memcmp(owners + 1, expected + first, n * 4) == 0);
    free(owners);
    clReleaseMemObject(p);
    clReleaseMemObject(o);
    if (w)
        clReleaseMemObject(w);
}

static void try_balance(const cloud *c, unsigned ways)
{
    double *const points = make_points(c);
    float *const weights = make_weights(c);
    uint32_t *const expected = malloc((c->n + 1) * sizeof *expected);
    expect(c, points, weights, expected);
    check_shares(c, weights, expected);
    for (int way = 0; way < TEST_WAYS; ++way)
        if (ways >> way & 1)
            run_balance(test_mpi, c, way, points, weights, expected);
    free(points);
    free(weights);
    free(expected);
}

/* ---- balance ------------------------------------------------------------------------------- */

enum { ALL_WAYS = (1 << TEST_WAYS) - 1, UNEVEN = 8 };

static cloud cloud_of(uint32_t dimensions, uint32_t scalar, size_t n)
{
    cloud c = {.n = n};
    c.space = (xl_space){.dimensions = dimensions, .scalar = scalar, .bounds = XL_BOUNDS_GIVEN};
    for (uint32_t a = 0; a < dimensions; ++a) {
        c.space.origin[a] = -1.5 * a;
        c.space.cell[a][a] = 3 + 2 * a;
    }
    return c;
}

static void boxes_of_all_kinds(void)
{
    for (uint32_t d = 1; d <= 3; ++d)
        for (int pattern = 0; pattern < PATTERNS; ++pattern)
            for (int kind = 0; kind < 5; ++kind) {
                cloud c = cloud_of(d, kind % 2 ? XL_F64 : XL_F32, 1200);
                c.pattern = pattern;
                c.weighting = (pattern + kind) % WEIGHTINGS;
                c.stride = kind == 0 ? d + 2 : 0;
                if (kind >= 3) { /* points' own box */
                    c.space.bounds = XL_BOUNDS_FOUND;
                    memset(c.space.cell, 0, sizeof c.space.cell);
                    memset(c.space.origin, 0, sizeof c.space.origin);
                } else if (kind > 0 && d > 1) { /* no box */
                    c.space.cell[1][0] = -1.25;
                    c.space.cell[0][1] = .5;
                    c.space.periodic = 3;
                }
                try_balance(&c, kind == 0 ? ALL_WAYS : UNEVEN);
            }
}

static void weights_of_all_kinds(void)
{
    for (int weighting = 0; weighting < WEIGHTINGS; ++weighting)
        for (int pattern = 0; pattern < PATTERNS; ++pattern) {
            cloud c = cloud_of(3, XL_F32, 3000);
            c.weighting = weighting;
            c.pattern = pattern;
            try_balance(&c, ALL_WAYS);
        }
}

static void few_points(void)
{
    for (size_t n = 0; n < 9; n += n < 3 ? 1 : 5)
        for (int kind = 0; kind < 4; ++kind) {
            cloud c = cloud_of(2, kind % 2 ? XL_F32 : XL_F64, n);
            c.pattern = kind % 2 ? EQUAL : RANDOM;
            c.weighting = kind;
            if (kind < 2) {
                c.space.bounds = XL_BOUNDS_FOUND;
                memset(c.space.cell, 0, sizeof c.space.cell);
                memset(c.space.origin, 0, sizeof c.space.origin);
            }
            try_balance(&c, ALL_WAYS);
        }
}

/* ---- boxes --------------------------------------------------------------------------------- */

typedef struct rank_box {
    double lower[3], upper[3];
} rank_box;

/* Slices along x of the points in [0, 1); the last box has all of them. */
static rank_box slice_of(int rank)
{
    rank_box box = {{0, 0, 0}, {1, 1, 1}};
    box.lower[0] = rank == test_size - 1 ? 0 : (double)rank / test_size;
    box.upper[0] = (double)(rank + 1) / test_size;
    return box;
}

static xl_mpi_boxes_args box_args(uint32_t dimensions, uint32_t scalar, rank_box box)
{
    xl_mpi_boxes_args args = {.dimensions = dimensions, .scalar = scalar};
    memcpy(args.lower, box.lower, sizeof box.lower);
    memcpy(args.upper, box.upper, sizeof box.upper);
    return args;
}

static uint32_t first_box(const rank_box *boxes, uint32_t d, const double *p)
{
    for (uint32_t r = 0; r < (uint32_t)test_size; ++r) {
        bool inside = true;
        for (uint32_t a = 0; a < d; ++a)
            inside = inside && boxes[r].lower[a] <= p[a] && p[a] < boxes[r].upper[a];
        if (inside)
            return r;
    }
    return UINT32_MAX;
}

/* Owners are those of a loop on the host, and elements around them are not written. */
static void try_boxes(const cloud *c, int way, const rank_box *boxes, const double *points)
{
    const uint32_t d = c->space.dimensions;
    const size_t first = test_begin(way, c->n, test_rank);
    const size_t n = test_begin(way, c->n, test_rank + 1) - first;
    xl_mpi_boxes_args args = box_args(d, c->space.scalar, boxes[test_rank]);
    uint32_t *const owners = malloc((n + 2) * sizeof *owners);
    bool right = true;
    args.n = n;
    args.stride = c->stride;
    args.points.buffer = points_buffer(c, points, first, n);
    args.owners = xl_view_of(test_buffer((n + 2) * 4, NULL), 1);
    SUCCEEDS(xl_mpi_owners_by_box(test_mpi, test_queue, &args, 0, NULL));
    test_read(args.owners.buffer, (n + 2) * 4, owners);
    for (size_t i = 0; i < n; ++i)
        right = right && owners[i + 1] == first_box(boxes, d, points + (first + i) * stride_of(c));
    CHECK(right && owners[0] == 0 && owners[n + 1] == 0);
    free(owners);
    clReleaseMemObject(args.points.buffer);
    clReleaseMemObject(args.owners.buffer);
}

static void owners_are_boxes(void)
{
    enum { N = 900 };
    rank_box *const boxes = malloc((size_t)test_size * sizeof *boxes);
    double *const points = malloc(N * 4 * sizeof *points);
    for (int r = 0; r < test_size; ++r)
        boxes[r] = slice_of(r);
    for (uint32_t d = 1; d <= 3; ++d)
        for (int kind = 0; kind < 2 * TEST_WAYS; ++kind) {
            cloud c = cloud_of(d, kind % 2 ? XL_F64 : XL_F32, N);
            uint64_t seed = 3;
            c.stride = d + 1;
            for (size_t i = 0; i < N * (d + 1); ++i) {
                points[i] = floor(uniform(&seed) * 24 * test_size) / (24 * test_size);
                points[i] = kind % 2 ? points[i] : (double)(float)points[i];
            }
            try_boxes(&c, kind / 2, boxes, points);
        }
    free(boxes);
    free(points);
}

/* A number that is special for f32 or f64, or no f32. */
static double special(uint64_t *seed)
{
    static const double numbers[] = {.5,    .7, .1,       1e9,      1e300,    (double)FLT_MAX,
                                     1e-60, 0,  0x1p-149, 0x1p-130, 0x1p-160, (double)INFINITY};
    const uint64_t random = test_random(seed);
    const double x = numbers[random % (sizeof numbers / sizeof numbers[0])];
    return random >> 32 & 1 ? x : -x;
}

/* A number at most one beside a special one of the scalar, and below infinity. */
static double beside(uint64_t *seed, uint32_t scalar)
{
    const double x = special(seed);
    const uint64_t way = test_random(seed) % 3;
    double y = way == 0   ? x
               : way == 1 ? nextafter(x, -(double)INFINITY)
                          : nextafter(x, (double)INFINITY);
    if (scalar == XL_F32)
        y = (double)(way == 0   ? (float)x
                     : way == 1 ? nextafterf((float)x, -INFINITY)
                                : nextafterf((float)x, INFINITY));
    return y < (double)INFINITY ? y : 0;
}

static void points_beside_faces(void)
{
    enum { N = 4000 };
    rank_box *const boxes = malloc((size_t)test_size * sizeof *boxes);
    double *const points = malloc(N * 3 * sizeof *points);
    for (int kind = 0; kind < 12; ++kind) {
        const cloud c = cloud_of(1 + (uint32_t)kind % 3, kind % 2 ? XL_F64 : XL_F32, N);
        uint64_t seed = (uint64_t)kind;
        for (int r = 0; r < test_size; ++r)
            for (int a = 0; a < 3; ++a) {
                const double x = special(&seed), y = special(&seed);
                boxes[r].lower[a] = r < test_size - 1 ? fmin(x, y) : -(double)INFINITY;
                boxes[r].upper[a] = r < test_size - 1 ? fmax(x, y) : (double)INFINITY;
            }
        for (size_t i = 0; i < N * 3; ++i)
            points[i] = beside(&seed, c.space.scalar);
        try_boxes(&c, kind % TEST_WAYS, boxes, points);
    }
    free(boxes);
    free(points);
}

/* ---- errors -------------------------------------------------------------------------------- */

/* The first point that is in no box is named, and no owner is written. */
static void a_point_in_no_box(void)
{
    enum { N = 40000 };
    const int last = test_size - 1;
    float *const points = calloc(2 * N, sizeof *points);
    uint32_t owner = 7;
    xl_mpi_boxes_args args = box_args(2, XL_F32, slice_of(test_rank));
    if (test_rank == last) {
        points[2 * 30000] = .125f;
        points[2 * 30000 + 1] = 1;
        points[2 * 30001] = points[2 * 39999] = NAN;
    }
    args.n = N;
    args.owners.buffer = test_buffer(N * 4, NULL);
    CHECK(clEnqueueWriteBuffer(test_queue, args.owners.buffer, CL_TRUE, 0, 4, &owner, 0, NULL,
                               NULL) == CL_SUCCESS);
    for (int k = 0; k < 2; ++k) {
        args.points.buffer = test_buffer(2 * N * sizeof *points, points);
        test_error(xl_mpi_owners_by_box(test_mpi, test_queue, &args, 0, NULL),
                   XL_ERROR_OUT_OF_DOMAIN, last,
                   k == 0 ? "args.points: point 30000 is (0.125, 1)"
                          : "args.points: point 30001 is (nan, 0)");
        clReleaseMemObject(args.points.buffer);
        points[2 * 30000 + 1] = 0;
    }
    test_read(args.owners.buffer, 4, &owner);
    CHECK(owner == 7);
    clReleaseMemObject(args.owners.buffer);
    free(points);
}

static void bad_arguments(void)
{
    const int last = test_size - 1;
    const bool here = test_rank == last;
    const float nan_point[] = {1, 1, 1, NAN}, inf_weight[] = {1, -1, 1, 1};
    float good[4] = {1, 1, 1, 1};
    const cl_mem buffer = test_buffer(sizeof good, good), owners = test_buffer(8, NULL);
    const cl_mem bad = test_buffer(16, nan_point), weights = test_buffer(16, inf_weight);
    const char *const texts[] = {"args: NULL",
                                 "args.space: NULL",
                                 "args.space.dimensions: 4",
                                 "args.space.scalar",
                                 "args.space.bounds",
                                 "args.space.wrap",
                                 "args.stride",
                                 "args.points",
                                 "args.owners",
                                 "args.points: coordinate 1 of point 1",
                                 "args.weights: -1 of point 1",
                                 "queue: NULL",
                                 "args.space.cell"};
    for (int i = 0; i < 13; ++i) {
        xl_space space = {
            .dimensions = 2, .scalar = XL_F32, .bounds = XL_BOUNDS_GIVEN, .cell = {{2, 0}, {0, 2}}};
        xl_mpi_balance_args args = {.space = &space,
                                    .n = 2,
                                    .points = xl_view_of(buffer, 0),
                                    .owners = xl_view_of(owners, 0)};
        if (here) {
            space.dimensions = i == 2 ? 4 : 2;
            space.scalar = i == 3 ? XL_I32 : XL_F32;
            space.bounds = i == 4 ? XL_BOUNDS_PER_SYSTEM : XL_BOUNDS_GIVEN;
            space.wrap = i == 5;
            args.space = i == 1 ? NULL : &space;
            args.stride = i == 6;
            args.n = i == 7 ? 3 : 2;
            args.owners.offset = i == 8;
            args.points.buffer = i == 9 ? bad : buffer;
            space.cell[1][1] = i == 12 ? 3 : 2;
        }
        if (i == 10)
            args.weights.buffer = here ? weights : buffer;
        if (i == 12 && test_size == 1)
            break;
        test_error(xl_mpi_balance(test_mpi, here && i == 11 ? NULL : test_queue,
                                  here && i == 0 ? NULL : &args, 0, NULL),
                   i == 9 ? XL_ERROR_NON_FINITE : XL_ERROR_INVALID_ARGUMENT, last, texts[i]);
    }
    xl_mpi_boxes_args boxes = box_args(here ? 4 : 2, XL_F32, slice_of(test_rank));
    test_error(xl_mpi_owners_by_box(test_mpi, test_queue, &boxes, 0, NULL),
               XL_ERROR_INVALID_ARGUMENT, last, "args.dimensions: 4");
    boxes = box_args(2, XL_F32, slice_of(test_rank));
    boxes.upper[1] = here ? NAN : 1;
    test_error(xl_mpi_owners_by_box(test_mpi, test_queue, &boxes, 0, NULL),
               XL_ERROR_INVALID_ARGUMENT, last, "args.lower[1], args.upper[1]: 0, nan");
    CHECK(xl_mpi_balance(NULL, test_queue, NULL, 0, NULL) == XL_ERROR_INVALID_ARGUMENT);
    CHECK(xl_mpi_owners_by_box(NULL, test_queue, NULL, 0, NULL) == XL_ERROR_INVALID_ARGUMENT);
    clReleaseMemObject(buffer);
    clReleaseMemObject(owners);
    clReleaseMemObject(bad);
    clReleaseMemObject(weights);
}

/* Weights on some ranks only; owners that overlap the points or the weights. */
static void weights_of_all_ranks_and_owners_apart(void)
{
    const int last = test_size - 1;
    const bool here = test_rank == last;
    const float good[4] = {1, 1, 1, 1};
    const cl_mem buffer = test_buffer(sizeof good, good), owners = test_buffer(8, NULL);
    const xl_space space = {.dimensions = 2, .scalar = XL_F32, .bounds = XL_BOUNDS_FOUND};
    xl_mpi_balance_args args = {
        .space = &space, .n = 2, .points = xl_view_of(buffer, 0), .owners = xl_view_of(owners, 0)};
    args.weights.buffer = here ? buffer : NULL;
    if (test_size > 1)
        test_error(xl_mpi_balance(test_mpi, test_queue, &args, 0, NULL), XL_ERROR_INVALID_ARGUMENT,
                   0, "args.weights: not given; on rank ");
    args.n = here ? 2 : 0; /* a rank without points need not give weights */
    SUCCEEDS(xl_mpi_balance(test_mpi, test_queue, &args, 0, NULL));
    args.n = 2;
    args.weights.buffer = here ? owners : buffer;
    test_error(xl_mpi_balance(test_mpi, test_queue, &args, 0, NULL), XL_ERROR_OVERLAP, last,
               "args.weights and args.owners overlap");
    args.weights.buffer = NULL;
    args.owners.buffer = here ? buffer : owners;
    test_error(xl_mpi_balance(test_mpi, test_queue, &args, 0, NULL), XL_ERROR_OVERLAP, last,
               "args.points and args.owners overlap");
    xl_mpi_boxes_args boxes = box_args(2, XL_F32, slice_of(test_rank));
    boxes.n = 2;
    boxes.points = args.points;
    boxes.owners = args.owners;
    test_error(xl_mpi_owners_by_box(test_mpi, test_queue, &boxes, 0, NULL), XL_ERROR_OVERLAP, last,
               "args.points and args.owners overlap");
    clReleaseMemObject(buffer);
    clReleaseMemObject(owners);
}

/* The same box for a user who writes -0, or leaves numbers of unused axes. */
static void equal_spaces_may_differ_in_bits(void)
{
    const float points[2] = {.25f, .75f};
    const cl_mem buffer = test_buffer(sizeof points, points), owners = test_buffer(8, NULL);
    xl_space space = {.dimensions = 1, .scalar = XL_F32, .bounds = XL_BOUNDS_GIVEN, .cell = {{1}}};
    if (test_rank == test_size - 1) {
        space.origin[0] = -0.0;
        space.origin[2] = 5;
        space.cell[1][2] = 7;
    }
    const xl_mpi_balance_args args = {
        .space = &space, .n = 2, .points = xl_view_of(buffer, 0), .owners = xl_view_of(owners, 0)};
    SUCCEEDS(xl_mpi_balance(test_mpi, test_queue, &args, 0, NULL));
    clReleaseMemObject(buffer);
    clReleaseMemObject(owners);
}

/* The error names the first of several refused points and weights. */
static void the_first_one_is_named(void)
{
    enum { N = 40000 };
    const int last = test_size - 1;
    const xl_space space = {.dimensions = 2, .scalar = XL_F32, .bounds = XL_BOUNDS_FOUND};
    float *const points = calloc(2 * N, sizeof *points);
    float *const weights = calloc(N, sizeof *weights);
    xl_mpi_balance_args args = {.space = &space, .n = N};
    args.owners.buffer = test_buffer(N * 4, NULL);
    if (test_rank == last) {
        points[2 * 20000 + 1] = INFINITY;
        points[2 * 20001] = NAN;
        weights[20000] = -1;
        weights[39999] = INFINITY;
    }
    for (int k = 0; k < 3; ++k) {
        args.points.buffer = test_buffer(2 * N * sizeof *points, points);
        args.weights.buffer = test_buffer(N * sizeof *weights, weights);
        test_error(xl_mpi_balance(test_mpi, test_queue, &args, 0, NULL),
                   k == 0 ? XL_ERROR_NON_FINITE : XL_ERROR_INVALID_ARGUMENT, last,
                   k == 0   ? "args.points: coordinate 1 of point 20000 is inf"
                   : k == 1 ? "args.weights: -1 of point 20000"
                            : "args.weights: inf of point 39999");
        clReleaseMemObject(args.points.buffer);
        clReleaseMemObject(args.weights.buffer);
        points[2 * 20000 + 1] = 0;
        if (k == 1) {
            weights[20000] = 0;
            points[2 * 20001] = 0;
        }
    }
    clReleaseMemObject(args.owners.buffer);
    free(points);
    free(weights);
}

static xl_status owners_once(xl_mpi *mpi, void *user)
{
    (void)user;
    const float points[] = {.25f, .5f, .125f, .75f};
    const xl_space space = {.dimensions = 2, .scalar = XL_F32, .bounds = XL_BOUNDS_FOUND};
    xl_mpi_boxes_args boxes = box_args(2, XL_F32, slice_of(test_rank));
    const xl_view view = xl_view_of(test_buffer(sizeof points, points), 0);
    const xl_view owners = xl_view_of(test_buffer(8, NULL), 0);
    boxes.n = 2;
    boxes.points = view;
    boxes.owners = owners;
    xl_status status = xl_mpi_owners_by_box(mpi, test_queue, &boxes, 0, NULL);
    if (status == XL_SUCCESS)
        status = xl_mpi_balance(
            mpi, test_queue,
            &(xl_mpi_balance_args){.space = &space, .n = 2, .points = view, .owners = owners}, 0,
            NULL);
    clReleaseMemObject(view.buffer);
    clReleaseMemObject(owners.buffer);
    return status;
}

static void failure_at_every_step(void)
{
    for (int rank = 0; rank < test_size; ++rank) /* agreements, also on kernels */
        CHECK(test_each_failure(rank, owners_once, NULL) == 16);
}

MPI_TEST_MAIN({"boxes_of_all_kinds", boxes_of_all_kinds},
              {"weights_of_all_kinds", weights_of_all_kinds}, {"few_points", few_points},
              {"owners_are_boxes", owners_are_boxes}, {"points_beside_faces", points_beside_faces},
              {"a_point_in_no_box", a_point_in_no_box}, {"bad_arguments", bad_arguments},
              {"weights_of_all_ranks_and_owners_apart", weights_of_all_ranks_and_owners_apart},
              {"equal_spaces_may_differ_in_bits", equal_spaces_may_differ_in_bits},
              {"the_first_one_is_named", the_first_one_is_named},
              {"failure_at_every_step", failure_at_every_step})

/* SPDX-License-Identifier: MIT
 * Lists of neighbours of points of the host. A call builds an index, counts or searches, allocates
 * the list, and copies it back. */
#include "simple_call.h"

#include <crosslane/nearest.h>
#include <crosslane/transform.h>
#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { POINTS, OFFSETS, INDICES, DISTANCES, VECTORS, SHIFTS, ARRAYS };

/* From this many distances on the device takes the roots, by one more program. */
enum { ROOTS_ON_DEVICE = 1 << 20 };

typedef struct list_call {
    const xl_space *space;
    size_t n;
    const void *points;
    double cell_size, points_per_cell; /* of the grid */
    xli_simple_key search;             /* of the search's plan */
    xl_neighbor_list *list;
    size_t row; /* of the k nearest: neighbours of each point */
    cl_mem buffers[ARRAYS];
    void *host[ARRAYS]; /* arrays of the list */
    xl_grid_index *index;
} list_call;

static size_t scalar_bytes(const xl_space *space)
{
    return space->scalar == XL_F64 ? sizeof(double) : sizeof(float);
}

/* ---- the list on the host -------------------------------------------------------------------- */

void xl_simple_free(xl_neighbor_list *list)
{
    if (!list)
        return;
    xli_simple_array_free(list->offsets);
    xli_simple_array_free(list->indices);
    xli_simple_array_free(list->distances);
    xli_simple_array_free(list->vectors);
    xli_simple_array_free(list->shifts);
    *list = (xl_neighbor_list){0};
}

/* Bytes of a neighbour in an array of the list; 0: the array is not wanted. */
static size_t element_bytes(const list_call *call, size_t k)
{
    const uint32_t wanted = call->search.how;
    const size_t bytes = scalar_bytes(call->space), d = call->space->dimensions;
    const size_t sizes[ARRAYS] = {[INDICES] = sizeof(uint32_t),
                                  [DISTANCES] = wanted & XL_LIST_DISTANCES ? bytes : 0,
                                  [VECTORS] = wanted & XL_LIST_VECTORS ? d * bytes : 0,
                                  [SHIFTS] = wanted & XL_LIST_SHIFTS ? d * sizeof(int32_t) : 0};
    return sizes[k];
}

/* Room for n elements and one more. */
static xl_status allocate(xli_simple *s, list_call *call, size_t k, size_t n, size_t bytes)
{
    if (n < SIZE_MAX / bytes)
        call->host[k] = xli_simple_array_of(s->pool, (n + 1) * bytes);
    return call->host[k] ? XL_SUCCESS
                         : xli_fail(s->ctx, XL_ERROR_OUT_OF_MEMORY,
                                    "no memory for a list of %zu neighbours", n);
}

/* Allocates the wanted arrays, here and on the device. */
static xl_status make_arrays(xli_simple *s, list_call *call, size_t pairs)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = INDICES; k < ARRAYS; ++k) {
        const size_t bytes = element_bytes(call, k);
        if (bytes > 0)
            XL_TRY(allocate(s, call, k, pairs, bytes));
        XL_TRY(xli_simple_buffer(s, k, pairs * bytes, &call->buffers[k]));
    }
done:
    return status;
}

/* Square roots in place, rounded as by sqrt(): the library links no libm. The last form takes 20 times
 * as long as the others. */
#if defined(__SSE2__)
static void roots_f32(float *x, size_t n)
{
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        _mm_storeu_ps(x + k, _mm_sqrt_ps(_mm_loadu_ps(x + k)));
    for (; k < n; ++k)
        _mm_store_ss(x + k, _mm_sqrt_ss(_mm_load_ss(x + k)));
}

static void roots_f64(double *x, size_t n)
{
    size_t k = 0;
    for (; k + 2 <= n; k += 2)
        _mm_storeu_pd(x + k, _mm_sqrt_pd(_mm_loadu_pd(x + k)));
    if (k < n)
        _mm_store_sd(x + k, _mm_sqrt_pd(_mm_load_sd(x + k)));
}
#elif defined(__aarch64__)
static void roots_f32(float *x, size_t n)
{
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        vst1q_f32(x + k, vsqrtq_f32(vld1q_f32(x + k)));
    for (; k < n; ++k)
        x[k] = vget_lane_f32(vsqrt_f32(vdup_n_f32(x[k])), 0);
}

static void roots_f64(double *x, size_t n)
{
    size_t k = 0;
    for (; k + 2 <= n; k += 2)
        vst1q_f64(x + k, vsqrtq_f64(vld1q_f64(x + k)));
    if (k < n)
        x[k] = vget_lane_f64(vsqrt_f64(vdup_n_f64(x[k])), 0);
}
#else
static double root_of(double square)
{
    if (!(square > 0) || isinf(square))
        return square;
    double scale = 1, x = square;
    for (; x >= 4; x /= 4)
        scale *= 2;
    for (; x < 1; x *= 4)
        scale /= 2;
    double root = (x + 1) / 2;
    for (int k = 0; k < 6; ++k)
        root = (root + x / root) / 2;
    return root * scale;
}

static void roots_f32(float *x, size_t n)
{
    for (size_t k = 0; k < n; ++k)
        x[k] = (float)root_of((double)x[k]);
}

static void roots_f64(double *x, size_t n)
{
    for (size_t k = 0; k < n; ++k)
        x[k] = root_of(x[k]);
}
#endif

/* ---- plans ----------------------------------------------------------------------------------- */

static xli_simple_key key_of(const list_call *call, xli_simple_kind kind)
{
    xli_simple_key key;
    memset(&key, 0, sizeof key);
    key.call = kind;
    memcpy(&key.space, call->space, sizeof key.space);
    key.bounds[0] = call->cell_size;
    key.bounds[1] = call->points_per_cell;
    return key;
}

static xl_status make_grid(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.space = key->space;
    desc.stride = key->space.dimensions;
    desc.cell_size = key->bounds[0];
    desc.points_per_cell = key->bounds[1];
    return xl_grid_create(ctx, &desc, plan);
}

static xl_status make_radius(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_status status;
    xl_plan *grid;
    xl_neighbors_desc desc;
    xl_neighbors_desc_init(&desc);
    desc.radius = key->bounds[2];
    desc.details = key->how != 0;
    XL_TRY(make_grid(ctx, key, &grid));
    XL_TRY(xl_neighbors_create(grid, &desc, plan));
done:
    xl_plan_destroy(grid);
    return status;
}

static xl_status make_nearest(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_status status;
    xl_plan *grid;
    xl_nearest_desc desc;
    xl_nearest_desc_init(&desc);
    desc.k = (uint32_t)key->size;
    XL_TRY(make_grid(ctx, key, &grid));
    XL_TRY(xl_nearest_create(grid, &desc, plan));
done:
    xl_plan_destroy(grid);
    return status;
}

/* In double precision, whose root OpenCL rounds correctly, and then rounded once more: this has the
 * bits of a correctly rounded root of a float. */
static xl_status make_roots(xl_context *ctx, const xli_simple_key *key, xl_plan **plan)
{
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.types[0] = key->types[0];
    desc.expression = key->types[0] == XL_F64 ? "sqrt(x)" : "(float)sqrt((double)x)";
    return xl_transform_create(ctx, &desc, plan);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static xl_status build(xli_simple *s, list_call *call)
{
    xl_status status;
    xl_plan *grid;
    const xl_space *const space = call->space;
    const xli_simple_key key = key_of(call, XLI_SIMPLE_GRID);
    const size_t bytes = call->n * space->dimensions * scalar_bytes(space);
    XL_TRY(xli_simple_plan(s, &key, make_grid, &grid));
    XL_TRY(xli_simple_index(s, &call->index));
    XL_TRY(xli_simple_buffer(s, POINTS, bytes, &call->buffers[POINTS]));
    if (bytes > 0)
        XL_TRY(xli_copy_in(s->ctx, s->queue, call->buffers[POINTS], bytes, call->points));
    XL_TRY(xl_grid_build_enqueue(
        grid, call->index, s->queue,
        &(xl_grid_build_args){.n = call->n, .points = xl_view_of(call->buffers[POINTS], 0)}, 0,
        NULL, NULL));
    XL_TRY(allocate(s, call, OFFSETS, call->n, sizeof(uint64_t)));
done:
    return status;
}

static xl_view view_of(const list_call *call, size_t k)
{
    return xl_view_of(call->buffers[k], 0);
}

static xl_status take_roots_on_device(xli_simple *s, const list_call *call, size_t pairs)
{
    xl_status status;
    xl_plan *plan;
    xli_simple_key key;
    memset(&key, 0, sizeof key);
    key.call = XLI_SIMPLE_ROOTS;
    key.types[0] = call->space->scalar;
    const xl_view squares = view_of(call, DISTANCES);
    XL_TRY(xli_simple_plan(s, &key, make_roots, &plan));
    XL_TRY(xl_transform_enqueue(plan, s->queue,
                                &(xl_transform_args){.n = pairs, .in = {squares}, .out = {squares}},
                                0, NULL, NULL));
done:
    return status;
}

/* Copies the wanted arrays, and makes the squares of distances distances. */
static xl_status read_list(xli_simple *s, const list_call *call, size_t pairs)
{
    xl_status status;
    const xli_capabilities *capabilities;
    XL_TRY(xli_context_capabilities(s->ctx, &capabilities));
    const bool on_device = pairs >= ROOTS_ON_DEVICE && capabilities->info.has_fp64;
    if (on_device && call->buffers[DISTANCES])
        XL_TRY(take_roots_on_device(s, call, pairs));
    for (size_t k = INDICES; k < ARRAYS; ++k)
        if (call->buffers[k])
            XL_TRY(xli_copy_out(s->ctx, s->queue, call->buffers[k], pairs * element_bytes(call, k),
                                call->host[k]));
    XL_TRY(xli_cl(s->ctx, clFinish(s->queue), "clFinish"));
    if (call->buffers[DISTANCES] && !on_device) {
        if (call->space->scalar == XL_F64)
            roots_f64(call->host[DISTANCES], pairs);
        else
            roots_f32(call->host[DISTANCES], pairs);
    }
done:
    return status;
}

static xl_status count(xli_simple *s, list_call *call, xl_plan *plan)
{
    xl_status status;
    const size_t bytes = (call->n + 1) * sizeof(uint64_t);
    XL_TRY(xli_simple_buffer(s, OFFSETS, bytes, &call->buffers[OFFSETS]));
    XL_TRY(xl_neighbors_count_enqueue(plan, call->index, s->queue,
                                      &(xl_neighbors_args){.offsets = view_of(call, OFFSETS)}, 0,
                                      NULL, NULL));
    XL_TRY(xl_grid_index_status(call->index, s->queue, NULL, 0, NULL));
    XL_TRY(xli_copy_out(s->ctx, s->queue, call->buffers[OFFSETS], bytes, call->host[OFFSETS]));
    XL_TRY(xli_cl(s->ctx, clFinish(s->queue), "clFinish"));
done:
    return status;
}

static xl_status list_radius(xli_simple *s, void *of)
{
    xl_status status;
    xl_plan *plan;
    list_call *const call = of;
    XL_TRY(build(s, call));
    XL_TRY(xli_simple_plan(s, &call->search, make_radius, &plan));
    XL_TRY(count(s, call, plan));
    const uint64_t pairs = ((const uint64_t *)call->host[OFFSETS])[call->n];
    XL_TRY(make_arrays(s, call, xli_size(pairs)));
    if (pairs > 0)
        XL_TRY(
            xl_neighbors_fill_enqueue(plan, call->index, s->queue,
                                      &(xl_neighbors_args){.capacity = pairs,
                                                           .offsets = view_of(call, OFFSETS),
                                                           .indices = view_of(call, INDICES),
                                                           .distances2 = view_of(call, DISTANCES),
                                                           .vectors = view_of(call, VECTORS),
                                                           .shifts = view_of(call, SHIFTS)},
                                      0, NULL, NULL));
    XL_TRY(read_list(s, call, (size_t)pairs));
done:
    return status;
}

static xl_status list_nearest(xli_simple *s, void *of)
{
    xl_status status;
    xl_plan *plan;
    list_call *const call = of;
    const size_t pairs = call->n * call->row;
    XL_TRY(build(s, call));
    XL_TRY(xli_simple_plan(s, &call->search, make_nearest, &plan));
    uint64_t *const offsets = call->host[OFFSETS];
    for (size_t i = 0; i <= call->n; ++i)
        offsets[i] = i * call->row;
    XL_TRY(make_arrays(s, call, pairs));
    if (pairs > 0)
        XL_TRY(xl_nearest_enqueue(plan, call->index, s->queue,
                                  &(xl_nearest_args){.indices = view_of(call, INDICES),
                                                     .distances2 = view_of(call, DISTANCES)},
                                  0, NULL, NULL));
    XL_TRY(xl_grid_index_status(call->index, s->queue, NULL, 0, NULL));
    XL_TRY(read_list(s, call, pairs));
done:
    return status;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static const xl_space open_space = {.dimensions = 3, .scalar = XL_F32};

static xl_status check(xl_context *ctx, const list_call *call)
{
    const xl_space *const space = call->space;
    if (!call->list)
        return xli_simple_refuse(ctx, "list: NULL");
    if (space->dimensions < 1 || space->dimensions > 3)
        return xli_simple_refuse(ctx, "space->dimensions: must be 1, 2 or 3");
    if (space->num_systems > 0)
        return xli_simple_refuse(ctx, "space->num_systems: must be 0");
    if (call->n > SIZE_MAX / (sizeof(double) * 3 * 64) - 1)
        return xli_simple_refuse(ctx, "n: exceeds the address space");
    if (call->n > 0 && !call->points)
        return xli_simple_refuse(ctx, "points: NULL");
    return XL_SUCCESS;
}

static xl_status run(xl_context *ctx, list_call *call, xli_simple_work *work)
{
    const xl_status status = xli_simple_do(ctx, work, call);
    *call->list = (xl_neighbor_list){.n = call->n,
                                     .offsets = call->host[OFFSETS],
                                     .indices = call->host[INDICES],
                                     .distances = call->host[DISTANCES],
                                     .vectors = call->host[VECTORS],
                                     .shifts = call->host[SHIFTS]};
    if (status != XL_SUCCESS)
        xl_simple_free(call->list);
    return status;
}

xl_status xl_simple_neighbors(xl_context *ctx, const xl_space *space, size_t n, const void *points,
                              double radius, uint32_t details, xl_neighbor_list *list)
{
    xl_status status;
    list_call call = {.space = space ? space : &open_space,
                      .n = n,
                      .points = points,
                      .cell_size = radius,
                      .list = list};
    XL_TRY(check(ctx, &call));
    *list = (xl_neighbor_list){0};
    if (details > (XL_LIST_DISTANCES | XL_LIST_VECTORS | XL_LIST_SHIFTS))
        return xli_simple_refuse(ctx, "details: must be a sum of xl_list_details");
    if (!isfinite(radius) || radius <= 0)
        return xli_simple_refuse(ctx, "radius: must be finite and above 0");
    call.search = key_of(&call, XLI_SIMPLE_NEIGHBORS);
    call.search.bounds[2] = radius;
    call.search.how = details;
    XL_TRY(run(ctx, &call, list_radius));
done:
    return status;
}

xl_status xl_simple_nearest(xl_context *ctx, const xl_space *space, size_t n, const void *points,
                            uint32_t k, uint32_t details, xl_neighbor_list *list)
{
    xl_status status;
    list_call call = {.space = space ? space : &open_space, .n = n, .points = points, .list = list};
    XL_TRY(check(ctx, &call));
    *list = (xl_neighbor_list){0};
    if (details > XL_LIST_DISTANCES)
        return xli_simple_refuse(ctx, "details: must be 0 or XL_LIST_DISTANCES");
    if (k == 0)
        return xli_simple_refuse(ctx, "k: 0; must be at least 1");
    call.points_per_cell = k > 24 ? k / 12.0 : 2;
    call.row = call.space->periodic || k < n ? k : n - (n > 0);
    call.search = key_of(&call, XLI_SIMPLE_NEAREST);
    call.search.how = details;
    call.search.size = call.row > 0 ? call.row : 1;
    XL_TRY(run(ctx, &call, list_nearest));
done:
    return status;
}

/* SPDX-License-Identifier: MIT
 * The cases of first use: a plan, one call, and a check of its result. */
#include "bench_clouds.h"
#include "bench_first.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = FIRST_N, HALF = N / 2, K = 16, TOP = 10, BINS = 256, CHECKED = 3 };
static const double NEIGHBOURS = 32;

/* ---- input ------------------------------------------------------------------------------------- */

static bool has_points(const first_case *c)
{
    return c->limit == FIRST_POINTS || c->limit == FIRST_POINTS_F64;
}

static size_t input_bytes(const first_case *c)
{
    return !has_points(c) ? 4 * N : c->limit == FIRST_POINTS ? 12 * N : 24 * N;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_host(uint32_t *keys, size_t n)
{
    qsort(keys, n, sizeof *keys, by_value);
}

static xl_status merge_call(first_use *use);

void *first_input(const first_case *c)
{
    void *const input = malloc(input_bytes(c));
    uint64_t state = BENCH_SEED;
    uint32_t *const keys = input;
    float *const narrow = input;
    double *const wide = input;
    if (!input)
        return NULL;
    for (size_t i = 0; i < (has_points(c) ? 3 : 1) * (size_t)N; ++i)
        if (c->limit == FIRST_POINTS)
            narrow[i] = bench_unit(&state);
        else if (c->limit == FIRST_POINTS_F64)
            wide[i] = (double)bench_unit(&state);
        else
            keys[i] = (uint32_t)(bench_random(&state) >> 32) % (c->limit ? c->limit : UINT32_MAX);
    if (c->call == merge_call) {
        sort_host(keys, HALF);
        sort_host(keys + HALF, HALF);
    }
    return input;
}

/* ---- buffers ----------------------------------------------------------------------------------- */

static cl_mem buffer(const first_use *use, size_t bytes, void *host)
{
    cl_int code;
    return clCreateBuffer(xl_context_cl(use->ctx), host ? CL_MEM_COPY_HOST_PTR : 0, bytes, host,
                          &code);
}

/* The input as mem[0], and mem[1] of these bytes. */
static bool buffers(first_use *use, size_t in_bytes, size_t out_bytes)
{
    use->mem[0] = buffer(use, in_bytes, use->host);
    use->mem[1] = buffer(use, out_bytes, NULL);
    return use->mem[0] && use->mem[1];
}

static xl_view view(const first_use *use, int which)
{
    return xl_view_of(use->mem[which], 0);
}

static bool read(const first_use *use, int which, size_t bytes, void *to)
{
    return clEnqueueReadBuffer(use->queue, use->mem[which], CL_TRUE, 0, bytes, to, 0, NULL, NULL) ==
           CL_SUCCESS;
}

static void *copy(const first_use *use, int which, size_t bytes)
{
    void *const to = malloc(bytes);
    if (to && read(use, which, bytes, to))
        return to;
    free(to);
    return NULL;
}

/* Compares mem[1] with n elements. */
static const char *compare(const first_use *use, const uint32_t *wanted, size_t n)
{
    uint32_t *const got = copy(use, 1, 4 * n);
    const char *const why = !got                              ? "no memory"
                            : memcmp(got, wanted, 4 * n) == 0 ? NULL
                                                              : "differs from the serial result";
    free(got);
    return why;
}

/* Compares mem[1] with `n` of the sorted keys, the largest first if `is_falling`. */
static const char *compare_sorted(first_use *use, size_t n, bool is_falling)
{
    uint32_t *const keys = use->host;
    sort_host(keys, N);
    for (size_t i = 0; is_falling && i < n; ++i) {
        const uint32_t last = keys[N - 1 - i];
        keys[N - 1 - i] = keys[i];
        keys[i] = last;
    }
    return compare(use, keys, n);
}

/* ---- scan, reduce, sort ------------------------------------------------------------------------- */

static xl_status scan_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    return xl_scan_create(ctx, &desc, &plans[0]);
}

static xl_status scan_call(first_use *use)
{
    if (!buffers(use, 4 * N, 4 * N))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_scan_args args = {.n = N, .in = view(use, 0), .out = view(use, 1)};
    return xl_scan_enqueue(use->plans[0], use->queue, &args, 0, NULL, NULL);
}

static const char *scan_fault(first_use *use)
{
    uint32_t sum = 0, *const keys = use->host;
    for (size_t i = 0; i < N; ++i) {
        const uint32_t key = keys[i];
        keys[i] = sum;
        sum += key;
    }
    return compare(use, keys, N);
}

static xl_status reduce_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    return xl_reduce_create(ctx, &desc, &plans[0]);
}

static xl_status reduce_call(first_use *use)
{
    if (!buffers(use, 4 * N, 4))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_reduce_args args = {.n = N, .in = view(use, 0), .out = view(use, 1)};
    return xl_reduce_enqueue(use->plans[0], use->queue, &args, 0, NULL, NULL);
}

static const char *reduce_fault(first_use *use)
{
    const uint32_t *const keys = use->host;
    uint32_t sum = 0;
    for (size_t i = 0; i < N; ++i)
        sum += keys[i];
    return compare(use, &sum, 1);
}

static xl_status sort_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    return xl_sort_create(ctx, &desc, &plans[0]);
}

static xl_status sort_call(first_use *use)
{
    if (!buffers(use, 4 * N, 4 * N))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_sort_args args = {.n = N, .keys_in = view(use, 0), .keys_out = view(use, 1)};
    return xl_sort_enqueue(use->plans[0], use->queue, &args, 0, NULL, NULL);
}

static const char *sort_fault(first_use *use)
{
    return compare_sorted(use, N, false);
}

static xl_status top_k_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    return xl_top_k_create(ctx, &desc, &plans[0]);
}

static xl_status top_k_call(first_use *use)
{
    if (!buffers(use, 4 * N, 4 * TOP))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_top_k_args args = {
        .n = N, .k = TOP, .keys_in = view(use, 0), .keys_out = view(use, 1)};
    return xl_top_k_enqueue(use->plans[0], use->queue, &args, 0, NULL, NULL);
}

static const char *top_k_fault(first_use *use)
{
    return compare_sorted(use, TOP, true);
}

/* ---- select, histogram, merge ------------------------------------------------------------------- */

static xl_status select_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.predicate = "x > 5";
    return xl_select_create(ctx, &desc, &plans[0]);
}

static xl_status select_call(first_use *use)
{
    use->mem[2] = buffer(use, 8, NULL);
    if (!buffers(use, 4 * N, 4 * N) || !use->mem[2])
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_select_args args = {
        .n = N, .in = view(use, 0), .out = view(use, 1), .count_out = view(use, 2)};
    return xl_select_enqueue(use->plans[0], use->queue, &args, 0, NULL, NULL);
}

static const char *select_fault(first_use *use)
{
    uint32_t *const keys = use->host;
    uint64_t count = 0, got;
    for (size_t i = 0; i < N; ++i)
        if (keys[i] > 5)
            keys[count++] = keys[i];
    if (!read(use, 2, sizeof got, &got) || got != count)
        return "another count than the serial";
    return compare(use, keys, (size_t)count);
}

static xl_status histogram_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.type = XL_U32;
    desc.counter = XL_U32;
    desc.kind = XL_HISTOGRAM_KEYS;
    desc.num_bins = BINS;
    return xl_histogram_create(ctx, &desc, &plans[0]);
}

static xl_status histogram_call(first_use *use)
{
    if (!buffers(use, 4 * N, 4 * BINS))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_histogram_args args = {.n = N, .in = view(use, 0), .bins = view(use, 1)};
    return xl_histogram_enqueue(use->plans[0], use->queue, &args, 0, NULL, NULL);
}

static const char *histogram_fault(first_use *use)
{
    const uint32_t *const keys = use->host;
    uint32_t bins[BINS] = {0};
    for (size_t i = 0; i < N; ++i)
        ++bins[keys[i]];
    return compare(use, bins, BINS);
}

static xl_status merge_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    return xl_merge_create(ctx, &desc, &plans[0]);
}

static xl_status merge_call(first_use *use)
{
    if (!buffers(use, 4 * N, 4 * N))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_merge_args args = {.n_a = HALF,
                                .n_b = N - HALF,
                                .keys_a = view(use, 0),
                                .keys_b = xl_view_of(use->mem[0], HALF),
                                .keys_out = view(use, 1)};
    return xl_merge_enqueue(use->plans[0], use->queue, &args, 0, NULL, NULL);
}

/* ---- neighbours --------------------------------------------------------------------------------- */

static double list_radius(void)
{
    return bench_radius(NEIGHBOURS, N);
}

static xl_status near_plans(xl_context *ctx, uint32_t scalar, const char *visit,
                            xl_plan *plans[FIRST_PLANS])
{
    xl_grid_desc grid;
    xl_neighbors_desc desc;
    xl_grid_desc_init(&grid);
    xl_neighbors_desc_init(&desc);
    grid.space.scalar = scalar;
    grid.cell_size = desc.radius = list_radius();
    desc.visit = visit;
    const xl_status status = xl_grid_create(ctx, &grid, &plans[0]);
    return status == XL_SUCCESS ? xl_neighbors_create(plans[0], &desc, &plans[1]) : status;
}

static xl_status list_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    return near_plans(ctx, XL_F32, NULL, plans);
}

static xl_status list_f64_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    return near_plans(ctx, XL_F64, NULL, plans);
}

/* Sums of 1, so numbers of neighbours. */
static xl_status sums_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    return near_plans(ctx, XL_F32,
                      "float visit(float sum, float distance2, uint i, uint j, float4 params)\n"
                      "{\n"
                      "    return sum + 1.0f;\n"
                      "}\n",
                      plans);
}

static xl_status build(first_use *use)
{
    const xl_grid_build_args args = {.n = N, .points = view(use, 0)};
    const xl_status status = xl_grid_index_create(use->ctx, &use->index);
    return status == XL_SUCCESS
               ? xl_grid_build_enqueue(use->plans[0], use->index, use->queue, &args, 0, NULL, NULL)
               : status;
}

/* Counts and offsets; their number; the list. */
static xl_status list_all(first_use *use, size_t point_bytes)
{
    if (!buffers(use, point_bytes * N, 8 * (N + 1)))
        return XL_ERROR_OUT_OF_MEMORY;
    xl_neighbors_args args = {.offsets = view(use, 1)};
    xl_status status = build(use);
    if (status == XL_SUCCESS)
        status =
            xl_neighbors_count_enqueue(use->plans[1], use->index, use->queue, &args, 0, NULL, NULL);
    if (status != XL_SUCCESS)
        return status;
    if (clEnqueueReadBuffer(use->queue, use->mem[1], CL_TRUE, (size_t)8 * N, 8, &use->count, 0,
                            NULL, NULL) != CL_SUCCESS)
        return XL_ERROR_OPENCL;
    use->mem[2] = buffer(use, 4 * (size_t)use->count + 4, NULL);
    if (!use->mem[2])
        return XL_ERROR_OUT_OF_MEMORY;
    args.indices = view(use, 2);
    args.capacity = use->count;
    return xl_neighbors_fill_enqueue(use->plans[1], use->index, use->queue, &args, 0, NULL, NULL);
}

static xl_status list_call(first_use *use)
{
    return list_all(use, 12);
}

static xl_status list_f64_call(first_use *use)
{
    return list_all(use, 24);
}

static xl_status sums_call(first_use *use)
{
    if (!buffers(use, 12 * N, 4 * N))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_neighbors_args args = {.sums = view(use, 1)};
    const xl_status status = build(use);
    return status == XL_SUCCESS
               ? xl_neighbors_enqueue(use->plans[1], use->index, use->queue, &args, 0, NULL, NULL)
               : status;
}

/* The square of a distance, rounded as the library does it. */
static double distance2(const void *points, bool is_wide, size_t i, size_t j)
{
    const double *const wide = points;
    const float *const narrow = points;
    double sum = 0;
    float narrow_sum = 0;
    for (size_t axis = 0; axis < 3; ++axis)
        if (is_wide) {
            const double d = wide[3 * i + axis] - wide[3 * j + axis];
            sum += d * d;
        } else {
            const float d = narrow[3 * i + axis] - narrow[3 * j + axis];
            narrow_sum += d * d;
        }
    return is_wide ? sum : (double)narrow_sum;
}

/* Whether point i may have this number of neighbours, within a part in a million of the radius either
 * way: sums may be fused here. */
static bool may_have(const first_use *use, bool is_wide, size_t i, uint64_t got)
{
    const double radius2 = list_radius() * list_radius();
    uint64_t least = 0, most = 0;
    for (size_t j = 0; j < N; ++j) {
        least += j != i && distance2(use->host, is_wide, i, j) < radius2 * (1 - 1e-6);
        most += j != i && distance2(use->host, is_wide, i, j) < radius2 * (1 + 1e-6);
    }
    return got >= least && got <= most;
}

/* Some rows. */
static const char *list_rows_fault(first_use *use, bool is_wide)
{
    uint64_t *const offsets = copy(use, 1, 8 * (N + 1));
    const char *why = offsets ? NULL : "no memory";
    for (size_t c = 0; c < CHECKED && !why; ++c) {
        const size_t i = c * (N / CHECKED);
        if (!may_have(use, is_wide, i, offsets[i + 1] - offsets[i]))
            why = "a count differs from the serial";
    }
    free(offsets);
    return why;
}

static const char *sums_fault(first_use *use)
{
    float *const sums = copy(use, 1, 4 * N);
    const char *why = sums ? NULL : "no memory";
    for (size_t c = 0; c < CHECKED && !why; ++c) {
        const size_t i = c * (N / CHECKED);
        if (!(sums[i] >= 0) || !may_have(use, false, i, (uint64_t)sums[i]))
            why = "a sum differs from the serial";
    }
    free(sums);
    return why;
}

static const char *list_fault(first_use *use)
{
    return list_rows_fault(use, false);
}

static const char *list_f64_fault(first_use *use)
{
    return list_rows_fault(use, true);
}

/* The cell is the formula of crosslane/nearest.h. */
static xl_status nearest_create(xl_context *ctx, xl_plan *plans[FIRST_PLANS])
{
    xl_grid_desc grid;
    xl_nearest_desc desc;
    xl_grid_desc_init(&grid);
    xl_nearest_desc_init(&desc);
    desc.k = K;
    const xl_status status = xl_grid_create(ctx, &grid, &plans[0]);
    return status == XL_SUCCESS ? xl_nearest_create(plans[0], &desc, &plans[1]) : status;
}

static xl_status nearest_call(first_use *use)
{
    if (!buffers(use, 12 * N, 4 * K * N))
        return XL_ERROR_OUT_OF_MEMORY;
    const xl_nearest_args args = {.indices = view(use, 1)};
    const xl_status status = build(use);
    return status == XL_SUCCESS
               ? xl_nearest_enqueue(use->plans[1], use->index, use->queue, &args, 0, NULL, NULL)
               : status;
}

/* The last point of a row has K - 1 nearer ones, apart from rounding. */
static const char *nearest_fault(first_use *use)
{
    uint32_t *const indices = copy(use, 1, (size_t)4 * K * N);
    const char *why = indices ? NULL : "no memory";
    for (size_t c = 0; c < CHECKED && !why; ++c) {
        const size_t i = c * (N / CHECKED), last = indices[i * K + K - 1];
        size_t least = 0, most = 0;
        if (last >= N)
            return free(indices), "an index out of range";
        const double limit = distance2(use->host, false, i, last);
        for (size_t j = 0; j < N; ++j) {
            least += j != i && distance2(use->host, false, i, j) < limit * (1 - 1e-6);
            most += j != i && distance2(use->host, false, i, j) < limit * (1 + 1e-6);
        }
        if (least >= K || most < K)
            why = "a row differs from the serial";
    }
    free(indices);
    return why;
}

/* ---- all of them -------------------------------------------------------------------------------- */

const first_case first_cases[] = {
    {"scan", 0, scan_create, scan_call, scan_fault},
    {"reduce", 0, reduce_create, reduce_call, reduce_fault},
    {"sort", 0, sort_create, sort_call, sort_fault},
    {"top-k", 0, top_k_create, top_k_call, top_k_fault},
    {"select", 11, select_create, select_call, select_fault},
    {"histogram", BINS, histogram_create, histogram_call, histogram_fault},
    {"merge", 0, merge_create, merge_call, sort_fault},
    {"list", FIRST_POINTS, list_create, list_call, list_fault},
    {"list f64", FIRST_POINTS_F64, list_f64_create, list_f64_call, list_f64_fault},
    {"sums", FIRST_POINTS, sums_create, sums_call, sums_fault},
    {"16 nearest", FIRST_POINTS, nearest_create, nearest_call, nearest_fault}};
const size_t first_num_cases = sizeof first_cases / sizeof *first_cases;

void first_end_plans(xl_plan *plans[FIRST_PLANS])
{
    for (int k = FIRST_PLANS - 1; k >= 0; --k)
        xl_plan_destroy(plans[k]);
}

void first_end(first_use *use)
{
    xl_grid_index_destroy(use->index);
    for (int k = 0; k < FIRST_BUFFERS; ++k)
        if (use->mem[k])
            clReleaseMemObject(use->mem[k]);
    first_end_plans(use->plans);
}

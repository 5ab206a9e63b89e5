/* SPDX-License-Identifier: MIT
 * Owners of points by intervals of the Morton order with equal weights. The device sorts the points by their
 * codes, by operations that have the same result on all devices, and the ranks search for the borders of the
 * parts in this order. */
#include "mpi_split.h"
#include "points.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct balance {
    xl_mpi *mpi; /* the first member: see xlm_split() */
    cl_command_queue queue;
    const xl_mpi_balance_args *args;
    xlm_points points;
    xlm_survey found;
    float greatest;      /* weight */
    cl_mem codes, order; /* in the Morton order: u64; the points, u32 */
    cl_mem sums; /* u64: the weight of the points up to each one in the order; NULL: 1 each */
    uint64_t *targets, *cuts; /* ranks + 1 */
    double lower[3];          /* of the cubes that codes count; their edges are 2^exponent */
    int exponent;
} balance;

static bool is_weighted(const balance *b)
{
    return b->args->weights.buffer && b->points.n > 0;
}

static xl_status check_finite(xl_mpi *mpi, const xl_space *space)
{
    for (uint32_t a = 0; a < space->dimensions; ++a)
        for (uint32_t b = 0; b < space->dimensions; ++b)
            if (!isfinite(space->origin[a]) || !isfinite(space->cell[a][b]))
                return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT,
                                "args.space.origin[%u], cell[%u][%u]: %g, %g; must be finite",
                                (unsigned)a, (unsigned)a, (unsigned)b, space->origin[a],
                                space->cell[a][b]);
    return XL_SUCCESS;
}

static xl_status check_balance(balance *b, cl_uint num_waits, const cl_event *waits)
{
    const xl_mpi_balance_args *const args = b->args;
    if (!args || !args->space)
        return xlm_fail(b->mpi, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        args ? "args.space" : "args");
    xl_status status = xlm_check_queue(b->mpi, b->queue, num_waits, waits);
    if (status == XL_SUCCESS)
        status = xlm_check_space(b->mpi, args->space);
    if (status == XL_SUCCESS)
        status = check_finite(b->mpi, args->space);
    if (status == XL_SUCCESS)
        status =
            xlm_points_check(b->mpi, "args.space", args->space->dimensions, args->space->scalar,
                             args->stride, args->n, &args->points, &b->points);
    if (status == XL_SUCCESS)
        status = xlm_points_check_owners(b->mpi, &b->points, &args->points, &args->owners);
    if (status == XL_SUCCESS && args->weights.buffer)
        status = xlm_check_view(b->mpi, "args.weights", &args->weights, args->n, sizeof(float));
    if (status == XL_SUCCESS)
        status = xlm_check_apart(b->mpi, "args.weights", &args->weights, args->n, sizeof(float),
                                 "args.owners", &args->owners, args->n, sizeof(uint32_t));
    return status;
}

/* COLLECTIVE. */
static xl_status compare_space(xl_mpi *mpi, xl_status mine, const xl_space *given)
{
    xlm_value values[XLM_SPACE_VALUES];
    xlm_space_values(given, values);
    return xlm_same(mpi, mine, values, XLM_SPACE_VALUES);
}

static xl_status reserve_balance(balance *b)
{
    xl_mpi *const mpi = b->mpi;
    const size_t n = b->points.n, length = (size_t)mpi->size + 1;
    xl_status status = xlm_alloc(mpi, length, sizeof *b->targets, &b->targets);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, length, sizeof *b->cuts, &b->cuts);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, n * sizeof(cl_ulong), &b->codes);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, n * sizeof(cl_uint), &b->order);
    if (status == XL_SUCCESS && is_weighted(b))
        status = xlm_buffer(mpi, n * sizeof(cl_ulong), &b->sums);
    return status;
}

static void release_balance(balance *b)
{
    xlm_release(b->codes);
    xlm_release(b->order);
    xlm_release(b->sums);
    free(b->targets);
    free(b->cuts);
}

static xl_status run(const balance *b, const char *kernel, const xlm_argument *arguments,
                     size_t count, uint64_t n)
{
    return xlm_run(b->mpi, b->queue, b->mpi->program, kernel, arguments, count, 0, n);
}

/* Finds the greatest weight, and the lowest index of one that is refused. */
static xl_status survey_weights(balance *b, cl_uint *lowest)
{
    enum { MOST = 1 << 14 }; /* work-items */
    xl_mpi *const mpi = b->mpi;
    const xl_view *const view = &b->args->weights;
    const cl_ulong n = b->points.n, at = view->offset;
    struct {
        cl_uint lowest;
        float greatest;
    } found = {XLM_NO_INDEX, 0};
    cl_mem device = NULL;
    *lowest = found.lowest;
    if (!is_weighted(b))
        return XL_SUCCESS;
    xl_status status = xlm_buffer_of(mpi, sizeof found, &found, &device);
    const xlm_argument all[] = {{sizeof n, &n},
                                {sizeof view->buffer, &view->buffer},
                                {sizeof at, &at},
                                {sizeof device, &device}};
    if (status == XL_SUCCESS)
        status = run(b, "survey_weights", all, sizeof all / sizeof all[0], n < MOST ? n : MOST);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, b->queue, device, 0, sizeof found, &found, 0, NULL);
    xlm_release(device);
    *lowest = found.lowest;
    b->greatest = found.greatest;
    return status;
}

static xl_status refuse_point(const balance *b, size_t i)
{
    double p[3];
    uint32_t a = 0;
    const xl_status status = xlm_points_at(b->mpi, b->queue, &b->points, &b->args->points, i, p);
    while (a < 2 && isfinite(p[a]))
        ++a;
    return status == XL_SUCCESS
               ? xlm_fail(b->mpi, XL_ERROR_NON_FINITE,
                          "args.points: coordinate %u of point %zu is %g; must be finite",
                          (unsigned)a, i, p[a])
               : status;
}

static xl_status refuse_weight(const balance *b, size_t i)
{
    const xl_view *const view = &b->args->weights;
    float weight;
    const xl_status status =
        xlm_read(b->mpi, b->queue, view->buffer, (view->offset + i) * sizeof weight, sizeof weight,
                 &weight, 0, NULL);
    return status == XL_SUCCESS
               ? xlm_fail(b->mpi, XL_ERROR_INVALID_ARGUMENT,
                          "args.weights: %g of point %zu; must be finite and at least 0",
                          (double)weight, i)
               : status;
}

/* Local. The first point that has a coordinate or a weight that is refused decides. */
static xl_status check_values(balance *b)
{
    static const double lower[3] = {-INFINITY, -INFINITY, -INFINITY},
                        upper[3] = {INFINITY, INFINITY, INFINITY};
    cl_uint weight;
    xl_status status =
        xlm_points_survey(b->mpi, b->queue, &b->points, &b->args->points, lower, upper, &b->found);
    if (status == XL_SUCCESS)
        status = survey_weights(b, &weight);
    if (status != XL_SUCCESS || (b->found.lowest == XLM_NO_INDEX && weight == XLM_NO_INDEX))
        return status;
    return b->found.lowest <= weight ? refuse_point(b, b->found.lowest) : refuse_weight(b, weight);
}

/* The smallest box with edges along the axes that contains the cell. */
static void box_of_cell(const xl_space *space, double lower[3], double upper[3])
{
    for (uint32_t a = 0; a < space->dimensions; ++a) {
        lower[a] = upper[a] = space->origin[a];
        for (uint32_t v = 0; v < space->dimensions; ++v) {
            lower[a] += fmin(space->cell[v][a], 0);
            upper[a] += fmax(space->cell[v][a], 0);
        }
    }
}

/* COLLECTIVE. The smallest box that contains the points of all ranks. */
static xl_status box_of_points(const balance *b, double lower[3], double upper[3])
{
    double most[6];
    for (int a = 0; a < 3; ++a) {
        most[a] = -b->found.lower[a];
        most[3 + a] = b->found.upper[a];
    }
    const int code = MPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, b->mpi->comm);
    for (int a = 0; a < 3; ++a) {
        lower[a] = -most[a];
        upper[a] = most[3 + a];
    }
    return xlm_mpi(b->mpi, code, "MPI_Allreduce");
}

static unsigned bits_of(uint32_t dimensions)
{
    return dimensions == 3 ? 21 : 32;
}

/* COLLECTIVE. The cubes of crosslane/morton.h: the longest side, rounded up to a power of two, has
 * 2^bits of them. */
static xl_status find_cubes(balance *b)
{
    const xl_space *const space = b->args->space;
    double upper[3], longest = 0;
    xl_status status = XL_SUCCESS;
    int exponent = 0;
    if (space->bounds == XL_BOUNDS_FOUND)
        status = box_of_points(b, b->lower, upper);
    else
        box_of_cell(space, b->lower, upper);
    for (uint32_t a = 0; a < space->dimensions; ++a) {
        longest = fmax(longest, upper[a] - b->lower[a]);
        b->lower[a] = space->scalar == XL_F32 ? (double)(float)b->lower[a] : b->lower[a];
    }
    if (frexp(longest, &exponent) == .5)
        --exponent; /* a power of two */
    b->exponent = longest > 0 ? exponent - (int)bits_of(space->dimensions) : 0;
    return status;
}

/* Codes are those of crosslane/morton.h: x in the lowest bit. */
static xl_status launch_codes(const balance *b)
{
    const cl_int exponent = b->exponent;
    const cl_uint bits = bits_of(b->points.dimensions);
    const xlm_reals low = xlm_reals_of(&b->points, b->lower);
    const xlm_argument own[] = {xlm_real_argument(&b->points, &low, true),
                                {sizeof exponent, &exponent},
                                {sizeof bits, &bits},
                                {sizeof b->codes, &b->codes}};
    return xlm_points_launch_over(b->mpi, b->queue, &b->points, &b->args->points, "code", own,
                                  sizeof own / sizeof own[0]);
}

/* Fills codes and order. */
static xl_status sort_points(const balance *b)
{
    xl_mpi *const mpi = b->mpi;
    const xl_sort_args args = {.n = b->points.n,
                               .keys_in = xl_view_of(b->codes, 0),
                               .keys_out = xl_view_of(b->codes, 0),
                               .values_out = xl_view_of(b->order, 0)};
    xl_status status = launch_codes(b);
    if (status == XL_SUCCESS)
        status = xlm_core(
            mpi, xl_sort_enqueue(mpi->plans[XLM_SORT_CODES], b->queue, &args, 0, NULL, NULL));
    return status == XL_SUCCESS ? xlm_order(mpi, b->queue) : status;
}

/* Fills sums. Weights become integers, so that sums do not depend on their order: weight * 2^scale, rounded
 * down. One is added to each, so that points of weight 0 are divided, too. */
static xl_status sum_weights(const balance *b, int scale)
{
    xl_mpi *const mpi = b->mpi;
    const xl_view *const view = &b->args->weights;
    const cl_ulong n = b->points.n, at = view->offset;
    const cl_int log = scale;
    const xlm_argument all[] = {
        {sizeof n, &n},   {sizeof b->order, &b->order}, {sizeof view->buffer, &view->buffer},
        {sizeof at, &at}, {sizeof log, &log},           {sizeof b->sums, &b->sums}};
    const xl_scan_args scan = {
        .n = b->points.n, .in = xl_view_of(b->sums, 0), .out = xl_view_of(b->sums, 0)};
    xl_status status = run(b, "weigh", all, sizeof all / sizeof all[0], n);
    if (status == XL_SUCCESS)
        status =
            xlm_core(mpi, xl_scan_enqueue(mpi->plans[XLM_SUMS], b->queue, &scan, 0, NULL, NULL));
    return status == XL_SUCCESS ? xlm_order(mpi, b->queue) : status;
}

/* COLLECTIVE; the result is local. Parts of a power of two above the greatest weight. */
static xl_status find_scale(const balance *b, int *scale)
{
    uint64_t total = b->points.n;
    float greatest = b->greatest;
    int exponent, bits = 0;
    int code = MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, b->mpi->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_FLOAT, MPI_MAX, b->mpi->comm);
    while (bits < 62 && total >> bits > 0)
        ++bits;
    (void)frexpf(greatest, &exponent);
    *scale = (62 - bits < 30 ? 62 - bits : 30) - exponent; /* the sum of all is at most 2^62 */
    return xlm_mpi(b->mpi, code, "MPI_Allreduce");
}

/* ---- the search for the borders of the parts ------------------------------------------------ */

/* Lower bounds of `count` queries among sorted numbers of this rank's points. */
static xl_status search(const balance *b, cl_mem sorted, size_t count, const uint64_t *queries,
                        uint64_t *at)
{
    xl_mpi *const mpi = b->mpi;
    cl_mem device = NULL, found = NULL;
    cl_uint *places = NULL;
    xl_status status = xlm_alloc(mpi, count, sizeof *places, &places);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, count * sizeof *queries, queries, &device);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, count * sizeof *places, &found);
    const xl_search_args args = {.n = b->points.n,
                                 .num_queries = count,
                                 .keys = xl_view_of(sorted, 0),
                                 .queries = xl_view_of(device, 0),
                                 .indices_out = xl_view_of(found, 0)};
    if (status == XL_SUCCESS)
        status = xlm_core(
            mpi, xl_search_enqueue(mpi->plans[XLM_SEARCH], b->queue, &args, 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_order(mpi, b->queue);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, b->queue, found, 0, count * sizeof *places, places, 0, NULL);
    for (size_t k = 0; k < count && status == XL_SUCCESS; ++k)
        at[k] = places[k];
    xlm_release(device);
    xlm_release(found);
    free(places);
    return status;
}

/* xl_split_args.find */
static xl_status find_codes(void *user, size_t count, const uint64_t *codes, uint64_t *at)
{
    const balance *const b = user;
    return search(b, b->codes, count, codes, at);
}

/* xl_split_args.weigh */
static xl_status weigh(void *user, size_t count, const uint64_t *at, uint64_t *weights)
{
    const balance *const b = user;
    const cl_ulong n = count;
    const size_t bytes = count * sizeof *at;
    cl_mem from = NULL, to = NULL;
    xl_status status = xlm_buffer_of(b->mpi, bytes, at, &from);
    if (status == XL_SUCCESS)
        status = xlm_buffer(b->mpi, bytes, &to);
    const xlm_argument all[] = {
        {sizeof n, &n}, {sizeof from, &from}, {sizeof b->sums, &b->sums}, {sizeof to, &to}};
    if (status == XL_SUCCESS)
        status = run(b, "weight_before", all, sizeof all / sizeof all[0], n);
    if (status == XL_SUCCESS)
        status = xlm_read(b->mpi, b->queue, to, 0, bytes, weights, 0, NULL);
    xlm_release(from);
    xlm_release(to);
    return status;
}

/* xl_split_args.find_weight. sums[i] is the weight before point i + 1. */
static xl_status find_weight(void *user, size_t count, const uint64_t *weights, uint64_t *at)
{
    const balance *const b = user;
    const xl_status status = search(b, b->sums, count, weights, at);
    for (size_t k = 0; k < count && status == XL_SUCCESS; ++k)
        at[k] = weights[k] == 0 ? 0 : at[k] < b->points.n ? at[k] + 1 : b->points.n;
    return status;
}

/* The weight of this rank's points. */
static xl_status find_total(const balance *b, uint64_t *weight)
{
    const uint64_t n = b->points.n;
    *weight = n;
    return b->sums && n > 0 ? xlm_read(b->mpi, b->queue, b->sums, (size_t)(n - 1) * sizeof *weight,
                                       sizeof *weight, weight, 0, NULL)
                            : XL_SUCCESS;
}

/* COLLECTIVE; agreed. */
static xl_status divide(balance *b)
{
    xl_mpi *const mpi = b->mpi;
    uint64_t weight;
    const xl_status mine = find_total(b, &weight);
    const xl_status sizes = xlm_sizes(mpi, weight, b->cuts); /* until they are known */
    for (int r = 0; r <= mpi->size; ++r)
        b->targets[r] = xlm_even_target(b->cuts[mpi->size], r, mpi->size);
    const xl_split_args split = {.n = b->points.n,
                                 .code_bits = 64,
                                 .targets = b->targets,
                                 .user = b,
                                 .find = find_codes,
                                 .weigh = b->sums ? weigh : NULL,
                                 .find_weight = b->sums ? find_weight : NULL,
                                 .cuts = b->cuts};
    const xl_status status = xlm_agree(mpi, mine == XL_SUCCESS ? sizes : mine);
    return status == XL_SUCCESS ? xlm_split(mpi, &split) : status;
}

static xl_status assign_owners(const balance *b)
{
    xl_mpi *const mpi = b->mpi;
    const xl_view *const view = &b->args->owners;
    const cl_ulong n = b->points.n, at = view->offset;
    const cl_uint ranks = (cl_uint)mpi->size;
    cl_mem cuts = NULL;
    xl_status status = xlm_buffer_of(mpi, (ranks + 1) * sizeof *b->cuts, b->cuts, &cuts);
    const xlm_argument all[] = {
        {sizeof n, &n},       {sizeof b->order, &b->order},         {sizeof ranks, &ranks},
        {sizeof cuts, &cuts}, {sizeof view->buffer, &view->buffer}, {sizeof at, &at}};
    if (status == XL_SUCCESS && n > 0)
        status = run(b, "assign", all, sizeof all / sizeof all[0], n);
    if (status == XL_SUCCESS)
        status = xlm_finish(mpi, b->queue);
    xlm_release(cuts);
    return status;
}

/* ---- the steps of a balance ----------------------------------------------------------------- */

/* COLLECTIVE. Whether a rank gives weights. Ranks with points must all give them or not. */
static xl_status compare_weights(const balance *b, bool *weighted)
{
    xl_mpi *const mpi = b->mpi;
    const bool mine = is_weighted(b);
    int first[2] = {mpi->size, mpi->size}; /* ranks with points and no weights, and with weights */
    if (b->points.n > 0)
        first[mine] = mpi->rank;
    const xl_status status = xlm_mpi(
        mpi, MPI_Allreduce(MPI_IN_PLACE, first, 2, MPI_INT, MPI_MIN, mpi->comm), "MPI_Allreduce");
    *weighted = first[true] < mpi->size;
    if (status == XL_SUCCESS && b->points.n > 0 && first[!mine] < mpi->size)
        return xlm_fail(mpi, XL_ERROR_INVALID_ARGUMENT, "args.weights: %s; on rank %d it is %s",
                        mine ? "given" : "not given", first[!mine], mine ? "not given" : "given");
    return status;
}

/* COLLECTIVE, agreed. Programs and plans. */
static xl_status build(balance *b)
{
    static const xlm_core_plan plans[] = {XLM_SORT_CODES, XLM_SEARCH, XLM_SUMS};
    bool weighted;
    xl_status status = xlm_agree(b->mpi, compare_weights(b, &weighted));
    if (status == XL_SUCCESS)
        status = xlm_build(b->mpi);
    if (status == XL_SUCCESS)
        status = xlm_points_build(b->mpi, "args.space", &b->points);
    for (int k = 0; k < (weighted ? 3 : 2) && status == XL_SUCCESS; ++k)
        status = xlm_core_plan_once(b->mpi, plans[k]);
    return status;
}

/* COLLECTIVE; agreed. */
static xl_status run_balance(balance *b)
{
    int scale = 0;
    xl_status status = build(b);
    if (status == XL_SUCCESS)
        status = xlm_agree(b->mpi, check_values(b));
    if (status != XL_SUCCESS)
        return status;
    status = find_cubes(b);
    const xl_status scaled = find_scale(b, &scale);
    if (status == XL_SUCCESS)
        status = scaled;
    if (status == XL_SUCCESS && b->points.n > 0)
        status = sort_points(b);
    if (status == XL_SUCCESS && is_weighted(b))
        status = sum_weights(b, scale);
    status = xlm_agree(b->mpi, status);
    if (status == XL_SUCCESS)
        status = divide(b);
    return status == XL_SUCCESS ? xlm_agree(b->mpi, assign_owners(b)) : status;
}

xl_status xl_mpi_balance(xl_mpi *mpi, cl_command_queue queue, const xl_mpi_balance_args *args,
                         cl_uint num_waits, const cl_event *waits)
{
    balance b = {.mpi = mpi, .queue = queue, .args = args};
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    xl_status status = check_balance(&b, num_waits, waits);
    status = compare_space(mpi, status, args ? args->space : NULL);
    if (status == XL_SUCCESS)
        status = reserve_balance(&b);
    if (status == XL_SUCCESS)
        status = xlm_wait(mpi, num_waits, waits);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = run_balance(&b);
    release_balance(&b);
    return status;
}

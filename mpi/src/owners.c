/* SPDX-License-Identifier: MIT
 * Owners of points: intervals of the Morton order with equal weights, or the boxes of the ranks. The device
 * sorts the points by their codes, by operations that have the same result on all devices. The host does
 * the rest. */
#include "points.h"
#include "splitters.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xl_status write_owners(xl_mpi *mpi, cl_command_queue queue, const xl_view *view,
                              const uint32_t *owners, size_t n)
{
    return xlm_write(mpi, queue, view->buffer, view->offset * sizeof *owners, n * sizeof *owners,
                     owners);
}

/* ---- balance ------------------------------------------------------------------------------- */

typedef struct balance {
    xl_mpi *mpi;
    cl_command_queue queue;
    const xl_mpi_balance_args *args;
    xlm_points points;
    float *weights;           /* NULL: 1 each */
    uint64_t *codes;          /* in the Morton order */
    uint32_t *order;          /* the points in it */
    uint64_t *sums;           /* n + 1: the weight of the points before each one in the order */
    uint64_t *targets, *cuts; /* ranks + 1 */
    uint32_t *owners;
    double lower[3]; /* of the cubes that codes count; their edges are 2^exponent */
    int exponent;
} balance;

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
        status = xlm_check_view(b->mpi, "args.owners", &args->owners, args->n, sizeof(uint32_t));
    if (status == XL_SUCCESS && args->weights.buffer)
        status = xlm_check_view(b->mpi, "args.weights", &args->weights, args->n, sizeof(float));
    return status;
}

/* COLLECTIVE. */
static xl_status compare_space(xl_mpi *mpi, xl_status mine, const xl_space *given)
{
    const xl_space space = given ? *given : (xl_space){0};
    uint64_t box[12];
    memcpy(box, space.origin, sizeof space.origin);
    memcpy(box + 3, space.cell, sizeof space.cell);
    const xlm_value values[] = {{"args.space.dimensions", space.dimensions},
                                {"args.space.scalar", space.scalar},
                                {"args.space.bounds", space.bounds},
                                {"args.space.periodic", space.periodic},
                                {"args.space.origin", xlm_hash(box, 3 * sizeof box[0])},
                                {"args.space.cell", xlm_hash(box + 3, 9 * sizeof box[0])}};
    return xlm_same(mpi, mine, values, sizeof values / sizeof values[0]);
}

static xl_status reserve_balance(balance *b)
{
    xl_mpi *const mpi = b->mpi;
    const size_t n = b->points.n, length = (size_t)mpi->size + 1;
    const struct {
        size_t count, bytes;
        void *pointer;
    } wanted[] = {{n, sizeof(uint64_t), &b->codes},        {n, sizeof(uint32_t), &b->order},
                  {n + 1, sizeof(uint64_t), &b->sums},     {n, sizeof(uint32_t), &b->owners},
                  {length, sizeof(uint64_t), &b->targets}, {length, sizeof(uint64_t), &b->cuts},
                  {n, sizeof(float), &b->weights}};
    const size_t count = sizeof wanted / sizeof wanted[0] - (b->args->weights.buffer ? 0 : 1);
    xl_status status = XL_SUCCESS;
    for (size_t i = 0; i < count && status == XL_SUCCESS; ++i)
        status = xlm_alloc(mpi, wanted[i].count, wanted[i].bytes, wanted[i].pointer);
    return status;
}

static void release_balance(balance *b)
{
    void *const memory[] = {b->points.data, b->codes,   b->order, b->sums,
                            b->owners,      b->targets, b->cuts,  b->weights};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i)
        free(memory[i]);
}

static xl_status check_values(const balance *b)
{
    for (size_t i = 0; i < b->points.n; ++i) {
        for (uint32_t a = 0; a < b->points.dimensions; ++a)
            if (!isfinite(xlm_coordinate(&b->points, i, a)))
                return xlm_fail(b->mpi, XL_ERROR_NON_FINITE,
                                "args.points: coordinate %u of point %zu is %g; must be finite",
                                (unsigned)a, i, xlm_coordinate(&b->points, i, a));
        if (b->weights && !(isfinite(b->weights[i]) && b->weights[i] >= 0))
            return xlm_fail(b->mpi, XL_ERROR_INVALID_ARGUMENT,
                            "args.weights: %g of point %zu; must be finite and at least 0",
                            (double)b->weights[i], i);
    }
    return XL_SUCCESS;
}

/* Local. */
static xl_status read_points(balance *b, cl_uint num_waits, const cl_event *waits)
{
    const xl_mpi_balance_args *const args = b->args;
    xl_status status =
        xlm_points_read(b->mpi, b->queue, &args->points, &b->points, num_waits, waits);
    if (status == XL_SUCCESS && b->weights)
        status =
            xlm_read(b->mpi, b->queue, args->weights.buffer, args->weights.offset * sizeof(float),
                     args->n * sizeof(float), b->weights, num_waits, waits);
    return status == XL_SUCCESS ? check_values(b) : status;
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
    for (int k = 0; k < 6; ++k)
        most[k] = -INFINITY;
    for (size_t i = 0; i < b->points.n; ++i)
        for (uint32_t a = 0; a < b->points.dimensions; ++a) {
            const double x = xlm_coordinate(&b->points, i, a);
            most[a] = fmax(most[a], -x);
            most[3 + a] = fmax(most[3 + a], x);
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
static xl_status launch_codes(const balance *b, cl_mem codes)
{
    const cl_int exponent = b->exponent;
    const cl_uint bits = bits_of(b->points.dimensions);
    const xlm_reals low = xlm_reals_of(&b->points, b->lower);
    const xlm_argument own[] = {xlm_real_argument(&b->points, &low, true),
                                {sizeof exponent, &exponent},
                                {sizeof bits, &bits},
                                {sizeof codes, &codes}};
    return xlm_points_launch_over(b->mpi, b->queue, &b->points, &b->args->points, "code", own,
                                  sizeof own / sizeof own[0]);
}

/* Fills codes and order. */
static xl_status sort_points(balance *b)
{
    xl_mpi *const mpi = b->mpi;
    const size_t n = b->points.n, code_bytes = n * sizeof *b->codes,
                 order_bytes = n * sizeof *b->order;
    cl_mem codes = NULL, order = NULL;
    cl_event sorted = NULL;
    xl_status status = xlm_buffer(mpi, code_bytes, &codes);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, order_bytes, &order);
    if (status == XL_SUCCESS)
        status = launch_codes(b, codes);
    const xl_sort_args args = {.n = n,
                               .keys_in = xl_view_of(codes, 0),
                               .keys_out = xl_view_of(codes, 0),
                               .values_out = xl_view_of(order, 0)};
    if (status == XL_SUCCESS)
        status = xlm_core(
            mpi, xl_sort_enqueue(mpi->plans[XLM_SORT_CODES], b->queue, &args, 0, NULL, &sorted));
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, b->queue, codes, 0, code_bytes, b->codes, 1, &sorted);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, b->queue, order, 0, order_bytes, b->order, 1, &sorted);
    if (sorted)
        clReleaseEvent(sorted);
    xlm_release(codes);
    xlm_release(order);
    return status;
}

/* COLLECTIVE, also for a rank whose points could not be sorted. Weights as integers, so that sums do not
 * depend on their order: parts of a power of two above the greatest weight. One is added to each, so that
 * points of weight 0 are divided, too. */
static xl_status sum_weights(balance *b, bool sorted)
{
    uint64_t total = b->points.n;
    float greatest = 0;
    int exponent, bits = 0;
    int code = MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UINT64_T, MPI_SUM, b->mpi->comm);
    for (size_t i = 0; b->weights && i < b->points.n; ++i)
        greatest = fmaxf(greatest, b->weights[i]);
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_FLOAT, MPI_MAX, b->mpi->comm);
    while (bits < 62 && total >> bits > 0)
        ++bits;
    const int scale = 62 - bits < 30 ? 62 - bits : 30; /* the sum of all is at most 2^62 */
    (void)frexpf(greatest, &exponent);
    b->sums[0] = 0;
    for (size_t i = 0; i < b->points.n && sorted; ++i) {
        const double weight = b->weights ? (double)b->weights[b->order[i]] : 0;
        b->sums[i + 1] = b->sums[i] + 1 + (uint64_t)ldexp(weight, scale - exponent);
    }
    return xlm_mpi(b->mpi, code, "MPI_Allreduce");
}

static uint64_t code_in_order(const void *user, uint64_t i)
{
    return ((const balance *)user)->codes[i];
}

/* COLLECTIVE; agreed. */
static xl_status divide(balance *b)
{
    xl_mpi *const mpi = b->mpi;
    const xlm_sorted sorted = {b->points.n, code_in_order, b, b->sums};
    xl_status status = xlm_sizes(mpi, b->sums[b->points.n], b->cuts); /* until they are known */
    for (int r = 0; r <= mpi->size; ++r)
        b->targets[r] = xlm_even_target(b->cuts[mpi->size], r, mpi->size);
    status = xlm_agree(mpi, status);
    return status == XL_SUCCESS ? xlm_split(mpi, &sorted, mpi->size, b->targets, b->cuts) : status;
}

static void assign_owners(const balance *b)
{
    for (int r = 0; r < b->mpi->size; ++r)
        for (uint64_t i = b->cuts[r]; i < b->cuts[r + 1]; ++i)
            b->owners[b->order[i]] = (uint32_t)r;
}

/* COLLECTIVE; agreed. */
static xl_status run_balance(balance *b, cl_uint num_waits, const cl_event *waits)
{
    xl_status status = xlm_agree(b->mpi, read_points(b, num_waits, waits));
    if (status == XL_SUCCESS)
        status = xlm_points_build(b->mpi, &b->points);
    if (status == XL_SUCCESS)
        status = xlm_core_plan_once(b->mpi, XLM_SORT_CODES);
    if (status != XL_SUCCESS)
        return status;
    status = find_cubes(b);
    if (status == XL_SUCCESS && b->points.n > 0)
        status = sort_points(b);
    const xl_status weights = sum_weights(b, status == XL_SUCCESS);
    status = xlm_agree(b->mpi, status == XL_SUCCESS ? weights : status);
    if (status == XL_SUCCESS)
        status = divide(b);
    if (status != XL_SUCCESS)
        return status;
    assign_owners(b);
    return xlm_agree(b->mpi,
                     write_owners(b->mpi, b->queue, &b->args->owners, b->owners, b->points.n));
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
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = run_balance(&b, num_waits, waits);
    release_balance(&b);
    return status;
}

/* ---- boxes --------------------------------------------------------------------------------- */

typedef struct rank_box {
    double lower[3], upper[3];
} rank_box;

typedef struct boxes {
    xl_mpi *mpi;
    cl_command_queue queue;
    const xl_mpi_boxes_args *args;
    xlm_points points;
    rank_box *boxes; /* of each rank */
    uint32_t *near;  /* ranks whose boxes this rank's points may be in */
    uint32_t num_near;
    uint32_t *owners;
} boxes;

static xl_status check_boxes(boxes *b, cl_uint num_waits, const cl_event *waits)
{
    const xl_mpi_boxes_args *const args = b->args;
    if (!args)
        return xlm_fail(b->mpi, XL_ERROR_INVALID_ARGUMENT, "args: NULL");
    xl_status status = xlm_check_queue(b->mpi, b->queue, num_waits, waits);
    if (status == XL_SUCCESS)
        status = xlm_points_check(b->mpi, "args", args->dimensions, args->scalar, args->stride,
                                  args->n, &args->points, &b->points);
    if (status == XL_SUCCESS)
        status = xlm_check_view(b->mpi, "args.owners", &args->owners, args->n, sizeof(uint32_t));
    for (uint32_t a = 0; a < b->points.dimensions && status == XL_SUCCESS; ++a)
        if (isnan(args->lower[a]) || isnan(args->upper[a]))
            status = xlm_fail(b->mpi, XL_ERROR_INVALID_ARGUMENT,
                              "args.lower[%u], args.upper[%u]: %g, %g; must be numbers",
                              (unsigned)a, (unsigned)a, args->lower[a], args->upper[a]);
    return status;
}

static xl_status reserve_boxes(boxes *b)
{
    const size_t size = (size_t)b->mpi->size;
    xl_status status = xlm_alloc(b->mpi, size, sizeof *b->boxes, &b->boxes);
    if (status == XL_SUCCESS)
        status = xlm_alloc(b->mpi, size, sizeof *b->near, &b->near);
    if (status == XL_SUCCESS)
        status = xlm_alloc(b->mpi, b->points.n, sizeof *b->owners, &b->owners);
    return status;
}

/* COLLECTIVE; the result is local. */
static xl_status gather_boxes(boxes *b)
{
    rank_box mine;
    memcpy(mine.lower, b->args->lower, sizeof mine.lower);
    memcpy(mine.upper, b->args->upper, sizeof mine.upper);
    return xlm_mpi(b->mpi,
                   MPI_Allgather(&mine, 6, MPI_DOUBLE, b->boxes, 6, MPI_DOUBLE, b->mpi->comm),
                   "MPI_Allgather");
}

/* The ranks whose boxes meet the box of this rank's points. */
static void find_near(boxes *b)
{
    rank_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const uint32_t dimensions = b->points.dimensions;
    for (size_t i = 0; i < b->points.n; ++i)
        for (uint32_t a = 0; a < dimensions; ++a) {
            all.lower[a] = fmin(all.lower[a], xlm_coordinate(&b->points, i, a));
            all.upper[a] = fmax(all.upper[a], xlm_coordinate(&b->points, i, a));
        }
    for (int r = 0; r < b->mpi->size; ++r) {
        bool meets = true;
        for (uint32_t a = 0; a < dimensions; ++a)
            meets = meets && b->boxes[r].lower[a] <= all.upper[a] &&
                    all.lower[a] < b->boxes[r].upper[a];
        if (meets)
            b->near[b->num_near++] = (uint32_t)r;
    }
}

static bool contains(const rank_box *box, const xlm_points *points, size_t i)
{
    for (uint32_t a = 0; a < points->dimensions; ++a) {
        const double x = xlm_coordinate(points, i, a);
        if (!(box->lower[a] <= x && x < box->upper[a]))
            return false;
    }
    return true;
}

static xl_status fail_outside(const boxes *b, size_t i)
{
    char text[128] = "";
    size_t length = 0;
    for (uint32_t a = 0; a < b->points.dimensions; ++a)
        length += (size_t)snprintf(text + length, sizeof text - length, a ? ", %.9g" : "%.9g",
                                   xlm_coordinate(&b->points, i, a));
    return xlm_fail(b->mpi, XL_ERROR_OUT_OF_DOMAIN,
                    "args.points: point %zu is (%s); must be in the box of a rank", i, text);
}

/* Local. */
static xl_status find_owners(boxes *b)
{
    find_near(b);
    for (size_t i = 0; i < b->points.n; ++i) {
        uint32_t k = 0;
        while (k < b->num_near && !contains(&b->boxes[b->near[k]], &b->points, i))
            ++k;
        if (k == b->num_near)
            return fail_outside(b, i);
        b->owners[i] = b->near[k];
    }
    return XL_SUCCESS;
}

/* COLLECTIVE; agreed. */
static xl_status run_boxes(boxes *b, cl_uint num_waits, const cl_event *waits)
{
    const xl_view *const owners = &b->args->owners;
    xl_status status = gather_boxes(b);
    if (status == XL_SUCCESS)
        status = xlm_points_read(b->mpi, b->queue, &b->args->points, &b->points, num_waits, waits);
    if (status == XL_SUCCESS)
        status = find_owners(b);
    status = xlm_agree(b->mpi, status);
    return status == XL_SUCCESS
               ? xlm_agree(b->mpi, write_owners(b->mpi, b->queue, owners, b->owners, b->points.n))
               : status;
}

xl_status xl_mpi_owners_by_box(xl_mpi *mpi, cl_command_queue queue, const xl_mpi_boxes_args *args,
                               cl_uint num_waits, const cl_event *waits)
{
    boxes b = {.mpi = mpi, .queue = queue, .args = args};
    if (!mpi)
        return XL_ERROR_INVALID_ARGUMENT;
    const xlm_value values[] = {{"args.dimensions", args ? args->dimensions : 0},
                                {"args.scalar", args ? args->scalar : 0}};
    xl_status status = xlm_same(mpi, check_boxes(&b, num_waits, waits), values, 2);
    if (status == XL_SUCCESS)
        status = reserve_boxes(&b);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = run_boxes(&b, num_waits, waits);
    free(b.points.data);
    free(b.boxes);
    free(b.near);
    free(b.owners);
    return status;
}

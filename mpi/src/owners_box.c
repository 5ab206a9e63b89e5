/* SPDX-License-Identifier: MIT
 * Owners of points by the boxes of the ranks, which the device compares with the points. */
#include "points.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rank_box {
    double lower[3], upper[3];
} rank_box;

typedef struct boxes {
    xl_mpi *mpi;
    cl_command_queue queue;
    const xl_mpi_boxes_args *args;
    xlm_points points;
    rank_box *boxes; /* of each rank */
    /* The boxes in which this rank's points may be: their ranks, ascending, and their corners, two vectors of
     * the points' scalar each. */
    cl_uint num_near, *near;
    unsigned char *corners;
    cl_mem owners; /* the result, until all ranks have one */
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
        status = xlm_points_check_owners(b->mpi, &b->points, &args->points, &args->owners);
    for (uint32_t a = 0; a < b->points.dimensions && status == XL_SUCCESS; ++a)
        if (isnan(args->lower[a]) || isnan(args->upper[a]))
            status = xlm_fail(b->mpi, XL_ERROR_INVALID_ARGUMENT,
                              "args.lower[%u], args.upper[%u]: %g, %g; must be numbers",
                              (unsigned)a, (unsigned)a, args->lower[a], args->upper[a]);
    return status;
}

static size_t corner_bytes(const boxes *b)
{
    return 4 * b->points.scalar_bytes;
}

static xl_status reserve_boxes(boxes *b)
{
    const size_t size = (size_t)b->mpi->size;
    xl_status status = xlm_alloc(b->mpi, size, sizeof *b->boxes, &b->boxes);
    if (status == XL_SUCCESS)
        status = xlm_alloc(b->mpi, size, sizeof *b->near, &b->near);
    if (status == XL_SUCCESS)
        status = xlm_alloc(b->mpi, 2 * size, corner_bytes(b), &b->corners);
    if (status == XL_SUCCESS)
        status = xlm_buffer(b->mpi, b->points.n * sizeof(cl_uint), &b->owners);
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

/* The least number of the points' scalar that is not below x. A scalar is below both or neither. */
static double round_up(const boxes *b, double x)
{
    const float narrow = (float)x;
    return xlm_points_are_wide(&b->points) ? x
           : (double)narrow < x            ? (double)nextafterf(narrow, INFINITY)
                                           : (double)narrow;
}

static void add_near(boxes *b, int rank)
{
    double lower[3] = {0}, upper[3] = {0};
    for (uint32_t a = 0; a < b->points.dimensions; ++a) {
        lower[a] = round_up(b, b->boxes[rank].lower[a]);
        upper[a] = round_up(b, b->boxes[rank].upper[a]);
    }
    const xlm_reals corners[2] = {xlm_reals_of(&b->points, lower), xlm_reals_of(&b->points, upper)};
    for (size_t k = 0; k < 2; ++k)
        memcpy(b->corners + (2 * b->num_near + k) * corner_bytes(b), &corners[k], corner_bytes(b));
    b->near[b->num_near++] = (cl_uint)rank;
}

/* The ranks whose boxes meet the box of this rank's points, which FLT_MIN makes larger, because a device may
 * take subnormal coordinates for 0. */
static xl_status find_near(boxes *b)
{
    static const double lower[3] = {-INFINITY, -INFINITY, -INFINITY},
                        upper[3] = {INFINITY, INFINITY, INFINITY};
    xlm_survey all;
    const xl_status status =
        xlm_points_survey(b->mpi, b->queue, &b->points, &b->args->points, lower, upper, &all);
    for (int r = 0; r < b->mpi->size && status == XL_SUCCESS; ++r) {
        bool meets = true;
        for (uint32_t a = 0; a < b->points.dimensions; ++a)
            meets = meets && b->boxes[r].lower[a] <= all.upper[a] + (double)FLT_MIN &&
                    all.lower[a] - (double)FLT_MIN < b->boxes[r].upper[a];
        if (meets)
            add_near(b, r);
    }
    return status;
}

static xl_status fail_outside(const boxes *b, size_t i)
{
    char text[128] = "";
    size_t length = 0;
    double p[3];
    const xl_status status = xlm_points_at(b->mpi, b->queue, &b->points, &b->args->points, i, p);
    for (uint32_t a = 0; a < b->points.dimensions; ++a)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, a ? ", %.9g" : "%.9g", p[a]);
    return status == XL_SUCCESS
               ? xlm_fail(b->mpi, XL_ERROR_OUT_OF_DOMAIN,
                          "args.points: point %zu is (%s); must be in the box of a rank", i, text)
               : status;
}

/* Local. */
static xl_status find_owners(boxes *b)
{
    xl_mpi *const mpi = b->mpi;
    cl_uint lowest = XLM_NO_INDEX;
    cl_mem near = NULL, corners = NULL, outside = NULL;
    if (b->points.n == 0)
        return XL_SUCCESS;
    xl_status status = find_near(b);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, b->num_near * sizeof *b->near, b->near, &near);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, 2 * b->num_near * corner_bytes(b), b->corners, &corners);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, sizeof lowest, &lowest, &outside);
    const xlm_argument own[] = {{sizeof b->num_near, &b->num_near},
                                {sizeof near, &near},
                                {sizeof corners, &corners},
                                {sizeof b->owners, &b->owners},
                                {sizeof outside, &outside}};
    if (status == XL_SUCCESS)
        status = xlm_points_launch_over(mpi, b->queue, &b->points, &b->args->points, "own", own,
                                        sizeof own / sizeof own[0]);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, b->queue, outside, 0, sizeof lowest, &lowest, 0, NULL);
    xlm_release(near);
    xlm_release(corners);
    xlm_release(outside);
    return status == XL_SUCCESS && lowest != XLM_NO_INDEX ? fail_outside(b, lowest) : status;
}

static xl_status write_owners(const boxes *b)
{
    const xl_view *const view = &b->args->owners;
    const size_t bytes = b->points.n * sizeof(cl_uint);
    const xl_status status = xlm_copy(b->mpi, b->queue, b->owners, 0, view->buffer,
                                      view->offset * sizeof(cl_uint), bytes);
    return status == XL_SUCCESS ? xlm_finish(b->mpi, b->queue) : status;
}

/* COLLECTIVE; agreed. */
static xl_status run_boxes(boxes *b)
{
    xl_status status = xlm_points_build(b->mpi, "args", &b->points);
    if (status != XL_SUCCESS)
        return status;
    status = gather_boxes(b);
    if (status == XL_SUCCESS)
        status = find_owners(b);
    status = xlm_agree(b->mpi, status);
    return status == XL_SUCCESS ? xlm_agree(b->mpi, write_owners(b)) : status;
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
    if (status == XL_SUCCESS)
        status = xlm_wait(mpi, num_waits, waits);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS)
        status = run_boxes(&b);
    xlm_release(b.owners);
    free(b.boxes);
    free(b.near);
    free(b.corners);
    return status;
}

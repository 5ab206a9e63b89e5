/* SPDX-License-Identifier: MIT
 * The launches of a halo's search: kernels of point_kernels.c. */
#include "halo.h"
#include <math.h>

/* Rounded up. */
static double reach_of(const xlm_halo *halo)
{
    const float narrow = (float)halo->reach;
    if (halo->domain.wide)
        return halo->reach;
    return (double)narrow < halo->reach ? (double)nextafterf(narrow, INFINITY) : (double)narrow;
}

/* The arguments that describe cells, and then others. */
enum { OF_CELLS = 4 };
typedef struct cell_arguments {
    xlm_reals low, edge, inverse;
    cl_uint4 count;
    xlm_argument all[XLM_POINTS_OWN];
} cell_arguments;

static void take_cells(const xlm_halo *halo, const xlm_cells *cells, cell_arguments *to)
{
    const xlm_points *const points = &halo->given;
    const double edge[3] = {cells->edge}, inverse[3] = {1 / cells->edge};
    *to = (cell_arguments){.low = xlm_reals_of(points, cells->lower),
                           .edge = xlm_reals_of(points, edge),
                           .inverse = xlm_reals_of(points, inverse)};
    for (int a = 0; a < 3; ++a)
        to->count.s[a] = (cl_uint)cells->count[a];
    to->all[0] = xlm_real_argument(points, &to->low, true);
    to->all[1] = (xlm_argument){sizeof to->count, &to->count};
    to->all[2] = xlm_real_argument(points, &to->edge, false);
    to->all[3] = xlm_real_argument(points, &to->inverse, false);
}

static xl_status launch(const xlm_halo *halo, const char *name, const xlm_argument *own,
                        size_t count)
{
    return xlm_points_launch_over(halo->mpi, halo->queue, &halo->given, &halo->args->points, name,
                                  own, count);
}

xl_status xlm_halo_zero(const xlm_halo *halo, cl_mem words, size_t count)
{
    const cl_uint zero = 0;
    const xl_status status = xlm_cl(halo->mpi,
                                    clEnqueueFillBuffer(halo->queue, words, &zero, sizeof zero, 0,
                                                        count * sizeof zero, 0, NULL, NULL),
                                    "clEnqueueFillBuffer");
    return status == XL_SUCCESS ? xlm_order(halo->mpi, halo->queue) : status;
}

xl_status xlm_halo_mark_image(const xlm_halo *halo, const xlm_part *to, const xlm_cells *cells,
                              const double move[3], cl_mem words)
{
    cell_arguments a;
    const xlm_points *const points = &halo->given;
    const double reach[3] = {reach_of(halo)};
    const xlm_reals high = xlm_reals_of(points, to->upper), by = xlm_reals_of(points, move),
                    within = xlm_reals_of(points, reach);
    take_cells(halo, cells, &a);
    a.all[OF_CELLS] = xlm_real_argument(points, &high, true);
    a.all[OF_CELLS + 1] = xlm_real_argument(points, &by, true);
    a.all[OF_CELLS + 2] = xlm_real_argument(points, &within, false);
    a.all[OF_CELLS + 3] = (xlm_argument){sizeof words, &words};
    return launch(halo, "mark", a.all, OF_CELLS + 4);
}

xl_status xlm_halo_number(const xlm_halo *halo, const xlm_cells *own, cl_mem numbers)
{
    cell_arguments a;
    take_cells(halo, own, &a);
    a.all[OF_CELLS] = (xlm_argument){sizeof numbers, &numbers};
    return launch(halo, "number", a.all, OF_CELLS + 1);
}

xl_status xlm_halo_spread(const xlm_halo *halo, cl_mem marks, uint64_t at, uint64_t count,
                          cl_mem words)
{
    const cl_ulong n = count, from = 2 * at;
    const xlm_argument all[] = {
        {sizeof n, &n}, {sizeof marks, &marks}, {sizeof from, &from}, {sizeof words, &words}};
    return xlm_points_launch(halo->mpi, halo->queue, &halo->given, "spread", all,
                             sizeof all / sizeof all[0], n);
}

xl_status xlm_halo_select_marked(const xlm_halo *halo, cl_mem numbers, cl_mem words, cl_mem bits,
                                 uint64_t bits_at)
{
    const cl_ulong n = halo->args->n, to = bits_at;
    const xlm_argument all[] = {{sizeof n, &n},
                                {sizeof numbers, &numbers},
                                {sizeof words, &words},
                                {sizeof bits, &bits},
                                {sizeof to, &to}};
    return xlm_points_launch(halo->mpi, halo->queue, &halo->given, "select_marked", all,
                             sizeof all / sizeof all[0], (n + 31) / 32);
}

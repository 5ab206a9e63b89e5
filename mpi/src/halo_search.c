/* SPDX-License-Identifier: MIT
 * The search of a halo: which points of this rank are within reach of points of other ranks. No pair is
 * missed: `reach` has room for the rounding of any distance that the core library computes, and for that
 * of the kernels that mark cells. */
#include "halo.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells have edges of reach / PARTS. Smaller ones make fewer ghosts that are too far, and more marks. */
#define PARTS 4.0
/* The cells of a rank: at most these, and these for each point; otherwise they are larger. */
#define CELLS_LEAST 0x1p20
#define CELLS_POINT 64.0
#define CELLS_MOST 0x1p31
/* More images than this make all points ghosts of all ranks. */
#define MOST_MOVES 4096

/* ---- images -------------------------------------------------------------------------------- */

/* The inverse of the matrix of the cell. */
static void invert(const xlm_domain *d, double inverse[3][3])
{
    const double(*const m)[3] = d->cell;
    double determinant = 0;
    for (int r = 0; r < 3; ++r)
        for (int a = 0; a < 3; ++a) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
            inverse[a][r] = m[r1][a1] * m[r2][a2] - m[r1][a2] * m[r2][a1];
        }
    for (int a = 0; a < 3; ++a)
        determinant += m[0][a] * inverse[a][0];
    for (int r = 0; r < 3; ++r)
        for (int a = 0; a < 3; ++a)
            inverse[r][a] /= determinant;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The box of all points, and the largest coordinate. */
static double whole_extent(const xlm_halo *halo, double extent[3])
{
    double largest = 0;
    for (int a = 0; a < 3; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (int r = 0; r < halo->mpi->size; ++r) {
            low = fmin(low, halo->parts[r].lower[a]);
            high = fmax(high, halo->parts[r].upper[a]);
        }
        extent[a] = high >= low ? high - low : 0;
        if (high >= low)
            largest = fmax(largest, fmax(fabs(low), fabs(high)));
    }
    return largest;
}

/* Images S . cell that can bring two points within reach have |S[k]| <= most[k] * step[k]. Along a vector
 * that is much shorter than the radius, only each step[k]-th image is taken, and reach grows instead. */
typedef struct images {
    double most[3], step[3];
} images;

static images find_images(const xlm_halo *halo, const double extent[3], double reach, double *grown)
{
    const xlm_domain *const d = &halo->domain;
    double inverse[3][3];
    images found = {{0, 0, 0}, {1, 1, 1}};
    invert(d, inverse);
    *grown = reach;
    for (uint32_t k = 0; k < d->dimensions; ++k) {
        const double edge = length(d->cell[k]), steps = floor(reach / 8 / edge);
        if (d->periodic >> k & 1 && steps > 1) {
            found.step[k] = steps;
            *grown += steps * edge / 2;
        }
    }
    for (uint32_t k = 0; k < d->dimensions; ++k)
        if (d->periodic >> k & 1) {
            for (uint32_t a = 0; a < d->dimensions; ++a)
                found.most[k] += fabs(inverse[a][k]) * (extent[a] + *grown);
            found.most[k] = ceil(found.most[k] / found.step[k]);
        }
    return found;
}

/* By how much images may be moved wrongly, relative to rounding: the largest lengths that are added. */
static double moved_length(const xlm_halo *halo, const images *found)
{
    double sum = 0;
    for (uint32_t k = 0; k < halo->domain.dimensions; ++k)
        sum += found->most[k] * found->step[k] * length(halo->domain.cell[k]);
    return sum;
}

/* Adds the image, if it is within reach of the box of all points. */
static void add_move(xlm_halo *halo, const images *found, const double s[3], const double extent[3])
{
    double *const move = halo->moves[halo->num_moves];
    for (int a = 0; a < 3; ++a) {
        move[a] = 0;
        for (int k = 0; k < 3; ++k)
            if (s[k] != 0)
                move[a] += s[k] * found->step[k] * halo->domain.cell[k][a];
        if (fabs(move[a]) > extent[a] + halo->reach)
            return;
    }
    ++halo->num_moves;
}

static void list_moves(xlm_halo *halo, const images *found, const double extent[3])
{
    double s[3];
    for (s[0] = -found->most[0]; s[0] <= found->most[0]; ++s[0])
        for (s[1] = -found->most[1]; s[1] <= found->most[1]; ++s[1])
            for (s[2] = -found->most[2]; s[2] <= found->most[2]; ++s[2])
                add_move(halo, found, s, extent);
}

xl_status xlm_halo_images(xlm_halo *halo)
{
    const double unit = halo->domain.wide ? 0x1p-45 : 0x1p-19, radius = halo->args->radius;
    double extent[3], count = 1;
    double sizes = whole_extent(halo, extent) + radius;
    for (int a = 0; a < 3; ++a)
        sizes += extent[a];
    /* The radius may be rounded up to a float; a neighbour is as near as its rounded distance. */
    const double first = radius * (1 + 0x1p-20) + unit * sizes;
    images found = find_images(halo, extent, first, &halo->reach);
    found = find_images(halo, extent, first + unit * moved_length(halo, &found), &halo->reach);
    for (int k = 0; k < 3; ++k)
        count *= 2 * found.most[k] + 1;
    halo->everything = !(count <= MOST_MOVES) || !isfinite(halo->reach);
    if (halo->everything)
        return XL_SUCCESS;
    const xl_status status =
        xlm_alloc(halo->mpi, (size_t)count + 1, sizeof *halo->moves, &halo->moves);
    if (status == XL_SUCCESS)
        list_moves(halo, &found, extent);
    return status;
}

/* ---- cells --------------------------------------------------------------------------------- */

/* The cells of a rank; each rank finds the same. */
static xlm_cells cells_of(const xlm_halo *halo, int rank)
{
    const xlm_part *const part = &halo->parts[rank];
    const double most = fmin(CELLS_LEAST + CELLS_POINT * (double)part->n, CELLS_MOST);
    /* A normal number, which grows. */
    xlm_cells cells = {.edge = fmax(halo->reach / PARTS, DBL_MIN)};
    double all;
    for (;; cells.edge *= 1.25) {
        all = 1;
        for (int a = 0; a < 3; ++a)
            all *= floor((part->upper[a] - part->lower[a]) / cells.edge) + 1;
        if (all <= most)
            break;
    }
    cells.all = (uint64_t)all;
    for (int a = 0; a < 3; ++a) {
        cells.lower[a] = part->lower[a];
        cells.count[a] = (uint64_t)floor((part->upper[a] - part->lower[a]) / cells.edge) + 1;
    }
    return cells;
}

/* ---- marks --------------------------------------------------------------------------------- */

/* The square distance from a box, moved, to another one. */
static double box_distance2(const double lower[3], const double upper[3], const double move[3],
                            const xlm_part *to)
{
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        const double d =
            fmax(fmax(to->lower[a] - (upper[a] + move[a]), lower[a] + move[a] - to->upper[a]), 0);
        sum += d * d;
    }
    return sum;
}

/* Whether points of this rank, moved, may be within reach of points of another one. */
static bool is_near(const xlm_halo *halo, int rank, const double move[3])
{
    const xlm_part *const mine = &halo->parts[halo->mpi->rank];
    return box_distance2(mine->lower, mine->upper, move, &halo->parts[rank]) <=
           halo->reach * halo->reach;
}

static size_t words_of(const xlm_cells *cells)
{
    return (size_t)((cells->all + 31) / 32);
}

/* Reads the words of marks that are not 0: their numbers, and behind these the words. */
static xl_status read_marks(xlm_halo *halo, int rank, cl_mem words, size_t all)
{
    xl_mpi *const mpi = halo->mpi;
    const size_t word = sizeof(uint32_t);
    uint64_t count = 0;
    cl_mem found = NULL;
    xl_status status = xlm_buffer(mpi, 2 * (all + 1) * word, &found); /* a u64, numbers, words */
    const xl_select_args args = {.n = all,
                                 .in = xl_view_of(words, 0),
                                 .out = xl_view_of(found, 2 + all),
                                 .indices_out = xl_view_of(found, 2),
                                 .count_out = xl_view_of(found, 0)};
    if (status == XL_SUCCESS)
        status = xlm_core(mpi, xl_select_enqueue(mpi->plans[XLM_SELECT_WORDS], halo->queue, &args,
                                                 0, NULL, NULL));
    if (status == XL_SUCCESS)
        status = xlm_order(mpi, halo->queue);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, halo->queue, found, 0, sizeof count, &count, 0, NULL);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, (size_t)count, 2 * word, &halo->marks[rank]);
    const size_t bytes = (size_t)count * word;
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, halo->queue, found, 2 * word, bytes, halo->marks[rank], 0, NULL);
    if (status == XL_SUCCESS)
        status = xlm_read(mpi, halo->queue, found, (2 + all) * word, bytes,
                          halo->marks[rank] + count, 0, NULL);
    halo->num_marks[rank] = status == XL_SUCCESS ? count : 0;
    xlm_release(found);
    return status;
}

/* Marks the cells of a rank that are within reach of images of this rank's points. */
static xl_status mark_cells(xlm_halo *halo, int rank)
{
    const xlm_cells cells = cells_of(halo, rank);
    const size_t all = words_of(&cells);
    cl_mem words = NULL;
    xl_status status = XL_SUCCESS;
    for (size_t m = 0; m < halo->num_moves && status == XL_SUCCESS; ++m) {
        if (!is_near(halo, rank, halo->moves[m]))
            continue;
        if (!words) {
            status = xlm_buffer(halo->mpi, all * sizeof(cl_uint), &words);
            if (status == XL_SUCCESS)
                status = xlm_halo_zero(halo, words, all);
        }
        if (status == XL_SUCCESS)
            status = xlm_halo_mark_image(halo, &halo->parts[rank], &cells, halo->moves[m], words);
    }
    if (status == XL_SUCCESS && words)
        status = read_marks(halo, rank, words, all);
    xlm_release(words);
    return status;
}

xl_status xlm_halo_mark(xlm_halo *halo)
{
    xl_mpi *const mpi = halo->mpi;
    xl_status status = XL_SUCCESS;
    if (halo->everything || halo->args->n == 0)
        return status;
    for (int r = 0; r < mpi->size && status == XL_SUCCESS; ++r) {
        if (r == mpi->rank || halo->parts[r].n == 0)
            continue;
        status = mark_cells(halo, r);
    }
    return status;
}

xl_status xlm_halo_pack(xlm_halo *halo)
{
    const int size = halo->mpi->size;
    for (int r = 0; r < size; ++r)
        halo->send_at[r + 1] = halo->send_at[r] + halo->num_marks[r];
    const xl_status status =
        xlm_alloc(halo->mpi, (size_t)halo->send_at[size], sizeof *halo->send, &halo->send);
    for (int r = 0; r < size && status == XL_SUCCESS; ++r)
        if (halo->num_marks[r] > 0)
            memcpy(halo->send + halo->send_at[r], halo->marks[r],
                   (size_t)halo->num_marks[r] * sizeof *halo->send);
    return status;
}

/* ---- selection ----------------------------------------------------------------------------- */

/* The points that other ranks marked: a row of bits for each such rank, and how many bits are 1. */
typedef struct selection {
    size_t rows, words; /* of u32 in a row */
    cl_mem bits, counts;
} selection;

static bool has_marked(const xlm_halo *halo, int rank)
{
    return halo->args->n > 0 && halo->recv_at[rank + 1] > halo->recv_at[rank];
}

static bool gets_all(const xlm_halo *halo, int rank)
{
    return rank == halo->mpi->rank || (halo->everything && halo->parts[rank].n > 0);
}

/* Enqueues a selection of the bits of a row, on a queue that may be out of order. */
static xl_status select_bits(const xlm_halo *halo, const selection *s, size_t row,
                             xl_select_args args)
{
    xl_mpi *const mpi = halo->mpi;
    args.n = halo->args->n;
    args.flags = xl_view_of(s->bits, row * s->words);
    const xl_status status = xlm_core(
        mpi, xl_select_enqueue(mpi->plans[XLM_SELECT_BITS], halo->queue, &args, 0, NULL, NULL));
    return status == XL_SUCCESS ? xlm_order(mpi, halo->queue) : status;
}

static xl_status mark_points(xlm_halo *halo, const selection *s, cl_mem marks)
{
    const uint64_t *const at = halo->recv_at;
    const xlm_cells own = cells_of(halo, halo->mpi->rank);
    const size_t all = words_of(&own);
    cl_mem numbers = NULL, words = NULL;
    xl_status status = xlm_buffer(halo->mpi, halo->args->n * sizeof(cl_ulong), &numbers);
    if (status == XL_SUCCESS)
        status = xlm_buffer(halo->mpi, all * sizeof(cl_uint), &words);
    if (status == XL_SUCCESS)
        status = xlm_halo_number(halo, &own, numbers);
    size_t row = 0;
    for (int r = 0; r < halo->mpi->size && status == XL_SUCCESS; ++r) {
        if (!has_marked(halo, r))
            continue;
        status = xlm_halo_zero(halo, words, all);
        if (status == XL_SUCCESS)
            status = xlm_halo_spread(halo, marks, at[r], at[r + 1] - at[r], words);
        if (status == XL_SUCCESS)
            status = xlm_halo_select_marked(halo, numbers, words, s->bits, row * s->words);
        if (status == XL_SUCCESS)
            status = select_bits(halo, s, row,
                                 (xl_select_args){.count_out = xl_view_of(s->counts, row)});
        ++row;
    }
    xlm_release(numbers);
    xlm_release(words);
    return status;
}

/* Fills the rows and reads their counts. */
static xl_status fill_rows(xlm_halo *halo, selection *s, uint64_t *counts)
{
    xl_mpi *const mpi = halo->mpi;
    const size_t received = (size_t)halo->recv_at[mpi->size];
    cl_mem marks = NULL;
    xl_status status = xlm_buffer(mpi, s->rows * s->words * sizeof(cl_uint), &s->bits);
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, s->rows * sizeof *counts, &s->counts);
    if (status == XL_SUCCESS)
        status = xlm_buffer_of(mpi, received * sizeof *halo->recv, halo->recv, &marks);
    if (status == XL_SUCCESS)
        status = mark_points(halo, s, marks);
    if (status == XL_SUCCESS)
        status =
            xlm_read(mpi, halo->queue, s->counts, 0, s->rows * sizeof *counts, counts, 0, NULL);
    xlm_release(marks);
    return status;
}

/* Lists the points that each rank gets. */
static xl_status list_points(xlm_halo *halo, const selection *s)
{
    xl_mpi *const mpi = halo->mpi;
    const uint64_t *const at = halo->exchange->send.at;
    const cl_mem list = halo->exchange->send.list;
    xl_status status = XL_SUCCESS;
    size_t row = 0;
    for (int r = 0; r < mpi->size && status == XL_SUCCESS; ++r) {
        const size_t count = (size_t)(at[r + 1] - at[r]);
        if (gets_all(halo, r))
            status = xlm_count_up(mpi, halo->queue, 0, list, at[r], count);
        else if (count > 0)
            status = select_bits(halo, s, row,
                                 (xl_select_args){.capacity = count,
                                                  .indices_out = xl_view_of(list, (size_t)at[r])});
        row += has_marked(halo, r);
    }
    return status;
}

xl_status xlm_halo_select(xlm_halo *halo)
{
    xl_mpi *const mpi = halo->mpi;
    xlm_side *const side = &halo->exchange->send;
    const size_t size = (size_t)mpi->size;
    selection s = {.words = (halo->args->n + 31) / 32};
    uint64_t *counts = NULL;
    xl_status status = xlm_alloc(mpi, size, sizeof *counts, &counts);
    for (int r = 0; r < mpi->size; ++r)
        s.rows += has_marked(halo, r);
    if (status == XL_SUCCESS && s.rows > 0)
        status = fill_rows(halo, &s, counts);
    for (int r = 0, row = 0; r < mpi->size && status == XL_SUCCESS; ++r) {
        const uint64_t marked = has_marked(halo, r) ? counts[row++] : 0;
        side->at[r + 1] = side->at[r] + (gets_all(halo, r) ? halo->args->n : marked);
    }
    if (status == XL_SUCCESS)
        status = xlm_buffer(mpi, (size_t)side->at[size] * sizeof(cl_uint), &side->list);
    if (status == XL_SUCCESS)
        status = list_points(halo, &s);
    if (status != XL_SUCCESS)
        memset(side->at, 0, (size + 1) * sizeof *side->at);
    xlm_release(s.bits);
    xlm_release(s.counts);
    free(counts);
    return status;
}

/* SPDX-License-Identifier: MIT
 * The search of a halo: which points of this rank are within reach of points of other ranks. No pair is
 * missed: `reach` has room for the rounding of any distance that the core library computes. */
#include "halo.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells have edges of reach / PARTS. Smaller ones make fewer ghosts that are too far, and more marks. */
#define PARTS 4.0
/* The cells of a rank: at most these, and these for each point; otherwise they are larger. */
#define CELLS_LEAST 0x1p20
#define CELLS_POINT 64.0
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
    const double unit = halo->domain.wide ? 0x1p-45 : 0x1p-20, radius = halo->args->radius;
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
    const double most = CELLS_LEAST + CELLS_POINT * (double)part->n;
    xlm_cells cells = {.edge = halo->reach / PARTS};
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

/* The number of the cell at coordinate x of an axis; outside, that of the nearest cell. */
static uint64_t cell_at(const xlm_cells *cells, int axis, double x)
{
    const double number = floor((x - cells->lower[axis]) / cells->edge),
                 last = (double)(cells->count[axis] - 1);
    return (uint64_t)(number <= 0 ? 0 : number >= last ? last : number);
}

static uint64_t cell_of(const xlm_cells *cells, const double p[3])
{
    return (cell_at(cells, 2, p[2]) * cells->count[1] + cell_at(cells, 1, p[1])) * cells->count[0] +
           cell_at(cells, 0, p[0]);
}

/* ---- marks --------------------------------------------------------------------------------- */

static void set_bits(uint64_t *words, uint64_t first, uint64_t last)
{
    const uint64_t head = ~UINT64_C(0) << first % 64, tail = ~UINT64_C(0) >> (63 - last % 64);
    if (first / 64 == last / 64) {
        words[first / 64] |= head & tail;
        return;
    }
    words[first / 64] |= head;
    for (uint64_t w = first / 64 + 1; w < last / 64; ++w)
        words[w] = ~UINT64_C(0);
    words[last / 64] |= tail;
}

/* The distance along an axis from x to the interval. */
static double gap(double x, double low, double high)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

static double cell_gap(const xlm_cells *cells, int axis, uint64_t number, double x)
{
    const double low = cells->lower[axis] + (double)number * cells->edge;
    return gap(x, low, low + cells->edge);
}

/* Marks the cells of a row that are within `width` of x along it. */
static void mark_row(const xlm_cells *cells, uint64_t *words, uint64_t row, double x, double width)
{
    const double last = cells->lower[0] + (double)cells->count[0] * cells->edge;
    if (x + width < cells->lower[0] || x - width > last)
        return;
    set_bits(words, row * cells->count[0] + cell_at(cells, 0, x - width),
             row * cells->count[0] + cell_at(cells, 0, x + width));
}

/* Marks the cells that are within reach of p. */
static void mark_ball(const xlm_cells *cells, uint64_t *words, const double p[3], double reach)
{
    const uint64_t last_z = cell_at(cells, 2, p[2] + reach),
                   last_y = cell_at(cells, 1, p[1] + reach);
    for (uint64_t z = cell_at(cells, 2, p[2] - reach); z <= last_z; ++z) {
        const double dz = cell_gap(cells, 2, z, p[2]), left = reach * reach - dz * dz;
        for (uint64_t y = cell_at(cells, 1, p[1] - reach); y <= last_y; ++y) {
            const double dy = cell_gap(cells, 1, y, p[1]), square = left - dy * dy;
            if (square >= 0)
                mark_row(cells, words, z * cells->count[1] + y, p[0], sqrt(square));
        }
    }
}

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

/* Marks the cells of a rank that are within reach of images of this rank's points. */
static xl_status mark_image(xlm_halo *halo, int rank, const xlm_cells *cells, const double move[3])
{
    const double square = halo->reach * halo->reach;
    const xlm_part *const mine = &halo->parts[halo->mpi->rank], *const to = &halo->parts[rank];
    if (box_distance2(mine->lower, mine->upper, move, to) > square)
        return XL_SUCCESS;
    if (!halo->marks[rank]) {
        const uint64_t words = (cells->all + 63) / 64;
        const xl_status status =
            xlm_alloc(halo->mpi, (size_t)words, sizeof(uint64_t), &halo->marks[rank]);
        if (status != XL_SUCCESS)
            return status;
        memset(halo->marks[rank], 0, (size_t)words * sizeof(uint64_t));
    }
    for (size_t i = 0; i < halo->args->n; ++i) {
        const double *const p = halo->points[i];
        if (box_distance2(p, p, move, to) > square)
            continue;
        const double image[3] = {p[0] + move[0], p[1] + move[1], p[2] + move[2]};
        mark_ball(cells, halo->marks[rank], image, halo->reach);
    }
    return XL_SUCCESS;
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
        const xlm_cells cells = cells_of(halo, r);
        for (size_t m = 0; m < halo->num_moves && status == XL_SUCCESS; ++m)
            status = mark_image(halo, r, &cells, halo->moves[m]);
    }
    return status;
}

/* ---- messages ------------------------------------------------------------------------------ */

/* The words of marks from the first that is not 0 to behind the last one. */
static void trim(const xlm_halo *halo, int rank, uint64_t *first, uint64_t *end)
{
    *first = *end = 0;
    if (!halo->marks[rank])
        return;
    const uint64_t *const words = halo->marks[rank];
    *end = (cells_of(halo, rank).all + 63) / 64;
    while (*first < *end && words[*first] == 0)
        ++*first;
    while (*end > *first && words[*end - 1] == 0)
        --*end;
}

xl_status xlm_halo_pack(xlm_halo *halo)
{
    const int size = halo->mpi->size;
    uint64_t first, end;
    for (int r = 0; r < size; ++r) {
        trim(halo, r, &first, &end);
        halo->send_at[r + 1] = halo->send_at[r] + (end > first ? 1 + end - first : 0);
    }
    const xl_status status =
        xlm_alloc(halo->mpi, (size_t)halo->send_at[size], sizeof(uint64_t), &halo->send);
    for (int r = 0; r < size && status == XL_SUCCESS; ++r) {
        uint64_t *const to = halo->send + halo->send_at[r];
        trim(halo, r, &first, &end);
        if (end == first)
            continue;
        to[0] = first;
        memcpy(to + 1, halo->marks[r] + first, (size_t)(end - first) * sizeof *to);
    }
    return status;
}

/* ---- selection ----------------------------------------------------------------------------- */

/* Whether rank r needs a point of the given cell. */
static bool is_marked(const xlm_halo *halo, int rank, uint64_t cell)
{
    const uint64_t *const words = halo->recv + halo->recv_at[rank];
    const uint64_t count = halo->recv_at[rank + 1] - halo->recv_at[rank];
    if (count == 0)
        return false;
    const uint64_t word = cell / 64 - words[0]; /* huge if it is before the first one */
    return word < count - 1 && words[1 + word] >> cell % 64 & 1;
}

static bool is_sent(const xlm_halo *halo, int rank, const uint64_t *cells, size_t i)
{
    if (rank == halo->mpi->rank)
        return true;
    return halo->everything ? halo->parts[rank].n > 0 : is_marked(halo, rank, cells[i]);
}

/* Lists the points that each rank gets; without `list`, counts it. */
static void list_sent(xlm_halo *halo, const uint64_t *cells, uint32_t *list)
{
    uint64_t *const at = halo->exchange->send.at;
    for (int r = 0; r < halo->mpi->size; ++r) {
        uint64_t next = at[r];
        for (size_t i = 0; i < halo->args->n; ++i)
            if (is_sent(halo, r, cells, i)) {
                if (list)
                    list[next] = (uint32_t)i;
                ++next;
            }
        at[r + 1] = next;
    }
}

xl_status xlm_halo_select(xlm_halo *halo)
{
    xl_mpi *const mpi = halo->mpi;
    xl_mpi_exchange *const exchange = halo->exchange;
    uint64_t *cells = NULL;
    xl_status status = xlm_alloc(mpi, halo->args->n, sizeof *cells, &cells);
    if (status == XL_SUCCESS && halo->args->n > 0 && !halo->everything) {
        const xlm_cells own = cells_of(halo, mpi->rank);
        for (size_t i = 0; i < halo->args->n; ++i)
            cells[i] = cell_of(&own, halo->points[i]);
    }
    if (status == XL_SUCCESS) {
        list_sent(halo, cells, NULL);
        status = xlm_alloc(mpi, (size_t)exchange->send.at[mpi->size], sizeof *exchange->sent,
                           &exchange->sent);
    }
    if (status == XL_SUCCESS)
        list_sent(halo, cells, exchange->sent);
    else
        memset(exchange->send.at, 0, ((size_t)mpi->size + 1) * sizeof *exchange->send.at);
    free(cells);
    return status;
}

/* SPDX-License-Identifier: MIT
 * Exact splitters by refinement of a histogram (Kowalewski et al., IEEE Cluster 2019): each round finds
 * 8 more bits of the code at each boundary. Only counts travel between the ranks, so that sorted keys
 * of b bits need at most b / 8 rounds, and none for bits that all keys share. */
#include "splitters.h"
#include <stdlib.h>

enum { ROUND_BITS = 8, EDGES = 1 << ROUND_BITS };

/* The search for the boundary before one part. */
typedef struct boundary {
    uint64_t target, edge; /* the code at the boundary is edge or one of those after it */
    uint64_t below;        /* weight of all elements with codes below edge: at most target */
    uint64_t first, last;  /* this rank's elements whose codes the next round divides */
} boundary;

static uint64_t weight_before(const xlm_sorted *sorted, uint64_t i)
{
    return sorted->sums ? sorted->sums[i] : i;
}

/* The first of elements first to last whose code is at least `code`; last if there is none. */
static uint64_t lower_bound(const xlm_sorted *sorted, uint64_t first, uint64_t last, uint64_t code)
{
    while (first < last) {
        const uint64_t middle = first + (last - first) / 2;
        if (sorted->code(sorted->user, middle) < code)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* COLLECTIVE. The number of low bits from the highest one on that is not the same in all codes, and the
 * least code with the same bits above. No maximum, because MPICH 4.0 compares MPI_UINT64_T as signed. */
static xl_status find_range(xl_mpi *mpi, const xlm_sorted *sorted, unsigned *bits, uint64_t *least)
{
    uint64_t seen[2] = {0, 0}; /* bits that are 1, and those that are 0, in the outermost codes */
    if (sorted->n > 0) {
        const uint64_t first = sorted->code(sorted->user, 0);
        const uint64_t last = sorted->code(sorted->user, sorted->n - 1);
        seen[0] = first | last;
        seen[1] = ~first | ~last;
    }
    const int code = MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_UINT64_T, MPI_BOR, mpi->comm);
    *bits = 0;
    for (uint64_t rest = seen[0] & seen[1]; rest > 0; rest >>= 1)
        ++*bits;
    *least = *bits < 64 ? seen[0] >> *bits << *bits : 0;
    return xlm_mpi(mpi, code, "MPI_Allreduce");
}

static bool is_open(const boundary *b)
{
    return b->below < b->target;
}

/* Stores the weight of this rank's elements below each edge of each open boundary. Boundaries at one edge
 * share a row of weights. Returns the number of rows. */
static int count_edges(const xlm_sorted *sorted, const boundary *b, int count, int edges,
                       unsigned shift, uint64_t *weights)
{
    int rows = 0;
    uint64_t edge = 0; /* of the last row */
    for (int k = 0; k < count; ++k) {
        if (!is_open(&b[k]) || (rows > 0 && b[k].edge == edge))
            continue;
        uint64_t at = b[k].first;
        edge = b[k].edge;
        for (int j = 0; j < edges; ++j) {
            at = lower_bound(sorted, at, b[k].last, edge + ((uint64_t)j << shift));
            weights[rows * edges + j] = weight_before(sorted, at);
        }
        ++rows;
    }
    return rows;
}

/* Moves a boundary to the last edge that has at most the target below it. */
static void choose_edge(const xlm_sorted *sorted, boundary *b, int edges, unsigned shift,
                        const uint64_t *weights)
{
    int j = 0;
    while (j + 1 < edges && weights[j + 1] <= b->target)
        ++j;
    const uint64_t edge = b->edge + ((uint64_t)j << shift);
    const uint64_t end = b->last;
    if (j + 1 < edges)
        b->last = lower_bound(sorted, b->first, end, edge + (UINT64_C(1) << shift));
    b->first = lower_bound(sorted, b->first, b->last, edge);
    b->edge = edge;
    b->below = weights[j];
}

/* COLLECTIVE. All boundaries are at an edge, or at a code that crosses the target. */
static xl_status refine(xl_mpi *mpi, const xlm_sorted *sorted, boundary *b, int count,
                        unsigned bits, uint64_t *weights)
{
    xl_status status = XL_SUCCESS;
    while (bits > 0 && status == XL_SUCCESS) {
        const unsigned step = bits < ROUND_BITS ? bits : ROUND_BITS;
        const int edges = 1 << step;
        bits -= step;
        const int rows = count_edges(sorted, b, count, edges, bits, weights);
        if (rows == 0)
            break;
        status = xlm_mpi(
            mpi,
            MPI_Allreduce(MPI_IN_PLACE, weights, rows * edges, MPI_UINT64_T, MPI_SUM, mpi->comm),
            "MPI_Allreduce");
        uint64_t edge = 0;
        for (int k = 0, row = -1; k < count && status == XL_SUCCESS; ++k) {
            if (!is_open(&b[k]))
                continue;
            row += row < 0 || b[k].edge != edge;
            edge = b[k].edge;
            choose_edge(sorted, &b[k], edges, bits, weights + (size_t)row * (size_t)edges);
        }
    }
    return status;
}

/* The first element of a boundary's code that has at least `wanted` of them before it. */
static uint64_t cut_ties(const xlm_sorted *sorted, const boundary *b, uint64_t before)
{
    const uint64_t wanted = b->target - b->below, base = weight_before(sorted, b->first);
    uint64_t first = b->first, last = b->last;
    while (first < last) {
        const uint64_t middle = first + (last - first) / 2;
        if (before + weight_before(sorted, middle) - base < wanted)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* COLLECTIVE. Divides elements of one code by rank, then by place. */
static xl_status divide_ties(xl_mpi *mpi, const xlm_sorted *sorted, const boundary *b, int count,
                             uint64_t *weights, uint64_t *cuts)
{
    for (int k = 0; k < count; ++k)
        weights[k] = weight_before(sorted, b[k].last) - weight_before(sorted, b[k].first);
    uint64_t *const before = weights + count;
    const int code = MPI_Exscan(weights, before, count, MPI_UINT64_T, MPI_SUM, mpi->comm);
    for (int k = 0; k < count; ++k) /* MPI_Exscan leaves those of rank 0 undefined */
        cuts[k] =
            is_open(&b[k]) ? cut_ties(sorted, &b[k], mpi->rank == 0 ? 0 : before[k]) : b[k].first;
    return xlm_mpi(mpi, code, "MPI_Exscan");
}

static xl_status split(xl_mpi *mpi, const xlm_sorted *sorted, boundary *b, int count,
                       uint64_t *weights, uint64_t *cuts)
{
    unsigned bits;
    uint64_t least;
    xl_status status = find_range(mpi, sorted, &bits, &least);
    for (int k = 0; k < count; ++k) {
        b[k].edge = least;
        b[k].last = sorted->n;
    }
    if (status == XL_SUCCESS)
        status = refine(mpi, sorted, b, count, bits, weights);
    return status == XL_SUCCESS ? divide_ties(mpi, sorted, b, count, weights, cuts) : status;
}

xl_status xlm_split(xl_mpi *mpi, const xlm_sorted *sorted, int parts, const uint64_t *targets,
                    uint64_t *cuts)
{
    const int count = parts - 1; /* boundaries inside */
    boundary *b = NULL;
    uint64_t *weights = NULL;
    xl_status status = xlm_alloc(mpi, (size_t)count, sizeof *b, &b);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, (size_t)count * EDGES, sizeof *weights, &weights);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS) {
        for (int k = 0; k < count; ++k)
            b[k] = (boundary){.target = targets[k + 1]};
        status = xlm_agree(mpi, split(mpi, sorted, b, count, weights, cuts + 1));
        cuts[0] = 0;
        cuts[parts] = sorted->n;
    }
    free(weights);
    free(b);
    return status;
}

uint64_t xlm_even_target(uint64_t total, int part, int parts)
{
    const uint64_t k = (uint64_t)part, p = (uint64_t)parts;
    return total / p * k + total % p * k / p; /* the product total * k might be too large */
}

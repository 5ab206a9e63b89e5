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

/* The searches of a rank. After one has failed, which the others do not know yet, no element has any weight. */
typedef struct splitting {
    xl_mpi *mpi;
    const xlm_sorted *sorted;
    boundary *b;
    int count;
    xlm_edges *rows;        /* count */
    uint64_t *at, *weights; /* count * EDGES, at least 2 * count */
    xl_status status;       /* of this rank */
} splitting;

/* Weights of the elements before the first `count` of `at`. */
static void weigh(splitting *s, int count)
{
    for (int k = 0; k < count && s->status == XL_SUCCESS && !s->sorted->weights; ++k)
        s->weights[k] = s->at[k];
    if (s->status == XL_SUCCESS && s->sorted->weights)
        s->status = s->sorted->weights(s->sorted->user, count, s->at, s->weights);
    for (int k = 0; k < count && s->status != XL_SUCCESS; ++k)
        s->weights[k] = s->at[k] = 0;
}

/* COLLECTIVE. The number of low bits from the highest one on that is not the same in all codes, and the
 * least code with the same bits above. No maximum, because MPICH 4.0 compares MPI_UINT64_T as signed. */
static xl_status find_range(xl_mpi *mpi, const xlm_sorted *sorted, unsigned *bits, uint64_t *least)
{
    uint64_t seen[2] = {0, 0}; /* bits that are 1, and those that are 0, in the outermost codes */
    if (sorted->n > 0) {
        seen[0] = sorted->least | sorted->greatest;
        seen[1] = ~sorted->least | ~sorted->greatest;
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

/* Finds this rank's elements at each edge of each open boundary, and their weights. Boundaries at one edge share
 * a row. Returns the number of rows. */
static int count_edges(splitting *s, int edges, unsigned shift)
{
    int rows = 0;
    for (int k = 0; k < s->count; ++k) {
        const boundary *const b = &s->b[k];
        if (is_open(b) && (rows == 0 || b->edge != s->rows[rows - 1].edge))
            s->rows[rows++] = (xlm_edges){b->first, b->last, b->edge};
    }
    if (rows > 0 && s->status == XL_SUCCESS)
        s->status = s->sorted->bounds(s->sorted->user, s->rows, rows, edges, shift, s->at);
    weigh(s, rows * edges);
    return rows;
}

/* Moves a boundary to the last edge that has at most the target below it. */
static void choose_edge(boundary *b, int edges, unsigned shift, const uint64_t *at,
                        const uint64_t *weights)
{
    int j = 0;
    while (j + 1 < edges && weights[j + 1] <= b->target)
        ++j;
    b->edge += (uint64_t)j << shift;
    if (j + 1 < edges)
        b->last = at[j + 1];
    b->first = at[j];
    b->below = weights[j];
}

/* COLLECTIVE. All boundaries are at an edge, or at a code that crosses the target. */
static xl_status refine(splitting *s, unsigned bits)
{
    xl_status status = XL_SUCCESS;
    while (bits > 0 && status == XL_SUCCESS) {
        const unsigned step = bits < ROUND_BITS ? bits : ROUND_BITS;
        const int edges = 1 << step;
        bits -= step;
        const int rows = count_edges(s, edges, bits);
        if (rows == 0)
            break;
        status = xlm_mpi(s->mpi,
                         MPI_Allreduce(MPI_IN_PLACE, s->weights, rows * edges, MPI_UINT64_T,
                                       MPI_SUM, s->mpi->comm),
                         "MPI_Allreduce");
        uint64_t edge = 0;
        for (int k = 0, row = -1; k < s->count && status == XL_SUCCESS; ++k) {
            if (!is_open(&s->b[k]))
                continue;
            row += row < 0 || s->b[k].edge != edge;
            edge = s->b[k].edge;
            choose_edge(&s->b[k], edges, bits, s->at + (size_t)row * (size_t)edges,
                        s->weights + (size_t)row * (size_t)edges);
        }
    }
    return status;
}

/* Finds the first element with at least the first `count` weights before it. */
static void find_heavy(splitting *s, int count)
{
    for (int k = 0; k < count && !s->sorted->heavy; ++k)
        s->at[k] = s->weights[k];
    if (s->sorted->heavy && s->status == XL_SUCCESS)
        s->status = s->sorted->heavy(s->sorted->user, count, s->weights, s->at);
}

/* COLLECTIVE. Divides elements of one code by rank, then by place: the first element of a boundary's code that
 * has at least the rest of the target before it. */
static xl_status divide_ties(splitting *s, uint64_t *cuts)
{
    const int count = s->count;
    uint64_t *const weights = s->weights, *const ties = weights + 2 * count,
                    *const before = weights + 3 * count;
    for (int k = 0; k < count; ++k) {
        s->at[k] = s->b[k].first;
        s->at[count + k] = s->b[k].last;
    }
    weigh(s, 2 * count);
    for (int k = 0; k < count; ++k)
        ties[k] = weights[count + k] - weights[k];
    const int code = MPI_Exscan(ties, before, count, MPI_UINT64_T, MPI_SUM, s->mpi->comm);
    for (int k = 0; k < count; ++k) {
        const uint64_t wanted = is_open(&s->b[k]) ? s->b[k].target - s->b[k].below : 0,
                       lower = s->mpi->rank == 0 ? 0 : before[k]; /* undefined on rank 0 */
        weights[k] += wanted > lower ? wanted - lower : 0;
    }
    find_heavy(s, count);
    for (int k = 0; k < count; ++k) {
        const uint64_t at = s->at[k] < s->b[k].last ? s->at[k] : s->b[k].last;
        cuts[k] = at > s->b[k].first && is_open(&s->b[k]) ? at : s->b[k].first;
    }
    return xlm_mpi(s->mpi, code, "MPI_Exscan");
}

static xl_status split(splitting *s, uint64_t *cuts)
{
    unsigned bits;
    uint64_t least;
    xl_status status = find_range(s->mpi, s->sorted, &bits, &least);
    for (int k = 0; k < s->count; ++k) {
        s->b[k].edge = least;
        s->b[k].last = s->sorted->n;
    }
    if (status == XL_SUCCESS)
        status = refine(s, bits);
    if (status == XL_SUCCESS)
        status = divide_ties(s, cuts);
    return status == XL_SUCCESS ? s->status : status;
}

xl_status xlm_split(xl_mpi *mpi, const xlm_sorted *sorted, int parts, const uint64_t *targets,
                    uint64_t *cuts)
{
    const int count = parts - 1; /* boundaries inside */
    const size_t all = (size_t)count;
    splitting s = {.mpi = mpi, .sorted = sorted, .count = count};
    xl_status status = xlm_alloc(mpi, all, sizeof *s.b, &s.b);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, all, sizeof *s.rows, &s.rows);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, all * EDGES, sizeof *s.at, &s.at);
    if (status == XL_SUCCESS)
        status = xlm_alloc(mpi, all * EDGES, sizeof *s.weights, &s.weights);
    status = xlm_agree(mpi, status);
    if (status == XL_SUCCESS) {
        for (int k = 0; k < count; ++k)
            s.b[k] = (boundary){.target = targets[k + 1]};
        status = xlm_agree(mpi, split(&s, cuts + 1));
        cuts[0] = 0;
        cuts[parts] = sorted->n;
    }
    free(s.weights);
    free(s.at);
    free(s.rows);
    free(s.b);
    return status;
}

uint64_t xlm_even_target(uint64_t total, int part, int parts)
{
    const uint64_t k = (uint64_t)part, p = (uint64_t)parts;
    return total / p * k + total % p * k / p; /* the product total * k might be too large */
}

/* SPDX-License-Identifier: MIT
 * Exact splitters by refinement of a histogram: each round finds 8 more bits of the code at each
 * boundary between parts. Then elements of a boundary's code are divided by place. */
#include "runtime.h"
#include <crosslane/split.h>
#include <string.h>

enum { ROUND_BITS = 8, EDGES = 1 << ROUND_BITS };

/* Boundary k is the one before part k + 1. */
typedef struct splitting {
    const xl_split_args *args;
    size_t count;
    uint64_t *edge;  /* the code at the boundary is this one or a later one of the next round */
    uint64_t *below; /* the weight of all elements with codes below edge: at most the target */
    uint64_t *codes, *at, *weights; /* count * EDGES */
    xl_status status;               /* of this place */
} splitting;

size_t xl_split_scratch(uint32_t num_parts)
{
    return num_parts < 2 ? 0 : (num_parts - 1) * (size_t)(2 + 3 * EDGES) * sizeof(uint64_t);
}

static bool is_open(const splitting *s, size_t k)
{
    return s->below[k] < s->args->targets[k + 1];
}

/* After a failure, which the other places do not know yet, no element of this place has any weight. */
static void call(splitting *s, xl_split_find *f, size_t count, const uint64_t *values,
                 uint64_t *found)
{
    if (s->status == XL_SUCCESS && count > 0 && s->args->n > 0)
        s->status = f(s->args->user, count, values, found);
    if (s->status != XL_SUCCESS || s->args->n == 0)
        memset(found, 0, count * sizeof *found);
}

/* The weight of the first at[k] elements, or the least number of elements that have a weight. */
static void convert(splitting *s, xl_split_find *f, size_t count, const uint64_t *from,
                    uint64_t *to)
{
    if (f)
        call(s, f, count, from, to);
    else
        memmove(to, from, count * sizeof *from);
}

static xl_status sum(const splitting *s, int exclusive, size_t count, uint64_t *values)
{
    if (s->args->sum)
        return s->args->sum(s->args->user, exclusive, count, values);
    if (exclusive)
        memset(values, 0, count * sizeof *values);
    return XL_SUCCESS;
}

/* Open boundaries at the same edge share a row of codes. */
static bool has_next_row(const splitting *s, size_t k, size_t rows, uint64_t edge)
{
    return is_open(s, k) && (rows == 0 || s->edge[k] != edge);
}

static size_t list_codes(splitting *s, unsigned edges, unsigned shift)
{
    size_t rows = 0;
    uint64_t edge = 0;
    for (size_t k = 0; k < s->count; ++k) {
        if (!has_next_row(s, k, rows, edge))
            continue;
        edge = s->edge[k];
        for (unsigned j = 0; j < edges; ++j)
            s->codes[rows * edges + j] = edge + ((uint64_t)j << shift);
        ++rows;
    }
    return rows;
}

/* Moves each open boundary to the last code of its row that has at most the target below it. */
static void choose_edges(splitting *s, unsigned edges, unsigned shift)
{
    size_t rows = 0;
    uint64_t edge = 0;
    for (size_t k = 0; k < s->count; ++k) {
        if (!is_open(s, k))
            continue;
        if (has_next_row(s, k, rows, edge)) {
            edge = s->edge[k];
            ++rows;
        }
        const uint64_t *const weights = s->weights + (rows - 1) * edges;
        unsigned j = 0;
        while (j + 1 < edges && weights[j + 1] <= s->args->targets[k + 1])
            ++j;
        s->edge[k] += (uint64_t)j << shift;
        s->below[k] = weights[j];
    }
}

/* Then each boundary is at a code that has the target below it, or that crosses the target. */
static xl_status refine(splitting *s)
{
    for (unsigned shift = s->args->code_bits; shift > 0;) {
        const unsigned bits = shift < ROUND_BITS ? shift : ROUND_BITS, edges = 1u << bits;
        shift -= bits;
        const size_t rows = list_codes(s, edges, shift);
        if (rows == 0)
            break;
        call(s, s->args->find, rows * edges, s->codes, s->at);
        convert(s, s->args->weigh, rows * edges, s->at, s->weights);
        const xl_status status = sum(s, 0, rows * edges, s->weights);
        if (status != XL_SUCCESS)
            return status;
        choose_edges(s, edges, shift);
    }
    return XL_SUCCESS;
}

/* Divides elements of one code by place, then by their order on a place. */
static xl_status divide_equal(splitting *s)
{
    const xl_split_args *const args = s->args;
    const size_t count = s->count;
    uint64_t *const first = s->at, *const last = first + count, *const cuts = args->cuts + 1,
                    *const weights = s->weights, *const equal = weights + count;
    size_t below = 0; /* boundaries at a code that is not the greatest one */
    for (; below < count && s->edge[below] < UINT64_MAX >> (64 - args->code_bits); ++below)
        s->codes[below] = s->edge[below] + 1;
    call(s, args->find, count, s->edge, first);
    call(s, args->find, below, s->codes, last);
    for (size_t k = below; k < count; ++k)
        last[k] = args->n;
    convert(s, args->weigh, count, first, weights);
    convert(s, args->weigh, count, last, equal);
    for (size_t k = 0; k < count; ++k)
        equal[k] -= weights[k];
    const xl_status status = sum(s, 1, count, equal);
    if (status != XL_SUCCESS)
        return status;
    for (size_t k = 0; k < count; ++k) {
        const uint64_t wanted = is_open(s, k) ? args->targets[k + 1] - s->below[k] : 0;
        weights[k] += wanted > equal[k] ? wanted - equal[k] : 0;
    }
    convert(s, args->find_weight, count, weights, cuts);
    for (size_t k = 0; k < count; ++k)
        cuts[k] = cuts[k] < first[k] || !is_open(s, k) ? first[k]
                  : cuts[k] > last[k]                  ? last[k]
                                                       : cuts[k];
    return XL_SUCCESS;
}

static xl_status check(const xl_split_args *args)
{
    const char *const missing = !args                                   ? "args"
                                : !args->targets                        ? "args.targets"
                                : !args->find                           ? "args.find"
                                : !args->weigh && args->find_weight     ? "args.weigh"
                                : args->weigh && !args->find_weight     ? "args.find_weight"
                                : !args->cuts                           ? "args.cuts"
                                : !args->scratch && args->num_parts > 1 ? "args.scratch"
                                                                        : NULL;
    if (missing)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", missing);
    if (args->num_parts == 0)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "args.num_parts: 0; must be at least 1");
    if (args->code_bits < 1 || args->code_bits > 64)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "args.code_bits: %u; must be 1 to 64",
                        args->code_bits);
    for (uint32_t k = 0; k <= args->num_parts; ++k)
        if (k == 0 ? args->targets[k] > 0 : args->targets[k] < args->targets[k - 1])
            return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT,
                            "args.targets[%u]: %llu; must ascend from 0", k,
                            (unsigned long long)args->targets[k]);
    return XL_SUCCESS;
}

xl_status xl_split(const xl_split_args *args)
{
    xl_status status = check(args);
    if (status != XL_SUCCESS)
        return status;
    const size_t count = args->num_parts - 1, room = count * EDGES;
    uint64_t *const scratch = args->scratch;
    splitting s = {.args = args,
                   .count = count,
                   .edge = scratch,
                   .below = scratch + count,
                   .codes = scratch + 2 * count,
                   .at = scratch + 2 * count + room,
                   .weights = scratch + 2 * count + 2 * room};
    args->cuts[0] = 0;
    args->cuts[args->num_parts] = args->n;
    if (count > 0) {
        memset(s.edge, 0, 2 * count * sizeof *s.edge);
        status = refine(&s);
        if (status == XL_SUCCESS)
            status = divide_equal(&s);
    }
    return status == XL_SUCCESS ? s.status : status;
}

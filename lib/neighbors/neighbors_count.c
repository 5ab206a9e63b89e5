/* SPDX-License-Identifier: MIT
 * Counts of the neighbours of each query.
 *
 * A list in CSR form: count for each query -> exclusive sum in 64 bits -> fill
 * (neighbors_fill.c). */
#include "neighbors_plan.h"

typedef struct count_call {
    xl_neighbors_count_args args;
    xl_grid_index *index;
} count_call;

enum { COUNTS = XLI_NEAR_OWN, OFFSETS, ARRAYS };

static size_t queries_of(const xl_plan *base, const count_call *call)
{
    return xli_near_queries((const xli_neighbors_plan *)base, XLI_NEAR_GIVEN(call));
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const count_call *const call = of;
    XL_TRY(xli_near_count((const xli_neighbors_plan *)base, XLI_NEAR_GIVEN(call)));
    if (!call->args.counts.buffer && !call->args.offsets.buffer && queries_of(base, call) > 0)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.counts, args.offsets: not given; at least one must be");
done:
    return status;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const count_call *const call = of;
    const size_t n = queries_of(base, call);
    xli_near_list((const xli_neighbors_plan *)base, XLI_NEAR_GIVEN(call), arrays);
    arrays[COUNTS] = xli_output("args.counts", call->args.counts, n, sizeof(cl_uint));
    arrays[OFFSETS] = xli_output("args.offsets", call->args.offsets, n + 1, sizeof(cl_ulong));
    arrays[OFFSETS].access = XLI_READ | XLI_WRITE;
    arrays[COUNTS].optional = arrays[OFFSETS].optional = true;
    return ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const count_call *const call = of;
    return call->args.offsets.buffer ? xli_neighbors_scratch_bytes((const xli_neighbors_plan *)base,
                                                                   queries_of(base, call))
                                     : 0;
}

/* A flag tells the kernel that an array is not given; the buffer is then any. */
static xl_status launch_count(const xli_search *s)
{
    const xli_span *const counts = &s->spans[COUNTS], *const offsets = &s->spans[OFFSETS];
    const cl_mem any = s->index->storage;
    const xli_arg own[] = {XLI_U32(counts->buffer != NULL),
                           XLI_MEM(counts->buffer ? counts->buffer : any),
                           XLI_U64(counts->offset),
                           XLI_U32(offsets->buffer != NULL),
                           XLI_MEM(offsets->buffer ? offsets->buffer : any),
                           XLI_U64(offsets->offset)};
    return xli_near_launch(s, &s->plan->count, own, XLI_COUNT(own));
}

/* Replaces the counts in `offsets` by their exclusive sum. */
static xl_status launch_sum(const xli_search *s, const xli_span *scratch)
{
    xl_status status;
    xli_neighbors_plan *const plan = s->plan;
    const xli_span *const span = &s->spans[OFFSETS];
    const xl_view offsets = xl_view_of(span->buffer, span->offset);
    XL_TRY(xli_seq_nest(s->seq));
    XL_TRY(xl_scan_enqueue(plan->scan, s->seq->queue,
                           &(xl_scan_args){.n = s->n + 1,
                                           .in = offsets,
                                           .out = offsets,
                                           .scratch = xl_view_of(scratch->buffer, scratch->offset)},
                           XLI_NEST(s->seq)));
    xli_seq_nested(s->seq);
    if (plan->ends_loops)
        XL_TRY(XLI_LAUNCH(s->seq, &plan->total, 1, 1, XLI_MEM(s->index->storage),
                          XLI_GRID_PART(s->index, header), XLI_U32(s->n), XLI_MEM(offsets.buffer),
                          XLI_U64(offsets.offset)));
done:
    return status;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const count_call *const call = of;
    const xli_search s = {(xli_neighbors_plan *)base, call->index, seq, queries_of(base, call),
                          spans};
    XL_TRY(xli_grid_index_use(call->index, seq, spans, ARRAYS, scratch));
    if (s.n > 0 || spans[OFFSETS].buffer)
        XL_TRY(launch_count(&s));
    if (s.n > 0 && spans[OFFSETS].buffer)
        XL_TRY(launch_sum(&s, scratch));
done:
    return status;
}

static const xli_call table = {.args = {"args", sizeof(xl_neighbors_count_args), NULL},
                               .scratch_at = offsetof(xl_neighbors_count_args, scratch),
                               .index_at = offsetof(count_call, index),
                               .count = count,
                               .arrays = arrays,
                               .scratch = scratch_bytes,
                               .launch = launch};
XLI_PUBLIC_INDEX_CALL(neighbors, count_enqueue, xl_neighbors_count_args, table)

/* SPDX-License-Identifier: MIT
 * The calls of a search within a radius.
 *
 * Steps: count of each query -> exclusive sum in 64 bits (offsets) -> list; sums. A call runs those
 * whose outputs are given, or is one of count and list alone. Rows with room need no count. */
#include "neighbors_plan.h"

enum { COUNT = 1, LIST = 2, SUM = 4 };

enum { INDICES = XLI_NEAR_ROWS, DISTANCES2, VECTORS, SHIFTS, SUMS, ARRAYS };

static const xli_neighbors_plan *plan_of(const xl_plan *base)
{
    return (const xli_neighbors_plan *)base;
}

static uint32_t steps_of(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    const xl_neighbors_args *const a = &call->args;
    const bool lists = xli_near_gives_list(a), counts = xli_near_gives_counts(a);
    if (call->only)
        return call->only;
    return (counts && !(lists && plan->row_capacity > 0) ? COUNT : 0u) | (lists ? LIST : 0u) |
           (a->sums.buffer ? SUM : 0u);
}

/* Elements of `indices`. */
static uint64_t capacity_of(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    return plan->row_capacity > 0 ? (uint64_t)xli_near_num_rows(plan, call) * plan->row_capacity
                                  : call->args.capacity;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static xl_status check_capacity(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    if (steps_of(plan, call) & LIST && capacity_of(plan, call) > SIZE_MAX / sizeof(cl_double) / 3)
        return xli_fail(plan->base.ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %llu indices; exceed the address space",
                        plan->row_capacity > 0 ? "args.num_rows" : "args.capacity",
                        (unsigned long long)capacity_of(plan, call));
    return XL_SUCCESS;
}

static xl_status check_outputs(const xli_neighbors_plan *plan, const xli_near_call *call)
{
    const uint32_t steps = steps_of(plan, call);
    const xl_neighbors_args *const a = &call->args;
    const bool counts = a->counts.buffer || a->offsets.buffer;
    xl_context *const ctx = plan->base.ctx;
    if (xli_near_queries(plan, call) > 0 && (steps == 0 || (steps == COUNT && !counts)))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: none given; at least one must be",
                        steps == 0 ? "args.counts, args.offsets, args.indices, args.sums"
                                   : "args.counts, args.offsets");
    if (steps & SUM && !plan->visits)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.sums: given; must not be given, because desc.visit is NULL");
    return XL_SUCCESS;
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const xli_near_call *const call = of;
    const xli_neighbors_plan *const plan = plan_of(base);
    XL_TRY(xli_near_check(plan, call));
    XL_TRY(xli_near_check_rows(plan, call));
    XL_TRY(check_outputs(plan, call));
    XL_TRY(check_capacity(plan, call));
done:
    return status;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* An array that this call does not compute is ignored. */
static xli_array output_if(bool computed, const char *name, xl_view view, size_t n, size_t bytes)
{
    xli_array a = xli_output(name, computed ? view : xl_no_view(), n, bytes);
    a.access = XLI_READ | XLI_WRITE;
    a.optional = true;
    return a;
}

static void list_rows(const xli_neighbors_plan *plan, const xli_near_call *call, xli_array *arrays)
{
    const uint32_t steps = steps_of(plan, call);
    const size_t n = xli_near_num_rows(plan, call);
    xli_array *const counts = &arrays[XLI_NEAR_COUNTS], *const offsets = &arrays[XLI_NEAR_OFFSETS];
    if (steps & LIST)
        xli_near_list_rows(plan, call, call->args.counts, XLI_READ | XLI_WRITE, arrays);
    if (steps & COUNT) {
        *counts = output_if(true, "args.counts", call->args.counts, n, sizeof(cl_uint));
        counts->access = XLI_WRITE;
        *offsets = output_if(true, "args.offsets", call->args.offsets, n + 1, sizeof(cl_ulong));
        offsets->optional = !(steps & LIST);
    }
    if (!(steps & (COUNT | LIST)))
        *counts = *offsets = output_if(false, "args.counts", xl_no_view(), 0, sizeof(cl_uint));
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const xli_near_call *const call = of;
    const xl_neighbors_args *const args = &call->args;
    const xli_neighbors_plan *const plan = plan_of(base);
    const uint32_t steps = steps_of(plan, call);
    const bool lists = (steps & LIST) != 0;
    const size_t bytes = xli_scalar_bytes(plan->form.scalar);
    const size_t capacity = lists ? (size_t)capacity_of(plan, call) : 0;
    const size_t numbers = capacity * call->index->dimensions;
    xli_near_list(plan, call, arrays);
    list_rows(plan, call, arrays);
    arrays[INDICES] = output_if(lists, "args.indices", args->indices, capacity, sizeof(cl_uint));
    arrays[INDICES].optional = !lists;
    arrays[DISTANCES2] = output_if(lists, "args.distances2", args->distances2, capacity, bytes);
    arrays[VECTORS] = output_if(lists, "args.vectors", args->vectors, numbers, bytes);
    arrays[SHIFTS] = output_if(lists, "args.shifts", args->shifts, numbers, sizeof(cl_int));
    for (size_t k = DISTANCES2; k <= SHIFTS && !plan->has_details; ++k)
        arrays[k].unused = "must not be given, because desc.details is 0";
    arrays[SUMS] = output_if((steps & SUM) != 0, "args.sums", args->sums,
                             xli_near_num_rows(plan, call), bytes);
    arrays[SUMS].access = XLI_WRITE;
    return ARRAYS;
}

static size_t scratch_bytes(const xl_plan *base, const void *of)
{
    const xli_near_call *const call = of;
    const xli_neighbors_plan *const plan = plan_of(base);
    return steps_of(plan, call) & COUNT && call->args.offsets.buffer
               ? xli_neighbors_scratch_bytes(plan, xli_near_num_rows(plan, call))
               : 0;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A flag tells the kernel that an array is not given; the buffer is then any. */
static xl_status launch_count(const xli_search *s, size_t first_row, size_t num_rows)
{
    const xli_span *const counts = &s->spans[XLI_NEAR_COUNTS];
    const xli_span *const offsets = &s->spans[XLI_NEAR_OFFSETS];
    const cl_mem any = s->index->storage;
    const xli_arg own[] = {XLI_U32(first_row),
                           XLI_U32(num_rows),
                           XLI_U32(counts->buffer != NULL),
                           XLI_MEM(counts->buffer ? counts->buffer : any),
                           XLI_U64(counts->offset),
                           XLI_U32(offsets->buffer != NULL),
                           XLI_MEM(offsets->buffer ? offsets->buffer : any),
                           XLI_U64(offsets->offset)};
    return xli_near_launch(s, &s->plan->count, own, XLI_COUNT(own));
}

/* Replaces the counts in `offsets` by their exclusive sum. */
static xl_status launch_sum(const xli_search *s, size_t num_rows, const xli_span *scratch)
{
    const xli_span *const offsets = &s->spans[XLI_NEAR_OFFSETS];
    return xli_sums_launch(&s->plan->sums, s->seq,
                           &(xli_sums_call){.words = offsets->buffer,
                                            .at = offsets->offset,
                                            .wide = true,
                                            .n = num_rows + 1,
                                            .totals = scratch->buffer,
                                            .totals_at = scratch->offset});
}

/* The outputs besides indices, in the numbers of cl/neighbors/neighbors_rows.cl. */
static uint32_t wanted_of(const xli_span *spans)
{
    enum { WANTS_DISTANCES = 1, WANTS_VECTORS = 2, WANTS_SHIFTS = 4 };
    return (spans[DISTANCES2].buffer ? WANTS_DISTANCES : 0u) |
           (spans[VECTORS].buffer ? WANTS_VECTORS : 0u) |
           (spans[SHIFTS].buffer ? WANTS_SHIFTS : 0u);
}

/* For an array that is not given, any buffer will do. */
static cl_mem or_indices(const xli_search *s, size_t array)
{
    return s->spans[array].buffer ? s->spans[array].buffer : s->spans[INDICES].buffer;
}

static xl_status launch_list(const xli_search *s, const xli_near_call *call)
{
    xl_status status = XL_SUCCESS;
    const xli_neighbors_plan *const plan = s->plan;
    const bool rooms = plan->row_capacity > 0;
    const xli_span *const spans = s->spans;
    const xli_span *const rows = &spans[rooms ? XLI_NEAR_COUNTS : XLI_NEAR_OFFSETS];
    const uint32_t wanted = wanted_of(spans);
    const xli_arg own[] = {XLI_MEM(rows->buffer),
                           XLI_U64(rows->offset),
                           XLI_MEM(spans[INDICES].buffer),
                           XLI_U64(spans[INDICES].offset),
                           XLI_U64(rooms ? plan->row_capacity : call->args.capacity),
                           XLI_U32(call->args.first_row),
                           XLI_U32(xli_near_num_rows(plan, call)),
                           XLI_U32(s->index->dimensions),
                           XLI_U32(wanted),
                           XLI_MEM(or_indices(s, DISTANCES2)),
                           XLI_U64(spans[DISTANCES2].offset),
                           XLI_MEM(or_indices(s, VECTORS)),
                           XLI_U64(spans[VECTORS].offset),
                           XLI_MEM(or_indices(s, SHIFTS)),
                           XLI_U64(spans[SHIFTS].offset)};
    enum { OF_INDICES = 7 };
    _Static_assert(XLI_COUNT(own) <= (size_t)XLI_NEAR_OWN_ARGS,
                   "own arguments are counted in its header");
    if (xli_near_num_rows(plan, call) == 0 || capacity_of(plan, call) == 0)
        return XL_SUCCESS;
    /* A work-item that walks fills a row and its details at once. */
    if (!wanted || plan->tune.walk == 0)
        XL_TRY(xli_near_launch(s, &s->plan->fill, own, OF_INDICES));
    if (wanted)
        XL_TRY(xli_near_launch(s, &s->plan->details, own, XLI_COUNT(own)));
done:
    return status;
}

static xl_status launch_visit(const xli_search *s, const xl_neighbors_args *args, size_t num_rows)
{
    const xli_span *const sums = &s->spans[SUMS];
    const double *const p = args->params;
    const cl_float narrow[4] = {(float)p[0], (float)p[1], (float)p[2], (float)p[3]};
    const xli_arg own[] = {XLI_U32(args->first_row),
                           XLI_U32(num_rows),
                           xli_grid_real(s->plan->form.scalar, args->start),
                           s->plan->form.scalar == XL_F64 ? XLI_BYTES(p, 4 * sizeof *p)
                                                          : XLI_BYTES(narrow, sizeof narrow),
                           XLI_MEM(sums->buffer),
                           XLI_U64(sums->offset)};
    return xli_near_launch(s, &s->plan->visit, own, XLI_COUNT(own));
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const xli_near_call *const call = of;
    xli_neighbors_plan *const plan = (xli_neighbors_plan *)base;
    const uint32_t steps = steps_of(plan, call);
    const xli_search s = {plan, call->index, seq, xli_near_queries(plan, call), spans};
    const bool has_offsets = spans[XLI_NEAR_OFFSETS].buffer != NULL;
    const size_t num_rows = xli_near_num_rows(plan, call);
    XL_TRY(xli_grid_index_use(call->index, seq, spans, ARRAYS, scratch));
    if (steps & COUNT && (num_rows > 0 || has_offsets))
        XL_TRY(launch_count(&s, call->args.first_row, num_rows));
    if (steps & COUNT && num_rows > 0 && has_offsets)
        XL_TRY(launch_sum(&s, num_rows, scratch));
    if (steps & LIST)
        XL_TRY(launch_list(&s, call));
    if (steps & SUM && num_rows > 0)
        XL_TRY(launch_visit(&s, &call->args, num_rows));
done:
    return status;
}

/* ---- the public calls ------------------------------------------------------------------------ */

static void only_count(void *call)
{
    ((xli_near_call *)call)->only = COUNT;
}

static void only_list(void *call)
{
    ((xli_near_call *)call)->only = LIST;
}

static void all_given(void *call)
{
    ((xli_near_call *)call)->only = 0;
}

#define TABLE(steps)                                                                               \
    {                                                                                              \
        .args = {"args", sizeof(xl_neighbors_args), NULL},                                         \
        .scratch_at = offsetof(xl_neighbors_args, scratch),                                        \
        .index_at = offsetof(xli_near_call, index), .begin = (steps), .count = count,              \
        .arrays = arrays, .scratch = scratch_bytes, .prepare = xli_near_prepare, .launch = launch  \
    }
static const xli_call all = TABLE(all_given), counting = TABLE(only_count),
                      listing = TABLE(only_list);
XLI_PUBLIC_INDEX_CALL(neighbors, enqueue, xl_neighbors_args, all)
XLI_PUBLIC_INDEX_CALL(neighbors, count_enqueue, xl_neighbors_args, counting)
XLI_PUBLIC_INDEX_CALL(neighbors, fill_enqueue, xl_neighbors_args, listing)

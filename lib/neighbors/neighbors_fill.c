/* SPDX-License-Identifier: MIT
 * Rows of a list: the indices of the neighbours, and details of their pairs. */
#include "neighbors_plan.h"

typedef struct fill_call {
    xl_neighbors_fill_args args;
    xl_grid_index *index;
} fill_call;

enum { OFFSETS = XLI_NEAR_OWN, COUNTS, INDICES, DISTANCES2, VECTORS, SHIFTS, ARRAYS };

static size_t rows_of(const xli_neighbors_plan *plan, const fill_call *call)
{
    return xli_rows_of(xli_near_queries(plan, XLI_NEAR_GIVEN(call)), call->args.first_row,
                       call->args.num_rows);
}

/* Elements of `indices`. */
static uint64_t capacity_of(const xli_neighbors_plan *plan, const fill_call *call)
{
    return plan->row_capacity > 0 ? (uint64_t)rows_of(plan, call) * plan->row_capacity
                                  : call->args.capacity;
}

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const fill_call *const call = of;
    const xli_neighbors_plan *const plan = (const xli_neighbors_plan *)base;
    XL_TRY(xli_near_count(plan, XLI_NEAR_GIVEN(call)));
    XL_TRY(xli_near_check_capacity(plan, call->args.capacity));
    XL_TRY(xli_check_rows(base->ctx, xli_near_queries(plan, XLI_NEAR_GIVEN(call)),
                          call->args.first_row, call->args.num_rows));
    if (capacity_of(plan, call) > SIZE_MAX / sizeof(cl_double) / 3)
        XL_TRY(xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %llu indices; exceed the address space",
                        plan->row_capacity > 0 ? "args.num_rows" : "args.capacity",
                        (unsigned long long)capacity_of(plan, call)));
done:
    return status;
}

/* Each output has an element of some numbers for each index. */
static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const fill_call *const call = of;
    const xl_neighbors_fill_args *const args = &call->args;
    const xli_neighbors_plan *const plan = (const xli_neighbors_plan *)base;
    const size_t bytes = xli_scalar_bytes(plan->form.scalar);
    const size_t capacity = (size_t)capacity_of(plan, call);
    const size_t numbers = capacity * call->index->dimensions;
    xli_near_list(plan, XLI_NEAR_GIVEN(call), arrays);
    xli_near_list_rows(plan, xli_near_queries(plan, XLI_NEAR_GIVEN(call)), rows_of(plan, call),
                       args->offsets, args->counts, XLI_READ | XLI_WRITE, &arrays[OFFSETS]);
    arrays[INDICES] = xli_output("args.indices", args->indices, capacity, sizeof(cl_uint));
    arrays[DISTANCES2] = xli_output("args.distances2", args->distances2, capacity, bytes);
    arrays[VECTORS] = xli_output("args.vectors", args->vectors, numbers, bytes);
    arrays[SHIFTS] = xli_output("args.shifts", args->shifts, numbers, sizeof(cl_int));
    for (size_t k = INDICES; k < ARRAYS; ++k) {
        arrays[k].access = XLI_READ | XLI_WRITE;
        arrays[k].optional = k != INDICES;
        if (k != INDICES && !plan->has_details)
            arrays[k].unused = "must not be given, because desc.details is 0";
    }
    return ARRAYS;
}

/* The outputs besides indices, in the numbers of cl/neighbors/neighbors_details.cl. */
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

static xl_status launch_fill(const xli_search *s, const fill_call *call)
{
    xl_status status;
    const xli_neighbors_plan *const plan = s->plan;
    const bool rooms = plan->row_capacity > 0;
    const xli_span *const spans = s->spans, *const rows = &spans[rooms ? COUNTS : OFFSETS];
    const uint32_t wanted = wanted_of(spans);
    const xli_arg own[] = {XLI_MEM(rows->buffer),
                           XLI_U64(rows->offset),
                           XLI_MEM(spans[INDICES].buffer),
                           XLI_U64(spans[INDICES].offset),
                           XLI_U64(rooms ? plan->row_capacity : call->args.capacity),
                           XLI_U32(call->args.first_row),
                           XLI_U32(rows_of(plan, call)),
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
    /* A work-item that walks fills a row and its details at once. */
    if (!wanted || plan->tune.walk == 0)
        XL_TRY(xli_near_launch(s, &s->plan->fill, own, OF_INDICES));
    if (wanted)
        XL_TRY(xli_near_launch(s, &s->plan->details, own, XLI_COUNT(own)));
done:
    return status;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const fill_call *const call = of;
    xli_neighbors_plan *const plan = (xli_neighbors_plan *)base;
    const xli_search s = {plan, call->index, seq, xli_near_queries(plan, XLI_NEAR_GIVEN(call)),
                          spans};
    XL_TRY(xli_grid_index_use(call->index, seq, spans, ARRAYS, scratch));
    if (rows_of(plan, call) > 0 && capacity_of(plan, call) > 0)
        XL_TRY(launch_fill(&s, call));
done:
    return status;
}

static const xli_call table = {.args = {"args", sizeof(xl_neighbors_fill_args), NULL},
                               .index_at = offsetof(fill_call, index),
                               .count = count,
                               .arrays = arrays,
                               .launch = launch};
XLI_PUBLIC_INDEX_CALL(neighbors, fill_enqueue, xl_neighbors_fill_args, table)

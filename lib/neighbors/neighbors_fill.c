/* SPDX-License-Identifier: MIT
 * Rows of a list: their indices, and what else there is of their pairs. */
#include "neighbors_plan.h"

/* What a call gives besides indices; the numbers are those of cl/neighbors/neighbors_details.cl. */
enum { WANTS_DISTANCES = 1, WANTS_VECTORS = 2, WANTS_SHIFTS = 4 };

static uint32_t wanted_of(const xl_neighbors_fill_args *args)
{
    return (args->distances2.buffer ? WANTS_DISTANCES : 0u) |
           (args->vectors.buffer ? WANTS_VECTORS : 0u) | (args->shifts.buffer ? WANTS_SHIFTS : 0u);
}

xl_status xli_near_form(const xli_search *s, uint64_t capacity, xl_view offsets, xl_view counts)
{
    const bool rows = s->plan->row_capacity > 0;
    const xli_idle_field fields[] = {
        {"capacity", capacity != 0, !rows, "desc.row_capacity is that of each row"},
        {"offsets", offsets.buffer != NULL, !rows, "desc.row_capacity says where rows begin"},
        {"counts", counts.buffer != NULL, rows, "desc.row_capacity is 0"}};
    return xli_check_idle(s->plan->ctx, fields, XLI_COUNT(fields));
}

/* Everything that is written has an element of `width` numbers, of so many bytes each, for each
 * index. */
static xl_status check_output(const xli_search *s, const char *name, xl_view view,
                              uint64_t capacity, size_t width, size_t bytes, xli_span *span)
{
    if (!view.buffer)
        return XL_SUCCESS;
    if (capacity > SIZE_MAX / bytes / width)
        return xli_fail(s->plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "capacity: %llu indices exceed the address space",
                        (unsigned long long)capacity);
    return xli_check_view(s->plan->ctx, name, view, (size_t)capacity * width, bytes,
                          XLI_READ | XLI_WRITE, span);
}

/* Where rows begin, or how long they are. */
static xl_status check_bounds(const xli_search *s, const xl_neighbors_fill_args *args,
                              xli_span *span)
{
    if (s->plan->row_capacity > 0)
        return xli_check_view(s->plan->ctx, "counts", args->counts, args->num_rows, sizeof(cl_uint),
                              XLI_READ | XLI_WRITE, span);
    return xli_check_view(s->plan->ctx, "offsets", args->offsets, s->n + 1, sizeof(cl_ulong),
                          XLI_READ, span);
}

static xl_status check_fill(xli_search *s, xl_neighbors_fill_args *args)
{
    xl_status status;
    const xli_neighbors_plan *const plan = s->plan;
    const size_t dimensions = s->index->dimensions, bytes = xli_scalar_bytes(plan->scalar);
    uint64_t capacity = args->capacity;
    xli_span spans[5] = {{0}};
    const xli_idle_field fields[] = {{"distances2, vectors, shifts", wanted_of(args) != 0,
                                      plan->has_details, "desc.details is 0"}};
    XL_TRY(xli_check_idle(plan->ctx, fields, XLI_COUNT(fields)));
    XL_TRY(xli_near_queries(s, XLI_NEAR_GIVEN(args)));
    XL_TRY(xli_near_form(s, args->capacity, args->offsets, args->counts));
    XL_TRY(xli_check_rows(plan->ctx, s->n, args->first_row, &args->num_rows));
    XL_TRY(check_bounds(s, args, &spans[0]));
    if (plan->row_capacity > 0)
        capacity = (uint64_t)args->num_rows * plan->row_capacity;
    if (capacity > 0 && !args->indices.buffer)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "indices: not given"));
    XL_TRY(check_output(s, "indices", args->indices, capacity, 1, 4, &spans[1]));
    XL_TRY(check_output(s, "distances2", args->distances2, capacity, 1, bytes, &spans[2]));
    XL_TRY(check_output(s, "vectors", args->vectors, capacity, dimensions, bytes, &spans[3]));
    XL_TRY(check_output(s, "shifts", args->shifts, capacity, dimensions, 4, &spans[4]));
    XL_TRY(xli_near_apart(s, spans, XLI_COUNT(spans)));
done:
    return status;
}

/* A buffer that is not given is any. */
static cl_mem or_indices(xl_view view, const xl_neighbors_fill_args *args)
{
    return view.buffer ? view.buffer : args->indices.buffer;
}

static xl_status launch_fill(xli_search *s, const xl_neighbors_fill_args *args)
{
    xl_status status;
    const bool rows = s->plan->row_capacity > 0;
    const xl_view bounds = rows ? args->counts : args->offsets;
    const xli_arg own[] = {XLI_MEM(bounds.buffer),
                           XLI_U64(bounds.offset),
                           XLI_MEM(args->indices.buffer),
                           XLI_U64(args->indices.offset),
                           XLI_U64(rows ? s->plan->row_capacity : args->capacity),
                           XLI_U32(args->first_row),
                           XLI_U32(args->num_rows),
                           XLI_U32(s->index->dimensions),
                           XLI_U32(wanted_of(args)),
                           XLI_MEM(or_indices(args->distances2, args)),
                           XLI_U64(args->distances2.offset),
                           XLI_MEM(or_indices(args->vectors, args)),
                           XLI_U64(args->vectors.offset),
                           XLI_MEM(or_indices(args->shifts, args)),
                           XLI_U64(args->shifts.offset)};
    enum { OF_INDICES = 7 };
    _Static_assert(XLI_COUNT(own) <= (size_t)XLI_NEAR_OWN_ARGS,
                   "own arguments are counted in its header");
    /* A work-item that walks fills a row and its details at once. */
    const bool fills = !wanted_of(args) || s->plan->tune.walk == 0;
    if (fills)
        XL_TRY(xli_near_launch(s, &s->plan->fill, own, OF_INDICES));
    if (wanted_of(args))
        XL_TRY(xli_near_launch(s, &s->plan->details, own, XLI_COUNT(own)));
done:
    return status;
}

xl_status xli_neighbors_fill_enqueue(xli_neighbors_plan *plan, xl_grid_index *index,
                                     cl_command_queue queue, const xl_neighbors_fill_args *args,
                                     size_t size, cl_uint num_waits, const cl_event *waits,
                                     cl_event *event)
{
    xl_status status;
    xli_search s = {0};
    xl_neighbors_fill_args given = {0};
    XL_TRY(xli_near_begin(&s, plan, index, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_fill_args, args, size, &given));
    XL_TRY(check_fill(&s, &given));
    if (given.num_rows > 0 && (given.capacity > 0 || plan->row_capacity > 0))
        XL_TRY(launch_fill(&s, &given));
done:
    return xli_seq_end(&s.seq, status, event);
}

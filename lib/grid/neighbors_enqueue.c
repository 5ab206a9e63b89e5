/* SPDX-License-Identifier: MIT
 * Searches: counts, lists and sums over the neighbours of each query.
 *
 * Phases of a list: count per query -> exclusive sum in 64 bits -> fill. */
#include "neighbors_plan.h"

/* One call. Arrays of the caller's come to `spans`, which share no byte with each other, except for
 * what is only read, nor with the storage of the index. */
typedef struct search {
    xl_neighbors *plan;
    xl_grid_index *index;
    xli_seq seq;
    size_t n; /* queries */
    xli_span queries, radii;
} search;

static xl_status check_period(const xl_neighbors *plan, const xl_grid_index *index)
{
    if (plan->periodic != index->period.any)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: its space %s, but the plan's desc.periodic is %d",
                        index->period.any ? "repeats" : "does not repeat", plan->periodic ? 1 : 0);
    return xli_neighbors_check_period(plan->ctx, index, "desc.radius", plan->radius,
                                      plan->ends_loops);
}

/* What every call checks first. */
static xl_status begin(search *s, xl_neighbors *plan, xl_grid_index *index, cl_command_queue queue,
                       cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    if (event)
        *event = NULL;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    s->plan = plan;
    s->index = index;
    XL_TRY(xli_seq_begin(&s->seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(xli_grid_index_use(plan->ctx, index, plan->planes, &s->seq));
    XL_TRY(check_period(plan, index));
    if (plan->given && plan->dimensions != index->dimensions)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "index: of points in %u dimensions, the plan's queries have %u",
                        (unsigned)index->dimensions, (unsigned)plan->dimensions));
done:
    return status;
}

/* The queries and their radii, as the plan has them. */
static xl_status check_queries(search *s, size_t num_queries, xl_view queries, xl_view radii)
{
    xl_status status;
    const xl_neighbors *const plan = s->plan;
    const xli_idle_field fields[] = {
        {"num_queries", num_queries != 0, plan->given, "desc.queries is XL_QUERIES_INDEXED"},
        {"queries", queries.buffer != NULL, plan->given, "desc.queries is XL_QUERIES_INDEXED"},
        {"radii", radii.buffer != NULL, plan->radii, "desc.radii is 0"}};
    XL_TRY(xli_check_idle(plan->ctx, fields, XLI_COUNT(fields)));
    s->n = plan->given ? num_queries : s->index->n;
    XL_TRY(xli_neighbors_check_n(plan->ctx, s->n, plan->query_stride));
    if (plan->given) {
        const size_t scalars = s->n > 0 ? (s->n - 1) * plan->query_stride + plan->dimensions : 0;
        XL_TRY(xli_check_view(plan->ctx, "queries", queries, scalars, sizeof(cl_float), XLI_READ,
                              &s->queries));
    }
    if (plan->radii)
        XL_TRY(
            xli_check_view(plan->ctx, "radii", radii, s->n, sizeof(cl_float), XLI_READ, &s->radii));
done:
    return status;
}

/* What is written shares no byte with anything else. */
static xl_status check_apart(const search *s, const xli_span *spans, size_t num_spans)
{
    xl_status status;
    const xli_span *const read[] = {&s->queries, &s->radii};
    XL_TRY(xli_grid_check_apart(s->plan->ctx, s->index, spans, num_spans));
    for (size_t i = 0; i < num_spans; ++i)
        XL_TRY(xli_check_apart_from(s->plan->ctx, &spans[i], read, XLI_COUNT(read)));
    for (size_t i = 0; i < XLI_COUNT(read); ++i)
        XL_TRY(xli_check_apart(s->plan->ctx, read[i], &s->index->storage_span, false));
done:
    return status;
}

/* Counts and lists are walked for where work-items do so. */
static xli_grid_shape shape_of(const xl_neighbors *plan, const xli_kernel *kernel, size_t n)
{
    const bool walks = plan->tune.walk > 0 && kernel != &plan->visit;
    return xli_grid_shape_of(kernel, walks ? xli_ceil_div(n, plan->tune.walk) : n,
                             walks ? 1 : plan->tune.group, plan->tune.items);
}

/* The arguments that all searches share: XL_INDEX_PARAMETERS and XL_QUERY_PARAMETERS of
 * cl/neighbors/neighbors_ranges.cl. */
static void add_shared(const search *s, xli_args *args)
{
    const xl_neighbors *const plan = s->plan;
    const xl_grid_index *const index = s->index;
    const xli_grid_period *const p = &index->period;
    const xli_arg shared[] = {XLI_MEM(index->storage),
                              XLI_GRID_PART(index, header),
                              XLI_GRID_PART(index, starts),
                              XLI_GRID_PART(index, begins),
                              XLI_GRID_PART(index, sorted),
                              XLI_U32(index->n),
                              XLI_U32(index->layout.table),
                              XLI_U32(index->stamp),
                              XLI_BYTES(&plan->reach, sizeof(float)),
                              XLI_BYTES(&plan->radius2, sizeof(float))};
    for (size_t i = 0; i < XLI_COUNT(shared); ++i)
        xli_args_add(args, shared[i]);
    if (plan->periodic) {
        xli_args_add(args, XLI_BYTES(&p->lower, sizeof p->lower));
        xli_args_add(args, XLI_BYTES(&p->upper, sizeof p->upper));
        xli_args_add(args, XLI_BYTES(&p->period, sizeof p->period));
        xli_args_add(args, XLI_BYTES(&p->extent, sizeof p->extent));
    }
    if (plan->given)
        xli_args_add_span(args, &s->queries);
    if (plan->radii) {
        xli_args_add(args, XLI_BYTES(&plan->radius, sizeof(float)));
        xli_args_add_span(args, &s->radii);
    }
    xli_args_add(args, XLI_U32(s->n));
}

/* Launches a search over the queries: the arguments that all share, and these. */
static xl_status launch(search *s, xli_kernel *kernel, const xli_arg *own, size_t num_own)
{
    xli_args args = {0};
    const xli_grid_shape shape = shape_of(s->plan, kernel, xli_max(s->n, 1));
    add_shared(s, &args);
    for (size_t i = 0; i < num_own; ++i)
        xli_args_add(&args, own[i]);
    return xli_seq_launch(&s->seq, kernel, shape.groups, shape.size, args.at, args.count);
}

/* The kernel's way to say "not given" is a flag; the buffer is then any. */
static cl_mem or_any(xl_view view, const xl_grid_index *index)
{
    return view.buffer ? view.buffer : index->storage;
}

static xl_status check_count(search *s, const xl_neighbors_count_args *args, xli_span *work)
{
    xl_status status;
    xl_neighbors *const plan = s->plan;
    const xl_view counts = args->counts, offsets = args->offsets;
    xli_span spans[3] = {{0}};
    size_t bytes, alignment;
    *work = spans[2];
    XL_TRY(check_queries(s, args->num_queries, args->queries, args->radii));
    if (!counts.buffer && !offsets.buffer && s->n > 0)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "counts, offsets: none is given");
    if (counts.buffer)
        XL_TRY(xli_check_view(plan->ctx, "counts", counts, s->n, sizeof(cl_uint), XLI_WRITE,
                              &spans[0]));
    if (offsets.buffer) {
        XL_TRY(xli_check_view(plan->ctx, "offsets", offsets, s->n + 1, sizeof(cl_ulong),
                              XLI_READ | XLI_WRITE, &spans[1]));
        XL_TRY(xl_neighbors_scratch(plan, s->n, &bytes, &alignment));
        XL_TRY(xli_seq_scratch(&s->seq, &plan->pool, args->scratch, bytes, alignment, &spans[2]));
    }
    XL_TRY(check_apart(s, spans, XLI_COUNT(spans)));
    *work = spans[2];
done:
    return status;
}

/* Of the counts in `offsets` the exclusive sum. */
static xl_status launch_sum(search *s, xl_view offsets, const xli_span *work)
{
    xl_status status;
    xl_neighbors *const plan = s->plan;
    XL_TRY(xli_seq_nest(&s->seq));
    XL_TRY(xl_scan_enqueue(plan->scan, s->seq.queue,
                           &(xl_scan_args){.n = s->n + 1,
                                           .in = offsets,
                                           .out = offsets,
                                           .scratch = xl_view_of(work->buffer, work->offset)},
                           XLI_NEST(&s->seq)));
    xli_seq_nested(&s->seq);
    if (plan->ends_loops)
        XL_TRY(XLI_LAUNCH(&s->seq, &plan->total, 1, 1, XLI_MEM(s->index->storage),
                          XLI_GRID_PART(s->index, header), XLI_U32(s->n), XLI_MEM(offsets.buffer),
                          XLI_U64(offsets.offset)));
done:
    return status;
}

xl_status xl_neighbors_count_enqueue_sized(xl_neighbors *plan, xl_grid_index *index,
                                           cl_command_queue queue,
                                           const xl_neighbors_count_args *args, size_t size,
                                           cl_uint num_waits, const cl_event *waits,
                                           cl_event *event)
{
    xl_status status;
    search s = {0};
    xli_span work;
    xl_neighbors_count_args given = {0};
    XL_TRY(begin(&s, plan, index, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_count_args, args, size, &given));
    XL_TRY(check_count(&s, &given, &work));
    const xli_arg own[] = {
        XLI_U32(given.counts.buffer != NULL),  XLI_MEM(or_any(given.counts, index)),
        XLI_U64(given.counts.offset),          XLI_U32(given.offsets.buffer != NULL),
        XLI_MEM(or_any(given.offsets, index)), XLI_U64(given.offsets.offset)};
    if (s.n > 0 || given.offsets.buffer)
        XL_TRY(launch(&s, &plan->count, own, XLI_COUNT(own)));
    if (s.n > 0 && given.offsets.buffer)
        XL_TRY(launch_sum(&s, given.offsets, &work));
done:
    return xli_seq_end(&s.seq, status, event);
}

static xl_status check_fill(search *s, const xl_neighbors_fill_args *args)
{
    xl_status status;
    const xl_neighbors *const plan = s->plan;
    xli_span spans[2];
    XL_TRY(check_queries(s, args->num_queries, args->queries, args->radii));
    if (args->capacity > SIZE_MAX / sizeof(cl_uint))
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "capacity: %llu indices exceed the address space",
                        (unsigned long long)args->capacity);
    XL_TRY(xli_check_view(plan->ctx, "offsets", args->offsets, s->n + 1, sizeof(cl_ulong), XLI_READ,
                          &spans[0]));
    XL_TRY(xli_check_view(plan->ctx, "indices", args->indices, (size_t)args->capacity,
                          sizeof(cl_uint), XLI_READ | XLI_WRITE, &spans[1]));
    XL_TRY(check_apart(s, spans, XLI_COUNT(spans)));
done:
    return status;
}

xl_status xl_neighbors_fill_enqueue_sized(xl_neighbors *plan, xl_grid_index *index,
                                          cl_command_queue queue,
                                          const xl_neighbors_fill_args *args, size_t size,
                                          cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    search s = {0};
    xl_neighbors_fill_args given = {0};
    XL_TRY(begin(&s, plan, index, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_fill_args, args, size, &given));
    XL_TRY(check_fill(&s, &given));
    const xli_arg own[] = {XLI_MEM(given.offsets.buffer), XLI_U64(given.offsets.offset),
                           XLI_MEM(given.indices.buffer), XLI_U64(given.indices.offset),
                           XLI_U64(given.capacity)};
    if (s.n > 0 && given.capacity > 0)
        XL_TRY(launch(&s, &plan->fill, own, XLI_COUNT(own)));
done:
    return xli_seq_end(&s.seq, status, event);
}

xl_status xl_neighbors_visit_enqueue_sized(xl_neighbors *plan, xl_grid_index *index,
                                           cl_command_queue queue,
                                           const xl_neighbors_visit_args *args, size_t size,
                                           cl_uint num_waits, const cl_event *waits,
                                           cl_event *event)
{
    xl_status status;
    search s = {0};
    xli_span span;
    xl_neighbors_visit_args given = {0};
    XL_TRY(begin(&s, plan, index, queue, num_waits, waits, event));
    XL_TRY(XLI_ARGS_READ(plan->ctx, xl_neighbors_visit_args, args, size, &given));
    if (!plan->visits)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "plan: made without desc.visit, so there is nothing to visit with"));
    XL_TRY(check_queries(&s, given.num_queries, given.queries, given.radii));
    XL_TRY(xli_check_view(plan->ctx, "out", given.out, s.n, sizeof(cl_float), XLI_WRITE, &span));
    XL_TRY(check_apart(&s, &span, 1));
    const xli_arg own[] = {XLI_BYTES(&given.start, sizeof given.start),
                           XLI_BYTES(given.params, sizeof given.params), XLI_MEM(given.out.buffer),
                           XLI_U64(given.out.offset)};
    if (s.n > 0)
        XL_TRY(launch(&s, &plan->visit, own, XLI_COUNT(own)));
done:
    return xli_seq_end(&s.seq, status, event);
}

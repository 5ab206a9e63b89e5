/* SPDX-License-Identifier: MIT
 * The launches of a top-k selection from each segment (cl/top_k/top_k_segments.cl). The host does
 * not know the lengths of segments. The first launch finishes short segments and lists the long
 * ones. If n allows a long segment, more launches work on the list: some for each digit of a key,
 * and a few more. They end at once if the list is empty. */
#include "top_k_plan.h"

/* As in cl/top_k/top_k_segments_list.cl. */
enum { OUTPUT_SORTED = 8 };

/* ---- scratch --------------------------------------------------------------- */

/* The most segments that are longer than a tile, their most chunks, the keys of a chunk, and the
 * most results to sort. */
typedef struct room {
    size_t longs, chunks, chunk, results;
} room;

static room room_of(const xli_top_k_plan *plan, size_t n, size_t k)
{
    const size_t tile = (size_t)1 << plan->tile_log;
    const xli_top_k_chunks chunks = xli_top_k_chunks_of(&plan->shape, n);
    room r = {.longs = n / (tile + 1), .chunk = xli_max(chunks.elements, tile)};
    r.chunks = n / r.chunk + r.longs;
    r.results = plan->problem.sorted ? xli_min(n, xli_mul(r.longs, xli_min(k, n))) : 0;
    return r;
}

/* Parts of the scratch, as bytes from its start: the list of long segments; then, for results that
 * are sorted, their first one for each segment, ordinals, indices, and the scratch of the sort; if
 * there are values, the indices of all results. */
typedef struct layout {
    size_t starts_at, ordinals_at, indices_at, nested_at, all_indices_at, bytes;
} layout;

/* The places of results, k for each segment. */
static size_t places_of(const xl_top_k_args *args)
{
    return xli_mul(args->segments.count, args->k);
}

static layout lay_out(const xli_top_k_plan *plan, const room *r, const xl_top_k_args *args)
{
    enum { HEAD = 16, LONG = 40, DIGITS = 256, CHUNK_WORDS = 3 };
    layout l = {0};
    const size_t each = LONG + DIGITS * sizeof(cl_uint);
    const size_t nested = r->results > 0 ? xli_top_k_nested_bytes(plan->sort, r->results) : 0;
    (void)xli_top_k_take(
        &l.bytes,
        xli_add(HEAD + CHUNK_WORDS * sizeof(cl_uint) * r->chunks, xli_mul(r->longs, each)), 1);
    l.starts_at = xli_top_k_take(&l.bytes, r->results > 0 ? r->longs : 0, sizeof(cl_uint));
    l.ordinals_at = xli_top_k_take(&l.bytes, r->results, xli_top_k_is_wide(&plan->problem) ? 8 : 4);
    l.indices_at = xli_top_k_take(&l.bytes, r->results, sizeof(cl_uint));
    l.nested_at = xli_top_k_take(&l.bytes, nested, 1);
    l.all_indices_at = xli_top_k_take(
        &l.bytes, plan->problem.values.count > 0 ? places_of(args) : 0, sizeof(cl_uint));
    return l;
}

size_t xli_top_k_segments_scratch(const xli_top_k_plan *plan, const xl_top_k_args *args)
{
    const room r = room_of(plan, args->n, args->k);
    return lay_out(plan, &r, args).bytes;
}

/* ---- launches --------------------------------------------------------------- */

/* A call, and the arguments of its next launch. */
typedef struct flow {
    xli_top_k_call call;
    xli_top_k_plan *plan;
    xli_seq *seq;
    size_t n, k, segments; /* k: results of a segment, at most n */
    const xli_span *scratch;
    room room;
    layout layout;
    xli_args args;
} flow;

static void add_part(flow *f, size_t at)
{
    xli_args_add(&f->args, XLI_U64(f->scratch->offset + at));
}

static void add_array(flow *f, size_t which)
{
    xli_args_add_span(&f->args, &f->call.spans[which]);
}

/* XL_TOP_K_LIST. */
static void begin_args(flow *f)
{
    f->args.count = 0;
    xli_args_add(&f->args, XLI_U32(f->n));
    xli_args_add(&f->args, XLI_U32(f->k));
    xli_args_add(&f->args, XLI_MEM(f->scratch->buffer));
    add_part(f, 0);
    xli_args_add(&f->args, XLI_U32(f->room.longs));
    xli_args_add(&f->args, XLI_U32(f->room.chunk));
    xli_args_add(&f->args, XLI_U32(f->segments));
}

/* XL_TOP_K_RESULTS_ARGUMENTS. */
static void add_results(flow *f)
{
    const cl_uint sorted = f->plan->problem.sorted ? OUTPUT_SORTED : 0;
    xli_args_add(&f->args, XLI_U32(xli_top_k_outputs(&f->call) | sorted));
    xli_args_add(&f->args, XLI_U64(f->call.k));
    xli_top_k_add_arrays(&f->args, &f->call);
}

static xl_status launch(flow *f, xli_kernel *kernel, size_t groups)
{
    return xli_seq_launch_args(f->seq, kernel, groups, f->plan->shape.group_size, &f->args, 0);
}

/* Segments of a group: as many as fill a few tiles with keys if all segments have equal lengths; at
 * most one for each work-item. */
static size_t batch_of(const flow *f)
{
    enum { TILES = 4, MOST_SERIAL = 1024 };
    const xli_top_k_shape *shape = &f->plan->shape;
    const size_t average = xli_max(1, f->n / f->segments);
    const size_t most = shape->tune.shape == XLI_TOP_K_SERIAL ? MOST_SERIAL : shape->group_size;
    const size_t tiles = ((size_t)TILES << f->plan->tile_log) / average;
    const size_t spread = xli_ceil_div(f->segments, xli_max(1, shape->units)); /* for all units */
    return xli_max(1, xli_min(xli_min(tiles, spread), xli_min(most, shape->batch)));
}

static xl_status launch_short(flow *f)
{
    xl_status status;
    const size_t batch = batch_of(f);
    begin_args(f);
    XL_TRY(launch(f, &f->plan->kernels.segments.begin, 1));
    xli_top_k_add_length(&f->args, &f->call);
    xli_args_add(&f->args, XLI_U32(batch));
    add_array(f, XLI_TOP_K_SEGMENTS);
    add_array(f, XLI_TOP_K_COUNTS_OUT); /* or NULL */
    add_results(f);
    XL_TRY(launch(f, &f->plan->kernels.segments.rows, xli_ceil_div(f->segments, batch)));
done:
    return status;
}

static xl_status launch_digits(flow *f)
{
    xl_status status = XL_SUCCESS;
    xli_top_k_segment_kernels *k = &f->plan->kernels.segments;
    const size_t most = f->plan->shape.list_groups;
    const size_t chunks = xli_min(f->room.chunks, most), longs = xli_min(f->room.longs, most);
    for (size_t digit = 0; digit < xl_type_size(f->plan->problem.key); ++digit) {
        begin_args(f);
        add_array(f, XLI_TOP_K_KEYS_IN);
        XL_TRY(launch(f, &k->count, chunks));
        begin_args(f);
        XL_TRY(launch(f, &k->find, longs));
    }
    begin_args(f);
    add_array(f, XLI_TOP_K_KEYS_IN);
    XL_TRY(launch(f, &k->tally, chunks));
    begin_args(f);
    xli_args_add(&f->args, XLI_U32(f->room.results));
    add_part(f, f->layout.starts_at);
    XL_TRY(launch(f, &k->places, longs));
    begin_args(f);
    xli_args_add(&f->args, XLI_U32(f->room.results));
    add_part(f, f->layout.starts_at);
    add_part(f, f->layout.ordinals_at);
    add_part(f, f->layout.indices_at);
    add_results(f);
    XL_TRY(launch(f, &k->write, chunks));
done:
    return status;
}

static xl_view part(const flow *f, size_t at, size_t element_bytes, size_t count)
{
    return xl_view_n(f->scratch->buffer, (f->scratch->offset + at) / element_bytes, count);
}

/* Sorts the results of the long segments, which are contiguous and in the order of the input: a
 * segmented sort keeps equal keys in that order. */
static xl_status launch_sorted(flow *f)
{
    enum { RESULTS_AT = 8, EACH = 64 }; /* xl_list_head.results */
    xl_status status;
    xli_kernel *gather = &f->plan->kernels.segments.gather;
    const size_t results = f->room.results, group = xli_min(EACH, gather->max_group);
    const xl_view keys =
        part(f, f->layout.ordinals_at, xli_top_k_is_wide(&f->plan->problem) ? 8 : 4, results);
    const xl_view values = part(f, f->layout.indices_at, sizeof(cl_uint), results);
    const xl_sort_args args = {.n = results,
                               .n_device = part(f, RESULTS_AT, sizeof(cl_ulong), 1),
                               .keys_in = keys,
                               .keys_out = keys,
                               .values_in = values,
                               .values_out = values,
                               .segments =
                                   part(f, f->layout.starts_at, sizeof(cl_uint), f->room.longs),
                               .scratch = part(f, f->layout.nested_at, 1, 0)};
    XL_TRY(xli_seq_nest(f->seq));
    XL_TRY(xl_sort_enqueue(f->plan->sort, f->seq->queue, &args, XLI_NEST(f->seq)));
    xli_seq_nested(f->seq);
    begin_args(f);
    xli_args_add(&f->args, XLI_U32(results));
    add_part(f, f->layout.starts_at);
    add_part(f, f->layout.indices_at);
    add_results(f);
    XL_TRY(xli_seq_launch_args(f->seq, gather, xli_ceil_div(results, group), group, &f->args, 0));
done:
    return status;
}

xl_status xli_top_k_segments_launch(xli_top_k_plan *plan, xli_seq *seq, const xl_top_k_args *args,
                                    const xli_span *spans, const xli_span *scratch)
{
    xl_status status = XL_SUCCESS;
    flow f = {.plan = plan,
              .seq = seq,
              .n = args->n,
              .k = xli_min(args->k, args->n),
              .segments = args->segments.count,
              .scratch = scratch,
              .room = room_of(plan, args->n, args->k)};
    if (!spans[XLI_TOP_K_SEGMENTS].buffer)
        return XL_SUCCESS;
    f.layout = lay_out(plan, &f.room, args);
    f.call = xli_top_k_call_of(plan, seq, args, spans, scratch, f.layout.all_indices_at);
    XL_TRY(launch_short(&f));
    if (f.k == 0)
        return XL_SUCCESS;
    if (f.room.longs > 0)
        XL_TRY(launch_digits(&f));
    if (f.room.results > 0)
        XL_TRY(launch_sorted(&f));
    XL_TRY(xli_top_k_values_launch(&f.call, places_of(args)));
done:
    return status;
}

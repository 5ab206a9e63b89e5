/* SPDX-License-Identifier: MIT
 * The launches of a top-k selection. If there are many keys, a sample supplies a bound, and lists
 * of the keys within it are made. Then there is one pass for each digit of a key; one launch that
 * counts the results of each chunk; and one that writes them.
 *
 * To be sorted, a result is written as a word of 64 bits, its key as an ordinal above its index. A
 * key of 8 bytes leaves no room for the index, which is written beside it. If there are few results,
 * one launch counts the results before each, which is its place. A sort of many is not stable, but
 * orders words of equal keys by index. A key of 8 bytes is sorted with its index as a value, and
 * that sort is stable: results are written in the order of the input. */
#include "top_k_plan.h"

/* As in cl/top_k/top_k_pass.cl. */
enum { OUTPUT_PAIRS = 4, DIGIT_BITS = 11, RESULTS_AT = 496 };

/* Work-items of a group in which each processes one result. */
static size_t each(const xli_kernel *kernel)
{
    return xli_min(64, kernel->max_group);
}

size_t xli_top_k_nested_bytes(const xl_plan *sort, size_t n)
{
    size_t bytes = 0;
    const xl_sort_args args = {.n = n};
    return !sort || xl_sort_scratch(sort, &args, &bytes) == XL_SUCCESS ? bytes : SIZE_MAX;
}

xli_top_k_layout xli_top_k_lay_out(const xli_top_k_plan *plan, size_t n, size_t results)
{
    const bool sorts = xli_top_k_sorts(&plan->problem, results) &&
                       !xli_top_k_ranks(&plan->problem, &plan->shape, results);
    const size_t nested = sorts ? xli_top_k_nested_bytes(plan->sort, results) : 0;
    return xli_top_k_layout_of(&plan->problem, &plan->shape, n, results, nested);
}

/* A call with at least one result. */
typedef struct flow {
    xli_top_k_call call;
    xli_top_k_plan *plan;
    xli_seq *seq;
    size_t n, results; /* results: at most */
    xli_top_k_layout layout;
} flow;

static xli_arg part(const flow *f, size_t at)
{
    return XLI_U64(f->call.scratch->offset + at);
}

static xli_arg scratch_of(const flow *f)
{
    return XLI_MEM(f->call.scratch->buffer);
}

/* No sample if its kernels, which are built later, allow fewer work-items in a group than the
 * others. */
static xli_top_k_sample sample_of(const flow *f)
{
    const xli_top_k_plan *const plan = f->plan;
    const xli_top_k_sample none = {0}, sample = xli_top_k_sample_of(&plan->problem, &plan->shape,
                                                                    f->n, f->results);
    const bool fits = sample.keys > 0 && xli_min(plan->sample.max_group, plan->bound.max_group) >=
                                             plan->shape.group_size;
    return fits ? sample : none;
}

/* Clears the counts. If there is a sample, makes lists of the keys within its bound. */
static xl_status launch_begin(const flow *f, unsigned passes)
{
    xl_status status;
    xli_top_k_plan *plan = f->plan;
    xli_kernel *const begin = &plan->kernels.begin;
    const size_t group = plan->shape.group_size;
    const xli_top_k_chunks chunks = xli_top_k_chunks_of(&plan->shape, f->n);
    const xli_top_k_sample sample = sample_of(f);
    const xli_span *keys = &f->call.spans[XLI_TOP_K_KEYS_IN];
    const xli_arg n = XLI_U32(f->n), scratch = scratch_of(f), state = part(f, 0);
    xli_args args = {{n}, 1};
    xli_top_k_add_length(&args, &f->call);
    const xli_arg rest[] = {XLI_U32(f->results),  XLI_U32(passes), XLI_U32(sample.keys),
                            XLI_U32(sample.rank), scratch,         state};
    xli_args_add_all(&args, rest, XLI_COUNT(rest));
    XL_TRY(xli_seq_launch_args(f->seq, begin, 1, each(begin), &args, 0));
    if (sample.keys == 0)
        return XL_SUCCESS;
    const xli_top_k_chunks parts = xli_top_k_sample_chunks(&plan->shape, &sample);
    for (unsigned pass = 0; pass < passes; ++pass)
        XL_TRY(XLI_LAUNCH(f->seq, &plan->sample, parts.count, group, XLI_U32(pass), n,
                          XLI_U32(sample.keys), XLI_U32(parts.elements), scratch, state,
                          XLI_MEM(keys->buffer), XLI_U64(keys->offset)));
    XL_TRY(XLI_LAUNCH(f->seq, &plan->bound, chunks.count, group, XLI_U32(passes), n,
                      XLI_U32(chunks.count), scratch, state, XLI_MEM(keys->buffer),
                      XLI_U64(keys->offset)));
done:
    return status;
}

/* Finds the digits of the k-th key and the number of results of each chunk, and writes these. */
static xl_status launch_select(const flow *f)
{
    xl_status status;
    xli_top_k_plan *plan = f->plan;
    const size_t chunks = xli_top_k_chunks_of(&plan->shape, f->n).count;
    const size_t group = plan->shape.group_size;
    const unsigned digits = (unsigned)xli_ceil_div(8 * xl_type_size(plan->problem.key), DIGIT_BITS);
    const bool sorts = xli_top_k_sorts(&plan->problem, f->results);
    /* If all keys are results, no digit is needed. */
    const unsigned passes = f->results < f->n ? digits : 0;
    const xli_span *keys = &f->call.spans[XLI_TOP_K_KEYS_IN];
    const xli_arg n = XLI_U32(f->n), scratch = scratch_of(f), state = part(f, 0);
    XL_TRY(launch_begin(f, passes));
    for (unsigned pass = 0; pass < passes; ++pass)
        XL_TRY(XLI_LAUNCH(f->seq, &plan->kernels.count, chunks, group, XLI_U32(pass), n,
                          XLI_U32(chunks), scratch, state, XLI_MEM(keys->buffer),
                          XLI_U64(keys->offset)));
    XL_TRY(XLI_LAUNCH(f->seq, &plan->kernels.tally, chunks, group, XLI_U32(passes), n,
                      XLI_U32(chunks), scratch, state, XLI_MEM(keys->buffer),
                      XLI_U64(keys->offset)));
    xli_args args = {{XLI_U32(sorts ? OUTPUT_PAIRS : xli_top_k_outputs(&f->call)), XLI_U32(passes),
                      XLI_U32(f->results), n, XLI_U32(chunks), scratch, state,
                      part(f, f->layout.words_at), part(f, f->layout.places_at)},
                     9};
    xli_top_k_add_arrays(&args, &f->call);
    XL_TRY(xli_seq_launch_args(f->seq, &plan->kernels.write, chunks, group, &args, 0));
done:
    return status;
}

static xl_status launch_ordered(const flow *f)
{
    xli_kernel *const order = &f->plan->kernels.order;
    xli_args args = {{XLI_U32(xli_top_k_outputs(&f->call)), XLI_U32(f->results), XLI_U32(f->n),
                      scratch_of(f), part(f, 0), part(f, f->layout.words_at),
                      part(f, f->layout.places_at)},
                     7};
    xli_top_k_add_arrays(&args, &f->call);
    return xli_seq_launch_args(f->seq, order, xli_ceil_div(f->results, each(order)), each(order),
                               &args, 0);
}

static xl_view words(const flow *f, size_t at, size_t word_bytes)
{
    return xl_view_of(f->call.scratch->buffer, (f->call.scratch->offset + at) / word_bytes);
}

/* The number of results on the device, if it may be less than the host knows. */
static xl_view length(const flow *f)
{
    return f->call.spans[XLI_TOP_K_N_DEVICE].buffer ? words(f, RESULTS_AT, sizeof(cl_ulong))
                                                    : xl_no_view();
}

static xl_status launch_sorted(const flow *f)
{
    xl_status status;
    xli_kernel *gather = &f->plan->kernels.gather;
    const xl_view keys = words(f, f->layout.words_at, sizeof(cl_ulong));
    const xl_view places = xli_top_k_is_wide(&f->plan->problem)
                               ? words(f, f->layout.places_at, sizeof(cl_uint))
                               : xl_no_view();
    const xl_sort_args sort = {.n = f->results,
                               .n_device = length(f),
                               .keys_in = keys,
                               .keys_out = keys,
                               .values_in = places,
                               .values_out = places,
                               .scratch = words(f, f->layout.nested_at, 1)};
    XL_TRY(xli_seq_nest(f->seq));
    XL_TRY(xl_sort_enqueue(f->plan->sort, f->seq->queue, &sort, XLI_NEST(f->seq)));
    xli_seq_nested(f->seq);
    xli_args args = {{XLI_U32(xli_top_k_outputs(&f->call)), XLI_U32(f->results), XLI_U32(f->n),
                      scratch_of(f), part(f, 0), part(f, f->layout.words_at),
                      part(f, f->layout.places_at)},
                     7};
    xli_top_k_add_arrays(&args, &f->call);
    XL_TRY(xli_seq_launch_args(f->seq, gather, xli_ceil_div(f->results, each(gather)), each(gather),
                               &args, 0));
done:
    return status;
}

static xl_status launch_count(const flow *f)
{
    const xli_span *const count = &f->call.spans[XLI_TOP_K_COUNT_OUT];
    xli_args args = {{XLI_U64(f->results), XLI_U32(f->n)}, 2};
    xli_top_k_add_length(&args, &f->call);
    xli_args_add_span(&args, count);
    return xli_seq_launch_args(f->seq, &f->plan->kernels.store_count, 1, 1, &args, 0);
}

xl_status xli_top_k_launch(xli_top_k_plan *plan, xli_seq *seq, const xl_top_k_args *args,
                           const xli_span *spans, const xli_span *scratch)
{
    xl_status status = XL_SUCCESS;
    const size_t n = args->n, results = xli_min(args->k, n);
    flow f = {.plan = plan, .seq = seq, .n = n, .results = results};
    f.layout = xli_top_k_lay_out(plan, n, results);
    f.call = xli_top_k_call_of(plan, seq, args, spans, scratch, f.layout.indices_at);
    if (spans[XLI_TOP_K_COUNT_OUT].buffer)
        XL_TRY(launch_count(&f));
    if (results == 0 || !xli_top_k_has_outputs(spans))
        return XL_SUCCESS;
    XL_TRY(launch_select(&f));
    if (xli_top_k_ranks(&plan->problem, &plan->shape, results))
        XL_TRY(launch_ordered(&f));
    else if (xli_top_k_sorts(&plan->problem, results))
        XL_TRY(launch_sorted(&f));
    XL_TRY(xli_top_k_values_launch(&f.call, results));
done:
    return status;
}

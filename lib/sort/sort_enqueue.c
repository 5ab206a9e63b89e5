/* SPDX-License-Identifier: MIT
 * The launches of a sort.
 *
 * Bitonic: every tile is sorted on its own; then, as often as it takes, runs are merged in pairs,
 * one launch each, from the output to the scratch and back, such that the last launch writes the
 * output. Radix: as cl/sort/radix_*.cl and sort_onesweep.cl say, as many
 * passes as a key may have digits. */
#include "sort_plan.h"

/* Keys and values of one launch's source or target: buffers and element offsets. */
typedef struct place {
    cl_mem keys, values;
    size_t keys_at, values_at;
} place;

static place place_of(const xli_span *keys, const xli_span *values)
{
    return (place){keys->buffer, values->buffer, keys->offset, values->offset};
}

static place place_in_scratch(const xli_sort_plan *plan, const xli_span *scratch, size_t n)
{
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    return (place){scratch->buffer, scratch->buffer, xli_sort_spare_keys(plan, scratch),
                   xli_sort_spare_values(&layout, scratch)};
}

/* One launch over all tiles; `run` is 0 for the first one, which sorts them. */
static xl_status launch(xli_sort_plan *plan, xli_seq *seq, size_t n, const xli_span *n_device,
                        size_t run, const place *from, const place *to)
{
    const size_t groups = xli_ceil_div(n, xli_sort_tile(&plan->shape));
    xli_args args = {.count = 0};
    xli_args_add(&args, XLI_U32(n));
    xli_args_add(&args, XLI_OPTIONAL(n_device->buffer));
    xli_args_add(&args, XLI_U64(n_device->offset));
    if (run > 0) {
        xli_args_add(&args, XLI_U32(run));
        xli_args_add(&args, XLI_U32(xli_sort_search_log(&plan->shape, groups)));
    }
    xli_args_add(&args, XLI_MEM(from->keys));
    xli_args_add(&args, XLI_U64(from->keys_at));
    xli_args_add(&args, XLI_MEM(to->keys));
    xli_args_add(&args, XLI_U64(to->keys_at));
    if (plan->problem.value != XL_NONE) {
        xli_args_add(&args, XLI_MEM(from->values));
        xli_args_add(&args, XLI_U64(from->values_at));
        xli_args_add(&args, XLI_MEM(to->values));
        xli_args_add(&args, XLI_U64(to->values_at));
    }
    return xli_seq_launch_args(seq, run > 0 ? &plan->kernels.merge : &plan->kernels.tiles, groups,
                               plan->shape.group_size, &args, 0);
}

static xl_status launch_bitonic(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                const xli_sort_spans *spans, const xli_span *scratch)
{
    xl_status status;
    const place in = place_of(&spans->keys_in, xli_sort_read_values(plan, spans));
    const place out = place_of(&spans->keys_out, &spans->values_out);
    const xli_span last_keys = xli_sort_last_keys(plan, spans);
    const place last = place_of(&last_keys, &spans->values_out);
    const unsigned merges = xli_sort_merges(&plan->shape, n);
    const place spare = merges > 0 ? place_in_scratch(plan, scratch, n) : out;
    /* sides[0] is the output; an even number of merges is left from there. */
    const place *const sides[2] = {&out, &spare};
    XL_TRY(launch(plan, seq, n, &spans->n_device, 0, &in, merges > 0 ? sides[merges % 2] : &last));
    for (unsigned k = 0; k < merges; ++k) {
        const unsigned left = merges - k;
        XL_TRY(launch(plan, seq, n, &spans->n_device, xli_sort_tile(&plan->shape) << k,
                      sides[left % 2], left > 1 ? sides[(left + 1) % 2] : &last));
    }
done:
    return status;
}

/* By samples: XL_SAMPLES of cl/sort/sort_samples.cl. */
static void add_samples(xli_args *a, const xli_sort_plan *plan, size_t n, const xli_span *n_device,
                        const xli_span *scratch)
{
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    const xli_sort_samples s = xli_sort_samples_of(&plan->problem, &plan->shape, n);
    xli_args_add(a, XLI_U32(n));
    xli_args_add_place(a, n_device->buffer, n_device->offset); /* or NULL */
    xli_args_add(a, XLI_U32(s.length));
    xli_args_add(a, XLI_U32(s.gap));
    xli_args_add(a, XLI_U32(s.share));
    xli_args_add(a, XLI_MEM(scratch->buffer));
    xli_args_add(a, XLI_U64(scratch->offset + layout.state_at));
    xli_args_add(a, XLI_U64(scratch->offset + layout.state_at + s.splitters_at));
}

static void add_place(xli_args *a, const xli_sort_plan *plan, const place *from, const place *to)
{
    xli_args_add_place(a, from->keys, from->keys_at);
    xli_args_add_place(a, to->keys, to->keys_at);
    if (plan->problem.value == XL_NONE)
        return;
    xli_args_add_place(a, from->values, from->values_at);
    xli_args_add_place(a, to->values, to->values_at);
}

/* Runs to the scratch, and buckets of these to the output; one run to the output at once. */
static xl_status launch_samples(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                const xli_sort_spans *spans, const xli_span *scratch)
{
    xl_status status;
    xli_sort_kernels *const k = &plan->kernels;
    const xli_sort_samples s = xli_sort_samples_of(&plan->problem, &plan->shape, n);
    const size_t group = plan->shape.sample[s.size].group;
    const xli_span last_keys = xli_sort_last_keys(plan, spans);
    const place in = place_of(&spans->keys_in, xli_sort_read_values(plan, spans));
    const place out = place_of(&last_keys, &spans->values_out);
    const place spare = s.runs > 1 ? place_in_scratch(plan, scratch, n) : out;
    xli_args a = {.count = 0};
    add_samples(&a, plan, n, &spans->n_device, scratch);
    const size_t count = a.count;
    add_place(&a, plan, &in, &spare);
    XL_TRY(xli_seq_launch_args(seq, &k->sample_runs[s.size], s.runs, group, &a, 0));
    if (s.runs == 1)
        return XL_SUCCESS;
    XL_TRY(xli_seq_launch(seq, &k->sample_rank[s.size], s.runs, group, a.at, count));
    a.count = count;
    add_place(&a, plan, &spare, &out);
    XL_TRY(xli_seq_launch_args(seq, &k->sample_merge[s.size], s.buckets, group, &a, 0));
done:
    return status;
}

/* The arguments of all kernels of a radix sort. Number 0 is that of some: a pass, or a bound. */
typedef struct radix_args {
    xli_args list;
    size_t chunks;
    bool in_place; /* keys or values are */
} radix_args;

enum { RADIX_ARGS = 1 + 15 + 5 };
XLI_ARGS_FIT(RADIX_ARGS);

static radix_args radix_args_of(const xli_sort_plan *plan, size_t n, const xli_sort_spans *s,
                                const xli_span *scratch)
{
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    const xli_sort_chunks chunks = xli_sort_chunks_of(&plan->shape, n);
    /* Keys that nobody asked for are nowhere. */
    const bool drops = xli_sort_drops_keys(&plan->problem);
    const bool keys_stay = xli_span_is_in_place(&s->keys_in, &s->keys_out);
    const bool values = plan->problem.value == XL_NONE
                            ? keys_stay
                            : xli_span_is_in_place(&s->values_in, &s->values_out);
    const bool keys = drops ? values : keys_stay;
    const xli_span *const values_in = xli_sort_read_values(plan, s);
    const unsigned in_place = keys && values ? 1 : keys || values ? 2 : 0;
    radix_args a = {.list = {.count = 1}, .chunks = chunks.count, .in_place = in_place > 0};
    xli_args_add(&a.list, xli_sort_number(plan, n));
    xli_args_add(&a.list, XLI_OPTIONAL(s->n_device.buffer));
    xli_args_add(&a.list, XLI_U64(s->n_device.offset));
    xli_args_add(&a.list, XLI_U32(plan->problem.begin_bit));
    xli_args_add(&a.list, XLI_U32(plan->problem.end_bit));
    xli_args_add(&a.list, XLI_U32(chunks.elements));
    xli_args_add(&a.list, XLI_U32(chunks.count));
    xli_args_add(&a.list, XLI_U32(in_place));
    xli_args_add(&a.list, XLI_MEM(scratch->buffer));
    xli_args_add(&a.list, XLI_U64(scratch->offset));
    xli_args_add(&a.list, XLI_U64(scratch->offset + layout.state_at));
    xli_args_add(&a.list, XLI_MEM(s->keys_in.buffer));
    xli_args_add(&a.list, XLI_U64(s->keys_in.offset));
    xli_args_add(&a.list, XLI_MEM(s->keys_out.buffer));
    xli_args_add(&a.list, XLI_U64(s->keys_out.offset));
    if (plan->problem.value != XL_NONE) {
        xli_args_add(&a.list, XLI_MEM(values_in->buffer));
        xli_args_add(&a.list, XLI_U64(values_in->offset));
        xli_args_add(&a.list, XLI_MEM(s->values_out.buffer));
        xli_args_add(&a.list, XLI_U64(s->values_out.offset));
        xli_args_add(&a.list, XLI_U64(scratch->offset + layout.values_at));
    }
    return a;
}

/* One work-item sorts them all. */
static xl_status launch_alone(xli_sort_plan *plan, xli_seq *seq, size_t n, const xli_sort_spans *s,
                              const xli_span *scratch)
{
    const radix_args a = radix_args_of(plan, n, s, scratch);
    return xli_seq_launch_args(seq, &plan->kernels.alone, 1, 1, &a.list, 1);
}

/* The launches by buckets, which the device may give up. */
static xl_status launch_buckets(xli_sort_plan *plan, xli_seq *seq, radix_args *a, size_t n)
{
    enum { BUCKETS = 256 };
    xl_status status;
    xli_sort_kernels *k = &plan->kernels;
    xli_args *const list = &a->list;
    const xli_sort_buckets buckets = xli_sort_buckets_of(&plan->problem, &plan->shape, n);
    XL_TRY(xli_seq_launch_args(seq, &k->sample, 1, 1, list, 1));
    XL_TRY(xli_seq_launch_args(seq, &k->bucket_count, a->chunks, 1, list, 1));
    list->at[0] = XLI_U32(buckets.most);
    XL_TRY(xli_seq_launch_args(seq, &k->bucket_starts, 1, 1, list, 0));
    XL_TRY(xli_seq_launch_args(seq, &k->bucket_scatter, a->chunks, 1, list, 1));
    list->at[0] = XLI_U32(buckets.split);
    XL_TRY(xli_seq_launch_args(seq, &k->buckets, BUCKETS, 1, list, 0));
done:
    return status;
}

static xl_status launch_chunks(xli_sort_plan *plan, xli_seq *seq, size_t n, const xli_sort_spans *s,
                               const xli_span *scratch)
{
    xl_status status;
    xli_sort_kernels *k = &plan->kernels;
    const size_t group = plan->shape.radix_size[0].group;
    const unsigned digits = xli_sort_digits(&plan->problem);
    radix_args a = radix_args_of(plan, n, s, scratch);
    xli_args *const list = &a.list;
    if (plan->shape.buckets)
        XL_TRY(launch_buckets(plan, seq, &a, n));
    XL_TRY(xli_seq_launch_args(seq, &k->bits, a.chunks, group, list, 1));
    XL_TRY(xli_seq_launch_args(seq, &k->begin, 1, group, list, 1));
    for (unsigned pass = 0; pass < digits; ++pass) {
        list->at[0] = XLI_U32(pass);
        XL_TRY(xli_seq_launch_args(seq, &k->count, a.chunks, group, list, 0));
        XL_TRY(xli_seq_launch_args(seq, &k->offsets, 1, group, list, 0));
        XL_TRY(xli_seq_launch_args(seq, &k->scatter, a.chunks, group, list, 0));
    }
    XL_TRY(xli_seq_launch_args(seq, &k->end, a.chunks, group, list, 1));
done:
    return status;
}

/* The most passes that the device may choose (xl_passes_choose()): in place an even number, so that
 * the last pass writes the output. */
static unsigned sweep_passes(const xli_sort_plan *plan, bool in_place)
{
    const unsigned digits = xli_sort_digits(&plan->problem);
    return in_place ? digits + digits % 2 : digits;
}

static xl_status launch_sweep(xli_sort_plan *plan, xli_seq *seq, size_t n, const xli_sort_spans *s,
                              const xli_span *scratch)
{
    xl_status status;
    xli_sort_kernels *k = &plan->kernels;
    const unsigned size = xli_sort_radix_size(&plan->shape, n);
    const size_t group = plan->shape.radix_size[size].group;
    const size_t tiles = xli_ceil_div(n, xli_sort_radix_tile(&plan->shape, n));
    const size_t part = plan->problem.large ? plan->shape.part_tiles : tiles;
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    const size_t words = layout.state_bytes / sizeof(cl_ulong);
    const size_t clear_groups = xli_min(xli_ceil_div(words, group), plan->shape.units);
    radix_args a = radix_args_of(plan, n, s, scratch);
    const unsigned passes = sweep_passes(plan, a.in_place);
    XL_TRY(XLI_LAUNCH(seq, &k->clear[size], clear_groups, group, XLI_MEM(scratch->buffer),
                      XLI_U64(scratch->offset + layout.state_at), XLI_U64(words)));
    XL_TRY(xli_seq_launch_args(seq, &k->histogram[size], a.chunks, group, &a.list, 1));
    for (unsigned pass = 0; pass < passes; ++pass) {
        a.list.at[0] = XLI_U32(pass);
        for (size_t left = tiles; left > 0; left -= xli_min(left, part))
            XL_TRY(
                xli_seq_launch_args(seq, &k->sweep[size], xli_min(left, part), group, &a.list, 0));
    }
done:
    return status;
}

/* What is in scratch, as no output of the call is. */
static void fill_spans(const xli_sort_plan *plan, size_t n, xli_sort_spans *spans,
                       const xli_span *scratch)
{
    const size_t key = xli_sort_key_bytes(&plan->problem);
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    if (plan->problem.hides_indices)
        spans->values_out = (xli_span){.buffer = scratch->buffer,
                                       .offset = (scratch->offset + layout.places_at) /
                                                 xl_type_size(plan->problem.value)};
    if (layout.has_keys)
        spans->keys_out = (xli_span){.buffer = scratch->buffer,
                                     .offset = xli_ceil_div(scratch->offset + layout.keys_at, key)};
}

xl_status xli_sort_launch(xli_sort_plan *plan, xli_seq *seq, size_t n, xli_sort_spans *spans,
                          const xli_span *scratch)
{
    xl_status status;
    const bool sweep = plan->shape.radix == XLI_RADIX_SWEEP;
    fill_spans(plan, n, spans, scratch);
    if (plan->problem.segments != XL_NONE)
        XL_TRY(xli_sort_launch_segments(plan, seq, n, spans, scratch));
    else if (xli_sort_by_samples(&plan->shape, n))
        XL_TRY(launch_samples(plan, seq, n, spans, scratch));
    else if (!xli_sort_by_radix(&plan->shape, n))
        XL_TRY(launch_bitonic(plan, seq, n, spans, scratch));
    else if (xli_sort_is_alone(&plan->shape, n))
        XL_TRY(launch_alone(plan, seq, n, spans, scratch));
    else
        XL_TRY((sweep ? launch_sweep : launch_chunks)(plan, seq, n, spans, scratch));
    XL_TRY(xli_sort_zeros_launch(plan, seq, n, spans, scratch));
    XL_TRY(xli_sort_gather_launch(plan, seq, n, spans, scratch));
done:
    return status;
}

/* SPDX-License-Identifier: MIT
 * The launches of a sort.
 *
 * Bitonic: the first launch sorts each tile. Each of the others merges the runs in pairs, from the
 * output to the scratch and back, so that the last one writes the output. Radix: one or several
 * launches for each digit that a key may have (cl/sort/radix_*.cl, sort_onesweep.cl). */
#include "sort_plan.h"

/* Keys and values that a launch reads or writes: buffers and element offsets. */
typedef struct place {
    cl_mem keys, values;
    size_t keys_at, values_at;
} place;

static place place_of(const xli_span *keys, const xli_span *values)
{
    return (place){keys->buffer, values->buffer, keys->offset, values->offset};
}

static place place_in_scratch(const xli_sort_call *c)
{
    return (place){c->scratch->buffer, c->scratch->buffer, xli_sort_spare_keys(c),
                   xli_sort_spare_values(c)};
}

static void add_places(xli_args *a, const xli_sort_call *c, const place *from, const place *to)
{
    xli_args_add_place(a, from->keys, from->keys_at);
    xli_args_add_place(a, to->keys, to->keys_at);
    if (c->plan->problem.value == XL_NONE)
        return;
    xli_args_add_place(a, from->values, from->values_at);
    xli_args_add_place(a, to->values, to->values_at);
}

/* ---- bitonic ---------------------------------------------------------------- */

/* One launch over all tiles. `run` is 0 for the first one, which sorts them. */
static xl_status launch_tiles(const xli_sort_call *c, size_t run, const place *from,
                              const place *to)
{
    xli_sort_plan *const plan = c->plan;
    const size_t groups = xli_ceil_div(c->n, xli_sort_tile(&plan->shape));
    xli_args args = {.count = 0};
    xli_sort_add_n(&args, c);
    if (run > 0) {
        xli_args_add(&args, XLI_U32(run));
        xli_args_add(&args, XLI_U32(xli_sort_search_log(&plan->shape, groups)));
    }
    add_places(&args, c, from, to);
    return xli_seq_launch_args(c->seq, run > 0 ? &plan->kernels.merge : &plan->kernels.tiles,
                               groups, plan->shape.group_size, &args, 0);
}

static xl_status launch_bitonic(const xli_sort_call *c)
{
    xl_status status;
    const xli_sort_shape *const shape = &c->plan->shape;
    const xli_span last_keys = xli_sort_last_keys(c);
    const place in = place_of(&c->given[XLI_SORT_KEYS_IN], xli_sort_read_values(c));
    const place out = place_of(&c->keys_out, &c->values_out);
    const place last = place_of(&last_keys, &c->values_out);
    const unsigned merges = xli_sort_merges(shape, c->n);
    const place spare = merges > 0 ? place_in_scratch(c) : out;
    /* An even number of merges remains when the keys are in sides[0], the output. */
    const place *const sides[2] = {&out, &spare};
    XL_TRY(launch_tiles(c, 0, &in, merges > 0 ? sides[merges % 2] : &last));
    for (unsigned k = 0; k < merges; ++k) {
        const unsigned left = merges - k;
        XL_TRY(launch_tiles(c, xli_sort_tile(shape) << k, sides[left % 2],
                            left > 1 ? sides[(left + 1) % 2] : &last));
    }
done:
    return status;
}

/* ---- by samples ------------------------------------------------------------- */

/* XL_SAMPLES of cl/sort/sort_samples.cl. */
static void add_samples(xli_args *a, const xli_sort_call *c, const xli_sort_samples *s)
{
    const size_t at = c->scratch->offset + c->layout.state_at;
    xli_sort_add_n(a, c);
    xli_args_add(a, XLI_U32(s->length));
    xli_args_add(a, XLI_U32(s->gap));
    xli_args_add(a, XLI_U32(s->share));
    xli_args_add(a, XLI_MEM(c->scratch->buffer));
    xli_args_add(a, XLI_U64(at));
    xli_args_add(a, XLI_U64(at + s->splitters_at));
}

/* From the input to sorted runs in the scratch, and from there in buckets to the output. A single
 * run goes to the output at once. */
static xl_status launch_samples(const xli_sort_call *c)
{
    xl_status status;
    xli_sort_kernels *const k = &c->plan->kernels;
    const xli_sort_samples s = xli_sort_samples_of(&c->plan->problem, &c->plan->shape, c->n);
    const size_t group = c->plan->shape.sample[s.size].group;
    const xli_span last_keys = xli_sort_last_keys(c);
    const place in = place_of(&c->given[XLI_SORT_KEYS_IN], xli_sort_read_values(c));
    const place out = place_of(&last_keys, &c->values_out);
    const place spare = s.runs > 1 ? place_in_scratch(c) : out;
    xli_args a = {.count = 0};
    add_samples(&a, c, &s);
    const size_t count = a.count;
    add_places(&a, c, &in, &spare);
    XL_TRY(xli_seq_launch_args(c->seq, &k->sample_runs[s.size], s.runs, group, &a, 0));
    if (s.runs == 1)
        return XL_SUCCESS;
    XL_TRY(xli_seq_launch(c->seq, &k->sample_rank[s.size], s.runs, group, a.at, count));
    a.count = count;
    add_places(&a, c, &spare, &out);
    XL_TRY(xli_seq_launch_args(c->seq, &k->sample_merge[s.size], s.buckets, group, &a, 0));
done:
    return status;
}

/* ---- radix ------------------------------------------------------------------ */

/* The arguments that all kernels of a radix sort have. Number 0 only some have: a pass or a bound.
 */
typedef struct radix_args {
    xli_args list;
    size_t chunks;
    unsigned in_place; /* as kernels take it: 1: keys and values; 2: one of both; 0: none */
} radix_args;

enum { RADIX_ARGS = 1 + 15 + 5 };
XLI_ARGS_FIT(RADIX_ARGS);

/* Keys that are not stored are as much in place as the values, and missing values as the keys. */
static unsigned in_place_of(const xli_sort_call *c)
{
    const xli_sort_problem *const problem = &c->plan->problem;
    const bool keys_stay = xli_span_is_in_place(&c->given[XLI_SORT_KEYS_IN], &c->keys_out);
    const bool values = problem->value == XL_NONE
                            ? keys_stay
                            : xli_span_is_in_place(&c->given[XLI_SORT_VALUES_IN], &c->values_out);
    const bool keys = problem->values_only ? values : keys_stay;
    return keys && values ? 1 : keys || values ? 2 : 0;
}

static radix_args radix_args_of(const xli_sort_call *c)
{
    const xli_sort_problem *const problem = &c->plan->problem;
    const xli_sort_chunks chunks = xli_sort_chunks_of(&c->plan->shape, c->n);
    const size_t at = c->scratch->offset;
    radix_args a = {.list = {.count = 1}, .chunks = chunks.count, .in_place = in_place_of(c)};
    xli_sort_add_n(&a.list, c);
    xli_args_add(&a.list, XLI_U32(problem->begin_bit));
    xli_args_add(&a.list, XLI_U32(problem->end_bit));
    xli_args_add(&a.list, XLI_U32(chunks.elements));
    xli_args_add(&a.list, XLI_U32(chunks.count));
    xli_args_add(&a.list, XLI_U32(a.in_place));
    xli_args_add_place(&a.list, c->scratch->buffer, at);
    xli_args_add(&a.list, XLI_U64(at + c->layout.state_at));
    xli_args_add_span(&a.list, &c->given[XLI_SORT_KEYS_IN]);
    xli_args_add_span(&a.list, &c->keys_out);
    if (problem->value != XL_NONE) {
        xli_args_add_span(&a.list, xli_sort_read_values(c));
        xli_args_add_span(&a.list, &c->values_out);
        xli_args_add(&a.list, XLI_U64(at + c->layout.values_at));
    }
    return a;
}

/* One work-item sorts all keys. */
static xl_status launch_alone(const xli_sort_call *c)
{
    const radix_args a = radix_args_of(c);
    return xli_seq_launch_args(c->seq, &c->plan->kernels.alone, 1, 1, &a.list, 1);
}

/* Buckets by the highest digit. The device may give this up, and then sorts by all digits. */
static xl_status launch_buckets(const xli_sort_call *c, radix_args *a)
{
    enum { BUCKETS = 256 };
    xl_status status;
    xli_sort_kernels *const k = &c->plan->kernels;
    xli_args *const list = &a->list;
    const xli_sort_buckets buckets = xli_sort_buckets_of(&c->plan->problem, &c->plan->shape, c->n);
    XL_TRY(xli_seq_launch_args(c->seq, &k->sample, 1, 1, list, 1));
    XL_TRY(xli_seq_launch_args(c->seq, &k->bucket_count, a->chunks, 1, list, 1));
    list->at[0] = XLI_U32(buckets.most);
    XL_TRY(xli_seq_launch_args(c->seq, &k->bucket_starts, 1, 1, list, 0));
    XL_TRY(xli_seq_launch_args(c->seq, &k->bucket_scatter, a->chunks, 1, list, 1));
    list->at[0] = XLI_U32(buckets.split);
    XL_TRY(xli_seq_launch_args(c->seq, &k->buckets, BUCKETS, 1, list, 0));
done:
    return status;
}

static xl_status launch_chunks(const xli_sort_call *c)
{
    xl_status status;
    xli_sort_kernels *const k = &c->plan->kernels;
    const size_t group = c->plan->shape.radix_size[0].group;
    const unsigned digits = xli_sort_digits(&c->plan->problem);
    radix_args a = radix_args_of(c);
    xli_args *const list = &a.list;
    if (c->plan->shape.buckets)
        XL_TRY(launch_buckets(c, &a));
    XL_TRY(xli_seq_launch_args(c->seq, &k->bits, a.chunks, group, list, 1));
    XL_TRY(xli_seq_launch_args(c->seq, &k->begin, 1, group, list, 1));
    for (unsigned pass = 0; pass < digits; ++pass) {
        list->at[0] = XLI_U32(pass);
        XL_TRY(xli_seq_launch_args(c->seq, &k->count, a.chunks, group, list, 0));
        XL_TRY(xli_seq_launch_args(c->seq, &k->offsets, 1, group, list, 0));
        XL_TRY(xli_seq_launch_args(c->seq, &k->scatter, a.chunks, group, list, 0));
    }
    XL_TRY(xli_seq_launch_args(c->seq, &k->end, a.chunks, group, list, 1));
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

static xl_status launch_clear(const xli_sort_call *c, xli_kernel *clear, size_t group)
{
    const size_t words = c->layout.state_bytes / sizeof(cl_ulong);
    const size_t groups = xli_min(xli_ceil_div(words, group), c->plan->shape.units);
    return XLI_LAUNCH(c->seq, clear, groups, group, XLI_MEM(c->scratch->buffer),
                      XLI_U64(c->scratch->offset + c->layout.state_at), XLI_U64(words));
}

static xl_status launch_sweep(const xli_sort_call *c)
{
    xl_status status;
    xli_sort_plan *const plan = c->plan;
    xli_sort_kernels *const k = &plan->kernels;
    const unsigned size = xli_sort_radix_size(&plan->shape, c->n);
    const size_t group = plan->shape.radix_size[size].group;
    const size_t tiles = xli_ceil_div(c->n, xli_sort_radix_tile(&plan->shape, c->n));
    const size_t part = plan->problem.large ? plan->shape.part_tiles : tiles;
    radix_args a = radix_args_of(c);
    const unsigned passes = sweep_passes(plan, a.in_place > 0);
    XL_TRY(launch_clear(c, &k->clear[size], group));
    XL_TRY(xli_seq_launch_args(c->seq, &k->histogram[size], a.chunks, group, &a.list, 1));
    for (unsigned pass = 0; pass < passes; ++pass) {
        a.list.at[0] = XLI_U32(pass);
        for (size_t left = tiles; left > 0; left -= xli_min(left, part))
            XL_TRY(xli_seq_launch_args(c->seq, &k->sweep[size], xli_min(left, part), group, &a.list,
                                       0));
    }
done:
    return status;
}

/* ---- any -------------------------------------------------------------------- */

static xli_sort_call call_of(xli_sort_plan *plan, xli_seq *seq, const xl_sort_args *args,
                             const xli_span *spans, const xli_span *scratch)
{
    const xli_sort_problem *const problem = &plan->problem;
    xli_sort_call c = {.plan = plan,
                       .seq = seq,
                       .n = args->n,
                       .given = spans,
                       .segment_count = spans[XLI_SORT_SEGMENTS].buffer ? args->segments.count : 0,
                       .scratch = scratch,
                       .layout = xli_sort_layout_of(problem, &plan->shape, args->n),
                       .keys_out = spans[XLI_SORT_KEYS_OUT],
                       .values_out = spans[XLI_SORT_VALUES_OUT]};
    if (problem->hides_indices)
        c.values_out = (xli_span){.buffer = scratch->buffer,
                                  .offset = (scratch->offset + c.layout.places_at) /
                                            xl_type_size(problem->value)};
    if (c.layout.has_keys)
        c.keys_out = (xli_span){.buffer = scratch->buffer,
                                .offset = xli_ceil_div(scratch->offset + c.layout.keys_at,
                                                       xli_sort_key_bytes(problem))};
    return c;
}

static xl_status launch_sort(const xli_sort_call *c)
{
    const xli_sort_shape *const shape = &c->plan->shape;
    if (c->plan->problem.segments != XL_NONE)
        return xli_sort_launch_segments(c);
    if (xli_sort_by_samples(shape, c->n))
        return launch_samples(c);
    if (!xli_sort_by_radix(shape, c->n))
        return launch_bitonic(c);
    if (xli_sort_is_alone(shape, c->n))
        return launch_alone(c);
    return shape->radix == XLI_RADIX_SWEEP ? launch_sweep(c) : launch_chunks(c);
}

xl_status xli_sort_launch(xl_plan *base, xli_seq *seq, const void *args, const xli_span *spans,
                          const xli_span *scratch)
{
    xl_status status;
    if (((const xl_sort_args *)args)->n == 0)
        return XL_SUCCESS;
    const xli_sort_call c = call_of((xli_sort_plan *)base, seq, args, spans, scratch);
    XL_TRY(xli_sort_zeros_keep(&c));
    XL_TRY(launch_sort(&c));
    XL_TRY(xli_sort_zeros_restore(&c));
    XL_TRY(xli_sort_gather_launch(&c));
done:
    return status;
}

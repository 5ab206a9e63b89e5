/* SPDX-License-Identifier: MIT
 * Workloads of arrays: data, calls and checks of each primitive, and the table of all workloads. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

enum { OUT = WORKLOAD_OUT };

/* n random u32 on the host and on the device. */
static int open_numbers(workload *w)
{
    w->input = malloc(w->n * sizeof(uint32_t));
    if (!w->input)
        return workload_no_memory(w);
    random_fill(w->n, w->input);
    return session_upload(w->s, w->input, w->n * sizeof(uint32_t), w->kind->name, &w->buffers[0]);
}

/* ---- scans and reductions -------------------------------------------------- */

static int open_cut(workload *w)
{
    int result;
    TRY(open_numbers(w));
    if (!cuts_make(w->kind->form, w->n, &w->cuts))
        return workload_no_memory(w);
    if (w->kind->form == XL_SEGMENTS_HEAD_FLAGS)
        TRY(session_upload(w->s, w->cuts.heads, w->n, w->kind->name, &w->buffers[1]));
    if (w->kind->form == XL_SEGMENTS_OFFSETS)
        TRY(session_upload(w->s, w->cuts.offsets, (w->cuts.count + 1) * sizeof *w->cuts.offsets,
                           w->kind->name, &w->buffers[1]));
done:
    return result;
}

static int open_scan(workload *w)
{
    int result;
    ref_flat sum;
    TRY(open_cut(w));
    TRY(workload_open_output(w, w->n * sizeof(uint32_t), 0));
    ref_flat_of(&sum, XL_U32, XL_SUM, false, NULL);
    ref_scan(&sum, w->n, w->input, w->cuts.heads, w->wanted);
    w->known = true;
done:
    return result;
}

static xl_status create_scan(const workload *w, const xl_tunable *values, uint32_t count,
                             xl_plan **plan)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.segments = w->kind->form;
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_scan_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_scan(const workload *w, xl_plan *plan)
{
    return xl_scan_enqueue(plan, w->s->queue,
                           &(xl_scan_args){.n = w->n,
                                           .in = xl_view_of(w->buffers[0], 0),
                                           .segments = xl_view_n(w->buffers[1], 0, w->n),
                                           .out = xl_view_of(w->buffers[OUT], 0)},
                           0, NULL, NULL);
}

static int open_reduce(workload *w)
{
    int result;
    ref_flat sum;
    TRY(open_cut(w));
    TRY(workload_open_output(w, w->cuts.count * sizeof(uint32_t), 0));
    ref_flat_of(&sum, XL_U32, XL_SUM, true, NULL);
    ref_reduce(&sum, w->input, w->cuts.at, w->cuts.count, w->wanted);
    w->known = true;
done:
    return result;
}

static xl_status create_reduce(const workload *w, const xl_tunable *values, uint32_t count,
                               xl_plan **plan)
{
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.segments = w->kind->form;
    desc.segment_type = w->kind->form == XL_SEGMENTS_OFFSETS ? XL_U32 : XL_NONE;
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_reduce_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_reduce(const workload *w, xl_plan *plan)
{
    return xl_reduce_enqueue(
        plan, w->s->queue,
        &(xl_reduce_args){.n = w->n,
                          .in = xl_view_of(w->buffers[0], 0),
                          .segments = xl_view_n(w->buffers[1], 0, w->cuts.count + 1),
                          .out = xl_view_of(w->buffers[OUT], 0)},
        0, NULL, NULL);
}

/* ---- sort: pairs of a key and its index -------------------------------------- */

static int open_sort(workload *w)
{
    int result;
    uint32_t *index = malloc(w->n * sizeof *index);
    if (!index)
        return workload_no_memory(w);
    for (size_t i = 0; i < w->n; ++i)
        index[i] = (uint32_t)i;
    TRY(open_numbers(w));
    TRY(session_upload(w->s, index, w->n * sizeof *index, w->kind->name, &w->buffers[1]));
    TRY(workload_open_output(w, w->n * sizeof(uint32_t), w->n * sizeof(uint32_t)));
    memcpy(w->wanted, w->input, w->bytes);
    if (!ref_sort(XL_U32, false, w->n, w->wanted, NULL))
        result = workload_no_memory(w);
    w->known = true;
done:
    free(index);
    return result;
}

/* Equal keys may be in any order; each must have a different index. */
static bool check_sort(const workload *w, bool first)
{
    const uint32_t *in = w->input, *keys = (const uint32_t *)(const void *)w->got;
    const uint32_t *index = keys + w->n;
    bool *seen = calloc(w->n, sizeof *seen);
    bool good = seen && check_equal(w, first);
    for (size_t i = 0; good && i < w->n; ++i) {
        good = index[i] < w->n && !seen[index[i]] && in[index[i]] == keys[i];
        if (good)
            seen[index[i]] = true;
    }
    free(seen);
    return good;
}

static xl_status create_sort(const workload *w, const xl_tunable *values, uint32_t count,
                             xl_plan **plan)
{
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.value = XL_U32;
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_sort_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_sort(const workload *w, xl_plan *plan)
{
    return xl_sort_enqueue(plan, w->s->queue,
                           &(xl_sort_args){.n = w->n,
                                           .keys_in = xl_view_of(w->buffers[0], 0),
                                           .values_in = xl_view_of(w->buffers[1], 0),
                                           .keys_out = xl_view_of(w->buffers[OUT], 0),
                                           .values_out = xl_view_of(w->second, 0),
                                           .scratch = xl_view_of(w->scratch, 0)},
                           0, NULL, NULL);
}

static xl_status scratch_sort(const workload *w, const xl_plan *plan, size_t *bytes)
{
    return xl_sort_scratch(plan, &(xl_sort_args){.n = w->n}, bytes);
}

/* ---- top-k: indices ----------------------------------------------------------------- */

enum { TOP_K_RESULTS = 100 };

static int open_top_k(workload *w)
{
    int result;
    TRY(open_numbers(w));
    TRY(workload_open_output(w, (w->n < TOP_K_RESULTS ? w->n : TOP_K_RESULTS) * sizeof(uint32_t),
                             0));
    if (!ref_top_k(XL_U32, true, true, w->n, TOP_K_RESULTS, w->input,
                   (uint32_t *)(void *)w->wanted))
        result = workload_no_memory(w);
    w->known = true;
done:
    return result;
}

static xl_status create_top_k(const workload *w, const xl_tunable *values, uint32_t count,
                              xl_plan **plan)
{
    xl_top_k_desc desc;
    xl_top_k_desc_init(&desc);
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_top_k_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_top_k(const workload *w, xl_plan *plan)
{
    return xl_top_k_enqueue(plan, w->s->queue,
                            &(xl_top_k_args){.n = w->n,
                                             .k = TOP_K_RESULTS,
                                             .keys_in = xl_view_of(w->buffers[0], 0),
                                             .indices_out = xl_view_of(w->buffers[OUT], 0)},
                            0, NULL, NULL);
}

/* ---- select: the odd numbers, and how many they are ------------------------------- */

static int open_select(workload *w)
{
    int result;
    uint64_t count = 0;
    TRY(open_numbers(w));
    const uint32_t *const input = w->input;
    for (size_t i = 0; i < w->n; ++i)
        count += input[i] & 1;
    TRY(workload_open_output(w, (size_t)count * sizeof(uint32_t), sizeof count));
    uint32_t *kept = (uint32_t *)(void *)w->wanted;
    for (size_t i = 0; i < w->n; ++i)
        if (input[i] & 1)
            *kept++ = input[i];
    memcpy(w->wanted + w->bytes, &count, sizeof count);
    w->known = true;
done:
    return result;
}

static bool check_select(const workload *w, bool first)
{
    return check_equal(w, first) &&
           memcmp(w->got + w->bytes, w->wanted + w->bytes, w->second_bytes) == 0;
}

static xl_status create_select(const workload *w, const xl_tunable *values, uint32_t count,
                               xl_plan **plan)
{
    xl_select_desc desc;
    xl_select_desc_init(&desc);
    desc.type = XL_U32;
    desc.predicate = "x & 1";
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_select_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_select(const workload *w, xl_plan *plan)
{
    return xl_select_enqueue(plan, w->s->queue,
                             &(xl_select_args){.n = w->n,
                                               .capacity = w->bytes / sizeof(uint32_t),
                                               .in = xl_view_of(w->buffers[0], 0),
                                               .out = xl_view_of(w->buffers[OUT], 0),
                                               .count_out = xl_view_of(w->second, 0)},
                             0, NULL, NULL);
}

/* ---- merge and search: two halves ------------------------------------------------- */

/* Random numbers whose first half is sorted, and the second half too if `both`. */
static int open_halves(workload *w, bool both)
{
    int result;
    uint32_t *const input = malloc(w->n * sizeof *input);
    const size_t half = w->n / 2;
    w->input = input;
    if (!input)
        return workload_no_memory(w);
    random_fill(w->n, input);
    if (!ref_sort(XL_U32, false, half, input, NULL) ||
        (both && !ref_sort(XL_U32, false, w->n - half, input + half, NULL)))
        return workload_no_memory(w);
    TRY(session_upload(w->s, input, half * sizeof *input, w->kind->name, &w->buffers[0]));
    TRY(session_upload(w->s, input + half, (w->n - half) * sizeof *input, w->kind->name,
                       &w->buffers[1]));
    w->known = true;
done:
    return result;
}

static int open_merge(workload *w)
{
    int result;
    const size_t half = w->n / 2;
    TRY(open_halves(w, true));
    TRY(workload_open_output(w, w->n * sizeof(uint32_t), 0));
    const uint32_t *const input = w->input;
    const ref_run a = {half, input}, b = {w->n - half, input + half};
    ref_merge(XL_U32, false, &a, &b, w->wanted);
done:
    return result;
}

static xl_status create_merge(const workload *w, const xl_tunable *values, uint32_t count,
                              xl_plan **plan)
{
    xl_merge_desc desc;
    xl_merge_desc_init(&desc);
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_merge_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_merge(const workload *w, xl_plan *plan)
{
    return xl_merge_enqueue(plan, w->s->queue,
                            &(xl_merge_args){.n_a = w->n / 2,
                                             .n_b = w->n - w->n / 2,
                                             .keys_a = xl_view_of(w->buffers[0], 0),
                                             .keys_b = xl_view_of(w->buffers[1], 0),
                                             .keys_out = xl_view_of(w->buffers[OUT], 0)},
                            0, NULL, NULL);
}

static int open_search(workload *w)
{
    int result;
    const size_t half = w->n / 2, queries = w->n - half;
    TRY(open_halves(w, false));
    TRY(workload_open_output(w, queries * sizeof(uint32_t), 0));
    const uint32_t *const input = w->input;
    uint32_t *const wanted = (uint32_t *)(void *)w->wanted;
    for (size_t i = 0; i < queries; ++i)
        wanted[i] = (uint32_t)ref_bound(XL_U32, false, false, half, input, input + half + i);
done:
    return result;
}

static xl_status create_search(const workload *w, const xl_tunable *values, uint32_t count,
                               xl_plan **plan)
{
    xl_search_desc desc;
    xl_search_desc_init(&desc);
    desc.index = XL_U32;
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_search_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_search(const workload *w, xl_plan *plan)
{
    return xl_search_enqueue(plan, w->s->queue,
                             &(xl_search_args){.n = w->n / 2,
                                               .keys = xl_view_of(w->buffers[0], 0),
                                               .num_queries = w->n - w->n / 2,
                                               .queries = xl_view_of(w->buffers[1], 0),
                                               .indices_out = xl_view_of(w->buffers[OUT], 0)},
                             0, NULL, NULL);
}

/* ---- histograms and transforms -------------------------------------------------------- */

enum { BINS = 256 };

static int open_histogram(workload *w)
{
    int result;
    TRY(open_numbers(w));
    TRY(workload_open_output(w, BINS * sizeof(uint32_t), 0));
    const uint32_t *const input = w->input;
    uint32_t *const wanted = (uint32_t *)(void *)w->wanted;
    for (size_t i = 0; i < w->n; ++i)
        ++wanted[input[i] % BINS];
    w->known = true;
done:
    return result;
}

static xl_status create_histogram(const workload *w, const xl_tunable *values, uint32_t count,
                                  xl_plan **plan)
{
    xl_histogram_desc desc;
    xl_histogram_desc_init(&desc);
    desc.kind = XL_HISTOGRAM_KEYS;
    desc.type = XL_U32;
    desc.num_bins = BINS;
    desc.load = "x & 255";
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_histogram_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_histogram(const workload *w, xl_plan *plan)
{
    return xl_histogram_enqueue(plan, w->s->queue,
                                &(xl_histogram_args){.n = w->n,
                                                     .in = xl_view_of(w->buffers[0], 0),
                                                     .bins = xl_view_of(w->buffers[OUT], 0)},
                                0, NULL, NULL);
}

static int open_transform(workload *w)
{
    int result;
    TRY(open_numbers(w));
    TRY(workload_open_output(w, w->n * sizeof(uint32_t), 0));
    const uint32_t *const input = w->input;
    uint32_t *const wanted = (uint32_t *)(void *)w->wanted;
    for (size_t i = 0; i < w->n; ++i)
        wanted[i] = 3 * input[i] + (uint32_t)i;
    w->known = true;
done:
    return result;
}

static xl_status create_transform(const workload *w, const xl_tunable *values, uint32_t count,
                                  xl_plan **plan)
{
    xl_transform_desc desc;
    xl_transform_desc_init(&desc);
    desc.types[0] = XL_U32;
    desc.expression = "3 * x + (uint)i";
    desc.tunables = values;
    desc.num_tunables = count;
    return xl_transform_create(w->s->ctx, &desc, plan);
}

static xl_status enqueue_transform(const workload *w, xl_plan *plan)
{
    return xl_transform_enqueue(plan, w->s->queue,
                                &(xl_transform_args){.n = w->n,
                                                     .in = {xl_view_of(w->buffers[0], 0)},
                                                     .out = {xl_view_of(w->buffers[OUT], 0)}},
                                0, NULL, NULL);
}

/* Name, prefix, limits for tuning as exponents of 2 (on a CPU, elsewhere; 0: not tuned), bytes
 * moved per element, segments, calls, check, shared scratch. */
#define MOST(log) ((log) ? (size_t)1 << (log) : 0)
#define KIND(text, part, cpu, other, moved, cut, call, right, shared)                              \
    {                                                                                              \
        .name = (text), .prefix = (part), .most = {MOST(cpu), MOST(other)},                        \
        .moved_bytes = (moved), .form = (cut), .open = open_##call, .create = create_##call,       \
        .enqueue = enqueue_##call, .check = check_##right, .scratch = (shared)                     \
    }
#define NONE XL_SEGMENTS_NONE

const workload_kind workload_kinds[WORKLOADS] = {
    KIND("scan", "scan.", 22, 24, 8, NONE, scan, equal, NULL),
    KIND("segmented scan", "scan.", 22, 24, 9, XL_SEGMENTS_HEAD_FLAGS, scan, equal, NULL),
    KIND("reduction", "reduce.", 22, 24, 4, NONE, reduce, equal, NULL),
    KIND("segmented reduction", "reduce.", 22, 24, 4, XL_SEGMENTS_OFFSETS, reduce, equal, NULL),
    KIND("sort", "sort.", 18, 20, 16, NONE, sort, sort, scratch_sort),
    KIND("top-k", "top_k.", 22, 24, 4, NONE, top_k, equal, NULL),
    KIND("selection", "select.", 0, 0, 6, NONE, select, select, NULL),
    KIND("merge", "merge.", 22, 24, 8, NONE, merge, equal, NULL),
    KIND("search", "search.", 20, 22, 0, NONE, search, equal, NULL),
    KIND("histogram", "histogram.", 22, 24, 4, NONE, histogram, equal, NULL),
    KIND("transform", "transform.", 22, 24, 8, NONE, transform, equal, NULL),
    KIND("grid build", "grid.", 18, 20, 0, NONE, grid, grid, scratch_grid),
    KIND("neighbour search", "neighbors.", 17, 20, 0, NONE, neighbors, neighbors, NULL),
    KIND("nearest points", "nearest.", 16, 20, 0, NONE, nearest, nearest, NULL),
    KIND("nearest, approximate", "nearest_approximate.", 16, 20, 0, NONE, approximate, approximate,
         NULL),
    KIND("Morton codes", "morton.", 20, 22, 20, NONE, morton, equal, NULL),
};

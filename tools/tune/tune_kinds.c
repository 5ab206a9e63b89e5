/* SPDX-License-Identifier: MIT
 * What `crosslane tune` measures: the data, calls and checks of each primitive; those of points are
 * in tune_points.c. */
#include "tune_cases.h"

#include <stdlib.h>
#include <string.h>

enum { OUT = TUNE_OUT };

/* n random u32, on both sides. */
static int open_numbers(tune_case *c)
{
    c->input = malloc(c->n * sizeof(uint32_t));
    if (!c->input)
        return tune_no_memory(c);
    tune_fill(c->n, c->input);
    return session_upload(c->s, c->input, c->n * sizeof(uint32_t), c->kind->name, &c->buffers[0]);
}

/* ---- scans and reductions -------------------------------------------------- */

static int open_cut(tune_case *c)
{
    int result;
    TRY(open_numbers(c));
    if (!cuts_make(c->kind->form, c->n, &c->cuts))
        return tune_no_memory(c);
    if (c->kind->form == XL_SEGMENTS_HEAD_FLAGS)
        TRY(session_upload(c->s, c->cuts.heads, c->n, c->kind->name, &c->buffers[1]));
    if (c->kind->form == XL_SEGMENTS_OFFSETS)
        TRY(session_upload(c->s, c->cuts.offsets, (c->cuts.count + 1) * sizeof *c->cuts.offsets,
                           c->kind->name, &c->buffers[1]));
done:
    return result;
}

static int open_scan(tune_case *c)
{
    int result;
    ref_flat sum;
    TRY(open_cut(c));
    TRY(tune_open_output(c, c->n * sizeof(uint32_t), 0));
    ref_flat_of(&sum, XL_U32, XL_SUM, false, NULL);
    ref_scan(&sum, c->n, c->input, c->cuts.heads, c->wanted);
    c->known = true;
done:
    return result;
}

static xl_status create_scan(const tune_case *c, const xl_tunable *values, uint32_t count,
                             void **plan)
{
    xl_scan_desc desc;
    xl_plan *made;
    xl_scan_desc_init(&desc);
    desc.segments = c->kind->form;
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_scan_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_scan(const tune_case *c, void *plan)
{
    return xl_scan_enqueue(plan, c->s->queue,
                           &(xl_scan_args){.n = c->n,
                                           .in = xl_view_of(c->buffers[0], 0),
                                           .segments = xl_view_n(c->buffers[1], 0, c->n),
                                           .out = xl_view_of(c->buffers[OUT], 0)},
                           0, NULL, NULL);
}

static void destroy_scan(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_scan(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

static int open_reduce(tune_case *c)
{
    int result;
    ref_flat sum;
    TRY(open_cut(c));
    TRY(tune_open_output(c, c->cuts.count * sizeof(uint32_t), 0));
    ref_flat_of(&sum, XL_U32, XL_SUM, true, NULL);
    ref_reduce(&sum, c->input, c->cuts.at, c->cuts.count, c->wanted);
    c->known = true;
done:
    return result;
}

static xl_status create_reduce(const tune_case *c, const xl_tunable *values, uint32_t count,
                               void **plan)
{
    xl_reduce_desc desc;
    xl_plan *made;
    xl_reduce_desc_init(&desc);
    desc.segments = c->kind->form;
    desc.segment_type = c->kind->form == XL_SEGMENTS_OFFSETS ? XL_U32 : XL_NONE;
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_reduce_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_reduce(const tune_case *c, void *plan)
{
    return xl_reduce_enqueue(
        plan, c->s->queue,
        &(xl_reduce_args){.n = c->n,
                          .in = xl_view_of(c->buffers[0], 0),
                          .segments = xl_view_n(c->buffers[1], 0, c->cuts.count + 1),
                          .out = xl_view_of(c->buffers[OUT], 0)},
        0, NULL, NULL);
}

static void destroy_reduce(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_reduce(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

/* ---- sort: pairs of a key and its index -------------------------------------- */

static int open_sort(tune_case *c)
{
    int result;
    uint32_t *index = malloc(c->n * sizeof *index);
    if (!index)
        return tune_no_memory(c);
    for (size_t i = 0; i < c->n; ++i)
        index[i] = (uint32_t)i;
    TRY(open_numbers(c));
    TRY(session_upload(c->s, index, c->n * sizeof *index, c->kind->name, &c->buffers[1]));
    TRY(tune_open_output(c, c->n * sizeof(uint32_t), c->n * sizeof(uint32_t)));
    memcpy(c->wanted, c->input, c->bytes);
    if (!ref_sort(XL_U32, false, c->n, c->wanted, NULL))
        result = tune_no_memory(c);
    c->known = true;
done:
    free(index);
    return result;
}

/* Equal keys may stand in any order, each with an index of its own. */
static bool check_sort(const tune_case *c, bool first)
{
    const uint32_t *in = c->input, *keys = (const uint32_t *)(const void *)c->got;
    const uint32_t *index = keys + c->n;
    bool *seen = calloc(c->n, sizeof *seen);
    bool good = seen && check_equal(c, first);
    for (size_t i = 0; good && i < c->n; ++i) {
        good = index[i] < c->n && !seen[index[i]] && in[index[i]] == keys[i];
        if (good)
            seen[index[i]] = true;
    }
    free(seen);
    return good;
}

static xl_status create_sort(const tune_case *c, const xl_tunable *values, uint32_t count,
                             void **plan)
{
    xl_sort_desc desc;
    xl_plan *made;
    xl_sort_desc_init(&desc);
    desc.value = XL_U32;
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_sort_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_sort(const tune_case *c, void *plan)
{
    return xl_sort_enqueue(plan, c->s->queue,
                           &(xl_sort_args){.n = c->n,
                                           .keys_in = xl_view_of(c->buffers[0], 0),
                                           .values_in = xl_view_of(c->buffers[1], 0),
                                           .keys_out = xl_view_of(c->buffers[OUT], 0),
                                           .values_out = xl_view_of(c->second, 0),
                                           .scratch = xl_view_of(c->scratch, 0)},
                           0, NULL, NULL);
}

static xl_status scratch_sort(const tune_case *c, const void *plan, size_t *bytes)
{
    return xl_sort_scratch(plan, &(xl_sort_args){.n = c->n}, bytes);
}

static void destroy_sort(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_sort(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

/* ---- top-k, merge, search: places, and keys in order ------------------------------ */

enum { TOPK_RESULTS = 100 };

static int open_topk(tune_case *c)
{
    int result;
    TRY(open_numbers(c));
    TRY(tune_open_output(c, (c->n < TOPK_RESULTS ? c->n : TOPK_RESULTS) * sizeof(uint32_t), 0));
    if (!ref_topk(XL_U32, true, true, c->n, TOPK_RESULTS, c->input, (uint32_t *)(void *)c->wanted))
        result = tune_no_memory(c);
    c->known = true;
done:
    return result;
}

static xl_status create_topk(const tune_case *c, const xl_tunable *values, uint32_t count,
                             void **plan)
{
    xl_topk_desc desc;
    xl_plan *made;
    xl_topk_desc_init(&desc);
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_topk_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_topk(const tune_case *c, void *plan)
{
    return xl_topk_enqueue(plan, c->s->queue,
                           &(xl_topk_args){.n = c->n,
                                           .k = TOPK_RESULTS,
                                           .keys_in = xl_view_of(c->buffers[0], 0),
                                           .indices_out = xl_view_of(c->buffers[OUT], 0)},
                           0, NULL, NULL);
}

static void destroy_topk(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_topk(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

/* The first half of the numbers in order, and the second as they are or in order, too. */
static int open_halves(tune_case *c, bool both)
{
    int result;
    uint32_t *const input = malloc(c->n * sizeof *input);
    const size_t half = c->n / 2;
    c->input = input;
    if (!input)
        return tune_no_memory(c);
    tune_fill(c->n, input);
    if (!ref_sort(XL_U32, false, half, input, NULL) ||
        (both && !ref_sort(XL_U32, false, c->n - half, input + half, NULL)))
        return tune_no_memory(c);
    TRY(session_upload(c->s, input, half * sizeof *input, c->kind->name, &c->buffers[0]));
    TRY(session_upload(c->s, input + half, (c->n - half) * sizeof *input, c->kind->name,
                       &c->buffers[1]));
    c->known = true;
done:
    return result;
}

static int open_merge(tune_case *c)
{
    int result;
    const size_t half = c->n / 2;
    TRY(open_halves(c, true));
    TRY(tune_open_output(c, c->n * sizeof(uint32_t), 0));
    const uint32_t *const input = c->input;
    const ref_run a = {half, input}, b = {c->n - half, input + half};
    ref_merge(XL_U32, false, &a, &b, c->wanted);
done:
    return result;
}

static xl_status create_merge(const tune_case *c, const xl_tunable *values, uint32_t count,
                              void **plan)
{
    xl_merge_desc desc;
    xl_plan *made;
    xl_merge_desc_init(&desc);
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_merge_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_merge(const tune_case *c, void *plan)
{
    return xl_merge_enqueue(plan, c->s->queue,
                            &(xl_merge_args){.n_a = c->n / 2,
                                             .n_b = c->n - c->n / 2,
                                             .keys_a = xl_view_of(c->buffers[0], 0),
                                             .keys_b = xl_view_of(c->buffers[1], 0),
                                             .keys_out = xl_view_of(c->buffers[OUT], 0)},
                            0, NULL, NULL);
}

static void destroy_merge(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_merge(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

static int open_search(tune_case *c)
{
    int result;
    const size_t half = c->n / 2, queries = c->n - half;
    TRY(open_halves(c, false));
    TRY(tune_open_output(c, queries * sizeof(uint32_t), 0));
    const uint32_t *const input = c->input;
    uint32_t *const wanted = (uint32_t *)(void *)c->wanted;
    for (size_t i = 0; i < queries; ++i)
        wanted[i] = (uint32_t)ref_bound(XL_U32, false, false, half, input, input + half + i);
done:
    return result;
}

static xl_status create_search(const tune_case *c, const xl_tunable *values, uint32_t count,
                               void **plan)
{
    xl_search_desc desc;
    xl_plan *made;
    xl_search_desc_init(&desc);
    desc.index = XL_U32;
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_search_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_search(const tune_case *c, void *plan)
{
    return xl_search_enqueue(plan, c->s->queue,
                             &(xl_search_args){.n = c->n / 2,
                                               .keys = xl_view_of(c->buffers[0], 0),
                                               .num_queries = c->n - c->n / 2,
                                               .queries = xl_view_of(c->buffers[1], 0),
                                               .indices_out = xl_view_of(c->buffers[OUT], 0)},
                             0, NULL, NULL);
}

static void destroy_search(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_search(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

/* ---- histograms and transforms -------------------------------------------------------- */

enum { BINS = 256 };

static int open_histogram(tune_case *c)
{
    int result;
    TRY(open_numbers(c));
    TRY(tune_open_output(c, BINS * sizeof(uint32_t), 0));
    const uint32_t *const input = c->input;
    uint32_t *const wanted = (uint32_t *)(void *)c->wanted;
    for (size_t i = 0; i < c->n; ++i)
        ++wanted[input[i] % BINS];
    c->known = true;
done:
    return result;
}

static xl_status create_histogram(const tune_case *c, const xl_tunable *values, uint32_t count,
                                  void **plan)
{
    xl_histogram_desc desc;
    xl_plan *made;
    xl_histogram_desc_init(&desc);
    desc.kind = XL_HISTOGRAM_KEYS;
    desc.type = XL_U32;
    desc.num_bins = BINS;
    desc.load = "x & 255";
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_histogram_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_histogram(const tune_case *c, void *plan)
{
    return xl_histogram_enqueue(plan, c->s->queue,
                                &(xl_histogram_args){.n = c->n,
                                                     .in = xl_view_of(c->buffers[0], 0),
                                                     .bins = xl_view_of(c->buffers[OUT], 0)},
                                0, NULL, NULL);
}

static void destroy_histogram(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_histogram(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

static int open_transform(tune_case *c)
{
    int result;
    TRY(open_numbers(c));
    TRY(tune_open_output(c, c->n * sizeof(uint32_t), 0));
    const uint32_t *const input = c->input;
    uint32_t *const wanted = (uint32_t *)(void *)c->wanted;
    for (size_t i = 0; i < c->n; ++i)
        wanted[i] = 3 * input[i] + (uint32_t)i;
    c->known = true;
done:
    return result;
}

static xl_status create_transform(const tune_case *c, const xl_tunable *values, uint32_t count,
                                  void **plan)
{
    xl_transform_desc desc;
    xl_plan *made;
    xl_transform_desc_init(&desc);
    desc.types[0] = XL_U32;
    desc.expression = "3 * x + (uint)i";
    desc.tunables = values;
    desc.num_tunables = count;
    const xl_status status = xl_transform_create(c->s->ctx, &desc, &made);
    *plan = made;
    return status;
}

static xl_status enqueue_transform(const tune_case *c, void *plan)
{
    return xl_transform_enqueue(plan, c->s->queue,
                                &(xl_transform_args){.n = c->n,
                                                     .in = {xl_view_of(c->buffers[0], 0)},
                                                     .out = {xl_view_of(c->buffers[OUT], 0)}},
                                0, NULL, NULL);
}

static void destroy_transform(void *plan)
{
    xl_plan_destroy(plan);
}

static xl_status info_transform(const tune_case *c, const void *plan, xl_plan_details *info)
{
    return xl_plan_info(plan, c->n, info);
}

/* Name, prefix, and how many elements at most, as exponents of 2: of a CPU, of others. */
#define KIND(text, part, cpu, other, cut, call, right, shared)                                     \
    {                                                                                              \
        .name = (text), .prefix = (part), .most = {(size_t)1 << (cpu), (size_t)1 << (other)},      \
        .form = (cut), .open = open_##call, .create = create_##call, .enqueue = enqueue_##call,    \
        .check = check_##right, .destroy = destroy_##call, .info = info_##call,                    \
        .scratch = (shared)                                                                        \
    }

const tune_kind tune_kinds[TUNE_KINDS] = {
    KIND("scan", "scan.", 22, 24, XL_SEGMENTS_NONE, scan, equal, NULL),
    KIND("segmented scan", "scan.", 22, 24, XL_SEGMENTS_HEAD_FLAGS, scan, equal, NULL),
    KIND("reduction", "reduce.", 22, 24, XL_SEGMENTS_NONE, reduce, equal, NULL),
    KIND("segmented reduction", "reduce.", 22, 24, XL_SEGMENTS_OFFSETS, reduce, equal, NULL),
    KIND("sort", "sort.", 18, 20, XL_SEGMENTS_NONE, sort, sort, scratch_sort),
    KIND("top-k", "topk.", 22, 24, XL_SEGMENTS_NONE, topk, equal, NULL),
    KIND("merge", "merge.", 22, 24, XL_SEGMENTS_NONE, merge, equal, NULL),
    KIND("search", "search.", 20, 22, XL_SEGMENTS_NONE, search, equal, NULL),
    KIND("histogram", "histogram.", 22, 24, XL_SEGMENTS_NONE, histogram, equal, NULL),
    KIND("transform", "transform.", 22, 24, XL_SEGMENTS_NONE, transform, equal, NULL),
    KIND("grid build", "grid.", 18, 20, XL_SEGMENTS_NONE, grid, grid, scratch_grid),
    KIND("neighbour search", "neighbors.", 17, 20, XL_SEGMENTS_NONE, neighbors, neighbors, NULL),
    KIND("nearest points", "knn.", 16, 20, XL_SEGMENTS_NONE, knn, nearest, NULL),
    KIND("nearest, approximate", "knn_approximate.", 16, 20, XL_SEGMENTS_NONE, approximate,
         approximate, NULL),
    KIND("Morton codes", "morton.", 20, 22, XL_SEGMENTS_NONE, morton, equal, NULL),
};

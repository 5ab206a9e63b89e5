/* SPDX-License-Identifier: MIT
 * The launches of a segmented sort: where segments begin, the short ones, in rows and packed, the
 * tiles of the long ones, and their merges, as many as the longest that there might be takes.
 * Nobody waits for the device to tell how long segments are: launches that none of them needs end
 * at once. */
#include "sort_plan.h"

/* XL_CSR of cl/sort/segment_windows.cl. */
static void add_csr(xli_args *a, const xli_sort_plan *plan, size_t n, const xli_sort_spans *s,
                    const xli_span *scratch)
{
    const xli_sort_segments known = xli_sort_segments_of(&plan->shape, n);
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    xli_args_add(a, XLI_U32(n));
    xli_args_add(a, XLI_OPTIONAL(s->n_device.buffer));
    xli_args_add(a, XLI_U64(s->n_device.offset));
    xli_args_add_place(a, s->segments.buffer, s->segments.offset);
    xli_args_add(a, XLI_U32(s->segment_count));
    xli_args_add_place(a, scratch->buffer, (scratch->offset + layout.state_at) / sizeof(cl_uint));
    xli_args_add(a, XLI_U32(known.windows));
    xli_args_add(a, XLI_U32(known.capacity));
}

/* XL_SORT_ARRAYS of cl/sort/sort_arrays.cl. */
static void add_arrays(xli_args *a, const xli_sort_plan *plan, const xli_sort_spans *s,
                       const xli_span *keys_out)
{
    const xli_span *const values_in = xli_sort_read_values(plan, s);
    xli_args_add_place(a, s->keys_in.buffer, s->keys_in.offset);
    xli_args_add_span(a, keys_out);
    if (plan->problem.value == XL_NONE)
        return;
    xli_args_add_place(a, values_in->buffer, values_in->offset);
    xli_args_add_place(a, s->values_out.buffer, s->values_out.offset);
}

/* XL_SEGMENT_SPARE. */
static void add_spare(xli_args *a, const xli_sort_plan *plan, size_t n, const xli_span *scratch)
{
    const xli_sort_layout layout = xli_sort_layout_of(&plan->problem, &plan->shape, n);
    xli_args_add_place(a, scratch->buffer, xli_sort_spare_keys(plan, scratch));
    if (plan->problem.value != XL_NONE)
        xli_args_add_place(a, scratch->buffer, xli_sort_spare_values(&layout, scratch));
}

/* Most arguments of a launch: its own, XL_CSR, arrays and spare ones. */
enum { OWN_ARGS = 3, CSR_ARGS = 10, ARRAY_ARGS = 8, SPARE_ARGS = 4 };
XLI_ARGS_FIT(OWN_ARGS + CSR_ARGS + ARRAY_ARGS + SPARE_ARGS);

/* All at once, by a queue. */
static xl_status launch_queue(xli_sort_plan *plan, xli_seq *seq, size_t n,
                              const xli_sort_spans *spans, const xli_span *scratch)
{
    const xli_sort_shape *const shape = &plan->shape;
    const xli_sort_segments known = xli_sort_segments_of(shape, n);
    const size_t groups = xli_min(known.capacity, shape->list_groups);
    xli_args a = {.count = 0};
    xli_args_add(&a, XLI_U32(known.slots));
    xli_args_add(&a, XLI_U32(shape->tune.spin_limit));
    xli_args_add(&a, XLI_U32(xli_sort_search_log(shape, 0)));
    add_csr(&a, plan, n, spans, scratch);
    add_arrays(&a, plan, spans, &spans->keys_out);
    add_spare(&a, plan, n, scratch);
    return xli_seq_launch_args(seq, &plan->kernels.long_all, groups, shape->group_size, &a, 0);
}

static xl_status launch_long(xli_sort_plan *plan, xli_seq *seq, size_t n,
                             const xli_sort_spans *spans, const xli_span *scratch)
{
    xl_status status;
    const xli_sort_shape *const shape = &plan->shape;
    const size_t capacity = xli_sort_segments_of(shape, n).capacity;
    /* They take all listed tiles, whose number the host does not know. */
    const size_t groups = xli_min(capacity, shape->list_groups);
    const unsigned merges = xli_sort_merges(shape, n);
    xli_args a = {.count = 2}; /* those of a merge come first */
    add_csr(&a, plan, n, spans, scratch);
    add_arrays(&a, plan, spans, &spans->keys_out);
    add_spare(&a, plan, n, scratch);
    XL_TRY(xli_seq_launch_args(seq, &plan->kernels.long_tiles, groups, shape->group_size, &a, 2));
    a.at[1] = XLI_U32(xli_sort_search_log(shape, xli_ceil_div(n, xli_sort_tile(shape))));
    for (unsigned level = 0; level < merges; ++level) {
        a.at[0] = XLI_U32(level);
        XL_TRY(
            xli_seq_launch_args(seq, &plan->kernels.long_merge, groups, shape->group_size, &a, 0));
    }
done:
    return status;
}

xl_status xli_sort_launch_segments(xli_sort_plan *plan, xli_seq *seq, size_t n,
                                   const xli_sort_spans *spans, const xli_span *scratch)
{
    xl_status status;
    const size_t group = plan->shape.group_size;
    const xli_sort_segments known = xli_sort_segments_of(&plan->shape, n);
    const bool rows = xli_sort_has_rows(plan);
    const xli_span last_keys = xli_sort_last_keys(plan, spans);
    xli_args a = {.count = 0};
    const bool many = spans->segment_count >= known.windows; /* a sub-group finds one window */
    const size_t items = xli_mul(known.windows + 1, many ? xli_max(1, plan->shape.sub_group) : 1);
    xli_args_add(&a, XLI_U32(known.queue_words));
    add_csr(&a, plan, n, spans, scratch);
    XL_TRY(
        xli_seq_launch_args(seq, &plan->kernels.places, xli_ceil_div(items, group), group, &a, 0));
    a.count = 0;
    add_csr(&a, plan, n, spans, scratch);
    add_arrays(&a, plan, spans, &last_keys);
    if (rows)
        XL_TRY(xli_seq_launch_args(seq, &plan->kernels.rows, known.windows, group, &a, 0));
    XL_TRY(xli_seq_launch_args(
        seq, &plan->kernels.packed,
        rows ? xli_min(known.windows, plan->shape.list_groups) : known.windows, group, &a, 0));
    if (known.capacity > 0) /* a segment may be long */
        XL_TRY((plan->shape.queue ? launch_queue : launch_long)(plan, seq, n, spans, scratch));
done:
    return status;
}

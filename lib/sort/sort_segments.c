/* SPDX-License-Identifier: MIT
 * The launches of a segmented sort. The first finds where segments begin. The next sort short
 * segments; on GPUs the second of them sorts those of very different lengths. The others sort the
 * tiles of long segments and merge them, as often as the longest possible segment requires. The host
 * does not know the lengths: a launch that no segment needs ends at once. */
#include "sort_plan.h"

/* XL_CSR of cl/sort/segment_windows.cl. */
static void add_csr(xli_args *a, const xli_sort_call *c)
{
    const xli_sort_segments known = xli_sort_segments_of(&c->plan->shape, c->n);
    xli_sort_add_n(a, c);
    xli_args_add_span(a, &c->given[XLI_SORT_SEGMENTS]);
    xli_args_add(a, XLI_U32(c->segment_count));
    xli_args_add_place(a, c->scratch->buffer,
                       (c->scratch->offset + c->layout.state_at) / sizeof(cl_uint));
    xli_args_add(a, XLI_U32(known.windows));
    xli_args_add(a, XLI_U32(known.capacity));
}

/* XL_SORT_ARRAYS of cl/sort/sort_arrays.cl. */
static void add_arrays(xli_args *a, const xli_sort_call *c, const xli_span *keys_out)
{
    xli_args_add_span(a, &c->given[XLI_SORT_KEYS_IN]);
    xli_args_add_span(a, keys_out);
    if (c->plan->problem.value == XL_NONE)
        return;
    xli_args_add_span(a, xli_sort_read_values(c));
    xli_args_add_span(a, &c->values_out);
}

/* XL_SEGMENT_SPARE. */
static void add_spare(xli_args *a, const xli_sort_call *c)
{
    xli_args_add_place(a, c->scratch->buffer, xli_sort_spare_keys(c));
    if (c->plan->problem.value != XL_NONE)
        xli_args_add_place(a, c->scratch->buffer, xli_sort_spare_values(c));
}

/* Most arguments of a launch: its own, XL_CSR, arrays and spare ones. */
enum { OWN_ARGS = 3, CSR_ARGS = 10, ARRAY_ARGS = 8, SPARE_ARGS = 4 };
XLI_ARGS_FIT(OWN_ARGS + CSR_ARGS + ARRAY_ARGS + SPARE_ARGS);

/* All long segments in one launch, whose work-groups take tiles and merges from a queue. */
static xl_status launch_queue(const xli_sort_call *c)
{
    const xli_sort_shape *const shape = &c->plan->shape;
    const xli_sort_segments known = xli_sort_segments_of(shape, c->n);
    const size_t groups = xli_min(known.capacity, shape->list_groups);
    xli_args a = {.count = 0};
    xli_args_add(&a, XLI_U32(known.slots));
    xli_args_add(&a, XLI_U32(shape->tune.spin_limit));
    xli_args_add(&a, XLI_U32(xli_sort_search_log(shape, 0)));
    add_csr(&a, c);
    add_arrays(&a, c, &c->keys_out);
    add_spare(&a, c);
    return xli_seq_launch_args(c->seq, &c->plan->kernels.long_all, groups, shape->group_size, &a,
                               0);
}

static xl_status launch_long(const xli_sort_call *c)
{
    xl_status status;
    xli_sort_kernels *const k = &c->plan->kernels;
    const xli_sort_shape *const shape = &c->plan->shape;
    const size_t capacity = xli_sort_segments_of(shape, c->n).capacity, group = shape->group_size;
    /* Together they take all listed tiles, whose number the host does not know. */
    const size_t groups = xli_min(capacity, shape->list_groups);
    const unsigned merges = xli_sort_merges(shape, c->n);
    xli_args a = {.count = 2}; /* the first two are for merges alone */
    add_csr(&a, c);
    add_arrays(&a, c, &c->keys_out);
    add_spare(&a, c);
    XL_TRY(xli_seq_launch_args(c->seq, &k->long_tiles, groups, group, &a, 2));
    a.at[1] = XLI_U32(xli_sort_search_log(shape, xli_ceil_div(c->n, xli_sort_tile(shape))));
    for (unsigned level = 0; level < merges; ++level) {
        a.at[0] = XLI_U32(level);
        XL_TRY(xli_seq_launch_args(c->seq, &k->long_merge, groups, group, &a, 0));
    }
done:
    return status;
}

xl_status xli_sort_launch_segments(const xli_sort_call *c)
{
    xl_status status;
    const xli_sort_shape *const shape = &c->plan->shape;
    xli_sort_kernels *const k = &c->plan->kernels;
    const size_t group = shape->group_size;
    const xli_sort_segments known = xli_sort_segments_of(shape, c->n);
    const bool rows = xli_sort_has_rows(c->plan);
    const size_t others = rows ? xli_min(known.windows, shape->list_groups) : known.windows;
    const xli_span last_keys = xli_sort_last_keys(c);
    const bool many = c->segment_count >= known.windows; /* a sub-group finds one window */
    const size_t items =
        xli_mul(known.windows + 1, many ? xli_max(1, c->plan->sub_group[XLI_SORT_PACKED]) : 1);
    xli_args a = {.count = 0};
    xli_args_add(&a, XLI_U32(known.queue_words));
    add_csr(&a, c);
    XL_TRY(xli_seq_launch_args(c->seq, &k->places, xli_ceil_div(items, group), group, &a, 0));
    a.count = 0;
    add_csr(&a, c);
    add_arrays(&a, c, &last_keys);
    if (rows)
        XL_TRY(xli_seq_launch_args(c->seq, &k->rows, known.windows, group, &a, 0));
    XL_TRY(xli_seq_launch_args(c->seq, &k->others, others, group, &a, 0));
    if (known.capacity > 0) /* a segment may be long */
        XL_TRY((shape->queue ? launch_queue : launch_long)(c));
done:
    return status;
}

/* SPDX-License-Identifier: MIT
 * The launches of a merge: one finds where tiles begin in both inputs, if there are many tiles; one
 * merges the tiles. A set operation has four: cl/merge/merge_sets.cl. */
#include "merge_plan.h"

/* A call on its way to the device. */
typedef struct flow {
    xli_merge_plan *plan;
    xli_seq *seq;
    size_t n_a, n_b, tiles;
    const xli_span *spans, *scratch;
} flow;

/* If an array has no buffer, because it is empty or not given, the kernel gets the buffer of the
 * other one and reads nothing there. */
static void add_pair(xli_args *list, const xli_span *a, const xli_span *b)
{
    xli_args_add_span(list, a->buffer ? a : b);
    xli_args_add_span(list, b->buffer ? b : a);
}

static void add_length(xli_args *list, size_t n, const xli_span *device)
{
    xli_args_add(list, XLI_U32(n));
    xli_args_add(list, XLI_OPTIONAL(device->buffer));
    xli_args_add(list, XLI_U64(device->offset));
}

static void add_lengths(xli_args *list, const flow *f)
{
    add_length(list, f->n_a, &f->spans[XLI_MERGE_N_A]);
    add_length(list, f->n_b, &f->spans[XLI_MERGE_N_B]);
}

static void add_keys(xli_args *list, const flow *f)
{
    add_pair(list, &f->spans[XLI_MERGE_KEYS_A], &f->spans[XLI_MERGE_KEYS_B]);
}

static void add_arrays(xli_args *list, const flow *f)
{
    add_keys(list, f);
    xli_args_add_span(list, &f->spans[XLI_MERGE_KEYS_OUT]);
    for (size_t k = 0; k < f->plan->problem.values.count; ++k) {
        add_pair(list, &f->spans[XLI_MERGE_VALUES_A + k], &f->spans[XLI_MERGE_VALUES_B + k]);
        xli_args_add_span(list, &f->spans[XLI_MERGE_VALUES_OUT + k]);
    }
}

/* The most arguments of a launch: its own, both lengths, and all arrays. */
enum { OWN_ARGS = 4, LENGTH_ARGS = 6, ARRAY_ARGS = 6 * (1 + XLI_VALUES) };
XLI_ARGS_FIT(OWN_ARGS + LENGTH_ARGS + ARRAY_ARGS);

static xl_status launch(const flow *f, xli_kernel *kernel, size_t groups, const xli_args *list)
{
    return xli_seq_launch_args(f->seq, kernel, groups, f->plan->shape.group_size, list, 0);
}

/* ---- merges ---- */

static xl_status launch_partitions(const flow *f)
{
    xli_args list = {.count = 0};
    add_lengths(&list, f);
    add_keys(&list, f);
    xli_args_add(&list, XLI_U32(f->tiles));
    xli_args_add_place(&list, f->scratch->buffer, f->scratch->offset / sizeof(cl_uint));
    return launch(f, &f->plan->partitions, xli_ceil_div(f->tiles + 1, f->plan->shape.group_size),
                  &list);
}

static xl_status launch_parts(const flow *f, bool has_cuts)
{
    xli_args list = {.count = 0};
    if (f->plan->shape.serial) {
        xli_args_add(&list, XLI_U32(xli_merge_tile(&f->plan->shape, f->n_a + f->n_b)));
    } else {
        const xli_span *const some = &f->spans[XLI_MERGE_KEYS_OUT]; /* not accessed */
        xli_args_add(&list, XLI_U32(has_cuts));
        xli_args_add_place(&list, has_cuts ? f->scratch->buffer : some->buffer,
                           has_cuts ? f->scratch->offset / sizeof(cl_uint) : 0);
    }
    add_lengths(&list, f);
    add_arrays(&list, f);
    return launch(f, &f->plan->parts, f->tiles, &list);
}

static xl_status launch_merge(const flow *f)
{
    xl_status status = XL_SUCCESS;
    const bool has_cuts = xli_merge_has_cuts(&f->plan->shape, f->n_a + f->n_b);
    if (has_cuts)
        XL_TRY(launch_partitions(f));
    if (f->tiles > 0)
        XL_TRY(launch_parts(f, has_cuts));
done:
    return status;
}

/* ---- set operations ---- */

static xli_args set_args(const flow *f)
{
    xli_args list = {.count = 0};
    xli_args_add(&list, XLI_U32(f->tiles));
    xli_args_add_place(&list, f->scratch->buffer, f->scratch->offset / sizeof(cl_uint));
    return list;
}

/* A work-item walks several tiles, a work-group one. */
static size_t set_groups(const flow *f)
{
    enum { PIECES = 4 }; /* XL_SET_PIECES of cl/merge/set_serial.cl */
    return f->plan->shape.serial ? xli_ceil_div(f->tiles, PIECES) : f->tiles;
}

static xl_status launch_cuts(const flow *f)
{
    xli_args list = set_args(f);
    xli_args_add(&list, XLI_U32(xli_merge_tile(&f->plan->shape, f->n_a + f->n_b)));
    add_lengths(&list, f);
    add_keys(&list, f);
    return launch(f, &f->plan->set_cuts, xli_ceil_div(f->tiles + 1, f->plan->shape.group_size),
                  &list);
}

static xl_status launch_counts(const flow *f)
{
    xli_args list = set_args(f);
    xli_args_add(&list, XLI_U32(f->n_a));
    xli_args_add(&list, XLI_U32(f->n_b));
    add_keys(&list, f);
    return launch(f, &f->plan->set_counts, set_groups(f), &list);
}

static xl_status launch_sums(const flow *f, size_t room)
{
    xli_args list = set_args(f);
    xli_args_add(&list, XLI_U32(room));
    xli_args_add_span(&list, &f->spans[XLI_MERGE_COUNT]);
    return launch(f, &f->plan->set_sums, 1, &list);
}

static xl_status launch_writes(const flow *f, size_t room)
{
    xli_args list = set_args(f);
    xli_args_add(&list, XLI_U32(room));
    xli_args_add(&list, XLI_U32(f->n_a));
    xli_args_add(&list, XLI_U32(f->n_b));
    add_arrays(&list, f);
    return launch(f, &f->plan->set_writes, set_groups(f), &list);
}

/* If the result must be empty, only the count is written. */
static xl_status launch_set(flow *f)
{
    xl_status status = XL_SUCCESS;
    const size_t room = xli_merge_room(&f->plan->problem, f->n_a, f->n_b);
    if (room == 0)
        f->tiles = 0;
    if (f->tiles > 0)
        XL_TRY(launch_cuts(f));
    if (f->tiles > 0)
        XL_TRY(launch_counts(f));
    XL_TRY(launch_sums(f, room));
    if (f->tiles > 0)
        XL_TRY(launch_writes(f, room));
done:
    return status;
}

xl_status xli_merge_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                           const xli_span *scratch)
{
    const xl_merge_args *const args = of;
    xli_merge_plan *const plan = (xli_merge_plan *)base;
    flow f = {
        plan,  seq,    args->n_a, args->n_b, xli_merge_tiles(&plan->shape, args->n_a + args->n_b),
        spans, scratch};
    return plan->shape.sets ? launch_set(&f) : launch_merge(&f);
}

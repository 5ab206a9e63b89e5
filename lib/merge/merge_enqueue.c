/* SPDX-License-Identifier: MIT
 * The launches of a merge: one finds where tiles begin in both inputs, if there are many tiles; one
 * merges the tiles. Many runs are merged in pairs. A set operation has four launches:
 * cl/merge/merge_sets.cl. */
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

/* Adds n elements, as the kernels count them. */
static void add_number(xli_args *list, const flow *f, size_t n)
{
    xli_args_add(list, f->plan->shape.sets ? XLI_U32(n) : XLI_U64(n));
}

static void add_length(xli_args *list, const flow *f, size_t n, const xli_span *device)
{
    add_number(list, f, n);
    xli_args_add(list, XLI_OPTIONAL(device->buffer));
    xli_args_add(list, XLI_U64(device->offset));
}

static void add_lengths(xli_args *list, const flow *f)
{
    add_length(list, f, f->n_a, &f->spans[XLI_MERGE_N_A]);
    add_length(list, f, f->n_b, &f->spans[XLI_MERGE_N_B]);
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

static void add_cuts(xli_args *list, const flow *f)
{
    xli_args_add_place(list, f->scratch->buffer,
                       f->scratch->offset / xli_merge_place_bytes(&f->plan->shape));
}

static xl_status launch_partitions(const flow *f)
{
    xli_args list = {.count = 0};
    add_lengths(&list, f);
    add_keys(&list, f);
    add_number(&list, f, f->tiles);
    add_cuts(&list, f);
    return launch(f, &f->plan->partitions, xli_ceil_div(f->tiles + 1, f->plan->shape.group_size),
                  &list);
}

static xl_status launch_parts(const flow *f, bool has_cuts)
{
    xli_args list = {.count = 0};
    if (f->plan->shape.serial) {
        add_number(&list, f, xli_merge_tile(&f->plan->shape, f->n_a + f->n_b));
    } else {
        xli_args_add(&list, XLI_U32(has_cuts));
        if (has_cuts)
            add_cuts(&list, f);
        else /* not accessed */
            xli_args_add_place(&list, f->spans[XLI_MERGE_KEYS_OUT].buffer, 0);
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
    enum { PIECES = 4 }; /* XL_SET_PIECES of cl/merge/merge_sets.cl */
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

/* ---- many runs ---- */

/* Runs form a binary tree whose leaves are the runs, in their order, and whose root is the result.
 * Each inner node merges its two children. The root writes the outputs, its children the spare
 * arrays, their children the outputs, and so on; a run is read where the caller has it. So a node
 * reads other arrays than it writes, and nodes of one level have different elements. */
typedef struct tree {
    xli_merge_plan *plan;
    xli_seq *seq;
    const xli_span *spans, *scratch;
    const size_t *runs;
    xli_span spare[1 + XLI_VALUES]; /* keys and values */
} tree;

/* The keys and values that a merge reads or writes: consecutive spans. */
enum { ROOT, SPARE, INPUT };
static const xli_span *arrays_of(const tree *t, int place)
{
    const xli_span *const all[] = {[ROOT] = &t->spans[XLI_MERGE_KEYS_OUT],
                                   [SPARE] = t->spare,
                                   [INPUT] = &t->spans[XLI_MERGE_KEYS_A]};
    return all[place];
}

static void place_arrays(const tree *t, int place, size_t first, xli_span *to)
{
    for (size_t k = 0; k <= t->plan->problem.values.count; ++k) {
        to[k] = arrays_of(t, place)[k];
        to[k].offset += first;
    }
}

/* Merges elements ends[0] to ends[1] - 1 with elements ends[1] to ends[2] - 1. */
static xl_status merge_two(const tree *t, const size_t ends[3], int place_a, int place_b,
                           int place_out)
{
    xli_span spans[XLI_MERGE_ARRAYS] = {{0}};
    const size_t n = ends[2] - ends[0];
    const flow f = {t->plan,
                    t->seq,
                    ends[1] - ends[0],
                    ends[2] - ends[1],
                    xli_merge_tiles(&t->plan->shape, n),
                    spans,
                    t->scratch};
    place_arrays(t, place_a, ends[0], &spans[XLI_MERGE_KEYS_A]);
    place_arrays(t, place_b, ends[1], &spans[XLI_MERGE_KEYS_B]);
    place_arrays(t, place_out, ends[0], &spans[XLI_MERGE_KEYS_OUT]);
    return launch_merge(&f);
}

/* Merges runs i to j - 1; *place: where the result is. */
static xl_status merge_runs(const tree *t, size_t i, size_t j, int level, int *place)
{
    xl_status status;
    const size_t k = xli_merge_cut(t->runs, i, j), ends[] = {t->runs[i], t->runs[k], t->runs[j]};
    int place_a, place_b;
    *place = INPUT;
    if (k == j)
        return XL_SUCCESS;
    XL_TRY(merge_runs(t, i, k, !level, &place_a));
    XL_TRY(merge_runs(t, k, j, !level, &place_b));
    XL_TRY(merge_two(t, ends, place_a, place_b, level));
    *place = level;
done:
    return status;
}

static xl_status check_runs(const xl_context *ctx, const xl_merge_args *args)
{
    const size_t last = args->num_runs;
    if (!args->runs)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.runs: NULL; must have args.num_runs + 1 numbers");
    if (args->runs[0] != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "args.runs[0]: %zu; must be 0",
                        args->runs[0]);
    for (size_t k = 1; k <= last; ++k)
        if (args->runs[k] < args->runs[k - 1])
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "args.runs[%zu]: %zu; must be at least the number before it, %zu", k,
                            args->runs[k], args->runs[k - 1]);
    if (args->runs[last] != args->n_a)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.runs[%zu]: %zu; must be args.n_a, %zu", last, args->runs[last],
                        args->n_a);
    return XL_SUCCESS;
}

/* A single run is merged with nothing, which copies it. */
static xl_status launch_runs(xli_merge_plan *plan, xli_seq *seq, const xl_merge_args *args,
                             const xli_span *spans, const xli_span *scratch)
{
    xl_status status;
    const size_t ends[] = {0, args->n_a, args->n_a};
    tree t = {plan, seq, spans, scratch, args->runs, {{0}}};
    size_t at = scratch->offset + xli_merge_scratch_bytes(&plan->shape, args->n_a);
    int place;
    XL_TRY(check_runs(plan->base.ctx, args));
    for (size_t k = 0; k <= plan->problem.values.count; ++k) {
        t.spare[k].buffer = scratch->buffer;
        t.spare[k].offset = xli_ceil_div(at, xli_merge_element(&plan->problem, k));
        at += xli_merge_spare_of(&plan->problem, args->n_a, k);
    }
    XL_TRY(merge_runs(&t, 0, args->num_runs, ROOT, &place));
    if (place == INPUT)
        XL_TRY(merge_two(&t, ends, INPUT, INPUT, ROOT));
done:
    return status;
}

xl_status xli_merge_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                           const xli_span *scratch)
{
    const xl_merge_args *const args = of;
    xli_merge_plan *const plan = (xli_merge_plan *)base;
    if (args->num_runs > 0)
        return launch_runs(plan, seq, args, spans, scratch);
    if (args->runs)
        return xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.runs: given; must be NULL, because args.num_runs is 0");
    flow f = {
        plan,  seq,    args->n_a, args->n_b, xli_merge_tiles(&plan->shape, args->n_a + args->n_b),
        spans, scratch};
    return plan->shape.sets ? launch_set(&f) : launch_merge(&f);
}

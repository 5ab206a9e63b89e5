/* SPDX-License-Identifier: MIT
 * The launches of a merge: one that finds what each tile comes from, where that is worth one, and
 * one that makes the tiles. */
#include "merge_plan.h"

typedef struct arg_list {
    xli_arg args[XLI_MAX_ARGS];
    size_t count;
} arg_list;

static void add(arg_list *list, xli_arg arg)
{
    list->args[list->count++] = arg;
}

static void add_array(arg_list *list, const xli_span *array)
{
    add(list, XLI_MEM(array->buffer));
    add(list, XLI_U64(array->offset));
}

/* An array that is empty may have no buffer, which a kernel cannot be given: it gets the other one,
 * and reads nothing of it on this one's account. */
static void add_pair(arg_list *list, const xli_span *a, const xli_span *b)
{
    add_array(list, a->buffer ? a : b);
    add_array(list, b->buffer ? b : a);
}

static void add_inputs(arg_list *list, size_t n_a, size_t n_b, const xli_merge_spans *s)
{
    add(list, XLI_U32(n_a));
    add(list, XLI_U32(n_b));
    add_pair(list, &s->keys_a, &s->keys_b);
}

static void add_arrays(arg_list *list, const xl_merge *plan, size_t n_a, size_t n_b,
                       const xli_merge_spans *s)
{
    add_inputs(list, n_a, n_b, s);
    add_array(list, &s->keys_out);
    if (plan->problem.value == XL_NONE)
        return;
    add_pair(list, &s->values_a, &s->values_b);
    add_array(list, &s->values_out);
}

static xl_status launch_partitions(xl_merge *plan, xli_seq *seq, size_t n_a, size_t n_b,
                                   size_t tiles, const xli_merge_spans *s, const xli_span *scratch)
{
    arg_list list = {.count = 0};
    add_inputs(&list, n_a, n_b, s);
    add(&list, XLI_U32(tiles));
    add(&list, XLI_MEM(scratch->buffer));
    add(&list, XLI_U64(scratch->offset / sizeof(cl_uint)));
    return xli_seq_launch(seq, &plan->partitions, xli_ceil_div(tiles + 1, plan->shape.group_size),
                          plan->shape.group_size, list.args, list.count);
}

xl_status xli_merge_launch(xl_merge *plan, xli_seq *seq, size_t n_a, size_t n_b,
                           const xli_merge_spans *s, const xli_span *scratch)
{
    xl_status status;
    arg_list list = {.count = 0};
    const size_t tile = xli_merge_tile(&plan->shape, n_a + n_b);
    const size_t tiles = xli_ceil_div(n_a + n_b, tile);
    const bool has_cuts = xli_merge_has_cuts(&plan->shape, n_a + n_b);
    if (has_cuts)
        XL_TRY(launch_partitions(plan, seq, n_a, n_b, tiles, s, scratch));
    if (plan->shape.serial) {
        add(&list, XLI_U32(tile));
    } else {
        add(&list, XLI_U32(has_cuts));
        /* Some buffer; nothing is read there without cuts. */
        add(&list, XLI_MEM(has_cuts ? scratch->buffer : s->keys_out.buffer));
        add(&list, XLI_U64(has_cuts ? scratch->offset / sizeof(cl_uint) : 0));
    }
    add_arrays(&list, plan, n_a, n_b, s);
    XL_TRY(xli_seq_launch(seq, &plan->parts, tiles, plan->shape.group_size, list.args, list.count));
done:
    return status;
}

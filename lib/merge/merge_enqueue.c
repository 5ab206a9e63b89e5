/* SPDX-License-Identifier: MIT
 * The launches of a merge: one that finds what each tile comes from, where that is worth one, and
 * one that makes the tiles. */
#include "merge_plan.h"

/* An array that is empty may have no buffer, which a kernel cannot be given: it gets the other one,
 * and reads nothing of it on this one's account. */
static void add_pair(xli_args *list, const xli_span *a, const xli_span *b)
{
    xli_args_add_span(list, a->buffer ? a : b);
    xli_args_add_span(list, b->buffer ? b : a);
}

static void add_inputs(xli_args *list, size_t n_a, size_t n_b, const xli_merge_spans *s)
{
    xli_args_add(list, XLI_U32(n_a));
    xli_args_add(list, XLI_U32(n_b));
    add_pair(list, &s->keys_a, &s->keys_b);
}

static void add_arrays(xli_args *list, const xl_merge *plan, size_t n_a, size_t n_b,
                       const xli_merge_spans *s)
{
    add_inputs(list, n_a, n_b, s);
    xli_args_add_span(list, &s->keys_out);
    if (plan->problem.value == XL_NONE)
        return;
    add_pair(list, &s->values_a, &s->values_b);
    xli_args_add_span(list, &s->values_out);
}

static xl_status launch_partitions(xl_merge *plan, xli_seq *seq, size_t n_a, size_t n_b,
                                   size_t tiles, const xli_merge_spans *s, const xli_span *scratch)
{
    xli_args list = {.count = 0};
    add_inputs(&list, n_a, n_b, s);
    xli_args_add(&list, XLI_U32(tiles));
    xli_args_add(&list, XLI_MEM(scratch->buffer));
    xli_args_add(&list, XLI_U64(scratch->offset / sizeof(cl_uint)));
    return xli_seq_launch_args(seq, &plan->partitions,
                               xli_ceil_div(tiles + 1, plan->shape.group_size),
                               plan->shape.group_size, &list, 0);
}

xl_status xli_merge_launch(xl_merge *plan, xli_seq *seq, size_t n_a, size_t n_b,
                           const xli_merge_spans *s, const xli_span *scratch)
{
    xl_status status;
    xli_args list = {.count = 0};
    const size_t tile = xli_merge_tile(&plan->shape, n_a + n_b);
    const size_t tiles = xli_ceil_div(n_a + n_b, tile);
    const bool has_cuts = xli_merge_has_cuts(&plan->shape, n_a + n_b);
    if (has_cuts)
        XL_TRY(launch_partitions(plan, seq, n_a, n_b, tiles, s, scratch));
    if (plan->shape.serial) {
        xli_args_add(&list, XLI_U32(tile));
    } else {
        xli_args_add(&list, XLI_U32(has_cuts));
        /* Some buffer; nothing is read there without cuts. */
        xli_args_add(&list, XLI_MEM(has_cuts ? scratch->buffer : s->keys_out.buffer));
        xli_args_add(&list, XLI_U64(has_cuts ? scratch->offset / sizeof(cl_uint) : 0));
    }
    add_arrays(&list, plan, n_a, n_b, s);
    XL_TRY(xli_seq_launch_args(seq, &plan->parts, tiles, plan->shape.group_size, &list, 0));
done:
    return status;
}

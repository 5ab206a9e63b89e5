/* SPDX-License-Identifier: MIT
 * The launches of a merge: one finds where tiles begin in both inputs, if there are many tiles; one
 * makes the tiles. */
#include "merge_plan.h"

/* An empty array may have no buffer, which a kernel cannot be given: then it is given the other
 * array's buffer and reads nothing there. */
static void add_pair(xli_args *list, const xli_span *a, const xli_span *b)
{
    xli_args_add_span(list, a->buffer ? a : b);
    xli_args_add_span(list, b->buffer ? b : a);
}

static void add_inputs(xli_args *list, const xl_merge_args *args, const xli_span *spans)
{
    xli_args_add(list, XLI_U32(args->n_a));
    xli_args_add(list, XLI_U32(args->n_b));
    add_pair(list, &spans[XLI_MERGE_KEYS_A], &spans[XLI_MERGE_KEYS_B]);
}

static xl_status launch_partitions(xli_merge_plan *plan, xli_seq *seq, const xl_merge_args *args,
                                   size_t tiles, const xli_span *spans, const xli_span *scratch)
{
    xli_args list = {.count = 0};
    add_inputs(&list, args, spans);
    xli_args_add(&list, XLI_U32(tiles));
    xli_args_add(&list, XLI_MEM(scratch->buffer));
    xli_args_add(&list, XLI_U64(scratch->offset / sizeof(cl_uint)));
    return xli_seq_launch_args(seq, &plan->partitions,
                               xli_ceil_div(tiles + 1, plan->shape.group_size),
                               plan->shape.group_size, &list, 0);
}

static xl_status launch_parts(xli_merge_plan *plan, xli_seq *seq, const xl_merge_args *args,
                              size_t tiles, const xli_span *spans, const xli_span *cuts)
{
    xli_args list = {.count = 0};
    if (plan->shape.serial) {
        xli_args_add(&list, XLI_U32(xli_merge_tile(&plan->shape, args->n_a + args->n_b)));
    } else {
        xli_args_add(&list, XLI_U32(cuts != NULL));
        /* Without cuts the kernel is given some buffer and reads nothing there. */
        xli_args_add(&list, XLI_MEM(cuts ? cuts->buffer : spans[XLI_MERGE_KEYS_OUT].buffer));
        xli_args_add(&list, XLI_U64(cuts ? cuts->offset / sizeof(cl_uint) : 0));
    }
    add_inputs(&list, args, spans);
    xli_args_add_span(&list, &spans[XLI_MERGE_KEYS_OUT]);
    if (plan->problem.value != XL_NONE) {
        add_pair(&list, &spans[XLI_MERGE_VALUES_A], &spans[XLI_MERGE_VALUES_B]);
        xli_args_add_span(&list, &spans[XLI_MERGE_VALUES_OUT]);
    }
    return xli_seq_launch_args(seq, &plan->parts, tiles, plan->shape.group_size, &list, 0);
}

xl_status xli_merge_launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                           const xli_span *scratch)
{
    xl_status status = XL_SUCCESS;
    const xl_merge_args *const args = of;
    xli_merge_plan *const plan = (xli_merge_plan *)base;
    const size_t n = args->n_a + args->n_b;
    if (n == 0)
        return XL_SUCCESS;
    const size_t tiles = xli_ceil_div(n, xli_merge_tile(&plan->shape, n));
    const bool has_cuts = xli_merge_has_cuts(&plan->shape, n);
    if (has_cuts)
        XL_TRY(launch_partitions(plan, seq, args, tiles, spans, scratch));
    XL_TRY(launch_parts(plan, seq, args, tiles, spans, has_cuts ? scratch : NULL));
done:
    return status;
}

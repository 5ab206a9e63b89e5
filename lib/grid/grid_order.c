/* SPDX-License-Identifier: MIT
 * Moves an array from the order of the points to the order of an index, or back. */
#include "grid_launch.h"

typedef struct reorder_call {
    xl_grid_reorder_args args;
    xl_grid_index *index;
} reorder_call;

enum { IN, OUT, ARRAYS };

static xl_status count(const xl_plan *base, const void *of)
{
    xl_status status;
    const reorder_call *const call = of;
    const size_t bytes = call->args.element_bytes;
    XL_TRY(
        xli_grid_check_order(base->ctx, call->index, ((const xli_grid_plan *)base)->tune.planes));
    if (bytes == 0 || bytes % 4 != 0 || bytes / 4 > UINT32_MAX)
        XL_TRY(xli_fail(base->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "args.element_bytes: %zu; must be a multiple of 4 from 4 to 2^34 - 4",
                        bytes));
done:
    return status;
}

static size_t arrays(const xl_plan *base, const void *of, xli_array *arrays)
{
    const reorder_call *const call = of;
    (void)base;
    arrays[IN] = xli_input("args.in", call->args.in, call->index->n, call->args.element_bytes);
    arrays[OUT] = xli_output("args.out", call->args.out, call->index->n, call->args.element_bytes);
    return ARRAYS;
}

static xl_status launch(xl_plan *base, xli_seq *seq, const void *of, const xli_span *spans,
                        const xli_span *scratch)
{
    xl_status status;
    const reorder_call *const call = of;
    const xli_grid_build b = {(const xli_grid_plan *)base, call->index, seq, NULL};
    const size_t n = call->index->n, words = call->args.element_bytes / 4;
    const xli_grid_kernel which = call->args.back ? XLI_GRID_REORDER_BACK : XLI_GRID_REORDER;
    const xli_span *const in = &spans[IN], *const out = &spans[OUT];
    XL_TRY(xli_grid_index_use(call->index, seq, spans, ARRAYS, scratch));
    if (n > 0)
        XL_TRY(LAUNCH(&b, which, n * words, BUFFER(&b), PART(&b, sorted), XLI_U64(n),
                      XLI_U32(words), XLI_MEM(in->buffer), XLI_U64(in->offset * words),
                      XLI_MEM(out->buffer), XLI_U64(out->offset * words)));
done:
    return status;
}

static const xli_call table = {.args = {"args", sizeof(xl_grid_reorder_args), NULL},
                               .index_at = offsetof(reorder_call, index),
                               .count = count,
                               .arrays = arrays,
                               .launch = launch};
XLI_PUBLIC_INDEX_CALL(grid, reorder_enqueue, xl_grid_reorder_args, table)

/* SPDX-License-Identifier: MIT
 * The textbook scans (cl/scan/textbook/scan_textbook.cl): levels of a call, launches. */
#include "scan_plan.h"

/* The levels of a call. Level 0 is the elements. A level above has one state for each block of the
 * level below, at `at` bytes of the scratch. The last level is one block. */
enum { MOST_LEVELS = 65 };
typedef struct levels {
    size_t last;
    size_t count[MOST_LEVELS];
    size_t at[MOST_LEVELS];
    size_t bytes; /* of the scratch */
} levels;

static levels levels_of(const xli_scan_plan *plan, size_t n)
{
    levels l = {.count = {n}};
    while (l.count[l.last] > plan->shape.tile) {
        const size_t blocks = xli_ceil_div(l.count[l.last], plan->shape.tile);
        ++l.last;
        l.count[l.last] = blocks;
        l.at[l.last] = l.bytes;
        const size_t bytes = xli_mul(blocks, plan->problem.accumulator_bytes);
        l.bytes = xli_add(l.bytes, xli_round_up(bytes, XLI_SCRATCH_ALIGN));
    }
    return l;
}

size_t xli_textbook_scratch(const xli_scan_plan *plan, size_t n)
{
    return levels_of(plan, n).bytes;
}

/* Up from the elements to the last level, and down again. */
xl_status xli_textbook_enqueue(xli_scan_plan *plan, xli_flow *flow)
{
    xl_status status;
    const levels l = levels_of(plan, flow->n);
    const size_t size = plan->shape.group_size, blocks = xli_ceil_div(flow->n, plan->shape.tile);
    const xli_arg scratch = XLI_MEM(flow->scratch->buffer);
#define AT(k) XLI_U64(flow->scratch->offset + l.at[k])
    if (l.last > 0)
        XL_TRY(XLI_FLOW_LAUNCH(flow, &plan->kernels.reduce, blocks, size, scratch, AT(1)));
    for (size_t k = 1; k < l.last; ++k)
        XL_TRY(XLI_LAUNCH(flow->seq, &plan->kernels.upsweep_spine, l.count[k + 1], size, scratch,
                          AT(k), XLI_U64(l.count[k]), AT(k + 1)));
    for (size_t k = l.last; k > 0; --k)
        XL_TRY(XLI_LAUNCH(flow->seq, &plan->kernels.scan_spine,
                          xli_ceil_div(l.count[k], plan->shape.tile), size, scratch, AT(k),
                          XLI_U64(l.count[k]), AT(k < l.last ? k + 1 : k)));
    /* With one block nothing is read from the scratch. */
    XL_TRY(XLI_FLOW_LAUNCH(flow, &plan->kernels.downsweep, xli_max(1, blocks), size, scratch,
                           AT(l.last > 0 ? 1 : 0), XLI_MEM(flow->spans[XLI_OUT].buffer),
                           XLI_U64(flow->spans[XLI_OUT].offset)));
#undef AT
done:
    return status;
}

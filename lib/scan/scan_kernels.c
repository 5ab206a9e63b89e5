/* SPDX-License-Identifier: MIT
 * What is compiled for problem and shape of a scan. */
#include "scan_plan.h"

xl_status xli_scan_text(const xl_scan *plan, const xl_scan_desc *desc, const xli_facts *facts,
                        xli_text *text)
{
    const xli_scan_shape *shape = &plan->shape;
    const xli_tune_scan *tune = &shape->tune;
    const xli_definition lines[] = {
        {"XL_SERIAL", shape->items == 0},
        {"XL_TILE", shape->tile},
        {"XL_GROUP_SIZE", shape->group_size},
        {"XL_ITEMS", shape->items},
        {"XL_VLEN", shape->vector},
        {"XL_ORDERED", xli_problem_is_ordered(&plan->problem)},
        {"XL_SHARE",
         shape->ahead ? xli_max(1, tune->ahead_block / shape->group_size) : tune->share},
        {"XL_BULK", shape->bulk},
        {"XL_FEW", shape->few},
        {"XL_APART", shape->apart},
        {"XL_SPIN_LIMIT", tune->spin_limit},
        {"XL_BLELLOCH", shape->algorithm == XL_SCAN_BLELLOCH},
        {"XL_HOLD_BACK", tune->hold_back},
        {"XL_HOLD_HALF", tune->hold_half},
    };
    return xli_problem_text(plan->ctx, &plan->problem, desc, facts, lines, XLI_COUNT(lines), text);
}

void xli_scan_drop_kernels(xl_scan *plan)
{
    xli_scan_kernels *k = &plan->kernels;
    xli_kernel *const all[] = {&k->reduce,   &k->spread,        &k->clear,         &k->ring,
                               &k->ring_few, &k->ring_in_place, &k->reduce_totals, &k->scan_totals};
    for (size_t i = 0; i < XLI_COUNT(all); ++i)
        xli_kernel_destroy(all[i]);
}

xl_status xli_scan_build(xl_scan *plan, const xl_scan_desc *desc, const xli_facts *facts,
                         size_t *most)
{
    const xli_scan_shape *shape = &plan->shape;
    xli_scan_kernels *k = &plan->kernels;
    const bool ring = shape->algorithm == XL_SCAN_LOOKBACK, ahead = ring && shape->ahead;
    const bool two_pass = shape->algorithm == XL_SCAN_REDUCE_THEN_SCAN;
    const bool textbook = xli_scan_is_textbook(shape->algorithm);
    const struct {
        const char *source, *name;
        xli_kernel *kernel;
        bool wanted;
    } kernels[] = {
        {"scan_ahead", "xl_scan_clear", &k->clear, ahead},
        {"scan_ahead", "xl_scan_ahead", &k->ring, ahead},
        {"scan_ahead", "xl_scan_ahead_few", &k->ring_few, ahead && shape->few > 0},
        {"scan_ahead", "xl_scan_ahead_in_place", &k->ring_in_place, ahead && shape->apart},
        {"scan_lookback", "xl_scan_clear", &k->clear, ring && !ahead},
        {"scan_lookback", "xl_scan_lookback", &k->ring, ring && !ahead},
        {"scan_lookback", "xl_scan_lookback_in_place", &k->ring_in_place, ring && !ahead},
        {"scan_two_pass", "xl_scan_reduce", &k->reduce, two_pass},
        {"scan_two_pass", "xl_scan_totals", &k->scan_totals, two_pass && shape->items == 0},
        {"scan_two_pass", "xl_scan_spread", &k->spread, two_pass},
        {"scan_textbook", "xl_textbook_reduce", &k->reduce, textbook},
        {"scan_textbook", "xl_textbook_reduce_totals", &k->reduce_totals, textbook},
        {"scan_textbook", "xl_textbook_scan_totals", &k->scan_totals, textbook},
        {"scan_textbook", "xl_textbook_scan", &k->spread, textbook},
    };
    xl_status status = XL_SUCCESS;
    xli_text text = {0};
    *most = SIZE_MAX;
    xli_scan_drop_kernels(plan);
    XL_TRY(xli_scan_text(plan, desc, facts, &text));
    for (size_t i = 0; i < XLI_COUNT(kernels); ++i) {
        xli_program *program;
        if (!kernels[i].wanted)
            continue;
        XL_TRY(xli_problem_program(plan->ctx, &plan->problem, facts, kernels[i].source, &text,
                                   &program));
        XL_TRY(xli_kernel_create(plan->ctx, program, kernels[i].name, kernels[i].kernel));
        *most = xli_min(*most, kernels[i].kernel->max_group);
    }
done:
    xli_text_free(&text);
    return status;
}

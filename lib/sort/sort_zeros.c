/* SPDX-License-Identifier: MIT
 * The signs of zeros in sorts in which -0 and +0 are equal: launches that keep them before the sort
 * and restore them after it (cl/sort/sort_zeros.cl). */
#include "key.h"
#include "sort_plan.h"

xl_status xli_sort_zeros_build(xli_sort_plan *plan)
{
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_sort_zeros_keep", &plan->zeros.keep, true},
                               {"xl_sort_zeros_restore", &plan->zeros.restore, true}};
    if (!plan->problem.keeps_signs)
        return XL_SUCCESS;
    xli_key_text(&text, plan->problem.key, plan->problem.descending, true);
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "sort_zeros", &text, list, XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

void xli_sort_zeros_drop(xli_sort_plan *plan)
{
    xli_kernel_destroy(&plan->zeros.keep);
    xli_kernel_destroy(&plan->zeros.restore);
}

static xl_status launch(const xli_sort_call *c, xli_kernel *kernel, const xli_span *keys,
                        const xli_span *places)
{
    const size_t group = xli_min(c->plan->shape.gather_group, kernel->max_group);
    xli_args args = {.count = 0};
    if (!c->plan->problem.keeps_signs)
        return XL_SUCCESS;
    xli_sort_add_n(&args, c);
    xli_args_add_place(&args, c->scratch->buffer, c->scratch->offset + c->layout.signs_at);
    xli_args_add_span(&args, keys);
    if (places)
        xli_args_add_span(&args, places);
    return xli_seq_launch_args(c->seq, kernel, xli_ceil_div(c->n, group), group, &args, 0);
}

xl_status xli_sort_zeros_keep(const xli_sort_call *c)
{
    return launch(c, &c->plan->zeros.keep, &c->given[XLI_SORT_KEYS_IN], NULL);
}

xl_status xli_sort_zeros_restore(const xli_sort_call *c)
{
    return launch(c, &c->plan->zeros.restore, &c->keys_out, &c->values_out);
}

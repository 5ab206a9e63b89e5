/* SPDX-License-Identifier: MIT
 * Sorts in which -0 and +0 are equal. The sort itself is stable and places -0 before +0, with the
 * places of the keys as values. The launches here merge both runs of zeros by these places
 * (cl/sort/sort_zeros.cl). */
#include "key.h"
#include "sort_plan.h"

xl_status xli_sort_zeros_build(xli_sort_plan *plan)
{
    xli_text text = {0};
    const xli_wanted list[] = {{"xl_sort_zeros_merge", &plan->zeros.merge, true},
                               {"xl_sort_zeros_copy", &plan->zeros.copy, true}};
    const xli_definition line = {"XL_SERIAL", 1}; /* no work-item needs another */
    if (!plan->problem.equal_zeros)
        return XL_SUCCESS;
    xli_key_text(&text, plan->problem.key, plan->problem.descending, false);
    xli_text_define(&text, &line, 1);
    xli_text_add(&text, "#define XL_SEG %s\n", plan->problem.segments == XL_U64 ? "ulong" : "uint");
    const xl_status status =
        xli_kernels_build(plan->base.ctx, "sort_zeros", &text, list, XLI_COUNT(list), NULL);
    xli_text_free(&text);
    return status;
}

void xli_sort_zeros_drop(xli_sort_plan *plan)
{
    xli_kernel_destroy(&plan->zeros.merge);
    xli_kernel_destroy(&plan->zeros.copy);
}

static xl_status launch(const xli_sort_call *c, xli_kernel *kernel)
{
    const xli_sort_plan *const plan = c->plan;
    const size_t group = xli_min(plan->shape.gather_group, kernel->max_group);
    const size_t key = xli_sort_key_bytes(&plan->problem), at = c->scratch->offset;
    /* The sort has ended: its scratch is free. */
    const size_t places_at = at + xli_sort_zeros_places_at(&plan->problem, c->n);
    xli_args args = {.count = 0};
    xli_sort_add_n(&args, c);
    xli_args_add_span(&args, &c->given[XLI_SORT_SEGMENTS]); /* or NULL */
    xli_args_add(&args, XLI_U32(c->segment_count));
    xli_args_add_span(&args, &c->keys_out);
    xli_args_add_span(&args, &c->values_out);
    xli_args_add_place(&args, c->scratch->buffer, at / key);
    xli_args_add_place(&args, c->scratch->buffer, places_at / sizeof(cl_uint));
    return xli_seq_launch_args(c->seq, kernel, xli_ceil_div(c->n, group), group, &args, 0);
}

xl_status xli_sort_zeros_launch(const xli_sort_call *c)
{
    xl_status status = XL_SUCCESS;
    if (!c->plan->problem.equal_zeros)
        return XL_SUCCESS;
    XL_TRY(launch(c, &c->plan->zeros.merge));
    XL_TRY(launch(c, &c->plan->zeros.copy));
done:
    return status;
}

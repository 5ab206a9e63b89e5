/* SPDX-License-Identifier: MIT
 * The arguments that launches of a top-k selection share, and the values of the results, which are
 * gathered by their indices (cl/top_k/top_k_values.cl). */
#include "top_k_plan.h"

/* As in cl/top_k/top_k_results.cl. */
enum { OUTPUT_KEYS = 1, OUTPUT_INDICES = 2 };

static bool has_values(const xli_span *spans)
{
    bool any = false;
    for (size_t k = 0; k < XLI_VALUES; ++k)
        any = any || spans[XLI_TOP_K_VALUES_OUT + k].buffer;
    return any;
}

bool xli_top_k_has_outputs(const xli_span *spans)
{
    return spans[XLI_TOP_K_KEYS_OUT].buffer || spans[XLI_TOP_K_INDICES_OUT].buffer ||
           has_values(spans);
}

xli_top_k_call xli_top_k_call_of(xli_top_k_plan *plan, xli_seq *seq, const xl_top_k_args *args,
                                 const xli_span *spans, const xli_span *scratch, size_t indices_at)
{
    xli_top_k_call c = {plan, seq, args->n, args->k, spans, scratch, spans[XLI_TOP_K_INDICES_OUT]};
    if (!c.indices.buffer && has_values(spans)) {
        c.indices.buffer = scratch->buffer;
        c.indices.offset = (scratch->offset + indices_at) / sizeof(cl_uint);
    }
    return c;
}

cl_uint xli_top_k_outputs(const xli_top_k_call *c)
{
    return (c->spans[XLI_TOP_K_KEYS_OUT].buffer ? OUTPUT_KEYS : 0u) |
           (c->indices.buffer ? OUTPUT_INDICES : 0u);
}

static void add_array(xli_args *args, const xli_span *array, const xli_span *scratch)
{
    if (array->buffer)
        xli_args_add_span(args, array);
    else
        xli_args_add_place(args, scratch->buffer, 0);
}

void xli_top_k_add_arrays(xli_args *args, const xli_top_k_call *c)
{
    xli_args_add_span(args, &c->spans[XLI_TOP_K_KEYS_IN]);
    add_array(args, &c->spans[XLI_TOP_K_KEYS_OUT], c->scratch);
    add_array(args, &c->indices, c->scratch);
}

static void add_optional(xli_args *args, const xli_span *array)
{
    xli_args_add(args, XLI_OPTIONAL(array->buffer));
    xli_args_add(args, XLI_U64(array->offset));
}

void xli_top_k_add_length(xli_args *args, const xli_top_k_call *c)
{
    add_optional(args, &c->spans[XLI_TOP_K_N_DEVICE]);
}

xl_status xli_top_k_values_build(xli_top_k_plan *plan)
{
    xl_status status = XL_SUCCESS;
    const xli_top_k_problem *const problem = &plan->problem;
    xli_text text = {0};
    for (size_t k = 0; k < problem->values.count; ++k) {
        const xli_wanted kernel = {"xl_top_k_values", &plan->values[k], true};
        const xli_definition lines[] = {{"XL_MOVE_BYTES", problem->values.bytes[k]}};
        text.length = 0;
        xli_text_define(&text, lines, XLI_COUNT(lines));
        xli_text_add(&text, "#define XL_SEG %s\n", problem->segments == XL_U64 ? "ulong" : "uint");
        XL_TRY(xli_kernels_build(plan->base.ctx, "top_k_values", &text, &kernel, 1, NULL));
    }
done:
    xli_text_free(&text);
    return status;
}

static void add_moved(xli_args *args, const xli_span *array, size_t units)
{
    xli_args_add_place(args, array->buffer, array->offset * units);
}

xl_status xli_top_k_values_launch(const xli_top_k_call *c, size_t results)
{
    enum { GROUP = 64 };
    xl_status status = XL_SUCCESS;
    const xli_span *const segments = &c->spans[XLI_TOP_K_SEGMENTS];
    for (size_t k = 0; k < XLI_VALUES; ++k) {
        const xli_span *const out = &c->spans[XLI_TOP_K_VALUES_OUT + k];
        const size_t bytes = c->plan->problem.values.bytes[k];
        xli_kernel *const kernel = &c->plan->values[k];
        if (!out->buffer)
            continue;
        const size_t units = bytes / xli_value_unit(bytes),
                     group = xli_min(GROUP, kernel->max_group);
        xli_args args = {{XLI_U32(c->n)}, 1};
        xli_top_k_add_length(&args, c);
        xli_args_add(&args, XLI_U32(segments->buffer ? results / c->k : 0));
        add_optional(&args, segments);
        xli_args_add(&args, XLI_U64(c->k));
        xli_args_add_span(&args, &c->indices);
        add_moved(&args, &c->spans[XLI_TOP_K_VALUES_IN + k], units);
        add_moved(&args, out, units);
        XL_TRY(xli_seq_launch_args(c->seq, kernel, xli_ceil_div(xli_mul(results, units), group),
                                   group, &args, 0));
    }
done:
    return status;
}

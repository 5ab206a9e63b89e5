/* SPDX-License-Identifier: MIT
 * Checks of the sort's descriptor and arguments, before any side effect. */
#ifndef XLI_SORT_CHECK_H
#define XLI_SORT_CHECK_H

#include "sort_shape.h"

/* The arrays of one call, as spans. */
typedef struct xli_sort_spans {
    xli_span keys_in, values_in, keys_out, values_out, n_device, segments;
    size_t segment_count;
    xli_span gather_in[XLI_SORT_ARRAYS], gather_out[XLI_SORT_ARRAYS];
} xli_sort_spans;

/* What a checked descriptor asks for. A key that a comparator orders is resolved here. */
xl_status xli_sort_problem_of(const xl_context *ctx, const xli_capabilities *capabilities,
                              const xl_sort_desc *desc, xli_sort_problem *problem);

xl_status xli_sort_check_desc(const xl_context *ctx, const xl_sort_desc *desc);
xl_status xli_sort_check_n(const xl_context *ctx, const xli_sort_problem *problem, size_t n);

/* Checks the views and that only those overlap that may. */
xl_status xli_sort_check_views(const xl_context *ctx, const xli_sort_problem *problem,
                               const xl_sort_args *args, xli_sort_spans *spans);

/* Checks that the scratch shares nothing with the arrays. */
xl_status xli_sort_check_scratch(const xl_context *ctx, const xli_sort_spans *spans,
                                 const xli_span *scratch);

#endif

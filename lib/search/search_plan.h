/* SPDX-License-Identifier: MIT
 * The plan of a search. A call goes from search.c (checks, arrays) to search_enqueue.c (launches)
 * and cl/search/search_sorted.cl or search_unsorted.cl. */
#ifndef XLI_SEARCH_PLAN_H
#define XLI_SEARCH_PLAN_H

#include "primitive.h"
#include "search_shape.h"

typedef struct xli_search_plan {
    xl_plan base;
    xli_search_problem problem;
    xli_search_shape shape;
    xli_kernel keys;           /* for queries */
    xli_kernel chunks, lowest; /* for XL_SEARCH_UNSORTED */
} xli_search_plan;

/* The arrays of a call. */
enum {
    XLI_SEARCH_N,
    XLI_SEARCH_NUM_QUERIES,
    XLI_SEARCH_KEYS,
    XLI_SEARCH_QUERIES,
    XLI_SEARCH_INDICES_OUT,
    XLI_SEARCH_ARRAYS
};

/* search_kernels.c: compiles the kernels of the plan's shape. *most: the work-items that they allow
 * in a group. */
xl_status xli_search_build(xli_search_plan *plan, size_t *most);
void xli_search_drop_kernels(xli_search_plan *plan);

/* search_enqueue.c: no launch if there are no queries, unless the plan takes none. */
xl_status xli_search_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                            const xli_span *scratch);

#endif

/* SPDX-License-Identifier: MIT
 * The plans of the core library that exchanges use on each rank. They are made once, when they are needed. */
#include "exchange.h"

typedef struct making {
    xl_mpi *mpi;
    xlm_core_plan plan;
} making;

static xl_status make(void *user)
{
    const making *const m = user;
    xl_context *const ctx = m->mpi->ctx;
    xl_plan **const plan = &m->mpi->plans[m->plan];
    xl_sort_desc sort;
    xl_select_desc select;
    xl_search_desc search;
    xl_scan_desc scan;
    switch (m->plan) {
    case XLM_SORT_CODES:
    case XLM_SORT_NUMBERS:
        xl_sort_desc_init(&sort);
        sort.key = m->plan == XLM_SORT_CODES ? XL_U64 : XL_U32;
        sort.value = XL_SORT_INDICES;
        sort.stable = 1;
        return xl_sort_create(ctx, &sort, plan);
    case XLM_SELECT_BITS:
    case XLM_SELECT_WORDS:
        xl_select_desc_init(&select);
        select.by = m->plan == XLM_SELECT_BITS ? XL_SELECT_BY_BITMASK : XL_SELECT_BY_PREDICATE;
        select.index = XL_U32;
        return xl_select_create(ctx, &select, plan);
    case XLM_SEARCH:
        xl_search_desc_init(&search);
        search.key = XL_U64;
        search.index = XL_U32;
        return xl_search_create(ctx, &search, plan);
    case XLM_SUMS:
        xl_scan_desc_init(&scan);
        scan.type = XL_U64;
        scan.kind = XL_INCLUSIVE;
        return xl_scan_create(ctx, &scan, plan);
    default:
        return XL_ERROR_INVALID_ARGUMENT;
    }
}

xl_status xlm_core_plan_once(xl_mpi *mpi, xlm_core_plan plan)
{
    making m = {mpi, plan};
    if (mpi->plans[plan]) /* on all ranks or on none */
        return XL_SUCCESS;
    const xl_status status = xl_mpi_in_turn(mpi, make, &m);
    if (status != XL_SUCCESS) {
        xl_plan_destroy(mpi->plans[plan]);
        mpi->plans[plan] = NULL;
    }
    return status;
}

/* SPDX-License-Identifier: MIT
 * The plan of an exact search for nearest neighbours. A call goes from nearest.c (checks) to
 * nearest_enqueue.c (arrays, launch) and cl/nearest/nearest.cl; nearest_status.c reads how complete
 * rows are. */
#ifndef XLI_NEAREST_PLAN_H
#define XLI_NEAREST_PLAN_H

#include "grid_index.h"

#include <crosslane/nearest.h>

/* Most neighbours of a query, and most that a work-item keeps in registers. */
enum { XLI_NEAREST_MOST = 1024, XLI_NEAREST_IN_REGISTERS = 64 };

/* A checked descriptor. */
typedef struct xli_nearest_problem {
    uint32_t k;
    xli_search_form form;
    bool keeps_self;
    double radius2; /* rounded to the scalar; an infinity: none */
} xli_nearest_problem;

typedef struct xli_nearest_shape {
    uint32_t group, items; /* work-items of a group, queries of a work-item */
    uint32_t together;     /* work-items that search for one query; 0: one, in registers */
    uint32_t aim;          /* points that the first reach is to hold, in hundredths of k */
} xli_nearest_shape;

typedef struct xli_nearest_plan {
    xl_plan base;
    xli_nearest_problem problem;
    xli_nearest_shape shape;
    xli_kernel search;
    xli_kernel check; /* of rows that were written */
} xli_nearest_plan;

extern const xli_primitive *const xli_nearest_primitive; /* nearest.c */

/* nearest_enqueue.c: a call, and its arrays behind those of the queries. */
typedef struct xli_nearest_search {
    xl_nearest_args args;
    xl_grid_index *index;
} xli_nearest_search;
enum { XLI_NEAREST_INDICES = XLI_QUERIES_ARRAYS, XLI_NEAREST_DISTANCES2, XLI_NEAREST_ARRAYS };
extern const xli_call xli_nearest_call;

/* The number of rows that a call with checked sizes makes. */
size_t xli_nearest_rows(const xli_nearest_plan *plan, const xli_nearest_search *search);

#endif

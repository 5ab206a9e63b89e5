/* SPDX-License-Identifier: MIT
 * The plan of an exact search for nearest neighbours. A call goes from knn.c (checks) to
 * knn_enqueue.c (arrays, launch) and cl/knn/knn.cl; knn_status.c reads how complete rows are. */
#ifndef XLI_KNN_PLAN_H
#define XLI_KNN_PLAN_H

#include "grid_index.h"

#include <crosslane/knn.h>

/* Most neighbours of a query, and most that a work-item keeps in registers. */
enum { XLI_KNN_MOST = 1024, XLI_KNN_IN_REGISTERS = 64 };

/* A checked descriptor. */
typedef struct xli_knn_problem {
    uint32_t k;
    xli_search_form form;
    bool keeps_self;
    double radius2; /* rounded to the scalar; an infinity: none */
} xli_knn_problem;

typedef struct xli_knn_shape {
    uint32_t group, items; /* work-items of a group, queries of a work-item */
    uint32_t together;     /* work-items that search for one query; 0: one, in registers */
    uint32_t aim;          /* points that the first reach is to hold, in hundredths of k */
} xli_knn_shape;

typedef struct xli_knn_plan {
    xl_plan base;
    xli_knn_problem problem;
    xli_knn_shape shape;
    xli_kernel search;
    xli_kernel check; /* of rows that were written */
} xli_knn_plan;

extern const xli_primitive *const xli_knn_primitive; /* knn.c */

/* knn_enqueue.c: a call, and its arrays behind those of the queries. */
typedef struct xli_knn_search {
    xl_knn_args args;
    xl_grid_index *index;
} xli_knn_search;
enum { XLI_KNN_INDICES = XLI_QUERIES_ARRAYS, XLI_KNN_DISTANCES2, XLI_KNN_ARRAYS };
extern const xli_call xli_knn_call;

/* The number of rows that a call with checked sizes makes. */
size_t xli_knn_rows(const xli_knn_plan *plan, const xli_knn_search *search);

#endif

/* SPDX-License-Identifier: MIT
 * What the files of lib/scan share. */
#ifndef XLI_SCAN_PRIVATE_H
#define XLI_SCAN_PRIVATE_H

#include "tune.h"

#include <crosslane/scan.h>

/* What kernels need to know of an element type. */
typedef struct xli_scan_type {
    xl_type type;
    const char *cl;     /* in kernels */
    const char *cl_sum; /* where the operator is a sum: unsigned for signed */
    unsigned kind;      /* XL_T_KIND */
    size_t bytes;
} xli_scan_type;

/* The entry of a type that a scan knows, or NULL. */
const xli_scan_type *xli_scan_type_of(xl_type type);

struct xl_scan {
    xl_context *ctx;
    const xli_scan_type *type;
    xl_scan_desc desc; /* init is NULL: the value is below */
    unsigned char init[8];
    xl_scan_algorithm algorithm; /* of calls with more than one tile; never AUTO */
    xli_tune_scan tune;
    uint32_t units;      /* compute units of the device */
    uint32_t group_size; /* work-items of every launch */
    size_t tile;         /* elements of one group's tile */
    xli_kernel reduce;   /* reduce-then-scan; `spread` also does what fits one tile */
    xli_kernel spread;
    xli_kernel clear; /* look-back */
    xli_kernel ring;
    xli_kernel ring_in_place;
    xli_pool pool;
    uint32_t calls; /* on the pool since its state was cleared */
    bool on_trial;  /* the plan that finds out whether look-back works here */
};

/* scan_check.c: the checks that come before any side effect. */
xl_status xli_scan_check_desc(const xl_context *ctx, const xl_scan_desc *desc);
xl_status xli_scan_check_views(const xl_scan *plan, size_t n, xl_view in, xl_view segments,
                               xl_view out, xli_span *in_span, xli_span *out_span);

/* xl_scan_create() for checked pointers. */
xl_status xli_scan_make(xl_context *ctx, const xl_scan_desc *desc, bool on_trial, xl_scan **plan);

/* scan_trial.c: whether look-back gives right results on this context's device:
 * tried the first time, then remembered. */
xl_status xli_scan_trial(xl_context *ctx, bool *good);

/* scan_plan.c: chooses shape and algorithm and builds the kernels. */
xl_status xli_scan_plan(xl_scan *plan, const xli_facts *facts);
/* Of a plan that has none yet, some or all; it may get others after that. */
void xli_scan_destroy_kernels(xl_scan *plan);

/* How a call is cut into launches. */
typedef struct xli_scan_cut {
    size_t tiles;
    size_t groups; /* of a reduce-then-scan launch */
    size_t run;    /* elements of a group: whole tiles */
} xli_scan_cut;
/* The most groups that reduce-then-scan cuts n elements into; grows with n. */
size_t xli_scan_most_groups(const xl_scan *plan, size_t n);
xli_scan_cut xli_scan_cut_of(const xl_scan *plan, size_t n);

#endif

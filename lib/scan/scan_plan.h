/* SPDX-License-Identifier: MIT
 * The plan of a scan. A call goes from scan.c (arrays) to scan_enqueue.c (launches) and to kernels
 * in cl/scan. Each file uses only those above it:
 *     scan_shape.c         how a problem is laid out on a device
 *     scan_check.c         checks of descriptors
 *     scan_kernels.c       compiles the kernels of problem and shape
 *     scan_reproducible.c  launches of the scan that is the same on every device
 *     scan_enqueue.c       launches of the others
 *     scan_selftest.c      whether a device may look back
 *     scan.c               the primitive's table */
#ifndef XLI_SCAN_PLAN_H
#define XLI_SCAN_PLAN_H

#include "scan_shape.h"

#include <string.h>

typedef struct xli_scan_kernels {
    xli_kernel reduce, last; /* all but look-back; `last` scans, or leaves a carry alone */
    xli_kernel clear, lookback[XLI_SCAN_PARTS];
    xli_kernel scan_spine;    /* if a work-item is a group, and of the tree below */
    xli_kernel window_starts; /* of the tree that is the same on every device */
    xli_kernel heads;         /* with CSR offsets */
} xli_scan_kernels;

typedef struct xli_scan_plan {
    xl_plan base;
    xli_problem problem;
    xli_scan_shape shape;
    xli_scan_kernels kernels;
    xli_init init;
    /* Look-back builds a part when a call needs it, and so does a scan by CSR offsets. */
    xli_text text; /* the definitions of all parts */
    xli_parts parts;
    uint32_t sub_group[XLI_SCAN_PARTS];
} xli_scan_plan;

/* The plan of a scan; NULL for another primitive's. */
static inline xli_scan_plan *xli_scan_of(xl_plan *plan)
{
    return strcmp(plan->primitive->name, "scan") == 0 ? (xli_scan_plan *)plan : NULL;
}

/* The arrays of a call, behind XLI_CARRY_OUT. */
enum { XLI_SCAN_INIT = XLI_CARRY_OUT + 1, XLI_SCAN_HEAD, XLI_SCAN_ARRAYS };

/* ---- scan_check.c --------------------------------------------------------- */

/* Resolves a descriptor. *wish: the algorithm that it asks for; CROSSLANE_SCAN's if it is AUTO; may
 * be AUTO. */
xl_status xli_scan_check(const xl_context *ctx, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, xli_problem *problem,
                         xl_scan_algorithm *wish);

/* ---- scan_kernels.c ------------------------------------------------------- */

/* The definitions that kernels of problem and shape start from. */
xl_status xli_scan_text(const xli_scan_plan *plan, const xl_scan_desc *desc,
                        const xli_capabilities *capabilities, xli_text *text);
void xli_scan_text_part(const xli_scan_plan *plan, xli_scan_part part, xli_text *text);

/* Compiles the kernels of problem and shape, in place of those in the plan. A look-back compiles
 * nothing yet, unless the caller's text is in it. *most: the work-items that they allow in a
 * group. */
xl_status xli_scan_build(xli_scan_plan *plan, const xl_scan_desc *desc,
                         const xli_capabilities *capabilities, size_t *most);

/* Compiles a part of a look-back, or the kernel for CSR offsets, if no call has needed it. */
enum { XLI_SCAN_HEADS = XLI_SCAN_PARTS };
xl_status xli_scan_build_part(xli_scan_plan *plan, unsigned part);
void xli_scan_drop_kernels(xli_scan_plan *plan);

/* ---- scan_reproducible.c --------------------------------------------------- */

/* Whether a plan computes its xli_scan_tree by these launches. */
static inline bool xli_scan_is_tree(const xli_scan_plan *plan)
{
    return plan->shape.tree.size > 0 && plan->shape.algorithm == XL_SCAN_REDUCE_THEN_SCAN;
}

size_t xli_reproducible_scratch(const xli_scan_plan *plan, size_t n);
xl_status xli_reproducible_enqueue(xli_scan_plan *plan, xli_flow *flow, const xli_span *result);

/* ---- scan_enqueue.c ------------------------------------------------------- */

/* Half of all epochs: after this number of calls of look-back the plan's state is made anew. */
enum { XLI_SCAN_MOST_CALLS = 1 << 29 };

/* Prepares the plan's own scratch, which no call has used yet: look-back begins with zeros. */
void xli_scan_set_pool(xli_scan_plan *plan);
/* Whether arrays that begin at these elements are not aligned to 16 bytes. */
bool xli_scan_is_misaligned(const xli_scan_plan *plan, size_t in_offset, size_t out_offset);

size_t xli_scan_scratch(const xli_scan_plan *plan, size_t n);
xl_status xli_scan_launch(xl_plan *plan, xli_seq *seq, const void *args, const xli_span *spans,
                          const xli_span *scratch);

/* ---- scan_selftest.c ------------------------------------------------------ */

/* Whether look-back with the kernels of `file` (XLI_FILE_...) gives right results on the device.
 * Found out at the first question, by scans of the kind of the plan that asks, so that a sum of u32
 * has the same program, and remembered unless memory was lacking. `by_name`: the caller asked for
 * look-back; then a self-test that does not run to its end is an error. */
xl_status xli_scan_can_look_back(const xli_scan_plan *asks, unsigned file, bool by_name,
                                 bool *good);

#endif

/* SPDX-License-Identifier: MIT
 * What a scan or a reduction is asked to do: a descriptor, checked and resolved. It says
 * nothing of how: that is the shape of a plan (scan_shape.h, reduce_shape.h).
 *
 * Each of the files uses only those above it:
 *     problem.c        what follows from a problem alone
 *     problem_check.c  descriptors and views, before any side effect
 *     problem_text.c   definitions for kernels, and programs
 *     problem_call.c   arguments of kernels, and launches */
#ifndef XLI_PROBLEM_H
#define XLI_PROBLEM_H

#include "element.h"

#include <crosslane/scan.h>

/* Numbers of XL_ACCUMULATOR in cl/prelude/prelude_accumulator.cl. */
enum { XLI_ACCUMULATOR_PLAIN = 0, XLI_ACCUMULATOR_FLAGS = 1, XLI_ACCUMULATOR_COUNTS = 2 };

typedef struct xli_problem {
    xli_element element, in, out; /* what is scanned, and what the arrays hold */
    xl_op op;
    xl_segments segments;
    size_t segment_bytes; /* of an element of the segments' array; 0: there is none */
    uint64_t width, mask;
    bool inclusive;
    bool reduces; /* a reduction, not a scan */
    bool has_init, has_identity;
    bool rounds;  /* results may depend on the order in which operands meet */
    bool loads;   /* the caller's load expression makes an element */
    bool carries; /* the array may be a part of a longer one */
    bool stores;  /* and the store expression a result */
    xl_determinism determinism;
    unsigned state;
    size_t accumulator_bytes; /* of the monoid */
    size_t accumulator_alignment;
    xli_span init_view; /* empty where init is not the caller's view */
    xli_params params;  /* of load and store */
} xli_problem;

/* ---- problem.c ----------------------------------------------------------- */

/* The order of operands is part of what is promised. */
bool xli_problem_is_ordered(const xli_problem *problem);

/* It must be the same on every device, too. */
bool xli_problem_is_reproducible(const xli_problem *problem);

/* Elements of a carry: its value, and, if there is neither an identity nor init, one that holds a
 * flag; 0: the scan takes no carries. */
size_t xli_problem_carry(const xli_problem *problem);

/* Elements that a work-item moves at once: as many as 16 bytes hold of `bytes` each, where
 * those of all arrays are built-in scalars. */
uint32_t xli_problem_vector(const xli_problem *problem, size_t bytes);

/* Whether a work-item that walks a tile takes many elements at a step (XL_BY_VECTORS of
 * cl/tile/tile_serial.cl). */
bool xli_problem_goes_by_vectors(const xli_problem *problem);

/* ---- problem_check.c ------------------------------------------------------ */

/* Resolves a descriptor, of a scan or of the scan whose last elements a reduction keeps; user
 * texts stay the caller's. XL_ERROR_INVALID_ARGUMENT, XL_ERROR_UNSUPPORTED. */
xl_status xli_problem_resolve(const xl_context *ctx, const xl_scan_desc *desc, bool reduces,
                              const xli_capabilities *capabilities, xli_problem *problem);

/* The views of a call once they are checked. */
typedef struct xli_spans {
    xli_span in, segments, n_device, out;
    xli_span carry_in, carry_out;
    uint64_t first_index;
    size_t segment_count;
    bool in_place;
    xli_param_values params;
} xli_spans;
/* All but `out` and `params`. */
xl_status xli_problem_check_source(const xl_context *ctx, const xli_problem *problem,
                                   const xl_scan_args *call, xli_spans *spans);

/* ---- problem_text.c ------------------------------------------------------- */

/* Definitions for kernels: the problem's, then `shape`, those of a plan's shape. */
xl_status xli_problem_text(const xl_context *ctx, const xli_problem *problem,
                           const xl_scan_desc *desc, const xli_capabilities *capabilities,
                           const xli_definition *shape, size_t num_shape, xli_text *text);

/* xli_program_get(), which says of a user's type of the wrong size what the right one is. */
xl_status xli_problem_program(xl_context *ctx, const xli_problem *problem,
                              const xli_capabilities *capabilities, const char *name,
                              const xli_text *text, xli_program **program);

/* ---- problem_call.c ------------------------------------------------------- */

/* The element that results start from, on the device; a plan keeps it. Without one all zeros. */
typedef struct xli_init {
    cl_mem buffer;
    size_t offset; /* elements */
} xli_init;
xl_status xli_init_take(xl_context *ctx, const xli_problem *problem, const xl_scan_desc *desc,
                        xli_init *init);
void xli_init_drop(xli_init *init);

/* A call on its way to the device. */
typedef struct xli_flow {
    xli_seq seq;
    size_t n;
    xli_spans at;
    xli_span scratch;
    xli_args input; /* of XL_INPUT_ARGUMENTS in cl/tile/tile_input.cl */
    bool stream;    /* results are written past the cache */
} xli_flow;

/* Sets the arguments that XL_INPUT_ARGUMENTS of cl/tile/tile_input.cl names, from n and the
 * places: at most XLI_INPUT_ARGS. */
enum { XLI_INPUT_ARGS = 16 };
void xli_flow_set_input(xli_flow *flow, const xli_problem *problem, const xli_init *init);

/* A launch whose arguments are the input's and `more`. */
xl_status xli_flow_launch(xli_flow *flow, xli_kernel *kernel, size_t groups, size_t size,
                          const xli_arg *more, size_t num_more);
#define XLI_FLOW_LAUNCH(flow, kernel, groups, size, ...)                                           \
    xli_flow_launch((flow), (kernel), (groups), (size), (const xli_arg[]){__VA_ARGS__},            \
                    XLI_COUNT(((const xli_arg[]){__VA_ARGS__})))

#endif

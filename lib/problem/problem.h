/* SPDX-License-Identifier: MIT
 * The problem of a scan or a reduction: a descriptor, checked and resolved. How a device solves it
 * is the shape of a plan (scan_shape.h, reduce_shape.h).
 *
 * Each file uses only those above it:
 *     problem.c        what follows from a problem alone
 *     problem_check.c  checks of descriptors
 *     problem_text.c   definitions for kernels, and programs
 *     problem_call.c   arrays and arguments of calls, and launches */
#ifndef XLI_PROBLEM_H
#define XLI_PROBLEM_H

#include "element.h"
#include "primitive.h"

#include <crosslane/scan.h>

/* Numbers of XL_ACCUMULATOR in cl/prelude/prelude_accumulator.cl; kernels choose the same. */
enum { XLI_ACCUMULATOR_PLAIN = 0, XLI_ACCUMULATOR_FLAGS = 1, XLI_ACCUMULATOR_COUNTS = 2 };

typedef struct xli_problem {
    xli_element element, in, out; /* of the computation, and of the arrays */
    xl_op op;
    xl_segments segments;
    size_t segment_bytes; /* of an element of the segments' array; 0: there is none */
    uint64_t width, mask;
    bool inclusive;
    bool reduces; /* a reduction, not a scan */
    bool has_init, has_identity;
    bool rounds;      /* results may depend on the order in which operands meet */
    bool loads;       /* the caller's load expression, or a conversion, makes an element */
    bool stores;      /* the caller's store expression, or a conversion, makes a result */
    bool carries;     /* the array may be a part of a longer one */
    bool carry_alone; /* there are no results but carry_out and head_out */
    xl_determinism determinism;
    unsigned state;
    size_t accumulator_bytes; /* of the monoid */
    size_t accumulator_alignment;
    xl_view init_view; /* the caller's, or not given */
    xli_params params; /* of load and store */
} xli_problem;

/* ---- problem.c ----------------------------------------------------------- */

/* The order of operands is part of the promise. */
bool xli_problem_is_ordered(const xli_problem *problem);

/* The order must be the same on every device, too. */
bool xli_problem_is_reproducible(const xli_problem *problem);

/* Elements of a carry: its value, and, if there is neither an identity nor init, one that holds a
 * flag; 0: the scan takes no carries. */
size_t xli_problem_carry(const xli_problem *problem);

/* Elements of `bytes` each that a work-item moves at once: 16 bytes of them if the elements of all
 * arrays are built-in scalars, else 1. */
uint32_t xli_problem_vector(const xli_problem *problem, size_t bytes);

/* Whether a work-item that walks a tile takes many elements at a step (XL_BY_VECTORS of
 * cl/tile/tile_serial.cl). */
bool xli_problem_goes_by_vectors(const xli_problem *problem);

/* ---- problem_check.c ------------------------------------------------------ */

/* Resolves a descriptor: of a scan, or of the scan whose last elements a reduction keeps. The
 * user's texts are borrowed. XL_ERROR_INVALID_ARGUMENT, XL_ERROR_UNSUPPORTED. */
xl_status xli_problem_resolve(const xl_context *ctx, const xl_scan_desc *desc, bool reduces,
                              const xli_capabilities *capabilities, xli_problem *problem);

/* ---- problem_text.c ------------------------------------------------------- */

/* Definitions for kernels: the problem's, then `shape`, those of a plan's shape. */
xl_status xli_problem_text(const xl_context *ctx, const xli_problem *problem,
                           const xl_scan_desc *desc, const xli_capabilities *capabilities,
                           const xli_definition *shape, size_t num_shape, xli_text *text);

/* xli_program_get_limited(); if a user's type has the wrong size, the error says the right one. */
xl_status xli_problem_program(xl_context *ctx, const xli_problem *problem,
                              const xli_capabilities *capabilities, const char *name,
                              const xli_text *text, uint32_t registers, xli_program **program);

/* ---- problem_call.c ------------------------------------------------------- */

/* The element that results start from, on the device; a plan keeps it. All zeros: none. */
typedef struct xli_init {
    cl_mem buffer;
    size_t offset; /* elements */
} xli_init;
xl_status xli_init_take(xl_context *ctx, const xli_problem *problem, const xl_scan_desc *desc,
                        xli_init *init);
void xli_init_drop(xli_init *init);

/* The arrays of a call; behind XLI_OUT each primitive has its own. */
enum {
    XLI_N_DEVICE,
    XLI_IN,
    XLI_SEGMENTS,
    XLI_OUT,
    XLI_SHARED_ARRAYS,
    XLI_CARRY_IN = XLI_SHARED_ARRAYS, /* of a scan */
    XLI_CARRY_OUT
};

/* Elements of the segments' array. */
size_t xli_problem_segment_count(const xli_problem *problem, size_t n, xl_view segments);

/* Lists the arrays before XLI_OUT. */
void xli_problem_inputs(const xli_problem *problem, const xl_scan_args *args, xli_array *arrays);

/* A call whose arrays are checked, while its launches are enqueued. */
typedef struct xli_flow {
    xli_seq *seq;
    size_t n;
    const xli_span *spans; /* XLI_IN, ... */
    const xli_span *scratch;
    bool in_place;
    bool stream;             /* results are written past the cache */
    xli_args input;          /* of XL_INPUT_ARGUMENTS in cl/tile/tile_input.cl */
    xli_param_values params; /* `input` refers to them */
} xli_flow;

/* Checks the parameters and the number of CSR offsets, and fills in a flow, of which `input` has
 * at most XLI_INPUT_ARGS arguments. */
enum { XLI_INPUT_ARGS = 16 };
xl_status xli_flow_begin(xli_flow *flow, const xli_problem *problem, const xli_init *init,
                         xli_seq *seq, const xl_scan_args *args, const xli_span *spans,
                         const xli_span *scratch);

/* A launch whose arguments are the input's and `more`. */
xl_status xli_flow_launch(xli_flow *flow, xli_kernel *kernel, size_t groups, size_t size,
                          const xli_arg *more, size_t num_more);
#define XLI_FLOW_LAUNCH(flow, kernel, groups, size, ...)                                           \
    xli_flow_launch((flow), (kernel), (groups), (size), (const xli_arg[]){__VA_ARGS__},            \
                    XLI_COUNT(((const xli_arg[]){__VA_ARGS__})))

#endif

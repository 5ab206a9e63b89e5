/* SPDX-License-Identifier: MIT
 * The flat engine: every scan, with segments or without, over any monoid. lib/scan is
 * its public face; what a reduction shares with it stands here too.
 *
 * A call walks: check (flat_check.c) -> plan (flat_plan.c, flat_text.c) -> enqueue
 * (flat.c) -> kernel (cl/kernel/scan_*.cl) -> event. */
#ifndef XLI_FLAT_H
#define XLI_FLAT_H

#include "element.h"

#include <crosslane/scan.h>

/* Numbers of XL_STATE in cl/prelude/prelude_state.cl. */
enum { XLI_STATE_PLAIN = 0, XLI_STATE_FLAGS = 1, XLI_STATE_COUNTS = 2 };

/* What kernels read: elements, and where segments begin. */
typedef struct xli_flat_source {
    xli_element element, in; /* what is scanned, and what the array holds */
    xl_op op;
    xl_segments segments;
    size_t segment_bytes; /* of an element of the segments' array; 0: there is none */
    uint64_t width, mask;
    bool has_init, has_identity;
    bool rounds;  /* results may depend on the order in which operands meet */
    bool loads;   /* the caller's load expression makes an element */
    bool carries; /* the array may be a part of a longer one */
    unsigned state;
    size_t state_bytes; /* of the monoid */
    size_t state_alignment;
    cl_mem init;
    size_t init_offset; /* elements */
    xli_span init_view; /* empty where init is not the caller's view */
} xli_flat_source;

typedef struct xli_flat {
    xl_context *ctx;
    xli_flat_source source;
    xli_element out;
    bool inclusive, stores;
    bool reduces; /* set before it is resolved: a reduction, not a scan */
    xl_determinism determinism;
    xl_scan_algorithm algorithm; /* of calls with more than one tile; never AUTO */
    xli_tune_scan tune;
    uint32_t units;      /* compute units of the device */
    uint32_t sub_group;  /* as xli_sub_group_of() */
    uint32_t group_size; /* work-items of every launch */
    uint32_t vector;     /* elements that a work-item moves at once */
    uint32_t items;      /* elements that it holds; 0: it walks a tile */
    bool ahead, bulk;    /* look-back posts sums ahead; the device copies tiles by itself */
    bool apart;          /* in place has a kernel of its own */
    uint32_t few;        /* vectors of a work-item in shorter tiles, for few elements; or 0 */
    size_t tile;         /* elements of one group's tile, the most */
    xli_kernel reduce;   /* reduce-then-scan and the textbook scans */
    xli_kernel spread;
    xli_kernel clear; /* look-back */
    xli_kernel ring;
    xli_kernel ring_few;      /* where tiles are shorter */
    xli_kernel ring_in_place; /* where that is another kernel */
    xli_kernel reduce_totals; /* the textbook scans, on the levels above the elements */
    xli_kernel scan_totals;   /* these, and reduce-then-scan where a work-item is a group */
    xli_pool pool;
    const char *on_trial; /* the kernel file that this plan is to find out about; else NULL */
} xli_flat;

/* Half an epoch's turn: after so many calls a plan's own state is made anew. */
enum { XLI_FLAT_MOST_CALLS = 1 << 29 };

/* flat.c: what the public calls of a scan do, for arguments that are not NULL. */
xl_status xli_flat_create(xl_context *ctx, const xl_scan_desc *desc, const char *on_trial,
                          xli_flat **flat);
void xli_flat_destroy(xli_flat *flat_or_null);
/* Sees to it that the element that results start from stands on the device. */
xl_status xli_flat_take_init(xli_flat *flat, const xl_scan_desc *desc);
size_t xli_flat_scratch(const xli_flat *flat, size_t n);
/* For a call with n elements. */
void xli_flat_info(const xli_flat *flat, size_t n, xl_plan_info *info);
xl_status xli_flat_enqueue(xli_flat *flat, cl_command_queue queue, const xl_scan_args *call,
                           cl_uint num_waits, const cl_event *waits, cl_event *event);

/* flat_check.c: checks that come before any side effect. A descriptor is resolved into
 * `flat`; user texts stay the caller's. */
xl_status xli_flat_resolve(xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts);

/* The views of a call once they are checked. */
typedef struct xli_flat_places {
    xli_span in, segments, n_device, out;
    xli_span carry_in, carry_out;
    uint64_t first_index;
    size_t segment_count;
    bool in_place;
} xli_flat_places;
/* All but `out`. */
xl_status xli_flat_check_source(const xli_flat *flat, const xl_scan_args *call,
                                xli_flat_places *places);
xl_status xli_flat_check_call(const xli_flat *flat, const xl_scan_args *call,
                              xli_flat_places *places);

/* A call on its way to the device. */
typedef struct xli_flat_flow {
    xli_seq seq;
    size_t n;
    xli_flat_places at;
    xli_span scratch;
    xli_arg input[17]; /* of XL_INPUT_ARGUMENTS in cl/tile/tile_input.cl */
    size_t num_input;
    bool stream; /* results are written past the cache */
} xli_flat_flow;

/* A launch whose arguments are the input's and `more`. */
xl_status xli_flat_launch(xli_flat_flow *flow, xli_kernel *kernel, size_t groups, size_t size,
                          const xli_arg *more, size_t num_more);
#define XLI_FLAT_LAUNCH(flow, kernel, groups, size, ...)                                           \
    xli_flat_launch((flow), (kernel), (groups), (size), (const xli_arg[]){__VA_ARGS__},            \
                    XLI_COUNT(((const xli_arg[]){__VA_ARGS__})))

/* flat_text.c: the definitions of the plan's kernels, and the arguments that
 * XL_INPUT_ARGUMENTS of cl/tile/tile_input.cl names; gives their number. */
xl_status xli_flat_text(const xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts,
                        xli_text *text);
/* xli_program_get(), which says of a user's type of the wrong size what the right one is. */
xl_status xli_flat_program(const xli_flat *flat, const xli_facts *facts, const char *name,
                           const xli_text *text, xli_program **program);
size_t xli_flat_input_args(const xli_flat_source *source, const xli_flat_places *places, size_t n,
                           xli_arg *args);

/* flat_trial.c: whether look-back by a kernel file gives right results on this context's
 * device: tried the first time, then remembered, but not that memory was lacking. A trial that
 * does not run to its end is an error only where look-back was asked for `by_name`. */
xl_status xli_flat_trial(xl_context *ctx, const char *kernels, bool by_name, bool *good);

/* flat_textbook.c: the two textbook scans, which share their kernels' names and launches. */
bool xli_textbook_is(xl_scan_algorithm algorithm);
/* Settles a plan's block and its groups of at most `most` work-items. */
void xli_textbook_shape(xli_flat *flat, const xli_facts *facts, size_t most);
size_t xli_textbook_scratch(const xli_flat *flat, size_t n);
xl_status xli_textbook_enqueue(xli_flat *flat, xli_flat_flow *flow);

/* flat_plan.c: chooses shape and algorithm and builds the kernels. Look-back has two files of
 * them; this is the one that a plan takes once it has its shape. */
const char *xli_flat_ring_file(const xli_flat *flat);
xl_status xli_flat_plan(xli_flat *flat, const xl_scan_desc *desc, const xli_facts *facts);
/* Of a plan that has none yet, some or all; it may get others after that. */
void xli_flat_destroy_kernels(xli_flat *flat);

/* Elements that a work-item moves at once: as many as 16 bytes hold of `bytes` each, where
 * those of all arrays are built-in scalars. */
uint32_t xli_flat_vector(const xli_flat *flat, size_t bytes);

/* Whether a work-item that walks a tile takes many elements at a step (XL_BY_VECTORS of
 * cl/tile/tile_serial.cl). */
bool xli_flat_goes_by_vectors(const xli_flat *flat);

/* How many groups look-back launches at most, and the tile of its calls with n elements.
 * Few elements, all of which are in work at once then, may come in shorter tiles. */
size_t xli_flat_ring_groups(const xli_flat *flat);
size_t xli_flat_ring_tile(const xli_flat *flat, size_t n);

/* How a call is cut into launches. */
typedef struct xli_flat_cut {
    size_t tiles;
    size_t groups; /* of a reduce-then-scan launch */
    size_t run;    /* elements of a group: whole tiles */
} xli_flat_cut;
/* The most groups that reduce-then-scan cuts n elements into; grows with n. */
size_t xli_flat_most_groups(const xli_flat *flat, size_t n);
xli_flat_cut xli_flat_cut_of(const xli_flat *flat, size_t n);

#endif

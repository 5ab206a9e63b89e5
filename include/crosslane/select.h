/* SPDX-License-Identifier: MIT
 * Compaction, partitions, and runs of equal elements. All keep the order of the input. The simplest
 * use keeps the u32 elements that are not 0:
 *
 *     xl_select_desc desc;
 *     xl_select_desc_init(&desc);
 *     xl_select_create(ctx, &desc, &plan);
 *     xl_select_args args = {.n = n, .in = in, .out = out, .count_out = count};
 *     xl_select_enqueue(plan, queue, &args, 0, NULL, NULL);
 *
 * The page is docs/select.md.
 *
 * Sources: a work-group counts the elements that it keeps in a tile, gets the number kept before
 * the tile by decoupled look-back, and writes whole rows from local memory, so that the input is
 * read once (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back",
 * NVR-2016-002; Billeter, Olsson and Assarsson, "Efficient stream compaction on wide SIMD many-core
 * architectures", HPG 2009). Partitions, and devices without look-back, count first and read twice.
 * XL_SELECT_REPEAT uses a merge path (Odeh, Green et al., "Merge path", 2012). */
#ifndef CROSSLANE_SELECT_H
#define CROSSLANE_SELECT_H

#include <crosslane/plan.h>

typedef enum xl_select_kind {
    XL_SELECT_IF = 0,         /* the selected elements */
    XL_SELECT_PARTITION = 1,  /* the selected elements, then all others */
    XL_SELECT_PARTITION3 = 2, /* the elements of class 0, then of class 1, then of class 2 */
    XL_SELECT_UNIQUE = 3,     /* the first element of each run of equal elements */
    XL_SELECT_RUNS = 4,       /* the same, and the length of each run: run-length encoding */
    XL_SELECT_REPEAT = 5      /* each element as often as its length says: run-length decoding */
} xl_select_kind;

/* How XL_SELECT_IF, XL_SELECT_PARTITION and XL_SELECT_PARTITION3 select elements. */
typedef enum xl_select_by {
    XL_SELECT_BY_PREDICATE = 0, /* by an expression */
    XL_SELECT_BY_FLAGS = 1,  /* by n bytes: not 0 for a selected element; XL_SELECT_PARTITION3: the
                                class, where values above 2 count as 2 */
    XL_SELECT_BY_BITMASK = 2 /* by (n + 31) / 32 words of u32: bit i % 32 of word i / 32; not for
                                XL_SELECT_PARTITION3 */
} xl_select_by;

/* Start from xl_select_desc_init(): XL_SELECT_IF, u32 elements that are not 0, no values. Leave
 * fields that do not apply at their defaults; otherwise XL_ERROR_INVALID_ARGUMENT.
 * xl_select_create() copies all that pointers point to. */
typedef struct xl_select_desc {
    uint32_t version; /* set by xl_select_desc_init() */

    uint32_t type;  /* xl_type of an element: any. XL_F64 and XL_F16 require the device's support
                       only if an expression reads the elements */
    uint32_t value; /* xl_type of the value that travels with each element: built in, XL_NONE for no
                       values, or XL_BYTES() */
    uint32_t more_values[XL_MORE_VALUES]; /* further arrays of values, up to the first
                                                    XL_NONE; require `value` */
    uint32_t index;                       /* xl_type of indices_out: XL_U32 or XL_U64 */
    const xl_user_type *user_type;        /* if type is XL_USER_TYPE */

    uint32_t kind; /* xl_select_kind */
    uint32_t by;   /* xl_select_by; 0 for XL_SELECT_UNIQUE, _RUNS and _REPEAT */
    /* XL_SELECT_BY_PREDICATE: an OpenCL C expression of x, an element, and i, its index (ulong),
     * not 0 for a selected element: "x > 0". XL_SELECT_PARTITION3: the class 0, 1 or, for all other
     * values, 2. It is evaluated more than once for an element. NULL: x != 0, for scalars */
    const char *predicate;
    /* XL_SELECT_UNIQUE, _RUNS: an expression of adjacent elements a and b, not 0 if b continues a's
     * run: "a.key == b.key". User types require one. NULL: a == b, in all lanes of a vector; each
     * NaN is a separate run */
    const char *equal;
    uint32_t equal_zeros;   /* without `equal`: 1, the default: -0 and +0 are equal, and the first
                               element of a run is kept; 0: they differ. Must be 1 with `equal`. No
                               effect on integers and other kinds */
    size_t num_params;      /* number of params */
    const xl_param *params; /* parameters of predicate and equal, whose values each call gives;
                               NULL: none */

    uint32_t num_tunables;      /* number of tunables */
    const xl_tunable *tunables; /* tuning values of this plan (xl_tunable in types.h), names
                                   select.*; NULL: none */
} xl_select_desc;

/* The arguments of a call. At least one output must be given; each may be left out. An output must
 * not overlap any other array, not even its own input. */
typedef struct xl_select_args {
    size_t n;         /* number of elements; XL_SELECT_REPEAT: of runs; with n_device the maximum.
                         XL_SELECT_RUNS, or indices_out of u32: at most 2^32 - 1 */
    size_t capacity;  /* elements that each output has room for; 0: n. Results beyond it are
                         discarded without an error; count_out tells how many there are. The room
                         behind the results is not written */
    xl_view n_device; /* not given, or one u64: the call processes min(n, n_device[0]) elements, as
                         read when it runs. Inputs must hold n */
    xl_view in;       /* n elements; required if an expression or `out` needs them */
    xl_view flags;    /* XL_SELECT_BY_FLAGS, XL_SELECT_BY_BITMASK; else not given */
    xl_view lengths_in; /* XL_SELECT_REPEAT: n u32, which may be 0; else not given */
    xl_view values_in;  /* n values; required if values_out is given */
    xl_view more_values_in[XL_MORE_VALUES]; /* the same for each of desc.more_values */
    const void *params[XL_PARAMS]; /* for each of desc.params a pointer to its value, read by this
                                      call; NULL for the rest */
    xl_view out;                   /* the elements */
    xl_view values_out;            /* their values */
    xl_view more_values_out[XL_MORE_VALUES];
    xl_view indices_out; /* their indices in the input, from 0; XL_SELECT_UNIQUE, _RUNS: where runs
                            begin */
    xl_view lengths_out; /* XL_SELECT_RUNS: u32, the length of each run; else not given */
    xl_view count_out;   /* u64, independent of capacity. XL_SELECT_IF, _PARTITION: the number of
                            selected elements. XL_SELECT_PARTITION3: two, of class 0 and of class 1.
                            XL_SELECT_UNIQUE, _RUNS: of runs. XL_SELECT_REPEAT: sum of lengths */
    xl_view scratch;     /* not given, or xl_select_scratch() bytes */
} xl_select_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_select_desc_init(desc) xl_select_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_select_desc_init_version(xl_select_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_select_create(xl_context *ctx, const xl_select_desc *desc,
                                               xl_plan **plan);

/* Scratch: less than 1 % of the bytes of the elements and lengths, and 1 MiB. */
XL_NODISCARD XL_API xl_status xl_select_scratch(const xl_plan *plan, const xl_select_args *args,
                                                size_t *bytes);

/* Copies nothing to the host. Results are the same on every run and every device. */
XL_NODISCARD XL_API xl_status xl_select_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_select_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

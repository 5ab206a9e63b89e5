/* SPDX-License-Identifier: MIT
 * Compaction: the elements that are wanted, partitions, runs of equal elements, and the same the
 * other way round. All of it keeps the order of the input.
 *
 * Source: a work-group counts what it keeps of a tile, learns by decoupled look-back how much the
 * tiles before keep, and writes whole rows from local memory, so that the input is read once
 * (Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", NVR-2016-002;
 * Billeter, Olsson and Assarsson, "Efficient stream compaction on wide SIMD many-core
 * architectures", HPG 2009). Where work-groups may not pass messages, and for partitions, whose
 * second part begins where the first one ends, the elements are counted before. Runs are given back
 * their elements by equal parts of what is written and read, as by a merge path (Odeh, Green et
 * al., "Merge path", 2012). */
#ifndef CROSSLANE_SELECT_H
#define CROSSLANE_SELECT_H

#include <crosslane/plan.h>

typedef enum xl_select_kind {
    XL_SELECT_IF = 0,         /* the elements that are wanted */
    XL_SELECT_PARTITION = 1,  /* those, then all others */
    XL_SELECT_PARTITION3 = 2, /* those of class 0, then of class 1, then of class 2 */
    XL_SELECT_UNIQUE = 3,     /* the first element of each run of equal elements */
    XL_SELECT_RUNS = 4,       /* the same, and how long each run is: run-length encoding */
    XL_SELECT_REPEAT = 5      /* each element as often as its length says: run-length decoding */
} xl_select_kind;

/* How IF, PARTITION and PARTITION3 are told which elements are wanted. */
typedef enum xl_select_by {
    XL_SELECT_BY_PREDICATE = 0, /* by an expression */
    XL_SELECT_BY_FLAGS = 1,     /* n bytes: not 0 for what is wanted; PARTITION3: the class, where
                                   more than 2 counts as 2 */
    XL_SELECT_BY_BITMASK = 2    /* (n + 31) / 32 words of u32: bit i % 32 of word i / 32; not for
                                   PARTITION3 */
} xl_select_by;

/* For xl_select_desc.value and more_values: elements of 1 to 65,535 bytes, whatever they hold. */
#define XL_SELECT_BYTES(bytes) (0x20000u + (bytes))

enum { XL_SELECT_MORE_VALUES = 3 };

/* Start from xl_select_desc_init(): u32 elements that are not 0, no values. */
typedef struct xl_select_desc {
    uint32_t version;      /* set by xl_select_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t kind;         /* xl_select_kind */
    uint32_t by;           /* xl_select_by; UNIQUE, RUNS and REPEAT: 0 */
    uint32_t type;  /* xl_type of an element: any. Where no expression looks at it, a device need
                       not compute with it */
    uint32_t value; /* what goes with each element: xl_type, any built-in one, XL_NONE for nothing,
                       or XL_SELECT_BYTES() */
    uint32_t more_values[XL_SELECT_MORE_VALUES]; /* further arrays, up to the first XL_NONE */
    uint32_t index;                              /* xl_type of indices_out: XL_U32 or XL_U64 */
    const char *predicate; /* with BY_PREDICATE an OpenCL C expression of x, an element, and i, its
                              index (ulong): whether it is wanted, "x > 0"; PARTITION3: its class, 0
                              or 1, anything else counts as 2. It is called more than once for an
                              element. NULL: x != 0 of scalars */
    const char *equal;     /* UNIQUE, RUNS: an expression of a and b, two neighbours: whether b goes
                              on with a's run, "a.key == b.key". NULL: a == b, in all lanes of a
                              vector; -0 equals +0 unless equal_zeros is 0, and a NaN begins a run
                              of its own. User types need one */
    const xl_user_type *user_type; /* where type is XL_USER_TYPE */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); select.*. NULL: none */
    const xl_tunable *tunables;
    /* UNIQUE, RUNS without `equal`: 1, the default: -0 and +0 are equal, so that both may be in one
     * run, whose first element is kept. 0: they are different elements. No effect on integers and
     * on other kinds. XL_ERROR_INVALID_ARGUMENT for 0 with `equal`: the expression decides */
    uint32_t equal_zeros;
    uint32_t reserved; /* 0 */
    /* Parameters of predicate and equal, which each call gives in its `params`; NULL: none */
    size_t num_params;
    const xl_param *params;
} xl_select_desc;

/* What one call works on; a view that is left out is not given. Of the outputs at least one is
 * given. No output may overlap anything else, not even its own input. Results are the same on every
 * run and every device. */
typedef struct xl_select_args {
    size_t n;           /* elements; REPEAT: runs. With n_device the most there may be. RUNS: at
                           most 2^32 - 1; the same with indices_out of u32 */
    xl_view n_device;   /* not given, or one u64: as many elements as it holds when the call runs,
                           and at most n: as in xl_scan_args */
    xl_view in;         /* n elements; not needed where neither an expression nor `out` asks for
                           them */
    xl_view flags;      /* with BY_FLAGS, BY_BITMASK */
    xl_view lengths_in; /* REPEAT: n u32; 0 is legal */
    xl_view values_in;  /* n values that go with the elements; needed only where values_out is
                           given */
    xl_view more_values_in[XL_SELECT_MORE_VALUES]; /* as many as the descriptor's more_values */
    size_t capacity;    /* elements that each output has room for; 0: n. What would come later is
                           not written, which is no error; count_out says how much room it takes.
                           What lies behind the results stays as it was */
    xl_view out;        /* the elements */
    xl_view values_out; /* their values */
    xl_view more_values_out[XL_SELECT_MORE_VALUES];
    xl_view indices_out; /* their places in the input, from 0; UNIQUE, RUNS: where runs begin */
    xl_view lengths_out; /* RUNS: u32, how long each run is */
    xl_view count_out;   /* u64. IF: the elements that are wanted. PARTITION: those of the first
                            part. PARTITION3: two numbers, of class 0 and of class 1. UNIQUE, RUNS:
                            the runs. REPEAT: the sum of the lengths. None depends on capacity */
    xl_view scratch;     /* xl_select_scratch() bytes, or not given: as in xl_scan_args */
    const void *params[XL_PARAMS]; /* for each of the descriptor's params a pointer to its value, of
                                      its type, read by this call; else NULL */
} xl_select_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_select_desc_init(desc) xl_select_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_select_desc_init_version(xl_select_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). XL_ERROR_BUILD: an expression does not compile. */
XL_NODISCARD XL_API xl_status xl_select_create(xl_context *ctx, const xl_select_desc *desc,
                                               xl_plan **plan);

/* As xl_scan_scratch(), for n elements: less than 1 % of their bytes, lengths counted too, and 1
 * MiB. */
XL_NODISCARD XL_API xl_status xl_select_scratch(const xl_plan *plan, const xl_select_args *args,
                                                size_t *bytes);

/* Enqueues a selection; never blocks, and allocates nothing when scratch is given. Nothing is
 * copied to the host. Waits, event, queue, threads, failure and errors as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_select_enqueue(xl_plan *plan, cl_command_queue queue,
                                                const xl_select_args *args, cl_uint num_waits,
                                                const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

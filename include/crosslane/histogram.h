/* SPDX-License-Identifier: MIT
 * How many of n elements fall into each of a number of bins.
 *
 * Source: private counters that are added up at the end (Podlozhnyuk, "Histogram calculation in
 * CUDA", NVIDIA 2007), in local memory, with several copies of each so that work-items that count
 * the same bin wait for each other less (Gomez-Luna et al., "An optimized approach to histogram
 * computation on GPU", Machine Vision and Applications 24, 2013). */
#ifndef CROSSLANE_HISTOGRAM_H
#define CROSSLANE_HISTOGRAM_H

#include <crosslane/plan.h>

/* Which bin an element x has. An element that is in none of them is not counted. Neither is a
 * NaN. */
typedef enum xl_histogram_kind {
    /* Bins of one width between two bounds, `lower` <= x < `upper`. Of integers it is, exactly,
     *     floor((x - lower_integer) * num_bins / (upper_integer - lower_integer))
     * Of floating-point numbers, each operation rounded once, to the nearest, in the type T that
     * x is computed in (float for XL_F16 and XL_F32, double for XL_F64), it is
     *     min((uint)((x - lower) * scale), num_bins - 1),  scale = num_bins / (upper - lower)
     * where lower and upper are the descriptor's, rounded to T. So no larger x has a lower bin, and
     * the bin is the same on every device, but for differences x - lower that are denormal where
     * the device takes these for 0. */
    XL_HISTOGRAM_EVEN = 0,
    /* An integer x is its bin: 0 <= x < num_bins. */
    XL_HISTOGRAM_KEYS = 1,
    /* num_bins + 1 levels on the device, which do not fall: bin k is level k <= x < level k + 1.
     * Levels that fall, or are NaN, give counts that are not defined; nothing else is written. */
    XL_HISTOGRAM_LEVELS = 2
} xl_histogram_kind;

/* Start from xl_histogram_desc_init(): 256 bins of u8 keys, u32 counters, made anew by each call.
 * A field that the kind gives no meaning must stay as that left it. Texts and the user's type are
 * read by xl_histogram_create() and not needed after it. */
typedef struct xl_histogram_desc {
    uint32_t version;      /* set by xl_histogram_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t kind;         /* xl_histogram_kind */
    uint32_t type;         /* xl_type of x: a built-in scalar, an integer for XL_HISTOGRAM_KEYS;
                              XL_F64 and XL_F16 where the device has them */
    uint32_t counter;      /* xl_type of the bins: XL_U32, which counts modulo 2^32, or XL_U64 */
    uint32_t accumulate;   /* 1: a call adds to what the bins hold; 0: it sets them */
    uint32_t load_type;    /* xl_type of the elements of `in`, with load; XL_NONE: type */
    uint32_t reserved;     /* 0 */
    uint64_t num_bins;     /* 1 to 2^20 */
    double lower, upper;   /* XL_HISTOGRAM_EVEN of floating-point numbers: finite, rising, and
                              upper - lower and scale, as above, finite and not 0 */
    /* XL_HISTOGRAM_EVEN of integers: rising, of numbers of the type, upper_integer at most one past
     * the type's greatest. Of XL_U64 they stand for numbers modulo 2^64. An upper_integer that is
     * the least number of a type of 8 bytes stands for the greatest plus 1. */
    int64_t lower_integer, upper_integer;
    const char *load; /* NULL, or an OpenCL C expression that makes x of x, an element of `in`, and
                         i, its index (ulong): "x & 255" */
    const xl_user_type *user_load_type; /* where load_type is XL_USER_TYPE */
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); histogram.*. NULL: none */
    const xl_tunable *tunables;
    /* Parameters of load, which each call gives in its `params`; NULL: none */
    size_t num_params;
    const xl_param *params;
} xl_histogram_desc;

/* What one call works on; a view that is left out is not given. `bins` may overlap nothing else. */
typedef struct xl_histogram_args {
    size_t n;         /* elements, as many as a buffer holds; with n_device the most there may be */
    xl_view n_device; /* not given, or one u64: there are as many elements as it holds when the call
                         runs, and at most n; `in` must hold n */
    xl_view in;       /* n elements of load_type, in any order; not changed */
    xl_view levels;   /* num_bins + 1 elements of type, XL_HISTOGRAM_LEVELS alone */
    xl_view bins;     /* num_bins counters; with n == 0 they are set to 0, or stay. The device also
                         reads them: not CL_MEM_WRITE_ONLY */
    xl_view scratch;  /* xl_histogram_scratch() bytes, or not given: as in xl_scan_args */
    const void *params[XL_PARAMS]; /* for each of the descriptor's params a pointer to its value, of
                                      its type, read by this call; else NULL */
} xl_histogram_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_histogram_desc_init(desc) xl_histogram_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_histogram_desc_init_version(xl_histogram_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_histogram_create(xl_context *ctx, const xl_histogram_desc *desc,
                                                  xl_plan **plan);

/* As xl_scan_scratch(), for n elements: so far 0 bytes, whatever n and the number of bins are. */
XL_NODISCARD XL_API xl_status xl_histogram_scratch(const xl_plan *plan,
                                                   const xl_histogram_args *args, size_t *bytes);

/* Enqueues a histogram; never blocks, and allocates nothing. Counts are the same on every run and
 * every device.
 * Waits, event, queue, threads, failure and errors as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_histogram_enqueue(xl_plan *plan, cl_command_queue queue,
                                                   const xl_histogram_args *args, cl_uint num_waits,
                                                   const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * Histograms: counts how many of n elements fall into each of a number of bins, or adds up their
 * weights in each bin. The simplest use, for bytes and 256 bins of u32:
 *
 *     xl_histogram_desc desc;
 *     xl_histogram_desc_init(&desc);
 *     xl_histogram_create(ctx, &desc, &plan);
 *     xl_histogram_args args = {.n = n, .in = bytes, .bins = bins};
 *     xl_histogram_enqueue(plan, queue, &args, 0, NULL, NULL);
 *
 * The page is docs/histogram.md.
 *
 * Floating-point bins (desc.counter XL_F32, XL_F64) are sums in fixed point: the same bits on every
 * run and every device, for any order of the elements and any tunables.
 * Let 2^e be the greatest power of two that is not above the greatest |weight| of a bin, but at
 * least 2^-126 (f32) or 2^-1022 (f64), and b the number of bits of args.n. Each weight of the bin
 * is converted to the type of the bins, then rounded to a multiple of 2^(e + b - 62) (f32) or
 * 2^(e + b - 126) (f64), halves away from 0. The sum of these is exact and is rounded once to the
 * type, ties to even. So each element adds an error of at most 2^(e + b - 63) or 2^(e + b - 127),
 * and a bin with one element is exact if n < 2^39. A sum of 0 is +0. Infinities of one sign yield
 * infinity; NaN, or infinities of both signs, yield NaN.
 *
 * Source: private counters that are added up at the end (Podlozhnyuk, "Histogram calculation in
 * CUDA", NVIDIA 2007), in local memory, with several copies of each to reduce conflicts
 * (Gomez-Luna et al., "An optimized approach to histogram computation on GPU", Machine Vision and
 * Applications 24, 2013). */
#ifndef CROSSLANE_HISTOGRAM_H
#define CROSSLANE_HISTOGRAM_H

#include <crosslane/plan.h>

/* The bin of an element x. NaN and elements outside all bins are not counted. */
typedef enum xl_histogram_kind {
    /* Bins of equal width for lower <= x < upper. The bin of an integer is exact:
     *     floor((x - lower_integer) * num_bins / (upper_integer - lower_integer))
     * The bin of a floating-point number is computed in float (XL_F16, XL_F32) or double (XL_F64),
     * with lower and upper rounded to that type, and each operation rounded once to nearest:
     *     min((uint)((x - lower) * scale), num_bins - 1),  scale = num_bins / (upper - lower)
     * It never decreases when x grows, and is the same on every device, unless x - lower is
     * denormal and the device flushes denormal numbers to 0. */
    XL_HISTOGRAM_EVEN = 0,
    /* An integer x is its bin: 0 <= x < num_bins. */
    XL_HISTOGRAM_KEYS = 1,
    /* The call gives num_bins + 1 levels that do not fall; bin k is levels[k] <= x < levels[k + 1].
     * If levels fall or are NaN, counts are undefined; nothing else is written. */
    XL_HISTOGRAM_LEVELS = 2
} xl_histogram_kind;

/* Start from xl_histogram_desc_init(): 256 bins of u8 keys, u32 counters, not accumulated. Leave
 * fields that do not apply at their defaults; otherwise XL_ERROR_INVALID_ARGUMENT.
 * xl_histogram_create() copies all that pointers point to. */
typedef struct xl_histogram_desc {
    uint32_t version; /* set by xl_histogram_desc_init() */

    uint32_t type;    /* xl_type of x: a built-in scalar; an integer for XL_HISTOGRAM_KEYS. XL_F64
                           and XL_F16 require the device's support */
    uint32_t counter; /* xl_type of the bins: XL_U32 or XL_U64; with weights also XL_I32, XL_I64,
                           XL_F32 or XL_F64. Integer sums are exact modulo 2^bits */
    uint32_t weight;  /* xl_type of the weights, a built-in scalar; XL_NONE: each element counts 1.
                           Floating-point weights require a floating-point counter */
    uint32_t load_type; /* xl_type of the elements of `in`; XL_NONE: type. Without load, elements
                           are converted to type as in xl_scan_desc */
    const xl_user_type *user_load_type; /* if load_type is XL_USER_TYPE */

    uint64_t num_bins; /* 1 to 2^20 */
    uint32_t kind;     /* xl_histogram_kind */
    /* XL_HISTOGRAM_EVEN of floating-point numbers: finite, and lower < upper once they are rounded.
     * upper - lower and scale must be finite and not 0 */
    double lower, upper;
    /* XL_HISTOGRAM_EVEN of integers: lower < upper, both numbers of the type; the upper one may
     * also be one past the greatest. XL_U64: modulo 2^64. For a type of 8 bytes, an upper_integer
     * that is the type's least number means one past the greatest */
    int64_t lower_integer, upper_integer;

    uint32_t accumulate;    /* 0: a call sets the bins; 1: it adds to them, with one rounding for
                               floating-point bins */
    const char *load;       /* NULL, or an OpenCL C expression that computes x from x, an element of
                               `in`, and i, its index (ulong): "x & 255" */
    size_t num_params;      /* number of params */
    const xl_param *params; /* parameters of load, whose values each call gives; NULL: none */

    uint32_t num_tunables;      /* number of tunables */
    const xl_tunable *tunables; /* tuning values of this plan (xl_tunable in types.h), names
                                   histogram.*; NULL: none */
} xl_histogram_desc;

/* The arguments of a call. bins must not overlap any other array. */
typedef struct xl_histogram_args {
    size_t n;         /* number of elements; with n_device the maximum */
    xl_view n_device; /* not given, or one u64: the call processes min(n, n_device[0]) elements, as
                         read when it runs. `in` must hold n */
    xl_view in;       /* n elements of load_type, in any order */
    xl_view levels;   /* XL_HISTOGRAM_LEVELS: num_bins + 1 elements of type; else not given */
    xl_view weights;  /* n elements of desc.weight; not given if that is XL_NONE */
    const void *params[XL_PARAMS]; /* for each of desc.params a pointer to its value, read by this
                                      call; NULL for the rest */
    xl_view bins;    /* num_bins elements of desc.counter. A bin without elements is set to 0, or
                         kept with accumulate. The device also reads bins: not CL_MEM_WRITE_ONLY */
    xl_view scratch; /* not given, or xl_histogram_scratch() bytes */
} xl_histogram_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_histogram_desc_init(desc) xl_histogram_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_histogram_desc_init_version(xl_histogram_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_histogram_create(xl_context *ctx, const xl_histogram_desc *desc,
                                                  xl_plan **plan);

/* Scratch: 12 bytes for each bin of XL_F32, 20 for each bin of XL_F64, else 0. */
XL_NODISCARD XL_API xl_status xl_histogram_scratch(const xl_plan *plan,
                                                   const xl_histogram_args *args, size_t *bytes);

/* Results are the same on every run and every device. `in` and weights are read once, or, if there
 * are many bins, once for each of a few ranges of bins; twice as often for floating-point bins. */
XL_NODISCARD XL_API xl_status xl_histogram_enqueue(xl_plan *plan, cl_command_queue queue,
                                                   const xl_histogram_args *args, cl_uint num_waits,
                                                   const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

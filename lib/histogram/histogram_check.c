/* SPDX-License-Identifier: MIT
 * Checks of a histogram's descriptor. */
#include "histogram_shape.h"
#include "user_text.h"

#include <float.h>
#include <math.h>

enum { MOST_BINS = 1 << 20 };

/* ---- bins of equal width ---- */

/* floor(2^64 * rest / span) for rest < span. */
static uint64_t part_of(uint64_t rest, uint64_t span)
{
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; ++bit) {
        const bool carries = rest >> 63 != 0;
        rest <<= 1;
        quotient <<= 1;
        if (carries || rest >= span) {
            rest -= span;
            quotient |= 1;
        }
    }
    return quotient;
}

/* The least and the greatest number of an integer type. */
static int64_t least_of(const xli_element *value)
{
    return value->kind == XLI_KIND_SIGNED ? -(int64_t)(UINT64_MAX >> (65 - 8 * value->bytes)) - 1
                                          : 0;
}

static uint64_t greatest_of(const xli_element *value)
{
    return UINT64_MAX >> (64 - 8 * value->bytes + (value->kind == XLI_KIND_SIGNED));
}

/* Integer bounds: `first`, `span`, and the bins that one integer covers: `whole` and `part`. */
static xl_status resolve_integers(const xl_context *ctx, const xl_histogram_desc *desc,
                                  xli_histogram_problem *problem)
{
    const xli_element *value = &problem->value;
    xli_histogram_bounds *b = &problem->bounds;
    const bool wide = value->bytes == 8, is_u64 = wide && value->kind == XLI_KIND_UNSIGNED;
    const uint64_t lower = (uint64_t)desc->lower_integer, upper = (uint64_t)desc->upper_integer;
    const int64_t least = least_of(value);
    const uint64_t past = greatest_of(value) + 1; /* modulo 2^64 */
    const bool to_the_end = wide && upper == (uint64_t)least;
    const bool rises =
        to_the_end || (is_u64 ? lower < upper : desc->lower_integer < desc->upper_integer);
    const bool inside =
        wide || (desc->lower_integer >= least && desc->upper_integer <= (int64_t)past);
    if (!rises)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.lower_integer, desc.upper_integer: %lld and %lld; must rise",
                        (long long)desc->lower_integer, (long long)desc->upper_integer);
    if (!inside)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.lower_integer, desc.upper_integer: %lld and %lld; must be numbers of "
                        "%s, the upper one at most one past its greatest",
                        (long long)desc->lower_integer, (long long)desc->upper_integer,
                        xl_type_name(value->type));
    b->first = lower;
    b->span = (to_the_end ? past : upper) - lower;
    b->whole = b->span > 0 ? problem->bins / b->span : 0;
    const uint64_t rest = problem->bins - b->whole * b->span;
    b->part = b->span > 0 ? part_of(rest, b->span) : rest;
    return XL_SUCCESS;
}

/* XL_F16 and XL_F32 are computed in float. A difference or quotient that is rounded to double and
 * then to float equals one that is rounded to float directly. */
static xl_status resolve_reals(const xl_context *ctx, const xl_histogram_desc *desc,
                               xli_histogram_problem *problem)
{
    xli_histogram_bounds *b = &problem->bounds;
    const bool wide = problem->value.bytes == 8;
    if (wide) {
        const volatile double span = desc->upper - desc->lower;
        const volatile double scale = problem->bins / span;
        *b = (xli_histogram_bounds){.lower = desc->lower, .upper = desc->upper, .scale = scale};
    } else {
        const volatile float lower = (float)desc->lower, upper = (float)desc->upper;
        const volatile float span = (float)((double)upper - (double)lower);
        const volatile float scale = (float)(problem->bins / (double)span);
        *b = (xli_histogram_bounds){
            .lower = (double)lower, .upper = (double)upper, .scale = (double)scale};
    }
    const double most = wide ? DBL_MAX : (double)FLT_MAX;
    const bool fits = b->lower >= -most && b->upper <= most && b->lower < b->upper &&
                      b->upper - b->lower <= most && b->scale > 0 && b->scale <= most;
    if (!fits)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.lower, desc.upper: %g and %g; as %s they must rise and be finite, and "
            "neither too far apart nor too close",
            desc->lower, desc->upper, wide ? "double" : "float");
    return XL_SUCCESS;
}

/* ---- the descriptor ---- */

static xl_status check_choices(const xl_context *ctx, const xl_histogram_desc *desc)
{
    if (desc->kind > XL_HISTOGRAM_LEVELS)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.kind: %u; must be XL_HISTOGRAM_EVEN, XL_HISTOGRAM_KEYS or XL_HISTOGRAM_LEVELS",
            (unsigned)desc->kind);
    if (desc->num_bins < 1 || desc->num_bins > MOST_BINS)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.num_bins: %llu; must be 1 to %d",
                        (unsigned long long)desc->num_bins, MOST_BINS);
    return XL_SUCCESS;
}

static bool is_real(uint32_t type)
{
    return type == XL_F16 || type == XL_F32 || type == XL_F64;
}

static bool is_scalar(uint32_t type)
{
    return type > XL_NONE && type <= XL_F64;
}

/* Counts are unsigned integers. Sums of integer weights have any of the six types; sums of
 * floating-point weights are floating-point numbers. */
static xl_status check_counter(const xl_context *ctx, const xl_histogram_desc *desc)
{
    const bool weights = desc->weight != XL_NONE, reals = is_real(desc->weight);
    const uint32_t type = desc->counter;
    const bool counts = type == XL_U32 || type == XL_U64,
               integer = counts || type == XL_I32 || type == XL_I64,
               real = type == XL_F32 || type == XL_F64;
    const char *const rule = !weights ? "u32 or u64 if desc.weight is XL_NONE"
                             : reals  ? "f32 or f64 if desc.weight is a floating-point type"
                                      : "u32, u64, i32, i64, f32 or f64";
    if (weights && !is_scalar(desc->weight))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.weight: %s (%d); must be XL_NONE or a built-in scalar",
                        xl_type_name((xl_type)desc->weight), (int)desc->weight);
    if (!weights ? counts : real || (integer && !reals))
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.counter: %s (%d); must be %s",
                    xl_type_name((xl_type)type), (int)type, rule);
}

static xl_status check_type(const xl_context *ctx, const xl_histogram_desc *desc)
{
    const bool keys = desc->kind == XL_HISTOGRAM_KEYS;
    if (is_scalar(desc->type) && !(keys && is_real(desc->type)))
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.type: %s (%d); must be %s",
                    xl_type_name((xl_type)desc->type), (int)desc->type,
                    keys ? "an integer for XL_HISTOGRAM_KEYS" : "a built-in scalar");
}

/* A field without an effect must have its default: another value is a mistake. */
static xl_status check_idle(const xl_context *ctx, const xl_histogram_desc *desc)
{
    const bool even = desc->kind == XL_HISTOGRAM_EVEN, real = is_real(desc->type);
    const bool reals = isnan(desc->lower) || isnan(desc->upper) || desc->lower < 0 ||
                       desc->lower > 0 || desc->upper < 0 || desc->upper > 0;
    const xli_idle_field fields[] = {
        {"desc.lower, desc.upper", reals, even && real,
         "bins are not XL_HISTOGRAM_EVEN of a floating-point type"},
        {"desc.lower_integer, desc.upper_integer",
         desc->lower_integer != 0 || desc->upper_integer != 0, even && !real,
         "bins are not XL_HISTOGRAM_EVEN of an integer type"},
        {"desc.user_load_type", desc->user_load_type != NULL, desc->load_type == XL_USER_TYPE,
         "desc.load_type is not XL_USER_TYPE"},
    };
    return xli_check_idle(ctx, fields, XLI_COUNT(fields));
}

xl_status xli_histogram_check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_histogram_desc *const desc = of;
    XL_TRY(check_choices(ctx, desc));
    XL_TRY(check_type(ctx, desc));
    XL_TRY(check_counter(ctx, desc));
    XL_TRY(check_idle(ctx, desc));
    XL_TRY(xli_check_expression(ctx, "desc.load", desc->load));
done:
    return status;
}

/* A floating-point sum in steps takes twice the bytes of the result. */
static xl_status resolve_sums(const xl_context *ctx, const xl_histogram_desc *desc,
                              const xli_capabilities *capabilities, xli_histogram_problem *problem)
{
    xl_status status;
    XL_TRY(xli_element_resolve(ctx, capabilities, "counter", (xl_type)desc->counter, NULL,
                               &problem->counter));
    if (desc->weight != XL_NONE)
        XL_TRY(xli_element_resolve(ctx, capabilities, "weight", (xl_type)desc->weight, NULL,
                                   &problem->weight));
    const bool steps = is_real(desc->counter);
    problem->sum_bytes = problem->counter.bytes * (steps ? 2 : 1);
    problem->adds = desc->weight == XL_NONE ? XLI_ADDS_ONE
                    : steps                 ? XLI_ADDS_STEPS
                                            : XLI_ADDS_WEIGHT;
done:
    return status;
}

xl_status xli_histogram_resolve(const xl_context *ctx, const xl_histogram_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_histogram_problem *problem)
{
    xl_status status;
    *problem = (xli_histogram_problem){.kind = (xl_histogram_kind)desc->kind,
                                       .accumulates = desc->accumulate != 0,
                                       .bins = (uint32_t)desc->num_bins};
    XL_TRY(
        xli_element_resolve(ctx, capabilities, "type", (xl_type)desc->type, NULL, &problem->value));
    problem->in = problem->value;
    if (desc->load_type != XL_NONE)
        XL_TRY(xli_element_resolve(ctx, capabilities, "load_type", (xl_type)desc->load_type,
                                   desc->user_load_type, &problem->in));
    XL_TRY(
        xli_element_check_conversion(ctx, "load_type", desc->load, &problem->in, &problem->value));
    problem->loads = desc->load || problem->in.type != problem->value.type;
    XL_TRY(resolve_sums(ctx, desc, capabilities, problem));
    XL_TRY(xli_params_resolve(ctx, capabilities, desc->params, desc->num_params, desc->load != NULL,
                              &problem->params));
    if (desc->kind == XL_HISTOGRAM_EVEN)
        XL_TRY(is_real(desc->type) ? resolve_reals(ctx, desc, problem)
                                   : resolve_integers(ctx, desc, problem));
done:
    return status;
}

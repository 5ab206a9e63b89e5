/* SPDX-License-Identifier: MIT
 * Checks of a histogram's descriptor and arguments, before any side effect. */
#include "histogram_plan.h"
#include "user_text.h"

#include <float.h>
#include <math.h>

enum { MOST_BINS = 1 << 20 };

static bool is_real(const xli_element *value)
{
    return value->kind == XLI_KIND_FLOAT;
}

/* ---- bins of one width ---- */

/* floor(2^64 * rest / span) of rest < span. */
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

/* Integer bounds: `first`, `span`, and by how many bins a step of one goes on. */
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
    if (!rises || !inside)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "lower_integer, upper_integer: %lld and %lld, which do not rise, or are "
                        "not numbers of %s and one past them",
                        (long long)desc->lower_integer, (long long)desc->upper_integer,
                        xl_type_name(value->type));
    b->first = lower;
    b->span = (to_the_end ? past : upper) - lower;
    b->whole = b->span > 0 ? problem->bins / b->span : 0;
    const uint64_t rest = problem->bins - b->whole * b->span;
    b->part = b->span > 0 ? part_of(rest, b->span) : rest;
    return XL_SUCCESS;
}

/* Floats are computed in float, also those of 16 bits. Rounding from double is rounding once: a
 * difference and a quotient of floats have bits enough there. */
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
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "lower, upper: %g and %g, which as %s do not rise, or are not finite, or "
                        "too far apart, or too close",
                        desc->lower, desc->upper, wide ? "double" : "float");
    return XL_SUCCESS;
}

/* ---- the descriptor ---- */

static xl_status check_choices(const xl_context *ctx, const xl_histogram_desc *desc)
{
    if (desc->kind > XL_HISTOGRAM_LEVELS)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "kind: %u is not one of XL_HISTOGRAM_EVEN, XL_HISTOGRAM_KEYS, "
                        "XL_HISTOGRAM_LEVELS",
                        (unsigned)desc->kind);
    if (desc->counter != XL_U32 && desc->counter != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "counter: %s (%d), not XL_U32 or XL_U64",
                        xl_type_name((xl_type)desc->counter), (int)desc->counter);
    if (desc->num_bins < 1 || desc->num_bins > MOST_BINS)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "num_bins: %llu, not 1 to %d",
                        (unsigned long long)desc->num_bins, MOST_BINS);
    if (desc->reserved != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.reserved: %u, but must be 0",
                        (unsigned)desc->reserved);
    return XL_SUCCESS;
}

/* What the other fields give no meaning is a mistake somewhere. */
static xl_status check_idle(const xl_context *ctx, const xl_histogram_desc *desc, bool real)
{
    const bool even = desc->kind == XL_HISTOGRAM_EVEN;
    const bool reals = isnan(desc->lower) || isnan(desc->upper) || desc->lower < 0 ||
                       desc->lower > 0 || desc->upper < 0 || desc->upper > 0;
    const xli_idle_field fields[] = {
        {"lower, upper", reals, even && real,
         "bins are not XL_HISTOGRAM_EVEN of a floating-point type"},
        {"lower_integer, upper_integer", desc->lower_integer != 0 || desc->upper_integer != 0,
         even && !real, "bins are not XL_HISTOGRAM_EVEN of an integer type"},
        {"load_type", desc->load_type != XL_NONE, desc->load != NULL, "there is no load"},
        {"user_load_type", desc->user_load_type != NULL, desc->load_type == XL_USER_TYPE,
         "load_type is not XL_USER_TYPE"},
    };
    return xli_check_idle(ctx, fields, XLI_COUNT(fields));
}

static xl_status resolve_types(const xl_context *ctx, const xl_histogram_desc *desc,
                               const xli_capabilities *capabilities, xli_histogram_problem *problem)
{
    xl_status status;
    xli_element *value = &problem->value;
    XL_TRY(xli_element_resolve(ctx, capabilities, "type", (xl_type)desc->type, NULL, value));
    if (!xli_element_is_scalar(value) ||
        (desc->kind == XL_HISTOGRAM_KEYS && value->kind == XLI_KIND_FLOAT))
        XL_TRY(xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT, "type: %s, not %s", xl_type_name((xl_type)desc->type),
            desc->kind == XL_HISTOGRAM_KEYS ? "an integer, which keys are" : "a built-in scalar"));
    problem->in = *value;
    if (desc->load_type != XL_NONE)
        XL_TRY(xli_element_resolve(ctx, capabilities, "load_type", (xl_type)desc->load_type,
                                   desc->user_load_type, &problem->in));
done:
    return status;
}

xl_status xli_histogram_resolve(const xl_context *ctx, const xl_histogram_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_histogram_problem *problem)
{
    xl_status status;
    XL_TRY(check_choices(ctx, desc));
    XL_TRY(xli_check_expression(ctx, "desc.load", desc->load));
    *problem = (xli_histogram_problem){.kind = (xl_histogram_kind)desc->kind,
                                       .loads = desc->load != NULL,
                                       .accumulates = desc->accumulate != 0,
                                       .counter_bytes = xl_type_size((xl_type)desc->counter),
                                       .bins = (uint32_t)desc->num_bins};
    XL_TRY(resolve_types(ctx, desc, capabilities, problem));
    XL_TRY(check_idle(ctx, desc, is_real(&problem->value)));
    XL_TRY(xli_params_resolve(ctx, capabilities, desc->params, desc->num_params, desc->load != NULL,
                              &problem->params));
    if (desc->kind == XL_HISTOGRAM_EVEN)
        XL_TRY(is_real(&problem->value) ? resolve_reals(ctx, desc, problem)
                                        : resolve_integers(ctx, desc, problem));
done:
    return status;
}

/* ---- calls ---- */

xl_status xli_histogram_check_views(const xl_context *ctx, const xli_histogram_problem *problem,
                                    const xl_histogram_args *args, xli_histogram_spans *s)
{
    xl_status status;
    const bool has_levels = problem->kind == XL_HISTOGRAM_LEVELS;
    *s = (xli_histogram_spans){.in = {0}};
    XL_TRY(xli_params_read(ctx, &problem->params, args->params, &s->params));
    XL_TRY(xli_check_view(ctx, "in", args->in, args->n, problem->in.bytes, XLI_READ, &s->in));
    if (!has_levels && args->levels.buffer)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "levels: given, but the plan's bins are not XL_HISTOGRAM_LEVELS"));
    XL_TRY(xli_check_view(ctx, "levels", args->levels, has_levels ? (size_t)problem->bins + 1 : 0,
                          problem->value.bytes, XLI_READ, &s->levels));
    if (args->n_device.buffer)
        XL_TRY(xli_check_view(ctx, "n_device", args->n_device, 1, sizeof(cl_ulong), XLI_READ,
                              &s->n_device));
    XL_TRY(xli_check_view(ctx, "bins", args->bins, problem->bins, problem->counter_bytes,
                          (xli_access)(XLI_READ | XLI_WRITE), &s->bins));
    const xli_span *const read[] = {&s->in, &s->levels, &s->n_device};
    for (size_t i = 0; i < XLI_COUNT(read); ++i)
        XL_TRY(xli_check_apart(ctx, read[i], &s->bins, false));
done:
    return status;
}

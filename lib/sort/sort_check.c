/* SPDX-License-Identifier: MIT
 * Checks of the sort's descriptor and arguments, before any side effect. */
#include "sort_check.h"

#include "key.h"

#include <inttypes.h>

static xl_status check_segments(const xl_context *ctx, const xl_sort_desc *desc)
{
    const bool offsets = desc->segments == XL_SEGMENTS_OFFSETS;
    const uint32_t type = desc->segment_type;
    if (!offsets && desc->segments != XL_SEGMENTS_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.segments: %u; sorts take XL_SEGMENTS_NONE or _OFFSETS",
                        (unsigned)desc->segments);
    if (offsets ? type != XL_U32 && type != XL_U64 : type != XL_NONE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.segment_type: %s (%u), not %s",
                        xl_type_name((xl_type)type), (unsigned)type,
                        offsets ? "u32 or u64" : "XL_NONE, as there are no offsets");
    if (offsets && desc->algorithm == XL_SORT_RADIX)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.algorithm: XL_SORT_RADIX; segments take XL_SORT_AUTO or "
                        "XL_SORT_BITONIC");
    return XL_SUCCESS;
}

xl_status xli_sort_check_desc(const xl_context *ctx, const xl_sort_desc *desc)
{
    xl_status status;
    XL_TRY(xli_key_check(ctx, desc->key));
    if (desc->value != XL_NONE && desc->value != XL_U32 && desc->value != XL_SORT_INDICES)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.value: %s (%d); values are u32, XL_SORT_INDICES or none",
                        xl_type_name(desc->value), (int)desc->value);
    XL_TRY(xli_key_check_order(ctx, desc->order));
    if (desc->algorithm > XL_SORT_RADIX)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.algorithm: unknown value %d",
                        (int)desc->algorithm));
    if (desc->stable > 1)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.stable: %u, not 0 or 1",
                        (unsigned)desc->stable));
    if (desc->reserved != 0)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.reserved: %u, not 0",
                        (unsigned)desc->reserved));
    XL_TRY(check_segments(ctx, desc));
done:
    return status;
}

xl_status xli_sort_check_n(const xl_context *ctx, size_t n)
{
    /* Indices on the device have 32 bits; 16 bytes are more than an element has. */
    if (n > UINT32_MAX || n > SIZE_MAX / 16)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "n: %zu, at most %zu elements are sorted",
                        n, xli_min(UINT32_MAX, SIZE_MAX / 16));
    return XL_SUCCESS;
}

static xl_status check_not_given(const xl_context *ctx, const xli_sort_problem *problem,
                                 const char *name, xl_view view)
{
    if (!view.buffer)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but the plan %s", name,
                    problem->indices ? "makes the values itself" : "sorts keys without values");
}

/* The offsets, and that nothing writes them. */
static xl_status check_offsets(const xl_context *ctx, const xli_sort_problem *problem,
                               const xl_sort_args *args, xli_sort_spans *s)
{
    xl_status status;
    const xl_view view = args->segments;
    if (problem->segments == XL_NONE && view.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "segments: given, but the plan sorts the whole array");
    if (problem->segments == XL_NONE || (args->n == 0 && !view.buffer))
        return XL_SUCCESS;
    if (view.count == 0 || view.count > UINT32_MAX)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "segments: %zu CSR offsets, not 1 to 2^32 - 1; pass xl_view_n() with their "
                        "number",
                        view.count);
    s->segment_count = view.count;
    XL_TRY(xli_check_view(ctx, "segments", view, view.count, xl_type_size(problem->segments),
                          XLI_READ, &s->segments));
    XL_TRY(xli_check_apart(ctx, &s->segments, &s->keys_out, false));
    XL_TRY(xli_check_apart(ctx, &s->segments, &s->values_out, false));
done:
    return status;
}

xl_status xli_sort_check_views(const xl_context *ctx, const xli_sort_problem *problem,
                               const xl_sort_args *args, xli_sort_spans *s)
{
    xl_status status;
    const size_t n = args->n;
    const size_t key = xl_type_size(problem->key), value = xl_type_size(problem->value);
    const xli_access both = XLI_READ | XLI_WRITE;
    *s = (xli_sort_spans){.segment_count = 0};
    XL_TRY(xli_check_view(ctx, "keys_in", args->keys_in, n, key, XLI_READ, &s->keys_in));
    XL_TRY(xli_check_view(ctx, "keys_out", args->keys_out, n, key, both, &s->keys_out));
    if (problem->value == XL_NONE) {
        XL_TRY(check_not_given(ctx, problem, "values_in", args->values_in));
        XL_TRY(check_not_given(ctx, problem, "values_out", args->values_out));
    } else {
        if (problem->indices)
            XL_TRY(check_not_given(ctx, problem, "values_in", args->values_in));
        else
            XL_TRY(xli_check_view(ctx, "values_in", args->values_in, n, value, XLI_READ,
                                  &s->values_in));
        XL_TRY(xli_check_view(ctx, "values_out", args->values_out, n, value, both, &s->values_out));
    }
    XL_TRY(xli_check_apart(ctx, &s->keys_in, &s->keys_out, true));
    XL_TRY(xli_check_apart(ctx, &s->values_in, &s->values_out, true));
    XL_TRY(xli_check_apart(ctx, &s->keys_out, &s->values_out, false));
    XL_TRY(xli_check_apart(ctx, &s->keys_in, &s->values_out, false));
    XL_TRY(xli_check_apart(ctx, &s->values_in, &s->keys_out, false));
    XL_TRY(check_offsets(ctx, problem, args, s));
done:
    return status;
}

xl_status xli_sort_check_scratch(const xl_context *ctx, const xli_sort_spans *s,
                                 const xli_span *scratch)
{
    const xli_span *const spans[] = {&s->keys_in, &s->values_in, &s->keys_out, &s->values_out,
                                     &s->segments};
    return xli_check_apart_from(ctx, scratch, spans, XLI_COUNT(spans));
}

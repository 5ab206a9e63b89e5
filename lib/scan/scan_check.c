/* SPDX-License-Identifier: MIT
 * Checks of the scan's arguments, before any side effect. */
#include "scan_private.h"

static const xli_scan_type types[] = {
    {XL_U32, "uint", "uint", 0, 4},   {XL_I32, "int", "uint", 1, 4},
    {XL_F32, "float", "float", 2, 4}, {XL_U64, "ulong", "ulong", 0, 8},
    {XL_I64, "long", "ulong", 1, 8},  {XL_F64, "double", "double", 2, 8},
};

const xli_scan_type *xli_scan_type_of(xl_type type)
{
    for (size_t i = 0; i < XLI_COUNT(types); ++i)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

xl_status xli_scan_check_desc(const xl_context *ctx, const xl_scan_desc *desc)
{
    const struct {
        const char *name;
        int value, low, high;
        const char *known;
    } choices[] = {
        {"kind", (int)desc->kind, XL_EXCLUSIVE, XL_INCLUSIVE, "XL_EXCLUSIVE, XL_INCLUSIVE"},
        {"algorithm", (int)desc->algorithm, XL_SCAN_AUTO, XL_SCAN_REDUCE_THEN_SCAN,
         "XL_SCAN_AUTO, XL_SCAN_LOOKBACK, XL_SCAN_REDUCE_THEN_SCAN"},
        {"determinism", (int)desc->determinism, XL_DETERMINISTIC, XL_UNORDERED,
         "XL_DETERMINISTIC, XL_UNORDERED"},
    };
    for (size_t i = 0; i < XLI_COUNT(choices); ++i)
        if (choices[i].value < choices[i].low || choices[i].value > choices[i].high)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %d is not one of %s",
                            choices[i].name, choices[i].value, choices[i].known);
    if (!xli_scan_type_of(desc->type))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "type: %s (%d) is not one of u32, i32, f32, u64, i64, f64",
                        xl_type_name(desc->type), (int)desc->type);
    if (desc->op != XL_SUM && desc->op != XL_MIN && desc->op != XL_MAX)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "op: %s (%d) is not one of sum, min, max",
                        xl_op_name(desc->op), (int)desc->op);
    return XL_SUCCESS;
}

xl_status xli_scan_check_views(const xl_scan *plan, size_t n, xl_view in, xl_view segments,
                               xl_view out, xli_span *in_span, xli_span *out_span)
{
    xl_status status;
    const xl_context *ctx = plan->ctx;
    const size_t bytes = plan->type->bytes;
    if (segments.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "segments: given, but this version scans one segment; pass xl_no_view()");
    XL_TRY(xli_check_view(ctx, "in", in, n, bytes, XLI_READ, in_span));
    XL_TRY(xli_check_view(ctx, "out", out, n, bytes, XLI_WRITE, out_span));
    XL_TRY(xli_check_apart(ctx, in_span, out_span, true));
done:
    return status;
}

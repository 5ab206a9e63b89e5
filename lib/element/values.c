/* SPDX-License-Identifier: MIT
 * Arrays of values: their sizes, and how kernels move them. */
#include "values.h"

size_t xli_value_bytes(uint32_t value)
{
    enum { MOST = 0xffff };
    if (value > XL_BYTES(0) && value <= XL_BYTES(MOST))
        return value - XL_BYTES(0);
    return xl_type_size((xl_type)value);
}

xl_status xli_values_resolve(const xl_context *ctx, uint32_t value, const uint32_t *more,
                             xli_values *values)
{
    static const char *const names[XLI_VALUES] = {"desc.value", "desc.more_values[0]",
                                                  "desc.more_values[1]", "desc.more_values[2]"};
    *values = (xli_values){0};
    for (size_t k = 0; k < XLI_VALUES; ++k) {
        const uint32_t type = k == 0 ? value : more[k - 1];
        if (type == XL_NONE)
            continue;
        values->bytes[k] = xli_value_bytes(type);
        if (values->bytes[k] == 0)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s: %d; must be a built-in type, XL_BYTES(1 to 65535) or XL_NONE",
                            names[k], (int)type);
        if (values->count < k)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s: given; must be XL_NONE if the array before it is", names[k]);
        values->count = k + 1;
    }
    return XL_SUCCESS;
}

/* Values are moved in units: the largest to which all elements of an array are aligned. */
void xli_values_text(xli_text *text, const xli_values *values)
{
    enum { WIDEST = 16 };
    static const char *const units[] = {
        [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "uint2", [16] = "uint4"};
    for (size_t k = 0; k < values->count; ++k) {
        const size_t bytes = values->bytes[k], unit = xli_min(bytes & (0 - bytes), WIDEST);
        xli_text_add(text, "typedef %s xl_value%zu;\nenum { xl_value%zu_units = %zu };\n",
                     units[unit], k, k, bytes / unit);
    }
}

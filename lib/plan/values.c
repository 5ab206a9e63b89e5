/* SPDX-License-Identifier: MIT
 * Arrays of values that follow keys or elements. */
#include "values.h"

#include <inttypes.h>

static const struct {
    const char *field, *in, *out, *unused;
} names[XLI_VALUES] = {
    {"desc.value", "args.values_in", "args.values_out",
     "must not be given, because desc.value is XL_NONE"},
    {"desc.more_values[0]", "args.more_values_in[0]", "args.more_values_out[0]",
     "must not be given, because desc.more_values[0] is XL_NONE"},
    {"desc.more_values[1]", "args.more_values_in[1]", "args.more_values_out[1]",
     "must not be given, because desc.more_values[1] is XL_NONE"},
    {"desc.more_values[2]", "args.more_values_in[2]", "args.more_values_out[2]",
     "must not be given, because desc.more_values[2] is XL_NONE"},
};

/* Bytes of an element; 0 if `value` is no type of values. */
static size_t bytes_of(uint32_t value)
{
    enum { MOST = 0xffff };
    if (value > XL_BYTES(0) && value <= XL_BYTES(MOST))
        return value - XL_BYTES(0);
    return xl_type_size((xl_type)value);
}

xl_status xli_values_read(const xl_context *ctx, uint32_t value,
                          const uint32_t more[XL_MORE_VALUES], xli_values *values)
{
    *values = (xli_values){0};
    for (size_t k = 0; k < XLI_VALUES; ++k) {
        const uint32_t type = k == 0 ? value : more[k - 1];
        if (type == XL_NONE)
            continue;
        if (values->count < k)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s: given; must be XL_NONE if the array before it is", names[k].field);
        values->bytes[values->count++] = bytes_of(type);
        if (values->bytes[k] == 0)
            return xli_fail(
                ctx, XL_ERROR_INVALID_ARGUMENT,
                "%s: %s (%" PRIu32
                "); must be a built-in type, XL_BYTES(1) to XL_BYTES(65535), or XL_NONE",
                names[k].field, xl_type_name((xl_type)type), type);
    }
    return XL_SUCCESS;
}

static const char *unused(const xli_values *values, size_t k)
{
    return k < values->count ? NULL : names[k].unused;
}

xli_array xli_values_in(const xli_values *values, size_t k, xl_view first, const xl_view *more,
                        size_t n)
{
    xli_array a = xli_input(names[k].in, k == 0 ? first : more[k - 1], n, values->bytes[k]);
    a.unused = unused(values, k);
    return a;
}

xli_array xli_values_out(const xli_values *values, size_t k, xl_view first, const xl_view *more,
                         size_t n)
{
    xli_array a = xli_output(names[k].out, k == 0 ? first : more[k - 1], n, values->bytes[k]);
    a.unused = unused(values, k);
    return a;
}

size_t xli_value_unit(size_t bytes)
{
    enum { WIDEST = 16 };
    return xli_min(bytes & (0 - bytes), WIDEST);
}

/* SPDX-License-Identifier: MIT
 * Keys for tests, by kinds. */
#include "xlt_keys.h"

#include <string.h>

const char *const xlt_keys_names[XLT_KEYS_KINDS + 1] = {"random", "few distinct", "all equal",
                                                        "special", "zeros"};

/* Bits of a floating-point type: both zeros, the least and greatest numbers beside them,
 * infinities, NaN of both signs. Of integers they are other numbers, and as good. */
static uint64_t special_of(xl_type type, xlt_random *random)
{
    const unsigned mantissa = type == XL_F16 ? 10 : type == XL_F32 ? 23 : 52;
    const unsigned bits = 8 * (unsigned)xl_type_size(type);
    const unsigned low = bits > mantissa ? mantissa : bits / 2;
    const uint64_t ones = ((uint64_t)1 << low) - 1;
    const uint64_t parts[] = {0, 1, ones, ones - 1};
    const uint64_t tops[] = {0, ((uint64_t)1 << (bits - 1 - low)) - 1};
    return (uint64_t)xlt_below(random, 2) << (bits - 1) | tops[xlt_below(random, 2)] << low |
           parts[xlt_below(random, 4)];
}

/* Three of four are zeros; the others are the numbers beside them, and anything. */
static uint64_t zero_of(xl_type type, xlt_random *random)
{
    const uint64_t zero = (uint64_t)xlt_below(random, 2) << (8 * xl_type_size(type) - 1);
    const uint32_t choice = xlt_below(random, 16);
    return choice < 12 ? zero : choice < 15 ? zero | 1 : special_of(type, random);
}

static uint64_t key_of(xl_type type, xlt_keys kind, xlt_random *random)
{
    switch (kind) {
    case XLT_KEYS_FEW_DISTINCT:
        return xlt_below(random, 5) * 0x21436587u;
    case XLT_KEYS_ALL_EQUAL:
        return UINT64_C(0x4142434445464748);
    case XLT_KEYS_SPECIAL:
        return special_of(type, random);
    case XLT_KEYS_ZEROS:
        return zero_of(type, random);
    default:
        return xlt_next(random);
    }
}

/* Of each number the lowest bytes. */
void xlt_keys_fill(void *keys, xl_type type, xlt_keys kind, size_t n, xlt_random *random)
{
    const size_t size = xl_type_size(type);
    const uint16_t one = 1;
    const bool little = *(const unsigned char *)&one == 1;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t key = key_of(type, kind, random);
        memcpy((char *)keys + i * size, (const char *)&key + (little ? 0 : 8 - size), size);
    }
}

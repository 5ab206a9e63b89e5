/* SPDX-License-Identifier: MIT
 * Keys as unsigned numbers in the order asked for: mapped when loaded, mapped back
 * when stored. The map is one to one. */
#include "../prelude/prelude.cl"

#if XL_SORT_KIND != 0 && XL_SORT_WIDE_KEY
#error "64-bit keys are unsigned"
#endif

#if XL_SORT_WIDE_KEY
#define XL_SORT_KEY ulong
#else
#define XL_SORT_KEY uint
#endif
#define XL_SORT_LAST ((XL_SORT_KEY)0 - 1)

/* A negative number has all its bits flipped, any other only its sign, which orders
 * negative NaN < -inf < ... < +inf < positive NaN. What is subtracted makes -inf 0 and
 * takes the negative NaN past the positive ones. */
#define XL_SORT_NEGATIVE_NANS 0x007fffffu

XL_SORT_KEY xl_sort_map(XL_SORT_KEY raw)
{
#if XL_SORT_KIND == 1
    raw ^= 0x80000000u;
#elif XL_SORT_KIND == 2
    raw ^= (raw >> 31) != 0 ? 0xffffffffu : 0x80000000u;
    raw -= XL_SORT_NEGATIVE_NANS;
#endif
    return XL_SORT_DESCENDING ? ~raw : raw;
}

XL_SORT_KEY xl_sort_unmap(XL_SORT_KEY key)
{
    XL_SORT_KEY raw = XL_SORT_DESCENDING ? ~key : key;
#if XL_SORT_KIND == 1
    raw ^= 0x80000000u;
#elif XL_SORT_KIND == 2
    raw += XL_SORT_NEGATIVE_NANS;
    raw ^= (raw >> 31) != 0 ? 0x80000000u : 0xffffffffu;
#endif
    return raw;
}

/* The arrays of a launch, at their first element. */
typedef struct xl_sort_in {
    __global const XL_SORT_KEY *keys;
#if XL_SORT_VALUES
    __global const uint *values;
#endif
} xl_sort_in;

typedef struct xl_sort_out {
    __global XL_SORT_KEY *keys;
#if XL_SORT_VALUES
    __global uint *values;
#endif
} xl_sort_out;

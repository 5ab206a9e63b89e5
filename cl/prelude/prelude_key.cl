/* SPDX-License-Identifier: MIT
 * Keys as unsigned numbers in the required order: mapped when they are loaded, mapped back when
 * they are stored. The map is one to one, except if XL_KEY_KIND is 4: then both zeros have the same
 * number, which is mapped back to +0. Or keys of any type, ordered by a user's comparator.
 *
 * Defines
 *   XL_KEY           a key in an array, as bits
 *   xl_key_before()  whether one key comes before another
 * and, without a comparator,
 *   XL_ORDINAL  the number that a key is mapped to, of 32 or 64 bits; xl_last_ordinal() is the
 *               greatest
 *   XL_KEY_IS_MAPPED  whether the map changes keys
 *   xl_key_map(), xl_key_unmap() */
#ifndef XL_PRELUDE_KEY
#define XL_PRELUDE_KEY

#include "prelude.cl"

#if XL_KEY_KIND == 3
#define XL_KEY xl_user_key
#elif XL_KEY_BYTES == 8
#define XL_KEY ulong
#define XL_ORDINAL ulong
#else
#if XL_KEY_BYTES == 4
#define XL_KEY uint
#elif XL_KEY_BYTES == 2
#define XL_KEY ushort
#else
#define XL_KEY uchar
#endif
#define XL_ORDINAL uint
#endif

#if XL_KEY_KIND == 3
bool xl_key_before(XL_KEY a, XL_KEY b)
{
    /* Copies, because a comparator may change its parameters: see cl/group/group_scan.cl. */
#if XL_KEY_DESCENDING
    XL_KEY left = b, right = a;
#else
    XL_KEY left = a, right = b;
#endif
    return xl_user_before(left, right) != 0;
}
#else
XL_ORDINAL xl_last_ordinal(void)
{
    return (XL_ORDINAL)0 - 1;
}

enum { XL_KEY_BITS = 8 * XL_KEY_BYTES };
#define XL_KEY_SIGN ((XL_ORDINAL)1 << (XL_KEY_BITS - 1))
#define XL_KEY_IS_MAPPED (XL_KEY_KIND != 0 || XL_KEY_DESCENDING)
#define XL_KEY_ONES (XL_KEY_SIGN | (XL_KEY_SIGN - 1))

/* For a negative floating-point number all bits are flipped, for any other one only the sign; that
 * gives the order negative NaN < -inf < ... < +inf < positive NaN. Subtracting this constant makes
 * -inf 0, and moves the negative NaNs after the positive ones, in descending order of their
 * payloads. */
#if XL_KEY_BYTES == 8
#define XL_NEGATIVE_NANS 0x000ffffffffffffful
#elif XL_KEY_BYTES == 4
#define XL_NEGATIVE_NANS 0x007fffffu
#else
#define XL_NEGATIVE_NANS 0x03ffu
#endif

XL_ORDINAL xl_key_map(XL_KEY raw)
{
    XL_ORDINAL key = raw;
#if XL_KEY_KIND == 4
    key = key == XL_KEY_SIGN ? 0 : key;
#endif
#if XL_KEY_KIND == 1
    key ^= XL_KEY_SIGN;
#elif XL_KEY_KIND != 0
    key ^= (key & XL_KEY_SIGN) != 0 ? XL_KEY_ONES : XL_KEY_SIGN;
    key = (key - XL_NEGATIVE_NANS) & XL_KEY_ONES;
#endif
    return XL_KEY_DESCENDING ? key ^ XL_KEY_ONES : key;
}

XL_KEY xl_key_unmap(XL_ORDINAL key)
{
    XL_ORDINAL raw = XL_KEY_DESCENDING ? key ^ XL_KEY_ONES : key;
#if XL_KEY_KIND == 1
    raw ^= XL_KEY_SIGN;
#elif XL_KEY_KIND != 0
    raw = (raw + XL_NEGATIVE_NANS) & XL_KEY_ONES;
    raw ^= (raw & XL_KEY_SIGN) != 0 ? XL_KEY_SIGN : XL_KEY_ONES;
#endif
    return (XL_KEY)raw;
}

bool xl_key_before(XL_KEY a, XL_KEY b)
{
    return xl_key_map(a) < xl_key_map(b);
}
#endif

#endif

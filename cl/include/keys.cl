/* SPDX-License-Identifier: MIT
 * #include <crosslane/keys.cl>: keys as unsigned numbers in the order of xl_sort(), and back, as by
 * xl_key_to_code() and xl_code_to_key() on the host. Several keys can become one so:
 * (ulong)xl_key_to_code_f32(distance) << 32 | index. It may be included more than once.
 *
 *   uint  xl_key_to_code_i8(char key), _i16(short), _i32(int), _f32(float)
 *   ulong xl_key_to_code_i64(long key)
 *   uint  xl_key_to_code_f16(ushort bits), ulong xl_key_to_code_f64(ulong bits)
 *         the bits of a half or a double, as_ulong(x): also on devices without these types
 *   char  xl_code_to_key_i8(uint code), and so on: the inverses
 *
 * The code of an unsigned number is that number. Codes of 8 and 16 bits are below 2^8 and 2^16. */
#ifndef XL_KEYS
#define XL_KEYS

#define XL_INTEGER_CODES(NAME, KEY, BITS, CODE, SIGN)                                              \
    CODE xl_key_to_code_##NAME(KEY key)                                                            \
    {                                                                                              \
        return as_##BITS(key) ^ SIGN;                                                              \
    }                                                                                              \
                                                                                                   \
    KEY xl_code_to_key_##NAME(CODE code)                                                           \
    {                                                                                              \
        return as_##KEY((BITS)(code ^ SIGN));                                                      \
    }

/* For a negative floating-point number all bits are flipped, for any other one only the sign; that
 * gives the order negative NaN < -inf < ... < +inf < positive NaN. Subtracting the number of
 * negative NaN makes -inf 0, and moves the negative NaN after the positive ones. */
#define XL_FLOAT_CODES(NAME, KEY, BITS, CODE, SIGN, NANS)                                          \
    CODE xl_key_to_code_##NAME(KEY key)                                                            \
    {                                                                                              \
        const CODE bits = as_##BITS(key), ones = SIGN | (SIGN - 1);                                \
        return ((bits ^ ((bits & SIGN) != 0 ? ones : SIGN)) - NANS) & ones;                        \
    }                                                                                              \
                                                                                                   \
    KEY xl_code_to_key_##NAME(CODE code)                                                           \
    {                                                                                              \
        const CODE ones = SIGN | (SIGN - 1), bits = (code + NANS) & ones;                          \
        return as_##KEY((BITS)(bits ^ ((bits & SIGN) != 0 ? SIGN : ones)));                        \
    }

XL_INTEGER_CODES(i8, char, uchar, uint, 0x80u)
XL_INTEGER_CODES(i16, short, ushort, uint, 0x8000u)
XL_INTEGER_CODES(i32, int, uint, uint, 0x80000000u)
XL_INTEGER_CODES(i64, long, ulong, ulong, 0x8000000000000000ul)
XL_FLOAT_CODES(f16, ushort, ushort, uint, 0x8000u, 0x3ffu)
XL_FLOAT_CODES(f32, float, uint, uint, 0x80000000u, 0x7fffffu)
XL_FLOAT_CODES(f64, ulong, ulong, ulong, 0x8000000000000000ul, 0xffffffffffffful)
#undef XL_INTEGER_CODES
#undef XL_FLOAT_CODES

#endif

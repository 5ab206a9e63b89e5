/* SPDX-License-Identifier: MIT
 * The element type and the operator that a plan is specialised by.
 *
 * Asks for:
 *   XL_T         built-in scalar type: uint, int, ulong, long, float, double.
 *                A sum of signed integers is a sum of the unsigned type: it wraps
 *   XL_T_BYTES   4 or 8
 *   XL_T_KIND    0 unsigned, 1 signed, 2 floating point
 *   XL_OPERATOR  number of xl_op: 1 sum, 3 minimum, 4 maximum
 * Gives:
 *   XL_OP(a, b)  the operator as an expression, for scalars and vectors alike; it
 *                names its arguments more than once, so code calls xl_op() instead
 *   XL_IDENTITY  XL_OP(XL_IDENTITY, x) is x, bit for bit, unless x is a NaN, which
 *                minimum and maximum skip
 *   XL_COMMUTES  1: operands may change places. Minimum and maximum of floating
 *                point keep the earlier of -0 and +0, so theirs may not
 *   XL_AS_T(w), XL_T_AS_WORD(x)  an element as the unsigned integer of its size
 *   XL_VLEN, xl_vec  16 bytes of elements as a vector */
#ifndef XL_PRELUDE_TYPE
#define XL_PRELUDE_TYPE

#include "prelude.cl"

#if !defined(XL_T) || !defined(XL_T_BYTES) || !defined(XL_T_KIND) || !defined(XL_OPERATOR)
#error "XL_T, XL_T_BYTES, XL_T_KIND and XL_OPERATOR must be defined"
#endif

#if XL_OPERATOR == 1
#define XL_OP(a, b) ((a) + (b))
#elif XL_T_KIND == 2 && XL_OPERATOR == 3
/* Not fmin(): which of -0 and +0 that gives is left open. */
#define XL_OP(a, b) ((((b) < (a)) | ((a) != (a))) ? (b) : (a))
#elif XL_T_KIND == 2 && XL_OPERATOR == 4
#define XL_OP(a, b) ((((b) > (a)) | ((a) != (a))) ? (b) : (a))
#elif XL_OPERATOR == 3
#define XL_OP(a, b) min((a), (b))
#elif XL_OPERATOR == 4
#define XL_OP(a, b) max((a), (b))
#else
#error "XL_OPERATOR must be 1, 3 or 4"
#endif

#if XL_OPERATOR == 1 && XL_T_KIND == 2
/* Negative zero: 0 + -0 would be 0. */
#define XL_IDENTITY ((XL_T)-0.0f)
#elif XL_OPERATOR == 1
#define XL_IDENTITY ((XL_T)0)
#elif XL_T_KIND == 2
#define XL_IDENTITY ((XL_T)(XL_OPERATOR == 3 ? INFINITY : -INFINITY))
#elif XL_T_KIND == 0
#define XL_IDENTITY ((XL_T)(XL_OPERATOR == 3 ? ~(XL_T)0 : (XL_T)0))
#elif XL_T_BYTES == 4
#define XL_IDENTITY ((XL_T)(XL_OPERATOR == 3 ? INT_MAX : INT_MIN))
#else
#define XL_IDENTITY ((XL_T)(XL_OPERATOR == 3 ? LONG_MAX : LONG_MIN))
#endif

#define XL_COMMUTES (XL_T_KIND != 2 || XL_OPERATOR == 1)

#define XL_AS_T(word) XL_JOIN(as_, XL_T)(word)
#if XL_T_BYTES == 4
#define XL_VLEN 4
#define XL_T_AS_WORD(x) as_uint(x)
#elif XL_T_BYTES == 8
#define XL_VLEN 2
#define XL_T_AS_WORD(x) as_ulong(x)
#else
#error "XL_T_BYTES must be 4 or 8"
#endif
typedef XL_JOIN(XL_T, XL_VLEN) xl_vec;

XL_T xl_op(XL_T a, XL_T b)
{
    return XL_OP(a, b);
}

#endif

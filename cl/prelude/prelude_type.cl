/* SPDX-License-Identifier: MIT
 * The element type and the operator that a plan is specialised by.
 *
 * Gives
 *   XL_OP(a, b)    the operator as an expression, for scalars and vectors alike; it
 *                  names its arguments more than once, so code calls xl_op_e() instead
 *   xl_op_e(a, b)  of two elements, the left one first
 *   XL_IN_ORDER    stands before a loop that folds elements one by one
 *   XL_IDENTITY_E  xl_op_e(XL_IDENTITY_E, x) is x, bit for bit, unless x is a NaN, which
 *                  minimum and maximum skip; only with XL_HAS_IDENTITY
 *   XL_E_COMMUTES  1: operands may change places. Minimum and maximum of floating
 *                  point keep the earlier of -0 and +0, so theirs may not
 * With XL_OPERATOR 8 and 9 the element is an xl_arg: XL_E is a value's type, and what is
 * scanned carries its index. */
#ifndef XL_PRELUDE_TYPE
#define XL_PRELUDE_TYPE

#include "prelude.cl"

#if XL_OPERATOR != 0
#undef XL_HAS_IDENTITY
#define XL_HAS_IDENTITY 1
#endif

/* The bytes that the host counts on: an array of the wrong size will not compile. */
typedef char xl_size_of_element_is_not_what_the_host_said[sizeof(XL_E) == XL_E_BYTES ? 1 : -1];

#if XL_OPERATOR == 1
#define XL_OP(a, b) ((a) + (b))
#elif XL_OPERATOR == 2
#define XL_OP(a, b) ((a) * (b))
#elif XL_E_KIND == 2 && XL_OPERATOR == 3
/* Not fmin(): which of -0 and +0 that gives is left open. */
#define XL_OP(a, b) ((((b) < (a)) | ((a) != (a))) ? (b) : (a))
#elif XL_E_KIND == 2 && XL_OPERATOR == 4
#define XL_OP(a, b) ((((b) > (a)) | ((a) != (a))) ? (b) : (a))
#elif XL_OPERATOR == 3
#define XL_OP(a, b) min((a), (b))
#elif XL_OPERATOR == 4
#define XL_OP(a, b) max((a), (b))
#elif XL_OPERATOR == 5
#define XL_OP(a, b) ((a) & (b))
#elif XL_OPERATOR == 6
#define XL_OP(a, b) ((a) | (b))
#elif XL_OPERATOR == 7
#define XL_OP(a, b) ((a) ^ (b))
#endif

/* The ends of the element's range. */
#if XL_E_KIND == 2
#define XL_LOWEST (-INFINITY)
#define XL_HIGHEST INFINITY
#elif XL_E_KIND == 0
#define XL_LOWEST 0
#define XL_HIGHEST ((XL_E_SCALAR) ~(XL_E_SCALAR)0)
#elif XL_E_KIND == 1
/* Two's complement: a one bit on top. Shifts stay below the width. */
#define XL_HIGHEST ((XL_E_SCALAR)((1ul << (8 * sizeof(XL_E_SCALAR) - 1)) - 1ul))
#define XL_LOWEST ((XL_E_SCALAR)(-XL_HIGHEST - 1))
#endif

#if XL_OPERATOR == 8 || XL_OPERATOR == 9
/* Without padding, as accumulators (cl/prelude/prelude_accumulator.cl), and with values of a word
 * at least: rusticl 22.3 loses what stands behind a byte. */
#if XL_E_BYTES >= 4
typedef XL_E xl_arg_value;
#elif XL_E_KIND == 2
typedef float xl_arg_value;
#elif XL_E_KIND == 1
typedef int xl_arg_value;
#else
typedef uint xl_arg_value;
#endif
typedef struct xl_arg {
    xl_arg_value value;
#if XL_E_BYTES <= 4
    uint gap4;
#endif
    ulong index;
} xl_arg;
typedef XL_E xl_value;
#undef XL_E
#define XL_E xl_arg
#undef XL_E_ALIGNMENT
#define XL_E_ALIGNMENT 8
#endif

#if XL_OPERATOR == 0 && XL_HAS_IDENTITY
/* As lib/element/element.c writes it. */
#if XL_E_ALIGNMENT % 4 == 0
typedef uint xl_identity_part;
#else
typedef uchar xl_identity_part;
#endif

XL_E xl_identity_e(void)
{
    const union {
        xl_identity_part parts[XL_E_BYTES / sizeof(xl_identity_part)];
        XL_E e;
    } identity = {{XL_IDENTITY_PARTS}};
    return identity.e;
}
#define XL_IDENTITY_E xl_identity_e()
#elif XL_OPERATOR == 1 && XL_E_KIND == 2
/* Negative zero: 0 + -0 would be 0. */
#define XL_IDENTITY_E ((XL_E)-0.0f)
#elif XL_OPERATOR == 2
#define XL_IDENTITY_E ((XL_E)1)
#elif XL_OPERATOR == 3
#define XL_IDENTITY_E ((XL_E)XL_HIGHEST)
#elif XL_OPERATOR == 4
#define XL_IDENTITY_E ((XL_E)XL_LOWEST)
#elif XL_OPERATOR == 5
#define XL_IDENTITY_E ((XL_E)((XL_E_SCALAR) ~(XL_E_SCALAR)0))
#elif XL_OPERATOR == 8 || XL_OPERATOR == 9
XL_E xl_identity_e(void)
{
    XL_E none;
    none.value = XL_OPERATOR == 8 ? XL_HIGHEST : XL_LOWEST;
#if XL_E_BYTES <= 4
    none.gap4 = 0;
#endif
    none.index = ~0ul;
    return none;
}
#define XL_IDENTITY_E xl_identity_e()
#elif XL_OPERATOR != 0
#define XL_IDENTITY_E ((XL_E)0)
#endif

#if XL_OPERATOR == 0
#define XL_E_COMMUTES XL_USER_COMMUTES
#else
#define XL_E_COMMUTES (XL_E_KIND != 2 || XL_OPERATOR < 3 || XL_OPERATOR > 4)
#endif

/* Stands before a loop that folds elements one by one. Intel's CPU runtime 2026 folds
 * floating-point numbers in such a loop eight at a time, which is another order. */
#if defined(__clang__) && !defined(__NV_CL_C_VERSION) && (XL_E_KIND == 2 || XL_OPERATOR == 0)
#define XL_IN_ORDER _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define XL_IN_ORDER
#endif

XL_E xl_op_e(XL_E a, XL_E b)
{
#if XL_OPERATOR == 0
    /* Copies, lest an operator that changes its parameters change ours: see lane_scan.cl. */
    XL_E left = a, right = b;
    return xl_user_op(left, right);
#elif XL_OPERATOR == 8 || XL_OPERATOR == 9
    /* The earlier of equals. No value is a NaN: see cl/tile/tile_input.cl. */
    const bool better = XL_OPERATOR == 8 ? b.value < a.value : b.value > a.value;
    const bool equal = a.value == b.value;
    if (better || (equal && b.index < a.index))
        return b;
    return a;
#else
    return (XL_E)(XL_OP(a, b));
#endif
}

#endif

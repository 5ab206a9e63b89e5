/* SPDX-License-Identifier: MIT
 * The element type and the operator of a plan. Defines
 *   xl_op_e(a, b)  the operator, the left operand first
 *   XL_IN_ORDER    precedes a loop that folds elements one by one
 *
 * If XL_HAS_IDENTITY is 1, the host (lib/element/element.c) puts two functions before this.
 * xl_identity_e(): xl_op_e(xl_identity_e(), x) has the bits of x, unless x is a NaN, which minimum
 * and maximum skip. xl_none_e(): the result for no elements. If the operator finds an index, an
 * element is a struct of a value and its index. */
#ifndef XL_PRELUDE_TYPE
#define XL_PRELUDE_TYPE

#include "prelude.cl"

/* The size that the host uses: with any other size this array does not compile. */
typedef char xl_size_of_element_is_not_what_the_host_said[sizeof(XL_E) == XL_E_BYTES ? 1 : -1];

/* Intel's CPU runtime 2026 folds floating-point numbers in such a loop eight at a time, in another
 * order. */
#if defined(__clang__) && !defined(__NV_CL_C_VERSION) && XL_KEEP_ORDER
#define XL_IN_ORDER _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define XL_IN_ORDER
#endif

XL_E xl_op_e(XL_E a, XL_E b)
{
    /* Copies, because an operator may change its parameters: see lane_scan.cl. */
    XL_E left = a, right = b;
    return XL_OP(left, right);
}

#endif

/* SPDX-License-Identifier: MIT
 * The element type and the operator that a plan is specialised by. Gives
 *   xl_op_e(a, b)  the operator, the left operand first
 *   XL_IN_ORDER    stands before a loop that folds elements one by one
 *
 * The host (lib/element/element.c) puts functions in front, with XL_HAS_IDENTITY: xl_identity_e(),
 * with which xl_op_e(xl_identity_e(), x) is x, bit for bit, unless x is a NaN, which minimum and
 * maximum skip; and xl_none_e(), what the operator makes of no element at all. Where an index is
 * looked for the element is a struct of a value and its index. */
#ifndef XL_PRELUDE_TYPE
#define XL_PRELUDE_TYPE

#include "prelude.cl"

/* The bytes that the host counts on: an array of the wrong size will not compile. */
typedef char xl_size_of_element_is_not_what_the_host_said[sizeof(XL_E) == XL_E_BYTES ? 1 : -1];

/* Intel's CPU runtime 2026 folds floating-point numbers in such a loop eight at a time, which is
 * another order. */
#if defined(__clang__) && !defined(__NV_CL_C_VERSION) && XL_KEEP_ORDER
#define XL_IN_ORDER _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define XL_IN_ORDER
#endif

XL_E xl_op_e(XL_E a, XL_E b)
{
    /* Copies, lest an operator that changes its parameters change ours: see lane_scan.cl. */
    XL_E left = a, right = b;
    return XL_OP(left, right);
}

#endif

/* SPDX-License-Identifier: MIT
 * The element type and the operator of a plan, and the accumulator that is scanned and reduced: a
 * monoid over elements. One engine does every form of scan and reduction, because segments,
 * operators without an identity, and counts only take other monoids:
 *   XL_ACCUMULATOR 0  an element (default)
 *   XL_ACCUMULATOR 1  an element and flags. HEAD: a segment begins among the combined elements.
 *               SOME: there is at least one element. The operator on (flag, value) pairs is
 *               Schwartz's ("Ultracomputers", TOPLAS 2:4, 1980); Blelloch, CMU-CS-90-190, 1.5
 *   XL_ACCUMULATOR 2  the same, and how many segments begin
 *
 * Defines
 *   xl_op_e(a, b)  the operator on elements, the left operand first
 *   XL_IN_ORDER    precedes a loop that folds elements one by one
 *   XL_T, xl_op(a, b), xl_identity(), xl_commutes  the monoid. If the operator has no identity, the
 *                empty accumulator (without SOME) is one, and the operator is not called on it
 *   xl_accumulator_of(e, head)  the accumulator of one element; head: it begins a segment
 *   xl_element_of(t)  the element of an accumulator
 *   xl_is_head(t)  whether a segment begins in it
 *
 * If XL_HAS_IDENTITY is 1, the host (lib/element/element.c) puts two functions before this.
 * xl_identity_e(): xl_op_e(xl_identity_e(), x) has the bits of x, unless x is a NaN, which minimum
 * and maximum skip. xl_none_e(): the result for no elements. If the operator finds an index, an
 * element is a struct of a value and its index. */
#ifndef XL_PRELUDE_ACCUMULATOR
#define XL_PRELUDE_ACCUMULATOR

#include "prelude.cl"

#ifndef XL_ACCUMULATOR
#define XL_ACCUMULATOR 0
#endif

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
    /* Copies, because an operator may change its parameters: see cl/group/group_scan.cl. */
    XL_E left = a, right = b;
    return XL_OP(left, right);
}

#if XL_ACCUMULATOR == 0
#if !XL_HAS_IDENTITY
#error "an operator without an identity needs XL_ACCUMULATOR 1"
#endif
#define XL_T XL_E
enum { xl_commutes = XL_COMMUTES };

XL_T xl_identity(void)
{
    return xl_identity_e();
}

XL_T xl_accumulator_of(XL_E e, bool head)
{
    return e;
}

XL_E xl_element_of(XL_T t)
{
    return t;
}

bool xl_is_head(XL_T t)
{
    return false;
}

XL_T xl_op(XL_T a, XL_T b)
{
    return xl_op_e(a, b);
}
#else
enum { XL_HEAD = 1, XL_SOME = 2 };
/* How an accumulator holds an element. The host says how for vectors: as the last member of a struct, one
 * of three or of components below 32 bits was copied wrong by NVIDIA 580 (docs/drivers.md). */
#ifndef xl_held
#define xl_held XL_E
#define xl_hold(e) (e)
#define xl_element_held(h) (h)
#endif
/* The members are in this order because rusticl 22.3 loses a member after a value of one byte.
 * There is no padding, neither before a value with a larger alignment than the flags nor at the
 * end: NVIDIA 580 keeps copies of a struct with padding in memory instead of registers (scans by
 * cl/scan/scan_lookback.cl were 6 times as slow on an H200), and loses the flags when it moves the
 * struct as words in a shuffle. */
typedef struct xl_accumulator {
    uint flags;
#if XL_ACCUMULATOR == 2
    uint count;
#elif XL_E_ALIGNMENT > 4
    uint gap4;
#endif
#if XL_E_ALIGNMENT > 8
    ulong gap8;
#endif
#if XL_E_ALIGNMENT > 16
    ulong2 gap16;
#endif
#if XL_E_ALIGNMENT > 32
    ulong4 gap32;
#endif
#if XL_E_ALIGNMENT > 64
    ulong8 gap64;
#endif
    xl_held value;
#if XL_E_BYTES % 4 != 0
    uchar hole[4 - XL_E_BYTES % 4];
#endif
} xl_accumulator;
#define XL_T xl_accumulator
enum { xl_commutes = 0 };

XL_T xl_accumulator_make(XL_E e, uint flags, uint count)
{
    XL_T t;
    t.flags = flags;
#if XL_ACCUMULATOR == 2
    t.count = count;
#elif XL_E_ALIGNMENT > 4
    t.gap4 = 0;
#endif
#if XL_E_ALIGNMENT > 8
    t.gap8 = 0;
#endif
#if XL_E_ALIGNMENT > 16
    t.gap16 = 0;
#endif
#if XL_E_ALIGNMENT > 32
    t.gap32 = 0;
#endif
#if XL_E_ALIGNMENT > 64
    t.gap64 = 0;
#endif
    t.value = xl_hold(e);
    return t;
}

XL_T xl_identity(void)
{
#if XL_HAS_IDENTITY
    return xl_accumulator_make(xl_identity_e(), 0, 0);
#else
    const union {
        uchar bytes[sizeof(XL_E)];
        XL_E e;
    } zero = {{0}};
    return xl_accumulator_make(zero.e, 0, 0);
#endif
}

XL_T xl_accumulator_of(XL_E e, bool head)
{
    /* A head's flag is 1. With `?:` PoCL 5.0 aborts on some kernels of groups. */
    return xl_accumulator_make(e, XL_SOME | (uint)head, (uint)head);
}

XL_E xl_element_of(XL_T t)
{
    return xl_element_held(t.value);
}

bool xl_is_head(XL_T t)
{
    return (t.flags & XL_HEAD) != 0;
}

XL_T xl_op(XL_T a, XL_T b)
{
    XL_T both = b; /* a copy: see cl/group/group_scan.cl */
#if XL_HAS_IDENTITY
    if (!(b.flags & XL_HEAD))
        both.value = xl_hold(xl_op_e(xl_element_of(a), xl_element_of(b)));
#else
    if (!(b.flags & XL_SOME))
        both.value = a.value;
    else if ((a.flags & XL_SOME) && !(b.flags & XL_HEAD))
        both.value = xl_hold(xl_op_e(xl_element_of(a), xl_element_of(b)));
#endif
#if XL_ACCUMULATOR == 2
    both.count += a.count;
#endif
    both.flags |= a.flags;
    return both;
}
#endif

#endif

/* SPDX-License-Identifier: MIT
 * Reduction and scan of a tile by one work-item with wide vectors, for devices
 * whose work-items run one after another on a core: the tile comes into the cache
 * while it is reduced, and is scanned from there.
 *
 * Asks for what cl/prelude/prelude_type.cl asks for, and
 *   XL_INCLUSIVE  1: an element's result includes it */
#ifndef XL_TILE_SERIAL
#define XL_TILE_SERIAL

#include "../prelude/prelude_type.cl"

#if !defined(XL_INCLUSIVE)
#error "XL_INCLUSIVE must be defined"
#endif

/* 64 bytes: one cache line, and the widest register of the CPUs there are. */
#if XL_T_BYTES == 4
#define XL_WIDE 16
#define XL_WIDE_LOAD(p) vload16(0, (p))
#define XL_WIDE_STORE(x, p) vstore16((x), 0, (p))
#else
#define XL_WIDE 8
#define XL_WIDE_LOAD(p) vload8(0, (p))
#define XL_WIDE_STORE(x, p) vstore8((x), 0, (p))
#endif
typedef XL_JOIN(XL_T, XL_WIDE) xl_wide;

xl_wide xl_op_wide(xl_wide a, xl_wide b)
{
    return XL_OP(a, b);
}

/* A wide vector folded in element order: neighbours first. */
XL_T xl_wide_total(xl_wide x)
{
#if XL_WIDE == 16
    const XL_JOIN(XL_T, 8) a = XL_OP(x.even, x.odd);
#else
    const xl_wide a = x;
#endif
    const XL_JOIN(XL_T, 4) b = XL_OP(a.even, a.odd);
    const XL_JOIN(XL_T, 2) c = XL_OP(b.even, b.odd);
    return xl_op(c.s0, c.s1);
}

/* x one element up, with the identity in front. */
xl_wide xl_wide_up(xl_wide x)
{
#if XL_WIDE == 16
    return (xl_wide)(XL_IDENTITY, x.s012, x.s3456, x.s789a, x.sbcde);
#else
    return (xl_wide)(XL_IDENTITY, x.s012, x.s3456);
#endif
}

/* Inclusive scan within a vector: steps of 1, 2, 4 (and 8) elements. */
xl_wide xl_wide_scan(xl_wide x)
{
    const XL_T none = XL_IDENTITY;
    x = xl_op_wide(xl_wide_up(x), x);
#if XL_WIDE == 16
    x = xl_op_wide((xl_wide)(none, none, x.s01, x.s2345, x.s6789, x.sabcd), x);
    x = xl_op_wide((xl_wide)((XL_JOIN(XL_T, 4))(none), x.s01234567, x.s89ab), x);
    x = xl_op_wide((xl_wide)((XL_JOIN(XL_T, 8))(none), x.lo), x);
#else
    x = xl_op_wide((xl_wide)(none, none, x.s01, x.s2345), x);
    x = xl_op_wide((xl_wide)((XL_JOIN(XL_T, 4))(none), x.lo), x);
#endif
    return x;
}

/* n elements reduced in a fixed order. Where operands commute, four vectors of
 * partial results hide the operator's latency. */
XL_T xl_serial_reduce(const __global XL_T *in, ulong n)
{
    XL_T total = XL_IDENTITY;
    ulong i = 0;
#if XL_COMMUTES
    xl_wide a = (xl_wide)(XL_IDENTITY), b = a, c = a, d = a;
    for (; i + 4 * XL_WIDE <= n; i += 4 * XL_WIDE) {
        a = xl_op_wide(a, XL_WIDE_LOAD(in + i));
        b = xl_op_wide(b, XL_WIDE_LOAD(in + i + XL_WIDE));
        c = xl_op_wide(c, XL_WIDE_LOAD(in + i + 2 * XL_WIDE));
        d = xl_op_wide(d, XL_WIDE_LOAD(in + i + 3 * XL_WIDE));
    }
    total = xl_wide_total(xl_op_wide(xl_op_wide(a, b), xl_op_wide(c, d)));
#endif
    for (; i + XL_WIDE <= n; i += XL_WIDE)
        total = xl_op(total, xl_wide_total(XL_WIDE_LOAD(in + i)));
    for (; i < n; ++i)
        total = xl_op(total, in[i]);
    return total;
}

XL_T xl_serial_scan_few(const __global XL_T *in, __global XL_T *out, ulong n, XL_T carry)
{
    for (ulong i = 0; i < n; ++i) {
        const XL_T next = xl_op(carry, in[i]);
        out[i] = XL_INCLUSIVE ? next : carry;
        carry = next;
    }
    return carry;
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define XL_STREAM_STORE(x, p) __builtin_nontemporal_store((x), (__global xl_wide *)(p))
#endif
#endif
#ifndef XL_STREAM_STORE
#define XL_STREAM_STORE(x, p) XL_WIDE_STORE((x), (p))
#endif

/* Scans n elements from `carry`, which it gives back moved on. `stream`: results
 * will have left the cache before anyone reads them, so they are written past it,
 * which saves reading the lines that they overwrite. in == out is fine. */
XL_T xl_serial_scan(const __global XL_T *in, __global XL_T *out, ulong n, XL_T carry, bool stream)
{
    ulong i = 0;
    if (stream) { /* such stores need whole, aligned lines */
        const ulong past = ((size_t)out % sizeof(xl_wide)) / sizeof(XL_T);
        i = min(n, past > 0 ? XL_WIDE - past : 0);
        carry = xl_serial_scan_few(in, out, i, carry);
    }
    xl_wide before = (xl_wide)(carry);
    for (; i + XL_WIDE <= n; i += XL_WIDE) {
        const xl_wide x = xl_wide_scan(XL_WIDE_LOAD(in + i));
        const xl_wide y = xl_op_wide(before, XL_INCLUSIVE ? x : xl_wide_up(x));
        if (stream)
            XL_STREAM_STORE(y, out + i);
        else
            XL_WIDE_STORE(y, out + i);
#if XL_WIDE == 16
        before = xl_op_wide(before, (xl_wide)(x.sf));
#else
        before = xl_op_wide(before, (xl_wide)(x.s7));
#endif
    }
    return xl_serial_scan_few(in + i, out + i, n - i, before.s0);
}

#endif

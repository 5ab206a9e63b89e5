/* SPDX-License-Identifier: MIT
 * Reduction and scan of a tile by one work-item, for devices whose work-items run one
 * after another on a core: the tile comes into the cache while it is reduced, and is
 * scanned from there. Built-in scalars under a built-in operator go by wide vectors
 * (XL_BY_VECTORS), CSR offsets segment by segment, everything else element by element.
 *
 * Asks for what cl/tile/tile_output.cl asks for, and
 *   XL_ORDERED  1: bits may not depend on where arrays lie, for operators that round */
#ifndef XL_TILE_SERIAL
#define XL_TILE_SERIAL

#include "tile_output.cl"

#ifndef XL_ORDERED
#error "XL_ORDERED must be defined"
#endif

/* What vectors are shuffled by is clang's, which every OpenCL compiler for CPUs seen so far
 * descends from. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define XL_HAS_SHUFFLE 1
#endif
#endif
#ifndef XL_HAS_SHUFFLE
#define XL_HAS_SHUFFLE 0
#endif
#define XL_BY_VECTORS (XL_T_SCALAR && XL_OPERATOR != 0 && !XL_LOAD && !XL_STORE && XL_HAS_SHUFFLE)

#if XL_BY_VECTORS
/* For 4-byte elements 64 bytes: one cache line, and the widest register of the CPUs
 * there are. */
#if XL_T_BYTES <= 4
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

/* x `by` elements up, with identities in front. As one shuffle it is one instruction of
 * AVX-512 (valignd); put together of parts of x it was five times as many. */
#if XL_WIDE == 16
#define XL_WIDE_UP(x, by)                                                                          \
    __builtin_shufflevector((xl_wide)(XL_IDENTITY), (x), 16 - by, 17 - by, 18 - by, 19 - by,       \
                            20 - by, 21 - by, 22 - by, 23 - by, 24 - by, 25 - by, 26 - by,         \
                            27 - by, 28 - by, 29 - by, 30 - by, 31 - by)
#else
#define XL_WIDE_UP(x, by)                                                                          \
    __builtin_shufflevector((xl_wide)(XL_IDENTITY), (x), 8 - by, 9 - by, 10 - by, 11 - by,         \
                            12 - by, 13 - by, 14 - by, 15 - by)
#endif

/* Inclusive scan within a vector: steps of 1, 2, 4 (and 8) elements. */
xl_wide xl_wide_scan(xl_wide x)
{
    x = xl_op_wide(XL_WIDE_UP(x, 1), x);
    x = xl_op_wide(XL_WIDE_UP(x, 2), x);
    x = xl_op_wide(XL_WIDE_UP(x, 4), x);
#if XL_WIDE == 16
    x = xl_op_wide(XL_WIDE_UP(x, 8), x);
#endif
    return x;
}

#endif

/* Scans element i, which begins a segment or not, and gives `carry` moved on. */
XL_T xl_serial_step(const xl_input *input, __global XL_OUT *out, ulong i, bool head, XL_T carry)
{
    const XL_T x = xl_input_state(input, input->in[i], i, head), next = xl_op(carry, x);
    out[i] = xl_output(XL_VALUE(xl_result(input, carry, x, next)), i);
    return next;
}

#if XL_SEGMENTS == 4
/* By CSR offsets tiles go segment by segment, so that offsets are asked only where a segment that
 * has elements begins, and those of empty ones in between may be leapt over.
 *
 * What stands before the last head of a tile is lost on the tile's sum, so its elements are
 * read from there on. */
XL_T xl_serial_reduce(const xl_input *input, ulong base, ulong count)
{
    XL_T total = XL_IDENTITY;
    const ulong end = base + count;
    const ulong after = xl_offset_search(input->segments, input->count, end);
    const ulong last = after > 0 ? input->segments[after - 1] : 0;
    bool head = base == 0;
    if (last >= base && last < end) {
        base = last;
        head = true;
    }
    XL_IN_ORDER
    for (; base < end; ++base) {
        total = xl_op(total, xl_input_state(input, input->in[base], base, head));
        head = false;
    }
    return total;
}

/* As the one below. */
XL_T xl_serial_scan(const xl_input *input, __global XL_OUT *out, ulong base, ulong count,
                    XL_T carry, bool stream, ulong ahead)
{
    const __global XL_SEG *const offsets = input->segments;
    const ulong end = base + count;
    ulong next = xl_offset_search(offsets, input->count, base);
    ulong begin = base == 0 ? 0 : next < input->count ? offsets[next] : end;
    while (base < end) {
        const ulong stop = min(begin, end);
        XL_IN_ORDER
        for (; base < stop; ++base)
            carry = xl_serial_step(input, out, base, false, carry);
        if (base == end)
            break;
        carry = xl_serial_step(input, out, base++, true, carry);
        next = xl_offset_pass(offsets, input->count, next, base);
        begin = next < input->count ? offsets[next] : end;
    }
    return carry;
}
#else
/* `count` elements from `base` on reduced in a fixed order. Where operands commute, four
 * vectors of partial results hide the operator's latency. */
XL_T xl_serial_reduce(const xl_input *input, ulong base, ulong count)
{
    XL_T total = XL_IDENTITY;
    const ulong end = base + count;
#if XL_BY_VECTORS
    const __global XL_T *const in = (const __global XL_T *)input->in;
#if XL_COMMUTES
    xl_wide a = (xl_wide)(XL_IDENTITY), b = a, c = a, d = a;
    for (; base + 4 * XL_WIDE <= end; base += 4 * XL_WIDE) {
        a = xl_op_wide(a, XL_WIDE_LOAD(in + base));
        b = xl_op_wide(b, XL_WIDE_LOAD(in + base + XL_WIDE));
        c = xl_op_wide(c, XL_WIDE_LOAD(in + base + 2 * XL_WIDE));
        d = xl_op_wide(d, XL_WIDE_LOAD(in + base + 3 * XL_WIDE));
    }
    total = xl_wide_total(xl_op_wide(xl_op_wide(a, b), xl_op_wide(c, d)));
#endif
    for (; base + XL_WIDE <= end; base += XL_WIDE)
        total = xl_op(total, xl_wide_total(XL_WIDE_LOAD(in + base)));
#endif
    XL_IN_ORDER
    for (; base < end; ++base)
        total = xl_op(total, xl_input_one(input, base));
    return total;
}

XL_T xl_serial_scan_few(const xl_input *input, __global XL_OUT *out, ulong base, ulong end,
                        XL_T carry)
{
    for (; base < end; ++base)
        carry = xl_serial_step(input, out, base, xl_heads(input, base, 1) & 1, carry);
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
/* OpenCL's prefetch() is nothing in PoCL 3.1. Clang's is for compilers that compile for the CPU
 * itself: rusticl 22.3, which goes by SPIR-V, ends the process over it. */
#if defined(__x86_64__) || defined(__aarch64__)
#define XL_PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p))
#endif
#ifndef XL_PREFETCH
#define XL_PREFETCH(p)
#endif

/* Scans `count` elements from `base` on, starting from `carry`, which it gives back moved on.
 * `stream`: results will have left the cache before anyone reads them, so vectors are
 * written past it, which saves reading the lines that they overwrite. `ahead`: the tile that is
 * reduced after this one begins so many elements further on; it comes into the cache meanwhile. In
 * place is fine. */
XL_T xl_serial_scan(const xl_input *input, __global XL_OUT *out, ulong base, ulong count,
                    XL_T carry, bool stream, ulong ahead)
{
    const ulong end = base + count;
#if XL_BY_VECTORS
    const __global XL_T *const in = (const __global XL_T *)input->in;
    __global XL_T *const to = (__global XL_T *)out;
    /* Such stores need whole, aligned lines. To begin with the first of them moves the vectors,
     * and with them the order of operands, by where `out` lies. */
    const ulong past = ((size_t)(to + base) % sizeof(xl_wide)) / sizeof(XL_T);
    stream = stream && (!XL_ORDERED || past == 0);
    if (stream) {
        const ulong few = min(count, past > 0 ? XL_WIDE - past : 0);
        carry = xl_serial_scan_few(input, out, base, base + few, carry);
        base += few;
    }
    xl_wide before = (xl_wide)(carry);
    for (; base + XL_WIDE <= end; base += XL_WIDE) {
        XL_PREFETCH(in + base + ahead);
        const xl_wide x = xl_wide_scan(XL_WIDE_LOAD(in + base));
        const xl_wide y = xl_op_wide(before, XL_INCLUSIVE ? x : XL_WIDE_UP(x, 1));
        if (stream)
            XL_STREAM_STORE(y, to + base);
        else
            XL_WIDE_STORE(y, to + base);
#if XL_WIDE == 16
        before = xl_op_wide(before, (xl_wide)(x.sf));
#else
        before = xl_op_wide(before, (xl_wide)(x.s7));
#endif
    }
    carry = before.s0;
#endif
    return xl_serial_scan_few(input, out, base, end, carry);
}
#endif

#endif

/* SPDX-License-Identifier: MIT
 * Reduction and scan of a tile by one work-item, for devices whose work-items run one
 * after another on a core: the tile comes into the cache while it is reduced, and is
 * scanned from there. Built-in scalars under a built-in operator go by wide vectors
 * (XL_BY_VECTORS), scans by CSR offsets segment by segment, everything else element by element.
 *
 * Asks for what cl/tile/tile_output.cl asks for, and
 *   XL_ORDERED  1: bits may not depend on where arrays lie, for operators that round */
#ifndef XL_TILE_SERIAL
#define XL_TILE_SERIAL

#include "tile_output.cl"

#ifndef XL_ORDERED
#error "XL_ORDERED must be defined"
#endif

/* Whether the compiler compiles for the CPU itself, and not for SPIR-V. */
#if defined(__x86_64__) || defined(__aarch64__)
#define XL_IS_NATIVE 1
#else
#define XL_IS_NATIVE 0
#endif

/* What vectors are shuffled by is clang's, which every OpenCL compiler for CPUs seen so far
 * descends from. Where there are segments rusticl 22.3 (seen 2026-11) goes without: it loses
 * lanes where it makes 8 longs of 8 ints. */
#if defined(__has_builtin) && (XL_SEGMENTS == 0 || XL_IS_NATIVE)
#if __has_builtin(__builtin_shufflevector)
#define XL_HAS_SHUFFLE 1
#endif
#endif
#ifndef XL_HAS_SHUFFLE
#define XL_HAS_SHUFFLE 0
#endif
#define XL_BY_VECTORS                                                                              \
    (XL_E_LANES == 1 && XL_E_KIND < 3 && XL_OPERATOR != 0 && XL_OPERATOR < 8 && !XL_LOAD &&        \
     !XL_STORE && XL_HAS_SHUFFLE)

/* For 4-byte elements 64 bytes: one cache line, and the widest register of the CPUs
 * there are. */
#if XL_E_BYTES == 8 && XL_BY_VECTORS
#define XL_WIDE 8
#else
#define XL_WIDE 16
#endif
#define XL_WIDE_LOAD(p) XL_JOIN(vload, XL_WIDE)(0, (p))
#define XL_WIDE_STORE(x, p) XL_JOIN(vstore, XL_WIDE)((x), 0, (p))

/* x `by` elements up, with the last elements of `first` in front. As one shuffle it is one
 * instruction of AVX-512 (valignd); put together of parts of x it was five times as many. */
#if XL_WIDE == 16
#define XL_SHIFT_UP(first, x, by)                                                                  \
    __builtin_shufflevector((first), (x), 16 - by, 17 - by, 18 - by, 19 - by, 20 - by, 21 - by,    \
                            22 - by, 23 - by, 24 - by, 25 - by, 26 - by, 27 - by, 28 - by,         \
                            29 - by, 30 - by, 31 - by)
#else
#define XL_SHIFT_UP(first, x, by)                                                                  \
    __builtin_shufflevector((first), (x), 8 - by, 9 - by, 10 - by, 11 - by, 12 - by, 13 - by,      \
                            14 - by, 15 - by)
#endif

/* ---- heads --------------------------------------------------------------------- */

#if XL_SEGMENTS != 0 && XL_SEGMENTS != 4 && XL_HAS_SHUFFLE
/* A mark is as wide as an element, as select() wants them. */
#if !XL_BY_VECTORS || XL_E_BYTES == 4
#define XL_MARK int
#elif XL_E_BYTES == 8
#define XL_MARK long
#elif XL_E_BYTES == 2
#define XL_MARK short
#else
#define XL_MARK char
#endif
typedef XL_JOIN(XL_MARK, XL_WIDE) xl_marks;
#define XL_AS_MARKS(x) XL_JOIN(XL_JOIN(convert_, XL_MARK), XL_WIDE)(x)

/* -1 for each element from i on that begins a segment, 0 for others, of XL_WIDE that are there.
 * i is a multiple of XL_WIDE. */
xl_marks xl_wide_heads(const xl_input *input, ulong i)
{
#if XL_SEGMENTS == 1
    xl_marks marks = XL_AS_MARKS(XL_WIDE_LOAD(input->segments + i) != (uchar)0);
#elif XL_SEGMENTS == 3
    const XL_JOIN(XL_SEG, XL_WIDE) key = XL_WIDE_LOAD(input->segments + i);
    const XL_JOIN(XL_SEG, XL_WIDE) first = input->segments[i > 0 ? i - 1 : 0];
    xl_marks marks = XL_AS_MARKS(key != XL_SHIFT_UP(first, key, 1));
#else
    const uint16 place = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                          1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
#if XL_SEGMENTS == 2
    const uint bits = xl_heads(input, i, XL_WIDE);
#else
    const uint bits = xl_periodic_heads(input, i % input->width);
#endif
#if XL_WIDE == 16
    xl_marks marks = XL_AS_MARKS((place & bits) != 0u);
#else
    xl_marks marks = XL_AS_MARKS((place.lo & bits) != 0u);
#endif
#endif
    if (i == 0)
        marks.s0 = -1;
    return marks;
}
#endif

/* Where the last segment begins that begins in a tile: what stands before it is lost on the
 * tile's sum. If there is none *head is false and it is the tile's first element. */
ulong xl_last_head(const xl_input *input, ulong base, ulong end, bool *head)
{
    *head = false;
#if XL_SEGMENTS == 4
    const ulong after = xl_offset_search(input->segments, input->count, end);
    const ulong last = after > 0 ? input->segments[after - 1] : 0;
    *head = base == 0 || (last >= base && last < end);
    return last >= base && last < end ? last : base;
#elif XL_SEGMENTS != 0
    for (ulong at = end; at > base;) {
#if XL_HAS_SHUFFLE
        if (at % XL_WIDE == 0 && at - base >= XL_WIDE && !any(xl_wide_heads(input, at - XL_WIDE))) {
            at -= XL_WIDE;
            continue;
        }
#endif
        *head = xl_heads(input, --at, 1) & 1;
        if (*head)
            return at;
    }
#endif
    return base;
}

/* ---- reduction ----------------------------------------------------------------- */

#if XL_BY_VECTORS
typedef XL_JOIN(XL_E, XL_WIDE) xl_wide;

xl_wide xl_op_wide(xl_wide a, xl_wide b)
{
    return XL_OP(a, b);
}

/* A wide vector folded in element order: neighbours first. */
XL_E xl_wide_total(xl_wide x)
{
#if XL_WIDE == 16
    const XL_JOIN(XL_E, 8) a = XL_OP(x.even, x.odd);
#else
    const xl_wide a = x;
#endif
    const XL_JOIN(XL_E, 4) b = XL_OP(a.even, a.odd);
    const XL_JOIN(XL_E, 2) c = XL_OP(b.even, b.odd);
    return xl_op_e(c.s0, c.s1);
}

/* The elements from *at to before `end`, as far as they are whole vectors; *at moves on. Where
 * operands commute, four vectors of partial results hide the operator's latency. */
XL_E xl_wide_reduce(const __global XL_E *in, ulong *at, ulong end)
{
    XL_E total = XL_IDENTITY_E;
    ulong i = *at;
#if XL_E_COMMUTES
    xl_wide a = (xl_wide)(XL_IDENTITY_E), b = a, c = a, d = a;
    for (; i + 4 * XL_WIDE <= end; i += 4 * XL_WIDE) {
        a = xl_op_wide(a, XL_WIDE_LOAD(in + i));
        b = xl_op_wide(b, XL_WIDE_LOAD(in + i + XL_WIDE));
        c = xl_op_wide(c, XL_WIDE_LOAD(in + i + 2 * XL_WIDE));
        d = xl_op_wide(d, XL_WIDE_LOAD(in + i + 3 * XL_WIDE));
    }
    total = xl_wide_total(xl_op_wide(xl_op_wide(a, b), xl_op_wide(c, d)));
#endif
    for (; i + XL_WIDE <= end; i += XL_WIDE)
        total = xl_op_e(total, xl_wide_total(XL_WIDE_LOAD(in + i)));
    *at = i;
    return total;
}
#endif

/* `count` elements from `base` on reduced in a fixed order, from the last head on. */
XL_T xl_serial_reduce(const xl_input *input, ulong base, ulong count)
{
    const ulong end = base + count;
    XL_T total = XL_IDENTITY;
    bool head;
    ulong at = xl_last_head(input, base, end, &head);
    if (head && at < end) {
        total = xl_input_state(input, input->in[at], at, true);
        ++at;
    }
#if XL_BY_VECTORS
    const XL_E vectors = xl_wide_reduce((const __global XL_E *)input->in, &at, end);
    total = xl_op(total, xl_lift(vectors, false));
#endif
    XL_IN_ORDER
    for (; at < end; ++at)
        total = xl_op(total, xl_input_state(input, input->in[at], at, false));
    return total;
}

/* ---- scan ---------------------------------------------------------------------- */

/* Scans element i, which begins a segment or not, and gives `carry` moved on. */
XL_T xl_serial_step(const xl_input *input, __global XL_OUT *out, ulong i, bool head, XL_T carry)
{
    const XL_T x = xl_input_state(input, input->in[i], i, head), next = xl_op(carry, x);
    out[i] = xl_output(XL_VALUE(xl_result(input, carry, x, next)), i);
    return next;
}

#if XL_SEGMENTS == 4
/* By CSR offsets tiles go segment by segment, so that offsets are asked only where a segment that
 * has elements begins, and those of empty ones in between may be leapt over. Else as the one
 * below. */
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
XL_T xl_serial_scan_few(const xl_input *input, __global XL_OUT *out, ulong base, ulong end,
                        XL_T carry)
{
    for (; base < end; ++base)
        carry = xl_serial_step(input, out, base, xl_heads(input, base, 1) & 1, carry);
    return carry;
}

#if XL_BY_VECTORS
#define XL_WIDE_UP(x, by) XL_SHIFT_UP((xl_wide)(XL_IDENTITY_E), (x), by)
#if XL_WIDE == 16
#define XL_WIDE_LAST(x) (x).sf
#else
#define XL_WIDE_LAST(x) (x).s7
#endif

#if XL_SEGMENTS == 0
/* The results of the vector that begins with element i, scanned in steps of 1, 2, 4 (and 8)
 * elements. `before`: what stands before it, in each of its elements; it moves on. */
xl_wide xl_wide_scan(const xl_input *input, xl_wide mine, ulong i, xl_wide *before)
{
    xl_wide x = mine;
    x = xl_op_wide(XL_WIDE_UP(x, 1), x);
    x = xl_op_wide(XL_WIDE_UP(x, 2), x);
    x = xl_op_wide(XL_WIDE_UP(x, 4), x);
#if XL_WIDE == 16
    x = xl_op_wide(XL_WIDE_UP(x, 8), x);
#endif
    const xl_wide y = xl_op_wide(*before, XL_INCLUSIVE ? x : XL_WIDE_UP(x, 1));
    *before = xl_op_wide(*before, (xl_wide)(XL_WIDE_LAST(x)));
    return y;
}
#else
/* The same where each step ends at heads: `met` are the elements that one was met for. */
#define XL_WIDE_STEP(x, met, by)                                                                   \
    x = select(xl_op_wide(XL_WIDE_UP(x, by), x), x, met);                                          \
    met |= XL_SHIFT_UP((xl_marks)(0), met, by);
xl_wide xl_wide_scan(const xl_input *input, xl_wide mine, ulong i, xl_wide *before)
{
    const xl_marks heads = xl_wide_heads(input, i);
    xl_marks met = heads;
    xl_wide x = mine;
#if XL_HAS_INIT
    x = select(x, xl_op_wide((xl_wide)(input->init), x), heads);
#elif XL_E_KIND == 2 && (XL_OPERATOR == 3 || XL_OPERATOR == 4)
    x = select(x, xl_op_wide((xl_wide)(XL_IDENTITY_E), x), heads); /* see xl_input_state() */
#endif
    XL_WIDE_STEP(x, met, 1)
    XL_WIDE_STEP(x, met, 2)
    XL_WIDE_STEP(x, met, 4)
#if XL_WIDE == 16
    XL_WIDE_STEP(x, met, 8)
#endif
    const xl_wide y = select(xl_op_wide(*before, x), x, met);
    const xl_wide last = *before;
    *before = (xl_wide)(XL_WIDE_LAST(y));
#if XL_INCLUSIVE
    return y;
#else
    return select(XL_SHIFT_UP(last, y, 1), (xl_wide)(XL_SEED(input)), heads);
#endif
}
#endif
#endif

#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define XL_STREAM_STORE(x, p) __builtin_nontemporal_store((x), (__global xl_wide *)(p))
#endif
#endif
#ifndef XL_STREAM_STORE
#define XL_STREAM_STORE(x, p) XL_WIDE_STORE((x), (p))
#endif
/* OpenCL's prefetch() is nothing in PoCL 3.1, and clang's ends rusticl 22.3. */
#if XL_IS_NATIVE
#define XL_PREFETCH(p) __builtin_prefetch((const void *)(size_t)(p))
#else
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
    const __global XL_E *const in = (const __global XL_E *)input->in;
    __global XL_E *const to = (__global XL_E *)out;
    const ulong past = ((size_t)(to + base) % sizeof(xl_wide)) / sizeof(XL_E);
#if XL_SEGMENTS == 0
    /* Such stores need whole, aligned lines. To begin with the first of them moves the vectors,
     * and with them the order of operands, by where `out` lies. */
    stream = stream && (!XL_ORDERED || past == 0);
    const ulong few = stream && past > 0 ? min(count, XL_WIDE - past) : 0;
#else
    const ulong few = min(count, (XL_WIDE - base % XL_WIDE) % XL_WIDE);
    stream = stream && (past + few) % XL_WIDE == 0;
#endif
    carry = xl_serial_scan_few(input, out, base, base + few, carry);
    xl_wide before = (xl_wide)(XL_VALUE(carry));
    for (base += few; base + XL_WIDE <= end; base += XL_WIDE) {
        XL_PREFETCH(in + base + ahead);
#if XL_SEGMENTS == 1 || XL_SEGMENTS == 3
        XL_PREFETCH(input->segments + base + ahead);
#endif
        const xl_wide y = xl_wide_scan(input, XL_WIDE_LOAD(in + base), base, &before);
        if (stream)
            XL_STREAM_STORE(y, to + base);
        else
            XL_WIDE_STORE(y, to + base);
    }
    /* That a head was met nobody asks what stands before. */
    carry = xl_lift(before.s0, true);
#endif
    return xl_serial_scan_few(input, out, base, end, carry);
}
#endif

#endif

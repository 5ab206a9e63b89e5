/* SPDX-License-Identifier: MIT
 * A tile that one work-item walks, for devices whose work-items run one after another on a core: its
 * reduction and its scan. The reduction brings the tile into the cache, and the scan reads it from
 * there. Built-in scalars with a built-in operator are processed in wide vectors (XL_BY_VECTORS),
 * everything else element by element. xl_wide_reduce() and xl_wide_has_heads() leave all work to the
 * caller without vectors. */
#ifndef XL_TILE_SERIAL
#define XL_TILE_SERIAL

#include "tile_input.cl"

#define XL_TILE XL_ITEMS

/* ---- elements and heads of segments in wide vectors ---- */

/* Whether the target of the compiler is the CPU itself, not SPIR-V. */
#if defined(__x86_64__) || defined(__aarch64__)
#define XL_IS_NATIVE 1
#else
#define XL_IS_NATIVE 0
#endif

/* Shuffles of vectors use a builtin of clang, on which all OpenCL compilers for CPUs seen so far
 * are based. With segments rusticl 22.3 (seen 2026-11) does not use it: it loses lanes when it
 * converts 8 ints to 8 longs. */
#if defined(__has_builtin) && (XL_SEGMENTS == 0 || XL_IS_NATIVE)
#if __has_builtin(__builtin_shufflevector)
#define XL_HAS_SHUFFLE 1
#endif
#endif
#ifndef XL_HAS_SHUFFLE
#define XL_HAS_SHUFFLE 0
#endif
#define XL_BY_VECTORS (XL_BUILT_IN && XL_HAS_SHUFFLE)

/* 64 bytes for 4-byte elements: one cache line, and the widest register of today's CPUs. */
#if XL_E_BYTES == 8 && XL_BY_VECTORS
#define XL_WIDE 8
#else
#define XL_WIDE 16
#endif
enum { xl_wide_size = XL_WIDE };
#define XL_WIDE_LOAD(p) XL_JOIN(vload, XL_WIDE)(0, (p))

/* x shifted up by `by` elements, after the last elements of `first`. As one shuffle it is one
 * instruction of AVX-512 (valignd); composed of parts of x it was five times as many. */
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

/* OpenCL's prefetch() does nothing in PoCL 3.1, and clang's builtin crashes rusticl 22.3. */
void xl_prefetch(const __global void *p)
{
#if XL_IS_NATIVE
    __builtin_prefetch((const void *)(size_t)p);
#endif
}

#define XL_HAS_MARKS (XL_SEGMENTS != 0 && XL_SEGMENTS != 4 && XL_HAS_SHUFFLE)
#if XL_HAS_MARKS
/* A mark is as wide as an element, as select() requires. */
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

/* -1 for each of the XL_WIDE elements from i on that begins a segment, 0 for the others. All must
 * exist, and i must be a multiple of XL_WIDE. *some: whether any does; true if that takes a test of
 * each. */
xl_marks xl_wide_heads(const xl_input *input, ulong i, bool *some)
{
    *some = true;
#if XL_SEGMENTS == 1
    xl_marks marks = XL_AS_MARKS(XL_WIDE_LOAD(input->segments + i) != (uchar)0);
#elif XL_SEGMENTS == 3
    const XL_JOIN(XL_SEG, XL_WIDE) key = XL_WIDE_LOAD(input->segments + i);
    const XL_JOIN(XL_SEG, XL_WIDE) first = xl_key_before(input, i);
    xl_marks marks = XL_AS_MARKS(key != XL_SHIFT_UP(first, key, 1));
#else
    const uint16 place = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                          1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
#if XL_SEGMENTS == 2
    const uint bits = xl_heads(input, i, XL_WIDE);
#else
    const uint bits = xl_heads_word(input, i) & ((1u << XL_WIDE) - 1u);
#endif
    *some = bits != 0 || (i == 0 && xl_first_begins);
#if XL_WIDE == 16
    xl_marks marks = XL_AS_MARKS((place & bits) != 0u);
#else
    xl_marks marks = XL_AS_MARKS((place.lo & bits) != 0u);
#endif
#endif
    if (i == 0 && xl_first_begins)
        marks.s0 = -1;
    return marks;
}
#endif

/* Whether a segment begins in the XL_WIDE elements from i on; true if vectors cannot tell. */
bool xl_wide_has_heads(const xl_input *input, ulong i)
{
#if XL_HAS_MARKS
    bool some;
    const xl_marks heads = xl_wide_heads(input, i, &some);
    return XL_SEGMENTS == 1 || XL_SEGMENTS == 3 ? any(heads) != 0 : some;
#else
    return true;
#endif
}

#if XL_BY_VECTORS
typedef XL_JOIN(XL_E, XL_WIDE) xl_wide;

xl_wide xl_wide_load(const __global XL_E *from)
{
    return XL_WIDE_LOAD(from);
}

/* `stream`: writes past the cache; `to` must then be aligned to a vector. */
void xl_wide_store(xl_wide x, __global XL_E *to, bool stream)
{
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
    if (stream) {
        __builtin_nontemporal_store(x, (__global xl_wide *)to);
        return;
    }
#endif
#endif
    XL_JOIN(vstore, XL_WIDE)(x, 0, to);
}

xl_wide xl_op_wide(xl_wide a, xl_wide b)
{
    return XL_OP(a, b);
}

/* A wide vector folded in the order of elements: neighbours first. */
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

/* If the operator commutes, four vectors of partial results hide its latency. */
XL_E xl_wide_fold(const __global XL_E *in, ulong *at, ulong end)
{
    XL_E total = xl_identity_e();
    ulong i = *at;
#if XL_COMMUTES
    xl_wide a = (xl_wide)(xl_identity_e()), b = a, c = a, d = a;
    for (; i + 4 * XL_WIDE <= end; i += 4 * XL_WIDE) {
        a = xl_op_wide(a, xl_wide_load(in + i));
        b = xl_op_wide(b, xl_wide_load(in + i + XL_WIDE));
        c = xl_op_wide(c, xl_wide_load(in + i + 2 * XL_WIDE));
        d = xl_op_wide(d, xl_wide_load(in + i + 3 * XL_WIDE));
    }
    total = xl_wide_total(xl_op_wide(xl_op_wide(a, b), xl_op_wide(c, d)));
#endif
    for (; i + XL_WIDE <= end; i += XL_WIDE)
        total = xl_op_e(total, xl_wide_total(xl_wide_load(in + i)));
    *at = i;
    return total;
}

#define XL_WIDE_UP(x, by) XL_SHIFT_UP((xl_wide)(xl_identity_e()), (x), by)
#if XL_WIDE == 16
#define XL_WIDE_LAST(x) (x).sf
#else
#define XL_WIDE_LAST(x) (x).s7
#endif

#if XL_SEGMENTS == 0
/* The results of a vector, scanned in steps of 1, 2, 4 (and 8) elements. `before`: the carry, in
 * each component; it becomes the carry after the vector. */
xl_wide xl_wide_scan(const xl_input *input, xl_wide mine, xl_wide *before)
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
#elif XL_HAS_MARKS
/* The same with segments. An element has `met` a head if the head is its own, or is between the
 * element and the first one that it has combined so far; it then combines no more. If `heads` is a
 * constant 0, no instructions remain for it. Inlining is forced: as calls, with vectors in memory,
 * the two calls took 4 times as long in segments of 1000 (PoCL 3.1). */
#define XL_WIDE_STEP(x, met, by)                                                                   \
    x = select(xl_op_wide(XL_WIDE_UP(x, by), x), x, met);                                          \
    met |= XL_SHIFT_UP((xl_marks)(0), met, by);
__attribute__((always_inline)) xl_wide xl_wide_scan(const xl_input *input, xl_wide mine,
                                                    xl_marks heads, xl_wide *before)
{
    xl_marks met = heads;
    xl_wide x = mine;
#if XL_INIT > 0
    x = select(x, xl_op_wide((xl_wide)(xl_segment_init(input)), x), heads);
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
    return select(XL_SHIFT_UP(last, y, 1), (xl_wide)(xl_segment_init(input)), heads);
#endif
}
#endif
#endif

/* `total` op the elements from *at to end - 1 that form whole vectors; *at becomes the first
 * element after them. */
XL_T xl_wide_reduce(const xl_input *input, XL_T total, ulong *at, ulong end)
{
#if XL_BY_VECTORS
    const XL_E vectors = xl_wide_fold((const __global XL_E *)input->in, at, end);
    return xl_op(total, xl_accumulator_of(vectors, false));
#else
    return total;
#endif
}

/* ---- reduction ---- */

/* Where the last segment that begins in a tile begins: elements before it do not affect the tile's
 * sum. If no segment begins in the tile, *head is false, and this is the tile's first element. */
ulong xl_last_head(const xl_input *input, ulong base, ulong end, bool *head)
{
    *head = false;
#if XL_SEGMENTS != 0
    for (ulong at = end; at > base;) {
        if (at % xl_wide_size == 0 && at - base >= xl_wide_size &&
            !xl_wide_has_heads(input, at - xl_wide_size)) {
            at -= xl_wide_size;
            continue;
        }
        *head = xl_heads(input, --at, 1) & 1;
        if (*head)
            return at;
    }
#endif
    return base;
}

/* Reduces `count` elements from `base` on, in a fixed order, beginning with the last head. */
XL_T xl_serial_reduce(const xl_input *input, ulong base, ulong count)
{
    const ulong end = base + count;
    XL_T total = xl_identity();
    bool head;
    ulong at = xl_last_head(input, base, end, &head);
    if (head && at < end) {
        total = xl_input_accumulator(input, input->in[at], at, true);
        ++at;
    }
    total = xl_wide_reduce(input, total, &at, end);
    XL_IN_ORDER
    for (; at < end; ++at)
        total = xl_op(total, xl_input_accumulator(input, input->in[at], at, false));
    return total;
}

/* ---- scan ---- */

#if XL_TILE_FUNCTIONS > 1

/* Scans element i; `head`: it begins a segment. Returns the carry after it. */
XL_T xl_serial_step(const xl_input *input, __global XL_OUT *out, ulong i, bool head, XL_T carry)
{
    const XL_T x = xl_input_accumulator(input, input->in[i], i, head), next = xl_op(carry, x);
    out[i] = xl_result_store(input, xl_element_of(xl_result(input, carry, x, next)), i);
    return next;
}

XL_T xl_serial_scan_few(const xl_input *input, __global XL_OUT *out, ulong base, ulong end,
                        XL_T carry)
{
    for (; base < end; ++base)
        carry = xl_serial_step(input, out, base, xl_heads(input, base, 1) & 1, carry);
    return carry;
}

/* Scans `count` elements from `base` on, starting with `carry`; returns the carry after them.
 * `stream`: results will leave the cache before they are read, so vectors are written past it,
 * which avoids reading the lines that they overwrite. `ordered`: XL_ORDERED. `next_tile`: the
 * distance in elements to the tile that is reduced next; it is prefetched. Works in place. */
XL_T xl_serial_scan(const xl_input *input, __global XL_OUT *out, ulong base, ulong count,
                    XL_T carry, bool stream, const bool ordered, ulong next_tile)
{
    const ulong end = base + count;
#if XL_BY_VECTORS
    const __global XL_E *const in = (const __global XL_E *)input->in;
    __global XL_E *const to = (__global XL_E *)out;
    const ulong past = ((size_t)(to + base) % sizeof(xl_wide)) / sizeof(XL_E);
#if XL_SEGMENTS == 0
    /* Such stores need whole, aligned lines. If the vectors began at the first line of `out`, the
     * address of `out` would change the order of operands; an ordered scan must not do that. */
    stream = stream && (!ordered || past == 0);
    const ulong few = stream && past > 0 ? min(count, xl_wide_size - past) : 0;
#else
    const ulong few = min(count, (xl_wide_size - base % xl_wide_size) % xl_wide_size);
    stream = stream && (past + few) % xl_wide_size == 0;
#endif
    carry = xl_serial_scan_few(input, out, base, base + few, carry);
    xl_wide before = (xl_wide)(xl_element_of(carry));
    for (base += few; base + xl_wide_size <= end; base += xl_wide_size) {
        xl_prefetch(in + base + next_tile);
#if XL_SEGMENTS == 1 || XL_SEGMENTS == 3
        xl_prefetch(input->segments + base + next_tile);
#endif
        const xl_wide x = xl_wide_load(in + base);
#if XL_SEGMENTS == 0
        const xl_wide y = xl_wide_scan(input, x, &before);
#else
        bool some;
        const xl_marks heads = xl_wide_heads(input, base, &some);
        const xl_wide y = some ? xl_wide_scan(input, x, heads, &before)
                               : xl_wide_scan(input, x, (xl_marks)(0), &before);
#endif
        xl_wide_store(y, to + base, stream);
    }
    /* The head flag of a left operand has no effect. */
    carry = xl_accumulator_of(before.s0, true);
#endif
    return xl_serial_scan_few(input, out, base, end, carry);
}
#endif

#endif

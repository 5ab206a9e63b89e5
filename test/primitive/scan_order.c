/* SPDX-License-Identifier: MIT
 * See scan_order.h. */
#include "scan_order.h"

#include "xlt.h"

#include <stdlib.h>
#include <string.h>

/* ---- operands: a byte of flags, and an element behind it ----------------------------------- */

enum { HEAD = 1, SOME = 2, LANES = 32, LEVELS = 5, CHUNK = 256 };

typedef struct operands {
    const ref_flat *ref;
    size_t bytes; /* of an operand */
    unsigned char *x;
    const unsigned char *first; /* the start of a segment */
} operands;

static unsigned char *many(const operands *o, size_t n)
{
    unsigned char *const x = calloc(n + 1, o->bytes);
    XLT_TRUE(x);
    for (size_t i = 0; i < n && o->ref->identity; ++i)
        memcpy(x + i * o->bytes + 1, o->ref->identity, o->ref->bytes);
    return x;
}

static void join(const operands *o, unsigned char *to, const unsigned char *a,
                 const unsigned char *b)
{
    const bool whole = o->ref->identity, two = whole || ((a[0] & SOME) && (b[0] & SOME));
    const unsigned char flags = a[0] | b[0];
    if (two && !(b[0] & HEAD))
        ref_combine(o->ref, to + 1, a + 1, b + 1);
    else if (whole || (b[0] & SOME))
        memmove(to + 1, b + 1, o->ref->bytes);
    else
        memmove(to + 1, a + 1, o->ref->bytes);
    to[0] = flags;
}

/* to = to op x[0] op ... op x[count - 1] */
static void fold(const operands *o, unsigned char *to, const unsigned char *x, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        join(o, to, to, x + k * o->bytes);
}

static void take_all(operands *o, size_t n, size_t room, const void *in, const uint8_t *heads,
                     bool continues)
{
    const ref_flat *const ref = o->ref;
    o->x = many(o, room);
    for (size_t i = 0; i < n; ++i) {
        unsigned char *const x = o->x + i * o->bytes;
        const bool head = heads && (heads[i] || (i == 0 && !continues));
        x[0] = SOME | (head ? HEAD : 0);
        ref_take(ref, in, i, x + 1);
        if (head && ref->init)
            ref_combine(ref, x + 1, ref->init, x + 1);
    }
}

/* The result of an element. `before` precedes it, `front` precedes all that `before` has. */
static void give(const operands *o, bool segmented, const unsigned char *front,
                 const unsigned char *before, size_t i, unsigned char *next, void *out)
{
    const unsigned char *const x = o->x + i * o->bytes;
    unsigned char *const y = many(o, 2);
    join(o, next, before, x);
    memcpy(y, o->ref->inclusive ? next : before, o->bytes);
    if (!o->ref->inclusive && segmented && (x[0] & HEAD)) {
        y[0] = SOME | HEAD;
        memcpy(y + 1, o->first, o->ref->bytes);
    }
    join(o, y, front, y);
    ref_give(o->ref, y + 1, i, out);
    free(y);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* All vectors, folded. */
static unsigned char *vectors_of(const operands *o, const scan_order *r, size_t count)
{
    unsigned char *const q = many(o, count);
    for (size_t k = 0; k < count; ++k) {
        memcpy(q + k * o->bytes, o->x + k * r->vector * o->bytes, o->bytes);
        fold(o, q + k * o->bytes, o->x + (k * r->vector + 1) * o->bytes, r->vector - 1);
    }
    return q;
}

/* u of the sub-tile whose vectors are q. */
static void sub_tile(const operands *o, const scan_order *r, const unsigned char *q,
                     unsigned char *u)
{
    unsigned char *const lane = many(o, LANES);
    for (size_t l = 0; l < LANES; ++l)
        fold(o, lane + l * o->bytes, q + l * r->rows * o->bytes, r->rows);
    for (size_t by = 1; by < LANES; by *= 2)
        for (size_t l = 0; l < LANES; l += 2 * by)
            join(o, lane + l * o->bytes, lane + l * o->bytes, lane + (l + by) * o->bytes);
    memcpy(u, lane, o->bytes);
    free(lane);
}

/* S of tile x of a window whose tiles' totals are `sums`. */
static void window_before(const operands *o, const scan_order *r, const unsigned char *sums,
                          size_t x, unsigned char *s)
{
    const size_t each = r->window / r->size, leaf = x / each;
    unsigned char *const mine = many(o, 1);
    fold(o, mine, sums + leaf * each * o->bytes, x - leaf * each);
    for (size_t from = leaf, d = 0; d < LEVELS; ++d) {
        if (!(leaf >> d & 1))
            continue;
        const size_t nodes = (size_t)1 << d; /* the left sibling's leaves */
        unsigned char *const left = many(o, nodes);
        from -= nodes;
        for (size_t k = 0; k < nodes; ++k)
            fold(o, left + k * o->bytes, sums + (from + k) * each * o->bytes, each);
        for (size_t by = 1; by < nodes; by *= 2)
            for (size_t k = 0; k < nodes; k += 2 * by)
                join(o, left + k * o->bytes, left + k * o->bytes, left + (k + by) * o->bytes);
        join(o, mine, left, mine);
        free(left);
    }
    for (size_t k = 0; k < leaf / LANES; ++k) { /* whole trees of 32 leaves */
        unsigned char *const tree = many(o, LANES);
        for (size_t l = 0; l < LANES; ++l)
            fold(o, tree + l * o->bytes, sums + (k * LANES + l) * each * o->bytes, each);
        for (size_t by = 1; by < LANES; by *= 2)
            for (size_t l = 0; l < LANES; l += 2 * by)
                join(o, tree + l * o->bytes, tree + l * o->bytes, tree + (l + by) * o->bytes);
        join(o, s, s, tree);
        free(tree);
    }
    join(o, s, s, mine);
    free(mine);
}

/* A row of 32 vectors: the results of its elements; `carry` becomes that of the next row. */
static void row(const operands *o, const scan_order *r, bool segmented, const unsigned char *front,
                unsigned char *carry, const unsigned char *q, size_t at, size_t n, void *out)
{
    unsigned char *const scan = many(o, 2 * LANES + 2), *const next = scan + LANES * o->bytes,
                         *const sum = scan + 2 * LANES * o->bytes;
    memcpy(scan, q, LANES * o->bytes);
    for (size_t by = 1; by < LANES; by *= 2) {
        memcpy(next, scan, LANES * o->bytes);
        for (size_t l = by; l < LANES; ++l)
            join(o, scan + l * o->bytes, next + (l - by) * o->bytes, next + l * o->bytes);
    }
    for (size_t i = at; i < n && i < at + LANES * r->vector; ++i) {
        const size_t l = (i - at) / r->vector;
        if ((i - at) % r->vector == 0) {
            memcpy(sum, carry, o->bytes);
            fold(o, sum, scan + (l > 0 ? l - 1 : 0) * o->bytes, l > 0);
        }
        give(o, segmented, front, sum, i, next, out);
        memcpy(sum, next, o->bytes);
    }
    fold(o, carry, scan + (LANES - 1) * o->bytes, 1);
    free(scan);
}

static void by_tree(operands *o, const scan_order *r, size_t n, bool segmented,
                    unsigned char *start, void *out)
{
    const size_t b = o->bytes, sub = LANES * r->rows * r->vector, each = r->size / LANES,
                 tile = sub * each, tiles = (n + tile - 1) / tile,
                 lanes = tiles * each * LANES * r->rows;
    unsigned char *const q = vectors_of(o, r, lanes), *const u = many(o, tiles * each),
                         *const sums = many(o, tiles + r->window), *const prefix = many(o, 4),
                         *const s = prefix + b, *const front = s + b, *const carry = front + b;
    for (size_t k = 0; k < tiles * each; ++k)
        sub_tile(o, r, q + k * LANES * r->rows * b, u + k * b);
    for (size_t t = 0; t < tiles; ++t)
        fold(o, sums + t * b, u + t * each * b, each);
    unsigned char *const nothing = many(o, 1);
    for (size_t t = 0; t < tiles; ++t) {
        const size_t in_window = t % r->window;
        memcpy(s, nothing, b);
        window_before(o, r, sums + (t - in_window) * b, in_window, s);
        join(o, prefix, start, s);
        unsigned char *const before = many(o, 1);
        for (size_t k = 0; k < each; ++k) {
            join(o, front, prefix, before);
            memcpy(carry, nothing, b);
            for (size_t w = 0; w < r->rows; ++w)
                row(o, r, segmented, front, carry, q + ((t * each + k) * r->rows + w) * LANES * b,
                    (t * each + k) * sub + w * LANES * r->vector, n, out);
            fold(o, before, u + (t * each + k) * b, 1);
        }
        free(before);
        if (t + 1 == tiles || in_window + 1 == r->window)
            join(o, start, prefix, sums + t * b);
    }
    free(nothing);
    free(prefix);
    free(sums);
    free(u);
    free(q);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static void by_chunks(const operands *o, size_t n, bool segmented, unsigned char *start, void *out)
{
    unsigned char *const spine = many(o, 1), *const carry = many(o, 3),
                         *const next = carry + o->bytes, *const nothing = next + o->bytes;
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t end = n < at + CHUNK ? n : at + CHUNK;
        unsigned char *const total = many(o, 1);
        join(o, carry, start, spine);
        for (size_t i = at; i < end; ++i) {
            give(o, segmented, nothing, carry, i, next, out);
            memcpy(carry, next, o->bytes);
            fold(o, total, o->x + i * o->bytes, 1);
        }
        fold(o, spine, total, 1);
        free(total);
    }
    if (n > 0)
        memcpy(start, carry, o->bytes);
    free(carry);
    free(spine);
}

void scan_in_order(const ref_flat *ref, const scan_order *order, size_t n, const void *in,
                   const uint8_t *heads, bool continues, unsigned char *carry, void *out)
{
    const size_t tile = order->size * order->rows * order->vector;
    operands o = {
        .ref = ref, .bytes = ref->bytes + 1, .first = ref->init ? ref->init : ref->identity};
    unsigned char *const start = many(&o, 1);
    take_all(&o, n, n + tile + 1, in, heads, continues);
    if (continues || (!heads && o.first)) {
        start[0] = SOME;
        memcpy(start + 1, continues ? carry : o.first, ref->bytes);
    }
    if (order->size > 0)
        by_tree(&o, order, n, heads != NULL, start, out);
    else
        by_chunks(&o, n, heads != NULL, start, out);
    if (carry && n > 0)
        memcpy(carry, start + 1, ref->bytes);
    free(start);
    free(o.x);
}

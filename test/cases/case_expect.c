/* SPDX-License-Identifier: MIT
 * What scans and reductions of the case runner have to give. This is a second oracle
 * beside reference/, on purpose: it also says how far off a result may be, which the reference,
 * that takes the operands in one order, does not know. Sums and products of floating-point numbers
 * are made in long double, with the bound that holds for every order of the operands (Higham,
 * "Accuracy and stability of numerical algorithms", 2002, section 4.2): for k terms (k - 1) u / (1
 * - (k - 1) u) times the sum of their sizes. Where the data is whole numbers, results are exact and
 * so is the bound. */
#include "cases.h"

#include <math.h>
#include <string.h>

/* The total of a segment so far. */
typedef struct running {
    bool some;                        /* whether there is a value at all */
    uint64_t bits[4];                 /* integers, a lane each */
    long double x[4], size[4];        /* floating-point numbers, and what their error grows with */
    unsigned terms;                   /* operands of those */
    unsigned char user[ELEMENT_MOST]; /* user operators */
    uint64_t best;                    /* arg-min and arg-max: the index of x[0] or bits[0] */
} running;

/* ---- one operator, one lane -------------------------------------------------------------- */

static uint64_t integers(const element *e, xl_op op, uint64_t a, uint64_t b)
{
    const bool less = e->numbers == SIGNED ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case XL_SUM:
        return a + b;
    case XL_PROD:
        return a * b;
    case XL_MIN:
        return less ? a : b;
    case XL_MAX:
        return less ? b : a;
    case XL_AND:
        return a & b;
    case XL_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* -0 is less than +0 in a reduction whose zeros are not equal. */
static bool is_less(const fuzz_case *c, long double a, long double b)
{
    const bool orders_zeros = c->of[PRIMITIVE] == REDUCE && !c->of[EQUAL_ZEROS];
    return a < b || (orders_zeros && a == 0 && b == 0 && signbit(a) && !signbit(b));
}

static long double numbers(const fuzz_case *c, xl_op op, long double a, long double b)
{
    if (op == XL_SUM)
        return a + b;
    if (op == XL_PROD)
        return a * b;
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    if (op == XL_MIN)
        return is_less(c, b, a) ? b : a;
    return is_less(c, a, b) ? b : a;
}

/* ---- a segment --------------------------------------------------------------------------- */

static void take_lane(const fuzz_case *c, running *r, size_t lane, uint64_t bits, long double x)
{
    const element *e = element_of(c);
    const xl_op op = (xl_op)(XL_SUM + c->of[OP]);
    r->bits[lane] = r->some ? integers(e, op, r->bits[lane], bits) : bits;
    r->x[lane] = r->some ? numbers(c, op, r->x[lane], x) : x;
    r->size[lane] = (r->some ? r->size[lane] : 0) + fabsl(x);
}

/* The value that load makes of an element. */
static void take_mapped(const fuzz_case *c, running *r, const unsigned char *in, uint64_t i)
{
    const uint64_t x = (*in + i) % 5;
    take_lane(c, r, 0, x, (long double)x);
}

static void take_element(const fuzz_case *c, running *r, const unsigned char *x)
{
    const element *e = element_of(c);
    if (e->user_op) {
        if (r->some)
            e->op(r->user, r->user, x);
        else
            memcpy(r->user, x, e->bytes);
    }
    for (size_t lane = 0; lane < e->lanes && !e->user_op; ++lane) {
        const unsigned char *at = x + lane * e->lane_bytes;
        if (e->numbers == FLOATING)
            take_lane(c, r, lane, 0, lane_number(e, at));
        else
            take_lane(c, r, lane, lane_bits(e, at), 0);
    }
}

static void take(const fuzz_case *c, running *r, const void *in, uint64_t i)
{
    unsigned char converted[8];
    const unsigned char *x = (const unsigned char *)in + i * in_bytes_of(c);
    if (maps_load(c))
        take_mapped(c, r, x, i);
    else if (c->of[FROM]) {
        convert_element(c, converted, x);
        take_element(c, r, converted);
    } else
        take_element(c, r, x);
    r->some = true;
    ++r->terms;
}

/* From init, or else from what changes nothing. */
static void begin_segment(const fuzz_case *c, running *r)
{
    static const uint64_t nothing[] = {0, 1, UINT64_MAX, 0, UINT64_MAX, 0, 0};
    static const double start[] = {-0.0, 1.0, (double)INFINITY, -(double)INFINITY};
    const element *e = element_of(c);
    unsigned char init[ELEMENT_MOST] = {0};
    const uint64_t op = c->of[OP],
                   top = e->numbers == SIGNED ? (uint64_t)1 << (8 * e->lane_bytes - 1) : 0;
    *r = (running){.best = UINT64_MAX};
    if (case_init(c, init)) {
        take_element(c, r, init);
        r->some = true;
        r->terms = 1;
        return;
    }
    if (case_is_arg(c) || (e->user_op && !e->user_op->identity))
        return;
    r->some = true;
    if (e->user_op) {
        memcpy(r->user, e->user_op->identity, e->bytes);
        return;
    }
    for (size_t lane = 0; lane < e->lanes; ++lane) {
        r->bits[lane] = nothing[op];
        if (e->numbers == SIGNED && (op == 2 || op == 3))
            r->bits[lane] = op == 2 ? top - 1 : ~(top - 1);
        r->x[lane] = (long double)start[op & 3];
    }
}

/* The largest error of the device's sum or product of `terms` terms. */
static float slack_of(const fuzz_case *c, const running *r, size_t lane, bool doubled)
{
    const element *e = element_of(c);
    const long double unit = e->lane_bytes == 8   ? 0x1p-53L
                             : e->lane_bytes == 4 ? 0x1p-24L
                                                  : 0x1p-11L;
    if (e->numbers != FLOATING || c->of[DATA] != REAL || c->of[OP] > 1 || maps_load(c))
        return 0;
    const long double size = c->of[OP] == 0 ? r->size[lane] : fabsl(r->x[lane]);
    const long double k = (long double)r->terms * unit;
    /* Room for the rounding of a stored result, by the device and by us. */
    return (float)((k / (1 - k) + 2 * unit) * size * (doubled ? 2 : 1));
}

/* A sum of nothing is 0, not the -0 that changes no number. */
static void give(const fuzz_case *c, const running *r, uint64_t i, void *out, float *slack)
{
    const element *e = element_of(c);
    const bool nothing = r->terms == 0 && c->of[OP] == 0;
    const bool doubled = c->of[MAP] >= MAP_STORE && !(i & 1);
    unsigned char *to = (unsigned char *)out + i * out_bytes_of(c);
    for (size_t lane = 0; lane < e->lanes; ++lane) {
        unsigned char *at = to + lane * e->lane_bytes;
        const uint64_t bits = r->bits[lane] * (doubled ? 2 : 1);
        slack[i * e->lanes + lane] = slack_of(c, r, lane, doubled);
        if (e->user_op)
            memcpy(to, r->user, e->bytes);
        else if (e->numbers == FLOATING)
            lane_set_number(e, at, nothing ? 0 : r->x[lane] * (doubled ? 2 : 1));
        else
            memcpy(at, &bits, e->lane_bytes);
    }
}

/* Without init an exclusive sum starts from +0 in each segment: types.h. */
static void start_from_nothing(const fuzz_case *c, running *r)
{
    const element *e = element_of(c);
    for (size_t lane = 0; !e->user_op && c->of[OP] == 0 && lane < e->lanes; ++lane)
        r->x[lane] = 0;
}

void expect_scan(const fuzz_case *c, size_t n, const void *in, const uint8_t *heads, bool after,
                 void *out, float *slack)
{
    running r = {0};
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || heads[i])
            begin_segment(c, &r);
        if (c->of[KIND] == XL_EXCLUSIVE && r.terms == 0)
            start_from_nothing(c, &r);
        if (!after)
            give(c, &r, i, out, slack);
        take(c, &r, in, i);
        if (after)
            give(c, &r, i, out, slack);
    }
}

/* The index of the first least or greatest, NaN passed over. */
static void take_index(const fuzz_case *c, running *r, const void *in, uint64_t i)
{
    const element *e = element_of(c);
    const bool least = c->of[OP] == 7;
    running x = {0};
    take(c, &x, in, i);
    if (e->numbers == FLOATING && isnan(x.x[0]))
        return;
    bool better = r->best == UINT64_MAX;
    if (e->numbers == FLOATING)
        better = better || (least ? is_less(c, x.x[0], r->x[0]) : is_less(c, r->x[0], x.x[0]));
    else if (e->numbers == SIGNED)
        better = better || (least ? (int64_t)x.bits[0] < (int64_t)r->bits[0]
                                  : (int64_t)x.bits[0] > (int64_t)r->bits[0]);
    else
        better = better || (least ? x.bits[0] < r->bits[0] : x.bits[0] > r->bits[0]);
    if (!better)
        return;
    x.best = i;
    *r = x;
}

void expect_reduce(const fuzz_case *c, const void *in, const segmentation *s, void *out,
                   float *slack)
{
    for (size_t k = 0; k < s->count; ++k) {
        running r;
        begin_segment(c, &r);
        for (uint64_t i = s->begin[k]; i < s->begin[k + 1]; ++i)
            if (case_is_arg(c))
                take_index(c, &r, in, i);
            else
                take(c, &r, in, i);
        if (case_is_arg(c))
            ((uint64_t *)out)[k] = r.best;
        else if (r.some)
            give(c, &r, k, out, slack);
    }
}

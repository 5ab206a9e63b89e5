/* SPDX-License-Identifier: MIT
 * The self-test's data: elements, segments with the arrays that say where they begin, and
 * what makes two results the same. What has to come out of them is reference/'s business. */
#include "selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t selftest_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static bool is_float(xl_type type)
{
    return type == XL_F16 || type == XL_F32 || type == XL_F64;
}

static double real_of(xl_type type, const void *at)
{
    uint16_t half = 0;
    float single = 0;
    double wide = 0;
    if (type == XL_F16)
        return memcpy(&half, at, sizeof half), ref_half_value(half);
    if (type == XL_F32)
        return memcpy(&single, at, sizeof single), (double)single;
    return memcpy(&wide, at, sizeof wide), wide;
}

/* An element of `bits`, or where the type is one of floating-point numbers of `real`. */
static void put(xl_type type, uint64_t bits, double real, void *at)
{
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = is_float(type) ? ref_half_of(real) : (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;
    const float f32 = (float)real;
    const void *from = &bits;
    const size_t size = xl_type_size(type);
    if (size == 1)
        from = &u8;
    else if (size == 2)
        from = &u16;
    else if (size == 4)
        from = is_float(type) ? (const void *)&f32 : &u32;
    else if (is_float(type))
        from = &real;
    memcpy(at, from, size);
}

void selftest_whole(xl_type type, int value, void *out)
{
    put(type, (uint64_t)(int64_t)value, value, out);
}

static double random_float(xl_type type, xl_op op, uint64_t r, size_t i)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0};
    if (op == XL_SUM)
        return type == XL_F16 ? (double)(r >> 32 & 1) - (double)(r >> 33 & 1)
                              : (double)(r >> 32 & 7) - 3;
    if (op == XL_PROD)
        return (i % 1024 == 5 && type != XL_F16 ? 2 : 1) * (r >> 32 & 1 ? 1.0 : -1.0);
    if ((r & 15) == 0)
        return odd[(r >> 4) % TOOL_COUNT(odd)];
    return (double)(r >> 11) * 0x1p-53 * 2000 - 1000;
}

void selftest_fill(xl_type type, xl_op op, uint64_t seed, size_t n, void *out)
{
    uint64_t state = seed * 2 + 1;
    const size_t size = xl_type_size(type);
    for (size_t i = 0; i < n; ++i) {
        uint64_t bits = selftest_random(&state) >> (64 - 8 * size);
        double real = 0;
        if (is_float(type))
            real = random_float(type, op, selftest_random(&state), i);
        if (op == XL_PROD) /* else few products but 0 */
            bits |= 1;
        put(type, bits, real, (char *)out + i * size);
    }
}

void selftest_fill_rounding(size_t n, float *out)
{
    uint64_t state = 77;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t r = selftest_random(&state);
        out[i] = ldexpf((float)(int32_t)(r >> 40) - 0x1p23f, (int)(r & 31) - 30);
    }
}

uint64_t selftest_hash(size_t n, const float *x)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; ++i) {
        uint32_t bits;
        const float signless = x[i] == 0 ? 0 : x[i];
        memcpy(&bits, &signless, sizeof bits);
        for (unsigned k = 0; k < 32; k += 8)
            hash = (hash ^ (bits >> k & 255)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Whether a segment begins at element i: short and long ones by turns. */
static bool is_head(const cuts *c, size_t i, uint64_t r)
{
    if (c->form == XL_SEGMENTS_NONE || i == 0)
        return i == 0;
    if (c->form == XL_SEGMENTS_WIDTH)
        return i % c->width == 0;
    if (c->form == XL_SEGMENTS_MASK)
        return i % c->width == 0 || (c->mask >> i % c->width & 1);
    return r % (i % 8192 < 3000 ? 3 : 2500) == 0;
}

static void note_head(const cuts *c, size_t i, bool head, uint64_t r, int16_t *key)
{
    const bool marked = head && (i > 0 || r & 1); /* the first begins one without a mark, too */
    *key = (int16_t)(*key + (head ? 1 + (int)(r >> 20 & 63) : 0));
    if (c->form == XL_SEGMENTS_HEAD_FLAGS)
        ((uint8_t *)c->array)[i] = marked ? (uint8_t)(1 + (r >> 40 & 127)) : 0;
    if (c->form == XL_SEGMENTS_FLAG_BITMASK)
        ((uint32_t *)c->array)[i / 32] |= (uint32_t)marked << i % 32;
    if (c->form == XL_SEGMENTS_KEYS)
        ((int16_t *)c->array)[i] = *key;
}

/* Every segment that r says is preceded by one or two empty ones. */
static void add_segment(cuts *c, size_t i, uint64_t r)
{
    const bool empty = c->form == XL_SEGMENTS_OFFSETS && (r >> 50 & 3) == 0;
    for (size_t k = empty ? 1 + (r >> 52 & 1) : 0; k > 0; --k)
        c->at[c->count++] = i;
    c->at[c->count++] = i;
}

static bool store_offsets(cuts *c)
{
    uint32_t *offsets = malloc((c->count + 1) * sizeof *offsets);
    free(c->array);
    c->array = offsets;
    c->array_count = c->count + 1;
    c->array_bytes = c->array_count * sizeof *offsets;
    for (size_t s = 0; offsets && s <= c->count; ++s)
        offsets[s] = (uint32_t)c->at[s];
    return offsets != NULL;
}

bool cuts_make(xl_segments form, size_t n, cuts *c)
{
    uint64_t state = n + 29;
    int16_t key = -300;
    const size_t item = form == XL_SEGMENTS_HEAD_FLAGS ? 1 : form == XL_SEGMENTS_KEYS ? 2 : 4;
    *c = (cuts){.form = form, .type = XL_NONE};
    if (form == XL_SEGMENTS_WIDTH)
        c->width = 37;
    if (form == XL_SEGMENTS_MASK) {
        c->width = 24;
        c->mask = 0xff840420; /* bits past the width count for nothing */
    }
    if (form == XL_SEGMENTS_KEYS || form == XL_SEGMENTS_OFFSETS)
        c->type = form == XL_SEGMENTS_KEYS ? XL_I16 : XL_U32;
    if (form != XL_SEGMENTS_NONE && form < XL_SEGMENTS_WIDTH) {
        c->array_count = form == XL_SEGMENTS_FLAG_BITMASK ? (n + 31) / 32 : n;
        c->array_bytes = c->array_count * item;
        c->array = calloc(c->array_count + 1, item);
    }
    c->at = calloc(3 * n + 4, sizeof *c->at);
    c->heads = calloc(n + 1, 1);
    if (!c->at || !c->heads || (c->array_bytes && !c->array))
        return false;
    for (size_t i = 0; i < n; ++i) {
        const uint64_t r = selftest_random(&state);
        const bool head = is_head(c, i, r);
        note_head(c, i, head, r, &key);
        c->heads[i] = head;
        if (head)
            add_segment(c, i, r);
    }
    if (form == XL_SEGMENTS_OFFSETS || (form == XL_SEGMENTS_NONE && n == 0))
        c->at[c->count++] = n; /* an empty one in the end */
    c->at[c->count] = n;
    return form != XL_SEGMENTS_OFFSETS || store_offsets(c);
}

void cuts_free(cuts *c)
{
    free(c->array);
    free(c->at);
    free(c->heads);
    *c = (cuts){.form = XL_SEGMENTS_NONE};
}

static bool is_nan(xl_type type, const void *element)
{
    return is_float(type) && isnan(real_of(type, element));
}

bool selftest_same(xl_type type, const void *a, const void *b)
{
    return memcmp(a, b, xl_type_size(type)) == 0 || (is_nan(type, a) && is_nan(type, b));
}

static bool is_zero(xl_type type, const void *element)
{
    return is_float(type) && real_of(type, element) == 0;
}

bool selftest_same_sum(xl_type type, const void *a, const void *b)
{
    return selftest_same(type, a, b) || (is_zero(type, a) && is_zero(type, b));
}

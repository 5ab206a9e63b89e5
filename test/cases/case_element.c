/* SPDX-License-Identifier: MIT
 * Types and operators of the case runner, built-in ones and users', in plain C. */
#include "cases.h"

#include "reference.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- operators of users ------------------------------------------------------------------ */

#define OPERANDS(type)                                                                             \
    type a, b, r;                                                                                  \
    memcpy(&a, left, sizeof a);                                                                    \
    memcpy(&b, right, sizeof b);                                                                   \
    memset(&r, 0, sizeof r)

/* 3 bytes: x -> m x + k modulo 256, one after another, and how many. */
typedef struct affine {
    uint8_t m, k, count;
} affine;

static void affine_op(void *to, const void *left, const void *right)
{
    OPERANDS(affine);
    r.m = (uint8_t)(a.m * b.m);
    r.k = (uint8_t)(a.k * b.m + b.k);
    r.count = (uint8_t)(a.count + b.count);
    memcpy(to, &r, sizeof r);
}

static void affine_make(xlt_random *random, size_t i, void *to)
{
    const affine x = {(uint8_t)(xlt_next(random) | 1), (uint8_t)xlt_next(random), (uint8_t)i};
    memcpy(to, &x, sizeof x);
}

static const affine affine_identity = {1, 0, 0}, affine_init = {7, 99, 3};
static const xl_user_type affine_type = {"affine", 3, 1,
                                         "typedef struct affine { uchar m, k, count; } affine;"};
static const xl_user_op affine_user = {
    "then",
    "affine then(affine a, affine b)\n{\n    affine r;\n    r.m = a.m * b.m;\n"
    "    r.k = a.k * b.m + b.k;\n    r.count = a.count + b.count;\n    return r;\n}",
    &affine_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* 12 bytes, no identity: neighbours that must touch; otherwise the result is TORN and stays so. */
enum { WELL = 0x51de, TORN = 0xdead };
typedef struct stretch {
    uint32_t from, to, state;
} stretch;

static void stretch_op(void *to, const void *left, const void *right)
{
    OPERANDS(stretch);
    const bool touch = a.to == UINT32_MAX || a.to + 1 == b.from;
    r = (stretch){a.from, b.to, a.state == WELL && b.state == WELL && touch ? WELL : TORN};
    memcpy(to, &r, sizeof r);
}

static void stretch_make(xlt_random *random, size_t i, void *to)
{
    const stretch x = {(uint32_t)i, (uint32_t)i, WELL};
    (void)random;
    memcpy(to, &x, sizeof x);
}

static const stretch stretch_init = {UINT32_MAX, UINT32_MAX, WELL};
static const xl_user_type stretch_type = {
    "stretch", 12, 4, "typedef struct stretch { uint from, to, state; } stretch;"};
static const xl_user_op stretch_user = {
    "touch",
    "stretch touch(stretch a, stretch b)\n{\n    stretch r;\n    r.from = a.from;\n"
    "    r.to = b.to;\n"
    "    r.state = a.state == 0x51deu && b.state == 0x51deu &&\n"
    "              (a.to == 0xffffffffu || a.to + 1u == b.from) ? 0x51deu : 0xdeadu;\n"
    "    return r;\n}",
    NULL, XL_OP_STRICTLY_ASSOCIATIVE};

/* 24 bytes, no identity: the hash of a text, joined. */
typedef struct text {
    uint64_t hash, power;
    uint32_t length, state;
} text;

static void text_op(void *to, const void *left, const void *right)
{
    OPERANDS(text);
    r.hash = a.hash * b.power + b.hash;
    r.power = a.power * b.power;
    r.length = a.length + b.length;
    r.state = a.state == WELL && b.state == WELL ? WELL : TORN;
    memcpy(to, &r, sizeof r);
}

static void text_make(xlt_random *random, size_t i, void *to)
{
    const text x = {xlt_below(random, 255) + 1, 6364136223846793005u, 1, WELL};
    (void)i;
    memcpy(to, &x, sizeof x);
}

static const text text_init = {3, 6364136223846793005u, 1, WELL};
static const xl_user_type text_type = {
    "text", 24, 8, "typedef struct { ulong hash, power; uint length, state; } text;"};
static const xl_user_op text_user = {
    "append",
    "text append(text a, text b)\n{\n    text r;\n    r.hash = a.hash * b.power + b.hash;\n"
    "    r.power = a.power * b.power;\n    r.length = a.length + b.length;\n"
    "    r.state = a.state == 0x51deu && b.state == 0x51deu ? 0x51deu : 0xdeadu;\n"
    "    return r;\n}",
    NULL, XL_OP_STRICTLY_ASSOCIATIVE};

/* 8 bytes, the last 3 of which are nothing. */
typedef struct holed {
    uint16_t m, k;
    uint8_t marks;
    uint8_t nothing[3];
} holed;

static void holed_op(void *to, const void *left, const void *right)
{
    OPERANDS(holed);
    r.m = (uint16_t)((uint32_t)a.m * b.m);
    r.k = (uint16_t)((uint32_t)a.k * b.m + b.k);
    r.marks = a.marks ^ b.marks;
    memcpy(to, &r, sizeof r);
}

static void holed_make(xlt_random *random, size_t i, void *to)
{
    const holed x = {
        (uint16_t)(xlt_next(random) | 1), (uint16_t)i, (uint8_t)xlt_next(random), {1, 2, 3}};
    memcpy(to, &x, sizeof x);
}

static const holed holed_identity = {1, 0, 0, {0}}, holed_init = {9, 400, 0x81, {0}};
static const xl_user_type holed_type = {
    "holed", 8, 4,
    "typedef struct __attribute__((aligned(4))) holed { ushort m, k; uchar marks; } holed;"};
static const xl_user_op holed_user = {
    "holed_then",
    "holed holed_then(holed a, holed b)\n{\n    holed r;\n    r.m = a.m * b.m;\n"
    "    r.k = a.k * b.m + b.k;\n    r.marks = a.marks ^ b.marks;\n    return r;\n}",
    &holed_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* A built-in vector as a 2 x 2 matrix. */
static void matrix_op(void *to, const void *left, const void *right)
{
    uint32_t a[4], b[4], r[4];
    memcpy(a, left, sizeof a);
    memcpy(b, right, sizeof b);
    r[0] = a[0] * b[0] + a[1] * b[2];
    r[1] = a[0] * b[1] + a[1] * b[3];
    r[2] = a[2] * b[0] + a[3] * b[2];
    r[3] = a[2] * b[1] + a[3] * b[3];
    memcpy(to, r, sizeof r);
}

static void matrix_make(xlt_random *random, size_t i, void *to)
{
    const uint32_t m[4] = {(uint32_t)xlt_next(random) | 1, (uint32_t)xlt_next(random), (uint32_t)i,
                           1};
    memcpy(to, m, sizeof m);
}

static const uint32_t matrix_identity[4] = {1, 0, 0, 1}, matrix_init[4] = {2, 1, 7, 4};
static const xl_user_op matrix_user = {
    "matrix",
    "uint4 matrix(uint4 a, uint4 b)\n{\n"
    "    return (uint4)(a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w,\n"
    "                   a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w);\n}",
    matrix_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* The right one of two, of which nothing is relied upon. */
static void right_op(void *to, const void *left, const void *right)
{
    (void)left;
    memmove(to, right, 4);
}

static void word_make(xlt_random *random, size_t i, void *to)
{
    const uint32_t x = (uint32_t)xlt_next(random) ^ (uint32_t)i;
    memcpy(to, &x, sizeof x);
}

static const uint32_t right_init = 0x7357;
static const xl_user_op right_user = {"right_one", "uint right_one(uint a, uint b) { return b; }",
                                      NULL, 0};

/* A sum that may be taken in any order. */
static void plus_op(void *to, const void *left, const void *right)
{
    uint64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    a += b;
    memcpy(to, &a, sizeof a);
}

static void long_make(xlt_random *random, size_t i, void *to)
{
    const uint64_t x = xlt_next(random) + i;
    memcpy(to, &x, sizeof x);
}

static const int64_t plus_identity = 0, plus_init = -12345678901234;
static const xl_user_op plus_user = {"plus", "long plus(long a, long b) { return a + b; }",
                                     &plus_identity,
                                     XL_OP_COMMUTATIVE | XL_OP_STRICTLY_ASSOCIATIVE};

/* 36 bytes, no identity. As far as the library knows it rounds; the sums of these numbers do not. */
typedef struct drift {
    float sum[7];
    uint32_t from, to;
} drift;

static void drift_op(void *to, const void *left, const void *right)
{
    OPERANDS(drift);
    for (size_t k = 0; k < 7; ++k)
        r.sum[k] = a.sum[k] + b.sum[k];
    r.from = a.from;
    r.to = b.to;
    memcpy(to, &r, sizeof r);
}

static void drift_make(xlt_random *random, size_t i, void *to)
{
    drift x = {.from = (uint32_t)i, .to = (uint32_t)i};
    for (size_t k = 0; k < 7; ++k)
        x.sum[k] = (float)xlt_below(random, 15) - 7;
    memcpy(to, &x, sizeof x);
}

static const drift drift_init = {{1, -2, 3, -4, 5, -6, 7}, 77, 99};
static const xl_user_type drift_type = {
    "drift", 36, 4, "typedef struct drift { float sum[7]; uint from, to; } drift;"};
static const xl_user_op drift_user = {
    "move_on",
    "drift move_on(drift a, drift b)\n{\n    for (int k = 0; k < 7; ++k)\n"
    "        b.sum[k] += a.sum[k];\n    b.from = a.from;\n    return b;\n}",
    NULL, 0};

/* ---- the table, in the order of the names in case_line.c ---------------------------- */

#define SCALAR(type, numbers, bytes)                                                               \
    {                                                                                              \
        type, numbers, bytes, 1, bytes, NULL, NULL, NULL, NULL, bytes, NULL                        \
    }
#define VECTOR(type, numbers, bytes, lanes, lane_bytes)                                            \
    {                                                                                              \
        type, numbers, bytes, lanes, lane_bytes, NULL, NULL, NULL, NULL, (lanes) * (lane_bytes),   \
            NULL                                                                                   \
    }
#define USER(name, bytes, known, init)                                                             \
    {                                                                                              \
        XL_USER_TYPE, STRUCT, bytes, 1, bytes, &name##_type, &name##_user, name##_op, init, known, \
            name##_make                                                                            \
    }

static const element elements[NUM_TYPES] = {
    SCALAR(XL_U32, UNSIGNED, 4),
    SCALAR(XL_I32, SIGNED, 4),
    SCALAR(XL_U64, UNSIGNED, 8),
    SCALAR(XL_I64, SIGNED, 8),
    SCALAR(XL_F32, FLOATING, 4),
    SCALAR(XL_F64, FLOATING, 8),
    SCALAR(XL_U8, UNSIGNED, 1),
    SCALAR(XL_I8, SIGNED, 1),
    SCALAR(XL_U16, UNSIGNED, 2),
    SCALAR(XL_I16, SIGNED, 2),
    SCALAR(XL_F16, FLOATING, 2),
    VECTOR(XL_I8X3, SIGNED, 4, 3, 1),
    VECTOR(XL_I16X2, SIGNED, 4, 2, 2),
    VECTOR(XL_F32X4, FLOATING, 16, 4, 4),
    VECTOR(XL_U32X3, UNSIGNED, 16, 3, 4),
    VECTOR(XL_I64X2, SIGNED, 16, 2, 8),
    USER(affine, 3, 3, &affine_init),
    USER(stretch, 12, 12, &stretch_init),
    USER(text, 24, 24, &text_init),
    USER(holed, 8, offsetof(holed, nothing), &holed_init),
    {XL_U32X4, STRUCT, 16, 1, 16, NULL, &matrix_user, matrix_op, matrix_init, 16, matrix_make},
    {XL_U32, STRUCT, 4, 1, 4, NULL, &right_user, right_op, &right_init, 4, word_make},
    {XL_I64, STRUCT, 8, 1, 8, NULL, &plus_user, plus_op, &plus_init, 8, long_make},
    USER(drift, 36, 36, &drift_init),
};

/* Keys of a comparator: structures of words, of which one tells the order. */
enum { KEY_SIZES = 18 };
static const uint16_t key_sizes[KEY_SIZES] = {4,  8,   12,  16,  20,  24,  32,  48,  64,
                                              96, 100, 128, 160, 192, 256, 320, 400, 512};

static const element *structure_of(const fuzz_case *c)
{
    static element structures[KEY_SIZES];
    element *const e = &structures[c->of[KEY_BYTES]];
    const size_t bytes = key_sizes[c->of[KEY_BYTES]];
    *e = (element){.type = XL_USER_TYPE,
                   .numbers = STRUCT,
                   .bytes = bytes,
                   .lanes = 1,
                   .lane_bytes = bytes,
                   .known_bytes = bytes};
    return e;
}

const element *element_of(const fuzz_case *c)
{
    return c->of[COMPARE] == COMPARE_STRUCT ? structure_of(c) : &elements[c->of[TYPE]];
}

enum element_kind kind_of(const fuzz_case *c)
{
    const element *e = element_of(c);
    if (e->lanes > 1 || e->numbers == STRUCT)
        return OTHERS;
    return e->numbers == FLOATING ? FLOATS : INTEGERS;
}

const element *scalar_number(uint64_t k)
{
    return &elements[k];
}

const element *counter_of(const fuzz_case *c)
{
    static const uint8_t counters[] = {0, 2, 1, 3, 4, 5}; /* u32, u64, i32, i64, f32, f64 */
    return &elements[counters[c->of[COUNTER]]];
}

const element *weight_of(const fuzz_case *c)
{
    return c->of[WEIGHT] ? &elements[c->of[WEIGHT] - 1] : NULL;
}

xl_type segment_type_of(const fuzz_case *c)
{
    static const xl_type types[] = {XL_U32, XL_U64, XL_I32, XL_I64, XL_U8, XL_I8, XL_U16, XL_I16};
    const uint64_t kind = c->of[SEGMENTS];
    return kind == XL_SEGMENTS_KEYS || kind == XL_SEGMENTS_OFFSETS ? types[c->of[SEGMENT_TYPE]]
                                                                   : XL_NONE;
}

bool case_is_arg(const fuzz_case *c)
{
    return c->of[PRIMITIVE] == REDUCE && c->of[OP] >= 7;
}

bool maps_load(const fuzz_case *c)
{
    return c->of[MAP] == MAP_LOAD || c->of[MAP] == MAP_BOTH;
}

bool case_rounds(const fuzz_case *c)
{
    const element *e = element_of(c);
    if (e->user_op)
        return !(e->user_op->flags & XL_OP_STRICTLY_ASSOCIATIVE);
    return e->numbers == FLOATING && c->of[OP] < 2;
}

/* ---- numbers ----------------------------------------------------------------------------- */

long double lane_number(const element *e, const void *lane)
{
    float f;
    double d;
    uint16_t h;
    if (e->lane_bytes == 4)
        return memcpy(&f, lane, 4), (long double)f;
    if (e->lane_bytes == 8)
        return memcpy(&d, lane, 8), (long double)d;
    return memcpy(&h, lane, 2), (long double)ref_half_value(h);
}

void lane_set_number(const element *e, void *lane, long double x)
{
    const float f = (float)x;
    const double d = (double)x;
    if (e->lane_bytes == 4)
        memcpy(lane, &f, 4);
    else if (e->lane_bytes == 8)
        memcpy(lane, &d, 8);
    else
        memcpy(lane, &(uint16_t){ref_half_of(d)}, 2);
}

uint64_t lane_bits(const element *e, const void *lane)
{
    uint64_t x = 0;
    memcpy(&x, lane, e->lane_bytes); /* the least byte first, as on every host we know */
    const uint64_t top = (uint64_t)1 << (8 * e->lane_bytes - 1); /* of 8 bytes at most */
    return e->numbers == SIGNED && (x & top) ? x | ~(top * 2 - 1) : x;
}

bool case_init(const fuzz_case *c, void *to)
{
    static const int numbers[4] = {-5, 4, 3, -2};
    const element *e = element_of(c);
    if (c->of[INIT] == INIT_NONE)
        return false;
    memset(to, 0, e->bytes);
    if (e->user_op) {
        memcpy(to, e->init, e->bytes);
        return true;
    }
    for (size_t lane = 0; lane < e->lanes; ++lane) {
        char *at = (char *)to + lane * e->lane_bytes;
        const uint64_t bits = 0x8123456789abcd35u + lane;
        if (e->numbers == FLOATING)
            lane_set_number(e, at, c->of[OP] == 1 ? 2 : numbers[lane]);
        else
            memcpy(at, &bits, e->lane_bytes);
    }
    return true;
}

const element *source_of(const fuzz_case *c)
{
    return c->of[FROM] ? &elements[c->of[FROM] - 1] : NULL;
}

void convert_element(const fuzz_case *c, void *to, const void *from)
{
    const element *e = element_of(c), *source = source_of(c);
    const uint64_t bits = source->numbers == FLOATING ? 0 : lane_bits(source, from);
    if (e->numbers == FLOATING)
        lane_set_number(e, to, lane_number(source, from));
    else
        memcpy(to, &bits, e->bytes);
}

size_t in_bytes_of(const fuzz_case *c)
{
    if (c->of[FROM])
        return source_of(c)->bytes;
    return maps_load(c) ? 1 : element_of(c)->bytes;
}

size_t out_bytes_of(const fuzz_case *c)
{
    const bool maps = c->of[PRIMITIVE] == TRANSFORM && c->of[MOVE] == 0 && c->of[TEXT];
    return case_is_arg(c) || maps ? 8 : element_of(c)->bytes;
}

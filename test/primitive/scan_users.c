/* SPDX-License-Identifier: MIT
 * User types and operators, in OpenCL C and in C: structs of 3, 12, 24 and 40 bytes, one with
 * a hole at its end, vectors as matrices; operators that do not commute, that have no identity,
 * that tell when they are called on what is no element. */
#include "scan_users.h"

#include <stddef.h>
#include <string.h>

enum { MAGIC = 0x5eed, BROKEN = 0xbad };

#define READ(type)                                                                                 \
    type a, b, r;                                                                                  \
    memset(&r, 0, sizeof r);                                                                       \
    memcpy(&a, left, sizeof a);                                                                    \
    memcpy(&b, right, sizeof b)
#define GIVE() memcpy(to, &r, sizeof r)

/* ---- 3 bytes: t -> a t + b modulo 256, one after another, and a count ------------- */

typedef struct small_map {
    uint8_t a, b, c;
} small_map;

static void small_map_op(void *to, const void *left, const void *right)
{
    READ(small_map);
    r.a = (uint8_t)(a.a * b.a);
    r.b = (uint8_t)(a.b * b.a + b.b);
    r.c = (uint8_t)(a.c + b.c);
    GIVE();
}

static void small_map_fill(xlt_random *random, size_t i, void *to)
{
    small_map m = {(uint8_t)(xlt_next(random) | 1), (uint8_t)xlt_next(random), (uint8_t)i};
    memcpy(to, &m, sizeof m);
}

static const small_map small_map_identity = {1, 0, 0}, small_map_init = {5, 77, 3};
static const xl_user_type small_map_type = {
    "small_map", 3, 1, "typedef struct small_map { uchar a, b, c; } small_map;"};
static const xl_user_op small_map_operator = {
    "after",
    "small_map after(small_map x, small_map y)\n{\n"
    "    small_map r;\n    r.a = x.a * y.a;\n    r.b = x.b * y.a + y.b;\n    r.c = x.c + y.c;\n"
    "    return r;\n}",
    &small_map_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- 12 bytes, no identity: intervals that must meet ------------------------------- */

/* What every element says of itself: where it stands. Two that do not stand side by side,
 * or that are no elements at all, break what they are joined to for good. */
typedef struct span {
    uint32_t first, last, magic;
} span;

#define ANYWHERE 0xffffffffu

static void span_op(void *to, const void *left, const void *right)
{
    READ(span);
    r.first = a.first;
    r.last = b.last;
    r.magic = a.magic == MAGIC && b.magic == MAGIC && (a.last == ANYWHERE || a.last + 1 == b.first)
                  ? MAGIC
                  : BROKEN;
    GIVE();
}

static void span_fill(xlt_random *random, size_t i, void *to)
{
    const span s = {(uint32_t)i, (uint32_t)i, MAGIC};
    (void)random;
    memcpy(to, &s, sizeof s);
}

static const span span_init = {ANYWHERE, ANYWHERE, MAGIC};
static const xl_user_type span_type = {"span", 12, 4,
                                       "typedef struct span { uint first, last, magic; } span;"};
static const xl_user_op span_operator = {
    "join",
    "span join(span a, span b)\n{\n"
    "    span r;\n    r.first = a.first;\n    r.last = b.last;\n"
    "    r.magic = a.magic == 0x5eed && b.magic == 0x5eed &&\n"
    "              (a.last == ~0u || a.last + 1 == b.first) ? 0x5eed : 0xbad;\n"
    "    return r;\n}",
    NULL, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- 24 bytes, no identity: hashes of texts that are joined ------------------------- */

typedef struct text_hash {
    uint64_t hash, power;
    uint32_t length, magic;
} text_hash;

static void text_hash_op(void *to, const void *left, const void *right)
{
    READ(text_hash);
    r.hash = a.hash * b.power + b.hash;
    r.power = a.power * b.power;
    r.length = a.length + b.length;
    r.magic = a.magic == MAGIC && b.magic == MAGIC ? MAGIC : BROKEN;
    GIVE();
}

static void text_hash_fill(xlt_random *random, size_t i, void *to)
{
    const text_hash h = {xlt_below(random, 256) + 1, 1000003, 1, MAGIC};
    (void)i;
    memcpy(to, &h, sizeof h);
}

static const text_hash text_hash_init = {99, 1000003, 1, MAGIC};
static const xl_user_type text_hash_type = {
    "text_hash", 24, 8, "typedef struct { ulong hash, power; uint length, magic; } text_hash;"};
/* It changes its own parameters, as a function may. */
static const xl_user_op text_hash_operator = {
    "text_join",
    "text_hash text_join(text_hash a, text_hash b)\n{\n"
    "    a.hash = a.hash * b.power + b.hash;\n    a.power *= b.power;\n"
    "    a.length += b.length;\n"
    "    a.magic = a.magic == 0x5eed && b.magic == 0x5eed ? 0x5eed : 0xbad;\n"
    "    return a;\n}",
    NULL, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- 40 bytes: 2 x 2 matrices of u64 with a count ------------------------------------ */

typedef struct wide_matrix {
    uint64_t m[4];
    uint32_t count, magic;
} wide_matrix;

static void wide_matrix_op(void *to, const void *left, const void *right)
{
    READ(wide_matrix);
    for (int i = 0; i < 4; ++i)
        r.m[i] = a.m[i & 2] * b.m[i & 1] + a.m[(i & 2) + 1] * b.m[(i & 1) + 2];
    r.count = a.count + b.count;
    r.magic = a.magic == MAGIC && b.magic == MAGIC ? MAGIC : BROKEN;
    GIVE();
}

static void wide_matrix_fill(xlt_random *random, size_t i, void *to)
{
    wide_matrix w = {{xlt_next(random) | 1, xlt_next(random), i, 1}, 1, MAGIC};
    memcpy(to, &w, sizeof w);
}

static const wide_matrix wide_matrix_identity = {{1, 0, 0, 1}, 0, MAGIC};
static const wide_matrix wide_matrix_init = {{3, 1, 4, 1}, 5, MAGIC};
static const xl_user_type wide_matrix_type = {
    "wide_matrix", 40, 8,
    "typedef struct wide_matrix { ulong m[4]; uint count, magic; } wide_matrix;"};
static const xl_user_op wide_matrix_operator = {
    "times",
    "wide_matrix times(wide_matrix a, wide_matrix b)\n{\n    wide_matrix r;\n"
    "    r.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];\n"
    "    r.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];\n"
    "    r.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];\n"
    "    r.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];\n"
    "    r.count = a.count + b.count;\n"
    "    r.magic = a.magic == 0x5eed && b.magic == 0x5eed ? 0x5eed : 0xbad;\n"
    "    return r;\n}",
    &wide_matrix_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- 12 bytes, the last 3 of which are nothing: t -> a t + b modulo 65536 ------------- */

typedef struct holed {
    uint32_t count;
    uint16_t a, b;
    uint8_t marks;
} holed;

static void holed_op(void *to, const void *left, const void *right)
{
    READ(holed);
    r.count = a.count + b.count;
    r.a = (uint16_t)((uint32_t)a.a * b.a);
    r.b = (uint16_t)((uint32_t)a.b * b.a + b.b);
    r.marks = a.marks ^ b.marks;
    GIVE();
}

static void holed_fill(xlt_random *random, size_t i, void *to)
{
    const holed h = {(uint32_t)i, (uint16_t)(xlt_next(random) | 1), (uint16_t)xlt_next(random),
                     (uint8_t)xlt_next(random)};
    memcpy(to, &h, sizeof h);
}

static bool holed_same(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(holed, marks) + 1) == 0;
}

static const holed holed_identity = {0, 1, 0, 0}, holed_init = {9, 3, 500, 77};
static const xl_user_type holed_type = {
    "holed", 12, 4, "typedef struct holed { uint count; ushort a, b; uchar marks; } holed;"};
static const xl_user_op holed_operator = {
    "and_then",
    "holed and_then(holed x, holed y)\n{\n    holed r;\n    r.count = x.count + y.count;\n"
    "    r.a = x.a * y.a;\n    r.b = x.b * y.a + y.b;\n    r.marks = x.marks ^ y.marks;\n"
    "    return r;\n}",
    &holed_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- 6 bytes, the last of which is nothing: the same without the count ---------------- */

typedef struct short_holed {
    uint16_t a, b;
    uint8_t marks;
} short_holed;

static void short_holed_op(void *to, const void *left, const void *right)
{
    READ(short_holed);
    r.a = (uint16_t)((uint32_t)a.a * b.a);
    r.b = (uint16_t)((uint32_t)a.b * b.a + b.b);
    r.marks = a.marks ^ b.marks;
    GIVE();
}

static void short_holed_fill(xlt_random *random, size_t i, void *to)
{
    const short_holed h = {(uint16_t)(xlt_next(random) | 1), (uint16_t)i,
                           (uint8_t)xlt_next(random)};
    memcpy(to, &h, sizeof h);
}

static bool short_holed_same(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(short_holed, marks) + 1) == 0;
}

static const short_holed short_holed_identity = {1, 0, 0}, short_holed_init = {7, 40, 200};
static const xl_user_type short_holed_type = {
    "short_holed", 6, 2, "typedef struct short_holed { ushort a, b; uchar marks; } short_holed;"};
static const xl_user_op short_holed_operator = {
    "short_after",
    "short_holed short_after(short_holed x, short_holed y)\n{\n    short_holed r;\n"
    "    r.a = x.a * y.a;\n    r.b = x.b * y.a + y.b;\n    r.marks = x.marks ^ y.marks;\n"
    "    return r;\n}",
    &short_holed_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- 16 bytes, aligned to as many, the last 4 of which are nothing -------------------- */

typedef struct far_apart {
    uint32_t a, b, count, nothing;
} far_apart;

static void far_apart_op(void *to, const void *left, const void *right)
{
    READ(far_apart);
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    r.count = a.count + b.count;
    GIVE();
}

static void far_apart_fill(xlt_random *random, size_t i, void *to)
{
    const far_apart f = {(uint32_t)xlt_next(random) | 1, (uint32_t)xlt_next(random), (uint32_t)i,
                         MAGIC};
    memcpy(to, &f, sizeof f);
}

static bool far_apart_same(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(far_apart, nothing)) == 0;
}

static const far_apart far_apart_identity = {1, 0, 0, 0}, far_apart_init = {3, 14, 159, 0};
static const xl_user_type far_apart_type = {
    "far_apart", 16, 16,
    "typedef struct __attribute__((aligned(16))) far_apart { uint a, b, count; } far_apart;"};
static const xl_user_op far_apart_operator = {
    "far_after",
    "far_apart far_after(far_apart x, far_apart y)\n{\n    far_apart r;\n    r.a = x.a * y.a;\n"
    "    r.b = x.b * y.a + y.b;\n    r.count = x.count + y.count;\n    return r;\n}",
    &far_apart_identity, XL_OP_STRICTLY_ASSOCIATIVE};

/* ---- built-in types ------------------------------------------------------------------ */

static void matrix_op(void *to, const void *left, const void *right)
{
    uint32_t a[4], b[4], r[4];
    memcpy(a, left, sizeof a);
    memcpy(b, right, sizeof b);
    for (int i = 0; i < 4; ++i)
        r[i] = a[i & 2] * b[i & 1] + a[(i & 2) + 1] * b[(i & 1) + 2];
    GIVE();
}

static void matrix_fill(xlt_random *random, size_t i, void *to)
{
    uint32_t *m = to;
    (void)i;
    for (int k = 0; k < 4; ++k)
        m[k] = (uint32_t)xlt_next(random) | (k == 0);
}

static const uint32_t matrix_identity[4] = {1, 0, 0, 1}, matrix_init[4] = {1, 1, 1, 0};
static const xl_user_op matrix_operator = {
    "mat2",
    "uint4 mat2(uint4 a, uint4 b)\n{\n"
    "    return (uint4)(a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w,\n"
    "                   a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w);\n}",
    matrix_identity, XL_OP_STRICTLY_ASSOCIATIVE};

static void left_op(void *to, const void *left, const void *right)
{
    (void)right;
    memmove(to, left, 4);
}

static void right_op(void *to, const void *left, const void *right)
{
    (void)left;
    memmove(to, right, 4);
}

static const uint32_t some_u32 = 0x1234;
static const xl_user_op left_operator = {"left", "uint left(uint a, uint b) { return a; }", NULL,
                                         XL_OP_STRICTLY_ASSOCIATIVE};
static const xl_user_op right_operator = {"right", "uint right(uint a, uint b) { return b; }", NULL,
                                          0};

static const uint16_t zero_u16 = 0;
static const xl_user_op max_operator = {"max", NULL, &zero_u16,
                                        XL_OP_COMMUTATIVE | XL_OP_STRICTLY_ASSOCIATIVE};

/* A sum whose author says that it may be taken in any order. */
static const int64_t zero_i64 = 0;
static const xl_user_op plus_operator = {"plus", "long plus(long a, long b) { return a + b; }",
                                         &zero_i64, XL_OP_COMMUTATIVE};

/* ---- the table ------------------------------------------------------------------------ */

const user_case user_cases[NUM_USER_CASES] = {
    {"3 bytes", XL_USER_TYPE, &small_map_type, &small_map_operator, small_map_op, small_map_fill,
     &small_map_init, NULL},
    {"12 bytes, no identity", XL_USER_TYPE, &span_type, &span_operator, span_op, span_fill,
     &span_init, NULL},
    {"24 bytes, no identity", XL_USER_TYPE, &text_hash_type, &text_hash_operator, text_hash_op,
     text_hash_fill, &text_hash_init, NULL},
    {"40 bytes", XL_USER_TYPE, &wide_matrix_type, &wide_matrix_operator, wide_matrix_op,
     wide_matrix_fill, &wide_matrix_init, NULL},
    {"matrices", XL_U32X4, NULL, &matrix_operator, matrix_op, matrix_fill, matrix_init, NULL},
    {"the left one", XL_U32, NULL, &left_operator, left_op, NULL, &some_u32, NULL},
    {"the right one", XL_U32, NULL, &right_operator, right_op, NULL, &some_u32, NULL},
    {"a function of OpenCL C", XL_U16, NULL, &max_operator, NULL, NULL, NULL, NULL},
    {"any order", XL_I64, NULL, &plus_operator, NULL, NULL, NULL, NULL},
    {"12 bytes, 3 unused", XL_USER_TYPE, &holed_type, &holed_operator, holed_op, holed_fill,
     &holed_init, holed_same},
    {"6 bytes, 1 unused", XL_USER_TYPE, &short_holed_type, &short_holed_operator, short_holed_op,
     short_holed_fill, &short_holed_init, short_holed_same},
    {"16 bytes, 4 unused", XL_USER_TYPE, &far_apart_type, &far_apart_operator, far_apart_op,
     far_apart_fill, &far_apart_init, far_apart_same},
};

void user_case_make(job *j, const user_case *c, xl_scan_kind kind, bool with_init)
{
    const void *init = with_init ? c->init : NULL;
    const xl_op like = c->type == XL_I64 ? XL_SUM : XL_MAX;
    job_make(j, c->what, c->type, c->user_type ? XL_USER_OP : like, kind, init);
    j->desc.op = XL_USER_OP;
    j->desc.user_op = c->op;
    j->desc.user_type = c->user_type;
    j->fill = c->fill;
    j->same = c->same;
    if (!c->function)
        return;
    const size_t bytes = c->user_type ? c->user_type->size : xl_type_size(c->type);
    j->ref = (ref_flat){.lanes = 1,
                        .bytes = bytes,
                        .in_bytes = bytes,
                        .out_bytes = bytes,
                        .op = c->function,
                        .identity = c->op->identity,
                        .init = init,
                        .inclusive = kind == XL_INCLUSIVE};
    if (c->user_type)
        j->in_type = j->out_type = XL_NONE;
}

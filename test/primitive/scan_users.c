/* SPDX-License-Identifier: MIT
 * User types and operators, in OpenCL C and in C: structs of 3, 12 and 24 bytes, and vectors as
 * matrices; operators that do not commute, or have no identity. */
#include "scan_users.h"

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

/* Each element has its place. If two elements that are not adjacent are joined, or something that
 * is no element, the result is marked as broken, and so is every result made from it. */
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

/* ---- the table ------------------------------------------------------------------------ */

const user_case user_cases[NUM_USER_CASES] = {
    {"3 bytes", XL_USER_TYPE, &small_map_type, &small_map_operator, small_map_op, small_map_fill,
     &small_map_init},
    {"12 bytes, no identity", XL_USER_TYPE, &span_type, &span_operator, span_op, span_fill,
     &span_init},
    {"24 bytes, no identity", XL_USER_TYPE, &text_hash_type, &text_hash_operator, text_hash_op,
     text_hash_fill, &text_hash_init},
    {"matrices", XL_U32X4, NULL, &matrix_operator, matrix_op, matrix_fill, matrix_init},
};

void user_case_make(job *j, const user_case *c, xl_scan_kind kind, bool with_init)
{
    const void *init = with_init ? c->init : NULL;
    const size_t bytes = c->user_type ? c->user_type->size : xl_type_size(c->type);
    job_make(j, c->what, c->type, XL_USER_OP, kind, init);
    j->desc.user_op = c->op;
    j->desc.user_type = c->user_type;
    j->fill = c->fill;
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

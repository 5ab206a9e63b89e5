/* SPDX-License-Identifier: MIT
 * Descriptors and calls of scans and reductions that are refused: segments, carries, types and
 * operators of users, algorithms by name. misuse_test.c tries the errors that calls of every primitive have. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif

#include "reduce_support.h"
#include "xlt_misuse.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
static const xl_status bad = XL_ERROR_INVALID_ARGUMENT, overlap = XL_ERROR_OVERLAP;

/* ---- descriptors ----------------------------------------------------------------------------- */

/* The primitives that have the row. */
enum { SCANS = 1, REDUCTIONS = 2, BOTH = 3 };
typedef struct wrong_desc {
    int of;
    const char *said; /* part of the error's text */
    xl_scan_desc desc;
} wrong_desc;

static void create_refuses(const wrong_desc *row)
{
    xl_plan *plan;
    xl_context *const ctx = xlt_context();
    xl_scan_desc scan = row->desc;
    scan.version = XL_VERSION_NUMBER;
    const xl_reduce_desc reduce = reduce_desc_of(&scan);
    if (row->of & SCANS) {
        xlt_refused(ctx, xl_scan_create(ctx, &scan, &plan), bad, row->said);
        assert_null(plan);
    }
    if (row->of & REDUCTIONS) {
        xlt_refused(ctx, xl_reduce_create(ctx, &reduce, &plan), bad, row->said);
        assert_null(plan);
    }
}

XLT_TEST(wrong_descriptors)
{
#define DESC(...)                                                                                  \
    {                                                                                              \
        .type = XL_U32, .op = XL_SUM, __VA_ARGS__                                                  \
    }
    const uint32_t one = 1;
    const xl_user_type type = {"uint", 4, 4, ""};
    const xl_user_op op = {"max", NULL, NULL, 0};
    const wrong_desc rows[] = {
        {BOTH, "type: ", {.type = XL_NONE}},
        {BOTH, "desc.op: 0", {.type = XL_U32}},
        {BOTH, "desc.op: xor", {.type = XL_F32, .op = XL_XOR}},
        {BOTH, "99", {.type = (xl_type)99, .op = XL_SUM}},
        {BOTH, "type: ", {.type = (xl_type)0x501, .op = XL_SUM}},
        {SCANS, "desc.op: arg-min", {.type = XL_U32, .op = XL_ARG_MIN}},
        {REDUCTIONS, "op: arg-min", {.type = XL_U32X2, .op = XL_ARG_MIN}},
        {BOTH, "desc.op: 10", {.type = XL_U32, .op = (xl_op)10}},
        {BOTH, "user_type", {.type = XL_USER_TYPE, .op = XL_SUM}},
        {BOTH, "desc.user_op", {.type = XL_U32, .op = XL_USER_OP}},
        {SCANS, "desc.kind: 2", DESC(.kind = (xl_scan_kind)2)},
        {SCANS, "desc.algorithm: 5", DESC(.algorithm = (xl_scan_algorithm)5)},
        {BOTH, "desc.determinism: 3", DESC(.determinism = (xl_determinism)3)},
        {BOTH, "load_type", DESC(.load = "x", .load_type = (xl_type)77)},
        {BOTH, "load_type", DESC(.load = "x", .load_type = XL_USER_TYPE)},
        {BOTH, "desc.load_type: uchar2; requires desc.load, ", DESC(.load_type = XL_U8X2)},
        {BOTH, "desc.store_type: uchar2; requires desc.store, ", DESC(.store_type = XL_U8X2)},
        {SCANS, "desc.carry: 3; must be 0, 1 or 2", DESC(.carry = 3)},
        {SCANS, "desc.store: given", DESC(.carry = 2, .store = "x")},
        {SCANS, "desc.store_type: given", DESC(.carry = 2, .store_type = XL_U64)},
        {SCANS, "desc.algorithm: XL_SCAN_LOOKBACK; must be another one if desc.carry is 2",
         DESC(.carry = 2, .algorithm = XL_SCAN_LOOKBACK)},
        {BOTH, "desc.user_type: given", DESC(.user_type = &type)},
        {BOTH, "desc.user_op: given", DESC(.user_op = &op)},
        {BOTH, "desc.user_load_type: given", DESC(.load = "x", .user_load_type = &type)},
        {BOTH, "desc.user_store_type: given",
         DESC(.store = "x", .store_type = XL_U8, .user_store_type = &type)},
        {BOTH, "desc.segments: 7", DESC(.segments = (xl_segments)7)},
        {BOTH, "desc.segment_type: ", DESC(.segments = XL_SEGMENTS_KEYS)},
        {BOTH, "desc.segment_type: f32",
         DESC(.segments = XL_SEGMENTS_KEYS, .segment_type = XL_F32)},
        {BOTH, "desc.segment_type: u32x2",
         DESC(.segments = XL_SEGMENTS_KEYS, .segment_type = XL_U32X2)},
        {BOTH, "desc.segment_type: i32",
         DESC(.segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_I32)},
        {BOTH, "desc.segment_type: u16",
         DESC(.segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_U16)},
        {BOTH, "desc.segment_type: given", DESC(.segment_type = XL_U32)},
        {BOTH, "desc.segment_type: given",
         DESC(.segments = XL_SEGMENTS_HEAD_FLAGS, .segment_type = XL_U32)},
        {BOTH, "desc.segment_type: given",
         DESC(.segments = XL_SEGMENTS_WIDTH, .segment_width = 4, .segment_type = XL_U32)},
        {BOTH, "desc.segment_width: 0", DESC(.segments = XL_SEGMENTS_WIDTH)},
        {BOTH, "desc.segment_width: 0", DESC(.segments = XL_SEGMENTS_MASK)},
        {BOTH, "desc.segment_width: 65", DESC(.segments = XL_SEGMENTS_MASK, .segment_width = 65)},
        {BOTH, "desc.segment_width: given", DESC(.segment_width = 4)},
        {BOTH, "desc.segment_width: given",
         DESC(.segments = XL_SEGMENTS_OFFSETS, .segment_type = XL_U32, .segment_width = 4)},
        {BOTH, "desc.segment_mask: given",
         DESC(.segments = XL_SEGMENTS_WIDTH, .segment_width = 4, .segment_mask = 1)},
        {SCANS,
         "desc.init: ", DESC(.init = &one, .init_view = {.buffer = (cl_mem)(uintptr_t)&one})},
        {REDUCTIONS, "init: ", {.type = XL_U32, .op = XL_ARG_MIN, .init = &one}},
        {REDUCTIONS, "store_type: ", {.type = XL_U32, .op = XL_ARG_MIN, .store_type = XL_U32}},
        {REDUCTIONS, "store: ", {.type = XL_U32, .op = XL_ARG_MIN, .store = "x"}},
        {BOTH, "desc.op: and", {.type = XL_F64X2, .op = XL_AND}}, /* last: not without doubles */
    };
    xl_plan *plan;
    xl_scan_desc desc;
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    for (size_t k = 0; k < COUNT(rows) - !info.has_fp64; ++k)
        create_refuses(&rows[k]);
    xl_scan_desc_init(NULL);
    xl_reduce_desc_init(NULL);
    xl_scan_desc_init(&desc);
    desc.type = XL_F64;
    if (!info.has_fp64)
        xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &desc, &plan),
                    XL_ERROR_UNSUPPORTED, "cl_khr_fp64");
}

/* ---- calls ----------------------------------------------------------------------------------- */

enum { N = 100 };
static xlt_buffer a, b, s, c; /* inputs, results, segments, more results */
static xl_scan_args scan_args;
static xl_reduce_args reduce_args;

static int make_arrays(void **state)
{
    (void)state;
    xlt_buffer *const all[] = {&a, &b, &s, &c};
    for (size_t k = 0; k < COUNT(all); ++k)
        *all[k] = xlt_buffer_make(NULL, N + 1, 4, 0);
    scan_args = (xl_scan_args){.n = N, .in = xlt_view(&a), .out = xlt_view(&b)};
    reduce_args = (xl_reduce_args){.n = N, .in = xlt_view(&a), .out = xlt_view(&b)};
    return 0;
}

static int free_arrays(void **state)
{
    (void)state;
    xlt_buffer *const all[] = {&a, &b, &s, &c};
    for (size_t k = 0; k < COUNT(all); ++k) {
        xlt_check_guards(all[k], "an array");
        xlt_buffer_free(all[k]);
    }
    return 0;
}

/* The call whose right arguments *x the last lines make wrong. */
#define EXPECT(what, plan, status, said, ...)                                                      \
    {                                                                                              \
        xl_##what##_args args = what##_args, *const x = &args;                                     \
        __VA_ARGS__;                                                                               \
        (void)x;                                                                                   \
        const xl_status got = xl_##what##_enqueue(plan, xlt_queue(), x, 0, NULL, NULL);            \
        if ((status) == XL_SUCCESS)                                                                \
            XLT_OK(got);                                                                           \
        else                                                                                       \
            xlt_refused(xlt_context(), got, status, said);                                         \
    }

static xl_plan *scan_by(xl_segments kind, xl_type type, uint32_t carry)
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.segments = kind;
    desc.segment_type = type;
    desc.carry = carry;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    return plan;
}

XLT_TEST_AROUND(segments_of_scans, make_arrays, free_arrays)
{
    static const xl_segments kinds[] = {XL_SEGMENTS_HEAD_FLAGS, XL_SEGMENTS_FLAG_BITMASK,
                                        XL_SEGMENTS_KEYS, XL_SEGMENTS_OFFSETS};
    for (size_t k = 0; k < COUNT(kinds); ++k) {
        const bool offsets = kinds[k] == XL_SEGMENTS_OFFSETS;
        xl_plan *plan = scan_by(kinds[k], k < 2 ? XL_NONE : XL_U32, 0);
        EXPECT(scan, plan, bad, "segments: ", (void)0)
        EXPECT(scan, plan, bad,
               "segments: ", x->segments = xl_view_n(s.mem, 10000, offsets ? 5 : 0))
        EXPECT(scan, plan, overlap, "segments",
               x->segments = xl_view_n(b.mem, k == 0 ? 512 : 128, offsets ? 5 : 0))
        EXPECT(scan, plan, bad, offsets ? "args.segments: a count of 0" : "view.count is 1",
               x->segments = offsets ? xlt_view(&s) : xl_view_n(s.mem, 128, 1))
        xl_plan_destroy(plan);
    }
    xl_plan *plain = scan_by(XL_SEGMENTS_NONE, XL_NONE, 0);
    EXPECT(scan, plain, bad, "args.segments: given", x->segments = x->in)
    EXPECT(scan, plain, bad, "the buffer holds", x->n = SIZE_MAX)
    xl_plan_destroy(plain);
}

XLT_TEST_AROUND(carries, make_arrays, free_arrays)
{
    xl_plan *plain = scan_by(XL_SEGMENTS_NONE, XL_NONE, 0),
            *keys = scan_by(XL_SEGMENTS_KEYS, XL_U32, 1);
    const xl_view one = xlt_view(&c);
    EXPECT(scan, plain, bad, "args.carry_in: given; must not be given, because desc.carry is 0",
           x->carry_in = one)
    EXPECT(scan, plain, bad, "args.carry_out: given", x->carry_out = one)
    EXPECT(scan, plain, bad, "args.head_out: given; must not be given, because desc.carry is not 2",
           x->head_out = one)
    EXPECT(scan, plain, bad, "args.first_index: 1; must be 0", x->first_index = 1)
    EXPECT(scan, keys, bad, "offset of 1", x->segments = xl_view_of(s.mem, 0); x->carry_in = one)
    scan_args.segments = xlt_view(&s);
    EXPECT(scan, keys, bad, "carry_out: ", x->carry_out = xl_view_of(c.mem, 1000))
    EXPECT(scan, keys, overlap, "carry_in", x->carry_in = x->carry_out = one)
    EXPECT(scan, keys, overlap, "carry_in", x->carry_in = x->out)
    EXPECT(scan, keys, overlap, "carry_out", x->carry_out = x->in)
    EXPECT(scan, keys, overlap, "carry_out", x->carry_out = x->segments)
    EXPECT(scan, keys, XL_SUCCESS, "", x->segments.offset += 1; x->carry_in = x->carry_out = one;
           x->carry_out.offset += 1)
    XLT_CL(clFinish(xlt_queue()));
    xl_plan_destroy(plain);
    xl_plan_destroy(keys);
}

XLT_TEST_AROUND(carries_alone, make_arrays, free_arrays)
{
    xl_plan *keys = scan_by(XL_SEGMENTS_KEYS, XL_U32, 2);
    const xl_view one = xlt_view(&c);
    scan_args.segments = xlt_view(&s);
    EXPECT(scan, keys, bad, "args.out: given; must not be given, because desc.carry is 2",
           x->carry_out = one)
    scan_args.out = xl_no_view();
    EXPECT(scan, keys, bad, "args.carry_out: ", x->head_out = one)
    EXPECT(scan, keys, bad, "args.carry_out: ", x->n = 0)
    EXPECT(scan, keys, bad, "args.head_out: ", x->carry_out = one;
           x->head_out = xl_view_of(c.mem, 1000))
    EXPECT(scan, keys, overlap, "head_out", x->carry_out = x->head_out = one)
    EXPECT(scan, keys, overlap, "head_out", x->carry_out = one; x->head_out = x->segments)
    EXPECT(scan, keys, overlap, "carry_out", x->carry_out = x->in)
    EXPECT(scan, keys, bad, "offset of 1", x->segments = xl_view_of(s.mem, 0);
           x->carry_in = xlt_view(&b); x->carry_out = one)
    EXPECT(scan, keys, XL_SUCCESS, "", x->carry_out = one)
    EXPECT(scan, keys, XL_SUCCESS, "", x->carry_out = one; x->head_out = xlt_view(&b))
    XLT_CL(clFinish(xlt_queue()));
    xl_plan_destroy(keys);
}

static xl_plan *reduce_by(xl_segments kind)
{
    xl_plan *plan;
    xl_reduce_desc desc;
    xl_reduce_desc_init(&desc);
    desc.segments = kind;
    desc.segment_type = kind ? XL_U32 : XL_NONE;
    XLT_OK(xl_reduce_create(xlt_context(), &desc, &plan));
    return plan;
}

XLT_TEST_AROUND(reductions, make_arrays, free_arrays)
{
    xl_plan *by_key = reduce_by(XL_SEGMENTS_KEYS), *by_offsets = reduce_by(XL_SEGMENTS_OFFSETS),
            *whole = reduce_by(XL_SEGMENTS_NONE);
    const xl_view keys = xlt_view(&s), names = xlt_view(&c);
    EXPECT(reduce, whole, bad, "segments: ", x->segments = keys)
    EXPECT(reduce, whole, bad, "keys_out: ", x->keys_out = names)
    EXPECT(reduce, whole, bad, "num_segments_out: ", x->num_segments_out = names)
    EXPECT(reduce, by_offsets, bad, "args.segments: a count of 0", x->segments = keys)
    reduce_args.segments = xl_view_n(s.mem, keys.offset, 5);
    EXPECT(reduce, by_offsets, bad, "keys_out: given", x->keys_out = names)
    EXPECT(reduce, by_offsets, bad, "num_segments_out: given", x->num_segments_out = names)
    EXPECT(reduce, by_offsets, bad, "out: 4 elements", x->out.count = 3)
    EXPECT(reduce, by_offsets, overlap, "args.in and args.out overlap", x->out = x->in)
    reduce_args.segments = keys;
    reduce_args.keys_out = names;
    EXPECT(reduce, by_key, bad, "in: ", x->in = xl_no_view())
    EXPECT(reduce, by_key, bad, "segments: ", x->segments = xl_no_view())
    EXPECT(reduce, by_key, bad, "out: ", x->out = xl_no_view())
    EXPECT(reduce, by_key, bad, "keys_out: ", x->keys_out.offset = 1000)
    EXPECT(reduce, by_key, overlap, "args.in and args.out overlap", x->out = x->in)
    EXPECT(reduce, by_key, overlap, "overlap", x->out = keys)
    EXPECT(reduce, by_key, overlap, "overlap", x->keys_out = x->out)
    EXPECT(reduce, by_key, overlap, "overlap", x->keys_out = x->in)
    EXPECT(reduce, by_key, overlap, "overlap", x->num_segments_out = xl_view_of(b.mem, 66))
    EXPECT(reduce, by_key, overlap, "overlap", x->num_segments_out = xl_view_of(a.mem, 66))
    xlt_check_unwritten(&b, "out");
    EXPECT(reduce, by_key, XL_SUCCESS, "", (void)0)
    /* The keys may be the input; the outputs of keys and counts are optional. */
    EXPECT(reduce, by_key, XL_SUCCESS, "", x->in = keys; x->keys_out = xl_no_view())
    XLT_CL(clFinish(xlt_queue()));
    xl_plan_destroy(by_key);
    xl_plan_destroy(by_offsets);
    xl_plan_destroy(whole);
}

/* Elements of different size may not share a buffer's bytes, though they start together. */
XLT_TEST_AROUND(in_place_needs_one_size, make_arrays, free_arrays)
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.load = "x";
    desc.load_type = XL_U64;
    XLT_OK(xl_scan_create(xlt_context(), &desc, &plan));
    EXPECT(scan, plan, overlap, "args.in and args.out overlap", x->n = 40;
           x->in = xl_view_of(a.mem, 64); x->out = xl_view_of(a.mem, 128))
    xl_plan_destroy(plan);
}

/* Groups read init_view when they start, while others write results already. */
XLT_TEST(init_view_stands_apart)
{
    enum { MANY = 5000 };
    xl_context *ctx = open_context(small_tiles, NULL); /* several tiles, so that scratch is used */
    xlt_buffer in = xlt_buffer_make(NULL, MANY, 4, 0), out = xlt_buffer_make(NULL, MANY, 4, 0),
               scratch = xlt_scratch_make((size_t)1 << 18);
    uint32_t got[MANY];
    for (size_t k = 0; k < 4; ++k) {
        xl_plan *plan;
        xl_scan_desc desc;
        xl_scan_args args = {.n = MANY, .in = xlt_view(&in), .out = xlt_view(&out)};
        xl_scan_desc_init(&desc);
        desc.algorithm = k / 2 ? XL_SCAN_REDUCE_THEN_SCAN : XL_SCAN_AUTO;
        desc.segments = k / 2 ? XL_SEGMENTS_WIDTH : XL_SEGMENTS_NONE;
        desc.segment_width = k / 2 ? 100 : 0;
        desc.init_view = k % 2 ? xl_view_of(scratch.mem, xlt_view(&scratch).offset / 4)
                               : xl_view_of(in.mem, args.in.offset + 7);
        XLT_OK(xl_scan_create(ctx, &desc, &plan));
        /* It may be an element that is scanned. */
        ok(ctx, xl_scan_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), "init_view apart");
        xlt_read(&out, got);
        assert_int_equal(got[0], 0xa5a5a5a5);
        assert_int_equal(got[1], 2 * 0xa5a5a5a5u);
        args.out = k % 2 ? args.out : args.in;
        args.scratch = k % 2 ? xlt_view(&scratch) : xl_no_view();
        xlt_refused(ctx, xl_scan_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL), overlap,
                    k % 2 ? "scratch and desc.init_view overlap"
                          : "args.out and desc.init_view overlap");
        xl_plan_destroy(plan);
    }
    xlt_check_unwritten(&in, "in");
    xlt_check_unwritten(&scratch, "scratch");
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    xlt_buffer_free(&scratch);
    xl_context_destroy(ctx);
}

/* ---- types and operators of users ------------------------------------------------------------ */

XLT_TEST(users_texts)
{
#define SPOILT(field, value, said)                                                                 \
    {                                                                                              \
        xl_user_type type = {"span", 12, 4, "typedef struct { uint a, b, c; } span;"};             \
        xl_user_op op = {"join", "span join(span a, span b) { return b; }", NULL, 0};              \
        wrong_desc row = {BOTH, said, {.type = XL_USER_TYPE, .op = XL_USER_OP}};                   \
        row.desc.kind = XL_INCLUSIVE;                                                              \
        row.desc.segments = XL_SEGMENTS_WIDTH;                                                     \
        row.desc.segment_width = 4;                                                                \
        row.desc.user_type = &type;                                                                \
        row.desc.user_op = &op;                                                                    \
        field = value;                                                                             \
        create_refuses(&row);                                                                      \
    }
    SPOILT(row.desc.user_type, NULL, "user_type")
    SPOILT(row.desc.user_op, NULL, "user_op")
    SPOILT(row.desc.op, XL_SUM, "sum")
    SPOILT(type.name, NULL, "user_type")
    SPOILT(type.name, "struct span", "struct span")
    SPOILT(type.name, "", "identifier")
    SPOILT(type.name, "2span", "identifier")
    SPOILT(type.size, 0, "size of 0")
    SPOILT(type.alignment, 3, "alignment of 3")
    SPOILT(type.alignment, 8, "alignment of 8")
    SPOILT(type.alignment, 256, "alignment: 256")
    SPOILT(type.source, NULL, "source")
    SPOILT(op.name, NULL, "name")
    SPOILT(op.name, "a + b", "a + b")
    SPOILT(op.flags, 64, "0x40")
    /* Without an identity. */
    SPOILT(row.of = SCANS; row.desc.kind, XL_EXCLUSIVE, "join")
    SPOILT(row.of = REDUCTIONS; row.desc.segment_width = 0; row.desc.segment_type = XL_U32;
           row.desc.segments, XL_SEGMENTS_OFFSETS, "init: ")
}

/* Scans of a user's type: from and to these types, NULL: the type itself. */
static xl_scan_desc users_desc(const xl_user_type *type, const xl_user_op *op,
                               const xl_user_type *load, const xl_user_type *store)
{
    return (xl_scan_desc){.version = XL_VERSION_NUMBER,
                          .type = XL_USER_TYPE,
                          .op = XL_USER_OP,
                          .kind = XL_INCLUSIVE,
                          .user_type = type,
                          .user_op = op,
                          .load = load ? "x" : NULL,
                          .load_type = load ? XL_USER_TYPE : XL_NONE,
                          .user_load_type = load,
                          .store = store ? "x" : NULL,
                          .store_type = store ? XL_USER_TYPE : XL_NONE,
                          .user_store_type = store};
}

/* Types of one name are compiled once, so they must be one. */
XLT_TEST(one_name_is_one_type)
{
    static const char two[] = "typedef struct pt { float a, b; } pt;";
    static const xl_user_type type = {"pt", 8, 4, two}, same = {"pt", 8, 4, two};
    static const xl_user_type longer = {"pt", 16, 4, "typedef struct pt { float a, b, c, d; } pt;"};
    static const xl_user_type other = {"pt", 8, 4, "typedef struct pt { float x, y; } pt;"};
    static const xl_user_type strict = {"pt", 8, 8, "typedef struct pt { float2 a; } pt;"};
    static const xl_user_type wide = {"wide", 16, 4, "typedef struct { float a, b, c, d; } wide;"};
    static const xl_user_type wide_too = {"wide", 8, 4, "typedef struct { float a, b; } wide;"};
    static const struct {
        const xl_user_type *load, *store;
        const char *said;
    } cases[] = {
        {&longer, NULL, "user_load_type: \"pt\" has 16 bytes"},
        {&other, NULL, "user_load_type: \"pt\" has another source"},
        {&strict, NULL, "user_load_type: \"pt\" has 8 bytes and an alignment of 8"},
        {&same, &longer, "user_store_type: \"pt\" has 16 bytes"},
        {NULL, &other, "user_store_type: \"pt\" has another source than desc.user_type"},
        {&wide, &wide_too, "as desc.user_load_type 16"},
    };
    const xl_user_op op = {"add", "pt add(pt x, pt y) { x.a += y.a; x.b += y.b; return x; }", NULL,
                           XL_OP_STRICTLY_ASSOCIATIVE};
    xl_plan *plan;
    for (size_t i = 0; i < COUNT(cases); ++i)
        create_refuses(&(wrong_desc){SCANS, cases[i].said,
                                     users_desc(&type, &op, cases[i].load, cases[i].store)});
    const xl_scan_desc right = users_desc(&type, &op, &same, &same);
    XLT_OK(xl_scan_create(xlt_context(), &right, &plan));
    xl_plan_destroy(plan);
}

/* The user's text may name the element of an array that the library reads. */
XLT_TEST(sizes_of_arrays_are_checked)
{
    const xl_user_type type = {"pair", 8, 4,
                               "typedef struct { uint a, b; } pair;\n#define ushort uchar\n"};
    const xl_user_op op = {"add", "pair add(pair x, pair y) { x.a += y.a; x.b += y.b; return x; }",
                           NULL, XL_OP_STRICTLY_ASSOCIATIVE};
    for (int store = 0; store < 2; ++store) {
        xl_plan *plan;
        xl_scan_desc desc = users_desc(&type, &op, NULL, NULL);
        *(store ? &desc.store : &desc.load) = store ? "x.a" : "(pair){x, x}";
        *(store ? &desc.store_type : &desc.load_type) = XL_U16;
        xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &desc, &plan), XL_ERROR_BUILD,
                    store ? "size_of_XL_OUT_is_not_2" : "size_of_XL_IN_is_not_2");
    }
}

/* ---- algorithms ------------------------------------------------------------------------------ */

static xl_scan_algorithm chosen(xl_context *ctx, const xl_scan_desc *desc)
{
    xl_plan *plan;
    ok(ctx, xl_scan_create(ctx, desc, &plan), "a plan");
    const xl_scan_algorithm used = xlt_scan_algorithm(plan, 1000000);
    assert_int_not_equal(used, XL_SCAN_AUTO);
    assert_int_not_equal(xlt_scan_algorithm(plan, 1), XL_SCAN_AUTO);
    xl_plan_destroy(plan);
    return used;
}

XLT_TEST(algorithms_by_name)
{
    xl_plan *plan;
    xl_scan_desc desc;
    xl_context *without = open_context(NULL, "no-look-back");
    xl_scan_desc_init(&desc);
    desc.algorithm = XL_SCAN_LOOKBACK;
    xlt_refused(without, xl_scan_create(without, &desc, &plan), XL_ERROR_UNSUPPORTED, "messages");
    assert_null(plan);
    desc.algorithm = XL_SCAN_AUTO;
    assert_int_equal(chosen(without, &desc), XL_SCAN_REDUCE_THEN_SCAN);
    xl_context_destroy(without);
    for (int k = XL_SCAN_LOOKBACK; k <= XL_SCAN_REDUCE_THEN_SCAN; ++k) {
        desc.algorithm = (xl_scan_algorithm)k;
        if (k != XL_SCAN_LOOKBACK || can_publish())
            assert_int_equal(chosen(xlt_context(), &desc), k);
    }
    assert_int_equal(xlt_scan_algorithm(NULL, 1), XL_SCAN_AUTO);
}

#ifndef _WIN32
XLT_TEST(environment_is_heeded)
{
    static const struct {
        const char *word;
        xl_scan_algorithm used;
    } cases[] = {{"reduce-then-scan", XL_SCAN_REDUCE_THEN_SCAN}, {"look-back", XL_SCAN_LOOKBACK}};
    const char *before = getenv("CROSSLANE_SCAN");
    char *kept = before ? strdup(before) : NULL;
    xl_plan *plan;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    for (size_t i = 0; i < 2; ++i) {
        setenv("CROSSLANE_SCAN", cases[i].word, 1);
        xl_context *ctx = open_context(NULL, NULL);
        const xl_scan_algorithm used = chosen(ctx, &desc);
        if (cases[i].used == XL_SCAN_REDUCE_THEN_SCAN || can_publish())
            assert_int_equal(used, cases[i].used);
        desc.algorithm = XL_SCAN_REDUCE_THEN_SCAN; /* the descriptor's word is the last */
        assert_int_equal(chosen(ctx, &desc), XL_SCAN_REDUCE_THEN_SCAN);
        desc.algorithm = XL_SCAN_AUTO;
        xl_context_destroy(ctx);
    }
    setenv("CROSSLANE_SCAN", "sideways", 1);
    xl_context *ctx = open_context(NULL, NULL);
    xlt_refused(ctx, xl_scan_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "\"sideways\"");
    xl_context_destroy(ctx);
    if (kept)
        setenv("CROSSLANE_SCAN", kept, 1);
    else
        unsetenv("CROSSLANE_SCAN");
    free(kept);
}
#endif

XLT_MAIN(NULL, xlt_teardown)

/* SPDX-License-Identifier: MIT
 * Descriptors and calls of scans and reductions that are refused: segments, carries, types and
 * operators of users, algorithms by name. scan_misuse_test.c has the other fields of scans. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif

#include "scan_users.h"
#include "xlt_misuse.h"

#include <stdlib.h>
#include <string.h>

/* ---- segments and carries ---- */

static void descriptors_refused(void **state)
{
    (void)state;
    static const struct {
        xl_segments kind;
        xl_type type;
        uint64_t width;
        const char *text;
    } cases[] = {
        {(xl_segments)7, XL_NONE, 0, "desc.segments: 7"},
        {XL_SEGMENTS_KEYS, XL_NONE, 0, "desc.segment_type: "},
        {XL_SEGMENTS_KEYS, XL_F32, 0, "desc.segment_type: f32"},
        {XL_SEGMENTS_KEYS, XL_U32X2, 0, "desc.segment_type: u32x2"},
        {XL_SEGMENTS_OFFSETS, XL_I32, 0, "desc.segment_type: i32"},
        {XL_SEGMENTS_OFFSETS, XL_U16, 0, "desc.segment_type: u16"},
        {XL_SEGMENTS_WIDTH, XL_NONE, 0, "desc.segment_width: 0"},
        {XL_SEGMENTS_MASK, XL_NONE, 0, "desc.segment_width: 0"},
        {XL_SEGMENTS_MASK, XL_NONE, 65, "desc.segment_width: 65"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        xl_plan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.segments = cases[c].kind;
        desc.segment_type = cases[c].type;
        desc.segment_width = cases[c].width;
        xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &desc, &plan),
                    XL_ERROR_INVALID_ARGUMENT, cases[c].text);
        assert_null(plan);
    }
}

static void calls_refused(void **state)
{
    (void)state;
    enum { N = 100 };
    static const xl_segments kinds[] = {XL_SEGMENTS_HEAD_FLAGS, XL_SEGMENTS_FLAG_BITMASK,
                                        XL_SEGMENTS_KEYS, XL_SEGMENTS_OFFSETS};
    xl_context *ctx = xlt_context();
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer s = xlt_buffer_make(NULL, N, 4, 0);
    for (size_t k = 0; k < 4; ++k) {
        xl_plan *plan;
        xl_scan_desc desc;
        xl_scan_desc_init(&desc);
        desc.segments = kinds[k];
        desc.segment_type = k < 2 ? XL_NONE : XL_U32;
        XLT_OK(xl_scan_create(ctx, &desc, &plan));
#define CALL(view)                                                                                 \
    xl_scan_enqueue(                                                                               \
        plan, xlt_queue(),                                                                         \
        &(xl_scan_args){.n = N, .in = xlt_view(&a), .segments = (view), .out = xlt_view(&b)}, 0,   \
        NULL, NULL)
        const bool offsets = kinds[k] == XL_SEGMENTS_OFFSETS;
        xlt_refused(ctx, CALL(xl_no_view()), XL_ERROR_INVALID_ARGUMENT, "segments: ");
        xlt_refused(ctx, CALL(xl_view_n(s.mem, 10000, offsets ? 5 : 0)), XL_ERROR_INVALID_ARGUMENT,
                    "segments: ");
        xlt_refused(
            ctx,
            CALL(xl_view_n(b.mem, kinds[k] == XL_SEGMENTS_HEAD_FLAGS ? 512 : 128, offsets ? 5 : 0)),
            XL_ERROR_OVERLAP, "segments");
        if (offsets)
            xlt_refused(ctx, CALL(xlt_view(&s)), XL_ERROR_INVALID_ARGUMENT,
                        "args.segments: a count of 0");
        else
            xlt_refused(ctx, CALL(xl_view_n(s.mem, 128, 1)), XL_ERROR_INVALID_ARGUMENT,
                        "view.count is 1");
        xl_plan_destroy(plan);
    }
    xlt_check_guards(&b, "out");
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
}

static void carries_refused(void **state)
{
    (void)state;
    enum { N = 100 };
    xl_context *ctx = xlt_context();
    xl_plan *plain, *keys;
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    XLT_OK(xl_scan_create(ctx, &desc, &plain));
    desc.carry = 1;
    desc.segments = XL_SEGMENTS_KEYS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_scan_create(ctx, &desc, &keys));
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), b = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer s = xlt_buffer_make(NULL, N + 1, 4, 0), c = xlt_buffer_make(NULL, 2, 4, 0);
    const xl_view in = xlt_view(&a), out = xlt_view(&b), one = xlt_view(&c), at_0 = {s.mem, 0, 0};
    const xl_view other = {c.mem, one.offset + 1, 0};
#undef CALL
#define CALL(plan, ...)                                                                            \
    xl_scan_enqueue(plan, xlt_queue(), &(xl_scan_args){.n = N, .in = in, .out = out, __VA_ARGS__}, \
                    0, NULL, NULL)
#define WRONG(status, text, ...) xlt_refused(ctx, CALL(__VA_ARGS__), XL_ERROR_##status, text)
    WRONG(INVALID_ARGUMENT, "args.carry_in: given; must not be given, because desc.carry is 0",
          plain, .carry_in = one);
    WRONG(INVALID_ARGUMENT, "args.carry_out: given", plain, .carry_out = one);
    WRONG(INVALID_ARGUMENT, "args.first_index: 1; must be 0", plain, .first_index = 1);
    WRONG(INVALID_ARGUMENT, "offset of 1", keys, .segments = at_0, .carry_in = one);
    WRONG(INVALID_ARGUMENT, "carry_out: ", keys, .segments = xlt_view(&s),
          .carry_out = xl_view_of(c.mem, 1000));
    WRONG(OVERLAP, "carry_in", keys, .segments = xlt_view(&s), .carry_in = one, .carry_out = one);
    WRONG(OVERLAP, "carry_in", keys, .segments = xlt_view(&s), .carry_in = out);
    WRONG(OVERLAP, "carry_out", keys, .segments = xlt_view(&s), .carry_out = in);
    WRONG(OVERLAP, "carry_out", keys, .segments = xlt_view(&s), .carry_out = xlt_view(&s));
    XLT_OK(CALL(keys, .segments = xl_view_of(s.mem, xlt_view(&s).offset + 1), .carry_in = one,
                .carry_out = other));
    XLT_CL(clFinish(xlt_queue()));
    xl_plan_destroy(plain);
    xl_plan_destroy(keys);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xlt_buffer_free(&c);
}

/* ---- texts of users ---- */

static void create_fails(xl_status wanted, const job *j, const char *text)
{
    xl_plan *plan;
    xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &j->desc, &plan), wanted, text);
    assert_null(plan);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    job j;
    xl_user_type type;
    xl_user_op op;
#define SPOILT(field, value, status, text)                                                         \
    do {                                                                                           \
        user_case_make(&j, &user_cases[SPANS], XL_INCLUSIVE, true);                                \
        type = *user_cases[SPANS].user_type;                                                       \
        op = *user_cases[SPANS].op;                                                                \
        j.desc.user_type = &type;                                                                  \
        j.desc.user_op = &op;                                                                      \
        field = (value);                                                                           \
        create_fails((status), &j, (text));                                                        \
    } while (0)
    SPOILT(j.desc.user_type, NULL, XL_ERROR_INVALID_ARGUMENT, "user_type");
    SPOILT(j.desc.user_op, NULL, XL_ERROR_INVALID_ARGUMENT, "user_op");
    SPOILT(type.name, NULL, XL_ERROR_INVALID_ARGUMENT, "user_type");
    SPOILT(type.name, "struct span", XL_ERROR_INVALID_ARGUMENT, "struct span");
    SPOILT(type.name, "", XL_ERROR_INVALID_ARGUMENT, "identifier");
    SPOILT(type.name, "2span", XL_ERROR_INVALID_ARGUMENT, "identifier");
    SPOILT(type.size, 0, XL_ERROR_INVALID_ARGUMENT, "size of 0");
    SPOILT(type.alignment, 3, XL_ERROR_INVALID_ARGUMENT, "alignment of 3");
    SPOILT(type.alignment, 8, XL_ERROR_INVALID_ARGUMENT, "alignment of 8");
    SPOILT(type.alignment, 256, XL_ERROR_INVALID_ARGUMENT, "alignment: 256");
    SPOILT(type.source, NULL, XL_ERROR_INVALID_ARGUMENT, "source");
    SPOILT(op.name, NULL, XL_ERROR_INVALID_ARGUMENT, "name");
    SPOILT(op.name, "a + b", XL_ERROR_INVALID_ARGUMENT, "a + b");
    SPOILT(op.flags, 64, XL_ERROR_INVALID_ARGUMENT, "0x40");
    SPOILT(j.desc.op, XL_SUM, XL_ERROR_INVALID_ARGUMENT, "sum");
    user_case_make(&j, &user_cases[SPANS], XL_EXCLUSIVE, false);
    create_fails(XL_ERROR_INVALID_ARGUMENT, &j, "join");
    /* The texts below reach the compiler. */
    SPOILT(type.size, 16, XL_ERROR_BUILD, "span");
    SPOILT(type.source, "typedef struct span { uint first; last; } span;", XL_ERROR_BUILD, "span");
    SPOILT(op.source, "span join(span a, span b) { return missing(a, b); }", XL_ERROR_BUILD,
           "missing");
    job_make(&j, "load", XL_U32, XL_SUM, XL_INCLUSIVE, NULL);
    j.desc.load = "x + absent";
    create_fails(XL_ERROR_BUILD, &j, "absent");
    j.desc.load = NULL;
    j.desc.store = "x +";
    create_fails(XL_ERROR_BUILD, &j, "store");
    j.desc.store = NULL;
    j.desc.load_type = XL_U8X2;
    create_fails(XL_ERROR_INVALID_ARGUMENT, &j, "desc.load_type: uchar2; requires desc.load, ");
    j.desc.load_type = XL_NONE;
    j.desc.store_type = XL_U8X2;
    create_fails(XL_ERROR_INVALID_ARGUMENT, &j, "desc.store_type: uchar2; requires desc.store, ");
}

/* Types of one name are compiled once, so they must be one. */
static void one_name_is_one_type(void **state)
{
    (void)state;
    static const char two[] = "typedef struct pt { float a, b; } pt;";
    static const char four[] = "typedef struct pt { float a, b, c, d; } pt;";
    static const char renamed[] = "typedef struct pt { float x, y; } pt;";
    static const char aligned[] = "typedef struct pt { float2 a; } pt;";
    const xl_user_type type = {"pt", 8, 4, two}, same = {"pt", 8, 4, two};
    const xl_user_type longer = {"pt", 16, 4, four}, other = {"pt", 8, 4, renamed};
    const xl_user_type strict = {"pt", 8, 8, aligned};
    const xl_user_type wide = {"wide", 16, 4, "typedef struct { float a, b, c, d; } wide;"};
    const xl_user_type wide_too = {"wide", 8, 4, "typedef struct { float a, b; } wide;"};
    const struct {
        const xl_user_type *load, *store;
        const char *text; /* NULL: it is taken */
    } cases[] = {
        {&same, &same, NULL},
        {&longer, NULL, "user_load_type: \"pt\" has 16 bytes"},
        {&other, NULL, "user_load_type: \"pt\" has another source"},
        {&strict, NULL, "user_load_type: \"pt\" has 8 bytes and an alignment of 8"},
        {&same, &longer, "user_store_type: \"pt\" has 16 bytes"},
        {NULL, &other, "user_store_type: \"pt\" has another source than desc.user_type"},
        {&wide, &wide_too, "as desc.user_load_type 16"},
    };
    const xl_user_op op = {"add", "pt add(pt x, pt y) { x.a += y.a; x.b += y.b; return x; }", NULL,
                           XL_OP_STRICTLY_ASSOCIATIVE};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_plan *plan = NULL;
        const xl_user_type *load = cases[i].load, *store = cases[i].store;
        const xl_scan_desc desc = {.version = XL_VERSION_NUMBER,
                                   .type = XL_USER_TYPE,
                                   .op = XL_USER_OP,
                                   .kind = XL_INCLUSIVE,
                                   .user_type = &type,
                                   .user_op = &op,
                                   .load = load ? "x" : NULL,
                                   .load_type = load ? XL_USER_TYPE : XL_NONE,
                                   .user_load_type = load,
                                   .store = store ? "x" : NULL,
                                   .store_type = store ? XL_USER_TYPE : XL_NONE,
                                   .user_store_type = store};
        const xl_status status = xl_scan_create(xlt_context(), &desc, &plan);
        if (cases[i].text)
            xlt_refused(xlt_context(), status, XL_ERROR_INVALID_ARGUMENT, cases[i].text);
        else
            ok(xlt_context(), status, "types that are one");
        xl_plan_destroy(plan);
    }
}

/* The user's text may name the element of an array that the library reads. */
static void sizes_of_arrays_are_checked(void **state)
{
    (void)state;
    const xl_user_type type = {"pair", 8, 4,
                               "typedef struct { uint a, b; } pair;\n#define ushort uchar\n"};
    const xl_user_op op = {"add", "pair add(pair x, pair y) { x.a += y.a; x.b += y.b; return x; }",
                           NULL, XL_OP_STRICTLY_ASSOCIATIVE};
    for (int store = 0; store < 2; ++store) {
        xl_plan *plan;
        const xl_scan_desc desc = {.version = XL_VERSION_NUMBER,
                                   .type = XL_USER_TYPE,
                                   .op = XL_USER_OP,
                                   .kind = XL_INCLUSIVE,
                                   .user_type = &type,
                                   .user_op = &op,
                                   .load = store ? NULL : "(pair){x, x}",
                                   .load_type = store ? XL_NONE : XL_U16,
                                   .store = store ? "x.a" : NULL,
                                   .store_type = store ? XL_U16 : XL_NONE};
        xlt_refused(xlt_context(), xl_scan_create(xlt_context(), &desc, &plan), XL_ERROR_BUILD,
                    store ? "size_of_XL_OUT_is_not_2" : "size_of_XL_IN_is_not_2");
    }
}

/* ---- algorithms ---- */

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

static void algorithms_by_name(void **state)
{
    (void)state;
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
    for (int a = XL_SCAN_LOOKBACK; a <= XL_SCAN_BLELLOCH; ++a) {
        desc.algorithm = (xl_scan_algorithm)a;
        if (a != XL_SCAN_LOOKBACK || can_publish())
            assert_int_equal(chosen(xlt_context(), &desc), a);
    }
    assert_int_equal(xlt_scan_algorithm(NULL, 1), XL_SCAN_AUTO);
}

#ifndef _WIN32
static void environment_is_heeded(void **state)
{
    (void)state;
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
        desc.algorithm = XL_SCAN_BLELLOCH; /* the descriptor's word is the last */
        assert_int_equal(chosen(ctx, &desc), XL_SCAN_BLELLOCH);
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

/* ---- reductions ---- */

static void reductions_refused(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    xl_plan *plan;
    xl_reduce_desc desc;
    const uint32_t one = 1;
    const xl_user_op *no_identity = user_cases[SPANS].op;
#define REFUSED(field, value, text)                                                                \
    do {                                                                                           \
        xl_reduce_desc_init(&desc);                                                                \
        desc.field = (value);                                                                      \
        xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, (text));  \
        assert_null(plan);                                                                         \
    } while (0)
    REFUSED(version, 6, "desc.version");
    REFUSED(type, (xl_type)99, "type: ");
    REFUSED(op, (xl_op)10, "op: 10");
    REFUSED(op, XL_USER_OP, "user_op");
    REFUSED(determinism, (xl_determinism)3, "desc.determinism: 3");
    REFUSED(segments, (xl_segments)7, "desc.segments: 7");
    REFUSED(segments, XL_SEGMENTS_KEYS, "segment_type");
    REFUSED(segments, XL_SEGMENTS_WIDTH, "segment_width");
    REFUSED(load_type, XL_U8X2, "load_type");
    REFUSED(store_type, XL_U8X2, "store_type");
    xl_reduce_desc_init(&desc);
    desc.op = XL_ARG_MIN;
    desc.init = &one;
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "init: ");
    desc.init = NULL;
    desc.store_type = XL_U32;
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT,
                "store_type: ");
    desc.store_type = XL_NONE;
    desc.store = "x";
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "store: ");
    desc.store = NULL;
    desc.type = XL_U32X2;
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "op: arg-min");
    desc.type = XL_USER_TYPE;
    desc.user_type = user_cases[SPANS].user_type;
    desc.op = XL_USER_OP;
    desc.user_op = no_identity;
    desc.segments = XL_SEGMENTS_OFFSETS;
    desc.segment_type = XL_U32;
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "init: ");
    xlt_refused(ctx, xl_reduce_create(ctx, NULL, &plan), XL_ERROR_INVALID_ARGUMENT, "desc: NULL");
    xlt_refused(NULL, xl_reduce_create(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
    xlt_refused(ctx, xl_reduce_create(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xl_plan_destroy(NULL);
    xl_reduce_desc_init(NULL);
}

static void calls_of_reductions_refused(void **state)
{
    (void)state;
    enum { N = 100 };
    xl_context *ctx = xlt_context();
    xl_plan *by_key, *by_offsets, *whole;
    xl_reduce_desc desc;
    size_t bytes;
    xlt_buffer a = xlt_buffer_make(NULL, N, 4, 0), s = xlt_buffer_make(NULL, N, 4, 0);
    xlt_buffer b = xlt_buffer_make(NULL, N, 4, 0), k = xlt_buffer_make(NULL, N, 4, 0);
    const xl_view in = xlt_view(&a), keys = xlt_view(&s), out = xlt_view(&b), names = xlt_view(&k);
    const xl_view none = xl_no_view(), five = xl_view_n(s.mem, keys.offset, 5);
    xl_reduce_desc_init(&desc);
    XLT_OK(xl_reduce_create(ctx, &desc, &whole));
    desc.segments = XL_SEGMENTS_KEYS;
    desc.segment_type = XL_U32;
    XLT_OK(xl_reduce_create(ctx, &desc, &by_key));
    desc.segments = XL_SEGMENTS_OFFSETS;
    XLT_OK(xl_reduce_create(ctx, &desc, &by_offsets));
#undef CALL
#define CALL(plan, x, s, y, key, count)                                                            \
    xl_reduce_enqueue(plan, xlt_queue(),                                                           \
                      &(xl_reduce_args){.n = N,                                                    \
                                        .in = (x),                                                 \
                                        .segments = (s),                                           \
                                        .out = (y),                                                \
                                        .keys_out = (key),                                         \
                                        .num_segments_out = (count)},                              \
                      0, NULL, NULL)
#undef WRONG
#define WRONG(call, text) xlt_refused(ctx, call, XL_ERROR_INVALID_ARGUMENT, text)
#define APART(call, text) xlt_refused(ctx, call, XL_ERROR_OVERLAP, text)
    WRONG(CALL(by_key, none, keys, out, names, none), "in: ");
    WRONG(CALL(by_key, in, none, out, names, none), "segments: ");
    WRONG(CALL(by_key, in, keys, none, names, none), "out: ");
    WRONG(CALL(whole, in, keys, out, none, none), "segments: ");
    WRONG(CALL(whole, in, none, out, names, none), "keys_out: ");
    WRONG(CALL(whole, in, none, out, none, names), "num_segments_out: ");
    WRONG(CALL(by_key, in, keys, out, xl_view_of(k.mem, 1000), none), "keys_out: ");
    WRONG(CALL(by_offsets, in, keys, out, none, none), "args.segments: a count of 0");
    WRONG(CALL(by_offsets, in, five, out, names, none), "keys_out: given");
    WRONG(CALL(by_offsets, in, five, out, none, names), "num_segments_out: given");
    WRONG(CALL(by_offsets, in, five, xl_view_n(b.mem, out.offset, 3), none, none),
          "out: 4 elements");
    APART(CALL(by_offsets, in, five, in, none, none), "args.in and args.out overlap");
    APART(CALL(by_key, in, keys, in, names, none), "args.in and args.out overlap");
    APART(CALL(by_key, in, keys, keys, names, none), "overlap");
    APART(CALL(by_key, in, keys, out, out, none), "overlap");
    APART(CALL(by_key, in, keys, out, in, none), "overlap");
    APART(CALL(by_key, in, keys, out, names, xl_view_of(b.mem, 66)), "overlap");
    APART(CALL(by_key, in, keys, out, names, xl_view_of(a.mem, 66)), "overlap");
    WRONG(xl_reduce_enqueue(whole, NULL, &(xl_reduce_args){.n = N, .in = in, .out = out}, 0, NULL,
                            NULL),
          "queue: NULL");
    WRONG(xl_reduce_enqueue(whole, xlt_queue(), &(xl_reduce_args){.n = N, .in = in, .out = out}, 1,
                            NULL, NULL),
          "waits: ");
    xlt_refused(NULL, CALL(NULL, in, none, out, none, none), XL_ERROR_INVALID_ARGUMENT,
                "plan: NULL");
    xlt_refused(ctx, xl_reduce_scratch(whole, &(xl_reduce_args){.n = 1}, NULL),
                XL_ERROR_INVALID_ARGUMENT, "bytes");
    XLT_OK(xl_reduce_scratch(by_key, &(xl_reduce_args){.n = 1000000}, &bytes));
    unsigned char got[4 * N];
    xlt_read(&b, got);
    for (size_t i = 0; i < sizeof got; ++i)
        assert_int_equal(got[i], 0xa5);
    XLT_OK(CALL(by_key, in, keys, out, names, none));
    /* The keys may be the input; the outputs of keys and counts are optional. */
    XLT_OK(CALL(by_key, keys, keys, out, none, none));
    XLT_CL(clFinish(xlt_queue()));
    xl_plan_destroy(by_key);
    xl_plan_destroy(by_offsets);
    xl_plan_destroy(whole);
    xlt_buffer_free(&a);
    xlt_buffer_free(&b);
    xlt_buffer_free(&s);
    xlt_buffer_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_refused),   cmocka_unit_test(calls_refused),
        cmocka_unit_test(carries_refused),       cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(one_name_is_one_type),  cmocka_unit_test(sizes_of_arrays_are_checked),
        cmocka_unit_test(algorithms_by_name),
#ifndef _WIN32
        cmocka_unit_test(environment_is_heeded),
#endif
        cmocka_unit_test(reductions_refused),    cmocka_unit_test(calls_of_reductions_refused),
    };
    return cmocka_run_group_tests(tests, NULL, xlt_teardown);
}

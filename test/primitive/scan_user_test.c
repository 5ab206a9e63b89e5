/* SPDX-License-Identifier: MIT
 * Scan of user types by user operators, and what the library says of wrong ones. */
#include "scan_users.h"
#include "xlt_misuse.h"

/* Starting values, segments and algorithms take turns, and with `ways` 1 so do the kinds. */
static void every_operator(const char *tune, const char *mask, xl_scan_algorithm algorithm,
                           xl_segments kind, unsigned ways, size_t every)
{
    xl_context *ctx = open_context(tune, mask);
    for (size_t c = 0; c < NUM_USER_CASES; ++c)
        for (unsigned w = 0; w < ways; ++w) {
            job j;
            const unsigned way = (c + w) % 2;
            const bool lacks = !user_cases[c].op->identity && way == 0;
            if (xlt_few_programs() && (c + way) % 9 != 0)
                continue;
            user_case_make(&j, &user_cases[c], way ? XL_INCLUSIVE : XL_EXCLUSIVE,
                           user_cases[c].init && (lacks || c % 2));
            j.desc.algorithm = algorithm;
            j.desc.segments = kind;
            j.desc.segment_type = XL_U32;
            j.pattern = way ? LONG_RUNS : SHORT_RUNS;
            job_run(ctx, &j, every);
        }
    xl_context_destroy(ctx);
}

static void plain(void **state)
{
    (void)state;
    every_operator(small_tiles, NULL, XL_SCAN_AUTO, XL_SEGMENTS_NONE, 2, 3);
}

static void segmented(void **state)
{
    (void)state;
    every_operator(small_tiles, NULL, XL_SCAN_AUTO, XL_SEGMENTS_OFFSETS, 2, 3);
}

/* The other shape of work-groups: what a GPU does. */
static const char group_tiles[] = "scan.shape = 1\nscan.item_bytes = 64\nscan.group_size = 64\n";

static void in_groups(void **state)
{
    (void)state;
    if (loses_narrow_states())
        skip();
    every_operator(group_tiles, NULL, XL_SCAN_REDUCE_THEN_SCAN, XL_SEGMENTS_HEAD_FLAGS, 1, 5);
}

static void in_groups_without_lanes(void **state)
{
    (void)state;
    if (loses_narrow_states())
        skip();
    every_operator(group_tiles, "width=1", XL_SCAN_AUTO, XL_SEGMENTS_NONE, 1, 5);
}

/* ---- what goes wrong ------------------------------------------------------------------ */

static void create_fails(xl_status wanted, const job *j, const char *text)
{
    xl_scan *plan;
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
        user_case_make(&j, &user_cases[USER_CASE_SPAN], XL_INCLUSIVE, true);                       \
        type = *user_cases[USER_CASE_SPAN].user_type;                                              \
        op = *user_cases[USER_CASE_SPAN].op;                                                       \
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
    SPOILT(type.alignment, 256, XL_ERROR_INVALID_ARGUMENT, "alignment of 256");
    SPOILT(type.source, NULL, XL_ERROR_INVALID_ARGUMENT, "source");
    SPOILT(op.name, NULL, XL_ERROR_INVALID_ARGUMENT, "name");
    SPOILT(op.name, "a + b", XL_ERROR_INVALID_ARGUMENT, "a + b");
    SPOILT(op.flags, 64, XL_ERROR_INVALID_ARGUMENT, "0x40");
    SPOILT(j.desc.op, XL_SUM, XL_ERROR_INVALID_ARGUMENT, "sum");
    user_case_make(&j, &user_cases[USER_CASE_SPAN], XL_EXCLUSIVE, false);
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
    j.desc.load_type = XL_U8;
    create_fails(XL_ERROR_INVALID_ARGUMENT, &j, "load_type");
    j.desc.load_type = XL_NONE;
    j.desc.store_type = XL_U8;
    create_fails(XL_ERROR_INVALID_ARGUMENT, &j, "store_type");
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
        {NULL, &other, "user_store_type: \"pt\" has another source than as user_type"},
        {&wide, &wide_too, "but as user_load_type it has 16"},
    };
    const xl_user_op op = {"add", "pt add(pt x, pt y) { x.a += y.a; x.b += y.b; return x; }", NULL,
                           XL_OP_STRICTLY_ASSOCIATIVE};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        xl_scan *plan = NULL;
        const xl_user_type *load = cases[i].load, *store = cases[i].store;
        const xl_scan_desc desc = {.struct_size = sizeof desc,
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
        xl_scan_destroy(plan);
    }
}

/* The user's text may say what is the element of an array that the library reads. */
static void sizes_of_arrays_are_checked(void **state)
{
    (void)state;
    const xl_user_type type = {"pair", 8, 4,
                               "typedef struct { uint a, b; } pair;\n#define ushort uchar\n"};
    const xl_user_op op = {"add", "pair add(pair x, pair y) { x.a += y.a; x.b += y.b; return x; }",
                           NULL, XL_OP_STRICTLY_ASSOCIATIVE};
    for (int store = 0; store < 2; ++store) {
        xl_scan *plan;
        const xl_scan_desc desc = {.struct_size = sizeof desc,
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(segmented),
        cmocka_unit_test(in_groups),
        cmocka_unit_test(in_groups_without_lanes),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(one_name_is_one_type),
        cmocka_unit_test(sizes_of_arrays_are_checked),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

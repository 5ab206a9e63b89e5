/* SPDX-License-Identifier: MIT
 * Scan of user types by user operators, and what the library says of wrong ones. */
#include "scan_users.h"

#include <string.h>

/* Kinds, starting values, segments and algorithms take turns. */
static void every_operator(const char *tune, const char *mask, xl_scan_algorithm algorithm,
                           xl_segments kind, size_t every)
{
    xl_context *ctx = open_context(tune, mask);
    for (size_t c = 0; c < NUM_USER_CASES; ++c)
        for (unsigned way = 0; way < 2; ++way) {
            job j;
            const bool lacks = !user_cases[c].op->identity && way == 0;
            if (xlt_small() && (c + way) % 3 != 0)
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
    every_operator(small_tiles, NULL, XL_SCAN_AUTO, XL_SEGMENTS_NONE, 3);
}

static void segmented(void **state)
{
    (void)state;
    every_operator(small_tiles, NULL, XL_SCAN_AUTO, XL_SEGMENTS_OFFSETS, 3);
}

/* The other shape of work-groups: what a GPU does. */
static const char group_tiles[] = "scan.shape = 1\nscan.item_bytes = 64\nscan.group_size = 64\n";

static void in_groups(void **state)
{
    (void)state;
    if (loses_narrow_states())
        skip();
    every_operator(group_tiles, NULL, XL_SCAN_REDUCE_THEN_SCAN, XL_SEGMENTS_HEAD_FLAGS, 5);
}

static void in_groups_without_lanes(void **state)
{
    (void)state;
    if (loses_narrow_states())
        skip();
    every_operator(group_tiles, "width=1", XL_SCAN_AUTO, XL_SEGMENTS_NONE, 5);
}

/* ---- what goes wrong ------------------------------------------------------------------ */

static void create_fails(xl_status wanted, const job *j, const char *text)
{
    xl_scan *plan;
    refused(xlt_context(), xl_scan_create(xlt_context(), &j->desc, &plan), wanted, text);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(segmented),
        cmocka_unit_test(in_groups),
        cmocka_unit_test(in_groups_without_lanes),
        cmocka_unit_test(mistakes_are_named),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

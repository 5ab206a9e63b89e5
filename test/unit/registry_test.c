/* SPDX-License-Identifier: MIT
 * The registry of tunables: it is whole and sound, the built-in values keep to it, and the
 * page that lists it says the same. */
#define _GNU_SOURCE
#include "runtime.h"
#include "xlt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *prefix_of(unsigned primitive)
{
    return primitive == XLI_TUNE_SCAN                  ? "scan."
           : primitive == XLI_TUNE_REDUCE              ? "reduce."
           : primitive == XLI_TUNE_SORT                ? "sort."
           : primitive == XLI_TUNE_GRID                ? "grid."
           : primitive == XLI_TUNE_NEIGHBORS           ? "neighbors."
           : primitive == XLI_TUNE_NEAREST             ? "nearest."
           : primitive == XLI_TUNE_TOP_K               ? "top_k."
           : primitive == XLI_TUNE_SELECT              ? "select."
           : primitive == XLI_TUNE_MERGE               ? "merge."
           : primitive == XLI_TUNE_SEARCH              ? "search."
           : primitive == XLI_TUNE_HISTOGRAM           ? "histogram."
           : primitive == XLI_TUNE_TRANSFORM           ? "transform."
           : primitive == XLI_TUNE_MORTON              ? "morton."
           : primitive == XLI_TUNE_NEAREST_APPROXIMATE ? "nearest_approximate."
                                                       : "?";
}

/* An entry for each field of xli_tune, which has nothing but numbers. */
XLT_TEST(every_value_has_an_entry)
{
    for (size_t i = 0; i < XLI_TUNABLES; ++i) {
        const xli_tunable *t = &xli_tunables[i];
        if (!t->name || t->at != i * sizeof(uint32_t))
            XLT_FAIL("word %zu of xli_tune has no entry in lib/tune/registry.c at its place", i);
        if (strncmp(t->name, prefix_of(t->primitive), strlen(prefix_of(t->primitive))) != 0)
            XLT_FAIL("%s is not of its primitive", t->name);
        assert_ptr_equal(xli_tunable_find(t->name), t); /* no name stands twice */
    }
    assert_null(xli_tunable_find("scan.grop_size"));
    assert_null(xli_tunable_find(""));
}

XLT_TEST(entries_are_sound)
{
    for (size_t i = 0; i < XLI_TUNABLES; ++i) {
        const xli_tunable *t = &xli_tunables[i];
        const size_t length = t->meaning ? strlen(t->meaning) : 0;
        if (length < 10 || t->meaning[length - 1] != '.' || strchr(t->meaning, '|'))
            XLT_FAIL("%s: the meaning is no sentence", t->name);
        if (t->least > t->greatest || (t->zero && t->least == 0))
            XLT_FAIL("%s: the range is none", t->name);
        if ((t->step == XLI_STEP_NONE) != (t->turn == 0) || t->step > XLI_STEP_DOUBLE)
            XLT_FAIL("%s: step and turn do not go together", t->name);
        assert_true(xli_tunable_takes(t, t->least) && xli_tunable_takes(t, t->greatest));
        assert_false(xli_tunable_takes(t, (uint64_t)t->greatest + 1));
        assert_int_equal(xli_tunable_takes(t, 0), t->zero || t->least == 0);
        if (t->least > 1)
            assert_false(xli_tunable_takes(t, t->least - 1));
    }
}

XLT_TEST(built_in_values_keep_to_their_ranges)
{
    static const xli_tune_device devices[] = {
        {.is_cpu = true, .compute_units = 2},          /* some CPU */
        {.is_cpu = true, .compute_units = 128},        /* llvmpipe (LLVM 15) */
        {.compute_units = 0},                          /* no units */
        {.is_cpu = true, .compute_units = UINT32_MAX}, /* very many units */
        {.vendor_id = XLI_VENDOR_NVIDIA, .capability = 9, .compute_units = 132}, /* H200 */
        {.vendor_id = XLI_VENDOR_NVIDIA, .capability = 6, .compute_units = 20},  /* GTX */
        {.vendor_id = 0x8086, .compute_units = 512},                             /* Arc */
    };
    for (size_t k = 0; k < 2 * sizeof devices / sizeof devices[0]; ++k) {
        const size_t d = k / 2;
        xli_tune_device device = devices[d];
        device.most_rounds = k % 2 ? 1 << 15 : SIZE_MAX;
        xli_tune tune;
        xli_text why = {0};
        memset(&tune, 0xa5, sizeof tune);
        assert_int_equal(xli_tune_choose(&device, NULL, &(xli_tune_wish){0}, &why, &tune),
                         XL_SUCCESS);
        assert_null(why.data);
        for (size_t i = 0; i < XLI_TUNABLES; ++i)
            if (!xli_tunable_takes(&xli_tunables[i], xli_tunable_value(&xli_tunables[i], &tune)))
                XLT_FAIL("device %zu: %s is %u", d, xli_tunables[i].name,
                         (unsigned)xli_tunable_value(&xli_tunables[i], &tune));
    }
}

typedef struct listing {
    size_t count, at;      /* entries that were listed; the next one of the registry */
    const char *file_name; /* of the one that a file gave */
    uint64_t file_value;
} listing;

static void note(void *user, const xl_tunable_info *info)
{
    listing *l = user;
    while (xli_tunables[l->at].for_tests)
        ++l->at;
    const xli_tunable *t = &xli_tunables[l->at++];
    ++l->count;
    assert_string_equal(info->name, t->name);
    assert_string_equal(info->meaning, t->meaning);
    assert_int_equal(info->least, t->least);
    assert_int_equal(info->greatest, t->greatest);
    assert_int_equal(info->zero, t->zero);
    if (info->from_file) {
        assert_null(l->file_name);
        l->file_name = info->name;
        l->file_value = info->value;
    }
    if (info->value > 0)
        assert_true(xli_tunable_takes(t, info->value));
}

static uint32_t public_tunables(void)
{
    uint32_t count = 0;
    for (size_t i = 0; i < XLI_TUNABLES; ++i)
        count += xli_tunables[i].for_tests ? 0 : 1;
    return count;
}

XLT_TEST(mistakes_in_files_are_named)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"\nscan.group_size = 64\nscan.grop_size = 64\n", "f:3: unknown name \"scan.grop_size\""},
        {"scan.group_size = 0\n", "f:1: scan.group_size = \"0\", not a number from 1 to 1024"},
        {"scan.group_size = 1025\n", "\"1025\""},
        {"scan.group_size = -1\n", "\"-1\""},
        {"scan.group_size = 64k\n", "\"64k\""},
        {"scan.group_size =\n", "\"\""},
        {"scan.stream_kib = 99999999999999999999999\n", "from 0 to 4294967295"},
        {"scan.group_size 64\n", "f:1: \"scan.group_size 64\" is not of the form"},
        {"reduce.chunk_elements_csr = 1073741825\n", "not 0 or a number from 1 to 1073741824"},
        {"= 64\n", "unknown name \"\""},
        {"# a comment\n\n\tscan.tile_bytes=4096 # why\r\nsort.serial_tile_log = 5", NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        char text[80];
        xli_text why = {0};
        xli_tuning *tuning = NULL;
        snprintf(text, sizeof text, "%s", wrong[i].text);
        const xl_status status = xli_tuning_parse("f", text, strlen(text), &why, &tuning);
        assert_int_equal(status, wrong[i].said ? XL_ERROR_INVALID_ARGUMENT : XL_SUCCESS);
        if (wrong[i].said && !strstr(why.data, wrong[i].said))
            XLT_FAIL("\"%s\" is not in: %s", wrong[i].said, why.data);
        xli_text_free(&why);
        xli_free(tuning);
    }
}

/* A tunable that injects a fault is unknown, and not listed as known, to a plan and to a tuning
 * file unless the environment allows it. */
XLT_TEST(faults_are_for_tests)
{
    static const xl_tunable inject = {"scan.inject_delay", 3};
    const xli_tune_wish wish = {.primitives = XLI_TUNE_SCAN, .tunables = &inject, .count = 1};
    const xli_tune_device device = {.is_cpu = true, .compute_units = 2, .most_rounds = SIZE_MAX};
    xli_tune tune;
    for (int allowed = 0; allowed < 2; ++allowed) {
        char file[] = "scan.inject_delay = 3\n";
        xli_text why[2] = {{0}, {0}};
        xli_tuning *tuning = NULL;
        const xl_status wanted = allowed ? XL_SUCCESS : XL_ERROR_INVALID_ARGUMENT;
        if (allowed)
            setenv("CROSSLANE_TEST_TUNABLES", "1", 1);
        else
            unsetenv("CROSSLANE_TEST_TUNABLES");
        assert_int_equal(xli_tune_choose(&device, NULL, &wish, &why[0], &tune), wanted);
        assert_int_equal(xli_tuning_parse("f", file, sizeof file - 1, &why[1], &tuning), wanted);
        for (int k = 0; k < 2 && !allowed; ++k) {
            assert_non_null(strstr(why[k].data, "unknown name \"scan.inject_delay\""));
            assert_non_null(strstr(why[k].data, "scan.spin_limit"));
            assert_null(strstr(why[k].data, "scan.inject_tear"));
        }
        xli_text_free(&why[0]);
        xli_text_free(&why[1]);
        xli_free(tuning);
    }
    for (size_t i = 0; i < XLI_TUNABLES; ++i)
        assert_int_equal(xli_tunables[i].for_tests, strstr(xli_tunables[i].name, "inject") != NULL);
}

/* The public list is the registry's, with a context's values. */
XLT_TEST(the_list_is_the_registry)
{
    listing l = {0};
    xl_context *ctx;
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    assert_int_equal(xl_tunables_each(NULL, NULL, NULL), public_tunables());
    assert_int_equal(xl_tunables_each(NULL, note, &l), public_tunables());
    assert_int_equal(l.count, public_tunables());
    assert_null(l.file_name);
    desc.tune_file = "registry_test.tune";
    assert_true(xli_os_write_file_atomic(desc.tune_file, "reduce.chunk_groups = 77\n", 25));
    XLT_OK(xl_context_adopt(xl_context_cl(xlt_context()), xl_context_device(xlt_context()), &desc,
                            &ctx));
    remove(desc.tune_file);
    l = (listing){0};
    assert_int_equal(xl_tunables_each(ctx, note, &l), public_tunables());
    assert_string_equal(l.file_name, "reduce.chunk_groups");
    assert_int_equal(l.file_value, 77);
    xl_context_destroy(ctx);
}

/* The row of a tunable in docs/tuning.md. */
static void row_of(const xli_tunable *t, char *row, size_t bytes)
{
    snprintf(row, bytes, "| `%s` | %s%u to %u | %s |\n", t->name, t->zero ? "0, " : "",
             (unsigned)t->least, (unsigned)t->greatest, t->meaning);
}

XLT_TEST(the_page_lists_the_registry)
{
    size_t length, rows = 0, faults = 0;
    char *page = xli_os_read_file(XLT_SOURCE "/docs/tuning.md", &length);
    assert_non_null(page);
    for (size_t i = 0; i < XLI_TUNABLES; ++i) {
        char row[512];
        row_of(&xli_tunables[i], row, sizeof row);
        if (!strstr(page, row) && !xli_tunables[i].for_tests) {
            print_error("docs/tuning.md lacks: %s", row);
            ++faults;
        }
    }
    for (const char *at = page; (at = strstr(at, "\n| `")); ++at)
        ++rows;
    xli_free(page);
    assert_int_equal(faults, 0);
    assert_int_equal(rows, public_tunables());
}

XLT_MAIN(NULL, xlt_teardown)

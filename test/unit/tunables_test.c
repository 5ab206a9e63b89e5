/* SPDX-License-Identifier: MIT
 * Tuning files: values that count, mistakes that are named with their line. */
#define _GNU_SOURCE
#include "runtime.h"
#include "xlt.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[32];

static xl_status create(const char *text, size_t length, xl_context **ctx)
{
    xl_context_desc desc;
    xl_context_desc_init(&desc);
    desc.tune_file = path;
    assert_true(xli_os_write_file_atomic(path, text, length));
    return xl_context_create(&desc, ctx);
}

static uint32_t tuned(const xl_context *ctx, const char *name, uint32_t value)
{
    const xli_tunable one = {name, &value};
    xli_context_tune(ctx, &one, 1);
    return value;
}

static void values_are_heeded(void **state)
{
    (void)state;
    static const char text[] = "# a comment\n"
                               "\n"
                               "scan.group_size = 64 # and why\r\n"
                               "\tscan.tile_bytes=4096\n"
                               "sort.run_log = 5\n"
                               "sort.run_log = 6";
    xl_context *ctx;
    if (create(text, strlen(text), &ctx) != XL_SUCCESS)
        XLT_FAIL("%s", xl_context_error(NULL));
    assert_int_equal(tuned(ctx, "scan.group_size", 1), 64);
    assert_int_equal(tuned(ctx, "scan.tile_bytes", 1), 4096);
    assert_int_equal(tuned(ctx, "sort.run_log", 1), 6); /* the last one */
    assert_int_equal(tuned(ctx, "sort.held_log", 3), 3);
    xl_context_destroy(ctx);
    assert_int_equal(tuned(xlt_context(), "scan.group_size", 5), 5);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"\nscan.group_size = 64\nscan.grop_size = 64\n", ":3: unknown name \"scan.grop_size\""},
        {"scan.group_size = 0\n", ":1: scan.group_size = \"0\", not a number from 1 to 1024"},
        {"scan.group_size = 1025\n", "\"1025\""},
        {"scan.group_size = -1\n", "\"-1\""},
        {"scan.group_size = 64k\n", "\"64k\""},
        {"scan.group_size =\n", "\"\""},
        {"scan.stream_kib = 99999999999999999999999\n", "from 0 to 4294967295"},
        {"scan.group_size 64\n", ":1: \"scan.group_size 64\" is not of the form"},
        {"= 64\n", "unknown name \"\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        xl_context *ctx;
        assert_int_equal(create(wrong[i].text, strlen(wrong[i].text), &ctx),
                         XL_ERROR_INVALID_ARGUMENT);
        assert_null(ctx);
        if (!strstr(xl_context_error(NULL), wrong[i].said) || !strstr(xl_context_error(NULL), path))
            XLT_FAIL("\"%s\" is not in: %s", wrong[i].said, xl_context_error(NULL));
    }
    xl_context *ctx;
    assert_int_equal(create("sort.run_log = 5\n\0hidden", 24, &ctx), XL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(xl_context_error(NULL), "not a text file"));
}

/* Each name that lib/tune reads is one that a file may hold. */
static void every_name_in_use_is_known(void **state)
{
    (void)state;
    glob_t files;
    int names = 0;
    assert_int_equal(glob(XLT_SOURCE "/lib/tune/*.c", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; ++i) {
        size_t length;
        char *text = xli_os_read_file(files.gl_pathv[i], &length);
        assert_non_null(text);
        for (const char *at = text; (at = strchr(at, '"')); ++at) {
            static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
            size_t before = strspn(at + 1, letters);
            size_t after = at[1 + before] == '.' ? strspn(at + 2 + before, letters) : 0;
            if (before == 0 || after == 0 || at[2 + before + after] != '"' ||
                strncmp(at + 2 + before, "h\"", 2) == 0) /* an #include */
                continue;
            char line[128];
            xl_context *ctx;
            snprintf(line, sizeof line, "%.*s = x\n", (int)(before + 1 + after), at + 1);
            assert_int_equal(create(line, strlen(line), &ctx), XL_ERROR_INVALID_ARGUMENT);
            if (strstr(xl_context_error(NULL), "unknown"))
                XLT_FAIL("%s: add this name to lib/ocl/tunables.c: %s", files.gl_pathv[i], line);
            ++names;
        }
        xli_free(text);
    }
    globfree(&files);
    assert_true(names >= 10);
}

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/xlt-tune-XXXXXX");
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int teardown(void **state)
{
    (void)state;
    xlt_finish();
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_heeded),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(every_name_in_use_is_known),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

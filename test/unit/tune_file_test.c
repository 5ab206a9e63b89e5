/* SPDX-License-Identifier: MIT
 * Tuning files: values that count, mistakes that are named with their line. */
#define _GNU_SOURCE
#include "runtime.h"
#include "xlt.h"

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

static uint32_t value_of(xl_context *ctx, const char *name)
{
    const xli_capabilities *capabilities;
    xli_tune_device device;
    xli_tune tune;
    XLT_OK(xli_context_capabilities(ctx, &capabilities));
    XLT_OK(xli_context_tune(ctx, capabilities, &(xli_tune_wish){0}, &device, &tune));
    return xli_tunable_value(xli_tunable_find(name), &tune);
}

XLT_TEST(values_are_heeded)
{
    static const char text[] = "# a comment\n"
                               "\n"
                               "scan.group_size = 64 # and why\r\n"
                               "\tscan.tile_bytes=4096\n"
                               "scan.chunk_elements_csr=0\n"
                               "sort.serial_tile_log = 5\n"
                               "sort.serial_tile_log = 6";
    xl_context *ctx;
    if (create(text, strlen(text), &ctx) != XL_SUCCESS)
        XLT_FAIL("%s", xl_context_error(NULL));
    assert_int_equal(value_of(ctx, "scan.group_size"), 64);
    assert_int_equal(value_of(ctx, "scan.tile_bytes"), 4096);
    assert_int_equal(value_of(ctx, "scan.chunk_elements_csr"), 0);
    assert_int_equal(value_of(ctx, "sort.serial_tile_log"), 6); /* the last one */
    assert_int_equal(value_of(ctx, "sort.items_log"), 3);
    xl_context_destroy(ctx);
}

XLT_TEST(mistakes_are_named)
{
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
        {"scan.chunk_elements_csr = 1073741825\n", "not 0 or a number from 1 to 1073741824"},
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
    assert_int_equal(create("sort.serial_tile_log = 5\n\0hidden", 32, &ctx),
                     XL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(xl_context_error(NULL), "not a text file"));
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

XLT_MAIN(setup, teardown)

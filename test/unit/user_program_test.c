/* SPDX-License-Identifier: MIT
 * A user's programs: permitted includes, places of errors, and the cache. */
#define _GNU_SOURCE
#include "xlt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "__kernel void k(__global uint *out) { out[0] = VALUE; }\n"

static cl_program build(const char *source, const char *options)
{
    cl_program program;
    XLT_OK(xl_program_create(xlt_context(), source, options, &program));
    assert_non_null(program);
    return program;
}

static cl_uint result_of(cl_program program)
{
    cl_int code;
    cl_uint result = 0;
    const size_t one = 1;
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    XLT_CL(code);
    cl_mem out = xlt_mem(xlt_context(), NULL, 4);
    XLT_CL(clSetKernelArg(kernel, 0, sizeof out, &out));
    XLT_CL(clEnqueueNDRangeKernel(xlt_queue(), kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    XLT_CL(clEnqueueReadBuffer(xlt_queue(), out, CL_TRUE, 0, 4, &result, 0, NULL, NULL));
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    return result;
}

static void expect_result(const char *source, const char *options, cl_uint wanted)
{
    cl_program program = build(source, options);
    const cl_uint got = result_of(program);
    clReleaseProgram(program);
    if (got != wanted)
        XLT_FAIL("%u, not %u, from: %s", got, wanted, source);
}

XLT_TEST(options_and_features)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    expect_result(KERNEL, "-DVALUE=7", 7);
    expect_result(KERNEL, "-DVALUE=8 -cl-fast-relaxed-math", 8);
    expect_result(KERNEL, "-D VALUE=XL_HAS_FP64", info.has_fp64);
}

/* Whether a program is built without optimisation. `mask`: of the context. */
static bool is_not_optimised(const char *mask)
{
    char options[512] = "";
    xl_context_desc desc;
    cl_program program;
    xl_context *ctx;
    xl_context_desc_init(&desc);
    desc.cache_dir = "off"; /* a program from a cache has no options */
    desc.mask = mask;
    assert_int_equal(xl_context_create(&desc, &ctx), XL_SUCCESS);
    assert_int_equal(xl_program_create(ctx, KERNEL, "-DVALUE=7", &program), XL_SUCCESS);
    XLT_CL(clGetProgramBuildInfo(program, xl_context_device(ctx), CL_PROGRAM_BUILD_OPTIONS,
                                 sizeof options, options, NULL));
    clReleaseProgram(program);
    xl_context_destroy(ctx);
    assert_non_null(strstr(options, "-cl-std="));
    return strstr(options, " -cl-opt-disable") != NULL;
}

/* Oclgrind simulates what its compiler leaves; others are told so by a mask alone. */
XLT_TEST(only_oclgrind_is_told_not_to_optimise)
{
    xl_device_info info;
    XLT_OK(xl_context_device_info(xlt_context(), &info));
    assert_int_equal(is_not_optimised(""), strcmp(info.platform, "Oclgrind") == 0);
    assert_true(is_not_optimised("no-optimisation"));
}

XLT_TEST(includes_are_found_where_the_compiler_would)
{
    /* Once, twice, indented, with blanks, beside comments, after a literal. */
    expect_result("#include <crosslane/lanes.cl>\n#include <crosslane/lanes.cl>\n"
                  "  #  include\t<crosslane/lanes.cl> // again\n"
                  "/* and */ #include <crosslane/lanes.cl> /* over\n two lines */\n"
                  "#define VALUE (uint)xl_bits_through(2)\n" KERNEL,
                  NULL, 7);
    /* Not in a comment, a literal, or behind other text. */
    expect_result("/* '\" \n#include <crosslane/none.cl>\n*/ // \"\n"
                  "// on and \\\n#include <crosslane/none.cl>\n"
                  "#define TEXT \"\\\"/*\"\n"
                  "#define VALUE 3 //* #include <crosslane/none.cl>\n" KERNEL,
                  NULL, 3);
    /* A last line without an end; and no line at all. */
    expect_result(KERNEL "#define VALUE 1\n#include <crosslane/lanes.cl>", "-DVALUE=1", 1);
    expect_result("#define VALUE 2\r\n#include <crosslane/lanes.cl>\r\n" KERNEL, NULL, 2);
    clReleaseProgram(build("#include <crosslane/lanes.cl>", NULL));
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        XLT_FAIL("\"%s\" is not in: %.900s", part, text);
}

static void fails(const char *source, const char *options, xl_status wanted, const char *said)
{
    cl_program program = (cl_program)&program;
    XLT_FAILS(xl_program_create(xlt_context(), source, options, &program), wanted);
    assert_null(program);
    has(xl_context_error(xlt_context()), said);
}

XLT_TEST(refusals)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    cl_program program;
    char many[4200] = "";
    memset(many, '!', 4096);
    strcat(many, "x");
    fails(NULL, NULL, bad, "source is NULL");
    fails(many, NULL, bad, "source: \"!\" in line 1, column 65; at most 64 operators");
    fails(KERNEL, "-DVALUE=1 -cl-std=CL1.2", bad, "-cl-std=CL1.2");
    assert_int_equal(xl_program_create(xlt_context(), KERNEL, NULL, NULL), bad);
    has(xl_context_error(xlt_context()), "program is NULL");
    assert_int_equal(xl_program_create(NULL, KERNEL, NULL, &program), bad);
    has(xl_context_error(NULL), "ctx is NULL");
    static const char *const unknown[] = {
        "\n/* \n */\n#include <crosslane/none.cl>\n", "\n\n\n#include <crosslane/lanes>\n",
        "\n\n\n#include <crosslane/lanes.cl\n",       "\n\n\n#include <crosslane/.cl>",
        "\n\n\n#include <crosslane/prelude.cl>",      "\n\n\n#include <crosslane/"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
        fails(unknown[i], NULL, bad, "source, line 4: there is no <crosslane/");
        has(xl_context_error(xlt_context()),
            "<crosslane/collectives.cl>, <crosslane/keys.cl>, <crosslane/lanes.cl>");
    }
}

/* The user's lines stand under the user's numbers, also behind includes, which stand under
 * their own. */
XLT_TEST(errors_point_into_the_source)
{
    fails("#include <crosslane/lanes.cl>\n/* \\\n */\n#include <crosslane/lanes.cl> // \\\n\n"
          "uint f(uint x)\n{\n    return not_there + x;\n}\n",
          "-DN=3", XL_ERROR_BUILD, "xl_program_create: user does not compile: line 8, column 12: ");
    const char *error = xl_context_error(xlt_context());
    static const char *const parts[] = {
        "\nclBuildProgram returned",
        "\nprogram: user\n",
        " -DN=3\n",
        "user:8:12: ",
        "not_there",
        "\nuser:1: /* #include <crosslane/lanes.cl> */\nuser:2: /* \\\n",
        "\nuser:8:     return not_there + x;\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        has(error, parts[i]);
    assert_null(strstr(error, "cl/lane/lane.cl:"));
    fails("#define XL_NAME t\n#include <crosslane/collectives.cl>\n", NULL, XL_ERROR_BUILD,
          "must be defined");
}

XLT_TEST(equal_sources_are_one_program)
{
    cl_program first = build(KERNEL, "-DVALUE=1"), again = build(KERNEL "\n/**/", "-DVALUE=1");
    cl_program other = build(KERNEL, "-DVALUE=2"),
               longer = build(KERNEL "int f(void);", "-DVALUE=1");
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, other);
    assert_ptr_not_equal(first, longer);
    clReleaseProgram(again);
    assert_int_equal(result_of(first), 1);
    clReleaseProgram(first);
    clReleaseProgram(other);
    clReleaseProgram(longer);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The compiler reads such a file, so its result is not kept. */
XLT_TEST(files_that_change_are_read_again)
{
    char folder[] = "/tmp/xlt-include-XXXXXX", options[64];
    assert_non_null(mkdtemp(folder));
    snprintf(options, sizeof options, "-I%s", folder);
    /* As many ways as there are to write it, of which a compiler may not know all. */
    static const char *const sources[] = {
        "#include \"value.h\"\n" KERNEL,
        "#import \"value.h\"\n" KERNEL,
        "#include_next \"value.h\"\n" KERNEL,
        "#define NAME \"value.h\"\n#include NAME\n" KERNEL,
        "#/**/include \"value.h\"\n" KERNEL,
        "#/* over\n lines */include \"value.h\"\n" KERNEL,
        "#inc\\\nlude \"value.h\"\n" KERNEL,
        "#\\\ninclude \"value.h\"\n" KERNEL,
        "# \\\n include \"value.h\"\n" KERNEL,
        "#inc\\  \r\nlude \"value.h\"\n" KERNEL,
        "#\finclude \"value.h\"\n" KERNEL,
        "%:include \"value.h\"\n" KERNEL,
        "?\?=include \"value.h\"\n" KERNEL,
        "#inc?\?/\nlude \"value.h\"\n" KERNEL,
        "int f(void);\r#include \"value.h\"\r\n" KERNEL,
        "// a comment\r#include \"value.h\"\r\n" KERNEL,
        "/* *\\\n/\n#include \"value.h\"\n/* */\n" KERNEL,
        "#if 1\n#include \"value.h\"\n#endif\n" KERNEL,
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; ++i) {
        for (cl_uint value = 5; value < 7; ++value) {
            char text[32];
            cl_program program;
            snprintf(text, sizeof text, "#define VALUE %u\n", value);
            write_file(folder, "value.h", text);
            /* Plainly it is known to all. */
            if (i == 0)
                expect_result(sources[i], options, value);
            else if (xl_program_create(xlt_context(), sources[i], options, &program) == XL_SUCCESS)
                expect_result(sources[i], options, value), clReleaseProgram(program);
        }
    }
    xlt_remove_folder(folder);
}

/* All other lines of sources read nothing: two equal sources are one program. */
XLT_TEST(other_lines_are_no_reason_to_build_again)
{
    static const char *const lines[] = {
        "#define SUM(a, b) \\\n    ((a) + (b))\n",
        "#define SUM(a, b) \\\r\n    ((a) + (b))\r\n",
        "#if defined(X) && \\\n    X > 3\n#error no\n#elif(X)\n#else\n#endif\n",
        "#ifdef X\n#undef X\n#warning X\n#endif\n#ifndef X\n#endif // X\n#if!0\n#endif\n",
        "#pragma OPENCL FP_CONTRACT OFF\n#\n # line 3 \"user\"\n",
        "/* #import */ // #import\n#define A 5 % 3\n#define B \"#import\\n\"\n",
        "#include <crosslane/lanes.cl>\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        char source[300];
        snprintf(source, sizeof source, "%s" KERNEL, lines[i]);
        cl_program first = build(source, "-DVALUE=1"), again = build(source, "-DVALUE=1");
        if (first != again)
            XLT_FAIL("built twice: %s", source);
        clReleaseProgram(first);
        clReleaseProgram(again);
    }
}

XLT_MAIN(NULL, xlt_teardown)

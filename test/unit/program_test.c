/* SPDX-License-Identifier: MIT
 * Programs: built once, shared, and reported so that an error can be found. */
#define _GNU_SOURCE
#include "private.h"
#include "xlt.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static xli_program *get(const char *defines)
{
    xli_program *program;
    XLT_OK(xli_program_get(xlt_context(), "probe", defines, &program));
    assert_non_null(program);
    return program;
}

XLT_TEST(equal_programs_are_one)
{
    xli_program *first = get("#define ANY 1\n");
    assert_ptr_equal(get("#define ANY 1\n"), first);
    assert_ptr_not_equal(get("#define ANY 2\n"), first);
}

/* The text of the last failure must hold `part`, and no program may be left. */
static void build_fails_with(const char *defines, const char *const *parts, size_t num_parts)
{
    xl_context *ctx = xlt_context();
    xli_program *program;
    XLT_FAILS(xli_program_get(ctx, "probe", defines, &program), XL_ERROR_BUILD);
    assert_null(program);
    for (size_t i = 0; i < num_parts; ++i)
        if (!strstr(xl_context_error(ctx), parts[i]))
            XLT_FAIL("\"%s\" is not in: %.900s", parts[i], xl_context_error(ctx));
}

/* Makes a mistake in a file of this tree, by a macro, and in a user's text. Log and
 * source must both name the place. */
XLT_TEST(errors_point_at_files_and_lines)
{
    static const char *const of_ours[] = {"program \"probe\" of the library does not compile: cl/",
                                          "\nclBuildProgram returned",
                                          "\ndevice: ",
                                          ", driver ",
                                          "\noptions: -cl-std=",
                                          "\nlog:\n",
                                          "no_such_function"};
    static const char *const of_theirs[] = {
        "xl_probe_create: visit does not compile: line 3, column ", "visit:3:     return y;",
        "undeclared"};
    build_fails_with("#define get_local_id no_such_function +\n", of_ours,
                     sizeof of_ours / sizeof of_ours[0]);
    build_fails_with("#line 1 \"visit\"\nfloat visit(float x)\n{\n    return y;\n}\n", of_theirs,
                     sizeof of_theirs / sizeof of_theirs[0]);
}

#define SORT_KEYS "#define XL_KEY_BYTES 4\n#define XL_KEY_DESCENDING 0\n"
#define SORT_BY_ONE                                                                                \
    "#define XL_SORT_VALUES 0\n#define XL_SORT_GROUP 1\n#define XL_SORT_TILE_LOG 4\n"
#define SORT_KIND "#define XL_KEY_KIND 0\n"

/* Builds a sort, which must say that `parameter` is wrong, and where its meaning stands. */
static void refuses(const char *parameter, const char *defines)
{
    xl_context *ctx = xlt_context();
    xli_program *program;
    char said[80];
    unsigned long line;
    XLT_FAILS(xli_program_get(ctx, "sort_bitonic", defines, &program), XL_ERROR_BUILD);
    const char *place = strstr(xl_context_error(ctx), "does not compile: ");
    snprintf(said, sizeof said, "\"%s, ", parameter);
    if (!place || sscanf(place, "does not compile: cl/parameters.txt:%lu: ", &line) != 1 ||
        line < 2 || !strstr(place, said))
        XLT_FAIL("%s is not told from others: %.900s", parameter, xl_context_error(ctx));
}

/* The checks at the start of every program: cl/parameters.txt. */
XLT_TEST(parameters_are_checked)
{
    xli_program *program;
    XLT_OK(xli_program_get(xlt_context(), "sort_bitonic",
                           "#define XL_SERIAL 1\n" SORT_KEYS SORT_BY_ONE SORT_KIND, &program));
    refuses("XL_KEY_KIND", "#define XL_SERIAL 1\n" SORT_KEYS SORT_BY_ONE);
    refuses("XL_KEY_KIND", "#define XL_SERIAL 1\n" SORT_KEYS SORT_BY_ONE "#define XL_KEY_KIND 5\n");
    refuses("XL_SORT_GROUP", "#define XL_SERIAL 1\n" SORT_KEYS SORT_KIND
                             "#define XL_SORT_VALUES 0\n#define XL_SORT_GROUP 0\n"
                             "#define XL_SORT_TILE_LOG 4\n");
    /* A parameter that only the other shape needs. */
    refuses("XL_SORT_GROUP_LOG", "#define XL_SERIAL 0\n" SORT_KEYS SORT_BY_ONE SORT_KIND
                                 "#define XL_SORT_ITEMS_LOG 1\n");
}

static void *build_in_thread(void *user)
{
    xli_program **program = user;
    if (xli_program_get(xlt_context(), "probe", "#define BY_THREADS 1\n", program) != XL_SUCCESS)
        *program = NULL;
    return NULL;
}

XLT_TEST(two_threads_build_one_program)
{
    pthread_t threads[4];
    xli_program *programs[4] = {0};
    if (xlt_on_oclgrind()) {
        print_message("Oclgrind's LLVM ends the process when threads make programs at once\n");
        skip();
    }
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, build_in_thread, &programs[i]), 0);
    for (int i = 0; i < 4; ++i)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; ++i)
        assert_ptr_equal(programs[i], programs[0]);
    assert_non_null(programs[0]);
}

XLT_MAIN(NULL, xlt_teardown)

/* SPDX-License-Identifier: MIT
 * Logs of compilers, in the words of each driver: what concerns the user's text is kept, and
 * numbers that count from the top of the source are translated. */
#include "private.h"
#include "xlt.h"

#include <string.h>

/* Lines 1 to 13 of the whole; the user's are 4 to 6 and 11. */
static const char source[] = "#define A 1\n"
                             "#define B 2\n"
                             "#line 1 \"operator join\"\n"
                             "int join(int a, int b)\n"
                             "{\n"
                             "return missing; }\n"
                             "#line 1 \"call of operator join\"\n"
                             "int xl_user_op(int a, int b) { return join(a, b); }\n"
                             "#line 1 \"plan\"\n"
                             "#line 1 \"load\"\n"
                             "x + absent\n"
                             "#line 7 \"cl/scan/a.cl\"\n"
                             "kernel\n";

typedef struct expected {
    const char *log;
    const char *kept;  /* the text that is kept */
    const char *texts; /* names, a comma behind each */
    const char *file;  /* of the first error */
    unsigned line, column;
    const char *message;
} expected;

static const expected logs[] = {
    /* PoCL 3.1 */
    {"error: operator join:3:8: use of undeclared identifier 'missing'\n"
     "error: cl/scan/a.cl:7:1: expected '}'\nDevice x failed to build the program\n",
     "error: operator join:3:8: use of undeclared identifier 'missing'\n", "operator join,",
     "operator join", 3, 8, "use of undeclared identifier 'missing'"},
    {"error: cl/scan/a.cl:7:12 <Spelling=load:1:5>: use of 'nope'\n",
     "error: cl/scan/a.cl:7:12 <Spelling=load:1:5>: use of 'nope'\n", "load,", "load", 1, 5,
     "use of 'nope'"},
    {"error: cl/scan/a.cl:7:12 <Spelling=cl/b.cl:1:5>: use of 'nope'\n",
     "error: cl/scan/a.cl:7:12 <Spelling=cl/b.cl:1:5>: use of 'nope'\n", "", "cl/scan/a.cl", 7, 12,
     "use of 'nope'"},
    /* Intel's runtime */
    {"Compilation started\n"
     "cl/scan/a.cl:7:1: error: ours\n    7 | kernel\n      | ^\n"
     "load:1:5: error: use of 'absent'\n    1 | x + absent\n      |     ^~~~~~\n"
     "Compilation failed\n",
     "load:1:5: error: use of 'absent'\n    1 | x + absent\n      |     ^~~~~~\n"
     "Compilation failed\n",
     "load,", "load", 1, 5, "use of 'absent'"},
    /* Oclgrind, NVIDIA: lines of the whole */
    {"input.cl:11:5: error: use of 'absent'\nx + absent\n    ^\n",
     "load:1:5: error: use of 'absent'\nx + absent\n    ^\n", "load,", "load", 1, 5,
     "use of 'absent'"},
    {"<kernel>:13:1: error: ours\nkernel\n^\n"
     "<kernel>:6:8: error: use of 'missing'\nreturn missing; }\n       ^\n"
     "<kernel>:13:1: warning: ours\n",
     "operator join:3:8: error: use of 'missing'\nreturn missing; }\n       ^\n", "operator join,",
     "operator join", 3, 8, "use of 'missing'"},
    /* NVIDIA: a function that is not declared is for the linker to find. */
    {"(): Warning: Function k is a kernel\nptxas fatal   : Unresolved extern function 'missing'\n",
     "operator join:3:8: error: no function 'missing' is declared\n", "operator join,",
     "operator join", 3, 8, "no function 'missing' is declared"},
    {"ptxas fatal   : Unresolved extern function 'issing'\n",
     "ptxas fatal   : Unresolved extern function 'issing'\n", "", "", 0, 0, ""},
    /* The text that the library adds around a user's text belongs to it; so does a note in it. */
    {"<kernel>:8:43: error: incompatible type\n",
     "call of operator join:1:43: error: "
     "incompatible type\n",
     "operator join,", "call of operator join", 1, 43, "incompatible type"},
    {"cl/scan/a.cl:7:1: error: no match\nload:1:1: note: declared here\n",
     "cl/scan/a.cl:7:1: error: no match\nload:1:1: note: declared here\n", "load,", "load", 1, 1,
     "no match"},
    /* A warning does not come first. */
    {"load:1:5: warning: unused\noperator join:2:1: fatal error: no more\n",
     "load:1:5: warning: unused\noperator join:2:1: fatal error: no more\n", "load,operator join,",
     "operator join", 2, 1, "no more"},
    /* What concerns nothing of the user's is kept whole. */
    {"Compilation started\ncl/scan/a.cl:7:1: error: ours\nkernel\n^\nfailed\n",
     "Compilation started\ncl/scan/a.cl:7:1: error: ours\nkernel\n^\nfailed\n", "", "cl/scan/a.cl",
     7, 1, "ours"},
    {"input.cl:13:1: error: ours\n", "cl/scan/a.cl:7:1: error: ours\n", "", "cl/scan/a.cl", 7, 1,
     "ours"},
    {"ptxas fatal : 12:30: no such thing\n", "ptxas fatal : 12:30: no such thing\n", "", "", 0, 0,
     ""},
    {"load:1:5: error: no end of line", "load:1:5: error: no end of line", "load,", "load", 1, 5,
     "no end of line"},
    /* No lines of the source; headers of the compiler's. */
    {"input.cl:99:1: error: behind it\n", "input.cl:99:1: error: behind it\n", "", "input.cl", 99,
     1, "behind it"},
    {"input.cl:13:1: error: ours\nopencl-c.h:11:3: note: declared\n",
     "cl/scan/a.cl:7:1: error: ours\nopencl-c.h:11:3: note: declared\n", "", "cl/scan/a.cl", 7, 1,
     "ours"},
    {"cl/scan/a.cl:7:1: error: ours\n/usr/base:11:3: note: declared\n",
     "cl/scan/a.cl:7:1: error: ours\n/usr/base:11:3: note: declared\n", "", "cl/scan/a.cl", 7, 1,
     "ours"},
};

static void check_log(const expected *e)
{
    xli_log log = {0};
    xli_text texts = {0};
    xli_log_read(e->log, source, &log);
    for (size_t i = 0; i < log.num_texts; ++i)
        xli_text_add(&texts, "%s,", log.texts[i]);
    assert_non_null(log.text.data);
    assert_string_equal(log.text.data, e->kept);
    assert_string_equal(texts.data ? texts.data : "", e->texts);
    assert_string_equal(log.file, e->file);
    assert_string_equal(log.message, e->message);
    assert_int_equal(log.line, e->line);
    assert_int_equal(log.column, e->column);
    xli_text_free(&log.text);
    xli_text_free(&texts);
}

XLT_TEST(logs_are_reduced)
{
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; ++i)
        check_log(&logs[i]);
}

XLT_TEST(empty_logs_are_read)
{
    xli_log log = {0};
    xli_log_read("", "", &log);
    assert_null(log.text.data);
    assert_int_equal(log.num_texts, 0);
    assert_string_equal(log.message, "");
}

XLT_TEST(lines_have_both_numbers)
{
    static const unsigned long whole[] = {1, 2, 4, 5, 6, 8, 11, 13};
    static const unsigned long number[] = {1, 2, 1, 2, 3, 1, 1, 7};
    xli_source_line line = xli_source_lines(source);
    size_t k = 0;
    for (; xli_source_next(&line); ++k) {
        assert_true(k < sizeof whole / sizeof whole[0]);
        assert_int_equal(line.whole, whole[k]);
        assert_int_equal(line.number, number[k]);
    }
    assert_int_equal(k, sizeof whole / sizeof whole[0]);
}

XLT_MAIN(NULL, NULL)

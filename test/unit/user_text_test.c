/* SPDX-License-Identifier: MIT
 * Which texts of a caller are refused before a compiler sees them, with which words, and which are
 * let through. */
#include "user_text.h"
#include "xlt.h"

#include <stdlib.h>
#include <string.h>

typedef struct text_case {
    const char *text, *said; /* NULL: it is let through */
} text_case;

typedef xl_status check_text(const xl_context *ctx, const char *field, const char *text);

static void run(check_text *check, const text_case *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const xl_status status = check(NULL, "field", cases[i].text);
        const char *said = status == XL_SUCCESS ? NULL : xl_context_error(NULL);
        if (status != (cases[i].said ? XL_ERROR_INVALID_ARGUMENT : XL_SUCCESS) ||
            (said && !strstr(said, cases[i].said)))
            XLT_FAIL("%s: \"%s\" is not in: %s", cases[i].text, cases[i].said ? cases[i].said : "",
                     said ? said : "(success)");
    }
}

XLT_TEST(expressions)
{
    static const text_case cases[] = {
        {NULL, NULL},
        {"x", NULL},
        {" x > 2 // and so on", NULL},
        {"x > 2 /* , */ && x < 5", NULL},
        {"max(x, 5u) + min(x, max(i, 3ul))", NULL},
        {"(float2)(1, 2).x", NULL},
        {"(pair){x, {1, 2}}", NULL},
        {"(pair){.a = x}", NULL},
        {"t[f(x, 1)]", NULL},
        {"x == ',' ? 1 : 0", NULL},
        {"x == '\\'' ? \";\"[0] : 0", NULL},
        {"x\n>\n1.5e+3f", NULL},
        {"x \\\n > 1", NULL},
        {"returned + ifs", NULL},
        {"", "field: empty; must be an expression"},
        {" /* x */ ", "field: empty; must be an expression"},
        {"x > 2, x < 5", "field: \",\" in line 1, column 6; must be one expression; a comma may"},
        {"(x > 2, x < 5)", "field: \",\" in line 1, column 7; must be one expression"},
        {"t[1, x]", "\",\" in line 1, column 4; must be one expression"},
        {"f(x, (1, 2))", "\",\" in line 1, column 8; must be one expression"},
        {"x\n  , 2", "\",\" in line 2, column 3; "},
        {"x; y", "\";\" in line 1, column 2; must be one expression, without statements"},
        {"({ x; })", "\"{\" in line 1, column 2; must be one expression, without statements"},
        {"x } {", "\"}\" in line 1, column 3; it must close a bracket of its kind"},
        {"x) + (y", "\")\" in line 1, column 2; it must close a bracket of its kind"},
        {"(x]", "\"]\" in line 1, column 3; it must close a bracket of its kind"},
        {"f(x) + (y", "\"(\" in line 1, column 8; the closing bracket is missing"},
        {"return x", "\"return\" in line 1, column 1; must be one expression, without statements"},
        {"ret\\\nurn x", "column 1; must be one expression, without statements"},
        {"x > 0 /*", "\"/*\" in line 1, column 7; the closing */ is missing"},
        {"x > 0 /\\\n* y", "in line 1, column 7; the closing */ is missing"},
        {"x > 0 /* *\\\n/", NULL},
        {"x == \"a", "\"\"a\" in line 1, column 6; the closing quote is missing"},
        {"x == 'a\n'", "in line 1, column 6; the closing quote is missing"},
        {"x == '\\", "field: ends in a backslash; must not continue behind its end"},
        {"x \\ ", "field: ends in a backslash; must not continue behind its end"},
        {"x // ?\?/", "field: ends in a backslash; must not continue behind its end"},
        {"x\n#define y", "\"#\" in line 2, column 1; must be one expression, without prepro"},
        {"x\n%:define y", "\"%:\" in line 2, column 1; must be one expression, without prepro"},
        {"x <% y %>", "\"<%\" in line 1, column 3; must be one expression, without statements"},
        {"xl_load(x)", "\"xl_load\" in line 1, column 1; names that begin with xl_ or XL_ are"},
    };
    run(xli_check_expression, cases, XLI_COUNT(cases));
}

XLT_TEST(sources)
{
    static const text_case cases[] = {
        {NULL, NULL},
        {"", NULL},
        {"typedef struct { float m; } body;", NULL},
        {"#define JOIN(a) \\\n  ((a) + 1)\nuint f(uint a, uint b) { return JOIN(a), b; }", NULL},
        {"#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n}", NULL},
        {"#if 0\ndon't {\n#endif\nint x;", NULL},
        {"#error don't\n", NULL},
        {"#define OPEN {\nint f(int x) OPEN return x; }", NULL},
        {"%:if 1\n?\?=endif", NULL},
        {"int t[] = {1, 2}; // don't", NULL},
        {"int f() { return 1; } /*", "\"/*\" in line 1, column 23; the closing */ is missing"},
        {"#if 0\n/*\n#endif", "\"/*\" in line 2, column 1; the closing */ is missing"},
        {"int f() {\n  if (1) {\n }", "\"{\" in line 1, column 9; the closing bracket is missing"},
        {"int f() { return 1; }\n}", "\"}\" in line 2, column 1; it must close a bracket"},
        {"int f() { return (1; }", "\"}\" in line 1, column 22; it must close a bracket"},
        {"\n  #if 1\nint x;", "\"#if\" in line 2, column 3; the #endif is missing"},
        {"int x;\n#endif", "\"endif\" in line 2, column 2; there is no #if before it"},
        {"#else", "\"else\" in line 1, column 2; there is no #if before it"},
        {"char c = 'a;", "\"'a;\" in line 1, column 10; the closing quote is missing"},
        {"int x; // \\", "field: ends in a backslash"},
        {"int xl_scan;", "\"xl_scan\" in line 1, column 5; names that begin with xl_ or XL_"},
        {"#define XL_E int", "\"XL_E\" in line 1, column 9; names that begin with xl_ or XL_"},
    };
    run(xli_check_source, cases, XLI_COUNT(cases));
}

/* `part` so often, between `head` and `tail`; the caller frees it. */
static char *repeat(const char *head, const char *part, size_t times, const char *tail)
{
    const size_t length = strlen(part);
    char *text = malloc(strlen(head) + times * length + strlen(tail) + 1);
    assert_non_null(text);
    strcpy(text, head);
    char *at = text + strlen(head);
    for (size_t k = 0; k < times; ++k, at += length)
        memcpy(at, part, length);
    strcpy(at, tail);
    return text;
}

/* As often as `most` is let through, and once more is not. */
XLT_TEST(limits)
{
    static const struct {
        check_text *check;
        const char *head, *part, *tail;
        size_t most;
        const char *said;
    } cases[] = {
        {xli_check_expression, "", "!", "x", 64, "at most 64 operators"},
        {xli_check_expression, "", "- ", "x", 64, "at most 64 operators"},
        {xli_check_expression, "", "1+", "x", 2047, "field: 4097 characters; at most 4096"},
        {xli_check_source, "int f() { return ", "~", "x; }", 64, "at most 64 operators"},
        {xli_check_source, "int x = ", "f(", "1", 0, "the closing bracket is missing"},
        {xli_check_source, "int x = y", "+1", ";", 2045, "a statement may have at most 4096"},
        {xli_check_source, "int f() { x", ",1", ";}", 2047, "a statement may have at most 4096"},
        {xli_check_source, "int f() { ", "if(x)", "y;}", 819, "a statement may have at most 4096"},
        {xli_check_source, "int x[] = {", "1,", "};", 32761, "characters; at most 65536"},
        {xli_check_source, "int x[] = {{0},", "1,", "};", 32759, "characters; at most 65536"},
    };
    for (size_t i = 0; i < XLI_COUNT(cases); ++i) {
        for (size_t k = 0; k < 2; ++k) {
            char *text = repeat(cases[i].head, cases[i].part, cases[i].most + k, cases[i].tail);
            const text_case one = {text, k == 0 ? NULL : cases[i].said};
            run(cases[i].check, &one, 1);
            free(text);
        }
    }
}

XLT_TEST(nested)
{
    for (size_t deep = 64; deep <= 65; ++deep) {
        char *open = repeat("", "f(", deep, "x"), *all = repeat(open, ")", deep, "");
        const text_case one = {all, deep == 64 ? NULL : "brackets may be nested 64 deep"};
        run(xli_check_expression, &one, 1);
        run(xli_check_source, &one, 1);
        free(open);
        free(all);
    }
}

/* Compilers crash on operators in a row in a program of the caller's, too. Rulers are none. */
XLT_TEST(programs)
{
    const char *const heads[] = {"x = ", "#define X ", "#pragma region ", "// "};
    for (size_t i = 0; i < XLI_COUNT(heads); ++i) {
        char *text = repeat(heads[i], "-", 65, "x\n{ don't");
        const text_case one = {text, i < 2 ? "at most 64 operators may follow" : NULL};
        run(xli_check_program, &one, 1);
        free(text);
    }
}

static xl_status check_name(const xl_context *ctx, const char *field, const char *name)
{
    return xli_check_identifier(ctx, field, name, 63);
}

XLT_TEST(names)
{
    static const text_case cases[] = {
        {"a", NULL},
        {"_x9", NULL},
        {"max", NULL},
        {"complex", NULL},
        {"float5", NULL},
        {"", "field: \"\" is no identifier of at most 63 letters"},
        {"9a", "is no identifier"},
        {"a b", "is no identifier"},
        {"xl_scan_sweep", "field: \"xl_scan_sweep\"; names that begin with xl_ or XL_ are"},
        {"XL_OP", "names that begin with xl_ or XL_ are"},
        {"while", "field: \"while\"; the name is reserved in OpenCL C"},
        {"kernel", "reserved"},
        {"uint", "reserved"},
        {"float4", "reserved"},
        {"uchar16", "reserved"},
        {"__global", "reserved"},
    };
    run(check_name, cases, XLI_COUNT(cases));
}

XLT_MAIN(NULL, NULL)

/* SPDX-License-Identifier: MIT
 * Error texts if a caller's text does not compile: which text, its lines and columns, the size of a
 * type on the device; at most 60 lines, and no source of the library. */
#define _GNU_SOURCE
#include "xlt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const xl_user_type body = {"body", 12, 4,
                                  "typedef struct {\n    float m;\n    float x, y;\n} body;"};

static xl_scan_desc scan_desc(const xl_user_type *type, const xl_user_op *op)
{
    xl_scan_desc desc;
    xl_scan_desc_init(&desc);
    desc.kind = XL_INCLUSIVE;
    if (type) {
        desc.type = XL_USER_TYPE;
        desc.op = XL_USER_OP;
        desc.user_type = type;
        desc.user_op = op;
    }
    return desc;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        XLT_FAIL("\"%s\" is not in: %s", part, text);
}

static void starts(const char *text, const char *part)
{
    if (strncmp(text, part, strlen(part)) != 0)
        XLT_FAIL("\"%s\" does not start: %.300s", part, text);
}

/* Such as every report is. */
static void is_short(const char *text)
{
    int lines = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        ++lines;
    if (lines > 60)
        XLT_FAIL("%d lines: %.900s", lines, text);
    has(text, "\nclBuildProgram returned ");
    has(text, "\ndevice: ");
    has(text, ", driver ");
    has(text, "\noptions: -cl-std=");
    has(text, "\nlog:\n");
    assert_null(strstr(text, "__kernel void xl_"));
}

static const char *scan_fails(xl_context *ctx, const xl_scan_desc *desc)
{
    xl_plan *plan;
    assert_int_equal(xl_scan_create(ctx, desc, &plan), XL_ERROR_BUILD);
    assert_null(plan);
    return xl_context_error(ctx);
}

/* The error of a scan by this operator. */
static const char *operator_fails(const char *source)
{
    const xl_user_op op = {"join", source, NULL, 0};
    const xl_scan_desc desc = scan_desc(&body, &op);
    return scan_fails(xlt_context(), &desc);
}

static const char mistyped[] = "/* joins */\n"
                               "body join(body a, body b)\n"
                               "{\n"
                               "    a.m += b.m;\n"
                               "    a.x = missing(a.x, b.x);\n"
                               "    return a;\n"
                               "}\n";

XLT_TEST(a_mistyped_operator)
{
    const char *text = operator_fails(mistyped);
    starts(text, "xl_scan_create: operator join does not compile: line 5, column 11: ");
    has(text, "operator join:5:11: ");
    has(text, "missing");
    has(text, "\ntext:\noperator join:1: /* joins */\n");
    has(text, "\noperator join:5:     a.x = missing(a.x, b.x);\n");
    has(text, "\noperator join:7: }\n");
    has(text, "set CROSSLANE_DUMP_DIR to keep it");
    is_short(text);
    assert_null(strstr(text, "cl/"));
    assert_null(strstr(text, "type body:"));
    assert_null(strstr(text, "more line"));
}

XLT_TEST(in_a_reduction)
{
    xl_plan *plan;
    xl_reduce_desc desc;
    const xl_user_op op = {"join", mistyped, NULL, 0};
    cl_float zero[3] = {0};
    xl_reduce_desc_init(&desc);
    desc.type = XL_USER_TYPE;
    desc.op = XL_USER_OP;
    desc.user_type = &body;
    desc.user_op = &op;
    desc.init = zero;
    XLT_FAILS(xl_reduce_create(xlt_context(), &desc, &plan), XL_ERROR_BUILD);
    const char *text = xl_context_error(xlt_context());
    starts(text, "xl_reduce_create: operator join does not compile: line 5, column 11: ");
    is_short(text);
}

/* The lines around the first mistake are shown, and the others counted. */
XLT_TEST(a_long_text)
{
    static char source[20000];
    unsigned first = 0, last = 0;
    unsigned long more[2];
    size_t length = 0;
    for (int i = 1; i <= 302; ++i) {
        const char *line = i >= 150 && i < 180 ? "    a.x += no_such_name;" : "    a.x += b.x;";
        line = i == 1     ? "body join(body a, body b)"
               : i == 2   ? "{"
               : i == 301 ? "    return a;"
               : i == 302 ? "}"
                          : line;
        length += (size_t)snprintf(source + length, sizeof source - length, "%s\n", line);
    }
    const char *text = operator_fails(source);
    starts(text, "xl_scan_create: operator join does not compile: line 150, column 12: ");
    has(text, "\noperator join:150:     a.x += no_such_name;\n");
    is_short(text);
    const char *shown = strstr(text, "\ntext:\n");
    if (!shown ||
        sscanf(shown, "\ntext:\n(%lu more lines before)\noperator join:%u", &more[0], &first) != 2)
        XLT_FAIL("nothing is left out in: %s", text);
    if (!shown)
        return;
    for (const char *at = shown; (at = strstr(at, "\noperator join:")); ++at)
        last = (unsigned)strtoul(at + 15, NULL, 10);
    const char *after = strrchr(text, '(');
    if (!after || sscanf(after, "(%lu more lines after)", &more[1]) != 1)
        XLT_FAIL("nothing is left out behind: %s", text);
    assert_true(first > 100 && first < 150 && last > 150);
    assert_int_equal(more[0], first - 1);
    assert_int_equal(more[1], 302 - last);
}

/* The caller's column 1 is column 1. */
XLT_TEST(columns_of_expressions)
{
    static const struct {
        const char *text, *place;
    } cases[] = {{"absent + x", "line 1, column 1: "},
                 {"x + absent", "line 1, column 5: "},
                 {"x // and\n  + absent", "line 2, column 5: "}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
        char first[100];
        xl_scan_desc desc = scan_desc(NULL, NULL);
        const char *field = i % 2 ? "store" : "load";
        *(i % 2 ? &desc.store : &desc.load) = cases[i / 2].text;
        const char *text = scan_fails(xlt_context(), &desc);
        snprintf(first, sizeof first, "xl_scan_create: %s does not compile: %s", field,
                 cases[i / 2].place);
        starts(text, first);
        is_short(text);
    }
    xl_scan_desc desc = scan_desc(NULL, NULL);
    desc.load = "x +";
    const char *text = scan_fails(xlt_context(), &desc);
    starts(text, "xl_scan_create: load does not compile: ");
    has(text, "\nload:1: x +\n");
}

XLT_TEST(the_size_of_a_type)
{
    static const char join[] = "body join(body a, body b) { return a; }";
    static const char four[] = "typedef struct { float m, x, y, z; } body;";
    static const char broken[] = "typedef struct { flot m; } body;";
    static const struct {
        xl_user_type type;
        const char *said;
    } cases[] = {
        {{"body", 12, 4, four}, "the device says 16 bytes, aligned to 4, the descriptor 12, "},
        {{"body", 16, 8, four},
         "the device says 16 bytes, aligned to 4, the descriptor 16, "
         "aligned to 8"},
        {{"body", 24, 4, "typedef struct { float3 m; } body;"},
         "the device says 16 bytes, "
         "aligned to 16, the descriptor 24"},
        {{"body", 3, 1, "typedef struct { uchar m[4]; } body;"}, "the device says 4 bytes"},
    };
    const xl_user_op op = {"join", join, NULL, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const xl_scan_desc desc = scan_desc(&cases[i].type, &op);
        const char *text = scan_fails(xlt_context(), &desc);
        starts(text, "type \"body\": the device says ");
        has(text, cases[i].said);
    }
    /* One that does not compile has no size. */
    const xl_user_type type = {"body", 4, 4, broken};
    const xl_scan_desc desc = scan_desc(&type, &op);
    const char *text = scan_fails(xlt_context(), &desc);
    starts(text, "xl_scan_create: type body does not compile: line 1, column 18: ");
    is_short(text);
}

/* Beside one that is right. */
XLT_TEST(the_size_of_a_loaded_type)
{
    const xl_user_type wide = {"wide", 8, 4, "typedef struct { body of; } wide;"};
    const xl_user_op op = {"join", "body join(body a, body b) { return a; }", NULL, 0};
    xl_scan_desc desc = scan_desc(&body, &op);
    desc.load_type = XL_USER_TYPE;
    desc.user_load_type = &wide;
    desc.load = "x.of";
    starts(scan_fails(xlt_context(), &desc),
           "type \"wide\": the device says 12 bytes, aligned to 4, the descriptor 8, aligned to 4");
}

XLT_TEST(the_source_goes_to_the_dump_folder)
{
    char folder[] = "/tmp/xlt-dump-XXXXXX", path[256] = "", command[600];
    xl_context *ctx;
    xl_context_desc desc;
    const xl_user_op op = {"join", mistyped, NULL, 0};
    const xl_scan_desc scan = scan_desc(&body, &op);
    assert_non_null(mkdtemp(folder));
    xl_context_desc_init(&desc);
    desc.dump_dir = folder;
    desc.cache_dir = "off";
    assert_int_equal(xl_context_create(&desc, &ctx), XL_SUCCESS);
    const char *text = scan_fails(ctx, &scan);
    is_short(text);
    has(text, "\ngenerated source: ");
    assert_int_equal(
        sscanf(strstr(text, "\ngenerated source: "), "\ngenerated source: %255s", path), 1);
    starts(path, folder);
    snprintf(command, sizeof command,
             "grep -q 'missing(a.x, b.x)' '%s' && grep -q '__kernel ' '%s'", path, path);
    assert_int_equal(system(command), 0);
    /* The folder is gone: the plan fails as before, and the text says that nothing was kept. */
    snprintf(command, sizeof command, "rm -r '%s' && : > '%s'", folder, folder);
    assert_int_equal(system(command), 0);
    has(scan_fails(ctx, &scan), "\ngenerated source: could not be written to /tmp/");
    xl_context_destroy(ctx);
    assert_int_equal(remove(folder), 0);
}

XLT_TEST(a_program_of_the_users)
{
    cl_program program;
    static const char source[] = "#define XL_NAME t\n#define XL_T float\n"
                                 "#define XL_OP(a, b) ((a) + nope(b))\n"
                                 "#define XL_IDENTITY 0.0f\n#define XL_GROUP_SIZE 32\n"
                                 "#include <crosslane/collectives.cl>\n"
                                 "__kernel void k(__global int *p)\n{\n    p[0] = absent;\n}\n";
    XLT_FAILS(xl_program_create(xlt_context(), source, NULL, &program), XL_ERROR_BUILD);
    const char *text = xl_context_error(xlt_context());
    starts(text, "xl_program_create: user does not compile: line ");
    has(text, "nope");
    has(text, "\nuser:6: /* #include <crosslane/collectives.cl> */\nuser:7: __kernel void k(");
    has(text, "\nuser:9:     p[0] = absent;\nuser:10: }\n");
    is_short(text);
}

/* The fields of all primitives that hold a caller's text. */
typedef enum text_field {
    PREDICATE,
    EQUAL,
    EXPRESSION,
    BINS,
    LOAD,
    STORE,
    STORE_OF_SUM,
    COMPARATOR,
    VISIT,
    OPERATOR,
    OPERATOR_OF_UINTS,
    TYPE
} text_field;

/* A plan of a primitive, in whose descriptor d the field is set. */
#define CREATE(what, from, ...)                                                                    \
    {                                                                                              \
        xl_##what##_desc d;                                                                        \
        xl_##what##_desc_init(&d);                                                                 \
        __VA_ARGS__;                                                                               \
        status = xl_##what##_create(from, &d, &plan);                                              \
    }

static xl_status create(text_field field, const char *text)
{
    xl_status status;
    xl_plan *plan, *grid = NULL;
    xl_context *const ctx = xlt_context();
    const xl_user_comparator before = {"before", text};
    xl_user_op op = {"join", "body join(body a, body b) { return a; }", NULL, 0};
    xl_user_type type = body;
    if (field == VISIT)
        CREATE(grid, ctx, d.cell_size = 1)
    grid = field == VISIT ? plan : NULL;
    if (field == PREDICATE)
        CREATE(select, ctx, d.predicate = text)
    else if (field == EQUAL)
        CREATE(select, ctx, d.kind = XL_SELECT_UNIQUE; d.equal = text)
    else if (field == EXPRESSION)
        CREATE(transform, ctx, d.expression = text)
    else if (field == BINS)
        CREATE(histogram, ctx, d.load = text)
    else if (field == LOAD)
        CREATE(scan, ctx, d.load = text)
    else if (field == STORE)
        CREATE(scan, ctx, d.store = text)
    else if (field == STORE_OF_SUM)
        CREATE(reduce, ctx, d.store = text)
    else if (field == COMPARATOR)
        CREATE(sort, ctx, d.key = XL_U32; d.comparator = &before)
    else if (field == VISIT)
        CREATE(neighbors, grid, d.radius = 1; d.visit = text)
    else if (field == OPERATOR_OF_UINTS)
        CREATE(scan, ctx, op.source = text; d.kind = XL_INCLUSIVE; d.op = XL_USER_OP;
               d.user_op = &op)
    else
        CREATE(scan, ctx, *(field == TYPE ? &type.source : &op.source) = text;
               d = scan_desc(&type, &op))
    xl_plan_destroy(plan);
    xl_plan_destroy(grid);
    return status;
}

/* An expression must be one, a source must end where it ends, and functions must have the types of
 * the call, in every primitive. */
XLT_TEST(texts_of_all_primitives)
{
    static const char two[] = "x > 2, x < 5",
                      no_join[] = "xl_scan_create: operator join does not compile",
                      uints[] = ": the source must define \"uint join(uint, uint)\"\n";
    static const xl_status bad = XL_ERROR_INVALID_ARGUMENT, build = XL_ERROR_BUILD;
    const struct {
        text_field field;
        const char *text;
        xl_status status;
        const char *start, *part; /* of the error's text; part: or NULL */
    } rows[] = {
        {PREDICATE, two, bad, "desc.predicate: \",\" in line 1, column 6; must be one express",
         NULL},
        {EQUAL, "a == b; b", bad, "desc.equal: \";\" in line 1, column 7; must be one expression",
         NULL},
        {EXPRESSION, two, bad, "desc.expression: \",\" in line 1, column 6; ", NULL},
        {BINS, two, bad, "desc.load: \",\" in line 1, column 6; ", NULL},
        {LOAD, two, bad, "desc.load: \",\" in line 1, column 6; ", NULL},
        {STORE, "x /*", bad, "desc.store: \"/*\" in line 1, column 3; the closing */ is missing",
         NULL},
        {STORE_OF_SUM, "x) + (x", bad, "desc.store: \")\" in line 1, column 2; ", NULL},
        /* x == 5 was meant. */
        {LOAD, "x = 5", build, "xl_scan_create: load does not compile: line 1, col", NULL},
        {PREDICATE, "x = 5", build, "xl_select_create: predicate does not compile: line 1", NULL},
        {OPERATOR, "body join(body a, body b)\n{\n    return a;\n", bad,
         "desc.user_op->source: \"{\" in line 2, column 1; the closing ", NULL},
        {TYPE, "#if 1\ntypedef struct { float m, x, y; } body;", bad,
         "desc.user_type->source: \"#if\" in line 1, column 1; the #endif ", NULL},
        {COMPARATOR, "bool before(uint a, uint b) { return a < b; } /*", bad,
         "desc.comparator->source: \"/*\" in line 1, column 47; ", NULL},
        {VISIT, "float visit(float s, float d, uint i, uint j, float4 p) { return s; } \"", bad,
         "desc.visit: \"\"\" in line 1, column 71; the closing quote is mis", NULL},
        {VISIT,
         "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
         "{\n    return sum + no_such_name;\n}\n",
         build, "xl_neighbors_create: visit does not compile: line 3, column 18: ", NULL},
        {VISIT, "int visit(int sum, float d, uint i, uint j, float4 p) { return sum; }", build,
         "xl_neighbors_create: visit does not compile: ",
         ": the source must define \"float visit(float, float, uint, uint, float4)\"\n"},
        {COMPARATOR, "bool before(float a, float b) { return a < b; }", build,
         "xl_sort_create: comparator before does not compile: ",
         ": the source must define \"int before(uint, uint)\"\n"},
        {COMPARATOR, "int before(const uint a, const uint b) { return a < b; }", XL_SUCCESS, NULL,
         NULL},
        {OPERATOR, "float join(float a, body b)\n{\n    return a;\n}\n", build, no_join,
         "\noperator join:1: float join(float a, body b)\n"},
        /* C converts arguments and results of other types without a warning. */
        {OPERATOR_OF_UINTS, "float join(float a, float b) { return a + b; }", build, no_join,
         uints},
        {OPERATOR_OF_UINTS, "uint join(uint a, int b) { return a + (uint)b; }", build, no_join,
         uints},
        {OPERATOR_OF_UINTS, "ulong join(uint a, uint b) { return a + b; }", build, no_join, uints},
        {OPERATOR_OF_UINTS, "uint g(uint a, uint b) { return a + b; }", build, no_join, NULL},
        {OPERATOR_OF_UINTS,
         "__attribute__((overloadable)) float join(float a, float b) { return a + b; }", build,
         no_join, uints},
        {OPERATOR_OF_UINTS,
         "typedef uint n; static inline n join(n a, const n b) { return a + b; }", XL_SUCCESS, NULL,
         NULL},
        {OPERATOR_OF_UINTS, "#define join(a, b) ((a) + (b))", XL_SUCCESS, NULL, NULL},
        {OPERATOR_OF_UINTS, "uint g(uint a, uint b) { return a + b; }\n#define join g", XL_SUCCESS,
         NULL, NULL},
        {OPERATOR_OF_UINTS,
         "__attribute__((overloadable)) uint join(uint a, uint b) { return a + b; }", XL_SUCCESS,
         NULL, NULL},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        if (rows[k].field == VISIT && !xlt_has_grids())
            continue;
        XLT_FAILS(create(rows[k].field, rows[k].text), rows[k].status);
        if (rows[k].status == XL_SUCCESS)
            continue;
        const char *const text = xl_context_error(xlt_context());
        starts(text, rows[k].start);
        if (rows[k].part)
            has(text, rows[k].part);
        if (rows[k].status == build)
            is_short(text);
    }
}

/* Compilers can do all that the limits allow: see XL_ERROR_INVALID_ARGUMENT in user_text_test.c. */
XLT_TEST(the_longest_texts)
{
    enum { MOST = 4096, NESTED = 64, SIGNS = 64 };
    char sum[MOST + 1] = "x", nested[2 * NESTED + 2] = "", signs[SIGNS + 2] = "";
    for (int k = 1; k + 1 < MOST; k += 2)
        memcpy(sum + k, "+x", 2);
    memset(nested, '(', NESTED);
    nested[NESTED] = 'x';
    memset(nested + NESTED + 1, ')', NESTED);
    memset(signs, '~', SIGNS);
    signs[SIGNS] = 'x';
    const char *const texts[] = {sum, nested, signs};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        xl_plan *plan;
        xl_transform_desc desc;
        xl_transform_desc_init(&desc);
        desc.types[0] = XL_U32;
        desc.expression = texts[i];
        XLT_OK(xl_transform_create(xlt_context(), &desc, &plan));
        xl_plan_destroy(plan);
    }
}

/* Whatever it returns, it says yes unless that is 0. */
XLT_TEST(a_comparator_that_returns_halves)
{
    enum { N = 100 };
    const xl_user_comparator before = {"before",
                                       "float before(uint a, uint b) { return a < b ? 0.5f : 0; }"};
    cl_uint keys[N];
    xl_plan *plan;
    xl_sort_desc desc;
    xl_sort_desc_init(&desc);
    desc.key = XL_U32;
    desc.comparator = &before;
    XLT_OK(xl_sort_create(xlt_context(), &desc, &plan));
    for (cl_uint i = 0; i < N; ++i)
        keys[i] = i * 37 % N;
    xlt_buffer in = xlt_buffer_make(keys, N, 4, 0), out = xlt_buffer_make(NULL, N, 4, 0);
    const xl_sort_args args = {.n = N, .keys_in = xlt_view(&in), .keys_out = xlt_view(&out)};
    XLT_OK(xl_sort_enqueue(plan, xlt_queue(), &args, 0, NULL, NULL));
    xlt_read(&out, keys);
    for (cl_uint i = 0; i < N; ++i)
        assert_int_equal(keys[i], i);
    xlt_buffer_free(&in);
    xlt_buffer_free(&out);
    xl_plan_destroy(plan);
}

XLT_MAIN(NULL, xlt_teardown)

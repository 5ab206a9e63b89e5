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

static void a_mistyped_operator(void **state)
{
    (void)state;
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

static void in_a_reduction(void **state)
{
    (void)state;
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

static void of_other_arguments(void **state)
{
    (void)state;
    const char *text = operator_fails("float join(float a, body b)\n{\n    return a;\n}\n");
    starts(text, "xl_scan_create: operator join does not compile");
    has(text, "\noperator join:1: float join(float a, body b)\n");
    is_short(text);
}

/* The lines around the first mistake are shown, and the others counted. */
static void a_long_text(void **state)
{
    (void)state;
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
static void columns_of_expressions(void **state)
{
    (void)state;
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

static void the_size_of_a_type(void **state)
{
    (void)state;
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
static void the_size_of_a_loaded_type(void **state)
{
    (void)state;
    const xl_user_type wide = {"wide", 8, 4, "typedef struct { body of; } wide;"};
    const xl_user_op op = {"join", "body join(body a, body b) { return a; }", NULL, 0};
    xl_scan_desc desc = scan_desc(&body, &op);
    desc.load_type = XL_USER_TYPE;
    desc.user_load_type = &wide;
    desc.load = "x.of";
    starts(scan_fails(xlt_context(), &desc),
           "type \"wide\": the device says 12 bytes, aligned to 4, the descriptor 8, aligned to 4");
}

static void the_source_goes_to_the_dump_folder(void **state)
{
    (void)state;
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

static void a_program_of_the_users(void **state)
{
    (void)state;
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

/* The plan of a grid, which searches are made from. */
static xl_plan *grid_of(xl_plan **grid)
{
    xl_grid_desc desc;
    xl_grid_desc_init(&desc);
    desc.cell_size = 1;
    XLT_OK(xl_grid_create(xlt_context(), &desc, grid));
    return *grid;
}

static void a_visit(void **state)
{
    (void)state;
    xl_plan *plan, *grid;
    xl_neighbors_desc desc;
    if (!xlt_has_grids())
        skip();
    xl_neighbors_desc_init(&desc);
    desc.radius = 1;
    desc.visit = "float visit(float sum, float distance2, uint i, uint j, float4 p)\n"
                 "{\n    return sum + no_such_name;\n}\n";
    XLT_FAILS(xl_neighbors_create(grid_of(&grid), &desc, &plan), XL_ERROR_BUILD);
    starts(xl_context_error(xlt_context()),
           "xl_neighbors_create: visit does not compile: line 3, column 18: ");
    is_short(xl_context_error(xlt_context()));
    xl_plan_destroy(grid);
}

/* An expression must be one, in every primitive. */
static void more_than_an_expression(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    static const char text[] = "x > 2, x < 5";
    xl_plan *select;
    xl_select_desc of_select;
    xl_select_desc_init(&of_select);
    of_select.predicate = text;
    XLT_FAILS(xl_select_create(ctx, &of_select, &select), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.predicate: \",\" in line 1, column 6; must be one express");
    of_select.predicate = NULL;
    of_select.kind = XL_SELECT_UNIQUE;
    of_select.equal = "a == b; b";
    XLT_FAILS(xl_select_create(ctx, &of_select, &select), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.equal: \";\" in line 1, column 7; must be one expression");
    xl_plan *transform;
    xl_transform_desc of_transform;
    xl_transform_desc_init(&of_transform);
    of_transform.expression = text;
    XLT_FAILS(xl_transform_create(ctx, &of_transform, &transform), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.expression: \",\" in line 1, column 6; ");
    xl_plan *histogram;
    xl_histogram_desc of_histogram;
    xl_histogram_desc_init(&of_histogram);
    of_histogram.load = text;
    XLT_FAILS(xl_histogram_create(ctx, &of_histogram, &histogram), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.load: \",\" in line 1, column 6; ");
    xl_plan *scan;
    xl_scan_desc of_scan = scan_desc(NULL, NULL);
    of_scan.load = text;
    XLT_FAILS(xl_scan_create(ctx, &of_scan, &scan), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.load: \",\" in line 1, column 6; ");
    of_scan.load = NULL;
    of_scan.store = "x /*";
    XLT_FAILS(xl_scan_create(ctx, &of_scan, &scan), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx),
           "desc.store: \"/*\" in line 1, column 3; the closing */ is missing");
    xl_plan *reduce;
    xl_reduce_desc of_reduce;
    xl_reduce_desc_init(&of_reduce);
    of_reduce.store = "x) + (x";
    XLT_FAILS(xl_reduce_create(ctx, &of_reduce, &reduce), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.store: \")\" in line 1, column 2; ");
}

/* Compilers can do all that the limits allow: see XL_ERROR_INVALID_ARGUMENT in user_text_test.c. */
static void the_longest_texts(void **state)
{
    (void)state;
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

/* An assignment changes nothing, so it is a mistake: x == 5 was meant. */
static void an_assignment(void **state)
{
    (void)state;
    xl_scan_desc desc = scan_desc(NULL, NULL);
    desc.load = "x = 5";
    starts(scan_fails(xlt_context(), &desc), "xl_scan_create: load does not compile: line 1, col");
    xl_plan *plan;
    xl_select_desc select;
    xl_select_desc_init(&select);
    select.predicate = "x = 5";
    XLT_FAILS(xl_select_create(xlt_context(), &select, &plan), XL_ERROR_BUILD);
    starts(xl_context_error(xlt_context()), "xl_select_create: predicate does not compile: line 1");
}

/* A source must end where it ends, in every primitive. */
static void an_open_source(void **state)
{
    (void)state;
    xl_context *ctx = xlt_context();
    xl_plan *scan;
    xl_user_op op = {"join", "body join(body a, body b)\n{\n    return a;\n", NULL, 0};
    xl_user_type type = body;
    xl_scan_desc desc = scan_desc(&type, &op);
    XLT_FAILS(xl_scan_create(ctx, &desc, &scan), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.user_op->source: \"{\" in line 2, column 1; the closing ");
    type.source = "#if 1\ntypedef struct { float m, x, y; } body;";
    XLT_FAILS(xl_scan_create(ctx, &desc, &scan), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx),
           "desc.user_type->source: \"#if\" in line 1, column 1; the #endif ");
    op.name = "xl_scan_sweep";
    type.source = body.source;
    XLT_FAILS(xl_scan_create(ctx, &desc, &scan), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx),
           "desc.user_op: \"xl_scan_sweep\"; names that begin with xl_ or XL_ are");
    xl_plan *sort;
    xl_sort_desc of_sort;
    const xl_user_comparator before = {"before",
                                       "bool before(uint a, uint b) { return a < b; } /*"};
    xl_sort_desc_init(&of_sort);
    of_sort.key = XL_U32;
    of_sort.comparator = &before;
    XLT_FAILS(xl_sort_create(ctx, &of_sort, &sort), XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx), "desc.comparator->source: \"/*\" in line 1, column 47; ");
    xl_plan *neighbors, *grid;
    xl_neighbors_desc of_neighbors;
    xl_neighbors_desc_init(&of_neighbors);
    of_neighbors.radius = 1;
    of_neighbors.visit = "float visit(float s, float d, uint i, uint j, float4 p) { return s; } \"";
    XLT_FAILS(xl_neighbors_create(grid_of(&grid), &of_neighbors, &neighbors),
              XL_ERROR_INVALID_ARGUMENT);
    starts(xl_context_error(ctx),
           "desc.visit: \"\"\" in line 1, column 71; the closing quote is mis");
    xl_plan_destroy(grid);
}

/* C converts arguments and results of other types without a warning; the library refuses them. */
static void an_operator_of_other_types(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        bool fits;
    } cases[] = {
        {"float f(float a, float b) { return a + b; }", false},
        {"float f(uint a, uint b) { return (float)a + (float)b; }", false},
        {"uint f(uint a, int b) { return a + (uint)b; }", false},
        {"ulong f(uint a, uint b) { return a + b; }", false},
        {"uint g(uint a, uint b) { return a + b; }", false},
        {"__attribute__((overloadable)) float f(float a, float b) { return a + b; }", false},
        {"uint f(uint a, uint b) { return a + b; }", true},
        {"uint f(const uint a, uint b) { return a + b; }", true},
        {"typedef uint count; static inline count f(count a, const count b) { return a + b; }",
         true},
        {"#define f(a, b) ((a) + (b))", true},
        {"uint g(uint a, uint b) { return a + b; }\n#define f g", true},
        {"__attribute__((overloadable)) uint f(uint a, uint b) { return a + b; }", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const xl_user_op op = {"f", cases[i].source, NULL, 0};
        xl_plan *plan;
        xl_scan_desc desc = scan_desc(NULL, NULL);
        desc.op = XL_USER_OP;
        desc.user_op = &op;
        XLT_FAILS(xl_scan_create(xlt_context(), &desc, &plan),
                  cases[i].fits ? XL_SUCCESS : XL_ERROR_BUILD);
        xl_plan_destroy(plan);
        if (cases[i].fits)
            continue;
        const char *text = xl_context_error(xlt_context());
        starts(text, "xl_scan_create: operator f does not compile: ");
        if (!strstr(cases[i].source, " g(")) /* there is no f at all: compilers say so */
            has(text, ": the source must define \"uint f(uint, uint)\"\n");
        is_short(text);
    }
}

static void a_comparator_of_other_types(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        bool fits;
    } cases[] = {
        {"bool before(float a, float b) { return a < b; }", false},
        {"bool before(uint a, uint b) { return a < b; }", true},
        {"int before(const uint a, const uint b) { return a < b; }", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const xl_user_comparator before = {"before", cases[i].source};
        xl_plan *plan;
        xl_sort_desc desc;
        xl_sort_desc_init(&desc);
        desc.key = XL_U32;
        desc.comparator = &before;
        XLT_FAILS(xl_sort_create(xlt_context(), &desc, &plan),
                  cases[i].fits ? XL_SUCCESS : XL_ERROR_BUILD);
        xl_plan_destroy(plan);
        if (!cases[i].fits) {
            starts(xl_context_error(xlt_context()),
                   "xl_sort_create: comparator before does not compile: ");
            has(xl_context_error(xlt_context()),
                ": the source must define \"int before(uint, uint)\"\n");
        }
    }
}

/* Whatever it returns, it says yes unless that is 0. */
static void a_comparator_that_returns_halves(void **state)
{
    (void)state;
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

static void a_visit_of_other_types(void **state)
{
    (void)state;
    xl_plan *plan, *grid;
    xl_neighbors_desc desc;
    if (!xlt_has_grids())
        skip();
    xl_neighbors_desc_init(&desc);
    desc.radius = 1;
    desc.visit = "int visit(int sum, float d, uint i, uint j, float4 p) { return sum; }";
    XLT_FAILS(xl_neighbors_create(grid_of(&grid), &desc, &plan), XL_ERROR_BUILD);
    starts(xl_context_error(xlt_context()), "xl_neighbors_create: visit does not compile: ");
    has(xl_context_error(xlt_context()),
        ": the source must define \"float visit(float, float, uint, uint, float4)\"\n");
    xl_plan_destroy(grid);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mistyped_operator),
        cmocka_unit_test(in_a_reduction),
        cmocka_unit_test(of_other_arguments),
        cmocka_unit_test(a_long_text),
        cmocka_unit_test(columns_of_expressions),
        cmocka_unit_test(the_size_of_a_type),
        cmocka_unit_test(the_size_of_a_loaded_type),
        cmocka_unit_test(the_source_goes_to_the_dump_folder),
        cmocka_unit_test(a_program_of_the_users),
        cmocka_unit_test(a_visit),
        cmocka_unit_test(more_than_an_expression),
        cmocka_unit_test(the_longest_texts),
        cmocka_unit_test(an_assignment),
        cmocka_unit_test(an_open_source),
        cmocka_unit_test(an_operator_of_other_types),
        cmocka_unit_test(a_comparator_of_other_types),
        cmocka_unit_test(a_comparator_that_returns_halves),
        cmocka_unit_test(a_visit_of_other_types),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xlt_finish();
    return failed;
}

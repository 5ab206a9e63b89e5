/* SPDX-License-Identifier: MIT
 * Programs of users: lines that include a text of the library are replaced by that text; other
 * lines are not changed. */
#include "private.h"
#include "user_text.h"

#include <crosslane/program.h>
#include <string.h>

/* The state of a scan of the source: only code, not a comment or literal, may be a directive. */
typedef enum place { CODE, LINE_COMMENT, BLOCK_COMMENT, STRING, CHARACTER } place;

typedef struct flattener {
    const xl_context *ctx;
    xli_text text;
    unsigned long line; /* of the source, from 1 */
    place place;
    bool line_is_blank; /* nothing but blanks and comments so far: a directive may start */
    bool reads_files;   /* the compiler will include files, which may change */
} flattener;

static const char prefix[] = "<crosslane/";
static const char suffix[] = ".cl>";

/* Moves over one character, or two that belong together, and says how many. */
static size_t step(flattener *f, const char *at)
{
    const char c = at[0], next = at[1];
    bool two = false;
    switch (f->place) {
    case CODE:
        two = c == '/' && (next == '/' || next == '*');
        if (two)
            f->place = next == '/' ? LINE_COMMENT : BLOCK_COMMENT;
        else if (c == '"' || c == '\'')
            f->place = c == '"' ? STRING : CHARACTER;
        break;
    case BLOCK_COMMENT:
        two = c == '*' && next == '/';
        if (two)
            f->place = CODE;
        break;
    case LINE_COMMENT:
        two = c == '\\' && next == '\n';
        if (c == '\n')
            f->place = CODE;
        break;
    default: /* a literal ends at its quote, or, if it is a mistake, with the line */
        two = c == '\\' && next != '\0';
        if (c == '\n' || c == (f->place == STRING ? '"' : '\''))
            f->place = CODE;
    }
    const bool literal = f->place == STRING || f->place == CHARACTER;
    const bool code = f->place == CODE && !two && !strchr(" \t\r\f\v\n", c);
    if (c == '\n' || (two && next == '\n')) {
        ++f->line;
        f->line_is_blank = true;
    } else if (literal || code) {
        f->line_is_blank = false;
    }
    return two ? 2 : 1;
}

/* Whether the compiler may see a directive or a comment that step() does not see: other
 * spellings of '#' and '\\', a line that ends in a lone carriage return, a token cut by a
 * continued line; or whether the source asks for files in another way. */
static bool is_odd(const char *source)
{
    static const char *const signs[] = {"%:", "?\?=", "?\?/", "__has_include", "__has_embed"};
    for (size_t i = 0; i < XLI_COUNT(signs); ++i)
        if (strstr(source, signs[i]))
            return true;
    for (const char *at = source; (at = strpbrk(at, "\\\r")); ++at) {
        const bool cut = *at == '\\' && at > source && !strchr(" \t", at[-1]);
        const char *end = at + 1 + (*at == '\\' ? strspn(at + 1, " \t\r\f\v") : 0);
        if (*at == '\r' ? *end != '\n' : cut && *end == '\n' && !strchr(" \t\r\n", end[1]))
            return true;
    }
    return false;
}

/* Options that name a file for the compiler to read, where it knows them. */
static bool option_reads(const char *options)
{
    return options && (strstr(options, "-include") || strstr(options, "-imacros"));
}

/* Whether the directive at `at` may have the compiler read a file: any may of which we do
 * not know better. */
static bool directive_reads(const char *at)
{
    static const char *const harmless[] = {"",       "define", "undef",  "if",    "ifdef",
                                           "ifndef", "elif",   "else",   "endif", "pragma",
                                           "line",   "error",  "warning"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    at += 1 + strspn(at + 1, " \t");
    const size_t length = strspn(at, letters);
    if (!strchr(length > 0 ? " \t\r\n(!\"" : "\r\n0123456789", at[length]))
        return true;
    for (size_t i = 0; i < XLI_COUNT(harmless); ++i)
        if (strlen(harmless[i]) == length && strncmp(at, harmless[i], length) == 0)
            return false;
    return true;
}

/* What follows `#include` if this is one, else NULL. */
static const char *include_operand(const char *at)
{
    static const char word[] = "include";
    if (*at != '#')
        return NULL;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, word, sizeof word - 1) != 0)
        return NULL;
    at += sizeof word - 1;
    return at + strspn(at, " \t");
}

static xl_status refuse_include(const flattener *f, const char *operand)
{
    xli_text names = {0};
    const xli_source *known;
    for (size_t i = 0; (known = xli_include_at(i)); ++i)
        xli_text_add(&names, "%s<crosslane/%s.cl>", i > 0 ? ", " : "", known->name);
    xl_status status =
        xli_fail(f->ctx, XL_ERROR_INVALID_ARGUMENT,
                 "source, line %lu: there is no %.*s to include; there are %s", f->line,
                 (int)strcspn(operand, "\r\n"), operand, names.data ? names.data : "others");
    xli_text_free(&names);
    return status;
}

/* The embedded text that an operand names, or NULL; *length is that of the operand. */
static const xli_source *include_named(const char *operand, size_t *length)
{
    char name[64];
    const char *stem = operand + sizeof prefix - 1;
    const size_t most = strcspn(stem, ">\n");
    if (stem[most] != '>' || most < 3 || most - 3 >= sizeof name ||
        strncmp(stem + most - 3, suffix, sizeof suffix - 1) != 0)
        return NULL;
    memcpy(name, stem, most - 3);
    name[most - 3] = '\0';
    *length = sizeof prefix - 1 + most + 1;
    return xli_include_find(name);
}

/* At a place where a directive may start: adds the text that it includes, if it is the
 * library's, and then the directive as a comment, for readers of errors. *length: the length of
 * the directive. */
static xl_status take_include(flattener *f, const char *at, size_t *length)
{
    const char *operand = include_operand(at);
    size_t operand_length = 0;
    *length = 0;
    if (!operand || strncmp(operand, prefix, sizeof prefix - 1) != 0) {
        f->reads_files = f->reads_files || directive_reads(at);
        return XL_SUCCESS;
    }
    const xli_source *source = include_named(operand, &operand_length);
    if (!source)
        return refuse_include(f, operand);
    *length = (size_t)(operand - at) + operand_length;
    xli_text_add(&f->text, "\n");
    xli_text_add_bytes(&f->text, source->text, source->length);
    xli_text_add(&f->text, "\n#line %lu \"user\"\n/* %.*s */", f->line, (int)*length, at);
    return XL_SUCCESS;
}

static xl_status flatten(flattener *f, const char *source)
{
    xli_text_add(&f->text, "#line 1 \"user\"\n");
    for (const char *at = source; *at;) {
        size_t length = 0;
        if (*at == '#' && f->place == CODE && f->line_is_blank) {
            xl_status status = take_include(f, at, &length);
            if (status != XL_SUCCESS)
                return status;
        }
        if (length == 0) {
            length = step(f, at);
            xli_text_add_bytes(&f->text, at, length);
        }
        at += length;
    }
    xli_text_add(&f->text, "\n");
    if (f->text.failed)
        return xli_fail(f->ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a source of %zu bytes",
                        strlen(source));
    return XL_SUCCESS;
}

static xl_status check(const xl_context *ctx, const char *source, const char *options)
{
    if (!source)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "source is NULL");
    if (options && strstr(options, "-cl-std"))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "options \"%.200s\" choose a dialect, but that is the device's newest",
                        options);
    return xli_check_program(ctx, "source", source);
}

xl_status xl_program_create(xl_context *ctx, const char *source, const char *options,
                            cl_program *program)
{
    xl_status status;
    const xli_capabilities *capabilities;
    flattener f = {.ctx = ctx, .line = 1, .place = CODE, .line_is_blank = true};
    xli_sha256 hash;
    char hex[65];
    if (program)
        *program = NULL;
    if (!ctx || !program)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s is NULL", ctx ? "program" : "ctx");
    XL_TRY(check(ctx, source, options));
    f.reads_files = is_odd(source) || option_reads(options);
    XL_TRY(flatten(&f, source));
    xli_sha256_init(&hash);
    xli_sha256_add_source(&hash, f.text.data);
    xli_sha256_hex(&hash, hex);
    const xli_source whole = {"user", f.text.data, f.text.length, hex};
    XL_TRY(xli_context_capabilities(ctx, &capabilities));
    XL_TRY(xli_program_build_user(ctx, capabilities, &whole, "#define XL_USER_PROGRAM 1\n",
                                  options ? options : "", !f.reads_files, program));
done:
    xli_text_free(&f.text);
    return status;
}

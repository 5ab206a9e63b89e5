/* SPDX-License-Identifier: MIT
 * Checks of OpenCL C that a caller gives. A text is read token by token. It is refused, with the
 * place, if it would reach into the library's text behind it or mean something else there. */
#include "user_text.h"

#include "lexer.h"

#include <string.h>

typedef struct bracket {
    char sign;
    bool separates; /* a comma in it separates arguments of a call or members of an initialiser */
    unsigned long line, column;
} bracket;

typedef struct checker {
    const xl_context *ctx;
    const char *field;
    bool is_expression;
    xli_lexer lexer;
    xli_token token;
    xli_token_kind before; /* of the token before, comments and ends of lines left out */
    char sign_before;
    bracket brackets[XLI_MOST_NESTED];
    size_t depth;
    size_t signs;     /* without an operand in between */
    bool is_prose;    /* in a #pragma or an #error, whose signs are no operators */
    size_t statement; /* characters of the statement so far */
    bool directive;   /* in a line that begins with # */
    /* Branches of #if need not balance their brackets, nor macros: then brackets are not checked.
     */
    bool unsure;
    size_t conditionals, depth_outside; /* brackets around the outermost #if */
    xli_token hash, condition;          /* of this directive; of the outermost #if */
} checker;

/* Refuses the text for the `length` characters `shown` at a place. */
static xl_status refuse_at(const checker *c, const char *shown, size_t length, unsigned long line,
                           unsigned long column, const char *rule)
{
    return xli_fail(c->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: \"%.*s\" in line %lu, column %lu; %s",
                    c->field, (int)length, shown, line, column, rule);
}

static xl_status refuse(const checker *c, const char *rule)
{
    const size_t most = c->token.kind == XLI_TOKEN_COMMENT ? 2 : XLI_TOKEN_LETTERS;
    const size_t length = xli_min(strcspn(c->token.at, "\r\n"), c->token.length);
    return refuse_at(c, c->token.at, xli_min(length, most), c->token.line, c->token.column, rule);
}

/* ---- words ---- */

static bool is_in(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static bool is_librarys(const char *word)
{
    return strncmp(word, "xl_", 3) == 0 || strncmp(word, "XL_", 3) == 0;
}

static bool begins_statement(const char *word)
{
    static const char *const words[] = {"asm",    "break",  "case",    "continue", "default",
                                        "do",     "else",   "for",     "goto",     "if",
                                        "return", "switch", "typedef", "while",    "__asm__"};
    return is_in(word, words, XLI_COUNT(words));
}

static xl_status check_word(const checker *c)
{
    if (is_librarys(c->token.word))
        return refuse(c, "names that begin with xl_ or XL_ are the library's");
    if (c->is_expression && begins_statement(c->token.word))
        return refuse(c, "must be one expression, without statements");
    return XL_SUCCESS;
}

/* ---- brackets ---- */

static char closing(char opening)
{
    return opening == '(' ? ')' : opening == '[' ? ']' : '}';
}

/* Parentheses behind a name or a bracket hold arguments, or the lanes of a vector. Braces of an
 * expression hold members, and of a source if they are an initialiser. */
static bool separates(const checker *c, char sign)
{
    const bool signs = c->before == XLI_TOKEN_SIGN;
    const bool called = c->before == XLI_TOKEN_WORD || (signs && strchr(")]", c->sign_before));
    const bool within = c->depth > 0 && c->brackets[c->depth - 1].sign == '{' &&
                        c->brackets[c->depth - 1].separates;
    if (sign == '{')
        return c->is_expression || within || (signs && c->sign_before == '=');
    return sign == '(' && called;
}

/* Braces in an expression hold the members of a structure: (pair){x, i}. */
static bool may_open_brace(const checker *c)
{
    return (c->before == XLI_TOKEN_SIGN && c->sign_before == ')') ||
           (c->depth > 0 && c->brackets[c->depth - 1].sign == '{');
}

static xl_status open_bracket(checker *c, char sign)
{
    if (c->is_expression && sign == '{' && !may_open_brace(c))
        return refuse(c, "must be one expression, without statements");
    if (c->depth == XLI_MOST_NESTED)
        return refuse(c, "brackets may be nested 64 deep");
    c->brackets[c->depth++] = (bracket){sign, separates(c, sign), c->token.line, c->token.column};
    return XL_SUCCESS;
}

static xl_status close_bracket(checker *c, char sign)
{
    const bool fits = c->depth > 0 && closing(c->brackets[c->depth - 1].sign) == sign;
    if (fits)
        --c->depth;
    else if (c->conditionals > 0 || c->directive)
        c->unsure = true;
    else
        return refuse(c, "it must close a bracket of its kind");
    return XL_SUCCESS;
}

static xl_status check_bracket(checker *c, char sign)
{
    if (c->unsure)
        return XL_SUCCESS;
    return strchr("([{", sign) ? open_bracket(c, sign) : close_bracket(c, sign);
}

/* ---- signs ---- */

static bool ends_statement(const checker *c, char sign)
{
    const bracket outside = {.sign = '{'};
    const bracket *around = c->depth > 0 && !c->unsure ? &c->brackets[c->depth - 1] : &outside;
    return strchr("{}", sign) ||
           (around->sign == '{' && (sign == ';' || (sign == ',' && around->separates)));
}

static xl_status check_in_expression(const checker *c, char sign)
{
    const bool separated = c->depth > 0 && c->brackets[c->depth - 1].separates;
    if (sign == ',' && !separated)
        return refuse(c, "must be one expression; a comma may separate the arguments of a call");
    if (sign == ';')
        return refuse(c, "must be one expression, without statements");
    if (sign == '#' || sign == '\\')
        return refuse(c, "must be one expression, without preprocessor directives");
    return XL_SUCCESS;
}

static xl_status check_sign(checker *c)
{
    xl_status status = XL_SUCCESS;
    const char sign = c->token.sign;
    if (c->is_expression)
        XL_TRY(check_in_expression(c, sign));
    if (strchr("([{}])", sign))
        XL_TRY(check_bracket(c, sign));
    if (ends_statement(c, sign))
        c->statement = 0;
done:
    return status;
}

/* ---- directives ---- */

static xl_status begin_conditional(checker *c)
{
    if (c->conditionals++ == 0) {
        c->depth_outside = c->depth;
        c->condition = c->hash;
    }
    return XL_SUCCESS;
}

/* At an #else, an #elif or an #endif. */
static xl_status end_branch(checker *c)
{
    if (c->conditionals == 0)
        return refuse(c, "there is no #if before it");
    if (c->conditionals == 1 && c->depth != c->depth_outside)
        c->unsure = true;
    return XL_SUCCESS;
}

static xl_status end_conditional(checker *c)
{
    const xl_status status = end_branch(c);
    c->conditionals -= status == XL_SUCCESS;
    return status;
}

static xl_status check_directive(checker *c)
{
    static const struct {
        const char *word;
        xl_status (*check)(checker *c);
    } words[] = {{"if", begin_conditional},     {"ifdef", begin_conditional},
                 {"ifndef", begin_conditional}, {"elif", end_branch},
                 {"else", end_branch},          {"endif", end_conditional}};
    for (size_t i = 0; i < XLI_COUNT(words); ++i)
        if (strcmp(c->token.word, words[i].word) == 0)
            return words[i].check(c);
    return XL_SUCCESS;
}

/* The rest of the line is a macro's text, or nothing that brackets must balance in. */
static void end_directive(checker *c, size_t depth)
{
    if (c->depth != depth)
        c->unsure = true;
    c->directive = false;
    c->statement = 0;
}

/* ---- the whole ---- */

static xl_status check_literal(const checker *c)
{
    const bool may_be_open = !c->is_expression && (c->directive || c->conditionals > 0);
    return c->token.open && !may_be_open ? refuse(c, "the closing quote is missing") : XL_SUCCESS;
}

static xl_status check_token(checker *c)
{
    switch (c->token.kind) {
    case XLI_TOKEN_COMMENT:
        return c->token.open ? refuse(c, "the closing */ is missing") : XL_SUCCESS;
    case XLI_TOKEN_LITERAL:
        return check_literal(c);
    case XLI_TOKEN_WORD:
        return check_word(c);
    case XLI_TOKEN_SIGN:
        return check_sign(c);
    default:
        return XL_SUCCESS;
    }
}

static bool is_code(const xli_token *token)
{
    return token->kind > XLI_TOKEN_COMMENT;
}

static xl_status count_signs(checker *c)
{
    static const char *const code[] = {"define", "if", "elif"};
    const xli_token *token = &c->token;
    const bool is_sign = token->kind == XLI_TOKEN_SIGN;
    if (is_sign && token->sign == '#' && token->first)
        c->is_prose = true;
    else if (token->kind == XLI_TOKEN_LINE || is_in(token->word, code, XLI_COUNT(code)))
        c->is_prose = false;
    if (is_code(token) && (!is_sign || c->is_prose || strchr(")]};,", token->sign)))
        c->signs = 0;
    else if (is_sign)
        ++c->signs;
    return c->signs > XLI_MOST_SIGNS
               ? refuse(c, "at most 64 operators may follow each other without an operand")
               : XL_SUCCESS;
}

/* Reads a token and checks it. */
static xl_status take(checker *c)
{
    xl_status status;
    xli_lexer_next(&c->lexer, &c->token);
    if (is_code(&c->token))
        c->statement += c->token.length;
    XL_TRY(count_signs(c));
    XL_TRY(check_token(c));
    if (c->statement > XLI_MOST_STATEMENT)
        XL_TRY(refuse(c, "a statement may have at most 4096 characters"));
    if (is_code(&c->token)) {
        c->before = c->token.kind;
        c->sign_before = c->token.sign;
    }
done:
    return status;
}

/* Behind a # that begins its line, up to the end of that. */
static xl_status take_directive(checker *c)
{
    xl_status status = XL_SUCCESS;
    const size_t depth = c->depth;
    bool is_word_first = true;
    c->directive = true;
    c->hash = c->token;
    while (c->token.kind != XLI_TOKEN_LINE && c->token.kind != XLI_TOKEN_END) {
        XL_TRY(take(c));
        if (is_code(&c->token) && is_word_first) {
            XL_TRY(check_directive(c));
            is_word_first = false;
        }
    }
    end_directive(c, depth);
done:
    return status;
}

static xl_status check_end(const checker *c)
{
    if (c->conditionals > 0)
        return refuse_at(c, "#if", 3, c->condition.line, c->condition.column,
                         "the #endif is missing");
    if (c->depth > 0 && !c->unsure) {
        const bracket *b = &c->brackets[c->depth - 1];
        return refuse_at(c, &b->sign, 1, b->line, b->column, "the closing bracket is missing");
    }
    if (c->is_expression && c->before == XLI_TOKEN_END)
        return xli_fail(c->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: empty; must be an expression",
                        c->field);
    return XL_SUCCESS;
}

static xl_status check_length(const checker *c, const char *text)
{
    const size_t length = strlen(text);
    const size_t most = c->is_expression ? XLI_MOST_STATEMENT : XLI_MOST_SOURCE;
    if (length > most)
        return xli_fail(c->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: %zu characters; at most %zu",
                        c->field, length, most);
    /* The next line is the library's. A trigraph is a backslash, too. */
    size_t end = length;
    while (end > 0 && strchr(" \t\f\v", text[end - 1]))
        --end;
    if (end > 0 && (text[end - 1] == '\\' || (end >= 3 && strncmp(text + end - 3, "?\?/", 3) == 0)))
        return xli_fail(c->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: ends in a backslash; must not continue behind its end", c->field);
    return XL_SUCCESS;
}

static xl_status check_text(const xl_context *ctx, const char *field, const char *text,
                            bool is_expression)
{
    xl_status status = XL_SUCCESS;
    checker c = {.ctx = ctx, .field = field, .is_expression = is_expression};
    if (!text)
        return XL_SUCCESS;
    c.lexer = xli_lexer_of(text);
    XL_TRY(check_length(&c, text));
    do {
        XL_TRY(take(&c));
        if (c.token.kind == XLI_TOKEN_SIGN && c.token.sign == '#' && c.token.first)
            XL_TRY(take_directive(&c));
    } while (c.token.kind != XLI_TOKEN_END);
    XL_TRY(check_end(&c));
done:
    return status;
}

xl_status xli_check_expression(const xl_context *ctx, const char *field, const char *text)
{
    return check_text(ctx, field, text, true);
}

xl_status xli_check_source(const xl_context *ctx, const char *field, const char *text)
{
    return check_text(ctx, field, text, false);
}

xl_status xli_check_program(const xl_context *ctx, const char *field, const char *text)
{
    xl_status status;
    checker c = {.ctx = ctx, .field = field, .lexer = xli_lexer_of(text)};
    do {
        xli_lexer_next(&c.lexer, &c.token);
        XL_TRY(count_signs(&c));
    } while (c.token.kind != XLI_TOKEN_END);
done:
    return status;
}

/* ---- names ---- */

/* Words of C99 and of OpenCL C, and its scalar types. */
static bool is_reserved(const char *word)
{
    static const char *const words[] = {
        "asm",       "auto",      "bool",       "break",     "case",      "char",      "const",
        "constant",  "continue",  "default",    "do",        "double",    "else",      "enum",
        "event_t",   "extern",    "false",      "float",     "for",       "generic",   "global",
        "goto",      "half",      "if",         "image1d_t", "image2d_t", "image3d_t", "inline",
        "int",       "intptr_t",  "kernel",     "local",     "long",      "pipe",      "private",
        "ptrdiff_t", "read_only", "read_write", "register",  "restrict",  "return",    "sampler_t",
        "short",     "signed",    "size_t",     "sizeof",    "static",    "struct",    "switch",
        "true",      "typedef",   "typeof",     "uchar",     "uint",      "uintptr_t", "ulong",
        "uniform",   "union",     "unsigned",   "ushort",    "void",      "volatile",  "while",
        "write_only"};
    return is_in(word, words, XLI_COUNT(words)) || strncmp(word, "__", 2) == 0;
}

/* Whether a word is a vector's type: float4. */
static bool is_vector_type(const char *word)
{
    static const char *const lanes[] = {"2", "3", "4", "8", "16"};
    static const char *const scalars[] = {"char", "uchar", "short", "ushort", "int",    "uint",
                                          "long", "ulong", "half",  "float",  "double", "bool"};
    const size_t length = strcspn(word, "0123456789");
    char scalar[8] = "";
    if (length >= sizeof scalar || !is_in(word + length, lanes, XLI_COUNT(lanes)))
        return false;
    memcpy(scalar, word, length);
    return is_in(scalar, scalars, XLI_COUNT(scalars));
}

xl_status xli_check_identifier(const xl_context *ctx, const char *field, const char *name,
                               size_t most)
{
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const size_t length = strlen(name);
    const char *rule = NULL;
    if (length == 0 || length > most || strspn(name, allowed) != length ||
        (name[0] >= '0' && name[0] <= '9'))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: \"%.100s\" is no identifier of at most %zu letters", field, name,
                        most);
    if (is_librarys(name))
        rule = "names that begin with xl_ or XL_ are the library's";
    else if (is_reserved(name) || is_vector_type(name))
        rule = "the name is reserved in OpenCL C";
    return rule ? xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: \"%s\"; %s", field, name, rule)
                : XL_SUCCESS;
}

/* ---- signatures ---- */

static bool has_word(const char *source, const char *word)
{
    xli_token token;
    xli_lexer lexer = xli_lexer_of(source);
    do
        xli_lexer_next(&lexer, &token);
    while (token.kind != XLI_TOKEN_END && strcmp(token.word, word) != 0);
    return token.kind != XLI_TOKEN_END;
}

/* build_log.c shows the first line if the others do not compile. An overloaded function cannot be
 * declared again without its attribute, nor be compared whole. */
void xli_text_signature(xli_text *text, const xli_signature *s)
{
    if (!s->source)
        return;
    xli_text_add(text, "#line 1 \"signature of %s\"\n/* %s %s%s */\n#ifndef %s\n", s->text,
                 s->result ? s->result : "int", s->name, s->parameters, s->name);
    const bool overloaded = has_word(s->source, "overloadable");
    if (!overloaded && s->result)
        xli_text_add(text, "%s %s%s;\n", s->result, s->name, s->parameters);
    else if (!overloaded)
        xli_text_add(text, "__typeof__(%s%s) %s%s;\n", s->name, s->arguments, s->name,
                     s->parameters);
    else if (s->result)
        xli_text_add(
            text,
            "typedef char xl_signature_fits[__builtin_types_compatible_p(__typeof__(%s%s), %s) ? "
            "1 : -1];\n",
            s->name, s->arguments, s->result);
    xli_text_add(text, "#endif\n");
}

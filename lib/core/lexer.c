/* SPDX-License-Identifier: MIT
 * The tokens of OpenCL C: phases 1 to 3 of translation (ISO C99, 5.1.1.2). */
#include "lexer.h"

#include "core.h"

#include <string.h>

static bool is_letter(char c)
{
    return c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Characters of a line's end: "\n", "\r\n" or "\r". */
static size_t line_end(const char *at)
{
    return *at == '\r' ? 1u + (at[1] == '\n') : *at == '\n';
}

/* Characters of a backslash, or of its trigraph; 0: there is none. */
static size_t backslash(const char *at)
{
    return *at == '\\' ? 1 : strncmp(at, "?\?/", 3) == 0 ? 3 : 0;
}

static void move_lines(xli_lexer *l, size_t length)
{
    l->at += length;
    ++l->line;
    l->column = 1;
}

/* Moves over each backslash that continues its line. Compilers allow blanks behind it. */
static void skip_continuations(xli_lexer *l)
{
    for (size_t length; (length = backslash(l->at)) > 0;) {
        length += strspn(l->at + length, " \t\f\v");
        if (line_end(l->at + length) == 0)
            return;
        move_lines(l, length + line_end(l->at + length));
    }
}

/* Moves over one character, and over a continuation behind it. */
static void step(xli_lexer *l)
{
    if (line_end(l->at) > 0) {
        move_lines(l, line_end(l->at));
    } else {
        ++l->at;
        ++l->column;
    }
    skip_continuations(l);
}

static xli_lexer behind(const xli_lexer *l)
{
    xli_lexer next = *l;
    step(&next);
    return next;
}

static bool take(xli_lexer *l, char c)
{
    if (*l->at != c)
        return false;
    step(l);
    return true;
}

static void read_line_comment(xli_lexer *l)
{
    while (*l->at && line_end(l->at) == 0)
        step(l);
}

static void read_block_comment(xli_lexer *l, xli_token *token)
{
    step(l);
    step(l);
    while (*l->at && !(*l->at == '*' && *behind(l).at == '/'))
        step(l);
    token->open = !*l->at;
    for (int k = 0; k < 2 && !token->open; ++k)
        step(l);
}

static void read_literal(xli_lexer *l, xli_token *token)
{
    const char quote = *l->at;
    step(l);
    while (*l->at && *l->at != quote && line_end(l->at) == 0) {
        const size_t escape = backslash(l->at);
        for (size_t k = 0; k < escape; ++k)
            step(l);
        if (*l->at && line_end(l->at) == 0)
            step(l);
    }
    token->open = !take(l, quote);
}

static void read_word(xli_lexer *l, xli_token *token)
{
    size_t length = 0;
    for (; is_letter(*l->at) || is_digit(*l->at); step(l))
        if (length < XLI_TOKEN_LETTERS)
            token->word[length++] = *l->at;
    token->word[length] = '\0';
}

static void read_number(xli_lexer *l)
{
    while (is_letter(*l->at) || is_digit(*l->at) || *l->at == '.') {
        const bool exponent = strchr("eEpP", *l->at) != NULL;
        step(l);
        if (exponent && (*l->at == '+' || *l->at == '-'))
            step(l);
    }
}

static void read_sign(xli_lexer *l, xli_token *token)
{
    static const struct {
        char spelling[4], sign;
    } others[] = {{"<:", '['},   {":>", ']'},   {"<%", '{'},   {"%>", '}'},
                  {"%:", '#'},   {"?\?(", '['}, {"?\?)", ']'}, {"?\?<", '{'},
                  {"?\?>", '}'}, {"?\?=", '#'}, {"?\?/", '\\'}};
    token->sign = *l->at;
    for (size_t i = 0; i < XLI_COUNT(others); ++i) {
        xli_lexer other = *l;
        const char *c = others[i].spelling;
        while (*c && take(&other, *c))
            ++c;
        if (!*c) {
            token->sign = others[i].sign;
            *l = other;
            return;
        }
    }
    step(l);
}

static xli_token_kind read_token(xli_lexer *l, xli_token *token)
{
    const char c = *l->at, next = c ? *behind(l).at : '\0';
    if (!c)
        return XLI_TOKEN_END;
    if (line_end(l->at) > 0)
        return step(l), XLI_TOKEN_LINE;
    if (c == '/' && next == '/')
        return read_line_comment(l), XLI_TOKEN_COMMENT;
    if (c == '/' && next == '*')
        return read_block_comment(l, token), XLI_TOKEN_COMMENT;
    if (c == '"' || c == '\'')
        return read_literal(l, token), XLI_TOKEN_LITERAL;
    if (is_letter(c))
        return read_word(l, token), XLI_TOKEN_WORD;
    if (is_digit(c) || (c == '.' && is_digit(next)))
        return read_number(l), XLI_TOKEN_NUMBER;
    return read_sign(l, token), XLI_TOKEN_SIGN;
}

xli_lexer xli_lexer_of(const char *text)
{
    xli_lexer l = {text, 1, 1, true};
    skip_continuations(&l);
    return l;
}

void xli_lexer_next(xli_lexer *l, xli_token *token)
{
    while (*l->at && strchr(" \t\f\v", *l->at))
        step(l);
    *token = (xli_token){.at = l->at, .line = l->line, .column = l->column, .first = l->first};
    token->kind = read_token(l, token);
    token->length = (size_t)(l->at - token->at);
    if (token->kind != XLI_TOKEN_COMMENT)
        l->first = token->kind == XLI_TOKEN_LINE;
}

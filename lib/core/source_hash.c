/* SPDX-License-Identifier: MIT
 * The hash of an OpenCL C source, which stays the same when only comments, blanks, blank lines
 * and #line marks change. cmake/embed.cmake computes the same hash of embedded sources. */
#include "core.h"
#include "lexer.h"

#include <string.h>

typedef struct hasher {
    xli_sha256 *hash;
    const char *end; /* of the token before */
    bool is_empty;   /* nothing in this line has been added */
    bool is_mark;    /* this line is a #line mark */
} hasher;

/* Without the backslashes that continue a line. */
static void add_token(hasher *h, const xli_token *token)
{
    const char *at = token->at, *end = token->at + token->length;
    if (!h->is_empty && at > h->end)
        xli_sha256_add(h->hash, " ", 1);
    for (const char *cut; at < end; at = cut + 2) {
        for (cut = at; cut < end && strncmp(cut, "\\\n", 2) != 0;)
            ++cut;
        xli_sha256_add(h->hash, at, (size_t)(cut - at));
    }
    h->is_empty = false;
    h->end = end;
}

static void add_line_end(hasher *h, const xli_token *token)
{
    if (!h->is_empty)
        xli_sha256_add(h->hash, "\n", 1);
    *h = (hasher){.hash = h->hash, .end = token->at + token->length, .is_empty = true};
}

static bool begins_mark(const xli_lexer *behind, const xli_token *token)
{
    xli_lexer lexer = *behind;
    xli_token next;
    if (!token->first || token->kind != XLI_TOKEN_SIGN || token->sign != '#')
        return false;
    xli_lexer_next(&lexer, &next);
    return next.kind == XLI_TOKEN_WORD && strcmp(next.word, "line") == 0;
}

/* A comment with a backslash may end elsewhere for another compiler. */
static bool is_dropped(const xli_token *token)
{
    return token->kind == XLI_TOKEN_COMMENT && !memchr(token->at, '\\', token->length) &&
           !token->open;
}

void xli_sha256_add_source(xli_sha256 *hash, const char *text)
{
    hasher h = {.hash = hash, .end = text, .is_empty = true};
    xli_lexer lexer = xli_lexer_of(text);
    xli_token token;
    if (strstr(text, "__LINE__") || strstr(text, "__FILE__")) { /* then all of it is significant */
        xli_sha256_add_text(hash, text);
        return;
    }
    for (xli_lexer_next(&lexer, &token); token.kind != XLI_TOKEN_END;
         xli_lexer_next(&lexer, &token)) {
        h.is_mark = h.is_mark || begins_mark(&lexer, &token);
        if (token.kind == XLI_TOKEN_LINE)
            add_line_end(&h, &token);
        else if (!h.is_mark && !is_dropped(&token))
            add_token(&h, &token);
    }
    add_line_end(&h, &token);
}

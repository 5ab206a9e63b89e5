/* SPDX-License-Identifier: MIT
 * The tokens of OpenCL C, as a compiler separates them before its preprocessor runs. */
#ifndef XLI_LEXER_H
#define XLI_LEXER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum xli_token_kind {
    XLI_TOKEN_END = 0,
    XLI_TOKEN_LINE,    /* the end of a line */
    XLI_TOKEN_COMMENT, /* of either kind; without the end of the line */
    XLI_TOKEN_LITERAL, /* a string or a character */
    XLI_TOKEN_WORD,
    XLI_TOKEN_NUMBER,
    XLI_TOKEN_SIGN /* any other single character; digraphs and trigraphs count as one */
} xli_token_kind;

/* A word is compared with names of at most 63 letters; its remaining letters are cut off. */
enum { XLI_TOKEN_LETTERS = 64 };

typedef struct xli_token {
    xli_token_kind kind;
    char sign;                        /* XLI_TOKEN_SIGN: its meaning: '[' for "<:" */
    char word[XLI_TOKEN_LETTERS + 1]; /* XLI_TOKEN_WORD */
    const char *at;                   /* in the text */
    size_t length;
    unsigned long line, column; /* of `at`, from 1 */
    bool first;                 /* only blanks and comments come before it in its line */
    bool open;                  /* a comment or a literal without an end */
} xli_token;

typedef struct xli_lexer {
    const char *at;
    unsigned long line, column;
    bool first;
} xli_lexer;

xli_lexer xli_lexer_of(const char *text);

/* Reads the next token; blanks and continued lines (a backslash at the end) are skipped. At the end
 * of the text each call gives XLI_TOKEN_END. */
void xli_lexer_next(xli_lexer *lexer, xli_token *token);

#endif

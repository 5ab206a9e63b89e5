/* SPDX-License-Identifier: MIT
 * Checks of OpenCL C that a caller gives, before the library compiles it together with its own. */
#ifndef XLI_USER_TEXT_H
#define XLI_USER_TEXT_H

#include "runtime.h"

/* Limits that include/crosslane/types.h states. Compilers are recursive, and PoCL's, which runs in
 * the caller's process, ends it at some thousand levels. */
enum {
    XLI_MOST_SOURCE = 65536,   /* characters of a source */
    XLI_MOST_STATEMENT = 4096, /* of one statement, and of an expression */
    XLI_MOST_NESTED = 64,      /* brackets within each other */
    XLI_MOST_SIGNS = 64        /* operators and opening brackets without an operand in between */
};

/* XL_ERROR_INVALID_ARGUMENT unless `text` can only be one expression, and ends where it ends:
 * no statement, no comma outside the parentheses of a call, no open bracket, comment or literal,
 * no name of the library's. `field`: the caller's, as "desc.load". NULL: none is given. */
xl_status xli_check_expression(const xl_context *ctx, const char *field, const char *text);

/* The same for declarations, which a caller's `source` holds: it must end where it ends. */
xl_status xli_check_source(const xl_context *ctx, const char *field, const char *text);

/* The same for a program of the caller's own, which may be anything but what ends compilers: only
 * its operators without an operand are counted. */
xl_status xli_check_program(const xl_context *ctx, const char *field, const char *text);

/* XL_ERROR_INVALID_ARGUMENT unless `name` is an identifier of at most `most` letters that neither
 * the language nor the library has. */
xl_status xli_check_identifier(const xl_context *ctx, const char *field, const char *name,
                               size_t most);

/* A function that a caller's text defines. */
typedef struct xli_signature {
    const char *text;   /* how errors name the text: "operator join" */
    const char *source; /* NULL: the function is OpenCL C's own, and there is nothing to check */
    const char *result; /* its type; NULL: any that != 0 compares */
    const char *name, *parameters,
        *arguments; /* parameters: "(body, body)"; arguments: of a call */
} xli_signature;

/* Adds, behind the source and a call, declarations that compile if the function has this signature:
 * C would convert arguments and results of other types silently. A macro has no signature. */
void xli_text_signature(xli_text *text, const xli_signature *signature);

#endif

/* SPDX-License-Identifier: MIT
 * What tests of misuse share: calls that have to be refused, and things that no call may take. */
#ifndef XLT_MISUSE_H
#define XLT_MISUSE_H

#include "xlt.h"

/* Fails the test unless `got` is `wanted` and the context's error text contains `text`, which is
 * not empty. ctx NULL: the text of calls that have no context. */
void xlt_refused(xl_context *ctx, xl_status got, xl_status wanted, const char *text);

typedef struct xlt_strangers {
    cl_context context;           /* another one on the device of xlt_context() */
    cl_command_queue queue;       /* in order, of that context */
    cl_mem buffer;                /* of that context, too */
    cl_mem read_only, write_only; /* of xlt_context(): what kernels may not write, or read */
} xlt_strangers;
/* Buffers of `bytes` each; the caller frees all of it. */
xlt_strangers xlt_strangers_make(size_t bytes);
void xlt_strangers_free(xlt_strangers *strangers);

#endif

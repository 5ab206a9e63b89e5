/* SPDX-License-Identifier: MIT
 * The plans, device memory and queue that the simple calls of a context share. */
#ifndef XLI_SIMPLE_CALL_H
#define XLI_SIMPLE_CALL_H

#include "runtime.h"

#include <crosslane/simple.h>

/* Everything that the descriptor of a plan is filled from. */
typedef struct xli_simple_key {
    uint32_t call; /* a number for each kind of plan */
    uint32_t types[3], how;
    uint64_t size;
    double bounds[2];
} xli_simple_key;

/* Makes the plan of a key. */
typedef xl_status xli_simple_make(xl_context *ctx, const xli_simple_key *key, xl_plan **plan);

/* An array of a call. `in` and `out` may be one array of the host, or NULL. */
typedef struct xli_simple_array {
    const char *name;
    const void *in; /* copied to the device before the call; NULL: not */
    void *out;      /* copied from the device after it; NULL: not */
    size_t bytes;
    const uint64_t *count; /* NULL, or the elements to copy back: `out` of a later array */
    size_t element;        /* bytes in each of these */
} xli_simple_array;

enum { XLI_SIMPLE_ARRAYS = 3 };

/* Enqueues the primitive on the buffers of the arrays; NULL for arrays without bytes. */
typedef xl_status xli_simple_enqueue(xl_plan *plan, cl_command_queue queue, const void *call,
                                     const cl_mem *buffers);

/* Runs a whole call. `call` is handed to `enqueue`. */
xl_status xli_simple_run(xl_context *ctx_or_null, const xli_simple_key *key, xli_simple_make *make,
                         const xli_simple_array *arrays, size_t count, xli_simple_enqueue *enqueue,
                         const void *call);

/* Records the failure of a check for the caller's context. */
xl_status xli_simple_refuse(xl_context *ctx_or_null, const char *text);

#endif

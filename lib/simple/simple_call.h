/* SPDX-License-Identifier: MIT
 * The plans, device memory and queue that the simple calls of a context share. */
#ifndef XLI_SIMPLE_CALL_H
#define XLI_SIMPLE_CALL_H

#include "runtime.h"

#include <crosslane/grid.h>
#include <crosslane/simple.h>
#include <crosslane/space.h>

/* The kinds of plans. */
typedef enum xli_simple_kind {
    XLI_SIMPLE_SCAN = 1,
    XLI_SIMPLE_REDUCE,
    XLI_SIMPLE_SORT,
    XLI_SIMPLE_ARGSORT,
    XLI_SIMPLE_TOP_K,
    XLI_SIMPLE_UNIQUE,
    XLI_SIMPLE_HISTOGRAM,
    XLI_SIMPLE_GRID,
    XLI_SIMPLE_NEIGHBORS,
    XLI_SIMPLE_NEAREST,
    XLI_SIMPLE_ROOTS
} xli_simple_kind;

/* Everything that the descriptor of a plan is filled from. Keys are compared as bytes, so that
 * padding must be 0, too. */
typedef struct xli_simple_key {
    uint32_t call; /* an xli_simple_kind */
    uint32_t types[3], how;
    uint64_t size;
    double bounds[3];
    xl_space space;
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

enum { XLI_SIMPLE_ARRAYS = 6 };

/* Enqueues the primitive on the buffers of the arrays; NULL for arrays without bytes. */
typedef xl_status xli_simple_enqueue(xl_plan *plan, cl_command_queue queue, const void *call,
                                     const cl_mem *buffers);

/* A call of one plan. `call` is handed to `enqueue`. */
typedef struct xli_simple_call {
    const xli_simple_key *key;
    xli_simple_make *make;
    const xli_simple_array *arrays;
    size_t count;
    xli_simple_enqueue *enqueue;
    const void *call;
} xli_simple_call;
xl_status xli_simple_run(xl_context *ctx_or_null, xli_simple_call call);

/* Arrays of lists on the host. Thread-safe, but for creating and ending the pool. */
typedef struct xli_simple_pool xli_simple_pool;
xli_simple_pool *xli_simple_pool_create(void); /* NULL: no memory */
void xli_simple_pool_end(xli_simple_pool *pool_or_null);
/* `bytes` undefined bytes, for xli_simple_array_free(), also after the pool has ended. NULL: no memory. */
void *xli_simple_array_of(xli_simple_pool *pool, size_t bytes);
void xli_simple_array_free(void *array_or_null);

/* For calls of several steps: a context's plans, memory and queue. */
typedef struct xli_simple {
    xl_context *ctx; /* not retained: the context ends this */
    cl_command_queue queue;
    xli_simple_pool *pool;
} xli_simple;
typedef xl_status xli_simple_work(xli_simple *s, void *call);

/* Runs `work` while no other call uses them, and waits for the queue. */
xl_status xli_simple_do(xl_context *ctx_or_null, xli_simple_work *work, void *call);
/* The plan of a key; borrowed. */
xl_status xli_simple_plan(xli_simple *s, const xli_simple_key *key, xli_simple_make *make,
                          xl_plan **plan);
/* Buffer k, of at least `bytes` bytes; NULL if bytes is 0; borrowed. */
xl_status xli_simple_buffer(xli_simple *s, size_t k, size_t bytes, cl_mem *buffer);
/* The index of points; borrowed. */
xl_status xli_simple_index(xli_simple *s, xl_grid_index **index);

/* Records the failure of a check for the caller's context. */
xl_status xli_simple_refuse(xl_context *ctx_or_null, const char *text);

#endif

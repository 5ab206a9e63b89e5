/* SPDX-License-Identifier: MIT
 * A context's plans, device memory and queue for calls on arrays of the host. One call uses them at
 * a time. */
#include "simple_call.h"

#include <string.h>

/* Plans that are kept; the one that was not used for longest makes room. */
enum { PLANS = 64 };

typedef struct entry {
    xli_simple_key key;
    xl_plan *plan; /* NULL: free */
    uint64_t used; /* number of the last call */
} entry;

typedef struct simple {
    xl_context *ctx; /* not retained: the context ends this */
    xli_mutex *lock; /* held during a call */
    cl_command_queue queue;
    cl_mem buffers[XLI_SIMPLE_ARRAYS];
    size_t bytes[XLI_SIMPLE_ARRAYS];
    entry plans[PLANS];
    uint64_t calls;
} simple;

/* ---- life
 * ---------------------------------------------------------------------------------------- */

static void end(void *of)
{
    simple *const s = of;
    if (!s)
        return;
    for (size_t i = 0; i < PLANS; ++i)
        xl_plan_destroy(s->plans[i].plan);
    for (size_t i = 0; i < XLI_SIMPLE_ARRAYS; ++i)
        if (s->buffers[i])
            clReleaseMemObject(s->buffers[i]);
    if (s->queue)
        clReleaseCommandQueue(s->queue);
    xli_mutex_destroy(s->lock);
    xli_free(s);
}

static void *begin(xl_context *ctx)
{
    simple *s = xli_alloc(sizeof *s);
    if (!s)
        return NULL;
    s->ctx = ctx;
    s->lock = xli_mutex_create();
    s->queue = s->lock ? xli_queue_create(ctx) : NULL;
    if (s->queue)
        return s;
    end(s);
    return NULL;
}

/* The context of calls that name none. */
static xl_status standard_context(xl_context **ctx)
{
    static xl_context *standard;
    xl_status status = XL_SUCCESS;
    xli_mutex *const lock = xli_mutex_of_process(XLI_PROCESS_STANDARD);
    xli_mutex_lock(lock);
    if (!standard)
        status = xl_context_create(NULL, &standard);
    *ctx = standard;
    xli_mutex_unlock(lock);
    return status;
}

/* ---- plans and memory
 * ------------------------------------------------------------------------------ */

/* The entry of a key, or the one to be replaced, which has another key or no plan. */
static entry *entry_for(simple *s, const xli_simple_key *key)
{
    entry *oldest = &s->plans[0];
    for (size_t i = 0; i < PLANS; ++i) {
        entry *const e = &s->plans[i];
        if (e->plan && memcmp(&e->key, key, sizeof *key) == 0)
            return e;
        if (!e->plan ? oldest->plan != NULL : oldest->plan && e->used < oldest->used)
            oldest = e;
    }
    return oldest;
}

static xl_status plan_for(simple *s, const xli_simple_key *key, xli_simple_make *make,
                          xl_plan **plan)
{
    entry *const e = entry_for(s, key);
    xl_status status = XL_SUCCESS;
    if (!e->plan || memcmp(&e->key, key, sizeof *key) != 0) {
        xl_plan_destroy(e->plan);
        e->plan = NULL;
        status = make(s->ctx, key, &e->plan);
        memcpy(&e->key, key, sizeof *key);
    }
    e->used = ++s->calls;
    *plan = e->plan;
    return status;
}

/* Makes the buffer of array k hold at least `bytes`. */
static xl_status buffer_for(simple *s, size_t k, size_t bytes)
{
    cl_int code;
    if (bytes <= s->bytes[k])
        return XL_SUCCESS;
    if (s->buffers[k])
        clReleaseMemObject(s->buffers[k]);
    s->bytes[k] = 0;
    s->buffers[k] = clCreateBuffer(xl_context_cl(s->ctx), CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        s->bytes[k] = bytes;
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE
               ? xli_fail(s->ctx, XL_ERROR_OUT_OF_MEMORY, "no device memory for %zu bytes", bytes)
               : xli_cl(s->ctx, code, "clCreateBuffer");
}

/* ---- a call
 * ---------------------------------------------------------------------------------------- */

static xl_status copy_in(simple *s, const xli_simple_array *arrays, size_t count, cl_mem *buffers)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < count; ++k) {
        const xli_simple_array *const a = &arrays[k];
        buffers[k] = NULL;
        if (a->bytes == 0)
            continue;
        if (!a->in && !a->out)
            XL_TRY(xli_fail(s->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL; %zu bytes are needed",
                            a->name, a->bytes));
        XL_TRY(buffer_for(s, k, a->bytes));
        buffers[k] = s->buffers[k];
        if (a->in)
            XL_TRY(xli_copy_in(s->ctx, s->queue, buffers[k], a->bytes, a->in));
    }
done:
    return status;
}

/* From the last array to the first, because a count is in a later array than the elements. */
static xl_status copy_out(simple *s, const xli_simple_array *arrays, size_t count,
                          const cl_mem *buffers)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = count; k-- > 0;) {
        const xli_simple_array *const a = &arrays[k];
        if (a->count)
            XL_TRY_CL(s->ctx, clFinish(s->queue));
        const size_t bytes = a->count ? (size_t)*a->count * a->element : a->bytes;
        if (a->out && buffers[k] && bytes > 0)
            XL_TRY(xli_copy_out(s->ctx, s->queue, buffers[k], bytes, a->out));
    }
done:
    return status;
}

/* The caller's arrays are in use until the queue has finished, also after a failure. */
static xl_status call_on(simple *s, const xli_simple_key *key, xli_simple_make *make,
                         const xli_simple_array *arrays, size_t count, xli_simple_enqueue *enqueue,
                         const void *call)
{
    xl_status status;
    xl_plan *plan;
    cl_mem buffers[XLI_SIMPLE_ARRAYS];
    bool begun = false;
    XL_TRY(plan_for(s, key, make, &plan));
    begun = true;
    XL_TRY(copy_in(s, arrays, count, buffers));
    XL_TRY(enqueue(plan, s->queue, call, buffers));
    XL_TRY(copy_out(s, arrays, count, buffers));
done:
    if (begun) {
        const xl_status ended = xli_cl(s->ctx, clFinish(s->queue), "clFinish");
        status = status == XL_SUCCESS ? ended : status;
    }
    return status;
}

xl_status xli_simple_run(xl_context *given, const xli_simple_key *key, xli_simple_make *make,
                         const xli_simple_array *arrays, size_t count, xli_simple_enqueue *enqueue,
                         const void *call)
{
    xl_status status = xli_check_process();
    xl_context *ctx = given;
    if (status == XL_SUCCESS && !ctx)
        status = standard_context(&ctx);
    if (status != XL_SUCCESS)
        return status;
    simple *const s = xli_context_attach(ctx, begin, end);
    if (s) {
        xli_mutex_lock(s->lock);
        status = call_on(s, key, make, arrays, count, enqueue, call);
        xli_mutex_unlock(s->lock);
    } else {
        status = xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory or no queue for a call");
    }
    /* A caller without a context reads the text without one. */
    return given || status == XL_SUCCESS ? status
                                         : xli_fail(NULL, status, "%s", xl_context_error(ctx));
}

xl_status xli_simple_refuse(xl_context *ctx, const char *text)
{
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s", text);
}

/* SPDX-License-Identifier: MIT
 * A context's plans, memory and queue for calls on arrays of the host. One call uses them at
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
    xli_simple base;
    xli_mutex *lock;      /* held during a call */
    xl_grid_index *index; /* NULL before the first list of neighbours */
    cl_mem buffers[XLI_SIMPLE_ARRAYS];
    size_t bytes[XLI_SIMPLE_ARRAYS];
    entry plans[PLANS];
    uint64_t calls;
} simple;

/* ---- life ------------------------------------------------------------------------------------ */

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
    xl_grid_index_destroy(s->index);
    xli_simple_pool_end(s->base.pool);
    if (s->base.queue)
        clReleaseCommandQueue(s->base.queue);
    xli_mutex_destroy(s->lock);
    xli_free(s);
}

static void *begin(xl_context *ctx)
{
    simple *s = xli_alloc(sizeof *s);
    if (!s)
        return NULL;
    s->base.ctx = ctx;
    s->lock = xli_mutex_create();
    s->base.pool = xli_simple_pool_create();
    s->base.queue = s->lock && s->base.pool ? xli_queue_create(ctx) : NULL;
    if (s->base.queue)
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

/* ---- plans and memory ------------------------------------------------------------------------ */

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

xl_status xli_simple_plan(xli_simple *base, const xli_simple_key *key, xli_simple_make *make,
                          xl_plan **plan)
{
    simple *const s = (simple *)base;
    entry *const e = entry_for(s, key);
    xl_status status = XL_SUCCESS;
    if (!e->plan || memcmp(&e->key, key, sizeof *key) != 0) {
        xl_plan_destroy(e->plan);
        e->plan = NULL;
        status = make(s->base.ctx, key, &e->plan);
        memcpy(&e->key, key, sizeof *key);
    }
    e->used = ++s->calls;
    *plan = e->plan;
    return status;
}

static xl_status make_buffer(simple *s, size_t k, size_t bytes)
{
    cl_int code;
    if (s->buffers[k])
        clReleaseMemObject(s->buffers[k]);
    s->bytes[k] = 0;
    s->buffers[k] =
        clCreateBuffer(xl_context_cl(s->base.ctx), CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        s->bytes[k] = bytes;
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE
               ? xli_fail(s->base.ctx, XL_ERROR_OUT_OF_MEMORY, "no device memory for %zu bytes",
                          bytes)
               : xli_cl(s->base.ctx, code, "clCreateBuffer");
}

xl_status xli_simple_buffer(xli_simple *base, size_t k, size_t bytes, cl_mem *buffer)
{
    simple *const s = (simple *)base;
    const xl_status status = bytes <= s->bytes[k] ? XL_SUCCESS : make_buffer(s, k, bytes);
    *buffer = bytes > 0 && status == XL_SUCCESS ? s->buffers[k] : NULL;
    return status;
}

xl_status xli_simple_index(xli_simple *base, xl_grid_index **index)
{
    simple *const s = (simple *)base;
    const xl_status status = s->index ? XL_SUCCESS : xl_grid_index_create(s->base.ctx, &s->index);
    *index = s->index;
    return status;
}

/* ---- a call ---------------------------------------------------------------------------------- */

static xl_status copy_in(xli_simple *s, const xli_simple_array *arrays, size_t count,
                         cl_mem *buffers)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < count; ++k) {
        const xli_simple_array *const a = &arrays[k];
        if (a->bytes > 0 && !a->in && !a->out)
            XL_TRY(xli_fail(s->ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL; %zu bytes are needed",
                            a->name, a->bytes));
        XL_TRY(xli_simple_buffer(s, k, a->bytes, &buffers[k]));
        if (a->in && a->bytes > 0)
            XL_TRY(xli_copy_in(s->ctx, s->queue, buffers[k], a->bytes, a->in));
    }
done:
    return status;
}

/* From the last array to the first, because a count is in a later array than the elements. */
static xl_status copy_out(xli_simple *s, const xli_simple_array *arrays, size_t count,
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

static xl_status run_one(xli_simple *s, void *of)
{
    xl_status status;
    const xli_simple_call *const r = of;
    xl_plan *plan;
    cl_mem buffers[XLI_SIMPLE_ARRAYS];
    XL_TRY(xli_simple_plan(s, r->key, r->make, &plan));
    XL_TRY(copy_in(s, r->arrays, r->count, buffers));
    XL_TRY(r->enqueue(plan, s->queue, r->call, buffers));
    XL_TRY(copy_out(s, r->arrays, r->count, buffers));
done:
    return status;
}

/* The caller's arrays are in use until the queue has finished, also after a failure. */
static xl_status work_on(xli_simple *s, xli_simple_work *work, void *call)
{
    const xl_status status = work(s, call);
    const xl_status ended = xli_cl(s->ctx, clFinish(s->queue), "clFinish");
    return status == XL_SUCCESS ? ended : status;
}

xl_status xli_simple_do(xl_context *given, xli_simple_work *work, void *call)
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
        status = work_on(&s->base, work, call);
        xli_mutex_unlock(s->lock);
    } else {
        status = xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory or no queue for a call");
    }
    /* A caller without a context reads the text without one. */
    return given || status == XL_SUCCESS ? status
                                         : xli_fail(NULL, status, "%s", xl_context_error(ctx));
}

xl_status xli_simple_run(xl_context *given, xli_simple_call call)
{
    return xli_simple_do(given, run_one, &call);
}

xl_status xli_simple_refuse(xl_context *ctx, const char *text)
{
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s", text);
}

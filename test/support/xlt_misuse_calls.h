/* SPDX-License-Identifier: MIT
 * A template for a test of misuse of one primitive. The including file defines XLT_PRIMITIVE as
 * the prefix of the primitive's names, such as xl_sort. */
#ifndef XLT_MISUSE_CALLS_H
#define XLT_MISUSE_CALLS_H

#include "xlt_misuse.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define XLT_JOIN_NAMES(a, b) a##b
#define XLT_JOIN(a, b) XLT_JOIN_NAMES(a, b)
#define XLT_OF(rest) XLT_JOIN(XLT_PRIMITIVE, rest)

typedef xl_plan any_plan;
typedef XLT_OF(_desc) any_desc;
typedef XLT_OF(_args) any_args;

/* ---- descriptors --------------------------------------------------------- */

typedef struct wrong_desc {
    const char *said; /* part of the error's text */
    any_desc desc;    /* without its size */
} wrong_desc;

static void create_refuses(const any_desc *desc, const char *said)
{
    any_plan *plan = (any_plan *)&plan;
    xl_context *ctx = xlt_context();
    xlt_refused(ctx, XLT_OF(_create)(ctx, desc, &plan), XL_ERROR_INVALID_ARGUMENT, said);
    assert_null(plan);
}

/* These, and mistakes that descriptors of every primitive can have. */
static void refuses_descriptors(size_t count, const wrong_desc *cases)
{
    any_plan *plan;
    any_desc desc;
    xl_context *ctx = xlt_context();
    for (size_t i = 0; i < count; ++i) {
        desc = cases[i].desc;
        desc.version = XL_VERSION_NUMBER;
        create_refuses(&desc, cases[i].said);
    }
    XLT_OF(_desc_init)(&desc);
    desc.version = 3;
    create_refuses(&desc, "desc.version: 3");
    create_refuses(NULL, "desc: NULL");
    XLT_OF(_desc_init)(&desc);
    xlt_refused(ctx, XLT_OF(_create)(ctx, &desc, NULL), XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    xlt_refused(NULL, XLT_OF(_create)(NULL, &desc, &plan), XL_ERROR_INVALID_ARGUMENT, "ctx: NULL");
}

/* ---- calls --------------------------------------------------------------- */

typedef struct call {
    any_plan *plan;
    cl_command_queue queue;
    any_args args;
    cl_uint num_waits;
    const cl_event *waits;
} call;

/* A right call, of which one argument at a time is made wrong. */
static const call *good;

static xl_status enqueue(const call *c, cl_event *event)
{
    return XLT_OF(_enqueue)(c->plan, c->queue, &c->args, c->num_waits, c->waits, event);
}

static void enqueue_refuses(const call *c, xl_status wanted, const char *said)
{
    cl_event event = (cl_event)&wanted;
    xlt_refused(c->plan ? xlt_context() : NULL, enqueue(c, &event), wanted, said);
    assert_null(event);
}

/* The last argument makes the call `c` wrong; *x are its arguments. */
#define EXPECT(status, said, ...)                                                                  \
    {                                                                                              \
        call c = *good;                                                                            \
        any_args *const x = &c.args;                                                               \
        __VA_ARGS__;                                                                               \
        (void)x;                                                                                   \
        enqueue_refuses(&c, status, said);                                                         \
    }

/* Objects that calls of every primitive refuse. */
static inline void refuses_objects(const xlt_strangers *s)
{
    const xl_status bad = XL_ERROR_INVALID_ARGUMENT;
    const cl_event none = NULL;
    EXPECT(bad, "plan: NULL", c.plan = NULL)
    EXPECT(bad, "queue: NULL", c.queue = NULL)
    EXPECT(bad, "queue", c.queue = s->queue)
    EXPECT(bad, "waits: NULL with num_waits 1", c.num_waits = 1)
    EXPECT(bad, "waits: a list with num_waits 0", c.waits = &none)
    EXPECT(bad, "waits[0]", c.num_waits = 1; c.waits = &none)
    XLT_FAILS(XLT_OF(_enqueue)(good->plan, good->queue, NULL, 0, NULL, NULL), bad);
}

/* Queries of the scratch of a call with these sizes. */
#define REFUSES_SCRATCH_QUESTIONS(...)                                                             \
    {                                                                                              \
        size_t size;                                                                               \
        const any_args sizes = {__VA_ARGS__};                                                      \
        const xl_status invalid = XL_ERROR_INVALID_ARGUMENT;                                       \
        xlt_refused(xlt_context(), XLT_OF(_scratch)(good->plan, &sizes, NULL), invalid,            \
                    "bytes: NULL");                                                                \
        xlt_refused(xlt_context(), XLT_OF(_scratch)(good->plan, NULL, &size), invalid,             \
                    "args: NULL");                                                                 \
        xlt_refused(NULL, XLT_OF(_scratch)(NULL, &sizes, &size), invalid, "plan: NULL");           \
    }

/* A call that is right. */
static void expect_success(const call *c)
{
    XLT_OK(enqueue(c, NULL));
    XLT_CL(clFinish(c->queue));
}

#endif

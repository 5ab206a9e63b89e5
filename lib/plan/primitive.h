/* SPDX-License-Identifier: MIT
 * The plan mechanism: what all primitives share between the caller and their own work.
 *
 * A primitive is a table of sizes and functions, xli_primitive. This folder implements creation,
 * scratch, enqueue, info and destruction once, for all tables:
 *     create   read the descriptor -> check -> make (problem, shape, kernels)
 *     enqueue  read the arguments -> count (sizes) -> arrays (views) -> scratch -> launch
 * The public calls of a primitive pass their table and their arguments on. */
#ifndef XLI_PLAN_H
#define XLI_PLAN_H

#include "runtime.h"

typedef struct xli_primitive xli_primitive;
typedef struct xl_grid_index xl_grid_index; /* passed on, not looked into */

/* The first member of each primitive's plan. */
struct xl_plan {
    const xli_primitive *primitive;
    xl_context *ctx;
    uint32_t version;    /* of the caller's headers: the layout of argument structures */
    xli_pool pool;       /* scratch of calls that bring none */
    const xl_plan *grid; /* while make() runs: the plan that this one is made from, or NULL */
};

/* One array of a call. Arrays that are read may overlap each other. An array that is written may
 * overlap no other one, except that two arrays may be exactly the same if `in_place_of` of either
 * names the other. */
typedef struct xli_array {
    const char *name; /* "args.keys_in" */
    xl_view view;
    size_t n, bytes; /* elements, and bytes in each */
    xli_access access;
    bool optional;           /* may be left out */
    bool is_offsets;         /* as xli_offsets() */
    bool one_of;             /* at least one of the arrays that have this must be given */
    const char *unused;      /* why the array must not be given; NULL: it may be */
    const char *in_place_of; /* the name of another array; NULL: none */
} xli_array;

static inline xli_array xli_input(const char *name, xl_view view, size_t n, size_t bytes)
{
    return (xli_array){.name = name, .view = view, .n = n, .bytes = bytes, .access = XLI_READ};
}

static inline xli_array xli_output(const char *name, xl_view view, size_t n, size_t bytes)
{
    return (xli_array){.name = name, .view = view, .n = n, .bytes = bytes, .access = XLI_WRITE};
}

/* CSR offsets: as many as their view counts, from 1 to 2^32 - 1. */
static inline xli_array xli_offsets(const char *name, xl_view view, size_t bytes)
{
    xli_array a = xli_input(name, view, view.count, bytes);
    a.is_offsets = true;
    return a;
}

/* Most arrays of one call. */
enum { XLI_MOST_ARRAYS = 24 };

/* A call. Its functions take the arguments; if the call takes an index, a structure that begins
 * with the arguments and has a field for the index. */
#define XLI_CALL_MEMBERS                                                                              \
    xli_structure args;                                                                               \
    size_t scratch_at; /* offset of the field `scratch` in the arguments; 0: there is none */         \
    size_t index_at;   /* offset of the field for the index, behind the arguments; 0: no index */     \
                                                                                                      \
    /* Sets further fields of the structure, before any check. NULL: there are none. */               \
    void (*begin)(void *args);                                                                        \
    /* Checks the index and the sizes in the arguments. NULL: nothing to check. */                    \
    xl_status (*count)(const xl_plan *plan, const void *args);                                        \
    /* Lists the arrays of a call whose sizes are checked; returns their number. */                   \
    size_t (*arrays)(const xl_plan *plan, const void *args, xli_array *arrays);                       \
    /* Bytes of scratch of a call whose sizes are checked; SIZE_MAX: more than can be counted.     \
     * NULL: none. */  \
    size_t (*scratch)(const xl_plan *plan, const void *args);                                         \
    /* Bytes that a call with these arrays uses, at most scratch(). NULL: scratch(). */               \
    size_t (*scratch_used)(const xl_plan *plan, const void *args, const xli_span *spans);             \
    /* Builds the programs that a call of these sizes needs and that the plan lacks. `spans`: as    \
     * launch() gets them; NULL: any. NULL: make() built all. */ \
    xl_status (*prepare)(xl_plan * plan, const void *args, const xli_span *spans);                    \
    /* Enqueues the launches. Before the first one it checks arguments that are neither sizes nor  \
     * arrays, such as parameters. spans[k] is array k; its buffer is NULL if the array was not    \
     * given or has no elements. */  \
    xl_status (*launch)(xl_plan * plan, xli_seq * seq, const void *args, const xli_span *spans,       \
                        const xli_span *scratch);
typedef struct xli_call {
    XLI_CALL_MEMBERS
} xli_call;

struct xli_primitive {
    const char *name;  /* "merge": for error texts */
    size_t plan_bytes; /* of the primitive's plan */
    xli_structure desc;
    const void *defaults; /* of the descriptor */

    /* Checks a descriptor, before any side effect. NULL: make() does. */
    xl_status (*check)(xl_context *ctx, const void *desc);
    /* Makes problem, shape and kernels of a checked descriptor. The plan has zeros behind `base`.
     */
    xl_status (*make)(xl_plan *plan, const void *desc);
    /* Releases what make() made, or a part of it. */
    void (*drop)(xl_plan *plan);
    void (*info)(const xl_plan *plan, size_t n, xl_plan_details *details);

    /* The call of primitives that have one. The scratch question reads its arguments. */
    union {
        xli_call call;
        struct {
            XLI_CALL_MEMBERS
        };
    };
};

void xli_plan_desc_init(const xli_primitive *primitive, void *desc, uint32_t version);
xl_status xli_plan_create(const xli_primitive *primitive, xl_context *ctx, const void *desc,
                          xl_plan **plan);
/* The same from the plan of a grid, whose table is *kind. */
xl_status xli_plan_create_from(const xli_primitive *primitive, const xli_primitive *kind,
                               const xl_plan *grid, const void *desc, xl_plan **plan);
xl_status xli_plan_scratch(const xli_primitive *primitive, const xl_plan *plan, const void *args,
                           size_t *bytes);
xl_status xli_plan_enqueue(const xli_primitive *primitive, xl_plan *plan, cl_command_queue queue,
                           const void *args, cl_uint num_waits, const cl_event *waits,
                           cl_event *event);

/* The same for one call of several. */
xl_status xli_plan_call(const xli_primitive *primitive, const xli_call *call, xl_plan *plan,
                        xl_grid_index *index, cl_command_queue queue, const void *args,
                        cl_uint num_waits, const cl_event *waits, cl_event *event);

/* The steps of a call, for calls that are more than a sequence of launches. */
/* XL_ERROR_INVALID_ARGUMENT if the plan is NULL or another primitive's. */
xl_status xli_plan_check(const xli_primitive *primitive, const xl_plan *plan);
/* Checks the plan, reads the arguments (later fields are 0 for older headers) and the index into
 * *to, and checks sizes. */
xl_status xli_call_read(const xli_primitive *primitive, const xli_call *call, const xl_plan *plan,
                        xl_grid_index *index, const void *args, void *to);
/* Checks the arrays of a call that was read. *count: how many there are. */
xl_status xli_call_check(const xli_call *call, const xl_plan *plan, const void *of, xli_span *spans,
                         size_t *count);

/* Checks arrays, fills in spans, and checks that those that are written overlap nothing. */
xl_status xli_check_arrays(const xl_context *ctx, const xli_array *arrays, size_t count,
                           xli_span *spans);

/* What all tables have: names and sizes by the primitive's name, and functions of these names. */
#define XLI_PRIMITIVE(X, plan_type)                                                                \
    .name = #X, .plan_bytes = sizeof(plan_type), .desc = {"desc", sizeof(xl_##X##_desc), NULL},    \
    .defaults = &defaults, .make = make, .drop = drop, .info = info
/* The same of a primitive with one enqueue. */
#define XLI_PRIMITIVE_OF_ARRAYS(X, plan_type)                                                      \
    XLI_PRIMITIVE(X, plan_type), .args = {"args", sizeof(xl_##X##_args), NULL},                    \
                                 .scratch_at = offsetof(xl_##X##_args, scratch), .arrays = arrays
/* Defines the public calls of a primitive whose table is `primitive`, and which has one enqueue. */
#define XLI_PUBLIC_DESC_INIT(X)                                                                    \
    void xl_##X##_desc_init_version(xl_##X##_desc *desc, uint32_t version)                         \
    {                                                                                              \
        xli_plan_desc_init(&primitive, desc, version);                                             \
    }
#define XLI_PUBLIC_CREATE(X)                                                                       \
    xl_status xl_##X##_create(xl_context *ctx, const xl_##X##_desc *desc, xl_plan **plan)          \
    {                                                                                              \
        return xli_plan_create(&primitive, ctx, desc, plan);                                       \
    }
/* xli_grid_primitive is the table of grids. */
#define XLI_PUBLIC_CREATE_FROM_GRID(X)                                                             \
    xl_status xl_##X##_create(xl_plan *grid, const xl_##X##_desc *desc, xl_plan **plan)            \
    {                                                                                              \
        return xli_plan_create_from(&primitive, xli_grid_primitive, grid, desc, plan);             \
    }
#define XLI_PUBLIC_SCRATCH(X, type)                                                                \
    xl_status xl_##X##_scratch(const xl_plan *plan, const type *args, size_t *bytes)               \
    {                                                                                              \
        return xli_plan_scratch(&primitive, plan, args, bytes);                                    \
    }
#define XLI_PUBLIC_ENQUEUE(X)                                                                      \
    xl_status xl_##X##_enqueue(xl_plan *plan, cl_command_queue queue, const xl_##X##_args *args,   \
                               cl_uint num_waits, const cl_event *waits, cl_event *event)          \
    {                                                                                              \
        return xli_plan_enqueue(&primitive, plan, queue, args, num_waits, waits, event);           \
    }
/* Defines a public call that takes an index, xl_X_NAME(): the table of the primitive is
 * *xli_X_primitive, the table of the call is `of`. */
#define XLI_PUBLIC_INDEX_CALL(X, NAME, type, of)                                                   \
    xl_status xl_##X##_##NAME(xl_plan *plan, xl_grid_index *index, cl_command_queue queue,         \
                              const type *args, cl_uint num_waits, const cl_event *waits,          \
                              cl_event *event)                                                     \
    {                                                                                              \
        return xli_plan_call(xli_##X##_primitive, &(of), plan, index, queue, args, num_waits,      \
                             waits, event);                                                        \
    }
#define XLI_PUBLIC_CALLS(X)                                                                        \
    XLI_PUBLIC_DESC_INIT(X)                                                                        \
    XLI_PUBLIC_CREATE(X)                                                                           \
    XLI_PUBLIC_SCRATCH(X, xl_##X##_args)                                                           \
    XLI_PUBLIC_ENQUEUE(X)

#endif

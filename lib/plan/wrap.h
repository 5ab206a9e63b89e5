/* SPDX-License-Identifier: MIT
 * Primitives that are no tables yet. */
#ifndef XLI_WRAP_H
#define XLI_WRAP_H

#include "primitive.h"

#define XLI_DESC_READ(ctx, type, given, to)                                                        \
    xli_desc_read((ctx), &(const xli_structure){"desc", sizeof(type), NULL}, (given), (to))
#define XLI_ARGS_READ(ctx, type, given, size, to)                                                  \
    xli_structure_read((ctx), &(const xli_structure){"args", (size), NULL}, XL_VERSION_NUMBER,     \
                       (given), (to))
static inline void xli_desc_init(void *desc, uint32_t version, const void *defaults, size_t bytes)
{
    xli_structure_init(&(const xli_structure){"desc", bytes, NULL}, desc, version, defaults);
}
static inline void xli_struct_write(void *to, size_t size, const void *from, size_t bytes)
{
    (void)bytes;
    xli_structure_write(&(const xli_structure){"report", size, NULL}, XL_VERSION_NUMBER, to, from);
}
static inline xl_status xli_scratch_question(const xl_context *ctx, const char *what,
                                             const void *plan, const size_t *bytes,
                                             const size_t *alignment)
{
    (void)what, (void)plan, (void)alignment;
    return bytes ? XL_SUCCESS : xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "bytes: NULL");
}

#define XLI_DECLARE(X)                                                                             \
    xl_status xli_##X##_create(xl_context *ctx, const xl_##X##_desc *desc, xli_##X##_plan **plan); \
    void xli_##X##_destroy(xli_##X##_plan *plan);                                                  \
    void xli_##X##_info(const xli_##X##_plan *plan, size_t n, xl_plan_details *info);              \
    typedef struct xli_##X##_wrapped {                                                             \
        xl_plan base;                                                                              \
        xli_##X##_plan *of;                                                                        \
    } xli_##X##_wrapped;                                                                           \
    extern const xli_primitive xli_##X##_primitive;                                                \
    static inline xli_##X##_plan *xli_##X##_of(const xl_plan *plan)                                \
    {                                                                                              \
        return plan && plan->primitive == &xli_##X##_primitive                                     \
                   ? ((const xli_##X##_wrapped *)plan)->of                                         \
                   : NULL;                                                                         \
    }

#define XLI_WRAP(X)                                                                                \
    static void drop_wrapped(xl_plan *plan)                                                        \
    {                                                                                              \
        xli_##X##_destroy(((xli_##X##_wrapped *)plan)->of);                                        \
    }                                                                                              \
    static void info_wrapped(const xl_plan *plan, size_t n, xl_plan_details *info)                 \
    {                                                                                              \
        xli_##X##_info(((const xli_##X##_wrapped *)plan)->of, n, info);                            \
    }                                                                                              \
    const xli_primitive xli_##X##_primitive = {                                                    \
        .name = #X, .drop = drop_wrapped, .info = info_wrapped};                                   \
    xl_status xl_##X##_create(xl_context *ctx, const xl_##X##_desc *desc, xl_plan **plan)          \
    {                                                                                              \
        xl_status status;                                                                          \
        xli_##X##_wrapped *made = NULL;                                                            \
        if (plan)                                                                                  \
            *plan = NULL;                                                                          \
        if (!ctx || !plan)                                                                         \
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");     \
        made = xli_alloc(sizeof *made);                                                            \
        if (!made)                                                                                 \
            return xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan");                  \
        made->base.primitive = &xli_##X##_primitive;                                               \
        made->base.version = XL_VERSION_NUMBER;                                                    \
        made->base.ctx = xli_context_retain(ctx);                                                  \
        XL_TRY(xli_##X##_create(ctx, desc, &made->of));                                            \
        *plan = &made->base;                                                                       \
        made = NULL;                                                                               \
    done:                                                                                          \
        if (made)                                                                                  \
            xl_plan_destroy(&made->base);                                                          \
        return status;                                                                             \
    }

#define XLI_WRAP_SCRATCH(X, ...)                                                                   \
    xl_status xl_##X##_scratch(const xl_plan *plan, const xl_##X##_args *args, size_t *bytes)      \
    {                                                                                              \
        size_t alignment;                                                                          \
        xl_status status = xli_plan_check(&xli_##X##_primitive, plan);                             \
        if (status == XL_SUCCESS && !args)                                                         \
            status = xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "args: NULL");                 \
        return status == XL_SUCCESS                                                                \
                   ? xli_##X##_scratch(xli_##X##_of(plan), __VA_ARGS__, bytes, &alignment)         \
                   : status;                                                                       \
    }

#define XLI_CALL_sort xli_sort_enqueue
#define XLI_CALL_topk xli_topk_enqueue
#define XLI_CALL_merge xli_merge_enqueue
#define XLI_CALL_search xli_search_enqueue
#define XLI_CALL_select xli_select_enqueue
#define XLI_CALL_histogram xli_histogram_enqueue
#define XLI_CALL_transform xli_transform_enqueue
#define XLI_CALL_morton xli_morton_enqueue
#define XLI_CALL_knn_approximate xli_knn_approximate_enqueue
#define XLI_WRAP_ENQUEUE(X)                                                                        \
    xl_status xl_##X##_enqueue(xl_plan *plan, cl_command_queue queue, const xl_##X##_args *args,   \
                               cl_uint num_waits, const cl_event *waits, cl_event *event)          \
    {                                                                                              \
        if (event)                                                                                 \
            *event = NULL;                                                                         \
        const xl_status status = xli_plan_check(&xli_##X##_primitive, plan);                       \
        return status == XL_SUCCESS ? XLI_CALL_##X(xli_##X##_of(plan), queue, args, sizeof *args,  \
                                                   num_waits, waits, event)                        \
                                    : status;                                                      \
    }

#endif

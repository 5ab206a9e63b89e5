/* SPDX-License-Identifier: MIT
 * The life of a plan and of a call, for any primitive. */
#include "primitive.h"

#include <stdio.h>
#include <string.h>

/* Descriptors and arguments are copied to the stack, so that the caller's may change at once. */
enum { MOST_BYTES = 1024 };
typedef union room {
    unsigned char bytes[MOST_BYTES];
    uint64_t aligned;
    void *pointer;
} room;

void xli_plan_desc_init(const xli_primitive *primitive, void *desc, uint32_t version)
{
    xli_structure_init(&primitive->desc, desc, version, primitive->defaults);
}

static xl_status make(const xli_primitive *primitive, xl_context *ctx, const xl_plan *grid,
                      const void *desc, xl_plan *made)
{
    xl_status status;
    made->grid = grid;
    made->primitive = primitive;
    made->ctx = xli_context_retain(ctx);
    memcpy(&made->version, desc, sizeof made->version);
    XL_TRY(xli_pool_create(ctx, &made->pool));
    XL_TRY(primitive->make(made, desc));
    made->grid = NULL;
done:
    return status;
}

static xl_status create(const xli_primitive *primitive, xl_context *ctx, const xl_plan *grid,
                        const void *desc, xl_plan **plan)
{
    xl_status status;
    xl_plan *made = NULL;
    room checked;
    memcpy(checked.bytes, primitive->defaults, primitive->desc.bytes);
    XL_TRY(xli_desc_read(ctx, &primitive->desc, desc, checked.bytes));
    if (primitive->check)
        XL_TRY(primitive->check(ctx, checked.bytes));
    made = xli_alloc(primitive->plan_bytes);
    if (!made)
        XL_TRY(
            xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory for a plan of %s", primitive->name));
    XL_TRY(make(primitive, ctx, grid, checked.bytes, made));
    *plan = made;
    made = NULL;
done:
    xl_plan_destroy(made);
    return status;
}

xl_status xli_plan_create(const xli_primitive *primitive, xl_context *ctx, const void *desc,
                          xl_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (!ctx || !plan)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", ctx ? "plan" : "ctx");
    return create(primitive, ctx, NULL, desc, plan);
}

xl_status xli_plan_create_from(const xli_primitive *primitive, const xli_primitive *kind,
                               const xl_plan *grid, const void *desc, xl_plan **plan)
{
    if (plan)
        *plan = NULL;
    if (!grid || !plan)
        return xli_fail(grid ? grid->ctx : NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        grid ? "plan" : "grid");
    if (grid->primitive != kind)
        return xli_fail(grid->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "grid: a plan of xl_%s; must be one of xl_%s", grid->primitive->name,
                        kind->name);
    return create(primitive, grid->ctx, grid, desc, plan);
}

xl_status xli_plan_check(const xli_primitive *primitive, const xl_plan *plan)
{
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    if (plan->primitive != primitive)
        return xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT,
                        "plan: of xl_%s; must be a plan of xl_%s", plan->primitive->name,
                        primitive->name);
    return XL_SUCCESS;
}

xl_status xli_call_read(const xli_primitive *primitive, const xli_call *call, const xl_plan *plan,
                        xl_grid_index *index, const void *args, void *to)
{
    xl_status status;
    XL_TRY(xli_plan_check(primitive, plan));
    memset(to, 0, call->args.bytes);
    XL_TRY(xli_structure_read(plan->ctx, &call->args, plan->version, args, to));
    if (call->index_at > 0)
        memcpy((unsigned char *)to + call->index_at, &index, sizeof index);
    if (call->begin)
        call->begin(to);
    if (call->count)
        XL_TRY(call->count(plan, to));
done:
    return status;
}

xl_status xli_call_check(const xli_call *call, const xl_plan *plan, const void *of, xli_span *spans,
                         size_t *count)
{
    xli_array arrays[XLI_MOST_ARRAYS];
    *count = call->arrays(plan, of, arrays);
    return xli_check_arrays(plan->ctx, arrays, *count, spans);
}

static size_t scratch_of(const xli_call *call, const xl_plan *plan, const room *given)
{
    return call->scratch ? call->scratch(plan, given->bytes) : 0;
}

xl_status xli_plan_scratch(const xli_primitive *primitive, const xl_plan *plan, const void *args,
                           size_t *bytes)
{
    xl_status status;
    room given;
    XL_TRY(xli_plan_check(primitive, plan));
    if (!bytes)
        XL_TRY(xli_fail(plan->ctx, XL_ERROR_INVALID_ARGUMENT, "bytes: NULL"));
    XL_TRY(xli_call_read(primitive, &primitive->call, plan, NULL, args, given.bytes));
    const size_t needed = scratch_of(&primitive->call, plan, &given);
    XL_TRY(xli_scratch_countable(plan->ctx, needed));
    *bytes = needed;
done:
    return status;
}

/* The scratch of the call, which overlaps none of its arrays. */
static xl_status enter_scratch(const xli_call *call, xl_plan *plan, xli_seq *seq, const room *given,
                               const xli_span *spans, size_t count, xli_span *scratch)
{
    xl_status status;
    xl_view view;
    const size_t bytes = call->scratch_used ? call->scratch_used(plan, given->bytes, spans)
                                            : scratch_of(call, plan, given);
    memcpy(&view, given->bytes + call->scratch_at, sizeof view);
    XL_TRY(xli_scratch_countable(plan->ctx, bytes));
    XL_TRY(xli_seq_scratch(seq, &plan->pool, view, bytes, XL_SCRATCH_ALIGNMENT, scratch));
    for (size_t k = 0; k < count; ++k)
        XL_TRY(xli_check_apart(plan->ctx, scratch, &spans[k], false));
done:
    return status;
}

/* Checks the arrays and the scratch, and enqueues the work. */
static xl_status run(const xli_call *call, xl_plan *plan, xli_seq *seq, const room *given)
{
    xl_status status;
    xli_span spans[XLI_MOST_ARRAYS], scratch = {0};
    size_t count;
    XL_TRY(xli_call_check(call, plan, given->bytes, spans, &count));
    if (call->prepare)
        XL_TRY(call->prepare(plan, given->bytes, spans));
    if (call->scratch_at > 0)
        XL_TRY(enter_scratch(call, plan, seq, given, spans, count, &scratch));
    XL_TRY(call->launch(plan, seq, given->bytes, spans, &scratch));
done:
    return status;
}

xl_status xli_plan_call(const xli_primitive *primitive, const xli_call *call, xl_plan *plan,
                        xl_grid_index *index, cl_command_queue queue, const void *args,
                        cl_uint num_waits, const cl_event *waits, cl_event *event)
{
    xl_status status;
    xli_seq seq = {0};
    room given;
    if (event)
        *event = NULL;
    XL_TRY(xli_call_read(primitive, call, plan, index, args, given.bytes));
    XL_TRY(xli_seq_begin(&seq, plan->ctx, queue, num_waits, waits, event));
    XL_TRY(run(call, plan, &seq, &given));
done:
    return xli_seq_end(&seq, status, event);
}

xl_status xli_plan_enqueue(const xli_primitive *primitive, xl_plan *plan, cl_command_queue queue,
                           const void *args, cl_uint num_waits, const cl_event *waits,
                           cl_event *event)
{
    return xli_plan_call(primitive, &primitive->call, plan, NULL, queue, args, num_waits, waits,
                         event);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static xl_status check_given(const xl_context *ctx, const xli_array *a)
{
    if (a->unused && a->view.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given; %s", a->name, a->unused);
    return XL_SUCCESS;
}

static bool is_absent(const xli_array *a)
{
    return a->unused || (a->optional && !a->view.buffer);
}

static xl_status check_array(const xl_context *ctx, const xli_array *a, xli_span *span)
{
    xl_status status;
    *span = (xli_span){.name = a->name, .access = a->access};
    XL_TRY(check_given(ctx, a));
    if (is_absent(a))
        return XL_SUCCESS;
    if (a->is_offsets && (a->n == 0 || a->n > UINT32_MAX))
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %zu CSR offsets; must be 1 to 4294967295, counted by xl_view_n()",
                        a->name, a->n));
    XL_TRY(xli_check_view(ctx, a->name, a->view, a->n, a->bytes, a->access, span));
done:
    return status;
}

static xl_status check_one_of(const xl_context *ctx, const xli_array *arrays, size_t count)
{
    enum { ROOM = 300 };
    char names[ROOM] = "";
    for (size_t k = 0; k < count; ++k) {
        if (!arrays[k].one_of)
            continue;
        if (arrays[k].view.buffer)
            return XL_SUCCESS;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", arrays[k].name);
    }
    return names[0] ? xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                               "%s: none given; at least one must be", names)
                    : XL_SUCCESS;
}

/* Array k and those before it: one of each two is written, or they may overlap. */
static xl_status check_apart(const xl_context *ctx, const xli_array *arrays, size_t k,
                             const xli_span *spans)
{
    xl_status status = XL_SUCCESS;
    for (size_t i = 0; i < k && status == XL_SUCCESS; ++i) {
        const xli_array *const a = &arrays[i], *const b = &arrays[k];
        if (!((a->access | b->access) & XLI_WRITE) || spans[i].root != spans[k].root)
            continue;
        const bool same = (b->in_place_of && strcmp(b->in_place_of, a->name) == 0) ||
                          (a->in_place_of && strcmp(a->in_place_of, b->name) == 0);
        status = xli_check_apart(ctx, &spans[i], &spans[k], same);
    }
    return status;
}

xl_status xli_check_arrays(const xl_context *ctx, const xli_array *arrays, size_t count,
                           xli_span *spans)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < count; ++k)
        XL_TRY(check_array(ctx, &arrays[k], &spans[k]));
    XL_TRY(check_one_of(ctx, arrays, count));
    for (size_t k = 1; k < count; ++k)
        if (spans[k].root)
            XL_TRY(check_apart(ctx, arrays, k, spans));
done:
    return status;
}

/* ---- any plan -------------------------------------------------------------------------------- */

xl_status xl_plan_prepare(xl_plan *plan, const void *args)
{
    xl_status status;
    room given;
    if (!plan)
        return xli_fail(NULL, XL_ERROR_INVALID_ARGUMENT, "plan: NULL");
    const xli_call *const call = &plan->primitive->call;
    XL_TRY(xli_call_read(plan->primitive, call, plan, NULL, args, given.bytes));
    if (call->prepare)
        XL_TRY(call->prepare(plan, given.bytes, NULL));
done:
    return status;
}

xl_status xl_plan_info(const xl_plan *plan, size_t n, xl_plan_details *details)
{
    static const xli_structure structure = {"details", sizeof(xl_plan_details), NULL};
    xl_plan_details all = {0};
    if (!plan || !details)
        return xli_fail(plan ? plan->ctx : NULL, XL_ERROR_INVALID_ARGUMENT, "%s: NULL",
                        plan ? "details" : "plan");
    plan->primitive->info(plan, n, &all);
    xli_structure_write(&structure, plan->version, details, &all);
    return XL_SUCCESS;
}

xl_context *xl_plan_context(const xl_plan *plan)
{
    return plan ? plan->ctx : NULL;
}

void xl_plan_destroy(xl_plan *plan)
{
    if (!plan || xli_os_was_forked())
        return;
    plan->primitive->drop(plan);
    xli_pool_destroy(&plan->pool);
    xli_context_release(plan->ctx);
    xli_free(plan);
}

/* SPDX-License-Identifier: MIT
 * Checks of a selection's descriptor and arguments, before any side effect. */
#include "select_plan.h"
#include "user_text.h"

#include <stdio.h>

enum { FIRST_BYTES = XL_SELECT_BYTES(1), LAST_BYTES = XL_SELECT_BYTES(65535) };

static bool is_by_heads(xl_select_kind kind)
{
    return kind == XL_SELECT_UNIQUE || kind == XL_SELECT_RUNS;
}

static xl_status check_numbers(const xl_context *ctx, const xl_select_desc *desc)
{
    const bool chooses = desc->kind <= XL_SELECT_PARTITION3;
    const char *why = NULL;
    if (desc->kind > XL_SELECT_REPEAT)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.kind: unknown value %d",
                        (int)desc->kind);
    if (desc->by > XL_SELECT_BY_BITMASK)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.by: unknown value %d", (int)desc->by);
    if (desc->index != XL_U32 && desc->index != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.index: %s (%d); indices are u32 or "
                        "u64",
                        xl_type_name((xl_type)desc->index), (int)desc->index);
    if (!chooses && desc->by != 0)
        why = "desc.by: runs of equal elements are not chosen by flags";
    else if (desc->kind == XL_SELECT_PARTITION3 && desc->by == XL_SELECT_BY_BITMASK)
        why = "desc.by: a bit does not say which of three parts";
    else if (desc->predicate && (!chooses || desc->by != XL_SELECT_BY_PREDICATE))
        why = "desc.predicate: given, but the selection goes by something else";
    else if (desc->equal && !is_by_heads((xl_select_kind)desc->kind))
        why = "desc.equal: given, but only UNIQUE and RUNS compare elements";
    else if (desc->equal && !desc->equal_zeros)
        why = "desc.equal_zeros: 0; must be 1 if desc.equal is given";
    return why ? xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s", why) : XL_SUCCESS;
}

/* Elements that are only moved are held as unsigned numbers, which every device has; vectors of 3
 * as those of 4, of which llvmpipe loses none. */
static xl_type moved_type(xl_type type)
{
    static const unsigned char of[] = {
        [XL_I8] = XL_U8,   [XL_U8] = XL_U8,   [XL_I16] = XL_U16, [XL_U16] = XL_U16,
        [XL_I32] = XL_U32, [XL_U32] = XL_U32, [XL_I64] = XL_U64, [XL_U64] = XL_U64,
        [XL_F16] = XL_U16, [XL_F32] = XL_U32, [XL_F64] = XL_U64};
    const size_t scalar = (size_t)type & 0xff, lanes = (size_t)type >> 8;
    if (type == XL_USER_TYPE || xl_type_size(type) == 0)
        return type;
    return (xl_type)((lanes == 3 ? 4 : lanes) << 8 | of[scalar]);
}

/* Whether b goes on with a's run, where the caller gives no expression. */
static const char *equal_of(const xli_element *element)
{
    static const char *const expressions[2][2] = {
        {"all(a == b)", "a == b"},
        {"all((a == b) & (signbit(a) == signbit(b)))", "a == b && signbit(a) == signbit(b)"}};
    return expressions[xli_element_orders_zeros(element)][xli_element_is_scalar(element)];
}

/* The expressions, and what they are where none is given. */
static xl_status check_expressions(const xl_context *ctx, const xl_select_desc *desc,
                                   xli_select_problem *p)
{
    const bool scalar = xli_element_is_scalar(&p->element);
    const bool user = desc->type == XL_USER_TYPE;
    if (p->kind <= XL_SELECT_PARTITION3 && p->by == XL_SELECT_BY_PREDICATE) {
        p->predicate = desc->predicate ? desc->predicate : "x != 0";
        if (!desc->predicate && !scalar)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.predicate: elements of type %s need one", p->element.name);
    }
    if (is_by_heads(p->kind)) {
        p->equal = desc->equal ? desc->equal : equal_of(&p->element);
        if (!desc->equal && user)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.equal: elements of type %s need one", p->element.name);
    }
    return XL_SUCCESS;
}

static xl_status check_value(const xl_context *ctx, const char *field, uint32_t value,
                             size_t *bytes)
{
    *bytes = value >= FIRST_BYTES && value <= LAST_BYTES ? value - XL_SELECT_BYTES(0)
                                                         : xl_type_size((xl_type)value);
    if (*bytes > 0)
        return XL_SUCCESS;
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.%s: %d is no built-in type and no XL_SELECT_BYTES()", field, (int)value);
}

static xl_status check_values(const xl_context *ctx, const xl_select_desc *desc,
                              xli_select_problem *p)
{
    xl_status status = XL_SUCCESS;
    if (desc->value != XL_NONE)
        XL_TRY(check_value(ctx, "value", desc->value, &p->values[p->num_values++]));
    for (size_t k = 0; k < XL_SELECT_MORE_VALUES && desc->more_values[k] != XL_NONE; ++k) {
        char field[32];
        snprintf(field, sizeof field, "more_values[%u]", (unsigned)k);
        if (desc->value == XL_NONE)
            XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.%s: given, but value is not",
                            field));
        XL_TRY(check_value(ctx, field, desc->more_values[k], &p->values[p->num_values++]));
    }
done:
    return status;
}

xl_status xli_select_check_desc(const xl_context *ctx, const xli_capabilities *capabilities,
                                const xl_select_desc *desc, xli_select_problem *p)
{
    xl_status status;
    *p = (xli_select_problem){.kind = (xl_select_kind)desc->kind,
                              .by = (xl_select_by)desc->by,
                              .wide = desc->index == XL_U64};
    XL_TRY(check_numbers(ctx, desc));
    XL_TRY(xli_check_reserved(ctx, desc->reserved));
    XL_TRY(xli_check_expression(ctx, "desc.predicate", desc->predicate));
    XL_TRY(xli_check_expression(ctx, "desc.equal", desc->equal));
    const bool looks = is_by_heads(p->kind) ||
                       (p->kind <= XL_SELECT_PARTITION3 && p->by == XL_SELECT_BY_PREDICATE);
    XL_TRY(xli_element_resolve(ctx, capabilities, "type",
                               looks ? (xl_type)desc->type : moved_type((xl_type)desc->type),
                               desc->user_type, &p->element));
    p->element.orders_zeros = !desc->equal_zeros;
    XL_TRY(check_expressions(ctx, desc, p));
    XL_TRY(check_values(ctx, desc, p));
    XL_TRY(xli_params_resolve(ctx, capabilities, desc->params, desc->num_params,
                              desc->predicate || desc->equal, &p->params));
done:
    return status;
}

/* ---- calls ---- */

static xl_status check_n(const xl_context *ctx, const xli_select_problem *p,
                         const xl_select_args *args)
{
    const bool narrow = args->indices_out.buffer && !p->wide;
    if (args->n > UINT32_MAX && (p->kind == XL_SELECT_RUNS || narrow))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "n: %zu, but %s of u32 go up to 2^32 - 1 elements", args->n,
                        p->kind == XL_SELECT_RUNS ? "lengths" : "indices");
    return XL_SUCCESS;
}

/* One array of a call. */
typedef struct array {
    const char *name;
    xl_view view;
    size_t n, bytes;
    bool known;  /* the plan has such an array */
    bool needed; /* the call has to give it, where there are elements */
} array;

static void list_values(const xli_select_problem *p, const xl_select_args *args, size_t room,
                        array list[XLI_SELECT_SPANS])
{
    static const char *const names_in[] = {"values_in", "more_values_in[0]", "more_values_in[1]",
                                           "more_values_in[2]"},
                             *const names_out[] = {"values_out", "more_values_out[0]",
                                                   "more_values_out[1]", "more_values_out[2]"};
    for (size_t k = 0; k < XLI_SELECT_VALUES; ++k) {
        const bool known = k < p->num_values;
        const xl_view in = k == 0 ? args->values_in : args->more_values_in[k - 1],
                      out = k == 0 ? args->values_out : args->more_values_out[k - 1];
        list[XLI_SELECT_VALUES_IN + k] =
            (array){names_in[k], in, args->n, p->values[k], known, out.buffer != NULL};
        list[XLI_SELECT_VALUES_OUT + k] =
            (array){names_out[k], out, room, p->values[k], known, false};
    }
}

static void list_arrays(const xli_select_problem *p, const xl_select_args *args, size_t room,
                        array list[XLI_SELECT_SPANS])
{
    const size_t n = args->n, index = p->wide ? sizeof(cl_ulong) : sizeof(cl_uint);
    const bool repeats = p->kind == XL_SELECT_REPEAT, bits = p->by == XL_SELECT_BY_BITMASK;
    const bool flags = !repeats && p->by != XL_SELECT_BY_PREDICATE;
    const bool in = xli_select_looks(p) || args->out.buffer;
    list[XLI_SELECT_N_DEVICE] =
        (array){"n_device", args->n_device, 1, sizeof(cl_ulong), true, false};
    list[XLI_SELECT_IN] = (array){"in", args->in, n, p->element.bytes, true, in};
    list[XLI_SELECT_FLAGS] = (array){repeats ? "lengths_in" : "flags",
                                     repeats ? args->lengths_in : args->flags,
                                     bits ? xli_ceil_div(n, 32) : n,
                                     bits || repeats ? sizeof(cl_uint) : 1,
                                     repeats || flags,
                                     repeats || flags};
    list[XLI_SELECT_OUT] = (array){"out", args->out, room, p->element.bytes, true, false};
    list[XLI_SELECT_INDICES] = (array){"indices_out", args->indices_out, room, index, true, false};
    list[XLI_SELECT_LENGTHS] = (array){"lengths_out",   args->lengths_out,         room,
                                       sizeof(cl_uint), p->kind == XL_SELECT_RUNS, false};
    list[XLI_SELECT_COUNT] = (array){"count_out",
                                     args->count_out,
                                     p->kind == XL_SELECT_PARTITION3 ? 2 : 1,
                                     sizeof(cl_ulong),
                                     true,
                                     false};
    list_values(p, args, room, list);
}

/* What is given and asked for by nothing, of the arguments that have no place in the list. */
static xl_status check_given(const xl_context *ctx, const xli_select_problem *p,
                             const xl_select_args *args, const array list[XLI_SELECT_SPANS])
{
    bool any = false;
    const char *name = p->kind == XL_SELECT_REPEAT ? "flags" : "lengths_in";
    if (p->kind == XL_SELECT_REPEAT ? args->flags.buffer : args->lengths_in.buffer)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but the plan takes none", name);
    for (size_t i = 0; i < XLI_SELECT_SPANS; ++i) {
        if (!list[i].known && list[i].view.buffer)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but the plan takes none",
                            list[i].name);
        any = any || (i >= XLI_SELECT_OUT && list[i].view.buffer);
    }
    return any || args->n == 0 ? XL_SUCCESS
                               : xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                          "out, values_out, indices_out, lengths_out, count_out: "
                                          "none is given, and there is nothing to write");
}

xl_status xli_select_check_call(const xl_context *ctx, const xli_select_problem *p,
                                const xl_select_args *args, xli_select_spans *s)
{
    xl_status status;
    array list[XLI_SELECT_SPANS];
    const size_t capacity = args->capacity > 0 ? args->capacity : args->n;
    const size_t room = p->kind == XL_SELECT_REPEAT ? capacity : xli_min(capacity, args->n);
    *s = (xli_select_spans){.n = args->n, .capacity = room};
    XL_TRY(xli_params_read(ctx, &p->params, args->params, &s->params));
    XL_TRY(check_n(ctx, p, args));
    list_arrays(p, args, room, list);
    XL_TRY(check_given(ctx, p, args, list));
    for (size_t i = 0; i < XLI_SELECT_SPANS; ++i)
        if (list[i].needed || list[i].view.buffer)
            XL_TRY(xli_check_view(ctx, list[i].name, list[i].view, list[i].n, list[i].bytes,
                                  i < XLI_SELECT_OUT ? XLI_READ : XLI_WRITE, &s->at[i]));
    for (size_t i = 0; i < XLI_SELECT_SPANS; ++i)
        for (size_t j = xli_max(i + 1, XLI_SELECT_OUT); j < XLI_SELECT_SPANS; ++j)
            XL_TRY(xli_check_apart(ctx, &s->at[i], &s->at[j], false));
done:
    return status;
}

xl_status xli_select_check_scratch(const xl_context *ctx, const xli_select_spans *s,
                                   const xli_span *scratch)
{
    xl_status status = XL_SUCCESS;
    for (size_t i = 0; i < XLI_SELECT_SPANS && status == XL_SUCCESS; ++i)
        status = xli_check_apart(ctx, scratch, &s->at[i], false);
    return status;
}

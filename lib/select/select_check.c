/* SPDX-License-Identifier: MIT
 * Checks of a selection's descriptor. */
#include "select_plan.h"
#include "user_text.h"

static bool is_by_heads(xl_select_kind kind)
{
    return kind == XL_SELECT_UNIQUE || kind == XL_SELECT_RUNS;
}

static xl_status check_numbers(const xl_context *ctx, const xl_select_desc *desc)
{
    if (desc->kind > XL_SELECT_REPEAT)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.kind: %u; must be one of XL_SELECT_IF to XL_SELECT_REPEAT",
                        (unsigned)desc->kind);
    if (desc->by > XL_SELECT_BY_BITMASK)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.by: %u; must be XL_SELECT_BY_PREDICATE, XL_SELECT_BY_FLAGS or "
                        "XL_SELECT_BY_BITMASK",
                        (unsigned)desc->by);
    if (desc->index != XL_U32 && desc->index != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.index: %s (%d); must be u32 or u64",
                        xl_type_name((xl_type)desc->index), (int)desc->index);
    return XL_SUCCESS;
}

/* Fields that do not go together. */
static xl_status check_pairs(const xl_context *ctx, const xl_select_desc *desc)
{
    const bool chooses = desc->kind <= XL_SELECT_PARTITION3;
    const bool heads = is_by_heads((xl_select_kind)desc->kind);
    const struct {
        bool wrong;
        const char *text;
    } rules[] = {
        {!chooses && desc->by != 0,
         "desc.by: given; requires XL_SELECT_IF, XL_SELECT_PARTITION or XL_SELECT_PARTITION3"},
        {desc->kind == XL_SELECT_PARTITION3 && desc->by == XL_SELECT_BY_BITMASK,
         "desc.by: XL_SELECT_BY_BITMASK; a bit cannot name one of the three classes of "
         "XL_SELECT_PARTITION3"},
        {desc->predicate && (!chooses || desc->by != XL_SELECT_BY_PREDICATE),
         "desc.predicate: given; requires XL_SELECT_BY_PREDICATE and XL_SELECT_IF, "
         "XL_SELECT_PARTITION or XL_SELECT_PARTITION3"},
        {desc->equal && !heads, "desc.equal: given; requires XL_SELECT_UNIQUE or XL_SELECT_RUNS"},
        {desc->equal && !desc->equal_zeros,
         "desc.equal_zeros: 0; must be 1 if desc.equal is given"},
    };
    for (size_t k = 0; k < XLI_COUNT(rules); ++k)
        if (rules[k].wrong)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s", rules[k].text);
    return XL_SUCCESS;
}

xl_status xli_select_check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_select_desc *const desc = of;
    XL_TRY(check_numbers(ctx, desc));
    XL_TRY(check_pairs(ctx, desc));
    XL_TRY(xli_check_expression(ctx, "desc.predicate", desc->predicate));
    XL_TRY(xli_check_expression(ctx, "desc.equal", desc->equal));
done:
    return status;
}

/* ---- for a device ---- */

/* Elements that are only moved are kept as unsigned numbers, which every device has, and vectors of
 * 3 as vectors of 4, because llvmpipe may lose a lane of the former. */
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

/* Whether b continues a's run, if the caller gives no expression. */
static const char *equal_of(const xli_element *element)
{
    static const char *const expressions[2][2] = {
        {"all(a == b)", "a == b"},
        {"all((a == b) & (signbit(a) == signbit(b)))", "a == b && signbit(a) == signbit(b)"}};
    return expressions[xli_element_orders_zeros(element)][xli_element_is_scalar(element)];
}

/* The expressions: the caller's or the defaults. */
static xl_status resolve_expressions(const xl_context *ctx, const xl_select_desc *desc,
                                     xli_select_problem *p)
{
    const bool scalar = xli_element_is_scalar(&p->element);
    const bool user = desc->type == XL_USER_TYPE;
    if (p->kind <= XL_SELECT_PARTITION3 && p->by == XL_SELECT_BY_PREDICATE) {
        p->predicate = desc->predicate ? desc->predicate : "x != 0";
        if (!desc->predicate && !scalar)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.predicate: NULL; must be given for elements of type %s",
                            p->element.name);
    }
    if (is_by_heads(p->kind)) {
        p->equal = desc->equal ? desc->equal : equal_of(&p->element);
        if (!desc->equal && user)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.equal: NULL; must be given for elements of type %s",
                            p->element.name);
    }
    return XL_SUCCESS;
}

xl_status xli_select_resolve(const xl_context *ctx, const xli_capabilities *capabilities,
                             const xl_select_desc *desc, xli_select_problem *p)
{
    xl_status status;
    *p = (xli_select_problem){.kind = (xl_select_kind)desc->kind,
                              .by = (xl_select_by)desc->by,
                              .wide = desc->index == XL_U64};
    const bool looks = is_by_heads(p->kind) ||
                       (p->kind <= XL_SELECT_PARTITION3 && p->by == XL_SELECT_BY_PREDICATE);
    XL_TRY(xli_element_resolve(ctx, capabilities, "type",
                               looks ? (xl_type)desc->type : moved_type((xl_type)desc->type),
                               desc->user_type, &p->element));
    p->element.orders_zeros = !desc->equal_zeros;
    XL_TRY(resolve_expressions(ctx, desc, p));
    XL_TRY(xli_values_read(ctx, desc->value, desc->more_values, &p->values));
    XL_TRY(xli_params_resolve(ctx, capabilities, desc->params, desc->num_params,
                              desc->predicate || desc->equal, &p->params));
done:
    return status;
}

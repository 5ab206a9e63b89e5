/* SPDX-License-Identifier: MIT
 * Checks of a transform's descriptor. */
#include "transform_plan.h"
#include "user_text.h"

static const char *const type_names[XL_TRANSFORM_ARRAYS] = {"types[0]", "types[1]", "types[2]",
                                                            "types[3]"};

static xl_status check_num_arrays(const xl_context *ctx, const xl_transform_desc *desc)
{
    const bool map = desc->kind == XL_TRANSFORM_MAP;
    const uint32_t least = map ? 0 : 1;
    const uint32_t most = desc->kind == XL_TRANSFORM_ADJACENT ? 1 : XL_TRANSFORM_ARRAYS;
    if (desc->num_arrays < least || desc->num_arrays > most)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.num_arrays: %u; must be %u to %u",
                        (unsigned)desc->num_arrays, (unsigned)least, (unsigned)most);
    if (map && desc->num_arrays == 0 && (!desc->expression || desc->out_type == XL_NONE))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.num_arrays: 0; requires desc.expression and desc.out_type");
    return XL_SUCCESS;
}

static xl_status check_choices(const xl_context *ctx, const xl_transform_desc *desc)
{
    if (desc->kind > XL_TRANSFORM_ADJACENT)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.kind: %u; must be XL_TRANSFORM_MAP, XL_TRANSFORM_GATHER, "
                        "XL_TRANSFORM_SCATTER or XL_TRANSFORM_ADJACENT",
                        (unsigned)desc->kind);
    if (xli_transform_moves(desc->kind) && desc->index_type != XL_U32 && desc->index_type != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.index_type: %s (%d); must be u32 or u64",
                        xl_type_name((xl_type)desc->index_type), (int)desc->index_type);
    if (desc->kind == XL_TRANSFORM_ADJACENT && desc->types[0] == XL_USER_TYPE && !desc->expression)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.expression: NULL; must be given if desc.types[0] is XL_USER_TYPE");
    return XL_SUCCESS;
}

static xl_status check_types(const xl_context *ctx, const xl_transform_desc *desc)
{
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k) {
        if (k >= desc->num_arrays && desc->types[k] != XL_NONE)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.%s: given; must be XL_NONE, because desc.num_arrays is %u",
                            type_names[k], (unsigned)desc->num_arrays);
        if (desc->types[k] != XL_USER_TYPE && desc->user_types[k])
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "desc.user_types[%zu]: given; requires desc.%s XL_USER_TYPE", k,
                            type_names[k]);
    }
    return XL_SUCCESS;
}

/* A field without an effect must have its default: another value is a mistake. */
static xl_status check_idle(const xl_context *ctx, const xl_transform_desc *desc)
{
    const bool move = xli_transform_moves(desc->kind);
    const xli_idle_field fields[] = {
        {"desc.out_type", desc->out_type != XL_NONE, !move, "outputs have the types of inputs"},
        {"desc.user_out_type", desc->user_out_type != NULL, desc->out_type == XL_USER_TYPE,
         "desc.out_type is not XL_USER_TYPE"},
        {"desc.index_type", desc->index_type != XL_NONE, move, "there are no indices"},
        {"desc.expression", desc->expression != NULL, !move, "elements are moved unchanged"},
    };
    return xli_check_idle(ctx, fields, XLI_COUNT(fields));
}

xl_status xli_transform_check(xl_context *ctx, const void *of)
{
    xl_status status;
    const xl_transform_desc *const desc = of;
    XL_TRY(check_choices(ctx, desc));
    XL_TRY(check_num_arrays(ctx, desc));
    XL_TRY(check_idle(ctx, desc));
    XL_TRY(check_types(ctx, desc));
    XL_TRY(xli_check_expression(ctx, "desc.expression", desc->expression));
done:
    return status;
}

/* A gather or a scatter needs only the size of an element: the device may lack the type. */
static xl_status resolve_bytes(const xl_context *ctx, const xl_transform_desc *desc, size_t k,
                               xli_element *element)
{
    enum { MOST = 4096 };
    const xl_user_type *user = desc->user_types[k];
    const bool is_user = desc->types[k] == XL_USER_TYPE;
    const size_t bytes = is_user ? (user ? user->size : 0) : xl_type_size((xl_type)desc->types[k]);
    if (bytes == 0 || bytes > MOST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.%s: %s (%d); must be a type of 1 to %d bytes", type_names[k],
                        xl_type_name((xl_type)desc->types[k]), (int)desc->types[k], MOST);
    *element = (xli_element){.type = (xl_type)desc->types[k], .bytes = bytes};
    return XL_SUCCESS;
}

static xl_status resolve_types(const xl_context *ctx, const xl_transform_desc *desc,
                               const xli_capabilities *capabilities, xli_transform_problem *p)
{
    xl_status status = XL_SUCCESS;
    for (size_t k = 0; k < p->arrays; ++k)
        XL_TRY(xli_transform_moves(desc->kind)
                   ? resolve_bytes(ctx, desc, k, &p->in[k])
                   : xli_element_resolve(ctx, capabilities, type_names[k], (xl_type)desc->types[k],
                                         desc->user_types[k], &p->in[k]));
    if (xli_transform_moves(desc->kind))
        goto done;
    p->out = p->in[0];
    if (desc->out_type != XL_NONE)
        XL_TRY(xli_element_resolve(ctx, capabilities, "out_type", (xl_type)desc->out_type,
                                   desc->user_out_type, &p->out));
    for (size_t k = 0; k < p->arrays; ++k) {
        XL_TRY(xli_element_check_name(ctx, type_names[k], &p->in[k], "out_type", &p->out));
        for (size_t j = 0; j < k; ++j)
            XL_TRY(xli_element_check_name(ctx, type_names[k], &p->in[k], type_names[j], &p->in[j]));
    }
done:
    return status;
}

xl_status xli_transform_resolve(const xl_context *ctx, const xl_transform_desc *desc,
                                const xli_capabilities *capabilities,
                                xli_transform_problem *problem)
{
    xl_status status;
    *problem = (xli_transform_problem){.kind = (xl_transform_kind)desc->kind,
                                       .arrays = desc->num_arrays,
                                       .index_bytes = xli_transform_moves(desc->kind)
                                                          ? xl_type_size((xl_type)desc->index_type)
                                                          : 0};
    XL_TRY(resolve_types(ctx, desc, capabilities, problem));
    XL_TRY(xli_params_resolve(ctx, capabilities, desc->params, desc->num_params,
                              desc->expression != NULL, &problem->params));
done:
    return status;
}

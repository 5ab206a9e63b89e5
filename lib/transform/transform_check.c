/* SPDX-License-Identifier: MIT
 * Checks of a transform's descriptor and arguments, before any side effect. */
#include "transform_plan.h"
#include "user_text.h"

static const char *const type_names[XL_TRANSFORM_ARRAYS] = {"types[0]", "types[1]", "types[2]",
                                                            "types[3]"};

static xl_status check_choices(const xl_context *ctx, const xl_transform_desc *desc)
{
    const bool map = desc->kind == XL_TRANSFORM_MAP, adjacent = desc->kind == XL_TRANSFORM_ADJACENT;
    const uint32_t least = map ? 0 : 1, most = adjacent ? 1 : XL_TRANSFORM_ARRAYS;
    if (desc->kind > XL_TRANSFORM_ADJACENT)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "kind: %u is not one of XL_TRANSFORM_MAP, _GATHER, _SCATTER, _ADJACENT",
                        (unsigned)desc->kind);
    if (desc->num_arrays < least || desc->num_arrays > most)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "num_arrays: %u, not %u to %u",
                        (unsigned)desc->num_arrays, (unsigned)least, (unsigned)most);
    if (xli_transform_moves(desc->kind) && desc->index_type != XL_U32 && desc->index_type != XL_U64)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "index_type: %s (%d), not XL_U32 or XL_U64",
                        xl_type_name((xl_type)desc->index_type), (int)desc->index_type);
    if (map && desc->num_arrays == 0 && (!desc->expression || desc->out_type == XL_NONE))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "num_arrays: 0, which needs an expression and an out_type");
    if (adjacent && desc->types[0] == XL_USER_TYPE && !desc->expression)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "expression: NULL, which stands for x - p, but types[0] is XL_USER_TYPE");
    return XL_SUCCESS;
}

/* What the other fields give no meaning is a mistake somewhere. */
static xl_status check_idle(const xl_context *ctx, const xl_transform_desc *desc)
{
    xl_status status;
    const bool move = xli_transform_moves(desc->kind);
    const xli_idle_field fields[] = {
        {"out_type", desc->out_type != XL_NONE, !move, "outputs are of the inputs' types"},
        {"user_out_type", desc->user_out_type != NULL, desc->out_type == XL_USER_TYPE,
         "out_type is not XL_USER_TYPE"},
        {"index_type", desc->index_type != XL_NONE, move, "there are no indices"},
        {"expression", desc->expression != NULL, !move, "elements are moved as they are"},
    };
    XL_TRY(xli_check_idle(ctx, fields, XLI_COUNT(fields)));
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k) {
        if (k >= desc->num_arrays && desc->types[k] != XL_NONE)
            XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: given, but num_arrays is %u",
                            type_names[k], (unsigned)desc->num_arrays));
        if (desc->types[k] != XL_USER_TYPE && desc->user_types[k])
            XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "user_types[%zu]: given, but %s is not XL_USER_TYPE", k,
                            type_names[k]));
    }
done:
    return status;
}

/* Bytes are all that a gather and a scatter ask for: a device need not know the type. */
static xl_status resolve_bytes(const xl_context *ctx, const xl_transform_desc *desc, size_t k,
                               xli_element *element)
{
    enum { MOST = 4096 };
    const xl_user_type *user = desc->user_types[k];
    const bool is_user = desc->types[k] == XL_USER_TYPE;
    const size_t bytes = is_user ? (user ? user->size : 0) : xl_type_size((xl_type)desc->types[k]);
    if (bytes == 0 || bytes > MOST)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: %s (%d) has no size, or more than %d bytes", type_names[k],
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
    XL_TRY(check_choices(ctx, desc));
    XL_TRY(check_idle(ctx, desc));
    XL_TRY(xli_check_expression(ctx, "desc.expression", desc->expression));
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

/* ---- calls ---- */

static xl_status check_not_given(const xl_context *ctx, const char *name, size_t k, xl_view view)
{
    return view.buffer ? xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                                  "%s[%zu]: given, but the plan has no such array", name, k)
                       : XL_SUCCESS;
}

static xl_status check_arrays(const xl_context *ctx, const xli_transform_problem *p,
                              const xl_transform_args *args, xli_transform_spans *s)
{
    static const char *const in[] = {"in[0]", "in[1]", "in[2]", "in[3]"}, *const out[] = {
                                                                              "out[0]", "out[1]",
                                                                              "out[2]", "out[3]"};
    xl_status status = XL_SUCCESS;
    const bool moves = xli_transform_moves(p->kind);
    const size_t read = p->kind == XL_TRANSFORM_GATHER ? args->range : args->n;
    const size_t written = p->kind == XL_TRANSFORM_SCATTER ? args->range : args->n;
    const size_t outs = moves ? p->arrays : 1;
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k) {
        if (k < p->arrays)
            XL_TRY(xli_check_view(ctx, in[k], args->in[k], args->n > 0 ? read : 0, p->in[k].bytes,
                                  XLI_READ, &s->in[k]));
        else
            XL_TRY(check_not_given(ctx, "in", k, args->in[k]));
        if (k < outs)
            XL_TRY(xli_check_view(ctx, out[k], args->out[k], args->n > 0 ? written : 0,
                                  moves ? p->in[k].bytes : p->out.bytes, XLI_WRITE, &s->out[k]));
        else
            XL_TRY(check_not_given(ctx, "out", k, args->out[k]));
    }
done:
    return status;
}

static xl_status check_overlap(const xl_context *ctx, const xli_transform_problem *p,
                               const xli_transform_spans *s)
{
    xl_status status = XL_SUCCESS;
    const bool moves = xli_transform_moves(p->kind);
    for (size_t k = 0; k < XL_TRANSFORM_ARRAYS; ++k) {
        for (size_t j = 0; j < XL_TRANSFORM_ARRAYS; ++j) {
            const bool same = !moves && p->in[j].bytes == p->out.bytes;
            XL_TRY(xli_check_apart(ctx, &s->in[j], &s->out[k], same));
            if (j > k)
                XL_TRY(xli_check_apart(ctx, &s->out[k], &s->out[j], false));
        }
        XL_TRY(xli_check_apart(ctx, &s->indices, &s->out[k], false));
        XL_TRY(xli_check_apart(ctx, &s->n_device, &s->out[k], false));
    }
done:
    return status;
}

xl_status xli_transform_check_views(const xl_context *ctx, const xli_transform_problem *p,
                                    const xl_transform_args *args, xli_transform_spans *s)
{
    xl_status status;
    *s = (xli_transform_spans){.in_place = false};
    XL_TRY(xli_params_read(ctx, &p->params, args->params, &s->params));
    XL_TRY(check_arrays(ctx, p, args, s));
    if (p->index_bytes == 0 && args->indices.buffer)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "indices: given, but the plan is no gather and no scatter"));
    XL_TRY(xli_check_view(ctx, "indices", args->indices, p->index_bytes > 0 ? args->n : 0,
                          xli_max(1, p->index_bytes), XLI_READ, &s->indices));
    if (args->n_device.buffer)
        XL_TRY(xli_check_view(ctx, "n_device", args->n_device, 1, sizeof(cl_ulong), XLI_READ,
                              &s->n_device));
    XL_TRY(check_overlap(ctx, p, s));
    s->in_place = xli_span_is_in_place(&s->in[0], &s->out[0]);
done:
    return status;
}

xl_status xli_transform_check_scratch(const xl_context *ctx, const xli_transform_spans *s,
                                      const xli_span *scratch)
{
    const xli_span *const spans[] = {&s->n_device, &s->in[0], &s->out[0]};
    return xli_check_apart_from(ctx, scratch, spans, XLI_COUNT(spans));
}

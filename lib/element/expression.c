/* SPDX-License-Identifier: MIT
 * An expression of the caller's as a function of OpenCL C, and conversions in its place. */
#include "element.h"

#include <stdio.h>
#include <string.h>

void xli_element_text_caller(xli_text *text, const char *field, const char *result,
                             const char *parameters, const char *expression)
{
    xli_text_add(text,
                 "#line 1 \"call of %s\"\n%s xl_%s_by(%s) { return (\n"
                 "#line 1 \"%s\"\n%s\n#line 1 \"end of %s\"\n); }\n",
                 field, result, field, parameters, field, expression, field);
}

/* One item of a list for each argument, each with a comma and a space behind. */
static void add_parameters(xli_text *text, size_t num, const xli_expression_argument *arguments,
                           bool held)
{
    for (size_t i = 0; i < num; ++i)
        xli_text_add(text, "const %s %s%s, ",
                     held ? arguments[i].type->storage : arguments[i].type->name, held ? "xl_" : "",
                     arguments[i].name);
}

void xli_element_text_expression(xli_text *text, const char *field, const xli_element *result,
                                 const char *expression, size_t num_arguments,
                                 const xli_expression_argument *arguments, const xli_params *params)
{
    if (!expression)
        return;
    xli_text parameters = {0};
    add_parameters(&parameters, num_arguments, arguments, false);
    xli_text_add(&parameters, "const ulong i");
    xli_params_text_list(&parameters, params);
    if (parameters.failed)
        text->failed = true;
    else
        xli_element_text_caller(text, field, result->name, parameters.data, expression);
    xli_text_free(&parameters);
    xli_text_add(text, "#line 1 \"call of %s\"\n%s xl_user_%s(", field, result->storage, field);
    add_parameters(text, num_arguments, arguments, true);
    xli_text_add(text, "ulong xl_i%s) { return %s(xl_%s_by(", xli_params_parameter(params),
                 result->close, field);
    for (size_t i = 0; i < num_arguments; ++i)
        xli_text_add(text, "%s(xl_%s), ", arguments[i].type->open, arguments[i].name);
    xli_text_add(text, "xl_i");
    xli_params_text_values(text, params);
    xli_text_add(text, ")); }\n");
}

xl_status xli_element_check_conversion(const xl_context *ctx, const char *field,
                                       const char *expression, const xli_element *array,
                                       const xli_element *computed)
{
    if (expression || (array->kind != XLI_KIND_USER && computed->kind != XLI_KIND_USER &&
                       array->lanes == computed->lanes))
        return XL_SUCCESS;
    const int stem = (int)(strlen(field) - strlen("_type"));
    return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                    "desc.%s: %s; requires desc.%.*s, because only built-in types with the same "
                    "number of lanes are converted without it",
                    field, array->name, stem, field);
}

/* Scalars are converted by the return statement of xl_FIELD_by(). Small integers become
 * floating-point numbers by way of int, because rusticl of Mesa 22.3 reduces floats from uchar to a
 * wrong sum (2026-11). */
const char *xli_element_conversion(const char *expression, const xli_element *from,
                                   const xli_element *to, char room[XLI_CONVERSION_ROOM])
{
    if (expression || from->type == to->type)
        return expression;
    const bool steps = from->kind != XLI_KIND_FLOAT && to->kind == XLI_KIND_FLOAT &&
                       from->bytes < from->lanes * sizeof(cl_int);
    if (to->lanes == 1)
        return steps ? "(int)x" : "x";
    snprintf(room, XLI_CONVERSION_ROOM, steps ? "convert_%s(convert_int%u(x))" : "convert_%s(x)",
             to->name, to->lanes);
    return room;
}

/* SPDX-License-Identifier: MIT
 * Parameters of a plan's expressions. */
#include "params.h"

#include "element.h"
#include "user_text.h"

#include <stdio.h>
#include <string.h>

/* Names that expressions have anyway. */
static bool is_taken(const char *name)
{
    static const char names[] = "abipwxyz";
    return name[0] != '\0' && name[1] == '\0' && strchr(names, name[0]);
}

static xl_status check_name(const xl_context *ctx, const xl_param *given, size_t k)
{
    char field[40];
    const char *name = given[k].name;
    snprintf(field, sizeof field, "desc.params[%zu].name", k);
    if (!name)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "%s: NULL", field);
    const xl_status status = xli_check_identifier(ctx, field, name, 63);
    if (status != XL_SUCCESS)
        return status;
    if (is_taken(name))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "%s: \"%s\"; x, y, z, w, p, a, b and i are elements and indices", field,
                        name);
    for (size_t j = 0; j < k; ++j)
        if (strcmp(name, given[j].name) == 0)
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "%s: \"%s\"; desc.params[%zu] has the same name", field, name, j);
    return XL_SUCCESS;
}

static xl_status check_type(const xl_context *ctx, const xli_capabilities *capabilities,
                            const xl_param *given, size_t k)
{
    char field[40];
    xli_element element;
    snprintf(field, sizeof field, "params[%zu].type", k);
    if (given[k].type == XL_USER_TYPE)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.%s: XL_USER_TYPE; must be built in",
                        field);
    return xli_element_resolve(ctx, capabilities, field, (xl_type)given[k].type, NULL, &element);
}

static xl_status check_count(const xl_context *ctx, const xl_param *given, size_t count, bool used)
{
    if (count > XL_PARAMS)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.num_params: %zu; at most %d", count,
                        XL_PARAMS);
    if ((count > 0) != (given != NULL))
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.num_params: %zu; params is %s", count,
                        given ? "given" : "NULL");
    if (count > 0 && !used)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.num_params: %zu; requires an expression that may use them", count);
    return XL_SUCCESS;
}

xl_status xli_params_resolve(const xl_context *ctx, const xli_capabilities *capabilities,
                             const xl_param *given, size_t count, bool used, xli_params *params)
{
    xl_status status;
    size_t word = 0;
    *params = (xli_params){0};
    XL_TRY(check_count(ctx, given, count, used));
    for (size_t k = 0; k < count; ++k) {
        XL_TRY(check_name(ctx, given, k));
        XL_TRY(check_type(ctx, capabilities, given, k));
        params->at[k].name = given[k].name;
        params->at[k].type = (xl_type)given[k].type;
        params->at[k].bytes = xl_type_size((xl_type)given[k].type);
        params->at[k].word = word;
        word += xli_ceil_div(params->at[k].bytes, sizeof(cl_uint));
    }
    if (word > XLI_PARAM_WORDS)
        XL_TRY(xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.params: %zu bytes; at most %zu, where each counts as a multiple of 4",
                        word * sizeof(cl_uint), XLI_PARAM_WORDS * sizeof(cl_uint)));
    params->count = count;
    for (params->words = count > 0 ? 2 : 0; params->words < word;)
        params->words *= 2;
done:
    return status;
}

xl_status xli_params_read(const xl_context *ctx, const xli_params *params,
                          const void *const given[XL_PARAMS], xli_param_values *values)
{
    *values = (xli_param_values){{0}};
    for (size_t k = 0; k < XL_PARAMS; ++k) {
        if ((given[k] != NULL) != (k < params->count))
            return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                            "args.params[%zu]: %s; the plan has %zu", k,
                            given[k] ? "given" : "NULL", params->count);
        if (k < params->count)
            memcpy(&values->words[params->at[k].word], given[k], params->at[k].bytes);
    }
    return XL_SUCCESS;
}

xli_arg xli_params_arg(const xli_params *params, const xli_param_values *values)
{
    return params->words > 0 ? XLI_BYTES(values->words, params->words * sizeof(cl_uint)) : XLI_NONE;
}

void xli_params_text(xli_text *text, const xli_params *params)
{
    if (params->words > 0)
        xli_text_add(text, "#define XL_PARAM_WORDS %zu\ntypedef uint%zu xl_params;\n",
                     params->words, params->words);
}

/* A vector of 3 has the room of 4. */
static void add_type(xli_text *text, xl_type type)
{
    const unsigned lanes = (unsigned)type >> 8;
    xli_text_add(text, "%s", xli_lane_name(type));
    if (lanes > 1)
        xli_text_add(text, "%u", lanes);
}

void xli_params_text_list(xli_text *text, const xli_params *params)
{
    for (size_t k = 0; k < params->count; ++k) {
        xli_text_add(text, ", const ");
        add_type(text, params->at[k].type);
        xli_text_add(text, " %s", params->at[k].name);
    }
}

/* The words of parameter k as an unsigned number, or a vector of such, of its size. */
static void add_words(xli_text *text, const xli_params *params, size_t k)
{
    static const char letters[] = "0123456789abcdef";
    const size_t bytes = params->at[k].bytes, word = params->at[k].word;
    const char *cast = bytes == 1 ? "(uchar)" : bytes == 2 ? "(ushort)" : "";
    if (bytes > sizeof(cl_uint))
        xli_text_add(text, "(uint%zu)(", bytes / sizeof(cl_uint));
    for (size_t w = 0; w < xli_ceil_div(bytes, sizeof(cl_uint)); ++w)
        xli_text_add(text, "%s%sxl_given.s%c", w > 0 ? ", " : "", cast, letters[word + w]);
    if (bytes > sizeof(cl_uint))
        xli_text_add(text, ")");
}

void xli_params_text_values(xli_text *text, const xli_params *params)
{
    for (size_t k = 0; k < params->count; ++k) {
        const xl_type type = params->at[k].type;
        const bool three = (size_t)type >> 8 == 3;
        xli_text_add(text, ", as_");
        add_type(text, three ? (xl_type)(0x400 | ((size_t)type & 0xff)) : type);
        xli_text_add(text, "(");
        add_words(text, params, k);
        xli_text_add(text, three ? ").xyz" : ")");
    }
}

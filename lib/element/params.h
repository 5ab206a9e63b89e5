/* SPDX-License-Identifier: MIT
 * Parameters of a plan's expressions: values that each call gives, without another compilation.
 * Kernels take all of them as one vector of words. */
#ifndef XLI_PARAMS_H
#define XLI_PARAMS_H

#include "runtime.h"

#include <crosslane/types.h>

enum { XLI_PARAM_WORDS = 16 };

/* Checked parameters. */
typedef struct xli_params {
    size_t count;
    struct {
        const char *name; /* borrowed while a plan is made */
        xl_type type;
        size_t bytes, word; /* the first of its words */
    } at[XL_PARAMS];
    size_t words; /* of the vector; 0: there are no parameters */
} xli_params;

/* The values of one call. */
typedef struct xli_param_values {
    cl_uint words[XLI_PARAM_WORDS];
} xli_param_values;

/* Checks a descriptor's parameters. `used`: it has an expression. XL_ERROR_INVALID_ARGUMENT,
 * XL_ERROR_UNSUPPORTED for a type that the device lacks. */
xl_status xli_params_resolve(const xl_context *ctx, const xli_capabilities *capabilities,
                             const xl_param *given, size_t count, bool used, xli_params *params);

/* Checks and copies the values of a call, a pointer to each. */
xl_status xli_params_read(const xl_context *ctx, const xli_params *params,
                          const void *const given[XL_PARAMS], xli_param_values *values);

/* The last argument of a kernel, XLI_NONE if there are no parameters. It refers
 * to `values`. */
xli_arg xli_params_arg(const xli_params *params, const xli_param_values *values);

/* The type xl_params, and XL_PARAM_WORDS, which kernels ask for. Nothing without parameters. */
void xli_params_text(xli_text *text, const xli_params *params);

/* Parts of lists, each with a comma in front; nothing without parameters: the caller's parameters,
 * ", const float t"; their values in the variable xl_given; the variable as a parameter, and as an
 * argument. */
void xli_params_text_list(xli_text *text, const xli_params *params);
void xli_params_text_values(xli_text *text, const xli_params *params);
static inline const char *xli_params_parameter(const xli_params *params)
{
    return params->words > 0 ? ", xl_params xl_given" : "";
}
static inline const char *xli_params_argument(const xli_params *params)
{
    return params->words > 0 ? ", xl_given" : "";
}

#endif

/* SPDX-License-Identifier: MIT
 * Says of a plan that did not compile whether a user's type is of another size on the device
 * than its descriptor says: compilers only say that a check failed. */
#include "element.h"

#include <string.h>

enum { SIZE, ALIGNMENT, SEEN };

/* Asks for types[k], behind the others, which its source may use. */
static xl_status ask(xl_context *ctx, const xli_capabilities *capabilities,
                     const xli_element *const *types, size_t k, cl_uint *seen)
{
    xl_status status;
    xli_text text = {0};
    xli_program *program;
    xli_kernel kernel = {0};
    xli_element_text_sources(&text, capabilities, types, k + 1);
    xli_text_add(&text,
                 "#line 1 \"plan\"\ntypedef struct { char c; %s t; } xl_after_char;\n"
                 "#define XL_TYPE %s\n#define XL_AFTER_CHAR xl_after_char\n",
                 types[k]->name, types[k]->name);
    if (text.failed)
        XL_TRY(xli_fail(ctx, XL_ERROR_OUT_OF_MEMORY, "no memory to ask for the size of a type"));
    XL_TRY(xli_program_get(ctx, "type_size", text.data, &program));
    XL_TRY(xli_kernel_create(ctx, program, "xl_type_size", &kernel));
    XL_TRY(xli_kernel_query(ctx, &kernel, 1, SEEN * sizeof *seen, seen));
done:
    xli_kernel_destroy(&kernel);
    xli_text_free(&text);
    return status;
}

xl_status xli_element_explain(xl_context *ctx, const xli_capabilities *capabilities,
                              const xli_element *const *types, size_t num_types)
{
    char *before = xli_strdup(xl_context_error(ctx));
    for (size_t k = 0; before && k < num_types; ++k) {
        cl_uint seen[SEEN];
        const xli_element *type = types[k];
        if (!type->source || ask(ctx, capabilities, types, k, seen) != XL_SUCCESS ||
            (seen[SIZE] == type->bytes && seen[ALIGNMENT] == type->alignment))
            continue;
        xli_free(before);
        return xli_fail(ctx, XL_ERROR_BUILD,
                        "type \"%s\": the device says %u bytes, aligned to %u, the descriptor %zu, "
                        "aligned to %zu: change the descriptor, or the type's source",
                        type->name, (unsigned)seen[SIZE], (unsigned)seen[ALIGNMENT], type->bytes,
                        type->alignment);
    }
    if (before)
        (void)xli_fail(ctx, XL_ERROR_BUILD, "%s", before);
    xli_free(before);
    return XL_ERROR_BUILD;
}

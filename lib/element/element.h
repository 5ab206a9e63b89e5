/* SPDX-License-Identifier: MIT
 * Element types and operators as kernels know them. */
#ifndef XLI_ELEMENT_H
#define XLI_ELEMENT_H

#include "params.h"
#include "runtime.h"

#include <crosslane/types.h>

enum { XLI_KIND_UNSIGNED = 0, XLI_KIND_SIGNED = 1, XLI_KIND_FLOAT = 2, XLI_KIND_USER = 3 };

/* A type of types.h, resolved. */
typedef struct xli_element {
    xl_type type;
    char name[64];     /* in OpenCL C */
    char storage[80];  /* of the type that kernels hold it in: of a user's type one of our own */
    char scalar[80];   /* of a vector's lane; else held */
    char open[80];     /* of the function from that to the user's type; "" where they are one */
    char close[80];    /* and back */
    unsigned kind;     /* XLI_KIND_... */
    bool orders_zeros; /* the caller wants -0 to be less than +0 */
    unsigned lanes;    /* 1, or of a vector */
    size_t bytes;      /* from one element to the next */
    size_t alignment;
    const char *source; /* the user's, or NULL; borrowed while a plan is made */
} xli_element;

/* The name in OpenCL C and the XLI_KIND_... of a built-in scalar, or of a lane of a vector. */
const char *xli_lane_name(xl_type type);
unsigned xli_lane_kind(xl_type type);

/* Resolves a descriptor's `field`. XL_ERROR_INVALID_ARGUMENT if it is no type,
 * XL_ERROR_UNSUPPORTED if the device lacks it. */
xl_status xli_element_resolve(const xl_context *ctx, const xli_capabilities *capabilities,
                              const char *field, xl_type type, const xl_user_type *user,
                              xli_element *element);

/* More than this no alignment of a type may be: the least that OpenCL promises for every
 * buffer, that of its largest vector. Scratch is carved at multiples of it. */
#define XLI_MOST_ALIGNMENT ((size_t)128)
_Static_assert(XLI_SCRATCH_ALIGN % XLI_MOST_ALIGNMENT == 0, "types must fit into scratch");

/* XL_ERROR_INVALID_ARGUMENT unless a user's type or function may have that name. The field is
 * `prefix` and `field`. */
xl_status xli_element_check_identifier(const xl_context *ctx, const char *prefix, const char *field,
                                       const char *name);

/* XL_ERROR_INVALID_ARGUMENT where two user types have one name and are not one type. */
xl_status xli_element_check_name(const xl_context *ctx, const char *field,
                                 const xli_element *element, const char *other_field,
                                 const xli_element *other);

/* One that wraps modulo 2^bits where signed overflow is left open: unsigned for signed. */
xli_element xli_element_wrapping(const xli_element *element);

/* Whether zeros of both signs differ: they are floating-point numbers, and the caller wants it. */
bool xli_element_orders_zeros(const xli_element *element);

/* Built in and not a vector. */
bool xli_element_is_scalar(const xli_element *element);

/* XL_ERROR_INVALID_ARGUMENT unless `op` is one for elements of that type. */
xl_status xli_operator_check(const xl_context *ctx, xl_op op, const xl_user_op *user,
                             const xli_element *element);

/* Whether results are indices of elements; operands then have a value and an index. */
bool xli_operator_finds_index(xl_op op);

/* Whether the result may depend on the order in which operands meet. */
bool xli_operator_rounds(xl_op op, const xl_user_op *user, const xli_element *element);

/* Adds the lines that cl/prelude/prelude_accumulator.cl requires, after the user's text: each type
 * once, and the operator, each after its own #line. types[0] is the type of the operator's
 * operands. */
void xli_element_text(xli_text *text, const xli_capabilities *capabilities,
                      const xli_element *const *types, size_t num_types, xl_op op,
                      const xl_user_op *user);
/* Adds a call of a user's function of two elements, after its source. It compiles only if the
 * function takes these and returns `result` (NULL: a truth value). Errors name it by `kind` and
 * `name`. */
void xli_element_text_signature(xli_text *text, const char *kind, const char *name,
                                const char *source, const xli_element *operand, const char *result);
/* After the operator: how elements are loaded from an array and results are stored, of types[0]:
 *   XL_E xl_load(IN x, ulong i)      element i of an array of types[1], by the caller's expression
 *                                    if there is one
 *   OUT xl_store(XL_E e, ulong i)    a result for an array of types[2]
 * each with xl_params as last parameter if there are parameters. */
void xli_element_text_access(xli_text *text, xl_op op, const xli_element *const types[3],
                             bool loads, bool stores, const xli_params *params);
/* The types alone. */
void xli_element_text_types(xli_text *text, const xli_capabilities *capabilities,
                            const xli_element *const *types, size_t num_types);
/* The sources of the user's types alone. */
void xli_element_text_sources(xli_text *text, const xli_capabilities *capabilities,
                              const xli_element *const *types, size_t num_types);

/* expression.c: the caller's expression as the function `result` xl_FIELD_by(PARAMETERS), both in
 * OpenCL C. It stands alone on its lines, so that the columns of messages are the caller's. */
void xli_element_text_caller(xli_text *text, const char *field, const char *result,
                             const char *parameters, const char *expression);

/* An array whose elements have another type than the library computes with needs an expression
 * or a conversion. XL_ERROR_INVALID_ARGUMENT unless `expression` is given, or both types are
 * built in and have the same number of lanes. `field` is the array's type in the descriptor,
 * such as "load_type" for the expression desc.load. */
xl_status xli_element_check_conversion(const xl_context *ctx, const char *field,
                                       const char *expression, const xli_element *array,
                                       const xli_element *computed);
/* `expression`, or, if it is NULL, one that converts x; NULL if both types are the same. It may be
 * stored in `room`. */
enum { XLI_CONVERSION_ROOM = 96 };
const char *xli_element_conversion(const char *expression, const xli_element *from,
                                   const xli_element *to, char room[XLI_CONVERSION_ROOM]);

/* The caller's expression of elements and of i, their index, as the function
 * xl_user_FIELD(x, ..., i), after the types; with parameters xl_user_FIELD(x, ..., i, xl_params).
 * Nothing where it is NULL. */
typedef struct xli_expression_argument {
    const char *name; /* "x" */
    const xli_element *type;
} xli_expression_argument;
void xli_element_text_expression(xli_text *text, const char *field, const xli_element *result,
                                 const char *expression, size_t num_arguments,
                                 const xli_expression_argument *arguments,
                                 const xli_params *params);

/* element_size.c: after a build with `types` failed. Says so if one of them has another size or
 * alignment on the device than was promised; else leaves the text as it is. XL_ERROR_BUILD. */
xl_status xli_element_explain(xl_context *ctx, const xli_capabilities *capabilities,
                              const xli_element *const *types, size_t num_types);

#endif

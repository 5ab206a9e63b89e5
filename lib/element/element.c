/* SPDX-License-Identifier: MIT
 * Element types and operators: from the public names to OpenCL C. */
#include "element.h"
#include "user_text.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *wrapping;
    unsigned kind;
    size_t bytes;
} scalars[] = {
    [XL_I8] = {"char", "uchar", XLI_KIND_SIGNED, 1},
    [XL_U8] = {"uchar", "uchar", XLI_KIND_UNSIGNED, 1},
    [XL_I16] = {"short", "ushort", XLI_KIND_SIGNED, 2},
    [XL_U16] = {"ushort", "ushort", XLI_KIND_UNSIGNED, 2},
    [XL_I32] = {"int", "uint", XLI_KIND_SIGNED, 4},
    [XL_U32] = {"uint", "uint", XLI_KIND_UNSIGNED, 4},
    [XL_I64] = {"long", "ulong", XLI_KIND_SIGNED, 8},
    [XL_U64] = {"ulong", "ulong", XLI_KIND_UNSIGNED, 8},
    [XL_F16] = {"half", "half", XLI_KIND_FLOAT, 2},
    [XL_F32] = {"float", "float", XLI_KIND_FLOAT, 4},
    [XL_F64] = {"double", "double", XLI_KIND_FLOAT, 8},
};

const char *xli_lane_name(xl_type type)
{
    return scalars[(size_t)type & 0xff].name;
}

unsigned xli_lane_kind(xl_type type)
{
    return scalars[(size_t)type & 0xff].kind;
}

/* Prefixes to the name of a user's type: the type in which kernels store its elements, and the
 * functions that convert to the user's type and back. */
#define HELD "xl_held_"
#define OPEN "xl_open_"
#define CLOSE "xl_close_"

xl_status xli_element_check_identifier(const xl_context *ctx, const char *prefix, const char *field,
                                       const char *name)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", prefix, field);
    return xli_check_identifier(ctx, whole, name, sizeof((xli_element *)0)->name - 1);
}

/* Checks the source of the type or operator in desc.user_`field`. */
static xl_status check_source(const xl_context *ctx, const char *field, const char *source)
{
    char whole[64];
    snprintf(whole, sizeof whole, "desc.user_%s->source", field);
    return xli_check_source(ctx, whole, source);
}

/* A type of bytes alone has no padding: kernels hold it as it is. */
static bool may_have_holes(const xli_element *type)
{
    return type->alignment > 1;
}

static xl_status resolve_user(const xl_context *ctx, const char *field, const xl_user_type *user,
                              xli_element *element)
{
    if (!user || !user->name || !user->source)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.%s: XL_USER_TYPE; requires desc.user_%s with a name and a source",
                        field, field);
    xl_status status = xli_element_check_identifier(ctx, "desc.user_", field, user->name);
    if (status == XL_SUCCESS)
        status = check_source(ctx, field, user->source);
    if (status != XL_SUCCESS)
        return status;
    const size_t size = user->size, alignment = user->alignment;
    if (alignment > XLI_MOST_ALIGNMENT)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.user_%s->alignment: %zu; must be at most %zu, the alignment of buffers", field,
            alignment, XLI_MOST_ALIGNMENT);
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0 || size % alignment != 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.user_%s: a size of %zu, an alignment of %zu; the alignment must be a "
                        "power of two that divides the size",
                        field, size, alignment);
    if (size > 4096)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.user_%s->size: %zu; must be at most 4096", field, size);
    snprintf(element->name, sizeof element->name, "%s", user->name);
    snprintf(element->storage, sizeof element->storage, HELD "%s", user->name);
    memcpy(element->scalar, element->storage, sizeof element->scalar);
    element->kind = XLI_KIND_USER;
    element->lanes = 1;
    element->bytes = size;
    element->alignment = alignment;
    if (may_have_holes(element)) {
        snprintf(element->open, sizeof element->open, OPEN "%s", user->name);
        snprintf(element->close, sizeof element->close, CLOSE "%s", user->name);
    }
    element->source = user->source;
    return XL_SUCCESS;
}

static xl_status check_device(const xl_context *ctx, const xli_capabilities *capabilities,
                              const char *field, const xli_element *element)
{
    const size_t scalar = (size_t)element->type & 0xff;
    if (scalar == XL_F64 && !capabilities->info.has_fp64)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.%s: %s; requires cl_khr_fp64, which %s lacks", field,
                        xl_type_name(element->type), capabilities->info.name);
    if (scalar == XL_F16 && !capabilities->has_fp16)
        return xli_fail(ctx, XL_ERROR_UNSUPPORTED,
                        "desc.%s: %s; requires cl_khr_fp16, which %s lacks", field,
                        xl_type_name(element->type), capabilities->info.name);
    return XL_SUCCESS;
}

xl_status xli_element_resolve(const xl_context *ctx, const xli_capabilities *capabilities,
                              const char *field, xl_type type, const xl_user_type *user,
                              xli_element *element)
{
    *element = (xli_element){.type = type};
    if (type == XL_USER_TYPE)
        return resolve_user(ctx, field, user, element);
    const size_t bytes = xl_type_size(type), scalar = (size_t)type & 0xff;
    if (bytes == 0)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.%s: %s (%d); must be an element type",
                        field, xl_type_name(type), (int)type);
    const unsigned lanes = (unsigned)xli_max(1, (size_t)type >> 8);
    element->kind = scalars[scalar].kind;
    element->lanes = lanes;
    element->bytes = element->alignment = bytes;
    snprintf(element->scalar, sizeof element->scalar, "%s", scalars[scalar].name);
    snprintf(element->name, sizeof element->name, lanes > 1 ? "%s%u" : "%s", scalars[scalar].name,
             lanes);
    snprintf(element->storage, sizeof element->storage, "%s", element->name);
    return check_device(ctx, capabilities, field, element);
}

xli_element xli_element_wrapping(const xli_element *element)
{
    xli_element made = *element;
    if (made.kind != XLI_KIND_SIGNED)
        return made;
    made.kind = XLI_KIND_UNSIGNED;
    snprintf(made.scalar, sizeof made.scalar, "%s", scalars[(size_t)made.type & 0xff].wrapping);
    snprintf(made.name, sizeof made.name, made.lanes > 1 ? "%s%u" : "%s", made.scalar, made.lanes);
    snprintf(made.storage, sizeof made.storage, "%s", made.name);
    return made;
}

bool xli_element_is_scalar(const xli_element *element)
{
    return element->lanes == 1 && element->kind != XLI_KIND_USER;
}

bool xli_element_orders_zeros(const xli_element *element)
{
    return element->orders_zeros && element->kind == XLI_KIND_FLOAT;
}

xl_status xli_element_check_name(const xl_context *ctx, const char *field,
                                 const xli_element *element, const char *other_field,
                                 const xli_element *other)
{
    if (!element->source || !other->source || strcmp(element->name, other->name) != 0)
        return XL_SUCCESS;
    if (element->bytes != other->bytes || element->alignment != other->alignment)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.user_%s: \"%s\" has %zu bytes and an alignment of %zu, as desc.user_%s "
            "%zu and %zu; types of one name must be one type",
            field, element->name, element->bytes, element->alignment, other_field, other->bytes,
            other->alignment);
    if (strcmp(element->source, other->source) != 0)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.user_%s: \"%s\" has another source than desc.user_%s; types of one name "
            "must be one type",
            field, element->name, other_field);
    return XL_SUCCESS;
}

static xl_status check_user_op(const xl_context *ctx, const xl_user_op *user)
{
    if (!user || !user->name)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT,
                        "desc.op: XL_USER_OP; requires desc.user_op with a name");
    xl_status status = xli_element_check_identifier(ctx, "desc.user_", "op", user->name);
    if (status == XL_SUCCESS)
        status = check_source(ctx, "op", user->source);
    if (status != XL_SUCCESS)
        return status;
    if (user->flags & ~(uint32_t)(XL_OP_COMMUTATIVE | XL_OP_STRICTLY_ASSOCIATIVE))
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT,
            "desc.user_op->flags: 0x%x; may hold XL_OP_COMMUTATIVE and XL_OP_STRICTLY_ASSOCIATIVE",
            (unsigned)user->flags);
    return XL_SUCCESS;
}

xl_status xli_operator_check(const xl_context *ctx, xl_op op, const xl_user_op *user,
                             const xli_element *element)
{
    if (op == XL_USER_OP)
        return check_user_op(ctx, user);
    if (op < XL_SUM || op > XL_ARG_MAX)
        return xli_fail(ctx, XL_ERROR_INVALID_ARGUMENT, "desc.op: %d; must be an xl_op", (int)op);
    const bool bits = op == XL_AND || op == XL_OR || op == XL_XOR;
    const char *why = NULL;
    if (element->kind == XLI_KIND_USER)
        why = "a user type requires XL_USER_OP";
    else if (bits && element->kind == XLI_KIND_FLOAT)
        why = "requires integers";
    else if (xli_operator_finds_index(op) && element->lanes > 1)
        why = "requires scalars";
    if (why)
        return xli_fail(
            ctx, XL_ERROR_INVALID_ARGUMENT, "desc.op: %s for type %s; %s", xl_op_name(op),
            element->kind == XLI_KIND_USER ? element->name : xl_type_name(element->type), why);
    return XL_SUCCESS;
}

bool xli_operator_finds_index(xl_op op)
{
    return op == XL_ARG_MIN || op == XL_ARG_MAX;
}

bool xli_operator_rounds(xl_op op, const xl_user_op *user, const xli_element *element)
{
    if (op == XL_USER_OP)
        return !(user->flags & XL_OP_STRICTLY_ASSOCIATIVE);
    return element->kind == XLI_KIND_FLOAT && (op == XL_SUM || op == XL_PROD);
}

/* What kernels hold elements of a user's type in: parts as wide as its alignment. NVIDIA 580 may
 * lose members of a struct that ends in padding where it copies one, so the user's own type is met
 * in calls of the user's functions only. Few parts have a name each: the elements of an array
 * that compiler keeps in memory. */
static void add_storage(xli_text *text, const xli_element *type)
{
    enum { NAMED = 16 };
    static const char *const widths[] = {[2] = "ushort", [4] = "uint", [8] = "ulong"};
    const size_t width = xli_min(type->alignment, 8), parts = type->bytes / width;
    xli_text_add(text, "typedef struct { %s ", widths[width]);
    for (size_t i = 0; i < parts && parts <= NAMED; ++i)
        xli_text_add(text, "%spart%zu", i > 0 ? ", " : "", i);
    if (parts > NAMED)
        xli_text_add(text, "parts[%zu]", parts);
    xli_text_add(text, "; } __attribute__((aligned(%zu))) %s;\n", type->alignment, type->storage);
}

/* The user's type, lines that do not compile unless it has the size and the alignment that were
 * promised, and the way from it to what kernels hold and back. */
static void add_user_type(xli_text *text, const xli_element *type)
{
    const char *name = type->name, *storage = type->storage;
    if (may_have_holes(type))
        add_storage(text, type);
    xli_text_add(text, "#line 1 \"type %s\"\n%s\n#line 1 \"checks of type %s\"\n", name,
                 type->source, name);
    xli_text_add(text, "typedef char size_of_%s_is_not_%zu[sizeof(%s) == %zu ? 1 : -1];\n", name,
                 type->bytes, name, type->bytes);
    xli_text_add(text, "typedef struct { char c; %s t; } xl_after_char_%s;\n", name, name);
    xli_text_add(text,
                 "typedef char alignment_of_%s_is_not_%zu[sizeof(xl_after_char_%s) == %zu ? 1 : "
                 "-1];\n",
                 name, type->alignment, name, type->bytes + type->alignment);
    if (!may_have_holes(type)) {
        xli_text_add(text, "typedef %s %s;\n", name, storage);
        return;
    }
    xli_text_add(text, "typedef union { %s held; %s user; } xl_both_%s;\n", storage, name, name);
    xli_text_add(text, "%s %s(%s xl_x) { xl_both_%s xl_b; xl_b.held = xl_x; return xl_b.user; }\n",
                 name, type->open, storage, name);
    xli_text_add(text, "%s %s(%s xl_x) { xl_both_%s xl_b; xl_b.user = xl_x; return xl_b.held; }\n",
                 storage, type->close, name, name);
}

static bool is_new(const xli_element *const *types, size_t k)
{
    for (size_t i = 0; i < k; ++i)
        if (types[i]->source && strcmp(types[i]->name, types[k]->name) == 0)
            return false;
    return types[k]->source != NULL;
}

/* A user's: in words where the element is made of such, as Mesa 22.3 (rusticl) ends the process on
 * bytes that become a struct of words. */
static void add_user_identity(xli_text *text, const unsigned char *identity,
                              const xli_element *element)
{
    const bool words = element->alignment % sizeof(cl_uint) == 0;
    const size_t step = words ? sizeof(cl_uint) : 1;
    xli_text_add(text,
                 "XL_E xl_identity_e(void)\n{\n"
                 "    const union { %s parts[%zu]; XL_E e; } identity = {{",
                 words ? "uint" : "uchar", element->bytes / step);
    for (size_t i = 0; i < element->bytes; i += step) {
        cl_uint part = identity[i];
        if (words)
            memcpy(&part, identity + i, sizeof part);
        xli_text_add(text, "%s%uu", i > 0 ? ", " : "", (unsigned)part);
    }
    xli_text_add(text, "}};\n    return identity.e;\n}\n");
}

/* The end of the range of a scalar, as an expression. */
static void add_end(xli_text *text, const xli_element *element, bool highest)
{
    const char *scalar = element->scalar;
    const size_t bits = 8 * scalars[(size_t)element->type & 0xff].bytes; /* of 3 lanes, too */
    if (element->kind == XLI_KIND_FLOAT)
        xli_text_add(text, highest ? "INFINITY" : "(-INFINITY)");
    else if (element->kind == XLI_KIND_UNSIGNED)
        xli_text_add(text, highest ? "((%s) ~(%s)0)" : "((%s)(%s)0)", scalar, scalar);
    else if (highest) /* two's complement: a one bit on top */
        xli_text_add(text, "((%s)((1ul << %zu) - 1ul))", scalar, bits - 1);
    else
        xli_text_add(text, "((%s)(-(%s)((1ul << %zu) - 1ul) - 1))", scalar, scalar, bits - 1);
}

/* The identity of a built-in operator. Of floating-point sums it is -0, because 0 + -0 is 0. */
static void add_identity(xli_text *text, xl_op op, const xli_element *element)
{
    xli_text_add(text, "XL_E xl_identity_e(void)\n{\n    return (XL_E)(");
    if (op == XL_MIN || op == XL_MAX)
        add_end(text, element, op == XL_MIN);
    else if (op == XL_AND)
        xli_text_add(text, "(%s) ~(%s)0", element->scalar, element->scalar);
    else if (op == XL_PROD)
        xli_text_add(text, "1");
    else if (op == XL_SUM && element->kind == XLI_KIND_FLOAT)
        xli_text_add(text, "-0.0f");
    else
        xli_text_add(text, "0");
    xli_text_add(text, ");\n}\n");
}

/* An operator that finds an index: the element is a value and its index, without padding (as
 * accumulators: cl/prelude/prelude_accumulator.cl). The value has a word at least, because rusticl
 * 22.3 loses the member after a byte. The lower index wins if values are equal; NaN are ignored. */
static void add_indexed(xli_text *text, xl_op op, const xli_element *value)
{
    static const char *const words[] = {
        [XLI_KIND_UNSIGNED] = "uint", [XLI_KIND_SIGNED] = "int", [XLI_KIND_FLOAT] = "float"};
    const bool padded = value->bytes <= sizeof(cl_uint), least = op == XL_ARG_MIN;
    const bool orders = xli_element_orders_zeros(value);
    const char *const sooner = !orders ? ""
                               : least ? " || (a.value == b.value && signbit(b.value) && "
                                         "!signbit(a.value))"
                                       : " || (a.value == b.value && signbit(a.value) && "
                                         "!signbit(b.value))";
    xli_text_add(text,
                 "typedef struct xl_indexed {\n    %s value;%s\n    ulong index;\n} xl_indexed;\n",
                 value->bytes < sizeof(cl_uint) ? words[value->kind] : value->storage,
                 padded ? "\n    uint gap;" : "");
    xli_text_add(text,
                 "xl_indexed xl_indexed_op(xl_indexed a, xl_indexed b)\n{\n"
                 "    const bool better = b.value %s a.value%s, equal = a.value == b.value%s;\n"
                 "    if (better || (equal && b.index < a.index))\n        return b;\n"
                 "    return a;\n}\n",
                 least ? "<" : ">", sooner,
                 orders ? " && !signbit(a.value) == !signbit(b.value)" : "");
    xli_text_add(text,
                 "xl_indexed xl_identity_e(void)\n{\n    xl_indexed none;\n    none.value = ");
    add_end(text, value, least);
    xli_text_add(text, ";\n%s    none.index = ~0ul;\n    return none;\n}\n",
                 padded ? "    none.gap = 0;\n" : "");
    xli_text_add(text,
                 "xl_indexed xl_indexed_of(%s x, ulong i)\n{\n    xl_indexed e = xl_identity_e();\n"
                 "    if (x == x) {\n        e.value = x;\n        e.index = i;\n    }\n"
                 "    return e;\n}\n",
                 value->storage);
}

static void add_extensions(xli_text *text, const xli_capabilities *capabilities)
{
    if (capabilities->info.has_fp64)
        xli_text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    if (capabilities->has_fp16)
        xli_text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    xli_text_add(text, "#pragma OPENCL FP_CONTRACT OFF\n");
}

void xli_element_text_sources(xli_text *text, const xli_capabilities *capabilities,
                              const xli_element *const *types, size_t num_types)
{
    add_extensions(text, capabilities);
    for (size_t i = 0; i < num_types; ++i)
        if (is_new(types, i))
            xli_text_add(text, "#line 1 \"type %s\"\n%s\n", types[i]->name, types[i]->source);
}

void xli_element_text_types(xli_text *text, const xli_capabilities *capabilities,
                            const xli_element *const *types, size_t num_types)
{
    add_extensions(text, capabilities);
    for (size_t i = 0; i < num_types; ++i)
        if (is_new(types, i))
            add_user_type(text, types[i]);
}

/* For scalars and, but for a user's and those that find an index, vectors alike. */
static const char *expression_of(xl_op op, const xli_element *element)
{
    const bool orders = xli_element_orders_zeros(element);
    static const char *const expressions[] = {[XL_USER_OP] = "xl_user_op((a), (b))",
                                              [XL_SUM] = "((a) + (b))",
                                              [XL_PROD] = "((a) * (b))",
                                              [XL_MIN] = "min((a), (b))",
                                              [XL_MAX] = "max((a), (b))",
                                              [XL_AND] = "((a) & (b))",
                                              [XL_OR] = "((a) | (b))",
                                              [XL_XOR] = "((a) ^ (b))",
                                              [XL_ARG_MIN] = "xl_indexed_op((a), (b))",
                                              [XL_ARG_MAX] = "xl_indexed_op((a), (b))"};
    /* Not fmin(): which of -0 and +0 that gives is left open. */
    if (orders && op == XL_MIN)
        return "((((b) < (a)) | ((a) != (a)) | (((a) == (b)) & signbit(b))) ? (b) : (a))";
    if (orders && op == XL_MAX)
        return "((((b) > (a)) | ((a) != (a)) | (((a) == (b)) & signbit(a))) ? (b) : (a))";
    if (element->kind == XLI_KIND_FLOAT && op == XL_MIN)
        return "((((b) < (a)) | ((a) != (a))) ? (b) : (a))";
    if (element->kind == XLI_KIND_FLOAT && op == XL_MAX)
        return "((((b) > (a)) | ((a) != (a))) ? (b) : (a))";
    return expressions[op];
}

/* Minimum and maximum of floating point keep the earlier of -0 and +0, so theirs may not. */
static bool commutes(xl_op op, const xl_user_op *user, const xli_element *element)
{
    if (op == XL_USER_OP)
        return (user->flags & XL_OP_COMMUTATIVE) != 0;
    return element->kind != XLI_KIND_FLOAT || (op != XL_MIN && op != XL_MAX);
}

/* The operator, and the result for no elements: 0 for a floating-point sum, whose identity is
 * -0. */
static void add_operator(xli_text *text, xl_op op, const xl_user_op *user, const xli_element *taken)
{
    const bool index = xli_operator_finds_index(op);
    const xli_element element =
        op == XL_SUM || op == XL_PROD ? xli_element_wrapping(taken) : *taken;
    const bool has_identity = op != XL_USER_OP || user->identity,
               is_float = element.kind == XLI_KIND_FLOAT;
    const size_t pair = xli_round_up(element.bytes, sizeof(cl_ulong)) + sizeof(cl_ulong);
    const xli_definition lines[] = {
        {"XL_E_BYTES", index ? pair : element.bytes},
        {"XL_E_ALIGNMENT", index ? sizeof(cl_ulong) : element.alignment},
        {"XL_COMMUTES", commutes(op, user, &element)},
        {"XL_KEEP_ORDER", is_float || op == XL_USER_OP},
        {"XL_HAS_IDENTITY", has_identity},
    };
    xli_text_add(text, "#define XL_E %s\n#define XL_OP(a, b) %s\n",
                 index ? "xl_indexed" : element.storage, expression_of(op, &element));
    xli_text_define(text, lines, XLI_COUNT(lines));
    if (index)
        add_indexed(text, op, &element);
    else if (op != XL_USER_OP)
        add_identity(text, op, &element);
    else if (has_identity)
        add_user_identity(text, user->identity, &element);
    if (has_identity)
        xli_text_add(text, "XL_E xl_none_e(void)\n{\n    return %s;\n}\n",
                     op == XL_SUM && is_float ? "(XL_E)0" : "xl_identity_e()");
}

void xli_element_text(xli_text *text, const xli_capabilities *capabilities,
                      const xli_element *const *types, size_t num_types, xl_op op,
                      const xl_user_op *user)
{
    xli_element_text_types(text, capabilities, types, num_types);
    if (op == XL_USER_OP && user->source)
        xli_text_add(text, "#line 1 \"operator %s\"\n%s\n", user->name, user->source);
    /* Behind names of our own: a local of the kernels may be called as the user's are. */
    const xli_element *t = types[0];
    if (op == XL_USER_OP)
        xli_text_add(text,
                     "#line 1 \"call of operator %s\"\n"
                     "%s xl_user_op(%s xl_a, %s xl_b) { return %s(%s(%s(xl_a), %s(xl_b))); }\n",
                     user->name, t->storage, t->storage, t->storage, t->close, user->name, t->open,
                     t->open);
    if (op == XL_USER_OP)
        xli_element_text_signature(text, "operator", user->name, user->source, t, t->name);
    xli_text_add(text, "#line 1 \"plan\"\n");
    add_operator(text, op, user, t);
}

void xli_element_text_signature(xli_text *text, const char *kind, const char *name,
                                const char *source, const xli_element *operand, const char *result)
{
    enum { MOST = 2 * sizeof operand->name + 32 };
    char of[MOST], parameters[MOST], arguments[MOST];
    snprintf(of, sizeof of, "%s %s", kind, name);
    snprintf(parameters, sizeof parameters, "(%s, %s)", operand->name, operand->name);
    snprintf(arguments, sizeof arguments, "(*(%s *)0, *(%s *)0)", operand->name, operand->name);
    xli_text_signature(text, &(const xli_signature){.text = of,
                                                    .source = source,
                                                    .result = result,
                                                    .name = name,
                                                    .parameters = parameters,
                                                    .arguments = arguments});
}

void xli_element_text_access(xli_text *text, xl_op op, const xli_element *const types[3],
                             bool loads, bool stores, const xli_params *params)
{
    const char *takes = xli_params_parameter(params), *passes = xli_params_argument(params);
    const xli_element *t = types[0], *in = types[1], *out = types[2];
    const bool index = xli_operator_finds_index(op);
    const xli_element element = op == XL_SUM || op == XL_PROD ? xli_element_wrapping(t) : *t;
    const char *as = t->lanes > 1 && element.kind != t->kind ? "as_" : "";
    const char *to = index ? "xl_indexed_of"
                     : *as ? element.storage
                           : "",
               *from = *as ? t->storage : "";
    xli_text_add(text, "XL_E xl_load(%s x, ulong i%s)\n{\n    return %s%s(", in->storage, takes, as,
                 to);
    if (loads)
        xli_text_add(text, "xl_user_load(x, i%s)", passes);
    xli_text_add(text, "%s%s);\n}\n", loads ? "" : "x", index ? ", i" : "");
    if (index)
        xli_text_add(text, "%s xl_store(XL_E e, ulong i%s)\n{\n    return e.index;\n}\n",
                     out->storage, takes);
    else
        xli_text_add(text, "%s xl_store(XL_E e, ulong i%s)\n{\n    return %s(%s%s(e)%s%s);\n}\n",
                     out->storage, takes, stores ? "xl_user_store" : "", as, from,
                     stores ? ", i" : "", stores ? passes : "");
}

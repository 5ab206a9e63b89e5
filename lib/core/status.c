/* SPDX-License-Identifier: MIT
 * Names of statuses, types and operators, and the version. */
#include "core.h"

#include <crosslane/types.h>
#include <crosslane/version.h>

static const char *const status_names[] = {
    [XL_SUCCESS] = "XL_SUCCESS",
    [XL_ERROR_INVALID_ARGUMENT] = "XL_ERROR_INVALID_ARGUMENT",
    [XL_ERROR_OUT_OF_MEMORY] = "XL_ERROR_OUT_OF_MEMORY",
    [XL_ERROR_NO_DEVICE] = "XL_ERROR_NO_DEVICE",
    [XL_ERROR_UNSUPPORTED] = "XL_ERROR_UNSUPPORTED",
    [XL_ERROR_BUILD] = "XL_ERROR_BUILD",
    [XL_ERROR_OPENCL] = "XL_ERROR_OPENCL",
    [XL_ERROR_SCRATCH_TOO_SMALL] = "XL_ERROR_SCRATCH_TOO_SMALL",
    [XL_ERROR_MISALIGNED] = "XL_ERROR_MISALIGNED",
    [XL_ERROR_OVERLAP] = "XL_ERROR_OVERLAP",
    [XL_ERROR_NON_FINITE] = "XL_ERROR_NON_FINITE",
    [XL_ERROR_OUT_OF_DOMAIN] = "XL_ERROR_OUT_OF_DOMAIN",
    [XL_ERROR_CAPACITY] = "XL_ERROR_CAPACITY",
    [XL_ERROR_INTERNAL] = "XL_ERROR_INTERNAL",
    [XL_ERROR_MPI] = "XL_ERROR_MPI",
};

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [XL_NONE] = {"none", 0}, [XL_I8] = {"i8", 1},   [XL_U8] = {"u8", 1},   [XL_I16] = {"i16", 2},
    [XL_U16] = {"u16", 2},   [XL_I32] = {"i32", 4}, [XL_U32] = {"u32", 4}, [XL_I64] = {"i64", 8},
    [XL_U64] = {"u64", 8},   [XL_F16] = {"f16", 2}, [XL_F32] = {"f32", 4}, [XL_F64] = {"f64", 8},
};

#define VECTOR_NAMES(x)                                                                            \
    {                                                                                              \
        "i8" x, "u8" x, "i16" x, "u16" x, "i32" x, "u32" x, "i64" x, "u64" x, "f16" x, "f32" x,    \
            "f64" x                                                                                \
    }
static const char *const vector_names[][XL_F64] = {VECTOR_NAMES("x2"), VECTOR_NAMES("x3"),
                                                   VECTOR_NAMES("x4")};

static const char *const op_names[] = {
    [XL_SUM] = "sum", [XL_PROD] = "prod",       [XL_MIN] = "min",
    [XL_MAX] = "max", [XL_AND] = "and",         [XL_OR] = "or",
    [XL_XOR] = "xor", [XL_ARG_MIN] = "arg-min", [XL_ARG_MAX] = "arg-max",
};

const char *xl_status_name(xl_status status)
{
    return (size_t)status < XLI_COUNT(status_names) ? status_names[status] : "unknown xl_status";
}

/* The lanes of a vector type, 1 for others. */
static size_t lanes_of(xl_type type)
{
    return (size_t)type >> 8 >= 2 && (size_t)type >> 8 <= 4 ? (size_t)type >> 8 : 1;
}

static size_t scalar_of(xl_type type)
{
    const size_t scalar = lanes_of(type) > 1 ? (size_t)type & 0xff : (size_t)type;
    return scalar < XLI_COUNT(types) ? scalar : XL_NONE;
}

size_t xl_type_size(xl_type type)
{
    const size_t lanes = lanes_of(type);
    return types[scalar_of(type)].size * (lanes == 3 ? 4 : lanes);
}

const char *xl_type_name(xl_type type)
{
    const size_t scalar = scalar_of(type), lanes = lanes_of(type);
    if (type == XL_USER_TYPE)
        return "user";
    if (scalar == XL_NONE && type != XL_NONE)
        return "unknown";
    return lanes > 1 ? vector_names[lanes - 2][scalar - 1] : types[scalar].name;
}

const char *xl_op_name(xl_op op)
{
    if (op == XL_USER_OP)
        return "user";
    bool known = (size_t)op < XLI_COUNT(op_names) && op_names[op];
    return known ? op_names[op] : "unknown";
}

int xl_version(void)
{
    return XL_VERSION_MAJOR * 10000 + XL_VERSION_MINOR * 100 + XL_VERSION_PATCH;
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *xl_version_string(void)
{
    return TEXT(XL_VERSION_MAJOR) "." TEXT(XL_VERSION_MINOR) "." TEXT(XL_VERSION_PATCH);
}

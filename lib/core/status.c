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
};

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [XL_NONE] = {"none", 0}, [XL_I8] = {"i8", 1},   [XL_U8] = {"u8", 1},   [XL_I16] = {"i16", 2},
    [XL_U16] = {"u16", 2},   [XL_I32] = {"i32", 4}, [XL_U32] = {"u32", 4}, [XL_I64] = {"i64", 8},
    [XL_U64] = {"u64", 8},   [XL_F16] = {"f16", 2}, [XL_F32] = {"f32", 4}, [XL_F64] = {"f64", 8},
};

static const char *const op_names[] = {
    [XL_SUM] = "sum", [XL_PROD] = "prod", [XL_MIN] = "min", [XL_MAX] = "max",
    [XL_AND] = "and", [XL_OR] = "or",     [XL_XOR] = "xor",
};

const char *xl_status_name(xl_status status)
{
    return (size_t)status < XLI_COUNT(status_names) ? status_names[status] : "unknown xl_status";
}

size_t xl_type_size(xl_type type)
{
    return (size_t)type < XLI_COUNT(types) ? types[type].size : 0;
}

const char *xl_type_name(xl_type type)
{
    return (size_t)type < XLI_COUNT(types) ? types[type].name : "unknown";
}

const char *xl_op_name(xl_op op)
{
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

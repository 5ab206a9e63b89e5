/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_TYPES_H
#define CROSSLANE_TYPES_H
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <crosslane/status.h>
#include <stddef.h>
#include <stdint.h>
typedef struct xl_view {
    cl_mem buffer;
    size_t offset;
    size_t count;
} xl_view;
typedef enum xl_type {
    XL_NONE = 0,
    XL_I8 = 1,
    XL_U8 = 2,
    XL_I16 = 3,
    XL_U16 = 4,
    XL_I32 = 5,
    XL_U32 = 6,
    XL_I64 = 7,
    XL_U64 = 8,
    XL_F16 = 9,
    XL_F32 = 10,
    XL_F64 = 11,
    XL_I8X2 = 0x201,
    XL_U8X2,
    XL_I16X2,
    XL_U16X2,
    XL_I32X2,
    XL_U32X2,
    XL_I64X2,
    XL_U64X2,
    XL_F16X2,
    XL_F32X2,
    XL_F64X2,
    XL_I8X3 = 0x301,
    XL_U8X3,
    XL_I16X3,
    XL_U16X3,
    XL_I32X3,
    XL_U32X3,
    XL_I64X3,
    XL_U64X3,
    XL_F16X3,
    XL_F32X3,
    XL_F64X3,
    XL_I8X4 = 0x401,
    XL_U8X4,
    XL_I16X4,
    XL_U16X4,
    XL_I32X4,
    XL_U32X4,
    XL_I64X4,
    XL_U64X4,
    XL_F16X4,
    XL_F32X4,
    XL_F64X4,
    XL_USER_TYPE = 0x1000
} xl_type;
typedef struct xl_user_type {
    const char *name;
    size_t size;
    size_t alignment;
    const char *source;
} xl_user_type;
typedef enum xl_op {
    XL_SUM = 1,
    XL_PROD = 2,
    XL_MIN = 3,
    XL_MAX = 4,
    XL_AND = 5,
    XL_OR = 6,
    XL_XOR = 7,
    XL_ARG_MIN = 8,
    XL_ARG_MAX = 9,
    XL_USER_OP = 0x1000
} xl_op;
enum { XL_OP_COMMUTATIVE = 1, XL_OP_STRICTLY_ASSOCIATIVE = 2 };
typedef struct xl_user_op {
    const char *name;
    const char *source;
    const void *identity;
    uint32_t flags;
} xl_user_op;
typedef enum xl_segments {
    XL_SEGMENTS_NONE = 0,
    XL_SEGMENTS_HEAD_FLAGS = 1,
    XL_SEGMENTS_FLAG_BITMASK = 2,
    XL_SEGMENTS_KEYS = 3,
    XL_SEGMENTS_OFFSETS = 4,
    XL_SEGMENTS_WIDTH = 5,
    XL_SEGMENTS_MASK = 6
} xl_segments;
typedef enum xl_determinism {
    XL_DETERMINISTIC = 0,
    XL_UNORDERED = 1,
    XL_REPRODUCIBLE = 2
} xl_determinism;
typedef struct xl_tunable {
    const char *name;
    uint64_t value;
} xl_tunable;
typedef struct xl_plan_info {
    uint32_t struct_size;
    uint32_t sub_group_size;
    uint32_t work_group_size;
    uint32_t item_elements;
    uint64_t tile_elements;
} xl_plan_info;
XL_EXTERN_C_BEGIN
XL_API size_t xl_type_size(xl_type type);
XL_API const char *xl_type_name(xl_type type);
XL_API const char *xl_op_name(xl_op op);
XL_EXTERN_C_END
static inline xl_view xl_view_of(cl_mem buffer, size_t offset)
{
    xl_view view;
    view.buffer = buffer;
    view.offset = offset;
    view.count = 0;
    return view;
}
static inline xl_view xl_view_n(cl_mem buffer, size_t offset, size_t count)
{
    xl_view view = xl_view_of(buffer, offset);
    view.count = count;
    return view;
}
static inline xl_view xl_no_view(void)
{
    return xl_view_of(NULL, 0);
}
#endif

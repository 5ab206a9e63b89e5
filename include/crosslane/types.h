/* SPDX-License-Identifier: MIT
 * Element types, operators and buffer views that every primitive shares. */
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

/* A place in a buffer. `offset` counts ELEMENTS of what the view holds (bytes
 * for a scratch view). A view whose buffer is NULL is "not given". */
typedef struct xl_view {
    cl_mem buffer;
    size_t offset;
} xl_view;

/* The type of one element. XL_NONE stands for "no such array". */
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
    XL_F64 = 11
} xl_type;

/* A binary operator. Integer sums and products wrap modulo 2^bits, signed ones
 * too. Minimum and maximum of floating-point numbers skip NaN, and keep the
 * earlier of two equal numbers (so of -0 and +0). */
typedef enum xl_op {
    XL_SUM = 1,
    XL_PROD = 2,
    XL_MIN = 3,
    XL_MAX = 4,
    XL_AND = 5,
    XL_OR = 6,
    XL_XOR = 7
} xl_op;

XL_EXTERN_C_BEGIN

/* Bytes of one element, or 0 for XL_NONE and unknown values. */
XL_API size_t xl_type_size(xl_type type);

/* The short name, such as "f32"; "unknown" for other values. Static storage. */
XL_API const char *xl_type_name(xl_type type);

/* The short name, such as "sum"; "unknown" for other values. Static storage. */
XL_API const char *xl_op_name(xl_op op);

XL_EXTERN_C_END

/* A view of `buffer` that starts `offset` elements in. */
static inline xl_view xl_view_of(cl_mem buffer, size_t offset)
{
    xl_view view;
    view.buffer = buffer;
    view.offset = offset;
    return view;
}

/* The view that is "not given". */
static inline xl_view xl_no_view(void)
{
    return xl_view_of(NULL, 0);
}

#endif

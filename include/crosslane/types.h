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

#include <crosslane/version.h>
#include <stddef.h>
#include <stdint.h>

/* Structures whose names end in _desc, _args, _details, _info or _report may grow at their ends
 * with a later version of the library (plan.h: versions). Start descriptors from xl_X_desc_init(),
 * and arguments from zeros: (xl_scan_args){.n = 10, .in = view}. A field that is left out is 0, its
 * default. Other structures (xl_view, xl_user_type, xl_user_op, xl_user_comparator, xl_param,
 * xl_tunable) never change. Truth values are uint32_t: 0 is false, any other number is true.
 * Enumerations are stored in uint32_t. */

/* OpenCL C text in descriptors. If a text breaks one of these rules, the create call returns
 * XL_ERROR_INVALID_ARGUMENT with line and column; if it does not compile, XL_ERROR_BUILD.
 *   expression (load, store, predicate, equal, expression): one expression of at most 4,096
 *       characters. No statements and no directives. Commas only between the arguments of a call,
 *       the lanes of a vector and the members of a structure. It must not assign to the names that
 *       it is given
 *   source (of a type, an operator, a comparator, a visit): at most 65,536 characters, at most
 *       4,096 in one statement. Comments, literals, brackets and #if must end within it
 *   both: brackets nest at most 64 deep; at most 64 operators follow each other without an
 *       operand; no name begins with xl_ or XL_. A function must have exactly the signature that
 *       its comment shows; a macro of that name is not checked */

/* A part of a buffer. `offset` counts elements (bytes for scratch and storage). A view whose buffer
 * is NULL is not given: views that are `optional` may be left out, views that are `not given` in a
 * case must be. Sub-buffers are allowed; views overlap if they share
 * bytes of the parent buffer. The caller owns the buffer and may release it when the call returns:
 * OpenCL keeps it until the work is done. */
typedef struct xl_view {
    cl_mem buffer;
    size_t offset;
    size_t count; /* elements in the view; 0: as many as the call needs. If a call needs more,
                     XL_ERROR_INVALID_ARGUMENT. Required for CSR offsets, whose number is stated
                     nowhere else */
} xl_view;

/* The type of one element. XL_NONE: no array. A vector of 3 is as large as a vector of 4, as in
 * OpenCL C; use a user type for three numbers without a gap. */
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
    /* vectors: 0x100 * lanes + the type of a lane */
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
    XL_USER_TYPE = 0x1000 /* the descriptor's user_type says which */
} xl_type;

/* The types of values that travel with keys, or with elements (desc.value, desc.more_values): a
 * built-in xl_type, or elements of 1 to 65,535 bytes with any content. Values are moved and never
 * computed with. */
#define XL_BYTES(bytes) (0x20000u + (bytes))

/* Arrays of values of one call beside the first one. */
enum { XL_MORE_VALUES = 3 };

/* A type of the caller, such as a struct. The create call compares size and alignment with those of
 * the device's compiler (XL_ERROR_BUILD if they differ). Types of one name in one descriptor must
 * be one type: the same source, size and alignment. The contents of padding are not preserved. */
typedef struct xl_user_type {
    const char *name;   /* of the type in OpenCL C: an identifier of at most 63 characters, no
                           keyword, that does not begin with xl_ or XL_; so are all names below */
    size_t size;        /* bytes from one element of an array to the next, at most 4096 */
    size_t alignment;   /* a power of two that divides size, at most 128 */
    const char *source; /* OpenCL C that declares the type. The compiler's messages refer to its
                           lines */
} xl_user_type;

/* A binary operator. It must be associative. Operands keep their order unless the operator
 * commutes.
 *   integers   sums and products wrap modulo 2^bits, also of signed types. XL_AND, XL_OR and XL_XOR
 *              are for integers only
 *   min, max   NaN are skipped. If all elements are NaN, min returns +inf and max returns -inf, as
 *              for empty input. -0 and +0 are equal, and the result is the earlier one; in a
 *              reduction with equal_zeros 0, -0 is less than +0
 *   sums       of floating-point numbers have the sign of zero of IEEE 754: -0 if all elements are
 *              -0, otherwise +0. The sum of no elements is +0; an exclusive scan without init
 *              starts each segment with it. Init is used as given, also -0
 *   vectors    lane by lane */
typedef enum xl_op {
    XL_SUM = 1,
    XL_PROD = 2,
    XL_MIN = 3,
    XL_MAX = 4,
    XL_AND = 5,
    XL_OR = 6,
    XL_XOR = 7,
    /* Reductions only: the index, a u64, of the first least or greatest element. NaN are skipped.
     * UINT64_MAX if there are no elements or all are NaN. -0 and +0 are equal, unless the
     * reduction's equal_zeros is 0. */
    XL_ARG_MIN = 8,
    XL_ARG_MAX = 9,
    XL_USER_OP = 0x1000 /* the descriptor's user_op says which */
} xl_op;

/* Properties of a user's operator. Every operator must be associative, whatever its flags. */
enum {
    XL_OP_COMMUTATIVE = 1,         /* op(a, b) is op(b, a) */
    XL_OP_STRICTLY_ASSOCIATIVE = 2 /* to the last bit: it does not round */
};

/* An operator of the caller, on elements of the descriptor's type T. */
typedef struct xl_user_op {
    const char *name;   /* of the function, an identifier of at most 63 characters:
                           T name(T a, T b), a before b in the array */
    const char *source; /* OpenCL C that defines it, compiled after the type's source. NULL: `name`
                           is a function of OpenCL C, such as fmax */
    const void *identity; /* one element e on the host with op(e, x) = op(x, e) = x. NULL: there is
                             none, and the operator is never called with one */
    uint32_t flags;       /* XL_OP_COMMUTATIVE, XL_OP_STRICTLY_ASSOCIATIVE; 0: neither */
} xl_user_op;

/* An order of the caller on elements of one type T. It must be a strict weak order, as for C++'s
 * std::sort: no element comes before itself; if a comes before b and b before c, then a comes
 * before c. Two elements are equal if neither comes before the other; if a equals b and b equals c,
 * then a equals c. */
typedef struct xl_user_comparator {
    const char *name;   /* of the function, an identifier of at most 63 characters:
                           bool or int name(T a, T b), whether a comes before b */
    const char *source; /* OpenCL C that defines it, compiled after the type's source. NULL: `name`
                           is a function of OpenCL C, such as isless */
} xl_user_comparator;

/* A parameter of a plan's expressions. Each call gives its value in args.params, so another value
 * needs no other plan. A descriptor has at most XL_PARAMS of them, of at most 64 bytes together;
 * each counts as a multiple of 4 bytes. */
enum { XL_PARAMS = 8 };
typedef struct xl_param {
    const char *name; /* in all expressions of the descriptor: an identifier of at most 63
                         characters other than x, y, z, w, p, a, b and i, read by the create call */
    uint32_t type;    /* xl_type: any built-in one; XL_F64 and XL_F16 where the device has them */
} xl_param;

/* How the segments of an array are given. The first element always begins a segment. If offsets
 * break their rule (they decrease, exceed n, or do not end at n), results are undefined, but
 * nothing is accessed outside the arrays and no call hangs. */
typedef enum xl_segments {
    XL_SEGMENTS_NONE = 0,         /* the whole array is one */
    XL_SEGMENTS_HEAD_FLAGS = 1,   /* n bytes: not 0 where a segment begins */
    XL_SEGMENTS_FLAG_BITMASK = 2, /* (n + 31) / 32 words of u32: bit i % 32 of word i / 32 */
    XL_SEGMENTS_KEYS = 3,         /* n integers: a segment is a run of equal keys */
    XL_SEGMENTS_OFFSETS = 4,      /* CSR: `count` integers, u32 or u64, that never decrease, the
                                     first 0, the last n (xl_sort and xl_top_k: the beginnings
                                     alone, one for each segment). Segment s is [offsets[s],
                                     offsets[s + 1]); there are count - 1, any may be empty */
    XL_SEGMENTS_WIDTH = 5, /* every segment_width elements, the last may be shorter; no array */
    XL_SEGMENTS_MASK = 6 /* no array. Rows of segment_width (1 to 64) elements: a segment begins at
                            the first element of a row, and at element k if bit k of segment_mask
                            is set; bits from segment_width on have no effect (sub-warp segments,
                            Park 2017) */
} xl_segments;

/* The bits of results of operators that round: sums and products of floating-point numbers, and
 * user operators without XL_OP_STRICTLY_ASSOCIATIVE. Other operators always give the same bits. */
typedef enum xl_determinism {
    XL_DETERMINISTIC = 0, /* the same bits on every run on one device, for one n. With n_device: for
                             one device count and one upper bound n, because n decides how the work
                             is divided */
    XL_UNORDERED = 1,     /* bits may differ between runs; may be faster */
    XL_REPRODUCIBLE = 2   /* the same bits for one n on every device that rounds as IEEE 754
                             requires, for normal data and results; for denormal ones if the device
                             has denormals (f64 always; f32 if CL_DEVICE_SINGLE_FP_CONFIG has
                             CL_FP_DENORM; f16 alike). Unspecified: the payload of NaN, and the sign
                             of a zero on a device that computes x + 0 as x. A user operator must
                             itself round alike everywhere. Slower */
} xl_determinism;

/* A tuning value by name for a descriptor, such as {"scan.group_size", 128}. Names may change with
 * any version: xl_tunables_each() and docs/tuning.md list them. An unknown name, another
 * primitive's name or a value out of range is XL_ERROR_INVALID_ARGUMENT. If a name occurs twice,
 * the last value counts. If the device lacks room, a plan uses a smaller value. The array and the
 * names are read by the create call. Values change the speed of a plan, and the last bits of
 * results of operators that round. */
typedef struct xl_tunable {
    const char *name;
    uint64_t value;
} xl_tunable;

XL_EXTERN_C_BEGIN

/* Bytes of one element, or 0 for XL_NONE, XL_USER_TYPE and unknown values. */
XL_API size_t xl_type_size(xl_type type);

/* The short name, such as "f32" or "i16x4"; "unknown" for other values. Static storage. */
XL_API const char *xl_type_name(xl_type type);

/* The short name, such as "sum"; "unknown" for other values. Static storage. */
XL_API const char *xl_op_name(xl_op op);

XL_EXTERN_C_END

/* A view of `buffer` from element `offset` on. */
static inline xl_view xl_view_of(cl_mem buffer, size_t offset)
{
    xl_view view;
    view.buffer = buffer;
    view.offset = offset;
    view.count = 0;
    return view;
}

/* The same with its number of elements. */
static inline xl_view xl_view_n(cl_mem buffer, size_t offset, size_t count)
{
    xl_view view = xl_view_of(buffer, offset);
    view.count = count;
    return view;
}

/* The view that is "not given". */
static inline xl_view xl_no_view(void)
{
    return xl_view_of(NULL, 0);
}

#endif

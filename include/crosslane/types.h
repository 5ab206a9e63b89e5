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

/* Structures of this library come in two kinds.
 *   Descriptors, arguments of a call and results (xl_..._desc, _args, _info, _report) may get
 *   more fields at their end with any version. Their size goes from the caller to the library:
 *   the functions named here pass the size that the caller was compiled with, and what a shorter
 *   one lacks is taken as 0, "not given". A longer one is taken too if what this version does
 *   not know is 0, else it is XL_ERROR_INVALID_ARGUMENT. So start from zeros: from
 *   xl_..._desc_init(), or from named fields, (xl_scan_args){.n = 10, .in = view}.
 *   xl_view, xl_user_type, xl_user_op and xl_user_comparator never change.
 * Truth values are uint32_t: 0 is false, any other number true. Enumerations are kept in uint32_t.
 */

/* Descriptors take OpenCL C text from the caller. The create call returns
 * XL_ERROR_INVALID_ARGUMENT, with line and column, if a text breaks these rules, and XL_ERROR_BUILD
 * if it does not compile. An expression (load, store, predicate, equal, expression) is one
 * expression of at most 4,096 characters. It has no statement, no directive, and no comma but
 * between the arguments of a call, the lanes of a vector or the members of a structure. It cannot
 * assign to its names. A source (of a type, an operator, a comparator, a visit) has at most 65,536
 * characters, and at most 4,096 in one statement. Its comments, literals, brackets and #if end in
 * it. In both, brackets are nested at most 64 deep, at most 64 operators follow each other without
 * an operand, and no name begins with xl_ or XL_. A function has exactly the signature that its
 * comment shows: the library accepts no other that C would convert to. A macro of that name is not
 * checked. */

/* A place in a buffer. `offset` counts ELEMENTS of what the view holds (bytes
 * for a scratch view). A view whose buffer is NULL is "not given". A sub-buffer is a buffer too:
 * views overlap if they share bytes of its parent. Buffers are the caller's: a call keeps none, and
 * one may be released as soon as the call has returned, as OpenCL keeps it until the work is done.
 */
typedef struct xl_view {
    cl_mem buffer;
    size_t offset;
    size_t count; /* elements in it; 0: as many as the call asks for. A call that needs more than a
                     view says is XL_ERROR_INVALID_ARGUMENT. CSR offsets must say it: their number
                     stands nowhere else */
} xl_view;

/* The type of one element. XL_NONE stands for "no such array". A vector of 3 takes
 * the room of 4, as in OpenCL C; three numbers without a gap are a user type. */
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

/* A type of the user's own, such as a struct. The library checks size and alignment
 * against what the device's compiler makes of the source. Where a descriptor takes several,
 * types of one name must be one type: the same source, size and alignment. What lies in the
 * padding of a struct is not kept. */
typedef struct xl_user_type {
    const char *name; /* of the type in OpenCL C: an identifier of at most 63 letters that does not
                         begin with xl_ or XL_ and is no word of OpenCL C; so are all names below */
    size_t size;      /* bytes from one element of an array to the next, at most 4096 */
    size_t alignment; /* a power of two that divides size, at most 128 */
    const char *source; /* OpenCL C that declares the type. It is compiled under its own #line,
                           so that messages of the compiler point into it */
} xl_user_type;

/* A binary operator. It must be associative; scans and reductions never change the order of
 * operands where the operator does not commute. Integer sums and products wrap modulo 2^bits,
 * signed ones too. Minimum and maximum of floating-point numbers skip NaN. -0 and
 * +0 are equal, and the result is the earlier one; in a reduction with equal_zeros 0, -0 is less
 * than +0. If all elements are NaN, minimum gives +inf and maximum -inf, as for no elements. A sum
 * of floating-point numbers has the sign of zero that IEEE 754 gives it: -0 if there are elements
 * and all of them are -0, else +0 for a sum of 0. A sum of nothing is +0, and from that an
 * exclusive scan without init starts, in each segment. Init is taken as it is, a -0 too. And, or,
 * xor are for integers. On vectors an operator works lane by lane. */
typedef enum xl_op {
    XL_SUM = 1,
    XL_PROD = 2,
    XL_MIN = 3,
    XL_MAX = 4,
    XL_AND = 5,
    XL_OR = 6,
    XL_XOR = 7,
    /* Reductions only: the index, a u64, of the first least or greatest element. NaN are skipped;
     * if all elements are NaN, or there are none, it is UINT64_MAX. -0 and +0 are equal, unless
     * the reduction's equal_zeros is 0. */
    XL_ARG_MIN = 8,
    XL_ARG_MAX = 9,
    XL_USER_OP = 0x1000 /* the descriptor's user_op says which */
} xl_op;

/* What may be relied upon of a user's operator beside that it is associative. */
enum {
    XL_OP_COMMUTATIVE = 1,         /* op(a, b) is op(b, a) */
    XL_OP_STRICTLY_ASSOCIATIVE = 2 /* to the last bit: it rounds nothing */
};

/* An operator of the user's own, on elements of the descriptor's type T. */
typedef struct xl_user_op {
    const char *name;     /* of the function, an identifier of at most 63 letters:
                             T name(T a, T b), a before b in the array */
    const char *source;   /* OpenCL C that defines it, after the type's source; compiled under
                             its own #line. NULL: `name` is a function of OpenCL C, such as fmax */
    const void *identity; /* one element e on the host for which op(e, x) and op(x, e) are x;
                             NULL: there is none, and the operator is never called with one */
    uint32_t
        flags; /* XL_OP_COMMUTATIVE, XL_OP_STRICTLY_ASSOCIATIVE, or 0: nothing is relied upon */
} xl_user_op;

/* An order of the user's own, of elements of one type T. It must be a strict weak order, as that of
 * C++'s std::sort: nothing comes before itself; if a comes before b and b before c, then a comes
 * before c. Two elements are equal if neither comes before the other; if a equals b and b equals c,
 * then a equals c. */
typedef struct xl_user_comparator {
    const char *name;   /* of the function, an identifier of at most 63 letters:
                           bool or int name(T a, T b), whether a comes before b */
    const char *source; /* OpenCL C that defines it, after the type's source; compiled under
                           its own #line. NULL: `name` is a function of OpenCL C, such as isless */
} xl_user_comparator;

/* A parameter of a plan's expressions: a value that each call gives in its arguments' `params`, so
 * that another value needs no other plan. A descriptor takes up to XL_PARAMS of them, of 64 bytes
 * together, where each counts as a multiple of 4 bytes. */
enum { XL_PARAMS = 8 };
typedef struct xl_param {
    const char *name; /* in all expressions of the descriptor: an identifier of at most 63 letters
                         other than x, y, z, w, p, a, b and i, read when the plan is made */
    uint32_t type;    /* xl_type: any built-in one; XL_F64 and XL_F16 where the device has them */
} xl_param;

/* Where an array's segments begin. The first element always begins one. Offsets that break
 * their rule, because they fall, pass n or end elsewhere, give results that are not defined,
 * but nothing is written outside the outputs nor read outside the inputs, and no call hangs. */
typedef enum xl_segments {
    XL_SEGMENTS_NONE = 0,         /* the whole array is one */
    XL_SEGMENTS_HEAD_FLAGS = 1,   /* n bytes: not 0 where a segment begins */
    XL_SEGMENTS_FLAG_BITMASK = 2, /* (n + 31) / 32 words of u32: bit i % 32 of word i / 32 */
    XL_SEGMENTS_KEYS = 3,         /* n integers: a segment is a run of equal keys */
    XL_SEGMENTS_OFFSETS = 4,      /* CSR: count integers, u32 or u64, that never fall, the first 0,
                                     the last n: segment s is [offsets[s], offsets[s + 1]), so there
                                     are count - 1; any of them may be empty */
    XL_SEGMENTS_WIDTH = 5, /* every segment_width elements, the last may be shorter; no array */
    XL_SEGMENTS_MASK = 6 /* in each row of segment_width (1 to 64) elements a segment begins at the
                            first, and at element k where bit k of segment_mask is set; bits past
                            the width count for nothing; no array. Park's sub-warp segments
                            (2017) */
} xl_segments;

/* What is promised about the bits of results of operators that round, such as sums of
 * floating-point numbers and user operators that are not XL_OP_STRICTLY_ASSOCIATIVE. All others
 * always give the same. */
typedef enum xl_determinism {
    XL_DETERMINISTIC = 0, /* the same bits on every run on one device, for one n; where the number
                             is on the device (n_device), for one number there and one `n`, the
                             most, by which the work is cut */
    XL_UNORDERED = 1,     /* the bits may differ from run to run; may be faster */
    XL_REPRODUCIBLE = 2   /* the same bits for one n on every device that rounds as
                             IEEE 754 says, for data and results that are not denormal, and for
                             these too where the device keeps them: f64 always does, f32 where
                             CL_DEVICE_SINGLE_FP_CONFIG has CL_FP_DENORM (not llvmpipe), f16
                             alike. Two things are left open: which NaN a NaN is, and on a device
                             that takes x + 0 for x (llvmpipe) the sign of a zero. A user operator
                             must itself round alike everywhere. Slower */
} xl_determinism;

/* A tuning value by name, such as {"scan.group_size", 128}, for a descriptor. The structure is
 * frozen; the names may change with any version: xl_tunables_each() lists them, docs/tuning.md
 * too. A name that is unknown or another primitive's, or a value out of its range, is
 * XL_ERROR_INVALID_ARGUMENT, and the text names it with what is allowed. Of one name the last
 * value counts; a plan takes less where the device has no room for it. Array and names are read
 * when the plan is made and not kept. Values change how fast a plan is, and of operators that
 * round in an order of their own also the last bits of results. */
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

/* A view of `buffer` that starts `offset` elements in. */
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

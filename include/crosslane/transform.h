/* SPDX-License-Identifier: MIT
 * One pass over the elements of arrays: a function of each element, a gather, a scatter, or a
 * function of neighbours. */
#ifndef CROSSLANE_TRANSFORM_H
#define CROSSLANE_TRANSFORM_H

#include <crosslane/plan.h>

enum { XL_TRANSFORM_ARRAYS = 4 };

typedef enum xl_transform_kind {
    /* out[0][i] = f(x, y, z, w, i), of elements i of up to four inputs. */
    XL_TRANSFORM_MAP = 0,
    /* out[k][i] = in[k][indices[i]], of up to four arrays. An index that is not below `range` gives
     * an element of zero bytes. */
    XL_TRANSFORM_GATHER = 1,
    /* out[k][indices[i]] = in[k][i]. An index that is not below `range` stores nothing. Of equal
     * indices any one element is stored, of more than 16 bytes, or where these are not a power of
     * two, parts of several may be. What no index names stays as it was. */
    XL_TRANSFORM_SCATTER = 2,
    /* out[0][i] = f(x, p, i), where x is in[0][i] and p in[0][i - 1]; out[0][0] = in[0][0]. */
    XL_TRANSFORM_ADJACENT = 3
} xl_transform_kind;

/* Start from xl_transform_desc_init(): a map of one array of f32 that copies it. A field that the
 * kind gives no meaning must stay as that left it, and `types` beyond num_arrays are XL_NONE. Texts
 * and user types are read by xl_transform_create() and not needed after it. */
typedef struct xl_transform_desc {
    uint32_t version;      /* set by xl_transform_desc_init() */
    uint32_t num_tunables; /* of `tunables` */
    uint32_t kind;         /* xl_transform_kind */
    uint32_t num_arrays;   /* XL_TRANSFORM_MAP: inputs, 0 to 4; gather, scatter: arrays, 1 to 4;
                              XL_TRANSFORM_ADJACENT: 1 */
    uint32_t types[XL_TRANSFORM_ARRAYS]; /* xl_type of the elements of in[k], and of a gather's and
                                            a scatter's out[k]; XL_F64 and XL_F16 and their vectors
                                            where the device has them, but a gather and a scatter,
                                            which only move bytes, take them everywhere, and look
                                            at nothing of a user type but its size */
    uint32_t out_type;   /* xl_type of out[0] of a map and of XL_TRANSFORM_ADJACENT; XL_NONE:
                            types[0]. With XL_TRANSFORM_ADJACENT and another type out[0][0] is
                            f(x, x, 0) */
    uint32_t index_type; /* XL_U32 or XL_U64: of a gather's and a scatter's indices */
    const xl_user_type *user_types[XL_TRANSFORM_ARRAYS]; /* where types[k] is XL_USER_TYPE */
    const xl_user_type *user_out_type;                   /* where out_type is XL_USER_TYPE */
    /* An OpenCL C expression of x, y, z, w, elements of in[0] to in[3], as many as there are, of p,
     * with XL_TRANSFORM_ADJACENT, and of i, the index (ulong): "x * 2.0f + y". Its operations are
     * not fused (FP_CONTRACT is off). NULL: x, or, with XL_TRANSFORM_ADJACENT, x - p, which types
     * of the user's own do not have */
    const char *expression;
    /* Tuning values of this plan by name, before those of the context's tuning file and the
     * built-in ones (xl_tunable in types.h); transform.*. NULL: none */
    const xl_tunable *tunables;
    /* Parameters of the expression, which each call gives in its `params`; NULL: none */
    size_t num_params;
    const xl_param *params;
} xl_transform_desc;

/* What one call works on; a view that is left out is not given. */
typedef struct xl_transform_args {
    size_t n; /* elements of out[k] of a map, a gather and XL_TRANSFORM_ADJACENT, of in[k] of a
                 scatter; with n_device the most there may be */
    xl_view n_device; /* not given, or one u64: there are as many elements as it holds when the call
                         runs, and at most n. Views must hold n elements */
    size_t
        range; /* elements of each of a gather's in[k], of a scatter's out[k]; else not looked at */
    xl_view in[XL_TRANSFORM_ARRAYS]; /* n elements each, of a gather `range`; not changed unless one
                                        is also out[0]. Inputs may overlap each other */
    xl_view indices;                 /* n of index_type, of a gather and a scatter */
    /* n elements each, of a scatter `range`. A map's and XL_TRANSFORM_ADJACENT's out[0] may be
     * exactly one of the inputs where their elements are of one size. Else an output may overlap
     * nothing. */
    xl_view out[XL_TRANSFORM_ARRAYS];
    xl_view scratch; /* xl_transform_scratch() bytes, or not given: as in xl_scan_args */
    const void *params[XL_PARAMS]; /* for each of the descriptor's params a pointer to its value, of
                                      its type, read by this call; else NULL */
} xl_transform_args;

XL_EXTERN_C_BEGIN

/* Stores the defaults and the version of the caller's headers in *desc. NULL is ignored. */
#define xl_transform_desc_init(desc) xl_transform_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_transform_desc_init_version(xl_transform_desc *desc, uint32_t version);

/* Makes a plan; as xl_scan_create(). */
XL_NODISCARD XL_API xl_status xl_transform_create(xl_context *ctx, const xl_transform_desc *desc,
                                                  xl_plan **plan);

/* As xl_scan_scratch(), for n elements: 0 bytes but for XL_TRANSFORM_ADJACENT, which in place keeps
 * the element before each part of the array that it takes at once, at most one of each 128 and
 * 256 bytes. Out of place none is used. */
XL_NODISCARD XL_API xl_status xl_transform_scratch(const xl_plan *plan,
                                                   const xl_transform_args *args, size_t *bytes);

/* Enqueues a transform; never blocks, and allocates nothing when scratch is given. Indices, also
 * such as somebody writes meanwhile, lead to no place outside the arrays. Waits, event, queue,
 * threads, failure and errors as xl_scan_enqueue(). */
XL_NODISCARD XL_API xl_status xl_transform_enqueue(xl_plan *plan, cl_command_queue queue,
                                                   const xl_transform_args *args, cl_uint num_waits,
                                                   const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

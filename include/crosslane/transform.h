/* SPDX-License-Identifier: MIT
 * Maps, gathers and scatters: one pass over arrays, which computes a function of each element,
 * moves elements by indices, or computes a function of adjacent elements. The simplest use, for
 * f32:
 *
 *     xl_transform_desc desc;
 *     xl_transform_desc_init(&desc);
 *     desc.expression = "sqrt(x)";
 *     xl_transform_create(ctx, &desc, &plan);
 *     xl_transform_args args = {.n = n, .in = {x}, .out = {roots}};
 *     xl_transform_enqueue(plan, queue, &args, 0, NULL, NULL);
 *
 * The page is docs/transform.md. */
#ifndef CROSSLANE_TRANSFORM_H
#define CROSSLANE_TRANSFORM_H

#include <crosslane/plan.h>

enum { XL_TRANSFORM_ARRAYS = 4 };

typedef enum xl_transform_kind {
    /* out[0][i] = f(x, y, z, w, i) for elements i of up to four inputs. */
    XL_TRANSFORM_MAP = 0,
    /* out[k][i] = in[k][indices[i]] for up to four arrays; zero bytes if indices[i] >= range. */
    XL_TRANSFORM_GATHER = 1,
    /* out[k][indices[i]] = in[k][i]; nothing is stored if indices[i] >= range. If indices are
     * equal, one of their elements is stored; elements of more than 16 bytes, or whose size is no
     * power of two, may be mixed. Elements that no index names are not written. */
    XL_TRANSFORM_SCATTER = 2,
    /* out[0][i] = f(x, p, i), where x is in[0][i] and p is in[0][i - 1]; out[0][0] = in[0][0]. */
    XL_TRANSFORM_ADJACENT = 3
} xl_transform_kind;

/* Start from xl_transform_desc_init(): a map that copies one array of f32. Leave fields that do not
 * apply at their defaults; otherwise XL_ERROR_INVALID_ARGUMENT. xl_transform_create() copies all
 * that pointers point to. */
typedef struct xl_transform_desc {
    uint32_t version; /* set by xl_transform_desc_init() */

    uint32_t num_arrays; /* XL_TRANSFORM_MAP: inputs, 0 to 4; gather, scatter: inputs and outputs, 1
                            to 4; XL_TRANSFORM_ADJACENT: 1 */
    /* xl_type of in[k]; XL_NONE from num_arrays on. XL_F64 and XL_F16 require the device's support,
     * but not in a gather or scatter, which moves bytes: it takes types of up to 4096 bytes, and
     * out[k] has the type of in[k] */
    uint32_t types[XL_TRANSFORM_ARRAYS];
    uint32_t out_type;   /* xl_type of out[0]; XL_NONE: types[0]. If it is given and differs,
                            XL_TRANSFORM_ADJACENT computes out[0][0] as f(x, x, 0) */
    uint32_t index_type; /* gather, scatter: XL_U32 or XL_U64 */
    const xl_user_type *user_types[XL_TRANSFORM_ARRAYS]; /* if types[k] is XL_USER_TYPE */
    const xl_user_type *user_out_type;                   /* if out_type is XL_USER_TYPE */

    uint32_t kind;          /* xl_transform_kind */
    const char *expression; /* f, an OpenCL C expression of x, y, z, w (elements of in[0] to in[3]),
                               of p, and of i (the index, ulong): "x * 2.0f + y". Operations are not
                               fused. NULL: x; XL_TRANSFORM_ADJACENT: x - p, not for user types */
    size_t num_params;      /* number of params */
    const xl_param *params; /* parameters of expression, whose values each call gives; NULL: none */

    uint32_t num_tunables;      /* number of tunables */
    const xl_tunable *tunables; /* tuning values of this plan (xl_tunable in types.h), names
                                   transform.*; NULL: none */
} xl_transform_desc;

/* The arguments of a call. Inputs may overlap each other. An output must not overlap any other
 * array, except that out[0] of XL_TRANSFORM_MAP and XL_TRANSFORM_ADJACENT may be exactly one of the
 * inputs if their elements have the same size. */
typedef struct xl_transform_args {
    size_t n;         /* number of elements, or of indices; with n_device the maximum */
    size_t range;     /* gather: elements of each in[k]; scatter: elements of each out[k]; else
                         ignored */
    xl_view n_device; /* not given, or one u64: the call processes min(n, n_device[0]) elements, as
                         read when it runs. Views must hold n */
    xl_view in[XL_TRANSFORM_ARRAYS]; /* n elements each; gather: range */
    xl_view indices;                 /* gather, scatter: n elements of index_type; else not given */
    const void *params[XL_PARAMS];   /* for each of desc.params a pointer to its value, read by this
                                      call; NULL for the rest */
    xl_view out[XL_TRANSFORM_ARRAYS]; /* n elements each; scatter: range */
    xl_view scratch;                  /* not given, or xl_transform_scratch() bytes */
} xl_transform_args;

XL_EXTERN_C_BEGIN

/* The calls: crosslane/plan.h states their rules and errors. */
#define xl_transform_desc_init(desc) xl_transform_desc_init_version((desc), XL_VERSION_NUMBER)
XL_API void xl_transform_desc_init_version(xl_transform_desc *desc, uint32_t version);

XL_NODISCARD XL_API xl_status xl_transform_create(xl_context *ctx, const xl_transform_desc *desc,
                                                  xl_plan **plan);

/* Only XL_TRANSFORM_ADJACENT uses scratch, and only in place: at most one element for each 128, and
 * 256 bytes. */
XL_NODISCARD XL_API xl_status xl_transform_scratch(const xl_plan *plan,
                                                   const xl_transform_args *args, size_t *bytes);

/* An out-of-range
 * index never accesses memory outside the arrays, even if another kernel changes the indices
 * concurrently. */
XL_NODISCARD XL_API xl_status xl_transform_enqueue(xl_plan *plan, cl_command_queue queue,
                                                   const xl_transform_args *args, cl_uint num_waits,
                                                   const cl_event *waits, cl_event *event);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * Status codes, and the macros of all public headers. */
#ifndef CROSSLANE_STATUS_H
#define CROSSLANE_STATUS_H

#if defined(CROSSLANE_STATIC)
#define XL_API
#elif defined(_WIN32)
#ifdef CROSSLANE_BUILD
#define XL_API __declspec(dllexport)
#else
#define XL_API __declspec(dllimport)
#endif
#else
#define XL_API __attribute__((visibility("default")))
#endif

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define XL_NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define XL_NODISCARD __attribute__((warn_unused_result))
#else
#define XL_NODISCARD
#endif

#ifdef __cplusplus
#define XL_EXTERN_C_BEGIN extern "C" {
#define XL_EXTERN_C_END }
#else
#define XL_EXTERN_C_BEGIN
#define XL_EXTERN_C_END
#endif

XL_EXTERN_C_BEGIN

/* The result of a call. The numbers are part of the ABI and never change. The library prints
 * nothing (a driver may) and never aborts. xl_context_error() returns the text of a failure. */
typedef enum xl_status {
    XL_SUCCESS = 0,                 /* done, or enqueued */
    XL_ERROR_INVALID_ARGUMENT = 1,  /* an argument is NULL, unknown, out of its range, or
                                       contradicts another one */
    XL_ERROR_OUT_OF_MEMORY = 2,     /* the host or the device has too little memory */
    XL_ERROR_NO_DEVICE = 3,         /* no platform has a device, or no device matches */
    XL_ERROR_UNSUPPORTED = 4,       /* the device lacks a feature; the text names it */
    XL_ERROR_BUILD = 5,             /* a kernel does not compile (the text has the log), or a user
                                       type has another size on the device */
    XL_ERROR_OPENCL = 6,            /* an OpenCL call failed; the text has the call and its code */
    XL_ERROR_SCRATCH_TOO_SMALL = 7, /* `scratch` has fewer bytes than the call needs */
    XL_ERROR_MISALIGNED = 8,        /* `scratch` does not start at a multiple of
                                       XL_SCRATCH_ALIGNMENT bytes */
    XL_ERROR_OVERLAP = 9,           /* two views share bytes that they must not share */
    XL_ERROR_NON_FINITE = 10,       /* a coordinate of a point or query is NaN or infinite */
    XL_ERROR_OUT_OF_DOMAIN = 11,    /* a point lies outside the bounds of the grid */
    XL_ERROR_CAPACITY = 12,         /* an output, such as a neighbour list, is too small for its
                                       result: see xl_neighbors_status() */
    XL_ERROR_INTERNAL = 13,         /* a defect of the library: please report it */
    XL_ERROR_MPI = 14               /* an MPI call failed (crosslane/mpi.h) */
} xl_status;

/* The name of a status, such as "XL_ERROR_OVERLAP", or "unknown xl_status" for another number.
 * Never NULL; static storage; thread-safe. */
XL_API const char *xl_status_name(xl_status status);

XL_EXTERN_C_END

#endif

/* SPDX-License-Identifier: MIT
 * Result codes and the macros every public header needs. */
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

/* What a call came to. The numbers are part of the ABI and never change.
 * The library prints nothing and never aborts; the text that goes with a
 * failure is read with xl_context_error(). */
typedef enum xl_status {
    XL_SUCCESS = 0,                 /* done, or enqueued */
    XL_ERROR_INVALID_ARGUMENT = 1,  /* an argument is null, unknown, or beyond a limit */
    XL_ERROR_OUT_OF_MEMORY = 2,     /* host or device memory could not be had */
    XL_ERROR_NO_DEVICE = 3,         /* no platform, or no device matches the selection */
    XL_ERROR_UNSUPPORTED = 4,       /* the device lacks a feature; the text names it */
    XL_ERROR_BUILD = 5,             /* a kernel did not compile; the text holds the log */
    XL_ERROR_OPENCL = 6,            /* an OpenCL call failed; the text holds call and code */
    XL_ERROR_SCRATCH_TOO_SMALL = 7, /* the scratch view has fewer bytes than asked for */
    XL_ERROR_MISALIGNED = 8,        /* a view does not start at a multiple of the alignment */
    XL_ERROR_OVERLAP = 9,           /* two views share bytes that may not be shared */
    XL_ERROR_NON_FINITE = 10,       /* a coordinate is NaN or infinite */
    XL_ERROR_OUT_OF_DOMAIN = 11,    /* a point lies outside the given bounds */
    XL_ERROR_CAPACITY = 12,         /* reserved for outputs too small: nothing returns it so far */
    XL_ERROR_INTERNAL = 13          /* a defect of the library: please report it */
} xl_status;

/* The name of a status, such as "XL_ERROR_OVERLAP"; "unknown xl_status" for
 * any other number. Never NULL; static storage; callable from any thread. */
XL_API const char *xl_status_name(xl_status status);

XL_EXTERN_C_END

#endif

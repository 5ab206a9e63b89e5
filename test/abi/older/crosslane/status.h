/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
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
typedef enum xl_status {
    XL_SUCCESS = 0,
    XL_ERROR_INVALID_ARGUMENT = 1,
    XL_ERROR_OUT_OF_MEMORY = 2,
    XL_ERROR_NO_DEVICE = 3,
    XL_ERROR_UNSUPPORTED = 4,
    XL_ERROR_BUILD = 5,
    XL_ERROR_OPENCL = 6,
    XL_ERROR_SCRATCH_TOO_SMALL = 7,
    XL_ERROR_MISALIGNED = 8,
    XL_ERROR_OVERLAP = 9,
    XL_ERROR_NON_FINITE = 10,
    XL_ERROR_OUT_OF_DOMAIN = 11,
    XL_ERROR_CAPACITY = 12,
    XL_ERROR_INTERNAL = 13
} xl_status;
XL_API const char *xl_status_name(xl_status status);
XL_EXTERN_C_END
#endif

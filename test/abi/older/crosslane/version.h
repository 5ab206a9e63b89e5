/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_VERSION_H
#define CROSSLANE_VERSION_H
#include <crosslane/status.h>
#define XL_VERSION_MAJOR 0
#define XL_VERSION_MINOR 1
#define XL_VERSION_PATCH 0
#define XL_ABI_VERSION 0
XL_EXTERN_C_BEGIN
XL_API int xl_version(void);
XL_API const char *xl_version_string(void);
XL_EXTERN_C_END
#endif

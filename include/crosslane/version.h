/* SPDX-License-Identifier: MIT
 * The library's version, at compile time and at run time. */
#ifndef CROSSLANE_VERSION_H
#define CROSSLANE_VERSION_H

#include <crosslane/status.h>

#define XL_VERSION_MAJOR 0
#define XL_VERSION_MINOR 1
#define XL_VERSION_PATCH 0
#define XL_VERSION_NUMBER (XL_VERSION_MAJOR * 10000 + XL_VERSION_MINOR * 100 + XL_VERSION_PATCH)

XL_EXTERN_C_BEGIN

/* The version of the linked library, as a number like XL_VERSION_NUMBER, which is that of the
 * headers. */
XL_API int xl_version(void);

/* The same as text: "0.1.0". Static storage. */
XL_API const char *xl_version_string(void);

XL_EXTERN_C_END

#endif

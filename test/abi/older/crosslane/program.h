/* SPDX-License-Identifier: MIT
 * Frozen: the declarations of an older interface, in which each structure that may grow lacks its
 * last field. What is compiled with them must go on working. */
#ifndef CROSSLANE_PROGRAM_H
#define CROSSLANE_PROGRAM_H
#include <crosslane/context.h>
XL_EXTERN_C_BEGIN
XL_NODISCARD XL_API xl_status xl_program_create(xl_context *ctx, const char *source,
                                                const char *options, cl_program *program);
XL_EXTERN_C_END
#endif

/* SPDX-License-Identifier: MIT
 * Kernels of your own, with Crosslane's lane and work-group collectives and its neighbour search in
 * them. */
#ifndef CROSSLANE_PROGRAM_H
#define CROSSLANE_PROGRAM_H

#include <crosslane/context.h>

XL_EXTERN_C_BEGIN

/* Builds OpenCL C for the context's device. In `source` a line
 *     #include <crosslane/NAME.cl>
 * is replaced by a text that the library holds; no file is looked for. There are
 *     lanes.cl        width, shuffles, votes, sub-warp counts, of sub-groups and groups
 *     collectives.cl  scans, segmented scans, reductions and shuffles of a type and an
 *                     operator of yours; include it once for each
 *     neighbors.cl    the points of an xl_grid_index within a radius: crosslane/neighbors.h
 *     morton.cl       Morton codes of two and three numbers, and those of coordinates
 * and each says at its top what it gives, what must be defined before it, and who must
 * call together (cl/include in the source tree, kernel-includes beside the installed
 * README). All their names start with xl_, XL_ or what you choose. Any other #include is
 * the compiler's.
 *
 *   source   text, not changed; errors speak of its lines as of a file "user"
 *   options  what clBuildProgram takes ("-DN=3 -cl-fast-relaxed-math -Ifolder"), or
 *            NULL; without -cl-std, since the dialect is the device's newest, as
 *            xl_device_info says. Warnings are off unless the context writes dumps
 *   program  receives the program, which the caller releases, before or after the
 *            context; NULL on failure. It may be shared with who builds the same: make
 *            kernels of it, do not build it again
 *
 * The same source and options are compiled once in a context, and once on a machine
 * where the context has a cache folder, unless the source includes files of its own,
 * which may change unseen. The context keeps what it compiled.
 *
 * In front of the source stand macros that tell of the device: XL_LANE_WAY (0: no
 * cross-lane operations), XL_HAS_FP64, XL_HAS_INT64_ATOMICS, XL_IS_CPU and XL_OPENCL3
 * (0: OpenCL C 1.2); the extensions for these are switched on by the included texts.
 *
 * Blocks while it compiles. Thread-safe. XL_ERROR_INVALID_ARGUMENT: a NULL, an include
 * that the library does not hold (the text lists those it does), -cl-std, or more than 64 operators
 * in a row without an operand, at which compilers crash.
 * XL_ERROR_BUILD: the text is as xl_context_error() says. */
XL_NODISCARD XL_API xl_status xl_program_create(xl_context *ctx, const char *source,
                                                const char *options, cl_program *program);

XL_EXTERN_C_END

#endif
